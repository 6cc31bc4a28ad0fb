"""Label sets, with or without weights for pairs of labels."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from ..losses import Loss
from ..structures import MultiLabel, Potentials, chow_liu_tree
from .base import Examples, Reals
from .label_sets import SetSSVM, as_matrix, columns_of, is_list_of_sets, names_of_sets

__all__ = ["MultiLabelSSVM"]


class MultiLabelSSVM(SetSSVM):
    """A set of labels per example, scored by its labels and by pairs of them.

    Y is a 0/1 matrix (n_examples, n_labels), dense or sparse, or a list of sets of labels; predictions come in the same form.

    Parameters
    ----------
    edges : {"none", "tree", "full"} or array (m, 2)
        The pairs of labels that have a weight: none, those of the Chow-Liu tree of Y, all, or given pairs of columns.
    loss : str or Loss
        "hamming", "f1", "jaccard", "zero-one", or an object of `taut.losses`.

    C, rescaling, solver, search, tol, max_iter, max_time, oracle_tol, fit_intercept, class_weight, warm_start, callbacks,
    checkpoint, n_jobs, random_state, verbose
        As in `MulticlassSSVM`.

    Attributes
    ----------
    coef_, intercept_ : arrays (n_labels, n_features), (n_labels,)
    edges_ : array (m, 2)
        The pairs, as columns.
    pairwise_ : array (m,) or None
        Their weights.
    classes_ : array (n_labels,)
        The labels: numbers of columns, names of a data frame's columns, or the sets' elements.
    primal_objective_, dual_objective_, duality_gap_, n_iter_, history_, status_, n_features_in_
        As in `MulticlassSSVM`.
    """

    def __init__(
        self, *, edges: str | npt.ArrayLike = "none", C: float = 1.0, loss: str | Loss = "hamming", rescaling: str = "slack",
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
        self.edges = edges

    def _learn_labels(self, Y: Any, examples: Examples) -> None:
        self._sets = is_list_of_sets(Y)
        if self._sets:
            self.classes_ = names_of_sets(Y)
            matrix = self._from_sets(Y)
        else:
            matrix = as_matrix(Y)
            names = columns_of(Y)
            self.classes_ = np.arange(matrix.shape[1]) if names is None else np.asarray(names)
        if isinstance(self.edges, str) and self.edges == "tree":
            self.edges_ = chow_liu_tree(matrix)
            return
        if isinstance(self.edges, str) and self.edges not in ("none", "full"):
            raise ValueError(f"`edges` must be 'none', 'tree', 'full' or an array (m, 2) of label pairs; found {self.edges!r}.")
        self.edges_ = MultiLabel(len(self.classes_), self.edges).edges

    def _make_structure(self) -> MultiLabel:
        return MultiLabel(len(self.classes_), self.edges_)

    def _potentials(self, scores: Reals, examples: Examples) -> Potentials:
        thetas: Potentials = self._structure.potentials(scores, self.pairwise_)
        return thetas

    def decision_function(self, X: Any) -> Reals:
        """Margins of the labels (n, n_labels): the best score with the label on, minus the best with it off."""
        check_is_fitted(self)
        examples = self._read(X, reset=False)
        scores = self._scores(examples)
        return scores if self.pairwise_ is None else self._margins(self._potentials(scores, examples), examples.n)
