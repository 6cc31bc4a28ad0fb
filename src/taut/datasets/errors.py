"""The one error of all readers."""

import os

__all__ = ["DataError"]

_SHOWN = 200  # characters: what was found may be a long line, and what was expected names of the file


class DataError(ValueError):
    """A file does not hold what its format promises: which file, which line, what was expected, what was found.

    Attributes
    ----------
    path : str
    line : int or None
        Counted from 1; None where the format has no lines, or the fault no single one.
    expected, found : str
    """

    def __init__(self, path: str | os.PathLike[str], line: int | None, expected: str, found: str) -> None:
        path = os.fspath(path)
        expected, found = (text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..." for text in (expected, found))
        super().__init__(path, line, expected, found)  # the arguments as they are, so that it can be pickled
        self.path, self.line, self.expected, self.found = path, line, expected, found

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}, line {self.line}"
        return f"{where}: expected {self.expected}; found {self.found}."
