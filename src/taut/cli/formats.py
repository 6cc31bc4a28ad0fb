"""One reader per format: a file to train on, and another for a model that is trained, whose columns it must have."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

__all__ = ["ENDINGS", "READERS", "Format", "Missing", "Reading", "Task"]


class Format(StrEnum):
    """What a file holds."""

    auto = "auto"
    arff = "arff"
    svmlight = "svmlight"
    conll = "conll"
    jsonl = "jsonl"
    letters = "letters"


ENDINGS = {
    ".arff": Format.arff, ".svm": Format.svmlight, ".svmlight": Format.svmlight, ".libsvm": Format.svmlight,
    ".conll": Format.conll, ".jsonl": Format.jsonl, ".npz": Format.letters,
}  # fmt: skip


class Missing(StrEnum):
    """What becomes of missing values."""

    error = "error"
    mean = "mean"


@dataclass(frozen=True)
class Reading:
    """How a file is to be read: the options of the commands. `others` asks for the folds that are not named."""

    form: Format = Format.auto
    labels: str | None = None
    missing: Missing = Missing.error
    folds: str | None = None
    others: bool = False
    zero_based: bool = False
    hash_bits: int = 18
    vocabulary: bool = False


@dataclass(frozen=True, eq=False)
class Task:
    """Examples of one kind ("sets", "hierarchy", "chain" or "tree") as estimators take them.

    `source` is what a model must remember in order to read another file alike; `tokens` are the columns of a CoNLL file.
    """

    kind: str
    X: Any
    Y: Any
    source: dict[str, Any]
    label_names: Sequence[Any] | None = None
    feature_names: Sequence[str] | None = None
    hierarchy: Any = None
    tokens: Sequence[Sequence[tuple[str, ...]]] | None = None


def _source(model: Any) -> dict[str, Any]:
    """What a model remembers of the file that it was trained on; nothing where it was made in Python."""
    return getattr(model, "source_", {})


def _arff(path: str, how: Reading, model: Any) -> Task:
    from ..datasets import load_arff

    source, text = _source(model), how.labels
    means = source.get("means")
    labels: Any = int(text) if text is not None and text.lstrip("-").isdigit() else text
    if labels is None and model is not None and not source.get("hierarchical"):
        labels = model.classes_.tolist()
    data = load_arff(path, labels, missing="raise" if how.missing is Missing.error and means is None else "nan")
    X, hierarchical = data.X, data.hierarchy is not None and labels is None
    if means is None and how.missing is Missing.mean:
        from sklearn.impute import SimpleImputer

        means = SimpleImputer(keep_empty_features=True).fit(X).statistics_.tolist()
    if means is not None and X.shape[1] == len(means):  # another width is told later, by names
        _fill(X, np.array(means))
    remembered = {"format": "arff", "hierarchical": hierarchical, "means": means}
    kind = "sets" if data.hierarchy is None else "hierarchy"
    return Task(kind, X, data.Y, remembered, data.label_names, data.feature_names, data.hierarchy)


def _fill(X: Any, means: Any) -> None:
    """Put the means of the training data where values are missing."""
    if isinstance(X, np.ndarray):
        rows, columns = np.nonzero(np.isnan(X))
        X[rows, columns] = means[columns]
    else:
        at = np.isnan(X.data)
        X.data[at] = means[X.indices[at]]


def _svmlight(path: str, how: Reading, model: Any) -> Task:
    from ..datasets import load_svmlight

    zero_based = how.zero_based or _source(model).get("zero_based", False)
    n_features, labels = (None, None) if model is None else (model.n_features_in_, model.classes_.tolist())
    data = load_svmlight(path, n_features=n_features, labels=labels, zero_based=zero_based or None)
    return Task("sets", data.X, data.Y, {"format": "svmlight", "zero_based": zero_based}, data.label_names)


def _conll(path: str, how: Reading, model: Any) -> Task:
    """Windows of columns. Where the number of columns is known, files may lack the labels."""
    from ..datasets import load_conll
    from ..features import window_features

    known = _source(model).get("columns")
    tokens, Y = load_conll(path)
    found = len(tokens[0][0])
    if known is not None and found == known - 1:  # the last column is no label but text
        tokens = [[(*token, last) for token, last in zip(*pair, strict=True)] for pair in zip(tokens, Y, strict=True)]
        Y, found = None, known
    if known is not None and found != known:
        raise ValueError(
            f"{path}: expected {known} columns as in training, and a label where it is known; found {found} before the last."
        )
    columns, templates = _templates(found)
    X, names = _columns([window_features(t, templates, columns) for t in tokens], how, model)
    return Task("chain", X, Y, {"format": "conll", "columns": found}, feature_names=names, tokens=tokens)


def _templates(n_columns: int) -> tuple[list[str], list[str]]:
    """Names of the columns, and the templates of CRFsuite's example as far as they go; further columns with their neighbours."""
    from ..features import CHUNKING

    columns = ["w", "pos", *(f"c{number}" for number in range(3, n_columns + 1))][:n_columns]
    templates = [template for template in CHUNKING if n_columns > 1 or "pos" not in template]
    return columns, templates + [f"{column}[{at}]" for column in columns[2:] for at in (-1, 0, 1)]


