"""Which tier runs a tape, and when it changes: interpreted first, compiled once the work is worth it."""

from __future__ import annotations

import logging
import os
import threading
import time

from linkwork.kernels.machine import Machine
from linkwork.kernels.tape import Tape
from linkwork.kernels.tiers import Compiled, Interpreted, Tier, find_compiled, make_compiled

log = logging.getLogger("linkwork.kernels")

MODES = ("auto", "compile", "interpret")
LARGE = 200_000
"""Operations above which a tape is not compiled unless asked for."""

# Rough costs, to weigh one against the other: seconds to compile (fixed and per operation), seconds per operation and
# sample.
COMPILE_FIXED, COMPILE_OPERATION = 0.03, 1.5e-4
INTERPRETED_OPERATION, COMPILED_OPERATION = 0.6e-9, 0.15e-9


class Engine:
    """A tape and the code that runs it. The results do not depend on the tier, to the bit."""

    def __init__(self, tape: Tape, machine: Machine, mode: str | None = None) -> None:
        self.tape = tape
        self.machine = machine
        self.mode = mode or _mode()
        self.reason = "not used yet"
        self._compiled: Compiled | None = None
        self._interpreted: Interpreted | None = None
        self._looked = False
        self._background: threading.Thread | None = None
        self._failed = False
        self._work = 0.0
        self._lock = threading.Lock()

    @property
    def tier(self) -> str:
        """What the next call uses: "compiled" or "interpreted"."""
        return "compiled" if self._compiled is not None else "interpreted"

    @property
    def sample_seconds(self) -> float:
        """About what one sample costs in a batch."""
        each = INTERPRETED_OPERATION if self._compiled is None else COMPILED_OPERATION
        return 5e-9 + len(self.tape) * each

    def choose(self, count: int) -> Tier:
        """The tier for the next `count` samples; starts to compile in the background if that pays."""
        if self._compiled is not None:
            return self._compiled
        with self._lock:
            if not self._looked:
                self._look()
            if self._compiled is not None:
                return self._compiled
            if self.mode == "compile" and not self._failed:
                start = True
            else:
                self._work += count * self.sample_seconds
                start = self._pays()
                if start:
                    self._background = threading.Thread(target=self._try_compile, name="linkwork compile", daemon=True)
                    self._background.start()
                    self.reason = "being compiled"
                    start = False
        if start:
            return self.compile()
        return self._interpreter()

    def compile(self) -> Compiled:
        """Compile now, unless that is done; wait for a compilation under way."""
        background = self._background
        if background is not None and background is not threading.current_thread():
            background.join()
        if self._compiled is None:
            begin = time.perf_counter()
            compiled, seconds = make_compiled(self.tape, self.machine)
            found = "found in the cache" if seconds == 0.0 else f"compiled in {seconds:.2f} s"
            self.reason = found
            self._compiled = compiled
            log.info(
                "kernel '%s' (%d operations): %s, ready after %.3f s",
                self.tape.name,
                len(self.tape),
                found,
                time.perf_counter() - begin,
            )
        return self._compiled

    def _look(self) -> None:
        """Before the first use: machine code that is there already costs nothing."""
        self._looked = True
        if self.mode == "interpret":
            self.reason = "as LINKWORK_KERNELS asks"
            return
        self._compiled = find_compiled(self.tape, self.machine)
        if self._compiled is not None:
            self.reason = "found in the cache"
            log.info("kernel '%s' (%d operations): machine code found in the cache", self.tape.name, len(self.tape))
        elif len(self.tape) > LARGE:
            self.reason = f"more than {LARGE:,} operations; compile() if it is worth it"
        else:
            self.reason = "compiled when there is more to do"

    def _pays(self) -> bool:
        if self.mode == "interpret" or self._failed or self._background is not None or len(self.tape) > LARGE:
            return False
        return self._work > COMPILE_FIXED + COMPILE_OPERATION * len(self.tape)

    def _try_compile(self) -> None:
        try:
            self.compile()
        except Exception as error:  # noqa: BLE001 - whatever it was, the interpreter goes on
            self._failed = True
            self.reason = f"compilation failed: {error}"
            log.warning("kernel '%s' could not be compiled and stays interpreted: %s", self.tape.name, error)

    def _interpreter(self) -> Interpreted:
        if self._interpreted is None:
            with self._lock:
                if self._interpreted is None:
                    self._interpreted = Interpreted(self.tape, self.machine)
        return self._interpreted


def _mode() -> str:
    wanted = os.environ.get("LINKWORK_KERNELS", "").strip().lower() or "auto"
    if wanted in MODES:
        return wanted
    log.warning("LINKWORK_KERNELS=%s is not known (%s); auto is used", wanted, ", ".join(MODES))
    return "auto"
