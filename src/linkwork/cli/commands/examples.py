"""`linkwork examples`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.models import AsJson
from linkwork.cli.output import console, fail, print_json


def examples(
    name: Annotated[str | None, typer.Argument(help="Print the file of this example.")] = None,
    copy: Annotated[bool, typer.Option("--copy", help="Write NAME.yaml into the current folder instead.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the mechanisms that come with Linkwork, print one, or copy it."""
    from linkwork.files.gallery import example, example_text
    from linkwork.files.gallery import examples as gallery

    if name is None:
        if copy:
            fail("--copy wants the name of an example")
        if as_json:
            print_json(gallery())
            return
        names = gallery()
        width = max(map(len, names))
        out = console()
        for each, sentence in names.items():
            out.print(f"[bold]{each:{width}}[/bold]  ", end="")
            out.print(sentence, markup=False, highlight=False, soft_wrap=True)
        return
    text = example_text(name)
    if as_json and not copy:
        from linkwork.files.write import as_data

        print_json(as_data(example(name)))
        return
    if not copy:
        typer.echo(text, nl=False)
        return
    target = Path(f"{name}.yaml")
    if target.exists() and not force:
        fail(f"{target} is there already; --force overwrites it")
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"cannot write {target}: {error.strerror}")
    typer.echo(f"wrote {target}; try: linkwork check {target}")
