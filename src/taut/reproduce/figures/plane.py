"""Figures of the plane of labels: h to the right, g upward, as everywhere in the documentation."""

from pathlib import Path
from typing import Any

import numpy as np

from ...losses import Hamming
from ...oracles import Points
from ...plane import lens
from ...plotting import draw_search, new_figure
from ...search import angular_search, lens_search
from ...solvers import Problem
from ..sources import label_sets, structure_for
from ..table1 import potentials_at
from ..training import cutting_plane

__all__ = ["angular", "contours", "label_map", "query"]

BLUE, ORANGE, RED, GREY = "#0072B2", "#E69F00", "#D55E00", "#7F7F7F"
_H, _G = "h = 1 + f(y) - f(target)", "g = loss"


def _points(n: int, seed: int) -> Points:
    """A set like those of training: integer losses, scores that fall as the loss rises."""
    rng = np.random.default_rng(seed)
    g = rng.integers(1, 11, n)
    return Points(rng.uniform(0.2, 0.8, n) * (11 - g), g)


def contours() -> Any:
    """Figure 1: the product's hyperbolas and the lines of a multiplier."""
    figure, axes = new_figure(1, 2, 8.4, 3.8)
    points = _points(40, 3)
    grid = np.meshgrid(np.linspace(0.05, 9, 300), np.linspace(0.05, 11, 300))
    for axis, values, title in (
        (axes[0, 0], grid[0] * grid[1], "the objective, Φ = h · g"),
        (axes[0, 1], grid[0] + 0.8 * grid[1], "the oracle's, h + λ g with λ = 0.8"),
    ):
        lines = axis.contour(*grid, values, levels=9, colors=BLUE, linewidths=1.0)
        axis.clabel(lines, fontsize=8, fmt="%g")
        axis.plot(points.h, points.g, "o", ms=4, mfc=GREY, mec="white", mew=0.5)
        _frame(axis, title)
    best = int((points.h * points.g).argmax())
    axes[0, 0].plot(points.h[best], points.g[best], "*", ms=15, mfc=RED, mec="white", label="the best label")
    answer = points.argmax(0.8)
    axes[0, 1].plot(answer.h, answer.g, "D", ms=8, mfc=ORANGE, mec="black", mew=0.6, label="the oracle's answer")
    for axis in axes[0]:
        axis.legend(loc="upper right", fontsize=8, framealpha=1.0)
    return figure


def query() -> Any:
    """Figure 2: the line S and the hyperbola C of one answer, and the segments of h and g (Lemmas 2 and 3)."""
    figure, axes = new_figure(1, 1, 5.6, 4.4)
    axis, lam = axes[0, 0], 0.5
    h, g = 5.2, 2.0
    k, value = h + lam * g, h * g
    g1, g2 = lens(k, lam, value)
    heights = np.linspace(g1, g2, 200)
    axis.fill_betweenx(heights, value / heights, k - lam * heights, color=ORANGE, alpha=0.45, lw=0, label="room for a better label")
    line = np.array([0.0, k / lam])
    axis.plot(k - lam * line, line, color=BLUE, lw=1.6, label="S: h + λ g = K")
    curve = np.geomspace(0.9, 12.2, 300)
    axis.plot(value / curve, curve, color=RED, lw=1.6, ls="--", label="C: h g = Φ of the answer")
    axis.plot(h, g, "D", ms=8, mfc=ORANGE, mec="black", mew=0.6, zorder=4)
    axis.annotate("answer", (h, g), (6, -14), textcoords="offset points", fontsize=9)
    axis.plot(lam * g, h / lam, "o", ms=7, mfc="white", mec="black", zorder=4)
    axis.annotate("its reflection", (lam * g, h / lam), (8, 4), textcoords="offset points", fontsize=9)
    axis.plot([lam * g, h], [0.15, 0.15], color="black", lw=4, solid_capstyle="butt")
    axis.annotate("segment of h", (0.5 * (h + lam * g), 0.15), (0, 6), textcoords="offset points", ha="center", fontsize=9)
    axis.plot([0.08, 0.08], [g, h / lam], color="black", lw=4, solid_capstyle="butt")
    axis.annotate(
        "segment of g", (0.08, 0.5 * (g + h / lam)), (8, 0), textcoords="offset points", va="center", rotation=90, fontsize=9
    )
    _frame(axis, "one question at λ = 0.5")
    axis.set(xlim=(0, 7.5), ylim=(0, 13))
    axis.legend(loc="upper right", fontsize=8, framealpha=1.0)
    return figure


