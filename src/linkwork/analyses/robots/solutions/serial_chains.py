"""The joints on the way from the world to a target, as screws in the world at one posture.

With the target at X at that posture, and at G X when the joints have moved by x, G is the product of their motions:
G = exp(S1 x1) ... exp(Sn xn), each about or along its axis as it lies at that posture.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.robots.targets import Target
from linkwork.geometry import Array

TURN, SLIDE = "turn", "slide"
CLEAN = 4e-15
"""Components nearer to 0 or ±1 than this are that: rounding of the pose of the machine."""


@dataclass(frozen=True)
class Joint:
    """One elementary motion: its variable, place among q, what it does, its axis in the world at the base posture.

    variable : empty for a motion that the goal leaves free, or that only serves to count
    turns : it turns about the axis, else it slides along it; axis : unit vector; point : on the axis [m]
    """

    variable: str
    place: int
    turns: bool
    axis: Array
    point: Array

    @property
    def reversed(self) -> Joint:
        """The joint as it is walked from its other side."""
        return replace(self, axis=-self.axis)


@dataclass(frozen=True)
class Chain:
    """Joints from the world outward, and the target's pose at the base posture.

    base : coordinates q at which the axes are taken; size : a length of the chain [m]
    """

    joints: tuple[Joint, ...]
    target: Array
    base: Array
    size: float

    @property
    def scaled(self) -> tuple[Joint, ...]:
        """The joints with all lengths in parts of the chain's size."""
        return tuple(replace(j, point=j.point / self.size) for j in self.joints)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables that are solved for, from the world outward."""
        return tuple(j.variable for j in self.joints if j.variable)


@dataclass(frozen=True)
class NoChain:
    """Why there is no chain of turns and slides to a target."""

    reason: str


def serial_chain(loops: Loops, base: Array, target: Target, fixed: frozenset[str] = frozenset()) -> Chain | NoChain:
    """The chain to a target, without the variables that are held.

    base : all variables y at which the axes are taken; fixed : variables that stay there
    """
    system, plan = loops.system, loops.plan
    link = _carrier(loops, target.base)
    if link >= len(plan.links):
        return NoChain(f"'{target.name}' sits on a body with coordinates of its own")
    q = base[: plan.nq]
    X = system.pose(target.base, q)
    J = np.asarray(system.jacobian(target.base, q), float)
    joints: list[Joint] = []
    while link >= 0:
        own = plan.links[link]
        if own.own:
            return NoChain(f"'{own.body}' has coordinates of its own")
        pairs = list(own.law.chain or ())
        if any(kind not in (TURN, SLIDE) for kind, *_ in pairs) or len(pairs) != own.q.stop - own.q.start:
            return NoChain(f"joint '{own.joint}' is neither a turn nor a slide, nor made of them")
        # The list grows from the target inward; a joint walked from its second body has its own parts turned round.
        for kind, _, k in pairs if own.sign < 0 else reversed(pairs):
            place, rate = own.q.start + k, own.v.start + k
            if plan.variables[place] in fixed:
                continue
            v, w = J[:3, rate], J[3:, rate]
            turns = kind == TURN
            axis = w if turns else v
            axis = axis / np.linalg.norm(axis)
            point = X[:3, 3] + np.cross(w, v) if turns else X[:3, 3]
            joints.append(Joint(plan.variables[place], place, turns, cleaned(axis), point))
        link = own.parent
    joints.reverse()
    X[:3, 3] += X[:3, :3] @ target.offset
    return Chain(tuple(joints), X, q.copy(), loops.length)


def _carrier(loops: Loops, target: str) -> int:
    plan = loops.plan
    for mark in (*plan.points, *plan.frames):
        if mark.name == target:
            return mark.link
    return next((k for k, link in enumerate(plan.links) if link.body == target), -1)


def depends_on_loops(loops: Loops, base: Array, chain: Chain) -> list[str]:
    """Variables of a chain that loops or constraints have a say in."""
    if not loops.count:
        return []
    places = [j.place for j in chain.joints]
    rates = {place: rate for slot in loops.plan.slots for place, rate in _pairs(slot)}
    rng = np.random.default_rng(5)
    touched = np.zeros(loops.columns)
    for spread in (0.0, 0.1, 0.1):
        y = loops.advanced(base, spread * rng.uniform(-1.0, 1.0, loops.columns))
        J = loops.errors_and_entries(y)[1] if loops.sparse else loops.equations(y)[1]
        if np.ndim(J) == 2 and J.shape[1] == loops.columns:
            touched = np.maximum(touched, np.abs(J).max(axis=0))
    return [loops.plan.variables[p] for p in places if touched[rates[p]] > 1e-9]


def _pairs(slot: Any) -> list[tuple[int, int]]:
    return list(zip(range(slot.q.start, slot.q.stop), range(slot.v.start, slot.v.stop), strict=False))


def cleaned(a: Array) -> Array:
    """Components that are 0 or ±1 but for rounding, as such."""
    near = np.round(a)
    return np.where((np.abs(a - near) < CLEAN) & (np.abs(near) <= 1.0), near, a)
