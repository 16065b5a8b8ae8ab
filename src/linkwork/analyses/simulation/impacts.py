"""Jumps of all rates: impacts on stops, variables that are locked, masses that are taken along.

    M Δw + Jᵀ Λ = Gᵀ P,    side · (G (w + Δw) + ∂g/∂t - wanted) <= 0,    -side · P >= 0,    one of the two is zero

for stops; driven and locked variables get the rates they must have. Friction has no part in it: its force is finite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.simulation.choosing import least, reduced
from linkwork.analyses.simulation.contacts import responses
from linkwork.analyses.simulation.modes import AT_REST
from linkwork.analyses.simulation.records import impact, rest, units_of_stop
from linkwork.formulas import Question
from linkwork.geometry import Array
from linkwork.results.happenings import Happening

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.analyses.simulation.session import Session

SHORT, LOW = 1e-10, 1e-13
"""A bounce shorter than this part of the time so far [s], or lower than this [rad, m, or parts of a machine larger than
that], is none: the machine rests on the stop."""
ROUNDING = 1e-15
NEAR = 1e-10
"""Distance from a stop [rad, m, or parts of a machine larger than that] at which it takes part in an impact."""


def impulse(session: Session, wanted: Mapping[int, float], kept: Sequence[int]) -> dict[int, float]:
    """Jump of the rates; returns the impulses of the sides of stops that push, and leaves these alone touching.

    wanted : by side, the rate that its gap should have; kept : other sides, whose gaps must not open the wrong way
    """
    from linkwork.numerics.stepping.problem import row_error

    p, modes = session.p, session.modes
    modes.stuck, modes.held, modes.touching = set(), set(), {*wanted, *kept}
    p.held[:] = 0
    owners = modes.write_rows(p)
    if not owners:
        return {}
    S, _ = responses(session)
    missing = np.array([row_error(p, r, session.t, 1) for r in range(len(owners))])
    always = sum(what != "touching" for what, _ in owners)
    sides = [which for what, which in owners if what == "touching"]
    missing[always:] -= [wanted.get(k, 0.0) for k in sides]
    upward = np.array([modes.sides[k].side < 0 for k in sides], bool)
    lower, upper = np.where(upward, 0.0, -np.inf), np.where(upward, np.inf, 0.0)
    P = least(*reduced(S, missing, always), lower, upper)
    drives = -np.linalg.lstsq(S[:always, :always], missing[:always] + S[:always, always:] @ P, rcond=1e-12)[0]
    session.z[p.layout.w] += np.concatenate([drives, P]) @ p.X[: len(owners)]
    pushing = {k: float(x) for k, x in zip(sides, P, strict=True) if x}
    modes.touching = set(pushing)
    modes.write_rows(p)
    return pushing


def strike(session: Session, sides: Sequence[int]) -> None:
    """Impacts on stops, all at once, whoever leans on others; then the mode that follows."""
    from linkwork.analyses.simulation.session import look_at
    from linkwork.numerics.stepping.problem import settle

    p, modes = session.p, session.modes
    look_at(session)
    size = NEAR * max(session.machine._loops.length, 1.0)
    near = [
        k for k, own in enumerate(modes.sides)
        if k in sides or k in modes.touching or own.side * (p.g[own.gap] - own.limit) >= -size
    ]  # fmt: skip
    rates = {k: float(p.dg[modes.sides[k].gap]) for k in near}
    scale = AT_REST * max(1e-3, float(np.abs(p.dg).max(initial=0.0)))
    struck = [k for k in near if modes.sides[k].side * rates[k] > scale]
    kept = [k for k in near if k not in struck]
    before, grips = session._energy(), modes.stuck | modes.held
    _put_back(session, near)
    kept_state = session._remembered()
    wanted = {k: -modes.sides[k].stop.restitution * rates[k] for k in struck}
    pushes = session._impulse(wanted, kept)
    waits = {k: wait for k in struck if (wait := _wait(session, k, kept)) is not None}
    if any(wanted[k] for k in waits):  # once more, without their bounce
        session._recall(kept_state)
        pushes = session._impulse(wanted | dict.fromkeys(waits, 0.0), kept)
    session._choose(_resting_on(session, near, max(map(abs, rates.values()))), session._resting())
    settle(p, session.t, session.z)
    session.impacts.append((session.t, session._energy() - before))
    for k in struck:
        _record(session, k, abs(rates[k]), abs(pushes.get(k, 0.0)), waits.get(k))
    for k in sorted(grips - modes.stuck - modes.held):
        session.happened.append(Happening(session.t, modes.grips[k].name, "slip"))


def _put_back(session: Session, sides: Sequence[int]) -> None:
    """Positions onto stops that are touched: those struck a hair later than others lie behind them by as much."""
    from linkwork.analyses.simulation.session import load, look_at
    from linkwork.numerics.stepping.problem import correct, move

    p, modes = session.p, session.modes
    kept = modes.stuck, modes.touching
    modes.stuck, modes.touching = set(), set(sides)
    modes.write_rows(p)
    load(session)
    for _ in range(3):
        if correct(p, session.t, 0) <= ROUNDING:
            break
        move(p, p.y, p.x)
    session.z[: p.ny] = p.y
    modes.stuck, modes.touching = kept
    look_at(session)


def not_left(session: Session, sides: Sequence[int], speed: float = 0.0) -> list[int]:
    """Sides of stops whose gaps do not open after a jump; speed : what is usual, besides the rates of all gaps."""
    from linkwork.analyses.simulation.session import look_at

    p = session.p
    look_at(session)
    slow = AT_REST * max(1e-3, float(np.abs(p.dg).max(initial=0.0)), speed)
    return [k for k in sides if abs(p.dg[session.modes.sides[k].gap]) <= slow]


def _resting_on(session: Session, sides: Sequence[int], speed: float) -> list[int]:
    """Sides that are leant on after an impact if something presses: not left, or for a bounce that is none."""
    rest = not_left(session, sides, speed)
    return [k for k in sides if k in rest or _bounce(session, k, rest) is not None]


def _wait(session: Session, k: int, kept: Sequence[int]) -> float | None:
    """Length [s] of the bounce off a stop that was just struck if that is none; else None.

    What else is leant on may have been left by the impact: the machine rests if it does so with or without that.
    """
    if session.modes.sides[k].stop.restitution == 0.0:
        return 0.0
    waits = [_bounce(session, k, others) for others in (not_left(session, kept), [])]
    return min((wait for wait in waits if wait is not None), default=None)


def _bounce(session: Session, k: int, leaning: Sequence[int]) -> float | None:
    """Time [s] until a stop that is being left is met again if that is so short or low that it is none; else None."""
    from linkwork.analyses.simulation.session import look_at, rates_of

    p, modes, own = session.p, session.modes, session.modes.sides[k]
    touching, modes.touching = modes.touching, set(leaning)
    session._resting()  # frictions turn round with the rates
    modes.write_rows(p)
    rates_of(session)
    look_at(session)
    modes.touching = touching
    away = -own.side * float(p.dg[own.gap])
    back = own.side * float(p.G[own.gap] @ p.a + p.gamma[own.gap])
    bounce = max(2.0 * away / back, 0.0) if back > 0.0 else np.inf
    low = 0.25 * bounce * away < LOW * max(session.machine._loops.length, 1.0)
    return bounce if low or bounce < SHORT * max(session.t, 1e-6) else None


def _record(session: Session, k: int, speed: float, push: float, wait: float | None) -> None:
    """wait : of a machine that rests from now on, length of the first bounce that was left out [s]."""
    own, bounces = session.modes.sides[k], session.bounces
    if wait is not None and bounces.get(k, 0) > 1 and own.stop.restitution > 0.0:
        left = wait / (1.0 - own.stop.restitution) if own.stop.restitution < 1.0 else 0.0
        session.happened.append(rest(session.t + left, own.name, bounces.pop(k) + 1))
        return
    if wait is None:
        bounces[k] = bounces.get(k, 0) + 1
    units = units_of_stop(session.machine._loops, own.stop.what)
    session.happened.append(impact(session.t, own.name, units, speed, push, wait is not None))


def take_along(session: Session, old: Machine) -> None:
    """The momenta that the machine had before its masses changed are all there is: what was added comes from rest."""
    p = session.p
    y, w = session.z[p.layout.y], session.z[p.layout.w].copy()
    missing = _momenta(old, y, w) - _momenta(session.machine, y, w)
    session.z[p.layout.w] += session.engine.response(y, missing, np.zeros(session.machine._plan.nl))
    kept = sorted(session.modes.touching)
    session._impulse({}, kept)
    session.modes.touching = set(not_left(session, kept))


def _momenta(machine: Machine, y: Array, w: Array) -> Array:
    """Generalised momenta of all rates."""
    from linkwork.equations.closed_dynamics import unconstrained

    plan = machine._plan
    M, _ = machine._own(Question(unconstrained()))(y, w, np.zeros(plan.nw), np.zeros(1))
    found: Array = M @ w
    return found
