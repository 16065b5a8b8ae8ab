"""What many simulations of one machine are asked for: numbers that are shared, and arrays where runs differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.failures import ClosureError
from linkwork.analyses.kinematics.given_values import merged
from linkwork.analyses.simulation.question import Asked, asked
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine
    from linkwork.results.simulation import Simulation

GIVEN = ("start", "rates", "efforts", "states")
"""What `Machine.simulate` takes, and may differ from run to run."""
USUAL: dict[str, Any] = dict.fromkeys(("drives", "events", "controller", "rate", "samples", "times", "step"), None) | {
    "events": (),
    "method": "auto",
    "rtol": 1e-7,
    "atol": 1e-9,
}
"""What `asked` takes besides, unless it is given."""


@dataclass(frozen=True, eq=False)
class Given:
    """What is asked for, with arrays (runs,) where runs differ.

    kinds : start, rates, efforts, parameters, states; each by name
    shared : what else `Machine.simulate` takes, the same for all
    """

    machine: Machine
    kinds: dict[str, dict[str, Any]]
    shared: dict[str, Any]
    count: int

    @property
    def inputs(self) -> dict[str, Array]:
        """What differs, by name."""
        found: dict[str, Array] = {}
        for kind, own in self.kinds.items():
            for name, value in own.items():
                if np.ndim(value) == 1:
                    found[name if kind == "parameters" else f"{kind}.{name}"] = np.asarray(value, float)
        return found

    def of(self, kind: str, run: int) -> dict[str, Any]:
        """The values of a run."""
        return {n: float(x[run]) if np.ndim(x) == 1 else x for n, x in self.kinds[kind].items()}

    def single(self, run: int) -> Simulation:
        """One of them by itself."""
        changed = self.of("parameters", run)
        machine = self.machine.with_parameters(changed) if changed else self.machine
        own: dict[str, Any] = {kind: self.of(kind, run) for kind in GIVEN}
        return machine.simulate(**own, **self.shared)

    def first(self, machine: Machine, wrong: Sequence[Problem]) -> Asked:
        """What is asked, with the start of the first run that can begin; whatever else is wrong is raised."""
        unreached = None
        for k in range(self.count):
            own = {kind: self.of(kind, k) for kind in GIVEN}
            try:
                return asked(machine, **{**USUAL, **self.shared, **own}, also=wrong)
            except ClosureError as error:
                unreached = unreached or error
        assert unreached is not None
        raise unreached


def given(machine: Machine, kinds: Mapping[str, Mapping[str, Any] | None], shared: dict[str, Any]) -> Given:
    """Checked: arrays are of one length, and finite."""
    named = {kind: dict(merged(own, {}, machine.name)) for kind, own in kinds.items()}
    problems: list[Problem] = []
    lengths: dict[str, int] = {}
    for kind, own in named.items():
        for name, value in own.items():
            where = f"{kind}.{name}"
            if isinstance(value, (list, tuple, np.ndarray)):
                own[name] = value = np.asarray(value, float)
                if value.ndim != 1 or not value.size or not np.isfinite(value).all():
                    problems.append(Problem("one finite number for each run is wanted", where))
                else:
                    lengths[where] = len(value)
    if not problems and not lengths:
        hint = "give an array somewhere, such as start={'A': np.linspace(0, 1, 100)}"
        problems.append(Problem("nothing differs between the runs", hint=hint))
    if len(set(lengths.values())) > 1:
        text = "arrays of different lengths: " + ", ".join(f"{n} has {k}" for n, k in lengths.items())
        problems.append(Problem(text, hint="one number for each run everywhere"))
    if problems:
        raise InputError(problems, machine.name)
    return Given(machine, named, shared, next(iter(lengths.values())))
