"""The motion that is shown where none is asked for: a full turn, or there and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.kinematics.failures import ClosureError
from linkwork.analyses.kinematics.travel import Travel
from linkwork.analyses.machine import Machine
from linkwork.drives import Drive, polynomial345, ramp, sequence
from linkwork.results import Run
from linkwork.units import ANGLE, LENGTH
from linkwork.views.report.subject import variable_dimensions

TURN = 1.0
"""Seconds of a full turn, and of a way from one end of the travel to the other."""
MARGIN = 0.02
"""Part of the travel that is left at an end where the machine cannot go on: rates have no bound there."""
OPEN = 0.5
"""Way of a slide without an end, in parts of the machine's size; an angle without one takes a quarter turn."""


@dataclass(frozen=True)
class Shown:
    """The motion to show, or the reason why there is none; the travel of the variable that moves."""

    run: Run | None
    why_still: str = ""
    travel: Travel | None = None


def shown_motion(
    machine: Machine, samples: int | None = None, progress: Callable[[int, int], None] | None = None
) -> Shown:
    """Drive the first independent variable that can be driven; the others stay.

    Parameters
    ----------
    machine : the machine; it starts at home
    samples : how many
    progress : function (samples done, samples)
    """
    home = machine.home
    if not home.independent:
        return Shown(None, "Nothing can move: the machine has no freedom in this posture.")
    refused: list[str] = []
    for variable in _drivable(machine):
        try:
            travel = machine.travel(variable)
            law = _law(machine, travel)
            if law is None:
                refused.append(f"{variable} has no way to go")
                continue
            return Shown(machine.motion({variable: law}, samples=samples, progress=progress), travel=travel)
        except ClosureError as error:
            refused.append(f"{variable}: {error.problem.what}")
    reasons = "; ".join(refused) or "none of its freedoms is the variable of one joint"
    return Shown(None, f"No motion is shown, for no variable can be driven alone from here: {reasons}.")


def _drivable(machine: Machine) -> list[str]:
    """Independent variables in their order; idle spins last, since they move nothing."""
    home, known = machine.home, set(machine.variables)
    names = []
    for rate in [*(r for r in home.independent if r not in home.idle), *home.idle]:
        joint, _, own = rate.rpartition(".")
        variable = rate if rate in known else f"{joint}.{own.removeprefix('v')}"  # F.vx is the rate of F.x
        if variable in known:
            names.append(variable)
    return names


def _law(machine: Machine, travel: Travel) -> Drive | None:
    here = machine.home[travel.variable]
    if travel.full_turn and not any(travel.limited_by):
        return ramp(here, here + 2.0 * np.pi, duration=TURN)
    low, high = _ends(machine, travel, here)
    stops = [x for x in (high, low, here) if x != here] + [here]
    if len(stops) == 1:
        return None
    moves, at = [], here
    for goal in stops:
        share = abs(goal - at) / (high - low)
        moves.append(polynomial345(at, goal, duration=max(TURN * share, 0.2 * TURN)))
        at = goal
    return sequence(*moves)


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
