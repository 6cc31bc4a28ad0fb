"""Laws of the searches, each against every search that promises it."""

import math

import numpy as np
import pytest
from catalogue import draw_set, optimum, plane_sets
from hypothesis import given
from hypothesis import strategies as st
from laws import (
    ROUNDING,
    Plain,
    assert_bound_at_every_query,
    assert_consistent,
    assert_convex,
    assert_exact,
    n_slopes,
    rate,
    v_one,
)

from benchmarks import sets
from taut.oracles import Adversary, Answer, Points, cached
from taut.plane import Band, Cone, lens, tangent_bound
from taut.search import angular_search, binary_search, bisecting_search, lens_search, sarawagi_search

LAM_ONLY = (binary_search, sarawagi_search, bisecting_search)
EXACT = (angular_search, lens_search)
EVERY = LAM_ONLY + EXACT
N_SETS = 100_000  # `make exact-search` checks 10^6


def test_exact_searches_on_many_sets():
    rng = np.random.default_rng(20261118)
    for _ in range(N_SETS):
        h, g, lam = draw_set(rng)
        points = Points(h, g)
        assert_exact(lens_search(points, lam=lam), h, g)
        assert_exact(angular_search(points, lam=lam), h, g)


@given(plane_sets(), st.sampled_from(["best", "fifo", "lifo"]), st.booleans())
def test_angular_is_exact_in_every_order(problem, order, prune):
    h, g, lam = problem
    result = angular_search(Points(h, g), lam=lam, order=order, prune=prune)
    assert_exact(result, h, g)
    assert result.n_queries <= 2 * n_slopes(h, g) + 1  # Theorem 2, with the cone ends of NOTES E22


@pytest.mark.parametrize("search", EVERY)
@given(problem=plane_sets(), most=st.integers(1, 12))
def test_bounds_hold_at_every_query_and_when_cut_off(search, problem, most):
    h, g, lam = problem
    for limit in (None, most):
        result = search(Points(h, g), lam=lam, max_queries=limit)
        assert_consistent(result, h, g)
        assert_bound_at_every_query(result, h, g)
        assert limit is None or result.n_queries <= limit


@pytest.mark.parametrize("search", EVERY)
@given(problem=plane_sets())
def test_interpreted_equals_compiled(search, problem):
    """Each search exists once; over an oracle in plain Python it asks the same questions and gets the same answers."""
    h, g, lam = problem
    points = Points(h, g)
    assert search(cached(Plain(h, g, points.losses)), lam=lam) == search(points, lam=lam)


@pytest.mark.parametrize("search", EXACT)
@given(problem=plane_sets(), share=st.floats(0, 2))
def test_threshold_and_enough(search, problem, share):
    h, g, lam = problem
    best = optimum(h, g)
    result = search(Points(h, g), lam=lam, threshold=share * best)
    assert_consistent(result, h, g, threshold=share * best)
    assert result.certified
    if share * best >= best:
        assert result.label is None and result.upper_bound <= max(share * best, 0.0)
    elif share < 1 - 1e-12:
        assert math.isclose(result.value, best, rel_tol=ROUNDING)
    first = search(Points(h, g), lam=lam, enough=share * best)
    assert_consistent(first, h, g)
    assert first.value > share * best or first.certified
    assert first.n_queries <= search(Points(h, g), lam=lam).n_queries


@pytest.mark.parametrize("search", EVERY)
@given(problem=plane_sets(), tol=st.floats(0, 1))
def test_tolerance_is_kept(search, problem, tol):
    h, g, lam = problem
    result = search(Points(h, g), lam=lam, tol=tol)
    assert_consistent(result, h, g, tol=tol)
    if search in EXACT:
        assert result.certified
        assert result.value * (1 + tol) >= optimum(h, g) * (1 - ROUNDING)


