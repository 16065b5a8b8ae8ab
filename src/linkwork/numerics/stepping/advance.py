"""The loop that drives a method: steps are taken, judged, projected, watched and sampled, without the interpreter.

After each step the state is put back onto the constraints. A step counts only if its error, its projection and the
health of its pivots allow. Where a watched number falls below zero, the step is made again so that it ends there.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.numerics.kernel_calls import call
from linkwork.numerics.loops import loop
from linkwork.numerics.stepping.eliminations import WEAK, strengthen, weakness
from linkwork.numerics.stepping.handle import Handle
from linkwork.numerics.stepping.laws import reach
from linkwork.numerics.stepping.methods import is_fresh, is_stiff, refine, take
from linkwork.numerics.stepping.problem import COLUMN, KIND, LAW, STUCK, UNIT, own_force, rates, settle, working
from linkwork.numerics.stepping.row_ranks import bar_for, least_bound, may_be_weak
from linkwork.numerics.stepping.runaway import BEHIND, ON, note_start, verdict
from linkwork.numerics.stepping.runaway import STATES as STATES
from linkwork.numerics.stepping.watches import (
    first_crossing,
    is_force,
    look,
    missed,
    note_left,
    state_at,
    take_sides,
)

DONE, PAUSED, EVENT, STIFF, SICK, SHORT, FAINT, WEAKENS = range(8)
"""Why the loop came back: at its end; after as many steps as it was given; at an event; the steps are held short by
stability, not by accuracy; no step leads past a posture at which the pivots fail; the step has become too short; the
pivots fail where an event is, which has not been dealt with: its state stands in `trail` after those of the steps;
pivots of all eliminations are weak on the next step, which has not been taken; or as `runaway` tells."""

TIME, STEP, FRESH, NEXT, STEPS, REJECTED, GAP, WORST, STIFF_SIGNS, SMOOTH, LONGEST, FIXED, BAD = range(13)
WORK, HARDY, BAR, UNSEEN, LOSS = range(13, BEHIND)
"""What is known of a run, in `state`: time, length of the next step (0: to be found), whether f belongs to z, the next
sample, steps and rejected ones so far, largest gap and worst health, signs for and against stiffness, longest step,
whether steps are of one length, why the last step failed (`ERROR`, `OPEN`, `PIVOTS`), work done on the machine [J],
whether events are taken where pivots fail, how many times weaker than `WEAK` pivots may be before it is asked again,
end of the first step in which crossings may have been overlooked (0: none), the largest part of their independence
that rows were seen to lose; then what `runaway` knows."""
ERROR, OPEN, PIVOTS = 1.0, 2.0, 3.0

SAFETY, LEAST, MOST = 0.9, 0.2, 6.0
FAR = 0.02
"""A projection that leads further than this [rad, or parts of the machine's size] may be another closure."""
FAILS = 1e12
"""Health of pivots, each as one part of its sum, from which a step is not taken."""
FEW = 3
"""Samples within a step that have steps of their own; more are found between as many places along it."""
DOUBTFUL = 1e6
"""Health from which on a sample is looked at twice."""
AVOIDING = 12
"""Tries to step past a posture at which pivots fail."""
SHORTEST = 64.0
"""Steps shorter than this many roundings of the time are none."""
PLACES, SHARES = np.polynomial.legendre.leggauss(4)
"""Points and weights of Gauss on (-1, 1)."""
TRIES = 12
"""Steps that are made to end at an event."""
SIGNS = 15
"""Steps in a row at the border of stability that tell stiffness; six others clear it."""


@loop
def first_step(p, t, z, f, longest):  # type: ignore[no-untyped-def]
    """A length for the first step: Hairer, Norsett, Wanner, Solving ODEs I, sec. II.4."""
    n = p.n
    size, speed = 0.0, 0.0
    for i in range(n):
        scale = p.atol[i] + p.rtol * abs(z[i])
        size += (z[i] / scale) ** 2
        speed += (f[i] / scale) ** 2
    size, speed = math.sqrt(size / n), math.sqrt(speed / n)
    h = 1e-6 if size < 1e-5 or speed < 1e-5 else 0.01 * size / speed
    h = min(h, longest)
    there, slope = np.empty(n), np.empty(n)
    for i in range(n):
        there[i] = z[i] + h * f[i]
    rates(p, t + h, there, slope)
    bend = 0.0
    for i in range(n):
        bend += ((slope[i] - f[i]) / (p.atol[i] + p.rtol * abs(z[i]))) ** 2
    bend = math.sqrt(bend / n) / h
    steepest = max(speed, bend)
    if not math.isfinite(steepest):
        return h * 1e-3
    return min(100.0 * h, max(1e-6, h * 1e-3) if steepest <= 1e-15 else (0.01 / steepest) ** 0.125, longest)


@loop
def attempt(method, p, store, t, h, z, f, z_new, f_new, C):  # type: ignore[no-untyped-def]
    """A step, projected; returns its error, the gap that was closed (-1: does not close), and the worst health."""
    p.worst[0] = 0.0
    error = take(method, p, store, t, h, z, f, z_new, C)
    if error == math.inf or error > 1.0:
        return error, 0.0, p.worst[0]
    gap = settle(p, t + h, z_new)
    if gap < 0.0 or gap > FAR:
        return error, -1.0, p.worst[0]
    if rates(p, t + h, z_new, f_new) == math.inf:
        return math.inf, gap, math.inf
    return error, gap, p.worst[0]


class Samples(Handle):
    """Room for samples: times [s], states, accelerations, efforts along variables, forces of gaps, and of frictions
    that hold, rates of named states."""

    fields = {"times": "floats", **dict.fromkeys(("Z", "A", "E", "P", "H", "D"), "matrix")}  # noqa: RUF012


@loop
def note(p, samples, k, z, f):  # type: ignore[no-untyped-def]
    """Write down a sample; the kernels have just been called for its state."""
    for i in range(p.n):
        samples.Z[k, i] = z[i]
    for i in range(p.nw):
        samples.A[k, i] = f[p.ny + i]
        samples.E[k, i] = p.effort[i]
    for i in range(p.states.size):
        samples.D[k, i] = f[p.ny + p.nw + i]
    for i in range(p.touch.size):
        samples.P[k, i] = p.touch[i]
        for j in range(p.nw):  # what elastic stops do is told by gap, not by variable
            samples.E[k, j] -= p.touch[i] * p.G[i, j]
    for r in range(p.count[0]):
        if p.rows[r, KIND] != UNIT:
            samples.P[k, p.rows[r, COLUMN]] += p.force[r]
        elif p.rows[r, LAW] > STUCK:
            samples.E[k, p.rows[r, COLUMN]] += own_force(p, r, f[p.ny : p.ny + p.nw])
        else:
            samples.H[k, STUCK - p.rows[r, LAW]] = p.force[r]
            samples.Z[k, p.ny + p.rows[r, COLUMN]] = 0.0  # not by rounding either: friction would have a way to go
    for i in range(p.held.size):
        if p.held[i]:
            call(p.grips_at, p.grips_in, p.grips_out)
            samples.H[k, i] = -p.slip[i] * p.grip[i, 0 if p.slip[i] > 0.0 else 1] / p.static[i]
            samples.Z[k, p.ny + p.held[i] - 1] = 0.0


@loop
def between(p, C, t, h, when, z, dz):  # type: ignore[no-untyped-def]
    """State and slope at a time within a step, put back onto the constraints; False if it does not close.

    Next to a singular posture what is a hair's breadth off the loops may be far from any posture that closes them:
    there the interpolant is better than what can be made of it.
    """
    x = (when - t) / h
    state_at(p, C, x, z)
    raw = z.copy()
    closed = settle(p, when, z) >= 0.0
    health = rates(p, when, z, dz)
    if health <= DOUBTFUL:
        return closed
    moved = 0.0
    for i in range(p.n):
        moved += ((z[i] - raw[i]) / (p.atol[i] + p.rtol * abs(raw[i]))) ** 2
    if health < FAILS and moved < p.n and closed:
        return True
    z[:] = raw
    bent(C, x, h, dz)
    return True


@loop
def through_steps(t, h, past_t, past_z, past_f, z, f, z_new, f_new, C):  # type: ignore[no-untyped-def]
    """Powers of x in z(t + x h) from the ends of this step and of two before it, with their slopes: Hermite, degree 7.

    Next to a singular posture stages of a step may be far off, its ends are not.
    """
    nodes, d, powers = np.empty(8), np.empty(8), np.empty(8)
    for k in range(2):
        nodes[2 * k] = nodes[2 * k + 1] = (past_t[k] - t) / h
    nodes[4] = nodes[5] = 0.0
    nodes[6] = nodes[7] = 1.0
    for i in range(z.size):
        slopes = (past_f[0, i], past_f[1, i], f[i], f_new[i])
        places = (past_z[0, i], past_z[1, i], z[i], z_new[i])
        for k in range(4):
            d[2 * k] = d[2 * k + 1] = places[k]
        for order in range(1, 8):  # divided differences, in place
            for k in range(7, order - 1, -1):
                if nodes[k] == nodes[k - order]:
                    d[k] = h * slopes[k // 2]
                else:
                    d[k] = (d[k] - d[k - 1]) / (nodes[k] - nodes[k - order])
        powers[:] = 0.0
        powers[0] = d[7]
        for k in range(6, -1, -1):  # · (x - node) + d
            for j in range(7 - k, 0, -1):
                powers[j] = powers[j - 1] - nodes[k] * powers[j]
            powers[0] = d[k] - nodes[k] * powers[0]
        for k in range(8):
            C[k, i] = powers[k]


@loop
def landed(method, p, store, t, h, z, f, z_new, f_new, when, found, slope):  # type: ignore[no-untyped-def]
    """State and slope at a time within a step by a step that ends there: better than the interpolant of lower order.

    In a singular posture two steps end beside it, and Hermite's polynomial through them leads there. False if a step
    fails.
    """
    C = np.zeros((8, p.n))
    error, gap, _ = attempt(method, p, store, t, when - t, z, f, found, slope, C)
    if error <= 1.0 and gap >= 0.0 and p.health[0] < DOUBTFUL:  # the end of the step was evaluated last
        return True
    away = min(0.1 * h, 0.5 * (when - t), 0.5 * (t + h - when))
    if not away > 1e-6 * h:
        return False
    times, sides, slopes = np.array([t, when - away]), np.empty((2, p.n)), np.empty((2, p.n))
    sides[0], slopes[0] = z, f
    after, after_slope = np.empty(p.n), np.empty(p.n)
    before_error, before_gap, _ = attempt(method, p, store, t, when - away - t, z, f, sides[1], slopes[1], C)
    error, gap, _ = attempt(method, p, store, t, when + away - t, z, f, after, after_slope, C)
    if not (before_error <= 1.0 and error <= 1.0) or before_gap < 0.0 or gap < 0.0:
        return False
    left = t + h - (when + away)
    through_steps(when + away, left, times, sides, slopes, after, after_slope, z_new, f_new, C)
    state_at(p, C, -away / left, found)
    bent(C, -away / left, left, slope)
    return True


@loop
def quartered(method, p, store, t, h, z, f, z_new, f_new, pieces):  # type: ignore[no-untyped-def]
    """Interpolants of both halves of a step from steps that end at its quarters; False if one of these fails.

    Powers of x in z(t + (1/2 + x/4) h) and z(t + (3/4 + x/4) h).
    """
    n = p.n
    C, times, Z, F = np.empty((8, n)), np.empty(4), np.empty((4, n)), np.empty((4, n))
    times[0], Z[0], F[0] = t, z, f
    for k in range(1, 4):
        times[k] = t + 0.25 * k * h
        error, gap, health = attempt(method, p, store, t, times[k] - t, z, f, Z[k], F[k], C)
        if not error <= 1.0 or gap < 0.0 or health > DOUBTFUL:
            return False
    through_steps(times[2], 0.25 * h, times[:2], Z[:2], F[:2], Z[2], F[2], Z[3], F[3], pieces[0])
    through_steps(times[3], 0.25 * h, times[1:3], Z[1:3], F[1:3], Z[3], F[3], z_new, f_new, pieces[1])
    return True


@loop
def draw(method, p, store, t, h, z, f, z_new, f_new, health, C):  # type: ignore[no-untyped-def]
    """The polynomial of the step that was just taken: of its stages, or of the steps before it where these are off."""
    if health > DOUBTFUL and p.past == 2:
        through_steps(t, h, p.past_t, p.past_z, p.past_f, z, f, z_new, f_new, C)
    else:
        refine(method, p, store, t, h, z, f, z_new, f_new, C)


@loop
def bent(C, x, h, slope):  # type: ignore[no-untyped-def]
    """Slope of the interpolant at a part x of a step."""
    for i in range(slope.size):
        total = 7.0 * C[7, i]
        for k in range(6, 0, -1):
            total = k * C[k, i] + x * total
        slope[i] = total / h


@loop
def work(p, t, h, C, z, dz):  # type: ignore[no-untyped-def]
    """Work [J] done during a step: Gauss's four points along the interpolant."""
    total = 0.0
    for k in range(4):
        x = 0.5 + 0.5 * PLACES[k]
        state_at(p, C, x, z)
        total += SHARES[k] * working(p, t + x * h, z, dz)
    return 0.5 * h * total


@loop
def locate(method, p, store, t, h, x, z, f, z_new, f_new, C, table, numbers, fired):  # type: ignore[no-untyped-def]
    """The step again, so that it ends at the event and not on its interpolant: Newton's steps for its length.

    x : part of the step at which the interpolant has the event
    Returns the length, the gap that was closed and the health; z_new, f_new and C are those of the shorter step.
    """
    forces, values = is_force(table), np.empty(table.shape[0])
    there, slope, scratch = np.empty(p.n), np.empty(p.n), np.empty(p.n)
    state_at(p, C, x, there)
    end, further = x * h, 0.0
    for tried in range(TRIES):
        error, gap, health = attempt(method, p, store, t, end, z, f, z_new, f_new, C)
        if not error <= 1.0 or gap < 0.0:  # a shorter step is seldom worse; then the interpolant serves
            end = x * h
            for i in range(p.n):
                z_new[i] = there[i]
            gap = max(settle(p, t + end, z_new), 0.0)
            health = rates(p, t + end, z_new, f_new)
            break
        if end == 0.0:
            break
        refine(method, p, store, t, end, z, f, z_new, f_new, C)
        scratch[:] = z_new
        here, rate = missed(p, table, numbers, C, t, end, forces, fired, scratch, slope, values)
        change = here / rate if rate != 0.0 else (math.inf if here != 0.0 else 0.0)
        if not abs(change) <= 0.1 * h or not math.isfinite(rate):  # it jumps: to behind it
            if not here > 0.0:
                break
            further = max(4.0 * further, 4.4e-16 * max(abs(t), h))
            change = -further
        if not abs(change) > 2e-16 * max(abs(t), h) or tried == TRIES - 1:
            break
        end = min(max(end - change, 1e-16 * h), h)
    return end, gap, health


@loop
def advance(  # type: ignore[no-untyped-def]
    method, p, store, state, z, f, until, samples, table, numbers, before, fired, trail_t, trail
):  # fmt: skip
    """Go on from the state until a time, an event, or as many steps as `trail_t` has room for.

    samples : at which times they are wanted, and where they go
    table, numbers : of what is watched; before : the watched numbers now, none below zero; fired : which ones fell
    trail_t, trail : times and (state, accelerations, rates of named states, work) after each step of this call
    Returns why it came back, and the steps of this call.
    """
    n, ny, times = p.n, p.ny, samples.times
    z_new, f_new, scratch, slope = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    C = np.zeros((8, n))
    watches = table.shape[0]
    values = np.empty(watches)
    forces = is_force(table)
    taken, avoided, failed = 0, 0, False
    past_t, past_z, past_f = p.past_t, p.past_z, p.past_f
    pieces = np.empty((2, 8, n))
    limit, shorter, exchanged = FAILS, math.inf, False
    while True:
        t = state[TIME]
        if state[FRESH] == 0.0:
            weak = weakness(p, rates(p, t, z, f))
            if weak > WEAK and strengthen(p, t, z, False, t, z, scratch, weak):
                weak = weakness(p, rates(p, t, z, f))
            if weak == math.inf:
                state[BAD] = PIVOTS
                return SICK, taken
            state[FRESH] = 1.0
            p.past = 0
            note_start(p.pace, state, z)
            if watches:
                look(p, table, numbers, forces, t, z, slope, values)
                take_sides(p, table, numbers, t, z, f, values)
                for k in range(watches):
                    before[k] = max(values[k], 0.0)
            while int(state[NEXT]) < times.size and times[int(state[NEXT])] <= t:
                note(p, samples, int(state[NEXT]), z, f)
                state[NEXT] += 1.0
        if t >= until:
            return DONE, taken
        if taken == trail_t.size:
            return PAUSED, taken
        if state[STEP] == 0.0:
            state[STEP] = first_step(p, t, z, f, min(state[LONGEST], until - t))
        h = min(state[STEP], state[LONGEST], shorter)
        if p.last.size and state[FIXED] == 0.0:
            h = reach(p.law_edges, p.law_starts, p.last, t, h)
        lands = t + 1.0001 * h >= until
        if lands:
            h = until - t
        if h < SHORTEST * 2.2e-16 * max(abs(t), 1e-3) and not lands:
            return SHORT, taken
        error, gap, health = attempt(method, p, store, t, h, z, f, z_new, f_new, C)
        weak = weakness(p, health)
        if weak > WEAK * max(state[BAR], 1.0):  # other pivots may be stronger where these shrink
            whole = error <= 1.0 and gap >= 0.0
            if not exchanged and strengthen(p, t, z, whole, t + h, z_new, scratch, weak):
                rates(p, t, z, f)
                exchanged = True
                continue
            left = least_bound(p, z, f, h)
            if may_be_weak(left, weak):
                state[BAR], state[LOSS] = bar_for(left, weak / WEAK), max(state[LOSS], 1.0 - left)
                failed, avoided, shorter = False, 0, math.inf  # as after a question, so that none makes a difference
                continue
            if weak < math.inf:
                state[BAD] = PIVOTS
                return WEAKENS, taken
        exchanged = False
        if not error <= 1.0 or gap < 0.0:
            if state[FIXED] != 0.0:
                state[BAD] = ERROR if gap >= 0.0 else OPEN
                return SHORT, taken
            state[REJECTED] += 1.0
            state[BAD] = PIVOTS if health > limit else (OPEN if gap < 0.0 else ERROR)
            if gap < 0.0:
                state[STEP] = 0.5 * h
            elif error == math.inf:
                state[STEP] = 0.25 * h
            else:
                state[STEP] = h * max(LEAST, SAFETY * error ** (-1.0 / method.order))
            failed = True
            continue
        if health > limit:  # some stage lies where the pivots fail: a step of another length does not
            avoided += 1
            if avoided > AVOIDING:
                state[BAD] = PIVOTS
                return SICK, taken
            state[REJECTED] += 1.0
            shorter = h * 0.83
            continue
        avoided, shorter = 0, math.inf
        if weak <= WEAK and state[BAR] < math.inf:
            state[BAR] = 0.0
        stiff = is_stiff(method, p, store, h, z_new, f_new)
        ahead = int(state[NEXT]) < times.size and times[int(state[NEXT])] < t + h
        counted = p.counting != 0
        own = is_fresh(method) and ahead and health < FAILS
        drawn = watches > 0 or counted or (ahead and not own)
        if drawn:
            draw(method, p, store, t, h, z, f, z_new, f_new, health, C)
        event = False
        t_new = until if lands else t + h
        if watches:
            x, decided = first_crossing(p, table, numbers, forces, t, h, C, scratch, slope, before, values, fired)
            if not decided and state[UNSEEN] == 0.0:
                state[UNSEEN] = t + h
            if x <= 1.0:
                event = True
                h, gap, health = locate(method, p, store, t, h, x, z, f, z_new, f_new, C, table, numbers, fired)
                t_new = t + h
                look(p, table, numbers, forces, t_new, z_new, slope, values)
                note_left(table, numbers, fired, values)
                if health > DOUBTFUL and state[HARDY] == 0.0:
                    trail[taken, :n] = z_new
                    return FAINT, taken
            else:
                look(p, table, numbers, forces, t_new, z_new, slope, values)
                for k in range(watches):
                    before[k] = max(values[k], 0.0)
        own, halves = own and health < FAILS, False
        if own and int(state[NEXT]) + FEW < times.size and times[int(state[NEXT]) + FEW] < t_new:
            halves = quartered(method, p, store, t, h, z, f, z_new, f_new, pieces)
        while int(state[NEXT]) < times.size and times[int(state[NEXT])] <= t_new:
            k = int(state[NEXT])
            when = times[k]
            if when == t_new:
                if event or lands:
                    break  # what comes after the event, or what changes at that time, stands in the sample
                for i in range(n):
                    scratch[i] = z_new[i]
                rates(p, t_new, scratch, slope)
            else:
                half = 1 if when > t + 0.5 * h else 0
                found = True
                if halves:
                    found = between(p, pieces[half], t + (0.5 + 0.25 * half) * h, 0.25 * h, when, scratch, slope)
                elif not (own and landed(method, p, store, t, h, z, f, z_new, f_new, when, scratch, slope)):
                    if not drawn:  # other steps stand in the store by now
                        attempt(method, p, store, t, h, z, f, z_new, f_new, C)
                        draw(method, p, store, t, h, z, f, z_new, f_new, health, C)
                        drawn = True
                    found = between(p, C, t, h, when, scratch, slope)
                if not found:
                    state[BAD] = OPEN
                    return SHORT, taken
            note(p, samples, k, scratch, slope)
            state[NEXT] += 1.0
        if counted:
            state[WORK] += work(p, t, h, C, scratch, slope)
        p.past = min(p.past + 1, 2)
        past_t[0], past_t[1] = past_t[1], t
        for i in range(n):
            past_z[0, i], past_z[1, i], z[i] = past_z[1, i], z[i], z_new[i]
            past_f[0, i], past_f[1, i], f[i] = past_f[1, i], f[i], f_new[i]
        if t_new > t:
            for i in range(n):
                trail[taken, i] = z_new[i]
            for i in range(n - ny):
                trail[taken, n + i] = f_new[ny + i]
            trail[taken, n + n - ny] = state[WORK]
            trail_t[taken] = t_new
            taken += 1
        state[TIME] = t_new
        state[STEPS] += 1.0
        state[GAP] = max(state[GAP], gap)
        state[WORST] = max(state[WORST], weak)
        if state[FIXED] == 0.0 and not event:
            longer = MOST if error == 0.0 else min(MOST, max(0.333, SAFETY * error ** (-1.0 / method.order)))
            if failed:
                longer = min(longer, 1.0)
            if not (lands and longer > 1.0) or h * longer > state[STEP]:
                state[STEP] = h * longer
        failed = False
        ends = verdict(p.pace, state, state[TIME], state[STEPS], z)
        if ends != ON:
            return ends, taken
        if event:
            state[FRESH] = 0.0
            return EVENT, taken
        if stiff:
            state[SMOOTH] = 0.0
            state[STIFF_SIGNS] += 1.0
            if state[STIFF_SIGNS] >= SIGNS:
                state[STIFF_SIGNS] = 0.0
                return STIFF, taken
        elif state[STIFF_SIGNS] > 0.0:
            state[SMOOTH] += 1.0
            if state[SMOOTH] >= 6.0:
                state[STIFF_SIGNS] = 0.0
