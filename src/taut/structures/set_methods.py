"""How label sets are answered: one method per kind of graph, chosen by counting operations."""

import heapq
import itertools
from collections.abc import Callable
from functools import cached_property
from types import ModuleType
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..kernels import frontier, independent, subsets
from ..kernels.asking import CONE, PLANE
from ..kernels.sets import WEIGHTS
from ..losses import Loss, ZeroOne, resolve
from ..oracles import MILP, Program
from .base import COUNTED
from .batch import Potentials
from .frontiers import MOST_STATES, frontier_words
from .programs import set_program
from .set_losses import Measure, set_loss

__all__ = ["SetMethod", "method_for"]

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_NO_WORDS = np.empty(0, np.int64)
_MOST_ENUMERATED = 22
_PER_STATE = 256  # label sets that are enumerated in the time of one state of a frontier


class SetMethod(Protocol):
    """What a method for label sets tells `MultiLabel`."""

    operations: float

    @property
    def offers(self) -> str:
        """The losses that it optimises exactly, for errors."""
        ...

    @property
    def kernels(self) -> ModuleType:
        """The module of `answer`, `best` and `prepare`."""
        ...

    @property
    def words(self) -> Ints:
        """What the kernels read behind the edges."""
        ...

    def under(self, kind: int) -> "SetMethod":
        """The method for losses of a kind: itself, or another that reads the same pool."""
        ...

    def answers(self, measure: Measure) -> frozenset[int]:
        """The questions that it answers exactly under a loss; none where its argmax is not exact."""
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
    """The method for a graph of n labels."""
    if len(edges) == 0:
        return Independent(n)
    narrow = Frontier(n, edges)
    if n <= _MOST_ENUMERATED and 2.0**n <= _PER_STATE * narrow.n_states:
        return Enumerated(n, edges)
    return narrow if narrow.n_states <= MOST_STATES else Wide(n, edges)


class Independent:
    """No edges: sorted flips."""

    offers = "Hamming with any weights, ZeroOne, F1, Jaccard and Tabulated"
    kernels = independent
    words = _NO_WORDS

    def __init__(self, n: int) -> None:
        self.n, self.operations = n, float(n)

    def under(self, kind: int) -> SetMethod:
        return self._weighted if kind == WEIGHTS else self

    @cached_property
    def _weighted(self) -> SetMethod:
        return Frontier(self.n, np.empty((0, 2), np.int64))

    def answers(self, measure: Measure) -> frozenset[int]:
        return COUNTED

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
    kernels = subsets
    words = _NO_WORDS

    def __init__(self, n: int, edges: Ints) -> None:
        self.n, self.edges = n, edges
        self.operations = 0.5 * 2.0**n

    def under(self, kind: int) -> SetMethod:
        return self

    def answers(self, measure: Measure) -> frozenset[int]:
        return COUNTED | {CONE}

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


class Frontier:
    """Graphs of small width, trees among them: label by label."""

    offers = "Hamming with any weights, ZeroOne, F1, Jaccard and Tabulated"
    kernels = frontier

    def __init__(self, n: int, edges: Ints) -> None:
        self.n, self.edges = n, edges
        self.words, self.n_states, self.widest = frontier_words(n, edges)
        self.operations = 4.0 * self.n_states
        self._graph = frontier.graph_of(self.words, n) if len(self.words) else None

    def under(self, kind: int) -> SetMethod:
        return self

    def answers(self, measure: Measure) -> frozenset[int]:
        if measure.kind == WEIGHTS:
            numbers = measure.table[:-1]
            whole = bool((numbers == np.floor(numbers)).all())
            return COUNTED if whole and self.widest * (numbers.sum() + 1) <= frontier.MOST_SLOTS else frozenset({PLANE})
        return COUNTED if self.widest * measure.table.size <= frontier.MOST_SLOTS else frozenset()

    def common(self, weights: Reals) -> Reals:
        gains = np.zeros(self.n_states - 1)
        frontier.edge_gains(self._graph, weights, gains)
        return np.concatenate([weights, gains])

    def decode(self, theta: Potentials, clamp: Ints) -> Ints:
        label = np.empty(self.n, np.int64)
        frontier.decode(self._graph, theta.common[len(self.edges) :], theta.own, clamp, label)
        return label

    def topk(self, theta: Potentials, k: int) -> list[Ints]:
        return best_by_clamping(lambda clamp: self.decode(theta, clamp), lambda y: set_score(theta, self.edges, y), self.n, k)


