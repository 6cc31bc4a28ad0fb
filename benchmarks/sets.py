"""Families of explicit label sets for the searches: (h, g) by name, size and generator."""

import numpy as np


def random(rng, n):
    """Normal scores, integer losses 0..15."""
    return rng.normal(size=n), rng.integers(0, 16, n).astype(float)


def hull_like(rng, n):
    """Integer losses under a concave best score, as training produces; half of the sets start above the target."""
    gains = np.sort(rng.normal(size=15) * rng.choice([0.1, 0.3, 1.0]) - rng.choice([0.0, 0.2]))[::-1]
    top = 1.0 + np.concatenate([[0.0], np.cumsum(gains)])
    g = np.concatenate([np.arange(16), rng.integers(0, 16, max(n - 16, 0))])
    below = np.concatenate([np.zeros(16), rng.exponential(size=max(n - 16, 0))])
    return top[g] - below, g.astype(float)


def hamming(rng, n):
    """Few integer losses, scores that fall with them and vary: a decoder's plane early in training."""
    g = rng.integers(0, 16, n).astype(float)
    return 1.0 - rng.uniform(0.02, 0.2) * g + 0.3 * rng.normal(size=n), g


def real(rng, n):
    """Real losses."""
    return rng.normal(size=n), rng.random(n)


def adversarial(rng, n):
    """All products nearly equal over a wide range of slopes: every search has to look at many labels."""
    g = np.exp(2.0 * rng.normal(size=n))
    return np.exp(0.05 * rng.normal(size=n)) / g, g


INTEGER = {"random": random, "hull-like": hull_like, "hamming": hamming}
ALL = {**INTEGER, "real": real, "adversarial": adversarial}
