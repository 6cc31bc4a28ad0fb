"""The data that the paper's experiments run on, or what stands in for them."""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ..datasets import Split, load_arff, load_rcv1, resplit
from ..structures import Hierarchy, MultiLabel, chow_liu_tree

__all__ = ["FUNCTIONS", "HIERARCHIES", "Source", "label_sets", "some_labels"]

Ints = npt.NDArray[np.int64]


class Source(NamedTuple):
    """A data set divided into examples to learn from and to judge by; `edges` are those of its hierarchy, if it has one."""

    split: Split
    edges: Ints | None = None

    def drawn(self, seed: int) -> Split:
        """The published division (seed 0) or another."""
        s = self.split
        return resplit((s.X, s.Y), (s.X_test, s.Y_test), seed)


@cache
def label_sets(folder: Path, name: str) -> Source:
    """Yeast, or RCV1 (subset 1) as label sets of its 101 topics, most frequent first."""
    if name == "yeast":
        where = folder / name
        train, test = (load_arff(where / f"yeast-{part}.arff.gz", where / "yeast.xml") for part in ("train", "test"))
        return Source(Split(np.asarray(train.X), _whole(train.Y), np.asarray(test.X), _whole(test.Y)))
    if name == "rcv1":
        parts = [load_rcv1(1, part, folder / "rcv1") for part in ("train", "test")]
        names = parts[0].label_names or []
        kept = np.array([j for j, topic in enumerate(names) if topic != "MCAT"])  # restored, not published
        kept = kept[np.argsort(-parts[0].Y[:, kept].sum(axis=0), kind="stable")]
        return Source(Split(parts[0].X, _whole(parts[0].Y[:, kept]), parts[1].X, _whole(parts[1].Y[:, kept])))
    raise ValueError(f"`name` must be 'yeast' or 'rcv1'; found {name!r}.")


def some_labels(source: Source, n_labels: int) -> Source:
    """The same with the first labels alone."""
    s = source.split
    return Source(s._replace(Y=s.Y[:, :n_labels], Y_test=s.Y_test[:, :n_labels]))


def structure_for(kind: str, Y: Ints) -> MultiLabel:
    """Label sets with weights for all pairs ("full"), for those of the Chow-Liu tree ("tree"), or for none."""
    return MultiLabel(Y.shape[1], chow_liu_tree(Y) if kind == "tree" else kind)


#: Genes of yeast with the tree of their functions (FunCat), by what was measured of them.
FUNCTIONS = ("cellcycle", "derisi", "eisen", "gasch1", "gasch2", "seq", "spo")
#: Hierarchies: names of data sets.
HIERARCHIES = ("enron", "synthetic", "cellcycle", "rcv1", "imclef", *FUNCTIONS[1:], "eisen-GO")


@cache
def hierarchy(folder: Path, name: str) -> Source:
    """A data set whose labels are closed under the ancestors of a forest."""
    if name == "rcv1":
        train, test = (load_rcv1(1, part, folder / "rcv1") for part in ("train", "test"))
        return Source(Split(train.X, _whole(train.Y), test.X, _whole(test.Y)), train.hierarchy)
    if name == "synthetic":
        return _synthetic()
    if name == "enron":
        files = [[folder / "hmc-Enron_corr" / f"Enron_corr_{part}.arff.gz"] for part in ("trainvalid", "test")]
    elif name == "imclef":
        files = [[folder / "hmc-ImCLEF07A" / f"ImCLEF07A_{part}.arff.gz"] for part in ("Train", "Test")]
    elif name.endswith("-GO"):  # a graph where nodes have several parents
        where, stem = folder / "hmc-yeast-GO", name.removesuffix("-GO")
        files = [[where / f"{stem}_GO.{part}.arff.gz" for part in parts] for parts in (("train", "valid"), ("test",))]
    else:
        where = folder / "hmc-yeast-FUN"
        files = [[where / f"{name}_FUN.{part}.arff.gz" for part in parts] for parts in (("train", "valid"), ("test",))]
    parts = [[load_arff(path, missing="nan") for path in paths] for paths in files]
    X, X_test = (np.concatenate([_dense(one.X) for one in part]) for part in parts)
    Y, Y_test = (_whole(np.concatenate([one.Y for one in part])) for part in parts)
    edges = parts[0][0].hierarchy
    if name == "enron":  # words of a mail
        return Source(Split(_unit(sparse.csr_array(X)), Y, _unit(sparse.csr_array(X_test)), Y_test), edges)
    centre, spread = np.nanmean(X, axis=0), np.maximum(np.nanstd(X, axis=0), 1e-12)
    X, X_test = (np.nan_to_num((part - centre) / spread) / np.sqrt(X.shape[1]) for part in (X, X_test))
    return Source(Split(X, Y, X_test, Y_test), edges)


def _synthetic(n: int = 1500, n_features: int = 17944, n_inner: int = 33, n_leaves: int = 123) -> Source:
    """The paper's shape: 1500 sparse documents, 17944 words, 156 nodes, 123 of them leaves; 750 to learn from (and choose C).

    A node has its own words; a document has one to three leaves, the words of their paths, and as many common ones.
    """
    rng = np.random.default_rng(2016)
    inner = np.array([(rng.integers(max(1, k // 2)), k) for k in range(1, n_inner)])
    childless = np.setdiff1d(np.arange(n_inner), inner[:, 0])  # inner nodes need a leaf
    parents = np.concatenate([childless, rng.integers(n_inner, size=n_leaves - len(childless))])
    edges = np.concatenate([inner, np.stack([parents, n_inner + np.arange(n_leaves)], axis=1)]).astype(np.int64)
    tree = Hierarchy(edges)
    parent = np.full(tree.n_nodes, -1)
    parent[edges[:, 1]] = edges[:, 0]
    favour = rng.dirichlet(np.full(n_leaves, 0.3))
    words = [rng.choice(n_features, 60, replace=False) for _ in range(tree.n_nodes)]
    common = rng.zipf(1.3, size=(n, 60)) % n_features
    Y, rows, columns = np.zeros((n, tree.n_nodes), np.int64), [], []
    for i in range(n):
        for leaf in rng.choice(n_leaves, size=rng.choice([1, 2, 3], p=[0.6, 0.3, 0.1]), replace=False, p=favour):
            v = int(n_inner + leaf)
            while v >= 0:
                Y[i, v], v = 1, int(parent[v])
        drawn = [rng.choice(words[v], 4) for v in np.flatnonzero(Y[i])]
        columns.append(np.unique(np.concatenate([*drawn, common[i]])))
        rows.append(np.full(len(columns[-1]), i))
    at = np.concatenate(rows), np.concatenate(columns)
    X = _unit(sparse.csr_array((np.ones(len(at[0])), at), shape=(n, n_features)))
    return Source(Split(X[:750], Y[:750], X[750:], Y[750:]), edges)


def _whole(Y: Any) -> Ints:
    return np.asarray(Y.toarray() if sparse.issparse(Y) else Y, dtype=np.int64)


def _dense(X: Any) -> Any:
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)


def _unit(X: Any) -> Any:
    """Rows of norm one."""
    norms = np.maximum(sparse.linalg.norm(X, axis=1), 1e-12)
    return sparse.csr_array(sparse.diags_array(1.0 / norms) @ X)
