"""Chains: sequences of states with transitions (NOTES C.3)."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import chain as kernel
from ..kernels.asking import PLANE
from ..losses import Cost, Hamming, Loss, ZeroOne, resolve
from ..oracles import Program
from .base import (
    COUNTED,
    Ints,
    Potentials,
    Reals,
    Structure,
    Target,
    as_array,
    bits,
    cost_table,
    finite,
    first_lam,
    in_units,
    integers,
    single,
    whole,
)  # fmt: skip
from .programs import states_program

__all__ = ["Chain", "clamped", "count_losses", "counted", "positional_loss"]


class Chain(Structure):
    """Sequences of `n_states` states; the score is the sum of unary and transition scores.

    Losses: Hamming (weights per position), ZeroOne, Cost (per position). The exact slack argmax is the
    one-pass method: a Viterbi pass at the warm multiplier, then a forward program over (state, count) pruned by the incumbent and
    the pass's own completions; O(T K^2) as a rule, O(T^2 K^2) at worst.
    """

    offers = "Hamming with any weights, ZeroOne and Cost"

    def __init__(self, n_states: int) -> None:
        self.n_states = self.width = whole("n_states", n_states)
        self.n_shared = self.n_states**2

    def __repr__(self) -> str:
        return f"Chain(n_states={self.n_states})"

    def potentials(
        self,
        unary: npt.ArrayLike,
        pairwise: npt.ArrayLike,
        start: npt.ArrayLike | None = None,
        end: npt.ArrayLike | None = None,
        offsets: npt.ArrayLike | None = None,
    ) -> Potentials:
        """Potentials of one sequence, or of many: unary rows end to end, sequence i being rows offsets[i]:offsets[i + 1].

        Parameters
        ----------
        unary : array (T, n_states)
            Scores of the states at each position; -inf forbids.
        pairwise : array (n_states, n_states) or (T - 1, n_states, n_states)
            Scores from previous to next state; -inf forbids. Per position only for one sequence.
        start, end : array (n_states,), optional
            Scores of the first and of the last state.
        offsets : array (n + 1,), optional
            Makes a batch.
        """
        k = self.n_states
        table = finite("unary", unary, (None, k), forbid=True).copy()
        bounds = np.array([0, len(table)]) if offsets is None else np.asarray(offsets)
        _check_offsets(bounds, len(table))
        if start is not None:
            table[bounds[:-1]] += finite("start", start, (k,), forbid=True)
        if end is not None:
            table[bounds[1:] - 1] += finite("end", end, (k,), forbid=True)
        moves = as_array("pairwise", pairwise)
        sizes = tuple(int(n) for n in np.diff(bounds))
        if moves.ndim == 3:
            if offsets is not None:
                raise ValueError("transitions per position need one sequence at a time; found a batch (`offsets`).")
            moves = finite("pairwise", pairwise, (len(table) - 1, k, k), forbid=True)
            own = np.concatenate([table.ravel(), moves.ravel(), moves.transpose(0, 2, 1).ravel()])
            return Potentials(own, np.empty(0), sizes)
        common = self.common(finite("pairwise", pairwise, (k, k), forbid=True).ravel())
        return Potentials(table.ravel(), common, sizes, None if offsets is None else (bounds * k).astype(np.int64))

    def common(self, weights: Reals) -> Reals:
        """Transitions, and their transpose."""
        moves = weights.reshape(self.n_states, self.n_states)
        return np.concatenate([moves.ravel(), moves.T.ravel()])

    def target(self, y: Any, loss: Loss, theta: Potentials) -> Target:
        words = self.words(y, theta)
        cost, weights, unit, normalise, has_unit = counted(self, loss, words.size, self.n_states)
        if self.score(theta, y) == -np.inf:
            raise ValueError("the true label has score -inf: something in it is forbidden. Allow it, or mend the label.")
        per_position = theta.common.size == 0 and theta.sizes[0] > 1
        kind = 1 if isinstance(loss, ZeroOne) else 0 if has_unit else 2
        shared = np.concatenate([[self.n_states, normalise, kind, per_position], bits(cost)]).astype(np.int64)
        total = float(weights.sum())
        most = weights * cost[words].max(axis=1)
        losses = count_losses(kind, unit / total if normalise else unit, most)
        own = np.concatenate([[words.size], bits(total), words, bits(weights), bits(most)]).astype(np.int64)
        return Target(own, shared, np.array([unit]), losses, COUNTED if has_unit else frozenset({PLANE}))

    def pool(self, theta: Potentials, target: Target) -> Reals:
        padding = np.zeros(2 * self.n_states**2 if theta.common.size == 0 and not target.shared[3] else 0)
        return np.concatenate([target.tables, theta.common, padding])

    def answer_kernel(self, target: Target) -> Callable[..., int]:
        return kernel.answer

    def best_kernel(self, target: Target) -> Callable[..., int]:
        return kernel.best

    def parts_kernel(self) -> Callable[..., int]:
        return kernel.parts

    def prepare_kernel(self) -> Callable[..., int]:
        return kernel.prepare

    def most_parts(self, theta: Potentials) -> int:
        return 2 * theta.sizes[0] - 1

    def operations(self, theta: Potentials) -> float:
        return float(theta.sizes[0] * self.n_states**2)

    def first_lam(self, target: Target) -> float:
        return first_lam(target)

    def label(self, words: Ints) -> Ints:
        return words.copy()

    def words(self, y: Any, theta: Potentials) -> Ints:
        return integers("label", y, theta.sizes[0], self.n_states)

    def label_size(self, theta: Potentials) -> int:
        return theta.sizes[0]

    def _tables(self, theta: Potentials) -> tuple[Reals, Reals, Reals]:
        """Unary (T, K), transitions and their transpose (1 or T - 1, K, K)."""
        n, k = single(theta).sizes[0], self.n_states
        unary = theta.own[: n * k].reshape(n, k)
        moves = theta.common if theta.common.size else theta.own[n * k :]
        if moves.size == 0:
            moves = np.zeros(2 * k * k)
        pairwise, turned = moves.reshape(2, -1, k, k)
        return unary, pairwise, turned

    def score(self, theta: Potentials, y: Any) -> float:
        unary, pairwise, _ = self._tables(theta)
        return float(kernel.score(unary, pairwise, self.words(y, theta)))

    def as_milp(self, theta: Potentials, target: Any, loss: Loss) -> Program:
        """The sequences as a mixed-integer program, for `taut.oracles.MILP`; any weights and costs."""
        unary, pairwise, _ = self._tables(theta)
        steps = np.arange(len(unary) - 1)[:, None] + np.arange(2)
        return states_program(unary, steps, pairwise, self.words(target, theta), loss, np.copy)

    def decode(self, theta: Potentials, clamp: Any = None) -> Ints:
        """The best sequence; `clamp` holds a state per position, or -1 where it is free."""
        unary, pairwise, turned = self._tables(theta)
        unary = clamped(unary, clamp)
        ahead, label = np.empty(unary.shape), np.empty(len(unary), np.int64)
        kernel.backward(unary, turned, ahead)
        kernel.follow(pairwise, ahead, label)
        return label

    def max_marginals(self, theta: Potentials) -> Reals:
        """The best score (T, n_states) of a sequence with a state at a position; -inf where there is none. O(T K^2)."""
        unary, pairwise, turned = self._tables(theta)
        ahead, behind = np.empty(unary.shape), np.empty(unary.shape)
        kernel.backward(unary, turned, ahead)
        kernel.backward(np.ascontiguousarray(unary[::-1]), np.ascontiguousarray(pairwise[::-1]), behind)
        both = ahead + behind[::-1]
        return np.subtract(both, unary, out=both, where=unary > -np.inf)

    def topk(self, theta: Potentials, k: int) -> tuple[list[Any], Reals]:
        k = whole("k", k)
        unary, pairwise, _ = self._tables(theta)
        labels, scores = np.empty((k, len(unary)), np.int64), np.empty(k)
        found = kernel.topk(unary, pairwise, k, labels, scores)
        return list(labels[:found]), scores[:found]

    def enumerate(self, theta: Potentials | None = None) -> Iterator[Any]:
        if theta is None:
            raise ValueError("a chain's labels depend on its length: pass the potentials.")
        return (np.array(y) for y in product(range(self.n_states), repeat=theta.sizes[0]))

    def loss(self, y_true: Any, y: Any, loss: str | Loss = "hamming") -> float:
        true, other = integers("y_true", y_true, None, self.n_states), integers("y", y, len(y_true), self.n_states)
        return positional_loss(resolve(loss), true, other)


def positional_loss(loss: Loss, true: Ints, other: Ints) -> float:
    """A loss over positions by its definition."""
    wrong = true != other
    match loss:
        case Hamming(normalize=normalize, weights=weights):
            w = np.ones(true.size) if weights is None else np.asarray(weights, dtype=np.float64)
            return float(w[wrong].sum() / (w.sum() if normalize else 1.0))
        case ZeroOne():
            return float(wrong.any())
        case Cost(matrix=matrix):
            return float(np.asarray(matrix, dtype=np.float64)[true, other].sum())
    raise ValueError(f"{type(loss).__name__} is not a loss over positions; use Hamming, ZeroOne or Cost.")


def counted(structure: Structure, loss: Loss, n: int, n_states: int) -> tuple[Reals, Reals, float, bool, bool]:
    """A loss over positions as unit * sum_t w_t cost[y_t, k] (divided by sum w with normalise): cost, w, unit, normalise.

    The last entry says whether w and cost are whole (`in_units`).
    """
    different, ones = 1.0 - np.eye(n_states), np.ones(n)
    match loss:
        case ZeroOne():
            return different, ones, 1.0, False, True
        case Hamming(normalize=normalize, weights=None):
            return different, ones, 1.0, normalize, True
        case Hamming(normalize=normalize, weights=weights):
            given = finite("weights", weights, (n,))
            if given.min() < 0 or given.sum() <= 0:
                raise ValueError("`weights` of Hamming must be >= 0, not all zero.")
            unit, counts, has_unit = in_units(given)
            return different, counts, 1.0 if normalize else unit, normalize, has_unit
        case Cost(matrix=matrix):
            unit, costs, has_unit = in_units(cost_table(matrix, n_states))
            return costs, ones, unit, False, has_unit
    raise ValueError(f"{structure} cannot optimise {type(loss).__name__} exactly. It can: {structure.offers}.")


def count_losses(kind: int, scale: float, most: Reals) -> Reals:
    """The values that a counted loss can have; none are listed where counts have no unit."""
    if kind == 1:
        return np.array([0.0, 1.0])
    return np.empty(0) if kind == 2 else scale * np.arange(int(most.sum()) + 1, dtype=np.float64)


def clamped(unary: Reals, clamp: Any) -> Reals:
    """Unary scores with the other states of fixed positions forbidden."""
    if clamp is None:
        return unary
    fixed = integers("clamp", clamp, len(unary), unary.shape[1], least=-1)
    held = fixed >= 0
    only = np.where(np.arange(unary.shape[1]) == fixed[:, None], unary, -np.inf)
    return np.where(held[:, None], only, unary)


def _check_offsets(bounds: Any, n_rows: int) -> None:
    if bounds.ndim != 1 or bounds.size < 2 or bounds[0] != 0 or bounds[-1] != n_rows or (np.diff(bounds) < 1).any():
        raise ValueError(f"`offsets` must rise from 0 to the number of rows ({n_rows}), no sequence empty; found {bounds}.")
