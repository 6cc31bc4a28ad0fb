"""Hierarchies with several parents: against programs at middle sizes, limits, leaves only, estimators, and what they refuse."""

import numpy as np
import pytest
from structure_laws import assert_agrees, batch_equals_single, decoding, oracle_answers, parts_add_up, slack_and_margin

import taut
from taut import HierarchicalSSVM
from taut.losses import F1, Hamming, Jaccard, Tabulated, ZeroOne
from taut.oracles import MILP
from taut.search import lens_search
from taut.structures import Hierarchy


def draw_graph(rng, n, leaves_only=False, near=6):
    """A random graph of which some nodes have two or three parents."""
    name = rng.permutation(n)
    edges = {(int(name[rng.integers(max(0, v - near), v)]), int(name[v])) for v in range(1, n) for _ in range(rng.integers(1, 4))}
    return Hierarchy(sorted(edges), leaves_only, n_nodes=n)


def draw_middle(rng, n, leaves_only=False):
    hierarchy = draw_graph(rng, n, leaves_only)
    y = hierarchy.decode(hierarchy.potentials(rng.normal(size=n) + rng.choice([-0.3, 0.3])))
    scores = rng.normal(size=n) * rng.choice([0.1, 1.0]) + rng.choice([0.0, 0.5]) * (2 * y - 1)
    loss = [Hamming(), Hamming(normalize=False, weights=rng.integers(1, 4, n)), ZeroOne(), F1(), Jaccard()][rng.integers(5)]
    return hierarchy, hierarchy.potentials(scores), y, loss


def test_middle_sizes_equal_programs():
    rng = np.random.default_rng(0)
    for _ in range(40):
        hierarchy, theta, y, loss = draw_middle(rng, int(rng.integers(10, 30)))
        program = MILP(hierarchy, theta, y, loss)
        result = hierarchy.loss_augmented(theta, y, loss)
        assert_agrees(hierarchy, theta, y, loss, result, "slack", 1e-9)
        assert result.certified
        assert abs(result.value - lens_search(program).value) <= 1e-6
        margin, best = hierarchy.loss_augmented(theta, y, loss, "margin"), program.argmax(1.0)
        assert abs(margin.value - max(best.h - 1.0 + best.g, 0.0)) <= 1e-6


def test_leaves_only_equals_enumeration():
    rng = np.random.default_rng(1)
    for _ in range(12):
        hierarchy = draw_graph(rng, int(rng.integers(3, 7)), leaves_only=True)
        n = hierarchy.n_nodes
        y = hierarchy.decode(hierarchy.potentials(rng.normal(size=n) + 0.3))
        theta = hierarchy.potentials(rng.normal(size=n))
        loss = [Hamming(), ZeroOne(), F1(), Hamming(weights=rng.integers(1, 4, n))][rng.integers(4)]
        points, labels = hierarchy.points(theta, y, loss)
        result = hierarchy.loss_augmented(theta, y, loss)
        assert result.certified
        assert abs(result.value - max((points.h * points.g).max(), 0.0)) <= 1e-6
        decoding(hierarchy, theta, points, labels, 1e-6)
        clamp = np.where(rng.random(n) < 0.6, -1, rng.integers(0, 2, n))
        allowed = [hierarchy.score(theta, z) for z in labels if ((clamp < 0) | (z == clamp)).all()]
        if allowed:
            assert abs(hierarchy.score(theta, hierarchy.decode(theta, clamp)) - max(allowed)) <= 1e-6
        else:
            with pytest.raises(ValueError, match="must leave a label"):
                hierarchy.decode(theta, clamp)


def test_clamped_decoding():
    rng = np.random.default_rng(2)
    for _ in range(100):
        hierarchy = draw_graph(rng, 6)
        theta = hierarchy.potentials(rng.normal(size=6))
        clamp = np.where(rng.random(6) < 0.6, -1, rng.integers(0, 2, 6))
        allowed = [hierarchy.score(theta, y) for y in hierarchy.enumerate() if ((clamp < 0) | (y == clamp)).all()]
        if allowed:
            y = hierarchy.decode(theta, clamp)
            assert ((clamp < 0) | (y == clamp)).all() and abs(hierarchy.score(theta, y) - max(allowed)) <= 1e-12
        else:
            with pytest.raises(ValueError, match="must leave a label"):
                hierarchy.decode(theta, clamp)


def test_tiny_graphs_and_their_parts():
    rng = np.random.default_rng(3)
    for _ in range(30):
        hierarchy = draw_graph(rng, int(rng.integers(3, 8)))
        y = hierarchy.decode(hierarchy.potentials(rng.normal(size=hierarchy.n_nodes) + 0.3))
        theta = hierarchy.potentials(rng.normal(size=hierarchy.n_nodes))
        points, size = slack_and_margin(hierarchy, theta, y, "jaccard")
        oracle_answers(hierarchy, theta, y, "jaccard", points, size, rng)
    parts_add_up(hierarchy, theta, y, Hamming(), np.empty(0), 1)


