"""The page about a model: whole, harmless, and its figures those of the model."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import taut
from taut.datasets import make_multilabel
from taut.report import facts, label_scores, strongest_pairs, strongest_weights, write_page
from taut.report.svg import line_chart

X, Y, _ = make_multilabel(40, 3, 3, noise=0.2, rng=0)


class Tags(HTMLParser):
    """Checks that tags close in the order in which they open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def model():
    model = taut.MultiLabelSSVM(edges="full").fit(X, Y)
    model.classes_ = np.array(["<script>", "b & c", "d"])
    return model


def test_the_page_is_whole_and_fetches_and_runs_nothing(model, tmp_path):
    write_page(tmp_path / "a.html", model, "a < b", {"train": (Y, model.predict(X))})
    text = (tmp_path / "a.html").read_text()
    tags = Tags()
    tags.feed(text)
    assert not tags.open and {"svg", "table", "polyline"} <= tags.seen
    assert not tags.seen & {"script", "img", "link", "iframe"} and not re.search(r"https?:|url\(|@import", text)
    assert "&lt;script&gt;" in text and "b &amp; c" in text and "a &lt; b" in text
    assert f"{model.primal_objective_:.6g}" in text and f"{model.dual_objective_:.6g}" in text
    assert text.count("<tr>") > len(model.history_)


def test_a_model_of_a_stream_has_a_page_too(tmp_path):
    model = taut.MultiLabelSSVM(solver="sgd").partial_fit(X, Y)
    write_page(tmp_path / "a.html", model, "stream")
    assert "nothing is proved" in (tmp_path / "a.html").read_text() and "objective" not in facts(model)


def test_label_scores_are_those_of_scikit_learn(model):
    from sklearn.metrics import precision_recall_fscore_support

    found = model.predict(X)
    rows = label_scores(model, Y, found)
    expected = precision_recall_fscore_support(Y, found, zero_division=1.0)
    shown = np.array([[row[name] for name in ("precision", "recall", "f1", "n_true")] for row in rows])
    assert np.allclose(shown, np.transpose(expected))


def test_strongest_weights_are_the_greatest(model):
    rows = strongest_weights(model, 4)
    assert [abs(row["weight"]) for row in rows] == sorted(np.abs(model.coef_).ravel(), reverse=True)[:4]
    pairs = strongest_pairs(model, 9)
    assert len(pairs) == np.count_nonzero(model.pairwise_)
    assert abs(pairs[0]["weight"]) == np.abs(model.pairwise_).max()
    with pytest.raises(ValueError, match="found 'e'"):
        strongest_weights(model, 4, "e")


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(
    "ys", [[1.0], [2.0, 2.0], [0.0, 0.0], [1e-300, 1e300], [np.inf, 1.0, np.nan], [-1.0, 3.0], [1e12, 1e12 + 1], []]
)
def test_charts_stay_inside_their_frame(ys, log):
    drawn = line_chart([("<a>", range(len(ys)), ys)], "x", "y & z", log)
    for x, y in re.findall(r'c[xy]="([-\d.]+)" cy="([-\d.]+)"', drawn):
        assert 0 <= float(x) <= 520 and 0 <= float(y) <= 260
    assert "<a>" not in drawn
    assert len(drawn) < 10_000
