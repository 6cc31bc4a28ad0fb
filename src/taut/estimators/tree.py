"""Trees: one label per node, with weights along the edges."""

from ..structures import Tree
from .edges import EdgesSSVM

__all__ = ["TreeSSVM"]


class TreeSSVM(EdgesSSVM):
    """One label per node of a tree or forest, scored by nodes and by pairs of labels along the edges.

    X is a list with one pair (features, edges) per example: an array or CSR matrix (nodes, n_features), and an array (m, 2) of node
    numbers, first and second end; Y a list with one sequence of labels each, texts or integers. Predictions are a list of arrays.

    Parameters
    ----------
    loss : str or Loss
        "hamming" (the share of wrong nodes), "zero-one", or `Hamming(normalize=False)`, `Cost(matrix)` of `taut.losses`.

    C, rescaling, solver, search, tol, max_iter, max_time, oracle_tol, fit_intercept, class_weight, warm_start, callbacks,
    checkpoint, n_jobs, random_state, verbose
        As in `MulticlassSSVM`.

    Attributes
    ----------
    coef_, intercept_ : arrays (n_states, n_features), (n_states,)
    pairwise_ : array (n_states, n_states)
        Weights of the labels at an edge's first and second end.
    classes_ : array (n_states,)
        The labels.
    primal_objective_, dual_objective_, duality_gap_, n_iter_, history_, status_, n_features_in_
        As in `MulticlassSSVM`.
    """

    def _make_structure(self) -> Tree:
        return Tree(len(self.classes_))
