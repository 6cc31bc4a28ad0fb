"""What a prediction is judged by. A loss is data: weights, a matrix, or a table of counts; structures read it.

=================  ===================================================================  ==============================
loss               value                                                                where
=================  ===================================================================  ==============================
`Hamming()`        weight of the wrong positions, divided by the weight of all          every structure
`ZeroOne()`        1 if anything is wrong                                               every structure
`F1()`             1 - F1 of the active labels; 0/0 counts as no loss                   label sets, hierarchies
`Jaccard()`        1 - intersection / union of the active labels; likewise              label sets, hierarchies
`Cost(matrix)`     sum over positions of matrix[true state, predicted state]            classes, sequences, trees
`Tabulated(f)`     f(fp, fn, n_positive, n), any function >= 0                          label sets, hierarchies
=================  ===================================================================  ==============================
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, isfinite
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["F1", "Cost", "Hamming", "Jaccard", "Loss", "Tabulated", "ZeroOne", "commensurable", "count_table", "resolve"]


@dataclass(frozen=True, eq=False)
class Hamming:
    """Weight of the wrong positions (nodes of a hierarchy), divided by the weight of all unless `normalize` is False."""

    normalize: bool = True
    weights: Sequence[float] | npt.NDArray[np.float64] | None = None


@dataclass(frozen=True)
class ZeroOne:
    """1 if the labeling is wrong anywhere."""


@dataclass(frozen=True)
class F1:
    """1 - F1 of the active labels; with neither true nor predicted ones the loss is 0."""


@dataclass(frozen=True)
class Jaccard:
    """1 - Jaccard index of the active labels; with neither true nor predicted ones the loss is 0."""


@dataclass(frozen=True, eq=False)
class Cost:
    """Cost of predicting state k where s is true: matrix[s, k] >= 0 with zeros on the diagonal, summed over positions."""

    matrix: Sequence[Sequence[float]] | npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tabulated:
    """Any function f(fp, fn, n_positive, n) >= 0 of the numbers of false positives and negatives."""

    f: Callable[[int, int, int, int], float]


Loss: TypeAlias = Hamming | ZeroOne | F1 | Jaccard | Cost | Tabulated

_NAMED: dict[str, Loss] = {"hamming": Hamming(), "zero-one": ZeroOne(), "f1": F1(), "jaccard": Jaccard()}


def resolve(loss: str | Loss) -> Loss:
    """The loss that a name or an object stands for."""
    if isinstance(loss, str):
        if loss not in _NAMED:
            raise ValueError(f"`loss` must be one of {', '.join(map(repr, _NAMED))} or an object of taut.losses; found {loss!r}.")
        return _NAMED[loss]
    if not isinstance(loss, Loss):
        raise ValueError(f"`loss` must be a name or an object of taut.losses; found {type(loss).__name__}.")
    return loss


def count_table(loss: Loss, n_positive: int, n: int) -> npt.NDArray[np.float64]:
    """The loss as table[fp, fn], fp = 0..n - n_positive, fn = 0..n_positive; for losses that are functions of these."""
    loss = resolve(loss)
    if not 0 <= n_positive <= n:
        raise ValueError(f"`n_positive` must lie between 0 and n = {n}; found {n_positive}.")
    fp, fn = np.arange(n - n_positive + 1)[:, None], np.arange(n_positive + 1)[None, :]
    wrong, right = fp + fn, n_positive - fn
    match loss:
        case Hamming(normalize=normalize):
            table = wrong / n if normalize else wrong.astype(np.float64)
        case ZeroOne():
            table = (wrong > 0).astype(np.float64)
        case F1():
            table = 1.0 - np.divide(2.0 * right, 2.0 * right + wrong, out=np.ones(wrong.shape), where=wrong + right > 0)
        case Jaccard():
            table = 1.0 - np.divide(1.0 * right, right + wrong, out=np.ones(wrong.shape), where=wrong + right > 0)
        case Tabulated(f=f):
            if not callable(f):
                raise ValueError(f"`Tabulated` needs a function f(fp, fn, n_positive, n); found {f!r}.")
            values = [[f(int(a), int(b), n_positive, n) for b in fn[0]] for a in fp[:, 0]]
            table = np.array(values, dtype=np.float64)
            if not (np.isfinite(table).all() and (table >= 0).all()):
                raise ValueError("`Tabulated` needs f(fp, fn, n_positive, n) finite and >= 0; found a value that is not.")
        case Cost():
            raise ValueError(
                "`loss` must be a function of false positives and negatives: Hamming, F1, Jaccard or Tabulated; found Cost."
            )
    return np.ascontiguousarray(table, dtype=np.float64)


def commensurable(weights: Any, most: int = 1 << 20) -> tuple[float, npt.NDArray[np.int64]] | None:
    """Write weights >= 0 as unit * integers, with integers summing to at most `most`; None where they have no such unit.

    Exact counting needs it: real weights without a common unit have no polynomial exact method (subset sum).
    """
    values = np.asarray(weights, dtype=np.float64)
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise ValueError(f"`weights` must be finite and >= 0; found {weights!r}.")
    positive = values[values > 0]
    if positive.size == 0:
        return 1.0, np.zeros(values.shape, np.int64)
    least = float(positive.min())
    ratios = [Fraction(float(x) / least).limit_denominator(4096) for x in np.unique(positive)]
    bottom = 1
    for ratio in ratios:
        bottom = bottom * ratio.denominator // gcd(bottom, ratio.denominator)
        if bottom > most:
            return None
    unit = least / bottom
    counts = np.rint(values / unit)
    common = int(np.gcd.reduce(counts[counts > 0].astype(np.int64)))
    counts, unit = counts / common, unit * common
    if not isfinite(unit) or counts.sum() > most or not np.allclose(counts * unit, values, rtol=1e-12, atol=0.0):
        return None
    return unit, counts.astype(np.int64)
