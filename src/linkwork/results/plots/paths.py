"""Vectors drawn as the way of their tip: paths of points, hodographs; and variables against their rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.results.layout import AXES
from linkwork.results.open_components import REACTIONS
from linkwork.results.plots.curves import curve_through
from linkwork.results.plots.description import Axis, Line, Panel, Plot, travel
from linkwork.results.plots.over import named, need_samples
from linkwork.results.plots.shown_units import Quantity, Showing
from linkwork.results.signals import Signal, Units
from linkwork.units import SI, Dimension, UnitSystem, parse_unit

STILL = 1e-9
"""Travel along an axis, of the longest, that counts as none."""


@dataclass(frozen=True)
class Track:
    """A vector over the samples.

    place, run : whose it is, and of which run ('' of the one that is asked)
    vector : (time, axis)
    """

    place: str
    vector: Signal | Quantity
    run: str = ""


@dataclass(frozen=True)
class Pair:
    """A variable and its rate, of a run ('' of the one that is asked)."""

    value: Signal
    rate: Signal
    run: str = ""


def describe_paths(
    tracks: Sequence[Track],
    *,
    units: Units = None,
    plane: str | None = None,
    title: str = "",
    letters: tuple[str, str, str] = ("x", "y", "z"),
    origin: bool = False,
    default: UnitSystem = SI,
) -> Plot:
    """Ways of the tips of vectors of one kind, with equal axes; a ring marks each start.

    Parameters
    ----------
    tracks : vectors by place and run
    units, default : units to show, and those where none is given
    plane : two or three letters of x, y, z; without, the plane in which all of them move
    title : above
    letters : names of the three axes: 'vx', 'vy', 'vz' of a velocity
    origin : mark the origin with a cross
    """
    need_samples([t.vector for t in tracks])
    show = Showing(units, [t.vector for t in tracks], default)
    shown = [show(t.vector) for t in tracks]
    drawn = _plane([s.values for s in shown]) if plane is None else checked_plane(plane)
    which = [AXES.index(letter) for letter in drawn]
    _assert_determinate(tracks, which)
    places = list(dict.fromkeys(t.place for t in tracks))
    runs = list(dict.fromkeys(t.run for t in tracks))
    lines: list[Line] = []
    for track, values in zip(tracks, (s.values for s in shown), strict=True):
        place, run = places.index(track.place), runs.index(track.run)
        tint, dash = (run, 0) if len(places) == 1 else (place, run)
        columns = [values[:, i] for i in which]
        heads = tuple(named(f"{track.place}.{letters[i]}", track.run) for i in which)
        curve = tuple(c[:, i] for c in curve_through([track.vector], [show(track.vector).factor]) for i in which)
        lines.append(Line(named(track.place, track.run), *columns, tint=tint, dash=dash, heads=heads, curve=curve))
        lines.append(Line("", *(c[:1] for c in columns), tint=tint, style="ring", heads=heads))
    if origin:
        nothing = [np.zeros(1) for _ in which]
        lines.append(Line("", *nothing, tint="ink", style="cross", heads=tuple(letters[i] for i in which)))
    axes = [Axis(letters[i], shown[0].symbol) for i in which]
    return Plot((Panel(axes[0], axes[1], tuple(lines), axes[2] if len(axes) == 3 else None, equal=True),), title)


def describe_mesh(
    meshes: Sequence[Track],
    place: str,
    *,
    units: Units = None,
    plane: str | None = None,
    title: str = "",
    default: UnitSystem = SI,
) -> Plot:
    """Meshes (rows, samples, axis), every row a thin line, with equal axes.

    Parameters
    ----------
    meshes : each named by what is constant along its rows
    place : whose places they are
    units, plane, title, default : as of `describe_paths`
    """
    show = Showing(units, [t.vector for t in meshes], default)
    shown = [show(t.vector) for t in meshes]
    drawn = _plane([s.values.reshape(-1, 3) for s in shown]) if plane is None else checked_plane(plane)
    which = [AXES.index(letter) for letter in drawn]
    lines = []
    for k, (mesh, found) in enumerate(zip(meshes, shown, strict=True)):
        rows, count, _ = found.values.shape
        flat = found.values.reshape(-1, 3)
        there = np.isfinite(flat).all(axis=1)
        # What does not close is no place: it is left out, and the pen lifted there.
        number = np.cumsum(there)
        breaks = {int(number[i - 1]) for i in range(count, rows * count, count)}
        breaks |= {int(number[i]) for i in np.flatnonzero(~there)}
        kept = flat[there]
        heads = tuple(f"{place}.{AXES[i]}, {mesh.place}" for i in which)
        inside = tuple(sorted(b for b in breaks if 0 < b < len(kept)))
        lines.append(Line(mesh.place, *(kept[:, i] for i in which), tint=k, style="thin", heads=heads, breaks=inside))
    axes = [Axis(AXES[i], shown[0].symbol) for i in which]
    return Plot((Panel(axes[0], axes[1], tuple(lines), axes[2] if len(axes) == 3 else None, equal=True),), title)


def describe_phase(pairs: Sequence[Pair], *, units: Units = None, title: str = "") -> Plot:
    """Phase plane: rates over their variables, those of one unit in one panel; a ring marks each start.

    Parameters
    ----------
    pairs : variables with their rates
    units : units to show
    title : above
    """
    need_samples([p.value for p in pairs])
    show = Showing(units, [q for p in pairs for q in (p.value, p.rate)])
    groups: dict[tuple[str, str, Dimension], list[Pair]] = {}
    for pair in pairs:
        x, y = show(pair.value), show(pair.rate)
        groups.setdefault((x.symbol, y.symbol, parse_unit(pair.value.unit)[1]), []).append(pair)
    panels = []
    for members in groups.values():
        variables = list(dict.fromkeys(p.value.name for p in members))
        runs = list(dict.fromkeys(p.run for p in members))
        lines: list[Line] = []
        for pair in members:
            x, y = show(pair.value), show(pair.rate)
            variable, run = variables.index(x.name), runs.index(pair.run)
            tint, dash = (run, 0) if len(variables) == 1 else (variable, run)
            heads = (named(x.name, pair.run), named(y.name, pair.run))
            curve = curve_through([pair.value, pair.rate], [x.factor, y.factor])
            lines.append(
                Line(named(x.name, pair.run), x.values, y.values, tint=tint, dash=dash, heads=heads, curve=curve)
            )
            lines.append(Line("", x.values[:1], y.values[:1], tint=tint, style="ring", heads=heads))
        first, rate = show(members[0].value).axis, show(members[0].rate).axis
        several = len(variables) > 1
        axes = [Axis(axis.kind if several else axis.name, axis.symbol) for axis in (first, rate)]
        panels.append(Panel(axes[0], axes[1], tuple(lines)))
    return Plot(tuple(panels), title)


def _plane(tracks: list[Array]) -> str:
    """The axes along which the vectors move; two at least, so that there is a page."""
    ways = [max(travel(t[:, i]) for t in tracks) for i in range(3)]
    moving = [i for i in range(3) if ways[i] > STILL * max(ways)]
    for i in range(3):  # a straight line or a point lies in several planes: the first is taken
        if len(moving) < 2 and i not in moving:
            moving.append(i)
    return "".join(AXES[i] for i in sorted(moving))


def _assert_determinate(tracks: Sequence[Track], which: list[int]) -> None:
    """InputError where a component that would be drawn is indeterminate."""
    problems = [
        Problem(f"{component} is statically indeterminate", named(track.place, track.run), "draw another plane")
        for track in tracks
        if isinstance(track.vector, Signal)
        for component in track.vector.indeterminate
        if REACTIONS[component][1] in which
    ]
    if problems:
        raise InputError(problems)


def checked_plane(plane: str) -> str:
    """The letters of a plane; InputError for what is none."""
    fits = isinstance(plane, str) and len(plane) in (2, 3) and len(set(plane)) == len(plane) and set(plane) <= set(AXES)
    if not fits:
        raise InputError(Problem(f"{plane!r} is not a plane", "plane", "write 'xy', 'xz', 'yz' or 'xyz'"))
    return plane
