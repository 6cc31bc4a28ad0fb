"""The page of results: its tables are what the raw lines give, and a little of every part can be computed."""

import re
from pathlib import Path

import pytest

from benchmarks.accuracy import __main__ as command
from benchmarks.accuracy import sequences, sets
from benchmarks.accuracy.lines import FOLDER, Cell, Lines, compute
from benchmarks.accuracy.page import TABLES, filled
from taut.datasets import data_folder

TEXT, README = command.PAGE.read_text(), command.README.read_text()


@pytest.mark.parametrize("text", [TEXT, README], ids=["page", "readme"])
def test_the_tables_are_what_the_raw_lines_give(text: str) -> None:
    assert filled(text, command.read(FOLDER)) == text, "run: python -m benchmarks.accuracy"


def test_every_table_is_on_a_page() -> None:
    assert sorted(re.findall(r"<!-- table: (.+?) -->", TEXT + README)) == sorted(TABLES)


def test_the_lines_name_the_machine_and_no_folder_of_it() -> None:
    for path in FOLDER.glob("*.jsonl"):
        lines = Lines(path)
        assert lines.machine is not None and {"processor", "cores", "python", "numpy", "taut"} <= set(lines.machine)
        assert "/" not in path.read_text().replace("machine/", "")


def test_a_finished_cell_is_not_computed_again(tmp_path: Path) -> None:
    asked: list[int] = []

    def run(k: int) -> dict[str, int]:
        asked.append(k)
        return {"square": k * k}

    for upto in (2, 4):
        lines = Lines(tmp_path / "lines.jsonl")
        compute((Cell({"k": k}, lambda k=k: run(k)) for k in range(upto)), lines, lambda told: None)
    assert asked == [0, 1, 2, 3]
    again = Lines(tmp_path / "lines.jsonl")
    assert [row["square"] for row in again.rows] == [0, 1, 4, 9] and again.find(k=2) == {"k": 2, "square": 4}


@pytest.mark.skipif(data_folder() is None, reason="no data folder: set TAUT_DATA to run the tests on real data")
@pytest.mark.parametrize("part", [sets, sequences], ids=["sets", "sequences"])
def test_a_little_of_every_part(part, tmp_path: Path) -> None:
    path = tmp_path / f"{part.__name__.rpartition('.')[2]}.jsonl"
    lines = Lines(path)
    compute(part.cells(part.QUICK, lines), lines, lambda told: None)
    assert lines.rows and all(set(row["scores"]) for row in lines.rows if "scores" in row)
    page = filled(TEXT, command.read(tmp_path))
    assert "| " in page and page != TEXT


@pytest.mark.parametrize("name", sorted(TABLES))
def test_no_table_needs_all_lines(name: str, tmp_path: Path) -> None:
    assert TABLES[name](Lines(tmp_path / "none.jsonl")).startswith("\n| ")
