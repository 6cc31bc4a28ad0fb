r"""Atoms: the few labels of each example that have, or lately had, a dual weight (docs/decisions/0002).

An atom is a plane with its weight alpha: at weights of potentials theta the plane's value is
:math:`offset - s \langle \hat D, \theta \rangle` with :math:`\hat D = parts(y_i) - parts(y)` sparse in potential space. For slack
rescaling s = offset = g(y); for margin s = 1 and offset = g(y); for the hull surrogate D mixes two labels. The target's own
plane is zero.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import carray

from .asking import parts_of
from .compiling import njit

__all__ = ["Atoms", "compacted", "counted", "drop_idle", "keep", "known_products", "linear", "longer", "touched", "value"]

ALPHA, SCALE, OFFSET = range(3)
NEXT, START, LENGTH, IDLE, SERIAL, ROW, ROW_LENGTH = range(7)
SLOTS, FREE, PLACES, CROSSES, SERIALS = range(5)


class Atoms(NamedTuple):
    r"""All atoms, as lists, newest first: `head` of each example's, and its `length`.

    Per slot the numbers (alpha, scale, offset) and links (next, start and length of D, idle, serial, start and length of its row of
    inner products); D by places and counts, end to end; `cross` holds :math:`\langle A' s D_a, A' s D_b \rangle` of an atom with
    itself and with those that were older, named by the serials in `with_whom`, newest first; `used` = (slots, head of the free
    slots, places, crosses, serials).
    """

    head: Any
    length: Any
    numbers: Any
    links: Any
    places: Any
    counts: Any
    cross: Any
    with_whom: Any
    used: Any


@njit
def value(atoms, a, theta, shared_weights, own):
    """The value of an atom's plane at weights of potentials theta (own) and shared weights."""
    total = 0.0
    first = atoms.links[a, START]
    for j in range(first, first + atoms.links[a, LENGTH]):
        p = atoms.places[j]
        total += atoms.counts[j] * (theta[p] if p < own else shared_weights[p - own])
    return atoms.numbers[a, OFFSET] - atoms.numbers[a, SCALE] * total


