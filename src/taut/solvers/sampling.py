"""In which order a pass visits the examples: each function gives the ids of one pass."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .dual import Dual

__all__ = ["Sample", "by_gap", "permutation", "uniform"]

Ints = npt.NDArray[np.int64]
Sample = Callable[[Dual, np.random.Generator], Ints]


def permutation(dual: Dual, rng: np.random.Generator) -> Ints:
    """Every example once, in random order."""
    return rng.permutation(dual.problem.n_examples)


def uniform(dual: Dual, rng: np.random.Generator) -> Ints:
    """As many examples as there are, drawn with replacement."""
    return rng.integers(dual.problem.n_examples, size=dual.problem.n_examples)


def by_gap(dual: Dual, rng: np.random.Generator) -> Ints:
    """As many as there are, drawn with probability proportional to the gap that the oracle last showed (Osokin et al. 2016).

    Every other draw is uniform: a gap that was zero may have grown since. With one in ten, digits took four times the passes.
    """
    n, gaps = dual.problem.n_examples, dual.problem.omega * dual.shown
    if not gaps.sum() > 0.0:
        return permutation(dual, rng)
    return rng.choice(n, size=n, p=0.5 * gaps / gaps.sum() + 0.5 / n)
