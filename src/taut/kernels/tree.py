"""Labelings of a forest: decoding, k best, and the one-pass exact slack argmax for losses that count wrong nodes (NOTES C.3).

An inside pass at a multiplier, leaves to roots, gives every state its best subtree; from the roots down only states whose best
labeling can still beat the incumbent are kept, mostly one or two per node; a count program over these merges subtrees, pruned by
what the rest can add. O(N K^2), and at worst O(N^2 K^2).

One example: shared = (K, normalise, zero-one, pairwise per edge, cost K x K); pool = (unit, and where all edges share one table, P
and its transpose); target = (N, weight of all, m, y (N), w (N), node (N), parent (N), link (N)); theta = (unary (N, K), and where
tables are per edge, P (m, K, K) and their transposes).

Nodes stand in preorder: position p holds node[p], its parent stands at position parent[p] < p, -1 for a root, joined by the edge
link[p] // 2, turned where link[p] is odd: then the child is the edge's first end. The loss of a labeling is scale * count.
Costs, w and the weight of all are real numbers, by their bits; `zero-one` is 2 where they have no common unit (`pareto`).
"""

from typing import Any, NamedTuple

import numpy as np
from numba import carray

from . import counting
from .asking import BAND, CONE, GREATEST_G, GREATEST_H, PLANE
from .compiling import njit
from .heap import grown
from .pareto import narrowed, share, thinned

__all__ = ["Model", "answer", "best", "best_by_counting", "follow", "inside", "parts", "rooted", "score", "topk"]

_ROOM = 0.5  # of an inside pass, in steps: what an attempt at the count program may cost before the next multiplier
S, C, STATE, PARTIAL, BELOW, PLACE = range(6)  # of a partial labeling: score, count, state, what it grew from, subtree added, where


class Model(NamedTuple):
    """One example: the forest, scores by node and edge, the target, and what states count at nodes.

    step is counting.NO_UNIT where counts have no unit, else 0. tables (2, m or 1, K, K) are the pairwise scores [state of the first
    end, state of the second] and their transposes; one table serves all edges where there is but one.
    """

    node: Any
    parent: Any
    link: Any
    unary: Any
    tables: Any
    y: Any
    counts: Any
    scale: float
    step: int


