"""The package as it is installed: version, entry point, public names, hints, and the time that importing it takes."""

import importlib
import importlib.metadata
import inspect
import subprocess
import sys

import pytest

import taut

PUBLIC = [
    "taut",
    "taut.datasets",
    "taut.estimators",
    "taut.features",
    "taut.losses",
    "taut.metrics",
    "taut.oracles",
    "taut.plane",
    "taut.plotting",
    "taut.report",
    "taut.search",
    "taut.solvers",
    "taut.structures",
]


def public_objects() -> list[tuple[str, object]]:
    modules = [importlib.import_module(name) for name in PUBLIC]
    return [(f"{module.__name__}.{name}", getattr(module, name)) for module in modules for name in module.__all__]


def functions_of(name: str, thing: object) -> list[tuple[str, object]]:
    """A function itself, or the public functions that a class of ours defines."""
    if inspect.isfunction(thing):
        return [(name, thing)]
    if not inspect.isclass(thing):
        return []
    members = {key: getattr(value, "__func__", value) for key, value in vars(thing).items()}
    own = {key: value for key, value in members.items() if inspect.isfunction(value)}
    written = {key: value for key, value in own.items() if value.__module__.startswith("taut")}
    return [(f"{name}.{key}", value) for key, value in written.items() if not key.startswith("_")]


FUNCTIONS = [pair for thing in public_objects() for pair in functions_of(*thing)]


def test_versions_agree() -> None:
    assert importlib.metadata.version("taut") == taut.__version__, "installed from another version: run make again"


def test_the_command_is_installed() -> None:
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="taut")
    assert script.value == "taut.cli:main"


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_are_sorted_and_exist(module: str) -> None:
    names = importlib.import_module(module).__all__
    assert len(set(names)) == len(names)
    assert sorted(names, key=lambda name: (not name.isupper(), name)) == list(names)


@pytest.mark.parametrize(("name", "thing"), public_objects(), ids=lambda value: value if isinstance(value, str) else "")
def test_public_names_are_documented(name: str, thing: object) -> None:
    if inspect.isfunction(thing) or inspect.isclass(thing):
        assert (thing.__doc__ or "").strip(), f"{name} has no docstring"


@pytest.mark.parametrize(("name", "function"), FUNCTIONS, ids=[name for name, _ in FUNCTIONS])
def test_public_functions_are_hinted(name: str, function: object) -> None:
    signature = inspect.signature(function)
    bare = [p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name not in ("self", "cls")]
    assert not bare, f"{name} leaves {', '.join(bare)} without a type hint"
    assert signature.return_annotation is not signature.empty, f"{name} does not say what it returns"


IMPORT_SECONDS = """
import time
import numpy, scipy, numba
import numba.extending, numba.core.event
start = time.perf_counter()
import taut, taut.plane, taut.oracles, taut.search
print(time.perf_counter() - start)
"""

SEARCH_SECONDS = """
import time
from taut.oracles import Points
from taut.search import angular_search, lens_search
points = Points([2.0, 1.0, 0.5], [0.5, 1.5, 2.0])
start = time.perf_counter()
lens_search(points), angular_search(points)
print(time.perf_counter() - start)
"""


def least_seconds(code: str, runs: int = 3) -> float:
    """Of several fresh processes, the first of which may still compile."""
    command = [sys.executable, "-c", code]
    return min(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(runs))


def test_importing_takes_little_beyond_numpy_scipy_and_numba() -> None:
    # The promise is 0.3 s on an idle machine; a busy one gets three times that.
    assert least_seconds(IMPORT_SECONDS) < 0.9


def test_a_second_process_loads_its_kernels_from_disk() -> None:
    # Compiling these searches takes several seconds, loading them some tens of milliseconds.
    assert least_seconds(SEARCH_SECONDS) < 1.0
