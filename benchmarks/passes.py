"""What a pass costs: slack beside margin, and beside the bare matrix products and Viterbis that it contains.

Solvers are trained first, to a relative gap of about a hundredth, so that passes meet the labels that training meets. Sides are
timed in turn, each from the same state, and medians compared.
"""

import numpy as np
from rich.console import Console

from benchmarks.machine import alternate, describe, keep
from benchmarks.objective import letters, yeast
from benchmarks.search import show
from taut.kernels import chain, passes
from taut.kernels.compiling import njit
from taut.kernels.rows import potentials
from taut.solvers import bcfw


@njit
def _bare(examples, rows, w, pairwise, turned, label):  # type: ignore[no-untyped-def]
    """Scores of every word and its best labeling: a matrix product and a Viterbi each, nothing else."""
    theta, ahead = np.empty(64 * rows.width), np.empty((64, rows.width))
    for i in range(examples.omega.size):
        a, b = examples.rows_at[i], examples.rows_at[i + 1]
        potentials(rows, w, a, b, theta)
        unary = theta[: (b - a) * rows.width].reshape(b - a, rows.width)
        chain.backward(unary, turned, ahead[: b - a])
        chain.follow(pairwise, ahead[: b - a], label[: b - a])


def trained(objective):
    """A solver whose estimate of the gap has come down to a hundredth of the objective."""
    solver = bcfw(objective.exact, objective.reg)
    while solver.estimate > 0.01 * solver.dual:
        solver.advance()
    return solver


def measure(name, make):
    """Microseconds per example of the exact answers, of the steps, and of a pass over the atoms."""
    sides = {rescaling: trained(make(rescaling)) for rescaling in ("margin", "slack")}
    calls, kept = {}, {rescaling: {k: v.copy() for k, v in s.dual_state.arrays().items()} for rescaling, s in sides.items()}

    def before():
        for rescaling, solver in sides.items():
            solver.dual_state.restore(kept[rescaling])

    for rescaling, solver in sides.items():
        state, n = solver.dual_state, solver.problem.n_examples
        ids = np.random.default_rng(0).permutation(n)
        calls[f"{rescaling}, answers"] = lambda state=state, ids=ids: state.answer(ids)
        calls[f"{rescaling}, answers and steps"] = lambda state=state, ids=ids: state.step(state.answer(ids), passes.PAIRWISE, 0.2)
        calls[f"{rescaling}, atoms alone"] = lambda state=state, ids=ids: state.revisit(ids, 0.2)
    problem = sides["slack"].problem
    if name == "letters":
        square = problem.structure.n_states**2
        w = sides["slack"].w
        moves = w[-square:].reshape(26, 26).copy()
        pairwise, turned, label = moves[None], moves.T.copy()[None], np.zeros(64, np.int64)
        calls["bare products and Viterbis"] = lambda: _bare(problem.examples, problem.rows, w, pairwise, turned, label)
    seconds = alternate(calls, 25, before)
    row = {"data": name, **{call: 1e6 * x / problem.n_examples for call, x in seconds.items()}}
    row["slack / margin"] = row["slack, answers and steps"] / row["margin, answers and steps"]
    if name == "letters":
        row["margin pass / bare"] = row["margin, answers and steps"] / row["bare products and Viterbis"]
        row["slack pass / bare"] = row["slack, answers and steps"] / row["bare products and Viterbis"]
    return row


def main():
    """Print microseconds per example."""
    console = Console(width=160)
    console.print(describe())
    rows = [measure("yeast, full", lambda rescaling: yeast("full", rescaling)), measure("letters", letters)]
    for row in rows:
        show(console, row["data"], [{"what": key, "microseconds per example, or ratio": value} for key, value in row.items()])
    console.print(keep("passes", rows))


if __name__ == "__main__":
    main()
