"""Surplus freedoms of a task in time: of all motions that follow it, the one of least scaled rates at every instant.

Rates are w = A⁺ b with A the rows of loops and task. Postures obey y' = w(y, t), which is integrated for all samples at
once: rates and accelerations of a whole trajectory give the next one (Hermite's two-point rule, of order 4),

    y_k+1 = y_k + h/2 (w_k + w_k+1) + h²/12 (w'_k - w'_k+1)

whose samples Newton's method puts back on the task, until nothing changes (Picard's iteration).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.robots.task_rates import Rates
from linkwork.geometry import Array

ROUNDS = 60
SETTLED = 1e-10
"""Change of a scaled variable at which the trajectory has settled."""


def least_motion(
    loops: Loops, t: Array, Y: Array, rates_of: Callable[[Array], Rates], onto: Callable[[Array], Array]
) -> tuple[Array, Rates, float]:
    """Postures of least rates from the first sample on, their rates, and by how much the last round changed them.

    rates_of : rates at postures; onto : the postures on the task that are nearest to some
    """
    change = np.inf
    rates = rates_of(Y)
    for _ in range(ROUNDS):
        new = onto(integrated(loops, t, Y[0], rates))
        change = float(np.abs((new - Y) * loops.variable_scale).max(initial=0.0))
        Y, rates = new, rates_of(new)
        if not change > SETTLED:
            break
    return Y, rates, change


def integrated(loops: Loops, t: Array, first: Array, rates: Rates) -> Array:
    """Postures from the rates and accelerations at all samples."""
    h = np.diff(t)[:, np.newaxis]
    w, dw = rates.w / loops.column_scale, rates.dw / loops.column_scale
    strides = 0.5 * h * (w[:-1] + w[1:]) + h**2 / 12.0 * (dw[:-1] - dw[1:])
    if not loops.quaternions:
        whole = np.cumsum(strides, axis=0)
        return np.vstack([first, loops.advanced(np.broadcast_to(first, (len(whole), len(first))), whole)])
    Y = [first]
    for stride in strides:  # turns do not add up
        Y.append(loops.advanced(Y[-1], stride))
    return np.array(Y)
