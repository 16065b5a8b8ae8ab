"""Eigenvalues over the speed of a steady motion (Campbell diagram) or over any number of the model (root locus).

Branches follow themselves by their vectors (`branches`); where neighbours do not meet for certain, samples are put in
between. Crossings lie where polynomials through a branch, sampled finely between two samples, have equal values; limits
of stability where a real part passes zero, or, where two roots meet there, by cutting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from linkwork.analyses.linear.branches import SURE, Branches, followed
from linkwork.colours import Tint
from linkwork.errors import InputError, LinkworkError, Problem
from linkwork.geometry import Array
from linkwork.results import Result, build_result
from linkwork.results.plots.description import Axis, Line, Panel, Plot

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine


class Family(Protocol):
    """A family of linearised machines."""

    def __call__(self, values: Array, /) -> Array:
        """Matrices (k, n, n) of z' = A z, scaled, at values (k,); no numbers where there is no set point."""

    def lost(self, value: float) -> LinkworkError:
        """What is said where there is none."""


ROUNDS = 4
"""How often samples are put in between where branches are not certain."""
GROWS = 1e-6
"""Real part above this part of the largest eigenvalue that counts as growth: double roots have rounding."""
NODES = 9
"""Samples between two neighbours where a crossing is looked for."""
PARTS, ROUNDS_OF_PARTS = 32, 10
"""Into how many an interval in which stability ends is cut, all asked at once, and how often."""


@dataclass(frozen=True)
class Crossing:
    """Where a branch has the frequency of another, or of a multiple of the speed.

    value : of the speed [rad/s] or number; frequency : [Hz]; branches : from 1, one or two
    order : the multiple of the speed; 0 where two branches cross
    """

    value: float
    frequency: float
    branches: tuple[int, ...]
    order: float


@dataclass(frozen=True)
class StabilityLimit:
    """Where small motions begin to grow, or cease to.

    value : of the speed or number; frequency : at which they swing there [Hz]
    grows_above : whether they grow beyond the value, else below
    """

    value: float
    frequency: float
    grows_above: bool


@dataclass(frozen=True, eq=False)
class Locus:
    """Eigenvalues over a speed or number, by branch; `plot` draws them.

    parameter, unit : over what; values : of it (samples,)
    eigenvalues : (samples, branches) [1/s], one of each pair
    crossings : of branches with each other and with multiples of the speed; limits : of stability
    warnings : what should be known
    """

    parameter: str
    unit: str
    values: Array
    eigenvalues: Any
    crossings: tuple[Crossing, ...]
    limits: tuple[StabilityLimit, ...]
    warnings: tuple[str, ...]
    _machine: Machine
    _orders: tuple[float, ...]

    @property
    def frequencies(self) -> Array:
        """Of all branches [Hz]."""
        found: Array = np.abs(self.eigenvalues.imag) / (2 * np.pi)
        return found

    @property
    def stable(self) -> Any:
        """By sample, whether no branch grows."""
        size = np.abs(self.eigenvalues).max(axis=1, initial=0.0)
        return (self.eigenvalues.real <= GROWS * size[:, np.newaxis]).all(axis=1)

    @cached_property
    def result(self) -> Result:
        """Eigenvalues and frequencies as labelled numbers over the parameter and the branch."""
        axes: dict[str, Any] = {
            self.parameter: (self.unit, self.values),
            "branch": ("1", np.arange(1, self.eigenvalues.shape[1] + 1)),
        }
        along = (self.parameter, "branch")
        signals: dict[str, tuple[str, Any, Any]] = {
            "frequency": ("Hz", along, self.frequencies), "eigenvalue": ("Hz", along, self.eigenvalues)
        }  # fmt: skip
        return build_result(
            axes, signals, mechanism=self._machine.name, analysis="campbell" if self._orders else "root locus",
            warnings=list(self.warnings), machine=self._machine,
        )  # fmt: skip

    def plot(self, ax: Any = None) -> Any:
        """Draw a Campbell diagram over the speed with its crossings, or a root locus in the complex plane.

        Parameters
        ----------
        ax : axes to draw into; a new figure without
        """
        lines: list[Line] = []
        for k in range(self.eigenvalues.shape[1]):
            tint: Tint = k
            x, y = (self.values, self.frequencies[:, k]) if self._orders else _plane(self.eigenvalues[:, k])
            lines.append(Line(f"branch {k + 1}", x, y, tint=tint))
        if not self._orders:
            across, up = Axis("growth", "1/s", kind="growth"), Axis("frequency", "rad/s", kind="frequency")
            return Plot((Panel(across, up, tuple(lines)),), title=f"root locus over {self.parameter}").draw(ax)
        top = float(self.frequencies.max(initial=0.0))
        for number, order in enumerate(self._orders):
            y = order * np.abs(self.values) / (2 * np.pi)
            kept = y <= 1.1 * top
            shade: Tint = self.eigenvalues.shape[1] + number
            lines.append(Line(f"{order:g} x speed", self.values[kept], y[kept], tint=shade))
        panel = Panel(Axis(self.parameter, self.unit), Axis("frequency", "Hz", kind="frequency"), tuple(lines))
        return Plot((panel,), title=f"campbell diagram of {self._machine.name}").draw(ax)

    def __str__(self) -> str:
        first, last, count = self.values[0], self.values[-1], self.eigenvalues.shape[1]
        lines = [
            f"{self._machine.name} over {self.parameter} from {first:.6g} to {last:.6g} {self.unit}: {count} branches"
        ]
        for c in self.crossings:
            who = " and ".join(f"branch {b}" for b in c.branches)
            what = f"meets {c.order:g} x speed" if c.order else "cross"
            lines.append(f"  {who} {what} at {c.value:.8g} {self.unit}, {c.frequency:.6g} Hz")
        for limit in self.limits:
            side = "above" if limit.grows_above else "below"
            lines.append(f"  small motions grow {side} {limit.value:.8g} {self.unit}, at {limit.frequency:.6g} Hz")
        return "\n".join([*lines, *(f"  warning: {w}" for w in self.warnings)])

    __repr__ = __str__


