"""A machine as compiled loops see it: its state z = (y, w, x), how it changes, and how it is kept on its constraints.

    z' = (N(y) w, a, x')         a = a0 + X f

a0 are the accelerations with loops kept. Active rows (driven or locked variables, contacts) are added on top: G are
their gradients, X = response to Gᵀ, and their forces f follow from G a + γ = wanted. So rows come and go without new
kernels.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linkwork.numerics.kernel_calls import call
from linkwork.numerics.loops import inlined, loop
from linkwork.numerics.stepping.fields import all_fields
from linkwork.numerics.stepping.handle import Handle
from linkwork.numerics.stepping.laws import law_at
from linkwork.numerics.stepping.layout import StateLayout

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

UNIT, GAP = 0, 1
"""Kinds of rows: a variable, or an expression that has a gradient."""
KIND, COLUMN, PLACE, LAW = 0, 1, 2, 3
"""Columns of `rows`: kind; the rate's column or the gap's number; the variable's place; a law of time, or -1, or of
friction that holds `STUCK` less its number."""
STUCK = -2
PRESSED = 2
"""Column of `soft`: whether an elastic stop is touched. Events change it, not the rounding of a gap near zero."""
CLOSING = 10
"""Newton's steps at most."""
NEAR = 1e-8
"""Gap [rad, or parts of the machine's size] from which one more of Newton's steps leads to round-off."""
DEPENDENT = 1e-10
"""Part of a row's own response that must be left for it to count beside the other rows."""


class Problem(Handle):
    """Kernels, and the arrays that they read and write (`fields`); each thread has its own.

    ny, nw, n : variables, rates, and the whole state; loops : cut joints and constraints; size : of the machine [m]
    counting : whether the work is counted
    rtol, atol : tolerances, the second by variable and rate
    rate_sizes, gap_sizes : by rate and by gap, what counts like a radian: of lengths the machine's size
    row_scale : by row of the mismatch, what makes it count like radians
    pace : by rate and named state, up to which it is one of a machine (`runaway`)
    lent : by rate that follows a law, the inertia that it has been lent; what this takes is no effort of the drive
    rates_at, rates_in, rates_out, ... : kernels by address and tables of pointers; an address 0 is that of none
    y, w, effort, t, slip, switch -> dy, a, health : of the rates
    side : on which side the switches of formulas are that jump, an input of the rates where there are some
    y, w -> e, de : of the mismatch; y, push, missing -> x : of the response
    states -> dstates : of the rates, too, where there are named states; they stand in z after the rates (`layout`)
    tangent_... : directions of the inputs of rates and gaps, and what comes of them
    y, w, t -> g, dg, G, gamma : of the gaps; -> watched : of the conditions
    box -> watched_range, gaps_range : between which bounds conditions and gaps are, and their change along a part of a
        step, while the state and its change are in a box (`crossings`)
    kinetic, potential, power : of the energies; momentum, drift : of the variational method
    plain_y, plain_w : places of plain variables, and of their rates
    turning_y, turning_w : first places of quaternions, and of their angular velocities
    law_edges, law_coefficients, law_starts, last : laws of time (`laws`), and the piece of each in which the loop is
    law : value, rate, acceleration and jerk of one of them
    given_effort : efforts that do not follow laws; pushed, pushed_law : columns of those that do
    rows : of at most so many active ones, (KIND, COLUMN, PLACE, LAW); hold : value that a row without a law holds
    soft : elastic stops, the gap's number, the side (1 above, -1 below), and whether it is touched
    soft_numbers : limit, stiffness, damping
    y, w, t -> grip : what exact frictions hold forward and backward; static : as many times what they slide with
    held : of frictions that hold without a row of their own, since others keep their joints at rest, 1 + the column of
        the rate; 0 of others
    touch : by gap, the force of elastic stops
    count : (1,) rows that are active; force : by active row; X, S, wanted : room for their equations
    evaluations : (1,) calls of `rates`; worst : (1,) largest health seen
    eliminations : by elimination, what `eliminations.select` puts in place: addresses and settled values of its kernels
    active : which of them is in use; parts : by elimination, pivots that its health is a sum of
    past : how many steps before this one are known, at most two; past_t, past_z, past_f : where they began
    y -> open, entries : errors of the rows and entries of their Jacobian; entry_scale : what makes these parts of the
        usual independence of the rows
    known : (1,) postures at which their independence is known; known_rows, known_least : scaled entries there, and that
        independence as a part of the usual one (`row_ranks`)
    settled_places : where settled values stand in `rates_in`, `response_in`, `tangent_in`
    """

    fields = all_fields()

    @cached_property
    def layout(self) -> StateLayout:
        """Where the parts of z stand."""
        return StateLayout(self.ny, self.nw, self.states.size)


