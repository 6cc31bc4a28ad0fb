r"""What count programs share: what they look for, what can still matter, and when they are tried (NOTES C.3, C.8, C.9).

A count program keeps, for each part of a structure, the best score at each *count*: unit steps of the loss. With one counter the
loss is scale * count. With two, false positives and negatives, the count is the code fp (P + 1) + fn, P being the greatest fn,
and the loss is table[code]; codes of disjoint parts add up as counts do. Additive bonuses stand for the loss in the pass before:
lam * scale per count, or a per false positive and b per false negative. What remains of a partial labeling of code c under the
pass's bound K on h + bonus matters only if some code it can end in has h g above the goal with h = K - bonus.
"""

from typing import Any, NamedTuple

import numpy as np

from ..plane import TIE, tangent_bound
from .bracket import observe, opened, step, warmer
from .compiling import njit

__all__ = [
    "BAND", "COUNT", "FOLLOWING", "GOAL", "LABEL", "LAM", "MOST", "PRODUCT", "STOP", "SUM", "THRESHOLD", "UNDONE", "VALUE", "Aim",
    "advance", "aim_at", "bonus", "closed", "finished", "keeps", "labelled", "loss_of", "passed", "started", "worth",
]  # fmt: skip

#: What the complete labelings are compared by: h g, h + lam g, the same inside a band of losses, or g and then h.
PRODUCT, SUM, BAND, MOST = range(4)
#: What to do next: stop, read a label off the pass, try the count program, make another pass.
STOP, LABEL, COUNT, AGAIN = range(4)
UNDONE = -2  # a count program that ran out of room

_HOPEFUL = 0.7  # share of the bound that the incumbent must have before the count program is tried at all


class Aim(NamedTuple):
    """What a count program looks for: `add`, `cut`, `table` by code with two counters, empty with one."""

    mode: int
    prune: bool
    lam: float
    scale: float
    goal: float
    level: float  # the least bound on h + bonus that can matter at all
    lo: float
    hi: float
    add: Any
    cut: Any
    table: Any


@njit
def aim_at(mode, prune, lam, scale, goal, lo, hi):
    """The aim with one counter."""
    none = np.empty(0)
    level = 2.0 * np.sqrt(lam * goal) if prune else -np.inf
    return Aim(mode, prune, lam, scale, goal, level, lo, hi, none, none, none)


@njit
def bonus(aim, c):
    """What the pass adds for a count."""
    return aim.add[int(c)] if aim.add.size else aim.lam * aim.scale * c


@njit
def loss_of(aim, c):
    """The loss of a count."""
    return aim.table[int(c)] if aim.table.size else aim.scale * c


@njit
def keeps(aim, k, c, most):
    """Whether a part of count c, with h + bonus <= k and at most `most` more counts, can end above the goal."""
    if not k > aim.level:
        return False
    if not aim.prune:
        return True
    if aim.cut.size:
        return k > aim.cut[int(c)]
    g = min(max(0.5 * k / aim.lam, aim.scale * c), aim.scale * (c + most))  # g (k - lam g) is concave in g
    return g * (k - aim.lam * g) > aim.goal


@njit
def worth(aim, h, c):
    """What a complete labeling is compared by; -inf outside the band."""
    g = loss_of(aim, c)
    if aim.mode == PRODUCT:
        return h * g
    if aim.mode == MOST:
        return g
    if aim.mode == BAND and not aim.lo < g < aim.hi:
        return -np.inf
    return h + aim.lam * g


# One counter: passes at multipliers that close in on the supporting edge, each followed by an attempt at the count program.
LAM, UPPER, VALUE, K, GOAL, LOW, HIGH, FOLLOWING, THRESHOLD, TOL, WARM, FRESH, BRACKET = range(13)


@njit
def started(lam, threshold, tol, most):
    """The state of a slack argmax before its first pass. With an incumbent of the caller's no label is needed first."""
    run = np.empty(BRACKET + 7)
    run[LAM], run[UPPER], run[VALUE], run[K], run[GOAL], run[LOW] = lam, np.inf, 0.0, 0.0, 0.0, 0.0
    run[HIGH], run[FOLLOWING], run[THRESHOLD], run[TOL], run[WARM], run[FRESH] = most + 1.0, 0.0, threshold, tol, lam, threshold
    bracket = opened()
    for i in range(7):
        run[BRACKET + i] = bracket[i]
    return run


@njit
def _goal(run):
    return max(run[VALUE] * (1.0 + run[TOL]), run[THRESHOLD]) * (1.0 + TIE)


@njit
def passed(run, k):
    """Take in the greatest h + lam g. Returns STOP, COUNT or LABEL."""
    run[K], run[WARM], run[GOAL] = k, run[LAM], _goal(run)
    run[UPPER] = min(run[UPPER], tangent_bound(k, run[LAM]))
    if run[UPPER] <= run[GOAL]:
        return STOP
    if run[FRESH] > 0.0:
        run[FRESH], run[FOLLOWING] = 0.0, run[LAM]
        return COUNT
    return LABEL


@njit
def _attainable(run, scale):
    """Whether some count strictly between LOW and HIGH has a product above the goal under h + lam g <= K."""
    k, lam, low, high = run[K], run[LAM], run[LOW], run[HIGH]
    c = np.floor(0.5 * k / (lam * scale))
    for x in (min(max(c, low + 1.0), high - 1.0), min(max(c + 1.0, low + 1.0), high - 1.0)):
        if low < x < high and scale * x * (k - lam * scale * x) > run[GOAL]:
            return True
    return False


@njit
def labelled(run, h, c, scale):
    """Take in the label of the pass; VALUE is already its product where that is the best. Returns STOP, AGAIN or COUNT."""
    lam, g = run[LAM], scale * c
    run[WARM], run[GOAL] = warmer(h, g, lam), _goal(run)
    if run[UPPER] <= run[GOAL]:
        return STOP
    if h > lam * g:
        run[LOW] = max(run[LOW], float(c))
    else:
        run[HIGH] = min(run[HIGH], float(c))
    if h == lam * g or not _attainable(run, scale):
        run[UPPER] = min(run[UPPER], run[GOAL])
        return STOP
    bracket = run[BRACKET : BRACKET + 7]
    on_edge = observe(bracket, h, g, lam)
    run[FOLLOWING] = 0.0 if on_edge else step(bracket, lam)
    if run[FOLLOWING] > 0.0 and run[GOAL] < _HOPEFUL * tangent_bound(run[K], lam):
        run[LAM] = run[FOLLOWING]
        return AGAIN
    return COUNT


@njit
def advance(run):
    """The count program ran out of room: on to the next multiplier."""
    run[LAM] = run[FOLLOWING]


@njit
def closed(run):
    """The count program ran to its end: nothing above the goal is left."""
    run[UPPER] = min(run[UPPER], max(run[VALUE] * (1.0 + run[TOL]), run[THRESHOLD]))


@njit
def finished(run, out):
    """Write the bound and the multiplier for the next visit."""
    goal = max(run[VALUE] * (1.0 + run[TOL]), run[THRESHOLD])
    out[3] = max(min(run[UPPER], goal) if run[UPPER] <= goal * (1.0 + TIE) else run[UPPER], run[VALUE])
    out[4] = run[WARM]
