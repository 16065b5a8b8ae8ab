"""The interpreter: the bits of compiled code, for every operation."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from tapes import arm, random_arguments, random_function, same_bits

from linkwork.kernels import Block, Kernel
from linkwork.kernels.drive import repeat
from linkwork.kernels.encoding import _FORMS, HALT, NOTHING, RUN, SINCOS, STRETCH, Code, case_numbers, encode
from linkwork.kernels.interpreter import WIDTH
from linkwork.kernels.kernel import _remade
from linkwork.kernels.machine import Machine, portable_machine, this_machine
from linkwork.kernels.operations import OPERATIONS
from linkwork.kernels.tape import Tape, make_tape

WAYS = ("interpret", "compile")


def both(function: ca.Function, machine: Machine | None = None) -> tuple[Kernel, Kernel]:
    """The kernel interpreted and compiled."""
    return Kernel(function, mode="interpret", machine=machine), Kernel(function, mode="compile", machine=machine)


def one_by_one(kernel: Kernel, arrays: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    """The results of samples by the address for single ones."""
    results = [np.full((len(arrays[0]), *block.shape), np.nan) for block in kernel.outputs]
    flat = [a.reshape(len(a), -1) for a in (*arrays, *results)]
    repeat(kernel.address, flat[: len(arrays)], flat[len(arrays) :], len(arrays[0]))
    return results


def steps(code: Code) -> list[tuple[int, int]]:
    """The steps of a code, and how long the run is after each."""
    found, at = [], 0
    while True:
        which, length = code.words[at, 0] % RUN, code.words[at, 0] // RUN
        found.append((int(which), int(length)))
        if which == HALT:
            assert at == len(code.words) - 1
            return found
        at += 1 + length


@pytest.mark.parametrize("seed", range(6))
def test_random_tapes_give_the_bits_of_compiled_code(seed: int) -> None:
    interpreted, compiled = both(random_function(200 + seed, 80))
    arrays = random_arguments(seed, 2 * WIDTH + 5)
    for a, b in zip(interpreted(*arrays), compiled(*arrays), strict=True):
        assert same_bits(a, b)
    assert (interpreted.tier, compiled.tier) == ("interpreted", "compiled")


@pytest.mark.parametrize("count", [1, 2, WIDTH - 1, WIDTH, WIDTH + 1, 2 * WIDTH + 1])
def test_ragged_batches(count: int) -> None:
    interpreted, compiled = both(arm())
    rng = np.random.default_rng(count)
    q, v, p = rng.normal(size=(count, 6)), rng.normal(size=(count, 6)), rng.normal(size=4)
    assert same_bits(interpreted(q, v, p), compiled(q, v, p))


@pytest.mark.parametrize("machine", [this_machine(), portable_machine()], ids=["native", "portable"])
def test_every_operation_of_the_table_on_ordinary_and_odd_numbers(machine: Machine) -> None:
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    unary = [
        ca.exp, ca.log, ca.sqrt, ca.sin, ca.cos, ca.tan, ca.asin, ca.acos, ca.atan, ca.floor, ca.ceil, ca.fabs, ca.sign,
        ca.erf, ca.erfinv, ca.sinh, ca.cosh, ca.tanh, ca.asinh, ca.acosh, ca.atanh, ca.log1p, ca.expm1, ca.logic_not,
    ]  # fmt: skip
    binary = [
        ca.power, ca.fmod, ca.remainder, ca.copysign, ca.atan2, ca.hypot, ca.fmin, ca.fmax, ca.logic_and, ca.logic_or,
        lambda a, b: ca.if_else(a, b, 0), lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a == b,
        lambda a, b: a != b,
        lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b, lambda a, b: a * b + x,
        lambda a, b: a * b - x, lambda a, b: x - a * b,
    ]  # fmt: skip
    results = [f(x) for f in unary] + [f(x, y) for f in binary]
    function = ca.Function("all", [x, y], [ca.vertcat(*results)])
    interpreted, compiled = both(function, machine)
    odd = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.7, 1e-310, 1e10, 1e300, -1e300, np.inf, -np.inf, np.nan])
    a, b = np.meshgrid(odd, odd)
    expected = compiled(a, b)
    assert same_bits(interpreted(a, b), expected)
    for kernel in (interpreted, compiled):
        assert same_bits(one_by_one(kernel, (a.ravel(), b.ravel()))[0], expected.reshape(a.size, -1))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("machine", [this_machine(), portable_machine()], ids=["native", "portable"])
def test_single_samples_have_the_bits_of_batches(seed: int, machine: Machine) -> None:
    interpreted, compiled = both(random_function(220 + seed, 150), machine)
    arrays = random_arguments(seed, 7)
    for kernel in (interpreted, compiled):
        for a, b in zip(one_by_one(kernel, arrays), compiled(*arrays), strict=True):
            assert same_bits(a, b)


def raw(codes: list[int], operands: list[list[int]], results: list[int]) -> Tape:
    """A tape of two inputs as it stands, with operations that are not written by `make_tape`."""
    numbers = (np.array(codes, np.int32), np.array(operands, np.int32).reshape(-1, 3), np.array(results, np.int32))
    return Tape("raw", (Block("x", (2,)),), (Block("u", (len(results),)),), np.array([2.5]), *numbers)


def test_operations_that_are_written_as_runs() -> None:
    codes = [ca.OP_SQ, ca.OP_TWICE, ca.OP_ASSIGN, ca.OP_NEG, ca.OP_LIFT, ca.OP_PRINTME, ca.OP_INV]
    tape = raw(codes, [[0, 1, -1] if c in (ca.OP_LIFT, ca.OP_PRINTME) else [0, -1, -1] for c in codes], [*range(3, 10)])
    for x in (3.0, -0.0, 0.0, np.inf, 1e200):
        interpreted, compiled = (_remade(tape, mode, tape.inputs, tape.outputs, ()) for mode in WAYS)
        given = np.array([[x, 1.0]] * 3)
        with np.errstate(all="ignore"):
            expected = np.array([x * x, 2 * x, x, -x, x, x, np.divide(1.0, x)])
        for kernel in (interpreted, compiled):
            assert same_bits(kernel(given)[2], expected)
            assert same_bits(one_by_one(kernel, (given,))[0][1], expected)
    assert [length for _, length in steps(encode(tape))] == [6, 0, 0]


def test_tapes_without_operations_hand_on_inputs_and_numbers() -> None:
    tape = raw([], [], [1, 2, 1, 0])
    for mode in WAYS:
        kernel = _remade(tape, mode, tape.inputs, tape.outputs, ())
        x = np.array([[1.0, -0.0], [np.inf, 7.0]])
        expected = np.stack((x[:, 1], [2.5, 2.5], x[:, 1], x[:, 0]), axis=1)
        assert same_bits(kernel(x), expected)
        assert same_bits(one_by_one(kernel, (x,))[0], expected)


def test_a_sine_and_a_cosine_of_one_angle_are_one_step() -> None:
    x = ca.SX.sym("x")
    function = ca.Function("f", [x], [ca.cos(x) * ca.sin(x), ca.sin(2 * x)])
    code = encode(make_tape(function, this_machine().fma))
    assert [which for which, _ in steps(code)].count(SINCOS) == 1
    assert len(steps(code)) == 4  # the beginning, both of x, the other sine, the end


def test_a_result_is_computed_in_its_place() -> None:
    x = ca.SX.sym("x")
    code = encode(make_tape(ca.Function("f", [x], [x + 1, x * 3, x + 1]), False))
    assert steps(code) == [(NOTHING, 3), (HALT, 0)]  # the third is a copy
    assert code.rows == 1 + 2 + 2 + 3  # input, constants, 1 and -0, outputs


def test_rows_are_used_again() -> None:
    """The workspace grows with what lives at a time, not with the tape."""
    x = ca.SX.sym("x", 3)
    value = x[0]
    for _ in range(5000):
        value = ca.fmax(value * x[1] + x[2], x[0])
    assert encode(make_tape(ca.Function("f", [x], [value]), True)).rows < 3 * STRETCH


def test_every_operation_has_a_case() -> None:
    cases = case_numbers()
    assert set(cases) == {int(code) for code in OPERATIONS} - set(_FORMS)
    assert len(set(cases.values())) == len(cases)
    assert not {HALT, NOTHING, SINCOS} & set(cases.values())
    assert max(cases.values()) < RUN
