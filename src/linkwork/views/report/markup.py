"""Pieces of HTML. Every text that comes from outside is escaped here, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from linkwork.views.tables import Table


def text(words: str) -> str:
    """A text as HTML."""
    return escape(words, quote=True)


def tag(name: str, inside: str, **attributes: str) -> str:
    """An element; `inside` is HTML, attributes are texts (`class_` for class, `aria_label` for aria-label)."""
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items())
    return f"<{name}{given}>{inside}</{name}>"


def paragraph(words: str, kind: str = "") -> str:
    """A paragraph of text."""
    return tag("p", text(words), **({"class_": kind} if kind else {}))


def facts(pairs: Iterable[tuple[str, str]], kind: str = "facts") -> str:
    """Names and values side by side; of the kind "facts wide" where the values are long."""
    inside = "".join(f"<div><dt>{text(name)}</dt><dd>{text(value)}</dd></div>" for name, value in pairs)
    return tag("dl", inside, class_=kind)


def rows_table(rows: Sequence[Sequence[str]], caption: str, kind: str = "") -> str:
    """A table that scrolls inside itself where the page is narrow; the first row is the header."""
    head = "".join(f'<th scope="col">{text(cell)}</th>' for cell in rows[0])
    body = "".join(_row(row) for row in rows[1:])
    inside = f"<table><caption>{text(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    # Reachable by keyboard, so that it can be scrolled without a mouse.
    return tag("div", inside, class_=f"table {kind}".strip(), tabindex="0", role="region", aria_label=caption)


def _row(row: Sequence[str]) -> str:
    first, *rest = row
    return f'<tr><th scope="row">{text(first)}</th>{"".join(f"<td>{text(cell)}</td>" for cell in rest)}</tr>'


def table(found: Table) -> str:
    """A table of the command line."""
    return rows_table(found.rows, found.title)
