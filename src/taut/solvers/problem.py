r"""The problem that every solver minimises: :math:`\tfrac{reg}2 |w|^2 + \sum_i \omega_i H_i(w)`, laid out for compiled passes."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from ..features import as_rows
from ..kernels import passes
from ..kernels.compiling import BEST, PARTS, PREPARE, address
from ..losses import Loss, resolve
from ..structures.base import Potentials, Structure, part
from ..structures.batch import flat, offsets_of, rescaling_code

__all__ = ["Answers", "Problem"]

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_LONG = 64  # examples of more rows keep no Gram matrix
_TAKEN = 16  # examples that a thread takes at a time


class Answers:
    """Room for the oracles' answers for a number of examples."""

    def __init__(self, ids: Ints, sizes: Ints) -> None:
        self.ids = ids
        self.labels_at = np.concatenate([[0], np.cumsum(sizes[ids])]).astype(np.int64)
        self.labels = np.zeros(self.labels_at[-1], np.int64)
        self.outs = np.zeros((len(ids), passes.N_OUT))
        self.found = np.zeros(len(ids), np.int64)


class Problem:
    """Examples, structure, loss and surrogate."""

    def __init__(
        self, structure: Structure, X: Any, Y: Any, loss: str | Loss = "hamming", rescaling: str = "slack",
        sample_weight: Any = None, bias: float = 1.0, offsets: Any = None, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.structure = structure
        self.rows, self.rows_at = as_rows(X, structure.width, bias, offsets)
        n = self.n_examples = len(self.rows_at) - 1
        sizes = np.diff(self.rows_at)
        self.n_weights = structure.width * (self.rows.n_features + 1) + structure.n_shared
        thetas = Potentials(
            np.zeros(self.rows_at[-1] * structure.width), structure.common(np.zeros(structure.n_shared)),
            tuple(sizes.tolist()), self.rows_at * structure.width,
        )  # fmt: skip
        resolved = resolve(loss)
        ones = structure.unify([structure.target(y, resolved, part(thetas, i)) for i, y in enumerate(Y)])
        targets, targets_at = flat([one.words for one in ones], np.int64)
        truth, truth_at = flat([structure.words(y, part(thetas, i)) for i, y in enumerate(Y)], np.int64)
        weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        self.label_sizes = np.array([structure.label_size(part(thetas, i)) for i in range(n)])
        self.omega = weights / weights.sum()
        most = np.array([structure.most_parts(part(thetas, i)) for i in range(n)])
        self.calls = passes.Calls(
            address(structure.best_kernel(ones[0]), BEST), address(structure.parts_kernel(), PARTS),
            address(structure.prepare_kernel(), PREPARE), ones[0].shared, rescaling_code(rescaling), structure.n_shared, most,
        )  # fmt: skip
        self.tables = ones[0].tables
        self.pool = np.concatenate([self.tables, thetas.common])
        kept = np.where(sizes <= _LONG, sizes**2, 0)
        products_at = offsets_of(kept.tolist())
        self.examples = passes.Examples(
            self.rows_at, targets, targets_at, truth, truth_at, self.omega, np.empty(products_at[-1]), products_at
        )
        passes.fill_gram(self.rows, self.examples, 0, n)
        self.first_lams = np.array([structure.first_lam(one) for one in ones])
        self._threads = 1 if n_jobs is None else (os.cpu_count() or 1) if n_jobs < 0 else n_jobs
        self._executor = ThreadPoolExecutor(self._threads) if self._threads > 1 else None

    def answer(self, answers: Answers, w: Reals, atoms: Any, lams: Reals, tol: float = 0.0) -> None:
        """Ask the oracles at w, on all threads."""
        passes.prepared(self.calls, w, self.pool)

        def some(first: int, last: int) -> None:
            passes.answers(
                self.calls, self.examples, self.rows, atoms, w, self.pool, tol, answers.ids, first, last, lams,
                answers.labels, answers.labels_at, answers.outs, answers.found,
            )  # fmt: skip

        n = len(answers.ids)
        if self._executor is None:
            some(0, n)
        else:
            for done in [self._executor.submit(some, a, min(a + _TAKEN, n)) for a in range(0, n, _TAKEN)]:
                done.result()
