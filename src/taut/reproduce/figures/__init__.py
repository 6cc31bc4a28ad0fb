"""The paper's figures, drawn again: the geometry from code, the curves from raw lines."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ...plotting import save_figure
from ..raw import Lines
from . import curves, plane

__all__ = ["TITLES", "draw"]

#: Figures in the order of the page: file name and what it shows.
TITLES = {
    "contours": "Figure 1: contours of the product and of what an oracle asks.",
    "query": "Figure 2: what one question leaves. A better label lies between line S and curve C.",
    "label-map": "Figure 4: all 16384 label sets of one Yeast example in the middle of training, with lens search drawn on it.",
    "angular": "Figure 5: angular search after 1, 3 and all questions, and lens search on the same set.",
    "convergence": "Figure 3: the true objective and the test accuracy against seconds of CPU time.",
    "objective-yeast": "Appendix I, Yeast: the true objective against seconds, questions and passes, every solver and search.",
    "accuracy-yeast": "Appendix I, Yeast: accuracy on the test part.",
    "objective-rcv1-14": "Appendix I, RCV1 with 14 topics: the same.",
    "accuracy-rcv1-14": "Appendix I, RCV1 with 14 topics: accuracy on the test part.",
    "label-space": "Slack less margin as the label space grows: RCV1's most frequent topics.",
    "rate": "Theorem 3, corrected: the worst ratio left on random sets, and the bound on it.",
}


def draw(out: Path, folder: Path, lines: Mapping[str, Lines], quick: bool) -> list[Path]:
    """Draw what the data and the lines allow, each as SVG and PNG; returns the paths of the PNGs."""
    training, size = lines["training"], "n=100" if quick else "whole"
    drawings: dict[str, Callable[[], Any]] = {
        "contours": plane.contours,
        "query": plane.query,
        "label-map": lambda: plane.label_map(folder),
        "angular": plane.angular,
        "convergence": lambda: curves.convergence(training, size),
        "label-space": lambda: curves.label_space(lines["table3"], "quick" if quick else "full"),
        "rate": lambda: curves.rate(lines["theorems"]),
    }
    for data in ("yeast", "rcv1-14"):
        drawings[f"objective-{data}"] = partial(curves.objective, training, data, size)
        drawings[f"accuracy-{data}"] = partial(curves.accuracy, training, data, size)
    where, made = out / "reproduction", []
    where.mkdir(parents=True, exist_ok=True)
    for name, drawing in drawings.items():
        figure = drawing()
        if figure is not None:
            save_figure(figure, where / f"{name}.svg", 150)
            save_figure(figure, where / f"{name}.png", 90)
            made.append(where / f"{name}.png")
    return made
