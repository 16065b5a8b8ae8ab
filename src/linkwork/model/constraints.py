"""Equations that a machine obeys besides its joints, as plain records. SI and radians.

    coupling     variable = law(other variables)          gears without geometry, mimic joints, differentials
    constraint   expression(places) = 0                   a point on a track, a distance that is kept
    velocity     expression(places, rates) = 0            linear in the rates: a blade, a wheel that does not slip

Expressions speak of joint variables (`A`, `C.slide`), of coordinates of points, frames and bodies in the world
(`tip.z`), and of numbers of their own, which are parameters of the model (`pair.ratio`); those of velocities also of
rates (`rate(A)`, `rate(tip.z)`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.expressions import names_in
from linkwork.expressions.names import differentiated, is_plain, written
from linkwork.model.amounts import TIME
from linkwork.model.parts import checked_name
from linkwork.model.variables import Owner, full_name
from linkwork.model.vectors import number

Kind = Literal["coupling", "constraint", "velocity"]
SECTIONS: dict[Kind, str] = {"coupling": "couplings", "constraint": "constraints", "velocity": "velocities"}
"""Where each kind stands in a model file, and in the places that problems name."""


@dataclass(frozen=True)
class Constraint:
    """One equation of a machine.

    text : the law of a coupled variable, else what is zero
    variable : the coupled variable by its full name; empty of the other kinds
    parameters : numbers of the text, by name
    """

    name: str
    kind: Kind
    text: str
    variable: str = ""
    parameters: Mapping[str, float] = field(default_factory=dict)
    description: str = ""

    @property
    def expression(self) -> str:
        """What is zero."""
        return f"{written(self.variable)} - ({self.text})" if self.kind == "coupling" else self.text

    @property
    def names(self) -> tuple[str, ...]:
        """What it depends on, its own numbers left out."""
        return tuple(name for name in names_in(self.expression) if name not in self.parameters)

    @property
    def of_rates(self) -> bool:
        """Whether it restricts rates alone, and leaves places free."""
        return self.kind == "velocity"


def place_of(constraint: Constraint) -> str:
    """Where a constraint is, as problems call it: `couplings.pair`."""
    return f"{SECTIONS[constraint.kind]}.{constraint.name}"


def coupling(
    joints: Mapping[str, Owner], name: str, joint: Any, law: str, parameters: Mapping[str, Any] | None, description: str
) -> Constraint:
    """A variable that follows others: variable = law."""
    called = joint.name if isinstance(joint, Owner) else str(joint)
    variable = full_name(joints, called)
    made = _made(name, "coupling", law, variable, parameters, description)
    if variable in {full_name(joints, used) for used in names_in(made.text)}:
        raise ModelError(Problem(f"{variable} follows itself", place_of(made), "name it on one side only"))
    return made


def constraint(name: str, expression: str, parameters: Mapping[str, Any] | None, description: str) -> Constraint:
    """An expression of places that stays zero."""
    return _made(name, "constraint", expression, "", parameters, description)


def velocity(name: str, expression: str, parameters: Mapping[str, Any] | None, description: str) -> Constraint:
    """An expression that is linear in rates and stays zero."""
    return _made(name, "velocity", expression, "", parameters, description)


def _made(
    name: str, kind: Kind, text: Any, variable: str, parameters: Mapping[str, Any] | None, description: str
) -> Constraint:
    where = f"{SECTIONS[kind]}.{name}"
    checked_name(name, where)
    try:
        used = names_in(text)
    except ModelError as error:
        raise ModelError([Problem(p.what, where, p.hint) for p in error.problems]) from None
    problems: list[Problem] = []
    values: dict[str, float] = {}
    for key, value in (parameters or {}).items():
        if not isinstance(key, str) or not is_plain(key) or key == TIME:
            hint = "use letters, digits and _, beginning with a letter"
            problems.append(Problem(f"{key!r} cannot name a number", f"{where}.parameters", hint))
        elif key not in used:
            hint = did_you_mean(key, used) if used else ""
            problems.append(Problem(f"the expression does not use '{key}'", f"{where}.parameters.{key}", hint))
        else:
            try:
                values[key] = number(value, f"{where}.parameters.{key}")
            except ModelError as error:
                problems += error.problems
    rates = [n for n in used if differentiated(n) is not None]
    if TIME in used:
        hint = "drive a joint, or hand laws of time to `motion` and `simulate`"
        problems.append(Problem("an equation of the model does not depend on time", where, hint))
    if kind == "velocity" and not rates:
        hint = "write rate(A) or rate(P.x); what holds between places is a constraint"
        problems.append(Problem("there are no rates in it", where, hint))
    if kind != "velocity" and rates:
        hint = "what holds between rates is a velocity constraint"
        problems.append(Problem(f"it speaks of places, not of {', '.join(rates)}", where, hint))
    if problems:
        raise ModelError(problems)
    return Constraint(name, kind, " ".join(text.split()), variable, values, str(description))
