"""Where to look for the multiplier of the supporting edge: steps shared by lens search and by every direct method."""

import numpy as np

from .compiling import njit

__all__ = ["drowned", "observe", "opened", "step", "step_out", "warmer"]

_BELOW = 0.75  # of the secant: 0.6 and 1 ask 8 and 10 % more on hull-like sets (2026-11)


@njit
def step_out(a, b, lam, factor):
    """The next multiplier while one bracket is missing: the known one's own balance h / g, else ever larger steps.

    From B alone the first step is a little below the secant to the target (1, 0), which is A as long as nothing better is known:
    on the secant itself the answer may be B again. a, b hold (h, g), NaN where there is none. Returns the multiplier and the next
    factor.
    """
    if not np.isnan(a[1]):
        if a[1] > 0.0 and a[0] / a[1] > lam:
            return a[0] / a[1], factor
        return lam * max(factor, 2.0), max(factor, 2.0) ** 2
    if factor == 1.0 and _BELOW * max(b[0], 1.0 - b[0]) / b[1] < lam:
        return _BELOW * max(b[0], 1.0 - b[0]) / b[1], 2.0
    if b[0] > 0.0 and b[0] / b[1] < lam:
        return b[0] / b[1], factor
    return lam / max(factor, 2.0), max(factor, 2.0) ** 2


@njit
def drowned(h_a, h, g, lam):
    """A lower multiplier to ask instead, where a step outwards from A went so far that lam g leaves few digits for h; else 0.

    The answer is then some label of its loss, not the one of greatest h, and must not become B. At the new multiplier it still
    beats A, without a tie, so the answer there is at least as good a B. 0 without A (NaN).
    """
    size = max(h_a, abs(h))
    return 4.0 * size / g if h_a > 0.0 and lam * g > 1024.0 * size else 0.0


@njit
def opened():
    """A bracket that knows nothing: (h, g, lam) of A and of B, NaN where there is none, and the factor of the next step."""
    return np.array([np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, 1.0])


@njit
def observe(bracket, h, g, lam):
    """Take in an answer. Returns whether it lies on the line of the known brackets: then that line is the supporting edge."""
    k = h + lam * g
    a, b = bracket[0] + lam * bracket[1], bracket[3] + lam * bracket[4]
    on_edge = k <= a or k <= b
    side = 0 if h > lam * g else 3
    both = not (np.isnan(bracket[0]) or np.isnan(bracket[3]))
    bracket[side], bracket[side + 1], bracket[side + 2] = h, g, lam
    return both and on_edge


@njit
def step(bracket, lam):
    """The next multiplier: the secant of both brackets, a step outwards from one, or 0 where no new one is left."""
    if np.isnan(bracket[0]) or np.isnan(bracket[3]):
        lam, bracket[6] = step_out(bracket[0:2], bracket[3:5], lam, bracket[6])
        return lam if 1e-300 < lam < 1e300 else 0.0
    if not bracket[4] > bracket[1]:
        return 0.0
    edge = (bracket[0] - bracket[3]) / (bracket[4] - bracket[1])
    return edge if bracket[2] < edge < bracket[5] else 0.0


@njit
def warmer(h, g, lam):
    """Where the next visit of the same example should start: a damped step towards the supporting edge.

    The edge lies above lam where h > lam g and below it otherwise. The fourth root of the answer's own imbalance, at most a
    factor of two, settles within a tenth of it in a few visits; its balance h / g would jump from one end of the edge to the
    other.
    """
    if not h > 0.0:
        return 0.5 * lam
    if not g > 0.0:
        return 2.0 * lam
    return lam * min(max(np.sqrt(np.sqrt(h / (lam * g))), 0.5), 2.0)
