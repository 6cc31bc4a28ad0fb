"""The command line: what it prints, and how it fails."""

import json
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import taut
from taut.cli import app, main
from taut.cli.search_demo import random_points

run = CliRunner().invoke


def test_version() -> None:
    result = run(app, ["--version"])
    assert result.exit_code == 0
    assert result.stdout.strip() == f"taut {taut.__version__}"


@pytest.mark.parametrize("arguments", [["--help"], ["demo", "--help"], ["-h"]])
def test_help(arguments: list[str]) -> None:
    result = run(app, arguments)
    assert result.exit_code == 0
    assert "Usage" in result.stdout


def test_search_demo_shows_both_searches_with_their_certificates() -> None:
    result = run(app, ["demo", "--search"])
    assert result.exit_code == 0
    for expected in ("lens_search", "angular_search", "lam", "asked about", "all labels", "g in (", "g/h in", "bound"):
        assert expected in result.stdout
    assert result.stdout.count("certified: no label has more than") == 2
    assert "Enumeration of all" in result.stdout


@pytest.mark.parametrize(("labels", "seed", "lam"), [(24, 36, 1.0), (1, 0, 1e-3), (2, 5, 1e3), (200, 7, 1.0)])
def test_search_demo_json_is_strict_and_right(labels: int, seed: int, lam: float) -> None:
    result = run(app, ["demo", "--search", "--json", "--labels", str(labels), "--seed", str(seed), "--lam", str(lam)])
    assert result.exit_code == 0

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    shown = json.loads(result.stdout, parse_constant=refuse)
    h, g = np.array(shown["h"]), np.array(shown["g"])
    points = random_points(labels, seed)
    assert (h == points.h).all()
    assert (g == points.g).all()
    for search in shown["searches"].values():
        assert search["certified"]
        assert search["n_queries"] == len(search["trace"])
        assert search["value"] == pytest.approx((h * g).max(), rel=1e-12)
        assert {query["region"]["kind"] for query in search["trace"] if query["region"]} <= {"cone", "band"}


def test_the_default_search_demo_needs_more_than_the_hull() -> None:
    """The demo's point: the best label is none that the multiplier alone can find."""
    points = random_points(24, 36)
    assert taut.search.binary_search(points).value < 0.9 * taut.search.lens_search(points).value


@pytest.mark.parametrize("arguments", [["demo", "--labels", "0"], ["demo", "--no-such-option"], ["no-such-command"]])
def test_wrong_usage_exits_with_2(arguments: list[str]) -> None:
    assert run(app, arguments).exit_code == 2


def test_bad_input_exits_with_2_and_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "argv", ["taut", "demo", "--search", "--lam", "-1"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "`lam` must be positive" in line


def test_the_installed_command_runs() -> None:
    code = "import sys; sys.argv = ['taut', '--version']; from taut.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"taut {taut.__version__}"
