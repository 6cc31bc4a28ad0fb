"""docs/results.md and a part of the README: prose by hand, and tables that raw lines give.

A table stands between `<!-- table: name -->` and `<!-- end -->`.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from benchmarks.accuracy.lines import Lines

Row = dict[str, Any]
LABEL_SETS = {"hamming": "Hamming", "jaccard": "Jaccard", "f1": "example F1", "zero-one": "exact match"}
NODES = {
    "hierarchical-f1": "hierarchical F1", "hamming": "Hamming, nodes", "leaves": "Hamming, leaves", "path-loss": "path loss",
    "f1": "example F1", "zero-one": "exact match",
}  # fmt: skip
CHAINS = ("taut, slack", "taut, margin", "CRFsuite, likelihood", "CRFsuite, perceptron")
LESS_IS_BETTER = ("hamming", "leaves", "path-loss")
MARKED = re.compile(r"(<!-- table: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text: str, lines: Lines) -> str:
    """The page with every table made anew."""
    return MARKED.sub(lambda match: match[1] + TABLES[match[2]](lines) + match[3], text)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown; columns after the first are set to the right."""
    ruler = ["---", *["---:"] * (len(head) - 1)]
    return "\n" + "".join("| " + " | ".join(row) + " |\n" for row in [head, ruler, *rows]) + "\n"


def figure(value: float, column: str = "") -> str:
    """A figure without the zero before the point; one digit more where less is better."""
    digits = 4 if column in LESS_IS_BETTER else 3
    return f"{value:.2f}" if value >= 1.0 else f"{value:.{digits}f}".removeprefix("0")


def name_of(row: Row) -> str:
    """How a model is called in the first column."""
    if row["model"] != "taut":
        return str(row["model"])
    both = "margin = slack" if row["loss"] == "zero-one" else row["rescaling"]
    return ", ".join([*([row["edges"]] if "edges" in row else []), row["loss"], both])


def by_split(lines: Lines, data: str) -> dict[str, dict[int, Row]]:
    """Per model its lines, by the number of the split: other tools first, then by edges and losses."""
    found: dict[str, dict[int, Row]] = {}
    for row in sorted(lines.all(data=data), key=_place):
        found.setdefault(name_of(row), {})[row["split"]] = row
    return found


def _place(row: Row) -> tuple[int, ...]:
    if row["model"] != "taut":
        return (-1,)
    edges = ("none", "tree", "full").index(row.get("edges", "none"))
    return edges, list(LABEL_SETS).index(row["loss"]), ("slack", "margin").index(row["rescaling"])


def on_resplits(rows: dict[int, Row], column: str) -> np.ndarray:
    """A metric on the resplits."""
    return np.array([row["scores"][column] for number, row in sorted(rows.items()) if number > 0])


def error(values: np.ndarray) -> float:
    """Standard error of the mean."""
    return float(values.std(ddof=1) / math.sqrt(len(values)))


def sets_table(data: str, columns: dict[str, str]) -> Callable[[Lines], str]:
    """Every model on every metric: the standard split, and mean and standard error of resplits. The best of a column is bold."""

    def make(lines: Lines) -> str:
        models = by_split(lines, data)
        best = {column: _best(models, column) for column in columns}
        rows = []
        for name, splits in models.items():
            cells = [_entry(splits, column, best[column]) for column in columns]
            rows.append([name, *cells, _seconds(splits)])
        return table([data, *columns.values(), "s a fit"], rows)

    return make


def _best(models: dict[str, dict[int, Row]], column: str) -> float:
    """The best mean over resplits, or the best on the standard split while there are none."""
    means = [_mean(splits, column) for splits in models.values()]
    return min(means, default=math.nan) if column in LESS_IS_BETTER else max(means, default=math.nan)


def _mean(splits: dict[int, Row], column: str) -> float:
    values = on_resplits(splits, column)
    return float(values.mean()) if len(values) else float(splits[0]["scores"][column])


def _seconds(splits: dict[int, Row]) -> str:
    """Median over the resplits, which search nothing, of the seconds of one fit; other tools are fitted once per C."""
    times = [row["seconds"] / (1 if row["model"] == "taut" else len(set(row["C"].values()))) for k, row in splits.items() if k > 0]
    return f"{np.median(times):.2f}" if times else "-"


def _entry(splits: dict[int, Row], column: str, best: float) -> str:
    values, standard = on_resplits(splits, column), figure(splits[0]["scores"][column], column)
    mark = "**" if _mean(splits, column) == best else ""
    if not len(values):
        return f"{mark}{standard}{mark}"
    spread = f" ± {figure(error(values), column)}" if len(values) > 1 else ""
    return f"{standard} · {mark}{figure(float(values.mean()), column)}{mark}{spread}"


def gain(lines: Lines, column: str, left: Row, right: Row) -> str:
    """By how many points the model `left` is better at a metric than `right`: mean and standard error over resplits, paired."""
    sign = -100.0 if column in LESS_IS_BETTER else 100.0
    pair = [{row["split"]: row["scores"][column] for row in lines.all(**key) if row["split"] > 0} for key in (left, right)]
    both = sorted(set(pair[0]) & set(pair[1]))
    values = sign * np.array([pair[0][k] - pair[1][k] for k in both])
    return f"{values.mean():+.1f} ± {error(values):.1f}" if len(values) > 1 else "-"


def edges_of(lines: Lines) -> list[tuple[str, str]]:
    """Data sets and edges, in the order of the lines."""
    return list(dict.fromkeys((row["data"], row["edges"]) for row in lines.all(model="taut") if "edges" in row))


