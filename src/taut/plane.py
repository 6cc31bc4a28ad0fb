r"""The plane of labels: points, rays, cones, bands, tangent bounds and the lens. Pure arithmetic.

A label :math:`y` of one example is the point :math:`(h(y), g(y))` with :math:`h = 1 + f(y) - f(y_i)` and
:math:`g = L(y, y_i) \ge 0`; slack rescaling asks for the greatest product :math:`\Phi = h g`. Its slope is
:math:`\partial(y) = g / h` (the paper never defines it: NOTES E20). :math:`K(\lambda) = \max_y h + \lambda g` is the
value of the lambda-oracle.

Every function is plain Python on numbers, and is compiled into the kernels that call it.
"""

import math
from typing import NamedTuple

from numba.extending import register_jitable

__all__ = [
    "TIE",
    "Band",
    "Cone",
    "Ray",
    "balance",
    "capacity",
    "cone_suboptimality",
    "hull_bound",
    "lens",
    "lens_heights",
    "reflection",
    "steeper",
    "tangent_bound",
]

#: Products that agree to this relative difference are ties: the rounding of :math:`K^2 / 4\lambda` in float64.
TIE = 16 * 2.0**-52


class Ray(NamedTuple):
    """A direction from the origin, given by any point on it: slope g/h without a division (NOTES E26)."""

    h: float
    g: float

    @property
    def slope(self) -> float:
        """G / h, infinite on the axis h = 0."""
        return self.g / self.h if self.h else math.inf


class Cone(NamedTuple):
    r"""Labels whose slope lies between two rays (the paper's angle :math:`(\alpha, \beta)`; NOTES E22).

    Whether an end belongs to the cone is said explicitly. The default is the open quadrant h > 0, g > 0: the root of
    angular search. Rays are points, so that a label on the ray of another is told by cross-multiplication, exactly.
    """

    lower: Ray = Ray(1.0, 0.0)
    upper: Ray = Ray(0.0, 1.0)
    lower_closed: bool = False
    upper_closed: bool = False

    @classmethod
    def between(cls, beta: float, alpha: float, lower_closed: bool = False, upper_closed: bool = False) -> "Cone":
        """The cone of slopes from `beta` to `alpha`, 0 <= beta < alpha <= inf."""
        if not 0.0 <= beta < alpha:
            raise ValueError(
                f"a cone needs slopes 0 <= beta < alpha; found beta={beta}, alpha={alpha}. Swap or widen them."
            )
        upper = Ray(0.0, 1.0) if math.isinf(alpha) else Ray(1.0, float(alpha))
        return cls(Ray(1.0, float(beta)), upper, lower_closed, upper_closed)

    def contains(self, h: float, g: float) -> bool:
        """Whether the label (h, g) lies in the cone."""
        low, high = g * self.lower.h - self.lower.g * h, self.upper.g * h - g * self.upper.h
        return (low > 0 or (low == 0 and self.lower_closed)) and (high > 0 or (high == 0 and self.upper_closed))


class Band(NamedTuple):
    """Labels whose loss lies strictly between `lo` and `hi`."""

    lo: float
    hi: float

    def contains(self, h: float, g: float) -> bool:
        """Whether the label (h, g) lies in the band."""
        return self.lo < g < self.hi


@register_jitable
def tangent_bound(k: float, lam: float) -> float:
    r"""Upper bound on :math:`\max_y h g` from one value of the lambda-oracle (paper, Lemmas 1 and 5; NOTES E6, E7).

    By AM-GM :math:`h g \le (h + \lambda g)^2 / 4\lambda \le K^2 / 4\lambda` for :math:`h, g \ge 0`, with equality iff
    :math:`h = \lambda g = K / 2`. With :math:`K \le 0` no label has both h > 0 and g > 0: the bound is 0.
    """
    if k <= 0.0:
        return 0.0
    return 0.25 * k * (k / lam)


@register_jitable
def balance(h: float, g: float) -> float:
    r"""The multiplier :math:`\lambda = h / g` at which a label with h, g > 0 touches its own tangent: :math:`h = \lambda g`."""
    return h / g


@register_jitable
def reflection(h: float, g: float, lam: float) -> tuple[float, float]:
    r"""The second point :math:`z' = (\lambda g, h / \lambda)` where the line of a label meets its hyperbola (Lemma 2)."""
    return lam * g, h / lam


@register_jitable
def lens(k: float, lam: float, value: float) -> tuple[float, float]:
    r"""Losses between which a label under the line :math:`h + \lambda g \le K` can beat `value` (NOTES C.0b, E27).

    The line meets the hyperbola :math:`h g = \Phi` at :math:`g_{1,2} = (K \mp \sqrt{K^2 - 4 \lambda \Phi}) / 2\lambda`; the
    smaller root is taken as :math:`2 \Phi / (K + \sqrt{\cdot})`, free of cancellation (NOTES C.0i). An empty lens is
    returned as the one loss K / 2 lam twice.
    """
    square = k * k - 4.0 * lam * value
    if k <= 0.0 or square <= 0.0:
        return 0.5 * k / lam, 0.5 * k / lam
    root = k + math.sqrt(square)
    return 2.0 * value / root, 0.5 * root / lam


@register_jitable
def lens_heights(k: float, lam: float, value: float) -> tuple[float, float]:
    r"""The values of h at the two ends of `lens`: :math:`h(g_1) = \lambda g_2` and :math:`h(g_2) = \lambda g_1`."""
    g1, g2 = lens(k, lam, value)
    return lam * g2, lam * g1


@register_jitable
def hull_bound(lo: float, hi: float, k: float, lam: float) -> float:
    r"""Greatest product under the line :math:`h + \lambda g = K` with loss in [lo, hi] (NOTES C.9).

    :math:`g (K - \lambda g)` is concave in g with its peak at :math:`K / 2\lambda`, which is moved into the interval. Not
    below zero: a label of no positive product is never sought.
    """
    g = min(max(0.5 * k / lam, lo), hi)
    return max(g * (k - lam * g), 0.0)


@register_jitable
def steeper(h1: float, g1: float, h2: float, g2: float) -> bool:
    """Whether the slope of the first point is greater, by cross-multiplication (NOTES E26); h, g >= 0."""
    return g1 * h2 > g2 * h1


@register_jitable
def capacity(beta: float, alpha: float) -> float:
    r"""The capacity :math:`v = \sqrt{\alpha / \beta} \ge 1` of a cone, square-rooted by every split (Lemma 9)."""
    return math.sqrt(alpha / beta)


@register_jitable
def cone_suboptimality(v: float) -> float:
    r"""How far the label found in a cone can be from the best one there: :math:`\Phi^* / \Phi \le \cosh^2(\ln(v) / 2)`.

    The paper's Lemma 10 in its true and tight form :math:`B(\sqrt v)`, :math:`B(a) = (a + 1/a)^2 / 4` (NOTES E28; printed
    without the root), for a cone of capacity v queried at :math:`\lambda = 1/\sqrt{\alpha\beta}`.
    """
    a = math.sqrt(v)
    return 0.25 * (a + 1.0 / a) ** 2
