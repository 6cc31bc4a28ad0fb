"""The layers of docs/decisions/0005-layers.md: imports go downward, and what is optional or heavy is imported late."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import taut

PACKAGE = Path(taut.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

LAYERS = [
    "container plane",
    "losses",
    "kernels",
    "oracles",
    "search",
    "structures",
    "features",
    "solvers",
    "estimators metrics",
    "datasets persistence",
    "plotting report torch scale",
    "reproduce",
    "cli",
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer.split()}
TOP = len(LAYERS) - 1

# What a module may import of other distributions, outside the functions that load an extra when it is needed.
ANYWHERE = {"numpy", "scipy", "numba", "llvmlite"}
ALLOWED = {"cli": {"typer", "rich"}, "estimators": {"sklearn"}}
EXTRAS = {"matplotlib": "plotting", "highspy": "oracles", "torch": "torch", "ray": "scale"}


def room(path: Path) -> str:
    """The part of the package that a file belongs to; "" for the package's own `__init__`."""
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "" if first == "__init__" else first


def imports(path: Path, nodes: Iterator[ast.AST]) -> Iterator[str]:
    """Absolute dotted names of what the nodes import."""
    package = ("taut", *path.relative_to(PACKAGE).parent.parts)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            base += node.module.split(".") if node.module else []
            # `from taut import plane` names a module, `from taut.plane import Cone` does not
            yield from (f"taut.{alias.name}" for alias in node.names) if base == ["taut"] else [".".join(base)]


def when_imported(tree: ast.Module) -> Iterator[ast.AST]:
    """The statements that run when the module is imported: not those in functions or under TYPE_CHECKING."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        todo.extend(ast.iter_child_nodes(node))


def problems(path: Path, source: str) -> list[str]:
    here, tree, found = room(path), ast.parse(source), []
    rank = TOP + 1 if here == "" else RANK.get(here, -1)
    if rank < 0:
        found.append(f"`{here}` has no place in the layers")
    for name in imports(path, ast.walk(tree)):
        top, *rest = name.split(".")
        if top == "taut":
            target = rest[0] if rest else ""
            known = RANK.get(target, TOP)  # a name of the package itself is as high as the top layer
            if target != here and known > rank:
                found.append(f"imports {name}, which is above `{here}`")
        elif top in EXTRAS and here != EXTRAS[top]:
            found.append(f"imports {top}, which belongs to `{EXTRAS[top]}` alone")
    for name in imports(path, when_imported(tree)):
        top = name.split(".")[0]
        if top not in {"taut", *sys.stdlib_module_names, *ANYWHERE, *ALLOWED.get(here, ())}:
            found.append(f"imports {top} when it is imported")
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_downward(path: Path) -> None:
    assert not problems(path, path.read_text())


@pytest.mark.parametrize(
    ("module", "line", "complaint"),
    [
        ("plane.py", "from .search import lens_search", "above"),
        ("plane.py", "import taut.oracles.points", "above"),
        ("oracles/points.py", "from ..search import lens", "above"),
        ("oracles/points.py", "from .. import search", "above"),
        ("oracles/points.py", "def f():\n    from taut.cli import app", "above"),
        ("search/lens.py", "from taut import SearchResult", "above"),
        ("search/lens.py", "import sklearn", "when it is imported"),
        ("plotting.py", "import matplotlib.pyplot", "when it is imported"),
        ("search/lens.py", "def f():\n    import matplotlib", "alone"),
        ("utils.py", "", "no place"),
    ],
)
def test_a_wrong_import_is_seen(module: str, line: str, complaint: str) -> None:
    assert any(complaint in problem for problem in problems(PACKAGE / module, line))


def test_kernels_know_arrays_and_arithmetic_only() -> None:
    for path in (PACKAGE / "kernels").glob("*.py"):
        names = {name.split(".")[0] for name in imports(path, ast.walk(ast.parse(path.read_text())))}
        assert names <= {"taut", "numpy", "numba", "llvmlite", *sys.stdlib_module_names}, path


def test_import_taut_is_light() -> None:
    heavy = "sklearn matplotlib typer rich pandas sphinx torch ray highspy pytest"
    code = f"import sys, taut; print([name for name in {heavy.split()!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
