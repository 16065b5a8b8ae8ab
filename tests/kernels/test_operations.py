"""Every operation of a CasADi tape against CasADi's virtual machine; powers, fused operations, the C library."""

from __future__ import annotations

import itertools
import math
import platform
import sys

import casadi as ca
import numpy as np
import pytest
from jit import compiled, instructions, same_bits, ulps

from linkwork.kernels.functions import sincos
from linkwork.kernels.lanes import Lanes
from linkwork.kernels.operations import LIBRARY, OPERATIONS, Fused, bind_library, power

CASADI = {op: operation for op, operation in OPERATIONS.items() if op >= 0}

# Names of casadi's enumeration that are no scalar arithmetic, and why
NOT_ARITHMETIC = {
    "places in a tape, handled by the reader of the tape": "CONST INPUT OUTPUT PARAMETER",
    "calls of other functions": "CALL MAP",
    "searches in vectors, MX only": "FIND LOW",
    "matrix operations, MX only": "MTIMES SOLVE TRANSPOSE DETERMINANT INVERSE DOT BILIN RANK1 EINSTEIN KRON "
    "KRON_CONTRACT",
    "joining, splitting and reshaping, MX only": "HORZCAT VERTCAT DIAGCAT HORZSPLIT VERTSPLIT DIAGSPLIT RESHAPE "
    "SUBREF SUBASSIGN PROJECT SPARSITY_CAST HORZREPMAT HORZREPSUM",
    "nonzeros of matrices, MX only": "GETNONZEROS GETNONZEROS_PARAM ADDNONZEROS ADDNONZEROS_PARAM SETNONZEROS "
    "SETNONZEROS_PARAM",
    "checks and messages, MX only": "ASSERTION MONITOR DUMP",
    "reductions of matrices, MX only": "NORM2 NORM1 NORMINF NORMF MMIN MMAX LOGSUMEXP",
    "functions of whole matrices, MX only": "BSPLINE CONVEXIFY",
}

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.7, 2.0, -3.0, 1e-310, -1e-310, 1e300, -1e300, math.inf, -math.inf, math.nan]
ANGLES = {"sin", "cos", "tan"}
# operations that round once, or not at all, everywhere; the others are allowed 4 ulp
EXACT = {"add", "sub", "mul", "div", "inv", "neg", "sq", "twice", "sqrt", "fmod", "remainder", "floor", "ceil", "fabs"}
# near its ends erfinv enlarges the last bit of log, exp and erf: comparable where CasADi uses the same C library
SAME_LIBRARY = sys.platform == "linux" and platform.machine() == "x86_64"


def operands(arity: int) -> list[np.ndarray]:
    """Random numbers of several sizes, then all pairs of special ones."""
    rng = np.random.default_rng(11)
    n = 3000
    columns = [
        np.concatenate(
            [rng.uniform(-1, 1, n), rng.normal(size=n) * 10, rng.choice([-1, 1], n) * 2 ** rng.uniform(-60, 40, n)]
        )
        for _ in range(arity)
    ]
    if arity == 2:
        columns[1][::7] = columns[0][::7]  # equal operands, for comparisons
    special = np.array(list(itertools.product(SPECIAL, repeat=arity))).T
    return [np.concatenate(pair) for pair in zip(columns, special, strict=True)]


def virtual_machine(op: int, arity: int, arrays: list[np.ndarray]) -> np.ndarray:
    x = [ca.SX.sym(f"x{i}") for i in range(arity)]
    expression = ca.SX.unary(op, *x) if arity == 1 else ca.SX.binary(op, *x)
    f = ca.Function("f", x, [expression])
    return np.asarray(f.map(arrays[0].size)(*(a[None] for a in arrays))).ravel()


def test_every_name_of_casadi_is_known():
    names = {name.removeprefix("OP_") for name in dir(ca) if name.startswith("OP_")}
    explained = {name for group in NOT_ARITHMETIC.values() for name in group.split()}
    here = {name for name in names if getattr(ca, f"OP_{name}") in OPERATIONS}
    assert not here & explained
    assert names - here - explained == set()
    # and what is explained away can indeed not be built as arithmetic of SX
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    for name in explained & names:
        assert ca.SX.binary(getattr(ca, f"OP_{name}"), x, y).is_constant(), name


