"""Label graphs that are too wide for anything else: each question an integer program (NOTES E26)."""

from collections.abc import Callable
from typing import Any

from ..losses import Loss
from ..oracles import MILP, Answer, TimeLimit
from ..search import SearchResult, lens_search, timed_search

__all__ = ["argmax_by_programs"]


def argmax_by_programs(
    structure: Any, theta: Any, target: Any, loss: str | Loss, product: bool, search: Callable[..., SearchResult] | None,
    lam: float, threshold: float, tol: float, max_queries: int | None, max_time: float | None,
) -> SearchResult:  # fmt: skip
    """The argmax of h g (product) or h - 1 + g over `MILP`; where `max_time` ends it, the best label seen and a bound."""
    oracle = MILP(structure, theta, target, loss, max_time=max_time)
    if product:
        limits = {"lam": lam, "threshold": threshold, "tol": tol, "max_queries": max_queries}
        return timed_search(search or lens_search, oracle, max_time, **limits)  # type: ignore[arg-type]
    best, none = Answer(None, 1.0, 0.0), Answer(None, 1.0, 0.0)
    try:
        best = oracle.argmax(1.0)
        upper = best.h - 1.0 + best.g
    except TimeLimit as late:
        best, upper = late.incumbent or none, late.bound - 1.0
    bar = max(threshold, 0.0)
    if not best.h - 1.0 + best.g > bar:
        best = none
    value = best.h - 1.0 + best.g
    upper = max(upper, value)
    return SearchResult(best.label, best.h, best.g, value, upper, 1, upper <= max(value * (1.0 + tol), bar), (), lam)
