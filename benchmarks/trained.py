"""Weights as training makes them: a plain mini-batch subgradient method, enough to put oracles where solvers use them."""

import numpy as np

from taut.datasets import load_letters
from taut.structures import Chain


def letters(fold=1):
    """Words of one fold: pixels (rows, 128), labels (rows,), offsets."""
    X, Y = data = load_letters()
    words = np.flatnonzero(data.part == fold)
    sizes = [len(Y[w]) for w in words]
    return np.concatenate([X[w] for w in words]), np.concatenate([Y[w] for w in words]), np.concatenate([[0], np.cumsum(sizes)])


def chain_potentials(x, y, offsets, n_states, loss, rescaling, epochs=30, reg=0.01, seed=0):
    """Potentials of all sequences under trained weights: unary rows, transitions."""
    chain, rng = Chain(n_states), np.random.default_rng(seed)
    w, moves, n, t = np.zeros((n_states, x.shape[1])), np.zeros((n_states, n_states)), len(offsets) - 1, 0
    for _ in range(epochs):
        for batch in np.array_split(rng.permutation(n), max(n // 50, 1)):
            t += 1
            rows = np.concatenate([np.arange(offsets[i], offsets[i + 1]) for i in batch])
            own = np.concatenate([[0], np.cumsum(np.diff(offsets)[batch])])
            thetas = chain.potentials(x[rows] @ w.T, moves, offsets=own)
            targets = [y[offsets[i] : offsets[i + 1]] for i in batch]
            result = chain.loss_augmented_many(thetas, targets, loss, rescaling)
            step = 1.0 / (reg * (t + 10)) / len(batch)
            w *= 1.0 - 1.0 / (t + 10)
            moves *= 1.0 - 1.0 / (t + 10)
            for j, label in enumerate(result.labels):
                if label is None:
                    continue
                weight = step * (result.g[j] if rescaling == "slack" else 1.0)
                block = x[rows[own[j] : own[j + 1]]]
                np.add.at(w, targets[j], weight * block)
                np.add.at(w, label, -weight * block)
                np.add.at(moves, (targets[j][:-1], targets[j][1:]), weight)
                np.add.at(moves, (label[:-1], label[1:]), -weight)
    return x @ w.T, moves
