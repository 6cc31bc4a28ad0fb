"""Chains against enumeration, against the plain count program, and what they refuse."""

import itertools

import numpy as np
import pytest
from structure_laws import assert_agrees, batch_equals_single, decoding, oracle_answers, parts_add_up, slack_and_margin

from taut.kernels import chain as kernel
from taut.kernels.compiling import BEST, address
from taut.losses import F1, Cost, Hamming, Jaccard, Tabulated, ZeroOne
from taut.structures import Chain
from taut.structures.base import _solve_one


def draw_loss(rng, t, k):
    weights = rng.integers(0, 4, t) * 0.25
    weights[0] += 0.5
    return [
        Hamming(),
        Hamming(normalize=False),
        ZeroOne(),
        Hamming(weights=weights),
        Hamming(normalize=False, weights=weights),
        Cost(np.where(np.eye(k) > 0, 0.0, rng.integers(0, 4, (k, k)) / 3)),
    ][rng.integers(6)]


def draw_chain(rng):
    """A tiny chain with its potentials and a feasible target, or None where all is forbidden."""
    k, t = int(rng.integers(1, 5)), int(rng.integers(1, 6))
    if k**t > 260:
        return None
    chain = Chain(k)
    unary = rng.normal(size=(t, k)) * rng.choice([0.0, 1e-12, 0.1, 1.0, 10.0, 1e6])
    moves = rng.normal(size=(k, k) if rng.random() < 0.7 else (t - 1, k, k)) * rng.choice([0.0, 1.0])
    if rng.random() < 0.3:
        unary, moves = np.round(unary), np.round(moves)
    if rng.random() < 0.2:
        moves = np.where(rng.random(moves.shape) < 0.2, -np.inf, moves)
    start, end = (rng.normal(size=k) if rng.random() < 0.3 else None for _ in range(2))
    theta = chain.potentials(unary, moves, start=start, end=end)
    y = chain.decode(theta) if rng.random() < 0.2 else rng.integers(0, k, t)
    return (chain, theta, y, draw_loss(rng, t, k)) if chain.score(theta, y) > -np.inf else None


@pytest.mark.parametrize("seed", range(4))
def test_every_answer_equals_enumeration(seed):
    rng = np.random.default_rng(seed)
    for _ in range(500):
        drawn = draw_chain(rng)
        if drawn is None:
            continue
        chain, theta, y, loss = drawn
        lam = 10.0 ** rng.uniform(-3, 3) if rng.random() < 0.5 else None
        points, size = slack_and_margin(chain, theta, y, loss, lam)
        oracle_answers(chain, theta, y, loss, points, size, rng)
        decoding(chain, theta, points, chain.points(theta, y, loss)[1], size)


def test_parts_add_up():
    rng = np.random.default_rng(11)
    for t, k in ((1, 3), (4, 3), (5, 2), (3, 1)):
        chain, moves = Chain(k), rng.normal(size=(k, k))
        theta = chain.potentials(rng.normal(size=(t, k)), moves)
        parts_add_up(chain, theta, rng.integers(0, k, t), Hamming(), moves.ravel(), t)


def counting(chain, theta, y, loss, rescaling):
    """The plain count program of Bauer et al.: the value of the best label."""
    one = chain.target(y, loss, theta)
    label, out = np.zeros(len(y), np.int64), np.zeros(6)
    _solve_one(
        address(kernel.best_by_counting, BEST), 1 if rescaling == "slack" else 0, 1.0, 0.0, 0.0, *chain.example(theta, one),
        label, out,
    )  # fmt: skip
    return out[2]


