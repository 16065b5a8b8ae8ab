"""Formulas of loads and states that jump: which side they are on, and what becomes of them where they change it.

At such a place the step ends and the next one begins on the other side. Where the other side leads straight back the
formula would switch to and fro without end (dry friction by `sign(rate(A))` that should hold): the jump is then
smoothed, and the run says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.simulation.modes import CONDITION, Watch, tables
from linkwork.equations.switching import Switched, switch_texts

if TYPE_CHECKING:
    from linkwork.analyses.simulation.session import Session

SMOOTHING = 1e-5
"""Over which part of the largest number seen a jump is smoothed that would not end."""
BACK = 1e-9
"""Change after a jump as a part of that before it, from which on it leads back."""


def first_sides(session: Session) -> list[int]:
    """By condition and then by switch, on which side of zero it is: 1, -1, or 0 where rounding leaves that open."""
    from linkwork.numerics.stepping.crossing import SIGN
    from linkwork.numerics.stepping.watching import take_sides

    count = len(session.modes.whens) + len(session.modes.side)
    table, numbers = tables([Watch("when", k, CONDITION, k, 0, 0.0) for k in range(count)])
    take_sides(session.p, table, numbers, session.t, session.z, session.f, np.zeros(count))
    return [int(sign) for sign in table[:, SIGN]]


def owner_of(session: Session, switch: int) -> tuple[Switched, str]:
    """The formula that a switch is of, and what decides it, as text."""
    for own in session.machine._plan.switched:
        if own.switches.start <= switch < own.switches.stop:
            return own, switch_texts(own.law)[switch - own.switches.start]
    raise AssertionError(switch)  # pragma: no cover - every switch is of a formula


def jumped(session: Session, fired: Sequence[Watch]) -> None:
    """Formulas change their side; those that would change back at once are smoothed from now on."""
    modes = session.modes
    before = _changes(session)
    for own in fired:
        modes.side[own.which] = -own.sign
    session.p.side[:] = modes.side
    after = _changes(session)
    for own in fired:
        if before[own.which] * after[own.which] < 0.0 and abs(after[own.which]) > BACK * abs(before[own.which]):
            session._chatters(own)


def smooth(session: Session, own: Watch) -> None:
    """Smooth a jump over a small part of what its argument has been so far, and say so."""
    width = SMOOTHING * (session._sizes.get((own.what, own.which), 0.0) or 1.0)
    session.modes.side[own.which] = max(1.0 / width, 2.0)
    session.modes.smoothed.add(own.which)
    session.p.side[:] = session.modes.side
    told = f"{chattering(session, own)}: the jump is smoothed over {width:.2g}"
    session.warnings.append(f"{told}; {remedy(session, own)}")


def chattering(session: Session, own: Watch) -> str:
    """What happens, in words."""
    law, text = owner_of(session, own.which)
    return f"'{law.owner}' chatters from {session.t:.6g} s on: it jumps where {text} is zero, and both sides lead there"


def remedy(session: Session, own: Watch) -> str:
    """What to do instead."""
    law, text = owner_of(session, own.which)
    joint = text.removeprefix("rate(").removesuffix(")") if text.startswith("rate(") else "A"
    return f"friction that holds is m.friction('{law.owner}', '{joint}', level=..., form='exact')"


def _changes(session: Session) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """By switch, how fast what decides it changes now."""
    from linkwork.numerics.stepping.crossing import changes_at
    from linkwork.numerics.stepping.problem import rates

    first, count = len(session.modes.whens), len(session.modes.side)
    table, numbers = tables([Watch("jump", k, CONDITION, first + k, 1, 0.0) for k in range(count)])
    rates(session.p, session.t, session.z, session.f)
    found = np.zeros(count)
    changes_at(session.p, table, numbers, session.t, session.z, session.f, found)
    return found
