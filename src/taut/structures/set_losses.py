"""Losses of label sets, by their definitions and as kernels read them (`kernels.sets`)."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels.sets import COUNTS, LINEAR, WEIGHTS
from ..losses import F1, Hamming, Jaccard, Loss, Tabulated, ZeroOne, count_table
from .base import finite, in_units

__all__ = ["Measure", "measured", "set_loss", "set_weights"]

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_LISTED = 4096  # loss values that a search is told


class Measure(NamedTuple):
    """A loss of one true label set: its kind, its numbers, and the steps of a false positive and a false negative."""

    kind: int
    table: Reals
    step_fp: int
    step_fn: int
    losses: Reals


def measured(loss: Loss, y: Ints) -> Measure | None:
    """A loss as a table of counts or as weights; None where it is no loss of label sets."""
    n = len(y)
    match loss:
        case ZeroOne():
            return _zero_one(n)
        case Hamming(weights=None, normalize=normalize):
            return _linear(1.0 / n if normalize else 1.0, n)
        case Hamming(normalize=normalize):
            return _weighted(set_weights(loss, n).tobytes(), normalize)
        case F1() | Jaccard() | Tabulated():
            return _pairs(loss, int(y.sum()), n)
    return None


@lru_cache(8)
def _zero_one(n: int) -> Measure:
    return Measure(COUNTS, (np.arange(n + 1) > 0).astype(np.float64), 1, 1, np.array([0.0, 1.0]))


@lru_cache(8)
def _linear(unit: float, n: int) -> Measure:
    table = unit * np.arange(n + 1, dtype=np.float64)
    return Measure(LINEAR, table, 1, 1, table)


@lru_cache(8)
def _weighted(raw: bytes, normalize: bool) -> Measure:
    """Weights, whole numbers where they are multiples of a unit, and the unit."""
    weights = np.frombuffer(raw)
    n = len(weights)
    if (weights == weights[0]).all():
        return _linear(1.0 / n if normalize else float(weights[0]), n)
    unit, numbers, whole = in_units(weights)
    total = float(numbers.sum())
    unit = 1.0 / total if normalize else unit
    listed = unit * np.arange(total + 1) if whole and total < _LISTED else np.empty(0)
    return Measure(WEIGHTS, np.append(numbers, unit), 0, 0, listed)


@lru_cache(64)
def _pairs(loss: Loss, n_positive: int, n: int) -> Measure:
    table = count_table(loss, n_positive, n)
    return Measure(COUNTS, table.ravel(), n_positive + 1, 1, np.unique(table))


def set_weights(loss: Hamming, n: int) -> Reals:
    """The weights of Hamming, checked."""
    weights = finite("weights", loss.weights, (n,))
    if weights.min() < 0 or weights.sum() <= 0:
        raise ValueError("`weights` of Hamming must be >= 0, not all zero.")
    return weights


def set_loss(loss: Loss, true: Ints, other: Ints) -> float:
    """A loss of label sets by its definition."""
    fp, fn, tp = (int(((true == a) & (other == b)).sum()) for a, b in ((0, 1), (1, 0), (1, 1)))
    n, wrong = true.size, fp + fn
    match loss:
        case ZeroOne():
            return float(wrong > 0)
        case Hamming(normalize=normalize, weights=None):
            return wrong / (n if normalize else 1.0)
        case Hamming(normalize=normalize):
            weights = set_weights(loss, n)
            return float(weights[true != other].sum() / (weights.sum() if normalize else 1.0))
        case F1():
            return wrong / (2 * tp + wrong) if wrong else 0.0
        case Jaccard():
            return wrong / (tp + wrong) if wrong else 0.0
        case Tabulated(f=f):
            return float(f(fp, fn, int(true.sum()), n))
    raise ValueError(f"{type(loss).__name__} is not a loss of label sets; use Hamming, ZeroOne, F1, Jaccard or Tabulated.")