@pytest.mark.parametrize("rescaling", ["slack", "margin"])
def test_middle_sizes_equal_the_plain_count_program(rescaling):
    rng = np.random.default_rng(5)
    for _ in range(60):
        t, k = int(rng.integers(10, 31)), int(rng.integers(2, 11))
        chain = Chain(k)
        y = rng.integers(0, k, t)
        unary = rng.normal(size=(t, k)) * rng.choice([0.1, 1.0])
        unary[np.arange(t), y] += rng.choice([0.0, 1.0, 3.0])
        theta = chain.potentials(unary, rng.normal(size=(k, k)))
        loss = [Hamming(), Hamming(normalize=False), Cost(np.where(np.eye(k) > 0, 0, rng.integers(1, 4, (k, k))))][rng.integers(3)]
        result = chain.loss_augmented(theta, y, loss, rescaling, lam=10.0 ** rng.uniform(-2, 2))
        assert result.certified
        assert abs(result.value - counting(chain, theta, y, loss, rescaling)) <= 1e-9 * max(1.0, result.value)
        assert_agrees(chain, theta, y, loss, result, rescaling, 1e-9)


def test_tolerance_gives_a_bound():
    rng = np.random.default_rng(6)
    chain = Chain(5)
    for _ in range(100):
        theta = chain.potentials(rng.normal(size=(12, 5)), rng.normal(size=(5, 5)))
        y = rng.integers(0, 5, 12)
        exact = chain.loss_augmented(theta, y)
        loose = chain.loss_augmented(theta, y, tol=0.2)
        assert loose.certified and loose.upper_bound >= exact.value * (1 - 1e-12)
        assert loose.upper_bound <= loose.value * 1.2 * (1 + 1e-12)


def test_batches():
    rng = np.random.default_rng(7)
    chain, sizes = Chain(4), rng.integers(1, 9, 150)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    unary, moves = rng.normal(size=(offsets[-1], 4)), rng.normal(size=(4, 4))
    thetas = chain.potentials(unary, moves, start=np.ones(4), offsets=offsets)
    bounds = list(itertools.pairwise(offsets))
    ones = [chain.potentials(unary[a:b], moves, start=np.ones(4)) for a, b in bounds]
    targets = [rng.integers(0, 4, b - a) for a, b in bounds]
    for loss in (Hamming(), ZeroOne()):
        batch_equals_single(chain, thetas, ones, targets, loss)


def test_warm_start_and_thresholds_change_no_answer():
    rng = np.random.default_rng(8)
    chain = Chain(6)
    for _ in range(200):
        theta, y = chain.potentials(rng.normal(size=(9, 6)), rng.normal(size=(6, 6))), rng.integers(0, 6, 9)
        cold = chain.loss_augmented(theta, y)
        for share in (0.0, 0.5, 0.999999):
            warm = chain.loss_augmented(theta, y, lam=cold.lam, threshold=share * cold.value)
            assert abs(warm.value - cold.value) <= 1e-12 * cold.value
        assert chain.loss_augmented(theta, y, threshold=cold.value).label is None


def test_clamped_decoding():
    rng = np.random.default_rng(9)
    chain = Chain(3)
    for _ in range(50):
        theta = chain.potentials(rng.normal(size=(5, 3)), rng.normal(size=(3, 3)))
        clamp = rng.integers(-1, 3, 5)
        best = max(
            (y for y in chain.enumerate(theta) if (np.where(clamp >= 0, y, -1) == clamp).all()), key=lambda y: chain.score(theta, y)
        )
        assert abs(chain.score(theta, chain.decode(theta, clamp=clamp)) - chain.score(theta, best)) < 1e-12


def test_long_chains_answer_without_quadratic_memory():
    rng, n = np.random.default_rng(10), 100_000
    chain, y = Chain(10), rng.integers(0, 10, n)
    unary = rng.normal(size=(n, 10))
    unary[np.arange(n), y] += 2.0
    theta = chain.potentials(unary, 0.3 * rng.normal(size=(10, 10)))
    result = chain.loss_augmented(theta, y)
    assert result.certified and result.value > 0
    for limits in ({"max_queries": 3}, {"max_time": 1.0}):  # a band would take T^2 K^2: only the multiplier is searched
        limited = chain.loss_augmented(theta, y, **limits)
        assert limited.upper_bound >= result.value >= limited.value


