"""`linkwork equilibrium`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.completion import complete_parameters
from linkwork.cli.models import FORCES, AsJson, File, asking, head, sound, units_of
from linkwork.cli.output import print_json, say, tell, title
from linkwork.cli.rest_options import RestOptions, resting, with_rest_options

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.cli.option_values import Problems
    from linkwork.units import UnitSystem

SAMPLES = 61


@with_rest_options("here")
def equilibrium(
    file: File,
    where: RestOptions,
    stay: Annotated[bool, typer.Option("--stay", help="Ask whether exact friction holds it where it starts.")] = False,
    interval: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Between which values it stays at rest by exact friction: a variable, an effort (A.effort), a number "
            "of the model; again for others.",
            show_default=False,
        ),
    ] = None,
    over: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=FIRST:LAST[:N]",
            help="Rest over a held variable, --over A=0:60deg, a number of the model, --over coil.stiffness=1:5:41, an "
            "effort, --over A.effort=0:12, or the time of the loads, --over t=0:2s; 61 values by default.",
            show_default=False,
            autocompletion=complete_parameters,
        ),
    ] = None,
    balanced_by: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="With --over of a variable: a number of the model that is found, so that nothing has to hold it.",
            show_default=False,
        ),
    ] = None,
    branches: Annotated[
        bool, typer.Option("--branches", help="With --over: follow other curves where they branch off.")
    ] = False,
    plot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIGNAL", help="With --over: what a picture of --out shows; again for others.", show_default=False
        ),
    ] = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="With --over: write a picture, path.svg (png, pdf), or numbers, path.csv, path.nc; again for others.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Where a machine rests under gravity and loads, whether it stays there, and what holds it.

    With --over the same over a coordinate or a number of the model, past postures at which it snaps. Where no
    equilibrium is found, or the curve ends before its last value, the exit code is 1.

    Example: linkwork equilibrium double-pendulum --start A=30deg
    """
    m = sound(file, as_json)
    from linkwork.cli.option_values import Problems

    units, problems = units_of(m), Problems()
    with asking(file, m, as_json):
        asked, _, given = where.read(m, problems)
        machine = asked.machine
        ends = None if over is None else _ends(over, machine, units, problems)
        if over is None and (balanced_by is not None or branches or plot or out):
            text = "--balanced-by, --branches, --plot and --out are of --over"
            problems.note(text, "--over", "for example --over A=0:60deg")
        if stay and (where.nearest or over is not None):
            problems.note("it is asked of one posture, where it starts", "--stay", "leave out --nearest and --over")
        if interval and over is not None:
            problems.note("it is asked of one posture", "--interval", "leave out --over")
        problems.done(m.name)
        if stay:
            given["kind"] = "stay"
        with resting(file, m, as_json):
            if ends is not None:
                name, first, last, samples = ends
                path = machine.equilibrium_path(
                    name, first, last, balanced_by=balanced_by, samples=samples, branches=branches, **given
                )
            else:
                rest = machine.equilibrium(given.pop("hold"), **given)
                found = [rest.interval(name) for name in interval or ()]
        if ends is not None:
            for place in out or ():
                numbers = place.suffix.lower() in (".nc", ".csv")
                (path.save(place) if numbers else path.plot(*(plot or ())).save(place))
                tell(f"wrote {place}")
    if ends is not None:
        if as_json:
            print_json({**head(file, m, FORCES), **asked.as_dict(), **path.as_dict()})
        else:
            first_line, *lines = str(path).split("\n")
            title(m.name, first_line.removeprefix(machine.name))
            for line in [*([f"  case: {asked.told}"] if asked.told else []), *lines]:
                say(line)
        if path.status != "complete":
            raise typer.Exit(1)
        return
    if as_json:
        ends_of = {x.name: {"low": x.low, "high": x.high, "unit": x.unit} for x in found}
        print_json({**head(file, m, FORCES), **asked.as_dict(), **rest.as_dict(), "intervals": ends_of})
        return
    first_line, *lines = str(rest).split("\n")
    title(m.name, first_line.removeprefix(machine.name))
    if asked.told:
        say(f"  case: {asked.told}")
    for line in [*lines, *(f"  stays at rest with {own}" for own in found)]:
        say(line)


def _ends(text: str, machine: Machine, units: UnitSystem, problems: Problems) -> tuple[str, float, float, int] | None:
    """What the path lies over, its first and last value [SI], and how many; None with problems noted."""
    from linkwork.analyses.equilibrium.path_asked import EFFORT, path_problem, quantity_named
    from linkwork.analyses.kinematics.measured_machine import measuring
    from linkwork.units import NUMBER, parse_quantity, parse_unit

    name, equals, span = (part.strip() for part in text.partition("="))
    parts = span.split(":")
    if not equals or len(parts) not in (2, 3) or not all(part.strip() for part in parts):
        problems.note(f"'{text}' is not of the form name=first:last", "--over", "for example --over A=0:60deg")
        return None
    found = quantity_named(measuring(machine, [name.removesuffix(EFFORT)]).loops, machine, name)
    if found is None:
        problems.found.append(path_problem(machine, name, f"--over {name}"))
        return None
    dimension = NUMBER if found[2] == "1" else parse_unit(found[2])[1]
    where = f"--over {name}"
    ends = [problems.reading(where, lambda p=part: parse_quantity(p, dimension, units)) for part in parts[:2]]  # type: ignore[misc]
    samples = SAMPLES
    if len(parts) == 3:
        if not parts[2].strip().isdigit():
            problems.note(f"'{parts[2]}' is no number of values", where, "write --over A=0:60deg:31")
            return None
        samples = int(parts[2])
    if ends[0] is None or ends[1] is None:
        return None
    return name, ends[0], ends[1], samples
