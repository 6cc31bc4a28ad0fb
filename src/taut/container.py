r"""One file of JSON and plain arrays: checksummed, written whole or not at all, and nothing in it is ever executed.

=======================  =====================================================================================
bytes                    content (integers are little-endian and unsigned)
=======================  =====================================================================================
0-7                      magic, ``89 54 41 55 54 0D 0A 1A``: "TAUT" between bytes that text tools spoil
8-11, 12-15              version of the format; zero
16-23, 24-31             length of the JSON text; length of the file
32-63                    SHA-256 of bytes 0-31 followed by bytes 64 to the end
64 on                    JSON text in ASCII, padded with spaces to a multiple of 64:
                         ``{"kind": str, "header": {}, "arrays": [{"name", "dtype", "shape", "offset"}]}``
from each offset         one array, little-endian, in C order; offsets are multiples of 64, gaps are zeros
=======================  =====================================================================================

Reading checks, in this order: magic, version, length, checksum, JSON, every array against the file's length. Memory is
taken once, as much as the file is long, and the arrays are views of it. `NaN` payloads, signed zeros and infinities in
arrays keep their bits; the header holds finite JSON values only, whose floats keep theirs.
"""

import json
import os
import re
import secrets
import struct
from collections.abc import Iterator, Mapping
from hashlib import sha256
from io import BufferedReader
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["FileError", "read", "write"]

MAGIC = b"\x89TAUT\r\n\x1a"
VERSION = 1
ALIGN = 64
PREAMBLE = struct.Struct("<8sIIQQ")  # and 32 bytes of checksum
DTYPE = re.compile(r"\|b1|\|[iu]1|<[iu][248]|<f[48]|<U[1-9]\d{0,7}")
MAX_NDIM = 32

Bytes: TypeAlias = npt.NDArray[np.uint8]
Arrays: TypeAlias = dict[str, npt.NDArray[Any]]


class FileError(ValueError):
    """The file is not what was asked for, or what was to be written cannot be; the message says what to do."""


def write(path: str | os.PathLike[str], kind: str, header: Mapping[str, Any], arrays: Mapping[str, npt.ArrayLike]) -> None:
    """Write a file that :func:`read` gives back bit for bit; an older file of this name stays until the new one is complete.

    Parameters
    ----------
    path : str or path
        Links are followed.
    kind : str
        What the file is, as in "model"; readers ask for it.
    header : dict
        JSON values: strings, finite numbers, booleans, None, lists and dictionaries with keys that are strings.
    arrays : dict
        Of booleans, integers, float32, float64 or strings. Stored in C order, so that memory order is forgotten.
    """
    if not all(isinstance(name, str) for name in (kind, *arrays)):
        raise FileError("`kind` and the names of `arrays` must be strings.")
    plain = {name: _storable(name, array) for name, array in arrays.items()}
    head = _head(kind, header, plain)
    chunks = [head, *_chunks(plain, len(head) + ALIGN)]
    length = ALIGN + sum(len(chunk) for chunk in chunks)
    preamble = PREAMBLE.pack(MAGIC, VERSION, 0, len(head), length)
    _replace(Path(os.path.realpath(path)), [preamble, _digest([preamble, *chunks]), *chunks])