def _columns(rows: Any, how: Reading, model: Any) -> tuple[Any, Sequence[str] | None]:
    """Feature dictionaries as sparse rows: hashed, or a column per feature of the training data, with its name."""
    from sklearn.feature_extraction import DictVectorizer, FeatureHasher

    from ..estimators import PerSequence

    names = getattr(model, "feature_names_in_", None)
    if names is None and (model is not None or not how.vocabulary):
        return PerSequence(FeatureHasher(2**how.hash_bits if model is None else model.n_features_in_)).fit_transform(rows), None
    if names is None:
        named = PerSequence(DictVectorizer()).fit(rows)
        return named.transform(rows), named.get_feature_names_out().tolist()
    named = PerSequence(DictVectorizer())
    named.transformer_ = DictVectorizer()
    named.transformer_.feature_names_ = list(names)
    named.transformer_.vocabulary_ = {name: k for k, name in enumerate(names)}
    return named.transform(rows), list(names)


def _json_lines(path: str, how: Reading, model: Any) -> Task:
    from ..datasets import load_json_lines

    X, Y = load_json_lines(path)
    kind = "tree" if isinstance(X[0], tuple) else "chain"
    if model is not None and kind != ("tree" if type(model).__name__ == "TreeSSVM" else "chain"):
        wanted = "without" if kind == "tree" else "with"
        raise ValueError(f"{path}: expected examples {wanted} edges, as the model was trained on; found others.")
    edges = [x[1] for x in X] if kind == "tree" else None
    rows, names = [x[0] for x in X] if kind == "tree" else X, None
    if isinstance(rows[0][0], dict):
        rows, names = _columns(rows, how, model)
    else:
        rows = [np.array(part) for part in rows]
    examples = rows if edges is None else list(zip(rows, edges, strict=True))
    return Task(kind, examples, Y, {"format": "jsonl"}, feature_names=names)


def _letters(path: str, how: Reading, model: Any) -> Task:
    from ..datasets import load_letters

    data = load_letters(path)
    names = np.array(data.label_names)
    kept = range(len(data.X)) if how.folds is None else _of_folds(path, data.part, how.folds, how.others)
    return Task("chain", [data.X[i] for i in kept], [names[data.Y[i]] for i in kept], {"format": "letters"})


def _of_folds(path: str, part: Any, folds: str, others: bool) -> list[int]:
    """The words of the folds named, or of the others."""
    there = sorted(set(part.tolist()))
    wanted = folds.split(",")
    if not set(wanted) <= set(map(str, there)):
        raise ValueError(f"{path}: expected folds among {there}, with commas between them; found {folds!r}.")
    kept = np.flatnonzero(np.isin(part, [int(fold) for fold in wanted], invert=others)).tolist()
    if not kept:
        raise ValueError(f"{path}: expected words in other folds than {folds}; found none. Name fewer.")
    return list(kept)


READERS = {
    Format.arff: _arff,
    Format.svmlight: _svmlight,
    Format.conll: _conll,
    Format.jsonl: _json_lines,
    Format.letters: _letters,
}
