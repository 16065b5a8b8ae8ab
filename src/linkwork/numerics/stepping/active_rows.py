"""Which constraints are on: stops that are leant on, frictions that hold, variables that are locked, as arrays.

The active set is data. From it follow the rows that are active in a `Problem`, and the numbers that are watched: each
of these is positive while the set stays as it is. What happens is written into a log of numbers; records with names
and units are made of it afterwards.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from linkwork.numerics.kernel_calls import call
from linkwork.numerics.loops import loop
from linkwork.numerics.stepping.crossings import CONDITION, FORCE, GAP_VALUE, LEFT, OFFSET, RATE, SIGN, SIZE
from linkwork.numerics.stepping.handle import Handle, Template
from linkwork.numerics.stepping.problem import GAP, PRESSED, STUCK, UNIT, load

STOP, LIFT, SOFT, WHEN, SLIP, GRIP, JUMP = range(7)
"""What is watched for: a stop is met; it is left; an elastic one is met or left; a condition; slipping ends; so does
holding; a formula jumps."""
KINDS = 7
WHAT, WHICH = 0, 1
"""Columns of `whose`."""
SIDE_GAP, SIDE_WAY = 0, 1
"""Columns of `sides`: the gap that is limited; 1 from above, -1 from below."""
LIMIT, RESTITUTION = 0, 1
"""Columns of `side_numbers`."""
GRIP_COLUMN, GRIP_PLACE, GRIP_LOAD = 0, 1, 2
"""Columns of `grips`: the rate, its variable, the number among the loads."""
DIRECTION, ONCE, BY = 0, 1, 2
"""Columns of `whens`: 1 where rising counts, -1 falling, 0 both; whether the first crossing counts alone; who acts."""
NOBODY, LOOP, CALLER = 0, 1, 2
"""Who does what an event is for: there is nothing to do; this loop; whoever called it."""
WATCHING, LOGGED, JUMPS, CHAPTERS, RECENT, JUMPED, ROWS, LISTENED, PAUSES, ANSWERED, FRICTIONS, TOUCHED = range(12)
SWITCHED, ENDS = 12, 13
"""Columns of `counts`: numbers that are watched; rows of `log`, `jumps`, `chapters`; events so far; whether rates have
jumped and rows of that jump; whether somebody listens to events; whether the loop pauses after each; whether the
question in `question` is answered (1, or 2 by no), and how many frictions and stops it is of; whether formulas have
jumped at this instant; whether nothing comes at the end of the run but its last samples."""
COUNTS = 14
IMPACT, REST, LEAVE, SOFT_TOUCH, SOFT_LEAVE, STICKS, SLIPS, CROSSED, TIMED = range(9)
"""Kinds of rows of `log`: (kind, which, time, three numbers). Of an impact speed, impulse, and whether it stays; of
what comes to rest the bounces."""
LOG = 6
LOST, CHANGED = 0.0, 1.0
"""Kinds of rows of `jumps`, (time, jump of the energy [J], kind): in impacts, or by what events and drives change."""
OK, ACT, HARD, CROWDS, FULL, ENDED, UNFOLLOWED, BEYOND, SWITCHES = 0, 11, 12, 13, 14, 15, 16, 17, 18
"""What comes of an event: the loop goes on; the caller has to act; it has to find out whether frictions are relieved;
events crowd without end; the log is full, and nothing was done yet; the run ends; drives cannot be followed; the start
lies beyond a stop; formulas jump, and nothing else was done yet."""
CROWDED = 2000
"""Events that are looked at together."""
USUAL = 1.0
"""Size of a gap [rad, m] that is usual whatever the machine's size."""


class Active(Handle):
    """The active set of a simulation; each thread has its own.

    sides, side_numbers : of rigid stops; grips : exact frictions; whens : conditions; drives : rows that always are on
    places : by rate the place of its variable, -1 of none
    switching : by event with actions and load, 1 on, 0 off, -1 as it is; locking : by event and rate, 1 locked,
        -1 released, 0 as it is; ending : by event, 1 where it ends the run. Conditions come first, then times
    touching : by side, whether it is leant on; stuck : by friction, whether it holds by a row of its own
    locked, lock_value : by rate, 1 + the place of the variable that is held, and where
    spent : by condition, whether it counts no more; above : 1 above zero, -1 below, 0 while it has not left zero
    beyond : by elastic stop, whether it is pressed; bounces : by side, impacts so far
    watch, numbers, before, fired : what the loop takes (`watches`); whose : what for, and of whom
    sizes, left : by what and whom, the largest number seen, and how far from zero the last event left it
    side : by switch of the formulas that jump, its side (`equations.switching`); smoothed : whether it is smoothed,
        and watched no more
    row_of_side, row_of_grip : which rows they have
    log, jumps, chapters : what happened, as numbers; chapters : time, then by load whether it is on
    recent : times and steps of the last events
    jump_... : state before the rates jumped last, rows of that jump, and restitution by row
    question, question_of : S of frictions and stops, and (b0, grips forward and backward, way given to or side)
    answer : forces that relieve the frictions that have given way
    until : end of the run [s]; apart : steps an event from which on events do not crowd
    """

    fields = {  # noqa: RUF012
        "until": "float", "apart": "float",
        **dict.fromkeys(("sides", "grips", "whens", "drives", "switching", "locking", "watch", "whose", "jump_rows"),
                        "table"),
        **dict.fromkeys(("places", "ending", "touching", "stuck", "locked", "spent", "above", "beyond", "bounces",
                         "fired", "row_of_side", "row_of_grip", "taken", "counts", "smoothed"), "integers"),
        **dict.fromkeys(("lock_value", "before", "jump_before", "jump_bounce", "answer", "side"), "floats"),
        **dict.fromkeys(("side_numbers", "numbers", "sizes", "left", "log", "jumps", "chapters", "recent", "question",
                         "question_of"), "matrix"),
    }  # fmt: skip


def active_set(
    n: int,
    sides: list[tuple[int, int, float, float]],
    soft: int,
    grips: list[tuple[int, int, int]],
    whens: list[tuple[int, int, int]],
    drives: list[tuple[int, int, int]],
    places: list[int],
    switching: list[list[int]],
    locking: list[list[int]],
    ending: list[int],
    loads: int,
    rows: int,
    until: float,
    apart: float,
    room: int = 1024,
    switches: int = 0,
) -> Active:
    """Fresh arrays, with nothing on; n : size of the state; soft : elastic stops; room : rows of the log; switches : of
    formulas that jump."""
    made: Active = _blank(
        n, len(sides), soft, len(grips), len(whens), len(drives), len(places), len(ending), loads, rows, room, switches
    ).copy()
    made.until = float(until)
    made.apart = float(apart)
    made.places[:] = places
    if sides:
        made.sides[:], made.side_numbers[:] = [s[:2] for s in sides], [s[2:] for s in sides]
    if drives:
        made.drives[:] = [(UNIT, *d) for d in drives]
    for name, rows_ in (("grips", grips), ("whens", whens), ("switching", switching), ("locking", locking)):
        if rows_:
            getattr(made, name)[:] = rows_
    if ending:
        made.ending[:] = ending
    return made


@lru_cache(maxsize=64)
def _blank(
    n: int, ns: int, soft: int, nf: int, nc: int, nd: int, nw: int, acting: int, loads: int, rows: int, room: int,
    switches: int,
) -> Template:  # fmt: skip
    """An active set of these sizes: states, stops, elastic ones, frictions, conditions, drives, rates, events with
    actions, loads, rows, rows of the log, switches."""
    most = ns + soft + nc + 2 * nf + switches
    sizes = (KINDS, max(ns, soft, nc, nf, switches, 1))
    zeros, whole = np.zeros, np.int64
    return Template(Active(
        until=0.0, apart=0.0, sides=zeros((ns, 2), whole), side_numbers=zeros((ns, 2)), grips=zeros((nf, 3), whole),
        whens=zeros((nc, 3), whole), drives=zeros((nd, 4), whole), places=zeros(nw, whole),
        switching=zeros((acting, loads), whole), locking=zeros((acting, nw), whole), ending=zeros(acting, whole),
        touching=zeros(ns, whole), stuck=zeros(nf, whole), locked=zeros(nw, whole), lock_value=zeros(nw),
        spent=zeros(nc, whole), above=zeros(nc, whole), beyond=zeros(soft, whole), bounces=zeros(ns, whole),
        watch=zeros((most, 4), whole), whose=zeros((most, 2), whole), numbers=zeros((most, 3)), before=zeros(most),
        fired=zeros(most, whole), sizes=zeros(sizes), left=zeros(sizes), side=zeros(switches),
        smoothed=zeros(switches, whole), row_of_side=zeros(ns, whole),
        row_of_grip=zeros(nf, whole), taken=zeros(nw, whole), counts=zeros(COUNTS, whole), log=zeros((room, LOG)),
        jumps=zeros((room, 3)), chapters=zeros((room, 1 + loads)), recent=zeros((CROWDED, 2)), jump_before=zeros(n),
        jump_rows=zeros((rows, 4), whole), jump_bounce=zeros(rows), question=zeros((nf + ns, nf + ns)),
        question_of=zeros((nf + ns, 4)), answer=zeros(nf + ns),
    ))  # fmt: skip


@loop
def clear(a):  # type: ignore[no-untyped-def]
    """Nothing is on, nothing has happened; logs stay."""
    a.touching[:] = 0
    a.stuck[:] = 0
    a.locked[:] = 0
    a.spent[:] = 0
    a.above[:] = 0
    a.beyond[:] = 0
    a.bounces[:] = 0
    a.sizes[:] = 0.0
    a.left[:] = 0.0
    a.side[:] = 0.0
    a.smoothed[:] = 0
    a.counts[WATCHING] = 0
    a.counts[RECENT] = 0
    a.counts[JUMPED] = 0
    a.counts[ANSWERED] = 0
    a.counts[SWITCHED] = 0


@loop
def see(p, t, z):  # type: ignore[no-untyped-def]
    """Gaps and conditions at a state."""
    load(p, t, z)
    if p.gaps_at != 0:
        call(p.gaps_at, p.gaps_in, p.gaps_out)
    if p.watched_at != 0:
        call(p.watched_at, p.watched_in, p.watched_out)


@loop
def put_row(p, r, kind, column, place, law, hold):  # type: ignore[no-untyped-def]
    """One active row."""
    p.rows[r, 0], p.rows[r, 1], p.rows[r, 2], p.rows[r, 3] = kind, column, place, law
    p.hold[r] = hold


@loop
def write_rows(p, a):  # type: ignore[no-untyped-def]
    """Make the rows of the active set those of the problem, at whose p.y frictions hold; returns how many of them are
    of drives and locks, which come first."""
    r = 0
    a.taken[:] = 0
    for d in range(a.drives.shape[0]):
        put_row(p, r, UNIT, a.drives[d, 1], a.drives[d, 2], a.drives[d, 3], 0.0)
        a.taken[a.drives[d, 1]] = 1
        r += 1
    for column in range(a.locked.size):
        if a.locked[column] and not a.taken[column]:
            put_row(p, r, UNIT, column, a.locked[column] - 1, -1, a.lock_value[column])
            a.taken[column] = 1
            r += 1
    always = r
    for k in range(a.touching.size):
        if a.touching[k]:
            put_row(p, r, GAP, a.sides[k, SIDE_GAP], 0, -1, a.side_numbers[k, LIMIT])
            a.row_of_side[k] = r
            r += 1
    for k in range(a.stuck.size):
        if a.stuck[k] and not a.taken[a.grips[k, GRIP_COLUMN]]:
            column, place = a.grips[k, GRIP_COLUMN], a.grips[k, GRIP_PLACE]
            put_row(p, r, UNIT, column, place, STUCK - k, p.y[place])
            a.taken[column] = 1
            a.row_of_grip[k] = r
            r += 1
    p.count[0] = r
    for k in range(a.side.size):
        p.side[k] = a.side[k]
    for s in range(a.beyond.size):
        p.soft[s, PRESSED] = a.beyond[s]
    return always


@loop
def put_watch(a, what, which, kind, index, sign, offset, grip, usual):  # type: ignore[no-untyped-def]
    """One number that is watched; usual : a size that it has in any case, near which rounding is seen as what it is."""
    k = a.counts[WATCHING]
    a.watch[k, 0], a.watch[k, 1], a.watch[k, 2], a.watch[k, 3] = kind, index, sign, grip
    a.numbers[k, OFFSET], a.numbers[k, SIZE] = offset, max(a.sizes[what, which], usual)
    a.numbers[k, LEFT] = a.left[what, which]
    a.whose[k, WHAT], a.whose[k, WHICH] = what, which
    a.before[k], a.fired[k] = 0.0, 0
    a.counts[WATCHING] = k + 1


@loop
def is_driven(a, column):  # type: ignore[no-untyped-def]
    """Whether a rate follows a law."""
    found = False
    for d in range(a.drives.shape[0]):
        found = found or a.drives[d, 1] == column
    return found


