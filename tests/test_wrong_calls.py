"""Wrong calls of estimators; test_wrong_calls_everywhere has those of all other public names. Each is told what was expected."""

import inspect

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction import FeatureHasher
from test_estimators import ALL, CASES, CLASSES, NODES, SEQUENCES, SETS

import taut
from taut import estimators
from taut.estimators import EarlyStopping, PathCV, PerSequence

X, Y = SETS.X, SETS.Y
XS, YS = SEQUENCES.X, SEQUENCES.Y
HOLED = np.where(np.arange(X.size).reshape(X.shape) == 7, np.nan, X)
NAMED = [("a", "b"), ("a", "c")]


def chain(x, y, **params):
    return lambda: taut.ChainSSVM(**params).fit(x, y)


def sets(x, y, **params):
    return lambda: taut.MultiLabelSSVM(**params).fit(x, y)


def classes(x, y, **params):
    return lambda: taut.MulticlassSSVM(**params).fit(x, y)


def trees(x, y):
    return lambda: taut.TreeSSVM().fit(x, y)


def graphs(x, y):
    return lambda: taut.GraphSSVM().fit(x, y)


def matchings(x, y, **params):
    return lambda: taut.MatchingSSVM(**params).fit(x, y)


def nodes(x, y, hierarchy, **keywords):
    return lambda: taut.HierarchicalSSVM(hierarchy=hierarchy, **keywords).fit(x, y)


def orphans():
    """A node without its parent."""
    broken = NODES.Y.copy()
    parent, child = NODES.truth.edges[0]
    broken[3, parent], broken[3, child] = 0, 1
    return broken


