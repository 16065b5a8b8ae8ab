"""A simulation from one given time to the next: the loop, and whatever happens on its way."""

from __future__ import annotations

import math

from linkwork.numerics.loops import loop
from linkwork.numerics.stepping.active_rows import (
    ENDS,
    LISTENED,
    OK,
    PAUSES,
    WATCHING,
    is_full,
    note_sides,
    write_watches,
)
from linkwork.numerics.stepping.active_rows import FULL as FULL
from linkwork.numerics.stepping.advance import DONE, EVENT, FRESH, HARDY, NEXT, PAUSED, TIME, advance, note
from linkwork.numerics.stepping.instants import at_once, corner, happen
from linkwork.numerics.stepping.problem import rates


@loop
def follow_up(p, a, state, z, f):  # type: ignore[no-untyped-def]
    """All that follows at once from a jump."""
    return happen(p, a, state, z, f, at_once(p, a, state, z, f))


@loop
def turn(p, a, state, z, f):  # type: ignore[no-untyped-def]
    """At a corner of the laws, or where something was changed from outside: the active set as it is from there.

    What follows from it at once is done too, unless somebody listens.
    """
    if is_full(a):
        return FULL
    code = corner(p, a, state, z)
    if code != OK:
        return code
    state[FRESH] = 0.0
    write_watches(p, a, state[TIME], z)
    return OK if a.counts[LISTENED] else follow_up(p, a, state, z, f)


@loop
def last_samples(p, samples, state, z, f):  # type: ignore[no-untyped-def]
    """Samples up to now that an event or the end left out."""
    for i in range(p.n):
        if not math.isfinite(z[i]):
            return
    while int(state[NEXT]) < samples.times.size and samples.times[int(state[NEXT])] <= state[TIME]:
        rates(p, state[TIME], z, f)
        for i in range(p.n):
            if not math.isfinite(f[i]):
                return
        note(p, samples, int(state[NEXT]), z, f)
        state[NEXT] += 1.0


@loop
def go(method, p, a, store, state, z, f, until, samples, trail_t, trail):  # type: ignore[no-untyped-def]
    """On to a time, through whatever happens; returns why it came back (`advance`, `active`), and the steps taken.

    With a listener, or where the loop is to pause, it comes back at every event: before or after it was dealt with.
    """
    taken = 0
    while True:
        count = a.counts[WATCHING]
        code, more = advance(
            method, p, store, state, z, f, until, samples, a.watch[:count], a.numbers[:count], a.before[:count],
            a.fired[:count], trail_t[taken:], trail[taken:],
        )  # fmt: skip
        taken += more
        note_sides(a)
        if code == DONE and a.counts[ENDS] and until >= a.until:
            last_samples(p, samples, state, z, f)
        if code != EVENT:
            return code, taken
        state[HARDY] = 0.0
        if a.counts[LISTENED]:
            return EVENT, taken
        code = happen(p, a, state, z, f, True)
        store[:] = 0.0
        if code != OK:
            return code, taken
        if state[TIME] >= until:
            return DONE, taken
        if a.counts[PAUSES]:
            return PAUSED, taken
