"""Moving along the coordinates: q' = N(q) v, a finite step, and the step between two postures.

Where a joint turns freely, q holds a unit quaternion and a step is a rotation vector along the outer axes:

    integrate   q ∘ (cos ½θ, ½ sinc(½θ) s)      θ = |s|
    difference  s with integrate(q0, s) = q1, |s| <= π

Joints without quaternions simply add and subtract.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import casadi as ca

from linkwork.equations.plan import LinkPlan, Plan
from linkwork.equations.scalars import replay
from linkwork.model.joints.lower_pairs import QUATERNION

SMALL = 1e-3
"""Angle [rad] below which series replace quotients; their first left-out terms are below 1e-19."""


def flow(plan: Plan, q: Sequence[Any], v: Sequence[Any]) -> list[Any]:
    """Time derivatives of the coordinates at rates v."""
    result: list[Any] = [0.0] * plan.nq
    for link in plan.links:
        result[link.q] = link.law.flow(q[link.q], v[link.v])
    return result


def integrate(plan: Plan, q: Sequence[Any], step: Sequence[Any]) -> list[Any]:
    """Coordinates after the rates `step` have acted for a unit of time, each about its own axes held constant."""
    result: list[Any] = [0.0] * plan.nq
    for link in plan.links:
        plain, own_q, own_s = _plain(link), q[link.q], step[link.v]
        turning = link.q.start + plain
        result[link.q.start : turning] = [x + s for x, s in zip(own_q[:plain], own_s[:plain], strict=True)]
        if plain < len(own_q):
            result[turning : link.q.stop] = replay(_turned(), [own_q[plain:], own_s[plain:]])[0]
    return result


def difference(plan: Plan, q0: Sequence[Any], q1: Sequence[Any]) -> list[Any]:
    """The smallest step that leads from q0 to q1."""
    result: list[Any] = [0.0] * plan.nv
    for link in plan.links:
        plain, a, b = _plain(link), q0[link.q], q1[link.q]
        result[link.v.start : link.v.start + plain] = [y - x for x, y in zip(a[:plain], b[:plain], strict=True)]
        if plain < len(a):
            result[link.v.start + plain : link.v.stop] = replay(_turn_between(), [a[plain:], b[plain:]])[0]
    return result


def _plain(link: LinkPlan) -> int:
    return sum(v not in QUATERNION for v in link.law.variables)


def _product(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    (aw, ax, ay, az), (bw, bx, by, bz) = a, b
    return [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]


@functools.cache
def _turned() -> ca.Function:
    q, s = ca.SX.sym("q", 4), ca.SX.sym("s", 3)
    square = ca.dot(s, s)
    small = square < SMALL**2
    angle = ca.sqrt(ca.if_else(small, 1.0, square))
    cosine = ca.if_else(small, 1 - square / 8 + square**2 / 384, ca.cos(angle / 2))
    quotient = ca.if_else(small, 0.5 - square / 48 + square**2 / 3840, ca.sin(angle / 2) / angle)
    turned = _product(ca.vertsplit(q), [cosine, *ca.vertsplit(quotient * s)])
    length = ca.sqrt(sum(x * x for x in turned))
    return ca.Function("turned", [q, s], [ca.vertcat(*turned) / length])


@functools.cache
def _turn_between() -> ca.Function:
    a, b = ca.SX.sym("a", 4), ca.SX.sym("b", 4)
    w, x, y, z = _product([a[0], -a[1], -a[2], -a[3]], ca.vertsplit(b))
    sine_square = x * x + y * y + z * z
    near = sine_square < SMALL**2
    sine = ca.sqrt(ca.if_else(near, 1.0, sine_square))
    sign = ca.if_else(w < 0, -1.0, 1.0)  # q and -q are one rotation: take the short way
    cosine = ca.fabs(w)
    ratio = sine_square / ca.if_else(near, cosine**2, 1.0)  # tan², used when near only
    series = (2 - 2 * ratio / 3 + 2 * ratio**2 / 5 - 2 * ratio**3 / 7) / ca.if_else(near, cosine, 1.0)
    factor = sign * ca.if_else(near, series, 2 * ca.atan2(sine, cosine) / sine)
    return ca.Function("turn_between", [a, b], [ca.vertcat(x, y, z) * factor])
