"""`taut predict`: labels for the examples of a file."""

import warnings
from typing import Annotated, Any

import numpy as np
import typer

from .app import AsJson, app, print_json
from .files import DataFile, FoldOption, FormatOption, LabelsOption, read_again
from .formats import Format, Reading, Task

__all__ = ["ModelFile", "names", "predict", "predicted"]

ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="A model that `taut fit` or `model.save` wrote.")]


@app.command()
def predict(
    model: ModelFile,
    data: DataFile = "-",
    form: FormatOption = Format.auto,
    labels: LabelsOption = None,
    fold: FoldOption = None,
    as_json: AsJson = False,
) -> None:
    """Predict the labels of a file, and print them in its order.

    Sets are a line each, names apart by commas, classes a line each; sequences a line per position, with an empty line after
    each, and for CoNLL files the columns before the label. With --json a list per line.
    """
    from ..estimators import load

    fitted = load(model)
    task = read_again(fitted, data, Reading(form, labels, folds=fold))
    for i, found in enumerate(names(fitted, predicted(fitted, task.X))):
        if as_json:
            print_json(found, indent=None)
        elif task.kind in ("sets", "hierarchy"):
            print(",".join(map(str, found)))
        else:
            print("\n".join(_positions(task, i, found)) + "\n")


def predicted(model: Any, X: Any) -> Any:
    """The model's predictions; names of features have been compared already, which scikit-learn cannot know."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        return model.predict(X)


def names(model: Any, found: Any) -> list[list[Any]]:
    """Each prediction as a list of labels."""
    if isinstance(found, np.ndarray):
        return [[y] for y in found.tolist()] if found.ndim == 1 else [model.classes_[y > 0].tolist() for y in found]
    return [sorted(y) if isinstance(y, set) else y.tolist() for y in found]


def _positions(task: Task, i: int, found: list[Any]) -> list[str]:
    if task.tokens is None:
        return [str(label) for label in found]
    return [" ".join((*token, label)) for token, label in zip(task.tokens[i], found, strict=True)]
