"""The scikit-learn face: what fits into pipelines, grid searches and cross-validation."""

from .advice import Cost
from .callbacks import EarlyStopping, Keep
from .chain import ChainSSVM
from .files import NotSaved, load
from .graph import GraphSSVM
from .hierarchical import HierarchicalSSVM
from .matching import MatchingSSVM
from .multiclass import MulticlassSSVM
from .multilabel import MultiLabelSSVM
from .path_cv import PathCV
from .per_sequence import PerSequence
from .tree import TreeSSVM

__all__ = [
    "ChainSSVM",
    "Cost",
    "EarlyStopping",
    "GraphSSVM",
    "HierarchicalSSVM",
    "Keep",
    "MatchingSSVM",
    "MultiLabelSSVM",
    "MulticlassSSVM",
    "NotSaved",
    "PathCV",
    "PerSequence",
    "TreeSSVM",
    "load",
]
