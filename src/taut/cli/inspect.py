"""`taut inspect`: what a model is, what it learnt, what is proved about it, and what its training cost."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ..report import facts, strongest_pairs, strongest_weights
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
    record = {**facts(fitted), "weights": strongest_weights(fitted, top, label), "pairs": strongest_pairs(fitted, top)}
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
