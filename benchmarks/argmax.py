"""Price of the exact slack argmax: microseconds of margin and slack, per structure, on random and on trained weights.

    python -m benchmarks.argmax [--quick] [group ...]

Groups: chains, label_sets, trees, hierarchies, classes, real_weights; all of them by default. Times are of the processor, so
that what else the machine does counts little.

Everything runs in one process, the calls of a row in turn. "warm" starts from the multiplier of earlier visits of the same
example (three visits), "cached" has also the value of the best known label as its threshold, as a solver does. Searches of the
paper run over the same oracles: Sarawagi's, inexact, over the compiled one, angular search over the MILP.
"""

import sys
import time
from itertools import pairwise

import numpy as np
from rich.console import Console

from benchmarks.machine import alternate, describe, keep
from benchmarks.search import show
from benchmarks.trained import (
    chain_potentials,
    functions,
    hierarchy_potentials,
    label_set_data,
    label_set_potentials,
    letters,
    topics,
    tree_potentials,
)
from taut.datasets import data_folder
from taut.kernels import chain as chain_kernel
from taut.kernels import frontier
from taut.kernels import hierarchy as hierarchy_kernel
from taut.kernels import tree as tree_kernel
from taut.kernels.asking import BAND
from taut.kernels.compiling import BEST, address, njit
from taut.losses import F1, Cost, Hamming
from taut.oracles import MILP
from taut.search import angular_search, lens_search, sarawagi_search
from taut.structures import Chain, Hierarchy, Multiclass, MultiLabel, Tree, chow_liu_tree
from taut.structures.base import part

BASELINES = {
    Chain: chain_kernel.best_by_counting,
    Tree: tree_kernel.best_by_counting,
    Hierarchy: hierarchy_kernel.best_by_counting,
}
SLOW = "50 x 45", "multiclass", "499", "real", "20 labels", "100 labels", "yeast", "enron"  # too slow for integer programs
SEARCHED = 60  # examples that the searches are run on


def row(name, structure, thetas, targets, loss, baseline=None):
    """Microseconds per example of margin, slack cold, warm and cached, and what certified it."""
    prepared = structure.prepare_many(thetas, targets, loss)
    n = len(targets)
    cold = prepared.solve(thetas)
    lam = cold.lam
    for _ in range(3):
        lam = prepared.solve(thetas, lam=lam).lam
    near = cold.value * (1.0 - 1e-9)
    calls = {
        "margin": lambda: prepared.solve(thetas, "margin"),
        "cold": lambda: prepared.solve(thetas),
        "warm": lambda: prepared.solve(thetas, lam=lam),
        "cached": lambda: prepared.solve(thetas, lam=lam, threshold=near),
    }
    if baseline is not None:
        plain = type(prepared)(**{**prepared.__dict__, "where": address(baseline, BEST)})
        calls["counting"] = lambda: plain.solve(thetas)
    seconds = alternate(calls, rounds=15)
    us = {k: 1e6 * s / n for k, s in seconds.items()}
    few = range(min(SEARCHED, n))
    oracles = [structure.oracle(part(thetas, i), targets[i], loss) for i in few]
    banded = BAND in oracles[0].kinds
    lens = [lens_search(o, lam=float(x)) for o, x in zip(oracles, lam, strict=False)] if banded else []
    first = time.perf_counter()
    other = [sarawagi_search(o, lam=float(x)) for o, x in zip(oracles, lam, strict=False)]
    sarawagi = 1e6 * (time.perf_counter() - first) / len(oracles)
    return {
        "case": name,
        "margin": us["margin"],
        "slack cold": us["cold"],
        "warm": us["warm"],
        "cached": us["cached"],
        "cold ratio": us["cold"] / us["margin"],
        "warm ratio": us["warm"] / us["margin"],
        "cached ratio": us["cached"] / us["margin"],
        "plain counting": us.get("counting", float("nan")),
        "passes": float(cold.n_queries.mean()),
        "violators": float(cold.found.mean()),
        "certified": float(cold.certified.mean()),
        "lens queries": float(np.mean([r.n_queries for r in lens])) if banded else float("nan"),
        "lens without bands": float(np.mean([all(q.region is None for q in r.trace) for r in lens])) if banded else float("nan"),
        "Sarawagi": sarawagi,
        "Sarawagi exact": float(np.mean([r.value >= v * (1 - 1e-9) for r, v in zip(other, cold.value, strict=False)])),
    }


