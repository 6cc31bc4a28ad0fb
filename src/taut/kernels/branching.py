r"""What branch and bound over relaxations shares: what is looked for, and what relaxations bound (NOTES C.0, C.9).

A relaxation with bonuses a per unit of fp and b per unit of fn returns a label, and bounds the score of every code:
:math:`h \le K - a\,fp - b\,fn`. A problem has `table`, the loss by code fp step + fn (one counter: step 1), and `size`, which no
difference of two scores exceeds.
"""

from typing import NamedTuple

import numpy as np

from ..plane import TIE
from .compiling import njit

__all__ = [
    "ASKED", "EPS", "FIRST", "FN", "FOUND", "FP", "GOAL", "INSIDE", "MOST", "PRODUCT", "SUM", "VALUE", "Aim", "H", "aimed",
    "bounded", "close_in", "divided", "linear", "more_rows", "nearer", "still", "took", "worth",
]  # fmt: skip

#: What labels are compared by: h g, h + lam g, the same inside a band of losses, or g.
PRODUCT, SUM, INSIDE, MOST = range(4)
H, FP, FN, VALUE, GOAL, FOUND, ASKED, FIRST = range(8)  # of a run: the last label, the incumbent, cuts, multiplier of the root
EPS = 2.0**-52


class Aim(NamedTuple):
    """What is looked for: labels are compared by `mode`; at most `most` relaxations are asked."""

    mode: int
    lam: float
    lo: float
    hi: float
    threshold: float
    tol: float
    most: float  # cuts


@njit
def worth(aim, h, g):
    """What a label of loss g and score at most h is worth at most."""
    if aim.mode == PRODUCT:
        return h * g if h > 0.0 else 0.0
    if aim.mode == MOST:
        return g if h >= -0.5 else -np.inf
    if aim.mode == INSIDE and not aim.lo < g < aim.hi:
        return -np.inf
    return h + aim.lam * g


@njit
def aimed(problem, aim, run, need):
    """The goal, from the incumbent; and need[code], the least h that beats it."""
    if aim.mode == PRODUCT:
        run[GOAL] = max(run[VALUE] * (1.0 + aim.tol), aim.threshold) * (1.0 + TIE)
    elif aim.mode == MOST or run[VALUE] == -np.inf:
        run[GOAL] = run[VALUE]
    else:
        run[GOAL] = run[VALUE] + TIE * (abs(run[VALUE]) + EPS * problem.size)
    goal = run[GOAL]
    for c in range(problem.table.size):
        g = problem.table[c]
        if aim.mode == PRODUCT:
            need[c] = goal / g + EPS * problem.size if g > 0.0 else np.inf
        elif aim.mode == MOST:
            need[c] = -0.5 if g > goal else np.inf
        elif aim.mode == INSIDE and not aim.lo < g < aim.hi:
            need[c] = np.inf
        else:
            need[c] = goal - aim.lam * g + EPS * problem.size


@njit
def took(problem, aim, run, z, need, label):
    """Take in the label of the last cut: the incumbent, where it is better."""
    g = problem.table[int(run[FP] * problem.step + run[FN])]
    x = run[H] * g if aim.mode == PRODUCT else worth(aim, 0.0 if aim.mode == MOST else run[H], g)
    bar = max(run[VALUE], aim.threshold) if aim.mode == PRODUCT else run[VALUE]
    if x > bar:
        run[VALUE], run[FOUND] = x, 1.0
        for v in range(z.size):
            label[v] = z[v]
        aimed(problem, aim, run, need)


