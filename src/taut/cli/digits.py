"""Three tasks made of scikit-learn's bundled handwritten digits: strings, superposed digits, and a small hierarchy."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..estimators import ChainSSVM, HierarchicalSSVM, MultiLabelSSVM

__all__ = ["GROUPS", "Split", "Task", "tasks"]

Reals = npt.NDArray[np.float64]

#: Nodes 10, 11 and 12 of the hierarchy, and the digits below them.
GROUPS = {"straight": (1, 4, 7), "open": (2, 3, 5), "closed": (0, 6, 8, 9)}


@dataclass(frozen=True, eq=False)
class Split:
    """Examples and labels."""

    X: Any
    Y: Any


@dataclass(frozen=True, eq=False)
class Task:
    """Data to train on, to choose C on and to test on, no image in two of them; an estimator; losses to train for."""

    name: str
    splits: Sequence[Split]
    estimator: Callable[..., Any]
    losses: tuple[str, ...]

    @property
    def train(self) -> Split:
        return self.splits[0]

    @property
    def valid(self) -> Split:
        return self.splits[1]

    @property
    def test(self) -> Split:
        return self.splits[2]


def tasks(n: int, seed: int) -> Iterator[Task]:
    """The tasks, of n training examples each (strings: a quarter)."""
    from sklearn.datasets import load_digits

    rng = np.random.default_rng(seed)
    images, digits = load_digits(return_X_y=True)
    order = rng.permutation(len(digits))
    pools = [(images[part] / 16.0, digits[part]) for part in np.array_split(order, 3)]

    def split(make: Callable[..., Split], n_train: int) -> list[Split]:
        return [make(rng, *pool, n_examples) for pool, n_examples in zip(pools, (n_train, n_train, 2 * n_train), strict=True)]

    pairs = [(10 + group, digit) for group, below in enumerate(GROUPS.values()) for digit in below]
    yield Task("digit strings", split(_strings, n // 4), ChainSSVM, ("hamming",))
    yield Task("superposed digits", split(_superposed, n), MultiLabelSSVM, ("hamming", "f1"))

    def hierarchical(**options: Any) -> Any:
        return HierarchicalSSVM(hierarchy=pairs, **options)

    yield Task("digits in a hierarchy", split(_grouped, n), hierarchical, ("hamming", "f1"))


def _strings(rng: np.random.Generator, images: Reals, digits: Any, n: int) -> Split:
    """Noisy strings of 4 to 8 digits that count upward, with a random digit at every third position or so."""
    X, Y = [], []
    for size in rng.integers(4, 9, n).tolist():
        y = rng.integers(10, size=size)
        for t in range(1, size):
            y[t] = (y[t - 1] + 1) % 10 if rng.random() < 0.65 else y[t]
        drawn = [rng.choice(np.flatnonzero(digits == d)) for d in y]
        X.append(images[drawn] + rng.normal(0.0, 0.5, (size, 64)))
        Y.append(y)
    return Split(X, Y)


def _superposed(rng: np.random.Generator, images: Reals, digits: Any, n: int) -> Split:
    """One to three images laid over each other; the label set says which digits they show."""
    X, Y = np.zeros((n, 64)), np.zeros((n, 10), np.int64)
    for x, y, size in zip(X, Y, rng.integers(1, 4, n).tolist(), strict=True):
        drawn = rng.choice(len(digits), size, replace=False)
        x[:] = images[drawn].max(axis=0)
        y[digits[drawn]] = 1
    return Split(X, Y)


def _grouped(rng: np.random.Generator, images: Reals, digits: Any, n: int) -> Split:
    """Superposed digits with their groups, thirteen nodes."""
    sets = _superposed(rng, images, digits, n)
    groups = [sets.Y[:, below].max(axis=1) for below in GROUPS.values()]
    return Split(sets.X, np.column_stack([sets.Y, *groups]))