def test_batches():
    rng = np.random.default_rng(4)
    hierarchy = draw_graph(rng, 20)
    scores = rng.normal(size=(150, 20))
    thetas, ones = hierarchy.potentials(scores), [hierarchy.potentials(s) for s in scores]
    targets = [hierarchy.decode(hierarchy.potentials(rng.normal(size=20))) for _ in ones]
    for loss in (Hamming(), ZeroOne(), F1()):
        batch_equals_single(hierarchy, thetas, ones, targets, loss)


def test_limits_keep_the_bound():
    """Few cuts on instances where many are needed: the bound holds, and more cuts never make it worse than the value."""
    rng, open_ones = np.random.default_rng(5), 0
    for _ in range(40):
        hierarchy, theta, y, _ = draw_middle(rng, 40)
        loss = [Hamming(), F1(), Tabulated(lambda fp, fn, p, n: float(fp * fp + fn * (fn < 5)))][rng.integers(3)]
        exact = hierarchy.loss_augmented(theta, y, loss)
        for most in (1, 2, 5, 20):
            some = hierarchy.loss_augmented(theta, y, loss, max_queries=most)
            assert some.n_queries <= most
            assert some.value <= exact.value * (1 + 1e-12) <= some.upper_bound * (1 + 2e-12) + 1e-12
            open_ones += not some.certified
        loose = hierarchy.loss_augmented(theta, y, loss, tol=0.3)
        assert loose.certified and exact.value <= loose.upper_bound * (1 + 1e-12) <= loose.value * 1.3 * (1 + 1e-9) + 1e-12
    assert open_ones > 20


def test_warm_starts_and_thresholds_change_no_answer():
    rng = np.random.default_rng(6)
    for _ in range(60):
        hierarchy, theta, y, loss = draw_middle(rng, 40)
        cold = hierarchy.loss_augmented(theta, y, loss)
        for share in (0.0, 0.5, 0.999999):
            warm = hierarchy.loss_augmented(theta, y, loss, lam=cold.lam, threshold=share * cold.value)
            assert abs(warm.value - cold.value) <= 1e-10 * max(1.0, cold.value)
        assert hierarchy.loss_augmented(theta, y, loss, threshold=cold.value * (1 + 1e-12)).label is None


def test_ten_thousand_nodes():
    rng, n = np.random.default_rng(7), 10_000
    edges = np.unique([(rng.integers(max(0, v - 500), v), v) for v in range(1, n) for _ in range(2)], axis=0)
    hierarchy = Hierarchy(edges)
    y = hierarchy.decode(hierarchy.potentials(rng.normal(size=n) + 0.5))
    theta = hierarchy.potentials(rng.normal(size=n) + 1.5 * (2 * y - 1))
    result = hierarchy.loss_augmented(theta, y)
    assert result.certified and result.value > 0.0 and result.n_queries <= 100


def test_the_estimator(tmp_path):
    rng = np.random.default_rng(8)
    edges = [("a", "c"), ("b", "c"), ("a", "d"), ("c", "e"), ("d", "e")]
    names, W = ["a", "c", "b", "d", "e"], rng.normal(size=(4, 5))
    X = rng.normal(size=(120, 4))
    structure = Hierarchy([(names.index(a), names.index(b)) for a, b in edges])
    Y = [{names[v] for v in np.flatnonzero(structure.decode(structure.potentials(row)))} for row in X @ W]
    for loss in ("hamming", "f1"):
        model = HierarchicalSSVM(hierarchy=edges, loss=loss, C=10.0, random_state=0).fit(X, Y)
        assert model.duality_gap_ <= 1e-3 * model.primal_objective_
        assert model.score(X, Y) > 0.9
        model.save(tmp_path / "model.taut")

        assert taut.load(tmp_path / "model.taut").predict(X) == model.predict(X)
    weighted = HierarchicalSSVM(hierarchy=edges, class_weight={"a": 2.0}, C=1.0).fit(X, Y)
    assert weighted.decision_function(X).shape == (120, 5)
    with pytest.raises(ValueError, match="several parents and `leaves_only` has no compiled answers"):
        HierarchicalSSVM(hierarchy=edges, leaves_only=True).fit(X, [set(names) if "e" in y else set() for y in Y])


GRAPH = Hierarchy([[0, 2], [1, 2]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Hierarchy([[0, 1], [1, 2], [2, 0], [3, 0]]), "hold a cycle"),
        (lambda: Hierarchy([[0, 2], [1, 2]], max_cuts=0), "`max_cuts`"),
        (lambda: GRAPH.loss_augmented(GRAPH.potentials([0.0, 0.0, 0.0]), [1, 0, 1]), "node 2 is active and its parent 1 is not"),
        (lambda: GRAPH.loss_augmented(GRAPH.potentials([0.0, -np.inf, 0.0]), [1, 1, 0]), "the true label has score -inf"),
        (lambda: GRAPH.decode(GRAPH.potentials([0.0, 0.0, 0.0]), [0, -1, 1]), "must leave a label"),
        (lambda: GRAPH.loss_augmented(GRAPH.potentials([0.0, 0.0, 0.0]), [1, 0, 0], max_time=-1.0), "`max_time`"),
        (lambda: GRAPH.target([1, 0, 0], Hamming(weights=[1, np.pi, 1]), GRAPH.potentials([0.0, 0.0, 0.0])), "no common unit"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
