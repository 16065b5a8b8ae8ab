"""Options that say where a machine rests, shared by the commands that ask for equilibrium and for small motions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from linkwork.cli.case_options import CaseName, asked_machine
from linkwork.cli.load_options import EffortTexts, StateTexts, acting, as_options
from linkwork.cli.models import head, units_of
from linkwork.cli.output import print_json, tell
from linkwork.cli.settings import Sets

if TYPE_CHECKING:
    from linkwork.analyses.equilibrium.equilibrium import Equilibrium
    from linkwork.analyses.linear.linearization import Linearization
    from linkwork.analyses.machine import Machine
    from linkwork.cli.case_options import Asked
    from linkwork.cli.option_values import Problems, Variables
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


@dataclass(frozen=True)
class RestOptions:
    """What a command was told of where the machine rests; `with_rest_options` gives a command these options."""

    case: CaseName = None
    sets: Sets = None
    hold: HoldTexts = None
    effort: EffortTexts = None
    start: StartTexts = None
    nearest: Nearest = False
    here: Here = False
    state: StateTexts = None
    time: TimeText = None

    def read(self, m: Mechanism, problems: Problems) -> tuple[Asked, Variables, dict[str, Any]]:
        """What is asked, names of variables, and arguments of `Machine.equilibrium`; problems are noted."""
        from linkwork.cli.option_values import Variables

        asked = asked_machine(m, self.case, self.sets, problems)
        variables = Variables(asked.machine, units_of(m), problems)
        return asked, variables, rest_arguments(asked, variables, self)


def with_rest_options(*without: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command whose argument `where` stands for the options of `RestOptions`, but those named here."""
    hints = get_type_hints(RestOptions, include_extras=True)
    shared = [
        inspect.Parameter(own.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=own.default,
                          annotation=hints[own.name])
        for own in fields(RestOptions) if own.name not in without
    ]  # fmt: skip

    def changed(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)
        parts = [[one] if one.name != "where" else shared for one in own.parameters.values()]

        @wraps(command)
        def called(**given: Any) -> None:
            where = RestOptions(**{one.name: given.pop(one.name) for one in shared})
            command(where=where, **given)

        signature = own.replace(parameters=[one for part in parts for one in part])
        called.__signature__ = signature  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}
        return called

    return changed


_OPTIONS = {"hold": "--hold", "efforts": "--effort", "states": "--state", "start": "--start", "t": "--time"}


def rest_arguments(asked: Asked, variables: Variables, told: RestOptions) -> dict[str, Any]:
    """Arguments of `Machine.equilibrium`, as the options say them; problems are noted with the variables'."""
    machine = asked.machine
    named = [text for text in told.hold or () if "=" in text]
    bare = [text.strip() for text in told.hold or () if "=" not in text]
    values = variables.values(named, "--hold")
    first = variables.values(told.start or (), "--start")
    for name in bare:
        full = variables.full(name, f"--hold {name}")
        if full is not None:
            values[full] = first.get(full, machine.home.values.get(full))
    first = asked.starts({}, first, variables)
    given = acting(machine, variables, None, told.effort, None, None, None, told.state).under(asked, variables)
    if given.external:
        names = ", ".join(given.external)
        what = f"forces from outside ({names}) are of `linkwork forces` and `linkwork statics`"
        variables.problems.note(what, "--case", "write them under `forces` of the model, and `off` in other cases")
    when = None if told.time is None else variables.time(told.time, "--time")
    return {
        "hold": values or None,
        "efforts": given.efforts,
        "start": first or None,
        "kind": "nearest" if told.nearest else "stable",
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
