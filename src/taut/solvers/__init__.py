"""Solvers: streams of passes under one driver."""

from .averaging import averaged
from .bcfw import bcfw, plain_bcfw
from .checkpoint import Checkpoint
from .cutting_plane import n_slack, one_slack
from .drive import Fit, Measure, Solver, minimise, path
from .problem import Problem
from .progress import Progress
from .sampling import by_gap, permutation, uniform
from .sdca import sdca
from .sgd import sgd

__all__ = [
    "Checkpoint",
    "Fit",
    "Measure",
    "Problem",
    "Progress",
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
