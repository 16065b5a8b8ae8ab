"""Variables, rates and drives given by name, turned into places and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.loops import Loops
from linkwork.equations.plan import Slot
from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.geometry import Array


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


def place_of(loops: Loops, name: str) -> tuple[Slot, int] | None:
    """The joint and the number of a single plain variable: `A.angle`, or `A` where the joint has only one."""
    if not isinstance(name, str):
        return None
    joint, _, variable = name.rpartition(".")
    for slot in loops.plan.slots:
        if slot.joint == name and len(slot.law.variables) == 1:
            return slot, 0
        if slot.joint == joint:
            for k in range(slot.plain):
                if slot.law.variables[k].name == variable:
                    return slot, k
    return None


def given_variables(loops: Loops, values: Mapping[str, Any]) -> Given:
    """Variables by name: single ones (`A`, `C.slide`), or all of a joint (`S`: a quaternion, w first)."""
    plan = loops.plan
    problems: list[Problem] = []
    places: dict[int, str] = {}
    rates: set[int] = set()
    columns: list[Array] = []
    for name, value in values.items():
        found = place_of(loops, name)
        whole = next((s for s in plan.slots if s.joint == name), None)
        if found is None and (whole is None or not whole.law.variables):
            problems.append(unknown_variable(loops, name))
            continue
        number = _numbers(name, value, problems)
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


def unknown_variable(loops: Loops, name: Any) -> Problem:
    """The problem of a name that is no variable: of a joint with several, of one without, or of nothing."""
    plan = loops.plan
    slot = next((s for s in plan.slots if s.joint == name), None)
    if slot is not None and not slot.law.variables:
        return Problem(f"'{name}' is a {slot.law.kind} joint and does not move", str(name))
    if slot is not None:
        own = ", ".join(f"{name}.{v.name}" for v in slot.law.variables[: slot.plain])
        hint = f"say which: {own}" if own else "a joint that turns freely has no single variable to drive"
        return Problem(f"'{name}' has several variables", str(name), hint)
    joint, _, variable = str(name).rpartition(".")
    slot = next((s for s in plan.slots if s.joint == joint), None)
    if slot is not None:
        names = [v.name for v in slot.law.variables]
        if variable in names:
            hint = f"give all of {joint}: {', '.join(names)}"
            return Problem(f"'{name}' is a part of a quaternion, which is given as a whole", hint=hint)
        return Problem(f"joint '{joint}' has no variable '{variable}'", str(name), f"it has: {', '.join(names)}")
    known = [*(s.joint for s in plan.slots if s.law.variables), *plan.variables]
    return Problem(f"no joint '{name}'", hint=did_you_mean(str(name), known))


def _numbers(name: str, value: Any, problems: list[Problem]) -> Array | None:
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
