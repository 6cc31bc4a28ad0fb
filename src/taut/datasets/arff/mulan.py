"""Label files of MULAN: XML that names which attributes of an ARFF file are labels, nested where there is a hierarchy."""

import xml.etree.ElementTree as ElementTree

from ..errors import DataError
from ..lines import PathLike, lines

__all__ = ["label_file"]

MAX_DEPTH = 100


def label_file(path: PathLike) -> tuple[list[str], list[tuple[int, int]]]:
    """Names of the labels in the order of the file, and edges (parent, child) between their numbers."""
    text = [(number, line) for number, line in lines(path)]
    for number, line in text:
        if "<!DOCTYPE" in line or "<!ENTITY" in line:  # entities unfold: a kilobyte can ask for gigabytes
            raise DataError(path, number, "labels without a document type", line.strip())
    try:
        root = ElementTree.fromstring("\n".join(line for _, line in text).encode())
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        line_number = getattr(error, "position", (None,))[0]
        raise DataError(path, line_number, '<label name="..."/> inside <labels>', f"{error}") from None
    names: list[str] = []
    edges: list[tuple[int, int]] = []
    todo = [(element, -1, 1) for element in reversed(root)]
    while todo:
        element, parent, depth = todo.pop()
        name = element.get("name")
        if element.tag.rpartition("}")[2] != "label" or name is None or depth > MAX_DEPTH:
            raise DataError(path, None, '<label name="..."/> inside <labels>', f"<{element.tag}> at depth {depth}")
        if parent >= 0:
            edges.append((parent, len(names)))
        todo += [(child, len(names), depth + 1) for child in reversed(element)]
        names.append(name)
    if not names or len(set(names)) < len(names):
        raise DataError(path, None, "labels of different names", f"{len(names)} labels, {len(set(names))} names")
    return names, edges
