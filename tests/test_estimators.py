"""Estimators: the optimum of the stated objective, labels of any kind restored, and scikit-learn's ways."""

import pickle

import numpy as np
import pytest
from networkx import DiGraph
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import taut
from taut.datasets import make_chain, make_hierarchy, make_multilabel
from taut.estimators import EarlyStopping, PathCV
from taut.estimators.hierarchical import hierarchy_edges
from taut.losses import Cost, Hamming
from taut.metrics import scorer
from taut.search import lens_search
from taut.solvers import Checkpoint
from taut.structures import Chain, Hierarchy, Multiclass, MultiLabel, Tree

SETS = make_multilabel(60, 4, 4, edges="full", noise=0.3, rng=0)
NODES = make_hierarchy(60, 4, noise=0.3, rng=1)
SEQUENCES = make_chain(30, 4, 3, length=(1, 6), noise=0.3, rng=2)
CLASSES = np.array(["b", "c", "a"])[SETS.X[:, :3].argmax(axis=1)]
PATHS = [(x, [(i, i + 1) for i in range(len(x) - 1)]) for x in SEQUENCES.X]

# estimator, X, Y, its structure
CASES = {
    "classes": (taut.MulticlassSSVM(), SETS.X, CLASSES, Multiclass(3)),
    "sets": (taut.MultiLabelSSVM(), SETS.X, SETS.Y, MultiLabel(4)),
    "sets, tree": (taut.MultiLabelSSVM(edges="tree"), SETS.X, SETS.Y, MultiLabel(4, [(0, 1), (1, 2), (1, 3)])),
    "sets, full": (taut.MultiLabelSSVM(edges="full", loss="f1"), SETS.X, SETS.Y, MultiLabel(4, "full")),
    "hierarchy": (taut.HierarchicalSSVM(hierarchy=NODES.truth.edges), NODES.X, NODES.Y, Hierarchy(NODES.truth.edges)),
    "chains": (taut.ChainSSVM(), SEQUENCES.X, SEQUENCES.Y, Chain(3)),
    "trees": (taut.TreeSSVM(), PATHS, SEQUENCES.Y, Tree(3)),
}
ALL = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def rows_of(X):
    return [x[0] if isinstance(x, tuple) else np.atleast_2d(x) for x in X]


def potentials(model, structure, x):
    """The potentials of one example, by the estimator's definition."""
    rows = x[0] if isinstance(x, tuple) else np.atleast_2d(x)
    scores = rows @ model.coef_.T + model.intercept_
    match structure:
        case Chain():
            return structure.potentials(scores, model.pairwise_)
        case Tree():
            return structure.potentials(scores, model.pairwise_, np.array(x[1], np.int64).reshape(-1, 2))
        case MultiLabel() if model.pairwise_ is not None:
            return structure.potentials(scores[0], model.pairwise_)
    return structure.potentials(scores[0])


def encoded(model, structure, Y):
    if isinstance(structure, Multiclass):
        return np.searchsorted(model.classes_, Y).tolist()
    return Y if isinstance(structure, (MultiLabel, Hierarchy)) else [np.searchsorted(model.classes_, y) for y in Y]


@ALL
@pytest.mark.parametrize("rescaling", ["slack", "margin"])
def test_the_objective_is_the_stated_one_and_its_gap_small(case, rescaling):
    model, X, Y, structure = case
    weights = 0.5 + np.random.default_rng(3).integers(4, size=len(X)) / 2
    model = clone(model).set_params(C=0.3, rescaling=rescaling).fit(X, Y, weights)
    if isinstance(structure, MultiLabel):
        structure = MultiLabel(4, model.edges_)
    hinges = [
        structure.loss_augmented(potentials(model, structure, x), y, model.loss, rescaling).value
        for x, y in zip(X, encoded(model, structure, Y), strict=True)
    ]
    w = [model.coef_.ravel(), model.intercept_, np.ravel([] if model.pairwise_ is None else model.pairwise_)]
    primal = 0.5 * sum(part @ part for part in w) + 0.3 * weights @ hinges
    assert model.status_ == "converged"
    assert abs(model.primal_objective_ - primal) <= 1e-9 * primal
    assert 0 <= model.duality_gap_ <= 1e-3 * primal
    assert abs(model.duality_gap_ - (model.primal_objective_ - model.dual_objective_)) <= 1e-12 * primal
    assert model.history_[-1].primal == model.primal_objective_ and model.n_iter_ == model.history_[-1].n_passes


