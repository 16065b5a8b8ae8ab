"""Events that would be without effect: they are refused by name, or told as a warning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from linkwork.analyses.kinematics.given_values import place_of
from linkwork.errors import Problem
from linkwork.model.events import At, Event, When

if TYPE_CHECKING:
    from linkwork.analyses.kinematics.loops import Loops


def locks_of_driven(loops: Loops, events: Sequence[Event], driven: Sequence[str]) -> list[Problem]:
    """Variables that follow laws of time, and that events would lock or release."""
    problems: list[Problem] = []
    for i, event in enumerate(events):
        if not isinstance(event, At | When):
            continue
        where = f"events.{event.name}" if event.name else f"events[{i}]"
        for key in ("lock", "release"):
            for name in getattr(event.actions, key):
                found = place_of(loops, name)
                if found is not None and loops.plan.variables[found[0].q.start + found[1]] in driven:
                    hint = "let its law dwell there" if key == "lock" else "leave it out, or end the run there"
                    problems.append(Problem(f"'{name}' is driven: its law tells how it moves", f"{where}.{key}", hint))
    return problems


def too_late(events: Sequence[Event], until: float) -> list[str]:
    """Times of events that the run does not reach."""
    late = [event for event in events if isinstance(event, At) and event.time > until]
    return [f"{e.name or f'at {e.time:g} s'}: after the end at {until:g} s, it does not take place" for e in late]
