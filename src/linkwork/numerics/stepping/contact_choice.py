"""Which frictions at rest hold, and which stops that are touched are leant on: pure functions of arrays.

A stop only pushes, a friction holds up to its grip. The forces are those of `bounded_forces`.
"""

from __future__ import annotations

import numpy as np

from linkwork.numerics.kernel_calls import call
from linkwork.numerics.loops import loop
from linkwork.numerics.stepping.active_rows import (
    ANSWERED,
    FRICTIONS,
    GRIP_COLUMN,
    GRIP_LOAD,
    SIDE_WAY,
    TOUCHED,
    write_rows,
)
from linkwork.numerics.stepping.bounded_forces import NOTHING, least, rank, reduced, solved
from linkwork.numerics.stepping.problem import COLUMN, GAP, KIND, along, law, load, rates, respond

AT_REST = 1e-9
"""Rate [rad/s, or parts of the machine's size a second] that counts as none, as a part of what is usual."""
SLOWEST = 1e-3
"""Rate [the same] that is usual whatever moves."""
AHEAD = (1e-9, 1e-6, 1e-3)
"""Parts of the whole time by which a law is looked at ahead."""
STILL = 1e-12
"""Way [rad, parts of the machine's size] of a law within the whole time, at its present rate, that is none."""
RELIEF = 1e-6
"""Part of its grip by which a friction must be relieved to hold on."""


@loop
def way_of(p, k, column, t, until):  # type: ignore[no-untyped-def]
    """Where law k, which rests at this instant, goes next: 1, -1, or 0 where it dwells."""
    kept, way = p.last[k], 0.0
    for i in range(3):
        law(p, k, t + AHEAD[i] * until)
        if way == 0.0 and abs(p.law[1]) * until > STILL * p.rate_sizes[column]:
            way = 1.0 if p.law[1] > 0.0 else -1.0
    p.last[k] = kept
    return way


@loop
def resting(p, a, t, z, still):  # type: ignore[no-untyped-def]
    """Mark the exact frictions whose joint is at rest in `still`; the others slip the way it goes.

    One whose variable is driven or locked never holds: what it does, the drive or the lock does.
    """
    usual = 0.0
    for i in range(p.nw):
        usual = max(usual, abs(z[p.ny + i]) / p.rate_sizes[i])
    for k in range(still.size):
        still[k] = 0
        column = a.grips[k, GRIP_COLUMN]
        rate = z[p.ny + column]
        rests = abs(rate) <= AT_REST * max(usual, SLOWEST) * p.rate_sizes[column]
        way = 1.0 if rate > 0.0 else (-1.0 if rate < 0.0 else 0.0)
        led = -1
        for d in range(a.drives.shape[0]):
            if a.drives[d, 1] == column:
                led = a.drives[d, 3]
        if led >= 0:
            p.slip[k] = way_of(p, led, column, t, a.until) if rests else way
        elif a.locked[column] or p.switch[a.grips[k, GRIP_LOAD]] == 0.0:
            p.slip[k] = 0.0
        elif rests:
            z[p.ny + column] = 0.0
            still[k] = 1
        else:
            p.slip[k] = way
        if not still[k]:
            a.stuck[k] = 0
            p.held[k] = 0


@loop
def responses(p, t, z, S):  # type: ignore[no-untyped-def]
    """S = G X of the active rows at a state, made symmetric."""
    load(p, t, z)
    respond(p)
    count = p.count[0]
    for r in range(count):
        for s in range(count):
            S[r, s] = along(p, r, p.X[s])
    for r in range(count):
        for s in range(r):
            S[r, s] = S[s, r] = 0.5 * (S[r, s] + S[s, r])


