"""A rotor ratio² J on the rate, and -(ratio² B r + |ratio| level sign(r))."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from linkwork.algebra import ca
from linkwork.equations.load_kinds.plans import Along, Done, LoadConstants, LoadPlan, Places, State
from linkwork.equations.scalars import replay
from linkwork.equations.vectors import is_zero
from linkwork.model.loads import Motor

MOTOR_SPEED = 1e-3
"""Rate [rad/s, m/s] over which the friction of a motor turns round."""


@dataclass(frozen=True)
class MotorPlan(LoadPlan):
    """Rotor, bearings and gear of a motor."""

    name: str
    along: Along
    numbers = ("ratio", "rotor_inertia", "damping", "friction_forward", "friction_backward")
    record = Motor
    carries = True
    drives = True

    @classmethod
    def of(cls, load: Motor, places: Places) -> MotorPlan:
        return MotorPlan(load.name, places.variable(load.variable))

    @property
    def acts_along(self) -> Along:
        return self.along

    def rotor(self, given: LoadConstants) -> Any:
        ratio, rotor, *_ = given.numbers
        return ratio * ratio * rotor

    def act(self, state: State, given: LoadConstants) -> Done:
        ratio, _, damping, forward, backward = given.numbers
        rate = state.w[self.along.w]
        drag = ratio * ratio * damping * rate
        if not (is_zero(forward) and is_zero(backward)):
            (dry,) = replay(_geared(), [[rate, ratio, forward, backward]])[0]
            drag = drag + dry
        return state.work(self.along, state.on(-drag))


@functools.cache
def _geared() -> ca.Function:
    """Friction at the motor's shaft; forward is where the joint variable grows."""
    x = ca.SX.sym("x", 4)
    ahead = ca.if_else(x[0] >= 0, x[2], x[3])
    return ca.Function("geared", [x], [ca.fabs(x[1]) * ahead * ca.tanh(x[0] / MOTOR_SPEED)])
