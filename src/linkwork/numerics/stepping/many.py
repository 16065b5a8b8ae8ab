"""Many runs of one machine, one after the other in compiled code; several threads share the work.

Each thread has a `Problem` of its own. A run that meets something that the loop alone cannot deal with is left as it
is, with the reason in its report: it is then simulated by itself.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from linkwork.kernels import drive
from linkwork.numerics.stepping.advance import (
    BAR,
    DONE,
    FIXED,
    FRESH,
    LONGEST,
    NEXT,
    PAUSED,
    SICK,
    STATES,
    STEP,
    TIME,
    WORK,
    advance,
    note,
)
from linkwork.numerics.stepping.eliminations import select
from linkwork.numerics.stepping.handle import Handle
from linkwork.numerics.stepping.laws import enter_laws
from linkwork.numerics.stepping.problem import (
    CLOSING,
    NEAR,
    PLACE,
    along,
    balance,
    correct,
    load,
    move,
    rates,
    respond,
    settle,
)

call = drive.call

OPEN = -1.0
"""Instead of a reason: the run's loops do not close at its start."""


class Batch(Handle):
    """Many runs, and room for what comes of them.

    starts : states from which they begin; closed with the run's own numbers when it is done (runs, n)
    settled : values that kernels read from `room` (runs, ...); empty where all runs have the same
    efforts : that do not change (runs, nw); stops : times at which laws have corners, the end last
    held, held_rates : variables that keep their values, and their rates, while the start is closed; like `rows`
    bars : by run, how weak pivots may be, as `BAR`
    Z, A, E : states, accelerations, efforts (runs, samples · n or nw); ends : the last states (runs, n)
    reports : reason, evaluations, then `state` (runs, ...)
    """

    fields = {  # noqa: RUF012
        "starts": "matrix", "settled": "matrix", "room": "floats", "efforts": "matrix", "stops": "floats",
        "held": "table", "held_rates": "table", "Z": "matrix", "A": "matrix", "E": "matrix", "D": "matrix",
        "ends": "matrix", "reports": "matrix", "bars": "floats",
    }  # fmt: skip


@numba.njit(cache=True, nogil=True, error_model="numpy")
def activate(p, rows):  # type: ignore[no-untyped-def]
    """Make these rows the active ones."""
    for r in range(rows.shape[0]):
        for k in range(4):
            p.rows[r, k] = rows[r, k]
    p.count[0] = rows.shape[0]


@numba.njit(cache=True, nogil=True, error_model="numpy")
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


@numba.njit(cache=True, nogil=True, error_model="numpy")
def energy(p, t, z):  # type: ignore[no-untyped-def]
    """Energy [J] of a state."""
    load(p, t, z)
    call(p.energies_at, p.energies_in, p.energies_out)
    return p.kinetic[0] + p.potential[0]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def turned(p, state, z):  # type: ignore[no-untyped-def]
    """At a corner of a law: where the rate of a drive jumps, all rates jump with it, and so does the energy."""
    before = energy(p, state[TIME], z) if p.energies_at else 0.0
    if settle(p, state[TIME], z) < 0.0:
        return False
    if p.energies_at:
        state[WORK] += energy(p, state[TIME], z) - before
    return True


@numba.njit(cache=True, nogil=True, error_model="numpy")
def run_some(method, p, store, samples, batch, active_rows, hold, first, last, longest, fixed):  # type: ignore[no-untyped-def]
    """Runs first ... last - 1.

    active_rows, hold : rows of the drives, which are active in every run
    longest : step [s]; fixed : whether all steps are of this length
    """
    n, nw, nx, count = p.n, p.nw, p.states.size, samples.times.size
    z, f, state = np.empty(n), np.empty(n), np.empty(STATES)
    table, numbers = np.empty((0, 4), np.int64), np.empty((0, 3))
    before, fired = np.empty(0), np.empty(0, np.int64)
    trail_t, trail = np.empty(256), np.empty((256, n + n - p.ny + 1))
    for k in range(first, last):
        for i in range(batch.settled.shape[1]):
            batch.room[i] = batch.settled[k, i]
        for i in range(nw):
            p.given_effort[i] = batch.efforts[k, i]
            p.effort[i] = batch.efforts[k, i]
        for i in range(n):
            z[i] = batch.starts[k, i]
        p.evaluations[0] = 0
        p.count[0] = 0
        select(p, 0)
        store[:] = 0.0
        state[:] = 0.0
        state[LONGEST] = longest
        state[BAR] = batch.bars[k]
        if fixed:
            state[FIXED], state[STEP] = 1.0, longest
        enter_laws(p.law_edges, p.law_starts, p.last, 0.0)
        reason = float(DONE)
        if p.loops and not close(p, batch, z):
            reason = OPEN
        activate(p, active_rows)
        p.hold[: hold.size] = hold
        samples.Z[:] = math.nan
        samples.A[:] = math.nan
        samples.E[:] = 0.0
        for i in range(n):
            batch.starts[k, i] = z[i]
        for s in range(batch.stops.size):
            if reason != DONE:
                break
            state[FRESH] = 0.0
            enter_laws(p.law_edges, p.law_starts, p.last, state[TIME])
            if s > 0 and p.count[0] and not turned(p, state, z):
                reason = float(SICK)
                break
            while True:
                code, _ = advance(
                    method, p, store, state, z, f, batch.stops[s], samples, table, numbers, before, fired, trail_t,
                    trail,
                )  # fmt: skip
                if code != PAUSED:
                    reason = float(code)
                    break
        if reason == DONE and int(state[NEXT]) < count:  # the end itself
            rates(p, state[TIME], z, f)
            for j in range(int(state[NEXT]), count):
                note(p, samples, j, z, f)
        for i in range(n):
            batch.ends[k, i] = z[i]
        for j in range(count):
            for i in range(n):
                batch.Z[k, j * n + i] = samples.Z[j, i]
            for i in range(nw):
                batch.A[k, j * nw + i] = samples.A[j, i]
                batch.E[k, j * nw + i] = samples.E[j, i]
            for i in range(nx):
                batch.D[k, j * nx + i] = samples.D[j, i]
        batch.reports[k, 0] = reason
        batch.reports[k, 1] = float(p.evaluations[0])
        for i in range(STATES):
            batch.reports[k, 2 + i] = state[i]
