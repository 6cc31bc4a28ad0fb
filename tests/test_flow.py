"""Maximum flow against scipy on whole numbers, against a linear program, against enumeration; warm as cold."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import maximum_flow

from taut.oracles import MinCut


def draw(rng, n, whole=False):
    """Edges, some twice, capacities of both directions, excesses."""
    m = int(rng.integers(0, 3 * n + 1)) if n > 1 else 0
    a = rng.integers(0, n, m)
    edges = np.stack([a, (a + rng.integers(1, max(n, 2), m)) % n], axis=1)
    kinds = rng.integers(0, 50, (2, m)), rng.random((2, m)), 10.0 ** rng.uniform(-12, 12, (2, m)), rng.integers(0, 2, (2, m))
    forward, backward = kinds[0 if whole else rng.integers(4)] * (rng.random((2, m)) < 0.7) * 1.0
    return edges, forward, backward, rng.integers(-40, 41, n) * 1.0 if whole else rng.normal(size=n) * forward.max(initial=1.0)


def capacity(edges, forward, backward, excess, side):
    """The capacity of a cut by its definition."""
    a, b = edges.T
    across = forward[side[a] & ~side[b]].sum() + backward[side[b] & ~side[a]].sum()
    return across + excess[~side & (excess > 0)].sum() - excess[side & (excess < 0)].sum()


def test_whole_numbers_equal_scipy():
    rng = np.random.default_rng(0)
    for _ in range(150):
        n = int(rng.integers(1, 60))
        edges, forward, backward, excess = draw(rng, n, whole=True)
        net = MinCut(n, edges, forward, backward)
        for _ in range(4):  # warm
            excess += rng.integers(-20, 21, n)
            rows = np.concatenate([edges[:, 0], edges[:, 1], np.full(n, n), np.arange(n)])
            columns = np.concatenate([edges[:, 1], edges[:, 0], np.arange(n), np.full(n, n + 1)])
            caps = np.concatenate([forward, backward, np.maximum(excess, 0), np.maximum(-excess, 0)]).astype(np.int32)
            graph = csr_array(coo_array((caps, (rows, columns)), shape=(n + 2, n + 2)), dtype=np.int32)
            found = net.cut(excess)
            assert found.capacity == maximum_flow(graph, n, n + 1).flow_value
            assert found.capacity == capacity(edges, forward, backward, excess, found.source_side)


def test_real_numbers_equal_a_linear_program():
    rng = np.random.default_rng(1)
    for _ in range(150):
        n = int(rng.integers(1, 12))
        edges, forward, backward, excess = draw(rng, n, whole=True)
        forward, backward, excess = (values * 10.0 ** rng.uniform(-1, 1, values.shape) for values in (forward, backward, excess))
        size = max(forward.max(initial=0), backward.max(initial=0), np.abs(excess).max())
        m, e = len(edges), np.arange(len(edges))
        # minimise the cut: p is 1 on the source's side, d >= p_a - p_b pays for the edges
        rows = np.concatenate([e, e, e, m + e, m + e, m + e])
        columns = np.concatenate([edges[:, 0], edges[:, 1], n + e, edges[:, 1], edges[:, 0], n + m + e])
        values = np.repeat([1.0, -1.0, -1.0, 1.0, -1.0, -1.0], m)
        matrix = coo_array((values, (rows, columns)), shape=(2 * m, n + 2 * m)) if m else None
        costs = np.concatenate([-excess, forward, backward]) / size
        best = linprog(costs, A_ub=matrix, b_ub=None if matrix is None else np.zeros(2 * m), bounds=(0, 1))
        least = best.fun * size + excess[excess > 0].sum()
        assert abs(MinCut(n, edges, forward, backward).cut(excess).capacity - least) <= 1e-7 * size * (n + m)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_warm_equals_enumeration(scale):
    rng = np.random.default_rng(2)
    for _ in range(150):
        n = int(rng.integers(1, 8))
        edges, forward, backward, _ = draw(rng, n)
        unit = scale / max(forward.max(initial=0.0), backward.max(initial=0.0), 1e-30)
        forward, backward = unit * forward, unit * backward
        net, sides = MinCut(n, edges, forward, backward), np.indices((2,) * n).reshape(n, -1).T > 0
        for _ in range(5):
            excess = scale * rng.normal(size=n) * 10.0 ** rng.uniform(-6, 3)
            excess[rng.random(n) < 0.2] = 0.0
            held = np.where(rng.random(n) < 0.1, rng.choice([-np.inf, np.inf], n), excess)
            least = min(capacity(edges, forward, backward, held, side) for side in sides)
            found = net.cut(held)
            size = max(scale, np.abs(excess).max())
            room = 1e-13 * size * (n + len(edges))
            assert abs(found.capacity - capacity(edges, forward, backward, held, found.source_side)) <= room
            assert abs(found.capacity - least) <= room


def test_closures_with_infinite_arcs():
    rng = np.random.default_rng(3)
    for _ in range(100):
        n = int(rng.integers(2, 9))
        edges = np.array([(rng.integers(v), v) for v in range(1, n) for _ in range(2)])  # a child needs its parents
        scores = np.round(rng.normal(size=n) * 4)
        side = MinCut(n, edges[:, ::-1], np.full(len(edges), np.inf)).cut(scores).source_side
        assert (side[edges[:, 0]] >= side[edges[:, 1]]).all()
        sets = np.indices((2,) * n).reshape(n, -1).T
        closed = sets[(sets[:, edges[:, 0]] >= sets[:, edges[:, 1]]).all(axis=1)]
        assert scores[side].sum() == (closed @ scores).max()
        assert side.sum() == closed[closed @ scores == (closed @ scores).max()].sum(axis=1).min()  # the smallest of the best


def test_a_large_grid_is_fast_and_right():
    rng = np.random.default_rng(4)
    n = 100
    cell = np.arange(n * n).reshape(n, n)
    ends = (cell[:, :-1], cell[:, 1:]), (cell[:-1], cell[1:])
    edges = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in ends])
    forward, excess = rng.integers(0, 60, len(edges)) * 1.0, rng.integers(-100, 101, n * n) * 1.0
    rows = np.concatenate([edges[:, 0], edges[:, 1], np.full(n * n, n * n), np.arange(n * n)])
    columns = np.concatenate([edges[:, 1], edges[:, 0], np.arange(n * n), np.full(n * n, n * n + 1)])
    caps = np.concatenate([forward, forward, np.maximum(excess, 0), np.maximum(-excess, 0)]).astype(np.int32)
    graph = csr_array(coo_array((caps, (rows, columns)), shape=(n * n + 2, n * n + 2)), dtype=np.int32)
    assert MinCut(n * n, edges, forward, forward).cut(excess).capacity == maximum_flow(graph, n * n, n * n + 1).flow_value


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MinCut(0, [], []), "`n_nodes` must be a whole number"),
        (lambda: MinCut(2, [[0, 1, 1]], [1]), r"shape \(m, 2\)"),
        (lambda: MinCut(2, [[0.0, 1.0]], [1]), r"shape \(m, 2\)"),
        (lambda: MinCut(2, [[0, 2]], [1]), "from 0 to 1; found 2"),
        (lambda: MinCut(2, [[1, 1]], [1]), "joins 1 to itself"),
        (lambda: MinCut(2, [[0, 1]], [1, 2]), r"shape \(1,\); found \(2,\)"),
        (lambda: MinCut(2, [[0, 1]], [-1]), "edge 0 has -1.0"),
        (lambda: MinCut(2, [[0, 1]], [np.nan]), "edge 0 has nan"),
        (lambda: MinCut(2, [[0, 1]], [1], [-2]), "`reverse` must be >= 0"),
        (lambda: MinCut(2, [[0, 1]], [1]).cut([0.0]), r"shape \(2,\); found \(1,\)"),
        (lambda: MinCut(2, [[0, 1]], [1]).cut([0.0, np.nan]), "NaN at node 1"),
        (lambda: MinCut(2, [[0, 1]], [np.inf]).cut([np.inf, -np.inf]), "no cut is finite"),
    ],
)
def test_bad_networks(call, message):
    with pytest.raises(ValueError, match=message):
        call()
