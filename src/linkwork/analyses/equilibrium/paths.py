"""Postures of rest over a held coordinate or a number of the model: a labelled result, with what happens on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.equilibrium.curve import Curve, Spot, way_between
from linkwork.analyses.equilibrium.equilibrium import Equilibrium, told_of, verdict_at
from linkwork.analyses.equilibrium.following import Track
from linkwork.analyses.equilibrium.path_asked import AskedPath
from linkwork.analyses.equilibrium.path_result import path_result, path_run
from linkwork.analyses.equilibrium.search import REST, Found
from linkwork.analyses.equilibrium.verdict import Judged
from linkwork.analyses.kinematics.posture import Posture
from linkwork.errors import LinkworkError
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.results import Result, Run

HALVINGS = 24
"""Of a stride in which the verdict changes."""
WORDS = {
    "fold": "turns back (a fold: beyond it the machine snaps)",
    "peak": "has an extreme value",
    "branch": "another curve branches off",
    "branch nearby": "another curve branches off near here, at a point that is no simple one",
    "stop": "comes to rest on a stop",
    "release": "leaves its stop",
    "stability": "the verdict changes",
}


@dataclass(frozen=True)
class PathMark:
    """Something that happens on a path of equilibria.

    kind : "fold", "peak", "branch", "branch nearby", "stop", "release", "stability"; text : the same in words
    sample : where, among the postures of the path; value : of what the path lies over; number : of what balances it
    variable : of a stop, whose it is
    """

    kind: str
    sample: int
    value: float
    number: float
    variable: str
    text: str


class EquilibriumPath:
    """Postures of rest in the order of a curve, with names, units and evidence; `print` tells what happens on it.

    over : what it lies over, with its `unit`; by : the number that goes with it: the effort that holds it, or what was
        asked to balance it; `over` itself where a number of the model moves
    marks : folds, branch points, stops, ... in order; branches : other curves that were followed
    status : "complete" where it came to the last value, else "stopped"; message : why
    warnings : what should be known
    """

    def __init__(
        self, given: AskedPath, curve: Curve, track: Track, warnings: Sequence[str], came_from: float | None = None
    ):
        family = given.family
        self.over, self.unit, self.by = curve.over.name, curve.over.unit, family.name
        self.status = "complete" if track.complete else "stopped"
        self.message = track.reason
        self.warnings = tuple(warnings)
        self.branches: tuple[EquilibriumPath, ...] = ()
        self.came_from = came_from
        self._given, self._curve, self._track = given, curve, track
        self._machine = family.machine

    # ---------------------------------------------------------------- what is there

    def __len__(self) -> int:
        return len(self._track.spots)

    @property
    def values(self) -> Array:
        """Of what the path lies over, by posture."""
        return np.array([spot.over for spot in self._track.spots])

    @property
    def numbers(self) -> Array:
        """Of `by`, by posture."""
        return np.array([spot.mu for spot in self._track.spots])

    @cached_property
    def _judged(self) -> list[Judged]:
        return [self._verdict(spot) for spot in self._track.spots]

    @property
    def verdicts(self) -> tuple[str, ...]:
        """Whether each posture lasts, as of `Equilibrium`; at folds and branch points it is about to change."""
        return tuple(told.verdict for told in self._judged)

    @cached_property
    def marks(self) -> tuple[PathMark, ...]:
        """What happens on the way, in order."""
        found = [self._mark(m.kind, m.spot, m.limit) for m in self._track.marks]
        at = {m.spot for m in self._track.marks}
        for k, (a, b) in enumerate(pairwise(self.verdicts)):
            if a != b and not {k, k + 1} & at and {a, b} <= {"stable", "unstable", "neutral", "undecided", "held"}:
                found.append(self._changed(k, a, b))
        return tuple(sorted(found, key=lambda m: m.sample))

    def _changed(self, k: int, before: str, after: str) -> PathMark:
        """Where a verdict changes between two postures, by halving."""
        first, last = self._track.spots[k : k + 2]
        mark = self._mark("stability", k + 1, -1, f"{before} before, {after} from here on")
        if first.chart is not last.chart or first.stops != last.stops:
            return mark
        low, high = 0.0, self._curve.length(self._between(first, last))
        for _ in range(HALVINGS):
            spot = self._curve.corrected(first, 0.5 * (low + high) * first.t)
            if spot is None:
                break
            if self._verdict(spot).verdict == before:
                low = 0.5 * (low + high)
            else:
                high, last = 0.5 * (low + high), spot
        return replace(mark, value=last.over, number=last.mu)

    def _between(self, a: Spot, b: Spot) -> Array:
        """The stride (z, μ) from one spot to another."""
        return np.concatenate([way_between(self._curve, a, b), b.x - a.x, [b.mu - a.mu]])

    def _mark(self, kind: str, sample: int, limit: int, more: str = "") -> PathMark:
        spot = self._track.spots[min(sample, len(self) - 1)]
        variable = self._curve.limits[limit].variable if limit >= 0 else ""
        subject = {"fold": self.over, "peak": self.by, "stop": variable, "release": variable}.get(kind, "")
        text = f"{subject} {WORDS[kind]}".strip() + (f": {more}" if more else "")
        return PathMark(kind, sample, spot.over, spot.mu, variable, text)

    def _of(self, *kinds: str) -> tuple[PathMark, ...]:
        return tuple(mark for mark in self.marks if mark.kind in kinds)

    @property
    def folds(self) -> tuple[PathMark, ...]:
        """Where what the path lies over turns back."""
        return self._of("fold")

    @property
    def peaks(self) -> tuple[PathMark, ...]:
        """Where what balances the path is largest or smallest: as a load it would be passed with a snap."""
        return self._of("peak")

    @property
    def branch_points(self) -> tuple[PathMark, ...]:
        """Where other curves branch off."""
        return self._of("branch", "branch nearby")

    @property
    def stops(self) -> tuple[PathMark, ...]:
        """Where the machine comes to rest on limits of travel, and leaves them."""
        return self._of("stop", "release")

    # ---------------------------------------------------------------- postures

    def _found(self, spot: Spot) -> Equilibrium:
        """The equilibrium of a spot, of a machine with its number."""
        family = self._given.family
        machine = self._machine
        if family.kind == "parameter":
            machine = machine.starting_from(Posture(machine.loops, spot.y[: machine.plan.ny]))
            machine = machine.with_parameters({family.name: spot.mu})
        given = self._asked(spot)
        held = (spot.held & ~self._curve.idle) | given.held
        balance = type(family.balance(spot.mu, held))(given.loops, held, given.t)
        chart = balance.charts[balance.chart_at(spot.y)]
        one = np.zeros(1, np.int64)
        found = Found(
            spot.y[np.newaxis], spot.x[np.newaxis], one + REST, one, one, one - 1, one, np.array([self._curve.size])
        )
        given = replace(given, posture=Posture(given.loops, spot.y, np.flatnonzero(given.held).tolist()))
        return told_of(machine, given, balance, chart, found, 0)

    def _asked(self, spot: Spot) -> Any:
        """What is asked at a spot; a coordinate that its own effort holds is held."""
        family = self._given.family
        given = family.asked(spot.mu)
        if self._holds:
            held = given.held.copy()
            held[self._curve.over.column] = True
            return replace(given, held=held, effort=family.given.effort)
        return given

    @property
    def _holds(self) -> bool:
        family, over = self._given.family, self._curve.over
        return over.place >= 0 and family.kind == "effort" and family.column == over.column

    def _verdict(self, spot: Spot) -> Judged:
        family = self._given.family
        given = self._asked(spot)
        held = (spot.held & ~self._curve.idle) | given.held
        try:
            balance = family.balance(spot.mu, held)
            if np.array_equal(held, spot.held):
                chart = family.chart(balance, spot.mu, spot.chart)
            else:
                chart = balance.charts[balance.chart_at(spot.y)]
            return verdict_at(given, balance, chart, spot.y, spot.x, self._curve.size)
        except LinkworkError as error:
            return Judged("undecided", str(error), np.zeros(0), True, ())

    def rest(self, sample: int) -> Equilibrium:
        """The equilibrium at a posture of the path, with everything that `equilibrium` tells.

        Parameters
        ----------
        sample : its number, counted from the end if below zero
        """
        return self._found(self._track.spots[sample])

    def at(self, value: Any) -> tuple[Equilibrium, ...]:
        """All equilibria of the path at a value of what it lies over, found exactly, in the order of the curve.

        Parameters
        ----------
        value : of what it lies over [SI]
        """
        wanted = float(value)
        spots = self._track.spots
        tiny = 1e-11 * abs(self._curve.over.last - self._curve.over.first)
        found: list[Spot] = []
        for k, (a, b) in enumerate(pairwise(spots)):
            if abs(a.over - wanted) <= tiny:
                found.append(a)
            elif abs(b.over - wanted) <= tiny:
                found += [b] if k == len(spots) - 2 else []
            elif (a.over < wanted) != (b.over < wanted):
                between = self._between(a, b) * (wanted - a.over) / (b.over - a.over)
                spot = self._curve.corrected(a, between, target=wanted) or self._curve.corrected(
                    b, 0.0 * b.t, target=wanted
                )
                found += [] if spot is None else [spot]
        return tuple(self._found(spot) for spot in found)

    # ---------------------------------------------------------------- numbers, pictures, files

    @cached_property
    def result(self) -> Result:
        """Variables, efforts, pushes of stops, loads, energies and places as labelled numbers along the path."""
        return path_result(self)

    def __getitem__(self, name: str) -> Any:
        """A signal of `result` by name; what the path lies over too."""
        found = self._machine.loops.book.find(name, "variable")
        if found is not None:
            return self.result.signal(found.name)
        return self.result.signal(f"{name}.value") if name in self._machine.states else self.result[name]

    def run(self, duration: float = 4.0) -> Run:
        """The path as a motion that can be played, seen in the workbench and reported: its length is the time.

        Parameters
        ----------
        duration : [s]
        """
        return path_run(self, duration)

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Draw signals over what the path lies over: stable postures in full lines, others thin, folds ringed.

        Parameters
        ----------
        names : of signals of `result`; what balances the path by default, or the free variables
        ax : axes to draw into; a new figure without
        """
        from linkwork.analyses.equilibrium.path_plots import path_plot

        return path_plot(self, names).draw(ax)

    def save(self, path: str | Path) -> Path:
        """Write the numbers to a file, as `Result.save` does.

        Parameters
        ----------
        path : where to: NetCDF (.nc) or CSV (.csv)
        """
        return self.result.save(path)

    def __str__(self) -> str:
        show, over = self._shown, self.over
        lines = [
            f"{self._machine.name} at rest over {over} from {show(over, self.values[0])} to "
            f"{show(over, self.values[-1])}: {len(self)} postures, {self.status}"
        ]
        if self.message:
            lines.append(f"  {self.message}")
        if self.by != over:
            low, high = float(self.numbers.min()), float(self.numbers.max())
            lines.append(f"  {self.by} from {show(self.by, low)} to {show(self.by, high)}")
        told: list[tuple[str, int, int]] = []
        for k, verdict in enumerate(self.verdicts):
            if any(mark.sample == k for mark in self.marks if mark.kind in ("fold", "branch", "peak")):
                continue
            if told and told[-1][0] == verdict:
                told[-1] = verdict, told[-1][1], k
            else:
                told.append((verdict, k, k))
        for verdict, a, b in told:
            lines.append(f"  {verdict} from {over} = {show(over, self.values[a])} to {show(over, self.values[b])}")
        for mark in self.marks:
            where = f"{over} = {show(over, mark.value)}"
            if self.by != over:
                where += f", {self.by} = {show(self.by, mark.number)}"
            lines.append(f"  at {where}: {mark.text}")
        for branch in self.branches:
            first, *more = str(branch).split("\n")
            at = "" if branch.came_from is None else f" that leaves at {over} = {show(over, branch.came_from)}"
            lines += [f"  branch{at}:", f"    {first}", *(f"    {line.strip()}" for line in more)]
        return "\n".join([*lines, *(f"  warning: {w}" for w in self.warnings)])

    __repr__ = __str__

    def _shown(self, name: str, value: float) -> str:
        loops = self._given.family.given.loops
        if name in loops.plan.variables:
            return loops.shown(name, value)
        unit = self.unit if name == self.over else self._given.family.unit
        return f"{value:.6g}" + ("" if unit == "1" else f" {unit}")

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        return {
            "over": self.over,
            "unit": self.unit,
            "by": self.by,
            "status": self.status,
            "message": self.message,
            "values": self.values.tolist(),
            "numbers": self.numbers.tolist(),
            "verdicts": list(self.verdicts),
            "variables": {name: self.result[name].values.tolist() for name in self._variables},
            "marks": [
                {"kind": m.kind, "sample": m.sample, "value": m.value, "number": m.number, "text": m.text}
                for m in self.marks
            ],
            "branches": [branch.as_dict() for branch in self.branches],
            "warnings": list(self.warnings),
        }

    @property
    def _variables(self) -> list[str]:
        return [name for name in self._machine.plan.variables if name != self.over]
