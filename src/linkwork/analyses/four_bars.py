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
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.geometry.types import Array, ArrayLike
from linkwork.geometry.vectors import made_perpendicular, unit
from linkwork.model.joints import Prismatic, Revolute, Rigid
from linkwork.model.layout import Layout
from linkwork.model.mechanism import Mechanism
from linkwork.topology import Topology

CHANGE_POINT = 1e-9
"""Part of the longest link within which two sums of lengths count as equal."""

FIT = 1e-6
"""Sine, or part of the model's size, within which axes count as parallel or as meeting in one point."""

MOST_ON_A_PIN = 12
"""A line of revolutes through more bodies is a shaft, not a pin: its bodies are not taken for links of four-bars."""

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
    links = _checked({"ground": ground, "input": input, "coupler": coupler, "output": output}, math.inf)
    return _verdict(links, _Plane(), int(barker_types(*links)))


def spherical_grashof(ground: float, input: float, coupler: float, output: float) -> Grashof:
    """The verdict on a spherical four-bar; Hooke's joint has three links of pi/2.

    Parameters
    ----------
    ground, input, coupler, output : angles between the two axes of each link [rad], between 0 and pi
    """
    links = _checked({"ground": ground, "input": input, "coupler": coupler, "output": output}, math.pi)
    return _verdict(links, _Sphere(), None)


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


class _Plane:
    """Triangles of the plane: sides are lengths."""

    def fold(self, total: float) -> float:
        return total

    def angle(self, x: float, y: float, opposite: float) -> float:
        """The angle between sides x and y of a triangle."""
        return _acos((x * x + y * y - opposite * opposite) / (2.0 * x * y))


class _Sphere:
    """Triangles of the unit sphere: sides are arcs in [0, pi]."""

    def fold(self, total: float) -> float:
        return math.pi - abs(math.pi - total)

    def angle(self, x: float, y: float, opposite: float) -> float:
        return _acos((math.cos(opposite) - math.cos(x) * math.cos(y)) / (math.sin(x) * math.sin(y)))


class _Slack(NamedTuple):
    """By how much a joint passes through folded and through stretched; negative where it cannot."""

    folded: float
    stretched: float


def _verdict(links: tuple[float, float, float, float], space: _Plane | _Sphere, barker: int | None) -> Grashof:
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
    margin = p + q - s - longest if isinstance(space, _Plane) else min(all_slack, key=abs)

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
    space: _Plane | _Sphere,
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


def _time_ratio(links: tuple[float, float, float, float], space: _Plane | _Sphere, kind: Kind) -> float | None:
    """Crank angle from one end of the rocker's swing to the other, against the rest of the turn."""
    g, a, h, b = links
    if kind == "rocker-crank":
        a, b = b, a
    elif kind != "crank-rocker":
        return None
    # The rocker's pin is seen from the crank's pivot along the crank when both are stretched, against it when the
    # coupler folds back past the pivot; on the sphere also against it when stretched beyond half a circle.
    beyond = isinstance(space, _Sphere) and a + h > math.pi
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


def _check_closes(links: tuple[float, float, float, float], space: _Plane | _Sphere, tol: float) -> None:
    g, a, h, b = links
    low = max(abs(g - a), abs(h - b))
    high = min(space.fold(g + a), space.fold(h + b))
    if high - low <= tol:
        size = ", ".join(f"{name} {value:.6g}" for name, value in zip(LINKS, links, strict=True))
        state = "close in one posture only" if abs(high - low) <= tol else "cannot be closed"
        hint = "the longest link must be shorter than the other three together"
        if isinstance(space, _Sphere):
            hint += ", and the four arcs shorter than a full circle and twice the shortest"
        raise ModelError(Problem(f"the four links {state}: {size}", "links", hint))


def _checked(links: Mapping[str, float], below: float) -> tuple[float, float, float, float]:
    """Lengths as floats; every one that is not between 0 and `below` is a problem."""
    problems = []
    for name, value in links.items():
        if not (math.isfinite(value) and 0.0 < value < below):
            hint = "give a positive length" if below == math.inf else "give an angle between 0 and pi rad"
            problems.append(Problem(f"the {name} link is {value:g}", name, hint))
    if problems:
        raise ModelError(problems)
    g, a, h, b = (float(x) for x in links.values())
    return g, a, h, b


