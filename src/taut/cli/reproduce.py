"""`taut reproduce`: the paper's tables and figures, measured again, and the page about them."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ..datasets import data_folder
from .app import app

__all__ = ["Part", "reproduce"]


class Part(StrEnum):
    """What can be reproduced."""

    table1 = "table1"
    table2 = "table2"
    table3 = "table3"
    figures = "figures"
    all = "all"


@app.command()
def reproduce(
    part: Annotated[Part, typer.Argument(help="Which table, the figures, or all.", show_default=False)],
    data: Annotated[Path | None, typer.Option(help="The folder of real data; by default the one that TAUT_DATA names.")] = None,
    out: Annotated[Path, typer.Option(help="Where the page, the raw lines and the figures go.")] = Path("taut-reproduction"),
    quick: Annotated[bool, typer.Option("--quick", help="Small samples and few seeds: minutes instead of an hour.")] = False,
) -> None:
    """Measure the paper's tables and figures again and write a page about them.

    What is measured is kept at once, as JSON lines: a run that was ended goes on where it stood. The page is written from them.
    """
    from ..reproduce import PARTS, lines_of, measure, write_page  # the solvers, only when they are needed
    from ..reproduce.figures import draw

    folder = data or data_folder()
    if folder is None or not folder.is_dir():
        raise ValueError(
            f"`--data` must name the folder of data sets; found {'none' if folder is None else folder}. Pass it, or set TAUT_DATA."
        )
    parts = {part.value: ""}
    if part is Part.all:
        parts = dict.fromkeys(PARTS, "")
    elif part is Part.figures:
        parts = {"training": "", "theorems": "", "table3": "table3/rcv1-sets/"}
    console = Console(stderr=True)
    out.mkdir(parents=True, exist_ok=True)
    columns = TextColumn("{task.completed}/{task.total}"), BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}")
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=None)
        for cell in measure(parts, folder, out, quick, lambda cell, k, n: progress.update(task, total=n, description=cell.id)):
            progress.advance(task)
            if not console.is_terminal:
                console.print(cell.id, style="dim")
    lines = {name: lines_of(name, out) for name in PARTS}
    figures = draw(out, folder, lines, quick) if part in (Part.figures, Part.all) else []
    page = write_page(lines, out, quick)
    console.print(f"{page}; raw lines and {len(figures)} figures in {out / 'reproduction'}")
