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
        known[wanted] = _made(machine, wanted)
    return known[wanted]


def _made(machine: Machine, wanted: tuple[str, ...]) -> Machine:
    plan = machine.plan
    kernel, none = machine.bound_kernel(Question(conditions(wanted))), np.zeros(plan.nw)
    laid, home = (kernel(y, none, np.zeros(1)) for y in (plan.layout_y, machine.home.y))
    wider = with_measures(plan, dict(zip(wanted, laid.tolist(), strict=True)))
    values = dict(zip(wanted, home.tolist(), strict=True))
    y = np.concatenate([machine.home.y, [values[name] for name in wider.variables[plan.ny :]]])
    return with_plan(machine, wider, y)


def with_plan(machine: Machine, plan: Plan, home: Array) -> Machine:
    """The same machine with a plan that has more in it, at a closed posture."""
    other = object.__new__(type(machine))
    other.__dict__.update(machine.__dict__)
    for name in ("home", "loops", "_forward_dynamics"):
        other.__dict__.pop(name, None)
    other.plan, other._formulas = plan, Formulas(plan)
    other._ready, other._questions, other._measuring, other._elimination = {}, {}, {}, None
    other.__dict__["home"] = Posture(other.loops, home, name=machine.home.name)
    return other
