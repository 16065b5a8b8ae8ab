"""A fixed step that comes from a discrete principle of least action: symplectic, reversible, with momenta kept exactly.

The action of a step is taken by the midpoint rule along the way y0 ∘ exp(s x), 0 <= s <= 1, on which the rates are
constant, u = x / h (plain variables add, quaternions turn):

    L_d(y0, y1) = h L(y_m, u),    y_m = y0 ∘ exp(½ x),  y1 = y0 ∘ exp(x)

With momentum P and drift D (gradient of L by the variables, and forces) at (y_m, u), and constraints in the manner of
RATTLE, the discrete equations of Euler and Lagrange are

    p0 = B₊ P - ½ h C₊ D + J(y0)ᵀ λ,   e(y1) = 0                    gives x
    M(y1) w1 + J(y1)ᵀ μ = B₋ P + ½ h C₋ D,   J(y1) w1 = 0           gives w1

B and C are 1 for plain variables. For a free rotation with A = [x]×, θ = |x|, they are the transposed derivatives of
the exponential map, B± = A / ±(1 - e^∓A) = 1 ± ½ A + β A² and ½ C± = 1 / (1 + e^∓½A) = ½ (1 ± γ A), with

    β = (1 - ½θ cot ½θ) / θ²,   γ = tan(¼θ) / θ

so that R(y0) p0 = R(y1) p1 where nothing drifts. Marsden, West, Discrete mechanics and variational integrators, Acta
Numerica 2001; Bou-Rabee, Marsden, Hamilton-Pontryagin integrators on Lie groups, Found. Comput. Math. 2009.

Named states, whose law is s' = f(y, w, s, t), are taken along by the midpoint rule: s_m = s0 + ½ h f(y_m, u, s_m) and
s1 = 2 s_m - s0, so that the whole step is symmetric in time, of order 2, and of order 4 when composed; drift and
momentum are those at s_m.

x is found to round-off by Broyden's method, started from the response of the machine at y0: its forces of constraint
act along J(y0)ᵀ by themselves. Stopping earlier would let the energy drift (Hairer, McLachlan, Razakarivony 2008).
"""

from __future__ import annotations

import math

from linkwork.numerics.kernel_calls import call
from linkwork.numerics.loops import loop
from linkwork.numerics.stepping.problem import along, balance, load, rates, respond, row_error

ORDER = 2
COMPOSED_ORDER = 4

ITERATIONS = 40
ROUND_OFF = 2.0**-52
STAYS = 0.5
"""Corrections that do not shrink below this part of the smallest one have come to round-off, or do not converge."""
FIRST, MORE, MOST = 1e-14, 100.0, 1e-10
"""Part of the step that a correction must be below when it stays, so much more each time in a row, and at most: the
inertia may be so uneven that round-off is large."""
TINY = 1e-15
"""Correction [rad, or parts of the machine's size] that is round-off of the variables."""
SINGULAR = 0.1
"""Broyden's update is left out where it would lengthen a correction by more than the inverse of this."""
SERIES = 0.05
"""Angle [rad] below which series replace quotients; their first left-out terms are below 1e-17."""
OUTER = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
"""Part of a step that four of five substeps have, before and after the one that goes back (Suzuki 1990)."""


def store_size(n: int) -> int:
    """Length of the memory of the method."""
    return (2 * ITERATIONS + 7) * n


@loop
def turn(p, y, x, part, target):  # type: ignore[no-untyped-def]
    """target = y ∘ exp(part x)."""
    plain_y, plain_w, turning_y, turning_w = p.plain_y, p.plain_w, p.turning_y, p.turning_w
    for k in range(plain_y.size):
        target[plain_y[k]] = y[plain_y[k]] + part * x[plain_w[k]]
    for k in range(turning_y.size):
        q, v = turning_y[k], turning_w[k]
        i, j, m = part * x[v], part * x[v + 1], part * x[v + 2]
        angle = math.sqrt(i * i + j * j + m * m)
        half = 0.5 * math.sin(0.5 * angle) / (0.5 * angle) if angle > 0.0 else 0.5
        r, i, j, m = math.cos(0.5 * angle), half * i, half * j, half * m
        a, b, c, d = y[q], y[q + 1], y[q + 2], y[q + 3]
        a, b, c, d = (
            a * r - b * i - c * j - d * m,
            b * r + a * i + c * m - d * j,
            c * r + a * j - b * m + d * i,
            d * r + a * m + b * j - c * i,
        )
        shorter = 1.0 / math.sqrt(a * a + b * b + c * c + d * d)
        target[q], target[q + 1], target[q + 2], target[q + 3] = a * shorter, b * shorter, c * shorter, d * shorter


