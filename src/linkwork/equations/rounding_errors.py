"""Numbers that know how far rounding may have moved them: which results of a computation are really zero.

    error(x ± y) = error(x) + error(y) + ε |x ± y|        error(x y) = |x| error(y) + |y| error(x) + ε |x y|

Values may be floats, traced scalars or arrays; they are computed as without errors, in the same order and to the bit.
"""

from __future__ import annotations

from typing import Any

from linkwork.algebra import ca
from linkwork.equations.scalars import Scalar

EPSILON = 2.0**-53


class Rounded:
    """A value and a bound of its rounding error."""

    __slots__ = ("error", "value")

    def __init__(self, value: Any, error: Any) -> None:
        self.value = value
        self.error = error

    def __neg__(self) -> Rounded:
        return Rounded(-self.value, self.error)

    def __add__(self, other: Any) -> Rounded:
        if isinstance(other, Rounded):
            value = self.value + other.value
            return Rounded(value, self.error + other.error + EPSILON * magnitude(value))
        if other == 0.0:
            return self
        value = self.value + other
        return Rounded(value, self.error + EPSILON * magnitude(value))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Rounded:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Rounded:
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Rounded):
            value = self.value * other.value
            error = magnitude(self.value) * other.error + magnitude(other.value) * self.error
            return Rounded(value, error + EPSILON * magnitude(value))
        if other == 0.0:
            return 0.0
        if other == 1.0:
            return self
        return Rounded(self.value * other, self.error * abs(other))

    __rmul__ = __mul__


def magnitude(x: Any) -> Any:
    """|x| of a number or a traced scalar."""
    return x.trace.operation(ca.OP_FABS, [x]) if isinstance(x, Scalar) else abs(x)
