"""Simulations that run away: how quick a machine may be, what grows, and what may be why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.forces.over_run import SPEEDS, effort_units
from linkwork.equations.closed_forces import load_state
from linkwork.equations.load_kinds.joint_load import PushPlan
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.numerics.stepping.advance import STEPS, TIME
from linkwork.numerics.stepping.runaway import ABSURD, ENDLESS, REACH, SINCE

if TYPE_CHECKING:
    from linkwork.analyses.kinematics.loops import Loops
    from linkwork.analyses.machine import Machine
    from linkwork.analyses.simulation.question import Asked

TURNING = 1e6
"""Rate [rad/s] beyond which no machine turns: ten million turns a minute. Coordinates of no unit, too."""
SLIDING = 1e4
"""Rate [m/s] beyond which nothing slides in a joint: the quickest guns reach it."""
FLYING = 1e6
"""Rate [m/s] of what is free in space: probes next to the sun have a fifth of it."""
STATED = 1e15
"""How many times their usual size named states are at most."""
CAUSES = 2
"""Loads and efforts that are told."""


def pace_of(loops: Loops) -> Array:
    """By rate and named state, up to which it is one of a machine [rad/s, m/s, the unit of the state]; kept with it."""
    found: Array | None = loops.problems.get("pace")
    if found is None:
        found = loops.keep("pace", _pace_of(loops))
    return found


def _pace_of(loops: Loops) -> Array:
    found = np.concatenate([np.full(loops.columns, TURNING), [STATED * own.scale for own in loops.plan.states]])
    for slot in loops.plan.slots:
        flies = slot.plain < len(slot.law.variables)
        for k in range(slot.plain):
            if slot.law.variables[k].dimension == "length":
                found[slot.v.start + k] = FLYING if flies else SLIDING
    return found


def warnings_of_speed(loops: Loops, rates: Sequence[Array]) -> list[str]:
    """A warning of what was quicker than a machine can be; rates : of all joints, (samples, nw) each."""
    largest = np.zeros(loops.columns)
    for own in rates:
        if own.size:
            largest = np.fmax(largest, np.abs(own).max(axis=0))
    share = largest / pace_of(loops)[: loops.columns]
    if not len(share) or not share.max() > 1.0:
        return []
    k = int(np.argmax(share))
    text = f"unphysical speed: {_named(loops, k)} reaches {largest[k]:.3g}{_unit(loops, k)}"
    return [f"{text}; no machine holds together there: something puts in energy without end, or a unit is wrong"]


def why_ended(asked: Asked, code: int, state: Array, z: Array, causes: Sequence[str]) -> str:
    """Why a run ended that led nowhere; state : of the loop; z : where it ended; causes : see `causes_of`."""
    loops, t, steps = asked.loops, float(state[TIME]), state[STEPS]
    if code == ENDLESS:
        text = f"the end is out of reach: {steps:,.0f} steps led to {t:.6g} s, and it takes {REACH:.0e} more at least"
        hint = "is something very stiff or very light? method='radau' takes longer steps, or simulate a shorter time"
        return f"{text}; {hint}"
    return f"{told_growth(loops, t, float(state[SINCE]), z)}; {'; '.join([*causes, _remedy(asked, z)])}"


def beyond(asked: Asked, t: float, state: Array, z: Array) -> str:
    """What is beyond all bounds where a run ended for another reason, behind that; '' if nothing is."""
    if not (state[SINCE] or np.abs(z[asked.loops.plan.ny :] / pace_of(asked.loops)).max(initial=0.0) > ABSURD):
        return ""
    return f"; {told_growth(asked.loops, t, float(state[SINCE]), z)}; {_remedy(asked, z)}"


def told_growth(loops: Loops, t: float, since: float, z: Array) -> str:
    """What grows without bound, how large it is, since when."""
    k = _quickest(loops, z)
    size, pace, unit = abs(float(z[loops.plan.ny + k])), float(pace_of(loops)[k]), _unit(loops, k)
    text = f"{_named(loops, k)} grows without bound: {size:.3g}{unit} at {t:.6g} s"
    if not since:
        return text
    text += f", beyond {pace:.3g}{unit} since {since:.6g} s"
    powers = math.log10(size / pace) if np.inf > size > pace else 0.0
    if powers > 0.05 and t > since:
        text += f", tenfold every {(t - since) / powers:.2g} s"
    return text


def causes_of(
    asked: Asked, machine: Machine, y: Array, w: Array, t: Array, x: Array, numbers: Mapping[str, Array] | None = None
) -> list[list[str]]:
    """By state, which loads put in most power.

    machine : as it is now; numbers : parameters by state that are other than those of the machine
    """
    plan, told = machine.plan, list[list[str]]()
    if not plan.loads:
        return [[] for _ in t]
    given = [x] if plan.states else []
    question = Question(load_state(bool(given)))
    arrays = (y, w, t[:, np.newaxis], *given)
    of_all = machine._evaluate_with(question, arrays, None, numbers, None) if numbers else None
    _, powers = machine.bound_kernel(question)(*arrays) if of_all is None else of_all
    added = set(machine.mechanism.loads) - set(asked.original.mechanism.loads)
    for power in powers:
        finite = np.nan_to_num(power, nan=0.0, posinf=np.inf)
        order = [int(k) for k in np.argsort(-finite)[:CAUSES] if finite[k] > 0.01 * finite.max() > 0.0]
        told.append([f"{_load(machine, k, added)} puts in {finite[k]:.3g} W" for k in order])
    return told


def _load(machine: Machine, k: int, added: set[str]) -> str:
    """A load by its name; an effort by its variable."""
    load = machine.plan.loads[k]
    if load.name in added and isinstance(load, PushPlan):
        return f"the effort along {machine.plan.variables[load.along.y]}"
    return f"'{load.name}'"


def _named(loops: Loops, k: int) -> str:
    """A rate by the variable that it is of, 'A.angle', or of what turns freely 'S.wx'; then named states."""
    plan = loops.plan
    return f"the rate of {plan.variable_rates[k]}" if k < plan.nw else f"the state {plan.states[k - plan.nw].name}"


def _unit(loops: Loops, k: int) -> str:
    """Unit of a rate or a named state, behind a number."""
    if k >= loops.columns:
        unit = loops.plan.states[k - loops.columns].unit
        return f" {unit}" if unit not in ("", "1") else ""
    return f" {SPEEDS[effort_units(loops)[k]]}"


def _quickest(loops: Loops, z: Array) -> int:
    """Number of the rate or named state that is farthest beyond its pace."""
    return int(np.nanargmax(np.abs(z[loops.plan.ny :]) / pace_of(loops)))


def _remedy(asked: Asked, z: Array) -> str:
    """What to look at."""
    if _quickest(asked.loops, z) >= asked.loops.columns:
        return "look at the signs in its rate: what returns to rest has a negative one of its own"
    if asked.controller is not None:
        text = f"the controller is called at {asked.rate:g} Hz: its gains may be too high for that, or a sign is wrong"
        return f"{text}; a damped joint wants gain / inertia < 2 · rate"
    text = "look at the signs of dampers and of formulas with rates: what slows down is negative"
    return text if asked.pushing or asked.pushed or asked.loops.plan.loads else f"{text}; a smaller rtol tells rounding"
