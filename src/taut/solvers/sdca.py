"""Stochastic dual coordinate ascent (Shalev-Shwartz and Zhang 2013): each block solved as a small program over its atoms."""

from typing import Any

from ..kernels.passes import PAIRWISE
from .blocks import BlockSolver
from .problem import Problem
from .sampling import Sample, permutation

__all__ = ["sdca"]


def sdca(problem: Problem, reg: float, rng: Any = None, sample: Sample = permutation) -> BlockSolver:
    """Blocks solved to a fiftieth of their gap per visit; otherwise the scheme of `bcfw`."""
    return BlockSolver(problem, reg, rng, kind=PAIRWISE, solved=0.02, sample=sample)
