r"""Maximise a concave quadratic over the simplex: the dual of one block, and the whole dual of the 1-slack cutting plane.

:math:`F(\alpha) = b \cdot \alpha - \tfrac r2\, \alpha' Q \alpha`
over :math:`\alpha \ge 0, \sum \alpha = 1`. `slope` is kept at its gradient.
"""

import numpy as np

from .compiling import njit

__all__ = ["block_gap", "pairwise_step", "solve_simplex"]


@njit
def _pair(alpha, slope, q, m, r):
    """The steepest coordinate, and the one with weight from which a step to it gains most (second-order choice, as in SMO)."""
    up, down, most = 0, -1, 0.0
    for a in range(m):
        if slope[a] > slope[up]:
            up = a
    for a in range(m):
        rise = slope[up] - slope[a]
        if alpha[a] > 0.0 and rise > 0.0:
            bend = r * (q[up, up] + q[a, a] - 2.0 * q[up, a])
            step = alpha[a] if bend * alpha[a] <= rise else rise / bend
            gain = step * (rise - 0.5 * bend * step)
            if gain > most:
                most, down = gain, a
    return up, down, most


@njit
def block_gap(alpha, slope, m):
    """Duality gap over these coordinates: max slope - alpha . slope, at least 0."""
    top, mean = -np.inf, 0.0
    for a in range(m):
        top = max(top, slope[a])
        mean += alpha[a] * slope[a]
    return max(top - mean, 0.0)


@njit
def pairwise_step(alpha, slope, q, m, r):
    """Move weight from one coordinate to the steepest, by exact line search, where that gains most. Returns the gain."""
    up, down, gain = _pair(alpha, slope, q, m, r)
    if down < 0:
        return 0.0
    rise = slope[up] - slope[down]
    bend = r * (q[up, up] + q[down, down] - 2.0 * q[up, down])
    step = alpha[down] if bend * alpha[down] <= rise else rise / bend
    if step == alpha[down]:
        alpha[down] = 0.0
    else:
        alpha[down] -= step
    alpha[up] += step
    for a in range(m):
        slope[a] -= r * step * (q[a, up] - q[a, down])
    return gain


@njit
def solve_simplex(alpha, slope, q, m, r, tol, most):
    """Pairwise steps until the gap is `tol` or `most` steps are made. Returns the gain."""
    gain = 0.0
    for _ in range(most):
        if block_gap(alpha, slope, m) <= tol:
            break
        more = pairwise_step(alpha, slope, q, m, r)
        if not more > 0.0:
            break
        gain += more
    return gain
