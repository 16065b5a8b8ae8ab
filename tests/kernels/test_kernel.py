"""Kernels as users call them."""

from __future__ import annotations

import copy
import gc
import logging
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tapes import arm, casadi_values, random_arguments, random_function, same_bits

from linkwork.errors import LinkworkError
from linkwork.kernels import ArgumentError, Block, Kernel, batchcall, engine, kernel, threads, tiers
from linkwork.kernels.machine import this_machine

Arrays = tuple[np.ndarray, ...]


@pytest.fixture(scope="module")
def compiled() -> Kernel:
    return Kernel(arm()).compile()


@pytest.fixture
def arrays() -> Arrays:
    rng = np.random.default_rng(0)
    return rng.normal(size=(100, 6)), rng.normal(size=(100, 6)), rng.normal(size=4)


# reproducibility


def test_the_bits_do_not_depend_on_batch_size_threads_or_tier(compiled: Kernel) -> None:
    """The promise of the engine, at full size."""
    n = 1_000_003
    rng = np.random.default_rng(5)
    q, v, p = rng.normal(size=(n, 6)), rng.normal(size=(n, 6)), rng.normal(size=4)
    all_at_once = compiled(q, v, p)
    assert same_bits(compiled(q, v, p, threads=1), all_at_once)
    interpreted = Kernel(arm(), mode="interpret")
    for k in (0, 1, 17, 4095, 4096, n - 2, n - 1):
        assert same_bits(compiled(q[k], v[k], p), all_at_once[k])
        assert same_bits(compiled.call(q[k], v[k], p), all_at_once[k])
        assert same_bits(interpreted(q[k], v[k], p), all_at_once[k])
    assert same_bits(interpreted(q[-50_000:], v[-50_000:], p), all_at_once[-50_000:])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 70), st.integers(0, 40), st.integers(1, 3))
def test_any_part_of_a_batch_is_the_part_of_the_whole(count: int, first: int, step: int) -> None:
    whole = Kernel(arm(), mode="compile")
    rng = np.random.default_rng(1)
    q, v, p = rng.normal(size=(150, 6)), rng.normal(size=(150, 6)), rng.normal(size=4)
    part = slice(first, first + count, step)
    assert same_bits(whole(q[part], v[part], p), whole(q, v, p)[part])


@pytest.mark.parametrize("seed", range(3))
def test_values_are_those_of_casadi(seed: int) -> None:
    function = random_function(300 + seed, 50)
    arrays = random_arguments(seed, 9)
    for a, b in zip(Kernel(function)(*arrays), casadi_values(function, arrays), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-14, atol=0)


# shapes and memory


def test_leading_shapes_broadcast(compiled: Kernel, arrays: Arrays) -> None:
    q, v, p = arrays
    expected = compiled(np.repeat(q[:20], 30, axis=0), np.tile(v[:30], (20, 1)), p).reshape(20, 30, 6)
    assert same_bits(compiled(q[:20, None], v[None, :30], p), expected)
    assert compiled(q[0], v[0], p).shape == (6,)
    assert compiled(q.reshape(2, 5, 10, 6), v[0], p).shape == (2, 5, 10, 6)
    assert compiled(q[:0], v[:0], p).shape == (0, 6)
    assert compiled(np.zeros((3, 0, 2, 6)), v[0], p).shape == (3, 0, 2, 6)


def test_parameters_may_differ_from_sample_to_sample(compiled: Kernel, arrays: Arrays) -> None:
    q, v, _ = arrays
    p = np.random.default_rng(3).normal(size=(100, 4))
    expected = np.array([compiled(q[k], v[k], p[k]) for k in range(100)])
    assert same_bits(compiled(q, v, p), expected)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::2],
        lambda a: a[::-1],
        lambda a: a[50:],
        lambda a: np.asfortranarray(a),
        lambda a: np.concatenate([a, a], axis=1)[:, :6],
        lambda a: np.repeat(a, 2, axis=1)[:, ::2],
        lambda a: a.reshape(10, 10, 6).transpose(1, 0, 2),
        lambda a: a[:, ::-1],
        lambda a: np.broadcast_to(a[3], (40, 6)),
        lambda a: a.astype(">f8"),
        lambda a: np.frombuffer(b"\0" + a.tobytes(), np.uint8)[1:].view(np.float64).reshape(100, 6),
    ],
)
def test_arrays_of_every_layout(compiled: Kernel, arrays: Arrays, view: Any) -> None:
    q, v, p = arrays
    x, y = view(q), view(v)
    expected = compiled(np.array(x, np.float64, order="C"), np.array(y, np.float64, order="C"), p)
    assert same_bits(compiled(x, y, p), expected)


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.int8, np.uint16, bool, np.float16])
def test_other_numbers_are_converted(compiled: Kernel, kind: Any) -> None:
    rng = np.random.default_rng(0)
    q, v = (rng.integers(0, 2, size=(9000, 6)).astype(kind) for _ in range(2))
    p = [1, 2, 3, 4]
    assert same_bits(compiled(q, v, p), compiled(q.astype(float), v.astype(float), np.array(p, float)))


