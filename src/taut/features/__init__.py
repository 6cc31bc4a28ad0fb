"""The linear map from weights to potentials: rows of features, dense or sparse; and where such rows come from."""

from .rows import as_rows, join_weights, split_weights
from .windows import CHUNKING, window_features

__all__ = ["CHUNKING", "as_rows", "join_weights", "split_weights", "window_features"]
