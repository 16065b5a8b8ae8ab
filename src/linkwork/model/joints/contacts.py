"""A point kept on a surface or on a curve in space; the second body turns freely about it.

The first body carries the surface or the curve: ground a fixed one, a moving body a moving one. The contact is smooth
and holds both ways. Variables are the parameters of the place, then a unit quaternion as of a spheric joint.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork import geometry as geo
from linkwork.errors import ModelError, Problem
from linkwork.geometry import Array
from linkwork.model.joints.law import Key, Law, Motion, Variable
from linkwork.model.joints.lower_pairs import QUATERNION, from_quaternion, quaternion_flow, unit_quaternion
from linkwork.model.nearest_places import STEP
from linkwork.model.ranges import Range
from linkwork.model.space_curves import SpaceCurve
from linkwork.model.surfaces import Surface
from linkwork.units import ANGLE, LENGTH, Dimension

SPIN = ("wx", "wy", "wz")
SLACK = 1e-9  # beyond the end of a range, which counts as on it


class _Contact(Law):
    """What both kinds share: parameters first, then the turn."""

    keep = 0
    symbol, plane = "shape", "any"
    carried = True

    def place(self, parameters: Sequence[Any]) -> tuple[Any, Any, Any]:
        """Where the point is in the first frame [m]."""
        raise AssertionError(self.kind)  # both kinds give their own

    def shape(self) -> Surface | SpaceCurve:
        """What the point is kept on."""
        raise AssertionError(self.kind)  # both kinds give their own

    @property
    def _count(self) -> int:
        return len(self.variables) - 4

    def neutral(self) -> tuple[float, ...]:
        return (*[0.0] * self._count, 1.0, 0.0, 0.0, 0.0)

    def motion(self, q: Sequence[Any]) -> Motion:
        return from_quaternion(q[self._count :]), self.place(q[: self._count])

    def flow(self, q: Sequence[Any], v: Sequence[Any]) -> tuple[Any, ...]:
        return (*v[: self._count], *quaternion_flow(q[self._count :], v[self._count :]))

    def twists(self, q: Sequence[float] | Array) -> Array:
        n, q = self._count, [float(x) for x in q]
        R, p = geo.from_quaternion(np.array(q[n:])), np.array([float(c) for c in self.place(q[:n])])
        sliding = []
        for k in range(n):
            shifted = [complex(x) + (1j * STEP if i == k else 0.0) for i, x in enumerate(q[:n])]
            sliding.append([complex(c).imag / STEP for c in self.place(shifted)])
        along = np.vstack([np.array(sliding).T, np.zeros((3, n))])
        return np.hstack([along, np.vstack([geo.skew(p) @ R, R])])

    def checked(self, q: tuple[float, ...]) -> tuple[float, ...]:
        problems = self._outside(q)
        if problems:
            raise ModelError(problems)
        return (*q[: self._count], *unit_quaternion(q[self._count :]))

    def _outside(self, q: Sequence[float] | Array) -> list[Problem]:
        """A problem for every parameter that lies beyond an open range."""
        ranges = self.ranges()
        problems = []
        for variable, x in zip(self.variables[: self._count], q, strict=False):
            span = ranges.get(variable.name, Range())
            slack = SLACK * (1.0 + abs(x))
            if not span.closed and not span.start - slack <= x <= span.end + slack:
                text = f"{variable.name} is {x:.6g}, but it runs from {span.start:.6g} to {span.end:.6g}"
                problems.append(Problem(text))
        return problems

    def seat(self, X_WF: Array, X_WM: Array | None, value: Sequence[float] | None) -> tuple[Array, Array]:
        if X_WM is None and value is None and not self.shape().starts_at_origin:
            raise ModelError(Problem("`to` is missing", hint="say where the point of the second body is"))
        return super().seat(X_WF, X_WM, value)

    def reach(self) -> float:
        return self.shape().size()

    def numbers(self) -> dict[str, float]:
        return {name: getattr(self.shape(), name) for name in self.shape().numbers}

    def measure(self, number: str) -> Dimension:
        return ANGLE if number == "half_angle" else LENGTH


@dataclass(frozen=True)
class OnSurface(_Contact):
    """The origin of the second frame lies on a surface of the first: two parameters of the surface, free turning."""

    surface: Surface
    kind, letter = "on_surface", "T"
    about = "A point of the second body on a surface of the first. Variables: two of the surface, qw, qx, qy, qz."
    keys = (Key("surface", "surface", needed=True),)

    @property
    def variables(self) -> tuple[Variable, ...]:  # type: ignore[override]
        return (*(Variable(name, dimension) for name, dimension in self.surface.parameters), *QUATERNION)

    @property
    def rates(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*(name for name, _ in self.surface.parameters), *SPIN)

    def place(self, parameters: Sequence[Any]) -> tuple[Any, Any, Any]:
        return self.surface.point(*parameters)

    def shape(self) -> Surface:
        return self.surface

    def ranges(self) -> dict[str, Range]:
        named = zip(self.surface.parameters, self.surface.over(), strict=True)
        return {name: span for (name, _), span in named if span != Range()}

    def recover(self, X_FM: Array) -> Array:
        return np.concatenate([self.surface.nearest(X_FM[:3, 3]), _turn(X_FM)])

    def concerns(self, q: Array, length: Callable[[float], str]) -> list[Problem]:
        found = self.surface.problems() or self._outside(q)
        pole = "" if found else self.surface.pole(float(q[0]), float(q[1]))
        if pole:
            hint = "turn the frame of the surface by `axis` or `x`, or start elsewhere"
            found.append(Problem(f"the point is at a pole of its {self.surface.kind}: {pole}", hint=hint))
        return found

    @classmethod
    def variables_with(cls, given: Mapping[str, Any] | None) -> tuple[Variable, ...] | None:
        return None if given is None else OnSurface(given["surface"]).variables

    def with_numbers(self, values: Mapping[str, Any]) -> OnSurface:
        return OnSurface(_replaced(self.surface, values))


@dataclass(frozen=True)
class OnCurve(_Contact):
    """The origin of the second frame lies on a curve of the first: `parameter` of the curve, free turning."""

    curve: SpaceCurve
    kind, letter = "on_curve", "W"
    rates = ("parameter", *SPIN)
    about = "A point of the second body on a curve in space of the first. Variables: parameter, qw, qx, qy, qz."
    keys = (Key("curve", "space_curve", needed=True),)

    @property
    def variables(self) -> tuple[Variable, ...]:  # type: ignore[override]
        return (Variable("parameter", self.curve.dimension), *QUATERNION)

    def place(self, parameters: Sequence[Any]) -> tuple[Any, Any, Any]:
        return self.curve.point(parameters[0])

    def shape(self) -> SpaceCurve:
        return self.curve

    def ranges(self) -> dict[str, Range]:
        span = self.curve.along()
        return {} if span == Range() else {"parameter": span}

    def recover(self, X_FM: Array) -> Array:
        return np.array([self.curve.nearest(X_FM[:3, 3]), *_turn(X_FM)])

    def concerns(self, q: Array, length: Callable[[float], str]) -> list[Problem]:
        found = self.curve.problems() or self._outside(q)
        speed = np.linalg.norm(np.array(self.curve.derivatives(float(q[0]), 1)[1], float))
        if not found and speed <= 1e-9 * self.curve.size():
            hint = "let its parameter run on evenly, or start elsewhere"
            found.append(Problem("its curve stands still where the point is: a cusp", hint=hint))
        return found

    @classmethod
    def variables_with(cls, given: Mapping[str, Any] | None) -> tuple[Variable, ...] | None:
        if given is None:
            return None
        # The parameter of a planar curve, which files name, is a number.
        dimension = given["curve"].dimension if isinstance(given["curve"], SpaceCurve) else "number"
        return (Variable("parameter", dimension), *QUATERNION)

    def with_numbers(self, values: Mapping[str, Any]) -> OnCurve:
        return OnCurve(_replaced(self.curve, values))


def _turn(X_FM: Array) -> Array:
    return geo.to_quaternion(geo.nearest_rotation(geo.rotation(X_FM))[0])


def _replaced(shape: Any, values: Mapping[str, Any]) -> Any:
    return dataclasses.replace(shape, **values) if values else shape
