"""Handwritten words as chains of letters: the OCR data of Kassel (1995), as Taskar, Guestrin & Koller (2003) cut it."""

import string
from itertools import pairwise

import numpy as np

from .archive import read_npz
from .errors import DataError
from .folder import dataset_path
from .lines import PathLike
from .record import Dataset

__all__ = ["load_letters"]


def load_letters(path: PathLike | None = None) -> Dataset:
    """Words of lower-case letters (the first, a capital, is left out by the creators), each letter 16 x 8 pixels.

    Parameters
    ----------
    path : str or path, optional
        A file `letters.npz` with `pixels (rows, 128)`, `labels (rows,)`, `offsets (words + 1,)` and `fold (words,)`;
        word w is the rows from `offsets[w]` to `offsets[w + 1]`. By default `letters/letters.npz` in the data folder.

    Returns
    -------
    Dataset
        X holds one array (T, 128) of 0.0 and 1.0 per word, Y one array (T,) of 0 to 25, which `label_names` spells;
        `part` is the fold of each word, 0 to 9.
    """
    path = dataset_path("letters", "letters.npz") if path is None else path
    arrays = read_npz(path, {"pixels": 2, "labels": 1, "offsets": 1, "fold": 1})
    pixels, labels, offsets, fold = arrays["pixels"], arrays["labels"], arrays["offsets"].astype(np.int64), arrays["fold"]
    n_rows = len(pixels)
    if len(labels) != n_rows or len(fold) + 1 != len(offsets) or not _cuts(offsets, n_rows):
        found = f"{n_rows} rows, {len(labels)} labels, {len(offsets)} offsets, {len(fold)} folds"
        raise DataError(path, None, "one label per row, and offsets from 0 to the number of rows", found)
    if not (np.isin(pixels, (0, 1)).all() and np.isin(labels, np.arange(26)).all()):
        raise DataError(path, None, "pixels 0 and 1, labels 0 to 25", "others")
    X, Y = pixels.astype(float), labels.astype(np.int64)
    words = list(pairwise(offsets.tolist()))
    return Dataset(
        [X[a:b] for a, b in words], [Y[a:b] for a, b in words], label_names=list(string.ascii_lowercase), part=fold.astype(np.int64)
    )


def _cuts(offsets: np.ndarray, n_rows: int) -> bool:
    return len(offsets) > 1 and offsets[0] == 0 and offsets[-1] == n_rows and bool((np.diff(offsets) > 0).all())