@pytest.mark.parametrize("op", CASADI, ids=lambda op: OPERATIONS[op].name)
def test_arity_and_commutativity_are_casadis(op):
    operation = OPERATIONS[op]
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    expression = ca.SX.binary(op, x, y)
    if operation.name == "lift":  # taken for its first operand when built
        return
    assert len(ca.symvar(expression)) == operation.arity
    assert not operation.commutative or operation.arity == 2
    values = virtual_machine(op, 2, [np.array([0.3, -2.0]), np.array([-2.0, 0.3])])
    if operation.commutative:
        assert values[0] == values[1]


@pytest.mark.parametrize("fma", [True, False])
@pytest.mark.parametrize("op", [op for op in CASADI if op != ca.OP_PRINTME], ids=lambda op: OPERATIONS[op].name)
def test_against_the_virtual_machine(op, fma):
    operation = OPERATIONS[op]
    if operation.name == "erfinv" and not SAME_LIBRARY:
        pytest.skip("another C library than CasADi's")
    arrays = operands(operation.arity)
    if operation.name in ANGLES and fma:
        arrays = [np.where(np.abs(arrays[0]) >= 2.0**50, math.nan, arrays[0])]  # NaN there on purpose
    expected = virtual_machine(op, operation.arity, arrays)
    results = [compiled(operation.emit, operation.arity, width, fma)(*arrays)[0] for width in (1, 4, 8)]
    distance = ulps(results[0], expected)
    worst = int(np.argmax(distance))
    text = f"{operation.name}{tuple(a[worst] for a in arrays)} = {results[0][worst]!r}, casadi {expected[worst]!r}"
    assert distance[worst] <= (0.0 if operation.name in EXACT else 4.0), text
    zero = expected == 0.0
    assert np.array_equal(np.signbit(results[0][zero]), np.signbit(expected[zero])), operation.name
    assert same_bits(results[0], results[1])
    assert same_bits(results[0], results[2])


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="reads x86 instructions")
@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("op", sorted(set(OPERATIONS) - {ca.OP_ERFINV}), ids=lambda op: OPERATIONS[op].name)
def test_no_operation_jumps(op, width):
    operation = OPERATIONS[op]
    jumps = [s for s in instructions(operation.emit, operation.arity, width) if s.startswith("j")]
    assert len(jumps) == 1, jumps  # that of the loop around it


def test_printing_is_left_out(capfd):
    x, y = np.array([1.0, math.nan, -0.0]), np.zeros(3)
    assert same_bits(compiled(OPERATIONS[ca.OP_PRINTME].emit, 2)(x, y)[0], x)
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("op", "arguments", "expected"),
    [
        (ca.OP_NOT, (math.nan,), 0.0),
        (ca.OP_AND, (math.nan, 2.0), 1.0),
        (ca.OP_OR, (0.0, -3.0), 1.0),
        (ca.OP_IF_ELSE_ZERO, (0.0, math.inf), 0.0),
        (ca.OP_IF_ELSE_ZERO, (math.nan, 5.0), 5.0),
        (ca.OP_FMIN, (math.nan, 1.0), 1.0),
        (ca.OP_FMAX, (1.0, math.nan), 1.0),
        (ca.OP_FMIN, (0.0, -0.0), 0.0),
        (ca.OP_FMAX, (-0.0, 0.0), -0.0),
        (ca.OP_SIGN, (-0.0,), -0.0),
        (ca.OP_REMAINDER, (5.0, 3.0), -1.0),
        (ca.OP_FMOD, (5.0, 3.0), 2.0),
        (ca.OP_POW, (1.0, math.nan), 1.0),
        (ca.OP_MUL, (0.0, math.inf), math.nan),
        (ca.OP_ERFINV, (1.0,), math.inf),
        (ca.OP_ERFINV, (-1.5,), math.nan),
    ],
)
def test_meanings_worth_knowing(op, arguments, expected):
    operation = OPERATIONS[op]
    columns = [np.array([a]) for a in arguments]
    found = compiled(operation.emit, operation.arity)(*columns)[0]
    assert same_bits(found, np.array([expected]))
    assert same_bits(found, virtual_machine(op, operation.arity, columns))


