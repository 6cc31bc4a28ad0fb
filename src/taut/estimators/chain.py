"""Sequences: one label per position, with transitions."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..losses import Loss
from ..structures import Chain, Potentials
from .base import Examples, Reals
from .names import codes
from .sequences import RowsSSVM

__all__ = ["ChainSSVM"]


class ChainSSVM(RowsSSVM):
    """One label per row of a sequence, scored by rows and by transitions from label to label.

    X is a list with one array or CSR matrix (T_i, n_features) per sequence, or a pair (rows, offsets) of all rows end to end; Y a
    list with one sequence of labels each, texts or integers (with offsets also all labels end to end). Predictions are a list of
    arrays. Feature dictionaries go through `PerSequence(FeatureHasher())`.

    Parameters
    ----------
    transitions : None, "bio", or pairs of labels
        What predictions must not contain: pairs (previous, next); "bio" stands for chunks of B-x, I-x and O, where I-x follows only
        B-x and I-x, and does not come first. The fit is the same without.
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

    def __init__(
        self, *, transitions: Any = None, C: float = 1.0, loss: str | Loss = "hamming", rescaling: str = "slack",
        solver: str = "bcfw", search: Any = "auto", tol: float = 1e-3, max_iter: int = 1000, max_time: float | None = None,
        oracle_tol: float = 0.0, fit_intercept: bool = True, class_weight: Any = None, warm_start: bool = False,
        callbacks: Sequence[Callable[..., Any]] | None = None, checkpoint: Any = None, n_jobs: int | None = None,
        random_state: Any = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(
            C=C, loss=loss, rescaling=rescaling, solver=solver, search=search, tol=tol, max_iter=max_iter, max_time=max_time,
            oracle_tol=oracle_tol, fit_intercept=fit_intercept, class_weight=class_weight, warm_start=warm_start,
            callbacks=callbacks, checkpoint=checkpoint, n_jobs=n_jobs, random_state=random_state, verbose=verbose,
        )  # fmt: skip
        self.transitions = transitions

    def _make_structure(self) -> Chain:
        return Chain(len(self.classes_))

    def _potentials(self, scores: Reals, examples: Examples) -> Potentials:
        assert self.pairwise_ is not None
        moves, first = self._forbidden()
        thetas: Potentials = self._structure.potentials(scores, self.pairwise_ + moves, first, offsets=examples.offsets)
        return thetas

    def _forbidden(self) -> tuple[Reals, Reals]:
        """-inf for forbidden transitions and first labels, 0 for others."""
        n_states = len(self.classes_)
        moves, first = np.zeros((n_states, n_states)), np.zeros(n_states)
        if self.transitions is None:
            return moves, first
        if not isinstance(self.transitions, str):
            for pair in self.transitions:
                previous, after = codes("transitions", np.asarray(pair), self.classes_)
                moves[previous, after] = -np.inf
            return moves, first
        if self.transitions != "bio":
            raise ValueError(f"`transitions` must be None, 'bio' or pairs (previous, next); found {self.transitions!r}.")
        tags = [str(name).partition("-") for name in self.classes_]
        for k, (prefix, _, kind) in enumerate(tags):
            if prefix not in ("B", "I", "O") or (prefix == "O") == bool(kind):
                raise ValueError(f"with transitions='bio' labels must be 'O', 'B-x' or 'I-x'; found {self.classes_[k]!r}.")
            if prefix == "I":
                first[k] = -np.inf
                moves[[(before != "B" and before != "I") or other != kind for before, _, other in tags], k] = -np.inf
        return moves, first

    def _shaped(self, shared: Reals) -> Reals:
        n_states = len(self.classes_)
        return shared.reshape(n_states, n_states)
