"""Published data as the tables use it: one matrix of all examples, the standard split, and resplits of the same sizes."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from taut.datasets import load_arff, load_conll
from taut.datasets.folder import dataset_path


class Sets(NamedTuple):
    """Examples of label sets, those of the published training file first; `hierarchy` holds pairs (parent, child) of labels."""

    X: Any
    Y: np.ndarray
    n_train: int
    hierarchy: np.ndarray | None = None


HIERARCHIES = {  # folder, files for training, files for testing
    "Enron": ("hmc-Enron_corr", ["Enron_corr_trainvalid"], ["Enron_corr_test"]),
    "ImCLEF07A": ("hmc-ImCLEF07A", ["ImCLEF07A_Train"], ["ImCLEF07A_Test"]),
    "cellcycle": ("hmc-yeast-FUN", ["cellcycle_FUN.train", "cellcycle_FUN.valid"], ["cellcycle_FUN.test"]),
}


def label_sets(name: str) -> Sets:
    """Yeast, Scene, Enron: a data set of MULAN, features as published."""
    stem = name.lower()
    files = [dataset_path(stem, f"{stem}-{part}.arff.gz") for part in ("train", "test")]
    return _joined([load_arff(file, dataset_path(stem, f"{stem}.xml")) for file in files], 1, None)


def hierarchies(name: str) -> Sets:
    """A data set of CLUS, labels with all their ancestors. Words of a mail are CSR; NaN is where a feature is missing."""
    folder, train, test = HIERARCHIES[name]
    parts = [load_arff(dataset_path(folder, f"{stem}.arff.gz"), missing="nan") for stem in (*train, *test)]
    data = _joined(parts, len(train), parts[0].hierarchy)
    return data._replace(X=scipy.sparse.csr_array(data.X)) if name == "Enron" else data


def _joined(parts: list[Any], n_train_files: int, hierarchy: np.ndarray | None) -> Sets:
    X, Y = [part.X for part in parts], [np.asarray(part.Y) for part in parts]
    stacked = scipy.sparse.vstack(X, format="csr") if scipy.sparse.issparse(X[0]) else np.concatenate(X)
    return Sets(stacked, np.concatenate(Y), sum(map(len, Y[:n_train_files])), hierarchy)


def split(data: Sets, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Ids for training and for testing: number 0 is the published split, any other the seed of a random one of the same sizes."""
    n = len(data.Y)
    order = np.arange(n) if number == 0 else np.random.default_rng(number).permutation(n)
    return order[: data.n_train], order[data.n_train :]


def scaled() -> Any:
    """Measurements for linear models: means where they are missing, then columns of mean 0 and variance 1, rows of norm about 1."""
    shrink = FunctionTransformer(lambda X: X / np.sqrt(X.shape[1]))
    return make_pipeline(SimpleImputer(), StandardScaler(), shrink)


def chunks(part: str) -> Any:
    """Sentences of CoNLL-2000 and their chunk tags."""
    return load_conll(dataset_path("conll2000", f"{part}.txt.gz"))
