"""Columns of tokens: one token a line, columns apart by blanks, the label last, a blank line between sentences."""

import re
from collections.abc import Iterator
from itertools import islice

from .errors import DataError
from .lines import PathLike, lines
from .record import Dataset
from .size import check_chunk

__all__ = ["iter_conll", "load_conll"]

_COLUMN = re.compile(r"[^ \t]+")  # str.split would also cut at no-break spaces, which tokens may hold

Sentence = tuple[list[tuple[str, ...]], list[str]]


def load_conll(path: PathLike, *, encoding: str = "utf-8") -> Dataset:
    """Read sentences as of CoNLL-2000 (`word POS chunk`) or CoNLL-2003 (`word POS chunk entity`).

    Every token of a file has as many columns as the first. Lines that start with `-DOCSTART-` are left out.

    Parameters
    ----------
    path : str or path
        Plain or gzipped.
    encoding : str

    Returns
    -------
    Dataset
        X holds one list per sentence of one tuple per token, with the text of all columns but the last;
        Y one list per sentence of the last column.
    """
    return _assembled(_sentences(path, encoding))


def iter_conll(path: PathLike, *, chunk: int = 10_000, encoding: str = "utf-8") -> Iterator[Dataset]:
    """Read what :func:`load_conll` reads, `chunk` sentences at a time, in memory for these."""
    check_chunk(chunk)
    sentences = _sentences(path, encoding)
    return (_assembled(iter(batch)) for batch in iter(lambda: list(islice(sentences, chunk)), []))


def _assembled(sentences: Iterator[Sentence]) -> Dataset:
    X, Y = map(list, zip(*sentences, strict=True))
    return Dataset(X, Y)


def _sentences(path: PathLike, encoding: str) -> Iterator[Sentence]:
    width, first, n = None, 0, 0
    tokens: list[tuple[str, ...]] = []
    labels: list[str] = []
    for line, text in lines(path, encoding):
        columns = _COLUMN.findall(text)
        if not columns or columns[0] == "-DOCSTART-":
            if tokens:
                yield tokens, labels
                tokens, labels, n = [], [], n + 1
            continue
        if width is None:
            width, first = len(columns), line
            if width == 1:
                raise DataError(path, line, "a token and its label", text)
        if len(columns) != width:
            raise DataError(path, line, f"{width} columns, as in line {first}", f"{len(columns)}: {text}")
        *token, label = columns
        tokens.append(tuple(token))
        labels.append(label)
    if tokens:
        yield tokens, labels
    elif n == 0:
        raise DataError(path, None, "lines `token ... label`", "none")
