r"""Passes over examples: oracles answered at fixed weights, and dual steps made in order (docs/decisions/0002).

The dual of :math:`\tfrac{reg}2 |w|^2 + \sum_i \omega_i H_i(w)`, :math:`\sum_i \omega_i = 1`, has a simplex per example over the
planes of its labels (`atoms`). Always :math:`w = \tfrac1{reg} \sum_i \omega_i A_i' \sum_y \alpha_y s_y \hat D_y`.
"""

from typing import Any, NamedTuple

import numpy as np

from ..plane import TIE, tangent_bound
from .asking import PLANE, ask, parts_of, prepare, solve
from .atoms import (
    ALPHA,
    CROSSES,
    IDLE,
    LENGTH,
    NEXT,
    OFFSET,
    ROW,
    ROW_LENGTH,
    SCALE,
    SERIAL,
    START,
    drop_idle,
    keep,
    known_products,
    longer,
    touched,
    value,
)
from .bracket import observe, opened, step
from .compiling import njit
from .rows import add, gram, image, potentials, potentials_at
from .simplex import block_gap, pairwise_step, solve_simplex

__all__ = [
    "Calls", "Examples", "accumulate", "adjoint", "answers", "best_kept", "bounds", "descend", "fill_gram", "prepared", "reached",
    "steps",
]  # fmt: skip

MARGIN, SLACK, HULL = range(3)
#: What an answer holds: h, g, value, upper bound, next lam, passes, an upper bound on H_i, the first label's share of a pair, and
#: whether the upper bound proves it best.
N_OUT = 9
TOWARD, PAIRWISE, KEEP = range(3)
_NOISE = 1e-15  # of a block's value: gaps below are rounding, and steps would wander


class Calls(NamedTuple):
    """A structure's compiled methods, by address, and what all examples share."""

    best: Any
    answer: Any
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


@njit
def fill_gram(rows, examples, first, last):
    """The Gram matrices of the rows of examples first..last, where room is kept for them."""
    for i in range(first, last):
        a, b = examples.products_at[i], examples.products_at[i + 1]
        n = examples.rows_at[i + 1] - examples.rows_at[i]
        if b > a:
            gram(rows, examples.rows_at[i], examples.rows_at[i + 1], examples.products[a:b].reshape(n, n))


@njit
def prepared(calls, w, scale, pool):
    """Refresh the shared weights behind the loss's tables, at scale * w."""
    prepare(calls.prepare, calls.shared, scale * w[w.size - calls.n_shared :], pool)


@njit
def _scores(examples, rows, w, scale, i, theta):
    """The potentials of example i at scale * w; returns how many they are."""
    own = (examples.rows_at[i + 1] - examples.rows_at[i]) * rows.width
    potentials(rows, w, examples.rows_at[i], examples.rows_at[i + 1], theta)
    if scale != 1.0:
        for p in range(own):
            theta[p] *= scale
    return own


@njit
def _most_rows(examples, ids, first, last):
    most = 0
    for j in range(first, last):
        most = max(most, examples.rows_at[ids[j] + 1] - examples.rows_at[ids[j]])
    return most


@njit
def _reached(atoms, i, theta, shared_weights, own):
    """The greatest value that the planes of an example's atoms, and the target's, reach."""
    known, a = 0.0, atoms.head[i]
    while a >= 0:
        known = max(known, value(atoms, a, theta, shared_weights, own))
        a = atoms.links[a, NEXT]
    return known


@njit
def reached(calls, examples, rows, atoms, w, scale, i, theta):
    """Fill the potentials of example i at scale * w and return the greatest value of its atoms' planes there."""
    own = _scores(examples, rows, w, scale, i, theta)
    return _reached(atoms, i, theta, w[w.size - calls.n_shared :], own)


