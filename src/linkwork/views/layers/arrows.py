"""Velocities and accelerations as arrows at the points of a machine, or at its centres of mass if it has no points."""

from __future__ import annotations

from typing import Literal

import numpy as np

from linkwork.analyses.kinematics.relative_motion import body_motion
from linkwork.analyses.machine import Machine
from linkwork.colours import Tint
from linkwork.geometry import Array
from linkwork.results import Run
from linkwork.units import SI, UnitSystem, format_quantity, parse_unit
from linkwork.views.layers.parts import Layer, Segments
from linkwork.views.placed_layout import masses_of

LONGEST = 0.25
"""Length of the longest arrow, in parts of the machine's size."""

Quantity = Literal["velocity", "acceleration"]
TINTS: dict[Quantity, Tint] = {"velocity": 2, "acceleration": 1}
UNITS: dict[Quantity, str] = {"velocity": "m/s", "acceleration": "m/s^2"}


def velocity_layer(s: Machine, run: Run) -> Layer | None:
    """Velocity arrows."""
    return _arrows(s, run, "velocity")


def acceleration_layer(s: Machine, run: Run) -> Layer | None:
    """Acceleration arrows."""
    return _arrows(s, run, "acceleration")


def _arrows(s: Machine, run: Run, quantity: Quantity) -> Layer | None:
    histories = _points(s, run, quantity) or _centres(s, run, quantity)
    if not histories:
        return None
    places, vectors = (np.stack([h[k] for h in histories], axis=1) for k in (0, 1))
    sizes = np.linalg.norm(vectors, axis=2)
    largest = float(np.nanmax(np.where(np.isfinite(sizes), sizes, np.nan), initial=0.0))
    if not largest > 0.0:
        return None
    ends = np.stack([places, places + vectors * (LONGEST * s.layout.size / largest)], axis=2)
    units = SI if s.mechanism.source is None else s.mechanism.source.units
    legend = f"the longest arrow is {_shown(largest, quantity, units)}"
    return Layer(quantity, f"{quantity} arrows", segments=(Segments("arrows", ends, TINTS[quantity]),), legend=legend)


def _shown(value: float, quantity: Quantity, units: UnitSystem) -> str:
    return format_quantity(value, parse_unit(UNITS[quantity])[1], units, 3)


def _points(s: Machine, run: Run, quantity: Quantity) -> list[tuple[Array, Array]]:
    """Places and vectors of the points that ride on moving bodies."""
    moving = [p for p, point in s.mechanism.points.items() if point.body != s.mechanism.ground.name]
    return [(run.signal(f"{p}.position").values, run.signal(f"{p}.{quantity}").values) for p in moving]


def _centres(s: Machine, run: Run, quantity: Quantity) -> list[tuple[Array, Array]]:
    """Of the bodies' centres of mass: v + w × r, and a + α × r + w × (w × r)."""
    found, masses = [], masses_of(s)
    for body in s.bodies:
        X, V, A = body_motion(s, run, body)
        r = X[:, :3, :3] @ masses[body].com
        about = np.cross(V[:, 3:], r)
        if quantity == "velocity":
            vector = V[:, :3] + about
        else:
            vector = A[:, :3] + np.cross(A[:, 3:], r) + np.cross(V[:, 3:], about)
        found.append((X[:, :3, 3] + r, vector))
    return found
