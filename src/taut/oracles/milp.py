"""Any structure's plane as mixed-integer programs: lambda-, cone- and band-oracle (NOTES E26, C.0c, C.0h)."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..losses import Loss, resolve
from ..plane import Band, Cone, Ray
from .compiled import _positive
from .highs import Model, Row, Solver, SolverError, highspy_solver, scaled, scipy_solver
from .protocol import Answer

__all__ = ["MILP", "Program", "TimeLimit"]

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_SOLVERS: dict[str, Callable[[Model], Solver]] = {"scipy": scipy_solver, "highspy": highspy_solver}

_OBJECTIVE, _ROW = 20, 10  # the greatest coefficient of objectives and rows, as powers of two
_LOOSE = 2.0**-30  # how far a row reaches beyond its end, in its own scale: rounding never cuts off a label of the region
_CLEAR = 2.0**-18  # ... and how far it stays inside once it must: more than the tolerance of HiGHS
_PATIENCE = 4  # labels outside that are cut off one by one before the ends are pulled in
_LISTED = 4096  # loss values that a search is given; bands are exact beyond them too
_APART = 2.0**10  # with one term of h + lam g so much greater, the other is maximised by a second question


@dataclass(frozen=True, eq=False)
class Program:
    r"""The labels of one example as the integer points of a polytope, with score and loss as linear functions.

    A label is a vector x of n columns between 0 and `upper` (0 forbids a part), those of `binary` whole, with
    `row_lower <= A x <= row_upper`; A is given by the triplets of its entries. Columns that are not binary must be
    determined by those that are. Scores are relative to the target's: :math:`h = 1 + offset + score \cdot x`.

    The loss is read off k = 1 or 2 `counters` (k, n): the numbers `counters @ x + base`. With a `table` they are whole
    and g = table[numbers], any table; without one there is one counter and it is g itself, a real number.
    """

    binary: npt.NDArray[np.bool_]
    upper: Reals
    entry_row: Ints
    entry_column: Ints
    entry: Reals
    row_lower: Reals
    row_upper: Reals
    score: Reals
    offset: float
    counters: Reals
    base: Reals
    table: Reals | None
    label: Callable[[Reals], Any]


class Programmable(Protocol):
    """A structure that can write its labels as a program; `taut.structures` do, and a user's own structure may."""

    def as_milp(self, theta: Any, target: Any, loss: Loss) -> Program:
        """The program of one example."""
        ...

    def score(self, theta: Any, y: Any) -> float:
        """The score of a label."""
        ...

    def loss(self, y_true: Any, y: Any, loss: str | Loss = "hamming") -> float:
        """The loss of predicting y where y_true is true."""
        ...


class TimeLimit(RuntimeError):
    """A question took longer than `max_time`. No argmax is claimed: what is known is in `incumbent` and `bound`.

    `incumbent` is the best label found in the region asked for, or None; `bound` is at least the greatest h + lam g there, so that
    `taut.plane.tangent_bound(bound, lam)` bounds every product of the region.
    """

    def __init__(self, incumbent: Answer | None, bound: float, max_time: float) -> None:
        super().__init__(
            f"HiGHS did not finish a question within max_time={max_time} s: the best label known is {incumbent}, and h + lam g is "
            f"at most {bound!r}. Raise `max_time`, or use the bound."
        )
        self.incumbent, self.bound, self.max_time = incumbent, bound, max_time


class _Linear(NamedTuple):
    """A linear function of the columns."""

    coefficients: Reals
    constant: float


class _Found(NamedTuple):
    """A label with its columns."""

    answer: Answer
    x: Reals


