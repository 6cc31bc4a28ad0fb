"""An explicit finite set of labels, given by their points: the reference oracle of every law."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import points as kernel
from .compiled import Compiled, Example

__all__ = ["Points"]

_MOST_LOSSES = 64


class Points(Compiled):
    """The labels 0..n-1 at the points (h[i], g[i]), g >= 0; any finite, non-empty set (it need not hold a target).

    Answers every question by one scan, O(n), compiled. Ties: greater product h g, then the lowest index. `losses` holds the
    distinct values of g when there are at most 64 of them.

    Examples
    --------
    >>> from taut.oracles import Points
    >>> Points([2.0, 1.0, 0.5], [0.5, 1.5, 2.0]).argmax(1.0)
    Answer(label=1, h=1.0, g=1.5)
    """

    def __init__(self, h: npt.ArrayLike, g: npt.ArrayLike) -> None:
        h, g = _coordinates("h", h), _coordinates("g", g)
        if h.size != g.size:
            raise ValueError(f"`h` and `g` must have one entry per label; found {h.size} and {g.size}.")
        if h.size == 0:
            raise ValueError("`Points` needs at least one label; found empty arrays.")
        if g.min() < 0:
            raise ValueError(f"`g` is a loss and must be >= 0; found g[{int(g.argmin())}] = {g.min()}.")
        values = np.empty(_MOST_LOSSES)
        n_values = kernel.distinct(g, values)
        floats = np.concatenate([h, g])
        losses = values[: max(n_values, 0)].copy()
        shared = np.array([h.size], dtype=np.int64)
        super().__init__(kernel.answer, Example(shared, np.empty(0), np.empty(0, np.int64), floats), 1, losses)

    @property
    def h(self) -> npt.NDArray[np.float64]:
        """The h of every label."""
        return self.example.theta[: len(self)]

    @property
    def g(self) -> npt.NDArray[np.float64]:
        """The g of every label."""
        return self.example.theta[len(self) :]

    def label_of(self, words: npt.NDArray[np.int64]) -> int:
        return int(words[0])

    def __len__(self) -> int:
        return int(self.example.shared[0])

    def __repr__(self) -> str:
        return f"Points({len(self)} labels)"


def _coordinates(name: str, values: Any) -> npt.NDArray[np.float64]:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`{name}` must hold real numbers; found {type(values).__name__} ({error}).") from None
    if array.ndim != 1:
        raise ValueError(f"`{name}` must have one dimension; found shape {array.shape}. Pass one number per label.")
    if not np.isfinite(array).all():
        i = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"`{name}` must be finite; found {name}[{i}] = {array[i]}. Leave such labels out.")
    return array
