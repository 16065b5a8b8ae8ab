"""One call from Python for a small batch, for about the price of a single sample.

`batch_call` makes a callable like that of `fastcall.py`, with the same table and the same rules, over the batch entry
of a kernel (`lw_batch` of `program.py`). The arrays have leading axes before those of their blocks: all inputs the same
ones, or none, if all samples share the input; the outputs those of the inputs. What is not so, and batches of more
samples than it is told to take, it declines: it returns None and has done nothing.

Only the tier that reads heads of arrays has this; elsewhere, and where its self-test fails, there is no such callable.
"""

from __future__ import annotations

import ctypes
import logging
import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.kernels import fastcall
from linkwork.kernels.fastcall import _VARIABLE, ARRAY_HEAD, EXACT_ARRAY, Call, Shape, _choose, _Code, _expect, _Kernel

log = logging.getLogger("linkwork.kernels")

LEADING = 8
"""Most leading axes."""
ALIGN = 64
"""Bytes to which the workspace is aligned."""

# Parts of the entry. %lead, %samples: leading axes and their product, known from the first input that has some; %whole:
# their lengths, followed, where an array is made, by those of its block. %strides goes with %pointers.
_BATCH = {
    "views": f"""
  %strides = alloca [{fastcall.MAX_BLOCKS} x $word]
  %whole = alloca [{LEADING + fastcall.MAX_AXES} x $word]
  %room.at = alloca ptr
  store ptr null, ptr %room.at""",
    "carry": """
  %lead = phi $word [0, %start], [%lead.now, %opened]
  %samples = phi $word [1, %start], [%samples.now, %opened]""",
    "whole_shape": """
  br label %make.axis
make.axis:
  %m = phi $word [0, %make], [%m.next, %make.one]
  %m.more = icmp ult $word %m, %axes
  br i1 %m.more, label %make.one, label %make.new
make.one:
  %m.from = getelementptr $word, ptr %shape, $word %m
  %m.length = load $word, ptr %m.from
  %m.place = add $word %lead, %m
  %m.to = getelementptr $word, ptr %whole, $word %m.place
  store $word %m.length, ptr %m.to
  %m.next = add $word %m, 1
  br label %make.axis
make.new:
  %new.axes = add $word %lead, %axes
  %new.nd = trunc $word %new.axes to i32
  %new.shape = getelementptr $word, ptr %whole, $word 0""",
    "made": "make.new",
    "open": f"""{EXACT_ARRAY}
  %nd.found = load i32, ptr %nd.at
  %nd = zext i32 %nd.found to $word
  %nd.enough = icmp uge $word %nd, %axes{ARRAY_HEAD}
  %typed = and i1 %nd.enough, %dtype.right
  %head.right = and i1 %typed, %flags.right
  br i1 %head.right, label %leading, label %wrong
leading:  ; none, those known, or the first ones
  %extra = sub $word %nd, %axes
  %input = icmp ult $word %i, %inputs
  %none = icmp eq $word %extra, 0
  %shared = and i1 %input, %none
  %known = icmp eq $word %extra, %lead
  %fine = or i1 %shared, %known
  br i1 %fine, label %lengths, label %first
first:
  %unset = icmp eq $word %lead, 0
  %few = icmp ule $word %extra, {LEADING}
  %unset.input = and i1 %unset, %input
  %may = and i1 %unset.input, %few
  br i1 %may, label %adopt, label %wrong
adopt:
  %a = phi $word [0, %first], [%a.next, %adopt]
  %product = phi $word [1, %first], [%product.next, %adopt]
  %a.from = getelementptr $word, ptr %lengths.found, $word %a
  %a.length = load $word, ptr %a.from
  %a.to = getelementptr $word, ptr %whole, $word %a
  store $word %a.length, ptr %a.to
  %product.next = mul $word %product, %a.length
  %a.next = add $word %a, 1
  %a.more = icmp ult $word %a.next, %extra
  br i1 %a.more, label %adopt, label %adopted
adopted:
  %limit.at = getelementptr %lw_table, ptr %table, i32 0, i32 6
  %limit = load $word, ptr %limit.at
  %inside = icmp ule $word %product.next, %limit
  br i1 %inside, label %lengths, label %wrong
lengths:  ; leading ones, then those of the block
  %lead.now = phi $word [%lead, %leading], [%extra, %adopted]
  %samples.now = phi $word [%samples, %leading], [%product.next, %adopted]
  br label %axis
axis:
  %n = phi $word [0, %lengths], [%n.next, %length]
  %n.more = icmp ult $word %n, %nd
  br i1 %n.more, label %length, label %opened
length:
  %n.at = getelementptr $word, ptr %lengths.found, $word %n
  %n.found = load $word, ptr %n.at
  %n.is.leading = icmp ult $word %n, %extra
  %n.inner = sub $word %n, %extra
  %n.place = select i1 %n.is.leading, $word %n, $word %n.inner
  %n.table = select i1 %n.is.leading, ptr %whole, ptr %shape
  %n.wanted.at = getelementptr $word, ptr %n.table, $word %n.place
  %n.wanted = load $word, ptr %n.wanted.at
  %n.next = add $word %n, 1
  %n.right = icmp eq $word %n.found, %n.wanted
  br i1 %n.right, label %axis, label %wrong""",
    "opened": """
  %size.at = getelementptr %lw_block, ptr %blocks, $word %i, i32 0
  %size = load $word, ptr %size.at
  %stride = select i1 %none, $word 0, $word %size
  %stride.at = getelementptr $word, ptr %strides, $word %slot
  store $word %stride, ptr %stride.at""",
    "bound": """
  %b.stride = getelementptr $word, ptr %strides, $word %b.slot
  store $word 0, ptr %b.stride""",
    "reserve": """
  %room = call ptr $PyMem_RawMalloc($word %option)
  store ptr %room, ptr %room.at
  %room.none = icmp eq ptr %room, null
  br i1 %room.none, label %reject, label %reserved
reserved:""",
    "reserved": "reserved",
    "rejects": ", [%total, %bind.done]",
    "output_span": "%j.span = mul $word %j.size, %samples",
    "other_span": """
  %k.stride.at = getelementptr $word, ptr %strides, $word %k.slot
  %k.stride = load $word, ptr %k.stride.at
  %k.shared = icmp eq $word %k.stride, 0
  %k.samples = select i1 %k.shared, $word 1, $word %samples
  %k.span = mul $word %k.size, %k.samples""",
    "run": f"""
  %room.number = ptrtoint ptr %room to $word
  %room.up = add $word %room.number, {ALIGN - 1}
  %room.even = and $word %room.up, -{ALIGN}
  %workspace = inttoptr $word %room.even to ptr
  %out.strides = getelementptr $word, ptr %strides, $word %outputs.slot
  %thread = call ptr $PyEval_SaveThread()
  call void %entry(ptr %pointers, ptr %strides, ptr %outputs, ptr %out.strides, i64 0, i64 %samples, ptr %workspace)
  call void $PyEval_RestoreThread(ptr %thread)
  br label %done""",
    "close_all": "call void $PyMem_RawFree(ptr %room)",
    "close_open": """
  %room.left = load ptr, ptr %room.at
  call void $PyMem_RawFree(ptr %room.left)""",
}


