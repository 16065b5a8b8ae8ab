"""Traced scalars: expressions that fold what is structurally or identically zero, one, or already known.

A law is written with plain arithmetic on `Scalar` and `float`. Python floats are constants of the structure; a product
with 0.0 is 0.0, so absent terms cost nothing. Besides its operation every scalar carries its *samples*: values at a few
random states. They tell identities that no rewriting rule sees (cos² + sin² = 1, R Rᵀ e = e, a pivot that has been
eliminated): a new scalar that equals 0, ±0.5, ±1, ±2 or an older scalar (up to sign) at every sample is replaced by it.

A scalar that depends on parameters only is *settled*: it is the same for all states of a run, so `compose` moves it out
of the kernel into a function that is evaluated once per set of parameters.
"""

from __future__ import annotations

import functools
import gc
import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import frexp, isfinite
from typing import Any

import numpy as np

from linkwork.algebra import ca
from linkwork.equations.listing import CALL, NONE, Listing

ADD, SUB, MUL, NEG = ca.OP_ADD, ca.OP_SUB, ca.OP_MUL, ca.OP_NEG
OUT = CALL
"""A result of a call; its arguments are the call and the place among its results."""
SAMPLES = 3
"""Written out in the arithmetic below: it runs for every operation of every law."""
SAME = 1e-11
"""Relative difference below which two samples are the same number: far above round-off of a short computation."""
CANCELLED = 1e-12
ABSORBED = 1e-4
"""A term below this part of the other one, at every sample, would soon be lost in it, and be taken for nothing."""
SMALL, LARGE = 1e-2, 1e8
"""Angles outside are not compared: sin x is near x, or has lost its digits."""
SIMPLE = (0.0, 0.5, 1.0, 2.0)

Samples = tuple[float, float, float]


