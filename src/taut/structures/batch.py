"""Many examples at once: laid out flat, solved by one compiled loop on threads that the interpreter lock does not stop."""

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels.asking import solve
from ..kernels.compiling import njit
from ..search.timed import check_time

__all__ = [
    "Batch", "BatchResult", "Potentials", "check_limits", "finite", "flat", "offsets_of", "rescaling_code", "run_blocks", "single",
    "whole",
]  # fmt: skip

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_RESCALINGS = {"margin": 0, "slack": 1}
_BLOCK = 64  # examples that a thread takes at a time


class Potentials(NamedTuple):
    """What the model says about the parts of one example, or, with offsets, of many.

    `own` are the example's numbers, flat; `common` those that all examples share; `sizes` says how many rows of scores it has
    (per example in a batch): the positions of a chain or tree, one for classes, label sets and hierarchies; `offsets` where each
    example's numbers start, in a batch; `edges` the edges (m, 2) of one example where they are its own, one array per example in a
    batch, None where they are the structure's.
    """

    own: Reals
    common: Reals
    sizes: tuple[int, ...]
    offsets: Ints | None = None
    edges: Ints | tuple[Ints, ...] | None = None


@dataclass(frozen=True)
class BatchResult:
    """The answers for many examples, one entry each. `words` are the labels end to end, as the structure lays them out."""

    h: Reals
    g: Reals
    value: Reals
    upper_bound: Reals
    certified: npt.NDArray[np.bool_]
    n_queries: Ints
    lam: Reals
    found: npt.NDArray[np.bool_]
    words: Ints
    label_offsets: Ints
    label_of: Callable[[Ints], Any]

    @property
    def labels(self) -> list[Any]:
        """The labels as users see them; None where no label beats the threshold."""
        bounds = zip(self.label_offsets[:-1], self.label_offsets[1:], strict=True)
        return [self.label_of(self.words[a:b]) if yes else None for (a, b), yes in zip(bounds, self.found, strict=True)]


@dataclass(frozen=True)
class Batch:
    """Targets and loss of many examples, laid out for compiled code; made by `Structure.prepare_many`."""

    where: int
    shared: Ints
    tables: Reals
    words: tuple[Ints, Ints]
    label_offsets: Ints
    first_lams: Reals
    label_of: Callable[[Ints], Any]

    def solve(
        self,
        thetas: Potentials,
        rescaling: str = "slack",
        lam: npt.ArrayLike | None = None,
        threshold: npt.ArrayLike = 0.0,
        tol: float = 0.0,
        n_jobs: int | None = None,
    ) -> BatchResult:
        """The argmax of every example; no Python per example."""
        code, n = rescaling_code(rescaling), len(self.first_lams)
        if thetas.offsets is None or len(thetas.offsets) != n + 1:
            raise ValueError(f"`thetas` must be a batch of {n} examples, as prepared.")
        lams = self.first_lams if lam is None else _per_example("lam", lam, n)
        thresholds = np.maximum(_per_example("threshold", threshold, n), 0.0)
        check_limits(float(lams.min()), float(thresholds.max()), tol)
        labels, outs, found = np.zeros(self.label_offsets[-1], np.int64), np.zeros((n, 6)), np.zeros(n, np.int64)
        pool = np.concatenate([self.tables, thetas.common])

        def block(first: int, last: int) -> None:
            _solve_many(
                self.where, code, lams, thresholds, tol, self.shared, pool, *self.words, thetas.own, thetas.offsets, labels,
                self.label_offsets, outs, found, first, last,
            )  # fmt: skip

        run_blocks(block, n, n_jobs)
        h, g, value, upper, after, passes = outs.T.copy()
        certified = upper <= np.maximum(value * (1 + tol), thresholds)
        return BatchResult(
            h, g, value, upper, certified, passes.astype(np.int64), after, found > 0, labels, self.label_offsets, self.label_of
        )


