"""Hierarchies against enumeration, against the plain count program, and what they refuse."""

import numpy as np
import pytest
from structure_laws import assert_agrees, batch_equals_single, decoding, oracle_answers, parts_add_up, slack_and_margin

from taut.kernels import hierarchy as kernel
from taut.kernels.compiling import BEST, address
from taut.losses import F1, Cost, Hamming, Jaccard, Tabulated, ZeroOne
from taut.structures import Hierarchy
from taut.structures.base import _solve_one


def draw_forest(rng, n, leaves_only):
    """A random forest with its nodes in any order."""
    parents = [int(rng.integers(max(0, v - 4), v)) if rng.random() < 0.8 else -1 for v in range(1, n)]
    name = rng.permutation(n)
    return Hierarchy([[name[a], name[b]] for b, a in enumerate(parents, 1) if a >= 0], leaves_only, n_nodes=n)


def draw_loss(rng, n):
    weights = rng.integers(0, 4, n) * 0.25
    weights[0] += 0.5
    return [
        Hamming(),
        Hamming(normalize=False),
        ZeroOne(),
        Hamming(weights=weights),
        Hamming(normalize=False, weights=weights),
        F1(),
        Jaccard(),
        Tabulated(lambda fp, fn, n_positive, n: (2.0 * fp + fn) / n),
        Tabulated(lambda fp, fn, n_positive, n: float(fp * (3 - fp) ** 2 + (fn > 1))),
    ][rng.integers(9)]


def draw_target(rng, hierarchy):
    """The empty set, all that may be active, or anything."""
    n = hierarchy.n_nodes
    scores = {0: np.full(n, -1.0), 1: np.ones(n)}.get(int(rng.integers(4)), rng.normal(size=n) + rng.choice([-0.5, 0.5]))
    return hierarchy.decode(hierarchy.potentials(scores))


def draw_hierarchy(rng):
    hierarchy = draw_forest(rng, int(rng.integers(1, 9)), bool(rng.integers(2)))
    y = draw_target(rng, hierarchy)
    scores = rng.normal(size=hierarchy.n_nodes) * rng.choice([0.0, 1e-12, 0.1, 1.0, 10.0, 1e6, 1e12])
    if rng.random() < 0.3:
        scores = np.round(scores)
    if rng.random() < 0.2:
        scores = np.where((rng.random(scores.size) < 0.2) & (y == 0), -np.inf, scores)
    theta = hierarchy.potentials(scores)
    return hierarchy, theta, hierarchy.decode(theta) if rng.random() < 0.2 else y, draw_loss(rng, hierarchy.n_nodes)


@pytest.mark.parametrize("seed", range(4))
def test_every_answer_equals_enumeration(seed):
    rng = np.random.default_rng(seed)
    for _ in range(400):
        hierarchy, theta, y, loss = draw_hierarchy(rng)
        lam = 10.0 ** rng.uniform(-3, 3) if rng.random() < 0.5 else None
        points, size = slack_and_margin(hierarchy, theta, y, loss, lam)
        oracle_answers(hierarchy, theta, y, loss, points, size, rng)
        decoding(hierarchy, theta, points, hierarchy.points(theta, y, loss)[1], size)


def test_enumeration_is_all_closed_sets():
    rng = np.random.default_rng(1)
    for _ in range(40):
        hierarchy = draw_forest(rng, int(rng.integers(1, 8)), bool(rng.integers(2)))
        listed = {tuple(y) for y in hierarchy.enumerate()}
        closed = set()
        for code in range(2**hierarchy.n_nodes):
            y = (code >> np.arange(hierarchy.n_nodes)) & 1
            below = {a for a, b in hierarchy.edges.tolist() if y[b]}
            inner = set(hierarchy.edges[:, 0].tolist())
            ancestors = all(y[p] for p in below)
            leaves = all(v in below for v in np.flatnonzero(y) if v in inner)
            if ancestors and (leaves or not hierarchy.leaves_only):
                closed.add(tuple(y))
        assert listed == closed


def test_parts_add_up():
    rng = np.random.default_rng(11)
    for n in (1, 4, 7):
        hierarchy = draw_forest(rng, n, False)
        theta = hierarchy.potentials(rng.normal(size=n))
        parts_add_up(hierarchy, theta, draw_target(rng, hierarchy), Hamming(), np.empty(0), 1)


