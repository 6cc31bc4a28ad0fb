"""A branch and bound with a limit: so many relaxations, or so much time, and then the bound that it has reached."""

import time
from typing import Any

from ..losses import Loss
from ..search import SearchResult
from .batch import Potentials, check_limits, rescaling_code

__all__ = ["MOST", "within"]

MOST = 4  # the place in a structure's shared words where its kernel reads the limit
_FIRST = 64  # relaxations of the first attempt under a limit of time; each next has twice as many, from the start


def within(
    structure: Any, theta: Potentials, target: Any, loss: Loss, rescaling: str, lam: float | None, threshold: float, tol: float,
    max_queries: int | None, max_time: float | None,
) -> SearchResult:  # fmt: skip
    """The argmax with a limit of relaxations (slack only: margin is answered) and of seconds."""
    code, one = rescaling_code(rescaling), structure.target(target, loss, theta)
    start = structure.first_lam(one) if lam is None else lam
    check_limits(start, threshold, tol, max_queries, max_time)
    ceiling = max_queries if max_queries is not None and code == 1 else 1 << 40
    until, most = time.monotonic() + (max_time or 0.0), ceiling if max_time is None else min(_FIRST, ceiling)
    while True:
        shared = one.shared.copy()
        shared[MOST] = most
        before = time.monotonic()
        result: SearchResult = structure.solved(theta, one._replace(shared=shared), code, start, threshold, tol)
        now = time.monotonic()
        if result.certified or most >= ceiling or max_time is None or now >= until:
            return result
        most = min(2 * most, ceiling, max(most + 1, int(most * (until - now) / max(now - before, 1e-9))))


