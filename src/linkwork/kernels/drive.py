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

Addresses = NDArray[np.int64]


def pointers(arrays: Sequence[NDArray[np.float64]]) -> Addresses:
    """Data addresses of arrays that are float64 and contiguous."""
    for k, a in enumerate(arrays):
        if not (isinstance(a, np.ndarray) and a.dtype == np.float64 and a.flags.c_contiguous):
            raise TypeError(f"array {k} must be a contiguous numpy array of float64")
    return np.array([a.ctypes.data for a in arrays], np.int64)


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
def _loop() -> Callable[[int, Addresses, Addresses, Addresses, Addresses, int], None]:
    from numba import njit

    call = _call()

    @njit(nogil=True)
    def loop(
        address: int, inputs: Addresses, in_steps: Addresses, outputs: Addresses, out_steps: Addresses, count: int
    ) -> None:
        for _ in range(count):
            call(address, inputs, outputs)
            inputs += in_steps
            outputs += out_steps

    return loop


def repeat(
    address: int, inputs: Sequence[NDArray[np.float64]], outputs: Sequence[NDArray[np.float64]], count: int
) -> None:
    """Call `lw_scalar` on sample after sample from a compiled loop, the way a driver does.

    Arrays are (count, size), or (size,) for an input that all samples share.
    """
    for k, a in enumerate((*inputs, *outputs)):
        if a.ndim == 2 and a.shape[0] < count:
            raise ValueError(f"array {k} has {a.shape[0]} samples, not {count}")
    _loop()(address, pointers(inputs), _steps(inputs), pointers(outputs), _steps(outputs), count)


def _steps(arrays: Sequence[NDArray[np.float64]]) -> Addresses:
    """Bytes from sample to sample."""
    return np.array([a.strides[0] if a.ndim == 2 else 0 for a in arrays], np.int64)
