"""The result of a simulation: plain arrays at once, and a run with everything by name when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from linkwork.results.happenings import Happening
from linkwork.results.request import Request
from linkwork.results.run import Run
from linkwork.results.sensitivities import Sensitivities

if TYPE_CHECKING:
    import xarray as xr

    from linkwork.results.arrays import Arrays

LATER = ("_data", "_shown", "_names")
"""What is made when it is first asked for."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of a simulation, as arrays.

    t : times [s] of the samples that were reached
    y, w, a : variables, rates and accelerations of all joints, one sample a row
    happened : gives the events that took place, in order; `events` are these, made when they are first asked for
    status, message : 'complete' or 'stopped', and why
    nfev, steps, rejected : evaluations of the accelerations, steps, and steps that were taken back
    methods : that were used
    x, dx : named states and their rates, one sample a row
    """

    t: Any
    y: Any
    w: Any
    a: Any
    happened: Callable[[], tuple[Happening, ...]]
    status: str
    message: str
    nfev: int
    steps: int
    rejected: int
    methods: tuple[str, ...]
    x: Any = None
    dx: Any = None

    @cached_property
    def events(self) -> tuple[Happening, ...]:
        """Events that took place, in order."""
        return self.happened()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "happened": partial(tuple, self.events)}


class Simulation(Run):
    """A run of a simulation. Arrays are there at once; the signals by name are made when they are first asked for.

    Parameters
    ----------
    outcome : the arrays
    make : function that gives the run by name, or its arrays
    machine : the machine that moved
    sensitive : derivatives that were carried along, if there are any
    request : what was asked for
    """

    __slots__ = ("_make", "outcome", "request")

    outcome: Outcome
    """What came of it, as arrays."""
    request: Request | None
    """What was asked for: plain data, which can be pickled and asked again."""
    _make: Callable[[], Run | Arrays | xr.Dataset]

    def __init__(
        self,
        outcome: Outcome,
        make: Callable[[], Run | Arrays | xr.Dataset],
        machine: Any,
        sensitive: Sensitivities | None = None,
        request: Request | None = None,
    ) -> None:
        object.__setattr__(self, "outcome", outcome)
        object.__setattr__(self, "_sensitive", sensitive)
        object.__setattr__(self, "request", request)
        object.__setattr__(self, "_make", make)
        object.__setattr__(self, "machine", machine)

    def __reduce__(self) -> tuple[Any, ...]:
        kept = None if self._sensitive is None else self._sensitive.kept()
        return _restored, (self.outcome, self.data, self.machine, kept)

    def __getattr__(self, name: str) -> Any:
        if name in LATER:
            made = self._make()
            named = made if isinstance(made, Run) else Run(made, self.machine)
            for own in LATER:
                object.__setattr__(self, own, getattr(named, own))
            return object.__getattribute__(self, name)
        if name == "evidence":
            return super().__getattr__(name)
        raise AttributeError(f"a simulation has no '{name}'")

    @property
    def status(self) -> str:
        """'complete', or 'stopped' when it ended before its time."""
        return self.outcome.status

    @property
    def message(self) -> str:
        """Why it stopped; empty when it is complete."""
        return self.outcome.message

    @property
    def success(self) -> bool:
        """True when it came to its end."""
        return self.outcome.status == "complete"

    @property
    def time(self) -> Any:
        """Time [s] of the samples, a numpy array."""
        return self.outcome.t

    @property
    def t(self) -> Any:
        """Time [s] of the samples, a numpy array."""
        return self.outcome.t

    @property
    def y(self) -> Any:
        """Variables of all joints, (samples, variables), in the order of `Machine.variables`."""
        return self.outcome.y

    @property
    def w(self) -> Any:
        """Rates of all joints, (samples, rates), in the order of `Machine.variable_rates`."""
        return self.outcome.w

    @property
    def a(self) -> Any:
        """Accelerations of all joints, (samples, rates)."""
        return self.outcome.a

    @property
    def dw(self) -> Any:
        """Accelerations of all joints, (samples, rates), as of every run."""
        return self.outcome.a

    @property
    def x(self) -> Any:
        """Named states, (samples, states), in the order in which they were declared."""
        return self.outcome.x

    @property
    def events(self) -> tuple[Happening, ...]:
        """Events that took place, in order."""
        return self.outcome.events

    @property
    def nfev(self) -> int:
        """Evaluations of the accelerations."""
        return self.outcome.nfev

    @property
    def steps(self) -> int:
        """Steps that were taken."""
        return self.outcome.steps

    @property
    def rejected(self) -> int:
        """Steps that were taken back because they were too long."""
        return self.outcome.rejected

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods that were used, in order."""
        return self.outcome.methods

    def __len__(self) -> int:
        return len(self.outcome.t)


def _restored(outcome: Outcome, data: xr.Dataset, machine: Any, sensitive: Sensitivities | None) -> Simulation:
    """A simulation from a pickle, with everything that it can be asked for."""
    return Simulation(outcome, partial(_same, data), machine, sensitive)


def _same(data: xr.Dataset) -> xr.Dataset:
    return data
