"""Block-coordinate Frank-Wolfe (Lacoste-Julien et al. 2013) and its pairwise relative over atoms (Osokin et al. 2016)."""

from typing import Any

from ..kernels.passes import PAIRWISE, TOWARD
from .blocks import BlockSolver, Cheap
from .problem import Problem
from .sampling import Sample, permutation

__all__ = ["bcfw", "plain_bcfw"]


def bcfw(problem: Problem, reg: float, rng: Any = None, sample: Sample = permutation) -> BlockSolver:
    """Accelerated pairwise steps with exact line search over each block's atoms, and cheap passes: the default solver.

    Each visit makes pairwise steps until the block's own gap is a fifth of what it was: one pairwise step needs its inner products
    anyway, and solving the block further gains nothing until the other blocks have moved.
    """
    return BlockSolver(problem, reg, rng, kind=PAIRWISE, solved=0.2, sample=sample)


def plain_bcfw(problem: Problem, reg: float, rng: Any = None, sample: Sample = permutation) -> BlockSolver:
    """One Frank-Wolfe step with exact line search per oracle call and nothing else: the method as first published."""
    return BlockSolver(problem, reg, rng, kind=TOWARD, cheap=Cheap(1.0, 0.0), inertia=0.0, sample=sample)
