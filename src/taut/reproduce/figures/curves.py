"""Figures drawn from raw lines: convergence, accuracy, the label space, the anytime rate."""

from typing import Any

import numpy as np

from ...plotting import new_figure
from ..convergence import DATA, SEARCHES, SOLVERS
from ..raw import Lines, mean_of
from ..table3 import SIZES

__all__ = ["accuracy", "convergence", "label_space", "objective", "rate", "run_of"]

# Okabe and Ito's palette, with a marker each, so that colour says nothing alone.
_STYLE = {
    "direct": ("#000000", "o"),
    "lens": ("#0072B2", "s"),
    "angular": ("#009E73", "^"),
    "bisecting": ("#E69F00", "D"),
    "Sarawagi": ("#D55E00", "v"),
}
_DASH = {"SGD": (0, (4, 2)), "BCFW": "-", "cutting plane": (0, (1, 1.5))}
_NAMES = {"yeast": "Yeast", "rcv1-14": "RCV1, 14 topics"}
_X = {"seconds": 1, "questions": 2, "passes": 0}


def run_of(lines: Lines, data: str, size: str, solver: str, search: str) -> Any:
    """The measurements of a run: passes, seconds, queries, primal, dual, accuracy; None where it was not run."""
    found = lines.like(f"training/{data}/{size}/{solver.replace(' ', '-')}/{search}/*")
    return np.array(found[0]["rows"], dtype=float) if found else None


def lower_bound(lines: Lines, data: str, size: str) -> float:
    """The best lower bound of the optimum that any run of a data set proved."""
    return max(float(np.max([row[4] for row in line["rows"]] if "rows" in line else line["dual"]))
               for line in lines.like(f"training/{data}/{size}/*"))  # fmt: skip


def objective(lines: Lines, data: str, size: str) -> Any:
    """Appendix I: relative suboptimality of the true primal, a row per solver."""
    return _grid(lines, data, size, list(_X), "objective above the optimum, relative")


def accuracy(lines: Lines, data: str, size: str) -> Any:
    """Appendix I: test accuracy (Jaccard), a row per solver."""
    return _grid(lines, data, size, ["seconds", "passes"], "test accuracy (Jaccard)")


def _grid(lines: Lines, data: str, size: str, across: list[str], up: str) -> Any:
    if not lines.like(f"training/{data}/{size}/*/*"):
        return None
    figure, axes = new_figure(len(SOLVERS), len(across), 3.4 * len(across), 2.7 * len(SOLVERS))
    bound = lower_bound(lines, data, size)
    for row, solver in zip(axes, SOLVERS, strict=True):
        for axis, name in zip(row, across, strict=True):
            for search in SEARCHES:
                run = run_of(lines, data, size, solver, search)
                if run is not None:
                    _curve(axis, run, _X[name], bound if "objective" in up else None, search, "-")
            axis.set_title(f"{solver}", fontsize=10)
            axis.set_xlabel({"seconds": "seconds of CPU time", "questions": "questions to oracles"}.get(name, name))
    figure.supylabel(up, fontsize=10)
    _same_heights(axes)
    handles = [_handle(axes[0, 0], search) for search in SEARCHES]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), fontsize=9, title=f"{_NAMES[data]}, by search")
    return figure


def convergence(lines: Lines, size: str) -> Any:
    """Figure 3: the searches that matter, on both data sets."""
    if not lines.like(f"training/*/{size}/*/*"):
        return None
    chosen = [
        ("BCFW", "direct"), ("BCFW", "angular"), ("SGD", "direct"), ("SGD", "angular"), ("cutting plane", "angular"),
        ("cutting plane", "bisecting"), ("cutting plane", "Sarawagi"),
    ]  # fmt: skip
    figure, axes = new_figure(2, 2, 10.0, 7.2)
    for row, data in zip(axes, DATA, strict=True):
        if not lines.like(f"training/{data}/{size}/*/*"):
            continue
        bound = lower_bound(lines, data, size)
        for solver, search in chosen:
            run = run_of(lines, data, size, solver, search)
            if run is not None:
                _curve(row[0], run, 1, bound, search, _DASH[solver], f"{solver}, {search}")
                _curve(row[1], run, 1, None, search, _DASH[solver])
        row[0].axhline(0.01, color="#7F7F7F", lw=0.8)
        row[0].set(ylabel="objective above the optimum, relative", xlabel="seconds of CPU time", title=_NAMES[data])
        row[1].set(ylabel="test accuracy (Jaccard)", xlabel="seconds of CPU time", title=_NAMES[data])
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=9)
    return figure


