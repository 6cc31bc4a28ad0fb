"""Tiny instances of every structure, small enough to list their labels, with nasty potentials, targets and losses.

Scores and losses of all labels are computed here from the definitions in docs, by numpy alone: what the package says of them is
tested, not used. A structure adds one function and its line in `ROWS`; every law of `structure_answers` then runs over it.
"""

from functools import partial
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from taut.kernels.asking import BAND, PLANE
from taut.losses import F1, Cost, Hamming, Jaccard, Tabulated, ZeroOne
from taut.structures import Chain, Custom, Graph, Hierarchy, Matching, Multiclass, MultiLabel, Potentials, Tree
from taut.structures.batch import BatchResult
from taut.structures.set_methods import Frontier

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

    def solve_one(self, i, **limits):
        return self.structure.loss_augmented(self.thetas[i], self.labels[self.targets[i]], self.loss, **limits)

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


def of_sets(rng, n, counts=True, weights="multiples"):
    """A loss of label sets, and its values for a true set y (n,) and sets (m, n).

    `counts`: also any function of false positives and negatives; `weights`: "equal", "multiples" of a unit, or any "real" ones.
    """
    unit = rng.choice([1e-6, 0.25, 1.0, 1e6])
    whole = unit * rng.integers(0, 4, n)
    whole[rng.integers(n)] += unit
    w = {"equal": np.full(n, unit), "multiples": whole, "real": whole * rng.random(n) + unit * 1e-3}[weights]
    any_of = unit * rng.choice([rng.integers(0, 4, (n + 1, n + 1)), rng.random((n + 1, n + 1))])
    any_of[0, 0] *= rng.random() < 0.1  # the true set itself may have a loss

    def of_counts(f):
        return lambda y, sets: f(((sets > y).sum(axis=1)), (sets < y).sum(axis=1), y.sum())

    def share(wrong, right):
        return np.divide(wrong, wrong + right, out=np.zeros(len(wrong)), where=wrong > 0)

    kinds = [
        (Hamming(), lambda y, sets: (sets != y).mean(axis=1)),
        (Hamming(normalize=False), lambda y, sets: 1.0 * (sets != y).sum(axis=1)),
        (ZeroOne(), lambda y, sets: 1.0 * (sets != y).any(axis=1)),
        (Hamming(weights=w), lambda y, sets: (sets != y) @ w / w.sum()),
        (Hamming(normalize=False, weights=w), lambda y, sets: (sets != y) @ w),
        (F1(), of_counts(lambda fp, fn, p: share(fp + fn, 2.0 * (p - fn)))),
        (Jaccard(), of_counts(lambda fp, fn, p: share(fp + fn, 1.0 * (p - fn)))),
        (Tabulated(lambda fp, fn, p, n: float(any_of[fp, fn])), of_counts(lambda fp, fn, p: any_of[fp, fn])),
    ]
    return kinds[rng.integers(3, 5) if weights == "real" else rng.integers(8 if counts else 5)]


def drawn(rng, structure, loss, measure, labels, thetas, scores, shape=list):
    """A `Draw` with true labels that are right, wrong everywhere or any; examples without a label are left out."""
    scores = np.array(scores).reshape(-1, len(labels))
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


def _first(labels):
    return labels[:, 0].tolist()


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


def multiclass(rng, n, real=True):
    """Any costs; one class; forbidden classes."""
    k = int(rng.integers(1, 10))
    structure, labels = Multiclass(k), np.arange(k)[:, None]
    scores = [numbers(rng, (k,), rng.choice([0.0, 0.3])) for _ in range(n)]
    scores = [row for row in scores if row.max() > -np.inf]
    loss, measure = positional(rng, 1, k, bool(rng.integers(2)))
    return drawn(rng, structure, loss, measure, labels, [structure.potentials(row) for row in scores], scores, _first)


def _sets(n):
    return np.indices((2,) * n).reshape(n, -1).T


def _label_sets(rng, n, edges, n_labels, weights, method=None):
    structure, labels = MultiLabel(n_labels, edges=edges), _sets(n_labels)
    if method is not None:  # tiny graphs would be enumerated
        structure._method = method(n_labels, structure.edges)
    pairwise = numbers(rng, (structure.n_shared,))
    pairs = labels[:, structure.edges[:, 0]] * labels[:, structure.edges[:, 1]]
    unary = [numbers(rng, (n_labels,)) for _ in range(n)]
    thetas = [structure.potentials(row, pairwise) for row in unary]
    loss, measure = of_sets(rng, n_labels, weights=weights)
    return drawn(rng, structure, loss, measure, labels, thetas, [labels @ row + pairs @ pairwise for row in unary])


