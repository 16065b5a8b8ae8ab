"""`linkwork bode`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.models import AsJson, File, asking, head, sound
from linkwork.cli.output import print_json, say, tell, title
from linkwork.cli.rest_options import RestOptions, linearized, resting, with_rest_options


@with_rest_options()
def bode(
    file: File,
    source: Annotated[
        str,
        typer.Option(
            "--from", metavar="INPUT", help="An effort (A.effort), a load, a force on a point (P.fx), a held variable."
        ),
    ],
    to: Annotated[list[str], typer.Option(metavar="OUTPUT", help="What answers, P.x; again for others.")],
    where: RestOptions,
    frequencies: Annotated[
        str | None,
        typer.Option(
            "--range", metavar="FROM:TO", help="Frequencies, --range 0.1Hz:50Hz; by the modes by default.",
            show_default=False,
        ),
    ] = None,
    samples: Annotated[int, typer.Option(help="How many frequencies of a range.", min=2)] = 400,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write it: a plot .svg, .png, .pdf, numbers .csv, .nc.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Frequency response of a machine about its posture of rest: what swings how much, and where it resonates.

    Example: linkwork bode double-pendulum --from A.effort --to B --out bode.svg
    """
    m = sound(file, as_json)
    import numpy as np

    from linkwork.cli.option_values import Problems
    from linkwork.units import FREQUENCY, parse_quantity

    problems = Problems()
    with asking(file, m, as_json):
        asked, _, given = where.read(m, problems)
        machine = asked.machine
        ends = []
        if frequencies is not None:
            parts = frequencies.split(":")
            read = [problems.reading("--range", lambda p=p: parse_quantity(p, FREQUENCY)) for p in parts]  # type: ignore[misc]
            ends = [x for x in read if x is not None]
            if len(parts) != 2 or (len(ends) == 2 and not 0.0 < ends[0] < ends[1]):
                text = f"'{frequencies}' is not a range of frequencies above zero"
                problems.note(text, "--range", "for example --range 0.1Hz:50Hz")
        problems.done(m.name)
        with resting(file, m, as_json):
            linear, _ = linearized(machine, given, where.here)
            f = np.geomspace(ends[0], ends[1], samples) if ends else None
            found = linear.bode(source, to, f)
    if out is not None:
        (found.save(out) if out.suffix.lower() == ".nc" else found.plot().save(out))
        tell(f"wrote {out}")
    if as_json:
        print_json({**head(file, m, {"frequency": "Hz"}), **asked.as_dict(), "input": source, **found.to_dict()})
        return
    f = found["frequency"].values
    title(m.name, f"  response to {source}, {len(f)} frequencies from {f[0]:.4g} to {f[-1]:.4g} Hz")
    if asked.told:
        say(f"  case: {asked.told}")
    for peak in found.peaks:
        say(f"  {peak.output}: {peak.kind} at {peak.frequency:.6g} Hz, {peak.magnitude:.4g} {found[peak.output].unit}")
    for warning in found.warnings:
        say(f"  warning: {warning}")
