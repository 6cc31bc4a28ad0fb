"""Hierarchies: sets of nodes that hold with a node its ancestors."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..losses import Loss
from ..structures import Hierarchy, Potentials
from .base import Examples, Reals
from .label_sets import SetSSVM, as_matrix, columns_of, is_list_of_sets

__all__ = ["HierarchicalSSVM", "hierarchy_edges"]

_MOST_CUTS = 100  # of one slack argmax where nodes have several parents


class HierarchicalSSVM(SetSSVM):
    """A set of nodes of a hierarchy per example, closed under ancestors.

    Y is a 0/1 matrix (n_examples, n_nodes), dense or sparse, or a list of sets of node names; predictions come in the same form.

    Parameters
    ----------
    hierarchy : edges, parents, graph or paths
        Pairs (parent, child); a dictionary of each child's parent, None for roots; a directed graph of networkx; or texts such as
        "animal/bird/owl", whose nodes are "animal", "animal/bird" and "animal/bird/owl". Nodes that are numbers are columns of Y;
        names are columns in the order of `classes_`: as a data frame Y has them, otherwise as they occur, parents first.
        Nodes may have several parents; the slack argmax is NP-hard then and is cut off after 100 minimum cuts: its bound still
        makes the duality gap a certificate.
    leaves_only : bool
        Whether every active node leads to an active leaf.
    loss : str or Loss
        "hamming" (over nodes), "f1", "jaccard", "zero-one", or an object of `taut.losses`.

    C, rescaling, solver, search, tol, max_iter, max_time, oracle_tol, fit_intercept, class_weight, warm_start, callbacks,
    checkpoint, n_jobs, random_state, verbose
        As in `MulticlassSSVM`.

    Attributes
    ----------
    coef_, intercept_ : arrays (n_nodes, n_features), (n_nodes,)
    edges_ : array (m, 2)
        Parent and child, as columns.
    classes_ : array (n_nodes,)
        The nodes.
    primal_objective_, dual_objective_, duality_gap_, n_iter_, history_, status_, n_features_in_
        As in `MulticlassSSVM`.
    """

    def __init__(
        self, *, hierarchy: Any = None, leaves_only: bool = False, C: float = 1.0, loss: str | Loss = "hamming",
        rescaling: str = "slack", solver: str = "bcfw", search: Any = "auto", tol: float = 1e-3, max_iter: int = 1000,
        max_time: float | None = None, oracle_tol: float = 0.0, fit_intercept: bool = True, class_weight: Any = None,
        warm_start: bool = False, callbacks: Sequence[Callable[..., Any]] | None = None, checkpoint: Any = None,
        n_jobs: int | None = None, random_state: Any = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(
            C=C, loss=loss, rescaling=rescaling, solver=solver, search=search, tol=tol, max_iter=max_iter, max_time=max_time,
            oracle_tol=oracle_tol, fit_intercept=fit_intercept, class_weight=class_weight, warm_start=warm_start,
            callbacks=callbacks, checkpoint=checkpoint, n_jobs=n_jobs, random_state=random_state, verbose=verbose,
        )  # fmt: skip
        self.hierarchy = hierarchy
        self.leaves_only = leaves_only

    def _learn_labels(self, Y: Any, examples: Examples) -> None:
        self._sets = is_list_of_sets(Y)
        nodes, pairs = hierarchy_edges(self.hierarchy)
        numbers = all(isinstance(node, (int, np.integer)) for node in nodes)
        if numbers and not self._sets:
            width, top = as_matrix(Y).shape[1], max(nodes, default=-1) + 1
            if width < top:
                raise ValueError(f"`Y` must have one column per node of `hierarchy` ({top}); it has {width}.")
            nodes = list(range(width))
        elif numbers:
            nodes = sorted(nodes)
        if not nodes:
            raise ValueError("`hierarchy` must name at least one node where Y holds sets; found none.")
        if not numbers and not all(isinstance(node, str) for node in nodes):
            odd = next(node for node in nodes if not isinstance(node, str))
            raise ValueError(f"the nodes of `hierarchy` must be all texts or all integers; found {odd!r} of {type(odd).__name__}.")
        columns = columns_of(Y)
        if columns is not None and not numbers:
            if set(columns) != set(nodes):
                odd = sorted(map(str, set(columns) ^ set(nodes)))
                raise ValueError(f"the columns of `Y` must be the nodes of `hierarchy`; {odd[0]!r} is only in one of them.")
            nodes = columns
        place = {node: j for j, node in enumerate(nodes)}
        self.classes_ = np.asarray(nodes)
        self.edges_ = np.array([(place[a], place[b]) for a, b in pairs], np.int64).reshape(-1, 2)

    def _encode(self, Y: Any, examples: Examples) -> list[Any]:
        labels = super()._encode(Y, examples)
        matrix = np.stack(labels)
        above, below = self.edges_.T
        for i, e in np.argwhere(matrix[:, below] > matrix[:, above])[:1]:
            parent, child = self.classes_[self.edges_[e]]
            raise ValueError(
                f"`Y[{i}]` must be closed under ancestors: {child} is active and its parent {parent} is not. Activate {parent}, "
                f"or leave {child} out."
            )
        return labels

    def _make_structure(self) -> Hierarchy:
        return Hierarchy(self.edges_, self.leaves_only, len(self.classes_), max_cuts=_MOST_CUTS)

    def _potentials(self, scores: Reals, examples: Examples) -> Potentials:
        thetas: Potentials = self._structure.potentials(scores)
        return thetas

    def decision_function(self, X: Any) -> Reals:
        """Margins of the nodes (n, n_nodes): the best score with the node active, minus the best without it."""
        check_is_fitted(self)
        examples = self._read(X, reset=False)
        return self._margins(self._potentials(self._scores(examples), examples), examples.n)


def hierarchy_edges(hierarchy: Any) -> tuple[list[Any], list[tuple[Any, Any]]]:
    """The nodes of a hierarchy in order, parents before children where names are new, and its pairs (parent, child)."""
    if hierarchy is None:
        raise ValueError(
            "`hierarchy` must be pairs (parent, child), a dictionary of parents, a directed graph or texts 'a/b/c'; found None. "
            "For labels without a hierarchy use MultiLabelSSVM."
        )
    if hasattr(hierarchy, "nodes") and hasattr(hierarchy, "edges"):  # a graph of networkx, which need not be installed
        if not hierarchy.is_directed():
            raise ValueError("`hierarchy` must be a directed graph, from parents to children; found one without directions.")
        return list(hierarchy.nodes), list(dict.fromkeys((edge[0], edge[1]) for edge in hierarchy.edges))
    if isinstance(hierarchy, Mapping):
        roots = [child for child, parent in hierarchy.items() if parent is None]
        pairs = [(parent, child) for child, parent in hierarchy.items() if parent is not None]
    elif isinstance(hierarchy, (str, bytes)):
        raise ValueError(f"`hierarchy` must hold several texts 'a/b/c'; found the single text {hierarchy!r}. Put it into a list.")
    else:
        entries = hierarchy.tolist() if isinstance(hierarchy, np.ndarray) else list(hierarchy)
        if entries and all(isinstance(entry, str) for entry in entries):
            return _from_paths(entries)
        for k, entry in enumerate(entries):
            if isinstance(entry, str) or not isinstance(entry, Sequence) or len(entry) != 2:
                raise ValueError(f"`hierarchy[{k}]` must be a pair (parent, child) or, as all, a text 'a/b/c'; found {entry!r}.")
        roots, pairs = [], [(a, b) for a, b in entries]
    nodes = dict.fromkeys(roots)
    for pair in pairs:
        nodes.update(dict.fromkeys(pair))
    return list(nodes), pairs


def _from_paths(paths: list[str]) -> tuple[list[Any], list[tuple[Any, Any]]]:
    nodes: dict[str, None] = {}
    pairs: dict[tuple[str, str], None] = {}
    for path in paths:
        parts = path.split("/")
        if not all(parts):
            raise ValueError(f"a path of `hierarchy` must be names between single slashes, as 'a/b/c'; found {path!r}.")
        above = ["/".join(parts[: k + 1]) for k in range(len(parts))]
        nodes.update(dict.fromkeys(above))
        pairs.update(dict.fromkeys(pairwise(above)))
    return list(nodes), list(pairs)
