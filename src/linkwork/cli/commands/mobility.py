"""`linkwork mobility`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.models import AsJson, File, asking, head, sound, units_of
from linkwork.cli.output import MOST_ROWS, print_json, print_tables, say, title
from linkwork.cli.settings import Sets, assembled

if TYPE_CHECKING:
    from linkwork.analyses.kinematics.four_bars import FourBar
    from linkwork.analyses.kinematics.travel import Travel


def mobility(
    file: File,
    sets: Sets = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="At the posture with this value, --at A=30deg; again for other joints.",
            show_default=False,
        ),
    ] = None,
    travel: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Limits of travel of this joint, with the strokes of all others, --travel A; again for other joints.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say how a machine can move: freedoms, redundant constraints, four-bars, limits of travel.

    Example: linkwork mobility slider-crank --at A=30deg --travel A
    """
    m = sound(file, as_json)
    from linkwork.analyses.kinematics.failures import ClosureError
    from linkwork.analyses.kinematics.four_bars import four_bars
    from linkwork.cli.option_values import Problems, Variables
    from linkwork.model.layout import lay_out
    from linkwork.topology import graph_of
    from linkwork.views.tables import four_bar_table, posture_table, travel_table

    units, problems = units_of(m), Problems()
    with asking(file, m, as_json):
        machine = assembled(m, sets, problems)
        variables = Variables(machine, units, problems)
        values = variables.values(at or (), "--at")
        driven = [variables.full(name, f"--travel {name}") for name in travel or ()]
        problems.done(m.name)
        posture = machine.at(values) if values else machine.home
        begin = machine.starting_from(posture)
        travels, refused = [], []
        for name in dict.fromkeys(name for name in driven if name is not None):
            try:
                travels.append(begin.travel(name))
            except ClosureError as error:  # a dead centre, say: the rest is worth knowing all the same
                refused.append((name, error))
    bars = four_bars(m, lay_out(m), graph_of(m))
    if as_json:
        found: dict[str, Any] = {**head(file, m), "variables": variables.si_units(), **posture.as_dict()}
        found |= {"four_bars": [_plain(b) for b in bars], "travel": [t.as_dict() for t in travels]}
        found["no_travel"] = {name: f"{why.status}: {why.problem}" for name, why in refused}
        print_json(found)
        if refused:
            raise typer.Exit(1)
        return
    title(m.name)
    for line in posture.report():
        say(line if line.startswith(" ") else f"  {line}")
    tables = [posture_table(posture, variables.everything, units)]
    if bars:
        tables.append(four_bar_table(bars, units))
    print_tables(tables, MOST_ROWS)
    for each in travels:
        print_tables([travel_table(each, variables.everything, units)], MOST_ROWS)
        for line in _stops(each):
            say(f"  {line}")
    for name, reason in refused:
        say(f"  no travel of {name}: {reason.status}: {reason.problem}")
    if refused:
        raise typer.Exit(1)


def _stops(found: Travel) -> list[str]:
    """Why it goes no further."""
    ends = zip(("lower", "upper"), found.stops, strict=True)
    return [f"{end} end: {stop.status}: {stop.problem.what}" for end, stop in ends if stop is not None]


def _plain(bar: FourBar) -> dict[str, Any]:
    verdict = None if bar.verdict is None else asdict(bar.verdict)
    return {
        "kind": bar.kind,
        "bodies": list(bar.bodies),
        "joints": list(bar.joints),
        "angles": list(bar.angles),
        "verdict": verdict,
        "trouble": bar.trouble,
    }
