"""Joints as chains of simple ones: turns about and slides along one axis, screws, and balls.

A universal joint is two turns without a body between, a free one three slides and a ball. Each simple joint moves its
outer frame by directions that are constant in that frame, which is what the analytic derivatives need. Gears, cams and
joints with a ball walked backwards are not such chains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from linkwork.algebra import ca
from linkwork.equations.joint_motion import joint_motion
from linkwork.equations.plan import NO_MASS, Constants, LinkPlan, Plan, Pose
from linkwork.equations.scalars import Scalar
from linkwork.equations.tree import Link, Tree
from linkwork.equations.vectors import IDENTITY, ZERO, Matrix, Vector, add, apply, multiply, scale
from linkwork.model.joints import Spheric

UNIT: tuple[Vector, Vector, Vector] = IDENTITY


@dataclass(frozen=True)
class _Step:
    """A simple joint: what its variables are (indices in the joint) and how it moves."""

    kind: str
    axis: int
    variable: int


def is_elementary(plan: Plan) -> bool:
    """True when every joint of the tree is a chain of simple joints, and no body has coordinates of its own."""
    return not any(link.own for link in plan.links) and all(
        link.law.chain is not None and (link.sign > 0 or not any(what == "ball" for what, *_ in link.law.chain))
        for link in plan.links
    )


def grow_elementary(plan: Plan, constants: Constants, q: Sequence[Any], v: Sequence[Any]) -> Tree:
    """The tree with joints of several freedoms taken apart; links in between carry no mass. Rates keep their places."""
    links: list[Link] = []
    last: list[int] = []  # index of the outermost simple link of each link of the plan
    for planned, given in zip(plan.links, constants.links, strict=True):
        parent = last[planned.parent] if planned.parent >= 0 else -1
        inner = given.inner
        steps = tuple(_Step(*step) for step in planned.law.chain or ())
        for step in steps if planned.sign > 0 else tuple(reversed(steps)):
            made = _simple(planned, step, given.law, inner, q[planned.q], v[planned.v])
            links.append(replace(made, parent=parent))
            parent, inner = len(links) - 1, Pose(IDENTITY, ZERO)
        if not steps:
            links.append(replace(_rigid(planned, inner), parent=parent))
        links[-1] = replace(links[-1], moments=given.moments, own=given.body)
        last.append(len(links) - 1)
    marks = constants.points, constants.frames
    return Tree(plan, tuple(links), constants.cuts, constants.gravity, *marks, constants.loads, constants)


def _simple(
    planned: LinkPlan, step: _Step, law: Sequence[Any], inner: Pose, q: Sequence[Any], v: Sequence[Any]
) -> Link:
    sign = float(planned.sign)
    start = planned.v.start + step.variable
    axis = scale(sign, UNIT[step.axis])
    if step.kind == "ball":
        motion = joint_motion(Spheric(), 1, q[step.variable :], v[step.variable :], ())
        return _link(planned, range(start, start + 3), inner, Pose(motion.R, ZERO), motion.Sw, (ZERO,) * 3)
    x = q[step.variable]
    turning, sliding = step.kind in ("turn", "screw"), ZERO
    if step.kind == "slide":
        sliding = axis
    elif step.kind == "screw":
        sliding = scale(law[0] * (0.5 / ca.pi), axis)
    R = _about(step.axis, sign * x) if turning else IDENTITY
    return _link(
        planned, range(start, start + 1), inner, Pose(R, scale(x, sliding)), (axis if turning else ZERO,), (sliding,)
    )


def _link(planned: LinkPlan, dofs: range, inner: Pose, X: Pose, Sw: Sequence[Vector], Sp: Sequence[Vector]) -> Link:
    return Link(
        planned.body,
        planned.joint,
        -1,
        planned.sign,
        dofs,
        multiply(inner.R, X.R),
        add(inner.p, apply(inner.R, X.p)),
        tuple(Sw),
        tuple(apply(inner.R, column) for column in Sp),
        ZERO,
        ZERO,
        NO_MASS,
        Pose(IDENTITY, ZERO),
        X,
    )


def _rigid(planned: LinkPlan, inner: Pose) -> Link:
    return _link(planned, range(planned.v.start, planned.v.start), inner, Pose(IDENTITY, ZERO), (), ())


def _about(axis: int, angle: Any) -> Matrix:
    """Rotation about a coordinate axis."""
    c, s = _cos(angle), _sin(angle)
    if axis == 0:
        return ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c))
    if axis == 1:
        return ((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c))
    return ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))


def _sin(x: Scalar) -> Any:
    return x.trace.operation(ca.OP_SIN, [x])


def _cos(x: Scalar) -> Any:
    return x.trace.operation(ca.OP_COS, [x])
