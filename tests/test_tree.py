"""Trees and forests against enumeration, against the plain count program, and what they refuse."""

import numpy as np
import pytest
from structure_laws import assert_agrees, batch_equals_single, decoding, oracle_answers, parts_add_up, slack_and_margin

from taut.kernels import tree as kernel
from taut.kernels.compiling import BEST, address
from taut.losses import Cost, Hamming, ZeroOne
from taut.structures import Chain, Tree
from taut.structures.base import _solve_one


def draw_edges(rng, n):
    """A random forest, its nodes and the ends of its edges in any order."""
    edges = [(int(rng.integers(max(0, v - 3), v)), v) for v in range(1, n) if rng.random() < 0.8]
    name = rng.permutation(n)
    return np.array([(name[a], name[b])[:: rng.choice([-1, 1])] for a, b in edges]).reshape(-1, 2).astype(np.int64)


def draw_loss(rng, n, k):
    weights = rng.integers(0, 4, n) * 0.25
    weights[0] += 0.5
    return [
        Hamming(),
        Hamming(normalize=False),
        ZeroOne(),
        Hamming(weights=weights),
        Hamming(normalize=False, weights=weights),
        Cost(np.where(np.eye(k) > 0, 0.0, rng.integers(0, 4, (k, k)) / 3)),
    ][rng.integers(6)]


def draw_tree(rng):
    """A tiny forest with its potentials and a feasible target, or None where all is forbidden."""
    k, n = int(rng.integers(1, 5)), int(rng.integers(1, 7))
    if k**n > 260:
        return None
    edges = draw_edges(rng, n)
    per_edge = rng.random() < 0.3
    tree = Tree(k, edges if rng.random() < 0.5 else None)
    unary = rng.normal(size=(n, k)) * rng.choice([0.0, 1e-12, 0.1, 1.0, 10.0, 1e6, 1e12])
    moves = rng.normal(size=(len(edges), k, k) if per_edge else (k, k)) * rng.choice([0.0, 1.0])
    if rng.random() < 0.3:
        unary, moves = np.round(unary), np.round(moves)
    if rng.random() < 0.2:
        moves = np.where(rng.random(moves.shape) < 0.2, -np.inf, moves)
        unary = np.where(rng.random(unary.shape) < 0.1, -np.inf, unary)
    theta = tree.potentials(unary, moves, edges=edges if tree.edges is None else None)
    y = tree.decode(theta) if rng.random() < 0.2 else rng.integers(0, k, n)
    return (tree, theta, y, draw_loss(rng, n, k)) if tree.score(theta, y) > -np.inf else None


@pytest.mark.parametrize("seed", range(4))
def test_every_answer_equals_enumeration(seed):
    rng = np.random.default_rng(seed)
    for _ in range(400):
        drawn = draw_tree(rng)
        if drawn is None:
            continue
        tree, theta, y, loss = drawn
        lam = 10.0 ** rng.uniform(-3, 3) if rng.random() < 0.5 else None
        points, size = slack_and_margin(tree, theta, y, loss, lam)
        oracle_answers(tree, theta, y, loss, points, size, rng)
        decoding(tree, theta, points, tree.points(theta, y, loss)[1], size)


def test_a_path_is_a_chain():
    rng = np.random.default_rng(1)
    for _ in range(100):
        n, k = int(rng.integers(1, 12)), int(rng.integers(1, 5))
        unary, moves, y = rng.normal(size=(n, k)), rng.normal(size=(k, k)), rng.integers(0, k, n)
        chain, tree = Chain(k), Tree(k, [[t, t + 1] for t in range(n - 1)])
        thetas = chain.potentials(unary, moves), tree.potentials(unary, moves)
        for rescaling in ("slack", "margin"):
            one, other = (s.loss_augmented(t, y, rescaling=rescaling) for s, t in zip((chain, tree), thetas, strict=True))
            assert abs(one.value - other.value) <= 1e-12 * max(one.value, 1.0)


def test_parts_add_up():
    rng = np.random.default_rng(11)
    for n, k in ((1, 3), (4, 3), (5, 2), (3, 1)):
        edges, moves = draw_edges(rng, n), rng.normal(size=(k, k))
        tree = Tree(k)
        theta = tree.potentials(rng.normal(size=(n, k)), moves, edges=edges)
        parts_add_up(tree, theta, rng.integers(0, k, n), Hamming(), moves.ravel(), n)