def independent_labels(rng, n, real=False):
    """Label sets without edges."""
    return _label_sets(rng, n, "none", int(rng.integers(1, 9)), "real" if real else rng.choice(["equal", "multiples"]))


def paired_labels(rng, n, real=False):
    """Label sets with all edges, or some in any direction: few labels, enumerated."""
    n_labels = int(rng.integers(2, 9))
    pairs = np.argwhere(np.triu(np.ones((n_labels, n_labels)), 1))
    some = rng.permutation(pairs)[: rng.integers(1, len(pairs) + 1), :: rng.choice([-1, 1])]
    return _label_sets(rng, n, "full" if rng.random() < 0.5 else some, n_labels, rng.choice(["equal", "multiples", "real"]))


def narrow_labels(rng, n, real=False):
    """Forests and rings of labels, label by label."""
    n_labels = int(rng.integers(2, 9))
    forest = [[int(rng.integers(0, v)), v] for v in range(1, n_labels) if rng.random() < 0.8]
    ring = [[v, (v + 1) % n_labels] for v in range(n_labels)] if n_labels > 2 else forest
    edges = [forest, ring][rng.integers(2)] or [[0, 1]]
    return _label_sets(rng, n, edges, n_labels, "real" if real else rng.choice(["equal", "multiples"]), Frontier)


def hierarchy(rng, n, real=False):
    """Forests in any order of nodes, leaves only or not, forbidden nodes, single nodes."""
    n_nodes, leaves_only = int(rng.integers(1, 9)), bool(rng.integers(2))
    parent, name = np.full(n_nodes, -1), rng.permutation(n_nodes)
    for v in range(1, n_nodes):
        if rng.random() < 0.8:
            parent[name[v]] = name[rng.integers(max(0, v - 4), v)]
    edges = [(parent[v], v) for v in range(n_nodes) if parent[v] >= 0]
    structure, labels = Hierarchy(edges, leaves_only, n_nodes=n_nodes), _sets(n_nodes)
    for a, b in edges:
        labels = labels[labels[:, a] >= labels[:, b]]
    for a in {a for a, _ in edges} if leaves_only else ():
        labels = labels[labels[:, a] <= labels[:, [b for c, b in edges if c == a]].max(axis=1)]
    scores = [numbers(rng, (n_nodes,), rng.choice([0.0, 0.0, 0.2])) for _ in range(n)]
    loss, measure = of_sets(rng, n_nodes, weights="real" if real else "multiples")
    total = [np.where(labels > 0, row, 0.0).sum(axis=1) for row in scores]
    return drawn(rng, structure, loss, measure, labels, [structure.potentials(row) for row in scores], total)


def closures(rng, n, real=False):
    """Graphs in any order of nodes with up to three parents each, forbidden nodes."""
    n_nodes = int(rng.integers(1, 9))
    name = rng.permutation(n_nodes)
    parents = [rng.permutation(v)[: rng.integers(0, min(v, 3) + 1)] for v in range(n_nodes)]
    if n_nodes > 2 and max(map(len, parents)) < 2:
        parents[2] = np.array([0, 1])
    edges = [(name[a], name[v]) for v in range(n_nodes) for a in parents[v]]
    structure, labels = Hierarchy(edges, n_nodes=n_nodes), _sets(n_nodes)
    for a, b in edges:
        labels = labels[labels[:, a] >= labels[:, b]]
    scores = [numbers(rng, (n_nodes,), rng.choice([0.0, 0.0, 0.2])) for _ in range(n)]
    loss, measure = of_sets(rng, n_nodes, weights="real" if real else "multiples")
    total = [np.where(labels > 0, row, 0.0).sum(axis=1) for row in scores]
    return drawn(rng, structure, loss, measure, labels, [structure.potentials(row) for row in scores], total)


