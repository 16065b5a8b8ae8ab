"""Elementary functions, inlined without branches, of the 1 ulp class over their whole domain.

Each reduces its argument exactly or nearly so, evaluates a polynomial by Horner's rule in fused operations, and puts
the result together by selects and sign bits; special values follow C99 annex F. Without fused operations
(`lanes.fused` is False) the reductions lose their bits, and the C library is called lane by lane instead.

Coefficients: fdlibm 5.3 (k_sin.c, k_cos.c, s_atan.c, e_asin.c, e_log.c), whose notice is: "Copyright (C) 1993 by Sun
Microsystems, Inc. All rights reserved. Developed at SunSoft, a Sun Microsystems, Inc. business. Permission to use,
copy, modify, and distribute this software is freely granted, provided that this notice is preserved."
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TypeVar

from linkwork.kernels.lanes import Lanes

_SIGN = -(2**63)  # the sign bit, as a 64-bit integer

# Adding 1.5 * 2^52 rounds a number |k| < 2^51 to an integer (ties to even) that then stands in the low bits of the sum.
_ROUNDER = 1.5 * 2.0**52

_REACH = 2.0**50  # sin, cos and tan know their argument up to here

# pi/2 in three parts of 53 bits, each cut off (not rounded), so that all are positive
_TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
_HALF_PI_1 = float.fromhex("0x1.921fb54442d18p+0")
_HALF_PI_2 = float.fromhex("0x1.1a62633145c06p-54")
_HALF_PI_3 = float.fromhex("0x1.c1cd129024e09p-107")

# (sin r - r) / r^3 in powers of r^2, highest first: fdlibm k_sin.c, S6 ... S1
_SIN = (
    1.58969099521155010221e-10,
    -2.50507602534068634195e-08,
    2.75573137070700676789e-06,
    -1.98412698298579493134e-04,
    8.33333333332248946124e-03,
    -1.66666666666666324348e-01,
)

# (cos r - 1) / r^2 in powers of r^2, highest first: fdlibm k_cos.c, C6 ... C1, then -1/2
_COS = (
    -1.13596475577881948265e-11,
    2.08757232129817482790e-09,
    -2.75573143513906633035e-07,
    2.48015872894767294178e-05,
    -1.38888888888741095749e-03,
    4.16666666666666019037e-02,
    -0.5,
)

# (atan t - t) / t^3 in powers of t^2, highest first, |t| <= 7/16: fdlibm s_atan.c, aT[10] ... aT[0], signs turned
_ATAN = (
    -1.62858201153657823623e-02,
    3.65315727442169155270e-02,
    -4.97687799461593236017e-02,
    5.83357013379057348645e-02,
    -6.66107313738753120669e-02,
    7.69187620504482999495e-02,
    -9.09088713343650656196e-02,
    1.11111104054623557880e-01,
    -1.42857142725034663711e-01,
    1.99999999998764832476e-01,
    -3.33333333333329318027e-01,
)

# Angles as a sum of two: the first has its last bit at 2^-44, so that sums and differences of firsts are exact.
_PI = (float.fromhex("0x1.921fb54442d00p+1"), float.fromhex("0x1.8469898cc5170p-47"))
_HALF_PI = (float.fromhex("0x1.921fb54442d00p+0"), float.fromhex("0x1.8469898cc5170p-48"))
_QUARTER_PI = (float.fromhex("0x1.921fb54442c00p-1"), float.fromhex("0x1.18469898cc517p-45"))
_ATAN_HALF = (float.fromhex("0x1.dac670561b800p-2"), float.fromhex("0x1.a7b456fe445edp-45"))

# (asin s - s) / s = P(s^2) / Q(s^2), highest power first, s <= 1/2: fdlibm e_asin.c, pS5 ... pS0 and qS4 ... qS1
_ASIN_P = (
    3.47933107596021167570e-05,
    7.91534994289814532176e-04,
    -4.00555345006794114027e-02,
    2.01212532134862925881e-01,
    -3.25565818622400915405e-01,
    1.66666666666666657415e-01,
)
_ASIN_Q = (
    7.70381505559019352791e-02,
    -6.88283971605453293030e-01,
    2.02094576023350569471e00,
    -2.40339491173441421878e00,
    1.0,
)

_LOG2_E = float.fromhex("0x1.71547652b82fep+0")
_LN2_1 = float.fromhex("0x1.62e42fefa39efp-1")
_LN2_2 = float.fromhex("0x1.abc9e3b39803fp-56")

# Taylor series of exp r, highest power first; |r| <= ln(2)/2 leaves r^14/14! < 2^-57
_EXP = tuple(1.0 / math.factorial(n) for n in range(13, -1, -1))

# log(1+f) = f - s (f - R), s = f/(2+f), R in powers of s^2, highest first: fdlibm e_log.c, Lg7 ... Lg1
_LOG = (
    1.479819860511658591e-01,
    1.531383769920937332e-01,
    1.818357216161805012e-01,
    2.222219843214978396e-01,
    2.857142874366239149e-01,
    3.999999999940941908e-01,
    6.666666666666735130e-01,
)


_Values = TypeVar("_Values", str, tuple[str, str])


def _in_pairs(function: Callable[..., _Values]) -> Callable[..., _Values]:
    """Let a single number be computed as a pair of equal ones: the same instructions and bits as at other widths.

    Selects of single numbers become jumps on x86, and work on bits moves to the integer registers and back.
    """

    @wraps(function)
    def emit(lanes: Lanes, *operands: str) -> _Values:
        if lanes.width > 1 or not lanes.fused:
            return function(lanes, *operands)
        pair = lanes.pair()
        values = function(pair, *(pair.broadcast(x) for x in operands))
        # Of lane 0 alone LLVM would make single numbers again; sine and cosine end in work on bits, which it leaves.
        return pair.lane(values, 1) if isinstance(values, str) else (pair.lane(values[0]), pair.lane(values[1]))

    return emit


@_in_pairs
def sincos(lanes: Lanes, x: str) -> tuple[str, str]:
    """sin x and cos x from one reduction: |x| = k pi/2 + r, |r| <= pi/4, then the quadrant k mod 4.

    The first step |x| - k*pi_1 is exact. Where |x| >= 2^50 neighbouring numbers lie 1/4 and more apart: such an angle
    has lost its meaning long before, and longer parts of pi would cost every call. The answer there is NaN, so that a
    state that ran away is seen. x infinite or NaN gives NaN.
    """
    if not lanes.fused:
        return lanes.libm("sin", x), lanes.libm("cos", x)
    r, q = _quadrant(lanes, x)
    z = lanes.mul(r, r)
    s = lanes.fma(lanes.mul(r, z), _horner(lanes, z, _SIN), r)
    c = lanes.fma(z, _horner(lanes, z, _COS), lanes.constant(1.0))
    # bit 0 of k changes sine and cosine over, bit 1 turns the sign of both, and both bits together that of the cosine
    sign = lanes.integer(_SIGN)
    bit_0, bit_1 = lanes.shift_left(q, 63), lanes.shift_left(q, 62)
    odd = lanes.negative(lanes.from_bits(bit_0))
    sin_sign = lanes.bit_and(lanes.bit_xor(bit_1, lanes.bits(x)), sign)
    cos_sign = lanes.bit_and(lanes.bit_xor(bit_1, bit_0), sign)
    return _turned(lanes, lanes.select(odd, c, s), sin_sign), _turned(lanes, lanes.select(odd, s, c), cos_sign)


def sin(lanes: Lanes, x: str) -> str:
    """sin x; see `sincos`"""
    return sincos(lanes, x)[0] if lanes.fused else lanes.libm("sin", x)


def cos(lanes: Lanes, x: str) -> str:
    """cos x; see `sincos`"""
    return sincos(lanes, x)[1] if lanes.fused else lanes.libm("cos", x)


@_in_pairs
def tan(lanes: Lanes, x: str) -> str:
    """tan x = s/c or -c/s by quadrant, s and c of the reduced angle as unevaluated sums of two; NaN from 2^50 on.

    The quotient n/d is corrected by its residual: t + (n - t d)/d.
    """
    if not lanes.fused:
        return lanes.libm("tan", x)
    r, tail, q = _quadrant_with_tail(lanes, x)
    z = lanes.mul(r, r)
    one = lanes.constant(1.0)
    s, s_tail = _sum(lanes, r, lanes.fma(lanes.mul(r, z), _horner(lanes, z, _SIN), tail))
    c, c_tail = _sum(lanes, one, lanes.fma(z, _horner(lanes, z, _COS), lanes.neg(lanes.mul(r, tail))))
    bit_0 = lanes.shift_left(q, 63)
    odd = lanes.negative(lanes.from_bits(bit_0))
    n, n_tail = lanes.select(odd, c, s), lanes.select(odd, c_tail, s_tail)
    d, d_tail = lanes.select(odd, s, c), lanes.select(odd, s_tail, c_tail)
    inverse = lanes.div(one, d)
    t = lanes.mul(n, inverse)
    minus_t = lanes.neg(t)
    residual = lanes.fma(minus_t, d_tail, lanes.add(lanes.fma(minus_t, d, n), n_tail))
    turn = lanes.bit_xor(bit_0, lanes.bits(x))
    return _turned(lanes, lanes.fma(residual, inverse, t), lanes.bit_and(turn, lanes.integer(_SIGN)))


@_in_pairs
def atan(lanes: Lanes, x: str) -> str:
    """atan x, odd in x; |x| > 1 by pi/2 - atan(1/|x|), else as in `_atan_of_ratio`."""
    if not lanes.fused:
        return lanes.libm("atan", x)
    one = lanes.constant(1.0)
    a = lanes.abs(x)
    # beyond 2^60 the answer is pi/2: infinity is drawn in there; NaN passes
    a = lanes.select(lanes.compare("ogt", a, lanes.constant(2.0**60)), lanes.constant(2.0**60), a)
    steep = lanes.compare("ogt", a, one)
    t, first, second = _atan_of_ratio(lanes, lanes.select(steep, one, a), lanes.select(steep, a, one))
    t, first, second = _complement(lanes, steep, _HALF_PI, t, first, second)
    return lanes.copysign(lanes.add(first, lanes.add(second, t)), x)


@_in_pairs
def atan2(lanes: Lanes, y: str, x: str) -> str:
    """Angle of the point (x, y), in [-pi, pi], C99: signed zeros and infinities tell the quadrant.

    With n = min(|x|, |y|), d = max(|x|, |y|): atan(n/d), pi/2 minus it where |y| > |x|, pi minus that where x < 0.
    """
    if not lanes.fused:
        return lanes.libm("atan2", y, x)
    zero, one, infinity = lanes.constant(0.0), lanes.constant(1.0), lanes.constant(math.inf)
    a, b = lanes.abs(y), lanes.abs(x)
    steep = lanes.compare("ogt", a, b)
    n, d = lanes.select(steep, b, a), lanes.select(steep, a, b)
    # d + n must not overflow nor n/2 lose bits; what a small n loses beside a huge d is lost in n/d anyway
    huge, small = lanes.compare("ogt", d, lanes.constant(2.0**1000)), lanes.compare("olt", d, lanes.constant(2.0**-900))
    scale = lanes.select(huge, lanes.constant(2.0**-100), lanes.select(small, lanes.constant(2.0**200), one))
    n, d = lanes.mul(n, scale), lanes.mul(d, scale)
    # d zero or infinite (then d/2 = d): the ratio is 0, of two infinities 1
    edge = lanes.compare("oeq", lanes.mul(d, lanes.constant(0.5)), d)
    n = lanes.select(edge, lanes.select(lanes.compare("oeq", n, infinity), one, zero), n)
    d = lanes.select(edge, one, d)
    t, first, second = _atan_of_ratio(lanes, n, d)
    t, first, second = _complement(lanes, steep, _HALF_PI, t, first, second)
    left = lanes.negative(x)
    t, first, second = _complement(lanes, left, _PI, t, first, second)
    angle = lanes.copysign(lanes.add(first, lanes.add(second, t)), y)
    return lanes.select(lanes.compare("uno", y, x), lanes.constant(math.nan), angle)


@_in_pairs
def asin(lanes: Lanes, x: str) -> str:
    """asin x = s + s R(s^2); from 1/2 on pi/2 - 2 asin sqrt((1-|x|)/2). NaN where |x| > 1."""
    if not lanes.fused:
        return lanes.libm("asin", x)
    far, s, ratio = _asin_core(lanes, lanes.abs(x))
    near_value = lanes.fma(s, ratio, s)
    # pi/2 - 2s - 2sR, the rounding error of the first difference carried along
    twice = lanes.add(s, s)
    half_pi = lanes.constant(_HALF_PI_1)
    high = lanes.sub(half_pi, twice)
    low = lanes.sub(lanes.sub(half_pi, high), twice)
    rest = lanes.fma(lanes.neg(twice), ratio, lanes.constant(_HALF_PI_2))
    far_value = lanes.add(high, lanes.add(low, rest))
    return lanes.copysign(lanes.select(far, far_value, near_value), x)


@_in_pairs
def acos(lanes: Lanes, x: str) -> str:
    """acos x = pi/2 - asin x; from 1/2 on 2 asin sqrt((1-x)/2), to -1/2 pi minus that of |x|. NaN where |x| > 1."""
    if not lanes.fused:
        return lanes.libm("acos", x)
    far, s, ratio = _asin_core(lanes, lanes.abs(x))
    near_value = lanes.fma(s, ratio, s)
    value = lanes.copysign(lanes.select(far, lanes.add(near_value, near_value), near_value), x)
    value = lanes.select(far, value, lanes.neg(value))
    left = lanes.compare("olt", x, lanes.constant(0.0))
    first, second = (
        lanes.select(far, lanes.select(left, lanes.constant(whole), lanes.constant(0.0)), lanes.constant(half))
        for whole, half in ((2.0 * _HALF_PI_1, _HALF_PI_1), (2.0 * _HALF_PI_2, _HALF_PI_2))
    )
    return lanes.add(first, lanes.add(second, value))


@_in_pairs
def exp(lanes: Lanes, x: str) -> str:
    """e^x = 2^k e^r, x = k ln 2 + r, |r| <= ln(2)/2; rises to infinity and falls through the subnormals to 0.

    2^k is multiplied in two halves: neither leaves the exponent's range, and only the last product rounds.
    """
    if not lanes.fused:
        return lanes.libm("exp", x)
    top, bottom = lanes.constant(710.0), lanes.constant(-746.0)  # beyond them infinity and 0; NaN passes
    x = lanes.select(lanes.compare("ogt", x, top), top, x)
    x = lanes.select(lanes.compare("olt", x, bottom), bottom, x)
    rounder = lanes.constant(_ROUNDER)
    k = lanes.sub(lanes.fma(x, lanes.constant(_LOG2_E), rounder), rounder)
    r = lanes.fma(k, lanes.constant(-_LN2_1), x)
    r = lanes.fma(k, lanes.constant(-_LN2_2), r)
    value = _horner(lanes, r, _EXP)
    half = lanes.fma(k, lanes.constant(0.5), rounder)
    other = lanes.add(lanes.sub(k, lanes.sub(half, rounder)), rounder)
    for shifted in (half, other):
        exponent = lanes.integer_add(lanes.shift_left(lanes.bits(shifted), 52), lanes.integer(1023 << 52))
        value = lanes.mul(value, lanes.from_bits(exponent))
    return value


@_in_pairs
def log(lanes: Lanes, x: str) -> str:
    """ln x = k ln 2 + ln(1+f), x = 2^k (1+f), sqrt(1/2) < 1+f < sqrt(2); log 0 = -inf, NaN where x < 0.

    ln(1+f) = f - (f^2/2 - s (f^2/2 + R(s^2))), s = f/(2+f), as in fdlibm e_log.c.
    """
    if not lanes.fused:
        return lanes.libm("log", x)
    infinity = lanes.constant(math.inf)
    small = lanes.compare("olt", x, lanes.constant(2.0**-1022))
    scaled = lanes.select(small, lanes.mul(x, lanes.constant(2.0**54)), x)
    # bits counted from those of sqrt(1/2): above bit 52 stands k, below it the fraction
    start = lanes.integer(0x3FE6A09E667F3BCD)
    offset = lanes.integer_sub(lanes.bits(scaled), start)
    fraction = lanes.bit_and(offset, lanes.integer(2**52 - 1))
    # k + 1023 is positive and, put into the low bits of 2^52, becomes a number
    exponent = lanes.shift_right(lanes.integer_add(offset, lanes.integer(1023 << 52)), 52)
    biased = lanes.from_bits(lanes.bit_or(exponent, lanes.integer(0x433 << 52)))
    k = lanes.sub(biased, lanes.select(small, lanes.constant(2.0**52 + 1077), lanes.constant(2.0**52 + 1023)))
    f = lanes.sub(lanes.from_bits(lanes.integer_add(fraction, start)), lanes.constant(1.0))
    s = lanes.div(f, lanes.add(f, lanes.constant(2.0)))
    z = lanes.mul(s, s)
    half_square = lanes.mul(lanes.mul(f, lanes.constant(0.5)), f)
    ratio = lanes.fma(z, _horner(lanes, z, _LOG), half_square)
    rest = lanes.fma(s, ratio, lanes.mul(k, lanes.constant(_LN2_2)))
    value = lanes.fma(k, lanes.constant(_LN2_1), lanes.sub(f, lanes.sub(half_square, rest)))
    zero = lanes.compare("oeq", x, lanes.constant(0.0))
    outside = lanes.select(zero, lanes.constant(-math.inf), lanes.constant(math.nan))
    value = lanes.select(lanes.compare("ogt", x, lanes.constant(0.0)), value, outside)
    return lanes.select(lanes.compare("oeq", x, infinity), infinity, value)


def _horner(lanes: Lanes, z: str, coefficients: Sequence[float]) -> str:
    """Polynomial in z, highest power first."""
    value = lanes.constant(coefficients[0])
    for c in coefficients[1:]:
        value = lanes.fma(value, z, lanes.constant(c))
    return value


def _sum(lanes: Lanes, a: str, b: str) -> tuple[str, str]:
    """a + b and its rounding error, |a| >= |b| (Dekker 1971)."""
    total = lanes.add(a, b)
    return total, lanes.add(lanes.sub(a, total), b)


def _turned(lanes: Lanes, value: str, sign: str) -> str:
    """value with its sign bit flipped where that of the integer `sign` is set."""
    return lanes.from_bits(lanes.bit_xor(lanes.bits(value), sign))


def _nearest_multiple(lanes: Lanes, x: str) -> tuple[str, str, str]:
    """|x| - k*pi_1 without error, k = |x| / (pi/2) rounded, and an integer whose low bits are k; NaN from 2^50 on.

    All bits of |x| and of k*pi_1 down to the last of pi_1 (2^-52; 2^-53 where |x| < 1) cancel to less than 1: the
    difference fits 53 bits.
    """
    a = lanes.abs(x)
    rounder = lanes.constant(_ROUNDER)
    shifted = lanes.fma(a, lanes.constant(_TWO_OVER_PI), rounder)
    k = lanes.sub(shifted, rounder)
    r = lanes.fma(k, lanes.constant(-_HALF_PI_1), a)
    known = lanes.compare("olt", a, lanes.constant(_REACH))
    return lanes.select(known, r, lanes.constant(math.nan)), k, lanes.bits(shifted)


def _quadrant(lanes: Lanes, x: str) -> tuple[str, str]:
    """r = |x| - k pi/2 and an integer whose low bits are k."""
    r, k, q = _nearest_multiple(lanes, x)
    r = lanes.fma(k, lanes.constant(-_HALF_PI_2), r)
    return lanes.fma(k, lanes.constant(-_HALF_PI_3), r), q


def _quadrant_with_tail(lanes: Lanes, x: str) -> tuple[str, str, str]:
    """As `_quadrant`, r as a sum of two: exact product k*pi_2, exact sum (Knuth 1969), then k*pi_3."""
    r1, k, q = _nearest_multiple(lanes, x)
    product = lanes.mul(k, lanes.constant(-_HALF_PI_2))
    product_error = lanes.fma(k, lanes.constant(-_HALF_PI_2), lanes.neg(product))
    total = lanes.add(r1, product)
    part = lanes.sub(total, r1)
    sum_error = lanes.add(lanes.sub(r1, lanes.sub(total, part)), lanes.sub(product, part))
    error = lanes.fma(k, lanes.constant(-_HALF_PI_3), lanes.add(sum_error, product_error))
    return *_sum(lanes, total, error), q


def _atan_of_ratio(lanes: Lanes, n: str, d: str) -> tuple[str, str, str]:
    """atan(n/d), 0 <= n <= d, as three terms: atan t, and the two parts of the angle atan c.

    atan(n/d) = atan c + atan t, t = (n - c d)/(d + c n), with c = 0, 1/2 or 1 by n/d < 7/16, < 11/16 (fdlibm s_atan.c).
    """
    zero = lanes.constant(0.0)
    middle = lanes.compare("oge", n, lanes.mul(d, lanes.constant(0.4375)))
    upper = lanes.compare("oge", n, lanes.mul(d, lanes.constant(0.6875)))

    def choose(low: str, half: float, one: float) -> str:
        return lanes.select(upper, lanes.constant(one), lanes.select(middle, lanes.constant(half), low))

    c = choose(zero, 0.5, 1.0)
    t = lanes.div(lanes.fma(lanes.neg(c), d, n), lanes.fma(c, n, d))
    z = lanes.mul(t, t)
    value = lanes.fma(lanes.mul(t, z), _horner(lanes, z, _ATAN), t)
    return value, choose(zero, _ATAN_HALF[0], _QUARTER_PI[0]), choose(zero, _ATAN_HALF[1], _QUARTER_PI[1])


def _complement(
    lanes: Lanes, mask: str, angle: tuple[float, float], t: str, first: str, second: str
) -> tuple[str, str, str]:
    """Where the mask is set, angle - (first + second + t), as three terms again."""
    return (
        lanes.select(mask, lanes.neg(t), t),
        lanes.select(mask, lanes.sub(lanes.constant(angle[0]), first), first),
        lanes.select(mask, lanes.sub(lanes.constant(angle[1]), second), second),
    )


def _asin_core(lanes: Lanes, a: str) -> tuple[str, str, str]:
    """Whether a >= 1/2, s = a or from there on sqrt((1-a)/2), and R(s^2) in asin s = s + s R."""
    half = lanes.constant(0.5)
    far = lanes.compare("oge", a, half)
    z = lanes.select(far, lanes.fma(a, lanes.constant(-0.5), half), lanes.mul(a, a))
    s = lanes.select(far, lanes.sqrt(z), a)
    return far, s, lanes.div(lanes.mul(z, _horner(lanes, z, _ASIN_P)), _horner(lanes, z, _ASIN_Q))
