"""Jumps of all rates: impacts on stops, variables that are locked, drives whose rates jump; pure functions of arrays.

    M Δw + Jᵀ Λ = Gᵀ P,    side · (G (w + Δw) + ∂g/∂t - wanted) <= 0,    -side · P >= 0,    one of the two is zero

for stops; driven and locked variables get the rates they must have. Friction has no part in it: its force is finite.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.numerics.loops import loop
from linkwork.numerics.stepping.active_rows import (
    IMPACT,
    JUMPED,
    LIMIT,
    LOST,
    REST,
    RESTITUTION,
    ROWS,
    SIDE_GAP,
    SIDE_WAY,
    SLIPS,
    USUAL,
    energy,
    note,
    note_jump,
    see,
    write_rows,
)
from linkwork.numerics.stepping.bounded_forces import DEPENDENT, least, reduced, solved
from linkwork.numerics.stepping.contact_choice import AT_REST, SLOWEST, choose, responses, resting
from linkwork.numerics.stepping.problem import correct, load, move, rates, row_error, settle

SHORT, LOW = 1e-10, 1e-13
"""A bounce shorter than this part of the time so far [s], or lower than this [rad, m, or parts of a machine larger than
that], is none: the machine rests on the stop."""
EARLY = 1e-6
"""Time [s] that counts as gone by at least."""
ROUNDING = 1e-15
NEAR = 1e-10
"""Distance from a stop [rad, m, or parts of a machine larger than that] at which it takes part in an impact."""


@loop
def impulse(p, a, t, z, wanted, near, push):  # type: ignore[no-untyped-def]
    """Jump of the rates; impulses of the stops that push go to `push`, and these alone are touching afterwards.

    wanted : by side, the rate that its gap should have; near : sides that take part, whose gaps must not open the wrong
    way
    """
    a.stuck[:] = 0
    p.held[:] = 0
    for k in range(near.size):
        a.touching[k] = 1 if near[k] else 0
        push[k] = 0.0
    load(p, t, z)
    always = write_rows(p, a)
    count = p.count[0]
    a.counts[JUMPED], a.counts[ROWS] = 1, 0
    for i in range(p.n):
        a.jump_before[i] = z[i]
    if count == 0:
        return
    S, missing = np.empty((count, count)), np.empty(count)
    responses(p, t, z, S)
    for r in range(count):
        missing[r] = row_error(p, r, t, 1)
    lower, upper = np.empty(count - always), np.empty(count - always)
    for k in range(near.size):
        if a.touching[k]:
            r = a.row_of_side[k]
            missing[r] -= wanted[k]
            up = a.sides[k, SIDE_WAY] < 0
            lower[r - always] = 0.0 if up else -np.inf
            upper[r - always] = np.inf if up else 0.0
    forces = np.zeros(count)
    if count > always:
        rest, rest_b = reduced(S, missing, always)
        P = least(rest, rest_b, lower, upper)
        for i in range(P.size):
            forces[always + i] = P[i]
    if always:
        left = np.empty((always, 1))
        for r in range(always):
            left[r, 0] = -missing[r]
            for s in range(always, count):
                left[r, 0] -= S[r, s] * forces[s]
        drives = solved(S[:always, :always].copy(), left, DEPENDENT)
        for r in range(always):
            forces[r] = drives[r, 0]
    for r in range(count):
        for i in range(p.nw):
            z[p.ny + i] += forces[r] * p.X[r, i]
    for k in range(near.size):
        if a.touching[k]:
            push[k] = forces[a.row_of_side[k]]
            a.touching[k] = 1 if push[k] != 0.0 else 0
    write_rows(p, a)
    for r in range(p.count[0]):
        a.jump_bounce[r] = 0.0
        for i in range(4):
            a.jump_rows[r, i] = p.rows[r, i]
    for k in range(near.size):
        if a.touching[k] and wanted[k] != 0.0:
            a.jump_bounce[a.row_of_side[k]] = a.side_numbers[k, RESTITUTION]
    a.counts[ROWS] = p.count[0]


@loop
def not_left(p, a, t, z, sides, speed, rest):  # type: ignore[no-untyped-def]
    """Mark in `rest` the sides of stops whose gaps do not open after a jump; speed : what is usual, besides the rates
    of all gaps."""
    see(p, t, z)
    slow = max(SLOWEST, speed)
    for i in range(p.dg.size):
        slow = max(slow, abs(p.dg[i]))
    for k in range(sides.size):
        rest[k] = 1 if sides[k] and abs(p.dg[a.sides[k, SIDE_GAP]]) <= AT_REST * slow else 0


@loop
def bounce(p, a, t, z, k, leaning):  # type: ignore[no-untyped-def]
    """Time [s] until a stop that is being left is met again if that is so short or low that it is none; else -1."""
    kept = a.touching.copy()
    for i in range(leaning.size):
        a.touching[i] = leaning[i]
    resting(p, a, t, z, np.empty(a.stuck.size, np.int64))  # frictions turn round with the rates
    load(p, t, z)
    write_rows(p, a)
    rates(p, t, z, np.empty(p.n))
    see(p, t, z)
    for i in range(kept.size):
        a.touching[i] = kept[i]
    gap, way = a.sides[k, SIDE_GAP], a.sides[k, SIDE_WAY]
    away = -way * p.dg[gap]
    back = p.gamma[gap]
    for i in range(p.nw):
        back += p.G[gap, i] * p.a[i]
    back *= way
    wait = max(2.0 * away / back, 0.0) if back > 0.0 else math.inf
    low = 0.25 * wait * away < LOW * max(p.size, USUAL)
    return wait if low or wait < SHORT * max(t, EARLY) else -1.0


@loop
def wait_of(p, a, t, z, k, kept):  # type: ignore[no-untyped-def]
    """Length [s] of the bounce off a stop that was just struck if that is none; else -1.

    What else is leant on may have been left by the impact: the machine rests if it does so with or without that.
    """
    if a.side_numbers[k, RESTITUTION] == 0.0:
        return 0.0
    rest = np.zeros(kept.size, np.int64)
    not_left(p, a, t, z, kept, 0.0, rest)
    one = bounce(p, a, t, z, k, rest)
    rest[:] = 0
    other = bounce(p, a, t, z, k, rest)
    if one < 0.0 or other < 0.0:
        return max(one, other)
    return min(one, other)


@loop
def put_back(p, a, t, z, sides):  # type: ignore[no-untyped-def]
    """Positions onto stops that are touched: those struck a hair later than others lie behind them by as much."""
    stuck, touching = a.stuck.copy(), a.touching.copy()
    for k in range(sides.size):
        a.touching[k] = sides[k]
    a.stuck[:] = 0
    load(p, t, z)
    write_rows(p, a)
    for _ in range(3):
        if correct(p, t, 0) <= ROUNDING:
            break
        move(p, p.y, p.x)
    for i in range(p.ny):
        z[i] = p.y[i]
    for k in range(stuck.size):
        a.stuck[k] = stuck[k]
    for k in range(touching.size):
        a.touching[k] = touching[k]
    see(p, t, z)


@loop
def strike(p, a, t, z, sides):  # type: ignore[no-untyped-def]
    """Impacts on stops, all at once, whoever leans on others; then the active set that follows.

    sides : which of them are struck, (sides,) 1 or 0
    """
    count = sides.size
    see(p, t, z)
    size = NEAR * max(p.size, USUAL)
    near, struck, kept = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64)
    speeds, wanted, push, waits = np.zeros(count), np.zeros(count), np.zeros(count), np.full(count, -1.0)
    usual = SLOWEST
    for i in range(p.dg.size):
        usual = max(usual, abs(p.dg[i]))
    fastest = 0.0
    for k in range(count):
        gap, way = a.sides[k, SIDE_GAP], a.sides[k, SIDE_WAY]
        if not (sides[k] or a.touching[k] or way * (p.g[gap] - a.side_numbers[k, LIMIT]) >= -size):
            continue
        near[k], speeds[k] = 1, p.dg[gap]
        fastest = max(fastest, abs(speeds[k]))
        if way * speeds[k] > AT_REST * usual:
            struck[k] = 1
            wanted[k] = -a.side_numbers[k, RESTITUTION] * speeds[k]
        else:
            kept[k] = 1
    before = energy(p, t, z)
    gripping = np.zeros(a.stuck.size, np.int64)
    for k in range(gripping.size):
        gripping[k] = 1 if a.stuck[k] or p.held[k] else 0
    put_back(p, a, t, z, near)
    remembered = z.copy()
    impulse(p, a, t, z, wanted, near, push)
    again = False
    for k in range(count):
        if struck[k]:
            waits[k] = wait_of(p, a, t, z, k, kept)
            again = again or (waits[k] >= 0.0 and wanted[k] != 0.0)
    if again:  # once more, without their bounce
        for i in range(p.n):
            z[i] = remembered[i]
        for k in range(count):
            if waits[k] >= 0.0:
                wanted[k] = 0.0
        impulse(p, a, t, z, wanted, near, push)
    rest, leans = np.zeros(count, np.int64), np.zeros(count, np.int64)
    not_left(p, a, t, z, near, fastest, rest)
    for k in range(count):
        if near[k]:
            leans[k] = 1 if rest[k] or bounce(p, a, t, z, k, rest) >= 0.0 else 0
    still = np.zeros(gripping.size, np.int64)
    resting(p, a, t, z, still)
    choose(p, a, t, z, leans, still, np.zeros(gripping.size, np.int64))
    settle(p, t, z)
    note_jump(a, t, energy(p, t, z) - before, LOST)
    for k in range(count):
        if struck[k]:
            tell(a, k, t, abs(speeds[k]), abs(push[k]), waits[k])
    for k in range(gripping.size):
        if gripping[k] and not a.stuck[k] and not p.held[k]:
            note(a, SLIPS, k, t, 0.0, 0.0, 0.0)


@loop
def tell(a, k, t, speed, push, wait):  # type: ignore[no-untyped-def]
    """Write down an impact; wait : of a machine that rests from now on, length of the first bounce that was left out
    [s], else -1."""
    bounces = a.side_numbers[k, RESTITUTION]
    if wait >= 0.0 and a.bounces[k] > 1 and bounces > 0.0:
        left = wait / (1.0 - bounces) if bounces < 1.0 else 0.0
        note(a, REST, k, t + left, a.bounces[k] + 1.0, 0.0, 0.0)
        a.bounces[k] = 0
        return
    if wait < 0.0:
        a.bounces[k] += 1
    note(a, IMPACT, k, t, speed, push, 0.0 if wait < 0.0 else 1.0)