def _acos(c: float) -> float:
    return math.acos(min(1.0, max(-1.0, c)))


# --- slider-cranks ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SliderCrank:
    """What a slider-crank can do; made by `slider_crank`. Crank angles [rad] count from the direction of sliding.

    kind : "crank" (crank + |offset| < rod: the crank turns fully), "rod turns" (rod + |offset| < crank: the rod turns
        fully, the crank swings), "rocker" (neither) or "change-point" (one of both with equality)
    margin : |rod - crank| - |offset|, not negative if something makes a full turn
    turns : whether the joints ground-crank, crank-rod, rod-slider make full turns
    crank_ranges : crank angles that can be reached, as in `Grashof`
    slider_ranges : places of the slider along its path [m], 0 at the foot of the crank's centre; one a way of assembly
    stroke : length of such a range [m]
    dead_centres : crank angles at the outer and the inner end of the stroke [rad]; None unless of kind "crank"
    time_ratio : slower over quicker stroke at a steady crank; None unless of kind "crank"
    """

    crank: float
    rod: float
    offset: float
    kind: Literal["crank", "rod turns", "rocker", "change-point"]
    margin: float
    turns: tuple[bool, bool, bool]
    crank_ranges: Ranges
    slider_ranges: Ranges
    stroke: float
    dead_centres: tuple[float, float] | None
    time_ratio: float | None

    def __str__(self) -> str:
        ratio = "" if self.time_ratio is None else f", time ratio {self.time_ratio:.4g}"
        return f"slider-crank, {self.kind}: stroke {self.stroke:.6g}{ratio}"


def slider_crank(crank: float, rod: float, offset: float = 0.0) -> SliderCrank:
    """The verdict on a slider-crank: slider at a cos t + sqrt(c^2 - (a sin t - e)^2), crank a, rod c, offset e.

    Parameters
    ----------
    crank, rod : distances between their pins [m]
    offset : of the slider pin's path from the crank's centre [m], positive to the left of the direction of sliding
    """
    a, c, e, tol = _slider_sizes({"crank": crank, "rod": rod}, offset)
    if abs(e) - (a + c) >= -tol:
        hint = "the offset must be less than crank and rod together"
        raise ModelError(
            Problem(f"the links cannot be closed: crank {a:.6g}, rod {c:.6g}, offset {e:.6g}", "links", hint)
        )
    outer = math.sqrt((a + c) ** 2 - e * e)
    margin = abs(c - a) - abs(e)
    if margin > tol:  # the slider keeps to one side of the crank's centre
        inner = math.sqrt((c - a) ** 2 - e * e)
        slider: Ranges = ((-outer, -inner), (inner, outer))
        stroke = outer - inner
    else:
        slider, stroke = ((-outer, outer),), 2.0 * outer
    crank_turns, rod_turns = c - a - abs(e) >= -tol, a - c - abs(e) >= -tol
    dead = ratio = None
    if crank_turns and margin > tol:
        # Outer: rod along the crank. Inner: rod folded back over it, so the crank points away from the slider.
        first, second = math.asin(e / (a + c)), math.asin(e / (c - a))
        dead = (first, _wrapped(math.pi + second))
        x = abs(second - first)
        ratio = (math.pi + x) / (math.pi - x)
    kind: Literal["crank", "rod turns", "rocker", "change-point"]
    if abs(margin) <= tol:
        kind = "change-point"
    else:
        kind = "crank" if crank_turns else "rod turns" if rod_turns else "rocker"
    turns = (crank_turns, crank_turns or rod_turns, rod_turns)
    return SliderCrank(a, c, e, kind, margin, turns, _crank_ranges(a, c, e, tol), slider, stroke, dead, ratio)


