"""`taut score`: how good a model is on a file with labels."""

from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from ..report import label_scores, scores
from .app import AsJson, app, print_json
from .files import DataFile, FoldOption, FormatOption, LabelsOption, read_again
from .formats import Format, Reading, Task
from .predict import ModelFile, predicted

__all__ = ["score", "truth"]


@app.command()
def score(
    model: ModelFile,
    data: DataFile = "-",
    form: FormatOption = Format.auto,
    labels: LabelsOption = None,
    fold: FoldOption = None,
    per_label: Annotated[bool, typer.Option("--per-label", help="Also precision, recall and F1 of each label.")] = False,
    as_json: AsJson = False,
) -> None:
    """Score a model on a file with labels."""
    from ..estimators import load

    fitted = load(model)
    task = read_again(fitted, data, Reading(form, labels, folds=fold))
    true, found = truth(fitted, task, data), predicted(fitted, task.X)
    record: dict[str, Any] = scores(fitted, true, found)
    if per_label:
        record["labels"] = label_scores(fitted, true, found)
    if as_json:
        print_json(record)
        return
    for name, value in record.items():
        if name != "labels":
            print(f"{name:<16} {value:.4f}")
    if per_label:
        Console().print(_table(record["labels"]))


def truth(model: Any, task: Task, path: str) -> Any:
    """The labels of a file in the form of the model's predictions."""
    if task.Y is None:
        raise ValueError(f"{path}: expected labels; found none. `taut predict` needs none.")
    if task.kind in ("chain", "tree"):
        return [np.asarray(y) for y in task.Y]
    if type(model).__name__ == "MulticlassSSVM":
        return np.asarray(task.label_names)[np.asarray(task.Y).argmax(axis=1)]
    return _closed(np.array(task.Y), model) if type(model).__name__ == "HierarchicalSSVM" else task.Y


def _closed(Y: Any, model: Any) -> Any:
    """Y with all ancestors."""
    for _ in model.edges_:
        before = Y.sum()
        for parent, child in model.edges_:
            Y[:, parent] |= Y[:, child]
        if Y.sum() == before:
            break
    return Y


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table("label", "true", "predicted", "precision", "recall", "F1")
    for row in rows:
        figures = (f"{row[name]:.3f}" for name in ("precision", "recall", "f1"))
        table.add_row(str(row["label"]), str(row["n_true"]), str(row["n_predicted"]), *figures)
    for column in table.columns[1:]:
        column.justify = "right"
    return table
