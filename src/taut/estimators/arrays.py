"""Estimators whose X is one array, dense or CSR, with a row per example."""

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from .base import Examples, StructuredSVM

__all__ = ["ArraySSVM"]


class ArraySSVM(StructuredSVM):
    """The part that estimators of arrays share."""

    def _read(self, X: Any, reset: bool) -> Examples:
        return Examples(validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags
