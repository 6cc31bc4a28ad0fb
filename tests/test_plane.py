"""Laws of the plane's arithmetic."""

import math

import numpy as np
import pytest
from catalogue import optimum, plane_sets
from hypothesis import given
from hypothesis import strategies as st
from laws import (
    assert_convex,
    assert_monotone,
    assert_one_lens,
    assert_restricted_space,
    assert_split,
    concave_hull_product,
    supporting_edge,
)

from taut.oracles import Points
from taut.plane import (
    Band,
    Cone,
    Ray,
    balance,
    capacity,
    cone_suboptimality,
    hull_bound,
    lens,
    lens_heights,
    reflection,
    steeper,
    tangent_bound,
)

lams = st.floats(-6, 6).map(lambda x: 10.0**x)


@given(plane_sets(), lams)
def test_tangent_bound_holds_at_every_multiplier(problem, lam):
    """Lemmas 1 and 5."""
    h, g, _ = problem
    assert tangent_bound(float((h + lam * g).max()), lam) >= optimum(h, g) * (1 - 1e-14)


def test_tangent_bound_squares_after_the_maximum():
    """NOTES E7: with a label of h < 0 the paper's F-bar is 20.25 where the truth is 0 and K^2/4 is 0.25."""
    h, g = np.array([-10.0, 1.0]), np.array([1.0, 0.0])
    assert 0.25 * max((h + g) ** 2) == 20.25
    assert tangent_bound(float((h + g).max()), 1.0) == 0.25
    assert tangent_bound(-3.0, 1.0) == 0.0


@given(plane_sets())
def test_bound_is_convex_in_both_parametrisations(problem):
    """Lemma 1 and NOTES E7: B(mu) is convex, and so is F-bar(lam) = B(lam^2)."""
    h, g, _ = problem
    scale = max(np.abs(h).max(), 1e-300) / max(g.max(), 1e-300)
    grid = [scale * 10.0**x for x in np.linspace(-3, 3, 15)]

    def bound(mu):
        return tangent_bound(float((h + mu * g).max()), mu)

    assert_convex(bound, grid)
    assert_convex(lambda lam: bound(lam * lam), [math.sqrt(x) for x in grid])


@given(plane_sets(), st.lists(lams, min_size=2, max_size=6))
def test_h_falls_and_g_rises_with_lam(problem, many):
    """Lemma 4."""
    h, g, _ = problem
    assert_monotone(Points(h, g), many)


@given(plane_sets(), lams)
def test_restricted_space(problem, lam):
    """Lemmas 2 and 3."""
    h, g, _ = problem
    assert_restricted_space(Points(h, g), h, g, lam)


@given(plane_sets(), lams, lams)
def test_split_of_a_cone(problem, one, other):
    """Lemmas 7, 8, 9 and 10."""
    h, g, _ = problem
    if one != other:
        assert_split(Points(h, g), h, g, min(one, other), max(one, other))


def test_lemma_10_is_tight_and_the_printed_form_is_looser():
    """NOTES E28: B(sqrt v), reached by a label at an end of the cone and one in the middle of its line."""
    beta, alpha = 1 / 9, 9.0
    z, m = (3.0, 1 / 3 * (1 + 1e-9)), (5 / 3, 5 / 3)
    assert math.isclose(z[0] + z[1], m[0] + m[1], rel_tol=1e-8)
    ratio = m[0] * m[1] / (z[0] * z[1])
    assert math.isclose(ratio, cone_suboptimality(capacity(beta, alpha)), rel_tol=1e-6)
    assert cone_suboptimality(capacity(beta, alpha) ** 2) > 1.5 * ratio


@given(plane_sets())
def test_hull_duality(problem):
    """NOTES C.0a: the least tangent bound is the greatest product over the convex hull."""
    h, g, _ = problem
    scale_h, scale_g = max(np.abs(h).max(), 1e-300), max(g.max(), 1e-300)
    h, g = h / scale_h, g / scale_g
    h, g = np.where(np.abs(h) < 1e-6, 0.0, h), np.where(g < 1e-6, 0.0, g)  # the reference's own rounding
    bound, _ = supporting_edge(Points(h, g), h, g)
    product = concave_hull_product(h, g)
    assert math.isclose(bound, product, rel_tol=1e-7, abs_tol=1e-9) or (product == 0.0 and bound <= 1e-6)


@given(plane_sets())
def test_one_lens(problem):
    h, g, _ = problem
    assert_one_lens(h, g)


@given(st.floats(0.1, 10), lams, st.floats(0, 1))
def test_lens_ends_lie_on_line_and_hyperbola(k, lam, share):
    value = share * tangent_bound(k, lam)
    value = value if value > 1e-200 else 0.0  # subnormal products have no relative precision
    for g, h in zip(lens(k, lam, value), lens_heights(k, lam, value), strict=True):
        assert math.isclose(h * g, value, rel_tol=1e-6)
        assert math.isclose(h + lam * g, k, rel_tol=1e-9)
        other_h, other_g = reflection(h, g, lam)
        assert math.isclose(other_h * other_g, value, rel_tol=1e-6)


def test_empty_lens():
    assert lens(1.0, 1.0, 1.0) == (0.5, 0.5)
    assert lens(-1.0, 1.0, 0.0)[0] == lens(-1.0, 1.0, 0.0)[1]


@given(st.floats(-2, 5), st.floats(0, 5), st.floats(0.1, 9), lams)
def test_hull_bound_dominates_every_product_under_the_line(lo, width, k, lam):
    lo = max(lo, 0.0)
    for g in np.linspace(lo, lo + width, 11):
        assert g * (k - lam * g) <= hull_bound(lo, lo + width, k, lam) * (1 + 1e-12) + 1e-12
    assert hull_bound(lo, lo + width, k, lam) <= tangent_bound(k, lam) * (1 + 1e-12)


def test_cones_and_bands_say_which_ends_are_theirs():
    half = Cone.between(0.5, 2.0, lower_closed=True)
    assert half.contains(2.0, 1.0) and not half.contains(1.0, 2.0) and half.contains(1.0, 1.0)
    assert not Cone().contains(1.0, 0.0) and not Cone().contains(0.0, 1.0) and not Cone().contains(-1.0, 1.0)
    assert Cone(lower_closed=True).contains(1.0, 0.0)
    assert Ray(0.0, 1.0).slope == math.inf and Ray(2.0, 1.0).slope == 0.5
    assert Band(1.0, 2.0).contains(0.0, 1.5) and not Band(1.0, 2.0).contains(0.0, 1.0)
    assert Cone.between(0.0, math.inf).contains(1e-12, 1e12)
    with pytest.raises(ValueError, match="beta < alpha"):
        Cone.between(2.0, 1.0)


def test_slopes_compare_without_division():
    assert steeper(0.0, 1.0, 1.0, 1e300) and not steeper(1.0, 0.0, 1.0, 0.0)
    assert balance(3.0, 2.0) == 1.5
