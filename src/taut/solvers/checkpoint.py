"""Checkpoints: a run on the disk, written whole, from which the same run goes on bit for bit."""

import logging
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..container import FileError, read, write
from .drive import Solver

__all__ = ["Checkpoint"]

_logger = logging.getLogger("taut")


class Checkpoint:
    """Keeps a run in `path`, and the one before it in `path` + ".previous"; every so often, and where `max_iter` ends it.

    Parameters
    ----------
    path : str or path
        The file. A run that finds one goes on with it; a torn one is reported and the previous one used.
    every : int
        Passes between checkpoints.
    seconds : float
        At least so many seconds between checkpoints.
    """

    def __init__(self, path: str | os.PathLike[str], every: int = 1, seconds: float = 10.0) -> None:
        if every < 1 or not seconds >= 0.0:
            raise ValueError(f"`every` must be at least 1 and `seconds` >= 0; found {every} and {seconds}.")
        self.path, self.every, self.seconds = Path(path), int(every), float(seconds)
        self.previous = self.path.with_name(self.path.name + ".previous")
        self._last = 0, 0.0
        self._fingerprint: str | None = None

    def due(self, n_passes: int, seconds: float) -> bool:
        """Whether it is time to save."""
        return n_passes - self._last[0] >= self.every and seconds - self._last[1] >= self.seconds

    def save(self, solver: Solver, run: dict[str, Any], best: npt.NDArray[np.float64]) -> None:
        """Write the run. Where the disk is full the error is logged and the older checkpoints stay."""
        header, arrays = solver.state()
        fresh = self.path.with_name(self.path.name + ".next")
        whole = {"solver": header, "run": run, "problem": self._hash(solver), "kind": type(solver).__name__}
        try:
            write(fresh, "checkpoint", whole, {**arrays, "best": best})
            if self.path.exists():
                os.replace(self.path, self.previous)
            os.replace(fresh, self.path)
        except OSError as error:
            _logger.error("no checkpoint written to %s: %s. The run goes on; the older checkpoint stays.", self.path, error)
        self._last = run["n_passes"], run["seconds"]

    def load(self, solver: Solver) -> tuple[dict[str, Any], npt.NDArray[np.float64]] | None:
        """Put the solver where the newest whole checkpoint was; None where there is none."""
        for path in (self.path, self.previous):
            if not path.exists():
                continue
            try:
                header, arrays = read(path, "checkpoint")
            except FileError as error:
                _logger.error("%s. Looking for the previous checkpoint.", error)
                continue
            if header["problem"] != self._hash(solver) or header["kind"] != type(solver).__name__:
                raise FileError(
                    f"{path}: a checkpoint of another problem or solver: expected the same data, structure, loss, weights "
                    "and solver. Name another file, or remove this one to start anew."
                )
            solver.restore(header["solver"], arrays)
            run = header["run"]
            self._last = run["n_passes"], run["seconds"]
            return run, arrays["best"].copy()
        return None

    def _hash(self, solver: Solver) -> str:
        if self._fingerprint is None:
            self._fingerprint = f"{solver.problem.fingerprint()} {solver.reg!r}"
        return self._fingerprint
