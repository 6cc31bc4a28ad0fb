r"""Binary labelings whose lambda-oracle is a minimum cut: exact answers by branch and bound (NOTES C.0, C.5, C.9).

A labeling z scores base . z minus the capacity of every arc from an active node to one that is not; infinite capacities make sets
closed. Its loss is table[code], the code being the sum of what wrong nodes count: fp step + fn with two counters, one number with
step 1. A cut with bonuses a per unit of fp and b per unit of fn bounds the score of every code, :math:`h \le K - a\,fp - b\,fn`.

A node of the search tree has some places fixed. It asks a few cuts, each warm from the last, at the secants of the upper hull of
(code, h) around the code where the bounds allow most: phase 1 of lens search. What the flow has left over at a place is what the
other side costs there at least; where no label can pay that and still beat the goal, the place is fixed. If the bounds still
allow more than the goal, the node is split at a place where the ends of the supporting edge differ. Best first.
"""

from typing import Any, NamedTuple

import numpy as np

from . import flow
from .asking import BAND, GREATEST_G, GREATEST_H, PLANE
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
    linear,
    more_rows,
    nearer,
    still,
    took,
)  # fmt: skip
from .compiling import njit
from .heap import pop, push

__all__ = ["Cuts", "answered", "cuts", "solved"]

_SIZE = 8
_CUTS = 12  # of a node
_FRESH = 64  # nodes after which all flow is forgotten: rounding adds up


class Cuts(NamedTuple):
    """One example: the network and its full capacities, scores, true label, what wrong places count, losses, size of scores."""

    net: Any
    full: Any
    base: Any
    y: Any
    fp: Any
    fn: Any
    table: Any
    step: int
    size: float


@njit
def cuts(net, base, y, fp, fn, table, step):
    """Lay out one example; `size` bounds the difference of any two scores."""
    size = 1.0
    for v in range(base.size):
        size += abs(base[v]) if abs(base[v]) < np.inf else 0.0
    for a in range(net.left.size):
        size += net.left[a] if net.left[a] < np.inf else 0.0
    return Cuts(net, net.left.copy(), base, y, fp, fn, table, step, size)


@njit
def _ask(cuts, base, a, b, fixed, excess):
    """The minimum cut with bonuses a and b and some places fixed. Returns False where no label is left."""
    for v in range(base.size):
        x = a * cuts.fp[v] + b * cuts.fn[v]
        x = base[v] - x if cuts.y[v] else base[v] + x
        if fixed[v] >= 0:
            if x == (-np.inf if fixed[v] else np.inf):
                return False
            x = np.inf if fixed[v] else -np.inf
        excess[v] = x
    flow.load(cuts.net, excess)
    if flow.settle(cuts.net):
        return True
    flow.reopen(cuts.net, cuts.full)
    return False


@njit
def read(cuts, z, run):
    """h, fp and fn of a labeling into the run, as differences from the target."""
    net, h, fp, fn = cuts.net, 1.0, 0.0, 0.0
    for v in range(z.size):
        if z[v] != cuts.y[v]:
            h += cuts.base[v] if z[v] else -cuts.base[v]
            fp += cuts.fp[v]
            fn += cuts.fn[v]
        for i in range(net.first[v], net.first[v + 1]):
            w = net.head[i]
            if cuts.full[i] > 0.0 and (z[v] > z[w]) != (cuts.y[v] > cuts.y[w]):
                h += -cuts.full[i] if z[v] > z[w] else cuts.full[i]
    run[H], run[FP], run[FN] = h, fp, fn


@njit
def _side(cuts, z):
    for v in range(z.size):
        z[v] = 1 if cuts.net.level[v] >= 0 else 0


@njit
def plane(cuts, a, b, z, run):
    """The label of greatest h + a fp + b fn, by one cut. Returns False where there is no label."""
    if not _ask(cuts, cuts.base, a, b, np.full(z.size, -1, np.int8), np.empty(z.size)):
        return False
    _side(cuts, z)
    read(cuts, z, run)
    return True


