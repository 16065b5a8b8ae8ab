"""What may stand for a drive in Python: a drive, a number, or a pair."""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.drives.drive import Drive
from linkwork.drives.moves import Ramp, ramp
from linkwork.drives.steady import constant
from linkwork.errors import InputError, ModelError, Problem

if TYPE_CHECKING:
    from linkwork.units import Dimension


def as_drive(given: object, where: str, measures: Dimension | None = None) -> Drive:
    """The drive that is meant: a number is held, a pair (start, end) is a ramp of one second, a drive is itself.

    given : a `Drive`, a number, two numbers, or where it is known what is driven the text of a law: "0:360deg in 2s"
    where : the path of names that a problem is told with, such as "drives.crank"
    measures : what is driven; bare numbers in texts are SI
    """
    hint = "give a number, a pair (start, end), a text such as '0:360deg in 2s', or a drive such as ramp(0, 6.283)"
    if isinstance(given, Drive):
        return given
    value: Any = given
    if measures is not None:
        texts = [given] if isinstance(given, str) else given if isinstance(given, tuple | list) else []
        if len(texts) == 2 and any(isinstance(t, str) for t in texts):
            value = f"{texts[0]}:{texts[1]}"
        if isinstance(value, str):
            from linkwork.drives.drive_texts import parse_drive

            return parse_drive(value, measures, where)
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


MANY_TURNS = 2.0
"""Turns of a bare range in whole radians beyond which degrees are probably meant."""


def many_turns(given: object, drive: Drive) -> str:
    """What is said of a bare range of an angle such as (0, 360), which is in radians; empty for what is plausible."""
    if isinstance(given, Ramp):
        ends = [given.start, given.end]
    elif isinstance(given, tuple | list) and len(given) == 2 and all(isinstance(x, Real) for x in given):
        ends = [float(x) for x in given]
    else:
        return ""
    turns = abs(ends[1] - ends[0]) / math.tau
    if turns <= MANY_TURNS or not all(x.is_integer() for x in ends):
        return ""
    first, last = (f"{x:g}" for x in ends)
    return f"turns {turns:.3g} times: {first} and {last} are radians; for degrees write '{first}:{last}deg'"
