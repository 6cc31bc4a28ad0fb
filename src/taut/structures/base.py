"""What every structure offers on top of its kernels: decoding, scores, losses, oracles, exact argmax, batches."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels.asking import BAND, CONE, GREATEST_G, GREATEST_H, PLANE, ask, solve
from ..kernels.compiling import BEST, address, njit
from ..losses import Loss, ZeroOne, commensurable, resolve
from ..oracles import Compiled, Points
from ..oracles.compiled import Example
from ..search import SearchResult, bisecting_search, lens_search, timed_search
from .batch import (
    Batch,
    BatchResult,
    Potentials,
    check_limits,
    finite,
    flat,
    offsets_of,
    rescaling_code,
    run_blocks,
    single,
    whole,
)  # fmt: skip

__all__ = [
    "COUNTED", "BatchResult", "Potentials", "Structure", "Target", "as_array", "bits", "cost_table", "finite", "first_lam",
    "in_units", "integers", "part", "search_named", "single", "whole",
]  # fmt: skip

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Search = Callable[..., SearchResult]

#: The questions that count programs answer; without counts that are whole there is only PLANE.
COUNTED = frozenset({PLANE, BAND, GREATEST_H, GREATEST_G})
_BAND = 1e8  # additions that a question about a band may take where the user sets a limit


class Target(NamedTuple):
    """A true label with its loss, as kernels read it: the example's integers, and the tables that examples may share."""

    words: Ints
    shared: Ints
    tables: Reals
    losses: Reals
    kinds: frozenset[int]


class StructureOracle(Compiled):
    """The plane of one example of a structure: answers planes and bands, and cones where the structure enumerates."""

    def __init__(self, structure: "Structure", example: Example, target: Target, label_size: int) -> None:
        super().__init__(structure.answer_kernel(target), example, label_size, target.losses)
        self.kinds = target.kinds
        self._shape = structure.label

    def label_of(self, words: Ints) -> Any:
        return self._shape(words)


