"""Loops that run in two ways: as machine code by numba, or as they are written, by Python.

A loop is a plain function of numbers, arrays and handles, marked with `@loop`. Loops call each other by their names. To
compile those of a simulation takes minutes, once an installation; interpreted, a step takes a millisecond. So in a new
installation loops are interpreted, by the same source and with the same results to rounding, while another process
compiles them and keeps them on disk (`warming`); who comes later finds them there.

`LINKWORK_LOOPS` is auto, compile (machine code from the first call on) or interpret (never any).
numba takes long to import: this module does without, `native` does not.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import update_wrapper
from typing import Any

import numpy as np

from linkwork.numerics import warming

State = list[tuple[Any, Any]]


class _Here(threading.local):
    interpreting = False


_here = _Here()
ENOUGH = 10.0
"""Time in the interpreter after which a loop that nobody else compiles is compiled here [s]."""
ENOUGH_OF_LIGHT = 0.5
"""The same for a light loop, whoever else compiles [s]."""
MANY = 5000
"""Numbers in the arguments of a light loop from which on it is compiled at once: that takes a second or two."""
TROUBLES = (ArithmeticError, ValueError, IndexError)
"""What Python raises where machine code goes on with infinities, or reads what is not there."""


def mode() -> str:
    """What the environment asks for: auto, compile or interpret."""
    asked = os.environ.get("LINKWORK_LOOPS", "auto").strip().lower()
    return asked if asked in ("compile", "interpret") else "auto"


class Loop:
    """A function with its two ways to run.

    light : quickly compiled, so that nobody else is asked to, and that at once where much is to be done
    spent : time in the interpreter [s]
    py_func, targetoptions : as numba looks for them where it writes one function into another
    """

    def __init__(self, function: Callable[..., Any], inline: bool = False, light: bool = False) -> None:
        self.py_func, self.light = function, light
        self.spent = 0.0
        self.targetoptions: dict[str, Any] = {"inline": "always"} if inline else {}
        self.entries: dict[type, Callable[..., Any]] = {}
        """Machine code by the type of the first argument, as far as this process has it: that is how methods differ."""
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        if _here.interpreting:
            return self.py_func(*arguments)
        entry = self.entries.get(type(arguments[0]))
        return self._run(arguments) if entry is None else entry(*arguments)

    def __reduce__(self) -> str:
        return self.py_func.__qualname__

    def _run(self, arguments: tuple[Any, ...]) -> Any:
        asked = mode()
        if asked == "interpret":
            return interpreted(self.py_func, arguments)
        kind = type(arguments[0])
        if asked == "compile" or warming.is_kept(self.py_func, kind.__name__) or self._pays(arguments):
            return self._compiled(kind)(*arguments)
        before, began = kept(arguments), time.perf_counter()
        try:
            return interpreted(self.py_func, arguments)
        except TROUBLES:
            restore(before)
            return self._compiled(kind)(*arguments)
        except BaseException:  # interrupted in the middle of a step
            restore(before)
            raise
        finally:
            self.spent += time.perf_counter() - began

    def _pays(self, arguments: tuple[Any, ...]) -> bool:
        """Whether a loop that is not on disk is compiled here and now."""
        if self.light:
            return self.spent > ENOUGH_OF_LIGHT or _size(arguments) > MANY
        warming.begin()
        return self.spent > ENOUGH and not warming.is_going_on()  # nobody else compiles it

    def _compiled(self, kind: type) -> Callable[..., Any]:
        entry: Callable[..., Any] | None = None
        if warming.is_kept(self.py_func, kind.__name__):
            from linkwork.numerics.entries import kept_entry

            entry = kept_entry(self.py_func, kind.__name__, otherwise=self._by_numba)
        if entry is None:
            from linkwork.numerics.native import entry_of

            entry = entry_of(self, kind)
        self.entries[kind] = entry
        return entry

    def _by_numba(self, *arguments: Any) -> Any:
        """The way of arguments that a kept entry does not take."""
        from linkwork.numerics.native import dispatched

        return dispatched(self)(*arguments)


def loop(function: Callable[..., Any]) -> Loop:
    """Mark a function as a loop."""
    return Loop(function)


def light(function: Callable[..., Any]) -> Loop:
    """Mark a function as a loop that is quickly compiled."""
    return Loop(function, light=True)


def inlined(function: Callable[..., Any]) -> Loop:
    """Mark a function as a loop that is written into those that call it."""
    return Loop(function, inline=True)


@contextmanager
def as_written() -> Iterator[None]:
    """Let this thread run all loops in the interpreter."""
    before, _here.interpreting = _here.interpreting, True
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        _here.interpreting = before


def interpreted(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Run a function as it is written, and all loops that it calls."""
    with as_written():
        return function(*arguments)


def _size(arguments: Sequence[Any]) -> int:
    """How many numbers there are in arrays, also those of tuples."""
    return sum(x.size if isinstance(x, np.ndarray) else _size(x) if isinstance(x, tuple) else 0 for x in arguments)


def kept(arguments: Sequence[Any]) -> State:
    """Copies of all numbers behind arguments that a loop may change, and nobody else."""
    found: State = []
    for x in arguments:
        if isinstance(x, tuple):
            found += kept(x)
        for array in x.own_arrays() if hasattr(x, "own_arrays") else [x]:
            if isinstance(array, np.ndarray) and array.flags.writeable:
                found.append((array, array.copy()))
    return found


def restore(state: State) -> None:
    """Put kept numbers back to where they were."""
    for array, copy in state:
        array[...] = copy
