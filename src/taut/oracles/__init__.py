"""Oracles: one example's plane of labels, asked questions."""

from .adversary import Adversary
from .compiled import Compiled
from .milp import MILP, Program, TimeLimit
from .points import Points
from .protocol import Answer, Oracle
from .wrappers import OracleError, cached, checked

__all__ = [
    "MILP",
    "Adversary",
    "Answer",
    "Compiled",
    "Oracle",
    "OracleError",
    "Points",
    "Program",
    "TimeLimit",
    "cached",
    "checked",
]
