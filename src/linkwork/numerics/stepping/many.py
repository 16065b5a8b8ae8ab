"""Many runs of one machine, one after the other in compiled code; several threads share the work.

Each thread has a `Problem` of its own. A run that meets something that the loop alone cannot deal with is left as it
is, with the reason in its report: it is then simulated by itself.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.numerics.kernel_calls import call
from linkwork.numerics.loops import loop
from linkwork.numerics.stepping.active_rows import CHAPTERS, ENDED, FULL, JUMPS, LOGGED, OK, clear, energy, is_full
from linkwork.numerics.stepping.advance import BAR, DONE, FIXED, LONGEST, NEXT, PAUSED, STATES, STEP, TIME
from linkwork.numerics.stepping.driver import go, last_samples, turn
from linkwork.numerics.stepping.eliminations import select
from linkwork.numerics.stepping.handle import Handle
from linkwork.numerics.stepping.instants import begin, happen, timed
from linkwork.numerics.stepping.laws import enter_laws
from linkwork.numerics.stepping.problem import CLOSING, NEAR, PLACE, along, balance, correct, load, move, respond
from linkwork.numerics.stepping.runaway import END, ENDLESS, OUT_OF_REACH, RUNAWAY

OPEN = -1.0
"""Instead of a reason: the run's loops do not close at its start."""
REASON, EVALUATIONS, JUMPED_BY, GAINED, FIRST, LAST, OF_STATE = range(7)
"""Columns of `reports`: why the run ended; evaluations; jumps of the energy on the way, and what it gained in all [J];
rows of the log that are its own; then `state`."""


class Batch(Handle):
    """Many runs, and room for what comes of them.

    starts : states from which they begin; closed with the run's own numbers when it is done (runs, n)
    settled : values that kernels read from `room` (runs, ...); empty where all runs have the same
    efforts : that do not change (runs, nw); stops : times at which laws have corners or something is done, the end last
    times : of events at given times [s]
    held, held_rates : variables that keep their values, and their rates, while the start is closed; like `rows`
    bars : by run, how weak pivots may be, as `BAR`
    Z, A, E : states, accelerations, efforts (runs, samples · n or nw); ends : the last states (runs, n)
    reports : (runs, OF_STATE + STATES)
    """

    shared = True
    fields = {  # noqa: RUF012
        "starts": "matrix", "settled": "matrix", "room": "floats", "efforts": "matrix", "stops": "floats",
        "times": "floats", "held": "table", "held_rates": "table", "Z": "matrix", "A": "matrix", "E": "matrix",
        "D": "matrix", "ends": "matrix", "reports": "matrix", "bars": "floats",
    }  # fmt: skip


@loop
def activate(p, rows):  # type: ignore[no-untyped-def]
    """Make these rows the active ones."""
    for r in range(rows.shape[0]):
        for k in range(4):
            p.rows[r, k] = rows[r, k]
    p.count[0] = rows.shape[0]


@loop
def close(p, batch, z):  # type: ignore[no-untyped-def]
    """z onto the run's loops in place, with what is held staying where it is; False if they do not close."""
    activate(p, batch.held)
    for r in range(p.count[0]):
        p.hold[r] = z[p.rows[r, PLACE]]
    load(p, 0.0, z)
    closed = False
    for _ in range(CLOSING):
        size = correct(p, 0.0, 0)
        if not math.isfinite(size):
            return False
        if size > 1e-15:
            move(p, p.y, p.x)
        if size < NEAR:
            closed = True
            break
    activate(p, batch.held_rates)
    call(p.mismatch_at, p.mismatch_in, p.mismatch_out)
    respond(p)
    for i in range(p.missing.size):
        p.missing[i] = p.de[i]
    for i in range(p.nw):
        p.push[i] = 0.0
    call(p.response_at, p.response_in, p.response_out)
    for r in range(p.count[0]):  # rates that are held do not change
        p.wanted[r] = -along(p, r, p.x)
    balance(p)
    for i in range(p.ny):
        z[i] = p.y[i]
    for i in range(p.nw):
        z[p.ny + i] = p.w[i] + p.x[i]
        for r in range(p.count[0]):
            z[p.ny + i] += p.force[r] * p.X[r, i]
    return closed


@loop
def folded(a):  # type: ignore[no-untyped-def]
    """The jumps of the energy [J] that were logged, taken out of the log, with the times at which loads changed."""
    total = 0.0
    for k in range(a.counts[JUMPS]):
        total += a.jumps[k, 1]
    a.counts[JUMPS] = 0
    a.counts[CHAPTERS] = 0
    return total