@ALL
def test_predictions_are_decodings_of_the_scores(case):
    model, X, Y, structure = case
    model = clone(model).fit(X, Y)
    if isinstance(structure, MultiLabel):
        structure = MultiLabel(4, model.edges_)
    best = [structure.decode(potentials(model, structure, x)) for x in X]
    found = model.predict(X)
    assert all(np.array_equal(a, b) for a, b in zip(encoded(model, structure, found), best, strict=True))
    assert 0.2 < model.score(X, Y) <= 1.0
    assert model.n_features_in_ == 4 and model.coef_.shape == (len(model.classes_), 4)
    again = pickle.loads(pickle.dumps(model))
    assert all(np.array_equal(a, b) for a, b in zip(again.predict(X), found, strict=True))
    many = clone(model).set_params(n_jobs=2).fit(X, Y)
    assert np.array_equal(many.coef_, model.coef_) and many.primal_objective_ == model.primal_objective_


@ALL
@pytest.mark.parametrize("solver", ["sgd", "sdca", "cutting-plane"])
def test_every_solver_certifies(case, solver):
    model, X, Y, _ = case
    reference = clone(model).fit(X, Y)
    other = clone(model).set_params(solver=solver, tol=0.05, C=1.0).fit(X, Y)
    assert other.status_ == "converged"
    assert other.dual_objective_ <= reference.primal_objective_ and reference.dual_objective_ <= other.primal_objective_


@ALL
def test_cross_validation_and_grid_search_take_lists(case):
    model, X, Y, _ = case
    model = clone(model).set_params(tol=0.1)
    found = cross_validate(model, X, Y, cv=KFold(3), error_score="raise")
    assert np.isfinite(found["test_score"]).all()
    search = GridSearchCV(model, {"C": [0.01, 1.0]}, cv=KFold(2), error_score="raise").fit(X, Y)
    assert search.best_estimator_.C in (0.01, 1.0)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
@ALL
def test_sparse_rows_give_the_same_model(case, kind):
    model, X, Y, _ = case
    thin = kind(X) if isinstance(X, np.ndarray) else [(kind(x[0]), x[1]) if isinstance(x, tuple) else kind(x) for x in X]
    one, other = clone(model).set_params(tol=1e-4).fit(X, Y), clone(model).set_params(tol=1e-4).fit(thin, Y)
    assert other.coef_.shape == one.coef_.shape
    assert abs(other.primal_objective_ - one.primal_objective_) <= 1e-4 * one.primal_objective_
    assert one.score(X, Y) == pytest.approx(other.score(thin, Y), abs=0.05)


def test_labels_of_any_kind_come_back():
    for names in (np.array(["no", "yes", "maybe"]), np.array([7, -2, 30]), np.array([True, False])):
        Y = names[SETS.X[:, : len(names)].argmax(axis=1)]
        found = taut.MulticlassSSVM().fit(SETS.X, Y).predict(SETS.X)
        assert found.dtype == names.dtype and set(found.tolist()) <= set(names.tolist())
    tags = [np.array(["O", "B-X", "I-X"])[y] for y in SEQUENCES.Y]
    model = taut.ChainSSVM().fit(SEQUENCES.X, [tag.tolist() for tag in tags])
    assert model.classes_.tolist() == ["B-X", "I-X", "O"]
    assert {tag for y in model.predict(SEQUENCES.X) for tag in y} <= {"O", "B-X", "I-X"}
    offsets = np.concatenate([[0], np.cumsum([len(x) for x in SEQUENCES.X])])
    flat = (np.concatenate(SEQUENCES.X), offsets)
    other = taut.ChainSSVM().fit(flat, np.concatenate(tags))
    assert np.array_equal(other.coef_, model.coef_)
    assert other.score(flat, np.concatenate(tags)) == model.score(SEQUENCES.X, tags)


