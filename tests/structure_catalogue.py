"""Tiny instances of every structure, small enough to list their labels, with nasty potentials, targets and losses.

Scores and losses of all labels are computed here from the definitions in docs, by numpy alone: what the package says of them is
tested, not used. A structure adds one function and its line in `ROWS`; every law of `structure_answers` then runs over it.
"""

from typing import Any, NamedTuple

import numpy as np

from taut.kernels.asking import BAND, PLANE
from taut.losses import Cost, Hamming, ZeroOne
from taut.structures import Chain, Custom, Potentials
from taut.structures.batch import BatchResult

MOST = 260  # labels of a tiny instance


class Draw(NamedTuple):
    """Examples of one structure that share weights and loss, with the plane of each."""

    structure: Any
    loss: Any
    thetas: list  # potentials of each example
    labels: list  # all labels
    targets: np.ndarray  # (n,) the true label of each example, as a place in `labels`
    scores: np.ndarray  # (n, labels), -inf where forbidden
    losses: np.ndarray  # (n, labels)
    greatest: np.ndarray  # (n,) the greatest number that a score is a sum of

    def solve(self, rescaling="slack", lam=None, threshold=0.0, tol=0.0):
        """The argmax of every example, compiled in one batch."""
        return self.structure.loss_augmented_many(
            stacked(self.thetas), [self.labels[y] for y in self.targets], self.loss, rescaling, lam, threshold, tol
        )

    def oracle(self, i):
        return self.structure.oracle(self.thetas[i], self.labels[self.targets[i]], self.loss)

    def kinds(self, oracle):
        """What an oracle says it can answer."""
        return oracle.kinds

    decodes = True

    def decode(self, i):
        return self.structure.decode(self.thetas[i])

    def topk(self, i, k):
        return self.structure.topk(self.thetas[i], k)


def stacked(thetas):
    """Potentials of several examples with the same common part as one batch."""
    sizes = sum((theta.sizes for theta in thetas), ())
    offsets = np.concatenate([[0], np.cumsum([theta.own.size for theta in thetas])])
    edges = None if thetas[0].edges is None else tuple(theta.edges for theta in thetas)
    return Potentials(np.concatenate([theta.own for theta in thetas]), thetas[0].common, sizes, offsets, edges)


def numbers(rng, shape, forbid=0.0):
    """Potentials: none, ties, whole numbers, one scale or many; a share of them -inf."""
    scale = rng.choice([0.0, 1e-12, 1e-3, 0.1, 1.0, 1.0, 1.0, 10.0, 1e6, 1e12])
    kinds = (
        lambda: rng.normal(size=shape),
        lambda: np.round(rng.normal(size=shape)),
        lambda: rng.integers(-1, 2, shape) * 0.5,
        lambda: np.full(shape, rng.normal()),
        lambda: rng.normal(size=shape) * 10.0 ** rng.uniform(-6, 6, shape),
    )
    values = scale * kinds[rng.choice(len(kinds), p=[0.4, 0.2, 0.2, 0.05, 0.15])]()
    return np.where(rng.random(shape) < forbid, -np.inf, values) if forbid else values


def positional(rng, n, n_states, real=False):
    """A loss over positions, and its values for a true label y (n,) and labels (m, n); `real`: weights without a unit."""
    unit = rng.choice([1e-6, 0.25, 1.0, 1e6])
    weights = unit * rng.integers(0, 4, n)
    weights[rng.integers(n)] += unit
    costs = np.where(np.eye(n_states) > 0, 0.0, unit * rng.integers(0, 4, (n_states, n_states)) / 3)
    if real:
        weights, costs = weights * rng.random(n) + unit * 1e-3, costs * rng.random(costs.shape)
    kinds = (
        (Hamming(), lambda y, all_of: (all_of != y).mean(axis=1)),
        (Hamming(normalize=False), lambda y, all_of: 1.0 * (all_of != y).sum(axis=1)),
        (ZeroOne(), lambda y, all_of: 1.0 * (all_of != y).any(axis=1)),
        (Hamming(weights=weights), lambda y, all_of: (all_of != y) @ weights / weights.sum()),
        (Hamming(normalize=False, weights=weights), lambda y, all_of: (all_of != y) @ weights),
        (Cost(costs), lambda y, all_of: costs[y, all_of].sum(axis=1)),
    )
    return kinds[rng.integers(3, 6) if real else rng.integers(6)]


