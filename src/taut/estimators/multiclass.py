"""Classes: one of K."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..losses import Loss, resolve
from ..structures import Multiclass, Potentials
from .arrays import ArraySSVM
from .base import Examples, Reals
from .names import codes

__all__ = ["MulticlassSSVM"]


class MulticlassSSVM(ClassifierMixin, ArraySSVM):  # type: ignore[misc]
    r"""One class per example. Minimises :math:`\tfrac12 |w|^2 + C \sum_i s_i H_i(w)`, with a certificate.

    Parameters
    ----------
    C : float
        How loud the data speak against the regulariser; positive.
    loss : str or Loss
        What a wrong label costs: "hamming" (for classes the same as "zero-one") or an object of `taut.losses`, such as `Cost`.
    rescaling : {"slack", "margin"}
        The surrogate: :math:`\max_y h(y) g(y)`, or :math:`\max_y h(y) - 1 + g(y)`.
    solver : {"bcfw", "sgd", "sdca", "cutting-plane"}
        How the objective is minimised; the certificate is the same.
    search : "auto", "lens", "angular", "bisecting", "binary", "sarawagi", or a search of `taut.search`
        How the label of greatest :math:`h g` is found; "auto" is the structure's own exact method.
    tol : float
        `fit` stops when the gap is at most tol times the objective.
    max_iter : int
        Greatest number of passes over the examples; with a `ConvergenceWarning` where they are not enough.
    max_time : float, optional
        Greatest number of seconds.
    oracle_tol : float
        Relative tolerance of the oracles' answers; the certificate pays for it.
    fit_intercept : bool
        Whether there is a constant feature, regularised like the others.
    class_weight : dict, "balanced" or None
        Weights of classes, multiplied with the sample weights.
    warm_start : bool
        Go on from the last fit's dual variables where the data are the same.
    callbacks : list of callables, optional
        Each called as `callback(model, measure)` after every measurement, the model holding the weights that were measured; one
        that returns True stops the fit.
    checkpoint : str, path or Checkpoint, optional
        A file in which the run is kept, and from which it goes on where it exists.
    n_jobs : int, optional
        Threads; -1 for all cores. The result is the same, bit for bit.
    random_state : int, Generator or RandomState, optional
        Order of the examples; None is seed 0.
    verbose : int
        Whether to show progress.

    Attributes
    ----------
    coef_, intercept_ : arrays (n_classes, n_features), (n_classes,)
    classes_ : array (n_classes,)
    primal_objective_, dual_objective_, duality_gap_ : float
        The objective at the weights, a lower bound of its minimum, and their difference.
    n_iter_ : int
        Passes made.
    history_ : tuple of Measure
        What was measured during the fit.
    status_ : str
        "converged", "max_iter", "max_time", "interrupted" or "stopped".
    n_features_in_ : int
    """

    def _learn_labels(self, Y: Any, examples: Examples) -> None:
        self.classes_ = np.unique(_column(Y))

    def _encode(self, Y: Any, examples: Examples) -> list[int]:
        found = _column(Y)
        if len(found) != examples.n:
            raise ValueError(f"`Y` must hold one class per row of `X` ({examples.n}); it has {len(found)}.")
        return list(codes("Y", found, self.classes_).tolist())

    def _weights(self, sample_weight: Any, labels: list[Any], n: int) -> Reals:
        """Sample weights times class weights."""
        weights = super()._weights(sample_weight, labels, n)
        if self.class_weight is None or weights.shape != (n,):
            return weights
        return np.asarray(weights * compute_sample_weight(self.class_weight, self.classes_[labels]))

    def _loss(self, labels: list[Any]) -> Loss:
        return resolve(self.loss)

    def _make_structure(self) -> Multiclass:
        return Multiclass(len(self.classes_))

    def _clamped(self, i: int, known: Any) -> int:
        return -1 if known is None else int(codes(f"clamp[{i}]", np.asarray([known]), self.classes_)[0])

    def _potentials(self, scores: Reals, examples: Examples) -> Potentials:
        thetas: Potentials = self._structure.potentials(scores)
        return thetas

    def _restore(self, labels: list[int]) -> Any:
        return self.classes_[np.asarray(labels, dtype=np.int64)]

    def score(self, X: Any, Y: Any = None, sample_weight: Any = None, *, y: Any = None) -> float:
        """Share of the examples whose class is right."""
        return float(super().score(X, y if Y is None else Y, sample_weight))

    def decision_function(self, X: Any) -> Reals:
        """Scores of the classes (n, n_classes); of two classes the difference, second minus first, (n,)."""
        check_is_fitted(self)
        scores = self._scores(self._read(X, reset=False))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores


def _column(Y: Any) -> Any:
    if Y is None:
        raise ValueError("requires y to be passed, but the target y is None: `Y` must hold one class per row of `X`.")
    if isinstance(Y, (list, tuple)) and len({isinstance(label, str) for label in Y}) > 1:
        raise ValueError("`Y` must hold labels that are all texts or all numbers; found both.")
    found = column_or_1d(Y, warn=True)
    if found.dtype == object:
        missing = [i for i, label in enumerate(found.tolist()) if label is None or label != label]
        if missing:
            raise ValueError(f"`Y` must hold a class for every row of `X`; `Y[{missing[0]}]` is missing. Leave such rows out.")
    check_classification_targets(found)
    return found
