"""Chains: Viterbi, k best, and the one-pass exact slack argmax (NOTES C.3) for losses that count wrong positions.

One example: shared = (K, normalise, zero-one, pairwise per position, cost K x K); pool = (unit, and where all examples share
the transitions, P (K, K) from previous to next and its transpose); target = (T, weight of all, y (T), w (T), greatest count (T));
theta = (unary (T, K), and where the transitions are the example's own, P and its transpose (T-1, K, K)). Start and end
scores are already added to the first and last unary. The loss of a labeling is unit * count, count = sum_t w_t cost[y_t, k].
Costs, weights and counts are real numbers, by their bits; `zero-one` is 2 where they have no common unit (`pareto`).
"""

import numpy as np
from numba import carray

from ..plane import TIE, tangent_bound
from .asking import BAND, CONE, GREATEST_G, GREATEST_H, PLANE
from .bracket import drowned, observe, opened, step, warmer
from .compiling import njit
from .heap import grown
from .pareto import narrowed, share, thinned

__all__ = ["answer", "backward", "best", "best_by_counting", "follow", "parts", "prepare", "score", "topk"]

_HOPEFUL = 0.5  # share of the bound that the incumbent must have before the count program is tried at all
_BUDGET = 0.6  # of a Viterbi pass, in steps: what an attempt at the count program may cost before the next multiplier
_FARTHEST = 2.0  # a multiplier goes up by so much at most: the balance h / g of the first labels is often far off


@njit
def backward(unary, turned, ahead):
    """Fill ahead[t, k]: the best score of positions t.. from state k at t; turned (1 or T-1, K, K) is [next, previous].

    The loop over previous states is innermost and contiguous, so that it runs on vectors; four next states at once spare
    loads and stores. O(T K^2).
    """
    n, n_states = unary.shape
    for k in range(n_states):
        ahead[n - 1, k] = unary[n - 1, k]
    for t in range(n - 2, -1, -1):
        rows = turned[t if turned.shape[0] > 1 else 0]
        out, here = ahead[t], ahead[t + 1]
        for k in range(n_states):
            out[k] = -np.inf
        j = 0
        while j + 4 <= n_states:
            a, b, c, d = here[j], here[j + 1], here[j + 2], here[j + 3]
            r, s, u, v = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
            for k in range(n_states):
                x, y = a + r[k], b + s[k]
                z, w = c + u[k], d + v[k]
                x = y if y > x else x
                z = w if w > z else z
                x = z if z > x else x
                out[k] = x if x > out[k] else out[k]
            j += 4
        while j < n_states:
            a, r = here[j], rows[j]
            for k in range(n_states):
                x = a + r[k]
                out[k] = x if x > out[k] else out[k]
            j += 1
        for k in range(n_states):
            out[k] += unary[t, k]


@njit
def follow(pairwise, ahead, label):
    """Read the best labeling off `ahead`, from the first position on; ties go to the lowest state. O(T K)."""
    n, n_states = ahead.shape
    for t in range(n):
        top, arg = -np.inf, 0
        if t == 0:
            for k in range(n_states):
                if ahead[0, k] > top:
                    top, arg = ahead[0, k], k
        else:
            row = pairwise[t - 1 if pairwise.shape[0] > 1 else 0, label[t - 1]]
            for k in range(n_states):
                x = row[k] + ahead[t, k]
                if x > top:
                    top, arg = x, k
        label[t] = arg


@njit
def score(unary, pairwise, label):
    """The score of a labeling, summed from the first position on; pairwise (1 or T-1, K, K) is [previous, next]."""
    total = unary[0, label[0]]
    for t in range(1, unary.shape[0]):
        total += pairwise[t - 1 if pairwise.shape[0] > 1 else 0, label[t - 1], label[t]] + unary[t, label[t]]
    return total


