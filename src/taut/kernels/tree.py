"""Labelings of a forest: decoding, k best, and the one-pass exact slack argmax with one or two counters (NOTES C.3, C.8).

A `Model` is one example as plain arrays; `solve_tree` and `answer_tree` serve any structure that can write its labels as states on
a forest (n_states = 2 for label sets). The steps: an inside pass at a multiplier, leaves to roots, gives every state its best
subtree; from the roots down only states whose best labeling can still beat the incumbent are kept, mostly one or two per node;
a count program over these merges subtrees, pruned by what the rest can add. O(N K^2), and at worst O(N^2 K^2) with one counter.

Nodes stand in preorder: position p holds node[p], its parent stands at position parent[p] < p, -1 for a root, joined by the edge
link[p] // 2, turned where link[p] is odd: then the child is the edge's first end. tables (2, m or 1, K, K) are the pairwise scores
[state of the first end, state of the second] and their transposes; one table serves all edges where there is but one.
counts (N, K) say what state k at node v counts: its cost with one counter, `step` for a false positive and 1 for a false negative
with two, where `losses` (step = P + 1 columns, flat) is the table of the loss; with one counter `losses` is empty and step 0.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import carray

from . import counting
from .asking import BAND, CONE, GREATEST_G, GREATEST_H, PLANE
from .compiling import njit
from .heap import grown

__all__ = [
    "Model", "answer", "answer_tree", "best", "best_by_counting", "follow", "inside", "parts", "rooted", "score", "solve_tree",
    "topk",
]  # fmt: skip

_ROOM = 0.5  # of an inside pass, in steps: what an attempt at the count program may cost before the next multiplier
S, C, STATE, PARTIAL, BELOW, PLACE = range(6)  # of a partial labeling: score, count, state, what it grew from, subtree added, where


class Model(NamedTuple):
    """One example: the forest, scores by node and edge, the target, and what states count; see the module."""

    node: Any
    parent: Any
    link: Any
    unary: Any
    tables: Any
    y: Any
    counts: Any
    scale: float
    losses: Any
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
def _augment(model, a, b, total):
    """total[p, k] = unary plus the bonus of its count: a per count, or a and b per false positive and negative."""
    for p in range(model.node.size):
        v = model.node[p]
        for k in range(total.shape[1]):
            c = model.counts[v, k]
            x = a * (c // model.step) + b * (c % model.step) if model.step > 0 else a * c
            total[p, k] = model.unary[v, k] + x


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
    total = 0
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
    """The best of each count among a child's partial labelings from state k above: into found (score, count, record)."""
    for j in range(n_states):
        for i in range(start[j], stop[j]):
            x = records[i, S] + moves[k, j]
            if x == -np.inf:
                continue
            at = slot[int(records[i, C])]
            if at < 0:
                if size == found.shape[0]:
                    found = grown(found)
                slot[int(records[i, C])] = size
                found[size, 0], found[size, 1], found[size, 2] = x, records[i, C], i
                size += 1
            elif x > found[at, 0]:
                found[at, 0], found[at, 2] = x, i
    for i in range(size):
        slot[int(found[i, 1])] = -1
    return found, size