def angular() -> Any:
    """Figure 5: angular search step by step, and lens search beside it."""
    figure, axes = new_figure(2, 2, 9.0, 8.0)
    points = _points(30, 8)
    whole = angular_search(points)
    shown = [(angular_search(points, max_queries=t), f"angular search, {t} question{'s' * (t > 1)}") for t in (1, 3)]
    shown += [(whole, f"angular search, all {whole.n_queries} questions")]
    found = lens_search(points)
    shown.append((found, f"lens search, all {found.n_queries} questions"))
    for axis, (result, title) in zip(axes.flat, shown, strict=True):
        draw_search(result, points, axis)
        axis.set_title(title, fontsize=10)
    return figure


def label_map(folder: Path) -> Any:
    """Figure 4: a Yeast example after some rounds of cutting planes; Points with h < 0 are drawn too, they cannot win."""
    if not (folder / "yeast").is_dir():
        return None
    split = label_sets(folder, "yeast").split
    structure, X, Y = structure_for("full", split.Y), split.X[:160], list(split.Y[:160])
    problem = Problem(structure, X, Y, Hamming(normalize=False))
    solver = cutting_plane(problem, 0.1, len(Y))
    for _ in range(9):
        solver.advance()
    thetas = potentials_at(problem, structure, X, solver.w)
    found = structure.loss_augmented_many(thetas, Y, Hamming(normalize=False))
    i = int(np.argmax(found.value * (found.g > 3)))
    one = structure.potentials(thetas.own.reshape(len(Y), -1)[i], thetas.common[: structure.n_shared])
    points, _ = structure.points(one, Y[i], Hamming(normalize=False))
    result = lens_search(points)
    figure, axes = new_figure(1, 1, 6.4, 5.2)
    axis = axes[0, 0]
    axis.plot(points.h, points.g, "o", ms=2.2, color=GREY, alpha=0.35, mew=0, rasterized=True, label="label sets")
    top = 1.15 * max(float(points.h.max()), 1.0)
    curve = np.linspace(max(result.value / top, 0.3), 15, 300)
    axis.plot(result.value / curve, curve, color=RED, lw=1.6, label="products equal to the best")
    ends = np.array([0.0, 15.0])
    for number, question in enumerate(result.trace, start=1):
        k = question.h + question.lam * question.g
        if np.isnan(k):
            continue
        axis.plot(k - question.lam * ends, ends, color=BLUE, lw=1.1, label="questions, numbered" if number == 1 else None)
        at = 14.6 - 0.9 * number
        axis.annotate(
            str(number), (k - question.lam * at, at), ha="center", va="center", fontsize=8, color=BLUE,
            bbox={"boxstyle": "circle,pad=0.2", "fc": "white", "ec": BLUE, "lw": 0.8},
        )  # fmt: skip
    axis.plot(result.h, result.g, "*", ms=16, mfc=RED, mec="white", zorder=4, label="the best label set")
    axis.plot(1.0, 0.0, "s", ms=7, mfc=ORANGE, mec="black", mew=0.6, zorder=4, clip_on=False, label="the true one")
    axis.axvline(0.0, color="black", lw=0.8)
    _frame(axis, f"Yeast, 2^14 label sets; certified after {result.n_queries} questions")
    axis.set(xlim=(float(np.quantile(points.h, 0.02)), top), ylim=(-0.2, 14.8))
    axis.legend(loc="lower left", fontsize=8)
    return figure


def _frame(axis: Any, title: str) -> None:
    axis.set(xlabel=_H, ylabel=_G)
    axis.set_title(title, fontsize=10)
    axis.spines[["top", "right"]].set_visible(False)
