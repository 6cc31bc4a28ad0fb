r"""Lens search, ours: the supporting edge of the upper hull, then bands of loss in the one lens beyond it (NOTES C.0, C.9)."""

import math

import numpy as np
from numba.extending import register_jitable

from ..kernels.asking import BAND, PLANE
from ..kernels.bracket import drowned, step_out
from ..kernels.compiling import njit
from ..kernels.heap import pop, push
from ..oracles import Oracle
from ..plane import TIE, hull_bound, lens
from .session import SearchResult, bound_by, finish, goal, put, search, settled, start

__all__ = ["lens_search"]

_WIDE = 16.0  # a band whose ends differ by more is halved before it is asked; only where value < .22 of the bound


def lens_search(
    oracle: Oracle,
    *,
    lam: float = 1.0,
    threshold: float = 0.0,
    enough: float = math.inf,
    tol: float = 0.0,
    max_queries: int | None = None,
) -> SearchResult:
    r"""Find the label of greatest h g with few questions to the lambda-oracle and, where needed, to bands of loss; exact.

    Phase 1 looks for the edge (A, B) of the upper hull that supports the line :math:`h + \lambda^* g = K`,
    :math:`\lambda^* = \arg\min K^2/4\lambda`, by secants. A label that beats the incumbent has a loss strictly between those of
    A and B and inside the lens that the line cuts off the incumbent's hyperbola (one-lens theorem, NOTES C.0b). Where no
    loss value is left there, the answer is certified. Phase 2 asks bands of that range, the most promising first; each
    answer splits its band at its own loss. Where the oracle lists its losses, phase 2 starts as soon as three are left.

    After phase 1 at most one question is asked per loss value in the lens where the oracle lists its `losses`, and at most
    two where it does not; there a lens wider than a factor of 16 is halved first.

    Parameters
    ----------
    oracle : Oracle
        Answers `argmax` and `argmax_in_band`.
    lam : float
        Where to start: the last multiplier of the same example is a good guess.
    threshold, enough : float
        Only labels of value > threshold are sought; stop at the first of value > enough.
    tol : float
        Stop when the bound is within this relative distance of the value.
    max_queries : int, optional
        Stop after so many questions, with a valid bound.

    Returns
    -------
    SearchResult
    """
    return search(_lens, oracle, (PLANE, BAND), lam, threshold, enough, tol, max_queries)


_FEW = 3  # so many loss values left are asked for as a band: it saves a tenth of the questions (2026-11)
_OUTSIDE = (
    "an oracle answered a question about a band of losses with a label outside of it, or of a loss that it does not list in "
    "`losses`. The ends of a band are strict, and losses are compared to the last bit: mend the oracle."
)


@njit
def _possible(g, lo, hi, losses):
    """Whether an answer from the band (lo, hi) may have the loss g; with any other the search would not end."""
    listed = losses.size == 0
    for loss in losses:
        listed = listed or loss == g
    return listed and lo < g < hi


@njit
def _narrow(band, lines, n_lines, losses, goal_now):
    """Narrow the open band (lo, hi) to the losses at which some label under all lines can still beat the goal.

    lines[:n_lines] hold (K, lam). Returns the greatest product possible there, 0 where nothing is left; band[2] becomes the
    multiplier of the chord of the goal's hyperbola over what is left, goal / (lo hi): for the lens of a line, its own. Where
    the loss values are listed, the band ends at the neighbours of those that are left, and band[3] is their number.
    """
    first, last, greatest = np.inf, -np.inf, 0.0
    band[3] = np.inf
    if losses.size == 0:
        for i in range(n_lines):
            g1, g2 = lens(lines[i, 0], lines[i, 1], goal_now)
            band[0], band[1] = max(band[0], g1), min(band[1], g2)
        first, last = band[0], band[1]
        if first < last:
            greatest = np.inf
            for i in range(n_lines):
                greatest = min(greatest, hull_bound(first, last, lines[i, 0], lines[i, 1]))
    else:
        lo, hi, left = -1.0, np.inf, 0
        for loss in losses:
            bound = np.inf if band[0] < loss < band[1] else 0.0
            for i in range(n_lines):
                bound = min(bound, loss * (lines[i, 0] - lines[i, 1] * loss))
            if bound > goal_now * (1.0 + TIE):
                first, last, hi = min(first, loss), loss, np.inf
                left += 1
                greatest = max(greatest, bound)
            elif first == np.inf:
                lo = loss
            elif hi == np.inf:
                hi = loss
        if greatest > 0.0:
            band[0], band[1], band[3] = lo, hi, left
    if not greatest > goal_now * (1.0 + TIE):
        return 0.0
    chord = goal_now / first / last if first > 0.0 else 0.0
    band[2] = chord if 0.0 < chord < np.inf else lines[n_lines - 1, 1]
    return greatest