def counting(tree, theta, y, loss, rescaling):
    """The plain count program: the value of the best label."""
    one = tree.target(y, loss, theta)
    label, out = np.zeros(len(y), np.int64), np.zeros(6)
    _solve_one(
        address(kernel.best_by_counting, BEST), 1 if rescaling == "slack" else 0, 1.0, 0.0, 0.0, *tree.example(theta, one),
        label, out,
    )  # fmt: skip
    return out[2]


def draw_middle(rng, n=40, k=5):
    tree, y = Tree(k, np.array([[int(rng.integers(max(0, v - 9), v)), v] for v in range(1, n)])), rng.integers(0, k, n)
    unary = rng.normal(size=(n, k)) * rng.choice([0.1, 1.0])
    unary[np.arange(n), y] += rng.choice([0.0, 1.0, 3.0])
    loss = [Hamming(), Hamming(normalize=False), Cost(np.where(np.eye(k) > 0, 0, rng.integers(1, 4, (k, k))))][rng.integers(3)]
    return tree, tree.potentials(unary, rng.normal(size=(k, k))), y, loss


@pytest.mark.parametrize("rescaling", ["slack", "margin"])
def test_middle_sizes_equal_the_plain_count_program(rescaling):
    rng = np.random.default_rng(5)
    for _ in range(60):
        tree, theta, y, loss = draw_middle(rng)
        result = tree.loss_augmented(theta, y, loss, rescaling, lam=10.0 ** rng.uniform(-2, 2))
        assert result.certified
        assert abs(result.value - counting(tree, theta, y, loss, rescaling)) <= 1e-9 * max(1.0, result.value)
        assert_agrees(tree, theta, y, loss, result, rescaling, 1e-9)


def test_tolerance_gives_a_bound():
    rng = np.random.default_rng(6)
    for _ in range(50):
        tree, theta, y, loss = draw_middle(rng, 15, 4)
        exact = tree.loss_augmented(theta, y, loss)
        loose = tree.loss_augmented(theta, y, loss, tol=0.2)
        assert loose.certified and loose.upper_bound >= exact.value * (1 - 1e-12)
        assert loose.upper_bound <= loose.value * 1.2 * (1 + 1e-12)


def test_batches():
    rng = np.random.default_rng(7)
    tree, moves = Tree(4, [[0, 1], [2, 1], [1, 3], [5, 4]]), rng.normal(size=(4, 4))
    unary = rng.normal(size=(150, 6, 4))
    thetas, ones = tree.potentials(unary, moves), [tree.potentials(u, moves) for u in unary]
    targets = list(rng.integers(0, 4, (150, 6)))
    for loss in (Hamming(), ZeroOne()):
        batch_equals_single(tree, thetas, ones, targets, loss)


def test_batches_of_several_sizes_with_edges_of_their_own():
    rng = np.random.default_rng(8)
    tree, sizes, moves = Tree(3), rng.integers(1, 9, 100), rng.normal(size=(3, 3))
    offsets, edges = np.concatenate([[0], np.cumsum(sizes)]), [draw_edges(rng, n) for n in sizes]
    unary = rng.normal(size=(offsets[-1], 3))
    rows = np.split(unary, offsets[1:-1])
    ones = [tree.potentials(u, moves, edges=e) for u, e in zip(rows, edges, strict=True)]
    thetas = tree.potentials(unary, moves, edges=edges, offsets=offsets)
    batch_equals_single(tree, thetas, ones, [rng.integers(0, 3, n) for n in sizes], Hamming())


def test_warm_start_and_thresholds_change_no_answer():
    rng = np.random.default_rng(8)
    for _ in range(100):
        tree, theta, y, loss = draw_middle(rng, 12, 4)
        cold = tree.loss_augmented(theta, y, loss)
        for share in (0.0, 0.5, 0.999999):
            warm = tree.loss_augmented(theta, y, loss, lam=cold.lam, threshold=share * cold.value)
            assert abs(warm.value - cold.value) <= 1e-12 * cold.value
        assert tree.loss_augmented(theta, y, loss, threshold=cold.value).label is None


