"""Metrics of label sets over the nodes of a hierarchy: a label stands for all of its ancestors too."""

from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import connected_components

from .label_sets import Counts, LabelSets, Weights, are_sets, from_matrix, from_sets, number_names, paired, ratio

__all__ = ["hierarchical_f1", "path_loss"]


def hierarchical_f1(Y_true: LabelSets, Y_pred: LabelSets, sample_weight: Weights = None, *, hierarchy: Any) -> float:
    """F1 of all nodes together after both sides are closed under ancestors (Kiritchenko et al., 2006).

    For sets that are closed already it is `micro_f1`; 1 if nothing is true and nothing predicted.

    Parameters
    ----------
    Y_true, Y_pred : 0/1 array or sparse matrix (n, n_nodes), or list of n sets of node names
    sample_weight : array (n,), optional
    hierarchy : pairs (parent, child)
        Of columns, or of names where the labels are sets of names. Trees, forests, directed acyclic graphs.
    """
    counts = _closed(Y_true, Y_pred, sample_weight, hierarchy)
    both, true, found = (counts.weight @ count for count in counts.per_example())
    return float(ratio(2 * both, true + found))


def path_loss(Y_true: LabelSets, Y_pred: LabelSets, sample_weight: Weights = None, *, hierarchy: Any) -> float:
    """Mean number of nodes that are in one of the two sets only, after both are closed under ancestors; less is better.

    For one path each in a tree or forest (whose roots hang on a common node) it is the number of edges that lie
    between the true and the predicted node.

    Parameters
    ----------
    Y_true, Y_pred : 0/1 array or sparse matrix (n, n_nodes), or list of n sets of node names
    sample_weight : array (n,), optional
    hierarchy : pairs (parent, child)
        Of columns, or of names where the labels are sets of names.
    """
    counts = _closed(Y_true, Y_pred, sample_weight, hierarchy)
    both, true, found = counts.per_example()
    return float(np.average(true + found - 2 * both, weights=counts.weight))


def _closed(Y_true: LabelSets, Y_pred: LabelSets, sample_weight: Weights, hierarchy: Any) -> Counts:
    pairs = _pairs(hierarchy)
    if are_sets(Y_true) and are_sets(Y_pred):
        names = number_names(chain(pairs, Y_true, Y_pred))
        true, found = from_sets(Y_true, names), from_sets(Y_pred, names)
        pairs = [(names[parent], names[child]) for parent, child in pairs]
    else:
        true, found = from_matrix("Y_true", Y_true), from_matrix("Y_pred", Y_pred)
        paired(true, found, None)  # raises where the shapes differ
    up = _parents(pairs, true.shape[1])
    return paired(_with_ancestors(true, up), _with_ancestors(found, up), sample_weight)


def _pairs(hierarchy: Any) -> list[tuple[Any, Any]]:
    """The hierarchy as pairs, checked."""
    entries = hierarchy.tolist() if isinstance(hierarchy, np.ndarray) else hierarchy
    try:
        pairs = [tuple(pair) if not isinstance(pair, str) else () for pair in entries]
    except TypeError:
        pairs = [()]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"`hierarchy` must hold pairs (parent, child); found {hierarchy!r:.100}.")
    return [(parent, child) for parent, child in pairs]


def _parents(pairs: list[Any], n_nodes: int) -> Any:
    """The 0/1 matrix (child, parent)."""
    edges = np.array(pairs).reshape(-1, 2)
    if len(pairs) and (edges.dtype.kind not in "iu" or edges.min() < 0 or edges.max() >= n_nodes):
        raise ValueError(
            f"`hierarchy` must hold pairs of columns 0 to {n_nodes - 1} for 0/1 matrices (names only go with sets of names); "
            f"found {edges.ravel()[[0, -1]].tolist()} among them."
        )
    edges = np.unique(edges.astype(np.int64), axis=0)
    up = scipy.sparse.csr_array((np.ones(len(edges)), (edges[:, 1], edges[:, 0])), shape=(n_nodes, n_nodes))
    if (edges[:, 0] == edges[:, 1]).any() or connected_components(up, connection="strong", return_labels=False) < n_nodes:
        raise ValueError("`hierarchy` must have no cycle; found nodes that are above themselves. Drop an edge.")
    return up


def _with_ancestors(Y: Any, up: Any) -> Any:
    """Y and all ancestors of its labels; as many products as the hierarchy is deep."""
    while True:
        wider = (Y + Y @ up).sign().tocsr()
        if wider.nnz == Y.nnz:
            return wider
        Y = wider
