"""Metrics against scikit-learn, against conlleval's rules token by token, and against values worked out by hand."""

import subprocess
import sys
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from taut import metrics

SETS = {  # ours, and scikit-learn's on the same matrices
    metrics.jaccard_accuracy: lambda t, p, w: reference.jaccard_score(t, p, average="samples", zero_division=1, sample_weight=w),
    metrics.example_f1: lambda t, p, w: reference.f1_score(t, p, average="samples", zero_division=1, sample_weight=w),
    metrics.micro_f1: lambda t, p, w: reference.f1_score(t, p, average="micro", zero_division=1, sample_weight=w),
    metrics.macro_f1: lambda t, p, w: reference.f1_score(t, p, average="macro", zero_division=1, sample_weight=w),
    metrics.exact_match: lambda t, p, w: reference.accuracy_score(t, p, sample_weight=w),
    metrics.hamming_loss: lambda t, p, w: reference.hamming_loss(t, p, sample_weight=w),
}
COUNTED = [metrics.macro_f1, metrics.hamming_loss]  # need the number of labels, hence no sets
FORMS = {
    "array": np.asarray,
    "booleans": lambda Y: Y.astype(bool),
    "lists": lambda Y: Y.tolist(),
    "csr": scipy.sparse.csr_matrix,
    "csc array": lambda Y: scipy.sparse.csc_array(Y.astype(float)),
    "sets": lambda Y: [{f"label {j}" for j in np.flatnonzero(y)} for y in Y],
}


def label_sets(seed: int, density: float, shape: tuple[int, int] = (40, 5)) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    true = (rng.random(shape) < density).astype(int)
    found = np.where(rng.random(shape) < 0.2, 1 - true, true)
    return true, found, rng.integers(0, 4, shape[0]) + (np.arange(shape[0]) == 0)


@pytest.mark.parametrize(
    ("metric", "form"),
    [(metric, form) for metric, form in product(SETS, FORMS) if form != "sets" or metric not in COUNTED],
    ids=lambda value: getattr(value, "__name__", value),
)
@pytest.mark.parametrize("density", [0.02, 0.4, 0.95])
def test_label_sets_as_scikit_learn_has_them(metric: Any, form: str, density: float) -> None:
    true, found, weight = label_sets(7, density)
    given = FORMS[form]
    assert metric(given(true), given(found)) == pytest.approx(SETS[metric](true, found, None), rel=1e-12)
    assert metric(given(true), given(found), weight) == pytest.approx(SETS[metric](true, found, weight), rel=1e-12)


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.integers(1, 4), st.integers(1, 4))
def test_tiny_label_sets(seed: int, density: float, n: int, n_labels: int) -> None:
    true, found, weight = label_sets(seed, density, (n, n_labels))
    for metric, expected in SETS.items():
        # scikit-learn gives an indicator of one column another meaning: a spare label, right everywhere, keeps it
        if n_labels > 1:
            assert metric(true, found, weight) == pytest.approx(expected(true, found, weight), rel=1e-12), metric


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        # {0, 1} for {0, 2}; nothing for nothing; {2} for nothing; {1} for {1}
        (metrics.jaccard_accuracy, (1 / 3 + 1 + 0 + 1) / 4),
        (metrics.example_f1, (1 / 2 + 1 + 0 + 1) / 4),
        (metrics.exact_match, 2 / 4),
        (metrics.hamming_loss, 3 / 16),
        (metrics.micro_f1, 2 * 2 / (2 * 2 + 1 + 2)),
        (metrics.macro_f1, (1 + 2 / 3 + 0 + 1) / 4),  # the last label never occurs
    ],
)
def test_worked_by_hand(metric: Any, value: float) -> None:
    true = [[1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0]]
    found = [[1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]]
    assert metric(true, found) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("metric", SETS, ids=lambda metric: metric.__name__)
def test_a_weight_of_two_is_the_example_twice(metric: Any) -> None:
    true, found, weight = label_sets(3, 0.3)
    assert metric(true, found, weight) == pytest.approx(metric(np.repeat(true, weight, 0), np.repeat(found, weight, 0)), rel=1e-12)


