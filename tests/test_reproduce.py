"""The reproduction: the page is what its raw lines say, lines survive, and a cell of every part runs."""

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from taut.cli import app
from taut.datasets import data_folder
from taut.plotting import save_figure
from taut.reproduce import PARTS, Cell, Lines, cells_of, lines_of, measure, page, write_page
from taut.reproduce.figures import TITLES, curves, plane
from taut.reproduce.theorems import Discs

DOCS = Path(__file__).parent.parent / "docs"
NUMBER = re.compile(r"([+-]?\d+\.\d+)( ± (\d+\.\d+))?")
needs_data = pytest.mark.skipif(data_folder() is None, reason="no folder of real data")


@pytest.fixture(scope="module")
def kept() -> dict[str, Lines]:
    return {part: lines_of(part, DOCS) for part in PARTS}


def test_the_page_is_written_from_the_lines(kept: dict[str, Lines]) -> None:
    drawn = [name for name in TITLES if (DOCS / "reproduction" / f"{name}.svg").exists()]
    assert page(kept, drawn, quick=False) == (DOCS / "reproduction.md").read_text(encoding="utf-8")


def rows(section: str) -> list[list[str]]:
    text = (DOCS / "reproduction.md").read_text(encoding="utf-8").split(f"## {section}")[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines() if line.startswith("|")]


def means(lines: Lines, pattern: str, *keys: str) -> tuple[float, float]:
    """Means as a reader would take them from the file: the lines that match, the numbers under keys."""
    stars = re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\[1\-9\]", "[1-9]") + "$")
    found = []
    for line in lines:
        if stars.match(line["id"]):
            for key in keys:
                line = line[key]
            found.append(line)
    return float(np.mean(found)), float(np.std(found, ddof=1) / np.sqrt(len(found))) if len(found) > 1 else np.nan


def agree(shown: str, expected: tuple[float, float]) -> None:
    value, _, error = NUMBER.fullmatch(shown.replace("*", "")).groups()
    assert abs(float(value) - expected[0]) <= 0.51 * 10.0 ** -len(value.split(".")[1]), (shown, expected)
    assert (error is None) == np.isnan(expected[1]) and (error is None or abs(float(error) - expected[1]) <= 0.051)


def test_numbers_of_table_1_are_means_of_their_lines(kept: dict[str, Lines]) -> None:
    checked = 0
    for row in rows("Table 1"):
        ids = re.match(r"`(.*)` \(\d+\)", row[-1])
        if ids and "/milp/" not in row[-1] and row[0] != "direct":
            for column, key, scale in ((1, "success", 100.0), (3, "queries", 1.0), (4, "ms", 1.0)):
                mean, error = means(kept["table1"], ids[1], "methods", row[0], key)
                agree(row[column], (scale * mean, scale * error))
                checked += 1
    assert checked or not len(kept["table1"])


@pytest.mark.parametrize(("part", "section", "key"), [("table2", "Table 2", "metrics"), ("table3", "Table 3", "over")])
def test_numbers_of_tables_2_and_3_are_means_of_their_lines(kept: dict[str, Lines], part: str, section: str, key: str) -> None:
    checked = 0
    for row in rows(section) if len(kept[part]) else []:
        ids = re.fullmatch(r"`(table\d/[^`]*)` \(\d+\)", row[-1])
        if ids and NUMBER.fullmatch(row[1]):
            under = key if key == "metrics" else f"over {ids[1].split('/')[2]}"
            for column, metric in enumerate(("Acc", "Label loss", "MiF1", "MaF1"), start=1):
                agree(row[column], means(kept[part], ids[1], under, metric))
                checked += 1
    assert checked or not len(kept[part])


def test_every_id_on_the_page_is_in_a_file(kept: dict[str, Lines]) -> None:
    names = {name for lines in kept.values() for name in lines._lines}
    for pattern in re.findall(r"`((?:table\d|training|theorems)/[^`]*)`", (DOCS / "reproduction.md").read_text(encoding="utf-8")):
        stars = re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\[1\-9\]", "[1-9]") + "$")
        assert any(stars.match(name) for name in names), pattern


def test_a_cell_with_a_line_is_not_run_again(tmp_path: Path) -> None:
    lines = Lines(tmp_path / "some" / "part.jsonl")
    runs = []
    cell = Cell("part/one/seed=0", lambda: runs.append(1) or {"value": np.float64(1.5), "none": float("nan")})
    lines.run(cell)
    again = Lines(tmp_path / "some" / "part.jsonl")
    assert cell.id in again and again[cell.id]["value"] == 1.5 and again[cell.id]["none"] is None
    assert again[cell.id]["made"]["numpy"] == np.__version__
    assert again.mean("part/one/*", "value").show(2) == "1.50" and again.mean("part/two/*", "value").show(2) == "-"
    (tmp_path / "some" / "part.jsonl").write_text('{"id": "a"}\n{broken\n')
    with pytest.raises(ValueError, match="line 2: expected a JSON object"):
        Lines(tmp_path / "some" / "part.jsonl")


