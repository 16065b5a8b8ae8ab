"""The walk along given drives, from posture to posture: predict, correct by Newton, adapt the step, land on samples.

The driven variables run straight from sample to sample; x counts samples and their parts. The other variables are
extrapolated from the last postures (a parabola) and corrected by a kernel with Newton's step (`loop_solver`). A step
is taken back and halved when it does not converge, when the correction is not small, or when the pivots' product
changes its sign though the posture did not run smoothly through zero: that would be another closure.

Postures are functions of the *way* of the drives, which grows as they go on, shrinks as they go back, and rests when
they do: so a drive that slows, dwells or returns does not disturb the prediction.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.numerics.kernel_calls import call
from linkwork.numerics.loops import light

DONE, STUCK, WEAK = 0, 1, 2
"""Why a walk ended: at the last sample; no step leads on; the pivots are poor at the next posture."""

AT, STEP, SIGN, HEADING, KNOWN, KNOWN_FAR, STATES = 0, 1, 2, 3, 4, 5, 6
"""State of a walk: x, length of the next step, sign of the pivots' product, whether the way grows (1) or shrinks (-1),
how many of the last postures and of those further apart are known."""

CONVERGED = 1e-16
"""Σ e² before the last of Newton's steps; the error after it is its square."""
ITERATIONS = 8
LONGEST = 0.4
"""How far a variable may move in a step [rad, or parts of the machine's size]."""
FAR = 0.05
"""How far a correction may lead from the prediction."""
APART = 5e-3
"""Movement between the postures that are kept for leaps over singular ones."""
SHORTEST = 1e-7
"""Way of the drives below which halving a step is given up."""
SAME = 1e-12
"""Ways nearer than this are one."""


@light
def copy(source, target):  # type: ignore[no-untyped-def]
    """Elements of one array to another; plain loops compile in a fraction of the time of array expressions."""
    for i in range(target.size):
        target[i] = source[i]


@light
def remember(past, ways, y, way):  # type: ignore[no-untyped-def]
    """Push a posture to the end of the last three."""
    for i in range(y.size):
        past[0, i] = past[1, i]
        past[1, i] = past[2, i]
        past[2, i] = y[i]
    ways[0] = ways[1]
    ways[1] = ways[2]
    ways[2] = way


@light
def largest(y, other, scale):  # type: ignore[no-untyped-def]
    """Largest scaled difference of two postures."""
    difference = 0.0
    for i in range(y.size):
        difference = max(difference, abs(y[i] - other[i]) * scale[i])
    return difference


@light
def correct(address, inputs, outputs, y, y_next, measures, predicted, moved, driven, values, quaternions):  # type: ignore[no-untyped-def]
    """Newton's steps from `predicted`, the result in y; returns their number, 0 if they do not converge.

    moved : the prediction with the driven variables at their values
    """
    copy(predicted, y)
    for j in range(driven.size):
        y[driven[j]] = values[j]
    for k in range(quaternions.size):
        q = quaternions[k]
        shorter = 1.0 / math.sqrt(y[q] ** 2 + y[q + 1] ** 2 + y[q + 2] ** 2 + y[q + 3] ** 2)
        for i in range(q, q + 4):
            y[i] *= shorter
    copy(y, moved)
    last = math.inf
    for iteration in range(1, ITERATIONS + 1):
        call(address, inputs, outputs)
        residual, stride = measures[0], measures[1]
        if not math.isfinite(residual + stride) or stride > LONGEST**2 or (iteration > 3 and residual > 0.3 * last):
            return 0
        copy(y_next, y)
        if residual <= CONVERGED:
            return iteration
        last = residual
    return 0


@light
def extrapolate(past, ways, count, way, predicted):  # type: ignore[no-untyped-def]
    """The polynomial through the last `count` (1 to 3) postures at different ways."""
    n = past.shape[0]
    taken = np.zeros(3, np.int64)
    used = 0
    for a in range(n - 1, n - 1 - count, -1):
        fresh = True
        for k in range(used):
            fresh = fresh and abs(ways[a] - ways[taken[k]]) > SAME
        if fresh:
            taken[used] = a
            used += 1
    for i in range(predicted.size):
        predicted[i] = 0.0
    for k in range(used):
        weight = 1.0
        for m in range(used):
            if m != k:
                weight *= (way - ways[taken[m]]) / (ways[taken[k]] - ways[taken[m]])
        for i in range(predicted.size):
            predicted[i] += weight * past[taken[k], i]


@light
def walk(  # type: ignore[no-untyped-def]
    address, inputs, outputs, y, y_next, measures, U, W, driven, quaternions, scale, weak, past, ways, far,
    far_ways, state, Y, effort,
):  # fmt: skip
    """Walk along the drives U (samples, driven) from the state on; postures go to Y (samples, ny).

    W : way of the drives by sample
    past, ways : the last three postures and their ways, the newest last; far, far_ways : three that lie further apart
    effort : Newton's steps by sample
    Returns one of DONE, STUCK, WEAK; `state[AT]` tells how far it came. A posture with poor pivots is not taken: it is
    left in y, and the walk stays where it was.
    """
    samples = U.shape[0]
    predicted, moved = np.empty_like(y), np.empty_like(y)
    values = np.empty(driven.size)
    while True:
        x = state[AT]
        k = math.floor(x + 1e-12) + 1
        if k >= samples:
            return DONE
        step = state[STEP]
        reach = abs(W[k] - W[k - 1])
        heading = state[HEADING]
        if reach > SAME:
            heading = math.copysign(1.0, W[k] - W[k - 1])
        while True:
            lands = x + step >= k - 1e-9 or reach <= SAME
            at = float(k) if lands else x + step
            part = at - (k - 1)
            for j in range(driven.size):
                values[j] = U[k, j] if lands else U[k - 1, j] + part * (U[k, j] - U[k - 1, j])
            way = W[k] if lands else W[k - 1] + part * (W[k] - W[k - 1])
            count = int(state[KNOWN])
            extrapolate(past, ways, count, way, predicted)
            iterations = correct(
                address, inputs, outputs, y, y_next, measures, predicted, moved, driven, values, quaternions
            )
            effort[k] += max(iterations, 1)
            miss, moves = largest(y, moved, scale), largest(y, past[2], scale)
            sign = math.copysign(1.0, measures[3])
            good = iterations > 0 and moves <= LONGEST and miss <= (FAR if count > 1 else 2 * FAR)
            if measures[2] > weak and (good or step * reach < FAR):
                state[STEP] = step
                return WEAK
            if good and sign * state[SIGN] < 0.0:
                good = miss <= 0.02 * moves + 1e-9 and heading == state[HEADING]
            if good:
                break
            step = 0.5 * (at - x)
            if step * reach < SHORTEST or step < 1e-12:
                state[STEP] = step
                return STUCK
        remember(past, ways, y, way)
        state[KNOWN] = min(state[KNOWN] + 1, 3)
        if largest(y, far[2], scale) > APART:
            remember(far, far_ways, y, way)
            state[KNOWN_FAR] = min(state[KNOWN_FAR] + 1, 3)
        state[AT] = at
        state[STEP] = 2.0 * step if miss < 0.2 * FAR else step
        state[SIGN] = sign
        state[HEADING] = heading
        if lands:
            copy(y, Y[k])
