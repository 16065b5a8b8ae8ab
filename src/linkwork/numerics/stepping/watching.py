"""What a simulation watches for: numbers whose change of side is an event, seen along the interpolant of a step."""

from __future__ import annotations

import math

import numba
import numpy as np

from linkwork.kernels import drive
from linkwork.numerics.stepping.problem import load, normalise, rates

call = drive.call

VARIABLE, RATE, CONDITION, FORCE, GAP_VALUE = 0, 1, 2, 3, 4
"""Kinds of watches: a variable, a rate, an expression, the force of a row, the value of a gap."""
KIND, INDEX, SIGN = 0, 1, 2
"""Columns of the table of watches; the number watched is SIGN · (what it is of - offset), and an event when it falls
below zero."""
PARTS = 4
"""Places along a step at which numbers are looked at."""
HALVINGS = 80
SAME = 1e-12
"""Part of the largest number along a step below which another one counts as zero at the same instant."""


@numba.njit(cache=True, nogil=True, error_model="numpy")
def state_at(p, C, x, z):  # type: ignore[no-untyped-def]
    """The state at a part x of the step, from the interpolant."""
    for i in range(p.n):
        total = C[7, i]
        for k in range(6, -1, -1):
            total = C[k, i] + x * total
        z[i] = total
    normalise(p, z)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def look(p, table, offsets, forces, t, z, dz, values):  # type: ignore[no-untyped-def]
    """All watched numbers at a state. forces : whether those of rows are among them."""
    if forces:
        rates(p, t, z, dz)
    else:
        load(p, t, z)
    if p.watched_at != 0:
        call(p.watched_at, p.watched_in, p.watched_out)
    if p.gaps_at != 0:
        call(p.gaps_at, p.gaps_in, p.gaps_out)
    for k in range(table.shape[0]):
        kind, index = table[k, KIND], table[k, INDEX]
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
        values[k] = table[k, SIGN] * (number - offsets[k])


@numba.njit(cache=True, nogil=True, error_model="numpy")
def first_crossing(p, table, offsets, forces, t, h, C, z, dz, before, values, fired):  # type: ignore[no-untyped-def]
    """Part of the step at which the first watched number falls below zero, 2.0 if none does; which one is in `fired`.

    before : the numbers at the beginning of the step, none below zero; values : room for as many
    """
    count = table.shape[0]
    largest = np.empty(count)
    for k in range(count):
        largest[k] = abs(before[k])
        fired[k] = 0
    last = 0.0
    for part in range(1, PARTS + 1):
        x = part / PARTS
        state_at(p, C, x, z)
        look(p, table, offsets, forces, t + x * h, z, dz, values)
        found = False
        for k in range(count):
            largest[k] = max(largest[k], abs(values[k]))
            if values[k] < 0.0:
                found = True
        if found:
            low, high = last, x
            for _ in range(HALVINGS):
                middle = 0.5 * (low + high)
                if not low < middle < high:
                    break
                state_at(p, C, middle, z)
                look(p, table, offsets, forces, t + middle * h, z, dz, values)
                below = False
                for k in range(count):
                    if values[k] < 0.0:
                        below = True
                if below:
                    high = middle
                else:
                    low = middle
            state_at(p, C, high, z)
            look(p, table, offsets, forces, t + high * h, z, dz, values)
            for k in range(count):
                if values[k] <= SAME * largest[k] and (values[k] < 0.0 or before[k] > SAME * largest[k]):
                    fired[k] = 1
            return high
        last = x
    return 2.0


@numba.njit(cache=True, nogil=True, error_model="numpy")
def is_force(table):  # type: ignore[no-untyped-def]
    """Whether forces of rows are among what is watched."""
    return bool((table[:, KIND] == FORCE).any())


@numba.njit(cache=True, nogil=True, error_model="numpy")
def largest_fired(values, fired):  # type: ignore[no-untyped-def]
    """The watched number among those fired that is furthest from zero."""
    worst = 0.0
    for k in range(fired.size):
        if fired[k] and abs(values[k]) > abs(worst):
            worst = values[k]
    return worst if math.isfinite(worst) else 0.0