def test_lists_are_taken(compiled: Kernel) -> None:
    assert same_bits(compiled([0] * 6, [1] * 6, (1, 2, 3, 4)), compiled(np.zeros(6), np.ones(6), np.arange(1.0, 5.0)))


def test_matrices_and_numbers_as_blocks() -> None:
    a, b, c = ca.SX.sym("a", 2, 3), ca.SX.sym("b"), ca.SX.sym("c", 3)
    product = Kernel(ca.Function("f", [a, b, c], [a @ c * b, b * a.T, ca.dot(c, c)], ["a", "b", "c"], ["u", "t", "s"]))
    rng = np.random.default_rng(0)
    x, y, z = rng.normal(size=(7, 2, 3)), rng.normal(size=7), rng.normal(size=(7, 3))
    u, t, s = product(x, y, z)
    np.testing.assert_allclose(u, np.einsum("nij,nj,n->ni", x, z, y), rtol=1e-13)
    np.testing.assert_allclose(t, y[:, None, None] * x.transpose(0, 2, 1), rtol=0)
    np.testing.assert_allclose(s, (z * z).sum(axis=1), rtol=1e-14)
    one = product(x[0], y[0], z[0])
    assert [r.shape for r in one] == [(2,), (3, 2), ()]
    assert [r.shape for r in product.compile().call(x[0], y[0], z[0])] == [(2,), (3, 2), ()]


def shaped() -> ca.Function:
    a, b, c = ca.SX.sym("a", 4, 3), ca.SX.sym("b", 1), ca.SX.sym("c", 6)
    return ca.Function("shaped", [a, b, c], [b * a, ca.sum1(c), c + b], ["a", "b", "c"], ["u", "s", "w"])


@pytest.mark.parametrize("mode", ["compile", "interpret"])
def test_shapes_that_are_asked_for(mode: str) -> None:
    """Elements stay in the order of the rows, whatever the shape; calls of every kind take and give it."""
    plain = Kernel(shaped(), mode=mode)
    other = Kernel(
        shaped(), mode=mode, input_shapes=[(2, 2, 3), (1,), None], output_shapes=[(12,), (1, 1, 1), (3, 1, 2)]
    )
    assert other.inputs == (Block("a", (2, 2, 3)), Block("b", (1,)), Block("c", (6,)))
    assert other.outputs == (Block("u", (12,)), Block("s", (1, 1, 1)), Block("w", (3, 1, 2)))
    assert other.sizes == plain.sizes
    assert other._engine.tape.digest == plain._engine.tape.digest
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(7, 4, 3)), rng.normal(size=7), rng.normal(size=(7, 6))
    expected = plain(a, b, c)
    bound = other.bind(c[0])
    assert (bound.inputs, bound.outputs) == (other.inputs[:2], other.outputs)
    for _ in range(kernel.OFTEN + 2):
        results = other(a.reshape(7, 2, 2, 3), b[:, None], c)
        single = other.call(a[0].reshape(2, 2, 3), b[:1], c[0])
        fixed = bound(a[0].reshape(2, 2, 3), b[:1])
        for got, one, two, wanted, block in zip(results, single, fixed, expected, other.outputs, strict=True):
            assert got.shape == (7, *block.shape)
            assert one.shape == two.shape == block.shape
            assert same_bits(got.ravel(), wanted.ravel())
            assert same_bits(one.ravel(), wanted[0].ravel())
            assert same_bits(two.ravel(), wanted[0].ravel())
    with pytest.raises(ArgumentError, match=r"a: has shape \(4, 3\), not \(..., 2, 2, 3\)"):
        other(a[0], b[:1], c[0])
    assert Kernel(shaped(), bound=[c[0].reshape(2, 3)], input_shapes=[None, None, (2, 3)])(a[0], b[0])[0].shape == (
        4,
        3,
    )