@given(problem=plane_sets())
def test_lens_asks_few_bands(problem):
    """After phase 1 at most two questions per loss value in the lens; one where the oracle lists its losses."""
    h, g, lam = problem
    points = Points(h, g)
    for oracle, per_value in ((points, 1), (Plain(h, g), 2)):
        bands = [q for q in lens_search(oracle, lam=lam).trace if q.region is not None]
        if bands:
            lo, hi = min(q.region.lo for q in bands), max(q.region.hi for q in bands)
            held = np.unique(g[(g > lo) & (g < hi)])
            halvings = math.ceil(math.log(hi / lo, 16)) if per_value == 2 and lo > 0 else 0
            assert len(bands) <= per_value * (len(held) + halvings) + (per_value == 2)


@pytest.mark.parametrize(
    ("draw", "warm", "most"),
    [(sets.random, False, 0.7), (sets.hamming, False, 0.8), (sets.hull_like, False, 0.5), (sets.hull_like, True, 0.5)],
)
def test_lens_needs_fewer_questions_than_angular_search(draw, warm, most):
    """Of those of best-first pruned angular search, on integer losses of up to 15 values; warm as in training's next visit."""
    rng, lens_asked, angular_asked = np.random.default_rng(6), 0, 0
    for _ in range(1000):
        h, g = draw(rng, int(10 ** rng.uniform(1, 3)))
        lam = lens_search(Points(h + 0.01 * rng.normal(size=len(h)), g)).lam if warm else 1.0
        lens_asked += lens_search(Points(h, g), lam=lam).n_queries
        angular_asked += angular_search(Points(h, g), lam=lam).n_queries
    assert lens_asked <= most * angular_asked, (lens_asked, angular_asked)


@given(problem=plane_sets(), power=st.integers(-30, 30))
def test_argmax_is_invariant_to_the_scale_of_the_loss(problem, power):
    """NOTES E2: scaling g scales values and bounds, and leaves the label."""
    h, g, lam = problem
    scale = 2.0**power
    one, other = lens_search(Points(h, g), lam=lam), lens_search(Points(h, g * scale), lam=lam / scale)
    assert math.isclose(one.value * scale, other.value, rel_tol=ROUNDING)
    unscaled = angular_search(Points(h, g), lam=lam)
    scaled = angular_search(Points(h, g * scale), lam=lam / scale)
    assert unscaled.label == scaled.label and unscaled.value * scale == scaled.value


@given(problem=plane_sets(), lam=st.floats(-3, 3).map(lambda x: 10.0**x))
def test_lambda_oracle_is_the_margin_oracle_at_theta_over_lam(problem, lam):
    """Section 2: with f = (h - 1), argmax f/lam + g is argmax h + lam g."""
    h, g, _ = problem
    margin = (h - 1.0) / lam + g
    answer = Points(h, g).argmax(lam)
    assert margin[answer.label] >= margin.max() - 1e-12 * np.abs(margin).max()


# --- rates and counts ----------------------------------------------------------------------------------------------


def _ratio(result, best):
    return best / result.value if result.value > 0 else math.inf


@pytest.mark.parametrize("order", ["fifo", "best"])
def test_rate_of_theorem_3(order):
    """Corrected (E29): Phi*/Phi^ <= cosh^2(2 ln v1 / (t+2)); best-first keeps it as its certificate too."""
    rng, checks = np.random.default_rng(3), 0
    while checks < 20_000:
        h, g, lam = draw_set(rng)
        best = optimum(h, g)
        if best == 0.0:
            continue
        for t in range(1, 16):
            result = angular_search(Points(h, g), lam=lam, order=order, prune=False, max_queries=t)
            bound = rate(v_one(result, lam), t)
            assert _ratio(result, best) <= bound * (1 + 1e-9)
            if order == "best":
                assert result.upper_bound / result.value <= bound * (1 + 1e-9)
            checks += 1
            if result.n_queries < t:
                break