class MILP:
    r"""The plane of one example of a structure, each question a mixed-integer program solved by HiGHS.

    The only oracle that answers cones on structures too large to enumerate (they are NP-hard even for independent labels, NOTES
    C.0h), or bands of losses that are sums of real weights without a common unit. A question costs milliseconds at best,
    and can take exponential time: compiled oracles are much faster where they exist.

    Answers are labels: h and g are computed from them by the structure, never read off the solver. h + lam g is greatest up
    to about 1e-9 of the greatest coefficient. HiGHS has no strict inequalities (NOTES E26): where loss values are listed bands
    end at the neighbouring value; elsewhere a label found on or beyond an end is cut off by name, and after four of these the
    end is pulled in by 4e-9, so that labels closer to it than that can be left out: they are ties for every search.

    Parameters
    ----------
    structure : structure
        With `as_milp`, `score` and `loss`: all of `taut.structures`.
    theta : potentials
        From `structure.potentials`.
    target : label
        The true label.
    loss : str or Loss
        Any loss of the structure, real weights included.
    max_time : float, optional
        Seconds for one question; beyond them `TimeLimit` is raised, with the solver's bound.
    solver : {"scipy", "highspy"}
        `scipy.optimize.milp`, or the package highspy (the extra `milp`), which keeps the model between questions.

    Attributes
    ----------
    losses : array
        The values that g can take, sorted; empty for real weights.
    max_time : float or None
        As given; it may be changed between questions.
    """

    def __init__(
        self,
        structure: Programmable,
        theta: Any,
        target: Any,
        loss: str | Loss = "hamming",
        max_time: float | None = None,
        solver: str = "scipy",
    ) -> None:
        if solver not in _SOLVERS:
            raise ValueError(f"`solver` must be one of {', '.join(map(repr, _SOLVERS))}; found {solver!r}.")
        if max_time is not None and not 0.0 < max_time < math.inf:
            raise ValueError(f"`max_time` must be positive and finite, or None for no limit; found {max_time}.")
        if not callable(getattr(structure, "as_milp", None)):
            raise TypeError(f"{type(structure).__name__} has no `as_milp`, which writes its labels as a program. Give it one.")
        self._structure, self._theta, self._target, self._loss = structure, theta, target, resolve(loss)
        self.max_time = max_time
        self._f_target = structure.score(theta, target)
        if not math.isfinite(self._f_target):
            raise ValueError(f"the true label must have a finite score; found {self._f_target}. Allow its parts or mend it.")
        self.program = structure.as_milp(theta, target, self._loss)
        model, self._h, self._g, self._levels = _assembled(self.program)
        self._model, self._named = model, np.flatnonzero(self.program.binary)
        self._solve = _SOLVERS[solver](model)
        self._known: dict[bytes, _Found] = {}  # every label that HiGHS has shown
        table = self.program.table
        listed = np.empty(0) if table is None else np.unique(table)
        self.losses: Reals = listed if len(listed) <= _LISTED else np.empty(0)

    def argmax(self, lam: float) -> Answer:
        return self._some(self._ask(1.0, _positive(lam), None))

    def argmax_in_cone(self, lam: float, cone: Cone) -> Answer | None:
        return self._ask(1.0, _positive(lam), cone)

    def argmax_in_band(self, lam: float, lo: float, hi: float) -> Answer | None:
        return self._ask(1.0, _positive(lam), Band(float(lo), float(hi)))

    def extremes(self) -> tuple[Answer, Answer]:
        return self._some(self._ask(1.0, 0.0, None)), self._some(self._ask(0.0, 1.0, None))

    def relaxation_bound(self, lam: float) -> float:
        """An upper bound on K(lam), the greatest h + lam g, from one linear program: labels may be fractions (NOTES C.0c).

        Equal to K(lam), up to rounding, for chains, trees and tree hierarchies under losses that are sums; above it elsewhere.
        """
        objective = _sum(1.0, self._h, _positive(lam), self._g)
        scale = scaled(objective.coefficients, _OBJECTIVE)
        found = self._solve(scale * objective.coefficients, [], self._model.upper, self.max_time, relaxed=True)
        return _least_upper(found.bound / scale, objective)

    def _some(self, answer: Answer | None) -> Answer:
        if answer is None:
            raise SolverError("HiGHS found no label at all, but the target is one: the program of the structure is wrong.")
        return answer

    def _ask(self, of_h: float, of_g: float, region: Cone | Band | None) -> Answer | None:
        """Maximise of_h h + of_g g over a region; where one term drowns the other, the other is maximised after it."""
        until = None if self.max_time is None else time.monotonic() + self.max_time
        ends = self._ends(region)
        if ends is None:
            return None
        objective = _sum(of_h, self._h, of_g, self._g)
        found = self._best(objective, ends, region, until)
        if found is None:
            return None
        of = (of_h, of_g)
        sizes = of_h * np.abs(self._h.coefficients).max(initial=0.0), of_g * np.abs(self._g.coefficients).max(initial=0.0)
        first = int(sizes[1] > sizes[0])
        if sizes[1 - first] >= sizes[first] / _APART or sizes[first] == 0.0:
            return found.answer
        leading, following = (self._h, self._g)[first], (self._h, self._g)[1 - first]
        held = _at_least(leading, float(leading.coefficients @ found.x))
        try:
            other = self._best(following, ends._replace(exact=[*ends.exact, held]), region, until)
        except TimeLimit:
            return found.answer
        answers = [found.answer] if other is None else [found.answer, other.answer]
        return max(answers, key=lambda a: (of[0] * a.h + of[1] * a.g, a[1 + (1 - first)]))

    def _best(self, objective: _Linear, ends: "_Ends", region: Cone | Band | None, until: float | None) -> _Found | None:
        """Solve; a label outside the region is cut off by name, and after a few the ends are pulled in."""
        scale = scaled(objective.coefficients, _OBJECTIVE)
        cost = scale * objective.coefficients
        bound = math.inf
        names = {key: known for key, known in self._known.items() if self._admits(ends, region, known)}
        beyond = 0
        while True:
            rows = [*ends.rows, *(self._without(known.x) for known in names.values())]
            seconds = None if until is None else max(until - time.monotonic(), 1e-3)
            start = self._start(objective, ends, region)
            solution = self._solve(cost, rows, ends.upper, seconds, start)
            if solution.status == "empty":
                return None
            if beyond <= _PATIENCE:
                bound = min(bound, _least_upper(solution.bound / scale, objective))
            found = None if solution.x is None else self._read(solution.x)
            inside = found is not None and (region is None or region.contains(found.answer.h, found.answer.g))
            if solution.status == "limit":
                assert self.max_time is not None
                raise TimeLimit(found.answer if found is not None and inside else None, bound, self.max_time)
            if found is None:
                return None
            if inside:
                return self._better(objective, found, start)
            key = self._name(found.x)
            if key in names:
                raise SolverError(f"HiGHS returned {found.answer} again, which the program excludes.")
            names[key] = found
            beyond += 1
            if beyond == _PATIENCE + 1:
                ends = ends.pulled_in()

    def _better(self, objective: _Linear, found: _Found, start: Reals | None) -> _Found:
        """The answer, or the best label known before where that is better: HiGHS errs now and then."""
        known = None if start is None else self._known[self._name(start)]
        if known is None or not objective.coefficients @ known.x > objective.coefficients @ found.x:
            return found
        return known

    def _name(self, x: Reals) -> bytes:
        return (x[self._named] > 0.5).tobytes()

    def _read(self, x: Reals) -> _Found:
        """The label that HiGHS means, its point by the structure's own score and loss."""
        program, whole = self.program, np.rint(x)
        if np.abs(x - whole)[self._named].max(initial=0.0) > 1e-4:
            raise SolverError("HiGHS returned a fraction for a binary column: its tolerances do not fit these potentials.")
        x = np.where(self._model.binary, whole, x)
        key = self._name(x)
        if key not in self._known:
            y = program.label(x[: len(program.upper)])
            h = 1.0 + self._structure.score(self._theta, y) - self._f_target
            if program.table is None:
                g = self._structure.loss(self._target, y, self._loss)
            else:
                counts = np.rint(program.counters @ np.rint(x[: len(program.upper)]) + program.base).astype(np.int64)
                g = float(program.table[tuple(counts)])
            self._known[key] = _Found(Answer(y, h, g), x)
        return self._known[key]

    def _ends(self, region: Cone | Band | None) -> "_Ends | None":
        """A region as rows and column bounds; None where the listed losses show it to be empty."""
        everything = _Ends(self._model.upper, [], [])
        match region:
            case None:
                return everything
            case Band(lo, hi):
                if self._levels.listed:
                    return self._levels.between(self._model.upper, lo, hi)
                rows = [_at_least(self._g, lo - self._g.constant), _at_most(self._g, hi - self._g.constant)]
                return everything._replace(soft=rows)
            case Cone(lower, upper, lower_closed, _):
                (low_h, low_g), (high_h, high_g) = _unit(lower), _unit(upper)
                low = _sum(-low_g, self._h, low_h, self._g)
                high = _sum(high_g, self._h, -high_h, self._g)
                rows = [_at_least(low, -low.constant), _at_least(high, -high.constant)]
                if self._levels.listed and lower.g == 0.0 < lower.h and not lower_closed:  # g > 0: no tolerance needed
                    positive = self._levels.between(self._model.upper, 0.0, math.inf)
                    return positive and positive._replace(soft=rows[1:])
                return everything._replace(soft=rows)

    def _admits(self, ends: "_Ends", region: Cone | Band | None, known: _Found) -> bool:
        """Whether the rows let a label pass that is not in the region."""
        if region is None or region.contains(known.answer.h, known.answer.g) or (known.x > ends.upper).any():
            return False
        return all(row.lower - _CLEAR <= row.coefficients @ known.x <= row.upper + _CLEAR for row in ends.rows)

    def _without(self, x: Reals) -> Row:
        """All labels but one."""
        ones = x[self._named] > 0.5
        coefficients = np.zeros(len(x))
        coefficients[self._named] = np.where(ones, -1.0, 1.0)
        return Row(coefficients, 1.0 - float(ones.sum()), math.inf)

    def _start(self, objective: _Linear, ends: "_Ends", region: Cone | Band | None) -> Reals | None:
        """The best known label of a region."""
        inside = (known.x for known in self._known.values() if region is None or region.contains(*known.answer[1:]))
        allowed = (
            x for x in inside
            if not (x > ends.upper).any() and all(row.lower <= row.coefficients @ x <= row.upper for row in ends.exact)
        )  # fmt: skip
        return max(allowed, key=lambda x: float(objective.coefficients @ x), default=None)


