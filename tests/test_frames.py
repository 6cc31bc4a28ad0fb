"""What people hand to estimators and take from them: frames of pandas and polars, graphs of networkx, files of skops."""

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler
from test_estimators import ALL, CASES, CLASSES, NODES, SEQUENCES, SETS

import taut
from taut.estimators import PathCV, PerSequence
from taut.losses import F1, Cost, Hamming, Jaccard, ZeroOne
from taut.metrics import scorer

NAMES, LABELS = ["a", "b", "c", "d"], ["u", "v", "w", "x"]
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
BOTH = pytest.mark.parametrize("library", FRAMES)


def frame(library, X, names):
    """A data frame with these columns."""
    return FRAMES[library](dict(zip(names, np.asarray(X).T, strict=True)))


def same(model, other):
    return np.array_equal(model.coef_, other.coef_) and np.array_equal(model.intercept_, other.intercept_)


@BOTH
def test_label_sets_of_frames(library):
    X, Y = frame(library, SETS.X, NAMES), frame(library, SETS.Y, LABELS)
    plain = taut.MultiLabelSSVM(edges="tree").fit(SETS.X, SETS.Y)
    model = taut.MultiLabelSSVM(edges="tree").fit(X, Y)
    assert same(model, plain) and model.feature_names_in_.tolist() == NAMES and model.classes_.tolist() == LABELS
    assert model.score(X, Y) == plain.score(SETS.X, SETS.Y)
    with pytest.raises(ValueError, match="same order"):
        model.predict(X[NAMES[::-1]])
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time.*z"):
        model.predict(frame(library, SETS.X, ["z", *NAMES[1:]]))
    with pytest.raises(ValueError, match=r"columns of `Y` must be the labels 'u', 'v', 'w', 'x', in this order; found 'x'"):
        model.score(X, Y[LABELS[::-1]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(SETS.X)
    search = PathCV(taut.MultiLabelSSVM(), Cs=[0.1, 1.0], scoring="example-f1").fit(X, Y)
    assert search.feature_names_in_.tolist() == NAMES and search.n_features_in_ == 4 and search.classes_.tolist() == LABELS


@BOTH
def test_streams_and_weights_of_frames(library):
    X, Y = frame(library, SETS.X, NAMES), frame(library, SETS.Y, LABELS)
    weights = np.arange(60) % 3 + 1.0
    series = {"pandas": pd.Series, "polars": pl.Series}[library]
    assert same(
        taut.MultiLabelSSVM().fit(X, Y, series(weights)), taut.MultiLabelSSVM().fit(SETS.X, SETS.Y, weights)
    )  # fmt: skip
    stream = taut.MultiLabelSSVM(solver="sgd").partial_fit(X, Y)
    with pytest.raises(ValueError, match="same order"):
        stream.partial_fit(X[NAMES[::-1]], Y)
    with pytest.raises(ValueError, match="in this order"):
        stream.partial_fit(X, Y[LABELS[::-1]])
    sets = [{"u"}, {"v", "w"}, set()] * 20
    model = taut.MultiLabelSSVM().fit(X, series(sets))
    assert model.score(X, series(sets)) == model.score(X, sets) and model.classes_.tolist() == ["u", "v", "w"]


@BOTH
def test_classes_of_frames(library):
    X, y = frame(library, SETS.X, NAMES), {"pandas": pd.Series, "polars": pl.Series}[library](CLASSES)
    model = taut.MulticlassSSVM().fit(X, y)
    assert same(model, taut.MulticlassSSVM().fit(SETS.X, CLASSES)) and model.score(X, y) > 0.8
    assert cross_val_score(taut.MulticlassSSVM(), X, y, cv=3).shape == (3,)
    assert PathCV(taut.MulticlassSSVM(), Cs=[0.1, 1.0]).fit(X, y).score(X, y) > 0.8
    with pytest.raises(ValueError, match=r"`Y\[0\]` is missing. Leave such rows out"):
        taut.MulticlassSSVM().fit(X, type(y)([None, *CLASSES[1:].tolist()]))


@BOTH
def test_sequences_of_frames(library):
    X = [frame(library, x, NAMES) for x in SEQUENCES.X]
    Y = [{"pandas": pd.Series, "polars": pl.Series}[library](y) for y in SEQUENCES.Y]
    plain = taut.ChainSSVM().fit(SEQUENCES.X, SEQUENCES.Y)
    model = taut.ChainSSVM().fit(X, Y)
    assert same(model, plain) and model.feature_names_in_.tolist() == NAMES
    assert model.score(X, Y) == plain.score(SEQUENCES.X, SEQUENCES.Y) == plain.score(X, SEQUENCES.Y)
    offsets = np.cumsum([0, *map(len, Y)])
    whole = frame(library, np.concatenate(SEQUENCES.X), NAMES)
    assert same(taut.ChainSSVM().fit((whole, offsets), np.concatenate(SEQUENCES.Y)), plain)
    with pytest.raises(ValueError, match=r"columns of `X` must be those of the fit, 'a', 'b', .* in this order; found \['d'"):
        model.predict([x[NAMES[::-1]] for x in X])
    with pytest.raises(ValueError, match=r"`X\[1\]` must have the columns of `X\[0\]`"):
        taut.ChainSSVM().fit([X[0], X[1][NAMES[::-1]], *X[2:]], Y)
    assert not hasattr(model.fit(SEQUENCES.X, SEQUENCES.Y), "feature_names_in_")
    trees = [(x, [(i, i + 1) for i in range(len(y) - 1)]) for x, y in zip(X, Y, strict=True)]
    assert taut.TreeSSVM().fit(trees, Y).feature_names_in_.tolist() == NAMES
    scaled = PerSequence(StandardScaler()).fit_transform(X)
    assert np.allclose(np.concatenate(scaled), StandardScaler().fit_transform(np.concatenate(SEQUENCES.X)))


def test_columns_of_pandas_that_are_sparse_or_nullable():
    thin = pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(SETS.X), columns=NAMES)
    Y = frame("pandas", SETS.Y, LABELS)
    plain = taut.MultiLabelSSVM().fit(sparse.csr_array(SETS.X), SETS.Y)
    for labels in (Y, Y.astype(pd.SparseDtype(int, 0)), Y.astype(bool), Y.astype("Int64"), Y.astype("boolean")):
        assert same(taut.MultiLabelSSVM().fit(thin, labels), plain)
    gaps = Y.astype("Int64")
    gaps.iloc[2, 1] = pd.NA
    with pytest.raises(ValueError, match="must hold 0 and 1; found"):
        taut.MultiLabelSSVM().fit(thin, gaps)
    category = pd.Series(CLASSES).astype("category")
    assert taut.MulticlassSSVM().fit(thin, category).classes_.tolist() == ["a", "b", "c"]


@BOTH
def test_columns_of_a_hierarchy_go_by_name(library):
    paths = ["root/left/low", "root/right"]
    nodes = ["root", "root/left", "root/left/low", "root/right"]
    Y = (SETS.Y > 0).astype(int)
    Y[:, 0] |= Y[:, 1:].max(axis=1)
    Y[:, 1] |= Y[:, 2]
    plain = taut.HierarchicalSSVM(hierarchy=paths).fit(SETS.X, Y)
    mixed = frame(library, Y, nodes)[nodes[::-1]]
    model = taut.HierarchicalSSVM(hierarchy=paths).fit(SETS.X, mixed)
    assert model.classes_.tolist() == nodes[::-1] and model.score(SETS.X, mixed) == plain.score(SETS.X, Y)
    assert model.primal_objective_ == pytest.approx(plain.primal_objective_, rel=2e-3)
    with pytest.raises(ValueError, match="'other' is only in one of them"):
        taut.HierarchicalSSVM(hierarchy=[*paths, "other"]).fit(SETS.X, mixed)


def test_hierarchies_of_networkx():
    graph = nx.DiGraph(NODES.truth.edges.tolist())
    plain = taut.HierarchicalSSVM(hierarchy=NODES.truth.edges).fit(NODES.X, NODES.Y)
    assert same(taut.HierarchicalSSVM(hierarchy=graph).fit(NODES.X, NODES.Y), plain)
    assert same(taut.HierarchicalSSVM(hierarchy=nx.MultiDiGraph([*graph.edges, *graph.edges])).fit(NODES.X, NODES.Y), plain)
    named = nx.DiGraph([("animal", "bird"), ("bird", "owl")])
    named.add_node("plant")
    model = taut.HierarchicalSSVM(hierarchy=named).fit(NODES.X, [{"plant"}, {"animal", "bird"}, set()] * 20)
    assert model.classes_.tolist() == ["animal", "bird", "owl", "plant"] and clone(model).hierarchy.nodes == named.nodes
    with pytest.raises(ValueError, match="directed graph, from parents to children; found one without directions"):
        taut.HierarchicalSSVM(hierarchy=nx.Graph([("a", "b")])).fit(NODES.X, [{"a"}] * 60)


def test_a_saved_model_does_not_need_the_graph(tmp_path):
    model = taut.HierarchicalSSVM(hierarchy=nx.DiGraph(NODES.truth.edges.tolist())).fit(NODES.X, NODES.Y)
    model.save(tmp_path / "m.taut")
    assert np.array_equal(taut.load(tmp_path / "m.taut").predict(NODES.X), model.predict(NODES.X))


@ALL
def test_skops_keeps_estimators(case):
    model, X, Y, _ = case
    model = clone(model).fit(X, Y)
    content = skops.io.dumps(model)
    trusted = [f"{type(model).__module__}.{type(model).__name__}", "taut.solvers.drive.Measure"]  # as docs/files.md lists them
    assert sorted(skops.io.get_untrusted_types(data=content)) == sorted(trusted)
    again = skops.io.loads(content, trusted=trusted)
    assert same(again, model) and again.history_ == model.history_ and again.score(X, Y) == model.score(X, Y)
    assert again.diagnosis() == model.diagnosis() and again.fit(X, Y).primal_objective_ == model.primal_objective_


@pytest.mark.parametrize("loss", [Hamming(normalize=False), ZeroOne(), F1(), Jaccard(), Cost(1 - np.eye(3))], ids=repr)
def test_skops_keeps_losses(loss):
    name = "classes" if isinstance(loss, Cost) else "sets"
    model, X, Y, _ = CASES[name]
    content = skops.io.dumps(clone(model).set_params(loss=loss).fit(X, Y))
    unknown = skops.io.get_untrusted_types(data=content)
    assert f"taut.losses.{type(loss).__name__}" in unknown and all(kind.startswith("taut.") for kind in unknown)
    assert repr(skops.io.loads(content, trusted=unknown).loss) == repr(loss)


@pytest.mark.parametrize("name", ["jaccard", "example-f1", "micro-f1", "macro-f1", "exact-match", "hamming"])
def test_scorers_take_frames(name):
    X, Y = frame("pandas", SETS.X, NAMES), frame("pandas", SETS.Y, LABELS)
    scores = cross_val_score(taut.MultiLabelSSVM(), X, Y, cv=3, scoring=scorer(name))
    assert np.array_equal(scores, cross_val_score(taut.MultiLabelSSVM(), SETS.X, SETS.Y, cv=3, scoring=scorer(name)))
