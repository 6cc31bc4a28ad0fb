"""`taut demo --search`: two searches on a small set, question by question."""

import json
import math
from typing import Any

import numpy as np
from rich.columns import Columns
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from ..oracles import Points
from ..plane import Band, Cone
from ..search import SearchResult, angular_search, lens_search
from .app import print_json

__all__ = ["random_points", "search_demo"]


def search_demo(labels: int, seed: int, lam: float, as_json: bool) -> None:
    """Show two exact searches on a small random set, question by question.

    Every label is a point (h, g); the best one has the greatest product h * g. A search does not see the set: it asks
    an oracle for the label of greatest h + lam * g, on the whole plane or in a region of it, until no label can hide.
    """
    points = random_points(labels, seed)
    results = {search.__name__: search(points, lam=lam) for search in (lens_search, angular_search)}
    if as_json:
        records = {name: _as_record(result) for name, result in results.items()}
        print_json({"h": points.h.tolist(), "g": points.g.tolist(), "searches": records})
    else:
        _print_report(Console(), points, results)


def random_points(n_labels: int, seed: int) -> Points:
    """A set like those that training meets: integer losses, and scores that fall as the loss rises."""
    rng = np.random.default_rng(seed)
    g = rng.integers(1, 11, n_labels)
    return Points(rng.uniform(0.2, 0.8, n_labels) * (11 - g), g)


def _as_record(result: SearchResult) -> dict[str, Any]:
    """The result as plain JSON values: a region says its kind (None: all labels), and what is not finite is None."""
    fields = ("label", "h", "g", "value", "upper_bound", "n_queries", "certified")
    record = {name: getattr(result, name) for name in fields}
    record["trace"] = [query._asdict() | {"region": _region_record(query.region)} for query in result.trace]
    return json.loads(json.dumps(record), parse_constant=lambda _: None)  # type: ignore[no-any-return]


def _region_record(region: Cone | Band | None) -> dict[str, Any] | None:
    return region and {"kind": type(region).__name__.lower(), **region._asdict()}


def _region_text(region: Cone | Band | None) -> str:
    """How a region is written: `g in (3, 7)` for bands, `g/h in [0.5, 2)` for cones."""
    if isinstance(region, Band):
        return f"g in ({region.lo:.4g}, {region.hi:.4g})"
    if isinstance(region, Cone):
        left, right = "[" if region.lower_closed else "(", "]" if region.upper_closed else ")"
        return f"g/h in {left}{region.lower.slope:.4g}, {region.upper.slope:.4g}{right}"
    return "all labels"


def _print_report(console: Console, points: Points, results: dict[str, SearchResult]) -> None:
    n_labels = len(points.h)
    console.print(
        f"A set of {n_labels} labels, each a point (h, g). Wanted: the greatest product h * g. "
        "An oracle answers the label of greatest h + lam * g among those asked about.\n"
    )
    console.print(Columns([_report(name, result) for name, result in results.items()], padding=(0, 4)))
    products = np.maximum(points.h, 0.0) * points.g
    best = int(products.argmax())
    console.print(f"Enumeration of all {n_labels} labels: label {best} has the greatest, {products[best]:.6g}.")


def _report(name: str, result: SearchResult) -> Group:
    return Group(Text(name, style="bold"), _trace_table(result), Text(_certificate(result) + "\n"))


def _trace_table(result: SearchResult) -> Table:
    table = Table("", "lam", "asked about", "h", "g", "h * g", "bound")
    for column in table.columns:
        column.justify = "right"
        column.no_wrap = True
    table.columns[2].justify = "left"
    for number, query in enumerate(result.trace, start=1):
        numbers = (query.h, query.g, query.h * query.g)
        answer = ["", "", "none"] if math.isnan(query.h) else [f"{x:.4g}" for x in numbers]
        table.add_row(str(number), f"{query.lam:.4g}", _region_text(query.region), *answer, f"{query.upper_bound:.4g}")
    return table


def _certificate(result: SearchResult) -> str:
    if result.label is None:
        found = "no label has a positive product"
    else:
        found = f"label {result.label}: h = {result.h:.6g}, g = {result.g:.6g}, h * g = {result.value:.6g}"
    proof = "certified: no label has more than" if result.certified else "not certified: labels may reach"
    return f"{found}\n{proof} {result.upper_bound:.6g}, after {result.n_queries} questions"

