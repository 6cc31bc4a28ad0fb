"""Metrics of label sets; 0/0 is 1."""

from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse

__all__ = ["LabelSets", "exact_match", "example_f1", "hamming_loss", "jaccard_accuracy", "macro_f1", "micro_f1"]

# A 0/1 array or sparse matrix, a data frame, a list of sets: scipy and pandas have no type in common.
LabelSets: TypeAlias = Any
Reals: TypeAlias = npt.NDArray[np.float64]
Weights: TypeAlias = npt.ArrayLike | None


def jaccard_accuracy(Y_true: LabelSets, Y_pred: LabelSets, sample_weight: Weights = None) -> float:
    r"""Mean over examples of :math:`|Y \cap \hat Y| / |Y \cup \hat Y|`; the paper's "Acc". Two empty sets count 1.

    Parameters
    ----------
    Y_true, Y_pred : 0/1 array or sparse matrix (n, n_labels), or list of n sets
    sample_weight : array (n,), optional
    """
    counts = _counts(Y_true, Y_pred, sample_weight)
    both, true, found = counts.per_example()
    return _mean(ratio(both, true + found - both), counts.weight)


def example_f1(Y_true: LabelSets, Y_pred: LabelSets, sample_weight: Weights = None) -> float:
    r"""Mean over examples of :math:`2 |Y \cap \hat Y| / (|Y| + |\hat Y|)`; the paper's "MaF1". Two empty sets count 1.

    Parameters
    ----------
    Y_true, Y_pred : 0/1 array or sparse matrix (n, n_labels), or list of n sets
    sample_weight : array (n,), optional
    """
    counts = _counts(Y_true, Y_pred, sample_weight)
    both, true, found = counts.per_example()
    return _mean(ratio(2 * both, true + found), counts.weight)


def exact_match(Y_true: LabelSets, Y_pred: LabelSets, sample_weight: Weights = None) -> float:
    """Share of the examples with every label right: scikit-learn's `accuracy_score` of label sets.

    Parameters
    ----------
    Y_true, Y_pred : 0/1 array or sparse matrix (n, n_labels), or list of n sets
    sample_weight : array (n,), optional
    """
    counts = _counts(Y_true, Y_pred, sample_weight)
    both, true, found = counts.per_example()
    return _mean((both == true) & (both == found), counts.weight)


def hamming_loss(Y_true: LabelSets, Y_pred: LabelSets, sample_weight: Weights = None) -> float:
    """Share of the entries that are wrong; less is better.

    Parameters
    ----------
    Y_true, Y_pred : 0/1 array or sparse matrix (n, n_labels)
        Not sets, which do not say how many labels there are.
    sample_weight : array (n,), optional
    """
    counts = _counts(Y_true, Y_pred, sample_weight, all_labels=True)
    both, true, found = counts.per_example()
    return _mean((true + found - 2 * both) / counts.true.shape[1], counts.weight)


def micro_f1(Y_true: LabelSets, Y_pred: LabelSets, sample_weight: Weights = None) -> float:
    r"""F1 of all entries together, :math:`2 TP / (2 TP + FP + FN)`; 1 if nothing is true and nothing predicted.

    Parameters
    ----------
    Y_true, Y_pred : 0/1 array or sparse matrix (n, n_labels), or list of n sets
    sample_weight : array (n,), optional
    """
    counts = _counts(Y_true, Y_pred, sample_weight)
    both, true, found = (counts.weight @ count for count in counts.per_example())
    return float(ratio(2 * both, true + found))


def macro_f1(Y_true: LabelSets, Y_pred: LabelSets, sample_weight: Weights = None) -> float:
    """Mean over labels of their F1; a label that never occurs and is never predicted counts 1.

    Parameters
    ----------
    Y_true, Y_pred : 0/1 array or sparse matrix (n, n_labels)
        Not sets, which do not name the labels that occur nowhere.
    sample_weight : array (n,), optional
    """
    counts = _counts(Y_true, Y_pred, sample_weight, all_labels=True)
    both, true, found = (matrix.T @ counts.weight for matrix in (counts.both, counts.true, counts.found))
    return float(np.mean(ratio(2 * both, true + found)))


