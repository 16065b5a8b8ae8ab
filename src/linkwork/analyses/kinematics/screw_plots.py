"""Plots of what one body does against another: screws, centrodes, poles."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.kinematics.plot_units import DEGREES, abscissa
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array, transform_points
from linkwork.geometry.vectors import unit
from linkwork.results.plots import Axis, Line, Panel, Plot, Quantity, Series, Showing, describe_over
from linkwork.results.signals import Units

if TYPE_CHECKING:
    from linkwork.analyses.kinematics.screw_motion import Centrodes, PoleMotion, ScrewMotion
    from linkwork.results import Run

FAR = 3.0
"""Poles farther from the middle than this many times the median distance are left outside the picture ..."""
TOO_FAR = 3.0
"""... if some are this many times farther still: they run to infinity."""
DECADES = 100.0
"""Greatest by least number from which a logarithmic scale reads better."""
STRAIGHT = 1e-9


def describe_screw(motion: ScrewMotion, x: str, units: Units) -> Plot:
    """Pitch, turning and sliding speed of an instantaneous screw over a run."""
    quantities = [
        Quantity("angular speed", "rad/s", np.ravel(motion.angular_speed)),
        Quantity("sliding speed", "m/s", np.ravel(motion.sliding_speed)),
        Quantity("pitch", "m/rad", np.ravel(motion.pitch)),
    ]
    over = abscissa(motion.run, x, motion.kind.size)
    plot = describe_over([Series(quantities, over)], units=units, title=titled("screw", motion.run))
    endless = int(np.isinf(motion.pitch).sum())
    notes = (f"the pitch is infinite at {endless} samples, where nothing turns",) if endless else ()
    return replace(plot, notes=notes)


def describe_pole(motion: PoleMotion, x: str, units: Units) -> Plot:
    """Speed of the pole along the fixed centrode and diameter of the inflection circle over a run."""
    quantities = [
        Quantity("speed of the pole", "m/s", np.ravel(np.linalg.norm(motion.velocity, axis=-1))),
        Quantity("inflection circle", "m", np.ravel(motion.inflection_diameter)),
    ]
    over = abscissa(motion.run, x, motion.inflection_diameter.size)
    plot = describe_over([Series(quantities, over)], units=units, title=titled("pole", motion.run), default=DEGREES)
    panels = [replace(p, y=replace(p.y, log=_spans_decades(p.lines[0].y))) for p in plot.panels]
    return replace(plot, panels=tuple(panels))


def describe_centrodes(found: Centrodes, at: int | None, units: Units) -> Plot:
    """Both centrodes in A's frame, the moving one where B stands at a sample; they touch in the pole."""
    count = found.turning.size
    if found.turning.ndim != 1:
        raise InputError(Problem("a single posture has a pole, but no centrodes", hint="ask it of a run"))
    if at is None:
        at = int(np.argmax(np.where(found.turning, np.abs(found.rate), -1.0)))
    if isinstance(at, bool) or not isinstance(at, (int, np.integer)) or not -count <= at < count:
        raise InputError(Problem(f"{at!r} is not the number of a sample", "at", f"there are {count}, counted from 0"))
    if not found.turning[at]:
        raise InputError(Problem(f"there is no pole at sample {at}", "at", "take one at which the body turns"))
    names, basis = _page_axes(found.normal)
    fixed = found.fixed
    moving = np.where(found.turning[:, None], transform_points(found.X_AB[at], found.moving), np.inf)
    show = Showing(units, [], DEGREES)
    flat = [show(Quantity("", "m", _projected(curve, basis))) for curve in (fixed, moving)]
    # Where the rate changes its sign the pole goes to infinity on one side and comes back from the other.
    turned = np.sign(found.rate[1:]) * np.sign(found.rate[:-1]) < 0.0
    breaks = tuple((np.flatnonzero(turned) + 1).tolist())
    lines = [
        Line(name, *curve.values.T, tint=k, breaks=breaks, heads=tuple(f"{name}.{n}" for n in names))
        for k, (name, curve) in enumerate(zip(("fixed centrode", "moving centrode"), flat, strict=True))
    ]
    contact = flat[0].values[at]
    lines.append(Line("", contact[:1], contact[1:], tint="ink", style="ring", heads=names))
    window, note = _window(np.vstack([curve.values for curve in flat]))
    axes = [Axis(n, flat[0].symbol) for n in names]
    panel = Panel(axes[0], axes[1], tuple(lines), equal=True, window=window)
    return Plot((panel,), titled("centrodes", found.run), note)


def titled(what: str, run: Run | None) -> str:
    """'four-bar: centrodes'."""
    return what if run is None else f"{run.name}: {what}"


def _spans_decades(values: Array) -> bool:
    good = values[np.isfinite(values) & (values > 0.0)]
    return bool(good.size and good.max() > DECADES * good.min())


def _page_axes(normal: Array) -> tuple[tuple[str, str], Array]:
    """Names and directions of the page's axes: two of the frame's own where the plane has them, else u and v."""
    k = int(np.argmax(np.abs(normal)))
    if abs(normal[k]) > 1.0 - STRAIGHT:
        own = [i for i in range(3) if i != k]
        return ("xyz"[own[0]], "xyz"[own[1]]), np.eye(3)[own]
    u = unit(np.cross(np.eye(3)[int(np.argmin(np.abs(normal)))], normal))
    return ("u", "v"), np.stack([u, np.cross(normal, u)])


def _projected(points: Array, basis: Array) -> Array:
    finite = np.isfinite(points).all(axis=1)
    flat = np.full((len(points), 2), np.inf)
    flat[finite] = points[finite] @ basis.T
    return flat


def _window(places: Array) -> tuple[tuple[tuple[float, float], tuple[float, float]] | None, tuple[str, ...]]:
    """What to show where poles run far away, and a note that they do."""
    finite = places[np.isfinite(places).all(axis=1)]
    middle = np.median(finite, axis=0)
    away = np.linalg.norm(finite - middle, axis=1)
    reach = FAR * float(np.median(away))
    if not away.max() > TOO_FAR * reach > 0.0:
        return None, ()
    near = finite[away <= reach]
    low, high = near.min(axis=0), near.max(axis=0)
    room = 0.08 * (high - low)
    ends = [(float(a), float(b)) for a, b in zip(low - room, high + room, strict=True)]
    beyond = int((away > reach).sum())
    return (ends[0], ends[1]), (f"{beyond} of {len(finite)} poles lie outside the picture",)
