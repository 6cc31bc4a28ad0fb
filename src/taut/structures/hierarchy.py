"""Hierarchies: node sets of a forest that hold with a node its ancestors (NOTES C.4)."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import hierarchy as kernel
from ..kernels.asking import PLANE
from ..losses import F1, Cost, Hamming, Jaccard, Loss, Tabulated, ZeroOne, count_table, resolve
from ..oracles import MILP, Program
from ..search import SearchResult
from .base import (
    COUNTED,
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
    search_named,
    single,
    whole,
)  # fmt: skip
from .batch import check_limits, rescaling_code
from .edges import checked_edges
from .hierarchy_methods import Closures, Forest, Programs, method_of
from .limits import within
from .programs import closed_program
from .set_programs import argmax_by_programs

__all__ = ["Hierarchy"]

_MOST_PAIRS = 1 << 24  # numbers of false positives and negatives that a table may have


class Hierarchy(Structure):
    """Sets of active nodes, closed under ancestors, the empty set included; the score is the sum of the active nodes' scores.

    With `leaves_only` every active node has an active leaf below it: a set is then the union of paths from roots to leaves.
    Losses: Hamming over nodes (any weights), ZeroOne, F1, Jaccard and Tabulated. Where nodes have one parent at most, decoding and
    the margin argmax of sums take O(nodes), the exact slack argmax the same as a rule: a pass at the warm multiplier, then a
    program over (position, count) pruned by the incumbent. Losses of false positives and negatives need both counts. Where nodes
    have several parents, a question is a minimum cut and the slack argmax a branch and bound over cuts; weights must have a common
    unit there, and with `leaves_only` each question is an integer program.

    Parameters
    ----------
    edges : array (m, 2)
        Parent and child; any number of roots and of parents, no cycle.
    leaves_only : bool
        Whether active nodes must lead to an active leaf.
    n_nodes : int, optional
        How many nodes there are, where some have no edge; by default the greatest in `edges` and one.
    max_cuts : int, optional
        Where nodes have several parents the slack argmax is NP-hard: after so many cuts an answer is the best label so far with
        a bound that holds, not certified. By default as many as the proof takes.
    """

    offers = "Hamming with any weights, ZeroOne, F1, Jaccard and Tabulated"

    def __init__(
        self, edges: npt.ArrayLike, leaves_only: bool = False, n_nodes: int | None = None, max_cuts: int | None = None
    ) -> None:
        self.edges, self.n_nodes = checked_edges(edges, n_nodes)
        self.leaves_only, self.width, self.n_shared = bool(leaves_only), self.n_nodes, 0
        most = 0 if max_cuts is None else whole("max_cuts", max_cuts)
        self._method = method_of(self.edges, self.n_nodes, self.leaves_only, most)
        self._inner = np.isin(np.arange(self.n_nodes), self.edges[:, 0])

    def __repr__(self) -> str:
        leaves = ", leaves_only=True" if self.leaves_only else ""
        return f"Hierarchy({len(self.edges)} edges{leaves}, n_nodes={self.n_nodes})"

    def potentials(self, scores: npt.ArrayLike) -> Potentials:
        """Potentials of one example, scores (n_nodes,), or of many, (n, n_nodes); -inf forbids a node."""
        many = as_array("scores", scores).ndim == 2
        table = finite("scores", scores, (None, self.n_nodes) if many else (self.n_nodes,), forbid=True)
        offsets = np.arange(len(table) + 1) * self.n_nodes if many else None
        return Potentials(table.ravel(), np.empty(0), (1,) * (len(table) if many else 1), offsets)

    def common(self, weights: Reals) -> Reals:
        """Nothing: hierarchies share no weights."""
        return np.empty(0)

    def target(self, y: Any, loss: Loss, theta: Potentials) -> Target:
        words = self.words(y, theta)
        if self.score(theta, y) == -np.inf:
            raise ValueError("the true label has score -inf: a node in it is forbidden. Allow it, or mend the label.")
        weights, scale, n, table, has_unit = np.ones(self.n_nodes), 1.0, self.n_nodes, np.empty(0), True
        match loss:
            case ZeroOne():
                losses = np.array([0.0, 1.0])
            case Hamming(normalize=normalize, weights=given):
                unit, weights, has_unit = node_weights(self, given)
                scale = 1.0 / float(weights.sum()) if normalize else unit
                losses = scale * np.arange(int(weights.sum()) + 1, dtype=np.float64) if has_unit else table
            case F1() | Jaccard() | Tabulated():
                n_true = int(words.sum())
                pairs = (n_true + 1) * (n - n_true + 1)
                if pairs > _MOST_PAIRS:
                    raise ValueError(
                        f"{type(loss).__name__} with {n_true} true nodes of {n} needs a table of {pairs:.1e} pairs of counts; at "
                        f"most {_MOST_PAIRS:.1e} are offered. Use Hamming, which counts once."
                    )
                table = count_table(loss, int(words.sum()), n).ravel()
                losses = np.unique(table)
            case Cost():
                raise ValueError(f"{self} cannot optimise Cost exactly. It can: {self.offers}.")
        if not has_unit and not isinstance(self._method, Forest):
            raise ValueError(
                f"the weights of Hamming have no common unit, so {self}, some of whose nodes have several parents, cannot count "
                "them exactly. Round them to multiples of a unit, or search over `taut.oracles.MILP`."
            )
        kind = 1 if isinstance(loss, ZeroOne) else 0 if has_unit else 2
        shared = self._method.shared(kind, table.size > 0, weights)
        own = np.concatenate([[int(words.sum()), 1], self._method.ordered(words)]).astype(np.int64)
        return Target(own, shared, np.concatenate([[scale], table]), losses, COUNTED if has_unit else frozenset({PLANE}))

    def unify(self, targets: list[Target]) -> list[Target]:
        """Tables of losses of false positives and negatives, one per number of true nodes, put end to end."""
        firsts = {int(one.words[0]): one for one in targets} if targets[0].shared[3] else {}
        if len(firsts) < 2:
            return targets
        tables = np.concatenate([targets[0].tables[:1], *(one.tables[1:] for one in firsts.values())])
        starts = np.cumsum([1] + [one.tables.size - 1 for one in firsts.values()])
        at = dict(zip(firsts, starts.tolist(), strict=False))
        moved = [np.concatenate([[one.words[0], at[int(one.words[0])]], one.words[2:]]) for one in targets]
        return [one._replace(words=words, tables=tables) for one, words in zip(targets, moved, strict=True)]

    def answer_kernel(self, target: Target) -> Callable[..., int]:
        return self._method.kernels.answer  # type: ignore[no-any-return]

    def best_kernel(self, target: Target) -> Callable[..., int]:
        return self._method.kernels.best  # type: ignore[no-any-return]

    def parts_kernel(self) -> Callable[..., int]:
        return kernel.parts

    def prepare_kernel(self) -> Callable[..., int]:
        return kernel.prepare

    def most_parts(self, theta: Potentials) -> int:
        return self.n_nodes

    def operations(self, theta: Potentials) -> float:
        return self._method.operations

    def first_lam(self, target: Target) -> float:
        if isinstance(self._method, Closures) and target.shared[3]:  # with two counters the slopes near no loss are steep
            return 1.0 / float(target.losses[-1] or 1.0)
        return first_lam(target)

    def label(self, words: Ints) -> Ints:
        return words.copy()

    def words(self, y: Any, theta: Potentials) -> Ints:
        return self._closed("label", y)

    def _closed(self, name: str, y: Any) -> Ints:
        """A label, checked."""
        label = integers(name, y, self.n_nodes, 2)
        for e in np.flatnonzero(label[self.edges[:, 1]] > label[self.edges[:, 0]])[:1]:
            parent, v = self.edges[e].tolist()
            raise ValueError(
                f"`{name}` must be closed under ancestors: node {v} is active and its parent {parent} is not. "
                f"Activate {parent}, or leave {v} out."
            )
        if self.leaves_only:
            led = np.zeros(self.n_nodes, np.int64)
            np.maximum.at(led, self.edges[:, 0], label[self.edges[:, 1]])
            bare = np.flatnonzero((label > led) & self._inner)
            if bare.size:
                raise ValueError(
                    f"with `leaves_only` every active node needs an active leaf below it: node {bare[0]} is active and none of its "
                    "children is. Activate a leaf below it, or leave it out."
                )
        return label

    def label_size(self, theta: Potentials) -> int:
        return self.n_nodes

    def score(self, theta: Potentials, y: Any) -> float:
        return float(single(theta).own[self.words(y, theta) > 0].sum())

    def as_milp(self, theta: Potentials, target: Any, loss: Loss) -> Program:
        """The node sets as a mixed-integer program, for `taut.oracles.MILP`; any weights, and F1, Jaccard, `Tabulated`."""
        return closed_program(theta.own, self.edges, self.leaves_only, self.words(target, theta), loss, np.copy)

    def decode(self, theta: Potentials, clamp: Any = None) -> Ints:
        """The best node set; `clamp` holds 0 or 1 per node, or -1 where it is free. Ties leave nodes out."""
        own = single(theta).own
        fixed = np.full(self.n_nodes, -1) if clamp is None else integers("clamp", clamp, self.n_nodes, 2, least=-1)
        label = self._method.decode(own, fixed)
        if label is None:
            raise ValueError("`clamp` must leave a label: found a node fixed to 1 has an ancestor, or all leaves below it, at 0.")
        return np.asarray(label, dtype=np.int64)

    def topk(self, theta: Potentials, k: int) -> tuple[list[Any], Reals]:
        labels = self._method.topk(single(theta).own, whole("k", k))
        return labels, np.array([theta.own[y > 0].sum() for y in labels])

    def enumerate(self, theta: Potentials | None = None) -> Iterator[Any]:
        return self._method.enumerate()

    def oracle(self, theta: Potentials, target: Any, loss: str | Loss = "hamming") -> Any:
        """The plane of one example, for any search."""
        if isinstance(self._method, Programs):
            return MILP(self, theta, self.words(target, theta), loss)
        return super().oracle(theta, target, loss)

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
        """The node set that violates most, exactly; see `Structure.loss_augmented`.

        Where nodes have several parents, `max_queries` is a number of cuts, and either limit ends the branch and bound with its
        bound.
        """
        if isinstance(self._method, Closures) and search == "auto" and not (max_queries is None and max_time is None):
            return within(self, theta, target, resolve(loss), rescaling, lam, threshold, tol, max_queries, max_time)
        if not isinstance(self._method, Programs):
            return super().loss_augmented(theta, target, loss, rescaling, search, lam, threshold, tol, max_queries, max_time)
        product, found = rescaling_code(rescaling) == 1, search_named(search, rescaling)
        one = self.target(target, resolve(loss), theta)
        start = self.first_lam(one) if lam is None else lam
        check_limits(start, threshold, tol, max_queries, max_time)
        label = self.words(target, theta)
        return argmax_by_programs(self, theta, label, loss, product, found, start, threshold, tol, max_queries, max_time)

    def loss(self, y_true: Any, y: Any, loss: str | Loss = "hamming") -> float:
        true, other = (self._closed(name, label) for name, label in (("y_true", y_true), ("y", y)))
        wrong, resolved = true != other, resolve(loss)
        if isinstance(resolved, Hamming):
            w = np.ones(self.n_nodes) if resolved.weights is None else np.asarray(resolved.weights, dtype=np.float64)
            return float(w[wrong].sum() / (w.sum() if resolved.normalize else 1.0))
        fp, fn = int((wrong & (other > 0)).sum()), int((wrong & (true > 0)).sum())
        return float(count_table(resolved, int(true.sum()), self.n_nodes)[fp, fn])


def node_weights(structure: Structure, weights: Any) -> tuple[float, Reals, bool]:
    """Weights of nodes, checked, as `in_units` writes them."""
    if weights is None:
        return 1.0, np.ones(structure.width), True
    given = finite("weights", weights, (structure.width,))
    if given.min() < 0 or given.sum() <= 0:
        raise ValueError("`weights` of Hamming must be >= 0, not all zero.")
    return in_units(given)
