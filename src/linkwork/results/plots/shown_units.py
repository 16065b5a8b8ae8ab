"""Signals in the units in which they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from linkwork.errors import InputError, ModelError, Problem, did_you_mean
from linkwork.geometry import Array
from linkwork.results.plots.description import Axis
from linkwork.results.signals import Signal, Units
from linkwork.units import FORCE, SI, TIME, TORQUE, Dimension, UnitSystem, parse_unit

KINDS = {TORQUE: "torque", FORCE * TIME: "momentum", TORQUE * TIME: "angular momentum"}
"""What is along an axis, where the name of a dimension says too much or nothing."""

WHOLE = ("J", "W")
"""Units that stay as they are in every metric system: nobody reads N mm/s."""


@dataclass(frozen=True)
class Quantity:
    """Numbers with a name and an SI unit: what a signal is to a plot."""

    name: str
    unit: str
    values: Array


@dataclass(frozen=True)
class Shown:
    """A quantity in the unit in which it is shown.

    kind : what it is: 'angle', 'force'; a torque and an energy are of one dimension
    missing : why it has no numbers at all, '' where it has some
    factor : how many SI units its unit is
    """

    name: str
    symbol: str
    dimension: Dimension
    values: Array
    kind: str
    missing: str = ""
    factor: float = 1.0

    @property
    def axis(self) -> Axis:
        """The axis along which it is drawn."""
        return Axis(self.name, self.symbol, self.kind)


class Showing:
    """Units to show: by dimension, and of single signals by name. InputError lists everything wrong with them.

    units : as the user gave them
    quantities : everything that is plotted
    default : the system where the user gave nothing, and for dimensions that the user did not name
    """

    def __init__(self, units: Units, quantities: Sequence[Quantity | Signal], default: UnitSystem = SI) -> None:
        system, self._own = _system(units, {q.name: q for q in quantities}, default)
        self._system = replace(system, force=system.symbol(FORCE))

    def __call__(self, quantity: Quantity | Signal) -> Shown:
        """A quantity in its unit."""
        _, dimension = parse_unit(quantity.unit)
        kind = "energy" if quantity.unit == "J" else KINDS.get(dimension, str(dimension))
        symbol = self._own.get(quantity.name)
        if not symbol and quantity.unit in WHOLE and self._system.force.endswith("N"):
            symbol = quantity.unit
        factor = parse_unit(symbol)[0] if symbol else self._system.factor(dimension)
        values = np.asarray(quantity.values, np.float64) / factor
        symbol = symbol or self._system.symbol(dimension)
        open_ = isinstance(quantity, Signal) and quantity.indeterminate and not np.isfinite(values).any()
        missing = "indeterminate" if open_ else ""
        return Shown(quantity.name, symbol, dimension, values, kind, missing, factor)


def _system(
    units: Units, quantities: Mapping[str, Quantity | Signal], default: UnitSystem
) -> tuple[UnitSystem, dict[str, str]]:
    if units is None:
        return default, {}
    if isinstance(units, UnitSystem):
        return units, {}
    if not isinstance(units, Mapping):
        raise InputError(Problem("units are a table", "units", 'write units={"angle": "deg", "length": "mm"}'))
    known = [f.name for f in fields(UnitSystem)]
    problems = []
    for key, unit in units.items():
        if key not in known and key not in quantities:
            hint = did_you_mean(str(key), [*known, *quantities])
            problems.append(Problem(f"'{key}' is neither a dimension nor a signal of this plot", "units", hint))
        elif key not in known:
            problems += _misfits(quantities[key], unit)
    header = {k: v for k, v in units.items() if k in known}
    system = default
    try:
        system = UnitSystem.parse({k: getattr(default, k) for k in known if getattr(default, k)} | header)
    except ModelError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    return system, {k: v for k, v in units.items() if k not in known}


def _misfits(quantity: Quantity | Signal, unit: str) -> list[Problem]:
    """What is wrong with the unit of a single quantity."""
    try:
        _, given = parse_unit(unit)
    except ModelError as error:
        return list(error.problems)
    wanted = parse_unit(quantity.unit)[1]
    if wanted.accepts(given):
        return []
    return [Problem(f"'{unit}' measures {given}, not {wanted}", quantity.name, f"it is in {quantity.unit}")]
