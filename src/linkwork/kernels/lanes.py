"""Text of LLVM instructions for one straight-line block, over one number or over W numbers side by side.

Every method appends at most a few instructions and returns the text of its value: an SSA name or a constant. No
instruction carries a fast-math flag, so that each is one IEEE operation with one rounding and the result of a block has
the same bits at every width. (Bits of a NaN are not part of that promise.)

Reference: LLVM Language Reference Manual (instructions, `splat` constants, intrinsics). Needs LLVM 19 or newer.
"""

from __future__ import annotations

import itertools
import struct
from typing import Literal

Predicate = Literal["oeq", "one", "olt", "ole", "ogt", "oge", "ord", "ueq", "une", "ult", "ule", "ugt", "uge", "uno"]
IntegerPredicate = Literal["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]


class Lanes:
    """Emitter of instructions over `double` (width 1) or `<width x double>`.

    width: numbers side by side. fma: whether the machine fuses a*b + c into one rounding; kept as `fused`. prefix:
    start of all names, to be changed where two emitters share a function. The block stands in `lines`, the functions
    that it calls in `declarations`.
    """

    def __init__(self, width: int, fma: bool, prefix: str = "t") -> None:
        if width < 1:
            raise ValueError(f"width must be at least 1, not {width}")
        self.width = width
        self.fused = fma
        self.prefix = prefix
        self.type = self._wide("double")
        self.integers = self._wide("i64")
        self.mask = self._wide("i1")
        self.suffix = "f64" if width == 1 else f"v{width}f64"
        self.lines: list[str] = []
        self.declarations: set[str] = set()
        self._names = itertools.count(1)
        self._constants: dict[bytes, str] = {}

    def __repr__(self) -> str:
        return f"Lanes({self.type}, fma={self.fused})\n{len(self.lines)} lines, {len(self.declarations)} declarations"

    def _wide(self, scalar: str) -> str:
        return scalar if self.width == 1 else f"<{self.width} x {scalar}>"

    def _splat(self, scalar: str, text: str) -> str:
        return text if self.width == 1 else f"splat ({scalar} {text})"

    # names and lines

    def name(self) -> str:
        """A name not used before in this block."""
        return f"%{self.prefix}{next(self._names)}"

    def emit(self, instruction: str) -> str:
        """Append `name = instruction` and return the name."""
        name = f"%{self.prefix}{next(self._names)}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def pair(self) -> Lanes:
        """An emitter of width 2 that writes into the same block."""
        other = Lanes(2, self.fused, self.prefix)
        other.lines, other.declarations, other._names = self.lines, self.declarations, self._names
        return other

    def broadcast(self, scalar: str) -> str:
        """The one `double` in every lane."""
        if self.width == 1:
            return scalar
        first = self.emit(f"insertelement {self.type} poison, double {scalar}, i64 0")
        zeros = f"<{self.width} x i32> zeroinitializer"
        return self.emit(f"shufflevector {self.type} {first}, {self.type} poison, {zeros}")

    def lane(self, value: str, index: int = 0) -> str:
        """One lane of a value, as `double`."""
        return value if self.width == 1 else self.emit(f"extractelement {self.type} {value}, i64 {index}")

    # constants

    def constant(self, x: float) -> str:
        """The number x in every lane, to the last bit."""
        key = struct.pack(">d", x)
        text = self._constants.get(key)
        if text is None:
            text = self._constants[key] = self._splat("double", "0x" + key.hex().upper())
        return text

    def integer(self, n: int) -> str:
        """The 64-bit integer n in every lane."""
        return self._splat("i64", str(n))

    # arithmetic

    def add(self, a: str, b: str) -> str:
        """a + b"""
        return self.emit(f"fadd {self.type} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        """a - b"""
        return self.emit(f"fsub {self.type} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        """a * b"""
        return self.emit(f"fmul {self.type} {a}, {b}")

    def div(self, a: str, b: str) -> str:
        """a / b"""
        return self.emit(f"fdiv {self.type} {a}, {b}")

    def neg(self, a: str) -> str:
        """-a, the sign bit flipped"""
        return self.emit(f"fneg {self.type} {a}")

    def fma(self, a: str, b: str, c: str) -> str:
        """a*b + c: one rounding where the machine fuses (`self.fused`), else two"""
        if self.fused:
            return self._intrinsic("fma", a, b, c)
        return self.add(self.mul(a, b), c)

    def _intrinsic(self, name: str, *operands: str) -> str:
        function = f"@llvm.{name}.{self.suffix}"
        self.declarations.add(f"declare {self.type} {function}({', '.join([self.type] * len(operands))})")
        return self.emit(f"call {self.type} {function}({', '.join(f'{self.type} {a}' for a in operands)})")

    def abs(self, a: str) -> str:
        """|a|, the sign bit cleared"""
        return self._intrinsic("fabs", a)

    def copysign(self, a: str, b: str) -> str:
        """|a| with the sign bit of b"""
        return self._intrinsic("copysign", a, b)

    def sqrt(self, a: str) -> str:
        """square root, correctly rounded"""
        return self._intrinsic("sqrt", a)

    def floor(self, a: str) -> str:
        """largest integer not above a"""
        return self._intrinsic("floor", a)

    def ceil(self, a: str) -> str:
        """smallest integer not below a"""
        return self._intrinsic("ceil", a)

    def rint(self, a: str) -> str:
        """nearest integer, ties to even"""
        return self._intrinsic("rint", a)

    def trunc(self, a: str) -> str:
        """integer part of a, towards zero"""
        return self._intrinsic("trunc", a)

    # decisions

    def compare(self, predicate: Predicate, a: str, b: str) -> str:
        """Mask of a floating-point comparison; `o..` is false and `u..` is true where a or b is NaN."""
        return self.emit(f"fcmp {predicate} {self.type} {a}, {b}")

    def compare_integers(self, predicate: IntegerPredicate, a: str, b: str) -> str:
        """Mask of a comparison of 64-bit integers."""
        return self.emit(f"icmp {predicate} {self.integers} {a}, {b}")

    def select(self, mask: str, a: str, b: str) -> str:
        """a where the mask is set, else b; both are evaluated"""
        return self.emit(f"select {self.mask} {mask}, {self.type} {a}, {self.type} {b}")

    def negative(self, a: str) -> str:
        """Mask: the sign bit of a is set (also that of -0)."""
        return self.compare_integers("slt", self.bits(a), self.integer(0))

    def both(self, a: str, b: str) -> str:
        """mask: a and b"""
        return self.emit(f"and {self.mask} {a}, {b}")

    def either(self, a: str, b: str) -> str:
        """mask: a or b"""
        return self.emit(f"or {self.mask} {a}, {b}")

    def number(self, mask: str) -> str:
        """1.0 where the mask is set, else 0.0"""
        return self.select(mask, self.constant(1.0), self.constant(0.0))

    # bits

    def bits(self, a: str) -> str:
        """The 64 bits of a number as an integer."""
        return self.emit(f"bitcast {self.type} {a} to {self.integers}")

    def from_bits(self, n: str) -> str:
        """The number that has these 64 bits."""
        return self.emit(f"bitcast {self.integers} {n} to {self.type}")

    def integer_add(self, a: str, b: str) -> str:
        """a + b modulo 2^64"""
        return self.emit(f"add {self.integers} {a}, {b}")

    def integer_sub(self, a: str, b: str) -> str:
        """a - b modulo 2^64"""
        return self.emit(f"sub {self.integers} {a}, {b}")

    def bit_and(self, a: str, b: str) -> str:
        """bits set in a and in b"""
        return self.emit(f"and {self.integers} {a}, {b}")

    def bit_or(self, a: str, b: str) -> str:
        """bits set in a or in b"""
        return self.emit(f"or {self.integers} {a}, {b}")

    def bit_xor(self, a: str, b: str) -> str:
        """bits set in one of a and b"""
        return self.emit(f"xor {self.integers} {a}, {b}")

    def shift_left(self, a: str, places: int) -> str:
        """a << places"""
        return self.emit(f"shl {self.integers} {a}, {self.integer(places)}")

    def shift_right(self, a: str, places: int) -> str:
        """a >> places, zeros shifted in"""
        return self.emit(f"lshr {self.integers} {a}, {self.integer(places)}")

    # the C library

    def libm(self, name: str, *operands: str) -> str:
        """The C library's function `name`, called lane by lane.

        `nobuiltin` keeps LLVM from putting an approximation or another function (sin and cos into sincos) in its place.
        """
        self.declarations.add(f"declare double @{name}({', '.join(['double'] * len(operands))}) nounwind")
        if self.width == 1:
            return self.emit(f"call double @{name}({', '.join(f'double {a}' for a in operands)}) nobuiltin nounwind")
        result = "poison"
        for lane in range(self.width):
            scalars = [self.lane(a, lane) for a in operands]
            value = self.emit(f"call double @{name}({', '.join(f'double {a}' for a in scalars)}) nobuiltin nounwind")
            result = self.emit(f"insertelement {self.type} {result}, double {value}, i64 {lane}")
        return result

    # memory

    def address(self, base: str, row: int) -> str:
        """Address of row `row` of a tile: rows of `width` numbers, one after the other."""
        return self.emit(f"getelementptr inbounds double, ptr {base}, i64 {row * self.width}") if row else base

    def load(self, base: str, row: int = 0) -> str:
        """Row `row` of the tile at `base`."""
        return self.emit(f"load {self.type}, ptr {self.address(base, row)}, align 8")

    def store(self, value: str, base: str, row: int = 0) -> None:
        """Write row `row` of the tile at `base`."""
        self.lines.append(f"  store {self.type} {value}, ptr {self.address(base, row)}, align 8")

    def load_shared(self, base: str, index: int = 0) -> str:
        """Number `index` of the plain array at `base`, the same in every lane."""
        pointer = self.emit(f"getelementptr inbounds double, ptr {base}, i64 {index}") if index else base
        return self.broadcast(self.emit(f"load double, ptr {pointer}, align 8"))
