"""States on any graph: minimum cuts where two states attract, else branch and bound over a dual bound (NOTES C.5).

One example: shared = (K, zero-one, pairwise per edge, 0, most relaxations); pool = (scale, pairwise (K, K)); target = (n, m, sum of
weights, y (n), weights (n), first ends (m), second ends (m)); theta = unary (n, K), then pairwise per edge (m, K, K) where it is
the example's own. The loss is scale * the weight of wrong nodes.

The dual bound is a reparametrisation: scores move between edges and their ends until no move lowers the sum of the maxima
(handshakes: Tourani, Shekhovtsov, Rother, Savchynskyy, 2018). What a state lies below the best one of its node is what every
label with it loses at least, so that most states are soon ruled out. Edges and nodes keep their moves from question to question.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import carray

from .asking import BAND, CONE, GREATEST_G, GREATEST_H
from .branching import (
    ASKED,
    EPS,
    FIRST,
    FN,
    FOUND,
    FP,
    GOAL,
    INSIDE,
    MOST,
    PRODUCT,
    SUM,
    VALUE,
    Aim,
    H,
    aimed,
    bounded,
    close_in,
    divided,
    linear,
    nearer,
    still,
    took,
)  # fmt: skip
from .compiling import njit
from .cuts import answered, cuts, solved
from .flow import network
from .heap import pop, push

__all__ = ["answer", "best", "parts", "prepare"]

_SIZE = 8
_ASKS = 8  # questions of a node
_SWEEPS = 24  # of a question


class _States(NamedTuple):
    """One example; `moved` (n, K) and `edge` (m, K, K) are the scores after all moves, `now` (n, K) those of the question."""

    unary: Any
    pairwise: Any
    ends: Any
    y: Any
    weight: Any
    table: Any
    step: int
    size: float
    moved: Any
    edge: Any
    now: Any


@njit
def _handshake(states, e, allowed):
    """Move all that edge e and its ends have into the ends: half to the first, what is left to the second, the rest back."""
    u, v = states.ends[0, e], states.ends[1, e]
    n_states = states.now.shape[1]
    table, now = states.edge[e], states.now
    for x in range(n_states):
        if allowed[u * n_states + x]:
            top = -np.inf
            for z in range(n_states):
                if allowed[v * n_states + z]:
                    top = max(top, table[x, z] + now[v, z])
            half = 0.5 * (now[u, x] + top)
            _shift(states, table, u, x, half - now[u, x], True)
    for z in range(n_states):
        if allowed[v * n_states + z]:
            top = -np.inf
            for x in range(n_states):
                if allowed[u * n_states + x]:
                    top = max(top, table[x, z])
            _shift(states, table, v, z, top, False)
    for x in range(n_states):
        if allowed[u * n_states + x]:
            top = -np.inf
            for z in range(n_states):
                if allowed[v * n_states + z]:
                    top = max(top, table[x, z])
            _shift(states, table, u, x, top, True)


@njit
def _shift(states, table, v, x, amount, first):
    """Move an amount from an edge to a state of its first or second end."""
    states.now[v, x] += amount
    states.moved[v, x] += amount
    for z in range(table.shape[0]):
        if first:
            table[x, z] -= amount
        else:
            table[z, x] -= amount


@njit
def _dual(states, allowed):
    """The sum of the maxima: no label scores more."""
    total, n_states = 0.0, states.now.shape[1]
    for v in range(states.y.size):
        top = -np.inf
        for x in range(n_states):
            if allowed[v * n_states + x]:
                top = max(top, states.now[v, x])
        total += top
    for e in range(states.ends.shape[1]):
        u, v, top = states.ends[0, e], states.ends[1, e], -np.inf
        for x in range(n_states):
            for z in range(n_states):
                if allowed[u * n_states + x] and allowed[v * n_states + z]:
                    top = max(top, states.edge[e, x, z])
        total += top
    return total


@njit
def _ask(states, base, a, allowed, label, links):
    """Bound the scores with a bonus a per unit of loss, and round to a label. Returns the bound, of absolute scores."""
    n, n_states = base.shape
    m = states.ends.shape[1]
    for v in range(n):
        for x in range(n_states):
            bonus = a * states.weight[v] if x != states.y[v] else 0.0
            states.now[v, x] = base[v, x] + bonus + states.moved[v, x] if allowed[v * n_states + x] else -np.inf
    bound = np.inf
    for sweep in range(_SWEEPS):
        for e in range(m):
            _handshake(states, e if sweep % 2 == 0 else m - 1 - e, allowed)
        lower = _dual(states, allowed)
        enough = bound - lower <= 1e-4 * abs(states.size) / max(n, 1) and sweep > 0
        bound = min(bound, lower)
        if enough or m == 0:
            break
    _rounded(states, base, a, allowed, label, links)
    return bound


@njit
def _rounded(states, base, a, allowed, label, links):
    """A label: nodes in order by what is left of their scores and of edges to earlier ones, then single changes for the better."""
    n, n_states = base.shape
    first, edge_of = links
    many = states.pairwise.shape[0] > 1
    for turn in range(3):
        for v in range(n):
            best, arg = -np.inf, -1
            for x in range(n_states):
                if not allowed[v * n_states + x]:
                    continue
                s = states.now[v, x] if turn == 0 else base[v, x] + (a * states.weight[v] if x != states.y[v] else 0.0)
                for i in range(first[v], first[v + 1]):
                    e = edge_of[i]
                    u, w = states.ends[0, e], states.ends[1, e]
                    other = w if u == v else u
                    if turn == 0 and other >= v:
                        continue
                    table = states.edge[e] if turn == 0 else states.pairwise[e if many else 0]
                    s += table[x, label[other]] if u == v else table[label[other], x]
                if s > best:
                    best, arg = s, x
            label[v] = arg


@njit
def _read(states, z, run):
    """h and the code of a label into the run, as differences from the target."""
    h, wrong = 1.0, 0.0
    for v in range(z.size):
        if z[v] != states.y[v]:
            h += states.unary[v, z[v]] - states.unary[v, states.y[v]]
            wrong += states.weight[v]
    many = states.pairwise.shape[0] > 1
    for e in range(states.ends.shape[1]):
        u, v = states.ends[0, e], states.ends[1, e]
        if z[u] != states.y[u] or z[v] != states.y[v]:
            table = states.pairwise[e if many else 0]
            h += table[z[u], z[v]] - table[states.y[u], states.y[v]]
    run[H], run[FP], run[FN] = h, wrong, 0.0


@njit
def _span(states, allowed, span):
    """The least and the greatest loss, in units, of allowed states. Returns whether some node has a choice."""
    n_states, choice = states.now.shape[1], False
    span[0], span[1], span[2], span[3] = 0.0, 0.0, 0.0, 0.0
    for v in range(states.y.size):
        right, wrong = 0, 0
        for x in range(n_states):
            if allowed[v * n_states + x]:
                if x == states.y[v]:
                    right += 1
                else:
                    wrong += 1
        span[0] += 0.0 if right else states.weight[v]
        span[1] += states.weight[v] if wrong else 0.0
        choice = choice or right + wrong > 1
    return choice


@njit
def _fix(states, room, allowed):
    """Rule out every state that lies so far below the best one of its node that no label with it can matter."""
    n_states = states.now.shape[1]
    for v in range(states.y.size):
        top = -np.inf
        for x in range(n_states):
            if allowed[v * n_states + x]:
                top = max(top, states.now[v, x])
        for x in range(n_states):
            if allowed[v * n_states + x] and top - states.now[v, x] > room:
                allowed[v * n_states + x] = 0


@njit
def _score(base, states, y):
    """The score of a label under `base` and the pairwise scores of the question."""
    total, many = 0.0, states.pairwise.shape[0] > 1
    for v in range(y.size):
        total += base[v, y[v]]
    for e in range(states.ends.shape[1]):
        total += states.pairwise[e if many else 0][y[states.ends[0, e]], y[states.ends[1, e]]]
    return total


@njit
def _visit(states, aim, base, zero, run, allowed, start, bound, need, above, span, label, work, once):
    """Ask relaxations at one node. Returns its bound, -inf where nothing can matter; work = (z, ends, (node, state, a), links)."""
    z, ends, split, links = work
    n, n_states = base.shape
    known, top = np.zeros((3, 3)), np.empty(3)
    _span(states, allowed, span)
    for c in range(int(span[0]), int(span[1]) + 1):
        above[c] = np.inf
    a = nearer(states, start)
    if aim.mode == PRODUCT and span[0] == 0.0:
        known[0, 0], known[0, 1] = 1.0, 1.0  # the target
    for v in range(n):
        ends[0, v], ends[1, v] = states.y[v], states.y[v]
    for k in range(_ASKS):
        run[ASKED] += 1.0
        split[2] = a
        upper = _ask(states, base, a, allowed, z, links) - zero + (1.0 if aim.mode != MOST else 0.0)  # of h + a code
        _read(states, z, run)
        h, fp = run[H] if aim.mode != MOST else 0.0, run[FP]
        took(states, aim, run, z, need, label)
        run[H] = max(upper - a * fp, h)
        bound = min(bound, bounded(states, aim, run, span, a, 0.0, need, above, top))
        if bound <= run[GOAL]:
            return -np.inf
        room = run[H] - top[2] + 8.0 * EPS * states.size
        _fix(states, room, allowed)
        if not _span(states, allowed, span):  # one label is left
            for v in range(n):
                for x in range(n_states):
                    z[v] = x if allowed[v * n_states + x] else z[v]
            _read(states, z, run)
            took(states, aim, run, z, need, label)
            return -np.inf
        side = 0 if fp < top[0] else 1
        for v in range(n):
            ends[side, v] = z[v]
        if run[ASKED] >= aim.most or fp == top[0] or once:
            break
        a = close_in(states, aim, known, side, k, h, fp, a, start)
        if np.isnan(a):
            break
    bound = min(bound, still(states, aim, span, need, above))
    if bound <= run[GOAL]:
        return -np.inf
    nearest = np.inf
    split[0] = -1.0
    for v in range(n):
        best, second, arg = -np.inf, -np.inf, -1
        for x in range(n_states):
            if allowed[v * n_states + x]:
                s = states.now[v, x]
                if s > best:
                    best, second, arg = s, best, x
                elif s > second:
                    second = s
        if second > -np.inf:
            gap = best - second - (states.size if ends[0, v] != ends[1, v] else 0.0)
            if gap < nearest:
                nearest, split[0], split[1] = gap, v, arg
    return bound


@njit
def _hunt(states, base, mode, lam, lo, hi, threshold, tol, most, a, label, run):
    """The best label by branch and bound, into `label`. Returns an upper bound on what labels can be worth."""
    n, n_states = base.shape
    m, aim = states.ends.shape[1], Aim(mode, lam, lo, hi, threshold, tol, most)
    run[VALUE], run[FOUND], run[ASKED], run[FIRST] = 0.0 if mode == PRODUCT else -np.inf, 0.0, 0.0, -1.0
    need, above, span, split = np.empty(states.table.size), np.empty(states.table.size), np.empty(4), np.empty(3)
    aimed(states, aim, run, need)
    first, edge_of = np.zeros(n + 1, np.int64), np.empty(2 * m, np.int64)
    for e in range(m):
        first[states.ends[0, e] + 1] += 1
        first[states.ends[1, e] + 1] += 1
    for v in range(n):
        first[v + 1] += first[v]
    free = first.copy()
    for e in range(m):
        for side in range(2):
            edge_of[free[states.ends[side, e]]] = e
            free[states.ends[side, e]] += 1
    work = np.empty(n, np.int64), np.empty((2, n), np.int64), split, (first, edge_of)
    zero, last = _score(base, states, states.y), states.table.size - 1
    once = states.table[last] == states.table[min(1, last)]
    once = once or (mode == SUM and linear(states.table, 1))  # another multiplier tells no more
    nodes, now = np.ones((4, n * n_states), np.int8), np.ones(n * n_states, np.int8)
    for v in range(n):
        for x in range(n_states):
            nodes[0, v * n_states + x] = 1 if base[v, x] > -np.inf else 0
    heap, row, size, used, pushed = np.empty((8, 4)), np.empty(4), 1, 1, 1  # bound, number, row of `nodes`, a
    row[0], row[1], row[2], row[3] = np.inf, 0.0, 0.0, a
    heap, cut_off = push(heap, 0, row), -np.inf
    while size > 0:
        pop(heap, size, row)
        size -= 1
        slot, upper = int(row[2]), row[0]
        if upper <= run[GOAL]:
            break
        if run[ASKED] >= most:
            cut_off = upper
            break
        for p in range(n * n_states):
            now[p] = nodes[slot, p]
        upper = _visit(states, aim, base, zero, run, now, row[3], upper, need, above, span, label, work, once)
        if pushed == 1:
            run[FIRST] = split[2]
        if upper == -np.inf:
            continue
        nodes = divided(nodes, slot, used, now, int(split[0]), int(split[1]), n_states)  # node v has state x, or has not
        for child in (slot, used):
            row[0], row[1], row[2], row[3] = upper, float(pushed), float(child), split[2]
            heap = push(heap, size, row)
            size += 1
            pushed += 1
        used += 1
    if run[FOUND] > 0.0:
        _read(states, label, run)
    goal = max(run[VALUE] * (1.0 + tol), threshold) if mode == PRODUCT else run[VALUE]
    return max(cut_off, goal)


@njit
def _example(shared, pool, target, theta):
    """One example from the pointers' data: scores, edges, target and loss."""
    head, sizes = carray(shared, 5), carray(target, 3)
    n_states, n, m = head[0], sizes[0], sizes[1]
    own = carray(target, 3 + 2 * n + 2 * m)
    count = n * n_states + (m * n_states * n_states if head[2] else 0)
    numbers = carray(theta, count)
    unary = numbers[: n * n_states].reshape(n, n_states)
    if head[2]:
        pairwise = numbers[n * n_states :].reshape(m, n_states, n_states)
    else:
        pairwise = carray(pool, 1 + n_states * n_states)[1:].reshape(1, n_states, n_states)
    weight, scale, size = np.empty(n), carray(pool, 1)[0], 1.0
    total = 0.0
    for v in range(n):
        weight[v] = float(own[3 + n + v])
        total += weight[v]
        most, least = 0.0, 0.0
        for x in range(n_states):
            if abs(unary[v, x]) < np.inf:
                most, least = max(most, unary[v, x]), min(least, unary[v, x])
        size += most - least
    table = np.empty(int(total) + 1)
    for c in range(table.size):
        table[c] = scale * c if not head[1] else scale * min(c, 1)
    ends = own[3 + 2 * n :].reshape(2, m)
    edge = np.empty((m, n_states, n_states))
    for e in range(m):
        one = pairwise[e if head[2] else 0]
        most, least = 0.0, 0.0
        for x in range(n_states):
            for z in range(n_states):
                edge[e, x, z] = one[x, z]
                most, least = max(most, one[x, z]), min(least, one[x, z])
        size += most - least
    moved, now = np.zeros((n, n_states)), np.empty((n, n_states))
    return _States(unary, pairwise, ends, own[3 : 3 + n], weight, table, 1, size, moved, edge, now)


