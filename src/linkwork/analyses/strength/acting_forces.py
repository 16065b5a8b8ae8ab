"""What acts on a body over a run: the joints that hold it, and the forces, torques and springs on it.

A run of forces has for every joint the force and the moment that its first body exerts on its second, at the joint's
frame M on the second body and along the axes of that frame: everything that passes through the joint, the effort of a
drive included. On the first body the opposite acts, at the same place of space.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork import geometry as geo
from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.geometry import Array
from linkwork.geometry.vectors import length, unit
from linkwork.model.joints.law import as_pose
from linkwork.model.loads import Direction, InSpace, Load, OnBody
from linkwork.model.loads.load import BetweenPoints, OnPoint, OnWholeBody
from linkwork.results.open_components import open_samples
from linkwork.system import System

if TYPE_CHECKING:
    from linkwork.results import Run


@dataclass(frozen=True, eq=False)
class Acting:
    """A force and a moment on a body over a run, along the axes of the world.

    name : of the joint or of the load
    force, moment : (samples, 3) [N, N m], the moment about `place`
    place : (samples, 3) [m]; None of a torque, which acts anywhere on its body
    assumed : components that are statically indeterminate and were taken as zero, "A.fz"
    """

    name: str
    force: Array
    moment: Array
    place: Array | None
    assumed: tuple[str, ...] = ()


def acting_on(system: System, run: Run, body: str) -> list[Acting]:
    """Everything besides gravity that acts on a body over a run of forces; InputError lists what the run lacks."""
    m = system.mechanism
    joints = [j for j in m.joints.values() if body in (j.tail, j.head)]
    wanted = [f"{j.name}.{part}" for j in joints for part in ("force", "moment")]
    loads = _loads_on(system, body)
    wanted += [_signal_of(load) for load in loads]
    missing = [Problem(f"the run has no '{n}'", hint="ask it of s.forces(run)") for n in wanted if n not in run]
    if missing:
        raise InputError(missing, system.name)
    unknown: Mapping[str, list[str]] = run.arrays.attrs.get("indeterminate", {})
    found = [_through(system, run, j.name, 1.0 if j.head == body else -1.0, unknown.get(j.name, ())) for j in joints]
    for load in loads:
        found += _of_load(system, run, load, body)
    return found


def pose_over(system: System, run: Run, body: str) -> Array:
    """Poses of a body over a run (samples, 4, 4)."""
    if body == system.mechanism.ground.name:
        return np.tile(system.layout.X_WB[body], (len(run), 1, 1))
    if f"{body}.rotation" not in run or f"{body}.position" not in run:
        hint = did_you_mean(body, system.mechanism.bodies)
        raise InputError(Problem(f"no poses of '{body}' in the run", hint=hint), system.name)
    return geo.pose(run.signal(f"{body}.rotation").values, run.signal(f"{body}.position").values)


def place_over(system: System, run: Run, point: str) -> Array:
    """Places of a point over a run (samples, 3)."""
    body, X = system.mechanism.points[point].body, geo.pose(np.eye(3), own_place(system, point))
    return geo.transform_points(pose_over(system, run, body), _carried(system, run, body, X)[..., :3, 3])


def joint_frame(system: System, joint: str, side: str) -> Array:
    """Pose of a joint's frame on its "tail" or "head" body, in that body."""
    given = system.parameters
    at, u, v, w = ([given[f"{joint}.{side}.{part}.{c}"] for c in "xyz"] for part in ("at", "u", "v", "w"))
    return geo.pose(np.stack([u, v, w], axis=-1), at)


def joint_frame_over(system: System, run: Run, joint: str, side: str) -> Array:
    """Poses of a joint's frame on its "tail" or "head" body over a run (samples, 4, 4)."""
    record = system.mechanism.joints[joint]
    body = record.tail if side == "tail" else record.head
    return pose_over(system, run, body) @ _carried(system, run, body, joint_frame(system, joint, side))


