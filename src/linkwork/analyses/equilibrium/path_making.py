"""How a path of equilibria is begun and followed, with the curves that branch off it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.equilibrium.branchings import other_ways
from linkwork.analyses.equilibrium.curve import Curve, Spot
from linkwork.analyses.equilibrium.equilibrium import NoEquilibrium
from linkwork.analyses.equilibrium.following import LONGEST, Follower, Track
from linkwork.analyses.equilibrium.path_asked import AskedPath, asked_path, value_of, values_of
from linkwork.analyses.equilibrium.paths import EquilibriumPath
from linkwork.analyses.kinematics.joint_limits import joint_limits
from linkwork.analyses.kinematics.posture import Posture
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine

MOST_BRANCHES = 24
"""Branches that are followed at most."""
ALIKE = 1e-5
"""Branch points nearer than this are one, beside the range."""


def path_of(
    machine: Machine, over: Any, first: Any, last: Any, balanced_by: Any, samples: Any, branches: bool,
    hold: Mapping[str, Any] | str | Sequence[str] | None, efforts: Mapping[str, Any] | None,
    start: Mapping[str, Any] | Posture | None, kind: str, states: Mapping[str, Any] | None, t: float | None,
) -> EquilibriumPath:  # fmt: skip
    """See `Machine.equilibrium_path`."""
    given = asked_path(machine, over, first, last, balanced_by, samples, hold, efforts, start, kind, states, t)
    curve, spot = _begin(given)
    values = values_of(given.over, int(samples))
    warnings = [w for w in given.rest.warnings if "friction" in w or "hold it" in w]
    longest = _longest(curve)
    track = Follower(curve, spot, values, False, 0.2 * longest, longest).run()
    path = EquilibriumPath(given, curve, track, warnings)
    if branches:
        path.branches = tuple(_branches(given, curve, track, values, longest))
    return path


def _begin(given: AskedPath) -> tuple[Curve, Spot]:
    """The curve, and its first spot, looking to where the last value lies."""
    family, over, rest = given.family, given.over, given.rest
    loops = family.given.loops
    own = [limit for limit in joint_limits(loops) if limit.beyond(loops, rest._asked.posture.y[limit.place]) <= 1e-9]
    weight = 1.0 / family.size if over.place < 0 else 0.0
    curve = Curve(family, over, own, weight, max(rest.scale, 1e-300), family.given.held)
    y = rest._asked.posture.y.copy()
    y[: family.machine.plan.ny] = rest.posture.y
    if loops.plan.measured:
        from linkwork.analyses.linear.set_points import _measured

        y = _measured(loops, y)
    x = np.array(list(rest.states.values()))
    stops = tuple(
        (k, 1 if limit.high - y[limit.place] < y[limit.place] - limit.low else -1)
        for k, limit in enumerate(own)
        if limit.variable in rest.stops
    )
    mu = _first_number(given, y)
    spot = curve.charted(y, x, mu, stops, None)
    balances = over.place >= 0 and family.kind != "effort"
    if spot is not None:
        curve.size = max(curve.size, float(np.abs(spot.A).max(initial=0.0)))
    if balances:
        spot = None if spot is None else _balanced(curve, spot)
        if spot is None:
            text = f"no value of {family.name} was found with which the machine rests at the first value of {over.name}"
            hint = "begin elsewhere, or near to where the model's own value balances it"
            raise NoEquilibrium(Problem(text, "balanced_by", hint), family.machine.name, rest.posture)
    if spot is None:
        text = f"nothing moves with {over.name}: at its first value the machine rests whatever it is"
        raise InputError(Problem(text, "over", "ask `equilibrium` for the posture"), family.machine.name)
    if rest.neutral:
        free = curve.without_neutral(spot)
        if free is None:
            names = ", ".join(dict.fromkeys(name for joints in rest.neutral for name in joints))
            text = f"nothing resists {names} where the path begins, and nothing else moves"
            raise InputError(Problem(text, "over", "hold it, or give it a spring"), family.machine.name)
        spot = free
    slope = float(spot.row @ spot.t)
    return curve, curve.turned(spot) if slope * over.way < 0.0 else spot


def _balanced(curve: Curve, spot: Spot) -> Spot | None:
    """The first spot, with the number that balances it; None where there is none."""
    family = curve.family
    slope = float(np.abs(spot.b).max(initial=0.0))
    if slope * max(family.size, 1e-300) <= 1e-12 * curve.size:
        return None
    family.size = max(abs(spot.mu), curve.size / slope)
    found = curve.corrected(spot, 0.0 * spot.t, target=curve.over.first, far=1e6)
    if found is not None:
        family.size = max(abs(found.mu), family.size)
    return found


def _first_number(given: AskedPath, y: Array) -> float:
    family, over, rest = given.family, given.over, given.rest
    if over.place < 0:
        return over.first
    if family.kind == "effort":
        held = rest.efforts.get(over.name, 0.0)
        return held if family.column == over.column else 0.0
    return value_of(family.machine, family.name)


def _longest(curve: Curve) -> float:
    """Strides at most: so many that a picture is smooth."""
    over = curve.over
    if over.place < 0:
        return LONGEST
    scaled = abs(over.last - over.first) / curve.over_scale
    return float(min(LONGEST, max(scaled / 20.0, 1e-4)))


def _branches(given: AskedPath, curve: Curve, track: Track, values: Array, longest: float) -> list[EquilibriumPath]:
    """Curves that branch off, and those that branch off these."""
    waiting = [track]
    known: list[Spot] = []
    found: list[EquilibriumPath] = []
    while waiting and len(found) < MOST_BRANCHES:
        own = waiting.pop(0)
        for mark in own.marks:
            if mark.kind != "branch":
                continue
            spot = own.spots[mark.spot]
            if any(_same(curve, spot, other) for other in known):
                continue
            known.append(spot)
            for way in other_ways(curve, spot):
                first = replace(spot, t=way)
                arm = Follower(curve, first, values, True, 0.1 * longest, longest)
                reached = arm.run()
                if len(reached.spots) > 1:
                    found.append(EquilibriumPath(given, curve, reached, (), spot.over))
                    waiting.append(reached)
    return found


def _same(curve: Curve, a: Spot, b: Spot) -> bool:
    loops = curve.family.given.loops
    apart = np.abs((a.y - b.y) * loops.variable_scale).max(initial=0.0)
    return bool(apart < ALIKE and abs(a.mu - b.mu) < ALIKE * curve.family.size and a.stops == b.stops)
