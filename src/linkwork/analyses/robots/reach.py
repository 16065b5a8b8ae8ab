"""Inverse kinematics of any machine: goals of any target met, loops kept closed, limits kept.

A search (`search`) from the start; where it fails and nobody said where to start, from random postures too. Surplus
freedoms move as little as they can, or along the null space of the rows towards what is preferred (`improve`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.analyses.kinematics.failures import CannotReach, NoFreedom
from linkwork.analyses.kinematics.joint_limits import JointLimit, joint_limits
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.motion import reached as moved_to
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.robots.improve import improved, manipulability
from linkwork.analyses.robots.preferences import MANIPULABILITY, preference_of
from linkwork.analyses.robots.reached import Outcome, Reached, lost_directions
from linkwork.analyses.robots.search import REACHED, Found, Search, Stand, descended
from linkwork.analyses.robots.task_rows import TaskRows, wanted_of
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.units import ANGLE

STARTS = 12
"""Random postures of an open tree from which is searched again."""
WEAK = 1e-6
"""Singular values of the task that count as none."""
POOR = 1e-3
"""Singular values below which the target is said to be hardly moved."""


def reach(
    loops: Loops,
    home: Posture,
    name: str,
    goals: Sequence[Any],
    rotation: Any = None,
    hold: Sequence[str] = (),
    start: Posture | Mapping[str, Any] | None = None,
    prefer: Any = None,
    limits: bool = True,
    nearest: bool = False,
) -> Reached:
    """The posture nearest on the way from the start at which a target is as it is wanted; see `Machine.reach`."""
    wanted = wanted_of(loops, name, goals, rotation, hold)
    better = preference_of(loops, prefer)
    begin = start_of(loops, home, start, wanted.values)
    specified = specified_by(loops, wanted.values, wanted.held)
    search = _search(loops, TaskRows(loops, wanted), specified, limits)
    if not search.free(begin.y).size:
        raise NoFreedom(Problem(f"'{name}' cannot move: the machine has no freedom"), loops.plan.name, begin)
    found, starts = _found(search, begin.y, again=start is None and not loops.count)
    is_there = found.worst < 10 * REACHED
    if is_there and (better is not None or prefer == MANIPULABILITY):
        found = improved(search, found, better or manipulability(search))
    result = _reached(search, found, name, is_there, starts)
    if is_there or nearest:
        return result
    raise CannotReach(_problem(search, found, name), loops.plan.name, result)


def start_of(
    loops: Loops, home: Posture, start: Posture | Mapping[str, Any] | None, values: Mapping[str, Any]
) -> Posture:
    begin = home if start is None else start if isinstance(start, Posture) else moved_to(loops, home, start)
    return moved_to(loops, begin, values) if values else begin


def specified_by(loops: Loops, values: Mapping[str, Any], held: Sequence[str]) -> Mask:
    """Rates of joints that are given or held."""
    mask: Mask = np.zeros(loops.columns, bool)
    problems = []
    for name in (*values, *held):
        slot = next((s for s in loops.plan.slots if s.owner == name), None)
        found = loops.book.find(name, "variable", "rate")
        if slot is not None:
            mask[slot.v] = True
        elif found is not None:
            mask[found.column] = True
        else:
            problems.append(loops.book.unknown(name, "variable"))
    if problems:
        raise InputError(problems, loops.plan.name)
    return mask


def known_limits(loops: Loops, specified: Mask) -> list[JointLimit]:
    """Limits of joints that are neither given nor held."""
    return [x for x in joint_limits(loops) if not specified[loops.places.index(x.place)]]


def _search(loops: Loops, rows: TaskRows, specified: Mask, limits: bool) -> Search:
    known = known_limits(loops, specified) if limits else []
    return Search(
        loops, rows, specified,
        np.array([loops.places.index(x.place) for x in known], np.int64), np.array([x.place for x in known], np.int64),
        np.array([x.low for x in known]), np.array([x.high for x in known]),
    )  # fmt: skip


def _found(search: Search, y: Array, again: bool) -> tuple[Found, int]:
    """The best of a search from the start and, where it fails, from random postures."""
    best = descended(search, y)
    if best.worst < 10 * REACHED or not again:
        return best, 1
    rng = np.random.default_rng(1)
    for number in range(2, STARTS + 2):
        found = descended(search, _elsewhere(search, y, rng))
        if found.worst < 10 * REACHED:
            return found, number
        if float(np.linalg.norm(found.stand.e)) < float(np.linalg.norm(best.stand.e)) - 1e-9:
            best = found
    return best, STARTS + 1


def _elsewhere(search: Search, y: Array, rng: np.random.Generator) -> Array:
    """A random posture of an open tree: within the limits, else within a turn or the machine's size."""
    loops = search.loops
    z = rng.uniform(-1.0, 1.0, loops.columns) * np.where(loops.column_scale == 1.0, np.pi, 1.0)
    z[search.specified] = 0.0
    there = loops.advanced(y, z)
    bounded = np.isfinite(search.low) & np.isfinite(search.high)
    low, high = search.low[bounded], search.high[bounded]
    there[search.places[bounded]] = rng.uniform(low, high)
    return there