def test_label_sets_come_back_in_the_form_that_was_given():
    names = np.array(["red", "green", "blue", "grey"])
    sets = [set(names[y > 0].tolist()) for y in SETS.Y]
    model = taut.MultiLabelSSVM(edges="full").fit(SETS.X, sets)
    assert model.classes_.tolist() == sorted(names)
    matrix = taut.MultiLabelSSVM(edges="full").fit(SETS.X, SETS.Y[:, np.argsort(names)])
    assert model.predict(SETS.X) == [set(model.classes_[y > 0].tolist()) for y in matrix.predict(SETS.X)]
    assert model.score(SETS.X, sets) == matrix.score(SETS.X, SETS.Y[:, np.argsort(names)])
    thin = taut.MultiLabelSSVM(edges="full").fit(SETS.X, sparse.csr_array(SETS.Y))
    assert (thin.predict(SETS.X) == taut.MultiLabelSSVM(edges="full").fit(SETS.X, SETS.Y).predict(SETS.X)).all()


def test_hierarchies_are_read_from_what_people_have():
    pairs = [("animal", "bird"), ("bird", "owl"), ("animal", "fish")]

    for hierarchy in (pairs, {"animal": None, "bird": "animal", "owl": "bird", "fish": "animal"}, DiGraph(pairs), np.array(pairs)):
        nodes, found = hierarchy_edges(hierarchy)
        assert set(nodes) == {"animal", "bird", "owl", "fish"} and sorted(found) == sorted(pairs)
        assert nodes.index("animal") < nodes.index("bird") < nodes.index("owl")
    nodes, found = hierarchy_edges(["a/b/c", "a/d", "e"])
    assert nodes == ["a", "a/b", "a/b/c", "a/d", "e"]
    assert found == [("a", "a/b"), ("a/b", "a/b/c"), ("a", "a/d")]


def test_hierarchies_of_names():
    X, Y, truth = NODES
    names = [f"n{j}" for j in range(Y.shape[1])]
    pairs = [(names[a], names[b]) for a, b in truth.edges]
    by_number = taut.HierarchicalSSVM(hierarchy=truth.edges).fit(X, Y)
    by_name = taut.HierarchicalSSVM(hierarchy=pairs).fit(X, [{names[j] for j in np.flatnonzero(y)} for y in Y])
    assert by_name.predict(X) == [{names[j] for j in np.flatnonzero(y)} for y in by_number.predict(X)]
    assert (by_name.classes_[by_name.edges_] == pairs).all()


@ALL
def test_decision_functions_agree_with_predictions(case):
    model, X, Y, structure = case
    if isinstance(structure, (Chain, Tree)):
        return  # in test_marginals
    model = clone(model).fit(X, Y)
    values = model.decision_function(X)
    if isinstance(structure, Multiclass):
        assert (model.classes_[values.argmax(axis=1)] == model.predict(X)).all()
    else:
        assert ((values > 0) == model.predict(X)).all()
    if isinstance(structure, (MultiLabel, Hierarchy)):  # margins by enumeration
        structure = MultiLabel(4, model.edges_) if isinstance(structure, MultiLabel) else structure
        theta = potentials(model, structure, X[0])
        labels = np.array(list(structure.enumerate()))
        scores = np.array([structure.score(theta, y) for y in labels])
        for j in range(labels.shape[1]):
            on, off = scores[labels[:, j] == 1].max(), scores[labels[:, j] == 0].max()
            assert values[0, j] == pytest.approx(on - off, abs=1e-9)