def test_shapes_that_do_not_fit_are_told() -> None:
    with pytest.raises(ArgumentError) as caught:
        Kernel(shaped(), input_shapes=[(4, 4), (), (-2, -3)], output_shapes=[None, (2,)])
    text = str(caught.value)
    assert "shaped: 3 problems" in text
    assert "a: input_shapes: (4, 4) does not hold 12 elements" in text
    assert "c: input_shapes: (-2, -3) does not hold 6 elements" in text
    assert "output_shapes has 2 shapes, there are 3 blocks (u, s, w)" in text


def test_structural_zeros_are_written() -> None:
    a = ca.SX.sym("a", 3)
    diagonal = Kernel(ca.Function("f", [a], [ca.diag(a)]))
    assert np.array_equal(diagonal([1.0, 2.0, 3.0]), np.diag([1.0, 2.0, 3.0]))


def test_sparse_inputs_are_given_dense() -> None:
    a = ca.SX.sym("a", ca.Sparsity.lower(3))
    total = Kernel(ca.Function("f", [a], [ca.sum1(ca.sum2(a))]))
    assert total(np.arange(9.0).reshape(3, 3)) == 0 + 3 + 4 + 6 + 7 + 8


def test_kernels_without_inputs_or_operations() -> None:
    assert np.array_equal(Kernel(ca.Function("f", [], [ca.SX([1, 2])]))(), [1.0, 2.0])
    x = ca.SX.sym("x", 0)
    assert Kernel(ca.Function("f", [x, ca.SX.sym("y")], [x]))(np.zeros((5, 0)), 1.0).shape == (5, 0)


# results into given arrays


def test_out_is_filled_and_returned(compiled: Kernel, arrays: Arrays) -> None:
    expected = compiled(*arrays)
    out = np.empty((100, 6))
    assert compiled(*arrays, out=out) is out
    assert same_bits(out, expected)
    assert compiled(*arrays, out=(out,)) is out
    wide = np.zeros((200, 10))
    assert same_bits(compiled(*arrays, out=wide[::2, 2:8]), expected)
    assert np.all(wide[1::2] == 0)
    assert np.all(wide[:, :2] == 0)
    odd = np.zeros((6, 100)).T
    assert same_bits(compiled(*arrays, out=odd), expected)
    grid = np.zeros((10, 12, 6))[:, 1:11]
    q, v, p = arrays
    assert same_bits(compiled(q.reshape(10, 10, 6), v.reshape(10, 10, 6), p, out=grid), expected.reshape(10, 10, 6))
    single = np.zeros((6, 2))[:, 1]
    assert same_bits(compiled(q[0], v[0], p, out=single), expected[0])


def test_out_may_be_an_input(compiled: Kernel, arrays: Arrays) -> None:
    q, v, p = arrays
    expected = compiled(q, v, p)
    mine = q.copy()
    assert same_bits(compiled(mine, v, p, out=mine), expected)
    shifted = np.vstack([q, q])
    compiled(shifted[:100], v, p, out=shifted[1:101])
    assert same_bits(shifted[1:101], expected)


def test_out_tells_all_that_is_wrong() -> None:
    x = ca.SX.sym("x", 2)
    double = Kernel(ca.Function("double", [x], [2 * x, x + 1], ["x"], ["u", "w"]))
    fixed = np.zeros((4, 2))
    fixed.flags.writeable = False
    with pytest.raises(ArgumentError) as caught:
        double(np.zeros((4, 2)), out=(np.zeros((3, 2), np.float32), fixed))
    text = str(caught.value)
    assert "double: 3 problems" in text
    assert "out u: holds float32" in text
    assert "out u: has shape (3, 2), not (4, 2)" in text
    assert "out w: cannot be written to" in text
    with pytest.raises(ArgumentError, match=r"out needs 2 arrays \(u, w\), 1 given"):
        double(np.zeros(2), out=np.zeros(2))
    with pytest.raises(ArgumentError, match="out u: is a list"):
        double(np.zeros(2), out=([0, 0], np.zeros(2)))
    both = np.zeros(3)
    with pytest.raises(ArgumentError, match="shares memory"):
        double(np.zeros(2), out=(both[:2], both[1:]))
    with pytest.raises(ArgumentError, match="shares memory"):
        double(np.zeros((4, 2)), out=(np.lib.stride_tricks.as_strided(both, (4, 2), (0, 8)), np.zeros((4, 2))))
    halves = np.zeros((5, 4))
    double(np.ones((5, 2)), out=(halves[:, :2], halves[:, 2:]))
    assert np.array_equal(halves, np.full((5, 4), 2.0))


