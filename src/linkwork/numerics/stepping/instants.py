"""What is done at an instant: events that the loop met, corners of laws, the beginning; without the interpreter.

What only the caller can do is left to it, with a code that says so (`active`).
"""

from __future__ import annotations

import numpy as np

from linkwork.numerics.loops import loop
from linkwork.numerics.stepping.active_rows import (
    ACT,
    ANSWERED,
    BEYOND,
    BY,
    CALLER,
    CHANGED,
    CROSSED,
    CROWDED,
    CROWDS,
    DIRECTION,
    ENDED,
    FULL,
    GRIP,
    GRIP_COLUMN,
    HARD,
    JUMP,
    JUMPS,
    LEAVE,
    LIFT,
    LIMIT,
    LOGGED,
    LOST,
    NOBODY,
    OK,
    ONCE,
    RECENT,
    SIDE_GAP,
    SIDE_WAY,
    SLIP,
    SLIPS,
    SOFT,
    SOFT_LEAVE,
    SOFT_TOUCH,
    STICKS,
    STOP,
    SWITCHED,
    SWITCHES,
    TIMED,
    UNFOLLOWED,
    USUAL,
    WATCHING,
    WHAT,
    WHEN,
    WHICH,
    energy,
    is_driven,
    is_full,
    note,
    note_chapter,
    note_jump,
    see,
    write_rows,
    write_watches,
)
from linkwork.numerics.stepping.advance import FRESH, STEPS, TIME
from linkwork.numerics.stepping.contact_choice import AT_REST, choose, resting
from linkwork.numerics.stepping.crossings import CONDITION, INDEX, KIND, SIGN
from linkwork.numerics.stepping.crossings import GRIP as GRIP_BY
from linkwork.numerics.stepping.impulses import impulse, not_left, strike
from linkwork.numerics.stepping.laws import enter_laws
from linkwork.numerics.stepping.problem import settle
from linkwork.numerics.stepping.watches import below_now, take_sides

TOUCHING, DEEP = 1e-12, 1e-9
"""Distance from a stop [rad, m, or parts of a machine larger than that] that is none, and depth that is too much."""
EARLIEST = 1e-9
"""Time [s] that counts as gone by at least, where events crowd."""
CLOSE = 1e-3
"""Part of the time so far within which events crowd."""


@loop
def crowd(a, state):  # type: ignore[no-untyped-def]
    """Count an event that does something; True when events crowd together without end."""
    k = a.counts[RECENT]
    a.recent[k % CROWDED, 0], a.recent[k % CROWDED, 1] = state[TIME], state[STEPS]
    a.counts[RECENT] = k + 1
    if k + 1 < CROWDED:
        return False
    oldest = (k + 1) % CROWDED
    crowded = state[TIME] - a.recent[oldest, 0] < CLOSE * max(state[TIME], EARLIEST)
    return crowded and state[STEPS] - a.recent[oldest, 1] < a.apart * CROWDED


@loop
def rechoose(p, a, t, z):  # type: ignore[no-untyped-def]
    """The active set anew, where there is something to choose."""
    touching = False
    for k in range(a.touching.size):
        touching = touching or a.touching[k] != 0
    if not touching and a.stuck.size == 0:
        return
    still = np.zeros(a.stuck.size, np.int64)
    resting(p, a, t, z, still)
    choose(p, a, t, z, a.touching.copy(), still, np.zeros(still.size, np.int64))


@loop
def hold_still(p, a, t, z):  # type: ignore[no-untyped-def]
    """An impact without bounce by which driven and locked variables move as they must; what is leant on may be left."""
    kept = a.touching.copy()
    none = np.zeros(kept.size)
    impulse(p, a, t, z, none, kept, none.copy())
    not_left(p, a, t, z, kept, 0.0, a.touching)


@loop
def regrip(p, a, t, z, broken, halted):  # type: ignore[no-untyped-def]
    """Frictions have given way, or their joints have come to rest; False as of `choose`.

    broken : by friction, the way it gives way to; a force that falls below -grip lets its joint go forward (1)
    """
    count = a.stuck.size
    held, still = np.zeros(count, np.int64), np.zeros(count, np.int64)
    before = p.slip.copy()
    for k in range(count):
        held[k] = 1 if a.stuck[k] or p.held[k] else 0
        if halted[k]:
            z[p.ny + a.grips[k, GRIP_COLUMN]] = 0.0
    resting(p, a, t, z, still)
    if not choose(p, a, t, z, a.touching.copy(), still, broken):
        return False
    for k in range(count):
        if broken[k] or halted[k] or held[k]:
            holds = 1 if a.stuck[k] or p.held[k] else 0
            turns = p.slip[k] != 0.0 and p.slip[k] != before[k]
            if held[k] != holds or (halted[k] and (turns or not is_driven(a, a.grips[k, GRIP_COLUMN]))):
                note(a, STICKS if holds else SLIPS, k, t, 0.0, 0.0, 0.0)
    return True


