"""Loads of a mechanism, ready for its equations: what they act on by index, and every number named.

The numbers of loads are parameters like all others (`coil.stiffness`, `gas.amount`, `drive.rotor_inertia`); formulas
and tables belong to the structure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.equations.load_kinds import PLANS
from linkwork.equations.load_kinds.friction import FrictionPlan
from linkwork.equations.load_kinds.gravity import FieldPlan
from linkwork.equations.load_kinds.plans import SIZE, Along, LoadConstants, LoadPlan, Places
from linkwork.equations.vectors import Vector
from linkwork.errors import Problem
from linkwork.model.amounts import Formula, Steady
from linkwork.model.joints import Law
from linkwork.model.layout import Layout
from linkwork.model.loads import InSpace, Load, OnBody
from linkwork.model.loads.load import AlongVariable, BetweenPoints, amounts_of, numbers_of
from linkwork.model.mechanism import Mechanism


def plan_loads(m: Mechanism, places: Places) -> tuple[LoadPlan, ...]:
    """Plans of all loads, motors and laws of gravity, in the order in which they were declared."""
    plans: list[LoadPlan] = [PLANS[type(load)].of(load, places) for load in (*m.loads.values(), *m.motors.values())]
    plans += [
        FieldPlan(f"gravity.{axis}", "xyz".index(axis), places.amount(law)) for axis, law in m.gravity_laws.items()
    ]
    return tuple(plans)


def exact_frictions(plans: Sequence[LoadPlan]) -> list[FrictionPlan]:
    """Frictions that stick and slip, in the order of the plan."""
    return [plan for plan in plans if isinstance(plan, FrictionPlan) and plan.exact]


def is_timed(plans: Sequence[LoadPlan]) -> bool:
    """Whether some amount depends on time."""
    return any(("t", 0) in amount.sources for plan in plans for amount in plan.amounts)


def with_formulas(plans: Sequence[LoadPlan]) -> list[LoadPlan]:
    """Loads with a formula, which may have no value at some states; tables and numbers always have one."""
    return [plan for plan in plans if any(isinstance(amount.law, Formula) for amount in plan.amounts)]


def feel_cuts(plans: Sequence[LoadPlan], nq: int, nv: int) -> bool:
    """Whether some load acts along a joint outside the tree, or depends on one."""
    for plan in plans:
        if plan.acts_along is not None and plan.acts_along.w >= nv:
            return True
        for amount in plan.amounts:
            if any(k >= {"y": nq, "w": nv}.get(s, k + 1) for s, k in amount.sources):
                return True
    return False


# ---------------------------------------------------------------- numbers


def load_parameters(
    m: Mechanism, plans: Sequence[LoadPlan], layout: Layout, layout_value: Callable[[str], float]
) -> dict[str, float]:
    """Numbers of all loads and motors by name, SI; a spring's free length is that of the layout unless given."""
    p: dict[str, float] = {}
    records: dict[str, Load] = {**m.loads, **m.motors}
    for plan in plans:
        sizes = [key for key in plan.numbers if key.startswith(SIZE)]
        p |= {f"{plan.name}.{key}": float(m.lets[key.removeprefix(SIZE)].value) for key in sizes}
        if plan.record is None:
            continue
        record = records[plan.name]
        for key in plan.numbers:
            if key not in sizes:
                p[f"{plan.name}.{key}"] = float(_number(record, key, layout, layout_value))
        direction = getattr(record.acts, "along", None) or getattr(record.acts, "about", None)
        if isinstance(direction, InSpace | OnBody):
            unit = np.array(direction.vector) / np.linalg.norm(direction.vector)
            p |= {f"{plan.name}.along.{c}": float(x) for c, x in zip("xyz", unit, strict=True)}
    return p


def _number(record: Load, key: str, layout: Layout, layout_value: Callable[[str], float]) -> float:
    if key == "amount":
        return next(amount.value for amount in amounts_of(record).values() if isinstance(amount, Steady))
    value = getattr(record, key)
    if value is not None:
        return float(value)
    acts = record.acts  # what a number is without one, the layout tells: a length or a value at rest
    if isinstance(acts, AlongVariable):
        return layout_value(acts.variable)
    assert isinstance(acts, BetweenPoints), acts
    return float(np.linalg.norm(layout.points[acts.first] - layout.points[acts.second]))


def load_constants(
    plan: LoadPlan, parameters: Mapping[str, Any], into_link: Callable[[int, Vector], Vector]
) -> LoadConstants:
    """Constants of one load.

    into_link : turns a direction of the layout into the frame of a link
    """
    numbers = tuple(parameters[f"{plan.name}.{key}"] for key in plan.numbers)
    key = f"{plan.name}.along"
    if f"{key}.x" not in parameters:
        return LoadConstants(numbers, (0.0, 0.0, 0.0))
    vector = (parameters[f"{key}.x"], parameters[f"{key}.y"], parameters[f"{key}.z"])
    assert plan.way is not None
    return LoadConstants(numbers, into_link(plan.way.link, vector))


def plain_places(slots: Sequence[tuple[str, Law, slice, slice]]) -> dict[str, Along]:
    """Places of the variables that have a rate of their own, by full name."""
    from linkwork.model.variables import plain_variables

    return {
        f"{joint}.{variable.name}": Along(q.start + k, v.start + k)
        for joint, law, q, v in slots
        for k, variable in enumerate(plain_variables(law))
    }


# ---------------------------------------------------------------- numbers that are changed later


def unfit_numbers(plans: Sequence[LoadPlan], values: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with new numbers of loads (numbers or arrays by parameter): not finite, below their least."""
    problems: list[Problem] = []
    for plan in plans:
        bounds = {} if plan.record is None else numbers_of(plan.record)
        for key in (*plan.numbers, "along.x", "along.y", "along.z"):
            if (x := values.get(f"{plan.name}.{key}")) is None:
                continue
            where, own = f"parameters.{plan.name}.{key}", bounds.get(key)
            if not np.isfinite(x).all():
                problems.append(Problem("not a finite number", where))
            elif own is None:
                continue
            elif own.least is not None and np.any(np.asarray(x) < own.least):
                problems.append(Problem(f"below {own.least:g}", where, f"give {own.least:g} or more"))
            elif own.positive and np.any(np.asarray(x) <= 0.0):
                problems.append(Problem("not positive", where))
            elif own.never_zero and np.any(np.asarray(x) == 0.0):
                problems.append(Problem(own.never_zero, where))
        way = [values[key] for c in "xyz" if (key := f"{plan.name}.along.{c}") in values]
        if way:
            length: Any = sum(np.square(np.asarray(x)) for x in way) if len(way) == 3 else np.nan
            if not np.all(np.abs(length - 1.0) < 1e-9):
                hint = "give all three, of length 1"
                problems.append(Problem("a direction is changed as a whole", f"parameters.{plan.name}.along", hint))
    return problems
