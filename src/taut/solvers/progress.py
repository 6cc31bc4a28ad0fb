"""Showing a run: how far the gap is, and an honest guess of how long it will take."""

import math
from collections.abc import Callable
from typing import Any

from .drive import Measure

__all__ = ["Progress", "remaining"]


def remaining(history: list[Measure], tol: float) -> float | None:
    """Seconds until the relative gap is `tol` if it goes on falling as over the last measurements; None where it does not fall.

    The gap's logarithm is taken to fall in proportion to the logarithm of time, as it does for solvers of this kind.
    """
    seen = [(m.seconds, m.gap / abs(m.primal)) for m in history if m.seconds > 0 and m.gap > 0 and m.primal]
    if len(seen) < 3:
        return None
    (t0, gap0), (t1, gap1) = seen[max(len(seen) // 2 - 1, 0)], seen[-1]
    if not (gap1 < gap0 and t1 > t0 and tol > 0):
        return None
    if gap1 <= tol:
        return 0.0
    power = math.log(gap0 / gap1) / math.log(t1 / t0)
    more = math.log(gap1 / tol) / power
    return t1 * math.expm1(more) if more < 20 else None


class Progress:
    """A callback that shows each measurement: on a terminal one line that is written over, elsewhere a line now and then."""

    def __init__(self, tol: float, write: Callable[[str], Any] | None = None, every: float = 2.0) -> None:
        from rich.console import Console  # only when something is shown

        console = Console(stderr=True, highlight=False)
        self.tol, self.every = tol, every
        self._live = write is None and console.is_terminal
        self._write = write or (lambda text: console.out(text, end=""))
        self._history: list[Measure] = []
        self._shown = -math.inf

    def __call__(self, measure: Measure) -> None:
        self._history.append(measure)
        done = measure.gap <= self.tol * abs(measure.primal)
        if not (self._live or done) and measure.seconds - self._shown < self.every:
            return
        self._shown = measure.seconds
        self._write(("\r" if self._live else "") + self.line() + ("\n" if done or not self._live else ""))

    def line(self) -> str:
        """The last measurement in words."""
        m = self._history[-1]
        relative = m.gap / abs(m.primal) if m.primal else 0.0
        left = remaining(self._history, self.tol)
        ahead = "" if left is None or relative <= self.tol else f", about {left:.0f} s to go"
        gap = f"gap {relative:.2e} of {self.tol:.0e}"
        return f"pass {m.n_passes}: objective {m.primal:.6g}, {gap}, {m.seconds:.1f} s{ahead}".ljust(78)
