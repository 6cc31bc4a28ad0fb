"""Callbacks of estimators: each is called as `callback(model, measure)` with the measured weights in the model."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..metrics import scorer
from ..solvers import Measure

__all__ = ["EarlyStopping", "Keep"]

Reals = npt.NDArray[np.float64]


class Keep(NamedTuple):
    """Weights that were measured; a callback that returns them ends the fit with them."""

    measure: Measure
    coef: Reals
    intercept: Reals
    pairwise: Reals | None

    @classmethod
    def of(cls, model: Any, measure: Measure) -> "Keep":
        """The weights that the model holds now."""
        return cls(measure, model.coef_, model.intercept_, model.pairwise_)


class EarlyStopping:
    """Ends a fit when the score on held-out examples has not risen for `patience` measurements, with the weights that scored best.

    Measurements are made after passes 0, 1, 2, 3, 4, 5, 7, 9, 12, ...; the certificate is that of the weights kept.

    Parameters
    ----------
    X, Y : examples and labels
        Held out.
    patience : int
    scoring : str or callable, optional
        A name of `taut.metrics.scorer`, or `scorer(model, X, Y)`, greater is better; by default the estimator's `score`.

    Attributes
    ----------
    scores_ : list of float
        One per measurement.
    """

    def __init__(self, X: Any, Y: Any, patience: int = 5, scoring: str | Callable[..., float] | None = None) -> None:
        if patience < 1:
            raise ValueError(f"`patience` must be at least 1; found {patience}.")
        self.X, self.Y, self.patience, self.scoring = X, Y, patience, scorer(scoring) if isinstance(scoring, str) else scoring
        self.scores_: list[float] = []

    def __call__(self, model: Any, measure: Measure) -> Keep | None:
        """Score the model; the best one so far where it is time to stop."""
        if measure.n_passes == 0:
            self.scores_ = []
        score = self.scoring(model, self.X, self.Y) if self.scoring else model.score(self.X, self.Y)
        if not self.scores_ or score > max(self.scores_):
            self._best = Keep.of(model, measure)
        self.scores_.append(float(score))
        return self._best if len(self.scores_) - 1 - int(np.argmax(self.scores_)) >= self.patience else None
