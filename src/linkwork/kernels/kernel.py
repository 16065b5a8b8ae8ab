"""A CasADi function as something to call: one sample or a million, on one core or all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from linkwork.errors import Problem
from linkwork.kernels.batch import ArgumentError, Array, Call, Side, gathered, prepare, scatter
from linkwork.kernels.engine import LARGE, Engine
from linkwork.kernels.fastcall import fast_call
from linkwork.kernels.machine import Machine, this_machine
from linkwork.kernels.tape import Block, make_tape
from linkwork.kernels.threads import Work, available_cores, run_pieces
from linkwork.kernels.tiers import Memory

ROUND = 16
"""Samples of a piece are a multiple of this: whole tiles on every machine."""
COPIED = 4096
"""Samples of a piece of which arrays must be copied: the copies stay in the processor's cache."""
PIECE_SECONDS = 0.02
"""A piece takes about so long: Ctrl-C is heard, and the tier can change."""
THREAD_SECONDS = 5e-4
"""Work below this is not worth a second thread."""
SINGLES = 16
"""Single samples after which calls try the fast way first; to prepare it costs some milliseconds."""
RELEASE_OPERATIONS = 10_000
"""Operations from which a single call lets other threads of Python run."""


class Kernel:
    """The compiled form of a CasADi function; see `__call__`.

    Blocks are dense and row-major: a column of n is (n,), a single number is (), a matrix is (rows, columns).
    """

    def __init__(
        self,
        function: ca.Function,
        name: str | None = None,
        *,
        bound: Sequence[Any] = (),
        machine: Machine | None = None,
        mode: str | None = None,
    ) -> None:
        """`bound` are arrays for the last inputs, given once and for all. `mode`: auto, compile, interpret."""
        machine = machine or this_machine()
        self._set(Engine(make_tape(function, machine.fma, name), machine, mode), ())
        if len(bound):
            self._set(self._engine, self._bound_arrays(bound))

    def _set(self, engine: Engine, bound: tuple[Array, ...]) -> None:
        self._engine = engine
        self._bound = bound
        self._quick: Any = None
        self._singles = 0
        taken = engine.tape.inputs
        self.inputs: tuple[Block, ...] = taken[: len(taken) - len(bound)]
        """The blocks that a call takes: names and shapes."""
        self.outputs: tuple[Block, ...] = engine.tape.outputs
        """The blocks that a call gives."""

    # ------------------------------------------------------------------------------------------------------ description

    @property
    def name(self) -> str:
        """Name of the function."""
        return self._engine.tape.name

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs, bound ones left out."""
        return tuple(b.name for b in self.inputs)

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(b.name for b in self.outputs)

    @property
    def sizes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Elements of every input (bound ones included, last) and every output, as the machine code takes them."""
        tape = self._engine.tape
        return tuple(b.size for b in tape.inputs), tuple(b.size for b in tape.outputs)

    @property
    def bound(self) -> tuple[Array, ...]:
        """Arrays of the bound inputs, read-only."""
        return self._bound

    @property
    def operations(self) -> int:
        """Operations of one evaluation."""
        return len(self._engine.tape)

    @property
    def tier(self) -> str:
        """What the next call uses: "compiled" or "interpreted"; the printed kernel says why."""
        return self._engine.tier

    def __repr__(self) -> str:
        def text(blocks: Sequence[Block]) -> str:
            return ", ".join(f"{b.name}{list(b.shape) if b.shape else ''}" for b in blocks)

        bound = f" with {len(self._bound)} bound" if self._bound else ""
        head = f"Kernel '{self.name}': {text(self.inputs)}{bound} -> {text(self.outputs)}"
        return f"{head}\n{self.operations:,} operations, {self.tier} ({self._engine.reason}), {self._engine.machine}"

    # ---------------------------------------------------------------------------------------------------------- calling

    def __call__(self, *arrays: Any, out: Any = None, threads: int | None = None) -> Any:
        """Evaluate over arrays whose leading shapes broadcast against each other.

        out: an array, or a tuple of arrays, for the results. threads: how many at most; all cores by default. The
        result is an array, or a tuple if there are several outputs, and does not depend on threads or batch size, to
        the bit.
        """
        if self._quick is not None and out is None and threads is None and len(arrays) == len(self.inputs):
            return self._quick(*arrays)  # looks whether it is one plain sample; if not, comes back to `_evaluate`
        return self._evaluate(arrays, out, threads)

    def _evaluate(self, arrays: Sequence[Any], out: Any, threads: int | None) -> Any:
        call = prepare(self.name, self.inputs, self.outputs, arrays, out)
        if call.samples:
            self._run(call, threads)
        if call.samples == 1 and self._quick is None:
            self._singles += 1
            if self._singles % SINGLES == 0 and self._is_plain and self._engine.scalar_if_there() is not None:
                self._quick = self.call
        return call.results[0] if len(call.results) == 1 else call.results

    def _run(self, call: Call, threads: int | None) -> None:
        engine = self._engine
        engine.prepare(call.samples)
        work = self._work_with_copies(call) if call.copied else self._work_in_place(call)
        seconds = engine.sample_seconds
        wanted = 1
        if call.samples * seconds > THREAD_SECONDS:
            wanted = available_cores() if threads is None else max(int(threads), 1)
        piece = int(PIECE_SECONDS / seconds)
        if wanted > 1:
            piece = min(piece, call.samples // (4 * wanted))
        if call.copied:
            piece = min(piece, COPIED)
        run_pieces(work, call.samples, max(piece // ROUND * ROUND, ROUND), wanted)

    def _work_in_place(self, call: Call) -> Work:
        """All arrays are used where they are."""
        engine = self._engine
        inputs = self._memory([s.address for s in call.inputs], [s.stride or 0 for s in call.inputs])
        outputs = Memory([s.address for s in call.outputs], [s.stride or 1 for s in call.outputs])

        def work(first: int, count: int) -> None:
            engine.run(inputs, outputs, first, count)

        return work

    def _work_with_copies(self, call: Call) -> Work:
        """Some arrays are copied, piece by piece."""

        def place(side: Side, copy: Array | None, first: int) -> tuple[int, int]:
            """Address of sample 0 and stride; a copy begins with sample `first`, its sample 0 would lie before it."""
            if copy is None:
                return side.address, side.stride or 0
            return int(copy.ctypes.data) - 8 * first * side.size, side.size

        def work(first: int, count: int) -> None:
            sources = [gathered(s, call.shape, first, count) if s.stride is None else None for s in call.inputs]
            targets = [np.empty((count, s.size)) if s.stride is None else None for s in call.outputs]
            ins = [place(side, copy, first) for side, copy in zip(call.inputs, sources, strict=True)]
            outs = [place(side, copy, first) for side, copy in zip(call.outputs, targets, strict=True)]
            inputs = self._memory([a for a, _ in ins], [stride for _, stride in ins])
            outputs = Memory([a for a, _ in outs], [stride or 1 for _, stride in outs])
            self._engine.run(inputs, outputs, first, count)
            for side, values in zip(call.outputs, targets, strict=True):
                if values is not None:
                    scatter(side, call.shape, first, count, values)

        return work

    def _memory(self, addresses: list[int], strides: list[int]) -> Memory:
        """The given inputs and the bound ones, which all samples share."""
        return Memory((*addresses, *(a.ctypes.data for a in self._bound)), (*strides, *(0 for _ in self._bound)))

    @cached_property
    def call(self) -> Any:
        """One sample at the least cost: `call(x0, ..., [out0, ...])`. Compiles first; takes what `__call__` takes."""
        if self._engine.mode == "interpret" or self.operations > LARGE or not self._is_plain:
            return self._general
        code = self._engine.scalar()
        return fast_call(
            self.name,
            code.address,
            [b.size for b in self.inputs],
            [b.size for b in self.outputs],
            [int(a.ctypes.data) for a in self._bound],
            self._general,
            release_gil=self.operations >= RELEASE_OPERATIONS,
            owner=(code, self._bound),
        )

    def _general(self, *arrays: Any) -> Any:
        """A single call that is not the plain case: results may follow the inputs."""
        n = len(self.inputs)
        return self._evaluate(arrays[:n], arrays[n:] or None, None)

    @property
    def _is_plain(self) -> bool:
        """Whether all blocks are vectors, as the fast call wants them."""
        return bool(self.outputs) and all(len(b.shape) == 1 for b in (*self.inputs, *self.outputs))

    def bind(self, *arrays: Any) -> Kernel:
        """The same kernel with its last inputs given once and for all, such as the constants of a model."""
        kernel = object.__new__(type(self))
        kernel._set(self._engine, (*self._bound_arrays(arrays), *self._bound))
        return kernel

    def _bound_arrays(self, arrays: Sequence[Any]) -> tuple[Array, ...]:
        blocks = self.inputs[len(self.inputs) - len(arrays) :] if len(arrays) <= len(self.inputs) else ()
        if len(blocks) != len(arrays):
            raise ArgumentError(self.name, [Problem(f"{len(arrays)} arrays to bind, {len(self.inputs)} inputs")])
        problems, kept = [], []
        for block, given in zip(blocks, arrays, strict=True):
            array = np.array(given, np.float64, order="C", copy=True)
            if array.shape != block.shape:
                problems.append(Problem(f"has shape {array.shape}, not {block.shape}", block.name))
            array.flags.writeable = False
            kept.append(array)
        if problems:
            raise ArgumentError(self.name, problems)
        return tuple(kept)

    # ---------------------------------------------------------------------------------------------------- machine code

    def compile(self) -> Kernel:
        """Compile now, unless that is done."""
        self._engine.compile()
        return self

    @property
    def address(self) -> int:
        """Address of the code for one sample (`lw_scalar` of `program.py`), compiled first. Keep the kernel alive."""
        return self._engine.scalar().address

    @property
    def batch_address(self) -> int:
        """Address of the code for a batch (`lw_batch` of `program.py`), compiled first. Keep the kernel alive."""
        return self._engine.batch().address

    @property
    def workspace(self) -> int:
        """Doubles of the workspace that `lw_batch` needs, aligned to 64 bytes."""
        return self._engine.batch().workspace
