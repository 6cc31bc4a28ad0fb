"""Readers on small files whose content is known, whole and in pieces, and what each says of a broken file."""

import gzip
import pickle
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.svm import LinearSVC

from taut.datasets import (
    DataError,
    Dataset,
    data_folder,
    iter_arff,
    iter_conll,
    iter_json_lines,
    iter_svmlight,
    load_arff,
    load_conll,
    load_json_lines,
    load_letters,
    load_svmlight,
    resplit,
)

MULAN = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="l2"></label>
<label name="it's"><label name="l1"></label></label>
</labels>
"""
DENSE = """% a comment
@RELATION 'dense: -C -3'

@attribute x numeric
@attribute 'two words' {a, 'b, c', d}   % not a comment of the format, hence no attribute of it
@Attribute bit {0,1}
@attribute\tl1 {0,1}
@attribute 'it\\'s' {FALSE, TRUE}
@attribute l2 integer
@data
1.5, a, 0, 1, FALSE, 0
-2e3,'b, c',1,0,TRUE,1

% another
.5,d,1,0,FALSE,0
"""
DENSE = DENSE.replace("   % not a comment of the format, hence no attribute of it", "")
SPARSE = """@relation sparse
@attribute x real
@attribute kind {a,b}
@attribute l1 {0,1}
@attribute l2 {1,0}
@data
{0 2.5, 2 1}
{}
{3 0, 1 b}
{ 1 'b' , 0 -1 }
"""
TREE = """@relation t
@attribute x numeric
@attribute class hierarchical 2/1,1,1/2,1/2/10,1/2/9,3
@data
1,1/2/9@3
2,2/1
3,1
"""
GRAPH = """@relation g
@attribute x numeric
@attribute class hierarchical root/a,root/b,a/c,b/c,c/d
@data
1,d
2,b
3,a@b
"""
SVMLIGHT = """# a comment
3,1 1:0.5 4:-2e-1  # row one
 2:1
2 3:1 1:7
7:1.5
"""
HEADED = "3 5 3\n2 0:0.5 4:1\n0,1 3:2\n 1:1\n"
JSON_LINES = """{"features": [[1, 0.5], [2e3, -1], [0, 0]], "edges": [[0, 1], [0, 2]], "labels": ["a", "b", "a"]}

