"""What the whole model tells about its constraints: names that are not there, rates that are not linear, jumps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from linkwork.errors import Problem
from linkwork.expressions import Expression, names_in
from linkwork.expressions.names import differentiated
from linkwork.expressions.smoothness import breaks
from linkwork.model.constraints import Constraint, place_of
from linkwork.model.mechanism import Mechanism
from linkwork.model.name_book import MachineNames
from linkwork.model.variables import find_variable, no_variable

TRIED = (0.37, -1.3, 2.1)
"""Values of all arguments at which what is left without rates is looked at."""


def constraint_problems(m: Mechanism) -> list[Problem]:
    """Everything that is wrong about the constraints of a mechanism.

    Parameters
    ----------
    m : the mechanism
    """
    book = MachineNames(m)
    problems: list[Problem] = []
    for constraint in m.constraints.values():
        found = list(_problems(book, constraint))
        problems += found or list(_uneven(constraint)) or jumps_of(constraint, constraint.parameters)
    return problems


def jumps_of(constraint: Constraint, numbers: Mapping[str, float]) -> list[Problem]:
    """Where an equation jumps, or a coefficient of one of rates: no motion obeys it there.

    numbers : values of its parameters
    """
    rates = [name for name in constraint.names if differentiated(name) is not None]
    hint = "write it smoothly: tanh(x/0.01) for sign(x), pieces of a `where` that meet"
    return [
        Problem(
            f"`{own.function}` jumps at {own.place}, where no motion obeys the equation", place_of(constraint), hint
        )
        for own in breaks(constraint.expression, numbers, rates)
        if own.jumps
    ]


def torn_by(m: Mechanism, before: Mapping[str, float], values: Mapping[str, np.ndarray]) -> list[Problem]:
    """Equations that would jump with other numbers, by the first of them that does where arrays are given.

    before, values : numbers by name (`cam.k`), those that a machine has and those it is given
    """
    problems: list[Problem] = []
    for own in m.constraints.values():
        names = [name for name in own.parameters if f"{own.name}.{name}" in values]
        if not names:
            continue
        try:
            arrays = np.broadcast_arrays(*(values[f"{own.name}.{name}"] for name in names))
        except ValueError:  # which whoever asked is told with all shapes
            continue
        now = {name: before.get(f"{own.name}.{name}", value) for name, value in own.parameters.items()}
        for row in np.unique(np.stack([x.ravel() for x in arrays], axis=1), axis=0):
            if found := jumps_of(own, {**now, **dict(zip(names, row.tolist(), strict=True))}):
                told = ", ".join(f"{name} = {x:.6g}" for name, x in zip(names, row, strict=True))
                problems += [replace(p, what=f"{p.what} ({told})", where=f"parameters.{own.name}") for p in found]
                break
    return problems


def kinks_of(constraint: Constraint, numbers: Mapping[str, float]) -> list[Problem]:
    """Where an equation of places has a kink: the rates that obey it are others on either side, as after an impact.

    numbers : values of its parameters
    """
    if constraint.of_rates:  # whose coefficients then have kinks, and accelerations jump
        return []
    hint = "write it smoothly, such as sqrt(x**2 + 1e-6) for abs(x); `motion` and `forces` take it as it is"
    return [
        Problem(f"`{own.function}` has a kink at {own.place}, where the rates would jump", place_of(constraint), hint)
        for own in breaks(constraint.expression, numbers)
        if not own.jumps
    ]


def _problems(book: MachineNames, constraint: Constraint) -> Iterator[Problem]:
    where = place_of(constraint)
    names = constraint.names
    if constraint.kind == "coupling":
        names = tuple(name for name in names_in(constraint.text) if name not in constraint.parameters)
        if find_variable(book.m.owners, constraint.variable) is None:
            yield no_variable(book.m.owners, constraint.variable, f"{where}.joint")
    for name in constraint.parameters:
        if book.is_known(name):
            yield Problem(f"'{name}' is a joint already", f"{where}.parameters", "give the number another name")
    for name in names:
        if book.is_of_state(name):
            hint = "states push through loads: let a load use it"
            yield Problem(f"'{name}' is a state, which constrains no places", where, hint)
    if names or constraint.kind != "coupling":
        yield from book.problems(names, where)


def _uneven(constraint: Constraint) -> Iterator[Problem]:
    """Problems of velocities that are not linear in their rates, or not zero without them."""
    rates = [name for name in constraint.names if differentiated(name) is not None]
    if not constraint.of_rates:
        return
    expression = Expression(constraint.expression, names_in(constraint.expression))
    curved = [name for name in rates if expression.derivative(name).used & set(rates)]
    if curved:
        hint = "write coefficients of places times rates: rate(P.x)*sin(A) - rate(P.y)*cos(A)"
        yield Problem(f"it is not linear in {', '.join(curved)}", place_of(constraint), hint)
        return
    for value in TRIED:
        given = {name: 0.0 if name in rates else value for name in expression.variables}
        left = float(expression(**{**given, **constraint.parameters}))
        if np.isfinite(left) and left != 0.0:
            hint = "leave it out, or drive a joint with a law of time"
            yield Problem("a part of it does not depend on rates", place_of(constraint), hint)
            return
