"""The state of a machine at an instant of a simulation, as controllers see it: by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.kinematics.given_values import place_of, unknown_variable
from linkwork.equations.states import rates_of_states
from linkwork.errors import InputError
from linkwork.formulas import Question
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine


@dataclass(frozen=True, eq=False)
class State:
    """Where the machine is, and how it moves.

    machine : the machine; t : time [s]
    y, w : variables and rates of all joints, in the order of `Machine.variables` and `Machine.variable_rates`
    x : named states, in the order in which they were declared
    """

    machine: Machine
    y: Array
    w: Array
    t: float
    x: Array = field(default_factory=lambda: np.zeros(0))

    def _place(self, name: str) -> tuple[int, int]:
        found = place_of(self.machine.loops, name)
        if found is None:
            raise InputError(unknown_variable(self.machine.loops, name), self.machine.name)
        slot, k = found
        return slot.q.start + k, slot.v.start + k

    def __getitem__(self, name: str) -> float:
        """A variable [rad, m] or a named state [SI] by name: `A`, `C.slide`, `i`."""
        if name in self.machine.states:
            return float(self.x[self.machine.states.index(name)])
        return float(self.y[self._place(name)[0]])

    def rate(self, name: str) -> float:
        """The rate of a variable [rad/s, m/s] or of a named state [SI].

        Parameters
        ----------
        name : of a variable, joint or state
        """
        if name in self.machine.states:
            law = self.machine.bound_kernel(Question(rates_of_states()))
            return float(law(self.y, self.w, np.array([self.t]), self.x)[self.machine.states.index(name)])
        return float(self.w[self._place(name)[1]])

    def position(self, name: str) -> Array:
        """Place [m] of a point, or of the origin of a body or frame, world.

        Parameters
        ----------
        name : of a point, body or frame
        """
        return self.machine.position(name, self.y[: self.machine.nq])

    def velocity(self, name: str) -> Array:
        """Velocity [v; w] of a point, body or frame, world axes.

        Parameters
        ----------
        name : of a point, body or frame
        """
        return self.machine.velocity(name, self.y[: self.machine.nq], self.w[: self.machine.nv])
