"""What all methods for label sets share: how an example is laid out, and what its labels are made of.

shared = (L, m, N, kind, the m edges (j, k), then what the method adds); pool = (N numbers of the loss, the m pairwise weights,
then what the method adds); target = (offset, step of a false positive, step of a false negative, y (L)); theta = the L unary
scores. A label is L words, 0 or 1.

Of kind COUNTS a loss is a table: table[offset + fp * step_fp + fn * step_fn]; equal steps count wrong labels, others both counts.
Of kind LINEAR it is table[k] = k * table[1] besides; of kind WEIGHTS the table is the weights of the labels and a
unit, and the loss the unit times the sum of the wrong ones'.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import carray

from .asking import BAND, GREATEST_G, GREATEST_H
from .compiling import njit

__all__ = [
    "COUNTS", "HEAD", "LINEAR", "WEIGHTS", "LabelSet", "copy_weights", "flips", "loss", "nothing", "parts", "set_of", "size_of",
    "worth_of",
]  # fmt: skip

HEAD = 4  # words of `shared` before the edges
COUNTS, LINEAR, WEIGHTS = range(3)


class LabelSet(NamedTuple):
    """One example: unary scores, edges (m, 2), pairwise weights, the loss's numbers and steps, the true label."""

    unary: Any
    edges: Any
    pairwise: Any
    table: Any
    kind: int
    offset: int
    step_fp: int
    step_fn: int
    y: Any


@njit
def size_of(shared):
    """L, m and N."""
    head = carray(shared, HEAD)
    return head[0], head[1], head[2]


@njit
def set_of(shared, pool, target, theta):
    """The views of one example."""
    n, m, n_table = size_of(shared)
    words, numbers, own = carray(shared, HEAD + 2 * m), carray(pool, n_table + m), carray(target, 3 + n)
    return LabelSet(
        carray(theta, n), words[HEAD:].reshape(m, 2), numbers[n_table:], numbers[:n_table], words[3], own[0], own[1], own[2],
        own[3:],
    )  # fmt: skip


@njit
def loss(example, label):
    """The loss of a label."""
    y, place, total = example.y, example.offset, 0.0
    for j in range(y.size):
        if label[j] != y[j]:
            if example.kind == WEIGHTS:
                total += example.table[j]
            else:
                place += example.step_fn if y[j] else example.step_fp
    return example.table[y.size] * total if example.kind == WEIGHTS else example.table[place]


@njit
def worth_of(kind, lam, region, table, worth):
    """What a question adds to h at each loss: lam g, nothing, or -inf where the loss is not asked for."""
    top = table.max()
    for i in range(table.size):
        g = table[i]
        if kind == GREATEST_H:
            worth[i] = 0.0
        elif kind == GREATEST_G:
            worth[i] = 0.0 if g == top else -np.inf
        else:
            worth[i] = -np.inf if kind == BAND and not region[0] < g < region[1] else lam * g


@njit
def flips(example, gains):
    """gains[j]: what the unary score gains when label j is made wrong."""
    unary, y = example.unary, example.y
    for j in range(y.size):
        gains[j] = -unary[j] if y[j] else unary[j]


@njit
def nothing(lam, threshold, out):
    """The answer that no label beats the threshold."""
    out[0], out[1], out[2], out[3], out[4], out[5] = 1.0, 0.0, 0.0, max(threshold, 0.0), lam, 1.0


def parts(shared, target, label, out):
    """A place per active label, and one per edge whose ends are both active; see `compiling.PARTS`."""
    n, m, _ = size_of(shared)
    edges = carray(shared, HEAD + 2 * m)[HEAD:]
    y, places = carray(label, n), carray(out, n + m)
    end = 0
    for j in range(n):
        if y[j]:
            places[end] = j
            end += 1
    for e in range(m):
        if y[edges[2 * e]] and y[edges[2 * e + 1]]:
            places[end] = n + e
            end += 1
    return end


@njit
def copy_weights(shared, weights, pool):
    """The pairwise weights behind the loss; returns where they end."""
    _, m, n_table = size_of(shared)
    given, numbers = carray(weights, m), carray(pool, n_table + m)
    for e in range(m):
        numbers[n_table + e] = given[e]
    return n_table + m
