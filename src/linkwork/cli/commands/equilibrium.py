"""`linkwork equilibrium`."""

from __future__ import annotations

from linkwork.cli.case_options import CaseName, asked_machine
from linkwork.cli.load_options import EffortTexts, StateTexts
from linkwork.cli.models import FORCES, AsJson, File, asking, head, sound, units_of
from linkwork.cli.output import print_json, say, title
from linkwork.cli.rest_options import HoldTexts, Nearest, StartTexts, TimeText, rest_arguments, resting
from linkwork.cli.settings import Sets


def equilibrium(
    file: File,
    case: CaseName = None,
    sets: Sets = None,
    hold: HoldTexts = None,
    effort: EffortTexts = None,
    start: StartTexts = None,
    nearest: Nearest = False,
    state: StateTexts = None,
    time: TimeText = None,
    as_json: AsJson = False,
) -> None:
    """Where a machine rests under gravity and loads, whether it stays there, and what holds it.

    Where no equilibrium is found, the exit code is 1.

    Example: linkwork equilibrium double-pendulum --start A=30deg
    """
    m = sound(file, as_json)
    from linkwork.cli.option_values import Problems, Variables

    units, problems = units_of(m), Problems()
    with asking(file, m, as_json):
        asked = asked_machine(m, case, sets, problems)
        machine = asked.machine
        variables = Variables(machine, units, problems)
        given = rest_arguments(asked, variables, hold, effort, start, nearest, state, time)
        problems.done(m.name)
        with resting(file, m, as_json):
            rest = machine.equilibrium(given.pop("hold"), **given)
    if as_json:
        print_json({**head(file, m, FORCES), **asked.as_dict(), **rest.as_dict()})
        return
    first, *lines = str(rest).split("\n")
    title(m.name, first.removeprefix(machine.name))
    if asked.told:
        say(f"  case: {asked.told}")
    for line in lines:
        say(line)
