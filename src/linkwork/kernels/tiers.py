"""Two ways to run a tape, the same to call: interpreted at once, compiled when it pays. Both give the same bits."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import struct
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from linkwork._version import __version__
from linkwork.kernels import encoding, entries, functions, interpreter, lanes, operations, program, slots, tiles
from linkwork.kernels.background import until_the_end
from linkwork.kernels.cache import user_cache
from linkwork.kernels.encoding import Code
from linkwork.kernels.entries import Entry, Pool, entries_assembly, pool_lock
from linkwork.kernels.interpreter import batch_interpreter, single_interpreter
from linkwork.kernels.locks import fork_safe_lock
from linkwork.kernels.machine import Loaded, Machine, combined_digest, compile_assembly
from linkwork.kernels.operations import bind_library
from linkwork.kernels.program import batch_assembly, scalar_assembly
from linkwork.kernels.tape import Tape
from linkwork.kernels.tiles import ALIGN

_P, _I = ctypes.c_void_p, ctypes.c_int64
_BATCH = ctypes.CFUNCTYPE(None, _P, _P, _P, _P, _I, _I, _P)
_INTERPRET = ctypes.CFUNCTYPE(None, _P, _I, _P, _I, _P, _P, _P, _P, _P, _I, _I, _P, _I)
_ROWS = ctypes.CFUNCTYPE(_I)


class Memory(NamedTuple):
    """Blocks as machine code sees them, two tables: addresses of sample 0, and doubles from sample to sample."""

    pointers: bytes
    steps: bytes


def memory(addresses: Sequence[int], strides: Sequence[int]) -> Memory:
    """The tables of some blocks."""
    pack_pointers, pack_steps = _packers(len(addresses))
    return Memory(pack_pointers(*addresses), pack_steps(*strides))


@cache
def _packers(count: int) -> tuple[Callable[..., bytes], Callable[..., bytes]]:
    return struct.Struct(f"{count}P").pack, struct.Struct(f"{count}q").pack


class BatchCode:
    """Machine code of a tape for batches; `address` holds as long as this object lives."""

    part: ClassVar[str] = "batch"

    def __init__(self, data: bytes, machine: Machine) -> None:
        self._loaded = Loaded(data, machine)
        self.address = self._loaded.address("lw_batch")
        self.workspace = int(_ROWS(self._loaded.address("lw_rows"))()) * machine.width
        self._call = _BATCH(self.address)

    @staticmethod
    def assembly(tape: Tape, machine: Machine) -> Iterator[str]:
        """The modules of a tape."""
        return batch_assembly(tape, machine)

    def run(self, inputs: Memory, outputs: Memory, first: int, count: int) -> None:
        """Compute samples `first` to `first + count - 1`."""
        keep, workspace = _workspace.get(self.workspace)
        self._call(inputs.pointers, inputs.steps, outputs.pointers, outputs.steps, first, count, workspace)
        del keep


class ScalarCode:
    """Machine code of a tape for one sample; `address` holds as long as this object lives."""

    part: ClassVar[str] = "scalar"

    def __init__(self, data: bytes, machine: Machine) -> None:
        self._loaded = Loaded(data, machine)
        self.address = self._loaded.address("lw_scalar")

    @staticmethod
    def assembly(tape: Tape, machine: Machine) -> Iterator[str]:
        """The modules of a tape."""
        return scalar_assembly(tape, machine)


CodeT = TypeVar("CodeT", BatchCode, ScalarCode)


class Interpreted:
    """A tape run by the interpreter, in batches."""

    def __init__(self, code: Code, machine: Machine) -> None:
        self._loaded = _interpreter("batch interpreter", batch_interpreter, machine)
        self._call = _INTERPRET(self._loaded.address("lw_interpret"))
        self._code = code
        self._constants = memory((int(self._code.constants.ctypes.data),), (0,))

    def run(self, inputs: Memory, outputs: Memory, first: int, count: int) -> None:
        """Compute samples `first` to `first + count - 1`."""
        code = self._code
        last = self._constants
        inputs = Memory(inputs.pointers + last.pointers, inputs.steps + last.steps)
        keep, workspace = _workspace.get(code.rows * interpreter.WIDTH)
        self._call(
            code.words.ctypes.data,
            len(inputs.steps) // 8,
            code.input_sizes.ctypes.data,
            len(outputs.steps) // 8,
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


KEPT = 2**18
"""Doubles up to which a thread keeps its workspace for the next call: to get new memory costs more than many calls."""


class _Workspace(threading.local):
    """The workspace of a thread: one that is large enough serves all kernels, one after the other."""

    size = -1
    memory: NDArray[np.float64] | None = None
    address = 0

    def get(self, size: int) -> tuple[NDArray[np.float64] | None, int]:
        """Memory for `size` doubles, to be held while it is used, and its address, aligned."""
        if size <= self.size:
            return self.memory, self.address
        memory = np.empty(size + ALIGN // 8)
        address = (int(memory.ctypes.data) + ALIGN - 1) // ALIGN * ALIGN
        if size <= KEPT:
            self.memory, self.address, self.size = memory, address, size
        return memory, address


_workspace = _Workspace()


# --------------------------------------------------------------------------------------------------- finding, building

# One piece of code serves all kernels with the same tape, as long as one of them lives.
_codes: weakref.WeakValueDictionary[str, BatchCode | ScalarCode] = weakref.WeakValueDictionary()
_interpreters: dict[str, Loaded] = {}
_pools: dict[str, list[Pool]] = {}
STATE = fork_safe_lock()
"""Held while the tables above, or what an engine knows, are changed: never for long, but to build the interpreter."""
_building = fork_safe_lock()
"""Held while code is made: LLVM does one thing at a time anyway, and what several threads want is made once."""


def find_code(kind: type[CodeT], tape: Tape, machine: Machine) -> CodeT | None:
    """Machine code of a tape, if this process has it or the cache on disk."""
    key = _key(kind, tape, machine)
    with STATE:
        found = _codes.get(key)
        if found is None:
            data = user_cache().get(key)
            if data is None:
                return None
            found = _load(kind, key, data, machine)
        assert isinstance(found, kind)
        return found


def make_code(kind: type[CodeT], tape: Tape, machine: Machine) -> tuple[CodeT, float]:
    """Machine code of a tape, found or built and put into the cache; and the seconds that building took."""
    with _building:
        found = find_code(kind, tape, machine)
        if found is not None:
            return found, 0.0
        start = time.perf_counter()
        data = compile_assembly(until_the_end(kind.assembly(tape, machine)), machine)
        seconds = time.perf_counter() - start
        key = _key(kind, tape, machine)
        user_cache().put(key, data)
        with STATE:
            return _load(kind, key, data, machine), seconds


def _load(kind: type[CodeT], key: str, data: bytes, machine: Machine) -> CodeT:
    bind_library()
    code = kind(data, machine)
    _codes[key] = code
    return code


def _key(kind: type[BatchCode] | type[ScalarCode], tape: Tape, machine: Machine) -> str:
    return combined_digest(kind.part, _emitters_digest(), tape.digest, machine.digest)


@cache
def _emitters_digest() -> str:
    """Names the way from tape to assembly: code made by another version of these modules is not found in the cache."""
    digest = hashlib.sha256(__version__.encode())
    for module in (encoding, entries, functions, interpreter, lanes, operations, program, slots, tiles):
        with contextlib.suppress(OSError):  # without its source the version has to do
            digest.update(Path(module.__file__ or "").read_bytes())
    return digest.hexdigest()


def _interpreter(part: str, assembly: Callable[[Machine], str], machine: Machine) -> Loaded:
    """Code that serves all tapes: from memory, from the cache, or built."""
    key, data = _common(part, assembly, machine)
    with STATE:
        if key not in _interpreters:
            _interpreters[key] = Loaded(data(), machine)
        return _interpreters[key]


def _common(
    part: str, assembly: Callable[[Machine], str], machine: Machine, effort: int = interpreter.EFFORT
) -> tuple[str, Callable[[], bytes]]:
    """Name of code that serves all tapes, and how to get it."""
    cases = sorted(encoding.case_numbers().items())
    key = combined_digest(part, _emitters_digest(), cases, machine.digest)

    def data() -> bytes:
        bind_library()
        found = user_cache().get(key)
        if found is None:
            found = compile_assembly([assembly(machine)], machine, effort)
            user_cache().put(key, found)
        return found

    return key, data


def make_entry(code: Code, machine: Machine) -> Entry:
    """An address for a tape, which the interpreter serves."""
    single = _interpreter("single interpreter", single_interpreter, machine).address("lw_single")
    key, data = _common("entries", lambda _: entries_assembly(), machine, effort=0)
    with STATE, pool_lock:
        pools = _pools.setdefault(key, [])
        pool = next((own for own in pools if own.free), None)
        if pool is None:
            pool = Pool(data(), machine)
            pools.append(pool)
        return Entry(pool, code, single)
