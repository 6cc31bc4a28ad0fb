"""Ancestor-closed node sets of a forest: decoding, k best, and the one-pass exact slack argmax (NOTES C.3, C.4, C.8).

Nodes stand in preorder, so that a labeling is a path through positions: at p, whose parent is on, *take* p and go on to p + 1, or
*skip* its subtree and go on to p + size[p]. What follows depends on nothing else, but, with leaves only, on a flag: whether the
parent of p still needs an active child. A skip of the last child is forbidden then. So a forest is as easy as a chain.

One example: shared = (n, leaves only, zero-one, two counters, order (n), size (n), last child (n), weight (n), their
suffix sums (n + 1)), where order[p] is
the node at position p; pool = (scale, tables of losses); target = (P, start of its table in the pool, y (n) by position); theta =
scores by node. The loss is scale * the weight of wrong nodes, or with two counters table[code], P being the number of true nodes.
Weights are real numbers, by their bits; `zero-one` is 2 where they have no common unit.
"""

import numpy as np
from numba import carray

from . import counting
from .asking import BAND, CONE, GREATEST_G, GREATEST_H, PLANE
from .compiling import njit
from .heap import grown
from .pareto import narrowed, share, thinned

__all__ = ["answer", "best", "best_by_counting", "parts", "prepare", "topk"]

_ROOM = 2.5  # partial labelings per node that the count program may visit before the next multiplier where the threshold is known,
_LESS = 0.8  # and elsewhere
S, WRONG, TRUE = range(3)  # columns by position: score, count of a false positive, suffix sums of counts of false negatives
C, FLAG, NEXT, PARENT, AT = range(1, 6)  # of a partial labeling: count, flag, next in its list, what took the node at AT to make it


@njit
def columns(order, weight, y, theta, fp_unit):
    """S, WRONG and TRUE of one example (n + 1, 3), and the target's score."""
    n = order.size
    table = np.empty((n + 1, 3))
    table[n, S], table[n, WRONG], table[n, TRUE] = 0.0, 0.0, 0.0
    total = 0.0
    for p in range(n):
        table[p, S] = theta[order[p]]
        if y[p]:
            total += table[p, S]
    for p in range(n - 1, -1, -1):
        table[p, WRONG] = 0.0 if y[p] else weight[p] * fp_unit
        table[p, TRUE] = table[p + 1, TRUE] + (weight[p] if y[p] else 0.0)
    return table, total


@njit
def backward(table, size, last, leaves, a, b, ahead):
    """Fill ahead[p, flag]: the best score of positions p.. with bonuses a per WRONG and b per TRUE. O(n)."""
    n = size.size
    ahead[n, 0], ahead[n, 1] = 0.0, 0.0
    for p in range(n - 1, -1, -1):
        q = p + size[p]
        take = table[p, S] + a * table[p, WRONG] + ahead[p + 1, 1 if leaves and size[p] > 1 else 0]
        off = b * (table[p, TRUE] - table[q, TRUE])
        skip = off + ahead[q, 0]
        ahead[p, 0] = take if take > skip else skip
        if leaves:
            ahead[p, 1] = take
            if not last[p] and off + ahead[q, 1] > take:
                ahead[p, 1] = off + ahead[q, 1]


@njit
def follow(table, size, last, leaves, a, b, ahead, p, flag, pick):
    """Read the best labeling from position p on off `ahead` into pick (n,); ties leave a node out. O(nodes visited)."""
    n = size.size
    while p < n:
        q = p + size[p]
        inside, outside = 1 if leaves and size[p] > 1 else 0, 0 if last[p] else flag
        take = table[p, S] + a * table[p, WRONG] + ahead[p + 1, inside]
        if (flag and last[p]) or take > b * (table[p, TRUE] - table[q, TRUE]) + ahead[q, outside]:
            pick[p] = 1
            p, flag = p + 1, inside
        else:
            for i in range(p, q):
                pick[i] = 0
            p, flag = q, outside


@njit
def _scored(table, pick):
    """Score and count of a labeling."""
    total, count = 0.0, 0.0
    for p in range(pick.size):
        if pick[p]:
            total += table[p, S]
            count += table[p, WRONG]
        else:
            count += table[p, TRUE] - table[p + 1, TRUE]
    return total, count