@loop
def discrete_momentum(p, h, x, sign, result):  # type: ignore[no-untyped-def]
    """B P - ½ h C D at the beginning of the way (sign 1), B P + ½ h C D at its end (-1), of p.momentum and p.drift."""
    P, D, turning = p.momentum, p.drift, p.turning_w
    half = -0.5 * sign * h
    for k in range(P.size):
        result[k] = P[k] + half * D[k]
    for k in range(turning.size):
        v = turning[k]
        x0, x1, x2 = x[v], x[v + 1], x[v + 2]
        square = x0 * x0 + x1 * x1 + x2 * x2
        if square < SERIES**2:
            beta = 1.0 / 12.0 + square * (1.0 / 720.0 + square * (1.0 / 30240.0 + square / 1209600.0))
            gamma = 0.25 + square * (1.0 / 192.0 + square * (1.0 / 7680.0 + square * 17.0 / 5160960.0))
        else:
            angle = math.sqrt(square)
            beta = (1.0 - 0.5 * angle / math.tan(0.5 * angle)) / square
            gamma = math.tan(0.25 * angle) / angle
        # c = ½ P ∓ ½ h γ D, a = x × P: what is left of B P ∓ ½ h C D is ± x × c + β x × a
        g = half * gamma
        c0, c1, c2 = 0.5 * P[v] + g * D[v], 0.5 * P[v + 1] + g * D[v + 1], 0.5 * P[v + 2] + g * D[v + 2]
        a0, a1, a2 = x1 * P[v + 2] - x2 * P[v + 1], x2 * P[v] - x0 * P[v + 2], x0 * P[v + 1] - x1 * P[v]
        result[v] += sign * (x1 * c2 - x2 * c1) + beta * (x1 * a2 - x2 * a1)
        result[v + 1] += sign * (x2 * c0 - x0 * c2) + beta * (x2 * a0 - x0 * a2)
        result[v + 2] += sign * (x0 * c1 - x1 * c0) + beta * (x0 * a1 - x1 * a0)


@loop
def at_midpoint(p, t, h, z, d, x, state, room):  # type: ignore[no-untyped-def]
    """Momentum and drift in the middle of the way x = h w0 + d; the small d tells more digits of the rates than x.

    Named states there are found from those that `state` has; False if none are. room : for `ITERATIONS` steps of them
    """
    ny = p.ny
    for k in range(d.size):
        x[k] = h * z[ny + k] + d[k]
        state[ny + k] = z[ny + k] + d[k] / h
    turn(p, z, x, 0.5, state)
    load(p, t + 0.5 * h, state)
    call(p.momentum_at, p.momentum_in, p.momentum_out)
    return p.states.size == 0 or states_at_midpoint(p, h, z, state, room)


@loop
def states_at_midpoint(p, h, z, state, steps):  # type: ignore[no-untyped-def]
    """Named states s = s0 + ½ h f(s) to round-off, by Broyden's method, into `state`; False if it does not converge.

    The kernel of the momentum tells f, and has been called at what `state` holds.
    """
    first, count_of = p.ny + p.nw, p.states.size
    s, f = p.states, p.dstates
    least = math.inf
    for count in range(ITERATIONS):
        own = steps[count * count_of : (count + 1) * count_of]
        for k in range(count_of):
            own[k] = z[first + k] + 0.5 * h * f[k] - s[k]
        for j in range(count):
            before = steps[j * count_of : (j + 1) * count_of]
            square, product = 0.0, 0.0
            for k in range(count_of):
                square += (before[k] / p.atol[first + k]) ** 2
                product += before[k] * own[k] / p.atol[first + k] ** 2
            ratio = product / square
            if j < count - 1:
                after = steps[(j + 1) * count_of : (j + 2) * count_of]
                for k in range(count_of):
                    own[k] += ratio * after[k]
            elif abs(1.0 - ratio) > SINGULAR:
                for k in range(count_of):
                    own[k] /= 1.0 - ratio
        change, size = 0.0, 0.0
        for k in range(count_of):
            change = max(change, abs(own[k]) / p.atol[first + k])
            size = max(size, (abs(s[k]) + abs(z[first + k])) / p.atol[first + k])
            state[first + k] = s[k] + own[k]
        if not math.isfinite(change):
            return False
        if change <= 2.0 * ROUND_OFF * size or (change > STAYS * least and change <= FIRST * size):
            return True
        least = min(least, change)
        for k in range(count_of):
            s[k] = state[first + k]
        call(p.momentum_at, p.momentum_in, p.momentum_out)
    return False


