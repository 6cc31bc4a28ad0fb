"""Data with a known model: labels are the exact decoding of linear scores, so that these weights separate the data."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..structures import Chain

__all__ = ["Generated", "Truth", "make_chain"]

Reals: TypeAlias = npt.NDArray[np.float64]
Rng: TypeAlias = np.random.Generator | int | None


class Truth(NamedTuple):
    """The weights behind generated data, named as estimators name what they learn.

    Attributes
    ----------
    coef : array (n_labels, n_features)
        Rows per label, state or node.
    intercept : array (n_labels,)
    pairwise : array or None
        Of transitions (n_states, n_states), or one per pair of `edges`.
    edges : array (m, 2) or None
        Pairs of labels, or parent and child.
    """

    coef: Reals
    intercept: Reals
    pairwise: Reals | None
    edges: npt.NDArray[np.int64] | None


class Generated(NamedTuple):
    """X, Y and the true weights."""

    X: Any
    Y: Any
    truth: Truth


def make_chain(
    n_samples: int = 100,
    n_features: int = 10,
    n_states: int = 4,
    *,
    length: tuple[int, int] = (5, 15),
    noise: float = 0.0,
    rng: Rng = None,
) -> Generated:
    """Sequences labelled by the best path under true weights.

    Parameters
    ----------
    n_samples, n_features, n_states : int
    length : pair of int
        Least and greatest length of a sequence; all between are equally likely.
    noise : float
        Standard deviation of what is added to each score of a position; those of the weights are about 1. Without noise the
        true weights make no error.
    rng : Generator or int, optional

    Returns
    -------
    X : list of arrays (T_i, n_features), standard normal
    Y : list of arrays (T_i,)
    truth : Truth
    """
    rng = np.random.default_rng(rng)
    moves = rng.normal(size=(n_states, n_states))
    truth = Truth(*_weights(rng, n_states, n_features), moves, None)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(length[0], length[1], n_samples, endpoint=True))])
    rows, scores = _scores(rng, truth, int(offsets[-1]), noise)
    chain = Chain(n_states)
    X = np.split(rows, offsets[1:-1])
    Y = [chain.decode(chain.potentials(unary, moves)) for unary in np.split(scores, offsets[1:-1])]
    return Generated(X, Y, truth)


def _weights(rng: np.random.Generator, n_labels: int, n_features: int) -> tuple[Reals, Reals]:
    """Of scores with mean 0 and variance about 1."""
    return rng.normal(size=(n_labels, n_features)) / np.sqrt(n_features), np.zeros(n_labels)


def _scores(rng: np.random.Generator, truth: Truth, n_rows: int, noise: float) -> tuple[Reals, Reals]:
    rows = rng.normal(size=(n_rows, truth.coef.shape[1]))
    return rows, rows @ truth.coef.T + truth.intercept + noise * rng.normal(size=(n_rows, len(truth.coef)))
