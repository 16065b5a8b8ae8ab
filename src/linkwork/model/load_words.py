"""What can be said of any load: where it stands, what it is called, and what it depends on; and gravity over time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from linkwork.errors import ModelError, Problem
from linkwork.model.amounts import TIME, Formula, Steady, Tabulated
from linkwork.model.loads import Load
from linkwork.model.loads.load import AlongVariable, amounts_of
from linkwork.model.loads.load_makers import Gather
from linkwork.model.variables import Owner, full_name
from linkwork.model.vectors import Vector, vector

AnyLoad = TypeVar("AnyLoad", bound=Load)


def section_of(load: Load) -> str:
    """The section of a model file where a load or motor stands."""
    return load.section.name


def kind_of(load: Load) -> str:
    """What a load or motor is called: a spring, a damper, friction, ..."""
    return load.section.kind


def is_damper(load: Load) -> bool:
    """Whether a load only resists motion."""
    return load.symbol == "dashpot"


def place_of(load: Load) -> str:
    """Where a load or motor is, as problems call it: `springs.coil`."""
    return f"{load.section.name}.{load.name}"


def names_of(load: Load) -> tuple[str, ...]:
    """What a load depends on besides what it acts along, as its formulas and tables call it: t, A, rate(C.slide)."""
    amounts = (amount for amount in amounts_of(load).values() if not isinstance(amount, Steady))
    return tuple(dict.fromkeys(name for amount in amounts for name in amount.names))


def completed(record: AnyLoad, joints: Mapping[str, Owner], joint: str) -> AnyLoad:
    """A load or motor that was given by a joint which is known only now, with the full name of its variable."""
    if record.acts == AlongVariable(joint):
        return replace(record, variable=full_name(joints, joint))  # type: ignore[type-var]  # a dataclass, as all are
    return record


def gravity(value: Any) -> tuple[Vector, dict[str, Formula | Tabulated]]:
    """The numbers of gravity and its laws over time, by axis; numbers are zero where there is a law."""
    where = "gravity"
    given = tuple(value) if isinstance(value, list | tuple) else ()
    if isinstance(value, str) or not isinstance(value, Iterable) or (given and len(given) != 3):
        raise ModelError(Problem("three components are wanted", where, "such as (0, 0, -9.81)"))
    if not any(isinstance(g, str | Formula | Tabulated) for g in given):
        return vector(value, where), {}
    part = Gather(where)
    numbers, laws = [], {}
    for axis, component in zip("xyz", given, strict=True):
        much = part.amount(component, axis)
        numbers.append(much.value if isinstance(much, Steady) else 0.0)
        if not isinstance(much, Steady):
            laws[axis] = much
            strange = [name for name in much.names if name != TIME]
            if strange:
                part.wrong(f"gravity depends on {', '.join(strange)}", axis, "it may depend on the time t only")
    part.done()
    return (numbers[0], numbers[1], numbers[2]), laws
