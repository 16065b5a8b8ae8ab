"""What a controller says, checked and turned into efforts along all rates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.kinematics.given_values import place_of
from linkwork.analyses.simulation.halt import Halt
from linkwork.analyses.simulation.question import Asked
from linkwork.analyses.simulation.state import State
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine


def held_efforts(asked: Asked, machine: Machine, t: float, y: Array, w: Array, x: Array) -> Array:
    """Efforts that do not follow laws, those that the controller wants included; held until it is asked again.

    machine : as it is now; t : time [s]; y, w, x : variables and rates of all joints, named states
    """
    assert asked.controller is not None
    try:
        answer = asked.controller(t, State(machine, y.copy(), w.copy(), t, x.copy()))
    except Exception as error:
        raise Halt(f"the controller failed at {t:.6g} s: {type(error).__name__}: {error}") from error
    if answer is not None and not isinstance(answer, Mapping):
        raise Halt(f"the controller gave a {type(answer).__name__} at {t:.6g} s; give {{'A': torque}}, or None")
    effort = asked.efforts.copy()
    for name, value in (answer or {}).items():
        found = place_of(machine.loops, name)
        if found is None:
            raise Halt(f"the controller names '{name}' at {t:.6g} s, which is no variable")
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = np.nan
        if not np.isfinite(number):
            raise Halt(f"the controller gave {value!r} for {name} at {t:.6g} s; give finite numbers")
        effort[found[0].v.start + found[1]] += number
    return effort
