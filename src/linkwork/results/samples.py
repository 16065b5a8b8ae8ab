"""Samples of a run: by number, by time, and on the straight line between two."""

from __future__ import annotations

import math
from numbers import Real
from operator import index as whole
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import InputError, Problem
from linkwork.geometry import Array, nearest_rotation
from linkwork.results.layout import COUNTS
from linkwork.results.names import Names

if TYPE_CHECKING:
    from linkwork.results.arrays import Arrays

ROUNDING = 1e-9
"""How far from a sample a time may lie, of the whole range, and still mean it."""

QUATERNION = ("qw", "qx", "qy", "qz")


def sample(data: Arrays, number: int) -> dict[str, Any]:
    """The sample of a number, by full name."""
    n = data.sizes["time"]
    if not -n <= whole(number) < n:
        hint = f"they go from 0 to {n - 1}" if n else "the run reached none"
        raise InputError(Problem(f"there is no sample {number}", "isel", hint))
    found: dict[str, Any] = {"time": float(data["time"].values[number])}
    for name, variable in data.data_vars.items():
        value = variable.values[number]
        found[str(name)] = value.item() if value.ndim == 0 else np.array(value)
    return found


def at(data: Arrays, names: Names, time: float, tolerance: float | None, interpolate: bool) -> dict[str, Any]:
    """The nearest sample within the tolerance, or the straight line between the two around a time."""
    clock: Array = data["time"].values
    asked = _time(time, "at")
    if not clock.size:
        raise InputError(Problem("the run has no samples", "at"))
    reach = ROUNDING * float(clock[-1] - clock[0] + abs(clock[-1]))
    # Of two samples at one time, before and after an event, the later counts.
    after = int(np.searchsorted(clock, asked, side="right"))
    near = [i for i in (after - 1, after) if 0 <= i < clock.size]
    nearest = min(near, key=lambda i: abs(float(clock[i]) - asked))
    gap = abs(float(clock[nearest]) - asked)
    if interpolate:
        if gap <= reach:
            return sample(data, nearest)
        if 0 < after < clock.size:
            return _between(data, names, after - 1, asked)
        hint = f"it goes from {clock[0]:.9g} s to {clock[-1]:.9g} s"
        raise InputError(Problem(f"{asked:.9g} s is outside of the run", "at", hint))
    if tolerance is not None and not (isinstance(tolerance, Real) and tolerance >= 0.0):
        raise InputError(Problem("the tolerance must be a time, not negative", "at"))
    if gap > (reach if tolerance is None else tolerance):
        what = f"there is no sample at {asked:.9g} s; the nearest is at {clock[nearest]:.9g} s"
        raise InputError(Problem(what, "at", "give a tolerance, or interpolate=True"))
    return sample(data, nearest)


def between(clock: Array, start: float | None, stop: float | None) -> slice:
    """The samples from one time to another."""
    first = 0 if start is None else int(np.searchsorted(clock, _time(start, "sel"), side="left"))
    last = clock.size if stop is None else int(np.searchsorted(clock, _time(stop, "sel"), side="right"))
    return slice(first, max(first, last))


def _time(value: Any, where: str) -> float:
    if not isinstance(value, Real) or not math.isfinite(value):
        raise InputError(Problem("a time is a finite number of seconds", where))
    return float(value)


def _between(data: Arrays, names: Names, first: int, time: float) -> dict[str, Any]:
    left, right = sample(data, first), sample(data, first + 1)
    part = (time - left["time"]) / (right["time"] - left["time"])
    flips = _flips(names, left, right)
    found: dict[str, Any] = {}
    for name, value in left.items():
        if name in COUNTS:
            found[name] = value if part < 0.5 else right[name]
        else:
            found[name] = (1.0 - part) * value + part * flips.get(name, 1.0) * right[name]
        if name.endswith(".rotation") and np.isfinite(found[name]).all():
            found[name] = nearest_rotation(found[name])[0]
    for group in _quaternions(names):
        length = math.hypot(*(found[n] for n in group))
        found |= {n: found[n] / length for n in group}
    return found | {"time": time}


def _quaternions(names: Names) -> list[list[str]]:
    owners = [o for o, variables in names.joints.items() if set(QUATERNION) <= set(variables)]
    return [[f"{o}.{c}" for c in QUATERNION] for o in owners]


def _flips(names: Names, left: dict[str, Any], right: dict[str, Any]) -> dict[str, float]:
    """-1 for quaternions whose sign changes between the samples: both signs are the same rotation."""
    groups = [g for g in _quaternions(names) if sum(left[n] * right[n] for n in g) < 0.0]
    return {n: -1.0 for g in groups for n in g}
