"""A structure in plain Python is served by the same searches."""

import numpy as np
import pytest
from structure_laws import assert_agrees

from taut.search import angular_search, lens_search
from taut.structures import Custom


class Subsets(Custom):
    """Subsets of at most two of n items: nothing taut knows of."""

    def __init__(self, n, bands):
        self.labels = [np.array([i in (a, b) for i in range(n)], float) for a in range(n) for b in range(a, n)]
        self.labels.append(np.zeros(n))
        if not bands:
            self.__class__ = _NoBands

    def score(self, theta, y):
        return float(theta @ y)

    def loss(self, y_true, y, loss=None):
        return float(np.abs(y_true - y).sum())

    def argmax(self, theta, target, lam):
        return max(self.labels, key=lambda y: self.score(theta, y) + lam * self.loss(target, y))

    def argmax_in_band(self, theta, target, lam, lo, hi):
        inside = [y for y in self.labels if lo < self.loss(target, y) < hi]
        return max(inside, key=lambda y: self.score(theta, y) + lam * self.loss(target, y), default=None)


class _NoBands(Subsets):
    argmax_in_band = Custom.argmax_in_band


def test_bands_make_it_exact_and_without_them_it_says_so():
    rng, uncertified = np.random.default_rng(0), 0
    for _ in range(300):
        n = int(rng.integers(1, 7))
        theta = rng.normal(size=n)
        full, blind = Subsets(n, True), Subsets(n, False)
        y = full.labels[rng.integers(len(full.labels))]
        best = max(max((1 + full.score(theta, z) - full.score(theta, y)) * full.loss(y, z) for z in full.labels), 0.0)
        result = full.loss_augmented(theta, y)
        assert result.certified and abs(result.value - best) <= 1e-12 * max(best, 1)
        assert_agrees(full, theta, y, None, result, "slack", 1e-12)
        other = blind.loss_augmented(theta, y)
        assert other.upper_bound >= best * (1 - 1e-12)
        assert not other.certified or abs(other.value - best) <= 1e-12 * max(best, 1)
        uncertified += not other.certified
        margin = full.loss_augmented(theta, y, rescaling="margin")
        assert abs(margin.value - max(full.score(theta, z) - full.score(theta, y) + full.loss(y, z) for z in full.labels)) < 1e-12
    assert uncertified > 0


def test_what_it_cannot_do_raises():
    blind, theta = Subsets(2, False), np.array([1.0, -1.0])
    oracle = blind.oracle(theta, blind.labels[0])
    with pytest.raises(TypeError, match="defines no `argmax_in_band`"):
        oracle.argmax_in_band(1.0, 0.0, 1.0)
    with pytest.raises(TypeError, match="offers no cones"):
        angular_search(oracle)
    with pytest.raises(TypeError, match="no extremes"):
        oracle.extremes()
    with pytest.raises(ValueError, match="`rescaling`"):
        blind.loss_augmented(theta, blind.labels[0], rescaling="x")
    with pytest.raises(ValueError, match="`search`"):
        blind.loss_augmented(theta, blind.labels[0], search="x")
    assert Subsets(2, True).loss_augmented(theta, blind.labels[0], search=lens_search).certified
    assert Custom.losses(blind, None) == ()
    with pytest.raises(NotImplementedError):
        Custom.argmax_in_band(blind, None, None, 1.0, 0.0, 1.0)
