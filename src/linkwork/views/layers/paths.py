"""Lines of a motion: traces of points, centrodes, and the axes about which bodies turn at each instant."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.machine import Machine
from linkwork.errors import ModelError
from linkwork.geometry import Array
from linkwork.results import Run
from linkwork.views.layers.parts import Curve, Layer, Segments

REACH = 3.0
"""Poles farther away than this many sizes of the machine are not drawn: they run to infinity."""
HALF_AXIS = 0.3
"""Half the length of a drawn screw axis, in parts of the machine's size."""


def trace_layer(s: Machine, run: Run) -> Layer | None:
    """The path of every point that moves."""
    curves = []
    for i, (name, point) in enumerate(s.mechanism.points.items()):
        places = run.signal(f"{name}.position").values
        if point.body != s.mechanism.ground.name and _extent(places) > 0.0:
            curves.append(Curve(name, s.mechanism.ground.name, _in_ground(s, places), i))
    return Layer("traces", "traces of points", tuple(curves)) if curves else None


def screw_layer(s: Machine, run: Run) -> Layer | None:
    """The instantaneous screw axis of every body that turns."""
    pieces = []
    for body in s.bodies:
        motion = s.screw(run, body)
        if motion.turning.any():
            reach = HALF_AXIS * s.layout.size * motion.direction
            near = (
                np.linalg.norm(motion.point, axis=1)
                < REACH * s.layout.size + np.linalg.norm(motion.point, axis=1).min()
            )
            seen = motion.turning & near
            ends = np.stack([motion.point - reach, motion.point + reach], axis=1)
            pieces.append(np.where(seen[:, None, None], ends, np.nan))
    if not pieces:
        return None
    segments = Segments("axes", np.stack(pieces, axis=1), "ink", arrows=False)
    return Layer(
        "screws", "screw axes", segments=(segments,), legend="the axis about which each body turns at this instant"
    )


def centrode_layer(s: Machine, run: Run) -> Layer | None:
    """Fixed and moving centrode of bodies in planar motion that are not pivoted on ground."""
    ground = s.mechanism.ground.name
    pivoted = {b for j in s.mechanism.joints.values() for b in (j.tail, j.head) if ground in (j.tail, j.head)}
    curves = []
    for i, body in enumerate(b for b in s.bodies if b not in pivoted):
        try:
            found = s.centrodes(run, body)
        except ModelError:  # it does not move in a plane
            continue
        for name, carrier, points in (("fixed", ground, found.fixed), ("moving", body, found.moving)):
            kept = _near(points, s.layout.size)
            if _extent(kept) > 1e-6 * s.layout.size:
                curves.append(Curve(f"{body}-{name}", carrier, kept, 2 * i + (name == "moving")))
    legend = "the moving centrode rolls on the fixed one; poles far away are left out"
    return Layer("centrodes", "centrodes", tuple(curves), legend=legend) if curves else None


def _extent(points: Array) -> float:
    good = points[np.isfinite(points).all(axis=1)]
    return float(np.ptp(good, axis=0).max()) if len(good) else 0.0


def _near(points: Array, size: float) -> Array:
    """Points with gaps where the pole is far away or there is none."""
    kept = np.where(np.isfinite(points), points, np.nan)
    middle = np.nanmedian(kept, axis=0) if np.isfinite(kept).any() else np.zeros(3)
    far = ~(np.linalg.norm(kept - middle, axis=1) < REACH * size)
    kept[far] = np.nan
    return kept


def _in_ground(s: Machine, places: Array) -> Array:
    X = s.layout.X_WB[s.mechanism.ground.name]
    own: Array = (places - X[:3, 3]) @ X[:3, :3]
    return own
