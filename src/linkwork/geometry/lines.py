"""Lines, planes and points in homogeneous form.

A line has Plücker coordinates: a direction and a moment = r x direction, for any point r of it.
A plane [n, D] holds the points x with n.x + D = 0. A point is [x, y, z, w], at infinity where w = 0.
Coordinates may be scaled by any positive number; shapes (..., 3), (...), (..., 4).
Uicker, Ravani, Sheth, Matrix Methods, secs. 3.2, 3.3, 3.9. Lines from points and planes follow from these definitions;
eq. 3.9 as printed has other signs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.geometry.poses import position, transform_vectors
from linkwork.geometry.screws import twist_from_matrix, twist_matrix
from linkwork.geometry.types import Array, ArrayLike, Bools
from linkwork.geometry.vectors import as_vectors, dot, length, made_perpendicular, perpendicular, unit

# Sine of the angle below which directions count as parallel.
PARALLEL = 1e-9

_EPS = float(np.finfo(np.float64).eps)


# --- homogeneous points -----------------------------------------------------------------------------------------------


def homogeneous(p: ArrayLike) -> Array:
    """[x, y, z, 1] of Cartesian points (eq. 3.1)."""
    point = as_vectors(p, "point")
    return np.concatenate([point, np.ones((*point.shape[:-1], 1))], axis=-1)


def point_at_infinity(direction: ArrayLike) -> Array:
    """[x, y, z, 0]: where all lines along `direction` meet; also a free vector (eq. 3.4)."""
    vector = as_vectors(direction, "direction")
    return np.concatenate([vector, np.zeros((*vector.shape[:-1], 1))], axis=-1)


def is_at_infinity(h: ArrayLike) -> Bools:
    """Whether the fourth coordinate is 0."""
    result: Bools = as_vectors(h, "homogeneous point", size=4)[..., 3] == 0.0
    return result


def cartesian(h: ArrayLike) -> Array:
    """The first three coordinates over the fourth (eq. 3.2); a point at infinity is an error."""
    point = as_vectors(h, "homogeneous point", size=4)
    if np.any(is_at_infinity(point)):
        raise InputError(Problem("the point is at infinity (its fourth coordinate is 0)", hint="use it as a direction"))
    return point[..., :3] / point[..., 3:]


# --- lines ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """An oriented line: direction (of any length but 0) and moment = r x direction, shapes (..., 3)."""

    direction: Array
    moment: Array

    @property
    def point(self) -> Array:
        """The point nearest to the origin: direction x moment / direction^2 (eq. 3.11)."""
        return np.cross(self.direction, self.moment) / dot(self.direction, self.direction)[..., None]

    def at(self, distance: ArrayLike) -> Array:
        """The point at a distance [m] along the line from its point nearest to the origin."""
        return self.point + np.asarray(distance, dtype=np.float64)[..., None] * unit(self.direction)

    def unit(self) -> Line:
        """The same line with a direction of length 1."""
        return Line(unit(self.direction), self.moment / length(self.direction)[..., None])


def line_from_point_direction(p: ArrayLike, direction: ArrayLike) -> Line:
    """The line through p along a direction, which is made of length 1 (eq. 3.7)."""
    along = unit(direction)
    return Line(along, np.cross(as_vectors(p, "point"), along))


def line_from_points(p1: ArrayLike, p2: ArrayLike) -> Line:
    """The line from p1 to p2, Cartesian (..., 3) or homogeneous (..., 4): w1 p2 - w2 p1 and p1 x p2, unit direction."""
    h1, h2 = (_homogeneous(p) for p in (p1, p2))
    direction = h1[..., 3:] * h2[..., :3] - h2[..., 3:] * h1[..., :3]
    size = length(direction)
    share = np.abs(h1[..., 3]) * length(h2[..., :3]) + np.abs(h2[..., 3]) * length(h1[..., :3])
    if np.any(size <= 4.0 * _EPS * share):
        what = f"the two points of a line coincide (distance {float(np.min(size)):.3g})"
        raise InputError(Problem(what, hint="give two different points, not both at infinity"))
    return Line(direction, np.cross(h1[..., :3], h2[..., :3])).unit()


def _homogeneous(p: ArrayLike) -> Array:
    array = np.asarray(p, dtype=np.float64)
    return array if array.ndim and array.shape[-1] == 4 else homogeneous(array)


def line_from_planes(plane1: Plane, plane2: Plane) -> Line:
    """The line where two planes meet: n1 x n2 and D1 n2 - D2 n1, made of unit direction."""
    first, second = plane1.unit(), plane2.unit()
    direction = np.cross(first.normal, second.normal)
    sine = length(direction)
    if np.any(sine <= PARALLEL):
        what = f"the two planes are parallel (sine of their angle {float(np.min(sine)):.3g})"
        raise InputError(Problem(what, hint="parallel planes meet in no line, or everywhere: give two that cross"))
    moment = first.offset[..., None] * second.normal - second.offset[..., None] * first.normal
    return Line(direction, moment).unit()


def line_matrix(line: Line) -> Array:
    """The 4x4 form [skew(direction) moment; 0 0] (eq. 3.14): the operator of a turn about the line."""
    return twist_matrix(np.concatenate(np.broadcast_arrays(line.moment, line.direction), axis=-1))


def line_from_matrix(M: ArrayLike) -> Line:
    """The line of a 4x4 form."""
    coordinates = twist_from_matrix(M)
    return Line(coordinates[..., 3:], coordinates[..., :3])


def transform_line(X_AB: ArrayLike, line: Line) -> Line:
    """A line of B in A: R direction, R moment + p x R direction; its 4x4 form becomes X M X^-1 (eq. 3.56)."""
    direction = transform_vectors(X_AB, line.direction)
    return Line(direction, transform_vectors(X_AB, line.moment) + np.cross(position(X_AB), direction))


def are_parallel(line1: Line, line2: Line, tol: float = PARALLEL) -> Bools:
    """Whether the sine of the angle between two lines is at most `tol` (either sense)."""
    result: Bools = length(np.cross(unit(line1.direction), unit(line2.direction))) <= tol
    return result


def are_perpendicular(line1: Line, line2: Line, tol: float = PARALLEL) -> Bools:
    """Whether the cosine of the angle between two lines is at most `tol`; they need not meet."""
    result: Bools = np.abs(dot(unit(line1.direction), unit(line2.direction))) <= tol
    return result


def do_intersect(line1: Line, line2: Line, tol: float = 1e-9) -> Bools:
    """Whether two lines meet in one finite point: not parallel, and no more than `tol` [m] apart."""
    between = common_perpendicular(line1, line2)
    result: Bools = (between.distance <= tol) & ~between.parallel
    return result


def point_line_distance(p: ArrayLike, line: Line) -> Array:
    """Distance [m] of a point from a line: |p x w - m| for a unit direction w."""
    normal = line.unit()
    return length(np.cross(as_vectors(p, "point"), normal.direction) - normal.moment)


@dataclass(frozen=True)
class CommonPerpendicular:
    """The shortest way from line 1 to line 2: its ends, its length [m] and its unit direction.

    Lines that meet have distance 0 and the direction w1 x w2. `parallel` tells where there is a family of
    perpendiculars: foot1 is then the point of line 1 nearest to the origin and foot2 the one opposite to it; for
    coincident lines the direction is the canonical perpendicular of line 1.
    """

    foot1: Array
    foot2: Array
    distance: Array
    direction: Array
    parallel: Bools


def common_perpendicular(line1: Line, line2: Line, tol: float = PARALLEL) -> CommonPerpendicular:
    """The common perpendicular of two lines; they count as parallel where the sine of their angle is at most `tol`."""
    first, second = line1.unit(), line2.unit()
    w1, w2 = np.broadcast_arrays(first.direction, second.direction)
    a, b = first.point, second.point
    gap = b - a
    normal = np.cross(w1, w2)
    square = dot(normal, normal)
    parallel = np.sqrt(square) <= tol

    # Skew: how far to go from a along w1, and from b along w2. Parallel: stay at a, and go straight across.
    safe = np.where(parallel, 1.0, square)
    along1 = np.where(parallel, 0.0, dot(np.cross(gap, w2), normal) / safe)
    along2 = np.where(parallel, -dot(gap, w2), dot(np.cross(gap, w1), normal) / safe)
    foot1, foot2 = a + along1[..., None] * w1, b + along2[..., None] * w2

    # Signed distance along the normal: -(w1.m2 + w2.m1) / |n| without the detour over the feet.
    mutual = dot(w1, second.moment) + dot(w2, first.moment)
    across = foot2 - foot1
    distance = np.where(parallel, length(across), np.abs(mutual) / np.sqrt(safe))
    turned = np.where((mutual > 0.0)[..., None], -normal, normal)

    # Nearly coincident lines have a gap of rounding noise in any direction: take off what lies along the line first.
    across = across - dot(across, w1)[..., None] * w1
    apart = parallel & (length(across) > 8.0 * _EPS * (length(a) + length(b)))
    straight = made_perpendicular(np.where(apart[..., None], across, perpendicular(w1)), w1)
    direction = unit(np.where(parallel[..., None], straight, turned))
    return CommonPerpendicular(foot1, foot2, distance, direction, parallel)


# --- planes -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plane:
    """The points x with normal.x + offset = 0; normal (..., 3) of any length but 0, offset (...)."""

    normal: Array
    offset: Array

    @property
    def coefficients(self) -> Array:
        """[A, B, C, D] with A x + B y + C z + D = 0 (eq. 3.5)."""
        return np.concatenate([self.normal, np.asarray(self.offset)[..., None]], axis=-1)

    def unit(self) -> Plane:
        """The same plane with a normal of length 1."""
        return Plane(unit(self.normal, "normal"), np.asarray(self.offset / length(self.normal)))


def plane_from_coefficients(coefficients: ArrayLike) -> Plane:
    """The plane A x + B y + C z + D = 0, made of unit normal."""
    array = as_vectors(coefficients, "plane", size=4)
    return Plane(array[..., :3], array[..., 3]).unit()


def plane_from_point_normal(p: ArrayLike, normal: ArrayLike) -> Plane:
    """The plane through p across a normal, which is made of length 1."""
    n = unit(normal, "normal")
    return Plane(n, -dot(n, as_vectors(p, "point")))


def plane_from_points(p1: ArrayLike, p2: ArrayLike, p3: ArrayLike) -> Plane:
    """The plane through three points; seen from the tip of its normal they run anticlockwise."""
    a, b, c = (as_vectors(p, "point") for p in (p1, p2, p3))
    first, second = b - a, c - a
    lengths = np.stack(np.broadcast_arrays(length(first), length(second), length(c - b)))
    normal = np.cross(first, second)
    if np.any(length(normal) <= PARALLEL * lengths[0] * lengths[1]):
        each = ", ".join(
            f"{name} {float(np.min(size)):.3g}" for name, size in zip(["12", "13", "23"], lengths, strict=True)
        )
        what = f"the three points of a plane lie on one line (distances {each})"
        raise InputError(Problem(what, hint="give three different points that are not on one line"))
    return plane_from_point_normal(a, normal)


def transform_plane(X_AB: ArrayLike, plane: Plane) -> Plane:
    """A plane of B in A: R n and D - p.R n."""
    normal = transform_vectors(X_AB, plane.normal)
    return Plane(normal, plane.offset - dot(normal, position(X_AB)))


def point_plane_distance(p: ArrayLike, plane: Plane) -> Array:
    """Distance [m] of a point from a plane, positive on the side of the normal: (n.p + D) / |n|."""
    normal = plane.unit()
    return dot(normal.normal, as_vectors(p, "point")) + normal.offset


def line_plane_intersection(line: Line, plane: Plane) -> Array:
    """The point where a line crosses a plane: (n x moment - D direction) / n.direction; parallel is an error."""
    along, across = line.unit(), plane.unit()
    sine = dot(across.normal, along.direction)
    if np.any(np.abs(sine) <= PARALLEL):
        away = float(np.max(np.abs(point_plane_distance(along.point, across))))
        what = f"the line is parallel to the plane ({away:.3g} m away)"
        raise InputError(Problem(what, hint="give a line that crosses the plane"))
    point = np.cross(across.normal, along.moment) - across.offset[..., None] * along.direction
    return np.asarray(point / sine[..., None])
