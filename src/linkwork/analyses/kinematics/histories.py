"""Variables and rates of all joints over samples, as histories by name: what runs are built of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.loops import Loops
from linkwork.equations.quantities import QUANTITIES
from linkwork.formulas import Question
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.results import PlaceHistory, VariableHistory


def joint_histories(
    loops: Loops, Y: Array, levels: Sequence[Array]
) -> tuple[dict[str, VariableHistory], dict[str, VariableHistory]]:
    """Variables by full name, and angular velocities of joints that turn freely.

    Y : (samples, variables); levels : rates, accelerations, and jerks if they are known (samples, rates)
    """
    from linkwork.results import VariableHistory

    plan = loops.plan
    variables: dict[str, VariableHistory] = {}
    speeds: dict[str, VariableHistory] = {}
    declared = {name: i for i, name in enumerate(loops.system.mechanism.owners)}
    for slot in sorted(plan.slots, key=lambda s: declared.get(s.owner, -1)):
        for k, variable in enumerate(slot.law.variables):
            name, column = f"{slot.owner}.{variable.name}", slot.v.start + k
            own = [level[:, column] for level in levels] if k < slot.plain else []
            variables[name] = VariableHistory(variable.unit, Y[:, slot.q.start + k], *own)
        for column in range(slot.v.start + slot.plain, slot.v.stop):
            own = [level[:, column] for level in levels]
            jerk = own[2] if len(own) > 2 else None
            speeds[plan.variable_rates[column]] = VariableHistory("rad/s", own[0], None, own[1], jerk)
    return variables, speeds


def state_signals(loops: Loops) -> dict[str, list[str]]:
    """Names of the signals of variables, rates and accelerations of all joints, in the order of y, w and dw."""
    plan = loops.plan
    own = {s.v.start + k: f"{s.owner}.{s.law.variables[k].name}" for s in plan.slots for k in range(s.plain)}
    rates = [f"{own[k]}.rate" if k in own else name for k, name in enumerate(plan.variable_rates)]
    changes = [f"{own.get(k, name)}.acceleration" for k, name in enumerate(plan.variable_rates)]
    return {"y": list(plan.variables), "w": rates, "dw": changes}


def state_histories(loops: Loops, X: Array, rates: Array) -> dict[str, VariableHistory]:
    """Named states and their rates (samples, states), by the names of their signals."""
    from linkwork.results import VariableHistory

    return {
        f"{own.name}.value": VariableHistory(own.unit or "1", X[:, k], rates[:, k])
        for k, own in enumerate(loops.plan.states)
    }


def place_histories(
    loops: Loops,
    Y: Array,
    levels: Sequence[Array],
    threads: int | None,
    parameters: Mapping[str, Array] | None = None,
) -> dict[str, Any]:
    """Histories of bodies, frames and points, as `build_run` takes them.

    parameters : that differ from sample to sample, by name (samples,)
    """
    from linkwork.results import PlaceHistory

    plan = loops.plan
    q, v, a = (np.ascontiguousarray(x) for x in (Y[:, : plan.nq], *(r[:, : plan.nv] for r in levels[:2])))
    question = Question(QUANTITIES["motion"])
    X, V, A = loops.system._evaluate(question, (q, v, a), parameters=parameters, threads=threads)
    names = [*plan.index, *(m.name for m in plan.points), *(m.name for m in plan.frames)]
    point = {m.name for m in plan.points}
    made: dict[str, PlaceHistory] = {}
    for i, name in enumerate(names):
        parts = {"position": X[:, i, :3], "velocity": V[:, i, :3], "acceleration": A[:, i, :3]}
        if name not in point:
            parts |= {"rotation": X[:, i, 3:].reshape(-1, 3, 3)}
            parts |= {"angular_velocity": V[:, i, 3:], "angular_acceleration": A[:, i, 3:]}
        made[name] = PlaceHistory(**parts)
    m = loops.system.mechanism
    return {
        "bodies": {b: made[b] for b in m.bodies if b in made},
        "frames": {f: made[f] for f in m.frames},
        "points": {p: made[p] for p in m.points},
    }
