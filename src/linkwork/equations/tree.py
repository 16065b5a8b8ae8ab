"""A tree of links with the motion of every joint traced: the common ground of all laws of motion."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.equations.cells import plain
from linkwork.equations.inner_matter import Matter, matter_at
from linkwork.equations.joint_motion import (
    JointMotion,
    LawShape,
    joint_motion,
    shaped,
    shaped_motion,
    unmoved,
)
from linkwork.equations.link_chain import LinkChain
from linkwork.equations.load_kinds.plans import LoadConstants
from linkwork.equations.plan import HERE, NO_MASS, Constants, CutConstants, Moments, Plan, Pose, Slot, StationPlan
from linkwork.equations.vectors import Matrix, Vector, add, apply, apply_t, combination, multiply
from linkwork.errors import LinkworkError, Problem


class Weightless(LinkworkError):
    """A question that has no answer for want of mass: what, where, and what to try.

    Told to users as a ModelError of the machine.
    """

    def __init__(self, what: str, where: str, hint: str) -> None:
        super().__init__(Problem(what, where, hint))


@dataclass(frozen=True)
class Chained:
    """The law of a link that moves by more than its joint, with its numbers; variables and rates at which it is.

    rates : indices of the rates that come with the link: of its joint and its body
    """

    law: LinkChain
    q: tuple[Any, ...]
    v: tuple[Any, ...]
    rates: tuple[int, ...]


@dataclass(frozen=True)
class Link:
    """A link and its relative motion; p, Sp and dp along the parent's axes, Sw and dw along its own (`joint_motion`).

    parent : index of the link it hangs on, -1 for the world; dofs : indices of the rates that move it against that
    own : body's frame in L; step : pose of the joint's outer frame in its inner one, outer : of the former in L
    matter, chain : where bodies own coordinates (`inner_matter`, `link_chain`)

    Rates of a body move what hangs on it, too: then several links have them among their dofs.
    """

    body: str
    joint: str
    parent: int
    sign: int
    dofs: Sequence[int]
    R: Matrix
    p: Vector
    Sw: tuple[Vector, ...]
    Sp: tuple[Vector, ...]
    dw: Vector
    dp: Vector
    moments: Moments
    own: Pose
    step: Pose
    outer: Pose = HERE
    matter: Matter | None = None
    chain: Chained | None = None

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
    """Links from the root outward, gravity, the cut joints and the marks (points, frames) on them.

    Links of bodies come first, then stations: places that move by the coordinates of their bodies.
    """

    plan: Plan
    links: tuple[Link, ...]
    cuts: tuple[CutConstants, ...]
    gravity: Vector
    points: tuple[Vector, ...]
    frames: tuple[Pose, ...]
    loads: tuple[LoadConstants, ...]
    constants: Constants
    """What it has grown from."""
    cells: Callable[..., Any] = plain
    """Runs steps that links repeat: as they stand, or each kind of them traced once (`cells`)."""
    independent: bool = False
    """Entries of rotations among the constants are numbers of their own, as derivatives by single ones want it."""

    @property
    def states(self) -> tuple[tuple[Any, ...], ...]:
        """Numbers of named states, the start of each first."""
        return self.constants.states

    @property
    def bodies(self) -> tuple[Link, ...]:
        """Links of bodies, without stations."""
        return self.links[: len(self.plan.links)]

    @property
    def nv(self) -> int:
        """Number of rates."""
        return self.plan.nv

    def path(self, i: int) -> list[int]:
        """Indices of the links from i to the root."""
        return self.plan.path(i)


def grow(
    plan: Plan,
    constants: Constants,
    q: Sequence[Any],
    v: Sequence[Any],
    needed: Collection[int] | None = None,
    cells: Callable[..., Any] = plain,
) -> Tree:
    """Trace the relative motion of every link; v only enters the velocity-product terms.

    needed : indices of the links that are asked for; the others are left in place
    cells : runs steps that links repeat
    """
    links = []
    for i, (planned, given) in enumerate(zip(plan.links, constants.links, strict=True)):
        if planned.own or (planned.parent >= 0 and plan.links[planned.parent].own):
            links.append(_chained(plan, i, constants, q, v, needed is None or i in needed))
            continue
        A = given.inner if needed is None or i in needed else HERE
        if needed is None or i in needed:
            shape, free = shaped(planned.law, given.law)
            found = cells(_relative, shape, planned.sign, A, tuple(q[planned.q]), tuple(v[planned.v]), tuple(free))
        else:
            found = _placed(A, unmoved(planned.law.freedom))
        X, Sw, Sp, dw, dp, step = found
        links.append(
            Link(
                planned.body, planned.joint, planned.parent, planned.sign, range(planned.v.start, planned.v.stop),
                X.R, X.p, Sw, Sp, dw, dp, given.moments, given.body, step,
            )
        )  # fmt: skip
    for k, station in enumerate(plan.stations, len(plan.links)):
        links.append(_station(plan, k, station, constants, q, v, needed is None or k in needed))
    marks = constants.points, constants.frames
    return Tree(plan, tuple(links), constants.cuts, constants.gravity, *marks, constants.loads, constants, cells)


def _relative(
    shape: LawShape, sign: int, A: Pose, q: Sequence[Any], v: Sequence[Any], free: Sequence[Any]
) -> tuple[Any, ...]:
    """Motion of a link by its joint alone: pose, columns, velocity products (see `Link`), and the joint's own pose."""
    return _placed(A, shaped_motion(shape, sign, q, v, free))


