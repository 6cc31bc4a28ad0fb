"""Oracles asked one by one from Python: any search over a structure's oracle, and structures that are written in Python."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from ..kernels import passes
from ..kernels.atoms import Atoms
from ..structures.base import Potentials, Search, Structure, StructureOracle
from ..structures.custom import Custom, Scores

if TYPE_CHECKING:
    from .problem import Answers, Problem

__all__ = ["MOST", "Customs", "Interpreter", "Searches"]

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST = 4  # a label in Python may have so many parts per place, counted with repetition


class Interpreter(Protocol):
    """Answers examples as `passes.answers` does, in a Python loop."""

    def answer(self, answers: "Answers", w: Reals, atoms: Atoms, lams: Reals, scale: float, slack: float) -> None: ...


class Searches:
    """A search over the structure's oracle; what it could not certify counts by its bound."""

    def __init__(self, problem: "Problem", search: Search) -> None:
        self.problem, self.search = problem, search

    def answer(self, answers: "Answers", w: Reals, atoms: Atoms, lams: Reals, scale: float, slack: float) -> None:
        p = self.problem
        assert isinstance(p.structure, Structure)
        passes.prepared(p.calls, w, scale, p.pool)
        common = p.pool[p.n_tables :]
        for j, i in enumerate(answers.ids.tolist()):
            theta, known = _scored(p, w, scale, atoms, i)
            blank = p.blanks[i]
            potentials = Potentials(theta, common, blank.sizes, None, blank.edges)
            example = p.structure.example(potentials, p.targets[i])
            oracle = StructureOracle(p.structure, example, p.targets[i], int(p.label_sizes[i]))
            result = self.search(oracle, lam=float(lams[i]), threshold=known + slack, tol=p.oracle_tol)
            answers.found[j] = result.label is not None
            if result.label is not None:
                words = p.structure.words(result.label, blank)
                answers.labels[answers.labels_at[j] : answers.labels_at[j + 1]] = words
            upper = max(known, result.upper_bound)
            point = result.h, result.g, result.value, result.upper_bound
            answers.outs[j] = *point, result.lam, result.n_queries, upper, 1.0, result.certified
            if 0.0 < result.lam < np.inf:
                lams[i] = result.lam
            p.tick()


class Customs:
    """A structure written in Python: asked through its own methods, its labels kept as counts of places."""

    def __init__(self, problem: "Problem", structure: Custom, Y: Sequence[Any]) -> None:
        self.problem, self.structure, self.Y = problem, structure, list(Y)
        self.truth = [self._counts(i, y) for i, y in enumerate(self.Y)]

    def _counts(self, i: int, y: Any) -> Ints:
        """How often each place is part of a label."""
        p, structure = self.problem, self.structure
        n_rows = int(p.rows_at[i + 1] - p.rows_at[i])
        size = n_rows * structure.width + structure.n_shared
        places = np.asarray(structure.parts(y, n_rows))
        if places.size and (places.dtype.kind not in "iu" or places.min() < 0 or places.max() >= size):
            raise ValueError(
                f"`parts` of {type(structure).__name__} must give integers from 0 to {size - 1} (row * width + column, then the "
                f"shared weights) for a label of {n_rows} rows; found {places!r}."
            )
        counts = np.bincount(places.astype(np.int64).ravel(), minlength=size)
        if counts.sum() > MOST * size:
            raise ValueError(
                f"`parts` of {type(structure).__name__} gives {counts.sum()} parts for {size} places; at most {MOST} per place."
            )
        return counts.astype(np.int64)

    def answer(self, answers: "Answers", w: Reals, atoms: Atoms, lams: Reals, scale: float, slack: float) -> None:
        p, structure = self.problem, self.structure
        shared = scale * w[w.size - structure.n_shared :]
        for j, i in enumerate(answers.ids.tolist()):
            own, known = _scored(p, w, scale, atoms, i)
            theta = Scores(own.reshape(-1, structure.width), shared)
            result = structure.loss_augmented(
                theta, self.Y[i], p.rescaling, lam=float(lams[i]), threshold=known + slack, tol=p.oracle_tol
            )
            answers.found[j] = result.label is not None
            if result.label is not None:
                answers.labels[answers.labels_at[j] : answers.labels_at[j + 1]] = self._counts(i, result.label)
            upper = max(known, result.upper_bound)
            point = result.h, result.g, result.value, result.upper_bound
            answers.outs[j] = *point, result.lam, result.n_queries, upper, 1.0, result.certified
            if 0.0 < result.lam < np.inf:
                lams[i] = result.lam
            p.tick()


def _scored(problem: "Problem", w: Reals, scale: float, atoms: Atoms, i: int) -> tuple[Reals, float]:
    """The potentials of an example, and the greatest value that its atoms reach."""
    theta = np.empty((problem.rows_at[i + 1] - problem.rows_at[i]) * problem.rows.width)
    known = passes.reached(problem.calls, problem.examples, problem.rows, atoms, w, scale, i, theta)
    return theta, float(known)
