"""Arrays of `.npz` files, read without trusting what the file says of its sizes."""

import re
import zipfile
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import DataError
from .lines import PathLike

__all__ = ["read_npz"]

_HEADER = re.compile(rb"\{'descr': '([<|][biuf]\d{1,2})', 'fortran_order': False, 'shape': \(([\d, ]{0,99})\), \} *\n")
_MOST = 1100  # deflate makes nothing more than 1032 times smaller


def read_npz(path: PathLike, wanted: dict[str, int]) -> dict[str, npt.NDArray[Any]]:
    """The arrays of these names, whose numbers of dimensions are the values; numbers and booleans in C order."""
    with open(path, "rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                return {name: _array(path, archive, name, ndim) for name, ndim in wanted.items()}
        except DataError:
            raise
        except Exception as error:  # zipfile lets a dozen kinds through when an archive is damaged
            reason = f"{type(error).__name__}: {error}".rstrip(".")
    raise DataError(path, None, f"an npz archive with {', '.join(wanted)}", reason)


def _array(path: PathLike, archive: zipfile.ZipFile, name: str, ndim: int) -> npt.NDArray[Any]:
    info = archive.getinfo(f"{name}.npy")
    if info.file_size > _MOST * max(info.compress_size, 1):
        raise DataError(path, None, f"{name} of at most {_MOST} times its compressed size", f"{info.file_size} bytes")
    content = archive.read(info)
    n_head = int.from_bytes(content[8:10], "little")
    header = _HEADER.fullmatch(content[10 : 10 + n_head])
    if content[:8] != b"\x93NUMPY\x01\x00" or header is None:
        raise DataError(path, None, f"numbers in C order as {name}", f"{content[:80]!r}")
    shape = tuple(int(n) for n in header[2].split(b",") if n.strip())
    dtype = np.dtype(header[1].decode())
    if len(shape) != ndim or prod(shape) * dtype.itemsize != len(content) - 10 - n_head:
        raise DataError(path, None, f"{ndim} dimensions and as many numbers as {name} states", f"shape {shape}")
    return np.frombuffer(content, dtype, offset=10 + n_head).reshape(shape)