def test_clamped_decoding():
    rng = np.random.default_rng(9)
    for _ in range(50):
        tree = Tree(3, [[0, 1], [2, 1], [3, 2]])
        theta, clamp = tree.potentials(rng.normal(size=(5, 3)), rng.normal(size=(3, 3))), rng.integers(-1, 3, 5)
        best = max(tree.score(theta, y) for y in tree.enumerate(theta) if ((clamp < 0) | (y == clamp)).all())
        y = tree.decode(theta, clamp)
        assert ((clamp < 0) | (y == clamp)).all() and abs(tree.score(theta, y) - best) <= 1e-12


def test_a_thousand_nodes():
    rng, n = np.random.default_rng(10), 1000
    tree = Tree(2, np.array([[int(rng.integers(max(0, v - 20), v)), v] for v in range(1, n)]))
    y = rng.integers(0, 2, n)
    theta = tree.potentials(rng.normal(size=(n, 2)) + 1.5 * (y[:, None] == np.arange(2)), 0.3 * rng.normal(size=(2, 2)))
    first = tree.loss_augmented(theta, y, tol=0.05)
    exact = tree.loss_augmented(theta, y, lam=first.lam)
    assert first.certified and exact.certified and first.upper_bound >= exact.value >= first.value * (1 - 1e-12)


PATH = [[0, 1], [1, 2]]
THETA = Tree(2, PATH).potentials(np.zeros((3, 2)), np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Tree(0, PATH), "`n_states` must be a whole number"),
        (lambda: Tree(2, [[0, 1], [1, 2], [2, 0]]), "hold a cycle, closed by edge"),
        (lambda: Tree(2, [[0, 0]]), "must not join a node to itself"),
        (lambda: Tree(2, [[0, 1], [1, 0]]), "each pair once"),
        (lambda: Tree(2, [[-1, 0]]), "node numbers from 0"),
        (lambda: Tree(2, [[0, 1, 2]]), r"shape \(m, 2\)"),
        (lambda: Tree(2, PATH).potentials(np.zeros((2, 2)), np.zeros((2, 2))), "join nodes up to 2; found 2 rows"),
        (lambda: Tree(2).potentials(np.zeros((2, 2)), np.zeros((2, 2))), "has no edges of its own"),
        (lambda: Tree(2).potentials(np.zeros((2, 2)), np.zeros((2, 2)), edges=[[0, 5]]), "node numbers from 0 to 1; found 5"),
        (lambda: Tree(2, PATH).potentials(np.zeros((3, 3)), np.zeros((2, 2))), "`unary` must have shape"),
        (lambda: Tree(2, PATH).potentials(np.zeros((0, 2)), np.zeros((2, 2))), "at least one row"),
        (lambda: Tree(2, PATH).potentials(np.full((3, 2), np.nan), np.zeros((2, 2))), "`unary` must be finite"),
        (lambda: Tree(2, PATH).potentials(np.zeros((3, 2)), np.zeros((3, 2, 2))), r"`pairwise` must have shape \(2, 2, 2\)"),
        (lambda: Tree(2, PATH).potentials(np.zeros((4, 3, 2)), np.zeros((2, 2, 2))), "one example at a time"),
        (lambda: Tree(2, PATH).potentials(np.zeros((6, 2)), np.zeros((2, 2)), offsets=[0, 3]), "`offsets` must rise"),
        (lambda: Tree(2).potentials(np.zeros((6, 2)), np.zeros((2, 2)), [PATH], offsets=[0, 3, 6]), "one array .* per example"),
        (lambda: Tree(2, PATH).loss_augmented(THETA, [0, 1]), r"must have shape \(3,\)"),
        (lambda: Tree(2, PATH).loss_augmented(THETA, [0, 1, 2]), "integers from 0 to 1; found 2"),
        (lambda: Tree(2, PATH).loss_augmented(THETA, [0, 1, 0], loss="f1"), "cannot optimise F1 exactly. It can: Hamming"),
        (lambda: Tree(2, PATH).decode(THETA, clamp=[0, 1]), "`clamp` must have shape"),
        (lambda: Tree(2, PATH).topk(THETA, 0), "`k` must be a whole number of at least 1"),
        (lambda: Tree(2, PATH).enumerate(), "pass the potentials"),
        (lambda: Tree(2, PATH).loss_augmented_many(THETA, [[0, 1, 0]]), "must be a batch"),
        (
            lambda: Tree(2).loss_augmented(Tree(2).potentials([[0.0, -np.inf]], np.zeros((2, 2)), edges=[]), [1]),
            "the true label has score -inf",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
