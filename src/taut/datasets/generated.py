"""Data with a known model: labels are the exact decoding of linear scores, so that these weights separate the data."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..structures import Chain, Hierarchy, MultiLabel

__all__ = ["Generated", "Truth", "make_chain", "make_hierarchy", "make_multilabel"]

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


def make_multilabel(
    n_samples: int = 100,
    n_features: int = 10,
    n_labels: int = 5,
    *,
    edges: str | npt.ArrayLike = "none",
    noise: float = 0.0,
    rng: Rng = None,
) -> Generated:
    """Label sets that are the best under true weights of labels and of pairs of labels.

    Parameters
    ----------
    n_samples, n_features, n_labels : int
    edges : "none", "full" or array (m, 2)
        Pairs of labels with a weight of their own, as :class:`~taut.structures.MultiLabel` takes them.
    noise : float
        Standard deviation of what is added to the score of each label; the scores' own is about 1. Without noise the true
        weights make no error.
    rng : Generator or int, optional

    Returns
    -------
    X : array (n_samples, n_features), standard normal
    Y : 0/1 array (n_samples, n_labels)
    truth : Truth
    """
    rng = _checked(n_samples, n_features, noise, rng)
    structure = MultiLabel(n_labels, edges)
    coef, intercept = _weights(rng, n_labels, n_features)
    pairwise = rng.normal(size=len(structure.edges))
    X, scores = _scores(rng, coef, intercept, n_samples, noise)
    Y = np.stack(structure.decode_many(structure.potentials(scores, pairwise))).astype(np.int8)
    return Generated(X, Y, Truth(coef, intercept, pairwise, structure.edges))


def make_hierarchy(
    n_samples: int = 100,
    n_features: int = 10,
    edges: npt.ArrayLike | None = None,
    *,
    leaves_only: bool = False,
    noise: float = 0.0,
    rng: Rng = None,
) -> Generated:
    """Sets of nodes, closed under ancestors, that are the best under true weights.

    Parameters
    ----------
    n_samples, n_features : int
    edges : array (m, 2), optional
        Parent and child. By default two complete binary trees of 7 nodes.
    leaves_only : bool
        Whether every set is a union of paths from roots to leaves.
    noise : float
        Standard deviation of what is added to the score of each node; the scores' own is about 1. Without noise the true
        weights make no error.
    rng : Generator or int, optional

    Returns
    -------
    X : array (n_samples, n_features), standard normal
    Y : 0/1 array (n_samples, n_nodes)
    truth : Truth
    """
    rng = _checked(n_samples, n_features, noise, rng)
    tree = np.array([[0, 1], [0, 2], [1, 3], [1, 4], [2, 5], [2, 6]])
    structure = Hierarchy(np.concatenate([tree, tree + 7]) if edges is None else edges, leaves_only)
    coef, intercept = _weights(rng, structure.n_nodes, n_features)
    X, scores = _scores(rng, coef, intercept, n_samples, noise)
    Y = np.stack(structure.decode_many(structure.potentials(scores))).astype(np.int8)
    return Generated(X, Y, Truth(coef, intercept, None, structure.edges))


def make_chain(
    n_samples: int = 100,
    n_features: int = 10,
    n_states: int = 4,
    *,
    length: tuple[int, int] = (5, 15),
    noise: float = 0.0,
    rng: Rng = None,
) -> Generated:
    """Sequences of states that are the best under true weights of states and transitions.

    Parameters
    ----------
    n_samples, n_features, n_states : int
    length : pair of int
        Least and greatest length of a sequence; all between are equally likely.
    noise : float
        Standard deviation of what is added to the score of each state at each position; the scores' own is about 1. Without
        noise the true weights make no error.
    rng : Generator or int, optional

    Returns
    -------
    X : list of arrays (T_i, n_features), standard normal
    Y : list of arrays (T_i,)
    truth : Truth
    """
    rng = _checked(n_samples, n_features, noise, rng)
    if np.shape(length) != (2,) or not 1 <= length[0] <= length[1]:
        raise ValueError(f"`length` must be two whole numbers, the first at least 1 and not above the second; found {length}.")
    structure = Chain(n_states)
    coef, intercept = _weights(rng, n_states, n_features)
    pairwise = rng.normal(size=(n_states, n_states))
    offsets = np.concatenate([[0], np.cumsum(rng.integers(length[0], length[1], n_samples, endpoint=True))])
    rows, scores = _scores(rng, coef, intercept, int(offsets[-1]), noise)
    Y = structure.decode_many(structure.potentials(scores, pairwise, offsets=offsets))
    return Generated(np.split(rows, offsets[1:-1]), Y, Truth(coef, intercept, pairwise, None))


def _checked(n_samples: Any, n_features: Any, noise: Any, rng: Any) -> np.random.Generator:
    """The generator of random numbers; what all generators of data ask of their arguments."""
    for name, size in (("n_samples", n_samples), ("n_features", n_features)):
        if not isinstance(size, (int, np.integer)) or size < 1:
            raise ValueError(f"`{name}` must be a whole number of at least 1; found {size!r}.")
    if not isinstance(noise, (int, float)) or not 0.0 <= noise < np.inf:
        raise ValueError(f"`noise` must be a finite number >= 0; found {noise!r}.")
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ValueError(f"`rng` must be a Generator, a whole number >= 0 or None; found {rng!r}.") from None


def _weights(rng: np.random.Generator, n_labels: int, n_features: int) -> tuple[Reals, Reals]:
    """Of scores with mean 0 and variance about 1."""
    return rng.normal(size=(n_labels, n_features)) / np.sqrt(n_features), np.zeros(n_labels)


def _scores(rng: np.random.Generator, coef: Reals, intercept: Reals, n_rows: int, noise: float) -> tuple[Reals, Reals]:
    rows = rng.normal(size=(n_rows, coef.shape[1]))
    return rows, rows @ coef.T + intercept + noise * rng.normal(size=(n_rows, len(coef)))
