r"""The only outer loop: it measures, reports, stops, and keeps the best iterate with its certificate.

Solvers are streams of passes. The primal is :math:`P(w) = \tfrac{reg}{2} |w|^2 + \sum_i \omega_i H_i(w)` with exact answers (or
upper bounds), the dual the greatest lower bound met, and the gap their difference: a certificate whichever solver made w. A
measurement asks every oracle once, so it is made after passes 0, 1, 2, 3, 5, 8, 12, 18, ... and when the solver's own estimate
promises the end.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..kernels.compiling import compile_seconds
from .problem import Problem

__all__ = ["Fit", "Measure", "Solver", "minimise", "path", "rng_of", "rng_state"]

Reals = npt.NDArray[np.float64]

_GROWTH = 1.5  # measurements are so far apart at least: with 1.25 they took a quarter of the time on letters (2026-11)


class Solver(Protocol):
    """A stream of passes that improve w. `estimate` guesses the gap from what the last pass met; `dual` is a lower bound.

    `certified` is the share of answers of the last `primal` that are proved best.
    """

    @property
    def problem(self) -> Problem: ...
    @property
    def reg(self) -> float: ...
    @property
    def w(self) -> Reals: ...
    @property
    def dual(self) -> float: ...
    @property
    def estimate(self) -> float: ...
    @property
    def n_queries(self) -> int: ...
    @property
    def certified(self) -> float: ...
    def advance(self) -> None: ...
    def primal(self) -> float: ...
    def rescale(self, reg: float) -> None: ...
    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]: ...
    def restore(self, header: dict[str, Any], arrays: dict[str, Any]) -> None: ...


@dataclass(frozen=True)
class Measure:
    """One line of a training's history.

    `primal` and `dual` are the best so far, `now` is the primal of the iterate measured, and `certified` the share of its oracles'
    answers that are proved best; the others count by their bounds.
    """

    n_passes: int
    seconds: float
    n_queries: int
    primal: float
    dual: float
    now: float
    certified: float = 1.0

    @property
    def gap(self) -> float:
        """primal - dual, never negative but by rounding."""
        return max(self.primal - self.dual, 0.0)


@dataclass(frozen=True)
class Fit:
    """The best weights met, and what is proved about them.

    `status` is "converged", "max_iter", "max_time", "interrupted" (Ctrl-C) or "stopped" (by a callback).
    """

    w: Reals
    primal: float
    dual: float
    status: str
    n_passes: int
    history: tuple[Measure, ...] = field(repr=False)

    @property
    def gap(self) -> float:
        """Primal minus dual: w is that close to optimal, at most."""
        return max(self.primal - self.dual, 0.0)


class Checkpoints(Protocol):
    """Where runs are kept so that they can go on; see `taut.solvers.Checkpoint`."""

    def due(self, n_passes: int, seconds: float) -> bool: ...
    def save(self, solver: Solver, run: dict[str, Any], best: Reals) -> None: ...
    def load(self, solver: Solver) -> tuple[dict[str, Any], Reals] | None: ...


class _OutOfTime(Exception):
    pass


def minimise(
    solver: Solver,
    tol: float = 1e-3,
    max_iter: int = 1000,
    max_time: float | None = None,
    callbacks: Sequence[Callable[[Measure], Any]] = (),
    checkpoint: Checkpoints | None = None,
) -> Fit:
    """Run a solver until its gap is at most tol times the primal, or a limit is met; whichever, the certificate holds.

    Parameters
    ----------
    solver : Solver
        From `bcfw`, `sgd`, `sdca`, `n_slack`, `one_slack`, or another minimise: it goes on where it stands.
    tol : float
        Relative gap to stop at.
    max_iter : int
        Greatest number of passes, those before this call not counted.
    max_time : float, optional
        Greatest number of seconds, kernels' compilation not counted; met to a fraction of a second, in the middle of a pass if
        need be.
    callbacks : sequence of callables
        Each called with every `Measure`; one that returns True stops the run.
    checkpoint : Checkpoint, optional
        Saves the run, and goes on with the run that it finds.

    Ctrl-C stops the run too: the best iterate so far is returned with its certificate.
    """
    _check(tol, max_iter, max_time)
    run = _Run(solver, tol, max_iter, max_time, callbacks, checkpoint)
    with _clocked(solver.problem, run.tick):
        try:
            run.go()
        except KeyboardInterrupt:
            if not run.history:
                raise
            run.status = "interrupted"
        except _OutOfTime:
            run.status = "max_time"
    return Fit(run.best, run.primal, run.dual, run.status, run.n_passes, tuple(run.history))


class _Run:
    """One run under way: what is best so far, and when to look again."""

    def __init__(
        self, solver: Solver, tol: float, max_iter: int, max_time: float | None, callbacks: Sequence[Callable[[Measure], Any]],
        checkpoint: Checkpoints | None,
    ) -> None:  # fmt: skip
        self.solver, self.tol, self.max_iter, self.max_time = solver, tol, max_iter, max_time
        self.callbacks, self.checkpoint = callbacks, checkpoint
        self.started, self.before = time.perf_counter() - compile_seconds(), 0.0  # `before`: of the runs that this one goes on with
        self.best, self.primal, self.dual = solver.w.copy(), np.inf, -np.inf
        self.n_passes, self.due, self.status = 0, 0, "max_iter"
        self.history: list[Measure] = []

    @property
    def seconds(self) -> float:
        return self.before + time.perf_counter() - compile_seconds() - self.started

    def tick(self) -> None:
        """Called between compiled stretches."""
        if self.max_time is not None and self.seconds > self.max_time and self.history:
            raise _OutOfTime

    def go(self) -> None:
        self._resume()
        while True:
            last = self.n_passes >= self.max_iter
            if last and self.checkpoint is not None:
                self._save()  # before the last measurement, which a longer run would not have made here
            if (self.n_passes >= self.due or last or self._promising()) and self._measure():
                return
            if last:
                return
            self.solver.advance()
            self.n_passes += 1
            self.dual = max(self.dual, self.solver.dual)
            if self.checkpoint is not None and self.checkpoint.due(self.n_passes, self.seconds):
                self._save()
            self.tick()

    def _promising(self) -> bool:
        return bool(self.solver.estimate <= self.tol * self.primal)

    def _measure(self) -> bool:
        """Ask every oracle at the solver's weights. Returns whether the run is over."""
        now = self.solver.primal()
        if now < self.primal:
            self.best, self.primal = self.solver.w.copy(), now
        self.dual = max(self.dual, self.solver.dual)
        self.due = max(self.n_passes + 1, int(np.ceil(_GROWTH * self.n_passes)))
        solver = self.solver
        measure = Measure(self.n_passes, self.seconds, solver.n_queries, self.primal, self.dual, now, solver.certified)
        self.history.append(measure)
        if not np.isfinite(now):
            raise FloatingPointError(
                f"the objective became {now} after {self.n_passes} passes: expected finite numbers. Scale the features down, or "
                "raise reg."
            )
        asked_to_stop = [callback(measure) for callback in self.callbacks]
        if measure.gap <= self.tol * abs(self.primal):
            self.status = "converged"
        elif any(answer is True for answer in asked_to_stop):
            self.status = "stopped"
        else:
            return False
        return True

    def _resume(self) -> None:
        found = None if self.checkpoint is None else self.checkpoint.load(self.solver)
        if found is not None:
            run, self.best = found
            self.primal, self.dual, self.n_passes, self.due = run["primal"], run["dual"], run["n_passes"], run["due"]
            self.before, self.history = run["seconds"], [Measure(**line) for line in run["history"]]

    def _save(self) -> None:
        assert self.checkpoint is not None
        run = {"primal": self.primal, "dual": self.dual, "n_passes": self.n_passes, "due": self.due, "seconds": self.seconds}
        self.checkpoint.save(self.solver, {**run, "history": [asdict(line) for line in self.history]}, self.best)