@pytest.mark.parametrize("calls", [1, 20])
def test_results_without_elements_are_taken(calls: int) -> None:
    x = ca.SX.sym("x", 2)
    rates = Kernel(ca.Function("f", [x], [ca.SX(0, 1), x + 1], ["x"], ["none", "u"]), output_shapes=[(0,), (2,)])
    alone = Kernel(ca.Function("f", [x], [ca.SX(0, 1)], ["x"], ["none"]), output_shapes=[(0,)])
    for one in (rates, alone):
        one.compile()
    for _ in range(calls):
        for lead in ((), (1,), (5,), (2, 3)):
            nothing, u = np.empty((*lead, 0)), np.zeros((*lead, 2))
            assert rates(np.ones((*lead, 2)), out=(nothing, u))[0] is nothing
            assert np.all(u == 2.0)
            assert alone(np.ones((*lead, 2)), out=nothing) is nothing
            assert alone(np.ones((*lead, 2))).shape == nothing.shape
    assert alone.call(np.ones(2)).shape == (0,)


# bad input


def test_wrong_arrays_are_told_all_at_once(compiled: Kernel) -> None:
    with pytest.raises(ArgumentError) as caught:
        compiled(np.zeros((3, 5)), np.zeros(6, complex), ["a", "b", "c", "d"])
    text = str(caught.value)
    assert "arm: 3 problems" in text
    assert "q: has shape (3, 5), not (..., 6)" in text
    assert "v: holds complex128, not real numbers; convert it to float64" in text
    assert "p: holds str" in text
    assert isinstance(caught.value, LinkworkError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros(6), np.zeros(6)), r"takes 3 arrays \(q, v, p\), 2 given"),
        ((np.zeros(6), np.zeros(6), np.zeros(4), np.zeros(6)), "4 given"),
        ((np.zeros((2, 6)), np.zeros((3, 6)), np.zeros(4)), r"do not broadcast: q \(2,\), v \(3,\), p \(\)"),
        ((np.zeros(6), 1.0, np.zeros(4)), r"v: has shape \(\), not \(..., 6\)"),
        ((np.zeros(6), [[1, 2], [3]], np.zeros(4)), "v: is not a regular array"),
        ((np.zeros(6), np.array([None] * 6), np.zeros(4)), "v: holds object"),
    ],
)
def test_each_wrong_call(compiled: Kernel, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        compiled(*arguments)


def test_nan_passes_through_to_its_sample_only(compiled: Kernel, arrays: Arrays) -> None:
    q, v, p = arrays
    bad = v.copy()
    bad[50] = np.nan
    tau = compiled(q, bad, p)
    assert np.isnan(tau[50, 1:]).all()  # the first does not depend on v
    keep = np.arange(100) != 50
    assert same_bits(tau[keep], compiled(q, v, p)[keep])


def test_too_large_results_say_what_to_do(compiled: Kernel) -> None:
    huge = np.broadcast_to(0.0, (2**40, 2**10, 6))
    with pytest.raises(MemoryError, match="out="):
        compiled(huge, np.zeros(6), np.zeros(4))


# tiers


def test_first_calls_are_interpreted_then_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: Any
) -> None:
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    new = Kernel(random_function(1000, 30))
    large = random_arguments(0, 100_000)
    small = tuple(a[:2] for a in large)
    first = new(*small)
    assert new.tier == "interpreted"
    assert "compiled when there is more to do" in repr(new)
    with caplog.at_level(logging.INFO):
        for _ in range(200):
            results = new(*large)
            if new.tier == "compiled":
                break
    assert new.tier == "compiled"
    assert "compiled in" in repr(new)
    assert "batch code compiled in" in caplog.text
    for a, b, c in zip(first, results, new(*small), strict=True):
        assert same_bits(a, b[:2])
        assert same_bits(a, c)


def test_the_cache_serves_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    first = Kernel(random_function(1001, 30)).compile()
    expected = first(*random_arguments(0, 3))
    del first
    gc.collect()
    again = Kernel(random_function(1001, 30))
    results = again(*random_arguments(0, 3))
    assert again.tier == "compiled"
    assert "found in the cache" in repr(again)
    assert all(same_bits(a, b) for a, b in zip(results, expected, strict=True))


