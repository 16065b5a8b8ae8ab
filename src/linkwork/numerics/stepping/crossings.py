"""Every crossing of a watched number along the interpolant of a step, found by bounds and not by samples.

Over a part of the step all states lie in a box, and a kernel gives bounds of each watched number g and of its change g'
there. A part is decided for a number that cannot fall below zero in it: because its lower bound is above zero, because
it only grows, or because the lines

    g(x) >= g0 + min g' (x - x0),        g(x) >= g1 - max g' (x1 - x)

do not meet below zero; and for a number that only falls, which crosses zero once or not at all. All other parts are
halved, the first half first. So no crossing is overlooked, whatever happens between two places, and the first one comes
first. Bounds know of rounding: what lies within it is neither above nor below zero.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.numerics.kernel_calls import call
from linkwork.numerics.loops import loop
from linkwork.numerics.stepping.problem import load

VARIABLE, RATE, CONDITION, FORCE, GAP_VALUE = 0, 1, 2, 3, 4
"""Kinds of watches: a variable, a rate, an expression, the force of a row, the value of a gap."""
KIND, INDEX, SIGN, GRIP = 0, 1, 2, 3
"""Columns of the table of watches; the number watched is SIGN · (what it is of - offset), and an event when it falls
below zero. A sign of 0 is not known yet: that of the side to which the number goes first. GRIP is the friction that
gives the offset at all times, or -1."""
OFFSET, SIZE, LEFT = 0, 1, 2
"""Columns of the numbers of watches: the offset, the largest number seen so far, and how far from zero the number was
left at its last event."""
LOW, HIGH, SLOPE_LOW, SLOPE_HIGH = 0, 1, 2, 3
"""Columns of a box and of bounds."""
EPSILON = 2.0**-52
NOISE = 1e-14
"""Part of the largest number seen that is no more than rounding, whatever the number is made of."""
SAME = 1e-12
"""Part of the largest number seen below which another one counts as zero at the same instant."""
DEEPEST = 52
"""Halvings of a step."""
PARTS = 4000
"""Parts of a step that are looked at; what is not decided then is judged by the ends of parts."""
SLACK = 64.0
"""Roundings by which a number may be on the wrong side of zero right after its event."""


@loop
def enclose(p, C, t, h, x0, x1):  # type: ignore[no-untyped-def]
    """The box of all states from part x0 to part x1 of a step, and of their change by x, into p.box."""
    m, r = 0.5 * (x0 + x1), 0.5 * (x1 - x0)
    a = np.empty(8)
    for i in range(p.n):
        for k in range(8):
            a[k] = C[k, i]
        for k in range(7):  # about the middle: z(m + s) = Σ a_k s^k
            for j in range(6, k - 1, -1):
                a[j] += m * a[j + 1]
        size, power = 0.0, 1.0
        for k in range(8):
            size += abs(C[k, i]) * power
            power *= x1
        low, high, slope_low, slope_high = a[0], a[0], a[1], a[1]
        power = 1.0
        for k in range(1, 8):
            slope_reach = k * a[k] * power  # of s^(k-1)
            power *= r
            reach = a[k] * power
            if k % 2 == 1:
                low -= abs(reach)
                high += abs(reach)
                if k > 1:
                    slope_low += min(slope_reach, 0.0)
                    slope_high += max(slope_reach, 0.0)
            else:
                low += min(reach, 0.0)
                high += max(reach, 0.0)
                slope_low -= abs(slope_reach)
                slope_high += abs(slope_reach)
        grain = 2.0 * EPSILON * size
        p.box[i, LOW], p.box[i, HIGH] = low - grain, high + grain
        p.box[i, SLOPE_LOW] = slope_low - EPSILON * abs(slope_low)
        p.box[i, SLOPE_HIGH] = slope_high + EPSILON * abs(slope_high)
    grain = EPSILON * (abs(t) + h)
    p.box[p.n, LOW], p.box[p.n, HIGH] = t + x0 * h - grain, t + x1 * h + grain
    p.box[p.n, SLOPE_LOW] = p.box[p.n, SLOPE_HIGH] = h
    normalise_box(p)


@loop
def enclose_state(p, t, z, f):  # type: ignore[no-untyped-def]
    """The box of one state as rounding leaves it, and of its change by time."""
    for i in range(p.n):
        grain = 2.0 * EPSILON * abs(z[i])
        p.box[i, LOW], p.box[i, HIGH] = z[i] - grain, z[i] + grain
        p.box[i, SLOPE_LOW] = p.box[i, SLOPE_HIGH] = f[i]
    p.box[p.n, LOW], p.box[p.n, HIGH] = t - EPSILON * abs(t), t + EPSILON * abs(t)
    p.box[p.n, SLOPE_LOW] = p.box[p.n, SLOPE_HIGH] = 1.0


@loop
def normalise_box(p):  # type: ignore[no-untyped-def]
    """Quaternions of a box and their change, as those of length 1 are: q / |q|, (q' - q (q·q') / |q|²) / |q|."""
    box = p.box
    for k in range(p.turning_y.size):
        q = p.turning_y[k]
        least, most, along_low, along_high = 0.0, 0.0, 0.0, 0.0
        for i in range(q, q + 4):
            small = max(0.0, box[i, LOW], -box[i, HIGH])
            large = max(-box[i, LOW], box[i, HIGH])
            least += small * small
            most += large * large
            low, high = product(box[i, LOW], box[i, HIGH], box[i, SLOPE_LOW], box[i, SLOPE_HIGH])
            along_low += low
            along_high += high
        if not least > 0.0:
            continue  # over half a turn in one part: it will be halved
        turn_low, turn_high = product(along_low, along_high, 1.0 / most, 1.0 / least)
        shorter_low, shorter_high = 1.0 / math.sqrt(most), 1.0 / math.sqrt(least)
        for i in range(q, q + 4):
            low, high = product(box[i, LOW], box[i, HIGH], turn_low, turn_high)
            low, high = box[i, SLOPE_LOW] - high, box[i, SLOPE_HIGH] - low
            box[i, SLOPE_LOW], box[i, SLOPE_HIGH] = product(low, high, shorter_low, shorter_high)
            box[i, LOW], box[i, HIGH] = product(box[i, LOW], box[i, HIGH], shorter_low, shorter_high)


@loop
def product(a, b, c, d):  # type: ignore[no-untyped-def]
    """[a, b] [c, d]."""
    ac, ad, bc, bd = a * c, a * d, b * c, b * d
    return min(ac, ad, bc, bd), max(ac, ad, bc, bd)


@loop
def bound(p, table, numbers, found):  # type: ignore[no-untyped-def]
    """Bounds of all watched numbers over p.box, less their offsets but without their signs, into found (watches, 4)."""
    if p.watched_bounds_at != 0:
        call(p.watched_bounds_at, p.watched_bounds_in, p.watched_bounds_out)
    if p.gaps_bounds_at != 0:
        call(p.gaps_bounds_at, p.gaps_bounds_in, p.gaps_bounds_out)
    for k in range(table.shape[0]):
        kind, index = table[k, KIND], table[k, INDEX]
        for j in range(4):
            if kind == VARIABLE:
                found[k, j] = p.box[index, j]
            elif kind == RATE:
                found[k, j] = p.box[p.ny + index, j]
            elif kind == CONDITION:
                found[k, j] = p.watched_range[index, j]
            elif kind == GAP_VALUE:
                found[k, j] = p.gaps_range[index, j]
            else:
                found[k, j] = 0.0
        offset = numbers[k, OFFSET]
        if offset != 0.0:
            found[k, LOW] -= offset + EPSILON * abs(offset)
            found[k, HIGH] -= offset - EPSILON * abs(offset)


@loop
def bound_at(p, table, numbers, C, t, h, x, found):  # type: ignore[no-untyped-def]
    """Bounds of all watched numbers at a part x of a step: as rounding leaves them."""
    enclose(p, C, t, h, x, x)
    bound(p, table, numbers, found)


@loop
def note_sizes(numbers, found):  # type: ignore[no-untyped-def]
    """Keep how large numbers are."""
    for k in range(found.shape[0]):
        if math.isfinite(found[k, LOW]) and math.isfinite(found[k, HIGH]):
            numbers[k, SIZE] = max(numbers[k, SIZE], abs(0.5 * (found[k, LOW] + found[k, HIGH])))


@loop
def seen_from(sign, low, high):  # type: ignore[no-untyped-def]
    """Bounds of a number times its sign."""
    if sign >= 0:
        return low, high
    return -high, -low


@loop
def grain_of(here, numbers, k, timing):  # type: ignore[no-untyped-def]
    """Rounding of a number at a place: of what it is made of, and of the time at which it is."""
    grain = here[k, HIGH] - here[k, LOW]
    slope = max(abs(here[k, SLOPE_LOW]), abs(here[k, SLOPE_HIGH]))
    if not math.isfinite(grain):
        grain = 0.0
    if math.isfinite(slope):
        grain += slope * timing
    return max(grain, NOISE * numbers[k, SIZE])


@loop
def fallen(p, table, numbers, t, z, f, which):  # type: ignore[no-untyped-def]
    """Which numbers are below zero at a state, by more than rounding and than where their last event left them."""
    count = table.shape[0]
    load(p, t, z)
    enclose_state(p, t, z, f)
    here = np.empty((count, 4))
    bound(p, table, numbers, here)
    for k in range(count):
        which[k] = 0
        if table[k, KIND] == FORCE or table[k, SIGN] == 0:
            continue
        low, high = seen_from(table[k, SIGN], here[k, LOW], here[k, HIGH])
        allowed = SLACK * grain_of(here, numbers, k, EPSILON * abs(t)) + 1.01 * numbers[k, LEFT]
        if 0.5 * (low + high) < -allowed:
            which[k] = 1


@loop
def sides(p, table, numbers, t, z, f):  # type: ignore[no-untyped-def]
    """Give a side to numbers that have none and are not zero at a state."""
    count = table.shape[0]
    enclose_state(p, t, z, f)
    here = np.empty((count, 4))
    bound(p, table, numbers, here)
    for k in range(count):
        if table[k, KIND] == FORCE:
            continue
        if table[k, SIGN] == 0:
            grain = max(NOISE * numbers[k, SIZE], here[k, HIGH] - here[k, LOW])
            if here[k, LOW] > grain:
                table[k, SIGN] = 1
            elif here[k, HIGH] < -grain:
                table[k, SIGN] = -1


@loop
def changes_at(p, table, numbers, t, z, f, found):  # type: ignore[no-untyped-def]
    """How fast numbers change at a state that changes by f, by time; zero where they jump."""
    here = np.empty((table.shape[0], 4))
    enclose_state(p, t, z, f)
    bound(p, table, numbers, here)
    for k in range(table.shape[0]):
        change = 0.5 * (here[k, SLOPE_LOW] + here[k, SLOPE_HIGH])
        found[k] = change if math.isfinite(change) else 0.0


@loop
def judge(table, numbers, k, first, last, over, width, timing, allowed, at_end):  # type: ignore[no-untyped-def]
    """What number k does over a part: 0 no crossing, 1 falls through zero once, 2 not decided; and a side it takes.

    first, last : bounds at both ends; over : between them; width : of the part; allowed : what it may begin below zero
    at_end : whether to judge by the end alone
    """
    grain = max(min(grain_of(first, numbers, k, timing), grain_of(last, numbers, k, timing)), allowed)
    sign = table[k, SIGN]
    if sign == 0:
        if over[k, SLOPE_LOW] > 0.0 or over[k, LOW] > grain:
            return 0, 1
        if over[k, SLOPE_HIGH] < 0.0 or over[k, HIGH] < -grain:
            return 0, -1
        if (over[k, LOW] >= -grain and over[k, HIGH] <= grain) or math.isnan(over[k, LOW]):
            return 0, 0
        if at_end:
            if last[k, LOW] > grain:
                return 0, 1
            return 0, -1 if last[k, HIGH] < -grain else 0
        return 2, 0
    low, high = seen_from(sign, first[k, LOW], first[k, HIGH])
    if 0.5 * (low + high) < -SLACK * max(grain, grain_of(first, numbers, k, timing)):
        return 1, sign  # behind a pole, or a jump narrower than any part
    low, high = seen_from(sign, over[k, LOW], over[k, HIGH])
    steepest, flattest = seen_from(sign, over[k, SLOPE_LOW], over[k, SLOPE_HIGH])
    if low >= -grain or math.isnan(low) or steepest >= 0.0:
        return 0, sign
    end_low, end_high = seen_from(sign, last[k, LOW], last[k, HIGH])
    below = 0.5 * (end_low + end_high) < -grain
    if flattest <= 0.0 or at_end:
        return 1 if below else 0, sign
    if not below and math.isfinite(steepest) and math.isfinite(flattest):
        begin = max(seen_from(sign, first[k, LOW], first[k, HIGH])[0], -grain)
        least = (begin * flattest - end_low * steepest + steepest * flattest * width) / (flattest - steepest)
        if least >= -grain:
            return 0, sign
    return 2, sign


@loop
def first_bounded(p, table, numbers, t, h, C, fired):  # type: ignore[no-untyped-def]
    """Part of a step at which the first watched number falls below zero, 2.0 if none does; which ones in `fired`.

    Forces of rows are left out: they are no expressions. Returns that part, and whether all parts were decided.
    """
    count = table.shape[0]
    ends, places = np.empty((DEEPEST + 2, count, 4)), np.empty(DEEPEST + 2)
    first, over, allowed = np.empty((count, 4)), np.empty((count, 4)), np.empty(count)
    crossing = np.zeros(count, np.int64)
    timing = 2.0 * EPSILON * (abs(t) + h) / h
    bound_at(p, table, numbers, C, t, h, 0.0, first)
    at_once = False
    for k in range(count):
        fired[k] = 0
        allowed[k] = 0.0
        if table[k, KIND] == FORCE or table[k, SIGN] == 0:
            continue
        low, high = seen_from(table[k, SIGN], first[k, LOW], first[k, HIGH])
        below = -0.5 * (low + high)
        if below > SLACK * grain_of(first, numbers, k, timing) + 1.01 * numbers[k, LEFT]:
            fired[k] = 1
            at_once = True
        elif below > 0.0:
            allowed[k] = 2.0 * below
    if at_once:
        return 0.0, True
    places[0] = 1.0
    bound_at(p, table, numbers, C, t, h, 1.0, ends[0])
    note_sizes(numbers, ends[0])
    top, x0, parts, decided = 0, 0.0, 0, True
    while top >= 0:
        x1 = places[top]
        parts += 1
        shortest = top >= DEEPEST or x1 - x0 <= timing or parts > PARTS
        if parts > PARTS:
            decided = False
        enclose(p, C, t, h, x0, x1)
        bound(p, table, numbers, over)
        found, open_ = False, False
        for k in range(count):
            crossing[k] = 0
            if table[k, KIND] == FORCE:
                continue
            says, side = judge(
                table, numbers, k, first, ends[top], over, x1 - x0, timing, allowed[k], shortest
            )  # fmt: skip
            if says != 2:
                table[k, SIGN] = side
            if says == 1:
                crossing[k] = 1
                found = True
            elif says == 2:
                open_ = True
        if open_:
            middle = 0.5 * (x0 + x1)
            top += 1
            places[top] = middle
            bound_at(p, table, numbers, C, t, h, middle, ends[top])
            continue
        if found:
            return pinned(p, table, numbers, C, t, h, x0, x1, timing, allowed, crossing, fired), decided
        x0 = x1
        first[:] = ends[top]
        top -= 1
    return 2.0, decided


@loop
def pinned(p, table, numbers, C, t, h, x0, x1, timing, allowed, crossing, fired):  # type: ignore[no-untyped-def]
    """Where between x0 and x1 the first of the numbers that only fall there is below zero; it and its like fire."""
    count = table.shape[0]
    here = np.empty((count, 4))
    low, high, x, hair = x0, x1, x1, 0.1 * timing
    while high - low > 0.25 * timing:
        bound_at(p, table, numbers, C, t, h, x, here)
        below, guess = False, math.inf
        for k in range(count):
            if crossing[k]:
                least, most = seen_from(table[k, SIGN], here[k, LOW], here[k, HIGH])
                steepest, flattest = seen_from(table[k, SIGN], here[k, SLOPE_LOW], here[k, SLOPE_HIGH])
                below = below or least + most < 0.0
                guess = min(guess, x - (least + most) / (steepest + flattest))  # Newton's step
        if below:
            high = x
            x = min(guess, high) - hair
        else:
            low = x
            x = max(guess, low) + hair
        hair *= 8.0  # by which the end is brought along that would stay behind; rounding ends it
        if not low < x < high:
            x = 0.5 * (low + high)
            if not low < x < high:
                break
    high = max(high, min(0.5 * timing, x1))  # at a later instant than the step begins, or it would begin there again
    bound_at(p, table, numbers, C, t, h, high, here)
    for k in range(count):
        if crossing[k]:
            least, most = seen_from(table[k, SIGN], here[k, LOW], here[k, HIGH])
            near = max(SAME * numbers[k, SIZE], 4.0 * grain_of(here, numbers, k, timing))
            fired[k] = 1 if 0.5 * (least + most) <= near else 0
    return high