@njit
def _unique(nodes, head, slot, n_codes):
    """A list of partial labelings at one place with the best of each (count, flag) alone; returns its start and length.

    Those that are left out stay in `nodes`: others may have grown from them.
    """
    i = head
    while i >= 0:
        at = int(nodes[i, FLAG]) * n_codes + int(nodes[i, C])
        if slot[at] < 0 or nodes[i, S] > nodes[slot[at], S]:
            slot[at] = i
        i = int(nodes[i, NEXT])
    i, head, n = head, -1, 0
    while i >= 0:
        following, at = int(nodes[i, NEXT]), int(nodes[i, FLAG]) * n_codes + int(nodes[i, C])
        if slot[at] == i:
            nodes[i, NEXT], head, n = head, i, n + 1
            slot[at] = -1
        i = following
    return head, n


@njit
def _undominated(nodes, head, end, most):
    """A list of partial labelings at one place again, at `end`, without those that do not matter (`pareto`), at most about `most`.

    Returns the rows, its end, its length and whether all that matter are there; it starts at `end`.
    """
    first = end
    while head >= 0:
        if end == nodes.shape[0]:
            nodes = grown(nodes)
        for c in range(nodes.shape[1]):
            nodes[end, c] = nodes[head, c]
        head, end = int(nodes[head, NEXT]), end + 1
    all_of = thinned(nodes, first, end, S, C, FLAG, 2)
    end = narrowed(nodes, first, all_of, most)
    for i in range(first, end):
        nodes[i, NEXT] = i + 1 if i + 1 < end else -1
    return nodes, end, end - first, end == all_of