@njit
def _attracts(states):
    """Whether there are two states and every edge prefers equal ones, so that cuts answer."""
    if states.now.shape[1] != 2:
        return False
    for e in range(states.pairwise.shape[0]):
        one = states.pairwise[e]
        if one[0, 0] + one[1, 1] < one[0, 1] + one[1, 0]:
            return False
    return True


@njit
def _as_cuts(states, zero_one):
    """The same example for `kernels.cuts`: what active nodes score, less a capacity where only an edge's second end is active."""
    n, m = states.y.size, states.ends.shape[1]
    base, capacity, many = np.empty(n), np.empty(m), states.pairwise.shape[0] > 1
    for v in range(n):
        base[v] = states.unary[v, 1] - states.unary[v, 0]
    for e in range(m):
        one = states.pairwise[e if many else 0]
        base[states.ends[0, e]] += one[1, 0] - one[0, 0]
        base[states.ends[1, e]] += one[1, 1] - one[1, 0]
        capacity[e] = max(one[0, 0] + one[1, 1] - one[0, 1] - one[1, 0], 0.0)
    net = network(n, states.ends[1], states.ends[0], capacity, np.zeros(m))
    table = states.table
    if zero_one and table.size < 2:
        table = np.zeros(2)
    return cuts(net, base, states.y, states.weight, np.zeros(n), table, 1)


