"""Classes against enumeration, and what they refuse."""

import numpy as np
import pytest
from structure_laws import batch_equals_single, decoding, oracle_answers, parts_add_up, slack_and_margin

from taut.losses import F1, Cost, Hamming, Jaccard, Tabulated, ZeroOne
from taut.oracles import MILP
from taut.search import angular_search
from taut.structures import Multiclass


def draw_loss(rng, k):
    costs = np.where(np.eye(k) > 0, 0.0, rng.random((k, k)) * rng.choice([1e-12, 1.0, 1e12]))
    few = np.where(np.eye(k) > 0, 0.0, rng.integers(0, 3, (k, k)))
    return [ZeroOne(), Hamming(), Hamming(normalize=False, weights=[2.5]), Cost(costs), Cost(few)][rng.integers(5)]


def draw(rng):
    k = int(rng.integers(1, 9))
    scores = rng.normal(size=k) * rng.choice([0.0, 1e-12, 0.1, 1.0, 10.0, 1e6, 1e12])
    if rng.random() < 0.3:
        scores = np.round(scores)
    y = int(scores.argmax()) if rng.random() < 0.3 else int(rng.integers(k))
    if rng.random() < 0.2:
        scores = np.where((rng.random(k) < 0.3) & (np.arange(k) != y), -np.inf, scores)
    return Multiclass(k), scores, y, draw_loss(rng, k)


@pytest.mark.parametrize("seed", range(3))
def test_every_answer_equals_enumeration(seed):
    rng = np.random.default_rng(seed)
    for _ in range(400):
        structure, scores, y, loss = draw(rng)
        theta = structure.potentials(scores)
        points, size = slack_and_margin(structure, theta, y, loss, 10.0 ** rng.uniform(-3, 3))
        oracle_answers(structure, theta, y, loss, points, size, rng, cones=True)
        decoding(structure, theta, points, structure.points(theta, y, loss)[1], size)
        exact = angular_search(structure.oracle(theta, y, loss))
        best = max(float((points.h * points.g).max()), 0.0)
        assert exact.certified and abs(exact.value - best) <= size * max(1.0, points.g.max())


def test_the_program_gives_the_same():
    rng = np.random.default_rng(4)
    for _ in range(10):
        structure, scores, y, loss = draw(rng)
        theta = structure.potentials(np.clip(scores, -10.0, 10.0))
        if isinstance(loss, Cost):
            loss = ZeroOne()
        direct, program = structure.loss_augmented(theta, y, loss), angular_search(MILP(structure, theta, y, loss))
        assert abs(direct.value - program.value) <= 1e-9 * max(1.0, direct.value)


def test_parts_add_up():
    structure = Multiclass(5)
    theta = structure.potentials(np.random.default_rng(0).normal(size=5))
    parts_add_up(structure, theta, 3, ZeroOne(), np.empty(0), 1)


def test_batches():
    rng = np.random.default_rng(7)
    structure, scores = Multiclass(6), rng.normal(size=(150, 6))
    targets = rng.integers(0, 6, 150).tolist()
    for loss in (ZeroOne(), Cost(rng.random((6, 6)) * (1 - np.eye(6)))):
        batch_equals_single(structure, structure.potentials(scores), [structure.potentials(row) for row in scores], targets, loss)


def test_clamped_decoding_and_thresholds():
    structure = Multiclass(3)
    theta = structure.potentials([1.0, 3.0, 2.0])
    assert [structure.decode(theta, clamp=c) for c in (None, -1, 0, 2)] == [1, 1, 0, 2]
    result = structure.loss_augmented(theta, 0)
    assert (result.label, result.value) == (1, 3.0)
    assert structure.loss_augmented(theta, 0, threshold=2.9).label == 1
    assert structure.loss_augmented(theta, 0, threshold=3.0).label is None


THETA = Multiclass(3).potentials(np.zeros(3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Multiclass(0), "`n_classes` must be a whole number"),
        (lambda: Multiclass(3).potentials(np.zeros(4)), r"`scores` must have shape \(3,\); found \(4,\)"),
        (lambda: Multiclass(3).potentials(np.zeros((2, 4))), r"`scores` must have shape \(any, 3\); found \(2, 4\)"),
        (lambda: Multiclass(3).potentials([0.0, np.nan, 1.0]), r"found nan at \(1,\)"),
        (lambda: Multiclass(3).potentials([0.0, np.inf, 1.0]), "found inf"),
        (lambda: Multiclass(2).potentials([[0.0, 1.0], [-np.inf, -np.inf]]), "at least one class"),
        (lambda: Multiclass(3).loss_augmented(THETA, 3), "integers from 0 to 2; found 3"),
        (lambda: Multiclass(3).loss_augmented(THETA, [0, 1]), "`label` must have"),
        (lambda: Multiclass(2).loss_augmented(Multiclass(2).potentials([0.0, -np.inf]), 1), "the true class 1 has score -inf"),
        (lambda: Multiclass(3).loss_augmented(THETA, 0, loss=F1()), "cannot optimise F1 exactly. It can: ZeroOne"),
        (lambda: Multiclass(3).loss_augmented(THETA, 0, loss=Jaccard()), "cannot optimise Jaccard"),
        (lambda: Multiclass(3).loss_augmented(THETA, 0, loss=Tabulated(lambda *a: 0.0)), "cannot optimise Tabulated"),
        (lambda: Multiclass(3).loss_augmented(THETA, 0, loss=Cost(np.eye(3))), "zeros on its diagonal"),
        (lambda: Multiclass(3).loss_augmented(THETA, 0, loss=Cost(np.zeros((2, 2)))), "`matrix` must have shape"),
        (lambda: Multiclass(3).loss_augmented(THETA, 0, loss=Hamming(weights=[0.0])), "must be >= 0, not all zero"),
        (lambda: Multiclass(3).decode(THETA, clamp=5), "`clamp` must hold integers"),
        (lambda: Multiclass(3).topk(THETA, 0), "`k` must be a whole number of at least 1"),
        (lambda: Multiclass(3).loss_augmented_many(THETA, [0]), "must be a batch"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
