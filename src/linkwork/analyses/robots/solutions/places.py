"""Up to three joints that bring a point c to a place q, where that falls into equations of one joint each.

For f1 f2 f3 c = q, what f1 leaves alone tells of the others: for a turn the height along its axis and the distance from
any point of it, for a slide the two components across. Where one of the two does not see f2, it is an equation of f3
alone: axes 1 and 2 that meet or are parallel, slides across or along them. Read from the other end
(f3⁻¹ f2⁻¹ f1⁻¹ q = c) the same holds for axes 2 and 3.
All these are Pieper's cases (1968) in which no equation of fourth degree appears; the
others are left to `elimination`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.analyses.robots.solutions.scalars import (
    Axis,
    Known,
    Root,
    Slide,
    Turn,
    floats,
    moved,
    slide_to,
    slides_to,
    turn_between,
    turn_of_directions,
    turns_to,
)
from linkwork.equations.vectors import Vector, cross, dot, scale, sub

SAME = 1e-9
"""Sine of an angle, or a distance in parts of the chain's size, that is taken as none."""


Turning = tuple[int, int]
"""A joint's place in its chain, and 1 or -1."""


@dataclass(frozen=True)
class Branch:
    """Known motions from the first joint on, what they lack, and by two-way root its joint and which way it went."""

    known: tuple[Known, ...]
    lack: Any
    ways: tuple[Turning, ...]


@dataclass(frozen=True)
class Alone:
    """An equation of one joint alone: height along l, distance from o, or distance from the line through o along l.

    kind : "height", "distance", "radius"
    """

    kind: str
    l: Vector  # noqa: E741
    o: Vector

    def value(self, p: Vector) -> Any:
        """What it has at a point: the height, or the square of the distance."""
        r = sub(p, self.o)
        if self.kind == "height":
            return dot(self.l, r)
        if self.kind == "radius":
            r = sub(r, scale(dot(self.l, r), self.l))
        return dot(r, r)

    def sees(self, axis: Axis) -> bool:
        """Whether the joint changes it, as a rule; and its equation has second degree at most."""
        parallel = _parallel(self.l, axis.l)
        if self.kind == "height":
            return not parallel if axis.turns else abs(dot(self.l, axis.l)) > SAME
        if not axis.turns:
            return self.kind == "distance" or not parallel
        if self.kind == "radius" and not parallel:
            return False
        return _off_axis(self.o, axis) > SAME

    def roots(self, axis: Axis, p: Vector, wanted: Any, free: Turn) -> list[Root]:
        """The joint's motions that give a point's image the wanted value."""
        r = sub(p, axis.o)
        if self.kind == "height":
            if not axis.turns:
                return slide_to(dot(self.l, axis.l), self.value(p) - wanted)
            along = dot(axis.l, r)
            a = dot(self.l, sub(r, scale(along, axis.l)))
            b = dot(self.l, cross(axis.l, r))
            rest = dot(self.l, sub(axis.o, self.o)) + dot(self.l, axis.l) * along
            return turns_to(a, b, wanted - rest, free)
        d = sub(axis.o, self.o)
        if not axis.turns:
            r, along = sub(p, self.o), axis.l
            if self.kind == "radius":
                r = sub(r, scale(dot(self.l, r), self.l))
                along = sub(along, scale(dot(self.l, along), self.l))
            square = dot(along, along)
            return slides_to(dot(along, r) / square, (dot(r, r) - wanted) / square)
        if self.kind == "radius":
            r, d = sub(r, scale(dot(self.l, r), self.l)), sub(d, scale(dot(self.l, d), self.l))
        along = dot(axis.l, r)
        across = sub(r, scale(along, axis.l))
        # |d + R r|² = wanted
        a, b = 2.0 * dot(d, across), 2.0 * dot(d, cross(axis.l, r))
        rest = dot(r, r) + dot(d, d) + 2.0 * dot(d, axis.l) * along
        return turns_to(a, b, wanted - rest, free)


def pair_equations(first: Axis, second: Axis) -> tuple[Alone | None, Alone] | None:
    """Of what the first joint leaves alone: what the second does not see, and an equation for the second.

    None where the second sees all of it.
    """
    parallel = _parallel(first.l, second.l)
    across = abs(dot(first.l, second.l)) < SAME
    if first.turns and second.turns:
        if parallel:
            return Alone("height", first.l, first.o), Alone("distance", first.l, first.o)
        meet = meeting_point([first, second])
        if meet is None:
            return None
        return Alone("distance", first.l, meet), Alone("height", first.l, meet)
    if first.turns:
        if across:
            return Alone("height", first.l, first.o), Alone("distance", first.l, first.o)
        if parallel:
            return Alone("radius", first.l, first.o), Alone("height", first.l, first.o)
        return None
    if second.turns:
        if parallel:
            return Alone("radius", first.l, second.o), Alone("turn", first.l, second.o)
        if across:
            u = floats(np.cross(first.l, second.l))
            return Alone("height", second.l, second.o), Alone("height", u, second.o)
        return None
    if parallel:
        return None
    normal = np.cross(first.l, second.l)
    normal = normal / np.linalg.norm(normal)
    return Alone("height", floats(normal), first.o), Alone("height", floats(np.cross(normal, first.l)), first.o)


