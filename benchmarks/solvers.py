"""Every solver on real data: primal, dual and gap against passes, seconds and oracle calls. `make bench-solvers`.

`--data`, `--solver` and `--seconds` make it short. Each run is kept in a file of its own; with `--missing` only those that are not
there are made, so that a stopped run goes on.

Seconds are the process's own (CPU time of one thread), of passes alone: the objective is evaluated outside the timer, after passes
1, 2, 3, 4, 5, 7, 9, 12, ..., with exact answers whatever the solver believes. Kernels are compiled before.
"""

import argparse
import math
import resource
import time

from rich.console import Console

from benchmarks.machine import RESULTS, describe, keep
from benchmarks.objective import PROBLEMS
from benchmarks.search import show
from taut.search import sarawagi_search
from taut.solvers import averaged, bcfw, by_gap, n_slack, one_slack, plain_bcfw, sdca, sgd

SOLVERS = {
    "bcfw": lambda problem, reg: bcfw(problem, reg),
    "bcfw, by gap": lambda problem, reg: bcfw(problem, reg, sample=by_gap),
    "sdca": sdca,
    "plain bcfw": plain_bcfw,
    "averaged plain bcfw": lambda problem, reg: averaged(plain_bcfw(problem, reg)),
    "sgd": sgd,
    "averaged sgd": lambda problem, reg: averaged(sgd(problem, reg)),
    "n-slack": n_slack,
    "1-slack": one_slack,
    "n-slack, sarawagi": n_slack,
}
LEVELS = (1e-1, 1e-2, 1e-3)


def run(objective, name, limit, tol):
    """One solver on one problem: a list of measurements."""
    problem = objective.problem(search=sarawagi_search) if "sarawagi" in name else objective.problem()
    SOLVERS[name](problem, objective.reg).advance()  # compiles
    solver, seconds, due, dual, best, rows = SOLVERS[name](problem, objective.reg), 0.0, 1, 0.0, math.inf, []
    for n_passes in range(1, 100_000):
        start = time.process_time()
        solver.advance()
        seconds += time.process_time() - start
        dual = max(dual, solver.dual)
        if n_passes >= due or seconds > limit:
            due = max(n_passes + 1, math.ceil(1.25 * n_passes))
            now = objective.primal(solver.w)
            best = min(best, now)
            seen = {"n_passes": n_passes, "seconds": seconds, "queries": solver.n_queries}
            rows.append({**seen, "now": now, "primal": best, "dual": dual})
            if best - dual <= tol * best or seconds > limit:
                return rows
    return rows


def reached(rows, level, dual):
    """Seconds and passes until the primal is within `level` of the best lower bound known; None where it never was."""
    for row in rows:
        if row["primal"] - dual <= level * dual:
            return row["seconds"], row["n_passes"]
    return None, None


def certified(rows, level):
    """Seconds until the solver's own gap is `level` of its primal."""
    return next((row["seconds"] for row in rows if row["primal"] - row["dual"] <= level * row["primal"]), None)


def summary(data, rescaling, runs):
    """One line per solver."""
    dual = max(row["dual"] for rows in runs.values() for row in rows)
    lines = []
    for name, rows in runs.items():
        last, line = rows[-1], {"data": data, "rescaling": rescaling, "solver": name}
        for level in LEVELS:
            line[f"s to {level:g}"] = reached(rows, level, dual)[0] or "-"
        for level in LEVELS:
            line[f"s certified {level:g}"] = certified(rows, level) or "-"
        line.update(primal=f"{last['primal']:.6g}", dual=f"{last['dual']:.6g}", passes=last["n_passes"], seconds=last["seconds"])
        line["ms a pass"] = 1e3 * last["seconds"] / last["n_passes"]
        lines.append(line)
    return lines


def kept_at(data, rescaling, name):
    """Where the lines of a run are kept."""
    return RESULTS / f"solvers-{data}-{rescaling}-{name}.jsonl".replace(", ", "-").replace(" ", "-")


def main():
    """Run, print and keep; `benchmarks.solvers_page` draws what was kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=list(PROBLEMS), choices=list(PROBLEMS))
    parser.add_argument("--solver", nargs="*", default=list(SOLVERS), choices=list(SOLVERS))
    parser.add_argument("--rescaling", nargs="*", default=["slack", "margin"], choices=["slack", "margin"])
    parser.add_argument("--seconds", type=float, default=20.0, help="limit per run; five times as much for Sarawagi's search")
    parser.add_argument("--missing", action="store_true", help="leave out what is kept from before")
    parser.add_argument("--tol", type=float, default=1e-3, help="relative gap at which a run stops")
    given = parser.parse_args()
    console = Console(width=220)
    console.print(describe())
    for data in given.data:
        for rescaling in given.rescaling:
            objective, runs = PROBLEMS[data](rescaling), {}
            for name in given.solver:
                searching = "sarawagi" in name
                if rescaling == "margin" and searching:
                    continue  # one question answers margin: there is nothing to search
                if given.missing and kept_at(data, rescaling, name).exists():
                    continue
                seconds = given.seconds * (5.0 if searching else 1.0)
                runs[name] = run(objective, name, seconds, given.tol)
                told = {"data": data, "rescaling": rescaling, "solver": name, "limit": seconds}
                told["gib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # of the process so far
                path = keep(kept_at(data, rescaling, name).stem, [{**told, **row} for row in runs[name]])
                console.print(f"{path}: {runs[name][-1]}")
            if runs:
                show(console, f"{data}, {rescaling}", summary(data, rescaling, runs))


if __name__ == "__main__":
    main()