@njit
def topk(unary, pairwise, n_best, labels, scores):
    """The n_best labelings of greatest score into labels (n_best, T), scores; returns how many there are. O(T K^2 n_best)."""
    n, n_states = unary.shape
    value = np.full((n, n_states, n_best), -np.inf)
    source = np.zeros((n, n_states, n_best), np.int64)
    at = np.empty(n_states, np.int64)
    for k in range(n_states):
        value[0, k, 0] = unary[0, k]
    for t in range(1, n):
        rows = pairwise[t - 1 if pairwise.shape[0] > 1 else 0]
        for k in range(n_states):
            at[:] = 0
            for r in range(n_best):
                top, arg = -np.inf, -1
                for j in range(n_states):
                    if at[j] < n_best and value[t - 1, j, at[j]] + rows[j, k] > top:
                        top, arg = value[t - 1, j, at[j]] + rows[j, k], j
                if arg < 0:
                    break
                value[t, k, r] = top + unary[t, k]
                source[t, k, r] = arg * n_best + at[arg]
                at[arg] += 1
    at[:] = 0
    for found in range(n_best):
        top, arg = -np.inf, -1
        for k in range(n_states):
            if at[k] < n_best and value[n - 1, k, at[k]] > top:
                top, arg = value[n - 1, k, at[k]], k
        if arg < 0:
            return found
        k, r = arg, at[arg]
        at[arg] += 1
        for t in range(n - 1, -1, -1):
            labels[found, t] = k
            k, r = source[t, k, r] // n_best, source[t, k, r] % n_best
        scores[found] = score(unary, pairwise, labels[found])
    return n_best


@njit
def _views(shared, pool, target, theta):
    """The arrays of one example: unary, transitions, transposed transitions, cost, y, w, greatest counts, scale."""
    n_states = shared[0]
    n = target[0]
    square = n_states * n_states
    unary = theta[: n * n_states].reshape(n, n_states)
    if shared[3] and n > 1:
        own = theta[n * n_states :].reshape(2, n - 1, n_states, n_states)
        pairwise, turned = own[0], own[1]
    else:
        common = pool[1 : 1 + 2 * square].reshape(2, 1, n_states, n_states)
        pairwise, turned = common[0], common[1]
    cost = shared[4 : 4 + square].view(np.float64).reshape(n_states, n_states)
    numbers = target[1 : 2 + 3 * n].view(np.float64)
    scale = pool[0] / numbers[0] if shared[1] else pool[0]
    return unary, pairwise, turned, cost, target[2 : 2 + n], numbers[1 + n : 1 + 2 * n], numbers[1 + 2 * n : 1 + 3 * n], scale


@njit
def _augment(unary, cost, y, w, weight, augmented):
    """augmented[t, k] = unary + weight w_t cost[y_t, k]: the lambda-oracle's unary scores at weight = lam * scale."""
    for t in range(unary.shape[0]):
        row = cost[y[t]]
        x = weight * w[t]
        for k in range(unary.shape[1]):
            augmented[t, k] = unary[t, k] + x * row[k]


@njit
def _count(cost, y, w, label):
    total = 0.0
    for t in range(y.size):
        total += w[t] * cost[y[t], label[t]]
    return total


@njit
def _same(y, label):
    wrong = 0
    for t in range(y.size):
        wrong += y[t] != label[t]
    return wrong == 0


@njit
def _remaining(most):
    """remaining[t]: the greatest count that positions t.. can add."""
    remaining = np.zeros(most.size + 1)
    for t in range(most.size - 1, -1, -1):
        remaining[t] = remaining[t + 1] + most[t]
    return remaining


@njit
def _reach(k_node, lam, scale, low, high):
    """Greatest product of a completion with h + lam g <= k_node and a count from low to high (concave in g: clamp)."""
    g = min(max(0.5 * k_node / lam, scale * low), scale * high)
    return g * (k_node - lam * g)


