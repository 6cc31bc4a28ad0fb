"""Label sets against enumeration, and what they refuse."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from structure_laws import assert_agrees, batch_equals_single, decoding, oracle_answers, parts_add_up, slack_and_margin

from taut.kernels import frontier
from taut.kernels.compiling import BEST, address
from taut.losses import F1, Cost, Hamming, Jaccard, Tabulated, ZeroOne
from taut.oracles import MILP
from taut.search import angular_search, bisecting_search, lens_search
from taut.structures import MultiLabel, chow_liu_tree
from taut.structures.set_methods import Frontier, Wide

SCALES = [0.0, 1e-12, 0.1, 1.0, 10.0, 1e6, 1e12]


def draw_loss(rng, n, weights):
    losses = [
        Hamming(),
        Hamming(normalize=False),
        Hamming(weights=np.full(n, 0.3)),
        ZeroOne(),
        F1(),
        Jaccard(),
        Tabulated(lambda fp, fn, p, n: 2.0 * fp + fn * fn / (p + 1)),
        Tabulated(lambda fp, fn, p, n: float(fp > 1)),
        Tabulated(lambda fp, fn, p, n: 0.0),
    ]
    if weights:
        whole = np.append(1.0, rng.integers(0, 3, n - 1))
        losses += [Hamming(weights=rng.random(n) + 0.01), Hamming(normalize=False, weights=whole)]
    return losses[rng.integers(len(losses))]


def draw_edges(rng, n, kind):
    pairs = np.argwhere(np.triu(np.ones((n, n)), 1))
    if kind == "some":
        return rng.permutation(pairs)[: rng.integers(1, len(pairs) + 1), :: rng.choice([-1, 1])]
    return kind


def draw(rng, n, kind, weights):
    """Unary and pairwise scores with ties, a target that is all wrong, right or anything, and a loss."""
    structure = MultiLabel(n, edges=draw_edges(rng, n, kind))
    unary = rng.normal(size=n) * rng.choice(SCALES)
    pairwise = rng.normal(size=structure.n_shared) * rng.choice(SCALES)
    if rng.random() < 0.3:
        unary, pairwise = np.round(unary), np.round(pairwise)
    theta = structure.potentials(unary, pairwise)
    best = structure.decode(theta)
    y = [best, 1 - best, np.zeros(n, int), np.ones(n, int), rng.integers(0, 2, n)][rng.integers(5)]
    return structure, theta, y, draw_loss(rng, n, weights)


def check(rng, structure, theta, y, loss, cones):
    lam = 10.0 ** rng.uniform(-3, 3) if rng.random() < 0.5 else None
    points, size = slack_and_margin(structure, theta, y, loss, lam)
    oracle_answers(structure, theta, y, loss, points, size, rng, cones)
    decoding(structure, theta, points, structure.points(theta, y, loss)[1], size)
    return points, size


@pytest.mark.parametrize("seed", range(3))
def test_independent_labels_equal_enumeration(seed):
    rng = np.random.default_rng(seed)
    for _ in range(250):
        structure, theta, y, loss = draw(rng, int(rng.integers(1, 8)), "none", False)
        if rng.random() < 0.2:
            loss = Hamming(weights=np.append(1.0, rng.integers(0, 4, structure.n_labels - 1)) / 3)
        check(rng, structure, theta, y, loss, cones=False)


def small_graph(rng, n):
    """A forest, a ring or some graph."""
    forest = np.array([[rng.integers(0, v), v] for v in range(1, n) if rng.random() < 0.8]).reshape(-1, 2)
    ring = np.stack([np.arange(n), np.roll(np.arange(n), -1)], axis=1) if n > 2 else forest
    return [forest, ring, draw_edges(rng, n, "some")][rng.integers(3)]


@pytest.mark.parametrize("seed", range(2))
def test_frontiers_equal_enumeration(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    for i in range(200):
        n = int(rng.integers(2, 9 if i % 25 == 0 else 7))
        edges = small_graph(rng, n)
        if len(edges) == 0:
            continue
        structure = MultiLabel(n, edges=edges)
        structure._method = Frontier(n, edges)
        unary = rng.normal(size=n) * rng.choice(SCALES)
        pairwise = rng.normal(size=structure.n_shared) * rng.choice(SCALES)
        if rng.random() < 0.3:
            unary, pairwise = np.round(unary), np.round(pairwise)
        theta = structure.potentials(unary, pairwise)
        best = structure.decode(theta)
        y = [best, 1 - best, np.zeros(n, int), np.ones(n, int), rng.integers(0, 2, n)][rng.integers(5)]
        weights = np.append(1.0, rng.integers(0, 4, n - 1)) * 0.25
        loss = Hamming(weights=weights) if rng.random() < 0.2 else draw_loss(rng, n, False)
        check(rng, structure, theta, y, loss, cones=False)


def test_wide_graphs_equal_enumeration():
    rng = np.random.default_rng(15)
    for _ in range(12):
        n = int(rng.integers(3, 7))
        structure = MultiLabel(n, edges="full")
        unary, pairwise = rng.normal(size=n), rng.normal(size=structure.n_shared) * rng.choice([0.3, 3.0])
        structure._method = Wide(n, structure.edges)
        theta, y, loss = structure.potentials(unary, pairwise), rng.integers(0, 2, n), draw_loss(rng, n, True)
        points, size = slack_and_margin(structure, theta, y, loss, tol=1e-8)
        decoding(structure, theta, points, structure.points(theta, y, loss)[1], size)


def test_many_labels_with_all_edges():
    rng = np.random.default_rng(16)
    structure = MultiLabel(24, edges="full")
    assert isinstance(structure._method, Wide)
    y = np.arange(24) % 3 == 0
    theta = structure.potentials(rng.normal(size=24) + 2 * y - 1, 0.05 * rng.random(structure.n_shared))
    exact = structure.loss_augmented(theta, y.astype(int))
    assert exact.certified
    assert_agrees(structure, theta, y.astype(int), Hamming(), exact, "slack", 1e-9)
    other = bisecting_search(structure.oracle(theta, y.astype(int)))
    assert other.value <= exact.value * (1 + 1e-9) and other.upper_bound >= exact.value * (1 - 1e-9)
    with pytest.raises(ValueError, match="too wide for compiled answers"):
        structure.loss_augmented_many(structure.potentials(theta.own[None]), [y.astype(int)])


def test_a_limit_of_time_gives_a_bound():
    rng = np.random.default_rng(17)
    structure, y = MultiLabel(40, edges="full"), np.zeros(40, int)
    theta = structure.potentials(rng.normal(size=40), rng.normal(size=structure.n_shared))
    for rescaling in ("slack", "margin"):
        result = structure.loss_augmented(theta, y, rescaling=rescaling, max_time=0.2)
        assert not result.certified and result.upper_bound > 0 and result.upper_bound >= result.value
        assert_agrees(structure, theta, y, Hamming(), result, rescaling, 1e-9)


def by_tables(structure, theta, y, counts):
    """max of h count over a tree of labels, by tables of the best score per state and count, leaves towards a root."""
    near = {j: [] for j in range(structure.n_labels)}
    for (j, k), x in zip(structure.edges.tolist(), theta.common, strict=False):
        near[j].append((k, x))
        near[k].append((j, x))

    def joined(a, b):
        out = np.full(len(a) + len(b) - 1, -np.inf)
        for i, x in enumerate(a):
            out[i : i + len(b)] = np.maximum(out[i : i + len(b)], x + b)
        return out

    def table(j, parent):
        own = [np.full(counts[j] + 1, -np.inf) for _ in range(2)]
        for state in (0, 1):
            own[state][counts[j] if state != y[j] else 0] = theta.own[j] * state
        for k, x in near[j]:
            if k != parent:
                off, on = table(k, j)
                own = [joined(own[0], np.maximum(off, on)), joined(own[1], np.maximum(off, on + x))]
        return own

    total = np.zeros(1)
    seen = set()
    for root in near:
        todo = [root] if root not in seen else []
        if todo:
            total = joined(total, np.maximum(*table(root, -1)))
        while todo:
            seen.add(j := todo.pop())
            todo += [k for k, _ in near[j] if k not in seen]
    h = 1.0 + total - structure.score(theta, y)
    return float((h * np.arange(len(h))).max())


def test_trees_of_forty_labels_equal_tables():
    rng = np.random.default_rng(13)
    for i in range(40):
        edges = [[int(rng.integers(max(0, v - 8), v)), v] for v in range(1, 40) if i % 4 or rng.random() < 0.8]
        structure = MultiLabel(40, edges=edges)
        y = (rng.random(40) < 0.3).astype(int)
        unary = rng.normal(size=40) * rng.choice([0.1, 1.0]) + rng.choice([0.0, 1.0, 3.0]) * (2 * y - 1)
        theta = structure.potentials(unary, rng.normal(size=len(edges)))
        weights = rng.integers(1, 4, 40)
        for loss, counts in ((Hamming(normalize=False), np.ones(40, int)), (Hamming(normalize=False, weights=weights), weights)):
            result = structure.loss_augmented(theta, y, loss, lam=10.0 ** rng.uniform(-2, 2))
            best = by_tables(structure, theta, y, counts)
            assert result.certified and abs(result.value - best) <= 1e-9 * max(1.0, best)
            assert_agrees(structure, theta, y, loss, result, "slack", 1e-9)


def test_two_counters_on_sixty_labels_equal_the_plain_count_program():
    rng = np.random.default_rng(19)
    structure = MultiLabel(60, edges=[[int(rng.integers(max(0, v - 6), v)), v] for v in range(1, 60)])
    y = (rng.random((24, 60)) < 0.4).astype(int)
    unary = rng.normal(size=y.shape) + rng.choice([0.0, 1.0, 3.0], (24, 1)) * (2 * y - 1)
    thetas = structure.potentials(unary, 0.5 * rng.normal(size=59))
    for loss in (F1(), Jaccard(), Tabulated(lambda fp, fn, p, n: np.sqrt(fp + 2.0 * fn))):
        prepared = structure.prepare_many(thetas, list(y), loss)
        plain = replace(prepared, where=address(frontier.best_by_counting, BEST))
        for rescaling in ("slack", "margin"):
            one, other = prepared.solve(thetas, rescaling), plain.solve(thetas, rescaling)
            assert one.certified.all() and np.allclose(one.value, other.value, rtol=1e-10, atol=1e-10)
            assert (one.upper_bound >= other.value * (1 - 1e-12)).all()


def test_graphs_with_cycles_equal_integer_programs():
    rng = np.random.default_rng(21)
    ring = [[v, (v + 1) % 26] for v in range(26)]
    structure = MultiLabel(26, edges=[*ring, [0, 5], [3, 9], [10, 15], [20, 24]])
    assert isinstance(structure._method, Frontier)
    for loss in (Hamming(), F1(), Hamming(weights=rng.integers(1, 4, 26)), ZeroOne()):
        y = rng.integers(0, 2, 26)
        theta = structure.potentials(rng.normal(size=26) + 2 * y - 1, rng.normal(size=structure.n_shared))
        direct = structure.loss_augmented(theta, y, loss)
        program = lens_search(MILP(structure, theta, y, loss))
        assert direct.certified and abs(direct.value - program.value) <= 1e-8 * max(1.0, direct.value)
        assert_agrees(structure, theta, y, loss, direct, "slack", 1e-9)


def test_a_thousand_labels_on_a_tree():
    rng = np.random.default_rng(14)
    n = 1000
    structure = MultiLabel(n, edges=[[int(rng.integers(0, v)), v] for v in range(1, n)])
    y = (rng.random(n) < 0.1).astype(int)
    theta = structure.potentials(rng.normal(size=n) + 2.0 * (2 * y - 1), 0.5 * rng.normal(size=n - 1))
    result = structure.loss_augmented(theta, y)
    assert result.certified and result.value > 0
    assert_agrees(structure, theta, y, Hamming(), result, "slack", 1e-9 * max(1.0, result.h))


@pytest.mark.parametrize("kind", ["full", "some"])
def test_enumerated_labels_equal_enumeration(kind):
    rng = np.random.default_rng(1)
    for i in range(250):
        structure, theta, y, loss = draw(rng, int(rng.integers(2, 9 if i % 25 == 0 else 7)), kind, True)
        points, size = check(rng, structure, theta, y, loss, cones=structure.n_shared > 0)
        if structure.n_shared:
            exact = angular_search(structure.oracle(theta, y, loss))
            assert abs(exact.value - max(float((points.h * points.g).max()), 0.0)) <= size * max(1.0, points.g.max())


def test_more_labels_than_a_row_equal_independent_ones():
    rng = np.random.default_rng(2)
    for n in (7, 8, 12):
        structure, plain = MultiLabel(n, edges="full"), MultiLabel(n)
        for loss in (Hamming(), F1(), ZeroOne()):
            unary, y = rng.normal(size=n), rng.integers(0, 2, n)
            with_pairs, without = structure.potentials(unary), plain.potentials(unary)
            for rescaling in ("slack", "margin"):
                one = structure.loss_augmented(with_pairs, y, loss, rescaling)
                other = plain.loss_augmented(without, y, loss, rescaling)
                assert abs(one.value - other.value) <= 1e-12 * max(1.0, one.value)
                assert_agrees(structure, with_pairs, y, loss, one, rescaling, 1e-12)
            assert np.array_equal(structure.decode(with_pairs), plain.decode(without))


def test_rows_that_are_left_out_hold_nothing_better():
    rng = np.random.default_rng(20)
    n, sets = 11, np.indices((2,) * 11).reshape(11, -1).T
    structure = MultiLabel(n, edges="full")
    products = sets[:, structure.edges[:, 0]] * sets[:, structure.edges[:, 1]]
    for i in range(150):
        pairwise = rng.normal(size=structure.n_shared) * rng.choice([0.0, 1e-6, 0.1, 1.0, 1e6])
        unary = rng.normal(size=n) * rng.choice([1e-6, 1.0, 1e6])
        unary, pairwise = (np.round(unary), np.round(pairwise)) if i % 5 == 0 else (unary, pairwise)
        scores = sets @ unary + products @ pairwise
        at = int([scores.argmax(), rng.integers(len(sets))][rng.integers(2)])
        loss, theta = draw_loss(rng, n, True), structure.potentials(unary, pairwise)
        g = np.array([structure.loss(sets[at], y, loss) for y in sets]) if i % 5 == 0 else (sets != sets[at]).mean(axis=1)
        loss, h = loss if i % 5 == 0 else Hamming(), 1.0 + scores - scores[at]
        room = 1e-13 * np.abs(scores).max() + 1e-13
        for rescaling, values in (("slack", h * g), ("margin", h - 1.0 + g)):
            best, lam = max(float(values.max()), 0.0), 10.0 ** rng.uniform(-6, 6)
            for threshold in (0.0, 0.99 * best):
                result = structure.loss_augmented(theta, sets[at], loss, rescaling, lam=lam, threshold=threshold)
                assert result.certified and abs(result.value - best) <= room * max(1.0, g.max())
        lo, hi = sorted(rng.uniform(0, 1, 2) * g.max())
        inside = np.where((lo < g) & (g < hi), h + lam * g, -np.inf).max()
        answer = structure.oracle(theta, sets[at], loss).argmax_in_band(lam, lo, hi)
        assert (answer is None) == (inside == -np.inf)
        assert answer is None or abs(answer.h + lam * answer.g - inside) <= room + 1e-13 * lam * g.max()


def by_sorting(gains, n, unit):
    h = 1.0 + np.concatenate([[0.0], np.cumsum(np.sort(gains)[::-1])])
    return float((h * unit * np.arange(n + 1)).max())


def test_many_independent_labels_equal_sorting():
    rng = np.random.default_rng(3)
    for i in range(300):
        n = int(rng.choice([1, 2, 30, 100, 1000]))
        y = (rng.random(n) < rng.choice([0.05, 0.5])).astype(int)
        unary = rng.normal(size=n) * rng.choice([1e-3, 0.1, 1.0, 100.0]) + rng.choice([0.0, 1.0]) * (2 * y - 1)
        unary = np.round(unary, 1) if i % 3 == 0 else unary
        structure = MultiLabel(n)
        theta = structure.potentials(unary)
        result = structure.loss_augmented(theta, y, lam=10.0 ** rng.uniform(-4, 4))
        best = by_sorting(np.where(y > 0, -unary, unary), n, 1.0 / n)
        assert result.certified and abs(result.value - best) <= 1e-12 * max(1.0, best)
        assert_agrees(structure, theta, y, Hamming(), result, "slack", 1e-9 * max(1.0, abs(result.h)))


def test_ten_thousand_independent_labels():
    rng = np.random.default_rng(4)
    n = 10_000
    structure, y = MultiLabel(n), (rng.random(n) < 0.01).astype(int)
    unary = rng.normal(size=n) + 3.0 * (2 * y - 1)
    theta = structure.potentials(unary)
    for loss in (Hamming(), F1()):
        result = structure.loss_augmented(theta, y, loss)
        assert result.certified and result.value > 0
    best = by_sorting(np.where(y > 0, -unary, unary), n, 1.0 / n)
    assert abs(structure.loss_augmented(theta, y).value - best) <= 1e-12 * best


@pytest.mark.parametrize("edges", ["none", "full"])
def test_warm_start_and_thresholds_change_no_answer(edges):
    rng = np.random.default_rng(8)
    structure = MultiLabel(9, edges=edges)
    for loss in (Hamming(), Jaccard()):
        for _ in range(50):
            theta = structure.potentials(rng.normal(size=9), rng.normal(size=structure.n_shared))
            y = rng.integers(0, 2, 9)
            cold = structure.loss_augmented(theta, y, loss)
            for share in (0.0, 0.5, 0.999999):
                warm = structure.loss_augmented(theta, y, loss, lam=cold.lam, threshold=share * cold.value)
                assert abs(warm.value - cold.value) <= 1e-12 * cold.value
            assert structure.loss_augmented(theta, y, loss, threshold=cold.value).label is None


@pytest.mark.parametrize(("n", "edges"), [(8, "none"), (8, "full"), (18, [[v // 2, v] for v in range(1, 18)])])
def test_batches(n, edges):
    rng = np.random.default_rng(7)
    structure = MultiLabel(n, edges=edges)
    unary, pairwise = rng.normal(size=(150, n)), rng.normal(size=structure.n_shared)
    targets = list(rng.integers(0, 2, (150, n)))
    for loss in (Hamming(), F1(), ZeroOne()):
        thetas = structure.potentials(unary, pairwise)
        batch_equals_single(structure, thetas, [structure.potentials(u, pairwise) for u in unary], targets, loss)


def test_parts_add_up():
    rng = np.random.default_rng(11)
    tree = [[3, 1], [0, 8], [7, 2], [8, 1], [5, 0], [5, 2]]
    for n, edges, method in ((1, "none", None), (4, "none", None), (5, "full", None), (9, tree, None), (9, tree, Frontier)):
        structure = MultiLabel(n, edges=edges)
        if method is not None:
            structure._method = method(n, structure.edges)
        weights = rng.normal(size=structure.n_shared)
        for loss in (Hamming(), F1()):
            theta = structure.potentials(rng.normal(size=n), weights)
            parts_add_up(structure, theta, rng.integers(0, 2, n), loss, weights, 1)


@pytest.mark.parametrize("edges", ["none", "full", [[0, 3], [2, 1]]])
def test_clamped_decoding(edges):
    rng = np.random.default_rng(9)
    structure = MultiLabel(5, edges=edges)
    for _ in range(50):
        theta = structure.potentials(rng.normal(size=5), rng.normal(size=structure.n_shared))
        clamp = rng.integers(-1, 2, 5)
        allowed = (y for y in structure.enumerate() if (np.where(clamp >= 0, y, -1) == clamp).all())
        found = structure.decode(theta, clamp=clamp)
        assert (found[clamp >= 0] == clamp[clamp >= 0]).all()
        assert abs(structure.score(theta, found) - max(structure.score(theta, y) for y in allowed)) < 1e-12


def test_the_k_best_of_many_independent_labels():
    rng = np.random.default_rng(12)
    structure = MultiLabel(12)
    theta = structure.potentials(np.round(rng.normal(size=12), 1))
    scores = np.sort([structure.score(theta, y) for y in structure.enumerate()])[::-1]
    labels, values = structure.topk(theta, 500)
    assert np.allclose(values, scores[:500], rtol=0, atol=1e-12) and len({y.tobytes() for y in labels}) == 500


def information(a, b):
    """Mutual information of two columns of 0 and 1, by its definition."""
    total = 0.0
    for x in (0, 1):
        for z in (0, 1):
            p = np.mean((a == x) & (b == z))
            total += p * np.log(p / np.mean(a == x) / np.mean(b == z)) if p > 0 else 0.0
    return total


def test_chow_liu_trees_have_the_greatest_information():
    rng = np.random.default_rng(18)
    for n_labels in (1, 2, 5):
        y = (rng.random((30, n_labels)) < 0.4).astype(int)
        y[:, -1] = y[:, 0] ^ (rng.random(30) < 0.1)
        pairs = list(itertools.combinations(range(n_labels), 2))
        worth = {pair: information(*y[:, list(pair)].T) for pair in pairs}
        trees = [t for t in itertools.combinations(pairs, n_labels - 1) if is_tree(t, n_labels)]
        found = chow_liu_tree(y)
        assert np.array_equal(found, chow_liu_tree(sparse.csr_matrix(y)))
        total = sum(worth[tuple(edge)] for edge in found.tolist())
        assert abs(total - max(sum(worth[e] for e in t) for t in trees)) < 1e-12
        assert MultiLabel(n_labels, edges=found).n_shared == n_labels - 1


def is_tree(edges, n):
    reached = {0}
    for _ in edges:
        reached |= {v for edge in edges if reached & set(edge) for v in edge}
    return len(reached) == n


SETS, THETA = MultiLabel(3), MultiLabel(3).potentials(np.zeros(3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MultiLabel(0), "`n_labels` must be a whole number"),
        (lambda: MultiLabel(3, edges="tree"), "`edges` must be 'none', 'full' or an array"),
        (lambda: MultiLabel(3, edges=[0, 1]), r"`edges` must have shape \(m, 2\); found \(2,\)"),
        (lambda: MultiLabel(3, edges=[[0, 1], [2, 2]]), "edge 1 joins 2 to itself"),
        (lambda: MultiLabel(3, edges=[[0, 3]]), "`edges` must hold integers from 0 to 2; found 3"),
        (lambda: MultiLabel(3, edges=[[-1, 0]]), "found -1"),
        (lambda: MultiLabel(3, edges=[[0, 1], [1, 2], [1, 0]]), r"found \(0, 1\) twice"),
        (lambda: SETS.potentials(np.zeros(4)), r"`unary` must have shape \(3,\); found \(4,\)"),
        (lambda: SETS.potentials(np.zeros((2, 4))), r"`unary` must have shape \(any, 3\); found \(2, 4\)"),
        (lambda: SETS.potentials(np.zeros(3), [1.0]), r"`pairwise` must have shape \(0,\); found \(1,\)"),
        (lambda: MultiLabel(3, edges="full").potentials(np.zeros(3), np.zeros(2)), r"`pairwise` must have shape \(3,\)"),
        (lambda: MultiLabel(2, edges="full").potentials(np.zeros(2), [np.nan]), r"`pairwise` must be finite; found nan"),
        (lambda: SETS.potentials([0.0, np.nan, 0.0]), r"`unary` must be finite; found nan at \(1,\)"),
        (lambda: SETS.potentials([0.0, -np.inf, 0.0]), "found -inf"),
        (lambda: SETS.loss_augmented(THETA, [0, 1]), r"`label` must have shape \(3,\); found shape \(2,\)"),
        (lambda: SETS.loss_augmented(THETA, [0, 1, 2]), "integers from 0 to 1; found 2"),
        (lambda: SETS.loss_augmented(THETA, [0, 1, 0.5]), "must hold integers"),
        (lambda: SETS.loss_augmented(THETA, [0, 1, 0], loss=Cost(np.zeros((2, 2)))), "cannot optimise this Cost exactly. It can"),
        (lambda: SETS.loss_augmented(THETA, [0, 1, 0], loss=Tabulated(lambda *a: -1.0)), "finite and >= 0"),
        (lambda: SETS.loss_augmented(THETA, [0, 1, 0], loss=Hamming(weights=[1.0, 2.0])), "`weights` must have shape"),
        (lambda: SETS.loss_augmented(THETA, [0, 1, 0], loss=Hamming(weights=[0.0, 0.0, 0.0])), "not all zero"),
        (lambda: SETS.decode(THETA, clamp=[0, 1]), r"`clamp` must have shape \(3,\)"),
        (lambda: SETS.decode(THETA, clamp=[0, 1, 2]), "`clamp` must hold integers from -1 to 1; found 2"),
        (lambda: chow_liu_tree([[0, 2]]), "`Y` must hold 0/1 label sets"),
        (lambda: SETS.topk(THETA, 0), "`k` must be a whole number of at least 1"),
        (lambda: SETS.loss_augmented_many(THETA, [[0, 1, 0]]), "must be a batch"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
