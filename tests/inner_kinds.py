"""A kind of inner freedom that no one offers: a body that folds. The recipe of CONTRIBUTING at work.

The part of the body beyond x = o_x turns about an axis along z through o: its places turn truly, and its matter moves
by fields whose weights, cos φ - 1 and sin φ, are not linear.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.geometry import Array
from linkwork.geometry.elementary import cos, sin
from linkwork.model.inner import FieldMoments, InnerKind, InnerLaw, InnerPart, Matrix3, Three
from linkwork.model.joints.law import IDENTITY, Motion, Variable, about_w
from linkwork.model.vectors import Vector


@dataclass(frozen=True)
class Fold(InnerKind, InnerPart):
    """Turns what lies beyond `at` in x; mass, centre and inertia about it are those of that part."""

    at: Vector
    mass: float
    com: Vector
    inertia: tuple[Vector, Vector, Vector]
    kind, section, variables = "fold", "folds", (Variable("angle", "angle"),)

    def seen_from(self, X_WB: Array) -> Fold:
        assert np.array_equal(X_WB, np.eye(4))
        return self

    @classmethod
    def together(cls, parts: Sequence[Fold]) -> InnerLaw:
        return Folds(*parts)

    def numbers(self) -> dict[str, float]:
        return {f"at.{c}": x for c, x in zip("xyz", self.at, strict=True)}

    def with_numbers(self, values: Mapping[str, Any]) -> Fold:
        own: dict[str, Any] = {**self.numbers(), **values}
        return Fold((own["at.x"], own["at.y"], own["at.z"]), self.mass, self.com, self.inertia)


@dataclass(frozen=True)
class Folds(InnerLaw):
    """The law of a body with one fold."""

    fold: Fold
    kind = "folds"

    @property
    def parts(self) -> tuple[InnerPart, ...]:
        return (self.fold,)

    def numbers(self) -> dict[str, float]:
        return self.fold.numbers()

    def with_numbers(self, values: Mapping[str, Any]) -> Folds:
        return Folds(self.fold.with_numbers(values))

    def place(self, q: Sequence[Any], at: Three) -> Motion:
        """Smooth in numbers, so that which side a place is on is decided by 0 and 1: tests give plain places."""
        o = self.fold.at
        R, d = about_w(q[0]), [a - b for a, b in zip(at, o, strict=True)]
        beyond = _beyond(at[0], o[0])
        p = [o[i] + R[i][0] * d[0] + R[i][1] * d[1] + R[i][2] * d[2] for i in range(3)]
        moved = [x + beyond * (y - x) for x, y in zip(at, p, strict=True)]
        turned = tuple(
            tuple(e + beyond * (r - e) for e, r in zip(*rows, strict=True)) for rows in zip(IDENTITY, R, strict=True)
        )
        return turned, (moved[0], moved[1], moved[2])  # type: ignore[return-value]

    def weights(self, q: Sequence[Any]) -> Sequence[Any]:
        return [cos(q[0]) - 1.0, sin(q[0])]

    def matter(self, m: Any, h: Three, J: Matrix3) -> FieldMoments:
        part, c = self.fold, np.array(self.fold.com)
        square = 0.5 * np.trace(part.inertia) * np.eye(3) - np.array(part.inertia) + part.mass * np.outer(c, c)
        o = list(part.at)
        first_of = part.mass * c  # ∫ r dm of the part; d = r - o
        d = [first_of[i] - part.mass * o[i] for i in range(3)]
        d_r = [[square[i, j] - o[i] * first_of[j] for j in range(3)] for i in range(3)]
        d_d = [[d_r[i][j] - d[i] * o[j] for j in range(3)] for i in range(3)]
        P, Z = np.diag([1.0, 1.0, 0.0]), np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        one = [_times(A, d_r) for A in (P, Z)]
        two = {(a, b): _times_t(_times(A, d_d), B) for a, A in enumerate((P, Z)) for b, B in enumerate((P, Z))}
        first = (h, *(_vector([sum(A[i, j] * d[j] for j in range(3)) for i in range(3)]) for A in (P, Z)))
        second = ((J,), (_matrix(one[0]), _matrix(two[0, 0])))
        return FieldMoments(first, (*second, (_matrix(one[1]), _matrix(two[1, 0]), _matrix(two[1, 1]))))


def _beyond(x: Any, limit: Any) -> Any:
    """1 where x > limit, else 0; numbers and expressions alike."""
    return 1.0 * (x > limit)


def _times(A: Array, B: Any) -> list[list[Any]]:
    return [[sum(float(A[i, k]) * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def _times_t(B: Any, A: Array) -> list[list[Any]]:
    return [[sum(B[i][k] * float(A[j, k]) for k in range(3)) for j in range(3)] for i in range(3)]


def _vector(x: Sequence[Any]) -> Three:
    return (x[0], x[1], x[2])


def _matrix(A: Any) -> Matrix3:
    return (_vector(A[0]), _vector(A[1]), _vector(A[2]))
