"""What a fit will take, and how one went, in words."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..solvers import Measure, Problem
from ..solvers.dual import Dual
from ..solvers.progress import remaining

__all__ = ["Cost", "diagnosed", "measured_cost"]

_SAMPLE = 200  # examples that are answered to see how long one takes
_ATOM_BYTES = 10 * 12  # of an example's part: ten labels with twelve bytes each


class Cost(NamedTuple):
    """What a fit will take: weights, memory, and seconds of a pass over all examples on one thread; 20 to 100 passes are usual."""

    n_weights: int
    n_bytes: int
    seconds_per_pass: float


def measured_cost(problem: Problem) -> Cost:
    """The cost of a problem, from its arrays and from the answers for some examples at w = 0."""
    dual = Dual(problem, 1.0)
    dual.answer(np.arange(1))  # compiles
    ids = np.random.default_rng(0).permutation(problem.n_examples)[:_SAMPLE]
    start = time.perf_counter()
    dual.answer(ids)
    seconds = (time.perf_counter() - start) * float(problem.costs.sum() / problem.costs[ids].sum())
    arrays = [problem.rows.dense, problem.rows.data, problem.rows.indices, problem.rows.indptr, *problem.examples]
    n_bytes = sum(array.nbytes for array in arrays) + 4 * 8 * problem.n_weights
    return Cost(problem.n_weights, n_bytes + _ATOM_BYTES * int(problem.calls.most_parts.sum()), seconds)


def diagnosed(history: Sequence[Measure], status: str, tol: float, solver: str) -> str:
    """How far a fit came, whether its gap still falls, and what to do."""
    last, half = history[-1], history[len(history) // 2]
    relative = last.gap / abs(last.primal) if last.primal else 0.0
    facts = f"After {last.n_passes} passes the objective is within {100 * relative:.2g} % of the least possible"
    if status == "converged":
        return f"{facts}: converged (tol={tol:g})."
    left = remaining(list(history), tol)
    if half is not last and last.gap <= 0.5 * half.gap and left is not None:
        return f"{facts}; tol={tol:g} needs about {left:.0f} s more. Raise max_iter or max_time, or tol."
    side = "objective" if half.primal - last.primal > last.dual - half.dual else "lower bound"
    advice = "lower C, scale the features to like sizes, or accept a greater tol"
    if solver == "sgd":
        advice = f'take solver="bcfw", whose lower bound rises faster, or {advice}'
    return f"{facts}, and the gap hardly falls any more (mostly the {side} moves): {advice}."
