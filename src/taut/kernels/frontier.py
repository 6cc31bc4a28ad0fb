"""Label graphs of small width: labels one by one, the state being those already seen that have edges to come (NOTES C.3).

The layout is that of `sets`. Behind the edges `shared` has the graph in an order of labels: order (L); at (L + 2), where the states
before each label start, at[t + 1] - at[t] of them, one before the first and after the last; bits_at (L + 1) and bits, which edge
joins the label to each of its frontier's, -1 for none; following (at[L], 2), the state after leaving a label out or taking it. The
pool has, behind the pairwise weights, what taking a label gains from its edges in each state. So a tree, or any graph of small
width, is as easy as a chain: decoding is one backward pass, and the exact slack argmax a pass and a pruned forward count program
(`counting`). Under WEIGHTS counts are whole numbers where the weights are, and these are not too many; else `pareto`.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import carray

from ..plane import lens
from . import counting
from .asking import BAND, CONE, GREATEST_H, PLANE
from .compiling import njit
from .heap import grown
from .pareto import narrowed, share, thinned
from .sets import COUNTS, HEAD, WEIGHTS, copy_weights, set_of, size_of
from .subsets import unary_scores

__all__ = ["MOST_SLOTS", "answer", "best", "best_by_counting", "decode", "edge_gains", "prepare"]

_ROOM = 2.0  # partial labelings per state that an attempt at the count program may keep before the next multiplier
_SHORT = 64  # codes, up to which a table costs less than passes at other multipliers
_FEW_CODES = 512  # of two counters, up to which a table costs less than any pass
_MOST_CELLS = 1 << 22  # of such a table
MOST_SLOTS = 1 << 25  # partial labelings that a count program may tell apart at one label by their counts
_PER_PART = 32.0  # cells of a table that are filled in the time of one partial labeling
SCORE, CODE, STATE, PARENT, TOOK = range(5)  # columns of a partial labeling


class Graph(NamedTuple):
    """The graph in its order; see the module."""

    order: Any
    at: Any
    bits_at: Any
    bits: Any
    following: Any


class Walk(NamedTuple):
    """One example along the order.

    Unary scores and true labels; what a wrong label adds to the code, whether it pays the second multiplier of a pass, and how
    often; the number of codes, 0 where they have no unit, and the greatest; the scale of a counted loss, or `losses` by code with
    `pair`, their step.
    """

    unary: Any
    y: Any
    step: Any
    second: Any
    times: Any
    n_codes: int
    cap: float
    scale: float
    losses: Any
    pair: int


@njit
def graph_of(words, n):
    """The views of the graph's words."""
    at, bits_at = words[n : 2 * n + 2], words[2 * n + 2 : 3 * n + 3]
    end = 3 * n + 3 + bits_at[n]
    return Graph(words[:n], at, bits_at, words[3 * n + 3 : end], words[end : end + 2 * at[n]].reshape(at[n], 2))


@njit
def edge_gains(graph, weights, gains):
    """gains[state]: the weights of the edges from the next label to the active ones of the state."""
    for t in range(graph.order.size):
        bits = graph.bits[graph.bits_at[t] : graph.bits_at[t + 1]]
        some = np.empty(bits.size)
        for i in range(bits.size):
            some[i] = weights[bits[i]] if bits[i] >= 0 else 0.0
        unary_scores(some, gains[graph.at[t] : graph.at[t + 1]])


@njit
def backward(graph, gains, out, taken, ahead):
    """Fill ahead[state]: the best of what follows, a label being worth out[t] left out and taken[t] plus its edges taken."""
    n, at, following = graph.order.size, graph.at, graph.following
    ahead[at[n]] = 0.0
    for t in range(n - 1, -1, -1):
        for s in range(at[t], at[t + 1]):
            x, y = out[t] + ahead[following[s, 0]], taken[t] + gains[s] + ahead[following[s, 1]]
            ahead[s] = y if y > x else x


@njit
def follow(graph, gains, out, taken, ahead, pick):
    """Read the best labeling off `ahead`; ties leave a label out."""
    s = 0
    for t in range(graph.order.size):
        x, y = out[t] + ahead[graph.following[s, 0]], taken[t] + gains[s] + ahead[graph.following[s, 1]]
        pick[t] = 1 if y > x else 0
        s = graph.following[s, pick[t]]


