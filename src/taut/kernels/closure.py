"""Sets of nodes of a directed acyclic graph that hold with a node its parents: closures, by minimum cuts (NOTES C.4).

One example: shared = (n, m, zero-one, two counters, most cuts, parents (m), children (m), weight (n)); pool = (scale, tables of
losses); target = (P, start of its table in the pool, y (n)); theta = scores. An arc of infinite capacity leads from each child to
its parents.
"""

import numpy as np
from numba import carray

from .asking import CONE
from .compiling import njit
from .cuts import answered, cuts, solved
from .flow import load, network, settle

__all__ = ["answer", "best", "decode"]


@njit
def _example(shared, pool, target, theta):
    """One example from the pointers' data, whether its loss is zero-one, and the limit of cuts."""
    head = carray(shared, 5)
    n, m = head[0], head[1]
    words = carray(shared, 5 + 2 * m + n)
    parents, children, weight = words[5 : 5 + m], words[5 + m : 5 + 2 * m], words[5 + 2 * m :]
    own = carray(target, 2 + n)
    y, scores, two = own[2:], carray(theta, n), head[3] > 0
    fp, fn = np.zeros(n), np.zeros(n)
    total = 0
    for v in range(n):
        if two and y[v]:
            fn[v] = 1.0
        else:
            fp[v] = 1.0 if two else float(weight[v])
        total += weight[v]
    if two:
        step, first = own[0] + 1, own[1]
        table = carray(pool, first + step * (n - step + 2))[first:]
    else:
        step, scale = 1, carray(pool, 1)[0]
        table = np.empty(2 if head[2] else total + 1)
        for c in range(table.size):
            table[c] = scale * c
    net = network(n, children, parents, np.full(m, np.inf), np.zeros(m))
    return cuts(net, scores, y, fp, fn, table, step), head[2] > 0, head[4]


def best(rescaling, lam, threshold, tol, shared, pool, target, theta, label, out):
    """Direct exact argmax; see `compiling.BEST`."""
    example, zero_one, most = _example(shared, pool, target, theta)
    return solved(example, zero_one, rescaling, lam, threshold, tol, most, carray(label, example.base.size), carray(out, 6))


def answer(kind, lam, region, shared, pool, target, theta, label, point):
    """The lambda-oracle and bands of loss; see `asking`. A plane is one cut, a band a branch and bound."""
    if kind == CONE:
        return -1
    example, zero_one, _ = _example(shared, pool, target, theta)
    return answered(example, zero_one, kind, lam, carray(region, 2), carray(label, example.base.size), carray(point, 2))


@njit
def decode(scores, clamp, parents, children, label):
    """The set of greatest score with some nodes fixed to 0 or 1 (-1: free); the smallest of the best. False where there is none."""
    n = scores.size
    net = network(n, children, parents, np.full(parents.size, np.inf), np.zeros(parents.size))
    excess = np.empty(n)
    for v in range(n):
        excess[v] = scores[v] if clamp[v] < 0 else np.inf if clamp[v] else -np.inf
        if clamp[v] == 1 and scores[v] == -np.inf:
            return False
    load(net, excess)
    if not settle(net):
        return False
    for v in range(n):
        label[v] = 1 if net.level[v] >= 0 else 0
    return True
