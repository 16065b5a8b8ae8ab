"""Named states in a model file: a law of their change, a start, and the numbers of the law; bare numbers are SI."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import Field

from linkwork.errors import ModelError
from linkwork.files.entries.amounts import AmountText, read_amount
from linkwork.files.entries.base import Entry, Gather, Text, located
from linkwork.files.entries.constraints import Numbers
from linkwork.files.entries.loads import LoadNumber
from linkwork.files.quantities import free_quantity, quantity
from linkwork.model.amounts import TIME, variable_in
from linkwork.model.mechanism import Mechanism
from linkwork.model.states import unit_dimension
from linkwork.model.variables import find_variable
from linkwork.names import nothing_called
from linkwork.units import NUMBER, SI, Dimension
from linkwork.units import TIME as SECONDS

SECTION = "states"


class StateEntry(Entry):
    """A state of the machine beside its joints: a current, a pressure, the integral of a controller."""

    rate: AmountText = Field(description="its change a second: a number, a formula, {formula, unit}, or {table, over}")
    start: LoadNumber = Field(0.0, description="its value at the start, bare in `unit` or with a unit such as '2 A'")
    unit: Text = Field("1", description="SI unit of its value: A, V, Pa, K")
    scale: LoadNumber = Field(1.0, description="a size that is usual for it: tolerances count it like a radian")
    parameters: Numbers = None
    description: Text = ""

    def add(self, m: Mechanism, name: str, others: Mapping[str, Dimension]) -> None:
        """Add the state to a mechanism; others : what the states of the file measure, by name."""
        where = f"{SECTION}.{name}"
        with Gather() as part:
            dimension = part(unit_dimension, self.unit, f"{where}.unit")
            own = NUMBER if dimension is None else dimension
            measure = _measure(m, others)
            rate = part(read_amount, self.rate, own / SECONDS, measure, SI, f"{where}.rate")
            start, scale = (
                part(located, lambda v=value: quantity(v, own, SI), f"{where}.{key}") if dimension is not None else 0.0
                for key, value in (("start", self.start), ("scale", self.scale))
            )
            numbers: dict[str, float] = {}
            for key, value in (self.parameters or {}).items():
                found = part(located, lambda v=value: free_quantity(v), f"{where}.parameters.{key}")
                numbers[str(key)] = 0.0 if found is None else found
        assert rate is not None and start is not None and scale is not None
        m.state(
            name, rate=rate, start=start, unit=self.unit, scale=scale, parameters=numbers, description=self.description
        )


def state_dimensions(entries: Any) -> dict[str, Dimension]:
    """What the states of a file measure, as far as their units can be understood."""
    found: dict[str, Dimension] = {}
    for name, entry in entries.items() if isinstance(entries, dict) else ():
        unit = entry.get("unit", "1") if isinstance(entry, dict) else "1"
        try:
            found[str(name)] = unit_dimension(unit, "")
        except ModelError:
            found[str(name)] = NUMBER
    return found


def _measure(m: Mechanism, others: Mapping[str, Dimension]) -> Callable[[str], Dimension]:
    """What a name that a table is over measures."""

    def measure(name: str) -> Dimension:
        if name == TIME:
            return SECONDS
        if name in others:
            return others[name]
        found = find_variable(m.owners, variable_in(name))
        if found is None:
            raise ModelError(nothing_called(variable_in(name), [TIME, *m.owners, *others]))
        return found.quantity if variable_in(name) == name else found.quantity / SECONDS

    return measure
