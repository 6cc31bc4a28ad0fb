"""Label graphs that are too wide for anything else: each question an integer program (NOTES E26)."""

import contextlib
import math
from collections.abc import Callable
from typing import Any

from ..losses import Loss
from ..oracles import MILP, Answer, TimeLimit
from ..plane import Cone, tangent_bound
from ..search import SearchResult, lens_search

__all__ = ["argmax_by_programs"]


def argmax_by_programs(
    structure: Any, theta: Any, target: Any, loss: str | Loss, product: bool, search: Callable[..., SearchResult] | None,
    lam: float, threshold: float, tol: float, max_queries: int | None, max_time: float | None,
) -> SearchResult:  # fmt: skip
    """The argmax of h g (product) or h - 1 + g over `MILP`; where `max_time` ends a question, the best label seen and a bound."""
    oracle = _Watched(MILP(structure, theta, target, loss, max_time=max_time))
    threshold = max(threshold, 0.0)
    if product:
        try:
            return (search or lens_search)(oracle, lam=lam, threshold=threshold, tol=tol, max_queries=max_queries)
        except TimeLimit:
            upper = min((tangent_bound(k, at) for k, at in oracle.bounds), default=math.inf)
            return _result(oracle, lambda a: a.h * a.g, upper, threshold, tol, lam)
    with contextlib.suppress(TimeLimit):
        oracle.argmax(1.0)
    return _result(oracle, lambda a: a.h - 1.0 + a.g, oracle.bounds[0][0] - 1.0, threshold, tol, lam)


def _result(
    oracle: "_Watched", worth: Callable[[Answer], float], upper: float, threshold: float, tol: float, lam: float
) -> SearchResult:
    """The best label seen, with a bound."""
    best = max(oracle.seen, key=worth, default=Answer(None, 1.0, 0.0))
    value = worth(best)
    if not value > threshold:
        best, value = Answer(None, 1.0, 0.0), 0.0
    upper = max(upper, value)
    certified = upper <= max(value * (1.0 + tol), threshold)
    return SearchResult(best.label, best.h, best.g, value, upper, oracle.n_asked, certified, (), lam)


class _Watched:
    """An oracle that remembers what it answered, and the bounds (K, lam) of its planes, those of unfinished questions too."""

    def __init__(self, oracle: MILP) -> None:
        self._oracle, self.losses = oracle, oracle.losses
        self.seen: list[Answer] = []
        self.bounds: list[tuple[float, float]] = []
        self.n_asked = 0

    def _asked(self, question: Callable[[], Answer | None]) -> Answer | None:
        self.n_asked += 1
        try:
            answer = question()
        except TimeLimit as late:
            self.seen += [] if late.incumbent is None else [late.incumbent]
            raise
        self.seen += [] if answer is None else [answer]
        return answer

    def argmax(self, lam: float) -> Answer:
        try:
            answer = self._asked(lambda: self._oracle.argmax(lam))
        except TimeLimit as late:
            self.bounds.append((late.bound, lam))
            raise
        assert answer is not None
        self.bounds.append((answer.h + lam * answer.g, lam))
        return answer

    def argmax_in_band(self, lam: float, lo: float, hi: float) -> Answer | None:
        return self._asked(lambda: self._oracle.argmax_in_band(lam, lo, hi))

    def argmax_in_cone(self, lam: float, cone: Cone) -> Answer | None:
        return self._asked(lambda: self._oracle.argmax_in_cone(lam, cone))

    def extremes(self) -> tuple[Answer, Answer]:
        return self._oracle.extremes()