@njit
def answers(calls, examples, rows, atoms, w, scale, pool, tol, slack, ids, first, last, lams, labels, labels_at, outs, found):
    """Ask the oracles of examples ids[first:last] at scale * w, each only for labels more than `slack` above its atoms' planes.

    lams are read and renewed; labels (flat by labels_at), outs (N_OUT each) and found are written. Solvers with atoms have scale 1.
    """
    theta = np.empty(_most_rows(examples, ids, first, last) * rows.width)
    shared_weights = w[w.size - calls.n_shared :]
    for j in range(first, last):
        i = ids[j]
        own = _scores(examples, rows, w, scale, i, theta)
        known = _reached(atoms, i, theta, shared_weights, own)
        target = examples.targets[examples.targets_at[i] : examples.targets_at[i + 1]]
        label, out = labels[labels_at[j] : labels_at[j + 1]], outs[j]
        if calls.rescaling == HULL:
            found[j] = _hull(calls, pool, target, theta[:own], lams[i], known + slack, tol, label, out)
        else:
            found[j] = solve(
                calls.best, calls.rescaling, lams[i], known + slack, tol, calls.shared, pool, target, theta[:own], label, out
            )
            out[7] = 1.0
        out[6] = max(known, out[3])
        out[8] = out[3] <= max(out[2] * (1.0 + tol) if found[j] else 0.0, known + slack) * (1.0 + TIE)
        if 0.0 < out[4] < np.inf:
            lams[i] = out[4]


@njit
def _hull(calls, pool, target, theta, lam, threshold, tol, label, out):
    """The best point of the labels' convex hull (NOTES C.10): two labels A, B and A's share, its value g h, and min K^2 / 4 lam."""
    size = label.size // 2
    bracket, region, point, here = opened(), np.zeros(6), np.zeros(2), np.zeros(size, np.int64)
    upper, at = np.inf, lam
    for n in range(1, 65):
        ask(calls.answer, PLANE, lam, region, calls.shared, pool, target, theta, here, point)
        h, g = point[0], point[1]
        if tangent_bound(h + lam * g, lam) < upper:
            upper, at = tangent_bound(h + lam * g, lam), lam
        before_a, before_b = bracket[0] + lam * bracket[1], bracket[3] + lam * bracket[4]
        out[5] = n
        if h + lam * g <= max(before_a, before_b):  # NaN compares false: a side still missing
            break
        left = h > lam * g
        observe(bracket, h, g, lam)
        side = label[:size] if left else label[size:]
        for p in range(size):
            side[p] = here[p]
        if h == lam * g or upper <= threshold:
            break
        lam = step(bracket, lam)
        if lam == 0.0:
            break
    h_a, g_a, h_b, g_b = bracket[0], bracket[1], bracket[3], bracket[4]
    if np.isnan(g_b):  # nothing of positive balance: the bound has gone to the least multiplier's
        h_b, g_b = h_a, g_a
        label[size:] = label[:size]
    if np.isnan(g_a):
        h_a, g_a = h_b, g_b
        label[:size] = label[size:]
    if h_a == h_b and g_a == g_b and h_a > 0.0 and g_a > 0.0:  # best on both sides of its balance, so there too
        upper, at = min(upper, h_a * g_a), h_a / g_a
    share = 1.0
    if g_b > g_a and h_a > h_b:  # the greatest product on the segment
        slope = (h_a - h_b) / (g_b - g_a)
        g = min(max(0.5 * (h_b + slope * g_b) / slope, g_a), g_b)
        share = (g_b - g) / (g_b - g_a)
    elif h_b * g_b > h_a * g_a:
        share = 0.0
    h, g = share * h_a + (1.0 - share) * h_b, share * g_a + (1.0 - share) * g_b
    out[0], out[1], out[2], out[4], out[7] = h, g, h * g, at, share
    out[3] = max(upper, h * g)
    return 1 if h > 0.0 and h * g > threshold else 0