class Counts(NamedTuple):
    """0/1 matrices (CSR) of the true labels, of the predicted ones and of those in both, and weights of the rows."""

    true: Any
    found: Any
    both: Any
    weight: Reals

    def per_example(self) -> tuple[Reals, Reals, Reals]:
        """Sizes of the intersections, of the true and of the predicted sets."""
        both, true, found = (np.asarray(matrix.sum(axis=1)).ravel() for matrix in (self.both, self.true, self.found))
        return both, true, found


def _counts(Y_true: LabelSets, Y_pred: LabelSets, sample_weight: Weights, all_labels: bool = False) -> Counts:
    if are_sets(Y_true) and are_sets(Y_pred):
        if all_labels:
            raise ValueError(
                "lists of sets do not say how many labels there are, which this metric needs: expected 0/1 matrices, "
                "as made by sklearn.preprocessing.MultiLabelBinarizer."
            )
        names = number_names(chain(Y_true, Y_pred))
        true, found = from_sets(Y_true, names), from_sets(Y_pred, names)
    else:
        true, found = from_matrix("Y_true", Y_true), from_matrix("Y_pred", Y_pred)
    return paired(true, found, sample_weight)


def paired(true: Any, found: Any, sample_weight: Weights) -> Counts:
    """Counts of two matrices, which must have one shape."""
    if true.shape != found.shape:
        raise ValueError(f"`Y_pred` must have the shape of `Y_true`, {true.shape}; found {found.shape}.")
    return Counts(true, found, true.multiply(found).tocsr(), row_weights(sample_weight, true.shape[0]))


def are_sets(Y: Any) -> bool:
    """Whether every example is a set; a list of lists is a matrix."""
    if scipy.sparse.issparse(Y) or not hasattr(Y, "__len__"):
        return False
    return len(Y) > 0 and all(isinstance(y, set | frozenset) for y in Y)


def number_names(groups: Any) -> dict[Any, int]:
    """A number for every name, in the order of appearance."""
    return {name: j for j, name in enumerate(dict.fromkeys(chain.from_iterable(groups)))}


def from_sets(Y: Any, names: dict[Any, int]) -> Any:
    sizes = [len(y) for y in Y]
    columns = np.fromiter((names[name] for y in Y for name in y), np.int64, sum(sizes))
    shape = (len(sizes), len(names))
    return scipy.sparse.csr_array((np.ones(len(columns)), columns, np.cumsum([0, *sizes])), shape=shape)


def from_matrix(name: str, Y: Any) -> Any:
    """A 0/1 matrix as CSR of float64, without stored zeros."""
    if not scipy.sparse.issparse(Y):
        Y = _array(name, Y)
    matrix = scipy.sparse.csr_array(Y, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    wrong = matrix.data != 1.0
    if wrong.any():
        raise ValueError(f"`{name}` must hold 0 and 1 only; found {matrix.data[wrong][0]:g}. Threshold scores first.")
    if matrix.shape[0] == 0:
        raise ValueError(f"`{name}` must hold at least one example; found none.")
    return matrix


def _array(name: str, Y: Any) -> Any:
    expected = f"`{name}` must be a 0/1 matrix (n_examples, n_labels) or a list of sets"
    try:
        array = np.asarray(Y)
    except ValueError as error:
        raise ValueError(f"{expected}; found rows of several lengths ({error}).") from None
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise ValueError(f"{expected}, and both in the same form; found shape {array.shape} of {array.dtype}.")
    return array


def row_weights(sample_weight: Weights, n: int) -> Reals:
    """One weight per example, ones by default."""
    if sample_weight is None:
        return np.ones(n)
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`sample_weight` must hold {n} numbers; found {type(sample_weight).__name__} ({error}).") from None
    if weight.shape != (n,) or not np.isfinite(weight).all() or (weight < 0).any() or not weight.sum() > 0:
        raise ValueError(
            f"`sample_weight` must hold {n} finite weights >= 0, not all of them 0; found shape {weight.shape}"
            f"{f' with values from {weight.min():g} to {weight.max():g}' if weight.size else ''}."
        )
    return weight


def ratio(part: Any, whole: Any) -> Any:
    """Part / whole, and 1 where both are 0."""
    return np.divide(part, whole, out=np.ones_like(np.asarray(whole, dtype=np.float64)), where=np.asarray(whole) > 0)


def _mean(values: Any, weight: Reals) -> float:
    return float(np.average(values, weights=weight))
