"""Two ways to run a tape, the same to call: interpreted at once, compiled when it pays. Both give the same bits."""

from __future__ import annotations

import ctypes
import threading
import time
import weakref
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from linkwork.kernels import interpreter
from linkwork.kernels.cache import user_cache
from linkwork.kernels.interpreter import Code, encode, interpreter_assembly
from linkwork.kernels.machine import Loaded, Machine, combined_digest, compile_assembly
from linkwork.kernels.operations import bind_library
from linkwork.kernels.program import FORMAT, program_assembly
from linkwork.kernels.tape import Tape
from linkwork.kernels.tiles import ALIGN

_P, _I = ctypes.c_void_p, ctypes.c_int64
_BATCH = ctypes.CFUNCTYPE(None, _P, _P, _P, _P, _I, _I, _P)
_INTERPRET = ctypes.CFUNCTYPE(None, _P, _I, _P, _I, _P, _P, _P, _P, _P, _I, _I, _P, _I)
_ROWS = ctypes.CFUNCTYPE(_I)


class Memory:
    """Blocks as machine code sees them: addresses of sample 0, and doubles from sample to sample."""

    __slots__ = ("addresses", "count", "pointers", "steps", "strides")

    def __init__(self, addresses: Sequence[int], strides: Sequence[int]) -> None:
        self.addresses = addresses
        self.strides = strides
        self.count = len(addresses)
        self.pointers = (_P * self.count)(*addresses)
        self.steps = (_I * self.count)(*strides)


class Tier(Protocol):
    """Something that computes samples `first` to `first + count - 1`."""

    name: str

    def run(self, inputs: Memory, outputs: Memory, first: int, count: int) -> None:
        """Compute; the interpreter of Python may run other threads meanwhile."""


class Compiled:
    """Machine code of one tape. `scalar` and `batch` are addresses; they hold as long as this object lives."""

    name = "compiled"

    def __init__(self, data: bytes, machine: Machine) -> None:
        bind_library()
        self._loaded = Loaded(data, machine)
        self.scalar = self._loaded.address("lw_scalar")
        self.batch = self._loaded.address("lw_batch")
        self.workspace = int(_ROWS(self._loaded.address("lw_rows"))()) * machine.width
        self.size = len(data)
        self._call = _BATCH(self.batch)

    def run(self, inputs: Memory, outputs: Memory, first: int, count: int) -> None:
        """Compute samples `first` to `first + count - 1`."""
        keep, workspace = _workspace(self.workspace)
        self._call(inputs.pointers, inputs.steps, outputs.pointers, outputs.steps, first, count, workspace)
        del keep


class Interpreted:
    """A tape run by the interpreter."""

    name = "interpreted"

    def __init__(self, tape: Tape, machine: Machine) -> None:
        self._loaded = _interpreter(machine)
        self._call = _INTERPRET(self._loaded.address("lw_interpret"))
        self._code: Code = encode(tape)

    def run(self, inputs: Memory, outputs: Memory, first: int, count: int) -> None:
        """Compute samples `first` to `first + count - 1`."""
        code = self._code
        inputs = Memory((*inputs.addresses, code.constants.ctypes.data), (*inputs.strides, 0))
        keep, workspace = _workspace(code.rows * interpreter.WIDTH)
        self._call(
            code.words.ctypes.data,
            inputs.count,
            code.input_sizes.ctypes.data,
            outputs.count,
            code.output_sizes.ctypes.data,
            inputs.pointers,
            inputs.steps,
            outputs.pointers,
            outputs.steps,
            first,
            count,
            workspace,
            code.first_output,
        )
        del keep


def _workspace(size: int) -> tuple[NDArray[np.float64], int]:
    """An aligned piece of memory and its address."""
    memory = np.empty(size + ALIGN // 8)
    return memory, (memory.__array_interface__["data"][0] + ALIGN - 1) // ALIGN * ALIGN


# ------------------------------------------------------------------------------------------------------ finding, building

# One piece of code serves all kernels with the same tape, as long as one of them lives.
_compiled: weakref.WeakValueDictionary[str, Compiled] = weakref.WeakValueDictionary()
_interpreters: dict[str, Loaded] = {}
_lock = threading.Lock()


def find_compiled(tape: Tape, machine: Machine) -> Compiled | None:
    """The machine code of a tape, if this process has it or the cache on disk."""
    key = _key(tape, machine)
    with _lock:
        found = _compiled.get(key)
        if found is None:
            data = user_cache().get(key)
            if data is not None:
                found = _compiled[key] = Compiled(data, machine)
        return found


def make_compiled(tape: Tape, machine: Machine) -> tuple[Compiled, float]:
    """The machine code of a tape, found or built and put into the cache; and the seconds that building took."""
    found = find_compiled(tape, machine)
    if found is not None:
        return found, 0.0
    start = time.perf_counter()
    data = compile_assembly(program_assembly(tape, machine), machine)
    seconds = time.perf_counter() - start
    key = _key(tape, machine)
    user_cache().put(key, data)
    with _lock:
        found = _compiled.get(key)
        if found is None:
            found = _compiled[key] = Compiled(data, machine)
    return found, seconds


def _key(tape: Tape, machine: Machine) -> str:
    return combined_digest("program", FORMAT, tape.digest, machine.digest)


def _interpreter(machine: Machine) -> Loaded:
    """The interpreter of a machine: from memory, from the cache, or built."""
    key = combined_digest("interpreter", interpreter.FORMAT, sorted(interpreter.case_numbers().items()), machine.digest)
    with _lock:
        if key not in _interpreters:
            bind_library()
            data = user_cache().get(key)
            if data is None:
                data = compile_assembly(interpreter_assembly(machine), machine)
                user_cache().put(key, data)
            _interpreters[key] = Loaded(data, machine)
        return _interpreters[key]
