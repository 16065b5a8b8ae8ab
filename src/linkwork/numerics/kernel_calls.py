"""Kernels called by address from loops, whichever way these run (`loops`)."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from linkwork.kernels.drive import Addresses
from linkwork.kernels.fastcall import address_of

_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


@cache
def _entry(address: int) -> Any:
    return _ENTRY(address)


def call(address: int, inputs: Addresses, outputs: Addresses) -> None:
    """One call of the code for one sample; tables hold the addresses of its blocks. `native` compiles it away."""
    _entry(int(address))(address_of(inputs), address_of(outputs))
