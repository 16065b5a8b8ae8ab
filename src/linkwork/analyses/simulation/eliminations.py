"""Other pivots where those of a simulation weaken, as long as the rows of the loops are independent.

An elimination is found for postures around one; far from there its pivots may vanish though nothing is wrong with the
machine. The compiled loop then changes to another one that it knows, and asks here where none serves: an elimination is
found at that very posture, and kept with the machine for this run and later ones. Only where the rows lose rank no
order of pivots helps, and the posture is singular.

How independent rows are is told by the least of their singular values that is not zero by redundancy, as a part of what
it is around home. Pivots of J M⁻¹ Jᵀ shrink with its square, their inverses squared grow with its fourth power.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.kinematics.weak_rows import weakest, weakest_of
from linkwork.equations.closed_dynamics import Elimination
from linkwork.errors import LinkworkError
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.kinematics.loops import Loops, Mask
    from linkwork.analyses.machine import Machine
    from linkwork.numerics.stepping.problem import Problem

MOST = 7
"""Eliminations that are kept beside the first."""
LOST = 0.03
"""As in `numerics.stepping.row_ranks`."""
NEARLY = 0.1
"""Part of it below which a posture is told as nearly singular."""


class Eliminated(Protocol):
    """A simulation whose elimination may change on its way.

    least_independence : of the rows where pivots were weak, as a part of the usual one
    searched_at : when [s] other pivots were looked for
    """

    machine: Machine
    elimination: Elimination
    p: Problem
    state: Array
    z: Array
    f: Array
    least_independence: float
    searched_at: float

    @property
    def t(self) -> float:
        """Time reached [s]."""

    @property
    def known(self) -> tuple[Elimination, ...]:
        """That its compiled loop may change between."""

    def engage(self) -> None:
        """Kernels and arrays for the machine as it is now."""

    def refresh(self) -> None:
        """Rows and watches into these."""


def others(loops: Loops, first: Elimination) -> tuple[Elimination, ...]:
    """Eliminations of the machine that are known besides the first one."""
    return tuple(own for own in loops.eliminations if own.key != first.key)[-MOST:]


def independence(session: Eliminated) -> float:
    """Least independence of the rows now and on the next step, as a part of the usual one; at most so much where it is
    known from before that they lose rank."""
    from linkwork.numerics.stepping import advance as loop
    from linkwork.numerics.stepping.row_ranks import least_bound

    known = float(least_bound(session.p, session.z, session.f, session.state[loop.STEP]))
    if known <= LOST:
        return known
    left, where = _least(session)
    if left <= LOST:
        _remember(session, where, left)
    return left


def _least(session: Eliminated) -> tuple[float, Array]:
    """The same, and the posture where they have it."""
    from linkwork.numerics.stepping import advance as loop
    from linkwork.numerics.stepping.row_ranks import FINER, PLACES, REACH

    loops, forward = session.machine.loops, session.machine._forward_dynamics
    z, f, h = session.z[: session.p.ny], np.nan_to_num(session.f[: session.p.ny]), session.state[loop.STEP]
    if not forward.rank:
        return 1.0, z.copy()
    places = np.linspace(0.0, REACH, PLACES)
    least, where = np.inf, z.copy()
    at, shape = (loops.entry_rows, loops.entry_columns), (loops.rows, loops.columns)
    weak = (
        weakest_of(loops.scaled_entries(z), at, shape, forward.rank)
        if loops.sparse
        else weakest(loops.equations(z)[1], forward.rank)
    )
    for _ in range(2):  # the second time around the least one
        y, wide = z + np.outer(h * places, f), places[1] - places[0]
        J = loops.scaled_entries(y) if loops.sparse else loops.equations(y)[1]
        there = np.flatnonzero(np.isfinite(J).reshape(len(J), -1).all(axis=1))
        if not len(there):  # beyond the end of a gear's flank, say, the equations have no value
            break
        seen = weak.seen_of(J[there], at) if loops.sparse else weak.seen(J[there])
        k = int(there[np.argmin(seen)])
        weak = weakest_of(J[k], at, shape, forward.rank) if loops.sparse else weakest(J[k], forward.rank)
        if weak.least < least:
            least, where = weak.least, y[k]
        places = np.linspace(places[k] - wide, places[k] + wide, FINER)
    return least / forward.margin, where


def weakened(session: Eliminated) -> None:
    """Pivots of all known eliminations are weak on the next step: find one that is not, if the rows allow."""
    from linkwork.numerics.stepping import advance as loop
    from linkwork.numerics.stepping.eliminations import WEAK, weakness
    from linkwork.numerics.stepping.row_ranks import bar_for, may_be_weak

    weak = float(weakness(session.p, float(session.p.worst[0])))
    left, where = _least(session)
    session.least_independence = min(session.least_independence, left)
    searched, session.searched_at = session.searched_at, session.t
    explained = may_be_weak(left, weak)
    if not explained and searched != session.t and anew(session, session.z[: session.p.ny], weak):
        return
    if explained:
        _remember(session, where, left)
    session.state[loop.BAR] = bar_for(left, weak / WEAK)


def _remember(session: Eliminated, y: Array, left: float) -> None:
    """Keep the rows at a posture and their independence with the machine, the last ones as far as there is room."""
    machine, loops, room = session.machine, session.machine.loops, len(session.p.known_least)
    if not machine._forward_dynamics.rank:
        return
    del loops.known_ranks[: max(0, len(loops.known_ranks) + 1 - room)]
    loops.known_ranks.append((loops.scaled_entries(y), left * machine._forward_dynamics.margin))
    write_known(machine, session.p)


def write_known(machine: Machine, p: Problem) -> None:
    """Tell compiled loops at which postures the independence of the rows is known: the last that were found."""
    loops = machine.loops
    if not loops.known_ranks:
        return
    room = len(p.known_least)
    known = loops.known_ranks[-room:] if room else []
    if not known:
        return
    margin = machine._forward_dynamics.margin
    p.entry_scale[:] = loops.entry_scale / margin
    for k, (entries, least) in enumerate(known):
        p.known_rows[k], p.known_least[k] = entries / margin, least / margin
    p.known[0] = len(known)


def served(session: Eliminated, y: Array) -> bool:
    """Use the strongest elimination at a posture: a known one, or a new one; False if none is strong there."""
    from linkwork.numerics.stepping.eliminations import WEAK, strengthen, weakness_of

    p, scratch, z = session.p, np.empty(session.p.n), session.z.copy()
    z[: p.ny] = y
    weak = float(weakness_of(p, p.number("active"), session.t, z, scratch))
    if weak < WEAK or strengthen(p, session.t, z, False, session.t, z, scratch, weak):
        return True
    return independence(session) > LOST and anew(session, y, weak)


def anew(session: Eliminated, y: Array, weak: float = np.inf) -> bool:
    """Use pivots for postures around this one from now on; False if they are not better than those there are.

    weak : how weak the best known ones are
    """
    from linkwork.numerics.stepping.eliminations import BETTER, weakness_of

    loops, before = session.machine.loops, session.elimination
    for lasting in (True, False):
        found = found_at(loops, y, lasting)
        # the machine may know others by now, found by simulations beside this one
        if found is None or found.order in {own.order for own in session.known}:
            continue
        is_new = all(own.key != found.key for own in loops.eliminations)
        keep(loops, before)
        keep(loops, found)
        session.elimination = found
        session.engage()
        session.refresh()
        z = session.z.copy()
        z[: session.p.ny] = y
        own = float(weakness_of(session.p, 0, session.t, z, np.empty(session.p.n)))
        if own * BETTER < weak or weak == np.inf:
            return True
        if is_new:
            loops.eliminations.remove(found)
        session.elimination = before
        session.engage()
        session.refresh()
    return False


def keep(loops: Loops, elimination: Elimination) -> None:
    """Keep an elimination with the machine."""
    if all(own.key != elimination.key for own in loops.eliminations):
        loops.eliminations.append(elimination)


def lose_rank(machine: Machine, y: Array) -> Mask:
    """At which of some postures the rows are themselves less independent than usual."""
    forward = machine._forward_dynamics
    if not forward.rank:
        return np.zeros(len(y), bool)
    values = np.linalg.svd(machine.loops.equations(y)[1], compute_uv=False)[:, forward.rank - 1]
    return np.asarray(values < NEARLY * forward.margin)


def found_at(loops: Loops, y: Array, lasting: bool) -> Elimination | None:
    """An elimination for postures around one, which serves far from there too if it can; None if there is none."""
    from linkwork.analyses.forces.net_dynamics import by_independent_rates
    from linkwork.analyses.forces.states import states_around
    from linkwork.equations.elimination_search import find_elimination

    try:
        here = Posture(loops, y.copy())
        of_net = by_independent_rates(loops, here)
        if of_net is not None:
            return of_net
        states = states_around(loops, here, seed=3)
        numbers, constants = loops.system._formulas.numbers(loops.system.parameters, True)
        return find_elimination(loops.plan, numbers, constants, states, lasting)
    except LinkworkError:
        return None
