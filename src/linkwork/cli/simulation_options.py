"""Options of a machine that is let go: until when, with what, what happens on the way, and how it is integrated."""

from __future__ import annotations

from typing import Annotated

import typer

Until = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="When it ends, --until 10s; it begins at 0.", show_default=False),
]
Rates = Annotated[
    list[str] | None,
    typer.Option(
        "--rate",
        "--rates",
        metavar="NAME=RATE",
        help="How fast a variable is at the start, --rate A=30rpm; again for others. What is neither given nor "
        "dependent is at rest.",
        show_default=False,
    ),
]
States = Annotated[
    list[str] | None,
    typer.Option(
        "--state",
        metavar="NAME=VALUE",
        help="Where a state of the model begins, --state 'i=0.5 A'; again for others. What is not given begins as the "
        "file says.",
        show_default=False,
    ),
]
Efforts = Annotated[
    list[str] | None,
    typer.Option(
        "--effort",
        metavar="NAME=EFFORT",
        help="Force or torque that acts along a joint: a value, --effort 'A=5 N m'; a law of time, "
        "'A=harmonic(0, 5 N m, 2Hz)'; arithmetic of time, variables, rates and states in SI units, "
        "'A=-3*A - 0.2*rate(A)'; again for others. Numbers without a unit are in N and N m, or in the force that the "
        "file names.",
        show_default=False,
    ),
]
Times = Annotated[
    str | None,
    typer.Option(metavar="TIMES", help="Samples exactly there instead, --times 0,0.5,2s.", show_default=False),
]
Method = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Of integration: auto (explicit, and implicit once it turns out to be stiff), explicit, radau, "
        "exponential, exponential-static, variational, variational-4 (fixed steps that keep the energy for long), ida.",
    ),
]
Step = Annotated[
    str | None,
    typer.Option(
        metavar="TIME", help="Longest step, --step 1ms; of the variational methods every step.", show_default=False
    ),
]
RelativeError = Annotated[
    float, typer.Option("--rtol", metavar="NUMBER", help="Tolerated error of a step, relative to the numbers.")
]
AbsoluteError = Annotated[
    float,
    typer.Option("--atol", metavar="NUMBER", help="The same, absolute, in rad and in parts of the machine's size."),
]
Stops = Annotated[
    list[str] | None,
    typer.Option(
        "--stop",
        metavar="LIMITS",
        help="A limit that the machine runs into, --stop '0 <= A <= 60deg; restitution 0.5', or an elastic one, "
        "--stop 'tip.z >= -0.4m; stiffness 1e5 N/m; damping 50 N s/m'; again for others.",
        show_default=False,
    ),
]
Whens = Annotated[
    list[str] | None,
    typer.Option(
        "--when",
        metavar="CONDITION: ACTIONS",
        help="What to do where a condition becomes true, --when 'tip.z < 100mm: stop', --when 'rate(A) > 30rpm: lock "
        "B; once', or where an expression crosses zero, --when 'tip.z - 0.1: off coil'; again for others. Actions: "
        "stop, lock B, release B, on coil, off coil, set tool.mass = 2kg, from rest, once, name turning.",
        show_default=False,
    ),
]
Ats = Annotated[
    list[str] | None,
    typer.Option(
        "--at",
        metavar="TIME: ACTIONS",
        help="What to do at a time, --at '2.5s: off coil; set tool.mass = 2kg'; again for others.",
        show_default=False,
    ),
]

OPTIONS = {
    "until": "--until", "start": "--start", "rates": "--rate", "drives": "--drive", "efforts": "--effort",
    "states": "--state", "times": "--times", "samples": "--samples", "method": "--method", "step": "--step",
    "rtol": "--rtol", "atol": "--atol",
}  # fmt: skip
"""What the parameters of simulations are called on the command line."""