@njit
def _count_program(
    unary, pairwise, cost, y, w, remaining, whole, scale, lam, ahead, base, goal, low, high, product, budget, label
):  # fmt: skip
    """Forward dynamic program over (state, count), kept only where it can still matter.

    A node (t, k, count) of prefix score s has K_node = s + lam scale count + ahead[t + 1..], the best h + lam g of its
    completions. Where `ahead` is given (T rows, `backward` at lam) it stays only if the product of some completion can exceed
    the goal: by K_node^2 > 4 lam goal and `_reach`; without it (no rows) if its count can end within low..high. Of the complete
    ones the greatest product above the goal is taken, or, without `product`, the greatest h + lam g. Returns (done, its count,
    -1 where none) and the labeling in `label`; done is False when more than `budget` steps were needed. Unless counts are `whole`
    an infinite budget narrows (`pareto`): done is False then too.
    """
    n, n_states = unary.shape
    width = int(remaining[0]) + 1 if whole else 0
    prune = ahead.shape[0] == n
    slot = np.full(n_states * width, -1, np.int32)
    nodes = np.empty((4 * n + 64, 5))  # s, s + lam * loss, count, state, parent: one array, as its making is felt here
    nodes[0, 0], nodes[0, 1], nodes[0, 2], nodes[0, 3], nodes[0, 4] = base, base, 0.0, 0.0, -1.0
    first, last, steps, complete = 0, 1, 0.0, True
    cut = 2.0 * np.sqrt(lam * goal) if prune else -np.inf
    weight = lam * scale
    for t in range(n):
        end = last
        costs = cost[y[t]]
        for i in range(first, last):
            row = pairwise[0 if t == 0 or pairwise.shape[0] == 1 else t - 1, int(nodes[i, 3])]
            start, level, so_far = nodes[i, 0], nodes[i, 1], nodes[i, 2]
            steps += n_states
            if steps > budget:
                return False, -1.0
            for k in range(n_states):
                move = row[k] if t > 0 else 0.0
                if prune and not level + move + ahead[t, k] > cut:
                    continue
                s, c = start + move + unary[t, k], so_far + w[t] * costs[k]
                if prune:
                    if _reach(level + move + ahead[t, k], lam, scale, c, c + remaining[t + 1]) <= goal:
                        continue
                elif s == -np.inf or c > high or c + remaining[t + 1] < low:
                    continue
                place = k * width + int(c)
                at = slot[place] if whole else -1
                if at < 0:
                    if end == nodes.shape[0]:
                        nodes = grown(nodes)
                    if whole:
                        slot[place] = end
                    nodes[end, 0], nodes[end, 1], nodes[end, 2], nodes[end, 3], nodes[end, 4] = s, s + weight * c, c, k, i
                    end += 1
                elif s > nodes[at, 0]:
                    nodes[at, 0], nodes[at, 1], nodes[at, 4] = s, s + weight * c, i
        first, last = last, end
        if not whole:
            last = all_of = thinned(nodes, first, last, 0, 2, 3, n_states)
            if budget == np.inf:
                last = narrowed(nodes, first, all_of, share(steps))
            complete = complete and last == all_of
            continue
        for i in range(first, last):
            slot[int(nodes[i, 3]) * width + int(nodes[i, 2])] = -1
    top, arg = goal if product else -np.inf, -1
    for i in range(first, last):
        x = nodes[i, 0] * scale * nodes[i, 2] if product else nodes[i, 0] + weight * nodes[i, 2]
        if x > top and low <= nodes[i, 2] <= high:
            top, arg = x, i
    if arg < 0:
        return complete, -1.0
    i = arg
    for t in range(n - 1, -1, -1):
        label[t] = int(nodes[i, 3])
        i = int(nodes[i, 4])
    return complete, nodes[arg, 2]


@njit
def _first_wrong(unary, pairwise, ahead, y, label):
    """The best labeling that differs from y: correct up to some position, wrong there, best after it.

    ahead is `backward` of the unary scores. Returns the labeling's score, -inf where there is none; O(T K).
    """
    n, n_states = unary.shape
    prefix, top, where, what = 0.0, -np.inf, -1, -1
    for t in range(n):
        for k in range(n_states):
            if k != y[t]:
                x = prefix + ahead[t, k]
                if t > 0:
                    x += pairwise[t - 1 if pairwise.shape[0] > 1 else 0, y[t - 1], k]
                if x > top:
                    top, where, what = x, t, k
        prefix += unary[t, y[t]]
        if t > 0:
            prefix += pairwise[t - 1 if pairwise.shape[0] > 1 else 0, y[t - 1], y[t]]
    if where < 0:
        return top
    best = top
    for t in range(where):
        label[t] = y[t]
    label[where] = what
    for t in range(where + 1, n):
        top = -np.inf
        for k in range(n_states):
            x = ahead[t, k] + pairwise[t - 1 if pairwise.shape[0] > 1 else 0, label[t - 1], k]
            if x > top:
                top, label[t] = x, k
    return best


@njit
def _attainable(k, lam, scale, low, high, whole, goal):
    """Whether some count strictly between low and high has a product above the goal under h + lam g <= k."""
    if not whole:
        return _reach(k, lam, scale, low, high) > goal
    c = np.floor(0.5 * k / (lam * scale))
    for x in (min(max(c, low + 1.0), high - 1.0), min(max(c + 1.0, low + 1.0), high - 1.0)):
        if low < x < high and scale * x * (k - lam * scale * x) > goal:
            return True
    return False


