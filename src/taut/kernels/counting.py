r"""What count programs share: what they look for, what can still matter, and when they are tried (NOTES C.3, C.8, C.9).

A count program keeps, for each part of a structure, the best score at each *count*: unit steps of the loss. With one counter the
loss is scale * count. With two, false positives and negatives, the count is the code fp (P + 1) + fn, P being the greatest fn,
and the loss is table[code]; codes of disjoint parts add up as counts do. Additive bonuses stand for the loss in the pass before:
lam * scale per count, or a per false positive and b per false negative. Under weights without a common
unit counts are any numbers, the least positive one being 1 (`pareto`). What remains of a partial labeling of code c under the
pass's bound K on h + bonus matters only if some code it can end in has h g above the goal with h = K - bonus.
"""

from typing import Any, NamedTuple

import numpy as np

from ..plane import TIE, tangent_bound
from .bracket import observe, opened, step, warmer
from .compiling import njit

__all__ = [
    "AGAIN", "BAND", "BETTER", "COUNT", "LABEL", "MOST", "NO_UNIT", "PRODUCT", "READ", "SCALE", "STOP", "SUM", "UNDONE", "VALUE",
    "WHOLE", "A", "Aim", "B", "K", "aim_of", "aim_over", "beyond", "bonus", "closed", "finished", "keeps", "labelled",
    "loss_of", "passed", "ran_out", "room", "started", "took", "worth",
]  # fmt: skip

#: What the complete labelings are compared by: h g, h + lam g, the same inside a band of losses, or g and then h.
PRODUCT, SUM, BAND, MOST = range(4)
#: What to do next: make a pass, read a label off it, try the count program, or stop.
AGAIN, LABEL, COUNT, STOP = range(4)
UNDONE = -2  # a count program that ran out of room
WHOLE = 1e300  # the room of a program that must be complete; without a unit an infinite one narrows (`pareto`)
NO_UNIT = -1  # in place of the step of two counters: one, of weights that have no unit

_ROUNDING = 2.0**-50  # of lam g, in the bounds on h that passes give
_HOPEFUL = 0.85  # share of the bound that the incumbent must have before the count program is tried at all


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
def aim_over(mode, lam, scale, lo, hi, table):
    """The aim of a count program without pruning; `table` is empty with one counter, and with two the scale must be 0."""
    none = np.empty(0)
    return Aim(mode, False, lam, scale, -np.inf, -np.inf, lo, hi, none, none, table)


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


# The state of an argmax: passes, each at the multipliers A and B, close in on the answer, and the count program ends it. With one
# counter A = B = LAM * SCALE and LAM moves to the supporting edge. With two the loss is no sum: A and B are the slopes of the loss
# at some code times a multiplier, and the bound of a pass is the greatest that any code allows.
LAM, UPPER, VALUE, K, GOAL, THRESHOLD, TOL, WARM, A, B, MODE, STEP, SCALE, FRESH, BETTER, PASSES, BEST_CODE, TOP_CODE = range(18)
LOW, HIGH, FOLLOWING, READ, BRACKET, _SIZE = 18, 19, 20, 21, 22, 29
_MOST_PASSES = 4  # with two counters, before the count program gets all the room that it needs


@njit
def started(mode, lam, threshold, tol, most, scale, losses, step):
    """Before the first pass. PRODUCT seeks the greatest h g above the threshold, SUM the greatest h + lam g of all."""
    run = np.zeros(_SIZE)
    run[LAM], run[UPPER], run[THRESHOLD], run[TOL], run[WARM], run[FRESH] = lam, np.inf, threshold, tol, lam, threshold
    run[MODE], run[STEP], run[SCALE], run[HIGH], run[BEST_CODE] = mode, step, scale, most + 1.0, -1.0
    run[VALUE] = 0.0 if mode == PRODUCT else -np.inf
    bracket = opened()
    for i in range(7):
        run[BRACKET + i] = bracket[i]
    if step > 0:
        a, b = _slopes(losses, step, 0)
        run[A], run[B] = lam * a, lam * b
    else:
        run[A] = run[B] = lam * scale
    return run


@njit
def _goal(run):
    if run[MODE] == SUM:
        return run[VALUE]
    return max(run[VALUE] * (1.0 + run[TOL]), run[THRESHOLD]) * (1.0 + TIE)