def _plane(values: Any) -> tuple[Array, Array]:
    return np.asarray(values.real), np.asarray(values.imag)


def locus(
    machine: Machine, parameter: str, unit: str, values: Array, family: Family, orders: Sequence[float] = (),
    warnings: Sequence[str] = (),
) -> Locus:  # fmt: skip
    """Branches of a family of matrices, with crossings and limits."""
    told = list(warnings)
    asked, matrices = values, family(values)
    values, matrices = _known(family, values, matrices)
    if len(values) < len(asked):
        lost = asked[asked > values[-1]] if values[0] == asked[0] else asked[asked < values[0]]
        beside = float(lost.min() if values[0] == asked[0] else lost.max())
        why = family.lost(beside).problems[0].what
        told.append(f"there is no set point at {beside:.6g} and beyond ({why}): {len(values)} of {len(asked)} samples")
    found = followed(matrices)
    for _ in range(ROUNDS):
        doubtful = np.flatnonzero(found.certainty < SURE)
        if not doubtful.size:
            break
        between = 0.5 * (values[doubtful] + values[doubtful + 1])
        more = family(between)
        good = np.isfinite(more).all(axis=(1, 2))
        matrices = np.insert(matrices, doubtful[good] + 1, more[good], axis=0)
        values = np.insert(values, doubtful[good] + 1, between[good])
        found = followed(matrices)
    if (left := np.flatnonzero(found.certainty < SURE)).size:
        places = ", ".join(f"{values[k]:.5g}" for k in left[:5]) + (", ..." if len(left) > 5 else "")
        told.append(
            f"branches are not told apart for certain near {places}: roots meet there, or samples are far apart"
        )
    kept = _one_of_each_pair(found.values)
    eigenvalues = found.values[:, kept]
    crossings = _crossings(family, values, found, kept, orders)
    limits = _limits(family, values, found)
    return Locus(
        parameter, unit, values, eigenvalues, tuple(crossings), tuple(limits), tuple(told), machine, tuple(orders)
    )


def _known(family: Family, values: Array, matrices: Array) -> tuple[Array, Array]:
    """The longest stretch of neighbours that have set points; an error where two neighbours have none."""
    good = np.concatenate([[False], np.isfinite(matrices).all(axis=(1, 2)), [False]])
    starts, ends = np.flatnonzero(~good[:-1] & good[1:]), np.flatnonzero(good[:-1] & ~good[1:])
    longest = int((ends - starts).argmax()) if len(starts) else 0
    if not len(starts) or ends[longest] - starts[longest] < 2:
        raise family.lost(float(values[int(np.flatnonzero(~good[1:-1])[0])]))
    kept = slice(starts[longest], ends[longest])
    return values[kept], matrices[kept]


def _one_of_each_pair(values: Any) -> list[int]:
    """Branches without those that mirror others, by frequency."""
    size = float(np.abs(values).max(initial=0.0)) or 1.0
    kept: list[int] = []
    for k in np.argsort(-values.imag.sum(axis=0), kind="stable").tolist():
        mirror = any(
            np.abs(values[:, k] - values[:, j].conj()).max() <= 1e-7 * size
            and values[:, k].imag.max(initial=0.0) <= 1e-9 * size
            and np.abs(values[:, k].imag).max() > 1e-9 * size
            for j in kept
        )
        if not mirror:
            kept.append(k)
    return sorted(kept, key=lambda k: (abs(values[0, k].imag), values[0, k].real))


