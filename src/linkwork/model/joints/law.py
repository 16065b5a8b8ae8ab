"""What a joint kind is: its variables, one short function from them to a motion, and the way back.

The motion is the pose of the head frame M (on the second body) in the tail frame F (on the first), written with
scalars so that numbers, arrays and CasADi expressions all pass through the same lines. Parameters are fields of the
law; replacing a field by an expression traces it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Literal, TypeGuard

import numpy as np

from linkwork import geometry as geo
from linkwork.errors import ModelError, Problem
from linkwork.geometry import Array
from linkwork.geometry.elementary import cos, sin
from linkwork.model.ranges import Range
from linkwork.units import ANGLE, LENGTH, NUMBER, Dimension

Rotation3 = tuple[tuple[Any, Any, Any], tuple[Any, Any, Any], tuple[Any, Any, Any]]
Motion = tuple[Rotation3, tuple[Any, Any, Any]]

IDENTITY: Rotation3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Variable:
    """A joint variable: `A.angle` in rad, `D.slide` in m, or a plain number."""

    name: str
    dimension: Literal["angle", "length", "number"]

    @property
    def unit(self) -> str:
        """SI unit of the variable."""
        return {"angle": "rad", "length": "m", "number": "1"}[self.dimension]

    @property
    def quantity(self) -> Dimension:
        """Dimension of the variable."""
        return {"angle": ANGLE, "length": LENGTH, "number": NUMBER}[self.dimension]


Form = Literal[
    "length", "angle", "number", "whole", "switch", "lengths", "angles", "wholes", "curve", "space_curve", "surface"
]
"""How something of a joint is given in files: a number, a pair of them, a planar curve by its name, a shape."""


@dataclass(frozen=True)
class Key:
    """What a kind has besides its frames, as users and files call it.

    about : for editors; usual : what it is where it is not given, unless it is needed
    """

    name: str
    form: Form
    about: str = ""
    needed: bool = False
    usual: Any = None


Symbol = Literal[
    "", "ball", "pin", "cross", "plates", "weld", "slide", "sleeve", "screw", "wheels", "rack", "bevels", "cam", "shape"
]
"""How a joint is drawn; "" is not drawn at all."""


class Law:
    """Base of every joint kind.

    kind : name in model files; letter : in chain codes such as RSSR
    variables : position variables q; rates : velocity variables v (None: one rate per variable)
    keep : how much the joint wants to stay in the spanning tree; the lowest are cut first

    In model files:
    about : what it is; keys : what it has besides its frames
    placing : "axis" by a frame and the variables or a second frame; "crossed" likewise, or by two axes; "centres" by
        two frames; "apex" by a point and two axes

    In pictures:
    symbol : how it is drawn
    plane : the plane it moves in: "across" w, "along" w, "any", or none but "space"
    carried : whether its first frame is that of a curve or a surface, no place of the body

    In equations, which are shorter where a kind is plain:
    chain : turns, slides, screws and balls that it is made of, each (what, axis, variable); None where it is no chain
    feels : the moments of mass that it feels; others move to the body before it
    whole_turns : whether a whole turn of an angle is the same posture
    """

    kind: ClassVar[str]
    letter: ClassVar[str]
    variables: ClassVar[tuple[Variable, ...]] = ()
    rates: ClassVar[tuple[str, ...] | None] = None
    keep: ClassVar[int] = 15
    about: ClassVar[str] = ""
    keys: ClassVar[tuple[Key, ...]] = ()
    placing: ClassVar[Literal["axis", "crossed", "centres", "apex"]] = "axis"
    symbol: ClassVar[Symbol] = "ball"
    plane: ClassVar[Literal["across", "along", "any", "space"]] = "across"
    carried: ClassVar[bool] = False
    chain: ClassVar[tuple[tuple[Literal["turn", "slide", "screw", "ball"], int, int], ...] | None] = None
    feels: ClassVar[Literal["all", "nothing", "turn", "turn and slide", "slide", "turns about a point"]] = "all"
    whole_turns: ClassVar[bool] = False

    @property
    def freedom(self) -> int:
        """Number of independent relative motions (size of v)."""
        return len(self.variables if self.rates is None else self.rates)

    def neutral(self) -> tuple[float, ...]:
        """Variables at which the two frames coincide, where that is possible."""
        return (0.0,) * len(self.variables)

    def motion(self, q: Sequence[Any]) -> Motion:
        """Pose of M in F at the variables q."""
        raise AssertionError(self.kind)  # every kind gives its own

    def flow(self, q: Sequence[Any], v: Sequence[Any]) -> tuple[Any, ...]:
        """Time derivatives of the variables at rates v: q' = N(q) v."""
        return tuple(v)

    def recover(self, X_FM: Array) -> Array:
        """Variables that reproduce the pose X_FM, or come nearest in the sense of the kind."""
        raise AssertionError(self.kind)  # every kind gives its own

    def seat(self, X_WF: Array, X_WM: Array | None, value: Sequence[float] | None) -> tuple[Array, Array]:
        """Both joint frames in the layout posture, completed from what the user gave.

        Without a second frame, M is where the layout value of the variables puts it.
        """
        if X_WM is None:
            X_WM = X_WF @ transform(self, self.neutral() if value is None else value)
        return X_WF, X_WM

    def checked(self, q: tuple[float, ...]) -> tuple[float, ...]:
        """Layout values as their user gave them, made exact; ModelError when no pose of this kind has them."""
        return q

    def concerns(self, q: Array, length: Callable[[float], str]) -> list[Problem]:
        """What is wrong or doubtful about this joint at the layout value q, beyond the fit of its frames.

        `length` writes a length in the units of the model's file.
        """
        return []

    def reach(self) -> float:
        """Length that this kind adds to the size of a model [m]."""
        return 0.0

    def ranges(self) -> dict[str, Range]:
        """Where variables run by the nature of the joint, by name; those left out may have any value."""
        return {}

    def numbers(self) -> dict[str, float]:
        """Numbers of the law that may change while the equations stay: its fields of type float."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return {f.name: getattr(self, f.name) for f in fields if isinstance(getattr(self, f.name), float)}

    def with_numbers(self, values: Mapping[str, Any]) -> Law:
        """The law with some of its `numbers` replaced, by expressions too."""
        changed: Law = dataclasses.replace(self, **values)  # type: ignore[type-var]
        return changed

    def measure(self, number: str) -> Dimension:
        """What one of its `numbers` measures."""
        forms = {key.name: key.form for key in self.keys}
        return {"length": LENGTH, "angle": ANGLE}.get(forms.get(number, ""), NUMBER)

    def words(self) -> dict[str, Any]:
        """What model files say of it, by key; None for what is usual."""
        return {key.name: getattr(self, key.name) for key in self.keys}

    @classmethod
    def variables_with(cls, given: Mapping[str, Any] | None) -> tuple[Variable, ...] | None:
        """Variables of the kind with these values of its keys; None where they cannot be told."""
        return cls.variables if isinstance(cls.variables, tuple) else None

    def wheels(self) -> tuple[float, float] | None:
        """Sizes of the wheels on both bodies [m], where it has some."""
        return None

    def twists(self, q: Sequence[float] | Array) -> Array:
        """6 x freedom: twist [v; w] of M relative to F, in F at its origin, for unit rates.

        Columns are (∂Φ/∂q) Φ⁻¹ (Uicker, Ravani, Sheth, eq. 6.17), exact by a complex step.
        """
        step = 1e-30
        inverse = geo.inverse(transform(self, q))
        columns = []
        for g in range(len(self.variables)):
            shifted: list[complex] = [complex(v) for v in q]
            shifted[g] += 1j * step
            Q = (_assemble(self.motion(shifted), complex).imag / step) @ inverse
            columns.append([Q[0, 3], Q[1, 3], Q[2, 3], Q[2, 1], Q[0, 2], Q[1, 0]])
        return np.array(columns).T.reshape(6, len(columns))


def transform(law: Law, q: Sequence[Any] | Array) -> Array:
    """Motion of a joint as a numpy pose; variables may be arrays of one shape, giving (..., 4, 4)."""
    with np.errstate(divide="ignore", invalid="ignore"):  # a cusp of a curve gives nan, for callers to judge
        return as_pose(law.motion(list(q)))


def as_pose(motion: Motion) -> Array:
    """A motion of numbers or arrays as numpy poses (..., 4, 4)."""
    result: Array = _assemble(motion, float)
    return result


def misfit(law: Law, X_FM: Array, q: Array) -> tuple[float, float]:
    """How far (angle [rad], distance [m]) the law at q is from the pose it should reproduce."""
    angle, distance = geo.pose_error(transform(law, q), X_FM)
    return float(angle), float(distance)


def _assemble(motion: Motion, dtype: type) -> Any:
    R, p = motion
    shape = np.broadcast_shapes(*(np.shape(e) for row in R for e in row), *(np.shape(e) for e in p))
    X = np.zeros((*shape, 4, 4), dtype)
    for i in range(3):
        for j in range(3):
            X[..., i, j] = R[i][j]
        X[..., i, 3] = p[i]
    X[..., 3, 3] = 1.0
    return X


def a_joint(kind: str) -> str:
    """A joint of this kind, for messages: a revolute joint, an on_surface joint."""
    return f"{'an' if kind[0] in 'aeio' else 'a'} {kind} joint"


def is_plain(parameter: Any) -> TypeGuard[float]:
    """True for a real number, which can be judged; False for an expression or a complex step, which cannot."""
    return isinstance(parameter, Real)


def about_w(angle: Any) -> Rotation3:
    """Rotation about w (the third axis)."""
    c, s = cos(angle), sin(angle)
    return ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))


def about_u(angle: Any) -> Rotation3:
    """Rotation about u (the first axis)."""
    c, s = cos(angle), sin(angle)
    return ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c))


def product(A: Rotation3, B: Rotation3) -> Rotation3:
    """A B for rotations of scalars."""
    rows = [[A[i][0] * B[0][j] + A[i][1] * B[1][j] + A[i][2] * B[2][j] for j in range(3)] for i in range(3)]
    return tuple(tuple(row) for row in rows)  # type: ignore[return-value]


def angle_about_w(X: Array) -> float:
    """Angle of the best rotation about w (eq. 4.11): exact for pure ones, least squares for others."""
    return float(np.arctan2(X[1, 0] - X[0, 1], X[0, 0] + X[1, 1]))


def nearest_turn(angle: float, per_turn: float, wanted: float) -> float:
    """angle + 2πk (smallest |k| first) such that it makes `per_turn`·angle ≡ wanted (mod 2π).

    A geared variable is known from a pose only up to whole turns; the mate's angle tells which turn. Where none does,
    the angle stays as it is: a misfit is not explained away by many turns that come near by chance.
    """
    best, best_error = angle, 1e-5
    for k in sorted(range(-60, 61), key=abs):
        candidate = angle + 2 * np.pi * k
        error = abs((per_turn * candidate - wanted + np.pi) % (2 * np.pi) - np.pi)
        if error < best_error:
            best, best_error = candidate, error
        if best_error < 1e-9:
            break
    return best


def radial(offset: Array, axis: Array, what: str, hint: str) -> tuple[Array, float, float]:
    """Unit vector, distance across and distance along an axis of an offset; ModelError when it lies on the axis."""
    along = float(offset @ axis)
    across = offset - along * axis
    distance = float(np.linalg.norm(across))
    if distance <= 1e-12 * (1.0 + float(np.linalg.norm(offset))):
        raise ModelError(Problem(what, hint=hint))
    return across / distance, distance, along


def assert_parallel(a: Array, b: Array, what: str, hint: str) -> None:
    """ModelError unless two unit axes are parallel (same sense) to a thousandth of a radian."""
    angle = float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))
    if angle > 1e-3:
        raise ModelError(Problem(f"{what}: {np.degrees(angle):.3g} deg apart", hint=hint))
