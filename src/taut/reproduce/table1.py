"""Table 1: the searches asked on the same calls of cutting-plane training (NOTES E34-E36, D.2)."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..features import split_weights
from ..losses import Hamming
from ..oracles import MILP, Compiled
from ..search import SearchResult, angular_search, bisecting_search, lens_search, sarawagi_search
from ..solvers import BlockSolver, Problem
from ..structures import MultiLabel, Potentials
from .raw import Cell
from .sources import label_sets, some_labels, structure_for
from .training import cutting_plane

__all__ = ["DATA", "METHODS", "cells", "potentials_at"]

EPS = 0.01  # a label must violate by so much, in wrong labels
_EXHAUST = 32  # every so many calls are searched to exhaustion too
_ROUNDS = 40

Ask = Callable[[Any, float, float, float], SearchResult]  # oracle, lam, xi, threshold = xi + eps

#: What is asked on every call, by the name of its column.
METHODS: dict[str, Ask] = {
    "angular, threshold": lambda o, lam, xi, bar: angular_search(o, lam=lam, threshold=bar),
    "angular, first violator": lambda o, lam, xi, bar: angular_search(o, lam=lam, threshold=bar, enough=bar),
    "bisecting": lambda o, lam, xi, bar: bisecting_search(o, lam=lam),
    "bisecting, threshold": lambda o, lam, xi, bar: bisecting_search(o, lam=lam, threshold=bar),
    "Sarawagi": lambda o, lam, xi, bar: sarawagi_search(o, lam=lam, xi=xi, precision=1e-9),
    "Sarawagi, threshold": lambda o, lam, xi, bar: sarawagi_search(o, lam=lam, xi=xi, precision=1e-9, threshold=bar),
    "lens": lambda o, lam, xi, bar: lens_search(o, lam=lam, threshold=bar),
}
_EXHAUSTION: dict[str, Ask] = {"angular, exhaustion": lambda o, lam, xi, bar: angular_search(o, lam=lam, prune=False)}
_BY_PROGRAMS = ("angular, threshold", "angular, first violator", "bisecting", "Sarawagi", "lens")
_CONES = ("angular, threshold", "angular, first violator", "angular, exhaustion")

#: Data sets: name, labels, label pairs with a weight.
DATA = {"yeast": ("yeast", 14, "full"), "rcv1-14": ("rcv1", 14, "full"), "rcv1-101": ("rcv1", 101, "tree")}


def cells(folder: Path, quick: bool) -> list[Cell]:
    """The trainings, and the samples of their calls that are answered by integer programs."""
    found = []
    seeds, n = (1, 60) if quick else (5, 160)
    small = [(seed, data) for seed in range(seeds) for data in ("yeast", "rcv1-14")]
    for seed, data in [*small, *((seed, "rcv1-101") for seed in range(seeds))]:  # the slow ones last
        more = () if quick or data != "yeast" else ((0.01, "example"), (0.1, "round"))
        for reg, schedule in ((0.1, "example"), *more):
            name = f"table1/{data}/reg={reg:g}/after-each-{schedule}/n={n}/seed={seed}"
            found.append(Cell(name, _training(folder, data, reg, schedule, n, seed)))
        if seed < (2 if data == "rcv1-101" else 3):
            calls = 1 if quick else 2 if data == "rcv1-101" else 4  # questions about cones in a tree of 101 labels take seconds
            name = f"table1/{data}/milp/reg=0.1/n={n}/calls={calls}/seed={seed}"
            found.append(Cell(name, _programs(folder, data, n, seed, calls)))
    return found


class Panel:
    """A search that asks all searches about the same call, keeps what they said, and answers for the update."""

    def __init__(self, methods: dict[str, Ask], answering: str) -> None:
        self.methods, self.answering = methods, answering
        self.calls: list[dict[str, tuple[bool, int, float]]] = []
        self.bars: dict[int, float] = {}  # by the example's words

    def __call__(self, oracle: Compiled, *, lam: float, threshold: float, tol: float, max_queries: Any = None) -> SearchResult:
        xi, record, answers = max(threshold - EPS, 0.0), {}, {}
        asked = self.methods if len(self.calls) % _EXHAUST or "angular" not in self.answering else self.methods | _EXHAUSTION
        for name, ask in asked.items():
            start = time.process_time()
            answers[name] = ask(oracle, lam, xi, threshold)
            seconds = time.process_time() - start
            record[name] = answers[name].value > threshold, answers[name].n_queries, seconds
        self.calls.append(record)
        self.bars[id(oracle.example.target)] = threshold
        return answers[self.answering]


def _methods(data: str) -> tuple[dict[str, Ask], str]:
    """What is asked on a data set, and whose labels update: the compiled tree of 101 labels answers no cones."""
    if DATA[data][2] == "full":
        return METHODS, "angular, threshold"
    return {name: ask for name, ask in METHODS.items() if name not in _CONES}, "lens"


def _setting(folder: Path, data: str, n: int, seed: int) -> tuple[MultiLabel, Any, list[npt.NDArray[np.int64]]]:
    name, n_labels, kind = DATA[data]
    split = some_labels(label_sets(folder, name), n_labels).split
    chosen = np.random.default_rng(seed).choice(split.Y.shape[0], n, replace=False)
    return structure_for(kind, split.Y), split.X[chosen], list(split.Y[chosen])


def _solver(problem: Problem, reg: float, schedule: str) -> BlockSolver:
    """The update follows each example, as first published, or each round."""
    return cutting_plane(problem, reg, 1 if schedule == "example" else problem.n_examples, EPS)


def _training(folder: Path, data: str, reg: float, schedule: str, n: int, seed: int) -> Callable[[], dict[str, Any]]:
    def run() -> dict[str, Any]:
        structure, X, Y = _setting(folder, data, n, seed)
        methods, answering = _methods(data)
        _train(structure, X[:4], Y[:4], reg, schedule, Panel(methods, answering), rounds=2)  # compiles
        panel = Panel(methods, answering)
        rounds = _train(structure, X, Y, reg, schedule, panel, _ROUNDS)
        late = [call for one in rounds if one["share"] < 0.6 for call in panel.calls[one["first"] : one["end"]]]
        direct = {"success": None, "queries": None, "ms": 1e3 * float(np.mean([one["direct"] for one in rounds])) / n}
        return {
            "seed": seed, "rounds": len(rounds), "calls": len(panel.calls), "late_calls": len(late),
            "methods": {**_summary(panel.calls), "direct": direct}, "late": _summary(late),
            "shares": [one["share"] for one in rounds],
        }  # fmt: skip

    return run


def _train(structure: MultiLabel, X: Any, Y: Any, reg: float, schedule: str, panel: Panel, rounds: int) -> list[dict[str, Any]]:
    """Train until no example has a violator; per round the share that had one, its calls, and seconds of the direct argmax."""
    loss = Hamming(normalize=False)
    problem = Problem(structure, X, Y, loss, search=panel)
    solver, told = _solver(problem, reg, schedule), []
    keys = [id(target.words) for target in problem.targets]
    batch = structure.prepare_many(potentials_at(problem, structure, X, solver.w), Y, loss)
    for _ in range(rounds):
        first, thetas = len(panel.calls), potentials_at(problem, structure, X, solver.w)
        solver.advance()
        bars = np.array([panel.bars[key] for key in keys])
        start = time.process_time()
        batch.solve(thetas, threshold=bars)
        seconds = time.process_time() - start
        share = float(np.mean([call[panel.answering][0] for call in panel.calls[first:]]))
        told.append({"first": first, "end": len(panel.calls), "share": share, "direct": seconds})
        if share == 0.0:
            break
    return told


def potentials_at(problem: Problem, structure: MultiLabel, X: Any, w: npt.NDArray[np.float64]) -> Potentials:
    """The potentials of all examples under weights."""
    coef, intercept, shared = split_weights(problem.rows, w)
    return structure.potentials(np.asarray(X @ coef.T + intercept), shared)


def _summary(calls: list[dict[str, tuple[bool, int, float]]]) -> dict[str, dict[str, float]]:
    """Per method the share of calls with a violator found, queries and milliseconds."""
    names = dict.fromkeys(name for call in calls for name in call)
    asked = {name: np.array([call[name] for call in calls if name in call], dtype=float) for name in names}
    found = {name: rows.mean(axis=0).tolist() for name, rows in asked.items()}
    return {name: {"success": s, "queries": q, "ms": 1e3 * t, "calls": len(asked[name])} for name, (s, q, t) in found.items()}


class Sampler:
    """A search that answers by lens search, and of some calls keeps the question."""

    def __init__(self, share: float, seed: int) -> None:
        self.share, self.rng = share, np.random.default_rng(seed)
        self.kept: list[tuple[Any, int, float, float]] = []

    def __call__(self, oracle: Compiled, *, lam: float, threshold: float, tol: float, max_queries: Any = None) -> SearchResult:
        if self.rng.random() < self.share:
            self.kept.append((oracle.example.theta.copy(), id(oracle.example.target), lam, threshold))
        return lens_search(oracle, lam=lam, threshold=threshold)


def _programs(folder: Path, data: str, n: int, seed: int, n_calls: int) -> Callable[[], dict[str, Any]]:
    """The same questions as integer programs: a query costs milliseconds, so that the time column tells about queries."""

    def run() -> dict[str, Any]:
        structure, X, Y = _setting(folder, data, n, seed)
        sampler = Sampler(0.05, seed)
        problem = Problem(structure, X, Y, Hamming(normalize=False), search=sampler)
        keys = {id(target.words): i for i, target in enumerate(problem.targets)}
        solver, questions = _solver(problem, 0.1, "example"), []
        for _ in range(15):
            sampler.kept.clear()
            solver.advance()
            common = problem.pool[problem.n_tables :].copy()
            questions += [(theta, common, keys[key], lam, bar) for theta, key, lam, bar in sampler.kept]
        chosen = np.random.default_rng(seed).choice(len(questions), n_calls, replace=False)
        calls: list[dict[str, tuple[bool, int, float]]] = []
        for theta, common, i, lam, bar in (questions[j] for j in chosen):
            potentials, record = Potentials(theta, common, (1,), None), {}
            for name in _BY_PROGRAMS:
                oracle = MILP(structure, potentials, Y[i], Hamming(normalize=False))
                start = time.process_time()
                answer = METHODS[name](oracle, lam, max(bar - EPS, 0.0), bar)
                record[name] = answer.value > bar, answer.n_queries, time.process_time() - start
            calls.append(record)
        return {"seed": seed, "calls": len(calls), "methods": _summary(calls)}

    return run