@njit
def rooted(edges, node, parent, link):
    """Fill the preorder of the forest of edges (m, 2) over node.size nodes, roots being the lowest nodes of their trees.

    Returns -1, or an edge that closes a cycle.
    """
    n, m = node.size, edges.shape[0]
    first, following = np.full(n, -1), np.empty(2 * m, np.int64)
    for e in range(m - 1, -1, -1):
        for end in range(2):
            following[2 * e + end] = first[edges[e, end]]
            first[edges[e, end]] = 2 * e + end
    seen, todo, via = np.full(n, -1), np.empty(n + 2 * m, np.int64), np.empty(n + 2 * m, np.int64)
    filled = 0
    for root in range(n):
        if seen[root] >= 0:
            continue
        todo[0], via[0], size = root, -1, 1
        while size > 0:
            size -= 1
            v, how = todo[size], via[size]
            if seen[v] >= 0:
                return how // 2
            seen[v] = filled
            node[filled], link[filled], parent[filled] = v, 0, -1
            if how >= 0:  # half edge 2 e + end starts at the parent: turned where the parent is the second end
                parent[filled], link[filled] = seen[edges[how // 2, how % 2]], how
            filled += 1
            half = first[v]
            while half >= 0:
                if how < 0 or half // 2 != how // 2:
                    todo[size], via[size] = edges[half // 2, 1 - half % 2], half
                    size += 1
                half = following[half]
    return -1


@njit
def _moves(model, p):
    """The scores of the edge above position p as [state of the parent, state of the child], and turned."""
    e = model.link[p] // 2 if model.tables.shape[1] > 1 else 0
    turned = model.link[p] % 2
    return model.tables[turned, e], model.tables[1 - turned, e]


@njit
def _augment(model, x, total):
    """total[p, k] = unary plus x per count."""
    for p in range(model.node.size):
        v = model.node[p]
        for k in range(total.shape[1]):
            total[p, k] = model.unary[v, k] + x * model.counts[v, k]


@njit
def inside(model, total, message):
    """Add to total[p, k] (unary scores by position) the best of the subtree below; message[p, k] is p's from state k above.

    Returns the greatest score. O(N K^2).
    """
    n, n_states = total.shape
    greatest = 0.0
    for p in range(n - 1, -1, -1):
        v, here, out = model.parent[p], total[p], message[p]
        if v < 0:
            top = -np.inf
            for k in range(n_states):
                top = here[k] if here[k] > top else top
            greatest += top
            continue
        _, turned = _moves(model, p)
        for k in range(n_states):
            out[k] = -np.inf
        for j in range(n_states):
            x, row = here[j], turned[j]
            for k in range(n_states):
                y = x + row[k]
                out[k] = y if y > out[k] else out[k]
        for k in range(n_states):
            total[v, k] += out[k]
    return greatest


@njit
def follow(model, total, first, label):
    """Read the best labeling of positions `first`.. off the inside pass, roots first; ties go to the lowest state. O(N K)."""
    n, n_states = total.shape
    for p in range(first, n):
        top, arg, v = -np.inf, 0, model.parent[p]
        if v < 0:
            for k in range(n_states):
                if total[p, k] > top:
                    top, arg = total[p, k], k
        else:
            moves, _ = _moves(model, p)
            row = moves[label[model.node[v]]]
            for k in range(n_states):
                if row[k] + total[p, k] > top:
                    top, arg = row[k] + total[p, k], k
        label[model.node[p]] = arg


@njit
def score(model, label):
    """The score of a labeling, summed in preorder."""
    total = 0.0
    for p in range(model.node.size):
        v, k = model.parent[p], label[model.node[p]]
        total += model.unary[model.node[p], k]
        if v >= 0:
            moves, _ = _moves(model, p)
            total += moves[label[model.node[v]], k]
    return total


@njit
def _is_right(model, label):
    wrong = 0
    for v in range(label.size):
        wrong += label[v] != model.y[v]
    return wrong == 0


@njit
def _count(model, label):
    total = 0.0
    for v in range(label.size):
        total += model.counts[v, label[v]]
    return total


@njit
def _levels(model, total, message, greatest, cut, level):
    """level[p, k]: the greatest score of a labeling with state k at p, -inf where it is not above `cut`. O(N K) where few are."""
    n, n_states = total.shape
    for p in range(n):
        v = model.parent[p]
        for k in range(n_states):
            level[p, k] = -np.inf
        if v < 0:
            top = -np.inf
            for k in range(n_states):
                top = max(top, total[p, k])
            for k in range(n_states):
                x = greatest - top + total[p, k]
                level[p, k] = x if x > cut else -np.inf
            continue
        moves, _ = _moves(model, p)
        for k in range(n_states):
            if level[v, k] > -np.inf:
                rest = level[v, k] - message[p, k]
                for j in range(n_states):
                    x = rest + moves[k, j] + total[p, j]
                    if x > cut and x > level[p, j]:
                        level[p, j] = x


@njit
def _child_records(records, start, stop, moves, k, n_states, slot, found, size):
    """The best of each count among a child's partial labelings from state k above: into found (score, count, record).

    Without slots, all that matter (`pareto`).
    """
    for j in range(n_states):
        for i in range(start[j], stop[j]):
            x = records[i, S] + moves[k, j]
            if x == -np.inf:
                continue
            at = slot[int(records[i, C])] if slot.size else -1
            if at < 0:
                if size == found.shape[0]:
                    found = grown(found)
                if slot.size:
                    slot[int(records[i, C])] = size
                found[size, 0], found[size, 1], found[size, 2] = x, records[i, C], i
                size += 1
            elif x > found[at, 0]:
                found[at, 0], found[at, 2] = x, i
    if slot.size == 0:
        return found, thinned(found, 0, size, 0, 1, 1, 1)
    for i in range(size):
        slot[int(found[i, 1])] = -1
    return found, size


@njit
def _folded(model, total, message, level, most, state, sums):
    """Fold subtrees in which one state per node is left into their parents: state[p] there, -1 elsewhere.

    sums[v] (row N for all roots) is what folded subtrees add from state k of v: their scores (K), what they add to the pass (K),
    their count, their greatest count, and whether a child is left that is not folded. Returns False where a node has no state left.
    """
    n, n_states = level.shape
    for p in range(n - 1, -1, -1):
        v, u, n_left, j = model.parent[p], model.node[p], 0, 0
        for k in range(n_states):
            if level[p, k] > -np.inf:
                n_left, j = n_left + 1, k
        if n_left == 0:
            return False
        parent = v if v >= 0 else n
        mine, sums_above = sums[p], sums[parent]
        if n_left > 1 or mine[2 * n_states + 2] > 0.0:
            state[p], sums_above[2 * n_states + 2] = -1, 1.0
            continue
        state[p] = j
        s = model.unary[u, j] + mine[j]
        sums_above[2 * n_states] += model.counts[u, j] + mine[2 * n_states]
        sums_above[2 * n_states + 1] += most[u] + mine[2 * n_states + 1]
        if v < 0:
            sums_above[0] += s
            sums_above[n_states] += total[p, j]
            continue
        moves, _ = _moves(model, p)
        for k in range(n_states):
            sums_above[k] += s + moves[k, j]
            sums_above[n_states + k] += message[p, k]
    return True


@njit
def _count_program(model, total, message, level, greatest, base, aim, most, room, label):
    """Merge subtrees by (state, count), kept only where they can still matter (`counting.keeps`).

    total, message and level are of the pass at the aim's bonuses, greatest with the base; most (N,) the greatest count of each
    node. Returns the count of the best complete labeling, -1 where none is above the goal, UNDONE when more than `room` steps were
    needed, and whether all that matter were seen; the labeling goes to `label`.
    """
    n, n_states = level.shape
    state, sums = np.empty(n, np.int64), np.zeros((n + 1, 2 * n_states + 3))
    if not _folded(model, total, message, level, most, state, sums):
        return -1.0, True
    for p in range(n):
        label[model.node[p]] = state[p]
    of, most_of = 2 * n_states, 2 * n_states + 1
    if sums[n, 2 * n_states + 2] == 0.0:  # one labeling is left
        worth = counting.worth(aim, base + sums[n, 0], sums[n, of])
        floor = aim.goal if aim.mode in (counting.PRODUCT, counting.SUM) else -np.inf
        return sums[n, of] if worth > floor else -1.0, True
    records = np.empty((4 * n + 64, 6))
    found = np.empty((16, 3))
    slot = np.full(int(most.sum()) + 1 if model.step == 0 else 0, -1)
    start, stop = np.zeros((n + 1, n_states), np.int64), np.zeros((n + 1, n_states), np.int64)
    done, merged = np.zeros((n + 1, n_states)), np.full(n + 1, -1.0)  # bonus scores of what is merged; its greatest count
    no_moves = np.zeros((n_states, n_states))
    total_most, x = most.sum(), aim.lam * aim.scale
    end, steps, complete = 1, 0.0, True
    records[0, S], records[0, C], records[0, STATE], records[0, PARTIAL] = base + sums[n, 0], sums[n, of], 0.0, -1.0
    records[0, BELOW], records[0, PLACE] = -1.0, n
    start[n, 0], stop[n, 0], done[n, 0], merged[n] = 0, 1, base + sums[n, n_states], sums[n, most_of]
    for p in range(n - 1, -1, -1):
        if state[p] >= 0:
            continue
        v = model.parent[p] if model.parent[p] >= 0 else n
        for q in (p, v):
            if merged[q] < 0.0:
                u = model.node[q]
                merged[q] = most[u] + sums[q, most_of]
                for k in range(n_states):
                    start[q, k] = stop[q, k] = end
                    c = model.counts[u, k]
                    done[q, k] = model.unary[u, k] + x * c + sums[q, n_states + k]
                    if level[q, k] > -np.inf:
                        if end == records.shape[0]:
                            records = grown(records)
                        records[end, S], records[end, C] = model.unary[u, k] + sums[q, k], c + sums[q, of]
                        records[end, STATE], records[end, PARTIAL], records[end, BELOW], records[end, PLACE] = k, -1.0, -1.0, q
                        end += 1
                        stop[q, k] = end
        moves = no_moves
        if v < n:
            moves, _ = _moves(model, p)
        merged[v] += merged[p]
        most_left = total_most - merged[v]
        for k in range(n_states if v < n else 1):
            if start[v, k] == stop[v, k]:
                continue
            found, size = _child_records(records, start[p], stop[p], moves, k, n_states, slot, found, 0)
            top = -np.inf
            if v == n:
                for j in range(n_states):
                    top = max(top, total[p, j])
            done[v, k] += message[p, k] if v < n else top
            rest = (level[v, k] if v < n else greatest) - done[v, k]
            if model.step == counting.NO_UNIT and room == np.inf:
                few, all_of, all_found = np.sqrt(share(steps)), stop[v, k], size
                stop[v, k], size = narrowed(records, start[v, k], all_of, few), narrowed(found, 0, size, few)
                complete = complete and stop[v, k] == all_of and size == all_found
            first = end
            steps += n_states + size * (stop[v, k] - start[v, k])
            if steps > room:
                return float(counting.UNDONE), False
            for i in range(start[v, k], stop[v, k]):
                for f in range(size):
                    s, c = records[i, S] + found[f, 0], records[i, C] + found[f, 1]
                    if not counting.keeps(aim, s + counting.bonus(aim, c) + rest, c, most_left):
                        continue
                    at = slot[int(c)] if slot.size else -1
                    if at < 0:
                        if end == records.shape[0]:
                            records = grown(records)
                        at = end
                        if slot.size:
                            slot[int(c)] = at
                        records[at, S], records[at, C], records[at, STATE], records[at, PLACE] = s, c, k, v
                        end += 1
                    elif not s > records[at, S]:
                        continue
                    records[at, S], records[at, PARTIAL], records[at, BELOW] = s, i, found[f, 2]
            if slot.size == 0:
                end = thinned(records, first, end, S, C, PLACE, 1)
            else:
                for i in range(first, end):
                    slot[int(records[i, C])] = -1
            start[v, k], stop[v, k] = first, end
    top, arg = aim.goal if aim.mode in (counting.PRODUCT, counting.SUM) else -np.inf, -1
    for i in range(start[n, 0], stop[n, 0]):
        x = counting.worth(aim, records[i, S], records[i, C])
        if x > top or (aim.mode == counting.MOST and x == top and records[i, S] > records[arg, S]):
            top, arg = x, i
    if arg < 0:
        return -1.0, complete
    _read(records, arg, model.node, label)
    return records[arg, C], complete


@njit
def _read(records, arg, node, label):
    """The labeling of a complete record: at every node the state of what it grew from."""
    n = node.size
    todo = np.empty(n + 1, np.int64)
    todo[0], size = arg, 1
    while size > 0:
        size -= 1
        i = todo[size]
        place = int(records[i, PLACE])
        if place < n:
            label[node[place]] = int(records[i, STATE])
        while records[i, PARTIAL] >= 0.0:
            todo[size] = int(records[i, BELOW])
            size += 1
            i = int(records[i, PARTIAL])


@njit
def _greatest_counts(model):
    most = np.zeros(model.node.size)
    for v in range(model.node.size):
        for k in range(model.counts.shape[1]):
            most[v] = max(most[v], model.counts[v, k])
    return most


@njit
def _counted(model, base, greatest, aim, work, most, room, label):
    """The count program after a pass, as it answers. `work` holds total, message and room for levels."""
    _levels(model, work[0], work[1], greatest, aim.level, work[2])
    return _count_program(model, work[0], work[1], work[2], greatest, base, aim, most, room, label)


@njit
def _pass(model, x, work):
    """The inside pass at x per count; returns the greatest score."""
    _augment(model, x, work[0])
    return inside(model, work[0], work[1])


@njit
def _attempt(model, run, f_target, greatest, work, most, label, kept, out):
    """The count program above the goal of `run`; returns what to do next."""
    none = np.empty(0)
    room = counting.room(run, _ROOM * model.unary.size * model.unary.shape[1] + 8.0 * model.node.size + 64.0)
    c, complete = _counted(model, 1.0 - f_target, greatest, counting.aim_of(run, none), work, most, room, label)
    if c == counting.UNDONE:
        return counting.ran_out(run, none)
    if c >= 0:
        h = 1.0 + score(model, label) - f_target
        counting.took(run, h, c, none)
        _keep(model, run, h, c, label, kept, out)
    return counting.closed(run, complete)


@njit
def _keep(model, run, h, c, label, kept, out):
    """Keep a label that was taken in, where it is the best so far."""
    if run[counting.BETTER]:
        out[0], out[1], out[2] = h, model.scale * c, run[counting.VALUE]
        for v in range(label.size):
            kept[v] = label[v]


@njit
def _slack(model, f_target, lam, threshold, tol, work, kept, out):
    """The exact argmax of h g above the threshold, with `tol` a label within it and the bound."""
    label, most, none = np.empty(kept.size, np.int64), _greatest_counts(model), np.empty(0)
    run = counting.started(counting.PRODUCT, lam, threshold, tol, most.sum(), model.scale, none, model.step)
    what, k = counting.AGAIN, 0.0
    while what != counting.STOP:
        if what == counting.AGAIN:
            k = 1.0 - f_target + _pass(model, run[counting.A], work)
            out[5] += 1.0
            what = counting.passed(run, k, none)
        elif what == counting.LABEL:
            follow(model, work[0], 0, label)
            if _is_right(model, label):
                level = _first_wrong(model, work[0], k - 1.0 + f_target, label)
                what = counting.beyond(run, 1.0 - f_target + level, none)
            if what == counting.LABEL:
                h, c = 1.0 + score(model, label) - f_target, _count(model, label)
                what = counting.labelled(run, h, c, none)
                _keep(model, run, h, c, label, kept, out)
        else:
            what = _attempt(model, run, f_target, k, work, most, label, kept, out)
    return counting.finished(run, none, out)


@njit
def _first_wrong(model, total, greatest, label):
    """The best labeling that differs from the target: right up to some position, wrong there, the best after it. O(N K).

    total and greatest are of an inside pass at bonuses that are 0 where states are right. Returns its score with bonuses,
    -inf where there is none.
    """
    n, n_states = total.shape
    here = np.empty(n_states)
    prefix, top, where, what = greatest, -np.inf, 0, 0  # prefix: the positions before are right, the others as good as can be
    for p in range(n):
        v, right = model.parent[p], model.y[model.node[p]]
        for k in range(n_states):
            here[k] = total[p, k]
        if v >= 0:
            moves, _ = _moves(model, p)
            for k in range(n_states):
                here[k] += moves[model.y[model.node[v]], k]
        prefix -= here.max()
        for k in range(n_states):
            if k != right and prefix + here[k] > top:
                top, where, what = prefix + here[k], p, k
        prefix += here[right]
    if top > -np.inf:
        for p in range(where):
            label[model.node[p]] = model.y[model.node[p]]
        label[model.node[where]] = what
        follow(model, total, where + 1, label)
    return top


@njit
def _single(model, zero_one, rescaling, f_target, threshold, work, label, kept, out):
    """What one pass answers: the margin argmax, and zero-one loss, where all that matters is the best labeling that is wrong."""
    out[5] = 1.0
    if zero_one:
        level = _first_wrong(model, work[0], _pass(model, 0.0, work), label)
        if level == -np.inf:
            return 0
    else:
        _pass(model, model.scale, work)
        follow(model, work[0], 0, label)
    h, g = 1.0 + score(model, label) - f_target, model.scale
    if not zero_one:
        g *= _count(model, label)
    value = h * g if rescaling else h - 1.0 + g
    out[3] = max(value, 0.0)
    return _write(h, g, value, threshold, label, kept, out)


@njit
def _write(h, g, value, threshold, label, kept, out):
    if not value > threshold:
        return 0
    out[0], out[1], out[2] = h, g, value
    for v in range(label.size):
        kept[v] = label[v]
    return 1


@njit
def _right(model, kind, lam, lo, hi, h, kept, point):
    """The answer to a question under zero-one loss: the label in `kept`, of that h, or the target."""
    scale = model.scale
    wrong = h > -np.inf and (kind != BAND or lo < scale < hi)
    right = kind != BAND or lo < 0.0 < hi
    worth = scale if kind == GREATEST_G else h if kind == GREATEST_H else h + lam * scale
    if wrong and (not right or worth > (0.0 if kind == GREATEST_G else 1.0)):
        point[0], point[1] = h, scale
        return 1
    if right:
        point[0], point[1] = 1.0, 0.0
        for v in range(kept.size):
            kept[v] = model.y[v]
        return 1
    return 0


@njit
def topk(model, n_best, labels, scores):
    """The n_best labelings of greatest score into labels (n_best, N), scores; returns how many there are. O(N K (K n + n^2))."""
    n, n_states = model.unary.shape
    value = np.full((n + 1, n_states, n_best), -np.inf)
    below = np.full(n_best, -np.inf)
    state, rank = np.zeros((n, n_states, n_best), np.int64), np.zeros((n, n_states, n_best), np.int64)
    mine, its = np.zeros((n, n_states, n_best), np.int64), np.zeros((n, n_states, n_best), np.int64)
    at, merged, no_moves = np.empty(max(n_states, n_best), np.int64), np.empty(n_best), np.zeros((n_states, n_states))
    for p in range(n):
        for k in range(n_states):
            value[p, k, 0] = model.unary[model.node[p], k]
    value[n, 0, 0] = 0.0
    for p in range(n - 1, -1, -1):
        v, moves = n, no_moves
        if model.parent[p] >= 0:
            v = model.parent[p]
            moves, _ = _moves(model, p)
        for k in range(n_states if v < n else 1):
            at[:] = 0
            below[:] = -np.inf
            for r in range(n_best):  # the best of p's subtree from state k above
                top, arg = -np.inf, -1
                for j in range(n_states):
                    if at[j] < n_best:
                        x = value[p, j, at[j]] + moves[k, j]
                        if x > top:
                            top, arg = x, j
                if arg < 0:
                    break
                below[r], state[p, k, r], rank[p, k, r] = top, arg, at[arg]
                at[arg] += 1
            at[:] = 0
            merged[:] = -np.inf
            for r in range(n_best):  # the best sums of one of v's so far and one of p's
                top, arg = -np.inf, -1
                for i in range(n_best):
                    if at[i] < n_best and value[v, k, i] + below[at[i]] > top:
                        top, arg = value[v, k, i] + below[at[i]], i
                    if at[i] == 0:
                        break
                if arg < 0:
                    break
                merged[r], mine[p, k, r], its[p, k, r] = top, arg, at[arg]
                at[arg] += 1
            value[v, k] = merged
    found = 0
    states, ranks = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    while found < n_best and value[n, 0, found] > -np.inf:
        states[n], ranks[n] = 0, found
        for p in range(n):
            v = model.parent[p] if model.parent[p] >= 0 else n
            k, r = states[v], its[p, states[v], ranks[v]]
            ranks[v] = mine[p, k, ranks[v]]
            states[p], ranks[p] = state[p, k, r], rank[p, k, r]
            labels[found, model.node[p]] = states[p]
        scores[found] = score(model, labels[found])
        found += 1
    return found


@njit
def _model(shared, pool, target, theta):
    """The example of the pointers' data, and room for a pass: total, message and levels."""
    head = carray(shared, 4)
    n_states, own = head[0], head[3] > 0
    square = n_states * n_states
    cost = carray(shared, 4 + square)[4:].view(np.float64).reshape(n_states, n_states)
    n = carray(target, 1)[0]
    words = carray(target, 3 + 5 * n)
    m = words[2]
    numbers, scores = carray(pool, 1 if own else 1 + 2 * square), carray(theta, n * n_states + (2 * m * square if own else 0))
    if own:
        tables = scores[n * n_states :].reshape(2, m, n_states, n_states)
    else:
        tables = numbers[1:].reshape(2, 1, n_states, n_states)
    y, w = words[3 : 3 + n], words[3 + n : 3 + 2 * n].view(np.float64)
    counts = np.empty((n, n_states))
    for v in range(n):
        for k in range(n_states):
            counts[v, k] = w[v] * cost[y[v], k]
    node, parent, link = words[3 + 2 * n : 3 + 3 * n], words[3 + 3 * n : 3 + 4 * n], words[3 + 4 * n :]
    unary = scores[: n * n_states].reshape(n, n_states)
    scale = numbers[0] / words[1:2].view(np.float64)[0] if head[1] else numbers[0]
    step = counting.NO_UNIT if head[2] == 2 else 0
    return Model(node, parent, link, unary, tables, y, counts, scale, step), np.empty((3, n, n_states))


def best(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """Direct exact argmax; see `compiling.BEST`."""
    model, work = _model(shared, pool, target, theta)
    kept, result, zero_one = carray(label, model.y.size), carray(out, 6), carray(shared, 4)[2] == 1
    result[0], result[1], result[2], result[3], result[4], result[5] = 1.0, 0.0, 0.0, 0.0, lam, 0.0
    f_target = score(model, model.y)
    if zero_one or rescaling == 0:
        one = np.empty(kept.size, np.int64)
        return _single(model, zero_one, rescaling, f_target, threshold, work, one, kept, result)
    return _slack(model, f_target, lam, threshold, tol, work, kept, result)


def best_by_counting(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """The plain count program, the named baseline (after Bauer et al., 2014): all (state, count) pairs, no pruning. O(N^2 K^2)."""
    model, work = _model(shared, pool, target, theta)
    kept, result, one = carray(label, model.y.size), carray(out, 6), np.empty(model.y.size, np.int64)
    result[0], result[1], result[2], result[3], result[4], result[5] = 1.0, 0.0, 0.0, 0.0, lam, 1.0
    f_target = score(model, model.y)
    aim = counting.aim_over(counting.PRODUCT if rescaling else counting.SUM, 1.0, model.scale, 0.0, 0.0, np.empty(0))
    k = 1.0 - f_target + _pass(model, aim.lam * aim.scale, work)
    c, _ = _counted(model, 1.0 - f_target, k, aim, work, _greatest_counts(model), counting.WHOLE, one)
    h, g = 1.0 + score(model, one) - f_target, model.scale * c
    value = h * g if rescaling else h - 1.0 + g
    result[3] = max(value, 0.0)
    return _write(h, g, value, threshold, one, kept, result)


def answer(kind, lam, region, shared, pool, target, theta, label, point):
    """The lambda-oracle and bands of loss; see `asking`. A plane is one pass, a band a count program."""
    if kind == CONE:
        return -1
    model, work = _model(shared, pool, target, theta)
    kept, spot, ends = carray(label, model.y.size), carray(point, 2), carray(region, 2)
    f_target = score(model, model.y)
    if carray(shared, 4)[2] == 1:
        level = _first_wrong(model, work[0], _pass(model, 0.0, work), kept)
        h = 1.0 + score(model, kept) - f_target if level > -np.inf else level
        return _right(model, kind, lam, ends[0], ends[1], h, kept, spot)
    x = 0.0 if kind == GREATEST_H else lam * model.scale
    k = 1.0 - f_target + _pass(model, x, work)
    if kind in (PLANE, GREATEST_H):
        follow(model, work[0], 0, kept)
    else:
        aim = counting.aim_over(counting.BAND if kind == BAND else counting.MOST, lam, model.scale, ends[0], ends[1], np.empty(0))
        if _counted(model, 1.0 - f_target, k, aim, work, _greatest_counts(model), counting.WHOLE, kept)[0] < 0:
            return 0
    spot[0], spot[1] = 1.0 + score(model, kept) - f_target, model.scale * _count(model, kept)
    return 1


def parts(shared, target, label, out):
    """A state at every node, a pair of states on every edge; see `compiling.PARTS`."""
    n_states, n = carray(shared, 1)[0], carray(target, 1)[0]
    words, y, places = carray(target, 3 + 5 * n), carray(label, n), carray(out, 2 * n)
    node, parent, link = words[3 + 2 * n : 3 + 3 * n], words[3 + 3 * n : 3 + 4 * n], words[3 + 4 * n :]
    found = n
    for p in range(n):
        v = node[p]
        places[v] = v * n_states + y[v]
        if parent[p] >= 0:
            u = node[parent[p]]
            first, second = (v, u) if link[p] % 2 else (u, v)
            places[found] = n * n_states + y[first] * n_states + y[second]
            found += 1
    return found
