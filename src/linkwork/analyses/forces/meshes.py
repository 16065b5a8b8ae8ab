"""Where and along which directions two gears press on each other, over a run, and how their tooth force splits.

The joints of gears roll without slip, so that the moment mz on the second gear about its axis tells the tangential
force F_t at the pitch point; the others follow from the angles of the teeth (Shigley, Mechanical Engineering Design,
ch. 13):

    gears, rack    radial |F_t| tan α', axial F_t tan β'
    bevel gears    radial |F_t| tan α cos γ', axial |F_t| tan α sin γ' on the second gear

with transverse pressure angle α' at the working centre distance C, cos α' = (R + R') cos α / C, helix angle β' there,
tan β' = tan β C / (R + R'), and cone half angle γ'. In terms of the normal pressure angle, tan α = tan α_n / cos β.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork import geometry as geo
from linkwork.analyses.strength.acting_forces import joint_frame_over
from linkwork.errors import ModelError, Problem
from linkwork.geometry import Array
from linkwork.model.joints import Bevel, Gear, Law, Rack
from linkwork.system import System

if TYPE_CHECKING:
    from linkwork.results import Run

MESHING = (Gear, Rack, Bevel)


@dataclass(frozen=True, eq=False)
class Mesh:
    """A mesh over a run; all directions are unit vectors (samples, 3) along the axes of the world.

    X_WM : pose of the joint's frame on the second gear; point : the pitch point [m]
    tangent : of the pitch surfaces; outward : across, out of the mesh for the second gear; axis : of the second gear
    arm : signed pitch radius (samples,) [m] of the second gear: F_t = -mz / arm
    separating, lifting : radial over |F_t| of the second and of the first gear
    twisting : axial over F_t of a helix; thrust : axial over |F_t| of cones, on the second and on the first gear
    carrying : the sign of F_t that presses with flank +1
    """

    X_WM: Array
    point: Array
    tangent: Array
    outward: Array
    axis: Array
    arm: Array
    separating: tuple[Array, Array]
    twisting: Array
    thrust: tuple[Array, Array]
    carrying: float


def law_over(system: System, joint: str) -> Law:
    """The law of a joint with the numbers of this system."""
    law = system.mechanism.joints[joint].law
    return law.with_numbers({name: system.parameters[f"{joint}.{name}"] for name in law.numbers()})


def mesh_over(system: System, run: Run, joint: str, pressure_angle: float, radius: float) -> Mesh:
    """The mesh of a gear, rack or bevel joint over a run.

    pressure_angle, radius : of bevel gears, [rad] and mean pitch radius of the first [m]; others have their own
    """
    law = law_over(system, joint)
    X_WF = joint_frame_over(system, run, joint, "tail")
    X_WM = joint_frame_over(system, run, joint, "head")
    if isinstance(law, Gear):
        return _gears(law, run, joint, X_WF, X_WM)
    if isinstance(law, Rack):
        return _rack(law, X_WF, X_WM)
    assert isinstance(law, Bevel)
    return _bevels(law, run, joint, X_WF, X_WM, pressure_angle, radius)


def _gears(law: Gear, run: Run, joint: str, X_WF: Array, X_WM: Array) -> Mesh:
    angle, nominal = run.signal(f"{joint}.angle").values, law.radius + law.mate
    centre = nominal + run.signal(f"{joint}.stretch").values
    inward = 1.0 if law.radius * law.mate > 0.0 else -1.0  # an inner gear is pressed away from its ring
    # From the first to the second centre, across it, and along both axes: the axes of the mesh.
    across = geo.transform_vectors(X_WF, np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=-1))
    axis = X_WF[:, :3, 2]
    tangent = np.cross(axis, across)
    arm = law.mate * centre / nominal
    separating = np.tan(_working_angle(law, centre, joint))
    twisting = np.tan(law.helix_angle) * centre / nominal
    none = np.zeros_like(arm)
    point = X_WM[:, :3, 3] - arm[:, None] * across
    return Mesh(
        X_WM, point, tangent, inward * across, axis, arm, (separating, separating), twisting, (none, none), inward
    )


def _working_angle(law: Gear, centre: Array, joint: str) -> Array:
    """Transverse pressure angle at the centre distance that the gears have [rad]."""
    cosine = (law.radius + law.mate) * np.cos(law.pressure_angle) / centre
    if np.any(np.abs(cosine) > 1.0):
        nearest = float(np.nanmin(centre))
        text = f"the centre distance falls to {nearest:.6g} m, where involute teeth jam"
        raise ModelError(Problem(text, joint, "check the centres and the radii"))
    angle: Array = np.arccos(cosine)
    return angle


def _rack(law: Rack, X_WF: Array, X_WM: Array) -> Mesh:
    side = 1.0 if law.radius > 0.0 else -1.0
    tangent, across, axis = (X_WF[:, :3, k] for k in range(3))
    flat = np.ones(len(X_WF))
    point = X_WM[:, :3, 3] - law.radius * across
    slope = np.tan(law.pressure_angle) * flat
    return Mesh(
        X_WM, point, tangent, side * across, axis, -law.radius * flat, (slope, slope), -np.tan(law.helix_angle) * flat,
        (0.0 * flat, 0.0 * flat), -side,
    )  # fmt: skip


def _bevels(law: Bevel, run: Run, joint: str, X_WF: Array, X_WM: Array, pressure_angle: float, radius: float) -> Mesh:
    """The pitch line lies along w + ρ w', at the angle γ from the first axis and γ' from the second."""
    angle = run.signal(f"{joint}.angle").values
    shafts = law.cone + law.mate + run.signal(f"{joint}.spread").values
    first = np.arctan2(np.sin(law.cone) * np.sin(shafts), np.sin(law.mate) + np.sin(law.cone) * np.cos(shafts))
    second = shafts - first
    inward = 1.0 if law.cone * law.mate > 0.0 else -1.0
    apex = radius / abs(np.sin(law.cone))
    tangent = geo.transform_vectors(X_WF, np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=-1))
    w, axis = X_WF[:, :3, 2], X_WM[:, :3, 2]
    aside = np.cross(tangent, w)  # from the first axis towards the second
    line = np.cos(first)[:, None] * w + np.sin(first)[:, None] * aside
    outward = -(line - np.cos(second)[:, None] * axis) / np.sin(second)[:, None]
    slope = np.tan(pressure_angle)
    return Mesh(
        X_WM, X_WM[:, :3, 3] + apex * line, tangent, inward * outward, axis, apex * np.sin(second),
        (slope * np.cos(second), slope * np.cos(first)), np.zeros_like(second),
        (inward * slope * np.sin(second), inward * slope * np.sin(first)), inward,
    )  # fmt: skip
