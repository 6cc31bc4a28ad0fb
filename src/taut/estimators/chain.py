"""Sequences: one label per position, with transitions."""

from ..structures import Chain, Potentials
from .base import Examples, Reals
from .sequences import RowsSSVM

__all__ = ["ChainSSVM"]


class ChainSSVM(RowsSSVM):
    """One label per row of a sequence, scored by rows and by transitions from label to label.

    X is a list with one array or CSR matrix (T_i, n_features) per sequence, or a pair (rows, offsets) of all rows end to end; Y a
    list with one sequence of labels each, texts or integers (with offsets also all labels end to end). Predictions are a list of
    arrays. Feature dictionaries go through `PerSequence(FeatureHasher())`.

    Parameters
    ----------
    loss : str or Loss
        "hamming" (the share of wrong positions), "zero-one", or `Hamming(normalize=False)`, `Cost(matrix)` of `taut.losses`.

    C, rescaling, solver, search, tol, max_iter, max_time, oracle_tol, fit_intercept, class_weight, warm_start, callbacks,
    checkpoint, n_jobs, random_state, verbose
        As in `MulticlassSSVM`.

    Attributes
    ----------
    coef_, intercept_ : arrays (n_states, n_features), (n_states,)
    pairwise_ : array (n_states, n_states)
        Weights of the transitions from previous to next.
    classes_ : array (n_states,)
        The labels.
    primal_objective_, dual_objective_, duality_gap_, n_iter_, history_, status_, n_features_in_
        As in `MulticlassSSVM`.
    """

    def _make_structure(self) -> Chain:
        return Chain(len(self.classes_))

    def _potentials(self, scores: Reals, examples: Examples) -> Potentials:
        thetas: Potentials = self._structure.potentials(scores, self.pairwise_, offsets=examples.offsets)
        return thetas

    def _shaped(self, shared: Reals) -> Reals:
        n_states = len(self.classes_)
        return shared.reshape(n_states, n_states)
