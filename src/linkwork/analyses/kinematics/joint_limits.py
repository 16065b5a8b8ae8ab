"""Limits that a model sets to its joints: who is beyond them, and where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analyses.kinematics.loops import Loops
from linkwork.geometry import Array

SLACK = 1e-9
"""How far beyond counts as on the limit [rad, or parts of the machine's size]."""


@dataclass(frozen=True)
class JointLimit:
    """A variable, its place among y, and its limits; an open side is infinite."""

    variable: str
    place: int
    low: float
    high: float

    def beyond(self, loops: Loops, values: Array) -> Array:
        """By value: below 0 within the limits, else how far beyond them, scaled."""
        outside: Array = np.maximum(self.low - values, values - self.high) * loops.variable_scale[self.place]
        return outside

    def text(self, loops: Loops) -> str:
        """The limits as text."""
        return " ... ".join(loops.shown(self.variable, x) for x in (self.low, self.high))


def joint_limits(loops: Loops) -> list[JointLimit]:
    """All limits of a model's joints; an open curve, or a surface, ends where it ends."""
    found = []
    joints = loops.system.mechanism.joints
    for slot in loops.plan.slots:
        given = {name: (low, high) for name, low, high in joints[slot.owner].limits} if slot.owner in joints else {}
        for variable_name, span in slot.law.ranges().items():
            if not span.closed:
                given.setdefault(variable_name, (span.start, span.end))
        for k in range(slot.plain):
            variable = slot.law.variables[k]
            if variable.name in given:
                low, high = given[variable.name]
                low, high = -np.inf if low is None else low, np.inf if high is None else high
                name = f"{slot.owner}.{variable.name}"
                found.append(JointLimit(name, slot.q.start + k, float(low), float(high)))
    return found


def beyond_limits(loops: Loops, y: Array) -> list[str]:
    """A text for every variable of a posture that is beyond its limits."""
    texts = []
    for limit in joint_limits(loops):
        value = float(y[limit.place])
        if limit.beyond(loops, np.array(value)) > SLACK:
            texts.append(
                f"{limit.variable} = {loops.shown(limit.variable, value)} is beyond its limits {limit.text(loops)}"
            )
    return texts


def warnings_of_run(loops: Loops, Y: Array, times: Array) -> list[str]:
    """A text for every variable that goes beyond its limits in a run."""
    texts = []
    for limit in joint_limits(loops):
        outside = np.flatnonzero(limit.beyond(loops, Y[:, limit.place]) > SLACK)
        if outside.size:
            first = f"first at {times[outside[0]]:.6g} s"
            share = f"at {outside.size} of {len(Y)} samples, {first}"
            texts.append(f"{limit.variable} goes beyond its limits {limit.text(loops)} {share}")
    return texts
