"""Goals met at many samples: Levenberg and Marquardt's steps on the rows of goals and loops, sample by sample.

    (JᵀJ + λ) d = Jᵀe,    λ = DAMPED Σ e²

Damping vanishes with the error, so that the last steps are those of Newton (Sugihara 2011).

All rates that are not specified are unknown; rows of closed loops stand beside those of the goals, and both are zero in
the end. Variables at a limit that are pushed outward are left out of a step, and no step goes beyond a limit. A sample
that does not converge begins again elsewhere; what is nearest is kept.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.numerics.kernel_calls import call
from linkwork.numerics.loops import light

PLACE, ATTITUDE, POINTING = 0, 1, 2
"""Kinds of goals: their numbers are x, y, z; a matrix, row by row; a direction."""
ROWS = (3, 3, 2)
DAMPED = 0.3
"""Damping by Σ e²."""
LONGEST = 1.0
"""Longest step of a variable [rad, or parts of the machine's size]."""
SLOW = 0.98
"""Errors that shrink by less, time and again, lead nowhere."""


@light
def rotation_missing(G, X, o, e, r):  # type: ignore[no-untyped-def]
    """The rotation vector from the axes X[o:] to those of G, both row by row, into e[r:]."""
    E = np.empty(9)
    for i in range(3):
        for j in range(3):
            E[3 * i + j] = G[3 * i] * X[o + 3 * j] + G[3 * i + 1] * X[o + 3 * j + 1] + G[3 * i + 2] * X[o + 3 * j + 2]
    x, y, z = 0.5 * (E[7] - E[5]), 0.5 * (E[2] - E[6]), 0.5 * (E[3] - E[1])
    sine = math.sqrt(x * x + y * y + z * z)
    cosine = 0.5 * (E[0] + E[4] + E[8] - 1.0)
    angle = math.atan2(sine, cosine)
    if sine > 1e-7 or cosine > 0.0:
        size = angle / sine if sine > 1e-30 else 1.0
        e[r], e[r + 1], e[r + 2] = size * x, size * y, size * z
    else:  # half a turn: the axis is in the symmetric part
        k = 0
        for i in range(1, 3):
            if E[4 * i] > E[4 * k]:
                k = i
        n = math.sqrt(max(0.5 * (E[4 * k] + 1.0), 1e-300))
        for i in range(3):
            e[r + i] = angle * (n if i == k else 0.25 * (E[3 * i + k] + E[3 * k + i]) / n)


@light
def goal_rows(kinds, bases, offsets, weights, axes, G, X, J, nv, columns, length, e, A):  # type: ignore[no-untyped-def]
    """What is missing of all goals, and the rates' part in it, scaled; returns the number of rows."""
    r = 0
    u, w, h = np.empty(3), np.empty(3), np.empty(3)
    for g in range(kinds.size):
        o, jo, weight = 12 * bases[g], 6 * nv * bases[g], weights[g]
        if kinds[g] == PLACE:
            for i in range(3):
                lever = 0.0
                for k in range(3):
                    lever += X[o + 3 + 3 * i + k] * offsets[g, k]
                u[i] = lever
                e[r + i] = weight * (G[g, i] - X[o + i] - lever) / length
            for c in range(columns.size):
                j = columns[c]
                for i in range(3):
                    A[r + i, c] = 0.0
                if j < nv:
                    wx, wy, wz = J[jo + 3 * nv + j], J[jo + 4 * nv + j], J[jo + 5 * nv + j]
                    A[r, c] = weight * (J[jo + j] + wy * u[2] - wz * u[1]) / length
                    A[r + 1, c] = weight * (J[jo + nv + j] + wz * u[0] - wx * u[2]) / length
                    A[r + 2, c] = weight * (J[jo + 2 * nv + j] + wx * u[1] - wy * u[0]) / length
            r += 3
        elif kinds[g] == ATTITUDE:
            rotation_missing(G[g], X, o + 3, e, r)
            for i in range(3):
                e[r + i] *= weight
                for c in range(columns.size):
                    j = columns[c]
                    A[r + i, c] = weight * J[jo + (3 + i) * nv + j] if j < nv else 0.0
            r += 3
        else:
            for i in range(3):
                h[i] = 0.0
                for k in range(3):
                    h[i] += X[o + 3 + 3 * i + k] * axes[g, k]
            least = 0
            for i in range(1, 3):
                if abs(h[i]) < abs(h[least]):
                    least = i
            a, b = (least + 1) % 3, (least + 2) % 3
            size = math.sqrt(h[a] * h[a] + h[b] * h[b])
            u[least], u[a], u[b] = 0.0, h[b] / size, -h[a] / size
            for i in range(3):
                w[i] = h[(i + 1) % 3] * u[(i + 2) % 3] - h[(i + 2) % 3] * u[(i + 1) % 3]
            # the turn that is missing is h x d, of the size of the angle between them
            along_u = along_w = cosine = 0.0
            for i in range(3):
                cosine += h[i] * G[g, i]
                across = h[(i + 1) % 3] * G[g, (i + 2) % 3] - h[(i + 2) % 3] * G[g, (i + 1) % 3]
                along_u += u[i] * across
                along_w += w[i] * across
            sine = math.sqrt(along_u * along_u + along_w * along_w)
            if sine > 1e-12:
                size = math.atan2(sine, cosine) / sine
                e[r], e[r + 1] = weight * size * along_u, weight * size * along_w
            else:
                e[r], e[r + 1] = 0.0 if cosine > 0.0 else weight * math.pi, 0.0
            for c in range(columns.size):
                j = columns[c]
                A[r, c], A[r + 1, c] = 0.0, 0.0
                if j < nv:
                    for i in range(3):
                        turn = J[jo + (3 + i) * nv + j]
                        A[r, c] += weight * u[i] * turn
                        A[r + 1, c] += weight * w[i] * turn
            r += 2
    return r


@light
def loop_rows(residuals, entries, entry_rows, entry_places, row_scale, entry_scale, r, e, A):  # type: ignore[no-untyped-def]
    """Errors of the loops and their Jacobian, scaled, below row r."""
    for i in range(residuals.size):
        e[r + i] = -residuals[i] * row_scale[i]
        for c in range(A.shape[1]):
            A[r + i, c] = 0.0
    for k in range(entry_rows.size):
        if entry_places[k] >= 0:
            A[r + entry_rows[k], entry_places[k]] = entries[k] * entry_scale[k]


@light
def damped_step(A, e, scale, damping, y, places, low, high, H, d):  # type: ignore[no-untyped-def]
    """d of (AᵀA + λ) d = Aᵀe by Cholesky, in units of the variables; what is pushed beyond a limit stays. Its size."""
    m, n = A.shape
    for c in range(n):
        total = 0.0
        for i in range(m):
            total += A[i, c] * e[i]
        d[c] = total * scale[c]
    for c in range(n):
        for k in range(c + 1):
            total = 0.0
            for i in range(m):
                total += A[i, c] * A[i, k]
            H[c, k] = total * scale[c] * scale[k]
        H[c, c] += damping
    for c in range(n):
        if places[c] >= 0:
            x = y[places[c]]
            if (x >= high[c] and d[c] > 0.0) or (x <= low[c] and d[c] < 0.0):
                for k in range(n):
                    if k < c:
                        H[c, k] = 0.0
                    if k > c:
                        H[k, c] = 0.0
                H[c, c], d[c] = 1.0, 0.0
    for c in range(n):
        for k in range(c + 1):
            total = H[c, k]
            for i in range(k):
                total -= H[c, i] * H[k, i]
            if k < c:
                H[c, k] = total / H[k, k]
            else:
                H[c, c] = math.sqrt(max(total, 1e-300))
    for c in range(n):
        total = d[c]
        for i in range(c):
            total -= H[c, i] * d[i]
        d[c] = total / H[c, c]
    largest = 0.0
    for c in range(n - 1, -1, -1):
        total = d[c]
        for i in range(c + 1, n):
            total -= H[i, c] * d[i]
        d[c] = total / H[c, c]
        largest = max(largest, abs(d[c]))
    return largest


@light
def reach_some(  # type: ignore[no-untyped-def]
    address, inputs, outputs, closure, closure_inputs, closure_outputs, advance, advance_inputs, advance_outputs,
    y, y_next, stride, X, J, residuals, entries, entry_rows, entry_places, row_scale, entry_scale,
    columns, scale, places, low, high, nv, length, kinds, bases, offsets, weights, axes, goals, starts, more, given,
    given_places, path, least, tolerance, most, first, last, Y, told,
):  # fmt: skip
    """Samples `first` to `last` - 1: postures to Y, (largest error, steps, starts) to `told`.

    starts : (1 or samples, ny), the first of each sample; more : (restarts, ny), which all samples share
    least : what is left of damping
    columns : unknown rates, by scale; places : of their variables where these are plain, else -1; low, high : limits
    given : (samples, n) values of variables at given_places
    path : 0, or 1 where each sample starts where the last one ended, 2 where both before it lead on
    least : what is left of damping
    """
    n, shared = columns.size, more.shape[0]
    rows = residuals.size
    for g in range(kinds.size):
        rows += 2 if kinds[g] == POINTING else 3
    e, A, H, d = np.empty(rows), np.zeros((rows, n)), np.empty((n, n)), np.empty(n)
    for s in range(first, last):
        best, steps, begun = math.inf, 0, 0
        while begun == 0 or (best > tolerance and begun <= shared):
            for i in range(y.size):
                if begun > 0:
                    y[i] = more[(7 * s + begun) % shared, i]
                elif path and s > first:
                    y[i] = Y[s - 1, i]
                    if path > 1 and s > first + 1 and told[s - 1, 0] <= tolerance and told[s - 2, 0] <= tolerance:
                        y[i] += Y[s - 1, i] - Y[s - 2, i]
                else:
                    y[i] = starts[s if starts.shape[0] > 1 else 0, i]
            for i in range(given_places.size):
                y[given_places[i]] = given[s, i]
            begun += 1
            before, slow = math.inf, 0
            for _ in range(most):
                call(address, inputs, outputs)
                r = goal_rows(kinds, bases, offsets, weights, axes, goals[s], X, J, nv, columns, length, e, A)
                if residuals.size:
                    call(closure, closure_inputs, closure_outputs)
                    loop_rows(residuals, entries, entry_rows, entry_places, row_scale, entry_scale, r, e, A)
                worst, squares = 0.0, 0.0
                for i in range(rows):
                    worst = max(worst, abs(e[i]))
                    squares += e[i] * e[i]
                if not math.isfinite(squares):
                    break
                if worst < best:
                    best = worst
                    for i in range(y.size):
                        Y[s, i] = y[i]
                if worst <= tolerance:
                    break
                steps += 1
                slow = slow + 1 if squares > SLOW * before else max(slow - 1, 0)
                if slow > 5:
                    break
                before = squares
                largest = damped_step(A, e, scale, DAMPED * squares + least, y, places, low, high, H, d)
                part = min(1.0, LONGEST / largest) if largest > 0.0 else 1.0
                if not math.isfinite(part):
                    break
                if advance:
                    for c in range(n):
                        stride[columns[c]] = part * d[c] * scale[c]
                    call(advance, advance_inputs, advance_outputs)
                    for i in range(y.size):
                        y[i] = y_next[i]
                else:
                    for c in range(n):
                        y[places[c]] += part * d[c] * scale[c]
                for c in range(n):
                    if places[c] >= 0:
                        y[places[c]] = min(max(y[places[c]], low[c]), high[c])
        told[s, 0], told[s, 1], told[s, 2] = best, steps, begun
