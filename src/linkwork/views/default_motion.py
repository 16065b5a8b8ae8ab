"""The motion that is shown where none is asked for: a full turn, or there and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from linkwork.analyses.kinematics.failures import ClosureError
from linkwork.analyses.kinematics.travel import Travel
from linkwork.analyses.machine import Machine
from linkwork.drives import Drive, polynomial345, ramp, sequence
from linkwork.model.joints import Free, Law
from linkwork.results import Run
from linkwork.units import ANGLE, LENGTH, SI, Dimension, UnitSystem, format_quantity

TURN = 1.0
"""Seconds of a full turn, and of a way from one end of the travel to the other."""
MARGIN = 0.02
"""Part of the travel that is left at an end where the machine cannot go on: rates have no bound there."""
OPEN = 0.5
"""Way of a slide without an end, in parts of the machine's size; an angle without one takes a quarter turn."""


@dataclass(frozen=True)
class Shown:
    """The motion to show, or the reason why there is none.

    told : what is driven how, in the model's units, by variable, where that is shorter than the laws themselves
    travel : of the variable that moves
    """

    run: Run | None
    why_still: str = ""
    told: Mapping[str, str] = field(default_factory=dict)
    travel: Travel | None = None


def shown_motion(
    machine: Machine,
    samples: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    duration: float | None = None,
    jerk: bool = False,
) -> Shown:
    """Drive the first independent variable that can be driven; the others stay.

    Parameters
    ----------
    machine : the machine; it starts at home
    samples : how many
    progress : function (samples done, samples)
    duration : how long it takes [s]; 1 s for a turn and for each way without
    jerk : third derivatives too
    """
    home = machine.home
    if not home.independent:
        return Shown(None, "Nothing can move: the machine has no freedom in this posture.")
    refused: list[str] = []
    for variable in drivable(machine):
        try:
            travel = machine.travel(variable)
            stops = _stops(machine, travel)
            if len(stops) == 1:
                refused.append(f"{variable} has no way to go")
                continue
            law = _law(stops, duration)
            run = machine.motion({variable: law}, samples=samples, progress=progress, jerk=jerk)
            return Shown(run, told={variable: _told(machine, variable, stops)}, travel=travel)
        except ClosureError as error:
            refused.append(f"{variable}: {error.problem.what}")
    reasons = "; ".join(refused) or "none of its freedoms is the variable of one joint"
    return Shown(None, f"No motion is shown, for no variable can be driven alone from here: {reasons}.")


def law_text(machine: Machine, variable: str, units: UnitSystem) -> str:
    """A law for a first look at a variable, as text: a turn, or through its travel and back; empty if it is stuck."""
    try:
        stops = _stops(machine, machine.travel(variable))
    except ClosureError:
        return ""
    dimension = variable_dimensions(machine)[variable]
    unit, factor = units.symbol(dimension), units.factor(dimension)
    shown = [f"{x / factor:.6g}{unit}" for x in stops]
    if len(stops) == 1:
        return ""
    if len(stops) == 2:
        return f"{shown[0]}:{shown[1]} in 2s"
    return "; ".join(f"345({a}, {b}, 1s)" for a, b in pairwise(shown))


def drivable(machine: Machine) -> list[str]:
    """Independent variables in their order; idle spins last, since they move nothing."""
    home, known = machine.home, set(machine.variables)
    names = []
    for rate in [*(r for r in home.independent if r not in home.idle), *home.idle]:
        joint, _, own = rate.rpartition(".")
        variable = rate if rate in known else f"{joint}.{own.removeprefix('v')}"  # F.vx is the rate of F.x
        if variable in known:
            names.append(variable)
    return names


def _stops(machine: Machine, travel: Travel) -> list[float]:
    """Values to go to one after the other, from home: once round, or to both ends and back."""
    here = machine.home[travel.variable]
    endless = travel.full_turn or not np.isfinite(travel.within).any()
    if endless and not any(travel.limited_by) and variable_dimensions(machine)[travel.variable] == ANGLE:
        return [here, here + 2.0 * np.pi]
    low, high = _ends(machine, travel, here)
    return [here, *(x for x in (high, low) if x != here), here] if high > low else [here]


def _law(stops: list[float], duration: float | None = None) -> Drive:
    if len(stops) == 2:
        return ramp(*stops, duration=duration or TURN)
    way = max(stops) - min(stops)
    spans = [TURN * max(abs(b - a) / way, 0.2) for a, b in pairwise(stops)]
    pace = 1.0 if duration is None else duration / sum(spans)
    moves = [polynomial345(a, b, duration=pace * span) for (a, b), span in zip(pairwise(stops), spans, strict=True)]
    return sequence(*moves)


def _told(machine: Machine, variable: str, stops: list[float]) -> str:
    source = machine.mechanism.source
    units, dimension = SI if source is None else source.units, variable_dimensions(machine)[variable]
    shown = [format_quantity(0.0 if abs(x) < 1e-12 else x, dimension, units) for x in stops]
    if len(stops) == 2:
        return f"one turn from {shown[0]} to {shown[1]}, evenly"
    return f"from {shown[0]} to {' and '.join(shown[1:-1])} and back, smoothly"


def _ends(machine: Machine, travel: Travel, here: float) -> tuple[float, float]:
    """The range to move in: to the limits of the model, and nearly to where the machine cannot go on."""
    open_ways = {ANGLE: np.pi / 2, LENGTH: OPEN * machine.layout.size}
    way = open_ways.get(variable_dimensions(machine)[travel.variable], travel.searched) or travel.searched
    ends = []
    for k, sign in ((0, -1.0), (1, 1.0)):
        end = travel.within[k]
        if not np.isfinite(end):
            end = here + sign * way
        elif not travel.limited_by[k] and travel.stops[k] is not None:
            end = here + (1.0 - MARGIN) * (end - here)
        ends.append(float(end))
    return min(ends[0], here), max(ends[1], here)


def variable_dimensions(machine: Machine) -> dict[str, Dimension]:
    """What the variables of a machine measure, by full name."""
    joints = machine.mechanism.owners
    laws: dict[str, Law] = {name: joint.law for name, joint in joints.items()}
    # a floating body's freedoms are under its own name
    laws |= {owner: Free() for n in machine.variables if (owner := n.rpartition(".")[0]) not in joints}
    return {f"{owner}.{v.name}": v.quantity for owner, law in laws.items() for v in law.variables}