class _clocked:
    """The problem's `tick` is the run's for as long as the run lasts."""

    def __init__(self, problem: Problem, tick: Callable[[], None]) -> None:
        self.problem, self.tick = problem, tick

    def __enter__(self) -> None:
        self.before, self.problem.tick = self.problem.tick, self.tick

    def __exit__(self, *error: object) -> None:
        self.problem.tick = self.before


def path(solver: Solver, regs: Iterable[float], **limits: Any) -> Iterator[tuple[float, Fit]]:
    """Fits for a path of regularisers, each from the dual variables of the one before: go from strong to weak.

    `limits` are those of `minimise`. Yields (reg, Fit).
    """
    for reg in regs:
        if not 0.0 < reg < np.inf:
            raise ValueError(f"`regs` must be positive and finite; found {reg}.")
        solver.rescale(reg)
        fit = minimise(solver, **limits)
        yield reg, replace(fit, w=fit.w.copy())


def rng_of(rng: Any) -> np.random.Generator:
    """A generator from a generator, a seed, or None for seed 0: runs repeat unless they are told otherwise."""
    return rng if isinstance(rng, np.random.Generator) else np.random.default_rng(0 if rng is None else rng)


def rng_state(rng: np.random.Generator) -> dict[str, Any]:
    """The generator's state as JSON."""
    state = rng.bit_generator.state
    if state["bit_generator"] != "PCG64":
        raise ValueError(f"checkpoints keep PCG64 generators; found {state['bit_generator']}. Use numpy's default_rng.")
    return dict(state)


def _check(tol: float, max_iter: int, max_time: float | None) -> None:
    if not 0.0 <= tol < np.inf:
        raise ValueError(f"`tol` must be finite and >= 0; found {tol}.")
    if int(max_iter) != max_iter or max_iter < 0:
        raise ValueError(f"`max_iter` must be a whole number >= 0; found {max_iter}.")
    if max_time is not None and not max_time > 0.0:
        raise ValueError(f"`max_time` must be positive, or None for no limit; found {max_time}.")
