"""Data files as the commands take them: which reader, and how a model finds its columns again in another file."""

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

__all__ = ["DataFile", "Format", "FormatOption", "LabelsOption", "Task", "read_again", "read_first"]


class Format(StrEnum):
    """What a file holds."""

    auto = "auto"
    arff = "arff"
    svmlight = "svmlight"
    conll = "conll"
    letters = "letters"


ENDINGS = {
    ".arff": Format.arff, ".svm": Format.svmlight, ".svmlight": Format.svmlight, ".libsvm": Format.svmlight,
    ".conll": Format.conll, ".npz": Format.letters,
}  # fmt: skip

DataFile = Annotated[str, typer.Argument(metavar="DATA", help="A data file, plain or gzipped; - for the standard input.")]
FormatOption = Annotated[Format, typer.Option("--format", help="What the file holds; auto goes by its name.")]
LabelsOption = Annotated[
    str | None,
    typer.Option("--labels", help="ARFF: an XML file of MULAN, or how many first (negative: last) attributes are labels."),
]


@dataclass(frozen=True, eq=False)
class Task:
    """Examples of one kind ("sets", "hierarchy" or "chain") as estimators take them.

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


def read_first(path: str, form: Format, labels: str | None, zero_based: bool, hash_bits: int) -> Task:
    """A file to train on."""
    match _format(path, form):
        case Format.arff:
            return _arff(path, _labels(labels))
        case Format.svmlight:
            return _svmlight(path, {"zero_based": True} if zero_based else {})
        case Format.conll:
            return _conll(path, 2**hash_bits, None)
    return _letters(path)


def read_again(model: Any, path: str, form: Format, labels: str | None) -> Task:
    """A file for a model that is trained: the same columns, or an error that says which differ."""
    source = getattr(model, "source_", {})
    known = Format(source["format"]) if form is Format.auto and source else _format(path, form)
    if known is Format.arff:
        again = None if source.get("hierarchical") else model.classes_.tolist()
        task = _arff(path, again if labels is None else _labels(labels))
    elif known is Format.svmlight:
        options = {"n_features": model.n_features_in_, "labels": model.classes_.tolist()}
        task = _svmlight(path, options | ({"zero_based": True} if source.get("zero_based") else {}))
    elif known is Format.conll:
        task = _conll(path, model.n_features_in_, source.get("columns"))
    else:
        task = _letters(path)
    _check_names(path, "features", getattr(model, "feature_names_in_", None), task.feature_names)
    if task.label_names is not None and len(task.Y) and getattr(task.Y, "ndim", 1) == 2:
        _check_names(path, "labels", model.classes_, task.label_names)
    return task


def _format(path: str, form: Format) -> Format:
    if form is not Format.auto:
        return form
    ending = Path(path.removesuffix(".gz")).suffix.lower()
    if ending not in ENDINGS:
        raise ValueError(f"{path}: expected a name that ends in {', '.join(ENDINGS)} (or these with .gz); state it with --format.")
    return ENDINGS[ending]


def _labels(text: str | None) -> Any:
    """A number of attributes, or a path."""
    return int(text) if text is not None and text.lstrip("-").isdigit() else text


@contextmanager
def _opened(path: str) -> Iterator[str]:
    """A path that readers can open; the standard input is copied into a file that lasts as long as the reading."""
    from ..datasets import DataError

    if path != "-":
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "input"
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        try:
            yield str(copy)
        except DataError as error:
            raise DataError("standard input", error.line, error.expected, error.found) from None


def _arff(path: str, labels: Any) -> Task:
    from ..datasets import load_arff

    with _opened(path) as file:
        data = load_arff(file, labels)
    source = {"format": "arff", "hierarchical": data.hierarchy is not None and labels is None}
    kind = "sets" if data.hierarchy is None else "hierarchy"
    return Task(kind, data.X, data.Y, source, data.label_names, data.feature_names, data.hierarchy)


def _svmlight(path: str, options: dict[str, Any]) -> Task:
    from ..datasets import load_svmlight

    with _opened(path) as file:
        data = load_svmlight(file, **options)
    source = {"format": "svmlight", "zero_based": options.get("zero_based", False)}
    return Task("sets", data.X, data.Y, source, data.label_names)


def _conll(path: str, n_features: int, n_columns: int | None) -> Task:
    """Windows of columns, hashed. Where the number of columns is known, files may lack the labels."""
    from sklearn.feature_extraction import FeatureHasher

    from ..datasets import load_conll
    from ..estimators import PerSequence
    from ..features import window_features

    with _opened(path) as file:
        tokens, Y = load_conll(file)
    found = len(tokens[0][0])
    if n_columns is not None and found == n_columns - 1:  # the last column is no label but text
        tokens = [[(*token, last) for token, last in zip(*pair, strict=True)] for pair in zip(tokens, Y, strict=True)]
        Y, found = None, n_columns
    if n_columns is not None and found != n_columns:
        raise ValueError(
            f"{path}: expected {n_columns} columns as in training, and a label where it is known; found {found} before the last."
        )
    columns, templates = _templates(found)
    rows = PerSequence(FeatureHasher(n_features)).fit_transform([window_features(t, templates, columns) for t in tokens])
    return Task("chain", rows, Y, {"format": "conll", "columns": found}, tokens=tokens)


def _templates(n_columns: int) -> tuple[list[str], list[str]]:
    """Names of the columns, and the templates of CRFsuite's example as far as they go; further columns with their neighbours."""
    from ..features import CHUNKING

    columns = ["w", "pos", *(f"c{number}" for number in range(3, n_columns + 1))][:n_columns]
    templates = [template for template in CHUNKING if n_columns > 1 or "pos" not in template]
    return columns, templates + [f"{column}[{at}]" for column in columns[2:] for at in (-1, 0, 1)]


def _letters(path: str) -> Task:
    from ..datasets import load_letters

    if path == "-":
        raise ValueError("letters are read from a file, not from the standard input.")
    data = load_letters(path)
    names = np.array(data.label_names)
    return Task("chain", data.X, [names[y] for y in data.Y], {"format": "letters"})


def _check_names(path: str, what: str, expected: Any, found: Sequence[Any] | None) -> None:
    if expected is None or found is None or list(expected) == list(found):
        return
    if len(expected) != len(found):
        raise ValueError(f"{path}: expected the {len(expected)} {what} of the model; found {len(found)}.")
    j = next(j for j, pair in enumerate(zip(expected, found, strict=True)) if pair[0] != pair[1])
    raise ValueError(f"{path}: expected the {what} of the model; found {found[j]!r} where it has {expected[j]!r}.")
