"""`taut demo`: slack, margin and one-vs-rest on handwritten digits, trained and judged for several losses."""

import os
import sys
import time
import warnings
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from .. import metrics
from ..report import write_page
from .app import AsJson, app, print_json
from .search_demo import search_demo

if TYPE_CHECKING:
    from .digits import Task

__all__ = ["Trained", "compare", "demo"]

COSTS = (0.0001, 0.001, 0.01, 0.1, 1.0)  # values of C to choose from


@app.command()
def demo(
    examples: Annotated[int, typer.Option(min=40, help="Number of training examples per task.")] = 600,
    seed: Annotated[int, typer.Option(min=0, help="Seed of what is drawn.")] = 36,
    report: Annotated[Path, typer.Option(help="A folder for the report: index.html, and a page about each model.")] = Path(
        "taut-demo"
    ),
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not show the report in a browser.")] = False,
    search: Annotated[bool, typer.Option("--search", help="Show two searches on a random set instead, step by step.")] = False,
    labels: Annotated[int, typer.Option(min=1, help="With --search: number of random labels.")] = 24,
    lam: Annotated[float, typer.Option(help="With --search: multiplier lambda > 0 of the first question.")] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Train on handwritten digits, three ways, and compare; about a minute, and no network.

    Strings of digits are chains, digits laid over each other are label sets, and with their groups they are a hierarchy. Each is
    learnt with slack rescaling, with margin rescaling and by one-vs-rest. The table is printed, and written with pages about the
    models into a folder, which opens in a browser where there is a screen.
    """
    if search:
        search_demo(labels, seed, lam, as_json)
        return
    from .demo_page import write_report
    from .digits import tasks

    report.mkdir(parents=True, exist_ok=True)
    made = list(tasks(examples, seed))
    trained = list(compare(made, report, None if as_json else Console(stderr=True)))
    page = write_report(report, made, trained).resolve()
    if as_json:
        print_json([one.record for one in trained])
        return
    console = Console()
    for task in made:
        console.print(_table(task.name, [one.record for one in trained if one.record["task"] == task.name]))
    console.print(
        "Errors in percent, on images that no training saw: of single labels (Hamming), 1 - F1 of sets, and of whole examples. "
        "C is chosen on a third part of the images, for the loss trained for. The gap, in percent, is proved: the objective is at "
        "most so far above its minimum; `exact` is the share of exact answers in the proof. Seconds are those of training with "
        "every C.\n"
    )
    console.print(f"The report, with pictures and a page about each model: {page}", soft_wrap=True)
    if not no_open and _has_screen():
        webbrowser.open(page.as_uri())


def _has_screen() -> bool:
    """Whether somebody is watching: a terminal, on a machine with a display."""
    display = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(display) and sys.stdout.isatty()


class Trained(NamedTuple):
    """A model's record, what it found on the test images, and the page about it."""

    record: dict[str, Any]
    found: Any
    page: str | None


def compare(tasks: "list[Task]", folder: Path, console: Console | None = None) -> Iterator[Trained]:
    """What was trained, with pages in the folder."""
    for task in tasks:
        yield _one_vs_rest(task)
        for loss in task.losses:
            for rescaling in ("margin", "slack"):
                if console is not None:
                    console.print(f"{task.name}: {rescaling}, trained for {loss}", style="dim")
                yield _structured(task, loss, rescaling, folder)


def _structured(task: "Task", loss: str, rescaling: str, folder: Path) -> Trained:
    def fitted(C: float, n: int | None = None) -> Any:
        model = task.estimator(C=C, loss=loss, rescaling=rescaling, tol=0.01, max_iter=100)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a gap that is not small yet is told in the table
            model.fit(task.train.X[:n], task.train.Y[:n])
        if model.status_ == "interrupted":
            raise KeyboardInterrupt
        return model

    fitted(COSTS[0], 8)  # compiled before it is timed
    start = time.perf_counter()
    C, model = _best(task, {C: fitted(C) for C in COSTS}, loss)
    seconds, found = time.perf_counter() - start, model.predict(task.test.X)
    title = f"{task.name}, {rescaling} rescaling, {loss}"
    page = f"{title.replace(',', '').replace(' ', '-')}.html"
    write_page(folder / page, model, title, {"test images": (task.test.Y, found)})
    proof = {"gap": model.duality_gap_ / model.primal_objective_, "certified": model.history_[-1].certified}
    return Trained(_record(task, rescaling, loss, C, seconds, found) | proof, found, page)


def _one_vs_rest(task: "Task") -> Trained:
    start = time.perf_counter()
    C, model = _best(task, {C: _Separate(task, C) for C in COSTS}, "hamming")
    seconds, found = time.perf_counter() - start, model.predict(task.test.X)
    proof = {"gap": None, "certified": None}
    return Trained(_record(task, "one-vs-rest", None, C, seconds, found) | proof, found, None)


def _best(task: "Task", models: dict[float, Any], loss: str) -> tuple[float, Any]:
    """The C, and its model, of least loss on the images for choosing."""
    return min(models.items(), key=lambda item: _errors(task.valid.Y, item[1].predict(task.valid.X))[loss])


class _Separate:
    """A LinearSVC per label, or per position, that knows of no other; ancestors of what is found are added."""

    def __init__(self, task: "Task", C: float) -> None:
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


def _record(task: "Task", method: str, loss: str | None, C: float, seconds: float, found: Any) -> dict[str, Any]:
    errors = _errors(task.test.Y, found)
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
