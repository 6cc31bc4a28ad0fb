"""Cutting planes (Joachims, Finley, Yu 2009): all violated labels of a round at once, then the restricted dual, solved.

With ``Problem(search=sarawagi_search)`` (or any search) as separation oracle this is the paper's baseline; what an inexact search
may have missed stays in the primal by its bound, so that the gap remains a certificate.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import passes
from ..kernels.passes import KEEP, PAIRWISE
from ..kernels.simplex import solve_simplex
from .blocks import BlockSolver, Cheap
from .dual import Dual
from .problem import Answers, Problem

__all__ = ["OneSlack", "n_slack", "one_slack"]

Reals = npt.NDArray[np.float64]

_INNER = 0.1  # the restricted dual is solved to this share of the gap that the round has shown
_ROUNDING = 1e-13  # of the greatest offset: gaps below are noise
_MOST_IDLE = 50  # rounds after which a plane, or a cached label, of no use is forgotten


def n_slack(problem: Problem, reg: float, rng: Any = None, eps: float = 0.0) -> BlockSolver:
    """One slack variable per example: each round asks all oracles at the same w for labels that violate by more than eps.

    The restricted dual is solved by cyclic passes over the atoms.
    """
    if not 0.0 <= eps < np.inf:
        raise ValueError(f"`eps` must be finite and >= 0; found {eps}.")
    return BlockSolver(
        problem, reg, rng, kind=PAIRWISE, solved=0.02, cheap=Cheap(_INNER, np.inf), block=problem.n_examples, slack=eps
    )


class OneSlack:
    r"""One slack variable for all: a round's labels are summed up to one plane :math:`b_k - \langle a_k, w \rangle`.

    The dual is one simplex over the planes. Labels are cached: while the best plane of cached labels still rises well above
    the planes at hand, it is taken and no oracle is asked. Planes are dense vectors: memory is their number times w's size.
    """

    def __init__(self, problem: Problem, reg: float) -> None:
        self.problem, self.reg = problem, float(reg)
        self._cache = Dual(problem, reg)  # its atoms have no weight
        self.normals, self.offsets = np.zeros((1, problem.n_weights)), np.zeros(1)  # the targets' plane
        self.products, self.beta, self.idle = np.zeros((1, 1)), np.ones(1), np.zeros(1, np.int64)
        self.estimate, self.dual, self.n_queries, self.certified = np.inf, 0.0, 0, 1.0
        self._kept: Answers | None = None

    @property
    def w(self) -> Reals:
        return self._cache.w

    def advance(self) -> None:
        """One round: a plane from the cache or from the oracles, and the dual over all planes."""
        if not (self._kept is None and np.isfinite(self.estimate) and self._add_cached()):
            self._add_exact()
        self._solve()

    def _add_cached(self) -> bool:
        """Add the plane of the best cached labels if it promises half of what the last exact one did."""
        p, normal = self.problem, np.zeros(self.problem.n_weights)
        offset = passes.best_kept(p.calls, p.examples, p.rows, self._cache.atoms, self.w, normal)
        if offset - normal @ self.w - self._height() <= 0.5 * self.estimate:
            return False
        self._add(normal, offset)
        return True

    def _add_exact(self) -> None:
        answers, self._kept = self._kept or self._ask(), None
        p, normal = self.problem, np.zeros(self.problem.n_weights)
        self.estimate = max(p.surrogate(answers) - self._height(), 0.0)
        self._cache.step(answers, KEEP, most_idle=_MOST_IDLE)
        self._add(normal, passes.best_kept(p.calls, p.examples, p.rows, self._cache.atoms, self.w, normal))

    def _height(self) -> float:
        """The slack: the greatest plane at w."""
        return float((self.offsets - self.normals @ self.w).max())

    def _add(self, normal: Reals, offset: float) -> None:
        column = self.normals @ normal
        self.products = np.block([[self.products, column[:, None]], [column[None, :], np.array([[normal @ normal]])]])
        self.normals, self.offsets = np.vstack([self.normals, normal]), np.append(self.offsets, offset)
        self.beta, self.idle = np.append(self.beta, 0.0), np.append(self.idle, 0)

    def _solve(self) -> None:
        slope = self.offsets - self.products @ self.beta / self.reg
        tol = _INNER * max(float(slope.max() - self.beta @ slope), 0.0)
        gain = np.inf
        while slope.max() - self.beta @ slope > max(2.0 * tol, _ROUNDING * np.abs(self.offsets).max()) and gain > 0.0:
            gain = solve_simplex(self.beta, slope, self.products, len(slope), 1.0 / self.reg, tol, 10_000)
            self.problem.tick()
            slope = self.offsets - self.products @ self.beta / self.reg  # without the rounding of many updates
        self.idle = np.where(self.beta > 0, 0, self.idle + 1)
        stay = self.idle <= _MOST_IDLE
        stay[0] = True
        if not stay.all():
            self.normals, self.offsets = self.normals[stay], self.offsets[stay]
            self.beta, self.idle = self.beta[stay], self.idle[stay]
            self.products = self.products[np.ix_(stay, stay)].copy()
        self._cache.w = self.beta @ self.normals / self.reg
        self.dual = float(self.beta @ self.offsets) - self._cache.norm()

    def _ask(self) -> Answers:
        answers = self._cache.answer(np.arange(self.problem.n_examples))
        self.n_queries += answers.n_queries
        return answers

    def primal(self) -> float:
        """The primal objective at w; its answers are the next round's."""
        if self._kept is None:
            self._kept = self._ask()
            self.certified = self._kept.certified
        return self._cache.norm() + self.problem.surrogate(self._kept)

    def rescale(self, reg: float) -> None:
        """Go on under another regulariser with the same planes."""
        self._cache.rescale(reg)
        self.reg, self._kept, self.estimate = float(reg), None, np.inf
        self.dual = float(self.beta @ self.offsets) - self._cache.norm()

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        estimate = None if np.isinf(self.estimate) else self.estimate
        header = {"reg": self.reg, "dual": self.dual, "n_queries": self.n_queries, "estimate": estimate}
        header["certified"] = self.certified
        own = {name: getattr(self, name) for name in ("normals", "offsets", "products", "beta", "idle")}
        kept = {} if self._kept is None else {f"kept_{name}": array for name, array in self._kept.arrays().items()}
        return header, {**self._cache.arrays(), **own, **kept}

    def restore(self, header: dict[str, Any], arrays: dict[str, Any]) -> None:
        self.reg = self._cache.reg = header["reg"]
        self.dual, self.n_queries, self.certified = (header[name] for name in ("dual", "n_queries", "certified"))
        self.estimate = np.inf if header["estimate"] is None else header["estimate"]
        self._cache.restore(arrays)
        self.normals, self.offsets, self.products = (arrays[name].copy() for name in ("normals", "offsets", "products"))
        self.beta, self.idle = arrays["beta"].copy(), arrays["idle"].copy()
        kept = {name.removeprefix("kept_"): array for name, array in arrays.items() if name.startswith("kept_")}
        self._kept = Answers.restored(kept, self.problem.label_sizes) if kept else None


def one_slack(problem: Problem, reg: float) -> OneSlack:
    """The 1-slack cutting plane method with a cache of labels."""
    return OneSlack(problem, reg)
