"""Label sets as users have them: 0/1 matrices, dense or sparse, data frames, or lists of sets of names."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import type_of_target

from ..losses import Hamming, Loss
from ..metrics import exact_match
from ..structures import Potentials
from ..structures.base import part
from .arrays import ArraySSVM
from .base import Examples, Reals
from .names import some, weights_of

__all__ = ["SetSSVM", "as_matrix", "is_list_of_sets"]

Matrix = npt.NDArray[np.int64]


class SetSSVM(ClassifierMixin, ArraySSVM):  # type: ignore[misc]
    """The part that estimators of label sets share; `predict` answers in the form that `fit` was given."""

    _sets: bool  # whether labels are sets of names

    def _encode(self, Y: Any, examples: Examples) -> list[Any]:
        if is_list_of_sets(Y) != self._sets:
            expected, found = ("a list of sets", "a matrix") if self._sets else ("a 0/1 matrix", "a list of sets")
            raise ValueError(f"`Y` must be {expected}, as in the first fit; found {found}.")
        matrix = self._from_sets(Y) if self._sets else as_matrix(Y)
        expected_shape = (examples.n, len(self.classes_))
        if matrix.shape != expected_shape:
            raise ValueError(
                f"`Y` must hold one row per row of `X` and one column per label, shape {expected_shape}; found {matrix.shape}."
            )
        self._check_columns(Y)
        return list(matrix)

    def _check_columns(self, Y: Any) -> None:
        """That a data frame's columns are those of the fit, and in its order."""
        found = columns_of(Y)
        if found is None or self.classes_.dtype.kind != "U" or list(found) == self.classes_.tolist():
            return
        shown = some(np.asarray(found))
        raise ValueError(f"the columns of `Y` must be the labels {some(self.classes_)}, in this order; found {shown}. Reorder.")

    def _weighted(self, loss: Hamming, labels: list[Any]) -> Loss:
        counts = np.sum(labels, axis=0, dtype=np.float64)
        return Hamming(loss.normalize, weights_of(self.class_weight, self.classes_, np.minimum(counts, len(labels) - counts)))

    def _name_classes(self, classes: Any) -> None:
        if self._sets or classes is None:
            super()._name_classes(classes)
        elif len(classes) != len(self.classes_):
            raise ValueError(f"`classes` must name the columns of `Y` ({len(self.classes_)}); it has {len(classes)}.")

    def _from_sets(self, Y: Any) -> Matrix:
        place = {name: j for j, name in enumerate(self.classes_.tolist())}
        matrix = np.zeros((len(Y), len(place)), np.int64)
        for i, names in enumerate(Y):
            for name in names:
                if name not in place:
                    raise ValueError(f"`Y[{i}]` holds the label {name!r}; expected labels among {some(self.classes_)}.")
                matrix[i, place[name]] = 1
        return matrix

    def _restore(self, labels: list[Any]) -> Any:
        if not self._sets:
            return np.stack(labels)
        names = self.classes_.tolist()
        return [{names[j] for j in np.flatnonzero(y)} for y in labels]

    def _margins(self, thetas: Potentials, n: int) -> Reals:
        """Of each label the best score with it on, minus the best with it off: one decoding, and one more per label."""
        structure, margins = self._structure, np.empty((n, len(self.classes_)))
        for i in range(n):
            theta = part(thetas, i)
            best = structure.decode(theta)
            height = structure.score(theta, best)
            for j, on in enumerate(best.tolist()):
                clamp = np.full(len(best), -1)
                clamp[j] = 1 - on
                fall = height - structure.score(theta, structure.decode(theta, clamp))
                margins[i, j] = fall if on else -fall
        return margins

    def score(self, X: Any, Y: Any = None, sample_weight: Any = None, *, y: Any = None) -> float:
        """Share of the examples with every label right; `taut.metrics` has other figures."""
        found, true = self.predict(X), y if Y is None else Y
        self._check_columns(true)
        return exact_match(list(true) if self._sets else true, found, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        return tags


def is_list_of_sets(Y: Any) -> bool:
    """Whether these are sets of names, in a list or a series, and no matrix."""
    if sparse.issparse(Y) or hasattr(Y, "columns") or not hasattr(Y, "__len__"):
        return False
    return len(Y) > 0 and all(isinstance(y, (set, frozenset)) for y in Y)


def as_matrix(Y: Any) -> Matrix:
    """A 0/1 matrix, checked."""
    if Y is None:
        raise ValueError("requires y to be passed, but the target y is None: `Y` must be a 0/1 matrix or a list of sets of labels.")
    try:
        array = Y.toarray() if sparse.issparse(Y) else np.asarray(Y)
    except ValueError:
        raise ValueError(
            "`Y` must be a 0/1 matrix (n_examples, n_labels) or a list of sets of labels; found rows of several lengths. Make "
            "each row a set."
        ) from None
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(
            f"`Y` must be a 0/1 matrix (n_examples, n_labels) or a list of sets of labels; found {type_of_target(Y)} "
            f"values of shape {array.shape}. For one class per example use MulticlassSSVM."
        )
    if array.dtype == object and all(isinstance(entry, (int, float, np.number)) for entry in array.flat):
        array = array.astype(np.float64)  # as nullable columns of pandas come
    if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
        bad = array[~np.isin(array, (0, 1))].ravel()[:1].tolist() if array.dtype.kind in "biuf" else array.dtype
        raise ValueError(f"`Y` must hold 0 and 1; found {bad}. MultiLabelBinarizer of scikit-learn makes such a matrix.")
    return array.astype(np.int64)


def names_of_sets(Y: Any) -> npt.NDArray[Any]:
    """All names that occur, sorted."""
    names = set().union(*Y)
    if not names:
        raise ValueError("`Y` must hold at least one label; found empty sets only.")
    try:
        return np.array(sorted(names))
    except TypeError:
        raise ValueError("the labels in `Y` must be of one type, all strings or all numbers; found several.") from None


def columns_of(Y: Any) -> list[Any] | None:
    """Names of a data frame's columns; None for what has no names."""
    columns = getattr(Y, "columns", None)
    return None if columns is None else list(columns)
