"""Figure 3 and the headline: solvers and searches on the same problem; the true primal outside the timer (NOTES D.5, D.5b)."""

import math
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..losses import Hamming
from ..search import SearchResult, angular_search, bisecting_search, lens_search, sarawagi_search
from ..solvers import Problem, Solver, averaged, bcfw, minimise, sgd
from ..solvers.averaging import no_atoms
from .raw import Cell
from .sources import label_sets, some_labels, structure_for
from .training import METRICS, cutting_plane, predicted

__all__ = ["DATA", "SEARCHES", "SOLVERS", "cells"]


def _rounds(problem: Problem, reg: float) -> Solver:
    return cutting_plane(problem, reg, problem.n_examples)


def _averaged_sgd(problem: Problem, reg: float) -> Solver:
    return averaged(sgd(problem, reg))


SOLVERS: dict[str, Callable[[Problem, float], Solver]] = {"SGD": _averaged_sgd, "BCFW": bcfw, "cutting plane": _rounds}

def _sarawagi(oracle: Any, *, threshold: float, **limits: Any) -> SearchResult:
    """With xi the example's slack; without one (SGD knows none) it is repeated with xi the value found."""
    return sarawagi_search(oracle, precision=1e-9, xi=threshold if threshold > 0.0 else None, threshold=threshold, **limits)


SEARCHES: dict[str, Any] = {
    "direct": "auto",
    "lens": lens_search,
    "angular": angular_search,
    "bisecting": bisecting_search,
    "Sarawagi": _sarawagi,
}
#: Data sets: name, labels, regulariser.
DATA = {"yeast": ("yeast", 14, 0.01), "rcv1-14": ("rcv1", 14, 0.01)}
LEVEL = 0.01  # the relative suboptimality of the headline
_SLOWEST = ("cutting plane", "Sarawagi")  # the baseline of the headline may take as long as it needs


def cells(folder: Path, quick: bool) -> list[Cell]:
    """A reference optimum per data set, then every solver with every search."""
    found = []
    for data in DATA:
        size = "n=100" if quick else "whole"
        found.append(Cell(f"training/{data}/{size}/optimum", _optimum(folder, data, quick)))
        for solver in SOLVERS:
            for search in SEARCHES:
                limit = 1.0 if quick else 120.0 if (solver, search) == _SLOWEST else 12.0 if search == "direct" else 6.0
                name = f"training/{data}/{size}/{solver}/{search}/seconds={limit:g}"
                found.append(Cell(name.replace(" ", "-"), _run(folder, data, solver, search, limit, quick)))
    return found


@cache
def _problem(folder: Path, data: str, quick: bool) -> tuple[Any, ...]:
    name, n_labels, reg = DATA[data]
    split = some_labels(label_sets(folder, name), n_labels).split
    n = 100 if quick else len(split.Y)
    return structure_for("full", split.Y), split.X[:n], list(split.Y[:n]), split.X_test, split.Y_test, reg


def _optimum(folder: Path, data: str, quick: bool) -> Callable[[], dict[str, Any]]:
    def run() -> dict[str, Any]:
        structure, X, Y, _, _, reg = _problem(folder, data, quick)
        fit = minimise(bcfw(Problem(structure, X, Y, Hamming(normalize=False)), reg), tol=1e-4, max_iter=400)
        return {"reg": reg, "n": len(Y), "primal": fit.primal, "dual": fit.dual, "passes": fit.n_passes}

    return run


def _run(folder: Path, data: str, solver: str, search: str, limit: float, quick: bool) -> Callable[[], dict[str, Any]]:
    def run() -> dict[str, Any]:
        structure, X, Y, X_test, Y_test, reg = _problem(folder, data, quick)
        loss = Hamming(normalize=False)
        exact = Problem(structure, X, Y, loss)
        SOLVERS[solver](Problem(structure, X[:8], Y[:8], loss, search=SEARCHES[search]), reg).advance()  # compiles
        state = SOLVERS[solver](Problem(structure, X, Y, loss, search=SEARCHES[search]), reg)
        seconds, due, dual, rows = 0.0, 1, 0.0, []
        stalled = 0  # passes without a better dual: an inexact search finds nothing more
        for n_passes in range(1, 100_000):
            start = time.process_time()
            state.advance()
            seconds += time.process_time() - start
            stalled, dual = 0 if state.dual > dual * (1.0 + 1e-9) else stalled + 1, max(dual, state.dual)
            over = seconds > limit or (solver != "SGD" and stalled > 5)
            if n_passes >= due or over:
                due = max(n_passes + 1, math.ceil(1.25 * n_passes))
                primal = _primal(exact, state.w, reg)
                accuracy = METRICS["Acc"](Y_test, predicted(structure, exact, state.w, X_test))
                rows.append([n_passes, seconds, state.n_queries, primal, dual, accuracy])
                over = over or (primal - dual <= 0.2 * LEVEL * primal)
            if over:
                break
        return {"reg": reg, "columns": ["passes", "seconds", "queries", "primal", "dual", "Acc"], "rows": rows}

    return run


def _primal(problem: Problem, w: npt.NDArray[np.float64], reg: float) -> float:
    """The true primal, with exact answers."""
    answers = problem.answers(np.arange(problem.n_examples))
    problem.answer(answers, w, no_atoms(problem.n_examples), problem.first_lams.copy())
    return 0.5 * reg * float(w @ w) + problem.surrogate(answers)