def trained_for(lines: Lines) -> str:
    """What it brings to train for a metric's own loss."""
    rows = []
    for data, edges in edges_of(lines):
        for rescaling in ("slack", "margin"):
            key, cells = {"data": data, "edges": edges, "model": "taut"}, []
            for loss in LABEL_SETS:
                own = {**key, "loss": loss, "rescaling": "slack" if loss == "zero-one" else rescaling}
                other = {**key, "loss": "f1" if loss == "hamming" else "hamming", "rescaling": rescaling}
                cells.append(gain(lines, loss, own, other))
            rows.append([f"{data}, {edges}, {rescaling}", *cells])
    return table(["trained for the metric's loss, not for Hamming (Hamming: not for F1)", *LABEL_SETS.values()], rows)


def slack_less_margin(lines: Lines) -> str:
    """What slack rescaling brings over margin rescaling, each trained for the metric."""
    rows = []
    for data, edges in edges_of(lines):
        cells = []
        for loss in list(LABEL_SETS)[:3]:
            key = {"data": data, "edges": edges, "model": "taut", "loss": loss}
            cells.append(gain(lines, loss, {**key, "rescaling": "slack"}, {**key, "rescaling": "margin"}))
        rows.append([f"{data}, {edges}", *cells])
    return table(["slack, not margin", *list(LABEL_SETS.values())[:3]], rows)


def over_peers(lines: Lines) -> str:
    """taut with the richest edges that are exact, trained for the metric, over the best other tool in that column."""
    rows = []
    for data, edges in dict(edges_of(lines)).items():
        models = {name: splits for name, splits in by_split(lines, data).items() if splits[min(splits)]["model"] != "taut"}
        cells = []
        for column in LABEL_SETS:
            best = next(name for name, splits in models.items() if _mean(splits, column) == _best(models, column))
            own = {"data": data, "edges": edges, "model": "taut", "loss": column, "rescaling": "slack"}
            cells.append(f"{gain(lines, column, own, {'data': data, 'model': best})} ({best})")
        rows.append([f"{data}, {edges}", *cells])
    return table(["slack, not the best other tool", *LABEL_SETS.values()], rows)


def letters_table(size: str) -> Callable[[Lines], str]:
    """Means and standard errors over the folds that every model has been trained on."""

    def make(lines: Lines) -> str:
        key = {"data": "letters", "trained on": size}
        done = {name: [row for row in lines.all(**key, model=name) if "fold" in row] for name in CHAINS}
        models = {name: found for name, found in done.items() if found}
        common, rows = set.intersection(*({row["fold"] for row in found} for found in models.values())) if models else set(), []
        for name, every in models.items():
            found, cells = [row for row in every if row["fold"] in common], []
            if not found:
                continue
            for column in ("letters wrong", "words wrong"):
                values = np.array([row["scores"][column] for row in found])
                spread = f" ± {figure(error(values))}" if len(values) > 1 else ""
                cells.append(f"{figure(float(values.mean()))}{spread}")
            seconds = np.mean([row["seconds"] for row in found]), np.mean([row["seconds to predict"] for row in found])
            rows.append([name, *cells, f"{seconds[0]:.1f}", f"{seconds[1]:.2f}", _chosen(found[0]), str(len(found))])
        return table([f"trained on {size}", "letters wrong", "words wrong", "s to train", "s to predict", "C", "folds"], rows)

    return make


def _chosen(row: Row) -> str:
    """C, which the perceptron does not have."""
    return "-" if "perceptron" in row["model"] else f"{row['C']:.2g}"


def chunks_table(lines: Lines) -> str:
    """One line per model."""
    rows = []
    for row in lines.all(data="chunks", fold=0):
        scores = (f"{100 * row['scores'][name]:.2f}" for name in ("span F1", "tags wrong"))
        rows.append([row["model"], *scores, f"{row['seconds']:.0f}", f"{row['seconds to predict']:.1f}", _chosen(row)])
    return table(["CoNLL-2000", "span F1, %", "tags wrong, %", "s to train", "s to predict", "C"], rows)


def readme(lines: Lines) -> str:
    """Example F1 of a few models, for the README: mean and standard error over resplits, the best bold."""
    models = ("one-vs-rest LinearSVC", "classifier chain", "full, hamming, slack", "full, f1, slack")
    rows = []
    for data in ("Scene", "Yeast"):
        found = {name: on_resplits(splits, "f1") for name, splits in by_split(lines, data).items() if name in models}
        values = [found.get(name, np.zeros(0)) for name in models]
        best = max((float(v.mean()) for v in values if len(v)), default=math.nan)
        rows.append([data, *(_marked(v, best) for v in values)])
    return table(["", "one-vs-rest `LinearSVC`", "`ClassifierChain`", "taut trained for Hamming", "taut trained for F1"], rows)


def _marked(values: np.ndarray, best: float) -> str:
    if len(values) < 2:
        return "-"
    mark = "**" if values.mean() == best else ""
    return f"{mark}{figure(float(values.mean()))}{mark} ± {figure(error(values))}"


def machine(lines: Lines) -> str:
    """Where the lines were computed."""
    return table(["", ""], [[name, value] for name, value in (lines.machine or {}).items()])


TABLES: dict[str, Callable[[Lines], str]] = {
    **{name: sets_table(name, LABEL_SETS) for name in ("Yeast", "Scene", "Enron")},
    **{f"{name} hierarchy": sets_table(f"{name} hierarchy", NODES) for name in ("Enron", "ImCLEF07A", "cellcycle")},
    "trained for": trained_for,
    "slack, margin": slack_less_margin,
    "peers": over_peers,
    "letters, one fold": letters_table("one fold"),
    "letters, nine folds": letters_table("nine folds"),
    "chunks": chunks_table,
    "machine": machine,
    "readme": readme,
}
