"""The lower pairs and their company: revolute, prismatic, helical, cylindric, spheric, flat, universal, rigid, free.

Everywhere w is the axis given by the user, u the direction of zero. Uicker, Ravani, Sheth, Matrix Methods, sec. 4.6,
except that the prismatic joint slides along w here, as `axis` says, and the screw is measured by its angle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork import geometry as geo
from linkwork.errors import ModelError, Problem
from linkwork.geometry import Array
from linkwork.model.joints.law import (
    IDENTITY,
    ORIGIN,
    Key,
    Law,
    Motion,
    Rotation3,
    Variable,
    about_u,
    about_w,
    angle_about_w,
    is_plain,
    product,
)

QUATERNION = tuple(Variable(f"q{c}", "number") for c in "wxyz")


@dataclass(frozen=True)
class Revolute(Law):
    """Turns about w by `angle`."""

    kind, letter = "revolute", "R"
    variables = (Variable("angle", "angle"),)
    about = "A pin. Variable: angle."
    symbol = "pin"
    chain = (("turn", 2, 0),)
    feels = "turn"
    whole_turns = True

    def motion(self, q: Sequence[Any]) -> Motion:
        return about_w(q[0]), ORIGIN

    def recover(self, X_FM: Array) -> Array:
        return np.array([angle_about_w(X_FM)])


@dataclass(frozen=True)
class Prismatic(Law):
    """Slides along w by `slide`."""

    kind, letter = "prismatic", "P"
    variables = (Variable("slide", "length"),)
    about = "A slider along the axis. Variable: slide."
    symbol, plane = "slide", "along"
    chain = (("slide", 2, 0),)
    feels = "slide"

    def motion(self, q: Sequence[Any]) -> Motion:
        return IDENTITY, (0.0, 0.0, q[0])

    def recover(self, X_FM: Array) -> Array:
        return np.array([X_FM[2, 3]])


@dataclass(frozen=True)
class Helical(Law):
    """A screw about w: turns by `angle` and advances by `lead` [m] a turn (negative: left-handed)."""

    lead: float
    kind, letter = "helical", "H"
    variables = (Variable("angle", "angle"),)
    about = "A screw. Variable: angle."
    keys = (Key("lead", "length", "advance in one turn; negative for a left-handed thread", needed=True),)
    symbol = "screw"
    chain = (("screw", 2, 0),)
    feels = "turn and slide"

    def __post_init__(self) -> None:
        if is_plain(self.lead) and not (math.isfinite(self.lead) and self.lead != 0.0):
            raise ModelError(Problem(f"the lead is {self.lead:g}", hint="use a revolute joint for no advance"))

    def motion(self, q: Sequence[Any]) -> Motion:
        return about_w(q[0]), (0.0, 0.0, self.lead / (2 * math.pi) * q[0])

    def recover(self, X_FM: Array) -> Array:
        # The advance tells the angle past whole turns.
        return np.array([X_FM[2, 3] / (self.lead / (2 * math.pi))])


@dataclass(frozen=True)
class Cylindric(Law):
    """Turns about w by `angle` and slides along it by `slide`."""

    kind, letter = "cylindric", "C"
    variables = (Variable("angle", "angle"), Variable("slide", "length"))
    keep = 14
    about = "A sleeve. Variables: angle, slide."
    symbol = "sleeve"
    chain = (("turn", 2, 0), ("slide", 2, 1))
    feels = "turn and slide"
    whole_turns = True

    def motion(self, q: Sequence[Any]) -> Motion:
        return about_w(q[0]), (0.0, 0.0, q[1])

    def recover(self, X_FM: Array) -> Array:
        return np.array([angle_about_w(X_FM), X_FM[2, 3]])


@dataclass(frozen=True)
class Flat(Law):
    """Slides in the plane across w by `x` and `y` and turns about w by `angle`."""

    kind, letter = "flat", "F"
    variables = (Variable("x", "length"), Variable("y", "length"), Variable("angle", "angle"))
    keep = 13
    about = "A plate on a plane across the axis. Variables: x, y, angle."
    symbol = "plates"
    chain = (("slide", 0, 0), ("slide", 1, 1), ("turn", 2, 2))
    feels = "turn and slide"
    whole_turns = True

    def motion(self, q: Sequence[Any]) -> Motion:
        return about_w(q[2]), (q[0], q[1], 0.0)

    def recover(self, X_FM: Array) -> Array:
        return np.array([X_FM[0, 3], X_FM[1, 3], angle_about_w(X_FM)])


@dataclass(frozen=True)
class Universal(Law):
    """Hooke's joint: turns about w (fixed in the first body) by `angle1`, then about u (in the second) by `angle2`."""

    kind, letter = "universal", "U"
    variables = (Variable("angle1", "angle"), Variable("angle2", "angle"))
    keep = 14
    about = "A Hooke's joint. Variables: angle1, angle2."
    placing = "crossed"
    symbol, plane = "cross", "space"
    chain = (("turn", 2, 0), ("turn", 0, 1))
    feels = "turns about a point"
    whole_turns = True

    def motion(self, q: Sequence[Any]) -> Motion:
        return product(about_w(q[0]), about_u(q[1])), ORIGIN

    def recover(self, X_FM: Array) -> Array:
        return np.array([np.arctan2(X_FM[1, 0], X_FM[0, 0]), np.arctan2(X_FM[2, 1], X_FM[2, 2])])