@njit
def decode(graph, gains, unary, clamp, label):
    """The label set of greatest score; clamp[j] fixes label j, -1 leaves it free."""
    n = unary.size
    out, taken, ahead, pick = np.zeros(n), np.empty(n), np.empty(gains.size + 1), np.empty(n, np.int64)
    for t in range(n):
        j = graph.order[t]
        out[t], taken[t] = -np.inf if clamp[j] == 1 else 0.0, -np.inf if clamp[j] == 0 else unary[j]
    backward(graph, gains, out, taken, ahead)
    follow(graph, gains, out, taken, ahead, pick)
    for t in range(n):
        label[graph.order[t]] = pick[t]


@njit
def _walked(example, graph):
    """The example along the order. Zero-one loss has two codes; other tables have theirs, of both counts of errors."""
    n = example.y.size
    unary, y, step, second, times = np.empty(n), np.empty(n, np.int64), np.ones(n), np.zeros(n, np.bool_), np.ones(n)
    losses, total, whole, widest = example.table[:0], 0.0, True, 1
    for t in range(n):
        j = graph.order[t]
        unary[t], y[t] = example.unary[j], example.y[j]
        if example.kind == WEIGHTS:
            times[t] = step[t] = example.table[j]
            whole, widest = whole and step[t] == np.floor(step[t]), max(widest, graph.at[t + 1] - graph.at[t])
        elif example.kind == COUNTS:
            step[t] = example.step_fn if y[t] else example.step_fp
            second[t] = y[t] > 0 and example.step_fn != example.step_fp
        total += step[t]
    scale = example.table[n] if example.kind == WEIGHTS else example.table[1]
    if not whole or widest * (total + 1.0) > MOST_SLOTS:
        return Walk(unary, y, step, second, times, 0, 2.0 * total, scale, losses, counting.NO_UNIT)
    n_codes = int(total) + 1
    if example.kind != COUNTS:
        return Walk(unary, y, step, second, times, n_codes, total, scale, losses, 0)
    losses = example.table[example.offset : example.offset + n_codes]
    for c in range(1, n_codes):
        if losses[0] != 0.0 or losses[c] != losses[1] or example.step_fn != example.step_fp:
            return Walk(unary, y, step, second, times, n_codes, total, 0.0, losses, example.step_fp)
    return Walk(unary, y, step, second, times, 2, 1.0, losses[1], losses[:0], 0)


@njit
def _loss(walk, code):
    return walk.losses[int(code)] if walk.losses.size else walk.scale * code


@njit
def _weighed(walk, a, b, out, taken):
    """What labels are worth where a wrong one is paid a or b."""
    for t in range(walk.y.size):
        x = (b if walk.second[t] else a) * walk.times[t]
        out[t] = x if walk.y[t] else 0.0
        taken[t] = walk.unary[t] if walk.y[t] else walk.unary[t] + x


@njit
def _scored(graph, gains, walk, pick):
    """Score and count of a labeling."""
    total, count, s = 0.0, 0.0, 0
    for t in range(pick.size):
        if pick[t]:
            total += walk.unary[t] + gains[s]
        if pick[t] != walk.y[t]:
            count += walk.step[t]
        s = graph.following[s, pick[t]]
    return total, min(count, walk.cap)