def test_lifo_violates_the_rate():
    """NOTES E29: the paper says depth first, which breaks its own theorem."""
    rng, violations = np.random.default_rng(4), 0
    for _ in range(3000):
        h, g, lam = draw_set(rng)
        best = optimum(h, g)
        for t in (3, 7, 15):
            result = angular_search(Points(h, g), lam=lam, order="lifo", prune=False, max_queries=t)
            violations += best > 0 and _ratio(result, best) > rate(v_one(result, lam), t) * (1 + 1e-9)
    assert violations > 0


def test_literal_v1_of_theorem_3_is_wrong():
    """NOTES E29: with v1 = max(lam0 / d1, d1 / lam0) as printed the rate fails; d(R) = 1/lam0 needs lam0 d1."""
    rng, violations = np.random.default_rng(5), 0
    for _ in range(3000):
        h, g, lam = draw_set(rng)
        best = optimum(h, g)
        for t in (1, 3):
            result = angular_search(Points(h, g), lam=lam, order="fifo", prune=False, max_queries=t)
            if best > 0:
                d1 = result.trace[0].g / result.trace[0].h
                violations += _ratio(result, best) > rate(max(lam / d1, d1 / lam), t) * (1 + 1e-9)
    assert violations > 0


@given(problem=plane_sets(), eps=st.sampled_from([0.3, 0.1, 0.01]))
def test_theorem_4(problem, eps):
    """Corrected (E30): from the cone (phi/H^2, G^2/phi), T = 2 ln(H G / phi) / sqrt(eps) questions give 1 - eps."""
    h, g, _ = problem
    best = optimum(h, g)
    if best == 0.0:
        return
    top_h, top_g, phi = float(h.max()), float(g.max()), 0.5 * best
    budget = max(1, math.ceil(2 * math.log(top_h * top_g / phi) / math.sqrt(eps)))
    cone = (phi / top_h**2, top_g**2 / phi)
    for order in ("fifo", "best"):
        result = angular_search(Points(h, g), cone=cone, order=order, max_queries=budget, lam=123.0)
        assert math.isclose(result.trace[0].lam, top_h / top_g, rel_tol=1e-9)
        assert result.value >= (1 - eps) * best * (1 - 1e-9)


def test_theorem_1_three_labels_blind_every_search_on_the_multiplier():
    """As corrected in NOTES E17: A = (e/G, G), B = (H, e/H), C = (H/2, G/2): value e instead of H G / 4."""
    top_h, top_g, e = 1.0, 10.0, 1e-3
    h, g = np.array([e / top_g, top_h, top_h / 2]), np.array([top_g, e / top_h, top_g / 2])
    points = Points(h, g)
    for lam in 10.0 ** np.linspace(-6, 6, 200):
        assert points.argmax(lam).label != 2
    for search in LAM_ONLY:
        result = search(points)
        assert result.value <= e * (1 + 1e-12) and not result.certified
        assert result.upper_bound >= top_h * top_g / 4
    for search in EXACT:
        assert search(points).label == 2


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 1)), max_size=10))
def test_corollary_any_set_below_the_chord(others):
    """The missing Corollary (Lemma 6): labels strictly below the chord A B are never the lambda-oracle's answer."""
    h = np.array([0.001, 1.0] + [x for x, _ in others])
    g = np.array([1.0, 0.001] + [max(0.0, (1.0 - x) * (1 - depth)) for x, depth in others])
    below = h + g < 1.0 + 0.001 - 1e-9
    points = Points(h, g)
    for lam in 10.0 ** np.linspace(-5, 5, 101):
        assert not below[points.argmax(lam).label]


def test_theorem_1_as_printed_needs_its_correction():
    """NOTES E17: with A = (e, G), B = (H, e) the products are e G and e H, not both the least, nor below e."""
    h, g, e = np.array([0.01, 1.0, 0.5]), np.array([10.0, 0.01, 5.0]), 0.01
    assert h[0] * g[0] > e and h[0] * g[0] != h[1] * g[1]


