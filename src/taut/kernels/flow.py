"""Maximum flow and minimum cut in float64, warm from one question to the next.

A network has arcs in rows (CSR), each with the arc that goes back, and an excess per node: positive is what the source may send
in there, negative what the sink may take out. `settle` sends as much as it can (Dinic, 1970: shortest paths by breadth, a
blocking flow by depth). What is left of the capacities is again a network with the same cuts, so that any change of the excesses
goes on from there: only the difference is sent. Infinite capacities and excesses are true infinities.
"""

from typing import Any, NamedTuple

import numpy as np

from .compiling import njit

__all__ = ["Network", "load", "network", "reopen", "settle"]


class Network(NamedTuple):
    """Arcs of node v: first[v] .. first[v + 1], to `head`, with the reverse arc `back` and the residual capacity `left`.

    `excess` is what is still to send, `sent` what has been, per node. After `settle` level[v] >= 0 tells the source's side.
    """

    first: Any
    head: Any
    back: Any
    left: Any
    excess: Any
    sent: Any
    level: Any
    queue: Any
    at: Any
    path: Any


@njit
def network(n, tails, heads, forward, backward):
    """A network of n nodes; edge e is an arc of capacity forward[e] and one of backward[e] the other way. O(n + m)."""
    m = tails.size
    first = np.zeros(n + 1, np.int64)
    for e in range(m):
        first[tails[e] + 1] += 1
        first[heads[e] + 1] += 1
    for v in range(n):
        first[v + 1] += first[v]
    head, back, left, free = np.empty(2 * m, np.int64), np.empty(2 * m, np.int64), np.empty(2 * m), first.copy()
    for e in range(m):
        a, b = tails[e], heads[e]
        i, j = free[a], free[b]
        free[a] += 1
        free[b] += 1
        head[i], back[i], left[i] = b, j, forward[e]
        head[j], back[j], left[j] = a, i, backward[e]
    return Network(
        first, head, back, left, np.zeros(n), np.zeros(n), np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64),
        np.empty(n, np.int64),
    )  # fmt: skip


@njit
def load(net, excess):
    """Set the excesses of the question; what has been sent already stays sent."""
    for v in range(excess.size):
        net.excess[v] = excess[v] - net.sent[v]


@njit
def reopen(net, left):
    """Forget all flow: back to the capacities `left`. A tiny question after a huge one has no digits left otherwise."""
    for a in range(left.size):
        net.left[a] = left[a]
    for v in range(net.sent.size):
        net.sent[v] = 0.0


@njit
def _levels(net):
    """Distances from the nodes with excess, as far as the nearest node that takes some. Returns its distance, or -1."""
    size, depth, i = 0, -1, 0
    for v in range(net.excess.size):
        net.level[v] = -1
        net.at[v] = net.first[v]
        if net.excess[v] > 0.0:
            net.level[v] = 0
            net.queue[size] = v
            size += 1
    sources = size
    while i < size:
        v = net.queue[i]
        i += 1
        if depth >= 0 and net.level[v] >= depth:
            break
        for a in range(net.first[v], net.first[v + 1]):
            w = net.head[a]
            if net.left[a] > 0.0 and net.level[w] < 0:
                net.level[w] = net.level[v] + 1
                net.queue[size] = w
                size += 1
                if depth < 0 and net.excess[w] < 0.0:
                    depth = net.level[w]
    return depth, sources


@njit
def _send(net, s):
    """Send the excess of s along paths of rising levels. Returns False where it is infinite."""
    v, top = s, 0
    while True:
        if net.excess[v] < 0.0:
            f = min(net.excess[s], -net.excess[v])
            for i in range(top):
                f = min(f, net.left[net.path[i]])
            if f == np.inf:
                return False
            net.excess[s] -= f
            net.excess[v] += f
            net.sent[s] += f
            net.sent[v] -= f
            kept, full = top, False
            for i in range(top):
                a = net.path[i]
                net.left[a] -= f
                net.left[net.back[a]] += f
                if not full and net.left[a] <= 0.0:
                    kept, full = i, True
            if net.excess[s] <= 0.0:
                return True
            if full:  # on from where the first full arc leaves
                top = kept
                v = net.head[net.back[net.path[top]]]
            continue
        while net.at[v] < net.first[v + 1]:
            a = net.at[v]
            if net.left[a] > 0.0 and net.level[net.head[a]] == net.level[v] + 1:
                break
            net.at[v] += 1
        if net.at[v] < net.first[v + 1]:
            net.path[top] = net.at[v]
            v = net.head[net.at[v]]
            top += 1
        elif top == 0:
            return True
        else:
            top -= 1
            v = net.head[net.back[net.path[top]]]
            net.at[v] += 1


@njit
def settle(net):
    """Send all that can be sent. Returns False where that is infinite: then no cut is finite.

    Afterwards the nodes with level >= 0 are the source's side of the minimum cut, the least one among equals.
    """
    while True:
        depth, sources = _levels(net)
        if depth < 0:
            return True
        for i in range(sources):
            if not _send(net, net.queue[i]):
                return False
