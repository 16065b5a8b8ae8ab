"""Closed forms of whole chains, traced for one chain at a time: what they need, and how they go.

`Wrist`: the last three axes meet in a point, which the others place (`places`); they then turn the target. `Parallel`:
three neighbouring axes are parallel and two of the other three meet. Either may stand at the other end of the chain,
which is then walked backward. A chain of fewer joints is filled up: by turns that the goal leaves free, or by turns
that must come out as zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from linkwork.analyses.robots.solutions.places import (
    SAME,
    Alone,
    Branch,
    Turning,
    can_place,
    meeting_point,
    placed,
    two_joints,
)
from linkwork.analyses.robots.solutions.scalars import (
    Axis,
    Turn,
    floats,
    matrix_of,
    moved_back,
    reduced,
    turn_of_directions,
    turn_of_matrix,
    turned,
)
from linkwork.equations.vectors import Matrix, Vector, add, apply, apply_t, dot, multiply, sub


class Way(Protocol):
    """A closed form: all branches for a goal (R, p) as expressions."""

    @property
    def reason(self) -> tuple[str, tuple[int, ...]]:
        """What the form rests on, and the joints that this is said of."""
        ...

    def branches(self, R: Matrix, p: Vector, free: Turn) -> list[Branch]:
        """Motions of all joints of the chain, in its order.

        Parameters
        ----------
        R, p : the goal; free : the turn that is taken where any will do
        """
        ...


def across(axis: Axis) -> Vector:
    """A unit vector across an axis."""
    other = np.zeros(3)
    other[int(np.argmin(np.abs(axis.l)))] = 1.0
    found = np.cross(axis.l, other)
    return floats(found / np.linalg.norm(found))


def directed(first: Axis, second: Axis, third: Axis, R: Matrix, free: Turn) -> list[tuple[tuple[Turn, ...], Any, int]]:
    """Three turns whose rotations together are R: two ways; the middle one from the angle between the outer axes."""
    there = apply(R, third.l)
    ways: list[tuple[tuple[Turn, ...], Any, int]] = []
    height = Alone("height", first.l, (0.0, 0.0, 0.0))
    here = Axis(True, second.l, (0.0, 0.0, 0.0))
    for sign, root in zip((1, -1), height.roots(here, third.l, dot(first.l, there), Turn(1.0, 0.0)), strict=True):
        assert isinstance(root.known, Turn)
        one = turn_of_directions(first, turned(second, root.known, third.l), there, free)
        rest = reduced(second, root.known, reduced(first, one, R))
        ways.append(((one, root.known, turn_of_matrix(third, across(third), rest)), root.lack, sign))
    return ways


@dataclass(frozen=True)
class Wrist:
    """The last three axes meet at `centre`."""

    axes: tuple[Axis, ...]
    centre: Vector

    @property
    def reason(self) -> tuple[str, tuple[int, ...]]:
        """See `Way`."""
        count = len(self.axes)
        return "axes that meet in a point", (count - 3, count - 2, count - 1)

    @property
    def arm(self) -> tuple[Axis, ...]:
        """The joints that place the centre."""
        return self.axes[:-3]

    def branches(self, R: Matrix, p: Vector, free: Turn) -> list[Branch]:
        """All branches; see `Way`."""
        goal = add(apply(R, self.centre), p)
        found = []
        for b in placed(self.arm, self.centre, goal, free):
            rest = R
            for axis, known in zip(self.arm, b.known, strict=True):
                rest = reduced(axis, known, rest)
            for turns, lack, sign in directed(self.axes[-3], self.axes[-2], self.axes[-1], rest, free):
                found.append(Branch((*b.known, *turns), b.lack + lack, (*b.ways, (len(self.arm) + 1, sign))))
        return found


@dataclass(frozen=True)
class Parallel:
    """Axes `at`, `at` + 1, `at` + 2 are parallel, after one joint at most; two of the later ones meet at `meet`.

    With N = a1⁻¹ G the later ones, N a6⁻¹ a5⁻¹ ..., must keep the direction l of the three and the height along it.
    early : the joint that the height at the meeting point leaves is the one before the three, or the next one after
    """

    axes: tuple[Axis, ...]
    at: int
    meet: Vector
    early: bool

    @property
    def reason(self) -> tuple[str, tuple[int, ...]]:
        """See `Way`."""
        return "parallel axes", (self.at, self.at + 1, self.at + 2)

    def branches(self, R: Matrix, p: Vector, free: Turn) -> list[Branch]:
        """All branches; see `Way`."""
        return self._after_one(R, p, free) if self.at else self._at_base(R, p, free)

    def _after_one(self, R: Matrix, p: Vector, free: Turn) -> list[Branch]:
        first, middle, (fifth, sixth) = self.axes[0], self.axes[1:4], self.axes[4:]
        l = middle[0].l  # noqa: E741
        height = Alone("height", l, middle[0].o)
        # l · a1⁻¹ (G c) = l · c
        away = Axis(first.turns, (-first.l[0], -first.l[1], -first.l[2]), first.o)
        roots = height.roots(away, add(apply(R, self.meet), p), height.value(self.meet), free)
        found = []
        for k, root in enumerate(roots):
            rest = reduced(first, root.known, R)
            place = moved_back(first, root.known, p)
            for b in self._later(middle, fifth, sixth, l, rest, place, free):
                ways = ((0, 1 - 2 * k), *b.ways) if len(roots) == 2 else b.ways
                found.append(Branch((root.known, *b.known), root.lack + b.lack, ways))
        return found

    def _at_base(self, R: Matrix, p: Vector, free: Turn) -> list[Branch]:
        middle, (fourth, fifth, sixth) = self.axes[:3], self.axes[3:]
        l = middle[0].l  # noqa: E741
        height = Alone("height", l, middle[0].o)
        found = []
        if self.early:  # axes 5 and 6 meet: l · a4 c = l · G c
            roots = height.roots(fourth, self.meet, height.value(add(apply(R, self.meet), p)), free)
            for k, root in enumerate(roots):
                assert isinstance(root.known, Turn)
                own = apply_t(matrix_of(fourth, root.known), l)
                for turns, lack, sign in self._wrist(fifth, sixth, own, apply_t(R, l), free):
                    known, ways = (root.known, *turns), ((3, 1 - 2 * k), (4, sign))
                    found += self._planar(middle, (fourth, fifth, sixth), known, R, p, free, root.lack + lack, ways)
            return found
        # Axes 4 and 5 meet: l · G a6⁻¹ c = l · c
        seen = Alone("height", apply_t(R, l), (0.0, 0.0, 0.0))
        wanted = height.value(self.meet) - dot(l, sub(p, middle[0].o))
        away = Axis(True, (-sixth.l[0], -sixth.l[1], -sixth.l[2]), sixth.o)
        for k, root in enumerate(seen.roots(away, self.meet, wanted, free)):
            assert isinstance(root.known, Turn)
            rest = multiply(R, matrix_of(away, root.known))
            for turns, lack, sign in self._wrist(fourth, fifth, l, apply_t(rest, l), free):
                known, ways = (*turns, root.known), ((5, 1 - 2 * k), (3, sign))
                found += self._planar(middle, (fourth, fifth, sixth), known, R, p, free, root.lack + lack, ways)
        return found

    def _later(
        self,
        middle: Sequence[Axis],
        fifth: Axis,
        sixth: Axis,
        l: Vector,  # noqa: E741
        R: Matrix,
        p: Vector,
        free: Turn,
    ) -> list[Branch]:
        found = []
        for turns, lack, sign in self._wrist(fifth, sixth, l, apply_t(R, l), free):
            found += self._planar(middle, (fifth, sixth), turns, R, p, free, lack, ((4, sign),))
        return found

    @staticmethod
    def _wrist(
        first: Axis,
        second: Axis,
        l: Vector,  # noqa: E741
        there: Vector,
        free: Turn,
    ) -> list[tuple[tuple[Turn, Turn], Any, int]]:
        """a⁻¹ l = b l', where l' is what the direction l must have been before both: two ways."""
        height = Alone("height", second.l, (0.0, 0.0, 0.0))
        away = Axis(True, (-first.l[0], -first.l[1], -first.l[2]), (0.0, 0.0, 0.0))
        ways = []
        for sign, root in zip((1, -1), height.roots(away, l, dot(second.l, there), free), strict=True):
            assert isinstance(root.known, Turn)
            wanted = turned(away, root.known, l)
            ways.append(((root.known, turn_of_directions(second, there, wanted, free)), root.lack, sign))
        return ways

    @staticmethod
    def _planar(
        middle: Sequence[Axis],
        later: Sequence[Axis],
        turns: Sequence[Any],
        R: Matrix,
        p: Vector,
        free: Turn,
        lack: Any,
        ways: tuple[Turning, ...],
    ) -> list[Branch]:
        """The three parallel turns, once the others are known."""
        c = floats(middle[2].o)
        back: Vector = c
        K = R
        for axis, known in zip(reversed(later), reversed(turns), strict=True):
            K = multiply(K, matrix_of(Axis(True, (-axis.l[0], -axis.l[1], -axis.l[2]), axis.o), known))
        for axis, known in zip(later, turns, strict=True):
            back = moved_back(axis, known, back)
        goal = add(apply(R, back), p)
        found = []
        for b in two_joints(middle[0], middle[1], c, goal, free):
            rest = K
            for axis, known in zip(middle[:2], b.known, strict=True):
                rest = reduced(axis, known, rest)
            last = turn_of_matrix(middle[2], across(middle[2]), rest)
            elbow = tuple((joint + 6 - len(later) - 3, way) for joint, way in b.ways)
            found.append(Branch((*b.known, last, *turns), lack + b.lack, (*ways, *elbow)))
        return found


def closed_form(axes: Sequence[Axis]) -> Way | None:
    """The closed form of six joints as they stand, walked from the first on; None if there is none known here."""
    wrist = axes[-3:]
    if all(a.turns for a in wrist):
        centre = meeting_point(wrist)
        if centre is not None and _independent(wrist) and can_place(axes[:-3], centre):
            return Wrist(tuple(axes), centre)
    if len(axes) == 6:
        for at in (1, 0):
            three = axes[at : at + 3]
            others = [*axes[:at], *axes[at + 3 :]]
            if not all(a.turns for a in three) or not _all_parallel(three):
                continue
            if at == 1 and others[1].turns and others[2].turns:
                meet = _crossing(others[1], others[2])
                sees = Alone("height", three[0].l, three[0].o).sees(others[0])
                if meet is not None and sees and not _all_parallel([three[0], others[1]]):
                    return Parallel(tuple(axes), 1, meet, True)
            if at == 0 and all(a.turns for a in others):
                meet = _crossing(others[1], others[2])
                if meet is not None and not _all_parallel([three[0], others[0]]):
                    return Parallel(tuple(axes), 0, meet, True)
                meet = _crossing(others[0], others[1])
                if meet is not None and not _all_parallel([three[0], others[0]]):
                    return Parallel(tuple(axes), 0, meet, False)
    return None


def _crossing(a: Axis, b: Axis) -> Vector | None:
    return None if _all_parallel([a, b]) else meeting_point([a, b])


def _all_parallel(axes: Sequence[Axis]) -> bool:
    return all(np.linalg.norm(np.cross(axes[0].l, a.l)) < SAME for a in axes[1:])


def _independent(axes: Sequence[Axis]) -> bool:
    """Whether neighbours among three axes that meet differ, so that they can turn every way or miss it honestly."""
    return not _all_parallel(axes[:2]) and not _all_parallel(axes[1:])
