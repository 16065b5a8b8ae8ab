"""Freedoms that move nothing else: the spin of a rod between two balls leaves every joint where it is."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.equations.quantities import QUANTITIES
from linkwork.formulas import Question
from linkwork.geometry import Array

STILL = 1e-9
"""Speed of a joint's place per unit of a turn, in parts of the machine's size, that counts as none."""


def idle_rates(loops: Loops, y: Array, independent: Mask, candidates: Mask) -> Mask:
    """Those of some independent rates that move no joint from its place."""
    result: Mask = np.zeros(loops.columns, bool)
    columns = np.flatnonzero(candidates)
    if not columns.size or not loops.count or loops.huge:
        return result
    plan, system = loops.plan, loops.system
    W = loops.rates(y, independent, [np.eye(loops.columns)[columns]])[0][:, : plan.nv]
    q = y[: plan.nq]
    X, V, _ = system.bound_kernel(Question(QUANTITIES["motion"]))(q, np.ascontiguousarray(W), np.zeros(plan.nv))
    X = np.broadcast_to(X, (len(columns), *X.shape[-2:]))
    fastest, numbers = np.zeros(len(columns)), system.parameters
    for name, joint in system.mechanism.joints.items():
        for side, body in (("tail", joint.tail), ("head", joint.head)):
            if body in plan.index:
                i = plan.index[body]
                at = np.array([numbers[f"{name}.{side}.at.{c}"] for c in "xyz"])
                lever = X[:, i, 3:].reshape(-1, 3, 3) @ at
                speed = V[:, i, :3] + np.cross(V[:, i, 3:], lever)
                fastest = np.maximum(fastest, np.abs(speed).max(axis=1) / loops.length)
    result[columns[fastest < STILL]] = True
    return result
