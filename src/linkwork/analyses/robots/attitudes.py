"""Attitudes spread evenly over all turns, and the share of them that a target takes at places that it reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.robots.sheet import null_space
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.geometry.rotations import from_axis_angle, from_quaternion, is_rotation

if TYPE_CHECKING:
    from linkwork.analyses.robots.workspace import Workspace

PSI = 1.533751168755204288118041
"""The number that with √2 spreads spirals evenly over the sphere of quaternions."""
STILL = 1e-6
"""Rates of turning that count as none."""


def spread_attitudes(count: int) -> Array:
    """Rotation matrices (count, 3, 3) spread evenly over all turns.

    Alexa, Super-Fibonacci spirals: fast, low-discrepancy sampling of SO(3), CVPR 2022.
    """
    s = np.arange(count) + 0.5
    inner, outer = np.sqrt(s / count), np.sqrt(1.0 - s / count)
    a, b = 2.0 * np.pi * s / np.sqrt(2.0), 2.0 * np.pi * s / PSI
    matrices: Array = from_quaternion(
        np.stack([inner * np.sin(a), inner * np.cos(a), outer * np.sin(b), outer * np.cos(b)], axis=1)
    )
    return matrices


def shares_of_attitudes(region: Workspace, attitudes: Any, count: int, restarts: int, threads: int | None) -> Array:
    """See `Workspace.dexterity`."""
    from linkwork.analyses.robots.many import reach_many

    loops = region.loops
    R = _asked(region, attitudes, count)
    cells = np.argwhere(region.reached)
    places = np.zeros((len(cells), 3))
    Y = np.ascontiguousarray(region.variables[region.reached])
    places[:] = loops.system.position(region.target, np.ascontiguousarray(Y[:, : loops.plan.nq]))
    home = region.posture([axis[cells[0, k]] for k, axis in enumerate(region.axes)])
    taken = np.zeros(len(cells))
    start = Y.copy()
    for turn in R:  # from one attitude to the next each place goes on from where it is
        found = reach_many(
            loops, home, region.target, (places,), turn, (), start, False, restarts, True, 1, threads
        )  # fmt: skip
        taken += found.converged
        start = np.where(found.converged[:, np.newaxis], found.variables, start)
    shares = np.full(region.reached.shape, np.nan)
    shares[region.reached] = taken / len(R)
    return shares


def _asked(region: Workspace, attitudes: Any, count: int) -> Array:
    if attitudes is not None:
        R = np.asarray(attitudes, float)
        if R.ndim != 3 or R.shape[1:] != (3, 3) or not is_rotation(R, 1e-6).all():
            hint = "an array of rotation matrices (n, 3, 3)"
            raise InputError(Problem("these are no attitudes", "attitudes", hint), region.loops.plan.name)
        return R
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InputError(Problem(f"{count!r} attitudes", "count", "a whole number above zero"), region.loops.plan.name)
    axis = _only_axis(region)
    if axis is None:
        return spread_attitudes(count)
    home = region.loops.system.pose(region.target, region.variables[region.reached][0, : region.loops.plan.nq])
    turns = from_axis_angle(np.broadcast_to(axis, (count, 3)), 2.0 * np.pi * np.arange(count) / count)
    matrices: Array = turns @ home[:3, :3]
    return matrices


def _only_axis(region: Workspace) -> Array | None:
    """The axis about which alone the target turns; None where there are several. InputError where there is none."""
    loops = region.loops
    some = region.variables[region.reached][:: max(1, int(region.reached.sum()) // 16)]
    Y = np.ascontiguousarray(some)
    mobility = loops.columns - (loops.roles(Y[0], np.zeros(loops.columns, bool)).rank if loops.count else 0)
    free, _ = null_space(loops.equations(Y)[1], mobility)
    T = (
        loops.system.jacobian(region.target, np.ascontiguousarray(Y[:, : loops.plan.nq]))
        * loops.column_scale[: loops.plan.nv]
    )
    twists = T @ free[:, : loops.plan.nv]
    ranks = [int(np.linalg.matrix_rank(part, tol=STILL).max()) for part in (twists[:, :3], twists)]
    if ranks[1] <= ranks[0]:
        text = f"'{region.target}' has no freedom left for its attitude: {mobility} freedoms, {ranks[0]} for its place"
        raise InputError(Problem(text, "dexterity", "ask for a machine with more"), loops.plan.name)
    axes = np.moveaxis(twists[:, 3:], 1, 0).reshape(3, -1)
    directions, values, _ = np.linalg.svd(axes, full_matrices=False)
    return directions[:, 0] if values[1] <= STILL * values[0] else None
