"""Kernels inside compiled loops: numba code calls machine code by its address, without Python in between.

    from linkwork.kernels.drive import call

    @numba.njit
    def loop(address, pointers_in, pointers_out, ...):
        ...
        call(address, pointers_in, pointers_out)

`address` is `kernel.address`; the pointers are int64 arrays with the data addresses of the blocks (`pointers`), bound
inputs last. Whoever holds addresses keeps the kernel and the arrays alive. numba is imported at first use, since that
takes long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.kernels.batch import DOUBLE
from linkwork.kernels.fastcall import address_of

Addresses = NDArray[np.int64]


def pointers(arrays: Sequence[NDArray[np.float64]]) -> Addresses:
    """Data addresses of arrays that are float64 and contiguous."""
    return np.array(_starts(arrays), np.int64)


def _starts(arrays: Sequence[NDArray[np.float64]]) -> list[int]:
    for k, a in enumerate(arrays):
        if not (isinstance(a, np.ndarray) and a.dtype == DOUBLE and a.flags.c_contiguous):
            raise TypeError(f"array {k} must be a contiguous numpy array of float64")
    return [address_of(a) for a in arrays]


def __getattr__(name: str) -> Any:
    """`call`, made when it is first asked for."""
    if name == "call":
        return _call()
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


@cache
def _call() -> Any:
    """`call(address, pointers_in, pointers_out)` for use inside numba code: one call of `lw_scalar`."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def call(typing_context: Any, address: Any, inputs: Any, outputs: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = ir.IntType(8).as_pointer()
            function = ir.FunctionType(ir.VoidType(), [pointer, pointer]).as_pointer()
            entry = builder.inttoptr(arguments[0], function)
            tables = [
                builder.bitcast(context.make_array(kind)(context, builder, value).data, pointer)
                for kind, value in zip(signature.args[1:], arguments[1:], strict=True)
            ]
            builder.call(entry, tables)
            return context.get_dummy_value()

        return types.void(types.int64, inputs, outputs), emit

    return call


@cache
def _loop() -> Callable[[int, Addresses, int, int, int], None]:
    from numba import njit

    call = _call()

    @njit(nogil=True)
    def loop(address: int, table: Addresses, inputs: int, blocks: int, count: int) -> None:
        starts, steps = table[:blocks], table[blocks:]
        outputs = starts[inputs:]
        for _ in range(count):
            call(address, starts, outputs)
            for k in range(blocks):
                starts[k] += steps[k]

    return loop


def repeat(
    address: int, inputs: Sequence[NDArray[np.float64]], outputs: Sequence[NDArray[np.float64]], count: int
) -> None:
    """Call `lw_scalar` on sample after sample from a compiled loop, the way a driver does.

    Arrays are (count, size), or (size,) for an input that all samples share.
    """
    arrays = (*inputs, *outputs)
    starts = _starts(arrays)
    steps = []  # bytes from sample to sample
    for k, a in enumerate(arrays):
        if a.ndim == 2 and a.shape[0] < count:
            raise ValueError(f"array {k} has {a.shape[0]} samples, not {count}")
        steps.append(a.strides[0] if a.ndim == 2 else 0)
    _loop()(address, np.array([*starts, *steps], np.int64), len(inputs), len(arrays), count)
