"""What every search shares: asking, the incumbent, the trace, when to stop, and the public result.

The functions marked `register_jitable` are compiled into the searches that call them; where an oracle is written in Python
they run as they stand, so that each search exists once and gives the same answers both ways.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt
from numba.extending import register_jitable

from ..kernels.asking import BAND, CONE, PLANE, ask
from ..kernels.heap import grown
from ..oracles import Compiled, Oracle
from ..plane import TIE, Band, Cone, Ray, tangent_bound

__all__ = [
    "Query",
    "Run",
    "SearchResult",
    "Trace",
    "bar",
    "bound_by",
    "finish",
    "goal",
    "put",
    "search",
    "settled",
    "start",
    "stopped",
]

_FOUND, _N, _H, _G, _VALUE, _UPPER, _LAM = range(7)
_COLUMNS = 12  # lam, kind, region (6), found, h, g, upper bound


class Run(NamedTuple):
    """One search under way. `state` holds: label found, queries, h, g, value of the incumbent, upper bound."""

    oracle: Any
    example: Any  # shared, pool, target, theta
    label: Any
    best: Any
    limits: Any  # threshold, enough, tol, max_queries
    region: Any
    point: Any
    state: Any


@register_jitable
def start(oracle: Any, example: Any, label: Any, best: Any, limits: Any) -> Any:
    """A run that has asked nothing: the incumbent is y_i with value 0 (NOTES E5), nothing is bounded."""
    state = np.array([0.0, 0.0, 1.0, 0.0, 0.0, np.inf, 1.0])
    return Run(oracle, example, label, best, limits, np.zeros(6), np.zeros(2), state), np.empty((8, _COLUMNS))


@register_jitable
def bar(run: Any) -> float:
    """What a label must beat: the incumbent's value and the threshold."""
    return max(run.state[_VALUE], run.limits[0])  # type: ignore[no-any-return]


@register_jitable
def goal(run: Any) -> float:
    """Labels of no greater product need not be looked for: the threshold, and the incumbent's value with its tolerance."""
    return max(run.state[_VALUE] * (1.0 + run.limits[2]), run.limits[0])  # type: ignore[no-any-return]


@register_jitable
def put(run: Any, trace: Any, kind: int, lam: float) -> Any:
    """Ask one question; keep the label if it beats the bar, and the tangent bound of questions to the whole plane.

    Returns whether a label was found (its point is `run.point`) and the trace, grown where it was full.
    """
    state = run.state
    shared, pool, target, theta = run.example
    found = ask(run.oracle, kind, lam, run.region, shared, pool, target, theta, run.label, run.point)
    h = run.point[0] if found else np.nan
    g = run.point[1] if found else np.nan
    if found and h * g > bar(run):
        for i in range(run.label.size):
            run.best[i] = run.label[i]
        state[_FOUND], state[_H], state[_G], state[_VALUE] = 1.0, h, g, h * g
        state[_LAM] = h / g if kind != PLANE else state[_LAM]
    if kind == PLANE and not tangent_bound(h + lam * g, lam) >= state[_UPPER]:
        state[_UPPER], state[_LAM] = tangent_bound(h + lam * g, lam), lam
    n = int(state[_N])
    if n == trace.shape[0]:
        trace = grown(trace)
    trace[n, 0], trace[n, 1] = lam, kind
    for i in range(6):
        trace[n, 2 + i] = run.region[i]
    trace[n, 8], trace[n, 9], trace[n, 10], trace[n, 11] = found, h, g, state[_UPPER]
    state[_N] = n + 1
    return found, trace


@register_jitable
def settled(run: Any) -> bool:
    """Whether the search may stop: `stopped`, or the bound has come down to the goal."""
    return stopped(run) or run.state[_UPPER] <= goal(run) * (1.0 + TIE)


@register_jitable
def stopped(run: Any) -> bool:
    """Whether a label is good enough or the questions are used up."""
    return run.state[_VALUE] > run.limits[1] or run.state[_N] >= run.limits[3]  # type: ignore[no-any-return]


@register_jitable
def bound_by(run: Any, trace: Any, upper: float) -> None:
    """Lower the upper bound, here and in the record of the last question."""
    run.state[_UPPER] = min(run.state[_UPPER], upper)
    trace[int(run.state[_N]) - 1, 11] = run.state[_UPPER]


@register_jitable
def finish(run: Any, trace: Any) -> Any:
    """Close the books: a bound within rounding of the bar is the bar (plane.TIE), and never below the value."""
    state = run.state
    if state[_UPPER] <= bar(run) * (1.0 + TIE):
        state[_UPPER] = min(state[_UPPER], bar(run))
    state[_UPPER] = max(state[_UPPER], state[_VALUE])
    return state, trace[: int(state[_N])]


class Query(NamedTuple):
    """One question of a search and its answer; h and g are NaN where the region held no label."""

    lam: float
    region: Cone | Band | None
    h: float
    g: float
    upper_bound: float


