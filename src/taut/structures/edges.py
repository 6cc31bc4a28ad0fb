"""Edges of forests and directed acyclic graphs: checked, and their nodes in an order with parents before children."""

import numpy as np
import numpy.typing as npt

from .base import as_array, whole

__all__ = ["checked_edges", "preorder", "topological"]

Ints = npt.NDArray[np.int64]


def checked_edges(edges: npt.ArrayLike, n_nodes: int | None) -> tuple[Ints, int]:
    """Edges (m, 2) between nodes, and the number of nodes; no edge twice, none from a node to itself."""
    given = as_array("edges", edges)
    if given.size == 0:
        given = np.zeros((0, 2), np.int64)
    if given.ndim != 2 or given.shape[1] != 2 or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"`edges` must hold pairs of node numbers, shape (m, 2); found shape {given.shape} of {given.dtype}.")
    top = int(given.max()) + 1 if given.size else 0
    n = top if n_nodes is None else whole("n_nodes", n_nodes)
    if n < 1:
        raise ValueError(f"there must be at least one node; found {n}. Pass `n_nodes` where nodes have no edges.")
    outside = (given < 0) | (given >= n)
    if outside.any():
        raise ValueError(f"`edges` must hold node numbers from 0 to {n - 1}; found {given[outside][0]}.")
    pairs = given.astype(np.int64)
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if loops.size:
        raise ValueError(f"`edges` must not join a node to itself; edge {loops[0]} joins {pairs[loops[0], 0]}. Drop it.")
    codes = np.sort(pairs, axis=1) @ np.array([n, 1])
    _, firsts = np.unique(codes, return_index=True)
    if len(firsts) < len(codes):
        again = int(np.setdiff1d(np.arange(len(codes)), firsts)[0])
        raise ValueError(f"`edges` must hold each pair once; edge {again} joins {tuple(pairs[again].tolist())} again. Drop it.")
    return pairs, n


def preorder(parent: Ints) -> tuple[Ints, Ints]:
    """The nodes of a forest, parents before children, subtrees together; and how many nodes each subtree has, by position."""
    n = len(parent)
    by_parent = np.argsort(parent, kind="stable")[::-1]  # of each parent, the last child first: the stack turns them again
    starts = np.searchsorted(-parent[by_parent], -np.arange(n), side="left").tolist()
    ends = np.searchsorted(-parent[by_parent], -np.arange(n), side="right").tolist()
    children, order = by_parent.tolist(), []
    todo = [v for v in children if parent[v] < 0]
    while todo:
        v = todo.pop()
        order.append(v)
        todo.extend(children[starts[v] : ends[v]])
    if len(order) < n:
        left = np.setdiff1d(np.arange(n), order)
        raise ValueError(f"`edges` hold a cycle: nodes {left[:5].tolist()} have no root above them. A forest has none.")
    size = np.ones(n, np.int64)
    position = np.argsort(order)
    for p in range(n - 1, 0, -1):
        if parent[order[p]] >= 0:
            size[position[parent[order[p]]]] += size[p]
    return np.array(order), size


def topological(edges: Ints, n: int) -> Ints:
    """The nodes of a directed acyclic graph, parents before children; raises on a cycle."""
    waits = np.bincount(edges[:, 1], minlength=n)
    by_parent = np.argsort(edges[:, 0], kind="stable")
    starts = np.searchsorted(edges[by_parent, 0], np.arange(n + 1)).tolist()
    children, left = edges[by_parent, 1].tolist(), waits.tolist()
    order = np.flatnonzero(waits == 0).tolist()
    for v in order:  # which grows
        for child in children[starts[v] : starts[v + 1]]:
            left[child] -= 1
            if left[child] == 0:
                order.append(child)
    if len(order) < n:
        on = np.setdiff1d(np.arange(n), order)
        raise ValueError(
            f"`edges` hold a cycle: it goes through some of the nodes {on[:5].tolist()}. A hierarchy has none; drop an edge."
        )
    return np.array(order, np.int64)
