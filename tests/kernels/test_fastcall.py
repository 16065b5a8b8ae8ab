"""Single calls: right results, everything unusual handed on unchanged, nothing leaked, in every tier."""

from __future__ import annotations

import ctypes
import gc
import itertools
import logging
import pickle
import struct
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from linkwork.kernels import fastcall
from linkwork.kernels.fastcall import MAX_AXES, MAX_BLOCKS, TIERS, call_tier, fast_call

CPYTHON = sys.implementation.name == "cpython"

# A kernel of three input blocks: out = 2 a + b c, elementwise on 3 numbers; c is bound.
AXPY = """
define void @lw_axpy(ptr %in, ptr %out) {
start:
  %a = load ptr, ptr %in
  %b.at = getelementptr ptr, ptr %in, i64 1
  %b = load ptr, ptr %b.at
  %c.at = getelementptr ptr, ptr %in, i64 2
  %c = load ptr, ptr %c.at
  %o = load ptr, ptr %out
  br label %loop
loop:
  %i = phi i64 [0, %start], [%next, %loop]
  %ai = getelementptr double, ptr %a, i64 %i
  %bi = getelementptr double, ptr %b, i64 %i
  %ci = getelementptr double, ptr %c, i64 %i
  %oi = getelementptr double, ptr %o, i64 %i
  %av = load double, ptr %ai
  %bv = load double, ptr %bi
  %cv = load double, ptr %ci
  %bc = fmul double %bv, %cv
  %aa = fadd double %av, %av
  %sum = fadd double %aa, %bc
  store double %sum, ptr %oi
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 3
  br i1 %more, label %loop, label %end
end:
  ret void
}
"""
CONSTANT = np.array([10.0, 100.0, 1000.0])


@pytest.fixture(scope="module")
def axpy() -> Iterator[int]:
    engine = fastcall._compile(AXPY)
    yield engine.get_function_address("lw_axpy")


