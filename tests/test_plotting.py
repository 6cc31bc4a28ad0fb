"""Drawings show what the search did; the laws are about what is on the axes, not about how it looks."""

import builtins
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import make_picture
import matplotlib.pyplot as plt

from taut.oracles import Points
from taut.plotting import draw_search
from taut.search import angular_search, binary_search, bisecting_search, lens_search, sarawagi_search

SEARCHES = [angular_search, binary_search, bisecting_search, lens_search, sarawagi_search]
PLANES = {
    "under the hull": ([9.0, 2.5, 5.2, 1.0], [2.0, 9.0, 5.0, 4.0]),
    "one label": ([2.0], [3.0]),
    "none positive": ([-1.0, 1.0], [2.0, 0.0]),
    "negative h": ([-30.0, 3.0, 1.0], [5.0, 1.0, 2.0]),
    "all on an axis": ([0.0, 0.0], [1.0, 2.0]),
    "tiny": ([1e-12, 2e-12, 4e-12], [3e-12, 2e-12, 1e-12]),
    "huge": ([1e12, 2e12, 4e12], [3e12, 2e12, 1e12]),
}


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.__name__)
@pytest.mark.parametrize("name", PLANES)
def test_every_question_is_numbered_inside_the_axes(search: Any, name: str) -> None:
    points = Points(*PLANES[name])
    result = search(points)
    ax = draw_search(result, points)
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.texts] == [str(t + 1) for t in range(result.n_queries)]
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    for text in ax.texts:
        h, g = text.xy
        assert np.isfinite([h, g]).all()
        if result.label is not None:
            assert left <= h <= right
            assert bottom <= g <= top


def test_the_lens_holds_every_better_label() -> None:
    points = Points(*PLANES["under the hull"])
    result = lens_search(points)
    ax = draw_search(result, points)
    (lens,) = ax.collections
    inside = lens.get_paths()[0].contains_point((result.h, result.g))
    assert inside


def test_draws_on_the_axes_given() -> None:
    points = Points(*PLANES["under the hull"])
    ax = plt.figure().add_subplot()
    assert draw_search(lens_search(points), points, ax) is ax
    assert plt.get_fignums() == [ax.figure.number]


def test_without_matplotlib_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    points = Points(*PLANES["under the hull"])
    real = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ImportError, match=r"plot.*taut\[plot\]"):
        draw_search(lens_search(points), points)


def test_the_readme_picture_can_be_drawn_again(tmp_path: Path) -> None:
    make_picture.main(tmp_path / "search.svg")
    assert (tmp_path / "search.svg").read_text().startswith("<?xml")