@njit
def _keep(h, g, value, label, kept, out):
    out[0], out[1], out[2] = h, g, value
    for t in range(kept.size):
        kept[t] = label[t]


@njit
def _slack(unary, pairwise, turned, cost, y, w, most, whole, scale, lam, threshold, tol, kept, out):
    """Exact argmax of h g, with `tol` a label within it and the bound.

    Passes of Viterbi at multipliers that close in on the supporting edge, each followed by an attempt at the count program,
    pruned by the incumbent; at a warm multiplier the first attempt most often ends it.
    """
    n, n_states = unary.shape
    augmented, ahead, label = np.empty((n, n_states)), np.empty((n, n_states)), np.empty(n, np.int64)
    remaining = _remaining(most)
    f_target = score(unary, pairwise, y)
    base = 1.0 - f_target
    bracket = opened()
    low, high, value, found, upper = 0.0, remaining[0] + 1.0, 0.0, 0, np.inf
    tried = threshold > 0.0  # with an incumbent of the caller's the count program needs no labeling first
    while True:
        _augment(unary, cost, y, w, lam * scale, augmented)
        backward(augmented, turned, ahead)
        out[5] += 1.0
        k = base + ahead[0].max()
        goal = max(value * (1.0 + tol), threshold) * (1.0 + TIE)
        upper = min(upper, tangent_bound(k, lam))
        out[4] = lam
        if upper <= goal:
            break
        if tried:
            tried = False
            done, c = _count_program(
                unary, pairwise, cost, y, w, remaining, whole, scale, lam, ahead, base, goal, 0.0, np.inf, True,
                _BUDGET * n * n_states * n_states, label,
            )  # fmt: skip
            if done:
                if c >= 0 and _take(unary, pairwise, f_target, scale * c, label, max(value, threshold), kept, out):
                    found, value = 1, out[2]
                upper = min(upper, max(value * (1.0 + tol), threshold))
                break
        follow(pairwise, ahead, label)
        if _same(y, label):  # the target's own bound says little: of all others' best one that with a count of at least one
            k = base + _first_wrong(augmented, pairwise, ahead, y, label)
            g = max(0.5 * k / lam, scale)
            upper = min(upper, max(g * (k - lam * g), 0.0))
            if upper <= goal:
                break
        c = _count(cost, y, w, label)
        h, g = 1.0 + score(unary, pairwise, label) - f_target, scale * c
        out[4] = warmer(h, g, lam)
        if _take(unary, pairwise, f_target, g, label, max(value, threshold), kept, out):
            found, value = 1, out[2]
            goal = max(value * (1.0 + tol), threshold) * (1.0 + TIE)
            if upper <= goal:
                break
        lower = drowned(bracket[0], h, g, lam)
        if lower > 0.0:
            lam = lower
            continue
        if h > lam * g:
            low = max(low, c)
        else:
            high = min(high, c)
        if h == lam * g or not _attainable(k, lam, scale, low, high, whole, goal):
            upper = min(upper, goal)
            break
        on_edge = observe(bracket, h, g, lam)
        following = 0.0 if on_edge else min(step(bracket, lam), _FARTHEST * lam)
        edge = (bracket[0] - bracket[3]) / (bracket[4] - bracket[1]) if bracket[4] > bracket[1] else 0.0
        if 1e-300 < edge < 1e300:  # between the labels known on either side
            out[4] = edge
        if following > 0.0 and goal < _HOPEFUL * upper:
            lam = following
            continue
        done, c = _count_program(
            unary, pairwise, cost, y, w, remaining, whole, scale, lam, ahead, base, goal, 0.0, np.inf, True,
            _BUDGET * n * n_states * n_states if following > 0.0 else np.inf, label,
        )  # fmt: skip
        if c >= 0 and _take(unary, pairwise, f_target, scale * c, label, max(value, threshold), kept, out):
            found, value = 1, out[2]
        if done:
            upper = min(upper, max(value * (1.0 + tol), threshold))
            break
        if not following > 0.0:
            break
        lam = following
    goal = max(value * (1.0 + tol), threshold)
    out[3] = max(min(upper, goal) if upper <= goal * (1.0 + TIE) else upper, value)
    return found


