"""Published data as the tables use it."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from taut.datasets import load_arff, load_conll
from taut.datasets.folder import dataset_path


class Sets(NamedTuple):
    """Examples to train and to test on, each X and Y as published; `hierarchy` holds pairs (parent, child) of labels."""

    train: tuple[Any, np.ndarray]
    test: tuple[Any, np.ndarray]
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
    train, test = (load_arff(file, dataset_path(stem, f"{stem}.xml")) for file in files)
    return Sets((train.X, train.Y), (test.X, test.Y))


def hierarchies(name: str) -> Sets:
    """A data set of CLUS, labels with all their ancestors. Words of a mail are CSR; NaN is where a feature is missing."""
    folder, train, test = HIERARCHIES[name]
    sides = []
    for stems in (train, test):
        parts = [load_arff(dataset_path(folder, f"{stem}.arff.gz"), missing="nan") for stem in stems]
        X = np.concatenate([part.X for part in parts])
        sides.append((scipy.sparse.csr_array(X) if name == "Enron" else X, np.concatenate([part.Y for part in parts])))
    return Sets(*sides, parts[0].hierarchy)


def scaled() -> Any:
    """Measurements for linear models: means where they are missing, then columns of mean 0 and variance 1, rows of norm about 1."""
    shrink = FunctionTransformer(lambda X: X / np.sqrt(X.shape[1]))
    return make_pipeline(SimpleImputer(), StandardScaler(), shrink)


def chunks(part: str) -> Any:
    """Sentences of CoNLL-2000 and their chunk tags."""
    return load_conll(dataset_path("conll2000", f"{part}.txt.gz"))
