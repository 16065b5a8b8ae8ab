"""All solutions of a machine whose target hangs on legs, each a chain of its own from the ground to the target.

With the target's pose given, the legs know nothing of each other, and every choice of one solution for each leg is one
of the machine. A leg may fork (the two rods of a delta's arm): its ways to the target are solved one by one, and those
solutions belong together that agree in the joints they share. A leg that only turns about the line through its joints
(a rod between a Hooke's joint and a ball) has the centres of its joints where they were: such solutions count once, and
the one nearest to the start stands for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.robots.solutions.motions import motion
from linkwork.analyses.robots.solutions.problems import Problem6
from linkwork.analyses.robots.solutions.serial_chains import SLIDE, TURN, Joint, cleaned
from linkwork.analyses.robots.solutions.solver import Solver
from linkwork.geometry import Array, inverse
from linkwork.model.joints import Law

MOST = 4096
"""Combinations of legs that are put together at most."""
ALIKE = 1e-6
"""Places and values nearer to each other than this are the same [parts of the machine's size, rad]."""
CLOSED = 1e-9
BALL = "ball"


@dataclass(frozen=True)
class Step:
    """A joint on the way to the target: walked from its first body on, or from its second."""

    joint: str
    forward: bool
    body: str
    """The body behind it."""


Path = tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class Leg:
    """One solution of a leg: poses of its bodies by name, values of its variables, centres of its turning joints."""

    poses: dict[str, Array]
    values: dict[str, float]
    centres: Array
    away: float


@dataclass(frozen=True, eq=False)
class ByLegs:
    """Postures of the machine, all variables each; whether every leg was solved completely; why, or why not."""

    Y: list[Array]
    complete: bool
    reason: str


class Legs:
    """The legs of a target body at a posture.

    paths : by leg its ways from the ground to the target
    """

    def __init__(self, loops: Loops, y: Array, target: str, paths: list[list[Path]]) -> None:
        self.loops, self.y, self.target, self.paths = loops, y, target, paths
        system = loops.system
        q = y[: loops.plan.nq]
        self.home = {b: system.pose(b, q) for b in system.bodies}
        self.home.setdefault(loops.plan.ground, np.eye(4))
        self.values = dict(zip(loops.plan.variables, y.tolist(), strict=True))

    def solutions(self, X: Array) -> ByLegs | None:
        """All postures with the target at a pose; None where a leg is no chain of turns, slides and a last ball."""
        legs: list[list[Leg]] = []
        complete, methods = True, []
        for paths in self.paths:
            ways = []
            for path in paths:
                found = self._along(path, X)
                if found is None:
                    return None
                some, sure, method = found
                complete &= sure
                methods.append(method)
                ways.append(some)
            legs.append(_agreeing(ways))
        number = int(np.prod([len(some) for some in legs]))
        if number > MOST:
            return None
        Y = [y for choice in product(*legs) if (y := self._assembled(choice, X)) is not None]
        text = " times ".join(str(len(some)) for some in legs)
        how = " and ".join(dict.fromkeys(methods))
        return ByLegs(Y, complete, f"leg by leg, {text} by {how}")

    # ------------------------------------------------------------------------------------------------ one way

    def _along(self, path: Path, X: Array) -> tuple[list[Leg], bool, str] | None:
        joints, owners, ball = self._joints(path)
        if joints is None:
            return None
        size = self.loops.length
        scaled = tuple(Joint(j.variable, j.place, j.turns, j.axis, j.point / size) for j in joints)
        at = ball if ball is not None else self.home[self.target][:3, 3]
        free = [Joint("", -1, True, axis, at / size) for axis in np.eye(3)[[2, 0, 1]]] if ball is not None else []
        if len(scaled) + len(free) > 6:
            return None
        solver = Solver(Problem6((*scaled, *free), len(scaled), at / size))
        if solver.method == "search":
            return None
        goal = X @ inverse(self.home[self.target])
        goal[:3, 3] /= size
        found = solver(goal[None])
        kept: list[Leg] = []
        for x in found.x[0, : found.count[0]]:
            leg = self._leg(path, joints, owners, x[: len(joints)])
            same = next((k for k, o in enumerate(kept) if _alike(leg, o, size)), None)
            if same is None:
                kept.append(leg)
            elif leg.away < kept[same].away:
                kept[same] = leg
        return kept, bool(found.sure[0]), solver.method

    def _joints(self, path: Path) -> tuple[list[Joint] | None, list[int], Array | None]:
        """Elementary joints in the posture, the step of the path each belongs to, and the centre of a last ball."""
        joints: list[Joint] = []
        owners: list[int] = []
        mechanism, layout = self.loops.system.mechanism, self.loops.system.layout
        for number, step in enumerate(path):
            law, seat = mechanism.joints[step.joint].law, layout.seats[step.joint]
            frame = self.home[_tail(self.loops, step.joint)] @ seat.X_TF
            pairs = law.chain or ()
            if any(kind == BALL for kind, *_ in pairs):
                return (joints, owners, frame[:3, 3]) if number == len(path) - 1 else (None, [], None)
            if law.chain is None or any(kind not in (TURN, SLIDE) for kind, *_ in pairs):
                return None, [], None
            own = []
            for kind, axis, k in pairs:
                name = f"{step.joint}.{law.variables[k].name}"
                joint = Joint(name, -1, kind == TURN, cleaned(frame[:3, axis]), frame[:3, 3])
                frame = motion(joint, np.array(self.values[name])) @ frame
                own.append(joint)
            joints += own if step.forward else [j.reversed for j in reversed(own)]
            owners += [number] * len(own)
        return joints, owners, None

    def _leg(self, path: Path, joints: Sequence[Joint], owners: Sequence[int], x: Array) -> Leg:
        G = np.eye(4)
        poses: dict[str, Array] = {}
        values: dict[str, float] = {}
        centres = []
        away, k = 0.0, 0
        for number, step in enumerate(path[:-1] if len(path) else path):
            while k < len(joints) and owners[k] == number:
                step_value = float(x[k]) * (1.0 if joints[k].turns else self.loops.length)
                if joints[k].turns:
                    centres.append(G[:3, :3] @ joints[k].point + G[:3, 3])
                G = G @ motion(joints[k], np.array(step_value))
                values[joints[k].variable] = step_value
                away = max(away, abs(float(x[k])))
                k += 1
            poses[step.body] = G @ self.home[step.body]
        values |= {j.variable: float(v) for j, v in zip(joints[k:], x[k:], strict=True)}
        return Leg(poses, values, np.array(centres).reshape(-1, 3), away)

    # ------------------------------------------------------------------------------------------------ together

    def _assembled(self, legs: Sequence[Leg], X: Array) -> Array | None:
        """All variables from the poses of all bodies; None where the loops do not close."""
        poses = dict(self.home)
        poses[self.target] = X
        for leg in legs:
            poses |= leg.poses
        system = self.loops.system
        y = self.y.copy()
        for slot in self.loops.plan.slots:
            joint = system.mechanism.joints.get(slot.owner)
            if joint is None:
                return None
            seat = system.layout.seats[slot.owner]
            F, M = poses[_tail(self.loops, slot.owner)] @ seat.X_TF, poses[_head(self.loops, slot.owner)] @ seat.X_HM
            y[slot.q] = _near(slot.law, joint.law.recover(inverse(F) @ M), self.y[slot.q])
        return y if float(self.loops.residual(y)) < CLOSED else None


def legs_of(loops: Loops, y: Array, target: str) -> Legs | None:
    """The legs on which a body hangs; None where bodies are left that are on no way to it."""
    mechanism, ground = loops.system.mechanism, loops.plan.ground
    if target not in loops.system.bodies or loops.plan.measured or loops.huge:
        return None
    if any(c for c in loops.plan.constraints if not c.of_rates):
        return None
    beside: dict[str, list[Step]] = {}
    for name in mechanism.joints:
        tail, head = _tail(loops, name), _head(loops, name)
        beside.setdefault(tail, []).append(Step(name, True, head))
        beside.setdefault(head, []).append(Step(name, False, tail))
    found: list[Path] = []

    def walk(body: str, so_far: Path, seen: frozenset[str]) -> None:
        for step in beside.get(body, []):
            if step.body == target:
                found.append((*so_far, step))
            elif step.body not in seen and len(found) < 64:
                walk(step.body, (*so_far, step), seen | {step.body})

    walk(ground, (), frozenset({ground}))
    covered = {s.body for path in found for s in path} | {ground}
    if not found or covered != set(loops.system.bodies) | {ground}:
        return None
    groups: list[list[Path]] = []
    for path in found:
        own = {s.body for s in path[:-1]}
        sharing = [g for g in groups if any(own & {s.body for s in p[:-1]} for p in g)]
        merged = [path, *(p for g in sharing for p in g)]
        groups = [*(g for g in groups if g not in sharing), merged]
    return Legs(loops, y, target, groups)


def _tail(loops: Loops, joint: str) -> str:
    return str(loops.system.mechanism.joints[joint].tail)


def _head(loops: Loops, joint: str) -> str:
    return str(loops.system.mechanism.joints[joint].head)


def _alike(a: Leg, b: Leg, size: float) -> bool:
    return bool(np.abs(a.centres - b.centres).max(initial=0.0) < ALIKE * size)


def _agreeing(ways: Sequence[list[Leg]]) -> list[Leg]:
    """Solutions of all ways of a leg that agree in the variables they share."""
    together = ways[0]
    for other in ways[1:]:
        together = [_merged(a, b) for a in together for b in other if _agree(a.values, b.values)]
    return together


def _agree(a: Mapping[str, float], b: Mapping[str, float]) -> bool:
    shared = a.keys() & b.keys()
    return all(abs(np.angle(np.exp(1j * (a[n] - b[n])))) < ALIKE for n in shared)


def _merged(a: Leg, b: Leg) -> Leg:
    centres = np.concatenate([a.centres, b.centres])
    return Leg({**a.poses, **b.poses}, {**a.values, **b.values}, centres, max(a.away, b.away))


def _near(law: Law, found: Array, start: Array) -> Array:
    """Variables as recovered from poses, angles counted and quaternions signed as at the start."""
    near = np.asarray(found, float).copy()
    for k, variable in enumerate(law.variables):
        if variable.dimension == "angle":
            near[k] += 2.0 * np.pi * np.round((start[k] - near[k]) / (2.0 * np.pi))
    if len(near) >= 4 and any(kind == BALL for kind, *_ in law.chain or ()):
        near *= 1.0 if float(near @ start) >= 0.0 else -1.0
    return near
