"""`linkwork cache`."""

from __future__ import annotations

from typing import Annotated

import typer

from linkwork.cli.models import AsJson
from linkwork.cli.output import fail, print_json


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove every compiled kernel.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show where compiled kernels are kept and how much there is, or clear it."""
    from linkwork.kernels.cache import user_cache

    kept = user_cache()
    folder, removed = kept.folder, 0
    if clear:
        try:
            removed = kept.clear()
        except OSError as error:
            fail(f"cannot remove {error.filename}: {error.strerror}")
    files = kept.entries()
    size = sum(files.values())
    if as_json:
        about = {"folder": None if folder is None else str(folder), "entries": len(files), "bytes": size}
        print_json({**about, "limit_bytes": kept.limit, "removed": removed})
        return
    if folder is None:
        typer.echo("off: compiled kernels are kept in memory only (see LINKWORK_CACHE)")
        return
    if clear:
        typer.echo(f"removed {_entries(removed)}")
    typer.echo(f"{folder}\n{_entries(len(files))}, {size / 2**20:.1f} MB of at most {kept.limit / 2**20:.0f} MB")


def _entries(count: int) -> str:
    return f"{count:,} compiled kernel{'s' * (count != 1)}"
