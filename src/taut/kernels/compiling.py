"""How kernels are compiled, where the machine code is kept, and how a kernel is called through its address.

Numba's cache of a kernel does not see edits in the *other* files that the kernel was compiled from, so the machine code of
each module lives in a folder of its own whose name holds a hash of that module's source and of all modules of the package
that it imports, directly or not: an edit compiles again what can depend on it, and nothing else. The user's other caches
stay where they are.
"""

import functools
import hashlib
import logging
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba import types
from numba.core import config as _numba_config
from numba.core import event

__all__ = ["ANSWER", "BEST", "PARTS", "PREPARE", "address", "cache_folder", "compile_seconds", "njit", "njit_sums"]

F = TypeVar("F", bound=Callable[..., Any])

config: Any = _numba_config
_logger = logging.getLogger("taut")

_REAL, _INT = types.CPointer(types.float64), types.CPointer(types.int64)
#: The one signature of compiled oracles: found = answer(kind, lam, region, shared, pool, target, theta, label, point), where
#: `shared` and `pool` are the integers and numbers that all examples of a structure share, `target` and `theta` one example's.
ANSWER = types.int64(types.int64, types.float64, _REAL, _INT, _REAL, _INT, _REAL, _INT, _REAL)
#: The one signature of direct exact methods: found = best(rescaling, lam, threshold, tol, shared, pool, target, theta, label,
#: out); rescaling 0 is margin, 1 slack; out = (h, g, value, upper bound, next lam, passes).
BEST = types.int64(types.int64, types.float64, types.float64, types.float64, _INT, _REAL, _INT, _REAL, _INT, _REAL)
#: The one signature of what a label is made of: n = parts(shared, target, label, out) writes the places of the label's parts, each
#: of weight one (a part that occurs twice is written twice): place p < own size is the example's potential theta[p], place
#: own size + e is shared weight e.
PARTS = types.int64(_INT, _INT, _INT, _INT)
#: The one signature that turns shared weights into the numbers that oracles read: prepare(shared, weights, pool) fills what lies
#: behind the loss's tables in `pool`; returns 0.
PREPARE = types.int64(_INT, _REAL, _REAL)


_PACKAGE = Path(__file__).resolve().parent.parent
_IMPORT = re.compile(r"^from (\.+)([\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)


@functools.cache
def _imports(path: Path) -> frozenset[Path]:
    """The modules of the package that a module names in its relative imports."""
    found: set[Path] = set()
    for dots, module, names in _IMPORT.findall(path.read_text()):
        folder = path.parents[len(dots) - 1].joinpath(*module.split(".") if module else ())
        for place in (folder, *(folder / name for name in re.findall(r"\w+", names))):
            found.update(file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file())
    return frozenset(found)


@functools.cache
def _source_hash(module: Path) -> str:
    """A hash of a module and of all that it imports from the package, directly or not."""
    todo, files = [module], set()
    while todo:
        path = todo.pop()
        if path not in files:
            files.add(path)
            todo.extend(_imports(path))
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    for path in sorted(files):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder() -> Path:
    """Folder of our machine code: under NUMBA_CACHE_DIR where that is set, else the user's cache, else a temporary one."""
    home = config.CACHE_DIR or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    for root in (Path(home), Path(tempfile.gettempdir())):
        folder = root / "taut" / "kernels"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    raise OSError(f"no writable folder for compiled kernels: tried {home} and the temporary folder; set NUMBA_CACHE_DIR.")


def _decorated(function: F, decorate: Callable[[F], Any]) -> Any:
    """Decorate while numba's cache folder is ours; it is read once, here."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder() / _source_hash(Path(function.__code__.co_filename).resolve()))
    try:
        return decorate(function)
    finally:
        config.CACHE_DIR = before


def njit(function: F) -> F:
    """Compile on first call, keep the machine code on disk, release the interpreter lock. `.py_func` is the plain function."""
    return _decorated(function, numba.njit(cache=True, nogil=True))  # type: ignore[no-any-return]


def njit_sums(function: F) -> F:
    """`njit` for a sum that may be taken in any order, so that it runs on vectors; the order is fixed by the compiled code."""
    return _decorated(function, numba.njit(cache=True, nogil=True, fastmath={"reassoc"}))  # type: ignore[no-any-return]


_callbacks: dict[Any, Any] = {}


def address(kernel: Any, signature: Any = ANSWER) -> int:
    """Address of a kernel with the signature ANSWER or BEST, as an integer that every search or pass takes.

    A call through it costs about 9 ns, and passing it to a search nothing; a function passed with an explicit
    FunctionType is as fast inside but took 35 microseconds to unbox on every call of a search (2026-11).
    """
    if kernel not in _callbacks:
        _callbacks[kernel] = _decorated(kernel, numba.cfunc(signature, cache=True))
    return int(_callbacks[kernel].address)


class _Compilations(event.Listener):
    """Says once, at the first kernel that is not on disk yet, what the wait is for; and adds up how long compiling took."""

    def __init__(self) -> None:
        self.said, self.seconds, self._depth, self._since = False, 0.0, 0, 0.0

    def on_start(self, happening: Any) -> None:
        if self._depth == 0:
            self._since = time.perf_counter()
        self._depth += 1
        function = happening.data.get("dispatcher")
        module = getattr(getattr(function, "py_func", None), "__module__", "") or ""
        if not self.said and module.split(".")[0] == "taut":
            self.said = True
            _logger.warning("taut compiles its kernels for this machine, once, into %s.", cache_folder())

    def on_end(self, happening: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._since


_compilations = _Compilations()
event.register("numba:compile", _compilations)


def compile_seconds() -> float:
    """How long this process has compiled so far: limits of time do not count it, which happens once on a machine."""
    return _compilations.seconds