def milp_row(name, structure, thetas, targets, loss, n=5):
    """Angular search over the MILP oracle beside the direct method, on a few examples."""
    thetas_of = [part(thetas, i) for i in range(n)]
    start = time.perf_counter()
    found = [angular_search(MILP(structure, t, y, loss)) for t, y in zip(thetas_of, targets, strict=False)]
    seconds = (time.perf_counter() - start) / n
    prepared = structure.prepare_many(thetas, targets, loss)
    direct = alternate({"direct": lambda: prepared.solve(thetas)}, rounds=3)["direct"] / len(targets)
    values = prepared.solve(thetas).value[:n]
    return {
        "case": name,
        "angular over MILP, microseconds": 1e6 * seconds,
        "direct, microseconds": 1e6 * direct,
        "times faster": seconds / direct,
        "largest difference of values": float(np.abs(values - [r.value for r in found]).max()),
        "angular queries": float(np.mean([r.n_queries for r in found])),
    }


def chains(rng, quick):
    """Letters (8 x 26) and a generated tagging task of the size of CoNLL (50 x 45), random and trained."""
    chain, loss = Chain(26), Hamming(normalize=False)
    if data_folder() is not None:
        x, y, offsets = letters()
        targets = [y[a:b] for a, b in pairwise(offsets)]
        yield (
            "chain 8 x 26, random",
            chain,
            chain.potentials(rng.normal(size=(len(y), 26)), rng.normal(size=(26, 26)), offsets=offsets),
            targets,
            loss,
        )
        for epochs in (10, 30):
            unary, moves = chain_potentials(x, y, offsets, 26, loss, "slack", epochs=epochs)
            yield f"chain 8 x 26, letters, {epochs} epochs", chain, chain.potentials(unary, moves, offsets=offsets), targets, loss
    k, n = 45, 40 if quick else 100
    chain = Chain(k)
    offsets = np.arange(n + 1) * 50
    moves, means = 2.0 * rng.normal(size=(k, k)), rng.normal(size=(k, 60))
    noisy = [chain.potentials(rng.gumbel(size=(50, k)), moves + rng.gumbel(size=(k, k))) for _ in range(n)]
    y = np.concatenate([chain.decode(theta) for theta in noisy])
    x = (means[y] + 2.5 * rng.normal(size=(len(y), 60))) / 8.0  # rows of norm about 2.5
    targets = [y[a:b] for a, b in pairwise(offsets)]
    yield (
        "chain 50 x 45, random",
        chain,
        chain.potentials(rng.normal(size=(len(y), k)), rng.normal(size=(k, k)), offsets=offsets),
        targets,
        loss,
    )
    unary, learnt = chain_potentials(x, y, offsets, k, loss, "slack", epochs=40, reg=1.0)
    yield "chain 50 x 45, trained", chain, chain.potentials(unary, learnt, offsets=offsets), targets, loss


def noisy(rng, targets, margin, shape):
    """Scores that favour the target by `margin` standard deviations: what training makes of unary scores."""
    return rng.normal(size=shape) + margin * (2.0 * targets - 1.0)


def label_sets(rng):
    """Independent labels, trees and full graphs of labels; generated, and trained on Yeast (14 labels) and Enron (53)."""
    for n_labels, edges, loss, n in (
        (14, "full", Hamming(), 400), (14, "full", F1(), 400), (20, "full", Hamming(), 40), (100, "none", Hamming(), 2000),
        (100, "none", F1(), 400), (40, "tree", Hamming(), 400), (40, "tree", F1(), 100),
    ):  # fmt: skip
        pairs = [[int(rng.integers(max(0, v - 8), v)), v] for v in range(1, n_labels)] if edges == "tree" else edges
        structure, targets = MultiLabel(n_labels, edges=pairs), (rng.random((n, n_labels)) < 0.2).astype(int)
        weights = 0.3 * rng.normal(size=structure.n_shared)
        for kind, margin in (("random", 0.0), ("trained-like", 1.0)):
            thetas = structure.potentials(noisy(rng, targets, margin, targets.shape), weights)
            yield f"{n_labels} labels, {edges}, {type(loss).__name__}, {kind}", structure, thetas, list(targets), loss
    if data_folder() is None:
        return
    trained = (("yeast", "full", Hamming()), ("yeast", "full", F1()), ("enron", "tree", Hamming()), ("enron", "none", F1()))
    for name, edges, loss in trained:
        x, y = label_set_data(name)
        structure = MultiLabel(y.shape[1], edges=chow_liu_tree(y) if edges == "tree" else edges)
        unary, weights = label_set_potentials(x, y, structure, loss)
        yield f"{name}, {edges}, {type(loss).__name__}, trained", structure, structure.potentials(unary, weights), list(y), loss