@pytest.mark.parametrize(
    ("search", "n_labels"),
    [(search, n) for search in EVERY for n in (1, 2, 3, 5, 7, 9) if n < 9 or search is not lens_search],
)
def test_adversary_defeats_any_search_before_m_queries(search, n_labels):
    """Theorem 5 (Algorithm 3 corrected, E32-E33), and its answers are those of the set it ends with."""
    adversary = Adversary(n_labels)
    result = search(adversary, max_queries=max(n_labels - 1, 1))
    labels = adversary.labels()
    if result.n_queries < n_labels:
        assert max(a.h * a.g for a in labels) == labels[-1].h * labels[-1].g > result.value
    assert len(labels) <= n_labels
    honest = Points([a.h for a in labels], [a.g for a in labels])
    for query in result.trace:
        if query.region is None:
            answer = honest.argmax(query.lam)
        elif isinstance(query.region, Cone):
            answer = honest.argmax_in_cone(query.lam, query.region)
        else:
            answer = honest.argmax_in_band(query.lam, *query.region)
        if math.isnan(query.h):
            assert answer is None
        else:
            score, honest_score = query.h + query.lam * query.g, answer.h + query.lam * answer.g
            assert math.isclose(score, honest_score, rel_tol=4e-16)  # both brackets tie at the secant's multiplier


def test_adversary_becomes_an_honest_set():
    adversary = Adversary(5)
    result = lens_search(adversary)
    labels = adversary.labels()
    assert result.value == max(a.h * a.g for a in labels)


# --- Sarawagi and Gupta ----------------------------------------------------------------------------------------------


@given(problem=plane_sets(), share=st.floats(0.01, 2))
def test_sarawagi_chain(problem, share):
    """max (h - xi/g) <= min F, and F is convex."""
    h, g, _ = problem
    best = optimum(h, g)
    if best == 0.0:
        return
    xi, feasible = share * best, (h > 0) & (g > 0)
    violation = float((h[feasible] - xi / g[feasible]).max())

    def f(lam):
        return float((h + lam * g).max()) - 2.0 * math.sqrt(xi * lam)

    grid = [float(h[feasible].max() / g[feasible].max()) * 10.0**x for x in np.linspace(-4, 4, 41)]
    assert violation <= min(f(lam) for lam in grid) + 1e-9 * float(np.abs(h).max())
    assert_convex(f, grid)
    if share < 1:  # a label violates at level xi iff the maximum is positive
        assert violation > 0


def test_maximiser_of_h_minus_xi_over_g_is_another():
    """NOTES E9: not that of h g; iterating xi <- value repairs it on hull vertices."""
    h, g, xi = np.array([2.0, 0.6]), np.array([1.0, 4.0]), 0.1
    assert np.argmax(h - xi / g) != np.argmax(h * g)
    assert sarawagi_search(Points(h, g)).label == 1


@given(problem=plane_sets())
def test_repeating_the_level_with_an_exact_inner_maximum_finds_the_best(problem):
    """NOTES E9: xi <- the product of argmax h - xi / g over labels with h, g > 0 (Dinkelbach) ends at max h g."""
    h, g, _ = problem
    inside = (h > 0) & (g > 0)
    if not inside.any():
        return
    h, g, xi = h[inside], g[inside], 0.0
    for _ in range(len(h) + 1):
        best = int((h - xi / g).argmax())
        if h[best] * g[best] <= xi:
            break
        xi = h[best] * g[best]
    assert math.isclose(xi, (h * g).max(), rel_tol=1e-12)


@given(problem=plane_sets())
def test_sarawagi_sees_no_violator_only_where_none_is_on_the_hull(problem):
    h, g, lam = problem
    best = optimum(h, g)
    result = sarawagi_search(Points(h, g), lam=lam, xi=2 * best, threshold=2 * best)
    assert result.label is None and result.upper_bound >= best * (1 - ROUNDING)


# --- counter-examples of the notes -------------------------------------------------------------------------------------


