"""Label sets and hierarchies: taut trained for each loss, beside classifiers per label. Training data alone choose C."""

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.svm import LinearSVC

from benchmarks.accuracy.data import Sets, hierarchies, label_sets, scaled
from benchmarks.accuracy.lines import Cell, Lines
from taut import HierarchicalSSVM, MultiLabelSSVM
from taut.datasets import resplit
from taut.estimators import PathCV
from taut.losses import F1, Hamming, Jaccard, ZeroOne
from taut.metrics import exact_match, example_f1, hamming_loss, hierarchical_f1, jaccard_accuracy, path_loss

LOSSES = {"hamming": Hamming(normalize=False), "jaccard": Jaccard(), "f1": F1(), "zero-one": ZeroOne()}
Row = dict[str, Any]
Judge = tuple[Callable[..., float], int]  # a metric, and 1 where more is better, -1 where less is


class Plan(NamedTuple):
    """How much is computed: all for the page, little for a smoke run."""

    splits: range = range(6)
    n_folds: int = 3
    Cs: tuple[float, ...] = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
    margin_Cs: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)  # of margin rescaling with counted labels
    other_Cs: tuple[float, ...] = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
    tol: float = 5e-3
    max_iter: int = 100
    searched: int = 3000  # examples on which C is searched, at most
    most: int | None = None  # examples of each half of a split
    names: tuple[str, ...] = ("Scene", "Yeast", "Enron")
    hierarchies: tuple[str, ...] = ("Enron", "ImCLEF07A", "cellcycle")


PLAN = Plan()
QUICK = Plan(range(1), 2, (0.1,), (0.1,), (1.0,), 0.1, 10, 60, 60, ("Scene",), ("Enron",))


class Constant(ClassifierMixin, BaseEstimator):
    """A binary classifier that also takes labels of one kind only, as rare labels have in some folds."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def fit(self, X: Any, y: Any) -> "Constant":
        self.classes_ = np.unique(y)
        self.inner_ = None if len(self.classes_) == 1 else clone(self.inner).fit(X, y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.full(X.shape[0], self.classes_[0]) if self.inner_ is None else self.inner_.predict(X)


class Closed:
    """A classifier of label sets whose predictions get all their ancestors."""

    def __init__(self, inner: Any, hierarchy: np.ndarray) -> None:
        self.inner, self.hierarchy = inner, hierarchy

    def fit(self, X: Any, Y: np.ndarray) -> "Closed":
        self.inner.fit(X, Y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        found = np.asarray(self.inner.predict(X)).astype(np.int64)
        above, below = self.hierarchy.T
        while (found[:, below] > found[:, above]).any():
            np.maximum.at(found, (slice(None), above), found[:, below])
        return found


def per_label(name: str, C: float, seed: int) -> Any:
    """A classifier of label sets from one binary classifier per label. Intercepts are regularised, as taut's are."""
    if name == "one-vs-rest LinearSVC":
        return MultiOutputClassifier(Constant(LinearSVC(C=C, random_state=0)))
    logistic = Constant(LogisticRegression(C=C, solver="liblinear", random_state=0))
    if name == "one-vs-rest logistic":
        return MultiOutputClassifier(logistic)
    return ClassifierChain(logistic, order="random", random_state=seed)


def label_set_judges() -> dict[str, Judge]:
    """The columns of the tables of label sets."""
    return {"hamming": (hamming_loss, -1), "jaccard": (jaccard_accuracy, 1), "f1": (example_f1, 1), "zero-one": (exact_match, 1)}


def hierarchy_judges(data: Sets) -> dict[str, Judge]:
    """The columns of the tables of hierarchies."""
    edges = data.hierarchy.tolist()
    leaves = np.setdiff1d(np.arange(data.train[1].shape[1]), data.hierarchy[:, 0])
    return {
        "hierarchical-f1": (lambda Y, P: hierarchical_f1(Y, P, hierarchy=edges), 1),
        "hamming": (hamming_loss, -1),
        "leaves": (lambda Y, P: hamming_loss(Y[:, leaves], P[:, leaves]), -1),
        "path-loss": (lambda Y, P: path_loss(Y, P, hierarchy=edges), -1),
        "f1": (example_f1, 1),
        "zero-one": (exact_match, 1),
    }


