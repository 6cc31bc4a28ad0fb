"""Estimators whose X is one array, dense or CSR, with a row per example."""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import validate_data

from .base import Examples, StructuredSVM

__all__ = ["ArraySSVM"]


class ArraySSVM(StructuredSVM):
    """The part that estimators of arrays share."""

    def fit(self, X: Any, Y: Any = None, sample_weight: Any = None, *, y: Any = None) -> Self:
        """Learn the weights.

        Parameters
        ----------
        X : array or CSR matrix (n, n_features)
        Y : labels
            Also by scikit-learn's name, y.
        sample_weight : array (n,), optional
            A weight >= 0 per example; weight 2 is the same as the example twice.
        """
        return super().fit(X, y if Y is None else Y, sample_weight)

    def _read(self, X: Any, reset: bool) -> Examples:
        return Examples(validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags
