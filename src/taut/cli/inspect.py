"""`taut inspect`: what a model is, what it learnt, what is proved about it, and what its training cost."""

from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from ..report import facts
from .app import AsJson, app, print_fact, print_json
from .predict import ModelFile

__all__ = ["inspect"]


@app.command()
def inspect(
    model: ModelFile,
    top: Annotated[int, typer.Option(min=0, help="How many weights to show, the strongest.")] = 10,
    label: Annotated[str | None, typer.Option(help="Show the weights of this label alone.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print a model: its structure, its strongest weights, its certificate, and what the training cost."""
    from ..estimators import load

    fitted = load(model)
    record = {**facts(fitted), "weights": strongest(fitted, top, label), "pairs": strongest_pairs(fitted, top)}
    if as_json:
        print_json(record)
        return
    console = Console(highlight=False)
    for name, value in record.items():
        if name not in ("weights", "pairs"):
            print_fact(name, value)
    for title, columns in (("weights", ("label", "feature", "weight")), ("pairs", ("first", "second", "weight"))):
        if record[title]:
            table = Table(*columns, title=f"strongest {title}", title_justify="left")
            for row in record[title]:
                table.add_row(*(str(row[column]) for column in columns[:2]), f"{row['weight']:.4g}")
            console.print(table)


def strongest(model: Any, top: int, label: str | None) -> list[dict[str, Any]]:
    """The weights of features that are greatest in size."""
    names, features = model.classes_.tolist(), getattr(model, "feature_names_in_", None)
    rows = list(range(len(names)))
    if label is not None:
        rows = [j for j, name in enumerate(names) if str(name) == label]
        if not rows:
            raise ValueError(f"`--label` must be a label of the model; found {label!r}. `taut inspect MODEL --json` lists some.")
    coef = model.coef_[rows]
    return [
        {"label": names[rows[j]], "feature": int(k) if features is None else features[k], "weight": float(coef[j, k])}
        for j, k in _greatest(coef, top)
    ]


def strongest_pairs(model: Any, top: int) -> list[dict[str, Any]]:
    """The weights of pairs of labels, previous and next in sequences, that are greatest in size."""
    if model.pairwise_ is None:
        return []
    names = model.classes_.tolist()
    pairs = model.edges_.tolist() if model.pairwise_.ndim == 1 else list(np.ndindex(model.pairwise_.shape))
    weights = model.pairwise_.ravel()
    ends = [(pairs[e], float(weights[e])) for (e,) in _greatest(weights, top)]
    return [{"first": names[a], "second": names[b], "weight": weight} for (a, b), weight in ends]


def _greatest(weights: Any, top: int) -> list[tuple[int, ...]]:
    """Places of the entries of greatest size, none that are zero."""
    size = np.abs(weights).ravel()
    order = np.argsort(-size, kind="stable")[:top]
    places = np.unravel_index(order[size[order] > 0], weights.shape)
    return [tuple(int(k) for k in place) for place in zip(*places, strict=True)]
