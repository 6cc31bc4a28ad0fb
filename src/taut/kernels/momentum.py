"""Nesterov's momentum between the passes of block steps, on whole vectors of weights."""

from .compiling import njit, njit_sums

__all__ = ["apart", "extrapolate"]


@njit
def extrapolate(w, centre, before, beta, share):
    """centre <- w + beta (w - before); before <- w; w <- w + share (how far the centre has moved)."""
    for p in range(w.size):
        here = w[p]
        ahead = here + beta * (here - before[p])
        before[p] = here
        w[p] = here + share * (ahead - centre[p])
        centre[p] = ahead


@njit_sums
def apart(w, centre, a, b):
    """|a w - b centre|^2."""
    total = 0.0
    for p in range(w.size):
        x = a * w[p] - b * centre[p]
        total += x * x
    return total