class _Ends(NamedTuple):
    """What a region adds to the model: column bounds, rows that hold exactly, and rows whose ends are told by the label."""

    upper: Reals
    exact: list[Row]
    soft: list[Row]

    @property
    def rows(self) -> list[Row]:
        return self.exact + self.soft

    def pulled_in(self) -> "_Ends":
        soft = [Row(row.coefficients, row.lower + _CLEAR, row.upper - _CLEAR) for row in self.soft]
        return self._replace(soft=soft)


class _Levels(NamedTuple):
    """How the program tells the listed loss values: by a row that counts, or by binary columns that choose a value."""

    values: Reals
    counter: Reals | None
    base: float
    chosen: slice

    @property
    def listed(self) -> bool:
        return len(self.values) > 0

    def between(self, upper: Reals, lo: float, hi: float) -> _Ends | None:
        """The labels of loss strictly between lo and hi, exactly; None where no listed value lies there."""
        allowed = (self.values > lo) & (self.values < hi)
        if not allowed.any():
            return None
        if self.counter is not None:  # the values rise with the count
            counts = np.flatnonzero(allowed)
            return _Ends(upper, [Row(self.counter, counts[0] - self.base, counts[-1] - self.base)], [])
        upper = upper.copy()
        upper[self.chosen] = allowed
        return _Ends(upper, [], [])