def run_blocks(block: Callable[[int, int], None], n: int, n_jobs: int | None) -> None:
    """Run a compiled function over the ranges of 0..n, in threads; examples are independent, so any number gives the same."""
    if n_jobs == 0:
        raise ValueError("`n_jobs` must be a number of threads, or -1 for all processors; found 0.")
    threads = 1 if n_jobs is None else (os.cpu_count() or 1) if n_jobs < 0 else n_jobs
    if threads == 1 or n <= _BLOCK:
        block(0, n)
        return
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(block, a, min(a + _BLOCK, n)) for a in range(0, n, _BLOCK)]:
            done.result()


@njit
def _solve_many(  # type: ignore[no-untyped-def]
    where, code, lams, thresholds, tol, shared, pool, words, word_offsets, own, own_offsets, labels, label_offsets, outs, found,
    first, last,
):  # fmt: skip
    for i in range(first, last):
        found[i] = solve(
            where, code, lams[i], thresholds[i], tol, shared, pool, words[word_offsets[i] : word_offsets[i + 1]],
            own[own_offsets[i] : own_offsets[i + 1]], labels[label_offsets[i] : label_offsets[i + 1]], outs[i],
        )  # fmt: skip


def offsets_of(sizes: Sequence[int]) -> Ints:
    """Where each of the arrays of these sizes starts when they stand end to end, and where the last ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def flat(arrays: Sequence[Any], dtype: Any) -> tuple[Any, Ints]:
    """Arrays end to end, and where each starts."""
    return np.ascontiguousarray(np.concatenate([a.ravel() for a in arrays]), dtype=dtype), offsets_of([a.size for a in arrays])


def rescaling_code(name: str) -> int:
    """0 for margin, 1 for slack."""
    if name not in _RESCALINGS:
        raise ValueError(f"`rescaling` must be 'slack' or 'margin'; found {name!r}.")
    return _RESCALINGS[name]


def check_limits(
    lam: float, threshold: float, tol: float, max_queries: int | None = None, max_time: float | None = None
) -> None:
    """What every exact method asks of its numbers."""
    if not 0.0 < lam < math.inf:
        raise ValueError(f"`lam` must be positive and finite; found {lam}.")
    if not math.isfinite(threshold):
        raise ValueError(f"`threshold` must be finite; found {threshold}. Use 0.0 to look for the best label.")
    if not 0.0 <= tol < math.inf:
        raise ValueError(f"`tol` must be finite and >= 0; found {tol}.")
    if max_queries is not None and max_queries < 1:
        raise ValueError(f"`max_queries` must be at least 1, or None for no limit; found {max_queries}.")
    check_time(max_time)


def single(theta: Potentials) -> Potentials:
    """The potentials of one example, checked."""
    if not isinstance(theta, Potentials) or theta.offsets is not None:
        found = "a batch" if isinstance(theta, Potentials) else type(theta).__name__
        raise ValueError(
            f"`theta` must be the potentials of one example, from `potentials`; found {found}. For batches use a `..._many` method."
        )
    return theta


def whole(name: str, value: Any, least: int = 1) -> int:
    """A whole number of at least so much."""
    try:
        if int(value) == value and value >= least:
            return int(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"`{name}` must be a whole number of at least {least}; found {value!r}.")


def _per_example(name: str, values: npt.ArrayLike, n: int) -> Reals:
    array = np.asarray(values, dtype=np.float64)
    return np.full(n, float(array)) if array.ndim == 0 else finite(name, array, (n,))


def finite(name: str, values: Any, shape: tuple[int | None, ...], forbid: bool = False) -> Reals:
    """An array of numbers of a shape (None: any length), finite; with `forbid` -inf may forbid parts."""
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`{name}` must hold real numbers; found {type(values).__name__} ({error}).") from None
    if array.ndim != len(shape) or any(want not in (None, got) for want, got in zip(shape, array.shape, strict=False)):
        wanted = "(" + ", ".join("any" if s is None else str(s) for s in shape) + ("," if len(shape) == 1 else "") + ")"
        raise ValueError(f"`{name}` must have shape {wanted}; found {array.shape}.")
    good = np.isfinite(array) | (array == -np.inf) if forbid else np.isfinite(array)
    if not good.all():
        where = tuple(int(i) for i in np.argwhere(~good)[0])
        allowed = "finite, or -inf to forbid a part" if forbid else "finite"
        raise ValueError(f"`{name}` must be {allowed}; found {array[where]} at {where}.")
    return array
