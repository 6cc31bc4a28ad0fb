r"""Bisecting search (paper, Algorithm 1, with the corrections of NOTES E10-E16): the lambda-oracle alone."""

import math

import numpy as np

from ..kernels.asking import PLANE
from ..kernels.compiling import njit
from ..oracles import Oracle
from ..plane import lens, lens_heights
from .session import SearchResult, bound_by, finish, goal, put, search, settled, start

__all__ = ["bisecting_search"]


def bisecting_search(
    oracle: Oracle,
    *,
    lam: float = 1.0,
    threshold: float = 0.0,
    enough: float = math.inf,
    tol: float = 0.0,
    max_queries: int | None = None,
    precision: float = 1e-6,
) -> SearchResult:
    r"""Look for the greatest h g by bisecting the multiplier, from any start and without a range.

    With :math:`h > \lambda g` at the answer the multiplier grows, with :math:`h < \lambda g` it falls (Lemma 4): by doubling
    or halving, ever faster, until both sides are known, then to their geometric mean. It stops when the answer touches its
    tangent (it is optimal, E13), when both ends give the same point (App. D.1), when the ranges of h or g that a better label
    must lie in (Lemma 3) have no point in common, or when the bound (App. D.2) settles it.

    Only the lambda-oracle is asked: labels strictly under the upper hull are never seen (Theorem 1), and then the result
    says that it is not certified.

    Parameters
    ----------
    oracle : Oracle
        Answers `argmax`.
    lam : float
        Where to start: the last multiplier of the same example is a good guess.
    threshold, enough : float
        Only labels of value > threshold are sought; stop at the first of value > enough.
    tol : float
        Stop when the bound is within this relative distance of the value.
    max_queries : int, optional
        Stop after so many questions, with a valid bound.
    precision : float
        Stop when the range of multipliers is narrower than this, relatively.

    Returns
    -------
    SearchResult
    """
    if not 0.0 < precision < 1.0:
        raise ValueError(f"`precision` must lie between 0 and 1; found {precision}.")
    return search(_bisecting, oracle, (PLANE,), lam, threshold, enough, tol, max_queries, float(precision))


@njit
def _common(lines, n, level):
    """Whether the ranges of g and of h (H and G of Algorithm 1) in which all lines seen leave room above `level` intersect."""
    g_lo, g_hi, h_lo, h_hi = -np.inf, np.inf, -np.inf, np.inf
    for i in range(n):
        g1, g2 = lens(lines[i, 0], lines[i, 1], level)
        h1, h2 = lens_heights(lines[i, 0], lines[i, 1], level)
        g_lo, g_hi = max(g_lo, g1), min(g_hi, g2)
        h_lo, h_hi = max(h_lo, h2), min(h_hi, h1)
    return g_lo < g_hi and h_lo < h_hi


@njit
def _bisecting(oracle, shared, pool, target, theta, losses, label, best, limits, lam, precision):
    """Algorithm 1 with L = (lo, hi); the two points of its ends are kept to see that nothing lies between."""
    run, trace = start(oracle, (shared, pool, target, theta), label, best, limits)
    lo, hi, factor = 0.0, np.inf, 2.0
    ends = np.empty((2, 2))
    lines = np.empty((64, 2))
    n_lines = 0
    while 1e-300 < lam < 1e300:
        _, trace = put(run, trace, PLANE, lam)
        h, g = run.point[0], run.point[1]
        if settled(run) or h == lam * g:
            break
        if n_lines < lines.shape[0]:
            lines[n_lines, 0], lines[n_lines, 1] = h + lam * g, lam
            n_lines += 1
        if not _common(lines, n_lines, goal(run)):
            bound_by(run, trace, goal(run))
            break
        if h > lam * g:  # v1 <= v2: increase lam
            lo, ends[0, 0], ends[0, 1] = lam, h, g
        else:
            hi, ends[1, 0], ends[1, 1] = lam, h, g
        if lo > 0.0 and hi < np.inf:
            if ends[0, 0] == ends[1, 0] and ends[0, 1] == ends[1, 1]:
                bound_by(run, trace, max(h * g, goal(run)))  # it is the answer at lam = h / g too: its own tangent
                break
            middle = math.sqrt(lo) * math.sqrt(hi)
            if not lo < middle < hi or hi <= lo * (1.0 + precision):
                break
            lam = middle
        else:
            lam = lam * factor if hi == np.inf else lam / factor
            factor *= factor
    return finish(run, trace)
