"""Run the Python blocks of pages and write what each prints into the `text` block that follows it.

Usage: ``python docs/fill_outputs.py README.md docs/tutorial.md``. The tests check that this changes nothing.
"""

import contextlib
import io
import re
import sys
from pathlib import Path
from typing import Any

_BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n(?P<shown>\n```text\n.*?```\n)?", re.DOTALL)


def filled(page: str, name: str) -> str:
    """Return the page with up-to-date outputs; its blocks share one namespace, like one session."""
    namespace: dict[str, Any] = {"__name__": name}

    def run(block: re.Match[str]) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], name, "exec"), namespace)
        shown = f"\n```text\n{printed.getvalue()}```\n" if printed.getvalue() else ""
        return f"```python\n{block['code']}```\n{shown}"

    return _BLOCK.sub(run, page)


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        path.write_text(filled(path.read_text(), str(path)))
