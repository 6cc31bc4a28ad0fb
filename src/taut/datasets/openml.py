"""Multi-label data from openml.org, for people with a network, through scikit-learn's `fetch_openml`."""

from typing import Any

import numpy as np

from .lines import PathLike
from .record import Dataset

__all__ = ["fetch_multilabel"]

# The collection of multi-label sets in the format of MULAN and MEKA; their numbers on openml.org.
NUMBERS = {
    "birds": 40588,
    "emotions": 40589,
    "enron": 40590,
    "genbase": 40591,
    "image": 40592,
    "langlog": 40593,
    "reuters": 40594,
    "scene": 40595,
    "slashdot": 40596,
    "yeast": 40597,
}


def fetch_multilabel(name: str, *, data_home: PathLike | None = None, cache: bool = True) -> Dataset:
    """Fetch a multi-label data set by name, from scikit-learn's cache where it was fetched before.

    These are whole data sets: openml.org does not keep the published splits into training and test data.

    Parameters
    ----------
    name : {"birds", "emotions", "enron", "genbase", "image", "langlog", "reuters", "scene", "slashdot", "yeast"}
    data_home : path, optional
        Folder of the cache; by default scikit-learn's.
    cache : bool

    Raises
    ------
    ConnectionError
        No network, or openml.org does not answer.
    """
    from sklearn.datasets import fetch_openml

    if name not in NUMBERS:
        raise ValueError(f"`name` must be one of {', '.join(NUMBERS)}; it is {name!r}.")
    try:
        found = fetch_openml(data_id=NUMBERS[name], as_frame=False, parser="liac-arff", data_home=data_home, cache=cache)
    except OSError as error:  # URLError, HTTPError, timeouts
        raise ConnectionError(
            f"{name} must be fetched from openml.org ({error}); expected a network, or the data set in the cache of "
            f"scikit-learn. Without either, load a file with `load_arff`."
        ) from error
    return Dataset(found.data, _truth(name, found.target), list(found.feature_names), list(found.target_names))


def _truth(name: str, target: Any) -> np.ndarray:
    """0/1 of the texts that openml.org has for labels."""
    text = np.char.lower(np.asarray(target).astype(str))
    true, false = np.isin(text, ("true", "1", "1.0")), np.isin(text, ("false", "0", "0.0"))
    if target.ndim != 2 or not (true | false).all():
        raise ValueError(f"{name}: expected labels TRUE and FALSE, one column each; found {target.shape}, {np.unique(text)[:5]}.")
    return true.astype(np.int8)
