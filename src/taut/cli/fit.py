"""`taut fit`: from a data file to a model, its history and what is proved about it."""

import json
import math
import sys
import warnings
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TextIO

import numpy as np
import typer

from ..report import facts, write_page
from .app import AsJson, app, print_fact, print_json
from .files import DATA, DataFile, FoldOption, FormatOption, LabelsOption, read_again, read_first
from .formats import Format, Missing, Reading, Task
from .predict import predicted
from .score import truth

__all__ = ["fit"]


class Kind(StrEnum):
    """What is predicted."""

    auto = "auto"
    classes = "classes"
    sets = "sets"
    hierarchy = "hierarchy"
    chain = "chain"
    tree = "tree"


_MODEL: dict[str, Any] = {"rich_help_panel": "Model"}
_TRAINING: dict[str, Any] = {"rich_help_panel": "Training"}
_OUTPUT: dict[str, Any] = {"rich_help_panel": "Output"}


@app.command()
def fit(
    data: DataFile,
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Where to write the model.")],
    form: FormatOption = Format.auto,
    labels: LabelsOption = None,
    missing: Annotated[Missing, typer.Option(help="ARFF: what becomes of missing values.", **DATA)] = Missing.error,
    fold: FoldOption = None,
    zero_based: Annotated[bool, typer.Option("--zero-based", help="svmlight: features count from 0.", **DATA)] = False,
    hash_bits: Annotated[int, typer.Option(min=4, max=26, help="Texts are hashed to 2 to the power of this columns.", **DATA)] = 18,
    vocabulary: Annotated[bool, typer.Option("--vocabulary", help="Texts get a column each, with its name.", **DATA)] = False,
    kind: Annotated[Kind, typer.Option(help="What is predicted; auto goes by the data.", **_MODEL)] = Kind.auto,
    C: Annotated[float, typer.Option("--C", "-C", help="How loud the data speak against the regulariser.", **_MODEL)] = 1.0,
    cv: Annotated[int | None, typer.Option(min=2, help="Choose C by cross-validation on so many folds.", **_MODEL)] = None,
    loss: Annotated[str, typer.Option(help="hamming, zero-one, f1 or jaccard.", **_MODEL)] = "hamming",
    rescaling: Annotated[str, typer.Option(help="slack or margin.", **_MODEL)] = "slack",
    edges: Annotated[str, typer.Option(help="Sets: weights for pairs of labels, none, tree or full.", **_MODEL)] = "none",
    transitions: Annotated[str | None, typer.Option(help="Chains: bio keeps to chunks of B-, I- and O.", **_MODEL)] = None,
    balanced: Annotated[bool, typer.Option("--balanced", help="Weigh rare labels more.", **_MODEL)] = False,
    solver: Annotated[str, typer.Option(help="bcfw, sgd, sdca or cutting-plane.", **_TRAINING)] = "bcfw",
    tol: Annotated[float, typer.Option(help="Stop at a gap of this share of the objective.", **_TRAINING)] = 1e-3,
    max_iter: Annotated[int, typer.Option(help="Greatest number of passes.", **_TRAINING)] = 1000,
    max_time: Annotated[float | None, typer.Option(help="Greatest number of seconds.", **_TRAINING)] = None,
    jobs: Annotated[int, typer.Option(help="Threads; -1 for all cores. The model is the same.", **_TRAINING)] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Order of the examples.", **_TRAINING)] = 0,
    checkpoint: Annotated[Path | None, typer.Option(help="A file that keeps the run, to go on from.", **_TRAINING)] = None,
    history: Annotated[Path | None, typer.Option(help="Where measurements go, as JSON lines, while it runs.", **_OUTPUT)] = None,
    report: Annotated[Path | None, typer.Option(help="Where to write a page about the model, as HTML.", **_OUTPUT)] = None,
    test: Annotated[str | None, typer.Option(help="A data file to score the model on, for the page.", **_OUTPUT)] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.", **_OUTPUT)] = False,
    as_json: AsJson = False,
) -> None:
    """Train a model on a file.

    For instance `taut fit yeast-train.arff yeast.taut --labels yeast.xml --loss f1 --edges tree --cv 3`. Progress goes to the error
    stream, what is proved about the model to the output. Ctrl-C ends the training, and keeps what it has.
    """
    history, report = history or model.with_suffix(".history.jsonl"), report or model.with_suffix(".html")
    _check_apart(Path(data), model, history, report)
    how = Reading(form, labels, missing, fold, False, zero_based, hash_bits, vocabulary)
    task = read_first(data, how)
    chosen = _kind(task) if kind is Kind.auto else kind
    options = {
        "C": C, "loss": loss, "rescaling": rescaling, "solver": solver, "tol": tol, "max_iter": max_iter, "max_time": max_time,
        "n_jobs": jobs, "random_state": seed, "class_weight": "balanced" if balanced else None, "checkpoint": checkpoint,
        "verbose": int(not quiet),
    }  # fmt: skip
    estimator = _estimator(chosen, task, edges, transitions, options)
    if cv is not None:
        estimator.set_params(C=_chosen(estimator, task, chosen, cv))
    with history.open("w") as lines:
        estimator.set_params(callbacks=[lambda _, measure: _write(lines, measure)])
        _fit(estimator, task, chosen)
    estimator.save(model)
    pairs = {"training data": (truth(estimator, task, data), predicted(estimator, task.X))}
    if test:
        other = read_again(estimator, test, replace(how, others=fold is not None))
        pairs["test data"] = (truth(estimator, other, test), predicted(estimator, other.X))
    write_page(report, estimator, model.stem, pairs)
    record = {"model": str(model), **facts(estimator)}
    if as_json:
        print_json(record)
    else:
        for name, value in record.items():
            print_fact(name, value)


