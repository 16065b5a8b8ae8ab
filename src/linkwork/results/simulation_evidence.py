"""How far a simulation can be trusted: steps, evaluations, balance of energy, events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import Problem
from linkwork.results.happenings import Happening, happening_of, is_happening

if TYPE_CHECKING:
    from linkwork.results.arrays import Arrays


@dataclass(frozen=True)
class SimulationEvidence:
    """Evidence of a simulation.

    methods : that were used; steps, rejected : taken, and taken back because they were too long
    evaluations : of the accelerations
    energy_error [J] : largest difference between energy and work done on the machine, impacts and changes counted
    energy_scale [J] : how much energy moved, which the error is to be compared with; where next to none changed its
        form, that of the motion
    work [J] : done by drives, efforts, dampers and whatever else is not stored
    impact_loss [J] : lost in impacts on stops, by locks, and of what is taken along from rest
    change [J] : given by events that set numbers or switch loads, and by drives whose rates jump; below 0 if taken
    largest_correction : by which steps had to be put back onto the loops [rad, parts of the machine's size]
    events : that took place, in order
    stops : signals of the forces of stops and of frictions that hold, and the expressions along which these act
    numbers : parameters by name that were other than the model's; changed : what events set or switched on the way
    request : what was asked for, as plain data (`Request.as_dict`)
    """

    methods: tuple[str, ...]
    steps: int
    rejected: int
    evaluations: int
    energy_error: float
    energy_scale: float
    work: float
    impact_loss: float
    change: float
    largest_correction: float
    events: tuple[Happening, ...]
    stops: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, float] = field(default_factory=dict)
    changed: tuple[str, ...] = ()
    request: dict[str, Any] = field(default_factory=dict)


NEXT_TO_NONE = 1e-6
"""Of the kinetic energy: less than that changed its form in a motion that goes on as it is, and measures no error."""


def energy_at_work(moved: Any, rounding: Any, kinetic: Any) -> Any:
    """What an error of energy is to be compared with [J]: numbers, or arrays by run.

    moved : what changed its form; rounding : of the energies, below which nothing did; kinetic : the largest there was
    """
    shown = np.where(moved < NEXT_TO_NONE * kinetic, kinetic, moved)
    return np.where(moved > rounding, shown, 0.0)


def as_attribute(found: SimulationEvidence | None) -> dict[str, Any]:
    """Evidence as plain data, for a dataset; nothing where there is none."""
    if found is None:
        return {}
    events = [event.as_dict() for event in found.events]
    return {**vars(found), "methods": list(found.methods), "changed": list(found.changed), "events": events}


def evidence_problems(told: Any) -> list[Problem]:
    """What is wrong with the attribute that tells of a simulation; nothing where there is none."""
    if told == {}:
        return []
    counted = dict.fromkeys(("steps", "rejected", "evaluations"), int)
    kinds: dict[str, Any] = {
        "methods": list,
        "events": list,
        "stops": dict,
        "numbers": dict,
        "changed": list,
        "request": dict,
        **counted,
    }
    names = [f.name for f in fields(SimulationEvidence)]
    if not isinstance(told, dict) or sorted({**told, "request": {}}) != sorted(names):
        return [Problem("the attribute does not tell of a simulation", "simulation", f"it has {', '.join(names)}")]
    told = {"request": {}, **told}  # which older files do not have
    wrong = [
        name
        for name in names
        if not isinstance(told[name], kinds.get(name, (int, float))) or isinstance(told[name], bool)
    ]
    for name in ("methods", "changed"):
        if not wrong and not all(isinstance(m, str) for m in told[name]):
            wrong.append(name)
    if not wrong and not all(isinstance(x, (int, float)) for x in told["numbers"].values()):
        wrong.append("numbers")
    if not wrong and not all(is_happening(e) for e in told["events"]):
        wrong.append("events")
    return [Problem("it is of another kind than it should be", f"simulation.{name}") for name in wrong]


def simulation_evidence_of(data: Arrays) -> SimulationEvidence | None:
    """The evidence that a dataset tells of a simulation; None if it is not one."""
    told: Mapping[str, Any] = data.attrs.get("simulation") or {}
    if not told:
        return None
    events = tuple(happening_of(e) for e in told["events"])
    return SimulationEvidence(
        **{**told, "methods": tuple(told["methods"]), "changed": tuple(told["changed"]), "events": events}
    )
