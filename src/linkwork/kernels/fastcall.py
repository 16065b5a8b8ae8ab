"""One call from Python into compiled code, for the price of a function of Python's own.

A kernel is machine code with the C signature

    void kernel(const double* const* in, double* const* out)

and `fast_call` makes a Python callable of it: `call(x0, x1, ..., out0, ...)` fills the outputs, `call(x0, x1, ...)`
makes them. The callable looks at its arguments; if every one is a plain, contiguous float64 array of the right shape
it runs the kernel, and in *every other case* it hands all arguments, unchanged, to a Python function `general`, which
broadcasts, converts, or raises a good error. So the fast way raises nothing, and never touches memory it did not check.

There are three ways to look at an argument, the *tiers*. The best that passes a self-test is chosen at first use:

    head    reads the public head of numpy's array object         a few nanoseconds an array
    buffer  asks the array through Python's buffer protocol       some tens of nanoseconds an array
    ctypes  plain Python, works on every interpreter              some microseconds a call

The first two are a builtin (a `PyCFunction` that takes its arguments by vectorcall), written below in LLVM assembly
and compiled once a process, so no C compiler is needed. One piece of code serves all kernels: what differs between
them stands in a small table that hangs at the builtin's `__self__`. Making a callable thus costs microseconds, and the
code that runs is the very code that was tested.

`LINKWORK_CALLS=head`, `buffer` or `ctypes` sets the tier to begin with; `call_tier()` tells which one is used and why.
Should even the last one fail its test, every call goes to `general`.
"""

from __future__ import annotations

import ctypes
import importlib
import logging
import math
import os
import struct
import sys
import sysconfig
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from string import Template
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import numpy.typing as npt

log = logging.getLogger("linkwork.kernels")

Call = Callable[..., Any]
Shape = tuple[int, ...]

TIERS = ("head", "buffer", "ctypes")
"""The ways to look at an argument, the fastest first."""

MAX_BLOCKS = 32
"""Most blocks, bound ones included, that the compiled entry takes; a kernel of more is called through ctypes."""

MAX_AXES = 5
"""Most axes of a block that the compiled entry takes (its line in the table is then 8 words); else ctypes is used."""

_VARIABLE = "LINKWORK_CALLS"


def fast_call(
    name: str,
    entry: int,
    inputs: Sequence[Shape],
    outputs: Sequence[Shape],
    bound: Sequence[int],
    general: Call,
    release_gil: bool = False,
    owner: object = None,
) -> Call:
    """A callable `name(x0, x1, ..., [out0, ...])` over the kernel at address `entry`.

    `inputs` and `outputs` are the shapes of the blocks that a caller gives, () for a number. `bound` are the addresses
    of further input blocks, which follow the given ones and never change; they must not be reachable as an output.
    `general` takes every call that is not the plain case, with the arguments as they came. `release_gil` lets other
    threads run meanwhile: worth it for kernels of some microseconds. `owner` is anything that must live as long as the
    callable: the kernel's code, the bound blocks.

    The result is the output array itself, or a tuple of them if there are several. An output that shares memory with
    an input or with another output counts as not plain, since a kernel may read after it wrote.
    """
    kernel = _Kernel(name, entry, tuple(inputs), tuple(outputs), tuple(bound), general, release_gil, owner)
    choice = _choose(os.environ.get(_VARIABLE, ""))
    return _make(choice.tier, choice.code, kernel)


def call_tier() -> str:
    """The tier that calls go through, and why: `"head: self-test passed"`."""
    choice = _choose(os.environ.get(_VARIABLE, ""))
    return f"{choice.tier}: {choice.reason}"


# ---------------------------------------------------------------------------------------------------------------------
# What a callable is made of


@dataclass(frozen=True)
class _Kernel:
    """A kernel and all that is needed to call it; the arguments of `fast_call`, checked."""

    name: str
    entry: int
    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]
    bound: tuple[int, ...]
    general: Call
    release_gil: bool
    owner: object

    def __post_init__(self) -> None:
        if not self.outputs:
            raise ValueError(f"kernel '{self.name}' has no outputs")
        if any(n < 0 for shape in (*self.inputs, *self.outputs) for n in shape):
            raise ValueError(f"kernel '{self.name}' has a block of negative length: {self.inputs}, {self.outputs}")
        if not all((self.entry, *self.bound)):
            raise ValueError(f"kernel '{self.name}' has a null address")
        if not callable(self.general):
            raise TypeError(f"kernel '{self.name}': the general call is not a function but {self.general!r}")

    @property
    def blocks(self) -> int:
        """Number of all blocks, bound ones included."""
        return len(self.inputs) + len(self.bound) + len(self.outputs)

    @property
    def fits(self) -> bool:
        """Whether the compiled entry can take it."""
        return self.blocks <= MAX_BLOCKS and all(len(s) <= MAX_AXES for s in (*self.inputs, *self.outputs))


