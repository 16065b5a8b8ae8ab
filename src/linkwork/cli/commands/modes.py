"""`linkwork modes`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.models import AsJson, File, asking, head, sound
from linkwork.cli.output import print_json, say, tell, title
from linkwork.cli.rest_options import RestOptions, linearized, resting, with_rest_options

if TYPE_CHECKING:
    from linkwork.analyses.linear.modes import Modes

MOVIES = (".gif", ".mp4", ".html")


@with_rest_options()
def modes(
    file: File,
    where: RestOptions,
    lock: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A joint that is locked where it rests; again for others.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a table .csv, .nc, a plot .png, .svg, .pdf, or a movie of --mode, .gif, .mp4, .html.",
            show_default=False,
        ),
    ] = None,
    mode: Annotated[int, typer.Option(help="Which mode a movie shows.", min=1)] = 1,
    as_json: AsJson = False,
) -> None:
    """How a machine swings about its posture of rest: frequencies, damping, what moves, who holds the energy.

    Example: linkwork modes double-pendulum --out sway.gif --mode 2
    """
    m = sound(file, as_json)
    from linkwork.cli.option_values import Problems
    from linkwork.cli.outputs import NUMBERS, PICTURES

    problems = Problems()
    with asking(file, m, as_json):
        asked, _, given = where.read(m, problems)
        machine = asked.machine
        movie = out is not None and out.suffix.lower() in MOVIES
        if out is not None and not movie and out.suffix.lower() not in (*PICTURES, *NUMBERS):
            what = f"'{out.suffix}' is not an ending that can be written" if out.suffix else "the name has no ending"
            problems.note(what, f"--out {out}", f"there is: {', '.join((*NUMBERS, *PICTURES, *MOVIES))}")
        problems.done(m.name)
        with resting(file, m, as_json):
            linear, rest = linearized(machine, given, where.here)
            found = linear.modes(lock=lock or ())
        if movie and mode > len(found):
            problems.note(f"there is no mode {mode}", "--mode", f"1 to {len(found)}")
            problems.done(m.name)
        if out is not None:
            _write(found, out, mode)
            tell(f"wrote {out}")
    if as_json:
        told = [
            {
                "number": mode.number,
                "kind": mode.kind,
                "frequency": mode.frequency,
                "natural_frequency": mode.natural_frequency,
                "damping": mode.damping,
                "decay": mode.decay,
                "eigenvalue": [mode.eigenvalue.real, mode.eigenvalue.imag],
                "moves": list(mode.moves),
                "joints": {name: [z.real, z.imag] for name, z in mode.joints.items()},
                "kinetic": mode.kinetic,
                "elastic": mode.elastic,
                "defective": mode.defective,
            }
            for mode in found
        ]
        rests = None if rest is None else rest.as_dict()
        print_json({**head(file, m, {"frequency": "Hz"}), **asked.as_dict(), "modes": told, "equilibrium": rests})
        return
    title(m.name, "  small motions" + ("" if rest is None else f" about a posture that is {rest.verdict}"))
    if asked.told:
        say(f"  case: {asked.told}")
    for line in str(found).split("\n")[1:]:
        say(line)


def _write(found: Modes, out: Path, mode: int) -> None:
    """A table, a plot, or a movie, by the ending."""
    from linkwork.cli.outputs import PICTURES

    ending = out.suffix.lower()
    if ending in MOVIES:
        found.animate(mode, out)
    elif ending in PICTURES:
        found.plot().save(out)
    else:
        found.result.save(out)
