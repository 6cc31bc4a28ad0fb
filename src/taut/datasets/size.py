"""How much is read at once: a few bytes of a file must not ask for gigabytes of memory."""

from .errors import DataError
from .lines import PathLike

__all__ = ["check_chunk", "check_size"]

MAX_ENTRIES = 2**28


def check_size(path: PathLike, what: str, n_rows: int, n_columns: int) -> None:
    """Refuse a dense matrix that is not spelt out in the file, such as labels that are listed by name, and is huge."""
    if n_rows * n_columns > MAX_ENTRIES:
        raise DataError(
            path, None, f"at most 2**28 entries of {what} at once (read it in chunks)", f"{n_rows} rows x {n_columns} columns"
        )


def check_chunk(chunk: int) -> None:
    """Refuse pieces of no rows."""
    if chunk < 1:
        raise ValueError(f"`chunk` must be at least 1, the number of rows of a piece; it is {chunk}.")
