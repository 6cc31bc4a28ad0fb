"""JSON lines: one example a line, of rows of features, edges between them where it is a tree or graph, and a label per row."""

import json
import math
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from .errors import DataError
from .lines import PathLike, lines
from .record import Dataset
from .size import check_chunk

__all__ = ["iter_json_lines", "load_json_lines"]

_KEYS = {"features", "edges", "labels"}


class Example(NamedTuple):
    """What a line holds, checked."""

    features: list[Any]
    edges: list[list[int]] | None
    labels: list[Any] | None


def load_json_lines(path: PathLike, *, encoding: str = "utf-8") -> Dataset:
    """Read sequences, trees and graphs of any features, a line each.

    A line is `{"features": [[0.5, 1], [2, 0]], "edges": [[0, 1]], "labels": ["a", "b"]}`: a row of numbers per position or node,
    or a dictionary of texts, truth values and weights; pairs of nodes, where there are edges; a label per row, text or integer.
    All lines have edges or none has, and so with labels.

    Parameters
    ----------
    path : str or path
        Plain or gzipped.
    encoding : str

    Returns
    -------
    Dataset
        X holds one list of rows per example, with edges a pair (rows, edges); Y one list of labels each, None where there are none.
    """
    return _assembled(list(_examples(path, encoding)))


def iter_json_lines(path: PathLike, *, chunk: int = 10_000, encoding: str = "utf-8") -> Iterator[Dataset]:
    """Read what :func:`load_json_lines` reads, `chunk` examples at a time, in memory for these."""
    check_chunk(chunk)
    examples = _examples(path, encoding)
    return (_assembled(batch) for batch in iter(lambda: list(islice(examples, chunk)), []))


def _assembled(examples: list[Example]) -> Dataset:
    X = [one.features if one.edges is None else (one.features, one.edges) for one in examples]
    return Dataset(X, None if examples[0].labels is None else [one.labels for one in examples])


def _examples(path: PathLike, encoding: str) -> Iterator[Example]:
    first, kind = 0, None
    for line, text in lines(path, encoding):
        if not text.strip():
            continue
        example = _example(path, line, text)
        row = example.features[0]
        found = (_shape(row), example.edges is not None, example.labels is not None)
        if kind is None:
            first, kind = line, found
        if found != kind:
            raise DataError(path, line, f"{_words(*kind)}, as in line {first}", _words(*found))
        yield example
    if kind is None:
        raise DataError(path, None, 'lines {"features": ..., "labels": ...}', "none")


def _shape(row: Any) -> int | None:
    """How many numbers a row has; None for dictionaries."""
    return None if isinstance(row, dict) else len(row)


def _words(width: int | None, edges: bool, labels: bool) -> str:
    rows = "dictionaries" if width is None else f"rows of {width} numbers"
    return f"{rows}, {'' if edges else 'no '}edges, {'' if labels else 'no '}labels"


def _example(path: PathLike, line: int, text: str) -> Example:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(path, line, "a JSON object", f"{error}: {text[:40]}") from None
    if not isinstance(record, dict) or not {"features"} <= set(record) <= _KEYS:
        keys = ", ".join(record) if isinstance(record, dict) else text[:40]
        raise DataError(path, line, "an object with features, and edges and labels where there are any", keys)
    rows, edges, labels = (record.get(key) for key in ("features", "edges", "labels"))
    if not isinstance(rows, list) or not rows:
        raise DataError(path, line, "a list of at least one row as features", f"{rows!r}")
    for row in rows:
        if not (_numbers(row) or _features(row)) or _shape(row) != _shape(rows[0]):
            raise DataError(path, line, "rows that are all lists of as many finite numbers, or all dictionaries", f"{row!r}")
    n = len(rows)
    if edges is not None and not (isinstance(edges, list) and all(_pair(edge, n) for edge in edges)):
        raise DataError(path, line, f"edges as pairs of rows from 0 to {n - 1}", f"{edges!r}")
    if labels is not None and not (isinstance(labels, list) and len(labels) == n and all(map(_label, labels))):
        raise DataError(path, line, f"{n} labels, one per row, all texts or integers", f"{labels!r}")
    return Example([list(map(float, row)) if isinstance(row, list) else row for row in rows], edges, labels)


def _numbers(row: Any) -> bool:
    return isinstance(row, list) and len(row) > 0 and all(map(_number, row))


def _number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1.8e308 and math.isfinite(value)


def _features(row: Any) -> bool:
    return isinstance(row, dict) and all(isinstance(value, (str, bool)) or _number(value) for value in row.values())


def _pair(edge: Any, n: int) -> bool:
    return isinstance(edge, list) and len(edge) == 2 and all(type(end) is int and 0 <= end < n for end in edge)


def _label(label: Any) -> bool:
    return isinstance(label, str) or (type(label) is int and abs(label) < 2**53)
