"""Labels by their names: their places among the classes, their weights, and how they are shown."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["codes", "some", "weights_of"]


def codes(name: str, values: npt.NDArray[Any], classes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The places of labels among the classes; all must be there."""
    places = np.searchsorted(classes, values)
    unseen = classes[np.minimum(places, len(classes) - 1)] != values
    if unseen.any():
        raise ValueError(f"`{name}` holds the label {values[unseen][0]!r}; expected labels among {some(classes)}.")
    return places


def weights_of(class_weight: Any, classes: npt.NDArray[Any], counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """One weight per class. "balanced" is inverse to the counts, in whole multiples (16 at most) of the least."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        inverse = 1.0 / np.maximum(counts, 1.0)
        return np.asarray(np.clip(np.rint(inverse / inverse.min()), 1.0, 16.0))
    if not isinstance(class_weight, Mapping):
        raise ValueError(f"`class_weight` must be None, 'balanced' or a dictionary of labels; found {class_weight!r}.")
    place = {name: j for j, name in enumerate(classes.tolist())}
    weights = np.ones(len(place))
    for name, weight in class_weight.items():
        if name not in place:
            raise ValueError(f"`class_weight` names {name!r}; expected labels among {some(classes)}.")
        weights[place[name]] = weight
    return weights


def some(names: npt.NDArray[Any]) -> str:
    """Names for a message: the first five."""
    shown = ", ".join(repr(name) for name in names[:5].tolist())
    return f"{shown}, ... ({len(names)})" if len(names) > 5 else shown
