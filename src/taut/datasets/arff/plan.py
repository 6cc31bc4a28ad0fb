"""What becomes of each attribute of an ARFF file: a column of X, several, a label, the classes, or nothing."""

import os
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from ..errors import DataError
from ..lines import PathLike
from ..record import Edges
from .clus import Classes
from .header import Attribute, Header
from .mulan import label_file

__all__ = ["BINARY", "TRUTH", "Labels", "Missing", "Plan", "plan_of"]

Labels: TypeAlias = PathLike | Sequence[str] | int | None
Missing: TypeAlias = Literal["raise", "nan", "mean"]

BINARY = ("0", "1")
TRUTH = {"0": 0, "1": 1, "false": 0, "true": 1}
_MEKA = re.compile(r"-C\s+(-?\d{1,9})\b", re.ASCII)


class Target(NamedTuple):
    """What is to be learnt: attributes that are labels, or the attribute with the classes."""

    at: list[int]
    names: list[str]
    hierarchy: Edges | None
    class_at: int = -1
    classes: Classes | None = None


class Plan(NamedTuple):
    """What becomes of each attribute."""

    attributes: list[Attribute]
    target: Target
    features: list[int]
    tables: dict[int, dict[str, int]]  # of nominal attributes whose values are not numbers 0 and 1: the number of each value
    dropped: frozenset[int]
    special: bool  # whether some attributes are nothing to read as a number
    missing: Missing
    sparse: bool


def plan_of(path: PathLike, head: Header, labels: Labels, missing: Missing, drop: Collection[str], sparse: bool) -> Plan:
    """Match attributes with what the caller says of labels."""
    attributes = head.attributes
    position = {attribute.name: i for i, attribute in enumerate(attributes)}
    dropped = frozenset(_position(path, position, name) for name in drop)
    target = _target(path, head, labels, position, dropped)
    if both := sorted(dropped & set(target.at)):
        raise ValueError(f"`drop` must not name labels; it names {', '.join(attributes[i].name for i in both)}.")
    features = [i for i in range(len(attributes)) if i not in {*target.at, target.class_at} and i not in dropped]
    for i in features:
        if attributes[i].kind not in ("numeric", "nominal"):
            found = f"{attributes[i].name}, of kind {attributes[i].kind}"
            raise DataError(path, attributes[i].line, "a numeric or nominal attribute (`drop` leaves others out)", found)
    for i in target.at:
        values = {value.lower() for value in attributes[i].values}
        if attributes[i].kind != "numeric" and not (values and values <= set(TRUTH)):
            raise DataError(path, attributes[i].line, "a label with the values 0 and 1, or false and true", attributes[i].name)
    nominal = [i for i in (*features, *target.at) if attributes[i].kind == "nominal" and attributes[i].values != BINARY]
    tables = {i: {value: k for k, value in enumerate(attributes[i].values)} for i in nominal}
    special = bool(tables or dropped or target.classes)
    return Plan(attributes, target, features, tables, dropped, special, missing, sparse)


def _target(path: PathLike, head: Header, labels: Labels, position: dict[str, int], dropped: frozenset[int]) -> Target:
    attributes, meka = head.attributes, _MEKA.search(head.relation)
    trees = [i for i, attribute in enumerate(attributes) if attribute.kind == "hierarchical" and i not in dropped]
    if labels is None and len(trees) == 1:
        (i,) = trees
        classes = Classes(attributes[i].specification, path, attributes[i].line)
        return Target([], classes.names, classes.edges, i, classes)
    if labels is None and meka is None:
        raise DataError(path, None, "one hierarchical attribute, or `labels` saying which attributes are labels", f"{len(trees)}")
    if labels is None or isinstance(labels, int):
        k = labels if isinstance(labels, int) else int(meka[1]) if meka else 0
        if not 0 < abs(k) <= len(attributes):
            raise DataError(path, None, f"{k} labels among {len(attributes)} attributes", "a number out of range")
        at = list(range(k)) if k > 0 else list(range(len(attributes) + k, len(attributes)))
        return Target(at, [attributes[i].name for i in at], None)
    if not isinstance(labels, (Iterable, os.PathLike)):
        raise ValueError(f"`labels` must be a path, names, a number or None; it is {labels!r}.")
    names, edges = label_file(labels) if isinstance(labels, (str, os.PathLike)) else (list(labels), [])
    at = [_position(path, position, name) for name in names]
    if len(set(at)) < len(at):
        raise ValueError(f"`labels` must differ; found {names}.")
    return Target(at, names, np.array(edges, np.int64) if edges else None)


def _position(path: PathLike, position: dict[str, int], name: str) -> int:
    if name not in position:
        raise DataError(path, None, f"an attribute {name!r}", "none of this name")
    return position[name]
