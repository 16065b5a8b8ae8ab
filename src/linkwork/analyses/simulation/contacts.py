"""The mode at an instant: frictions at rest hold or give way, stops that are touched are leant on or left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.simulation.choosing import Candidates, chosen, reduced
from linkwork.analyses.simulation.modes import AT_REST
from linkwork.equations import simulation as equations
from linkwork.formulas import Question
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.simulation.session import Session

AHEAD = 1e-9, 1e-6, 1e-3
"""Parts of the whole time by which a law is looked at ahead."""


def resting(session: Session) -> list[int]:
    """Exact frictions whose joint is at rest, by number; the others slip the way it goes.

    One whose variable is driven or locked never holds: what it does, the drive or the lock does.
    """
    p, modes, scales = session.p, session.modes, session.machine._loops.column_scale
    still: list[int] = []
    usual = np.abs(session.z[p.layout.w] / scales).max(initial=0.0)
    led = {d.column: d.drive for d in session.asked.driven}
    for k, grip in enumerate(modes.grips):
        rate = float(session.z[p.ny + grip.column])
        rests = abs(rate) <= AT_REST * max(usual, 1e-3) * scales[grip.column]
        if grip.column in led:
            p.slip[k] = _way_of(led[grip.column], session) if rests else np.sign(rate)
        elif grip.column in modes.locked or not p.switch[grip.load]:
            p.slip[k] = 0.0
        elif rests:
            session.z[p.ny + grip.column] = 0.0
            still.append(k)
        else:
            p.slip[k] = np.sign(rate)
    modes.stuck &= set(still)
    modes.held &= set(still)
    return still


def _way_of(drive: Any, session: Session) -> float:
    """Where a law that rests at this instant goes next: 1, -1, or 0 where it dwells."""
    rates = [float(drive.sample(session.t + part * session.asked.until)[1]) for part in AHEAD]
    return float(next((np.sign(rate) for rate in rates if rate), 0.0))


def choose(session: Session, near: Sequence[int], still: Sequence[int], broken: Mapping[int, int]) -> None:
    """Take the mode in which frictions at rest and stops that are touched contradict nothing.

    near : sides of stops; still : frictions; broken : those that have just given way, and the way to which
    """
    p, modes = session.p, session.modes
    modes.stuck, modes.held, modes.touching = set(), set(), set()
    p.held[:] = 0
    p.slip[list(still)] = 0.0
    if not near and not still:
        return
    c = _candidates(session, list(near), list(still), broken)
    found = chosen(c)
    modes.stuck = {still[i] for i in found.rows}
    for i, k in enumerate(still):
        p.slip[k] = float(found.slips[i])
        if i not in found.rows and not found.slips[i]:
            modes.held.add(k)
            p.held[k] = 1 + modes.grips[k].column
            level = c.slide[i, 0 if found.forces[i] < 0.0 else 1]
            p.slip[k] = -found.forces[i] / level if level > 0.0 else 0.0
    modes.touching = {k for k, leans in zip(near, found.leans, strict=True) if leans}
    modes.write_rows(p)


def _candidates(session: Session, near: list[int], still: list[int], broken: Mapping[int, int]) -> Candidates:
    from linkwork.analyses.simulation.session import rates_of

    p, modes = session.p, session.modes
    always = len(modes.write_rows(p))
    rates_of(session)
    a = p.a.copy()
    modes.stuck, modes.touching = set(still), set(near)
    owners = modes.write_rows(p)
    S, G = responses(session)
    b = G @ a
    for r, (what, which) in enumerate(owners):
        if what == "touching":
            b[r] += p.gamma[modes.sides[which].gap]
    b[:always] = 0.0
    S, b = reduced(S, b, always)
    grip = grips(session)[still] if still else np.zeros((0, 2))
    slide = grip / p.static[still][:, np.newaxis]
    order = {own: r - always for r, own in enumerate(owners)}
    places = [order["stuck", k] for k in still] + [order["touching", k] for k in near]
    return Candidates(
        S[np.ix_(places, places)], b[places], grip, slide, [modes.sides[k].side for k in near],
        [broken.get(k, 0) for k in still],
    )  # fmt: skip


def responses(session: Session) -> tuple[Array, Array]:
    """S = G X and the gradients G of the active rows at the present state."""
    from linkwork.analyses.simulation.session import load
    from linkwork.numerics.stepping.problem import respond

    p = session.p
    load(session)
    respond(p)
    G = np.zeros((int(p.count[0]), p.nw))
    for r, (kind, column, *_) in enumerate(p.rows[: len(G)]):
        if kind == 1:
            G[r] = p.G[column]
        else:
            G[r, column] = 1.0
    S = G @ p.X[: len(G)].T
    return 0.5 * (S + S.T), G


def grips(session: Session) -> Array:
    """What exact frictions can hold, (frictions, 2); nothing where they are switched off."""
    from linkwork.analyses.simulation.session import with_time

    p = session.p
    kernel = session.machine._loops.system._own(Question(equations.grips(session.machine._plan)))
    found: Array = np.asarray(kernel(*with_time(session)))
    p.grip[:] = found
    on = np.array([p.switch[grip.load] for grip in session.modes.grips])
    held: Array = found * on[:, np.newaxis]
    return held
