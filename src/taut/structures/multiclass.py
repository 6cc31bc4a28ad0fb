"""Classes: one of K, under any costs (NOTES C.7)."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import multiclass as kernel
from ..kernels.asking import BAND, CONE, GREATEST_G, GREATEST_H, PLANE
from ..losses import Cost, Hamming, Loss, ZeroOne, resolve
from ..oracles import Program
from .base import Ints, Potentials, Reals, Structure, Target, as_array, cost_table, finite, integers, single, whole
from .programs import states_program

__all__ = ["Multiclass"]

_EVERY_KIND = frozenset({PLANE, CONE, BAND, GREATEST_H, GREATEST_G})


class Multiclass(Structure):
    """One of `n_classes` classes; the score of a class is its potential, -inf where an example forbids it.

    Losses: ZeroOne, Hamming (the same) and Cost, any matrix. Every argmax is one scan over the classes, slack as well as margin
    rescaling; cones are answered too.
    """

    offers = "ZeroOne, Hamming and Cost, any numbers"
    n_shared = 0

    def __init__(self, n_classes: int) -> None:
        self.n_classes = self.width = whole("n_classes", n_classes)

    def __repr__(self) -> str:
        return f"Multiclass(n_classes={self.n_classes})"

    def potentials(self, scores: npt.ArrayLike) -> Potentials:
        """Potentials of one example, scores (n_classes,), or of a batch, one row per example."""
        k, many = self.n_classes, as_array("scores", scores).ndim == 2
        table = finite("scores", scores, (None, k) if many else (k,), forbid=True)
        if (table.max(axis=-1) == -np.inf).any():
            raise ValueError("`scores` must allow at least one class of every example; found a row of -inf.")
        n = len(table) if many else 1
        return Potentials(table.ravel(), np.empty(0), (1,) * n, np.arange(n + 1) * k if many else None)

    def common(self, weights: Reals) -> Reals:
        """Classes share no weights."""
        return np.empty(0)

    def target(self, y: Any, loss: Loss, theta: Potentials) -> Target:
        words = self.words(y, theta)
        if theta.own[words[0]] == -np.inf:
            raise ValueError(f"the true class {words[0]} has score -inf: it is forbidden. Allow it, or mend the label.")
        match loss:
            case ZeroOne() | Hamming():
                tables = np.array([_weight(loss)])
                losses = np.unique([0.0, tables[0]]) if self.n_classes > 1 else np.zeros(1)
            case Cost(matrix=matrix):
                costs = cost_table(matrix, self.n_classes)
                tables, losses = costs.ravel(), np.unique(costs[words[0]])
            case _:
                raise ValueError(f"{self} cannot optimise {type(loss).__name__} exactly. It can: {self.offers}.")
        shared = np.array([self.n_classes, not isinstance(loss, Cost)], np.int64)
        return Target(words, shared, tables, losses, _EVERY_KIND)

    def answer_kernel(self, target: Target) -> Callable[..., int]:
        return kernel.answer

    def best_kernel(self, target: Target) -> Callable[..., int]:
        return kernel.best

    def parts_kernel(self) -> Callable[..., int]:
        return kernel.parts

    def prepare_kernel(self) -> Callable[..., int]:
        return kernel.prepare

    def most_parts(self, theta: Potentials) -> int:
        return 1

    def label(self, words: Ints) -> int:
        return int(words[0])

    def words(self, y: Any, theta: Potentials) -> Ints:
        return integers("label", [y], 1, self.n_classes)

    def label_size(self, theta: Potentials) -> int:
        return 1

    def blank(self, theta: Potentials) -> int:
        return 0

    def score(self, theta: Potentials, y: Any) -> float:
        return float(single(theta).own[self.words(y, theta)[0]])

    def decode(self, theta: Potentials, clamp: Any = None) -> int:
        """The best class; `clamp` fixes it, -1 leaves it free."""
        if clamp is None or (np.ndim(clamp) == 0 and clamp == -1):
            return int(single(theta).own.argmax())
        return int(integers("clamp", [clamp], 1, self.n_classes)[0])

    def topk(self, theta: Potentials, k: int) -> tuple[list[Any], Reals]:
        k = whole("k", k)
        order = np.argsort(-single(theta).own, kind="stable")[: min(k, int((theta.own > -np.inf).sum()))]
        return order.tolist(), theta.own[order]

    def enumerate(self, theta: Potentials | None = None) -> Iterator[Any]:
        return iter(range(self.n_classes))

    def loss(self, y_true: Any, y: Any, loss: str | Loss = "hamming") -> float:
        (true,), (other,) = (integers(name, [k], 1, self.n_classes) for name, k in (("y_true", y_true), ("y", y)))
        match resolved := resolve(loss):
            case ZeroOne() | Hamming():
                return _weight(resolved) * float(true != other)
            case Cost(matrix=matrix):
                return float(np.asarray(matrix, dtype=np.float64)[true, other])
        raise ValueError(f"{type(resolved).__name__} is not a loss of classes. {self} has: {self.offers}.")

    def as_milp(self, theta: Potentials, target: Any, loss: Loss) -> Program:
        """The classes as a mixed-integer program, for `taut.oracles.MILP`."""
        k = self.n_classes
        nothing = np.empty((0, 2), np.int64), np.zeros((1, k, k))
        return states_program(theta.own.reshape(1, k), *nothing, self.words(target, theta), loss, lambda z: int(z[0]))


def _weight(loss: ZeroOne | Hamming) -> float:
    """What a wrong class costs under a loss that knows no classes."""
    if isinstance(loss, ZeroOne) or loss.weights is None:
        return 1.0
    weight = float(finite("weights", loss.weights, (1,))[0])
    if weight <= 0:
        raise ValueError("`weights` of Hamming must be >= 0, not all zero.")
    return 1.0 if loss.normalize else weight
