"""Options that drive a machine, shared by the commands that move it, and the posture that it starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.completion import complete_joints
from linkwork.cli.output import fail, tell

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.cli.option_values import Problems
    from linkwork.cli.progress import Work
    from linkwork.drives import Drive
    from linkwork.results import Run

MOST_SAMPLES = 10_000_000
LAWS = (
    "Law of a joint variable, or of a coordinate of a point, P.x=0.4m:0.3m; again for others. A range "
    "--drive A=0:360deg, with a speed or a duration "
    "'A=0:360deg @ 3000rpm', 'A=0:360deg in 2s'; a value A=30deg; 'A=harmonic(0, 30deg, 2Hz)', "
    "'A=cycloidal(0, 90deg, 1s)', 'A=345(0, 90deg, 1s)', 'A=trapezoidal(0, 90deg, 60rpm, 5rad/s^2)', "
    "'A=table(0s: 0, 1s: 20deg)', 'A=spline(0s: 0, 1s: 20deg, 2s: 0)', 'A=expr(0.3*sin(2*t))', "
    "'A=dwell(90deg, 2s)'; one after the other with ';'. Numbers without a unit are in the units of the file. "
    "Without --drive the first independent variable makes a turn, or goes through its travel and back."
)
Drives = Annotated[
    list[str] | None, typer.Option(metavar="NAME=LAW", help=LAWS, show_default=False, autocompletion=complete_joints)
]
Speeds = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=SPEED",
        help="Speed of a driven range, --speed A=3000rpm; again for others.",
        show_default=False,
        autocompletion=complete_joints,
    ),
]
Samples = Annotated[
    int | None,
    typer.Option(metavar="NUMBER", help="How many, evenly spaced, --samples 721; 361 by default.", show_default=False),
]
Duration = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Of the motion, --duration 2s; by default that of the longest law. A range without a speed lasts as "
        "long, 1 s by default.",
        show_default=False,
    ),
]
Start = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="Start from the posture with this value, --start A=10deg; again for others. Variables that are "
        "neither driven nor dependent keep their values.",
        show_default=False,
        autocompletion=complete_joints,
    ),
]
Closure = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="Start from this closure, by its number in `linkwork closures` with the first values of the drives, "
        "--closure 2.",
        show_default=False,
    ),
]


def begun(machine: Machine, start: dict[str, Any], laws: dict[str, Drive], closure: str | None, work: Work) -> Machine:
    """The machine at the posture to start from."""
    if closure is None:
        return machine.starting_from(start) if start else machine
    first = {name: float(law.sample(0.0)[0]) for name, law in laws.items()} | start
    work.what = "closures"
    found = machine.closures(first, progress=work.progress)
    work.restarted("motion")
    names = [p.name for p in found]
    if closure not in names:
        at = "the first values of the drives"
        fail(f"{machine.name}: --closure: there is no closure '{closure}'; with {at} there is: {', '.join(names)}")
    return machine.starting_from(found[closure])


def moved_by_itself(
    machine: Machine, samples: int | None, seconds: float | None, jerk: bool, work: Work
) -> tuple[Run, dict[str, str]]:
    """The motion that is shown where nothing is driven, and what is driven how: as in reports."""
    from linkwork.views.default_motion import shown_motion

    shown = shown_motion(machine, samples, work.progress, seconds, jerk)
    if shown.run is None:
        fail(f"{machine.name}: {shown.why_still}")
    assert shown.run is not None
    told = "; ".join(f"{name} moves: {text}" for name, text in shown.told.items())
    tell(f"nothing is driven by --drive; {told}")
    return shown.run, dict(shown.told)


def check_samples(samples: int | None, problems: Problems, least: int = 1) -> None:
    """Notes a number of samples that is none."""
    if samples is not None and not least <= samples <= MOST_SAMPLES:
        problems.note(f"{samples} samples", "--samples", f"give a whole number from {least} to {MOST_SAMPLES}")
