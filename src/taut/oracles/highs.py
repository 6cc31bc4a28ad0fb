"""HiGHS as a maximiser of mixed-integer programs: through scipy (always there) or through highspy (the extra `milp`).

HiGHS stops within absolute tolerances of about 1e-6 that scipy does not let one change, so callers scale: objectives to about
2**20 and rows to about 2**10 (`scaled`), where 1e-6 is 1e-12 and 1e-9 of the numbers.
"""

import math
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Model", "Row", "Solution", "Solver", "SolverError", "highspy_solver", "scaled", "scipy_solver"]

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_HIGHSPY_TOLERANCE = 1e-9


class SolverError(RuntimeError):
    """HiGHS failed: neither an optimum, nor a proof that there is none, nor a limit of time."""


class Model(NamedTuple):
    """Columns x from 0 to `upper`, some binary, with rows lower <= A x <= upper given by the triplets of A's entries."""

    binary: npt.NDArray[np.bool_]
    upper: Reals
    entry_row: Ints
    entry_column: Ints
    entry: Reals
    row_lower: Reals
    row_upper: Reals


class Row(NamedTuple):
    """A row for one question: lower <= coefficients @ x <= upper."""

    coefficients: Reals
    lower: float
    upper: float


class Solution(NamedTuple):
    """`status` is "optimal", "empty" (no feasible x) or "limit" (of time; x may be None). No feasible x is above `bound`."""

    status: str
    x: Reals | None
    bound: float


class Solver(Protocol):
    """Keeps a model; a question brings an objective to maximise, rows and column bounds of its own, and seconds."""

    def __call__(
        self,
        objective: Reals,
        rows: list[Row],
        upper: Reals,
        seconds: float | None = None,
        start: Reals | None = None,
        relaxed: bool = False,
    ) -> Solution:
        """Maximise objective @ x; `start` is a feasible x to start from, `relaxed` lets binary columns take fractions."""
        ...


def scaled(values: Reals, size: int) -> float:
    """The power of two that brings the greatest |value| to between 2**(size - 1) and 2**size; 1 where all are zero."""
    greatest = float(np.abs(values).max(initial=0.0))
    # ldexp overflows before it is useful: numbers below 1e-290 stay as small as they are
    return math.ldexp(1.0, min(size - math.frexp(greatest)[1], 1000)) if greatest > 0.0 else 1.0


def _matrix(model: Model) -> Any:
    from scipy.sparse import csc_array

    shape = (len(model.row_lower), len(model.upper))
    return csc_array((model.entry, (model.entry_row, model.entry_column)), shape=shape)


def scipy_solver(model: Model) -> Solver:
    """HiGHS through `scipy.optimize.milp`: the model is passed anew with each question."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    kept = LinearConstraint(_matrix(model), model.row_lower, model.row_upper)
    whole = model.binary.astype(np.int64)

    def solve(
        objective: Reals,
        rows: list[Row],
        upper: Reals,
        seconds: float | None = None,
        start: Reals | None = None,
        relaxed: bool = False,
    ) -> Solution:
        constraints = [kept] if len(model.row_lower) else []
        if rows:
            coefficients, lower, high = zip(*rows, strict=True)
            constraints.append(LinearConstraint(np.array(coefficients), np.array(lower), np.array(high)))
        options = {"mip_rel_gap": 0.0} if seconds is None else {"mip_rel_gap": 0.0, "time_limit": seconds}
        found = milp(
            -objective, integrality=0 * whole if relaxed else whole, bounds=Bounds(0.0, upper),
            constraints=constraints, options=options,
        )  # fmt: skip
        if found.status == 0:
            return Solution("optimal", found.x, -found.fun)
        if found.status == 2:
            return Solution("empty", None, -math.inf)
        if found.status == 1:
            bound = found.mip_dual_bound
            return Solution("limit", found.x, math.inf if bound is None or math.isnan(bound) else -bound)
        raise SolverError(f"HiGHS (through scipy) ended with status {found.status}: {found.message}")

    return solve


def highspy_solver(model: Model) -> Solver:
    """HiGHS through highspy: one thread, silent; the model stays and only what a question changes is passed.

    A branch and bound starts from `start`, where one is given.
    """
    try:
        import highspy
    except ImportError as error:
        raise ImportError(
            'solver="highspy" needs the package highspy, which is not installed. Run `pip install "taut[milp]"`, or use '
            'solver="scipy".'
        ) from error

    highs = highspy.Highs()
    options: dict[str, Any] = {
        "output_flag": False, "threads": 1, "parallel": "off", "mip_rel_gap": 0.0, "mip_abs_gap": 0.0,
        "mip_feasibility_tolerance": _HIGHSPY_TOLERANCE, "primal_feasibility_tolerance": _HIGHSPY_TOLERANCE,
        "dual_feasibility_tolerance": _HIGHSPY_TOLERANCE,
    }  # fmt: skip
    for name, value in options.items():
        highs.setOptionValue(name, value)
    highs.passModel(_highspy_model(highspy, model))
    n, n_rows = len(model.upper), len(model.row_lower)
    columns, zeros = np.arange(n, dtype=np.int32), np.zeros(n)
    state = {"rows": 0}

    def solve(
        objective: Reals,
        rows: list[Row],
        upper: Reals,
        seconds: float | None = None,
        start: Reals | None = None,
        relaxed: bool = False,
    ) -> Solution:
        if state["rows"]:
            highs.deleteRows(state["rows"], np.arange(n_rows, n_rows + state["rows"], dtype=np.int32))
        for row in rows:
            held = np.flatnonzero(row.coefficients)
            highs.addRow(row.lower, row.upper, len(held), held.astype(np.int32), row.coefficients[held])
        state["rows"] = len(rows)
        highs.changeColsCost(n, columns, np.ascontiguousarray(objective))
        highs.changeColsBounds(n, columns, zeros, np.ascontiguousarray(upper))
        highs.setOptionValue("solve_relaxation", relaxed)
        highs.setOptionValue("time_limit", highspy.kHighsInf if seconds is None else highs.getRunTime() + seconds)
        if start is not None:
            highs.setSolution(n, columns, start)
        highs.run()
        status = highs.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            return Solution("empty", None, -math.inf)
        info = highs.getInfo()
        x = np.array(highs.getSolution().col_value)
        has_x = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        if status == highspy.HighsModelStatus.kOptimal and has_x:
            return Solution("optimal", x, info.objective_function_value)
        if status == highspy.HighsModelStatus.kTimeLimit:
            bound = math.inf if relaxed or math.isnan(info.mip_dual_bound) else info.mip_dual_bound
            return Solution("limit", x if has_x else None, bound)
        raise SolverError(f"HiGHS (through highspy) ended with status {highs.modelStatusToString(status)}")

    return solve


def _highspy_model(highspy: Any, model: Model) -> Any:
    matrix = _matrix(model)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(model.upper), len(model.row_lower)
    lp.sense_ = highspy.ObjSense.kMaximize
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = np.zeros(len(model.upper)), np.zeros(len(model.upper)), model.upper
    lp.row_lower_, lp.row_upper_ = model.row_lower, model.row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = matrix.indptr, matrix.indices, matrix.data
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    lp.integrality_ = [kinds[int(b)] for b in model.binary]
    return lp
