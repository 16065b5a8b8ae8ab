"""What events are for that give numbers other values: done between two calls of the compiled loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.simulation.halt import Halt
from linkwork.analyses.simulation.hurdles import momenta
from linkwork.analyses.simulation.journal import CHANGED, LOST
from linkwork.analyses.simulation.journey import Journey
from linkwork.analyses.simulation.records import done
from linkwork.errors import LinkworkError
from linkwork.model.events import At, When

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine


def act(journey: Journey, event: When | At) -> None:
    """Do what an event is for that gives numbers other values."""
    from linkwork.numerics.stepping.instants import hold_still, rechoose

    modes, p, old, active, actions = journey.modes, journey.p, journey.machine, journey.active, event.actions
    record = done(journey.t, event)
    journey.journal.record(record)
    moving, stored = journey.energies()
    which = next(k for k, own in enumerate(modes.acting) if own is event)
    switching, locking = active.switching[which], active.locking[which]
    p.switch[switching >= 0] = switching[switching >= 0]
    journey.begin_chapter(journey.t, p.switch.copy())
    active.locked[locking < 0] = 0
    _set(journey, dict(actions.set))
    changed = sum(journey.energies())
    if actions.from_rest:  # what is added does not move yet
        changed = moving + journey.energies()[1]
        _take_along(journey, old)
    journey.journal.jump(journey.t, changed - moving - stored, CHANGED)
    if actions.lock:
        locks = np.flatnonzero(locking > 0)
        active.locked[locks] = 1 + active.places[locks]
        active.lock_value[locks] = journey.z[active.places[locks]]
        hold_still(journey.p, active, journey.t, journey.z)
        journey.heard()
    journey.journal.jump(journey.t, sum(journey.energies()) - changed, LOST)
    rechoose(journey.p, active, journey.t, journey.z)
    journey.refresh()
    if actions.stop:
        journey.turned()
        raise Halt(f"{record.name} at {journey.t:.6g} s")


def _take_along(journey: Journey, old: Machine) -> None:
    """The momenta that the machine had before its masses changed are all there is: what was added comes from
    rest."""
    from linkwork.numerics.stepping.instants import hold_still

    y, w, _ = journey.p.layout.split(journey.z)
    missing = momenta(old, y, w) - momenta(journey.machine, y, w)
    w += journey.engine.response_by(journey.p.number("active"))(y, missing, np.zeros(journey.machine.plan.nl))
    hold_still(journey.p, journey.active, journey.t, journey.z)
    journey.heard()


def _set(journey: Journey, values: dict[str, float]) -> None:
    """Other values of named states, and other numbers from now on."""
    from linkwork.numerics.stepping.problem import settle

    names = [plan.name for plan in journey.machine.plan.states]
    x = journey.z[journey.p.layout.x]
    states = [name for name in values if name in names]
    numbers = {name: value for name, value in values.items() if name not in names}
    if journey.listener is not None:
        journey.listener.setting([names.index(name) for name in states], numbers)
    for name in states:
        x[names.index(name)] = values[name]
    if not numbers:
        return
    try:
        journey.machine = journey.machine.with_parameters(numbers)
    except LinkworkError as error:
        raise Halt(f"at {journey.t:.6g} s: {error}") from None
    journey.engage()
    journey.refresh()
    if settle(journey.p, journey.t, journey.z) < 0.0:
        raise Halt(f"at {journey.t:.6g} s: the loops do not close with {', '.join(numbers)} as set")
    if journey.listener is not None:
        journey.listener.set_numbers()
