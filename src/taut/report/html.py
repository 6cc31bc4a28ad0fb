"""Pages as text: one style for light and dark, wide and narrow, and tables that scroll by themselves where they are too wide."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

__all__ = ["Link", "Share", "document", "facts_list", "table"]

# Okabe and Ito's palette, which every common colour vision tells apart, in darker and lighter hues for the two schemes.
_STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --page: #fff; --soft: #5c5c5c; --rule: #0002;
        --s0: #0072b2; --s1: #c44e00; --s2: #00795a; --bar: #0072b22e }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --page: #16181b; --soft: #a9a9a9; --rule: #fff3;
        --s0: #56b4e9; --s1: #f0a030; --s2: #3ccfa0; --bar: #56b4e940 } }
* { box-sizing: border-box }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); max-width: 1160px; margin: 0 auto;
       padding: 1.5em 1em 3em }
h1 { line-height: 1.2; margin: 0.2em 0 0.5em } h2 { margin: 1.8em 0 0.6em } p { max-width: 46em } a { color: var(--s0) }
figcaption, dt, .soft { color: var(--soft) }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(140px, 1fr)); gap: 0.7em 1em; margin: 1.2em 0 }
dt { font-size: 0.85em } dd { margin: 0; font-size: 1.05em; overflow-wrap: anywhere }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr)); gap: 1.2em 1.5em }
.tables { display: flex; flex-wrap: wrap; gap: 1.2em 3em; align-items: flex-start } .tables > * { max-width: 100% }
figure { margin: 0 } figcaption { font-size: 0.9em } h3 { margin: 0.8em 0 0.3em }
svg { display: block; width: 100%; max-width: 560px; font: 12px system-ui, sans-serif } svg text { fill: currentColor }
.grid { stroke: var(--rule) } .s0 { --c: var(--s0) } .s1 { --c: var(--s1) } .s2 { --c: var(--s2) }
polyline { fill: none; stroke: var(--c); stroke-width: 2 } circle { fill: var(--c) }
svg tspan { fill: var(--c) }
.wide { overflow-x: auto; max-width: 100% } summary { cursor: pointer; margin: 0.8em 0 0.3em }
table { border-collapse: collapse } th { text-align: left; font-weight: 600 }
th, td { padding: 3px 14px 3px 0; border-bottom: 1px solid var(--rule); white-space: nowrap }
th:last-child, td:last-child { padding-right: 6px }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; padding-left: 6px }
td.share { min-width: 5.5em; background: linear-gradient(var(--bar), var(--bar)) left / var(--part) 72% no-repeat }
@media (max-width: 480px) { table { font-size: 13px } th, td { padding-right: 8px } td.n, th.n { padding-left: 2px }
                            td.share { min-width: 4em } }
img { image-rendering: pixelated; border-radius: 3px; vertical-align: middle }
"""


class Share(NamedTuple):
    """A number from 0 to 1, shown with a bar of that length behind it; `shown` says how it is written."""

    value: float
    shown: str = ""


class Link(NamedTuple):
    """A text that leads to another page."""

    text: str
    to: str


def document(title: str, parts: Iterable[str]) -> str:
    """A page: everything is in the text, nothing is fetched, nothing runs."""
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style>"
    )
    body = "\n".join([f"<h1>{escape(title)}</h1>", *parts])
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def facts_list(facts: Mapping[str, Any]) -> str:
    """Names and values as tiles."""
    tiles = (f"<div><dt>{escape(name)}</dt><dd>{escape(_text(value))}</dd></div>" for name, value in facts.items())
    return f"<dl>{''.join(tiles)}</dl>"


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table; a column that holds numbers stands to the right."""
    entries = [list(row) for row in rows]
    numeric = [any(isinstance(row[j], (int, float, Share)) for row in entries) for j in range(len(columns))]
    head = "".join(f"<th{' class=n' if right else ''}>{escape(name)}</th>" for name, right in zip(columns, numeric, strict=True))
    body = "\n".join("<tr>" + "".join(map(_cell, row, numeric)) + "</tr>" for row in entries)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def _cell(value: Any, numeric: bool) -> str:
    if isinstance(value, Share):
        width = 100 * min(max(value.value, 0.0), 1.0)
        return f'<td class="n share" style="--part: {width:.4g}%">{escape(value.shown or f"{value.value:.3f}")}</td>'
    if isinstance(value, Link):
        return f'<td><a href="{escape(value.to)}">{escape(value.text)}</a></td>'
    return f"<td{' class=n' if numeric else ''}>{escape(_text(value))}</td>"


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
