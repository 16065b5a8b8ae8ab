"""Runs that a visitor asks for: a motion by laws written as texts, a machine that is let go, a case of the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from linkwork.drives import Drive, parse_drive
from linkwork.errors import InputError, ModelError, Problem
from linkwork.units import Dimension, UnitSystem
from linkwork.views.workbench.releasing import asked, ready_to_go

if TYPE_CHECKING:
    from linkwork.analyses.kinematics.posture import Posture
    from linkwork.analyses.machine import Machine
    from linkwork.results import Run
    from linkwork.results.simulation import Simulation
    from linkwork.views.workbench.releasing import Wish

Progress = Callable[[int, int], None]


def laws_of(texts: Mapping[str, str], measured: Mapping[str, Dimension], units: UnitSystem) -> dict[str, Drive]:
    """Laws of time from texts by variable, empty ones left out; InputError with all that is wrong."""
    laws, problems = {}, []
    for name, text in texts.items():
        if not text.strip():
            continue
        try:
            laws[name] = parse_drive(text, measured[name], name, units)
        except ModelError as error:
            problems += [replace(p, where=name) for p in error.problems]
    if problems:
        raise InputError(problems)
    return laws


def moved(started: Machine, laws: Mapping[str, Drive], samples: int, progress: Progress | None, forces: bool) -> Run:
    """A motion from home, perhaps with the forces that it takes."""
    if not laws:
        raise InputError(Problem("nothing is driven", "motion", "write a law, such as 0:360deg in 2s"))
    run = started.motion(dict(laws), samples=samples, progress=progress)
    return started.forces(run) if forces and len(run) else run


def let_go(
    machine: Machine, posture: Posture, wish: Wish, until: float, samples: int, progress: Progress | None
) -> Simulation:
    """What becomes of a machine that is let go in a posture."""
    prepared = ready_to_go(machine, wish)
    return prepared.simulate(until, **asked(machine, posture, wish), samples=samples, progress=_in_parts(progress))


def case_run(machine: Machine, name: str, progress: Progress | None) -> Run:
    """A case of the model as it is written: a simulation where it has an end, else a motion."""
    return machine.case(name).run(progress)


def _in_parts(progress: Progress | None) -> Callable[[float, float], None] | None:
    """Progress of a simulation, which tells times, as one of so many parts."""
    return None if progress is None else lambda now, end: progress(int(1e6 * now), int(1e6 * end))
