"""A result on any axes from plain arrays: what analyses call whose answers do not lie along time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork._version import __version__
from linkwork.errors import InputError, Problem
from linkwork.names import no_such
from linkwork.results.layout import BEYOND, unit_problem
from linkwork.results.result import Result
from linkwork.results.result_layout import NAME, WITHIN, make_result_arrays, result_attribute_problems
from linkwork.results.result_layout import result_attributes as attributes

Numbered = tuple[str, ArrayLike]
"""An SI unit and numbers."""


def build_result(
    axes: Mapping[str, Numbered | Sequence[str]],
    signals: Mapping[str, tuple[str, str | Sequence[str], ArrayLike]],
    *,
    mechanism: str = "",
    analysis: str = "result",
    labels: Mapping[str, tuple[str, Numbered | Sequence[str]]] | None = None,
    joints: Mapping[str, Sequence[str]] | None = None,
    bodies: Sequence[str] = (),
    frames: Sequence[str] = (),
    points: Sequence[str] = (),
    status: str = "complete",
    message: str = "",
    warnings: Sequence[str] = (),
    evidence: Mapping[str, Any] | None = None,
    machine: Any = None,
) -> Result:
    """A result from plain arrays; InputError lists everything that does not fit.

    Parameters
    ----------
    axes : by name, a unit (SI) and the coordinates, ("Hz", f); or texts, ["A", "B"]
    signals : by name, a unit (SI), the axes along which it lies (one name, or several), and numbers, real or complex;
        one more dimension of 3 makes vectors, two more make matrices
    mechanism, analysis : the name of the machine, and the question: 'modes', 'frequency response'
    labels : what else stands along an axis, by name: the axis, and what an axis may have
    joints, bodies, frames, points : what of the names is what, so that shorthand such as 'P.x' is understood; of joints
        the short names of their variables
    status, message : 'complete' or 'stopped', and why it stopped
    warnings : what the user should know
    evidence : how far it can be trusted: plain data by name
    machine : the machine that was asked
    """
    problems: list[Problem] = []
    scales: dict[str, tuple[str, Any]] = {}
    for name, axis in axes.items():
        problems += _name_problems(name, {*signals, *(labels or {})})
        if (scale := _scale(name, axis, problems)) is not None:
            scales[name] = scale
    along: dict[str, tuple[str, str, Any]] = {}
    for name, (axis_name, label) in (labels or {}).items():
        problems += _name_problems(name, set(signals))
        found = _scale(name, label, problems)
        if axis_name not in axes:
            problems.append(no_such("axis", axis_name, axes, name))
        elif found is not None and axis_name in scales and len(found[1]) != len(scales[axis_name][1]):
            problems.append(_misfit(name, found[1].shape, (len(scales[axis_name][1]),)))
        elif found is not None:
            along[name] = (axis_name, *found)
    drafts: dict[str, tuple[str, tuple[str, ...], Any]] = {}
    for name, (unit, own, numbers) in signals.items():
        problems += _name_problems(name, set())
        where = (own,) if isinstance(own, str) else tuple(own)
        missing = [a for a in where if a not in axes]
        problems += [no_such("axis", a, axes, name) for a in missing]
        if problem := unit_problem(unit, name):
            problems.append(problem)
        array = _array(numbers)
        if array.dtype.kind not in "fiuc":
            problems.append(Problem("these are not numbers, real or complex", name))
        elif all(a in scales for a in where):
            wanted = tuple(len(scales[a][1]) for a in where)
            if array.shape[: len(wanted)] != wanted or array.shape[len(wanted) :] not in BEYOND:
                problems.append(_misfit(name, array.shape, wanted))
            else:
                drafts[name] = (unit, where, array)
    attrs = attributes(
        mechanism=mechanism,
        analysis=analysis,
        linkwork=__version__,
        status=status,
        message=message,
        warnings=list(warnings),
        joints={joint: list(names) for joint, names in (joints or {}).items()},
        bodies=list(bodies),
        frames=list(frames),
        points=list(points),
        evidence=dict(evidence or {}),
    )
    problems += result_attribute_problems(attrs)
    if problems:
        raise InputError(problems, mechanism)
    return Result(make_result_arrays(scales, along, drafts, attrs), machine)


def _name_problems(name: Any, taken: set[str]) -> list[Problem]:
    if not isinstance(name, str) or not NAME.fullmatch(name) or name in WITHIN:
        return [Problem("this is not the name of a result", str(name), "write frequency, or P.position")]
    return [Problem("there are two results of this name", name, "one name, one thing")] if name in taken else []


def _scale(name: str, given: Any, problems: list[Problem]) -> tuple[str, Any] | None:
    """Unit and coordinates of an axis; '' is the unit of texts."""
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str) and not isinstance(given[1], str):
        unit, values = given[0], _array(given[1])
        if problem := unit_problem(unit, name):
            problems.append(problem)
        if values.dtype.kind in "fiu" and values.ndim == 1:
            return unit, values
    else:
        values = _array(given)
        if values.dtype.kind == "U" and values.ndim == 1:
            return "", values
    problems.append(Problem("these are no coordinates", name, 'give ("Hz", numbers), or a list of texts'))
    return None


def _array(given: Any) -> Any:
    try:
        return np.asarray(given)
    except ValueError:  # rows of different lengths
        return np.asarray(None)


def _misfit(name: str, given: tuple[int, ...], wanted: tuple[int, ...]) -> Problem:
    text = f"an array of shape {given} is given, {wanted} is wanted"
    return Problem(text, name, "vectors have a dimension of 3 more, matrices two of them")
