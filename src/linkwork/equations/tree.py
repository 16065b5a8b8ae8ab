"""A tree of links with the motion of every joint traced: the common ground of all laws of motion."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.equations.joint_motion import joint_motion, unmoved
from linkwork.equations.load_kinds.plans import LoadConstants
from linkwork.equations.plan import HERE, Constants, CutConstants, Moments, Plan, Pose
from linkwork.equations.vectors import Matrix, Vector, add, apply, apply_t, combination, multiply
from linkwork.errors import LinkworkError, Problem


class Weightless(LinkworkError):
    """A question that has no answer for want of mass: what, where, and what to try.

    Told to users as a ModelError of the machine.
    """

    def __init__(self, what: str, where: str, hint: str) -> None:
        super().__init__(Problem(what, where, hint))


@dataclass(frozen=True)
class Link:
    """A link and its relative motion; p, Sp and dp along the parent's axes, Sw and dw along its own (`joint_motion`).

    parent : index of the link it hangs on, -1 for the world; dofs : indices of its rates; own : body's frame in L
    step : pose of the joint's outer frame in its inner one
    """

    body: str
    joint: str
    parent: int
    sign: int
    dofs: range
    R: Matrix
    p: Vector
    Sw: tuple[Vector, ...]
    Sp: tuple[Vector, ...]
    dw: Vector
    dp: Vector
    moments: Moments
    own: Pose
    step: Pose

    def lever(self, k: int) -> Vector:
        """Linear part of the k-th freedom along the link's own axes: Rᵀ Sp."""
        return apply_t(self.R, self.Sp[k])

    def own_rates(self, v: Sequence[Any]) -> list[Any]:
        """The rates of this joint out of all."""
        return [v[k] for k in self.dofs]

    def spin(self, v: Sequence[Any]) -> Vector:
        """Angular velocity relative to the parent, own axes."""
        return combination(self.Sw, self.own_rates(v))

    def slide(self, v: Sequence[Any]) -> Vector:
        """Velocity of the origin relative to the parent, parent's axes."""
        return combination(self.Sp, self.own_rates(v))


@dataclass(frozen=True)
class Tree:
    """Links from the root outward, gravity, the cut joints and the marks (points, frames) on them."""

    plan: Plan
    links: tuple[Link, ...]
    cuts: tuple[CutConstants, ...]
    gravity: Vector
    points: tuple[Vector, ...]
    frames: tuple[Pose, ...]
    loads: tuple[LoadConstants, ...]
    constants: Constants
    """What it has grown from."""
    independent: bool = False
    """Entries of rotations among the constants are numbers of their own, as derivatives by single ones want it."""

    @property
    def states(self) -> tuple[tuple[Any, ...], ...]:
        """Numbers of named states, the start of each first."""
        return self.constants.states

    @property
    def nv(self) -> int:
        """Number of rates."""
        return self.plan.nv

    def path(self, i: int) -> list[int]:
        """Indices of the links from i to the root."""
        return self.plan.path(i)


def grow(
    plan: Plan, constants: Constants, q: Sequence[Any], v: Sequence[Any], needed: Collection[int] | None = None
) -> Tree:
    """Trace the relative motion of every link; v only enters the velocity-product terms.

    needed : indices of the links that are asked for; the others are left in place
    """
    links = []
    for i, (planned, given) in enumerate(zip(plan.links, constants.links, strict=True)):
        if needed is None or i in needed:
            motion = joint_motion(planned.law, planned.sign, q[planned.q], v[planned.v], given.law)
            A = given.inner
        else:
            motion, A = unmoved(planned.law.freedom), HERE
        links.append(
            Link(
                planned.body,
                planned.joint,
                planned.parent,
                planned.sign,
                range(planned.v.start, planned.v.stop),
                multiply(A.R, motion.R),
                add(A.p, apply(A.R, motion.p)),
                motion.Sw,
                tuple(apply(A.R, column) for column in motion.Sp),
                motion.dw,
                apply(A.R, motion.dp),
                given.moments,
                given.body,
                Pose(motion.R, motion.p),
            )
        )
    marks = constants.points, constants.frames
    return Tree(plan, tuple(links), constants.cuts, constants.gravity, *marks, constants.loads, constants)
