"""What a run tells about two bodies: instantaneous screw, centrodes, pole, and transmission angles of four-bars."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork import geometry as geo
from linkwork.analyses.kinematics.four_bars import FourBar, four_bars
from linkwork.analyses.kinematics.screw_motion import (
    Centrodes,
    PoleMotion,
    ScrewMotion,
    centrodes,
    pole_motion,
    relative_screw,
)
from linkwork.analyses.kinematics.transmission import TransmissionAngle, transmission_angle
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.names import no_such
from linkwork.system import System

if TYPE_CHECKING:
    from linkwork.results import Run


def body_motion(system: System, run: Run, name: str) -> tuple[Array, Array, Array]:
    """Poses (samples, 4, 4), twists and accelerations (samples, 6) of a body or frame over a run."""
    if name == system.mechanism.ground.name:
        X = np.tile(system.layout.X_WB[name], (len(run), 1, 1))
        return X, np.zeros((len(run), 6)), np.zeros((len(run), 6))
    known = [*system.bodies, *system.mechanism.frames]
    if name not in known or f"{name}.rotation" not in run.arrays:
        raise InputError(no_such("body or frame", name, [*known, system.mechanism.ground.name]), system.name)
    parts = {
        key: np.asarray(run.arrays[f"{name}.{key}"].values)
        for key in ("position", "rotation", "velocity", "angular_velocity", "acceleration", "angular_acceleration")
    }
    X = np.zeros((len(run), 4, 4))
    X[:, :3, :3], X[:, :3, 3], X[:, 3, 3] = parts["rotation"], parts["position"], 1.0
    V = np.concatenate([parts["velocity"], parts["angular_velocity"]], axis=1)
    return X, V, np.concatenate([parts["acceleration"], parts["angular_acceleration"]], axis=1)


def screw_over(system: System, run: Run, body: str, seen_from: str) -> ScrewMotion:
    """Instantaneous screws and axodes of a body over a run."""
    (X_A, V_A, _), (X_B, V_B, _) = body_motion(system, run, seen_from), body_motion(system, run, body)
    return replace(relative_screw(X_A, V_A, X_B, V_B, system.layout.size), run=run)


def centrodes_over(system: System, run: Run, body: str, seen_from: str, normal: Array | None) -> Centrodes:
    """Instant centres and centrodes of a body over a run."""
    (X_A, V_A, _), (X_B, V_B, _) = body_motion(system, run, seen_from), body_motion(system, run, body)
    return replace(centrodes(X_A, V_A, X_B, V_B, system.layout.size, normal), run=run)


def pole_over(system: System, run: Run, body: str, seen_from: str, normal: Array | None) -> PoleMotion:
    """Pole velocity and inflection circle of a body over a run."""
    A, B = body_motion(system, run, seen_from), body_motion(system, run, body)
    return replace(pole_motion(*A, *B, system.layout.size, normal), run=run)


def joint_places(system: System, run: Run, joint: str, body: str) -> Array:
    """Places of a joint's frame on one of its bodies over a run, (samples, 3)."""
    side = "tail" if system.mechanism.joints[joint].tail == body else "head"
    at = np.array([system.parameters[f"{joint}.{side}.at.{c}"] for c in "xyz"])
    X, _, _ = body_motion(system, run, body)
    places: Array = geo.transform_points(X, at)
    return places


def transmission_over(system: System, run: Run, output: str) -> TransmissionAngle:
    """Transmission angles over a run of the four-bar whose output body is named, or of the only one there is."""
    found = [f for f in four_bars(system.mechanism, system.layout, system.topology) if f.kind == "four-bar"]
    chosen = [f for f in found if f.output == output] if output else found
    if len(chosen) != 1:
        outputs = [f.output for f in found]
        text = f"{len(chosen)} planar four-bars" + (f" with output '{output}'" if output else "")
        hint = f"say output= one of: {', '.join(outputs)}" if outputs else "the machine has no planar four-bar"
        raise InputError(Problem(text, hint=hint), system.name)
    bar: FourBar = chosen[0]
    first, second, third = (name.partition("+")[0] for name in bar.joints[1:])
    axis = body_motion(system, run, bar.ground)[0][:, :3, :3] @ _own_axis(system, bar)
    angle = transmission_angle(
        _place(system, run, first, bar.coupler), _place(system, run, second, bar.output),
        _place(system, run, third, bar.output), axis,
    )  # fmt: skip
    return replace(angle, run=run)


def _own_axis(system: System, bar: FourBar) -> Array:
    """Axis of the pins along the ground link's own axes."""
    axis: Array = system.layout.X_WB[bar.ground][:3, :3].T @ bar.axis
    return axis


def _place(system: System, run: Run, joint: str, body: str) -> Array:
    ends = system.mechanism.joints[joint]
    return joint_places(system, run, joint, body if body in (ends.tail, ends.head) else ends.head)