@loop
def run_through(method, p, a, store, samples, batch, state, z, f, trail_t, trail):  # type: ignore[no-untyped-def]
    """A run from its start to its end, or to what the loop alone cannot deal with; returns why, and the jumps of the
    energy [J]."""
    due, jumps, until = 0, 0.0, batch.stops[batch.stops.size - 1]
    code = begin(p, a, state, z)
    if code != OK:
        return code, jumps
    while True:
        while due < batch.times.size and batch.times[due] <= state[TIME]:
            jumps += folded(a)
            if is_full(a):
                return FULL, jumps
            code = timed(p, a, state, z, due)
            due += 1
            if code != OK:
                return code, jumps + folded(a)
        if state[TIME] >= until:
            return DONE, jumps + folded(a)
        target = until
        for s in range(batch.stops.size - 1, -1, -1):
            if batch.stops[s] > state[TIME]:
                target = batch.stops[s]
        jumps += folded(a)
        code = turn(p, a, state, z, f)
        while True:
            if code == FULL:
                jumps += folded(a)
                if is_full(a):
                    return FULL, jumps
                code = happen(p, a, state, z, f, True)
                store[:] = 0.0
                continue
            if code != OK and code != PAUSED:
                break
            code, taken = go(method, p, a, store, state, z, f, target, samples, trail_t, trail)
            if code == DONE:
                break
            if code == PAUSED and taken > 1 and state[FIXED] == 0.0:
                pace = (trail_t[taken - 1] - trail_t[0]) / taken
                if pace * OUT_OF_REACH < until - state[TIME]:  # it crawls: a run by itself asks whether it gets on
                    return PAUSED, jumps + folded(a)
        if code != DONE:
            return code, jumps + folded(a)


@loop
def run_some(method, p, a, store, samples, batch, first, last, longest, fixed):  # type: ignore[no-untyped-def]
    """Runs first ... last - 1; returns the next one to do, which is another where the log is full before it is done.

    longest : step [s]; fixed : whether all steps are of this length
    """
    n, nw, nx, count = p.n, p.nw, p.states.size, samples.times.size
    z, f, state = np.empty(n), np.empty(n), np.empty(STATES)
    trail_t, trail = np.empty(256), np.empty((256, n + n - p.ny + 1))
    for k in range(first, last):
        logged = a.counts[LOGGED]
        for i in range(batch.settled.shape[1]):
            batch.room[i] = batch.settled[k, i]
        for i in range(nw):
            p.given_effort[i] = batch.efforts[k, i]
            p.effort[i] = batch.efforts[k, i]
        for i in range(n):
            z[i] = batch.starts[k, i]
        clear(a)
        p.slip[:] = 0.0
        p.switch[:] = 1.0
        p.held[:] = 0
        p.evaluations[0] = 0
        p.count[0] = 0
        select(p, 0)
        store[:] = 0.0
        state[:] = 0.0
        state[LONGEST], state[END] = longest, batch.stops[batch.stops.size - 1]
        state[BAR] = batch.bars[k]
        if fixed:
            state[FIXED], state[STEP] = 1.0, longest
        enter_laws(p.law_edges, p.law_starts, p.last, 0.0)
        samples.Z[:] = math.nan
        samples.A[:] = math.nan
        samples.E[:] = 0.0
        samples.P[:] = 0.0
        samples.H[:] = 0.0
        reason, jumps, gained = OPEN, 0.0, 0.0
        if p.loops == 0 or close(p, batch, z):
            for i in range(n):
                batch.starts[k, i] = z[i]
            gained = -energy(p, 0.0, z)
            code, jumps = run_through(method, p, a, store, samples, batch, state, z, f, trail_t, trail)
            if code == FULL and logged:
                a.counts[LOGGED] = logged
                return k
            reason = float(code)
        if reason in (DONE, ENDED, RUNAWAY, ENDLESS):
            last_samples(p, samples, state, z, f)
            gained += energy(p, state[TIME], z)
        for i in range(n):
            batch.ends[k, i] = z[i]
        reached = int(state[NEXT])
        for j in range(count):
            for i in range(n):
                batch.Z[k, j * n + i] = samples.Z[j, i]
            for i in range(nw):
                batch.A[k, j * nw + i] = samples.A[j, i]
                batch.E[k, j * nw + i] = samples.E[j, i] if j < reached else math.nan
            for i in range(nx):
                batch.D[k, j * nx + i] = samples.D[j, i]
        batch.reports[k, REASON] = reason
        batch.reports[k, EVALUATIONS] = float(p.evaluations[0])
        batch.reports[k, JUMPED_BY], batch.reports[k, GAINED] = jumps, gained
        batch.reports[k, FIRST], batch.reports[k, LAST] = logged, a.counts[LOGGED]
        for i in range(STATES):
            batch.reports[k, OF_STATE + i] = state[i]
    return last
