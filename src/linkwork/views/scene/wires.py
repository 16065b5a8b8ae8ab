"""Round wire along a path: the coils of springs, spirals about a pin, curved arrows."""

from __future__ import annotations

import math

import numpy as np

from linkwork.geometry import Array
from linkwork.views.scene.parts import Mesh
from linkwork.views.scene.shapes import circle, cone, fan, joined, pose_along, skin

SIDES = 6
PER_TURN = 14
LEAD = 0.1
"""Part of a coil's length that is straight at either end."""


def wire(path: Array, radius: float, sides: int = SIDES) -> Mesh:
    """A round wire along a path.

    Its sections are turned as little as possible from one to the next, so that it is not twisted.

    Parameters
    ----------
    path : (n, 3) [m]
    radius : of the wire [m]
    sides : of its section
    """
    steps = np.diff(path, axis=0)
    ways = np.vstack([steps[:1], steps[:-1] + steps[1:], steps[-1:]])
    ways = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    across = pose_along(path[0], ways[0])[:3, 0]
    rows = np.empty((len(path), sides, 3))
    round_ = radius * circle(sides)
    for i, way in enumerate(ways):
        across = across - (across @ way) * way
        across = across / math.sqrt(float(across @ across))
        rows[i] = path[i] + round_ @ np.stack([across, np.cross(way, across)])
    return skin(rows, fan(sides))


def coil_path(length: float, radius: float, turns: int) -> Array:
    """A helix about z from (0, 0, 0) to (0, 0, length), with straight ends on its axis.

    Parameters
    ----------
    length : [m]
    radius : [m]
    turns : of the helix
    """
    n = turns * PER_TURN
    s = np.linspace(0.0, 1.0, n + 1)
    # The radius grows within half a turn from the axis, and shrinks again.
    r = radius * np.clip(2.0 * turns * np.minimum(s, 1.0 - s), 0.0, 1.0)
    angle = 2.0 * math.pi * turns * s
    z = length * (LEAD + (1.0 - 2.0 * LEAD) * s)
    helix = np.column_stack([r * np.cos(angle), r * np.sin(angle), z])
    return np.vstack([[0.0, 0.0, 0.0], helix, [0.0, 0.0, length]])


def spiral_path(inner: float, outer: float, turns: float) -> Array:
    """A flat spiral about z in the plane z = 0.

    Parameters
    ----------
    inner, outer : radii of its ends [m]
    turns : of the spiral
    """
    s = np.linspace(0.0, 1.0, math.ceil(turns * 2 * PER_TURN) + 1)
    r, angle = inner + (outer - inner) * s, 2.0 * math.pi * turns * s
    return np.column_stack([r * np.cos(angle), r * np.sin(angle), np.zeros_like(s)])


def arc_path(radius: float, angle: float) -> Array:
    """Part of a circle about z, from x on.

    Parameters
    ----------
    radius : [m]
    angle : how far [rad], the right-handed way where positive
    """
    t = np.linspace(0.0, angle, max(4, math.ceil(abs(angle) / math.pi * 2 * PER_TURN)))
    return radius * np.column_stack([np.cos(t), np.sin(t), np.zeros_like(t)])


def curved_arrow(radius: float, angle: float, thickness: float) -> Mesh:
    """An arrow along part of a circle about z.

    Parameters
    ----------
    radius : of the circle [m]
    angle : how far [rad], its head included
    thickness : radius of the shaft [m]
    """
    head = 6.0 * thickness
    path = arc_path(radius, angle - math.copysign(head / radius, angle))
    way = np.cross([0.0, 0.0, math.copysign(1.0, angle)], path[-1])
    return joined([wire(path, thickness), cone(2.4 * thickness, head).moved(pose_along(path[-1], way))])
