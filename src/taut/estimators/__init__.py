"""The scikit-learn face: what fits into pipelines, grid searches and cross-validation."""

from .per_sequence import PerSequence

__all__ = ["PerSequence"]
