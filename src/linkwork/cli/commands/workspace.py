"""`linkwork workspace`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.models import AsJson, File, asking, head, sound
from linkwork.cli.output import print_json, say
from linkwork.cli.settings import Sets, assembled


def workspace(
    file: File,
    target: Annotated[str, typer.Argument(help="Point, frame or body: tool", show_default=False)],
    sets: Sets = None,
    plane: Annotated[
        str | None,
        typer.Option(
            metavar="PLANE",
            help="Section along these axes, --plane xz; xyz for all of space. By default all that it moves in.",
            show_default=False,
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="LENGTH",
            help="Where the section lies across its plane, --at 300mm; that of home by default.",
            show_default=False,
        ),
    ] = None,
    step: Annotated[
        str | None,
        typer.Option(
            metavar="LENGTH",
            help="Between places that are asked, --step 5mm; smaller islands and holes may be missed.",
            show_default=False,
        ),
    ] = None,
    quality: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How well it moves, over the plot: --quality manipulability, condition or smallest.",
            show_default=False,
        ),
    ] = None,
    singular: Annotated[
        bool, typer.Option("--singular", help="Curves of singular postures instead, of a machine with two freedoms.")
    ] = False,
    over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="With --singular, the two drives that move where there are more, --over A --over B.",
            show_default=False,
        ),
    ] = None,
    past_singular: Annotated[
        bool, typer.Option("--past-singular", help="Machines with loops: go on into their other closures.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Plot it into this file, --plot workspace.png (svg, pdf).", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find where a point, frame or body can be brought: its region, how large it is, where its rim runs.

    Example: linkwork workspace five-bar tool --quality condition --plot five-bar-workspace.png
    """
    m = sound(file, as_json)
    from linkwork.cli.option_values import Problems
    from linkwork.cli.outputs import check_picture
    from linkwork.cli.progress import Work

    problems = Problems()
    check_picture(plot)
    for given, option in ((plane, "--plane"), (at, "--at"), (step, "--step"), (quality, "--quality")):
        if singular and given is not None:
            problems.note(f"{option} is for regions", option, "leave it out with --singular")
    if over and not singular:
        problems.note("--over is for singular postures", "--over", "add --singular")
    with asking(file, m, as_json):
        problems.done(m.name)
        machine = assembled(m, sets, problems)
        problems.done(m.name)
        with Work("singular postures" if singular else "workspace", keeps=not singular) as work:
            if singular:
                curves = machine.singularities(target, over, progress=work.progress)
                data, text, draw = curves.as_dict(), str(curves), partial(curves.plot)
            else:
                found = machine.workspace(
                    target, plane, at=at, step=step, past_singular=past_singular, progress=work.progress
                )
                if quality is not None:
                    found.quality(quality)  # a name that is not known is told before anything is printed
                data, text = found.as_dict(), str(found)
                draw = partial(found.plot, quality or "")
    if as_json:
        print_json({**head(file, m), **data})
    else:
        say(text)
    if plot is not None:
        from linkwork.cli.outputs import save_picture

        save_picture(plot, draw().figure, as_json, tight=True)
    if work.stopped:
        raise typer.Exit(130)
