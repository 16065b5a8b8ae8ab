"""Elementary functions that take floats, complex numbers, numpy arrays and CasADi expressions alike.

Laws (joints, curves) are written once with these; the same lines give a number, a batch, an exact derivative by a
complex step, or a traced expression.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_NUMERIC = (float, int, complex, np.ndarray, np.generic)


def _unary(name: str) -> Any:
    numeric = getattr(np, name)

    def function(x: Any) -> Any:
        return numeric(x) if isinstance(x, _NUMERIC) else getattr(x, name)()

    function.__name__ = name
    function.__doc__ = f"{name}(x) of a number, an array or a CasADi expression."
    return function


sin = _unary("sin")
cos = _unary("cos")
tan = _unary("tan")
sqrt = _unary("sqrt")
arccos = _unary("arccos")


def floor(x: Any) -> Any:
    """Largest integer not above the real part of x."""
    return np.floor(np.real(x)) if isinstance(x, _NUMERIC) else x.floor()


def is_number(x: Any) -> bool:
    """True for numbers and arrays, False for CasADi expressions."""
    return isinstance(x, _NUMERIC)
