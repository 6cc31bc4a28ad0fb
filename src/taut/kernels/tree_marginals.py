"""Max-marginals of trees: the best score with each state at each node, by an inside pass upward and one downward."""

import numpy as np

from .compiling import njit
from .tree import _moves, inside

__all__ = ["max_marginals"]


@njit
def max_marginals(model, marginals):
    """Fill marginals[v, k], the best score of a labeling with state k at node v; -inf where there is none. O(N K^2).

    What the rest of the tree gives to a node is summed over its siblings before and behind it: a difference of sums would lose
    what is forbidden, and digits.
    """
    n, n_states = marginals.shape
    unary = np.empty((n, n_states))
    for p in range(n):
        unary[p] = model.unary[model.node[p]]
    total, message = unary.copy(), np.zeros((n, n_states))
    inside(model, total, message)
    beside, run = np.zeros((n, n_states)), np.zeros((n, n_states))
    roots = np.zeros(2)  # the best of the trees before, and behind
    for p in range(n):
        v = model.parent[p]
        if v < 0:
            beside[p] += roots[0]
            roots[0] += total[p].max()
        else:
            beside[p] += run[v]
            run[v] += message[p]
    run[:] = 0.0
    for p in range(n - 1, -1, -1):
        v = model.parent[p]
        if v < 0:
            beside[p] += roots[1]
            roots[1] += total[p].max()
        else:
            beside[p] += run[v]
            run[v] += message[p]
    above = np.empty((n, n_states))  # the best of all that is not below p, with its state k
    for p in range(n):
        v = model.parent[p]
        if v < 0:
            above[p] = beside[p]
        else:
            moves, _ = _moves(model, p)
            above[p] = -np.inf
            for j in range(n_states):
                x = unary[v, j] + above[v, j] + beside[p, j]
                for k in range(n_states):
                    y = x + moves[j, k]
                    above[p, k] = y if y > above[p, k] else above[p, k]
        marginals[model.node[p]] = total[p] + above[p]
