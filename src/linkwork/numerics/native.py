"""Loops as machine code: what numba is told of them. Imports numba, which takes long.

Loops that only other loops call need no way in from Python, which costs as much to make as the loop itself. So each
has two faces: an inner one for the others, and, where Python calls it, an entry.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any

import numba
from numba import types
from numba.extending import overload, typeof_impl

from linkwork.kernels import drive
from linkwork.numerics import entries, warming
from linkwork.numerics.kernel_calls import call
from linkwork.numerics.loops import Loop
from linkwork.numerics.native_entries import object_of

OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
INNER: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
REGISTERED = ("linkwork.numerics.stepping.native_handles", "linkwork.numerics.stepping.native_methods")
"""Modules that tell numba of further types and functions."""

for module in REGISTERED:
    import_module(module)


@cache
def inner(loop: Loop) -> Any:
    """What other loops call."""
    return numba.njit(**OPTIONS, **INNER, **loop.targetoptions)(loop.py_func)


@cache
def _entry(loop: Loop) -> Any:
    own = loop.py_func
    assert isinstance(own, FunctionType)
    # Under a name of its own: numba keeps machine code by name.
    named = FunctionType(own.__code__, own.__globals__, f"{own.__name__}_entry", own.__defaults__, own.__closure__)
    named.__module__, named.__qualname__ = own.__module__, f"{own.__qualname__}_entry"
    return numba.njit(**OPTIONS)(named)


def entry_of(loop: Loop, kind: type) -> Callable[..., Any]:
    """What Python calls: made at the first call, kept on disk, and put in place of this."""

    def first(*arguments: Any) -> Any:
        if not warming.is_kept(loop.py_func, kind.__name__):
            _tell()
        made = object_of(inner(loop), [numba.typeof(x) for x in arguments])
        entry: Callable[..., Any] | None = None
        if made is not None:
            entry = entries.entry_of(*made, otherwise=dispatched(loop))
            entries.keep(loop.py_func, kind.__name__, *made)
        if entry is None:
            entry = dispatched(loop)
        result = entry(*arguments)
        loop.entries[kind] = entry
        warming.note_kept(loop.py_func, kind.__name__)
        return result

    return first


def dispatched(loop: Loop) -> Callable[..., Any]:
    """A loop as numba itself calls it, for arguments of any kind."""
    return lambda *arguments: _entry(loop)(*arguments)


@cache
def _tell() -> None:
    if sys.stderr.isatty():
        text = "linkwork: compiling loops, once for this installation; it takes minutes in all (see `linkwork warm`)"
        print(text, file=sys.stderr, flush=True)


@typeof_impl.register(Loop)
def _typeof(loop: Loop, context: Any) -> types.Dispatcher:
    return types.Dispatcher(inner(loop))


@overload(call, inline="always")
def _call(address, inputs, outputs):  # type: ignore[no-untyped-def]
    machine_call = drive.call

    def implementation(address, inputs, outputs):  # type: ignore[no-untyped-def]
        machine_call(address, inputs, outputs)

    return implementation
