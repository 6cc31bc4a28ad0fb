"""Letters and chunks: taut's chains beside CRFsuite, given the same features, trained in one process by one thread."""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction import DictVectorizer

from benchmarks.accuracy.data import chunks
from benchmarks.accuracy.lines import Cell, Lines
from taut import ChainSSVM
from taut.datasets import load_letters
from taut.estimators import PerSequence
from taut.features import window_features
from taut.losses import Hamming
from taut.metrics import position_error, sequence_error, span_f1

try:
    import pycrfsuite
except ImportError:
    pycrfsuite = None

SHARE = 2.0 / 3.0  # of the examples on which C is searched, for training; the rest judge
MISSING = "python-crfsuite is not installed: its rows are left out. Install the extra `peers`."


class Plan(NamedTuple):
    """How much is computed: all for the page, little for a smoke run."""

    folds: range = range(10)
    slack_Cs: tuple[float, ...] = (0.003, 0.01, 0.03, 0.1, 0.3)
    margin_Cs: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3, 1.0)
    c2s: tuple[float, ...] = (0.03, 0.1, 0.3, 1.0, 3.0)
    tol: float = 1e-2
    max_iter: int = 200
    most: int | None = None  # sequences to train on, and to test on
    searched: int = 3000  # sentences on which C is searched


PLAN = Plan()
QUICK = Plan(range(1), (0.1,), (0.1,), (1.0,), 0.1, 10, 40, 20)


class Examples(NamedTuple):
    """Sequences as rows of numbers, the same as dictionaries of features, and their labels as texts."""

    rows: list[Any]
    features: list[Any]
    labels: list[Any]

    def __getitem__(self, ids: Any) -> "Examples":
        return Examples(*([side[i] for i in ids] for side in (self.rows, self.features, self.labels)))


Fitted = tuple[Callable[[Examples], list[Any]], dict[str, Any]]  # predictions, and what is told of the fit
Learner = Callable[[float, Examples], Fitted]


def taut_chain(rescaling: str, plan: Plan) -> Learner:
    """ChainSSVM trained for the number of wrong positions."""

    def learn(C: float, examples: Examples) -> Fitted:
        model = ChainSSVM(C=C, loss=Hamming(normalize=False), rescaling=rescaling, tol=plan.tol, max_iter=plan.max_iter)
        model.fit(examples.rows, examples.labels)
        gap = float(f"{model.duality_gap_ / model.primal_objective_:.2g}")
        return lambda others: model.predict(others.rows), {"status": model.status_, "gap": gap, "passes": model.n_iter_}

    return learn


def crfsuite(algorithm: str) -> Learner:
    """CRFsuite with its default settings; C is 1 / c2 of its likelihood and means nothing to the perceptron."""

    def learn(C: float, examples: Examples) -> Fitted:
        more = {"c2": 1.0 / C} if algorithm == "lbfgs" else {}
        trainer, path = pycrfsuite.Trainer(algorithm, more, verbose=False), Path(tempfile.mkdtemp()) / "model"
        for features, labels in zip(examples.features, examples.labels, strict=True):
            trainer.append(pycrfsuite.ItemSequence(features), list(labels))
        trainer.train(str(path))
        tagger = pycrfsuite.Tagger()
        tagger.open(str(path))
        return lambda others: [np.array(tagger.tag(pycrfsuite.ItemSequence(features))) for features in others.features], {}

    return learn


def learners(plan: Plan) -> dict[str, tuple[Learner, tuple[float, ...]]]:
    """Every model and the C to be tried: one value where there is nothing to choose."""
    ours = {
        "taut, slack": (taut_chain("slack", plan), plan.slack_Cs),
        "taut, margin": (taut_chain("margin", plan), plan.margin_Cs),
    }
    if pycrfsuite is None:
        return ours
    likelihood = tuple(1.0 / c2 for c2 in plan.c2s)
    return {**ours, "CRFsuite, likelihood": (crfsuite("lbfgs"), likelihood), "CRFsuite, perceptron": (crfsuite("ap"), (1.0,))}


def cells(plan: Plan, lines: Lines) -> Iterator[Cell]:
    """Searches of C first, then what was chosen on every fold; chunks between the first folds and the others."""
    for folds in (plan.folds[:2], plan.folds[2:]):
        for size in ("one fold", "nine folds"):
            yield from _letters(size, folds, plan, lines)
        if folds == plan.folds[:2]:
            yield from _chunks(plan, lines)


