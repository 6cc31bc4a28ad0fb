"""The face's strings and numbers, resolved: solvers, searches, C, checkpoints, seeds."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..search import angular_search, binary_search, bisecting_search, lens_search, sarawagi_search
from ..solvers import Checkpoint, Problem, Solver, averaged, bcfw, one_slack, sdca, sgd

__all__ = ["SEARCHES", "checkpoint_at", "positive_c", "rng_of", "search_named", "solver_named"]

_SOLVERS: dict[str, Callable[[Problem, float, np.random.Generator], Solver]] = {
    "bcfw": bcfw,
    "sgd": lambda problem, reg, rng: averaged(sgd(problem, reg, rng)),
    "sdca": sdca,
    "cutting-plane": lambda problem, reg, rng: one_slack(problem, reg),
}
SEARCHES: dict[str, Callable[..., Any]] = {
    "lens": lens_search,
    "angular": angular_search,
    "bisecting": bisecting_search,
    "binary": binary_search,
    "sarawagi": sarawagi_search,
}


def solver_named(name: str) -> Callable[[Problem, float, np.random.Generator], Solver]:
    """A solver by its name."""
    if name not in _SOLVERS:
        raise ValueError(f"`solver` must be one of {', '.join(map(repr, _SOLVERS))}; found {name!r}.")
    return _SOLVERS[name]


def search_named(search: Any) -> Any:
    """A search by its name, "auto" or the search itself."""
    if not isinstance(search, str) or search == "auto":
        return search
    if search not in SEARCHES:
        names = ", ".join(map(repr, ("auto", *SEARCHES)))
        raise ValueError(f"`search` must be one of {names}, or a search of taut.search; found {search!r}.")
    return SEARCHES[search]


def positive_c(C: float) -> float:
    """C, checked."""
    if not 0.0 < C < np.inf:
        raise ValueError(f"`C` must be positive and finite; found {C}.")
    return float(C)


def checkpoint_at(checkpoint: Any) -> Checkpoint | None:
    """A checkpoint by its path, or itself."""
    return Checkpoint(checkpoint) if isinstance(checkpoint, (str, Path)) else checkpoint


def rng_of(random_state: Any) -> np.random.Generator:
    """None is seed 0: fits repeat unless they are told otherwise."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(0 if random_state is None else random_state)