def _make(tier: str, code: _Code | None, kernel: _Kernel) -> Call:
    """The callable of a kernel in a given tier."""
    if tier == "general":
        return kernel.general
    if code is None or not kernel.fits:
        return _plain_function(kernel)
    return _builtin(code, kernel, int(kernel.release_gil))


class CompiledCall(tuple[Any, ...]):
    """The `__self__` of a compiled callable. The entry reads its table from item 0; the others only have to live.

    A tuple, because the garbage collector sees through it (a kernel often holds the callable that holds the kernel) and
    never empties it while someone can still call.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<table of a compiled call, {len(self[0])} bytes>"


class _MethodDef(ctypes.Structure):
    """CPython's PyMethodDef. Keeps the bytes of its name and text alive."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    )


_METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002


def _builtin(code: _Code, kernel: _Kernel, option: int, samples: int = 0) -> Call:
    """A builtin function over the compiled entry; the last two stand in its table.

    CPython keeps a builtin's `__self__` until it has read the PyMethodDef for the last time, so both may die with it.
    """
    # The layout that _ENTRY reads: head, blocks, bound addresses.
    given, results = len(kernel.inputs), len(kernel.outputs)
    words = [kernel.entry, id(kernel.general), given, given + results, len(kernel.bound), option, samples]
    for k, shape in enumerate((*kernel.inputs, *kernel.outputs)):
        access = code.read_access if k < given else code.write_access
        words += [math.prod(shape), access, len(shape), *shape, *[0] * (MAX_AXES - len(shape))]
    words += kernel.bound
    table = struct.pack(f"@{len(words)}N", *words)

    text = getattr(kernel.general, "__doc__", None) or "A compiled kernel."
    method = _MethodDef(kernel.name.encode(), code.address, _METH_FASTCALL_KEYWORDS, text.encode())
    keep = CompiledCall((table, kernel.general, code, method, kernel.owner))
    made: Call = _new_builtin()(ctypes.addressof(method), keep, "linkwork.kernels")
    return made


@cache
def _new_builtin() -> Call:
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
    return prototype(("PyCFunction_NewEx", ctypes.pythonapi))


def _plain_function(kernel: _Kernel) -> Call:
    """The same callable in plain Python: the tier that works everywhere."""
    # A foreign function of CFUNCTYPE lets other threads run, one of PYFUNCTYPE does not.
    prototype = (ctypes.CFUNCTYPE if kernel.release_gil else ctypes.PYFUNCTYPE)(None, ctypes.c_void_p, ctypes.c_void_p)
    run = prototype(kernel.entry)
    general, inputs, outputs, bound = kernel.general, kernel.inputs, kernel.outputs, kernel.bound
    given, total = len(inputs), len(inputs) + len(outputs)
    shapes = inputs + outputs
    sizes = [math.prod(shape) for shape in shapes]
    in_pointers = ctypes.c_void_p * (given + len(bound))
    out_pointers = ctypes.c_void_p * len(outputs)
    double = np.dtype(np.float64)

    def call(*arguments: Any, **options: Any) -> Any:
        if options or len(arguments) not in (given, total):
            return general(*arguments, **options)
        arrays = arguments if len(arguments) == total else (*arguments, *map(np.empty, outputs))
        starts = []
        for k, (array, shape) in enumerate(zip(arrays, shapes, strict=True)):
            if type(array) is not np.ndarray or array.shape != shape or array.dtype != double:
                return general(*arguments, **options)
            access = _READ_FLAGS if k < given else _WRITE_FLAGS
            if array.flags.num & access != access & _WANTED:
                return general(*arguments, **options)
            starts.append(address_of(array))
        for j in range(given, total):
            if any(starts[j] < starts[k] + 8 * sizes[k] and starts[k] < starts[j] + 8 * sizes[j] for k in range(j)):
                return general(*arguments, **options)
        run(in_pointers(*starts[:given], *bound), out_pointers(*starts[given:]))
        return arrays[given] if total == given + 1 else tuple(arrays[given:])

    call.__name__ = call.__qualname__ = kernel.name
    call.__doc__ = getattr(general, "__doc__", None) or "A compiled kernel."
    call._owner = kernel.owner  # type: ignore[attr-defined]
    return call


def address_of(array: npt.NDArray[Any]) -> int:
    """Where the numbers of an array start; the long way, three times as long, is for arrays that ctypes refuses."""
    if array.flags.num & _WRITE_FLAGS == _WRITE_FLAGS & _WANTED and array.size:
        return ctypes.addressof(ctypes.c_char.from_buffer(array.data))
    return int(array.ctypes.data)


# ---------------------------------------------------------------------------------------------------------------------
# The entry in LLVM assembly

# Bits of an array's flags: C-contiguous, aligned, writeable; the last one asks for a warning before writing.
_READ_FLAGS = 0x0001 | 0x0100
_WRITE_FLAGS = _READ_FLAGS | 0x0400 | 0x80000000
_WANTED = 0x7FFFFFFF  # of the bits looked at, those that must be set; the others must not

