"""Vectors of three: length, unit vector, a canonical perpendicular, and the check at the border."""

from __future__ import annotations

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.geometry.types import Array, ArrayLike

# Which coordinate counts as "the largest" in `perpendicular`. The weights move the switch-over away from the diagonals
# (1,1,0), (1,0,1), (1,1,1) ..., which designers do use, so that rounding never flips the answer there.
_PREFERENCE = np.array([1.0, 1.1, 1.2])


def as_vectors(v: ArrayLike, what: str = "vector", size: int = 3) -> Array:
    """v as floats of shape (..., size); an error names `what` when the last dimension is another."""
    array = np.asarray(v, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] != size:
        shape = "one number" if array.ndim == 0 else f"shape {array.shape}"
        raise InputError(Problem(f"{what} is {shape}", hint=f"give {size} numbers, or an array whose rows have {size}"))
    return array


def _scale(v: Array) -> Array:
    """Largest component of v, shape (..., 1); 1 where that is 0 or not finite, so that it is safe to divide by."""
    largest = np.max(np.abs(v), axis=-1, keepdims=True, initial=0.0)
    return np.where((largest > 0.0) & np.isfinite(largest), largest, 1.0)


def length(v: ArrayLike) -> Array:
    """|v| along the last dimension; scaled first, so that squares neither overflow nor vanish."""
    array = np.asarray(v, dtype=np.float64)
    scale = _scale(array)
    result: Array = scale[..., 0] * np.linalg.norm(array / scale, axis=-1)
    return result


def unit(v: ArrayLike, what: str = "direction") -> Array:
    """v / |v|, shape (..., 3); a zero or non-finite vector is an error that names `what`."""
    array = as_vectors(v, what)
    size = length(array)
    if not np.all(np.isfinite(array)):
        raise InputError(Problem(f"{what} {array.tolist()} is not finite", hint="give three finite numbers"))
    if np.any(size == 0.0):
        raise InputError(Problem(f"{what} has length 0", hint="give a vector that points somewhere, such as [0, 0, 1]"))
    scaled = array / _scale(array)
    result: Array = scaled / np.linalg.norm(scaled, axis=-1, keepdims=True) + 0.0  # + 0.0 turns -0 into 0
    return result


def dot(a: ArrayLike, b: ArrayLike) -> Array:
    """a . b along the last dimension."""
    result: Array = np.sum(np.asarray(a, dtype=np.float64) * np.asarray(b, dtype=np.float64), axis=-1)
    return result


def made_perpendicular(x: Array, w: Array) -> Array:
    """The unit vector along x - (x.w) w, for a unit vector w; x must not be parallel to w.

    Two passes: the first loses the digits that x and w share, the second restores exact perpendicularity.
    """
    for _ in range(2):
        x = x - dot(x, w)[..., None] * w
        x = unit(x, "perpendicular part")
    return x


def perpendicular(w: Array) -> Array:
    """A unit vector perpendicular to the unit vector w, always the same one.

    It is the coordinate axis that follows the largest component of w in the cycle x, y, z, made perpendicular to w:
    x for w = z, y for w = x, z for w = y, exactly.
    """
    largest = np.argmax(np.abs(w) * _PREFERENCE, axis=-1)
    following = np.eye(3)[(largest + 1) % 3]
    return made_perpendicular(following, w)