def counting(hierarchy, theta, y, loss, rescaling):
    """The plain count program: the value of the best label."""
    one = hierarchy.target(y, loss, theta)
    label, out = np.zeros(hierarchy.n_nodes, np.int64), np.zeros(6)
    _solve_one(
        address(kernel.best_by_counting, BEST), 1 if rescaling == "slack" else 0, 1.0, 0.0, 0.0,
        *hierarchy.example(theta, one), label, out,
    )  # fmt: skip
    return out[2]


def draw_middle(rng, n=100):
    hierarchy = draw_forest(rng, n, bool(rng.integers(2)))
    y = draw_target(rng, hierarchy)
    scores = rng.normal(size=n) * rng.choice([0.1, 1.0]) + rng.choice([0.0, 0.5, 2.0]) * (2 * y - 1)
    weights = rng.integers(1, 4, n)
    loss = [Hamming(), Hamming(normalize=False), Hamming(weights=weights), F1(), Jaccard()][rng.integers(5)]
    return hierarchy, hierarchy.potentials(scores), y, loss


@pytest.mark.parametrize("rescaling", ["slack", "margin"])
def test_middle_sizes_equal_the_plain_count_program(rescaling):
    rng = np.random.default_rng(5)
    for _ in range(150):
        hierarchy, theta, y, loss = draw_middle(rng)
        result = hierarchy.loss_augmented(theta, y, loss, rescaling, lam=10.0 ** rng.uniform(-2, 2))
        assert result.certified
        assert abs(result.value - counting(hierarchy, theta, y, loss, rescaling)) <= 1e-9 * max(1.0, result.value)
        assert_agrees(hierarchy, theta, y, loss, result, rescaling, 1e-9)


def test_tolerance_gives_a_bound():
    rng = np.random.default_rng(6)
    for _ in range(100):
        hierarchy, theta, y, loss = draw_middle(rng, 40)
        exact = hierarchy.loss_augmented(theta, y, loss)
        loose = hierarchy.loss_augmented(theta, y, loss, tol=0.2)
        assert loose.certified and loose.upper_bound >= exact.value * (1 - 1e-12)
        assert loose.upper_bound <= loose.value * 1.2 * (1 + 1e-12)


@pytest.mark.parametrize("leaves_only", [False, True])
def test_batches(leaves_only):
    rng = np.random.default_rng(7)
    hierarchy = draw_forest(rng, 20, leaves_only)
    scores = rng.normal(size=(150, 20))
    thetas, ones = hierarchy.potentials(scores), [hierarchy.potentials(s) for s in scores]
    targets = [draw_target(rng, hierarchy) for _ in ones]
    for loss in (Hamming(), ZeroOne(), F1()):
        batch_equals_single(hierarchy, thetas, ones, targets, loss)


def test_warm_start_and_thresholds_change_no_answer():
    rng = np.random.default_rng(8)
    for _ in range(200):
        hierarchy, theta, y, loss = draw_middle(rng, 30)
        cold = hierarchy.loss_augmented(theta, y, loss)
        for share in (0.0, 0.5, 0.999999):
            warm = hierarchy.loss_augmented(theta, y, loss, lam=cold.lam, threshold=share * cold.value)
            assert abs(warm.value - cold.value) <= 1e-12 * cold.value
        assert hierarchy.loss_augmented(theta, y, loss, threshold=cold.value).label is None


def test_clamped_decoding():
    rng = np.random.default_rng(9)
    for _ in range(100):
        hierarchy = draw_forest(rng, 6, bool(rng.integers(2)))
        theta = hierarchy.potentials(rng.normal(size=6))
        clamp = np.where(rng.random(6) < 0.6, -1, rng.integers(0, 2, 6))
        allowed = [y for y in hierarchy.enumerate() if ((clamp < 0) | (y == clamp)).all()]
        if allowed:
            best = max(hierarchy.score(theta, y) for y in allowed)
            y = hierarchy.decode(theta, clamp)
            assert ((clamp < 0) | (y == clamp)).all() and abs(hierarchy.score(theta, y) - best) <= 1e-12
        else:
            with pytest.raises(ValueError, match="must leave a label"):
                hierarchy.decode(theta, clamp)