@loop
def law(p, k, t):  # type: ignore[no-untyped-def]
    """Value, rate, acceleration and jerk of a law of time, into p.law."""
    law_at(p.law_edges, p.law_coefficients, p.law_starts, p.last, k, t, p.law)


@loop
def load(p, t, z):  # type: ignore[no-untyped-def]
    """State and time to where the kernels read them, and the efforts of that time."""
    put(p, t, z)


@inlined
def put(p, t, z):  # type: ignore[no-untyped-def]
    """The same, written into who calls it."""
    y, w = p.y, p.w
    ny = y.size
    for i in range(ny):
        y[i] = z[i]
    for i in range(w.size):
        w[i] = z[ny + i]
    states = p.states
    for i in range(states.size):
        states[i] = z[ny + w.size + i]
    p.t[0] = t
    if p.pushed.size or p.soft.shape[0]:
        press(p, t)


@loop
def press(p, t):  # type: ignore[no-untyped-def]
    """Efforts of a time, and of elastic stops."""
    for i in range(p.nw):
        p.effort[i] = p.given_effort[i]
    for k in range(p.pushed.size):
        law(p, p.pushed_law[k], t)
        p.effort[p.pushed[k]] += p.law[0]
    if p.soft.shape[0]:
        push_back(p)


@loop
def push_back(p):  # type: ignore[no-untyped-def]
    """Forces of elastic stops, which act beyond their limits only and never pull."""
    call(p.gaps_at, p.gaps_in, p.gaps_out)
    for k in range(p.touch.size):
        p.touch[k] = 0.0
    for s in range(p.soft.shape[0]):
        k, side = p.soft[s, 0], p.soft[s, 1]
        depth = side * (p.g[k] - p.soft_numbers[s, 0])
        if p.soft[s, PRESSED]:
            push = max(0.0, p.soft_numbers[s, 1] * depth + p.soft_numbers[s, 2] * side * p.dg[k])
            p.touch[k] -= side * push
            for i in range(p.nw):
                p.effort[i] -= side * push * p.G[k, i]


@loop
def rates(p, t, z, dz):  # type: ignore[no-untyped-def]
    """Derivative of the state; returns the health of the pivots, infinite where something is not a number."""
    return derive(p, t, z, dz)


@inlined
def derive(p, t, z, dz):  # type: ignore[no-untyped-def]
    """The same, written into who calls it."""
    put(p, t, z)
    p.evaluations[0] += 1
    call(p.rates_at, p.rates_in, p.rates_out)
    if p.count[0]:
        constrain(p, t)
    total = p.health[0]
    dy, a = p.dy, p.a
    ny = dy.size
    for i in range(ny):
        dz[i] = dy[i]
    for i in range(a.size):
        dz[ny + i] = a[i]
        total += 0.0 * a[i]
    dstates = p.dstates
    for i in range(dstates.size):
        dz[ny + a.size + i] = dstates[i]
        total += 0.0 * dstates[i]
    health = total if math.isfinite(total) else math.inf
    p.worst[0] = max(p.worst[0], health)
    return health


# ---------------------------------------------------------------- rows


@loop
def respond(p):  # type: ignore[no-untyped-def]
    """Response to each active row's gradient at p.y, into X; p.g ... p.gamma of gaps are up to date afterwards."""
    if p.gaps_at != 0:
        call(p.gaps_at, p.gaps_in, p.gaps_out)
    for i in range(p.missing.size):
        p.missing[i] = 0.0
    for r in range(p.count[0]):
        for i in range(p.nw):
            p.push[i] = 0.0
        if p.rows[r, KIND] == UNIT:
            p.push[p.rows[r, COLUMN]] = 1.0
        else:
            for i in range(p.nw):
                p.push[i] = p.G[p.rows[r, COLUMN], i]
        call(p.response_at, p.response_in, p.response_out)
        for i in range(p.nw):
            p.X[r, i] = p.x[i]