@pytest.fixture(params=TIERS)
def tier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each tier in turn, really in use."""
    monkeypatch.setenv("LINKWORK_CALLS", request.param)
    if not call_tier().startswith(f"{request.param}:"):
        pytest.skip(call_tier())
    return request.param


class General:
    """A general call that remembers what it got."""

    def __init__(self) -> None:
        self.got: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def __call__(self, *arguments: Any, **options: Any) -> str:
        self.got.append((arguments, options))
        return "general"


def make(entry: int, general: Callable[..., Any] | None = None, **options: Any) -> Callable[..., Any]:
    return fast_call("axpy", entry, ((3,), (3,)), ((3,),), (CONSTANT.ctypes.data,), general or General(), **options)


def python_kernel(function: Callable[[Any, Any], None]) -> tuple[int, object]:
    """The address of a kernel written in Python, and what keeps it alive."""
    pointers = ctypes.POINTER(ctypes.POINTER(ctypes.c_double))
    compiled = ctypes.CFUNCTYPE(None, pointers, pointers)(function)
    return ctypes.cast(compiled, ctypes.c_void_p).value or 0, compiled


# ---------------------------------------------------------------------------------------------------------------------
# Right calls


@pytest.mark.parametrize("release_gil", [False, True])
def test_fills_the_output_and_returns_it(tier: str, axpy: int, release_gil: bool) -> None:
    call = make(axpy, release_gil=release_gil)
    a, b, out = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]), np.zeros(3)
    assert call(a, b, out) is out
    assert out.tolist() == [42.0, 504.0, 6006.0]
    assert a.tolist() == [1.0, 2.0, 3.0] and b.tolist() == [4.0, 5.0, 6.0]


@pytest.mark.parametrize("release_gil", [False, True])
def test_makes_the_output(tier: str, axpy: int, release_gil: bool) -> None:
    call = make(axpy, release_gil=release_gil)
    a, b = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    first, second = call(a, b), call(b, b)
    assert type(first) is np.ndarray and first.dtype == np.float64 and first.shape == (3,)
    assert first.flags.owndata and first.flags.writeable and first.flags.c_contiguous
    assert first.tolist() == [42.0, 504.0, 6006.0]
    assert second.tolist() == [48.0, 510.0, 6012.0]


@pytest.mark.parametrize("inputs", range(9))
@pytest.mark.parametrize("outputs", range(1, 9))
def test_blocks_of_all_counts(tier: str, inputs: int, outputs: int) -> None:
    # Output k is k plus the sum of all inputs, bound ones too, in the first place, and the block's number in the last.
    for bound in (0, 1, 3):
        constants = [np.full(1, 1000.0 * k) for k in range(bound)]

        def kernel(given: Any, results: Any, bound: int = bound) -> None:
            total = sum(given[k][0] for k in range(inputs + bound))
            for k in range(outputs):
                results[k][k] = k
                results[k][0] = total + k

        entry, alive = python_kernel(kernel)
        general = General()
        call = fast_call(
            "blocks",
            entry,
            [(k,) for k in range(1, inputs + 1)],
            [(k,) for k in range(1, outputs + 1)],
            [c.ctypes.data for c in constants],
            general,
            owner=(alive, constants),
        )
        given = [np.full(k, float(10 * k)) for k in range(1, inputs + 1)]
        outs = [np.full(k, np.nan) for k in range(1, outputs + 1)]
        total = sum(x[0] for x in (*given, *constants))
        for answer in (call(*given, *outs), call(*given)):
            results = (answer,) if outputs == 1 else answer
            assert type(results) is tuple and len(results) == outputs
            assert [r[0] for r in results] == [total + k for k in range(outputs)]
            assert [r[-1] for r in results[1:]] == list(range(1, outputs))
        answer = call(*given, *outs)
        assert answer is outs[0] if outputs == 1 else all(a is b for a, b in zip(answer, outs, strict=True))
        assert not general.got


def test_more_blocks_than_the_compiled_entry_takes(tier: str) -> None:
    count = MAX_BLOCKS + 5

    def kernel(given: Any, results: Any) -> None:
        results[0][0] = sum(given[k][0] for k in range(count))

    entry, alive = python_kernel(kernel)
    call = fast_call("many", entry, [(1,)] * count, [(1,)], [], General(), owner=alive)
    assert call(*(np.full(1, float(k)) for k in range(count))).tolist() == [sum(range(count))]


SHAPES = [(), (1,), (5,), (2, 3), (3, 2), (1, 1), (0, 4), (2, 1, 3), (6, 4, 4), (2, 2, 2, 2)]


@pytest.mark.parametrize("taken", SHAPES)
@pytest.mark.parametrize("given", SHAPES)
def test_blocks_of_every_shape(tier: str, taken: tuple[int, ...], given: tuple[int, ...]) -> None:
    """An array of the shape is taken, all others are handed on; results have the shape, whoever made them."""
    size = int(np.prod(taken))

    def kernel(inputs: Any, results: Any) -> None:
        for k in range(size):
            results[0][k] = 2 * inputs[0][k]

    entry, alive = python_kernel(kernel)
    general = General()
    call = fast_call("shapes", entry, [taken], [taken], [], general, owner=alive)
    x = np.arange(float(size)).reshape(taken)
    other = np.full(given, 7.0)
    if given != taken:
        assert call(other) == "general"
        assert call(other, np.zeros(taken)) == "general"
        assert call(x, other) == "general"
        assert np.all(other == 7.0)
        return
    for answer in (call(x), call(x, other)):
        assert type(answer) is np.ndarray
        assert answer.shape == taken
        assert answer.flags.c_contiguous
        assert np.array_equal(answer, 2 * x)
    assert call(x, other) is other
    assert not general.got


def test_matrices_in_the_order_of_fortran_are_handed_on(tier: str) -> None:
    entry, alive = python_kernel(lambda inputs, results: None)
    general = General()
    call = fast_call("order", entry, [(2, 3)], [(3, 2)], [], general, owner=alive)
    for arguments in (
        (np.zeros((2, 3), order="F"), np.zeros((3, 2))),
        (np.zeros((2, 3)), np.zeros((3, 2), order="F")),
        (np.zeros((3, 2)).T, np.zeros((3, 2))),
        (np.zeros((2, 6))[:, ::2], np.zeros((3, 2))),
        (np.zeros((2, 3)), np.broadcast_to(0.0, (3, 2))),
    ):
        assert call(*arguments) == "general"
        assert_handed_on(general, arguments)


def test_blocks_of_more_axes_than_the_compiled_entry_takes(tier: str) -> None:
    shape = (1,) * MAX_AXES + (2,)

    def kernel(given: Any, results: Any) -> None:
        results[0][1] = given[0][1]

    entry, alive = python_kernel(kernel)
    call = fast_call("deep", entry, [shape], [shape], [], General(), owner=alive)
    assert call(np.full(shape, 3.0))[..., 1] == 3.0
    assert call(np.zeros(2)) == "general"


def test_empty_blocks(tier: str) -> None:
    def kernel(given: Any, results: Any) -> None:
        results[1][0] = 7.0

    entry, alive = python_kernel(kernel)
    call = fast_call("empty", entry, [(0,)], [(0,), (1,)], [], General(), owner=alive)
    nothing, result = call(np.zeros(0))
    assert nothing.shape == (0,) and result.tolist() == [7.0]
    assert call(np.zeros(0), nothing, result)[0] is nothing


def test_plain_arrays_of_any_origin(tier: str, axpy: int) -> None:
    general = General()
    call = make(axpy, general)
    rows = np.arange(12.0).reshape(4, 3)
    frozen = np.array([1.0, 2.0, 3.0])
    frozen.flags.writeable = False
    lent = np.frombuffer(struct.pack("=3d", 1.0, 2.0, 3.0))
    warns = np.broadcast_arrays(frozen.copy(), np.zeros((1, 3)))[0][0]
    for a in (rows[1], rows.ravel()[2:5], frozen, lent, warns, np.array([1.0, 2.0, 3.0], dtype="f8")):
        out = np.zeros((2, 3))[1]
        assert call(a, rows[0], out) is out
        np.testing.assert_array_equal(out, 2 * a + rows[0] * CONSTANT)
        np.testing.assert_array_equal(call(a, a), 2 * a + a * CONSTANT)
    assert not general.got


def test_neighbours_in_memory_do_not_overlap(tier: str, axpy: int) -> None:
    general = General()
    call = make(axpy, general)
    block = np.arange(9.0)
    for i, j, k in itertools.permutations(range(3)):
        a, b, out = block[3 * i :][:3], block[3 * j :][:3], block[3 * k :][:3]
        expected = 2 * a + b * CONSTANT
        np.testing.assert_array_equal(call(a, b, out), expected)
    assert not general.got


def test_calls_of_every_form(tier: str, axpy: int) -> None:
    # The interpreter, unpacking, map and functools reach a builtin by different ways.
    call = make(axpy)
    a, b, out = np.ones(3), np.ones(3), np.zeros(3)
    expected = (2 + CONSTANT).tolist()
    arguments, options = (a, b, out), {}
    assert call(*arguments, **options) is out
    assert call.__call__(a, b, out) is out
    assert partial(call, a)(b, out) is out
    assert [x.tolist() for x in map(call, (a, a), (b, b))] == [expected, expected]

    class Holder:
        method = call

    # A builtin is no method of the class that holds it, a plain function is.
    if tier != "ctypes":
        assert Holder().method(a, b).tolist() == expected


# ---------------------------------------------------------------------------------------------------------------------
# Everything else goes to the general call


class Subclass(np.ndarray):
    pass


def strange_arrays() -> dict[str, Any]:
    raw = np.zeros(33, np.uint8)
    metadata = np.zeros(3, np.dtype("f4", metadata={"unit": "m"}))
    return {
        "too short": np.zeros(2),
        "too long": np.zeros(4),
        "zero length": np.zeros(0),
        "0-d": np.array(1.0),
        "2-d row": np.zeros((1, 3)),
        "2-d column": np.zeros((3, 1)),
        "3-d": np.zeros((3, 1, 1)),
        "float32": np.zeros(3, np.float32),
        "float32 of as many bytes": np.zeros(6, np.float32),
        "longdouble": np.zeros(3, np.longdouble),
        "int64": np.zeros(3, np.int64),
        "complex": np.zeros(3, complex),
        "bool": np.zeros(3, bool),
        "bytes": np.zeros(24, np.uint8),
        "datetime": np.zeros(3, "M8[s]"),
        "objects": np.zeros(3, object),
        "record": np.zeros(3, [("x", "f8")]),
        "metadata": metadata,
        "swapped": np.zeros(3, np.dtype(np.float64).newbyteorder()),
        "big-endian or int": np.zeros(3, ">f8" if sys.byteorder == "little" else ">i8"),
        "strided": np.zeros(6)[::2],
        "reversed": np.zeros(3)[::-1],
        "broadcast": np.broadcast_to(np.float64(1.0), 3),
        "unaligned": raw[1:25].view(np.float64),
        "subclass": np.zeros(3).view(Subclass),
        "matrix": np.zeros((1, 3)).view(np.matrix),
        "masked": np.ma.zeros(3),
        "list": [1.0, 2.0, 3.0],
        "tuple": (1.0, 2.0, 3.0),
        "None": None,
        "float": 1.0,
        "int": 1,
        "numpy scalar": np.float64(1.0),
        "string": "abc",
        "bytes object": bytes(24),
        "bytearray": bytearray(24),
        "memoryview": memoryview(np.zeros(3)),
        "ctypes array": (ctypes.c_double * 3)(),
        "type": np.ndarray,
    }


def assert_handed_on(general: General, arguments: tuple[Any, ...], options: dict[str, Any] | None = None) -> None:
    got, named = general.got.pop()
    assert len(got) == len(arguments) and all(a is b for a, b in zip(got, arguments, strict=True))
    assert list(named) == list(options or {}) and all(named[k] is v for k, v in (options or {}).items())
    assert not general.got


@pytest.mark.parametrize("kind", strange_arrays())
def test_strange_arguments_are_handed_on(tier: str, axpy: int, kind: str) -> None:
    general = General()
    call = make(axpy, general)
    x = np.ones(3)
    for place in range(3):
        out = np.full(3, 7.0)
        arguments: list[Any] = [x, x.copy(), out]
        arguments[place] = strange_arrays()[kind]
        assert call(*arguments) == "general"
        assert_handed_on(general, tuple(arguments))
        assert out.tolist() == [7.0] * 3
        if place < 2:
            assert call(*arguments[:2]) == "general"
            assert_handed_on(general, tuple(arguments[:2]))


def test_memory_maps_are_handed_on(tier: str, axpy: int, tmp_path: Any) -> None:
    general = General()
    call = make(axpy, general)
    mapped = np.memmap(tmp_path / "block", dtype=np.float64, mode="w+", shape=3)
    call(mapped, np.ones(3), np.zeros(3))
    assert len(general.got) == 1


def test_outputs_that_must_not_be_written_are_handed_on(tier: str, axpy: int) -> None:
    general = General()
    call = make(axpy, general)
    x = np.ones(3)
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    lent = np.frombuffer(bytes(24))
    spread = np.broadcast_to(np.zeros(3), (2, 3))[0]
    for out in (frozen, lent, spread):
        assert call(x, x, out) == "general"
        assert_handed_on(general, (x, x, out))
        assert out.tolist() == [0.0] * 3


@pytest.mark.filterwarnings("ignore:Numpy has detected:DeprecationWarning")
def test_outputs_that_warn_when_written_are_handed_on(tier: str, axpy: int) -> None:
    general = General()
    call = make(axpy, general)
    x = np.ones(3)
    warns = np.broadcast_arrays(np.zeros(3), np.zeros(3))[0]
    if warns.flags.num & 0x80000000:
        call(x, x, warns)
        assert len(general.got) == (tier != "buffer")  # a buffer was asked for: numpy has warned, and allows


def test_wrong_counts_and_keywords_are_handed_on(tier: str, axpy: int) -> None:
    general = General()
    call = make(axpy, general)
    x, out = np.ones(3), np.zeros(3)
    for count in (0, 1, 4, 5, 40):
        assert call(*[x] * count) == "general"
        assert_handed_on(general, (x,) * count)
    for positional, options in (
        ((x, x), {"out": out}),
        ((x, x, out), {"threads": 2}),
        ((), {"a": x, "b": x, "out": out}),
        ((x,), {"b": x}),
    ):
        assert call(*positional, **options) == "general"
        assert_handed_on(general, positional, options)
    assert out.tolist() == [0.0] * 3


def test_overlapping_outputs_are_handed_on(tier: str, axpy: int) -> None:
    general = General()
    call = make(axpy, general)
    x, block = np.ones(3), np.zeros(10)
    middle = block[3:6]
    for shift in range(1, 6):
        other = block[shift : shift + 3]
        for arguments in ((x, other, middle), (other, x, middle)):
            assert call(*arguments) == "general"
            assert_handed_on(general, arguments)
    for arguments in ((x, block[:3], x), (block[:3], x, x)):
        assert call(*arguments) == "general"
        assert_handed_on(general, arguments)
    assert not block.any() and x.tolist() == [1.0] * 3


def test_overlapping_outputs_among_themselves_are_handed_on(tier: str, axpy: int) -> None:
    general = General()
    call = fast_call("two", axpy, ((3,),), ((3,), (3,)), (CONSTANT.ctypes.data,) * 2, general)
    x, block = np.ones(3), np.zeros(10)
    for arguments in ((x, block[:3], block[2:5]), (x, block[2:5], block[:3]), (x, block[:3], block[:3])):
        assert call(*arguments) == "general"
        assert_handed_on(general, arguments)


def test_errors_of_the_general_call_come_through(tier: str, axpy: int) -> None:
    def general(*arguments: Any, **options: Any) -> None:
        raise KeyError("no such thing")

    call = make(axpy, general)
    for _ in range(100):
        with pytest.raises(KeyError, match="no such thing"):
            call([1, 2, 3], np.zeros(3)[::-1])
        with pytest.raises(KeyError, match="no such thing"):
            call(np.zeros(3), np.zeros(3), out=None)
    assert call(np.ones(3), np.ones(3)).tolist() == (2 + CONSTANT).tolist()


def test_the_general_call_may_call_again(tier: str, axpy: int) -> None:
    def general(a: Any, b: Any) -> Any:
        return call(np.asarray(a, float), np.asarray(b, float))

    call = make(axpy, general)
    assert call([1, 2, 3], [4, 5, 6]).tolist() == [42.0, 504.0, 6006.0]


def test_arrays_from_a_pickle_give_the_right_answer(tier: str, axpy: int) -> None:
    # Their dtype may be another object than numpy's own float64; then the general call does it.
    call = make(axpy, lambda *arguments: "general")
    a = pickle.loads(pickle.dumps(np.array([1.0, 2.0, 3.0])))
    answer = call(a, a)
    assert isinstance(answer, str) or answer.tolist() == (2 * a + a * CONSTANT).tolist()


# ---------------------------------------------------------------------------------------------------------------------
# Lives


@pytest.mark.skipif(not CPYTHON, reason="counts references")
def test_references_are_kept_in_balance(tier: str, axpy: int) -> None:
    def general(*arguments: Any, **options: Any) -> None:
        return None

    call = make(axpy, general)
    two = fast_call("two", axpy, ((3,), (3,)), ((3,), (3,)), (CONSTANT.ctypes.data,), general)
    a, b, out, other = np.ones(3), np.ones(3), np.zeros(3), np.zeros(3)
    strided, short = np.zeros(6)[::2], np.zeros(2)
    watched = [a, b, out, other, strided, short, np.ndarray, general, call.__doc__, None]
    if tier != "ctypes":  # numpy.empty itself takes a reference to its dtype and never gives it back
        watched.append(np.dtype(np.float64))

    def some(times: int) -> None:
        for _ in range(times):
            call(a, b, out)
            call(a, b)
            two(a, b, out, other)
            two(a, b)
            call(a, b, a)
            call(a, strided)
            call(a, short, out)
            call(a, b, out=out)
            two(a, b, out, strided)

    def counts() -> list[int]:
        gc.collect()
        return [sys.getrefcount(x) for x in watched]

    some(100)
    before, blocks = counts(), sys.getallocatedblocks()
    times = 100_000 if tier == "head" else 20_000 if tier == "buffer" else 1_000
    some(times)
    after = counts()
    assert all(abs(x - y) < 50 for x, y in zip(before, after, strict=True)), (before, after)
    assert abs(sys.getallocatedblocks() - blocks) < 500


@pytest.mark.skipif(not CPYTHON, reason="counts references")
def test_dropped_callables_are_collected(tier: str, axpy: int) -> None:
    class Kernel:
        """As kernels are: it holds the callable, whose general call is its method."""

        def __init__(self) -> None:
            self.constants = np.ones(3)
            self.call = fast_call(
                "k", axpy, ((3,), (3,)), ((3,),), (self.constants.ctypes.data,), self.general, owner=self
            )

        def general(self, *arguments: Any) -> str:
            return "general"

    x = np.ones(3)

    def one() -> weakref.ref[Kernel]:
        kernel = Kernel()
        assert kernel.call(x, x).tolist() == [3.0] * 3
        assert kernel.call(x, [1]) == "general"
        return weakref.ref(kernel)

    [one() for _ in range(10)]
    gc.collect()
    blocks = sys.getallocatedblocks()
    references = [one() for _ in range(1_000)]
    gc.collect()
    assert not any(r() for r in references)
    del references
    assert sys.getallocatedblocks() - blocks < 500


def test_a_callable_keeps_all_it_needs(tier: str, axpy: int) -> None:
    class Constants(np.ndarray):
        pass

    def build() -> tuple[Callable[..., Any], weakref.ref[Any]]:
        constants = np.array([1.0, 2.0, 3.0]).view(Constants)

        def general(*arguments: Any) -> str:
            """What the general call does."""
            return "general"

        call = fast_call("kept", axpy, ((3,), (3,)), ((3,),), (constants.ctypes.data,), general, owner=constants)
        return call, weakref.ref(constants)

    call, constants = build()
    gc.collect()
    junk = [np.full(3, 9.0) for _ in range(1000)]
    assert constants() is not None
    assert call(np.ones(3), np.ones(3)).tolist() == [3.0, 4.0, 5.0]
    assert call(None) == "general"
    assert call.__name__ == "kept"
    assert call.__doc__ == "What the general call does."
    assert "kept" in repr(call)
    del call, junk
    gc.collect()
    assert constants() is None


def test_the_last_reference_may_go_during_a_call(tier: str, axpy: int) -> None:
    calls: list[Any] = []

    def general(*arguments: Any) -> str:
        calls.clear()
        gc.collect()
        return "general"

    for _ in range(10):
        calls.append(make(axpy, general))
        assert calls[0](None) == "general"


def test_one_code_serves_all_callables(axpy: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LINKWORK_CALLS", raising=False)
    call_tier()
    monkeypatch.setattr(fastcall, "_compile", lambda assembly: pytest.fail("compiled again"))
    for count in range(1, 20):
        fast_call("k", axpy, [(1,)] * count, [(1,)], [], General())


# ---------------------------------------------------------------------------------------------------------------------
# Threads


def test_other_threads_run_meanwhile(tier: str) -> None:
    # Two kernels that wait for each other can only both end if neither holds the interpreter.
    arrived = [threading.Event(), threading.Event()]

    def kernel_of(me: int) -> Callable[[Any, Any], None]:
        def kernel(given: Any, results: Any) -> None:
            arrived[me].set()
            results[0][0] = float(arrived[1 - me].wait(20.0))

        return kernel

    parts = [python_kernel(kernel_of(k)) for k in range(2)]
    calls = [fast_call("wait", entry, [], [(1,)], [], General(), release_gil=True) for entry, _ in parts]
    outs = [np.zeros(1), np.zeros(1)]
    threads = [threading.Thread(target=call, args=(out,)) for call, out in zip(calls, outs, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30.0)
    assert [out[0] for out in outs] == [1.0, 1.0]


SPIN = """
define void @lw_spin(ptr %in, ptr %out) {
start:
  %o = load ptr, ptr %out
  br label %loop
loop:
  %i = phi i64 [0, %start], [%next, %loop]
  %next = add i64 %i, 1
  store volatile double 1.0, ptr %o
  %more = icmp ult i64 %next, 300000000
  br i1 %more, label %loop, label %end
end:
  ret void
}
"""


def test_a_machine_code_kernel_lets_others_run_if_told_to(tier: str) -> None:
    engine = fastcall._compile(SPIN)
    call = fast_call("spin", engine.get_function_address("lw_spin"), [], [(1,)], [], General(), release_gil=True)
    thread = threading.Thread(target=call, args=(np.zeros(1),))
    thread.start()
    ticks = 0
    while thread.is_alive():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    assert ticks > 3


def test_many_threads_call_one_callable(tier: str, axpy: int) -> None:
    call = make(axpy, release_gil=True)
    wrong: list[Any] = []

    def work(seed: int) -> None:
        x, out = np.full(3, float(seed)), np.zeros(3)
        expected = 2 * x + x * CONSTANT
        for _ in range(2_000 if tier != "ctypes" else 200):
            if not (np.array_equal(call(x, x), expected) and np.array_equal(call(x, x, out), expected)):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# ---------------------------------------------------------------------------------------------------------------------
# The choice of a tier


@pytest.fixture
def fresh_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a new process: no tier is chosen yet."""
    monkeypatch.delenv("LINKWORK_CALLS", raising=False)
    monkeypatch.setattr(fastcall, "_choices", {})


