"""Tiny, nasty problems: sets of labels in the plane, drawn by seed so that millions can be made and any one made again."""

import numpy as np
from hypothesis import strategies as st


def _normal(rng, n):
    return rng.normal(size=n), rng.random(n)


def _grid(rng, n):
    return rng.integers(-3, 6, n).astype(float), rng.integers(0, 6, n).astype(float)


def _wild_scales(rng, n):
    return rng.normal(size=n) * rng.choice([1e-12, 1.0, 1e12]), rng.random(n) * rng.choice([1e-12, 1.0, 1e12])


def _collinear(rng, n):
    g = rng.integers(0, 16, n).astype(float)
    return 1.0 - 0.1 * g + rng.choice([0.0, 0.3]) * rng.normal(size=n), g


def _circle(rng, n):
    t, r = rng.random(n) * np.pi / 2, 1.0 + rng.choice([0.0, 0.1]) * rng.normal(size=n)
    return r * np.cos(t), np.abs(r * np.sin(t))


def _infeasible(rng, n):
    return -rng.random(n) * rng.integers(0, 2, n), rng.random(n) * rng.integers(0, 2, n)


def _hyperbola(rng, n):
    """Products nearly equal over a wide range of slopes: the search's worst case."""
    g = np.exp(3.0 * rng.normal(size=n))
    return rng.choice([1.0, 2.0, 3.0]) * np.exp(0.1 * rng.normal(size=n)) / g, g


def _counted(rng, n):
    """Hamming losses divided by the length, with the target at (1, 0)."""
    g = rng.integers(0, 15, n) / 14
    return np.append(1.0 + g * rng.normal() + 0.3 * rng.normal(size=n), 1.0), np.append(g, 0.0)


def _hull_like(rng, n):
    """Integer losses under a concave best score: what training produces."""
    gains = np.sort(rng.normal(size=15) * rng.choice([0.1, 0.3, 1.0]) - rng.choice([0.0, 0.2]))[::-1]
    top = 1.0 + np.concatenate([[0.0], np.cumsum(gains)])
    g = rng.integers(0, 16, n)
    return top[g] - rng.exponential(size=n) * rng.choice([0.0, 0.1, 1.0]), g.astype(float)


def _axes(rng, n):
    on_h = rng.integers(0, 2, n).astype(bool)
    return np.where(on_h, rng.random(n), 0.0), np.where(on_h, 0.0, rng.random(n))


def _duplicates(rng, n):
    h, g = _normal(rng, max(n // 3, 1))
    pick = rng.integers(0, h.size, n)
    return h[pick], g[pick]


SETS = (
    _normal,
    _grid,
    _wild_scales,
    _collinear,
    _circle,
    _infeasible,
    _hyperbola,
    _counted,
    _hull_like,
    _axes,
    _duplicates,
)


def draw_set(rng, most=40):
    """One random set (h, g) of 1 to about `most` labels, and a starting multiplier between 1e-6 and 1e6."""
    make = SETS[rng.integers(len(SETS))]
    h, g = make(rng, int(rng.integers(1, most)))
    return h, g, 10.0 ** rng.uniform(-6, 6) if rng.random() < 0.5 else 1.0


@st.composite
def plane_sets(draw):
    """Hypothesis strategy for `draw_set`: shrinks through the seed."""
    return draw_set(np.random.default_rng(draw(st.integers(0, 2**32 - 1))))


def optimum(h, g):
    """The greatest product, 0 where no label has a positive one (the target's)."""
    return max(float((h * g).max()), 0.0)
