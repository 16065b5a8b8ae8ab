"""Small pieces of HTML for the panels; every name is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

from linkwork.errors import Problem


def escaped(text: str) -> str:
    """Text for HTML, line breaks kept."""
    return html.escape(str(text)).replace("\n", "<br>")


def note(text: str) -> str:
    """A quiet remark."""
    return f'<div style="padding:0.3em 0.8em;font-size:0.85em;font-style:italic;opacity:0.8">{escaped(text)}</div>'


def warning(text: str) -> str:
    """Something to know before one relies on what is shown: amber, since nothing is broken."""
    return f'<div class="lw-warning" role="alert">{escaped(text)}</div>'


def failure(text: str) -> str:
    """What was asked for cannot be had: red."""
    return f'<div class="lw-failure" role="alert">{escaped(text)}</div>'


def field_error(text: str, field: str) -> str:
    """What is wrong with a field, under it, and a red frame about it; `field` is its id in the page."""
    frame = (
        f'<style>div:has(> * > * > label[for="{field}"]) :is(input,textarea){{border-color:#C62828 !important}}</style>'
    )
    return f'{frame}<div class="lw-field-error" role="alert">{escaped(text)}</div>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table that scrolls by itself when it is long."""
    cells = "".join(f'<th style="text-align:left;padding-right:1em">{escaped(h)}</th>' for h in head)
    body = "".join("<tr>" + "".join(f"<td>{escaped(c)}</td>" for c in row) + "</tr>" for row in rows)
    style = "max-height:18em;overflow:auto;padding:0 0.8em;font-size:0.85em"
    return f'<div style="{style}"><table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>'


def pre(text: str) -> str:
    """Text in columns."""
    style = "overflow:auto;padding:0.3em 0.8em;font-size:0.78em;line-height:1.35;white-space:pre-wrap"
    return f'<pre style="{style}">{html.escape(text)}</pre>'


def problems(found: Sequence[Problem]) -> str:
    """A list of problems, each with its line."""
    if not found:
        return ""
    items = "".join(f"<li>{escaped(str(p))}</li>" for p in found)
    return f'<ol class="lw-problems" role="alert">{items}</ol>'


def element_id(handle: Any) -> str:
    """The id that viser gives to an input in the page."""
    return str(handle._impl.uuid)
