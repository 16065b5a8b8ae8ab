"""Functions of Python in the place of kernels: called with arrays like them, and by an address from compiled loops.

For what no tape holds, such as a sparse factorisation with millions of operations. A call costs some microseconds
beside its work.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from linkwork.kernels.batch import Array, prepare
from linkwork.kernels.tape import Block

PIECE = 32
"""Samples that a law is given at a time."""

_CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class Evaluator(Protocol):
    """What analyses ask of a kernel, whether it is a tape or hosted."""

    def __call__(self, *arrays: Any, out: Any = None, threads: int | None = None) -> Any:
        """Results over arrays whose leading shapes broadcast."""

    @property
    def address(self) -> int:
        """Address of the code for one sample."""

    @property
    def bound(self) -> tuple[Array, ...]:
        """Arrays of the bound inputs, which loops give last."""


class Hosted:
    """A law of arrays (samples, *shape) of each input to such arrays of each output.

    An error within a call from a loop leaves results that are not a number, in this call and in all that follow,
    until the next call from Python raises it.
    """

    def __init__(
        self,
        name: str,
        inputs: Sequence[Block],
        outputs: Sequence[Block],
        law: Callable[..., Sequence[Array]],
    ) -> None:
        self.name = name
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self._law = law
        self._failed: BaseException | None = None

    def __repr__(self) -> str:
        return f"Hosted '{self.name}': {len(self.inputs)} inputs -> {len(self.outputs)} outputs"

    @property
    def bound(self) -> tuple[Array, ...]:
        """There are none."""
        return ()

    def __call__(self, *arrays: Any, out: Any = None, threads: int | None = None) -> Any:
        """Results over arrays whose leading shapes broadcast, piece by piece in this thread."""
        self._raise_failure()
        results = prepare(self.name, self.inputs, self.outputs, arrays, out).results
        shape = results[0].shape[: results[0].ndim - len(self.outputs[0].shape)]
        count = math.prod(shape)
        given = [
            np.array(np.broadcast_to(np.asarray(x, float), (*shape, *b.shape))).reshape(count, *b.shape)
            for x, b in zip(arrays, self.inputs, strict=True)
        ]
        found = [np.empty((count, *b.shape)) for b in self.outputs]
        for start in range(0, count, PIECE):
            piece = slice(start, start + PIECE)
            for whole, part in zip(found, self._law(*(x[piece] for x in given)), strict=True):
                whole[piece] = part
        for result, whole in zip(results, found, strict=True):
            result[...] = whole.reshape(result.shape)
        return results[0] if len(results) == 1 else results

    def _raise_failure(self) -> None:
        failed, self._failed = self._failed, None
        if failed is not None:
            raise failed

    @property
    def address(self) -> int:
        """Address of the code for one sample; good while this object lives."""
        return ctypes.cast(self._entry, ctypes.c_void_p).value or 0

    @cached_property
    def _entry(self) -> Any:
        def run(inputs: int, outputs: int) -> None:
            # Nothing may be raised through the loop that calls, not even Ctrl-C.
            try:
                ins, outs = _blocks(inputs, self.inputs), _blocks(outputs, self.outputs)
                try:
                    if self._failed is None:
                        for target, part in zip(outs, self._law(*ins), strict=True):
                            target[...] = part
                        return
                except BaseException as error:  # noqa: BLE001
                    self._failed = error
                for target in outs:
                    target[...] = np.nan
            except BaseException as error:  # noqa: BLE001
                self._failed = self._failed or error

        return _CALL(run)


def _blocks(table: int, blocks: Sequence[Block]) -> list[Array]:
    """Arrays (1, *shape) at the addresses in a table."""
    addresses = (ctypes.c_int64 * len(blocks)).from_address(table)
    return [
        np.ctypeslib.as_array((ctypes.c_double * b.size).from_address(a)).reshape(1, *b.shape)
        for a, b in zip(addresses, blocks, strict=True)
    ]
