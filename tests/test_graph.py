"""Graphs: argmax against programs, hard constructions, limits, grids, the estimator, what they refuse."""

import numpy as np
import pytest
from structure_laws import assert_agrees, batch_equals_single, parts_add_up

import taut
from taut import GraphSSVM
from taut.losses import Cost, Hamming
from taut.oracles import MILP
from taut.search import lens_search
from taut.structures import Graph


def grid(a, b):
    """The edges of a grid of a x b nodes."""
    cell = np.arange(a * b).reshape(a, b)
    ends = (cell[:, :-1], cell[:, 1:]), (cell[:-1], cell[1:])
    return np.concatenate([np.stack([u.ravel(), v.ravel()], axis=1) for u, v in ends])


def draw(rng, a, b, k, pull=0.5):
    """A grid whose neighbours prefer equal states, its scores noisy around a smooth truth."""
    y = (np.add.outer(np.arange(a), np.arange(b)) * k // (a + b)).ravel()
    unary = rng.normal(size=(a * b, k)) + 0.7 * (np.arange(k) == y[:, None])
    structure = Graph(k, grid(a, b))
    return structure, structure.potentials(unary, pull * np.eye(k)), y


@pytest.mark.parametrize("k", [2, 3])
def test_small_grids_equal_programs(k):
    rng = np.random.default_rng(k)
    for _ in range(6):
        structure, theta, y = draw(rng, 3, 3, k, rng.choice([-0.5, 0.5, 1.0]))
        loss = [Hamming(), Hamming(weights=rng.integers(1, 4, 9)), "zero-one"][rng.integers(3)]
        program, result = MILP(structure, theta, y, loss), structure.loss_augmented(theta, y, loss)
        assert result.certified
        assert_agrees(structure, theta, y, loss, result, "slack", 1e-9)
        assert abs(result.value - lens_search(program).value) <= 1e-6
        margin, best = structure.loss_augmented(theta, y, loss, "margin"), program.argmax(1.0)
        assert abs(margin.value - max(best.h - 1.0 + best.g, 0.0)) <= 1e-6
        assert abs(structure.score(theta, structure.decode(theta)) - structure.score(theta, program.extremes()[0].label)) <= 1e-6


def test_bisection_is_hard_and_honest():
    """NOTES C.0d: with attraction and equal scores the argmax asks for the cheapest cut into parts of given sizes."""
    rng = np.random.default_rng(3)
    for _ in range(10):
        n = 8
        pairs = np.argwhere(np.triu(rng.random((n, n)) < 0.5, 1))
        lam, eps = 1.0 / n, 1e-3
        unary = np.stack([np.zeros(n), np.full(n, -lam)], axis=1)
        theta = Graph(2).potentials(unary, np.array([[0.0, -eps], [-eps, 0.0]]), edges=pairs)
        y = np.zeros(n, np.int64)
        points, _ = Graph(2).points(theta, y, Hamming(normalize=False))
        best = float((points.h * points.g).max())
        result = Graph(2).loss_augmented(theta, y, Hamming(normalize=False))
        assert result.certified and abs(result.value - best) <= 1e-9
        some = Graph(2).loss_augmented(theta, y, Hamming(normalize=False), max_queries=3)
        assert some.n_queries <= 3 and some.value <= best + 1e-9 <= some.upper_bound + 2e-9


@pytest.mark.parametrize("k", [2, 4])
def test_limits_keep_the_bound(k):
    rng, open_ones = np.random.default_rng(4), 0
    for _ in range(8):
        structure, theta, y = draw(rng, 4, 4, k)
        exact = structure.loss_augmented(theta, y, max_time=5.0)
        for most in (1, 3, 10):
            some = structure.loss_augmented(theta, y, max_queries=most)
            assert some.n_queries <= most and some.value <= exact.upper_bound * (1 + 1e-12)
            assert exact.value <= some.upper_bound * (1 + 2e-12)
            open_ones += not some.certified
        loose = structure.loss_augmented(theta, y, tol=0.3)
        assert loose.certified and exact.value <= loose.upper_bound * (1 + 1e-12) <= loose.value * 1.3 * (1 + 1e-9)
    assert open_ones > 0


def test_a_large_attractive_grid():
    rng = np.random.default_rng(5)
    structure, theta, y = draw(rng, 50, 50, 2)
    result = structure.loss_augmented(theta, y, max_queries=60)
    assert result.upper_bound <= 1.01 * result.value
    assert structure.score(theta, structure.decode(theta)) >= structure.score(theta, y)


def test_batches_and_parts():
    rng = np.random.default_rng(6)
    for k, moves in ((2, np.eye(2)), (3, rng.normal(size=(3, 3)))):
        structure = Graph(k, [[0, 1], [1, 2], [2, 0]])
        unary = rng.normal(size=(70, 4, k))
        thetas, ones = structure.potentials(unary, moves), [structure.potentials(u, moves) for u in unary]
        targets = [rng.integers(k, size=4) for _ in ones]
        for loss in (Hamming(), "zero-one"):
            batch_equals_single(structure, thetas, ones, targets, loss)
        parts_add_up(structure, ones[0], targets[0], Hamming(), moves.ravel(), 4)


def test_max_marginals():
    rng = np.random.default_rng(7)
    structure = Graph(3, [[0, 1], [1, 2], [2, 0]])
    theta = structure.potentials(rng.normal(size=(3, 3)), rng.normal(size=(3, 3)))
    best = np.full((3, 3), -np.inf)
    for y in structure.enumerate(theta):
        best[np.arange(3), y] = np.maximum(best[np.arange(3), y], structure.score(theta, y))
    assert np.abs(structure.max_marginals(theta) - best).max() <= 1e-12


@pytest.mark.parametrize("rescaling", ["slack", "margin"])
def test_the_estimator(rescaling, tmp_path):
    rng = np.random.default_rng(8)
    X, Y = [], []
    for _ in range(40):
        a, b = rng.integers(2, 4, 2)
        _, _, y = draw(rng, a, b, 2)
        X.append((np.stack([y + 0.7 * rng.normal(size=a * b), rng.normal(size=a * b)], axis=1), grid(a, b)))
        Y.append(np.array(["left", "right"])[y])
    model = GraphSSVM(C=1.0, rescaling=rescaling, random_state=0).fit(X[:30], Y[:30])
    assert model.duality_gap_ <= 1e-3 * model.primal_objective_
    assert model.score(X[30:], Y[30:]) > 0.75
    model.save(tmp_path / "model.taut")
    again = taut.load(tmp_path / "model.taut")
    assert all((a == b).all() for a, b in zip(again.predict(X), model.predict(X), strict=True))
    assert model.decision_function(X[:2])[0].shape == (len(Y[0]), 2)
    clamped = model.predict(X[:1], clamp=[["right"] + [None] * (len(Y[0]) - 1)])
    assert clamped[0][0] == "right"


THETA = Graph(2, [[0, 1]]).potentials(np.zeros((2, 2)), np.zeros((2, 2)))
EDGE = Graph(2, [[0, 1]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Graph(0), "`n_states`"),
        (lambda: Graph(2, [[0, 0]]), "must not join a node to itself"),
        (lambda: Graph(2, [[0, 1], [1, 0]]), "each pair once"),
        (lambda: Graph(2, max_relaxations=0), "`max_relaxations`"),
        (lambda: Graph(2).potentials(np.zeros((2, 2)), np.zeros((2, 2))), "no edges of its own"),
        (lambda: EDGE.potentials(np.zeros((1, 2)), np.zeros((2, 2))), "one row per node"),
        (lambda: EDGE.potentials(np.zeros((2, 3)), np.zeros((2, 2))), "`unary` must have shape"),
        (lambda: EDGE.potentials(np.zeros((2, 2)), np.zeros((2, 3))), "`pairwise` must have shape"),
        (lambda: EDGE.potentials(np.zeros((2, 2)), [[0.0, -np.inf], [0.0, 0.0]]), "`pairwise` must be finite"),
        (lambda: EDGE.potentials([[-np.inf, -np.inf], [0.0, 0.0]], np.zeros((2, 2))), "at least one state at every node"),
        (lambda: EDGE.potentials(np.zeros((2, 2)), np.zeros((2, 2)), offsets=[0, 3]), "`offsets` must rise"),
        (lambda: Graph(2).potentials(np.zeros((2, 2)), np.zeros((2, 2)), edges=[[0, 2]]), "from 0 to 1; found 2"),
        (lambda: EDGE.loss_augmented(THETA, [0, 2]), "integers from 0 to 1"),
        (lambda: EDGE.loss_augmented(THETA, [0, 1], Cost([[0, 1], [1, 0]])), "cannot optimise Cost"),
        (lambda: EDGE.loss_augmented(THETA, [0, 1], Hamming(weights=[1, np.pi])), "no common unit"),
        (lambda: EDGE.decode(THETA, [0]), r"shape \(2,\)"),
        (lambda: EDGE.topk(THETA, 0), "`k`"),
        (lambda: next(EDGE.enumerate()), "pass the potentials"),
        (lambda: GraphSSVM().fit([np.zeros((2, 2))], [[0, 1]]), "must be a pair"),
        (lambda: GraphSSVM().fit([(np.zeros((2, 2)), [[0, 5]])], [[0, 1]]), "from 0 to 1; found 5"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
