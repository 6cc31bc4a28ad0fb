"""An order of the labels of a graph whose frontiers stay small, as `kernels.frontier` reads it."""

import itertools
from functools import partial

import numpy as np
import numpy.typing as npt

from .batch import offsets_of

__all__ = ["MOST_STATES", "frontier_words", "label_order"]

Ints = npt.NDArray[np.int64]

MOST_STATES = 1 << 20  # of all frontiers together
_MANY = 64  # larger components with cycles are ordered from one start only


def label_order(n: int, edges: Ints) -> list[int]:
    """Labels in an order of small frontiers: those already placed that have edges to come.

    Each time the label that leaves the fewest, among those next to the frontier, is placed; of the orders from all starts of a
    component the one of least total number of states is kept. For trees the larger branches come last, which keeps frontiers
    below log2(n) + 1. O(n^2 degree), deterministic.
    """
    near: list[list[int]] = [[] for _ in range(n)]
    for j, k in edges.tolist():
        near[j].append(k)
        near[k].append(j)
    order: list[int] = []
    for component in _components(near):
        m = sum(len(near[j]) for j in component) // 2
        if m == len(component) - 1:
            order += _tree_order(component, near)
        else:
            starts = component if len(component) <= _MANY else [min(component, key=lambda j: (len(near[j]), j))]
            order += min((_greedy(start, near) for start in starts), key=partial(_n_states, near))
    return order


def _components(near: list[list[int]]) -> list[list[int]]:
    found, seen = [], [False] * len(near)
    for start in range(len(near)):
        if not seen[start]:
            todo, part = [start], []
            seen[start] = True
            while todo:
                j = todo.pop()
                part.append(j)
                for k in near[j]:
                    if not seen[k]:
                        seen[k] = True
                        todo.append(k)
            found.append(sorted(part))
    return found


def _tree_order(component: list[int], near: list[list[int]]) -> list[int]:
    """Depth first from the end of a longest path, the branch whose own frontiers are widest last."""
    end = _farthest(component[0], near)[-1]
    before = _farthest(end, near)
    parent: dict[int, int] = {end: -1}
    for j in before:
        parent.update((k, j) for k in near[j] if k != parent[j])
    width: dict[int, int] = {}
    branches: dict[int, list[int]] = {}
    for j in reversed(before):  # children before parents
        inner = sorted((k for k in near[j] if k != parent[j]), key=lambda k: (width[k], k))
        branches[j] = inner
        width[j] = max([width[k] + 1 for k in inner[:-1]] + [width[k] for k in inner[-1:]] + [1])
    order, todo = [], [end]
    while todo:
        j = todo.pop()
        order.append(j)
        todo.extend(reversed(branches[j]))
    return order


def _farthest(start: int, near: list[list[int]]) -> list[int]:
    """The labels of a tree, breadth first."""
    order, seen = [start], {start}
    for j in order:
        for k in near[j]:
            if k not in seen:
                seen.add(k)
                order.append(k)
    return order


def _greedy(start: int, near: list[list[int]]) -> list[int]:
    placed, left = {start}, {start: len(near[start])}  # left: edges to come of the frontier
    order = [start]
    open_: set[int] = set(near[start])
    while open_:

        def grows(k: int) -> tuple[int, int]:
            inside = [j for j in near[k] if j in placed]
            return (len(near[k]) > len(inside)) - sum(left[j] == 1 for j in inside), k

        k = min(open_, key=grows)
        open_.remove(k)
        left[k] = len(near[k])
        for j in near[k]:
            if j in placed:
                left[j] -= 1
                left[k] -= 1
            else:
                open_.add(j)
        placed.add(k)
        order.append(k)
    return order


def _n_states(near: list[list[int]], order: list[int]) -> int:
    """How many states all frontiers of an order have."""
    return sum(1 << len(front) for front in _frontiers(order, near))


def _frontiers(order: list[int], near: list[list[int]]) -> list[list[int]]:
    """The frontier before each label, and after the last, in order of placing."""
    place = {j: t for t, j in enumerate(order)}
    last = {j: max([place[k] for k in near[j]] + [-1]) for j in order}
    found: list[list[int]] = [[]]
    for t, j in enumerate(order):
        found.append([k for k in [*found[-1], j] if last[k] > t])
    return found


def frontier_words(n: int, edges: Ints) -> tuple[Ints, int, int]:
    """What `kernels.frontier` reads behind the edges (nothing where the states are too many), how many states, how many at once."""
    order = label_order(n, edges)
    near: list[list[int]] = [[] for _ in range(n)]
    name: dict[tuple[int, int], int] = {}
    for e, (j, k) in enumerate(edges.tolist()):
        near[j].append(k)
        near[k].append(j)
        name[j, k] = name[k, j] = e
    fronts = _frontiers(order, near)
    sizes = [1 << len(f) for f in fronts]
    if sum(sizes) > MOST_STATES:
        return np.empty(0, np.int64), sum(sizes), max(sizes)
    at = offsets_of(sizes)
    bits = [[name.get((k, j), -1) for k in front] for front, j in zip(fronts[:-1], order, strict=True)]
    following = []
    for t, j in enumerate(order):
        seen, states = [*fronts[t], j], np.arange(sizes[t])[:, None] + np.array([0, sizes[t]])
        after = sum(((states >> seen.index(k)) & 1) << i for i, k in enumerate(fronts[t + 1]))
        following.append(at[t + 1] + np.broadcast_to(after, states.shape).ravel())
    pieces = [order, at, offsets_of([len(b) for b in bits]), list(itertools.chain(*bits)), np.concatenate(following)]
    return np.concatenate([np.asarray(piece, np.int64) for piece in pieces]), sum(sizes), max(sizes)
