r"""Passes over examples: oracles answered at fixed weights, and dual steps made in order (docs/decisions/0002).

The dual of :math:`\tfrac{reg}2 |w|^2 + \sum_i \omega_i H_i(w)`, :math:`\sum_i \omega_i = 1`, has a simplex per example over the planes of its labels.
An *atom* is one such label y with its weight alpha: the plane's value at w is :math:`offset - s \langle \hat D, \theta \rangle` with
:math:`\hat D = parts(y_i) - parts(y)` sparse in potential space, s = g(y) and offset = g(y) for slack rescaling, 1 and g(y) for margin; the
target's own plane is zero. Always :math:`w = \tfrac1{reg} \sum_i \omega_i A_i' \sum_y \alpha_y s_y \hat D_y`.
"""

from typing import Any, NamedTuple

import numpy as np

from .asking import parts_of, prepare, solve
from .compiling import njit
from .rows import add, gram, image, potentials, potentials_at
from .simplex import block_gap, pairwise_step, solve_simplex, toward_step

__all__ = ["Atoms", "Calls", "Examples", "adjoint", "answers", "compacted", "dual_sums", "fill_gram", "keep", "prepared", "steps"]

ALPHA, SCALE, OFFSET = range(3)
NEXT, START, LENGTH, IDLE = range(4)
SLOTS, FREE, PLACES = range(3)
#: What an answer holds: h, g, value, upper bound, next lam, passes, and an upper bound on the surrogate.
N_OUT = 7
TOWARD, PAIRWISE, EXACT = range(3)


class Calls(NamedTuple):
    """A structure's compiled methods, by address, and what all examples share."""

    best: Any
    parts: Any
    prepare: Any
    shared: Any
    rescaling: int
    n_shared: int
    most_parts: Any  # per example


class Examples(NamedTuple):
    """The examples: where rows, targets, true labels and Gram matrices start; omega, the weights that sum to one."""

    rows_at: Any
    targets: Any
    targets_at: Any
    truth: Any
    truth_at: Any
    omega: Any
    products: Any
    products_at: Any


class Atoms(NamedTuple):
    """All atoms: `head` of each example's list; per slot (alpha, scale, offset), (next, start, length, idle); D by places and
    counts, end to end; `used` = slots, head of the free slots, places."""

    head: Any
    numbers: Any
    links: Any
    places: Any
    counts: Any
    used: Any


@njit
def _value(atoms, a, theta, shared_weights, own):
    """The value of an atom's plane at weights of potentials theta (own) and shared weights."""
    total = 0.0
    first = atoms.links[a, START]
    for j in range(first, first + atoms.links[a, LENGTH]):
        p = atoms.places[j]
        total += atoms.counts[j] * (theta[p] if p < own else shared_weights[p - own])
    return atoms.numbers[a, OFFSET] - atoms.numbers[a, SCALE] * total


@njit
def fill_gram(rows, examples, first, last):
    """The Gram matrices of the rows of examples first..last, where room is kept for them."""
    for i in range(first, last):
        a, b = examples.products_at[i], examples.products_at[i + 1]
        n = examples.rows_at[i + 1] - examples.rows_at[i]
        if b > a:
            gram(rows, examples.rows_at[i], examples.rows_at[i + 1], examples.products[a:b].reshape(n, n))


@njit
def answers(calls, examples, rows, atoms, w, scale, pool, tol, ids, first, last, lams, labels, labels_at, outs, found):
    """Ask the oracles of examples ids[first:last] at scale * w, each only for labels above what the example's atoms reach.

    lams are read and renewed; labels (flat by labels_at), outs (N_OUT each) and found are written.
    """
    most_rows = 0
    for j in range(first, last):
        most_rows = max(most_rows, examples.rows_at[ids[j] + 1] - examples.rows_at[ids[j]])
    theta = np.empty(most_rows * rows.width)
    weights = w[w.size - calls.n_shared :]
    for j in range(first, last):
        i = ids[j]
        own = (examples.rows_at[i + 1] - examples.rows_at[i]) * rows.width
        potentials(rows, w, examples.rows_at[i], examples.rows_at[i + 1], theta)
        if scale != 1.0:
            for p in range(own):
                theta[p] *= scale
        known = 0.0
        a = atoms.head[i]
        while a >= 0:
            known = max(known, _value(atoms, a, theta, weights, own))  # solvers with atoms have scale 1
            a = atoms.links[a, NEXT]
        found[j] = solve(
            calls.best, calls.rescaling, lams[i], known, tol, calls.shared, pool,
            examples.targets[examples.targets_at[i] : examples.targets_at[i + 1]], theta[:own],
            labels[labels_at[j] : labels_at[j + 1]], outs[j],
        )  # fmt: skip
        outs[j, 6] = max(known, outs[j, 3])
        if 0.0 < outs[j, 4] < np.inf:
            lams[i] = outs[j, 4]


