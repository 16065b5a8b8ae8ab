"""Joints on planar curves: a point kept on a curve, and a straight line kept tangent to one (a flat-faced cam).

Uicker, Ravani, Sheth, Matrix Methods, sec. 4.6.12-13. The first body carries the curve; w is normal to its plane.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork import geometry as geo
from linkwork.errors import ModelError, Problem
from linkwork.geometry import Array
from linkwork.geometry.elementary import sqrt
from linkwork.model.curves import Curve
from linkwork.model.joints.law import Key, Law, Motion, Variable, about_w, angle_about_w, transform
from linkwork.model.nearest_places import SEARCH, best_parameter, enough_samples
from linkwork.model.ranges import Range


@dataclass(frozen=True)
class PointOnCurve(Law):
    """A point of the second body runs on a curve of the first: parameter, `angle` of the body, offset along w."""

    curve: Curve
    kind, letter = "point_on_curve", "Q"
    variables = (Variable("parameter", "number"), Variable("angle", "angle"), Variable("axial", "length"))
    keep = 0
    about = "A point of the second body on a curve of the first. Variables: parameter, angle, axial."
    keys = (Key("curve", "curve", needed=True),)
    symbol = "cam"
    carried = True

    def motion(self, q: Sequence[Any]) -> Motion:
        u, v = self.curve.point(q[0])
        return about_w(q[1]), (u, v, q[2])

    def recover(self, X_FM: Array) -> Array:
        t = closest_parameter(self.curve, X_FM[0, 3], X_FM[1, 3])
        return np.array([t, angle_about_w(X_FM), X_FM[2, 3]])

    def seat(self, X_WF: Array, X_WM: Array | None, value: Sequence[float] | None) -> tuple[Array, Array]:
        _assert_said(X_WM, value, "the point")
        return super().seat(X_WF, X_WM, value)

    def concerns(self, q: Array, length: Callable[[float], str]) -> list[Problem]:
        return _smoothness(self.curve, 2)

    def reach(self) -> float:
        return self.curve.size()

    def ranges(self) -> dict[str, Range]:
        return {"parameter": _range(self.curve)}


@dataclass(frozen=True)
class LineOnCurve(Law):
    """A line of the second body (its u) stays tangent to a curve of the first: parameter at the contact, distance
    `contact` from M's origin to the contact along the line, offset along w."""

    curve: Curve
    kind, letter = "line_on_curve", "L"
    variables = (Variable("parameter", "number"), Variable("contact", "length"), Variable("axial", "length"))
    keep = 0
    about = (
        "A line of the second body (u of `to`) tangent to a curve of the first. Variables: parameter, contact, axial."
    )
    keys = (Key("curve", "curve", needed=True),)
    symbol = "cam"
    carried = True

    def motion(self, q: Sequence[Any]) -> Motion:
        (u, v), (du, dv) = self.curve.derivatives(q[0], 1)
        speed = sqrt(du * du + dv * dv)
        c, s = du / speed, dv / speed
        return ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)), (u - q[1] * c, v - q[1] * s, q[2])

    def recover(self, X_FM: Array) -> Array:
        angle = angle_about_w(X_FM)
        c, s = math.cos(angle), math.sin(angle)
        t = tangent_parameter(self.curve, X_FM[0, 3], X_FM[1, 3], c, s)
        u, v = self.curve.point(t)
        return np.array([t, (u - X_FM[0, 3]) * c + (v - X_FM[1, 3]) * s, X_FM[2, 3]])

    def seat(self, X_WF: Array, X_WM: Array | None, value: Sequence[float] | None) -> tuple[Array, Array]:
        _assert_said(X_WM, value, "the line")
        if X_WM is None:
            return super().seat(X_WF, X_WM, value)
        # A line has two directions; take the one that runs with the curve.
        turned = X_WM @ np.diag([-1.0, -1.0, 1.0, 1.0])
        return X_WF, min((X_WM, turned), key=lambda X: self._gap(geo.inverse(X_WF) @ X))

    def _gap(self, X_FM: Array) -> float:
        return float(np.linalg.norm(transform(self, self.recover(X_FM)) - X_FM))

    def concerns(self, q: Array, length: Callable[[float], str]) -> list[Problem]:
        return _smoothness(self.curve, 3)

    def reach(self) -> float:
        return self.curve.size()

    def ranges(self) -> dict[str, Range]:
        return {"parameter": _range(self.curve)}


def _assert_said(X_WM: Array | None, value: Sequence[float] | None, what: str) -> None:
    """A curve has no zero to start from: the second body's place must be given."""
    if X_WM is None and value is None:
        raise ModelError(Problem("`to` is missing", hint=f"say where {what} of the second body is"))


def closest_parameter(curve: Curve, x: float, y: float) -> float:
    """Parameter of the curve point nearest to (x, y): the valleys of the distance, each polished by (c - p)·c' = 0."""
    t, u, v = curve.samples(_samples(curve))

    def slope(t: Array) -> tuple[Array, Array]:
        (u, v), (du, dv), (ddu, ddv) = curve.derivatives(t, 2)
        return (u - x) * du + (v - y) * dv, du * du + dv * dv + (u - x) * ddu + (v - y) * ddv

    def score(t: Array) -> Array:
        u, v = curve.point(t)
        return np.asarray(np.hypot(u - x, v - y))

    return best_parameter(_range(curve), t, np.hypot(u - x, v - y), slope, score)


def tangent_parameter(curve: Curve, x: float, y: float, c: float, s: float) -> float:
    """Parameter where the tangent points along (c, s) and the line through (x, y) touches the curve.

    A wavy curve has many such tangents; the one whose line passes (x, y) nearest is meant.
    """
    size = max(curve.size(), 1e-300)

    def turn(t: Array) -> Array:
        _, (du, dv) = curve.derivatives(t, 1)
        with np.errstate(all="ignore"):
            speed = np.hypot(du, dv)
            against = np.where(c * du + s * dv > 0.0, 0.0, 4.0)
            return np.asarray(np.abs(c * dv - s * du) / np.where(speed > 0.0, speed, 1.0) + against)

    def slope(t: Array) -> tuple[Array, Array]:
        _, (du, dv), (ddu, ddv) = curve.derivatives(t, 2)
        return c * dv - s * du, c * ddv - s * ddu

    def score(t: Array) -> Array:
        u, v = curve.point(t)
        return np.asarray(turn(t) + np.abs(-s * (u - x) + c * (v - y)) / size)

    t = curve.samples(_samples(curve))[0]
    return best_parameter(_range(curve), t, turn(t), slope, score)


def _samples(curve: Curve) -> int:
    """Enough samples that every wave of the curve is seen: by how much its tangent turns in all."""
    _, u, v = curve.samples(SEARCH)
    if not (np.isfinite(u).all() and np.isfinite(v).all()):
        hint = "look for a division by zero or a root"
        raise ModelError(Problem(f"its curve '{curve.name}' is not finite over its range", hint=hint))
    return enough_samples(np.stack([u, v], axis=1))


def _range(curve: Curve) -> Range:
    return Range(curve.start, curve.end, curve.closed)


def _smoothness(curve: Curve, needed: int) -> list[Problem]:
    if curve.continuity >= needed:
        return []
    text = f"the curve '{curve.name}' has {curve.continuity} continuous derivatives, this joint wants {needed}"
    return [Problem(text, hint="accelerations will jump; use degree: 5", severity="warning")]
