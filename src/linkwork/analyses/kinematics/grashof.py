"""Four-bars and slider-cranks: which links turn fully, how far the others swing, and where they lock.

A joint between links x and y spans, with the other two links u and v, a quadrilateral with the diagonal d opposite to
the joint. Over a full turn d runs from |x - y| to x + y, while u and v allow |u - v| ... u + v. So the joint makes a
full turn if and only if

    |x - y| >= |u - v|   (it passes through folded)   and   x + y <= u + v   (it passes through stretched),

and each condition that fails gives a limit, where u and v are in line: a toggle. On the sphere lengths are arcs and
x + y is counted as 2 pi - x - y beyond pi; everything else stays. Grashof's rule s + l <= p + q follows.

Angles are measured about the axis from the line of the ground link, drawn from the input's pivot to the output's.
Barker, A complete classification of planar four-bar linkages, Mech. Mach. Theory 20 (1985); McCarthy, Soh, Geometric
Design of Linkages, chs. 2, 9.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import InputError, Problem
from linkwork.geometry.types import ArrayLike

CHANGE_POINT = 1e-9
"""Part of the longest link within which two sums of lengths count as equal."""

Kind = Literal["crank-rocker", "rocker-crank", "double-crank", "double-rocker", "triple-rocker", "change-point"]
Ranges = tuple[tuple[float, float], ...]
FULL_TURN: Ranges = ((-math.pi, math.pi),)

BARKER = (
    "GCCC double-crank",
    "GCRR crank-rocker",
    "GRCR double-rocker",
    "GRRC rocker-crank",
    "RRR1 triple-rocker, longest ground",
    "RRR2 triple-rocker, longest input",
    "RRR3 triple-rocker, longest coupler",
    "RRR4 triple-rocker, longest output",
    "SCCC change-point, shortest ground",
    "SCRR change-point, shortest input",
    "SRCR change-point, shortest coupler",
    "SRRC change-point, shortest output",
    "S2X change-point, two equal pairs",
    "S3X change-point, all equal",
)
"""Barker's fourteen types; type number 1 is `BARKER[0]`."""

LINKS = ("ground", "input", "coupler", "output")


# --- the verdict on four lengths --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Toggle:
    """A limit of travel: `driven` stands at `angle` [rad] (and at minus it), where two links lie in one line.

    `in_line` are these two links, `how` they lie: "stretched" out or "folded" back on each other.
    """

    driven: Literal["input", "output"]
    angle: float
    in_line: tuple[str, str]
    how: Literal["stretched", "folded"]


@dataclass(frozen=True)
class Grashof:
    """What a four-bar can do; made by `grashof` and `spherical_grashof`.

    kind : crank-rocker, rocker-crank, double-crank, double-rocker, triple-rocker (no full turn at all) or change-point
    barker : type 1 ... 14 of `BARKER`; None on the sphere
    special : parallelogram, kite or rhombus, else ""
    swing : of a triple-rocker, "0-0", "0-pi", "pi-0" or "pi-pi": the angle that the input, the output swings through
    margin : p + q - s - l of the lengths; on the sphere the least slack of all conditions
    turns : whether the joints make full turns, in the order ground-input, input-coupler, coupler-output, output-ground
    input_ranges, output_ranges : angles that can be reached [rad], low to high; high beyond pi means across pi. Two
        ranges belong to the two ways of assembly; a full turn is (-pi, pi)
    toggles : all limits of input and output
    time_ratio : slower over quicker stroke of the rocker at a steady crank; None unless one of the two is a crank
    """

    ground: float
    input: float
    coupler: float
    output: float
    kind: Kind
    barker: int | None
    special: str
    swing: str
    margin: float
    turns: tuple[bool, bool, bool, bool]
    input_ranges: Ranges
    output_ranges: Ranges
    toggles: tuple[Toggle, ...]
    time_ratio: float | None

    def __str__(self) -> str:
        more = ", ".join(part for part in (self.special, f"swings through {self.swing}" if self.swing else "") if part)
        return f"{self.kind} ({more})" if more else self.kind


def grashof(ground: float, input: float, coupler: float, output: float) -> Grashof:
    """The verdict on a planar four-bar.

    Parameters
    ----------
    ground, input, coupler, output : distances between the pins of each link [m, or any one unit]
    """
    links = checked_lengths({"ground": ground, "input": input, "coupler": coupler, "output": output}, math.inf)
    return _verdict(links, Plane(), int(barker_types(*links)))


