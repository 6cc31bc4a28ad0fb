"""Matchings: assignments against scipy, argmax against programs, hard constructions, limits, the estimator, what they refuse."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from structure_laws import assert_agrees, batch_equals_single, parts_add_up

import taut
from taut import MatchingSSVM
from taut.losses import Cost, Hamming
from taut.oracles import MILP
from taut.search import lens_search
from taut.solvers import Problem, bcfw, minimise
from taut.structures import Matching


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_assignments_equal_scipy(scale):
    rng = np.random.default_rng(0)
    for _ in range(150):
        n = int(rng.integers(1, 30))
        scores = scale * rng.normal(size=(n, n + int(rng.integers(0, 4))))
        if rng.random() < 0.3:
            scores = scale * np.round(scores / scale)
        forbidden = np.where(rng.random(scores.shape) < 0.2, -np.inf, scores)
        theta = Matching().potentials(forbidden)
        try:
            rows, columns = linear_sum_assignment(forbidden, maximize=True)
        except ValueError:
            with pytest.raises(ValueError, match="must leave a column for every row"):
                Matching().decode(theta)
            continue
        y = Matching().decode(theta)
        assert abs(Matching().score(theta, y) - forbidden[rows, columns].sum()) <= 1e-12 * scale * n


def draw(rng, n, m=None, margin=0.5):
    m = n if m is None else m
    y = rng.permutation(m)[:n]
    return Matching(n, m), Matching(n, m).potentials(rng.normal(size=(n, m)) + margin * (np.arange(m) == y[:, None])), y


def test_middle_sizes_equal_programs():
    rng = np.random.default_rng(1)
    for _ in range(15):
        n = int(rng.integers(4, 9))
        matching, theta, y = draw(rng, n, n + int(rng.integers(0, 3)), rng.choice([0.0, 1.0, 2.0]))
        loss = [Hamming(), Hamming(weights=rng.integers(1, 4, n)), "zero-one"][rng.integers(3)]
        program, result = MILP(matching, theta, y, loss), matching.loss_augmented(theta, y, loss)
        assert result.certified
        assert_agrees(matching, theta, y, loss, result, "slack", 1e-9)
        assert abs(result.value - lens_search(program).value) <= 1e-6
        margin, best = matching.loss_augmented(theta, y, loss, "margin"), program.argmax(1.0)
        assert abs(margin.value - max(best.h - 1.0 + best.g, 0.0)) <= 1e-6


def test_large_matchings_are_certified():
    rng = np.random.default_rng(2)
    for n in (20, 100):
        for margin in (0.0, 2.0, 5.0):
            matching, theta, y = draw(rng, n, margin=margin)
            result = matching.loss_augmented(theta, y, max_time=10.0)
            assert result.upper_bound >= result.value
            assert result.upper_bound <= result.value * 1.02 or result.upper_bound <= 1e-12


def test_exact_matching_is_hard_and_honest():
    """NOTES C.0d: all labelings lie on one line, so the argmax asks whether some matching has exactly so many wrong rows."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        n = int(rng.integers(3, 6))
        y = np.arange(n)
        allowed = (rng.random((n, n)) < 0.5) | (y == y[:, None])
        lam = 1.0 / n
        theta = Matching(n).potentials(np.where(allowed, np.where(y == y[:, None], 0.0, -lam), -np.inf))
        labels = [z for z in Matching(n).enumerate() if Matching(n).score(theta, z) > -np.inf]
        counts = np.array([(z != y).sum() for z in labels])
        best = (counts * (1.0 - lam * counts)).max()
        result = Matching(n).loss_augmented(theta, y, Hamming(normalize=False))
        assert result.certified and abs(result.value - best) <= 1e-9
        some = Matching(n).loss_augmented(theta, y, Hamming(normalize=False), max_queries=2)
        assert some.n_queries <= 2 and some.upper_bound >= best - 1e-9


def test_limits_keep_the_bound():
    rng = np.random.default_rng(4)
    for _ in range(40):
        matching, theta, y = draw(rng, 12, margin=rng.choice([0.0, 1.0]))
        exact = matching.loss_augmented(theta, y)
        for most in (1, 3, 10):
            some = matching.loss_augmented(theta, y, max_queries=most)
            assert some.n_queries <= most and some.value <= exact.value * (1 + 1e-12) <= some.upper_bound * (1 + 2e-12)
        loose = matching.loss_augmented(theta, y, tol=0.3)
        assert loose.certified and exact.value <= loose.upper_bound * (1 + 1e-12) <= loose.value * 1.3 * (1 + 1e-9)
        warm = matching.loss_augmented(theta, y, lam=exact.lam, threshold=0.999 * exact.value)
        assert abs(warm.value - exact.value) <= 1e-12


def test_batches_and_parts():
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(100, 4, 6))
    matching = Matching(4, 6)
    thetas, ones = matching.potentials(scores), [matching.potentials(s) for s in scores]
    targets = [rng.permutation(6)[:4] for _ in ones]
    for loss in (Hamming(), "zero-one"):
        batch_equals_single(matching, thetas, ones, targets, loss)
    parts_add_up(matching, ones[0], targets[0], Hamming(), np.empty(0), 24)


