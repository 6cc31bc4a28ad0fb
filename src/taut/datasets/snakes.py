"""Drawings of snakes on grids (Nowozin et al., ICCV 2011): which cell is which part of the snake."""

from typing import Literal

import numpy as np

from .archive import read_npz
from .errors import DataError
from .folder import dataset_path
from .lines import PathLike
from .record import Dataset, Edges

__all__ = ["load_snakes"]


def load_snakes(part: Literal["train", "test"] = "train", path: PathLike | None = None) -> Dataset:
    """One graph per drawing: cells and their neighbours to the right and below.

    Parameters
    ----------
    part : {"train", "test"}
    path : str or path, optional
        A file `snakes.npz` with `X_<part> (cells, 3)`, `Y_<part> (cells,)` and `shapes_<part> (grids, 2)`, cells row by
        row. By default `snakes/snakes.npz` in the data folder.

    Returns
    -------
    Dataset
        X holds one pair (features (cells, 3) from 0 to 1, edges (m, 2)) per drawing, Y one array (cells,) of 0
        (background) and 1 to 10 (positions along the snake).
    """
    path = dataset_path("snakes", "snakes.npz") if path is None else path
    arrays = read_npz(path, {f"X_{part}": 2, f"Y_{part}": 1, f"shapes_{part}": 2})
    colours, labels, shapes = (arrays[f"{name}_{part}"] for name in ("X", "Y", "shapes"))
    sizes = [int(h) * int(w) for h, w in shapes] if shapes.shape[1] == 2 else [0]
    if colours.shape[1] != 3 or not len(colours) == len(labels) == sum(sizes) or min(sizes, default=0) < 1 or shapes.min() < 1:
        found = f"{colours.shape} colours, {len(labels)} labels, {sum(sizes)} cells"
        raise DataError(path, None, "three colours and a label for every cell of the grids", found)
    if not np.isin(labels, np.arange(11)).all():
        raise DataError(path, None, "labels 0 to 10", "others")
    cuts = np.cumsum(sizes)[:-1]
    cells = np.split(colours / 255.0, cuts)
    X = [(features, grid_edges(int(h), int(w))) for features, (h, w) in zip(cells, shapes, strict=True)]
    return Dataset(X, np.split(labels.astype(np.int64), cuts), feature_names=["red", "green", "blue"])


def grid_edges(height: int, width: int) -> Edges:
    """Pairs of cells side by side, then one above the other, cells numbered row by row."""
    cell = np.arange(height * width).reshape(height, width)
    beside = np.stack([cell[:, :-1].ravel(), cell[:, 1:].ravel()], axis=1)
    below = np.stack([cell[:-1].ravel(), cell[1:].ravel()], axis=1)
    return np.concatenate([beside, below])
