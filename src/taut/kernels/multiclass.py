"""Classes: one scan answers everything, for any costs.

shared = (K, uniform); pool = the cost of a wrong class where costs are uniform, else the costs (K, K) [true, predicted];
target = (y,); theta = the K scores, -inf where a class is forbidden. A label is one word, the class.
"""

import numpy as np
from numba import carray

from .asking import BAND, CONE, GREATEST_G, GREATEST_H
from .compiling import njit
from .points import better, in_region

__all__ = ["answer", "best", "parts", "prepare"]


@njit
def _arrays(shared, pool, target, theta):
    """Scores, the true class, and what each class costs."""
    n_classes, y = carray(shared, 2)[0], carray(target, 1)[0]
    scores, costs = carray(theta, n_classes), np.empty(n_classes)
    if carray(shared, 2)[1]:
        wrong = carray(pool, 1)[0]
        for k in range(n_classes):
            costs[k] = wrong
        costs[y] = 0.0
    else:
        table = carray(pool, n_classes * n_classes)
        for k in range(n_classes):
            costs[k] = table[y * n_classes + k]
    return scores, y, costs


@njit
def _greatest(scores, y, costs, product, threshold):
    """The class of greatest h g or h - 1 + g above the threshold, -1 where there is none, and that value. Ties: the lowest."""
    top, arg = threshold, -1
    for k in range(scores.size):
        h = 1.0 + (scores[k] - scores[y])
        value = h * costs[k] if product else h - 1.0 + costs[k]
        if value > top and h > -np.inf:  # -inf * 0 is no number, and not greater
            top, arg = value, k
    return arg, top


def best(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """Direct exact argmax, one scan; see `compiling.BEST`. O(K)."""
    scores, y, costs = _arrays(shared, pool, target, theta)
    kept, result = carray(label, 1), carray(out, 6)
    k, value = _greatest(scores, y, costs, rescaling == 1, threshold)
    result[0], result[1], result[2], result[3] = 1.0, 0.0, 0.0, max(threshold, 0.0)
    result[4], result[5] = lam, 1.0
    if k < 0:
        return 0
    kept[0] = k
    result[0], result[1], result[2], result[3] = 1.0 + (scores[k] - scores[y]), costs[k], value, value
    return 1


def answer(kind, lam, region, shared, pool, target, theta, label, point):
    """Any question by one scan; see `asking`. Ties: greater product, then the lowest class. O(K)."""
    scores, y, costs = _arrays(shared, pool, target, theta)
    ends, arg, top, top_h, top_g = carray(region, 6), -1, -np.inf, 0.0, 0.0
    for k in range(scores.size):
        h, g = 1.0 + (scores[k] - scores[y]), costs[k]
        if h == -np.inf or (kind in (BAND, CONE) and not in_region(kind, ends, h, g)):
            continue
        worth = h if kind == GREATEST_H else g if kind == GREATEST_G else h + lam * g
        if arg < 0 or better(worth, h, g, top, top_h, top_g):
            arg, top, top_h, top_g = k, worth, h, g
    if arg < 0:
        return 0
    carray(label, 1)[0] = arg
    carray(point, 2)[0], carray(point, 2)[1] = top_h, top_g
    return 1


def parts(shared, target, label, out):
    """The score of the class; see `compiling.PARTS`."""
    carray(out, 1)[0] = carray(label, 1)[0]
    return 1


def prepare(shared, weights, pool):
    """Classes share no weights; see `compiling.PREPARE`."""
    return 0
