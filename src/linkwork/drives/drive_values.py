"""What may stand for a drive in Python: a drive, a number, or a pair."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from linkwork.drives.drive import Drive
from linkwork.drives.moves import ramp
from linkwork.drives.steady import constant
from linkwork.errors import InputError, ModelError, Problem


def as_drive(given: object, where: str) -> Drive:
    """The drive that is meant: a number is held, a pair (start, end) is a ramp of one second, a drive is itself.

    given : a `Drive`, a number, or two numbers
    where : the path of names that a problem is told with, such as "drives.crank"
    """
    hint = "give a number, a pair (start, end) or a drive such as ramp(0, 6.283, duration=2)"
    if isinstance(given, Drive):
        return given
    value: Any = given
    try:
        if isinstance(given, Real) and not isinstance(given, bool):
            return constant(value)
        if isinstance(given, tuple | list) or (isinstance(given, np.ndarray) and given.ndim):
            if len(given) != 2:
                raise InputError(Problem(f"a list of {len(given)} is not a drive", where, hint))
            return ramp(*given)
    except ModelError as error:
        raise InputError([replace(p, where=where) for p in error.problems]) from None
    if isinstance(given, str):
        raise InputError(Problem("text is not a drive", where, f"read it with parse_drive, or {hint}"))
    raise InputError(Problem(f"this is of type {type(given).__name__}, not a drive", where, hint))
