"""SI units of parameters by name: what a derivative by them is measured in."""

from __future__ import annotations

from linkwork.analyses.kinematics.loops import Loops
from linkwork.model.measures import parameter_measures
from linkwork.units import SI

PLACE = "at"
"""The part of a name of a coordinate of a point, a frame or a joint [m]: 'A.tail.at.x'."""


def parameter_unit(loops: Loops, name: str) -> str:
    """The SI unit of a parameter, '1' for a plain number: 'kg' of `rod.mass`, 'N m/rad' of a spring about a pin."""
    if name in loops.system.mechanism.lets:
        measures = loops.system.mechanism.lets[name].measures
        return "1" if measures is None else SI.symbol(measures) or "1"
    owner, _, rest = name.partition(".")
    if (measured := parameter_measures(loops.system.mechanism, name)) is not None:
        return SI.symbol(measured) or "1"
    slot = next((s for s in loops.plan.slots if s.owner == owner), None)
    if slot is not None and rest in slot.law.numbers():
        return SI.symbol(slot.law.measure(rest)) or "1"
    return "m" if PLACE in rest.split(".") else "1"