@njit
def _count_program(table, most, n_codes, size, last, leaves, aim, ahead, base, room, pick):
    """Forward dynamic program over (position, flag, count), kept only where it can still matter (`counting.keeps`).

    `ahead` is `backward` at the aim's bonuses; n_codes is 0 under weights without a unit. Returns the count of the best complete
    labeling, -1 where none is above the goal, UNDONE when more than `room` partial ones were needed, and whether all that matter
    were seen; the labeling goes to `pick`.
    """
    n = size.size
    head = np.full(n + 1, -1)
    slot = np.full((2 if leaves else 1) * n_codes, -1)
    nodes = np.empty((n // 2 + 64, 6))
    nodes[0, S], nodes[0, C], nodes[0, FLAG], nodes[0, NEXT], nodes[0, PARENT], nodes[0, AT] = base, 0.0, 0.0, -1.0, -1.0, -1.0
    head[0], end, seen, complete = 0, 1, 0.0, True
    for p in range(n):
        i = head[p]
        if i < 0:
            continue
        n_here = 1
        if nodes[i, NEXT] >= 0.0 and n_codes > 0:
            i, n_here = _unique(nodes, i, slot, n_codes)
        elif nodes[i, NEXT] >= 0.0:
            i = end
            nodes, end, n_here, whole = _undominated(nodes, head[p], end, share(seen) if room == np.inf else np.inf)
            complete = complete and whole
        seen += n_here
        if seen > room:
            return float(counting.UNDONE), False
        while end + n_here > nodes.shape[0]:
            nodes = grown(nodes)
        q = p + size[p]
        inside = 1 if leaves and size[p] > 1 else 0
        gain, wrong, missed = table[p, S], table[p, WRONG], table[p, TRUE] - table[q, TRUE]
        after, most_in, most_out = ahead[p + 1, inside], most[p + 1], most[q]
        while i >= 0:
            following, s, c, flag = int(nodes[i, NEXT]), nodes[i, S], nodes[i, C], 0
            if leaves:
                flag = int(nodes[i, FLAG])
            if counting.keeps(aim, s + gain + counting.bonus(aim, c + wrong) + after, c + wrong, most_in):
                nodes[end, S], nodes[end, C], nodes[end, FLAG] = s + gain, c + wrong, inside
                nodes[end, PARENT], nodes[end, AT] = i, p
                nodes[end, NEXT], head[p + 1] = head[p + 1], end
                end += 1
            if not (flag and last[p]):  # the same labeling goes on behind the subtree
                c, flag = c + missed, 0 if last[p] else flag
                if counting.keeps(aim, s + counting.bonus(aim, c) + ahead[q, flag], c, most_out):
                    nodes[i, C], nodes[i, FLAG] = c, flag
                    nodes[i, NEXT], head[q] = head[q], i
            i = following
    top, arg, i = aim.goal if aim.mode in (counting.PRODUCT, counting.SUM) else -np.inf, -1, head[n]
    while i >= 0:
        x = counting.worth(aim, nodes[i, S], nodes[i, C])
        if x > top or (aim.mode == counting.MOST and x == top and nodes[i, S] > nodes[arg, S]):
            top, arg = x, i
        i = int(nodes[i, NEXT])
    if arg < 0:
        return -1.0, complete
    for p in range(n):
        pick[p] = 0
    i = arg
    while nodes[i, PARENT] >= 0.0:
        pick[int(nodes[i, AT])] = 1
        i = int(nodes[i, PARENT])
    return nodes[arg, C], complete


@njit
def _take(h, g, value, order, pick, kept, out):
    out[0], out[1], out[2] = h, g, value
    for p in range(order.size):
        kept[order[p]] = pick[p]
    return value


@njit
def _codes(most, losses, step):
    """How many counts there are; 0 where they have no unit."""
    if step == counting.NO_UNIT:
        return 0
    return losses.size if step > 0 else int(most[0]) + 1


@njit
def _attempt(run, table, most, size, last, order, leaves, losses, f_target, ahead, pick, kept, out):
    """The count program above the goal of `run`; returns what to do next."""
    per_node = _LESS if run[counting.READ] else _ROOM
    aim, room = counting.aim_of(run, losses), counting.room(run, per_node * size.size + 64.0)
    n_codes = _codes(most, losses, int(run[counting.STEP]))
    c, complete = _count_program(table, most, n_codes, size, last, leaves, aim, ahead, 1.0 - f_target, room, pick)
    if c == counting.UNDONE:
        return counting.ran_out(run, losses)
    if c >= 0:
        h = 1.0 + _scored(table, pick)[0] - f_target
        counting.took(run, h, c, losses)
        _keep(run, h, c, losses, order, pick, kept, out)
    return counting.closed(run, complete)


@njit
def _keep(run, h, c, losses, order, pick, kept, out):
    """Keep a label that was taken in, where it is the best so far."""
    if run[counting.BETTER]:
        g = losses[int(c)] if losses.size else run[counting.SCALE] * c
        _take(h, g, run[counting.VALUE], order, pick, kept, out)


@njit
def _search(table, most, size, last, order, leaves, y, scale, losses, step, f_target, mode, lam, threshold, tol, kept, out):
    """The exact argmax of h g above the threshold, with `tol` a label within it and the bound; or of h + lam g."""
    n = size.size
    ahead, pick = np.empty((n + 1, 2)), np.empty(n, np.int64)
    run = counting.started(mode, lam, threshold, tol, most[0], scale, losses, step)
    what = counting.AGAIN
    while what != counting.STOP:
        a, b = run[counting.A] / max(step, 1), run[counting.B]  # WRONG counts `step` for a false positive
        if what == counting.AGAIN:
            backward(table, size, last, leaves, a, b, ahead)
            out[5] += 1.0
            what = counting.passed(run, 1.0 - f_target + ahead[0, 0], losses)
        elif what == counting.LABEL:
            follow(table, size, last, leaves, a, b, ahead, 0, 0, pick)
            total, c = _scored(table, pick)
            if c == 0.0 and mode == counting.PRODUCT and (step <= 0 or losses[0] == 0.0):
                total, c, level = _first_wrong(table, size, last, leaves, y, a, b, ahead, pick)
                what = counting.beyond(run, 1.0 - f_target + level, losses)
            if what == counting.LABEL:
                h = 1.0 + total - f_target
                what = counting.labelled(run, h, c, losses)
                _keep(run, h, c, losses, order, pick, kept, out)
        else:
            what = _attempt(run, table, most, size, last, order, leaves, losses, f_target, ahead, pick, kept, out)
    return counting.finished(run, losses, out)


@njit
def _first_wrong(table, size, last, leaves, y, a, b, ahead, pick):
    """The best labeling that differs from y: its path up to some position, the other branch there, the best after it.

    ahead is `backward` at bonuses a, b. Returns its score, its count and its score with bonuses, -inf where there is none. O(n).
    """
    n = size.size
    prefix, top, where, flag_at, p, flag = 0.0, -np.inf, 0, 0, 0, 0
    while p < n:
        q = p + size[p]
        inside, outside = 1 if leaves and size[p] > 1 else 0, 0 if last[p] else flag
        if y[p]:
            x = -np.inf if flag and last[p] else prefix + b * (table[p, TRUE] - table[q, TRUE]) + ahead[q, outside]
            prefix += table[p, S]
        else:
            x = prefix + table[p, S] + a * table[p, WRONG] + ahead[p + 1, inside]
        if x > top:
            top, where, flag_at = x, p, flag
        p, flag = (p + 1, inside) if y[p] else (q, outside)
    if top == -np.inf:
        return 0.0, 0.0, top
    for i in range(where):
        pick[i] = y[i]
    if y[where]:
        for i in range(where, where + size[where]):
            pick[i] = 0
        p, flag = where + size[where], 0 if last[where] else flag_at
    else:
        pick[where] = 1
        p, flag = where + 1, 1 if leaves and size[where] > 1 else 0
    follow(table, size, last, leaves, a, b, ahead, p, flag, pick)
    total, count = _scored(table, pick)
    return total, count, top


@njit
def _zero_one(table, size, last, order, leaves, y, scale, f_target, rescaling, threshold, kept, out):
    n = size.size
    ahead, pick = np.empty((n + 1, 2)), np.empty(n, np.int64)
    backward(table, size, last, leaves, 0.0, 0.0, ahead)
    total, _, level = _first_wrong(table, size, last, leaves, y, 0.0, 0.0, ahead, pick)
    out[5] = 1.0
    if level == -np.inf:
        return 0
    h = 1.0 + total - f_target
    value = h * scale if rescaling else h - 1.0 + scale
    out[3] = max(value, 0.0)
    if value > threshold:
        _take(h, scale, value, order, pick, kept, out)
        return 1
    return 0


@njit
def _views(shared, pool, target, theta):
    """One example from the pointers' data: the forest, its columns, the target and the loss."""
    n = carray(shared, 1)[0]
    words = carray(shared, 5 + 5 * n)
    order, size, last = words[4 : 4 + n], words[4 + n : 4 + 2 * n], words[4 + 2 * n : 4 + 3 * n]
    numbers, own = words[4 + 3 * n :].view(np.float64), carray(target, 2 + n)
    y, step, first = own[2:], own[0] + 1 if words[3] else counting.NO_UNIT if words[2] == 2 else 0, own[1]
    table, f_target = columns(order, numbers[:n], y, carray(theta, n), step if step > 0 else 1)
    losses = carray(pool, first + step * (n - step + 2))[first:] if step > 0 else np.empty(0)
    return order, size, last, words[1] > 0, words[2] == 1, y, table, f_target, carray(pool, 1)[0], losses, step, numbers[n:]


@njit
def _nothing(lam, out):
    out[0], out[1], out[2], out[3], out[4], out[5] = 1.0, 0.0, 0.0, 0.0, lam, 0.0


def best(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """Direct exact argmax; see `compiling.BEST`."""
    order, size, last, leaves, zero_one, y, table, f_target, scale, losses, step, most = _views(shared, pool, target, theta)
    kept, result = carray(label, order.size), carray(out, 6)
    _nothing(lam, result)
    if zero_one:
        return _zero_one(table, size, last, order, leaves, y, scale, f_target, rescaling, threshold, kept, result)
    mode = counting.PRODUCT if rescaling else counting.SUM
    at = lam if rescaling else 1.0
    found = _search(
        table, most, size, last, order, leaves, y, scale, losses, step, f_target, mode, at, threshold, tol, kept, result
    )  # fmt: skip
    if rescaling == 0:
        result[2], result[3], result[4] = result[0] - 1.0 + result[1], max(result[0] - 1.0 + result[1], 0.0), lam
        found = 1 if result[2] > threshold else 0
    if found == 0:
        result[0], result[1], result[2] = 1.0, 0.0, 0.0
    return found


def best_by_counting(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """The plain count program, the named baseline (after Bauer et al., 2014): all (position, count) pairs, no pruning. O(n^2)."""
    order, size, last, leaves, _, _, table, f_target, scale, losses, step, most = _views(shared, pool, target, theta)
    kept, result = carray(label, order.size), carray(out, 6)
    _nothing(lam, result)
    n = order.size
    ahead, pick = np.empty((n + 1, 2)), np.empty(n, np.int64)
    backward(table, size, last, leaves, 0.0, 0.0, ahead)
    aim = counting.aim_over(counting.PRODUCT if rescaling else counting.SUM, 1.0, 0.0 if step > 0 else scale, 0.0, 0.0, losses)
    n_codes = _codes(most, losses, step)
    count, _ = _count_program(table, most, n_codes, size, last, leaves, aim, ahead, 1.0 - f_target, counting.WHOLE, pick)
    h, g = 1.0 + _scored(table, pick)[0] - f_target, losses[int(count)] if step > 0 else scale * count
    value = h * g if rescaling else h - 1.0 + g
    result[3] = max(value, 0.0)
    if value > threshold:
        _take(h, g, value, order, pick, kept, result)
        return 1
    return 0


def answer(kind, lam, region, shared, pool, target, theta, label, point):
    """The lambda-oracle and bands of loss; see `asking`. A plane is one pass, a band a count program."""
    if kind == CONE:
        return -1
    order, size, last, leaves, zero_one, y, table, f_target, scale, losses, step, most = _views(shared, pool, target, theta)
    kept, ends, spot = carray(label, order.size), carray(region, 2), carray(point, 2)
    n = order.size
    ahead, pick = np.empty((n + 1, 2)), np.empty(n, np.int64)
    if zero_one:
        return _answer_zero_one(kind, lam, ends, table, size, last, order, leaves, y, scale, f_target, ahead, pick, kept, spot)
    if kind == PLANE:
        out = np.empty(6)
        _search(table, most, size, last, order, leaves, y, scale, losses, step, f_target, counting.SUM, lam, 0.0, 0.0, kept, out)
        spot[0], spot[1] = out[0], out[1]
        return 1
    backward(table, size, last, leaves, 0.0, 0.0, ahead)
    if kind == GREATEST_H:
        follow(table, size, last, leaves, 0.0, 0.0, ahead, 0, 0, pick)
        c = _scored(table, pick)[1]
    else:
        mode = counting.BAND if kind == BAND else counting.MOST
        aim = counting.aim_over(mode, lam, 0.0 if step > 0 else scale, ends[0], ends[1], losses)
        n_codes = _codes(most, losses, step)
        c, _ = _count_program(table, most, n_codes, size, last, leaves, aim, ahead, 1.0 - f_target, counting.WHOLE, pick)
        if c < 0:
            return 0
    spot[0], spot[1] = 1.0 + _scored(table, pick)[0] - f_target, losses[int(c)] if step > 0 else scale * c
    for p in range(n):
        kept[order[p]] = pick[p]
    return 1


@njit
def _answer_zero_one(kind, lam, ends, table, size, last, order, leaves, y, scale, f_target, ahead, pick, kept, spot):
    backward(table, size, last, leaves, 0.0, 0.0, ahead)
    total, _, level = _first_wrong(table, size, last, leaves, y, 0.0, 0.0, ahead, pick)
    h = 1.0 + total - f_target if level > -np.inf else -np.inf
    wrong = h > -np.inf and (kind != BAND or ends[0] < scale < ends[1])
    right = kind != BAND or ends[0] < 0.0 < ends[1]
    worth_wrong = scale if kind == GREATEST_G else h if kind == GREATEST_H else h + lam * scale
    if wrong and (not right or worth_wrong > (0.0 if kind == GREATEST_G else 1.0)):
        spot[0], spot[1] = h, scale
    elif right:
        spot[0], spot[1] = 1.0, 0.0
        for p in range(y.size):
            pick[p] = y[p]
    else:
        return 0
    for p in range(y.size):
        kept[order[p]] = pick[p]
    return 1


def parts(shared, target, label, out):
    """The active nodes; see `compiling.PARTS`."""
    n = carray(shared, 1)[0]
    y, places = carray(label, n), carray(out, n)
    found = 0
    for v in range(n):
        if y[v]:
            places[found] = v
            found += 1
    return found


def prepare(shared, weights, pool):
    """Hierarchies share no weights; see `compiling.PREPARE`."""
    return 0


@njit
def topk(score, size, last, leaves, forced, n_best, picks, scores):
    """The n_best labelings of greatest score, forced positions active, into picks (n_best, n), scores; O(n n_best).

    Returns how many there are.
    """
    n = size.size
    value = np.full((n + 1, 2, n_best), -np.inf)
    source = np.zeros((n + 1, 2, n_best), np.int64)  # 2 * rank of what follows + whether p is taken
    value[n, :, 0] = 0.0
    for p in range(n - 1, -1, -1):
        q = p + size[p]
        inside = 1 if leaves and size[p] > 1 else 0
        for flag in range(2 if leaves else 1):
            outside = 0 if last[p] else flag
            i, j = 0, n_best if forced[p] or (flag and last[p]) else 0
            for r in range(n_best):
                take = score[p] + value[p + 1, inside, i] if i < n_best else -np.inf
                skip = value[q, outside, j] if j < n_best else -np.inf
                if take == -np.inf and skip == -np.inf:
                    break
                if take > skip:
                    value[p, flag, r], source[p, flag, r] = take, 2 * i + 1
                    i += 1
                else:
                    value[p, flag, r], source[p, flag, r] = skip, 2 * j
                    j += 1
    found = 0
    while found < n_best and value[0, 0, found] > -np.inf:
        p, flag, r = 0, 0, found
        scores[found] = 0.0
        while p < n:
            taken, r = source[p, flag, r] % 2, source[p, flag, r] // 2
            if taken:
                picks[found, p] = 1
                scores[found] += score[p]
                p, flag = p + 1, 1 if leaves and size[p] > 1 else 0
            else:
                for i in range(p, p + size[p]):
                    picks[found, i] = 0
                p, flag = p + size[p], 0 if last[p] else flag
        found += 1
    return found
