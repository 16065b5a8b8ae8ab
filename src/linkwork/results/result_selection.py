"""Parts of a result by coordinates: one, several, or all between two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import InputError, ModelError, Problem
from linkwork.names import no_such
from linkwork.results.result_layout import axes_of

if TYPE_CHECKING:
    import xarray as xr

ROUNDING = 1e-9
"""How far from a coordinate a number may lie, of the largest one, and still mean it."""


def selected(data: xr.Dataset, where: Mapping[str, Any]) -> tuple[xr.Dataset, str]:
    """The part, and what it is in words: 'mode 2 of 3'. InputError lists everything that is not there."""
    axes = axes_of(list(data.sizes))
    problems: list[Problem] = []
    places: dict[str, Any] = {}
    told = []
    for axis, asked in where.items():
        if axis not in axes:
            problems.append(no_such("axis", axis, axes, "select"))
            continue
        try:
            places[axis] = found = _places(data[axis].values, asked, axis)
        except ModelError as error:
            problems += error.problems
            continue
        count = data.sizes[axis]
        told.append(f"{axis} {asked} of {count}" if np.ndim(found) == 0 else f"{len(found)} of {count} along {axis}")
    if problems:
        raise InputError(problems, str(data.attrs["mechanism"]))
    return data.isel(places), ", ".join(told) or "all"


def _places(labels: Any, asked: Any, axis: str) -> Any:
    """Where coordinates stand: a number, or an array of numbers."""
    if isinstance(asked, slice):
        return _between(labels, asked, axis)
    if isinstance(asked, (list, tuple, range, np.ndarray)):
        return np.array([_place(labels, one, axis) for one in asked], np.int64)
    return _place(labels, asked, axis)


def _between(labels: Any, asked: slice, axis: str) -> Any:
    if asked.step is not None or labels.dtype.kind == "U":
        raise InputError(Problem("a slice has two numbers, its ends", axis, "several coordinates are given as a list"))
    low, high = (end if end is not None else far for end, far in ((asked.start, -np.inf), (asked.stop, np.inf)))
    if not all(isinstance(end, (int, float, np.number)) for end in (low, high)):
        raise InputError(Problem("the ends of a slice are numbers", axis))
    slack = ROUNDING * float(np.abs(labels).max(initial=0.0))
    return np.flatnonzero((labels >= low - slack) & (labels <= high + slack))


def _place(labels: Any, asked: Any, axis: str) -> int:
    if labels.dtype.kind == "U":
        if str(asked) in labels.tolist():
            return int(labels.tolist().index(str(asked)))
        raise InputError(no_such(axis, asked, labels.tolist(), axis))
    if isinstance(asked, bool) or not isinstance(asked, (int, float, np.number)):
        raise InputError(Problem(f"a {axis} is given by its number, not by {type(asked).__name__}", axis))
    if not labels.size:
        raise InputError(Problem(f"there is no {axis} at all", axis))
    nearest = int(np.argmin(np.abs(labels - asked)))
    if abs(labels[nearest] - asked) > ROUNDING * float(np.abs(labels).max(initial=0.0)):
        hint = f"they go from {labels.min():.9g} to {labels.max():.9g}"
        raise InputError(Problem(f"there is no {axis} {asked:.9g}; the nearest is {labels[nearest]:.9g}", axis, hint))
    return nearest
