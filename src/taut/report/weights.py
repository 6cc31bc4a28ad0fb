"""The strongest weights of a model, by the names of labels and features."""

from typing import Any

import numpy as np

from .facts import fitted

__all__ = ["strongest_pairs", "strongest_weights"]


def strongest_weights(model: Any, top: int, label: str | None = None) -> list[dict[str, Any]]:
    """The weights of features that are greatest in size, of one label where it is named."""
    names, features = fitted(model).classes_.tolist(), getattr(model, "feature_names_in_", None)
    rows = list(range(len(names)))
    if label is not None:
        rows = [j for j, name in enumerate(names) if str(name) == label]
        if not rows:
            raise ValueError(f"`label` must be a label of the model, such as {names[0]!r}; found {label!r}.")
    coef = model.coef_[rows]
    return [
        {"label": names[rows[j]], "feature": int(k) if features is None else features[k], "weight": float(coef[j, k])}
        for j, k in _greatest(coef, top)
    ]


def strongest_pairs(model: Any, top: int) -> list[dict[str, Any]]:
    """The weights of pairs of labels, previous and next in sequences, that are greatest in size."""
    if fitted(model).pairwise_ is None:
        return []
    names = model.classes_.tolist()
    pairs = model.edges_.tolist() if model.pairwise_.ndim == 1 else list(np.ndindex(model.pairwise_.shape))
    weights = model.pairwise_.ravel()
    ends = [(pairs[e], float(weights[e])) for (e,) in _greatest(weights, top)]
    return [{"first": names[a], "second": names[b], "weight": weight} for (a, b), weight in ends]


def _greatest(weights: Any, top: int) -> list[tuple[int, ...]]:
    """Places of the entries of greatest size, none that are zero."""
    if not isinstance(top, int) or top < 0:
        raise ValueError(f"`top` must be a whole number of at least 0; found {top!r}.")
    size = np.abs(weights).ravel()
    order = np.argsort(-size, kind="stable")[:top]
    places = np.unravel_index(order[size[order] > 0], weights.shape)
    return [tuple(int(k) for k in place) for place in zip(*places, strict=True)]
