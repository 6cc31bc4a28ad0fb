"""Label sets in svmlight format: `3,17 5:0.2 1024:1`, as LIBSVM and the extreme classification repository have them."""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from math import isfinite
from typing import NamedTuple

import numpy as np
import scipy.sparse

from .csr import narrow
from .errors import DataError
from .lines import PathLike, lines
from .record import Dataset
from .size import check_chunk, check_size

__all__ = ["iter_svmlight", "load_svmlight"]

MAX_INDEX = 2**31 - 1
HEADER = re.compile(r"(\d{1,12})\s+(\d{1,12})\s+(\d{1,12})", re.ASCII)
PAIR = re.compile(r"\d+:[-+]?[\d.]+(?:[eE][-+]?\d+)?", re.ASCII)


def load_svmlight(
    path: PathLike,
    *,
    n_features: int | None = None,
    labels: Sequence[int] | None = None,
    zero_based: bool | None = None,
    encoding: str = "utf-8",
) -> Dataset:
    """Read a file of lines `label,label index:value index:value`; what follows `#` is a comment.

    A line that starts with a blank, or with its first `index:value`, has no label. Indices may stand in any order but not
    twice. A first line of three counts (rows, features, labels) is the header of the extreme classification repository:
    it fixes the number of columns, and indices and labels count from 0.

    Parameters
    ----------
    path : str or path
        Plain or gzipped.
    n_features : int, optional
        Number of columns of X. By default as many as occur; give it for test data.
    labels : sequence of int, optional
        What the columns of Y stand for. By default the labels that occur, ascending; give it for test data.
    zero_based : bool, optional
        Whether indices of features count from 0. By default they count from 1, but for files with a header.
    encoding : str

    Returns
    -------
    Dataset
        X is a CSR array of float64, Y is 0/1 (int8) with the columns `label_names`.
    """
    header, rows = _opened(path, zero_based, encoding)
    every = list(rows)
    columns = _columns(header, every, n_features, labels)
    return _assembled(path, every, columns)


def iter_svmlight(
    path: PathLike,
    *,
    chunk: int = 10_000,
    n_features: int | None = None,
    labels: Sequence[int] | None = None,
    zero_based: bool | None = None,
    encoding: str = "utf-8",
) -> Iterator[Dataset]:
    """Read what :func:`load_svmlight` reads, `chunk` rows at a time, in memory for these.

    Where neither `n_features` and `labels` nor a header say which columns there are, the file is read twice: first to
    find out.
    """
    check_chunk(chunk)
    header, rows = _opened(path, zero_based, encoding)
    known = n_features is not None and labels is not None
    columns = _columns(header, () if known or header else rows, n_features, labels)
    _, rows = _opened(path, zero_based, encoding)
    return (_assembled(path, batch, columns) for batch in iter(lambda: list(islice(rows, chunk)), []))


class _Row(NamedTuple):
    line: int
    labels: list[int]
    indices: "array[int]"
    values: "array[float]"


class _Columns(NamedTuple):
    n_features: int
    labels: Sequence[int]


def _opened(path: PathLike, zero_based: bool | None, encoding: str) -> tuple[_Columns | None, Iterator[_Row]]:
    """The header, if there is one, and the rows."""
    numbered = ((line, text.partition("#")[0].rstrip()) for line, text in lines(path, encoding))
    numbered = ((line, text) for line, text in numbered if text)
    line, first = next(numbered, (None, ""))
    if line is None:
        raise DataError(path, None, "lines `label,label index:value index:value`", "none")
    if header := HEADER.fullmatch(first):
        n_rows, n_features, n_labels = map(int, header.groups())
        if n_features > MAX_INDEX or n_labels > MAX_INDEX:
            raise DataError(path, line, f"at most {MAX_INDEX} columns", first)
        rows = _counted(path, n_rows, _rows(path, numbered, 0 if zero_based is None else 1 - zero_based))
        return _Columns(n_features, range(n_labels)), rows
    return None, _rows(path, chain([(line, first)], numbered), 1 - bool(zero_based))


def _counted(path: PathLike, n_rows: int, rows: Iterator[_Row]) -> Iterator[_Row]:
    n = 0
    for row in rows:
        n += 1
        yield row
    if n != n_rows:
        raise DataError(path, None, f"{n_rows} rows, as the first line says", f"{n}")


def _rows(path: PathLike, numbered: Iterable[tuple[int, str]], base: int) -> Iterator[_Row]:
    for line, text in numbered:
        try:
            if "_" in text or not text.isascii():  # Python's numbers may have underscores and foreign digits
                raise ValueError
            head, *pairs = text.split()
            if ":" in head or text[0].isspace():
                head, pairs = "", [head, *pairs]
            split = [pair.split(":") for pair in pairs]
            indices = array("i", [int(index) - base for index, _ in split])
            values = array("d", [float(value) for _, value in split])
            names = [int(name) for name in head.split(",")] if head else []
        except (ValueError, OverflowError):
            raise DataError(path, line, "`label,label index:value index:value` in plain numbers", _at_fault(text)) from None
        if len(set(indices)) < len(indices) or min(indices, default=0) < 0:
            wanted = "indices from 1 (`zero_based=True` reads them from 0)" if base else "indices from 0"
            raise DataError(path, line, f"{wanted}, each once", text)
        yield _Row(line, names, indices, values)


def _at_fault(text: str) -> str:
    """The first token that is no pair of numbers, or else the line."""
    return next((token for token in text.split()[text[0] != " " :] if not PAIR.fullmatch(token)), text)


def _columns(header: _Columns | None, rows: Iterable[_Row], n_features: int | None, labels: Sequence[int] | None) -> _Columns:
    """What the caller says, else the header, else what the rows hold."""
    if labels is not None and len(set(labels)) < len(labels):
        raise ValueError(f"`labels` must differ; found {len(labels)} labels of {len(set(labels))} kinds.")
    greatest, found = -1, set[int]()
    for row in rows:
        greatest = max(greatest, max(row.indices, default=-1))
        found.update(row.labels)
    stated = header or _Columns(greatest + 1, sorted(found))
    return _Columns(stated.n_features if n_features is None else n_features, stated.labels if labels is None else labels)


def _assembled(path: PathLike, rows: list[_Row], columns: _Columns) -> Dataset:
    n_features, labels = columns
    check_size(path, "Y", len(rows), len(labels))
    # the labels of a header are a range, and as many as it likes to state
    column = labels.index if isinstance(labels, range) else {label: j for j, label in enumerate(labels)}.__getitem__
    Y = np.zeros((len(rows), len(labels)), np.int8)
    for y, row in zip(Y, rows, strict=True):
        for label in row.labels:
            try:
                y[column(label)] = 1
            except (KeyError, ValueError):
                raise DataError(path, row.line, f"labels among the {len(labels)} known ones", f"{label}") from None
        if row.indices and max(row.indices) >= n_features:
            raise DataError(path, row.line, f"at most {n_features} features", f"index {max(row.indices)}, counted from 0")
        if not all(map(isfinite, row.values)):
            raise DataError(path, row.line, "finite values", "nan or an infinity")
    indptr = np.cumsum([0, *(len(row.indices) for row in rows)])
    data = np.frombuffer(b"".join(row.values.tobytes() for row in rows))
    indices = np.frombuffer(b"".join(row.indices.tobytes() for row in rows), np.int32)
    X = narrow(scipy.sparse.csr_array((data.copy(), indices.copy(), indptr), shape=(len(rows), n_features)))
    X.sort_indices()
    return Dataset(X, Y, label_names=labels)
