"""Derivatives of a simulation: directions of the state are carried along the steps that were taken.

    δz' = ∂f/∂z δz + ∂f/∂p δp

Each explicit step is made again, and its stages are differentiated with its length held fixed: what comes out is the
derivative of the numerical solution itself, as exact as the solution is. After a step the state was put back onto loops
and rows; the directions follow by

    J δx = -(∂e/∂y δy + ∂e/∂p δp),  shortest, measured by the masses

in position and in velocity. How the direction of that correction turns is left out: it is multiplied by the gap that
the correction closed, which is smaller than the error of the step.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.numerics.kernel_calls import call
from linkwork.numerics.loops import loop
from linkwork.numerics.stepping.dormand_prince import NODES, WEIGHTS
from linkwork.numerics.stepping.eliminations import weakness
from linkwork.numerics.stepping.explicit import LAST, STAGES, powers
from linkwork.numerics.stepping.handle import Handle
from linkwork.numerics.stepping.problem import (
    COLUMN,
    GAP,
    KIND,
    LAW,
    PLACE,
    PRESSED,
    STUCK,
    UNIT,
    along,
    balance,
    begin_tangents,
    end_tangents,
    load,
    respond,
)

TOUCHED = 1e-10
"""Depth [rad, m] by which a stop that is touched may seem left: rounding does not decide whether it yields."""


def _kernel(name: str) -> dict[str, str]:
    return {f"{name}_at": "integer", f"{name}_in": "table", f"{name}_out": "integers"}


class Directions(Handle):
    """Derivatives of a problem's kernels, one direction of the parameters a row of their tables of pointers.

    rates_..., mismatch_..., gaps_... : kernels by address; an address 0 is one that is not there
    y, w, effort, states : a direction of their inputs -> dy, a, dstates; e, de; g, dg, G, gamma : what comes of it
    hold : (directions, rows), how the values move that rows hold
    force : by active row, touch : by gap, how forces change along the last direction
    """

    fields = (
        _kernel("rates")
        | _kernel("mismatch")
        | _kernel("gaps")
        | dict.fromkeys(["y", "w", "effort", "dy", "a", "e", "de", "g", "dg", "gamma", "force", "touch"], "floats")
        | dict.fromkeys(["states", "dstates"], "floats")
        | {"G": "matrix", "hold": "matrix"}
    )


class Changes(Handle):
    """Room for derivatives at samples, (samples · directions, ...): of states, accelerations, efforts, stops, and of
    rates of named states."""

    fields = dict.fromkeys(("Z", "A", "E", "P", "D"), "matrix")


@loop
def aim(p, d, dz):  # type: ignore[no-untyped-def]
    """A direction of the state to where the kernels read it."""
    for i in range(p.ny):
        d.y[i] = dz[i]
    for i in range(p.nw):
        d.w[i] = dz[p.ny + i]
    for i in range(p.states.size):
        d.states[i] = dz[p.ny + p.nw + i]


@loop
def push(p, d):  # type: ignore[no-untyped-def]
    """How efforts change: gradients of gaps turn under the forces of rows, and elastic stops yield.

    The kernel of the gaps has been called; forces of rows are those of `begin_tangents`.
    """
    for i in range(p.nw):
        d.effort[i] = 0.0
    for r in range(p.count[0]):
        if p.rows[r, KIND] == GAP:
            for i in range(p.nw):
                d.effort[i] += p.force[r] * d.G[p.rows[r, COLUMN], i]
    for k in range(d.touch.size):
        d.touch[k] = 0.0
    for s in range(p.soft.shape[0]):
        k, side = p.soft[s, 0], p.soft[s, 1]
        depth = side * (p.g[k] - p.soft_numbers[s, 0])
        force = p.soft_numbers[s, 1] * depth + p.soft_numbers[s, 2] * side * p.dg[k]
        if p.soft[s, PRESSED] and force > -TOUCHED * p.soft_numbers[s, 1]:
            change = p.soft_numbers[s, 1] * d.g[k] + p.soft_numbers[s, 2] * d.dg[k]
            d.touch[k] -= change
            for i in range(p.nw):
                d.effort[i] -= change * p.G[k, i] + side * force * d.G[k, i]


@loop
def change(p, d, j, dz, df):  # type: ignore[no-untyped-def]
    """Derivative of the rates along direction j, at the state of `begin_tangents`; p.force stays as it is."""
    aim(p, d, dz)
    if d.gaps_at != 0:
        call(d.gaps_at, d.gaps_in[j], d.gaps_out)
        push(p, d)
    call(d.rates_at, d.rates_in[j], d.rates_out)
    count = p.count[0]
    if count:
        kept = p.force[:count].copy()
        for r in range(count):
            wanted = -along(p, r, d.a)
            if p.rows[r, KIND] == GAP:
                k = p.rows[r, COLUMN]
                wanted -= d.gamma[k]
                for i in range(p.nw):
                    wanted -= d.G[k, i] * p.a[i]
            p.wanted[r] = wanted
        balance(p)
        for r in range(count):
            for i in range(p.nw):
                d.a[i] += p.force[r] * p.X[r, i]
            d.force[r] = p.force[r]
            p.force[r] = kept[r]
    for i in range(p.ny):
        df[i] = d.dy[i]
    for i in range(p.nw):
        df[p.ny + i] = d.a[i]
    for i in range(p.states.size):
        df[p.ny + p.nw + i] = d.dstates[i]


@loop
def changes(p, d, t, z, dz, f, df):  # type: ignore[no-untyped-def]
    """Rates at a state, and their derivatives along all directions (directions, n); returns the health."""
    health = begin_tangents(p, t, z, f)
    for j in range(dz.shape[0]):
        change(p, d, j, dz[j], df[j])
    end_tangents(p)
    return health


@loop
def shift(p, d, j, order):  # type: ignore[no-untyped-def]
    """The shortest change p.x of rates, measured by the masses, that keeps loops and rows in position (0) or velocity.

    The direction has been aimed; p.X belongs to p.y.
    """
    for i in range(p.nw):
        p.push[i] = 0.0
        p.x[i] = 0.0
    if p.loops:
        call(d.mismatch_at, d.mismatch_in[j], d.mismatch_out)
        for i in range(p.missing.size):
            p.missing[i] = d.e[i] if order == 0 else d.de[i]
        call(p.response_at, p.response_in, p.response_out)
    count = p.count[0]
    if count:
        if d.gaps_at != 0:
            call(d.gaps_at, d.gaps_in[j], d.gaps_out)
        for r in range(count):
            if p.rows[r, KIND] == UNIT:
                error = d.y[p.rows[r, PLACE]] - d.hold[j, r] if order == 0 else d.w[p.rows[r, COLUMN]]
            else:
                error = d.g[p.rows[r, COLUMN]] if order == 0 else d.dg[p.rows[r, COLUMN]]
            p.wanted[r] = -error - along(p, r, p.x)
        balance(p)
        for r in range(count):
            for i in range(p.nw):
                p.x[i] += p.force[r] * p.X[r, i]


@loop
def project(p, d, t, z, dz):  # type: ignore[no-untyped-def]
    """All directions (directions, n) onto what loops, rows and quaternions allow at a state that keeps them."""
    held = p.loops != 0 or p.count[0] != 0
    if held:
        load(p, t, z)
        if p.count[0]:
            respond(p)
    for j in range(dz.shape[0]):
        own = dz[j]
        if held:
            aim(p, d, own)
            shift(p, d, j, 0)
            for k in range(p.plain_y.size):
                own[p.plain_y[k]] += p.x[p.plain_w[k]]
            for k in range(p.turning_y.size):
                q, v = p.turning_y[k], p.turning_w[k]
                a, b, c, s = z[q], z[q + 1], z[q + 2], z[q + 3]
                x0, x1, x2 = 0.5 * p.x[v], 0.5 * p.x[v + 1], 0.5 * p.x[v + 2]
                own[q] -= b * x0 + c * x1 + s * x2
                own[q + 1] += a * x0 + c * x2 - s * x1
                own[q + 2] += a * x1 - b * x2 + s * x0
                own[q + 3] += a * x2 + b * x1 - c * x0
        for k in range(p.turning_y.size):
            q = p.turning_y[k]
            along_q = z[q] * own[q] + z[q + 1] * own[q + 1] + z[q + 2] * own[q + 2] + z[q + 3] * own[q + 3]
            for i in range(q, q + 4):
                own[i] -= along_q * z[i]
        if held:
            aim(p, d, own)
            shift(p, d, j, 1)
            for i in range(p.nw):
                own[p.ny + i] += p.x[i]


@loop
def stages(p, d, first, last, t, h, z, dz, K, D, state, ways):  # type: ignore[no-untyped-def]
    """Stages `first` to `last` of a step, K (stages, n), and their derivatives D (directions, stages · n)."""
    n, m = p.n, dz.shape[0]
    worst = 0.0
    for s in range(first, last + 1):
        for i in range(n):
            total = 0.0
            for k in range(s):
                total += WEIGHTS[s, k] * K[k, i]
            state[i] = z[i] + h * total
        for j in range(m):
            for i in range(n):
                ways[j, i] = 0.0
            for k in range(s):
                weight = h * WEIGHTS[s, k]
                if weight != 0.0:
                    for i in range(n):
                        ways[j, i] += weight * D[j, k * n + i]
            for i in range(n):
                ways[j, i] += dz[j, i]
        worst = max(worst, begin_tangents(p, t + NODES[s] * h, state, K[s]))
        for j in range(m):
            change(p, d, j, ways[j], D[j, s * n : (s + 1) * n])
        end_tangents(p)
    return worst


@loop
def note(p, d, k, t, z, dz, found):  # type: ignore[no-untyped-def]
    """Write down the derivatives at a sample."""
    m, n = dz.shape[0], p.n
    f, df = np.empty(n), np.empty(n)
    begin_tangents(p, t, z, f)
    for j in range(m):
        change(p, d, j, dz[j], df)
        at = k * m + j
        for i in range(n):
            found.Z[at, i] = dz[j, i]
        for i in range(p.nw):
            found.A[at, i] = df[p.ny + i]
            found.E[at, i] = 0.0
        for i in range(p.states.size):
            found.D[at, i] = df[p.ny + p.nw + i]
        for i in range(d.touch.size):
            found.P[at, i] = d.touch[i]
        for r in range(p.count[0]):
            if p.rows[r, KIND] == GAP:
                found.P[at, p.rows[r, COLUMN]] += d.force[r]
            elif p.rows[r, LAW] > STUCK:  # what frictions hold with is no effort
                column = p.rows[r, COLUMN]
                found.E[at, column] += d.force[r] - p.lent[column] * df[p.ny + column]
    end_tangents(p)


@loop
def follow(p, d, t0, z0, dz, trail_t, trail, times, Z, next_, reached, found, bar):  # type: ignore[no-untyped-def]
    """Carry directions dz (directions, n) from a state along the steps of a trail, in place.

    trail_t, trail : times and states after each step; times, Z : samples, of which those from `next_` to `reached` lie
    at the beginning or on the way; found : their derivatives; bar : how weak pivots may be (`eliminations.weakness`)
    Returns the worst health, and how many steps were taken: all of them, or those before one with pivots too weak.
    """
    n, m = p.n, dz.shape[0]
    K, D = np.zeros((STAGES, n)), np.zeros((m, STAGES * n))
    new, df, slope = np.empty((m, n)), np.empty((m, n)), np.empty(n)
    state, ways, C = np.empty(n), np.empty((m, n)), np.empty((8, n))
    worst = 0.0
    t, z = t0, z0.copy()
    while next_ < reached and times[next_] <= t0:
        note(p, d, next_, t0, z, dz, found)
        next_ += 1
    for step in range(trail_t.size):
        h = trail_t[step] - t
        z_new = trail[step, :n]
        health = stages(p, d, 0, LAST, t, h, z, dz, K, D, state, ways)
        if weakness(p, health) > bar:
            return worst, step
        worst = max(worst, health)
        for j in range(m):
            for i in range(n):
                total = 0.0
                for k in range(LAST + 1):
                    total += WEIGHTS[LAST + 1, k] * D[j, k * n + i]
                new[j, i] = dz[j, i] + h * total
        t_new = trail_t[step]
        project(p, d, t_new, z_new, new)
        if next_ < reached and times[next_] < t_new:
            changes(p, d, t_new, z_new, new, slope, df)
            for i in range(n):
                K[LAST + 1, i] = slope[i]
                for j in range(m):
                    D[j, (LAST + 1) * n + i] = df[j, i]
            stages(p, d, LAST + 2, STAGES - 1, t, h, z, dz, K, D, state, ways)
        while next_ < reached and times[next_] <= t_new:
            if times[next_] == t_new:
                note(p, d, next_, t_new, z_new, new, found)
            else:
                x = (times[next_] - t) / h
                for j in range(m):
                    powers(D[j], h, dz[j], D[j, :n], new[j], df[j], C)
                    for i in range(n):
                        total = C[7, i]
                        for k in range(6, -1, -1):
                            total = C[k, i] + x * total
                        ways[j, i] = total
                there = Z[next_]
                project(p, d, times[next_], there, ways)
                note(p, d, next_, times[next_], there, ways, found)
            next_ += 1
        for j in range(m):
            for i in range(n):
                dz[j, i] = new[j, i]
        for i in range(n):
            z[i] = z_new[i]
        t = t_new
    return (worst if math.isfinite(worst) else math.inf), trail_t.size
