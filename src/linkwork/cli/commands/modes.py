"""`linkwork modes`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.case_options import CaseName, asked_machine
from linkwork.cli.load_options import EffortTexts, StateTexts
from linkwork.cli.models import AsJson, File, asking, head, sound, units_of
from linkwork.cli.output import print_json, say, tell, title
from linkwork.cli.rest_options import (
    Here,
    HoldTexts,
    Nearest,
    StartTexts,
    TimeText,
    linearized,
    rest_arguments,
    resting,
)
from linkwork.cli.settings import Sets


def modes(
    file: File,
    case: CaseName = None,
    sets: Sets = None,
    hold: HoldTexts = None,
    lock: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A joint that is locked where it rests; again for others.", show_default=False
        ),
    ] = None,
    effort: EffortTexts = None,
    start: StartTexts = None,
    nearest: Nearest = False,
    here: Here = False,
    state: StateTexts = None,
    time: TimeText = None,
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
    from linkwork.cli.option_values import Problems, Variables

    units, problems = units_of(m), Problems()
    with asking(file, m, as_json):
        asked = asked_machine(m, case, sets, problems)
        machine = asked.machine
        variables = Variables(machine, units, problems)
        given = rest_arguments(asked, variables, hold, effort, start, nearest, state, time)
        problems.done(m.name)
        with resting(file, m, as_json):
            linear, rest = linearized(machine, given, here)
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
