"""Radau IIA of three stages: order 5, stable for every decaying motion however stiff.

The stages z + Z_i at t + c_i h solve Z = h A f(z + Z). A⁻¹ has a real eigenvalue and a pair of complex ones, so that
Newton's equations fall into a real and a complex system of n unknowns. The Jacobian is exact, and is kept for as long
as Newton converges quickly with it. E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, sec. IV.8.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from linkwork.numerics.loops import inlined, loop
from linkwork.numerics.stepping.linear import factorise, solve
from linkwork.numerics.stepping.problem import jacobian, rates

Floats = NDArray[np.float64]

ORDER = 4
"""The error is that of an embedded formula of order 3."""

ITERATIONS = 10
"""Newton's steps at most."""
KEEP = 0.02
"""Rate of convergence up to which the next step uses the same Jacobian."""
REACH = 5.0
"""A step that is longer than the last one by more does not start from its polynomial."""
EPSILON = 2.0**-52

NODES = np.array([(4.0 - math.sqrt(6.0)) / 10.0, (4.0 + math.sqrt(6.0)) / 10.0, 1.0])
"""c_i"""


def _interpolation() -> Floats:
    """From stages to coefficients: Σ_k C_k c_i^k = Z_i, k = 1 ... 3."""
    return np.asarray(np.linalg.inv(NODES[:, None] ** np.arange(1, 4)), np.float64)


def _eigenvalues() -> tuple[Floats, Floats, float, complex]:
    """T, T⁻¹ and the eigenvalues of A⁻¹: a real one, and the one of the pair with which w1 + i w2 is multiplied.

    The collocation polynomial u has u(c) = Z and u'(c) = A⁻¹ Z. T holds the real eigenvector v and p, q of the complex
    one p + i q, all with a last element of 1. Z = v w0 + p w1 + q w2 gives A⁻¹ Z = v μ w0 + p Re + q Im of
    μ̄ (w1 + i w2), where μ belongs to p + i q.
    """
    derivative = np.arange(1, 4) * NODES[:, None] ** np.arange(3) @ _interpolation()
    roots, vectors = np.linalg.eig(derivative)
    vectors = vectors / vectors[2]
    real, pair = int(np.argmin(abs(roots.imag))), int(np.argmax(roots.imag))
    T = np.column_stack([vectors[:, real].real, vectors[:, pair].real, vectors[:, pair].imag])
    return T, np.linalg.inv(T), float(roots[real].real), complex(roots[pair].conjugate())


TO_POWERS = _interpolation()
T, TI, REAL, PAIR = _eigenvalues()
BEND = np.polynomial.Polynomial.fromroots(NODES).integ().coef[1:] * (-REAL / np.prod(NODES))
"""Powers 1 ... 4 of x in -μ / (c1 c2 c3) ∫ Π (s - c_i) ds, s = 0 ... x; see `step`."""

KNOWN, TIME, MADE, FACTORED, BEGIN, LENGTH, RATE, REST, HEADER = 0, 1, 2, 3, 4, 5, 6, 7, 8
"""What `store` begins with: whether there is a Jacobian; times of the last call and of the Jacobian; step of the
factorisations; beginning and length of the last polynomial; rate of Newton's convergence, and the error that it leaves
by size of the last correction."""


def store_size(n: int) -> int:
    """Numbers that the method keeps: Jacobian, two factorisations, the last polynomial, stages and scratch."""
    return HEADER + 4 * n * n + 20 * n


@inlined
def prepare(n, h, J, real, real_rows, pair, pair_rows):  # type: ignore[no-untyped-def]
    """Factorise μ / h - J for both eigenvalues; False if one is singular."""
    for i in range(n):
        for j in range(n):
            real[i, j] = -J[i, j]
            pair[i, j] = -J[i, j]
        real[i, i] += REAL / h
        pair[i, i] += PAIR / h
    return factorise(real, real_rows) and factorise(pair, pair_rows)