@njit
def _count_program(graph, gains, walk, aim, ahead, base, room, pick):
    """Forward dynamic program over (state, count), kept only where it can still matter (`counting.keeps`).

    `ahead` is `backward` at the aim's bonuses. Returns the count of the best complete labeling, -1 where none is above the goal,
    UNDONE when more than `room` partial ones were needed, and whether all that matter were seen; the labeling goes to `pick`.
    """
    n, at, n_codes = walk.y.size, graph.at, walk.n_codes
    remaining, widest = 0.0, 1
    for t in range(n):
        remaining, widest = remaining + walk.step[t], max(widest, at[t + 1] - at[t])
    slot = np.full(widest * n_codes, -1, np.int32)
    nodes = np.empty((4 * n + 64, 5))
    nodes[0, SCORE], nodes[0, CODE], nodes[0, STATE], nodes[0, PARENT], nodes[0, TOOK] = base, 0.0, 0.0, -1.0, 0.0
    first, last, complete = 0, 1, True
    for t in range(n):
        end = last
        remaining -= walk.step[t]
        if end + 2 * (last - first) > room:
            return float(counting.UNDONE), False
        while end + 2 * (last - first) > nodes.shape[0]:
            nodes = grown(nodes)
        for i in range(first, last):
            s = int(nodes[i, STATE])
            for took in (0, 1):
                score, code, after = nodes[i, SCORE], nodes[i, CODE], graph.following[s, took]
                if took:
                    score += walk.unary[t] + gains[s]
                if took != walk.y[t]:
                    code = min(code + walk.step[t], walk.cap)
                if not counting.keeps(aim, score + counting.bonus(aim, code) + ahead[after], code, remaining):
                    continue
                place = (after - at[t + 1]) * n_codes + int(code)
                j = slot[place] if n_codes > 0 else -1
                if j < 0:
                    j = end
                    end += 1
                    if n_codes > 0:
                        slot[place] = j
                elif not score > nodes[j, SCORE]:
                    continue
                nodes[j, SCORE], nodes[j, CODE], nodes[j, STATE], nodes[j, PARENT], nodes[j, TOOK] = score, code, after, i, took
        first, last = last, end
        if n_codes == 0:
            last = all_of = thinned(nodes, first, last, SCORE, CODE, STATE, widest)
            if room == np.inf:
                last = narrowed(nodes, first, all_of, share(all_of))
            complete = complete and last == all_of
            continue
        for i in range(first, last):
            slot[(int(nodes[i, STATE]) - at[t + 1]) * n_codes + int(nodes[i, CODE])] = -1
    top, arg = aim.goal, -1
    for i in range(first, last):
        x = counting.worth(aim, nodes[i, SCORE], nodes[i, CODE])
        if x > top or (x == top and x > aim.goal and nodes[i, SCORE] > nodes[arg, SCORE]):
            top, arg = x, i
    if arg < 0:
        return -1.0, complete
    count, i = nodes[arg, CODE], arg
    for t in range(n - 1, -1, -1):
        pick[t] = int(nodes[i, TOOK])
        i = int(nodes[i, PARENT])
    return count, complete


@njit
def _raise(row, gain, target):
    """target = max(target, row + gain); the loop runs on vectors."""
    for c in range(row.size):
        x = row[c] + gain
        target[c] = x if x > target[c] else target[c]


@njit
def _dense_program(graph, gains, walk, aim, base, low, high, pick):
    """The count program over all states and the codes that can end from low to high, as rows of a table, without pruning.

    For short rows much faster than keeping a list. Returns the count, or -1.
    """
    n, at, top_code = walk.y.size, graph.at, walk.n_codes - 1
    best, width = np.full((gains.size + 1, high + 1), -np.inf), high + 1
    best[0, 0] = base
    reached, remaining = 0, 0
    for t in range(n):
        remaining += int(walk.step[t])
    for t in range(n):
        d = int(walk.step[t])
        first, last = max(0, low - remaining), min(reached, high) + 1
        for s in range(at[t], at[t + 1]):
            for took in (0, 1):
                target, shift = best[graph.following[s, took]], d if took != walk.y[t] else 0
                gain, end = walk.unary[t] + gains[s] if took else 0.0, min(last, width - shift)
                if end > first:
                    _raise(best[s, first:end], gain, target[first + shift : end + shift])
                if high == top_code:  # counts end there
                    for c in range(max(first, end), last):
                        target[high] = max(target[high], best[s, c] + gain)
        reached, remaining = reached + d, remaining - d
    top, code, s = aim.goal, -1, gains.size
    for c in range(low, high + 1):
        x = counting.worth(aim, best[s, c], c) if best[s, c] > -np.inf else -np.inf
        if x > top or (x == top and x > aim.goal and best[s, c] > best[s, code]):
            top, code = x, c
    if code >= 0:
        _trace(graph, gains, walk, best, s, code, high == top_code, pick)
    return float(code)


@njit
def _trace(graph, gains, walk, best, s, code, ends, pick):
    """Read the labeling off a filled table, backwards: from which state and code each entry came."""
    high = best.shape[1] - 1
    for t in range(pick.size - 1, -1, -1):
        found = False
        for before in range(graph.at[t], graph.at[t + 1]):
            for took in (0, 1):
                if found or graph.following[before, took] != s:
                    continue
                shift, gain = int(walk.step[t]) if took != walk.y[t] else 0, walk.unary[t] + gains[before] if took else 0.0
                for c in range(code - shift, (high if ends and code == high else code - shift) + 1):
                    if not found and c >= 0 and best[before, c] > -np.inf and best[before, c] + gain == best[s, code]:
                        found = True
                        pick[t], origin, origin_code = took, before, c
        s, code = origin, origin_code


@njit
def _take(graph, walk, h, code, pick, label, out):
    """Write a label and its point."""
    out[0], out[1] = h, _loss(walk, code)
    for t in range(pick.size):
        label[graph.order[t]] = pick[t]


