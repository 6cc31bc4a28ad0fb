"""Tables of the page; a row ends with the lines that it was made from."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ..raw import Lines, Mean

__all__ = ["from_lines", "missing", "signed", "table"]


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts, the first column to the left."""
    head = "| " + " | ".join(columns) + " |\n|" + "---|" + "---:|" * (len(columns) - 2) + "---|"
    return "\n".join([head, *("| " + " | ".join(row) + " |" for row in rows)])


def signed(mean: Mean) -> str:
    """A difference with its sign and standard error."""
    return ("+" if mean.mean >= 0 else "-") + Mean(abs(mean.mean), mean.error, mean.n).show(4)


def from_lines(lines: Lines, pattern: str) -> str:
    """The pattern of ids that a row was made from, and how many lines match."""
    return f"`{pattern}` ({len(lines.like(pattern))})"


def missing(lines: Lines, ids: Sequence[str]) -> str:
    """A sentence on cells that have no line yet, empty where all have."""
    left = [name for name in ids if name not in lines]
    if not left:
        return ""
    groups = ", ".join(f"{name} {count}" for name, count in Counter(name.split("/")[1] for name in left).items())
    return f"Not run yet: {len(left)} of {len(ids)} measurements ({groups}). The command goes on with {left[0]}."
