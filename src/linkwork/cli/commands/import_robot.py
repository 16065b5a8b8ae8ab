"""`linkwork import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.models import AsJson, print_unreadable, unreadable
from linkwork.cli.output import fail, print_json, say, title
from linkwork.errors import ModelError


def import_robot(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="URDF, MJCF, SDF, a D-H table (CSV), or robot_descriptions:NAME."),
    ],
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="Model file to write, YAML or JSON.", show_default=False),
    ] = None,
    folders: Annotated[
        list[Path] | None,
        typer.Option("--folder", metavar="FOLDER", help="Where packages and meshes lie, too; again for others."),
    ] = None,
    floating: Annotated[
        bool | None,
        typer.Option("--floating/--fixed", help="Of URDF: whether the root link moves freely.", show_default=False),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Read a robot of another program: say what was kept, converted, approximated and lost; write a model file.

    Example: linkwork import panda.urdf --to panda.yaml
    """  # fmt: skip
    from linkwork.analyses.check import check
    from linkwork.files.read import load
    from linkwork.files.robots.surfaces import rebased
    from linkwork.files.write import save

    if to is not None and to.exists() and not force:
        fail(f"{to} is there already; --force overwrites it, or give another name")
    try:
        m = load(file, folders=folders or (), floating=floating)
    except ModelError as error:
        if as_json:
            print_json({"file": file, **unreadable(error)})
        else:
            print_unreadable(Path(file), error)
        raise typer.Exit(1 if Path(file).is_file() else 2) from None
    report = m.import_report
    if report is None:
        fail(f"{file} is a model file already; use it as it is")
    assert report is not None
    summary = check(m).summary()
    if to is not None and (left_out := rebased(m, to.parent)) is not None:
        report = report.with_findings([left_out])
    if to is not None:
        save(m, to)
    if as_json:
        print_json({**report.as_dict(), "name": m.name, "summary": summary, "to": None if to is None else str(to)})
        return
    title(m.name)
    say(f"  {summary}")
    say(str(report))
    if to is not None:
        say(f"wrote {to}; try: linkwork check '{to}', linkwork view '{to}'")