def _carried(system: System, run: Run, body: str, X: Array) -> Array:
    """Where a frame of a body is in it over a run: a body with coordinates of its own moves what sits on it."""
    plan = system.plan
    link = plan.links[plan.index[body]] if body in plan.index else None
    if link is None or link.inner is None:
        return X
    numbers = [system.parameters[f"{slot.owner}.{n}"] for slot in link.own for n in slot.law.numbers()]
    law = link.inner.with_numbers(dict(zip(link.inner.numbers(), numbers, strict=True)))
    names = [f"{slot.owner}.{v.name}" for slot in link.own for v in slot.law.variables]
    motion = law.place([run.signal(name).values for name in names], tuple(X[:3, 3]))  # type: ignore[attr-defined]
    return as_pose(motion) @ geo.pose(X[:3, :3], np.zeros(3))


def own_place(system: System, name: str) -> Array:
    """A point, or the origin of a frame, in the frame of its body [m]."""
    given = system.parameters
    return np.array([given[f"{name}.at.{c}"] for c in "xyz"])


def _through(system: System, run: Run, joint: str, sign: float, unknown: list[str] | tuple[()]) -> Acting:
    """What a joint does to its second (sign 1) or first (-1) body."""
    X_WM = joint_frame_over(system, run, joint, "head")
    wrench = np.concatenate([run.signal(f"{joint}.{part}").values for part in ("force", "moment")], axis=1)
    if unknown:
        data = run.arrays
        wrench[np.concatenate([open_samples(data, f"{joint}.{part}") for part in ("force", "moment")], axis=1)] = 0.0
    force, moment = (sign * geo.transform_vectors(X_WM, part) for part in (wrench[:, :3], wrench[:, 3:]))
    return Acting(joint, force, moment, X_WM[:, :3, 3], tuple(f"{joint}.{c}" for c in unknown))


def _loads_on(system: System, body: str) -> list[Load]:
    """Loads on a body itself; those along joint variables pass through their joints."""
    found: list[Load] = []
    points = system.mechanism.points
    for load in system.mechanism.loads.values():
        match load.acts:
            case OnPoint(point, _):
                own = [points[point].body]
            case OnWholeBody(owner, _):
                own = [owner]
            case BetweenPoints(first, second):
                own = [points[first].body, points[second].body]
            case _:
                continue
        found += [load] if body in own else []
    return found


def _signal_of(load: Load) -> str:
    return f"{load.name}.{load.magnitude}"


def _of_load(system: System, run: Run, load: Load, body: str) -> list[Acting]:
    amount = run.signal(_signal_of(load)).values[:, None]
    nothing = np.zeros((len(run), 3))
    match load.acts:
        case OnPoint(point, along):
            force = amount * _direction(system, run, load.name, along)
            return [Acting(load.name, force, nothing, place_over(system, run, point))]
        case OnWholeBody(_, about):
            return [Acting(load.name, nothing, amount * _direction(system, run, load.name, about), None)]
        case BetweenPoints(first, second):
            found = []
            for own, other in ((first, second), (second, first)):
                if system.mechanism.points[own].body == body:
                    at = place_over(system, run, own)
                    pull = amount * _toward(at, place_over(system, run, other))
                    found.append(Acting(load.name, pull, nothing, at))
            return found
    return []


def _direction(system: System, run: Run, name: str, along: Direction) -> Array:
    """Unit vectors of the direction of a load over a run, world; its numbers may differ from the model's."""
    if isinstance(along, InSpace | OnBody):
        known = system.parameters
        given = unit([known.get(f"{name}.along.{c}", x) for c, x in zip("xyz", along.vector, strict=True)])
    if isinstance(along, InSpace):
        return np.tile(given, (len(run), 1))
    if isinstance(along, OnBody):
        own = system.layout.X_WB[along.body][:3, :3].T @ given
        return geo.transform_vectors(pose_over(system, run, along.body), own)
    return _toward(place_over(system, run, along.start), place_over(system, run, along.end))


def _toward(start: Array, end: Array) -> Array:
    """Unit vectors from one place to another; none where they meet, as dynamics has it."""
    way = end - start
    size = length(way)[:, None]
    return np.divide(way, size, out=np.zeros_like(way), where=size > 0.0)