def _crank_ranges(a: float, c: float, e: float, tol: float) -> Ranges:
    """Angles t with |a sin t - e| <= c."""
    too_high, too_low = a - e - c > tol, a + e - c > tol
    high = math.asin(max(-1.0, min(1.0, (c + e) / a))) if too_high else 0.0
    low = math.asin(max(-1.0, min(1.0, (e - c) / a))) if too_low else 0.0
    if too_high and too_low:
        return ((low, high), (math.pi - high, math.pi - low))
    if too_high:
        return ((math.pi - high, 2.0 * math.pi + high),)
    return ((low, math.pi - low),) if too_low else FULL_TURN


@dataclass(frozen=True)
class InvertedSliderCrank:
    """What a crank that drives a turning guide can do (crank shaper, Whitworth); made by `inverted_slider_crank`.

    kind : "swinging guide" (crank + |offset| < ground: the crank turns fully), "turning guide" (ground + |offset| <
        crank: both turn), "rocker" (neither) or "change-point" (one of both with equality)
    margin : |ground - crank| - |offset|, not negative if something turns fully
    crank_ranges, guide_ranges : angles that can be reached, as in `Grashof`, from the line to the guide's pivot
    swing : of the guide [rad], the length of its range; 2 pi if it turns fully
    time_ratio : slower over quicker swing at a steady crank; None unless of kind "swinging guide"
    """

    ground: float
    crank: float
    offset: float
    kind: Literal["swinging guide", "turning guide", "rocker", "change-point"]
    margin: float
    crank_ranges: Ranges
    guide_ranges: Ranges
    swing: float
    time_ratio: float | None

    def __str__(self) -> str:
        ratio = "" if self.time_ratio is None else f", time ratio {self.time_ratio:.4g}"
        return f"inverted slider-crank, {self.kind}: swing {math.degrees(self.swing):.6g} deg{ratio}"


def inverted_slider_crank(ground: float, crank: float, offset: float = 0.0) -> InvertedSliderCrank:
    """The verdict on a crank whose pin slides in a guide that turns about a second pivot.

    The guide's direction p obeys ground sin p = offset ± crank at its extremes: there the crank stands across it.

    Parameters
    ----------
    ground : distance of the two pivots [m]; crank : of crank centre and pin [m]
    offset : of the pin's path from the guide's pivot [m], either sign
    """
    g, a, e, tol = _slider_sizes({"ground": ground, "crank": crank}, offset)
    if abs(e) - (g + a) >= -tol:
        hint = "the offset must be less than ground and crank together"
        raise ModelError(
            Problem(f"the links cannot be closed: ground {g:.6g}, crank {a:.6g}, offset {e:.6g}", "links", hint)
        )
    margin = abs(g - a) - abs(e)
    # The pin must stay outside the circle of radius |offset| about the guide's pivot.
    near = _Plane().angle(g, a, abs(e)) if margin < -tol else 0.0
    ranges = ((near, 2.0 * math.pi - near),) if near else FULL_TURN
    guide = _crank_ranges(g, a, e, tol)  # |g sin p - e| <= a: the guide's line meets the crank's circle
    swing = guide[0][1] - guide[0][0]
    kind: Literal["swinging guide", "turning guide", "rocker", "change-point"]
    if abs(margin) <= tol:
        kind = "change-point"
    else:
        kind = "rocker" if margin < 0.0 else "swinging guide" if g > a else "turning guide"
    # At the ends of the swing the crank stands across the guide: between them it turns by pi + swing and pi - swing.
    ratio = (math.pi + swing) / (math.pi - swing) if kind == "swinging guide" else None
    return InvertedSliderCrank(g, a, e, kind, margin, ranges, guide, swing, ratio)


def _slider_sizes(links: Mapping[str, float], offset: float) -> tuple[float, float, float, float]:
    problems = [
        Problem(f"the {name} is {value:g}", name, "give a positive length")
        for name, value in links.items()
        if not (math.isfinite(value) and value > 0.0)
    ]
    if not math.isfinite(offset):
        problems.append(Problem(f"the offset is {offset:g}", "offset", "give a finite length"))
    if problems:
        raise ModelError(problems)
    first, second = (float(x) for x in links.values())
    return first, second, float(offset), CHANGE_POINT * max(first, second, abs(offset))