@loop
def choose(p, a, t, z, near, still, broken):  # type: ignore[no-untyped-def]
    """Take the active set in which frictions at rest and stops that are touched contradict nothing.

    near, still : which stops and frictions; broken : by friction that has just given way, the way to which, 1 or -1
    False if only the caller can tell whether those that have given way are relieved: the question is in `a`.
    """
    a.stuck[:] = 0
    a.touching[:] = 0
    p.held[:] = 0
    m, n = 0, 0
    frictions, stops = np.empty(still.size, np.int64), np.empty(near.size, np.int64)
    for k in range(still.size):
        if still[k]:
            p.slip[k] = 0.0
            frictions[m] = k
            m += 1
    for k in range(near.size):
        if near[k]:
            stops[n] = k
            n += 1
    if m + n == 0:
        return True
    load(p, t, z)
    always = write_rows(p, a)
    rates(p, t, z, np.empty(p.n))
    free = p.a.copy()
    for i in range(m):
        a.stuck[frictions[i]] = 1
    for j in range(n):
        a.touching[stops[j]] = 1
    write_rows(p, a)
    count = p.count[0]
    whole, b = np.empty((count, count)), np.zeros(count)
    responses(p, t, z, whole)
    for r in range(always, count):
        b[r] = along(p, r, free)
        if p.rows[r, KIND] == GAP:
            b[r] += p.gamma[p.rows[r, COLUMN]]
    rest, rest_b = reduced(whole, b, always)
    S, b0 = np.empty((m + n, m + n)), np.empty(m + n)
    places = np.empty(m + n, np.int64)
    for i in range(m):
        places[i] = a.row_of_grip[frictions[i]] - always
    for j in range(n):
        places[m + j] = a.row_of_side[stops[j]] - always
    for i in range(m + n):
        b0[i] = rest_b[places[i]]
        for j in range(m + n):
            S[i, j] = rest[places[i], places[j]]
    grip, slide = np.zeros((m, 2)), np.zeros((m, 2))
    if p.grips_at != 0:
        call(p.grips_at, p.grips_in, p.grips_out)
    given, sides = np.zeros(m, np.int64), np.empty(n, np.int64)
    some = False
    for i in range(m):
        k = frictions[i]
        given[i] = broken[k]
        some = some or given[i] != 0
        for w in range(2):
            grip[i, w] = p.grip[k, w] * p.switch[a.grips[k, GRIP_LOAD]]
            slide[i, w] = grip[i, w] / p.static[k]
    for j in range(n):
        sides[j] = a.sides[stops[j], SIDE_WAY]
    relieved = np.zeros(0)
    if some and m > 1 and rank(S, NOTHING) < m + n:
        if a.counts[ANSWERED] == 0:
            ask(a, S, b0, grip, given, sides)
            return False
        if a.counts[ANSWERED] == 1:
            relieved = a.answer[: m + n].copy()
    slips, h, leans, rows = decided(S, b0, grip, slide, sides, given, relieved)
    for i in range(m):
        k = frictions[i]
        a.stuck[k] = rows[i]
        p.slip[k] = slips[i]
        if not rows[i] and slips[i] == 0:
            p.held[k] = 1 + a.grips[k, GRIP_COLUMN]
            level = slide[i, 0 if h[i] < 0.0 else 1]
            p.slip[k] = -h[i] / level if level > 0.0 else 0.0
    for j in range(n):
        a.touching[stops[j]] = leans[j]
    write_rows(p, a)
    return True


@loop
def ask(a, S, b0, grip, given, sides):  # type: ignore[no-untyped-def]
    """Put the question whether frictions that have given way are relieved."""
    m, n = given.size, sides.size
    a.counts[FRICTIONS], a.counts[TOUCHED] = m, n
    for i in range(m + n):
        a.question_of[i, 0] = b0[i]
        a.question_of[i, 1] = grip[i, 0] if i < m else 0.0
        a.question_of[i, 2] = grip[i, 1] if i < m else 0.0
        a.question_of[i, 3] = given[i] if i < m else sides[i - m]
        for j in range(m + n):
            a.question[i, j] = S[i, j]


