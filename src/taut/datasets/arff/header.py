"""The header of ARFF files: attributes, their types and values."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import DataError
from ..lines import PathLike

__all__ = ["Attribute", "Header", "fields_of", "header", "items_of"]

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_NAMED = re.compile(rf"({_QUOTED}|[^\s'\"{{%]\S*)\s*(.*)", re.DOTALL)
_FIELD = re.compile(rf"\s*({_QUOTED})\s*(,|$)|([^,'\"]*)(,|$)")
_ITEM = re.compile(rf"\s*(\d+)\s+({_QUOTED}|[^\s,'\"]+)\s*(,|$)", re.ASCII)
_NUMERIC = {"numeric", "real", "integer"}
_TEXT = {"string", "date"}


class Attribute(NamedTuple):
    """One attribute: its `kind` is "numeric", "nominal", "hierarchical" or "text" (strings and dates)."""

    name: str
    kind: str
    values: tuple[str, ...]  # of nominal attributes
    specification: str  # of hierarchical attributes
    line: int


class Header(NamedTuple):
    """The relation's name and the attributes."""

    relation: str
    attributes: list[Attribute]


def header(path: PathLike, numbered: Iterator[tuple[int, str]]) -> Header:
    """Read up to and including the line `@data`."""
    relation, attributes, line = "", [], 0
    for line, raw in numbered:
        text = raw.strip()
        if not text or text[0] == "%":
            continue
        keyword, *rest = text.split(None, 1)
        match keyword.lower():
            case "@relation":
                relation = _unquoted("".join(rest))
            case "@attribute":
                attributes.append(_attribute(path, line, "".join(rest)))
            case "@data" if attributes and (not rest or rest[0][0] == "%"):
                return Header(relation, attributes)
            case _:
                raise DataError(path, line, "@relation, @attribute, or @data after them", text)
    raise DataError(path, line or None, "@data", "the end of the file")


def fields_of(text: str) -> list[str]:
    """What stands between commas, without quotes; ValueError where quotes do not match."""
    if "'" not in text and '"' not in text:
        return [field.strip() for field in text.split(",")]
    fields, at = [], 0
    while True:
        match = _FIELD.match(text, at)
        if match is None:
            raise ValueError(f"quotes that do not match: {text}")
        fields.append(_unquoted(match[1]) if match[1] else match[3].strip())
        at = match.end()
        if not (match[2] or match[4]):
            return fields


def items_of(text: str) -> list[list[str]]:
    """Pairs (index, value) of a sparse row without its braces; ValueError where quotes do not match."""
    if not text.strip():
        return []
    if "'" not in text and '"' not in text:
        return [item.split(None, 1) for item in text.split(",")]
    items, at, more = [], 0, ","
    while more:
        match = _ITEM.match(text, at)
        if match is None:
            raise ValueError(f"no pair `index value`: {text[at:]}")
        items.append([match[1], _unquoted(match[2])])
        at, more = match.end(), match[3]
    return items


def _attribute(path: PathLike, line: int, text: str) -> Attribute:
    match = _NAMED.fullmatch(text)
    name, kind = (_unquoted(match[1]), match[2].strip()) if match else ("", "")
    word, _, rest = kind.partition(" ")
    if word.lower() in _NUMERIC and (not rest or rest.lstrip()[0] == "%"):
        return Attribute(name, "numeric", (), "", line)
    if word.lower() in _TEXT:
        return Attribute(name, "text", (), "", line)
    if word.lower() == "hierarchical" and rest:
        return Attribute(name, "hierarchical", (), rest.strip(), line)
    listed, _, behind = kind.rpartition("}")
    if listed[:1] == "{" and behind.lstrip()[:1] in ("", "%"):
        try:
            values = tuple(fields_of(listed[1:]))
        except ValueError as error:
            raise DataError(path, line, "{value, value}", f"{error}") from None
        if all(values) and len(set(values)) == len(values):
            return Attribute(name, "nominal", values, "", line)
    raise DataError(path, line, "a name and numeric, {value, value} or hierarchical a/b,a/c", text)


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text
