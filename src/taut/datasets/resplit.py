"""Other divisions of a published data set, for standard errors."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

__all__ = ["Split", "resplit"]


class Split(NamedTuple):
    """Examples to learn from and examples to judge by."""

    X: Any
    Y: Any
    X_test: Any
    Y_test: Any


def resplit(train: Any, test: Any, seed: int) -> Split:
    """The published division with seed 0; with any other seed all examples drawn anew into parts of the same sizes.

    Parameters
    ----------
    train, test : pairs X, Y
        Arrays or sparse matrices with one row per example.
    seed : int
    """
    for name, pair in (("train", train), ("test", test)):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(f"`{name}` must be a pair (X, Y); found {type(pair).__name__}.")
    (X, Y), (X_test, Y_test) = train, test
    if seed == 0:
        return Split(X, Y, X_test, Y_test)
    rows, labels = _stacked(X, X_test), np.concatenate([Y, Y_test])
    order = np.random.default_rng(seed).permutation(len(labels))
    first, second = order[: len(Y)], order[len(Y) :]
    return Split(rows[first], labels[first], rows[second], labels[second])


def _stacked(above: Any, below: Any) -> Any:
    return sparse.csr_array(sparse.vstack([above, below])) if sparse.issparse(above) else np.concatenate([above, below])
