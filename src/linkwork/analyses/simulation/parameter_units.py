"""SI units of parameters by name: what a derivative by them is measured in."""

from __future__ import annotations

from linkwork.analyses.kinematics.loops import Loops
from linkwork.equations.closing import length_rates
from linkwork.equations.load_plans import ForcePlan, LoadPlan, SpringPlan, TorquePlan

OF_BODIES = {"mass": "kg", "com": "m", "inertia": "kg m^2", "at": "m"}
OF_LAWS = {
    "radius": "m", "mate": "m", "tube": "m", "lead": "m", "unit": "m", "pressure_angle": "rad", "helix_angle": "rad",
    "cone": "rad", "half_angle": "rad",
}  # fmt: skip
PLAIN = ("ratio", "static", "coefficient", "along")


def parameter_unit(loops: Loops, name: str) -> str:
    """The SI unit of a parameter, '1' for a plain number: 'kg' of `rod.mass`, 'N m/rad' of a spring about a pin."""
    owner, _, rest = name.partition(".")
    if owner == "gravity":
        return "m/s^2"
    for load in loops.plan.loads:
        if load.name == owner:
            return _of_load(loops, load, rest.partition(".")[0])
    slot = next((s for s in loops.plan.slots if s.joint == owner), None)
    if slot is not None and rest in OF_LAWS:
        bevel = rest == "mate" and slot.law.kind == "bevel"
        return "rad" if bevel else OF_LAWS[rest]
    return next((OF_BODIES[part] for part in rest.split(".") if part in OF_BODIES), "1")


def _of_load(loops: Loops, load: LoadPlan, key: str) -> str:
    along = getattr(load, "along", None)
    long = length_rates(loops.plan)[along.w] if along is not None else not isinstance(load, TorquePlan)
    force, way = ("N", "m") if long else ("N m", "rad")
    if key in PLAIN:
        return "1"
    if key in ("stiffness", "damping", "viscous"):
        return f"{force} s/{way}" if key != "stiffness" else f"{force}/{way}"
    own = {"free": way, "speed": f"{way}/s", "radius": "m", "rotor_inertia": "kg m^2"}
    if key == "amount" and not isinstance(load, SpringPlan | ForcePlan | TorquePlan) and "normal" in vars(load):
        return "N"
    return own.get(key, force)
