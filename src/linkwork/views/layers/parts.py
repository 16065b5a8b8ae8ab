"""What is drawn over a moving machine, as plain data: curves that stand still or ride on a body, arrows that change."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.colours import Tint
from linkwork.geometry import Array


@dataclass(frozen=True, eq=False)
class Curve:
    """A line through points (n, 3) [m] in the frame of a body; ground for one that stands still."""

    name: str
    body: str
    points: Array
    tint: Tint


@dataclass(frozen=True, eq=False)
class Segments:
    """Straight pieces that change with the motion: ends (samples, pieces, 2, 3) [m, world]; arrows or plain lines."""

    name: str
    ends: Array
    tint: Tint
    arrows: bool = True


@dataclass(frozen=True, eq=False)
class Layer:
    """Something to see over a motion, switched on and off as one.

    name : of letters, digits and `-`; title : what the switch says; legend : the scale of arrows, and what was left out
    """

    name: str
    title: str
    curves: tuple[Curve, ...] = ()
    segments: tuple[Segments, ...] = ()
    legend: str = ""