def test_code_of_another_version_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    first = Kernel(random_function(1005, 10)).compile()
    monkeypatch.setattr(tiers, "_emitters_digest", lambda: "another")
    again = Kernel(random_function(1005, 10))
    again(*random_arguments(0, 1))
    assert (first.tier, again.tier) == ("compiled", "interpreted")


@pytest.mark.parametrize(("mode", "tier"), [("compile", "compiled"), ("interpret", "interpreted")])
def test_the_tier_can_be_forced(monkeypatch: pytest.MonkeyPatch, arrays: Arrays, mode: str, tier: str) -> None:
    monkeypatch.setenv("LINKWORK_KERNELS", mode)
    forced = Kernel(arm())
    forced(*arrays)
    assert forced.tier == tier


def test_an_unknown_mode_is_told(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv("LINKWORK_KERNELS", "sometimes")
    Kernel(arm())
    assert "sometimes is not known" in caplog.text
    with pytest.raises(ValueError, match="did you mean 'compile'"):
        Kernel(arm(), mode="compiled")


def test_very_long_tapes_stay_interpreted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    monkeypatch.setattr(engine, "LARGE", 10)
    long = Kernel(random_function(1002, 60))
    arrays = random_arguments(0, 2000)
    long(*arrays)
    assert long.tier == "interpreted"
    assert "compile() if it is worth it" in repr(long)
    assert all(same_bits(a, b) for a, b in zip(long(*arrays), long.compile()(*arrays), strict=True))


def test_a_failing_compiler_leaves_the_interpreter(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))

    def fail(*_: Any) -> bytes:
        raise RuntimeError("out of registers")

    new = Kernel(random_function(1003, 30))
    arrays = random_arguments(0, 200_000)
    new(*random_arguments(0, 1))  # the interpreter is there
    monkeypatch.setattr(tiers, "compile_assembly", fail)
    results = [new(*arrays) for _ in range(5)]
    new._engine._background.join()
    assert new.tier == "interpreted"
    assert "compilation failed: out of registers" in repr(new)
    assert caplog.text.count("stays interpreted") == 1
    assert same_bits(results[0][0], results[-1][0])


