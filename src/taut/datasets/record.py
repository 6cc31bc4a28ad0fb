"""What every reader returns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Dataset"]

Edges: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Examples and their labels, ready for `fit(X, Y)`; `X, Y = load_...(...)` unpacks them.

    Attributes
    ----------
    X : array or CSR array (n, n_features), or list
        One row per example; for sequences one list or array per sequence; for graphs one pair (features, edges) each.
    Y : 0/1 array (n, n_labels), or list
        Label sets as int8 rows, closed under ancestors where there is a hierarchy; for sequences and graphs one array or
        list of labels per example.
    feature_names : list of str, or None
        One per column of X.
    label_names : list or range, or None
        One per column of Y, or what the integers in Y stand for.
    hierarchy : array (m, 2), or None
        Edges from parent to child between columns of Y.
    part : array, or None
        The part of a published split that each example belongs to: a number of a fold, or "train", "valid", "test".
    """

    X: Any
    Y: Any
    feature_names: Sequence[str] | None = None
    label_names: Sequence[Any] | None = None
    hierarchy: Edges | None = None
    part: npt.NDArray[Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        """X, then Y."""
        return iter((self.X, self.Y))

    def __repr__(self) -> str:
        shown = {field.name: getattr(self, field.name) for field in fields(self)}
        return f"Dataset({', '.join(f'{name}: {_size(value)}' for name, value in shown.items() if value is not None)})"


def _size(value: Any) -> str:
    return " x ".join(map(str, value.shape)) if hasattr(value, "shape") else f"{len(value)}"
