"""Solvers: streams of passes under one driver."""

from .averaging import averaged
from .bcfw import bcfw, plain_bcfw
from .blocks import BlockSolver
from .checkpoint import Checkpoint
from .cutting_plane import OneSlack, n_slack, one_slack
from .drive import Fit, Measure, Solver, minimise, path
from .problem import Problem
from .progress import Progress
from .sampling import by_gap, permutation, uniform
from .sdca import sdca
from .sgd import Sgd, sgd

__all__ = [
    "BlockSolver",
    "Checkpoint",
    "Fit",
    "Measure",
    "OneSlack",
    "Problem",
    "Progress",
    "Sgd",
    "Solver",
    "averaged",
    "bcfw",
    "by_gap",
    "minimise",
    "n_slack",
    "one_slack",
    "path",
    "permutation",
    "plain_bcfw",
    "sdca",
    "sgd",
    "uniform",
]
