"""`linkwork schema`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.output import fail


def schema(
    out: Annotated[Path | None, typer.Option(help="Write it to this file instead, as linkwork.schema.json.")] = None,
) -> None:
    """Print the JSON Schema of model files, for editors that complete and check."""
    from linkwork.files.schema import json_schema

    text = json.dumps(json_schema(), indent=1, ensure_ascii=False)
    if out is None:
        typer.echo(text)
        return
    try:
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        fail(f"cannot write {out}: {error.strerror}")
    typer.echo(f"wrote {out}")
