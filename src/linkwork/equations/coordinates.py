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

from linkwork.algebra import ca
from linkwork.equations.plan import Slot
from linkwork.equations.scalars import replay

SMALL = 1e-3
"""Angle [rad] below which series replace quotients; their first left-out terms are below 1e-19."""


def flow(slots: Sequence[Slot], q: Sequence[Any], v: Sequence[Any]) -> list[Any]:
    """Time derivatives of the variables of some joints at rates v."""
    result: list[Any] = [0.0] * len(q)
    for slot in slots:
        result[slot.q] = slot.law.flow(q[slot.q], v[slot.v])
    return result


def integrate(slots: Sequence[Slot], q: Sequence[Any], step: Sequence[Any]) -> list[Any]:
    """Variables after the rates `step` have acted for a unit of time, each about its own axes held constant."""
    result: list[Any] = [0.0] * len(q)
    for slot in slots:
        plain, own_q, own_s = slot.plain, q[slot.q], step[slot.v]
        turning = slot.q.start + plain
        result[slot.q.start : turning] = [x + s for x, s in zip(own_q[:plain], own_s[:plain], strict=True)]
        if plain < len(own_q):
            result[turning : slot.q.stop] = replay(_turned(), [own_q[plain:], own_s[plain:]])[0]
    return result


def difference(slots: Sequence[Slot], q0: Sequence[Any], q1: Sequence[Any]) -> list[Any]:
    """The smallest step that leads from q0 to q1."""
    result: list[Any] = [0.0] * sum(slot.law.freedom for slot in slots)
    for slot in slots:
        plain, a, b = slot.plain, q0[slot.q], q1[slot.q]
        result[slot.v.start : slot.v.start + plain] = [y - x for x, y in zip(a[:plain], b[:plain], strict=True)]
        if plain < len(a):
            result[slot.v.start + plain : slot.v.stop] = replay(_turn_between(), [a[plain:], b[plain:]])[0]
    return result


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
