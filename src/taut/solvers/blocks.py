r"""The outer scheme that block-coordinate solvers share: exact passes, and cheap ones over the atoms between them.

An exact pass asks the oracles of a block of examples at the same w, on all threads, and makes the steps in order, so that the
result does not depend on the number of threads. Cheap passes go on among the atoms, whose planes cost no oracle: the idea of
MP-BCFW (Shah, Kolmogorov, Lampert 2014), stopped by what the last exact pass has seen and by counts of operations instead of the
clock. On letters their rule (stop when a pass gains less per operation than the whole) ended after one cheap pass and took twice
as long (2026-11).

Every pass, exact or cheap, is one inner pass of an accelerated proximal point method (`Dual`; Shalev-Shwartz and Zhang 2014, Lin,
Mairal and Harchaoui 2015): docs/decisions/0007.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .drive import rng_of, rng_state
from .dual import Dual
from .problem import Answers, Problem
from .sampling import Sample, permutation

__all__ = ["BlockSolver", "Cheap"]

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_BLOCK = 32  # examples answered at the same w: 8 to 32 were best on letters and Yeast, all at once clearly worse (2026-11)
_ROUNDING = 1e-14  # of the objective: gaps below are noise
_INERTIA = 4.0  # kappa / reg: 3 to 6 were best on six problems, 10 best or second best on some, 30 did not converge (2026-11)
_FELL = 0.7  # an estimate below this share of the last one shows that cheap passes have done enough


class Cheap(NamedTuple):
    """When cheap passes stop.

    The atoms' own gap is the share `enough` of the gap that exact answers showed, or they have cost `most` exact passes. Where the
    estimate of the gap does not fall from one exact pass to the next, blocks hinder each other, and the effort is doubled: half the
    share, twice the cost.
    """

    enough: float
    most: float


_CHEAP = Cheap(0.5, 8.0)


class BlockSolver:
    """A stream of passes over the examples' dual blocks.

    `kind` and `solved` say what a step is (`passes.steps`), `block` how many examples are answered at the same w, `slack` how far a
    label must rise above its example's atoms to become one, `inertia` how fast the proximal centre moves (`Dual`).
    """

    def __init__(
        self, problem: Problem, reg: float, rng: Any = None, *, kind: int, solved: float = 1.0, cheap: Cheap = _CHEAP,
        block: int = _BLOCK, slack: float = 0.0, inertia: float = _INERTIA, sample: Sample = permutation,
    ) -> None:  # fmt: skip
        self.problem, self.dual_state, self.rng = problem, Dual(problem, reg, inertia), rng_of(rng)
        self._kind, self._solved, self._cheap, self._block, self._slack, self._sample = kind, solved, cheap, block, slack, sample
        self.estimate, self.dual, self.n_queries, self.certified = np.inf, 0.0, 0, 1.0
        self._effort, self._ran_out = 1.0, False
        self._kept: Answers | None = None

    @property
    def reg(self) -> float:
        return self.dual_state.reg

    @property
    def w(self) -> Reals:
        return self.dual_state.w

    def advance(self) -> None:
        """One pass with exact answers, and the cheap ones that follow it."""
        state, last = self.dual_state, self.estimate
        state.extrapolate()
        for answers in self._answered():
            state.learn(answers, self._kind, self._solved)
        self.estimate = state.gap(state.shown)
        if self.estimate > last * (_FELL if self._ran_out else 1.0):
            self._effort *= 2.0
        else:
            self._effort = max(0.5 * self._effort, 1.0)
        self._revisit()
        self.dual = max(self.dual, state.value())

    def _answered(self) -> Iterator[Answers]:
        if self._kept is not None:  # what `primal` asked at this very w
            answers, self._kept = self._kept, None
            yield answers
            return
        ids = self._sample(self.dual_state, self.rng)
        for first in range(0, len(ids), self._block):
            answers = self.dual_state.answer(_distinct(ids[first : first + self._block]), self._slack)
            self.n_queries += answers.n_queries
            yield answers

    def _revisit(self) -> None:
        problem, state = self.problem, self.dual_state
        enough = max(self._cheap.enough / self._effort * self.estimate, _ROUNDING * state.norm())
        spent, most = 0.0, self._cheap.most * self._effort * float(problem.costs.sum())
        while spent < most:
            spent += state.extrapolate()
            gain, work = state.revisit(self.rng.permutation(problem.n_examples), min(self._solved, 0.2))
            spent += work
            if state.gap(state.gaps) <= enough or not gain > 0.0:
                break
        self._ran_out = spent >= most

    def primal(self) -> float:
        """The primal objective at w, exact or bounded from above.

        Where a pass is one block its answers are the next pass. Elsewhere they are not used: a pass whose answers are all of one w
        gains less than it costs (on letters 64 passes instead of 58, 2026-11).
        """
        answers = self._kept or self.dual_state.answer(self.rng.permutation(self.problem.n_examples), self._slack)
        if answers is not self._kept:
            self.n_queries += answers.n_queries
        if self._block >= self.problem.n_examples:
            self._kept = answers
        self.certified = answers.certified
        return self.dual_state.norm() + self.problem.surrogate(answers)

    def rescale(self, reg: float) -> None:
        """Go on under another regulariser from the same dual variables."""
        self.dual_state.rescale(reg)
        self._kept, self.estimate, self.dual = None, np.inf, self.dual_state.value()
        self._effort, self._ran_out = 1.0, False

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Numbers and arrays from which `restore` goes on bit for bit."""
        header = {"reg": self.reg, "rng": rng_state(self.rng), "dual": self.dual, "n_queries": self.n_queries}
        header.update(certified=self.certified, effort=self._effort, ran_out=self._ran_out)
        header["estimate"] = None if np.isinf(self.estimate) else self.estimate
        arrays = self.dual_state.arrays()
        if self._kept is not None:
            arrays.update({f"kept_{name}": array for name, array in self._kept.arrays().items()})
        return header, arrays

    def restore(self, header: dict[str, Any], arrays: dict[str, Any]) -> None:
        self.dual_state.reg, self.dual, self.n_queries = header["reg"], header["dual"], header["n_queries"]
        self.certified, self._effort, self._ran_out = header["certified"], header["effort"], header["ran_out"]
        self.estimate = np.inf if header["estimate"] is None else header["estimate"]
        self.rng.bit_generator.state = header["rng"]
        self.dual_state.restore(arrays)
        kept = {name.removeprefix("kept_"): array for name, array in arrays.items() if name.startswith("kept_")}
        self._kept = Answers.restored(kept, self.problem.label_sizes) if kept else None


def _distinct(ids: Ints) -> Ints:
    """The ids in order, each once: a block is answered at one w, where a second visit would say the same."""
    return ids[np.sort(np.unique(ids, return_index=True)[1])]