def structured(model: Any, judge: Judge, judges: dict[str, Judge], parts: Any, plan: Plan, earlier: Row | None) -> Row:
    """taut: C by what the model is trained for, then every metric of that one model. `earlier` is the line that has chosen C."""
    X, Y, X_test, Y_test = parts
    metric, sign = judge
    start, told = time.process_time(), {}
    if earlier is None:
        Cs = plan.margin_Cs if model.rescaling == "margin" and isinstance(model.loss, Hamming) else plan.Cs
        folds = KFold(plan.n_folds, shuffle=True, random_state=0)
        search = PathCV(model, Cs=Cs, cv=folds, scoring=lambda fitted, X, Y: sign * metric(Y, fitted.predict(X)))
        search.fit(*searched(X, Y, plan))
        told["tried"] = dict(zip(search.Cs_.tolist(), search.scores_.mean(axis=0).round(5).tolist(), strict=True))
        chosen = search.C_
    else:
        chosen = earlier["C"]
    best = clone(model).set_params(C=chosen * (1.0 - 1.0 / plan.n_folds)).fit(X, Y)
    seconds, found = time.process_time() - start, best.predict(X_test)
    return {
        "C": chosen, **told, "scores": {name: round(float(metric(Y_test, found)), 6) for name, (metric, _) in judges.items()},
        "status": best.status_, "gap": float(f"{best.duality_gap_ / best.primal_objective_:.2g}"), "passes": best.n_iter_,
        "seconds": round(seconds, 2),
    }  # fmt: skip


def searched(X: Any, Y: np.ndarray, plan: Plan) -> tuple[Any, np.ndarray]:
    """The examples on which C is searched: all, or a random choice of many."""
    ids = np.random.default_rng(0).permutation(len(Y))[: plan.searched]
    return (X, Y) if len(Y) <= plan.searched else (X[ids], Y[ids])


def separate(make: Callable[[float], Any], judges: dict[str, Judge], parts: Any, plan: Plan, earlier: Row | None) -> Row:
    """Other tools: C for each metric apart, so that every column shows its best. The last fit takes the folds' share of C too."""
    X, Y, X_test, Y_test = parts
    start, told = time.process_time(), {}
    if earlier is None:
        tried, (some, labels) = {name: np.zeros(len(plan.other_Cs)) for name in judges}, searched(X, Y, plan)
        for train, test in KFold(plan.n_folds, shuffle=True, random_state=0).split(some):
            for k, C in enumerate(plan.other_Cs):
                found = make(C).fit(some[train], labels[train]).predict(some[test])
                for name, (metric, sign) in judges.items():
                    tried[name][k] += sign * metric(labels[test], found) / plan.n_folds
        chosen = {name: plan.other_Cs[int(scores.argmax())] for name, scores in tried.items()}
        told["tried"] = {name: dict(zip(plan.other_Cs, scores.round(5).tolist(), strict=True)) for name, scores in tried.items()}
    else:
        chosen = earlier["C"]
    share = 1.0 - 1.0 / plan.n_folds
    found = {C: make(C * share).fit(X, Y).predict(X_test) for C in sorted(set(chosen.values()))}
    scores = {name: round(float(metric(Y_test, found[chosen[name]])), 6) for name, (metric, _) in judges.items()}
    return {"C": chosen, **told, "scores": scores, "seconds": round(time.process_time() - start, 2)}


def suited(plan: Plan, name: str) -> Plan:
    """The plan for one data set: fewer examples to search C on where there are many nodes or examples; for Enron a tenth of each C.

    Its training half chose the smallest values of the others' grids.
    """
    if name != "Enron" or plan == QUICK:
        return plan._replace(searched=1000) if name in ("ImCLEF07A", "cellcycle") else plan
    Cs, margin_Cs, other_Cs = (tuple(round(0.1 * C, 5) for C in grid) for grid in (plan.Cs, plan.margin_Cs, plan.other_Cs))
    return plan._replace(Cs=(0.0001, *Cs), margin_Cs=margin_Cs, other_Cs=other_Cs)


