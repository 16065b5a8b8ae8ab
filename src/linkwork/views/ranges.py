"""Least and greatest values of everything that the joints of a run do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from linkwork.results import Run

LEVELS = ("value", "rate", "acceleration", "jerk")


@dataclass(frozen=True)
class Range:
    """Least and greatest of the samples, in SI; nan where no sample is finite."""

    unit: str
    least: float
    greatest: float

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {"unit": self.unit, "least": self.least, "greatest": self.greatest}


def joint_ranges(run: Run) -> dict[str, dict[str, Range]]:
    """By variable (and by speed, of joints that turn freely), then by value, rate, acceleration and jerk."""
    found: dict[str, dict[str, Range]] = {}
    attrs = run.arrays.attrs
    for joint in dict.fromkeys([*attrs["joints"], *attrs["speeds"]]):
        for variable in attrs["joints"].get(joint, ()):
            own = {level: f"{joint}.{variable}.{level}" for level in LEVELS[1:]}
            found[f"{joint}.{variable}"] = _ranges(run, {"value": f"{joint}.{variable}", **own})
        for speed in attrs["speeds"].get(joint, ()):
            own = {level: f"{joint}.{speed}.{level}" for level in LEVELS[2:]}
            found[f"{joint}.{speed}"] = _ranges(run, {"rate": f"{joint}.{speed}", **own})
    return found


def _ranges(run: Run, names: dict[str, str]) -> dict[str, Range]:
    return {level: _range(run.signal(name)) for level, name in names.items() if name in run}


def _range(signal: Any) -> Range:
    finite = signal.values[np.isfinite(signal.values)]
    if not finite.size:
        return Range(signal.unit, np.nan, np.nan)
    return Range(signal.unit, float(finite.min()), float(finite.max()))
