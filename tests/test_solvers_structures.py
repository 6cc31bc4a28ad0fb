"""Solvers agree with a general solver, and with each other, on every structure, loss and surrogate."""

import numpy as np
import pytest
from solver_laws import assert_fit, optimum, planes

from taut.losses import Cost, Hamming, Tabulated
from taut.solvers import Problem, averaged, bcfw, minimise, n_slack, one_slack, sdca, sgd
from taut.structures import Chain, Hierarchy, Multiclass, MultiLabel, Tree

EDGES = [(0, 1), (0, 2), (2, 3)]
COUNTS = Tabulated(lambda fp, fn, n_positive, n: (2 * fp + fn) / n)
SET_LOSSES = ("hamming", "zero-one", "f1", "jaccard", COUNTS, Hamming(normalize=False, weights=[1, 2, 1, 3]))
COSTS = Cost(np.array([[0, 1, 2.5], [0.5, 0, 1], [2, 1, 0]]))

CASES = {
    "multiclass": (lambda: Multiclass(3), ("zero-one", COSTS)),
    "label sets, no edges": (lambda: MultiLabel(4), SET_LOSSES),
    "label sets, all edges": (lambda: MultiLabel(4, edges="full"), SET_LOSSES),
    "label sets, a tree": (lambda: MultiLabel(4, edges=[(0, 1), (1, 2), (1, 3)]), SET_LOSSES),
    "hierarchy": (lambda: Hierarchy(EDGES), SET_LOSSES),
    "hierarchy, leaves only": (lambda: Hierarchy(EDGES, leaves_only=True), SET_LOSSES[:4]),
    "chain": (lambda: Chain(3), ("hamming", "zero-one", COSTS)),
    "tree": (lambda: Tree(3), ("hamming", "zero-one", COSTS)),
}


def steadied(problem, reg):
    return averaged(sgd(problem, reg))


def drawn(structure, rng, n=5, n_features=2):
    """Features, labels, offsets and edges of a tiny problem."""
    many = isinstance(structure, (Chain, Tree))
    sizes = rng.integers(1, 4, size=n) if many else np.ones(n, np.int64)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    X = rng.normal(size=(offsets[-1], n_features))
    edges = None
    if isinstance(structure, Tree):
        edges = [np.array([(rng.integers(v), v) for v in range(1, size)], np.int64).reshape(-1, 2) for size in sizes]
    if many:
        Y = [rng.integers(3, size=size) for size in sizes]
    else:
        labels = list(structure.enumerate())
        Y = [labels[rng.integers(len(labels))] for _ in range(n)]
    return X, Y, offsets, edges


@pytest.mark.parametrize("rescaling", ["margin", "slack"])
@pytest.mark.parametrize("name", CASES)
def test_solvers_agree(name, rescaling):
    make, losses = CASES[name]
    for seed, loss in enumerate(losses):
        structure, rng = make(), np.random.default_rng(seed)
        X, Y, offsets, edges = drawn(structure, rng)
        problem = Problem(structure, X, Y, loss, rescaling, offsets=offsets, edges=edges)
        found, reg = planes(problem, X, 1.0, Y, offsets, loss, rescaling), 0.1
        best = optimum(found, problem.omega, reg)
        for solver in (bcfw, sdca, n_slack, one_slack, steadied):
            tol = 0.2 if solver is steadied else 1e-6
            fit = minimise(solver(problem, reg), tol=tol, max_iter=3000)
            assert fit.status == "converged", (loss, solver)
            assert_fit(fit, found, problem.omega, reg, tol, best)


@pytest.mark.parametrize("name", CASES)
def test_the_hull_surrogate_is_never_below_slack(name):
    make, losses = CASES[name]
    structure = make()
    X, Y, offsets, edges = drawn(structure, np.random.default_rng(0))
    data = {"offsets": offsets, "edges": edges, "loss": "hamming" if "hamming" in losses else "zero-one"}
    slack, hull = (Problem(structure, X, Y, rescaling=rescaling, **data) for rescaling in ("slack", "hull"))
    one, other = minimise(bcfw(slack, 0.1), tol=1e-6, max_iter=3000), minimise(bcfw(hull, 0.1), tol=1e-3, max_iter=3000)
    assert other.status == "converged" and other.primal >= one.dual
    start = minimise(bcfw(hull, 0.1), max_iter=0).primal  # at w = 0: h = 1, so the greatest loss
    assert abs(start - minimise(bcfw(slack, 0.1), max_iter=0).primal) <= 1e-9
