"""Raw results as JSON lines: one per finished cell, found again when the command runs anew."""

import json
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.exceptions import ConvergenceWarning

from benchmarks.machine import describe

FOLDER = Path(__file__).parent / "lines"
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "taut", "python-crfsuite")


class Cell(NamedTuple):
    """What names a result, and the call that computes it."""

    key: dict[str, Any]
    run: Callable[[], dict[str, Any]]


class Lines:
    """The lines of one file. A line `machine` says where and with what the lines after it were computed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        read = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        machines = [line["machine"] for line in read if "machine" in line]
        self.machine = machines[-1] if machines else None
        self.rows = [line for line in read if "machine" not in line]

    def find(self, **key: Any) -> dict[str, Any] | None:
        """The line with these entries."""
        return next(iter(self.all(**key)), None)

    def all(self, **key: Any) -> Iterator[dict[str, Any]]:
        """All lines with these entries."""
        return (row for row in self.rows if all(row.get(name) == value for name, value in key.items()))

    def add(self, row: dict[str, Any]) -> None:
        """Append a line, after one that describes the machine if that is another than before."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        machine = describe(PACKAGES)
        with self.path.open("a") as file:
            if machine != self.machine:
                file.write(json.dumps({"machine": machine}) + "\n")
                self.machine = machine
            file.write(json.dumps(row) + "\n")
        self.rows.append(row)


def compute(cells: Iterable[Cell], lines: Lines, tell: Callable[[str], None]) -> None:
    """Run the cells that have no line yet. What does not converge says so in its line."""
    for cell in cells:
        if lines.find(**cell.key) is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                row = {**cell.key, **cell.run()}
            lines.add(row)
            tell(json.dumps(row))