# what was done wrong, the call, words of the error
WRONG = {
    "classes without labels": (lambda: taut.MulticlassSSVM().fit(X), "the target y is None"),
    "classes: too few labels": (classes(X, CLASSES[:-1]), r"one class per row of `X` \(60\); it has 59"),
    "classes: fractions": (classes(X, X[:, 0]), "continuous"),
    "classes: a matrix": (classes(X, Y), "shape"),
    "classes: mixed": (classes(X, [1, "a"] * 30), "label"),
    "classes: no rows": (classes(np.zeros((0, 4)), []), "0 sample"),
    "classes: one dimension": (classes(X[:, 0], CLASSES), "2D array"),
    "classes: nan": (classes(HOLED, CLASSES), "NaN"),
    "classes: texts": (classes(X.astype(str).astype(object) + "x", CLASSES), "could not convert string"),
    "classes: objects": (classes(np.array([[{}] * 4] * 60), CLASSES), "number"),
    "sets without labels": (lambda: taut.MultiLabelSSVM().fit(X), "the target y is None"),
    "sets: classes": (sets(X, CLASSES), "MulticlassSSVM"),
    "sets: other numbers": (sets(X, Y + 1), "must hold 0 and 1; found"),
    "sets: fractions": (sets(X, Y / 2), "must hold 0 and 1; found"),
    "sets: texts": (sets(X, Y.astype(str)), "must hold 0 and 1; found"),
    "sets: too few": (sets(X, Y[:-1]), r"shape \(60, 4\); found \(59, 4\)"),
    "sets: empty": (sets(X, []), "found"),
    "sets: empty sets": (sets(X, [set()] * 60), "at least one label"),
    "sets: mixed names": (sets(X, [{1, "a"}] * 60), "one type"),
    "sets: lists of names": (sets(X, [["a"], ["a", "b"]] * 30), "list of sets"),
    "sets: edges": (sets(X, Y, edges="all"), "'none', 'tree', 'full'"),
    "sets: edges to nowhere": (sets(X, Y, edges=[(0, 9)]), "from 0 to 3; found 9"),
    "sets: a loss of sequences": (sets(X, Y, loss=taut.losses.Cost([[0, 1], [1, 0]])), "cannot optimise this Cost exactly. It can"),
    "nodes without hierarchy": (nodes(X, Y, None), "`hierarchy` must be pairs"),
    "nodes: not closed": (nodes(NODES.X, orphans(), NODES.truth.edges), r"`Y\[3\]` must be closed under ancestors: 1 .* parent 0"),
    "nodes: not closed, named": (nodes(X, [{"b"}] * 60, NAMED), "b is active and its parent a is not"),
    "nodes: unknown name": (nodes(X, [{"z"}] * 60, NAMED), r"`Y\[0\]` holds the label 'z'; expected labels among 'a', 'b', 'c'"),
    "nodes: too few columns": (nodes(X, Y, NODES.truth.edges), r"one column per node of `hierarchy` \(14\); it has 4"),
    "nodes: a triple": (nodes(X, Y, [(0, 1, 2)]), r"`hierarchy\[0\]` must be a pair"),
    "nodes: a text": (nodes(X, Y, "a/b"), "several texts"),
    "nodes: double slash": (nodes(X, Y, ["a//b"]), "single slashes"),
    "nodes: two parents": (nodes(X, Y[:, :3] * 0, [(0, 2), (1, 2)], leaves_only=True), "several parents"),
    "nodes: a cycle": (nodes(X, Y, [(0, 1), (1, 2), (2, 0)]), "cycle|closed"),
    "nodes: mixed names": (nodes(X, [{"a"}] * 60, [("a", 1)]), "all texts or all integers"),
    "chains: empty": (chain([], []), "at least one example; found none"),
    "chains: one array": (chain(XS[0], YS[0]), r"`X\[0\]` must have"),
    "chains: sparse matrix": (chain(sparse.csr_array(X), Y), "Put a single example into a list"),
    "chains: no rows": (chain([XS[0], XS[0][:0]], YS[:2]), r"`X\[1\]` must have at least one row"),
    "chains: other widths": (chain([XS[0], XS[1][:, 1:]], YS[:2]), r"`X\[1\]` must have .* 4 features, as `X\[0\]`"),
    "chains: dense and sparse": (chain([XS[0], sparse.csr_array(XS[1])], YS[:2]), "all dense or all sparse"),
    "chains: nan": (chain([x * np.nan for x in XS], YS), "finite"),
    "chains: dictionaries": (chain([[{"a": 1}]], [["b"]]), "PerSequence"),
    "chains: too few labels": (chain(XS, YS[:-1]), r"one sequence of labels per example of `X` \(30\); it has 29"),
    "chains: a short one": (chain(XS, [YS[0][:-1], *YS[1:]]), r"`Y\[0\]` must hold one label per row of `X\[0\]`"),
    "chains: no labels": (chain(XS, None), "found None"),
    "chains: fractions": (chain(XS, [y + 0.5 for y in YS]), "texts or all integers; found float64"),
    "chains: objects": (chain(XS, [np.array([None] * len(y), object) for y in YS]), "mixed objects"),
    "chains: texts and numbers": (chain(XS, [YS[0].astype(str), *YS[1:]]), r"texts or integers throughout; `Y\[1\]`"),
    "chains: offsets": (chain((np.concatenate(XS), np.array([0, 3])), YS), "rising from 0 to the number of rows"),
    "chains: F1": (chain(XS, YS, loss="f1"), "cannot optimise F1 exactly. It can"),
    "trees: no pairs": (trees(XS, YS), r"`X\[0\]` must be a pair"),
    "trees: edges of a kind": (trees([(XS[0], [(0.5, 1)])], YS[:1]), r"edges of `X\[0\]` must be pairs of node numbers"),
    "trees: a cycle": (trees([(np.ones((3, 1)), [(0, 1), (1, 2), (2, 0)])], [[0, 1, 0]]), "cycle"),
    "trees: edges to nowhere": (trees([(np.ones((3, 1)), [(0, 7)])], [[0, 1, 0]]), "7"),
    "graphs: no pairs": (graphs(XS, YS), r"`X\[0\]` must be a pair"),
    "graphs: edges to nowhere": (graphs([(np.ones((3, 1)), [(0, 7)])], [[0, 1, 0]]), "7"),
    "graphs: no labels": (graphs([(np.ones((2, 1)), [(0, 1)])], None), "found None"),
    "matchings: one array": (matchings(3, [[0]]), r"one array \(n, m, n_features\) per example; found int"),
    "matchings: no pairs": (matchings([np.ones((2, 2))], [[0, 1]]), r"`X\[0\]` must have shape \(n, m, n_features\)"),
    "matchings: too few columns": (matchings([np.ones((3, 2, 1))], [[0, 1, 0]]), r"1 <= n <= m; found \(3, 2, 1\)"),
    "matchings: objects": (matchings([np.array([[[{}]]])], [[0]]), r"`X\[0\]` must hold numbers"),
    "matchings: nan": (matchings([np.full((1, 1, 1), np.nan)], [[0]]), "must be finite"),
    "matchings: no labels": (matchings([np.ones((1, 1, 1))], None), "found None"),
    "matchings: a column twice": (matchings([np.ones((2, 2, 1))], [[0, 0]]), r"`Y\[0\]`"),
    "matchings: class weights": (matchings([np.ones((1, 1, 1))], [[0]], class_weight="balanced"), "`class_weight` must be None"),
    "C": (classes(X, CLASSES, C=0.0), "`C` must be positive and finite; found 0.0"),
    "loss": (classes(X, CLASSES, loss="huber"), "`loss` must be one of"),
    "rescaling": (classes(X, CLASSES, rescaling="both"), "`rescaling` must be"),
    "solver": (classes(X, CLASSES, solver="adam"), "`solver` must be one of 'bcfw'"),
    "search": (classes(X, CLASSES, search="depth"), "`search` must be one of 'auto'"),
    "tol": (classes(X, CLASSES, tol=-1.0), "`tol` must be"),
    "max_iter": (classes(X, CLASSES, max_iter=-1), "`max_iter` must be"),
    "max_time": (classes(X, CLASSES, max_time=0), "`max_time` must be"),
    "oracle_tol": (classes(X, CLASSES, oracle_tol=-1.0), "`oracle_tol` must be"),
    "n_jobs": (classes(X, CLASSES, n_jobs=0), "`n_jobs` must be"),
    "class_weight": (chain(XS, YS, class_weight=3), "`class_weight` must be None, 'balanced' or a dictionary"),
    "transitions": (lambda: chain(XS, YS, transitions="bilou")().predict(XS), "`transitions` must be None, 'bio'"),
    "no C": (lambda: PathCV(taut.ChainSSVM(), Cs=[]).fit(XS, YS), "`Cs` must hold at least one value; found none"),
    "patience": (lambda: EarlyStopping(X, Y, patience=0), "`patience` must be at least 1; found 0"),
    "a single sequence": (lambda: PerSequence(FeatureHasher()).fit([{"a": 1}]), "Put a single sequence into a list"),
    "no sequence": (lambda: PerSequence(FeatureHasher()).fit([]), "at least one sequence; found none"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_wrong_calls_are_told(name):
    call, words = WRONG[name]
    with pytest.raises((ValueError, TypeError), match=words):
        call()


@ALL
def test_wrong_calls_of_fitted_estimators_are_told(case):
    model, x, y, _ = case
    with pytest.raises(NotFittedError):
        clone(model).predict(x)
    calls = {
        "predict": [x], "predict_topk": [x, 2], "decision_function": [x], "score": [x, y], "save": ["model.taut"], "diagnosis": [],
        "fit": [x, None], "partial_fit": [x, None], "estimate_cost": [x, None],
    }  # fmt: skip
    written = [getattr(type(model), name) for name in dir(type(model)) if not name.startswith("_")]
    ours = {f.__name__ for f in written if callable(f) and f.__module__.startswith("taut")} - {"set_callbacks"}
    assert ours <= set(calls), "call the new methods wrongly here"
    for method in ours & set(calls):
        with pytest.raises((NotFittedError, ValueError), match=r"not fitted|`Y` must|target y is None"):
            getattr(clone(model).set_params(solver="sgd"), method)(*calls[method])
    model = clone(model).fit(x, y)
    wider = [(a[0].repeat(2, axis=1), a[1]) if isinstance(a, tuple) else a.repeat(2, axis=-1) for a in x]
    wider = np.array(wider) if isinstance(x, np.ndarray) else wider
    margins = getattr(model, "decision_function", model.predict)
    for call in (model.predict, lambda z: model.score(z, y), lambda z: model.predict_topk(z, 2), margins):
        with pytest.raises(ValueError, match=r"8 features.*4 features"):
            call(wider)
    with pytest.raises(ValueError, match="`k` must be a whole number of at least 1; found 0"):
        model.predict_topk(x, 0)
    with pytest.raises(ValueError, match="one entry per example"):
        model.predict(x, clamp=[])
    with pytest.raises(ValueError):
        model.score(x, y[:-1])
    with pytest.raises(ValueError, match="sample_weight"):
        model.fit(x, y, -np.ones(len(x)))
    with pytest.raises(ValueError, match="sample_weight"):
        model.fit(x, y, np.ones(len(x) + 1))


def test_labels_that_were_never_seen_are_wrong_answers_and_no_errors():
    model = taut.ChainSSVM().fit(XS, YS)
    assert model.score(XS, [np.full(len(y), 99) for y in YS]) == 0.0
    model = taut.MulticlassSSVM().fit(X, CLASSES)
    assert model.score(X, np.full(len(X), "z")) == 0.0


def test_every_public_estimator_is_called_wrongly_here():
    called = {type(model).__name__ for model, *_ in CASES.values()} | {"EarlyStopping", "PathCV", "PerSequence"}
    called |= {"GraphSSVM", "MatchingSSVM"}  # in `WRONG`
    records = {"Cost", "Keep", "NotSaved"}
    assert called | records | {"load"} == set(estimators.__all__)
    assert inspect.isfunction(estimators.load)  # its wrong calls are in test_model_files
