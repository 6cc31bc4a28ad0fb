"""Sequences from feature dictionaries: equal to scikit-learn's transformers on the rows end to end; windows by their definition."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.feature_extraction import DictVectorizer, FeatureHasher
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from taut.estimators import PerSequence
from taut.features import CHUNKING, as_rows, window_features

SENTENCES = [
    [("The", "DT"), ("cat", "NN"), ("sat", "VBD"), ("down", "RB"), (".", ".")],
    [("It", "PRP")],
    [("No", "DT"), ("one", "NN")],
]
# what users of CRFsuite have: texts, truth values, weights
X = [[{"bias": 1.0, "word": token, "upper": token.isupper(), "tag": tag} for token, tag in sentence] for sentence in SENTENCES]
FLAT = [token for sentence in X for token in sentence]


def stacked(parts: list[Any]) -> np.ndarray:
    return np.concatenate([part.toarray() if scipy.sparse.issparse(part) else part for part in parts])


@pytest.mark.parametrize("transformer", [FeatureHasher(32), DictVectorizer(), DictVectorizer(sparse=False)], ids=str)
def test_dictionaries_become_what_scikit_learn_makes_of_all_rows(transformer: Any) -> None:
    per = PerSequence(transformer)
    found, expected = per.fit_transform(X), clone(transformer).fit_transform(FLAT)
    assert [len(part) if isinstance(part, np.ndarray) else part.shape[0] for part in found] == [5, 1, 2]
    assert (stacked(found) == stacked([expected])).all()
    assert (stacked(per.transform(X[::-1])) == stacked(found[::-1])).all()
    rows, offsets = as_rows(found, 3)
    assert offsets.tolist() == [0, 5, 6, 8] and rows.n_features == expected.shape[1]


def test_pieces_of_a_sparse_matrix_are_what_scipy_slices() -> None:
    whole = scipy.sparse.random_array((9, 6), density=0.3, format="csr", rng=np.random.default_rng(0))
    pieces = PerSequence(clone(FeatureHasher(32))).fit_transform([[{"a": 1}, {"b": 1}], [{"c": 2}]])
    assert [piece.shape for piece in pieces] == [(2, 32), (1, 32)] and all(piece.has_canonical_format for piece in pieces)
    again = PerSequence(StandardScaler(with_mean=False, with_std=False)).fit_transform([whole[:2], whole[2:3], whole[3:]])
    assert (stacked(again) == whole.toarray()).all() and isinstance(again[0], scipy.sparse.csr_array)


def test_arrays_in_pipelines() -> None:
    rng = np.random.default_rng(0)
    sequences = [rng.normal(size=(n, 3)) for n in (4, 1, 7)]
    scaled = PerSequence(StandardScaler()).fit_transform(sequences)
    assert np.allclose(stacked(scaled).mean(axis=0), 0) and [len(x) for x in scaled] == [4, 1, 7]
    labels = [[tag for _, tag in sentence] for sentence in SENTENCES]
    chosen = make_pipeline(PerSequence(DictVectorizer()), PerSequence(SelectKBest(chi2, k=2))).fit(X, labels)
    names = chosen[0].get_feature_names_out()[chosen[1].transformer_.get_support()]
    assert len(names) == 2 and all(part.shape[1] == 2 for part in chosen.transform(X))


def test_it_is_an_estimator() -> None:
    per = PerSequence(FeatureHasher(16)).set_params(transformer__n_features=64)
    assert clone(per).get_params()["transformer__n_features"] == 64
    check_is_fitted(per.fit(X))
    same = pickle.loads(pickle.dumps(per))
    assert (stacked(same.transform(X)) == stacked(per.transform(X))).all()


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ([], "`X` must hold at least one sequence; found none"),
        (X[0], r"`X\[0\]` is of type dict. Put a single sequence into a list"),
        (["text"], r"`X\[0\]` is of type str"),
        ([X[0], None], r"`X\[1\]` is of type NoneType"),
        ([X[0], []], r"`X\[1\]` must have at least one row"),
    ],
)
def test_what_is_no_list_of_sequences(wrong: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        PerSequence(FeatureHasher(16)).fit(wrong)


def value(template: str, sentence: list[tuple[str, str]], t: int) -> str | None:
    """The definition, part by part."""
    texts = []
    for part in template.split("|"):
        name, offset = part.removesuffix("]").split("[")
        at = t + int(offset)
        if not 0 <= at < len(sentence):
            return None
        texts.append(sentence[at][["w", "pos"].index(name)])
    return "|".join(texts)


@pytest.mark.parametrize("sentence", [*SENTENCES, []], ids=len)
def test_windows_are_what_they_say(sentence: list[tuple[str, str]]) -> None:
    features = window_features(sentence)
    assert len(features) == len(sentence) and len(CHUNKING) == len(set(CHUNKING)) == 19
    for t, found in enumerate(features):
        expected = {template: value(template, sentence, t) for template in CHUNKING}
        ends = {name: True for name, at in [("first", 0), ("last", len(sentence) - 1)] if at == t}
        assert found == {k: v for k, v in expected.items() if v is not None} | ends


@pytest.mark.parametrize("token", ["The", ("The",), ("The", "DT", "B-NP")], ids=len)
def test_tokens_have_one_text_per_column(token: Any) -> None:
    with pytest.raises(ValueError, match=r"`sentence\[1\]` must have one text per column, \('w', 'pos'\)"):
        window_features([("It", "PRP"), token])


@pytest.mark.parametrize("template", ["w", "w[]", "w[x]", "x[0]", "w[0]|", ""])
def test_wrong_templates(template: str) -> None:
    with pytest.raises(ValueError, match="a template must be parts"):
        window_features(SENTENCES[0], [template])
