"""Solutions where no serial chain of turns and slides leads to the target: leg by leg, else from many random starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analyses.kinematics.closure_search import random_starts
from linkwork.analyses.kinematics.joint_limits import SLACK, JointLimit
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.nearby_postures import nearby_postures
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.robots.goals import Goal, attitude, place
from linkwork.analyses.robots.many import reach_many
from linkwork.analyses.robots.solutions.found import Note
from linkwork.analyses.robots.solutions.legs import ByLegs, legs_of
from linkwork.analyses.robots.targets import Target
from linkwork.geometry import Array
from linkwork.geometry.rotations import to_rotvec

STARTS = 512
"""Random starts of a search."""
SAME = 1e-5
"""Postures whose variables are nearer than this are one [rad, or parts of the machine's size]."""
TURNS = 1e-8
"""Angular rate of the target by the rates of the machine below which it never turns."""


@dataclass(frozen=True, eq=False)
class Otherwise:
    """Postures with all variables, how they were found, and whether these are all; the nearest of the others."""

    Y: list[Array]
    method: str
    complete: bool
    reason: str
    nearest: Array


def by_legs(loops: Loops, base: Posture, target: Target, at: Array, rotation: Array | None) -> Otherwise | None:
    """Leg by leg, where the target's whole pose is known: it is given, or the target never turns."""
    legs = legs_of(loops, base.y, _body_of(loops, target.base))
    if legs is None:
        return None
    home = base.pose(target.base)
    R = home[:3, :3] if rotation is None else rotation
    if rotation is None and _turns(loops, base.y, target.base):
        return None
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, at - R @ target.offset
    body = legs.home[legs.target]
    found: ByLegs | None = legs.solutions(X @ np.linalg.inv(home) @ body)
    if found is None or not found.Y:
        return None
    if rotation is None and any(_turns(loops, y, target.base) for y in found.Y):
        return None
    reason = found.reason if rotation is not None else f"{found.reason}; '{target.base}' never turns"
    return Otherwise(found.Y, "closed form", found.complete, reason, found.Y[0])


def by_search(
    loops: Loops, base: Posture, name: str, target: Target, at: Array, rotation: Array | None, others: list[Goal],
    held: tuple[str, ...],
) -> Otherwise:  # fmt: skip
    """From random starts, in compiled loops; nothing proven."""
    specified = np.zeros(loops.columns, bool)
    for slot in loops.plan.slots:
        for k in range(slot.q.start, slot.q.stop):
            if loops.plan.variables[k] in held:
                specified[slot.v] = True
    begin = random_starts(loops, base.y, specified, np.random.default_rng(1), STARTS, first=True)
    offset = None if not target.offset.any() else tuple(target.offset.tolist())
    wanted: list[Goal] = [place(np.tile(at, (STARTS, 1)), of=target.base, at=offset), *others]
    if rotation is not None:
        wanted.append(attitude(np.tile(rotation, (STARTS, 1, 1)), of=target.base))
    found = reach_many(loops, base, name, wanted, None, held, begin, False, 0, False, 1, None)
    Y = np.asarray(found.variables, float)
    nearest = Y[int(np.argmin(found.residual))]
    distinct: list[Array] = []
    hits: list[int] = []
    for y in Y[np.asarray(found.converged)]:
        gaps = [float(np.abs(apart(loops, y, o)).max(initial=0.0)) for o in distinct]
        if gaps and min(gaps) < SAME:
            hits[int(np.argmin(gaps))] += 1
        else:
            distinct.append(y)
            hits.append(1)
    once = sum(n == 1 for n in hits)
    text = f"{STARTS} random starts, {int(np.sum(found.converged))} of which got there"
    reason = f"{text}; {once} of {len(distinct)} were found once"
    return Otherwise(distinct, "search", False, reason, nearest)


def apart(loops: Loops, a: Array, b: Array) -> Array:
    """How far two postures are from each other, by rate, whole turns left out."""
    gap = loops.apart(a, b)
    return np.asarray(np.where(loops.column_scale == 1.0, np.angle(np.exp(1j * gap)), gap))


def note_of(
    loops: Loops, base: Posture, y: Array, target: Target, at: Array, rotation: Array | None,
    known: list[JointLimit], sample: int,
) -> Note:  # fmt: skip
    """What is to be known of a posture of the whole machine."""
    p = Posture(loops, y)
    X = p.pose(target.base)
    error = float(np.abs(X[:3, :3] @ target.offset + X[:3, 3] - at).max()) / loops.length
    if rotation is not None:
        error = max(error, float(np.abs(to_rotvec(rotation @ X[:3, :3].T)).max()))
    error = max(error, p.residual)
    outside = [x for x in known if float(x.beyond(loops, np.array(y[x.place]))) > SLACK]
    texts = tuple(
        f"{x.variable} = {loops.shown(x.variable, float(y[x.place]))}, limits {x.text(loops)}" for x in outside
    )
    away = float(np.abs(loops.apart(base.y, y)).max(initial=0.0))
    return Note(error, texts, tuple(x.variable for x in outside), away=away, at=sample)


def _body_of(loops: Loops, name: str) -> str:
    plan = loops.plan
    for mark in (*plan.points, *plan.frames):
        if mark.name == name and 0 <= mark.link < len(plan.links):
            return plan.links[mark.link].body
    return name


def _twists(loops: Loops, y: Array, target: str) -> Array:
    """Twists [v, in parts of the machine's size; w] of the target by the independent rates, scaled, (rates, 6)."""
    independent = Posture(loops, y)._all_roles.independent
    given = np.zeros((len(independent), loops.columns))
    given[np.arange(len(independent)), independent] = loops.column_scale[independent]
    (W,) = loops.rates(y, np.isin(np.arange(loops.columns), independent), [given])
    size = np.abs(W / loops.column_scale).max(axis=1, initial=1.0)
    twist = loops.system.velocity(target, y[: loops.plan.nq], W[:, : loops.plan.nv]) / size[:, None]
    twist[:, :3] /= loops.length
    return np.asarray(twist)


def _turns(loops: Loops, y: Array, target: str) -> bool:
    """Whether the target can turn at a posture."""
    return bool(np.abs(_twists(loops, y, target)[:, 3:]).max(initial=0.0) > TURNS)


def spare_freedoms(loops: Loops, base: Posture, target: Target, rotation: Array | None, along: Array | None) -> int:
    """Freedoms of the machine that the goal leaves at a posture and at those near by: the fewest of them."""
    if loops.count:
        none = np.zeros(loops.columns, bool)
        near = [base.y, *nearby_postures(loops, base.y, loops.roles(base.y, none))]
    else:
        step = np.random.default_rng(2).uniform(-0.3, 0.3, loops.columns)
        near = [base.y, loops.advanced(base.y, step)]
    return min(_spare(loops, y, target, rotation, along) for y in near)


def _spare(loops: Loops, y: Array, target: Target, rotation: Array | None, along: Array | None) -> int:
    twist = _twists(loops, y, target.base)
    arm = Posture(loops, y).pose(target.base)[:3, :3] @ target.offset / loops.length
    place = twist[:, :3] + np.cross(twist[:, 3:], arm)
    parts = [place]
    if rotation is not None:
        parts.append(twist[:, 3:])
    elif along is not None:
        n = along / np.linalg.norm(along)
        parts.append(twist[:, 3:] - np.outer(twist[:, 3:] @ n, n))
    task = np.concatenate(parts, axis=1)
    return len(task) - int(np.linalg.matrix_rank(task, tol=1e-7)) if len(task) else 0
