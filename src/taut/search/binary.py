r"""Binary search on the upper bound (paper, Lemma 1 and App. A, in the one parameter mu of NOTES E6)."""

import math

from ..kernels.asking import PLANE
from ..kernels.compiling import njit
from ..oracles import Oracle
from .session import SearchResult, finish, put, search, settled, start

__all__ = ["binary_search"]


def binary_search(
    oracle: Oracle,
    *,
    lam: float = 1.0,
    threshold: float = 0.0,
    enough: float = math.inf,
    tol: float = 0.0,
    max_queries: int | None = None,
    span: float = 1e12,
    precision: float = 1e-9,
) -> SearchResult:
    r"""Minimise the convex bound :math:`B(\mu) = \max(K(\mu), 0)^2 / 4\mu` and return the best label met on the way.

    The paper's :math:`\bar F(\lambda)` is :math:`B(\lambda^2)`: Lemma 1 and Lemma 5 are one bound. At an answer (h, g) the
    bound falls to the right iff :math:`h > \mu g`, so each question halves the range of :math:`\ln \mu`.

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
    span : float
        The range searched is lam / span to lam * span: this search needs one.
    precision : float
        Stop when the range is narrower than this, relatively.

    Returns
    -------
    SearchResult
    """
    if not 1.0 < span < math.inf:
        raise ValueError(f"`span` must be finite and above 1; found {span}.")
    if not 0.0 < precision < 1.0:
        raise ValueError(f"`precision` must lie between 0 and 1; found {precision}.")
    return search(_binary, oracle, (PLANE,), lam, threshold, enough, tol, max_queries, float(span), float(precision))


@njit
def _binary(oracle, shared, pool, target, theta, losses, label, best, limits, lam, span, precision):
    run, trace = start(oracle, (shared, pool, target, theta), label, best, limits)
    lo, hi = lam / span, lam * span
    while True:
        mu = math.sqrt(lo) * math.sqrt(hi)
        _, trace = put(run, trace, PLANE, mu)
        h, g = run.point[0], run.point[1]
        if settled(run) or h == mu * g:
            break
        if h > mu * g:
            lo = mu
        else:
            hi = mu
        if not hi > lo * (1.0 + precision):
            break
    return finish(run, trace)
