"""Whether rows of the loops lose rank on a step, told from postures at which that was found out before.

Where pivots of all known eliminations are weak, it is the rows that lose rank, or a better order of pivots is to be
found. Singular values tell which, and they take long. But they move no more than the matrix does (Weyl, 1912),

    σ_r(J) <= σ_r(J_k) + |J - J_k|

so that a machine that comes back to a posture where rows were seen to lose rank needs none.
"""

from __future__ import annotations

import math

from linkwork.numerics.kernel_calls import call
from linkwork.numerics.loops import loop

REACH, PLACES, FINER = 1.5, 25, 9
"""How far ahead is looked, in steps; in how many places, and in how many around the one that was least."""
LOST = 0.03
"""Part of their usual independence below which rows lose rank."""
SLACK = 10.0
"""How much weaker than the rows pivots may be."""
ONWARD = 100.0
"""How much weaker pivots must become before it is looked at again, where nothing better is to be found."""
ANY = 1e300
"""As often weaker as may be, until pivots are strong again."""


@loop
def bound_here(p):  # type: ignore[no-untyped-def]
    """An upper bound of the independence of the rows at p.y, as a part of the usual one."""
    call(p.closure_at, p.closure_in, p.closure_out)
    least = math.inf
    for k in range(p.known[0]):
        apart = 0.0
        for i in range(p.entries.size):
            apart += (p.entries[i] * p.entry_scale[i] - p.known_rows[k, i]) ** 2
        least = min(least, p.known_least[k] + math.sqrt(apart))
    return least


@loop
def least_bound(p, z, f, h):  # type: ignore[no-untyped-def]
    """An upper bound of what is left of the rows' independence on the next step, infinite where nothing is known."""
    if p.known[0] == 0:
        return math.inf
    least, at, first, wide, count = math.inf, 0.0, 0.0, REACH / (PLACES - 1), PLACES
    kept = p.y.copy()
    for _ in range(2):  # the second time around the least one
        for k in range(count):
            x = first + wide * k
            for i in range(p.ny):
                p.y[i] = z[i] + x * h * f[i]
            own = bound_here(p)
            if own < least:
                least, at = own, x
        first, wide, count = at - wide, 2.0 * wide / (FINER - 1), FINER
    p.y[:] = kept
    return least


@loop
def may_be_weak(left, weak):  # type: ignore[no-untyped-def]
    """Whether rows that have so much of their independence left explain pivots as weak as that: these shrink with its
    square, their inverses squared grow with its fourth power."""
    return left <= LOST or weak <= SLACK / left**4


@loop
def bar_for(left, weak):  # type: ignore[no-untyped-def]
    """How weak pivots may become before it is looked at again, where the rows explain how weak they are."""
    return ONWARD * weak if left > LOST else ANY
