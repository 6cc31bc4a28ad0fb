"""The linear map from weights to potentials: rows of features, dense or sparse."""

from .rows import as_rows, split_weights

__all__ = ["as_rows", "split_weights"]
