"""Raw results: JSON lines that say what was measured, with what, and where; a cell whose line is there is not run again."""

import json
import math
import os
import platform
import time
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Cell", "Lines", "Mean", "machine", "mean_of", "processor"]


class Cell(NamedTuple):
    """One thing to measure. The id states everything that its result depends on but the machine."""

    id: str
    run: Callable[[], dict[str, Any]]


class Mean(NamedTuple):
    """A mean over lines, its standard error (NaN for a single line) and how many lines there are."""

    mean: float
    error: float
    n: int

    def show(self, places: int) -> str:
        """As tables have it: `0.512 ± 0.003`, and a dash where no line is there."""
        if self.n == 0:
            return "-"
        error = "" if math.isnan(self.error) else f" ± {self.error:.{places}f}"
        return f"{self.mean:.{places}f}{error}"


class Lines:
    """The lines of one part, read from its file and appended to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: dict[str, dict[str, Any]] = {}
        if path.exists():
            for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                self._keep(text, number)

    def _keep(self, text: str, number: int) -> None:
        try:
            line = json.loads(text)
            self._lines[line["id"]] = line
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{self.path}, line {number}: expected a JSON object with an `id`; found {text[:60]!r} ({error}). Delete the line: "
                "its cell is then run again."
            ) from None

    def __contains__(self, name: str) -> bool:
        return name in self._lines

    def __getitem__(self, name: str) -> dict[str, Any]:
        return self._lines[name]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._lines.values())

    def __len__(self) -> int:
        return len(self._lines)

    def run(self, cell: Cell) -> None:
        """Measure a cell and keep its line."""
        start = time.process_time()
        values = cell.run()
        line = {"id": cell.id, **values, "made": {**machine(), "cpu_seconds": time.process_time() - start}}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(_rounded(line)) + "\n")
        self._lines[cell.id] = _rounded(line)

    def like(self, pattern: str) -> list[dict[str, Any]]:
        """The lines whose id matches a pattern with stars, in the order of their ids."""
        return [self._lines[name] for name in sorted(self._lines) if fnmatchcase(name, pattern)]

    def mean(self, pattern: str, *keys: str) -> Mean:
        """The mean over the matching lines of the number under nested keys; lines that lack it or hold null do not count."""
        values = [value for line in self.like(pattern) if (value := _under(line, keys)) is not None]
        return mean_of(values)


def mean_of(values: list[float]) -> Mean:
    """Mean and standard error."""
    if not values:
        return Mean(math.nan, math.nan, 0)
    error = float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan
    return Mean(float(np.mean(values)), error, len(values))


def machine() -> dict[str, Any]:
    """Processor, cores, how busy they are, and versions: what a number must be read with."""
    versions = {name: version(name) for name in ("taut", "numpy", "scipy", "numba")}
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    return {"processor": processor(), "cores": os.cpu_count(), "load": load, "python": platform.python_version(), **versions}


def processor() -> str:
    """What the processor calls itself."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _under(line: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        line = line.get(key) if isinstance(line, dict) else None
    return line


def _rounded(value: Any) -> Any:
    """Numbers to seven digits, so that a file stays readable; what is not finite is null."""
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_rounded(one) for one in value]
    if isinstance(value, (np.bool_, bool)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(f"{float(value):.7g}") if math.isfinite(value) else None
    return value
