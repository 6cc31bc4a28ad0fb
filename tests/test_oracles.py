"""Laws of the oracles on explicit sets, of the wrappers, and of what they refuse."""

import math

import numpy as np
import pytest
from catalogue import plane_sets
from hypothesis import given
from hypothesis import strategies as st
from laws import Plain

from taut.oracles import Adversary, Answer, OracleError, Points, cached, checked
from taut.plane import Cone
from taut.search import angular_search, lens_search

lams = st.floats(-6, 6).map(lambda x: 10.0**x)


@given(plane_sets(), lams, lams, lams, st.booleans(), st.booleans())
def test_points_equal_enumeration(problem, lam, one, other, lower_closed, upper_closed):
    h, g, _ = problem
    points, plain = Points(h, g), Plain(h, g)
    assert points.argmax(lam) == plain.argmax(lam)
    if one != other:
        cone = Cone.between(min(one, other), max(one, other), lower_closed, upper_closed)
        assert points.argmax_in_cone(lam, cone) == plain.argmax_in_cone(lam, cone)
        band = (min(one, other), max(one, other))
        assert points.argmax_in_band(lam, *band) == plain.argmax_in_band(lam, *band)
    greatest_h, greatest_g = points.extremes()
    assert greatest_h.h == h.max() and greatest_g.g == g.max()


def test_points_say_their_distinct_losses_when_they_are_few():
    assert Points(np.ones(6), [2.0, 0.0, 1.0, 1.0, 0.5, 2.0]).losses.tolist() == [0.0, 0.5, 1.0, 2.0]
    assert Points(np.ones(65), np.arange(65.0)).losses.size == 0
    assert Points(np.ones(64), np.arange(64.0)[::-1]).losses.size == 64
    assert len(Points([1.0], [1.0])) == 1 and "1 labels" in repr(Points([1.0], [1.0]))


def test_ties_go_to_the_greater_product_then_the_lowest_index():
    assert Points([2.0, 1.0, 1.0], [0.0, 1.0, 1.0]).argmax(1.0).label == 1


@pytest.mark.parametrize(
    ("h", "g", "message"),
    [
        ([], [], "at least one label"),
        ([1.0], [1.0, 2.0], "one entry per label; found 1 and 2"),
        ([math.nan], [1.0], r"`h` must be finite; found h\[0\] = nan"),
        ([1.0], [math.inf], r"`g` must be finite; found g\[0\] = inf"),
        ([1.0, 1.0], [1.0, -1.0], r"must be >= 0; found g\[1\] = -1.0"),
        ([[1.0]], [1.0], "one dimension"),
        (["a"], [1.0], "real numbers"),
    ],
)
def test_points_refuse(h, g, message):
    with pytest.raises(ValueError, match=message):
        Points(h, g)


@pytest.mark.parametrize("lam", [0.0, -1.0, math.inf, math.nan])
def test_oracles_refuse_a_bad_multiplier(lam):
    with pytest.raises(ValueError, match="`lam` must be positive and finite"):
        Points([1.0], [1.0]).argmax(lam)


@given(plane_sets())
def test_cached_asks_once_and_checked_lets_truth_pass(problem):
    h, g, lam = problem
    oracle = cached(Plain(h, g))
    first = angular_search(oracle, lam=lam)
    asked = oracle.n_asked
    assert angular_search(checked(oracle), lam=lam) == first and oracle.n_asked == asked == first.n_queries
    assert cached(Plain(h, g)).extremes() == checked(Plain(h, g)).extremes()


class _Liar(Plain):
    def __init__(self, lies):
        super().__init__(np.array([1.0, 0.5, 2.0]), np.array([1.0, 2.0, 0.1]))
        self.lies = lies

    def argmax(self, lam):
        return self.lies.get("argmax", lambda lam: super(_Liar, self).argmax(lam))(lam)

    def argmax_in_band(self, lam, lo, hi):
        return self.lies.get("band", lambda *q: super(_Liar, self).argmax_in_band(*q))(lam, lo, hi)


@pytest.mark.parametrize(
    ("lies", "message"),
    [
        ({"argmax": lambda lam: Answer(7, math.nan, 1.0)}, "label=7.*must be finite"),
        ({"argmax": lambda lam: Answer(7, 1.0, -1.0)}, "label=7.*must be >= 0"),
        ({"argmax": lambda lam: None}, r"argmax\(lam=1.0\) must return a label"),
        ({"band": lambda lam, lo, hi: Answer(9, 1.0, 5.0)}, r"lo=0.5, hi=3.0\) answered Answer\(label=9.*outside"),
        ({"band": lambda lam, lo, hi: None}, r"found no label; label Answer\(label=1"),
        ({"band": lambda lam, lo, hi: Answer(0, 1.0, 1.0)}, r"answered Answer\(label=0.*label Answer\(label=1.*beats it"),
    ],
)
def test_checked_names_the_question_and_the_label(lies, message):
    oracle = checked(_Liar(lies))
    with pytest.raises(OracleError, match=message):
        oracle.argmax(1.0)
        oracle.argmax_in_band(1.0, 0.5, 3.0)


def test_checked_extremes():
    oracle = checked(_Liar({}))
    oracle.argmax(10.0)
    oracle._oracle.extremes = lambda: (Answer(2, 2.0, 0.1), Answer(0, 1.0, 1.0))
    with pytest.raises(OracleError, match="not of greatest g"):
        oracle.extremes()


def test_adversary_limits():
    with pytest.raises(ValueError, match="at least 1"):
        Adversary(0)
    adversary = Adversary(10**6)
    with pytest.raises(FloatingPointError, match="does not resolve"):
        lens_search(adversary)
    assert Adversary(1).extremes()[0].label == 0
