"""`linkwork statics`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.case_options import CaseName, asked_machine
from linkwork.cli.load_options import (
    DriveNames,
    EffortTexts,
    ExternalTexts,
    PreloadTexts,
    StateTexts,
    WeightTexts,
    acting,
    as_options,
    idle_problems,
)
from linkwork.cli.models import FORCES, AsJson, File, asking, head, sound, units_of
from linkwork.cli.output import MOST_ROWS, print_json, print_problems, print_tables, say, title
from linkwork.cli.settings import Sets
from linkwork.errors import Problem

if TYPE_CHECKING:
    from linkwork.analyses.forces.statics import Statics
    from linkwork.cli.option_values import Variables


def statics(
    file: File,
    case: CaseName = None,
    sets: Sets = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Where it rests, --at A=40deg; again for others. As in the layout by default.",
            show_default=False,
        ),
    ] = None,
    drives: DriveNames = None,
    effort: EffortTexts = None,
    preload: PreloadTexts = None,
    weight: WeightTexts = None,
    external: ExternalTexts = None,
    state: StateTexts = None,
    advantage: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FROM:TO",
            help="Mechanical advantage: what a unit of effort along the first joint gives along the second, "
            "--advantage A:D; again for others.",
            show_default=False,
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="At which loads over time are taken, --time 2s; 0 by default.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Forces at rest: what holds a posture, what loads do, and what every joint carries.

    Components that redundant loops leave open are marked so. At a singular posture, where the drives cannot hold the
    machine, the exit code is 1.

    Example: linkwork statics slider-crank --at A=60deg --advantage A:D
    """  # fmt: skip
    m = sound(file, as_json)
    from linkwork.cli.option_values import Problems, Variables

    units, problems = units_of(m), Problems()
    with asking(file, m, as_json):
        asked = asked_machine(m, case, sets, problems)
        machine = asked.machine
        variables = Variables(machine, units, problems)
        values = variables.values(at or (), "--at")
        values = asked.under("--at", asked.own.start, values, variables)
        given = acting(machine, variables, drives, effort, preload, weight, external, state).under(asked, variables)
        pairs = _pairs(advantage or [], variables)
        when = 0.0 if time is None else variables.time(time, "--time")
        problems.done(m.name)
        posture = machine.at(values) if values else machine.home
        with as_options():
            found = machine.statics(posture, t=when or 0.0, **given.said)
        ratios = {pair: machine.mechanical_advantage(*pair, posture) for pair in pairs}
    idle = idle_problems(m, given, moving=False)
    if as_json:
        warnings = [*found.warnings, *map(str, idle)]
        print_json({**head(file, m, FORCES), **asked.as_dict(), **_plain(found, values, ratios), "warnings": warnings})
    else:
        title(m.name, "  at rest")
        if asked.told:
            say(f"  case: {asked.told}")
        for name, value in values.items():
            say(f"  at {name} = {variables.shown(name, value)}")
        print_problems([*(Problem(text, severity="warning") for text in found.warnings), *idle])
        from linkwork.views.force_tables import statics_tables

        print_tables(statics_tables(found, m), MOST_ROWS)
        for pair, ratio in ratios.items():
            say(_advantage(pair, ratio, variables))
    raise typer.Exit(0 if all(math.isfinite(x) for x in found.efforts.values()) else 1)


def _pairs(texts: list[str], variables: Variables) -> list[tuple[str, str]]:
    """Full names from texts such as "A:D"."""
    found = []
    for text in texts:
        names = [part.strip() for part in text.split(":")]
        if len(names) != 2 or not all(names):
            variables.problems.note(f"'{text}' is not two joints", "--advantage", "for example --advantage A:D")
            continue
        first, second = (variables.full(name, f"--advantage {text}") for name in names)
        if first and second:
            found.append((first, second))
    return found


def _advantage(pair: tuple[str, str], ratio: float, variables: Variables) -> str:
    from linkwork.units import ANGLE, LENGTH

    given, gained = ({LENGTH: "N", ANGLE: "N m"}.get(variables.dimensions[n], "J") for n in pair)
    gain = (
        f"{ratio:.6g} {gained} along {pair[1]}"
        if math.isfinite(ratio)
        else f"any effort along {pair[1]}: a dead centre"
    )
    return f"mechanical advantage: 1 {given} along {pair[0]} gives {gain}"


def _plain(found: Statics, values: dict[str, Any], ratios: dict[tuple[str, str], float]) -> dict[str, Any]:
    return {
        "at": values,
        "posture": found.posture.values,
        "efforts": {n: {"value": x, "unit": found.units[n]} for n, x in found.efforts.items()},
        "loads": {n: {"value": x, "unit": found.units[n]} for n, x in found.loads.items()},
        "constraints": {
            n: {"value": x if math.isfinite(x) else None, "unit": found.units[n]} for n, x in found.constraints.items()
        },
        "reactions": {
            joint: {"force": r.force.tolist(), "moment": r.moment.tolist(), "indeterminate": list(r.indeterminate)}
            for joint, r in found.reactions.items()
        },
        "advantages": [{"given": a, "gained": b, "ratio": x} for (a, b), x in ratios.items()],
    }
