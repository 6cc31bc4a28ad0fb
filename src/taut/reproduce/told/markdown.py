"""Tables of the page; a row ends with the lines that it was made from."""

from collections.abc import Iterable, Sequence

from ..raw import Lines

__all__ = ["from_lines", "missing", "table"]


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts, the first column to the left."""
    head = "| " + " | ".join(columns) + " |\n|" + "---|" + "---:|" * (len(columns) - 2) + "---|"
    return "\n".join([head, *("| " + " | ".join(row) + " |" for row in rows)])


def from_lines(lines: Lines, pattern: str) -> str:
    """The pattern of ids that a row was made from, and how many lines match."""
    return f"`{pattern}` ({len(lines.like(pattern))})"


def missing(lines: Lines, ids: Sequence[str]) -> str:
    """A sentence on cells that have no line yet, empty where all have."""
    left = [name for name in ids if name not in lines]
    if not left:
        return ""
    return f"Not run yet: {len(left)} of {len(ids)} cells; the command goes on with `{left[0]}`.\n"