@njit
def _span(cuts, fixed, span):
    """What codes are within reach: the least and greatest fp, the least and greatest fn."""
    span[0], span[1], span[2], span[3] = 0.0, 0.0, 0.0, 0.0
    for v in range(fixed.size):
        if fixed[v] != cuts.y[v]:
            span[1] += cuts.fp[v]
            span[3] += cuts.fn[v]
            if fixed[v] >= 0:
                span[0] += cuts.fp[v]
                span[2] += cuts.fn[v]


@njit
def _fix(cuts, aim, run, a, b, least, fixed, span):
    """Fix every place whose other side costs so much that no label there can matter. Returns how many stay free."""
    h = run[H] if aim.mode != MOST else 0.0
    room = h - least + 8.0 * EPS * (abs(a) * span[1] + abs(b) * span[3] + abs(h))
    free = 0
    for v in range(fixed.size):
        if fixed[v] >= 0:
            continue
        if abs(cuts.net.excess[v]) > room:
            fixed[v] = 1 if cuts.net.level[v] >= 0 else 0
            if fixed[v] != cuts.y[v]:
                span[0] += cuts.fp[v]
                span[2] += cuts.fn[v]
            else:
                span[1] -= cuts.fp[v]
                span[3] -= cuts.fn[v]
        else:
            free += 1
    return free


@njit
def _slopes(cuts, aim, fp, fn, h):
    """Bonuses that follow the loss at a code, where the bound on h is `h`."""
    n_fn = cuts.step
    n_fp = cuts.table.size // n_fn
    i, j = int(fp), int(fn)
    up, down, right, left = min(i + 1, n_fp - 1), max(i - 1, 0), min(j + 1, n_fn - 1), max(j - 1, 0)
    a = (cuts.table[up * n_fn + j] - cuts.table[down * n_fn + j]) / max(up - down, 1)
    b = (cuts.table[i * n_fn + right] - cuts.table[i * n_fn + left]) / max(right - left, 1)
    g = cuts.table[i * n_fn + j]
    x = aim.lam
    if aim.mode == PRODUCT and g > 0.0:
        x = h / g
    return nearer(cuts, x * a), nearer(cuts, x * b)


@njit
def _slanted(cuts, aim, k, a, b, top, above, known, found):
    """The next multipliers with two counters: slopes of the loss where the bound is greatest and at the best label, in turn.

    From the fourth cut on only half way there, or half way between multipliers whose labels lie on either side of that code.
    """
    if aim.mode == MOST:  # whole numbers, so that what is within reach is told exactly
        return np.sign(top[0] - known[2, 1]), np.sign(top[1] - known[2, 2])
    if k >= 3 and k % 2 and known[0, 0] > 0.0 and known[1, 0] > 0.0:
        return 0.5 * (known[0, 1] + known[1, 1]), 0.5 * (known[0, 2] + known[1, 2])
    i, j, height = top[0], top[1], above[int(top[0] * cuts.step + top[1])]
    if aim.mode == PRODUCT and k % 2 and found[0] > 0.0:
        i, j, height = found[1], found[2], found[3]
    x, y = _slopes(cuts, aim, i, j, height)
    return (x, y) if k < 3 else (0.5 * (a + x), 0.5 * (b + y))


@njit
def _sides(cuts, tiny, side, queue):
    """The source's side where excesses up to `tiny` count as none (1), the sink's (-1), and what can be on either (0)."""
    net = cuts.net
    for sign in (1, -1):
        size, i = 0, 0
        for v in range(side.size):
            if sign > 0:
                side[v] = 0
            if sign * net.excess[v] > tiny and side[v] == 0:
                side[v] = sign
                queue[size] = v
                size += 1
        while i < size:
            v = queue[i]
            i += 1
            for a in range(net.first[v], net.first[v + 1]):
                w = net.head[a]
                if side[w] == 0 and net.left[a if sign > 0 else net.back[a]] > 0.0:
                    side[w] = sign
                    queue[size] = w
                    size += 1


