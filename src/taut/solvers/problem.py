r"""The problem that every solver minimises: :math:`\tfrac{reg}2 |w|^2 + \sum_i \omega_i H_i(w)`, laid out for compiled passes."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from ..features import as_rows
from ..kernels import passes
from ..kernels.compiling import BEST, PARTS, PREPARE, address
from ..losses import Loss, resolve
from ..structures.base import Potentials, Structure, Target, part
from ..structures.batch import flat, offsets_of, rescaling_code

__all__ = ["Answers", "Problem"]

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_LONG = 64  # examples of more rows keep no Gram matrix
_STRETCH = 3e7  # operations of one compiled stretch: well below 0.2 s, so that Ctrl-C and time limits work


class Answers:
    """Room for the oracles' answers for a number of examples."""

    def __init__(self, ids: Ints, sizes: Ints) -> None:
        self.ids = ids
        self.labels_at = np.concatenate([[0], np.cumsum(sizes[ids])]).astype(np.int64)
        self.labels = np.zeros(self.labels_at[-1], np.int64)
        self.outs = np.zeros((len(ids), passes.N_OUT))
        self.found = np.zeros(len(ids), np.int64)


class Problem:
    """Examples, structure, loss and surrogate. The sample weights are normalised: omega sums to one.

    `X` is an array or CSR matrix with one row per example, or with `offsets` for examples of several rows, or a list of such;
    `bias` the value of the constant feature, 0.0 for none; `edges` one array per example where structures have edges of their own.
    """

    def __init__(
        self, structure: Structure, X: Any, Y: Sequence[Any], loss: str | Loss = "hamming", rescaling: str = "slack",
        sample_weight: Any = None, bias: float = 1.0, offsets: Any = None, edges: Sequence[Ints] | None = None,
        oracle_tol: float = 0.0, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.structure, self.oracle_tol = structure, _tolerance(oracle_tol)
        self.tick: Callable[[], None] = _nothing  # called between compiled stretches; the driver's clock
        self.rows, self.rows_at = as_rows(X, structure.width, bias, offsets)
        n = self.n_examples = len(self.rows_at) - 1
        if len(Y) != n:
            raise ValueError(f"`Y` must hold one label per example ({n}); it has {len(Y)}.")
        self.omega = _shares(sample_weight, n)
        self.n_weights = structure.width * (self.rows.n_features + 1) + structure.n_shared
        thetas = self._blank(edges)
        ones = self._targets([part(thetas, i) for i in range(n)], Y, resolve(loss))
        self.first_lams = np.array([structure.first_lam(one) for one in ones])
        self.losses = ones[0].losses if all(np.array_equal(one.losses, ones[0].losses) for one in ones) else np.empty(0)
        self.tables = ones[0].tables
        self.pool = np.concatenate([self.tables, thetas.common])
        self.calls = passes.Calls(
            address(structure.best_kernel(ones[0]), BEST), address(structure.parts_kernel(), PARTS),
            address(structure.prepare_kernel(), PREPARE), ones[0].shared, rescaling_code(rescaling), structure.n_shared, self._most,
        )  # fmt: skip
        self.answer_kernel, self.one_target = structure.answer_kernel(ones[0]), ones[0]
        passes.fill_gram(self.rows, self.examples, 0, n)
        self._threads = 1 if n_jobs is None else (os.cpu_count() or 1) if n_jobs < 0 else n_jobs
        self._executor = ThreadPoolExecutor(self._threads) if self._threads > 1 else None

    def _blank(self, edges: Sequence[Ints] | None) -> Potentials:
        """Potentials of zeros of every example."""
        structure, sizes = self.structure, np.diff(self.rows_at)
        return Potentials(
            np.zeros(self.rows_at[-1] * structure.width), structure.common(np.zeros(structure.n_shared)), tuple(sizes.tolist()),
            self.rows_at * structure.width, None if edges is None else tuple(edges),
        )  # fmt: skip

    def _targets(self, blanks: list[Potentials], Y: Sequence[Any], loss: Loss) -> list[Target]:
        """Check and lay out the true labels; with them the sizes of labels and parts, and what an oracle's pass costs."""
        structure = self.structure
        ones = structure.unify([structure.target(y, loss, theta) for y, theta in zip(Y, blanks, strict=True)])
        targets, targets_at = flat([one.words for one in ones], np.int64)
        truth, truth_at = flat([structure.words(y, theta) for y, theta in zip(Y, blanks, strict=True)], np.int64)
        sizes = np.diff(self.rows_at)
        self.label_sizes = np.array([structure.label_size(theta) for theta in blanks])
        self._most = np.array([structure.most_parts(theta) for theta in blanks])
        # operations of an exact answer (scores, one oracle pass) and of the scores at one place
        per_row = self.rows.n_features if not self.rows.sparse else self.rows.data.size / max(len(self.rows.indptr) - 1, 1)
        self.score_cost = float(per_row)
        self.costs = sizes * per_row * structure.width + np.array([structure.operations(theta) for theta in blanks])
        kept = np.where(sizes <= _LONG, sizes**2, 0)
        products_at = offsets_of(kept.tolist())
        self.examples = passes.Examples(
            self.rows_at, targets, targets_at, truth, truth_at, self.omega, np.empty(products_at[-1]), products_at
        )
        return ones

    def answers(self, ids: Ints) -> Answers:
        """Room for answers."""
        return Answers(ids, self.label_sizes)

    def answer(self, answers: Answers, w: Reals, atoms: passes.Atoms, lams: Reals, scale: float = 1.0) -> None:
        """Ask the oracles at scale * w, on all threads, each for a label that beats what its example's atoms reach."""
        passes.prepared(self.calls, w, scale, self.pool)

        def some(first: int, last: int) -> None:
            passes.answers(
                self.calls, self.examples, self.rows, atoms, w, scale, self.pool, self.oracle_tol, answers.ids, first, last, lams,
                answers.labels, answers.labels_at, answers.outs, answers.found,
            )  # fmt: skip

        stretches = self.stretches(answers.ids)
        if self._executor is None:
            for first, last in stretches:
                some(first, last)
                self.tick()
        else:
            for done in [self._executor.submit(some, first, last) for first, last in stretches]:
                done.result()
                self.tick()

    def stretches(self, ids: Ints) -> list[tuple[int, int]]:
        """Ranges of ids whose answers take about a compiled stretch each, and that several threads can share."""
        total = np.cumsum(self.costs[ids])
        pieces = int(np.ceil(total[-1] / _STRETCH))
        if self._threads > 1:
            pieces = max(pieces, min(4 * self._threads, len(ids)))
        cuts = np.unique(np.searchsorted(total, total[-1] * np.arange(1, pieces) / pieces, side="right"))
        bounds = [0, *(int(c) for c in cuts if 0 < c < len(ids)), len(ids)]
        return list(zip(bounds[:-1], bounds[1:], strict=True))


def _nothing() -> None:
    pass


def _tolerance(value: float) -> float:
    if not 0.0 <= value < np.inf:
        raise ValueError(f"`oracle_tol` must be finite and >= 0; found {value}.")
    return float(value)


def _shares(sample_weight: Any, n: int) -> Reals:
    """Sample weights as shares that sum to one."""
    if sample_weight is None:
        return np.full(n, 1.0 / n)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,):
        raise ValueError(f"`sample_weight` must hold one weight per example, shape ({n},); found {weights.shape}.")
    if not np.isfinite(weights).all() or weights.min() < 0:
        bad = weights[~(np.isfinite(weights) & (weights >= 0))][0]
        raise ValueError(f"`sample_weight` must be finite and >= 0; found {bad}. Leave an example out by weight 0.")
    if not weights.sum() > 0:
        raise ValueError("`sample_weight` must not be all zero: nothing would be left to learn from.")
    return weights / weights.sum()