@njit
def keep(parts_kernel, shared, target, truth, atoms, i, labels, share, scale, offset, mark, parts):
    """Make an atom at the head of example i's list, or return -1 if it is there; room must be. `mark` is zero and is left so.

    `labels` holds one label of truth's size, of weight one; or two, of weights share and 1 - share.
    """
    size = truth.size
    first = end = atoms.used[PLACES]
    n_true = parts_of(parts_kernel, shared, target, truth, parts)
    n = n_true
    for j in range(n_true):
        mark[parts[j]] += 1.0
    for k in range(labels.size // size):
        weight = share if k == 0 else 1.0 - share
        more = parts_of(parts_kernel, shared, target, labels[k * size : (k + 1) * size], parts[n:])
        for j in range(n, n + more):
            mark[parts[j]] -= weight
        n += more
    for j in range(n):
        if mark[parts[j]] != 0.0:
            atoms.places[end], atoms.counts[end] = parts[j], mark[parts[j]]
            mark[parts[j]] = 0.0
            end += 1
    if _known(atoms, i, scale, offset, first, end):
        return -1
    a = atoms.used[FREE]
    if a >= 0:
        atoms.used[FREE] = atoms.links[a, NEXT]
    else:
        a = atoms.used[SLOTS]
        atoms.used[SLOTS] += 1
    atoms.used[PLACES] = end
    atoms.numbers[a, ALPHA], atoms.numbers[a, SCALE], atoms.numbers[a, OFFSET] = 0.0, scale, offset
    atoms.links[a, NEXT], atoms.links[a, START] = atoms.head[i], first
    atoms.links[a, LENGTH], atoms.links[a, IDLE] = end - first, 0
    atoms.links[a, SERIAL], atoms.links[a, ROW], atoms.links[a, ROW_LENGTH] = atoms.used[SERIALS], atoms.used[CROSSES], 0
    atoms.used[SERIALS] += 1
    atoms.head[i] = a
    atoms.length[i] += 1
    return a


@njit
def _known(atoms, i, scale, offset, first, end):
    """Whether example i has the plane whose D is written at first..end: rounding lets a label beat its own atom."""
    a = atoms.head[i]
    while a >= 0:
        start, same = atoms.links[a, START], atoms.links[a, LENGTH] == end - first
        same = same and atoms.numbers[a, SCALE] == scale and atoms.numbers[a, OFFSET] == offset
        for j in range(end - first if same else 0):
            if atoms.places[start + j] != atoms.places[first + j] or atoms.counts[start + j] != atoms.counts[first + j]:
                same = False
                break
        if same:
            return True
        a = atoms.links[a, NEXT]
    return False


@njit
def drop_idle(atoms, i, most_idle):
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
            atoms.length[i] -= 1
        else:
            before = a
        a = after


@njit
def touched(atoms, i, seen, out):
    """Write the places that the atoms of an example speak of, each once, and return their number; `seen` is 0 and is left so."""
    n, a = 0, atoms.head[i]
    while a >= 0:
        start = atoms.links[a, START]
        for j in range(start, start + atoms.links[a, LENGTH]):
            p = atoms.places[j]
            if seen[p] == 0:
                seen[p] = 1
                out[n] = p
                n += 1
        a = atoms.links[a, NEXT]
    for j in range(n):
        seen[out[j]] = 0
    return n


@njit
def linear(atoms, omega):
    """sum_i omega_i alpha . offset, the linear part of the dual, and the number of atoms with weight."""
    total, active = 0.0, 0
    for i in range(atoms.head.size):
        block, a = 0.0, atoms.head[i]
        while a >= 0:
            block += atoms.numbers[a, ALPHA] * atoms.numbers[a, OFFSET]
            active += atoms.numbers[a, ALPHA] > 0.0
            a = atoms.links[a, NEXT]
        total += omega[i] * block
    return total, active


@njit
def known_products(atoms, members, m, q):
    """q[a, b] of the member atoms 1..m - 1, newest first, from their rows; row and column 0 are the target's zero plane."""
    for a in range(m):
        q[0, a] = q[a, 0] = 0.0
    for a in range(1, m):
        r = atoms.links[members[a], ROW]
        for b in range(a, m):
            serial = atoms.links[members[b], SERIAL]
            while atoms.with_whom[r] != serial:
                r += 1
            q[a, b] = q[b, a] = atoms.cross[r]
            r += 1


@njit
def compacted(atoms, more):
    """Copy the live atoms into `more`, list order kept, with what their rows say of live atoms; it has the room."""
    slot, end, crosses = 0, 0, 0
    for i in range(atoms.head.size):
        before, a = -1, atoms.head[i]
        more.head[i], more.length[i] = -1, atoms.length[i]
        while a >= 0:
            for c in range(3):
                more.numbers[slot, c] = atoms.numbers[a, c]
            start = atoms.links[a, START]
            more.links[slot, NEXT], more.links[slot, START] = -1, end
            for c in (LENGTH, IDLE, SERIAL):
                more.links[slot, c] = atoms.links[a, c]
            for j in range(start, start + atoms.links[a, LENGTH]):
                more.places[end], more.counts[end] = atoms.places[j], atoms.counts[j]
                end += 1
            more.links[slot, ROW] = crosses
            r, b = atoms.links[a, ROW], a
            last = r + atoms.links[a, ROW_LENGTH]
            while b >= 0 and r < last:
                if atoms.with_whom[r] == atoms.links[b, SERIAL]:
                    more.cross[crosses], more.with_whom[crosses] = atoms.cross[r], atoms.with_whom[r]
                    crosses += 1
                    b = atoms.links[b, NEXT]
                r += 1
            more.links[slot, ROW_LENGTH] = crosses - more.links[slot, ROW]
            if before < 0:
                more.head[i] = slot
            else:
                more.links[before, NEXT] = slot
            before = slot
            slot += 1
            a = atoms.links[a, NEXT]
    more.used[SLOTS], more.used[FREE], more.used[PLACES] = slot, -1, end
    more.used[CROSSES], more.used[SERIALS] = crosses, atoms.used[SERIALS]


@njit
def longer(values):
    """A copy with room for as many again."""
    more = np.empty(2 * values.size, values.dtype)
    for i in range(values.size):
        more[i] = values[i]
    return more


def counted(shared, target, label, out):
    """PARTS of labels that are counts of places, as those of structures in Python are; target = (number of places)."""
    size, n = carray(target, 1)[0], 0
    counts = carray(label, size)
    total = 0
    for p in range(size):
        total += counts[p]
    places = carray(out, total)
    for p in range(size):
        for _ in range(counts[p]):
            places[n] = p
            n += 1
    return n
