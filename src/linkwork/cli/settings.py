"""Other numbers of the model: `--set crank.mass=2kg`, and the machine with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.completion import complete_parameters

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.cli.option_values import Problems
    from linkwork.model.mechanism import Mechanism
    from linkwork.units import Dimension

Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Another number of the model, --set crank.mass=2kg, or a dimension of `let`, --set crank=45mm; again for "
        "others. `linkwork equations` lists their names. Numbers without a unit are in the units of the file.",
        show_default=False,
        autocompletion=complete_parameters,
    ),
]


def assembled(m: Mechanism, sets: Sequence[str] | None, problems: Problems) -> Machine:
    """The machine, with the numbers that are set; what is wrong with them is told at once."""
    return with_numbers(m.assemble(), sets, problems)


def with_numbers(machine: Machine, sets: Sequence[str] | None, problems: Problems) -> Machine:
    """A machine with the numbers that are set; what is wrong with them is told at once."""
    found = numbers_set(machine, sets, problems)
    return machine.with_parameters(found) if found else machine


def numbers_set(machine: Machine, sets: Sequence[str] | None, problems: Problems) -> dict[str, float]:
    """The numbers that are set [SI], by name; what is wrong with them is told at once."""
    found: dict[str, float] = {}
    for text in sets or ():
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (equals and name and value):
            hint = f"for example --set '{next(iter(numbers_of(machine)), 'crank.mass')}=2'"
            problems.note(f"'{text}' is not of the form name=value", "--set", hint)
        elif name in found:
            problems.note(f"'{name}' is given twice", f"--set {name}", "give it once")
        elif (number := parameter_value(machine, name, value, f"--set {name}", problems)) is not None:
            found[name] = number
    if sets:
        problems.done(machine.name)
    return found


def numbers_of(machine: Machine) -> list[str]:
    """Names of what may be set: dimensions of `let`, then numbers of the model."""
    return [*machine.dimensions, *machine.parameters]


def parameter_value(machine: Machine, name: str, text: str, where: str, problems: Problems) -> float | None:
    """A number of the model in SI, from text with a unit or in the units of the file; None with problems noted."""
    from linkwork.cli.models import units_of
    from linkwork.units import parse_quantity

    dimension = parameter_dimension(machine, name, where, problems)
    if dimension is None:
        return None
    return problems.reading(where, lambda: parse_quantity(text, dimension, units_of(machine.mechanism)))


def parameter_dimension(machine: Machine, name: str, where: str, problems: Problems) -> Dimension | None:
    """What a number of the model measures; None with the problem noted where there is none of this name."""
    from linkwork.analyses.parameter_units import parameter_unit
    from linkwork.names import no_such
    from linkwork.units import NUMBER, parse_unit

    let = machine.mechanism.lets.get(name)
    if let is not None and let.formula:
        hint = f"change {', '.join(machine.dimensions)}"
        problems.note(f"'{name}' follows from others: {let.formula}", where, hint)
        return None
    if let is not None:
        return NUMBER if let.measures is None else let.measures
    if name not in machine.parameters:
        found = no_such("number of the model", name, numbers_of(machine), where)
        hint = found.hint or "`linkwork equations FILE` lists them"
        problems.found.append(replace(found, hint=hint))
        return None
    return parse_unit(parameter_unit(machine.loops, name))[1]
