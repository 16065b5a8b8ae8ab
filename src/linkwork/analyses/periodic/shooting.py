"""One period of a simulation as a map from its start to its end, with the derivative of the map.

z = (q, q', x): the free independent variables, their rates, named states. Φ = dφ/dz comes from the simulation, exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.failures import NoFreedom
from linkwork.analyses.kinematics.motion import reached
from linkwork.analyses.kinematics.preference import preference
from linkwork.errors import InputError, ModelError, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.results import Simulation


class NotPeriodic(ModelError):
    """No motion with this period was found from where the search began."""


@dataclass(frozen=True, eq=False)
class Shooting:
    """What is shot: a machine, which of its variables begin anew, and what acts.

    names : free independent variables; states : named states
    asked : drives, efforts and tolerances of the simulation
    """

    machine: Machine
    names: tuple[str, ...]
    states: tuple[str, ...]
    asked: Mapping[str, Any]

    @property
    def signals(self) -> list[str]:
        """z by name, as of a run."""
        return [*self.names, *(f"{name}.rate" for name in self.names), *self.states]

    def parts(self, z: Array) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
        """Variables, their rates and states, by name."""
        n, m = len(self.names), 2 * len(self.names)
        every = z.tolist()
        parts = (self.names, every[:n]), (self.names, every[n:m]), (self.states, every[m:])
        start, rates, states = (dict(zip(names, values, strict=True)) for names, values in parts)
        return start, rates, states

    def begun(
        self, start: Mapping[str, Any] | None, rates: Mapping[str, Any] | None, states: Mapping[str, Any] | None
    ) -> Array:
        """z of a start by name; home and at rest where nothing is said."""
        machine = self.machine
        posture = reached(machine.loops, machine.home, dict(start or {})) if start else machine.home
        given = {machine_name(machine, n.removesuffix(".rate")): x for n, x in (rates or {}).items()}
        own = {**machine_states(machine), **{n: float(x) for n, x in (states or {}).items()}}
        z = [float(posture[n]) for n in self.names] + [float(given.get(n, 0.0)) for n in self.names]
        return np.array([*z, *(own[n] for n in self.states)])

    def run(self, z: Array, period: float, samples: int, **more: Any) -> Simulation:
        """One period from a start."""
        start, rates, states = self.parts(z)
        given = {**self.asked, **more, **({"states": states} if states else {})}
        return self.machine.simulate(period, start, rates, samples=samples, method="explicit", **given)

    def left(self, z: Array, period: float) -> Array:
        """What is left between end and start."""
        run = self._complete(self.run(z, period, 2))
        return np.array([run.signal(s).values[-1] for s in self.signals]) - z

    def shot(self, z: Array, period: float) -> tuple[Array, Array]:
        """What is left between end and start, and the derivative Φ of the end by the start."""
        by = [f"{what}.{name}" for what in ("start", "rates") for name in self.names]
        by += [f"start.{name}" for name in self.states]
        run = self._complete(self.run(z, period, 2, sensitive_to=by))
        end = np.array([run.signal(s).values[-1] for s in self.signals])
        found = run._sensitive
        assert found is not None and found.ends is not None
        Y, W, X = found.ends()
        plan = self.machine.plan
        places = [plan.variables.index(name) for name in self.names]
        rates = [plan.variable_rates.index(name) for name in self.names]
        return end - z, np.concatenate([Y[:, places], W[:, rates], X], axis=1).T

    def _complete(self, run: Simulation) -> Simulation:
        if run.status != "complete":
            text = f"the motion ends within the period: {run.message}"
            raise NotPeriodic(Problem(text, "period"), self.machine.name)
        return run


def shooting_of(
    machine: Machine, start: Mapping[str, Any] | None, drives: Mapping[str, Any] | None,
    efforts: Mapping[str, Any] | None, states: Mapping[str, Any] | None, rtol: float, atol: float,
) -> Shooting:  # fmt: skip
    """What is asked for, checked."""
    unknown = [name for name in states or {} if name not in machine.states]
    if unknown:
        from linkwork.names import no_such

        raise InputError([no_such("state", n, machine.states, "states") for n in unknown], machine.name)
    names = tuple(free_variables(machine, start, drives))
    asked = {"drives": drives, "efforts": efforts, "rtol": rtol, "atol": atol}
    return Shooting(machine, names, tuple(machine.states), asked)


def machine_states(machine: Machine) -> dict[str, float]:
    """Where named states start, as the model says."""
    from linkwork.analyses.forces.trajectory import states_at_start

    values = states_at_start(machine.loops, 1)[0]
    return dict(zip((own.name for own in machine.plan.states), values.tolist(), strict=True))


def machine_name(machine: Machine, name: str) -> str:
    """The full name of a variable; the name itself where it stands for none, which a simulation then tells."""
    found = machine.loops.book.find(name, "variable")
    return name if found is None else machine.plan.variables[found.place]


def free_variables(machine: Machine, start: Mapping[str, Any] | None, drives: Mapping[str, Any] | None) -> list[str]:
    """Independent variables that no drive moves, those that `start` names before others."""
    loops = machine.loops
    home = machine.home
    if not home.mobility:
        raise NoFreedom(Problem("mobility zero: nothing vibrates"), machine.name, home)
    full = [machine_name(machine, n) for n in (drives or {})]
    driven = np.isin(np.array(loops.names(np.arange(loops.columns))), full)
    prefer = preference(loops).copy()
    for name in start or {}:
        prefer[np.array(loops.names(np.arange(loops.columns))) == machine_name(machine, name)] += 10
    roles = loops.chosen(home.y, driven, prefer)
    names = list(loops.names([c for c in roles.independent if not driven[c]]))
    strange = [n for n in names if n not in machine.variables]
    if strange:
        text = f"{', '.join(strange)} turns freely, and has no variable that could come back to its start"
        raise InputError(Problem(text, "periodic", "use revolute joints in its place"), machine.name)
    if not names:
        text = "all freedoms are driven: the motion is theirs"
        raise InputError(Problem(text, "drives", "ask `forces` for it"), machine.name)
    return names
