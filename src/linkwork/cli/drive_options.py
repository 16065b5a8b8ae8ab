"""Options that drive a machine, shared by the commands that move it, and the posture that it starts from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.output import fail

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.cli.option_values import Problems
    from linkwork.cli.progress import Work
    from linkwork.drives import Drive

MOST_SAMPLES = 10_000_000
LAWS = (
    "Law of a joint variable, or of a coordinate of a point, P.x=0.4m:0.3m; again for others. A range "
    "--drive A=0:360deg, with a speed or a duration "
    "'A=0:360deg @ 3000rpm', 'A=0:360deg in 2s'; a value A=30deg; 'A=harmonic(0, 30deg, 2Hz)', "
    "'A=cycloidal(0, 90deg, 1s)', 'A=345(0, 90deg, 1s)', 'A=trapezoidal(0, 90deg, 60rpm, 5rad/s^2)', "
    "'A=table(0s: 0, 1s: 20deg)', 'A=spline(0s: 0, 1s: 20deg, 2s: 0)', 'A=expr(0.3*sin(2*t))', "
    "'A=dwell(90deg, 2s)'; one after the other with ';'. Numbers without a unit are in the units of the file."
)
Drives = Annotated[list[str] | None, typer.Option(metavar="NAME=LAW", help=LAWS, show_default=False)]
Speeds = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=SPEED",
        help="Speed of a driven range, --speed A=3000rpm; again for others.",
        show_default=False,
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


def check_driven(drive: Sequence[str] | None, problems: Problems, machine: Machine) -> None:
    """Notes that nothing is driven."""
    if not drive:
        plain = (n if n in machine.variables else n.replace(".v", ".") for n in machine.home.independent)  # F.x of F.vx
        name = next((n for n in plain if n in machine.variables), "A.angle")
        problems.note("nothing is driven", "--drive", f"for example --drive '{name}=0:1'")


def check_samples(samples: int | None, problems: Problems, least: int = 1) -> None:
    """Notes a number of samples that is none."""
    if samples is not None and not least <= samples <= MOST_SAMPLES:
        problems.note(f"{samples} samples", "--samples", f"give a whole number from {least} to {MOST_SAMPLES}")
