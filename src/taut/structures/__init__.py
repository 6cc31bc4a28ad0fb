"""Output structures: sets of labelings that decompose into parts, each with its exact argmax."""

from .base import BatchResult, Potentials, Structure
from .chain import Chain
from .custom import Custom

__all__ = ["BatchResult", "Chain", "Custom", "Potentials", "Structure"]
