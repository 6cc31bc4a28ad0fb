"""Draw the README's picture: the figure of `examples/plot_search.py`, as an SVG that is the same in every run.

Usage: ``python docs/make_picture.py [FILE]``
"""

import runpy
import sys
from pathlib import Path

import matplotlib as mpl

HERE = Path(__file__).resolve().parent


def main(path: Path) -> None:
    """Run the example and save its figure."""
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "taut"
    figure = runpy.run_path(str(HERE.parent / "examples" / "plot_search.py"))["fig"]
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "_static" / "search.svg")
