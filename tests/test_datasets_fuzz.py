"""Ten thousand damaged files through every reader: a right answer or `DataError`; no other error, no hang, little memory."""

import contextlib
import gzip
import re
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from test_datasets import CONLL, DENSE, GRAPH, HEADED, JSON_LINES, MULAN, SPARSE, SVMLIGHT, TREE

from taut.datasets import (
    DataError,
    iter_arff,
    iter_conll,
    iter_json_lines,
    iter_svmlight,
    load_arff,
    load_conll,
    load_cora,
    load_json_lines,
    load_letters,
    load_rcv1,
    load_snakes,
    load_svmlight,
)

N_FILES = 10_000
SECONDS = 2.0  # of the processor, for one file of a kilobyte, which takes some milliseconds
MEGABYTES = 200

NUMBERS = [b"0", b"-1", b"7", b"1e999", b"nan", b"99999999", b"2147483648", b"99999999999999999999", b"1_0", b"9" * 5000, b"?"]
BITS = [b"{", b"}", b"'", b'"', b",", b":", b"@", b"/", b"%", b"#", b"\\", b" ", b"\n", b"\r", b"\x00"]
BITS += [b"\xff", b"\xe9", b"\xc2\xa0"]
BITS += [b"<", b">", b"&", b"@data\n", b"@attribute x numeric\n", b"\xef\xbb\xbf", b"-DOCSTART-", b"&#0;", b"root/"]


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """One to four of: bits flipped, bytes cut, put in or doubled, lines swapped, numbers blown up, cut short, encoded otherwise."""
    data = bytearray(content)
    for _ in range(rng.integers(1, 5)):
        at, size = int(rng.integers(len(data) or 1)), int(rng.integers(1, 40))
        match rng.integers(9):
            case 0 if data:
                data[at] ^= 1 << int(rng.integers(8))
            case 1:
                del data[at : at + size]
            case 2:
                data[at:at] = rng.bytes(size)
            case 3:
                data[at:at] = data[at : at + size] * int(rng.integers(1, 50))
            case 4:
                rows = data.split(b"\n")
                i, j = rng.integers(len(rows), size=2)
                rows[i], rows[j] = rows[j], rows[i]
                data = bytearray(b"\n".join(rows))
            case 5 if numbers := list(re.finditer(rb"\d+", data)):
                where = numbers[int(rng.integers(len(numbers)))]
                data[where.start() : where.end()] = NUMBERS[int(rng.integers(len(NUMBERS)))]
            case 6:
                data[at:at] = BITS[int(rng.integers(len(BITS)))] * int(rng.choice([1, 1, 3, 1000]))
            case 7 if rng.random() < 0.3:
                text = data.decode("latin-1")
                data = bytearray(text.encode(["utf-8", "utf-16", "utf-16-le", "utf-32", "utf-7"][int(rng.integers(5))]))
            case _ if rng.random() < 0.3:
                del data[at:]
    return bytes(data)


def texts(tmp_path: Path) -> dict[str, tuple[bytes, Callable[[Path], Any]]]:
    """Content of a right file, and how to read it."""
    dense = tmp_path / "dense.arff"
    dense.write_text(DENSE)
    return {
        "dense": (DENSE.encode(), load_arff),
        "dense, names": (DENSE.encode(), lambda path: load_arff(path, ["l1", "l2"], missing="mean")),
        "sparse": (SPARSE.encode(), lambda path: load_arff(path, -2, missing="nan")),
        "labels": (MULAN.encode(), lambda path: load_arff(dense, path)),
        "tree": (TREE.encode(), load_arff),
        "graph": (GRAPH.encode(), lambda path: next(iter_arff(path, chunk=2))),
        "svmlight": (SVMLIGHT.encode(), load_svmlight),
        "svmlight, pieces": (SVMLIGHT.encode(), lambda path: next(iter_svmlight(path, chunk=2))),
        "headed": (HEADED.encode(), load_svmlight),
        "conll": (CONLL.encode(), load_conll),
        "json lines": (JSON_LINES.encode(), load_json_lines),
        "json lines, pieces": (JSON_LINES.encode(), lambda path: next(iter_json_lines(path, chunk=1))),
        "conll, pieces": (CONLL.encode(), lambda path: next(iter_conll(path, chunk=1))),
    }


