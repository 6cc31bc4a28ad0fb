"""Papers on machine learning and who cites whom (Sen et al. 2008; split of Yang, Cohen & Salakhutdinov, ICML 2016)."""

import numpy as np

from .archive import read_npz
from .csr import checked_csr
from .errors import DataError
from .folder import dataset_path
from .lines import PathLike
from .record import Dataset

__all__ = ["load_cora"]


def load_cora(path: PathLike | None = None) -> Dataset:
    """One graph: papers with the words they use, citations as edges, the field of each paper as its label.

    Parameters
    ----------
    path : str or path, optional
        A file `cora.npz` with `X_data`, `X_indices`, `X_indptr`, `X_shape` (CSR), `y`, `edges (m, 2)` and the indices
        `train_idx`, `valid_idx` and `test_idx`. By default `cora/cora.npz` in the data folder.

    Returns
    -------
    Dataset
        X holds a single pair (features as a CSR array (papers, words), edges (m, 2)), Y a single array (papers,), and `part`
        says of each paper "train", "valid", "test" or "".
    """
    path = dataset_path("cora", "cora.npz") if path is None else path
    csr = {"X_data": 1, "X_indices": 1, "X_indptr": 1, "X_shape": 1}
    arrays = read_npz(path, csr | {"y": 1, "edges": 2, "train_idx": 1, "valid_idx": 1, "test_idx": 1})
    words = checked_csr(path, arrays["X_data"].astype(float), arrays["X_indices"], arrays["X_indptr"], arrays["X_shape"])
    n, y, edges = words.shape[0], arrays["y"].astype(np.int64), arrays["edges"].astype(np.int64)
    part = np.full(n, "", "<U5")
    indices = [arrays[f"{name}_idx"].astype(np.int64) for name in ("train", "valid", "test")]
    numbers = np.concatenate([edges.ravel(), *indices])
    if len(y) != n or edges.shape[1] != 2 or ((numbers < 0) | (numbers >= n)).any() or not np.isin(y, np.arange(7)).all():
        found = f"{len(y)} labels, {len(edges)} edges"
        raise DataError(path, None, f"labels 0 to 6 of {n} papers, edges and parts among them", found)
    for name, index in zip(("train", "valid", "test"), indices, strict=True):
        part[index] = name
    return Dataset([(words, edges)], [y], part=part)
