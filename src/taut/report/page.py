"""One HTML page about a model: everything is in the file, nothing is fetched, nothing runs."""

import os
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from .facts import facts, label_scores, scores
from .svg import line_chart
from .weights import strongest_pairs, strongest_weights

__all__ = ["write_page"]

_STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1120px; margin: 2em auto; padding: 0 1em }
h2 { margin-top: 2em } .charts { display: flex; flex-wrap: wrap; gap: 1em } figure { margin: 0; flex: 1 1 480px }
svg { width: 100%; font: 11px system-ui, sans-serif } svg text:not([fill]) { fill: currentColor }
.grid { stroke: currentColor; opacity: 0.15 }
table { border-collapse: collapse } th, td { padding: 2px 12px 2px 0; text-align: left; border-bottom: 1px solid #8884 }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums } figcaption { opacity: 0.7 }
"""


def write_page(
    path: str | os.PathLike[str], model: Any, title: str, judged: Mapping[str, tuple[Any, Any]] | None = None, top: int = 20
) -> None:
    """Write a page about a fitted estimator: certificate, convergence, search statistics, scores, strongest weights.

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
    Path(path).write_text(_page(model, title, judged or {}, top), encoding="utf-8")


def _page(model: Any, title: str, judged: Mapping[str, tuple[Any, Any]], top: int) -> str:
    told = facts(model)
    parts = [f"<h1>{escape(title)}</h1>", f"<p>{escape(_certificate(told))}</p>"]
    parts.append(_table(("", ""), [(name.replace("_", " "), value) for name, value in told.items()]))
    parts += [*_convergence(model), *_scores(model, judged)]
    for name, rows in (("weights", strongest_weights(model, top)), ("pairs of labels", strongest_pairs(model, top))):
        if rows:
            parts += [f"<h2>Strongest {name}</h2>", _table(tuple(rows[0]), [tuple(row.values()) for row in rows])]
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(parts) + "\n</body></html>\n"


def _certificate(told: Mapping[str, Any]) -> str:
    if "objective" not in told:
        return "Trained as a stream: nothing is proved about the weights."
    return (
        f"The objective is {told['objective']:.6g}, and no weights reach less than {told['lower_bound']:.6g}: "
        f"a gap of {100 * told['relative_gap']:.3g} %. {100 * told['certified']:.4g} % of the searches behind it are proved exact."
    )


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
        (m.n_passes, m.seconds, m.primal, m.dual, gap, m.n_queries, m.certified) for m, gap in zip(history, gaps, strict=True)
    ]
    columns = ("pass", "seconds", "objective", "lower bound", "relative gap", "oracle calls", "exact")
    table = f"<details><summary>All measurements</summary>{_table(columns, rows)}</details>"
    return ["<h2>Convergence and searches</h2>", '<div class="charts">', *figures, "</div>", table]


def _scores(model: Any, judged: Mapping[str, tuple[Any, Any]]) -> list[str]:
    if not judged:
        return []
    columns = [scores(model, *pair) for pair in judged.values()]
    names = dict.fromkeys(name for column in columns for name in column)
    rows = [(name.replace("_", " "), *(column.get(name, "") for column in columns)) for name in names]
    parts = ["<h2>Scores</h2>", _table(("", *judged), rows)]
    for name, pair in judged.items():
        told = sorted(label_scores(model, *pair), key=lambda row: -row["n_true"])
        table = _table(("label", "true", "predicted", "precision", "recall", "F1"), [tuple(row.values()) for row in told])
        parts.append(f"<details open><summary>Labels, {escape(name)}</summary>{table}</details>")
    return parts


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f"<th{' class=n' if j else ''}>{escape(name)}</th>" for j, name in enumerate(columns))
    body = "\n".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>"


def _cell(value: Any) -> str:
    if isinstance(value, (int, float)):
        return f"<td class=n>{value:.6g}</td>" if isinstance(value, float) else f"<td class=n>{value}</td>"
    return f"<td>{escape(str(value))}</td>"
