"""The paper's theorems as demonstrations: what no lambda-search sees, the adversary, the anytime rate, an infinite set."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..oracles import Adversary, Answer, Points
from ..plane import Cone
from ..search import angular_search, binary_search, bisecting_search, lens_search, sarawagi_search
from .raw import Cell

__all__ = ["Discs", "cells"]

_SEARCHES: dict[str, Callable[..., Any]] = {
    "binary": binary_search,
    "bisecting": bisecting_search,
    "Sarawagi": sarawagi_search,
    "angular": angular_search,
    "lens": lens_search,
}
_ORDERS = ("best", "fifo", "lifo")


def cells(folder: Path, quick: bool) -> list[Cell]:
    """Theorems 1, 5, 3 and 4, in the order of the page."""
    found = [Cell(f"theorems/blind/H={h:g}/G={g:g}", _blind(h, g)) for h, g in ((1.0, 1.0), (1.0, 10.0), (100.0, 0.5))]
    found += [Cell(f"theorems/adversary/labels={m}", _adversary(m)) for m in (3, 5, 7, 9)]
    sets = 50 if quick else 400
    found += [Cell(f"theorems/rate/{order}/sets={sets}", _rate(order, sets)) for order in _ORDERS]
    found += [Cell(f"theorems/infinite/eps={eps:g}", _infinite(eps)) for eps in (0.1, 0.01, 0.001, 0.0001)]
    return found


def _blind(high_h: float, high_g: float) -> Callable[[], dict[str, Any]]:
    """Theorem 1, as corrected in NOTES E17: the third label is the best and lies under the chord of the others."""

    def run() -> dict[str, Any]:
        eps = 1e-3 * high_h * high_g
        points = Points([eps / high_g, high_h, 0.5 * high_h], [high_g, eps / high_h, 0.5 * high_g])
        best = 0.25 * high_h * high_g
        shares = {name: search(points).value / best for name, search in _SEARCHES.items()}
        wide = np.unique([points.argmax(lam).label for lam in np.geomspace(1e-9, 1e9, 2001)])
        return {"best": best, "found": shares, "labels_shown": len(wide), "certified": lens_search(points).certified}

    return run


def _adversary(n_labels: int) -> Callable[[], dict[str, Any]]:
    """Theorem 5, as corrected in NOTES E32 and E33: after M - 1 questions an unseen label beats all that were shown."""

    def run() -> dict[str, Any]:
        told: dict[str, Any] = {}
        for name, search in (("angular", angular_search), ("lens", lens_search)):
            short, whole = Adversary(n_labels), Adversary(n_labels)
            cut = search(short, max_queries=n_labels - 1)
            best = max(answer.h * answer.g for answer in short.labels())
            told[name] = {"missed": cut.value / best, "questions": search(whole).n_queries, "most": 2 * n_labels + 1}
        return told

    return run


def _rate(order: str, n_sets: int) -> Callable[[], dict[str, Any]]:
    """Theorem 3, as corrected in NOTES E29: the ratio left after t questions against cosh^2(2 ln v1 / (t + 2)).

    Of random sets of 200 points below a hyperbola; the worst set counts, as the share of the logarithm that the bound allows.
    """

    def run() -> dict[str, Any]:
        rng, violations, checks = np.random.default_rng(3), 0, 0
        rows: dict[int, list[float]] = {}
        for _ in range(n_sets):
            slope, size = np.exp(rng.normal(scale=rng.uniform(0.2, 4.0), size=200)), rng.uniform(0.0, 1.0, 200) ** 2
            h, g = size / np.sqrt(slope), size * np.sqrt(slope)
            points, best = Points(h, g), float((h * g).max())
            first = angular_search(points, max_queries=1, prune=False)
            log_v = abs(math.log(first.g / first.h))
            for t in (1, 2, 3, 5, 7, 11, 15, 23, 31):
                cut = angular_search(points, max_queries=t, prune=False, order=order)
                left, bound = best / cut.value, math.cosh(2.0 * log_v / (t + 2)) ** 2
                violations, checks = violations + (left > bound * (1 + 1e-9)), checks + 1
                worst = rows.setdefault(t, [1.0, 1.0, 0.0])
                worst[0], worst[1] = max(worst[0], left), max(worst[1], bound)
                worst[2] += math.log(left) / n_sets
        found = [[t, *worst] for t, worst in rows.items()]
        return {"columns": ["questions", "worst ratio", "worst bound", "mean log ratio"], "rows": found,
                "violations": violations, "checks": checks}  # fmt: skip

    return run


class Discs:
    """An infinite set of labels: all points of some discs in the quadrant. Its oracle is a little geometry.

    A region that is open has no greatest point where a disc is cut off at its end: then the point a share of 1e-12 inside is
    answered.
    """

    losses = ()

    def __init__(self, centres: Any, radii: Any) -> None:
        self.centres, self.radii = np.asarray(centres, dtype=float), np.asarray(radii, dtype=float)
        if (self.centres.min(axis=1) <= self.radii).any():
            raise ValueError("every disc must lie inside the quadrant h > 0, g > 0.")

    def best(self) -> float:
        """The greatest product, on 200001 points of every arc: to about 1e-11 of itself."""
        angle = np.linspace(0.0, 0.5 * np.pi, 200_001)
        circle = np.stack([np.cos(angle), np.sin(angle)])
        points = self.centres[:, :, None] + self.radii[:, None, None] * circle
        return float((points[:, 0] * points[:, 1]).max())

    def argmax(self, lam: float) -> Answer:
        return max(self._tops(lam), key=lambda a: a.h + lam * a.g)

    def argmax_in_cone(self, lam: float, cone: Cone) -> Answer | None:
        inside = [a for a in self._tops(lam) if cone.contains(a.h, a.g)]
        for ray, side in ((cone.lower, 1.0), (cone.upper, -1.0)):
            turn = math.atan2(ray.g, ray.h)
            turn += side * 1e-12 * min(turn, 0.5 * math.pi - turn)
            inside += self._cut(math.cos(turn), math.sin(turn), 0.0, 0.0) if 0.0 < turn < 0.5 * math.pi else []
        found = [a for a in inside if cone.contains(a.h, a.g)]
        return max(found, key=lambda a: a.h + lam * a.g, default=None)

    def argmax_in_band(self, lam: float, lo: float, hi: float) -> Answer | None:
        inside = self._tops(lam)
        for end, side in ((lo, 1.0), (hi, -1.0)):
            inside += self._cut(1.0, 0.0, 0.0, end * (1.0 + side * 1e-12)) if 0.0 < end < math.inf else []
        found = [a for a in inside if lo < a.g < hi]
        return max(found, key=lambda a: a.h + lam * a.g, default=None)

    def extremes(self) -> tuple[Answer, Answer]:
        h, g = self.centres.T
        k, j = int((h + self.radii).argmax()), int((g + self.radii).argmax())
        return Answer((k, 0.0), h[k] + self.radii[k], g[k]), Answer((j, 0.5 * math.pi), h[j], g[j] + self.radii[j])

    def _tops(self, lam: float) -> list[Answer]:
        """The point of each disc that is farthest along (1, lam)."""
        turn = math.atan(lam)
        points = self.centres + self.radii[:, None] * np.array([math.cos(turn), math.sin(turn)])
        return [Answer((k, turn), float(h), float(g)) for k, (h, g) in enumerate(points)]

    def _cut(self, dh: float, dg: float, h: float, g: float) -> list[Answer]:
        """Where the line through (h, g) along (dh, dg) meets the circles."""
        met = []
        for k, (centre, radius) in enumerate(zip(self.centres, self.radii, strict=True)):
            along = (centre[0] - h) * dh + (centre[1] - g) * dg
            square = radius**2 - ((centre[0] - h) * dg - (centre[1] - g) * dh) ** 2
            if square >= 0.0:
                for t in (along - math.sqrt(square), along + math.sqrt(square)):
                    met.append(Answer((k, t), h + t * dh, g + t * dg))
        return met


def _discs() -> Discs:
    """Twelve discs along a curve that bends towards the origin, so that the hull hides most of them."""
    turn = np.linspace(0.1, 0.9, 12)
    centres = 10.0 * np.stack([turn**1.6, (1.0 - turn) ** 1.6], axis=1) + 0.3
    return Discs(centres, np.full(12, 0.25))


def _infinite(eps: float) -> Callable[[], dict[str, Any]]:
    """Theorem 4, as corrected in NOTES E30, where Theorem 2's number of labels is infinite (NOTES E41)."""

    def run() -> dict[str, Any]:
        discs = _discs()
        high_h, high_g = (answer[1 + k] for k, answer in enumerate(discs.extremes()))
        best, told = discs.best(), {}
        phi = 0.5 * best
        cone = Cone.between(phi / high_h**2, high_g**2 / phi)
        most = math.ceil(2.0 * math.log(high_h * high_g / phi) / math.sqrt(eps))
        for name, result in {
            "angular, as in the paper": angular_search(discs, cone=cone, order="fifo", prune=False, max_queries=most),
            "angular": angular_search(discs, cone=cone, tol=eps),
            "lens": lens_search(discs, tol=eps),
            "bisecting": bisecting_search(discs, tol=eps),
        }.items():
            off = 1.0 - result.value / best
            told[name] = {"questions": result.n_queries, "off": off, "certified": result.certified}
        return {"eps": eps, "best": best, "phi": phi, "enough": most, "searches": told}

    return run
