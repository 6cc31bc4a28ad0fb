"""Rows of an ARFF file become X and Y."""

from array import array
from collections.abc import Iterable, Sequence
from math import nan
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse

from ..csr import narrow
from ..errors import DataError
from ..lines import PathLike
from ..record import Dataset
from ..size import check_size
from .plan import BINARY, TRUTH, Plan
from .rows import Row

__all__ = ["assembled"]

Matrix: TypeAlias = Any  # an array or a CSR array: scipy has no types


def assembled(path: PathLike, plan: Plan, rows: Iterable[Row]) -> Dataset:
    """All rows as a data set."""
    lines_of, lengths, classes = [], [0], []
    indices, values = array("i"), array("d")
    for row in rows:
        lines_of.append(row.line)
        lengths.append(len(row.values))
        classes.append(row.classes)
        values.extend(row.values)
        if plan.sparse:
            indices.extend(row.indices)
    shape = (len(lines_of), len(plan.attributes))
    M: Matrix = np.array(values)
    M = scipy.sparse.csr_array((M, np.array(indices), np.cumsum(lengths)), shape=shape) if plan.sparse else M.reshape(shape)
    _check_binary(path, plan, M, lines_of)
    target = plan.target
    check_size(path, "Y", len(lines_of), len(target.names))
    Y = _labels(plan, M) if target.classes is None else _members(classes, len(target.names))
    if target.classes is None and target.hierarchy is not None:
        for parent, child in target.hierarchy[::-1]:  # the nesting of MULAN lists every parent before its children
            Y[:, parent] |= Y[:, child]
    X, names = _features(path, plan, M)
    if plan.missing == "mean":
        _fill(path, X, names)
    return Dataset(X, Y, names, target.names, target.hierarchy)


def _check_binary(path: PathLike, plan: Plan, M: Matrix, lines_of: list[int]) -> None:
    """The values of nominal attributes {0,1} and of numeric labels, which were read as any number."""
    binary = {i for i in plan.features if plan.attributes[i].values == BINARY} | (set(plan.target.at) - set(plan.tables))
    at = np.array(sorted(binary), np.intp)
    if plan.sparse:
        block = M[:, at].tocoo()
        row, column, data = block.row, block.col, block.data
        (wrong,) = np.nonzero((data != 0) & (data != 1) & ~np.isnan(data))
        if len(wrong):
            first = wrong[np.argmin(row[wrong])]
            _raise_binary(path, plan, lines_of[row[first]], at[column[first]], data[first])
    else:
        block = M[:, at]
        where = np.argwhere((block != 0) & (block != 1) & ~np.isnan(block))
        if len(where):
            r, c = where[0]
            _raise_binary(path, plan, lines_of[r], at[c], block[r, c])


def _raise_binary(path: PathLike, plan: Plan, line: int, i: int, value: float) -> None:
    raise DataError(path, line, f"0 or 1 as {plan.attributes[i].name}", f"{value:g}")


def _labels(plan: Plan, M: Matrix) -> npt.NDArray[np.int8]:
    block = M[:, plan.target.at]
    Y: npt.NDArray[np.int8] = (block.toarray() if plan.sparse else block).astype(np.int8)
    for j, i in enumerate(plan.target.at):
        if i in plan.tables:
            Y[:, j] = np.array([TRUTH[value.lower()] for value in plan.attributes[i].values])[Y[:, j]]
    return Y


def _members(classes: list[Sequence[int]], n_classes: int) -> npt.NDArray[np.int8]:
    Y = np.zeros((len(classes), n_classes), np.int8)
    for y, members in zip(Y, classes, strict=True):
        y[list(members)] = 1
    return Y


def _features(path: PathLike, plan: Plan, M: Matrix) -> tuple[Matrix, list[str]]:
    """Columns of X and their names: nominal attributes become one column per value."""
    attributes = [(i, plan.attributes[i]) for i in plan.features]
    names_of = {i: [f"{a.name}={value}" for value in a.values] if i in plan.tables else [a.name] for i, a in attributes}
    names = [name for i in plan.features for name in names_of[i]]
    check_size(path, "X", M.shape[0], len(names) - len(plan.features), 8)
    if len(names) == len(plan.features):
        X = M[:, plan.features]
    else:
        blocks = [_one_hot(M[:, [i]], len(a.values), plan.sparse) if i in plan.tables else M[:, [i]] for i, a in attributes]
        X = scipy.sparse.hstack(blocks, format="csr") if plan.sparse else np.hstack(blocks)
    if plan.sparse:
        X.eliminate_zeros()
        X.sort_indices()
        X = narrow(X)
    return X, names


def _one_hot(column: Matrix, n_values: int, sparse: bool) -> Matrix:
    code = (column.toarray() if sparse else column).ravel()
    block = np.where(np.isnan(code)[:, None], nan, code[:, None] == np.arange(n_values))
    return scipy.sparse.csr_array(block) if sparse else block


def _fill(path: PathLike, X: Matrix, names: list[str]) -> None:
    """Put the mean of a column where it is nan."""
    data = X.data if scipy.sparse.issparse(X) else X.reshape(-1)
    at = np.flatnonzero(np.isnan(data))
    column = X.indices[at] if scipy.sparse.issparse(X) else at % max(X.shape[1], 1)
    n_missing = np.bincount(column, minlength=X.shape[1])
    data[at] = 0.0
    if (n_missing == X.shape[0]).any():
        raise DataError(path, None, "a value in every column", f"only ? as {names[int(np.argmax(n_missing))]}")
    data[at] = (np.asarray(X.sum(axis=0)).ravel() / (X.shape[0] - n_missing))[column]
