"""Rows of ARFF files, dense and sparse, as numbers."""

import re
from array import array
from collections.abc import Sequence
from math import isfinite, nan
from typing import Any, NamedTuple

from ..errors import DataError
from ..lines import PathLike
from .header import fields_of, items_of
from .plan import Plan

__all__ = ["Row", "dense_row", "sparse_row"]

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)


class Row(NamedTuple):
    """One example."""

    line: int
    indices: Sequence[int]  # of attributes; all of them in a dense row
    values: Sequence[float]  # numbers, or for nominal attributes which value it is; nan where missing
    classes: Sequence[int]  # of the hierarchy


def dense_row(path: PathLike, plan: Plan, line: int, text: str) -> Row:
    """`value, value`: one per attribute."""
    try:
        fields: list[Any] = text.split(",") if "'" not in text and '"' not in text else list(fields_of(text))
    except ValueError as error:
        raise DataError(path, line, "values between commas", f"{error}") from None
    n = len(plan.attributes)
    if len(fields) != n:
        raise DataError(path, line, f"{n} values, one per attribute", f"{len(fields)}: {text}")
    return _row(path, plan, line, range(n), fields)


def sparse_row(path: PathLike, plan: Plan, line: int, text: str) -> Row:
    """`{index value, index value}`: attributes that are left out are 0, or have their first value."""
    n = len(plan.attributes)
    try:
        if text[0] != "{" or text[-1] != "}":
            raise ValueError("no braces")
        items = items_of(text[1:-1])
        indices = [int(index) for index, _ in items if index.isdecimal()]
        if len(set(indices)) < len(items) or max(indices, default=0) >= n:
            raise ValueError("no index, or one twice or out of range")
    except ValueError:
        raise DataError(path, line, f"`{{index value, index value}}` with indices below {n}, each once", text) from None
    return _row(path, plan, line, indices, [value for _, value in items])


def _row(path: PathLike, plan: Plan, line: int, indices: Sequence[int], fields: list[Any]) -> Row:
    """Texts become numbers, at the speed of `float` wherever all of them are numbers."""
    classes: Sequence[int] = ()
    if plan.special:
        for k, i in enumerate(indices):
            if i == plan.target.class_at:
                classes, fields[k] = _classes(path, plan, line, fields[k]), 0.0
            elif i in plan.dropped:
                fields[k] = 0.0
            elif i in plan.tables:
                value, table = fields[k].strip(), plan.tables[i]
                fields[k] = table[value] if value in table else _number(path, plan, line, i, value)
    if plan.target.classes is not None and not classes:
        raise DataError(path, line, "a class of the hierarchy", "none")
    try:
        values = array("d", map(float, fields))
        plain = not any(map(_doubtful, fields)) and all(map(isfinite, values))
    except ValueError:
        plain = False
    if not plain:
        values = array("d", [_number(path, plan, line, i, field) for i, field in zip(indices, fields, strict=True)])
    return Row(line, indices, values, classes)


def _classes(path: PathLike, plan: Plan, line: int, value: str) -> Sequence[int]:
    assert plan.target.classes is not None
    try:
        return plan.target.classes.closure(value)
    except KeyError as error:
        raise DataError(path, line, "classes that the header lists, as in a/b@a/c", f"{error}") from None


def _doubtful(field: Any) -> bool:
    """Python's numbers may have underscores and foreign digits."""
    return isinstance(field, str) and ("_" in field or not field.isascii())


def _number(path: PathLike, plan: Plan, line: int, i: int, field: Any) -> float:
    if not isinstance(field, str):
        return float(field)
    text, attribute = field.strip(), plan.attributes[i]
    if text == "?":
        if i in plan.target.at:
            raise DataError(path, line, f"a value of the label {attribute.name}", "?")
        if plan.missing == "raise":
            raise DataError(path, line, f'a value of {attribute.name} (`missing="nan"` reads on)', "?")
        return nan
    value = float(text) if i not in plan.tables and _NUMBER.fullmatch(text) else nan
    if not isfinite(value):
        wanted = f"one of {', '.join(attribute.values)}" if attribute.values else "a finite number"
        raise DataError(path, line, f"{wanted} as {attribute.name}", text)
    return value