def archives(tmp_path: Path) -> dict[str, tuple[bytes, Callable[[Path], Any]]]:
    rng = np.random.default_rng(0)
    path = tmp_path / "right.npz"

    def packed(save: Callable[..., None] = np.savez, **arrays: Any) -> bytes:
        save(path, **arrays)
        return path.read_bytes()

    pixels = rng.integers(0, 2, (3, 128)).astype(np.uint8)
    letters = {"pixels": pixels, "labels": np.array([1, 2, 3], np.int8), "offsets": np.array([0, 1, 3]), "fold": np.array([0, 1])}
    shapes = np.array([[2, 3], [1, 4]])
    snakes = {"X_train": np.ones((10, 3), np.uint8), "Y_train": np.arange(10) % 11, "shapes_train": shapes}
    csr = {"X_data": np.ones(3, np.float32), "X_indices": np.array([0, 2, 1]), "X_indptr": np.array([0, 2, 3])}
    csr["X_shape"] = np.array([2, 4])
    cora = {"y": np.array([0, 6]), "edges": np.array([[0, 1]]), **{f"{k}_idx": np.array([0]) for k in ("train", "valid", "test")}}
    topics = {"Y_indices": np.array([0, 2, 1, 3, 4]), "Y_indptr": np.array([0, 2, 5]), "Y_shape": np.array([2, 5])}
    folder = tmp_path / "rcv1"
    folder.mkdir()
    tree = b"Root\tMCAT\nMCAT\tM11\tM12\tM13\tM14\nM14\tM143\tOTHER\n"
    names = {"npz": packed(**csr, **topics), "txt": b"M11\nM12\nM13 M14\nOTHER\n", "tax": tree}
    files = {"npz": folder / "rcv1subset1-train.npz", "txt": folder / "topics.txt", "tax": folder / "rcv1.taxonomy"}

    def rcv1(which: str) -> tuple[bytes, Callable[[Path], Any]]:
        def read(path: Path) -> Any:
            for kind, content in names.items():
                rewrite(files[kind], path.read_bytes() if kind == which else content)
            return load_rcv1(1, folder=folder)

        return names[which], read

    return {
        "letters": (packed(**letters), load_letters),
        "letters, deflated": (packed(np.savez_compressed, **letters), load_letters),
        "snakes": (packed(**snakes), lambda path: load_snakes("train", path)),
        "cora": (packed(**csr, **cora), load_cora),
        "rcv1": rcv1("npz"),
        "rcv1, topics": rcv1("txt"),
        "rcv1, tree": rcv1("tax"),
    }


def rewrite(path: Path, content: bytes) -> None:
    """Take the old file away first: some file systems wait for the disk when a file is overwritten, 3 ms each time."""
    path.unlink(missing_ok=True)
    path.write_bytes(content)


def finite(X: Any) -> bool:
    if isinstance(X, (list, tuple)):
        return all(map(finite, X))
    return isinstance(X, (str, dict, float, int)) or not np.isinf(X.data if scipy.sparse.issparse(X) else X).any()


def peak_megabytes() -> float:
    if sys.platform == "win32":  # which does not tell
        return 0.0
    import resource

    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / (2**20 if sys.platform == "darwin" else 2**10)


