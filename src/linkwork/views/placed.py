"""A machine's layout at any posture and with any parameters, so that what draws a layout draws every posture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.machine import Machine
from linkwork.geometry import Array
from linkwork.model.layout import Layout, Seat

AXES = ("u", "v", "w")


def layout_at(s: Machine, posture: Posture | None = None) -> Layout:
    """The layout as it would be if the machine had been laid out in a posture, with its parameters.

    Parameters
    ----------
    s : the machine
    posture : one of its postures; home without
    """
    at = s.home if posture is None else posture
    m, known = s.mechanism, s.layout
    X_WB: dict[str, Array] = {m.ground.name: known.X_WB[m.ground.name]}
    X_WB |= {body: at.pose(body) for body in m.bodies if body != m.ground.name}
    seats = {}
    for name, seat in known.seats.items():
        joint = m.joints[name]
        X_TF, X_HM = _frame(s, f"{name}.tail", seat.X_TF), _frame(s, f"{name}.head", seat.X_HM)
        seats[name] = Seat(X_WB[joint.tail] @ X_TF, X_WB[joint.head] @ X_HM, X_TF, X_HM, seat.q)
    points = {name: at.position(name) for name in known.points}
    frames = {name: at.pose(name) for name in known.frames}
    return replace(known, X_WB=X_WB, seats=seats, points=points, frames=frames)


def _frame(s: Machine, place: str, known: Array) -> Array:
    """A joint's frame on a body, by the machine's parameters where they differ from the layout's."""
    names = [[f"{place}.{axis}.{c}" for axis in (*AXES, "at")] for c in "xyz"]
    if names[0][0] not in s.parameters:
        return known
    X = np.eye(4)
    X[:3] = [[s.parameters[n] for n in row] for row in names]
    return X