# What to ask of a buffer: writable, its format, its shape (and, strides not being asked for, contiguous).
_READ_BUFFER = 0x0004 | 0x0008
_WRITE_BUFFER = _READ_BUFFER | 0x0001


# Shared by both compiled tiers. $word is an integer as wide as a pointer; $Py..., $numpy... are addresses. The table:
#
#     entry, general, inputs, blocks (inputs and outputs), bound             one word each
#     whether to release; 0                                                  (of a batch: bytes of workspace, samples)
#     size, access, number of axes, length of each axis                      for each block
#     address                                                                for each bound block
#
# `pointers` is what the kernel gets: given inputs, bound inputs, outputs. Results that the caller did not give are made
# on the way and checked like all others. From label `run` on nothing can fail.
_ENTRY = Template("""
%lw_table = type { ptr, ptr, $word, $word, $word, $word, $word }
%lw_block = type { $word, $word, $word, [$axes x $word] }
%lw_view = type { ptr, ptr, $word, $word, i32, i32, ptr, ptr, ptr, ptr, ptr }

define ptr @lw_call(ptr %self, ptr %args, $word %count, ptr %names) nounwind {
start:
  %pointers = alloca [$most x ptr]
  %objects = alloca [$most x ptr]
  $views
  %bytes = call ptr $PyTuple_GetItem(ptr %self, $word 0)
  %table = call ptr $PyBytes_AsString(ptr %bytes)
  %general.at = getelementptr %lw_table, ptr %table, i32 0, i32 1
  %general = load ptr, ptr %general.at
  %inputs.at = getelementptr %lw_table, ptr %table, i32 0, i32 2
  %inputs = load $word, ptr %inputs.at
  %total.at = getelementptr %lw_table, ptr %table, i32 0, i32 3
  %total = load $word, ptr %total.at
  %bound.at = getelementptr %lw_table, ptr %table, i32 0, i32 4
  %bound = load $word, ptr %bound.at
  %option.at = getelementptr %lw_table, ptr %table, i32 0, i32 5
  %option = load $word, ptr %option.at
  %blocks = getelementptr %lw_table, ptr %table, i32 1
  %addresses = getelementptr %lw_block, ptr %blocks, $word %total

  ; no keywords, and either all arrays or all inputs
  %plain = icmp eq ptr %names, null
  %full = icmp eq $word %count, %total
  %short = icmp eq $word %count, %inputs
  %short.can = and i1 %short, $can_make
  %fits = or i1 %full, %short.can
  %go = and i1 %plain, %fits
  br i1 %go, label %next, label %forward

next:  ; block i: an argument, or a new array
  %i = phi $word [0, %start], [%i.next, %opened]
  $carry
  %i.more = icmp ult $word %i, %total
  br i1 %i.more, label %pick, label %bind
pick:
  %access.at = getelementptr %lw_block, ptr %blocks, $word %i, i32 1
  %access.word = load $word, ptr %access.at
  %access = trunc $word %access.word to i32
  %axes.at = getelementptr %lw_block, ptr %blocks, $word %i, i32 2
  %axes = load $word, ptr %axes.at
  %shape = getelementptr %lw_block, ptr %blocks, $word %i, i32 3
  %i.given = icmp ult $word %i, %count
  br i1 %i.given, label %take, label %make
take:
  %arg.at = getelementptr ptr, ptr %args, $word %i
  %arg = load ptr, ptr %arg.at
  br label %check
make:
  $whole_shape
  %new = call ptr $numpy_new(
    ptr $numpy_ndarray, i32 %new.nd, ptr %new.shape, i32 $numpy_double, ptr null, ptr null, i32 0, i32 0, ptr null)
  %new.failed = icmp eq ptr %new, null
  br i1 %new.failed, label %reject, label %check
check:
  %object = phi ptr [%arg, %take], [%new, %$made]
  %object.at = getelementptr ptr, ptr %objects, $word %i
  store ptr %object, ptr %object.at
  $open
opened:
  %i.is.input = icmp ult $word %i, %inputs
  %i.skip = select i1 %i.is.input, $word 0, $word %bound
  %slot = add $word %i, %i.skip
  %slot.at = getelementptr ptr, ptr %pointers, $word %slot
  store ptr %data, ptr %slot.at
  $opened
  %i.next = add $word %i, 1
  br label %next
wrong:
  %wrong.made = add $word %i, 1
  br label %reject

bind:  ; bound blocks follow the given ones
  %b = phi $word [0, %next], [%b.next, %bind.one]
  %b.more = icmp ult $word %b, %bound
  br i1 %b.more, label %bind.one, label %bind.done
bind.one:
  %b.from = getelementptr ptr, ptr %addresses, $word %b
  %b.address = load ptr, ptr %b.from
  %b.slot = add $word %inputs, %b
  %b.to = getelementptr ptr, ptr %pointers, $word %b.slot
  store ptr %b.address, ptr %b.to
  $bound
  %b.next = add $word %b, 1
  br label %bind
bind.done:
  $reserve
  br i1 %full, label %output, label %collect

output:  ; output j must not touch any block k before it
  %j = phi $word [%inputs, %$reserved], [%j.next, %output.clear]
  %j.more = icmp ult $word %j, %total
  br i1 %j.more, label %output.range, label %collect
output.range:
  %j.slot = add $word %j, %bound
  %j.from = getelementptr ptr, ptr %pointers, $word %j.slot
  %j.start = load ptr, ptr %j.from
  %j.size.at = getelementptr %lw_block, ptr %blocks, $word %j, i32 0
  %j.size = load $word, ptr %j.size.at
  $output_span
  %j.end = getelementptr double, ptr %j.start, $word %j.span
  br label %other
other:
  %k = phi $word [0, %output.range], [%k.next, %other.one]
  %k.more = icmp ult $word %k, %j
  br i1 %k.more, label %other.one, label %output.clear
other.one:
  %k.is.input = icmp ult $word %k, %inputs
  %k.skip = select i1 %k.is.input, $word 0, $word %bound
  %k.slot = add $word %k, %k.skip
  %k.from = getelementptr ptr, ptr %pointers, $word %k.slot
  %k.start = load ptr, ptr %k.from
  %k.size.at = getelementptr %lw_block, ptr %blocks, $word %k, i32 0
  %k.size = load $word, ptr %k.size.at
  $other_span
  %k.end = getelementptr double, ptr %k.start, $word %k.span
  %k.next = add $word %k, 1
  %before = icmp ult ptr %j.start, %k.end
  %after = icmp ult ptr %k.start, %j.end
  %overlap = and i1 %before, %after
  br i1 %overlap, label %reject, label %other
output.clear:
  %j.next = add $word %j, 1
  br label %output

collect:  ; the result: the only output, or a tuple; given arrays are lent, new ones handed over
  %results = sub $word %total, %inputs
  %single = icmp eq $word %results, 1
  br i1 %single, label %collect.single, label %collect.tuple
collect.single:
  %single.at = getelementptr ptr, ptr %objects, $word %inputs
  %single.object = load ptr, ptr %single.at
  br i1 %full, label %collect.lent, label %run
collect.lent:
  call void $Py_IncRef(ptr %single.object)
  br label %run
collect.tuple:
  %tuple = call ptr $PyTuple_New($word %results)
  %tuple.failed = icmp eq ptr %tuple, null
  br i1 %tuple.failed, label %reject, label %item
item:
  %r = phi $word [0, %collect.tuple], [%r.next, %item.set]
  %r.more = icmp ult $word %r, %results
  br i1 %r.more, label %item.one, label %run
item.one:
  %r.index = add $word %inputs, %r
  %r.at = getelementptr ptr, ptr %objects, $word %r.index
  %r.object = load ptr, ptr %r.at
  br i1 %full, label %item.lent, label %item.set
item.lent:
  call void $Py_IncRef(ptr %r.object)
  br label %item.set
item.set:
  %r.status = call i32 $PyTuple_SetItem(ptr %tuple, $word %r, ptr %r.object)
  %r.next = add $word %r, 1
  br label %item

run:
  %result = phi ptr [%single.object, %collect.single], [%single.object, %collect.lent], [%tuple, %item]
  %entry = load ptr, ptr %table
  %outputs.slot = add $word %inputs, %bound
  %outputs = getelementptr ptr, ptr %pointers, $word %outputs.slot
  $run
done:
  $close_all
  ret ptr %result

reject:  ; undo: close what was opened, drop what was made
  %open = phi $word [%i, %$made], [%i, %wrong], [%total, %other.one], [%total, %collect.tuple]$rejects
  %made = phi $word [%i, %$made], [%wrong.made, %wrong], [%total, %other.one], [%total, %collect.tuple]$rejects
  $close_open
  br label %drop
drop:
  %d = phi $word [%count, $reject_end], [%d.next, %drop.one]
  %d.more = icmp ult $word %d, %made
  br i1 %d.more, label %drop.one, label %drop.done
drop.one:
  %d.at = getelementptr ptr, ptr %objects, $word %d
  %d.object = load ptr, ptr %d.at
  call void $Py_DecRef(ptr %d.object)
  %d.next = add $word %d, 1
  br label %drop
drop.done:
  call void $PyErr_Clear()
  br label %forward

forward:  ; not the plain case: the general call takes over, as if it had been called itself
  %answer = musttail call ptr $PyObject_Vectorcall(ptr %general, ptr %args, $word %count, ptr %names)
  ret ptr %answer
}
""")

