"""Goals as rows: what is missing, and how the twist of the target changes it.

    e = wanted - actual,    e' = wanted' - E [v; ω]

Lengths are parts of the machine's size, angles radians. A place has the rows of its coordinates; an attitude the vector
of the rotation that is missing; a direction two rows across it, chosen anew at every posture, so that no direction is
singular (Vukobratović keeps the first two components of h, whose rates depend on each other where h is horizontal).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.robots.goal_kinds import (
    COORDINATES,
    Attitude,
    Goal,
    Hold,
    Joints,
    Moving,
    Place,
    Pointing,
)
from linkwork.analyses.robots.goals import attitude, place, pose_goals
from linkwork.analyses.robots.targets import Target, base_kernel, target_of
from linkwork.drives import Drive
from linkwork.equations.reaching import reaching
from linkwork.errors import InputError, LinkworkError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.geometry.rotations import skew, to_rotvec

Row = tuple[str, str]
"""Name and unit of a row."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """Goals of one question.

    tasks : places, directions and attitudes with their targets; values : of joints that are given; held : joints
    """

    tasks: tuple[tuple[Goal, Target], ...]
    values: dict[str, Any]
    held: tuple[str, ...]

    @property
    def bases(self) -> tuple[str, ...]:
        """What the kernel is asked for."""
        return tuple(dict.fromkeys(target.base for _, target in self.tasks))

    @property
    def samples(self) -> int | None:
        """How many goals there are by sample; None where there is but one."""
        sizes = [n for goal, _ in self.tasks if (n := goal.samples) is not None]
        n = Joints(values=self.values).samples
        return max([*sizes, *([] if n is None else [n])], default=None)


def wanted_of(
    loops: Loops, name: str, goals: Sequence[Any], rotation: Any, hold: Sequence[str], many: bool = False
) -> Wanted:
    """All goals of a question, checked; InputError with everything that is wrong."""
    problems: list[Problem] = []
    tasks: list[tuple[Goal, Target]] = []
    values: dict[str, Any] = {}
    held: list[str] = [hold] if isinstance(hold, str) else list(hold)
    found: list[Goal] = []
    for given in goals:
        with gathered(problems):
            found += _goals(given, many)
    if rotation is not None:
        with gathered(problems):
            found.append(rotation if isinstance(rotation, Goal) else attitude(rotation))
    if not (found or problems):
        raise InputError(Problem("neither a place nor an attitude is wanted", "reach", "give a place x, y, z [m]"))
    for goal in found:
        if isinstance(goal, Joints):
            values |= goal.values
        elif isinstance(goal, Hold):
            held += goal.names
        else:
            with gathered(problems):
                target = target_of(loops, goal.of or name, goal.at)
                if not (target.turns or isinstance(goal, Place)):
                    raise InputError(Problem(f"'{target.name}' has no axes", hint="only a place can be wanted of it"))
                tasks.append((goal, target))
        if isinstance(goal, Moving) or _laws_of(goal):
            problems.append(Problem(f"{goal} moves", "reach", "`follow` takes laws of time"))
        if not many and goal.samples is not None:
            hint = "`reach_many` takes goals by sample"
            problems.append(Problem(f"goals of {goal.samples} samples, where one is asked for", "reach", hint))
    if not tasks and not problems:
        problems.append(Problem("joints alone are no goal of a target", "reach", "`at` gives postures by joints"))
    if problems:
        raise InputError(problems, loops.plan.name)
    return Wanted(tuple(tasks), values, tuple(held))


def _laws_of(goal: Goal) -> bool:
    """Whether joints are given by laws of time."""
    return isinstance(goal, Joints) and any(isinstance(x, Drive) for x in goal.values.values())


class gathered:
    """Keeps problems instead of raising them."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        if isinstance(error, LinkworkError):
            self.problems += error.problems
            return True
        return False


