"""What forces a machine at a frequency: drives, efforts and numbers of the model, which may be functions of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linkwork.analyses.periodic.shooting import Shooting, shooting_of

if TYPE_CHECKING:
    from linkwork.analyses.machine import Machine

Given = Mapping[str, Any] | Callable[[float], Mapping[str, Any]] | None
RTOL, ATOL = 1e-10, 1e-12


@dataclass(frozen=True, eq=False)
class Forcing:
    """A machine and what acts at each frequency [Hz].

    names : variables that `start` names, which are taken as free ones before others
    """

    machine: Machine
    drives: Given
    efforts: Given
    parameters: Given
    names: tuple[str, ...] = ()

    def at(self, frequency: float) -> Shooting:
        """The machine as it is forced at a frequency."""
        drives, efforts, numbers = (
            own(frequency) if callable(own) else own for own in (self.drives, self.efforts, self.parameters)
        )
        machine = self.machine.with_parameters(dict(numbers)) if numbers else self.machine
        return shooting_of(machine, dict.fromkeys(self.names, 0.0), drives, efforts, None, RTOL, ATOL)