# Both ways to open an argument leave %data, and end by comparing its shape, %lengths.found, with the one wanted. The
# block `before` has made sure that the number of axes is right (an array of none may have no lengths).
_LENGTHS = Template("""
lengths:
  %n = phi $word [0, %$before], [%n.next, %length]
  %n.more = icmp ult $word %n, %axes
  br i1 %n.more, label %length, label %opened
length:
  %n.at = getelementptr $word, ptr %lengths.found, $word %n
  %n.found = load $word, ptr %n.at
  %n.wanted.at = getelementptr $word, ptr %shape, $word %n
  %n.wanted = load $word, ptr %n.wanted.at
  %n.next = add $word %n, 1
  %n.right = icmp eq $word %n.found, %n.wanted
  br i1 %n.right, label %lengths, label %$failed
""")

# What differs between calls of one sample, here, and calls of a batch (`batchcall.py`).
SINGLE: dict[str, str] = {
    "carry": "",
    "whole_shape": """
  %new.nd = trunc $word %axes to i32
  %new.shape = getelementptr $word, ptr %shape, $word 0""",
    "made": "make",
    "opened": "",
    "bound": "",
    "reserve": "",
    "reserved": "bind.done",
    "rejects": "",
    "output_span": "%j.span = add $word %j.size, 0",
    "other_span": "%k.span = add $word %k.size, 0",
    "run": """
  %held = icmp eq $word %option, 0
  br i1 %held, label %run.held, label %run.released
run.held:
  call void %entry(ptr %pointers, ptr %outputs)
  br label %done
run.released:
  %thread = call ptr $PyEval_SaveThread()
  call void %entry(ptr %pointers, ptr %outputs)
  call void $PyEval_RestoreThread(ptr %thread)
  br label %done""",
}

