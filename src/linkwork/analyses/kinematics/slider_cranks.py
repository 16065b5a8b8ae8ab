"""Slider-cranks and their inversion: full turns, strokes, time ratios, in closed form."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from linkwork.analyses.kinematics.grashof import (
    CHANGE_POINT,
    FULL_TURN,
    Plane,
    Ranges,
    wrapped,
)
from linkwork.errors import InputError, Problem


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
        raise InputError(
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
        dead = (first, wrapped(math.pi + second))
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
        raise InputError(
            Problem(f"the links cannot be closed: ground {g:.6g}, crank {a:.6g}, offset {e:.6g}", "links", hint)
        )
    margin = abs(g - a) - abs(e)
    # The pin must stay outside the circle of radius |offset| about the guide's pivot.
    near = Plane().angle(g, a, abs(e)) if margin < -tol else 0.0
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
        raise InputError(problems)
    first, second = (float(x) for x in links.values())
    return first, second, float(offset), CHANGE_POINT * max(first, second, abs(offset))