@njit
def passed(run, k, losses):
    """Take in the pass's bound on h + bonus. Returns STOP, LABEL, or COUNT: with a threshold no label is needed first."""
    run[K], run[GOAL], run[PASSES], run[READ] = k, _goal(run), run[PASSES] + 1.0, 0.0
    if run[STEP] > 0.0:
        upper = _two_bound(run, losses)
    else:
        run[WARM] = run[LAM]
        upper = tangent_bound(k, run[LAM]) if run[MODE] == PRODUCT else k
    run[UPPER] = min(run[UPPER], upper)
    if run[UPPER] <= run[GOAL]:
        return STOP
    if run[FRESH] > 0.0 and run[GOAL] >= _HOPEFUL * run[UPPER]:
        run[FRESH], run[FOLLOWING] = 0.0, run[LAM]
        return COUNT
    return LABEL


@njit
def beyond(run, k, losses):
    """The target won the pass, which says little: k is the greatest h + bonus of all others. Returns LABEL, or STOP."""
    run[K] = k
    if run[STEP] > 0.0:
        upper = _two_bound(run, losses)
    elif run[MODE] == SUM:
        upper = np.inf
    else:
        g = max(0.5 * k / run[LAM], run[SCALE])  # a label of positive product counts at least one
        upper = max(g * (k - run[LAM] * g), 0.0)
    run[UPPER] = min(run[UPPER], upper)
    return STOP if run[UPPER] <= run[GOAL] else LABEL


@njit
def took(run, h, c, losses):
    """Take in a label: BETTER says whether it is the best so far. Summed in another order a counted one may not be after all."""
    g = losses[int(c)] if losses.size else run[SCALE] * c
    x, least = h + run[LAM] * g, run[VALUE]
    if run[MODE] == PRODUCT:
        x, least = h * g, max(run[VALUE], run[THRESHOLD])
    run[BETTER] = 0.0
    if x > least:
        run[BETTER], run[VALUE], run[BEST_CODE] = 1.0, x, c
    run[GOAL] = _goal(run)


@njit
def labelled(run, h, c, losses):
    """Take in the label of the pass. Returns STOP, AGAIN (with other multipliers) or COUNT."""
    took(run, h, c, losses)
    run[READ] = 1.0
    if run[STEP] > 0.0:
        if run[UPPER] <= run[GOAL]:
            return STOP
        if run[MODE] == PRODUCT and run[PASSES] < _MOST_PASSES and run[GOAL] < _HOPEFUL * run[UPPER]:
            return _advance(run, losses)
        return COUNT
    if run[MODE] == SUM:
        run[UPPER] = run[VALUE]
        return STOP
    lam, g = run[LAM], run[SCALE] * c
    if h > lam * g:
        run[LOW] = max(run[LOW], float(c))
    else:  # where lam g drowns h, another label of the same count may be better
        run[HIGH] = min(run[HIGH], float(c) if lam * g <= 4.0 * h else c + 1.0)
    closing = run[UPPER] <= run[GOAL] or h == lam * g or not _attainable(run)
    bracket = run[BRACKET : BRACKET + 7]
    on_edge = observe(bracket, h, g, lam)
    run[FOLLOWING] = 0.0 if on_edge else step(bracket, lam)
    edge = (bracket[0] - bracket[3]) / (bracket[4] - bracket[1]) if bracket[4] > bracket[1] else 0.0
    if 1e-300 < edge < 1e300:  # between the labels known on either side
        run[WARM] = edge
    elif run[FOLLOWING] > 0.0 and not closing:
        run[WARM] = min(max(warmer(h, g, lam), 0.9 * lam), 1.1 * lam)
    if closing:
        run[UPPER] = min(run[UPPER], run[GOAL])
        return STOP
    if run[FOLLOWING] > 0.0 and run[GOAL] < _HOPEFUL * tangent_bound(run[K], lam):
        return _advance(run, losses)
    return COUNT


@njit
def _attainable(run):
    """Whether some count strictly between LOW and HIGH has a product above the goal under h + lam g <= K."""
    k, lam, scale = run[K], run[LAM], run[SCALE]
    if run[STEP] == NO_UNIT:
        x = min(max(0.5 * k / (lam * scale), run[LOW]), run[HIGH])
        return scale * x * (k - lam * scale * x * (1.0 - _ROUNDING)) > run[GOAL]
    c = np.floor(0.5 * k / (lam * scale))
    for near in (c, c + 1.0):
        x = min(max(near, run[LOW] + 1.0), run[HIGH] - 1.0)
        if run[LOW] < x < run[HIGH] and scale * x * (k - lam * scale * x * (1.0 - _ROUNDING)) > run[GOAL]:
            return True
    return False


@njit
def ran_out(run, losses):
    """The count program ran out of room: read a label off the pass, or else make the next one."""
    return _advance(run, losses) if run[READ] else LABEL