@njit
def bounded(problem, aim, run, span, a, b, need, above, top):
    """Lower above[code] to the line of the last cut, and return the most that is still possible.

    top = (fp, fn) of that code, and the least h + bonus, relative to the label's, that can matter.
    """
    h, fp, fn = run[H] if aim.mode != MOST else 0.0, run[FP], run[FN]
    most, least = -np.inf, np.inf
    for i in range(int(span[0]), int(span[1]) + 1):
        for j in range(int(span[2]), int(span[3]) + 1):
            c = i * problem.step + j
            more = a * (i - fp) + b * (j - fn)
            above[c] = min(above[c], h - more)
            if above[c] > need[c]:
                x = worth(aim, above[c], problem.table[c])
                if x > most:
                    most, top[0], top[1] = x, i, j
            least = min(least, need[c] + more)
    top[2] = least
    return most


@njit
def still(problem, aim, span, need, above):
    """The most that is still possible under the lines so far."""
    most = -np.inf
    for i in range(int(span[0]), int(span[1]) + 1):
        for j in range(int(span[2]), int(span[3]) + 1):
            c = i * problem.step + j
            if above[c] > need[c]:
                most = max(most, worth(aim, above[c], problem.table[c]))
    return most


@njit
def nearer(problem, a):
    """A bonus no greater than what decides every comparison of scores: beyond that only digits are lost."""
    return min(max(a, -2.0 * problem.size), 2.0 * problem.size)


@njit
def close_in(problem, aim, known, side, k, h, fp, a, first):
    """The next multiplier with one counter: secants of the labels on either side of the code where the bound is greatest.

    The label (h, fp) of question k at the multiplier a lies on `side`. known[side] = (1, h, fp) are the brackets, known[2, 0] the
    factor of steps outwards, which start from `first`. NaN: the last label lies on the line of the brackets, the supporting edge.
    """
    both = known[0, 0] > 0.0 and known[1, 0] > 0.0
    edge = both and h + a * fp <= max(known[0, 1] + a * known[0, 2], known[1, 1] + a * known[1, 2])
    known[side, 0], known[side, 1], known[side, 2] = 1.0, h, fp
    if edge:
        return np.nan
    if aim.mode == PRODUCT and k == 0 and fp == 0.0 and h == 1.0 and a > 0.0:
        return 0.0  # the target won: what the others lack says most here
    if known[0, 0] > 0.0 and known[1, 0] > 0.0:
        if not known[1, 2] > known[0, 2]:
            known[1 - side, 0] = 0.0
        else:
            secant = (known[0, 1] - known[1, 1]) / (known[1, 2] - known[0, 2])
            if aim.mode != PRODUCT or secant > 0.0:
                return np.nan if secant == a else secant
            known[0, 0] = 0.0
    factor = known[2, 0] = max(known[2, 0] * known[2, 0], 2.0)
    if aim.mode == PRODUCT:
        a = a if a > 0.0 else first
        if h > 0.0 and fp > 0.0 and (h / fp > a if side == 0 else h / fp < a):
            return nearer(problem, h / fp)
        return nearer(problem, a * factor if side == 0 else a / factor)
    step = max(abs(a), 1e-100) * factor
    return nearer(problem, a + step if side == 0 else a - step)


@njit
def linear(table, step):
    """Whether the loss is a multiple of the one counter: then a plane is one cut."""
    simple = step == 1
    for c in range(table.size):
        simple = simple and table[c] == table[1] * c
    return simple


@njit
def more_rows(fixed):
    """The same rows in an array of twice the length."""
    more = np.empty((2 * fixed.shape[0], fixed.shape[1]), np.int8)
    for i in range(fixed.shape[0]):
        for v in range(fixed.shape[1]):
            more[i, v] = fixed[i, v]
    return more


@njit
def divided(nodes, slot, used, now, at, choice, n_choices):
    """Divide the node that allows `now`: its child in row `slot` lacks `choice` at place `at`, that in row `used` has no other."""
    if used == nodes.shape[0]:
        nodes = more_rows(nodes)
    first = at * n_choices
    nodes[slot], nodes[used] = now, now
    nodes[used, first : first + n_choices] = 0
    nodes[used, first + choice] = now[first + choice]
    nodes[slot, first + choice] = 0
    return nodes