@given(problem=plane_sets(), ends=st.sampled_from([(0.0, 1.0), (1.0, math.inf), (0.1, 10.0)]), shift=st.integers(-6, 6))
def test_e24_a_root_cone_with_an_open_side_finds_the_best_inside(problem, ends, shift):
    """NOTES E24: 1 / sqrt(alpha beta) needs both slopes; where one is an axis, lam is moved inside."""
    h, g, lam = problem
    cone = Cone.between(ends[0] * 10.0**shift, ends[1] * 10.0**shift)
    inside = np.array([cone.contains(a, b) for a, b in zip(h, g, strict=True)])
    best = max((h[inside] * g[inside]).max(initial=0.0), 0.0)
    for order in ("best", "fifo", "lifo"):
        result = angular_search(Points(h, g), lam=lam, cone=cone, order=order)
        assert math.isclose(result.value, best, rel_tol=ROUNDING) and result.certified
        assert all(q.region.lower.slope >= cone.lower.slope for q in result.trace)


@pytest.mark.parametrize("h_far", [-1.0, -1e6, -1e-6])
def test_a_search_that_stepped_too_far_comes_back(h_far):
    """From a tiny lam the steps outwards double; back from too far, the label found there may tie with the first one."""
    h, g = np.array([1.0, 0.5, h_far]), np.array([0.0, 0.2, 1.0])
    for listed in (g, ()):
        for lam in 10.0 ** np.linspace(-9, 0, 37):
            assert_exact(lens_search(Plain(h, g, listed), lam=lam), h, g)


def test_e13_a_tangent_label_is_optimal():
    result = bisecting_search(Points([2.0, 1.0], [2.0, 0.5]), lam=1.0)
    assert result.certified and result.n_queries == 1 and result.label == 0


def test_e22_one_label_terminates_at_once():
    for order in ("best", "fifo", "lifo"):
        assert angular_search(Points([2.0], [1.0]), order=order, prune=False).n_queries <= 3


def test_e22_the_middle_ray_is_not_lost():
    result = angular_search(Points([1.0, 2.0], [3.0, 2.0]), lam=1.0, prune=False)
    assert result.value == 4.0 and result.n_queries <= 5


def test_e22_the_root_leaves_out_the_target():
    result = angular_search(Points([1.0, 0.1], [0.0, 0.1]), lam=1.0)
    assert result.label == 1 and all(q.g > 0 for q in result.trace if q.g == q.g)


def test_e23_a_tie_prunes_its_own_cone_only():
    for prune in (True, False):
        assert angular_search(Points([1.0, 1.0, 1.0], [1.0, 2.0, 4.0]), lam=1.0, prune=prune).value == 4.0


def test_e5_no_violator_is_the_target():
    for search in EVERY:
        result = search(Points([1.0, -1.0, 0.0], [0.0, 2.0, 1.0]))
        assert result.label is None and (result.h, result.g, result.value) == (1.0, 0.0, 0.0)
    for search in EXACT:
        assert search(Points([-1.0], [1.0])).certified and search(Points([1.0], [0.0])).certified


def test_collinear_vertices_need_a_band():
    """NOTES C.0b(iv): h = 1 - .1 k, k = 0..14: the hull has two vertices, the best product lies inside the edge."""
    k = np.arange(15.0)
    h = 1.0 - 0.1 * k - 1e-9 * ((k > 0) & (k < 14))
    result = lens_search(Points(h, k))
    assert result.label == 5 and result.certified
    assert any(isinstance(q.region, Band) for q in result.trace)
    for search in LAM_ONLY:
        assert not search(Points(h, k)).certified


def test_certified_lens_is_the_lens_of_its_trace():
    h, g = np.array([2.0, 1.2, 0.5]), np.array([1.0, 2.0, 4.1])
    result = lens_search(Points(h, g))
    k = [q for q in result.trace if q.region is None][-1]
    g1, g2 = lens(k.h + k.lam * k.g, k.lam, result.value)
    assert g1 <= result.g <= g2 and result.upper_bound <= tangent_bound(k.h + k.lam * k.g, k.lam)