# What tier "head" reads of %object: that it is an exact ndarray, where its number of axes stands; and its dtype, flags,
# data and lengths. The offsets are those of a 64-bit build, which _check_heads confirms.
EXACT_ARRAY = """
  %type.at = getelementptr i8, ptr %object, i64 8
  %type = load ptr, ptr %type.at
  %exact = icmp eq ptr %type, $numpy_ndarray
  br i1 %exact, label %head, label %wrong
head:
  %nd.at = getelementptr i8, ptr %object, i64 24"""
ARRAY_HEAD = """
  %dtype.at = getelementptr i8, ptr %object, i64 56
  %dtype = load ptr, ptr %dtype.at
  %dtype.right = icmp eq ptr %dtype, $numpy_float64
  %flags.at = getelementptr i8, ptr %object, i64 64
  %flags.all = load i32, ptr %flags.at
  %flags = and i32 %flags.all, %access
  %flags.wanted = and i32 %access, $wanted
  %flags.right = icmp eq i32 %flags, %flags.wanted
  %data.at = getelementptr i8, ptr %object, i64 16
  %data = load ptr, ptr %data.at
  %lengths.at = getelementptr i8, ptr %object, i64 32
  %lengths.found = load ptr, ptr %lengths.at"""

# Tier "head": the number of axes is right, the dtype the one float64 of numpy, the flags right.
_OPEN_HEAD = Template(f"""{EXACT_ARRAY}
  %nd = load i32, ptr %nd.at
  %nd.wanted = trunc $word %axes to i32
  %nd.right = icmp eq i32 %nd, %nd.wanted{ARRAY_HEAD}
  %typed = and i1 %nd.right, %dtype.right
  %head.right = and i1 %typed, %flags.right
  br i1 %head.right, label %lengths, label %wrong
$lengths""")

# Tier "buffer": the same by functions of Python's stable interface alone. A view stays open until the kernel has run.
_OPEN_BUFFER = Template("""
  %type = call ptr $PyObject_Type(ptr %object)
  call void $Py_DecRef(ptr %type)
  %exact = icmp eq ptr %type, $numpy_ndarray
  br i1 %exact, label %ask, label %wrong
ask:
  %view = getelementptr %lw_view, ptr %views, $word %i
  %status = call i32 $PyObject_GetBuffer(ptr %object, ptr %view, i32 %access)
  %got = icmp eq i32 %status, 0
  br i1 %got, label %inspect, label %wrong
inspect:
  %data = load ptr, ptr %view
  %data.number = ptrtoint ptr %data to $word
  %data.odd = and $word %data.number, 7
  %data.right = icmp eq $word %data.odd, 0
  %nd.at = getelementptr %lw_view, ptr %view, i32 0, i32 5
  %nd = load i32, ptr %nd.at
  %nd.wanted = trunc $word %axes to i32
  %nd.right = icmp eq i32 %nd, %nd.wanted
  %format.at = getelementptr %lw_view, ptr %view, i32 0, i32 6
  %format = load ptr, ptr %format.at
  %letter = load i8, ptr %format
  %letter.right = icmp eq i8 %letter, 100  ; "d", without a sign for byte order
  %lengths.at = getelementptr %lw_view, ptr %view, i32 0, i32 7
  %lengths.found = load ptr, ptr %lengths.at
  %placed = and i1 %data.right, %nd.right
  %right = and i1 %placed, %letter.right
  br i1 %right, label %lengths, label %close
$lengths
close:
  call void $PyBuffer_Release(ptr %view)
  br label %wrong
""")

