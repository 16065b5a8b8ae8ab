"""Vectors and matrices of scalars, as tuples: numbers, arrays, traced scalars and CasADi expressions alike.

Products with structural zeros vanish because `Scalar` drops them; nothing here needs to look.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Vector = tuple[Any, Any, Any]
Matrix = tuple[Vector, Vector, Vector]

ZERO: Vector = (0.0, 0.0, 0.0)
IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
NOTHING: Matrix = (ZERO, ZERO, ZERO)


def is_zero(x: Any) -> bool:
    """Whether a scalar is structurally zero: the float 0.0."""
    return isinstance(x, float) and x == 0.0


def add(a: Sequence[Any], b: Sequence[Any]) -> Vector:
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a: Sequence[Any], b: Sequence[Any]) -> Vector:
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def neg(a: Sequence[Any]) -> Vector:
    """-a."""
    return (-a[0], -a[1], -a[2])


def scale(k: Any, a: Sequence[Any]) -> Vector:
    """k a."""
    return (k * a[0], k * a[1], k * a[2])


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Sequence[Any], b: Sequence[Any]) -> Vector:
    """a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def combination(columns: Sequence[Vector], weights: Sequence[Any]) -> Vector:
    """Σ_k columns[k] weights[k]."""
    total = ZERO
    for column, weight in zip(columns, weights, strict=True):
        total = add(total, scale(weight, column))
    return total


def apply(A: Matrix, x: Sequence[Any]) -> Vector:
    """A x."""
    return (dot(A[0], x), dot(A[1], x), dot(A[2], x))


def apply_t(A: Matrix, x: Sequence[Any]) -> Vector:
    """Aᵀ x."""
    return apply(transpose(A), x)


def transpose(A: Matrix) -> Matrix:
    """Aᵀ."""
    return (
        (A[0][0], A[1][0], A[2][0]),
        (A[0][1], A[1][1], A[2][1]),
        (A[0][2], A[1][2], A[2][2]),
    )


def multiply(A: Matrix, B: Matrix) -> Matrix:
    """A B."""
    columns = transpose(B)
    return tuple(tuple(dot(row, column) for column in columns) for row in A)  # type: ignore[return-value]


def plus(A: Matrix, B: Matrix) -> Matrix:
    """A + B."""
    return (add(A[0], B[0]), add(A[1], B[1]), add(A[2], B[2]))


def outer(a: Sequence[Any], b: Sequence[Any]) -> Matrix:
    """a bᵀ."""
    return (scale(a[0], b), scale(a[1], b), scale(a[2], b))


def skew(a: Sequence[Any]) -> Matrix:
    """[a]×, with [a]× b = a × b."""
    return ((0.0, -a[2], a[1]), (a[2], 0.0, -a[0]), (-a[1], a[0], 0.0))


def symmetric(entry: Any) -> Matrix:
    """Symmetric matrix from a function (i, j) -> value, asked for i <= j only."""
    (xx, xy, xz), (yy, yz), (zz,) = ([entry(i, j) for j in range(i, 3)] for i in range(3))
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def congruence(R: Matrix, A: Matrix) -> Matrix:
    """R A Rᵀ of a symmetric A."""
    half = multiply(R, A)
    return symmetric(lambda i, j: dot(half[i], R[j]))
