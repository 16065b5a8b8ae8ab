"""Formulas of loads and states that jump: which side they are on, and what becomes of them where they change it.

At such a place the step ends and the next one begins on the other side. Where the other side leads straight back the
formula would switch to and fro without end (dry friction by `sign(rate(A))` that should hold): the jump is then
smoothed, and the run says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.simulation.course import Course
from linkwork.analyses.simulation.listeners import Watch
from linkwork.equations.formula_jumps import Switched, switch_texts
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.numerics.stepping.active_rows import Active

SMOOTHING = 1e-5
"""Over which part of the largest number seen a jump is smoothed that would not end."""
BACK = 1e-9
"""Change after a jump as a part of that before it, from which on it leads back."""


def owner_of(formulas: Sequence[Switched], switch: int) -> tuple[Switched, str]:
    """The formula that a switch is of, and what decides it, as text."""
    for own in formulas:
        if own.switches.start <= switch < own.switches.stop:
            return own, switch_texts(own.law)[switch - own.switches.start]
    raise AssertionError(switch)  # pragma: no cover - every switch is of a formula


def jumped(course: Course, active: Active, fired: Sequence[Watch]) -> list[Watch]:
    """Formulas change their side; returns those that would change back at once."""
    before = _changes(course, active)
    for own in fired:
        active.side[own.which] = -own.sign
    course.p.side[:] = active.side
    after = _changes(course, active)
    return [
        own
        for own in fired
        if before[own.which] * after[own.which] < 0.0 and abs(after[own.which]) > BACK * abs(before[own.which])
    ]


def smooth(course: Course, active: Active, own: Watch) -> float:
    """Smooth a jump over a small part of what its argument has been so far; returns over how much."""
    from linkwork.numerics.stepping.active_rows import JUMP

    width = SMOOTHING * (float(active.sizes[JUMP, own.which]) or 1.0)
    active.side[own.which] = max(1.0 / width, 2.0)
    active.smoothed[own.which] = 1
    course.p.side[:] = active.side
    return width


def chattering(formulas: Sequence[Switched], t: float, own: Watch) -> str:
    """What happens, in words."""
    law, text = owner_of(formulas, own.which)
    return f"'{law.owner}' chatters from {t:.6g} s on: it jumps where {text} is zero, and both sides lead there"


def remedy(formulas: Sequence[Switched], own: Watch) -> str:
    """What to do instead."""
    law, text = owner_of(formulas, own.which)
    joint = text.removeprefix("rate(").removesuffix(")") if text.startswith("rate(") else "A"
    return f"friction that holds is m.friction('{law.owner}', '{joint}', level=..., form='exact')"


def _changes(course: Course, active: Active) -> Array:
    """By switch, how fast what decides it changes now."""
    from linkwork.numerics.stepping.crossings import CONDITION, changes_at
    from linkwork.numerics.stepping.problem import rates

    first, count = active.above.size, active.side.size
    table = np.array([[CONDITION, first + k, 1, -1] for k in range(count)], np.int64)
    rates(course.p, course.t, course.z, course.f)
    found = np.zeros(count)
    changes_at(course.p, table, np.zeros((count, 3)), course.t, course.z, course.f, found)
    return found
