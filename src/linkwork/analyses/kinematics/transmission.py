"""How well a coupler drives its output link: transmission and pressure angles.

The coupler is a two-force member: it pushes along its own line. The transmission angle mu is the angle between that
line and the driven link, the pressure angle its complement, between the line and the way the driven point can go.
mu = 90 deg is best; at 0, a toggle, no push moves the driven link. Shapes (..., 3) and (...), over leading dimensions.
Alt, Der Übertragungswinkel, Werkstattstechnik 26 (1932); Uicker, Pennock, Shigley, Theory of Machines and Mechanisms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.geometry.types import Array, ArrayLike, Bools
from linkwork.geometry.vectors import as_vectors, dot, length, unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results import Panels, Run
    from linkwork.results.signals import Units

DRIVES_WELL = (40.0, 140.0)
"""Degrees of the raw angle between which a coupler drives well, by the common rule."""
CLOSES = 1e-12
"""Part of the longest link by which lengths may miss closing before that is an error: rounding."""


@dataclass(frozen=True)
class TransmissionAngle:
    """Angle between coupler and output link [rad]: `raw` in [0, pi], `folded` min(raw, pi - raw) in [0, pi/2].

    `signed` in (-pi, pi] counts from coupler to output link about the axis: its sign tells the way of assembly.
    `run` is the run of which it was asked, None where it was made from arrays.
    """

    raw: Array
    folded: Array
    signed: Array
    run: Run | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        low, high = (math.degrees(float(x)) for x in (np.min(self.raw), np.max(self.raw)))
        worst = math.degrees(float(np.min(self.folded)))
        count = "1 sample" if np.size(self.raw) == 1 else f"{np.size(self.raw)} samples"
        return f"TransmissionAngle: {count}\n  {low:.4g} to {high:.4g} deg, folded at worst {worst:.4g} deg"

    def plot(self, *, x: str = "time", units: Units = None, ax: Axes | Sequence[Axes] | None = None) -> Panels:
        """Plot the raw angle, with the range from 40 to 140 degrees in which a coupler drives well.

        Parameters
        ----------
        x : the signal of the run to plot over; samples are counted where there is no run
        units : units to show; without, degrees
        ax : axes to draw into; a new figure without
        """
        from linkwork.analyses.kinematics.plot_units import DEGREES, abscissa
        from linkwork.results.plots import Band, Plot, Quantity, Series, Showing, describe_over

        raw = Quantity("transmission angle", "rad", np.ravel(self.raw))
        over = abscissa(self.run, x, len(raw.values))
        (panel,) = describe_over([Series([raw], over)], units=units, default=DEGREES).panels
        ends = Quantity("transmission angle", "rad", np.radians(DRIVES_WELL))
        low, high = Showing(units, [raw, over], DEGREES)(ends).values
        band = Band(float(low), float(high), "drives well: 40° to 140°", tint=2)
        title = f"{self.run.name}: transmission angle" if self.run is not None else "transmission angle"
        return Plot((replace(panel, bands=(band,)),), title).draw(ax)


def transmission_angle(
    coupler_pin: ArrayLike, joint: ArrayLike, pivot: ArrayLike, axis: ArrayLike
) -> TransmissionAngle:
    """The angle at `joint` between the lines to the coupler's other pin and to the output's pivot, across `axis`.

    Parameters
    ----------
    coupler_pin : pin between input and coupler, world [m]
    joint : pin between coupler and output; pivot : of the output link on ground
    axis : direction of the pins, of any length; places along it do not matter
    """
    n = unit(axis, "axis")
    at = as_vectors(joint, "joint")
    rod, link = (_flat(as_vectors(p, name) - at, n) for p, name in ((coupler_pin, "coupler_pin"), (pivot, "pivot")))
    _require_lengths({"coupler": rod, "output": link})
    signed = np.arctan2(dot(n, np.cross(rod, link)), dot(rod, link))
    raw = np.abs(signed)
    return TransmissionAngle(raw, _folded(raw), signed)


def four_bar_transmission(
    ground: ArrayLike, input: ArrayLike, coupler: ArrayLike, output: ArrayLike, angle: ArrayLike
) -> Array:
    """Raw transmission angle [rad] of a planar four-bar at an input angle: law of cosines over the diagonal.

    d^2 = g^2 + a^2 - 2 g a cos(angle),  cos mu = (h^2 + b^2 - d^2) / (2 h b).

    Parameters
    ----------
    ground, input, coupler, output : lengths between pins, one unit, arrays that broadcast
    angle : of the input from the ground line [rad]; one that cannot be reached is an error
    """
    g, a, h, b = _lengths(ground, input, coupler, output)
    t = np.asarray(angle, dtype=np.float64)
    # (g - a)^2 + 4 g a sin^2 keeps the digits of a small diagonal.
    d = np.sqrt((g - a) ** 2 + 4.0 * g * a * np.sin(0.5 * t) ** 2)
    slip = CLOSES * np.maximum(np.maximum(g, a), np.maximum(h, b))
    out = (d > h + b + slip) | (d < np.abs(h - b) - slip)
    if np.any(out):
        what = f"{int(np.sum(out))} of {out.size} input angles cannot be reached"
        raise InputError(Problem(what, "angle", "ask grashof(...).input_ranges for those that can"))
    return _corner(h, b, d)


@dataclass(frozen=True)
class TransmissionExtremes:
    """Over the whole motion: raw angles from `lowest` to `highest`; folded from `worst` to `best` [rad]."""

    lowest: Array
    highest: Array
    worst: Array
    best: Array


def transmission_extremes(
    ground: ArrayLike, input: ArrayLike, coupler: ArrayLike, output: ArrayLike
) -> TransmissionExtremes:
    """Extreme transmission angles of planar four-bars, at input 0 and pi where these can be reached, else at a toggle.

    The diagonal runs from max(|g - a|, |h - b|) to min(g + a, h + b).

    Parameters
    ----------
    ground, input, coupler, output : lengths between pins, one unit, arrays that broadcast
    """
    g, a, h, b = _lengths(ground, input, coupler, output)
    low = np.maximum(np.abs(g - a), np.abs(h - b))
    high = np.minimum(g + a, h + b)
    open_ = high < low - CLOSES * np.maximum(np.maximum(g, a), np.maximum(h, b))
    if np.any(open_):
        what = f"{int(np.sum(open_))} of {open_.size} four-bars cannot be closed"
        raise InputError(Problem(what, "links", "the longest link must be shorter than the other three together"))
    return _extremes(_corner(h, b, low), _corner(h, b, high))


def slider_transmission_extremes(crank: ArrayLike, rod: ArrayLike, offset: ArrayLike = 0.0) -> TransmissionExtremes:
    """Extreme transmission angles of slider-cranks, between the rod and the line across the slide.

    cos mu = (a sin t - e) / c, so that raw runs from acos(min(1, (a - e)/c)) to acos(max(-1, -(a + e)/c)).

    Parameters
    ----------
    crank, rod : lengths between pins; offset : of the slider pin's path from the crank's centre; arrays that broadcast
    """
    a, c = _positive({"crank": crank, "rod": rod})
    e = np.asarray(offset, dtype=np.float64)
    if not np.isfinite(e).all() or np.any(np.abs(e) > a + c):
        hint = "the offset must be less than crank and rod together"
        raise InputError(Problem("some slider-cranks cannot be closed", "offset", hint))
    return _extremes(np.arccos(np.clip((a - e) / c, -1.0, 1.0)), np.arccos(np.clip(-(a + e) / c, -1.0, 1.0)))


# --- in space ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RodTransmission:
    """Angles of a rod between two joints [rad]: pressure in [0, pi/2], transmission = pi/2 - pressure.

    `exists` is false where the driven point has no direction to go: transmission is 0 there.
    """

    transmission: Array
    pressure: Array
    exists: Bools


def rod_transmission(driving: ArrayLike, driven: ArrayLike, direction: ArrayLike) -> RodTransmission:
    """Angles between a two-force rod and the way of its driven end: cos(pressure) = |u . t|, as for RSSR.

    Parameters
    ----------
    driving, driven : places of the rod's two ends, world [m]
    direction : in which the driven end can go, of any length: its velocity or, also at rest, `lever_direction`
    """
    u = as_vectors(driven, "driven") - as_vectors(driving, "driving")
    t = as_vectors(direction, "direction")
    _require_lengths({"rod": u})
    if not np.isfinite(t).all():
        raise InputError(Problem("the direction is not finite", "direction", "leave those samples out"))
    along, across = np.abs(dot(u, t)), length(np.cross(u, t))
    exists = np.broadcast_to(length(t) > 0.0, along.shape)
    transmission = np.where(exists, np.arctan2(along, across), 0.0)
    return RodTransmission(transmission, 0.5 * math.pi - transmission, exists)


def lever_direction(axis: ArrayLike, pivot: ArrayLike, point: ArrayLike) -> Array:
    """The way a point of a lever goes when it turns: axis x (point - pivot), not of unit length.

    Parameters
    ----------
    axis : unit direction of the lever's bearing; pivot : any point of it; point : of the lever, world [m]
    """
    return np.cross(unit(axis, "axis"), as_vectors(point, "point") - as_vectors(pivot, "pivot"))


# --- small helpers ----------------------------------------------------------------------------------------------------


def _flat(v: Array, n: Array) -> Array:
    return v - dot(v, n)[..., None] * n


def _folded(raw: Array) -> Array:
    return np.minimum(raw, math.pi - raw)


def _corner(x: Array, y: Array, opposite: Array) -> Array:
    """Angle between sides x, y, safe near 0 and pi.

    tan(angle/2)^2 = (d - x + y)(d + x - y) / ((x + y + d)(x + y - d)).
    """
    top = np.maximum((opposite - x + y) * (opposite + x - y), 0.0)
    bottom = np.maximum((x + y + opposite) * (x + y - opposite), 0.0)
    return np.asarray(2.0 * np.arctan2(np.sqrt(top), np.sqrt(bottom)))


def _extremes(lowest: Array, highest: Array) -> TransmissionExtremes:
    worst = np.minimum(_folded(lowest), _folded(highest))
    square = (lowest <= 0.5 * math.pi) & (highest >= 0.5 * math.pi)
    best = np.where(square, 0.5 * math.pi, np.maximum(_folded(lowest), _folded(highest)))
    return TransmissionExtremes(lowest, highest, worst, best)


def _lengths(ground: ArrayLike, input: ArrayLike, coupler: ArrayLike, output: ArrayLike) -> list[Array]:
    return _positive({"ground": ground, "input": input, "coupler": coupler, "output": output})


def _positive(links: dict[str, ArrayLike]) -> list[Array]:
    arrays = {name: np.asarray(value, dtype=np.float64) for name, value in links.items()}
    problems = [
        Problem(f"a length of the {name} is not a positive number", name, "give positive, finite lengths")
        for name, x in arrays.items()
        if not np.all(np.isfinite(x) & (x > 0.0))
    ]
    if problems:
        raise InputError(problems)
    return list(np.broadcast_arrays(*arrays.values()))


def _require_lengths(links: dict[str, Array]) -> None:
    problems = []
    for name, v in links.items():
        if not np.isfinite(v).all():
            problems.append(Problem(f"the ends of the {name} are not finite", name, "leave those samples out"))
        elif np.any(length(v) == 0.0):
            problems.append(Problem(f"the {name} has length 0", name, "give two different places, not along the axis"))
    if problems:
        raise InputError(problems)