@njit
def bounds(examples, omega, ids, outs):
    """sum_i omega_i of the upper bounds on H_i."""
    total = 0.0
    for j in range(ids.size):
        total += omega[ids[j]] * outs[j, 6]
    return total


@njit
def steps(
    calls, examples, rows, atoms, w, reg, kind, solved, most_idle, ids, first, last, labels, labels_at, outs, found, gaps, work
):  # fmt: skip
    """Make the dual steps of examples ids[first:last] in order; candidates from `answers` join as atoms where found is 1.

    kind is TOWARD (a Frank-Wolfe step), PAIRWISE (pairwise steps until the block's gap is the share `solved` of what it was; one
    step where that is 1) or KEEP (no step: the candidates are kept without weight). `gaps` gets each block's gap before its
    steps. `work` is zero, of w's size. No id may occur twice. Returns the gain of the dual and about how many operations it took.
    """
    most_rows, most_parts = _most_rows(examples, ids, first, last), 0
    for j in range(first, last):
        most_parts = max(most_parts, calls.most_parts[ids[j]])
    theta = np.empty(most_rows * rows.width)
    field = np.zeros(most_rows * rows.width + calls.n_shared)
    mark, seen = np.zeros(field.size), np.zeros(field.size, np.uint8)
    parts, places = np.empty(3 * most_parts + 3, np.int64), np.empty(field.size, np.int64)
    counts = np.empty(field.size)
    members = np.empty(32, np.int64)
    alpha, slope, before, q = np.empty(32), np.empty(32), np.empty(32), np.empty((32, 32))
    shared_weights = w[w.size - calls.n_shared :]
    per_place = rows.n_features / 8.0 if not rows.sparse else rows.data.size / max(rows.indptr.size - 1, 1)
    gain, operations = 0.0, 0.0
    for j in range(first, last):
        i = ids[j]
        own = (examples.rows_at[i + 1] - examples.rows_at[i]) * rows.width
        if found[j]:
            g = outs[j, 1]
            fresh = keep(
                calls.parts, calls.shared, examples.targets[examples.targets_at[i] : examples.targets_at[i + 1]],
                examples.truth[examples.truth_at[i] : examples.truth_at[i + 1]], atoms, i, labels[labels_at[j] : labels_at[j + 1]],
                outs[j, 7], 1.0 if calls.rescaling == MARGIN else g, g, mark, parts,
            )  # fmt: skip
            if kind == PAIRWISE and fresh >= 0:
                operations += _add_row(rows, examples, atoms, i, own, work, field)
        m, a = 1, atoms.head[i]
        if a < 0:
            gaps[i] = 0.0
            continue
        n_places = touched(atoms, i, seen, places)
        potentials_at(rows, w, examples.rows_at[i], own, places, n_places, theta)
        alpha[0], slope[0], members[0], mean = 1.0, 0.0, -1, 0.0
        while a >= 0:
            if m == members.size:
                members, alpha, slope, before = longer(members), longer(alpha), longer(slope), longer(before)
                q = np.empty((2 * m, 2 * m))
            members[m], alpha[m] = a, atoms.numbers[a, ALPHA]
            slope[m] = value(atoms, a, theta, shared_weights, own)
            alpha[0] -= alpha[m]
            mean += alpha[m] * slope[m]
            operations += atoms.links[a, LENGTH]
            m += 1
            a = atoms.links[a, NEXT]
        operations += n_places * per_place
        m = _useful(atoms, members, alpha, slope, m, mean)
        alpha[0] = max(alpha[0], 0.0)
        gap = block_gap(alpha, slope, m)
        gaps[i] = gap
        if gap > _NOISE * mean and m > 1 and kind != KEEP:
            for b in range(m):
                before[b] = alpha[b]
            r = examples.omega[i] / reg
            if kind == TOWARD:
                more = _toward(
                    rows, examples, atoms, i, own, members, alpha, slope, m, gap, r, places, n_places, counts, work, field
                )
            else:
                known_products(atoms, members, m, q)
                operations += m * m
                if solved < 1.0:
                    more = solve_simplex(alpha, slope, q, m, r, solved * gap, 8 * m)
                else:
                    more = pairwise_step(alpha, slope, q, m, r)
            gain += examples.omega[i] * more
            _move(rows, examples, atoms, w, r, i, own, members, before, alpha, m, field, places, n_places)
            operations += n_places * per_place
        drop_idle(atoms, i, most_idle)
    return gain, operations


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
def _toward(rows, examples, atoms, i, own, members, alpha, slope, m, gap, r, places, n_places, counts, work, field):
    """The Frank-Wolfe step towards the steepest member, by exact line search, from |A'(D_up - D)|^2 alone. Returns the gain."""
    up = 0
    for a in range(1, m):
        if slope[a] > slope[up]:
            up = a
    for a in range(1, m):  # field = D_up - D
        x = (1.0 if a == up else 0.0) - alpha[a]
        if x != 0.0:
            _spread(atoms, members[a], x, field)
    for j in range(n_places):
        counts[j] = field[places[j]]
        field[places[j]] = 0.0
    products = examples.products[examples.products_at[i] : examples.products_at[i + 1]]
    image(rows, products, examples.rows_at[i], own, places[:n_places], counts[:n_places], work, field)
    bend = 0.0
    for j in range(n_places):
        bend += counts[j] * field[places[j]]
    _clear(rows, products, own, places[:n_places], field)
    bend *= r
    size = 1.0 if bend <= gap else gap / bend
    for a in range(m):
        alpha[a] = 0.0 if size == 1.0 else alpha[a] * (1.0 - size)
    alpha[up] += size
    return size * (gap - 0.5 * bend * size)


