"""`linkwork closures`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.models import AsJson, File, asking, head, sound, units_of
from linkwork.cli.output import MOST_ROWS, print_json, print_tables, say, tell, title
from linkwork.cli.settings import Sets, assembled
from linkwork.names import no_such


def closures(
    file: File,
    sets: Sets = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Value of an independent variable, --at A=40deg; again for others.",
            show_default=False,
        ),
    ] = None,
    of: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BODY",
            help="Tell closures apart by the pose of this body alone, --of platform; again for others.",
            show_default=False,
        ),
    ] = None,
    starts: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", help="Random starts at most, --starts 1000; 4096 by default.", show_default=False
        ),
    ] = None,
    draw: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw the closures side by side into this file, --draw closures.svg (png, pdf).",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Of the random starts, --seed 2.", min=0)] = 1,
    as_json: AsJson = False,
) -> None:
    """Find all ways to assemble a machine with given values of its independent variables.

    Without --at the independent variables are as in the layout. A closure's number is what `linkwork motion --closure`
    takes. It says whether these are proven to be all, or how many may be missing. Ctrl-C ends the search and shows what
    was found.

    Example: linkwork closures four-bar --at O2=40deg
    """
    m = sound(file, as_json)
    from linkwork.cli.option_values import Problems, Variables
    from linkwork.cli.outputs import check_picture
    from linkwork.cli.progress import Work
    from linkwork.views.tables import closure_table, pose_table

    units, problems, bodies = units_of(m), Problems(), tuple(dict.fromkeys(of or ()))
    check_picture(draw)
    with asking(file, m, as_json):
        machine = assembled(m, sets, problems)
        variables = Variables(machine, units, problems)
        values = variables.values(at or (), "--at")
        if starts is not None and starts < 1:
            problems.note(f"{starts} starts", "--starts", "give a whole number, at least 1")
        for body in bodies:
            if body not in m.bodies:
                problems.found.append(no_such("body", body, m.bodies, f"--of {body}"))
        problems.done(m.name)
        if not values:  # where it stands in the layout
            values = {n: machine.home[n] for n in machine.home.independent if n in variables.dimensions}
        with Work("closures") as work:
            found = machine.closures(values, of=bodies, starts=starts, seed=seed, progress=work.progress)
    stopped = work.stopped
    if stopped:
        tell(f"stopped by Ctrl-C after {found.starts} starts; there may be more closures")
    if as_json:
        data = {**head(file, m), "variables": variables.si_units(), "at": values, "of": list(bodies)} | found.as_dict()
        for plain, posture in zip(data["closures"], found, strict=True):
            plain["poses"] = {body: posture.pose(body).tolist() for body in bodies}
        print_json(data)
    else:
        title(m.name)
        shown = (f"{n} = {variables.shown(n, x)}" for n, x in values.items())
        if values:
            say(f"  with {', '.join(shown)}")
        say(f"  {found.starts} starts, {found.converged} of which closed")
        for line in found.verdict().splitlines():
            say(f"  {line}")
        everything = variables.everything
        table = pose_table(found, bodies, units) if bodies else closure_table(found, everything, units)
        print_tables([table], MOST_ROWS)
    if draw is not None:
        from linkwork.cli.outputs import save_picture
        from linkwork.views.draw import draw_closures

        save_picture(draw, draw_closures(machine, found), as_json)
    if stopped:
        raise typer.Exit(130)
