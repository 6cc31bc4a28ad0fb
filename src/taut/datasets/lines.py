"""Lines of text files, plain or gzipped, numbered from 1, with bounded memory and errors that say where."""

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from typing import Any, TypeAlias

from .errors import DataError

__all__ = ["MAX_LINE", "PathLike", "lines"]

PathLike: TypeAlias = str | os.PathLike[str]

MAX_LINE = 2**26  # characters: a longer line is a damaged file, or a few bytes of gzip that unfold to gigabytes


def lines(path: PathLike, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    r"""Number and text of each line, without the end of line (\n, \r\n or \r) and without a byte order mark.

    What the file is, gzip or text, is read off its first two bytes, not off its name.
    """
    number = 0
    with open(path, "rb") as raw:
        file: Any = gzip.GzipFile(fileobj=raw) if raw.peek(2)[:2] == b"\x1f\x8b" else raw
        # bytes that are no text come through as surrogates, so that the fault is put down to its line, not to a block
        text = io.TextIOWrapper(file, "utf-8-sig" if encoding == "utf-8" else encoding, errors="surrogateescape")
        try:
            while line := text.readline(MAX_LINE):
                number += 1
                if len(line) == MAX_LINE:
                    raise DataError(path, number, f"a line of less than {MAX_LINE} characters", f"{line[:20]}...")
                if not line.isascii():
                    line.encode()
                yield number, line.rstrip("\n")
        except UnicodeError as error:
            number += isinstance(error, UnicodeDecodeError)
            raise DataError(path, number, f"text in {encoding} (`encoding` names another)", f"{error}") from None
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise DataError(path, number + 1, "a whole gzip file", f"{error}".rstrip(".")) from None
