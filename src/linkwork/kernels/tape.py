"""What a kernel computes: a CasADi function as a list of scalar operations in single-assignment form.

Every value has a number: first the elements of the input blocks (dense, row-major), then the constants, then one value
per operation. Rewriting is exact in IEEE arithmetic up to the sign of a zero; NaN and infinity survive. No tier of
execution may reassociate afterwards, so whatever runs a tape gives the same bits.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from linkwork.algebra import ca
from linkwork.errors import LinkworkError
from linkwork.kernels.operations import OPERATIONS, Fused

NONE = -1
"""An operand that is not there."""

ADD, SUB, MUL, DIV, NEG = ca.OP_ADD, ca.OP_SUB, ca.OP_MUL, ca.OP_DIV, ca.OP_NEG

# f(-x) = -f(x) and f(-x) = f(x): the sign of the argument passes through or is lost.
ODD = frozenset(
    {ca.OP_SIN, ca.OP_TAN, ca.OP_ASIN, ca.OP_ATAN, ca.OP_SINH, ca.OP_TANH, ca.OP_ASINH, ca.OP_ATANH, ca.OP_SIGN}
)
EVEN = frozenset({ca.OP_COS, ca.OP_COSH, ca.OP_FABS})
COMMUTATIVE = frozenset(code for code, operation in OPERATIONS.items() if operation.commutative)
PASSES = frozenset({ca.OP_ASSIGN, ca.OP_LIFT, ca.OP_PRINTME})
"""Operations that hand on their first operand."""


class TapeError(LinkworkError, ValueError):
    """A CasADi function that cannot become a kernel."""


@dataclass(frozen=True)
class Block:
    """One input or output of a kernel: its name and its shape without the batch; () for a scalar, (n,) for a column."""

    name: str
    shape: tuple[int, ...]

    @cached_property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)


@dataclass(frozen=True, eq=False)
class Tape:
    """Operations in order. `operands[k]` are the values that operation k reads, `results` the values of all outputs."""

    name: str
    inputs: tuple[Block, ...]
    outputs: tuple[Block, ...]
    constants: NDArray[np.float64]
    codes: NDArray[np.int32]
    operands: NDArray[np.int32]
    results: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"Tape('{self.name}': {len(self):,} operations, {self.input_size} in, {self.output_size} out)"

    @cached_property
    def input_size(self) -> int:
        """Elements of all input blocks."""
        return sum(b.size for b in self.inputs)

    @cached_property
    def output_size(self) -> int:
        """Elements of all output blocks."""
        return sum(b.size for b in self.outputs)

    @cached_property
    def first_operation(self) -> int:
        """Number of the first value that is computed."""
        return self.input_size + len(self.constants)

    @cached_property
    def digest(self) -> str:
        """Names the computation: equal digests, equal results. Names of blocks do not matter."""
        used = {code: OPERATIONS[code].name for code in set(self.codes.tolist())}
        sizes = ([b.size for b in self.inputs], [b.size for b in self.outputs])
        h = hashlib.sha256(repr((sizes, sorted(used.items()), len(self), len(self.constants))).encode())
        for array, kind in (
            (self.constants, "<f8"),
            (self.codes, "<i4"),
            (self.operands, "<i4"),
            (self.results, "<i4"),
        ):
            h.update(np.ascontiguousarray(array, kind).tobytes())
        return h.hexdigest()

    def counts(self) -> dict[str, int]:
        """How often each operation occurs, most frequent first."""
        codes, numbers = np.unique(self.codes, return_counts=True)
        pairs = sorted(zip(numbers.tolist(), codes.tolist(), strict=True), reverse=True)
        return {OPERATIONS[code].name: n for n, code in pairs}


class Listed(Protocol):
    """Scalar operations in single-assignment form: what a traced law leaves behind.

    Values are numbered: the elements of the inputs, row by row, then the constants, then one value an operation.
    `operands` are those that every operation reads, two columns, NONE where there is none. `calls` are listings that
    are run in its course, and what they take; their results have the code CALL (`repeated`).
    """

    @property
    def name(self) -> str: ...
    @property
    def inputs(self) -> Sequence[tuple[str, tuple[int, ...]]]: ...
    @property
    def outputs(self) -> Sequence[tuple[str, tuple[int, ...]]]: ...
    @property
    def constants(self) -> Sequence[float]: ...
    @property
    def codes(self) -> NDArray[np.int32]: ...
    @property
    def operands(self) -> NDArray[np.int32]: ...
    @property
    def results(self) -> NDArray[np.int32]: ...
    @property
    def calls(self) -> Sequence[tuple[Any, NDArray[np.int32]]]: ...


def make_tape(
    function: ca.Function | Listed, fma: bool, name: str | None = None, order: Sequence[int] | None = None
) -> Tape:
    """The tape of a CasADi function or a listing, ready for a machine with or without fused multiply-add.

    order : results, counted over all outputs, in the order in which they are computed; else CasADi's
    """
    if getattr(function, "calls", ()):
        from linkwork.kernels.repeated import unrolled  # it makes tapes of the listings that are called

        return unrolled(function, fma, name)  # type: ignore[arg-type]
    tape = read_tape(function, name)
    tape = contract(tape) if fma else tape
    return tape if order is None else ordered(tape, order)


def ordered(tape: Tape, order: Sequence[int]) -> Tape:
    """The same operations, each just before the first result of `order` that needs it: values do not wait long."""
    base, rows = tape.first_operation, tape.operands.tolist()
    place: dict[int, int] = {}
    for result in order:
        stack = [int(tape.results[result]) - base]
        while stack:
            k = stack[-1]
            missing = [v - base for v in rows[k] if v >= base and v - base not in place] if k >= 0 else []
            if missing and k not in place:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            if k >= 0 and k not in place:
                place[k] = len(place)
    assert len(place) == len(tape), "an operation that no result needs"
    new = np.arange(base + len(tape), dtype=np.int32)
    new[[base + k for k in place]] = base + np.arange(len(place), dtype=np.int32)
    kept = list(place)
    operands = tape.operands[kept]
    return replace(
        tape,
        codes=tape.codes[kept],
        operands=np.where(operands >= 0, new[np.maximum(operands, 0)], operands).astype(np.int32),
        results=new[tape.results],
    )


# ------------------------------------------------------------------------------------------------------------- reading


def read_tape(given: ca.Function | Listed, name: str | None = None) -> Tape:
    """Read the operations of a listing or an SX function (an MX function is expanded), without what is not needed."""
    if hasattr(given, "operands"):
        listing: Any = given
        return _read_listing(listing, name)
    function = _scalar_function(given)
    inputs = tuple(_block(function.name_in(i), function.sparsity_in(i)) for i in range(function.n_in()))
    outputs = tuple(_block(function.name_out(i), function.sparsity_out(i)) for i in range(function.n_out()))
    places_in = _places([function.sparsity_in(i) for i in range(function.n_in())])
    places_out = _places([function.sparsity_out(i) for i in range(function.n_out())])

    algebra = _Algebra(sum(b.size for b in inputs))
    results = [algebra.constant(0.0)] * sum(b.size for b in outputs)
    registers = [0] * max(function.sz_w(), 1)
    count = function.n_instructions()
    read, write, get_code = function.instruction_input, function.instruction_output, function.instruction_id
    for k, code in enumerate(map(get_code, range(count))):
        if code == ca.OP_OUTPUT:
            block, element = write(k)
            results[places_out[block][element]] = registers[read(k)[0]]
            continue
        target = write(k)[0]
        if code == ca.OP_INPUT:
            block, element = read(k)
            registers[target] = places_in[block][element]
        elif code == ca.OP_CONST:
            registers[target] = algebra.constant(function.instruction_constant(k))
        elif code in PASSES:
            registers[target] = registers[read(k)[0]]
        elif code not in OPERATIONS:
            raise TapeError(
                f"function '{function.name()}': instruction {k} is no scalar operation; inline what it calls"
            )
        else:
            registers[target] = algebra.apply(code, [registers[i] for i in read(k)])
    return algebra.tape(name or function.name(), inputs, outputs, results)


def _read_listing(listing: Listed, name: str | None) -> Tape:
    """The tape of a listing.

    x (1/y) is a quotient where nothing else needs 1/y; a x + b x is (a + b) x where nothing else needs the products.
    """
    inputs, outputs = (tuple(Block(*b) for b in blocks) for blocks in (listing.inputs, listing.outputs))
    unknown = set(listing.codes.tolist()) - OPERATIONS.keys()
    if unknown:
        raise TapeError(f"'{listing.name}': CasADi's operation {min(unknown)} is not one of scalars")
    algebra = _Algebra(sum(b.size for b in inputs))
    values = [*range(algebra.inputs), *map(algebra.constant, listing.constants)]
    first, rows = len(values), listing.operands.tolist()
    divisors, products = _divisors_and_products(listing, first)
    for k, (code, (a, b)) in enumerate(zip(listing.codes.tolist(), rows)):  # noqa: B905 - once an operation
        if k + first in divisors:
            values.append(NONE)  # only read by its product
        elif code == MUL and (a in divisors or b in divisors):
            x, y = (b, a) if a in divisors else (a, b)
            values.append(algebra.divide(values[x], values[rows[y - first][0]]))
        elif a in products and b in products and code in (ADD, SUB):
            shared = set(rows[a - first]) & set(rows[b - first])
            if shared:
                x = shared.pop()
                others = [p if q == x else q for p, q in (rows[a - first], rows[b - first])]
                total = algebra.apply(code, [values[v] for v in others])
                values.append(algebra.multiply(total, values[x]))
            else:
                values.append(algebra.apply(code, [values[a], values[b]]))
        else:
            values.append(algebra.apply(code, [values[a], values[b]] if b != NONE else [values[a]]))
    return algebra.tape(name or listing.name, inputs, outputs, [values[v] for v in listing.results.tolist()])


def written_tape(listing: Listed, results: NDArray[np.int32], fma: bool) -> Tape:
    """The tape of a listing in which nothing folds, for some of its values: operations as they stand, millions at once.

    A product just before the difference that reads it is written into that, where the machine has fused multiply-add.
    """
    inputs, constants = tuple(Block(*b) for b in listing.inputs), np.array(listing.constants, np.float64)
    first, n = sum(b.size for b in inputs) + len(constants), len(listing.codes)
    codes = np.array(listing.codes, np.int32)
    operands = np.full((n, 3), NONE, np.int32)
    operands[:, :2] = listing.operands
    kept = np.ones(n, bool)
    if fma and n:
        pair = (codes[:-1] == MUL) & (codes[1:] == SUB) & (operands[1:, 1] == first + np.arange(n - 1))
        product = np.flatnonzero(pair)
        codes[product + 1] = Fused.FNMA
        operands[product + 1, 2] = operands[product + 1, 0]
        operands[product + 1, :2] = operands[product, :2]
        kept[product] = False
    new = np.r_[np.arange(first), first + np.cumsum(kept) - 1, NONE].astype(np.int32)  # the last one is for NONE
    outputs = (Block("y", (len(results),)),)
    return Tape(listing.name, inputs, outputs, constants, codes[kept], new[operands[kept]], new[results])


def _divisors_and_products(listing: Listed, first: int) -> tuple[set[int], set[int]]:
    """Values 1/y that a product with something else uses, and products, each with no other user."""
    operands, size = listing.operands, first + len(listing.codes)
    single = np.bincount(operands[operands >= 0], minlength=size)
    single = single + np.bincount(listing.results, minlength=size) == 1
    codes = np.full(size, NONE)
    codes[first:] = listing.codes
    factors = operands[listing.codes == MUL]
    inverses = single & (codes == ca.OP_INV)
    both = inverses[factors].all(axis=1)  # of (1/x) (1/y) the second
    divisors = np.zeros(size, bool)
    divisors[factors[~both, 0]] = True
    divisors[factors[:, 1]] = True
    divisors &= inverses
    products = single & (codes == MUL)
    products[codes == MUL] &= ~divisors[factors].any(axis=1)
    return set(np.flatnonzero(divisors).tolist()), set(np.flatnonzero(products).tolist())


def _scalar_function(function: Any) -> ca.Function:
    if not isinstance(function, ca.Function):
        raise TapeError(f"a kernel is made from a casadi.Function, not from {type(function).__name__}")
    free = function.get_free() if function.has_free() else []
    if free:
        raise TapeError(f"function '{function.name()}' has free variables {free}; make them inputs")
    if function.is_a("SXFunction"):
        return function
    try:
        return function.expand()
    except RuntimeError as error:
        raise TapeError(
            f"function '{function.name()}' ({function.class_name()}) cannot be written in scalar operations; "
            "build it from casadi.SX expressions"
        ) from error


def _block(name: str, sparsity: ca.Sparsity) -> Block:
    rows, columns = sparsity.shape
    if columns != 1:
        return Block(name, (rows, columns))
    return Block(name, () if rows == 1 else (rows,))


def _places(sparsities: list[ca.Sparsity]) -> list[list[int]]:
    """For each block, where each of its nonzeros stands among the dense row-major elements of all blocks."""
    places, start = [], 0
    for s in sparsities:
        rows, columns = np.array(s.row(), np.int64), np.array(s.get_col(), np.int64)
        places.append((start + rows * s.size2() + columns).tolist())
        start += s.numel()
    return places


class _Algebra:
    """Numbers values, each expression once.

    A negative value is written `~value`: signs are carried along and land in the next addition, product or output, so
    that hardly any negation is left as an operation.
    """

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.codes: list[int] = [NONE] * inputs
        self.operands: list[tuple[int, ...]] = [()] * inputs
        self.values: dict[int, float] = {}  # of constants
        self.known: dict[tuple[int, ...] | float | bytes, int] = {}

    def constant(self, x: float) -> int:
        """The value of a number; negative ones are the negative of a positive one."""
        if x < 0:
            return ~self.constant(-x)
        key: float | bytes = x if x == x else struct.pack("<d", x)
        if key not in self.known:
            self.known[key] = len(self.codes)
            self.values[len(self.codes)] = x + 0.0  # no negative zero
            self.codes.append(NONE)
            self.operands.append(())
        return self.known[key]

    def apply(self, code: int, x: list[int]) -> int:
        """The value of an operation."""
        if code == ADD:
            return self.add(x[0], x[1])
        if code == SUB:
            return self.add(x[0], ~x[1])
        if code == MUL:
            return self.multiply(x[0], x[1])
        if code == NEG:
            return ~x[0]
        if code == ca.OP_SQ:
            return self.multiply(x[0], x[0])
        if code == ca.OP_TWICE:
            return self.multiply(self.constant(2.0), x[0])
        if code == DIV:
            return self.divide(x[0], x[1])
        if code == ca.OP_INV:
            return self.divide(self.constant(1.0), x[0])
        if code in (ca.OP_POW, ca.OP_CONSTPOW):
            return self.power(x[0], x[1])
        if code in ODD and x[0] < 0:
            return ~self.node(code, (~x[0],))
        if code in EVEN and x[0] < 0:
            return self.node(code, (~x[0],))
        return self.node(code, tuple(v if v >= 0 else self.positive(v) for v in x))

    def add(self, a: int, b: int) -> int:
        """a + b with the signs of a and b."""
        x, y = self.number(a), self.number(b)
        if x is not None and y is not None:
            return self.constant(x + y)
        if x == 0.0:
            return b
        if y == 0.0:
            return a
        if a == b:
            return self.multiply(self.constant(2.0), a)
        if a < 0 and b < 0:
            return ~self.node(ADD, (~a, ~b))
        if a < 0:
            a, b = b, a
        if b >= 0:
            return self.node(ADD, (a, b))
        b = ~b
        if (SUB, b, a) in self.known:
            return ~self.known[SUB, b, a]
        return self.node(SUB, (a, b))

    def multiply(self, a: int, b: int) -> int:
        """a * b with the signs of a and b."""
        x, y = self.number(a), self.number(b)
        if x is not None and y is not None:
            return self.constant(x * y)
        if x == 1.0 or x == -1.0:
            return b if x > 0 else ~b
        if y == 1.0 or y == -1.0:
            return a if y > 0 else ~a
        product = self.node(MUL, (a if a >= 0 else ~a, b if b >= 0 else ~b))
        return product if (a < 0) == (b < 0) else ~product

    def divide(self, a: int, b: int) -> int:
        """a / b; by a power of two it is an exact product."""
        x, y = self.number(a), self.number(b)
        if y is not None and y != 0.0:
            if x is not None:
                return self.constant(x / y)
            if math.isfinite(y) and abs(math.frexp(y)[0]) == 0.5 and 1e-300 < abs(y) < 1e300:
                return self.multiply(a, self.constant(1.0 / y))
        quotient = self.node(DIV, (a if a >= 0 else ~a, b if b >= 0 else ~b))
        return quotient if (a < 0) == (b < 0) else ~quotient

    def power(self, a: int, b: int) -> int:
        """a to the power b; small whole exponents are products (two roundings at most)."""
        n = self.number(b)
        if n in (3.0, 4.0, -3.0, -4.0, -2.0):
            square = self.multiply(a, a)
            result = square if abs(n) == 2 else self.multiply(square, a if abs(n) == 3 else square)
            return result if n > 0 else self.divide(self.constant(1.0), result)
        return self.node(ca.OP_POW, (self.positive(a), self.positive(b)))

    def node(self, code: int, operands: tuple[int, ...]) -> int:
        """The operation on values without sign, found among the known ones or added."""
        if code in COMMUTATIVE and operands[0] > operands[1]:
            operands = (operands[1], operands[0])
        key = (code, *operands)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = len(self.codes)
            self.codes.append(code)
            self.operands.append(operands)
        return found

    def positive(self, value: int) -> int:
        """The value as one that can be read; a sign becomes a negation. Constants keep their sign in the number."""
        if value >= 0:
            return value
        if ~value in self.values:
            key = struct.pack("<d", -self.values[~value])
            if key not in self.known:
                self.known[key] = len(self.codes)
                self.values[len(self.codes)] = -self.values[~value]
                self.codes.append(NONE)
                self.operands.append(())
            return self.known[key]
        return self.node(NEG, (~value,))

    def number(self, value: int) -> float | None:
        """The constant that a value is, if it is one."""
        if value >= 0:
            return self.values.get(value)
        x = self.values.get(~value)
        return None if x is None else -x

    def tape(self, name: str, inputs: tuple[Block, ...], outputs: tuple[Block, ...], signed: list[int]) -> Tape:
        """What the results need, renumbered: inputs, constants, operations."""
        results = [self.positive(v) for v in signed]
        live = _reachable(self.operands, results)
        constants = [v for v in sorted(self.values) if live[v]]
        operations = [v for v in range(self.inputs, len(self.codes)) if live[v] and v not in self.values]
        new = [NONE] * (len(self.codes) + 1)  # new[NONE] is NONE
        for place, v in enumerate((*range(self.inputs), *constants, *operations)):
            new[v] = place
        operands = [[new[x] for x in (*self.operands[v], NONE, NONE, NONE)[:3]] for v in operations]
        return Tape(
            name,
            inputs,
            outputs,
            np.array([self.values[v] for v in constants], np.float64),
            np.array([self.codes[v] for v in operations], np.int32),
            np.array(operands, np.int32).reshape(-1, 3),
            np.array([new[v] for v in results], np.int32),
        )


def _reachable(operands: list[tuple[int, ...]], results: list[int]) -> list[bool]:
    live = [False] * len(operands)
    for v in results:
        live[v] = True
    for v in range(len(operands) - 1, -1, -1):
        if live[v]:
            for x in operands[v]:
                live[x] = True
    return live


# ----------------------------------------------------------------------------------------------------------- rewriting


def contract(tape: Tape) -> Tape:
    """Sums of products become fused multiply-adds (one rounding less), where that saves the product.

    A product is merged if every use of it is a sum or difference that takes no other product; so it disappears. The
    order stays CasADi's: other orders (depth first from the results) change the time by 5 % up or down.
    """
    base = tape.first_operation
    codes, operands = tape.codes.tolist(), [tuple(row) for row in tape.operands.tolist()]
    depth = _depths(base, codes, operands)
    users: list[list[int]] = [[] for _ in codes]
    for k, row in enumerate(operands):
        for x in row:
            if x >= base:
                users[x - base].append(k)
    wanted = {int(v) - base for v in tape.results if v >= base}

    # Products with few users first: each merged one is gained at no cost. Of two factors of a sum the later one is
    # merged: the earlier product is then ready in time.
    products = [k for k, code in enumerate(codes) if code == MUL and k not in wanted]
    products.sort(key=lambda k: (len(users[k]), -depth[k]))
    merged: set[int] = set()
    for k in products:
        if not all(codes[u] in (ADD, SUB) and operands[u][0] != operands[u][1] for u in users[k]):
            continue
        product = base + k
        a, b, _ = operands[k]
        for u in users[k]:
            x, y, _ = operands[u]
            if x == product:
                codes[u], operands[u] = (Fused.FMA if codes[u] == ADD else Fused.FMS), (a, b, y)
            else:
                codes[u], operands[u] = (Fused.FMA if codes[u] == ADD else Fused.FNMA), (a, b, x)
        merged.add(k)
        # The factors are now read by the sums.
        for x in (a, b):
            if x >= base:
                users[x - base] = [u for u in users[x - base] if u != k] + users[k]
    kept = [k for k in range(len(codes)) if k not in merged]
    return _renumbered(tape, kept, codes, operands)


def _depths(base: int, codes: list[int], operands: list[tuple[int, ...]]) -> list[int]:
    """Length of the longest chain of operations below each one."""
    depth = [0] * len(codes)
    for k, row in enumerate(operands):
        deepest = 0
        for x in row:
            if x >= base and depth[x - base] >= deepest:
                deepest = depth[x - base] + 1
        depth[k] = deepest
    return depth


def _renumbered(tape: Tape, order: list[int], codes: list[int], operands: list[tuple[int, ...]]) -> Tape:
    """The tape with the operations of `order`, in that order."""
    base = tape.first_operation
    new = np.full(base + len(codes) + 1, NONE, np.int32)
    new[:base] = np.arange(base)
    new[base + np.array(order, np.int64)] = base + np.arange(len(order))
    rows = np.array(operands, np.int32).reshape(-1, 3)[order]
    return replace(tape, codes=np.array(codes, np.int32)[order], operands=new[rows], results=new[tape.results])