def test_tells_the_tier(fresh_choice: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert call_tier().split(":")[0] in TIERS
    monkeypatch.setenv("LINKWORK_CALLS", " CTYPES ")
    assert call_tier() == "ctypes: asked for by LINKWORK_CALLS; self-test passed"


def test_refuses_an_unknown_tier(fresh_choice: None, monkeypatch: pytest.MonkeyPatch, axpy: int) -> None:
    monkeypatch.setenv("LINKWORK_CALLS", "warp")
    with pytest.raises(ValueError, match="LINKWORK_CALLS=warp is not a way to call; use one of head, buffer, ctypes"):
        make(axpy)


@pytest.mark.skipif(not CPYTHON, reason="compiled tiers")
def test_drops_a_tier_that_fails(
    fresh_choice: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, axpy: int
) -> None:
    # flags read wrongly: outputs that must not be written would be
    monkeypatch.setattr(fastcall, "_WRITE_FLAGS", fastcall._READ_FLAGS)
    with caplog.at_level(logging.WARNING, logger="linkwork.kernels"):
        first, second = call_tier(), call_tier()
    assert first == second == "buffer: not head: wrong arguments are not handed on; self-test passed"
    assert [r.name for r in caplog.records] == ["linkwork.kernels"]
    assert "tier 'head'" in caplog.text
    assert make(axpy)(np.ones(3), np.ones(3)).tolist() == (2 + CONSTANT).tolist()


@pytest.mark.skipif(not CPYTHON, reason="compiled tiers")
def test_without_a_compiler_calls_go_through_ctypes(
    fresh_choice: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, axpy: int
) -> None:
    def broken(assembly: str) -> None:
        raise RuntimeError("no target")

    monkeypatch.setattr(fastcall, "_compile", broken)
    assert call_tier().startswith("ctypes: not head: no target; not buffer: no target")
    assert make(axpy)(np.ones(3), np.ones(3)).tolist() == (2 + CONSTANT).tolist()


def test_if_nothing_works_the_general_call_does(
    fresh_choice: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, axpy: int
) -> None:
    def broken(tier: str, code: Any) -> None:
        raise RuntimeError("strange machine")

    monkeypatch.setattr(fastcall, "_self_test", broken)
    assert call_tier().startswith("general: ")
    general = General()
    assert make(axpy, general) is general
    assert len(caplog.records) == 3


@pytest.mark.parametrize("setting", ["Py_GIL_DISABLED", "Py_DEBUG", "Py_TRACE_REFS"])
def test_special_builds_do_not_read_heads(
    fresh_choice: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, setting: str
) -> None:
    if not CPYTHON:
        pytest.skip("compiled tiers")
    monkeypatch.setattr(fastcall.sysconfig, "get_config_var", lambda name: name == setting)
    assert call_tier() == f"buffer: not head: Python was built with {setting}; self-test passed"
    assert not caplog.records


@pytest.mark.skipif(not CPYTHON, reason="compiled tiers")
def test_without_numpys_table_results_are_made_by_the_general_call(
    fresh_choice: None, monkeypatch: pytest.MonkeyPatch, axpy: int
) -> None:
    monkeypatch.setattr(fastcall, "_numpy_new", lambda: 0)
    assert call_tier() == "head: self-test passed" or sys.maxsize < 2**32
    x, out = np.ones(3), np.zeros(3)
    assert make(axpy)(x, x) == "general"
    assert make(axpy)(x, x, out) is out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"outputs": ()}, "'k' has no outputs"),
        ({"inputs": ((3,), (2, -1))}, "'k' has a block of negative length"),
        ({"entry": 0}, "'k' has a null address"),
        ({"bound": (0,)}, "'k' has a null address"),
        ({"general": None}, "'k': the general call is not a function"),
    ],
)
def test_refuses_kernels_that_cannot_be(change: dict[str, Any], message: str) -> None:
    right: dict[str, Any] = {"entry": 1, "inputs": ((3,),), "outputs": ((3,),), "bound": (), "general": General()}
    with pytest.raises((ValueError, TypeError), match=message):
        fast_call("k", **(right | change))


def test_nothing_is_compiled_at_import() -> None:
    code = "import linkwork.kernels.fastcall as f, sys; sys.exit(bool(f._choices))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