def trees(rng):
    """A tree of 40 nodes and 5 states, its weights random or trained on noisy features of the states."""
    n, k, loss = 300, 5, Hamming(normalize=False)
    edges = np.array([[int(rng.integers(0, v)), v] for v in range(1, 40)])
    tree, means = Tree(k, edges), rng.normal(size=(k, 20))
    moves = rng.normal(size=(k, k))
    y = np.array([tree.decode(tree.potentials(rng.gumbel(size=(40, k)), moves + rng.gumbel(size=(k, k)))) for _ in range(n)])
    x = (means[y] + 2.5 * rng.normal(size=(n, 40, 20))) / 8.0
    yield "tree 40 x 5, random", tree, tree.potentials(rng.normal(size=(n, 40, k)), rng.normal(size=(k, k))), list(y), loss
    unary, learnt = tree_potentials(x, y, tree, loss)
    yield "tree 40 x 5, trained", tree, tree.potentials(unary, learnt), list(y), loss


def hierarchies(rng):
    """RCV1's tree of 102 topics and FunCat's of 499 functions, weights random and trained; without the data, random trees."""
    if data_folder() is None:
        for size in (102, 499):
            edges = np.array([[int(rng.integers(max(0, v // 8 - 2), max(v // 3, 1))), v] for v in range(1, size)])
            hierarchy = Hierarchy(edges)
            y = np.array([hierarchy.decode(hierarchy.potentials(rng.normal(size=size) - 1.0)) for _ in range(200)])
            yield f"hierarchy {size}, random", hierarchy, hierarchy.potentials(rng.normal(size=y.shape)), list(y), Hamming()
        return
    for name, load in (("102, RCV1", topics), ("499, FunCat", functions)):
        x, y, hierarchy = load()
        scores = hierarchy_potentials(x, y, hierarchy, Hamming(normalize=False))
        # under F1 every question of a search is a count program: seconds each with 499 nodes
        for loss in (Hamming(normalize=False), F1()) if hierarchy.n_nodes < 200 else (Hamming(normalize=False),):
            kind = f"hierarchy {name}, {type(loss).__name__}"
            yield f"{kind}, random", hierarchy, hierarchy.potentials(rng.normal(size=y.shape)), list(y), loss
            yield f"{kind}, trained", hierarchy, hierarchy.potentials(scores), list(y), loss


def classes(rng):
    """Multiclass under a cost matrix."""
    structure, n = Multiclass(100), 2000
    y = rng.integers(0, 100, n)
    cost = rng.random((100, 100)) * (1 - np.eye(100))
    for kind, margin in (("random", 0.0), ("trained-like", 3.0)):
        scores = rng.normal(size=(n, 100)) + margin * (y[:, None] == np.arange(100))
        yield f"multiclass 100, {kind}", structure, structure.potentials(scores), y.tolist(), Cost(cost)


def real_weights(rng):
    """Weights and costs without a common unit on all structures; scores that favour the target by two standard deviations."""
    chain, y = Chain(26), rng.integers(0, 26, (300, 8))
    unary = rng.normal(size=(300, 8, 26)) + 2.0 * np.eye(26)[y]
    thetas = chain.potentials(unary.reshape(-1, 26), rng.normal(size=(26, 26)), offsets=np.arange(301) * 8)
    yield "chain 8 x 26, real weights", chain, thetas, list(y), Hamming(weights=rng.random(8) + 0.1)
    yield "chain 8 x 26, real costs", chain, thetas, list(y), Cost((1 - np.eye(26)) * rng.random((26, 26)))
    edges = [[int(rng.integers(0, v)), v] for v in range(1, 40)]
    tree, y = Tree(5, edges), rng.integers(0, 5, (200, 40))
    thetas = tree.potentials(rng.normal(size=(200, 40, 5)) + 2.0 * np.eye(5)[y], rng.normal(size=(5, 5)))
    yield "tree 40 x 5, real weights", tree, thetas, list(y), Hamming(weights=rng.random(40) + 0.1)
    for n_labels, pairs in ((40, edges), (1000, "none")):
        labels, y = MultiLabel(n_labels, edges=pairs), (rng.random((40, n_labels)) < 0.2).astype(int)
        thetas = labels.potentials(noisy(rng, y, 1.0, y.shape), 0.3 * rng.normal(size=labels.n_shared))
        name = f"{n_labels} labels, {'none' if pairs == 'none' else 'tree'}, real weights"
        yield name, labels, thetas, list(y), Hamming(weights=rng.random(n_labels) + 0.1)
    hierarchy = Hierarchy([[int(rng.integers(max(0, v // 8 - 2), max(v // 3, 1))), v] for v in range(1, 500)])
    y = np.array([hierarchy.decode(hierarchy.potentials(rng.normal(size=500) - 0.5)) for _ in range(40)])
    thetas = hierarchy.potentials(noisy(rng, y, 1.0, y.shape))
    yield "hierarchy 500, real weights", hierarchy, thetas, list(y), Hamming(weights=rng.random(500) + 0.1)


@njit
def _bare(unary, turned, ahead):
    """What Viterbi's additions and comparisons cost, and nothing else: the same sums and maxima, no start, end or choice."""
    n, n_states = unary.shape
    for t in range(n - 2, -1, -1):
        out, here = ahead[t], ahead[t + 1]
        for j in range(n_states):
            row, a = turned[0, j], here[j]
            for k in range(n_states):
                x = a + row[k]
                out[k] = x if x > out[k] else out[k]


@njit
def _many(unary, pairwise, turned, ahead, label, times, bare):
    for _ in range(times):
        if bare:
            _bare(unary, turned, ahead)
        else:
            chain_kernel.backward(unary, turned, ahead)
            chain_kernel.follow(pairwise, ahead, label)


def viterbi(rng):
    """Viterbi at 8 x 26 with its read-off against the bare sums and maxima of a plain loop."""
    unary, moves = rng.normal(size=(8, 26)), rng.normal(size=(1, 26, 26))
    turned = np.ascontiguousarray(moves.transpose(0, 2, 1))
    ahead, label, times = np.zeros((8, 26)), np.zeros(8, np.int64), 2000
    seconds = alternate(
        {
            "viterbi": lambda: _many(unary, moves, turned, ahead, label, times, False),
            "bare": lambda: _many(unary, moves, turned, ahead, label, times, True),
        },
        rounds=15,
    )
    return {
        "Viterbi 8 x 26, microseconds": 1e6 * seconds["viterbi"] / times,
        "its sums and maxima in a plain loop, microseconds": 1e6 * seconds["bare"] / times,
        "ratio": seconds["viterbi"] / seconds["bare"],
    }


def main():
    """Run all rows and keep the table."""
    quick, console, rng = "--quick" in sys.argv, Console(width=200), np.random.default_rng(0)
    console.print(describe())
    rows, slow = [], []
    others = label_sets, trees, hierarchies, classes, real_weights
    groups = {"chains": lambda rng: chains(rng, quick), **{f.__name__: f for f in others}}
    for group in [name for name in sys.argv[1:] if name != "--quick"] or groups:
        for case in groups[group](rng):
            name, structure, loss = case[0], case[1], case[4]
            baseline = BASELINES.get(type(structure)) if "499" not in name and not isinstance(loss, F1) else None
            baseline = frontier.best_by_counting if "tree, " in name else baseline
            baseline = None if "real" in name else baseline
            rows.append(row(*case, baseline=baseline))
            console.print(f"{name}: cold {rows[-1]['cold ratio']:.2f}, cached {rows[-1]['cached ratio']:.2f} of margin")
            if (
                not quick
                and not name.endswith("random")
                and not any(x in name for x in SLOW)
            ):
                slow.append(milp_row(*case))
    show(console, "exact argmax, microseconds per example", rows)
    if slow:
        show(console, "angular search over the MILP oracle against the direct method", slow)
    single = viterbi(rng)
    console.print(single)
    console.print(f"raw table: {keep('argmax', [*rows, *slow, single])}")


if __name__ == "__main__":
    main()
