"""`linkwork linearize`."""

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


def linearize(
    file: File,
    case: CaseName = None,
    sets: Sets = None,
    hold: HoldTexts = None,
    effort: EffortTexts = None,
    start: StartTexts = None,
    nearest: Nearest = False,
    here: Here = False,
    state: StateTexts = None,
    time: TimeText = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the matrices as arrays: .npz, for numpy.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Mass, damping and stiffness of a machine about its posture of rest, by name, SI.

    Example: linkwork linearize double-pendulum
    """
    m = sound(file, as_json)
    import numpy as np

    from linkwork.cli.option_values import Problems, Variables

    units, problems = units_of(m), Problems()
    with asking(file, m, as_json):
        asked = asked_machine(m, case, sets, problems)
        machine = asked.machine
        variables = Variables(machine, units, problems)
        given = rest_arguments(asked, variables, hold, effort, start, nearest, state, time)
        if out is not None and out.suffix.lower() != ".npz":
            problems.note(f"matrices are not written as '{out.suffix}'", "--out", "give a name that ends with .npz")
        problems.done(m.name)
        with resting(file, m, as_json):
            linear, rest = linearized(machine, given, here)
    own = linear.matrices
    arrays = {name: getattr(own, name) for name in ("M", "D", "K", "X", "f_psi", "f_w", "f_x")}
    if out is not None:
        np.savez(out, coordinates=np.array(own.coordinates), states=np.array(own.states), **arrays)
        tell(f"wrote {out}")
    if as_json:
        told = {name: array.tolist() for name, array in arrays.items()}
        print_json(
            {
                **head(file, m),
                "coordinates": list(own.coordinates),
                "held": list(linear.held),
                "states": list(own.states),
                **told,
                "efforts": linear.efforts,
                "inputs": list(linear.inputs),
                "outputs": list(linear.outputs),
                "warnings": list(linear.warnings),
                "equilibrium": None if rest is None else rest.as_dict(),
            }
        )
        return
    title(m.name, "  linearised" + ("" if rest is None else f" about a posture that is {rest.verdict}"))
    for line in str(linear).split("\n")[1:]:
        say(line)
    for name in ("M", "D", "K"):
        say(f"  {name} [SI]")
        for coordinate, row in zip(own.coordinates, arrays[name], strict=True):
            say(f"    {coordinate:<16}" + "".join(f"{x + 0.0:14.6g}" for x in row))
