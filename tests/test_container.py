"""Files of JSON and arrays: equal bit for bit after a round trip, whole or not there, and clear about whatever is wrong."""

import json
import os
import pickle
import tracemalloc
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from taut.container import ALIGN, PREAMBLE, VERSION, FileError, read, write

DTYPES = ["?", "i1", "u1", "<i2", ">i4", "<i8", "<u2", "<u4", ">u8", "<f4", ">f8", "<f8", "<U3", ">U5"]
NAN_WITH_PAYLOAD = np.array([0x7FF0000000000001, 0xFFF8DEADBEEF0001, 0x8000000000000000], "u8").view("f8")
ARRAYS = {
    "w": np.random.default_rng(0).normal(size=(7, 3)),
    "specials": np.array([-0.0, np.inf, -np.inf, np.nan, 5e-324]),
    "payloads": NAN_WITH_PAYLOAD,
    "empty": np.empty((0, 4), np.float32),
    "scalar": np.array(3, np.int16),
    "strided": np.arange(20, dtype=np.int32)[::-3],
    "fortran": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "names": np.array(["a", "", "Zoë", "\U0001f600"]),
    "flags": np.array([True, False]),
}
HEADER = {"C": 0.1, "loss": "f1", "nested": {"list": [1, -2.5e-300, None, True], "text": 'é "\n'}, "big": 2**200}


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.astype(b.dtype, order="C").tobytes() == b.tobytes() and a.dtype.newbyteorder("=") == b.dtype


def signed(body: bytes, n_head: int, version: int = VERSION) -> bytes:
    """A file with the right length and checksum, whatever the body: what somebody would craft."""
    preamble = PREAMBLE.pack(b"\x89TAUT\r\n\x1a", version, 0, n_head, ALIGN + len(body))
    return preamble + sha256(preamble + body).digest() + body


def crafted(head: Any, body: bytes = b"") -> bytes:
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    text = text.ljust(-(-len(text) // ALIGN) * ALIGN)
    return signed(text + body, len(text))


def entry(name: str = "x", dtype: str = "<f8", shape: Any = (2,), offset: Any = 192) -> dict[str, Any]:
    return {"name": name, "dtype": dtype, "shape": shape, "offset": offset}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write(tmp_path / "a.taut", "model", HEADER, ARRAYS)
    return tmp_path / "a.taut"


def test_a_round_trip_keeps_every_bit(file: Path) -> None:
    header, arrays = read(file, "model")
    assert header == HEADER and list(arrays) == list(ARRAYS)
    for name, array in arrays.items():
        assert same_bits(np.asarray(ARRAYS[name]), array), name
        assert array.flags.writeable and array.flags.c_contiguous and (array.size == 0 or array.ctypes.data % ALIGN == 0)


@given(hnp.arrays(st.sampled_from(DTYPES), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)), st.booleans())
def test_every_array_makes_the_round_trip(tmp_path_factory: pytest.TempPathFactory, array: np.ndarray, turned: bool) -> None:
    path = tmp_path_factory.getbasetemp() / "any.taut"
    array = array.T if turned else array
    write(path, "any", {}, {"x": array, "y": array[..., ::-1] if array.ndim else array})
    _, back = read(path)
    assert same_bits(array, back["x"])


def test_the_same_content_gives_the_same_file(file: Path) -> None:
    before = file.read_bytes()
    write(file, "model", HEADER, ARRAYS)
    assert file.read_bytes() == before


def test_no_arrays_at_all(tmp_path: Path) -> None:
    write(tmp_path / "x", "empty", {}, {})
    assert read(tmp_path / "x") == ({}, {})


@pytest.mark.parametrize(
    ("header", "arrays", "complaint"),
    [
        ({"a": (1, 2)}, {}, "lists, not tuples"),
        ({"a": {1: 2}}, {}, "strings as keys"),
        ({"a": np.inf}, {}, "finite numbers"),
        ({"a": np.arange(3)}, {}, "Put arrays"),
        ({}, {"x": np.array([{}])}, "found dtype object"),
        ({}, {"x": np.array(1j)}, "found dtype complex128"),
        ({}, {"x": np.zeros(2, "M8[s]")}, "found dtype datetime64"),
        ({}, {"x": np.zeros(2, "f2")}, "found dtype float16"),
        ({}, {"x": np.zeros((1,) * 33)}, "at most 32 dimensions"),
        ({}, {3: np.zeros(1)}, "must be strings"),
    ],
)
def test_what_cannot_be_written_leaves_the_old_file(file: Path, header: Any, arrays: Any, complaint: str) -> None:
    with pytest.raises(FileError, match=complaint):
        write(file, "model", header, arrays)
    assert read(file)[0] == HEADER and os.listdir(file.parent) == [file.name]


@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file(file: Path, moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, moment, full)
    with pytest.raises(OSError, match="No space"):
        write(file, "model", {"new": 1}, {})
    assert read(file)[0] == HEADER and os.listdir(file.parent) == [file.name]


@pytest.mark.skipif(os.name != "posix", reason="links and permissions of posix")
def test_links_are_followed_and_the_umask_is_kept(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write(tmp_path / "link", "model", {}, {})
    plain = tmp_path / "plain"
    plain.touch()
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not a taut file"),
        (pickle.dumps(HEADER), "not a taut file"),
        (b"\x89TAU", "truncated"),
        (crafted({})[:40], "truncated"),
        (crafted({})[:-1], "truncated: expected 128 bytes; found 127"),
        (crafted({}) + b" ", "altered: expected 128 bytes; found 129"),
        (crafted({}).replace(b"{", b"["), "altered: its content"),
        (signed(b"{}".ljust(64), 64, VERSION + 1), "written in version 2 of the format; this taut reads up to 1. Update"),
        (signed(b"", 64), "a header of 64 bytes"),
        (signed(b"{}".ljust(64), 2**63), "a header of 9223372036854775808 bytes"),
        (crafted(b"{"), "is not JSON"),
        (crafted(b"\xff"), "is not JSON"),
        (crafted(b"[" * 100_000), "is not JSON"),
        (crafted(b"9" * 10_000), "is not JSON"),
        (crafted(b'{"kind": "m", "header": {"x": NaN}, "arrays": []}'), "NaN is no JSON"),
        (crafted([]), "its header is not"),
        (crafted({"kind": 3, "header": {}, "arrays": []}), "of a wrong type"),
    ],
)
def test_a_wrong_file_is_told_apart(tmp_path: Path, content: bytes, complaint: str) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(FileError, match=complaint) as error:
        read(tmp_path / "x")
    assert str(tmp_path / "x") in str(error.value)


