"""The documentation is executed and complete: code blocks, doctests, public names, commands, notes that code cites."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest
import typer
from fill_outputs import filled
from test_package import PUBLIC

import taut
from taut.cli import app

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if "_build" not in page.parts and "```python" in page.read_text()]
MODULES = ["taut", *(info.name for info in pkgutil.walk_packages(taut.__path__, "taut."))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_blocks_run_and_print_what_is_shown(page: Path) -> None:
    text = page.read_text()
    assert filled(text, page.name) == text, f"run: python docs/fill_outputs.py {page.relative_to(ROOT)}"


def test_the_readme_is_among_the_pages() -> None:
    assert PAGES[0].name == "README.md"


@pytest.mark.parametrize("module", MODULES)
def test_docstring_examples(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module)).failed == 0


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_is_in_the_api_page(module: str) -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    section = page.split(f"## `{module}`\n", 1)[1].split("\n## ", 1)[0]
    missing = [name for name in importlib.import_module(module).__all__ if not re.search(rf"\b{name}\b", section)]
    assert not missing, f"docs/api.md, section {module}, lacks {missing}"


def commands() -> dict[str, typer.core.TyperCommand]:
    return dict(typer.main.get_command(app).commands)


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_command_and_option_is_documented(name: str) -> None:
    page = (ROOT / "docs" / "command_line.md").read_text()
    assert f"## `taut {name}`" in page
    for parameter in commands()[name].params:
        for option in parameter.opts:
            assert not option.startswith("--") or option == "--help" or f"`{option}" in page, option
        assert parameter.help or parameter.name == "help", f"--{parameter.name} has no help text"


def test_every_note_that_the_code_cites_is_in_the_docs() -> None:
    sources = [path for folder in ("src", "tests", "benchmarks", "examples") for path in (ROOT / folder).rglob("*.py")]
    told = re.findall(r"^E\d+$", (ROOT / "docs" / "errata.md").read_text(), re.MULTILINE)
    told += re.findall(r"^## (C\.\d+) ", (ROOT / "docs" / "theory.md").read_text(), re.MULTILINE)
    for path in sources:
        for note in re.findall(r"\b(?:E[1-9]\d?|C\.\d+)(?=[a-j]?\b)", path.read_text()):
            assert note in told, f"{path.name} cites {note}: say what it is in docs/errata.md or docs/theory.md"


def test_tests_that_pin_the_errata_exist() -> None:
    page = (ROOT / "docs" / "errata.md").read_text()
    named = set(re.findall(r"`(test_\w+)`", page))
    written = {name for path in (ROOT / "tests").glob("test_*.py") for name in re.findall(r"def (test_\w+)", path.read_text())}
    assert named and named <= written, f"docs/errata.md names tests that do not exist: {named - written}"
    corrected, pinned = re.findall(r"^(E\d+)$", page, re.MULTILINE), re.findall(r"E\d+", page.split("## Where each is pinned")[1])
    assert set(corrected) == set(pinned), f"no test for {set(corrected) ^ set(pinned)}"


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    index = (folder / "index.md").read_text()
    assert [page.stem for page in sorted(folder.glob("0*.md"))] == re.findall(r"^0\S+$", index, re.MULTILINE)


def test_every_make_target_is_explained() -> None:
    lines = (ROOT / "Makefile").read_text().splitlines()
    phony = next(line for line in lines if line.startswith(".PHONY:")).split()[1:]
    explained = [line.split(":")[0] for line in lines if re.match(r"[a-z-]+:.*## ", line)]
    assert sorted(phony) == sorted(explained)
