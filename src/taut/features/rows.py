"""Rows of features as kernels read them, from what users have: arrays, CSR matrices, lists of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ..kernels.rows import Rows

__all__ = ["as_rows", "join_weights", "split_weights"]

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def as_rows(X: Any, width: int, bias: float = 1.0, offsets: Any = None) -> tuple[Rows, Ints]:
    """Rows of all examples end to end, and where each example's start.

    X is an array or sparse matrix with one row per example; with `offsets`, example i has the rows offsets[i]:offsets[i + 1];
    or a list with one array or sparse matrix per example. `bias` is the value of the constant feature, 0.0 for none.
    """
    if isinstance(X, Sequence) and not isinstance(X, str):
        if len(X) == 0:
            raise ValueError("`X` must hold at least one example; found an empty list.")
        for i, x in enumerate(X):
            if not hasattr(x, "shape") or len(x.shape) != 2:
                raise ValueError(f"`X[{i}]` must be an array or sparse matrix (rows, features); found {type(x).__name__}.")
        offsets = np.concatenate([[0], np.cumsum([x.shape[0] for x in X])])
        X = sparse.vstack([sparse.csr_array(x) for x in X], format="csr") if sparse.issparse(X[0]) else np.concatenate(X)
    X = X if sparse.issparse(X) else np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise ValueError(f"`X` must hold numbers in two dimensions, rows and features; found shape {X.shape} of {X.dtype}.")
    values = X.data if sparse.issparse(X) else X
    bounds = np.arange(X.shape[0] + 1) if offsets is None else np.asarray(offsets)
    if bounds.ndim != 1 or len(bounds) < 2 or bounds[0] != 0 or bounds[-1] != X.shape[0] or (np.diff(bounds) < 1).any():
        raise ValueError(f"`offsets` must rise from 0 to the number of rows ({X.shape[0]}), no example empty; found {bounds}.")
    if not np.isfinite(values).all():
        raise ValueError("`X` must be finite; found NaN or infinity. Impute or drop those entries.")
    n_features = int(X.shape[1])
    if sparse.issparse(X):
        csr = sparse.csr_array(X)
        csr.sum_duplicates()
        rows = Rows(
            True, np.zeros((0, 0)), csr.data.astype(np.float64), csr.indices.astype(np.int32), csr.indptr.astype(np.int64),
            n_features, width, float(bias),
        )  # fmt: skip
    else:
        dense = np.ascontiguousarray(X, dtype=np.float64)
        rows = Rows(
            False, dense, np.zeros(0), np.zeros(0, np.int32), np.zeros(1, np.int64), n_features, width, float(bias)
        )
    return rows, bounds.astype(np.int64)


def split_weights(rows: Rows, w: Reals) -> tuple[Reals, Reals, Reals]:
    """The flat vector as coefficients (width, n_features), intercepts (width,), shared weights."""
    size = rows.n_features * rows.width
    shape = (rows.n_features, rows.width) if rows.sparse else (rows.width, rows.n_features)
    table = w[:size].reshape(shape)
    return (table.T if rows.sparse else table), rows.bias * w[size : size + rows.width], w[size + rows.width :]


def join_weights(rows: Rows, coef: Reals, intercept: Reals, shared: Reals) -> Reals:
    """The inverse of `split_weights`; without a constant feature its weights are zero."""
    table = coef.T if rows.sparse else coef
    return np.concatenate([table.ravel(), intercept / rows.bias if rows.bias else np.zeros(rows.width), shared.ravel()])