@njit
def _recombine(cuts, top, z, side, queue, run):
    """Of all the labels that are best at the last multipliers, one whose code is near `top` (NOTES C.0e): greedily.

    What no flow binds to either side can be added, together with all that the residual network demands, and the cut stays a
    minimum. Equal scores make many of these, and then the bound is met only there.
    """
    net, n = cuts.net, z.size
    _sides(cuts, 2.0**-40 * cuts.size / n, side, queue)
    for v in range(n):
        z[v] = 1 if side[v] == 1 else 0
    read(cuts, z, run)
    fp, fn, budget = run[FP], run[FN], 16 * (n + net.head.size)
    for v in range(n):
        if side[v] != 0 or z[v]:
            continue
        size, i, more_fp, more_fn = 1, 0, 0.0, 0.0
        queue[0], z[v] = v, 1
        while i < size:
            u = queue[i]
            i += 1
            more_fp += -cuts.fp[u] if cuts.y[u] else cuts.fp[u]
            more_fn += -cuts.fn[u] if cuts.y[u] else cuts.fn[u]
            for a in range(net.first[u], net.first[u + 1]):
                w = net.head[a]
                budget -= 1
                if net.left[a] > 0.0 and not z[w] and side[w] == 0:
                    z[w] = 1
                    queue[size] = w
                    size += 1
        now = abs(fp - top[0]) + abs(fn - top[1])
        if abs(fp + more_fp - top[0]) + abs(fn + more_fn - top[1]) < now:
            fp, fn = fp + more_fp, fn + more_fn
            if fp == top[0] and fn == top[1]:
                break
        else:
            for i in range(size):
                z[queue[i]] = 0
        if budget < 0:
            break
    read(cuts, z, run)


@njit
def _sweep(cuts, z, run):
    """Turn single places, once round, wherever that raises h g; what infinite capacities forbid stays (NOTES C.0e)."""
    net = cuts.net
    read(cuts, z, run)
    h, fp, fn = run[H], run[FP], run[FN]
    value = h * cuts.table[int(fp * cuts.step + fn)]
    for v in range(z.size):
        gain = -cuts.base[v] if z[v] else cuts.base[v]
        for a in range(net.first[v], net.first[v + 1]):
            w, out, into = net.head[a], cuts.full[a], cuts.full[net.back[a]]
            if z[v]:  # no longer paid to w; paid by w, where w is active
                gain += (0.0 if z[w] or out == 0.0 else out) - (into if z[w] else 0.0)
            else:
                gain += (into if z[w] else 0.0) - (0.0 if z[w] or out == 0.0 else out)
        wrong = 1.0 if z[v] == cuts.y[v] else -1.0
        more_fp, more_fn = fp + wrong * cuts.fp[v], fn + wrong * cuts.fn[v]
        x = (h + gain) * cuts.table[int(more_fp * cuts.step + more_fn)]
        if gain > -np.inf and h + gain > 0.0 and x > value:
            z[v], h, fp, fn, value = 1 - z[v], h + gain, more_fp, more_fn, x
    read(cuts, z, run)