@loop
def along(p, r, x):  # type: ignore[no-untyped-def]
    """What a row measures of rates x."""
    if p.rows[r, KIND] == UNIT:
        return x[p.rows[r, COLUMN]]
    total = 0.0
    for i in range(p.nw):
        total += p.G[p.rows[r, COLUMN], i] * x[i]
    return total


@loop
def balance(p):  # type: ignore[no-untyped-def]
    """Forces of active rows with S f = wanted, S = G X; rows that say what others do get none."""
    count = p.count[0]
    for r in range(count):
        for s in range(count):
            p.S[r, s] = along(p, r, p.X[s])
        p.S[r, count] = p.S[r, r]  # its own response, to judge the pivot by
    for k in range(count):  # S is symmetric and positive semidefinite: pivots on the diagonal serve
        if not p.S[k, k] > DEPENDENT * p.S[k, count]:
            p.S[k, k] = math.inf
            continue
        for r in range(k + 1, count):
            factor = p.S[r, k] / p.S[k, k]
            for s in range(k + 1, count):
                p.S[r, s] -= factor * p.S[k, s]
            p.wanted[r] -= factor * p.wanted[k]
    for k in range(count - 1, -1, -1):
        total = p.wanted[k]
        for s in range(k + 1, count):
            total -= p.S[k, s] * p.force[s]
        p.force[k] = 0.0 if p.S[k, k] == math.inf else total / p.S[k, k]


@loop
def constrain(p, t):  # type: ignore[no-untyped-def]
    """Let the accelerations p.a obey the active rows; their forces go to `force`."""
    respond(p)
    for r in range(p.count[0]):
        wanted = 0.0
        if p.rows[r, KIND] == GAP:
            wanted = -p.gamma[p.rows[r, COLUMN]]
        elif p.rows[r, LAW] >= 0:
            law(p, p.rows[r, LAW], t)
            wanted = p.law[2]
        p.wanted[r] = wanted - along(p, r, p.a)
    balance(p)
    for r in range(p.count[0]):
        for i in range(p.nw):
            p.a[i] += p.force[r] * p.X[r, i]


@loop
def working(p, t, z, dz):  # type: ignore[no-untyped-def]
    """Power [W] that is put into the machine besides what springs store: by loads, efforts, and rows that move."""
    if p.count[0]:
        rates(p, t, z, dz)
    else:
        load(p, t, z)
    call(p.energies_at, p.energies_in, p.energies_out)
    total = p.power[0]
    for i in range(p.nw):
        total += p.effort[i] * p.w[i]
    for r in range(p.count[0]):
        total += own_force(p, r, p.a) * along(p, r, p.w)
    return total


@loop
def own_force(p, r, a):  # type: ignore[no-untyped-def]
    """Force of a row at accelerations a, without what moves an inertia that was lent."""
    if p.rows[r, KIND] == UNIT:
        return p.force[r] - p.lent[p.rows[r, COLUMN]] * a[p.rows[r, COLUMN]]
    return p.force[r]


@loop
def row_error(p, r, t, order):  # type: ignore[no-untyped-def]
    """How far a row is from what it wants, in position (0) or velocity (1), at p.y, p.w and the gaps found there."""
    if p.rows[r, KIND] == GAP:
        return p.g[p.rows[r, COLUMN]] - p.hold[r] if order == 0 else p.dg[p.rows[r, COLUMN]]
    wanted = p.hold[r] if order == 0 else 0.0
    if p.rows[r, LAW] >= 0:
        law(p, p.rows[r, LAW], t)
        wanted = p.law[order]
    return (p.y[p.rows[r, PLACE]] if order == 0 else p.w[p.rows[r, COLUMN]]) - wanted


@loop
def row_size(p, r):  # type: ignore[no-untyped-def]
    """What of a row's error counts like a radian."""
    return (p.rate_sizes if p.rows[r, KIND] == UNIT else p.gap_sizes)[p.rows[r, COLUMN]]


# ---------------------------------------------------------------- constraints


