"""The demo's report: the tasks, the errors, what each model sees in the first images, and links to the models' pages."""

import base64
import struct
import zlib
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..report.html import Link, Share, document, table
from .digits import GROUPS, Task

if TYPE_CHECKING:
    from .demo import Trained

__all__ = ["write_report"]

_INTRODUCTION = (
    "Each task is learnt with slack rescaling, with margin rescaling and by one-vs-rest. Errors are in percent, on images that no "
    "training saw. C is chosen on other images, for the loss trained for. The gap is proved: the objective is at most so many "
    "percent above its minimum."
)
_SHOWN = 5  # examples per task
_ABOUT = {
    "digit strings": "Noisy strings of digits, most of them one more than the one before, which a model with transitions can tell.",
    "superposed digits": "One to three digits laid over each other; wanted is the set of digits.",
    "digits in a hierarchy": "The same with three groups as nodes above the digits: straight, open and closed ones.",
}


def write_report(folder: Path, tasks: Sequence[Task], trained: "Sequence[Trained]") -> Path:
    """Write index.html into the folder of the models' pages."""
    parts = [f"<p>{_INTRODUCTION}</p>"]
    for task in tasks:
        models = [model for model in trained if model.record["task"] == task.name]
        parts += [f"<h2>{escape(task.name)}</h2>", f"<p>{escape(_ABOUT[task.name])}</p>", _errors(models), _examples(task, models)]
    page = folder / "index.html"
    page.write_text(document("taut on handwritten digits", parts), encoding="utf-8")
    return page


def _name(model: "Trained") -> str:
    return ", ".join(filter(None, (model.record["method"], model.record["loss"])))


def _errors(models: "Sequence[Trained]") -> str:
    kinds = [kind for kind, value in models[0].record["errors"].items() if value is not None]
    rows = []
    for model in models:
        record, gap = model.record, model.record["gap"]
        name = Link(_name(model), model.page) if model.page else _name(model)
        errors = (Share(record["errors"][kind], f"{100 * record['errors'][kind]:.1f}") for kind in kinds)
        rows.append((name, record["C"], *errors, "" if gap is None else round(100 * gap, 2), round(record["seconds"], 1)))
    titles = {"hamming": "Hamming", "f1": "1 - F1", "whole": "whole"}
    return table(("trained for", "C", *(titles[kind] for kind in kinds), "gap", "seconds"), rows)


def _examples(task: Task, models: "Sequence[Trained]") -> str:
    """The first test images, their labels, and what the models found; wrong answers in the colour of warning."""
    names = "".join(f"<th>{escape(name)}</th>" for name in ("image", "truth", *map(_name, models)))
    rows = [
        f"<tr><td>{_image(task.test.X[i])}</td><td>{_labels(task.test.Y[i])}</td>"
        + "".join(_found(model.found[i], task.test.Y[i]) for model in models)
        + "</tr>"
        for i in range(_SHOWN)
    ]
    body = f'<div class="wide"><table><thead><tr>{names}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    return f"<details open><summary>The first test images, and what was found in them</summary>{body}</details>"


def _labels(y: Any) -> str:
    """Digits of a string, or members of a set."""
    if len(y) < 10:
        return " ".join(map(str, y.tolist()))
    names = [*map(str, range(10)), *GROUPS]
    return ", ".join(names[j] for j in np.flatnonzero(y).tolist()) or "none"


def _found(found: Any, y: Any) -> str:
    if np.array_equal(found, y):
        return f"<td>{_labels(found)}</td>"
    return f'<td class="s1" style="color: var(--c)" title="wrong"><i>{_labels(found)}</i></td>'


def _image(x: Any) -> str:
    """Images of 8 x 8 side by side, dark on light."""
    pixels = np.hstack(list(np.atleast_2d(x).reshape(-1, 8, 8)))
    gray = np.rint(255 * (1 - np.clip(pixels, 0, 1))).astype(np.uint8)
    data, width = base64.b64encode(_png(gray)).decode(), 4 * gray.shape[1]
    return f'<img alt="" width="{width}" height="32" src="data:image/png;base64,{data}">'


def _png(gray: npt.NDArray[np.uint8]) -> bytes:
    """An image of one byte per pixel in the format PNG."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    height, width = gray.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in gray)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
