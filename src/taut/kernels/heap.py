"""A heap of rows: the greatest first column on top, the smaller second column first among equals."""

import numpy as np

from .compiling import njit

__all__ = ["grown", "pop", "push"]


@njit
def grown(rows):
    """The same rows in an array of twice the length, by loops: a slice assignment costs a second of compile time."""
    more = np.empty((2 * rows.shape[0], rows.shape[1]))
    for i in range(rows.shape[0]):
        for c in range(rows.shape[1]):
            more[i, c] = rows[i, c]
    return more


@njit
def _before(rows, i, j):
    return rows[i, 0] > rows[j, 0] or (rows[i, 0] == rows[j, 0] and rows[i, 1] < rows[j, 1])


@njit
def _swap(rows, i, j):
    for c in range(rows.shape[1]):
        kept = rows[i, c]
        rows[i, c] = rows[j, c]
        rows[j, c] = kept


@njit
def push(rows, size, row):
    """Add a row to rows[:size]; returns the rows, grown where they were full. O(log size)."""
    if size == rows.shape[0]:
        rows = grown(rows)
    for c in range(rows.shape[1]):
        rows[size, c] = row[c]
    i = size
    while i > 0 and _before(rows, i, (i - 1) // 2):
        _swap(rows, i, (i - 1) // 2)
        i = (i - 1) // 2
    return rows


@njit
def pop(rows, size, row):
    """Move the first of rows[:size] into `row`; the others are rows[:size - 1] afterwards. O(log size)."""
    last = size - 1
    for c in range(rows.shape[1]):
        row[c] = rows[0, c]
        rows[0, c] = rows[last, c]
    i = 0
    while 2 * i + 1 < last:
        child = 2 * i + 1
        if child + 1 < last and _before(rows, child + 1, child):
            child += 1
        if not _before(rows, child, i):
            break
        _swap(rows, i, child)
        i = child