@njit
def _count_program(model, total, message, level, greatest, base, aim, a, b, most, n_codes, room, label):
    """Merge subtrees by (state, count), kept only where they can still matter (`counting.keeps`).

    total, message and level are of the pass at the aim's bonuses a, b, greatest with the base; most (N,) the greatest count of each
    node. Returns the count of the best complete labeling, -1 where none is above the goal, UNDONE when more than `room` steps were
    needed; it goes to `label`.
    """
    n, n_states = level.shape
    records = np.empty((4 * n + 64, 6))
    found = np.empty((16, 3))
    slot = np.full(n_codes, -1)
    start, stop = np.zeros((n + 1, n_states), np.int64), np.zeros((n + 1, n_states), np.int64)
    done, merged = np.zeros((n + 1, n_states)), np.full(n + 1, -1.0)  # bonus scores of what is merged; its greatest count
    no_moves = np.zeros((n_states, n_states))
    total_most = 0.0
    for v in range(n):
        total_most += most[v]
    end, steps = 1, 0.0
    records[0, S], records[0, C], records[0, STATE], records[0, PARTIAL], records[0, BELOW] = base, 0.0, 0.0, -1.0, -1.0
    records[0, PLACE] = n
    start[n, 0], stop[n, 0], done[n, 0], merged[n] = 0, 1, base, 0.0
    for p in range(n - 1, -1, -1):
        v = model.parent[p] if model.parent[p] >= 0 else n
        for q in (p, v):
            if merged[q] < 0.0:
                u = model.node[q]
                merged[q] = most[u]
                for k in range(n_states):
                    start[q, k] = stop[q, k] = end
                    c = model.counts[u, k]
                    x = a * (c // model.step) + b * (c % model.step) if model.step > 0 else a * c
                    done[q, k] = model.unary[u, k] + x
                    if level[q, k] > -np.inf:
                        if end == records.shape[0]:
                            records = grown(records)
                        records[end, S], records[end, C], records[end, STATE], records[end, PARTIAL] = model.unary[u, k], c, k, -1.0
                        records[end, BELOW], records[end, PLACE] = -1.0, q
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
            first = end
            steps += n_states + size * (stop[v, k] - start[v, k])
            if steps > room:
                return counting.UNDONE
            for i in range(start[v, k], stop[v, k]):
                for f in range(size):
                    s, c = records[i, S] + found[f, 0], records[i, C] + found[f, 1]
                    if not counting.keeps(aim, s + counting.bonus(aim, c) + rest, c, most_left):
                        continue
                    at = slot[int(c)]
                    if at < 0:
                        if end == records.shape[0]:
                            records = grown(records)
                        slot[int(c)] = at = end
                        records[at, S], records[at, C], records[at, STATE], records[at, PLACE] = s, c, k, v
                        end += 1
                    elif not s > records[at, S]:
                        continue
                    records[at, S], records[at, PARTIAL], records[at, BELOW] = s, i, found[f, 2]
            start[v, k], stop[v, k] = first, end
            for i in range(first, end):
                slot[int(records[i, C])] = -1
    top, arg = aim.goal if aim.mode in (counting.PRODUCT, counting.SUM) else -np.inf, -1
    for i in range(start[n, 0], stop[n, 0]):
        x = counting.worth(aim, records[i, S], records[i, C])
        if x > top or (aim.mode == counting.MOST and x == top and records[i, S] > records[arg, S]):
            top, arg = x, i
    if arg < 0:
        return -1
    _read(records, arg, model.node, label)
    return int(records[arg, C])


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
            most[v] = max(most[v], float(model.counts[v, k]))
    return most


@njit
def _counted(model, base, greatest, aim, a, b, work, most, room, label):
    """The count program after a pass: its count, -1 or UNDONE. `work` holds total, message and room for levels."""
    _levels(model, work[0], work[1], greatest, aim.level, work[2])
    n_codes = model.losses.size if model.step > 0 else int(most.sum()) + 1
    return _count_program(model, work[0], work[1], work[2], greatest, base, aim, a, b, most, n_codes, room, label)


@njit
def _pass(model, a, b, work, out):
    """The inside pass at bonuses a, b; returns the greatest score."""
    _augment(model, a, b, work[0])
    out[5] += 1.0
    return inside(model, work[0], work[1])


@njit
def _room(model):
    return _ROOM * model.unary.size * model.unary.shape[1] + 8.0 * model.node.size + 64.0


@njit
def _attempt(model, run, f_target, greatest, work, most, label, kept, out):
    """The count program above the goal of `run`; returns what to do next."""
    aim = counting.aim_of(run, model.losses)
    room = counting.room(run, _ROOM * model.unary.size * model.unary.shape[1] + 8.0 * model.node.size + 64.0)
    a, b = run[counting.A], run[counting.B]
    c = _counted(model, 1.0 - f_target, greatest, aim, a, b, work, most, room, label)
    if c == counting.UNDONE:
        return counting.ran_out(run, model.losses)
    if c >= 0:
        h = 1.0 + score(model, label) - f_target
        counting.took(run, h, c, model.losses)
        _keep(model, run, h, c, label, kept, out)
    return counting.closed(run)


@njit
def _keep(model, run, h, c, label, kept, out):
    """Keep a label that was taken in, where it is the best so far."""
    if run[counting.BETTER]:
        out[0], out[1], out[2] = h, model.losses[c] if model.step > 0 else model.scale * c, run[counting.VALUE]
        for v in range(label.size):
            kept[v] = label[v]


@njit
def _search(model, f_target, mode, lam, threshold, tol, work, kept, out):
    """The exact argmax of h g above the threshold, with `tol` a label within it and the bound; or of h + lam g."""
    label, most = np.empty(kept.size, np.int64), _greatest_counts(model)
    run = counting.started(mode, lam, threshold, tol, most.sum(), model.scale, model.losses, model.step)
    what, k = counting.AGAIN, 0.0
    while what != counting.STOP:
        if what == counting.AGAIN:
            k = 1.0 - f_target + _pass(model, run[counting.A], run[counting.B], work, out)
            what = counting.passed(run, k, model.losses)
        elif what == counting.LABEL:
            follow(model, work[0], 0, label)
            if mode == counting.PRODUCT and _is_right(model, label) and (model.step == 0 or model.losses[0] == 0.0):
                level = _first_wrong(model, work[0], k - 1.0 + f_target, label)
                what = counting.beyond(run, 1.0 - f_target + level, model.losses)
            if what == counting.LABEL:
                h, c = 1.0 + score(model, label) - f_target, _count(model, label)
                what = counting.labelled(run, h, c, model.losses)
                _keep(model, run, h, c, label, kept, out)
        else:
            what = _attempt(model, run, f_target, k, work, most, label, kept, out)
    return counting.finished(run, model.losses, out)


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
def _zero_one(model, f_target, rescaling, threshold, work, kept, out):
    label, scale = np.empty(kept.size, np.int64), model.scale
    greatest = _pass(model, 0.0, 0.0, work, out)
    if _first_wrong(model, work[0], greatest, label) == -np.inf:
        return 0
    h = 1.0 + score(model, label) - f_target
    value = h * scale if rescaling else h - 1.0 + scale
    out[3] = max(value, 0.0)
    if value > threshold:
        out[0], out[1], out[2] = h, scale, value
        for v in range(kept.size):
            kept[v] = label[v]
        return 1
    return 0


@njit
def _work(model):
    return np.empty((3, model.unary.shape[0], model.unary.shape[1]))


@njit
def solve_tree(model, zero_one, rescaling, lam, threshold, tol, kept, out):
    """The direct exact argmax, as `compiling.BEST` asks for it; rescaling 0 is margin, 1 slack."""
    out[0], out[1], out[2], out[3], out[4], out[5] = 1.0, 0.0, 0.0, 0.0, lam, 0.0
    f_target, work = score(model, model.y), _work(model)
    if zero_one:
        return _zero_one(model, f_target, rescaling, threshold, work, kept, out)
    mode = counting.PRODUCT if rescaling else counting.SUM
    found = _search(model, f_target, mode, lam if rescaling else 1.0, threshold, tol, work, kept, out)
    if rescaling == 0:
        out[2], out[3], out[4] = out[0] - 1.0 + out[1], max(out[0] - 1.0 + out[1], 0.0), lam
        found = 1 if out[2] > threshold else 0
    if found == 0:
        out[0], out[1], out[2] = 1.0, 0.0, 0.0
    return found


@njit
def _answer_zero_one(model, kind, lam, lo, hi, f_target, work, kept, point):
    level = _first_wrong(model, work[0], _pass(model, 0.0, 0.0, work, np.zeros(6)), kept)
    h, scale = 1.0 + score(model, kept) - f_target if level > -np.inf else -np.inf, model.scale
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
def answer_tree(model, zero_one, kind, lam, lo, hi, kept, point):
    """A question to the oracle of one example; see `asking`. Planes of sums take one pass, all else a count program."""
    if kind == CONE:
        return -1
    f_target, work, out = score(model, model.y), _work(model), np.zeros(6)
    if zero_one:
        return _answer_zero_one(model, kind, lam, lo, hi, f_target, work, kept, point)
    if kind == GREATEST_H:
        _pass(model, 0.0, 0.0, work, out)
        follow(model, work[0], 0, kept)
    elif kind == PLANE:
        _search(model, f_target, counting.SUM, lam, 0.0, 0.0, work, kept, out)
    else:
        scale = model.scale if model.step == 0 else 0.0
        k = 1.0 - f_target + _pass(model, 0.0, 0.0, work, out)
        mode = counting.BAND if kind == BAND else counting.MOST
        aim = counting.aim_over(mode, lam, scale, lo, hi, model.losses)
        if _counted(model, 1.0 - f_target, k, aim, 0.0, 0.0, work, _greatest_counts(model), np.inf, kept) < 0:
            return 0
    c = _count(model, kept)
    point[0] = 1.0 + score(model, kept) - f_target
    point[1] = model.losses[c] if model.step > 0 else model.scale * c
    return 1


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
def _counts(cost, y, w):
    """Counts with one counter: what state k at node v costs."""
    counts = np.empty((y.size, cost.shape[0]), np.int64)
    for v in range(y.size):
        for k in range(cost.shape[0]):
            counts[v, k] = w[v] * cost[y[v], k]
    return counts


@njit
def _model(shared, pool, target, theta):
    """The example of the pointers' data (`best`)."""
    head = carray(shared, 4)
    n_states, own = head[0], head[3] > 0
    square = n_states * n_states
    cost = carray(shared, 4 + square)[4:].reshape(n_states, n_states)
    n = carray(target, 1)[0]
    words = carray(target, 3 + 5 * n)
    m = words[2]
    numbers, scores = carray(pool, 1 if own else 1 + 2 * square), carray(theta, n * n_states + (2 * m * square if own else 0))
    if own:
        tables = scores[n * n_states :].reshape(2, m, n_states, n_states)
    else:
        tables = numbers[1:].reshape(2, 1, n_states, n_states)
    y, w = words[3 : 3 + n], words[3 + n : 3 + 2 * n]
    node, parent, link = words[3 + 2 * n : 3 + 3 * n], words[3 + 3 * n : 3 + 4 * n], words[3 + 4 * n :]
    unary, scale = scores[: n * n_states].reshape(n, n_states), numbers[0] / words[1] if head[1] else numbers[0]
    return Model(node, parent, link, unary, tables, y, _counts(cost, y, w), scale, np.empty(0), 0)


def best(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """Direct exact argmax for `Tree`; see `compiling.BEST`.

    shared = (K, normalise, zero-one, pairwise per edge, cost K x K); pool = (unit, and where all edges share one table, P and its
    transpose); target = (N, weight of all, m, y (N), w (N), node (N), parent (N), link (N)); theta = (unary (N, K), and where
    tables are per edge, P (m, K, K) and their transposes).
    """
    model = _model(shared, pool, target, theta)
    kept, result = carray(label, model.y.size), carray(out, 6)
    return solve_tree(model, carray(shared, 4)[2] > 0, rescaling, lam, threshold, tol, kept, result)


def best_by_counting(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """The plain count program, the named baseline (after Bauer et al., 2014): all (state, count) pairs, no pruning. O(N^2 K^2)."""
    model = _model(shared, pool, target, theta)
    kept, result = carray(label, model.y.size), carray(out, 6)
    result[0], result[1], result[2], result[3], result[4], result[5] = 1.0, 0.0, 0.0, 0.0, lam, 0.0
    f_target, work, one = score(model, model.y), _work(model), np.empty(kept.size, np.int64)
    k = 1.0 - f_target + _pass(model, 0.0, 0.0, work, result)
    mode = counting.PRODUCT if rescaling else counting.SUM
    aim = counting.aim_over(mode, 1.0, model.scale, 0.0, 0.0, model.losses)
    c = _counted(model, 1.0 - f_target, k, aim, 0.0, 0.0, work, _greatest_counts(model), np.inf, one)
    h, g = 1.0 + score(model, one) - f_target, model.scale * c
    value = h * g if rescaling else h - 1.0 + g
    result[3] = max(value, 0.0)
    if value > threshold:
        result[0], result[1], result[2] = h, g, value
        for v in range(kept.size):
            kept[v] = one[v]
        return 1
    return 0


def answer(kind, lam, region, shared, pool, target, theta, label, point):
    """The lambda-oracle and bands of loss for `Tree`; see `asking`."""
    model, ends = _model(shared, pool, target, theta), carray(region, 2)
    kept, spot = carray(label, model.y.size), carray(point, 2)
    return answer_tree(model, carray(shared, 4)[2] > 0, kind, lam, ends[0], ends[1], kept, spot)


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
