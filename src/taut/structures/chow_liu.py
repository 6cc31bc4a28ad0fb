"""The tree of label pairs that tells most about the labels (Chow and Liu, 1968)."""

import numpy as np
import numpy.typing as npt
from scipy import sparse

from .batch import finite

__all__ = ["chow_liu_tree"]


def chow_liu_tree(Y: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Edges (n_labels - 1, 2) of the spanning tree of greatest total mutual information between labels.

    Parameters
    ----------
    Y : array or sparse matrix (n_examples, n_labels)
        Label sets as 0/1.

    Returns
    -------
    array (n_labels - 1, 2)
        Edges j < k in lexicographic order, for `MultiLabel(n_labels, edges=...)`. Among equal trees the edges that come first are
        taken, as where labels are constant.

    Examples
    --------
    >>> from taut.structures import chow_liu_tree
    >>> chow_liu_tree([[0, 0, 0], [1, 0, 1], [0, 1, 0], [1, 1, 1]])
    array([[0, 1],
           [0, 2]])
    """
    sets = sparse.csr_array(Y if sparse.issparse(Y) else finite("Y", Y, (None, None)))
    if sets.shape[0] == 0 or sets.shape[1] == 0 or not np.isin(sets.data, (0, 1)).all():
        raise ValueError(f"`Y` must hold 0/1 label sets, at least one example and one label; found shape {sets.shape}.")
    sets = sets.astype(np.float64)
    n, n_labels = sets.shape
    both = (sets.T @ sets).toarray()
    ones = both.diagonal()
    information = np.zeros((n_labels, n_labels))
    for on_j in (True, False):
        for on_k in (True, False):
            a, b = (ones if on else n - ones for on in (on_j, on_k))
            together = both if on_j and on_k else ones[:, None] - both if on_j else ones - both
            together = n - ones[:, None] - ones + both if not (on_j or on_k) else together
            share = np.divide(n * together, a[:, None] * b, out=np.ones_like(both), where=together > 0)
            information += together / n * np.log(share)
    return _spanning_tree(information)


def _spanning_tree(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """The spanning tree of greatest weight (Prim), O(n^2)."""
    n = len(weights)
    best, source, out = weights[0].copy(), np.zeros(n, np.int64), np.arange(n) > 0
    edges = []
    while out.any():
        k = int(np.where(out, best, -np.inf).argmax())
        edges.append(sorted((int(source[k]), k)))
        out[k] = False
        closer = out & (weights[k] > best)
        best[closer], source[closer] = weights[k][closer], k
    return np.array(sorted(edges), np.int64).reshape(-1, 2)