@loop
def decided(S, b0, grip, slide, sides, given, relieved):  # type: ignore[no-untyped-def]
    """Which frictions hold, which slide and where to, and which stops are leant on.

    S, b0 : accelerations along frictions, then stops, are b0 + S h; grip : what frictions hold against motion forward
    and backward; slide : what they slide with; sides : of stops, 1 from above, -1 from below; given : by friction, the
    way it has just given way to; relieved : forces that hold everything with less of these, if there are some
    Returns slips (the way of sliding, 0 where it holds), forces, leans, and rows (frictions that hold by themselves;
    the others that hold are at rest by what these do).
    """
    m, n = given.size, sides.size
    lower, upper = np.empty(m + n), np.empty(m + n)
    for k in range(m):
        lower[k], upper[k] = -grip[k, 0], grip[k, 1]
    for j in range(n):  # a stop from above (1) pushes down, one from below (-1) up
        lower[m + j] = -np.inf if sides[j] > 0 else 0.0
        upper[m + j] = 0.0 if sides[j] > 0 else np.inf
    slips = np.zeros(m, np.int64)
    b, none = np.empty(m + n), np.empty(m + n)
    h = relieved
    if relieved.size == 0:
        some = False
        for k in range(m):
            slips[k] = given[k]
            some = some or given[k] != 0
        h = np.zeros(m + n)
        for _ in range(2 * m + 1):
            for k in range(m):
                if slips[k]:
                    lower[k] = upper[k] = -slide[k, 0] if slips[k] > 0 else slide[k, 1]
            h = least(S, b0, lower, upper)
            accelerations(S, b0, h, b, none)
            again = False
            before = slips.copy()
            for k in range(m):
                if before[k] == 0:
                    if some and h[k] <= -(1.0 - RELIEF) * grip[k, 0]:  # those at their limits hold nobody any longer
                        slips[k] = 1
                    elif some and h[k] >= (1.0 - RELIEF) * grip[k, 1]:
                        slips[k] = -1
                    if abs(b[k]) > none[k]:
                        slips[k] = 1 if b[k] > 0.0 else -1
                    again = again or slips[k] != 0
                elif before[k] * b[k] < -none[k]:
                    slips[k], lower[k], upper[k] = 0, -grip[k, 0], grip[k, 1]
                    again = True
            if not again:
                break
    accelerations(S, b0, h, b, none)
    leans, rows = np.zeros(n, np.int64), np.zeros(m, np.int64)
    chosen, count = np.empty(m + n, np.int64), 0
    for j in range(n):
        if abs(b[m + j]) <= none[m + j]:
            leans[j] = 1
            chosen[count] = m + j
            count += 1
    for turn in range(2):  # those that have given way come first
        for k in range(m):
            first = given[k] != 0
            if slips[k] == 0 and first == (turn == 0) and S[k, k] > 0.0 and not depends(S, chosen[:count], k):
                rows[k] = 1
                chosen[count] = k
                count += 1
    for k in range(m):  # it does not slide if others keep it from doing so
        if slips[k] and abs(b[k]) <= none[k] and depends(S, chosen[:count], k):
            slips[k] = 0
    return slips, h, leans, rows


@loop
def accelerations(S, b0, h, b, none):  # type: ignore[no-untyped-def]
    """Along all candidates, and what is as good as none."""
    most = 0.0
    for i in range(b0.size):
        b[i], none[i] = b0[i], abs(b0[i])
        for j in range(b0.size):
            b[i] += S[i, j] * h[j]
            none[i] += abs(S[i, j]) * abs(h[j])
        most = max(most, none[i])
    for i in range(b0.size):
        none[i] = NOTHING * max(none[i], 1e-3 * most) + 1e-300


@loop
def depends(S, rows, k):  # type: ignore[no-untyped-def]
    """Whether candidate k is at rest once those of `rows` are."""
    count = rows.size
    if count == 0:
        return False
    own, column = np.empty((count, count)), np.empty((count, 1))
    for i in range(count):
        column[i, 0] = S[rows[i], k]
        for j in range(count):
            own[i, j] = S[rows[i], rows[j]]
    part = solved(own, column, NOTHING)
    left = S[k, k]
    for i in range(count):
        left -= S[k, rows[i]] * part[i, 0]
    return left <= NOTHING * S[k, k]
