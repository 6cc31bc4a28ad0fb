"""Assignments of rows to different columns: shortest augmenting paths, and branch and bound over them (NOTES C.6).

One example: shared = (zero-one, 0, 0, 0, most assignments); pool = (scale); target = (n, m, sum of weights, y (n), weights (n));
theta = scores (n, m), n <= m, -inf for forbidden pairs. The loss is scale * the weight of the rows whose column is wrong.

A node of the search tree forbids some pairs. The best assignment at a multiplier comes with prices of rows and columns; what a
pair costs beyond its prices is what every assignment that uses it loses at least, so that most pairs are soon forbidden.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import carray

from .asking import BAND, CONE, GREATEST_G, GREATEST_H, PLANE
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
    VALUE,
    Aim,
    H,
    aimed,
    bounded,
    close_in,
    divided,
    nearer,
    still,
    took,
)  # fmt: skip
from .compiling import njit
from .heap import pop, push

__all__ = ["answer", "assign", "best", "decode", "parts", "prepare"]

_SIZE = 8
_ASKS = 12  # of a node


class _Pairs(NamedTuple):
    """One example, and room: the costs of the question, prices of columns and rows, who has whom, distances and predecessors."""

    scores: Any
    y: Any
    weight: Any
    table: Any
    step: int
    size: float
    cost: Any
    price: Any
    level: Any
    room: Any


@njit
def assign(cost, price, level, column, row, distance, before, done):
    """The assignment of least cost (n, m), n <= m: column (n). Returns False where there is none.

    For n = m the prices of columns are kept from the last question; then few rows need a path, of O(n m) each. For n < m they
    must be zero at the start, so that columns that are left over have none. cost - level - price >= 0 afterwards, 0 where assigned.
    """
    n, m = cost.shape
    for j in range(m):
        row[j] = -1
        price[j] = price[j] if n == m else 0.0
    for i in range(n):
        level[i], column[i] = np.inf, -1
        for j in range(m):
            level[i] = min(level[i], cost[i, j] - price[j])
        if level[i] == np.inf:
            return False
        for j in range(m):
            if column[i] < 0 and row[j] < 0 and cost[i, j] - price[j] == level[i]:
                column[i], row[j] = j, i
    for first in range(n):
        if column[first] >= 0:
            continue
        for j in range(m):
            distance[j], before[j], done[j] = max(cost[first, j] - level[first] - price[j], 0.0), first, False
        while True:
            end = -1
            for j in range(m):
                if not done[j] and distance[j] < np.inf and (end < 0 or distance[j] < distance[end]):
                    end = j
            if end < 0:
                return False
            if row[end] < 0:
                break
            done[end] = True
            i = row[end]
            for j in range(m):
                if not done[j]:
                    x = distance[end] + max(cost[i, j] - level[i] - price[j], 0.0)
                    if x < distance[j]:
                        distance[j], before[j] = x, i
        for j in range(m):
            if done[j]:
                price[j] += distance[j] - distance[end]
                level[row[j]] += distance[end] - distance[j]
        level[first] += distance[end]
        j, i = end, -1
        while i != first:
            i = before[j]
            row[j] = i
            j, column[i] = column[i], j
    return True


@njit
def _room(m):
    return np.empty(m, np.int64), np.empty(m), np.empty(m, np.int64), np.empty(m, np.bool_)


@njit
def _ask(pairs, base, a, allowed, z):
    """The assignment of greatest score with a bonus a per unit of loss, among allowed pairs. Returns False where there is none."""
    n, m = pairs.scores.shape
    for i in range(n):
        for j in range(m):
            x = base[i, j] + (a * pairs.weight[i] if j != pairs.y[i] else 0.0)
            pairs.cost[i, j] = -x if allowed[i * m + j] else np.inf
    row, distance, before, done = pairs.room
    return assign(pairs.cost, pairs.price, pairs.level, z, row, distance, before, done)


@njit
def _read(pairs, z, run):
    """h and the code of an assignment into the run."""
    h, wrong = 1.0, 0.0
    for i in range(z.size):
        if z[i] != pairs.y[i]:
            h += pairs.scores[i, z[i]] - pairs.scores[i, pairs.y[i]]
            wrong += pairs.weight[i]
    run[H], run[FP], run[FN] = h, wrong, 0.0


@njit
def _span(pairs, allowed, span):
    """The least and the greatest loss, in units, of allowed pairs. Returns whether some row has a choice."""
    n, m = pairs.scores.shape
    span[0], span[1], span[2], span[3] = 0.0, 0.0, 0.0, 0.0
    choice = False
    for i in range(n):
        right, wrong = 0, 0
        for j in range(m):
            if allowed[i * m + j]:
                if j == pairs.y[i]:
                    right += 1
                else:
                    wrong += 1
        span[0] += 0.0 if right else pairs.weight[i]
        span[1] += pairs.weight[i] if wrong else 0.0
        choice = choice or right + wrong > 1
    return choice


@njit
def _fix(pairs, aim, run, a, least, allowed, span):
    """Forbid every pair that costs so much that no assignment with it can matter. Returns whether some row keeps a choice."""
    n, m = pairs.scores.shape
    h = run[H] if aim.mode != MOST else 0.0
    room = h - least + 8.0 * EPS * (abs(a) * span[1] + abs(h) + pairs.size)
    for i in range(n):
        for j in range(m):
            if allowed[i * m + j] and pairs.cost[i, j] - pairs.level[i] - pairs.price[j] > room:
                allowed[i * m + j] = 0
    return _span(pairs, allowed, span)


@njit
def _visit(pairs, aim, base, run, allowed, start, bound, need, above, span, label, work):
    """Ask assignments at one node. Returns its bound, -inf where nothing can matter; work = (z, ends, (row, column, a))."""
    z, ends, split = work
    n, m = pairs.scores.shape
    known, top = np.zeros((3, 3)), np.empty(3)
    _span(pairs, allowed, span)
    for c in range(int(span[0]), int(span[1]) + 1):
        above[c] = np.inf
    a = nearer(pairs, start)
    if aim.mode == PRODUCT and span[0] == 0.0:
        known[0, 0], known[0, 1] = 1.0, 1.0  # the target
    for i in range(n):
        ends[0, i], ends[1, i] = pairs.y[i], pairs.y[i]
    for k in range(_ASKS):
        run[ASKED] += 1.0
        split[2] = a
        if not _ask(pairs, base, a, allowed, z):
            return -np.inf
        _read(pairs, z, run)
        h, fp = run[H] if aim.mode != MOST else 0.0, run[FP]
        took(pairs, aim, run, z, need, label)
        bound = min(bound, bounded(pairs, aim, run, span, a, 0.0, need, above, top))
        if bound <= run[GOAL] or not _fix(pairs, aim, run, a, top[2], allowed, span):
            return -np.inf
        side = 0 if fp < top[0] else 1
        for i in range(n):
            ends[side, i] = z[i]
        if run[ASKED] >= aim.most or fp == top[0]:
            break
        a = close_in(pairs, aim, known, side, k, h, fp, a, start)
        if np.isnan(a):
            break
    bound = min(bound, still(pairs, aim, span, need, above))
    if bound <= run[GOAL]:
        return -np.inf
    split[0] = -1.0
    farthest = -1.0
    for i in range(n):
        choices = 0
        for j in range(m):
            choices += allowed[i * m + j]
        if choices > 1 and allowed[i * m + z[i]]:
            p, q = ends[0, i], ends[1, i]
            x = 1.0 + abs(base[i, p] - base[i, q]) if p != q and min(base[i, p], base[i, q]) > -np.inf else 0.0
            if x > farthest:
                farthest, split[0], split[1] = x, i, z[i]
    return bound


@njit
def _hunt(pairs, base, mode, lam, lo, hi, threshold, tol, most, a, label, run):
    """The best assignment by branch and bound, into `label`. Returns an upper bound on what assignments can be worth."""
    n, m = base.shape
    aim = Aim(mode, lam, lo, hi, threshold, tol, most)
    run[VALUE], run[FOUND], run[ASKED], run[FIRST] = 0.0 if mode == PRODUCT else -np.inf, 0.0, 0.0, -1.0
    need, above, span, split = np.empty(pairs.table.size), np.empty(pairs.table.size), np.empty(4), np.empty(3)
    aimed(pairs, aim, run, need)
    work = np.empty(n, np.int64), np.empty((2, n), np.int64), split
    nodes, now = np.ones((4, n * m), np.int8), np.ones(n * m, np.int8)
    for i in range(n):
        for j in range(m):
            nodes[0, i * m + j] = 1 if base[i, j] > -np.inf else 0
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
        for p in range(n * m):
            now[p] = nodes[slot, p]
        upper = _visit(pairs, aim, base, run, now, row[3], upper, need, above, span, label, work)
        if pushed == 1:
            run[FIRST] = split[2]
        if upper == -np.inf:
            continue
        nodes = divided(nodes, slot, used, now, int(split[0]), int(split[1]), m)  # row i has column j, or has not
        for child in (slot, used):
            row[0], row[1], row[2], row[3] = upper, float(pushed), float(child), split[2]
            heap = push(heap, size, row)
            size += 1
            pushed += 1
        used += 1
    if run[FOUND] > 0.0:
        _read(pairs, label, run)
    goal = max(run[VALUE] * (1.0 + tol), threshold) if mode == PRODUCT else run[VALUE]
    return max(cut_off, goal)


@njit
def _other(pairs, threshold, label, run):
    """The assignment of greatest h but the target, if that is above the threshold: each row in turn is denied its true column."""
    n, m = pairs.scores.shape
    z, allowed, best = np.empty(n, np.int64), np.ones(n * m, np.int8), threshold
    run[FOUND], run[ASKED] = 0.0, 1.0
    for i in range(n):
        for j in range(m):
            allowed[i * m + j] = 1 if pairs.scores[i, j] > -np.inf else 0
    for i in range(-1, n):
        if i >= 0:
            allowed[i * m + pairs.y[i]] = 0
        if _ask(pairs, pairs.scores, 0.0, allowed, z):
            same = True
            for p in range(n):
                same = same and z[p] == pairs.y[p]
            _read(pairs, z, run)
            if not same and run[H] > best:
                best, run[FOUND] = run[H], 1.0
                for p in range(n):
                    label[p] = z[p]
            if i < 0 and not same:
                break
        if i >= 0:
            allowed[i * m + pairs.y[i]] = 1
    run[H] = best


@njit
def _example(shared, pool, target, theta):
    """One example from the pointers' data, whether its loss is zero-one, and the limit of assignments."""
    head, ends = carray(shared, 5), carray(target, 3)
    n, m, zero_one = ends[0], ends[1], head[0] > 0
    own, scale = carray(target, 3 + 2 * n), carray(pool, 1)[0]
    table, weight, size = np.empty(2 if zero_one else ends[2] + 1), np.empty(n), 1.0
    for c in range(table.size):
        table[c] = scale * c
    scores = carray(theta, n * m).reshape(n, m)
    for i in range(n):
        weight[i] = float(own[3 + n + i])
        greatest, least = 0.0, 0.0
        for j in range(m):
            if scores[i, j] > -np.inf:
                greatest, least = max(greatest, scores[i, j]), min(least, scores[i, j])
        size += greatest - least
    pairs = _Pairs(scores, own[3 : 3 + n], weight, table, 1, size, np.empty((n, m)), np.zeros(m), np.empty(n), _room(m))
    return pairs, zero_one, head[4]


