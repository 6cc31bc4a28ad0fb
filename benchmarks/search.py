"""All searches on the same sets: queries, time, share exact, share certified; a table, raw lines and a plot.

    python -m benchmarks.search [--quick]
"""

import sys
import time

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import sets
from benchmarks.machine import alternate, describe, keep
from taut.kernels.asking import PLANE, ask
from taut.kernels.compiling import njit
from taut.oracles import Points
from taut.search import angular_search, binary_search, bisecting_search, lens_search, sarawagi_search

SEARCHES = {
    "lens": lens_search,
    "angular": angular_search,
    "angular, FIFO, exhaustive": lambda points: angular_search(points, order="fifo", prune=False),
    "bisecting": bisecting_search,
    "binary": binary_search,
    "Sarawagi": sarawagi_search,
}
SIZES = {10: 200, 100: 200, 1_000: 100, 10_000: 30, 100_000: 10, 1_000_000: 3}


def measure(family, n, n_sets, rng):
    """One row per search on sets of one family and size."""
    problems = [sets.ALL[family](rng, n) for _ in range(n_sets)]
    points = [Points(h, g) for h, g in problems]
    best = [max(float((h * g).max()), 0.0) for h, g in problems]
    chosen = {k: s for k, s in SEARCHES.items() if n <= 10_000 or "exhaustive" not in k}
    seconds = alternate({k: (lambda s=s: [s(p) for p in points]) for k, s in chosen.items()}, rounds=3)
    rows = []
    for name, search in chosen.items():
        results = [search(p) for p in points]
        rows.append(
            {
                "family": family,
                "n": n,
                "search": name,
                "sets": n_sets,
                "queries": float(np.mean([r.n_queries for r in results])),
                "microseconds": 1e6 * seconds[name] / n_sets,
                "exact": float(np.mean([r.value >= b * (1 - 1e-14) for r, b in zip(results, best, strict=True)])),
                "certified": float(np.mean([r.certified for r in results])),
            }
        )
    return rows


@njit
def _ask_often(where, many, lam, region, shared, pool, target, theta, label, point):
    total = 0.0
    for _ in range(many):
        ask(where, PLANE, lam, region, shared, pool, target, theta, label, point)
        total += point[0]
    return total


def overhead(n_sets=2000, rounds=9):
    """Microseconds per query that a compiled search adds to its oracle's own work, on 10-point sets.

    The oracle alone is asked many times in one compiled loop. The search's kernel does its questions, its bookkeeping and its
    trace; the call from Python (about five microseconds a search) is reported apart.
    """
    rng = np.random.default_rng(0)
    problems = [Points(*sets.adversarial(rng, 10)) for _ in range(n_sets)]
    few = [Points(*sets.real(rng, 10)) for _ in range(n_sets)]
    label, point, region = np.zeros(1, np.int64), np.zeros(2), np.zeros(6)

    def alone():
        for p in problems:
            _ask_often(p.address, 1000, 1.0, region, *p.example, label, point)

    def call_only():
        for p in problems:
            _ask_often(p.address, 0, 1.0, region, *p.example, label, point)

    def many_queries():
        return sum(binary_search(p, precision=1e-12).n_queries for p in problems)

    def few_queries():
        return sum(binary_search(p, precision=1e-12, max_queries=1).n_queries for p in problems)

    def lens():
        return sum(lens_search(p).n_queries for p in few)

    seconds = alternate({f.__name__: f for f in (alone, call_only, many_queries, few_queries, lens)}, rounds)
    oracle = (seconds["alone"] - seconds["call_only"]) / (1000 * n_sets)
    queries = many_queries() - n_sets
    per_query = (seconds["many_queries"] - seconds["few_queries"]) / queries
    return {
        "oracle, microseconds a query": 1e6 * oracle,
        "search, microseconds a query": 1e6 * per_query,
        "overhead, microseconds a query": 1e6 * (per_query - oracle),
        "lens_search called from Python, microseconds": 1e6 * seconds["lens"] / n_sets,
        "lens_search, queries": lens() / n_sets,
    }


def ratios(n_sets, rng):
    """Questions of lens search over those of best-first pruned angular search, integer losses up to 15."""
    rows = []
    for family, draw in sets.INTEGER.items():
        for start in ("1", "10^-2..10^2", "last visit"):
            lens, angular = 0, 0
            for _ in range(n_sets):
                h, g = draw(rng, int(10 ** rng.uniform(1, 3)))
                points, before = Points(h, g), Points(h + 0.01 * rng.normal(size=len(h)), g)
                lam = {"1": 1.0, "last visit": lens_search(before).lam}.get(start, 10.0 ** rng.uniform(-2, 2))
                lens += lens_search(points, lam=lam).n_queries
                angular += angular_search(points, lam=lam).n_queries
            rows.append(
                {"family": family, "start": start, "lens": lens / n_sets, "angular": angular / n_sets, "ratio": lens / angular}
            )
    return rows


def show(console, title, rows):
    """Print rows as a table."""
    table = Table(*rows[0], title=title)
    for row in rows:
        table.add_row(*(f"{x:.3g}" if isinstance(x, float) else str(x) for x in row.values()))
    console.print(table)


def plot(rows):
    """Questions and time against the size of the set."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from benchmarks.machine import RESULTS

    figure, axes = plt.subplots(2, len(sets.ALL), figsize=(15, 6), sharex=True, sharey="row", layout="constrained")
    styles = dict(zip(SEARCHES, [("#0072B2", "o"), ("#D55E00", "s"), ("#CC79A7", "d"), ("#009E73", "^"), ("#56B4E9", "v"),
                                 ("#000000", "x")], strict=True))
    for column, family in enumerate(sets.ALL):
        for name, (colour, marker) in styles.items():
            mine = [r for r in rows if r["family"] == family and r["search"] == name]
            for axis, what in zip(axes[:, column], ("queries", "microseconds"), strict=True):
                axis.loglog([r["n"] for r in mine], [r[what] for r in mine], color=colour, marker=marker, label=name)
        axes[0, column].set_title(family)
        axes[1, column].set_xlabel("labels")
    axes[0, 0].set_ylabel("queries")
    axes[1, 0].set_ylabel("microseconds")
    axes[0, 0].legend(fontsize=7)
    figure.savefig(RESULTS / "search.svg")
    plt.close(figure)


def main():
    """Run all parts and keep the tables."""
    quick = "--quick" in sys.argv
    console, rng, begin = Console(), np.random.default_rng(0), time.perf_counter()
    console.print(describe())
    rows = []
    for n, n_sets in SIZES.items():
        for family in sets.ALL:
            if not quick or n <= 1000:
                rows += measure(family, n, max(n_sets // (10 if quick else 1), 3), rng)
        console.print(f"{n} labels done after {time.perf_counter() - begin:.0f} s")
    show(console, "searches on the same sets", rows)
    compared = ratios(200 if quick else 2000, rng)
    show(console, "questions of lens search against angular search (best-first, pruned), integer losses", compared)
    cost = overhead(200 if quick else 2000)
    console.print(cost)
    path = keep("search", [*rows, *compared, cost])
    plot(rows)
    console.print(f"raw table: {path}; plot: {path.with_suffix('.svg')}")


if __name__ == "__main__":
    main()