class Structure(ABC):
    """A set of labelings that decomposes into parts.

    A compiled structure states how potentials, labels and losses are laid out (`potentials`, `target`) and names its kernels;
    the methods below are the same for all. A structure in plain Python is described in "add a structure".
    """

    #: Names of the losses that the structure optimises exactly, for errors.
    offers: str
    #: How many scores each row of features has: states, labels or nodes.
    width: int
    #: How many weights all examples share (transitions, label pairs).
    n_shared: int

    @abstractmethod
    def answer_kernel(self, target: Target) -> Callable[..., int]:
        """The kernel of signature ANSWER for this loss."""

    @abstractmethod
    def best_kernel(self, target: Target) -> Callable[..., int]:
        """The kernel of signature BEST for this loss."""

    @abstractmethod
    def parts_kernel(self) -> Callable[..., int]:
        """The kernel of signature PARTS: which potentials and shared weights a label's score is the sum of."""

    @abstractmethod
    def prepare_kernel(self) -> Callable[..., int]:
        """The kernel of signature PREPARE: shared weights as oracles read them."""

    @abstractmethod
    def most_parts(self, theta: Potentials) -> int:
        """At most so many parts has a label of this example."""

    def own_edges(self, edges: Any, sizes: tuple[int, ...], many: bool) -> tuple[Ints, ...] | None:
        """The examples' own edges, checked; None where there are none. Kernels trust them."""
        if edges is not None:
            raise ValueError(f"{self} takes no edges per example; found some in `edges`.")
        return None

    def operations(self, theta: Potentials) -> float:
        """About how many additions one decoding takes; solvers weigh exact passes against cheap ones by it."""
        return float(self.most_parts(theta) * self.width)

    @abstractmethod
    def common(self, weights: Reals) -> Reals:
        """`Potentials.common` of these shared weights: what `prepare_kernel` writes behind the tables."""

    @abstractmethod
    def target(self, y: Any, loss: Loss, theta: Potentials) -> Target:
        """Check a true label and lay it out with its loss; raises where the loss cannot be optimised exactly."""

    @abstractmethod
    def label(self, words: Ints) -> Any:
        """The label that users see."""

    @abstractmethod
    def words(self, y: Any, theta: Potentials) -> Ints:
        """A label of the structure as integers, checked."""

    @abstractmethod
    def label_size(self, theta: Potentials) -> int:
        """How many integers a label has."""

    @abstractmethod
    def score(self, theta: Potentials, y: Any) -> float:
        """The score of a label."""

    @abstractmethod
    def decode(self, theta: Potentials, clamp: Any = None) -> Any:
        """The label of greatest score, with some positions fixed by `clamp`."""

    @abstractmethod
    def topk(self, theta: Potentials, k: int) -> tuple[list[Any], Reals]:
        """The k labels of greatest score, best first, with their scores; fewer where there are fewer."""

    @abstractmethod
    def enumerate(self, theta: Potentials | None = None) -> Iterator[Any]:
        """Every label: the reference of tests, for tiny sizes."""

    @abstractmethod
    def loss(self, y_true: Any, y: Any, loss: str | Loss = "hamming") -> float:
        """The loss of predicting y where y_true is true, by its definition."""

    def unify(self, targets: list[Target]) -> list[Target]:
        """Targets rewritten so that `shared` and `tables` are the same for all; where they already are, themselves."""
        return targets

    def pool(self, theta: Potentials, target: Target) -> Reals:
        """The numbers that examples share, as kernels read them: the loss's tables, then the common potentials."""
        return np.concatenate([target.tables, theta.common])

    def example(self, theta: Potentials, target: Target) -> Example:
        """One example as compiled code sees it."""
        return Example(target.shared, self.pool(theta, target), target.words, theta.own)

    def oracle(self, theta: Potentials, target: Any, loss: str | Loss = "hamming") -> Compiled:
        """The plane of one example, for any search."""
        one = self.target(target, resolve(loss), single(theta))
        return StructureOracle(self, self.example(theta, one), one, self.label_size(theta))

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
        """The label that violates most: argmax of h g (slack) or of h - 1 + g (margin), exactly.

        Parameters
        ----------
        theta : Potentials
            From `potentials`.
        target : label
            The true label.
        loss : str or Loss
            A name ("hamming", "zero-one", "f1", "jaccard") or an object of `taut.losses`.
        rescaling : {"slack", "margin"}
            Which surrogate's argmax.
        search : "auto" or a search
            The structure's direct exact method, or one of `taut.search` over its oracle (slack only).
        lam : float, optional
            Where to start: `lam` of the last result of the same example saves most of the work.
        threshold : float
            Only labels of greater value are sought.
        tol : float
            A label within this relative distance of the best one is enough; the bound says so.
        max_queries, max_time : int, float, optional
            Stop after so many questions, or seconds, with the best label so far and a valid bound. The direct method cannot stop
            half way, so with either of them "auto" is a search that can: lens search, or, where a question about a band might take
            more than 10^8 additions, bisecting search, which needs none and says when it is not certain. A question under way is
            finished, but for integer programs: `max_time` does not cut a compiled one. Weights without a common unit have no bands;
            there the direct method keeps to its budget of operations instead of `max_time`. Margin rescaling is one question and is
            always answered.

        Returns
        -------
        SearchResult
        """
        code, asked = rescaling_code(rescaling), search_named(search, rescaling)
        one = self.target(target, resolve(loss), single(theta))
        start = self.first_lam(one) if lam is None else lam
        check_limits(start, threshold, tol, max_queries, max_time)
        direct = max_queries is None and (max_time is None or BAND not in one.kinds)  # without bands it has a budget
        if asked is None and code == 1 and not direct:
            counts = 1 if CONE in one.kinds else len(one.losses) or math.inf  # those that answer cones list their labels
            bands = BAND in one.kinds and counts * self.operations(theta) <= _BAND
            asked = lens_search if bands else bisecting_search
        if asked is not None:
            oracle = StructureOracle(self, self.example(theta, one), one, self.label_size(theta))
            return timed_search(asked, oracle, max_time, lam=start, threshold=threshold, tol=tol, max_queries=max_queries)
        return self.solved(theta, one, code, start, threshold, tol)

    def solved(self, theta: Potentials, one: Target, code: int, lam: float, threshold: float, tol: float) -> SearchResult:
        """The answer of the direct method to one example; `code` as `rescaling_code` says."""
        shared, pool, words, own = self.example(theta, one)
        label, out = np.zeros(self.label_size(theta), np.int64), np.zeros(6)
        where = address(self.best_kernel(one), BEST)
        found = _solve_one(where, code, lam, max(threshold, 0.0), tol, shared, pool, words, own, label, out)
        h, g, value, upper, after, passes = out.tolist()
        certified = upper <= max(value * (1 + tol), threshold, 0.0)
        return SearchResult(self.label(label) if found else None, h, g, value, upper, int(passes), certified, (), after)

    def first_lam(self, target: Target) -> float:
        """A multiplier to start from when nothing is known."""
        return 1.0

    def prepare_many(self, thetas: Potentials, targets: Sequence[Any], loss: str | Loss = "hamming") -> Batch:
        """Many examples laid out once, for argmaxes under any potentials of the same shape: `prepared.solve(thetas, ...)`."""
        if not isinstance(thetas, Potentials) or thetas.offsets is None:
            raise ValueError("`thetas` must be a batch of potentials; found those of one example. Use `loss_augmented`.")
        n, resolved = len(thetas.offsets) - 1, resolve(loss)
        if len(targets) != n or n == 0:
            raise ValueError(f"`targets` must hold one label per example ({n}, at least one); it has {len(targets)}.")
        ones = self.unify([self.target(y, resolved, part(thetas, i)) for i, y in enumerate(targets)])
        if not all(_same(one.tables, ones[0].tables) and _same(one.shared, ones[0].shared) for one in ones):
            raise ValueError(f"{self} cannot put these examples into one batch: their tables for {loss} differ. Batch by kind.")
        return Batch(
            where=address(self.best_kernel(ones[0]), BEST),
            shared=ones[0].shared,
            tables=ones[0].tables,
            words=flat([one.words for one in ones], np.int64),
            label_offsets=offsets_of([self.label_size(part(thetas, i)) for i in range(n)]),
            first_lams=np.array([self.first_lam(one) for one in ones]),
            label_of=self.label,
        )

    def loss_augmented_many(
        self,
        thetas: Potentials,
        targets: Sequence[Any],
        loss: str | Loss = "hamming",
        rescaling: str = "slack",
        lam: npt.ArrayLike | None = None,
        threshold: npt.ArrayLike = 0.0,
        tol: float = 0.0,
        n_jobs: int | None = None,
    ) -> BatchResult:
        """`loss_augmented` for many examples at once, compiled, on `n_jobs` threads; the same bits for every n_jobs.

        `thetas` is a batch from `potentials`; `lam` and `threshold` are numbers or one number per example. To ask again under
        other potentials use `prepare_many`, which lays out targets and loss once.
        """
        return self.prepare_many(thetas, targets, loss).solve(thetas, rescaling, lam, threshold, tol, n_jobs)

    def blank(self, theta: Potentials) -> Any:
        """Some label of the example; it may be one that its potentials forbid."""
        return np.zeros(self.label_size(theta), np.int64)

    def decode_many(self, thetas: Potentials, n_jobs: int | None = None) -> list[Any]:
        """`decode` for many examples at once, compiled, on `n_jobs` threads."""
        if not isinstance(thetas, Potentials) or thetas.offsets is None:
            raise ValueError("`thetas` must be a batch of potentials; found those of one example. Use `decode`.")
        free = thetas._replace(own=np.zeros_like(thetas.own), common=np.zeros_like(thetas.common))
        n = len(thetas.offsets) - 1
        kinds: dict[int, int] = {}  # without edges of their own, examples of one size are alike
        alike = [kinds.setdefault(size, len(kinds)) for size in thetas.sizes] if thetas.edges is None else list(range(n))
        firsts = np.unique(alike, return_index=True)[1].tolist()
        parts = [part(free, i) for i in firsts]
        ones = self.unify([self.target(self.blank(theta), ZeroOne(), theta) for theta in parts])
        words, words_at = flat([ones[k].words for k in alike], np.int64)
        sizes = [self.label_size(theta) for theta in parts]
        labels_at = offsets_of([sizes[k] for k in alike])
        labels, pool = np.zeros(labels_at[-1], np.int64), np.concatenate([ones[0].tables, thetas.common])
        where, shared, offsets = address(self.answer_kernel(ones[0])), ones[0].shared, thetas.offsets

        def block(first: int, last: int) -> None:
            _decode_many(where, shared, pool, words, words_at, thetas.own, offsets, labels, labels_at, first, last)

        run_blocks(block, n, n_jobs)
        return [self.label(labels[a:b]) for a, b in pairwise(labels_at)]

    def points(self, theta: Potentials, target: Any, loss: str | Loss = "hamming") -> tuple[Points, list[Any]]:
        """The whole plane of a tiny example, by enumeration: an explicit oracle, and its labels in order."""
        labels = [y for y in self.enumerate(single(theta)) if self.score(theta, y) > -math.inf]
        f_target = self.score(theta, target)
        h = [1.0 + self.score(theta, y) - f_target for y in labels]
        return Points(h, [self.loss(target, y, loss) for y in labels]), labels


