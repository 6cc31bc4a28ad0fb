"""Price of the exact slack argmax where it is NP-hard: graphs of nodes, matchings, grids; margin against slack, cold and warm.

    python -m benchmarks.hard [group ...]

Every example may take two seconds; beyond them it counts with its gap, (bound - value) / bound. "certified" is the share that is
proved best in that time, "warm" starts from the multiplier of the visit before.
"""

import sys
import time

import numpy as np
from rich.console import Console

from benchmarks.machine import describe, keep
from benchmarks.search import show
from benchmarks.trained import functions, hierarchy_potentials
from taut.datasets import data_folder
from taut.losses import F1, Hamming
from taut.structures import Graph, Hierarchy, Matching

SECONDS = 2.0


def row(name, structure, examples, loss):
    """Milliseconds per example, and what was proved; `examples` are pairs of potentials and targets."""
    spent, gaps, asked, certified = np.zeros(3), [], [], 0
    for theta, y in [examples[0], *examples]:  # the first one once more: it compiles
        clock = [time.perf_counter()]
        structure.loss_augmented(theta, y, loss, "margin", max_time=SECONDS)
        clock.append(time.perf_counter())
        cold = structure.loss_augmented(theta, y, loss, max_time=SECONDS)
        clock.append(time.perf_counter())
        structure.loss_augmented(theta, y, loss, lam=cold.lam, max_time=SECONDS)
        clock.append(time.perf_counter())
        if gaps:
            spent += np.diff(clock)
            certified += cold.certified
            asked.append(cold.n_queries)
        gaps.append((cold.upper_bound - cold.value) / max(cold.upper_bound, 1e-300) if not cold.certified else 0.0)
    n = len(examples)
    margin, slack, warm = 1e3 * spent / n
    return {
        "case": name, "margin, ms": margin, "slack": slack, "warm": warm, "ratio": slack / margin, "warm ratio": warm / margin,
        "relaxations": float(np.mean(asked)), "most": float(np.max(asked)), "certified": certified / n,
        "gap": float(np.mean(gaps[1:])), "worst gap": float(np.max(gaps[1:])),
    }  # fmt: skip


def node_graphs(rng):
    """GO's graph of 4125 nodes, 1477 of them with several parents; without the data, a random one of that size."""
    if data_folder() is None:
        edges = np.unique([(rng.integers(max(0, v - 500), v), v) for v in range(1, 4125) for _ in range(2)], axis=0)
        hierarchy = Hierarchy(edges)
        y = [hierarchy.decode(hierarchy.potentials(0.3 * rng.normal(size=4125) - 0.3)) for _ in range(20)]
    else:
        x, y, hierarchy = functions(100, "GO")
        scores = hierarchy_potentials(x, y, hierarchy, Hamming(), C=100.0, n_passes=30)
        trained = [(hierarchy.potentials(s), one) for s, one in zip(scores, y, strict=True)]
        yield "GO, trained", hierarchy, trained, Hamming()
        yield "GO, trained, F1", hierarchy, trained[:20], F1()
    for name, spread, margin in (("random", 0.3, 0.0), ("separated", 0.15, 0.3)):
        shifted = [margin * (2 * one - 1) if margin else -0.3 for one in y]
        drawn = [(hierarchy.potentials(spread * rng.normal(size=4125) + by), one) for by, one in zip(shifted, y, strict=True)]
        yield f"GO, {name}", hierarchy, drawn[:50], Hamming()
        yield f"GO, {name}, F1", hierarchy, drawn[:10], F1()


def matchings(rng):
    """Squares of 20 and 100 rows; margin: how far the true pairs stand out."""
    for n, k in ((20, 50), (100, 15)):
        for margin in (0.0, 2.0, 4.0):
            y = [rng.permutation(n) for _ in range(k)]
            scores = [rng.normal(size=(n, n)) + margin * (np.arange(n) == one[:, None]) for one in y]
            drawn = [(Matching(n).potentials(s), one) for s, one in zip(scores, y, strict=True)]
            yield f"matching {n}, margin {margin:g}", Matching(n), drawn, Hamming()


def grids(rng):
    """Noisy pictures: two states that attract on 20 x 20 and 100 x 100, and Potts with five states on 20 x 20."""
    for a, k, n in ((20, 2, 20), (100, 2, 3), (20, 5, 4)):
        cell = np.arange(a * a).reshape(a, a)
        ends = (cell[:, :-1], cell[:, 1:]), (cell[:-1], cell[1:])
        structure = Graph(k, np.concatenate([np.stack([u.ravel(), v.ravel()], axis=1) for u, v in ends]))
        y = (np.add.outer(np.arange(a), np.arange(a)) * k // (2 * a)).ravel()
        for margin in (0.5, 1.5):
            scores = [rng.normal(size=(a * a, k)) + margin * (np.arange(k) == y[:, None]) for _ in range(n)]
            drawn = [(structure.potentials(s, 0.5 * np.eye(k)), y) for s in scores]
            yield f"grid {a} x {a}, K = {k}, margin {margin:g}", structure, drawn, Hamming()


GROUPS = {f.__name__: f for f in (node_graphs, matchings, grids)}


def main():
    """Run all rows and keep the table."""
    console, rng = Console(width=200), np.random.default_rng(0)
    console.print(describe())
    rows = []
    for group in sys.argv[1:] or GROUPS:
        for case in GROUPS[group](rng):
            rows.append(row(*case))
            console.print(rows[-1])
    show(console, "exact argmax where it is NP-hard, milliseconds per example", rows)
    console.print(f"raw table: {keep('hard', rows)}")


if __name__ == "__main__":
    main()
