"""Reading and rewriting CasADi functions."""

from __future__ import annotations

import time

import casadi as ca
import numpy as np
import pytest
from tapes import arm, random_function

from linkwork.kernels import Kernel
from linkwork.kernels.operations import Fused
from linkwork.kernels.tape import Block, TapeError, contract, make_tape, read_tape

SX = ca.SX
x, y, z = SX.sym("x"), SX.sym("y"), SX.sym("z")


def names(*results: SX, fma: bool = False) -> dict[str, int]:
    """Operations of a function of x, y, z."""
    return make_tape(ca.Function("f", [x, y, z], list(results)), fma).counts()


def test_blocks_are_dense_and_shaped_for_python() -> None:
    f = ca.Function(
        "f",
        [SX.sym("a", 3), SX.sym("b", 2, 4), SX.sym("c"), SX.sym("d", 1, 3)],
        [SX.eye(3)],
        ["a", "b", "c", "d"],
        ["e"],
    )
    tape = read_tape(f)
    assert tape.inputs == (Block("a", (3,)), Block("b", (2, 4)), Block("c", ()), Block("d", (1, 3)))
    assert tape.outputs == (Block("e", (3, 3)),)
    assert (tape.input_size, tape.output_size) == (15, 9)
    assert [tape.constants[v - 15] for v in tape.results] == [1, 0, 0, 0, 1, 0, 0, 0, 1]


def test_equal_expressions_are_computed_once() -> None:
    assert names(x * y + ca.sin(z), y * x - ca.sin(z)) == {"mul": 1, "sin": 1, "add": 1, "sub": 1}
    assert names(ca.fmax(x, y), ca.fmax(y, x)) == {"fmax": 1}
    assert names(x - y, y - x) == {"sub": 1, "neg": 1}


def test_what_no_result_needs_is_left_out() -> None:
    assert len(read_tape(ca.Function("f", [x, y], [x]))) == 0
    assert names(ca.sin(x) * 1 - 0) == {"sin": 1}


def test_signs_are_carried_into_sums_and_products() -> None:
    assert names((-x) * y + z) == {"mul": 1, "sub": 1}
    assert names(-((-x) * (-y))) == {"mul": 1, "neg": 1}
    assert names(z - (-x)) == {"add": 1}
    assert names(ca.sin(-x) + y) == {"sin": 1, "sub": 1}
    assert names(ca.cos(-x)) == {"cos": 1}


def test_identities_that_hold_for_every_number() -> None:
    one, zero = SX(1), SX(0)
    tape = read_tape(ca.Function("f", [x], [x * one + zero, x / 4, 0 - (0 - x)]))
    assert tape.counts() == {"mul": 1}


def test_identities_that_fail_for_nan_are_not_used() -> None:
    f = ca.Function("f", [x, y], [x - y])
    tape = read_tape(ca.Function("g", [x, y], [f(x, y)]))
    assert tape.counts() == {"sub": 1}
    a = SX.sym("a")
    same = ca.Function("s", [x, a], [(x * a) - (a * x)])
    assert len(read_tape(same)) in (0, 2)  # CasADi itself may fold it


def test_small_whole_powers_are_products() -> None:
    assert names(x**3) == {"mul": 2}
    assert names(x**-2.0) == {"mul": 1, "div": 1}
    assert "pow" in names(x**2.5)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (x * y + z, {"fma": 1}),
        (x * y - z, {"fms": 1}),
        (z - x * y, {"fnma": 1}),
        (-(x * y) - z, {"fma": 1, "neg": 1}),
        (2 * x + y, {"fma": 1}),
        (x * y + y * z, {"mul": 1, "fma": 1}),
    ],
)
def test_sums_of_products_are_fused(expression: SX, expected: dict[str, int]) -> None:
    assert names(expression, fma=True) == expected


def test_a_product_used_otherwise_is_not_fused() -> None:
    p = x * y
    assert names(p + z, ca.sin(p), fma=True) == {"mul": 1, "add": 1, "sin": 1}
    assert names(p + z, p, fma=True) == {"mul": 1, "add": 1}


def test_a_product_used_in_sums_only_is_fused_into_all() -> None:
    p = x * y
    assert names(p + z, p - x, fma=True) == {"fma": 1, "fms": 1}


@pytest.mark.parametrize("seed", range(8))
def test_fusing_never_adds_operations_and_keeps_order(seed: int) -> None:
    tape = read_tape(random_function(seed, 200))
    fused = contract(tape)
    assert len(fused) <= len(tape)
    base = fused.first_operation
    for k, row in enumerate(fused.operands):
        assert np.all(row < base + k)
    assert np.all(fused.results >= 0)


def test_the_digest_names_the_computation() -> None:
    tape = make_tape(arm(), True)
    assert tape.digest == make_tape(arm(), True, "other name").digest
    assert tape.digest != make_tape(arm(), False).digest
    assert len({make_tape(random_function(s), True).digest for s in range(10)}) == 10


def test_functions_of_matrices_are_expanded() -> None:
    a = ca.MX.sym("a", 3)
    tape = read_tape(ca.Function("m", [a], [ca.dot(a, a)], ["a"], ["b"]))
    assert tape.counts() == {"mul": 3, "add": 2}


def test_functions_that_cannot_be_kernels_are_refused_clearly() -> None:
    with pytest.raises(TapeError, match=r"free variables.*make them inputs"):
        read_tape(ca.Function("f", [x], [x + y], {"allow_free": True}))
    with pytest.raises(TapeError, match=r"casadi\.Function"):
        read_tape(x + y)  # type: ignore[arg-type]
    v = ca.MX.sym("v")
    with pytest.raises(TapeError, match=r"scalar operation"):
        read_tape(ca.rootfinder("r", "newton", {"x": v, "g": v**2 - 2}))


def test_long_tapes_are_read_quickly() -> None:
    a = SX.sym("a", 50)
    b = a
    for k in range(400):
        b = b * ca.vertcat(b[1:], b[0]) + a * (k + 2)
    f = ca.Function("long", [a], [b])
    begin = time.process_time()
    tape = make_tape(f, True)
    assert len(tape) >= 40_000
    assert time.process_time() - begin < 4.0  # a fraction of it on a quiet machine


def test_fused_codes_are_no_casadi_codes() -> None:
    assert all(int(code) < 0 for code in Fused)


def test_another_order_of_the_same_operations() -> None:
    x = ca.SX.sym("x", 4)
    parts = [ca.sin(x[0]) * x[1], ca.cos(x[2]), x[3], ca.sin(x[0]) + ca.cos(x[2]), ca.SX(2.0)]
    function = ca.Function("f", [x], [ca.vertcat(*parts)])
    plain = make_tape(function, True)
    rng = np.random.default_rng(1)
    samples = rng.normal(size=(20, 4))
    expected = Kernel(function)(samples)
    for _ in range(10):
        order = [int(k) for k in rng.permutation(5)]
        tape = make_tape(function, True, order=order)
        assert sorted(tape.codes.tolist()) == sorted(plain.codes.tolist())
        np.testing.assert_array_equal(Kernel(function, order=order)(samples), expected)
