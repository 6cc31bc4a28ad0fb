"""Examples that are pairs (features, edges): one label per node, with weights along the edges."""

from typing import Any

import numpy as np

from ..structures import Potentials
from .base import Examples, Reals
from .sequences import RowsSSVM

__all__ = ["EdgesSSVM"]


class EdgesSSVM(RowsSSVM):
    """The part that estimators of trees and of graphs share."""

    def _read(self, X: Any, reset: bool) -> Examples:
        if isinstance(X, (str, bytes, dict)) or not hasattr(X, "__len__"):
            raise ValueError(f"`X` must be a list with one pair (features, edges) per example; found {type(X).__name__}.")
        for i, example in enumerate(X):
            if not isinstance(example, (tuple, list)) or len(example) != 2:
                raise ValueError(f"`X[{i}]` must be a pair (features, edges); found {type(example).__name__}.")
        examples = super()._read([features for features, _ in X], reset)
        edges = tuple(_edges(i, pairs) for i, (_, pairs) in enumerate(X))
        return examples._replace(edges=edges)

    def _potentials(self, scores: Reals, examples: Examples) -> Potentials:
        thetas: Potentials = self._structure.potentials(scores, self.pairwise_, examples.edges, examples.offsets)
        return thetas

    def _shaped(self, shared: Reals) -> Reals:
        n_states = len(self.classes_)
        return shared.reshape(n_states, n_states)


def _edges(i: int, pairs: Any) -> Any:
    edges = np.asarray(pairs)
    if edges.size == 0:
        return np.empty((0, 2), np.int64)
    if edges.ndim != 2 or edges.shape[1] != 2 or not np.issubdtype(edges.dtype, np.integer):
        raise ValueError(f"the edges of `X[{i}]` must be pairs of node numbers, (m, 2); found {edges.shape} of {edges.dtype}.")
    return edges.astype(np.int64)