@register_jitable
def _support(run, trace, losses, lam, lines, band):
    """Phase 1: the supporting edge by secants of the brackets A (lam g < h) and B (lam g > h); rows 0 and 1 of lines.

    It ends early where few loss values are left: bands settle them. Between brackets the multiplier is halfway, in logarithm, from
    the secant to the chord over what is left. Returns the greatest product still possible in `band`, 0 when the search is over,
    and the last line.
    """
    a, b = np.array([np.nan, np.nan]), np.array([np.nan, np.nan])
    factor = 1.0
    while 1e-300 < lam < 1e300:
        _, trace = put(run, trace, PLANE, lam)
        h, g = run.point[0], run.point[1]
        k = h + lam * g
        if settled(run) or h == lam * g:
            return trace, 0.0, k, lam
        lower = drowned(a[0], h, g, lam)
        if lower > 0.0:
            lam = lower
            continue
        both = not (np.isnan(a[0]) or np.isnan(b[0]))
        on_edge = both and k <= max(a[0] + lam * a[1], b[0] + lam * b[1])
        side = 0 if h > lam * g else 1
        bracket = b if side else a
        bracket[0], bracket[1] = h, g
        lines[side, 0], lines[side, 1] = k, lam
        both = not (np.isnan(a[0]) or np.isnan(b[0]))
        if not both:  # one line alone bounds every loss
            lines[1 - side, 0], lines[1 - side, 1] = k, lam
        band[0], band[1] = (-1.0 if np.isnan(a[1]) else a[1]), (np.inf if np.isnan(b[1]) else b[1])
        bound = _narrow(band, lines, 2, losses, goal(run))
        bound_by(run, trace, max(bound, goal(run)))
        if bound == 0.0:
            return trace, 0.0, k, lam
        if both:
            edge = (a[0] - b[0]) / (b[1] - a[1])
            if on_edge or band[3] <= _FEW or not lines[0, 1] < edge < lines[1, 1]:
                return trace, bound, k, lam
            if lines[0, 1] < band[2] < lines[1, 1]:  # between the secant and the chord over what is left: both cut
                edge = math.sqrt(band[2] * edge)
        elif band[3] <= _FEW:
            return trace, bound, k, lam
        else:
            edge, factor = step_out(a, b, lam, factor)
        lam = edge
    bound_by(run, trace, goal(run))  # no label has both h > 0 and g > 0
    return trace, 0.0, 0.0, lam


@njit
def _lens(oracle, shared, pool, target, theta, losses, label, best, limits, lam):
    """Phase 1, then phase 2. Rows of the heap of bands: bound, number, lo, hi, K and lam of its line."""
    run, trace = start(oracle, (shared, pool, target, theta), label, best, limits)
    lines, band, row = np.empty((4, 2)), np.empty(4), np.empty(6)  # lines of A, B, the supporting edge, the band
    trace, bound, k, lam = _support(run, trace, losses, lam, lines, band)
    lines[2, 0], lines[2, 1] = k, lam
    bands = np.empty((16, 6))
    size, pushed = 0, 0
    if bound > 0.0:
        row[0], row[1], row[2], row[3], row[4], row[5] = bound, 0.0, band[0], band[1], k, lam
        bands = push(bands, 0, row)
        size, pushed = 1, 1
    while size > 0 and not settled(run):
        pop(bands, size, row)
        size -= 1
        band[0], band[1], lines[3, 0], lines[3, 1] = row[2], row[3], row[4], row[5]
        if _narrow(band, lines, 4, losses, goal(run)) > 0.0:  # the incumbent may have risen since
            lo, hi, lam = band[0], band[1], band[2]
            if losses.size == 0 and hi > _WIDE * lo > 0.0:  # two chords follow the hyperbola better than one
                middle = math.sqrt(lo) * math.sqrt(hi)
                row[1], row[2], row[3] = float(pushed), lo, np.nextafter(middle, np.inf)
                bands = push(bands, size, row)
                row[1], row[2], row[3] = float(pushed + 1), middle, hi
                bands = push(bands, size + 1, row)
                size += 2
                pushed += 2
                continue
            run.region[0], run.region[1] = lo, hi
            found, trace = put(run, trace, BAND, lam)
            if found:
                g = run.point[1]
                if not _possible(g, lo, hi, losses):
                    raise ValueError(_OUTSIDE)
                k = run.point[0] + lam * g
                lines[3, 0], lines[3, 1] = k, lam
                for side in range(2):
                    band[0] = lo if side == 0 else g
                    band[1] = g if side == 0 else hi
                    bound = _narrow(band, lines, 4, losses, goal(run))
                    if bound > 0.0:
                        row[0], row[1], row[2], row[3], row[4], row[5] = bound, float(pushed), band[0], band[1], k, lam
                        bands = push(bands, size, row)
                        size += 1
                        pushed += 1
        bound_by(run, trace, max(bands[0, 0], goal(run)) if size > 0 else goal(run))
    return finish(run, trace)
