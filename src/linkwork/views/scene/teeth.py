"""Outlines of toothed wheels and racks.

Flanks are involutes of the pressure angle α: at radius r a tooth is wide by the angle
    2 δ(r) = π k / N + 2 (inv α - inv α_r),   cos α_r = r_b / r,   r_b = R cos α,
with k a little below 1 for backlash. Teeth are no longer than the mate's base circle allows, so that they never cut
into each other: r_a² <= r_b² + (C sin α)².
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkwork.geometry import Array

BACKLASH = 0.96  # width of a tooth by half the pitch
ADDENDUM, DEDENDUM = 0.95, 1.2  # modules beyond the pitch circle, and below it
FLANK = 4  # points of a flank
FEWEST, USUAL_COUNT, MOST = 10, 17, 31  # teeth that a small wheel may get when none are told


@dataclass(frozen=True)
class Teeth:
    """The teeth of a wheel: their number, pitch radius [m], pressure angle [rad], tip and root radius [m].

    phase : angle [rad] of the middle of a tooth; internal : they point to the axis
    """

    count: int
    radius: float
    pressure: float
    tip: float
    root: float
    phase: float
    internal: bool = False

    def outline(self) -> Array:
        """The toothed loop (n, 2), counter-clockwise [m]."""
        radii, widths = self._flank()
        # Across one tooth: root, up the flank, over the tip, down to the root. Inside a ring the gap is the tooth of
        # a wheel of the same size, so that the same flank serves.
        r = np.concatenate([radii, radii[::-1]])
        a = np.concatenate([-widths, widths[::-1]])
        middle = self.phase + (math.pi / self.count if self.internal else 0.0)
        angles = (middle + 2 * math.pi / self.count * np.arange(self.count)[:, None] + a).ravel()
        lengths = np.tile(r, self.count)
        return np.stack([lengths * np.cos(angles), lengths * np.sin(angles)], axis=1)

    def _flank(self) -> tuple[Array, Array]:
        """Radii from low to high and half the angle of the tooth (or of the ring's gap) there."""
        low, high = (self.tip, self.root) if self.internal else (self.root, self.tip)
        base = self.radius * math.cos(self.pressure)
        radii = np.linspace(low, high, FLANK)
        seen = np.arccos(np.minimum(base / radii, 1.0))
        share = 2.0 - BACKLASH if self.internal else BACKLASH
        half = math.pi * share / 2 / self.count
        widths = half + math.tan(self.pressure) - self.pressure - (np.tan(seen) - seen)
        return radii, np.clip(widths, 0.05 * math.pi / self.count, 0.95 * math.pi / self.count)


def counts_for(first: float, second: float) -> tuple[int, int]:
    """Numbers of teeth in the ratio of two radii, the smaller between 10 and 31: what comes nearest.

    Parameters
    ----------
    first, second : pitch radii [m] (or sines of cones), positive
    """
    small, large = min(first, second), max(first, second)
    tried = range(FEWEST, MOST + 1)
    fewest = min(
        tried, key=lambda n: (round(abs(n * large / small - round(n * large / small)), 3), abs(n - USUAL_COUNT))
    )
    most = max(1, round(fewest * large / small))
    return (fewest, most) if first <= second else (most, fewest)


def tip_radius(radius: float, mate: float, module: float, pressure: float, internal: bool) -> float:
    """How far the teeth of a wheel may reach so that they do not cut into those of its mate [m].

    Parameters
    ----------
    radius : pitch radius of the wheel [m]
    mate : of the other [m]
    module : 2 R / N [m]
    pressure : pressure angle [rad]
    internal : whether this wheel is the ring of an internal pair; the pinion of one is bound by the ring's root only
    """
    base = radius * math.cos(pressure)
    if internal:
        bound = math.hypot(base, (radius - mate) * math.sin(pressure))
        return max(radius - ADDENDUM * module, bound, 1.001 * base)
    bound = math.hypot(base, (radius + mate) * math.sin(pressure))
    return min(radius + ADDENDUM * module, bound)


def rack_outline(
    pitch: float, pressure: float, addendum: float, depth: float, first: int, last: int, phase: float
) -> Array:
    """A rack along x with its pitch line on y = 0 and its teeth towards +y, as a loop (n, 2), counter-clockwise [m].

    Parameters
    ----------
    pitch : from tooth to tooth [m]
    pressure : slope of the flanks [rad]
    addendum : height of the teeth above the pitch line [m]
    depth : from the pitch line to its back [m]
    first, last : numbers of the first and the last tooth; tooth k stands at x = phase + k pitch
    phase : place of tooth 0 [m]
    """
    half, slope = BACKLASH * pitch / 4, math.tan(pressure)
    foot = DEDENDUM * pitch / math.pi
    tooth = np.array(
        [
            (-(half + foot * slope), -foot),
            (-(half - addendum * slope), addendum),
            (half - addendum * slope, addendum),
            (half + foot * slope, -foot),
        ]
    )
    middles = phase + pitch * np.arange(last, first - 1, -1)
    teeth = (tooth[::-1][None] + np.stack([middles, 0.0 * middles], axis=1)[:, None]).reshape(-1, 2)
    right, left = middles[0] + pitch / 2, middles[-1] - pitch / 2
    ends = np.array([(left, -foot), (left, -depth), (right, -depth), (right, -foot)])
    return np.concatenate([teeth, ends])


def bevel_rings(
    count: int, cone: float, module: float, far: float, near: float, phase: float, internal: bool
) -> tuple[Array, Array]:
    """Toothed loops (n, 3) of a bevel wheel about z with its apex at the origin: at the far and the near end.

    Parameters
    ----------
    count : number of teeth
    cone : half angle of the pitch cone [rad], positive
    module : of the teeth by the cone distance, 2 sin γ / N
    far, near : cone distances of its ends [m]
    phase : angle of the middle of a tooth [rad]
    internal : whether the teeth point to the axis
    """
    slope = math.tan(math.radians(20.0))
    heights = np.array([-DEDENDUM, 0.8, 0.8, -DEDENDUM]) * (-1.0 if internal else 1.0)
    half = BACKLASH * math.pi / 4  # of a tooth at the pitch cone, in modules
    feet, tips = half + DEDENDUM * slope, half - 0.8 * slope
    # Angles about the axis: a module is 2 / N of it.
    across = np.array([-feet, -tips, tips, feet]) * 2.0 / count
    across = np.clip(across, -0.97 * math.pi / count, 0.97 * math.pi / count)
    angles = (phase + 2 * math.pi / count * np.arange(count)[:, None] + across).ravel()
    h = np.tile(heights * module, count)
    r = math.sin(cone) + h * math.cos(cone)
    z = math.cos(cone) - h * math.sin(cone)
    unit = np.stack([r * np.cos(angles), r * np.sin(angles), z], axis=1)
    return far * unit, near * unit
