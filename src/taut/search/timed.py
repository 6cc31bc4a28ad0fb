"""Any search against the clock: what was answered in time counts, with its bound."""

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..oracles import MILP, Answer, Oracle, TimeLimit, cached
from ..plane import Cone, tangent_bound
from .session import SearchResult

__all__ = ["check_time", "timed_search"]


def timed_search(
    search: Callable[..., SearchResult],
    oracle: Oracle,
    max_time: float | None,
    *,
    lam: float = 1.0,
    threshold: float = 0.0,
    tol: float = 0.0,
    max_queries: int | None = None,
) -> SearchResult:
    """`search` over an oracle, for at most `max_time` seconds (None: as long as it takes).

    The clock is read before each question; a question to `taut.oracles.MILP` gets the seconds that are left, others are never cut
    short. Out of time, the search is repeated up to its last answered question, from memory, so that value, bound and trace are
    those that it had then; the label and the bound of an unfinished integer program are taken in too.
    """
    limits = {"lam": lam, "threshold": threshold, "tol": tol}
    check_time(max_time)
    if not callable(search):
        raise ValueError(f"`search` must be a search of taut.search; found {search!r}.")
    if max_time is None:
        return search(oracle, max_queries=max_queries, **limits)
    clock = _Clock(oracle, max_time)
    try:
        return search(clock, max_queries=max_queries, **limits)
    except TimeLimit as late:
        result = SearchResult(None, 1.0, 0.0, 0.0, math.inf, 0, False, (), lam)
        if clock.n_answered:
            result = search(clock.memory, max_queries=clock.n_answered, **limits)
        return _with(result, late, clock.lam, max(threshold, 0.0), tol)


def check_time(max_time: float | None) -> None:
    """What every method asks of its limit of time."""
    if max_time is not None and not 0.0 < max_time < math.inf:
        raise ValueError(f"`max_time` must be positive and finite, or None for no limit; found {max_time}.")


def _with(result: SearchResult, late: TimeLimit, lam: float | None, threshold: float, tol: float) -> SearchResult:
    """A result with what an unfinished question knew; lam is None where it was about a region: its bound is not everyone's."""
    upper = result.upper_bound if lam is None else min(result.upper_bound, tangent_bound(late.bound, lam))
    if late.incumbent is not None and late.incumbent.h * late.incumbent.g > max(result.value, threshold):
        y, h, g = late.incumbent
        result = replace(result, label=y, h=h, g=g, value=h * g)
    upper = max(upper, result.value)
    return replace(result, upper_bound=upper, certified=upper <= max(result.value * (1.0 + tol), threshold))


class _Clock:
    """An oracle that remembers its answers and stops answering when the time is up."""

    def __init__(self, oracle: Oracle, max_time: float) -> None:
        self.memory, self._oracle = cached(oracle), oracle
        self.losses: Any = self.memory.losses
        self._until, self._max_time = time.monotonic() + max_time, max_time
        self.n_answered = 0
        self.lam: float | None = None

    def _ask(self, question: Callable[[], Any], lam: float | None) -> Any:
        left = self._until - time.monotonic()
        self.lam = None
        if left <= 0.0:
            raise TimeLimit(None, math.inf, self._max_time)
        self.lam = lam
        if isinstance(self._oracle, MILP):
            self._oracle.max_time = left
        answer = question()
        self.n_answered += 1
        return answer

    def argmax(self, lam: float) -> Answer:
        return self._ask(lambda: self.memory.argmax(lam), lam)  # type: ignore[no-any-return]

    def argmax_in_cone(self, lam: float, cone: Cone) -> Answer | None:
        return self._ask(lambda: self.memory.argmax_in_cone(lam, cone), None)  # type: ignore[no-any-return]

    def argmax_in_band(self, lam: float, lo: float, hi: float) -> Answer | None:
        return self._ask(lambda: self.memory.argmax_in_band(lam, lo, hi), None)  # type: ignore[no-any-return]

    def extremes(self) -> tuple[Answer, Answer]:
        return self._ask(self.memory.extremes, None)  # type: ignore[no-any-return]