_CLOSE = Template("""
  br label %$loop
$loop:
  %$loop.n = phi $word [0, %$before], [%$loop.next, %$loop.one]
  %$loop.more = icmp ult $word %$loop.n, $count
  br i1 %$loop.more, label %$loop.one, label %$loop.done
$loop.one:
  %$loop.view = getelementptr %lw_view, ptr %views, $word %$loop.n
  call void $PyBuffer_Release(ptr %$loop.view)
  %$loop.next = add $word %$loop.n, 1
  br label %$loop
$loop.done:
""")

_PYTHON_FUNCTIONS = (
    "PyBuffer_Release",
    "PyBytes_AsString",
    "PyErr_Clear",
    "PyEval_RestoreThread",
    "PyEval_SaveThread",
    "PyMem_RawFree",
    "PyMem_RawMalloc",
    "PyObject_GetBuffer",
    "PyObject_Type",
    "PyObject_Vectorcall",
    "PyTuple_GetItem",
    "PyTuple_New",
    "PyTuple_SetItem",
    "Py_DecRef",
    "Py_IncRef",
)


def _names(numpy_new: int) -> dict[str, str]:
    """What the templates take; addresses are of this process, that of numpy's maker of arrays may be 0."""
    word = f"i{8 * ctypes.sizeof(ctypes.c_void_p)}"

    def at(address: int | None) -> str:
        return f"inttoptr ({word} {address} to ptr)"

    python = {name: getattr(ctypes.pythonapi, name) for name in _PYTHON_FUNCTIONS}
    names = {name: at(ctypes.cast(function, ctypes.c_void_p).value) for name, function in python.items()}
    return names | {
        "word": word,
        "most": str(MAX_BLOCKS),
        "axes": str(MAX_AXES),
        "wanted": str(_WANTED),
        "numpy_new": at(numpy_new),
        "can_make": "true" if numpy_new else "false",
        "numpy_ndarray": at(id(np.ndarray)),
        "numpy_float64": at(id(np.dtype(np.float64))),
        "numpy_double": str(np.dtype(np.float64).num),
    }


def _entry(names: dict[str, str], parts: dict[str, str], reject_end: str) -> str:
    """The module with `lw_call`, made of its parts."""
    filled = {key: Template(text).substitute(names) for key, text in parts.items()}
    return _ENTRY.substitute(names, **filled, reject_end=reject_end)


def _assembly(tier: str, numpy_new: int) -> str:
    """The module of a compiled tier for single samples."""
    names = _names(numpy_new)
    if tier == "head":
        lengths = _LENGTHS.substitute(names, before="head", failed="wrong")
        opening = _OPEN_HEAD.substitute(names, lengths=lengths)
        parts = {"views": "", "open": opening, "close_all": "", "close_open": ""}
        return _entry(names, SINGLE | parts, "%reject")
    parts = {
        "views": f"%views = alloca [{MAX_BLOCKS} x %lw_view]",
        "open": _OPEN_BUFFER.substitute(names, lengths=_LENGTHS.substitute(names, before="inspect", failed="close")),
        "close_all": _CLOSE.substitute(names, loop="close.all", before="done", count="%total"),
        "close_open": _CLOSE.substitute(names, loop="close.open", before="reject", count="%open"),
    }
    return _entry(names, SINGLE | parts, "%close.open.done")


def _numpy_new() -> int:
    """The address of PyArray_New, or 0 if numpy's table of functions is not what its documents say.

    The places in the table are part of numpy's binary interface, the same in versions 1 and 2.
    """
    get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    for module in ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath"):
        try:
            start = get_pointer(importlib.import_module(module)._ARRAY_API, None)
        except (ImportError, AttributeError, ValueError):
            continue
        table = (ctypes.c_void_p * 94).from_address(start)
        interface, array_type, new = table[0], table[2], table[93]
        if interface and new and array_type == id(np.ndarray):
            version = ctypes.PYFUNCTYPE(ctypes.c_uint)(interface)()
            return new if version >> 24 in (1, 2) else 0
    return 0


class _Code:
    """Compiled code of a tier; its address holds as long as this object lives."""

    def __init__(self, tier: str, assembly: Callable[[str, int], str] = _assembly) -> None:
        numpy_new = _numpy_new()
        self.makes_results = bool(numpy_new)
        self._engine = _compile(assembly(tier, numpy_new))
        self.address = int(self._engine.get_function_address("lw_call"))
        head = tier == "head"
        self.read_access = _READ_FLAGS if head else _READ_BUFFER
        self.write_access = _WRITE_FLAGS if head else _WRITE_BUFFER


