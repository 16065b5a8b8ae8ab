"""Variables, rates and drives given by name, turned into places and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.loops import Loops
from linkwork.equations.measures import measured_places
from linkwork.equations.plan import Slot
from linkwork.errors import InputError, ModelError, Problem, nearest
from linkwork.geometry import Array
from linkwork.model.text_values import in_si
from linkwork.units import ANGLE, LENGTH, Dimension

MANY = 8
"""Joints that a hint names."""


@dataclass(frozen=True, eq=False)
class Given:
    """Variables that were given values.

    variables : their places among y; columns : places of their rates among w
    values : (..., variables)
    """

    variables: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Array


def merged(values: Mapping[str, Any] | None, named: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Values given as a mapping and as keywords."""
    if values is not None and not isinstance(values, Mapping):
        text = f"values are given by name, not as {type(values).__name__}"
        raise InputError(Problem(text, hint="for example {'A': 0.5}, or A=0.5"), source)
    both = set(values or {}) & set(named)
    if both:
        raise InputError([Problem("given twice", n) for n in sorted(both)], source)
    return {**(values or {}), **named}


def place_of(loops: Loops, name: Any) -> tuple[Slot, int] | None:
    """The joint and the number of a single plain variable: `A.angle`, or `A` where the joint has only one."""
    found = loops.book.find(name, "variable")
    if found is None:
        return None
    slot = next(s for s in loops.plan.slots if s.owner == found.owner)
    return slot, found.place - slot.q.start


def given_variables(loops: Loops, values: Mapping[str, Any], measured: bool = False) -> Given:
    """Variables by name: single ones (`A`, `C.slide`), or all of a joint (`S`: a quaternion, w first).

    measured : coordinates of places (`P.x`) might have been named too
    """
    plan = loops.plan
    problems: list[Problem] = []
    places: dict[int, str] = {}
    rates: set[int] = set()
    columns: list[Array] = []
    for name, value in values.items():
        found = place_of(loops, name)
        whole = next((s for s in plan.slots if s.owner == name), None)
        if found is None and (whole is None or not whole.law.variables):
            problems.append(unknown_variable(loops, name, measured=measured))
            continue
        number = _numbers(name, value, problems, _measured(found, whole))
        if number is None:
            continue
        if found is not None:
            slot, k = found
            taken = {slot.q.start + k: number}
            rates.add(slot.v.start + k)
        elif whole is not None:
            size = len(whole.law.variables)
            if number.shape[-1:] != (size,):
                names = ", ".join(v.name for v in whole.law.variables)
                hint = "give all of them, as a list" + ("" if whole.plain < size else ", or single ones by name")
                problems.append(Problem(f"'{name}' has {size} variables: {names}", name, hint))
                continue
            if whole.plain < size:
                length = np.linalg.norm(number[..., whole.plain :], axis=-1, keepdims=True)
                if np.any(np.abs(length - 1.0) > 1e-6):
                    text = f"the quaternion has length {float(length.flat[0]):.6g}, not 1"
                    problems.append(Problem(text, name, "give a unit quaternion, w first"))
                    continue
                number = np.concatenate([number[..., : whole.plain], number[..., whole.plain :] / length], axis=-1)
            taken = {whole.q.start + k: number[..., k] for k in range(size)}
            rates |= set(range(whole.v.start, whole.v.stop))
        for place, column in taken.items():
            if place in places:
                text = f"'{name}' and '{places[place]}' both give '{plan.variables[place]}'"
                problems.append(Problem(text, name))
                continue
            places[place] = name
            columns.append(column)
    if problems:
        raise InputError(problems, plan.name)
    try:
        stacked = np.stack(np.broadcast_arrays(*columns), axis=-1) if columns else np.zeros((0,))
    except ValueError:
        shapes = ", ".join(f"{n} {np.shape(x)}" for n, x in values.items())
        raise InputError(Problem(f"the shapes do not fit each other: {shapes}"), plan.name) from None
    return Given(np.array(list(places), np.int64), np.array(sorted(rates), np.int64), stacked)


def unknown_variable(loops: Loops, name: Any, where: str | None = None, measured: bool = False) -> Problem:
    """The problem of a name that is no variable: of a joint with several, of one without, or of nothing.

    measured : coordinates of places (`P.x`) might have been named too
    """
    found = unknown_coordinate(loops, name, where or "") if measured else None
    return loops.book.unknown(name, "variable", where=where) if found is None else found


def unknown_coordinate(loops: Loops, name: Any, where: str) -> Problem | None:
    """The problem of a name that was meant to be a coordinate of a place (`P.x`); None where it was not."""
    said = str(name)
    owner = said.rpartition(".")[0] or said
    if owner in loops.book.of_kind("joint"):
        return None
    known = measured_places(loops.plan)
    if owner in known:
        coordinates = f"{owner}.x, {owner}.y or {owner}.z"
        if said in loops.system.mechanism.bodies:
            joints = ", ".join(list(loops.book.of_kind("joint"))[:MANY])
            hint = f"name a joint ({joints}), or {coordinates}"
            return Problem(f"'{said}' is a body, and no variable", where, hint)
        text = f"'{said}' is no coordinate of a place, which are x, y and z in the world"
        return Problem(text, where, f"say {coordinates}")
    meant = nearest(said, [f"{place}.{axis}" for place in known for axis in "xyz"])
    if not meant or nearest(said, loops.book.known("variable")):
        return None
    return Problem(f"there is no joint or place '{owner}'", where, f"did you mean '{meant}'?")


def _measured(found: tuple[Slot, int] | None, whole: Slot | None) -> Dimension | list[Dimension] | None:
    """What a variable measures, or all of a joint."""
    if found is not None:
        return found[0].law.variables[found[1]].quantity
    return None if whole is None else [v.quantity for v in whole.law.variables]


def measured_by(loops: Loops, column: int) -> Dimension:
    """What the variable measures of which this is the rate; of a joint that turns freely, an angle or a length."""
    slot = next(s for s in loops.plan.slots if s.v.start <= column < s.v.stop)
    if slot.law.rates is None:
        measured: Dimension = slot.law.variables[column - slot.v.start].quantity
        return measured
    return LENGTH if slot.law.rates[column - slot.v.start].startswith("v") else ANGLE


def _numbers(
    name: str, value: Any, problems: list[Problem], measures: Dimension | list[Dimension] | None
) -> Array | None:
    try:
        value = in_si(value, measures, name)
    except ModelError as error:
        problems += error.problems
        return None
    try:
        number = np.asarray(value)
        if number.dtype.kind not in "fiu":
            raise TypeError
    except (TypeError, ValueError):
        problems.append(Problem(f"{value!r} is not a number or an array of numbers", name))
        return None
    if not np.isfinite(number).all():
        problems.append(Problem("not a finite number", name, "give a number that a joint can have"))
        return None
    return number.astype(float)
