"""The dual state of solvers with atoms: weights, atoms, and the memory of each example."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import atoms as kernel
from ..kernels import momentum, passes
from .problem import Answers, Problem

__all__ = ["Dual"]

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def _room(n: int, slots: int, places: int, crosses: int) -> kernel.Atoms:
    return kernel.Atoms(
        np.full(n, -1, np.int64), np.zeros(n, np.int64), np.zeros((slots, 3)), np.zeros((slots, 7), np.int64),
        np.zeros(places, np.int32), np.zeros(places), np.zeros(crosses), np.zeros(crosses, np.int64), np.array([0, -1, 0, 0, 0]),
    )  # fmt: skip


class Dual:
    r"""w and the atoms that it is made of.

    Of each example also the multiplier to start from, its gap when last seen, and its gap when its oracle last answered.

    Steps are those of the proximal problem :math:`P(w) + \tfrac\kappa2 |w - y|^2` whose centre y `extrapolate` moves with
    Nesterov's momentum: with :math:`v = \tfrac1{reg} \sum_i \omega_i A_i' D_i`, the weights that the dual variables stand for,

    .. math:: w = \frac{reg\, v + \kappa\, y}{reg + \kappa}.

    The duality gap of (w, dual variables) is the sum of the blocks' gaps at w and :math:`\tfrac{reg}2 |w - v|^2`. `inertia` is
    kappa / reg; at 0, w = v.
    """

    def __init__(self, problem: Problem, reg: float, inertia: float = 0.0) -> None:
        if not 0.0 < reg < np.inf:
            raise ValueError(f"`reg` must be positive and finite; found {reg}.")
        self.problem, self.reg, self.inertia = problem, float(reg), float(inertia)
        n = problem.n_examples
        self.w = np.zeros(problem.n_weights)
        self._centre, self._before = (np.zeros(problem.n_weights if inertia else 0) for _ in range(2))
        self._work = np.zeros(problem.n_weights)
        self.atoms = _room(n, 2 * n + 64, 16 * n + 64, 4 * n + 64)
        self.lams = problem.first_lams.copy()
        self.gaps, self.shown = np.zeros(n), np.zeros(n)

    def answer(self, ids: Ints, slack: float = 0.0) -> Answers:
        """Ask the oracles of these examples for labels that beat their atoms by more than `slack`."""
        answers = self.problem.answers(ids)
        self.problem.answer(answers, self.w, self.atoms, self.lams, slack=slack)
        return answers

    def step(self, answers: Answers, kind: int, solved: float = 1.0, most_idle: int = 20) -> tuple[float, float]:
        """Make the steps of answered examples, in order; see `passes.steps`. Returns the dual's gain and the operations."""
        self._make_room(answers)
        p, gain, operations, reg = self.problem, 0.0, 0.0, (1.0 + self.inertia) * self.reg
        for first, last in p.stretches(answers.ids):
            more, work = passes.steps(
                p.calls, p.examples, p.rows, self.atoms, self.w, reg, kind, solved, most_idle, answers.ids, first, last,
                answers.labels, answers.labels_at, answers.outs, answers.found, self.gaps, self._work,
            )  # fmt: skip
            gain, operations = gain + more, operations + work
            p.tick()
        return gain, operations

    def learn(self, answers: Answers, kind: int, solved: float) -> None:
        """The steps of examples whose oracles have answered."""
        self.step(answers, kind, solved)
        self.shown[answers.ids] = self.gaps[answers.ids]

    def revisit(self, ids: Ints, solved: float, most_idle: int = 20) -> tuple[float, float]:
        """Steps among the atoms alone."""
        return self.step(Answers(ids, np.zeros_like(self.problem.label_sizes)), passes.PAIRWISE, solved, most_idle)

    def extrapolate(self) -> float:
        """Move the centre ahead of w. Returns about how many operations it took."""
        if self.inertia == 0.0:
            return 0.0
        root = np.sqrt(1.0 + self.inertia)
        momentum.extrapolate(self.w, self._centre, self._before, (root - 1.0) / (root + 1.0), self.inertia / (1.0 + self.inertia))
        return 2.0 * len(self.w)

    @property
    def v(self) -> Reals:
        """The weights that the dual variables stand for."""
        return (1.0 + self.inertia) * self.w - self.inertia * self._centre if self.inertia else self.w

    def gap(self, gaps: Reals) -> float:
        """P(w) minus the dual objective where the blocks have these gaps: `gaps`, among the atoms alone, or `shown`."""
        gap = float(self.problem.omega @ gaps)
        if self.inertia:
            gap += 0.5 * self.reg * self.inertia**2 * float(momentum.apart(self.w, self._centre, 1.0, 1.0))
        return gap

    def value(self) -> float:
        """The dual objective: a lower bound of the primal's minimum."""
        total, _ = kernel.linear(self.atoms, self.problem.omega)
        if self.inertia == 0.0:
            return float(total) - self.norm()
        return float(total) - 0.5 * self.reg * float(momentum.apart(self.w, self._centre, 1.0 + self.inertia, self.inertia))

    @property
    def n_atoms(self) -> int:
        """How many atoms have weight."""
        return int(kernel.linear(self.atoms, self.problem.omega)[1])

    def norm(self) -> float:
        """reg / 2 |w|^2."""
        return 0.5 * self.reg * float(self.w @ self.w)

    def rescale(self, reg: float) -> None:
        """Go on under another regulariser, at rest: the same dual variables stand for other weights."""
        self.w = self.reg / reg * self.v
        self.reg = float(reg)
        self._rest()

    def refresh(self) -> None:
        """Compute v from the atoms anew, so that rounding does not add up over many steps, and go on from there, at rest."""
        p = self.problem
        passes.adjoint(p.examples, p.rows, self.atoms, self.reg, self.w)
        self._rest()

    def _rest(self) -> None:
        if self.inertia:
            self._centre[:] = self._before[:] = self.w

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All that a checkpoint needs."""
        own = {"w": self.w, "lams": self.lams, "gaps": self.gaps, "shown": self.shown, "centre": self._centre}
        own["before"] = self._before
        return {**own, **{f"atoms_{k}": v for k, v in self.atoms._asdict().items()}}

    def restore(self, arrays: dict[str, Any]) -> None:
        """Read back what `arrays` gave."""
        self.w, self.lams, self.gaps, self.shown = (arrays[name].copy() for name in ("w", "lams", "gaps", "shown"))
        self._centre, self._before = arrays["centre"].copy(), arrays["before"].copy()
        self.atoms = kernel.Atoms(*(arrays[f"atoms_{name}"].copy() for name in kernel.Atoms._fields))

    def _make_room(self, answers: Answers) -> None:
        """Room for an atom per answer: compact the lists when they are full, and grow them where that is not enough."""
        atoms, found = self.atoms, answers.ids[answers.found > 0]
        used = atoms.used[[kernel.SLOTS, kernel.PLACES, kernel.CROSSES]]
        more = np.array([len(found), 3 * self.problem.calls.most_parts[found].sum(), (atoms.length[found] + 1).sum()])
        if (used + more <= [len(atoms.numbers), len(atoms.places), len(atoms.cross)]).all():
            return
        fresh = _room(len(atoms.head), *(int(size) for size in 2 * (used + more)))
        kernel.compacted(atoms, fresh)
        self.atoms = fresh
