"""Surfaces that a point of a machine may be kept on: a place (x, y, z) [m] of two parameters, in the surface's frame.

A surface is evaluated with numbers, complex numbers, arrays or CasADi expressions alike, so that joints on surfaces are
differentiated like every other joint. Frames are those of joints: z is the `axis`, x the direction of zero.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np

from linkwork.errors import ModelError, Problem
from linkwork.expressions import Expression
from linkwork.geometry import Array
from linkwork.geometry.elementary import cos, sin
from linkwork.model.nearest_places import nearest_on_surface, tangents
from linkwork.model.ranges import Range
from linkwork.model.surface_makers import a_length, a_number, a_span, arithmetic, asked, assert_positive, made

Parameter = tuple[str, Literal["angle", "length", "number"]]

SAMPLES = 41  # along either parameter, to tell size and soundness
FLAT = 1e-6  # tangents narrower than this part of each other leave no surface
TURN = Range(-math.pi, math.pi, True)


class Surface:
    """What every surface gives.

    kind : name in model files; parameters : names and dimensions of its two parameters
    numbers : fields that may change while the equations stay; starts_at_origin : whether (0, 0) is the frame's origin
    """

    kind: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, Parameter]]
    numbers: ClassVar[tuple[str, ...]] = ()
    starts_at_origin: ClassVar[bool] = False

    def point(self, u: Any, v: Any) -> tuple[Any, Any, Any]:
        """(x, y, z) at the parameters [m]."""
        raise AssertionError(self.kind)  # every surface gives its own

    def over(self) -> tuple[Range, Range]:
        """Ranges of the two parameters."""
        return Range(), Range()

    def nearest(self, place: Array) -> Array:
        """Parameters of the place of the surface that is nearest to another."""
        raise AssertionError(self.kind)  # every surface gives its own

    def size(self) -> float:
        """Length that tells how large the surface is [m]; 0 where it has no end."""
        return 0.0

    def problems(self) -> list[Problem]:
        """What is wrong with the whole surface."""
        return []

    def pole(self, u: float, v: float) -> str:
        """Which parameter does not move the point at (u, v), or which two do not differ there; "" for none."""
        J = tangents(self.point, u, v)
        lengths = np.linalg.norm(J, axis=0)
        (a, _), (b, _) = self.parameters
        if lengths.min() <= FLAT * lengths.max():
            return f"{(a, b)[int(np.argmin(lengths))]} does not move it there"
        if np.linalg.norm(np.cross(J[:, 0], J[:, 1])) <= FLAT * lengths.prod():
            return f"{a} and {b} move it the same way there"
        return ""


@dataclass(frozen=True)
class Plane(Surface):
    """The plane z = 0: slides x and y."""

    kind = "plane"
    parameters = (("x", "length"), ("y", "length"))
    starts_at_origin = True

    def point(self, u: Any, v: Any) -> tuple[Any, Any, Any]:
        return u, v, 0.0

    def nearest(self, place: Array) -> Array:
        return np.array(place[:2])


@dataclass(frozen=True)
class Sphere(Surface):
    """r (sin a cos b, sin b, cos a cos b): angle1 a turns from z towards x, angle2 b rises towards y.

    Both are zero at the top, r along z; the poles, where angle1 does not tell, lie aside at ±y.
    """

    radius: float = asked(a_length)
    kind = "sphere"
    parameters = (("angle1", "angle"), ("angle2", "angle"))
    numbers = ("radius",)

    def __post_init__(self) -> None:
        assert_positive(self.radius, "radius")

    def point(self, u: Any, v: Any) -> tuple[Any, Any, Any]:
        aside = self.radius * cos(v)
        return aside * sin(u), self.radius * sin(v), aside * cos(u)

    def over(self) -> tuple[Range, Range]:
        return TURN, Range(-math.pi / 2, math.pi / 2)

    def nearest(self, place: Array) -> Array:
        x, y, z = place
        return np.array([math.atan2(x, z), math.atan2(y, math.hypot(x, z))])

    def size(self) -> float:
        return 2 * self.radius


@dataclass(frozen=True)
class Cylinder(Surface):
    """(r cos a, r sin a, s): angle a about z, slide s along it."""

    radius: float = asked(a_length)
    kind = "cylinder"
    parameters = (("angle", "angle"), ("slide", "length"))
    numbers = ("radius",)

    def __post_init__(self) -> None:
        assert_positive(self.radius, "radius")

    def point(self, u: Any, v: Any) -> tuple[Any, Any, Any]:
        return self.radius * cos(u), self.radius * sin(u), v

    def over(self) -> tuple[Range, Range]:
        return TURN, Range()

    def nearest(self, place: Array) -> Array:
        x, y, z = place
        return np.array([math.atan2(y, x), z])

    def size(self) -> float:
        return 2 * self.radius


@dataclass(frozen=True)
class Cone(Surface):
    """s (sin h cos a, sin h sin a, cos h): angle a about z, slant s > 0 from the apex, which is the origin.

    half_angle : h, between z and the side [rad]
    """

    half_angle: float = asked(a_number)
    kind = "cone"
    parameters = (("angle", "angle"), ("slant", "length"))
    numbers = ("half_angle",)

    def __post_init__(self) -> None:
        if isinstance(self.half_angle, Real) and not 0.0 < self.half_angle < math.pi / 2:
            text = f"the half angle is {math.degrees(self.half_angle):.6g} deg"
            raise ModelError(
                Problem(text, hint="it lies between 0 and 90 deg; turn the axis for a cone that opens down")
            )

    def point(self, u: Any, v: Any) -> tuple[Any, Any, Any]:
        aside = v * sin(self.half_angle)
        return aside * cos(u), aside * sin(u), v * cos(self.half_angle)

    def over(self) -> tuple[Range, Range]:
        return TURN, Range(0.0)

    def nearest(self, place: Array) -> Array:
        x, y, z = place
        slant = math.hypot(x, y) * math.sin(self.half_angle) + z * math.cos(self.half_angle)
        return np.array([math.atan2(y, x), max(slant, 0.0)])


@dataclass(frozen=True)
class Torus(Surface):
    """((R + r cos b) cos a, (R + r cos b) sin a, r sin b): angle a about z, `around` b about the middle of the tube.

    radius : R, of the middle circle; tube : r < R, of the tube [m]
    """

    radius: float = asked(a_length)
    tube: float = asked(a_length)
    kind = "torus"
    parameters = (("angle", "angle"), ("around", "angle"))
    numbers = ("radius", "tube")

    def __post_init__(self) -> None:
        assert_positive(self.radius, "radius")
        assert_positive(self.tube, "radius of the tube")
        if isinstance(self.radius, Real) and isinstance(self.tube, Real) and not self.tube < self.radius:
            text = f"the tube is as thick as its circle: {self.tube:g} m and {self.radius:g} m"
            raise ModelError(Problem(text, hint="give a tube thinner than `radius`, or a sphere"))

    def point(self, u: Any, v: Any) -> tuple[Any, Any, Any]:
        aside = self.radius + self.tube * cos(v)
        return aside * cos(u), aside * sin(u), self.tube * sin(v)

    def over(self) -> tuple[Range, Range]:
        return TURN, TURN

    def nearest(self, place: Array) -> Array:
        x, y, z = place
        return np.array([math.atan2(y, x), math.atan2(z, math.hypot(x, y) - self.radius)])

    def size(self) -> float:
        return 2 * (self.radius + self.tube)


class Sampled(Surface):
    """A surface that is told by expressions over finite ranges: size, soundness and nearest place by samples."""

    def nearest(self, place: Array) -> Array:
        self._assert_finite()
        return nearest_on_surface(self.point, self.over(), place)

    def size(self) -> float:
        places = _sampled(self)
        return float(np.linalg.norm(np.ptp(places, axis=0))) if np.isfinite(places).all() else 0.0

    def problems(self) -> list[Problem]:
        places = _sampled(self)
        if not np.isfinite(places).all():
            return [Problem("its surface is not finite over its ranges", hint="look for a division by zero or a root")]
        grid = places.reshape(SAMPLES, SAMPLES, 3)
        for k, (name, _) in enumerate(self.parameters):
            gap = float(np.linalg.norm(np.take(grid, 0, k) - np.take(grid, -1, k), axis=1).max())
            if self.over()[k].closed and gap > 1e-9 * self.size():
                hint = f"let {name} end where it starts, or leave it out of `closed`"
                return [
                    Problem(f"its surface is said to be closed along {name}, but it is {gap:.3g} m open", hint=hint)
                ]
        return []

    def _assert_finite(self) -> None:
        if not np.isfinite(_sampled(self)).all():
            raise ModelError(self.problems())


def _sampled(surface: Sampled) -> Array:
    """(n, 3): places over the ranges, ends included."""
    steps = np.linspace(0.0, 1.0, SAMPLES)
    # A closed range begins anew at its end; just before it stands what the end is.
    u, v = (
        r.start + (r.end - r.start) * (np.minimum(steps, 1.0 - 1e-15) if r.closed else steps) for r in surface.over()
    )
    U, V = (x.ravel() for x in np.meshgrid(u, v, indexing="ij"))
    with np.errstate(all="ignore"):
        return np.stack([np.broadcast_to(np.asarray(c, float), U.shape) for c in surface.point(U, V)], axis=-1)


@dataclass(frozen=True)
class Height(Sampled):
    """z = f(x, y) over a rectangle; in the expression x, y and z are counted in `unit`.

    z : the expression; x, y : from where to where [m]; unit : length that counts as 1 in the expression [m]
    """

    z: str = asked(arithmetic("x", "y"))
    x: tuple[float, float] = asked(a_span)
    y: tuple[float, float] = asked(a_span)
    unit: float = asked(a_length, default=1.0)
    kind = "height"
    parameters = (("x", "length"), ("y", "length"))

    def point(self, u: Any, v: Any) -> tuple[Any, Any, Any]:
        return u, v, self.unit * _expression(self.z, ("x", "y"))(x=u / self.unit, y=v / self.unit)

    def over(self) -> tuple[Range, Range]:
        return Range(*self.x), Range(*self.y)

    def nearest(self, place: Array) -> Array:
        self._assert_finite()
        return nearest_on_surface(self.point, self.over(), place, guess=np.array(place[:2]))


@dataclass(frozen=True)
class Parametric(Sampled):
    """x(u, v), y(u, v), z(u, v) as expressions whose values are in `unit` [m].

    u, v : from where to where the parameters run; closed : "", "u", "v" or "uv", those that begin anew at their end
    """

    x: str = asked(arithmetic("u", "v"))
    y: str = asked(arithmetic("u", "v"))
    z: str = asked(arithmetic("u", "v"))
    u: tuple[float, float] = asked(a_span)
    v: tuple[float, float] = asked(a_span)
    closed: str = asked(lambda value, where: _closed(value, where), default="")
    unit: float = asked(a_length, default=1.0)
    kind = "parametric"
    parameters = (("u", "number"), ("v", "number"))

    def point(self, u: Any, v: Any) -> tuple[Any, Any, Any]:
        first, second = self.over()
        u, v = first.wrapped(u), second.wrapped(v)
        x, y, z = (self.unit * _expression(c, ("u", "v"))(u=u, v=v) for c in (self.x, self.y, self.z))
        return x, y, z

    def over(self) -> tuple[Range, Range]:
        return Range(*self.u, "u" in self.closed), Range(*self.v, "v" in self.closed)


def _closed(value: Any, where: str) -> str:
    if value not in ("", "u", "v", "uv"):
        raise ModelError(Problem(f"{value!r} is not known here", where, "write u, v or uv"))
    return str(value)


@functools.lru_cache(maxsize=256)
def _expression(text: str, variables: tuple[str, ...]) -> Expression:
    return Expression(text, variables)


SURFACES: dict[str, type[Surface]] = {
    kind.kind: kind for kind in (Plane, Sphere, Cylinder, Cone, Torus, Height, Parametric)
}


def surface(kind: str, **options: Any) -> Surface:
    """A surface, for `on_surface`.

    Parameters
    ----------
    kind : "plane", "sphere", "cylinder", "cone", "torus", "height" or "parametric"
    options : what the kind has: `radius` [m] of a sphere or a cylinder; `half_angle` [rad] of a cone; `radius` and
        `tube` [m] of a torus; the expression `z` of x and y of a height, with ranges `x` and `y` [m] and `unit` [m];
        the expressions `x`, `y`, `z` of u and v of a parametric one, with ranges `u` and `v`, `closed`, and `unit` [m]
    """
    return made(SURFACES, "surface", kind, options)
