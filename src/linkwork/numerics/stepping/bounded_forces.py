"""Forces within bounds that hold whatever they can hold, without the interpreter.

Accelerations (or rates after an impact) along candidates are affine in their forces (impulses) h, b = b0 + S h, with S
symmetric and positive semidefinite. Gauss's principle: h makes ½ hᵀ S h + b0ᵀ h least within its bounds, so that

    b = 0 inside,   b >= 0 at the lower bound,   b <= 0 at the upper one

The b of the answer is unique; where several share what one could do alone, h is not, and they share evenly.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.numerics.loops import loop

NOTHING = 1e-10
"""Part of what it is made of below which an acceleration or a response is none."""
DEPENDENT = 1e-12
"""Eigenvalue, as a part of the largest, below which rows that must be obeyed say what others do."""
KEPT = 1e-13
"""The same within the bounded problem, the small ones of which are gone already."""
SWEEPS = 40
"""Of Jacobi's method at most; four to eight do."""
EXACT = 1e-14
"""Slope, as a part of b, that is none."""


@loop
def eigen(S, values, vectors):  # type: ignore[no-untyped-def]
    """Eigenvalues and vectors (in columns) of a symmetric matrix, in no order: Jacobi's rotations."""
    n = S.shape[0]
    A = S.copy()
    for i in range(n):
        for j in range(n):
            vectors[i, j] = 1.0 if i == j else 0.0
    for _ in range(SWEEPS):
        off, whole = 0.0, 0.0
        for i in range(n):
            whole += A[i, i] ** 2
            for j in range(i):
                off += A[i, j] ** 2
        if not off > 1e-34 * whole:
            break
        for i in range(n - 1):
            for j in range(i + 1, n):
                if A[i, j] == 0.0:
                    continue
                theta = (A[j, j] - A[i, i]) / (2.0 * A[i, j])
                t = 1.0 / (abs(theta) + math.sqrt(theta * theta + 1.0))
                if theta < 0.0:
                    t = -t
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for k in range(n):
                    A[k, i], A[k, j] = c * A[k, i] - s * A[k, j], s * A[k, i] + c * A[k, j]
                for k in range(n):
                    A[i, k], A[j, k] = c * A[i, k] - s * A[j, k], s * A[i, k] + c * A[j, k]
                    vectors[k, i], vectors[k, j] = (
                        c * vectors[k, i] - s * vectors[k, j],
                        s * vectors[k, i] + c * vectors[k, j],
                    )
    for i in range(n):
        values[i] = A[i, i]


@loop
def solved(S, B, part):  # type: ignore[no-untyped-def]
    """The shortest X with S X = B as well as it can be, S symmetric; part : of the largest eigenvalue that is none."""
    n, m = B.shape
    X = np.zeros((n, m))
    if n == 1:
        if abs(S[0, 0]) > 0.0:
            for j in range(m):
                X[0, j] = B[0, j] / S[0, 0]
        return X
    values, vectors = np.empty(n), np.empty((n, n))
    eigen(S, values, vectors)
    top = 0.0
    for i in range(n):
        top = max(top, abs(values[i]))
    for k in range(n):
        if not abs(values[k]) > part * top:
            continue
        for j in range(m):
            total = 0.0
            for i in range(n):
                total += vectors[i, k] * B[i, j]
            total /= values[k]
            for i in range(n):
                X[i, j] += vectors[i, k] * total
    return X


@loop
def rank(S, part):  # type: ignore[no-untyped-def]
    """Eigenvalues that are larger than a part of the largest entry."""
    n = S.shape[0]
    values, vectors = np.empty(n), np.empty((n, n))
    eigen(S, values, vectors)
    top = 0.0
    for i in range(n):
        for j in range(n):
            top = max(top, abs(S[i, j]))
    found = 0
    for i in range(n):
        if abs(values[i]) > part * top:
            found += 1
    return found


@loop
def reduced(S, b, kept):  # type: ignore[no-untyped-def]
    """S and b of the rows after the first `kept` ones, these being obeyed: b = 0 there, whatever it takes."""
    n = b.size
    m = n - kept
    R, r = np.empty((m, m)), np.empty(m)
    for i in range(m):
        r[i] = b[kept + i]
        for j in range(m):
            R[i, j] = S[kept + i, kept + j]
    if kept == 0:
        return R, r
    B = np.empty((kept, m + 1))
    for k in range(kept):
        for j in range(m):
            B[k, j] = S[k, kept + j]
        B[k, m] = b[k]
    A = solved(S[:kept, :kept].copy(), B, DEPENDENT)
    for i in range(m):
        for k in range(kept):
            for j in range(m):
                R[i, j] -= S[kept + i, k] * A[k, j]
            r[i] -= S[kept + i, k] * A[k, m]
    return R, r


