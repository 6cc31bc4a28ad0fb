"""Laws of training: tiny problems, their optimum by a general solver, and what every fit must satisfy."""

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from taut.structures import Chain


def tiny_chains(rng, n=6, n_states=3, n_features=3, longest=3):
    """Random sequences: features as rows end to end, labels, offsets."""
    sizes = rng.integers(1, longest + 1, size=n)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    X = rng.normal(size=(offsets[-1], n_features))
    Y = [rng.integers(n_states, size=size) for size in sizes]
    return Chain(n_states), X, Y, offsets


def planes(problem, X, bias, Y, offsets, loss, rescaling):
    """All planes of every example: normals (labels, weights) and offsets, from scores of unit weights alone."""
    structure, found = problem.structure, []
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
    width, n_features = structure.width, dense.shape[1]
    for i, y_true in enumerate(Y):
        rows = dense[offsets[i] : offsets[i + 1]]
        blank = problem.blanks[i]
        labels = list(structure.enumerate(blank))
        features = np.zeros((len(labels), problem.n_weights))
        for p in range(problem.n_weights):
            own, shared = np.zeros((len(rows), width)), np.zeros(structure.n_shared)
            if p < n_features * width:
                k, f = divmod(p, n_features) if not problem.rows.sparse else divmod(p, width)[::-1]
                own[:, k] = rows[:, f]
            elif p < (n_features + 1) * width:
                own[:, p - n_features * width] = bias
            else:
                shared[p - (n_features + 1) * width] = 1.0
            theta = blank._replace(own=own.ravel(), common=structure.common(shared))
            features[:, p] = [structure.score(theta, y) for y in labels]
        true = next(j for j, y in enumerate(labels) if np.array_equal(y, y_true))
        losses = np.array([structure.loss(y_true, y, loss) for y in labels])
        normals = features[true] - features
        scale = losses if rescaling == "slack" else np.ones(len(losses))
        found.append((scale[:, None] * normals, losses))
    return found


def objective(found, omega, reg, w):
    """The primal by its definition."""
    return 0.5 * reg * w @ w + sum(o * max(0.0, (b - a @ w).max()) for o, (a, b) in zip(omega, found, strict=True))


def optimum(found, omega, reg):
    """The minimum of the objective by a general solver for smooth constrained problems: the n-slack quadratic program."""
    d, n = found[0][0].shape[1], len(found)
    normals = np.concatenate([np.hstack([a, np.eye(n)[[i] * len(a)]]) for i, (a, _) in enumerate(found)])
    offsets = np.concatenate([b for _, b in found])
    hessian = np.concatenate([np.full(d, reg), np.zeros(n)])
    linear = np.concatenate([np.zeros(d), omega])
    start = np.concatenate([np.zeros(d), [max(b.max(), 0.0) for _, b in found]])
    result = minimize(
        lambda z: 0.5 * z @ (hessian * z) + linear @ z,
        start,
        jac=lambda z: hessian * z + linear,
        bounds=[(None, None)] * d + [(0, None)] * n,
        constraints=[{"type": "ineq", "fun": lambda z: normals @ z - offsets, "jac": lambda z: normals}],
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    )
    return objective(found, omega, reg, result.x[:d])


def assert_fit(fit, found, omega, reg, tol, best=None):
    """Weak duality, the reported primal, the tolerance, and where it is known the optimum."""
    slip = 1e-9 * max(1.0, abs(fit.primal))
    assert fit.primal >= fit.dual - slip
    assert abs(objective(found, omega, reg, fit.w) - fit.primal) <= slip
    for before, after in zip(fit.history, fit.history[1:], strict=False):
        assert after.primal <= before.primal and after.dual >= before.dual and after.now >= after.dual - slip
    if fit.status == "converged":
        assert fit.gap <= tol * abs(fit.primal)
    if best is not None:
        assert fit.dual <= best + 1e-6 * max(1.0, abs(best)) and fit.primal >= best - 1e-6 * max(1.0, abs(best))
