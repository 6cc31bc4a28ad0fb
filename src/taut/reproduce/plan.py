"""Which cells a part has, and measuring those whose lines are not there yet."""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path

from .raw import Cell, Lines

__all__ = ["PARTS", "cells_of", "lines_of", "measure"]

#: Parts of the reproduction, each a module with `cells(folder, quick)` and a file of lines.
PARTS = ("table1", "table2", "table3", "training", "theorems")


def cells_of(part: str, data: Path, quick: bool) -> list[Cell]:
    """What is measured for a part."""
    name = {"training": "convergence"}.get(part, part)
    found: list[Cell] = import_module(f".{name}", __package__).cells(data, quick)
    return found


def lines_of(part: str, out: Path) -> Lines:
    """The file of a part."""
    return Lines(out / "reproduction" / f"{part}.jsonl")


def measure(
    parts: Mapping[str, str], data: Path, out: Path, quick: bool, told: Callable[[Cell, int, int], None]
) -> Iterator[Cell]:
    """Run the cells of parts that have no line yet and whose id starts as the part's entry says ("" takes all).

    `told` hears of each before it runs, its number and how many there are.
    """
    todo = [
        (cell, lines)
        for part, start in parts.items()
        for lines in [lines_of(part, out)]
        for cell in cells_of(part, data, quick)
        if cell.id.startswith(start) and cell.id not in lines
    ]
    for number, (cell, lines) in enumerate(todo):
        told(cell, number, len(todo))
        lines.run(cell)
        yield cell