def _wrapped(angle: float) -> float:
    return math.remainder(angle, 2.0 * math.pi)


# --- in a mechanism ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FourBar:
    """A loop of four bodies found in a mechanism; made by `four_bars`.

    kind : "four-bar", "spherical four-bar", "slider-crank" or "inverted slider-crank"
    ground, input, coupler, output : its bodies; of a slider-crank: frame, crank, rod, slider; of an inverted one:
        frame, crank, block, guide
    joints : ground-input, input-coupler, coupler-output, output-ground; `E3+E4` where bodies share a pin through others
    axis : unit vector of the input's joint in the layout posture, world
    angles : of input and output at the layout [rad], measured as in the verdict; for a slider-crank the crank's angle
        and the slider's place [m]; for an inverted one those of crank and guide
    verdict : what it can do; `trouble` says why there is none
    """

    kind: Literal["four-bar", "spherical four-bar", "slider-crank", "inverted slider-crank"]
    ground: str
    input: str
    coupler: str
    output: str
    joints: tuple[str, str, str, str]
    axis: Array
    angles: tuple[float, float]
    verdict: Grashof | SliderCrank | InvertedSliderCrank | None
    trouble: str = ""

    @property
    def bodies(self) -> tuple[str, str, str, str]:
        """Ground, input, coupler, output."""
        return self.ground, self.input, self.coupler, self.output

    def __repr__(self) -> str:
        return f"FourBar: {' - '.join(self.bodies)}\n  {self.kind}: {self.trouble or self.verdict}"


@dataclass(frozen=True, eq=False)
class _Pin:
    """A joint of a loop: letter R or P, its place on each of its two bodies and its axis, world, at the layout."""

    rank: int
    name: str
    letter: str
    ends: tuple[str, str]
    at: tuple[Array, Array]
    axis: Array

    def on(self, body: str) -> Array:
        return self.at[self.ends.index(body)]

    def other(self, body: str) -> str:
        return self.ends[1 - self.ends.index(body)]


def four_bars(
    mechanism: Mechanism, layout: Layout, graph: Topology, fixed: str | None = None, driver: str | None = None
) -> list[FourBar]:
    """All loops of four bodies that are planar or spherical four-bars, slider-cranks or inverted slider-cranks.

    Every loop of four joints counts, not only the independent ones. Bodies joined rigidly are one. A pin through more
    than two bodies joins each two of them: its joint is then named by the revolutes between, as `E3+E4`. In a loop
    without the fixed body, the body nearest to that stands still. The input of a four-bar is the driver if that is
    joined to the standing link, else the link whose joint to it was declared first; that of a slider-crank is the
    crank, whatever drives it.

    Parameters
    ----------
    mechanism : the mechanism; layout : its `lay_out`, whose lengths are taken; graph : its `graph_of`
    fixed : the body that stands still; None: the ground
    driver : the body that drives; None: by the order of declaration
    """
    group = _rigid_groups(mechanism, graph)
    _check_names(mechanism, fixed, driver)
    still = group[fixed or mechanism.ground.name]
    pins = _pins(mechanism, layout, graph, group)
    pins += _shared_pins(pins, layout.size)
    distance = _distances(pins, still)
    found = []
    for loop in _loops_of_four(pins):
        bar = _recognised(loop, layout.size, distance, None if driver is None else group[driver])
        if bar is not None:
            found.append(bar)
    return found


def _check_names(m: Mechanism, fixed: str | None, driver: str | None) -> None:
    problems = [
        Problem(f"there is no body '{name}'", where, did_you_mean(name, m.bodies))
        for where, name in (("fixed", fixed), ("driver", driver))
        if name is not None and name not in m.bodies
    ]
    if problems:
        raise ModelError(problems)


def _rigid_groups(m: Mechanism, graph: Topology) -> dict[str, str]:
    """Every body's representative among those it is rigidly joined to: ground, else the first declared."""
    leader = {body: body for body in graph.bodies}

    def top(body: str) -> str:
        while leader[body] != body:
            body = leader[body]
        return body

    rank = {body: i for i, body in enumerate(graph.bodies)} | {graph.ground: -1}
    for edge in graph.edges:
        if isinstance(m.joints[edge.name].law, Rigid):
            first, second = sorted((top(edge.tail), top(edge.head)), key=rank.__getitem__)
            leader[second] = first
    return {body: top(body) for body in graph.bodies}


