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
    """As many as there are, drawn with probability proportional to the block's gap when last seen (Osokin et al. 2016).

    One draw in ten is uniform: a gap that was zero once may have grown since.
    """
    n, gaps = dual.problem.n_examples, dual.problem.omega * dual.gaps
    if not gaps.sum() > 0.0:
        return permutation(dual, rng)
    return rng.choice(n, size=n, p=0.9 * gaps / gaps.sum() + 0.1 / n)
