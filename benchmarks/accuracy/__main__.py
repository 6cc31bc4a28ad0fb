"""Compute what the tables of docs/results.md and the README still lack, then write them.

    python -m benchmarks.accuracy [--quick] [part ...]

Parts: sets (label sets and hierarchies), sequences; both by default. Every finished cell is a line in benchmarks/accuracy/lines; a
command that was stopped goes on where it was. `--quick` computes a little of everything anew, into benchmarks/results, and
prints what the page would be.
"""

import argparse
from pathlib import Path

from benchmarks.accuracy import sequences, sets
from benchmarks.accuracy.lines import FOLDER, Lines, compute
from benchmarks.accuracy.page import filled
from benchmarks.machine import RESULTS

ROOT = Path(__file__).parents[2]
PAGE, README = ROOT / "docs" / "results.md", ROOT / "README.md"
PARTS = {"sets": sets, "sequences": sequences}


def main() -> None:
    """Compute and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--quick", action="store_true", help="a smoke run; the page and its lines stay as they are")
    given = parser.parse_args()
    if sequences.pycrfsuite is None:
        print(sequences.MISSING)
    if given.quick:
        print(quick(RESULTS / "accuracy", given.part))
        return
    for part in given.part:
        lines = Lines(FOLDER / f"{part}.jsonl")
        compute(PARTS[part].cells(PARTS[part].PLAN, lines), lines, print)
    write()


def quick(folder: Path, parts: list[str]) -> str:
    """A little of every part; returns the page."""
    text = PAGE.read_text()
    for part in parts:
        path = folder / f"{part}.jsonl"
        path.unlink(missing_ok=True)
        lines = Lines(path)
        compute(PARTS[part].cells(PARTS[part].QUICK, lines), lines, print)
    return filled(text, read(folder))


def read(folder: Path) -> Lines:
    """The lines of all parts together."""
    every = Lines(folder / "sets.jsonl")
    more = Lines(folder / "sequences.jsonl")
    every.rows += more.rows
    return every


def write() -> None:
    """The page and the README with the tables of the lines that there are."""
    for path in (PAGE, README):
        path.write_text(filled(path.read_text(), read(FOLDER)))


if __name__ == "__main__":
    main()