def test_two_classes_have_one_decision_value():
    Y = (SETS.X[:, 0] > 0).astype(int)
    model = taut.MulticlassSSVM().fit(SETS.X, Y)
    assert model.coef_.shape == (2, 4)
    assert ((model.decision_function(SETS.X) > 0) == model.predict(SETS.X)).all()


def test_pipelines_and_scorers():
    model = make_pipeline(StandardScaler(), taut.MultiLabelSSVM(loss="f1", edges="tree")).fit(SETS.X, SETS.Y)
    assert 0.5 < scorer("example-f1")(model, SETS.X, SETS.Y) <= 1.0
    tags = [np.array(["O", "B-X", "I-X"])[y] for y in SEQUENCES.Y]
    found = cross_validate(taut.ChainSSVM(), SEQUENCES.X, tags, cv=3, scoring=scorer("span-f1"), error_score="raise")
    assert (found["test_score"] > 0).all()


def test_limits_are_told():
    with pytest.warns(ConvergenceWarning, match="max_iter=1 passes"):
        model = taut.MultiLabelSSVM(max_iter=1, tol=1e-9).fit(SETS.X, SETS.Y)
    assert model.status_ == "max_iter" and model.duality_gap_ > 0
    with pytest.raises(NotFittedError):
        taut.ChainSSVM().predict(SEQUENCES.X)


def test_callbacks_see_the_model_and_can_stop_it(capsys):
    seen = []

    def watch(model, measure):
        seen.append((measure.n_passes, model.score(SETS.X, SETS.Y)))
        return len(seen) == 3

    model = taut.MultiLabelSSVM(tol=0.0, callbacks=[watch], verbose=1).fit(SETS.X, SETS.Y)
    assert model.status_ == "stopped" and [n for n, _ in seen] == [0, 1, 2]
    assert "objective" in capsys.readouterr().err


def test_losses_and_searches_are_named_or_given():
    dear = taut.ChainSSVM(loss=Cost(np.array([[0.0, 1, 2], [1, 0, 1], [1, 1, 0]]))).fit(SEQUENCES.X, SEQUENCES.Y)
    counts = taut.ChainSSVM(loss=Hamming(normalize=False)).fit(SEQUENCES.X, SEQUENCES.Y)
    assert counts.primal_objective_ < dear.primal_objective_
    exact = taut.MultiLabelSSVM(tol=1e-2).fit(SETS.X, SETS.Y)
    for search in ("lens", lens_search):
        found = taut.MultiLabelSSVM(search=search, tol=1e-2).fit(SETS.X, SETS.Y)
        assert found.dual_objective_ <= exact.primal_objective_ and exact.dual_objective_ <= found.primal_objective_


def test_a_checkpoint_is_gone_on_with(tmp_path):
    whole = taut.ChainSSVM(tol=1e-14, max_iter=30)
    with pytest.warns(ConvergenceWarning):
        whole.fit(SEQUENCES.X, SEQUENCES.Y)
    file = Checkpoint(tmp_path / "run.taut", seconds=0.0)
    with pytest.warns(ConvergenceWarning):
        taut.ChainSSVM(tol=1e-14, max_iter=10, checkpoint=file).fit(SEQUENCES.X, SEQUENCES.Y)
    resumed = taut.ChainSSVM(tol=1e-14, max_iter=30, checkpoint=str(tmp_path / "run.taut"))
    with pytest.warns(ConvergenceWarning):
        resumed.fit(SEQUENCES.X, SEQUENCES.Y)
    assert resumed.n_iter_ == 30 and abs(resumed.primal_objective_ - whole.primal_objective_) < 1e-2


