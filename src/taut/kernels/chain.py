"""Chains: Viterbi, k best, and the one-pass exact slack argmax (NOTES C.3) for losses that count wrong positions.

One example: shared = (K, normalise, zero-one, pairwise per position, cost K x K); pool = (unit, and where all examples share
the transitions, P (K, K) from previous to next and its transpose); target = (T, weight of all, y (T), w (T));
theta = (unary (T, K), and where the transitions are the example's own, P and its transpose (T-1, K, K)). Start and end
scores are already added to the first and last unary. The loss of a labeling is unit * count, count = sum_t w_t cost[y_t, k].
"""

import numpy as np
from numba import carray

from ..plane import TIE, tangent_bound
from .asking import BAND, CONE, GREATEST_G, GREATEST_H, PLANE
from .bracket import observe, opened, step
from .compiling import njit

__all__ = ["answer", "backward", "best", "best_by_counting", "follow", "score", "topk"]

_BUDGET = 0.5  # of a Viterbi pass, in steps: what an attempt at the count program may cost before the next multiplier


@njit
def backward(unary, turned, after):
    """Fill after[t, k]: the best score of positions t+1.. from state k at t; turned (1 or T-1, K, K) is [next, previous].

    The loop over previous states is innermost and contiguous, so that it runs on vectors; four next states at once spare
    loads and stores. O(T K^2).
    """
    n, n_states = unary.shape
    for k in range(n_states):
        after[n - 1, k] = 0.0
    for t in range(n - 2, -1, -1):
        rows = turned[t if turned.shape[0] > 1 else 0]
        out = after[t]
        ahead = after[t + 1]
        here = unary[t + 1]
        for k in range(n_states):
            out[k] = -np.inf
        j = 0
        while j + 4 <= n_states:
            a, b, c, d = here[j] + ahead[j], here[j + 1] + ahead[j + 1], here[j + 2] + ahead[j + 2], here[j + 3] + ahead[j + 3]
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
            a = here[j] + ahead[j]
            r = rows[j]
            for k in range(n_states):
                x = a + r[k]
                out[k] = x if x > out[k] else out[k]
            j += 1


@njit
def follow(unary, turned, after, label):
    """Read the best labeling off `after`, from the first position on; ties go to the lowest state. O(T K)."""
    n, n_states = unary.shape
    for t in range(n):
        top, arg = -np.inf, 0
        for k in range(n_states):
            x = unary[t, k] + after[t, k]
            if t > 0:
                x += turned[t - 1 if turned.shape[0] > 1 else 0, k, label[t - 1]]
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
    """The arrays of one example: unary, transitions, transposed transitions, cost, y, w, scale of the loss."""
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
    cost = shared[4 : 4 + square].reshape(n_states, n_states)
    scale = pool[0] / target[1] if shared[1] else pool[0]
    return unary, pairwise, turned, cost, target[2 : 2 + n], target[2 + n : 2 + 2 * n], scale


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
    total = 0
    for t in range(y.size):
        total += w[t] * cost[y[t], label[t]]
    return total


@njit
def _remaining(cost, y, w, remaining):
    """remaining[t]: the greatest count that positions t.. can add."""
    remaining[y.size] = 0
    for t in range(y.size - 1, -1, -1):
        remaining[t] = remaining[t + 1] + w[t] * cost[y[t]].max()


@njit
def _reach(k_node, lam, scale, low, high):
    """Greatest product of a completion with h + lam g <= k_node and a count from low to high (concave in g: clamp)."""
    g = min(max(0.5 * k_node / lam, scale * low), scale * high)
    return g * (k_node - lam * g)


@njit
def _grow_reals(a):
    b = np.empty(2 * a.size)
    for i in range(a.size):
        b[i] = a[i]
    return b


@njit
def _grow_ints(a):
    b = np.empty(2 * a.size, np.int64)
    for i in range(a.size):
        b[i] = a[i]
    return b


