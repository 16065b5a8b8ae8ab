"""A machine whose measures are variables: coordinates of places that are specified, and joints that follow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.equations.conditions import conditions
from linkwork.equations.measures import measured_names, with_measures
from linkwork.equations.plan import Plan
from linkwork.formulas import Formulas, Question
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine


def measuring(machine: Machine, names: Iterable[str]) -> Machine:
    """The machine with those names that are coordinates of places (`P.x`) as variables; itself where there are none."""
    wanted = tuple(measured_names(machine.plan, list(names)))
    if not wanted:
        return machine
    known = machine._measuring
    if wanted not in known:
        known[wanted] = _made(machine, wanted, machine.home.y, machine.home.name)
    return known[wanted]


def measuring_at(machine: Machine, names: Iterable[str], y: Array) -> Machine:
    """As `measuring`, of a machine that is not put together yet: those names have the values that they have at y."""
    wanted = tuple(measured_names(machine.plan, list(names)))
    return _made(machine, wanted, y, "") if wanted else machine


def _made(machine: Machine, wanted: tuple[str, ...], y: Array, name: str) -> Machine:
    plan = machine.plan
    kernel, none = machine.bound_kernel(Question(conditions(wanted))), np.zeros(plan.nw)
    laid, now = (kernel(at, none, np.zeros(1)) for at in (plan.layout_y, y))
    wider = with_measures(plan, dict(zip(wanted, laid.tolist(), strict=True)))
    values = dict(zip(wanted, now.tolist(), strict=True))
    return with_plan(machine, wider, np.concatenate([y, [values[own] for own in wider.variables[plan.ny :]]]), name)


def with_plan(machine: Machine, plan: Plan, home: Array, name: str = "") -> Machine:
    """The same machine with a plan that has more in it, at a posture.

    name : of the posture, as of a closure
    """
    other = object.__new__(type(machine))
    other.__dict__.update(machine.__dict__)
    for own in ("home", "loops", "_forward_dynamics"):
        other.__dict__.pop(own, None)
    other.plan, other._formulas = plan, Formulas(plan)
    other._ready, other._questions, other._measuring, other._elimination = {}, {}, {}, None
    other.__dict__["home"] = Posture(other.loops, home, name=name)
    return other
