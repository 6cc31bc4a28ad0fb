r"""The adversary of the paper's Theorem 5: no search can be exact with fewer than M questions on M labels.

Algorithm 3 of the paper in its corrected form (NOTES E32, E33). The adversary keeps an open rectangle of places where
labels may still hide. It answers from the labels already shown (or "no label here") as long as that leaves a part of the
rectangle consistent with the answer; otherwise it shows a new label in the rectangle and keeps the part of it that is
better than the new label (:math:`\Phi` greater) and yet consistent (score smaller). After M - 1 answers a label in the
rectangle beats every label shown.
"""

import math
from typing import NamedTuple

from ..plane import Band, Cone, Ray
from .protocol import Answer

__all__ = ["Adversary"]

_CLEAR = 1e-13  # scores and products of the finished set differ by more than this: no answer hangs on rounding


class _Room(NamedTuple):
    """An open rectangle of the quadrant. Sizes are ratios: the room starts over eight orders of magnitude."""

    h0: float
    h1: float
    g0: float
    g1: float

    def within(self, h0: float, h1: float, g0: float, g1: float) -> "_Room | None":
        """The part inside another rectangle; None where float64 does not resolve points in it."""
        room = _Room(max(self.h0, h0), min(self.h1, h1), max(self.g0, g0), min(self.g1, g1))
        return room if room.h1 > room.h0 * (1 + 1e-12) and room.g1 > room.g0 * (1 + 1e-12) else None

    def at(self, across: float, along: float) -> tuple[float, float]:
        """The point at these shares of the sides, on a logarithmic scale."""
        return self.h0 ** (1 - across) * self.h1**across, self.g0 ** (1 - along) * self.g1**along


def _size(room: _Room | None) -> float:
    return math.log(room.h1 / room.h0) * math.log(room.g1 / room.g0) if room else -1.0


class Adversary:
    """An oracle that makes up a set of `n_labels` labels while it is asked; every answer it gave stays true of that set.

    `labels()` is the finished set: the labels shown and, as the last, one that beats them all. It is fixed when it is first
    asked for, or by the `n_labels`-th question; from then on the answers are those of that set. Float64 holds about ten
    labels against a search that closes in on the optimum; beyond what it resolves the adversary raises.
    """

    def __init__(self, n_labels: int) -> None:
        if not isinstance(n_labels, int) or n_labels < 1:
            raise ValueError(f"`n_labels` must be a whole number of at least 1; found {n_labels!r}.")
        self.n_labels = n_labels
        self.n_asked = 0
        self.losses = ()
        self._shown: list[Answer] = []
        self._room = _Room(1e-4, 1e4, 1e-4, 1e4)
        self._finished = False

    def labels(self) -> list[Answer]:
        """The finished set, the best label last."""
        if not self._finished:
            self._show(*self._room.at(0.5, 0.5))
            self._finished = True
        return list(self._shown)

    def argmax(self, lam: float) -> Answer:
        answer = self._ask(lam, None, [])
        assert answer is not None
        return answer

    def argmax_in_cone(self, lam: float, cone: Cone) -> Answer | None:
        room = self._room
        return self._ask(lam, cone, [_above(room, cone.upper), _below(room, cone.lower)])

    def argmax_in_band(self, lam: float, lo: float, hi: float) -> Answer | None:
        room = self._room
        outside = [room.within(0.0, math.inf, 0.0, lo), room.within(0.0, math.inf, hi, math.inf)]
        return self._ask(lam, Band(lo, hi), outside)

    def extremes(self) -> tuple[Answer, Answer]:
        labels = self.labels()
        return max(labels, key=lambda a: (a.h, a.g)), max(labels, key=lambda a: (a.g, a.h))

    def _ask(self, lam: float, region: Cone | Band | None, outside: list[_Room | None]) -> Answer | None:
        self.n_asked += 1
        if self.n_asked >= self.n_labels:
            self.labels()
        inside = [a for a in self._shown if region is None or region.contains(a.h, a.g)]
        known = max(inside, key=lambda a: a.h + lam * a.g, default=None)
        if self._finished:
            return known
        k = known.h + lam * known.g if known else -math.inf
        # answering with the known label, or with none, is consistent with labels outside the region or below its line
        stay = max([*outside, _under(self._room, k, lam)], key=_size)
        options = [(h, g, room) for h, g, room in self._new(lam) if (h + lam * g) * (1 - _CLEAR) > k]
        options = [(h, g, room) for h, g, room in options if region is None or region.contains(h, g)]
        h, g, room = max(options, key=lambda option: _size(option[2]), default=(0.0, 0.0, None))
        if stay is None and room is None:
            raise FloatingPointError(f"float64 does not resolve an adversary beyond {len(self._shown)} shown labels.")
        if _size(stay) >= _size(room):
            self._room = stay or self._room
            return known
        self._room = room or self._room
        return self._show(h, g)

    def _new(self, lam: float) -> list[tuple[float, float, _Room | None]]:
        """FindPoint and Shrink: labels off the ray h = lam g, each with the room that is better than it and below its line."""
        shares = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)
        points = [self._room.at(across, along) for across in shares for along in shares]
        return [(h, g, _better(self._room, h, g, lam)) for h, g in points]

    def _show(self, h: float, g: float) -> Answer:
        self._shown.append(Answer(len(self._shown), h, g))
        return self._shown[-1]


def _above(room: _Room, ray: Ray) -> _Room | None:
    """FindRect: the part of a room above a ray, from the corner of greatest slope."""
    if ray.h == 0.0:
        return None
    spread = math.sqrt(room.g1 * ray.h / (ray.g * room.h0)) * (1 - _CLEAR)
    return room.within(0.0, room.h0 * spread, room.g1 / spread, math.inf)


def _below(room: _Room, ray: Ray) -> _Room | None:
    """FindRect: the part of a room below a ray, from the corner of least slope."""
    spread = math.sqrt(ray.g * room.h1 / (ray.h * room.g0)) * (1 - _CLEAR)
    return room.within(room.h1 / spread, math.inf, 0.0, room.g0 * spread) if spread > 0.0 else None


def _under(room: _Room, k: float, lam: float) -> _Room | None:
    """FindRect: the part of a room with h + lam g < k, from its lower left corner."""
    slack = k - room.h0 - lam * room.g0
    if not slack > _CLEAR * k:
        return None
    return room.within(0.0, room.h0 + 0.45 * slack, 0.0, room.g0 + 0.45 * slack / lam)


def _better(room: _Room, h: float, g: float, lam: float) -> _Room | None:
    """Shrink: a rectangle in the room where Phi exceeds h g and the score stays below that of (h, g).

    Walk from (h, g) along its line towards the balanced point: there the hyperbola is under the line. The rectangle's upper
    corner stands on the line, its lower corner on the hyperbola, each a little inside.
    """
    heavy = h - lam * g
    reach = min(room.g1 - g, (h - room.h0) / lam) if heavy > 0 else min(g - room.g0, (room.h1 - h) / lam)
    step = math.copysign(min(abs(heavy) / (2.0 * lam), 0.9 * reach), heavy)
    top_h, top_g = h - lam * step, g + step
    ratio = math.sqrt(h / top_h) * math.sqrt(g / top_g)
    if not ratio < 1.0 - 1e4 * _CLEAR:
        return None
    inside = ratio**0.01
    return room.within(top_h * ratio / inside, top_h * inside, top_g * ratio / inside, top_g * inside)
