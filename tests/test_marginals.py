"""Max-marginals of chains and trees, and margins, against enumeration: forests, forbidden states, ties, wild scales."""

import numpy as np
import pytest
from test_estimators import CASES, encoded, potentials

from taut.structures import Chain, Tree


def by_enumeration(structure, theta):
    """The best score with each state at each place."""
    labels = np.array(list(structure.enumerate(theta)))
    scores = np.array([structure.score(theta, y) for y in labels])
    best = np.full((labels.shape[1], structure.n_states), -np.inf)
    for y, score in zip(labels, scores, strict=True):
        best[np.arange(len(y)), y] = np.maximum(best[np.arange(len(y)), y], score)
    return best


def drawn(rng, shape, scale):
    """Scores with ties, some of them forbidden."""
    values = rng.integers(-3, 4, shape) if rng.random() < 0.5 else rng.normal(size=shape)
    return np.where(rng.random(shape) < rng.choice([0.0, 0.1, 0.4]), -np.inf, values * scale)


@pytest.mark.parametrize("kind", ["chain", "tree", "per edge"])
def test_max_marginals_are_those_of_enumeration(kind):
    rng = np.random.default_rng(len(kind))
    for _ in range(300):
        n, k, scale = int(rng.integers(1, 6)), int(rng.integers(1, 4)), 10.0 ** rng.integers(-12, 13)
        unary = drawn(rng, (n, k), scale)
        if kind == "chain":
            structure = Chain(k)
            theta = structure.potentials(unary, drawn(rng, (k, k), scale), *(drawn(rng, k, scale) for _ in range(2)))
        else:
            order, parents = rng.permutation(n), [int(rng.integers(-1, v)) if v else -1 for v in range(n)]
            edges = [(order[v], order[p])[:: rng.choice([1, -1])] for v, p in enumerate(parents) if p >= 0]  # forests too
            structure = Tree(k, np.array(edges, np.int64).reshape(-1, 2))
            theta = structure.potentials(unary, drawn(rng, (len(edges), k, k) if kind == "per edge" else (k, k), scale))
        found, expected = structure.max_marginals(theta), by_enumeration(structure, theta)
        assert np.allclose(found, expected, rtol=0.0, atol=1e-11 * scale), (found, expected)


@pytest.mark.parametrize("name", ["chains", "trees"])
def test_margins_are_those_of_enumeration(name):
    model, X, Y, structure = CASES[name]
    model = model.fit(X, Y)
    for x, margins, y in zip(X, model.decision_function(X), encoded(model, structure, model.predict(X)), strict=True):
        best = by_enumeration(structure, potentials(model, structure, x))
        for t in range(len(best)):
            for k in range(structure.n_states):
                assert margins[t, k] == pytest.approx(best[t, k] - np.delete(best[t], k).max(), abs=1e-9)
        assert (margins[np.arange(len(y)), y] >= -1e-9).all() and ((margins > 1e-9).sum(axis=1) <= 1).all()
