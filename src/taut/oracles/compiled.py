"""Oracles that answer from compiled code: an address, the example's data as two flat arrays, and a label to read out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels.asking import BAND, CONE, GREATEST_G, GREATEST_H, PLANE, ask
from ..kernels.compiling import address, njit
from ..plane import Cone
from .protocol import Answer

__all__ = ["Compiled", "cone_region"]

_NOWHERE = np.zeros(6)


@njit
def _ask(where, kind, lam, region, ints, floats, label, point):  # type: ignore[no-untyped-def]
    return ask(where, kind, lam, region, ints, floats, label, point)


def cone_region(cone: Cone) -> npt.NDArray[np.float64]:
    """The six numbers that stand for a cone in compiled questions."""
    return np.array([*cone.lower, *cone.upper, cone.lower_closed, cone.upper_closed], dtype=np.float64)


class Compiled:
    """An oracle whose kernel has the signature `taut.kernels.compiling.ANSWER`.

    `losses` are the loss values that labels can have, sorted; empty where they are not known or are too many to list.
    A search uses them to see that nothing can hide between two neighbours.
    """

    def __init__(
        self,
        kernel: Callable[..., int],
        ints: npt.NDArray[np.int64],
        floats: npt.NDArray[np.float64],
        label_size: int,
        losses: npt.NDArray[np.float64],
    ) -> None:
        self.address = address(kernel)
        self.ints = ints
        self.floats = floats
        self.label_size = label_size
        self.losses = losses

    def label_of(self, words: npt.NDArray[np.int64]) -> Any:
        """The label that users see, from the words that the kernel wrote."""
        return words.copy()

    def argmax(self, lam: float) -> Answer:
        answer = self._answer(PLANE, _positive(lam), _NOWHERE)
        if answer is None:
            raise ValueError("the oracle holds no label: expected at least one, found none. Check its data.")
        return answer

    def argmax_in_cone(self, lam: float, cone: Cone) -> Answer | None:
        return self._answer(CONE, _positive(lam), cone_region(cone))

    def argmax_in_band(self, lam: float, lo: float, hi: float) -> Answer | None:
        return self._answer(BAND, _positive(lam), np.array([lo, hi, 0.0, 0.0, 0.0, 0.0]))

    def extremes(self) -> tuple[Answer, Answer]:
        greatest_h, greatest_g = (self._answer(kind, 1.0, _NOWHERE) for kind in (GREATEST_H, GREATEST_G))
        if greatest_h is None or greatest_g is None:
            raise ValueError("the oracle holds no label: expected at least one, found none. Check its data.")
        return greatest_h, greatest_g

    def _answer(self, kind: int, lam: float, region: npt.NDArray[np.float64]) -> Answer | None:
        label, point = np.zeros(self.label_size, np.int64), np.zeros(2)
        found = _ask(self.address, kind, lam, region, self.ints, self.floats, label, point)
        return Answer(self.label_of(label), float(point[0]), float(point[1])) if found else None


def _positive(lam: float) -> float:
    if not 0.0 < lam < np.inf:
        raise ValueError(f"`lam` must be positive and finite; found {lam}. For lam = 0 or infinity ask `extremes()`.")
    return float(lam)