class Trace(Sequence[Query]):
    """The questions of a search in order, read from the compiled record when they are looked at."""

    def __init__(self, rows: npt.NDArray[np.float64]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, i: int) -> Query: ...
    @overload
    def __getitem__(self, i: slice) -> "Trace": ...
    def __getitem__(self, i: int | slice) -> "Query | Trace":
        if isinstance(i, slice):
            return Trace(self._rows[i])
        lam, kind, a, b, c, d, lower_closed, upper_closed, _, h, g, upper = self._rows[i].tolist()
        region: Cone | Band | None = None
        if kind == CONE:
            region = Cone(Ray(a, b), Ray(c, d), bool(lower_closed), bool(upper_closed))
        elif kind == BAND:
            region = Band(a, b)
        return Query(lam, region, h, g, upper)

    def __iter__(self) -> Iterator[Query]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and np.array_equal(self._rows, other._rows, equal_nan=True)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<trace of {len(self)} queries>"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer of a search, with what is proved about it.

    Where no label beats the threshold, `label` is None and the point is the target's: h = 1, g = 0, value = 0.
    `upper_bound` holds for every label of the set, at any stop. `certified`: `upper_bound <= value * (1 + tol)`, or, where
    `label` is None, `upper_bound <= threshold`. `lam` is where a next search on a similar plane should start.
    """

    label: Any
    h: float
    g: float
    value: float
    upper_bound: float
    n_queries: int
    certified: bool
    trace: Sequence[Query] = field(repr=False)
    lam: float = field(default=1.0, repr=False)


def search(
    kernel: Callable[..., Any],
    oracle: Oracle,
    asks: Sequence[int],
    lam: float,
    threshold: float,
    enough: float,
    tol: float,
    max_queries: int | None,
    *extra: Any,
) -> SearchResult:
    """Run a search's kernel, compiled where the oracle is and interpreted otherwise; `asks` are its kinds of question."""
    if not 0.0 < lam < math.inf:
        raise ValueError(f"`lam` must be positive and finite; found {lam}.")
    if not math.isfinite(threshold):
        raise ValueError(f"`threshold` must be finite; found {threshold}. Use 0.0 to look for the best label.")
    if math.isnan(enough):
        raise ValueError("`enough` must be a number; found NaN. Use infinity never to stop early.")
    if not 0.0 <= tol < math.inf:
        raise ValueError(f"`tol` must be finite and >= 0; found {tol}.")
    if max_queries is not None and max_queries < 1:
        raise ValueError(f"`max_queries` must be at least 1, or None for no limit; found {max_queries}.")
    threshold = max(float(threshold), 0.0)  # the target itself has value 0
    limits = np.array([threshold, enough, tol, np.inf if max_queries is None else max_queries])
    if isinstance(oracle, Compiled):
        for kind in asks:
            oracle.must_offer(kind)
        label = np.zeros(oracle.label_size, np.int64)
        best = np.zeros(oracle.label_size, np.int64)
        state, rows = kernel(
            oracle.address, *oracle.example, oracle.losses, label, best, limits, float(lam), *extra
        )
        found = oracle.label_of(best) if state[_FOUND] else None
    else:
        losses = np.array(getattr(oracle, "losses", ()), dtype=np.float64)
        label, best = np.empty(1, dtype=object), np.empty(1, dtype=object)
        plain = kernel.py_func  # type: ignore[attr-defined]
        state, rows = plain(_interpreted(oracle), None, None, None, None, losses, label, best, limits, float(lam), *extra)
        found = best[0] if state[_FOUND] else None
    _, n, h, g, value, upper, lam = state.tolist()
    certified = upper <= max(value * (1.0 + tol), threshold)
    return SearchResult(found, h, g, value, upper, int(n), certified, Trace(rows), lam)


def _interpreted(oracle: Any) -> Callable[..., int]:
    """An oracle written in Python, as the callable that `ask` expects."""

    def method(name: str) -> Callable[..., Any]:
        if not callable(getattr(oracle, name, None)):
            raise TypeError(
                f"this search needs `{name}`, which {type(oracle).__name__} does not offer. Give it that method, or use a "
                "search that asks less: binary, sarawagi and bisecting ask only `argmax`."
            )
        return getattr(oracle, name)  # type: ignore[no-any-return]

    def answer(kind: int, lam: float, region: Any, *example_label_point: Any) -> int:
        label, point = example_label_point[-2:]
        if kind == PLANE:
            found = method("argmax")(lam)
            if found is None:
                raise ValueError(f"argmax(lam={lam}) must return a label; found None.")
        elif kind == CONE:
            a, b, c, d, lower_closed, upper_closed = region.tolist()
            found = method("argmax_in_cone")(lam, Cone(Ray(a, b), Ray(c, d), bool(lower_closed), bool(upper_closed)))
        else:
            found = method("argmax_in_band")(lam, float(region[0]), float(region[1]))
        if found is None:
            return 0
        what, h, g = found
        if not (math.isfinite(h) and math.isfinite(g) and g >= 0.0):
            raise ValueError(f"an oracle must answer finite h and g >= 0; label {what!r} has h={h}, g={g} at lam={lam}.")
        label[0] = what
        point[0], point[1] = h, g
        return 1

    return answer