@loop
def measure(n, x, scale):  # type: ignore[no-untyped-def]
    """Root of the mean square of x / scale; x is one vector of n or several."""
    total = 0.0
    for k in range(x.size // n):
        for i in range(n):
            total += (x[k * n + i] / scale[i]) ** 2
    return math.sqrt(total / x.size)


@inlined
def iterate(p, store, t, h, z, scale, limit, W, Z, F, x, real, real_rows, pair, pair_rows, both):  # type: ignore[no-untyped-def]
    """Newton's steps from the stages Z until the error is below `limit`; False if they do not converge.

    W = T⁻¹ Z, F and `both` are scratch.
    """
    n = p.n
    for s in range(3):
        for i in range(n):
            W[s * n + i] = TI[s, 0] * Z[i] + TI[s, 1] * Z[n + i] + TI[s, 2] * Z[2 * n + i]
    store[REST] = max(store[REST], EPSILON) ** 0.8
    store[RATE] = 0.0
    last, last_rate = 0.0, 0.0
    for k in range(ITERATIONS):
        for s in range(3):
            for i in range(n):
                x[i] = z[i] + Z[s * n + i]
            if rates(p, t + NODES[s] * h, x, F[s * n : (s + 1) * n]) == math.inf:
                return False
        for i in range(n):
            f0, f1, f2 = F[i], F[n + i], F[2 * n + i]
            x[i] = TI[0, 0] * f0 + TI[0, 1] * f1 + TI[0, 2] * f2 - REAL / h * W[i]
            first = TI[1, 0] * f0 + TI[1, 1] * f1 + TI[1, 2] * f2
            second = TI[2, 0] * f0 + TI[2, 1] * f1 + TI[2, 2] * f2
            both[i] = complex(first, second) - PAIR / h * complex(W[n + i], W[2 * n + i])
        solve(real, real_rows, x)
        solve(pair, pair_rows, both)
        for i in range(n):
            F[i], F[n + i], F[2 * n + i] = x[i], both[i].real, both[i].imag
        size = measure(n, F, scale)
        if not math.isfinite(size):
            return False
        if k > 0:
            rate = size / last
            store[RATE] = rate if k == 1 else math.sqrt(rate * last_rate)
            last_rate = rate
            if store[RATE] >= 0.99:
                return False
            store[REST] = store[RATE] / (1.0 - store[RATE])
            if store[REST] * size * store[RATE] ** (ITERATIONS - 1 - k) > limit:
                return False
        last = max(size, EPSILON)
        for i in range(n):
            w0, w1, w2 = W[i] + F[i], W[n + i] + F[n + i], W[2 * n + i] + F[2 * n + i]
            W[i], W[n + i], W[2 * n + i] = w0, w1, w2
            for s in range(3):
                Z[s * n + i] = T[s, 0] * w0 + T[s, 1] * w1 + T[s, 2] * w2
        if store[REST] * size <= limit:
            return True
    return False


@inlined
def predict(n, store, t, h, past, Z):  # type: ignore[no-untyped-def]
    """Starting values of the stages from the last polynomial, which a step that is repeated runs through again."""
    length = store[LENGTH]
    usable = length != 0.0 and abs(h) <= REACH * abs(length)
    x0 = (t - store[BEGIN]) / length if usable else 0.0
    for s in range(3):
        x = x0 + NODES[s] * h / length if usable else 0.0
        for i in range(n):
            if usable:
                at, from_ = past[3 * n + i], past[3 * n + i]
                for k in range(2, -1, -1):
                    at = at * x + past[k * n + i]
                    from_ = from_ * x0 + past[k * n + i]
                Z[s * n + i] = at * x - from_ * x0
            else:
                Z[s * n + i] = 0.0


@loop
def step(p, store, t, h, z, f, z_new, C):  # type: ignore[no-untyped-def]
    """One step; returns its error measured by the tolerances.

    The error that is estimated falls with h⁴, the actual one with h⁶: it is about δ where the estimate is δ^(2/3). So
    the estimate is compared with tolerances that are raised from rtol to 0.03 rtol^(2/3), in the manner of RADAU5.

    The polynomial through the stages is of order 3. The estimate e, which is h f - u'(0) divided by the real eigenvalue
    μ and damped where the machine is stiff, bends it towards the slope f: u(x) - (μ e / c1 c2 c3) ∫ Π (s - c_i) ds is
    of order 4, and goes through the same ends.
    """
    n = p.n
    at = HEADER
    J = store[at : at + n * n].reshape(n, n)
    at += n * n
    real = store[at : at + n * n].reshape(n, n)
    at += n * n
    pair = store[at : at + 2 * n * n].view(np.complex128).reshape(n, n)
    at += 2 * n * n
    both = store[at : at + 2 * n].view(np.complex128)
    at += 2 * n
    rows = store[at : at + 2 * n].view(np.int64)
    real_rows, pair_rows = rows[:n], rows[n:]
    at += 2 * n
    past = store[at : at + 4 * n]
    at += 4 * n
    W, Z, F = store[at : at + 3 * n], store[at + 3 * n : at + 6 * n], store[at + 6 * n : at + 9 * n]
    at += 9 * n
    scale, x, e = store[at : at + n], store[at + n : at + 2 * n], store[at + 2 * n : at + 3 * n]

    atol, rtol = p.atol, p.rtol
    raised = max(1.0, 0.03 * rtol ** (-1.0 / 3.0)) if rtol > 0.0 else 1.0
    relative = max(raised * rtol, 1e-9)
    limit = max(10.0 * EPSILON / relative, min(0.03, math.sqrt(relative)))
    for i in range(n):
        scale[i] = raised * (atol[i] + rtol * abs(z[i]))

    first = store[KNOWN] == 0.0
    repeated = not first and store[TIME] == t
    fresh = repeated and store[MADE] == t
    store[TIME] = t
    if first:
        store[REST] = 1.0
    if first or (not repeated and store[RATE] > KEEP):
        jacobian(p, t, z, J)
        fresh = True
        store[KNOWN], store[MADE], store[FACTORED] = 1.0, t, 0.0
    while True:
        if store[FACTORED] != h:
            store[FACTORED] = h
            if not prepare(n, h, J, real, real_rows, pair, pair_rows):
                store[FACTORED] = 0.0
                return math.inf
        predict(n, store, t, h, past, Z)
        if iterate(p, store, t, h, z, scale, limit, W, Z, F, x, real, real_rows, pair, pair_rows, both):
            break
        store[REST] = 1.0
        if fresh:
            return math.inf
        jacobian(p, t, z, J)
        fresh = True
        store[MADE], store[FACTORED] = t, 0.0

    for i in range(n):
        z_new[i] = z[i] + Z[2 * n + i]
        for k in range(3):
            C[k + 1, i] = TO_POWERS[k, 0] * Z[i] + TO_POWERS[k, 1] * Z[n + i] + TO_POWERS[k, 2] * Z[2 * n + i]
        e[i] = f[i] - C[1, i] / h
        scale[i] = raised * (atol[i] + rtol * max(abs(z[i]), abs(z_new[i])))
    solve(real, real_rows, e)
    error = measure(n, e, scale)
    if error >= 1.0 and (first or repeated):
        # stiff parts that are not yet at rest spoil the estimate: filter it once more
        for i in range(n):
            x[i] = z[i] + e[i]
        if rates(p, t, x, e) == math.inf:
            return math.inf
        for i in range(n):
            e[i] -= C[1, i] / h
        solve(real, real_rows, e)
        error = measure(n, e, scale)
    if not math.isfinite(error):
        return math.inf

    for i in range(n):
        C[0, i] = z[i]
        C[4, i], C[5, i], C[6, i], C[7, i] = 0.0, 0.0, 0.0, 0.0
        for k in range(4):
            C[k + 1, i] += BEND[k] * e[i]
            past[k * n + i] = C[k + 1, i]
    store[BEGIN], store[LENGTH] = t, h
    return error
