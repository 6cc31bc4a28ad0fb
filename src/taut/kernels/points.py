"""The oracle of an explicit set of points: one scan a question."""

import numpy as np

from .asking import CONE, GREATEST_G, GREATEST_H, PLANE
from .compiling import njit

__all__ = ["answer", "better", "distinct", "in_region"]


@njit
def better(score, h, g, best_score, best_h, best_g):
    """Greater score; among equal scores the greater product, so that rounding never hides the best label of one loss."""
    return score > best_score or (score == best_score and h * g > best_h * best_g)


@njit
def in_region(kind, region, h, g):
    """Whether a label lies in the cone or band of a question."""
    if kind == CONE:
        low = g * region[0] - region[1] * h
        high = region[3] * h - g * region[2]
        return (low > 0.0 or (low == 0.0 and region[4] > 0.0)) and (high > 0.0 or (high == 0.0 and region[5] > 0.0))
    return region[0] < g < region[1]


def answer(kind, lam, region, shared, pool, target, theta, label, point):
    """shared (n,), theta (h_1..h_n, g_1..g_n): see `asking`. Ties: greater product, then lowest index. O(n)."""
    n = shared[0]
    best = -1
    best_score = -np.inf
    best_h = 0.0
    best_g = 0.0
    for i in range(n):
        h = theta[i]
        g = theta[n + i]
        if kind == PLANE:
            score = h + lam * g
        elif kind == GREATEST_H:
            score = h
        elif kind == GREATEST_G:
            score = g
        else:
            score = h + lam * g
            if score < best_score or not in_region(kind, region, h, g):
                continue
        if best < 0 or better(score, h, g, best_score, best_h, best_g):
            best = i
            best_score = score
            best_h = h
            best_g = g
    if best < 0:
        return 0
    label[0] = best
    point[0] = best_h
    point[1] = best_g
    return 1


@njit
def distinct(g, values):
    """Sort the distinct values of g into `values` and return their number, or -1 when `values` is too short for them."""
    count = 0
    for x in g:
        lo = 0
        hi = count
        while lo < hi:
            mid = (lo + hi) // 2
            if values[mid] < x:
                lo = mid + 1
            else:
                hi = mid
        if lo < count and values[lo] == x:
            continue
        if count == values.size:
            return -1
        for j in range(count, lo, -1):
            values[j] = values[j - 1]
        values[lo] = x
        count += 1
    return count
