"""One HTML page about a model."""

import os
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from .facts import facts, label_scores, scores
from .html import Share, document, facts_list, table
from .svg import line_chart
from .weights import strongest_pairs, strongest_weights

__all__ = ["write_page"]


def write_page(
    path: str | os.PathLike[str], model: Any, title: str, judged: Mapping[str, tuple[Any, Any]] | None = None, top: int = 20
) -> None:
    """Write a page about a fitted estimator: certificate, convergence, search statistics, scores, strongest weights.

    Everything is in the file: it fetches nothing and runs nothing.

    Parameters
    ----------
    path : str or path
    model : estimator
    title : str
    judged : mapping, optional
        Of names such as "training data" to pairs (Y, predictions), in the form of the model's predictions.
    top : int
        How many weights to show.
    """
    told, judged = facts(model), judged or {}
    if not isinstance(judged, Mapping) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in judged.values()):
        raise ValueError(f"`judged` must map names to pairs (Y, predictions); found {type(judged).__name__}: {judged!r:.60}.")
    parts = [_paragraph(_certificate(told)), facts_list({name.replace("_", " "): value for name, value in told.items()})]
    parts += [*_scores(model, judged), *_convergence(model), *_weights(model, top)]
    Path(path).write_text(document(title, parts), encoding="utf-8")


def _certificate(told: Mapping[str, Any]) -> str:
    if "objective" not in told:
        return "Trained as a stream: nothing is proved about the weights."
    return (
        f"The objective is {told['objective']:.6g}, and no weights reach less than {told['lower_bound']:.6g}: "
        f"a gap of {100 * told['relative_gap']:.3g} %. {100 * told['certified']:.4g} % of the searches behind it are proved exact."
    )


def _paragraph(text: str) -> str:
    return f"<p>{escape(text).replace(' %', '&nbsp;%')}</p>"


def _scores(model: Any, judged: Mapping[str, tuple[Any, Any]]) -> list[str]:
    if not judged:
        return []
    columns = [scores(model, *pair) for pair in judged.values()]
    names = dict.fromkeys(name for column in columns for name in column)
    rows = [(name.replace("_", " "), *(Share(column.get(name, 0.0)) for column in columns)) for name in names]
    parts = ["<h2>Scores</h2>", table(("", *judged), rows), '<div class="tables">']
    for name, pair in judged.items():
        told = sorted(label_scores(model, *pair), key=lambda row: -row["n_true"])
        kinds = ("precision", "recall", "f1")
        shown = [(str(row["label"]), row["n_true"], row["n_predicted"], *(Share(row[kind]) for kind in kinds)) for row in told]
        labels = table(("label", "true", "predicted", "precision", "recall", "F1"), shown)
        parts.append(f"<details open><summary>Labels, {escape(name)}</summary>{labels}</details>")
    return [*parts, "</div>"]


def _convergence(model: Any) -> list[str]:
    history = getattr(model, "history_", ())
    if not history:
        return []
    seconds, passes = [m.seconds for m in history], [m.n_passes for m in history]
    gaps = [m.gap / abs(m.primal) if m.primal else 0.0 for m in history]
    bounds = [("objective", passes, [m.primal for m in history]), ("lower bound", passes, [m.dual for m in history])]
    asked = [("oracle calls", passes, [m.n_queries for m in history])]
    charts = [
        (line_chart([("gap", seconds, gaps)], "seconds", "relative gap", log=True), "Gap, as a share of the objective."),
        (line_chart(bounds, "passes", "objective"), "The best objective so far, and what is proved to be below every one."),
        (line_chart(asked, "passes", "oracle calls"), "Calls of the oracle, those of the measurements among them."),
    ]
    figures = [f"<figure>{chart}<figcaption>{caption}</figcaption></figure>" for chart, caption in charts]
    rows = [
        (m.n_passes, m.seconds, m.primal, m.dual, gap, m.n_queries, Share(m.certified))
        for m, gap in zip(history, gaps, strict=True)
    ]
    columns = ("pass", "seconds", "objective", "lower bound", "relative gap", "oracle calls", "exact")
    measured = f"<details><summary>All measurements</summary>{table(columns, rows)}</details>"
    told = _paragraph(model.diagnosis())
    return ["<h2>Convergence and searches</h2>", told, '<div class="charts">', *figures, "</div>", measured]


def _weights(model: Any, top: int) -> list[str]:
    parts = []
    for name, rows in (("features", strongest_weights(model, top)), ("pairs of labels", strongest_pairs(model, top))):
        if rows:
            most = abs(rows[0]["weight"])
            bars = [Share(abs(row["weight"]) / most, f"{row['weight']:.4g}") for row in rows]
            shown = [(*map(str, list(row.values())[:-1]), bar) for row, bar in zip(rows, bars, strict=True)]
            parts.append(f"<div><h3>Of {name}</h3>{table(tuple(rows[0]), shown)}</div>")
    return ["<h2>Strongest weights</h2>", '<div class="tables">', *parts, "</div>"] if parts else []