def _pins(m: Mechanism, layout: Layout, graph: Topology, group: Mapping[str, str]) -> list[_Pin]:
    """Revolute and prismatic joints that have a seat, between different groups, in declared order."""
    found = []
    for rank, edge in enumerate(graph.edges):
        law, seat = m.joints[edge.name].law, layout.seats.get(edge.name)
        ends = group[edge.tail], group[edge.head]
        if isinstance(law, Revolute | Prismatic) and seat is not None and ends[0] != ends[1]:
            at = seat.X_WF[:3, 3], seat.X_WM[:3, 3]
            found.append(_Pin(rank, edge.name, law.letter, ends, at, seat.X_WF[:3, 2]))
    return found


def _distances(pins: Sequence[_Pin], start: str) -> dict[str, int]:
    """Joints between a body and `start`."""
    neighbours: dict[str, list[str]] = {}
    for pin in pins:
        for body in pin.ends:
            neighbours.setdefault(body, []).append(pin.other(body))
    found, queue = {start: 0}, deque([start])
    while queue:
        body = queue.popleft()
        for other in neighbours.get(body, ()):
            if other not in found:
                found[other] = found[body] + 1
                queue.append(other)
    return found


def _shared_pins(pins: Sequence[_Pin], size: float) -> Iterator[_Pin]:
    """A pin through three bodies and more is several revolutes in one line: it joins each two of its bodies."""
    turning = [pin for pin in pins if pin.letter == "R"]
    if not turning:
        return
    middle = np.mean([pin.at[0] for pin in turning], axis=0)
    feet = [_across(pin.at[0] - middle, unit(pin.axis)) for pin in turning]
    near: dict[_Pin, list[_Pin]] = {pin: [] for pin in turning}
    for i, j in sorted(cKDTree(np.array(feet)).query_pairs(FIT * size)):
        one, two = turning[i], turning[j]
        if set(one.ends) & set(two.ends) and float(np.linalg.norm(np.cross(one.axis, two.axis))) <= FIT:
            near[one].append(two)
            near[two].append(one)
    done: set[_Pin] = set()
    for pin in turning:
        if pin not in done:
            line = [pin]
            for one in line:  # grows while it is walked
                line.extend(dict.fromkeys(two for two in near[one] if two not in line))
            done.update(line)
            yield from _pairs_on_one_line(sorted(line, key=lambda pin: pin.rank))


def _pairs_on_one_line(line: Sequence[_Pin]) -> Iterator[_Pin]:
    """A joint for every two bodies of one line of revolutes that have none, named by those between, as E3+E4."""
    at = {body: pin.on(body) for pin in line for body in pin.ends}
    if len(at) > MOST_ON_A_PIN:
        return
    order = {body: i for i, body in enumerate(at)}
    for start in at:
        way: dict[str, tuple[_Pin, ...]] = {start: ()}
        queue = deque([start])
        while queue:
            body = queue.popleft()
            for pin in (p for p in line if body in p.ends and p.other(body) not in way):
                way[pin.other(body)] = (*way[body], pin)
                queue.append(pin.other(body))
        for end, through in way.items():
            if len(through) > 1 and order[start] < order[end]:
                name = "+".join(pin.name for pin in through)
                rank = min(pin.rank for pin in through)
                yield _Pin(rank, name, "R", (start, end), (at[start], at[end]), line[0].axis)


