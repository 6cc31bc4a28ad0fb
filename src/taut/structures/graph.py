"""Graphs: a state at each node, scores on nodes and edges, any edges (NOTES C.5)."""

import heapq
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import graph as kernel
from ..kernels.asking import BAND, GREATEST_G, GREATEST_H, PLANE
from ..losses import Hamming, Loss, ZeroOne, resolve
from ..oracles import Program
from ..search import SearchResult
from .base import (
    Ints,
    Potentials,
    Reals,
    Search,
    Structure,
    Target,
    as_array,
    finite,
    first_lam,
    in_units,
    integers,
    single,
    whole,
)  # fmt: skip
from .chain import clamped, positional_loss
from .edges import checked_edges
from .limits import within
from .programs import states_program

__all__ = ["Graph"]

_KINDS = frozenset({PLANE, BAND, GREATEST_H, GREATEST_G})
_SWEEP = 24.0  # of a relaxation


class Graph(Structure):
    """One of `n_states` states at each node of any graph; the score is the sum of unary and edge scores.

    Edge (a, b) scores pairwise[e][y[a], y[b]]. Losses: Hamming (weights per node with a common unit) and ZeroOne. With two states
    that attract on every edge (pairwise[0, 0] + pairwise[1, 1] >= pairwise[0, 1] + pairwise[1, 0]) a question is a minimum cut.
    Otherwise even decoding is NP-hard: a branch and bound over a dual bound. Trees are faster as `Tree`.

    Parameters
    ----------
    n_states : int
        How many states a node can have.
    edges : array (m, 2), optional
        Edges that every example has; without them `potentials` takes each example's own.
    max_relaxations : int, optional
        After so many relaxations (cuts, or dual bounds) an answer is the best label so far with a bound that holds, not certified;
        decoding keeps to it too. By default as many as the proof takes.
    """

    offers = "Hamming with weights that are multiples of a common unit, and ZeroOne"

    def __init__(self, n_states: int, edges: npt.ArrayLike | None = None, max_relaxations: int | None = None) -> None:
        self.n_states = self.width = whole("n_states", n_states)
        self.n_shared = self.n_states**2
        self.edges: Ints | None = None
        self._most = 0 if max_relaxations is None else whole("max_relaxations", max_relaxations)
        if edges is not None:
            self.edges, _ = checked_edges(edges, None if np.size(as_array("edges", edges)) else 1)

    def __repr__(self) -> str:
        edges = "" if self.edges is None else f", {len(self.edges)} edges"
        return f"Graph(n_states={self.n_states}{edges})"

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
            Finite scores of the states at an edge's first and second end. Per edge only for one example.
        edges : array (m, 2), or for many examples one such array each
            The example's own edges, instead of the structure's.
        offsets : array (n + 1,), optional
            Makes a batch of examples of several sizes: example i has the rows offsets[i]:offsets[i + 1] of `unary`.
        """
        k = self.n_states
        stacked = as_array("unary", unary).ndim == 3
        table = finite("unary", unary, (None, None, k) if stacked else (None, k), forbid=True)
        many, n_rows = stacked or offsets is not None, table.size // k
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
        if (table.max(axis=-1) == -np.inf).any():
            raise ValueError("`unary` must allow at least one state at every node; found a row of -inf.")
        sizes = tuple(int(n) for n in np.diff(bounds))
        own = self.own_edges(edges, sizes, many)
        if as_array("pairwise", pairwise).ndim == 3:
            if many:
                raise ValueError("scores per edge need one example at a time; found a batch.")
            m = len(own[0] if own is not None else self._edges(sizes[0]))
            moves = finite("pairwise", pairwise, (m, k, k))
            numbers = np.concatenate([table.ravel(), moves.ravel()])
            return Potentials(numbers, np.empty(0), sizes, None, None if own is None else own[0])
        common = self.common(finite("pairwise", pairwise, (k, k)).ravel())
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
        return tuple(checked_edges(one, n)[0] for one, n in zip(given, sizes, strict=True))

    def _edges(self, n: int) -> Ints:
        """The structure's edges, for an example of n nodes."""
        if self.edges is None:
            raise ValueError("this Graph has no edges of its own: pass `edges` to `potentials`, or to Graph.")
        if self.edges.size and int(self.edges.max()) >= n:
            raise ValueError(f"the edges join nodes up to {self.edges.max()}; found {n} rows of scores. Pass one row per node.")
        return self.edges

    def _of(self, theta: Potentials) -> tuple[Ints, Reals, Reals]:
        """Edges, unary and pairwise scores of one example."""
        n, k = single(theta).sizes[0], self.n_states
        edges = self._edges(n) if theta.edges is None else np.asarray(theta.edges)
        moves = theta.common if theta.common.size else theta.own[n * k :]
        return edges, theta.own[: n * k].reshape(n, k), moves.reshape(-1, k, k)

    def common(self, weights: Reals) -> Reals:
        """Edge scores."""
        return np.array(weights)

    def target(self, y: Any, loss: Loss, theta: Potentials) -> Target:
        words, n = self.words(y, theta), theta.sizes[0]
        if self.score(theta, y) == -np.inf:
            raise ValueError("the true label has score -inf: a state of it is forbidden. Allow it, or mend the label.")
        weights, scale = np.ones(n), 1.0
        match loss:
            case ZeroOne():
                losses = np.array([0.0, 1.0])
            case Hamming(normalize=normalize, weights=given):
                unit = 1.0
                if given is not None:
                    real = finite("weights", given, (n,))
                    if real.min() < 0 or real.sum() <= 0:
                        raise ValueError("`weights` of Hamming must be >= 0, not all zero.")
                    unit, weights, has_unit = in_units(real)
                    if not has_unit:
                        raise ValueError(
                            f"the weights of Hamming have no common unit, so {self} cannot count them exactly. Round them to "
                            "multiples of a unit, or search over `taut.oracles.MILP`."
                        )
                scale = 1.0 / float(weights.sum()) if normalize else unit
                losses = scale * np.arange(int(weights.sum()) + 1, dtype=np.float64)
            case _:
                raise ValueError(f"{self} cannot optimise {type(loss).__name__} exactly. It can: {self.offers}.")
        edges = self._of(theta)[0]
        shared = np.array([self.n_states, isinstance(loss, ZeroOne), theta.common.size == 0, 0, self._most], np.int64)
        own = np.concatenate([[n, len(edges), int(weights.sum())], words, weights, *edges.T]).astype(np.int64)
        return Target(own, shared, np.array([scale]), losses, _KINDS)

    def answer_kernel(self, target: Target) -> Callable[..., int]:
        return kernel.answer

    def best_kernel(self, target: Target) -> Callable[..., int]:
        return kernel.best

    def parts_kernel(self) -> Callable[..., int]:
        return kernel.parts

    def prepare_kernel(self) -> Callable[..., int]:
        return kernel.prepare

    def most_parts(self, theta: Potentials) -> int:
        return theta.sizes[0] + len(self._of(theta)[0])

    def operations(self, theta: Potentials) -> float:
        return _SWEEP * (theta.sizes[0] + len(self._of(theta)[0])) * self.n_states**2

    def first_lam(self, target: Target) -> float:
        return first_lam(target)

    def label(self, words: Ints) -> Ints:
        return words.copy()

    def words(self, y: Any, theta: Potentials) -> Ints:
        return integers("label", y, theta.sizes[0], self.n_states)

    def label_size(self, theta: Potentials) -> int:
        return theta.sizes[0]

    def score(self, theta: Potentials, y: Any) -> float:
        (edges, unary, moves), label = self._of(theta), self.words(y, theta)
        each = np.broadcast_to(moves, (len(edges), self.n_states, self.n_states))
        pairs = each[np.arange(len(edges)), label[edges[:, 0]], label[edges[:, 1]]]
        return float(unary[np.arange(len(label)), label].sum() + pairs.sum())

    def as_milp(self, theta: Potentials, target: Any, loss: Loss) -> Program:
        """The labelings as a mixed-integer program, for `taut.oracles.MILP`; any weights and costs."""
        edges, unary, moves = self._of(theta)
        return states_program(unary, edges, moves, self.words(target, theta), loss, np.copy)

    def decode(self, theta: Potentials, clamp: Any = None) -> Ints:
        """The best labeling; `clamp` holds a state per node, or -1 where it is free."""
        unary = clamped(self._of(theta)[1], clamp)
        if (unary.max(axis=1) == -np.inf).any():
            raise ValueError("`clamp` must leave a label: found a node fixed to a forbidden state.")
        return self._decoded(theta, unary)

    def _decoded(self, theta: Potentials, unary: Reals) -> Ints:
        held = theta._replace(own=np.concatenate([unary.ravel(), theta.own[unary.size :]]))
        oracle = self.oracle(held, unary.argmax(axis=1), ZeroOne() if len(unary) < 2 else Hamming())
        return np.asarray(oracle._answer(GREATEST_H, 1.0, np.zeros(6)).label)  # type: ignore[union-attr]

    def max_marginals(self, theta: Potentials) -> Reals:
        """The greatest score with each state at each node (N, n_states): a decoding each, -inf for forbidden states."""
        unary = self._of(theta)[1]
        found = np.full(unary.shape, -np.inf)
        for v, x in np.argwhere(unary > -np.inf):
            clamp = np.where(np.arange(len(unary)) == v, x, -1)
            found[v, x] = self.score(theta, self.decode(theta, clamp))
        return found

    def topk(self, theta: Potentials, k: int) -> tuple[list[Any], Reals]:
        """The k best labelings (Lawler, 1972): each is followed by what it is not, node by node."""
        unary, k, names = self._of(theta)[1], whole("k", k), itertools.count(1)
        top = self._decoded(theta, unary)
        ready: list[Any] = [(-self.score(theta, top), 0, top, unary, 0)]
        found: list[Ints] = []
        while ready and len(found) < k:
            _, _, label, allowed, first = heapq.heappop(ready)
            found.append(label)
            for v in range(first, len(unary)):
                part = allowed.copy()
                part[v, label[v]] = -np.inf
                if part[v].max() > -np.inf:
                    other = self._decoded(theta, part)
                    heapq.heappush(ready, (-self.score(theta, other), next(names), other, part, v))
                allowed = allowed.copy()
                allowed[v, np.arange(self.n_states) != label[v]] = -np.inf
        return found, np.array([self.score(theta, y) for y in found])

    def enumerate(self, theta: Potentials | None = None) -> Iterator[Any]:
        if theta is None:
            raise ValueError("a graph's labels depend on its size: pass the potentials.")
        return (np.array(y) for y in itertools.product(range(self.n_states), repeat=theta.sizes[0]))

    def loss(self, y_true: Any, y: Any, loss: str | Loss = "hamming") -> float:
        true = integers("y_true", y_true, None, self.n_states)
        return positional_loss(resolve(loss), true, integers("y", y, len(true), self.n_states))

    def loss_augmented(
        self,
        theta: Potentials,
        target: Any,
        loss: str | Loss = "hamming",
        rescaling: str = "slack",
        search: str | Search = "auto",
        lam: float | None = None,
        threshold: float = 0.0,
        tol: float = 0.0,
        max_queries: int | None = None,
        max_time: float | None = None,
    ) -> SearchResult:
        """The labeling that violates most, exactly; see `Structure.loss_augmented`.

        `max_queries` is a number of relaxations, and either limit ends the branch and bound with its bound.
        """
        if search == "auto" and not (max_queries is None and max_time is None):
            return within(self, single(theta), target, resolve(loss), rescaling, lam, threshold, tol, max_queries, max_time)
        return super().loss_augmented(theta, target, loss, rescaling, search, lam, threshold, tol)