@njit
def _allowed(pairs, allowed):
    n, m = pairs.scores.shape
    for i in range(n):
        for j in range(m):
            allowed[i * m + j] = 1 if pairs.scores[i, j] > -np.inf else 0


def best(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """Direct exact argmax; see `compiling.BEST`."""
    pairs, zero_one, most = _example(shared, pool, target, theta)
    return _solved(pairs, zero_one, rescaling, lam, threshold, tol, most, carray(label, pairs.y.size), carray(out, 6))


@njit
def _solved(pairs, zero_one, rescaling, lam, threshold, tol, most, kept, result):
    run, scale = np.zeros(_SIZE), pairs.table[1] if pairs.table.size > 1 else 0.0
    result[0], result[1], result[2], result[3], result[4], result[5] = 1.0, 0.0, 0.0, 0.0, lam, 0.0
    upper = -np.inf
    if zero_one:
        _other(pairs, threshold / scale if rescaling else threshold + 1.0 - scale, kept, run)
        upper = threshold if run[FOUND] == 0.0 else -np.inf
        run[FP] = 1.0
    elif rescaling == 0:
        allowed = np.empty(pairs.scores.size, np.int8)
        _allowed(pairs, allowed)
        _ask(pairs, pairs.scores, scale, allowed, kept)
        _read(pairs, kept, run)
        run[FOUND], run[ASKED] = 1.0, 1.0
    else:
        limit = float(most) if most > 0 else np.inf
        upper = _hunt(pairs, pairs.scores, PRODUCT, lam, 0.0, 0.0, threshold, tol, limit, lam * scale, kept, run)
        if run[FIRST] > 0.0 and scale > 0.0:
            result[4] = run[FIRST] / scale
    result[5] = run[ASKED]
    value = 0.0
    if run[FOUND] > 0.0:
        g = pairs.table[int(run[FP])]
        value = run[H] * g if rescaling else run[H] - 1.0 + g
        upper = max(upper, value)
        result[0], result[1], result[2] = run[H], g, value
    result[3] = max(upper, 0.0)
    if run[FOUND] > 0.0 and value > threshold:
        return 1
    result[0], result[1], result[2] = 1.0, 0.0, 0.0
    return 0


def answer(kind, lam, region, shared, pool, target, theta, label, point):
    """The lambda-oracle and bands of loss; see `asking`. A plane is one assignment, a band a branch and bound."""
    if kind == CONE:
        return -1
    pairs, zero_one, _ = _example(shared, pool, target, theta)
    return _answered(pairs, zero_one, kind, lam, carray(region, 2), carray(label, pairs.y.size), carray(point, 2))


@njit
def _answered(pairs, zero_one, kind, lam, ends, kept, spot):
    run, scale = np.zeros(_SIZE), pairs.table[1] if pairs.table.size > 1 else 0.0
    if zero_one:
        _other(pairs, -np.inf, kept, run)
        wrong = run[FOUND] > 0.0 and (kind != BAND or ends[0] < scale < ends[1])
        right = kind != BAND or ends[0] < 0.0 < ends[1]
        bonus = np.inf if kind == GREATEST_G else 0.0 if kind == GREATEST_H else lam * scale
        if wrong and (not right or run[H] + bonus > 1.0):
            spot[0], spot[1] = run[H], scale
            return 1
        spot[0], spot[1] = 1.0, 0.0
        for i in range(kept.size):
            kept[i] = pairs.y[i]
        return 1 if right else 0
    if kind == BAND:
        _hunt(pairs, pairs.scores, INSIDE, lam, ends[0], ends[1], 0.0, 0.0, np.inf, lam * scale, kept, run)
        if run[FOUND] == 0.0:
            return 0
    else:
        allowed, base = np.empty(pairs.scores.size, np.int8), pairs.scores.copy()
        _allowed(pairs, allowed)
        for i in range(base.shape[0]):
            for j in range(base.shape[1]):
                if kind == GREATEST_G:
                    base[i, j] = 0.0
        _ask(pairs, base, 1.0 if kind == GREATEST_G else lam * scale if kind == PLANE else 0.0, allowed, kept)
        _read(pairs, kept, run)
    spot[0], spot[1] = run[H], pairs.table[int(run[FP])]
    return 1


def parts(shared, target, label, out):
    """The pairs; see `compiling.PARTS`."""
    ends = carray(target, 3)
    n, m = ends[0], ends[1]
    columns, places = carray(label, n), carray(out, n)
    for i in range(n):
        places[i] = i * m + columns[i]
    return n


def prepare(shared, weights, pool):
    """Matchings share no weights behind the loss; see `compiling.PREPARE`."""
    return 0


@njit
def decode(scores, label):
    """The assignment of greatest score. Returns False where there is none."""
    n, m = scores.shape
    row, distance, before, done = _room(m)
    return assign(-scores, np.zeros(m), np.empty(n), label, row, distance, before, done)
