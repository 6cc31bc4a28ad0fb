"""The labels of structures as mixed-integer programs, for `taut.oracles.MILP`: three shapes serve all.

=================  ===========================================================================================
`states_program`   one state per position, scores of states and of edges: classes, chains, trees, graphs
`set_program`      0/1 per label, products of label pairs: label sets
`closed_program`   0/1 per node, children below active parents: hierarchies
=================  ===========================================================================================

Forbidden parts (-inf) are columns held at zero. Scores are written relative to the target's, so that no common offset
eats the solver's digits.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..losses import F1, Cost, Hamming, Jaccard, Loss, Tabulated, ZeroOne, commensurable, count_table
from ..oracles import Program
from .base import Ints, Reals, finite

__all__ = ["closed_program", "matching_program", "set_program", "states_program"]


class _Measure(NamedTuple):
    """A loss as `Program` wants it: counters over the first columns, base, table."""

    counters: Reals
    base: Reals
    table: Reals | None


def states_program(unary: Reals, edges: Ints, pairwise: Reals, y: Ints, loss: Loss, label: Callable[[Ints], Any]) -> Program:
    r"""One of K states at each of N positions; edge (a, b) scores pairwise[e][y[a], y[b]]; pairwise (1 or m, K, K).

    Columns: :math:`z_{tk}` binary, then :math:`\mu_{ejk}` of each edge, with :math:`\sum_k z_{tk} = 1` and the local consistency
    :math:`\sum_k \mu_{ejk} = z_{aj}`, :math:`\sum_j \mu_{ejk} = z_{bk}`: with z whole the :math:`\mu` are determined.
    """
    n, n_states = unary.shape
    m, square = len(edges), n_states * n_states
    costs = _finite_part(unary - unary[np.arange(n), y][:, None])
    ends = y[edges]
    moves = np.broadcast_to(pairwise, (m, n_states, n_states))
    gains = _finite_part(moves - moves[np.arange(m), ends[:, 0], ends[:, 1]][:, None, None])
    t, e, j = np.arange(n)[:, None], np.arange(m)[:, None, None], np.arange(n_states)
    mu = n * n_states + np.arange(m * square).reshape(m, n_states, n_states)
    sent = n + (2 * e * n_states) + np.arange(n_states)[None, :, None]  # row: edge e leaves state j of a
    come = sent[:, :, 0][:, None, :] + n_states  # row: edge e enters state k of b
    rows = _Entries()
    rows.add(np.broadcast_to(t, (n, n_states)), t * n_states + j, 1.0)
    rows.add(np.broadcast_to(sent, mu.shape), mu, 1.0)
    rows.add(sent[:, :, 0], edges[:, :1] * n_states + j, -1.0)
    rows.add(np.broadcast_to(come, mu.shape), mu, 1.0)
    rows.add(come[:, 0, :], edges[:, 1:] * n_states + j, -1.0)
    right = np.concatenate([np.ones(n), np.zeros(2 * m * n_states)])
    measure = _states_measure(loss, y, n_states)
    return _program(
        n * n_states, m * square, np.concatenate([costs.ravel(), gains.ravel()]), rows, right, right, 0.0, measure,
        lambda z: label(z.reshape(n, n_states).argmax(axis=1)),
        np.isfinite(np.concatenate([unary.ravel(), moves.ravel()])),
    )  # fmt: skip


def set_program(
    unary: Reals, edges: Ints, pairwise: Reals, y: Ints, loss: Loss, label: Callable[[Ints], Any]
) -> Program:
    r"""A 0/1 label per column; each pair (j, k) of `edges` adds pairwise[e] where both are active.

    Columns: z binary, then the products :math:`p_e` with :math:`p_e \le z_j, p_e \le z_k, p_e \ge z_j + z_k - 1`.
    """
    n, m = len(unary), len(edges)
    e, p = np.arange(m), n + np.arange(m)
    rows = _Entries()
    for end in (0, 1):
        rows.add(end * m + e, p, 1.0)
        rows.add(end * m + e, edges[:, end], -1.0)
        rows.add(2 * m + e, edges[:, end], 1.0)
    rows.add(2 * m + e, p, -1.0)
    lower, upper = np.full(3 * m, -np.inf), np.repeat([0.0, 0.0, 1.0], m)
    offset = -float(unary @ y + pairwise @ (y[edges[:, 0]] * y[edges[:, 1]]))
    score = np.concatenate([unary, pairwise])
    return _program(n, m, score, rows, lower, upper, offset, _set_measure(loss, y), label, np.ones(n + m, np.bool_))


def closed_program(
    scores: Reals, edges: Ints, leaves_only: bool, y: Ints, loss: Loss, label: Callable[[Ints], Any]
) -> Program:
    """0/1 per node with z[child] <= z[parent] for each (parent, child) of `edges`.

    With `leaves_only` every active node that has children has an active one.
    """
    n, m = len(scores), len(edges)
    e = np.arange(m)
    rows = _Entries()
    rows.add(e, edges[:, 1], 1.0)
    rows.add(e, edges[:, 0], -1.0)
    inner = np.unique(edges[:, 0]) if leaves_only else np.empty(0, np.int64)
    if len(inner):
        rows.add(m + np.arange(len(inner)), inner, 1.0)
        rows.add(m + np.searchsorted(inner, edges[:, 0]), edges[:, 1], -1.0)
    upper = np.zeros(m + len(inner))
    possible = np.isfinite(scores)
    offset = -float(scores[y > 0].sum())
    return _program(
        n, 0, _finite_part(scores), rows, np.full(len(upper), -np.inf), upper, offset, _set_measure(loss, y), label, possible
    )


def matching_program(scores: Reals, y: Ints, loss: Loss, label: Callable[[Ints], Any]) -> Program:
    """Each of n rows has one of m columns of its own: a column of the program per pair."""
    n, m = scores.shape
    pair = np.arange(n * m).reshape(n, m)
    rows = _Entries()
    rows.add(np.broadcast_to(np.arange(n)[:, None], (n, m)), pair, 1.0)
    rows.add(np.broadcast_to(n + np.arange(m), (n, m)), pair, 1.0)
    lower = np.concatenate([np.ones(n), np.zeros(m)])
    costs = _finite_part(scores - scores[np.arange(n), y][:, None])
    measure = _states_measure(loss, y, m)
    return _program(
        n * m, 0, costs.ravel(), rows, lower, np.ones(n + m), 0.0, measure, lambda z: label(z.reshape(n, m).argmax(axis=1)),
        np.isfinite(scores).ravel(),
    )  # fmt: skip


class _Entries:
    """Triplets of a sparse matrix, collected."""

    def __init__(self) -> None:
        self.parts: list[tuple[Ints, Ints, Reals]] = []

    def add(self, rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64], value: float) -> None:
        self.parts.append((rows.ravel(), columns.ravel(), np.full(rows.size, value)))

    def triplets(self) -> tuple[Ints, Ints, Reals]:
        rows, columns, values = (np.concatenate(part) for part in zip(*self.parts, strict=True))
        return rows.astype(np.int64), columns.astype(np.int64), values


def _program(
    n_binary: int, n_other: int, score: Reals, rows: _Entries, lower: Reals, upper: Reals, offset: float, measure: _Measure,
    label: Callable[[Ints], Any], possible: npt.NDArray[np.bool_],
) -> Program:  # fmt: skip
    binary = np.arange(n_binary + n_other) < n_binary
    counters = np.concatenate([measure.counters, np.zeros((len(measure.counters), n_other))], axis=1)
    return Program(
        binary, possible.astype(np.float64), *rows.triplets(), lower, upper, score, offset, counters, measure.base, measure.table,
        lambda x: label(np.rint(x[:n_binary]).astype(np.int64)),
    )  # fmt: skip


def _finite_part(values: Reals) -> Reals:
    return np.where(np.isfinite(values), values, 0.0)


def _states_measure(loss: Loss, y: Ints, n_states: int) -> _Measure:
    """A loss over positions by the columns (position, state)."""
    n = len(y)
    different = (np.arange(n_states) != y[:, None]).astype(np.float64)
    base = np.zeros(1)
    match loss:
        case ZeroOne():
            return _Measure(different.reshape(1, -1), base, (np.arange(n + 1) > 0).astype(np.float64))
        case Hamming(normalize=normalize, weights=weights):
            w, scale, whole = _weights(weights, n, normalize)
            return _additive(w[:, None] * different, base, scale, whole)
        case Cost(matrix=matrix):
            costs = finite("matrix", matrix, (n_states, n_states))
            if costs.min() < 0 or np.diag(costs).any():
                raise ValueError("the matrix of Cost must be >= 0 with zeros on its diagonal.")
            numbers, scale, whole = _numbers(costs)
            return _additive(numbers[y], base, scale, whole)
    raise ValueError(f"{type(loss).__name__} is not a loss over positions; use Hamming, ZeroOne or Cost.")


def _set_measure(loss: Loss, y: Ints) -> _Measure:
    """A loss of label sets by one column per label: by one counter of wrong ones, or by false positives and negatives."""
    n, n_positive = len(y), int(y.sum())
    wrong: Reals = np.where(y > 0, -1.0, 1.0)[None, :]
    match loss:
        case ZeroOne():
            return _Measure(wrong, np.array([float(n_positive)]), (np.arange(n + 1) > 0).astype(np.float64))
        case Hamming(normalize=normalize, weights=weights):
            w, scale, whole = _weights(weights, n, normalize)
            return _additive(w[:, None] * wrong.T, np.array([w @ y]), scale, whole)
        case F1() | Jaccard() | Tabulated():
            counters = np.array([1.0 - y, -1.0 * y])
            return _Measure(counters, np.array([0.0, float(n_positive)]), count_table(loss, n_positive, n))
        case Cost():
            raise ValueError("Cost is not a loss of label sets; use Hamming, ZeroOne, F1, Jaccard or Tabulated.")


def _weights(weights: Any, n: int, normalize: bool) -> tuple[Reals, float, bool]:
    """Weights of positions as `_numbers`, divided by their sum with `normalize`."""
    given = np.ones(n) if weights is None else finite("weights", weights, (n,))
    if given.min() < 0 or given.sum() <= 0:
        raise ValueError("`weights` of Hamming must be >= 0, not all zero.")
    numbers, unit, whole = _numbers(given)
    return numbers, 1.0 / float(numbers.sum()) if normalize else unit, whole


def _numbers(values: Reals) -> tuple[Reals, float, bool]:
    """Values as whole numbers of a unit, where there is one; otherwise as they are."""
    split = commensurable(values)
    return (values, 1.0, False) if split is None else (split[1].astype(np.float64), split[0], True)


def _additive(costs: Reals, base: Reals, scale: float, whole: bool) -> _Measure:
    """scale * (costs + base), costs (positions, columns of each): counted where they are whole."""
    if not whole:
        return _Measure(scale * costs.reshape(1, -1), scale * base, None)
    most = int(np.abs(costs).max(axis=1).sum())
    return _Measure(costs.reshape(1, -1), base, scale * np.arange(most + 1, dtype=np.float64))
