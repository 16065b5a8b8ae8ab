"""The explicit Runge-Kutta step of order 8 by Dormand and Prince, its interpolant, and the signs of stiffness.

Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, sec. II.10.
"""

from __future__ import annotations

import math

from linkwork.numerics.loops import loop
from linkwork.numerics.stepping.dormand_prince import DENSE, ERRORS, NODES, WEIGHTS
from linkwork.numerics.stepping.problem import rates

ORDER = 8
STAGES = 16
LAST = 11
"""The last stage before the end of the step; its time is that of the end."""
STABLE = 6.1
"""h times an eigenvalue at which the method's stability ends."""


def store_size(n: int) -> int:
    """Numbers that the method keeps: stages, and the state at the last one."""
    return (STAGES + 1) * n


@loop
def stage(p, store, s, t, h, z, state):  # type: ignore[no-untyped-def]
    """Evaluate stage s; its state goes through `state`. Returns the health of it."""
    n = p.n
    for i in range(n):
        state[i] = 0.0
    for k in range(s):
        weight = WEIGHTS[s, k]
        if weight != 0.0:
            K = store[k * n : (k + 1) * n]
            for i in range(n):
                state[i] += weight * K[i]
    for i in range(n):
        state[i] = z[i] + h * state[i]
    return rates(p, t + NODES[s] * h, state, store[s * n : (s + 1) * n])


@loop
def step(p, store, t, h, z, f, z_new, C):  # type: ignore[no-untyped-def]
    """One step; returns its error measured by the tolerances."""
    n = p.n
    state = store[STAGES * n : (STAGES + 1) * n]
    for i in range(n):
        store[i] = f[i]
    for s in range(1, LAST + 1):
        if stage(p, store, s, t, h, z, state) == math.inf:
            return math.inf
    for i in range(n):
        z_new[i] = 0.0
    for k in range(LAST + 1):
        weight = WEIGHTS[LAST + 1, k]
        if weight != 0.0:
            K = store[k * n : (k + 1) * n]
            for i in range(n):
                z_new[i] += weight * K[i]
    fifth, third = 0.0, 0.0
    for i in range(n):
        z_new[i] = z[i] + h * z_new[i]
        e5, e3 = 0.0, 0.0
        for k in range(LAST + 1):
            e5 += ERRORS[0, k] * store[k * n + i]
            e3 += ERRORS[1, k] * store[k * n + i]
        scale = p.atol[i] + p.rtol * max(abs(z[i]), abs(z_new[i]))
        fifth += (e5 / scale) ** 2
        third += (e3 / scale) ** 2
    if fifth == 0.0 and third == 0.0:
        return 0.0
    error = abs(h) * fifth / math.sqrt((fifth + 0.01 * third) * n)
    return error if math.isfinite(error) else math.inf


@loop
def interpolant(p, store, t, h, z, f, z_new, f_new, C):  # type: ignore[no-untyped-def]
    """Powers of x in z(t + x h): three more stages, then Horner's nested form written out."""
    n = p.n
    state = store[STAGES * n : (STAGES + 1) * n]
    for i in range(n):
        store[(LAST + 1) * n + i] = f_new[i]
    for s in range(LAST + 2, STAGES):
        stage(p, store, s, t, h, z, state)
    powers(store, h, z, f, z_new, f_new, C)


@loop
def powers(store, h, z, f, z_new, f_new, C):  # type: ignore[no-untyped-def]
    """The interpolant's coefficients from all stages of a step."""
    n = z.size
    for i in range(n):
        change = z_new[i] - z[i]
        F1 = h * f[i] - change
        F2 = 2.0 * change - h * (f_new[i] + f[i])
        F3, F4, F5, F6 = 0.0, 0.0, 0.0, 0.0
        for k in range(STAGES):
            K = h * store[k * n + i]
            F3 += DENSE[0, k] * K
            F4 += DENSE[1, k] * K
            F5 += DENSE[2, k] * K
            F6 += DENSE[3, k] * K
        # z + x (change + (1-x) (F1 + x (F2 + (1-x) (F3 + x (F4 + (1-x) (F5 + x F6))))))
        c0, c1, c2, c3, c4, c5, c6 = F5, F6, 0.0, 0.0, 0.0, 0.0, 0.0
        c0, c1, c2 = F4 + c0, c1 - c0, -c1  # F4 + (1-x) (...)
        c0, c1, c2, c3 = F3, c0, c1, c2  # F3 + x (...)
        c0, c1, c2, c3, c4 = F2 + c0, c1 - c0, c2 - c1, c3 - c2, -c3
        c0, c1, c2, c3, c4, c5 = F1, c0, c1, c2, c3, c4
        c0, c1, c2, c3, c4, c5, c6 = change + c0, c1 - c0, c2 - c1, c3 - c2, c4 - c3, c5 - c4, -c5
        C[0, i], C[1, i], C[2, i], C[3, i] = z[i], c0, c1, c2
        C[4, i], C[5, i], C[6, i], C[7, i] = c3, c4, c5, c6


@loop
def stiffness(p, store, h, z_new, f_new):  # type: ignore[no-untyped-def]
    """h times the largest eigenvalue, as the last two states of a step show it."""
    n = p.n
    change, way = 0.0, 0.0
    for i in range(n):
        change += ((f_new[i] - store[LAST * n + i]) / p.atol[i]) ** 2
        way += ((z_new[i] - store[STAGES * n + i]) / p.atol[i]) ** 2
    return h * math.sqrt(change / way) if way > 0.0 else 0.0