THETA = Chain(2).potentials(np.zeros((3, 2)), np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Chain(0), "`n_states` must be a whole number"),
        (lambda: Chain(2).potentials(np.zeros((3, 3)), np.zeros((2, 2))), r"`unary` must have shape \(any, 2\); found \(3, 3\)"),
        (lambda: Chain(2).potentials(np.zeros((3, 2)), np.zeros((3, 3))), "`pairwise` must have shape"),
        (lambda: Chain(2).potentials(np.zeros((3, 2)), np.zeros((1, 2, 2))), "`pairwise` must have shape"),
        (lambda: Chain(2).potentials([[0, np.nan]], np.zeros((2, 2))), r"`unary` must be finite, or -inf.*found nan at \(0, 1\)"),
        (lambda: Chain(2).potentials([[0, np.inf]], np.zeros((2, 2))), "found inf"),
        (lambda: Chain(2).potentials([["a", "b"]], np.zeros((2, 2))), "real numbers"),
        (lambda: Chain(2).potentials(np.zeros((3, 2)), np.zeros((2, 2)), offsets=[0, 2]), "`offsets` must rise"),
        (lambda: Chain(2).potentials(np.zeros((3, 2)), np.zeros((2, 2)), offsets=[0, 0, 3]), "no sequence empty"),
        (lambda: Chain(2).potentials(np.zeros((3, 2)), np.zeros((2, 2, 2)), offsets=[0, 3]), "one sequence at a time"),
        (lambda: Chain(2).potentials(np.zeros((0, 2)), np.zeros((2, 2))), "no sequence empty"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1]), r"`label` must have shape \(3,\); found shape \(2,\)"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 2]), "integers from 0 to 1; found 2"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, -1]), "found -1"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0.5]), "must hold integers"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], loss="hammin"), "`loss` must be one of"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], loss=F1()), "cannot optimise F1 exactly. It can: Hamming with any"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], loss=Jaccard()), "cannot optimise Jaccard"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], loss=Tabulated(lambda *a: 0.0)), "cannot optimise Tabulated"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], loss=3), "`loss` must be a name or an object"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], rescaling="both"), "`rescaling` must be"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], search="lens"), "`search` must be"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], lam=0.0), "`lam` must be positive"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], tol=-1.0), "`tol`"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], threshold=np.nan), "`threshold`"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], max_queries=0), "`max_queries` must be at least 1"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], rescaling="margin", max_queries=0), "`max_queries` must be at least 1"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], max_time=0.0), "`max_time` must be positive"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], max_time=np.inf), "`max_time` must be positive"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], loss=Hamming(weights=[1, -1, 1])), "must be >= 0"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], loss=Hamming(weights=[1, 1])), "`weights` must have shape"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], loss=Cost([[0, 1], [1, 1]])), "zeros on its diagonal"),
        (lambda: Chain(2).loss_augmented(THETA, [0, 1, 0], loss=Cost([[0, 1]])), "`matrix` must have shape"),
        (lambda: Chain(2).decode(THETA, clamp=[0, 1]), "`clamp` must have shape"),
        (lambda: Chain(2).decode(THETA, clamp=[0, 1, 2]), "`clamp` must hold integers from -1"),
        (lambda: Chain(2).topk(THETA, 0), "`k` must be a whole number of at least 1"),
        (lambda: Chain(2).loss_augmented_many(THETA, [[0, 1, 0]]), "must be a batch"),
        (
            lambda: Chain(2).loss_augmented(Chain(2).potentials([[0.0, -np.inf]], np.zeros((2, 2))), [1]),
            "the true label has score -inf",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_cones_are_not_offered():
    from taut.search import angular_search

    with pytest.raises(TypeError, match="cannot answer argmax_in_cone"):
        angular_search(Chain(2).oracle(THETA, [0, 1, 0]))


def test_a_far_step_of_the_multiplier_does_not_drown_the_scores():
    """Only a huge multiplier makes the greatest h lose; h must not be lost in the rounding of h + lam g there."""
    chain = Chain(2)
    moves = np.array([[0.0, 0.0], [0.0, 5e11]])
    theta = chain.potentials([[-0.3, 0.4], [-0.5, 2.5], [0.35, -0.9]], moves)
    result = chain.loss_augmented(theta, [0, 0, 1], Cost([[0.0, 0.0], [1e-6, 0.0]]), lam=6e-3)
    assert result.certified and np.array_equal(result.label, [1, 1, 0])