def best(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """Direct exact argmax; see `compiling.BEST`."""
    states, head = _example(shared, pool, target, theta), carray(shared, 5)
    return _solved(states, head[1] > 0, rescaling, lam, threshold, tol, head[4], carray(label, states.y.size), carray(out, 6))


@njit
def _solved(states, zero_one, rescaling, lam, threshold, tol, most, kept, result):
    if _attracts(states):
        return solved(_as_cuts(states, zero_one), zero_one, rescaling, lam, threshold, tol, most, kept, result)
    run, limit = np.zeros(_SIZE), float(most) if most > 0 else np.inf
    scale = states.table[1] if states.table.size > 1 else 0.0
    mode, at = (PRODUCT, lam) if rescaling else (SUM, 1.0)
    result[0], result[1], result[2], result[4] = 1.0, 0.0, 0.0, lam
    upper = _hunt(states, states.unary, mode, at, 0.0, 0.0, threshold, tol, limit, 0.0 if zero_one else at * scale, kept, run)
    if rescaling and not zero_one and run[FIRST] > 0.0 and scale > 0.0:
        result[4] = run[FIRST] / scale
    if rescaling == 0:
        upper = upper - 1.0 if upper > run[VALUE] else -np.inf
    result[5] = run[ASKED]
    value = 0.0
    if run[FOUND] > 0.0:
        g = states.table[int(run[FP])]
        value = run[H] * g if rescaling else run[H] - 1.0 + g
        upper = max(upper, value)
    result[3] = max(upper, 0.0)
    if run[FOUND] > 0.0 and value > threshold:
        result[0], result[1], result[2] = run[H], states.table[int(run[FP])], value
        return 1
    return 0


def answer(kind, lam, region, shared, pool, target, theta, label, point):
    """The lambda-oracle and bands of loss; see `asking`. Where there is a limit, only decoding (greatest h) keeps to it."""
    if kind == CONE:
        return -1
    states, head = _example(shared, pool, target, theta), carray(shared, 5)
    return _answered(states, head[1] > 0, kind, lam, carray(region, 2), head[4], carray(label, states.y.size), carray(point, 2))


@njit
def _answered(states, zero_one, kind, lam, ends, most, kept, spot):
    if _attracts(states):
        return answered(_as_cuts(states, zero_one), zero_one, kind, lam, ends, kept, spot)
    run, scale = np.zeros(_SIZE), states.table[1] if states.table.size > 1 else 0.0
    if kind == GREATEST_G:  # every node has any state that is allowed
        for v in range(kept.size):
            kept[v] = states.y[v]
            for x in range(states.unary.shape[1]):
                if x != states.y[v] and states.unary[v, x] > -np.inf:
                    kept[v] = x
        _read(states, kept, run)
    else:
        mode = INSIDE if kind == BAND else SUM
        at, limit = 0.0 if kind == GREATEST_H else lam, float(most) if most > 0 and kind == GREATEST_H else np.inf
        first = 0.0 if zero_one else at * scale
        _hunt(states, states.unary, mode, at, ends[0], ends[1], 0.0, 0.0, limit, first, kept, run)
        if run[FOUND] == 0.0:
            return 0
    spot[0], spot[1] = run[H], states.table[int(run[FP])]
    return 1


def parts(shared, target, label, out):
    """A state per node, then a pair of states per edge; see `compiling.PARTS`."""
    n_states, sizes = carray(shared, 1)[0], carray(target, 3)
    n, m = sizes[0], sizes[1]
    own, y, places = carray(target, 3 + 2 * n + 2 * m), carray(label, n), carray(out, n + m)
    for v in range(n):
        places[v] = v * n_states + y[v]
    for e in range(m):
        u, v = own[3 + 2 * n + e], own[3 + 2 * n + m + e]
        places[n + e] = n * n_states + y[u] * n_states + y[v]
    return n + m


def prepare(shared, weights, pool):
    """Edge scores as they are; see `compiling.PREPARE`."""
    n_states = carray(shared, 1)[0]
    numbers, given = carray(pool, 1 + n_states * n_states), carray(weights, n_states * n_states)
    for i in range(n_states * n_states):
        numbers[1 + i] = given[i]
    return 0
