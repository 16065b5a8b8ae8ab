"""How far a variable can be driven, whether it makes full turns, and the strokes of all others meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.closure_marks import determined_variables, marks_of
from linkwork.analyses.kinematics.failures import ClosureError, UnderSpecified
from linkwork.analyses.kinematics.given_values import place_of, unknown_variable
from linkwork.analyses.kinematics.joint_limits import SLACK, joint_limits
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.motion import independent_with
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.kinematics.samples import Swept
from linkwork.analyses.kinematics.sweep import swept
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results.plots import Panels
    from linkwork.results.signals import Units

SAMPLES = 721
STILL = 1e-9
"""Stroke that counts as none [rad, or parts of the machine's size]."""
DRAWN = 121
"""Samples of each side that are drawn at least."""
SIZES = 10.0
"""Way of a slide after which the search for its limit ends, in units of the machine's size."""


@dataclass(frozen=True)
class Stroke:
    """Range of a variable.

    least, greatest : its extreme values; at_least, at_greatest : the driven variable there
    """

    least: float
    greatest: float
    at_least: float
    at_greatest: float

    @property
    def length(self) -> float:
        """greatest - least."""
        return self.greatest - self.least


@dataclass(frozen=True)
class Travel:
    """What `Machine.travel` found.

    variable : the driven one; lower, upper : its limits, infinite where none was met
    full_turn : an angle that turns all the way round and comes back to where it was
    stops : why it ends at the lower and upper limit, None where no limit was met
    strokes : ranges of all plain variables over the travel, by name
    full_turns : joints that turn all the way round with it
    searched : way in each direction that was looked at
    within : range of the driven variable around home in which no joint is beyond the limits that the model sets to it
    limited_by : variables whose limits end that range below and above, empty where none does
    """

    variable: str
    lower: float
    upper: float
    full_turn: bool
    stops: tuple[ClosureError | None, ClosureError | None]
    strokes: dict[str, Stroke]
    full_turns: tuple[str, ...]
    searched: float
    within: tuple[float, float]
    limited_by: tuple[str, str]
    loops: Loops = field(repr=False)
    _postures: Array = field(repr=False)

    def __str__(self) -> str:
        shown = self.loops.shown
        if self.full_turn:
            head = f"{self.variable} makes full turns"
        else:
            ends = [(self.lower, "down"), (self.upper, "up")]
            limits = [shown(self.variable, x) for x, _ in ends if np.isfinite(x)]
            open_ = [side for x, side in ends if np.isinf(x)]
            head = f"{self.variable} goes from {limits[0]} to {limits[1]}" if len(limits) == 2 else ""
            if open_:
                ways = " and ".join(open_)
                head = f"{self.variable}: no limit within {shown(self.variable, self.searched)} {ways}"
                head += f"; the other is {limits[0]}" if limits else ""
        lines = [head]
        if any(self.limited_by):
            low, high = (shown(self.variable, x) if np.isfinite(x) else "no limit" for x in self.within)
            by = " and ".join(dict.fromkeys(n for n in self.limited_by if n))
            lines.append(f"  from {low} to {high} within the limits of {by}")
        for name, s in self.strokes.items():
            if name != self.variable:
                turns = ", full turns" if name in self.full_turns else ""
                lines.append(f"  {name}: {shown(name, s.least)} to {shown(name, s.greatest)}{turns}")
        return "\n".join(lines)

    def plot(self, *names: str, units: Units = None, ax: Axes | Sequence[Axes] | None = None) -> Panels:
        """Plot all other variables over the travel; lines mark its limits, rings the extremes of each variable.

        Parameters
        ----------
        names : variables or joints; without, all that move
        units : units to show, {"angle": "deg"}; without, those of the model
        ax : axes to draw into, one for every unit; a new figure without
        """
        from linkwork.analyses.kinematics.plot_units import chosen_names, units_of
        from linkwork.results.plots import Mark, Plot, Quantity, Series, Showing, describe_over

        loops, known = self.loops, units_of(self.loops)
        still = {"rad": STILL, "m": STILL * loops.length, "1": STILL}
        moving = [n for n, s in self.strokes.items() if n != self.variable and s.length > still[known[n]]]
        wanted = chosen_names(names, list(self.strokes)) if names else (moving or [self.variable])
        columns = {n: self._postures[:, loops.plan.variables.index(n)] for n in (*wanted, self.variable)}
        quantities = {n: Quantity(n, known[n], column) for n, column in columns.items()}
        default = loops.system.layout.units
        series = Series([quantities[n] for n in wanted], quantities[self.variable])
        title = f"{loops.plan.name}: travel of {self.variable}"
        plot = describe_over([series], units=units, title=title, default=default)
        show = Showing(units, list(quantities.values()), default)

        def at(name: str, *values: float) -> Array:
            return show(Quantity(name, known[name], np.array(values))).values

        marks = [] if self.full_turn else [(x, "limit of travel") for x in (self.lower, self.upper)]
        marks += [(x, f"limit of {n}") for x, n in zip(self.within, self.limited_by, strict=True) if n]
        told = tuple(Mark(float(at(self.variable, x)[0]), text) for x, text in marks if np.isfinite(x))
        panels = []
        for panel in plot.panels:
            rings = [
                replace(line, name="", style="ring",
                        x=at(self.variable, stroke.at_least, stroke.at_greatest),
                        y=at(line.name, stroke.least, stroke.greatest))
                for line in panel.lines if (stroke := self.strokes[line.name])
            ]  # fmt: skip
            panels.append(replace(panel, lines=(*panel.lines, *rings), marks=told))
        return Plot(tuple(panels), plot.title).draw(ax)

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON; limits that were not met are None."""
        return {
            "variable": self.variable,
            "lower": self.lower if np.isfinite(self.lower) else None,
            "upper": self.upper if np.isfinite(self.upper) else None,
            "full_turn": self.full_turn,
            "stops": [None if s is None else str(s) for s in self.stops],
            "strokes": {n: {"least": s.least, "greatest": s.greatest, "at_least": s.at_least,
                            "at_greatest": s.at_greatest} for n, s in self.strokes.items()},
            "full_turns": list(self.full_turns),
            "within": [x if np.isfinite(x) else None for x in self.within],
            "limited_by": list(self.limited_by),
        }  # fmt: skip


def travel_of(loops: Loops, home: Posture, variable: str, largest: float | None) -> Travel:
    """Drive a variable both ways from home; see `Machine.travel`."""
    found = place_of(loops, variable)
    if found is None:
        raise InputError(unknown_variable(loops, variable), loops.plan.name)
    slot, k = found
    place, column = slot.q.start + k, slot.v.start + k
    kind = slot.law.variables[k].dimension
    reach = {"angle": 2.0 * np.pi, "length": SIZES * loops.length, "number": 1.0}[kind] if largest is None else largest
    if isinstance(reach, str) or not (np.isfinite(reach) and reach > 0.0):
        raise InputError(Problem(f"a way of {largest}", "largest", "give a positive number"), loops.plan.name)
    independent = independent_with(loops, home, np.array([column]))
    sides = [_side(loops, home, independent, place, column, way) for way in (-reach, reach)]
    name, here = loops.plan.variables[place], float(home.y[place])
    turning = kind == "angle" and slot.law.whole_turns
    full = (
        turning
        and all(s.stop is None for s in sides)
        and reach >= 2.0 * np.pi
        and _came_back(loops, home, column, independent, sides[1])
    )
    lower, upper = (_limit(s, place, sign * np.inf) for s, sign in zip(sides, (-1, 1), strict=True))
    within, limited_by = _within(loops, independent, place, column, sides, (lower, upper))
    if full:
        lower, upper = here, here + 2.0 * np.pi
        sides = sides[1:]
    Y = np.concatenate([_to_limit(sides[0])[::-1], *(_to_limit(s)[1:] for s in sides[1:])])
    strokes = _strokes(loops, independent, place, column, Y)
    stops = (sides[0].stop, sides[-1].stop)
    fine = [_finely(loops, home, independent, place, column, side) for side in sides]
    drawn = np.concatenate([fine[0][::-1], *(part[1:] for part in fine[1:])])
    return Travel(
        name, lower, upper, full, stops, strokes, _full_turns(loops, Y, full), reach, within, limited_by, loops, drawn
    )


def _side(loops: Loops, home: Posture, independent: Mask, place: int, column: int, way: float) -> Swept:
    """Postures from home to the limit or to the end of the way; the rates are those by the driven variable."""
    return _along(loops, home, independent, place, column, np.linspace(0.0, way, SAMPLES))


def _along(loops: Loops, home: Posture, independent: Mask, place: int, column: int, ways: Array) -> Swept:
    """Postures at ways of the driven variable from home, with the rates by it."""
    U = (home.y[place] + ways)[:, np.newaxis]
    unit = np.zeros((len(ways), loops.columns))
    unit[:, column] = 1.0
    return swept(loops, home.y, independent, np.array([place]), U, [unit, np.zeros_like(unit)])


def _finely(loops: Loops, home: Posture, independent: Mask, place: int, column: int, side: Swept) -> Array:
    """Postures of one side close enough to be drawn: the way to a limit may be a small part of that searched.

    Other variables change like the root of the distance to the limit, so the samples lie closer towards it.
    """
    whole = _to_limit(side)
    if side.stop is None or len(whole) > DRAWN:
        return whole
    ways = (whole[-1, place] - home.y[place]) * np.sin(np.linspace(0.0, np.pi / 2, DRAWN))[:-1]
    found = _along(loops, home, independent, place, column, ways) if ways[1:].any() else None
    return whole if found is None or found.stop is not None else np.vstack([found.Y, whole[-1]])


def _to_limit(side: Swept) -> Array:
    """Postures of one side, with that at the limit itself."""
    reached = None if side.stop is None else side.stop.reached
    return side.Y if reached is None else np.vstack([side.Y, reached.y])


def _limit(side: Swept, place: int, unlimited: float) -> float:
    if side.stop is None:
        return unlimited
    return float(side.Y[-1, place] if side.stop.reached is None else side.stop.reached.y[place])


def _within(
    loops: Loops, independent: Mask, place: int, column: int, sides: list[Swept], limits: tuple[float, float]
) -> tuple[tuple[float, float], tuple[str, str]]:
    """Range of the driven variable to the first joint limit on each side of home, and whose limit that is."""
    ends, names = list(limits), ["", ""]
    for k, side in enumerate(sides):
        first = len(side.Y)
        for limit in joint_limits(loops):
            outside = np.flatnonzero(limit.beyond(loops, side.Y[:, limit.place]) > SLACK)
            if outside.size and outside[0] < first:
                first = int(outside[0])
                bound = limit.low if side.Y[first, limit.place] < limit.low else limit.high
                ends[k] = _reached(loops, independent, place, column, limit.place, bound, side.Y[max(first - 1, 0)])
                names[k] = limit.variable
    return (ends[0], ends[1]), (names[0], names[1])


def _reached(loops: Loops, independent: Mask, place: int, column: int, other: int, bound: float, y: Array) -> float:
    """The driven variable at which another one has a given value, by Newton's method from a posture near it."""
    if place == other:
        return bound
    rate = int(np.flatnonzero(loops.rates_of(np.array([other])))[0])
    unit = np.zeros(loops.columns)
    unit[column] = 1.0
    for _ in range(12):
        W = loops.rates(y, independent, [unit])[0]
        move = (bound - float(y[other])) / float(W[rate]) if W[rate] else 0.0
        if not np.isfinite(move) or np.abs(move * W / loops.column_scale).max() > 0.5:
            break
        y = _moved(loops, independent, place, y, W, move)
        if abs(move) <= 1e-13 * max(1.0, abs(float(y[place]))):
            break
    return float(y[place])


def _moved(loops: Loops, independent: Mask, place: int, y: Array, W: Array, move: float) -> Array:
    """A posture near by, after a move of the driven variable with the rates W by it; nan where it cannot go there."""
    driven = np.array([place])
    if (independent & loops.turning & ~loops.rates_of(driven)).any():  # nothing corrects what only rates determine
        found = swept(loops, y, independent, driven, np.array([[y[place] + move]]), [])
        return found.Y[0] if found.reached else np.full_like(y, np.nan)
    return loops.corrected(loops.advanced(y, move * W / loops.column_scale), independent)


def _came_back(loops: Loops, home: Posture, column: int, independent: Mask, side: Swept) -> bool:
    """Whether everything that the driven variable determines stands after a full turn where it stood before.

    Of a machine with more freedoms, which are held, that is everything.
    """
    try:
        determined = determined_variables(loops, home, np.arange(loops.columns) == column)
    except UnderSpecified:
        determined = determined_variables(loops, home, independent)
    marks = marks_of(loops, determined, side.Y[[0, -1]])
    return bool(np.abs(marks[1] - marks[0]).max(initial=0.0) < 1e-6)


def _full_turns(loops: Loops, Y: Array, full: bool) -> tuple[str, ...]:
    if not full:
        return ()
    names = []
    for slot in loops.plan.slots:
        if slot.law.whole_turns:
            for k, variable in enumerate(slot.law.variables):
                turns = abs(float(Y[-1, slot.q.start + k] - Y[0, slot.q.start + k])) / (2.0 * np.pi)
                if variable.dimension == "angle" and round(turns) and abs(turns - round(turns)) < 1e-6:
                    names.append(f"{slot.owner}.{variable.name}")
    return tuple(names)


def _strokes(loops: Loops, independent: Mask, place: int, column: int, Y: Array) -> dict[str, Stroke]:
    """Least and greatest values; extremes between samples are found where a rate vanishes."""
    strokes: dict[str, Stroke] = {}
    u = Y[:, place]
    for slot in loops.plan.slots:
        for k in range(slot.plain):
            i, j = slot.q.start + k, slot.v.start + k
            name = loops.plan.variables[i]
            x = Y[:, i]
            low, high = int(x.argmin()), int(x.argmax())
            ends = []
            for at in (low, high):
                value, where = float(x[at]), float(u[at])
                if i != place and 0 < at < len(x) - 1:
                    value, where = _extreme(loops, independent, place, column, i, j, Y[at])
                ends.append((value, where))
            (least, at_least), (greatest, at_greatest) = ends
            strokes[name] = Stroke(least, greatest, at_least, at_greatest)
    return strokes


def _extreme(loops: Loops, independent: Mask, place: int, column: int, i: int, j: int, y: Array) -> tuple[float, float]:
    """Newton's method for a vanishing rate of variable i, from a posture near it."""
    if not loops.count:
        return float(y[i]), float(y[place])
    unit = np.zeros(loops.columns)
    unit[column] = 1.0
    start = y
    for _ in range(12):
        W, A = loops.rates(y, independent, [unit, np.zeros(loops.columns)])
        if not (np.isfinite(W[j]) and np.isfinite(A[j])) or A[j] == 0.0:
            break
        move = -W[j] / A[j]
        if abs(move * W / loops.column_scale).max() > 0.1:
            break
        y = _moved(loops, independent, place, y, W, move)
        if abs(move) < 1e-13 * max(1.0, abs(float(y[place]))):
            break
    good = np.isfinite(y).all() and loops.residual(y) < 1e-9
    best: NDArray[np.float64] = y if good else start
    return float(best[i]), float(best[place])
