"""Traced scalars: expressions that fold what is structurally or identically zero, one, or already known.

A law is written with plain arithmetic on `Scalar` and `float`. Python floats are constants of the structure; a product
with 0.0 is 0.0, so absent terms cost nothing. Besides its operation every scalar carries its *samples*: values at a few
random states. They tell identities that no rewriting rule sees (cos² + sin² = 1, R Rᵀ e = e, a pivot that has been
eliminated): a new scalar that equals 0, ±0.5, ±1, ±2 or an older scalar (up to sign) at every sample is replaced by it.

A scalar that depends on parameters only is *settled*: it is the same for all states of a run, so `compose` moves it out
of the kernel into a function that is evaluated once per set of parameters.
"""

from __future__ import annotations

import itertools
import math
import operator
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import casadi as ca

SAMPLES = 3
SAME = 1e-11
"""Relative difference below which two samples are the same number: far above round-off of a short computation."""
CANCELLED = 1e-12
ABSORBED = 1e-4
"""A term below this part of the other one, at every sample, would soon be lost in it, and be taken for nothing."""
SMALL, LARGE = 1e-2, 1e8
"""Angles outside are not compared: sin x is near x, or has lost its digits."""
SIMPLE = (0.0, 0.5, 1.0, 2.0)

Samples = tuple[float, ...]


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
        if self.op == ca.OP_NEG:
            positive: Scalar = self.args[0]
            return positive
        if self.opposite is None:
            samples = tuple(-x for x in self.samples)
            self.opposite = Scalar(self.trace, ca.OP_NEG, (self,), samples, self.settled)
        return self.opposite

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Scalar):
            if other.op == ca.OP_NEG:
                return self - other.args[0]
            if self.op == ca.OP_NEG:
                return other - self.args[0]
            a, b = self.samples, other.samples
            return self.trace.sum(ca.OP_ADD, self, other, tuple(map(operator.add, a, b)), tuple(map(_larger, a, b)))
        if other == 0.0:
            return self
        scale = tuple(_larger(x, other) for x in self.samples)
        return self.trace.sum(ca.OP_ADD, self, float(other), tuple(x + other for x in self.samples), scale)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Scalar):
            if other.op == ca.OP_NEG:
                return self + other.args[0]
            if self.op == ca.OP_NEG:
                return -(self.args[0] + other)
            a, b = self.samples, other.samples
            return self.trace.sum(ca.OP_SUB, self, other, tuple(map(operator.sub, a, b)), tuple(map(_larger, a, b)))
        return self if other == 0.0 else self + (-float(other))

    def __rsub__(self, other: Any) -> Any:
        return -self if other == 0.0 else (-self) + float(other)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Scalar):
            if other.op == ca.OP_NEG:
                return -(self * other.args[0])
            if self.op == ca.OP_NEG:
                return -(self.args[0] * other)
            return self.trace.make(ca.OP_MUL, (self, other), tuple(map(operator.mul, self.samples, other.samples)))
        if other == 0.0:
            return 0.0
        if other == 1.0:
            return self
        if other < 0.0:
            return -(self * -other)
        if self.op == ca.OP_NEG:
            return -(self.args[0] * other)
        return self.trace.make(ca.OP_MUL, (self, float(other)), tuple(x * other for x in self.samples))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Scalar):
            return self * other.inverse()
        return self * (1.0 / other) if other != 0.0 else self.trace.opaque(ca.OP_DIV, (self, 0.0))

    def __rtruediv__(self, other: Any) -> Any:
        return other * self.inverse()

    def inverse(self) -> Any:
        """1 / x."""
        if self.op == ca.OP_NEG:
            return -self.args[0].inverse()
        return self.trace.make(ca.OP_INV, (self,), tuple(1.0 / x if x else math.nan for x in self.samples))


def _larger(x: float, y: float) -> float:
    return max(abs(x), abs(y))