@njit
def keep(calls, examples, atoms, i, own, label, scale, offset, mark, parts):
    """Make an atom of a label at the head of its example's list; room for it must be there. `mark` is zero and is left so."""
    target = examples.targets[examples.targets_at[i] : examples.targets_at[i + 1]]
    truth = examples.truth[examples.truth_at[i] : examples.truth_at[i + 1]]
    n_true = parts_of(calls.parts, calls.shared, target, truth, parts)
    for j in range(n_true):
        mark[parts[j]] += 1
    n = n_true + parts_of(calls.parts, calls.shared, target, label, parts[n_true:])
    for j in range(n_true, n):
        mark[parts[j]] -= 1
    a = atoms.used[FREE]
    if a >= 0:
        atoms.used[FREE] = atoms.links[a, NEXT]
    else:
        a = atoms.used[SLOTS]
        atoms.used[SLOTS] += 1
    first = end = atoms.used[PLACES]
    for j in range(n):
        if mark[parts[j]] != 0:
            atoms.places[end], atoms.counts[end] = parts[j], mark[parts[j]]
            mark[parts[j]] = 0
            end += 1
    atoms.used[PLACES] = end
    atoms.numbers[a, ALPHA], atoms.numbers[a, SCALE], atoms.numbers[a, OFFSET] = 0.0, scale, offset
    atoms.links[a, NEXT], atoms.links[a, START] = atoms.head[i], first
    atoms.links[a, LENGTH], atoms.links[a, IDLE] = end - first, 0
    atoms.head[i] = a
    return a


@njit
def _drop_idle(atoms, i, most_idle):
    """Forget the atoms without weight that have been of no use for more than `most_idle` visits."""
    before, a = -1, atoms.head[i]
    while a >= 0:
        after = atoms.links[a, NEXT]
        if atoms.numbers[a, ALPHA] == 0.0 and atoms.links[a, IDLE] > most_idle:
            if before < 0:
                atoms.head[i] = after
            else:
                atoms.links[before, NEXT] = after
            atoms.links[a, NEXT] = atoms.used[FREE]
            atoms.used[FREE] = a
        else:
            before = a
        a = after


@njit
def _products(rows, examples, atoms, i, own, members, m, work, field, q):
    """q[a, b] = <A'D_a, A'D_b> of the member atoms, scales included; row and column 0 are the target's zero plane.

    `field` (own + shared) is zero and is left so.
    """
    first = examples.rows_at[i]
    products = examples.products[examples.products_at[i] : examples.products_at[i + 1]]
    for a in range(m):
        q[0, a] = q[a, 0] = 0.0
    for a in range(1, m):
        start, length = atoms.links[members[a], START], atoms.links[members[a], LENGTH]
        places, counts = atoms.places[start : start + length], atoms.counts[start : start + length]
        image(rows, products, first, own, places, counts, work, field)
        for b in range(a, m):
            other, total = atoms.links[members[b], START], 0.0
            for j in range(other, other + atoms.links[members[b], LENGTH]):
                total += atoms.counts[j] * field[atoms.places[j]]
            q[a, b] = q[b, a] = total * atoms.numbers[members[a], SCALE] * atoms.numbers[members[b], SCALE]
        _clear(rows, products, own, places, field)