def batch_call(
    name: str,
    entry: int,
    workspace: int,
    inputs: Sequence[Shape],
    outputs: Sequence[Shape],
    bound: Sequence[int],
    samples: int,
    owner: object = None,
) -> Call | None:
    """A callable `name(x0, x1, ..., [out0, ...])` over the batch entry, for up to `samples` samples.

    `workspace` are the doubles that the entry needs; the others are as in `fast_call`. None if there is no such way.
    """
    code = _code(os.environ.get(_VARIABLE, ""))
    if code is None or not outputs:
        return None
    kernel = _Kernel(name, entry, tuple(inputs), tuple(outputs), tuple(bound), _decline, True, owner)
    return _make(code, kernel, workspace, samples)


def _decline(*_: Any, **__: Any) -> None:
    """Not a plain call: None, and nothing is done."""


def _make(code: _Code, kernel: _Kernel, workspace: int, samples: int) -> Call | None:
    return fastcall._builtin(code, kernel, 8 * workspace + ALIGN, samples) if kernel.fits else None


def _assembly(_: str, numpy_new: int) -> str:
    return fastcall._entry(fastcall._names(numpy_new), _BATCH, "%reject")


_codes: dict[str, _Code | None] = {}
_making = threading.RLock()


def _code(wanted: str) -> _Code | None:
    """The compiled entry, made and tested once a process."""
    if wanted not in _codes:
        with _making:
            if wanted not in _codes:
                _codes[wanted] = _tested() if _choose(wanted).tier == "head" else None
    return _codes[wanted]


