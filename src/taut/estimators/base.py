r"""What all estimators share: from data and keywords to a problem, its minimisation, and the attributes that are learnt.

Minimised is :math:`\tfrac12 |w|^2 + C \sum_i s_i H_i(w)` with sample weights s. Solvers minimise
:math:`\tfrac{reg}{2} |w|^2 + \sum_i \omega_i H_i(w)` with :math:`\omega = s / \sum_i s_i`, which is the same divided by
:math:`C \sum_i s_i` for :math:`reg = 1 / (C \sum_i s_i)`. Every number that an estimator reports is in the first form.

An estimator says how its X is read, how its labels are written and restored, and which structure they make; `StructuredSVM`
does the rest.
"""

import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..features import join_weights, split_weights
from ..losses import Hamming, Loss, resolve
from ..solvers import Fit, Measure, Problem, Progress, Sgd, Solver, minimise
from ..structures import Potentials, Structure
from ..structures.base import part
from .advice import Cost, diagnosed, measured_cost
from .callbacks import Keep
from .choices import checkpoint_at, positive_c, rng_of, search_named, solver_named
from .scikit_callbacks import CallbackSupportMixin, ended, managed, watchers

__all__ = ["Examples", "StructuredSVM"]

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Examples(NamedTuple):
    """X as solvers take it: rows of features, where each example's start (None: one row each), and edges of its own."""

    rows: Any
    offsets: Ints | None = None
    edges: tuple[Ints, ...] | None = None

    @property
    def n(self) -> int:
        """How many examples."""
        return int(self.rows.shape[0]) if self.offsets is None else len(self.offsets) - 1


