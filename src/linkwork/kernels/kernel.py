"""A CasADi function as something to call: one sample or a million, on one core or all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from linkwork.algebra import ca
from linkwork.errors import Problem
from linkwork.kernels.batch import ArgumentError, Array, InPlace, Side, WithCopies, gathered, prepare, scatter
from linkwork.kernels.batchcall import batch_call
from linkwork.kernels.engine import Engine
from linkwork.kernels.fastcall import fast_call
from linkwork.kernels.machine import Machine, this_machine
from linkwork.kernels.tape import Block, Listed, Tape, make_tape
from linkwork.kernels.threads import Work, available_cores, run_pieces
from linkwork.kernels.tiers import Memory, memory

ROUND = 16
"""Samples of a piece are a multiple of this: whole tiles on every machine."""
COPIED = 4096
"""Samples of a piece of which arrays must be copied: the copies stay in the processor's cache."""
PIECE_SECONDS = 0.02
"""A piece takes about so long: Ctrl-C is heard, and the tier can change."""
THREAD_SECONDS = 5e-4
"""Work below this is not worth a second thread."""
OFTEN = 16
"""Calls after which the fast ways are tried first; to prepare them costs some milliseconds."""
RELEASE_OPERATIONS = 10_000
"""Operations from which a single call lets other threads of Python run."""

Shapes = Sequence[Sequence[int] | None]
"""A shape for each block; None for the one that the matrix has."""


