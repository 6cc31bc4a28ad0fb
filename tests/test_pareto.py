"""Weights without a common unit: what is kept, and what is said where the budget ends. Answers: `test_structures`, REAL_ROWS."""

import numpy as np
import pytest

from taut.kernels.pareto import narrowed, thinned
from taut.losses import Hamming
from taut.search import bisecting_search, lens_search
from taut.structures import Chain, Hierarchy, MultiLabel, Tree


def test_only_undominated_rows_stay():
    rng = np.random.default_rng(0)
    for _ in range(300):
        n, n_places = int(rng.integers(0, 30)), int(rng.integers(1, 4))
        rows = np.column_stack([rng.integers(0, 6, n), rng.integers(0, 6, n), rng.integers(0, 100, n)]).astype(float)
        given = {tuple(row) for row in (rows % [100, 100, n_places])[2:]}
        best = {
            row for row in given
            if not any(o[2] == row[2] and o[0] >= row[0] and o[1] >= row[1] and o[:2] != row[:2] for o in given)
        }  # fmt: skip
        end = thinned(rows, 2, max(n, 2), 0, 1, 2, n_places) if n > 1 else n
        kept = [tuple(row) for row in rows[2:end] % [100, 100, n_places]]
        assert set(kept) == best and len(set(kept)) == len(kept)
        some = narrowed(rows, 2, end, 5) if n > 1 else n
        assert some - 2 <= 5 and {tuple(row) for row in rows[2:some] % [100, 100, n_places]} <= best


def hard(structure, n, potentials):
    """All labelings on one line h + lam g = K: the argmax is the label whose loss is nearest K / 2 lam, which is subset sum."""
    weights = np.random.default_rng(3).random(n) + 0.5
    return structure, structure.potentials(*potentials(weights)), np.zeros(n, np.int64), weights


N = 60
TWO = np.zeros((2, 2))


def states(weights):
    return np.column_stack([np.zeros(N), -weights / N]), TWO


@pytest.mark.parametrize(
    ("structure", "potentials"),
    [
        (Chain(2), states),
        (Tree(2, [[0, v] for v in range(1, N)]), states),
        (MultiLabel(N), lambda weights: (-weights / N,)),
        (MultiLabel(N, [[v, v + 1] for v in range(N - 1)]), lambda weights: (-weights / N,)),
        (Hierarchy([], n_nodes=N), lambda weights: (-weights / N,)),
    ],
    ids=["chain", "tree", "labels", "labels on a tree", "hierarchy"],
)
def test_beyond_the_budget_the_bound_holds(structure, potentials):
    structure, theta, y, weights = hard(structure, N, potentials)
    loss = Hamming(normalize=False, weights=weights)
    result = structure.loss_augmented(theta, y, loss)
    # h = 1 - g / N, so that no product exceeds N / 4; of 2^60 losses some are that near
    assert not result.certified and result.label is not None
    assert N / 4 * (1 - 1e-9) <= result.upper_bound <= N / 4 * (1 + 1e-9)
    assert 0.99 * N / 4 < result.value <= result.upper_bound
    assert structure.loss_augmented(theta, y, loss, tol=1.0 - result.value / result.upper_bound + 1e-3).certified
    batch = structure.loss_augmented(theta, y, loss, threshold=N / 4)
    assert batch.label is None and batch.certified


def test_questions_that_have_no_answer_raise():
    chain, weights = Chain(2), np.sqrt([2.0, 3.0, 5.0])
    theta, y = chain.potentials(np.zeros((3, 2)), TWO), [0, 1, 0]
    oracle = chain.oracle(theta, y, Hamming(weights=weights))
    assert bisecting_search(oracle).value > 0.0
    for ask in (lambda: lens_search(oracle), lambda: oracle.argmax_in_band(1.0, 0.0, 1.0), oracle.extremes):
        with pytest.raises(TypeError, match="it answers argmax"):
            ask()
    limited = chain.loss_augmented(theta, y, Hamming(weights=weights), max_queries=2)
    assert limited.upper_bound >= chain.loss_augmented(theta, y, Hamming(weights=weights)).value
