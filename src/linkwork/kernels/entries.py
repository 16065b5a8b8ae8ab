"""Addresses that a loop may call at once and for as long as the kernel lives, whatever runs the tape by then.

An entry is a few instructions that look up what to call in the *record* of a tape:

    void lw_entry(const double *const *in, double *const *out) { record->entry(in, out, record); }

First that is the interpreter, which finds the code of the tape in the record; later it is compiled code, which takes
no notice of the third argument. One word changes, at any time, and callers know nothing of it.
"""

from __future__ import annotations

import ctypes
import weakref

import numpy as np

from linkwork.kernels.encoding import Code
from linkwork.kernels.interpreter import RECORD
from linkwork.kernels.locks import fork_safe_lock
from linkwork.kernels.machine import Loaded, Machine
from linkwork.kernels.tiles import ALIGN

POOL = 64
"""Entries that are made at once."""
_PLACES = {name: k for k, name in enumerate(RECORD)}


def entries_assembly() -> str:
    """The module of a pool: `lw_entries()` tells the addresses of its entries, `lw_records()` where they look."""
    names = ", ".join(f"ptr @lw_entry{k}" for k in range(POOL))
    lines = [
        f"@records = internal global [{POOL} x ptr] zeroinitializer, align 8",
        f"@entries = internal constant [{POOL} x ptr] [{names}], align 8",
        "define ptr @lw_records() {\n  ret ptr @records\n}",
        "define ptr @lw_entries() {\n  ret ptr @entries\n}",
    ]
    for k in range(POOL):
        lines.append(f"""\
define internal void @lw_entry{k}(ptr %in, ptr %out) {{
  %at = getelementptr ptr, ptr @records, i64 {k}
  %record = load ptr, ptr %at, align 8
  %entry = load ptr, ptr %record, align 8
  tail call void %entry(ptr %in, ptr %out, ptr %record)
  ret void
}}""")
    return "\n".join(lines)


class Pool:
    """Entries of one piece of code, taken and given back."""

    def __init__(self, data: bytes, machine: Machine) -> None:
        self._loaded = Loaded(data, machine)
        tables = (ctypes.CFUNCTYPE(ctypes.c_void_p)(self._loaded.address(f"lw_{name}"))() for name in TABLES)
        self.entries, self.records = ((ctypes.c_int64 * POOL).from_address(int(at or 0)) for at in tables)
        self.free = list(range(POOL))[::-1]


_CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
TABLES = ("entries", "records")
pool_lock = fork_safe_lock()
"""Held while entries are taken and given back."""


class Entry:
    """The entry of a tape: `address` holds as long as this object lives."""

    def __init__(self, pool: Pool, code: Code, interpreter: int) -> None:
        self._code, self._workspace = code, np.empty(code.rows + ALIGN // 8)
        at = (-self._workspace.ctypes.data // 8) % (ALIGN // 8)
        room = self._workspace[at : at + code.rows]
        first_constant = int(code.input_sizes[:-1].sum())
        room[first_constant : first_constant + len(code.constants)] = code.constants
        values = {
            "entry": interpreter, "words": code.words.ctypes.data, "workspace": room.ctypes.data, "rows": code.rows,
            "inputs": len(code.input_sizes) - 1, "input_sizes": code.input_sizes.ctypes.data,
            "outputs": len(code.output_sizes), "output_sizes": code.output_sizes.ctypes.data,
            "first_output": code.first_output, "first_constant": first_constant,
            "constants": code.constants.ctypes.data, "constant_count": len(code.constants),
        }  # fmt: skip
        self._record = np.array([values.get(name, 0) for name in RECORD], np.int64)
        with pool_lock:
            place = pool.free.pop()
        pool.records[place] = int(self._record.ctypes.data)
        self.address = int(pool.entries[place])
        self.run = _CALL(self.address)
        """The same for Python: addresses of the tables of blocks, or bytes that hold the tables."""
        weakref.finalize(self, pool.free.append, place).atexit = False

    @property
    def calls(self) -> int:
        """How often the interpreter was called through it."""
        return int(self._record[_PLACES["calls"]])

    def switch(self, address: int) -> None:
        """From now on call this code, which does the same."""
        self._record[_PLACES["entry"]] = address
