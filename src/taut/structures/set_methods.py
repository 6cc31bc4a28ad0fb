"""How label sets are answered: one method per kind of graph, chosen by counting operations."""

import heapq
from types import ModuleType
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..kernels import independent, subsets
from ..kernels.asking import BAND, CONE, GREATEST_G, GREATEST_H, PLANE
from ..kernels.sets import WEIGHTS
from .batch import Potentials
from .set_losses import Measure

__all__ = ["SetMethod", "method_for"]

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_BANDS = frozenset({PLANE, BAND, GREATEST_H, GREATEST_G})
_MOST_ENUMERATED = 22


class SetMethod(Protocol):
    """What a method for label sets tells `MultiLabel`."""

    operations: float
    words: Ints  # what the kernels read behind the edges

    @property
    def offers(self) -> str:
        """The losses that it optimises exactly, for errors."""
        ...

    @property
    def kinds(self) -> frozenset[int]:
        """The questions that it answers."""
        ...

    @property
    def kernels(self) -> ModuleType:
        """The module of `answer`, `best` and `prepare`."""
        ...

    def takes(self, measure: Measure) -> bool:
        """Whether it is exact under a loss."""
        ...

    def common(self, weights: Reals) -> Reals:
        """What `kernels.prepare` writes behind the loss."""
        ...

    def decode(self, theta: Potentials, clamp: Ints) -> Ints:
        """The best label set, some labels fixed."""
        ...

    def topk(self, theta: Potentials, k: int) -> list[Ints]:
        """The k best label sets, in any order."""
        ...


def method_for(n: int, edges: Ints) -> SetMethod:
    """The method of a graph of n labels."""
    if len(edges) == 0:
        return Independent(n)
    if n > _MOST_ENUMERATED:
        raise ValueError(f"label sets with edges have at most {_MOST_ENUMERATED} labels; found {n}. Take edges='none'.")
    return Enumerated(n, edges)


class Independent:
    """No edges: sorted flips."""

    offers = "Hamming (equal weights), ZeroOne, F1, Jaccard and Tabulated"
    kinds = _BANDS
    kernels = independent

    def __init__(self, n: int) -> None:
        self.operations, self.words = float(n), np.empty(0, np.int64)

    def takes(self, measure: Measure) -> bool:
        return measure.kind != WEIGHTS

    def common(self, weights: Reals) -> Reals:
        return weights

    def decode(self, theta: Potentials, clamp: Ints) -> Ints:
        return np.where(clamp >= 0, clamp, theta.own > 0).astype(np.int64)

    def topk(self, theta: Potentials, k: int) -> list[Ints]:
        """Sets of flips in the order of what they cost: each is followed by its last flip moved on, and by one more flip."""
        cost, top = np.abs(theta.own), (theta.own > 0).astype(np.int64)
        order = np.argsort(cost, kind="stable")
        ready: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
        found: list[Ints] = []
        while ready and len(found) < k:
            total, flips = heapq.heappop(ready)
            label = top.copy()
            label[order[list(flips)]] ^= 1
            found.append(label)
            after = flips[-1] + 1 if flips else 0
            if after < len(order):
                step = float(cost[order[after]])
                heapq.heappush(ready, (total + step, (*flips, after)))
                if flips:
                    heapq.heappush(ready, (total + step - float(cost[order[after - 1]]), (*flips[:-1], after)))
        return found


class Enumerated:
    """Few labels: all sets of them."""

    offers = "every loss of label sets: Hamming with any weights, ZeroOne, F1, Jaccard and Tabulated"
    kinds = frozenset({PLANE, CONE, BAND, GREATEST_H, GREATEST_G})
    kernels = subsets

    def __init__(self, n: int, edges: Ints) -> None:
        self.n, self.edges = n, edges
        self.operations, self.words = 0.5 * 2.0**n, np.empty(0, np.int64)

    def takes(self, measure: Measure) -> bool:
        return True

    def common(self, weights: Reals) -> Reals:
        m, n_sets, n_rows = len(weights), 1 << self.n, 1 << (self.n - subsets.row_of(self.n))
        common = np.empty(m + n_sets + n_rows)
        common[:m] = weights
        subsets.pairwise_scores(self.n, self.edges, weights, common[m : m + n_sets], common[m + n_sets :])
        return common

    def _tables(self, theta: Potentials) -> tuple[Reals, Reals]:
        m, n_sets = len(self.edges), 1 << self.n
        return theta.common[m : m + n_sets], theta.common[m + n_sets :]

    def decode(self, theta: Potentials, clamp: Ints) -> Ints:
        label = np.empty(self.n, np.int64)
        subsets.decode(theta.own, clamp, *self._tables(theta), label)
        return label

    def topk(self, theta: Potentials, k: int) -> list[Ints]:
        pairwise, _ = self._tables(theta)
        scores = np.empty(len(pairwise))
        subsets.unary_scores(theta.own, scores)
        scores += pairwise
        k = min(k, len(scores))
        best = np.argpartition(-scores, k - 1)[:k]
        return [(i >> np.arange(self.n)) & 1 for i in best]
