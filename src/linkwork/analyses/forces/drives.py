"""Which joints drive: as many as the machine has freedoms, or more, which then share the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from linkwork.analyses.kinematics.failures import DeadCentre
from linkwork.analyses.kinematics.loops import Loops, Mask
from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.kinematics.preference import preference
from linkwork.equations.measures import measured_names
from linkwork.errors import InputError, ModelError, Problem
from linkwork.geometry import Array


class TooFewDrives(InputError):
    """Freedoms that nothing drives: their efforts are then not forces but accidents of the motion."""


@dataclass(frozen=True, eq=False)
class Drives:
    """Columns of the rates that drive, and those among them that are taken as independent.

    held : independent rates that nothing was said to drive; what holds them is told as an effort too
    """

    columns: NDArray[np.int64]
    independent: Mask
    held: NDArray[np.int64]

    @property
    def shared(self) -> bool:
        """Whether more drives than freedoms share the work."""
        return len(self.columns) > int(self.independent.sum())


def as_names(names: str | Sequence[str]) -> list[str]:
    """Names given as a list, or a single one as text."""
    return [names] if isinstance(names, str) else list(names)


def columns_of(loops: Loops, names: Sequence[str]) -> NDArray[np.int64]:
    """Rates by the names of variables, joints or rates; InputError for those that are none."""
    names = as_names(names)
    problems, columns = [], []
    for name in names:
        found = loops.book.find(name, "variable", "rate")
        if found is None:
            problems.append(loops.book.unknown(name, "variable", "rate"))
        else:
            columns.append(found.column)
    twice = sorted({loops.plan.variable_rates[c] for c in columns if columns.count(c) > 1})
    problems += [Problem("named twice among the drives", name) for name in twice]
    if problems:
        raise InputError(problems, loops.plan.name)
    return np.array(columns, np.int64)


def turning_among(loops: Loops, names: Sequence[str]) -> list[str]:
    """Rates among some that may be held without being named: turns of free joints, and a floating body's own."""
    afloat = {k for link in loops.plan.links if link.implied for k in range(link.v.start, link.v.stop)}
    silent = set(loops.names([*np.flatnonzero(loops.turning), *afloat]))
    return [n for n in names if n in silent]


def own_drives(loops: Loops, y: Array, named: Sequence[str]) -> list[str]:
    """The drives of a motion; joints that users would drive stand in the place of coordinates that were specified."""
    measured = measured_names(loops.plan, named)
    if not measured:
        return list(named)
    own = [n for n in named if n not in measured]
    driven: Mask = np.isin(np.arange(loops.columns), columns_of(loops, own))
    return [*own, *loops.drivable(loops.chosen(y, driven, preference(loops)).free)]


def drives_of(loops: Loops, y: Array, named: Sequence[str], held: Sequence[str]) -> Drives:
    """Drives at a posture.

    named : variables that drive; held : rates that may be held besides, if the drives leave them free
    """
    columns = columns_of(loops, named)
    prefer = np.zeros(loops.columns, np.int64)
    prefer[columns_of(loops, list(held))] = 1
    prefer[columns] = 2
    free = _free(loops, y, columns, prefer)
    independent: Mask = np.zeros(loops.columns, bool)
    independent[free] = True
    others = np.setdiff1d(free, columns)
    stray = [int(c) for c in others if prefer[c] == 0]
    if stray:
        _cannot_move(loops, y, columns, free, stray)
    return Drives(np.concatenate([columns, others]), independent, others)


def _free(loops: Loops, y: Array, columns: NDArray[np.int64], prefer: NDArray[np.int64]) -> NDArray[np.int64]:
    """Independent rates: the drives, where they do not contradict each other, however weakly they move the machine."""
    if not loops.count:
        return np.arange(loops.columns)
    driven: Mask = np.isin(np.arange(loops.columns), columns)
    nothing: Mask = np.zeros(loops.columns, bool)
    usual = loops.chosen(y, nothing, prefer).free
    if np.isin(usual, columns).all() or len(columns) > len(usual):
        return usual
    roles = loops.chosen(y, driven, prefer)
    if roles.conflict or roles.rank + len(roles.independent) != loops.columns or len(roles.independent) != len(usual):
        return usual
    return roles.independent


