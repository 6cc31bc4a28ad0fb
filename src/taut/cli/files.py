"""Data files as the commands take them: which reader, and how a model finds its columns again in another file."""

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from .formats import ENDINGS, READERS, Format, Reading, Task

__all__ = ["DATA", "DataFile", "FoldOption", "FormatOption", "LabelsOption", "read_again", "read_first"]

DATA: dict[str, Any] = {"rich_help_panel": "Data"}
DataFile = Annotated[str, typer.Argument(metavar="DATA", help="A data file, plain or gzipped; - for the standard input.")]
FormatOption = Annotated[Format, typer.Option("--format", help="What the file holds; auto goes by its name.", **DATA)]
LabelsOption = Annotated[
    str | None,
    typer.Option("--labels", help="ARFF: MULAN's XML, or how many first (negative: last) attributes are labels.", **DATA),
]
FoldOption = Annotated[str | None, typer.Option("--fold", help="Letters: only words of these folds, as 0,3,4.", **DATA)]


def read_first(path: str, how: Reading) -> Task:
    """A file to train on."""
    return _read(path, _format(path, how.form), how, None)


def read_again(model: Any, path: str, how: Reading) -> Task:
    """A file for a model that is trained: the same columns, or an error that says which differ."""
    source = getattr(model, "source_", {})
    form = Format(source["format"]) if how.form is Format.auto and source else _format(path, how.form)
    task = _read(path, form, how, model)
    if form is Format.arff:  # others are read into the model's columns
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


def _read(path: str, form: Format, how: Reading, model: Any) -> Task:
    if how.folds is not None and form is not Format.letters:
        raise ValueError(f"{path}: `--fold` is for letters; found a file of {form}. Leave it out.")
    if form is Format.letters and path == "-":
        raise ValueError("letters are read from a file, not from the standard input.")
    with _opened(path) as file:
        return READERS[form](file, how, model)


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


def _check_names(path: str, what: str, expected: Any, found: Sequence[Any] | None) -> None:
    if expected is None or found is None or list(expected) == list(found):
        return
    if len(expected) != len(found):
        raise ValueError(f"{path}: expected the {len(expected)} {what} of the model; found {len(found)}.")
    j = next(j for j, pair in enumerate(zip(expected, found, strict=True)) if pair[0] != pair[1])
    raise ValueError(f"{path}: expected the {what} of the model; found {found[j]!r} where it has {expected[j]!r}.")
