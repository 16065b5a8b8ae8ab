"""Postures a little away from one, to tell what is ordinary: a posture itself may be singular."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.kinematics.loops import Loops, Roles
from linkwork.geometry import Array

NEARBY = (0.03, -0.05)
"""How far to move away from a posture [rad, or parts of the machine's size]."""


def nearby_postures(loops: Loops, y: Array, own: Roles) -> list[Array]:
    """Closed postures a little away, moved along the machine's own free rates."""
    independent = np.isin(np.arange(loops.columns), own.independent)
    found = []
    for k, way in enumerate(NEARBY):
        w = np.zeros(loops.columns)
        w[own.independent] = np.cos(np.arange(len(own.independent)) + k) * loops.column_scale[own.independent]
        direction = loops.rates(y, independent, [w])[0] / loops.column_scale
        largest = np.abs(direction).max(initial=0.0)
        if not (np.isfinite(largest) and largest > 0.0):
            continue
        other = loops.corrected(loops.advanced(y, way * direction / largest), independent, 8)
        if np.isfinite(other).all() and loops.residual(other) < loops.tolerance:
            found.append(other)
    return found


def ordinary_posture(loops: Loops, y: Array) -> Array:
    """A posture near y with as few freedoms as there are about, or y itself."""
    nothing = np.zeros(loops.columns, bool)
    own = loops.roles(y, nothing)
    if loops.huge or not loops.count:
        return y
    near = [(loops.columns - loops.roles(other, nothing).rank, other) for other in nearby_postures(loops, y, own)]
    return min(near, key=lambda x: x[0])[1] if near else y


def ordinary_mobility(loops: Loops, y: Array) -> int:
    """Mobility of the machine where it is not singular; looked for once, about the first posture that asks."""
    if loops.ordinary_mobility is None:
        nothing = np.zeros(loops.columns, bool)
        here = loops.columns - loops.roles(y, nothing).rank
        other = ordinary_posture(loops, y)
        loops.ordinary_mobility = min(here, loops.columns - loops.roles(other, nothing).rank)
    return loops.ordinary_mobility
