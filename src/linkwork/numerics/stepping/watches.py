"""What a simulation watches for: numbers whose change of side is an event, seen along the interpolant of a step.

Expressions are searched by bounds (`crossings`). Forces of rows follow from the whole machine, which has none:
they are looked at in a few places, and where they may have a low between these.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.numerics.kernel_calls import call
from linkwork.numerics.loops import loop
from linkwork.numerics.stepping.crossings import (
    CONDITION,
    FORCE,
    GRIP,
    HIGH,
    INDEX,
    KIND,
    LEFT,
    LOW,
    NOISE,
    OFFSET,
    RATE,
    SAME,
    SIGN,
    SIZE,
    SLOPE_HIGH,
    SLOPE_LOW,
    VARIABLE,
    bound_at,
    fallen,
    first_bounded,
    seen_from,
    sides,
)
from linkwork.numerics.stepping.problem import load, normalise, rates

PARTS = 4
"""Places along a step at which forces are looked at."""
HALVINGS = 60
LOWERING = 12
"""Looks for the lowest place of a force that falls and rises again between two places."""
TOGETHER = 1e-12
"""Part of a step within which a force and another number are zero at the same instant."""


@loop
def state_at(p, C, x, z):  # type: ignore[no-untyped-def]
    """The state at a part x of the step, from the interpolant."""
    for i in range(p.n):
        total = C[7, i]
        for k in range(6, -1, -1):
            total = C[k, i] + x * total
        z[i] = total
    normalise(p, z)


@loop
def look(p, table, numbers, forces, t, z, dz, values):  # type: ignore[no-untyped-def]
    """All watched numbers at a state. forces : whether those of rows are among them."""
    if forces:
        rates(p, t, z, dz)
    else:
        load(p, t, z)
    if p.watched_at != 0:
        call(p.watched_at, p.watched_in, p.watched_out)
    if p.gaps_at != 0:
        call(p.gaps_at, p.gaps_in, p.gaps_out)
    if forces and p.grips_at != 0:
        call(p.grips_at, p.grips_in, p.grips_out)
    for k in range(table.shape[0]):
        kind, index, sign, grip = table[k, KIND], table[k, INDEX], table[k, SIGN], table[k, GRIP]
        if kind == VARIABLE:
            number = z[index]
        elif kind == RATE:
            number = z[p.ny + index]
        elif kind == CONDITION:
            number = p.watched[index]
        elif kind == FORCE:
            number = p.force[index]
        else:
            number = p.g[index]
        offset = numbers[k, OFFSET]
        if grip >= 0:
            offset = -p.grip[grip, 0] if sign > 0 else p.grip[grip, 1]
        values[k] = (sign if sign != 0 else 1) * (number - offset)


@loop
def take_sides(p, table, numbers, t, z, f, values):  # type: ignore[no-untyped-def]
    """Note how large numbers are, and give a side to those that have left zero."""
    sides(p, table, numbers, t, z, f)
    for k in range(table.shape[0]):
        if table[k, KIND] == FORCE and math.isfinite(values[k]):
            numbers[k, SIZE] = max(numbers[k, SIZE], abs(values[k]))


@loop
def note_left(table, numbers, fired, values):  # type: ignore[no-untyped-def]
    """How far numbers still are from zero where their event is; those beyond it have crossed."""
    for k in range(table.shape[0]):
        numbers[k, LEFT] = max(values[k], 0.0) if fired[k] and math.isfinite(values[k]) else 0.0


@loop
def below_now(p, table, numbers, t, z, f, values, which):  # type: ignore[no-untyped-def]
    """Which watched numbers are below zero at a state by more than rounding; values : room for all of them."""
    look(p, table, numbers, is_force(table), t, z, f, values)
    slope = f.copy()
    if not np.isfinite(slope).all():
        slope[:] = 0.0
    fallen(p, table, numbers, t, z, slope, which)
    for k in range(table.shape[0]):
        if table[k, KIND] == FORCE and values[k] < -NOISE * numbers[k, SIZE]:
            which[k] = 1


@loop
def some_below(table, numbers, values):  # type: ignore[no-untyped-def]
    """Whether a force is below zero by more than rounding."""
    return bool(((table[:, KIND] == FORCE) & (values < -NOISE * numbers[:, SIZE])).any())


@loop
def lowest(p, table, numbers, forces, t, h, C, z, dz, values, k, x0, v0, x1, v1, x2, v2):  # type: ignore[no-untyped-def]
    """Where number k is below zero between x0 and x2, 2.0 if nowhere: parabolas through three places, time and again.

    x1 : a place between them at which the number is above zero
    """
    for _ in range(LOWERING):
        d0, d2 = (v0 - v1) / (x1 - x0), (v2 - v1) / (x2 - x1)
        if not d0 + d2 > 0.0:
            return 2.0
        way = 0.5 * (d0 * (x2 - x1) - d2 * (x1 - x0)) / (d0 + d2)
        bottom = v1 - (d0 + d2) / (x2 - x0) * way * way
        x = x1 + way
        if not x0 < x < x2 or bottom > 0.5 * min(v0, v1, v2):
            return 2.0
        state_at(p, C, x, z)
        look(p, table, numbers, forces, t + x * h, z, dz, values)
        v = values[k]
        if v < -NOISE * numbers[k, SIZE]:
            return x
        if x < x1 and v < v1:
            x1, v1, x2, v2 = x, v, x1, v1
        elif x < x1:
            x0, v0 = x, v
        elif v < v1:
            x0, v0, x1, v1 = x1, v1, x, v
        else:
            x2, v2 = x, v
        if not x0 < x1 < x2:
            return 2.0
    return 2.0


@loop
def first_force(p, table, numbers, t, h, C, z, dz, before, values, fired):  # type: ignore[no-untyped-def]
    """Part of the step at which the first force of a row falls below zero, 2.0 if none does; which one is in `fired`.

    before : the numbers at the beginning of the step, none below zero; values : room for as many
    """
    count = table.shape[0]
    seen = np.empty((PARTS + 1, count))
    for k in range(count):
        seen[0, k] = before[k]
        fired[k] = 0
    for part in range(1, PARTS + 1):
        low, high = (part - 1) / PARTS, part / PARTS
        state_at(p, C, high, z)
        look(p, table, numbers, True, t + high * h, z, dz, values)
        for k in range(count):
            if table[k, KIND] == FORCE and math.isfinite(values[k]):
                numbers[k, SIZE] = max(numbers[k, SIZE], abs(values[k]))
        seen[part] = values
        found = some_below(table, numbers, values)
        if part > 1:  # it may have fallen and risen again between the last three places
            first, middle, far = (part - 2) / PARTS, low, high
            for k in range(count):
                if table[k, KIND] != FORCE or min(seen[part - 2, k], seen[part - 1, k]) < 0.0:
                    continue
                x = lowest(
                    p, table, numbers, True, t, h, C, z, dz, values, k, first, seen[part - 2, k], middle,
                    seen[part - 1, k], far, seen[part, k],
                )  # fmt: skip
                if x < high:
                    found, low, high = True, middle if x > middle else first, x
        if found:
            for _ in range(HALVINGS):
                x = 0.5 * (low + high)
                if not low < x < high:
                    break
                state_at(p, C, x, z)
                look(p, table, numbers, True, t + x * h, z, dz, values)
                if some_below(table, numbers, values):
                    high = x
                else:
                    low = x
            state_at(p, C, high, z)
            look(p, table, numbers, True, t + high * h, z, dz, values)
            for k in range(count):
                near = SAME * numbers[k, SIZE]
                beyond = values[k] < -NOISE * numbers[k, SIZE]
                if table[k, KIND] == FORCE and values[k] <= near and (beyond or before[k] > near):
                    fired[k] = 1
            return high
    return 2.0


@loop
def first_crossing(p, table, numbers, forces, t, h, C, z, dz, before, values, fired):  # type: ignore[no-untyped-def]
    """Part of the step at which the first watched number falls below zero, 2.0 if none does; which ones are in `fired`.

    forces : whether those of rows are among them
    Returns that part, and whether no crossing of an expression can have been overlooked.
    """
    x, decided = first_bounded(p, table, numbers, t, h, C, fired)
    if forces:
        others = np.zeros(table.shape[0], np.int64)
        by_force = first_force(p, table, numbers, t, h, C, z, dz, before, values, others)
        if by_force < x - TOGETHER:
            fired[:] = others
        elif by_force <= x + TOGETHER and by_force <= 1.0:
            for k in range(table.shape[0]):
                fired[k] = max(fired[k], others[k])
        x = min(x, by_force)
    return x, decided


@loop
def is_force(table):  # type: ignore[no-untyped-def]
    """Whether forces of rows are among what is watched."""
    return bool((table[:, KIND] == FORCE).any())


@loop
def earlier(value, rate, other, other_rate):  # type: ignore[no-untyped-def]
    """Which of two numbers is zero earlier, by its value and its change."""
    if rate == 0.0 or not math.isfinite(rate):
        return other, other_rate
    if other_rate == 0.0 or not math.isfinite(other_rate) or value / rate >= other / other_rate:
        return value, rate
    return other, other_rate


@loop
def missed(p, table, numbers, C, t, h, forces, fired, z, dz, values):  # type: ignore[no-untyped-def]
    """By how much the first of the fired numbers misses zero at the end of a step, and its change by time.

    One that jumps is taken only if no other has fired.
    """
    count = table.shape[0]
    worst, rate = 0.0, 0.0
    here = np.empty((count, 4))
    bound_at(p, table, numbers, C, t, h, 1.0, here)
    for k in range(count):
        if fired[k] and table[k, KIND] != FORCE:
            low, high = seen_from(table[k, SIGN], here[k, LOW], here[k, HIGH])
            steepest, flattest = seen_from(table[k, SIGN], here[k, SLOPE_LOW], here[k, SLOPE_HIGH])
            worst, rate = earlier(worst, rate, 0.5 * (low + high), 0.5 * (steepest + flattest) / h)
    if not forces:
        return worst, rate
    small = 1e-6 * h
    look(p, table, numbers, True, t + h, z, dz, values)
    ends = values.copy()
    state_at(p, C, 1.0 - small / h, z)
    look(p, table, numbers, True, t + h - small, z, dz, values)
    for k in range(count):
        if fired[k] and table[k, KIND] == FORCE:
            worst, rate = earlier(worst, rate, ends[k], (ends[k] - values[k]) / small)
    return worst, rate
