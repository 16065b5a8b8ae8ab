"""Angles and roots of expressions, as the closed forms use them: no branch ever ends, each tells what it lacks.

A turn is known by its cosine and sine; its angle is taken at the end. Where a root would be of a negative number it is
taken as zero, and `lack` tells by how much it was negative: such a branch comes nearest to its goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.algebra import ca
from linkwork.equations.vectors import Matrix, Vector, add, apply, cross, dot, multiply, scale, sub
from linkwork.geometry import Array

NOTHING_LEFT = 1e-22
"""Square of a length, in parts of the chain's size, below which a direction is nothing, and any angle does."""


@dataclass(frozen=True)
class Turn:
    """A known turn: cosine and sine."""

    c: Any
    s: Any

    @property
    def value(self) -> Any:
        """The angle in (-π, π]."""
        return ca.atan2(self.s, self.c)


@dataclass(frozen=True)
class Slide:
    """A known slide."""

    d: Any

    @property
    def value(self) -> Any:
        """The distance."""
        return self.d


Known = Turn | Slide


@dataclass(frozen=True)
class Axis:
    """A joint's axis as expressions: what it does, direction, a point on it."""

    turns: bool
    l: Vector  # noqa: E741 - the letter of the theory
    o: Vector


def axis_of(turns: bool, direction: Array, point: Array) -> Axis:
    """An axis of numbers."""
    return Axis(turns, floats(direction), floats(point))


def floats(a: Array | Sequence[float]) -> Vector:
    """Three numbers as Python's own."""
    x, y, z = (float(v) for v in a)
    return x, y, z


def matrix_of(axis: Axis, known: Turn) -> Matrix:
    """The rotation matrix c 1 + s [l] + (1 - c) l lᵀ."""
    x, y, z = axis.l
    c, s = known.c, known.s
    v = 1.0 - c
    return (
        (c + v * x * x, v * x * y - s * z, v * x * z + s * y),
        (v * x * y + s * z, c + v * y * y, v * y * z - s * x),
        (v * x * z - s * y, v * y * z + s * x, c + v * z * z),
    )


def turned(axis: Axis, known: Turn, x: Vector) -> Vector:
    """A direction after a turn."""
    along = scale(dot(axis.l, x), axis.l)
    return add(along, add(scale(known.c, sub(x, along)), scale(known.s, cross(axis.l, x))))


def moved(axis: Axis, known: Known, p: Vector) -> Vector:
    """A point after a joint's motion."""
    if isinstance(known, Slide):
        return add(p, scale(known.d, axis.l))
    return add(axis.o, turned(axis, known, sub(p, axis.o)))


def moved_back(axis: Axis, known: Known, p: Vector) -> Vector:
    """A point before a joint's motion."""
    return moved(axis, back(known), p)


def back(known: Known) -> Known:
    """The motion taken back."""
    return Slide(-known.d) if isinstance(known, Slide) else Turn(known.c, -known.s)


def reduced(axis: Axis, known: Known, R: Matrix) -> Matrix:
    """R with a joint's motion taken off in front."""
    if isinstance(known, Slide):
        return R
    return multiply(matrix_of(axis, Turn(known.c, -known.s)), R)


def unit(x: Any, y: Any, free: Turn) -> Turn:
    """The turn whose cosine and sine are as x to y; `free` where both are nothing."""
    square = x * x + y * y
    if isinstance(square, float) and square == 0.0:
        return free
    nothing = square < NOTHING_LEFT
    length = ca.sqrt(ca.fmax(square, NOTHING_LEFT))
    return Turn(ca.if_else(nothing, free.c, x / length), ca.if_else(nothing, free.s, y / length))


def turn_between(axis: Axis, a: Vector, b: Vector, free: Turn) -> Turn:
    """The turn about an axis that brings point a nearest to point b (Paden and Kahan's first problem)."""
    a, b = sub(a, axis.o), sub(b, axis.o)
    la, lb = dot(axis.l, a), dot(axis.l, b)
    return unit(dot(a, b) - la * lb, dot(axis.l, cross(a, b)), free)


def turn_of_directions(axis: Axis, a: Vector, b: Vector, free: Turn) -> Turn:
    """The turn about an axis that brings direction a nearest to direction b."""
    la, lb = dot(axis.l, a), dot(axis.l, b)
    return unit(dot(a, b) - la * lb, dot(axis.l, cross(a, b)), free)


def turn_of_matrix(axis: Axis, across: Vector, R: Matrix) -> Turn:
    """The turn about an axis that a rotation matrix is, or is nearest to at a direction across the axis."""
    there = apply(R, across)
    other = cross(axis.l, across)
    return unit(dot(there, across), dot(there, other), Turn(1.0, 0.0))


@dataclass(frozen=True)
class Root:
    """One way to solve an equation, and what the equation lacks of being solvable, 0 or more."""

    known: Known
    lack: Any


def turns_to(a: Any, b: Any, g: Any, free: Turn) -> list[Root]:
    """a cos x + b sin x = g: two ways. The lack is (|g| - r) / the size of the terms, r² = a² + b²."""
    square = a * a + b * b
    left = square - g * g
    root = ca.sqrt(ca.fmax(left, 0.0))
    # Where it cannot be, x points along (a, b), or against it, as near as it gets.
    length = ca.fmax(ca.fmax(square, g * g), NOTHING_LEFT)
    scaled = ca.sqrt(ca.fmax(square, NOTHING_LEFT) * length)
    lack = ca.fmax(-left, 0.0) / ca.fmax(square, 1e-3)
    nothing = square < NOTHING_LEFT
    ways = []
    for sign in (1.0, -1.0):
        c, s = (a * g - sign * b * root) / scaled, (b * g + sign * a * root) / scaled
        ways.append(Root(Turn(ca.if_else(nothing, free.c, c), ca.if_else(nothing, free.s, s)), lack))
    return ways


def slides_to(half: Any, rest: Any) -> list[Root]:
    """x² + 2 half x + rest = 0: two ways."""
    left = half * half - rest
    root = ca.sqrt(ca.fmax(left, 0.0))
    lack = ca.fmax(-left, 0.0)
    return [Root(Slide(root - half), lack), Root(Slide(-root - half), lack)]


def slide_to(slope: Any, rest: Any) -> list[Root]:
    """slope x + rest = 0: one way."""
    return [Root(Slide(-rest / slope), 0.0)]


ONE_TURN = Turn(1.0, 0.0)
"""No turn."""
