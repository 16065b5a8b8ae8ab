"""What many simulations of one machine are asked for: numbers that are shared, and arrays where runs differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.failures import ClosureError
from linkwork.analyses.kinematics.given_values import merged
from linkwork.analyses.simulation.question import Asked, asked
from linkwork.errors import Gathered, Problem
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
    wrong : what does not fit about the arrays
    """

    machine: Machine
    kinds: dict[str, dict[str, Any]]
    shared: dict[str, Any]
    count: int
    wrong: tuple[Problem, ...] = ()
    sizes: Mapping[str, Array] = field(default_factory=dict)
    """Named dimensions that differ, from which some of the parameters follow."""
    following: frozenset[str] = frozenset()

    @property
    def inputs(self) -> dict[str, Array]:
        """What differs, by name."""
        found: dict[str, Array] = {name: x for name, x in self.sizes.items() if x.ndim == 1}
        for kind, own in self.kinds.items():
            for name, value in own.items():
                if np.ndim(value) == 1 and not (kind == "parameters" and name in self.following):
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
                return asked(machine, **{**USUAL, **self.shared, **own}, also=[*self.wrong, *wrong])
            except ClosureError as error:
                unreached = unreached or error
        assert unreached is not None
        raise unreached


def given(
    machine: Machine,
    kinds: Mapping[str, Mapping[str, Any] | None],
    shared: dict[str, Any],
    sizes: Mapping[str, Array] | None = None,
) -> Given:
    """What is asked for; what is wrong about the arrays is told together with all else, by `Given.first`.

    sizes : dimensions in place of which parameters are given that follow from them
    """
    named: dict[str, dict[str, Any]] = {}
    told = Gathered(machine.name)
    lengths: dict[str, int] = {}
    for kind, all_ in kinds.items():
        own = named[kind] = {}
        with told:
            own.update(merged(all_, {}, machine.name))
        for name, value in own.items():
            if isinstance(value, (list, tuple, np.ndarray)):
                numbers = _finite(value)
                if numbers is None:
                    own[name] = 0.0
                    told.problems.append(Problem("one finite number for each run is wanted", f"{kind}.{name}"))
                else:
                    own[name] = numbers
                    lengths[f"{kind}.{name}"] = len(numbers)
    if not told.problems and not lengths:
        hint = "give an array somewhere, such as start={'A': np.linspace(0, 1, 100)}"
        told.problems.append(Problem("nothing differs between the runs", hint=hint))
    if len(set(lengths.values())) > 1:
        text = "arrays of different lengths: " + ", ".join(f"{n} has {k}" for n, k in lengths.items())
        told.problems.append(Problem(text, hint="one number for each run everywhere"))
    count = 1 if told.problems else next(iter(lengths.values()))
    followed = frozenset(machine._layouts.slopes(list(sizes))[0]) if sizes else frozenset()
    return Given(machine, named, shared, count, tuple(told.problems), sizes or {}, followed)


def _finite(value: Any) -> Array | None:
    """One finite number for each run; None if that is not what they are."""
    try:
        numbers = np.asarray(value, float)
    except (TypeError, ValueError):
        return None
    return numbers if numbers.ndim == 1 and numbers.size and np.isfinite(numbers).all() else None
