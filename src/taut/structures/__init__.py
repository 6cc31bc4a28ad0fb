"""Output structures: sets of labelings that decompose into parts, each with its exact argmax."""

from .base import BatchResult, Potentials, Structure
from .chain import Chain
from .chow_liu import chow_liu_tree
from .custom import Custom
from .graph import Graph
from .hierarchy import Hierarchy
from .matching import Matching
from .multiclass import Multiclass
from .multilabel import MultiLabel
from .tree import Tree

__all__ = [
    "BatchResult",
    "Chain",
    "Custom",
    "Graph",
    "Hierarchy",
    "Matching",
    "MultiLabel",
    "Multiclass",
    "Potentials",
    "Structure",
    "Tree",
    "chow_liu_tree",
]
