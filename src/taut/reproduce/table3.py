"""Table 3: slack against margin on hierarchies, and how the difference depends on the size of the label space (NOTES D.4, E38)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..losses import Hamming
from ..structures import Hierarchy
from .raw import Cell
from .sources import FUNCTIONS, HIERARCHIES, hierarchy, label_sets, some_labels, structure_for
from .training import REGS, chosen, judged, predicted

__all__ = ["SEEDS", "SIZES", "cells"]

#: Divisions: the published one and others; only that where there are many sets of a kind, or an example costs much.
SEEDS = {"enron": 5, "synthetic": 3, "rcv1": 2}
#: Label sets of RCV1 of growing size, each with the pairs of a Chow-Liu tree.
SIZES = (2, 4, 8, 16, 32, 64, 101)


def cells(folder: Path, quick: bool) -> list[Cell]:
    """Hierarchies by loss and rescaling; then label sets of RCV1 by size."""
    found, size = [], "quick" if quick else "full"
    for name in ("enron", "synthetic", "cellcycle") if quick else HIERARCHIES:
        for seed in range(1 if quick else SEEDS.get(name, 1)):
            for over in ("nodes",) if name.endswith("-GO") else ("leaves", "nodes"):
                for rescaling in ("slack", "margin"):
                    run = _hierarchy(folder, name, over, rescaling, seed, quick)
                    found.append(Cell(f"table3/{name}/{over}/{rescaling}/{size}/seed={seed}", run))
        if name == "synthetic":  # the sizes before the slow hierarchies
            found += _sizes(folder, quick, size)
    return found


def _sizes(folder: Path, quick: bool, size: str) -> list[Cell]:
    return [
        Cell(f"table3/rcv1-sets/labels={n}/{rescaling}/{size}/seed={seed}", _by_size(folder, n, rescaling, seed, quick))
        for seed in range(1 if quick else 3)
        for n in ((2, 8, 32) if quick else SIZES)
        for rescaling in ("slack", "margin")
    ]


def _hierarchy(folder: Path, name: str, over: str, rescaling: str, seed: int, quick: bool) -> Callable[[], dict[str, Any]]:
    def run() -> dict[str, Any]:
        source = hierarchy(folder, name)
        split = source.drawn(seed)
        edges = np.zeros((0, 2), np.int64) if source.edges is None else source.edges
        graph = name.endswith("-GO")  # thousands of nodes with several parents: each answer is a branch and bound
        n = 200 if quick or graph else min(len(split.Y), 1000 if name in FUNCTIONS else 3000)
        X, Y = split.X[:n], split.Y[:n]
        structure = Hierarchy(edges, n_nodes=Y.shape[1], max_cuts=100 if graph else None)
        leaves = np.setdiff1d(np.arange(structure.n_nodes), structure.edges[:, 0])
        weights = np.isin(np.arange(structure.n_nodes), leaves).astype(float) if over == "leaves" else None
        tol, most = (0.05, 20) if quick or graph else (0.01, 40)
        regs = REGS[rescaling][1:4] if quick or graph else REGS[rescaling]
        best = chosen(
            structure, X, Y, Hamming(weights=weights), rescaling, regs, "Acc",
            n_valid=len(Y) // 4, seed=seed, tol=tol, max_iter=most, metric_of=leaves if over == "leaves" else None,
        )  # fmt: skip
        found = predicted(structure, best.problem, best.w, split.X_test)
        return {
            "seed": seed, "n": n, "nodes": structure.n_nodes, "leaves": len(leaves), "reg": best.reg, "gap": best.gap,
            "passes": best.passes, "over leaves": judged(split.Y_test, found, leaves), "over nodes": judged(split.Y_test, found),
        }  # fmt: skip

    return run


def _by_size(folder: Path, n_labels: int, rescaling: str, seed: int, quick: bool) -> Callable[[], dict[str, Any]]:
    def run() -> dict[str, Any]:
        split = some_labels(label_sets(folder, "rcv1"), n_labels).drawn(seed)
        X, Y = (split.X[:300], split.Y[:300]) if quick else (split.X, split.Y)
        structure = structure_for("tree", Y)
        tol, most = (0.05, 20) if quick else (0.01, 40)
        regs = REGS[rescaling][1:4] if quick else REGS[rescaling]
        best = chosen(structure, X, Y, Hamming(), rescaling, regs, "Acc", n_valid=len(Y) // 5, seed=seed, tol=tol, max_iter=most)
        found = judged(split.Y_test, predicted(structure, best.problem, best.w, split.X_test))
        return {"seed": seed, "reg": best.reg, "gap": best.gap, "passes": best.passes, "metrics": found}

    return run