@njit
def _take(unary, pairwise, f_target, g, label, bar, kept, out):
    """Keep a labeling whose product is above the bar; the count program's own sum may round to the other side of it."""
    h = 1.0 + score(unary, pairwise, label) - f_target
    if h * g > bar:
        _keep(h, g, h * g, label, kept, out)
        return True
    return False


@njit
def _nothing(out):
    out[0], out[1], out[2], out[3] = 1.0, 0.0, 0.0, 0.0


@njit
def _margin(unary, pairwise, turned, cost, y, w, scale, threshold, kept, out):
    n, n_states = unary.shape
    augmented, ahead, label = np.empty((n, n_states)), np.empty((n, n_states)), np.empty(n, np.int64)
    _augment(unary, cost, y, w, scale, augmented)
    backward(augmented, turned, ahead)
    follow(pairwise, ahead, label)
    h = 1.0 + score(unary, pairwise, label) - score(unary, pairwise, y)
    g = scale * _count(cost, y, w, label)
    out[5] = 1.0
    value = h - 1.0 + g
    out[3] = max(value, 0.0)
    if value > threshold:
        _keep(h, g, value, label, kept, out)
        return 1
    return 0


@njit
def _zero_one(unary, pairwise, turned, y, scale, rescaling, threshold, kept, out):
    n, n_states = unary.shape
    ahead, label = np.empty((n, n_states)), np.empty(n, np.int64)
    backward(unary, turned, ahead)
    out[5] = 1.0
    if _first_wrong(unary, pairwise, ahead, y, label) > -np.inf:
        h = 1.0 + score(unary, pairwise, label) - score(unary, pairwise, y)
        value = h * scale if rescaling else h - 1.0 + scale
        if h > -np.inf:
            out[3] = max(value, 0.0)
            if value > threshold:
                _keep(h, scale, value, label, kept, out)
                return 1
    return 0


@njit
def _arrays(shared, pool, target, theta):
    """Views of the pointers' data, as long as their own first words say."""
    n_states = carray(shared, 4)[0]
    own = carray(shared, 4)[3]
    square = n_states * n_states
    n = carray(target, 1)[0]
    return (
        carray(shared, 4 + square),
        carray(pool, 1 if own else 1 + 2 * square),
        carray(target, 2 + 3 * n),
        carray(theta, n * n_states + (2 * (n - 1) * square if own else 0)),
    )


