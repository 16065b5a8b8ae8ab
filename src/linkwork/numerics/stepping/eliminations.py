"""Several eliminations of one machine in compiled loops: which one is in use, and when another one is stronger.

An elimination is an order of pivots. It serves where none of them is small, and another order serves elsewhere: as long
as the rows of the loops are independent, some order does. All of them give the same accelerations, so that one may take
the place of another between any two evaluations.
"""

from __future__ import annotations

import math

from linkwork.numerics.loops import loop
from linkwork.numerics.stepping.problem import rates

WEAK = 1e3
"""Health, each pivot as one part of its sum, from which on pivots are weak: the worst has shrunk thirtyfold."""
BETTER = 10.0
"""How many times better another elimination must be for it to be taken."""
FINE = 30.0
"""Health, each pivot as one part, at which no better one is looked for."""
RATES, RATES_SETTLED, RESPONSE, RESPONSE_SETTLED, TANGENT, TANGENT_SETTLED = range(6)
"""Columns of `eliminations`: addresses of kernels, and of their settled values."""


@loop
def select(p, k):  # type: ignore[no-untyped-def]
    """Use an elimination from now on."""
    p.active = k
    own, places = p.eliminations[k], p.settled_places
    p.rates_at = own[RATES]
    p.rates_in[places[0]] = own[RATES_SETTLED]
    if own[RESPONSE] != 0:
        p.response_at = own[RESPONSE]
        p.response_in[places[1]] = own[RESPONSE_SETTLED]
    if own[TANGENT] != 0:
        p.tangent_at = own[TANGENT]
        p.tangent_in[places[2]] = own[TANGENT_SETTLED]


@loop
def weakness(p, health):  # type: ignore[no-untyped-def]
    """Health of the elimination in use, by part of its sum; about one where pivots are as usual."""
    if p.parts.size == 0:
        return 0.0
    return health / max(p.parts[p.active], 1.0)


@loop
def weakness_of(p, k, t, z, scratch):  # type: ignore[no-untyped-def]
    """The same of an elimination at a state; it stays in use."""
    worst = p.worst[0]
    select(p, k)
    found = weakness(p, rates(p, t, z, scratch))
    p.worst[0] = worst
    return found


@loop
def strengthen(p, t, z, ends, t_new, z_new, scratch, weak):  # type: ignore[no-untyped-def]
    """Use an elimination that is stronger than the present one, which is as weak as told; False if there is none.

    The first one that serves well at both ends of a step is taken, or the best; ends : whether the second end is known
    """
    if p.parts.size < 2:
        return False
    before, best, least = p.active, p.active, math.inf
    for k in range(p.parts.size):
        if k == before:
            continue
        own = weakness_of(p, k, t, z, scratch)
        if ends:
            own = max(own, weakness_of(p, k, t_new, z_new, scratch))
        if own < least:
            best, least = k, own
        if own < FINE:
            break
    if not least * BETTER < weak:
        best = before
    select(p, best)
    return best != before
