"""Training and judging: a path of regularisers, the one that is best on held-out examples, and a fit to all."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import metrics
from ..features import split_weights
from ..kernels.passes import PAIRWISE
from ..losses import Loss
from ..solvers import BlockSolver, Problem, bcfw, minimise, path
from ..solvers.blocks import Cheap
from ..structures import Hierarchy, MultiLabel

__all__ = ["METRICS", "REGS", "Chosen", "chosen", "cutting_plane", "judged", "predicted"]

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: The paper's four columns in its reading (NOTES E40), then the mean of F1 over labels.
METRICS = {
    "Acc": metrics.jaccard_accuracy,
    "Label loss": metrics.hamming_loss,
    "MiF1": metrics.micro_f1,
    "MaF1": metrics.example_f1,
    "label F1": metrics.macro_f1,
}


#: Regularisers to choose from, strong first. With the normalised Hamming loss margin rescaling asks for margins of a share of
#: one wrong label, slack rescaling for margins of one, so that the good values lie far apart.
REGS = {"slack": (0.01, 0.003, 0.001, 0.0003, 0.0001, 0.00003), "margin": (0.3, 0.1, 0.03, 0.01, 0.003, 0.001)}


class Chosen(NamedTuple):
    """Weights for the regulariser that was best on held-out examples, and what is proved about the fit."""

    problem: Problem
    w: Reals
    reg: float
    gap: float
    passes: int


def chosen(
    structure: MultiLabel | Hierarchy, X: Any, Y: Ints, loss: Loss, rescaling: str, regs: tuple[float, ...], judge: str,
    n_valid: int, seed: int, tol: float, max_iter: int, metric_of: Any = None,
) -> Chosen:  # fmt: skip
    """Hold out `n_valid` examples, take the regulariser of best `judge` on them, and fit to all examples with it.

    `metric_of` picks the columns of Y that are judged; by default all.
    """
    order = np.random.default_rng([seed, 7]).permutation(len(Y))
    fit, held = np.sort(order[n_valid:]), np.sort(order[:n_valid])
    part = Problem(structure, X[fit], list(Y[fit]), loss, rescaling)
    scores = []
    for reg, found in path(bcfw(part, regs[0]), regs, tol=tol, max_iter=max_iter):
        value = METRICS[judge](_columns(Y[held], metric_of), _columns(predicted(structure, part, found.w, X[held]), metric_of))
        scores.append((-value if judge == "Label loss" else value, reg))
    best = max(scores)[1]
    whole = Problem(structure, X, list(Y), loss, rescaling)
    found = minimise(bcfw(whole, best), tol=tol, max_iter=2 * max_iter)
    return Chosen(whole, found.w, best, found.gap / found.primal, found.n_passes)


def cutting_plane(problem: Problem, reg: float, block: int, slack: float = 0.0) -> BlockSolver:
    """n-slack cutting planes, as published: no momentum; `block` examples are asked before their restricted dual is solved."""
    cheap = Cheap(0.1, np.inf)
    return BlockSolver(problem, reg, None, kind=PAIRWISE, solved=0.02, cheap=cheap, block=block, slack=slack, inertia=0.0)


def predicted(structure: MultiLabel | Hierarchy, problem: Problem, w: Reals, X: Any) -> Ints:
    """The labels of greatest score."""
    coef, intercept, shared = split_weights(problem.rows, w)
    scores = np.asarray(X @ coef.T + intercept)
    thetas = structure.potentials(scores, shared) if isinstance(structure, MultiLabel) else structure.potentials(scores)
    return np.stack(structure.decode_many(thetas))


def judged(true: Ints, found: Ints, columns: Any = None) -> dict[str, float]:
    """All metrics."""
    return {name: metric(_columns(true, columns), _columns(found, columns)) for name, metric in METRICS.items()}


def _columns(Y: Ints, columns: Any) -> Ints:
    return Y if columns is None else Y[:, columns]
