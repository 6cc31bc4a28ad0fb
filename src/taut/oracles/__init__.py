"""Oracles: one example's plane of labels, asked questions."""

from .adversary import Adversary
from .compiled import Compiled
from .points import Points
from .protocol import Answer, Oracle
from .wrappers import OracleError, cached, checked

__all__ = ["Adversary", "Answer", "Compiled", "Oracle", "OracleError", "Points", "cached", "checked"]