@pytest.mark.parametrize(
    ("true", "found", "weight", "complaint"),
    [
        ([[0, 1]], [[0, 2]], None, "`Y_pred` must hold 0 and 1 only; found 2"),
        ([[0, 1]], [[0, 0.3]], None, "found 0.3. Threshold"),
        ([[0, 1]], [[0, np.nan]], None, "found nan"),
        ([[0, 1]], [[0, 1, 1]], None, r"shape of `Y_true`, \(1, 2\); found \(1, 3\)"),
        ([0, 1], [0, 1], None, r"found shape \(2,\)"),
        ([[0, 1], [1]], [[0, 1]], None, "rows of several lengths"),
        ([{"a"}], [[0, 1]], None, "both in the same form"),
        ([["a"]], [["a"]], None, "list of sets"),
        (np.empty((0, 3)), np.empty((0, 3)), None, "at least one example"),
        ([], [], None, "list of sets"),
        ([{1}], [{1}, {2}], None, r"shape of `Y_true`, \(1, 2\); found \(2, 2\)"),
        ([[0, 1]], [[0, 1]], [-1.0], "values from -1 to -1"),
        ([[0, 1]], [[0, 1]], [0.0], "not all of them 0"),
        ([[0, 1]], [[0, 1]], [1.0, 1.0], r"1 finite weights.*found shape \(2,\)"),
    ],
)
def test_wrong_label_sets(true: Any, found: Any, weight: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        metrics.jaccard_accuracy(true, found, weight)


@pytest.mark.parametrize("metric", COUNTED)
def test_sets_where_the_number_of_labels_counts(metric: Any) -> None:
    with pytest.raises(ValueError, match="MultiLabelBinarizer"):
        metric([{1}], [{2}])


# Hierarchies. 0 and 1 are roots; 2, 3 below 0; 4 below 3; 5 below 1.
FOREST = [(0, 2), (0, 3), (3, 4), (1, 5)]


def one_hot(nodes: list[int], n: int = 6) -> np.ndarray:
    return np.eye(n, dtype=int)[nodes]


def test_path_loss_of_single_nodes_is_their_distance() -> None:
    edges = np.array([*FOREST, (6, 0), (6, 1)])  # the roots hang on a common node
    graph = scipy.sparse.coo_array((np.ones(len(edges)), edges.T), shape=(7, 7))
    distance = scipy.sparse.csgraph.shortest_path(graph, directed=False)
    for a, b in product(range(6), repeat=2):
        assert metrics.path_loss(one_hot([a]), one_hot([b]), hierarchy=FOREST) == distance[a, b]


def test_hierarchical_f1_by_hand() -> None:
    true, found = one_hot([4, 5]), one_hot([2, 1])
    # {0, 3, 4} for {0, 2}; {1, 5} for {1}
    assert metrics.hierarchical_f1(true, found, hierarchy=FOREST) == pytest.approx(2 * 2 / (5 + 3), rel=1e-15)
    assert metrics.hierarchical_f1(true, found, [0, 1], hierarchy=FOREST) == pytest.approx(2 * 1 / (2 + 1), rel=1e-15)
    assert metrics.path_loss(true, found, hierarchy=FOREST) == (3 + 1) / 2


def test_hierarchical_f1_of_closed_sets_is_micro_f1() -> None:
    true, found, weight = label_sets(5, 0.3, (30, 6))
    for Y in (true, found):
        for parent, child in reversed(FOREST):
            Y[:, parent] |= Y[:, child]
    assert metrics.hierarchical_f1(true, found, weight, hierarchy=FOREST) == metrics.micro_f1(true, found, weight)
    assert metrics.hierarchical_f1(true, found, hierarchy=[]) == metrics.micro_f1(true, found)


def test_a_dag_counts_an_ancestor_once() -> None:
    diamond = [("top", "left"), ("top", "right"), ("left", "low"), ("right", "low"), ("left", "low")]
    assert metrics.path_loss([{"low"}], [{"right"}], hierarchy=diamond) == 2
    assert metrics.path_loss([{"low"}], [set()], hierarchy=diamond) == 4


@pytest.mark.parametrize(
    ("hierarchy", "complaint"),
    [([(0, 6)], "columns 0 to 5"), ([(-1, 0)], "columns 0 to 5"), ([("a", "b")], "names only go"), ([(0, 1, 2)], "pairs")],
)
def test_wrong_hierarchies(hierarchy: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        metrics.path_loss(one_hot([0]), one_hot([1]), hierarchy=hierarchy)


# Sequences.
def test_errors_of_sequences_by_hand() -> None:
    true, found = [[0, 1, 2], [3], [], [1, 1]], [np.array([0, 2, 2]), [3], [], [2, 0]]
    assert metrics.position_error(true, found) == 3 / 6
    assert metrics.sequence_error(true, found) == 2 / 4
    assert metrics.position_error(true, found, [1, 2, 5, 0]) == pytest.approx(1 / 5, rel=1e-15)
    assert metrics.sequence_error(true, found, [1, 2, 5, 0]) == pytest.approx(1 / 8, rel=1e-15)
    assert metrics.position_error([["a", "long tag"]], [["a", "long ta"]]) == 1 / 2


def conlleval(true: list[list[str]], found: list[list[str]]) -> tuple[int, int, int]:
    """Right, true and found chunks by the published rules: a tag opens or closes a chunk judged by itself and the one before."""
    n_right = n_true = n_found = 0
    for a, b in zip(true, found, strict=True):
        sides = [[("O", ""), *((tag + "-").split("-")[:2] for tag in side), ("O", "")] for side in (a, b)]
        running = False  # a chunk that both sides opened at one place, with one type
        for k in range(1, len(a) + 2):
            ends, starts = [], []
            for side in sides:
                (before, type_before), (now, type_now) = side[k - 1], side[k]
                ends.append(before != "O" and (now in "BO" or type_now != type_before))
                starts.append(now != "O" and (now == "B" or before == "O" or type_now != type_before))
            if running and any(ends):
                n_right += all(ends)
                running = False
            running |= all(starts) and sides[0][k][1] == sides[1][k][1]
            n_true += starts[0]
            n_found += starts[1]
    return n_right, n_true, n_found


TAGS = st.sampled_from(["O", "B-a", "I-a", "B-b", "I-b"])
PAIRS = st.lists(st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=7), min_size=1, max_size=4)


@given(PAIRS)
def test_span_f1_follows_conlleval(pairs: list[list[tuple[str, str]]]) -> None:
    true, found = ([[pair[side] for pair in sentence] for sentence in pairs] for side in (0, 1))
    n_right, n_true, n_found = conlleval(true, found)
    expected = 2 * n_right / (n_true + n_found) if n_true + n_found else 1.0
    assert metrics.span_f1(true, found) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("true", "found", "value"),
    [
        # seqeval's documented example, shortened: one of two chunks is exact
        ([["O", "B-M", "I-M", "O"], ["B-P", "I-P"]], [["B-M", "I-M", "I-M", "O"], ["B-P", "I-P"]], 0.5),
        ([["I-a", "I-a", "I-b"]], [["B-a", "I-a", "B-b"]], 1.0),  # a chunk may start with I
        ([["B-a", "B-a"]], [["B-a", "I-a"]], 0.0),
        ([["B-a"], ["I-a"]], [["B-a"], ["B-a"]], 1.0),  # the end of a sentence ends a chunk
        ([["B-a-b", "I-a-b"]], [["B-a-b", "I-a-c"]], 0.0),
        ([["O"]], [["O"]], 1.0),
        ([["B-a"]], [["O"]], 0.0),
    ],
)
def test_span_f1_by_hand(true: Any, found: Any, value: float) -> None:
    assert metrics.span_f1(true, found) == value


