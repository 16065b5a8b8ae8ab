"""Frames from the data of a drawing: a point and an axis, or three points.

A frame F has the axes u, v, w (columns 1, 2, 3 of its pose) and w lies along the axis of whatever stands there.
Uicker, Ravani, Sheth, Matrix Methods, sec. 4.4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.geometry.poses import pose
from linkwork.geometry.types import Array, ArrayLike
from linkwork.geometry.vectors import as_vectors, length, made_perpendicular, perpendicular, unit

_EPS = float(np.finfo(np.float64).eps)

# Sine of the angle below which two directions count as parallel: nothing measured or typed is finer than this.
PARALLEL = 1e-9

# Baseline over largest coordinate below which three points define a frame poorly (10 of 16 digits are left).
SHORT = 1e-6


@dataclass(frozen=True)
class FrameAccuracy:
    """How well three points define a frame.

    `baseline` is the lesser of the distance 1-2 and the distance of point 3 from the axis; `angle_error` [rad] what the
    rounding of the coordinates alone may turn the frame by; `problems` holds a warning where that matters.
    """

    baseline: float
    angle_error: float
    problems: tuple[Problem, ...] = ()


def frame_from_axis(at: ArrayLike, axis: ArrayLike, x: ArrayLike | None = None) -> Array:
    """The pose of the frame at the point `at` with w along `axis` and u along `x` made perpendicular to the axis.

    Without `x`, u is the coordinate axis that follows the largest component of the axis in the cycle x, y, z, made
    perpendicular: axis z gives the identity, axis x the columns y z x, axis y the columns z x y, all exactly.
    Shapes (..., 3) give (..., 4, 4). Lengths of `axis` and `x` do not matter.
    """
    origin = as_vectors(at, "point")
    if not np.isfinite(origin).all():
        raise InputError(Problem(f"point {origin.tolist()} is not finite", hint="give three finite numbers"))
    w = unit(axis, "axis")
    if x is None:
        u = perpendicular(w)
    else:
        along = unit(x, "x direction")
        sine = length(np.cross(w, along))
        if np.any(sine <= PARALLEL):
            what = f"x direction is parallel to the axis (sine of the angle {float(np.min(sine)):.3g})"
            raise InputError(Problem(what, hint="give an x direction across the axis, or none"))
        u = made_perpendicular(along, w)
    R = np.stack(np.broadcast_arrays(u, np.cross(w, u) + 0.0, w), axis=-1)
    return pose(R, origin)


def frame_from_points(p1: ArrayLike, p2: ArrayLike, p3: ArrayLike) -> Array:
    """The pose of the frame with its origin at p1, p2 on +w, and p3 in the half plane of w and +u (sec. 4.4).

    Coincident points and three points on a line are errors. `frame_accuracy` tells whether the points are good ones.
    """
    frame_accuracy(p1, p2, p3)  # raises
    origin = as_vectors(p1)
    return frame_from_axis(origin, as_vectors(p2) - origin, as_vectors(p3) - origin)


def frame_accuracy(p1: ArrayLike, p2: ArrayLike, p3: ArrayLike) -> FrameAccuracy:
    """How well three points define a frame: a short baseline far from the origin gives a warning.

    The digits that the coordinates share say nothing about directions. Where no frame is left this raises InputError.
    """
    points = [as_vectors(p, f"point {k}") for k, p in enumerate((p1, p2, p3), 1)]
    if any(p.shape != (3,) or not np.isfinite(p).all() for p in points):
        raise InputError(Problem("the three points of a frame are not finite", hint="give three finite numbers each"))
    origin, second, third = points
    largest = float(np.max(np.abs(np.stack(points))))
    rounding = _EPS * largest

    axis, across = second - origin, third - origin
    axis_length, across_length = float(length(axis)), float(length(across))
    for number, size in ((2, axis_length), (3, across_length)):
        if size <= 8.0 * rounding:
            what = f"points 1 and {number} coincide (distance {size:.3g})"
            purpose = "on the axis, away from point 1" if number == 2 else "off the axis, on the side of u"
            raise InputError(Problem(what, hint=f"move point {number}: it belongs {purpose}"))

    sine = float(length(np.cross(unit(axis), unit(across))))
    if sine <= max(PARALLEL, 8.0 * rounding / min(axis_length, across_length)):
        what = (
            f"points 1, 2, 3 lie on one line (distances 1-2 {axis_length:.3g}, 1-3 {across_length:.3g}, "
            f"point 3 is {sine * across_length:.3g} off the line)"
        )
        raise InputError(Problem(what, hint="move point 3 away from the axis, to the side where u shall point"))

    baseline = min(axis_length, across_length * sine)
    error = rounding / baseline
    if baseline >= SHORT * largest:
        return FrameAccuracy(baseline, error)
    what = f"the baseline of the frame ({baseline:.3g}) is short against the coordinates ({largest:.3g})"
    hint = f"rounding alone turns it by {error:.1g} rad; take points further apart, or measure from a nearer origin"
    return FrameAccuracy(baseline, error, (Problem(what, hint=hint, severity="warning"),))
