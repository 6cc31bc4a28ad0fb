"""Hierarchies: node sets of a forest that hold with a node its ancestors (NOTES C.4)."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import hierarchy as kernel
from ..kernels.asking import PLANE
from ..losses import F1, Cost, Hamming, Jaccard, Loss, Tabulated, ZeroOne, count_table, resolve
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
    in_units,
    integers,
    single,
    whole,
)  # fmt: skip
from .programs import closed_program

__all__ = ["Hierarchy"]

_MOST_PAIRS = 1 << 24  # numbers of false positives and negatives that a table may have


class Hierarchy(Structure):
    """Sets of active nodes, closed under ancestors, the empty set included; the score is the sum of the active nodes' scores.

    With `leaves_only` every active node has an active leaf below it: a set is then the union of paths from roots to leaves.
    Losses: Hamming over nodes (any weights), ZeroOne, F1, Jaccard and Tabulated. Decoding and the margin argmax of sums
    take O(nodes), the exact slack argmax the same as a rule: a pass at the warm multiplier, then a program over (position,
    count) pruned by the incumbent. Losses of false positives and negatives need both counts.

    Parameters
    ----------
    edges : array (m, 2)
        Parent and child; any number of roots, one parent at most.
    leaves_only : bool
        Whether active nodes must lead to an active leaf.
    n_nodes : int, optional
        How many nodes there are, where some have no edge; by default the greatest in `edges` and one.
    """

    offers = "Hamming with any weights, ZeroOne, F1, Jaccard and Tabulated"

    def __init__(self, edges: npt.ArrayLike, leaves_only: bool = False, n_nodes: int | None = None) -> None:
        self.edges, self.n_nodes = checked_edges(edges, n_nodes)
        self.leaves_only, self.width, self.n_shared = bool(leaves_only), self.n_nodes, 0
        self.parent = np.full(self.n_nodes, -1)
        order = np.argsort(self.edges[:, 1], kind="stable")
        child = self.edges[order, 1]
        for twice in np.flatnonzero(child[1:] == child[:-1])[:1]:
            a, b = self.edges[order[twice : twice + 2], 0]
            raise ValueError(
                f"node {child[twice]} has several parents ({a} and {b}). A Hierarchy is a forest, where each node has one "
                "parent at most; hierarchies with several parents (DAGs) are not offered yet. Drop edges, or repeat the node."
            )
        self.parent[self.edges[:, 1]] = self.edges[:, 0]
        self._order, self._size = preorder(self.parent)
        self._position = np.argsort(self._order)
        ends, above = np.arange(self.n_nodes) + self._size, self.parent[self._order]
        inner = above >= 0
        self._last = np.zeros(self.n_nodes, np.int64)  # whether a position is the last child of its parent
        self._last[inner] = ends[inner] == ends[self._position[above[inner]]]

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
        kind = 1 if isinstance(loss, ZeroOne) else 0 if has_unit else 2
        head = np.array([n, self.leaves_only, kind, table.size > 0], np.int64)
        shared = np.concatenate([head, self._order, self._size, self._last, bits(weights[self._order])]).astype(np.int64)
        own = np.concatenate([[int(words.sum()), 1], words[self._order]]).astype(np.int64)
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
        return kernel.answer

    def best_kernel(self, target: Target) -> Callable[..., int]:
        return kernel.best

    def parts_kernel(self) -> Callable[..., int]:
        return kernel.parts

    def prepare_kernel(self) -> Callable[..., int]:
        return kernel.prepare

    def most_parts(self, theta: Potentials) -> int:
        return self.n_nodes

    def operations(self, theta: Potentials) -> float:
        return 2.0 * self.n_nodes

    def first_lam(self, target: Target) -> float:
        return first_lam(target)

    def label(self, words: Ints) -> Ints:
        return words.copy()

    def words(self, y: Any, theta: Potentials) -> Ints:
        return self._closed("label", y)

    def _closed(self, name: str, y: Any) -> Ints:
        """A label, checked."""
        label = integers(name, y, self.n_nodes, 2)
        orphans = np.flatnonzero((label > 0) & (self.parent >= 0) & (label[self.parent] == 0))
        if orphans.size:
            v = int(orphans[0])
            raise ValueError(
                f"`{name}` must be closed under ancestors: node {v} is active and its parent {self.parent[v]} is not. "
                f"Activate {self.parent[v]}, or leave {v} out."
            )
        if self.leaves_only:
            led = np.zeros(self.n_nodes + 1, np.int64)
            led[self.parent[label > 0]] = 1  # the last entry, -1, takes what roots give
            bare = np.flatnonzero((label > 0) & (led[:-1] == 0) & (self._size[self._position] > 1))
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
        scores, forced = single(theta).own, np.zeros(self.n_nodes, np.bool_)
        if clamp is not None:
            fixed = integers("clamp", clamp, self.n_nodes, 2, least=-1)
            scores, forced = np.where(fixed == 0, -np.inf, scores), fixed == 1
        picks, _ = self._topk(scores, forced, 1)
        if len(picks) == 0:
            raise ValueError("`clamp` must leave a label: found a node fixed to 1 has an ancestor, or all leaves below it, at 0.")
        return np.asarray(picks[0], dtype=np.int64)

    def topk(self, theta: Potentials, k: int) -> tuple[list[Any], Reals]:
        k = whole("k", k)
        picks, scores = self._topk(single(theta).own, np.zeros(self.n_nodes, np.bool_), k)
        return list(picks), scores

    def _topk(self, scores: Reals, forced: npt.NDArray[np.bool_], k: int) -> tuple[Ints, Reals]:
        """The k best labels with the forced nodes active, and their scores."""
        must = np.cumsum(np.concatenate([[0], forced[self._order]]))
        below = must[np.arange(self.n_nodes) + self._size] > must[:-1]  # a skip would leave a forced node out
        picks, values = np.zeros((k, self.n_nodes), np.int64), np.empty(k)
        found = kernel.topk(scores[self._order], self._size, self._last, self.leaves_only, below, k, picks, values)
        return picks[:found, self._position], values[:found]

    def enumerate(self, theta: Potentials | None = None) -> Iterator[Any]:
        todo: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        while todo:
            p, active = todo.pop()
            if p < self.n_nodes:
                todo += [(p + int(self._size[p]), active), (p + 1, (*active, int(self._order[p])))]
                continue
            label = np.zeros(self.n_nodes, np.int64)
            label[list(active)] = 1
            inner = {int(self.parent[v]) for v in active}
            if not self.leaves_only or all(v in inner or self._size[self._position[v]] == 1 for v in active):
                yield label

    def loss(self, y_true: Any, y: Any, loss: str | Loss = "hamming") -> float:
        true, other = (self._closed(name, label) for name, label in (("y_true", y_true), ("y", y)))
        wrong, resolved = true != other, resolve(loss)
        if isinstance(resolved, Hamming):
            w = np.ones(self.n_nodes) if resolved.weights is None else np.asarray(resolved.weights, dtype=np.float64)
            return float(w[wrong].sum() / (w.sum() if resolved.normalize else 1.0))
        fp, fn = int((wrong & (other > 0)).sum()), int((wrong & (true > 0)).sum())
        return float(count_table(resolved, int(true.sum()), self.n_nodes)[fp, fn])


def checked_edges(edges: npt.ArrayLike, n_nodes: int | None) -> tuple[Ints, int]:
    """Edges (m, 2) between nodes, and the number of nodes; no edge twice, none from a node to itself."""
    given = as_array("edges", edges)
    if given.size == 0:
        given = np.zeros((0, 2), np.int64)
    if given.ndim != 2 or given.shape[1] != 2 or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"`edges` must hold pairs of node numbers, shape (m, 2); found shape {given.shape} of {given.dtype}.")
    top = int(given.max()) + 1 if given.size else 0
    n = top if n_nodes is None else whole("n_nodes", n_nodes)
    if n < 1:
        raise ValueError(f"there must be at least one node; found {n}. Pass `n_nodes` where nodes have no edges.")
    outside = (given < 0) | (given >= n)
    if outside.any():
        raise ValueError(f"`edges` must hold node numbers from 0 to {n - 1}; found {given[outside][0]}.")
    pairs = given.astype(np.int64)
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if loops.size:
        raise ValueError(f"`edges` must not join a node to itself; edge {loops[0]} joins {pairs[loops[0], 0]}. Drop it.")
    codes = np.sort(pairs, axis=1) @ np.array([n, 1])
    _, firsts = np.unique(codes, return_index=True)
    if len(firsts) < len(codes):
        again = int(np.setdiff1d(np.arange(len(codes)), firsts)[0])
        raise ValueError(f"`edges` must hold each pair once; edge {again} joins {tuple(pairs[again].tolist())} again. Drop it.")
    return pairs, n


def preorder(parent: Ints) -> tuple[Ints, Ints]:
    """The nodes of a forest, parents before children, subtrees together; and how many nodes each subtree has, by position."""
    n = len(parent)
    by_parent = np.argsort(parent, kind="stable")[::-1]  # of each parent, the last child first: the stack turns them again
    starts = np.searchsorted(-parent[by_parent], -np.arange(n), side="left").tolist()
    ends = np.searchsorted(-parent[by_parent], -np.arange(n), side="right").tolist()
    children, order = by_parent.tolist(), []
    todo = [v for v in children if parent[v] < 0]
    while todo:
        v = todo.pop()
        order.append(v)
        todo.extend(children[starts[v] : ends[v]])
    if len(order) < n:
        left = np.setdiff1d(np.arange(n), order)
        raise ValueError(f"`edges` hold a cycle: nodes {left[:5].tolist()} have no root above them. A forest has none.")
    size = np.ones(n, np.int64)
    position = np.argsort(order)
    for p in range(n - 1, 0, -1):
        if parent[order[p]] >= 0:
            size[position[parent[order[p]]]] += size[p]
    return np.array(order), size


def node_weights(structure: Structure, weights: Any) -> tuple[float, Reals, bool]:
    """Weights of nodes, checked, as `in_units` writes them."""
    if weights is None:
        return 1.0, np.ones(structure.width), True
    given = finite("weights", weights, (structure.width,))
    if given.min() < 0 or given.sum() <= 0:
        raise ValueError("`weights` of Hamming must be >= 0, not all zero.")
    return in_units(given)