@loop
def act(p, a, state, z, event):  # type: ignore[no-untyped-def]
    """Switch loads, release and lock; event : its number among those with actions. Returns `OK` or `ENDED`."""
    t = state[TIME]
    before = energy(p, t, z)
    for k in range(p.switch.size):
        if a.switching[event, k] >= 0:
            p.switch[k] = a.switching[event, k]
    note_chapter(p, a, t)
    for column in range(a.locked.size):
        if a.locking[event, column] < 0:
            a.locked[column] = 0
    changed = energy(p, t, z)
    note_jump(a, t, changed - before, CHANGED)
    locks = False
    for column in range(a.locked.size):
        if a.locking[event, column] > 0:
            a.locked[column] = 1 + a.places[column]
            a.lock_value[column] = z[a.places[column]]
            locks = True
    if locks:
        hold_still(p, a, t, z)
    note_jump(a, t, energy(p, t, z) - changed, LOST)
    rechoose(p, a, t, z)
    refresh(p, a, state, z)
    return ENDED if a.ending[event] else OK


@loop
def refresh(p, a, state, z):  # type: ignore[no-untyped-def]
    """Rows and watches of the active set as it is now."""
    enter_laws(p.law_edges, p.law_starts, p.last, state[TIME])
    state[FRESH] = 0.0
    write_watches(p, a, state[TIME], z)


@loop
def counts(a, which, sign):  # type: ignore[no-untyped-def]
    """Note that a condition was crossed; whether this way counts. sign : of the side from which it comes."""
    rising = sign < 0
    a.above[which] = 1 if rising else -1
    direction = a.whens[which, DIRECTION]
    if direction != 0 and rising != (direction > 0):
        return False
    if a.whens[which, ONCE]:
        a.spent[which] = 1
    return True


@loop
def crossed(p, a, state, z, which, sign):  # type: ignore[no-untyped-def]
    """A condition is crossed."""
    if not counts(a, which, sign):
        return OK
    note(a, CROSSED, which, state[TIME], 0.0, 0.0, 0.0)
    return OK if a.whens[which, BY] == NOBODY else act(p, a, state, z, which)


@loop
def timed(p, a, state, z, which):  # type: ignore[no-untyped-def]
    """The time of an event has come; which : its number among these."""
    note(a, TIMED, which, state[TIME], 0.0, 0.0, 0.0)
    return act(p, a, state, z, a.whens.shape[0] + which)


@loop
def let_go(p, a, t):  # type: ignore[no-untyped-def]
    """Stops that are left, and elastic ones that are met or left, of all that has fired."""
    for k in range(a.counts[WATCHING]):
        what, which = a.whose[k, WHAT], a.whose[k, WHICH]
        if a.fired[k] and what == LIFT:
            a.touching[which] = 0
            note(a, LEAVE, which, t, 0.0, 0.0, 0.0)
        elif a.fired[k] and what == SOFT:
            left = p.soft[which, 1] == a.watch[k, SIGN]
            a.beyond[which] = 0 if left else 1
            note(a, SOFT_LEAVE if left else SOFT_TOUCH, which, t, 0.0, 0.0, 0.0)


@loop
def regripped(p, a, t, z, broken, halted):  # type: ignore[no-untyped-def]
    """Stops are left, frictions give way or hold; False, and nothing is done, where that has to be asked (`regrip`)."""
    touching, stuck, beyond = a.touching.copy(), a.stuck.copy(), a.beyond.copy()
    held, slip, there = p.held.copy(), p.slip.copy(), z.copy()
    logged, jumps = a.counts[LOGGED], a.counts[JUMPS]
    let_go(p, a, t)
    if regrip(p, a, t, z, broken, halted):
        return True
    a.touching[:], a.stuck[:], a.beyond[:] = touching, stuck, beyond
    p.held[:], p.slip[:], z[:] = held, slip, there
    a.counts[LOGGED], a.counts[JUMPS] = logged, jumps
    return False


