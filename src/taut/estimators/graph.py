"""Graphs: one label per node, with weights along the edges."""

from ..structures import Graph
from .edges import EdgesSSVM

__all__ = ["GraphSSVM"]

_MOST = 50  # relaxations of one argmax, and of one prediction


class GraphSSVM(EdgesSSVM):
    """One label per node of any graph, scored by nodes and by pairs of labels along the edges.

    X is a list with one pair (features, edges) per example: an array or CSR matrix (nodes, n_features), and an array (m, 2) of node
    numbers, first and second end; Y a list with one sequence of labels each, texts or integers. Predictions are a list of arrays.

    The argmax is NP-hard, and for more than two labels or labels that repel so is prediction: both are cut off after 50 relaxations
    (minimum cuts, or dual bounds). The argmax's bound still makes the duality gap a certificate. For trees use `TreeSSVM`.

    Parameters
    ----------
    loss : str or Loss
        "hamming" (the share of wrong nodes), "zero-one", or `Hamming(normalize=False)` of `taut.losses`.

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

    def _make_structure(self) -> Graph:
        return Graph(len(self.classes_), max_relaxations=_MOST)