@pytest.mark.parametrize("shape", ["wide", "random"])
def test_a_hundred_thousand_nodes(shape):
    rng, n = np.random.default_rng(10), 100_000
    parents = np.arange(n) // 300 if shape == "wide" else np.array([rng.integers(max(0, v - 50), v) for v in range(1, n + 1)])
    hierarchy = Hierarchy(np.stack([parents, np.arange(1, n + 1)], axis=1))
    y = hierarchy.decode(hierarchy.potentials(rng.normal(size=n + 1) - 0.5))
    theta = hierarchy.potentials(rng.normal(size=n + 1) + 1.5 * (2 * y - 1))
    first = hierarchy.loss_augmented(theta, y, tol=0.05)
    assert first.certified and first.value > 0.0
    exact = hierarchy.loss_augmented(theta, y, lam=first.lam, threshold=0.0)
    assert exact.certified and first.upper_bound >= exact.value >= first.value * (1 - 1e-12)


TREE = [[0, 1], [0, 2], [2, 3]]
WIDE = Hierarchy([], n_nodes=10_000)
SCORES = Hierarchy(TREE).potentials([0.0, 1.0, -1.0, 2.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Hierarchy([[0, 1], [1, 2], [2, 0]]), "hold a cycle"),
        (lambda: Hierarchy([[0, 1], [2, 3], [3, 4], [4, 2]]), "hold a cycle"),
        (lambda: Hierarchy([[0, 0]]), "must not join a node to itself"),
        (lambda: Hierarchy([[0, 1], [0, 1]]), "each pair once"),
        (lambda: Hierarchy([[0, 5]], n_nodes=3), "node numbers from 0 to 2; found 5"),
        (lambda: Hierarchy([[-1, 1]]), "node numbers from 0"),
        (lambda: Hierarchy([[0, 1, 2]]), r"shape \(m, 2\)"),
        (lambda: Hierarchy([[0.5, 1.0]]), r"shape \(m, 2\)"),
        (lambda: Hierarchy([]), "at least one node"),
        (lambda: Hierarchy(TREE).potentials([0.0]), r"`scores` must have shape \(4,\)"),
        (lambda: Hierarchy(TREE).potentials([0.0, np.nan, 0.0, 0.0]), "`scores` must be finite"),
        (lambda: Hierarchy(TREE).potentials([0.0, np.inf, 0.0, 0.0]), "`scores` must be finite"),
        (lambda: Hierarchy(TREE).loss_augmented(SCORES, [0, 1, 0, 0]), "node 1 is active and its parent 0 is not"),
        (lambda: Hierarchy(TREE, leaves_only=True).loss_augmented(SCORES, [1, 0, 1, 0]), "node 2 is active and none of its"),
        (lambda: Hierarchy(TREE).loss_augmented(SCORES, [0, 2, 0, 0]), "must hold integers from 0 to 1"),
        (lambda: Hierarchy(TREE).loss_augmented(SCORES, [0, 1]), r"must have shape \(4,\)"),
        (lambda: Hierarchy(TREE).loss_augmented(SCORES, [0, 0, 0, 0], loss=Cost([[0, 1], [1, 0]])), "cannot optimise Cost"),
        (lambda: Hierarchy(TREE).loss_augmented(SCORES, [0, 0, 0, 0], Hamming(weights=[1, 2])), "`weights` must have shape"),
        (lambda: Hierarchy(TREE).loss_augmented(SCORES, [0, 0, 0, 0], Hamming(weights=[1, -1, 1, 1])), "must be >= 0"),
        (lambda: WIDE.loss_augmented(WIDE.potentials(np.zeros(10_000)), np.arange(10_000) < 5000, "f1"), "Use Hamming"),
        (lambda: Hierarchy(TREE).decode(SCORES, clamp=[0, 1]), "`clamp` must have shape"),
        (lambda: Hierarchy(TREE).decode(SCORES, clamp=[0, 1, -1, -1]), "must leave a label"),
        (lambda: Hierarchy(TREE).topk(SCORES, 0), "`k` must be a whole number of at least 1"),
        (lambda: Hierarchy(TREE).loss_augmented_many(SCORES, [[0, 0, 0, 0]]), "must be a batch"),
        (
            lambda: Hierarchy(TREE).loss_augmented(Hierarchy(TREE).potentials([-np.inf, 0.0, 0.0, 0.0]), [1, 0, 0, 0]),
            "the true label has score -inf",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
