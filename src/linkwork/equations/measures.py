"""Measured quantities as variables of their own, so that they can be specified like those of joints.

A measure m of what expressions may name, as the coordinate `P.x` of a point, is one more variable, tied by a row:

    e = f(y) - m,      J w = f' - m'

Whatever specifies variables then specifies measures: a law of time drives the point, and the joints follow; the
multiplier of the row is the force that does so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.equations.plan import ConstraintPlan, Plan, Slot
from linkwork.geometry import Array
from linkwork.model.joints import Law, Variable


@dataclass(frozen=True)
class Measured(Law):
    """Stands for a joint whose variables are measures of one owner: x and y of the point P."""

    measures: tuple[Variable, ...]
    kind, letter = "measured", "M"

    @property
    def variables(self) -> tuple[Variable, ...]:  # type: ignore[override]
        """One for each measure."""
        return self.measures

    def numbers(self) -> dict[str, float]:
        return {}


def with_measures(plan: Plan, values: Mapping[str, float]) -> Plan:
    """The plan with coordinates of places (`P.x`) as variables after all others.

    values : by measure, its value in the layout
    """
    owners: dict[str, list[str]] = {}
    for name in values:
        owner, _, coordinate = name.rpartition(".")
        owners.setdefault(owner, []).append(coordinate)
    slots: list[Slot] = []
    rows: list[ConstraintPlan] = []
    names: list[str] = []
    ny, nw = plan.ny, plan.nw
    for owner, coordinates in owners.items():
        own = slice(ny, ny + len(coordinates)), slice(nw, nw + len(coordinates))
        slots.append(Slot(owner, Measured(tuple(Variable(c, "length") for c in coordinates)), *own, "place"))
        for k, c in enumerate(coordinates):
            rows.append(ConstraintPlan(f"{owner}.{c}", f"{owner}.{c}", (), False, (ny + k, nw + k)))
            names.append(f"{owner}.{c}")
        ny, nw = own[0].stop, own[1].stop
    places = [c for c in plan.constraints if not c.of_rates]
    rated = [c for c in plan.constraints if c.of_rates]
    layout_y: Array = np.concatenate([plan.layout_y, [values[name] for name in names]])
    return replace(
        plan, variables=(*plan.variables, *names), variable_rates=(*plan.variable_rates, *names), layout_y=layout_y,
        constraints=(*places, *rows, *rated), measured=tuple(slots),
    )  # fmt: skip


def measured_places(plan: Plan) -> list[str]:
    """Bodies, points and frames whose coordinates in the world can be specified."""
    joints = {slot.owner for slot in plan.slots}
    owners = [*plan.index, *(m.name for m in plan.points), *(m.name for m in plan.frames)]
    return [name for name in owners if name not in joints and name != plan.ground]


def measured_names(plan: Plan, names: Sequence[Any]) -> list[str]:
    """Which of some names are coordinates of places, and not variables of joints."""
    if not names:
        return []
    places, found = set(measured_places(plan)), []
    for name in names:
        owner, _, coordinate = str(name).rpartition(".")
        if owner in places and coordinate in ("x", "y", "z"):
            found.append(str(name))
    return found