@loop
def write_watches(p, a, t, z):  # type: ignore[no-untyped-def]
    """The rows of the active set, and what ends it."""
    see(p, t, z)
    write_rows(p, a)
    a.counts[WATCHING] = 0
    size = max(p.size, USUAL)
    for k in range(a.touching.size):
        way = a.sides[k, SIDE_WAY]
        if a.touching[k]:
            put_watch(a, LIFT, k, FORCE, a.row_of_side[k], -way, 0.0, -1, 0.0)
        else:
            put_watch(a, STOP, k, GAP_VALUE, a.sides[k, SIDE_GAP], -way, a.side_numbers[k, LIMIT], -1, size)
    for k in range(a.beyond.size):
        way = p.soft[k, 1] if a.beyond[k] else -p.soft[k, 1]
        put_watch(a, SOFT, k, GAP_VALUE, p.soft[k, 0], way, p.soft_numbers[k, 0], -1, size)
    for k in range(a.spent.size):
        if not a.spent[k]:
            put_watch(a, WHEN, k, CONDITION, k, a.above[k], 0.0, -1, 0.0)
    for k in range(a.side.size):
        if not a.smoothed[k]:
            put_watch(a, JUMP, k, CONDITION, a.above.size + k, int(a.side[k]), 0.0, -1, 0.0)
    for k in range(a.stuck.size):
        if a.stuck[k]:
            usual = max(p.grip[k, 0], p.grip[k, 1])
            put_watch(a, GRIP, k, FORCE, a.row_of_grip[k], 1, 0.0, k, usual)
            put_watch(a, GRIP, k, FORCE, a.row_of_grip[k], -1, 0.0, k, usual)
        elif not p.held[k] and p.slip[k] != 0.0:
            sign = 1 if p.slip[k] > 0.0 else -1
            put_watch(a, SLIP, k, RATE, a.grips[k, GRIP_COLUMN], sign, 0.0, -1, 0.0)
        elif is_driven(a, a.grips[k, GRIP_COLUMN]):  # its law dwells, until it goes somewhere
            put_watch(a, SLIP, k, RATE, a.grips[k, GRIP_COLUMN], 1, 0.0, -1, 0.0)
            put_watch(a, SLIP, k, RATE, a.grips[k, GRIP_COLUMN], -1, 0.0, -1, 0.0)


@loop
def note_sides(a):  # type: ignore[no-untyped-def]
    """What the loop has learned of watched numbers: how large they are, how far from zero, and on which side."""
    for k in range(a.counts[WATCHING]):
        what, which = a.whose[k, WHAT], a.whose[k, WHICH]
        a.sizes[what, which], a.left[what, which] = a.numbers[k, SIZE], a.numbers[k, LEFT]
        if what == WHEN:
            a.above[which] = a.watch[k, SIGN]
        elif what == JUMP:
            a.side[which] = a.watch[k, SIGN]


@loop
def energy(p, t, z):  # type: ignore[no-untyped-def]
    """Energy [J] of a state; 0 where nobody asks for it."""
    if p.energies_at == 0:
        return 0.0
    load(p, t, z)
    call(p.energies_at, p.energies_in, p.energies_out)
    return p.kinetic[0] + p.potential[0]


@loop
def note(a, kind, which, t, x, y, z):  # type: ignore[no-untyped-def]
    """Write down what happened."""
    k = a.counts[LOGGED]
    a.log[k, 0], a.log[k, 1], a.log[k, 2] = kind, which, t
    a.log[k, 3], a.log[k, 4], a.log[k, 5] = x, y, z
    a.counts[LOGGED] = k + 1


@loop
def note_jump(a, t, jump, kind):  # type: ignore[no-untyped-def]
    """Write down a jump of the energy [J]."""
    k = a.counts[JUMPS]
    a.jumps[k, 0], a.jumps[k, 1], a.jumps[k, 2] = t, jump, kind
    a.counts[JUMPS] = k + 1


@loop
def note_chapter(p, a, t):  # type: ignore[no-untyped-def]
    """From now on energies are those with the loads as they are."""
    k = a.counts[CHAPTERS]
    a.chapters[k, 0] = t
    for i in range(p.switch.size):
        a.chapters[k, 1 + i] = p.switch[i]
    a.counts[CHAPTERS] = k + 1


@loop
def is_full(a):  # type: ignore[no-untyped-def]
    """Whether the logs might not hold what happens next."""
    most = a.touching.size + a.beyond.size + 2 * a.stuck.size + a.spent.size + 4
    return max(a.counts[LOGGED], max(a.counts[JUMPS], a.counts[CHAPTERS])) + 2 * most > a.log.shape[0]