class StructuredSVM(CallbackSupportMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """The part that estimators share; see `MulticlassSSVM` for the parameters.

    A subclass implements `_read`, `_learn_labels`, `_encode`, `_make_structure`, `_potentials` and `_restore`.
    """

    classes_: npt.NDArray[Any]
    coef_: Reals
    intercept_: Reals
    pairwise_: Reals | None
    _structure: Any  # of the fitted estimator

    def __init__(
        self, *, C: float = 1.0, loss: str | Loss = "hamming", rescaling: str = "slack", solver: str = "bcfw", search: Any = "auto",
        tol: float = 1e-3, max_iter: int = 1000, max_time: float | None = None, oracle_tol: float = 0.0, fit_intercept: bool = True,
        class_weight: Any = None, warm_start: bool = False, callbacks: Sequence[Callable[..., Any]] | None = None,
        checkpoint: Any = None, n_jobs: int | None = None, random_state: Any = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        self.C = C
        self.loss = loss
        self.rescaling = rescaling
        self.solver = solver
        self.search = search
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.oracle_tol = oracle_tol
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.callbacks = callbacks
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @abstractmethod
    def _read(self, X: Any, reset: bool) -> Examples:
        """X checked; with `reset` its width becomes what later calls must have."""

    @abstractmethod
    def _learn_labels(self, Y: Any, examples: Examples) -> None:
        """Set `classes_` and whatever else the structure depends on."""

    @abstractmethod
    def _encode(self, Y: Any, examples: Examples) -> list[Any]:
        """The labels as the structure takes them, one per example."""

    @abstractmethod
    def _make_structure(self) -> Structure:
        """The structure of the fitted estimator."""

    @abstractmethod
    def _potentials(self, scores: Reals, examples: Examples) -> Potentials:
        """A batch of potentials from the scores (rows, width) of all rows."""

    @abstractmethod
    def _restore(self, labels: list[Any]) -> Any:
        """The structure's labels as users know them."""

    @managed
    def fit(self, X: Any, Y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights.

        Parameters
        ----------
        X : examples
        Y : labels
        sample_weight : array (n,), optional
            A weight >= 0 per example; weight 2 is the same as the example twice.
        """
        examples = self._read(X, reset=True)
        self._learn_labels(Y, examples)
        self._structure = self._make_structure()
        labels = self._encode(Y, examples)
        weights = self._weights(sample_weight, labels, examples.n)
        problem = self._problem(examples, labels, weights)
        factor = positive_c(self.C) * float(weights.sum())
        solver = self._started(solver_named(self.solver)(problem, 1.0 / factor, rng_of(self.random_state)))
        kept: list[Keep] = []  # what a callback chose
        told = self._callbacks(solver, factor, kept, watchers(self, X, Y))
        fit = minimise(solver, self.tol, self.max_iter, self.max_time, told, checkpoint_at(self.checkpoint))
        self._keep_warm(solver)
        self._take(problem, fit.w)
        self._report(fit, factor)
        for chosen in kept[:1]:
            self._take_kept(chosen)
        self._steps = max(fit.n_passes, 1) * examples.n, 1.0 / factor
        ended(self, X, Y)
        return self

    @available_if(lambda self: self.solver == "sgd")  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, Y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass of subgradient steps over these examples, going on from the calls before; for streams, with solver="sgd".

        The regulariser is 1 / (C s) with s the sum of the first call's weights: calls on pieces of equal size minimise what `fit`
        minimises on one piece of such data. No certificate is made.

        Parameters
        ----------
        X, Y, sample_weight
            As in `fit`.
        classes : array, optional
            All labels that will ever come, for the first call.
        """
        first = not self.__sklearn_is_fitted__()
        examples = self._read(X, reset=first)
        if first:
            self._learn_labels(Y, examples)
            self._name_classes(classes)
            self._structure, self._steps = self._make_structure(), (0, 0.0)
        labels = self._encode(Y, examples)
        weights = self._weights(sample_weight, labels, examples.n)
        problem, (n_steps, reg) = self._problem(examples, labels, weights), self._steps
        solver = Sgd(problem, reg or 1.0 / (positive_c(self.C) * float(weights.sum())), rng_of(self.random_state))
        if not first:
            shared = np.zeros(0) if self.pairwise_ is None else self.pairwise_
            solver.u, solver.t = solver.reg * n_steps * join_weights(problem.rows, self.coef_, self.intercept_, shared), n_steps
        solver.advance()
        self._take(problem, solver.w)
        self._steps = solver.t, solver.reg
        self.n_iter_: int = 1 if first else self.n_iter_ + 1
        return self

    def _name_classes(self, classes: Any) -> None:
        """Take the labels that the caller names instead of those that have come."""
        if classes is not None:
            self.classes_ = np.unique(np.asarray(classes))

    def _started(self, solver: Solver) -> Solver:
        """The solver at the last fit's dual variables, where a warm start is asked for and the data are the same."""
        if self.warm_start and hasattr(self, "_warm"):
            fingerprint, kind, state = self._warm
            if kind == type(solver).__name__ and fingerprint == solver.problem.fingerprint():
                reg = solver.reg
                solver.restore(*state)
                solver.rescale(reg)
        return solver

    def _keep_warm(self, solver: Solver) -> None:
        if self.warm_start:
            self._warm = solver.problem.fingerprint(), type(solver).__name__, solver.state()

    def predict(self, X: Any, clamp: Any = None) -> Any:
        """The labels of greatest score.

        Parameters
        ----------
        X : examples
        clamp : one entry per example, optional
            What is known: for label sets and hierarchies 1, 0, or -1 where a label is free; for sequences and trees a label per
            row, None where it is free; for classes the class or None. The rest is predicted around it.
        """
        thetas, n = self._scored(X)
        if clamp is None:
            return self._restore(self._structure.decode_many(thetas, self.n_jobs))
        if len(clamp) != n:
            raise ValueError(f"`clamp` must hold one entry per example ({n}); it has {len(clamp)}.")
        held = [self._clamped(i, known) for i, known in enumerate(clamp)]
        return self._restore([self._structure.decode(part(thetas, i), known) for i, known in enumerate(held)])

    def predict_topk(self, X: Any, k: int) -> list[tuple[Any, Reals]]:
        """For each example the k labels of greatest score, best first, and their scores; fewer where there are fewer."""
        thetas, n = self._scored(X)
        found = [self._structure.topk(part(thetas, i), k) for i in range(n)]
        return [(self._restore(labels), scores) for labels, scores in found]

    def _scored(self, X: Any) -> tuple[Potentials, int]:
        """The potentials of all examples, and how many there are."""
        check_is_fitted(self)
        examples = self._read(X, reset=False)
        return self._potentials(self._scores(examples), examples), examples.n

    def _clamped(self, i: int, known: Any) -> Any:
        """What is known of an example, as the structure takes it."""
        return known

    def _scores(self, examples: Examples) -> Reals:
        """Scores (rows, width) of all rows."""
        return np.asarray(examples.rows @ self.coef_.T + self.intercept_)

    def _weights(self, sample_weight: Any, labels: list[Any], n: int) -> Reals:
        """One weight per example; `Problem` checks them."""
        return np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)

    def _problem(self, examples: Examples, labels: list[Any], weights: Reals) -> Problem:
        return Problem(
            self._structure, examples.rows, labels, self._loss(labels), self.rescaling, weights, float(self.fit_intercept),
            examples.offsets, examples.edges, search_named(self.search), self.oracle_tol, self.n_jobs,
        )  # fmt: skip

    def _loss(self, labels: list[Any]) -> Loss | list[Loss]:
        """The loss, or one per example where class weights weigh positions."""
        if self.class_weight is None:
            return resolve(self.loss)
        loss = resolve(self.loss)
        if not isinstance(loss, Hamming) or loss.weights is not None:
            raise ValueError(f"`class_weight` weighs the positions of loss='hamming'; with {self.loss!r} it must be None.")
        return self._weighted(loss, labels)

    def _weighted(self, loss: Hamming, labels: list[Any]) -> Loss | list[Loss]:
        """The Hamming loss with class weights."""
        raise NotImplementedError

    def estimate_cost(self, X: Any, Y: Any) -> Cost:
        """What a fit on these data will take, from a pass over some of the examples; nothing is learnt."""
        trial = clone(self).set_params(n_jobs=None)
        examples = trial._read(X, reset=True)
        trial._learn_labels(Y, examples)
        trial._structure = trial._make_structure()
        return measured_cost(trial._problem(examples, trial._encode(Y, examples), np.ones(examples.n)))

    def diagnosis(self) -> str:
        """In plain words how the fit went, and what to do where it did not converge."""
        check_is_fitted(self, "history_")
        return diagnosed(self.history_, self.status_, self.tol, self.solver)

    def _callbacks(
        self, solver: Solver, factor: float, kept: list[Keep], more: list[Callable[..., Any]]
    ) -> list[Callable[[Measure], Any]]:
        """The user's callbacks, told the model at the measured weights; and the progress shown where it is asked for."""
        show, callbacks = Progress(self.tol) if self.verbose else None, [*(self.callbacks or []), *more]
        if show is None and not callbacks:
            return []

        def tell(measure: Measure) -> bool:
            scaled = _scaled(measure, factor)
            if show is not None:
                show(scaled)
            if callbacks:
                self._take(solver.problem, solver.w)
            answers = [callback(self, scaled) for callback in callbacks]
            kept.extend(answer for answer in answers if isinstance(answer, Keep))
            return bool(kept) or any(answer is True for answer in answers)

        return [tell]

    def _take(self, problem: Problem, w: Reals) -> None:
        """Weights as attributes."""
        coef, intercept, shared = split_weights(problem.rows, w)
        self.coef_, self.intercept_ = np.array(coef, order="C"), intercept.copy()
        self.pairwise_ = self._shaped(shared.copy())

    def _take_kept(self, kept: Keep) -> None:
        """The weights that a callback chose, with their certificate."""
        measure, self.coef_, self.intercept_, self.pairwise_ = kept
        self.primal_objective_ = measure.now
        self.duality_gap_ = max(measure.now - self.dual_objective_, 0.0)

    def _shaped(self, shared: Reals) -> Reals | None:
        """The weights that examples share, as users see them; None where there are none."""
        return shared if shared.size else None

    def _report(self, fit: Fit, factor: float) -> None:
        """What is proved about the weights."""
        self.primal_objective_, self.dual_objective_ = factor * fit.primal, factor * fit.dual
        self.duality_gap_ = max(self.primal_objective_ - self.dual_objective_, 0.0)
        self.n_iter_, self.status_ = fit.n_passes, fit.status
        self.history_ = tuple(_scaled(measure, factor) for measure in fit.history)
        if fit.status == "max_iter":
            relative = fit.gap / abs(fit.primal) if fit.primal else np.inf
            warnings.warn(
                f"the gap is {relative:.1e} of the objective after max_iter={self.max_iter} passes; expected at most "
                f"tol={self.tol:.1e}. Raise max_iter or tol, lower C, or scale the features.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to one file, which `taut.load` reads; nothing in it is executed."""
        from .files import save

        check_is_fitted(self)
        save(self, path)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    def __getstate__(self) -> dict[str, Any]:
        """Parameters and learnt arrays; the structure is made again from them."""
        state: dict[str, Any] = dict(super().__getstate__())
        return {key: value for key, value in state.items() if key not in ("_structure", "_warm")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if self.__sklearn_is_fitted__():
            self._structure = self._make_structure()


def _scaled(measure: Measure, factor: float) -> Measure:
    """A measure in the estimators' form."""
    return replace(measure, primal=factor * measure.primal, dual=factor * measure.dual, now=factor * measure.now)