def generated(rng, n, noise=0.0):
    """Pairs of sets of points, features of pairs, and the matching of a known model."""
    w, X, Y = np.array([-2.0, 1.0, 0.5]), [], []
    for _ in range(n):
        rows = int(rng.integers(2, 6))
        table = rng.normal(size=(rows, rows + int(rng.integers(0, 2)), 3))
        X.append(table)
        Y.append(Matching().decode(Matching().potentials(table @ w + noise * rng.normal(size=table.shape[:2]))))
    return X, Y


@pytest.mark.parametrize("rescaling", ["slack", "margin"])
def test_the_estimator_finds_the_known_model(rescaling, tmp_path):
    X, Y = generated(np.random.default_rng(6), 80)
    model = MatchingSSVM(C=100.0, rescaling=rescaling, random_state=0).fit(X[:60], Y[:60])
    assert model.duality_gap_ <= 1e-3 * model.primal_objective_
    assert model.score(X[60:], Y[60:]) > 0.93
    model.save(tmp_path / "model.taut")
    again = taut.load(tmp_path / "model.taut")
    assert all(np.array_equal(a, b) for a, b in zip(again.predict(X), model.predict(X), strict=True))
    known = [[int(y[0])] + [None] * (len(y) - 1) for y in Y]
    assert all(y[0] == z[0] for y, z in zip(Y, model.predict(X, clamp=known), strict=True))
    assert all(len(labels) >= 1 for labels, _ in model.predict_topk(X[:5], 2))


def test_solvers_agree_on_noisy_data():
    X, Y = generated(np.random.default_rng(7), 40, noise=1.0)
    rows, shapes = np.concatenate([x.reshape(-1, 3) for x in X]), [np.array([x.shape[:2]]) for x in X]
    offsets = np.concatenate([[0], np.cumsum([x.shape[0] * x.shape[1] for x in X])])
    problem = Problem(Matching(), rows, Y, "hamming", offsets=offsets, edges=shapes)
    fit = minimise(bcfw(problem, 0.01), tol=1e-3, max_iter=500)
    assert fit.status == "converged"
    solvers = "bcfw", "cutting-plane", "sdca"
    fits = [MatchingSSVM(C=100.0 / 40, solver=solver, tol=1e-3, max_iter=3000).fit(X, Y) for solver in solvers]
    for model in fits:
        assert abs(model.primal_objective_ - fits[0].primal_objective_) <= 3e-3 * fits[0].primal_objective_


SQUARE = Matching(2)
THETA = SQUARE.potentials(np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Matching(0), "`n` must be"),
        (lambda: Matching(3, 2), "`m` must be at least `n`"),
        (lambda: Matching(m=3), "`m` needs `n`"),
        (lambda: Matching(2, max_assignments=0), "`max_assignments`"),
        (lambda: SQUARE.potentials([[0.0, 1.0]]), r"`scores` must have shape \(2, 2\)"),
        (lambda: Matching().potentials(np.zeros((3, 2))), "a column for every row; found 3 rows and 2 columns"),
        (lambda: SQUARE.potentials([[0.0, np.nan], [0.0, 0.0]]), "`scores` must be finite"),
        (lambda: SQUARE.score(THETA, [0, 0]), "rows 0 and 1 both have column 0"),
        (lambda: SQUARE.score(THETA, [0, 2]), "integers from 0 to 1"),
        (lambda: SQUARE.loss_augmented(THETA, [0, 1], Cost([[0, 1], [1, 0]])), "cannot optimise Cost"),
        (lambda: SQUARE.loss_augmented(THETA, [0, 1], Hamming(weights=[1, np.pi])), "no common unit"),
        (lambda: SQUARE.loss_augmented(THETA, [0, 1], Hamming(weights=[0, 0])), "not all zero"),
        (lambda: SQUARE.loss_augmented(SQUARE.potentials([[-np.inf, 0.0], [0.0, 0.0]]), [0, 1]), "score -inf"),
        (lambda: SQUARE.decode(THETA, [1, 1]), "must leave a column"),
        (lambda: SQUARE.decode(THETA, [1]), r"shape \(2,\)"),
        (lambda: SQUARE.topk(THETA, 0), "`k`"),
        (lambda: next(Matching().enumerate()), "pass the potentials"),
        (lambda: Matching().own_edges(None, (6,), True), "make no square"),
        (lambda: Matching().own_edges([np.array([[2, 2]])], (6,), True), "n m = 6"),
        (lambda: SQUARE.own_edges(None, (6,), True), "needs 4 pairs"),
        (lambda: MatchingSSVM().fit(3, []), "list with one array"),
        (lambda: MatchingSSVM().fit([np.zeros((2, 2))], [[0, 1]]), r"`X\[0\]` must have shape"),
        (lambda: MatchingSSVM().fit([np.zeros((2, 1, 3))], [[0, 1]]), "1 <= n <= m"),
        (lambda: MatchingSSVM().fit([[["a"]]], [[0, 1]]), r"`X\[0\]` must hold numbers"),
        (lambda: MatchingSSVM().fit([np.zeros((2, 2, 3))], [[0, 1], [1, 0]]), "`Y` must hold one sequence of columns per"),
        (lambda: MatchingSSVM().fit([np.zeros((2, 2, 3))], [[0, 0]]), "both have column 0"),
        (lambda: MatchingSSVM(class_weight="balanced").fit([np.zeros((2, 2, 3))], [[0, 1]]), "`class_weight` must be None"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