@loop
def deal(p, a, state, z):  # type: ignore[no-untyped-def]
    """Deal with all that has fired at this instant; `ACT` if conditions are left, in `fired`, for the caller.

    Formulas that jump come first, and the caller deals with them: `SWITCHES`.
    """
    if is_full(a):
        return FULL
    t, count = state[TIME], a.counts[WATCHING]
    does, ours, switches = False, True, False
    for k in range(count):
        if a.fired[k]:
            what, which = a.whose[k, WHAT], a.whose[k, WHICH]
            does = does or what != WHEN or a.whens[which, BY] != NOBODY
            if what == WHEN and a.whens[which, BY] == CALLER:
                ours = False
            switches = switches or what == JUMP
    if does and a.counts[ANSWERED] == 0 and a.counts[SWITCHED] == 0 and crowd(a, state):
        return CROWDS
    if switches:
        a.counts[SWITCHED] = 1
        return SWITCHES
    broken, halted = np.zeros(a.stuck.size, np.int64), np.zeros(a.stuck.size, np.int64)
    sides = np.zeros(a.touching.size, np.int64)
    strikes, regrips = False, False
    for k in range(count):
        if not a.fired[k]:
            continue
        what, which = a.whose[k, WHAT], a.whose[k, WHICH]
        if what == STOP:
            sides[which] = 1
            strikes = True
        elif what == GRIP:
            broken[which] = a.watch[k, SIGN]
            regrips = True
        elif what == SLIP:
            halted[which] = 1
            regrips = True
        elif what == LIFT:
            regrips = True
    if strikes:
        let_go(p, a, t)
        strike(p, a, t, z, sides)
    elif not regrips:
        let_go(p, a, t)
    elif not regripped(p, a, t, z, broken, halted):
        return HARD
    a.counts[ANSWERED] = 0
    a.counts[SWITCHED] = 0
    if not ours:
        return ACT
    whens, signs = np.empty(count, np.int64), np.empty(count, np.int64)
    crossings = 0
    for k in range(count):
        if a.fired[k] and a.whose[k, WHAT] == WHEN:
            whens[crossings], signs[crossings] = a.whose[k, WHICH], a.watch[k, SIGN]
            crossings += 1
    for i in range(crossings):
        code = crossed(p, a, state, z, whens[i], signs[i])
        if code != OK:
            return code
    return OK


@loop
def at_once(p, a, state, z, f):  # type: ignore[no-untyped-def]
    """Whether something else fires at this very instant: numbers that a jump has carried to their other side."""
    count = a.counts[WATCHING]
    if count == 0:
        return False
    below, some = np.zeros(count, np.int64), False
    below_now(p, a.watch[:count], a.numbers[:count], state[TIME], z, f, np.empty(count), below)
    for k in range(count):
        a.fired[k] = 1 if below[k] and a.sizes[a.whose[k, WHAT], a.whose[k, WHICH]] > 0.0 else 0
        some = some or a.fired[k] != 0
    return some


@loop
def happen(p, a, state, z, f, fired):  # type: ignore[no-untyped-def]
    """Deal with what has fired, if something has, and with all that follows from it at once."""
    while fired:
        code = deal(p, a, state, z)
        if code != OK:
            return code
        write_watches(p, a, state[TIME], z)
        fired = at_once(p, a, state, z, f)
    return OK


@loop
def corner(p, a, state, z):  # type: ignore[no-untyped-def]
    """Enter the next pieces of the laws; where the rate of a drive jumps, all rates jump with it."""
    t = state[TIME]
    enter_laws(p.law_edges, p.law_starts, p.last, t)
    if a.drives.shape[0] and t > 0.0:
        before = energy(p, t, z)
        hold_still(p, a, t, z)
        write_rows(p, a)
        if settle(p, t, z) < 0.0:
            return UNFOLLOWED
        note_jump(a, t, energy(p, t, z) - before, CHANGED)
    rechoose(p, a, t, z)
    return OK


@loop
def first_sides(p, a, t, z):  # type: ignore[no-untyped-def]
    """On which side of zero conditions and switches are: 1, -1, or 0 where rounding leaves that open."""
    whens, count = a.above.size, a.above.size + a.side.size
    if count == 0:
        return
    table = np.zeros((count, 4), np.int64)
    for k in range(count):
        table[k, KIND], table[k, INDEX], table[k, GRIP_BY] = CONDITION, k, -1
    take_sides(p, table, np.zeros((count, 3)), t, z, np.zeros(p.n), np.zeros(count))
    for k in range(whens):
        a.above[k] = table[k, SIGN]
    for k in range(a.side.size):
        a.side[k] = table[whens + k, SIGN]
        p.side[k] = a.side[k]


@loop
def begin(p, a, state, z):  # type: ignore[no-untyped-def]
    """The active set in which the start is; `BEYOND` if it lies behind a stop."""
    t = state[TIME]
    enter_laws(p.law_edges, p.law_starts, p.last, t)
    see(p, t, z)
    write_rows(p, a)
    first_sides(p, a, t, z)
    for s in range(a.beyond.size):
        a.beyond[s] = 1 if p.soft[s, 1] * (p.g[p.soft[s, 0]] - p.soft_numbers[s, 0]) > 0.0 else 0
    near, slow = np.zeros(a.touching.size, np.int64), np.zeros(a.touching.size, np.int64)
    size, meets = max(p.size, USUAL), False
    for k in range(near.size):
        gap, way = a.sides[k, SIDE_GAP], a.sides[k, SIDE_WAY]
        depth = way * (p.g[gap] - a.side_numbers[k, LIMIT])
        if depth > DEEP * size:
            return BEYOND
        if depth > -TOUCHING * size:
            near[k] = 1
            away = -way * p.dg[gap]
            meets = meets or away < -AT_REST
            slow[k] = 1 if away <= AT_REST else 0
    if meets:
        strike(p, a, t, z, near)
    else:
        still = np.zeros(a.stuck.size, np.int64)
        resting(p, a, t, z, still)
        choose(p, a, t, z, slow, still, np.zeros(still.size, np.int64))
    write_watches(p, a, t, z)
    return OK