def _curve(axis: Any, run: Any, column: int, bound: float | None, search: str, dash: Any, label: str | None = None) -> None:
    colour, marker = _STYLE[search]
    up = run[:, 5] if bound is None else np.maximum(np.minimum.accumulate(run[:, 3]) / bound - 1.0, 2e-4)
    every = max(1, len(run) // 6)
    axis.plot(run[:, column], up, color=colour, ls=dash, marker=marker, ms=4, markevery=every, lw=1.4, label=label)
    axis.set_xscale("log")
    if bound is not None:
        axis.set_yscale("log")
    axis.grid(alpha=0.25, lw=0.5)
    axis.spines[["top", "right"]].set_visible(False)


def _handle(axis: Any, search: str) -> Any:
    colour, marker = _STYLE[search]
    return axis.plot([], [], color=colour, marker=marker, ms=4, lw=1.4, label=search)[0]


def _same_heights(axes: Any) -> None:
    drawn = [axis for axis in axes.flat if axis.lines]
    lows, highs = zip(*(axis.get_ylim() for axis in drawn), strict=True)
    for axis in drawn:
        axis.set_ylim(min(lows), max(highs))


def label_space(lines: Lines, size: str) -> Any:
    """Slack less margin, paired by division, against the number of labels."""
    figure, axes = new_figure(1, 2, 9.0, 3.6)
    for axis, metric, better in ((axes[0, 0], "Acc", "accuracy (Jaccard)"), (axes[0, 1], "Label loss", "Hamming loss")):
        shown = []
        for n_labels in SIZES:
            pairs = paired(lines, f"table3/rcv1-sets/labels={n_labels}", size, ("metrics", metric))
            if pairs:
                mean = mean_of(pairs)
                shown.append((n_labels, mean.mean, 0.0 if np.isnan(mean.error) else mean.error))
        if not shown:
            return None
        x, y, error = np.array(shown).T
        axis.errorbar(x, y, 2 * error, color="#0072B2", marker="o", ms=5, capsize=3, lw=1.4)
        axis.axhline(0.0, color="black", lw=0.8)
        axis.set_xscale("log", base=2)
        axis.set_xticks(x, [f"{int(n)}" for n in x])
        axis.minorticks_off()
        axis.set(xlabel="labels", ylabel="slack less margin", title=f"{better}; bars are two standard errors")
        axis.title.set_fontsize(10)
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(alpha=0.25, lw=0.5)
    return figure


def paired(lines: Lines, prefix: str, size: str, keys: tuple[str, ...]) -> list[float]:
    """Slack less margin of every division that has both lines."""
    found = []
    for slack in lines.like(f"{prefix}/slack/{size}/seed=*"):
        other = slack["id"].replace("/slack/", "/margin/")
        if other in lines:
            a, b = slack, lines[other]
            for key in keys:
                a, b = a[key], b[key]
            found.append(float(a) - float(b))  # type: ignore[arg-type]
    return found


def rate(lines: Lines) -> Any:
    """The worst ratio over random sets by order, and the bound."""
    found = {order: lines.like(f"theorems/rate/{order}/*") for order in ("best", "fifo", "lifo")}
    if not all(found.values()):
        return None
    figure, axes = new_figure(1, 1, 5.8, 4.0)
    axis = axes[0, 0]
    names = {
        "best": ("best first", "#0072B2", "o"), "fifo": ("breadth first", "#009E73", "s"), "lifo": ("depth first", "#D55E00", "v"),
    }  # fmt: skip
    for order, (name, colour, marker) in names.items():
        rows = np.array(found[order][-1]["rows"], dtype=float)
        axis.plot(rows[:, 0], rows[:, 1] - 1.0 + 1e-5, color=colour, marker=marker, ms=5, lw=1.4, label=name)
    rows = np.array(found["best"][-1]["rows"], dtype=float)
    axis.plot(rows[:, 0], rows[:, 2] - 1.0, color="black", ls="--", lw=1.4, label="bound on the worst set's ratio")
    axis.set(xlabel="questions t", ylabel="best product / product found, less 1 (floor 1e-5)", xscale="log", yscale="log")
    axis.set_ylim(5e-6, None)
    axis.legend(fontsize=8)
    axis.grid(alpha=0.25, lw=0.5)
    axis.spines[["top", "right"]].set_visible(False)
    return figure
