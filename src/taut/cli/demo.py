"""`taut demo`: slack, margin and one-vs-rest on handwritten digits, trained and judged for several losses."""

import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from .. import metrics
from ..report import write_page
from .app import AsJson, app, print_json
from .search_demo import search_demo

__all__ = ["compare", "demo"]

COSTS = (0.0001, 0.001, 0.01, 0.1, 1.0)  # values of C to choose from


@app.command()
def demo(
    examples: Annotated[int, typer.Option(min=40, help="Number of training examples per task.")] = 600,
    seed: Annotated[int, typer.Option(min=0, help="Seed of what is drawn.")] = 36,
    report: Annotated[Path | None, typer.Option(help="A folder to write a page about each model into, as HTML.")] = None,
    search: Annotated[bool, typer.Option("--search", help="Show two searches on a random set instead, step by step.")] = False,
    labels: Annotated[int, typer.Option(min=1, help="With --search: number of random labels.")] = 24,
    lam: Annotated[float, typer.Option(help="With --search: multiplier lambda > 0 of the first question.")] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Train on handwritten digits, three ways, and compare; about a minute, and no network.

    Strings of digits are chains, digits laid over each other are label sets, and with their groups they are a hierarchy. Each is
    learnt with slack rescaling, with margin rescaling and by one-vs-rest.
    """
    if search:
        search_demo(labels, seed, lam, as_json)
        return
    rows = list(compare(examples, seed, None if as_json else Console(stderr=True), report))
    if as_json:
        print_json(rows)
        return
    console = Console()
    for name in dict.fromkeys(row["task"] for row in rows):
        console.print(_table(name, [row for row in rows if row["task"] == name]))
    console.print(
        "Errors in percent, on images that no training saw: of single labels (Hamming), 1 - F1 of sets, and of whole examples. "
        "C is chosen on a third part of the images, for the loss trained for. The gap, in percent, is proved: the objective is at "
        "most so far above its minimum; `exact` is the share of exact answers in the proof. Seconds are those of training with "
        "every C."
    )


def compare(
    examples: int, seed: int, console: Console | None = None, report: Path | None = None
) -> Iterator[dict[str, Any]]:
    """One record per trained model; with a page each in the folder `report`."""
    from .digits import tasks

    for task in tasks(examples, seed):
        yield _one_vs_rest(task)
        for loss in task.losses:
            for rescaling in ("margin", "slack"):
                if console is not None:
                    console.print(f"{task.name}: {rescaling}, trained for {loss}", style="dim")
                yield _structured(task, loss, rescaling, report)


def _structured(task: Any, loss: str, rescaling: str, report: Path | None) -> dict[str, Any]:
    def fitted(C: float, n: int | None = None) -> Any:
        model = task.estimator(C=C, loss=loss, rescaling=rescaling, tol=0.01, max_iter=100)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a gap that is not small yet is told in the table
            return model.fit(task.train.X[:n], task.train.Y[:n])

    fitted(COSTS[0], 8)  # compiled before it is timed
    start = time.perf_counter()
    C, model = _best(task, {C: fitted(C) for C in COSTS}, loss)
    record = _record(task, rescaling, loss, C, time.perf_counter() - start, model)
    if report is not None:
        report.mkdir(parents=True, exist_ok=True)
        title = f"{task.name}, {rescaling} rescaling, {loss}"
        judged = {"test images": (task.test.Y, model.predict(task.test.X))}
        write_page(report / f"{title.replace(',', '').replace(' ', '-')}.html", model, title, judged)
    return record | {"gap": model.duality_gap_ / model.primal_objective_, "certified": model.history_[-1].certified}


def _one_vs_rest(task: Any) -> dict[str, Any]:
    start = time.perf_counter()
    C, model = _best(task, {C: _Separate(task, C) for C in COSTS}, "hamming")
    return _record(task, "one-vs-rest", None, C, time.perf_counter() - start, model) | {"gap": None, "certified": None}


def _best(task: Any, models: dict[float, Any], loss: str) -> tuple[float, Any]:
    """The C, and its model, of least loss on the images for choosing."""
    return min(models.items(), key=lambda item: _errors(task.valid.Y, item[1].predict(task.valid.X))[loss])


class _Separate:
    """A LinearSVC per label, or per position, that knows of no other; ancestors of what is found are added."""

    def __init__(self, task: Any, C: float) -> None:
        from sklearn.multiclass import OneVsRestClassifier
        from sklearn.svm import LinearSVC

        self.chain = isinstance(task.train.X, list)
        rows, Y = (np.concatenate(part) if self.chain else part for part in (task.train.X, task.train.Y))
        self.model = OneVsRestClassifier(LinearSVC(C=C, loss="hinge", random_state=0, max_iter=20000)).fit(rows, Y)

    def predict(self, X: Any) -> Any:
        if self.chain:
            return [self.model.predict(x) for x in X]
        from .digits import GROUPS

        Y = np.asarray(self.model.predict(X))
        for node, below in enumerate(GROUPS.values(), start=10):
            if Y.shape[1] > 10:
                Y[:, node] |= Y[:, below].max(axis=1)
        return Y


def _record(task: Any, method: str, loss: str | None, C: float, seconds: float, model: Any) -> dict[str, Any]:
    errors = _errors(task.test.Y, model.predict(task.test.X))
    return {"task": task.name, "method": method, "loss": loss, "C": C, "seconds": seconds, "errors": errors}


def _errors(Y: Any, found: Any) -> dict[str, Any]:
    """What is wrong: positions or labels, 1 - F1, whole examples."""
    if isinstance(found, list):
        return {"hamming": metrics.position_error(Y, found), "f1": None, "whole": metrics.sequence_error(Y, found)}
    return {
        "hamming": metrics.hamming_loss(Y, found),
        "f1": 1 - metrics.example_f1(Y, found),
        "whole": 1 - metrics.exact_match(Y, found),
    }


def _table(name: str, rows: list[dict[str, Any]]) -> Table:
    titles = ("method", "for", "C", "Hamming", "1 - F1", "whole", "gap", "exact", "s")
    table = Table(*titles, title=name, title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0))
    for column in table.columns[2:]:
        column.justify = "right"
    for row in rows:
        shares = (*row["errors"].values(), row["gap"], row["certified"])
        pairs = zip(shares, (1, 1, 1, 2, 0), strict=True)
        shown = ["" if value is None else f"{100 * value:.{places}f}" for value, places in pairs]
        table.add_row(row["method"], row["loss"], f"{row['C']:g}", *shown, f"{row['seconds']:.1f}")
    return table
