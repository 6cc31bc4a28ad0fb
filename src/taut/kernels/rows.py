"""The linear map from weights to potentials, its adjoint and its Gram matrices, for dense and sparse rows of features.

One flat vector w holds W, then the weights b of the constant feature, then the shared weights c. Dense rows keep W as (width,
n_features), so that one state's weights lie together; sparse rows as (n_features, width), so that one feature's do.
A place below n_rows * width is a potential theta[row, k] = (x_row, bias) . (W_k, b_k); the places behind are c itself.
"""

from typing import Any, NamedTuple

import numpy as np

from .compiling import njit, njit_sums

__all__ = ["Rows", "add", "gram", "image", "potentials", "potentials_at"]

_STRIDE = 8  # a number read alone costs as much as this many that lie together: a cache line


class Rows(NamedTuple):
    """Rows of features: `dense` (R, F), or with `sparse` the CSR arrays; `bias` is the constant feature, 0 for none."""

    sparse: bool
    dense: Any
    data: Any
    indices: Any
    indptr: Any
    n_features: int
    width: int
    bias: float


@njit
def potentials(rows, w, first, last, theta):
    """theta (last - first, width), flat: the scores of rows first..last. Dense O(rows F width), sparse O(nnz width)."""
    width, n_features = rows.width, rows.n_features
    if rows.sparse:
        for t in range(first, last):
            out = theta[(t - first) * width : (t - first + 1) * width]
            base = n_features * width
            for k in range(width):
                out[k] = rows.bias * w[base + k]
            for p in range(rows.indptr[t], rows.indptr[t + 1]):
                x = rows.data[p]
                row = w[rows.indices[p] * width : (rows.indices[p] + 1) * width]
                for k in range(width):
                    out[k] += x * row[k]
        return
    weights = w[: n_features * width].reshape(width, n_features)
    if last - first == 1:
        np.dot(weights, rows.dense[first], theta[:width])
    else:
        np.dot(rows.dense[first:last], weights.T, theta[: (last - first) * width].reshape(last - first, width))
    if rows.bias != 0.0:
        for t in range(last - first):
            for k in range(width):
                theta[t * width + k] += rows.bias * w[n_features * width + k]


@njit_sums
def _dot(x, y, n):
    total = 0.0
    for f in range(n):
        total += x[f] * y[f]
    return total


@njit
def potentials_at(rows, w, first, own, places, n, theta):
    """theta at places[:n] below own, and perhaps elsewhere: the few scores that a handful of labels needs. O(n F) or O(n nnz).

    Sparse rows are taken whole where they would be read no faster one place at a time.
    """
    width, n_features = rows.width, rows.n_features
    base = n_features * width
    if rows.sparse and n * _STRIDE * width >= own * width:
        potentials(rows, w, first, first + own // width, theta)
        return
    for j in range(n):
        if places[j] >= own:
            continue
        t, k = first + places[j] // width, places[j] % width
        total = rows.bias * w[base + k]
        if rows.sparse:
            for p in range(rows.indptr[t], rows.indptr[t + 1]):
                total += rows.data[p] * w[rows.indices[p] * width + k]
        else:
            total += _dot(rows.dense[t], w[k * n_features : (k + 1) * n_features], n_features)
        theta[places[j]] = total


@njit
def add(rows, w, first, own, place, x):
    """w += x times what the potential (or shared weight) at `place` depends on; own = its rows * width. O(F) or O(nnz)."""
    width, n_features = rows.width, rows.n_features
    base = n_features * width
    if place >= own:
        w[base + width + place - own] += x
        return
    t, k = first + place // width, place % width
    w[base + k] += x * rows.bias
    if rows.sparse:
        for p in range(rows.indptr[t], rows.indptr[t + 1]):
            w[rows.indices[p] * width + k] += x * rows.data[p]
    else:
        row, out = rows.dense[t], w[k * n_features : (k + 1) * n_features]
        for f in range(n_features):
            out[f] += x * row[f]


@njit
def gram(rows, first, last, out):
    """out[s, t] = x_s . x_t + bias^2 over the rows first..last."""
    n = last - first
    if not rows.sparse:
        block = rows.dense[first:last]
        np.dot(block, block.T, out)
        for s in range(n):
            for t in range(n):
                out[s, t] += rows.bias * rows.bias
        return
    for s in range(n):
        for t in range(s, n):
            a, a_end = rows.indptr[first + s], rows.indptr[first + s + 1]
            b, b_end = rows.indptr[first + t], rows.indptr[first + t + 1]
            total = rows.bias * rows.bias
            while a < a_end and b < b_end:
                if rows.indices[a] == rows.indices[b]:
                    total += rows.data[a] * rows.data[b]
                    a += 1
                    b += 1
                elif rows.indices[a] < rows.indices[b]:
                    a += 1
                else:
                    b += 1
            out[s, t] = out[t, s] = total


@njit
def image(rows, products, first, own, places, counts, work, out):
    """out += A A' D, D sparse by its places: how the potentials answer when the weights move along A' D.

    `products` is the example's Gram matrix, flat; where it is empty (long sequences) the move is made in `work`, a zero vector of
    w's size that is left zero, and its potentials are taken. `out` has own entries, then one per shared weight.
    """
    width, n = rows.width, own // rows.width
    for j in range(places.size):
        if places[j] >= own:
            out[places[j]] += counts[j]
    if products.size == 1:
        for j in range(places.size):
            if places[j] < own:
                out[places[j]] += counts[j] * products[0]
        return
    if products.size > 0:
        for j in range(places.size):
            if places[j] < own:
                s, k, x = places[j] // width, places[j] % width, counts[j]
                for t in range(n):
                    out[t * width + k] += x * products[s * n + t]
        return
    for j in range(places.size):
        if places[j] < own:
            add(rows, work, first, own, places[j], float(counts[j]))
    moved = np.empty(own)
    potentials(rows, work, first, first + n, moved)
    for p in range(own):
        out[p] += moved[p]
    for j in range(places.size):
        if places[j] < own:
            _forget(rows, work, first, places[j])


@njit
def _forget(rows, work, first, place):
    """Zero what `add` wrote for a potential."""
    width, n_features = rows.width, rows.n_features
    t, k = first + place // width, place % width
    work[n_features * width + k] = 0.0
    if rows.sparse:
        for p in range(rows.indptr[t], rows.indptr[t + 1]):
            work[rows.indices[p] * width + k] = 0.0
    else:
        for f in range(n_features):
            work[k * n_features + f] = 0.0