@ALL
def test_sample_weights_are_repetitions(case):
    model, X, Y, _ = case
    weights = np.random.default_rng(0).integers(0, 3, size=len(X))
    again = np.repeat(np.arange(len(X)), weights)
    pick = (lambda Z: Z[again]) if isinstance(X, np.ndarray) else (lambda Z: [Z[i] for i in again])
    one = clone(model).set_params(tol=1e-5).fit(X, Y, weights)
    other = clone(model).set_params(tol=1e-5).fit(pick(X), pick(Y))
    if np.array_equal(getattr(one, "edges_", None), getattr(other, "edges_", None)):
        assert abs(one.primal_objective_ - other.primal_objective_) <= 2e-5 * one.primal_objective_


def test_class_weights_of_classes_are_sample_weights():
    dear = {"a": 3.0, "b": 1.0, "c": 0.5}
    model = taut.MulticlassSSVM(class_weight=dear, tol=1e-6).fit(SETS.X, CLASSES)
    other = taut.MulticlassSSVM(tol=1e-6).fit(SETS.X, CLASSES, [dear[y] for y in CLASSES])
    assert np.array_equal(model.coef_, other.coef_)


@pytest.mark.parametrize("weight", ["balanced", {0: 5.0, 2: 2.0}])
def test_class_weights_of_labels_weigh_positions(weight):
    for name in ("sets", "sets, full", "hierarchy"):
        model, X, Y, _ = CASES[name]
        model = clone(model).set_params(class_weight=weight, loss="hamming").fit(X, Y)
        share = Y.mean(axis=0)
        rare = np.minimum(share, 1 - share)
        of = [5.0, 1.0, 2.0] + [1.0] * (Y.shape[1] - 3) if weight != "balanced" else np.clip(np.rint(rare.max() / rare), 1, 16)
        other = clone(model).set_params(class_weight=None, loss=Hamming(weights=of)).fit(X, Y)
        assert np.array_equal(model.coef_, other.coef_)
    for name in ("chains", "trees"):
        model, X, Y, structure = CASES[name]
        model = clone(model).set_params(class_weight=weight).fit(X, Y)
        counts = np.bincount(np.concatenate(Y))
        of = np.array([5.0, 1.0, 2.0]) if weight != "balanced" else np.clip(np.rint(counts.max() / counts), 1, 16)
        hinges = [
            structure.loss_augmented(potentials(model, structure, x), y, Hamming(weights=of[y])).value
            for x, y in zip(X, Y, strict=True)
        ]
        w = [model.coef_.ravel(), model.intercept_, model.pairwise_.ravel()]
        assert model.primal_objective_ == pytest.approx(0.5 * sum(part @ part for part in w) + sum(hinges))
    with pytest.raises(ValueError, match="class_weight"):
        taut.MultiLabelSSVM(class_weight="balanced", loss="f1").fit(SETS.X, SETS.Y)
    with pytest.raises(ValueError, match="'purple'"):
        taut.MultiLabelSSVM(class_weight={"purple": 2.0}).fit(SETS.X, SETS.Y)


@ALL
@pytest.mark.parametrize("solver", ["bcfw", "sgd", "cutting-plane"])
def test_a_warm_start_goes_on_from_the_dual_variables(case, solver):
    model, X, Y, _ = case
    tol = 0.05 if solver == "sgd" else 1e-3
    model = clone(model).set_params(solver=solver, tol=tol, warm_start=True).fit(X, Y)
    before, passes = model.dual_objective_, model.n_iter_
    again = model.fit(X, Y)  # the best weights may be older than the dual variables, hence some passes
    assert again.n_iter_ <= 1 + passes / 2 and again.history_[0].dual >= 0.99 * before
    cold = clone(model).set_params(C=1.1).fit(X, Y)
    warm = model.set_params(C=1.1).fit(X, Y)
    assert warm.dual_objective_ <= cold.primal_objective_ and cold.dual_objective_ <= warm.primal_objective_
    assert warm.history_[0].gap <= 0.5 * cold.history_[0].gap
    if solver == "bcfw":  # other data: nothing of the last fit is used
        halved = model.fit(X[::2], Y[::2])
        fresh = clone(model).fit(X[::2], Y[::2])
        assert np.array_equal(halved.coef_, fresh.coef_)