def _compile(assembly: str) -> llvm.ExecutionEngine:
    """An engine that holds the code of a module. The assembly is already in the form wanted: no passes run on it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple().create_target_machine(opt=2, jit=True)
    module = llvm.parse_assembly(assembly, llvm.create_context())
    module.verify()
    engine = llvm.create_mcjit_compiler(module, target)
    engine.finalize_object()
    return engine


# ---------------------------------------------------------------------------------------------------------------------
# The choice of a tier


@dataclass(frozen=True)
class _Choice:
    tier: str
    reason: str
    code: _Code | None


class _SelfTestFailed(Exception):
    """A tier does not do what it should on this machine."""


_choices: dict[str, _Choice] = {}
_choosing = threading.RLock()


def _choose(wanted: str) -> _Choice:
    """The best tier that works, or the best from `wanted` on; decided once a process."""
    if wanted not in _choices:
        with _choosing:
            if wanted not in _choices:
                _choices[wanted] = _try_tiers(wanted)
    return _choices[wanted]


def _try_tiers(wanted: str) -> _Choice:
    first = wanted.strip().lower() or TIERS[0]
    if first not in TIERS:
        raise ValueError(f"{_VARIABLE}={wanted} is not a way to call; use one of {', '.join(TIERS)}, or unset it")
    reasons = [f"asked for by {_VARIABLE}"] if wanted.strip() else []
    for tier in TIERS[TIERS.index(first) :]:
        if excuse := _unfit(tier):
            reasons.append(f"not {tier}: {excuse}")
            continue
        try:
            code = None if tier == "ctypes" else _Code(tier)
            _self_test(tier, code)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong, there is a next tier
            log.warning("calls do not use tier '%s', its self-test failed: %s", tier, error)
            reasons.append(f"not {tier}: {error}")
            continue
        return _Choice(tier, "; ".join([*reasons, "self-test passed"]), code)
    return _Choice("general", "; ".join(reasons), None)


def _unfit(tier: str) -> str:
    """Why a tier is not for this interpreter; empty if it may be tried."""
    if tier == "ctypes":
        return ""
    if sys.implementation.name != "cpython":
        return f"the interpreter is {sys.implementation.name}"
    if tier == "head":
        if ctypes.sizeof(ctypes.c_void_p) != 8:
            return "not a 64-bit build"
        for setting in ("Py_GIL_DISABLED", "Py_DEBUG", "Py_TRACE_REFS"):
            if sysconfig.get_config_var(setting):
                return f"Python was built with {setting}"
        if hasattr(sys, "gettotalrefcount") or object.__basicsize__ != 16:
            return "objects of this build have a longer head"
    return ""


def _self_test(tier: str, code: _Code | None) -> None:
    """Calls kernels with right and wrong arguments; raises if anything is not as it should be."""
    if tier == "head":
        _check_heads()
    _test_vectors(tier, code)
    _test_shapes(tier, code)


def _test_vectors(tier: str, code: _Code | None) -> None:
    # out = [a0 + 10 b2 + 100 constant, a1]
    double_pointers = ctypes.POINTER(ctypes.POINTER(ctypes.c_double))
    runs = 0

    def kernel(given: Any, results: Any) -> None:
        nonlocal runs
        runs += 1
        results[0][0] = given[0][0] + 10 * given[1][2] + 100 * given[2][0]
        results[0][1] = given[0][1]

    handed_on = object()
    got: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})

    def general(*arguments: Any, **options: Any) -> object:
        nonlocal got
        got = arguments, options
        return handed_on

    constant = np.array([3.0])
    compiled = ctypes.CFUNCTYPE(None, double_pointers, double_pointers)(kernel)
    entry = ctypes.cast(compiled, ctypes.c_void_p).value or 0
    two, three, result = np.array([1.0, 2.0]), np.array([4.0, 5.0, 6.0]), np.zeros(2)
    for release_gil in (False, True):
        parts = _Kernel("test", entry, ((2,), (3,)), ((2,),), (constant.ctypes.data,), general, release_gil, None)
        call = _make(tier, code, parts)

        # right arguments
        _expect(call(two, three, result) is result, "the output given is not the one returned")
        _expect(result.tolist() == [361.0, 2.0], "a result is wrong")
        if code is None or code.makes_results:
            answer = call(two, three)
            _expect(type(answer) is np.ndarray and answer.dtype == np.float64, "a result is no array of float64")
            _expect(bool(answer.flags.writeable and answer.flags.owndata), "a result is not an array of its own")
            _expect(answer.tolist() == [361.0, 2.0], "a result made is wrong")

        # wrong arguments
        runs = 0
        frozen = np.zeros(2)
        frozen.flags.writeable = False
        for wrong in (
            (),
            (two,),
            (two, three, result, result),
            (three, three, result),
            ([1.0, 2.0], three, result),
            (None, three),
            (two.astype(np.float32), three, result),
            (two.astype(two.dtype.newbyteorder()), three, result),
            (np.zeros(4)[::2], three, result),
            (np.zeros((1, 2)), three, result),
            (np.float64(1.0), three, result),
            (two, three, frozen),
            (two, three, two),
            (two, three, three[1:]),
        ):
            _expect(call(*wrong) is handed_on, "wrong arguments are not handed on")
            arguments, options = got
            same = len(arguments) == len(wrong) and all(a is b for a, b in zip(arguments, wrong, strict=True))
            _expect(same and not options, "wrong arguments are not handed on as they are")
        _expect(call(two, three, out=result) is handed_on, "keywords are not handed on")
        _expect(list(got[1]) == ["out"] and got[1]["out"] is result, "keywords are not handed on as they are")
        _expect(runs == 0, "wrong arguments reach the kernel")


def _test_shapes(tier: str, code: _Code | None) -> None:
    """Blocks of several axes and of none: out = number times tensor, total = last element."""
    double_pointers = ctypes.POINTER(ctypes.POINTER(ctypes.c_double))

    def kernel(given: Any, results: Any) -> None:
        for k in range(6):
            results[0][k] = given[0][0] * given[1][k]
        results[1][0] = given[1][5]

    compiled = ctypes.CFUNCTYPE(None, double_pointers, double_pointers)(kernel)
    entry = ctypes.cast(compiled, ctypes.c_void_p).value or 0
    handed_on = object()
    shapes = ((), (2, 1, 3, 1)), ((3, 2), ())
    call = _make(tier, code, _Kernel("test", entry, *shapes, (), lambda *_: handed_on, False, None))
    number, tensor, out, last = np.array(2.0), np.arange(6.0).reshape(2, 1, 3, 1), np.zeros((3, 2)), np.array(0.0)
    answers = [call(number, tensor, out, last)]
    if code is None or code.makes_results:
        answers.append(call(number, tensor))
    for answer in answers:
        _expect(type(answer) is tuple and [x.shape for x in answer] == [(3, 2), ()], "a result has another shape")
        _expect(answer[0].tolist() == [[0.0, 2.0], [4.0, 6.0], [8.0, 10.0]], "a matrix is wrong")
        _expect(float(answer[1]) == 5.0, "a number is wrong")
    for wrong in (
        (np.ones(1), tensor, out, last),
        (number, tensor.ravel(), out, last),
        (number, tensor.reshape(2, 3, 1, 1), out, last),
        (number, tensor.reshape(2, 1, 3), out, last),
        (number, tensor.reshape(2, 1, 3, 1, 1), out, last),
        (number, tensor, out.reshape(2, 3), last),
        (number, tensor, np.zeros((2, 3)).T, last),
        (number, tensor, out, np.zeros(1)),
        (number, tensor, out, out[2, 1:].reshape(())),
    ):
        _expect(call(*wrong) is handed_on, "a wrong shape is not handed on")


def _expect(fine: bool, otherwise: str) -> None:
    if not fine:
        raise _SelfTestFailed(otherwise)


def _check_heads() -> None:
    """Compares the head of live arrays of many kinds with what numpy says of them.

    The head of an array object is public (numpy's `PyArrayObject_fields`): data at 16, nd at 24, dimensions at 32,
    descr at 56, flags at 64. The pointer to the dimensions is followed last, when all around it is known to be right.
    """
    _expect(np.ndarray.__basicsize__ >= 72, "array objects are too short")
    frozen = np.zeros(4)
    frozen.flags.writeable = False
    arrays = [
        np.zeros(3),
        np.ones(7),
        np.zeros(0),
        np.zeros(8)[1::3],
        np.zeros(5)[::-1],
        np.array(1.0),
        np.zeros((2, 3)),
        np.zeros((2, 3), order="F"),
        np.zeros(3, np.float32),
        np.zeros(3, np.dtype(np.float64).newbyteorder()),
        np.zeros(33, np.uint8)[1:].view(np.float64),
        frozen,
    ]
    for array in arrays:
        head = (ctypes.c_char * 72).from_address(id(array)).raw
        data, nd, dims = struct.unpack_from("@PiP", head, 16)
        dtype, flags = struct.unpack_from("@Pi", head, 56)
        _expect(struct.unpack_from("@P", head, 8)[0] == id(np.ndarray), "the type of an array is elsewhere")
        _expect(data == array.__array_interface__["data"][0], "the data of an array are elsewhere")
        _expect(nd == array.ndim, "the number of dimensions of an array is elsewhere")
        _expect(dtype == id(array.dtype), "the dtype of an array is elsewhere")
        _expect(flags == array.flags.num, "the flags of an array are elsewhere")
        if nd:
            _expect(dims != 0, "the lengths of an array are elsewhere")
            lengths = (ctypes.c_ssize_t * nd).from_address(dims)
            _expect(tuple(lengths) == array.shape, "the lengths of an array are elsewhere")