def _reached(search: Search, found: Found, name: str, is_there: bool, starts: int) -> Reached:
    loops, stand = search.loops, found.stand
    lost, strengths = lost_directions(stand.V, [n for n, _ in search.rows.rows], POOR)
    rank = sum(1 for x in strengths if x > WEAK)
    outcome = Outcome(
        name, is_there, search.rows.missing(stand.e), tuple(_active(search, stand.y)), _spare(search, stand, rank),
        lost, strengths, starts,
    )  # fmt: skip
    return Reached(loops, stand.y, np.flatnonzero(search.specified).tolist(), found.steps, outcome)


def _active(search: Search, y: Array) -> list[str]:
    low, high = search.room(y)
    texts = []
    for k, place in enumerate(search.places):
        if min(abs(low[k]), abs(high[k])) < 1e-9:
            name = search.loops.plan.variables[place]
            texts.append(f"{name} = {search.loops.shown(name, float(y[place]))}")
    return texts


def _spare(search: Search, stand: Stand, rank: int) -> tuple[str, ...]:
    """Variables that move while the rows stay: the null space of V."""
    count = stand.V.shape[1] - rank
    if count <= 0:
        return ()
    null = np.linalg.svd(stand.V)[2][rank:]
    moves = np.abs(stand.K @ null.T).max(axis=1)
    return search.loops.names(np.flatnonzero(moves > 1e-6))


def _problem(search: Search, found: Found, name: str) -> Problem:
    layout = search.loops.system.layout
    place, turn = search.rows.gaps(found.stand.e)
    gaps = [] if place is None else [layout.length(place)]
    gaps += [] if turn is None else [layout.quantity(turn, ANGLE)]
    text = f"'{name}' cannot get there: at the nearest posture found {' and '.join(gaps)} are missing"
    hint = "another goal, or another closure to start from; `reached` is the nearest posture"
    active = _active(search, found.stand.y)
    if active:
        beyond = descended(search.without_limits(), found.stand.y)
        if beyond.worst < 10 * REACHED:
            names = [search.loops.plan.variables[p] for p in search.places]
            values = [
                f"{n} = {search.loops.shown(n, float(beyond.stand.y[p]))}"
                for n, p, lo, hi in zip(names, search.places, search.low, search.high, strict=True)
                if not lo - 1e-9 <= beyond.stand.y[p] <= hi + 1e-9
            ]
            text += f"; limits are in the way ({', '.join(active)}): it would take {', '.join(values)}"
            hint = "wider limits, another goal, or `limits=False`; `reached` is the nearest posture"
        else:
            text += f"; {', '.join(active)} there are at their limits"
    return Problem(text, hint=hint)