@njit
def _attempt(run, graph, gains, walk, f_target, ahead, pick, label, out):
    """The count program above the goal of `run`; returns what to do next."""
    aim, low, high = counting.aim_of(run, walk.losses), 0, walk.n_codes - 1
    if walk.pair == 0 and aim.mode == counting.PRODUCT:  # what beats the goal lies in the lens (NOTES C.0b)
        g1, g2 = lens(run[counting.K], aim.lam, aim.goal)
        low, high = max(low, int(g1 / walk.scale) - 1), int(min(high, g2 / walk.scale + 1.0))
    cells = float(gains.size) * (high + 1)
    most = counting.room(run, _ROOM * gains.size)
    short, last = 0 < high < _SHORT, walk.n_codes > 0 and most == np.inf and cells < _MOST_CELLS
    if short or last:
        most = 0.25 * gains.size + 64.0 if short else cells / _PER_PART
    code, complete = _count_program(graph, gains, walk, aim, ahead, 1.0 - f_target, most, pick)
    if code == counting.UNDONE and (short or last):
        code, complete = _dense_program(graph, gains, walk, aim, 1.0 - f_target, low, high, pick), True
    if code == counting.UNDONE:
        return counting.ran_out(run, walk.losses)
    if code >= 0:
        h = 1.0 + _scored(graph, gains, walk, pick)[0] - f_target
        counting.took(run, h, code, walk.losses)
        if run[counting.BETTER]:
            _take(graph, walk, h, code, pick, label, out)
    return counting.closed(run, complete)


@njit
def _search(graph, gains, walk, f_target, mode, lam, threshold, tol, label, out):
    """The exact argmax of h g above the threshold, with `tol` a label within it and the bound; or of h + lam g."""
    n = walk.y.size
    worth_out, worth_in, ahead, pick = np.empty(n), np.empty(n), np.empty(gains.size + 1), np.empty(n, np.int64)
    run = counting.started(mode, lam, threshold, tol, walk.cap, walk.scale, walk.losses, walk.pair)
    out[5], what = 0.0, counting.AGAIN
    while what != counting.STOP:
        if what == counting.AGAIN:
            _weighed(walk, run[counting.A], run[counting.B], worth_out, worth_in)
            backward(graph, gains, worth_out, worth_in, ahead)
            out[5] += 1.0
            what = counting.passed(run, 1.0 - f_target + ahead[0], walk.losses)
        elif what == counting.LABEL:
            follow(graph, gains, worth_out, worth_in, ahead, pick)
            total, code = _scored(graph, gains, walk, pick)
            h = 1.0 + total - f_target
            what = counting.labelled(run, h, code, walk.losses)
            if run[counting.BETTER]:
                _take(graph, walk, h, code, pick, label, out)
        else:
            what = _attempt(run, graph, gains, walk, f_target, ahead, pick, label, out)
    return counting.finished(run, walk.losses, out)


@njit
def _over_all(graph, gains, walk, f_target, mode, lam, lo, hi, label, out):
    """The plain count program over all (state, code) pairs. Returns whether there is a label."""
    pick, ahead = np.empty(walk.y.size, np.int64), np.zeros(gains.size + 1)
    aim = counting.aim_over(mode, lam, walk.scale, lo, hi, walk.losses)
    if 0 < gains.size * walk.n_codes < _MOST_CELLS:
        code = _dense_program(graph, gains, walk, aim, 1.0 - f_target, 0, walk.n_codes - 1, pick)
    else:
        code, _ = _count_program(graph, gains, walk, aim, ahead, 1.0 - f_target, counting.WHOLE, pick)
    if code >= 0:
        _take(graph, walk, 1.0 + _scored(graph, gains, walk, pick)[0] - f_target, code, pick, label, out)
    return code >= 0


@njit
def _tabled(walk):
    """Whether the table of all codes is filled at once: two codes leave nothing to search, and two counters have loose bounds."""
    return walk.n_codes == 2 or (walk.pair > 0 and walk.n_codes <= _FEW_CODES)


@njit
def _valued(rescaling, threshold, out):
    """Complete an exact answer that holds h and g. Returns whether it beats the threshold."""
    out[2] = out[0] * out[1] if rescaling else out[0] - 1.0 + out[1]
    out[3] = max(out[2], 0.0)
    if out[2] > threshold:
        return 1
    out[0], out[1], out[2] = 1.0, 0.0, 0.0
    return 0


