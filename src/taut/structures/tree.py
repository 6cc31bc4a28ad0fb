"""Trees and forests: a state at each node, scores on nodes and edges (NOTES C.3)."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import tree as kernel
from ..kernels.asking import PLANE
from ..kernels.chain import prepare
from ..kernels.tree_marginals import max_marginals
from ..losses import Loss, ZeroOne, resolve
from ..oracles import Program
from .base import (
    COUNTED,
    Ints,
    Potentials,
    Reals,
    Structure,
    Target,
    as_array,
    bits,
    finite,
    first_lam,
    integers,
    single,
    whole,
)  # fmt: skip
from .chain import clamped, count_losses, counted, positional_loss
from .edges import checked_edges
from .programs import states_program

__all__ = ["Forest", "Tree", "forest"]

Forest = tuple[Ints, Ints, Ints]


class Tree(Structure):
    """One of `n_states` states at each node of a tree or forest; the score is the sum of unary and edge scores.

    Edge (a, b) scores pairwise[e][y[a], y[b]]. Losses: Hamming (weights per node), ZeroOne, Cost (per node). The exact slack argmax
    is the one-pass method: an inside pass at the warm multiplier, max-marginals of the few states that can still beat the
    incumbent, and a program over (state, count) on these; O(N K^2) as a rule, O(N^2 K^2) at worst.

    Parameters
    ----------
    n_states : int
        How many states a node can have.
    edges : array (m, 2), optional
        Edges that every example has; without them `potentials` takes each example's own.
    """

    offers = "Hamming with any weights, ZeroOne and Cost"

    def __init__(self, n_states: int, edges: npt.ArrayLike | None = None) -> None:
        self.n_states = self.width = whole("n_states", n_states)
        self.n_shared = self.n_states**2
        self.edges: Ints | None = None
        self._forests: dict[int, Forest] = {}
        if edges is not None:
            self.edges, n = checked_edges(edges, None if np.size(as_array("edges", edges)) else 1)
            self._forests[n] = forest(self.edges, n)

    def __repr__(self) -> str:
        edges = "" if self.edges is None else f", {len(self.edges)} edges"
        return f"Tree(n_states={self.n_states}{edges})"

    def potentials(
        self,
        unary: npt.ArrayLike,
        pairwise: npt.ArrayLike,
        edges: npt.ArrayLike | Sequence[npt.ArrayLike] | None = None,
        offsets: npt.ArrayLike | None = None,
    ) -> Potentials:
        """Potentials of one example, or of many.

        Parameters
        ----------
        unary : array (N, n_states), or (n, N, n_states) for n examples
            Scores of the states at each node; -inf forbids.
        pairwise : array (n_states, n_states) or (m, n_states, n_states)
            Scores of the states at an edge's first and second end; -inf forbids. Per edge only for one example.
        edges : array (m, 2), or for many examples one such array each
            The example's own edges, instead of the structure's.
        offsets : array (n + 1,), optional
            Makes a batch of examples of several sizes: example i has the rows offsets[i]:offsets[i + 1] of `unary`.
        """
        k = self.n_states
        stacked = as_array("unary", unary).ndim == 3
        table = finite("unary", unary, (None, None, k) if stacked else (None, k), forbid=True)
        many = stacked or offsets is not None
        n_rows = table.size // k
        bounds = np.arange(len(table) + 1) * table.shape[1] if stacked else np.array([0, n_rows])
        if offsets is not None:
            bounds = np.asarray(offsets)
            if stacked or bounds.ndim != 1 or bounds[0] != 0 or bounds[-1] != n_rows or (np.diff(bounds) < 1).any():
                raise ValueError(
                    f"`offsets` must rise from 0 to the number of rows of a `unary` of two dimensions ({n_rows}), no example "
                    f"empty; found {bounds} and {table.ndim} dimensions."
                )
        if len(bounds) < 2 or bounds[-1] == 0:
            raise ValueError("`unary` must have at least one row; found none.")
        sizes = tuple(int(n) for n in np.diff(bounds))
        own = self.own_edges(edges, sizes, many)
        moves = as_array("pairwise", pairwise)
        if moves.ndim == 3:
            if many:
                raise ValueError("scores per edge need one example at a time; found a batch.")
            m = len(own[0] if own is not None else self._edges(sizes[0]))
            moves = finite("pairwise", pairwise, (m, k, k), forbid=True)
            numbers = np.concatenate([table.ravel(), moves.ravel(), moves.transpose(0, 2, 1).ravel()])
            return Potentials(numbers, np.empty(0), sizes, None, None if own is None else own[0])
        common = self.common(finite("pairwise", pairwise, (k, k), forbid=True).ravel())
        if many:
            return Potentials(table.ravel(), common, sizes, (bounds * k).astype(np.int64), own)
        return Potentials(table.ravel(), common, sizes, None, None if own is None else own[0])

    def own_edges(self, edges: Any, sizes: tuple[int, ...], many: bool) -> tuple[Ints, ...] | None:
        """The examples' own edges, checked; without them the structure's are, against the sizes."""
        if edges is None:
            for n in set(sizes):
                self._edges(n)
            return None
        given = list(edges) if many else [edges]
        if len(given) != len(sizes):
            raise ValueError(f"`edges` must hold one array (m, 2) per example ({len(sizes)}); it has {len(given)}.")
        checked = tuple(checked_edges(one, n)[0] for one, n in zip(given, sizes, strict=True))
        for one, n in zip(checked, sizes, strict=True):
            forest(one, n)  # raises on a cycle
        return checked

    def _edges(self, n: int) -> Ints:
        """The structure's edges, for an example of n nodes."""
        if self.edges is None:
            raise ValueError("this Tree has no edges of its own: pass `edges` to `potentials`, or to Tree.")
        if self.edges.size and int(self.edges.max()) >= n:
            raise ValueError(f"the edges join nodes up to {self.edges.max()}; found {n} rows of scores. Pass one row per node.")
        return self.edges

    def _forest(self, theta: Potentials) -> tuple[Ints, Forest]:
        """Edges and preorder of one example."""
        n = theta.sizes[0]
        if theta.edges is not None:
            edges = np.asarray(theta.edges)
            return edges, forest(edges, n)
        edges = self._edges(n)
        if n not in self._forests:
            self._forests[n] = forest(edges, n)
        return edges, self._forests[n]

    def common(self, weights: Reals) -> Reals:
        """Edge scores, and their transpose."""
        moves = weights.reshape(self.n_states, self.n_states)
        return np.concatenate([moves.ravel(), moves.T.ravel()])

    def target(self, y: Any, loss: Loss, theta: Potentials) -> Target:
        words = self.words(y, theta)
        cost, weights, unit, normalise, has_unit = counted(self, loss, words.size, self.n_states)
        if self.score(theta, y) == -np.inf:
            raise ValueError("the true label has score -inf: something in it is forbidden. Allow it, or mend the label.")
        edges, (node, parent, link) = self._forest(theta)
        kind, total = 1 if isinstance(loss, ZeroOne) else 0 if has_unit else 2, float(weights.sum())
        head = [self.n_states, normalise, kind, theta.common.size == 0]
        shared = np.concatenate([head, bits(cost)]).astype(np.int64)
        losses = count_losses(kind, unit / total if normalise else unit, weights * cost[words].max(axis=1))
        own = np.concatenate([[words.size], bits(total), [len(edges)], words, bits(weights), node, parent, link]).astype(np.int64)
        return Target(own, shared, np.array([unit]), losses, COUNTED if has_unit else frozenset({PLANE}))

    def answer_kernel(self, target: Target) -> Callable[..., int]:
        return kernel.answer

    def best_kernel(self, target: Target) -> Callable[..., int]:
        return kernel.best

    def parts_kernel(self) -> Callable[..., int]:
        return kernel.parts

    def prepare_kernel(self) -> Callable[..., int]:
        return prepare

    def most_parts(self, theta: Potentials) -> int:
        return 2 * theta.sizes[0] - 1

    def operations(self, theta: Potentials) -> float:
        return float(theta.sizes[0] * self.n_states**2)

    def first_lam(self, target: Target) -> float:
        return first_lam(target)

    def label(self, words: Ints) -> Ints:
        return words.copy()

    def words(self, y: Any, theta: Potentials) -> Ints:
        return integers("label", y, theta.sizes[0], self.n_states)

    def label_size(self, theta: Potentials) -> int:
        return theta.sizes[0]

    def _model(self, theta: Potentials) -> kernel.Model:
        """One example as kernels see it, without a target."""
        n, k = single(theta).sizes[0], self.n_states
        edges, (node, parent, link) = self._forest(theta)
        moves = theta.common if theta.common.size else theta.own[n * k :]
        m = 1 if theta.common.size else len(edges)
        zeros = np.zeros(n, np.int64)
        return kernel.Model(
            node, parent, link, theta.own[: n * k].reshape(n, k), moves.reshape(2, m, k, k), zeros, np.zeros((n, k)), 1.0, 0
        )  # fmt: skip

    def score(self, theta: Potentials, y: Any) -> float:
        return float(kernel.score(self._model(theta), self.words(y, theta)))

    def as_milp(self, theta: Potentials, target: Any, loss: Loss) -> Program:
        """The labelings as a mixed-integer program, for `taut.oracles.MILP`; any weights and costs."""
        model, (edges, _) = self._model(theta), self._forest(theta)
        return states_program(model.unary, edges, model.tables[0], self.words(target, theta), loss, np.copy)

    def decode(self, theta: Potentials, clamp: Any = None) -> Ints:
        """The best labeling; `clamp` holds a state per node, or -1 where it is free."""
        model = self._model(theta)
        model = model._replace(unary=clamped(model.unary, clamp))
        total, label = model.unary[model.node], np.empty(len(model.node), np.int64)
        kernel.inside(model, total, np.empty(total.shape))
        kernel.follow(model, total, 0, label)
        return label

    def max_marginals(self, theta: Potentials) -> Reals:
        """The best score (N, n_states) of a labeling with a state at a node; -inf where there is none. O(N K^2)."""
        model = self._model(theta)
        best = np.empty(model.unary.shape)
        max_marginals(model, best)
        return best

    def topk(self, theta: Potentials, k: int) -> tuple[list[Any], Reals]:
        k = whole("k", k)
        labels, scores = np.empty((k, single(theta).sizes[0]), np.int64), np.empty(k)
        found = kernel.topk(self._model(theta), k, labels, scores)
        order = np.argsort(-scores[:found], kind="stable")  # summed again they may differ by rounding
        return list(labels[:found][order]), scores[:found][order]

    def enumerate(self, theta: Potentials | None = None) -> Iterator[Any]:
        if theta is None:
            raise ValueError("a tree's labels depend on its size: pass the potentials.")
        return (np.array(y) for y in product(range(self.n_states), repeat=theta.sizes[0]))

    def loss(self, y_true: Any, y: Any, loss: str | Loss = "hamming") -> float:
        true, other = integers("y_true", y_true, None, self.n_states), integers("y", y, len(y_true), self.n_states)
        return positional_loss(resolve(loss), true, other)


def forest(edges: Ints, n: int) -> Forest:
    """The preorder of a forest as kernels read it: node, parent and link by position (`kernels.tree`); raises on a cycle."""
    node, parent, link = (np.empty(n, np.int64) for _ in range(3))
    bad = kernel.rooted(np.ascontiguousarray(edges), node, parent, link)
    if bad >= 0:
        a, b = edges[bad].tolist()
        raise ValueError(f"`edges` hold a cycle, closed by edge {bad}, ({a}, {b}). A tree or forest has none; drop an edge.")
    return node, parent, link