def best(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """Direct exact argmax; see `compiling.BEST`."""
    shared, pool, target, theta = _arrays(shared, pool, target, theta)
    unary, pairwise, turned, cost, y, w, most, scale = _views(shared, pool, target, theta)
    kept, result = carray(label, y.size), carray(out, 6)
    _nothing(result)
    result[4], result[5] = lam, 0.0
    if shared[2] == 1:
        return _zero_one(unary, pairwise, turned, y, scale, rescaling, threshold, kept, result)
    if rescaling == 0:
        return _margin(unary, pairwise, turned, cost, y, w, scale, threshold, kept, result)
    return _slack(unary, pairwise, turned, cost, y, w, most, shared[2] == 0, scale, lam, threshold, tol, kept, result)


def best_by_counting(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """The plain count program of Bauer et al. (2014), the named baseline: all (state, count) pairs, no pruning. O(T^2 K^2)."""
    shared, pool, target, theta = _arrays(shared, pool, target, theta)
    unary, pairwise, _, cost, y, w, most, scale = _views(shared, pool, target, theta)
    kept, result = carray(label, y.size), carray(out, 6)
    _nothing(result)
    n, n_states = unary.shape
    remaining, work, nothing = _remaining(most), np.empty(n, np.int64), np.zeros((0, n_states))
    f_target = score(unary, pairwise, y)
    _, count = _count_program(
        unary, pairwise, cost, y, w, remaining, shared[2] == 0, scale, 1.0, nothing, 1.0 - f_target, 0.0, 0.0, np.inf,
        rescaling == 1, 1e300, work,
    )  # fmt: skip
    if count >= 0:
        h, g = 1.0 + score(unary, pairwise, work) - f_target, scale * count
        value = h * g if rescaling else h - 1.0 + g
        result[3] = max(value, 0.0)
        if value > threshold:
            _keep(h, g, value, work, kept, result)
            return 1
    return 0


def parts(shared, target, label, out):
    """A state at every position, a transition between neighbours; see `compiling.PARTS`."""
    n_states, n = carray(shared, 1)[0], carray(target, 1)[0]
    y, places = carray(label, n), carray(out, 2 * n - 1)
    for t in range(n):
        places[t] = t * n_states + y[t]
    for t in range(n - 1):
        places[n + t] = n * n_states + y[t] * n_states + y[t + 1]
    return 2 * n - 1


def prepare(shared, weights, pool):
    """The transitions and their transpose behind the unit of the loss; see `compiling.PREPARE`."""
    n_states = carray(shared, 1)[0]
    square = n_states * n_states
    moves, numbers = carray(weights, square), carray(pool, 1 + 2 * square)
    for j in range(n_states):
        for k in range(n_states):
            numbers[1 + j * n_states + k] = moves[j * n_states + k]
            numbers[1 + square + k * n_states + j] = moves[j * n_states + k]
    return 0


def answer(kind, lam, region, shared, pool, target, theta, label, point):
    """The lambda-oracle and bands of loss; see `asking`. A plane is one Viterbi pass, a band a count program."""
    shared, pool, target, theta = _arrays(shared, pool, target, theta)
    unary, pairwise, turned, cost, y, w, most, scale = _views(shared, pool, target, theta)
    n, n_states = unary.shape
    kept = carray(label, n)
    augmented, ahead = np.empty((n, n_states)), np.empty((n, n_states))
    f_target = score(unary, pairwise, y)
    if kind == CONE:
        return -1
    if shared[2] == 1:
        backward(unary, turned, ahead)
        wrong = _first_wrong(unary, pairwise, ahead, y, kept) > -np.inf
        h = 1.0 + score(unary, pairwise, kept) - f_target if wrong else -np.inf
        wrong = wrong and h > -np.inf
        if kind == BAND:
            wrong = wrong and region[0] < scale < region[1]
            right = region[0] < 0.0 < region[1]
        else:
            right = True
        worth = scale if kind == GREATEST_G else h if kind == GREATEST_H else h + lam * scale
        if wrong and (not right or worth > (0.0 if kind == GREATEST_G else 1.0)):
            point[0], point[1] = h, scale
            return 1
        if right:
            point[0], point[1] = 1.0, 0.0
            for t in range(n):
                kept[t] = y[t]
            return 1
        return 0
    if kind in (PLANE, GREATEST_H):
        _augment(unary, cost, y, w, lam * scale if kind == PLANE else 0.0, augmented)
        backward(augmented, turned, ahead)
        follow(pairwise, ahead, kept)
    else:
        remaining = _remaining(most)
        low, high = 0.0, remaining[0]
        if kind == BAND:
            while low <= high and not scale * low > region[0]:
                low += 1.0
            while high >= low and not scale * high < region[1]:
                high -= 1.0
            if low > high:
                return 0
        weight = lam
        if kind == GREATEST_G:  # the greatest count of a labeling that is not forbidden, and the greatest h there
            for t in range(n):
                for k in range(n_states):
                    augmented[t, k] = w[t] * cost[y[t], k] if unary[t, k] > -np.inf else -np.inf
            _greatest_count(augmented, pairwise, turned, ahead, kept)
            low = high = _count(cost, y, w, kept)
            weight = 1.0
        _, c = _count_program(
            unary, pairwise, cost, y, w, remaining, True, scale, weight, ahead[:0], 1.0 - f_target, 0.0, low, high, False, np.inf,
            kept,
        )
        if c < 0:
            return 0
    point[0] = 1.0 + score(unary, pairwise, kept) - f_target
    point[1] = scale * _count(cost, y, w, kept)
    return 1


@njit
def _greatest_count(counts, pairwise, turned, ahead, label):
    """A labeling of greatest count among those that no transition forbids."""
    moves, turned_moves = np.empty(pairwise.shape), np.empty(turned.shape)
    for t in range(turned.shape[0]):
        for j in range(turned.shape[1]):
            for k in range(turned.shape[2]):
                moves[t, j, k] = 0.0 if pairwise[t, j, k] > -np.inf else -np.inf
                turned_moves[t, j, k] = 0.0 if turned[t, j, k] > -np.inf else -np.inf
    backward(counts, turned_moves, ahead)
    follow(moves, ahead, label)
