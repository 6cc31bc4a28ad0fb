"""Oracles that answer from compiled code: an address, the example's data as two flat arrays, and a label to read out."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels.asking import BAND, CONE, GREATEST_G, GREATEST_H, PLANE, ask
from ..kernels.compiling import address, njit
from ..plane import Cone
from .protocol import Answer

__all__ = ["Compiled", "Example", "cone_region"]

_NOWHERE = np.zeros(6)
_NAMES = {
    PLANE: "argmax",
    CONE: "argmax_in_cone",
    BAND: "argmax_in_band",
    GREATEST_H: "extremes",
    GREATEST_G: "extremes",
}


@njit
def _ask(where, kind, lam, region, shared, pool, target, theta, label, point):  # type: ignore[no-untyped-def]
    return ask(where, kind, lam, region, shared, pool, target, theta, label, point)


def cone_region(cone: Cone) -> npt.NDArray[np.float64]:
    """The six numbers that stand for a cone in compiled questions."""
    return np.array([*cone.lower, *cone.upper, cone.lower_closed, cone.upper_closed], dtype=np.float64)


class Example(NamedTuple):
    """One example as compiled code sees it: what all examples of its structure share, and what is its own."""

    shared: npt.NDArray[np.int64]
    pool: npt.NDArray[np.float64]
    target: npt.NDArray[np.int64]
    theta: npt.NDArray[np.float64]


class Compiled:
    """An oracle whose kernel has the signature `taut.kernels.compiling.ANSWER`.

    `losses` are the loss values that labels can have, sorted; empty where they are not known or are too many to list.
    A search uses them to see that nothing can hide between two neighbours. `kinds` are the questions it can answer.
    """

    kinds = frozenset({PLANE, CONE, BAND, GREATEST_H, GREATEST_G})

    def __init__(
        self, kernel: Callable[..., int], example: Example, label_size: int, losses: npt.NDArray[np.float64]
    ) -> None:
        self.address = address(kernel)
        self.example = example
        self.label_size = label_size
        self.losses = losses

    def label_of(self, words: npt.NDArray[np.int64]) -> Any:
        """The label that users see, from the words that the kernel wrote."""
        return words.copy()

    def must_offer(self, kind: int) -> None:
        """Raise where the oracle cannot answer a kind of question: it never answers another one."""
        if kind not in self.kinds:
            raise TypeError(
                f"{type(self).__name__} cannot answer {_NAMES[kind]}; it answers {', '.join(_NAMES[k] for k in self.kinds)}. "
                "Exact cones are offered by explicit and enumerated sets and by `taut.oracles.MILP`; elsewhere use lens_search."
            )

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
        self.must_offer(kind)
        found = _ask(self.address, kind, lam, region, *self.example, label, point)
        return Answer(self.label_of(label), float(point[0]), float(point[1])) if found else None


def _positive(lam: float) -> float:
    if not 0.0 < lam < np.inf:
        raise ValueError(f"`lam` must be positive and finite; found {lam}. For lam = 0 or infinity ask `extremes()`.")
    return float(lam)
