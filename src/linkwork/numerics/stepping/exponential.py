"""Local-linear steps: the machine linearised about its state is solved exactly, whatever its frequencies.

    z(t + h) = z + h φ1(hA) f + h² φ2(hA) ∂f/∂t,    φ1(x) = (eˣ - 1) / x,   φ2(x) = (φ1(x) - 1) / x

All of it is the last column of one matrix exponential, which has no trouble with zero, repeated and defective
eigenvalues. The step is limited by how much the coefficients change, not by the highest frequency.

A is the full Jacobian: order 2 (exponential Rosenbrock-Euler; M. Hochbruck, A. Ostermann, Exponential integrators,
Acta Numerica 2010, sec. 2.4). With stiffness at rest, where ∂a/∂y is taken at rates w = 0, the order is 1 if masses
depend on the posture.

The linear solution's derivative at the end differs from the actual one by g. What was left out has grown like s² to g
during the step (like s with stiffness at rest), so that the step is off by

    ∫ exp((h - s) A) (s / h)² g ds = 2 h φ3(hA) g      (h φ2(hA) g)

of which (h / m) (1 - hA / m)⁻¹ g is the rational form that is right for slow and for stiff parts, m = 3 (2).
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.numerics.loops import inlined, loop
from linkwork.numerics.stepping.linear import SCRATCH, exponential, factorise, solve
from linkwork.numerics.stepping.problem import jacobian, rates, slope

ORDER = 3
STATIC_ORDER = 2
"""Powers of h with which the errors of one step fall."""

KNOWN, TIME, HEADER = 0, 1, 2
"""What `store` begins with: whether there is a Jacobian, and its time."""


def store_size(n: int) -> int:
    """Numbers that the method keeps: two Jacobians, a factorisation, the exponential's matrices and scratch."""
    return HEADER + 3 * n * n + SCRATCH * (n + 2) ** 2 + 7 * (n + 2)


@loop
def step(p, store, t, h, z, f, z_new, C):  # type: ignore[no-untyped-def]
    """One step with the full Jacobian; returns its error measured by the tolerances."""
    return advance(p, store, t, h, z, f, z_new, C, False)


@loop
def static_step(p, store, t, h, z, f, z_new, C):  # type: ignore[no-untyped-def]
    """One step with stiffness at rest; returns its error measured by the tolerances."""
    return advance(p, store, t, h, z, f, z_new, C, True)


@inlined
def linearise(p, t, z, rest, x, A, still):  # type: ignore[no-untyped-def]
    """Jacobian A; if `rest`, with ∂a/∂y at rates zero. x (n,) and `still` (n, n) are scratch."""
    jacobian(p, t, z, A)
    if rest:
        for i in range(p.n):
            x[i] = 0.0 if p.ny <= i < p.ny + p.nw else z[i]
        jacobian(p, t, x, still)
        for i in range(p.ny, p.ny + p.nw):
            for j in range(p.ny):
                A[i, j] = still[i, j]


@inlined
def flow(n, h, A, f, df, work, rows, scale, z, z_new):  # type: ignore[no-untyped-def]
    """z_new from x' = h A x + h f + h² s ∂f/∂t, s' = 1, over a unit of s; False if it overflows.

    The columns beside A are made as small as its own, else they would cost squarings (A. Al-Mohy, N. Higham, 2011).
    """
    size = 0.0
    for i in range(n):
        size += abs(h * f[i]) + abs(h * h * df[i])
    if size == 0.0:
        size = 1.0
    if not size < math.inf:
        return False
    for i in range(n + 2):
        for j in range(n + 2):
            work[0, i, j] = h * A[i, j] if i < n and j < n else 0.0
    for i in range(n):
        work[0, i, n] = h * h * df[i] / size
        work[0, i, n + 1] = h * f[i] / size
    work[0, n, n + 1] = 1.0
    if not exponential(work, rows, scale):
        return False
    for i in range(n):
        z_new[i] = z[i] + size * work[0, i, n + 1]
    return True


@inlined
def damp(n, lu, rows, x, y):  # type: ignore[no-untyped-def]
    """x ← (2 S - S²) x, S = (1 - hA / m)⁻¹: slow parts change by O(h²), stiff ones shrink with hA. y is scratch."""
    solve(lu, rows, x)
    for i in range(n):
        y[i] = x[i]
    solve(lu, rows, y)
    for i in range(n):
        x[i] = 2.0 * x[i] - y[i]


@inlined
def advance(p, store, t, h, z, f, z_new, C, rest):  # type: ignore[no-untyped-def]
    """One step; the interpolant is Hermite's cubic with the stiff parts of the slopes damped."""
    n = p.n
    m = n + 2
    at = HEADER
    A = store[at : at + n * n].reshape(n, n)
    at += n * n
    still = store[at : at + n * n].reshape(n, n)
    at += n * n
    lu = store[at : at + n * n].reshape(n, n)
    at += n * n
    work = store[at : at + SCRATCH * m * m].reshape(SCRATCH, m, m)
    at += SCRATCH * m * m
    rows = store[at : at + m].view(np.int64)
    at += m
    scale, df, begin = store[at : at + m], store[at + m : at + m + n], store[at + 2 * m : at + 2 * m + n]
    at += 3 * m
    end, e, x = store[at : at + n], store[at + m : at + m + n], store[at + 2 * m : at + 2 * m + n]

    if store[KNOWN] == 0.0 or store[TIME] != t:  # a repeated step finds them as they were
        linearise(p, t, z, rest, x, A, still)
        slope(p, t, z, df)
        store[KNOWN], store[TIME] = 1.0, t
    if not flow(n, h, A, f, df, work, rows, scale, z, z_new):
        return math.inf
    if rates(p, t + h, z_new, end) == math.inf:
        return math.inf

    part = h / (2.0 if rest else 3.0)
    for i in range(n):
        predicted = f[i] + h * df[i]
        for j in range(n):
            predicted += A[i, j] * (z_new[j] - z[j])
            lu[i, j] = -part * A[i, j]
        lu[i, i] += 1.0
        e[i] = part * (end[i] - predicted)
    if not factorise(lu, rows):
        return math.inf
    solve(lu, rows, e)
    error = 0.0
    atol, rtol = p.atol, p.rtol
    for i in range(n):
        error += (e[i] / (atol[i] + rtol * max(abs(z[i]), abs(z_new[i])))) ** 2
        way = z_new[i] - z[i]
        begin[i] = h * f[i] - way
        end[i] = h * end[i] - way
    damp(n, lu, rows, begin, x)
    damp(n, lu, rows, end, x)
    for i in range(n):  # z + way x + begin x (1 - x)² - end x² (1 - x)
        C[0, i] = z[i]
        C[1, i] = z_new[i] - z[i] + begin[i]
        C[2, i] = -2.0 * begin[i] - end[i]
        C[3, i] = begin[i] + end[i]
        C[4, i], C[5, i], C[6, i], C[7, i] = 0.0, 0.0, 0.0, 0.0
    error = math.sqrt(error / n)
    return error if math.isfinite(error) else math.inf