@ALL
def test_streams_reach_what_a_fit_reaches(case):
    model, X, Y, _ = case
    assert not hasattr(model, "partial_fit")
    if model.get_params().get("edges") == "tree":
        model = clone(model).set_params(edges=[(0, 1), (1, 2), (1, 3)])
    whole = clone(model).fit(X, Y)
    stream = clone(model).set_params(solver="sgd")
    for k in range(20):
        stream.partial_fit(X, Y, None if isinstance(Y, np.ndarray) and Y.ndim == 2 else whole.classes_)
        assert stream.n_iter_ == k + 1
    assert stream.score(X, Y) >= whole.score(X, Y) - 0.1
    half = clone(model).set_params(solver="sgd")
    classes = None if isinstance(Y, np.ndarray) and Y.ndim == 2 else whole.classes_
    half.partial_fit(X[:5], Y[:5], classes).partial_fit(X[5:], Y[5:])
    assert np.array_equal(half.classes_, whole.classes_)
    assert half._steps[0] == len(X)


def test_a_stream_refuses_labels_that_were_not_named():
    model = taut.MulticlassSSVM(solver="sgd").partial_fit(SETS.X, CLASSES, ["a", "b", "c"])
    with pytest.raises(ValueError, match="'z'"):
        model.partial_fit(SETS.X[:2], ["a", "z"])


def test_notebooks_show_the_model():
    model = taut.MultiLabelSSVM(edges="tree").fit(SETS.X, SETS.Y)
    assert "MultiLabelSSVM" in model._repr_html_() and "edges" in repr(model)


@ALL
def test_the_best_few_labels_are_the_structures(case):
    model, X, Y, structure = case
    model = clone(model).fit(X, Y)
    if isinstance(structure, MultiLabel):
        structure = MultiLabel(4, model.edges_)
    top, best = model.predict_topk(X, 3), encoded(model, structure, model.predict(X))
    for x, (labels, scores), y in list(zip(X, top, best, strict=True))[:10]:
        theta = potentials(model, structure, x)
        assert (np.diff(scores) <= 0).all() and scores[0] == pytest.approx(structure.score(theta, y))
        every = sorted((structure.score(theta, z) for z in structure.enumerate(theta)), reverse=True)
        np.testing.assert_allclose(scores, every[:3][: len(scores)], atol=1e-9)
        for label, score in zip(encoded(model, structure, labels), scores, strict=True):
            assert structure.score(theta, label) == pytest.approx(score)


@ALL
def test_known_labels_stay(case):
    model, X, Y, structure = case
    model = clone(model).fit(X, Y)
    found = model.predict(X)
    if isinstance(structure, Multiclass):
        assert (model.predict(X, clamp=["b"] * len(X)) == "b").all()
        assert (model.predict(X, clamp=[None] * len(X)) == found).all()
        return
    if isinstance(structure, (MultiLabel, Hierarchy)):
        clamp = np.full(Y.shape, -1)
        assert (model.predict(X, clamp=clamp) == found).all()
        clamp[:, 0] = 1 - found[:, 0]
        assert (model.predict(X, clamp=clamp)[:, 0] == clamp[:, 0]).all()
        return
    clamp = [[int((y[0] + 1) % 3)] + [None] * (len(y) - 1) for y in found]
    assert all(y[0] == known[0] for y, known in zip(model.predict(X, clamp=clamp), clamp, strict=True))
    with pytest.raises(ValueError, match="expected labels among 0, 1, 2"):
        model.predict(X, clamp=[[9] * len(y) for y in found])


