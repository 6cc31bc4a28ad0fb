"""Integer programs against enumeration: every structure that writes one, every question, both engines, and the limit of time."""

import math

import numpy as np
import pytest
from structure_answers import Plane, Tally, best_inside
from structure_catalogue import ROWS

from taut.losses import Hamming
from taut.oracles import MILP, TimeLimit
from taut.plane import Band, Cone, Ray, tangent_bound
from taut.search import angular_search, lens_search, timed_search
from taut.structures import Chain, MultiLabel

N_CASES = 2000  # questions and searches
NEAR = 1e-8  # of the greatest number in a question: HiGHS stops there
PROGRAMS = [name for name in ROWS if name != "custom"]


@pytest.mark.parametrize("engine", ["scipy", "highspy"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_answer_equals_enumeration(name, engine):
    rng, tally = np.random.default_rng(20261119), Tally()
    while tally.answers.total() < N_CASES / len(PROGRAMS) / 2:
        draw = ROWS[name](rng, 1, real=bool(rng.integers(2)))
        if draw.thetas:
            check(draw, engine, rng, tally)
        assert not tally.wrong, tally.wrong[0]


def check(draw, engine, rng, tally):
    """The questions of one example: the whole plane, bands and cones, their ends at labels too."""
    plane, feasible = Plane(draw), np.isfinite(draw.scores[0])
    h, g = plane.h[0][feasible], plane.g[0][feasible]
    top, greatest = float(plane.top_g[0]), max(1.0, float(draw.greatest[0]))
    oracle = MILP(draw.structure, draw.thetas[0], draw.labels[draw.targets[0]], draw.loss, solver=engine)

    def note(kind, right, found):
        tally.add(kind, right, lambda _: f"found {found} by {engine} on {draw.structure} under {draw.loss}, h {h!r}, g {g!r}")

    lam = 10.0 ** rng.uniform(-2, 2) * greatest / (top or 1.0)
    room = NEAR * (greatest + lam * top)
    answer = oracle.argmax(lam)
    note("argmax", plane.fits(0, answer) and abs(answer.h + lam * answer.g - (h + lam * g).max()) <= room, answer)
    note("relaxed", oracle.relaxation_bound(lam) >= (h + lam * g).max() - room, oracle.relaxation_bound(lam))
    one, other = oracle.extremes()
    note("extremes", abs(one.h - h.max()) <= NEAR * greatest, one)
    note("extremes", abs(other.g - top) <= NEAR * top, other)
    regions = [Band(answer.g, math.inf), Band(-1.0, answer.g), Band(*sorted(rng.uniform(-0.3, 1.3, 2) * max(top, 1e-3)))]
    slope = max(top, 1e-3) / greatest
    regions.append(Cone.between(*sorted(slope * 10.0 ** rng.uniform(-2, 2, 2)), lower_closed=bool(rng.integers(2))))
    if answer.h > 0 and answer.g > 0:  # through a label: strictly beside it, or from it on
        ray = Ray(answer.h, answer.g)
        regions += [Cone(lower=ray), Cone(upper=ray), Cone(lower=ray, lower_closed=True)]
    for region in regions:
        found = oracle.argmax_in_band(lam, *region) if isinstance(region, Band) else oracle.argmax_in_cone(lam, region)
        inside = best_inside(found, lam, h, g, region, answer.g, room, NEAR, (greatest, top))
        note(type(region).__name__.lower(), inside and (found is None or plane.fits(0, found)), found)
    best = max(float((h * g).max()), 0.0)
    for search in (angular_search, lens_search):
        result = search(oracle, lam=greatest / (top or 1.0))
        wide = NEAR * greatest * top
        right = result.certified and abs(result.value - best) <= wide and result.upper_bound >= best - wide
        note(search.__name__, right, result)


def test_the_label_at_an_open_end_is_left_out_by_name():
    """NOTES E26: there are no strict inequalities in the solver; many labels at the end itself are no way around them."""
    chain, y = Chain(2), np.zeros(6, np.int64)
    theta = chain.potentials(np.zeros((6, 2)), np.zeros((2, 2)))  # all labels of a loss share their point
    oracle = MILP(chain, theta, y, Hamming(weights=[1.0, 1.0, 1.0, 1.0, 1.0, math.pi]))
    assert len(oracle.losses) == 0
    one = 1.0 / (5.0 + math.pi)
    for lo, hi, best in ((0.0, 5.0 * one, 1.0 + math.pi), (4.0 * one, 1.0, 4.0 + math.pi), (one, 3.0 * one, 2.0)):
        assert abs(oracle.argmax_in_band(1.0, lo, hi).g - best * one) <= 1e-9
    assert oracle.argmax_in_band(1.0, 2.0 * one * (1 + 1e-7), 3.0 * one * (1 - 1e-7)) is None
    cone = Cone(lower=Ray(1.0, 3.0 * one))
    assert oracle.argmax_in_cone(1e-3, cone).g > 3.0 * one


HARD = MultiLabel(40, edges="full")


def hard(seed):
    """A label graph that no solver finishes in a tenth of a second, and a label found by flipping."""
    rng, y = np.random.default_rng(seed), np.zeros(40, np.int64)
    theta = HARD.potentials(rng.normal(size=40), rng.normal(size=HARD.n_shared))
    label, better = rng.integers(0, 2, 40), True

    def worth(label):
        return HARD.score(theta, label) + HARD.loss(y, label)

    while better:
        others = [np.where(np.arange(40) == j, 1 - label, label) for j in range(40)]
        best = max(others, key=worth)
        better = worth(best) > worth(label)
        label = best if better else label
    return theta, y, label


@pytest.mark.parametrize("engine", ["scipy", "highspy"])
def test_a_limit_of_time_gives_the_solvers_valid_bound(engine):
    theta, y, known = hard(0)
    oracle = MILP(HARD, theta, y, max_time=0.1, solver=engine)
    with pytest.raises(TimeLimit, match=r"within max_time=0\.1 s") as late:
        oracle.argmax(1.0)
    h, g = 1.0 + HARD.score(theta, known) - HARD.score(theta, y), HARD.loss(y, known)
    assert late.value.bound >= h + g
    assert tangent_bound(late.value.bound, 1.0) >= h * g
    incumbent = late.value.incumbent
    assert incumbent is None or late.value.bound >= incumbent.h + incumbent.g
    with pytest.raises(TimeLimit) as in_band:
        oracle.argmax_in_band(1.0, 0.2, 0.9)
    assert in_band.value.incumbent is None or 0.2 < in_band.value.incumbent.g < 0.9


@pytest.mark.parametrize("search", [angular_search, lens_search])
def test_a_search_out_of_time_keeps_what_it_knew(search):
    theta, y, known = hard(1)
    h, g = 1.0 + HARD.score(theta, known) - HARD.score(theta, y), HARD.loss(y, known)
    result = timed_search(search, MILP(HARD, theta, y), 0.5)
    assert not result.certified
    assert result.upper_bound >= max(h * g, result.value) and result.n_queries == len(result.trace)
    if result.label is not None:
        assert math.isclose(result.g, HARD.loss(y, result.label)) and result.value == result.h * result.g


def test_time_enough_changes_nothing():
    rng, chain = np.random.default_rng(2), Chain(3)
    theta, y = chain.potentials(rng.normal(size=(5, 3)), rng.normal(size=(3, 3))), rng.integers(0, 3, 5)
    for search in (angular_search, lens_search):
        one, other = search(MILP(chain, theta, y)), timed_search(search, MILP(chain, theta, y), 60.0)
        assert (one.value, one.upper_bound, one.n_queries) == (other.value, other.upper_bound, other.n_queries)
        assert abs(one.value - chain.loss_augmented(theta, y).value) <= 1e-9


THETA = Chain(2).potentials(np.zeros((3, 2)), np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: MILP(Chain(2), THETA, [0, 1, 0], solver="cplex"), ValueError, "`solver` must be one of 'scipy', 'highspy'"),
        (lambda: MILP(Chain(2), THETA, [0, 1, 0], max_time=0.0), ValueError, "`max_time` must be positive"),
        (lambda: MILP(Chain(2), THETA, [0, 1, 0], max_time=math.nan), ValueError, "`max_time` must be positive"),
        (lambda: MILP(Chain(2), THETA, [0, 1]), ValueError, "`label` must have shape"),
        (lambda: MILP(Chain(2), THETA, [0, 1, 0], "f1"), ValueError, "F1 is not a loss over positions"),
        (lambda: MILP(object(), THETA, [0, 1, 0]), TypeError, "has no `as_milp`"),
        (lambda: MILP(Chain(2), THETA, [0, 1, 0]).argmax(0.0), ValueError, "`lam` must be positive"),
        (
            lambda: MILP(Chain(2), Chain(2).potentials([[0.0, -np.inf]], np.zeros((2, 2))), [1]),
            ValueError,
            "must have a finite score",
        ),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()