def tree(rng, n, real=False):
    """Forests in any order of nodes and ends, edges of the structure or of each example, scores per edge, forbidden parts."""
    k, n_nodes = int(rng.integers(1, 6)), int(rng.integers(1, 8))
    while k**n_nodes > MOST:
        n_nodes -= 1
    labels, per_edge, forbid = np.indices((k,) * n_nodes).reshape(n_nodes, -1).T, rng.random() < 0.3, rng.choice([0.0, 0.0, 0.15])
    own_edges, at = rng.random() < 0.5, np.arange(n_nodes)

    def edges_of():
        name = rng.permutation(n_nodes)
        pairs = [(name[rng.integers(max(0, v - 3), v)], name[v]) for v in range(1, n_nodes) if rng.random() < 0.8]
        return np.array([pair[:: rng.choice([-1, 1])] for pair in pairs], np.int64).reshape(-1, 2)

    shared, edges = numbers(rng, (k, k), forbid), edges_of()
    structure, thetas, scores = Tree(k, None if own_edges else edges), [], []
    for _ in range(n):
        mine = edges_of() if own_edges else edges
        unary = numbers(rng, (n_nodes, k), forbid)
        moves = numbers(rng, (len(mine), k, k), forbid) if per_edge else shared
        thetas.append(structure.potentials(unary, moves, edges=mine if own_edges else None))
        each = np.broadcast_to(moves, (len(mine), k, k))
        pairs = each[np.arange(len(mine)), labels[:, mine[:, 0]], labels[:, mine[:, 1]]].sum(axis=1)
        scores.append(unary[at, labels].sum(axis=1) + pairs)
    loss, measure = positional(rng, n_nodes, k, real)
    return drawn(rng, structure, loss, measure, labels, thetas, scores)


def graph(rng, n, real=False):
    """Any edges in any direction, two states that attract among them, scores per edge, forbidden states."""
    k, n_nodes = int(rng.integers(1, 5)), int(rng.integers(1, 8))
    while k**n_nodes > MOST:
        n_nodes -= 1
    labels, at = np.indices((k,) * n_nodes).reshape(n_nodes, -1).T, np.arange(n_nodes)
    pairs = np.argwhere(np.triu(np.ones((n_nodes, n_nodes)), 1))
    edges = rng.permutation(pairs)[: rng.integers(0, len(pairs) + 1), :: rng.choice([-1, 1])]
    structure, per_edge, attracts = Graph(k), rng.random() < 0.3, k == 2 and rng.random() < 0.7

    def tables(m):
        moves = numbers(rng, (m, k, k))
        return np.abs(moves) * np.eye(2) if attracts else moves

    shared = tables(1)[0]
    thetas, scores = [], []
    for _ in range(n):
        unary = numbers(rng, (n_nodes, k), rng.choice([0.0, 0.0, 0.15]))
        if (unary.max(axis=1) == -np.inf).any():
            continue
        moves = tables(len(edges)) if per_edge else shared
        thetas.append(structure.potentials(unary, moves, edges=edges))
        each = np.broadcast_to(moves, (len(edges), k, k))
        ends = each[np.arange(len(edges)), labels[:, edges[:, 0]], labels[:, edges[:, 1]]].sum(axis=1)
        scores.append(unary[at, labels].sum(axis=1) + ends)
    loss, measure = positional(rng, n_nodes, k, real)
    while isinstance(loss, Cost):
        loss, measure = positional(rng, n_nodes, k, real)
    return drawn(rng, structure, loss, measure, labels, thetas, scores)


def matching(rng, n, real=False):
    """Square and rectangular, forbidden pairs, single rows, equal scores."""
    n_rows = int(rng.integers(1, 6))
    m = n_rows + int(rng.integers(0, 3)) * (n_rows < 4)
    structure, labels = Matching(n_rows, m), np.array(list(permutations(range(m), n_rows)))
    tables = [numbers(rng, (n_rows, m), rng.choice([0.0, 0.0, 0.2])) for _ in range(n)]
    scores = [table[np.arange(n_rows), labels].sum(axis=1) for table in tables]
    keep = [k for k, row in enumerate(scores) if np.isfinite(row).any()]
    kind, measure = positional(rng, n_rows, m, real)
    while isinstance(kind, Cost):
        kind, measure = positional(rng, n_rows, m, real)
    thetas = [structure.potentials(tables[k]) for k in keep]
    return drawn(rng, structure, kind, measure, labels, thetas, [scores[k] for k in keep])


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

    def solve_one(self, i, **limits):
        return self.structure.loss_augmented(self.thetas[i], int(self.targets[i]), **limits)

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
    return _InPython(*drawn(rng, Listed(table), None, measure, labels, thetas, thetas, _first))


ROWS = {
    "multiclass": multiclass,
    "labels, no edges": independent_labels,
    "labels, edges": paired_labels,
    "labels, narrow": narrow_labels,
    "chain": chain,
    "tree": tree,
    "hierarchy": hierarchy,
    "hierarchy, several parents": closures,
    "matching": matching,
    "graph": graph,
    "custom": custom,
}

#: The same under weights and costs without a common unit.
REAL_ROWS = {
    f"{name}, real weights": partial(ROWS[name], real=True)
    for name in ("labels, no edges", "labels, narrow", "chain", "tree", "hierarchy")
}