def _absorbed(a: Scalar, b: Any) -> bool:
    """True when one term is much smaller than the other at every sample."""
    others = b.samples if isinstance(b, Scalar) else (b,) * SAMPLES
    for x, y in zip(a.samples, others, strict=True):
        if ABSORBED * abs(y) < abs(x) and ABSORBED * abs(x) < abs(y):
            return False
    return True


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
        self.count = itertools.count().__next__

    def symbol(self, samples: Sequence[float] | None = None, settled: bool = False) -> Scalar:
        """A new free scalar; its samples are random unless given (a unit quaternion must have its length)."""
        if samples is None:
            samples = self._random_samples()
        scalar = Scalar(self, ca.OP_PARAMETER, (), tuple(samples), settled)
        if self.fold:
            self._known.setdefault(_key(scalar.samples), scalar)
        return scalar

    def symbols(self, count: int, settled: bool = False) -> list[Scalar]:
        """Several new scalars with random samples."""
        return [self.symbol(settled=settled) for _ in range(count)]

    def sum(self, op: int, a: Any, b: Any, samples: Samples, scale: Samples) -> Any:
        """A sum or difference, unless its terms cancel at every sample to a simple number."""
        if self.fold:
            if _absorbed(a, b):
                return self.opaque(op, (a, b))
            for simple in SIMPLE:
                if all(abs(abs(x) - simple) <= CANCELLED * s for x, s in zip(samples, scale, strict=True)):
                    if simple == 0.0:
                        return 0.0
                    if all(x > 0.0 for x in samples) or all(x < 0.0 for x in samples):
                        return math.copysign(simple, samples[0])
        return self.make(op, (a, b), samples)

    def make(self, op: int, args: tuple[Any, ...], samples: Samples) -> Any:
        """The scalar op(args), or the older one that equals it (up to sign) at every sample."""
        comparable = self.fold and all(map(math.isfinite, samples))
        key: Any = _key(samples) if comparable else (op, *map(_identity, args))
        known = self._known.get(key)
        if known is not None:
            if not comparable:
                return known
            if all(abs(x - y) <= SAME * abs(x) for x, y in zip(samples, known.samples, strict=True)):
                return known
            if all(abs(x + y) <= SAME * abs(x) for x, y in zip(samples, known.samples, strict=True)):
                return -known
        scalar = Scalar(self, op, args, samples, all(_is_settled(x) for x in args))
        self._known.setdefault(key, scalar)
        return scalar

    def operation(self, op: int, args: Sequence[Any]) -> Any:
        """Any of CasADi's scalar operations on scalars and floats."""
        if not any(isinstance(x, Scalar) for x in args):
            return float(_numeric(op, args))
        rule = _ARITHMETIC.get(op)
        if rule is not None:
            return rule(*args)
        if op in _SMOOTH and all(SMALL < abs(x) < LARGE for x in args[0].samples):
            return self.make(op, tuple(args), tuple(_SMOOTH[op](x) for x in args[0].samples))
        # A root or a comparison agrees with other expressions on one branch only, the sine of a small angle with it.
        return self.opaque(op, tuple(args))

    def opaque(self, op: int, args: tuple[Any, ...]) -> Scalar:
        """The scalar op(args), to its users a new symbol: its values at the samples would prove nothing."""
        key = (op, *map(_identity, args))
        if key not in self._known:
            scalar = Scalar(self, op, args, self._random_samples(), all(_is_settled(x) for x in args))
            self._known[key] = scalar
            if self.fold:
                self._known.setdefault(_key(scalar.samples), scalar)
        return self._known[key]

    def _random_samples(self) -> Samples:
        return tuple(self.random.uniform(0.3, 1.7) * self.random.choice((-1.0, 1.0)) for _ in range(SAMPLES))


def _key(samples: Samples) -> tuple[int, int]:
    """Equal for samples of equal magnitude, but for the rare pair on both sides of a rounding boundary."""
    m0, e0 = math.frexp(abs(samples[0]))
    return round(m0 * 2.0**33), e0


def _identity(x: Any) -> Any:
    return id(x) if isinstance(x, Scalar) else x


def _is_settled(x: Any) -> bool:
    return not isinstance(x, Scalar) or x.settled


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


_SMOOTH: dict[int, Callable[[float], float]] = {ca.OP_SIN: math.sin, ca.OP_COS: math.cos}


def _numeric(op: int, args: Sequence[float]) -> ca.DM:
    return ca.DM.binary(op, *args) if len(args) == 2 else ca.DM.unary(op, *args)


# ---------------------------------------------------------------- to and from CasADi