@pytest.mark.parametrize(
    "wrong",
    [
        entry(shape=[2**40]),
        entry(shape=[2**63, 2**63, 0]),
        entry(shape=[10**4000]),
        entry(shape=[-1]),
        entry(shape=[True]),
        entry(shape=[1.0]),
        entry(shape=[1] * 33),
        entry(shape=2),
        entry(dtype="|O"),
        entry(dtype="<c16"),
        entry(dtype="<U0"),
        entry(dtype="<U99999999999"),
        entry(dtype=">f8"),
        entry(dtype="f8,f8"),
        entry(offset=0),
        entry(offset=128),
        entry(offset=193),
        entry(offset=10**30),
        {"name": "x"},
        [],
        None,
    ],
    ids=str,
)
def test_an_absurd_array_is_refused_before_memory_is_taken(tmp_path: Path, wrong: Any) -> None:
    (tmp_path / "x").write_bytes(crafted({"kind": "m", "header": {}, "arrays": [wrong]}, bytes(80)))
    tracemalloc.start()
    with pytest.raises(FileError, match="not written by taut"):
        read(tmp_path / "x")
    assert tracemalloc.get_traced_memory()[1] < 200_000
    tracemalloc.stop()


def test_crafted_entries_are_right_but_for_what_is_crafted(tmp_path: Path) -> None:
    """Else the test above would pass for another reason."""
    (tmp_path / "x").write_bytes(crafted({"kind": "m", "header": {}, "arrays": [entry()]}, bytes(16)))
    assert read(tmp_path / "x")[1]["x"].tolist() == [0.0, 0.0]


def test_two_arrays_of_one_name_are_refused(tmp_path: Path) -> None:
    entries = [entry(offset=256), entry(offset=320)]
    (tmp_path / "x").write_bytes(crafted({"kind": "m", "header": {}, "arrays": entries}, bytes(80)))
    with pytest.raises(FileError, match="at 320, where it must be new, start at 320"):
        read(tmp_path / "x")


@pytest.mark.parametrize(("dtype", "body"), [("|b1", b"\x01\x02"), ("<U1", b"a\0\0\0\0\0\x11\0")])
def test_bytes_that_are_no_value_are_refused(tmp_path: Path, dtype: str, body: bytes) -> None:
    (tmp_path / "x").write_bytes(crafted({"kind": "m", "header": {}, "arrays": [entry(dtype=dtype)]}, body))
    with pytest.raises(FileError, match="holds bytes that are no"):
        read(tmp_path / "x")


def test_the_kind_is_checked(file: Path) -> None:
    with pytest.raises(FileError, match="expected a file of kind 'checkpoint'; found one of kind 'model'"):
        read(file, "checkpoint")


def mutated(content: bytes, rng: np.random.Generator) -> bytes:
    """Bits flipped, bytes cut out, put in, doubled or moved: one to four times."""
    data = bytearray(content)
    for _ in range(rng.integers(1, 5)):
        at, size = int(rng.integers(len(data) or 1)), int(rng.integers(1, 40))
        match rng.integers(5):
            case 0 if data:
                data[at] ^= 1 << int(rng.integers(8))
            case 1:
                del data[at : at + size]
            case 2:
                data[at:at] = rng.bytes(size)
            case 3:
                data[at:at] = data[at : at + size]
            case _:
                del data[at:]
    return bytes(data)


def test_ten_thousand_altered_files_are_refused(file: Path) -> None:
    rng, content, other = np.random.default_rng(1), file.read_bytes(), file.with_name("fuzzed")
    for _ in range(5_000):
        data = mutated(content, rng)
        other.unlink(missing_ok=True)  # some file systems wait for the disk when a file is overwritten
        other.write_bytes(data)
        if data != content:
            with pytest.raises(FileError):
                read(other)
    write(file, "model", {"a": [1, 2]}, {"x": np.arange(3), "s": np.array(["ab", "c"]), "b": np.array([True])})
    body, outcomes = file.read_bytes()[ALIGN:], {True: 0, False: 0}
    n_head = PREAMBLE.unpack(file.read_bytes()[: PREAMBLE.size])[3]
    for _ in range(5_000):
        # with a right checksum: the header or the arrays differ, and both outcomes are fine
        head = mutated(body[:n_head].rstrip(), rng)[:n_head].ljust(n_head)
        other.unlink(missing_ok=True)
        other.write_bytes(signed(head + body[n_head:], n_head))
        try:
            _, arrays = read(other)
            assert sum(array.nbytes for array in arrays.values()) <= len(body)
            outcomes[True] += 1
        except FileError:
            outcomes[False] += 1
    assert min(outcomes.values()) > 10
