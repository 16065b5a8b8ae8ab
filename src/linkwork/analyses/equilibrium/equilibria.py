"""All postures at which a machine rests, as far as a search from many starts finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.equilibrium.asked import Asked, asked
from linkwork.analyses.equilibrium.balance import Balance
from linkwork.analyses.equilibrium.equilibrium import Equilibrium, rest_from
from linkwork.analyses.equilibrium.search import LIMIT, REST, Kind, searched
from linkwork.analyses.kinematics.joint_limits import SLACK, joint_limits
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.kinematics.posture import Posture
from linkwork.errors import InputError, LinkworkError, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine

ALIKE = 1e-5
"""Postures nearer than this are one [rad, or parts of the machine's size]."""
WEAK = 1e8
"""Σ 1/pivot² at which a start goes no further: a singular posture is near."""
ON_STOPS = 4
"""Searches that are followed on each limit of travel."""
PIECES = 24
"""Strides in which a start is reached from the first posture."""


class Equilibria(Sequence[Equilibrium]):
    """Postures of rest, those of least energy first; `print` shows all.

    starts : how many searches there were; found : how many of them came to each posture
    """

    def __init__(self, name: str, rests: Sequence[Equilibrium], found: Sequence[int], starts: int) -> None:
        self.name = name
        self._rests = tuple(rests)
        self.found = tuple(found)
        self.starts = starts

    def __len__(self) -> int:
        return len(self._rests)

    def __getitem__(self, number: Any) -> Any:
        return self._rests[number]

    @property
    def stable(self) -> tuple[Equilibrium, ...]:
        """Those at which it stays."""
        return tuple(rest for rest in self._rests if rest.stable)

    @property
    def unseen(self) -> float:
        """Estimated share of starts that would lead to a posture not found: those found once, by all (Good-Turing)."""
        return sum(1 for n in self.found if n == 1) / max(sum(self.found), 1)

    def __str__(self) -> str:
        lines = [f"{self.name} rests at {len(self)} postures, as far as {self.starts} searches found"]
        for rest, count in zip(self._rests, self.found, strict=True):
            loops = rest.posture.loops
            names = loops.drivable(rest.posture._roles.independent)
            where = ", ".join(f"{n} = {loops.shown(n, rest.posture.values[n])}" for n in names[:6])
            energy = sum(rest.energies.values())
            lines.append(f"  {rest.verdict}: {where}; {energy:.6g} J, found {count} times")
        return "\n".join(lines)

    __repr__ = __str__


def equilibria_of(
    machine: Machine,
    hold: Mapping[str, Any] | str | Iterable[str] | None,
    efforts: Mapping[str, Any] | None,
    states: Mapping[str, Any] | None,
    t: float | None,
    starts: int,
    seed: int,
) -> Equilibria:
    """See `Machine.equilibria`."""
    if not isinstance(starts, int | np.integer) or starts < 1:
        raise InputError(Problem(f"{starts!r} starts", "starts", "give a whole number above zero"), machine.name)
    given = asked(machine, hold, efforts, None, "nearest", states, t)
    loops = given.loops
    balance = Balance(loops, given.held, given.t)
    Y = _starts(balance, given, starts, seed)
    X = np.tile(given.x, (len(Y), 1))
    limits = [x for x in joint_limits(loops) if x.beyond(loops, given.posture.y[x.place]) <= SLACK]
    kinds: tuple[Kind, ...] = ("stable", "nearest")
    groups: list[tuple[Array, int, Kind]] = []  # where searches ended, how many did, and how to go on from there
    stopped: dict[tuple[int, int], int] = {}
    for kind in kinds:
        found = searched(balance, Y, X, given.effort, kind, limits)
        for y in found.Y[found.status == REST]:
            _count(loops, groups, y, 1, "nearest")
        if kind == "stable":
            for k in np.flatnonzero(found.status == LIMIT):
                stop = int(found.limit[k]), int(found.side[k])
                if stopped.setdefault(stop, 0) < ON_STOPS:
                    groups.append((found.Y[k], 1, "stable"))
                stopped[stop] += 1
    ends: list[tuple[Array, int, Kind]] = []
    rests: list[tuple[Equilibrium, int]] = []
    for y, count, kind in groups:
        try:
            own = replace(given, posture=Posture(loops, y, np.flatnonzero(given.held).tolist()))
            rest = rest_from(machine, own, kind)
        except LinkworkError:  # it came near, but does not rest there to rounding
            continue
        before = len(ends)
        place = _count(loops, ends, rest.posture.y, count, kind)
        if len(ends) > before:
            rests.append((rest, count))
        else:
            rests[place] = rests[place][0], ends[place][1]
    rests.sort(key=lambda rest: sum(rest[0].energies.values()))
    return Equilibria(machine.name, [r for r, _ in rests], [n for _, n in rests], 2 * len(Y))


def _starts(balance: Balance, given: Asked, count: int, seed: int) -> Array:
    """Closed postures all over: random ways from the first one, each as far as the loops go."""
    chart = balance.charts[balance.chart_at(given.posture.y)]
    rng = np.random.default_rng(seed)
    ways = np.pi * rng.uniform(-1.0, 1.0, (count, len(chart.free)))
    ways[0] = 0.0
    Y = np.tile(given.posture.y, (count, 1))
    going = np.ones(count, bool)
    for _ in range(PIECES):
        moved, closed = balance.moved(chart, Y, ways / PIECES)
        going &= closed & (balance.weak(chart, moved) < WEAK)
        for limit in joint_limits(balance.loops):
            going &= limit.beyond(balance.loops, moved[:, limit.place]) <= 0.0
        Y = np.where(going[:, np.newaxis], moved, Y)
    return np.ascontiguousarray(Y)


def _count(loops: Loops, groups: list[tuple[Array, int, Kind]], y: Array, count: int, kind: Kind) -> int:
    """Count a posture among those that are known, or as a new one; its place."""
    for k, (other, known, how) in enumerate(groups):
        if _apart(loops, y, other[: len(y)]) < ALIKE:
            groups[k] = other, known + count, how
            return k
    groups.append((y, count, kind))
    return len(groups) - 1


def _apart(loops: Loops, a: Array, b: Array) -> float:
    """The largest difference of two postures, full turns not counted; a quaternion and its opposite are one."""
    difference = (a - b) * loops.variable_scale[: len(a)]
    for slot in loops.plan.slots:
        if slot.q.start >= len(a):  # coordinates of places that are held
            continue
        for k in range(slot.plain):
            if slot.law.variables[k].dimension == "angle":
                place = slot.q.start + k
                difference[place] = np.remainder(difference[place] + np.pi, 2 * np.pi) - np.pi
    for start in loops.quaternions:
        part = slice(start, start + 4)
        if a[part] @ b[part] < 0.0:
            difference[part] = a[part] + b[part]
    return float(np.abs(difference).max(initial=0.0))