def retaken(loops: Loops, y: Array, drives: Drives) -> Drives | None:
    """The same drives with those taken as independent that suit this posture; None where they cannot move it."""
    prefer = np.zeros(loops.columns, np.int64)
    prefer[drives.columns] = 1
    free = loops.chosen(y, np.zeros(loops.columns, bool), prefer).free
    if not np.isin(free, drives.columns).all():
        return None
    return Drives(drives.columns, np.isin(np.arange(loops.columns), free), drives.held)


def _cannot_move(loops: Loops, y: Array, columns: NDArray[np.int64], free: Any, stray: list[int]) -> NoReturn:
    """Too few drives; or enough, at a posture at which they cannot move the machine."""
    driven, loose = ", ".join(loops.names(columns)), ", ".join(loops.names(stray))
    if len(columns) >= len(free):
        text = f"singular posture: {driven} cannot move {loose} there"
        hint = "name other drives, or a posture beside this one"
        raise DeadCentre(Problem(text, "drives", hint), loops.plan.name, Posture(loops, y))
    count = counted(len(free), "freedom")
    text = f"driver count too small: {count}, and {driven or 'nothing'} drives; {loose} would be free"
    hint = "name a drive for every freedom, those that are held too"
    raise TooFewDrives(Problem(text, "drives", hint), loops.plan.name)


def counted(number: int, what: str) -> str:
    """So many of a thing, in words."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


@dataclass(frozen=True, eq=False)
class Sharing:
    """How drives share the work when there are more of them than freedoms.

    preload : efforts (samples, drives) from which they should depart least; weights (drives,) : cost of each departure
    """

    preload: Array
    weights: Array


def sharing(
    loops: Loops, drives: Drives, preload: Mapping[str, Any] | None, weights: Mapping[str, float] | None, samples: int
) -> Sharing:
    """Preload and weights by name as arrays."""
    problems: list[Problem] = []
    given = np.zeros((samples, len(drives.columns)))
    cost = np.ones(len(drives.columns))
    for what, values in (("preload", preload or {}), ("weights", weights or {})):
        for name, value in values.items():
            try:
                (column,) = columns_of(loops, [name])
            except ModelError as error:
                problems += [Problem(p.what, f"{what}.{name}", p.hint) for p in error.problems]
                continue
            place = np.flatnonzero(drives.columns == column)
            if not place.size:
                problems.append(Problem(f"'{name}' does not drive", what, f"drives: {_listed(loops, drives)}"))
                continue
            try:
                number = np.asarray(value, float)
            except (TypeError, ValueError):
                number = np.array(np.nan)
            if not np.isfinite(number).all() or number.shape not in ((), (samples,)):
                problems.append(Problem(f"a number or {samples} finite numbers are wanted", f"{what}.{name}"))
            elif what == "preload":
                given[:, place[0]] = number
            elif number.ndim or number <= 0.0:
                problems.append(Problem("a weight is one positive number", f"weights.{name}"))
            else:
                cost[place[0]] = float(number)
    if (preload or weights) and not drives.shared and not problems:
        text = "preload and weights are for machines with more drives than freedoms"
        problems.append(Problem(text, hint=f"here {_listed(loops, drives)} drive, one for each freedom"))
    if problems:
        raise InputError(problems, loops.plan.name)
    return Sharing(given, cost)


def _listed(loops: Loops, drives: Drives) -> str:
    return ", ".join(loops.names(drives.columns))


def shared_efforts(B: Array, needed: Array, how: Sharing) -> Array:
    """Efforts e (samples, drives) with Bᵀ e = needed that depart least from the preload.

    B : (samples, drives, freedoms), rates of the drives for unit independent rates
    e = e0 + W⁻¹ B (Bᵀ W⁻¹ B)⁻¹ (needed - Bᵀ e0)
    """
    eased = B / how.weights[:, np.newaxis]
    left = needed - np.einsum("sdf,sd->sf", B, how.preload)
    G = np.einsum("sdf,sdg->sfg", B, eased)
    x = np.linalg.solve(G, left[..., np.newaxis])[..., 0]
    efforts: Array = how.preload + np.einsum("sdf,sf->sd", eased, x)
    return efforts
