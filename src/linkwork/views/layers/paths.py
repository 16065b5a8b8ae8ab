"""Lines of a motion: traces of points, centrodes, and the axes about which bodies turn at each instant."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.relative_motion import body_motion
from linkwork.analyses.kinematics.screw_motion import centrodes, relative_screw
from linkwork.analyses.machine import Machine
from linkwork.errors import ModelError
from linkwork.geometry import Array
from linkwork.results import Run
from linkwork.views.layers.parts import Curve, Layer, Segments

REACH = 1.0
"""Poles farther from the machine than this many of its sizes are not drawn: they run to infinity."""
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
        good, motions = _against_ground(s, run, body)
        motion = relative_screw(*motions, s.layout.size)
        if not motion.turning.any():
            continue
        reach = HALF_AXIS * s.layout.size * motion.direction
        near = np.linalg.norm(motion.point - _middle(s), axis=1) < 2.0 * REACH * s.layout.size
        ends = np.stack([motion.point - reach, motion.point + reach], axis=1)
        whole = np.full((len(run), 2, 3), np.nan)  # a gap stays a gap
        whole[good] = np.where((motion.turning & near)[:, None, None], ends, np.nan)
        pieces.append(whole)
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
        _, motions = _against_ground(s, run, body)
        try:
            found = centrodes(*motions, s.layout.size)
        except ModelError:  # it does not move in a plane
            continue
        far = ~(np.linalg.norm(found.pole - _middle(s), axis=1) < REACH * s.layout.size)
        for name, carrier, points in (("fixed", ground, found.fixed), ("moving", body, found.moving)):
            kept = np.where(far[:, None], np.nan, points)
            if _extent(kept) > 1e-6 * s.layout.size:
                curves.append(Curve(f"{body}-{name}", carrier, kept, 2 * i + (name == "moving")))
    legend = "the moving centrode rolls on the fixed one; poles far away are left out"
    return Layer("centrodes", "centrodes", tuple(curves), legend=legend) if curves else None


def _extent(points: Array) -> float:
    good = points[np.isfinite(points).all(axis=1)]
    return float(np.ptp(good, axis=0).max()) if len(good) else 0.0


def _against_ground(s: Machine, run: Run, body: str) -> tuple[NDArray[np.bool_], tuple[Array, Array, Array, Array]]:
    """Which samples are finite; at these, pose and twist of ground, then of the body."""
    X, V, _ = body_motion(s, run, body)
    good = np.asarray(np.isfinite(X).all(axis=(1, 2)) & np.isfinite(V).all(axis=1))
    X_G, V_G, _ = body_motion(s, run, s.mechanism.ground.name)
    return good, (X_G[good], V_G[good], X[good], V[good])


def _middle(s: Machine) -> Array:
    """The middle of the joints in the layout."""
    places = [seat.X_WF[:3, 3] for seat in s.layout.seats.values()]
    middle: Array = np.mean(places, axis=0) if places else np.zeros(3)
    return middle


def _in_ground(s: Machine, places: Array) -> Array:
    X = s.layout.X_WB[s.mechanism.ground.name]
    own: Array = (places - X[:3, 3]) @ X[:3, :3]
    return own
