"""Transformers of rows, applied to sequences of rows."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone

__all__ = ["PerSequence"]


class PerSequence(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Apply a scikit-learn transformer of rows to every row of every sequence.

    `PerSequence(FeatureHasher())` turns sequences of feature dictionaries, as CRFsuite takes them, into sequences of sparse
    rows; `PerSequence(DictVectorizer())` does so with one column per feature that occurred in training;
    `PerSequence(StandardScaler())` scales sequences of arrays.

    Parameters
    ----------
    transformer : transformer
        Of scikit-learn, or of its form. It is cloned, and fitted to the rows of all sequences.

    Attributes
    ----------
    transformer_ : transformer
        The fitted one.
    """

    def __init__(self, transformer: Any) -> None:
        self.transformer = transformer

    def fit(self, X: Sequence[Any], y: Sequence[Any] | None = None) -> "PerSequence":
        """Fit the transformer to all rows; y, one label per row in each sequence, is for transformers that ask for it."""
        rows, _ = end_to_end(X)
        labels = None if y is None else [label for sequence in y for label in sequence]
        self.transformer_ = clone(self.transformer).fit(rows, labels)
        return self

    def transform(self, X: Sequence[Any]) -> list[Any]:
        """One array or CSR array (T_i, n_features) per sequence."""
        rows, offsets = end_to_end(X)
        return cut(self.transformer_.transform(rows), offsets)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Names of the columns, if the transformer knows them."""
        names: npt.NDArray[Any] = self.transformer_.get_feature_names_out(input_features)
        return names

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "transformer_")


def end_to_end(X: Sequence[Any]) -> tuple[Any, list[int]]:
    """The rows of all sequences in one matrix or list, and where each sequence starts."""
    sizes = [_size(i, x) for i, x in enumerate(X)]
    if not sizes:
        raise ValueError("`X` must hold at least one sequence; found none.")
    offsets = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    if sparse.issparse(X[0]):
        return sparse.vstack(X, format="csr"), offsets
    arrays = hasattr(X[0], "shape") and len(X[0].shape) == 2  # data frames too
    return np.concatenate([np.asarray(x) for x in X]) if arrays else [row for x in X for row in x], offsets


def _size(i: int, x: Any) -> int:
    if isinstance(x, (dict, str)) or not (hasattr(x, "shape") or isinstance(x, Sequence)):
        raise ValueError(
            f"`X` must hold sequences, each an array or a list of feature dictionaries; `X[{i}]` is of type {type(x).__name__}. "
            f"Put a single sequence into a list."
        )
    n = int(x.shape[0]) if hasattr(x, "shape") else len(x)
    if n == 0:
        raise ValueError(f"`X[{i}]` must have at least one row; it has none. Leave empty sequences out.")
    return n


def cut(rows: Any, offsets: Sequence[int]) -> list[Any]:
    """The inverse of `end_to_end`: views of one matrix."""
    if not sparse.issparse(rows):
        return [rows[a:b] for a, b in pairwise(offsets)]
    csr = sparse.csr_array(rows)
    bounds, width = csr.indptr[offsets].tolist(), csr.shape[1]
    return [  # slices of scipy copy, and take longer
        sparse.csr_array((csr.data[p:q], csr.indices[p:q], csr.indptr[a : b + 1] - p), shape=(b - a, width))
        for (a, b), (p, q) in zip(pairwise(offsets), pairwise(bounds), strict=True)
    ]