@loop
def correction(p, t, h, z, x, p0):  # type: ignore[no-untyped-def]
    """What the machine at z makes of the error of x, in p.x: h p.x is to be added to it. p.X belongs to z."""
    push, missing, y = p.push, p.missing, p.y
    discrete_momentum(p, h, x, 1.0, push)
    for k in range(push.size):
        push[k] = p0[k] - push[k]
    count = p.count[0]
    if p.loops or count:
        turn(p, z, x, 1.0, y)
        p.t[0] = t + h
        if p.loops:
            call(p.mismatch_at, p.mismatch_in, p.mismatch_out)
        if count and p.gaps_at != 0:
            call(p.gaps_at, p.gaps_in, p.gaps_out)
        for r in range(count):
            p.wanted[r] = -row_error(p, r, t + h, 0) / h
    e = p.e
    for i in range(missing.size):
        missing[i] = e[i] / h
    for i in range(y.size):
        y[i] = z[i]
    call(p.response_at, p.response_in, p.response_out)
    if count:
        for r in range(count):
            p.wanted[r] -= along(p, r, p.x)
        balance(p)
        for r in range(count):
            for i in range(p.nw):
                p.x[i] += p.force[r] * p.X[r, i]


@loop
def measure(p, unit):  # type: ignore[no-untyped-def]
    """By rate, what compares with 1 rad or with the machine's size: tolerances tell which of the two it is."""
    largest = 0.0
    for k in range(p.nw):
        largest = max(largest, p.atol[p.ny + k])
    for k in range(p.nw):
        own = p.atol[p.ny + k] / largest if largest > 0.0 else 1.0
        unit[k] = max(1.0, p.size) * (own if own > 0.0 else 1.0)


@loop
def solve(p, t, h, z, d, x, p0, state, unit, steps, room):  # type: ignore[no-untyped-def]
    """d of the way from z, from a first guess to round-off, by Broyden's method; False if it does not converge.

    unit : by rate, in which corrections are measured
    steps, room : for `ITERATIONS` steps, of the way and of named states, all that the method remembers. Kelley,
    Iterative Methods for Linear and Nonlinear Equations, sec. 7.3
    """
    nw = p.nw
    least, last, shrank, allowed = math.inf, math.inf, 1.0, FIRST
    for count in range(ITERATIONS):
        if not at_midpoint(p, t, h, z, d, x, state, room):
            return False
        correction(p, t, h, z, x, p0)
        s = steps[count * nw : (count + 1) * nw]
        answer = p.x
        for k in range(nw):
            s[k] = h * answer[k]
        for j in range(count):
            before = steps[j * nw : (j + 1) * nw]
            square, product = 0.0, 0.0
            for k in range(nw):
                square += (before[k] / unit[k]) ** 2
                product += before[k] * s[k] / unit[k] ** 2
            ratio = product / square
            if j < count - 1:
                after = steps[(j + 1) * nw : (j + 2) * nw]
                for k in range(nw):
                    s[k] += ratio * after[k]
            elif abs(1.0 - ratio) > SINGULAR:
                for k in range(nw):
                    s[k] /= 1.0 - ratio
        change, way = 0.0, 0.0
        for k in range(nw):
            d[k] += s[k]
            change += (s[k] / unit[k]) ** 2
            way += (x[k] / unit[k]) ** 2
        change, way = math.sqrt(change), math.sqrt(way)
        if not math.isfinite(change):
            return False
        shrinks = change / last if count else 1.0
        if change <= ROUND_OFF * way or max(shrinks, shrank) * change <= ROUND_OFF * way:
            return True
        if change <= STAYS * least:
            allowed = FIRST
        elif change <= allowed * way + TINY:
            return True
        else:
            allowed = min(MORE * allowed, MOST)
        least, last, shrank = min(least, change), change, shrinks
    return False


