"""Examples of several rows: lists of arrays or CSR matrices, one label per row."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ..losses import Hamming, Loss
from ..metrics import position_error
from ..structures.base import part as one_of
from .base import Examples, Ints, Reals, StructuredSVM
from .names import codes, some, weights_of

__all__ = ["RowsSSVM"]


class RowsSSVM(StructuredSVM):
    """The part that estimators with one label per row of an example share."""

    def _read(self, X: Any, reset: bool) -> Examples:
        examples = Examples(*joined(X))
        width, names = int(examples.rows.shape[1]), _names(X)
        if reset:
            self.n_features_in_ = width
            if names is not None:
                self.feature_names_in_ = np.asarray(names, dtype=object)
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
        elif width != self.n_features_in_:
            raise ValueError(
                f"X has {width} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input."
            )
        elif names is not None and names != list(getattr(self, "feature_names_in_", names)):
            expected = some(self.feature_names_in_)
            raise ValueError(f"the columns of `X` must be those of the fit, {expected}, in this order; found {names}.")
        return examples

    def _learn_labels(self, Y: Any, examples: Examples) -> None:
        self.classes_ = np.unique(np.concatenate(_labels(Y, examples)))

    def _encode(self, Y: Any, examples: Examples) -> list[Ints]:
        found = _labels(Y, examples)
        return [codes(f"Y[{i}]", y, self.classes_) for i, y in enumerate(found)]

    def _weighted(self, loss: Hamming, labels: list[Any]) -> list[Loss]:
        counts = np.bincount(np.concatenate(labels), minlength=len(self.classes_)).astype(np.float64)
        weights = weights_of(self.class_weight, self.classes_, counts)
        return [Hamming(loss.normalize, weights[y]) for y in labels]

    def _clamped(self, i: int, known: Any) -> Ints:
        """Places of the known labels, -1 where a row is free."""
        held = np.array([label is not None for label in known], np.bool_)
        places = np.full(len(held), -1)
        if held.any():
            labels = np.asarray([label for label in known if label is not None])
            places[held] = codes(f"clamp[{i}]", labels, self.classes_)
        return places

    def _restore(self, labels: list[Ints]) -> list[npt.NDArray[Any]]:
        return [self.classes_[y] for y in labels]

    def decision_function(self, X: Any) -> list[Reals]:
        """Margins (rows, n_states) per example: the best score with a label at a row, minus the best with another there."""
        thetas, n = self._scored(X)
        return [_over_others(self._structure.max_marginals(one_of(thetas, i))) for i in range(n)]

    def score(self, X: Any, Y: Any, sample_weight: Any = None) -> float:
        """Share of the rows, over all examples together, whose label is right; `taut.metrics` has other figures."""
        found = self.predict(X)
        return 1.0 - position_error(_like(Y, found), found, sample_weight)


def joined(X: Any, name: str = "X") -> tuple[Any, Ints]:
    """Rows of all examples end to end, and where each starts, from a list of matrices or a pair (rows, offsets)."""
    if isinstance(X, tuple) and len(X) == 2 and np.ndim(X[1]) == 1 and not sparse.issparse(X[1]):
        rows = X[0] if sparse.issparse(X[0]) else _array(X[0], name)
        return _checked(rows, name), _offsets(X[1], rows.shape[0])
    if isinstance(X, (str, bytes, dict)) or sparse.issparse(X) or not isinstance(X, (Sequence, np.ndarray)):
        raise ValueError(
            f"`{name}` must be a list with one array or CSR matrix (rows, features) per example, or a pair (rows, offsets); found "
            f"{type(X).__name__}. Put a single example into a list."
        )
    if len(X) == 0:
        raise ValueError(f"`{name}` must hold at least one example; found none.")
    parts = [x if sparse.issparse(x) else _array(x, f"{name}[{i}]") for i, x in enumerate(X)]
    for i, part in enumerate(parts):
        if part.ndim != 2 or part.shape[0] == 0 or part.shape[1] != parts[0].shape[1]:
            raise ValueError(
                f"`{name}[{i}]` must have at least one row and {parts[0].shape[-1]} features, as `{name}[0]`; found shape "
                f"{part.shape}."
            )
        if sparse.issparse(part) != sparse.issparse(parts[0]):
            raise ValueError(f"`{name}` must be all dense or all sparse; `{name}[{i}]` differs from `{name}[0]`. Convert it.")
    offsets = np.concatenate([[0], np.cumsum([part.shape[0] for part in parts])])
    thin = sparse.issparse(parts[0])
    rows = sparse.vstack([sparse.csr_array(part) for part in parts], format="csr") if thin else np.concatenate(parts)
    return _checked(rows, name), offsets


def _names(X: Any) -> list[Any] | None:
    """The columns of data frames, the same in all; None for arrays."""
    frames = [X[0]] if isinstance(X, tuple) else X
    columns = [list(x.columns) if hasattr(x, "columns") else None for x in frames]
    for i, names in enumerate(columns):
        if names != columns[0]:
            raise ValueError(f"`X[{i}]` must have the columns of `X[0]`, {columns[0]}, in this order; found {names}.")
    return columns[0]


def _array(x: Any, name: str) -> Any:
    try:
        return np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`{name}` must hold numbers, one row per position; found {type(x).__name__} ({error}). Feature dictionaries go "
            "through `taut.estimators.PerSequence(FeatureHasher())`."
        ) from None


def _checked(rows: Any, name: str) -> Any:
    if rows.ndim != 2:
        raise ValueError(f"the rows of `{name}` must have two dimensions; found shape {rows.shape}.")
    rows = sparse.csr_array(rows, dtype=np.float64) if sparse.issparse(rows) else _array(rows, name)
    if not np.isfinite(rows.data if sparse.issparse(rows) else rows).all():
        raise ValueError(f"`{name}` must be finite; found NaN or infinity. Impute or drop those entries.")
    return rows


def _offsets(offsets: Any, n_rows: int) -> Ints:
    bounds = np.asarray(offsets)
    whole = np.issubdtype(bounds.dtype, np.integer)
    if not whole or len(bounds) < 2 or bounds[0] != 0 or bounds[-1] != n_rows or (np.diff(bounds) < 1).any():
        raise ValueError(f"offsets must be integers rising from 0 to the number of rows ({n_rows}), none equal; found {bounds}.")
    return bounds.astype(np.int64)


def _labels(Y: Any, examples: Examples) -> list[npt.NDArray[Any]]:
    """One array of labels per example, all of one type, as long as its rows."""
    assert examples.offsets is not None
    sizes = np.diff(examples.offsets)
    if Y is None or isinstance(Y, (str, bytes)):
        found = "None" if Y is None else "a text"
        raise ValueError(f"`Y` must be a list with one sequence of labels per example; found {found}.")
    flat = isinstance(Y, np.ndarray) and Y.ndim == 1 and Y.dtype != object and len(Y) == sizes.sum()
    parts = [np.asarray(y) for y in (np.split(Y, examples.offsets[1:-1]) if flat else Y)]
    if len(parts) != len(sizes):
        raise ValueError(f"`Y` must hold one sequence of labels per example of `X` ({len(sizes)}); it has {len(parts)}.")
    for i, (part, size) in enumerate(zip(parts, sizes.tolist(), strict=True)):
        if part.shape != (size,):
            raise ValueError(f"`Y[{i}]` must hold one label per row of `X[{i}]` ({size}); found shape {part.shape}.")
        if part.dtype.kind == "O":
            if not all(isinstance(label, str) for label in part.tolist()):
                raise ValueError(f"`Y[{i}]` must hold labels that are all texts or all integers; found an array of mixed objects.")
            parts[i] = part.astype(np.str_)
        elif part.dtype.kind not in "biuU" and not (part.dtype.kind == "f" and (part == np.floor(part)).all()):
            raise ValueError(f"`Y[{i}]` must hold labels that are all texts or all integers; found {part.dtype} values.")
    texts = [part.dtype.kind == "U" for part in parts]
    if any(texts) and not all(texts):
        raise ValueError(f"`Y` must hold texts or integers throughout; `Y[{texts.index(not texts[0])}]` differs from `Y[0]`.")
    return parts


def _like(Y: Any, found: list[Any]) -> Any:
    """A flat array of labels cut as the predictions are."""
    if isinstance(Y, np.ndarray) and Y.ndim == 1 and Y.dtype != object:
        return np.split(Y, np.cumsum([len(y) for y in found])[:-1])
    return Y


def _over_others(best: Reals) -> Reals:
    """Each entry minus the greatest other one of its row; inf where the others are impossible."""
    if best.shape[1] == 1:
        return np.full(best.shape, np.inf)
    order = np.argsort(best, axis=1)
    rows, top = np.arange(len(best)), order[:, -1]
    others = np.repeat(best[rows, top][:, None], best.shape[1], axis=1)
    others[rows, top] = best[rows, order[:, -2]]
    return best - others
