"""What is printed: messages, problems, tables, JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import typer

from linkwork.errors import Problem

if TYPE_CHECKING:
    from rich.console import Console

    from linkwork.views.tables import Table

STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}
MOST_ROWS = 40
"""Rows of a table that are printed."""


def console(stderr: bool = False) -> Console:
    """Where to print; colours only on a terminal."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)


def say(text: str = "", style: str | None = None) -> None:
    """A line as it is, without markup."""
    console().print(text, markup=False, style=style, soft_wrap=True)


def tell(text: str) -> None:
    """A message beside the results."""
    console(stderr=True).print(f"linkwork: {text}", markup=False, soft_wrap=True, highlight=False)


def fail(text: str) -> None:
    """Tell what was used wrongly, and stop."""
    tell(text)
    raise typer.Exit(2)


def title(name: str, more: str = "") -> None:
    """A name in bold; what follows may have markup."""
    from rich.markup import escape

    console().print(f"[bold]{escape(name)}[/bold]{more}", soft_wrap=True)


def print_problems(problems: Iterable[Problem], stderr: bool = False) -> None:
    """One line each."""
    out = console(stderr)
    for problem in problems:
        out.print(f"  {problem.severity}: ", style=STYLES[problem.severity], end="", soft_wrap=True)
        out.print(str(problem), markup=False, soft_wrap=True)


def print_tables(tables: Iterable[Table], most: int | None = None) -> None:
    """Columns side by side; of long tables the first rows."""
    out = console()
    for table in tables:
        rows = table.rows if most is None else table.rows[: most + 1]
        out.print(table.title, markup=False, style="bold", soft_wrap=True)
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        for n, row in enumerate(rows):
            line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            out.print(f"  {line}", markup=False, style="dim" if n == 0 else None, soft_wrap=True)
        if len(rows) < len(table.rows):
            out.print(f"  ... {len(table.rows) - len(rows)} more (see --json)", markup=False, style="dim")


def print_json(data: Any) -> None:
    """Plain data; numbers that are not finite, which JSON does not know, become null."""
    typer.echo(json.dumps(_finite(data), indent=2, ensure_ascii=False, allow_nan=False))


def _finite(data: Any) -> Any:
    if isinstance(data, float):
        return float(data) if math.isfinite(data) else None
    if isinstance(data, Mapping):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return data


def shortened(lines: list[str], most: int) -> list[str]:
    """The first lines, and how many there are more."""
    return lines if len(lines) <= most else [*lines[:most], f"... {len(lines) - most} more lines (see --json)"]
