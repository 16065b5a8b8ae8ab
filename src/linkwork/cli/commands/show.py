"""`linkwork show`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.models import AsJson, File, asking, readable, units_of
from linkwork.cli.output import fail, print_json, print_problems, print_tables, say, tell, title
from linkwork.cli.settings import Sets, assembled

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism


def show(
    file: File,
    sets: Sets = None,
    as_json: AsJson = False,
    graph: Annotated[
        Path | None, typer.Option(help="Draw who joins whom into this file (svg, png, pdf), as graph.svg.")
    ] = None,
    layout: Annotated[
        Path | None, typer.Option(help="Draw the layout posture into this file (svg, png, pdf), as layout.svg.")
    ] = None,
    solid: Annotated[
        Path | None, typer.Option(help="Paint the machine as solid shapes into this file (svg, png, pdf).")
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Draw the posture with this value instead of the layout, --at A=30deg; again for other variables. A "
            "variable that is given again begins the next posture: --at A=30deg --at A=60deg draws both, over each "
            "other.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Show what a model says: bodies, joints, points, in the units of the file."""
    from linkwork.analyses.check import check as check_model
    from linkwork.cli.outputs import check_picture, save_picture

    m = readable(file)
    found = check_model(m)
    if not found.sound:
        print_problems(found.errors, stderr=True)
    pictures = {"graph": graph, "layout": layout, "solid": solid}
    wanted = {kind: picture for kind, picture in pictures.items() if picture is not None}
    if sets and not (layout or solid):
        fail("--set is of a drawing; name its file too: --layout drawing.svg")
    if at and not (layout or solid):
        fail("--at is of a drawing; name its file too: --layout drawing.svg")
    if at and solid and not layout and len(_postures(at)) > 1:
        fail("--solid paints one posture; give every variable once")
    for picture in wanted.values():
        check_picture(picture)
    with asking(file, m, as_json):
        for kind, picture in wanted.items():
            save_picture(picture, _drawn(m, kind, at or (), sets or ()).figure, as_json, tight=kind == "graph")
    if as_json:
        from linkwork.files.write import as_data

        print_json(as_data(m))
    elif not wanted:
        _print(m)
    raise typer.Exit(0 if found.sound else 1)


def _print(m: Mechanism) -> None:
    from linkwork.views.tables import tables

    title(m.name)
    if m.description:
        say(m.description, "dim")
    print_tables(tables(m))


def _drawn(m: Mechanism, kind: str, at: Sequence[str], sets: Sequence[str]) -> Any:
    """The axes of a picture."""
    from linkwork.topology import graph_of
    from linkwork.views.draw import draw_layout, draw_posture
    from linkwork.views.graph import draw_graph

    if kind == "graph":
        return draw_graph(graph_of(m), {j.name: j.law.letter for j in m.joints.values()})
    if kind == "layout" and not (at or sets):
        return draw_layout(m)
    from linkwork.cli.option_values import Problems, Variables
    from linkwork.views.paint import paint_posture
    from linkwork.views.scene import scene_of

    problems = Problems()
    machine = assembled(m, sets, problems)
    variables = Variables(machine, units_of(m), problems)
    given = [variables.values(texts, "--at") for texts in _postures(at)]
    problems.done(m.name)
    postures = [machine.at(values) if values else machine.home for values in given]
    if kind == "layout":
        return draw_posture(machine, postures)
    for note in scene_of(m).notes:
        tell(f"{m.name}: {note}")
    return paint_posture(machine, postures[-1])


def _postures(at: Sequence[str]) -> list[list[str]]:
    """Values of each posture: a variable that is given again begins the next one, in which the others stay."""
    found: list[dict[str, str]] = [{}]
    names = set[str]()
    for text in at:
        name = text.partition("=")[0].strip()
        if name in names:
            found.append(dict(found[-1]))
            names.clear()
        names.add(name)
        found[-1][name] = text
    return [list(values.values()) for values in found]
