"""docs/reproduction.md, written from the raw lines and nothing else."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from .figures import TITLES
from .plan import cells_of
from .raw import Lines
from .told import table1, table2, table3, theorems, training
from .told.markdown import missing, table

__all__ = ["page", "write_page"]

_PARTS = {
    "table1": ("Table 1: the searches", table1),
    "table2": ("Table 2: label sets", table2),
    "table3": ("Table 3: hierarchies", table3),
    "training": ("Figure 3 and the headline: solvers and searches", training),
    "theorems": ("Theorems as demonstrations", theorems),
}


def write_page(lines: Mapping[str, Lines], out: Path, quick: bool) -> Path:
    """Write the page of what has been measured; returns its path."""
    path = out / "reproduction.md"
    drawn = [name for name in TITLES if (out / "reproduction" / f"{name}.svg").exists()]
    path.write_text(page(lines, drawn, quick), encoding="utf-8")
    return path


def page(lines: Mapping[str, Lines], figures: Sequence[str], quick: bool) -> str:
    """The whole page, from the lines and the names of the figures that were drawn."""
    known = {part: one for part, one in _PARTS.items() if part in lines and len(lines[part])}
    rows = [row for part, (_, module) in known.items() for row in module.short(lines[part], quick)]
    parts = [_HEAD.format(machines=_machines(lines)), "## In short\n\n" + table(("", "outcome"), rows)]
    for part, (title, module) in known.items():
        left = missing(lines[part], [cell.id for cell in cells_of(part, Path(), quick)])
        parts.append("\n\n".join([f"## {title}", *([left] if left else []), module.told(lines[part], quick)]))
    if figures:
        shown = [f"![{TITLES[name]}](reproduction/{name}.svg)\n\n{TITLES[name]}" for name in figures]
        parts.append("## Figures\n\n" + "\n\n".join(shown))
    return "\n\n".join([*parts, _ERRATA]) + "\n"


def _machines(lines: Mapping[str, Lines]) -> str:
    """Who measured: every machine with its versions, and how busy it was."""
    seen: dict[str, list[float]] = {}
    for part in lines.values():
        for line in part:
            made = line["made"]
            versions = ", ".join(f"{name} {made[name]}" for name in ("python", "numpy", "scipy", "numba", "taut"))
            seen.setdefault(f"{made['processor']}, {made['cores']} cores, {versions}", []).append(made["load"] or 0.0)
    told = [
        f"{name} ({len(loads)} lines; while they were measured, between {min(loads):g} and {max(loads):g} processes ran or waited)"
        for name, loads in seen.items()
    ]
    seconds = [line["made"]["cpu_seconds"] for part in lines.values() for line in part if "cpu_seconds" in line["made"]]
    if seconds:
        told.append(f"{len(seconds)} of the lines state their CPU time, {sum(seconds) / 60:.0f} minutes together")
    return "; ".join(told) or "none yet"


_HEAD = """\
# The paper, reproduced

Written by `taut reproduce` from the JSON lines in the folder `reproduction` beside this page; every number here is in a line, or a
mean over the lines whose ids match the pattern that stands beside it. The paper is "Fast and Scalable Structural SVM with Slack
Rescaling" (Choi, Meshi, Srebro; AISTATS 2016). It leaves much unstated; each section says what was chosen instead.

Machines: {machines}. Where more processes ran than there are cores, times are long: they are CPU time of one thread, and only
their ratios within one table say something."""

_ERRATA = """\
## Errata

What is wrong in the paper as printed, what the code does instead, and the test that pins each: {doc}`errata`."""
