"""Why a simulation may not get on, and what is known of a machine beforehand: questions without a memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.forces.finite import loads_must_be_finite
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.simulation.course import Course
from linkwork.analyses.simulation.halt import Halt
from linkwork.equations.closed_dynamics import unconstrained
from linkwork.errors import ModelError
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.model.events import Event, Stop

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine

AHEAD = 1e-9, 1e-6, 1e-3
"""Parts of the step and of the time by which loads are looked at ahead of where numbers had an end."""
LIGHT = 1e-8
"""Part of the largest inertia below which a freedom moves next to no mass."""
DEAD = 1e-4
"""Part of the margin of the loops that is left at a dead centre when driven variables are held."""


def assert_finite_loads(course: Course, loops: Loops) -> None:
    """End here if a load has no value, now or a little ahead."""
    from linkwork.numerics.stepping.problem import rates

    t, z, f = course.t, course.z, course.f
    rates(course.p, t, z, f)
    ahead = [part * max(t, 1e-3) for part in AHEAD] if np.isfinite(f).all() else []
    for wait in (0.0, *ahead):
        y, w, x = course.p.layout.split(z + wait * f if wait else z)
        when = np.array([[t + wait]])
        try:
            loads_must_be_finite(loops, y[np.newaxis], w[np.newaxis], when, x[np.newaxis])
        except ModelError as error:
            told = "; ".join(f"{p.where}: {p.what}" for p in error.problems)
            raise Halt(f"at {t:.6g} s: {told}") from None


def assert_rows_go_on(course: Course, loops: Loops) -> None:
    """End here if equations of a joint or a constraint have no value a little ahead: the flank of a gear ends, say."""
    z, f = (course.p.layout.split(own)[0] for own in (course.z, course.f))
    for part in AHEAD:
        values = np.column_stack(loops.equations(z + part * max(course.t, 1e-3) * np.nan_to_num(f)))
        lost = np.flatnonzero(~np.isfinite(values).all(axis=1))
        names = [group.name for group in loops.groups if np.isin(lost, group.rows).any()]
        if names:
            told = ", ".join(f"'{n}'" for n in names)
            why = "as where the flank of a gear ends"
            raise Halt(f"the equations of {told} have no value beyond {course.t:.6g} s, {why}")


def is_dead_centre(loops: Loops, driven: Sequence[int], y: Array) -> bool:
    """Whether the loops lock while driven variables, by column, are held: rates of the others have no bound there."""
    if not driven or not loops.count:
        return False
    J = loops.equations(y)[1]
    whole, left = (np.linalg.svd(K, compute_uv=False) for K in (J, np.delete(J, list(driven), axis=1)))
    rank = int((whole > 1e-9 * whole[0]).sum())
    return bool(len(left) < rank or left[rank - 1] < DEAD * whole[rank - 1])


def without_inertia(machine: Machine, y: Array, w: Array) -> tuple[str, ...]:
    """Variables of a freedom that moves next to no mass at a posture: a contact where its curve is straight, say."""
    loops, scale = machine.loops, machine.loops.column_scale
    M, _ = machine.bound_kernel(Question(unconstrained()))(y, w, np.zeros(loops.columns), np.zeros(1))
    Z = np.linalg.svd(loops.equations(y)[1])[2][machine._forward_dynamics.rank :].T
    values, ways = np.linalg.eigh(Z.T @ (M * scale[:, np.newaxis] * scale) @ Z)
    if not len(values) or not values[0] < LIGHT * values[-1]:
        return ()
    way = np.abs(Z @ ways[:, 0])
    return tuple(n for n, x in zip(machine.variable_rates, way, strict=True) if x > 0.1 * way.max())


def is_conservative(machine: Machine, events: Sequence[Event]) -> bool:
    """Whether nothing but gravity and springs without damping acts, now and later."""
    if not machine.plan.loads:
        return True
    numbers = machine.parameters
    later = {name for event in events if not isinstance(event, Stop) for name, _ in event.actions.set}
    return all(
        load.losing is not None
        and not any(numbers.get(f"{load.name}.{key}") or f"{load.name}.{key}" in later for key in load.losing)
        for load in machine.plan.loads
    )


def momenta(machine: Machine, y: Array, w: Array) -> Array:
    """Generalised momenta of all rates."""
    plan = machine.plan
    M, _ = machine.bound_kernel(Question(unconstrained()))(y, w, np.zeros(plan.nw), np.zeros(1))
    found: Array = M @ w
    return found
