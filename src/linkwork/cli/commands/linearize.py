"""`linkwork linearize`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.models import AsJson, File, asking, head, sound
from linkwork.cli.output import print_json, say, tell, title
from linkwork.cli.rest_options import RestOptions, linearized, resting, with_rest_options


@with_rest_options()
def linearize(
    file: File,
    where: RestOptions,
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

    from linkwork.cli.option_values import Problems

    problems = Problems()
    with asking(file, m, as_json):
        asked, _, given = where.read(m, problems)
        machine = asked.machine
        if out is not None and out.suffix.lower() != ".npz":
            problems.note(f"matrices are not written as '{out.suffix}'", "--out", "give a name that ends with .npz")
        problems.done(m.name)
        with resting(file, m, as_json):
            linear, rest = linearized(machine, given, where.here)
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