def cells(plan: Plan, lines: Lines) -> Iterator[Cell]:
    """All cells: label sets, then hierarchies, whose resplits are last."""
    for name in plan.names:
        for number in plan.splits:
            yield from _label_sets(name, number, plan, lines)
    for number in plan.splits:
        for name in plan.hierarchies:
            yield from _hierarchies(name, number, plan, lines)


def parts(data: Sets, number: int, plan: Plan) -> list[Any]:
    """X and Y to train on, X and Y to test on: the published ones, number 0, or a random division of the same sizes."""
    return [side[: plan.most] for side in resplit(data.train, data.test, number)]


def variants() -> Iterator[tuple[str, str]]:
    """Losses and rescalings. Under the zero-one loss both rescalings are the same objective."""
    for loss in LOSSES:
        for rescaling in ("slack", "margin"):
            if (loss, rescaling) != ("zero-one", "margin"):
                yield loss, rescaling


def _cell(key: Row, number: int, lines: Lines, run: Callable[[Row | None], Row]) -> Cell:
    """A cell of one split. The standard split, number 0, chooses C for all."""
    return Cell({**key, "split": number}, lambda: run(None if number == 0 else lines.find(**key, split=0)))


def _label_sets(name: str, number: int, plan: Plan, lines: Lines) -> Iterator[Cell]:
    data, judges, plan = label_sets(name), label_set_judges(), suited(plan, name)
    sides = parts(data, number, plan)
    for peer in ("one-vs-rest LinearSVC", "one-vs-rest logistic", "classifier chain"):

        def alone(earlier: Row | None, peer: str = peer) -> Row:
            return separate(lambda C: per_label(peer, C, number), judges, sides, plan, earlier)

        yield _cell({"data": name, "model": peer}, number, lines, alone)
    for edges in ("none", "tree", "full"):
        for loss, rescaling in variants():
            if edges == "full" and data.train[1].shape[1] > 22:
                continue  # all pairs of that many labels have no exact method but integer programs
            model = MultiLabelSSVM(edges=edges, loss=LOSSES[loss], rescaling=rescaling, tol=plan.tol, max_iter=plan.max_iter)

            def ours(earlier: Row | None, model: Any = model, loss: str = loss) -> Row:
                return structured(model, judges[loss], judges, sides, plan, earlier)

            yield _cell({"data": name, "model": "taut", "edges": edges, "loss": loss, "rescaling": rescaling}, number, lines, ours)


def _hierarchies(name: str, number: int, plan: Plan, lines: Lines) -> Iterator[Cell]:
    data, plan = hierarchies(name), suited(plan, name)
    judges, (X, Y, X_test, Y_test) = hierarchy_judges(data), parts(data, number, plan)
    if name != "Enron":
        scale = scaled().fit(X)
        X, X_test = scale.transform(X), scale.transform(X_test)
    sides, key = (X, Y, X_test, Y_test), {"data": f"{name} hierarchy"}

    def alone(earlier: Row | None) -> Row:
        def closed(C: float) -> Any:
            return Closed(per_label("one-vs-rest LinearSVC", C, number), data.hierarchy)

        return separate(closed, judges, sides, plan, earlier)

    yield _cell({**key, "model": "LinearSVC per node, closed"}, number, lines, alone)
    for loss, rescaling in variants():
        if loss == "jaccard":
            continue
        common = {"loss": LOSSES[loss], "rescaling": rescaling, "tol": plan.tol, "max_iter": plan.max_iter}
        model, judge = HierarchicalSSVM(hierarchy=data.hierarchy, **common), judges["hierarchical-f1" if loss == "f1" else loss]

        def ours(earlier: Row | None, model: Any = model, judge: Judge = judge) -> Row:
            return structured(model, judge, judges, sides, plan, earlier)

        yield _cell({**key, "model": "taut", "loss": loss, "rescaling": rescaling}, number, lines, ours)