def replay(function: ca.Function, inputs: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Run the instructions of a CasADi function on scalars: one list of nonzeros per output."""
    trace = next((x.trace for block in inputs for x in block if isinstance(x, Scalar)), Trace(fold=False))
    work: dict[int, Any] = {}
    outputs: list[list[Any]] = [[0.0] * function.nnz_out(i) for i in range(function.n_out())]
    for k in range(function.n_instructions()):
        op = function.instruction_id(k)
        out, arguments = function.instruction_output(k), function.instruction_input(k)
        if op == ca.OP_INPUT:
            work[out[0]] = inputs[arguments[0]][arguments[1]]
        elif op == ca.OP_OUTPUT:
            outputs[out[0]][out[1]] = work[arguments[0]]
        elif op == ca.OP_CONST:
            work[out[0]] = function.instruction_constant(k)
        else:
            work[out[0]] = trace.operation(op, [work[i] for i in arguments])
    return outputs


@dataclass(frozen=True)
class Composed:
    """A trace turned into CasADi functions.

    main : inputs..., settled values -> outputs
    settle : parameters -> settled values, to be evaluated once per set of parameters
    shapes : of the outputs; `main` gives those of more than two axes as rows of the last one
    order : all elements of the outputs in the order in which the trace made them
    """

    main: ca.Function
    settle: ca.Function
    shapes: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]


@dataclass
class _Builder:
    """Scalars to SX expressions, each once; settled ones become inputs unless `inline`."""

    leaves: dict[int, Any]
    inline: bool
    made: dict[int, Any] = field(default_factory=dict)
    frontier: dict[int, Scalar] = field(default_factory=dict)

    def expression(self, root: Any) -> Any:
        if not isinstance(root, Scalar):
            return ca.SX(root)
        made, stack = self.made, [root]
        while stack:
            node = stack[-1]
            key = id(node)
            if key in made:
                stack.pop()
                continue
            if node.settled and not self.inline:
                made[key] = self._settled(node)
                continue
            if node.op == ca.OP_PARAMETER:
                made[key] = self.leaves[key]
                continue
            missing = [x for x in node.args if isinstance(x, Scalar) and id(x) not in made]
            if missing:
                stack.extend(missing)
                continue
            made[key] = self._operation(node)
            stack.pop()
        return made[id(root)]

    def _settled(self, node: Scalar) -> Any:
        """An input of the kernel; the sign stays outside, so that x and -x share one."""
        if node.op == ca.OP_NEG:
            return ca.SX.unary(ca.OP_NEG, self.expression_of_settled(node.args[0]))
        return self.expression_of_settled(node)

    def expression_of_settled(self, node: Scalar) -> Any:
        key = id(node)
        if key not in self.frontier:
            self.frontier[key] = node
            self.leaves[key] = ca.SX.sym(f"d{len(self.frontier)}")
        return self.leaves[key]

    def _operation(self, node: Scalar) -> Any:
        args = [self.made[id(x)] if isinstance(x, Scalar) else ca.SX(x) for x in node.args]
        if len(args) == 1:
            return ca.SX.unary(node.op, args[0])
        if node.op == ca.OP_MUL and node.args[0] is node.args[1]:
            return ca.SX.unary(ca.OP_SQ, args[0])
        return ca.SX.binary(node.op, *args)


Block = tuple[str, Sequence[Any], tuple[int, ...]]
"""Name, scalars in row-major order, shape."""


def compose(name: str, inputs: Iterable[Block], parameters: Sequence[Any], outputs: Iterable[Block]) -> Composed:
    """Turn a trace into a function of its inputs and of the settled values, and the function that settles them."""
    inputs, outputs = list(inputs), list(outputs)
    leaves: dict[int, Any] = {}
    blocks = [_symbols(leaves, *block[:2]) for block in inputs]
    builder = _Builder(leaves, inline=False)
    results = [_shaped([builder.expression(x) for x in values], shape) for _, values, shape in outputs]
    frontier = list(builder.frontier.values())
    settled = ca.vertcat(*[leaves[id(x)] for x in frontier]) if frontier else ca.SX(0, 1)
    names = [n for n, _, _ in inputs]
    main = ca.Function(name, [*blocks, settled], results, [*names, "settled"], [n for n, _, _ in outputs])
    own: dict[int, Any] = {}
    given = _symbols(own, "parameters", parameters)
    setup = _Builder(own, inline=True)
    values = [setup.expression(x) for x in frontier]
    settle = ca.Function(f"{name}_settle", [given], [ca.vertcat(*values) if values else ca.SX(0, 1)])
    made = [x.index if isinstance(x, Scalar) else -1 for _, block, _ in outputs for x in block]
    order = sorted(range(len(made)), key=made.__getitem__)
    return Composed(main, settle, tuple(shape for _, _, shape in outputs), tuple(order))


def written_out(name: str, inputs: Iterable[Block], parameters: Sequence[Any], outputs: Iterable[Block]) -> ca.Function:
    """The same trace as one function of its inputs and parameters, nothing moved out: what is differentiated."""
    leaves: dict[int, Any] = {}
    blocks = [_symbols(leaves, *block[:2]) for block in inputs]
    given = _symbols(leaves, "parameters", parameters)
    builder = _Builder(leaves, inline=True)
    results = [_shaped([builder.expression(x) for x in values], shape) for _, values, shape in outputs]
    return ca.Function(name, [*blocks, given], results)


def _symbols(leaves: dict[int, Any], name: str, scalars: Sequence[Any]) -> Any:
    """Symbols for scalars; constants among them (folded parameters) leave their place unused."""
    parts = []
    for i, x in enumerate(scalars):
        sx = ca.SX.sym(f"{name}{i}")
        if isinstance(x, Scalar):
            leaves[id(x)] = sx
        parts.append(sx)
    return ca.vertcat(*parts) if parts else ca.SX(0, 1)


def _shaped(values: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Row-major values as a CasADi matrix (column-major)."""
    if len(shape) < 2:
        return ca.vertcat(*values) if values else ca.SX(0, 1)
    rows, columns = math.prod(shape[:-1]), shape[-1]
    ordered = [values[i * columns + j] for j in range(columns) for i in range(rows)]
    return ca.reshape(ca.vertcat(*ordered), rows, columns) if ordered else ca.SX(rows, columns)
