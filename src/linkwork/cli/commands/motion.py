"""`linkwork motion`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.driving import Closure, Drives, Duration, Samples, Speeds, Start, begun
from linkwork.cli.models import AsJson, File, asking, head, sound, units_of
from linkwork.cli.printing import MOST_ROWS, console, print_json, print_tables, say, tell, title
from linkwork.errors import Problem

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.cli.given import Problems
    from linkwork.results import Run
    from linkwork.units import UnitSystem

MOST_SAMPLES = 10_000_000


def motion(
    file: File,
    drive: Drives = None,
    speed: Speeds = None,
    samples: Samples = None,
    duration: Duration = None,
    start: Start = None,
    closure: Closure = None,
    jerk: Annotated[bool, typer.Option("--jerk", help="Third derivatives of the joints too.")] = False,
    plot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIGNAL",
            help="Plot this signal: a joint A, a point P, or one of their signals A.rate, P.vx, P.speed; again for "
            "others. Written to NAME.png here unless --out names a picture.",
            show_default=False,
        ),
    ] = None,
    x: Annotated[
        str | None,
        typer.Option("--x", metavar="SIGNAL", help="Plot over this signal instead of time, --x A.", show_default=False),
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Draw the path of this point, body or frame, --path P; again for others on the same page. "
            "With --plot it is written to NAME-path.png.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Write the run, --out run.nc or --out run.csv, or a picture, --out plot.png (svg, pdf); again for "
            "others. A file that is there is overwritten.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Drive joints through laws of time; show what all joints do, plot it, write it to files.

    A motion that cannot be finished keeps and writes what was reached, with exit code 1; Ctrl-C does the same with 130.

    Example: linkwork motion slider-crank --drive A=0:360deg --speed A=3000rpm --plot D.slide --x A --out run.nc
    """
    m = sound(file, as_json)
    from linkwork.cli.given import Problems, Variables
    from linkwork.cli.outputs import outputs
    from linkwork.cli.progress import Work

    units, problems = units_of(m), Problems()
    wanted = outputs(file.stem, out or (), plot or (), x, path or (), problems)
    with asking(file, m, as_json):
        machine = m.assemble()
        variables = Variables(machine, units, problems)
        seconds = variables.duration(duration)
        given = variables.laws_of_time(drive or (), speed or (), duration if seconds is not None else None)
        begin = variables.values(start or (), "--start")
        _check(drive, samples, problems, machine)
        problems.done(m.name)
        laws = {name: law for name, (_, law) in given.items()}
        with Work("motion") as work:
            machine = begun(machine, begin, laws, closure, work)
            if wanted.of_names:  # before long work, the first sample tells the names that there will be
                wanted.check_names(machine.motion(laws, times=[0.0], jerk=jerk), problems)
                problems.done(m.name)
            run = machine.motion(laws, samples=samples, duration=seconds, jerk=jerk, progress=work.progress)
    unwritten: list[str] = []
    written = wanted.write(run, units, unwritten.append)
    texts = {name: text for name, (text, _) in given.items()}
    if as_json:
        print_json({**head(file, m), **_plain(run, texts), "written": [str(w) for w in written]})
    else:
        _print(m.name, run, texts, units)
        for each in written:
            say(f"wrote {each}")
    for text in unwritten:
        tell(text)
    raise typer.Exit(130 if work.stopped else 2 if unwritten else 0 if run.evidence.complete else 1)


def _check(drive: list[str] | None, samples: int | None, problems: Problems, machine: Machine) -> None:
    if not drive:
        free = machine.home.independent
        name = free[0] if free else "A.angle"
        problems.note("nothing is driven", "--drive", f"for example --drive '{name}=0:1'")
    if samples is not None and not 1 <= samples <= MOST_SAMPLES:
        problems.note(f"{samples} samples", "--samples", f"give a whole number from 1 to {MOST_SAMPLES}")


def _plain(run: Run, texts: dict[str, str]) -> dict[str, Any]:
    from linkwork.views.ranges import joint_ranges

    ranges = joint_ranges(run)
    return {
        "driven": texts,
        "held": _held(run),
        "joints": {name: {level: r.as_dict() for level, r in own.items()} for name, own in ranges.items()},
        "evidence": run.evidence.as_dict(),
    }


def _held(run: Run) -> list[str]:
    return [name for name, law in run.driven.items() if law == "held"]


def _print(name: str, run: Run, texts: dict[str, str], units: UnitSystem) -> None:
    from linkwork.cli.printing import print_problems
    from linkwork.units import TIME, format_quantity
    from linkwork.views.ranges import joint_ranges
    from linkwork.views.tables import range_table

    found = run.evidence
    title(name, "  [bold green]complete[/bold green]" if found.complete else "  [bold red]stopped[/bold red]")
    for variable, text in texts.items():
        say(f"  driven: {variable} = {text}")
    if held := _held(run):
        say(f"  held: {', '.join(held[:12])}{f' and {len(held) - 12} more' if len(held) > 12 else ''}")

    def at(time: float | None) -> str:
        return format_quantity(time or 0.0, TIME, units)

    samples = f"{found.reached}" if found.complete else f"{found.reached} of {found.asked}"
    span = f", time {at(found.span[0])} to {at(found.span[1])}" if found.span else ""
    say(f"  {samples} sample{'s' * (found.asked != 1)}{span}")
    if found.worst_residual is not None and found.smallest_quality is not None:
        residual = f"largest residual {found.worst_residual:.1e}"
        quality = f"smallest quality {found.smallest_quality:.3g} at {at(found.smallest_quality_at)}"
        mobility = f", mobility {' and '.join(map(str, found.mobility))}" if len(found.mobility) > 1 else ""
        say(f"  {residual}, {quality}{mobility}")
    if not found.complete:
        out = console()
        out.print("  stopped: ", style="bold red", end="")
        out.print(found.message, markup=False, soft_wrap=True)
    print_problems([Problem(text, severity="warning") for text in found.warnings])
    print_tables([range_table(joint_ranges(run), units)], MOST_ROWS)