@njit
def _best(graph, gains, walk, rescaling, lam, threshold, tol, label, out):
    f_target = _scored(graph, gains, walk, walk.y)[0]
    out[0], out[1], out[2], out[3], out[4], out[5] = 1.0, 0.0, 0.0, 0.0, lam, 1.0
    if _tabled(walk):
        mode = counting.PRODUCT if rescaling else counting.SUM
        _over_all(graph, gains, walk, f_target, mode, 1.0, 0.0, 0.0, label, out)
    elif rescaling:
        found = _search(graph, gains, walk, f_target, counting.PRODUCT, lam, threshold, tol, label, out)
        if found:
            out[2] = out[0] * out[1]
        return found
    else:
        _search(graph, gains, walk, f_target, counting.SUM, 1.0, 0.0, 0.0, label, out)
        out[4] = lam
    return _valued(rescaling, threshold, out)


@njit
def _views(shared, pool):
    """The graph, and the gains of its states; without edges these are zeros that the pool does not hold."""
    n, m, n_table = size_of(shared)
    head = carray(shared, HEAD + 2 * m + 3 * n + 3)[HEAD + 2 * m :]
    n_states, n_bits = head[2 * n], head[3 * n + 2]
    graph = graph_of(carray(shared, HEAD + 2 * m + 3 * n + 3 + n_bits + 2 * n_states)[HEAD + 2 * m :], n)
    return graph, carray(pool, n_table + m + n_states)[n_table + m :] if m > 0 else np.zeros(n_states)


def best(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """Direct exact argmax; see `compiling.BEST`."""
    example, (graph, gains) = set_of(shared, pool, target, theta), _views(shared, pool)
    walk = _walked(example, graph)
    return _best(graph, gains, walk, rescaling, lam, threshold, tol, carray(label, example.y.size), carray(out, 6))


def best_by_counting(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """The plain count program, the named baseline (after Bauer et al., 2014): all (state, count) pairs. O(L^2 states)."""
    example, (graph, gains) = set_of(shared, pool, target, theta), _views(shared, pool)
    walk, result = _walked(example, graph), carray(out, 6)
    f_target, mode = _scored(graph, gains, walk, walk.y)[0], counting.PRODUCT if rescaling else counting.SUM
    _over_all(graph, gains, walk, f_target, mode, 1.0, 0.0, 0.0, carray(label, example.y.size), result)
    result[4], result[5] = lam, 1.0
    return _valued(rescaling, threshold, result)


@njit
def _most_h(graph, gains, walk, f_target, label, out):
    """The greatest h, as `decode` finds it: one pass without bonuses."""
    n = walk.y.size
    worth_out, worth_in, ahead, pick = np.empty(n), np.empty(n), np.empty(gains.size + 1), np.empty(n, np.int64)
    _weighed(walk, 0.0, 0.0, worth_out, worth_in)
    backward(graph, gains, worth_out, worth_in, ahead)
    follow(graph, gains, worth_out, worth_in, ahead, pick)
    total, code = _scored(graph, gains, walk, pick)
    _take(graph, walk, 1.0 + total - f_target, code, pick, label, out)


def answer(kind, lam, region, shared, pool, target, theta, label, point):
    """The lambda-oracle and bands of loss; see `asking`. A plane of a counted loss is one pass, a band a count program."""
    if kind == CONE:
        return -1
    example, (graph, gains) = set_of(shared, pool, target, theta), _views(shared, pool)
    walk, ends, out, kept = _walked(example, graph), carray(region, 2), np.empty(6), carray(label, example.y.size)
    f_target, found = _scored(graph, gains, walk, walk.y)[0], True
    if kind == GREATEST_H:
        _most_h(graph, gains, walk, f_target, kept, out)
    elif kind == PLANE and not _tabled(walk):
        _search(graph, gains, walk, f_target, counting.SUM, lam, 0.0, 0.0, kept, out)
    else:
        mode = counting.BAND if kind == BAND else counting.SUM if kind == PLANE else counting.MOST
        found = _over_all(graph, gains, walk, f_target, mode, lam, ends[0], ends[1], kept, out)
    if not found:
        return 0
    carray(point, 2)[0], carray(point, 2)[1] = out[0], out[1]
    return 1


def prepare(shared, weights, pool):
    """The weights, and what the edges gain in each state; see `compiling.PREPARE`."""
    _, m, _ = size_of(shared)
    copy_weights(shared, weights, pool)
    if m > 0:
        graph, gains = _views(shared, pool)
        edge_gains(graph, carray(weights, m), gains)
    return 0
