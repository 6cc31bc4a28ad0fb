"""A line chart as SVG text: linear or logarithmic upward, no scripts, colours of the page around it."""

import math
from collections.abc import Sequence
from html import escape

__all__ = ["line_chart"]

_DASHES = ("", "6 3", "2 2")  # repeat what colour says
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 400, 250, 62, 40, 26, 12

Series = tuple[str, Sequence[float], Sequence[float]]
Points = list[tuple[float, float]]


def line_chart(series: Sequence[Series], x_label: str, y_label: str, log: bool = False) -> str:
    """Lines through the points of each (name, x, y), their names above; points that cannot be drawn are left out."""
    kept = [(name, _drawable(xs, ys, log)) for name, xs, ys in series]
    points = [point for _, pairs in kept for point in pairs]
    if not points:
        return "<p>Nothing to draw.</p>"
    x_lo, x_hi = _range([x for x, _ in points])
    y_lo, y_hi = _range([y for _, y in points])

    def place(x: float, y: float) -> str:
        across = _LEFT + (x - x_lo) / (x_hi - x_lo) * (_WIDTH - _LEFT - _RIGHT)
        up = _HEIGHT - _BOTTOM - (y - y_lo) / (y_hi - y_lo) * (_HEIGHT - _BOTTOM - _TOP)
        return f"{across:.1f},{up:.1f}"

    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(y_label)} against {escape(x_label)}">']
    for x in _ticks(x_lo, x_hi):
        across, up = place(x, y_lo).split(",")
        parts.append(f'<line class="grid" x1="{across}" x2="{across}" y1="{_TOP}" y2="{up}"/>')
        parts.append(f'<text x="{across}" y="{_HEIGHT - _BOTTOM + 17}" text-anchor="middle">{_short(x)}</text>')
    for y in _powers(y_lo, y_hi) if log else _ticks(y_lo, y_hi):
        up = place(x_lo, y).split(",")[1]
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{up}" y2="{up}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{float(up) + 4:.1f}" text-anchor="end">{_short(10**y if log else y)}</text>')
    for number, (_, pairs) in enumerate(kept):
        line = " ".join(place(*pair) for pair in pairs)
        dots = [place(*pair).split(",") for pair in pairs]
        circles = "".join(f'<circle cx="{x}" cy="{y}" r="2.5"/>' for x, y in dots)
        parts.append(f'<g class="s{number % 3}"><polyline stroke-dasharray="{_DASHES[number % 3]}" points="{line}"/>{circles}</g>')
    names = "   ".join(f'<tspan class="s{k % 3}">{escape(name)}</tspan>' for k, (name, _) in enumerate(kept))
    parts.append(f'<text x="{_LEFT}" y="14" xml:space="preserve">{names}</text>')
    parts.append(f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 6}" text-anchor="middle">{escape(x_label)}</text></svg>')
    return "\n".join(parts)


def _drawable(xs: Sequence[float], ys: Sequence[float], log: bool) -> Points:
    pairs = [(float(x), float(y)) for x, y in zip(xs, ys, strict=True) if math.isfinite(x) and math.isfinite(y)]
    return [(x, math.log10(y)) for x, y in pairs if y > 0] if log else pairs


def _range(values: Sequence[float]) -> tuple[float, float]:
    """The least and the greatest, apart also where all are equal."""
    lo, hi = min(values), max(values)
    margin = 0.03 * (hi - lo) or max(abs(lo), 1.0) * 0.1
    return lo - margin, hi + margin


def _ticks(lo: float, hi: float) -> list[float]:
    """Three to seven round numbers."""
    power = 10.0 ** math.floor(math.log10((hi - lo) / 3))
    step = next(power * factor for factor in (5, 2, 1) if (hi - lo) / (power * factor) >= 2.5)
    return [k * step for k in range(math.ceil(lo / step), math.floor(hi / step) + 1)]


def _powers(lo: float, hi: float) -> list[float]:
    """Logarithms of round numbers: powers of ten, with 2 and 5 between them where these are few."""
    whole = range(max(math.floor(lo), -307), min(math.ceil(hi), 307) + 1)  # what has a logarithm, and is a float
    every = math.ceil((hi - lo) / 6)
    powers = [float(k) for k in whole if k % every == 0 and lo <= k <= hi]
    if len(powers) >= 3:
        return powers
    finer = [k + math.log10(factor) for k in whole for factor in (1, 2, 5) if lo <= k + math.log10(factor) <= hi]
    return finer if len(finer) >= 2 else _ticks(lo, hi)


def _short(value: float) -> str:
    """Few characters: 80 000 is 80k."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if size <= abs(value) < 1e12:
            return f"{value / (1e3 if letter == 'k' else size):.4g}{letter}"
    return f"{value:.4g}"