def two_joints(first: Axis, second: Axis, c: Vector, q: Vector, free: Turn) -> list[Branch]:
    """Motions of two joints that bring c to q, or as near as their kind of equation tells."""
    found = pair_equations(first, second)
    if found is not None:
        equation = found[1]
    elif first.turns:
        equation = Alone("height", first.l, first.o)  # two skew turns, a turn and an oblique slide
    else:
        u = np.cross(first.l, second.l)
        equation = Alone("height", floats(u / np.linalg.norm(u)), second.o)  # a slide and an oblique turn
    if equation.kind == "turn":
        turn = turn_of_directions(second, sub(c, second.o), sub(q, second.o), free)
        roots = [Root(turn, 0.0)]
    else:
        roots = equation.roots(second, c, equation.value(q), free)
    branches = []
    for k, root in enumerate(roots):
        near = moved(second, root.known, c)
        branches.append(Branch((one_joint(first, near, q, free), root.known), root.lack, _way(roots, k, 1)))
    return branches


def one_joint(axis: Axis, c: Vector, q: Vector, free: Turn) -> Known:
    """The motion of one joint that brings c nearest to q."""
    if axis.turns:
        return turn_between(axis, c, q, free)
    return Slide(dot(axis.l, sub(q, c)))


def can_place(axes: Sequence[Axis], c: Vector) -> bool:
    """Whether `placed` can bring the point, which is made of numbers, to a place."""
    slides = [a for a in axes if not a.turns]
    if any(_parallel(a.l, b.l) for k, a in enumerate(slides) for b in slides[:k]):
        return False
    if axes and axes[-1].turns and len(axes) == 3 and _off_axis(c, axes[-1]) < SAME:
        return False
    return len(axes) < 3 or _forward(axes) or _backward(axes)


def placed(axes: Sequence[Axis], c: Vector, q: Vector, free: Turn) -> list[Branch]:
    """All motions of up to three joints that bring c to q."""
    if not axes:
        return [Branch((), 0.0, ())]
    if len(axes) == 1:
        return [Branch((one_joint(axes[0], c, q, free),), 0.0, ())]
    if len(axes) == 2:
        return two_joints(axes[0], axes[1], c, q, free)
    if not _forward(axes):
        other = [Axis(a.turns, (-a.l[0], -a.l[1], -a.l[2]), a.o) for a in reversed(axes)]
        return [
            Branch(b.known[::-1], b.lack, tuple((2 - k, way) for k, way in b.ways)) for b in _three(other, q, c, free)
        ]
    return _three(axes, c, q, free)


def _three(axes: Sequence[Axis], c: Vector, q: Vector, free: Turn) -> list[Branch]:
    first, second, third = axes
    found = pair_equations(first, second)
    assert found is not None and found[0] is not None
    roots = found[0].roots(third, c, found[0].value(q), free)
    branches = []
    for k, root in enumerate(roots):
        near = moved(third, root.known, c)
        for b in two_joints(first, second, near, q, free):
            branches.append(Branch((*b.known, root.known), root.lack + b.lack, (*_way(roots, k, 2), *b.ways)))
    return branches


def _way(roots: Sequence[Root], k: int, joint: int) -> tuple[Turning, ...]:
    return ((joint, 1 - 2 * k),) if len(roots) == 2 else ()


def _forward(axes: Sequence[Axis]) -> bool:
    found = pair_equations(axes[0], axes[1])
    return found is not None and found[0] is not None and found[0].sees(axes[2])


def _backward(axes: Sequence[Axis]) -> bool:
    return _forward([Axis(a.turns, (-a.l[0], -a.l[1], -a.l[2]), a.o) for a in reversed(axes)])


def _parallel(a: Vector, b: Vector) -> bool:
    return bool(np.linalg.norm(np.cross(a, b)) < SAME)


def _off_axis(p: Vector, axis: Axis) -> float:
    return float(np.linalg.norm(np.cross(np.subtract(p, axis.o), axis.l)))


def meeting_point(axes: Sequence[Axis]) -> Vector | None:
    """The point in which axes meet that are not all parallel; None where they do not."""
    rows, sides = [], []
    for axis in axes:
        P = np.eye(3) - np.outer(axis.l, axis.l)
        rows.append(P)
        sides.append(P @ np.array(axis.o))
    A, b = np.vstack(rows), np.concatenate(sides)
    if np.linalg.svd(A, compute_uv=False)[-1] < 1e-6:
        return None
    p = np.linalg.lstsq(A, b, rcond=None)[0]
    if max(_off_axis(floats(p), a) for a in axes) > SAME:
        return None
    near = np.round(p, 0)
    return floats(np.where(np.abs(p - near) < 4e-15, near, p))