{"labels": ["b"], "edges": [], "features": [[7, 7]]}
{"features": [[0.25, 1], [3, 4]], "edges": [[1, 0]], "labels": ["a", "a"]}
"""
CONLL = "-DOCSTART- -X- O\n\nThe DT B-NP\ncat\tNN I-NP\n\n\nsat VBD B-VP\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def put(text: str | bytes, name: str = "file") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return put


def dense(X: Any) -> np.ndarray:
    return X.toarray() if scipy.sparse.issparse(X) else X


def test_dense_arff(write: Callable[..., Path]) -> None:
    path, xml = write(DENSE), write(MULAN, "labels.xml")
    data = load_arff(path, xml)
    assert data.feature_names == ["x", "two words=a", "two words=b, c", "two words=d", "bit"]
    assert data.X.tolist() == [[1.5, 1, 0, 0, 0], [-2000, 0, 1, 0, 1], [0.5, 0, 0, 1, 1]]
    assert data.label_names == ["l2", "it's", "l1"] and data.hierarchy.tolist() == [[1, 2]]
    assert data.Y.tolist() == [[0, 1, 1], [1, 1, 0], [0, 0, 0]], "it's is above l1, hence has every example of it"
    X, Y = data
    assert X is data.X and Y is data.Y and X.dtype == float and Y.dtype == np.int8
    assert repr(data) == "Dataset(X: 3 x 5, Y: 3 x 3, feature_names: 5, label_names: 3, hierarchy: 1 x 2)"


@pytest.mark.parametrize(
    ("labels", "names"),
    [(None, ["l1", "it's", "l2"]), (-1, ["l2"]), (["l2", "bit"], ["l2", "bit"]), (-2, ["it's", "l2"])],
    ids=str,
)
def test_ways_to_name_labels(write: Callable[..., Path], labels: Any, names: list[str]) -> None:
    data = load_arff(write(DENSE), labels)
    assert data.label_names == names
    columns = {"l1": [1, 0, 0], "it's": [0, 1, 0], "l2": [0, 1, 0], "bit": [0, 1, 1]}
    assert data.Y.T.tolist() == [columns[name] for name in names]


def test_first_labels(write: Callable[..., Path]) -> None:
    text = "@relation x\n@attribute a {0,1}\n@attribute b {true,false}\n@attribute c real\n@data\n1,false,3\n"
    for data in (load_arff(write(text), 2), load_arff(write(text.replace("x", "'x: -C 2 -v'")))):
        assert data.label_names == ["a", "b"] and data.Y.tolist() == [[1, 0]] and data.X.tolist() == [[3]]


def test_sparse_arff(write: Callable[..., Path]) -> None:
    data = load_arff(write(SPARSE), ["l1", "l2"])
    assert isinstance(data.X, scipy.sparse.csr_array) and data.feature_names == ["x", "kind=a", "kind=b"]
    assert data.X.toarray().tolist() == [[2.5, 1, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 1]]
    assert data.Y.tolist() == [[1, 1], [0, 1], [0, 0], [0, 1]], "what is left out has the first value, which for l2 is 1"


def test_sparse_and_dense_rows_say_the_same(write: Callable[..., Path]) -> None:
    full = SPARSE.split("@data\n")[0] + "@data\n2.5,a,1,1\n0,a,0,1\n0,b,0,0\n-1,b,0,1\n"
    a, b = load_arff(write(SPARSE), -2), load_arff(write(full, "full"), -2)
    assert (a.X.toarray() == b.X).all() and (a.Y == b.Y).all()


def test_trees_and_graphs_of_clus(write: Callable[..., Path]) -> None:
    tree = load_arff(write(TREE))
    assert tree.label_names == ["1", "1/2", "1/2/10", "1/2/9", "2", "2/1", "3"]
    assert tree.hierarchy.tolist() == [[0, 1], [1, 2], [1, 3], [4, 5]]
    assert tree.Y.tolist() == [[1, 1, 0, 1, 0, 0, 1], [0, 0, 0, 0, 1, 1, 0], [1, 0, 0, 0, 0, 0, 0]]
    graph = load_arff(write(GRAPH))
    assert graph.label_names == ["a", "b", "c", "d"] and graph.hierarchy.tolist() == [[0, 2], [1, 2], [2, 3]]
    assert graph.Y.tolist() == [[1, 1, 1, 1], [0, 1, 0, 0], [1, 1, 0, 0]]


@pytest.mark.parametrize("rows", ["1,a\n?,b\n3,?\n?,a\n", "{0 1}\n{0 ?,1 b}\n{0 3,1 ?}\n{0 ?}\n"], ids=["dense", "sparse"])
def test_missing_values(write: Callable[..., Path], rows: str) -> None:
    text = "@relation m\n@attribute x real\n@attribute k {a,b}\n@attribute l {0,1}\n@data\n"
    path = write(text + (rows if rows[0] == "{" else rows.replace("\n", ",0\n")))
    with pytest.raises(DataError, match=r"line 7: expected a value of x \(`missing=\"nan\"` reads on\); found \?"):
        load_arff(path, -1)
    nan = np.nan
    expected = np.array([[1, 1, 0], [nan, 0, 1], [3, nan, nan], [nan, 1, 0]])
    assert np.array_equal(dense(load_arff(path, -1, missing="nan").X), expected, equal_nan=True)
    mean = np.where(np.isnan(expected), np.nanmean(expected, axis=0), expected)
    assert np.allclose(dense(load_arff(path, -1, missing="mean").X), mean, rtol=1e-15)
    with pytest.raises(ValueError, match=r'means need the whole file.*"mean"|means need the whole file'):
        next(iter_arff(path, -1, missing="mean"))


def test_dropped_attributes(write: Callable[..., Path]) -> None:
    text = "@relation m\n@attribute id string\n@attribute x real\n@attribute l {0,1}\n@data\n'a, b',2,1\n?,3,0\n"
    data = load_arff(write(text), -1, drop=["id"])
    assert data.X.tolist() == [[2], [3]] and data.Y.tolist() == [[1], [0]]
    with pytest.raises(DataError, match=r"line 2: expected a numeric .* \(`drop` leaves others out\); found id, of kind text"):
        load_arff(write(text), -1)


@pytest.mark.parametrize(
    ("keywords", "complaint"),
    [
        ({"labels": 2.5}, "`labels` must be a path, names, a number or None; it is 2.5"),
        ({"labels": ["l", "l"]}, r"`labels` must differ; found \['l', 'l'\]"),
        ({"labels": ["l"], "drop": ["x", "l"]}, "`drop` must not name labels; it names l"),
        ({"labels": ["l"], "drop": ["y"]}, "expected an attribute 'y'; found none of this name"),
        ({"labels": ["l"], "missing": "drop"}, '`missing` must be "raise"'),
    ],
    ids=str,
)
def test_wrong_calls(write: Callable[..., Path], keywords: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        load_arff(write(ROWS), **keywords)
    with pytest.raises(ValueError, match=complaint):
        iter_arff(write(ROWS), **keywords)  # at the call, not at the first piece


def test_comments_behind_attributes(write: Callable[..., Path]) -> None:
    text = "@relation c\n@attribute x real % 5% of it\n@attribute k {a%,'}'}% two\n@attribute l {0,1} % {\n@data % now\n1,a%,1\n"
    data = load_arff(write(text), -1)
    assert data.feature_names == ["x", "k=a%", "k=}"] and data.X.tolist() == [[1, 1, 0]]


def test_svmlight(write: Callable[..., Path]) -> None:
    data = load_svmlight(write(SVMLIGHT))
    assert data.label_names == [1, 2, 3] and data.Y.tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 0], [0, 0, 0]]
    rows = [[0.5, 0, 0, -0.2, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0], [7, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1.5]]
    assert data.X.toarray().tolist() == rows and data.X.has_sorted_indices
    wider = load_svmlight(write(SVMLIGHT), n_features=9, labels=[3, 2, 1, 0])
    assert wider.X.shape == (4, 9) and wider.Y.tolist() == [[1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]


def test_sparse_data_have_indices_that_liblinear_takes(write: Callable[..., Path]) -> None:
    (X, Y), (rows, _) = load_svmlight(write(SVMLIGHT)), load_arff(write(SPARSE), -2)
    whole = resplit((X, Y), (X, Y), 1).X
    for matrix in (X, rows, whole):
        assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    LinearSVC().fit(X, Y[:, 0])


def test_svmlight_with_a_header(write: Callable[..., Path]) -> None:
    data = load_svmlight(write(HEADED))
    assert data.X.toarray().tolist() == [[0.5, 0, 0, 0, 1], [0, 0, 0, 2, 0], [0, 1, 0, 0, 0]]
    assert list(data.label_names) == [0, 1, 2] and data.Y.tolist() == [[0, 0, 1], [1, 1, 0], [0, 0, 0]]


def test_conll(write: Callable[..., Path]) -> None:
    X, Y = load_conll(write(CONLL))
    assert X == [[("The", "DT"), ("cat", "NN")], [("sat", "VBD")]] and Y == [["B-NP", "I-NP"], ["B-VP"]]
    X, Y = load_conll(write("caf\xe9\xa0au X\n".encode("latin-1")), encoding="latin-1")
    assert X == [[("caf\xe9\xa0au",)]], "a no-break space is part of a token"


def test_json_lines(write: Callable[..., Path]) -> None:
    X, Y = load_json_lines(write(JSON_LINES))
    assert X[0] == ([[1.0, 0.5], [2000.0, -1.0], [0.0, 0.0]], [[0, 1], [0, 2]]) and X[1] == ([[7.0, 7.0]], [])
    assert Y == [["a", "b", "a"], ["b"], ["a", "a"]]
    X, Y = load_json_lines(write('{"features": [{"word": "caf\u00e9", "upper": true, "length": 4}, {}]}\n'))
    assert X == [[{"word": "caf\u00e9", "upper": True, "length": 4}, {}]] and Y is None


@pytest.mark.parametrize(
    ("line", "expected", "found"),
    [
        ("[1]", "an object with features", "[1]"),
        ('{"features": [[1]], "label": []}', "an object with features", "features, label"),
        ('{"edges": []}', "an object with features", "edges"),
        ("{'features': 1}", "a JSON object", "Expecting property name"),
        ("[" * 9999, "a JSON object", "recursion"),
        ('{"features": []}', "at least one row", "[]"),
        ('{"features": [[1], [1, 2]]}', "lists of as many finite numbers", "[1, 2]"),
        ('{"features": [[NaN]]}', "lists of as many finite numbers", "[nan]"),
        ('{"features": [[1e999]]}', "lists of as many finite numbers", "[inf]"),
        ('{"features": [[true]]}', "lists of as many finite numbers", "[True]"),
        ('{"features": [["1"]]}', "lists of as many finite numbers", "['1']"),
        ('{"features": [[1], {"a": 1}]}', "all dictionaries", "{'a': 1}"),
        ('{"features": [{"a": [1]}]}', "all dictionaries", "{'a': [1]}"),
        ('{"features": [[1, 2]], "edges": [[0, 1]]}', "pairs of rows from 0 to 0", "[[0, 1]]"),
        ('{"features": [[1, 2]], "edges": [[0]]}', "pairs of rows", "[[0]]"),
        ('{"features": [[1, 2]], "edges": [[0, 0.0]]}', "pairs of rows", "[[0, 0.0]]"),
        ('{"features": [[1, 2]], "labels": []}', "1 labels, one per row", "[]"),
        ('{"features": [[1, 2]], "labels": [1.5]}', "1 labels, one per row", "[1.5]"),
        ('{"features": [[1, 2]], "labels": "a"}', "1 labels, one per row", "'a'"),
        ('{"features": [[1, 2]]}', "rows of 2 numbers, edges, labels, as in line 1", "rows of 2 numbers, no edges, no labels"),
        ('{"features": [[1]], "edges": [], "labels": ["a"]}', "rows of 2 numbers, edges, labels", "rows of 1 numbers, edges"),
    ],
)  # fmt: skip
def test_broken_json_lines(write: Callable[..., Path], line: str, expected: str, found: str) -> None:
    with pytest.raises(DataError) as error:
        load_json_lines(write(JSON_LINES.splitlines()[0] + "\n" + line + "\n"))
    assert error.value.line == 2 and expected in error.value.expected and found in error.value.found


def test_letters(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 2, (5, 128)).astype(np.uint8)
    arrays = {"pixels": pixels, "labels": np.arange(5, dtype=np.int8), "offsets": np.array([0, 2, 5]), "fold": np.array([3, 9])}
    np.savez_compressed(tmp_path / "letters.npz", **arrays, more=np.ones(3))
    data = load_letters(tmp_path / "letters.npz")
    assert [len(x) for x in data.X] == [2, 3] and (np.concatenate(data.X) == pixels).all()
    assert [y.tolist() for y in data.Y] == [[0, 1], [2, 3, 4]] and data.part.tolist() == [3, 9]
    for name, wrong in [
        ("offsets", np.array([0, 4, 5])[::-1]),
        ("offsets", np.array([0, 2, 6])),
        ("labels", np.arange(6)),
        ("labels", np.arange(5) + 22),
        ("pixels", pixels * 2),
        ("fold", np.array([3.0, np.nan, 1.0])),
        ("fold", np.array([{}, {}])),
    ]:
        np.savez(tmp_path / "wrong.npz", **(arrays | {name: wrong}))
        with pytest.raises(DataError):
            load_letters(tmp_path / "wrong.npz")
    np.savez(tmp_path / "wrong.npz", pixels=pixels)
    with pytest.raises(DataError, match="expected an npz archive with pixels, labels, offsets, fold; found KeyError"):
        load_letters(tmp_path / "wrong.npz")


# every text reader: name of the file, whole, in pieces
READERS: list[tuple[str, Callable[..., Dataset], Callable[..., Any]]] = [
    (DENSE, load_arff, iter_arff),
    (TREE, load_arff, iter_arff),
    (GRAPH, load_arff, iter_arff),
    (SPARSE, lambda p, **k: load_arff(p, -2, **k), lambda p, **k: iter_arff(p, -2, **k)),
    (SVMLIGHT, load_svmlight, iter_svmlight),
    (HEADED, load_svmlight, iter_svmlight),
    (CONLL, load_conll, iter_conll),
    (JSON_LINES, load_json_lines, iter_json_lines),
]
IDS = ["dense", "tree", "graph", "sparse", "svmlight", "headed", "conll", "json lines"]


@pytest.mark.parametrize(("text", "load", "pieces"), READERS, ids=IDS)
def test_pieces_have_rows(write: Callable[..., Path], text: str, load: Any, pieces: Any) -> None:
    with pytest.raises(ValueError, match="`chunk` must be at least 1"):
        pieces(write(text), chunk=0)  # at the call, not at the first piece


@pytest.mark.parametrize(("text", "load", "pieces"), READERS, ids=IDS)
@pytest.mark.parametrize("chunk", [1, 2, 100])
def test_pieces_are_the_whole(write: Callable[..., Path], text: str, load: Any, pieces: Any, chunk: int) -> None:
    path = write(text)
    whole, parts = load(path), list(pieces(path, chunk=chunk))
    assert all(len(part.Y) == chunk for part in parts[:-1]) and 0 < len(parts[-1].Y) <= chunk
    assert all(part.label_names == whole.label_names and part.feature_names == whole.feature_names for part in parts)
    if isinstance(whole.X, list):
        assert [x for part in parts for x in part.X] == whole.X and [y for part in parts for y in part.Y] == whole.Y
    else:
        assert (np.concatenate([dense(part.X) for part in parts]) == dense(whole.X)).all()
        assert (np.concatenate([part.Y for part in parts]) == whole.Y).all()


@pytest.mark.parametrize(("text", "load", "pieces"), READERS, ids=IDS)
def test_gzip_line_ends_and_byte_order_marks_change_nothing(write: Callable[..., Path], text: str, load: Any, pieces: Any) -> None:
    plain = load(write(text))
    raw = text.encode()
    for other in (gzip.compress(raw), raw.replace(b"\n", b"\r\n"), raw.replace(b"\n", b"\r"), b"\xef\xbb\xbf" + raw, raw[:-1]):
        same = load(write(other))
        assert repr(same) == repr(plain)
        assert same.X == plain.X if isinstance(plain.X, list) else (dense(same.X) == dense(plain.X)).all()
    wide = load(write(text.encode("utf-16")), encoding="utf-16")
    assert repr(wide) == repr(plain)


@pytest.mark.parametrize(("text", "load", "pieces"), READERS, ids=IDS)
@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda raw: b"", "expected .*; found"),
        (lambda raw: gzip.compress(raw)[:-9], "expected a whole gzip file; found"),
        (lambda raw: gzip.compress(raw) + b"x", "expected a whole gzip file; found"),
        (lambda raw: raw + b"\xff\n", r"line \d+: expected text in utf-8 \(`encoding` names another\)"),
        (lambda raw: raw.decode().encode("utf-16"), "expected"),
        (lambda raw: b"\x00\x01\x02", "expected"),
    ],
    ids=["empty", "cut", "trailing", "bytes", "utf16", "binary"],
)
def test_what_no_reader_reads(
    write: Callable[..., Path], text: str, load: Any, pieces: Any, spoil: Callable[[bytes], bytes], complaint: str
) -> None:
    path = write(spoil(text.encode()))
    for read in (load, lambda path: list(pieces(path, chunk=1))):
        with pytest.raises(DataError, match=complaint) as error:
            read(path)
        assert error.value.path == str(path) and str(path) in str(error.value)


ROWS = "@relation r\n@attribute x real\n@attribute k {a,b}\n@attribute l {0,1}\n@data\n1,a,0\n"


@pytest.mark.parametrize(
    ("text", "line", "expected", "found"),
    [
        ("hello\n", 1, "@relation, @attribute, or @data", "hello"),
        ("@relation x\n@data\n", 2, "@relation, @attribute, or @data after them", "@data"),
        (ROWS.split("@data")[0], 4, "@data", "the end of the file"),
        (ROWS.split("1,a")[0], None, "rows after @data", "none"),
        (ROWS.replace("x real", "x float"), 2, "a name and numeric,", "x float"),
        (ROWS.replace("x real", "x"), 2, "a name and numeric,", "x"),
        (ROWS.replace("x real", "'x real"), 2, "a name and numeric,", "'x real"),
        (ROWS.replace("{a,b}", "{a,a}"), 3, "a name and numeric, {value, value}", "k {a,a}"),
        (ROWS.replace("{a,b}", "{a,'b}"), 3, "{value, value}", "quotes that do not match: a,'b"),
        (ROWS.replace("l {0,1}", "l {0,2}"), 4, "a label with the values 0 and 1", "l"),
        (ROWS + "1,a\n", 7, "3 values, one per attribute", "2: 1,a"),
        (ROWS + "1,a,0,\n", 7, "3 values, one per attribute", "4: 1,a,0,"),
        (ROWS + "1,'a,0\n", 7, "values between commas", "quotes that do not match: 1,'a,0"),
        (ROWS + "\n1,c,0\n", 8, "one of a, b as k", "c"),
        (ROWS + "1,1,0\n", 7, "one of a, b as k", "1"),
        (ROWS + "x,a,0\n", 7, "a finite number as x", "x"),
        (ROWS + "nan,a,0\n", 7, "a finite number as x", "nan"),
        (ROWS + "1e999,a,0\n", 7, "a finite number as x", "1e999"),
        (ROWS + "1_0,a,0\n", 7, "a finite number as x", "1_0"),
        (ROWS + "\u0661,a,0\n", 7, "a finite number as x", "\u0661"),
        (ROWS + "1,a,2\n", 7, "0 or 1 as l", "2"),
        (ROWS + "1,a,?\n", 7, "a value of the label l", "?"),
        (ROWS + "{0 1}\n", 7, "3 values", "1: {0 1}"),
        (ROWS.replace("1,a,0", "{0 1,0 2}"), 6, "`{index value, index value}` with indices below 3, each once", "{0 1,0 2}"),
        (ROWS.replace("1,a,0", "{3 1}"), 6, "`{index value", "{3 1}"),
        (ROWS.replace("1,a,0", "{-1 1}"), 6, "`{index value", "{-1 1}"),
        (ROWS.replace("1,a,0", "{99999999999999999999 1}"), 6, "`{index value", "{99999999999999999999 1}"),
        (ROWS.replace("1,a,0", "{0 1"), 6, "`{index value", "{0 1"),
        (ROWS.replace("1,a,0", "{0}"), 6, "`{index value", "{0}"),
        (ROWS.replace("1,a,0", "{0 1}, {2}"), 6, "`{index value", "{0 1}, {2}"),
        (ROWS.replace("1,a,0", "{2 7}"), 6, "0 or 1 as l", "7"),
        (ROWS.replace("1,a,0", "{1 c}"), 6, "one of a, b as k", "c"),
    ],
)
def test_broken_arff(write: Callable[..., Path], text: str, line: int | None, expected: str, found: str) -> None:
    path = write(text)
    with pytest.raises(DataError) as error:
        load_arff(path, ["l"])
    assert (error.value.line, error.value.found) == (line, found) and expected in error.value.expected
    where = str(path) if line is None else f"{path}, line {line}"
    assert str(error.value) == f"{where}: expected {error.value.expected}; found {found}."
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        (TREE.replace("1/2/9@3", "1/2/8"), 4 + 1, "classes that the header lists"),
        (TREE.replace("1/2/9@3", "?"), 5, "classes that the header lists"),
        (TREE.replace("1/2/9@3", ""), 5, "classes that the header lists"),
        (TREE.replace("1/2/9@3", "1@"), 5, "classes that the header lists"),
        (TREE.replace("2/1,1,", "2/1,,1,"), 3, "classes `a/b/c`, at most 100 deep"),
        (TREE.replace("2/1,1,", "/".join("1" * 101) + ","), 3, "classes `a/b/c`, at most 100 deep"),
        (GRAPH.replace("c/d", "c/d,d/b"), 3, "a hierarchy"),
        (GRAPH.replace("c/d", "c/c"), 3, "a hierarchy"),
        (GRAPH.replace("c/d", "a/c/d"), 3, "edges `parent/child` below `root`"),
        (GRAPH.replace("c/d", "c/root"), 3, "edges `parent/child` below `root`"),
        (TREE.replace("hierarchical 2", "numeric 2"), 3, "a name and numeric"),
        (TREE.replace("@data", "@attribute d hierarchical 1,2\n@data"), None, "one hierarchical attribute"),
        (TREE.replace("1,1/2/9@3", "{0 1}"), 5, "a class of the hierarchy"),
    ],
)
def test_broken_classes(write: Callable[..., Path], text: str, line: int | None, expected: str) -> None:
    with pytest.raises(DataError) as error:
        load_arff(write(text))
    assert error.value.line == line and expected in error.value.expected


@pytest.mark.parametrize(
    ("labels", "complaint"),
    [
        (None, "expected one hierarchical attribute, or `labels`"),
        (["nobody"], "expected an attribute 'nobody'; found none of this name"),
        (0, "expected 0 labels among 3 attributes"),
        (4, "expected 4 labels among 3 attributes"),
        (["k"], "line 3: expected a label with the values 0 and 1, or false and true; found k"),
    ],
    ids=str,
)
def test_labels_that_are_not_there(write: Callable[..., Path], labels: Any, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        load_arff(write(ROWS), labels)


@pytest.mark.parametrize(
    ("xml", "line", "expected"),
    [
        ("", 1, '<label name="..."/> inside <labels>'),
        ("<labels></labels>", None, "labels of different names"),
        ('<labels><label name="l"/><label name="l"/></labels>', None, "labels of different names"),
        ("<labels>\n<label/></labels>", None, "inside <labels>"),
        ('<labels>\n<label name="l"></labels>', 2, "inside <labels>"),
        ('<labels>\n<lobel name="l"/></labels>', None, "inside <labels>"),
        ('<!DOCTYPE a [<!ENTITY b "c">]>\n<labels><label name="&b;"/></labels>', 1, "labels without a document type"),
        ("<labels>" + '<label name="x">' * 101 + "</label>" * 101 + "</labels>", None, "inside <labels>"),
    ],
)
def test_broken_label_files(write: Callable[..., Path], xml: str, line: int | None, expected: str) -> None:
    with pytest.raises(DataError) as error:
        load_arff(write(ROWS), write(xml, "labels.xml"))
    assert error.value.line == line and expected in error.value.expected and error.value.path.endswith("labels.xml")


@pytest.mark.parametrize(
    ("text", "line", "expected", "found"),
    [
        ("1 1:2\nx 1:2\n", 2, "`label,label index:value index:value` in plain numbers", "x 1:2"),
        ("1 1:2 2\n", 1, "`label,label", "2"),
        ("1 1:2:3 4\n", 1, "`label,label", "1:2:3"),
        ("1 qid:3 1:2\n", 1, "`label,label", "qid:3"),
        ("1 1:two\n", 1, "`label,label", "1:two"),
        ("1 1:1_0\n", 1, "`label,label", "1:1_0"),
        ("1 99999999999:1\n", 1, "`label,label", "1 99999999999:1"),
        ("1 0:1\n", 1, "indices from 1 (`zero_based=True` reads them from 0)", "1 0:1"),
        ("1 2:1 2:1\n", 1, "each once", "1 2:1 2:1"),
        ("1 2:nan\n", 1, "finite values", "nan"),
        ("1 2:1e999\n", 1, "finite values", "nan or an infinity"),
        ("2 3 3\n0 1:1\n", None, "2 rows, as the first line says", "1"),
        ("1 3 3\n0 3:1\n", 2, "at most 3 features", "index 3, counted from 0"),
        ("1 3 3\n3 0:1\n", 2, "labels among the 3 known ones", "3"),
        ("9 9999999999 3\n", 1, "at most 2147483647 columns", "9 9999999999 3"),
        ("1 3 2000000000\n0 0:1\n", None, "at most 256 MiB of Y", "1 rows x 2000000000 columns"),
    ],
)
def test_broken_svmlight(write: Callable[..., Path], text: str, line: int | None, expected: str, found: str) -> None:
    with pytest.raises(DataError) as error:
        load_svmlight(write(text))
    assert error.value.line == line and expected in error.value.expected and found in error.value.found


def test_svmlight_beyond_what_the_caller_knows(write: Callable[..., Path]) -> None:
    with pytest.raises(DataError, match="line 5: expected at most 5 features; found index 6"):
        load_svmlight(write(SVMLIGHT), n_features=5)
    with pytest.raises(DataError, match="line 4: expected labels among the 2 known ones; found 2"):
        load_svmlight(write(SVMLIGHT), labels=[1, 3])
    with pytest.raises(ValueError, match="`labels` must differ; found 3 labels of 2 kinds"):
        load_svmlight(write(SVMLIGHT), labels=[1, 3, 1])


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("\n\n", None, "lines `token ... label`"),
        ("lonely\n", 1, "a token and its label"),
        ("a B\nb B C\n", 2, "2 columns, as in line 1"),
        ("\na B\n\nb\n", 4, "2 columns, as in line 2"),
    ],
)
def test_broken_conll(write: Callable[..., Path], text: str, line: int | None, expected: str) -> None:
    with pytest.raises(DataError) as error:
        load_conll(write(text))
    assert error.value.line == line and error.value.expected == expected


def test_a_missing_file_is_the_systems_error(tmp_path: Path) -> None:
    for load in (load_arff, load_svmlight, load_conll, load_json_lines, load_letters):
        with pytest.raises(FileNotFoundError):
            load(tmp_path / "nothing")


def test_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAUT_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    monkeypatch.setenv("TAUT_DATA", str(tmp_path / "nothing"))
    with pytest.raises(FileNotFoundError, match=r"TAUT_DATA names .*nothing, which is no folder"):
        data_folder()
    (tmp_path / "repository").mkdir()
    monkeypatch.chdir(tmp_path / "repository")
    monkeypatch.delenv("TAUT_DATA")
    assert data_folder() is None
    with pytest.raises(FileNotFoundError, match="No data folder: expected a path, or the environment variable TAUT_DATA"):
        load_letters()
    (tmp_path / "shared" / "data").mkdir(parents=True)
    assert data_folder() is not None


def test_pieces_take_the_memory_of_a_piece(write: Callable[..., Path]) -> None:
    path = write("".join(f"{i % 50} {' '.join(f'{j}:1' for j in range(1, 40))}\n" for i in range(4_000)))
    tracemalloc.start()
    n = sum(len(part.Y) for part in iter_svmlight(path, chunk=50, n_features=40, labels=range(50)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n == 4_000 and peak < 500_000, "the whole takes 2 MB"
