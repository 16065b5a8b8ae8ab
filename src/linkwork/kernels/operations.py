"""Every scalar operation of a CasADi SX tape as instructions, with the meaning it has in CasADi's virtual machine.

Meaning: casadi/core/calculus.hpp. Noteworthy there, and kept here:

- A truth value is any number but zero: NaN counts as true (`not NaN` = 0, `NaN and 1` = 1).
- `if_else_zero(c, y)` is 0 where c = 0 and y elsewhere, y also where c is NaN. It is no product: infinite y is fine.
- `fmin`, `fmax` leave out a NaN beside a number, and return the first of two equals: fmin(-0, 0) = -0, fmin(0, -0) = 0.
- `sign` returns zeros and NaN as they are, with their sign.
- `remainder` rounds the quotient to nearest (IEEE), `fmod` towards zero.
- `erfinv` is polished by Newton only from -0.7 on; below, it is good to about 1e-8.
- `pow` with NaN: pow(1, NaN) = pow(NaN, 0) = 1, as in C.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from linkwork.algebra import ca
from linkwork.kernels import functions
from linkwork.kernels.lanes import Lanes, Predicate


@dataclass(frozen=True)
class Operation:
    """One operation: its name, number of operands, whether the first two may change places (value unchanged but for the
    sign of a zero), and `emit(lanes, *operands)`, which returns the value."""

    name: str
    arity: int
    commutative: bool
    emit: Callable[..., str]


class Fused(IntEnum):
    """Operations of our own, made of two CasADi operations: one rounding where the machine can, else two."""

    FMA = -1  # a*b + c
    FMS = -2  # a*b - c
    FNMA = -3  # c - a*b


# The C library's functions that emitted code may call; five stand in for instructions old machines lack,
# the last two are for the interpreter.
LIBRARY: frozenset[str] = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "exp",
        "log",
        "pow",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "erf",
        "log1p",
        "expm1",
        "hypot",
        "fmod",
        "remainder",
        "floor",
        "ceil",
        "rint",
        "trunc",
        "fma",
        "malloc",
        "free",
    ]
)


@cache
def bind_library() -> frozenset[str]:
    """Tell LLVM the addresses of the C library's functions, once per process; the names found, normally all of LIBRARY.

    The symbols of the process come first, then the C mathematics library (Linux, macOS), then the C runtime (Windows).
    """
    import llvmlite.binding as llvm

    found: set[str] = set()
    for library in _c_libraries():
        for name in LIBRARY - found:
            try:
                address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
            except AttributeError:
                continue
            if address:
                llvm.add_symbol(name, address)
                found.add(name)
        if found == LIBRARY:
            break
    return frozenset(found)


def _c_libraries() -> Iterator[ctypes.CDLL]:
    names = (None, ctypes.util.find_library("m"), "libm.so.6", "ucrtbase.dll", "msvcrt.dll")
    for i, name in enumerate(names):
        if i and not name:
            continue
        try:
            yield ctypes.CDLL(name)
        except (OSError, TypeError):  # no such library; Windows refuses None by TypeError
            continue


def power(lanes: Lanes, x: str, exponent: float) -> str:
    """x^exponent for an exponent known beforehand: 0, 1, 2, 3, 4, -1, -2, 1/2, 3/2, -1/2 by products and roots.

    Others go to the C library. Roots differ from pow at two places, which are put right: pow(-0, 1/2) = +0 and
    pow(-inf, 1/2) = +inf.
    """
    one = lanes.constant(1.0)
    if exponent == 0.0:
        return one
    if exponent == 1.0:
        return x
    if exponent in (2.0, 3.0, 4.0):
        square = lanes.mul(x, x)
        return square if exponent == 2.0 else lanes.mul(square, x if exponent == 3.0 else square)
    if exponent in (-1.0, -2.0):
        inverse = lanes.div(one, x)
        return inverse if exponent == -1.0 else lanes.mul(inverse, inverse)
    if exponent in (0.5, 1.5, -0.5):
        lowest = lanes.compare("oeq", x, lanes.constant(-math.inf))
        x = lanes.select(lowest, lanes.constant(math.inf), lanes.add(x, lanes.constant(0.0)))
        root = lanes.sqrt(x)
        if exponent == 1.5:
            return lanes.mul(root, x)
        return root if exponent == 0.5 else lanes.div(one, root)
    return lanes.libm("pow", x, lanes.constant(exponent))


def _first(lanes: Lanes, x: str, *_: str) -> str:
    return x


def _comparison(predicate: Predicate) -> Callable[[Lanes, str, str], str]:
    return lambda lanes, x, y: lanes.number(lanes.compare(predicate, x, y))


def _library(name: str) -> Callable[..., str]:
    return lambda lanes, *operands: lanes.libm(name, *operands)


def _true(lanes: Lanes, x: str) -> str:
    """mask: x is not zero (NaN is not zero)"""
    return lanes.compare("une", x, lanes.constant(0.0))


def _and(lanes: Lanes, x: str, y: str) -> str:
    return lanes.select(_true(lanes, x), lanes.number(_true(lanes, y)), lanes.constant(0.0))


def _or(lanes: Lanes, x: str, y: str) -> str:
    return lanes.select(_true(lanes, x), lanes.constant(1.0), lanes.number(_true(lanes, y)))


def _not(lanes: Lanes, x: str) -> str:
    return lanes.number(lanes.compare("oeq", x, lanes.constant(0.0)))


def _if_else_zero(lanes: Lanes, condition: str, y: str) -> str:
    return lanes.select(_true(lanes, condition), y, lanes.constant(0.0))


def _sign(lanes: Lanes, x: str) -> str:
    zero = lanes.constant(0.0)
    positive = lanes.select(lanes.compare("ogt", x, zero), lanes.constant(1.0), x)
    return lanes.select(lanes.compare("olt", x, zero), lanes.constant(-1.0), positive)


def _extreme(predicate: Predicate) -> Callable[[Lanes, str, str], str]:
    def emit(lanes: Lanes, x: str, y: str) -> str:
        extreme = lanes.select(lanes.compare(predicate, x, y), x, y)
        return lanes.select(lanes.compare("uno", y, y), x, extreme)

    return emit


def _fms(lanes: Lanes, a: str, b: str, c: str) -> str:
    return lanes.fma(a, b, lanes.neg(c)) if lanes.fused else lanes.sub(lanes.mul(a, b), c)


def _fnma(lanes: Lanes, a: str, b: str, c: str) -> str:
    return lanes.fma(lanes.neg(a), b, c) if lanes.fused else lanes.sub(c, lanes.mul(a, b))


def _erfinv(lanes: Lanes, x: str) -> str:
    """erfinv as in casadi/core/calculus.hpp: rational start in three pieces, then from -0.7 on two Newton steps.

    The same roundings in the same order and the library's log, exp, erf: near 1 the Newton steps enlarge one ulp of any
    of them beyond every tolerance.
    """
    one, half_way = lanes.constant(1.0), lanes.constant(0.7)

    def horner(z: str, *coefficients: float) -> str:
        value = lanes.constant(coefficients[0])
        for c in coefficients[1:]:
            value = lanes.add(lanes.mul(value, z), lanes.constant(c))
        return value

    left = lanes.compare("olt", x, lanes.constant(-0.7))
    central = lanes.compare("olt", x, half_way)
    # outer pieces, in the distance from the nearer end
    distance = lanes.select(left, lanes.add(one, x), lanes.sub(one, x))
    z = lanes.sqrt(lanes.neg(lanes.libm("log", lanes.div(distance, lanes.constant(2.0)))))
    numerator = horner(z, 1.641345311, 3.429567803, -1.624906493, -1.970840454)
    outer = lanes.div(numerator, horner(z, 1.637067800, 3.543889200, 1.0))
    # central piece
    z = lanes.mul(x, x)
    numerator = lanes.mul(x, horner(z, -0.140543331, 0.914624893, -1.645349621, 0.886226899))
    inner = lanes.div(numerator, horner(z, -0.329097515, 0.012229801, 1.442710462, -2.118377725, 1.0))
    y = lanes.select(central, inner, outer)
    for _ in range(2):
        slope = lanes.mul(lanes.constant(2.0 / math.sqrt(math.pi)), lanes.libm("exp", lanes.mul(lanes.neg(y), y)))
        y = lanes.sub(y, lanes.div(lanes.sub(lanes.libm("erf", y), x), slope))
    y = lanes.select(left, lanes.neg(outer), y)
    # the ends and what lies beyond
    end = lanes.copysign(lanes.constant(math.inf), x)
    size = lanes.abs(x)
    y = lanes.select(lanes.compare("oeq", size, one), end, y)
    return lanes.select(lanes.compare("ogt", size, one), lanes.constant(math.nan), y)


def _table() -> dict[int, Operation]:
    unary: dict[str, Callable[..., str]] = {
        "ASSIGN": _first,
        "NEG": Lanes.neg,
        "EXP": functions.exp,
        "LOG": functions.log,
        "SQRT": Lanes.sqrt,
        "SQ": lambda lanes, x: lanes.mul(x, x),
        "TWICE": lambda lanes, x: lanes.add(x, x),
        "SIN": functions.sin,
        "COS": functions.cos,
        "TAN": functions.tan,
        "ASIN": functions.asin,
        "ACOS": functions.acos,
        "ATAN": functions.atan,
        "NOT": _not,
        "FLOOR": Lanes.floor,
        "CEIL": Lanes.ceil,
        "FABS": Lanes.abs,
        "SIGN": _sign,
        "INV": lambda lanes, x: lanes.div(lanes.constant(1.0), x),
        "ERFINV": _erfinv,
        **{
            name.upper(): _library(name)
            for name in ["erf", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "log1p", "expm1"]
        },
    }
    symmetric: dict[str, Callable[..., str]] = {
        "ADD": Lanes.add,
        "MUL": Lanes.mul,
        "EQ": _comparison("oeq"),
        "NE": _comparison("une"),
        "AND": _and,
        "OR": _or,
        "FMIN": _extreme("ole"),
        "FMAX": _extreme("oge"),
        "HYPOT": _library("hypot"),
    }
    ordered: dict[str, Callable[..., str]] = {
        "SUB": Lanes.sub,
        "DIV": Lanes.div,
        "POW": _library("pow"),
        "CONSTPOW": _library("pow"),
        "LT": _comparison("olt"),
        "LE": _comparison("ole"),
        "FMOD": _library("fmod"),
        "REMAINDER": _library("remainder"),
        "COPYSIGN": Lanes.copysign,
        "IF_ELSE_ZERO": _if_else_zero,
        "ATAN2": functions.atan2,
        "LIFT": _first,
        "PRINTME": _first,  # compiled code does not print
    }
    operations = {
        getattr(ca, f"OP_{name}"): Operation(name.lower(), arity, commutative, emit)
        for arity, commutative, emitters in ((1, False, unary), (2, True, symmetric), (2, False, ordered))
        for name, emit in emitters.items()
    }
    operations[Fused.FMA] = Operation("fma", 3, True, Lanes.fma)
    operations[Fused.FMS] = Operation("fms", 3, True, _fms)
    operations[Fused.FNMA] = Operation("fnma", 3, True, _fnma)
    return operations


OPERATIONS: dict[int, Operation] = _table()
