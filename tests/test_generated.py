"""Generated data: the weights that are returned make no error on it, and the same seed gives the same data."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from taut.datasets import Generated, make_chain, make_hierarchy, make_multilabel
from taut.structures import Chain, Hierarchy, MultiLabel, Potentials, Structure

MAKERS = [make_multilabel, make_chain, make_hierarchy]


def same(a: Any, b: Any) -> bool:
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return np.array_equal(a, b) if a is not None else b is None


def rows(Y: Any) -> np.ndarray:
    return np.concatenate(Y) if isinstance(Y, list) else Y


def best(structure: Structure, theta: Potentials) -> Any:
    """By enumeration."""
    return max(structure.enumerate(theta), key=lambda y: structure.score(theta, y))


def scores(made: Generated) -> Any:
    return [x @ made.truth.coef.T + made.truth.intercept for x in made.X]


@pytest.mark.parametrize("edges", ["none", "full", [[0, 3], [1, 2]]], ids=str)
def test_label_sets_are_the_best_under_the_true_weights(edges: Any) -> None:
    made = make_multilabel(20, 6, 4, edges=edges, rng=0)
    structure = MultiLabel(4, edges)
    assert made.X.shape == (20, 6) and made.Y.shape == (20, 4) and same(made.truth.edges, structure.edges)
    for theta, y in zip(scores(made), made.Y, strict=True):
        assert (best(structure, structure.potentials(theta, made.truth.pairwise)) == y).all()


def test_chains_are_the_best_under_the_true_weights() -> None:
    made = make_chain(20, 6, 3, length=(1, 4), rng=0)
    structure = Chain(3)
    assert {len(x) for x in made.X} == {1, 2, 3, 4} and len(made.X) == 20
    for theta, y in zip(scores(made), made.Y, strict=True):
        assert (best(structure, structure.potentials(theta, made.truth.pairwise)) == y).all()


@pytest.mark.parametrize("leaves_only", [False, True])
def test_sets_of_nodes_are_the_best_under_the_true_weights(leaves_only: bool) -> None:
    made = make_hierarchy(10, 6, leaves_only=leaves_only, rng=0)
    structure = Hierarchy(made.truth.edges, leaves_only)
    assert made.Y.shape == (10, 14) and (made.Y[:, made.truth.edges[:, 1]] <= made.Y[:, made.truth.edges[:, 0]]).all()
    for theta, y in zip(scores(made), made.Y, strict=True):
        assert (best(structure, structure.potentials(theta)) == y).all()
    assert make_hierarchy(2, 3, [[0, 1], [0, 2]], rng=0).Y.shape == (2, 3)


@pytest.mark.parametrize("make", MAKERS)
def test_noise_changes_labels_only(make: Callable[..., Generated]) -> None:
    clean, noisy = make(rng=1), make(noise=1.0, rng=1)
    assert same(clean.X, noisy.X) and same(clean.truth, noisy.truth)
    assert 0.1 < np.mean(rows(clean.Y) != rows(noisy.Y)) < 0.7


@pytest.mark.parametrize("make", MAKERS)
def test_a_seed_gives_the_same_data(make: Callable[..., Generated]) -> None:
    assert same(make(5, rng=3), make(5, rng=np.random.default_rng(3)))
    assert not same(make(5, rng=3), make(5, rng=4))


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="`length` must be two whole numbers"):
        make_chain(length=(0, 3))
    for make in MAKERS:
        with pytest.raises(ValueError, match="`n_samples` must be a whole number of at least 1"):
            make(0)
        with pytest.raises(ValueError, match="`n_features` must be a whole number of at least 1; found 0"):
            make(5, 0)