@njit
def _visit(cuts, aim, base, run, fixed, start, bound, need, above, span, label, work):
    """Ask cuts at one node of the tree. Returns its bound, -inf where nothing can matter; work[3] = (place to split at, a, b)."""
    n = fixed.size
    excess, z, ends, split, sides = work
    _span(cuts, fixed, span)
    one = cuts.step == 1
    for i in range(int(span[0]), int(span[1]) + 1):
        for j in range(int(span[2]), int(span[3]) + 1):
            above[i * cuts.step + j] = np.inf
    a, b, top = nearer(cuts, start[0]), nearer(cuts, start[1]), np.empty(3)
    known = np.zeros((3, 3))  # of the brackets: whether known, h, fp; with two counters a and b instead
    found = np.array([-np.inf, 0.0, 0.0, 0.0])  # the best label of this node: h g, fp, fn, h
    for v in range(n):
        ends[0, v], ends[1, v] = cuts.y[v], cuts.y[v]
    if one and aim.mode == PRODUCT:
        known[0, 0], known[0, 1] = 1.0, 1.0  # the target, where it is in reach
        for v in range(n):
            if fixed[v] >= 0 and fixed[v] != cuts.y[v]:
                known[0, 0] = 0.0
    for k in range(_CUTS):
        run[ASKED] += 1.0
        split[1], split[2] = a, b
        if not _ask(cuts, base, a, b, fixed, excess):
            return -np.inf
        _side(cuts, z)
        read(cuts, z, run)
        h, fp, fn = run[H], run[FP], run[FN]
        took(cuts, aim, run, z, need, label)
        bound = min(bound, bounded(cuts, aim, run, span, a, b, need, above, top))
        if bound <= run[GOAL]:
            return -np.inf
        if _fix(cuts, aim, run, a, b, top[2], fixed, span) == 0:
            return -np.inf
        if run[ASKED] >= aim.most:
            break
        if not one:
            for v in range(n):
                ends[k % 2, v] = z[v]
            side = 0 if fp + fn < top[0] + top[1] else 1
            known[side, 0], known[side, 1], known[side, 2] = 1.0, a, b
            x = h * cuts.table[int(fp * cuts.step + fn)]
            if x > found[0]:
                found[0], found[1], found[2], found[3] = x, fp, fn, h
            if k == 0 and fp + fn == 0.0 and h == 1.0 and aim.mode == PRODUCT:
                a = b = 0.0  # the target won: what the others lack says most here
                continue
            before, other, known[2, 1], known[2, 2] = a, b, fp, fn
            a, b = _slanted(cuts, aim, k, a, b, top, above, known, found)
            if a == before and b == other:
                break
            continue
        if fp == top[0]:
            break
        side = 0 if fp < top[0] else 1
        a = close_in(cuts, aim, known, side, k, h if aim.mode != MOST else 0.0, fp, a, start[0])
        for v in range(n):
            ends[side, v] = z[v]
        if np.isnan(a):
            break
    _recombine(cuts, top, z, sides, cuts.net.queue, run)
    took(cuts, aim, run, z, need, label)
    if aim.mode == PRODUCT:
        for k in range(2):
            for v in range(n):
                z[v] = ends[k, v]
            _sweep(cuts, z, run)
            took(cuts, aim, run, z, need, label)
    if aim.mode != MOST:
        bound = min(bound, still(cuts, aim, span, need, above))
        if bound <= run[GOAL]:
            return -np.inf
    split[0] = -1.0
    nearest = np.inf
    for v in range(n):
        if fixed[v] < 0:
            x = -abs(base[v]) - 1.0 if ends[0, v] != ends[1, v] else abs(cuts.net.excess[v])
            if x < nearest or split[0] < 0.0:
                nearest, split[0] = x, float(v)
    return bound