def test_forbidden_transitions_do_not_occur():
    names = np.array(["O", "B-X", "I-X", "B-Y", "I-Y"])
    X, Y, _ = make_chain(40, 4, 5, length=(2, 8), rng=3)
    tags = [names[y] for y in Y]
    free = taut.ChainSSVM().fit(X, tags)
    model = taut.ChainSSVM(transitions="bio").fit(X, tags)
    assert np.array_equal(free.coef_, model.coef_)

    def valid(y):
        return all(b[0] != "I" or (a != "O" and a[2:] == b[2:]) for a, b in zip(["O", *y], y, strict=False))

    assert not all(valid(y) for y in free.predict(X)) and all(valid(y) for y in model.predict(X))
    assert all(valid(y) for labels, _ in model.predict_topk(X, 3) for y in labels)
    pairs = taut.ChainSSVM(transitions=[("O", "O"), ("B-X", "B-Y")]).fit(X, tags)
    moves = {pair for y in pairs.predict(X) for pair in zip(y[:-1].tolist(), y[1:].tolist(), strict=True)}
    assert moves and not moves & {("O", "O"), ("B-X", "B-Y")}
    with pytest.raises(ValueError, match="B-x"):
        taut.ChainSSVM(transitions="bio").fit(X, Y).predict(X)


def test_early_stopping_keeps_what_scored_best():
    X, Y, _ = make_multilabel(200, 5, 4, noise=2.0, rng=4)
    watch = EarlyStopping(X[100:], Y[100:], patience=3, scoring=scorer("example-f1"))
    model = taut.MultiLabelSSVM(C=100.0, tol=1e-9, callbacks=[watch]).fit(X[:100], Y[:100])
    assert model.status_ == "stopped" and len(watch.scores_) == len(model.history_)
    assert scorer("example-f1")(model, X[100:], Y[100:]) == max(watch.scores_)
    best = model.history_[int(np.argmax(watch.scores_))]
    assert model.primal_objective_ == best.now and model.duality_gap_ >= best.now - model.history_[-1].dual - 1e-9


@ALL
def test_costs_are_told_before_a_fit(case):
    model, X, Y, _ = case
    model = clone(model)
    cost = model.estimate_cost(X, Y)
    assert not hasattr(model, "coef_") and cost.seconds_per_pass > 0 and cost.n_bytes > 0
    fitted = clone(model).fit(X, Y)
    shared = 0 if fitted.pairwise_ is None else fitted.pairwise_.size
    assert cost.n_weights == fitted.coef_.size + fitted.intercept_.size + shared


@ALL
def test_notebooks_show_parameters_and_what_was_learnt(case):
    model, X, Y, _ = case
    shown = clone(model).fit(X, Y)._repr_html_()
    assert type(model).__name__ in shown and "rescaling" in shown
    if hasattr(taut.ChainSSVM, "set_callbacks"):  # scikit-learn shows fitted attributes since 1.9
        assert all(name in shown for name in ("coef_", "classes_", "duality_gap_", "status_"))


def test_a_chosen_c_is_used_like_an_estimator(tmp_path):
    search = PathCV(taut.MultiLabelSSVM(edges="tree"), Cs=[0.1, 1.0], scoring="example-f1").fit(SETS.X, SETS.Y)
    search.save(tmp_path / "m.taut")
    assert (taut.load(tmp_path / "m.taut").predict(SETS.X) == search.predict(SETS.X)).all()
    assert len(search.predict_topk(SETS.X, 2)[0][0]) == 2 and search.decision_function(SETS.X).shape == SETS.Y.shape
    further = "smaller" if search.C_ == 0.1 else "greater"
    assert search.diagnosis().endswith(f"C={search.C_:g} is the last value tried: try {further} ones.")
    assert pickle.loads(pickle.dumps(search)).score(SETS.X, SETS.Y) == search.score(SETS.X, SETS.Y)


