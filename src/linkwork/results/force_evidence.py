"""What a run of forces comes to: efforts of the drives, the joints that carry most, and the balance of power."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.geometry import Array
from linkwork.results.averages import mean_square_over_time
from linkwork.results.open_components import carriers, known

if TYPE_CHECKING:
    from linkwork.results.arrays import Arrays

BALANCE = "machine.power_balance"


@dataclass(frozen=True)
class Peak:
    """The largest value of a force, torque or moment.

    name : of the variable that is driven, or of the joint that carries it
    value, unit, at : the value that is largest in size, with its sign; its unit and its time [s]
    rms : root of the mean square over time; NaN where some samples have no value
    missing : samples without a value, as at singular postures; value is NaN only where all are
    """

    name: str
    value: float
    unit: str
    at: float
    rms: float
    missing: int = 0


@dataclass(frozen=True)
class ForceEvidence:
    """Forces of a run in a few numbers. What was not recorded is empty or None.

    efforts : of every driven or held variable; those of free ones are not 0 by rounding alone, and left out
    largest_force, largest_moment : of the joint whose reaction is largest, without what is indeterminate
    indeterminate : components of reactions that statics leaves open: ('B.fz', 'B.mx')
    power_error, power_error_at : largest error [W] of the balance of power, and its time [s]
    largest_power : of a drive or a load [W]: what the error is measured by
    """

    efforts: tuple[Peak, ...]
    largest_force: Peak | None
    largest_moment: Peak | None
    indeterminate: tuple[str, ...]
    power_error: float | None
    power_error_at: float | None
    largest_power: float | None


def force_evidence_of(data: Arrays) -> ForceEvidence | None:
    """The evidence of forces in a dataset, None where there are none."""
    shapes = {str(n): v.shape[1:] for n, v in data.variables.items() if v.dims[:1] == ("time",)}
    drives = [n for n, shape in shapes.items() if n.endswith(".effort") and n.count(".") == 2 and shape == ()]
    joints = carriers(shapes, data.attrs["joints"])
    if not data.sizes["time"] or not (drives or joints or shapes.get(BALANCE) == ()):
        return None
    time: Array = data.variables["time"].values
    free = {f"{name}.effort" for name in data.attrs.get("free", ())}
    drives = [n for n in drives if n not in free]
    efforts = [_peak(n.removesuffix(".effort"), data.variables[n].values, _unit(data, n), time) for n in drives]
    error = _peak("machine", data.variables[BALANCE].values, "W", time) if shapes.get(BALANCE) == () else None
    error = None if error is None or np.isnan(error.value) else error
    powers = [abs(_peak(n, data.variables[n].values, "W", time).value) for n in shapes if n.endswith(".power")]
    return ForceEvidence(
        efforts=tuple(efforts),
        largest_force=_largest(data, [v for j in joints if shapes.get(v := f"{j}.force") == (3,)], time),
        largest_moment=_largest(data, [v for j in joints if shapes.get(v := f"{j}.moment") == (3,)], time),
        indeterminate=tuple(f"{joint}.{c}" for joint, marked in data.attrs["indeterminate"].items() for c in marked),
        power_error=None if error is None else abs(error.value),
        power_error_at=None if error is None else error.at,
        largest_power=max((power for power in powers if np.isfinite(power)), default=None),
    )


def _unit(data: Arrays, name: str) -> str:
    return str(data.variables[name].attrs["units"])


def _peak(name: str, values: Array, unit: str, time: Array) -> Peak:
    """Peak of the samples that have a value, and root mean square of all."""
    there = np.isfinite(values)
    at = int(np.argmax(np.where(there, np.abs(values), -1.0)))
    value = float(values[at]) + 0.0 if there[at] else np.nan  # no -0
    rms = float(mean_square_over_time(values, time)) ** 0.5 if there.all() else np.nan
    return Peak(name, value, unit, float(time[at]), rms, int((~there).sum()))


def _largest(data: Arrays, names: Iterable[str], time: Array) -> Peak | None:
    """The largest vector by its length, of what is determinate."""
    found = [_peak(n.partition(".")[0], np.linalg.norm(known(data, n), axis=1), _unit(data, n), time) for n in names]
    found = [e for e in found if e.value != 0.0]
    return max(found, key=lambda e: -1.0 if np.isnan(e.value) else e.value, default=None)
