"""Hierarchical attributes of CLUS: classes as paths in a tree (`1/1/2`), or a graph listed by its edges (`root/GO3`)."""

from collections.abc import Iterable

import numpy as np

from ..errors import DataError
from ..lines import PathLike
from ..record import Edges

__all__ = ["Classes"]

MAX_DEPTH = 100
ROOT = "root"


class Classes:
    """The classes of a hierarchical attribute, numbered in the order of their names (by parts), without the root.

    A specification with an entry `root/...` lists the edges of a graph; any other lists paths, which imply their prefixes.

    Attributes
    ----------
    names : list of str
    edges : array (m, 2) of pairs (parent, child)
    """

    def __init__(self, specification: str, path: PathLike, line: int) -> None:
        entries = [tuple(entry.strip().split("/")) for entry in specification.split(",")]
        if not all(all(entry) and len(entry) <= MAX_DEPTH for entry in entries):
            raise DataError(path, line, f"classes `a/b/c`, at most {MAX_DEPTH} deep", specification)
        pairs = _graph(entries, path, line) if any(entry[0] == ROOT for entry in entries) else _tree(entries)
        ordered = sorted({node for pair in pairs for node in pair} - {(ROOT,)})
        self.names = ["/".join(node) for node in ordered]
        self._number = {name: i for i, name in enumerate(self.names)}
        number = {node: i for i, node in enumerate(ordered)}
        inner = sorted((number[a], number[b]) for a, b in pairs if a != (ROOT,))
        self.edges: Edges = np.array(inner, np.int64).reshape(-1, 2)
        self._parents: list[list[int]] = [[] for _ in ordered]
        for a, b in inner:
            self._parents[b].append(a)
        if not _acyclic(len(ordered), inner):
            raise DataError(path, line, "a hierarchy", "a class that is below itself")

    def closure(self, value: str) -> list[int]:
        """Numbers of the classes `a@b@c` and of all above them; KeyError where one is unknown."""
        todo = [self._number[term.strip()] for term in value.split("@")]
        seen = set(todo)
        while todo:
            new = [parent for parent in self._parents[todo.pop()] if parent not in seen]
            seen.update(new)
            todo += new
        return list(seen)


Node = tuple[str, ...]


def _tree(paths: Iterable[Node]) -> set[tuple[Node, Node]]:
    return {(path[: k - 1] or (ROOT,), path[:k]) for path in paths for k in range(1, len(path) + 1)}


def _graph(edges: Iterable[Node], path: PathLike, line: int) -> set[tuple[Node, Node]]:
    for edge in edges:
        if len(edge) != 2 or edge[1] == ROOT:
            raise DataError(path, line, "edges `parent/child` below `root`", "/".join(edge))
    return {((parent,), (child,)) for parent, child in edges}


def _acyclic(n: int, edges: list[tuple[int, int]]) -> bool:
    """Whether taking away nodes without parents takes away all (Kahn)."""
    children: list[list[int]] = [[] for _ in range(n)]
    n_parents = [0] * n
    for a, b in edges:
        children[a].append(b)
        n_parents[b] += 1
    todo = [node for node in range(n) if n_parents[node] == 0]
    for node in todo:
        for child in children[node]:
            n_parents[child] -= 1
            if n_parents[child] == 0:
                todo.append(child)
    return len(todo) == n
