"""How hierarchies are answered: forests by programs over their preorder, graphs by minimum cuts or integer programs."""

from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..kernels import closure
from ..kernels import hierarchy as preordered
from ..losses import Loss, ZeroOne, resolve
from ..oracles import MILP, Program
from ..oracles.highs import SolverError
from .base import bits
from .edges import preorder, topological
from .programs import closed_program
from .set_losses import set_loss
from .set_methods import best_by_clamping

__all__ = ["HierarchyMethod", "Programs", "method_of"]

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_CUT = 30.0  # operations of a cut per node and edge


class HierarchyMethod(Protocol):
    """What a method tells `Hierarchy`."""

    operations: float

    @property
    def kernels(self) -> ModuleType:
        """The module of `answer` and `best`."""
        ...

    def shared(self, kind: int, two: bool, weights: Reals) -> Ints:
        """What all examples share: the graph, and the loss: kind 1 is zero-one, 2 has weights without a unit."""
        ...

    def ordered(self, label: Ints) -> Ints:
        """A label in the order of the kernels."""
        ...

    def decode(self, scores: Reals, clamp: Ints) -> Ints | None:
        """The best node set with some nodes fixed; None where there is none."""
        ...

    def topk(self, scores: Reals, k: int) -> list[Ints]:
        """The k best node sets, best first."""
        ...

    def enumerate(self) -> Iterator[Ints]:
        """Every node set."""
        ...


def method_of(edges: Ints, n: int, leaves_only: bool, max_cuts: int) -> HierarchyMethod:
    """The method for a graph of n nodes."""
    if len(edges) == 0 or np.bincount(edges[:, 1]).max() <= 1:
        return Forest(edges, n, leaves_only)
    return Programs(edges, n) if leaves_only else Closures(edges, n, max_cuts)


class Forest:
    """One parent at most: nodes in preorder, a label is a path through positions."""

    kernels = preordered

    def __init__(self, edges: Ints, n: int, leaves_only: bool) -> None:
        self.n, self.leaves_only, self.operations = n, leaves_only, 2.0 * n
        self.parent = np.full(n, -1)
        self.parent[edges[:, 1]] = edges[:, 0]
        self._order, self._size = preorder(self.parent)
        self._position = np.argsort(self._order)
        ends, above = np.arange(n) + self._size, self.parent[self._order]
        inner = above >= 0
        self._last = np.zeros(n, np.int64)  # whether a position is the last child of its parent
        self._last[inner] = ends[inner] == ends[self._position[above[inner]]]

    def shared(self, kind: int, two: bool, weights: Reals) -> Ints:
        head = np.array([self.n, self.leaves_only, kind, two], np.int64)
        ordered = np.append(weights[self._order], 0.0)
        numbers = bits(np.concatenate([ordered[:-1], np.cumsum(ordered[::-1])[::-1]]))
        return np.concatenate([head, self._order, self._size, self._last, numbers]).astype(np.int64)

    def ordered(self, label: Ints) -> Ints:
        return label[self._order]

    def decode(self, scores: Reals, clamp: Ints) -> Ints | None:
        found = self._topk(np.where(clamp == 0, -np.inf, scores), clamp == 1, 1)
        return found[0] if len(found) else None

    def topk(self, scores: Reals, k: int) -> list[Ints]:
        return list(self._topk(scores, np.zeros(self.n, np.bool_), k))

    def _topk(self, scores: Reals, forced: npt.NDArray[np.bool_], k: int) -> Ints:
        must = np.cumsum(np.concatenate([[0], forced[self._order]]))
        below = must[np.arange(self.n) + self._size] > must[:-1]  # a skip would leave a forced node out
        picks, values = np.zeros((k, self.n), np.int64), np.empty(k)
        found = preordered.topk(scores[self._order], self._size, self._last, self.leaves_only, below, k, picks, values)
        return picks[:found, self._position]

    def enumerate(self) -> Iterator[Ints]:
        todo: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        while todo:
            p, active = todo.pop()
            if p < self.n:
                todo += [(p + int(self._size[p]), active), (p + 1, (*active, int(self._order[p])))]
                continue
            label = np.zeros(self.n, np.int64)
            label[list(active)] = 1
            inner = {int(self.parent[v]) for v in active}
            if not self.leaves_only or all(v in inner or self._size[self._position[v]] == 1 for v in active):
                yield label