def drawn(rng, structure, loss, measure, labels, thetas, scores, shape=list):
    """A `Draw` with true labels that are right, wrong everywhere or any; examples without a label are left out."""
    scores = np.array(scores)
    keep = np.isfinite(scores).any(axis=1)
    scores, thetas = scores[keep], [theta for theta, yes in zip(thetas, keep, strict=True) if yes]
    targets = np.zeros(len(scores), np.int64)
    for i, row in enumerate(scores):
        feasible = np.flatnonzero(np.isfinite(row))
        targets[i] = feasible[[row[feasible].argmax(), row[feasible].argmin(), rng.integers(len(feasible))][rng.integers(3)]]
    table = {y: measure(labels[y], labels) for y in np.unique(targets)}
    losses = np.array([table[y] for y in targets]).reshape(scores.shape)
    greatest = np.array([np.abs(parts[np.isfinite(parts)]).max(initial=0.0) for parts in map(_numbers_of, thetas)])
    return Draw(structure, loss, thetas, shape(labels), targets, scores, losses, greatest)


def _numbers_of(theta):
    return np.concatenate([theta.own, theta.common]) if isinstance(theta, Potentials) else theta


def chain(rng, n, real=False):
    """Start, end and forbidden parts, transitions per position, single positions, one state."""
    k, t = int(rng.integers(1, 6)), int(rng.integers(1, 8))
    while k**t > MOST:
        t -= 1
    structure, labels = Chain(k), np.indices((k,) * t).reshape(t, -1).T
    per_position, forbid = rng.random() < 0.3, rng.choice([0.0, 0.0, 0.15])
    shared, at = numbers(rng, (k, k), forbid), np.arange(t)
    start, end = (numbers(rng, (k,), forbid) if rng.random() < 0.3 else np.zeros(k) for _ in range(2))
    thetas, scores = [], []
    for _ in range(n):
        unary = numbers(rng, (t, k), forbid)
        moves = numbers(rng, (t - 1, k, k), forbid) if per_position else shared
        thetas.append(structure.potentials(unary, moves, start=start, end=end))
        each = moves if per_position else np.broadcast_to(shared, (t - 1, k, k))
        steps = each[at[:-1], labels[:, :-1], labels[:, 1:]].sum(axis=1)
        scores.append(unary[at, labels].sum(axis=1) + steps + start[labels[:, 0]] + end[labels[:, -1]])
    loss, measure = positional(rng, t, k, real)
    return drawn(rng, structure, loss, measure, labels, thetas, scores)


class Listed(Custom):
    """A structure in plain Python: labels 0..m - 1, theta their scores; with a band oracle, so that answers are exact."""

    def __init__(self, table):
        self.table = table

    def score(self, theta, y):
        return float(theta[y])

    def loss(self, y_true, y):
        return float(self.table[y_true, y])

    def argmax(self, theta, target, lam):
        return int(np.argmax(theta + lam * self.table[target]))

    def argmax_in_band(self, theta, target, lam, lo, hi):
        inside = (lo < self.table[target]) & (self.table[target] < hi)
        return int(np.argmax(np.where(inside, theta + lam * self.table[target], -np.inf))) if inside.any() else None


class _InPython(Draw):
    """The same for a `Custom`: example by example, and only the questions that it has."""

    decodes = False

    def solve(self, rescaling="slack", lam=None, threshold=0.0, tol=0.0):
        n = len(self.thetas)
        lams, thresholds = np.ones(n) if lam is None else np.broadcast_to(lam, n), np.broadcast_to(threshold, n)
        answers = [
            self.structure.loss_augmented(theta, y, rescaling, lam=a, threshold=b, tol=tol)
            for theta, y, a, b in zip(self.thetas, self.targets.tolist(), lams.tolist(), thresholds.tolist(), strict=True)
        ]
        h, g, value, upper, certified, asked, after = (
            np.array([getattr(answer, name) for answer in answers])
            for name in ("h", "g", "value", "upper_bound", "certified", "n_queries", "lam")
        )
        found = np.array([answer.label is not None for answer in answers])
        words, bounds = np.array([answer.label or 0 for answer in answers]), np.arange(n + 1)
        return BatchResult(h, g, value, upper, certified, asked, after, found, words, bounds, lambda word: int(word[0]))

    def oracle(self, i):
        return self.structure.oracle(self.thetas[i], int(self.targets[i]))

    def kinds(self, oracle):
        return {PLANE, BAND}


def custom(rng, n, real=False):
    """A user's own structure in plain Python."""
    m = int(rng.integers(1, 20))
    labels = np.arange(m)[:, None]
    _, measure = positional(rng, 1, m, real)
    table = np.array([measure(y, labels) for y in labels])
    thetas = [numbers(rng, m) for _ in range(min(n, 16))]
    return _InPython(*drawn(rng, Listed(table), None, measure, labels, thetas, thetas, lambda y: y[:, 0].tolist()))


ROWS = {
    "chain": chain,
    "custom": custom,
}