@pytest.mark.parametrize(
    "exponent", [0.0, 1.0, 2.0, 3.0, 4.0, -1.0, -2.0, 0.5, 1.5, -0.5, 5.0, -3.0, 0.3, -7.25, math.nan]
)
def test_power_with_a_known_exponent(exponent):
    (x,) = operands(1)
    x = np.concatenate([x, 2.0 ** np.linspace(-1074, 1023, 3001), -(2.0 ** np.linspace(-1074, 1023, 3001))])
    expected = compiled(OPERATIONS[ca.OP_POW].emit, 2)(x, np.full_like(x, exponent))[0]
    found = compiled(lambda lanes, a: power(lanes, a, exponent), 1, 4)(x)[0]
    distance = ulps(found, expected)
    worst = int(np.argmax(distance))
    assert distance[worst] <= 2.0, (x[worst], found[worst], expected[worst])
    assert np.array_equal(np.signbit(found[expected == 0]), np.signbit(expected[expected == 0]))


def test_fused_operations_round_once():
    # (1 + e)(1 - e) - 1 = -e^2: lost by two roundings
    e = 2.0**-30
    a, b, c = np.array([[1 + e], [1 - e], [1.0]])
    expected = {Fused.FMA: (a[0] * b[0] + 1.0, 2.0 - e**2), Fused.FMS: (0.0, -(e**2)), Fused.FNMA: (0.0, e**2)}
    for op, (twice, once) in expected.items():
        assert compiled(OPERATIONS[op].emit, 3, 4, fma=False)(a, b, c)[0, 0] == twice
        assert compiled(OPERATIONS[op].emit, 3, 4, fma=True)(a, b, c)[0, 0] == float(once)


@pytest.mark.parametrize("fma", [True, False])
@pytest.mark.parametrize("op", Fused)
def test_fused_operations_at_every_width(op, fma):
    x = np.random.default_rng(12).normal(size=(3, 1001))
    a, b, c = x
    value = {Fused.FMA: a * b + c, Fused.FMS: a * b - c, Fused.FNMA: c - a * b}[op]
    one, four, eight = (compiled(OPERATIONS[op].emit, 3, width, fma)(*x) for width in (1, 4, 8))
    assert np.allclose(one[0], value, rtol=0, atol=1e-14)
    assert fma or same_bits(one[0], value)
    assert same_bits(one, four)
    assert same_bits(one, eight)


def test_no_instruction_is_fused_or_rearranged_behind_our_back():
    x = np.random.default_rng(13).normal(size=(4, 4001))
    a, b, c, d = x
    sums = compiled(lambda lanes, a, b, c, d: lanes.add(lanes.add(lanes.mul(a, b), lanes.mul(c, d)), a), 4, 4)(*x)[0]
    assert same_bits(sums, (a * b + c * d) + a)


def test_the_library_is_bound_whole_and_holds_all_calls():
    assert bind_library() == LIBRARY
    for fma, operation in itertools.product((True, False), OPERATIONS.values()):
        lanes = Lanes(1, fma)
        operation.emit(lanes, *(f"%x{i}" for i in range(operation.arity)))
        called = {text.split("@")[1].split("(")[0] for text in lanes.declarations}
        assert {name for name in called if not name.startswith("llvm.")} <= LIBRARY


def test_rounding_bits_and_shared_loads():
    def emit(lanes: Lanes, x: str) -> tuple[str, ...]:
        bits = lanes.bits(x)
        cleared = lanes.from_bits(lanes.shift_right(lanes.shift_left(bits, 1), 1))
        integers = lanes.bit_or(lanes.integer_sub(lanes.integer_add(bits, bits), bits), lanes.integer(0))
        whole = lanes.both(lanes.compare_integers("eq", integers, bits), lanes.compare("ord", x, x))
        return lanes.rint(x), lanes.trunc(x), cleared, lanes.number(whole), lanes.load_shared("%in0", 1)

    x = np.array([0.5, -1.5, 2.5, -0.2, 1e300, 3.7, -3.7, 7.0])
    for width in (1, 4, 8):
        found = compiled(emit, 1, width)(x)
        assert same_bits(found, np.stack([np.rint(x), np.trunc(x), np.abs(x), np.ones(8), np.full(8, x[1])]))


def test_names_do_not_clash_and_mistakes_are_told():
    lanes = Lanes(4, True, prefix="block2_")
    sincos(lanes, "%x")
    names = [line.split()[0] for line in lanes.lines]
    assert len(set(names)) == len(names)
    assert all(name.startswith("%block2_") for name in names)
    assert "<4 x double>" in repr(lanes)
    with pytest.raises(ValueError, match="at least 1"):
        Lanes(0, True)