@loop
def normalise(p, y):  # type: ignore[no-untyped-def]
    """Quaternions to length 1."""
    for k in range(p.turning_y.size):
        q = p.turning_y[k]
        shorter = 1.0 / math.sqrt(y[q] ** 2 + y[q + 1] ** 2 + y[q + 2] ** 2 + y[q + 3] ** 2)
        for i in range(q, q + 4):
            y[i] *= shorter


@loop
def move(p, y, x):  # type: ignore[no-untyped-def]
    """y after rates x have acted for a unit of time; x is small: q ∘ (1, ½ x) and back to length 1."""
    for k in range(p.plain_y.size):
        y[p.plain_y[k]] += x[p.plain_w[k]]
    for k in range(p.turning_y.size):
        q, v = p.turning_y[k], p.turning_w[k]
        a, b, c, d = y[q], y[q + 1], y[q + 2], y[q + 3]
        i, j, m = 0.5 * x[v], 0.5 * x[v + 1], 0.5 * x[v + 2]
        y[q] = a - b * i - c * j - d * m
        y[q + 1] = b + a * i + c * m - d * j
        y[q + 2] = c + a * j - b * m + d * i
        y[q + 3] = d + a * m + b * j - c * i
    normalise(p, y)


@loop
def correct(p, t, order):  # type: ignore[no-untyped-def]
    """The shortest step x, measured by the masses, that closes loops and rows in position (0) or velocity (1).

    Returns the size of what is missing at p.y, p.w.
    """
    size = 0.0
    if p.loops:
        call(p.mismatch_at, p.mismatch_in, p.mismatch_out)
    count = p.count[0]
    if count:
        respond(p)
    for i in range(p.missing.size):
        p.missing[i] = p.e[i] if order == 0 else p.de[i]
        size = max(size, abs(p.missing[i]) * p.row_scale[i])
    for i in range(p.nw):
        p.push[i] = 0.0
        p.x[i] = 0.0
    if p.loops:
        call(p.response_at, p.response_in, p.response_out)
    if count:
        for r in range(count):
            error = row_error(p, r, t, order)
            size = max(size, abs(error) / row_size(p, r))
            p.wanted[r] = -error - along(p, r, p.x)
        balance(p)
        for r in range(count):
            for i in range(p.nw):
                p.x[i] += p.force[r] * p.X[r, i]
    return size


@loop
def settle(p, t, z):  # type: ignore[no-untyped-def]
    """z onto the constraints in place; returns the size of what was corrected in position, -1 if it does not close."""
    normalise(p, z)
    if p.loops == 0 and p.count[0] == 0:
        return 0.0
    load(p, t, z)
    first, last = 0.0, math.inf
    for k in range(CLOSING):
        size = correct(p, t, 0)
        if k == 0:
            first = size
        if not size < last * 1.5 or not math.isfinite(size):
            return -1.0
        last = size
        if size > 1e-15:
            move(p, p.y, p.x)
        if size < NEAR:
            break
    if not last < NEAR:
        return -1.0
    correct(p, t, 1)
    for i in range(p.ny):
        z[i] = p.y[i]
    for i in range(p.nw):
        z[p.ny + i] = p.w[i] + p.x[i]
        if not math.isfinite(z[p.ny + i]):
            return -1.0
    return first


# ---------------------------------------------------------------- derivatives


@loop
def begin_tangents(p, t, z, dz):  # type: ignore[no-untyped-def]
    """Rates at a state, then everything that tangents there share; forces of rows act like efforts from now on."""
    health = rates(p, t, z, dz)
    for r in range(p.count[0]):
        if p.rows[r, KIND] == UNIT:
            p.effort[p.rows[r, COLUMN]] += p.force[r]
        else:
            for i in range(p.nw):
                p.effort[i] += p.force[r] * p.G[p.rows[r, COLUMN], i]
    for i in range(p.nw):
        p.tangent_effort[i] = 0.0
    p.tangent_t[0] = 0.0
    return health


@loop
def end_tangents(p):  # type: ignore[no-untyped-def]
    """Take the forces of rows off the efforts again."""
    for i in range(p.nw):
        p.effort[i] = p.given_effort[i]


