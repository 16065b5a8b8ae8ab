"""Following closed loops along given drives: predict, correct by Newton, adapt the step, land on every sample.

The driven variables run straight from sample to sample; x counts samples and their parts. The other variables are
extrapolated from the last postures (a parabola) and corrected by a kernel that makes Newton's step (`closing`). A step
is taken back and halved when it does not converge, when the correction is not small, or when the pivots' product
changes its sign though the posture did not run smoothly through zero: that would be another closure.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from linkwork.kernels import drive

call = drive.call

DONE, STUCK, WEAK = 0, 1, 2
"""Why following ended: at the last sample; no step leads on; the pivots are poor at the next posture."""

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
"""Movement below which halving a step is given up."""


@numba.njit(cache=True, nogil=True, error_model="numpy")
def copy(source, target):  # type: ignore[no-untyped-def]
    """Elements of one array to another; plain loops compile in a fraction of the time of array expressions."""
    for i in range(target.size):
        target[i] = source[i]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def remember(past, places, y, at):  # type: ignore[no-untyped-def]
    """Push a posture to the end of the last three."""
    for i in range(y.size):
        past[0, i] = past[1, i]
        past[1, i] = past[2, i]
        past[2, i] = y[i]
    places[0] = places[1]
    places[1] = places[2]
    places[2] = at


@numba.njit(cache=True, nogil=True, error_model="numpy")
def largest(y, other, scale):  # type: ignore[no-untyped-def]
    """Largest scaled difference of two postures."""
    way = 0.0
    for i in range(y.size):
        way = max(way, abs(y[i] - other[i]) * scale[i])
    return way


@numba.njit(cache=True, nogil=True, error_model="numpy")
def correct(address, inputs, outputs, y, y_next, measures, predicted, moved, driven, values, quaternions):  # type: ignore[no-untyped-def]
    """Newton's steps from `predicted`, the result in y; returns their number, 0 if they do not converge."""
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


@numba.njit(cache=True, nogil=True, error_model="numpy")
def extrapolate(past, places, count, x, passive, predicted):  # type: ignore[no-untyped-def]
    """The polynomial through the last `count` (1 to 3) postures, at x; passive variables stay as they were.

    Nothing corrects those (the spin of a rod between two balls), so that extrapolating them would not be stable.
    """
    n = past.shape[0]
    for i in range(predicted.size):
        predicted[i] = 0.0
    for a in range(n - count, n):
        weight = 1.0
        for b in range(n - count, n):
            if b != a:
                weight *= (x - places[b]) / (places[a] - places[b])
        for i in range(predicted.size):
            predicted[i] += weight * past[a, i]
    for i in range(predicted.size):
        if passive[i]:
            predicted[i] = past[n - 1, i]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def reach_of(U, k, driven, scale):  # type: ignore[no-untyped-def]
    """Largest scaled way of the drives from sample k - 1 to k."""
    reach = 0.0
    for j in range(driven.size):
        reach = max(reach, abs(U[k, j] - U[k - 1, j]) * scale[driven[j]])
    return reach


@numba.njit(cache=True, nogil=True, error_model="numpy")
def follow(  # type: ignore[no-untyped-def]
    address, inputs, outputs, y, y_next, measures, U, driven, quaternions, passive, scale, weak, past, places, far,
    far_places, state, Y, effort,
):  # fmt: skip
    """Follow the drives U (samples, driven) from the state on; postures go to Y (samples, ny).

    past, places : the last three postures and their x, the newest last; far, far_places : three that lie further apart
    state : [postures known in `past`, length of the next step, sign of the pivots' product, sign changes, known in
        `far`]
    effort : Newton's steps by sample
    Returns one of DONE, STUCK, WEAK; `places[2]` tells how far it came. A posture with poor pivots is not taken: it is
    left in y, and the walk stays where it was.
    """
    samples = U.shape[0]
    predicted, moved = np.empty_like(y), np.empty_like(y)
    values = np.empty(driven.size)
    while True:
        x = places[2]
        k = math.floor(x + 1e-12) + 1
        if k >= samples:
            return DONE
        step = state[1]
        while True:
            lands = x + step >= k - 1e-9
            at = float(k) if lands else x + step
            part = at - (k - 1)
            for j in range(driven.size):
                values[j] = U[k, j] if lands else U[k - 1, j] + part * (U[k, j] - U[k - 1, j])
            count = int(state[0])
            extrapolate(past, places, count, at, passive, predicted)
            iterations = correct(
                address, inputs, outputs, y, y_next, measures, predicted, moved, driven, values, quaternions
            )
            effort[k] += max(iterations, 1)
            miss, way = largest(y, moved, scale), largest(y, past[2], scale)
            sign = math.copysign(1.0, measures[3])
            good = iterations > 0 and way <= LONGEST and miss <= (FAR if count > 1 else 2 * FAR)
            if measures[2] > weak and (good or step * reach_of(U, k, driven, scale) < FAR):
                state[1] = step
                return WEAK
            if good and sign * state[2] < 0.0:
                good = miss <= 0.02 * way + 1e-9
                if good:
                    state[3] += 1
            if good:
                break
            step = 0.5 * (at - x)
            if step * reach_of(U, k, driven, scale) < SHORTEST or step < 1e-12:
                state[1] = step
                return STUCK
        if at > x:
            remember(past, places, y, at)
            state[0] = min(state[0] + 1, 3)
            if largest(y, far[2], scale) > APART:
                remember(far, far_places, y, at)
                state[4] = min(state[4] + 1, 3)
        state[1] = 2.0 * step if miss < 0.2 * FAR else step
        state[2] = sign
        if lands:
            copy(y, Y[k])