# --- what users may get wrong ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", EVERY)
@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"lam": 0.0}, "`lam` must be positive"),
        ({"lam": -1.0}, "`lam` must be positive"),
        ({"lam": math.nan}, "`lam` must be positive"),
        ({"lam": math.inf}, "`lam` must be positive"),
        ({"threshold": math.nan}, "`threshold` must be finite"),
        ({"threshold": math.inf}, "`threshold` must be finite"),
        ({"enough": math.nan}, "`enough` must be a number"),
        ({"tol": -1.0}, "`tol` must be finite and >= 0"),
        ({"max_queries": 0}, "`max_queries` must be at least 1"),
    ],
)
def test_bad_input(search, keywords, message):
    with pytest.raises(ValueError, match=message):
        search(Points([1.0], [1.0]), **keywords)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: angular_search(p, order="deepest"), "`order` must be one of"),
        (lambda p: angular_search(p, cone=(2.0, 1.0)), "beta < alpha"),
        (lambda p: sarawagi_search(p, xi=-1.0), "`xi` must be finite"),
        (lambda p: sarawagi_search(p, span=1.0), "`span`"),
        (lambda p: sarawagi_search(p, precision=1.0), "`precision`"),
        (lambda p: binary_search(p, span=0.5), "`span`"),
        (lambda p: binary_search(p, precision=0.0), "`precision`"),
        (lambda p: bisecting_search(p, precision=2.0), "`precision`"),
    ],
)
def test_bad_options(call, message):
    with pytest.raises(ValueError, match=message):
        call(Points([1.0], [1.0]))


def test_an_oracle_that_cannot_answer_is_named():
    class OnlyArgmax:
        def argmax(self, lam):
            return 0, 1.0, 1.0 / lam if lam < 0.1 else 0.0

    with pytest.raises(TypeError, match="needs `argmax_in_cone`, which OnlyArgmax does not offer"):
        angular_search(OnlyArgmax())


@given(problem=plane_sets(), noise=st.sampled_from([1e-12, 1e-6, 1e-3]))
def test_angular_search_ends_where_an_oracle_rounds_labels_into_cones(problem, noise):
    """An oracle that tests cones with scores of fewer digits than it answers: each cone must still shrink."""
    h, g, lam = problem
    rough = Plain(h * (1.0 + noise * np.sin(np.arange(len(h)))), g)

    class Rounds(Plain):
        def argmax_in_cone(self, lam, cone):
            found = rough.argmax_in_cone(lam, cone)
            return None if found is None else Answer(found.label, self.h[found.label], self.g[found.label])

    for order in ("best", "fifo", "lifo"):
        result = angular_search(Rounds(h, g), lam=lam, order=order, max_queries=5000)
        assert result.n_queries < 5000


def test_a_python_oracle_that_answers_nan_is_stopped():
    class Broken:
        def argmax(self, lam):
            return "y", math.nan, 1.0

    with pytest.raises(ValueError, match="label 'y' has h=nan"):
        lens_search(Broken())


def test_an_oracle_whose_losses_are_not_those_that_it_lists_is_stopped():
    class Rounds(Plain):
        def argmax_in_band(self, lam, lo, hi):
            return Answer(1, self.h[1], self.g[1])

    h, g = np.array([9.0, 2.5, 5.2]), np.array([2.0, 9.0, 5.0])
    for losses in (np.array([2.0, 5.0, np.nextafter(9.0, 10.0)]), ()):
        with pytest.raises(ValueError, match="to the last bit"):
            lens_search(Rounds(h, g, losses))


def test_any_label_object_comes_back():
    class Two:
        def argmax(self, lam):
            return max([(("a", "b"), 1.0, 1.0), (np.zeros(2), 2.0, 0.0)], key=lambda a: a[1] + lam * a[2])

        def argmax_in_band(self, lam, lo, hi):
            return None

    assert lens_search(Two()).label == ("a", "b")