@njit
def _advance(run, losses):
    """On to the next multipliers."""
    if run[STEP] > 0.0:
        _two_advance(run, losses)
    else:
        run[LAM] = run[FOLLOWING]
        run[A] = run[B] = run[LAM] * run[SCALE]
    return AGAIN


@njit
def room(run, budget):
    """What an attempt at the count program may cost: the budget as long as other multipliers are left to try."""
    more = run[PASSES] < _MOST_PASSES if run[STEP] > 0.0 else run[FOLLOWING] > 0.0
    return budget if more else np.inf


@njit
def closed(run, complete):
    """The count program ran to its end: where it was complete nothing above the goal is left. STOP."""
    if not complete:
        return STOP
    goal = max(run[VALUE] * (1.0 + run[TOL]), run[THRESHOLD]) if run[MODE] == PRODUCT else run[VALUE]
    run[UPPER] = min(run[UPPER], goal)
    return STOP


@njit
def finished(run, losses, out):
    """Write the bound and the multiplier for the next visit. Returns whether a label beats the threshold."""
    goal = max(run[VALUE] * (1.0 + run[TOL]), run[THRESHOLD])
    out[3] = max(min(run[UPPER], goal) if run[UPPER] <= goal * (1.0 + TIE) else run[UPPER], run[VALUE])
    out[4] = run[WARM]
    if run[STEP] > 0.0:  # the multiple of the slopes at code 0 whose sum is that of the last ones
        a, b = _slopes(losses, int(run[STEP]), 0)
        x = (run[A] + run[B]) / (a + b) if a + b > 0.0 else 0.0
        if 0.0 < x < np.inf:
            out[4] = x
    return 1 if run[BEST_CODE] >= 0.0 else 0


@njit
def aim_of(run, losses):
    """The aim of a count program after a pass.

    cut[code]: the least h + bonus of a part of that code that can still end above the goal, at that code or with more of either.
    """
    mode, goal, lam = int(run[MODE]), run[GOAL], run[LAM]
    add, cut = np.empty(losses.size), np.empty(losses.size)
    if losses.size == 0:
        return Aim(mode, True, lam, run[SCALE], goal, 2.0 * np.sqrt(lam * goal), 0.0, 0.0, add, cut, losses)
    step = int(run[STEP])
    for c in range(losses.size - 1, -1, -1):
        add[c] = run[A] * (c // step) + run[B] * (c % step)
        if mode == SUM:
            x = goal - lam * losses[c] + add[c]
        else:
            x = np.inf if losses[c] <= 0.0 else goal / losses[c] + add[c]
        if c + step < losses.size:
            x = min(x, cut[c + step])
        if c % step + 1 < step:
            x = min(x, cut[c + 1])
        cut[c] = x
    return Aim(mode, True, lam, 0.0, goal, cut[0], 0.0, 0.0, add, cut, losses)


@njit
def _slopes(losses, step, code):
    """Differences of the loss per false positive and per false negative at a code."""
    fp, fn, n_rows = code // step, code % step, losses.size // step
    up, down = min(fp + 1, n_rows - 1), max(fp - 1, 0)
    right, left = min(fn + 1, step - 1), max(fn - 1, 0)
    a = (losses[up * step + fn] - losses[down * step + fn]) / max(up - down, 1)
    b = (losses[fp * step + right] - losses[fp * step + left]) / max(right - left, 1)
    return a, b


@njit
def _two_bound(run, losses):
    """The greatest that any code allows under h + A fp + B fn <= K, and that code."""
    step, top, arg = int(run[STEP]), -np.inf, 0
    for c in range(losses.size):
        h = run[K] - run[A] * (c // step) - run[B] * (c % step)
        x = losses[c] * h if run[MODE] == PRODUCT else h + run[LAM] * losses[c]
        if x > top:
            top, arg = x, c
    run[TOP_CODE] = arg
    return max(top, 0.0) if run[MODE] == PRODUCT else top


@njit
def _two_advance(run, losses):
    """The slopes where the best label is, or, in every other pass, where the bound is greatest."""
    step = int(run[STEP])
    code = int(run[TOP_CODE])
    h = run[K] - run[A] * (code // step) - run[B] * (code % step)
    if run[MODE] == PRODUCT and run[BEST_CODE] >= 0.0 and run[PASSES] % 2.0 == 1.0:
        code = int(run[BEST_CODE])
        h = run[VALUE] / losses[code]
    a, b = _slopes(losses, step, code)
    x = h / losses[code] if run[MODE] == PRODUCT and losses[code] > 0.0 else run[LAM]
    run[A], run[B] = x * a, x * b
