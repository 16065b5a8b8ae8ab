"""How loops are compiled: at import for one signature, cached beside the source, without the interpreter lock.

Imports numba, which takes long: only the modules with compiled loops import this one, and those are imported inside
functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(signature: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a loop for `signature`; a division by zero gives infinity as in numpy, and sums keep their order."""
    jit = numba.njit(signature, cache=True, nogil=True, error_model="numpy")
    return cast(Callable[[Callable[P, R]], Callable[P, R]], jit)
