r"""Angular search (paper, Algorithm 2, as corrected in NOTES E22-E30): exact with the constrained lambda-oracle."""

import math

import numpy as np

from ..kernels.asking import CONE
from ..kernels.compiling import njit
from ..kernels.heap import pop, push
from ..oracles import Oracle
from ..oracles.compiled import cone_region
from ..plane import TIE, Cone, lens, steeper, tangent_bound
from .session import SearchResult, bound_by, finish, goal, put, search, start, stopped

__all__ = ["angular_search"]

_ORDERS = {"best": 0, "fifo": 1, "lifo": 2}


def angular_search(
    oracle: Oracle,
    *,
    lam: float = 1.0,
    threshold: float = 0.0,
    enough: float = math.inf,
    tol: float = 0.0,
    max_queries: int | None = None,
    order: str = "best",
    prune: bool = True,
    cone: Cone | None = None,
) -> SearchResult:
    r"""Find the label of greatest h g by splitting cones of slopes; exact on every finite set.

    A cone is asked at :math:`\lambda = 1/\sqrt{\alpha\beta}`. Its answer z bounds the cone by :math:`K^2/4\lambda`, and
    labels better than z lie strictly between z and its reflection z'; this range is split at the ray of slope
    :math:`1/\lambda`, which belongs to the upper child alone. On a set with M distinct slopes in the quadrant at most
    2 M + 1 questions are asked (Theorem 2).

    With `order="fifo"` or `"best"`, after t questions :math:`\Phi^*/\hat\Phi \le \cosh^2(2 \ln(v_1) / (t + 2))`,
    :math:`v_1 = \max(\lambda_0 d_1, 1/\lambda_0 d_1)` with :math:`d_1` the slope of the first answer (Theorem 3,
    corrected); with `order="best"` the reported `upper_bound` itself keeps that rate.

    Parameters
    ----------
    oracle : Oracle
        Answers `argmax_in_cone`.
    lam : float
        Multiplier of the first question, where the root cone does not give one.
    threshold, enough : float
        Only labels of value > threshold are sought; stop at the first of value > enough.
    tol : float
        Stop when the bound is within this relative distance of the value.
    max_queries : int, optional
        Stop after so many questions, with a valid bound.
    order : {"best", "fifo", "lifo"}
        Which cone is asked next: of greatest bound, oldest, or newest. Only the first two have the anytime rate.
    prune : bool
        Use the incumbent to narrow and drop cones (NOTES E27). False is the paper's search, to exhaustion.
    cone : Cone or (beta, alpha), optional
        The root; labels outside it are not sought. Theorem 4 starts from beta = phi / H^2, alpha = G^2 / phi: with
        both ends finite and positive the first multiplier is 1 / sqrt(alpha beta), and `lam` is not used.

    Returns
    -------
    SearchResult
        `upper_bound` holds for the labels in `cone`.
    """
    if order not in _ORDERS:
        raise ValueError(f"`order` must be one of {', '.join(_ORDERS)}; found {order!r}.")
    root = Cone() if cone is None else cone if isinstance(cone, Cone) else Cone.between(*cone)
    return search(
        _angular, oracle, (CONE,), lam, threshold, enough, tol, max_queries, _ORDERS[order], bool(prune), cone_region(root)
    )


@njit
def _middle(region, lam):
    """The multiplier for a cone: 1/sqrt(alpha beta), or `lam` moved inside where an end is an axis (NOTES E24)."""
    h_low, g_low, h_high, g_high = region[0], region[1], region[2], region[3]
    if g_low > 0.0 and h_high > 0.0:
        return math.sqrt((h_low / g_low) * (h_high / g_high))
    if g_low > 0.0 and not lam < h_low / g_low:
        return 0.5 * h_low / g_low
    if h_high > 0.0 and not lam > h_high / g_high:
        return 2.0 * h_high / g_high
    return lam


@njit
def _ends(region, h, g, lam, level, low, high):
    """The outer rays of what is left of a cone after the answer (h, g): labels above the hyperbola `level` only.

    Writes them to low and high as (h, g, closed) and returns whether anything is left. The answer's own ray is out
    (NOTES E22: outer rays are open), as is its reflection; a narrower end of the cone itself stays as it was.
    """
    k = h + lam * g
    if k * k <= 4.0 * lam * level:
        return False
    g1, g2 = lens(k, lam, level)
    low[0], low[1], low[2] = lam * g2, g1, 0.0
    high[0], high[1], high[2] = lam * g1, g2, 0.0
    if lam * g < h:  # z is below the middle ray
        if not steeper(low[0], low[1], h, g):
            low[0], low[1], low[2] = h, g, 0.0
    elif not steeper(h, g, high[0], high[1]):
        high[0], high[1], high[2] = h, g, 0.0
    if steeper(region[0], region[1], low[0], low[1]):
        low[0], low[1], low[2] = region[0], region[1], region[4]
    if steeper(high[0], high[1], region[2], region[3]):
        high[0], high[1], high[2] = region[2], region[3], region[5]
    return True


@njit
def _child(region, row, side, lam, low, high):
    """Write the region of a child: side 0 is K1 = [R, P), side 1 is K2 = (Q, R). The middle ray R = (lam, 1) is K1's.

    Returns whether there is such a child. Around an answer that lies in the cone it is smaller than the cone; one that is the
    cone again, because an oracle rounded its answer into it, is none: the search always ends.
    """
    if side == 0:
        row[3], row[4], row[7] = lam, 1.0, 1.0
        row[5], row[6], row[8] = high[0], high[1], high[2]
    else:
        row[3], row[4], row[7] = low[0], low[1], low[2]
        row[5], row[6], row[8] = lam, 1.0, 0.0
    same = True
    for i in range(6):
        same = same and row[3 + i] == region[i]
    return not same and steeper(row[5], row[6], row[3], row[4])


@njit
def _greatest(cones, size, least):
    for i in range(size):
        least = max(least, cones[i, 2])
    return least


@njit
def _angular(oracle, shared, pool, target, theta, losses, label, best, limits, lam0, order, prune, root):
    """Algorithm 2. Rows of the heap of cones: priority, number, bound, region (6)."""
    run, trace = start(oracle, (shared, pool, target, theta), label, best, limits)
    cones, row = np.empty((16, 9)), np.empty(9)
    low, high = np.empty(3), np.empty(3)
    row[0], row[1], row[2] = 0.0, 0.0, np.inf
    for i in range(6):
        row[3 + i] = root[i]
    cones = push(cones, 0, row)
    size, pushed = 1, 1
    while size > 0 and not stopped(run):
        pop(cones, size, row)  # Dequeue
        size -= 1
        bound = row[2]
        if prune and bound <= goal(run) * (1.0 + TIE):
            continue
        for i in range(6):
            run.region[i] = row[3 + i]
        lam = _middle(run.region, lam0)
        found, trace = put(run, trace, CONE, lam)
        if found:
            h, g = run.point[0], run.point[1]
            bound = min(bound, tangent_bound(h + lam * g, lam))  # a child is bounded by its parent too (NOTES E29)
            level = goal(run) if prune else h * g
            if _ends(run.region, h, g, lam, level, low, high):
                for side in range(2):
                    if _child(run.region, row, side, lam, low, high):
                        row[0] = bound if order == 0 else 0.0 if order == 1 else float(pushed)
                        row[1], row[2] = float(pushed), bound
                        cones = push(cones, size, row)  # ADD
                        size += 1
                        pushed += 1
        seen = min(size, 1) if order == 0 else size  # best-first: the greatest bound is on top
        bound_by(run, trace, _greatest(cones, seen, goal(run)))
    return finish(run, trace)
