"""A line chart as SVG text: linear or logarithmic upward, no scripts, colours of the page around it."""

import math
from collections.abc import Sequence
from html import escape

__all__ = ["line_chart"]

# Okabe and Ito's palette, which every common colour vision tells apart; dashes repeat what colour says.
_STROKES = (("#0072B2", ""), ("#D55E00", "6 3"), ("#7F7F7F", "2 2"))
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 520, 260, 64, 40, 14, 14

Series = tuple[str, Sequence[float], Sequence[float]]


def line_chart(series: Sequence[Series], x_label: str, y_label: str, log: bool = False) -> str:
    """Lines through the points of each (name, x, y); points that cannot be drawn are left out."""
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
        parts.append(f'<text x="{across}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle">{x:.4g}</text>')
    for y in _ticks(y_lo, y_hi):
        up = place(x_lo, y).split(",")[1]
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{up}" y2="{up}"/>')
        shown = f"{10**y:.3g}" if log else f"{y:.5g}"
        parts.append(f'<text x="{_LEFT - 6}" y="{float(up) + 4:.1f}" text-anchor="end">{shown}</text>')
    for number, (name, pairs) in enumerate(kept):
        colour, dash = _STROKES[number % len(_STROKES)]
        line = " ".join(place(*pair) for pair in pairs)
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}" points="{line}"/>')
        parts += [f'<circle cx="{x}" cy="{y}" r="2.5" fill="{colour}"/>' for x, y in (place(*pair).split(",") for pair in pairs)]
        where = f'x="{_WIDTH - _RIGHT - 4}" y="{_TOP + 14 + 16 * number}"'
        parts.append(f'<text {where} text-anchor="end" fill="{colour}">{escape(name)}</text>')
    parts.append(f'<text x="{(_LEFT + _WIDTH) / 2}" y="{_HEIGHT - 6}" text-anchor="middle">{escape(x_label)}</text></svg>')
    return "\n".join(parts)


def _drawable(xs: Sequence[float], ys: Sequence[float], log: bool) -> list[tuple[float, float]]:
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
