"""Slack answers at sizes that enumeration cannot reach, against integer programs; weights with and without a common unit."""

import numpy as np
import pytest
from structure_laws import assert_agrees

from taut.losses import F1, Cost, Hamming
from taut.oracles import MILP
from taut.search import lens_search
from taut.structures import Chain, Hierarchy, MultiLabel, Tree


def chain(rng, n=30, k=10):
    y, unary = rng.integers(0, k, n), rng.normal(size=(n, k))
    unary[np.arange(n), y] += 2.0
    losses = Hamming(), Hamming(weights=rng.random(n) + 0.1), Cost((1 - np.eye(k)) * rng.random((k, k)))
    return Chain(k), (unary, 0.5 * rng.normal(size=(k, k))), y, losses


def tree(rng, n=40, k=3):
    y, unary = rng.integers(0, k, n), rng.normal(size=(n, k))
    unary[np.arange(n), y] += 2.0
    edges = [[int(rng.integers(max(0, v - 9), v)), v] for v in range(1, n)]
    return Tree(k, edges), (unary, 0.5 * rng.normal(size=(k, k))), y, (Hamming(), Hamming(weights=rng.random(n) + 0.1))


def labels(rng, n=40):
    y = (rng.random(n) < 0.2).astype(int)
    edges = [[int(rng.integers(max(0, v - 8), v)), v] for v in range(1, n)]
    losses = Hamming(), Hamming(weights=rng.random(n) + 0.1), F1()
    return MultiLabel(n, edges=edges), (rng.normal(size=n) + 2 * y - 1, rng.normal(size=n - 1)), y, losses


def hierarchy(rng, n=100):
    nodes = Hierarchy([[int(rng.integers(max(0, v // 8 - 2), max(v // 3, 1))), v] for v in range(1, n)], bool(rng.integers(2)))
    y = nodes.decode(nodes.potentials(rng.normal(size=n) - 0.5))
    return nodes, (rng.normal(size=n) + 2 * y - 1,), y, (Hamming(), Hamming(weights=rng.random(n) + 0.1))


@pytest.mark.parametrize("draw", [chain, tree, labels, hierarchy])
def test_slack_equals_integer_programs(draw):
    rng = np.random.default_rng(20261120)
    structure, potentials, y, losses = draw(rng)
    theta = structure.potentials(*potentials)
    for loss in losses:
        direct = structure.loss_augmented(theta, y, loss)
        program = lens_search(MILP(structure, theta, y, loss), lam=direct.lam)
        assert direct.certified and program.certified
        assert abs(direct.value - program.value) <= 1e-8 * max(1.0, direct.value)
        assert_agrees(structure, theta, y, loss, direct, "slack", 1e-9)
