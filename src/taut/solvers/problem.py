r"""The problem that every solver minimises: :math:`\tfrac{reg}2 |w|^2 + \sum_i \omega_i H_i(w)`, laid out for compiled passes."""

import hashlib
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ..features import as_rows
from ..kernels import passes
from ..kernels.atoms import Atoms, counted
from ..kernels.compiling import BEST, PARTS, PREPARE, address
from ..losses import Loss, resolve
from ..structures.base import Potentials, Search, Structure, Target, part
from ..structures.batch import flat, offsets_of
from ..structures.custom import Custom
from . import interpreted

__all__ = ["Answers", "Problem"]

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_SURROGATES = {"margin": passes.MARGIN, "slack": passes.SLACK, "hull": passes.HULL}
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

    @property
    def n_queries(self) -> int:
        """How often an oracle was asked."""
        return int(self.outs[:, 5].sum())

    @property
    def certified(self) -> float:
        """The share of answers that are proved best."""
        return float(self.outs[:, 8].mean())

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What a checkpoint needs; `restored` reads it back."""
        return {"ids": self.ids, "labels": self.labels, "outs": self.outs, "found": self.found}

    @classmethod
    def restored(cls, arrays: dict[str, Any], sizes: Ints) -> "Answers":
        answers = cls(arrays["ids"], sizes)
        answers.labels[:], answers.outs[:], answers.found[:] = arrays["labels"], arrays["outs"], arrays["found"]
        return answers


class Problem:
    """Examples, structure, loss and surrogate. The sample weights are normalised: omega sums to one.

    Parameters
    ----------
    structure : Structure or Custom
        What labels are.
    X : array, CSR matrix, or list of such
        One row of features per example; with `offsets`, example i has the rows offsets[i]:offsets[i + 1]; or one array per example.
    Y : sequence of labels
        The true labels.
    loss : str, Loss, or list of Loss
        What a wrong label costs; a list has one loss per example (weights of its own positions).
    rescaling : {"slack", "margin", "hull"}
        The surrogate: max h g; max h - 1 + g; or, experimental, the hull surrogate min K(lam)^2 / 4 lam (NOTES C.10), never
        below slack.
    sample_weight : array, optional
        A weight >= 0 per example.
    bias : float
        Value of the constant feature, 0.0 for none.
    offsets, edges : optional
        Where examples' rows start; one array of edges per example where structures have edges of their own.
    search : "auto" or a search of taut.search
        "auto" is the structure's exact method. A search answers from the structure's oracle, in a loop in Python; where it cannot
        certify an answer its bound is used, so that the gap stays a certificate.
    oracle_tol : float
        Relative tolerance of the oracles' answers; bounds pay for it.
    n_jobs : int, optional
        Threads that answer oracles; the results are the same bits for every value.
    """

    def __init__(
        self, structure: Structure | Custom, X: Any, Y: Sequence[Any], loss: str | Loss | list[Loss] = "hamming",
        rescaling: str = "slack",
        sample_weight: Any = None, bias: float = 1.0, offsets: Any = None, edges: Sequence[Ints] | None = None,
        search: str | Search = "auto", oracle_tol: float = 0.0, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(structure, Structure | Custom):
            raise TypeError(f"`structure` must be a structure of taut.structures; found {type(structure).__name__}.")
        if rescaling not in _SURROGATES:
            raise ValueError(f"`rescaling` must be 'slack', 'margin' or 'hull' (experimental); found {rescaling!r}.")
        self.structure, self.rescaling, self.oracle_tol = structure, rescaling, _tolerance(oracle_tol)
        self.tick: Callable[[], None] = _nothing  # called between compiled stretches; the driver's clock
        self.rows, self.rows_at = as_rows(X, structure.width, bias, offsets)
        n = self.n_examples = len(self.rows_at) - 1
        if Y is None or len(Y) != n:
            found = "None" if Y is None else f"{len(Y)}"
            raise ValueError(f"`Y` must hold one label per example ({n}); found {found}.")
        self.omega = _shares(sample_weight, n)
        self.n_weights = structure.width * (self.rows.n_features + 1) + structure.n_shared
        per_row = self.rows.data.size / max(len(self.rows.indptr) - 1, 1) if self.rows.sparse else self.rows.n_features / 8.0
        self.score_costs = np.diff(self.rows_at) * per_row * structure.width
        self.interpreter: interpreted.Interpreter | None = None
        if isinstance(structure, Custom):
            self._lay_out_custom(structure, Y)
        else:
            self._lay_out(structure, Y, _one_each(loss, n), edges)
            if search != "auto":
                if not callable(search):
                    raise ValueError(f"`search` must be 'auto' or a search of taut.search; found {search!r}.")
                if rescaling != "slack":
                    raise ValueError(f"searches maximise h g: with rescaling={rescaling!r} use search='auto'; found {search!r}.")
                self.interpreter = interpreted.Searches(self, search)
        passes.fill_gram(self.rows, self.examples, 0, n)
        if not np.isfinite(self.examples.products).all():
            raise ValueError("`X` must have finite squares; found entries so large that they overflow. Scale the features.")
        if n_jobs is not None and (n_jobs == 0 or int(n_jobs) != n_jobs):
            raise ValueError(f"`n_jobs` must be a whole number, not 0 (-1: all cores), or None for one thread; found {n_jobs}.")
        self._threads = 1 if n_jobs is None else (os.cpu_count() or 1) if n_jobs < 0 else n_jobs
        self._executor = ThreadPoolExecutor(self._threads) if self._threads > 1 else None

    def _lay_out(self, structure: Structure, Y: Sequence[Any], losses: list[Loss], edges: Sequence[Ints] | None) -> None:
        """Check the true labels and lay them out as kernels read them."""
        sizes = tuple(np.diff(self.rows_at).tolist())
        common = structure.common(np.zeros(structure.n_shared))
        own, own_at = np.zeros(self.rows_at[-1] * structure.width), self.rows_at * structure.width
        thetas = Potentials(own, common, sizes, own_at, structure.own_edges(edges, sizes, many=True))
        self.blanks = [part(thetas, i) for i in range(self.n_examples)]
        targets, truth = [], []
        for i, (y, theta, loss) in enumerate(zip(Y, self.blanks, losses, strict=True)):
            try:
                targets.append(structure.target(y, loss, theta))
                truth.append(structure.words(y, theta))
            except ValueError as error:
                raise ValueError(f"`Y[{i}]`: {error}") from None
        self.targets: list[Target] = structure.unify(targets)
        one = self.targets[0]
        for other in self.targets if losses.count(losses[0]) < len(losses) else []:
            if not (np.array_equal(other.tables, one.tables) and np.array_equal(other.shared, one.shared)):
                raise ValueError(f"{structure} takes losses that differ between examples by weights of positions; found others.")
        self.pool, self.n_tables = np.concatenate([one.tables, common]), one.tables.size
        self.first_lams = np.array([structure.first_lam(target) for target in self.targets])
        most = np.array([structure.most_parts(theta) for theta in self.blanks])
        self.calls = passes.Calls(
            address(structure.best_kernel(one), BEST), address(structure.answer_kernel(one)),
            address(structure.parts_kernel(), PARTS), address(structure.prepare_kernel(), PREPARE), one.shared,
            _SURROGATES[self.rescaling], structure.n_shared, most,
        )  # fmt: skip
        self.label_sizes = np.array([structure.label_size(theta) for theta in self.blanks])
        if self.rescaling == "hull":
            self.label_sizes = 2 * self.label_sizes
        self.costs = self.score_costs + np.array([structure.operations(theta) for theta in self.blanks])
        self._gather([target.words for target in self.targets], truth)

    def _lay_out_custom(self, structure: Custom, Y: Sequence[Any]) -> None:
        """The same for a structure in Python, whose labels are laid out as counts of places."""
        if self.rescaling == "hull":
            raise ValueError("the hull surrogate needs a compiled structure; use rescaling='slack' or 'margin'.")
        custom = interpreted.Customs(self, structure, Y)
        self.interpreter = custom
        self.pool, self.n_tables, self.first_lams = np.zeros(0), 0, np.ones(self.n_examples)
        self.label_sizes = np.diff(self.rows_at) * structure.width + structure.n_shared
        self.calls = passes.Calls(
            0, 0, address(counted, PARTS), 0, np.zeros(1, np.int64), _SURROGATES[self.rescaling],
            structure.n_shared, interpreted.MOST * self.label_sizes,
        )  # fmt: skip
        self.costs = self.score_costs + 1e4  # a call in Python
        self._gather([np.array([size]) for size in self.label_sizes], custom.truth)

    def _gather(self, words: list[Ints], true_labels: list[Ints]) -> None:
        targets, targets_at = flat(words, np.int64)
        truth, truth_at = flat(true_labels, np.int64)
        sizes = np.diff(self.rows_at)
        products_at = offsets_of(np.where(sizes <= _LONG, sizes**2, 0).tolist())
        self.examples = passes.Examples(
            self.rows_at, targets, targets_at, truth, truth_at, self.omega, np.empty(products_at[-1]), products_at
        )

    def answers(self, ids: Ints) -> Answers:
        """Room for answers."""
        return Answers(ids, self.label_sizes)

    def answer(self, answers: Answers, w: Reals, atoms: Atoms, lams: Reals, scale: float = 1.0, slack: float = 0.0) -> None:
        """Ask the oracles at scale * w, on all threads, each for a label more than `slack` above its example's atoms."""
        if self.interpreter is not None:
            self.interpreter.answer(answers, w, atoms, lams, scale, slack)
            return
        passes.prepared(self.calls, w, scale, self.pool)

        def some(first: int, last: int) -> None:
            passes.answers(
                self.calls, self.examples, self.rows, atoms, w, scale, self.pool, self.oracle_tol, slack, answers.ids, first, last,
                lams, answers.labels, answers.labels_at, answers.outs, answers.found,
            )  # fmt: skip

        stretches = self.stretches(answers.ids)
        if self._executor is None or len(stretches) == 1:
            for first, last in stretches:
                some(first, last)
                self.tick()
        else:
            running = [self._executor.submit(some, first, last) for first, last in stretches]
            try:
                for done in running:
                    done.result()
                    self.tick()
            except BaseException:
                for waiting in running:
                    waiting.cancel()
                raise

    def surrogate(self, answers: Answers) -> float:
        """sum_i omega_i H_i, or the least that is proved to be no less."""
        return float(passes.bounds(self.examples, self.omega, answers.ids, answers.outs))

    def stretches(self, ids: Ints) -> list[tuple[int, int]]:
        """Ranges of ids whose answers take about a compiled stretch each, and that several threads can share."""
        total = np.cumsum(self.costs[ids])
        pieces = int(np.ceil(total[-1] / _STRETCH))
        if self._threads > 1:
            pieces = max(pieces, min(2 * self._threads, len(ids)))
        if pieces <= 1:
            return [(0, len(ids))]
        cuts = np.unique(np.searchsorted(total, total[-1] * np.arange(1, pieces) / pieces, side="right"))
        bounds = [0, *(int(c) for c in cuts if 0 < c < len(ids)), len(ids)]
        return list(pairwise(bounds))

    def fingerprint(self) -> str:
        """A hash of everything that the answers depend on: a checkpoint of another problem is not resumed."""
        digest = hashlib.sha256(f"{self.structure!r} {self.rescaling} {self.oracle_tol} {self.rows.n_features}".encode())
        for array in (
            self.rows.dense, self.rows.data, self.rows.indices, self.rows.indptr, self.rows_at, self.omega,
            self.pool[: self.n_tables], self.calls.shared, self.examples.targets, self.examples.truth,
        ):  # fmt: skip
            digest.update(np.ascontiguousarray(array).data)
        digest.update(np.float64(self.rows.bias).tobytes())
        return digest.hexdigest()


def _nothing() -> None:
    pass


def _one_each(loss: str | Loss | list[Loss], n: int) -> list[Loss]:
    """The loss of every example."""
    if not isinstance(loss, list):
        return [resolve(loss)] * n
    if len(loss) != n:
        raise ValueError(f"`loss` must be one loss, or a list of one per example ({n}); the list has {len(loss)}.")
    return [resolve(one) for one in loss]


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
    shares: Reals = weights / weights.sum()
    return shares