@loop
def yielding(p):  # type: ignore[no-untyped-def]
    """How efforts change along the direction: elastic stops yield, gradients of gaps turn under the forces there."""
    for r in range(p.count[0]):
        if p.rows[r, KIND] == GAP:
            for i in range(p.nw):
                p.tangent_effort[i] += p.force[r] * p.tangent_G[p.rows[r, COLUMN], i]
    for s in range(p.soft.shape[0]):
        k, side = p.soft[s, 0], p.soft[s, 1]
        depth = side * (p.g[k] - p.soft_numbers[s, 0])
        push = p.soft_numbers[s, 1] * depth + p.soft_numbers[s, 2] * side * p.dg[k]
        if p.soft[s, PRESSED] and push > 0.0:
            change = p.soft_numbers[s, 1] * p.tangent_g[k] + p.soft_numbers[s, 2] * p.tangent_dg[k]
            for i in range(p.nw):
                p.tangent_effort[i] -= change * p.G[k, i] + side * push * p.tangent_G[k, i]


@loop
def leans(p):  # type: ignore[no-untyped-def]
    """Whether gaps have a part in the rates."""
    found = p.soft.shape[0] > 0
    for r in range(p.count[0]):
        found = found or p.rows[r, KIND] == GAP
    return found


@loop
def bent(p, r):  # type: ignore[no-untyped-def]
    """How what a row wants of the accelerations changes along the direction: -(G' a + γ') of a gap, jerk of a law."""
    if p.rows[r, KIND] == GAP:
        k = p.rows[r, COLUMN]
        total = -p.tangent_gamma[k]
        for i in range(p.nw):
            total -= p.tangent_G[k, i] * p.a[i]
        return total
    if p.rows[r, LAW] >= 0 and p.tangent_t[0] != 0.0:
        law(p, p.rows[r, LAW], p.t[0])
        return p.tangent_t[0] * p.law[3]
    return 0.0


@loop
def tangent_here(p, dz, df):  # type: ignore[no-untyped-def]
    """Directional derivative at the state of `begin_tangents`, along dz and p.tangent_t."""
    for i in range(p.ny):
        p.tangent_y[i] = dz[i]
    for i in range(p.nw):
        p.tangent_w[i] = dz[p.ny + i]
        p.tangent_effort[i] = 0.0
    for i in range(p.states.size):
        p.tangent_states[i] = dz[p.ny + p.nw + i]
    if leans(p):
        call(p.gaps_tangent_at, p.gaps_tangent_in, p.gaps_tangent_out)
        yielding(p)
    if p.tangent_t[0] != 0.0:
        for k in range(p.pushed.size):
            law(p, p.pushed_law[k], p.t[0])
            p.tangent_effort[p.pushed[k]] += p.tangent_t[0] * p.law[1]
    call(p.tangent_at, p.tangent_in, p.tangent_out)
    count = p.count[0]
    if count:
        for r in range(count):
            p.wanted[r] = bent(p, r) - along(p, r, p.tangent_a)
        kept = p.force[:count].copy()
        balance(p)
        for r in range(count):
            for i in range(p.nw):
                p.tangent_a[i] += p.force[r] * p.X[r, i]
            p.force[r] = kept[r]
    for i in range(p.ny):
        df[i] = p.tangent_dy[i]
    for i in range(p.nw):
        df[p.ny + i] = p.tangent_a[i]
    for i in range(p.states.size):
        df[p.ny + p.nw + i] = p.tangent_dstates[i]


@loop
def tangent(p, t, z, dz, df):  # type: ignore[no-untyped-def]
    """Directional derivative of `rates` along dz."""
    begin_tangents(p, t, z, df)
    tangent_here(p, dz, df)
    end_tangents(p)


@loop
def jacobian(p, t, z, J):  # type: ignore[no-untyped-def]
    """J[i, j] = ∂ rates_i / ∂ z_j, column by column."""
    n = p.n
    dz, df = np.zeros(n), np.empty(n)
    begin_tangents(p, t, z, df)
    for j in range(n):
        dz[j] = 1.0
        tangent_here(p, dz, df)
        dz[j] = 0.0
        for i in range(n):
            J[i, j] = df[i]
    end_tangents(p)


@loop
def slope(p, t, z, df):  # type: ignore[no-untyped-def]
    """∂ rates / ∂t: loads that depend on time, efforts and driven variables that follow laws."""
    begin_tangents(p, t, z, df)
    p.tangent_t[0] = 1.0
    tangent_here(p, np.zeros(p.n), df)
    p.tangent_t[0] = 0.0
    end_tangents(p)