def test_held_out_scores_go_by_name():
    stop = EarlyStopping(SETS.X, SETS.Y, patience=2, scoring="example-f1")
    model = taut.MultiLabelSSVM(callbacks=[stop], tol=0.0).fit(SETS.X, SETS.Y)
    assert model.status_ == "stopped" and max(stop.scores_) == pytest.approx(scorer("example-f1")(model, SETS.X, SETS.Y))
    with pytest.raises(ValueError, match="`name` must be one of 'jaccard'"):
        EarlyStopping(SETS.X, SETS.Y, scoring="f2")


def test_ctrl_c_ends_a_whole_search():
    def press(model, measure):
        raise KeyboardInterrupt

    model = taut.MultiLabelSSVM(callbacks=[press])
    assert model.fit(SETS.X, SETS.Y).status_ == "interrupted"
    with pytest.raises(KeyboardInterrupt):
        PathCV(model).fit(SETS.X, SETS.Y)


def test_a_diagnosis_in_plain_words():
    model = taut.MultiLabelSSVM().fit(SETS.X, SETS.Y)
    assert "converged" in model.diagnosis()
    with pytest.warns(ConvergenceWarning):
        model = taut.MultiLabelSSVM(max_iter=3, tol=1e-9, C=1e4, solver="sgd").fit(SETS.X, SETS.Y)
    assert "After 3 passes" in model.diagnosis()


@ALL
def test_c_is_chosen_along_a_path_as_a_grid_search_chooses_it(case):
    model, X, Y, _ = case
    Cs, folds = [1.0, 0.01, 0.1], list(KFold(3).split(X))
    found = PathCV(clone(model).set_params(tol=1e-4), Cs=Cs, cv=folds).fit(X, Y)
    grid = GridSearchCV(clone(model).set_params(tol=1e-4), {"C": sorted(Cs)}, cv=folds, refit=False).fit(X, Y)
    expected = np.array([grid.cv_results_[f"split{k}_test_score"] for k in range(3)])
    assert found.scores_.shape == (3, 3) and np.abs(found.scores_ - expected).mean() <= 0.05
    best = found.Cs_[found.scores_.mean(axis=0).argmax()]
    assert best == found.C_ and abs(found.best_estimator_.C - best * 2 / 3) <= 1e-9
    assert len(found.predict(X)) == len(X) and found.score(X, Y) == found.best_estimator_.score(X, Y)
    assert not found.best_estimator_.warm_start


@pytest.mark.skipif(not hasattr(taut.ChainSSVM, "set_callbacks"), reason="callbacks came with scikit-learn 1.9")
@ALL
def test_callbacks_of_scikit_learn_are_told(case):
    model, X, Y, _ = case
    told = []

    class Watch:
        def setup(self, estimator, context):
            told.append("setup")

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator):
            told.append(fitted_estimator.score(X, y))
            return len(told) == 4

        def teardown(self, estimator, context):
            told.append("teardown")

    model = clone(model).set_params(tol=0.0).set_callbacks(Watch()).fit(X, Y)
    assert model.status_ == "stopped" and told[0] == "setup" and told[-1] == "teardown"
    assert len(told) == 6 and all(0 <= score <= 1 for score in told[1:-1])
    assert told[-2] == model.score(X, Y)


def test_margins_of_labels_in_sequences():
    _, X, Y, structure = CASES["chains"]
    names = np.array(["B-X", "I-X", "O"])
    for model in (taut.ChainSSVM(), taut.ChainSSVM(transitions="bio")):
        model.fit(X, [names[y] for y in Y])
        found, labels = model.decision_function(X), model.predict(X)
        for i in range(10):
            assert (model.classes_[found[i].argmax(axis=1)] == labels[i]).all()
            moves, first = model._forbidden()
            theta = structure.potentials(X[i] @ model.coef_.T + model.intercept_, model.pairwise_ + moves, first)
            every = [(y, structure.score(theta, y)) for y in structure.enumerate(theta)]
            for t, k in np.ndindex(found[i].shape):
                on = max(score for y, score in every if y[t] == k)
                off = max(score for y, score in every if y[t] != k)
                assert found[i][t, k] == pytest.approx(on - off, abs=1e-9)