def _placed(A: Pose, motion: JointMotion) -> tuple[Any, ...]:
    X = Pose(multiply(A.R, motion.R), add(A.p, apply(A.R, motion.p)))
    Sp, dp = tuple(apply(A.R, column) for column in motion.Sp), apply(A.R, motion.dp)
    return X, motion.Sw, Sp, motion.dw, dp, Pose(motion.R, motion.p)


def _chained(plan: Plan, i: int, constants: Constants, q: Sequence[Any], v: Sequence[Any], moves: bool) -> Link:
    """A link that moves by coordinates of its body, or of its parent's."""
    planned, given = plan.links[i], constants.links[i]
    parent = planned.parent
    matter, moments = None, given.moments
    own_q, own_v = _of(planned.own, q, v)
    if planned.inner is not None:
        matter = matter_at(planned.inner, planned.own_rates, given.own[0].fields, own_q, own_v)
        moments = Moments(given.moments.m, matter.h(), matter.J())
    before = plan.links[parent] if parent >= 0 and plan.links[parent].own else None
    hangs = given.own[0] if given.own and not planned.implied else None
    before_q, before_v = _of(before.own if before else (), q, v)
    numbers = [*(constants.links[parent].own[0].law if before else ()), *_flat(given.inner), *given.law]
    numbers += [*hangs.law, *_flat(hangs.outer)] if hangs else []
    law = LinkChain(
        before.inner if before else None, planned.law, planned.sign, planned.inner if hangs else None, tuple(numbers)
    )
    own_q, own_v = (own_q, own_v) if hangs else ([], [])
    chain = Chained(law, (*before_q, *q[planned.q], *own_q), (*before_v, *v[planned.v], *own_v), planned.rates)
    motion = joint_motion(law, 1, chain.q, chain.v, numbers) if moves else unmoved(law.freedom)
    step = joint_motion(planned.law, planned.sign, q[planned.q], v[planned.v], given.law)
    outer = _place(planned.inner, hangs.law, hangs.outer, own_q) if hangs and planned.inner else HERE
    return Link(
        planned.body, planned.joint, parent, planned.sign, plan.moving(i), motion.R, motion.p, motion.Sw, motion.Sp,
        motion.dw, motion.dp, moments, given.body, Pose(step.R, step.p), outer, matter, chain,
    )  # fmt: skip


def _station(
    plan: Plan, i: int, station: StationPlan, constants: Constants, q: Sequence[Any], v: Sequence[Any], moves: bool
) -> Link:
    """A place that moves by the coordinates of its body."""
    body, given = plan.links[station.parent], constants.links[station.parent]
    numbers = [*given.own[0].law, *_flat(constants.stations[i - len(plan.links)])]
    law = LinkChain(body.inner, None, 1, None, tuple(numbers))
    own_q, own_v = _of(body.own, q, v)
    chain = Chained(law, tuple(own_q), tuple(own_v), ())
    motion = joint_motion(law, 1, chain.q, chain.v, numbers) if moves else unmoved(law.freedom)
    return Link(
        body.body, "", station.parent, 1, plan.moving(i), motion.R, motion.p, motion.Sw, motion.Sp, motion.dw,
        motion.dp, NO_MASS, HERE, HERE, HERE, None, chain,
    )  # fmt: skip


def _place(law: Any, numbers: Sequence[Any], X: Pose, q: Sequence[Any]) -> Pose:
    """Pose of a place on a body at the body's coordinates."""
    values = (*numbers, *_flat(X))
    motion = joint_motion(LinkChain(law, None, 1, None, values), 1, q, [0.0] * law.freedom, values)
    return Pose(motion.R, motion.p)


def _of(slots: Sequence[Slot], q: Sequence[Any], v: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Variables and rates of some slots."""
    return [x for slot in slots for x in q[slot.q]], [x for slot in slots for x in v[slot.v]]


def _flat(X: Pose) -> tuple[Any, ...]:
    return (*X.p, *(e for row in X.R for e in row))
