"""Partial labelings under weights without a common unit: none is kept that another beats in score and in count (Pareto).

With a greater or equal score *and* count every completion has greater or equal h and g, so that its product, where positive, is no
smaller. Counts then need no unit; how many partial labelings are left is bounded by nothing (subset sum), so that programs over
them have a budget: where it runs short they go on with some, and their labeling comes with the bound of the passes.
"""

import numpy as np

from .compiling import njit

__all__ = ["BUDGET", "narrowed", "share", "thinned"]

BUDGET = 2.0**19  # partial labelings of a program: some tenths of a second
_LEAST = 16.0  # at one place whatever has been used up


@njit
def thinned(rows, first, last, score, count, place, n_places):
    """Move to the front of rows[first:last] those that no other at their place beats in score and count; returns their end.

    score, count and place are columns; the place is taken modulo n_places. O(n log n) for n rows.
    """
    n, n_columns = last - first, rows.shape[1]
    if n < 2:
        return last
    less = np.empty(n)
    for i in range(n):
        less[i] = -rows[first + i, count]
    top, kept, n_kept = np.full(n_places, -1), np.empty((n, n_columns)), 0
    for i in np.argsort(less):  # greatest counts first: a row matters if its score beats those before
        r = first + i
        p = int(rows[r, place]) % n_places
        j = top[p]
        if j >= 0 and kept[j, score] >= rows[r, score]:
            continue
        if j < 0 or kept[j, count] > rows[r, count]:
            j = top[p] = n_kept
            n_kept += 1
        for c in range(n_columns):
            kept[j, c] = rows[r, c]
    for i in range(n_kept):
        for c in range(n_columns):
            rows[first + i, c] = kept[i, c]
    return first + n_kept


@njit
def share(used):
    """How many partial labelings may be kept at the next place when so many have been used."""
    return max(0.125 * (BUDGET - used), _LEAST)


@njit
def narrowed(rows, first, last, most):
    """Move to the front of rows[first:last], as `thinned` left them, at most `most` or so, evenly along the front.

    Returns their end.
    """
    if last - first <= most:
        return last
    step, end = int(np.ceil((last - first) / most)), first
    for i in range(first, last, step):
        for c in range(rows.shape[1]):
            rows[end, c] = rows[i, c]
        end += 1
    return end