def _goals(given: Any, many: bool) -> list[Goal]:
    if isinstance(given, Goal):
        return [given]
    if isinstance(given, list | tuple) and given and all(isinstance(g, Goal) for g in given):
        return list(given)
    shape = _shape(given)
    if shape[-2:] == (4, 4) and len(shape) <= (3 if many else 2):
        return list(pose_goals(np.asarray(given, float)))
    if not many and (isinstance(given, Mapping) or len(shape) > 1):
        hint = "one place [m] at a time, such as (0.1, 0.2, 0); `reach_many` takes many, `follow` a path"
        raise InputError(Problem("three numbers x, y, z are wanted", "place", hint))
    return [place(np.asarray(given, float) if many and len(shape) == 2 else given)]


def _shape(given: Any) -> tuple[int, ...]:
    """The shape of an array, or of lists that could be one."""
    try:
        return np.shape(given)
    except ValueError:  # lists of several lengths
        return ()


class TaskRows:
    """Rows of goals on a machine, at one posture."""

    def __init__(self, loops: Loops, wanted: Wanted) -> None:
        self.loops, self.wanted, self.length = loops, wanted, loops.length
        self.bases = wanted.bases
        self.rows: list[Row] = [row for goal, target in wanted.tasks for row in _names(goal, target)]
        self.weights = np.concatenate(
            [np.full(len(_names(goal, target)), goal.weight) for goal, target in wanted.tasks] or [np.zeros(0)]
        )

    def at(self, y: Array) -> tuple[Array, Array]:
        """What is missing (rows,), scaled, and E J (rows, nv): how rates of the tree lessen it."""
        X, J = base_kernel(self.loops.system, self.bases, y[: self.loops.plan.nq])
        errors, slopes = [], []
        for goal, target in self.wanted.tasks:
            k = self.bases.index(target.base)
            R = X[k, 3:].reshape(3, 3)
            lever = R @ target.offset
            p = X[k, :3] + lever
            moved = J[k].copy()
            moved[:3] -= skew(lever) @ J[k, 3:]
            e, E = task_error(goal, p, R, self.length)
            errors.append(e)
            slopes.append(E @ moved)
        return np.concatenate(errors), np.vstack(slopes)

    def slope_changes(self, y: Array) -> Array:
        """How E J changes with the rates of the tree, (rows, nv, nv), the last axis by rate."""
        loops, nv = self.loops, self.loops.plan.nv
        q = y[: loops.plan.nq]
        X, J = base_kernel(loops.system, self.bases, q)
        _, dJ = loops.system.bound_kernel(Question(reaching(self.bases), (("q",),)))(q)
        found = []
        for goal, target in self.wanted.tasks:
            k = self.bases.index(target.base)
            R = X[k, 3:].reshape(3, 3)
            lever = R @ target.offset
            moved, change = J[k].copy(), dJ[k].copy()
            moved[:3] -= skew(lever) @ J[k, 3:]
            for j in range(nv):
                turned = np.cross(J[k, 3:, j], lever)
                change[:3, :, j] -= skew(lever) @ dJ[k, 3:, :, j] + skew(turned) @ J[k, 3:]
            _, E = task_error(goal, X[k, :3] + lever, R, self.length)
            own = np.einsum("re,ekj->rkj", E, change)
            if isinstance(goal, Pointing):  # its rows turn with the target
                own += np.einsum("rje,ek->rkj", np.cross(J[k, 3:].T[np.newaxis], E[:, np.newaxis, 3:]), J[k, 3:])
            elif isinstance(goal, Place) and not goal.is_whole and goal.kind != "cartesian":
                turning = _frame_turns(goal.kind, X[k, :3] + lever, moved[:3])
                own += np.einsum("rje,ek->rkj", np.cross(turning[np.newaxis], E[:, np.newaxis, :3]), moved[:3])
            found.append(own)
        return np.concatenate(found)

    def missing(self, e: Array) -> tuple[tuple[str, float, str], ...]:
        """By row, its name, what is missing in SI units, and the unit."""
        return tuple(
            (name, float(x) * (self.length if unit == "m" else 1.0), unit)
            for (name, unit), x in zip(self.rows, e, strict=True)
        )

    def gaps(self, e: Array) -> tuple[float | None, float | None]:
        """How far the worst place [m] and the worst attitude [rad] are missed; None where there is none."""
        place_gap: float | None = None
        turn_gap: float | None = None
        start = 0
        for goal, target in self.wanted.tasks:
            own = e[start : start + len(_names(goal, target))]
            start += len(own)
            size = float(np.linalg.norm(own))
            if isinstance(goal, Place):
                place_gap = max(place_gap or 0.0, size * self.length)
            else:
                turn_gap = max(turn_gap or 0.0, size)
        return place_gap, turn_gap


