"""Reuters news with their tree of topics (Lewis, Yang, Rose & Li, JMLR 2004): the subsets of 6000 documents."""

from pathlib import Path
from typing import Literal

import numpy as np

from .archive import read_npz
from .csr import checked_csr
from .errors import DataError
from .folder import dataset_path
from .lines import PathLike, lines
from .record import Dataset

__all__ = ["load_rcv1"]

LOST, RESTORED, BELOW = "M143", "MCAT", ("M11", "M12", "M13", "M14")


def load_rcv1(subset: int = 1, part: Literal["train", "test"] = "train", folder: PathLike | None = None) -> Dataset:
    """One of the subsets that are published with 101 topics, as a hierarchy of 102.

    MCAT is restored as the union of its children (exact but for documents with MCAT and none of them); M143 is lost.

    Parameters
    ----------
    subset : int
    part : {"train", "test"}
    folder : str or path, optional
        With `rcv1subset<i>-<part>.npz` (X and Y as CSR), `topics.txt` (names of the columns of Y) and `rcv1.taxonomy` (per
        line a topic and its children). By default `rcv1` in the data folder.

    Returns
    -------
    Dataset
        X is a CSR array of tf-idf weights with rows of norm 1; Y is 0/1 (int8) with the topics `label_names` in alphabetical
        order and closed under ancestors; `hierarchy` holds the edges, four topics being roots.
    """
    where = dataset_path("rcv1") if folder is None else Path(folder)
    path = where / f"rcv1subset{subset}-{part}.npz"
    kinds = {"data": 1, "indices": 1, "indptr": 1, "shape": 1}
    arrays = read_npz(path, {f"X_{kind}": ndim for kind, ndim in kinds.items()} | {"Y_indices": 1, "Y_indptr": 1, "Y_shape": 1})
    # float32 of numbers with six decimals
    values = np.round(arrays["X_data"].astype(float), 6)
    X = checked_csr(path, values, arrays["X_indices"], arrays["X_indptr"], arrays["X_shape"])
    ones = np.ones(len(arrays["Y_indices"]))
    known = checked_csr(path, ones, arrays["Y_indices"], arrays["Y_indptr"], arrays["Y_shape"])
    topics = [name for _, text in lines(where / "topics.txt") for name in text.split()]
    if len(set(topics)) < len(topics) or not set(BELOW) <= set(topics) - {LOST, RESTORED} == set(topics):
        raise DataError(where / "topics.txt", None, f"different topics, {', '.join(BELOW)} among them", f"{len(topics)} names")
    if known.shape != (X.shape[0], len(topics)):
        raise DataError(path, None, f"one row of Y per row of X and one column per topic ({len(topics)})", f"{known.shape}")
    names = sorted([*topics, RESTORED])
    column = {name: j for j, name in enumerate(names)}
    Y = np.zeros((X.shape[0], len(names)), np.int8)
    Y[:, [column[name] for name in topics]] = known.toarray()
    Y[:, column[RESTORED]] = Y[:, [column[name] for name in BELOW]].max(axis=1)
    edges = _edges(where / "rcv1.taxonomy", column)
    if (Y[:, edges[:, 1]] > Y[:, edges[:, 0]]).any():
        raise DataError(path, None, "labels closed under ancestors", "a topic without the topic above it")
    return Dataset(X, Y, label_names=names, hierarchy=edges)


def _edges(path: Path, column: dict[str, int]) -> np.ndarray:
    edges = []
    for line, text in lines(path):
        parent, children = "".join(text.split()[:1]), text.split()[1:]
        for name in {parent, *children} - {"", "Root", LOST} - set(column):
            raise DataError(path, line, "topics that topics.txt lists", name)
        if parent in column:
            edges += [(column[parent], column[child]) for child in children if child in column]
    return np.array(sorted(edges), np.int64).reshape(-1, 2)