def _crossings(
    family: Family, values: Array, found: Branches, kept: Sequence[int], orders: Sequence[float]
) -> list[Crossing]:
    """Where branches have the frequency of a multiple of the speed, or of each other."""
    f = np.abs(found.values[:, kept].imag) / (2 * np.pi)
    size = float(f.max(initial=0.0)) or 1.0
    pairs = [(a, -1, order) for a in range(len(kept)) for order in orders]
    pairs += [(a, b, 0.0) for a in range(len(kept)) for b in range(a + 1, len(kept))]
    crossings: list[Crossing] = []
    for a, b, order in pairs:
        gap = f[:, a] - (f[:, b] if b >= 0 else order * np.abs(values) / (2 * np.pi))
        swings = (f[:, a] > 1e-9 * size) & (b < 0 or f[:, b] > 1e-9 * size)
        for k in np.flatnonzero((gap[:-1] * gap[1:] < 0.0) & swings[:-1] & swings[1:]):
            nodes, own = _between(family, values, found, int(k))
            if not len(nodes):
                continue
            fa = np.abs(own[:, kept[a]].imag) / (2 * np.pi)
            fb = np.abs(own[:, kept[b]].imag) / (2 * np.pi) if b >= 0 else order * np.abs(nodes) / (2 * np.pi)
            value = _zero(nodes, fa - fb)
            if value is not None:
                at = float(np.polynomial.Chebyshev.fit(nodes, fa, NODES - 1)(value))
                branches = (a + 1,) if b < 0 else (a + 1, b + 1)
                crossings.append(Crossing(value, at, branches, order))
    return sorted(crossings, key=lambda c: c.value)


def _between(family: Family, values: Array, found: Branches, k: int) -> tuple[Array, Any]:
    """Branches at Chebyshev's points between two samples, as those of the first."""
    low, high = values[k], values[k + 1]
    nodes = 0.5 * (low + high) - 0.5 * (high - low) * np.cos(np.pi * np.arange(NODES) / (NODES - 1))
    matrices = family(nodes)
    if not np.isfinite(matrices).all():
        return nodes[:0], found.values[:0]
    own = followed(matrices).values
    order = [int(np.abs(own[0] - x).argmin()) for x in found.values[k]]
    return nodes, own[:, order]


def _zero(nodes: Array, gap: Array) -> float | None:
    """The zero of a polynomial through values of one sign at the first and of the other at the last node."""
    roots = np.polynomial.Chebyshev.fit(nodes, gap, len(nodes) - 1).roots()
    real = roots[np.abs(roots.imag) <= 1e-9 * max(np.abs(nodes).max(), 1e-300)].real
    inside = real[(real >= nodes[0]) & (real <= nodes[-1])]
    return float(inside[0]) if inside.size else None


def _limits(family: Family, values: Array, found: Branches) -> list[StabilityLimit]:
    """Where the largest real part passes zero."""
    growing = _grows(found.values)
    limits: list[StabilityLimit] = []
    for k in np.flatnonzero(growing[1:] != growing[:-1]):
        low, high, above = float(values[k]), float(values[k + 1]), bool(growing[k + 1])
        for _ in range(ROUNDS_OF_PARTS):
            inner = np.linspace(low, high, PARTS + 1)[1:-1]
            own = np.linalg.eigvals(np.nan_to_num(family(inner)))
            beyond = int((np.concatenate([_grows(own) == above, [True]])).argmax())
            ends = np.concatenate([[low], inner, [high]])
            low, high = float(ends[beyond]), float(ends[beyond + 1])
        at = np.linalg.eigvals(np.nan_to_num(family(np.array([high if above else low]))))[0]
        root = at[int(at.real.argmax())]
        value = _polished(family, values, int(k), 0.5 * (low + high), root)
        own = np.linalg.eigvals(np.nan_to_num(family(np.array([value]))))[0]
        swinging = abs(own[int(np.abs(own - root).argmin())].imag) / (2 * np.pi)
        limits.append(StabilityLimit(value, swinging, above))
    return limits


def _grows(values: Any) -> Any:
    size = np.abs(values).max(axis=1, initial=0.0)
    return values.real.max(axis=1, initial=-np.inf) > GROWS * size


def _polished(family: Family, values: Array, k: int, value: float, root: complex) -> float:
    """Where the real part is zero itself, of a root that passes on its own; else the value."""
    h = 1e-3 * (values[k + 1] - values[k])
    nodes = value + h * np.linspace(-1.0, 1.0, 5)
    every = np.linalg.eigvals(np.nan_to_num(family(nodes)))
    own = np.array([row[int(np.abs(row - root).argmin())] for row in every])
    size = float(np.abs(every).max())
    if not (own.real[0] < -1e-12 * size) ^ (own.real[-1] < -1e-12 * size):
        return value
    found = _zero(nodes, own.real)
    slope = (own.real[-1] - own.real[0]) / (nodes[-1] - nodes[0])
    straight = abs(own.real[2] - 0.5 * (own.real[0] + own.real[-1])) <= 0.05 * abs(slope) * 2 * h
    return value if found is None or not straight else found


# ---------------------------------------------------------------- what is asked


def checked_range(low: Any, high: Any, samples: Any, source: str) -> Array:
    """Evenly spaced values; InputError for what is no range."""
    problems = []
    try:
        ends = float(low), float(high)
    except (TypeError, ValueError):
        ends = (np.nan, np.nan)
    if not np.isfinite(ends).all() or ends[0] == ends[1]:
        problems.append(Problem(f"from {low!r} to {high!r} is no range", "low, high", "give two numbers that differ"))
    if not isinstance(samples, int | np.integer) or samples < 2:
        problems.append(Problem(f"{samples!r} samples", "samples", "give a whole number above one"))
    if problems:
        raise InputError(problems, source)
    return np.linspace(min(ends), max(ends), int(samples))
