"""Tables that a motion leaves: beyond their ends they hold their last value, which is seldom meant."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.forces.trajectory import Trajectory
from linkwork.analyses.kinematics.loops import Loops
from linkwork.equations.load_kinds.plans import AmountPlan, LoadPlan
from linkwork.geometry import Array
from linkwork.model.amount_values import outside
from linkwork.model.amounts import Tabulated


def beyond_tables(loops: Loops, path: Trajectory) -> list[str]:
    """A warning for every load whose table the motion leaves."""
    told = []
    for load in loops.plan.loads:
        for amount in load.amounts:
            if isinstance(amount.law, Tabulated):
                left = int(outside(amount.law, {amount.law.over: _argument(loops, path, load, amount)}).sum())
                if left:
                    ends = f"{amount.law.xs[0]:.6g} to {amount.law.xs[-1]:.6g}"
                    told.append(
                        f"{load.name}: {amount.law.over} leaves its table ({ends}) at {left} of {len(path)} samples; "
                        "the table holds its last value there"
                    )
    return told


def _argument(loops: Loops, path: Trajectory, load: LoadPlan, amount: AmountPlan) -> Array:
    """What a table is over, by sample."""
    ((kind, k),) = amount.sources
    if kind == "t":
        return path.t
    if kind in ("y", "w"):
        column: Array = (path.y if kind == "y" else path.w)[:, k]
        return column
    what = load.stretch
    assert what is not None
    if what.along is not None:
        own: Array = path.y[:, what.along.y] - loops.system.parameters[f"{load.name}.free"]
        return own if kind == "x" else path.w[:, what.along.w]
    q, v = (np.ascontiguousarray(x) for x in (path.y[:, : loops.plan.nq], path.w[:, : loops.plan.nv]))
    first, second = (loops.plan.points[i].name for i in (what.first, what.second))
    apart = loops.system.position(second, q) - loops.system.position(first, q)
    length = np.linalg.norm(apart, axis=1)
    if kind == "x":
        elongation: Array = length - loops.system.parameters[f"{load.name}.free"]
        return elongation
    moving = (loops.system.velocity(second, q, v) - loops.system.velocity(first, q, v))[:, :3]
    rate: Array = np.einsum("si,si->s", apart, moving) / np.maximum(length, 1e-300)
    return rate
