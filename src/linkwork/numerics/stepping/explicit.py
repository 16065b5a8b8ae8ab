"""The explicit Runge-Kutta step of order 8 by Dormand and Prince, its interpolant, and the signs of stiffness.

Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, sec. II.10.
"""

from __future__ import annotations

import math

from linkwork.numerics.loops import inlined, loop
from linkwork.numerics.stepping.dormand_prince import DENSE, NODES
from linkwork.numerics.stepping.dormand_prince import ERRORS as E
from linkwork.numerics.stepping.dormand_prince import WEIGHTS as A
from linkwork.numerics.stepping.problem import derive

ORDER = 8
STAGES = 16
LAST = 11
"""The last stage before the end of the step; its time is that of the end."""
STABLE = 6.1
"""h times an eigenvalue at which the method's stability ends."""


def store_size(n: int) -> int:
    """Numbers that the method keeps: stages, and the state at the last one."""
    return (STAGES + 1) * n


@inlined
def combine(K, s, h, z, state):  # type: ignore[no-untyped-def]
    """The state at which stage s is evaluated, z + h Σ A_sk K_k; that of stage 12 is the end of the step.

    The tableau is written out: where there are few unknowns, loops over it would take longer than the sums.
    """
    # fmt: off
    if s == 1:
        for i in range(z.size):
            state[i] = z[i] + h * (A[1, 0] * K[0, i])
    elif s == 2:
        for i in range(z.size):
            state[i] = z[i] + h * (A[2, 0] * K[0, i] + A[2, 1] * K[1, i])
    elif s == 3:
        for i in range(z.size):
            state[i] = z[i] + h * (A[3, 0] * K[0, i] + A[3, 2] * K[2, i])
    elif s == 4:
        for i in range(z.size):
            state[i] = z[i] + h * (A[4, 0] * K[0, i] + A[4, 2] * K[2, i] + A[4, 3] * K[3, i])
    elif s == 5:
        for i in range(z.size):
            state[i] = z[i] + h * (A[5, 0] * K[0, i] + A[5, 3] * K[3, i] + A[5, 4] * K[4, i])
    elif s == 6:
        for i in range(z.size):
            state[i] = z[i] + h * (A[6, 0] * K[0, i] + A[6, 3] * K[3, i] + A[6, 4] * K[4, i] + A[6, 5] * K[5, i])
    elif s == 7:
        for i in range(z.size):
            state[i] = z[i] + h * (
                A[7, 0] * K[0, i] + A[7, 3] * K[3, i] + A[7, 4] * K[4, i] + A[7, 5] * K[5, i] + A[7, 6] * K[6, i]
            )
    elif s == 8:
        for i in range(z.size):
            state[i] = z[i] + h * (
                A[8, 0] * K[0, i] + A[8, 3] * K[3, i] + A[8, 4] * K[4, i] + A[8, 5] * K[5, i] + A[8, 6] * K[6, i]
                + A[8, 7] * K[7, i]
            )
    elif s == 9:
        for i in range(z.size):
            state[i] = z[i] + h * (
                A[9, 0] * K[0, i] + A[9, 3] * K[3, i] + A[9, 4] * K[4, i] + A[9, 5] * K[5, i] + A[9, 6] * K[6, i]
                + A[9, 7] * K[7, i] + A[9, 8] * K[8, i]
            )
    elif s == 10:
        for i in range(z.size):
            state[i] = z[i] + h * (
                A[10, 0] * K[0, i] + A[10, 3] * K[3, i] + A[10, 4] * K[4, i] + A[10, 5] * K[5, i] + A[10, 6] * K[6, i]
                + A[10, 7] * K[7, i] + A[10, 8] * K[8, i] + A[10, 9] * K[9, i]
            )
    elif s == 11:
        for i in range(z.size):
            state[i] = z[i] + h * (
                A[11, 0] * K[0, i] + A[11, 3] * K[3, i] + A[11, 4] * K[4, i] + A[11, 5] * K[5, i] + A[11, 6] * K[6, i]
                + A[11, 7] * K[7, i] + A[11, 8] * K[8, i] + A[11, 9] * K[9, i] + A[11, 10] * K[10, i]
            )
    elif s == 12:
        for i in range(z.size):
            state[i] = z[i] + h * (
                A[12, 0] * K[0, i] + A[12, 5] * K[5, i] + A[12, 6] * K[6, i] + A[12, 7] * K[7, i] + A[12, 8] * K[8, i]
                + A[12, 9] * K[9, i] + A[12, 10] * K[10, i] + A[12, 11] * K[11, i]
            )
    elif s == 13:
        for i in range(z.size):
            state[i] = z[i] + h * (
                A[13, 0] * K[0, i] + A[13, 6] * K[6, i] + A[13, 7] * K[7, i] + A[13, 8] * K[8, i] + A[13, 9] * K[9, i]
                + A[13, 10] * K[10, i] + A[13, 11] * K[11, i] + A[13, 12] * K[12, i]
            )
    elif s == 14:
        for i in range(z.size):
            state[i] = z[i] + h * (
                A[14, 0] * K[0, i] + A[14, 5] * K[5, i] + A[14, 6] * K[6, i] + A[14, 7] * K[7, i] + A[14, 10] * K[10, i]
                + A[14, 11] * K[11, i] + A[14, 12] * K[12, i] + A[14, 13] * K[13, i]
            )
    elif s == 15:
        for i in range(z.size):
            state[i] = z[i] + h * (
                A[15, 0] * K[0, i] + A[15, 5] * K[5, i] + A[15, 6] * K[6, i] + A[15, 7] * K[7, i] + A[15, 8] * K[8, i]
                + A[15, 12] * K[12, i] + A[15, 13] * K[13, i] + A[15, 14] * K[14, i]
            )
    # fmt: on


@inlined
def stage(p, K, s, t, h, z):  # type: ignore[no-untyped-def]
    """Evaluate stage s; its state goes through the last row of K. Returns the health of it."""
    combine(K, s, h, z, K[STAGES])
    return derive(p, t + NODES[s] * h, K[STAGES], K[s])


@loop
def step(p, store, t, h, z, f, z_new, C):  # type: ignore[no-untyped-def]
    """One step; returns its error measured by the tolerances."""
    n = z.size
    K = store.reshape((STAGES + 1, n))
    for i in range(n):
        K[0, i] = f[i]
    for s in range(1, LAST + 1):
        if stage(p, K, s, t, h, z) == math.inf:
            return math.inf
    combine(K, LAST + 1, h, z, z_new)
    fifth, third = 0.0, 0.0
    for i in range(n):
        e5 = (
            E[0, 0] * K[0, i] + E[0, 5] * K[5, i] + E[0, 6] * K[6, i] + E[0, 7] * K[7, i]
            + E[0, 8] * K[8, i] + E[0, 9] * K[9, i] + E[0, 10] * K[10, i] + E[0, 11] * K[11, i]
        )  # fmt: skip
        e3 = (
            E[1, 0] * K[0, i] + E[1, 5] * K[5, i] + E[1, 6] * K[6, i] + E[1, 7] * K[7, i]
            + E[1, 8] * K[8, i] + E[1, 9] * K[9, i] + E[1, 10] * K[10, i] + E[1, 11] * K[11, i]
        )  # fmt: skip
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
    n = z.size
    K = store.reshape((STAGES + 1, n))
    for i in range(n):
        K[LAST + 1, i] = f_new[i]
    for s in range(LAST + 2, STAGES):
        stage(p, K, s, t, h, z)
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
