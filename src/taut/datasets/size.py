"""How much is read at once: a few bytes of a file must not ask for gigabytes of memory."""

from .errors import DataError
from .lines import PathLike

__all__ = ["check_chunk", "check_size"]

MAX_BYTES = 2**28


def check_size(path: PathLike, what: str, n_rows: int, n_columns: int, item: int = 1) -> None:
    """Refuse a huge dense matrix, of `item` bytes an entry, that is not spelt out in the file, such as labels listed by name."""
    if n_rows * n_columns * item > MAX_BYTES:
        found = f"{n_rows} rows x {n_columns} columns"
        raise DataError(path, None, f"at most 256 MiB of {what} (`iter_...` reads less at once)", found)


def check_chunk(chunk: int) -> None:
    """Refuse pieces of no rows."""
    if chunk < 1:
        raise ValueError(f"`chunk` must be at least 1, the number of rows of a piece; it is {chunk}.")