@loop
def arrive(p, t, h, z, d, x, state, room, z_new):  # type: ignore[no-untyped-def]
    """The state at the end of the way; its rates are those of the way and what they miss of the momentum there."""
    push, missing, y, w = p.push, p.missing, p.y, p.w
    at_midpoint(p, t, h, z, d, x, state, room)
    discrete_momentum(p, h, x, -1.0, push)
    for k in range(p.ny + p.nw, p.n):
        z_new[k] = 2.0 * state[k] - z[k]
    turn(p, z, x, 1.0, z_new)
    for i in range(y.size):
        y[i] = z_new[i]
    p.t[0] = t + h
    call(p.momentum_at, p.momentum_in, p.momentum_out)
    there, de, answer = p.momentum, p.de, p.x
    for k in range(push.size):
        push[k] -= there[k]
    if p.loops:
        call(p.mismatch_at, p.mismatch_in, p.mismatch_out)
    for i in range(missing.size):
        missing[i] = de[i]
    call(p.response_at, p.response_in, p.response_out)
    for k in range(w.size):
        w[k] += answer[k]
    count = p.count[0]
    if count:
        respond(p)
        for r in range(count):
            p.wanted[r] = -row_error(p, r, t + h, 1)
        balance(p)
        for r in range(count):
            for i in range(w.size):
                w[i] += p.force[r] * p.X[r, i]
    for k in range(w.size):
        z_new[y.size + k] = w[k]


@loop
def substep(p, store, t, h, z, f, z_new):  # type: ignore[no-untyped-def]
    """One step of order 2; False if it does not converge. f : derivative of the state at t"""
    nw, n = p.nw, p.n
    p0, d, x, unit = store[:nw], store[n : n + nw], store[2 * n : 2 * n + nw], store[3 * n : 3 * n + nw]
    state, steps, room = store[4 * n : 5 * n], store[7 * n : (7 + ITERATIONS) * n], store[(7 + ITERATIONS) * n :]
    measure(p, unit)
    load(p, t, z)
    call(p.momentum_at, p.momentum_in, p.momentum_out)
    for k in range(nw):
        p0[k] = p.momentum[k]
        d[k] = 0.5 * h * h * f[p.ny + k]
    for k in range(p.ny + nw, n):
        state[k] = z[k] + 0.5 * h * f[k]
    if p.count[0]:
        respond(p)
    if not solve(p, t, h, z, d, x, p0, state, unit, steps, room):
        return False
    arrive(p, t, h, z, d, x, state, room, z_new)
    return True


@loop
def interpolant(p, store, t, h, z, f, z_new, f_new, C):  # type: ignore[no-untyped-def]
    """Coefficients of the cubic that has the values and derivatives of both ends, into C."""
    for i in range(p.n):
        rise, a, b = z_new[i] - z[i], h * f[i], h * f_new[i]
        C[0, i], C[1, i], C[2, i], C[3, i] = z[i], a, 3.0 * rise - 2.0 * a - b, a + b - 2.0 * rise
        for k in range(4, C.shape[0]):
            C[k, i] = 0.0


@loop
def step(p, store, t, h, z, f, z_new, C):  # type: ignore[no-untyped-def]
    """A step of order 2; returns no error, as its length is given, or an infinite one where it does not converge."""
    return 0.0 if substep(p, store, t, h, z, f, z_new) else math.inf


@loop
def composed_step(p, store, t, h, z, f, z_new, C):  # type: ignore[no-untyped-def]
    """A step of order 4, composed of five of order 2: symplectic, reversible and as true to momenta as they are."""
    n = p.n
    start, slope = store[5 * n : 6 * n], store[6 * n : 7 * n]
    for i in range(n):
        start[i], slope[i] = z[i], f[i]
    at = t
    for k in range(5):
        part = h * (1.0 - 4.0 * OUTER) if k == 2 else h * OUTER
        if not substep(p, store, at, part, start, slope, z_new):
            return math.inf
        at += part
        if k < 4:
            for i in range(n):
                start[i] = z_new[i]
            if rates(p, at, start, slope) == math.inf:
                return math.inf
    return 0.0
