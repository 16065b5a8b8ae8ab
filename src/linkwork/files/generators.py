"""Machines of any size, made by rule: for the gallery, for benchmarks, and as a start for one's own."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork import geometry as geo
from linkwork.errors import ModelError, Problem
from linkwork.geometry import Array
from linkwork.model.mechanism import Mechanism
from linkwork.model.placement import placement
from linkwork.model.vectors import numbers, positive, vector

GRAVITY = 9.81

# Joint angles of the usual platform: pairs close together below, pairs close together above, turned by 60 degrees.
BASE_ANGLES = tuple(float(a) for a in np.radians([-10, 10, 110, 130, 230, 250]))
PLATFORM_ANGLES = tuple(float(a) for a in np.radians([-50, 50, 70, 170, 190, 290]))


def n_four_bar(n: int = 40) -> Mechanism:
    """A row of `n` square four-bars side by side: the IFToMM benchmark "N four-bar mechanism".

    Uniform rods of 1 m and 1 kg stand upright on ground pins A0 ... An; couplers join their tops B0 ... Bn.
    The machine has n loops, one freedom and 3 n redundant constraints. Lying flat it would have n + 1 freedoms.

    Parameters
    ----------
    n : number of four-bars; the benchmark takes 40
    """
    count = _count(n)
    m = Mechanism("n-four-bar", gravity=(0.0, -GRAVITY, 0.0), description=f"{count} square four-bars side by side")
    slender = 1.0 / 12.0
    for i in range(count + 1):
        m.body(f"upright{i}", mass=1.0, com=(i, 0.5, 0), inertia=(slender, 0, slender))
    for i in range(1, count + 1):
        m.body(f"coupler{i}", mass=1.0, com=(i - 0.5, 1, 0), inertia=(0, slender, slender))
    for i in range(count + 1):
        m.revolute(f"A{i}", m.ground, f"upright{i}", at=(i, 0, 0), axis="z")
    for i in range(1, count + 1):
        m.revolute(f"L{i}", f"upright{i - 1}", f"coupler{i}", at=(i - 1, 1, 0), axis="z")
        m.revolute(f"R{i}", f"coupler{i}", f"upright{i}", at=(i, 1, 0), axis="z")
    for i in range(count + 1):
        m.point(f"B{i}", f"upright{i}", (i, 1, 0))
    return m


def stewart_platform(
    base_radius: float = 1.0,
    base_angles: Any = BASE_ANGLES,
    platform_radius: float = 0.6,
    platform_angles: Any = PLATFORM_ANGLES,
    *,
    position: Any = (0.0, 0.0, 0.9),
    rotation: Any = None,
    platform_mass: float = 10.0,
    platform_inertia: Any = (0.8, 0.8, 1.5),
    lower_mass: float = 1.5,
    lower_com: float = 0.25,
    lower_inertia: float = 0.04,
    upper_mass: float = 1.0,
    upper_com: float = 0.25,
    upper_inertia: float = 0.03,
) -> Mechanism:
    """A Stewart (Gough) platform: six legs, each a universal joint below, a slider, and a ball above (6-UPS).

    Leg 1 has the bodies `lower1` and `upper1` and the joints U1, P1, S1; `P1.slide` is its length. The layout
    posture is the given pose. Leg parts are thin: they have no inertia about their own line.

    Parameters
    ----------
    base_radius : radius of the circle of the base joints [m]
    base_angles : six angles of the base joints on their circle [rad]
    platform_radius : radius of the circle of the platform joints [m]
    platform_angles : six angles of the platform joints on their circle, in the platform's frame [rad]
    position : origin of the platform's frame, the centre of its joint circle [m]
    rotation : 3x3 rotation of the platform's frame; upright by default
    platform_mass : mass of the platform [kg], centred on its frame
    platform_inertia : inertia of the platform in its frame [kg m^2]
    lower_mass : mass of a leg's lower part [kg]
    lower_com : distance of its centre of mass from the base joint [m]
    lower_inertia : its inertia across the leg [kg m^2]
    upper_mass : mass of a leg's upper part [kg]
    upper_com : distance of its centre of mass from the platform joint [m]
    upper_inertia : its inertia across the leg [kg m^2]
    """
    base = _on_circle(positive(base_radius, "base_radius"), base_angles, "base_angles")
    own = _on_circle(positive(platform_radius, "platform_radius"), platform_angles, "platform_angles")
    centre = np.array(vector(position, "position"))
    turn = np.eye(3) if rotation is None else np.array(rotation, dtype=np.float64)
    if not geo.is_rotation(turn, 1e-6):
        raise ModelError(Problem("it is not a rotation", "rotation", "give a 3x3 rotation matrix"))
    top = own @ turn.T + centre

    m = Mechanism("stewart-platform", gravity=(0.0, 0.0, -GRAVITY), description="a 6-UPS platform")
    axes = {} if rotation is None else {"matrix": turn.tolist()}
    m.body(
        "platform",
        mass=platform_mass,
        com=(0, 0, 0),
        inertia=platform_inertia,
        frame=placement(_floats(centre), **axes),
    )
    legs = [(i, *_leg(b, p, i)) for i, (b, p) in enumerate(zip(base, top, strict=True), 1)]
    for i, foot, head, along, _, _, _ in legs:
        lower = (lower_inertia, lower_inertia, 0.0)
        upper = (upper_inertia, upper_inertia, 0.0)
        m.body(f"lower{i}", mass=lower_mass, com=(0, 0, lower_com), inertia=lower, frame=placement(foot, axis=along))
        m.body(f"upper{i}", mass=upper_mass, com=(0, 0, -upper_com), inertia=upper, frame=placement(head, axis=along))
    for i, foot, head, along, first, second, length in legs:
        m.universal(f"U{i}", m.ground, f"lower{i}", at=foot, axes=(first, second))
        m.prismatic(f"P{i}", f"lower{i}", f"upper{i}", at=foot, axis=along, value=length)
        m.spheric(f"S{i}", f"upper{i}", "platform", at=head)
    m.point("C", "platform", _floats(centre))
    return m


def chain(n: int) -> Mechanism:
    """A serial chain of `n` equal links along x that turn about z and y by turns: a benchmark of tree depth.

    Links are uniform square bars of 0.2 m and 1 kg; joint Ji carries link i. The point `tip` ends the chain.

    Parameters
    ----------
    n : number of links
    """
    count = _count(n)
    length, width = 0.2, 0.02
    thin, thick = width**2 / 6, (length**2 + width**2) / 12
    m = Mechanism("chain", gravity=(0.0, 0.0, -GRAVITY), description=f"a chain of {count} links with alternating axes")
    for i in range(1, count + 1):
        m.body(f"link{i}", mass=1.0, com=((i - 0.5) * length, 0, 0), inertia=(thin, thick, thick))
    for i in range(1, count + 1):
        before = m.ground if i == 1 else m.bodies[f"link{i - 1}"]
        m.revolute(f"J{i}", before, f"link{i}", at=((i - 1) * length, 0, 0), axis="z" if i % 2 else "y")
    m.point("tip", f"link{count}", (count * length, 0, 0))
    return m


def _count(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ModelError(Problem(f"{n!r} is not a number of parts", "n", "write a whole number from 1 on"))
    return int(n)


def _on_circle(radius: float, angles: Any, where: str) -> Array:
    """Six points of a circle about the origin in the plane z = 0."""
    a = np.array(numbers(angles, 6, where))
    return np.column_stack([radius * np.cos(a), radius * np.sin(a), np.zeros(6)])


def _leg(
    foot: Array, head: Array, i: int
) -> tuple[list[float], list[float], list[float], list[float], list[float], float]:
    """Ends of a leg, its direction, the two axes of its universal joint (level, and across), and its length."""
    line = head - foot
    length = float(np.linalg.norm(line))
    level = np.array([-line[1], line[0], 0.0])
    if not np.linalg.norm(level) > 1e-9 * length:
        # An upright leg, or none: any level axis does, unless there is no leg at all.
        if length == 0.0:
            raise ModelError(Problem(f"leg {i} has no length", "position", "raise the platform"))
        level = np.array([0.0, 1.0, 0.0])
    level /= np.linalg.norm(level)
    along = line / length
    return _floats(foot), _floats(head), _floats(along), _floats(level), _floats(np.cross(along, level)), length


def _floats(values: Array) -> list[float]:
    return [float(v) + 0.0 for v in values]