class Closures:
    """Several parents: a set that holds with a node all its parents is a side of a cut."""

    kernels = closure

    def __init__(self, edges: Ints, n: int, max_cuts: int) -> None:
        self.edges, self.n, self.operations, self.max_cuts = edges, n, _CUT * (n + len(edges)), max_cuts
        self._order = topological(edges, n)

    def shared(self, kind: int, two: bool, weights: Reals) -> Ints:
        head = np.array([self.n, len(self.edges), kind, two, self.max_cuts])
        return np.concatenate([head, *self.edges.T, weights]).astype(np.int64)

    def ordered(self, label: Ints) -> Ints:
        return label

    def decode(self, scores: Reals, clamp: Ints) -> Ints | None:
        label = np.empty(self.n, np.int64)
        parents, children = np.ascontiguousarray(self.edges.T)
        return label if closure.decode(scores, clamp, parents, children, label) else None

    def topk(self, scores: Reals, k: int) -> list[Ints]:
        return best_by_clamping(lambda clamp: self.decode(scores, clamp), lambda y: _total(scores, y), self.n, k)

    def enumerate(self) -> Iterator[Ints]:
        return closed_sets(self.edges, self._order)


class Programs:
    """Several parents and leaves only, which is NP-hard: integer programs, one example at a time."""

    def __init__(self, edges: Ints, n: int) -> None:
        self.edges, self.n, self.operations = edges, n, 2.0**n
        self._order = topological(edges, n)
        self._inner = np.unique(edges[:, 0])

    @property
    def kernels(self) -> ModuleType:
        raise ValueError(
            "a hierarchy with several parents and `leaves_only` has no compiled answers, which batches and training need; "
            "`loss_augmented` answers one example at a time, by integer programs. Use leaves_only=False, or repeat nodes."
        )

    def shared(self, kind: int, two: bool, weights: Reals) -> Ints:
        return np.array([self.n, 0, kind, two])

    def ordered(self, label: Ints) -> Ints:
        return label

    def decode(self, scores: Reals, clamp: Ints) -> Ints | None:
        if (clamp == 1).any() and not np.isfinite(scores[clamp == 1]).all():
            return None
        return _decoded(scores, self.edges, clamp)

    def topk(self, scores: Reals, k: int) -> list[Ints]:
        return best_by_clamping(lambda clamp: self.decode(scores, clamp), lambda y: _total(scores, y), self.n, k)

    def enumerate(self) -> Iterator[Ints]:
        for label in closed_sets(self.edges, self._order):
            below = np.zeros(self.n, np.int64)
            np.maximum.at(below, self.edges[:, 0], label[self.edges[:, 1]])
            if (label[self._inner] <= below[self._inner]).all():
                yield label


def closed_sets(edges: Ints, order: Ints) -> Iterator[Ints]:
    """Every set of nodes that holds with a node its parents."""
    n = len(order)
    parents: list[list[int]] = [[] for _ in range(n)]
    for a, b in edges.tolist():
        parents[b].append(a)
    todo: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    while todo:
        p, active = todo.pop()
        if p == n:
            label = np.zeros(n, np.int64)
            label[list(active)] = 1
            yield label
            continue
        v = int(order[p])
        todo.append((p + 1, active))
        if all(a in active for a in parents[v]):
            todo.append((p + 1, (*active, v)))


def _total(scores: Reals, y: Ints) -> float:
    return float(scores[y > 0].sum())


def _decoded(scores: Reals, edges: Ints, clamp: Ints) -> Ints | None:
    """The best set with leaves only, by an integer program: the empty set as target, a row for each node that is held."""
    model = _Held(scores, edges, clamp)
    try:
        highest, _ = MILP(model, None, np.zeros(len(scores), np.int64), ZeroOne()).extremes()
    except SolverError:  # no label: the held nodes exclude each other
        return None
    return np.asarray(highest.label, np.int64)


class _Held:
    """Node sets with some nodes fixed, as `MILP` asks for them."""

    def __init__(self, scores: Reals, edges: Ints, clamp: Ints) -> None:
        self.scores, self.edges, self.held = np.where(clamp == 0, -np.inf, scores), edges, np.flatnonzero(clamp == 1)

    def as_milp(self, theta: None, target: Ints, loss: Loss) -> Program:
        program = closed_program(self.scores, self.edges, True, target, loss, np.copy)
        k, first = len(self.held), len(program.row_lower)
        return replace(
            program,
            entry_row=np.concatenate([program.entry_row, first + np.arange(k)]),
            entry_column=np.concatenate([program.entry_column, self.held]),
            entry=np.concatenate([program.entry, np.ones(k)]),
            row_lower=np.concatenate([program.row_lower, np.ones(k)]),
            row_upper=np.concatenate([program.row_upper, np.ones(k)]),
        )

    def score(self, theta: None, y: Ints) -> float:
        return _total(self.scores, y)

    def loss(self, y_true: Ints, y: Ints, loss: str | Loss = "hamming") -> float:
        return set_loss(resolve(loss), y_true, y)