class Kernel:
    """The compiled form of a CasADi function; see `__call__`.

    Blocks are dense and row-major: a column of n is (n,), a single number is (), a matrix is (rows, columns), unless
    other shapes of as many elements are asked for.
    """

    def __init__(
        self,
        function: ca.Function | Listed,
        name: str | None = None,
        *,
        bound: Sequence[Any] = (),
        input_shapes: Shapes | None = None,
        output_shapes: Shapes | None = None,
        order: Sequence[int] | None = None,
        machine: Machine | None = None,
        mode: str | None = None,
    ) -> None:
        """`bound` are arrays for the last inputs, given once and for all. `mode`: auto, compile, interpret.

        The shapes are those of all inputs, bound ones included, and of all outputs; None for the matrix's own. They
        count the elements row by row, and do not change the machine code. `order` lists all elements of the outputs as
        they are best computed one after the other.
        """
        machine = machine or this_machine()
        tape = make_tape(function, machine.fma, name, order)
        problems: list[Problem] = []
        inputs = _shaped("input_shapes", tape.inputs, input_shapes, problems)
        outputs = _shaped("output_shapes", tape.outputs, output_shapes, problems)
        if problems:
            raise ArgumentError(problems, tape.name)
        self._set(Engine(tape, machine, mode), inputs, outputs, ())
        if len(bound):
            self._bind(bound)

    def _set(
        self, engine: Engine, inputs: tuple[Block, ...], outputs: tuple[Block, ...], bound: tuple[Array, ...]
    ) -> None:
        self._engine = engine
        self._bound = bound
        self._bound_addresses = tuple(int(a.ctypes.data) for a in bound)
        self._bound_strides = (0,) * len(bound)
        self._quick: Any = None
        self._small: Any = None
        self._calls = 0
        self.inputs = inputs
        """The blocks that a call takes: names and shapes."""
        self.outputs = outputs
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
        """What the next call uses: "compiled" or "interpreted"; see `reason`."""
        return self._engine.tier

    @property
    def reason(self) -> str:
        """Why the tier is what it is."""
        return self._engine.reason

    @property
    def trade(self) -> str:
        """What compiling code for batches would cost and save, about, and what interpreting has cost so far."""
        return self._engine.trade

    def __repr__(self) -> str:
        def text(blocks: Sequence[Block]) -> str:
            return ", ".join(f"{b.name}{list(b.shape) if b.shape else ''}" for b in blocks)

        bound = f" with {len(self._bound)} bound" if self._bound else ""
        head = f"Kernel '{self.name}': {text(self.inputs)}{bound} -> {text(self.outputs)}"
        why = self.reason if self.tier == "compiled" else f"{self.reason}: {self.trade}"
        return f"{head}\n{self.operations:,} operations, {self.tier} ({why}), {self._engine.machine}"

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
        if threads is not None and (not isinstance(threads, int) or threads < 1):
            problem = Problem(f"threads is {threads!r}", hint="give a number from 1 on, or None")
            raise ArgumentError(problem, self.name)
        if self._small is not None and len(arrays) == len(self.inputs):
            given = () if out is None else out if type(out) is tuple else (out,)
            if out is None or len(given) == len(self.outputs):
                results = self._small(*arrays, *given)  # None if it is no small batch of plain arrays
                if results is not None:
                    return results
        call = prepare(self.name, self.inputs, self.outputs, arrays, out)
        if isinstance(call, InPlace):
            self._run(self._work_in_place(call), call.samples, threads)
        else:
            self._run(self._work_with_copies(call), call.samples, threads, COPIED)
        self._calls += 1
        if self._calls % OFTEN == 0:
            self._prepare_fast_ways()
        return call.results[0] if len(call.results) == 1 else call.results

    def room(self, *arrays: Any, out: Any = None) -> tuple[Array, ...]:
        """Arrays for the results of such a call: new ones, or those of `out`, checked like all arguments."""
        return prepare(self.name, self.inputs, self.outputs, arrays, out).results

    def _prepare_fast_ways(self) -> None:
        """Single samples go past Python, and small batches as soon as there is machine code for them."""
        if not self.outputs:
            return
        if self._quick is None:
            self._quick = self.call
        batch = self._engine.batch_if_there()
        if self._small is None and batch is not None:
            self._small = batch_call(
                self.name,
                batch.address,
                batch.workspace,
                [b.shape for b in self.inputs],
                [b.shape for b in self.outputs],
                self._bound_addresses,
                int(THREAD_SECONDS / self._engine.sample_seconds),
                owner=(batch, self._bound),
            )

    def _run(self, work: Work, samples: int, threads: int | None, most: int = 2**62) -> None:
        """Do the work in pieces of at most `most` samples, on threads if there is enough of it."""
        if samples == 0:
            return
        engine = self._engine
        engine.prepare(samples)
        seconds = engine.sample_seconds
        if samples <= most and samples * seconds <= THREAD_SECONDS:
            work(0, samples)
            return
        wanted = 1
        if samples * seconds > THREAD_SECONDS:
            wanted = available_cores() if threads is None else threads
        piece = min(int(PIECE_SECONDS / seconds), most)
        if wanted > 1:
            piece = min(piece, samples // (4 * wanted))
        run_pieces(work, samples, max(piece // ROUND * ROUND, ROUND), wanted)

    def _work_in_place(self, call: InPlace) -> Work:
        """All arrays are used where they are."""
        inputs = self._memory(call.sources, call.source_strides)
        outputs = memory(call.targets, call.target_strides)
        return partial(self._engine.run, inputs, outputs)

    def _work_with_copies(self, call: WithCopies) -> Work:
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
            outputs = memory([a for a, _ in outs], [stride or 1 for _, stride in outs])
            self._engine.run(inputs, outputs, first, count)
            for side, values in zip(call.outputs, targets, strict=True):
                if values is not None:
                    scatter(side, call.shape, first, count, values)

        return work

    def _memory(self, addresses: list[int], strides: list[int]) -> Memory:
        """The given inputs and the bound ones, which all samples share."""
        return memory((*addresses, *self._bound_addresses), (*strides, *self._bound_strides))

    @cached_property
    def call(self) -> Any:
        """One sample at the least cost: `call(x0, ..., [out0, ...])`; takes what `__call__` takes.

        It is there at once: interpreted, and compiled as soon as there is enough to do (or `compile` was called).
        """
        if not self.outputs:
            return self._general
        return fast_call(
            self.name,
            self._engine.address,
            [b.shape for b in self.inputs],
            [b.shape for b in self.outputs],
            self._bound_addresses,
            self._general,
            release_gil=self.operations >= RELEASE_OPERATIONS,
            owner=(self._engine, self._bound),
        )

    def _general(self, *arrays: Any, out: Any = None) -> Any:
        """A single call that is not the plain case: results may follow the inputs, or be `out`."""
        n = len(self.inputs)
        if len(arrays) > n:
            if out is not None:
                text = "results are given twice, after the inputs and as out="
                raise ArgumentError([Problem(text)], self.name)
            arrays, out = arrays[:n], arrays[n:]
        plain = self._plain_sample(arrays)
        if plain is not None:
            given = () if out is None else out if isinstance(out, tuple) else (out,)
            return self.call(*plain, *given)
        return self._evaluate(arrays, out, None)

    def _plain_sample(self, arrays: Sequence[Any]) -> list[Array] | None:
        """One sample of lists, numbers or strided views as plain arrays; None if it is none, or plain already."""
        if len(arrays) != len(self.inputs) or all(type(x) is np.ndarray and x.flags.carray for x in arrays):
            return None
        try:
            given = [np.asarray(x) for x in arrays]
        except ValueError:
            return None  # to be told what is wrong
        fits = all(x.shape == b.shape and x.dtype.kind in "fiub" for x, b in zip(given, self.inputs, strict=True))
        return [np.array(x, float, order="C") for x in given] if fits else None

    def __reduce__(self) -> tuple[Any, ...]:
        """Machine code stays behind when a kernel is copied or sent to another process."""
        return _remade, (self._engine.tape, self._engine.mode, self.inputs, self.outputs, self._bound)

    def bind(self, *arrays: Any) -> Kernel:
        """The same kernel with its last inputs given once and for all, such as the constants of a model."""
        kernel = object.__new__(type(self))
        kernel._set(self._engine, self.inputs, self.outputs, self._bound)
        kernel._bind(arrays)
        return kernel

    def _bind(self, arrays: Sequence[Any]) -> None:
        blocks = self.inputs[len(self.inputs) - len(arrays) :] if len(arrays) <= len(self.inputs) else ()
        if len(blocks) != len(arrays):
            raise ArgumentError([Problem(f"{len(arrays)} arrays to bind, {len(self.inputs)} inputs")], self.name)
        problems, kept = [], []
        for block, given in zip(blocks, arrays, strict=True):
            array = np.array(given, np.float64, order="C", copy=True)
            if array.shape != block.shape:
                problems.append(Problem(f"has shape {array.shape}, not {block.shape}", block.name))
            array.flags.writeable = False
            kept.append(array)
        if problems:
            raise ArgumentError(problems, self.name)
        left = self.inputs[: len(self.inputs) - len(kept)]
        self._set(self._engine, left, self.outputs, (*kept, *self._bound))

    # ---------------------------------------------------------------------------------------------------- machine code

    def compile(self, only: Literal["batch", "scalar"] | None = None) -> Kernel:
        """Compile now, unless that is done: the code for batches, the one for single samples (and `call`), or both."""
        self._engine.compile(only)
        if only != "batch":
            _ = self.call  # so that the first of many does not wait for it
        return self

    @property
    def address(self) -> int:
        """Address of the code for one sample (`lw_scalar` of `program.py`), there at once. Keep the kernel alive.

        Until code is compiled or found, the interpreter stands behind it, and gives way once there is enough to do.
        """
        return self._engine.address

    @property
    def batch_address(self) -> int:
        """Address of the code for a batch (`lw_batch` of `program.py`), compiled first. Keep the kernel alive."""
        return self._engine.batch().address

    @property
    def workspace(self) -> int:
        """Doubles of the workspace that `lw_batch` needs, aligned to 64 bytes."""
        return self._engine.batch().workspace


def _shaped(what: str, blocks: Sequence[Block], shapes: Shapes | None, problems: list[Problem]) -> tuple[Block, ...]:
    """The blocks with the shapes that are asked for."""
    if shapes is None:
        return tuple(blocks)
    if len(shapes) != len(blocks):
        names = ", ".join(b.name for b in blocks)
        problems.append(Problem(f"{what} has {len(shapes)} shapes, there are {len(blocks)} blocks ({names})"))
        return tuple(blocks)
    shaped = []
    for block, shape in zip(blocks, shapes, strict=True):
        new = block if shape is None else Block(block.name, tuple(int(n) for n in shape))
        if new.size != block.size or min(new.shape, default=0) < 0:
            problems.append(Problem(f"{what}: {new.shape} does not hold {block.size} elements", block.name))
        shaped.append(new)
    return tuple(shaped)


def _remade(tape: Tape, mode: str, inputs: Any, outputs: Any, bound: tuple[Array, ...]) -> Kernel:
    machine = this_machine()
    kernel = object.__new__(Kernel)
    kernel._set(Engine(tape, machine, mode), inputs, outputs, bound)
    return kernel
