"""SI units of parameters by name: what a derivative by them is measured in."""

from __future__ import annotations

from linkwork.analyses.kinematics.loops import Loops
from linkwork.model.loads.load import parameter_measures, scope_of
from linkwork.units import SI

OF_BODIES = {"mass": "kg", "com": "m", "inertia": "kg m^2", "at": "m"}


def parameter_unit(loops: Loops, name: str) -> str:
    """The SI unit of a parameter, '1' for a plain number: 'kg' of `rod.mass`, 'N m/rad' of a spring about a pin."""
    owner, _, rest = name.partition(".")
    if owner == "gravity":
        return "m/s^2"
    m = loops.system.mechanism
    if (load := m.loads.get(owner) or m.motors.get(owner)) is not None:
        measured = parameter_measures(load, rest, scope_of(load, m.owners))
        return "1" if measured is None else SI.symbol(measured) or "1"
    slot = next((s for s in loops.plan.slots if s.owner == owner), None)
    if slot is not None and rest in slot.law.numbers():
        return SI.symbol(slot.law.measure(rest)) or "1"
    return next((OF_BODIES[part] for part in rest.split(".") if part in OF_BODIES), "1")
