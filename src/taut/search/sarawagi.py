r"""Sarawagi and Gupta's search (ICML 2008; the paper's section 3): golden section on :math:`F(\lambda)`, given xi."""

import math

from numba.extending import register_jitable

from ..kernels.asking import PLANE
from ..kernels.compiling import njit
from ..oracles import Oracle
from .session import SearchResult, bar, finish, put, search, settled, start

__all__ = ["sarawagi_search"]

_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)


def sarawagi_search(
    oracle: Oracle,
    *,
    lam: float = 1.0,
    threshold: float = 0.0,
    enough: float = math.inf,
    tol: float = 0.0,
    max_queries: int | None = None,
    xi: float | None = None,
    span: float = 1e6,
    precision: float = 1e-7,
) -> SearchResult:
    r"""Minimise :math:`F(\lambda) = K(\lambda) - 2\sqrt{\xi\lambda}` by golden section; return the best label met.

    F is convex and bounds :math:`\max_y h - \xi / g` from above; a label violates its constraint at level xi iff that
    maximum is positive, so :math:`F(\lambda) \le 0` anywhere proves that none does. The maximiser of :math:`h - \xi/g` is
    not that of h g (NOTES E9): without a `xi`, the search is repeated with xi the value found, until it finds no better.

    Parameters
    ----------
    oracle : Oracle
        Answers `argmax`.
    lam : float
        Centre of the range.
    threshold, enough : float
        Only labels of value > threshold are sought; stop at the first of value > enough.
    tol : float
        Stop when the bound is within this relative distance of the value.
    max_queries : int, optional
        Stop after so many questions, with a valid bound.
    xi : float, optional
        The slack of the example in the cutting-plane method, >= 0.
    span, precision : float
        The range is lam / span to lam * span, on a logarithmic scale, narrowed to this share of itself: about 35
        questions by default.

    Returns
    -------
    SearchResult
    """
    if xi is not None and not 0.0 <= xi < math.inf:
        raise ValueError(f"`xi` must be finite and >= 0, or None; found {xi}.")
    if not 1.0 < span < math.inf:
        raise ValueError(f"`span` must be finite and above 1; found {span}.")
    if not 0.0 < precision < 1.0:
        raise ValueError(f"`precision` must lie between 0 and 1; found {precision}.")
    given = -1.0 if xi is None else float(xi)
    return search(_sarawagi, oracle, (PLANE,), lam, threshold, enough, tol, max_queries, given, float(span), float(precision))


@register_jitable
def _excess(run, xi, log_lam):
    """F at the last answer, whose multiplier was exp(log_lam)."""
    lam = math.exp(log_lam)
    return run.point[0] + lam * run.point[1] - 2.0 * math.sqrt(xi * lam)


@njit
def _sarawagi(oracle, shared, pool, target, theta, losses, label, best, limits, lam, xi, span, precision):
    """Golden section over ln lam: F is convex in lam, hence unimodal in ln lam."""
    run, trace = start(oracle, (shared, pool, target, theta), label, best, limits)
    _, trace = put(run, trace, PLANE, lam)
    level = xi if xi >= 0.0 else bar(run)
    while not settled(run):
        width = 2.0 * math.log(span)
        lo = math.log(lam) - 0.5 * width
        left, right = lo + (1.0 - _GOLDEN) * width, lo + _GOLDEN * width
        _, trace = put(run, trace, PLANE, math.exp(left))
        f_left = _excess(run, level, left)
        if not settled(run):
            _, trace = put(run, trace, PLANE, math.exp(right))
            f_right = _excess(run, level, right)
            shortest = precision * width
            while not settled(run) and width > shortest:
                width *= _GOLDEN
                if f_left <= f_right:  # the minimum is left of `right`
                    right, f_right = left, f_left
                    left = lo + (1.0 - _GOLDEN) * width
                    _, trace = put(run, trace, PLANE, math.exp(left))
                    f_left = _excess(run, level, left)
                else:
                    lo = left
                    left, f_left = right, f_right
                    right = lo + _GOLDEN * width
                    _, trace = put(run, trace, PLANE, math.exp(right))
                    f_right = _excess(run, level, right)
        if xi >= 0.0 or not bar(run) > level:
            break
        level = bar(run)
    return finish(run, trace)
