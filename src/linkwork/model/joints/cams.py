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
from linkwork.model.joints.law import Law, Motion, Variable, about_w, angle_about_w, transform

SEARCH = 1441  # samples of the coarse search along a curve; Newton does the rest


@dataclass(frozen=True)
class PointOnCurve(Law):
    """A point of the second body runs on a curve of the first: parameter, `angle` of the body, offset along w."""

    curve: Curve
    kind, letter = "point_on_curve", "Q"
    variables = (Variable("parameter", "number"), Variable("angle", "angle"), Variable("axial", "length"))
    keep = 0

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


@dataclass(frozen=True)
class LineOnCurve(Law):
    """A line of the second body (its u) stays tangent to a curve of the first: parameter at the contact, distance
    `contact` from M's origin to the contact along the line, offset along w."""

    curve: Curve
    kind, letter = "line_on_curve", "L"
    variables = (Variable("parameter", "number"), Variable("contact", "length"), Variable("axial", "length"))
    keep = 0

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


def _assert_said(X_WM: Array | None, value: Sequence[float] | None, what: str) -> None:
    """A curve has no zero to start from: the second body's place must be given."""
    if X_WM is None and value is None:
        raise ModelError(Problem("`to` is missing", hint=f"say where {what} of the second body is"))


def closest_parameter(curve: Curve, x: float, y: float) -> float:
    """Parameter of the curve point nearest to (x, y): coarse search, then Newton on (c - p)·c' = 0."""
    t, u, v = curve.samples(SEARCH)
    best = float(t[np.argmin((u - x) ** 2 + (v - y) ** 2)])

    def slope(t: float) -> tuple[float, float]:
        (u, v), (du, dv), (ddu, ddv) = curve.derivatives(t, 2)
        return (u - x) * du + (v - y) * dv, du * du + dv * dv + (u - x) * ddu + (v - y) * ddv

    return _polish(curve, slope, best)


def tangent_parameter(curve: Curve, x: float, y: float, c: float, s: float) -> float:
    """Parameter where the tangent points along (c, s) and the line through (x, y) touches the curve."""
    t, u, v = curve.samples(SEARCH)
    (_, (du, dv)) = curve.derivatives(t, 1)
    speed = np.hypot(du, dv)
    turn = (c * dv - s * du) / speed
    gap = np.abs(-s * (u - x) + c * (v - y)) / max(curve.size(), 1e-300)
    against = np.where(c * du + s * dv > 0.0, 0.0, 4.0)
    best = float(t[np.argmin(np.abs(turn) + gap + against)])

    def slope(t: float) -> tuple[float, float]:
        _, (du, dv), (ddu, ddv) = curve.derivatives(t, 2)
        return c * dv - s * du, c * ddv - s * ddu

    return _polish(curve, slope, best)


def _polish(curve: Curve, slope: Any, start: float) -> float:
    """Newton from a coarse root, kept within the neighbouring samples and the curve's range."""
    step = (curve.end - curve.start) / (SEARCH - 1)
    t = start
    for _ in range(20):
        value, gradient = slope(t)
        if gradient == 0.0 or not math.isfinite(value / gradient):
            break
        change = float(np.clip(-value / gradient, -step, step))
        t = float(np.clip(t + change, start - 2 * step, start + 2 * step))
        if abs(change) <= 1e-15 * (1.0 + abs(t)):
            break
    return t if curve.closed else float(np.clip(t, curve.start, curve.end))


def _smoothness(curve: Curve, needed: int) -> list[Problem]:
    if curve.continuity >= needed:
        return []
    text = f"the curve '{curve.name}' has {curve.continuity} continuous derivatives, this joint wants {needed}"
    return [Problem(text, hint="accelerations will jump; use degree: 5", severity="warning")]
