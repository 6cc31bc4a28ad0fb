"""Oracles: one example's plane of labels, asked questions."""

from .adversary import Adversary
from .compiled import Compiled
from .milp import MILP, Program, TimeLimit
from .min_cut import Cut, MinCut
from .points import Points
from .protocol import Answer, Oracle
from .wrappers import OracleError, cached, checked

__all__ = [
    "MILP",
    "Adversary",
    "Answer",
    "Compiled",
    "Cut",
    "MinCut",
    "Oracle",
    "OracleError",
    "Points",
    "Program",
    "TimeLimit",
    "cached",
    "checked",
]