def spherical_grashof(ground: float, input: float, coupler: float, output: float) -> Grashof:
    """The verdict on a spherical four-bar; Hooke's joint has three links of pi/2.

    Parameters
    ----------
    ground, input, coupler, output : angles between the two axes of each link [rad], between 0 and pi
    """
    links = checked_lengths({"ground": ground, "input": input, "coupler": coupler, "output": output}, math.pi)
    return _verdict(links, Sphere(), None)


def barker_types(ground: ArrayLike, input: ArrayLike, coupler: ArrayLike, output: ArrayLike) -> NDArray[np.int64]:
    """Barker's type 1 ... 14 of many planar four-bars at once; 0 where the links cannot be closed and moved.

    Parameters
    ----------
    ground, input, coupler, output : lengths, arrays that broadcast
    """
    arrays = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (ground, input, coupler, output)))
    links = np.stack(arrays, axis=-1)
    s, p, q, longest = np.moveaxis(np.sort(links, axis=-1), -1, 0)
    tol = CHANGE_POINT * longest
    margin = (p + q) - (s + longest)
    short, long = np.argmin(links, axis=-1), np.argmax(links, axis=-1)
    pairs = (p - s <= tol) & (longest - q <= tol)
    change = np.where(longest - s <= tol, 14, np.where(pairs, 13, 9 + short))
    found = np.where(margin > tol, 1 + short, np.where(margin < -tol, 5 + long, change))
    sound = np.isfinite(links).all(axis=-1) & (s > tol) & (s + p + q - longest > tol)
    return np.asarray(np.where(sound, found, 0), dtype=np.int64)


class Plane:
    """Triangles of the plane: sides are lengths."""

    def fold(self, total: float) -> float:
        return total

    def angle(self, x: float, y: float, opposite: float) -> float:
        """The angle between sides x and y of a triangle."""
        return acos((x * x + y * y - opposite * opposite) / (2.0 * x * y))


class Sphere:
    """Triangles of the unit sphere: sides are arcs in [0, pi]."""

    def fold(self, total: float) -> float:
        return math.pi - abs(math.pi - total)

    def angle(self, x: float, y: float, opposite: float) -> float:
        return acos((math.cos(opposite) - math.cos(x) * math.cos(y)) / (math.sin(x) * math.sin(y)))


class _Slack(NamedTuple):
    """By how much a joint passes through folded and through stretched; negative where it cannot."""

    folded: float
    stretched: float


def _verdict(links: tuple[float, float, float, float], space: Plane | Sphere, barker: int | None) -> Grashof:
    g, a, h, b = links
    tol = CHANGE_POINT * max(links)
    _check_closes(links, space, tol)

    def slack(x: float, y: float, u: float, v: float) -> _Slack:
        return _Slack(abs(x - y) - abs(u - v), space.fold(u + v) - space.fold(x + y))

    slacks = (slack(g, a, h, b), slack(a, h, b, g), slack(h, b, g, a), slack(b, g, a, h))
    all_slack = [value for pair in slacks for value in pair]
    turns = tuple(min(pair) >= -tol for pair in slacks)
    change = any(abs(value) <= tol for value in all_slack)
    s, p, q, longest = sorted(links)
    margin = p + q - s - longest if isinstance(space, Plane) else min(all_slack, key=abs)

    input_limits = _limits("input", space, (g, a), (h, b), slacks[0], tol)
    output_limits = _limits("output", space, (g, b), (h, a), slacks[3], tol)
    kind: Kind = "change-point" if change else _KIND[turns[0], turns[3], any(turns)]
    return Grashof(
        *links,
        kind=kind,
        barker=barker,
        special=_special(links, tol) if change else "",
        swing=f"{_through(input_limits)}-{_through(output_limits)}" if kind == "triple-rocker" else "",
        margin=margin,
        turns=(turns[0], turns[1], turns[2], turns[3]),
        input_ranges=_ranges(input_limits),
        output_ranges=_ranges(output_limits),
        toggles=(*input_limits, *output_limits),
        time_ratio=_time_ratio(links, space, kind),
    )


_KIND: Mapping[tuple[bool, bool, bool], Kind] = {
    (True, True, True): "double-crank",
    (True, False, True): "crank-rocker",
    (False, True, True): "rocker-crank",
    (False, False, True): "double-rocker",
    (False, False, False): "triple-rocker",
}
"""Kind by: the input turns fully, the output does, any joint does."""


