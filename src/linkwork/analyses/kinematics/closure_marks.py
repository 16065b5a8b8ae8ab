"""Numbers that tell closures apart: poses of bodies, and what variables say about those that spin."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from linkwork.analyses.kinematics.failures import UnderSpecified
from linkwork.analyses.kinematics.linkage_graph import linkage_graph
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.nearby_postures import ordinary_posture
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.kinematics.preference import preference
from linkwork.errors import Problem
from linkwork.geometry import Array
from linkwork.numerics.elimination import eliminate

NUDGE = 1e-4
"""How far idle freedoms are moved to see which bodies go along [rad, or parts of the machine's size]."""

Marks = Callable[[Array], Array]
"""y (B, ny) -> numbers (B, n) that are equal for equal closures."""


def posture_marks(loops: Loops, home: Posture, specified: Mask, bodies: Sequence[str]) -> Marks:
    """What tells closures apart: poses of bodies, lengths in units of the machine's size.

    Without a choice of bodies it is all those that freedoms without a value do not move. About a body that these move
    (a rod that spins) the determined variables of its joints tell.
    """
    if bodies:
        _assert_determined(loops, home, specified, bodies)
        return lambda Y: _pose_marks(loops, bodies, Y)
    steady = _steady_bodies(loops, home, specified)
    try:
        determined = determined_variables(loops, home, specified)
    except UnderSpecified:  # unless bodies stand still that are not held by the inputs alone: a plate on rods that spin
        graph = linkage_graph(loops, home.y, specified)
        if graph is None or not any(graph.node_of[b] for b in np.array(loops.system.bodies)[steady]):
            raise
        determined = np.zeros(loops.plan.ny, bool)
    ends = {c.joint: (loops.plan.body_of(c.tail), loops.plan.body_of(c.head)) for c in loops.plan.cuts}
    ends |= {link.joint: (link.parent, k) for k, link in enumerate(loops.plan.links)}
    for slot in (s for s in loops.plan.slots if s.of != "inner"):
        if all(k < 0 or steady[k] for k in ends[slot.owner]):
            determined[slot.q] = False  # poses tell

    def marks(Y: Array) -> Array:
        X = loops.system.poses(np.ascontiguousarray(Y[:, : loops.plan.nq]))[:, steady, :3]
        X[..., 3] /= loops.length
        return np.concatenate([X.reshape(len(Y), 12 * int(steady.sum())), marks_of(loops, determined, Y)], axis=1)

    return marks


def _steady_bodies(loops: Loops, home: Posture, specified: Mask) -> Mask:
    """Bodies that freedoms without a value do not move, by central differences."""
    y = ordinary_posture(loops, home.y)
    found = eliminate(loops.equations(y)[1], specified, 1e-7)
    idle = found.columns()[:, : len(found.free_columns)].T
    steady: Mask = np.ones(len(loops.plan.links), bool)
    if not len(idle):
        return steady
    there, back = (
        loops.system.poses(
            np.ascontiguousarray(loops.advanced(np.tile(y, (len(idle), 1)), d * idle)[:, : loops.plan.nq])
        )
        for d in (NUDGE, -NUDGE)
    )
    moves = np.abs(there - back)[:, :, :3] / (2.0 * NUDGE)
    moves[..., 3] /= loops.length
    return np.asarray(moves.max(axis=(0, 2, 3)) < 1e-6)


def determined_variables(loops: Loops, home: Posture, specified: Mask) -> Mask:
    """Variables that the inputs determine; others belong to freedoms that move nothing else (a rod's spin).

    UnderSpecified when the inputs determine nothing but themselves.
    """
    if not loops.count:
        return np.ones(loops.plan.ny, bool)
    y = ordinary_posture(loops, home.y)
    roles = loops.chosen(y, specified, preference(loops))
    if not len(roles.free):
        return np.ones(loops.plan.ny, bool)
    found = eliminate(loops.equations(y)[1], specified, 1e-7)
    free = len(found.free_columns)
    K = np.abs(found.columns())
    result = ~loops.variables_of(K[:, :free].max(axis=1, initial=0.0) > 1e-6)
    driven = loops.variables_of(K[:, free:].max(axis=1, initial=0.0) > 1e-6)
    if not (result & driven & ~loops.variables_of(specified)).any():
        names = ", ".join(loops.names(roles.free))
        text = f"closures need values for all freedoms; {names} {'is' if len(roles.free) == 1 else 'are'} free"
        raise UnderSpecified(
            Problem(text, hint=f"give values for as many of your own choice, or for {names}"), loops.plan.name
        )
    return result


def _assert_determined(loops: Loops, home: Posture, specified: Mask, bodies: Sequence[str]) -> None:
    """UnderSpecified when freedoms without a value move one of the bodies."""
    y = ordinary_posture(loops, home.y)
    found = eliminate(loops.equations(y)[1], specified, 1e-7)
    free = len(found.free_columns)
    K = (found.columns()[:, :free] * loops.column_scale[:, np.newaxis])[: loops.plan.nv]
    for body in bodies:
        moves = loops.system.jacobian(body, y[: loops.plan.nq]) @ K
        moves[:3] /= loops.length
        if np.abs(moves).max(initial=0.0) > 1e-6:
            names = ", ".join(loops.names(loops.chosen(home.y, specified, preference(loops)).free))
            text = f"closures need values for all freedoms that move '{body}'"
            hint = f"give values for as many of your own choice, or for {names}"
            raise UnderSpecified(Problem(text, hint=hint), loops.plan.name)


def periodic(loops: Loops) -> Mask:
    """Variables that may be counted from any turn."""
    result = np.zeros(loops.plan.ny, bool)
    for slot in loops.plan.slots:
        ranges = slot.law.ranges()
        for k, variable in enumerate(slot.law.variables):
            repeats = variable.name in ranges and ranges[variable.name].closed
            if slot.law.whole_turns or repeats:
                result[slot.q.start + k] = variable.dimension == "angle"
    return result


def distances(loops: Loops, y: Array, Y: Array) -> Array:
    """How far postures Y (B, ny) are from y [rad, or parts of the machine's size], by the variable that moves most."""
    d = Y - y
    turning = periodic(loops)
    d[:, turning] = np.angle(np.exp(1j * d[:, turning]))
    for q in loops.quaternions:
        own = slice(q, q + 4)
        d[:, own] = Y[:, own] * np.where(Y[:, own] @ y[own] < 0.0, -1.0, 1.0)[:, np.newaxis] - y[own]
    return np.asarray(np.abs(d * loops.variable_scale).max(axis=1, initial=0.0))


def _pose_marks(loops: Loops, bodies: Sequence[str], Y: Array) -> Array:
    """Poses of some bodies, lengths in units of the machine's size."""
    parts = []
    for body in bodies:
        X = loops.system.pose(body, np.ascontiguousarray(Y[:, : loops.plan.nq]))
        X[:, :3, 3] /= loops.length
        parts.append(X[:, :3].reshape(len(Y), 12))
    return np.concatenate(parts, axis=1)


def marks_of(loops: Loops, determined: Mask, Y: Array) -> Array:
    """Numbers that are equal for equal postures: cosines and sines of angles, products of a quaternion's parts."""
    turning = periodic(loops) & determined
    quaternions = [q for q in loops.quaternions if determined[q]]
    plain = determined & ~turning
    for q in loops.quaternions:
        plain[q : q + 4] = False
    parts = [np.cos(Y[:, turning]), np.sin(Y[:, turning]), Y[:, plain] * loops.variable_scale[plain]]
    for q in quaternions:
        own = Y[:, q : q + 4]
        parts.append((own[:, :, np.newaxis] * own[:, np.newaxis, :]).reshape(len(Y), 16))
    return np.concatenate(parts, axis=1)
