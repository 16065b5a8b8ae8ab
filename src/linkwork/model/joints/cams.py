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

SEARCH = 1441  # samples of the coarse search along a plain curve; Newton does the rest
MOST = 100_001  # and along the waviest
VALLEYS = 100  # places of the coarse search that are looked at closely


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
    """Parameter of the curve point nearest to (x, y): the valleys of the distance, each polished by (c - p)·c' = 0."""
    t, u, v = curve.samples(_samples(curve))

    def slope(t: Array) -> tuple[Array, Array]:
        (u, v), (du, dv), (ddu, ddv) = curve.derivatives(t, 2)
        return (u - x) * du + (v - y) * dv, du * du + dv * dv + (u - x) * ddu + (v - y) * ddv

    def score(t: Array) -> Array:
        u, v = curve.point(t)
        return np.asarray(np.hypot(u - x, v - y))

    return _best(curve, t, np.hypot(u - x, v - y), slope, score)


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
    return _best(curve, t, turn(t), slope, score)


def _samples(curve: Curve) -> int:
    """Enough samples that every wave of the curve is seen: by how much its tangent turns in all."""
    _, u, v = curve.samples(SEARCH)
    if not (np.isfinite(u).all() and np.isfinite(v).all()):
        hint = "look for a division by zero or a root"
        raise ModelError(Problem(f"its curve '{curve.name}' is not finite over its range", hint=hint))
    heading = np.unwrap(np.arctan2(np.diff(v), np.diff(u)))
    turns = float(np.sum(np.abs(np.diff(heading)))) / (2 * math.pi)
    return int(np.clip(200 * turns, SEARCH, MOST))


def _best(
    curve: Curve,
    t: Array,
    coarse: Array,
    slope: Callable[[Array], tuple[Array, Array]],
    score: Callable[[Array], Array],
) -> float:
    """Among the valleys of a sampled function the one that, polished by Newton, scores best."""
    coarse = np.where(np.isfinite(coarse), coarse, np.inf)
    left, right = np.roll(coarse, 1), np.roll(coarse, -1)
    if not curve.closed:
        left[0] = right[-1] = np.inf
    valleys = np.flatnonzero((coarse <= left) & (coarse <= right))
    deepest = t[valleys[np.argsort(coarse[valleys], kind="stable")][:VALLEYS]]
    polished = _polish(curve, slope, deepest, float(t[1] - t[0]))
    with np.errstate(all="ignore"):
        values = np.broadcast_to(score(polished), polished.shape)
    return float(polished[np.argmin(np.where(np.isfinite(values), values, np.inf))])


def _polish(curve: Curve, slope: Callable[[Array], tuple[Array, Array]], start: Array, step: float) -> Array:
    """Newton from coarse roots, each kept within the neighbouring samples and the curve's range."""
    t = start
    for _ in range(25):
        with np.errstate(all="ignore"):
            value, gradient = slope(t)
            change = np.clip(-value / gradient, -step, step)
        change = np.where(np.isfinite(change), change, 0.0)
        t = np.clip(t + change, start - 2 * step, start + 2 * step)
        if np.max(np.abs(change), initial=0.0) <= 1e-15 * (1.0 + float(np.max(np.abs(t), initial=0.0))):
            break
    if curve.closed:
        return np.asarray(curve.start + (t - curve.start) % (curve.end - curve.start))
    return np.asarray(np.clip(t, curve.start, curve.end))


def _smoothness(curve: Curve, needed: int) -> list[Problem]:
    if curve.continuity >= needed:
        return []
    text = f"the curve '{curve.name}' has {curve.continuity} continuous derivatives, this joint wants {needed}"
    return [Problem(text, hint="accelerations will jump; use degree: 5", severity="warning")]
