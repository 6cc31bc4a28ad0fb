"""Matchings: each row is assigned a column of its own (NOTES C.6)."""

import heapq
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import matching as kernel
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
from .limits import within
from .programs import matching_program

__all__ = ["Matching"]

_KINDS = frozenset({PLANE, BAND, GREATEST_H, GREATEST_G})


class Matching(Structure):
    """Each of n rows has one of m >= n columns, no two the same; the score is the sum of scores[i, y[i]], -inf forbids a pair.

    Losses: Hamming over rows (weights with a common unit) and ZeroOne. A question at a multiplier is an assignment, O(n^2 m). The
    slack argmax is as hard as exact matching; it is found by branch and bound over assignments, a few of them as a rule.

    Parameters
    ----------
    n : int, optional
        How many rows there are. Without it examples may have any sizes: then each must be square, or `potentials` gets its table.
    m : int, optional
        How many columns, at least n; by default n.
    max_assignments : int, optional
        After so many assignments an answer is the best label so far with a bound that holds, not certified. By default as many as
        the proof takes.
    """

    offers = "Hamming with weights that are multiples of a common unit, and ZeroOne"
    width, n_shared = 1, 0

    def __init__(self, n: int | None = None, m: int | None = None, max_assignments: int | None = None) -> None:
        self.n = None if n is None else whole("n", n)
        self.m = self.n if m is None else whole("m", m)
        if (self.n is None) != (self.m is None):
            raise ValueError("`m` needs `n`: pass both, one number for squares, or none for examples of any size.")
        if self.n is not None and self.m is not None and self.m < self.n:
            raise ValueError(f"`m` must be at least `n`, a column for every row; found n={self.n}, m={self.m}. Swap the two.")
        self._most = 0 if max_assignments is None else whole("max_assignments", max_assignments)

    def __repr__(self) -> str:
        return f"Matching(n={self.n}, m={self.m})"

    def potentials(self, scores: npt.ArrayLike) -> Potentials:
        """Potentials of one example, scores (n, m), or of a batch, (examples, n, m); -inf forbids a pair."""
        many = as_array("scores", scores).ndim == 3
        table = finite("scores", scores, (None, self.n, self.m) if many else (self.n, self.m), forbid=True)
        n, m = table.shape[-2:]
        if n < 1 or m < n:
            raise ValueError(f"`scores` must have at least one row and a column for every row; found {n} rows and {m} columns.")
        shape, k = np.array([[n, m]]), len(table) if many else 1
        edges = None if self.n is not None else (shape,) * k if many else shape
        return Potentials(table.ravel(), np.empty(0), (n * m,) * k, np.arange(k + 1) * (n * m) if many else None, edges)

    def own_edges(self, edges: Any, sizes: tuple[int, ...], many: bool) -> tuple[Ints, ...] | None:
        """The examples' own shapes (1, 2), checked; None where they are the structure's."""
        if self.n is not None and self.m is not None:
            bad = [size for size in sizes if size != self.n * self.m]
            if edges is not None or bad:
                raise ValueError(f"{self} needs {self.n * self.m} pairs per example and no shapes; found {bad[:1] or 'shapes'}.")
            return None
        shapes = [self._square(size) for size in sizes] if edges is None else [np.asarray(one) for one in edges]
        for shape, size in zip(shapes, sizes, strict=True):
            if shape.shape != (1, 2) or shape[0].prod() != size or not 1 <= shape[0, 0] <= shape[0, 1]:
                raise ValueError(f"the shape of an example must be [[n, m]] with n <= m and n m = {size}; found {shape.tolist()}.")
        return tuple(shape.astype(np.int64) for shape in shapes)

    @staticmethod
    def _square(size: int) -> Ints:
        n = math.isqrt(size)
        if n * n != size:
            raise ValueError(f"an example has {size} pairs, which make no square: pass its shape, or n and m to Matching.")
        return np.array([[n, n]])

    def _shape(self, theta: Potentials) -> tuple[int, int]:
        if theta.edges is not None:
            n, m = np.asarray(theta.edges)[0].tolist()
            return n, m
        assert self.n is not None
        assert self.m is not None
        return self.n, self.m

    def _scores(self, theta: Potentials) -> Reals:
        return single(theta).own.reshape(self._shape(theta))

    def common(self, weights: Reals) -> Reals:
        """Nothing: matchings share no weights."""
        return np.empty(0)

    def target(self, y: Any, loss: Loss, theta: Potentials) -> Target:
        words, (n, m) = self.words(y, theta), self._shape(theta)
        if self.score(theta, y) == -np.inf:
            raise ValueError("the true label has score -inf: a pair of it is forbidden. Allow it, or mend the label.")
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
        shared = np.array([isinstance(loss, ZeroOne), 0, 0, 0, self._most], np.int64)
        own = np.concatenate([[n, m, int(weights.sum())], words, weights]).astype(np.int64)
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
        return self._shape(theta)[0]

    def operations(self, theta: Potentials) -> float:
        n, m = self._shape(theta)
        return 2.0 * n * n * m

    def first_lam(self, target: Target) -> float:
        return first_lam(target)

    def label(self, words: Ints) -> Ints:
        return words.copy()

    def blank(self, theta: Potentials) -> Ints:
        """Rows and columns in order; where pairs are forbidden, any label that is not."""
        n = self._shape(theta)[0]
        return np.arange(n)

    def words(self, y: Any, theta: Potentials) -> Ints:
        n, m = self._shape(theta)
        return _matched("label", y, n, m)

    def label_size(self, theta: Potentials) -> int:
        return self._shape(theta)[0]

    def score(self, theta: Potentials, y: Any) -> float:
        scores = self._scores(theta)
        return float(scores[np.arange(len(scores)), self.words(y, theta)].sum())

    def as_milp(self, theta: Potentials, target: Any, loss: Loss) -> Program:
        """The matchings as a mixed-integer program, for `taut.oracles.MILP`; any weights."""
        return matching_program(self._scores(theta), self.words(target, theta), loss, np.copy)

    def decode(self, theta: Potentials, clamp: Any = None) -> Ints:
        """The best matching; `clamp` holds a column per row, or -1 where it is free."""
        scores = self._scores(theta)
        n, m = scores.shape
        if clamp is not None:
            fixed = integers("clamp", clamp, n, m, least=-1)
            scores = np.where((fixed[:, None] >= 0) & (np.arange(m) != fixed[:, None]), -np.inf, scores)
        label = _decoded(scores)
        if label is None:
            raise ValueError("`clamp` and forbidden pairs must leave a column for every row; they leave none. Allow more pairs.")
        return label

    def topk(self, theta: Potentials, k: int) -> tuple[list[Any], Reals]:
        """The k best matchings (Murty, 1968): each is followed by what it is not, row by row."""
        scores, k = self._scores(theta), whole("k", k)
        top, rows, names = _decoded(scores), np.arange(len(scores)), itertools.count(1)
        ready: list[Any] = [] if top is None else [(-scores[rows, top].sum(), 0, top, scores, 0)]
        found: list[Ints] = []
        while ready and len(found) < k:
            _, _, label, allowed, first = heapq.heappop(ready)
            found.append(label)
            for i in range(first, len(scores)):
                part = allowed.copy()
                part[i, label[i]] = -np.inf
                other = _decoded(part)
                if other is not None:
                    heapq.heappush(ready, (-scores[rows, other].sum(), next(names), other, part, i))
                allowed = allowed.copy()
                allowed[i, np.arange(scores.shape[1]) != label[i]] = -np.inf
        return found, np.array([scores[rows, y].sum() for y in found])

    def enumerate(self, theta: Potentials | None = None) -> Iterator[Any]:
        if theta is None and self.n is None:
            raise ValueError("the labels of a Matching without `n` depend on the example: pass the potentials.")
        n, m = (self.n, self.m) if theta is None else self._shape(theta)
        return (np.array(y) for y in itertools.permutations(range(m or 0), n))

    def loss(self, y_true: Any, y: Any, loss: str | Loss = "hamming") -> float:
        n = as_array("y_true", y_true).size
        top = self.m or max(n, int(np.max(y_true, initial=0)) + 1, int(np.max(y, initial=0)) + 1)
        wrong, resolved = _matched("y_true", y_true, n, top) != _matched("y", y, n, top), resolve(loss)
        match resolved:
            case ZeroOne():
                return float(wrong.any())
            case Hamming(normalize=normalize, weights=weights):
                w = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
                return float(w[wrong].sum() / (w.sum() if normalize else 1.0))
        raise ValueError(f"{type(resolved).__name__} is not a loss over rows; use Hamming or ZeroOne.")

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
        """The matching that violates most, exactly; see `Structure.loss_augmented`.

        `max_queries` is a number of assignments, and either limit ends the branch and bound with its bound.
        """
        if search == "auto" and not (max_queries is None and max_time is None):
            return within(self, single(theta), target, resolve(loss), rescaling, lam, threshold, tol, max_queries, max_time)
        return super().loss_augmented(theta, target, loss, rescaling, search, lam, threshold, tol)


def _matched(name: str, y: Any, n: int, m: int) -> Ints:
    """A label, checked."""
    label = integers(name, y, n, m)
    columns, counts = np.unique(label, return_counts=True)
    if len(columns) < n:
        j = int(columns[counts > 1][0])
        rows = np.flatnonzero(label == j)[:2].tolist()
        raise ValueError(f"`{name}` must give each row a column of its own; rows {rows[0]} and {rows[1]} both have column {j}.")
    return label


def _decoded(scores: Reals) -> Ints | None:
    label = np.empty(len(scores), np.int64)
    return label if kernel.decode(np.ascontiguousarray(scores), label) else None
