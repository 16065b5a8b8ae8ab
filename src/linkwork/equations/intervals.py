"""Numbers between two bounds, as CasADi expressions: what a function can be over a box, rounding included.

    [a, b] + [c, d] = [a + c, b + d]        [a, b] [c, d] = [min(ac, ad, bc, bd), max(ac, ad, bc, bd)]

Every bound is moved outward by its own rounding, so that the true number lies between, and so does whatever arithmetic
makes of it. Moore, Interval Analysis, 1966. A number known to a single bound (a parameter) costs plain arithmetic.

A function that jumps somewhere in the box (a comparison that is not decided there, 1/x over zero) says so by `jumps`:
its derivative bounds nothing then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.algebra import ca

ROUNDING = 2.0**-52
"""What an operation may be off, as a part of its result: a multiplication fused or not, a sine of the C library."""
INFINITE = math.inf


@dataclass(frozen=True)
class Interval:
    """low <= x <= high; the same expression twice is a number without width.

    jumps : None, or an expression that is not zero where x may jump
    """

    low: Any
    high: Any
    jumps: Any = None

    @property
    def is_point(self) -> bool:
        """Whether nothing moves it."""
        return self.low is self.high


def point(x: Any) -> Interval:
    """A number without width."""
    return Interval(x, x)


def bounds_of(function: ca.Function, inputs: Sequence[Sequence[Interval]]) -> list[list[Interval]]:
    """The instructions of a CasADi function on intervals: one list of nonzeros per output."""
    work: dict[int, Interval] = {}
    zero = point(ca.SX(0.0))
    outputs: list[list[Interval]] = [[zero] * function.nnz_out(i) for i in range(function.n_out())]
    for k in range(function.n_instructions()):
        op = function.instruction_id(k)
        out, arguments = function.instruction_output(k), function.instruction_input(k)
        if op == ca.OP_INPUT:
            work[out[0]] = inputs[arguments[0]][arguments[1]]
        elif op == ca.OP_OUTPUT:
            outputs[out[0]][out[1]] = work[arguments[0]]
        elif op == ca.OP_CONST:
            work[out[0]] = point(ca.SX(function.instruction_constant(k)))
        else:
            work[out[0]] = _operation(op, [work[i] for i in arguments])
    return outputs


def _operation(op: int, x: list[Interval]) -> Interval:
    if all(own.is_point for own in x):
        value = ca.SX.unary(op, x[0].low) if len(x) == 1 else ca.SX.binary(op, x[0].low, x[1].low)
        return point(value)
    rule = _RULES.get(op)
    if rule is None:  # nothing is known of it
        return Interval(ca.SX(-INFINITE), ca.SX(INFINITE), ca.SX(1.0))
    found: Interval = rule(*x)
    return Interval(found.low, found.high, _any(found.jumps, *(own.jumps for own in x)))


def _any(*flags: Any) -> Any:
    """Whether one of them is not zero."""
    total = None
    for flag in flags:
        if flag is not None:
            total = flag if total is None else ca.fmax(total, flag)
    return total


def _outward(low: Any, high: Any, jumps: Any = None) -> Interval:
    """Bounds that were computed, moved by their rounding."""
    return Interval(low - ROUNDING * ca.fabs(low), high + ROUNDING * ca.fabs(high), jumps)


# ---------------------------------------------------------------- arithmetic


def _add(a: Interval, b: Interval) -> Interval:
    return _outward(a.low + b.low, a.high + b.high)


def _negative(a: Interval) -> Interval:
    return Interval(-a.high, -a.low)


def _subtract(a: Interval, b: Interval) -> Interval:
    return _outward(a.low - b.high, a.high - b.low)


def _multiply(a: Interval, b: Interval) -> Interval:
    if b.is_point:
        a, b = b, a
    if a.is_point:
        if a.low.is_constant():
            return _scaled(float(a.low), b)
        ends = [a.low * b.low, a.low * b.high]
    else:
        ends = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high]
    return _outward(_least(ends), _most(ends))


def _scaled(factor: float, b: Interval) -> Interval:
    if factor == 0.0:
        return Interval(ca.SX(0.0), ca.SX(0.0))
    low, high = (b.low, b.high) if factor > 0.0 else (b.high, b.low)
    if abs(math.frexp(factor)[0]) == 0.5:  # a power of two is exact
        return Interval(factor * low, factor * high)
    return _outward(factor * low, factor * high)


def _square(a: Interval) -> Interval:
    size = _magnitude(a)
    return _outward(size.low * size.low, size.high * size.high)


def _inverse(a: Interval) -> Interval:
    whole = ca.logic_and(a.low <= 0.0, a.high >= 0.0)
    found = _outward(1.0 / a.high, 1.0 / a.low)
    return _unless(whole, found)


def _divide(a: Interval, b: Interval) -> Interval:
    if b.is_point:
        ends = [a.low / b.low, a.high / b.low]
        return _outward(_least(ends), _most(ends))
    inverse = _inverse(b)
    found = _multiply(a, inverse)
    return Interval(found.low, found.high, inverse.jumps)


def _unless(lost: Any, found: Interval) -> Interval:
    """Nothing is known where `lost` holds, and the number may jump there."""
    low, high = ca.if_else(lost, -INFINITE, found.low), ca.if_else(lost, INFINITE, found.high)
    return Interval(low, high, _any(lost, found.jumps))


def _power(a: Interval, b: Interval) -> Interval:
    if b.is_point and b.low.is_constant():
        exponent = float(b.low)
        if exponent < 0.0:
            return _inverse(_constant_power(a, -exponent))
        return _constant_power(a, exponent)
    found: Interval = _exponential(_multiply(b, _logarithm(a)))
    return found


def _constant_power(a: Interval, n: float) -> Interval:
    """a to a power n >= 0; of negative numbers whole powers alone."""
    if n == 0.0:
        return point(ca.SX(1.0))
    if n == 1.0:
        return a
    if n == round(n) and n % 2.0 == 1.0:
        return _twice_outward(a.low**n, a.high**n)
    size = _magnitude(a) if n == round(n) else Interval(ca.fmax(a.low, 0.0), a.high)
    return _twice_outward(size.low**n, size.high**n)


def _twice_outward(low: Any, high: Any, jumps: Any = None) -> Interval:
    found = _outward(low, high, jumps)
    return _outward(found.low, found.high, jumps)


# ---------------------------------------------------------------- functions


def _rising(function: Callable[[Any], Any], low: float = -INFINITE, high: float = INFINITE) -> Any:
    """A rule for what grows with its argument, within its domain."""

    def rule(a: Interval) -> Interval:
        first = a.low if low == -INFINITE else ca.fmax(a.low, low)
        last = a.high if high == INFINITE else ca.fmin(a.high, high)
        return _twice_outward(function(first), function(last))

    return rule


def _falling(function: Callable[[Any], Any], low: float, high: float) -> Any:
    def rule(a: Interval) -> Interval:
        return _twice_outward(function(ca.fmin(a.high, high)), function(ca.fmax(a.low, low)))

    return rule


_exponential = _rising(ca.exp)
_logarithm = _rising(ca.log, 0.0)


def _wave(function: Callable[[Any], Any], top: float) -> Any:
    """A rule for sine and cosine, whose tops are at `top` and whole turns from it."""

    def rule(a: Interval) -> Interval:
        ends = [function(a.low), function(a.high)]
        found = _twice_outward(_least(ends), _most(ends))
        low = ca.if_else(_contains(a, top + math.pi, 2.0 * math.pi), -1.0, ca.fmax(found.low, -1.0))
        high = ca.if_else(_contains(a, top, 2.0 * math.pi), 1.0, ca.fmin(found.high, 1.0))
        return Interval(low, high)

    return rule


def _contains(a: Interval, place: float, period: float) -> Any:
    """Whether place + k period lies between the bounds, for any whole k."""
    return ca.floor((a.high - place) / period) > ca.floor((a.low - place) / period)


def _tangent(a: Interval) -> Interval:
    return _unless(_contains(a, 0.5 * math.pi, math.pi), _twice_outward(ca.tan(a.low), ca.tan(a.high)))


def _hyperbolic_cosine(a: Interval) -> Interval:
    size = _magnitude(a)
    return _twice_outward(ca.cosh(size.low), ca.cosh(size.high))


def _angle(y: Interval, x: Interval) -> Interval:
    """atan2: along an edge of the box the angle grows or falls, unless the cut behind the origin is met."""
    ends = [ca.atan2(b, a) for b in (y.low, y.high) for a in (x.low, x.high)]
    found = _twice_outward(_least(ends), _most(ends))
    cut = ca.logic_and(x.low <= 0.0, ca.logic_and(y.low <= 0.0, y.high >= 0.0))
    low, high = ca.if_else(cut, -math.pi, found.low), ca.if_else(cut, math.pi, found.high)
    return Interval(low, high, cut)


def _hypotenuse(a: Interval, b: Interval) -> Interval:
    root: Interval = _RULES[ca.OP_SQRT](_add(_square(a), _square(b)))
    return root


def _magnitude(a: Interval) -> Interval:
    low = ca.fmax(0.0, ca.fmax(a.low, -a.high))
    return Interval(low, ca.fmax(-a.low, a.high))


def _smaller(a: Interval, b: Interval) -> Interval:
    return Interval(ca.fmin(a.low, b.low), ca.fmin(a.high, b.high))


def _larger(a: Interval, b: Interval) -> Interval:
    return Interval(ca.fmax(a.low, b.low), ca.fmax(a.high, b.high))


# ---------------------------------------------------------------- what jumps


def _sign(a: Interval) -> Interval:
    low, high = ca.sign(a.low), ca.sign(a.high)
    return Interval(low, high, low != high)


def _step(function: Callable[[Any], Any]) -> Any:
    def rule(a: Interval) -> Interval:
        low, high = function(a.low), function(a.high)
        return Interval(low, high, low != high)

    return rule


def _truth(surely: Any, possibly: Any) -> Interval:
    return Interval(surely, possibly, surely != possibly)


def _less(a: Interval, b: Interval) -> Interval:
    return _truth(a.high < b.low, a.low < b.high)


def _less_or_equal(a: Interval, b: Interval) -> Interval:
    return _truth(a.high <= b.low, a.low <= b.high)


def _same(a: Interval, b: Interval) -> tuple[Any, Any]:
    """Whether two numbers are equal surely, and possibly."""
    surely = ca.logic_and(a.high <= b.low, b.high <= a.low)
    return surely, ca.logic_and(a.low <= b.high, b.low <= a.high)


def _equal(a: Interval, b: Interval) -> Interval:
    return _truth(*_same(a, b))


def _unequal(a: Interval, b: Interval) -> Interval:
    surely, possibly = _same(a, b)
    return _truth(ca.logic_not(possibly), ca.logic_not(surely))


def _not(a: Interval) -> Interval:
    surely, possibly = _same(a, point(ca.SX(0.0)))
    return _truth(surely, possibly)


def _surely(a: Interval) -> tuple[Any, Any]:
    """Whether a number is true (not zero) surely, and possibly."""
    is_zero = _not(a)
    return ca.logic_not(is_zero.high), ca.logic_not(is_zero.low)


def _both(a: Interval, b: Interval) -> Interval:
    (x, x_), (y, y_) = _surely(a), _surely(b)
    return _truth(ca.logic_and(x, y), ca.logic_and(x_, y_))


def _either(a: Interval, b: Interval) -> Interval:
    (x, x_), (y, y_) = _surely(a), _surely(b)
    return _truth(ca.logic_or(x, y), ca.logic_or(x_, y_))


def _where(condition: Interval, x: Interval) -> Interval:
    """x where the condition is not zero, else 0."""
    surely, possibly = _surely(condition)
    low, high = (ca.if_else(surely, own, fold(own, 0.0)) for own, fold in ((x.low, ca.fmin), (x.high, ca.fmax)))
    return Interval(
        ca.if_else(possibly, low, 0.0), ca.if_else(possibly, high, 0.0), ca.logic_and(possibly, ca.logic_not(surely))
    )


def _least(values: Sequence[Any]) -> Any:
    found = values[0]
    for other in values[1:]:
        found = ca.fmin(found, other)
    return found


def _most(values: Sequence[Any]) -> Any:
    found = values[0]
    for other in values[1:]:
        found = ca.fmax(found, other)
    return found


_RULES: dict[int, Any] = {
    ca.OP_ASSIGN: lambda a: a,
    ca.OP_ADD: _add,
    ca.OP_SUB: _subtract,
    ca.OP_NEG: _negative,
    ca.OP_MUL: _multiply,
    ca.OP_TWICE: lambda a: _scaled(2.0, a),
    ca.OP_SQ: _square,
    ca.OP_DIV: _divide,
    ca.OP_INV: _inverse,
    ca.OP_POW: _power,
    ca.OP_CONSTPOW: _power,
    ca.OP_SQRT: _rising(ca.sqrt, 0.0),
    ca.OP_EXP: _exponential,
    ca.OP_LOG: _logarithm,
    ca.OP_SIN: _wave(ca.sin, 0.5 * math.pi),
    ca.OP_COS: _wave(ca.cos, 0.0),
    ca.OP_TAN: _tangent,
    ca.OP_ASIN: _rising(ca.asin, -1.0, 1.0),
    ca.OP_ACOS: _falling(ca.acos, -1.0, 1.0),
    ca.OP_ATAN: _rising(ca.atan),
    ca.OP_ATAN2: _angle,
    ca.OP_SINH: _rising(ca.sinh),
    ca.OP_COSH: _hyperbolic_cosine,
    ca.OP_TANH: _rising(ca.tanh),
    ca.OP_HYPOT: _hypotenuse,
    ca.OP_FABS: _magnitude,
    ca.OP_FMIN: _smaller,
    ca.OP_FMAX: _larger,
    ca.OP_SIGN: _sign,
    ca.OP_FLOOR: _step(ca.floor),
    ca.OP_CEIL: _step(ca.ceil),
    ca.OP_LT: _less,
    ca.OP_LE: _less_or_equal,
    ca.OP_EQ: _equal,
    ca.OP_NE: _unequal,
    ca.OP_NOT: _not,
    ca.OP_AND: _both,
    ca.OP_OR: _either,
    ca.OP_IF_ELSE_ZERO: _where,
}
"""By CasADi's operation, what it makes of intervals; of others nothing is known."""