@loop
def least(S, b0, lower, upper):  # type: ignore[no-untyped-def]
    """Forces h that make ½ hᵀ S h + b0ᵀ h least within bounds."""
    n = b0.size
    h, unit = np.empty(n), np.empty(n)
    moved = np.zeros(n, np.int64)
    count = 0
    for k in range(n):
        h[k] = min(max(0.0, lower[k]), upper[k])
        unit[k] = math.sqrt(max(S[k, k], 0.0))
        if unit[k] > 0.0 and lower[k] < upper[k]:
            moved[count] = k
            count += 1
        if unit[k] == 0.0:  # nothing that it does changes anything
            if b0[k] > 0.0:
                h[k] = lower[k]
            elif b0[k] < 0.0:
                h[k] = upper[k]
            if not math.isfinite(h[k]):
                h[k] = 0.0
    if count == 0:
        return h
    even, wanted = np.empty((count, count)), np.empty(count)
    low, high = np.empty(count), np.empty(count)
    is_moved = np.zeros(n, np.int64)
    for i in range(count):
        is_moved[moved[i]] = 1
    for i in range(count):
        k = moved[i]
        wanted[i] = b0[k]
        for j in range(n):
            if not is_moved[j]:
                wanted[i] += S[k, j] * h[j]
        wanted[i] /= unit[k]
        low[i], high[i] = lower[k] * unit[k], upper[k] * unit[k]
        for j in range(count):
            even[i, j] = S[k, moved[j]] / (unit[k] * unit[moved[j]])
    found = bounded(even, wanted, low, high)
    for i in range(count):
        k = moved[i]
        if found[i] <= low[i]:  # at its bound it is there exactly, whatever rounding does
            h[k] = lower[k]
        elif found[i] >= high[i]:
            h[k] = upper[k]
        else:
            h[k] = min(max(found[i] / unit[k], lower[k]), upper[k])
    return h


@loop
def free_part(S, b, x, bound, part):  # type: ignore[no-untyped-def]
    """What candidates that are at no bound (0) would do, the others doing x; (count,) in their order."""
    n = b.size
    count = 0
    free = np.empty(n, np.int64)
    for k in range(n):
        if bound[k] == 0:
            free[count] = k
            count += 1
    sub, rest = np.empty((count, count)), np.empty((count, 1))
    for i in range(count):
        rest[i, 0] = -b[free[i]]
        for j in range(n):
            if bound[j] != 0:
                rest[i, 0] -= S[free[i], j] * x[j]
        for j in range(count):
            sub[i, j] = S[free[i], free[j]]
    found = np.zeros(n)
    if count:
        own = solved(sub, rest, part)
        for i in range(count):
            found[free[i]] = own[i, 0]
    return found


@loop
def bounded(S, b, lower, upper):  # type: ignore[no-untyped-def]
    """The same for candidates of one scale, S has a diagonal of ones: Stark and Parker, Bounded-variable least squares,
    Computational Statistics 10, 1995."""
    n = b.size
    bound = np.zeros(n, np.int64)
    x = free_part(S, b, np.zeros(n), bound, NOTHING)
    inside = True
    for k in range(n):
        inside = inside and lower[k] <= x[k] <= upper[k]
    if inside:
        return x
    if n == 1:
        x[0] = min(max(x[0], lower[0]), upper[0])
        return x
    K, c = without_small(S, b)
    scale = 0.0
    for k in range(n):
        scale = max(scale, abs(c[k]))
        if x[k] <= lower[k]:
            x[k], bound[k] = lower[k], -1
        elif x[k] >= upper[k]:
            x[k], bound[k] = upper[k], 1
    for _ in range(n):  # until those that are free are within their bounds
        z = free_part(K, c, x, bound, KEPT)
        left = False
        for k in range(n):
            if bound[k] != 0:
                continue
            if z[k] < lower[k]:
                x[k], bound[k], left = lower[k], -1, True
            elif z[k] > upper[k]:
                x[k], bound[k], left = upper[k], 1, True
            else:
                x[k] = z[k]
        if not left:
            break
    for _ in range(4 * n + 10):
        worst, which = EXACT * scale, -1
        for k in range(n):
            if bound[k] != 0:
                g = c[k]
                for j in range(n):
                    g += K[k, j] * x[j]
                if g * bound[k] > worst:
                    worst, which = g * bound[k], k
        if which < 0:
            break
        bound[which] = 0
        for _ in range(n + 1):
            z = free_part(K, c, x, bound, KEPT)
            nearest, hit = 1.0, -1
            for k in range(n):
                if bound[k] == 0 and (z[k] < lower[k] or z[k] > upper[k]):
                    edge = lower[k] if z[k] < lower[k] else upper[k]
                    part = (edge - x[k]) / (z[k] - x[k])
                    if part < nearest or hit < 0:
                        nearest, hit = part, k
            for k in range(n):
                if bound[k] == 0:
                    x[k] = z[k] if hit < 0 else x[k] + nearest * (z[k] - x[k])
            if hit < 0:
                break
            bound[hit] = -1 if z[hit] < lower[hit] else 1
            x[hit] = lower[hit] if bound[hit] < 0 else upper[hit]
    polished = free_part(S, b, x, bound, NOTHING)  # once more, with the small ones
    for k in range(n):
        if bound[k] == 0 and lower[k] <= polished[k] <= upper[k]:
            x[k] = polished[k]
    return x


@loop
def without_small(S, b):  # type: ignore[no-untyped-def]
    """S and b without the directions along which S does nothing."""
    n = b.size
    values, vectors = np.empty(n), np.empty((n, n))
    eigen(S, values, vectors)
    top = values.max()
    K, c = np.zeros((n, n)), np.zeros(n)
    for k in range(n):
        if not values[k] > NOTHING * top:
            continue
        along = 0.0
        for i in range(n):
            along += vectors[i, k] * b[i]
        for i in range(n):
            c[i] += vectors[i, k] * along
            for j in range(n):
                K[i, j] += values[k] * vectors[i, k] * vectors[j, k]
    return K, c
