"""Inertia that is lent to variables that follow laws, where nothing else resists them: a road that shakes a wheel.

Forward dynamics divides by masses, and a body that is driven may have none; neither has the coordinate of a point. A
rate whose acceleration is given moves alike whatever inertia it has, and so does everything else: M_kk enters the
equation of the rate's own effort alone. So an inertia I is lent, and what moves it, I w', is taken off the effort.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.kinematics.measured_machine import with_plan
from linkwork.equations.loop_solver import length_rates
from linkwork.errors import ModelError
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine


def with_lent_inertia(machine: Machine, driven: Iterable[int]) -> Machine:
    """The machine as it can be driven at some rates; itself where its own masses resist them.

    driven : columns of rates that follow laws
    """
    columns = sorted(driven)
    measured = {k for slot in machine.plan.measured for k in range(slot.v.start, slot.v.stop)}
    if not columns or (not measured.intersection(columns) and _resists(machine)):
        return machine
    key = ("lent", *map(str, columns))
    known = machine._measuring
    if key not in known:
        sizes = _usual_inertias(machine)
        plan = replace(machine.plan, lent=tuple((k, float(sizes[k])) for k in columns))
        known[key] = with_plan(machine, plan, machine.home.y, machine.home.name)
    return known[key]


def _resists(machine: Machine) -> bool:
    """Whether masses determine all accelerations."""
    try:
        return machine._forward_dynamics.elimination is not None
    except ModelError:
        return False


def _usual_inertias(machine: Machine) -> Array:
    """By rate, an inertia [kg, kg m²] of the machine's own size."""
    numbers = machine.plan.parameters  # of the model: runs with other numbers share their kernels
    masses = [value for name, value in numbers.items() if name.endswith(".mass") and value > 0.0]
    mass = float(np.median(masses)) if masses else 1.0
    loops = machine.loops
    sizes: Array = np.where(length_rates(loops.plan), mass, mass * loops.length**2)
    return sizes