def _check_apart(*files: Path) -> None:
    """That nothing is written over what was read or written."""
    for k, file in enumerate(files):
        if file.resolve() in [other.resolve() for other in files[:k]]:
            raise ValueError(f"expected different files for data, model, history and report; found {file} twice. Rename the model.")


def _kind(task: Task) -> Kind:
    """One label everywhere makes classes of sets."""
    one_each = task.kind == "sets" and bool((task.Y.sum(axis=1) == 1).all())
    return Kind.classes if one_each else Kind(task.kind)


def _estimator(kind: Kind, task: Task, edges: str, transitions: str | None, options: dict[str, Any]) -> Any:
    from ..estimators import ChainSSVM, HierarchicalSSVM, MulticlassSSVM, MultiLabelSSVM, TreeSSVM

    rows = ("chain", "tree")  # a label per row
    if ((kind in rows or task.kind in rows) and kind != task.kind) or (kind is Kind.hierarchy and task.hierarchy is None):
        raise ValueError(f"`--kind {kind}` does not go with this file, which holds {task.kind}; leave it out.")
    if edges != "none" and kind is not Kind.sets:
        raise ValueError(f"`--edges {edges}` is for label sets; this is {kind}. Leave it out.")
    if transitions is not None and kind is not Kind.chain:
        raise ValueError(f"`--transitions {transitions}` is for chains; this is {kind}. Leave it out.")
    if kind is Kind.chain:
        return ChainSSVM(transitions=transitions, **options)
    if kind is Kind.sets:
        return MultiLabelSSVM(edges=edges, **options)
    if kind is Kind.hierarchy:
        return HierarchicalSSVM(hierarchy=task.hierarchy, **options)
    return (MulticlassSSVM if kind is Kind.classes else TreeSSVM)(**options)


def _fit(estimator: Any, task: Task, kind: Kind) -> None:
    """Fit, and put the names of labels and features, which files have and arrays have not, into the model."""
    from sklearn.exceptions import ConvergenceWarning

    Y = _single(task) if kind is Kind.classes else task.Y
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        estimator.fit(task.X, Y)
    for warning in caught:
        print(f"taut: {warning.message}", file=sys.stderr)
    if task.label_names is not None and kind is not Kind.classes:
        estimator.classes_ = np.asarray(task.label_names)
    if task.feature_names is not None:
        estimator.feature_names_in_ = np.asarray(task.feature_names, dtype=object)
    estimator.source_ = task.source


def _chosen(estimator: Any, task: Task, kind: Kind, n_folds: int) -> float:
    """The C that is best on held-out folds at the loss trained for."""
    from sklearn.base import clone
    from sklearn.exceptions import ConvergenceWarning

    from ..estimators import PathCV

    sets = kind in (Kind.sets, Kind.hierarchy)
    scoring = {"f1": "example-f1", "jaccard": "jaccard", "hamming": "hamming"}.get(estimator.loss) if sets else None
    scoring = "sequence-error" if kind in (Kind.chain, Kind.tree) and estimator.loss == "zero-one" else scoring
    silent = clone(estimator).set_params(verbose=0, checkpoint=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the last fit has its own
        search = PathCV(silent, cv=n_folds, scoring=scoring).fit(task.X, _single(task) if kind is Kind.classes else task.Y)
    return float(search.best_estimator_.C)


def _single(task: Task) -> Any:
    """The one label of each example."""
    counts = task.Y.sum(axis=1)
    if (counts != 1).any():
        i = int(np.argmax(counts != 1))
        raise ValueError(f"`--kind classes` needs one label per example; example {i} has {counts[i]}. Train on sets.")
    return np.asarray(task.label_names)[task.Y.argmax(axis=1)]


def _write(lines: TextIO, measure: Any) -> None:
    record = asdict(measure) | {"gap": measure.gap}
    finite = {key: value if math.isfinite(value) else None for key, value in record.items()}
    print(json.dumps(finite), file=lines, flush=True)
