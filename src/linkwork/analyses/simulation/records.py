"""What happened in a simulation, as records: events by kind, with numbers and their units."""

from __future__ import annotations

from linkwork.analyses.forces.over_run import SPEEDS, effort_units
from linkwork.analyses.kinematics.given_values import place_of
from linkwork.analyses.kinematics.loops import Loops
from linkwork.analyses.simulation.active_set import ActiveSet
from linkwork.geometry import Array
from linkwork.model.events import Actions, At, When
from linkwork.results.happenings import Action, Happening

PLAIN = ("1", "1")


def units_of_stop(loops: Loops, what: str) -> tuple[str, str]:
    """Units of the speed at which a stop is met, and of the impulse it gives: those of a variable or a coordinate."""
    found = place_of(loops, what)
    if found is not None:
        force = effort_units(loops)[found[0].v.start + found[1]]
        return SPEEDS[force], f"{force} s"
    owner, _, axis = what.rpartition(".")
    plan = loops.plan
    places = {*plan.index, *(m.name for m in plan.points), *(m.name for m in plan.frames)}
    return ("m/s", "N s") if axis in ("x", "y", "z") and owner in places else PLAIN


def impact(t: float, name: str, units: tuple[str, str], speed: float, impulse: float, stays: bool) -> Happening:
    """A rigid stop is struck; units : of speed and impulse."""
    numbers = (("speed", speed, units[0]), ("impulse", impulse, units[1]), ("stays", float(stays), "1"))
    return Happening(t, name, "impact", numbers)


def rest(t: float, name: str, bounces: int) -> Happening:
    """A machine comes to rest on a stop after ever shorter bounces."""
    return Happening(t, name, "rest", (("bounces", float(bounces), "1"),))


def done(t: float, event: When | At) -> Happening:
    """A condition or a time, and what it is for."""
    if isinstance(event, At):
        return Happening(t, event.name or f"at {event.time:g} s", "time", (), as_data(event.actions))
    return Happening(t, event.name or event.condition, "condition", (), as_data(event.actions))


def as_data(actions: Actions) -> tuple[Action, ...]:
    """What an event does, as (verb, name, value) each."""
    found: list[Action] = []
    for verb in ("lock", "release", "on", "off"):
        found += [(verb, name, None) for name in getattr(actions, verb)]
    found += [("set", name, value) for name, value in actions.set]
    found += [("from rest", "", None)] if actions.from_rest else []
    found += [("end", "", None)] if actions.stop else []
    return tuple(found)


def records_of(log: Array, active: ActiveSet, loops: Loops) -> list[Happening]:
    """Records of rows that a compiled loop has logged: (kind, which, time, numbers)."""
    from linkwork.numerics.stepping import active_rows as on

    units = [units_of_stop(loops, side.stop.what) for side in active.sides]
    plain = {on.SOFT_TOUCH: "touch", on.SOFT_LEAVE: "leave", on.STICKS: "stick", on.SLIPS: "slip"}
    found: list[Happening] = []
    for code, who, t, x, y, z in log.tolist():
        kind, which = int(code), int(who)
        if kind == on.IMPACT:
            found.append(impact(t, active.sides[which].name, units[which], x, y, z != 0.0))
        elif kind == on.REST:
            found.append(rest(t, active.sides[which].name, int(x)))
        elif kind == on.LEAVE:
            found.append(Happening(t, active.sides[which].name, "leave"))
        elif kind in (on.CROSSED, on.TIMED):
            found.append(done(t, active.whens[which] if kind == on.CROSSED else active.ats[which]))
        else:
            named = active.soft if kind in (on.SOFT_TOUCH, on.SOFT_LEAVE) else active.grips
            found.append(Happening(t, named[which].name, plain[kind]))
    return found