@njit
def _clear(rows, products, own, places, field):
    if products.size == 0:
        for p in range(own):
            field[p] = 0.0
    width = rows.width
    for p in places:
        if p >= own:
            field[p] = 0.0
        elif products.size > 0:
            for t in range(own // width):
                field[t * width + p % width] = 0.0


@njit
def steps(
    calls, examples, rows, atoms, w, reg, kind, most_idle, ids, first, last, labels, labels_at, outs, found, gaps, work
):  # fmt: skip
    """Make the dual steps of examples ids[first:last] in order; candidates from `answers` join as atoms where found is 1.

    kind is TOWARD (one Frank-Wolfe step), PAIRWISE (one pairwise step) or EXACT (the block solved). `gaps` gets each block's gap
    before its step. `work` is zero, of w's size. Returns the gain of the dual and the number of atoms seen.
    """
    most_rows, most_parts = 0, 0
    for j in range(first, last):
        i = ids[j]
        most_rows = max(most_rows, examples.rows_at[i + 1] - examples.rows_at[i])
        most_parts = max(most_parts, calls.most_parts[i])
    theta = np.empty(most_rows * rows.width)
    field = np.zeros(most_rows * rows.width + calls.n_shared)
    mark = np.zeros(field.size, np.int64)
    parts, touched = np.empty(2 * most_parts + 2, np.int64), np.empty(field.size, np.int64)
    members = np.empty(32, np.int64)
    alpha, slope, before, q = np.empty(32), np.empty(32), np.empty(32), np.empty((32, 32))
    weights = w[w.size - calls.n_shared :]
    gain, seen = 0.0, 0
    for j in range(first, last):
        i = ids[j]
        own = (examples.rows_at[i + 1] - examples.rows_at[i]) * rows.width
        if found[j]:
            h, g = outs[j, 0], outs[j, 1]
            keep(calls, examples, atoms, i, own, labels[labels_at[j] : labels_at[j + 1]], g if calls.rescaling else 1.0, g, mark, parts)
        m, a = 1, atoms.head[i]
        if a < 0:
            gaps[i] = 0.0
            continue
        n_places = _touched(atoms, i, mark, touched)
        potentials_at(rows, w, examples.rows_at[i], own, touched, n_places, theta)
        alpha[0], slope[0], members[0], mean = 1.0, 0.0, -1, 0.0
        while a >= 0:
            if m == members.size:
                members, alpha, slope, before, q = _longer(members), _longer(alpha), _longer(slope), _longer(before), np.empty((2 * m, 2 * m))
            members[m], alpha[m] = a, atoms.numbers[a, ALPHA]
            slope[m] = _value(atoms, a, theta, weights, own)
            alpha[0] -= alpha[m]
            mean += alpha[m] * slope[m]
            m += 1
            a = atoms.links[a, NEXT]
        seen += m
        m = _useful(atoms, members, alpha, slope, m, mean)
        alpha[0] = max(alpha[0], 0.0)
        gap = block_gap(alpha, slope, m)
        gaps[i] = gap
        if gap > 0.0 and m > 1:
            _products(rows, examples, atoms, i, own, members, m, work, field, q)
            for b in range(m):
                before[b] = alpha[b]
            r = examples.omega[i] / reg
            if kind == EXACT:
                more = solve_simplex(alpha, slope, q, m, r, 0.02 * gap, 8 * m)
            elif kind == PAIRWISE:
                more = pairwise_step(alpha, slope, q, m, r)
            else:
                more = toward_step(alpha, slope, q, m, r)
            gain += examples.omega[i] * more
            _move(rows, examples, atoms, w, r, i, own, members, before, alpha, m, field, touched, n_places)
        _drop_idle(atoms, i, most_idle)
    return gain, seen


@njit
def _touched(atoms, i, mark, touched):
    """The places that the atoms of an example speak of, each once; `mark` is zero and is left so."""
    n, a = 0, atoms.head[i]
    while a >= 0:
        start = atoms.links[a, START]
        for j in range(start, start + atoms.links[a, LENGTH]):
            p = atoms.places[j]
            if mark[p] == 0:
                mark[p] = 1
                touched[n] = p
                n += 1
        a = atoms.links[a, NEXT]
    for j in range(n):
        mark[touched[j]] = 0
    return n


@njit
def _longer(values):
    more = np.empty(2 * values.size, values.dtype)
    for i in range(values.size):
        more[i] = values[i]
    return more


@njit
def _useful(atoms, members, alpha, slope, m, mean):
    """Keep the members that have weight or could get some (slope above the mean); count the visits of the others."""
    kept = 1
    for a in range(1, m):
        if alpha[a] > 0.0 or slope[a] > mean:
            members[kept], alpha[kept], slope[kept] = members[a], alpha[a], slope[a]
            atoms.links[members[a], IDLE] = 0
            kept += 1
        else:
            atoms.links[members[a], IDLE] += 1
    return kept


@njit
def _move(rows, examples, atoms, w, r, i, own, members, before, alpha, m, field, touched, n_places):
    """Write the new alphas and move w along A_i' of the change, each place once. `field` is zero and is left so."""
    for b in range(1, m):
        if alpha[b] != before[b]:
            a = members[b]
            atoms.numbers[a, ALPHA] = alpha[b]
            x = r * (alpha[b] - before[b]) * atoms.numbers[a, SCALE]
            start = atoms.links[a, START]
            for j in range(start, start + atoms.links[a, LENGTH]):
                field[atoms.places[j]] += x * atoms.counts[j]
    for j in range(n_places):
        p = touched[j]
        if field[p] != 0.0:
            add(rows, w, examples.rows_at[i], own, p, field[p])
            field[p] = 0.0


@njit
def adjoint(examples, rows, atoms, reg, w):
    """w = (1/reg) sum_i omega_i A_i' D_i from the atoms alone: the weights that the dual variables stand for."""
    for p in range(w.size):
        w[p] = 0.0
    for i in range(atoms.head.size):
        own = (examples.rows_at[i + 1] - examples.rows_at[i]) * rows.width
        a = atoms.head[i]
        while a >= 0:
            if atoms.numbers[a, ALPHA] > 0.0:
                x = examples.omega[i] / reg * atoms.numbers[a, ALPHA] * atoms.numbers[a, SCALE]
                start = atoms.links[a, START]
                for j in range(start, start + atoms.links[a, LENGTH]):
                    add(rows, w, examples.rows_at[i], own, atoms.places[j], x * atoms.counts[j])
            a = atoms.links[a, NEXT]


@njit
def dual_sums(examples, atoms):
    """sum_i omega_i alpha . offset, the linear part of the dual, and the number of atoms with weight."""
    total, active = 0.0, 0
    for i in range(atoms.head.size):
        block, a = 0.0, atoms.head[i]
        while a >= 0:
            block += atoms.numbers[a, ALPHA] * atoms.numbers[a, OFFSET]
            active += atoms.numbers[a, ALPHA] > 0.0
            a = atoms.links[a, NEXT]
        total += examples.omega[i] * block
    return total, active


@njit
def compacted(atoms, more):
    """Copy the live atoms into `more`, list order kept; it has the room."""
    slot, end = 0, 0
    for i in range(atoms.head.size):
        before, a = -1, atoms.head[i]
        more.head[i] = -1
        while a >= 0:
            for c in range(3):
                more.numbers[slot, c] = atoms.numbers[a, c]
            start = atoms.links[a, START]
            more.links[slot, NEXT], more.links[slot, START] = -1, end
            more.links[slot, LENGTH], more.links[slot, IDLE] = atoms.links[a, LENGTH], atoms.links[a, IDLE]
            for j in range(start, start + atoms.links[a, LENGTH]):
                more.places[end], more.counts[end] = atoms.places[j], atoms.counts[j]
                end += 1
            if before < 0:
                more.head[i] = slot
            else:
                more.links[before, NEXT] = slot
            before = slot
            slot += 1
            a = atoms.links[a, NEXT]
    more.used[SLOTS], more.used[FREE], more.used[PLACES] = slot, -1, end


@njit
def prepared(calls, w, scale, pool):
    """Refresh the shared weights behind the loss's tables, at scale * w."""
    prepare(calls.prepare, calls.shared, scale * w[w.size - calls.n_shared :], pool)
