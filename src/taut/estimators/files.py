"""Models as files: a JSON header and plain arrays (`taut.container`), from which the same model comes back, bit for bit.

Nothing in a file is executed. What a file cannot hold comes back as a `NotSaved`: a function of a `Tabulated` loss, a random
generator, a graph object. The model predicts as before; to fit it again set these parameters anew. Callbacks and checkpoints belong
to a run, and come back as None.
"""

import dataclasses
import math
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import losses
from ..container import FileError, read, write
from ..solvers import Measure
from .base import StructuredSVM
from .choices import SEARCHES

__all__ = ["NotSaved", "load", "save"]

_FORMAT = 1
_LOSSES = {kind.__name__: kind for kind in (losses.Hamming, losses.ZeroOne, losses.F1, losses.Jaccard, losses.Cost)}
_OF_A_RUN = ("callbacks", "checkpoint")
_LEARNT = (
    "coef_", "intercept_", "pairwise_", "classes_", "edges_", "feature_names_in_", "history_", "primal_objective_",
    "dual_objective_", "duality_gap_", "n_iter_", "status_", "n_features_in_", "source_", "_sets", "_steps",
)  # fmt: skip


@dataclass(frozen=True)
class NotSaved:
    """Stands for a parameter that files cannot hold."""

    what: str


def save(model: StructuredSVM, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator; `load` reads it."""
    name = type(model).__name__
    if _kinds().get(name) is not type(model):
        raise FileError(f"files hold estimators of taut; found {name}. Save its parts, or pickle it.")
    arrays: dict[str, npt.NDArray[Any]] = {}
    params = {key: None if key in _OF_A_RUN else value for key, value in model.get_params(deep=False).items()}
    learnt = {key: value for key, value in vars(model).items() if key in _LEARNT}
    header = {
        "format": _FORMAT,
        "estimator": name,
        "params": {key: _plain(key, value, arrays) for key, value in params.items()},
        "learnt": {key: _plain(key, value, arrays) for key, value in learnt.items()},
    }
    write(path, "model", header, arrays)


def load(path: str | os.PathLike[str]) -> Any:
    """The estimator that `save` wrote.

    Raises
    ------
    FileError
        Not a model of taut, truncated, altered, or written by a newer version.
    """
    header, arrays = read(path, "model")
    where = os.fspath(path)
    if header.get("format") != _FORMAT:
        raise FileError(f"{where}: expected a model in format {_FORMAT}; found {header.get('format')}. Update taut.")
    try:
        model = _kinds()[header["estimator"]](**{key: _value(entry, arrays) for key, entry in header["params"].items()})
        for key, entry in header["learnt"].items():
            if key not in _LEARNT:
                raise KeyError(key)
            setattr(model, key, _value(entry, arrays))
        model._structure = model._make_structure()
        _check_shapes(model)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise FileError(f"{where}: not written by taut: {type(error).__name__}: {error}.") from None
    return model


def _kinds() -> dict[str, type[StructuredSVM]]:
    from .. import estimators

    named = {name: getattr(estimators, name) for name in estimators.__all__}
    return {name: kind for name, kind in named.items() if isinstance(kind, type) and issubclass(kind, StructuredSVM)}


def _plain(name: str, value: Any, arrays: dict[str, npt.NDArray[Any]]) -> Any:
    """JSON for a value: numbers and texts as they are, everything else as [kind, content]."""
    match value:
        case None | bool() | str():
            return value
        case np.generic():
            return _plain(name, value.item(), arrays)
        case int():
            return value
        case float():
            return value if math.isfinite(value) else ["float", str(value)]
        case np.ndarray():
            return _plain_array(name, value, arrays)
        case Measure():
            return ["measure", [_plain(name, number, arrays) for number in dataclasses.astuple(value)]]
        case list() | tuple() | set() | frozenset():
            return [type(value).__name__, [_plain(name, item, arrays) for item in value]]
        case dict():
            return ["dict", [[_plain(name, part, arrays) for part in item] for item in value.items()]]
    if type(value) in _LOSSES.values():
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return ["loss", type(value).__name__, {key: _plain(key, part, arrays) for key, part in fields.items()}]
    for search, function in SEARCHES.items():
        if value is function:
            return ["search", search]
    return ["not saved", value.what if isinstance(value, NotSaved) else type(value).__name__]


def _plain_array(name: str, value: npt.NDArray[Any], arrays: dict[str, npt.NDArray[Any]]) -> Any:
    texts = value.dtype == object and all(isinstance(item, str) for item in value.ravel())
    if value.dtype == object and not texts:
        return ["not saved", "array of objects"]
    if texts:  # an array of them would be as wide as the longest throughout
        return ["texts", value.tolist()]
    key = f"{name}{len(arrays)}" if name in arrays else name
    arrays[key] = value
    return ["array", key]


def _value(entry: Any, arrays: dict[str, npt.NDArray[Any]]) -> Any:
    """What `_plain` was given."""
    match entry:
        case None | bool() | str() | int() | float():
            return entry
        case ["float", ("nan" | "inf" | "-inf") as text]:
            return float(text)
        case ["array", str() as key]:
            return arrays[key]
        case ["texts", list() as texts]:
            return np.array(texts, dtype=object)
        case ["measure", list() as numbers]:
            return Measure(*(_value(number, arrays) for number in numbers))
        case ["list" | "tuple" | "set" | "frozenset" as kind, list() as items]:
            made = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}[kind]
            return made(_value(item, arrays) for item in items)
        case ["dict", list() as items]:
            return {_value(key, arrays): _value(item, arrays) for key, item in items}
        case ["loss", str() as name, dict() as fields]:
            return _LOSSES[name](**{key: _value(part, arrays) for key, part in fields.items()})
        case ["search", str() as name]:
            return SEARCHES[name]
        case ["not saved", str() as what]:
            return NotSaved(what)
    raise ValueError(f"{str(entry)[:100]} is no value of a model")


def _check_shapes(model: Any) -> None:
    """That the learnt arrays fit each other, so that `predict` works on what was loaded."""
    structure = model._structure
    shapes = {"coef_": (structure.width, model.n_features_in_), "intercept_": (structure.width,)}
    for name, shape in shapes.items():
        array = getattr(model, name)
        if array.shape != shape or array.dtype != np.float64:
            raise ValueError(f"{name} must be float64 of shape {shape}; it is {array.dtype} of {array.shape}")
    shared = 0 if model.pairwise_ is None else model.pairwise_.size
    if shared != structure.n_shared or model.classes_.shape != (structure.width,):
        raise ValueError(f"pairwise_ must hold {structure.n_shared} weights and classes_ {structure.width} labels")
