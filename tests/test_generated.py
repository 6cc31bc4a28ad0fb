"""Generated data: the weights that are returned make no error on it, and the same seed gives the same data."""

import numpy as np

from taut.datasets import make_chain
from taut.structures import Chain


def same(a: object, b: object) -> bool:
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return np.array_equal(a, b)


def test_chains_decode_to_their_labels() -> None:
    X, Y, truth = make_chain(20, 6, 3, length=(1, 9), rng=0)
    chain = Chain(3)
    assert {len(x) for x in X} <= set(range(1, 10)) and len(X) == 20
    for x, y in zip(X, Y, strict=True):
        theta = chain.potentials(x @ truth.coef.T + truth.intercept, truth.pairwise)
        assert (chain.decode(theta) == y).all()


def test_noise_changes_labels_only() -> None:
    clean, noisy = make_chain(50, rng=1), make_chain(50, noise=1.0, rng=1)
    assert same(clean.X, noisy.X) and same(clean.truth, noisy.truth)
    wrong = np.mean(np.concatenate(clean.Y) != np.concatenate(noisy.Y))
    assert 0.1 < wrong < 0.7


def test_a_seed_gives_the_same_data() -> None:
    assert same(make_chain(5, rng=3), make_chain(5, rng=np.random.default_rng(3)))
    assert not same(make_chain(5, rng=3), make_chain(5, rng=4))
