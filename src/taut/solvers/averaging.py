"""Averages of iterates, as a solver around a solver."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels.atoms import Atoms
from .drive import Solver
from .problem import Problem

__all__ = ["averaged", "no_atoms"]

Reals = npt.NDArray[np.float64]


def no_atoms(n: int) -> Atoms:
    """Empty lists, for solvers without atoms."""
    return Atoms(
        np.full(n, -1, np.int64), np.zeros(n, np.int64), np.zeros((1, 3)), np.zeros((1, 7), np.int64), np.zeros(1, np.int32),
        np.zeros(1), np.zeros(1), np.zeros(1, np.int64), np.array([0, -1, 0, 0, 0]),
    )  # fmt: skip


class _Averaged:
    r"""The iterates' average with weights 1, 2, 3, ...: :math:`\bar w \mathrel{+}= \tfrac{2}{k + 1}(w - \bar w)` after pass k.

    It steadies solvers with long steps. The dual is the inner solver's; the estimate of the gap as well.
    """

    def __init__(self, inner: Solver) -> None:
        self.inner, self.n_passes = inner, 0
        self.w = inner.w.copy()
        self._atoms, self._lams = no_atoms(inner.problem.n_examples), inner.problem.first_lams.copy()
        self._asked, self.certified = 0, 1.0

    @property
    def problem(self) -> Problem:
        return self.inner.problem

    @property
    def reg(self) -> float:
        return self.inner.reg

    @property
    def dual(self) -> float:
        return self.inner.dual

    @property
    def estimate(self) -> float:
        return self.inner.estimate

    @property
    def n_queries(self) -> int:
        return self.inner.n_queries + self._asked

    def advance(self) -> None:
        self.inner.advance()
        self.n_passes += 1
        self.w += 2.0 / (self.n_passes + 1) * (self.inner.w - self.w)

    def primal(self) -> float:
        """The primal objective of the average."""
        answers = self.problem.answers(np.arange(self.problem.n_examples))
        self.problem.answer(answers, self.w, self._atoms, self._lams)
        self._asked, self.certified = self._asked + answers.n_queries, answers.certified
        return 0.5 * self.reg * float(self.w @ self.w) + self.problem.surrogate(answers)

    def rescale(self, reg: float) -> None:
        """Go on under another regulariser: the average starts anew from the rescaled weights."""
        self.inner.rescale(reg)
        self.n_passes, self.w = 0, self.inner.w.copy()

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        header, arrays = self.inner.state()
        mine = {"mean_w": self.w, "mean_lams": self._lams}
        return {"inner": header, "n_passes": self.n_passes, "asked": self._asked, "certified": self.certified}, {**arrays, **mine}

    def restore(self, header: dict[str, Any], arrays: dict[str, Any]) -> None:
        self.inner.restore(header["inner"], arrays)
        self.n_passes, self._asked = header["n_passes"], header["asked"]
        self.certified = header["certified"]
        self.w, self._lams = arrays["mean_w"].copy(), arrays["mean_lams"].copy()


def averaged(solver: Solver) -> Solver:
    """The solver whose iterates are the weighted averages of another's, early ones counting least."""
    return _Averaged(solver)