def _tested() -> _Code | None:
    try:
        code = _Code("head", _assembly)
        _self_test(code)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong, there is the general way
        log.warning("small batches take the general way, the self-test of their calls failed: %s", error)
        return None
    return code


def _self_test(code: _Code) -> None:
    """Calls a kernel with right and wrong arguments: out (2, 2) = a (2,) b (), a c (), for each sample; c is bound."""
    words, numbers = ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.POINTER(ctypes.c_double))
    runs = 0

    def kernel(given: Any, steps: Any, results: Any, out_steps: Any, first: int, count: int, room: int) -> None:
        nonlocal runs
        runs += 1 if room % ALIGN == 0 else 1000
        for s in range(first, first + count):
            for k in range(2):
                a = given[0][s * steps[0] + k]
                results[0][s * out_steps[0] + k] = a * given[1][s * steps[1]]
                results[0][s * out_steps[0] + 2 + k] = a * given[2][s * steps[2]]

    kind = ctypes.CFUNCTYPE(None, numbers, words, numbers, words, ctypes.c_int64, ctypes.c_int64, ctypes.c_size_t)
    compiled = kind(kernel)
    entry = ctypes.cast(compiled, ctypes.c_void_p).value or 0
    constant = np.array([10.0])
    shapes = ((2,), ()), ((2, 2),)
    call = _make(code, _Kernel("test", entry, *shapes, (constant.ctypes.data,), _decline, True, None), 3, 12)
    assert call is not None
    rng = np.random.default_rng(0)
    for lead, lead_a, lead_b in (
        ((), (), ()),
        ((5,), (5,), (5,)),
        ((5,), (), (5,)),
        ((5,), (5,), ()),
        ((3, 4), (3, 4), (3, 4)),
        ((3, 0), (3, 0), ()),
    ):
        a, b, out = rng.normal(size=(*lead_a, 2)), np.array(rng.normal(size=lead_b)), np.empty((*lead, 2, 2))
        expected = np.stack([a * b[..., None] + np.zeros((*lead, 2)), a * 10.0 + np.zeros((*lead, 2))], axis=-2)
        _expect(call(a, b, out) is out, "the output given is not the one returned")
        _expect(np.array_equal(out, expected), "a result is wrong")
        if code.makes_results:
            answer = call(a, b)
            _expect(type(answer) is np.ndarray and answer.shape == out.shape, "a result has another shape")
            _expect(np.array_equal(answer, expected), "a result made is wrong")
    _expect(runs < 1000, "the workspace is not aligned")
    runs = 0
    a, b, out = np.ones((5, 2)), np.ones(5), np.zeros((5, 2, 2))
    frozen = np.zeros((5, 2, 2))
    frozen.flags.writeable = False
    for wrong in (
        (a,),
        (a, b, out, out),
        (a, b, frozen),
        (a, b, out[:4]),
        (a, b, out[0]),
        (a, b, out.reshape(5, 4)),
        (a, b, out[:, :, ::-1]),
        (a[:4], b, out),
        (a[::-1], b, out),
        (a, b[:1], out),
        (a, b.astype(np.float32), out),
        (a, 1.0, out),
        (a[None], b, out),
        (a[:, :1], b, out),
        (np.ones((13, 2)), 1.0),
        (np.ones((13, 2)), np.ones(13), np.zeros((13, 2, 2))),
        (np.ones((1,) * LEADING + (2, 2)), np.array(1.0)),
        (out[1:3, 0, 0].reshape(2, 1) + np.zeros(2), out[1:3, 0, 0], out[:2]),
        (out.reshape(10, 2)[:5], b, out),
        (np.array([1.0, 2.0]), out.reshape(20)[4:9], out),
    ):
        _expect(call(*wrong) is None, "wrong arguments are not declined")
    _expect(call(a, b, out=out) is None, "keywords are not declined")
    _expect(runs == 0, "wrong arguments reach the kernel")