def _limits(
    driven: Literal["input", "output"],
    space: Plane | Sphere,
    sides: tuple[float, float],
    others: tuple[float, float],
    slack: _Slack,
    tol: float,
) -> tuple[Toggle, ...]:
    """Limits of a link on ground, smallest angle first. The output's angle is that of its extension: pi minus inner."""
    x, y = sides
    u, v = others
    in_line = ("coupler", "output" if driven == "input" else "input")
    found = []
    if slack.folded < -tol:
        found.append(Toggle(driven, space.angle(x, y, abs(u - v)), in_line, "folded"))
    if slack.stretched < -tol:
        # On the sphere u + v beyond pi is reached the short way round, with the links stretched all the same.
        found.append(Toggle(driven, space.angle(x, y, space.fold(u + v)), in_line, "stretched"))
    if driven == "output":
        found = [Toggle(driven, math.pi - t.angle, t.in_line, t.how) for t in reversed(found)]
    return tuple(found)


def _passes(limits: tuple[Toggle, ...]) -> tuple[bool, bool]:
    """Whether a link passes through 0 and through pi: inner angle 0 is the folded end for the input, not the output."""
    near_zero = "folded" if limits and limits[0].driven == "input" else "stretched"
    zero = all(t.how != near_zero for t in limits)
    straight = all(t.how == near_zero for t in limits)
    return zero, straight


def _through(limits: tuple[Toggle, ...]) -> str:
    return "0" if _passes(limits)[0] else "pi"


def _ranges(limits: tuple[Toggle, ...]) -> Ranges:
    zero, straight = _passes(limits)
    if zero and straight:
        return FULL_TURN
    low, high = limits[0].angle, limits[-1].angle
    if zero:
        return ((-high, high),)
    if straight:
        return ((low, 2.0 * math.pi - low),)
    return ((-high, -low), (low, high))


def _time_ratio(links: tuple[float, float, float, float], space: Plane | Sphere, kind: Kind) -> float | None:
    """Crank angle from one end of the rocker's swing to the other, against the rest of the turn."""
    g, a, h, b = links
    if kind == "rocker-crank":
        a, b = b, a
    elif kind != "crank-rocker":
        return None
    # The rocker's pin is seen from the crank's pivot along the crank when both are stretched, against it when the
    # coupler folds back past the pivot; on the sphere also against it when stretched beyond half a circle.
    beyond = isinstance(space, Sphere) and a + h > math.pi
    stretched = space.angle(g, space.fold(a + h), b) + (math.pi if beyond else 0.0)
    folded = space.angle(g, abs(h - a), b) + (math.pi if h > a else 0.0)
    forth = (folded - stretched) % (2.0 * math.pi)
    back = 2.0 * math.pi - forth
    return max(forth, back) / min(forth, back)


def _special(links: tuple[float, float, float, float], tol: float) -> str:
    g, a, h, b = links

    def same(x: float, y: float) -> bool:
        return abs(x - y) <= tol

    if max(links) - min(links) <= tol:
        return "rhombus"
    if same(g, h) and same(a, b):
        return "parallelogram"
    return "kite" if (same(g, a) and same(h, b)) or (same(g, b) and same(a, h)) else ""


def _check_closes(links: tuple[float, float, float, float], space: Plane | Sphere, tol: float) -> None:
    g, a, h, b = links
    low = max(abs(g - a), abs(h - b))
    high = min(space.fold(g + a), space.fold(h + b))
    if high - low <= tol:
        size = ", ".join(f"{name} {value:.6g}" for name, value in zip(LINKS, links, strict=True))
        state = "close in one posture only" if abs(high - low) <= tol else "cannot be closed"
        hint = "the longest link must be shorter than the other three together"
        if isinstance(space, Sphere):
            hint += ", and the four arcs shorter than a full circle and twice the shortest"
        raise InputError(Problem(f"the four links {state}: {size}", "links", hint))


def checked_lengths(links: Mapping[str, float], below: float) -> tuple[float, float, float, float]:
    """Lengths as floats; every one that is not between 0 and `below` is a problem."""
    problems = []
    for name, value in links.items():
        if not (math.isfinite(value) and 0.0 < value < below):
            hint = "give a positive length" if below == math.inf else "give an angle between 0 and pi rad"
            problems.append(Problem(f"the {name} link is {value:g}", name, hint))
    if problems:
        raise InputError(problems)
    g, a, h, b = (float(x) for x in links.values())
    return g, a, h, b


def acos(c: float) -> float:
    """Arc cosine of what may be beyond 1 by rounding."""
    return math.acos(min(1.0, max(-1.0, c)))


def wrapped(angle: float) -> float:
    """The same angle in [-pi, pi]."""
    return math.remainder(angle, 2.0 * math.pi)