class Wide:
    """Many labels with many edges: integer programs, one example at a time."""

    offers = "every loss of label sets"
    words = _NO_WORDS

    def __init__(self, n: int, edges: Ints) -> None:
        self.n, self.edges, self.operations = n, edges, 2.0**n

    @property
    def kernels(self) -> ModuleType:
        raise ValueError(
            f"a graph of {self.n} labels and {len(self.edges)} edges is too wide for compiled answers, which batches and training "
            "need; `loss_augmented` answers one example at a time, by integer programs. Take fewer edges (a tree), or none."
        )

    def under(self, kind: int) -> SetMethod:
        return self

    def answers(self, measure: Measure) -> frozenset[int]:
        return COUNTED | {CONE}

    def common(self, weights: Reals) -> Reals:
        return weights

    def decode(self, theta: Potentials, clamp: Ints) -> Ints:
        """Fixed labels are left out, their edges added to the scores of the others: what is left may be narrow."""
        label, free = np.maximum(clamp, 0), np.flatnonzero(clamp < 0)
        if len(free) == self.n:
            return self._decoded(theta)
        unary, place = theta.own.copy(), np.cumsum(clamp < 0) - 1
        for a, b in (self.edges.T, self.edges.T[::-1]):
            np.add.at(unary, a, theta.common * (clamp[b] == 1))
        inner = (clamp[self.edges] < 0).all(axis=1)
        edges = place[self.edges[inner]]
        if len(free):
            method = method_for(len(free), edges)
            rest = Potentials(unary[free], method.common(theta.common[inner]), (1,))
            label[free] = method.decode(rest, np.full(len(free), -1))
        return label

    def _decoded(self, theta: Potentials) -> Ints:
        nothing = np.zeros(self.n, np.int64)
        highest, _ = MILP(_Sets(self.edges), theta, nothing, ZeroOne()).extremes()
        return np.asarray(highest.label, np.int64)

    def topk(self, theta: Potentials, k: int) -> list[Ints]:
        return best_by_clamping(lambda clamp: self.decode(theta, clamp), lambda y: set_score(theta, self.edges, y), self.n, k)


class _Sets:
    """Label sets as `MILP` asks for them."""

    def __init__(self, edges: Ints) -> None:
        self.edges = edges

    def as_milp(self, theta: Potentials, target: Ints, loss: Loss) -> Program:
        return set_program(theta.own, self.edges, theta.common[: len(self.edges)], target, loss, np.copy)

    def score(self, theta: Potentials, y: Ints) -> float:
        return set_score(theta, self.edges, y)

    def loss(self, y_true: Ints, y: Ints, loss: str | Loss = "hamming") -> float:
        return set_loss(resolve(loss), y_true, y)


def set_score(theta: Potentials, edges: Ints, y: Ints) -> float:
    """The score of a label set, by its definition."""
    return float(theta.own @ y + theta.common[: len(edges)] @ (y[edges[:, 0]] * y[edges[:, 1]]))


def best_by_clamping(decode: Callable[[Ints], Ints | None], score: Callable[[Ints], float], n: int, k: int) -> list[Ints]:
    """The k best label sets from decodings with fixed labels, None where they allow no set (Lawler, 1972): n for each."""
    free = np.full(n, -1)
    top = decode(free)
    ready, names = [] if top is None else [(-score(top), 0, top, free, 0)], itertools.count(1)
    found: list[Ints] = []
    while ready and len(found) < k:
        _, _, label, clamp, first = heapq.heappop(ready)
        found.append(label)
        for j in range(first, n):
            if clamp[j] < 0:  # the labels before j as here, j not
                part = np.where(np.arange(n) < j, label, clamp)
                part[j] = 1 - label[j]
                other = decode(part)
                if other is not None:
                    heapq.heappush(ready, (-score(other), next(names), other, part, j + 1))
    return found