@njit
def _count_program(unary, pairwise, cost, y, w, remaining, scale, lam, after, base, goal, low, high, prune, product, budget, label):
    """Forward dynamic program over (state, count), kept only where it can still matter.

    A node (t, k, count) of prefix score s stays, with `prune`, if the product of some completion can exceed the goal, by
    K_node = s + lam scale count + after[t, k] and `_reach`; without it if its count can end within low..high. Of the complete
    ones the greatest product above the goal is taken, or, without `product`, the greatest h + lam g. Returns (done, its count,
    -1 where none) and the labeling in `label`; done is False when more than `budget` steps were needed.
    """
    n, n_states = unary.shape
    width = remaining[0] + 1
    slot = np.full(n_states * width, -1, np.int64)
    size = 4 * n + 64
    value, count = np.empty(size), np.empty(size, np.int64)
    state, parent = np.empty(size, np.int64), np.empty(size, np.int64)
    value[0], count[0], state[0], parent[0] = base, 0, 0, -1
    first, last, steps = 0, 1, 0.0
    cut = 4.0 * lam * goal
    for t in range(n):
        end = last
        costs = cost[y[t]]
        for node in range(first, last):
            row = pairwise[0 if t == 0 or pairwise.shape[0] == 1 else t - 1, state[node]]
            steps += n_states
            if steps > budget:
                return False, -1
            for k in range(n_states):
                s = value[node] + unary[t, k] if t == 0 else value[node] + row[k] + unary[t, k]
                c = count[node] + w[t] * costs[k]
                if prune:
                    k_node = s + lam * scale * c + after[t, k]
                    if not k_node > 0.0 or k_node * k_node <= cut:
                        continue
                    if _reach(k_node, lam, scale, c, c + remaining[t + 1]) <= goal:
                        continue
                elif s == -np.inf or c > high or c + remaining[t + 1] < low:
                    continue
                at = slot[k * width + c]
                if at < 0:
                    if end == value.size:
                        value, count = _grow_reals(value), _grow_ints(count)
                        state, parent = _grow_ints(state), _grow_ints(parent)
                    slot[k * width + c] = end
                    value[end], count[end], state[end], parent[end] = s, c, k, node
                    end += 1
                elif s > value[at]:
                    value[at], parent[at] = s, node
        first, last = last, end
        for node in range(first, last):
            slot[state[node] * width + count[node]] = -1
    top, arg = goal if product else -np.inf, -1
    for node in range(first, last):
        g = scale * count[node]
        x = value[node] * g if product else value[node] + lam * g
        if x > top and low <= count[node] <= high:
            top, arg = x, node
    if arg < 0:
        return True, -1
    node = arg
    for t in range(n - 1, -1, -1):
        label[t] = state[node]
        node = parent[node]
    return True, count[arg]


@njit
def _first_wrong(unary, pairwise, after, y, label):
    """The best labeling that differs from y: correct up to some position, wrong there, best after it; False where none.

    after is `backward` of the plain scores. Writes the deviation (position, state) and copies nothing else; O(T K).
    """
    n, n_states = unary.shape
    prefix, top, where, what = 0.0, -np.inf, -1, -1
    for t in range(n):
        for k in range(n_states):
            if k != y[t]:
                x = prefix + unary[t, k] + after[t, k]
                if t > 0:
                    x += pairwise[t - 1 if pairwise.shape[0] > 1 else 0, y[t - 1], k]
                if x > top:
                    top, where, what = x, t, k
        prefix += unary[t, y[t]]
        if t > 0:
            prefix += pairwise[t - 1 if pairwise.shape[0] > 1 else 0, y[t - 1], y[t]]
    if where < 0:
        return False
    for t in range(where):
        label[t] = y[t]
    label[where] = what
    for t in range(where + 1, n):
        top = -np.inf
        for k in range(n_states):
            x = unary[t, k] + after[t, k] + pairwise[t - 1 if pairwise.shape[0] > 1 else 0, label[t - 1], k]
            if x > top:
                top, label[t] = x, k
    return True


