"""`linkwork show`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.models import AsJson, File, readable
from linkwork.cli.printing import fail, print_json, print_problems, print_tables, say, title

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism


def show(
    file: File,
    as_json: AsJson = False,
    graph: Annotated[
        Path | None, typer.Option(help="Draw who joins whom into this file (svg, png, pdf), as graph.svg.")
    ] = None,
    layout: Annotated[
        Path | None, typer.Option(help="Draw the layout posture into this file (svg, png, pdf), as layout.svg.")
    ] = None,
) -> None:
    """Show what a model says: bodies, joints, points, in the units of the file."""
    from linkwork.analyses.check import check as check_model

    m = readable(file)
    found = check_model(m)
    if not found.sound:
        print_problems(found.errors, stderr=True)
    if graph is not None or layout is not None:
        _draw(m, graph, layout)
    if as_json:
        from linkwork.files.write import as_data

        print_json(as_data(m))
    elif graph is None and layout is None:
        _print(m)
    raise typer.Exit(0 if found.sound else 1)


def _print(m: Mechanism) -> None:
    from linkwork.views.tables import tables

    title(m.name)
    if m.description:
        say(m.description, "dim")
    print_tables(tables(m))


def _draw(m: Mechanism, graph: Path | None, layout: Path | None) -> None:
    from linkwork.topology import graph_of
    from linkwork.views.draw import draw_layout
    from linkwork.views.graph import draw_graph

    for picture in (graph, layout):
        if picture is not None and not picture.suffix:
            fail(f"'{picture}' has no ending that tells the format; try {picture}.svg")
    jobs: list[tuple[Path, Any]] = []
    if graph is not None:
        kinds = {j.name: j.law.letter for j in m.joints.values()}
        jobs.append((graph, draw_graph(graph_of(m), kinds)))
    if layout is not None:
        jobs.append((layout, draw_layout(m)))
    for file, ax in jobs:
        try:
            ax.figure.savefig(file, dpi=150, bbox_inches="tight", pad_inches=0.1)
        except (OSError, ValueError) as error:
            fail(f"cannot write {file}: {error}")
        typer.echo(f"wrote {file}")
