"""What the forces of a run mean for links and motors.

`sections`      cross sections: areas, moduli, torsion
`stresses`      bending and torsion at both ends of a segment, against allowables
`acting_forces` what acts on a body over a run: joints and loads
`segments`      a segment of a body over a run
`motors`        torque over speed at the motor's shaft, against its envelope
`power`         power and energy of the drives, with and without recuperation
`force_runs`    that it is a run which is asked
`plot_units`    what their plots share
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linkwork.analyses.strength.motors import TorqueSpeed, torque_speed
    from linkwork.analyses.strength.power import DriveEnergy, Energy, drive_energy, energy
    from linkwork.analyses.strength.sections import IBeamSection, RectangleSection, TubeSection
    from linkwork.analyses.strength.segments import stress
    from linkwork.analyses.strength.stresses import Allowable, Stress, WorstStress, segment_stress

__all__ = [
    "Allowable",
    "DriveEnergy",
    "Energy",
    "IBeamSection",
    "RectangleSection",
    "Stress",
    "TorqueSpeed",
    "TubeSection",
    "WorstStress",
    "drive_energy",
    "energy",
    "segment_stress",
    "stress",
    "torque_speed",
]

_HOME = {
    "Allowable": "stresses",
    "DriveEnergy": "power",
    "Energy": "power",
    "IBeamSection": "sections",
    "RectangleSection": "sections",
    "Stress": "stresses",
    "TorqueSpeed": "motors",
    "TubeSection": "sections",
    "WorstStress": "stresses",
    "drive_energy": "power",
    "energy": "power",
    "segment_stress": "stresses",
    "stress": "segments",
    "torque_speed": "motors",
}
"""Modules by what they hold: they are imported when it is asked for."""


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module '{__name__}' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