@dataclass(frozen=True)
class Rigid(Law):
    """No relative motion: two bodies made one."""

    kind, letter = "rigid", "X"
    keep = 16
    about = "A weld. No variables."
    symbol, plane = "weld", "any"
    chain = ()
    feels = "nothing"

    def motion(self, q: Sequence[Any]) -> Motion:
        return IDENTITY, ORIGIN

    def recover(self, X_FM: Array) -> Array:
        return np.zeros(0)

    def seat(self, X_WF: Array, X_WM: Array | None, value: Sequence[float] | None) -> tuple[Array, Array]:
        return X_WF, X_WF if X_WM is None else X_WM


@dataclass(frozen=True)
class Spheric(Law):
    """Turns freely about a point: unit quaternion qw, qx, qy, qz; rates are angular velocities along M's axes."""

    kind, letter = "spheric", "S"
    variables = QUATERNION
    rates = ("wx", "wy", "wz")
    keep = 13
    about = "A ball. Variables: qw, qx, qy, qz."
    symbol, plane = "ball", "space"
    chain = (("ball", 0, 0),)
    feels = "turns about a point"

    def neutral(self) -> tuple[float, ...]:
        return (1.0, 0.0, 0.0, 0.0)

    def checked(self, q: tuple[float, ...]) -> tuple[float, ...]:
        return unit_quaternion(q)

    def motion(self, q: Sequence[Any]) -> Motion:
        return from_quaternion(q), ORIGIN

    def flow(self, q: Sequence[Any], v: Sequence[Any]) -> tuple[Any, ...]:
        return quaternion_flow(q, v)

    def recover(self, X_FM: Array) -> Array:
        return geo.to_quaternion(geo.nearest_rotation(geo.rotation(X_FM))[0])

    def twists(self, q: Sequence[float] | Array) -> Array:
        return np.vstack([np.zeros((3, 3)), geo.from_quaternion(np.array(q))])


@dataclass(frozen=True)
class Free(Law):
    """Six freedoms: x, y, z of M along F's axes, and a unit quaternion; angular rates along M's axes."""

    kind, letter = "free", "O"
    variables = (Variable("x", "length"), Variable("y", "length"), Variable("z", "length"), *QUATERNION)
    rates = ("vx", "vy", "vz", "wx", "wy", "wz")
    keep = 10
    about = "Six freedoms. Variables: x, y, z, qw, qx, qy, qz."
    symbol, plane = "", "space"
    chain = (("slide", 0, 0), ("slide", 1, 1), ("slide", 2, 2), ("ball", 0, 3))

    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

    def checked(self, q: tuple[float, ...]) -> tuple[float, ...]:
        return (*q[:3], *unit_quaternion(q[3:]))

    def motion(self, q: Sequence[Any]) -> Motion:
        return from_quaternion(q[3:]), (q[0], q[1], q[2])

    def flow(self, q: Sequence[Any], v: Sequence[Any]) -> tuple[Any, ...]:
        return (*v[:3], *quaternion_flow(q[3:], v[3:]))

    def recover(self, X_FM: Array) -> Array:
        quaternion = geo.to_quaternion(geo.nearest_rotation(geo.rotation(X_FM))[0])
        return np.concatenate([geo.position(X_FM), quaternion])

    def twists(self, q: Sequence[float] | Array) -> Array:
        R = geo.from_quaternion(np.array(q[3:]))
        turning = np.vstack([geo.skew(np.array(q[:3])) @ R, R])
        return np.hstack([np.vstack([np.eye(3), np.zeros((3, 3))]), turning])


def from_quaternion(q: Sequence[Any]) -> Rotation3:
    """Rotation of a unit quaternion (w first): R v = q v q*."""
    w, x, y, z = q
    return (
        (w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )


def quaternion_flow(q: Sequence[Any], w: Sequence[Any]) -> tuple[Any, ...]:
    """q' = ½ q ∘ (0, w) for an angular velocity w along the turned axes."""
    a, x, y, z = q
    return (
        -0.5 * (x * w[0] + y * w[1] + z * w[2]),
        0.5 * (a * w[0] + y * w[2] - z * w[1]),
        0.5 * (a * w[1] + z * w[0] - x * w[2]),
        0.5 * (a * w[2] + x * w[1] - y * w[0]),
    )


def unit_quaternion(q: tuple[float, ...]) -> tuple[float, ...]:
    """A quaternion of length 1 to the last digit; ModelError when it is far from that."""
    norm = math.hypot(*q)
    if abs(norm - 1.0) > 1e-6:
        text = f"the quaternion (qw, qx, qy, qz) has length {norm:.6g}, not 1"
        raise ModelError(Problem(text, hint="divide it by its length; no turn is (1, 0, 0, 0)"))
    if abs(norm - 1.0) < 1e-15:
        return q  # as it was written: dividing again would change its last digits
    return tuple(c / norm for c in q)
