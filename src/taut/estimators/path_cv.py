"""C by cross-validation, along a path of values that starts each fit from the dual variables of the one before."""

import os
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..metrics import scorer
from .base import StructuredSVM

__all__ = ["PathCV"]


class PathCV(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator with the C that scores best in cross-validation, fitted to all examples: the `...CV` of every estimator of taut.

    On each fold the values are fitted from the smallest to the greatest, each from the dual variables of the one before. Of equal
    scores the smallest C is taken. `C` weighs a sum over examples, so the last fit takes C times the share that a fold trains on.

    Parameters
    ----------
    estimator : estimator of taut
        Its C is not read.
    Cs : sequence of float
        Positive.
    cv : int, splitter or iterable
        As in scikit-learn.
    scoring : str or callable, optional
        A name of `taut.metrics.scorer`, or `scorer(model, X, Y)`, greater is better; by default the estimator's `score`.

    Attributes
    ----------
    C_ : float
        The value that scored best on the folds.
    Cs_ : array (n_values,)
        Rising.
    scores_ : array (n_folds, n_values)
    best_estimator_ : estimator
        Fitted to all examples.
    """

    def __init__(
        self,
        estimator: StructuredSVM,
        *,
        Cs: Sequence[float] = (0.001, 0.01, 0.1, 1.0, 10.0),
        cv: Any = 3,
        scoring: str | Callable[..., float] | None = None,
    ) -> None:
        self.estimator = estimator
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring

    def fit(self, X: Any, Y: Any, sample_weight: Any = None) -> Self:
        """Choose C, then fit to all examples."""
        self.Cs_ = np.unique(np.asarray(self.Cs, dtype=np.float64))
        if self.Cs_.size == 0:
            raise ValueError("`Cs` must hold at least one value; found none.")
        self._scored_by()  # an unknown name is told before the fits
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        folds = list(check_cv(self.cv, Y, classifier=is_classifier(self.estimator)).split(X, Y))
        self.scores_ = np.array([self._scores(X, Y, weights, *fold) for fold in folds])
        self.C_ = float(self.Cs_[self.scores_.mean(axis=0).argmax()])
        share = float(np.mean([_total(weights, train) for train, _ in folds])) / _total(weights, np.arange(_length(X)))
        self.best_estimator_ = clone(self.estimator).set_params(C=self.C_ * share).fit(X, Y, weights)
        return self

    def _scores(self, X: Any, Y: Any, weights: Any, train: Any, test: Any) -> list[float]:
        """The scores of one fold's path."""
        model, found = clone(self.estimator).set_params(warm_start=True), []
        some = None if weights is None else weights[train]
        for C in self.Cs_.tolist():
            model.set_params(C=C).fit(_pick(X, train), _pick(Y, train), some)
            if model.status_ == "interrupted":  # Ctrl-C: the whole search ends, and not one fit of it
                raise KeyboardInterrupt
            found.append(float(self._scored_by()(model, _pick(X, test), _pick(Y, test))))
        return found

    def _scored_by(self) -> Callable[..., float]:
        if isinstance(self.scoring, str):
            return scorer(self.scoring)
        return self.scoring or type(self.estimator).score

    def predict(self, X: Any, clamp: Any = None) -> Any:
        """The best estimator's."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X, clamp)

    def predict_topk(self, X: Any, k: int) -> list[tuple[Any, npt.NDArray[np.float64]]]:
        """The best estimator's."""
        check_is_fitted(self)
        found: list[tuple[Any, npt.NDArray[np.float64]]] = self.best_estimator_.predict_topk(X, k)
        return found

    def score(self, X: Any, Y: Any, sample_weight: Any = None) -> float:
        """The score with which C was chosen."""
        check_is_fitted(self)
        if self.scoring is not None:
            return float(self._scored_by()(self.best_estimator_, X, Y))
        return float(self.best_estimator_.score(X, Y, sample_weight))

    @available_if(lambda self: hasattr(self.estimator, "decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """The best estimator's."""
        check_is_fitted(self)
        return self.best_estimator_.decision_function(X)

    def diagnosis(self) -> str:
        """The best estimator's, and whether C may lie beyond the values tried."""
        check_is_fitted(self)
        ends = {float(self.Cs_[0]): "smaller", float(self.Cs_[-1]): "greater"}
        more = f" C={self.C_:g} is the last value tried: try {ends[self.C_]} ones." if self.C_ in ends else ""
        return f"{self.best_estimator_.diagnosis()}{more}"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the best estimator to one file; `taut.load` gives it back."""
        check_is_fitted(self)
        self.best_estimator_.save(path)

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The best estimator's."""
        names: npt.NDArray[Any] = self.best_estimator_.classes_
        return names

    @property
    def n_features_in_(self) -> int:
        """The best estimator's."""
        return int(self.best_estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> npt.NDArray[Any]:
        """The best estimator's, where it has them."""
        names: npt.NDArray[Any] = self.best_estimator_.feature_names_in_
        return names

    def __sklearn_tags__(self) -> Any:
        """The estimator's, so that folds are made as for it."""
        tags = super().__sklearn_tags__()
        inner = self.estimator.__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = inner.estimator_type, inner.classifier_tags
        tags.target_tags, tags.input_tags = inner.target_tags, inner.input_tags
        return tags


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _total(weights: Any, ids: Any) -> float:
    return float(len(ids) if weights is None else weights[ids].sum())


def _pick(examples: Any, ids: Any) -> Any:
    """Some of the examples, of arrays, matrices, data frames and lists."""
    if hasattr(examples, "iloc"):
        return examples.iloc[ids]
    return examples[ids] if hasattr(examples, "shape") else [examples[i] for i in ids]