@njit
def _solve_one(where, code, lam, threshold, tol, shared, pool, words, own, label, out):  # type: ignore[no-untyped-def]
    return solve(where, code, lam, threshold, tol, shared, pool, words, own, label, out)


@njit
def _decode_many(where, shared, pool, words, words_at, own, own_at, labels, labels_at, first, last):  # type: ignore[no-untyped-def]
    region, point = np.zeros(6), np.zeros(2)
    for i in range(first, last):
        ask(
            where, GREATEST_H, 1.0, region, shared, pool, words[words_at[i] : words_at[i + 1]], own[own_at[i] : own_at[i + 1]],
            labels[labels_at[i] : labels_at[i + 1]], point,
        )  # fmt: skip


def _same(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> bool:
    return a is b or np.array_equal(a, b)


def part(thetas: Potentials, i: int) -> Potentials:
    """One example of a batch."""
    assert thetas.offsets is not None
    edges = thetas.edges[i] if isinstance(thetas.edges, tuple) else thetas.edges
    return Potentials(thetas.own[thetas.offsets[i] : thetas.offsets[i + 1]], thetas.common, (thetas.sizes[i],), None, edges)


def integers(name: str, values: Any, size: int | None, top: int, least: int = 0) -> Ints:
    """A label as integers least..top - 1, of a length."""
    array = as_array(name, values)
    if array.ndim != 1 or (size is not None and array.size != size):
        wanted = "one dimension" if size is None else f"shape ({size},)"
        raise ValueError(f"`{name}` must have {wanted}; found shape {array.shape}.")
    exact = np.issubdtype(array.dtype, np.integer) or array.dtype == np.bool_
    if not exact and not (np.issubdtype(array.dtype, np.floating) and (array == np.floor(array)).all()):
        raise ValueError(f"`{name}` must hold integers from {least} to {top - 1}; found {array.dtype} values.")
    array = array.astype(np.int64)
    if array.size and (array.min() < least or array.max() >= top):
        bad = int(array[(array < least) | (array >= top)][0])
        raise ValueError(f"`{name}` must hold integers from {least} to {top - 1}; found {bad}.")
    return array


def as_array(name: str, values: Any) -> npt.NDArray[Any]:
    """An array of what may be ragged."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"`{name}` must be an array; found rows of several lengths ({error}).") from None


def search_named(search: str | Search, rescaling: str) -> Search | None:
    """The search that was asked for, None for "auto"."""
    if search == "auto":
        return None
    if not callable(search):
        raise ValueError(f"`search` must be 'auto' or a search of taut.search; found {search!r}.")
    if rescaling == "margin":
        raise ValueError("searches maximise h g: with rescaling='margin' one question answers, use search='auto'.")
    return search


def cost_table(matrix: Any, n_states: int) -> Reals:
    """The matrix of `Cost`, checked: (n_states, n_states), >= 0 with zeros on its diagonal."""
    costs = finite("matrix", matrix, (n_states, n_states))
    if costs.min() < 0 or np.diag(costs).any():
        raise ValueError("the matrix of Cost must be >= 0 with zeros on its diagonal.")
    return costs


def in_units(values: Any) -> tuple[float, Reals, bool]:
    """Weights >= 0 as unit * counts, and whether these are whole; where no unit makes them so, the least positive weight is 1."""
    given = np.asarray(values, dtype=np.float64)
    split = commensurable(given)
    if split is not None:
        return split[0], split[1].astype(np.float64), True
    unit = float(given[given > 0].min())
    return unit, given / unit, False


def first_lam(target: Target) -> float:
    """A multiplier for the first visit: the balance h / g of a label of two counts and h = 1."""
    listed = target.losses
    return 1.0 / float(listed[min(2, len(listed) - 1)] or 1.0) if len(listed) else 0.5 / float(target.tables[0])


def bits(values: Any) -> Ints:
    """Real numbers where integers are expected, by their bits; kernels view them as real numbers again."""
    return np.ascontiguousarray(values, dtype=np.float64).ravel().view(np.int64)

