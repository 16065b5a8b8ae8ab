"""The interpreter: the bits of compiled code, for every operation."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from tapes import arm, random_arguments, random_function, same_bits

from linkwork.kernels import Kernel
from linkwork.kernels.interpreter import COPY, HALT, SINCOS, WIDTH, case_numbers, encode
from linkwork.kernels.machine import this_machine
from linkwork.kernels.operations import OPERATIONS
from linkwork.kernels.tape import make_tape


def both(function: ca.Function) -> tuple[Kernel, Kernel]:
    """The kernel interpreted and compiled."""
    return Kernel(function, mode="interpret"), Kernel(function, mode="compile")


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


def test_every_operation_of_the_table_on_ordinary_and_odd_numbers() -> None:
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
    interpreted, compiled = both(function)
    odd = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.7, 1e-310, 1e10, 1e300, -1e300, np.inf, -np.inf, np.nan])
    a, b = np.meshgrid(odd, odd)
    assert same_bits(interpreted(a, b), compiled(a, b))


def test_a_sine_and_a_cosine_of_one_angle_are_one_step() -> None:
    x = ca.SX.sym("x")
    code = encode(make_tape(ca.Function("f", [x], [ca.cos(x) * ca.sin(x), ca.sin(2 * x)]), this_machine().fma))
    assert code.words[:, 0].tolist().count(SINCOS) == 1
    assert code.words[-1, 0] == HALT


def test_a_result_is_computed_in_its_place() -> None:
    x = ca.SX.sym("x")
    code = encode(make_tape(ca.Function("f", [x], [x + 1, x * 3]), False))
    assert COPY not in code.words[:, 0]
    assert code.rows == 1 + 2 + 2  # input, constants, outputs


def test_every_operation_has_a_case() -> None:
    cases = case_numbers()
    assert set(cases) == {int(code) for code in OPERATIONS}
    assert len(set(cases.values())) == len(cases)
    assert not {HALT, COPY, SINCOS} & set(cases.values())