def _loops_of_four(pins: Sequence[_Pin]) -> list[tuple[_Pin, _Pin, _Pin, _Pin]]:
    """Each loop of four different bodies once, in declared order.

    Two ways of two joints from a hub to one body make a loop; then the hub is taken out. With the busiest hubs first,
    the cost stays near that of the joints alone (Chiba, Nishizeki, SIAM J. Comput. 14, 1985).
    """
    at_body: dict[str, list[_Pin]] = {}
    for pin in pins:
        for body in pin.ends:
            at_body.setdefault(body, []).append(pin)
    gone: set[str] = set()
    found = []
    for hub in sorted(at_body, key=lambda body: -len(at_body[body])):
        gone.add(hub)
        ways: dict[str, list[tuple[str, _Pin, _Pin]]] = {}
        for first in at_body[hub]:
            middle = first.other(hub)
            if middle not in gone:
                for second in at_body[middle]:
                    end = second.other(middle)
                    if end not in gone:
                        ways.setdefault(end, []).append((middle, first, second))
        for between in ways.values():
            found += [(a, b, c, d) for (one, a, b), (two, d, c) in combinations(between, 2) if one != two]
    return sorted(found, key=lambda loop: sorted((pin.rank, pin.name) for pin in loop))


def _recognised(
    loop: tuple[_Pin, _Pin, _Pin, _Pin], size: float, distance: Mapping[str, int], driver: str | None
) -> FourBar | None:
    turning = [pin for pin in loop if pin.letter == "R"]
    if len(turning) < 3:
        return None
    axis = turning[0].axis
    parallel = all(float(np.linalg.norm(np.cross(axis, pin.axis))) <= FIT for pin in turning)
    bodies = list(dict.fromkeys(body for pin in loop for body in pin.ends))
    far = max(distance.values(), default=0) + 1
    ground = min(bodies, key=lambda body: distance.get(body, far))
    first, last = sorted((pin for pin in loop if ground in pin.ends), key=lambda pin: pin.rank)
    if len(turning) == 4:
        if driver == last.other(ground):
            first, last = last, first
        walk = _walk(loop, ground, first)
        return _planar_bar(walk, size) if parallel else _spherical_bar(walk, size)
    slide = next(pin for pin in loop if pin.letter == "P")
    if not parallel or abs(float(slide.axis @ axis)) > FIT:
        return None
    if slide in (first, last):
        return _slider_bar(_walk(loop, ground, first if slide is last else last), size)
    # The crank is the neighbour of ground that carries no slide.
    crank_first = first.other(ground) not in slide.ends
    return _guide_bar(_walk(loop, ground, first if crank_first else last), size)


class _Walk(NamedTuple):
    """A loop in order, from ground along the input."""

    pins: tuple[_Pin, _Pin, _Pin, _Pin]
    bodies: tuple[str, str, str, str]

    @property
    def names(self) -> tuple[str, str, str, str]:
        a, b, c, d = (pin.name for pin in self.pins)
        return a, b, c, d

    def span(self, i: int) -> Array:
        """From the pin before body i to the pin after it, as they sit on that body."""
        return self.pins[i].on(self.bodies[i]) - self.pins[i - 1].on(self.bodies[i])


def _walk(loop: Sequence[_Pin], ground: str, first: _Pin) -> _Walk:
    pins, bodies = [first], [ground, first.other(ground)]
    while len(pins) < 4:
        following = next(pin for pin in loop if pin not in pins and bodies[-1] in pin.ends)
        pins.append(following)
        bodies.append(following.other(bodies[-1]))
    return _Walk((pins[0], pins[1], pins[2], pins[3]), (bodies[0], bodies[1], bodies[2], bodies[3]))


def _planar_bar(walk: _Walk, size: float) -> FourBar | None:
    n = unit(walk.pins[0].axis)
    spans = [_across(walk.span(i), n) for i in range(4)]
    lengths = [float(np.linalg.norm(s)) for s in spans]
    if min(lengths) <= FIT * size:  # two pins in one line: three links at most
        return None
    ahead = -spans[0]
    angles = _angle(ahead, spans[1], n), _angle(ahead, -spans[3], n)
    return _judged("four-bar", walk, n, angles, lambda: grashof(*lengths))


