"""Drawings. Matplotlib is imported here, when the first drawing is made, and nowhere else in the package."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .oracles import Points
from .plane import Band, Cone, lens, tangent_bound
from .search import Query, SearchResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_search"]

# Okabe and Ito's palette, which every common colour vision tells apart; widths and numbers repeat what colour says.
_BLUE, _ORANGE, _RED, _GREY = "#0072B2", "#E69F00", "#D55E00", "#7F7F7F"



def save_figure(figure: Any, path: Path, dpi: int = 100) -> None:
    """Write a figure, the same bytes for the same drawing, and let go of it."""
    import matplotlib
    import matplotlib.pyplot as plt

    with matplotlib.rc_context({"svg.hashsalt": "taut"}):
        figure.savefig(path, dpi=dpi, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


_Places = list[tuple[float, float]]


class _Window(NamedTuple):
    """The part of the quadrant h >= 0, g >= 0 that is drawn."""

    h: float
    g: float


def draw_search(result: SearchResult, oracle: Points, ax: Axes | None = None) -> Axes:
    r"""Draw the steps of a search on the plane of an explicit set, h to the right and g upward.

    Grey dots are the labels. The star is the label found and the curve its hyperbola :math:`h g = \Phi`: beyond it a
    label would be better. Question t is the line :math:`h + \lambda g = K` through the oracle's answer, with the number
    t on it: thin for the whole plane, thick for the part inside a cone or band. A number without a line stands in a
    region that holds no label. Dotted rays are the ends of cones. The shaded lens is all the room that the questions
    about the whole plane leave for a label better than those they found. Labels with h < 0 cannot win and lie outside.

    Parameters
    ----------
    result : SearchResult
        What a search returned for `oracle`.
    oracle : Points
        The explicit set; anything with the arrays `h` and `g` will do.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default a new figure is made.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.
    """
    if not (hasattr(result, "trace") and hasattr(oracle, "h") and hasattr(oracle, "g")):
        found = f"{type(result).__name__} and {type(oracle).__name__}"
        raise TypeError(f"expected the result of a search, and the `Points` that it searched; found {found}.")
    if ax is None:
        ax = _new_axes()
    window = _Window(_reach(oracle.h), _reach(oracle.g))
    _draw_lens(ax, result.trace)
    _draw_hyperbola(ax, result.value, window)
    taken = [(query.h, query.g) for query in result.trace if not math.isnan(query.h)]
    for number, query in enumerate(result.trace, start=1):
        places = _draw_query(ax, query, result.value, window)
        taken.append(_farthest(places, taken, window))
        _write(ax, number, taken[-1])
    ax.plot(oracle.h, oracle.g, "o", ms=4.5, mfc=_GREY, mec="white", mew=0.6, zorder=3, label="labels")
    if result.label is not None:
        ax.plot(result.h, result.g, "*", ms=16, mfc=_RED, mec="white", mew=0.8, zorder=4, label="label found")
    ax.set(xlim=(0, window.h), ylim=(0, window.g), xlabel="h = 1 + f(y) - f(target)", ylabel="g = loss(target, y)")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _new_axes() -> Axes:
    axes: Axes = new_figure(1, 1, 5.6, 5.0)[1][0, 0]
    return axes


def new_figure(n_rows: int, n_columns: int, width: float, height: float) -> tuple[Any, Any]:
    """A figure of this size in inches and its axes (n_rows, n_columns)."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "drawing needs matplotlib, which could not be imported. The extra `plot` brings it: pip install taut[plot]"
        ) from error
    return plt.subplots(nrows=n_rows, ncols=n_columns, figsize=(width, height), squeeze=False, layout="constrained")


def _reach(values: npt.ArrayLike) -> float:
    """A little beyond the greatest value; 1 where none is positive."""
    greatest = float(np.max(values))
    return 1.12 * greatest if greatest > 0 else 1.0