def test_span_f1_weighs_sentences() -> None:
    true, found = [["B-a"], ["B-a", "O"]], [["B-a"], ["O", "B-a"]]
    assert metrics.span_f1(true, found) == 2 / 4
    assert metrics.span_f1(true, found, [3, 1]) == 6 / 8


@pytest.mark.parametrize(
    ("metric", "true", "found", "complaint"),
    [
        (metrics.position_error, [[1, 2]], [[1]], r"`Y_pred\[0\]` must have 2 positions, as `Y_true\[0\]` has; found 1"),
        (metrics.position_error, [[1]], [[1], [2]], "must hold 1 sequences, as `Y_true` does; found 2"),
        (metrics.position_error, [["1"]], [[1]], "both hold strings or both numbers"),
        (metrics.position_error, [1, 2], [1, 2], r"found shape \(\)"),
        (metrics.position_error, [[]], [[]], "no position at all"),
        (metrics.position_error, [[None]], [[None]], "mixed objects"),
        (metrics.span_f1, [[1]], [[1]], "Decode the states first"),
        (metrics.span_f1, [["B"]], [["O"]], "'B-type' or 'I-type'; found 'B'"),
        (metrics.span_f1, [["S-a"]], [["O"]], "found 'S-a'"),
        (metrics.span_f1, [["O-a"]], [["O"]], "found 'O-a'"),
    ],
)
def test_wrong_sequences(metric: Any, true: Any, found: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        metric(true, found)


# Scorers.
class Given(BaseEstimator):
    """Predicts what it was given as inputs."""

    def fit(self, X: Any, Y: Any) -> "Given":
        return self

    def predict(self, X: Any) -> Any:
        return X


@pytest.mark.parametrize("name", ["jaccard", "example-f1", "micro-f1", "macro-f1", "exact-match", "hamming"])
def test_scorers_of_label_sets(name: str) -> None:
    true, found, weight = label_sets(11, 0.4)
    full = {"jaccard": "jaccard_accuracy", "hamming": "hamming_loss"}
    metric = getattr(metrics, full.get(name, name.replace("-", "_")))
    sign = -1 if name == "hamming" else 1
    assert metrics.scorer(name)(Given(), found, true) == sign * metric(true, found)
    assert metrics.scorer(name)(Given(), found, true, sample_weight=weight) == sign * metric(true, found, weight)
    search = GridSearchCV(DummyClassifier(), {"strategy": ["most_frequent", "stratified"]}, scoring=metrics.scorer(name), cv=3)
    search.fit(np.zeros((len(true), 1)), true)
    assert np.isfinite(search.best_score_)


@pytest.mark.parametrize("name", ["span-f1", "position-error", "sequence-error"])
def test_scorers_of_sequences_in_cross_validation(name: str) -> None:
    true = [["B-a", "I-a"], ["O"], ["B-b", "O", "B-a"], ["O", "O"], ["B-a"], ["O"]]
    found = [["B-a", "O"], ["O"], ["B-b", "O", "B-a"], ["O", "B-b"], ["B-a"], ["O"]]
    scores = cross_val_score(Given(), found, true, scoring=metrics.scorer(name), cv=KFold(3))
    expected = {"span-f1": [0.0, 4 / 5, 1.0], "position-error": [-1 / 3, -1 / 5, 0.0], "sequence-error": [-1 / 2, -1 / 2, 0.0]}
    np.testing.assert_allclose(scores, expected[name], rtol=1e-14)


def test_scorers_of_hierarchies() -> None:
    score = metrics.scorer("path-loss", hierarchy=FOREST)
    assert score(Given(), one_hot([2]), one_hot([4])) == -3.0
    assert metrics.scorer("hierarchical-f1", hierarchy=FOREST)(Given(), one_hot([2]), one_hot([4])) == pytest.approx(2 / 5)


def test_a_scorer_of_no_metric() -> None:
    with pytest.raises(ValueError, match=r"'jaccard', .*; found 'accuracy'"):
        metrics.scorer("accuracy")


def test_metrics_load_without_scikit_learn() -> None:
    code = "import sys, taut.metrics; print('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"
