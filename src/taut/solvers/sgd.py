r"""Stochastic subgradient descent, the paper's choice: Pegasos over permutations of the examples, in mini-batches."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import passes
from .averaging import no_atoms
from .drive import rng_of, rng_state
from .problem import Answers, Problem

__all__ = ["Sgd", "sgd"]

Reals = npt.NDArray[np.float64]


class Sgd:
    r"""Pegasos: after t visits :math:`w = \tfrac{1}{reg\, t} U`, U the sum of the visits' plane normals (n omega_i each).

    That is the step 1 / (reg t) written without shrinking w: a batch costs the non-zeros of its rows, whatever the dimension. After
    whole permutations the mean of an example's visits is a dual variable, so that a lower bound comes for one scalar
    (NOTES C.0j): :math:`D = mean\ offset - \tfrac{reg}{2} |w|^2`.
    """

    def __init__(self, problem: Problem, reg: float, rng: Any = None, batch_size: int = 1) -> None:
        if not 0.0 < reg < np.inf:
            raise ValueError(f"`reg` must be positive and finite; found {reg}.")
        if batch_size < 1:
            raise ValueError(f"`batch_size` must be at least 1; found {batch_size}.")
        self.problem, self.reg, self.rng, self.batch_size = problem, float(reg), rng_of(rng), int(batch_size)
        self.u, self.offsets, self.t = np.zeros(problem.n_weights), 0.0, 0
        self.estimate, self.dual, self.n_queries, self.certified = np.inf, 0.0, 0, 1.0
        self._atoms, self._lams = no_atoms(problem.n_examples), problem.first_lams.copy()

    @property
    def w(self) -> Reals:
        return self._scale * self.u

    @property
    def _scale(self) -> float:
        return 1.0 / (self.reg * self.t) if self.t else 0.0

    def advance(self) -> None:
        """One pass over a permutation of the examples, and the lower bound that it proves."""
        answers = self.problem.answers(self.rng.permutation(self.problem.n_examples))
        if self.problem.interpreter is None:
            self._compiled(answers)
        else:
            self._interpreted(answers)
        self.n_queries += answers.n_queries
        norm = 0.5 * self.reg * self._scale**2 * float(self.u @ self.u)
        self.dual = max(self.dual, self.offsets / self.t - norm)
        self.estimate = max(self.problem.surrogate(answers) + norm - self.dual, 0.0)  # the hinges as they were met on the way

    def _compiled(self, answers: Answers) -> None:
        p, first = self.problem, 0
        for _, end in p.stretches(answers.ids):
            last = min(-(-end // self.batch_size) * self.batch_size, len(answers.ids))  # batches are whole whatever the stretch
            self.offsets = passes.descend(
                p.calls, p.examples, p.rows, self._atoms, self.u, self.offsets, self.reg, self.t, self.batch_size, p.pool,
                p.oracle_tol, answers.ids, first, last, self._lams, answers.labels, answers.labels_at, answers.outs, answers.found,
            )  # fmt: skip
            self.t += last - first
            first = last
            p.tick()

    def _interpreted(self, answers: Answers) -> None:
        p, n = self.problem, self.problem.n_examples
        for first in range(0, n, self.batch_size):
            batch = p.answers(answers.ids[first : first + self.batch_size])
            p.answer(batch, self.u, self._atoms, self._lams, self._scale)
            answers.outs[first : first + self.batch_size] = batch.outs
            self.offsets += passes.accumulate(
                p.calls, p.examples, p.rows, batch.ids, 0, len(batch.ids), batch.labels, batch.labels_at, batch.outs, batch.found,
                float(n), self.u,
            )  # fmt: skip
            self.t += len(batch.ids)

    def primal(self) -> float:
        """The primal objective at w."""
        answers = self.problem.answers(np.arange(self.problem.n_examples))
        self.problem.answer(answers, self.u, self._atoms, self._lams, self._scale)
        self.n_queries, self.certified = self.n_queries + answers.n_queries, answers.certified
        return 0.5 * self.reg * self._scale**2 * float(self.u @ self.u) + self.problem.surrogate(answers)

    def rescale(self, reg: float) -> None:
        """Go on under another regulariser: the same visits stand for other weights."""
        self.reg, self.estimate = float(reg), np.inf
        self.dual = self.offsets / self.t - 0.5 * reg * self._scale**2 * float(self.u @ self.u) if self.t else 0.0

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        header = {"reg": self.reg, "rng": rng_state(self.rng), "dual": self.dual, "n_queries": self.n_queries, "t": self.t}
        header.update(offsets=self.offsets, certified=self.certified, estimate=None if np.isinf(self.estimate) else self.estimate)
        return header, {"u": self.u, "lams": self._lams}

    def restore(self, header: dict[str, Any], arrays: dict[str, Any]) -> None:
        self.reg, self.dual, self.n_queries, self.t = (header[name] for name in ("reg", "dual", "n_queries", "t"))
        self.offsets, self.certified = header["offsets"], header["certified"]
        self.estimate = np.inf if header["estimate"] is None else header["estimate"]
        self.rng.bit_generator.state = header["rng"]
        self.u, self._lams = arrays["u"].copy(), arrays["lams"].copy()


def sgd(problem: Problem, reg: float, rng: Any = None, batch_size: int = 1) -> Sgd:
    """Pegasos; `averaged(sgd(...))` steadies it. Batches of several examples are answered together, on all threads."""
    return Sgd(problem, reg, rng, batch_size)