@njit
def hunt(cuts, base, mode, lam, lo, hi, threshold, tol, most, a, b, label, run):
    """The best label by branch and bound, into `label`; its h, fp, fn and value into the run. `base`: the scores that cuts use.

    Starts at the bonuses a, b. Stops after `most` cuts. Returns an upper bound on what labels can be worth.
    """
    n = base.size
    aim = Aim(mode, lam, lo, hi, threshold, tol, most)
    run[VALUE], run[FOUND], run[ASKED], run[FIRST] = 0.0 if mode == PRODUCT else -np.inf, 0.0, 0.0, -1.0
    need, above, span, start = np.empty(cuts.table.size), np.empty(cuts.table.size), np.empty(4), np.empty(2)
    aimed(cuts, aim, run, need)
    split = np.empty(3)
    work = np.empty(n), np.empty(n, np.int64), np.empty((2, n), np.int64), split, np.empty(n, np.int64)
    fixed, now = np.full((8, n), -1, np.int8), np.empty(n, np.int8)
    heap, row, size, used, pushed = np.empty((8, 5)), np.empty(5), 0, 1, 1  # bound, number, row of `fixed`, a, b
    row[0], row[1], row[2], row[3], row[4] = np.inf, 0.0, 0.0, a, b
    heap = push(heap, 0, row)
    size = 1
    cut_off, visits = -np.inf, 0
    while size > 0:
        pop(heap, size, row)
        size -= 1
        slot, upper = int(row[2]), row[0]
        if upper <= run[GOAL]:
            break
        if run[ASKED] >= most:
            cut_off = upper
            break
        for v in range(n):
            now[v] = fixed[slot, v]
        start[0], start[1] = row[3], row[4]
        upper = _visit(cuts, aim, base, run, now, start, upper, need, above, span, label, work)
        if pushed == 1:
            run[FIRST] = split[1]
        visits += 1
        if visits % _FRESH == 0:
            flow.reopen(cuts.net, cuts.full)
        if upper == -np.inf:
            continue
        if used == fixed.shape[0]:
            fixed = more_rows(fixed)
        for v in range(n):
            fixed[slot, v] = now[v]
            fixed[used, v] = now[v]
        where = int(split[0])
        fixed[slot, where], fixed[used, where] = 0, 1
        for child in (slot, used):
            row[0], row[1], row[2], row[3], row[4] = upper, float(pushed), float(child), split[1], split[2]
            heap = push(heap, size, row)
            size += 1
            pushed += 1
        used += 1
    if run[FOUND] > 0.0:
        read(cuts, label, run)
    goal = max(run[VALUE] * (1.0 + tol), threshold) if mode == PRODUCT else run[VALUE]
    return max(cut_off, goal)


@njit
def _other(cuts, threshold, label, run):
    """The label of greatest h but the target, if that is above the threshold; its h into the run.

    Where the target wins the cut, its best change is sought place by place: each is turned, the cut goes on from the flow of the
    last, and places whose reserve is too large to matter are left out.
    """
    n = label.size
    z, excess, fixed = np.empty(n, np.int64), np.empty(n), np.full(n, -1, np.int8)
    best, same = threshold, True
    run[FOUND], run[ASKED] = 0.0, 1.0
    _ask(cuts, cuts.base, 0.0, 0.0, fixed, excess)
    _side(cuts, z)
    for v in range(n):
        same = same and z[v] == cuts.y[v]
    if not same:
        read(cuts, z, run)
        if run[H] > best:
            run[FOUND] = 1.0
            for v in range(n):
                label[v] = z[v]
        return
    for v in range(n):
        if 1.0 - abs(cuts.net.excess[v]) > best:
            fixed[v] = 1 - cuts.y[v]
            run[ASKED] += 1.0
            if _ask(cuts, cuts.base, 0.0, 0.0, fixed, excess):
                _side(cuts, z)
                read(cuts, z, run)
                if run[H] > best:
                    best, run[FOUND] = run[H], 1.0
                    for u in range(n):
                        label[u] = z[u]
        fixed[v] = cuts.y[v]  # labels with v turned are done with
        _ask(cuts, cuts.base, 0.0, 0.0, fixed, excess)
    run[H], run[ASKED] = best, 1.0