@njit
def _spread(atoms, a, x, field):
    """field += x * scale * D of an atom."""
    x *= atoms.numbers[a, SCALE]
    start = atoms.links[a, START]
    for j in range(start, start + atoms.links[a, LENGTH]):
        field[atoms.places[j]] += x * atoms.counts[j]


@njit
def _add_row(rows, examples, atoms, i, own, work, field):
    """The newest atom's row: <A' s D_a, A' s D_b> with itself and the older ones. Returns the operations.

    `field` (own + shared) is zero and is left so.
    """
    a = atoms.head[i]
    products = examples.products[examples.products_at[i] : examples.products_at[i + 1]]
    start, end = atoms.links[a, START], atoms.links[a, START] + atoms.links[a, LENGTH]
    image(rows, products, examples.rows_at[i], own, atoms.places[start:end], atoms.counts[start:end], work, field)
    b, r, seen = a, atoms.used[CROSSES], 0
    while b >= 0:
        first, total = atoms.links[b, START], 0.0
        for j in range(first, first + atoms.links[b, LENGTH]):
            total += atoms.counts[j] * field[atoms.places[j]]
        atoms.cross[r], atoms.with_whom[r] = total * atoms.numbers[a, SCALE] * atoms.numbers[b, SCALE], atoms.links[b, SERIAL]
        seen += atoms.links[b, LENGTH]
        r += 1
        b = atoms.links[b, NEXT]
    atoms.links[a, ROW], atoms.links[a, ROW_LENGTH] = atoms.used[CROSSES], r - atoms.used[CROSSES]
    atoms.used[CROSSES] = r
    _clear(rows, products, own, atoms.places[start:end], field)
    return seen + (end - start) * (1 + own // rows.width)


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
def _move(rows, examples, atoms, w, r, i, own, members, before, alpha, m, field, places, n_places):
    """Write the new alphas and move w along A_i' of the change, each place once. `field` is zero and is left so."""
    for b in range(1, m):
        if alpha[b] != before[b]:
            atoms.numbers[members[b], ALPHA] = alpha[b]
            _spread(atoms, members[b], r * (alpha[b] - before[b]), field)
    for j in range(n_places):
        p = places[j]
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
def accumulate(calls, examples, rows, ids, first, last, labels, labels_at, outs, found, factor, u):
    """u += factor sum_i omega_i A_i' s (parts(y_i) - parts(y)) over the answers found: where their planes point.

    Returns factor times the sum of omega_i offset. The cost is that of the answers' parts.
    """
    most = 0
    for j in range(first, last):
        most = max(most, calls.most_parts[ids[j]])
    parts, total = np.empty(most + 1, np.int64), 0.0
    for j in range(first, last):
        if not found[j]:
            continue
        i = ids[j]
        own = (examples.rows_at[i + 1] - examples.rows_at[i]) * rows.width
        target = examples.targets[examples.targets_at[i] : examples.targets_at[i + 1]]
        truth = examples.truth[examples.truth_at[i] : examples.truth_at[i + 1]]
        label, g = labels[labels_at[j] : labels_at[j + 1]], outs[j, 1]
        x = factor * examples.omega[i]
        total += x * g
        x *= 1.0 if calls.rescaling == MARGIN else g
        for p in parts[: parts_of(calls.parts, calls.shared, target, truth, parts)]:
            add(rows, u, examples.rows_at[i], own, p, x)
        size = truth.size
        for k in range(label.size // size):
            share = outs[j, 7] if k == 0 else 1.0 - outs[j, 7]
            for p in parts[: parts_of(calls.parts, calls.shared, target, label[k * size : (k + 1) * size], parts)]:
                add(rows, u, examples.rows_at[i], own, p, -x * share)
    return total


@njit
def descend(
    calls, examples, rows, atoms, u, offsets, reg, t, batch_size, pool, tol, ids, first, last, lams, labels, labels_at, outs, found
):  # fmt: skip
    """Pegasos over examples ids[first:last] in batches: w = u / (reg t), t visits so far. Returns the sum of offsets met so far."""
    while first < last:
        end = min(first + batch_size, last)
        scale = 1.0 / (reg * t) if t > 0 else 0.0
        prepared(calls, u, scale, pool)
        answers(calls, examples, rows, atoms, u, scale, pool, tol, 0.0, ids, first, end, lams, labels, labels_at, outs, found)
        offsets += accumulate(calls, examples, rows, ids, first, end, labels, labels_at, outs, found, float(ids.size), u)
        t += end - first
        first = end
    return offsets


@njit
def best_kept(calls, examples, rows, atoms, w, u):
    """u += sum_i omega_i A_i' s D of each example's best atom at w, or of its target's zero plane; returns the sum of offsets."""
    most_rows, total = 0, 0.0
    for i in range(atoms.head.size):
        most_rows = max(most_rows, examples.rows_at[i + 1] - examples.rows_at[i])
    size = most_rows * rows.width + calls.n_shared
    theta, seen, places = np.empty(most_rows * rows.width), np.zeros(size, np.uint8), np.empty(size, np.int64)
    for i in range(atoms.head.size):
        a = atoms.head[i]
        if a < 0:
            continue
        own = (examples.rows_at[i + 1] - examples.rows_at[i]) * rows.width
        potentials_at(rows, w, examples.rows_at[i], own, places, touched(atoms, i, seen, places), theta)
        top, arg = 0.0, -1
        while a >= 0:
            here = value(atoms, a, theta, w[w.size - calls.n_shared :], own)
            if here > top:
                top, arg = here, a
            a = atoms.links[a, NEXT]
        if arg >= 0:
            total += examples.omega[i] * atoms.numbers[arg, OFFSET]
            start, x = atoms.links[arg, START], examples.omega[i] * atoms.numbers[arg, SCALE]
            for j in range(start, start + atoms.links[arg, LENGTH]):
                add(rows, u, examples.rows_at[i], own, atoms.places[j], x * atoms.counts[j])
    return total
