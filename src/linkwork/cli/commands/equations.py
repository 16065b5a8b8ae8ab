"""`linkwork equations`."""

from __future__ import annotations

from typing import Annotated

import typer

from linkwork.cli.models import AsJson, File, asking, sound
from linkwork.cli.output import print_json, print_problems, print_tables, say, title
from linkwork.cli.settings import Sets, numbers_set


def equations(
    file: File,
    sets: Sets = None,
    as_json: AsJson = False,
    measure: Annotated[bool, typer.Option("--measure", help="Compile each quantity and time it on one core.")] = False,
) -> None:
    """Show coordinates, parameters and what can be asked of a model, with the operations that an answer takes."""
    m = sound(file, as_json)
    from linkwork.analyses.equations import equations as equations_of
    from linkwork.cli.option_values import Problems
    from linkwork.views.tables import equation_tables

    with asking(file, m, as_json):
        numbers = numbers_set(m.assemble(), sets, Problems()) if sets else {}
        found = equations_of(m, measure, numbers)
    if as_json:
        print_json(found.as_dict())
        return
    title(m.name)
    say(f"  {found.summary()}")
    if found.system.cut_joints:
        say(f"  cut joints: {', '.join(found.system.cut_joints)}")
    print_problems(found.problems)
    print_tables(equation_tables(found))