@njit
def solved(cuts, zero_one, rescaling, lam, threshold, tol, most, label, out):
    """The direct exact method; see `compiling.BEST`. `most`: cuts after which the bound stays open; 0 for no limit."""
    run, limit, one = np.zeros(_SIZE), float(most) if most > 0 else np.inf, cuts.step == 1
    out[0], out[1], out[2], out[3], out[4], out[5] = 1.0, 0.0, 0.0, 0.0, lam, 0.0
    if zero_one:
        scale = cuts.table[1]
        _other(cuts, threshold / scale if rescaling else threshold + 1.0 - scale, label, run)
        upper = threshold if run[FOUND] == 0.0 else -np.inf
    elif rescaling == 0 and linear(cuts.table, cuts.step):
        plane(cuts, cuts.table[1] if cuts.table.size > 1 else 0.0, 0.0, label, run)
        run[FOUND], run[ASKED] = 1.0, 1.0
        upper = -np.inf
    else:
        mode, at = (PRODUCT, lam) if rescaling else (SUM, 1.0)
        a, b = _slopes(cuts, Aim(SUM, at, 0.0, 0.0, 0.0, 0.0, 0.0), 0.0, 0.0, 0.0)
        upper = hunt(cuts, cuts.base, mode, at, 0.0, 0.0, threshold, tol, limit, a, b, label, run)
        unit = cuts.table[1] if one and cuts.table.size > 1 else 0.0
        if rescaling and run[FIRST] > 0.0 and unit > 0.0:
            out[4] = run[FIRST] / unit
        value = run[VALUE]
        if rescaling == 0:
            upper = upper - 1.0 if upper > value else -np.inf
    out[5] = run[ASKED]
    g = cuts.table[1] if zero_one else cuts.table[int(run[FP] * cuts.step + run[FN])]
    if run[FOUND] > 0.0:
        value = run[H] * g if rescaling else run[H] - 1.0 + g
        if rescaling and not one and not zero_one and run[H] > 0.0 and g > 0.0:
            out[4] = run[H] / g
        upper = max(upper, value)
    out[3] = max(upper, 0.0)
    if run[FOUND] > 0.0 and value > threshold:
        out[0], out[1], out[2] = run[H], g, value
        return 1
    return 0


@njit
def answered(cuts, zero_one, kind, lam, ends, label, point):
    """The lambda-oracle, bands of loss, and extremes; see `asking`."""
    run, n = np.zeros(_SIZE), label.size
    simple = linear(cuts.table, cuts.step)
    if zero_one:
        return _answered_zero_one(cuts, kind, lam, ends, label, point, run)
    if kind == GREATEST_H or (kind == PLANE and simple):
        plane(cuts, lam * cuts.table[1] if kind == PLANE and cuts.table.size > 1 else 0.0, 0.0, label, run)
    elif kind == GREATEST_G:
        base = np.zeros(n)
        for v in range(n):
            if abs(cuts.base[v]) == np.inf:
                base[v] = cuts.base[v]
        kept = cuts.full.copy()
        for a in range(kept.size):  # only what forbids counts
            cuts.full[a] = kept[a] if kept[a] == np.inf else 0.0
        flow.reopen(cuts.net, cuts.full)
        hunt(cuts, base, MOST, 0.0, 0.0, 0.0, 0.0, 0.0, np.inf, 1.0, 1.0, label, run)
        for a in range(kept.size):
            cuts.full[a] = kept[a]
        read(cuts, label, run)
    else:
        mode = SUM if kind == PLANE else INSIDE
        a, b = _slopes(cuts, Aim(SUM, lam, 0.0, 0.0, 0.0, 0.0, 0.0), 0.0, 0.0, 0.0)
        hunt(cuts, cuts.base, mode, lam, ends[0], ends[1], 0.0, 0.0, np.inf, a, b, label, run)
        if run[FOUND] == 0.0:
            return 0
    point[0], point[1] = run[H], cuts.table[int(run[FP] * cuts.step + run[FN])]
    return 1


@njit
def _answered_zero_one(cuts, kind, lam, ends, label, point, run):
    scale = cuts.table[1]
    _other(cuts, -np.inf, label, run)
    wrong = run[FOUND] > 0.0 and (kind != BAND or ends[0] < scale < ends[1])
    right = kind != BAND or ends[0] < 0.0 < ends[1]
    bonus = np.inf if kind == GREATEST_G else 0.0 if kind == GREATEST_H else lam * scale
    if wrong and (not right or run[H] + bonus > 1.0):
        point[0], point[1] = run[H], scale
        return 1
    if not right:
        return 0
    point[0], point[1] = 1.0, 0.0
    for v in range(label.size):
        label[v] = cuts.y[v]
    return 1
