"""What inverse kinematics finds when it looks for all: postures, what is known of each, and whether these are all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.errors import InputError
from linkwork.geometry import Array
from linkwork.names import no_such

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results.plots import Panels
    from linkwork.results.signals import Units

SHOWN = 32
"""Solutions that are printed."""


@dataclass(frozen=True)
class Note:
    """What is to be known of one solution.

    error : what is missing at it [rad, or parts of the machine's size]
    outside : limits of joints that it is beyond, as text, and beyond : the variables
    singular : the target has lost a direction here; free : variables that move along a whole curve of solutions
    branch : which way each two-way root of a closed form went, as text by joint; empty without
    away : how far its variables are from the start [rad, or parts of the machine's size]
    at : which sample of a joint that is swept, 0 without
    """

    error: float
    outside: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()
    singular: bool = False
    free: tuple[str, ...] = ()
    branch: str = ""
    away: float = 0.0
    at: int = 0

    def words(self) -> str:
        """The flags in a line."""
        parts = [*(f"outside: {x}" for x in self.outside)]
        if self.free:
            parts.append(f"one of a curve along which {', '.join(self.free)} move")
        elif self.singular:
            parts.append("singular: two solutions in one")
        return "; ".join(parts)


@dataclass(frozen=True, eq=False)
class Solutions(Sequence[Posture]):
    """All postures at which a target is as it is wanted: those within limits first, then by nearness to the start.

    target : the name that was asked for; variables : those that were solved for
    postures, notes : the solutions, and what is to be known of each
    method : "closed form", "elimination" or "search"
    complete : whether these are proven to be all; reason : why, or why not
    samples : values of joints that are swept, by name, one for each sample
    nearest : the posture that comes nearest, as far as was found, where there is no solution
    """

    target: str
    variables: tuple[str, ...]
    postures: tuple[Posture, ...]
    notes: tuple[Note, ...]
    method: str
    complete: bool
    reason: str
    samples: Mapping[str, Array]
    nearest: Posture

    def __len__(self) -> int:
        return len(self.postures)

    @overload
    def __getitem__(self, key: int | str) -> Posture: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Posture, ...]: ...
    def __getitem__(self, key: int | str | slice) -> Posture | tuple[Posture, ...]:
        if isinstance(key, str):
            names = [p.name for p in self.postures]
            if key not in names:
                raise InputError(no_such("solution", key, names))
            return self.postures[names.index(key)]
        return self.postures[key]

    def __iter__(self) -> Iterator[Posture]:
        return iter(self.postures)

    @property
    def within(self) -> Solutions:
        """Those within the limits of all joints."""
        keep = [k for k, note in enumerate(self.notes) if not note.outside]
        return self._only(keep)

    @property
    def excluded_by(self) -> dict[str, int]:
        """How many solutions the limits of each variable exclude."""
        names = [v for note in self.notes for v in note.beyond]
        return {v: names.count(v) for v in dict.fromkeys(names)}

    def values(self, name: str) -> Array:
        """A variable's value in every solution [rad, m].

        Parameters
        ----------
        name : of a variable or joint
        """
        return np.array([float(p[name]) for p in self.postures])

    def _only(self, keep: Sequence[int]) -> Solutions:
        postures, notes = tuple(self.postures[k] for k in keep), tuple(self.notes[k] for k in keep)
        return replace(self, postures=postures, notes=notes)

    def curves(self) -> list[Solutions]:
        """Solutions of a swept joint joined to curves: each follows one solution from sample to sample."""
        open_: list[list[int]] = []
        closed: list[list[int]] = []
        number = len(next(iter(self.samples.values()), np.zeros(1)))
        by_sample = [[k for k, note in enumerate(self.notes) if note.at == at] for at in range(number)]
        for members in by_sample:
            left, going = list(members), []
            for line in sorted(open_, key=lambda c: self._nearest(c[-1], members)[1]):
                pick, away = self._nearest(line[-1], left)
                if pick is not None and away < 1.0:
                    left.remove(pick)
                    going.append([*line, pick])
                else:
                    closed.append(line)
            open_ = [*going, *([k] for k in left)]
        return [self._only(c) for c in (*closed, *open_)]

    def _nearest(self, one: int, others: Sequence[int]) -> tuple[int | None, float]:
        best, least = None, np.inf
        for k in others:
            gap = [self.postures[k][v] - self.postures[one][v] for v in self.variables]
            gap = [np.angle(np.exp(1j * g)) if self._turns(v) else g for v, g in zip(self.variables, gap, strict=True)]
            away = float(np.abs(gap).max(initial=0.0))
            if away < least:
                best, least = k, away
        return best, least

    def _turns(self, variable: str) -> bool:
        loops = self.postures[0].loops
        return bool(loops.variable_scale[loops.plan.variables.index(variable)] == 1.0)

    def verdict(self) -> str:
        """Whether these are all, and how that is known."""
        return f"complete: {self.reason}" if self.complete else f"not proven to be all: {self.reason}"

    def __str__(self) -> str:
        number = "1 solution" if len(self) == 1 else f"{len(self)} solutions"
        inside = sum(not n.outside for n in self.notes)
        head = f"{number} for '{self.target}'"
        if inside < len(self):
            head += f", {inside} within limits"
        lines = [head, f"  {self.verdict()}"]
        if self.postures and not inside:
            names = ", ".join(f"{v} ({n} of {len(self)})" for v, n in self.excluded_by.items())
            lines.append(f"  limits exclude every solution: {names}")
        rows = [["", *self.variables, "error", "branch", ""]]
        for p, note in list(zip(self.postures, self.notes, strict=True))[:SHOWN]:
            values = [p.loops.shown(v, float(p[v])) for v in self.variables]
            rows.append([p.name, *values, f"{note.error:.1e}", note.branch, note.words()])
        if len(rows) > 1:
            if not any(r[-2] for r in rows[1:]):
                rows = [[*r[:-2], r[-1]] for r in rows]
            widths = [max(len(r[k]) for r in rows) for k in range(len(rows[0]))]
            lines += ["  " + "  ".join(x.ljust(w) for x, w in zip(r, widths, strict=True)).rstrip() for r in rows]
        if len(self) > SHOWN:
            lines.append(f"  ... and {len(self) - SHOWN} more")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return (
            f"Solutions of {self.target}: {len(self)}, {self.method}, {'complete' if self.complete else 'not proven'}"
        )

    def plot(self, *names: str, units: Units = None, ax: Axes | Sequence[Axes] | None = None) -> Panels:
        """Plot the variables of all solutions side by side, a line for each; of a swept joint, over that joint.

        Parameters
        ----------
        names : variables or joints; those that were solved for without
        units : units to show, {"angle": "deg"}; without, those of the model
        ax : axes to draw into, one for every unit; a new figure without
        """
        from linkwork.analyses.robots.solutions.plots import solution_panels

        return solution_panels(self, names, units).draw(ax)

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        found = [
            {
                "name": p.name,
                "values": {v: float(p[v]) for v in self.variables},
                "error": n.error,
                "outside": list(n.outside),
                "singular": n.singular,
                "free": list(n.free),
                "branch": n.branch,
                "at": n.at,
            }
            for p, n in zip(self.postures, self.notes, strict=True)
        ]
        return {
            "target": self.target,
            "method": self.method,
            "complete": self.complete,
            "reason": self.reason,
            "samples": {k: np.asarray(v).tolist() for k, v in self.samples.items()},
            "solutions": found,
        }