@njit
def _attainable(k, lam, scale, low, high, goal):
    """Whether some count strictly between low and high has a product above the goal under h + lam g <= k."""
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
def _slack(unary, pairwise, turned, cost, y, w, scale, lam, threshold, tol, kept, out):
    """Exact argmax of h g: passes of Viterbi at multipliers that close in on the supporting edge, after each an attempt at
    the count program pruned by the incumbent; most often the first attempt at a warm multiplier ends it."""
    n, n_states = unary.shape
    augmented, after = np.empty((n, n_states)), np.empty((n, n_states))
    remaining, label = np.empty(n + 1, np.int64), np.empty(n, np.int64)
    _remaining(cost, y, w, remaining)
    f_target = score(unary, pairwise, y)
    bracket = opened()
    low, high, value, found, upper = 0.0, remaining[0] + 1.0, 0.0, 0, np.inf
    out[4], out[5] = lam, 0.0
    while True:
        _augment(unary, cost, y, w, lam * scale, augmented)
        backward(augmented, turned, after)
        follow(augmented, turned, after, label)
        h, c = 1.0 + score(unary, pairwise, label) - f_target, _count(cost, y, w, label)
        g = scale * c
        k = h + lam * g
        out[5] += 1.0
        if h * g > max(value, threshold):
            value, found = h * g, 1
            _keep(h, g, value, label, kept, out)
        goal = max(value * (1.0 + tol), threshold) * (1.0 + TIE)
        if tangent_bound(k, lam) < upper:
            upper, out[4] = tangent_bound(k, lam), lam
        if upper <= goal or h == lam * g:
            break
        if h > lam * g:
            low = max(low, float(c))
        else:
            high = min(high, float(c))
        if not _attainable(k, lam, scale, low, high, goal):
            break
        on_edge = observe(bracket, h, g, lam)
        ahead = 0.0 if on_edge else step(bracket, lam)
        budget = _BUDGET * n * n_states * n_states if ahead > 0.0 else np.inf
        done, c = _count_program(
            unary, pairwise, cost, y, w, remaining, scale, lam, after, 1.0 - f_target, goal, 0, remaining[0], True, True, budget,
            label,
        )  # fmt: skip
        if done:
            if c >= 0:
                h, g = 1.0 + score(unary, pairwise, label) - f_target, scale * c
                value, found = h * g, 1
                _keep(h, g, value, label, kept, out)
            break
        lam = ahead
    goal = max(value * (1.0 + tol), threshold)
    out[3] = max(min(upper, goal), value)
    if found:
        out[4] = out[0] / out[1]
    return found


@njit
def _nothing(out):
    out[0], out[1], out[2], out[3] = 1.0, 0.0, 0.0, 0.0


@njit
def _margin(unary, pairwise, turned, cost, y, w, scale, threshold, kept, out):
    n, n_states = unary.shape
    augmented, after, label = np.empty((n, n_states)), np.empty((n, n_states)), np.empty(n, np.int64)
    _augment(unary, cost, y, w, scale, augmented)
    backward(augmented, turned, after)
    follow(augmented, turned, after, label)
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
    after, label = np.empty((n, n_states)), np.empty(n, np.int64)
    backward(unary, turned, after)
    out[5] = 1.0
    if _first_wrong(unary, pairwise, after, y, label):
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
        carray(target, 2 + 2 * n),
        carray(theta, n * n_states + (2 * (n - 1) * square if own else 0)),
    )