def _sum(a: float, f: _Linear, b: float, g: _Linear) -> _Linear:
    return _Linear(a * f.coefficients + b * g.coefficients, a * f.constant + b * g.constant)


def _at_least(f: _Linear, least: float) -> Row:
    """f's coefficients @ x >= least, scaled, and loosened by more than rounding."""
    scale = scaled(f.coefficients, _ROW)
    least *= scale
    return Row(scale * f.coefficients, least - max(_LOOSE, 2.0**-48 * abs(least)), math.inf)


def _at_most(f: _Linear, most: float) -> Row:
    """The same with <=."""
    return _at_least(_Linear(-f.coefficients, 0.0), -most)


def _unit(ray: Ray) -> tuple[float, float]:
    """A ray by its point of size about 1, the same slope to the last bit."""
    exponent = math.frexp(max(ray.h, ray.g))[1]
    return math.ldexp(ray.h, -exponent), math.ldexp(ray.g, -exponent)


def _least_upper(bound: float, objective: _Linear) -> float:
    """A bound on the objective, constant included, with room for what HiGHS lets pass."""
    return bound + objective.constant + 1e-9 * float(np.abs(objective.coefficients).max(initial=0.0)) + 1e-12 * abs(bound)


def _assembled(program: Program) -> tuple[Model, _Linear, _Linear, _Levels]:
    """The model for HiGHS, with h, g and the loss values as linear functions of its columns.

    A loss that is proportional to one count is linear already. Any other table gets a binary column for each box of numbers
    of equal loss: one of them is chosen, and the numbers lie in its box. So the loss is linear in the choice, and with it
    every question (for F1 the lambda-program would not be linear otherwise, NOTES E26).
    """
    n = len(program.upper)
    plain = Model(
        program.binary, program.upper, program.entry_row, program.entry_column, program.entry, program.row_lower, program.row_upper
    )
    table = program.table
    if table is None:
        g = _Linear(program.counters[0], float(program.base[0]))
        return plain, _Linear(program.score, 1.0 + program.offset), g, _Levels(np.empty(0), None, 0.0, slice(0))
    steps = np.diff(table) if table.ndim == 1 else np.empty(0)
    if len(steps) and steps[0] > 0 and np.allclose(steps, steps[0], rtol=1e-9, atol=0.0):
        unit, base = float(table[-1] - table[0]) / len(steps), float(program.base[0])
        g = _Linear(unit * program.counters[0], float(table[0]) + unit * base)
        return plain, _Linear(program.score, 1.0 + program.offset), g, _Levels(table, program.counters[0], base, slice(0))
    values, boxes = _boxes(table)  # box j holds boxes[j, i, 0] <= number i <= boxes[j, i, 1]
    m, first = len(values), len(program.row_lower)
    rows, columns, entries = [np.full(m, first)], [n + np.arange(m)], [np.ones(m)]
    lower, upper = [1.0], [1.0]
    for i, counter in enumerate(program.counters):
        held = np.flatnonzero(counter)
        for end, bounds in ((0, (-program.base[i], math.inf)), (1, (-math.inf, -program.base[i]))):
            rows.append(np.full(len(held) + m, first + len(lower)))
            columns.append(np.concatenate([held, n + np.arange(m)]))
            entries.append(np.concatenate([counter[held], -boxes[:, i, end].astype(np.float64)]))
            lower.append(float(bounds[0]))
            upper.append(float(bounds[1]))
    model = Model(
        np.concatenate([program.binary, np.ones(m, np.bool_)]),
        np.concatenate([program.upper, np.ones(m)]),
        np.concatenate([program.entry_row, *rows]).astype(np.int64),
        np.concatenate([program.entry_column, *columns]).astype(np.int64),
        np.concatenate([program.entry, *entries]),
        np.concatenate([program.row_lower, lower]),
        np.concatenate([program.row_upper, upper]),
    )
    h = _Linear(np.concatenate([program.score, np.zeros(m)]), 1.0 + program.offset)
    return model, h, _Linear(np.concatenate([np.zeros(n), values]), 0.0), _Levels(values, None, 0.0, slice(n, n + m))


def _boxes(table: Reals) -> tuple[Reals, Ints]:
    """The runs of equal value along the last axis of a table: their values, and their (axes, first and last) numbers."""
    values, boxes = [], []
    for head in np.ndindex(table.shape[:-1]):
        line = table[head]
        starts = np.flatnonzero(np.concatenate([[True], line[1:] != line[:-1]]))
        for a, b in zip(starts, [*(starts[1:] - 1), len(line) - 1], strict=True):
            values.append(line[a])
            boxes.append([*([i, i] for i in head), [a, b]])
    return np.array(values), np.array(boxes, dtype=np.int64)