def test_compiling_twice_is_compiling_once(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Kernel(arm()).compile()
    monkeypatch.setattr(tiers, "compile_assembly", None)
    assert one.compile() is one
    assert Kernel(arm(), "another").compile().address == one.address


def test_machine_code_goes_with_its_last_kernel() -> None:
    one = Kernel(random_function(1004, 10)).compile()
    code = weakref.ref(one._engine.scalar())
    one.call(*random_arguments(0, 1))
    assert code() is not None
    del one
    gc.collect()
    assert code() is None


def test_the_reason_of_the_tier_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    one = Kernel(random_function(1006, 10))
    assert one.reason == "not used yet"
    one(*random_arguments(0, 1))
    assert one.reason == "compiled when there is more to do"
    assert "compiling takes about 0.0" in one.trade and one.trade in repr(one)
    assert one.compile().reason.startswith("compiled in ")
    assert Kernel(random_function(1006, 10)).compile().reason == "found in the cache"


def test_who_waits_for_a_long_compilation_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal, and not of code that is there."""
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    monkeypatch.setattr(engine, "LONG", 0.0)
    monkeypatch.setattr(engine.sys.stderr, "isatty", lambda: True, raising=False)
    one = Kernel(random_function(1009, 10)).compile("batch")
    told = capsys.readouterr().err
    assert told.startswith("linkwork: compiling kernel 'random_1009' (") and told.count("\n") == 1
    one.compile("batch")
    assert not capsys.readouterr().err


def test_one_kind_of_code_can_be_compiled_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    batch, scalar = (Kernel(random_function(1007 + k, 10)) for k in range(2))
    batch.compile(only="batch")
    assert (batch.tier, len(list(tmp_path.glob("kernels/*")))) == ("compiled", 1)
    scalar.compile(only="scalar")
    assert (scalar.tier, len(list(tmp_path.glob("kernels/*")))) == ("interpreted", 2)
    batch.compile()
    assert len(list(tmp_path.glob("kernels/*"))) == 3
    with pytest.raises(ValueError, match="only is 'vector', not 'batch' or 'scalar'"):
        batch.compile(only="vector")  # type: ignore[arg-type]


# threads


def test_many_threads_may_use_one_kernel(arrays: Arrays) -> None:
    shared = Kernel(arm())
    expected = Kernel(arm(), mode="interpret")(*arrays)
    failures: list[int] = []

    def use(k: int) -> None:
        for _ in range(20):
            if not same_bits(shared(*arrays), expected):
                failures.append(k)

    users = [threading.Thread(target=use, args=(k,)) for k in range(8)]
    for t in users:
        t.start()
    for t in users:
        t.join()
    assert not failures


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_pieces_cover_everything_once(workers: int) -> None:
    seen = np.zeros(1000, int)

    def work(first: int, count: int) -> None:
        seen[first : first + count] += 1

    threads.run_pieces(work, 1000, 7, workers)
    assert np.all(seen == 1)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_interrupt_stops_at_the_next_piece(workers: int, error: type[BaseException]) -> None:
    done: list[int] = []

    def work(first: int, count: int) -> None:
        if threading.current_thread() is threading.main_thread() and first >= 20:
            raise error
        time.sleep(0.001)
        done.append(first)

    with pytest.raises(error):
        threads.run_pieces(work, 10_000, 10, workers)
    assert len(done) < 500


def test_memory_stays_bounded_when_arrays_are_converted(compiled: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    largest = 0
    gathered = kernel.gathered

    def watched(*arguments: Any) -> Any:
        nonlocal largest
        piece = gathered(*arguments)
        largest = max(largest, piece.nbytes)
        return piece

    monkeypatch.setattr(kernel, "gathered", watched)
    q = np.zeros((100_000, 6), np.float32)
    compiled(q, q, np.zeros(4))
    assert 0 < largest <= 4096 * 6 * 8


# single calls, bound inputs, description


def test_single_calls(compiled: Kernel, arrays: Arrays) -> None:
    q, v, p = arrays[0][0], arrays[1][0], arrays[2]
    expected = compiled(q, v, p)
    out = np.empty(6)
    assert same_bits(compiled.call(q, v, p), expected)
    assert compiled.call(q, v, p, out) is out
    assert same_bits(out, expected)
    assert same_bits(compiled.call(*arrays), compiled(*arrays))  # a batch goes the general way
    with pytest.raises(ArgumentError, match="has shape"):
        compiled.call(q[:5], v, p)
    with pytest.raises(ArgumentError, match="has shape"):
        compiled(q[:5], v, p)


def test_single_samples_that_come_again_take_the_fast_way(arrays: Arrays) -> None:
    one = Kernel(arm()).compile()
    q, v, p = arrays[0][0], arrays[1][0], arrays[2]
    expected = one(*arrays)
    for _ in range(2 * kernel.OFTEN):
        assert same_bits(one(q, v, p), expected[0])
    assert one._quick is not None
    assert same_bits(one(*arrays), expected)  # what is no plain sample is still taken
    assert same_bits(one(q.tolist(), v, p), expected[0])
    assert same_bits(one(*arrays, threads=1), expected)
    with pytest.raises(ArgumentError, match="3 arrays"):
        one(q, v)
    with pytest.raises(ArgumentError, match="4 given"):
        one(q, v, p, np.zeros(6))


def test_small_batches_that_come_again_take_the_fast_way(arrays: Arrays) -> None:
    """Plain arrays go past Python; everything else gives the same answers and errors as before."""
    one = Kernel(arm()).compile()
    q, v, p = arrays
    expected = one(*arrays)
    out = np.empty((100, 6))
    for _ in range(kernel.OFTEN):
        assert same_bits(one(*arrays, threads=1), expected)
    assert one._small is not None
    one._work_in_place = pytest.fail  # type: ignore[method-assign]
    assert one(*arrays, out=out, threads=1) is out
    assert same_bits(out, expected)
    assert same_bits(one(*arrays), expected)
    assert one(*arrays, out=(out,)) is out
    grid = one(q.reshape(4, 25, 6), v.reshape(4, 25, 6), p)
    assert grid.shape == (4, 25, 6)
    assert same_bits(grid.reshape(100, 6), expected)
    assert same_bits(one(q, v, np.tile(p, (100, 1))), expected)
    assert same_bits(one(q[7], v[7], p, threads=1), expected[7])
    assert one(q[:0], v[:0], p).shape == (0, 6)
    del one._work_in_place
    assert same_bits(one(q.tolist(), v, p), expected)
    assert same_bits(one(q, v[0], p)[0], expected[0])
    assert same_bits(one(q[::2], v[::2], p), expected[::2])
    assert same_bits(one(q[:20, None], v[None, :30], p)[3, 3], expected[3])
    mine = q.copy()
    assert same_bits(one(mine, v, p, out=mine), expected)
    many = one(np.tile(q, (2000, 1)), np.tile(v, (2000, 1)), p)
    assert same_bits(many[-100:], expected)
    for wrong in ((), [], (out, out), [out, out]):
        with pytest.raises(ArgumentError, match="out needs 1 arrays"):
            one(*arrays, out=wrong)
    with pytest.raises(ArgumentError, match=r"out tau: has shape \(99, 6\), not \(100, 6\)"):
        one(*arrays, out=out[:99])
    with pytest.raises(ArgumentError, match="do not broadcast"):
        one(q[:3], v[:4], p)
    with pytest.raises(ArgumentError, match="4 given"):
        one(q, v, p, out)


@pytest.mark.parametrize("way", ["buffer", "ctypes"])
def test_small_batches_where_heads_are_not_read(monkeypatch: pytest.MonkeyPatch, arrays: Arrays, way: str) -> None:
    monkeypatch.setenv("LINKWORK_CALLS", way)
    one = Kernel(arm()).compile()
    results = [one(*arrays) for _ in range(kernel.OFTEN + 2)]
    assert one._small is None
    assert same_bits(results[0], results[-1])


def test_small_batches_after_a_failed_self_test(
    monkeypatch: pytest.MonkeyPatch, arrays: Arrays, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(code: Any) -> None:
        raise RuntimeError("strange machine")

    monkeypatch.setattr(batchcall, "_codes", {})
    monkeypatch.setattr(batchcall, "_self_test", fail)
    one = Kernel(arm()).compile()
    results = [one(*arrays) for _ in range(3 * kernel.OFTEN)]
    assert one._small is None
    assert same_bits(results[0], results[-1])
    assert caplog.text.count("strange machine") == 1


def test_small_batches_leak_nothing(compiled: Kernel, arrays: Arrays) -> None:
    out, short = np.empty((100, 6)), np.empty((99, 6))
    one = Kernel(arm()).compile()
    x = ca.SX.sym("x", 3)
    two = Kernel(ca.Function("f", [x], [x + 1, 2 * x])).compile()
    b = np.ones((5, 3))

    def some(times: int) -> None:
        for _ in range(times):
            one(*arrays, out=out)
            one(*arrays)
            two(b)
            one._small(*arrays, short)
            one._small(arrays[0], arrays[1][:4], arrays[2])

    for _ in range(2 * kernel.OFTEN):
        one(*arrays), two(b)
    some(100)
    watched = [*arrays, out, short, b, np.ndarray, np.dtype(np.float64)]
    before, blocks = [sys.getrefcount(w) for w in watched], sys.getallocatedblocks()
    some(5000)
    after = [sys.getrefcount(w) for w in watched]
    assert all(abs(m - n) < 50 for m, n in zip(before, after, strict=True)), (before, after)
    assert abs(sys.getallocatedblocks() - blocks) < 500


def test_the_workspace_of_a_thread_grows_and_stays() -> None:
    kept = tiers._Workspace()
    first, address = kept.get(10)
    assert address % 64 == 0
    assert kept.get(5) == (first, address)
    second, more = kept.get(1000)
    assert second is not first
    assert kept.get(1000)[1] == kept.get(10)[1] == more
    assert kept.get(2 * tiers.KEPT)[1] % 64 == 0  # too large to keep
    assert kept.get(1000)[1] == more


def test_bound_inputs(compiled: Kernel, arrays: Arrays) -> None:
    q, v, p = arrays
    mine = p.copy()
    bound = compiled.bind(mine)
    expected = compiled(q, v, p)
    assert same_bits(bound(q, v), expected)
    mine[:] = 0  # a copy was taken
    assert same_bits(bound(q, v), expected)
    assert same_bits(bound.call(q[3], v[3]), expected[3])
    assert bound.input_names == ("q", "v")
    assert bound.sizes == ((6, 6, 4), (6,))
    assert same_bits(bound.bound[0], p)
    assert "with 1 bound" in repr(bound)
    both = bound.bind(v[0])
    assert same_bits(both(q[0]), expected[0])
    assert same_bits(Kernel(arm(), bound=[p])(q, v), expected)
    assert same_bits(Kernel(arm(), bound=[p], mode="interpret")(q.astype(">f8"), v), expected)
    with pytest.raises(ArgumentError, match=r"p: has shape \(3,\), not \(4,\)"):
        compiled.bind(p[:3])
    with pytest.raises(ArgumentError, match="4 arrays to bind"):
        compiled.bind(1, 2, 3, 4)


def test_a_kernel_describes_itself(compiled: Kernel) -> None:
    assert compiled.name == "arm"
    assert Kernel(arm(), "tau").name == "tau"
    assert compiled.inputs == (Block("q", (6,)), Block("v", (6,)), Block("p", (4,)))
    assert (compiled.input_names, compiled.output_names) == (("q", "v", "p"), ("tau",))
    assert compiled.sizes == ((6, 6, 4), (6,))
    assert compiled.operations > 50
    assert len(repr(compiled).splitlines()) == 2
    assert "Kernel 'arm': q[6], v[6], p[4] -> tau[6]" in repr(compiled)
    assert compiled.address != compiled.batch_address
    assert compiled.workspace >= 22 * this_machine().width


# processes


def _run(program: str) -> subprocess.CompletedProcess[str]:
    head = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
    return subprocess.run([sys.executable, "-c", head + program], capture_output=True, text=True, timeout=60)


def test_a_process_may_end_while_a_kernel_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    program = """
from tapes import random_function, random_arguments
from linkwork.kernels import Kernel
kernel = Kernel(random_function(7, 3000))
kernel(*random_arguments(0, 1))
kernel(*random_arguments(0, 2000))
kernel._engine._work = 1e9
kernel(*random_arguments(0, 1))
assert kernel._engine.reason == "being compiled", kernel
print("done")
"""
    result = _run(program)
    assert (result.returncode, result.stdout, result.stderr) == (0, "done\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path))
    program = """
import os, numpy as np
from tapes import arm
from linkwork.kernels import Kernel
q = np.linspace(0, 1, 600_000).reshape(-1, 6)
one, two = Kernel(arm()).compile(), Kernel(arm(), mode="interpret")
expected = one(q, q, np.ones(4))
child = os.fork()
if child == 0:
    same = np.array_equal(one(q, q, np.ones(4)), expected)
    same &= np.array_equal(two(q[:50], q[:50], np.ones(4)), expected[:50])
    os._exit(0 if same else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    result = _run(program)
    assert (result.returncode, result.stdout) == (0, "0\n"), result.stderr


def test_a_single_call_takes_numbers_lists_and_views() -> None:
    x, y = ca.SX.sym("x"), ca.SX.sym("y", 2)
    kernel = Kernel(ca.Function("f", [x, y], [x * y])).compile()
    out = np.empty(2)
    view = np.arange(8.0).reshape(2, 4)[:, 1]
    for sample in ((3.0, [1.0, 5.0]), (3, view), (np.float64(3.0), np.array([1, 5])), (np.array(3.0), [True, 5])):
        np.testing.assert_array_equal(kernel.call(*sample), [3.0, 15.0])
        assert kernel.call(*sample, out) is out
        assert kernel.call(*sample, out=out) is out
        np.testing.assert_array_equal(out, [3.0, 15.0])
    assert kernel.call([1.0, 2.0], [1.0, 5.0]).shape == (2, 2)
    for wrong in ((3.0, "ab"), (3.0, [1.0, 2j]), (3.0, [1.0, 2.0, 3.0]), (3.0,)):
        with pytest.raises(ArgumentError):
            kernel.call(*wrong)
    with pytest.raises(ArgumentError, match="twice"):
        kernel.call(3.0, [1.0, 2.0], out, out=out)


def test_a_copied_kernel_gives_the_same_bits() -> None:
    x = ca.SX.sym("x", 3)
    kernel = Kernel(
        ca.Function("f", [x, ca.SX.sym("p", 0)], [ca.sin(x) * x[0]]), output_shapes=[(3, 1)], bound=[np.zeros(0)]
    )
    samples = np.random.default_rng(1).normal(size=(50, 3))
    for other in (pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel)):
        np.testing.assert_array_equal(other(samples), kernel(samples))
        assert other(samples).shape == (50, 3, 1)


@pytest.mark.parametrize("threads", [0, -1, "2", 2.5])
def test_threads_are_counted(threads: object) -> None:
    x = ca.SX.sym("x", 3)
    with pytest.raises(ArgumentError, match="threads"):
        Kernel(ca.Function("f", [x], [x]))(np.zeros(3), threads=threads)  # type: ignore[arg-type]
