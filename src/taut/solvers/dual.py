"""The dual state of block-coordinate solvers: weights, atoms, and the memory of each example."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import passes
from .problem import Answers, Problem

__all__ = ["DualState"]

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def _room(n: int, slots: int, places: int) -> passes.Atoms:
    return passes.Atoms(
        np.full(n, -1, np.int64), np.zeros((slots, 3)), np.zeros((slots, 4), np.int64), np.zeros(places, np.int32),
        np.zeros(places, np.int32), np.array([0, -1, 0]),
    )  # fmt: skip


class DualState:
    """w and the atoms that it is made of."""

    def __init__(self, problem: Problem, reg: float) -> None:
        self.problem, self.reg = problem, reg
        n = problem.n_examples
        self.w = np.zeros(problem.n_weights)
        self.work = np.zeros(problem.n_weights)
        self.atoms = _room(n, 2 * n + 64, 16 * n + 64)
        self.lams = problem.first_lams.copy()
        self.gaps = np.full(n, np.inf)

    def make_room(self, answers: Answers) -> None:
        """Room for an atom per answer: compact the lists when they are full, and grow them where that is not enough."""
        atoms, more = self.atoms, int(answers.found.sum())
        parts = 2 * int(self.problem.calls.most_parts[answers.ids][answers.found > 0].sum())
        if atoms.used[passes.SLOTS] + more <= len(atoms.numbers) and atoms.used[passes.PLACES] + parts <= len(atoms.places):
            return
        live = 2 * (int(atoms.used[passes.SLOTS]) + more), 2 * (int(atoms.used[passes.PLACES]) + parts)
        fresh = _room(len(atoms.head), *live)
        passes.compacted(atoms, fresh)
        self.atoms = fresh

    def step(self, answers: Answers, kind: int, most_idle: int = 10) -> tuple[float, int]:
        self.make_room(answers)
        p = self.problem
        return passes.steps(  # type: ignore[no-any-return]
            p.calls, p.examples, p.rows, self.atoms, self.w, self.reg, kind, most_idle, answers.ids, 0, len(answers.ids),
            answers.labels, answers.labels_at, answers.outs, answers.found, self.gaps, self.work,
        )  # fmt: skip

    def dual(self) -> float:
        total, _ = passes.dual_sums(self.problem.examples, self.atoms)
        return total - 0.5 * self.reg * float(self.w @ self.w)

    def primal(self) -> tuple[float, Answers]:
        answers = Answers(np.arange(self.problem.n_examples), self.problem.label_sizes)
        self.problem.answer(answers, self.w, self.atoms, self.lams)
        return 0.5 * self.reg * float(self.w @ self.w) + float(self.problem.omega @ answers.outs[:, 6]), answers