def _draw_lens(ax: Axes, trace: Sequence[Query]) -> None:
    """What the tightest line of the questions about the whole plane leaves above their best label (NOTES C.0b)."""
    whole = [query for query in trace if query.region is None and query.lam > 0]
    if not whole:
        return
    k, lam = min(((query.h + query.lam * query.g, query.lam) for query in whole), key=lambda line: tangent_bound(*line))
    value = max(max(query.h, 0.0) * query.g for query in whole)
    g = np.linspace(*lens(k, lam, value), 200)
    line = k - lam * g
    hyperbola = np.divide(value, g, out=line.copy(), where=g > 0)
    ax.fill_betweenx(g, np.minimum(hyperbola, line), line, color=_ORANGE, alpha=0.4, lw=0, zorder=1, label="lens")


def _draw_hyperbola(ax: Axes, value: float, window: _Window) -> None:
    if value > 0:
        h = np.geomspace(value / window.g, window.h, 200)
        ax.plot(h, value / h, color=_RED, lw=1.6, zorder=2, label="equal products")


def _draw_query(ax: Axes, query: Query, value: float, window: _Window) -> _Places:
    """Draw one question, and return where its number can stand."""
    if isinstance(query.region, Cone):
        for ray in (query.region.lower, query.region.upper):
            ax.axline((0, 0), (ray.h, ray.g), color=_GREY, lw=0.8, ls=":", zorder=1)
    if math.isnan(query.h):
        return [_middle(query.region, value, window)]
    (h0, g0), (h1, g1) = _segment(query, window)
    ax.plot([h0, h1], [g0, g1], color=_BLUE, lw=1.1 if query.region is None else 2.2, zorder=2)
    return [(h0 + share * (h1 - h0), g0 + share * (g1 - g0)) for share in np.linspace(0.08, 0.92, 13)]


def _farthest(places: _Places, taken: _Places, window: _Window) -> tuple[float, float]:
    """The place with the most room around it."""

    def room(place: tuple[float, float]) -> float:
        h, g = place
        return min((math.hypot((h - x) / window.h, (g - y) / window.g) for x, y in taken), default=0.0)

    return max(places, key=room)


def _write(ax: Axes, number: int, at: tuple[float, float]) -> None:
    circle = {"boxstyle": "circle,pad=0.2", "fc": "white", "ec": _BLUE, "lw": 0.8}
    ax.annotate(str(number), at, ha="center", va="center", fontsize=8, color=_BLUE, bbox=circle, zorder=5)


def _segment(query: Query, window: _Window) -> tuple[tuple[float, float], tuple[float, float]]:
    """The ends, (h, g) of lower loss first, of the query's line inside its region and the window."""
    k, lam = query.h + query.lam * query.g, query.lam
    lo, hi = 0.0, window.g
    if isinstance(query.region, Band):
        lo, hi = max(lo, query.region.lo), min(hi, query.region.hi)
    elif isinstance(query.region, Cone):
        lower, upper = query.region.lower, query.region.upper
        lo, hi = (ray.g * k / (ray.h + lam * ray.g) for ray in (lower, upper))
    if lam > 0:  # inside the window 0 <= k - lam g <= window.h
        lo, hi = max(lo, (k - window.h) / lam), min(hi, k / lam, window.g)
    return (k - lam * lo, lo), (k - lam * hi, hi)


def _middle(region: Cone | Band | None, value: float, window: _Window) -> tuple[float, float]:
    """A place for the number of a question without an answer: the middle of its region, on the hyperbola or below."""
    if isinstance(region, Band):
        g = 0.5 * (max(region.lo, 0.0) + min(region.hi, window.g))
        return min(value / g, 0.95 * window.h), g
    rays = (region.lower, region.upper) if isinstance(region, Cone) else ((1.0, 0.0), (0.0, 1.0))
    angle = 0.5 * sum(math.atan2(g / window.g, h / window.h) for h, g in rays)
    h, g = window.h * math.cos(angle), window.g * math.sin(angle)
    scale = min(math.sqrt(value / (h * g)), 0.95)
    return scale * h, scale * g