def _spherical_bar(walk: _Walk, size: float) -> FourBar | None:
    axes = [unit(pin.axis) for pin in walk.pins]
    places = [p for pin in walk.pins for p in pin.at]
    if not _meet(places, [axis for axis in axes for _ in range(2)], FIT * size):
        return None
    arcs = [_arc(axes[i - 1], axes[i]) for i in range(4)]
    if min(arcs) <= FIT or max(arcs) >= math.pi - FIT:
        return None
    w1, w2, w3, w4 = axes
    angles = _angle(_across(w4, w1), _across(w2, w1), w1), _angle(-_across(w1, w4), _across(w3, w4), w4)
    return _judged("spherical four-bar", walk, w1, angles, lambda: spherical_grashof(*arcs))


def _slider_bar(walk: _Walk, size: float) -> FourBar | None:
    n, along, left = _slide_frame(walk.pins[0], walk.pins[3])
    ground, slider = walk.bodies[0], walk.bodies[3]
    bearing, wrist, slide = walk.pins[0], walk.pins[2], walk.pins[3]
    crank, rod = (_across(walk.span(i), n) for i in (1, 2))
    lengths = float(np.linalg.norm(crank)), float(np.linalg.norm(rod))
    if min(lengths) <= FIT * size:
        return None
    to_wrist = (slide.on(ground) - bearing.on(ground)) + (wrist.on(slider) - slide.on(slider))
    place = float((wrist.on(slider) - bearing.on(ground)) @ along)
    offset = _clean(float(to_wrist @ left), size)
    return _judged("slider-crank", walk, n, (_angle(along, crank, n), place), lambda: slider_crank(*lengths, offset))


def _guide_bar(walk: _Walk, size: float) -> FourBar | None:
    n, along, left = _slide_frame(walk.pins[0], walk.pins[2])
    block, guide = walk.bodies[2], walk.bodies[3]
    _, pin, slide, pivot = walk.pins
    base, crank = (_across(walk.span(i), n) for i in (0, 1))
    lengths = float(np.linalg.norm(base)), float(np.linalg.norm(crank))
    if min(lengths) <= FIT * size:
        return None
    to_pin = (slide.on(guide) - pivot.on(guide)) + (pin.on(block) - slide.on(block))
    offset = _clean(float(to_pin @ left), size)
    angles = _angle(-base, crank, n), _angle(-base, along, n)
    return _judged("inverted slider-crank", walk, n, angles, lambda: inverted_slider_crank(*lengths, offset))


def _judged(
    kind: Literal["four-bar", "spherical four-bar", "slider-crank", "inverted slider-crank"],
    walk: _Walk,
    axis: Array,
    angles: tuple[float, float],
    judge: Callable[[], Grashof | SliderCrank | InvertedSliderCrank],
) -> FourBar:
    try:
        return FourBar(kind, *walk.bodies, walk.names, axis, angles, judge())
    except ModelError as error:
        return FourBar(kind, *walk.bodies, walk.names, axis, angles, None, str(error))


def _slide_frame(turn: _Pin, slide: _Pin) -> tuple[Array, Array, Array]:
    """Axis of turning, direction of sliding and the direction to its left."""
    n = unit(turn.axis)
    along = made_perpendicular(unit(slide.axis), n)
    return n, along, np.cross(n, along)


def _clean(offset: float, size: float) -> float:
    """An offset of rounding size is none."""
    return 0.0 if abs(offset) <= CHANGE_POINT * size else offset


def _across(v: Array, n: Array) -> Array:
    return v - float(v @ n) * n


def _angle(start: Array, end: Array, n: Array) -> float:
    """From one vector to another about n [rad], in (-pi, pi]."""
    return math.atan2(float(n @ np.cross(start, end)), float(start @ end))


def _arc(w1: Array, w2: Array) -> float:
    return math.atan2(float(np.linalg.norm(np.cross(w1, w2))), float(w1 @ w2))


def _meet(places: Sequence[Array], axes: Sequence[Array], tol: float) -> bool:
    """Whether lines meet in one point: the least-squares one is no farther than `tol` [m] from any."""
    across = [np.eye(3) - np.outer(w, w) for w in axes]
    centre = np.linalg.lstsq(sum(across), sum(P @ p for P, p in zip(across, places, strict=True)), rcond=None)[0]
    return all(float(np.linalg.norm(P @ (centre - p))) <= tol for P, p in zip(across, places, strict=True))
