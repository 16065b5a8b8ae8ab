"""Which tier runs a tape, and when it changes: interpreted first, compiled once the work is worth it."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time

from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.kernels import background
from linkwork.kernels.encoding import Code, encode
from linkwork.kernels.entries import Entry
from linkwork.kernels.machine import Machine
from linkwork.kernels.tape import Tape
from linkwork.kernels.tiers import (
    STATE,
    BatchCode,
    CodeT,
    Interpreted,
    Memory,
    ScalarCode,
    find_code,
    make_code,
    make_entry,
)

log = logging.getLogger("linkwork.kernels")

MODES = ("auto", "compile", "interpret")
LARGE = 200_000
"""Operations above which a tape is not compiled unless asked for."""

# Rough costs, to weigh one against the other: seconds to compile (fixed and per operation), seconds per operation and
# sample, in batches and one by one. Loops go on while code for single samples is compiled beside them: that begins when
# half of its cost has been spent.
COMPILE_FIXED, COMPILE_OPERATION, COMPILE_SINGLE = 0.03, 1.5e-4, 5e-5
INTERPRETED_OPERATION, COMPILED_OPERATION = 0.6e-9, 0.15e-9
INTERPRETED_CALL, INTERPRETED_SINGLE = 50e-9, 1.3e-9


LONG = 1.0
"""Time to compile from which on somebody who waits is told [s]."""
CALL_SECONDS = 3e-5
"""What an interpreted call costs around the interpreter, and compiled ones do not."""


class Engine:
    """A tape and the code that runs it. The results do not depend on the tier, to the bit."""

    def __init__(self, tape: Tape, machine: Machine, mode: str | None = None) -> None:
        self.tape = tape
        self.machine = machine
        self.mode = mode or _mode()
        if self.mode not in MODES:
            raise InputError(Problem(f"mode '{mode}' is not known", hint=did_you_mean(self.mode, MODES)))
        self.reason = "not used yet"
        self._batch: BatchCode | None = None
        self._scalar: ScalarCode | None = None
        self._interpreted: Interpreted | None = None
        self._entry: Entry | None = None
        self._encoded: Code | None = None
        self._looked = False
        self._looked_for_scalar = False
        self._calls = 0
        self._background: threading.Thread | None = None
        self._failed = False
        self._work = 0.0

    @property
    def tier(self) -> str:
        """What the next call uses: "compiled" or "interpreted"."""
        return "compiled" if self._batch is not None else "interpreted"

    @property
    def sample_seconds(self) -> float:
        """About what one sample costs in a batch."""
        each = INTERPRETED_OPERATION if self._batch is None else COMPILED_OPERATION
        return 5e-9 + len(self.tape) * each

    @property
    def trade(self) -> str:
        """What compiling would cost and save, by rough numbers, and what interpreting has cost."""
        size = len(self.tape)
        saved = size * (INTERPRETED_OPERATION - COMPILED_OPERATION)
        told = f"compiling takes about {self._compile_seconds:.2g} s and saves {1e6 * saved:.2g} us a sample"
        return f"{told}; interpreting took {self._work:.2g} s so far"

    @property
    def _compile_seconds(self) -> float:
        return COMPILE_FIXED + COMPILE_OPERATION * len(self.tape)

    def prepare(self, count: int) -> None:
        """Make ready for `count` samples: find machine code, or begin to compile if so much work is worth it."""
        if self._batch is not None:
            return
        with STATE:
            if not self._looked:
                self._look()
        if self._batch is None:
            if self.mode == "compile" and not self._failed:
                self.batch()
            else:
                self._work += CALL_SECONDS
                self._compile_if_it_pays(count * self.sample_seconds)

    def run(self, inputs: Memory, outputs: Memory, first: int, count: int) -> None:
        """Compute samples `first` to `first + count - 1` in the best tier there is now."""
        if self._batch is not None:
            self._batch.run(inputs, outputs, first, count)
            return
        if first == 0 and count == 1:
            entry = self.entry()
            begin = time.perf_counter()
            entry.run(inputs.pointers, outputs.pointers)
        else:
            interpreter = self._interpreter()
            begin = time.perf_counter()
            interpreter.run(inputs, outputs, first, count)
        self._work += time.perf_counter() - begin
        self._compile_if_it_pays(0.0)

    @property
    def address(self) -> int:
        """Address of code for one sample, there at once: compiled code, or an entry that goes over to it."""
        if self._scalar is None and self.mode != "interpret" and not self._looked_for_scalar:
            self._looked_for_scalar = True
            if self.mode == "compile" and not self._failed:
                self.scalar()
            else:
                self._scalar = find_code(ScalarCode, self.tape, self.machine)
        if self._scalar is not None:
            return self._scalar.address
        if self._batch is None:
            self.reason = self._why_interpreted()
        entry = self.entry()
        if self.mode != "interpret" and len(self.tape) <= LARGE and not self._failed:
            background.watch(self)
        return entry.address

    def entry(self) -> Entry:
        """An address that stays, whatever runs the tape."""
        if self._entry is None:
            with STATE:
                if self._entry is None:
                    entry = make_entry(self._code(), self.machine)
                    if self._scalar is not None:
                        entry.switch(self._scalar.address)
                    self._entry = entry
        return self._entry

    def look(self) -> bool | None:
        """Compile code for single samples once interpreting them has cost as much; None if that is settled."""
        if self._entry is None or self._scalar is not None or self._failed:
            return None
        calls, before = self._entry.calls, self._calls
        self._calls = calls
        spent = calls * (INTERPRETED_CALL + len(self.tape) * INTERPRETED_SINGLE)
        if 2.0 * spent < COMPILE_FIXED + COMPILE_SINGLE * len(self.tape):
            return calls != before
        if self._batch is None:
            self.reason = "being compiled"
        self._try_compile(ScalarCode.part)
        return None

    def compile(self, only: str | None = None) -> None:
        """Compile now what is not compiled yet, "batch", "scalar" or both; wait for a compilation under way."""
        if only not in (None, BatchCode.part, ScalarCode.part):
            raise InputError(f"only is '{only}', not '{BatchCode.part}' or '{ScalarCode.part}'")
        if only != ScalarCode.part:
            self.batch()
        if only != BatchCode.part:
            self.scalar()

    def batch(self) -> BatchCode:
        """Machine code for batches, compiled now if it has to be."""
        if self._batch is None:
            self._batch = self._make(BatchCode)
        return self._batch

    def scalar(self) -> ScalarCode:
        """Machine code for one sample, compiled now if it has to be."""
        if self._scalar is None:
            code = self._make(ScalarCode)
            with STATE:
                self._scalar = code
                if self._entry is not None:
                    self._entry.switch(code.address)
        return self._scalar

    def batch_if_there(self) -> BatchCode | None:
        """Machine code for batches, if there is some."""
        return self._batch

    def _make(self, kind: type[CodeT]) -> CodeT:
        if self._compile_seconds > LONG and find_code(kind, self.tape, self.machine) is None:
            self._tell()
        code, seconds = make_code(kind, self.tape, self.machine)
        found = "found in the cache" if seconds == 0.0 else f"compiled in {seconds:.2f} s"
        only_scalar = kind is ScalarCode and self._batch is None
        self.reason = f"code for single samples {found}, batches still interpreted" if only_scalar else found
        log.info("kernel '%s' (%d operations): %s code %s", self.tape.name, len(self.tape), kind.part, found)
        return code

    def _tell(self) -> None:
        """Say to whoever sits at a terminal and waits what takes long."""
        if sys.stderr.isatty() and threading.current_thread() is threading.main_thread():
            what = f"kernel '{self.tape.name}' ({len(self.tape):,} operations)"
            print(f"linkwork: compiling {what} takes about {self._compile_seconds:.0f} s", file=sys.stderr, flush=True)

    def _look(self) -> None:
        """Before the first use: machine code that is there already costs nothing."""
        self._looked = True
        if self.mode != "interpret":
            self._batch = find_code(BatchCode, self.tape, self.machine)
        if self._batch is not None:
            self.reason = "found in the cache"
            log.info("kernel '%s' (%d operations): batch code found in the cache", self.tape.name, len(self.tape))
        else:
            self.reason = self._why_interpreted()

    def _why_interpreted(self) -> str:
        if self.mode == "interpret":
            return "as LINKWORK_KERNELS asks"
        if self._failed or self._background is not None:
            return self.reason
        if len(self.tape) > LARGE:
            return f"more than {LARGE:,} operations; compile() if it is worth it"
        return "compiled when there is more to do"

    def _compile_if_it_pays(self, ahead: float) -> None:
        """Compile in the background once interpreting has cost, or is about to cost, as much as compiling."""
        if self._work + ahead < self._compile_seconds:
            return
        with STATE:
            if self.mode == "interpret" or self._background is not None or len(self.tape) > LARGE:
                return
            self.reason = "being compiled"
            self._background = background.begin(self._try_compile, "linkwork compile")

    def _try_compile(self, only: str = BatchCode.part) -> None:
        try:
            self.compile(only)
        except background.Ending:
            self._failed = True
        except Exception as error:  # noqa: BLE001 - whatever it was, the interpreter goes on
            self._failed = True
            self.reason = f"compilation failed: {error}"
            log.warning("kernel '%s' could not be compiled and stays interpreted: %s", self.tape.name, error)

    def _interpreter(self) -> Interpreted:
        if self._interpreted is None:
            with STATE:
                if self._interpreted is None:
                    self._interpreted = Interpreted(self._code(), self.machine)
        return self._interpreted

    def _code(self) -> Code:
        if self._encoded is None:
            self._encoded = encode(self.tape)
        return self._encoded


def _mode() -> str:
    wanted = os.environ.get("LINKWORK_KERNELS", "").strip().lower() or "auto"
    if wanted in MODES:
        return wanted
    log.warning("LINKWORK_KERNELS=%s is not known (%s); auto is used", wanted, ", ".join(MODES))
    return "auto"