def _letters(size: str, folds: range, plan: Plan, lines: Lines) -> Iterator[Cell]:
    words, fold = letters()
    key, judges = {"data": "letters", "trained on": size}, {"letters wrong": position_error, "words wrong": sequence_error}
    yield from _searches(key, words[_sides(fold, 0, size, plan)[0]], {"letters wrong": (position_error, -1)}, plan)
    for k in folds:
        yield from _trained({**key, "fold": k}, key, words, *_sides(fold, k, size, plan), judges, plan, lines)


def _chunks(plan: Plan, lines: Lines) -> Iterator[Cell]:
    key, judges, (sentences, n_train) = {"data": "chunks"}, {"span F1": span_f1, "tags wrong": position_error}, chunking(plan)
    yield from _searches(key, sentences[range(min(plan.searched, n_train))], {"span F1": (span_f1, 1)}, plan)
    train, test = np.arange(n_train), np.arange(n_train, len(sentences.labels))
    yield from _trained({**key, "fold": 0}, key, sentences, train, test, judges, plan, lines)


def letters() -> tuple[Examples, np.ndarray]:
    """Words, and the fold of each. A black pixel is a feature; the constant that taut adds to rows is CRFsuite's `bias`."""
    data, names = load_letters(), np.array(list("abcdefghijklmnopqrstuvwxyz"))
    features = [[{"bias": 1.0, **{f"p{k}": 1.0 for k in np.flatnonzero(row)}} for row in x] for x in data.X]
    return Examples(data.X, features, [names[y] for y in data.Y]), data.part


def chunking(plan: Plan) -> tuple[Examples, int]:
    """Sentences for training, then those for testing; features are windows of words and tags that occur in training."""
    parts = [chunks(part) for part in ("train", "test")]
    halves = [(list(X[: plan.most]), list(Y[: plan.most])) for X, Y in parts]
    features = [window_features(sentence) for X, _ in halves for sentence in X]
    n_train = len(halves[0][0])
    rows = PerSequence(DictVectorizer()).fit(features[:n_train]).transform(features)
    return Examples(rows, [[{"bias": 1.0, **token} for token in x] for x in features], halves[0][1] + halves[1][1]), n_train


def _sides(fold: np.ndarray, k: int, size: str, plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    """Words to train on and to test on: fold k and all others, or the other way round."""
    mine, others = np.flatnonzero(fold == k)[: plan.most], np.flatnonzero(fold != k)[: plan.most]
    return (mine, others) if size == "one fold" else (others, mine)


def _searches(key: dict[str, Any], examples: Examples, judge: Any, plan: Plan) -> Iterator[Cell]:
    """Two thirds of the examples train, the rest judge; the same ones for every model."""
    ((name, (metric, sign)),) = judge.items()
    n = len(examples.labels)
    order = np.random.default_rng(0).permutation(n)
    train, held = examples[order[: round(SHARE * n)]], examples[order[round(SHARE * n) :]]
    for model, (learn, Cs) in learners(plan).items():

        def run(learn: Learner = learn, Cs: tuple[float, ...] = Cs) -> dict[str, Any]:
            start = time.process_time()
            tried = {C: round(float(metric(held.labels, learn(C, train)[0](held))), 5) for C in Cs} if len(Cs) > 1 else {Cs[0]: 0.0}
            best = max(tried, key=lambda C: sign * tried[C])
            return {"C": best, "tried": tried, "seconds": round(time.process_time() - start, 2)}

        yield Cell({**key, "search": name, "model": model}, run)


def _trained(
    key: dict[str, Any], search: dict[str, Any], examples: Examples, train: Any, test: Any, judges: Any, plan: Plan, lines: Lines
) -> Iterator[Cell]:  # fmt: skip
    """One model on one split, with the C of its search times the share that it trained on there."""
    for model, (learn, _) in learners(plan).items():

        def run(learn: Learner = learn, model: str = model) -> dict[str, Any]:
            found = next(row for row in lines.all(**search, model=model) if "search" in row)
            C, seen, unseen = round(found["C"] * SHARE, 6), examples[train], examples[test]
            learn(C, seen[range(2)])  # compiles
            start = time.process_time()
            predict, facts = learn(C, seen)
            seconds = time.process_time() - start
            start = time.process_time()
            answers = predict(unseen)
            scores = {name: round(float(metric(unseen.labels, answers)), 6) for name, metric in judges.items()}
            asked = round(time.process_time() - start, 2)
            return {"C": C, "scores": scores, "seconds": round(seconds, 2), "seconds to predict": asked, **facts}

        yield Cell({**key, "model": model}, run)