def _names(goal: Goal, target: Target) -> list[Row]:
    if isinstance(goal, Place):
        if goal.is_whole:
            return [(f"{target.name}.{axis}", "m") for axis in "xyz"]
        wanted = zip(COORDINATES[goal.kind], goal.wanted, strict=True)
        return [(f"{target.name}.{name}", "m") for name, is_wanted in wanted if is_wanted]
    if isinstance(goal, Attitude):
        return [(f"{target.name}.turn.{axis}", "rad") for axis in "xyz"]
    return [(f"{target.name}.tilt.{k}", "rad") for k in (1, 2)]


def task_error(goal: Goal, p: Array, R: Array, length: float) -> tuple[Array, Array]:
    """e (rows,) and E (rows, 6) of a goal whose target is at p with axes R."""
    if isinstance(goal, Place):
        if goal.is_whole:
            return (goal.xyz - p) / length, np.hstack([np.eye(3), np.zeros((3, 3))]) / length
        e, slopes = _coordinates(goal, p)
        chosen = np.array(goal.wanted)
        return e[chosen] / length, np.hstack([slopes, np.zeros((3, 3))])[chosen] / length
    if isinstance(goal, Attitude):
        return to_rotvec(goal.R @ R.T), np.hstack([np.zeros((3, 3)), np.eye(3)])
    assert isinstance(goal, Pointing)
    h = R @ goal.axis
    across = np.cross(h, goal.along)
    sine, cosine = float(np.linalg.norm(across)), float(h @ goal.along)
    U = frame_across(h)
    turn = across * (np.arctan2(sine, cosine) / sine) if sine > 1e-12 else (0.0 if cosine > 0.0 else np.pi) * U[0]
    return U @ turn, np.hstack([np.zeros((2, 3)), U])


def frame_across(h: Array) -> Array:
    """Two unit vectors (2, 3) across a unit vector and each other."""
    u = np.cross(h, np.eye(3)[int(np.argmin(np.abs(h)))])
    u /= np.linalg.norm(u)
    return np.stack([u, np.cross(h, u)])


def _frame_turns(kind: str, p: Array, v: Array) -> Array:
    """Angular velocities (n, 3) of the axes of curved coordinates of a place that moves at velocities (3, n)."""
    rho, r = float(np.hypot(p[0], p[1])), float(np.linalg.norm(p))
    turn = np.array([-p[1], p[0], 0.0]) / rho
    found = np.outer(turn @ v / rho, [0.0, 0.0, 1.0])
    if kind == "spherical":
        rise = np.cross(p, turn) / r
        found -= np.outer(rise @ v / r, turn)
    return found


def _coordinates(goal: Place, p: Array) -> tuple[Array, Array]:
    """What is missing of coordinates [m, angles along their arcs], and the directions in which they grow."""
    x, y, z = p
    rho = float(np.hypot(x, y))
    azimuth = float(np.arctan2(y, x))
    c, s = np.cos(azimuth), np.sin(azimuth)
    e_rho, e_turn, e_z = np.array([c, s, 0.0]), np.array([-s, c, 0.0]), np.array([0.0, 0.0, 1.0])
    a, b, d = goal.values
    if goal.kind == "cartesian":
        return goal.values - p, np.eye(3)
    turn = float(np.remainder(b - azimuth + np.pi, 2 * np.pi) - np.pi)
    if goal.kind == "cylindrical":
        return np.array([a - rho, turn * rho, d - z]), np.stack([e_rho, e_turn, e_z])
    r = float(np.linalg.norm(p))
    elevation = float(np.arctan2(z, rho))
    ce, se = np.cos(elevation), np.sin(elevation)
    e_r, e_up = ce * e_rho + se * e_z, ce * e_z - se * e_rho
    return np.array([a - r, turn * rho, (d - elevation) * r]), np.stack([e_r, e_turn, e_up])
