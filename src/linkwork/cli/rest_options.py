"""Options that say where a machine rests, shared by the commands that ask for equilibrium and for small motions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.load_options import acting, as_options
from linkwork.cli.models import head
from linkwork.cli.output import print_json, tell

if TYPE_CHECKING:
    from linkwork.analyses.equilibrium.equilibrium import Equilibrium
    from linkwork.analyses.linear.linearization import Linearization
    from linkwork.analyses.machine import Machine
    from linkwork.cli.case_options import Asked
    from linkwork.cli.option_values import Variables
    from linkwork.model.mechanism import Mechanism

HoldTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--hold",
        metavar="NAME[=VALUE]",
        help="A variable that is held, --hold A=30deg, or where it is, --hold A; again for others.",
        show_default=False,
    ),
]
StartTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--start",
        metavar="NAME=VALUE",
        help="Where the search begins, --start A=40deg; again for others. As in the layout by default.",
        show_default=False,
    ),
]
Nearest = Annotated[
    bool, typer.Option("--nearest", help="Take the posture of rest that lies nearest, though it may be unstable.")
]
TimeText = Annotated[
    str | None,
    typer.Option("--time", metavar="TIME", help="At which loads over time are taken, --time 2s.", show_default=False),
]
Here = Annotated[
    bool,
    typer.Option("--here", help="Not where it rests, but where it starts: efforts hold it there."),
]

_OPTIONS = {"hold": "--hold", "efforts": "--effort", "states": "--state", "start": "--start", "t": "--time"}


def rest_arguments(
    asked: Asked,
    variables: Variables,
    hold: Sequence[str] | None,
    effort: Sequence[str] | None,
    start: Sequence[str] | None,
    nearest: bool,
    state: Sequence[str] | None,
    time: str | None,
) -> dict[str, Any]:
    """Arguments of `Machine.equilibrium`, as the options say them; problems are noted with the variables'."""
    machine = asked.machine
    named = [text for text in hold or () if "=" in text]
    bare = [text.strip() for text in hold or () if "=" not in text]
    values = variables.values(named, "--hold")
    first = variables.values(start or (), "--start")
    for name in bare:
        full = variables.full(name, f"--hold {name}")
        if full is not None:
            values[full] = first.get(full, machine.home.values.get(full))
    first = asked.starts({}, first, variables)
    given = acting(machine, variables, None, effort, None, None, None, state).under(asked, variables)
    if given.external:
        names = ", ".join(given.external)
        what = f"forces from outside ({names}) are of `linkwork forces` and `linkwork statics`"
        variables.problems.note(what, "--case", "write them under `forces` of the model, and `off` in other cases")
    when = None if time is None else variables.time(time, "--time")
    return {
        "hold": values or None,
        "efforts": given.efforts,
        "start": first or None,
        "kind": "nearest" if nearest else "stable",
        "states": given.states,
        "t": when,
    }


@contextmanager
def resting(file: Path, m: Mechanism, as_json: bool) -> Iterator[None]:
    """Questions about rest: where there is none that is told, with exit code 1."""
    from linkwork.analyses.equilibrium.equilibrium import NoEquilibrium
    from linkwork.analyses.linear.first_order import Massless

    try:
        with as_options(_OPTIONS):
            yield
    except (NoEquilibrium, Massless) as error:
        if as_json:
            problems = [p.as_dict() for p in error.problems]
            print_json({**head(file, m), "status": "no equilibrium", "problems": problems})
        else:
            for problem in error.problems:
                tell(f"{m.name}: {problem}")
        raise typer.Exit(1) from None


def linearized(machine: Machine, arguments: dict[str, Any], here: bool) -> tuple[Linearization, Equilibrium | None]:
    """The machine linearised where it rests, or where it starts."""
    if not here:
        rest = machine.equilibrium(arguments.pop("hold"), **arguments)
        return machine.linearize(rest), rest
    own = {k: v for k, v in arguments.items() if k not in ("kind", "start")}
    return machine.linearize(arguments["start"], **own), None
