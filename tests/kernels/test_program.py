"""Assembly of tapes: cut or whole, every width, the bits are the same; the border of a batch is handled."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from jit import ulps
from tapes import arm, casadi_values, random_arguments, random_function, same_bits, shallow_function

from linkwork.kernels.machine import Loaded, Machine, compile_assembly, portable_machine, this_machine
from linkwork.kernels.operations import OPERATIONS, bind_library
from linkwork.kernels.program import batch_assembly, scalar_assembly
from linkwork.kernels.slots import allocate_slots
from linkwork.kernels.tape import Tape, make_tape
from linkwork.kernels.tiers import BatchCode, ScalarCode, memory

WIDTHS = (2, 4, 8)


class Compiled:
    """Both kinds of machine code of a tape, without the cache."""

    def __init__(self, tape: Tape, machine: Machine, **cut: int) -> None:
        bind_library()
        self.batch = BatchCode(compile_assembly(batch_assembly(tape, machine, **cut), machine), machine)
        self.scalar = ScalarCode(compile_assembly(scalar_assembly(tape, machine, **cut), machine), machine)


def run(
    code: Compiled, tape: Tape, arrays: tuple[np.ndarray, ...], first: int = 0, count: int | None = None
) -> list[np.ndarray]:
    """The batch entry over whole arrays, or over some samples."""
    n = len(arrays[0])
    results = [np.full((n, *b.shape), -7.0) for b in tape.outputs]
    ins = memory([a.ctypes.data for a in arrays], [b.size for b in tape.inputs])
    outs = memory([r.ctypes.data for r in results], [b.size for b in tape.outputs])
    code.batch.run(ins, outs, first, n if count is None else count)
    return results


def scalar(code: Compiled, tape: Tape, arrays: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    """The scalar entry, sample by sample."""
    entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.scalar.address)
    n = len(arrays[0])
    results = [np.empty((n, *b.shape)) for b in tape.outputs]
    for k in range(n):
        ins = (ctypes.c_void_p * len(arrays))(
            *(a.ctypes.data + 8 * k * b.size for a, b in zip(arrays, tape.inputs, strict=True))
        )
        outs = (ctypes.c_void_p * len(results))(
            *(r.ctypes.data + 8 * k * b.size for r, b in zip(results, tape.outputs, strict=True))
        )
        entry(ins, outs)
    return results


@pytest.mark.parametrize("seed", range(6))
def test_widths_entries_and_cuts_give_the_same_bits(seed: int) -> None:
    function = random_function(seed, 60)
    machine = this_machine()
    tape = make_tape(function, machine.fma)
    arrays = random_arguments(seed, 19)
    whole = Compiled(tape, machine)
    expected = scalar(whole, tape, arrays)
    codes = [
        whole,
        Compiled(tape, machine, whole=0, chunk=7),
        *(Compiled(tape, replace(machine, width=w)) for w in WIDTHS),
    ]
    for code in codes:
        for a, b in zip(run(code, tape, arrays), expected, strict=True):
            assert same_bits(a, b)
    for a, b in zip(scalar(codes[1], tape, arrays), expected, strict=True):
        assert same_bits(a, b)


@pytest.mark.parametrize("machine", [this_machine(), portable_machine()], ids=["native", "portable"])
@pytest.mark.parametrize("seed", range(4))
def test_random_tapes_agree_with_casadi(seed: int, machine: Machine) -> None:
    """Relative error 2e-14: some tens of operations, each good to an ulp or two, none of which cancels."""
    function = random_function(100 + seed, 40)
    tape = make_tape(function, machine.fma)
    arrays = random_arguments(seed, 23)
    results = run(Compiled(tape, machine), tape, arrays)
    for a, b in zip(results, casadi_values(function, arrays), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-14, atol=0)


@pytest.mark.parametrize("machine", [this_machine(), portable_machine()], ids=["native", "portable"])
@pytest.mark.parametrize("seed", range(12))
def test_shallow_tapes_agree_with_casadi_to_4_ulp(seed: int, machine: Machine) -> None:
    """Every operation, alone and over another: fused products and own functions add no more than the last bits."""
    function = shallow_function(seed)
    tape = make_tape(function, machine.fma)
    arrays = random_arguments(seed, 150)
    code = Compiled(tape, machine)
    for results in (run(code, tape, arrays), scalar(code, tape, arrays)):
        for found, expected in zip(results, casadi_values(function, arrays), strict=True):
            distance = ulps(found, expected)
            worst = np.unravel_index(np.argmax(distance), distance.shape)
            assert distance[worst] <= 4, f"element {worst[1]}: {found[worst]!r}, CasADi has {expected[worst]!r}"


def test_shallow_tapes_have_every_operation() -> None:
    seen = {int(c) for fma in (False, True) for s in range(12) for c in make_tape(shallow_function(s), fma).codes}
    written_as_others = {"assign", "constpow", "inv", "lift", "printme", "sq", "twice"}
    assert {OPERATIONS[c].name for c in set(OPERATIONS) - seen} == written_as_others


def test_portable_tapes_of_arithmetic_have_the_bits_of_casadi() -> None:
    """Without fusing nothing differs from CasADi but library functions: here there are none."""
    x, y = ca.SX.sym("x", 4), ca.SX.sym("y", 4)
    z = x * y + ca.sqrt(x * x + y * y) / (x + 1) - y
    function = ca.Function("f", [x, y], [z, ca.fmin(x, y) - z])
    tape = make_tape(function, fma=False)
    rng = np.random.default_rng(1)
    arrays = (rng.uniform(0.1, 9, (50, 4)), rng.uniform(0.1, 9, (50, 4)))
    for a, b in zip(
        run(Compiled(tape, portable_machine()), tape, arrays), casadi_values(function, arrays), strict=True
    ):
        assert same_bits(a, b)


@pytest.mark.parametrize("width", WIDTHS)
def test_ragged_batches_write_their_samples_and_no_other(width: int) -> None:
    machine = replace(this_machine(), width=width)
    tape = make_tape(random_function(3, 20), machine.fma)
    code = Compiled(tape, machine)
    arrays = random_arguments(3, 3 * width + 2)
    full = run(code, tape, arrays)
    for first in (0, 1, width):
        for count in range(2 * width + 2):
            for part, whole in zip(run(code, tape, arrays, first, count), full, strict=True):
                inside = slice(first, first + count)
                assert same_bits(part[inside], whole[inside])
                assert np.all(part[:first] == -7.0)
                assert np.all(part[first + count :] == -7.0)


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 47, 48, 49, 61])
def test_blocks_of_every_length_are_moved_rightly(columns: int) -> None:
    x = ca.SX.sym("x", columns)
    tape = make_tape(ca.Function("f", [x], [2 * x[::-1], x + 1]), this_machine().fma)
    code = Compiled(tape, this_machine())
    a = np.random.default_rng(0).normal(size=(21, columns))
    turned, raised = run(code, tape, (a,))
    assert np.array_equal(turned.reshape(a.shape), 2 * a[:, ::-1])
    assert np.array_equal(raised.reshape(a.shape), a + 1)


def test_results_that_are_inputs_constants_or_twice_the_same() -> None:
    x = ca.SX.sym("x", 3)
    tape = make_tape(ca.Function("f", [x], [x, ca.SX([1.5, -2.0]), ca.vertcat(x[0] + x[1], x[0] + x[1]), -x[2]]), True)
    a = np.random.default_rng(0).normal(size=(5, 3))
    same, numbers, twice, negative = run(Compiled(tape, this_machine()), tape, (a,))
    assert np.array_equal(same, a)
    assert np.array_equal(numbers, np.tile([1.5, -2.0], (5, 1)))
    assert np.array_equal(twice, np.repeat((a[:, 0] + a[:, 1])[:, None], 2, axis=1))
    assert np.array_equal(negative, -a[:, 2])


def test_nan_and_infinity_pass_through() -> None:
    machine = this_machine()
    tape = make_tape(arm(), machine.fma)
    code = Compiled(tape, machine)
    rng = np.random.default_rng(0)
    q, v, p = rng.normal(size=(9, 6)), rng.normal(size=(9, 6)), rng.normal(size=(9, 4))
    clean = run(code, tape, (q, v, p))[0]
    v[4, 0], v[7, 5] = np.nan, np.inf
    (tau,) = run(code, tape, (q, v, p))
    others = [k for k in range(9) if k not in (4, 7)]
    assert same_bits(tau[others], clean[others])
    assert np.isnan(tau[4]).any()
    assert not np.isfinite(tau[7]).all()
    assert all(same_bits(a, b) for a, b in zip(scalar(code, tape, (q, v, p)), [tau], strict=True))


def test_the_portable_machine_needs_nothing_special() -> None:
    machine = portable_machine()
    assert (machine.cpu, machine.features, machine.width, machine.fma) == ("", "", 2, False)


def test_the_target_can_be_chosen(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    this_machine.cache_clear()
    try:
        monkeypatch.setenv("LINKWORK_TARGET", "portable")
        assert this_machine() == portable_machine()
        this_machine.cache_clear()
        monkeypatch.setenv("LINKWORK_TARGET", "abacus")
        assert this_machine().triple
        assert "abacus is not known" in caplog.text
    finally:
        this_machine.cache_clear()


def test_an_unknown_processor_gets_portable_code(monkeypatch: pytest.MonkeyPatch) -> None:
    from linkwork.kernels import machine

    def refuse() -> None:
        raise RuntimeError("no such processor")

    monkeypatch.setattr(machine.llvm, "get_host_cpu_features", refuse)
    machine.this_machine.cache_clear()
    try:
        assert machine.this_machine() == portable_machine()
    finally:
        machine.this_machine.cache_clear()


def test_a_missing_function_is_told() -> None:
    machine = this_machine()
    loaded = Loaded(compile_assembly("define void @lw_x() {\n ret void\n}\n", machine), machine)
    assert loaded.address("lw_x")
    with pytest.raises(LookupError, match="lw_y"):
        loaded.address("lw_y")


def test_slots_are_used_again_but_never_shared() -> None:
    rng = np.random.default_rng(0)
    lives = {v: (v, v + int(rng.integers(0, 20))) for v in range(300)}
    slots, count = allocate_slots(lives, 10)
    assert set(slots.values()) <= set(range(10, 10 + count))
    for a in lives:
        for b in lives:
            if a < b <= lives[a][1]:
                assert slots[a] != slots[b]
    assert count <= max(sum(b <= t <= d for b, d in lives.values()) for t in range(320))
