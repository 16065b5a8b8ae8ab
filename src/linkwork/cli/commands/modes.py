"""`linkwork modes`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.models import AsJson, File, asking, head, sound
from linkwork.cli.output import print_json, say, tell, title
from linkwork.cli.rest_options import RestOptions, linearized, resting, with_rest_options


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
        typer.Option(metavar="FILE", help="Write the modes: a table .csv, or .nc.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """How a machine swings about its posture of rest: frequencies, damping, what moves, who holds the energy.

    Example: linkwork modes double-pendulum
    """
    m = sound(file, as_json)
    from linkwork.cli.option_values import Problems

    problems = Problems()
    with asking(file, m, as_json):
        asked, _, given = where.read(m, problems)
        machine = asked.machine
        problems.done(m.name)
        with resting(file, m, as_json):
            linear, rest = linearized(machine, given, where.here)
            found = linear.modes(lock=lock or ())
    if out is not None:
        found.result.save(out)
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