def best(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """Direct exact argmax; see `compiling.BEST`."""
    shared, pool, target, theta = _arrays(shared, pool, target, theta)
    unary, pairwise, turned, cost, y, w, scale = _views(shared, pool, target, theta)
    kept, result = carray(label, y.size), carray(out, 6)
    _nothing(result)
    result[4] = lam
    if shared[2]:
        return _zero_one(unary, pairwise, turned, y, scale, rescaling, threshold, kept, result)
    if rescaling == 0:
        return _margin(unary, pairwise, turned, cost, y, w, scale, threshold, kept, result)
    return _slack(unary, pairwise, turned, cost, y, w, scale, lam, threshold, tol, kept, result)


def best_by_counting(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """The plain count program of Bauer et al. (2014), the named baseline: all (state, count) pairs, no pruning. O(T^2 K^2)."""
    shared, pool, target, theta = _arrays(shared, pool, target, theta)
    unary, pairwise, turned, cost, y, w, scale = _views(shared, pool, target, theta)
    kept, result = carray(label, y.size), carray(out, 6)
    _nothing(result)
    n, n_states = unary.shape
    remaining, work, after = np.empty(n + 1, np.int64), np.empty(n, np.int64), np.zeros((1, 1))
    _remaining(cost, y, w, remaining)
    f_target = score(unary, pairwise, y)
    _, count = _count_program(
        unary, pairwise, cost, y, w, remaining, scale, 1.0, after, 1.0 - f_target, 0.0, 0, remaining[0], False, rescaling == 1,
        np.inf, work,
    )  # fmt: skip
    if count >= 0:
        h, g = 1.0 + score(unary, pairwise, work) - f_target, scale * count
        value = h * g if rescaling else h - 1.0 + g
        result[3] = max(value, 0.0)
        if value > threshold:
            _keep(h, g, value, work, kept, result)
            return 1
    return 0


def answer(kind, lam, region, shared, pool, target, theta, label, point):
    """The lambda-oracle and bands of loss; see `asking`. A plane is one Viterbi pass, a band a count program."""
    shared, pool, target, theta = _arrays(shared, pool, target, theta)
    unary, pairwise, turned, cost, y, w, scale = _views(shared, pool, target, theta)
    n, n_states = unary.shape
    kept = carray(label, n)
    augmented, after = np.empty((n, n_states)), np.empty((n, n_states))
    f_target = score(unary, pairwise, y)
    if kind == CONE:
        return -1
    if shared[2]:
        backward(unary, turned, after)
        wrong = _first_wrong(unary, pairwise, after, y, kept)
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
    if kind == PLANE or kind == GREATEST_H:
        _augment(unary, cost, y, w, lam * scale if kind == PLANE else 0.0, augmented)
        backward(augmented, turned, after)
        follow(augmented, turned, after, kept)
    else:
        remaining = np.empty(n + 1, np.int64)
        _remaining(cost, y, w, remaining)
        low, high = 0, remaining[0]
        if kind == BAND:
            while low <= high and not scale * low > region[0]:
                low += 1
            while high >= low and not scale * high < region[1]:
                high -= 1
            if low > high:
                return 0
        weight = lam
        if kind == GREATEST_G:  # the greatest count of a labeling that is not forbidden, and the greatest h there
            for t in range(n):
                for k in range(n_states):
                    augmented[t, k] = w[t] * cost[y[t], k] if unary[t, k] > -np.inf else -np.inf
            _greatest_count(augmented, turned, after, kept)
            low = high = _count(cost, y, w, kept)
            weight = 1.0
        _, c = _count_program(
            unary, pairwise, cost, y, w, remaining, scale, weight, after, 1.0 - f_target, 0.0, low, high, False, False, np.inf, kept
        )
        if c < 0:
            return 0
    point[0] = 1.0 + score(unary, pairwise, kept) - f_target
    point[1] = scale * _count(cost, y, w, kept)
    return 1


@njit
def _greatest_count(counts, turned, after, label):
    """A labeling of greatest count among those that no transition forbids."""
    open_ones = np.empty(turned.shape)
    for t in range(turned.shape[0]):
        for j in range(turned.shape[1]):
            for k in range(turned.shape[2]):
                open_ones[t, j, k] = 0.0 if turned[t, j, k] > -np.inf else -np.inf
    backward(counts, open_ones, after)
    follow(counts, open_ones, after, label)
