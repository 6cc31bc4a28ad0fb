"""Label sets, with or without a graph of label pairs (NOTES C.1, C.2, C.8)."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import sets as kernel
from ..losses import Loss, resolve
from ..oracles import MILP, Program
from ..search import SearchResult
from .base import Ints, Potentials, Reals, Search, Structure, Target, as_array, finite, integers, search_named, single, whole
from .batch import check_limits, rescaling_code
from .programs import set_program
from .set_losses import measured, set_loss
from .set_methods import Wide, method_for, set_score
from .set_programs import argmax_by_programs

__all__ = ["MultiLabel"]


class MultiLabel(Structure):
    """Sets of `n_labels` labels; the score is unary @ y plus the weight of every pair of `edges` that is active.

    How it answers depends on the graph. Without edges: sorted flips, any loss of the counts of false positives and negatives, any
    number of labels. Trees and other narrow graphs: label by label, one pass and a pruned count program, the same losses,
    and any weights. Other graphs up to 22 labels: enumeration, any loss.
    """

    def __init__(self, n_labels: int, edges: str | npt.ArrayLike = "none") -> None:
        self.n_labels = self.width = whole("n_labels", n_labels)
        self.edges = label_pairs(edges, self.n_labels)
        self.n_shared = len(self.edges)
        self._method = method_for(self.n_labels, self.edges)
        self.offers = self._method.offers
        self._shared: dict[tuple[int, int], Ints] = {}  # what kernels read of the graph, by size and kind of the loss

    def __repr__(self) -> str:
        return f"MultiLabel(n_labels={self.n_labels}, {self.n_shared} edges)"

    def potentials(self, unary: npt.ArrayLike, pairwise: npt.ArrayLike | None = None) -> Potentials:
        """Potentials of one example, or of a batch.

        Parameters
        ----------
        unary : array (n_labels,) or (n_examples, n_labels)
            Scores of the labels; two dimensions make a batch.
        pairwise : array (n_edges,), optional
            Weights of the edges, in their order, shared by all examples; zeros where it is left out.
        """
        n, many = self.n_labels, np.ndim(unary) == 2
        table = finite("unary", unary, (None, n) if many else (n,))
        weights = finite("pairwise", np.zeros(self.n_shared) if pairwise is None else pairwise, (self.n_shared,))
        rows = len(table) if many else 1
        return Potentials(table.ravel(), self.common(weights), (1,) * rows, np.arange(rows + 1) * n if many else None)

    def common(self, weights: Reals) -> Reals:
        """The pairwise weights, and what the method makes of them."""
        return self._method.common(weights)

    def target(self, y: Any, loss: Loss, theta: Potentials) -> Target:
        words = self.words(y, theta)
        measure = measured(loss, words)
        method = None if measure is None else self._method.under(measure.kind)
        kinds = frozenset[int]() if measure is None or method is None else method.answers(measure)
        if measure is None or method is None or not kinds:
            remedy = "Search over `taut.oracles.MILP`." if measure else ""
            raise ValueError(f"{self} cannot optimise this {type(loss).__name__} exactly. It can: {self.offers}. {remedy}".strip())
        key = measure.table.size, measure.kind
        if key not in self._shared:
            parts = [self.n_labels, self.n_shared, *key], self.edges.ravel(), method.words
            self._shared[key] = np.concatenate(parts).astype(np.int64)
        own = np.concatenate([np.array([0, measure.step_fp, measure.step_fn]), words])
        return Target(own, self._shared[key], measure.table, measure.losses, kinds)

    def unify(self, targets: list[Target]) -> list[Target]:
        """Tables differ by the number of true labels: put them end to end, and tell each target where its own begins."""
        tables = {int(one.words[1]): one.tables for one in targets}
        if len(tables) == 1:
            return targets
        starts, end = {}, 0
        for step, table in tables.items():
            starts[step], end = end, end + table.size
        everything, shared = np.concatenate(list(tables.values())), targets[0].shared.copy()
        shared[2] = end
        moved = [np.concatenate([[starts[int(one.words[1])]], one.words[1:]]) for one in targets]
        return [one._replace(words=words, shared=shared, tables=everything) for one, words in zip(targets, moved, strict=True)]

    def answer_kernel(self, target: Target) -> Callable[..., int]:
        return self._method.under(int(target.shared[3])).kernels.answer  # type: ignore[no-any-return]

    def best_kernel(self, target: Target) -> Callable[..., int]:
        return self._method.under(int(target.shared[3])).kernels.best  # type: ignore[no-any-return]

    def prepare_kernel(self) -> Callable[..., int]:
        return self._method.kernels.prepare  # type: ignore[no-any-return]

    def oracle(self, theta: Potentials, target: Any, loss: str | Loss = "hamming") -> Any:
        """The plane of one example, for any search."""
        if isinstance(self._method, Wide):
            return MILP(self, single(theta), self.words(target, theta), loss)
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
        """The label set that violates most, exactly; see `Structure.loss_augmented`.

        On graphs that need integer programs `max_time` cuts a question short too.
        """
        if not isinstance(self._method, Wide):
            return super().loss_augmented(theta, target, loss, rescaling, search, lam, threshold, tol, max_queries, max_time)
        product, found = rescaling_code(rescaling) == 1, search_named(search, rescaling)
        one = self.target(target, resolve(loss), single(theta))
        start = self.first_lam(one) if lam is None else lam
        check_limits(start, threshold, tol, max_queries, max_time)
        label = self.words(target, theta)
        return argmax_by_programs(self, theta, label, loss, product, found, start, threshold, tol, max_queries, max_time)

    def parts_kernel(self) -> Callable[..., int]:
        return kernel.parts

    def most_parts(self, theta: Potentials) -> int:
        return self.n_labels + self.n_shared

    def operations(self, theta: Potentials) -> float:
        return self._method.operations

    def first_lam(self, target: Target) -> float:
        """The balance h / g of a label with two wrong ones and h = 1."""
        listed = target.losses
        return 1.0 / float(listed[min(2, len(listed) - 1)] or 1.0) if len(listed) else 1.0

    def label(self, words: Ints) -> Ints:
        return words.copy()

    def words(self, y: Any, theta: Potentials) -> Ints:
        return integers("label", y, self.n_labels, 2)

    def label_size(self, theta: Potentials) -> int:
        return self.n_labels

    def score(self, theta: Potentials, y: Any) -> float:
        return set_score(single(theta), self.edges, self.words(y, theta))

    def decode(self, theta: Potentials, clamp: Any = None) -> Ints:
        """The label set of greatest score; `clamp` holds 0 or 1 per label, or -1 where it is free."""
        free = np.full(self.n_labels, -1)
        return self._method.decode(single(theta), free if clamp is None else integers("clamp", clamp, self.n_labels, 2, least=-1))

    def topk(self, theta: Potentials, k: int) -> tuple[list[Any], Reals]:
        k = whole("k", k)
        labels = self._method.topk(single(theta), k)
        scores = np.array([self.score(theta, y) for y in labels])
        order = np.argsort(-scores, kind="stable")
        return [labels[i] for i in order], scores[order]

    def enumerate(self, theta: Potentials | None = None) -> Iterator[Any]:
        return (np.array(y) for y in product((0, 1), repeat=self.n_labels))

    def loss(self, y_true: Any, y: Any, loss: str | Loss = "hamming") -> float:
        true, other = (integers(name, value, self.n_labels, 2) for name, value in (("y_true", y_true), ("y", y)))
        return set_loss(resolve(loss), true, other)

    def as_milp(self, theta: Potentials, target: Any, loss: Loss) -> Program:
        """The label sets as a mixed-integer program, for `taut.oracles.MILP`; any graph and any loss."""
        weights = theta.common[: self.n_shared]
        return set_program(theta.own, self.edges, weights, self.words(target, theta), loss, np.copy)


def label_pairs(edges: str | npt.ArrayLike, n_labels: int) -> Ints:
    """Edges (m, 2), checked: "none", "full" (all j < k in lexicographic order), or pairs of different labels, each once."""
    if isinstance(edges, str):
        if edges not in ("none", "full"):
            raise ValueError(f"`edges` must be 'none', 'full' or an array (m, 2) of label pairs; found {edges!r}.")
        return np.argwhere(np.triu(np.ones((n_labels, n_labels), np.bool_), 1)) if edges == "full" else np.empty((0, 2), np.int64)
    pairs = as_array("edges", edges)
    if pairs.size == 0:
        return np.empty((0, 2), np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"`edges` must have shape (m, 2); found {pairs.shape}.")
    pairs = integers("edges", pairs.ravel(), None, n_labels).reshape(-1, 2)
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if len(loops):
        raise ValueError(f"`edges` must join different labels; edge {loops[0]} joins {pairs[loops[0], 0]} to itself. Leave it out.")
    keys = pairs.min(axis=1) * n_labels + pairs.max(axis=1)
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    if (counts > 1).any():
        j, k = pairs[first[counts > 1][0]]
        raise ValueError(f"`edges` must name each pair once, in either direction; found ({j}, {k}) twice. Add their weights.")
    return np.ascontiguousarray(pairs)
