"""Minimum cuts of a network, one after the other."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels import flow
from ..kernels.compiling import njit

__all__ = ["Cut", "MinCut"]

Reals = npt.NDArray[np.float64]


class Cut(NamedTuple):
    """A minimum cut: its capacity, which is that of the greatest flow, and which nodes are on the source's side."""

    capacity: float
    source_side: npt.NDArray[np.bool_]


class MinCut:
    """A network whose cuts are asked for again and again: each question starts from the flow of the one before.

    Parameters
    ----------
    n_nodes : int
        How many nodes there are, besides the source and the sink.
    edges : array (m, 2)
        Pairs of different nodes; a pair may occur several times.
    capacity : array (m,)
        From the first node to the second, >= 0; infinite allowed.
    reverse : array (m,), optional
        From the second to the first; none by default.
    """

    def __init__(
        self, n_nodes: int, edges: npt.ArrayLike, capacity: npt.ArrayLike, reverse: npt.ArrayLike | None = None
    ) -> None:
        if int(n_nodes) != n_nodes or n_nodes < 1:
            raise ValueError(f"`n_nodes` must be a whole number of at least 1; found {n_nodes}.")
        pairs = np.asarray(edges) if np.size(edges) else np.zeros((0, 2), np.int64)
        if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
            raise ValueError(f"`edges` must hold pairs of node numbers, shape (m, 2); found shape {pairs.shape} of {pairs.dtype}.")
        outside = (pairs < 0) | (pairs >= n_nodes)
        if outside.any():
            raise ValueError(f"`edges` must hold node numbers from 0 to {n_nodes - 1}; found {pairs[outside][0]}.")
        loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
        if loops.size:
            raise ValueError(f"`edges` must join different nodes; edge {loops[0]} joins {pairs[loops[0], 0]} to itself. Drop it.")
        forward = _capacities("capacity", capacity, len(pairs))
        backward = np.zeros(len(pairs)) if reverse is None else _capacities("reverse", reverse, len(pairs))
        self.n_nodes = int(n_nodes)
        self._edges, self._forward, self._backward = pairs.astype(np.int64), forward, backward
        tails, heads = np.ascontiguousarray(self._edges.T)
        self._net = _network(self.n_nodes, tails, heads, forward, backward)
        self._full = self._net.left.copy()
        self._greatest = 0.0

    def cut(self, excess: npt.ArrayLike) -> Cut:
        """The minimum cut where excess[v] > 0 is the capacity from the source to v, and excess[v] < 0 from v to the sink.

        Infinite excesses hold a node on its side. Of several minimum cuts it is the one with the smallest source's side.
        """
        given = np.ascontiguousarray(excess, dtype=np.float64)
        if given.shape != (self.n_nodes,):
            raise ValueError(f"`excess` must hold one number per node, shape ({self.n_nodes},); found {given.shape}.")
        if np.isnan(given).any():
            raise ValueError(f"`excess` must hold numbers; found NaN at node {int(np.flatnonzero(np.isnan(given))[0])}.")
        size = float(np.abs(given[np.isfinite(given)]).max(initial=0.0))
        if size < 2.0**-10 * self._greatest:  # what a far greater flow has left is rounding
            flow.reopen(self._net, self._full)
            self._greatest = 0.0
        self._greatest = max(self._greatest, size)
        if not _cut(self._net, given):
            flow.reopen(self._net, self._full)
            raise ValueError("no cut is finite: infinite capacities lead from an infinite `excess` to one of -infinity. Mend one.")
        side = self._net.level >= 0
        across = side[self._edges[:, 0]].astype(np.int64) - side[self._edges[:, 1]]
        parts = np.where(side, -given, given), self._forward[across > 0], self._backward[across < 0]
        return Cut(float(parts[0][parts[0] > 0].sum() + parts[1].sum() + parts[2].sum()), side)


def _capacities(name: str, values: npt.ArrayLike, m: int) -> Reals:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.shape != (m,):
        raise ValueError(f"`{name}` must hold one number per edge, shape ({m},); found {array.shape}.")
    if not (array >= 0).all():
        bad = int(np.flatnonzero(~(array >= 0))[0])
        raise ValueError(f"`{name}` must be >= 0; edge {bad} has {array[bad]}. Cuts of negative capacities are NP-hard.")
    return array


@njit
def _network(n, tails, heads, forward, backward):  # type: ignore[no-untyped-def]
    return flow.network(n, tails, heads, forward, backward)


@njit
def _cut(net, excess):  # type: ignore[no-untyped-def]
    flow.load(net, excess)
    return flow.settle(net)
