"""Readers on the published files, where they are (`TAUT_DATA`): the totals that were counted independently."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from taut.datasets import data_folder, iter_arff, load_arff, load_conll, load_cora, load_letters, load_rcv1, load_snakes

FOLDER = data_folder()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="no data folder: set TAUT_DATA to run the tests on real data")


def file(*parts: str) -> Path:
    assert FOLDER is not None
    return FOLDER.joinpath(*parts)


# rows, features, labels, ones in Y, rows without label, non-zeros in X
MULAN = {
    "yeast-train": (1500, 103, 14, 6342, 0, 154500),
    "yeast-test": (917, 103, 14, 3899, 0, 94450),
    "scene-train": (1211, 294, 6, 1286, 0, 351805),
    "scene-test": (1196, 294, 6, 1299, 0, 347724),
    "enron-train": (1123, 1001, 53, 3803, 0, 94535),
    "enron-test": (579, 1001, 53, 1947, 0, 48555),
    "bibtex-train": (4880, 1836, 159, 11616, 0, 334250),
    "bibtex-test": (2515, 1836, 159, 6146, 0, 173496),
    "delicious-train": (12920, 500, 983, 246088, 10, 239549),
    "delicious-test": (3185, 500, 983, 60229, 4, 55065),
}


@pytest.mark.parametrize("stem", MULAN)
def test_mulan(stem: str) -> None:
    name = stem.split("-")[0]
    X, Y = load_arff(file(name, f"{stem}.arff.gz"), file(name, f"{name}.xml"))
    non_zeros = X.nnz if scipy.sparse.issparse(X) else np.count_nonzero(X)
    assert (*X.shape, Y.shape[1], Y.sum(), (Y.sum(axis=1) == 0).sum(), non_zeros) == MULAN[stem]


# rows, features, classes, edges including those below the root, missing values
CLUS = {
    "hmc-Enron_corr/Enron_corr_trainvalid": (988, 1001, 56, 56, 0),
    "hmc-ImCLEF07A/ImCLEF07A_Test": (1006, 80, 96, 96, 0),
    "hmc-yeast-FUN/cellcycle_FUN.train": (1628, 77, 499, 499, 7571),
    "hmc-yeast-FUN/derisi_FUN.test": (1275, 63, 499, 499, 0),
    "hmc-yeast-FUN/eisen_FUN.valid": (529, 79, 461, 461, 796),
    "hmc-yeast-GO/cellcycle_GO.test": (1278, 77, 4125, 5827, 5174),
    "hmc-yeast-GO/eisen_GO.train": (1055, 79, 3573, 5037, 1638),
}


@pytest.mark.parametrize("stem", CLUS)
def test_clus(stem: str) -> None:
    data = load_arff(file(f"{stem}.arff.gz"), missing="nan")
    edges = data.hierarchy
    n_rows, n_features, n_classes, n_edges, n_missing = CLUS[stem]
    assert data.X.shape == (n_rows, n_features) and data.Y.shape == (n_rows, n_classes)
    assert np.isnan(data.X).sum() == n_missing
    roots = set(range(n_classes)) - set(edges[:, 1].tolist())
    if "GO" in stem:  # a node of the graph may hang below the root and another one
        assert len(edges) + len(roots) <= n_edges and len(roots) < 10
    else:
        assert len(edges) + len(roots) == n_edges
    assert (data.Y[:, edges[:, 1]] <= data.Y[:, edges[:, 0]]).all() and (data.Y.sum(axis=1) > 0).all()


def test_nominal_attributes_and_pieces() -> None:
    path = file("hmc-yeast-FUN", "seq_FUN.train.arff.gz")
    whole = load_arff(path, missing="nan")
    # 473 numeric attributes, and five nominal ones with 2, 8, 17, 11 and 18 values
    assert whole.X.shape == (1701, 473 + 2 + 8 + 17 + 11 + 18)
    assert {"strand=w", "strand=c"} <= set(whole.feature_names)
    pieces = list(iter_arff(path, missing="nan", chunk=500))
    assert [len(piece.Y) for piece in pieces] == [500, 500, 500, 201]
    assert np.array_equal(np.concatenate([piece.X for piece in pieces]), whole.X, equal_nan=True)
    filled = load_arff(path, missing="mean")
    assert np.allclose(filled.X.mean(axis=0), np.nanmean(whole.X, axis=0))


def test_classes_of_a_hierarchy_are_in_one_order_in_all_files() -> None:
    names = [load_arff(file("hmc-yeast-FUN", f"eisen_FUN.{part}.arff.gz"), missing="nan").label_names for part in ("train", "test")]
    assert names[0] == names[1]


@pytest.mark.parametrize(("part", "counts"), [("train", (8936, 211727, 44, 22)), ("test", (2012, 47377, 43, 19))])
def test_conll2000(part: str, counts: tuple[int, ...]) -> None:
    X, Y = load_conll(file("conll2000", f"{part}.txt.gz"))
    tags, chunks = {token[1] for x in X for token in x}, {label for y in Y for label in y}
    assert (len(X), sum(map(len, X)), len(tags), len(chunks)) == counts
    assert all(len(x) == len(y) for x, y in zip(X, Y, strict=True))


def test_letters() -> None:
    data = load_letters()
    assert len(data.X) == len(data.Y) == 6877 and sum(map(len, data.X)) == 52152
    assert sum(x.sum() for x in data.X) == 1466486
    assert np.bincount(data.part).tolist() == [626, 704, 684, 698, 693, 651, 739, 717, 690, 675]
    assert "".join(data.label_names[k] for k in data.Y[0]) == "ommanding"


@pytest.mark.parametrize(
    ("subset", "part", "counts"),
    [(1, "train", (229997, 8743)), (1, "test", (233311, 8627)), (3, "train", (235311, 8687))],
)
def test_rcv1(subset: int, part: str, counts: tuple[int, int]) -> None:
    data = load_rcv1(subset, part)
    assert data.X.shape == (3000, 47236) and data.X.nnz == counts[0]
    assert np.allclose(np.sqrt(data.X.multiply(data.X).sum(axis=1)), 1.0, atol=1e-5)
    restored = data.label_names.index("MCAT")
    assert data.Y.shape == (3000, 102) and data.Y.sum() - data.Y[:, restored].sum() == counts[1]
    roots = {data.label_names[k] for k in set(range(102)) - set(data.hierarchy[:, 1].tolist())}
    assert len(data.hierarchy) == 98 and roots == {"CCAT", "ECAT", "GCAT", "MCAT"}
    markets = data.hierarchy[data.hierarchy[:, 0] == restored, 1]
    assert [data.label_names[k] for k in markets] == ["M11", "M12", "M13", "M14"]
    assert (data.Y[:, restored] == data.Y[:, markets].max(axis=1)).all()


def test_snakes() -> None:
    for part, n_grids, n_cells in [("train", 200, 7566), ("test", 100, 3750)]:
        X, Y = load_snakes(part)
        assert len(X) == n_grids and sum(map(len, Y)) == n_cells
        for (cells, edges), y in zip(X, Y, strict=True):
            assert len(cells) == len(y) and sorted(y[y > 0]) == list(range(1, 11))
            neighbours = {(int(y[a]), int(y[b])) for a, b in edges} | {(int(y[b]), int(y[a])) for a, b in edges}
            assert all((k, k + 1) in neighbours for k in range(1, 10)), "a snake is connected"


def test_cora() -> None:
    data = load_cora()
    (((words, edges),), (y,)) = data
    assert words.shape == (2708, 1433) and words.nnz == 49216 and edges.shape == (5278, 2)
    assert len(set(y.tolist())) == 7
    assert [int((data.part == name).sum()) for name in ("train", "valid", "test")] == [140, 500, 1000]
