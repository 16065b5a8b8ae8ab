"""What is asked of a chain, made into six joints: those of the chain, turns that the goal leaves free, and fillers.

A goal that leaves turns of the target free (a place alone: three about it; a place and a direction: one about that
direction) is a pose that a longer chain reaches, with those turns as joints of its own. A chain that is still shorter
than six is filled up by turns that must come out as zero. They stand where the whole has a closed form, if it can.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from linkwork.analyses.robots.solutions.elimination import GeneralChain
from linkwork.analyses.robots.solutions.places import meeting_point
from linkwork.analyses.robots.solutions.scalars import axis_of
from linkwork.analyses.robots.solutions.serial_chains import Chain, Joint, cleaned
from linkwork.analyses.robots.solutions.traced import ClosedForm, traced
from linkwork.geometry import Array

Freedom = Literal["pose", "place and direction", "place", "attitude"]
FREE_TURNS: dict[Freedom, int] = {"pose": 0, "place and direction": 1, "place": 3, "attitude": 0}
ODD = (np.array([0.48, 0.6, 0.64]), np.array([-0.36, 0.8, 0.48]), np.array([0.8, 0.36, -0.48]))
"""Directions of fillers, askew to what machines have."""


@dataclass(frozen=True)
class Filled:
    """Joints of which some count and the others must come out as zero."""

    joints: tuple[Joint, ...]
    real: tuple[int, ...]


@dataclass(frozen=True)
class Problem6:
    """A chain with the turns that its goal leaves free; lengths scaled.

    joints : those of the chain, then the free ones; own : how many are the chain's; at : the target's place, scaled
    """

    joints: tuple[Joint, ...]
    own: int
    at: Array

    @cached_property
    def closed(self) -> ClosedForm | None:
        """Its closed form, if there is one."""
        for filled in _fillings(self.joints):
            found = traced(filled.joints, filled.real)
            if found is not None:
                return found
        return None

    @cached_property
    def general(self) -> tuple[GeneralChain, tuple[int, ...]] | None:
        """Six joints to eliminate, and which of them count; None where no order of elimination serves."""
        missing = 6 - len(self.joints)
        for first in (missing, 0):
            head = [_filler(ODD[k], 0.4 * ODD[2 - k]) for k in range(first)]
            tail = [_filler(ODD[k], self.at + 0.4 * ODD[2 - k]) for k in range(missing - first)]
            chain = GeneralChain((*head, *self.joints, *tail))
            if chain.ordered:
                return chain, tuple(range(first, first + len(self.joints)))
        return None


def made(chain: Chain, freedom: Freedom, direction: Array | None = None) -> Problem6:
    """The problem of a chain and a kind of goal.

    direction : of the target at the base posture, world axes, where a direction is wanted
    """
    at = chain.target[:3, 3] / chain.size
    free: list[Joint] = []
    if freedom == "place":
        free = [Joint("", -1, True, axis, at) for axis in np.eye(3)[[2, 0, 1]]]
    elif freedom == "place and direction":
        assert direction is not None
        free = [Joint("", -1, True, cleaned(direction / np.linalg.norm(direction)), at)]
    joints = (*chain.scaled, *free)
    return Problem6(joints, len(chain.joints), at)


def _filler(axis: Array, point: Array) -> Joint:
    return Joint("", -1, True, axis, np.asarray(point, float))


def _fillings(joints: Sequence[Joint]) -> Iterator[Filled]:
    """Ways to fill a chain up, the ones that are likely to have a closed form."""
    n = len(joints)
    if n == 6 or (n < 6 and all(j.turns for j in joints[-3:]) and n > 2 and _meet(joints[-3:]) is not None):
        yield Filled(tuple(joints), tuple(range(n)))
    if n >= 6:
        return
    for backward in (False, True):
        walked = list(reversed(joints)) if backward else list(joints)
        for together in (2, 1, 0):
            ends = walked[n - together :] if together else []
            if n < together or n - together > 3 or not all(j.turns for j in ends):
                continue
            centre = _meet(ends) if together == 2 else np.array(ends[0].point) if together else np.full(3, 0.1)
            if centre is None:
                continue
            fillers = [_filler(_askew(ends, k), centre) for k in range(3 - together)]
            whole = [*walked, *fillers]
            real = tuple(range(n))
            if backward:
                whole = whole[::-1]
                real = tuple(range(len(fillers), len(whole)))
            yield Filled(tuple(whole), real)
    if n == 5:  # a filler that makes the outer two axes meet, for three parallel ones further in
        for backward in (False, True):
            last = joints[0] if backward else joints[-1]
            if last.turns:
                filler = _filler(_askew([last, last], 0), np.array(last.point))
                whole = [filler, *joints] if backward else [*joints, filler]
                yield Filled(tuple(whole), tuple(range(1, 6)) if backward else tuple(range(5)))


def _meet(joints: Sequence[Joint]) -> Array | None:
    found = meeting_point([axis_of(j.turns, j.axis, j.point) for j in joints])
    return None if found is None else np.array(found)


def _askew(ends: Sequence[Joint], k: int) -> Array:
    """A direction for a filler that the wrist it makes is not singular where the fillers are zero.

    Two axes before it: on a cone about the second, of an angle that the first has not. One or none: across all before.
    """
    if not ends:
        return np.asarray(np.eye(3)[(2, 0, 1)[k]], float)
    last = ends[-1].axis
    across = np.cross(last, np.eye(3)[int(np.argmin(np.abs(last)))])
    across = across / np.linalg.norm(across)
    if len(ends) == 1:
        return cleaned(across if k == 0 else np.cross(last, across))
    between = abs(float(ends[0].axis @ last))
    along = 0.6 if abs(between - 0.6) > 0.2 else 0.28
    return cleaned(along * last + np.sqrt(1.0 - along * along) * across)
