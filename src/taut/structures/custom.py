"""A structure of the user's own, in plain Python: the smallest set of methods, and what they buy."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..oracles import Answer, Oracle
from ..search import SearchResult, bisecting_search, lens_search, timed_search
from .base import Search
from .batch import check_limits

__all__ = ["Custom", "Scores"]


class Scores(NamedTuple):
    """What solvers pass to a structure in Python as theta: scores of the example's rows (rows, width), and the shared weights."""

    own: npt.NDArray[np.float64]
    shared: npt.NDArray[np.float64]


class Custom(ABC):
    """A structure written in Python: say how to score, how to lose, and how to decode with the loss as a bonus.

    `score`, `loss` and `argmax` suffice for the lambda-searches: their answers are then certified only where the tangent bound
    happens to close. Define `argmax_in_band` too, and `loss_augmented` is exact, by lens search. `losses`, where it is defined,
    lists the values that the loss can have and saves questions.

    To be trained it says what a label's score is the sum of: `width` scores per row of features, `n_shared` weights that all
    examples share, and `parts`. Solvers then call the methods above with theta a :class:`Scores`.
    """

    #: How many scores each row of features has.
    width: int = 1
    #: How many weights all examples share.
    n_shared: int = 0

    def parts(self, y: Any, n_rows: int) -> Any:
        """What `score` adds up: row * width + column for each score, n_rows * width + e for each shared weight. For training."""
        raise TypeError(f"{type(self).__name__} defines no `parts`, which training needs; see the docs, 'Add a structure'.")

    @abstractmethod
    def score(self, theta: Any, y: Any) -> float:
        """The score of a label."""

    @abstractmethod
    def loss(self, y_true: Any, y: Any) -> float:
        """The loss of predicting y where y_true is true; >= 0, and 0 for y_true itself."""

    @abstractmethod
    def argmax(self, theta: Any, target: Any, lam: float) -> Any:
        """A label of greatest score(y) + lam * loss(target, y): decoding with an additive bonus."""

    def argmax_in_band(self, theta: Any, target: Any, lam: float, lo: float, hi: float) -> Any:
        """The same among labels with lo < loss < hi, None where there is none. Optional: it makes the answers exact."""
        raise NotImplementedError

    def losses(self, target: Any) -> Any:
        """The values that the loss can have, sorted; empty where they are not listed. Optional."""
        return ()

    def oracle(self, theta: Any, target: Any) -> Oracle:
        """The plane of one example, for any search."""
        return _CustomOracle(self, theta, target)

    def loss_augmented(
        self,
        theta: Any,
        target: Any,
        rescaling: str = "slack",
        search: str | Search = "auto",
        lam: float | None = None,
        threshold: float = 0.0,
        tol: float = 0.0,
        max_queries: int | None = None,
        max_time: float | None = None,
    ) -> SearchResult:
        """The label that violates most; see `Structure.loss_augmented`. "auto" is lens search, or bisecting without bands."""
        oracle = self.oracle(theta, target)
        check_limits(1.0 if lam is None else lam, threshold, tol, max_queries, max_time)
        if rescaling == "margin":
            y, h, g = oracle.argmax(1.0)
            value, upper = h - 1.0 + g, max(h - 1.0 + g, 0.0)
            if value > max(threshold, 0.0):
                return SearchResult(y, h, g, value, upper, 1, True, ())
            return SearchResult(None, 1.0, 0.0, 0.0, upper, 1, True, ())
        if rescaling != "slack":
            raise ValueError(f"`rescaling` must be 'slack' or 'margin'; found {rescaling!r}.")
        if search == "auto":
            search = lens_search if self._has_bands() else bisecting_search
        if not callable(search):
            raise ValueError(f"`search` must be 'auto' or a search of taut.search; found {search!r}.")
        start = 1.0 if lam is None else lam
        return timed_search(search, oracle, max_time, lam=start, threshold=threshold, tol=tol, max_queries=max_queries)

    def _has_bands(self) -> bool:
        return type(self).argmax_in_band is not Custom.argmax_in_band


class _CustomOracle:
    def __init__(self, structure: Custom, theta: Any, target: Any) -> None:
        self._structure, self._theta, self._target = structure, theta, target
        self._f_target = structure.score(theta, target)
        self.losses = structure.losses(target)

    def _answer(self, y: Any) -> Answer:
        h = 1.0 + self._structure.score(self._theta, y) - self._f_target
        return Answer(y, h, self._structure.loss(self._target, y))

    def argmax(self, lam: float) -> Answer:
        return self._answer(self._structure.argmax(self._theta, self._target, lam))

    def argmax_in_band(self, lam: float, lo: float, hi: float) -> Answer | None:
        if not self._structure._has_bands():
            raise TypeError(f"{type(self._structure).__name__} defines no `argmax_in_band`; define it, or use bisecting_search.")
        y = self._structure.argmax_in_band(self._theta, self._target, lam, lo, hi)
        return None if y is None else self._answer(y)

    def argmax_in_cone(self, lam: float, cone: Any) -> Answer | None:
        raise TypeError(f"{type(self._structure).__name__} offers no cones; use lens_search.")

    def extremes(self) -> tuple[Answer, Answer]:
        raise TypeError(f"{type(self._structure).__name__} offers no extremes; no search needs them.")
