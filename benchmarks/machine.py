"""What a table must say of the machine that made it, and how times are compared on one that is shared."""

import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from taut.reproduce.raw import processor

RESULTS = Path(__file__).resolve().parent / "results"
MODULES = {"scikit-learn": "sklearn", "python-crfsuite": "pycrfsuite"}  # where they are not named as their packages


def describe(packages: tuple[str, ...] = ("numpy", "scipy", "numba", "taut")) -> dict[str, str]:
    """Processor, cores and versions; packages that are not installed are left out."""
    return {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
        **{package: version(package) for package in packages if find_spec(MODULES.get(package, package))},
    }


def alternate(
    calls: dict[str, Callable[[], object]], rounds: int = 7, before: Callable[[], object] = lambda: None
) -> dict[str, float]:
    """Median CPU seconds of each call, all asked in turn in every round: only ratios within one run mean something.

    `before` is called ahead of each, outside the timer.
    """
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():  # compilation and caches are not measured
        call()
    for _ in range(rounds):
        for name, call in calls.items():
            before()
            start = time.process_time()
            call()
            seconds[name].append(time.process_time() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}


def keep(name: str, rows: list[dict[str, object]]) -> Path:
    """Write a raw table as JSON lines, the machine first."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.jsonl"
    with path.open("w") as file:
        for row in [{"machine": describe()}, *rows]:
            file.write(json.dumps(row) + "\n")
    return path