def test_ten_thousand_damaged_files(tmp_path: Path) -> None:
    rng, path = np.random.default_rng(2), tmp_path / "damaged"
    readers = texts(tmp_path) | archives(tmp_path)
    for content, read in readers.values():
        path.write_bytes(content)
        read(path)  # else the test below would pass for another reason
    before, outcomes = peak_megabytes(), {name: {"read": 0, "refused": 0} for name in readers}
    for k in range(N_FILES):
        name = list(readers)[k % len(readers)]
        content, read = readers[name]
        data = damaged(content, rng)
        if rng.random() < 0.1:
            data = gzip.compress(data, 1)
            data = damaged(data, rng) if rng.random() < 0.5 else data
        rewrite(path, data)
        start = time.process_time()
        try:
            found = read(path)
            assert len(found.X) > 0 if isinstance(found.X, list) else found.X.shape[0] > 0
            assert finite(found.X), (name, data)
            outcomes[name]["read"] += 1
        except DataError as error:
            outcomes[name]["refused"] += str(error).startswith(str(tmp_path)) and len(str(error)) < 1000
        except Exception as error:
            pytest.fail(f"{name}: {type(error).__name__}: {error} on {data!r}")
        assert time.process_time() - start < SECONDS, (name, data)
    assert sum(sum(counts.values()) for counts in outcomes.values()) == N_FILES, "an error without its file, or of great length"
    assert peak_megabytes() - before < MEGABYTES
    assert all(min(counts.values()) > 10 for counts in outcomes.values()), outcomes


LONG = 60_000
HOSTILE = ["9" * LONG + "x", " " * LONG + "'", "' " * LONG, " %" * LONG + "}", "a/" * LONG, "1:" * LONG, "-C " * LONG]
HOSTILE += ["." * LONG, "{" * LONG, "1," * LONG, "1 " * LONG, "\\" * LONG, "e1" * LONG, "<a>" * LONG, "@" * LONG]


@pytest.mark.parametrize("name", ["dense", "sparse", "labels", "tree", "graph", "svmlight", "headed", "conll", "json lines"])
def test_long_lines_take_the_time_of_reading_them(tmp_path: Path, name: str) -> None:
    """Regular expressions that try every split of a text would take ten seconds and more."""
    path = tmp_path / "long"
    content, read = texts(tmp_path)[name]
    marks = [found.start() for found in re.finditer(rb"\d|(?<=\n).|[{']", content)]
    for at in marks[:: -(-len(marks) // 7)]:
        for hostile in HOSTILE:
            rewrite(path, content[:at] + hostile.encode() + content[at:])
            start = time.process_time()
            with contextlib.suppress(DataError):
                read(path)
            assert time.process_time() - start < SECONDS, (hostile[:5], content[:at][-30:])


@pytest.mark.parametrize("kind", ["rows", "line", "labels", "nominal", "npz"])
def test_a_small_file_cannot_ask_for_much_memory(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "bomb"
    head = b"@relation r\n@attribute l {0,1}\n@attribute k {" + b",".join(b"%d" % i for i in range(20_000))
    content = {
        "rows": b"1 1:1\n" + b"".join(b"%d 1:1\n" % i for i in range(30_000)),  # as many labels as rows
        "line": b"1 " + b"9" * 2**27,
        "labels": b"2 3 900000000\n0 1:1\n1 1:1\n",
        "nominal": head + b"}\n@data\n" + b"0,1\n" * 20_000,
        "npz": b"",
    }[kind]
    if kind == "npz":
        shape = b"{'descr': '|u1', 'fortran_order': False, 'shape': (999999999999, 128), }\n"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("pixels.npy", b"\x93NUMPY\x01\x00" + len(shape).to_bytes(2, "little") + shape + bytes(128))
        content = path.read_bytes()
    path.write_bytes(gzip.compress(content, 1) if kind == "line" else content)
    read = {"nominal": lambda path: load_arff(path, 1), "npz": load_letters}.get(kind, load_svmlight)
    tracemalloc.start()
    with pytest.raises(DataError):
        read(path)
    assert tracemalloc.get_traced_memory()[1] < 6 * 2**26
    tracemalloc.stop()