def read(path: str | os.PathLike[str], kind: str | None = None) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of a file written by :func:`write`.

    Parameters
    ----------
    path : str or path
    kind : str, optional
        What the file must be; any kind is read where this is None.

    Returns
    -------
    header : dict
    arrays : dict of arrays
        Writable views of one block of memory.

    Raises
    ------
    FileError
        Not a taut file, truncated, altered, written by a newer version, or of another kind.
    """
    where = os.fspath(path)
    with open(path, "rb") as file:
        buffer, n_head = _checked(file, where)
    found = _parsed(bytes(buffer[ALIGN : ALIGN + n_head]), where)
    if kind is not None and found["kind"] != kind:
        raise FileError(f"{where}: expected a file of kind {kind!r}; found one of kind {found['kind']!r}.")
    return found["header"], _views(buffer, ALIGN + n_head, found["arrays"], where)


def _storable(name: str, array: npt.ArrayLike) -> npt.NDArray[Any]:
    """The array little-endian and in C order, if files may hold it."""
    plain = np.asarray(array, order="C")
    plain = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    if not DTYPE.fullmatch(plain.dtype.str):
        raise FileError(
            f"array {name!r}: files hold booleans, integers, float32, float64 and strings; found dtype {plain.dtype}. Convert it."
        )
    if plain.ndim > MAX_NDIM:
        raise FileError(f"array {name!r}: files hold arrays of at most {MAX_NDIM} dimensions; found {plain.ndim}.")
    return plain


def _head(kind: str, header: Mapping[str, Any], arrays: Arrays) -> bytes:
    """The JSON text, padded; offsets depend on its length, which they lengthen, hence the loop."""
    _check_json(header)
    start = 0
    while True:
        entries, offset = [], start
        for name, array in arrays.items():
            offset = _aligned(offset)
            entries.append({"name": name, "dtype": array.dtype.str, "shape": list(array.shape), "offset": offset})
            offset += array.nbytes
        text = json.dumps({"kind": kind, "header": header, "arrays": entries}, allow_nan=False).encode("ascii")
        if ALIGN + _aligned(len(text)) <= start:
            return text.ljust(start - ALIGN)
        start = ALIGN + _aligned(len(text))


def _check_json(header: Mapping[str, Any]) -> None:
    """Json would turn tuples into lists and numbers that are keys into strings; here that is an error."""
    try:
        same = json.loads(json.dumps(header, allow_nan=False)) == header
    except (TypeError, ValueError, RecursionError) as error:
        raise FileError(f"`header` must hold JSON values with finite numbers: {error}. Put arrays and nan into `arrays`.") from None
    if not same:
        raise FileError("`header` must come back equal from JSON: use lists, not tuples, and strings as keys.")


def _aligned(offset: int) -> int:
    return -(-offset // ALIGN) * ALIGN


def _chunks(arrays: Arrays, offset: int) -> Iterator[bytes | memoryview]:
    for array in arrays.values():
        yield bytes(_aligned(offset) - offset)
        yield array.reshape(-1).view(np.uint8).data
        offset = _aligned(offset) + array.nbytes


def _digest(chunks: list[Any]) -> bytes:
    checksum = sha256()
    for chunk in chunks:
        checksum.update(chunk)
    return checksum.digest()


def _replace(path: Path, chunks: list[Any]) -> None:
    """Write beside `path`, make sure that it is on the disk, then take the name: at every moment `path` is a whole file."""
    beside = path.with_name(f".taut-{secrets.token_hex(8)}.tmp")
    try:
        with open(beside, "xb") as file:
            file.writelines(chunks)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    if os.name == "posix":  # the name itself is on the disk once the folder is; Windows cannot open folders
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _checked(file: BufferedReader, where: str) -> tuple[Bytes, int]:
    """The whole file, aligned in memory, and the length of its JSON text; nothing in it is altered by accident."""
    start = file.read(PREAMBLE.size)
    if not start or start[: len(MAGIC)] != MAGIC[: len(start)]:
        raise FileError(f"{where}: not a taut file: expected it to start with {MAGIC!r}; found {start[: len(MAGIC)]!r}.")
    length = os.fstat(file.fileno()).st_size
    if len(start) < PREAMBLE.size or length < ALIGN:
        raise FileError(f"{where}: truncated: expected at least {ALIGN} bytes; found {length}. Copy or save it again.")
    _, version, _, n_head, stated = PREAMBLE.unpack(start)
    if version > VERSION:
        raise FileError(f"{where}: written in version {version} of the format; this taut reads up to {VERSION}. Update taut.")
    if length != stated:
        what = "truncated" if length < stated else "altered"
        raise FileError(f"{where}: {what}: expected {stated} bytes; found {length}. Copy or save it again.")
    block = np.empty(length + ALIGN, np.uint8)
    buffer = block[-block.ctypes.data % ALIGN :][:length]
    file.seek(0)
    if file.readinto(buffer.data) != length:
        raise FileError(f"{where}: it changed while being read. Read it again.")
    expected = bytes(buffer[PREAMBLE.size : ALIGN])
    if _digest([buffer[: PREAMBLE.size].data, buffer[ALIGN:].data]) != expected:
        raise FileError(f"{where}: altered: its content does not have its checksum {expected.hex()[:12]}... Copy or save it again.")
    if version < 1 or n_head > length - ALIGN or n_head % ALIGN:
        raise FileError(f"{where}: not written by taut: version {version}, a header of {n_head} bytes in a file of {length}.")
    return buffer, n_head


def _parsed(text: bytes, where: str) -> dict[str, Any]:
    """Kind, header and array entries, each of the right type."""
    try:
        found = json.loads(text.decode("ascii"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{where}: not written by taut: its header is not JSON ({error}).") from None
    if not isinstance(found, dict) or set(found) != {"kind", "header", "arrays"}:
        raise FileError(f'{where}: not written by taut: its header is not {{"kind", "header", "arrays"}}.')
    if not (isinstance(found["kind"], str) and isinstance(found["header"], dict) and isinstance(found["arrays"], list)):
        raise FileError(f"{where}: not written by taut: kind, header or arrays are of a wrong type.")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _views(buffer: Bytes, offset: int, entries: list[Any], where: str) -> Arrays:
    arrays: Arrays = {}
    for entry in entries:
        name, dtype, shape, start = _entry(entry, where)
        offset = _aligned(offset)
        # Python's integers do not overflow; zeros in the shape must not hide an absurd size from numpy
        n_bytes, bound = (dtype.itemsize * prod(sizes) for sizes in (shape, [n or 1 for n in shape]))
        if start != offset or n_bytes > max(0, len(buffer) - offset) or bound >= 2**63 or name in arrays:
            raise FileError(
                f"{where}: not written by taut: array {name!r} of {n_bytes} bytes at {start}, where it must be new, start at "
                f"{offset} and fit into {len(buffer)} bytes."
            )
        raw = buffer[offset : offset + n_bytes]
        _check_values(raw, dtype, name, where)
        array = raw.view(dtype).reshape(shape)
        arrays[name] = array.astype(dtype.newbyteorder("="), copy=False)
        offset += n_bytes
    if offset != len(buffer):
        raise FileError(f"{where}: not written by taut: its arrays end at byte {offset} of {len(buffer)}.")
    return arrays


def _entry(entry: Any, where: str) -> tuple[str, np.dtype[Any], list[int], int]:
    if isinstance(entry, dict) and set(entry) == {"name", "dtype", "shape", "offset"}:
        name, dtype, shape, offset = (entry[key] for key in ("name", "dtype", "shape", "offset"))
        names = isinstance(name, str) and isinstance(dtype, str) and DTYPE.fullmatch(dtype)
        counts = isinstance(shape, list) and len(shape) <= MAX_NDIM and all(type(n) is int and n >= 0 for n in [*shape, offset])
        if names and counts:
            return name, np.dtype(dtype), shape, offset
    raise FileError(f"{where}: not written by taut: {str(entry)[:200]} does not describe an array.")


def _check_values(raw: Bytes, dtype: np.dtype[Any], name: str, where: str) -> None:
    """Bytes that are no boolean, or no character, would only fail when they are used."""
    if not raw.size:
        return
    if (dtype.kind == "b" and raw.max() > 1) or (dtype.kind == "U" and raw.view("<u4").max() > 0x10FFFF):
        raise FileError(f"{where}: not written by taut: array {name!r} holds bytes that are no {dtype}.")