class Scalar:
    """A node of a trace: an operation (CasADi's code) on other scalars or floats."""

    __slots__ = ("args", "index", "op", "opposite", "samples", "settled", "trace")

    def __init__(self, trace: Trace, op: int, args: tuple[Any, ...], samples: Samples, settled: bool) -> None:
        self.trace = trace
        self.op = op
        self.args = args
        self.samples = samples
        self.settled = settled
        self.opposite: Scalar | None = None
        self.index = trace.count()

    def __repr__(self) -> str:
        return f"Scalar(op {self.op}, near {self.samples[0]:.4g})"

    def __neg__(self) -> Scalar:
        if self.op == NEG:
            positive: Scalar = self.args[0]
            return positive
        if self.opposite is None:
            x, y, z = self.samples
            self.opposite = Scalar(self.trace, NEG, (self,), (-x, -y, -z), self.settled)
            self.trace.turned.append(self)
        return self.opposite

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Scalar):
            if other.op == NEG:
                return self - other.args[0]
            if self.op == NEG:
                return other - self.args[0]
            (a, b, c), (x, y, z) = self.samples, other.samples
            return self.trace.sum(ADD, self, other, (a + x, b + y, c + z))
        if other == 0.0:
            return self
        a, b, c = self.samples
        return self.trace.sum(ADD, self, float(other), (a + other, b + other, c + other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Scalar):
            if other.op == NEG:
                return self + other.args[0]
            if self.op == NEG:
                return -(self.args[0] + other)
            (a, b, c), (x, y, z) = self.samples, other.samples
            return self.trace.sum(SUB, self, other, (a - x, b - y, c - z))
        return self if other == 0.0 else self + (-float(other))

    def __rsub__(self, other: Any) -> Any:
        return -self if other == 0.0 else (-self) + float(other)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Scalar):
            if other.op == NEG:
                return -(self * other.args[0])
            if self.op == NEG:
                return -(self.args[0] * other)
            if self.settled != other.settled:
                moving, factor = (other, self) if self.settled else (self, other)
                if moving.op == MUL and _is_settled(moving.args[1]):
                    return moving.args[0] * (factor * moving.args[1])
                self, other = moving, factor  # what is settled stands last
            (a, b, c), (x, y, z) = self.samples, other.samples
            return self.trace.make(MUL, (self, other), (a * x, b * y, c * z))
        if other == 0.0:
            return 0.0
        if other == 1.0:
            return self
        if other < 0.0:
            return -(self * -other)
        if self.op == NEG:
            return -(self.args[0] * other)
        if self.op == MUL and not self.settled and _is_settled(self.args[1]):
            return self.args[0] * (self.args[1] * other)
        a, b, c = self.samples
        return self.trace.make(MUL, (self, float(other)), (a * other, b * other, c * other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Scalar):
            return self * other.inverse()
        return self * (1.0 / other) if other != 0.0 else self.trace.opaque(ca.OP_DIV, (self, 0.0))

    def __rtruediv__(self, other: Any) -> Any:
        return other * self.inverse()

    def inverse(self) -> Any:
        """1 / x."""
        if self.op == NEG:
            return -self.args[0].inverse()
        x, y, z = self.samples
        return self.trace.make(ca.OP_INV, (self,), (_inverse(x), _inverse(y), _inverse(z)))


class Call:
    """A template that is run on some scalars (`cells`): in a trace it stands before its results."""

    __slots__ = ("args", "index", "listing", "op", "settled")

    def __init__(self, trace: Trace, listing: Listing, args: tuple[Scalar, ...], settled: bool) -> None:
        self.listing = listing
        self.args = args
        self.settled = settled
        self.op = CALL
        self.index = trace.count()


def _inverse(x: float) -> float:
    return 1.0 / x if x else math.nan


def _larger(x: float, y: float) -> float:
    return max(abs(x), abs(y))


def _absorbed(a: Scalar, b: Any) -> bool:
    """True when one term is much smaller than the other at every sample."""
    others = b.samples if isinstance(b, Scalar) else (b,) * SAMPLES
    for x, y in zip(a.samples, others):  # noqa: B905, SIM110 - asked for every sum
        if ABSORBED * abs(y) < abs(x) and ABSORBED * abs(x) < abs(y):
            return False
    return True


@contextmanager
def undisturbed() -> Iterator[None]:
    """No search for what is no longer needed: a trace makes millions of objects and keeps all of them."""
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()


class Trace:
    """The scalars of one trace, each value once.

    Parameters
    ----------
    fold : look for identities among the samples; without it only structural zeros and ones fold
    seed : of the random samples
    """

    def __init__(self, fold: bool = True, seed: int = 1) -> None:
        self.fold = fold
        self.random = random.Random(seed)
        self._known: dict[Any, Scalar] = {}
        self.turned: list[Scalar] = []
        """Scalars with an opposite."""
        self.count = itertools.count().__next__

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is traced any more: let go of all scalars, so that nobody has to search for them."""
        self._known.clear()
        for x in self.turned:
            x.opposite = None
        self.turned.clear()

    def symbol(self, samples: Sequence[float] | None = None, settled: bool = False) -> Scalar:
        """A new free scalar; its samples are random unless given (a unit quaternion must have its length)."""
        if samples is None:
            samples = self._random_samples()
        x, y, z = samples
        scalar = Scalar(self, ca.OP_PARAMETER, (), (x, y, z), settled)
        if self.fold:
            self._known.setdefault(_key(scalar.samples), scalar)
        return scalar

    def symbols(self, count: int, settled: bool = False) -> list[Scalar]:
        """Several new scalars with random samples."""
        return [self.symbol(settled=settled) for _ in range(count)]

    def sum(self, op: int, a: Scalar, b: Any, samples: Samples) -> Any:
        """A sum or difference, unless its terms cancel at every sample to a simple number."""
        if self.fold:
            if _absorbed(a, b):
                return self.opaque(op, (a, b))
            # A look at the first sample tells nearly always that the sum is no simple number.
            x, y = abs(a.samples[0]), abs(b.samples[0] if isinstance(b, Scalar) else b)
            near, left = CANCELLED * (x if x > y else y), abs(samples[0])
            if left <= near or abs(left - 0.5) <= near or abs(left - 1.0) <= near or abs(left - 2.0) <= near:
                simple = _simple(a, b, samples)
                if simple is not None:
                    return simple
        return self.make(op, (a, b), samples)

    def make(self, op: int, args: tuple[Any, ...], samples: Samples) -> Any:
        """The scalar op(args), or the older one that equals it (up to sign) at every sample."""
        x, y, z = samples
        if self.fold and isfinite(x) and isfinite(y) and isfinite(z):
            key: Any = _key(samples)
            known = self._known.get(key)
            if known is not None:
                a, b, c = known.samples
                most, more, last = SAME * abs(x), SAME * abs(y), SAME * abs(z)
                if abs(x - a) <= most and abs(y - b) <= more and abs(z - c) <= last:
                    return known
                if abs(x + a) <= most and abs(y + b) <= more and abs(z + c) <= last:
                    return -known
            scalar = Scalar(self, op, args, samples, _are_settled(args))
            if known is None:
                self._known[key] = scalar
            return scalar
        key = (op, *map(_identity, args))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Scalar(self, op, args, samples, _are_settled(args))
        return known

    def operation(self, op: int, args: Sequence[Any]) -> Any:
        """Any of CasADi's scalar operations on scalars and floats."""
        if not any(isinstance(x, Scalar) for x in args):
            return float(_numeric(op, args))
        rule = _ARITHMETIC.get(op)
        if rule is not None:
            return rule(*args)
        if op in _SMOOTH and all(SMALL < abs(x) < LARGE for x in args[0].samples):
            x, y, z = map(_SMOOTH[op], args[0].samples)
            return self.make(op, tuple(args), (x, y, z))
        # A root or a comparison agrees with other expressions on one branch only, the sine of a small angle with it.
        return self.opaque(op, tuple(args))

    def opaque(self, op: int, args: tuple[Any, ...]) -> Scalar:
        """The scalar op(args), to its users a new symbol: its values at the samples would prove nothing."""
        key = (op, *map(_identity, args))
        if key not in self._known:
            scalar = Scalar(self, op, args, self._random_samples(), _are_settled(args))
            self._known[key] = scalar
            if self.fold:
                self._known.setdefault(_key(scalar.samples), scalar)
        return self._known[key]

    def call(self, listing: Listing, args: tuple[Scalar, ...], settled: bool) -> list[Scalar]:
        """The results of a template, to their users new symbols."""
        call, rand = Call(self, listing, args, settled), self.random.random
        return [
            Scalar(self, OUT, (call, k), (0.3 + rand(), -0.3 - rand(), 0.3 + rand()), settled)
            for k in range(len(listing.results))
        ]

    def _random_samples(self) -> Samples:
        rand = self.random.random
        return _apart_from_zero(rand()), _apart_from_zero(rand()), _apart_from_zero(rand())


def _apart_from_zero(part: float) -> float:
    """From a number between 0 and 1, one of 0.3 to 1.7 with a sign."""
    x = 2.8 * part - 1.4
    return x + 0.3 if x >= 0.0 else x - 0.3


def _key(samples: Samples) -> int:
    """Equal for samples of equal magnitude, but for the rare pair on both sides of a rounding boundary."""
    mantissa, exponent = frexp(abs(samples[0]))
    return round(mantissa * 8589934592.0) * 4096 + exponent  # 33 bits of the mantissa


def _identity(x: Any) -> Any:
    return id(x) if isinstance(x, Scalar) else x


def _is_settled(x: Any) -> bool:
    return not isinstance(x, Scalar) or x.settled


def _are_settled(args: tuple[Any, ...]) -> bool:
    for x in args:  # noqa: SIM110 - asked for every scalar
        if isinstance(x, Scalar) and not x.settled:
            return False
    return True


def _simple(a: Scalar, b: Any, samples: Samples) -> float | None:
    """The simple number to which two terms add up at every sample, if they do."""
    others = b.samples if isinstance(b, Scalar) else (b,) * SAMPLES
    scale = [_larger(x, y) for x, y in zip(a.samples, others, strict=True)]
    for simple in SIMPLE:
        if all(abs(abs(x) - simple) <= CANCELLED * s for x, s in zip(samples, scale, strict=True)):
            if simple == 0.0:
                return 0.0
            if all(x > 0.0 for x in samples) or all(x < 0.0 for x in samples):
                return math.copysign(simple, samples[0])
    return None


_ARITHMETIC: dict[int, Callable[..., Any]] = {
    ca.OP_ADD: lambda a, b: a + b,
    ca.OP_SUB: lambda a, b: a - b,
    ca.OP_MUL: lambda a, b: a * b,
    ca.OP_DIV: lambda a, b: a / b,
    ca.OP_NEG: lambda a: -a,
    ca.OP_SQ: lambda a: a * a,
    ca.OP_TWICE: lambda a: a + a,
    ca.OP_INV: lambda a: 1.0 / a,
    ca.OP_ASSIGN: lambda a: a,
}


_DIVIDING = (ca.OP_DIV, ca.OP_INV)
"""Of two numbers, what Python refuses where zero divides."""
_SMOOTH: dict[int, Callable[[float], float]] = {ca.OP_SIN: math.sin, ca.OP_COS: math.cos}


def _numeric(op: int, args: Sequence[float]) -> ca.DM:
    return ca.DM.binary(op, *args) if len(args) == 2 else ca.DM.unary(op, *args)


# ---------------------------------------------------------------- to and from CasADi


def replay(function: ca.Function, inputs: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Run the instructions of a CasADi function on scalars: one list of nonzeros per output."""
    trace = next((x.trace for block in inputs for x in block if isinstance(x, Scalar)), Trace(fold=False))
    work: dict[int, Any] = {}
    outputs: list[list[Any]] = [[0.0] * function.nnz_out(i) for i in range(function.n_out())]
    for op, out, taken in _instructions(function):
        if op == ca.OP_INPUT:
            work[out[0]] = inputs[taken[0]][taken[1]]
        elif op == ca.OP_OUTPUT:
            outputs[out[0]][out[1]] = work[taken[0]]
        elif op == ca.OP_CONST:
            work[out[0]] = taken
        else:
            given = [work[i] for i in taken]
            rule = _ARITHMETIC.get(op)
            if rule is not None and (op not in _DIVIDING or any(type(x) is Scalar for x in given)):
                work[out[0]] = rule(*given)
            else:
                work[out[0]] = trace.operation(op, given)
    return outputs


@functools.lru_cache(maxsize=256)
def _instructions(function: ca.Function) -> tuple[tuple[int, Any, Any], ...]:
    """Operation, what it gives, and what it takes: places, or the number that a constant is."""
    found = []
    for k in range(function.n_instructions()):
        op = function.instruction_id(k)
        number = op == ca.OP_CONST
        taken = function.instruction_constant(k) if number else tuple(function.instruction_input(k))
        found.append((op, tuple(function.instruction_output(k)), taken))
    return tuple(found)


Block = tuple[str, Sequence[Any], tuple[int, ...]]
"""Name, scalars in row-major order, shape."""


@dataclass(frozen=True, eq=False)
class Composed:
    """A trace turned into what kernels are made of.

    main : inputs..., settled values -> outputs
    settle : parameters -> settled values, to be evaluated once per set of parameters
    order : all elements of the outputs in the order in which the trace made them
    """

    main: Listing
    settle: Listing
    order: tuple[int, ...]


def compose(name: str, inputs: Iterable[Block], parameters: Sequence[Any], outputs: Iterable[Block]) -> Composed:
    """Turn a trace into a function of its inputs and of the settled values, and the function that settles them."""
    inputs, outputs = list(inputs), list(outputs)
    roots = [x for _, block, _ in outputs for x in block]
    settled: list[Scalar] = []
    nodes = behind(roots, settled)
    given = [x for _, block, _ in inputs for x in block]
    blocks = [*((n, shape) for n, _, shape in inputs), ("settled", (len(settled),))]
    main = listed(name, blocks, [*given, *settled], nodes, [(n, shape) for n, _, shape in outputs], roots)
    block = ("parameters", (len(parameters),))
    settle = listed(f"{name}_settle", [block], parameters, behind(settled), [("settled", (len(settled),))], settled)
    made = [x.index if isinstance(x, Scalar) else -1 for x in roots]
    return Composed(main, settle, tuple(sorted(range(len(made)), key=made.__getitem__)))


def written_out(name: str, inputs: Iterable[Block], parameters: Sequence[Any], outputs: Iterable[Block]) -> ca.Function:
    """The same trace as one function of its inputs and parameters, nothing moved out: what is differentiated."""
    inputs, outputs = [*inputs, ("parameters", parameters, (len(parameters),))], list(outputs)
    given = [x for _, block, _ in inputs for x in block]
    roots = [x for _, block, _ in outputs for x in block]
    named_in, named_out = ([(n, shape) for n, _, shape in blocks] for blocks in (inputs, outputs))
    return listed(name, named_in, given, behind(roots), named_out, roots).function


def behind(roots: Iterable[Any], settled: list[Scalar] | None = None) -> list[Any]:
    """All scalars and calls that some scalars are made of, in the order of the trace.

    settled : where given, settled scalars end the search and are put here; x and -x share one
    """
    found: dict[int, Any] = {}
    ends: dict[int, Scalar] = {}
    stack: list[Any] = [x for x in roots if isinstance(x, Scalar)]
    while stack:
        node = stack.pop()
        if node.index in found:
            continue
        if settled is not None and node.settled and node.op != NEG:
            ends[node.index] = node
            continue
        found[node.index] = node
        for x in node.args:
            if type(x) is Scalar or type(x) is Call:
                stack.append(x)
    if settled is not None:
        settled += [ends[i] for i in sorted(ends)]
    return [found[i] for i in sorted(found)]


Shape = tuple[str, tuple[int, ...]]


def listed(
    name: str,
    inputs: Sequence[Shape],
    given: Sequence[Any],
    nodes: Sequence[Any],
    outputs: Sequence[Shape],
    roots: Sequence[Any],
) -> Listing:
    """The operations and calls behind scalars; those among them that are given have their values already.

    given : elements of the inputs; a constant among them (a folded parameter) leaves its place unused
    """
    places = {x.index: i for i, x in enumerate(given) if isinstance(x, Scalar)}
    left = [x for x in nodes if x.index not in places]
    operations = [x for x in left if type(x) is Scalar]
    calls = [x for x in left if type(x) is Call]
    constants: dict[float, int] = {}
    for x in (*(x for node in operations if node.op != OUT for x in node.args), *roots):
        if not isinstance(x, Scalar) and x not in constants:
            constants[x] = len(given) + len(constants)
    first = len(given) + len(constants)
    places |= {x.index: k for k, x in enumerate(operations, first)}
    numbers = {x.index: k for k, x in enumerate(calls)}

    def place(x: Any) -> int:
        return places[x.index] if isinstance(x, Scalar) else constants[x]

    def operands_of(x: Scalar) -> tuple[int, int]:
        if x.op == OUT:
            return numbers[x.args[0].index], x.args[1]
        return place(x.args[0]), place(x.args[1]) if len(x.args) > 1 else NONE

    codes = [x.op for x in operations]
    operands = [operands_of(x) for x in operations]
    return Listing(
        name,
        tuple(inputs),
        tuple(outputs),
        tuple(constants),
        np.array(codes, np.int32),
        np.array(operands, np.int32).reshape(-1, 2),
        np.array([place(x) for x in roots], np.int32),
        tuple((x.listing, np.array([places[y.index] for y in x.args], np.int32)) for x in calls),
    )