def test_discs_answer_as_their_points_do() -> None:
    discs = Discs([[3.0, 1.0], [1.0, 3.0]], [0.5, 0.8])
    turn = np.linspace(0, 2 * np.pi, 20001)
    h, g = (discs.centres[:, k, None] + discs.radii[:, None] * wave for k, wave in ((0, np.cos(turn)), (1, np.sin(turn))))
    for lam in (0.1, 1.0, 7.0):
        answer = discs.argmax(lam)
        assert answer.h + lam * answer.g == pytest.approx((h + lam * g).max(), rel=1e-7)
        for lo, hi in ((0.6, 0.9), (1.2, 2.4), (4.0, 5.0)):
            inside, found = (g > lo) & (g < hi), discs.argmax_in_band(lam, lo, hi)
            assert (found is None) == (not inside.any())
            if found is not None:
                assert lo < found.g < hi and found.h + lam * found.g == pytest.approx((h + lam * g)[inside].max(), rel=1e-3)
    assert discs.best() == pytest.approx((h * g).max(), rel=1e-7)
    with pytest.raises(ValueError, match="inside the quadrant"):
        Discs([[1.0, 1.0]], [1.0])


def test_a_part_is_measured_once_and_where_it_stood(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    start = {"theorems": "theorems/blind/"}
    ran = [cell.id for cell in measure(start, tmp_path, tmp_path, True, lambda cell, k, n: told.append((cell.id, k, n)))]
    assert len(ran) == 3 and [name for name, _, _ in told] == ran and told[-1][1:] == (2, 3)
    assert not list(measure(start, tmp_path, tmp_path, True, lambda *_: None))
    text = write_page({part: lines_of(part, tmp_path) for part in PARTS}, tmp_path, quick=True).read_text()
    assert "### Theorem 1" in text and "Not run yet: 11 of 14" in text


def test_figures_are_drawn_from_lines(kept: dict[str, Lines], tmp_path: Path) -> None:
    figures = [plane.contours(), plane.query(), plane.angular(), plane.label_map(tmp_path), curves.rate(kept["theorems"])]
    figures += [curves.convergence(kept["training"], "whole"), curves.objective(kept["training"], "yeast", "whole")]
    figures += [curves.label_space(kept["table3"], "full"), curves.accuracy(Lines(tmp_path / "none"), "yeast", "whole")]
    drawn = [figure for figure in figures if figure is not None]
    assert len(drawn) >= 5 and figures[3] is None and figures[-1] is None
    for k, figure in enumerate(drawn):
        save_figure(figure, tmp_path / f"{k}.svg")
    assert all((tmp_path / f"{k}.svg").stat().st_size > 1000 for k in range(len(drawn)))


FIRST = {
    "table1": "table1/yeast/reg=0.1/after-each-example/n=60/seed=0",
    "table2": "table2/yeast/f1/slack/quick/seed=0",
    "table3": "table3/enron/leaves/slack/quick/seed=0",
    "training": "training/yeast/n=100/BCFW/lens/seconds=1",
    "theorems": "theorems/infinite/eps=0.01",
}


@needs_data
@pytest.mark.parametrize("part", PARTS)
def test_a_cell_of_every_part_runs(part: str) -> None:
    folder = data_folder()
    assert folder is not None
    cells = {cell.id: cell for quick in (True, False) for cell in cells_of(part, folder, quick)}
    line = cells[FIRST[part]].run()
    if part == "table1":
        share = {name: one["success"] for name, one in line["methods"].items()}
        assert share["lens"] == share["angular, threshold"] >= share["bisecting"] > 0
        assert line["methods"]["lens"]["queries"] < line["methods"]["bisecting"]["queries"] < line["methods"]["Sarawagi"]["queries"]
    elif part == "theorems":
        found = line["searches"]
        assert found["angular"]["certified"] and found["angular"]["off"] <= 0.01 and found["lens"]["off"] <= 0.01
        assert found["angular, as in the paper"]["off"] <= 0.01 and not found["bisecting"]["certified"]
    elif part == "training":
        assert line["rows"][-1][3] <= 1.01 * line["rows"][-1][4]
    else:
        assert line["gap"] <= 0.05


def test_the_command_needs_data(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["reproduce", "table1", "--data", str(tmp_path / "nowhere"), "--out", str(tmp_path)])
    assert result.exit_code != 0 and "`--data` must name the folder" in str(result.exception)
