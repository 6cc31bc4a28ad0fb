"""ARFF files: dense or sparse rows, labels by MULAN, MEKA or CLUS, nominal attributes, missing values."""

from collections.abc import Collection, Iterator
from itertools import chain, islice
from typing import Literal

from ..errors import DataError
from ..lines import PathLike, lines
from ..record import Dataset
from ..size import check_chunk
from .header import header
from .matrices import assembled
from .plan import Labels, Missing, Plan, plan_of
from .rows import Row, dense_row, sparse_row

__all__ = ["iter_arff", "load_arff"]


def load_arff(
    path: PathLike,
    labels: Labels = None,
    *,
    missing: Missing = "raise",
    drop: Collection[str] = (),
    encoding: str = "utf-8",
) -> Dataset:
    """Read an ARFF file with several labels or a hierarchy of classes.

    Numeric attributes are one column of X each. So are nominal attributes with the values 0 and 1; other nominal
    attributes become one column per value, which is 1 where the attribute has it. Attributes that sparse rows leave out
    are 0, or have the first value that their declaration lists, as the format has it.

    Parameters
    ----------
    path : str or path
        Plain or gzipped.
    labels : path, list of str, or int, optional
        Which attributes are labels: an XML file of MULAN, their names, or a number as MEKA has it: the first `k`, or for
        negative `k` the last. By default the `hierarchical` attribute of CLUS, or what the option `-C k` of MEKA in the
        name of the relation says. Labels are numeric or nominal, 0 and 1 or false and true.
    missing : {"raise", "nan", "mean"}
        What becomes of `?` in X: an error, nan, or the mean of the values in its column *of this file*. To fill test
        data with the means of the training data, read both with nan and use scikit-learn's `SimpleImputer`.
    drop : names
        Attributes to leave out, as strings and dates must be.
    encoding : str

    Returns
    -------
    Dataset
        X is a CSR array if the rows of the file are sparse, else an array; Y is 0/1 (int8). With classes in a hierarchy
        (CLUS, or nested labels of MULAN), Y is closed under ancestors and `hierarchy` holds the edges.
    """
    if missing not in ("raise", "nan", "mean"):
        raise ValueError(f'`missing` must be "raise", "nan" or "mean"; it is {missing!r}.')
    plan, rows = _opened(path, labels, missing, drop, encoding)
    return assembled(path, plan, rows)


def iter_arff(
    path: PathLike,
    labels: Labels = None,
    *,
    chunk: int = 10_000,
    missing: Literal["raise", "nan"] = "raise",
    drop: Collection[str] = (),
    encoding: str = "utf-8",
) -> Iterator[Dataset]:
    """Read what :func:`load_arff` reads, `chunk` rows at a time, in memory for these."""
    if missing not in ("raise", "nan"):
        raise ValueError(f'`missing` must be "raise" or "nan" (means need the whole file); it is {missing!r}.')
    check_chunk(chunk)
    plan, rows = _opened(path, labels, missing, drop, encoding)
    return (assembled(path, plan, chain([first], islice(rows, chunk - 1))) for first in rows)


def _opened(
    path: PathLike, labels: Labels, missing: Missing, drop: Collection[str], encoding: str
) -> tuple[Plan, Iterator[Row]]:
    numbered = lines(path, encoding)
    head = header(path, numbered)
    rows = ((line, text.strip()) for line, text in numbered)
    rows = ((line, text) for line, text in rows if text and text[0] != "%")
    first = next(rows, None)
    if first is None:
        raise DataError(path, None, "rows after @data", "none")
    sparse = first[1][0] == "{"
    plan = plan_of(path, head, labels, missing, drop, sparse)
    read = sparse_row if sparse else dense_row
    return plan, (read(path, plan, line, text) for line, text in chain([first], rows))
