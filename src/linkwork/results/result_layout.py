"""The layout of a result on any axes: what a dataset of modes, frequencies, runs or parameters must be like.

Every variable lies along named axes, such as (mode,), (frequency,), (run, time) or (length, mass); vectors have `axis`
(x, y, z) after these, matrices `row` and `column`. Every axis has a coordinate, numbers in SI or texts; more labels may
go along it. Numbers are float64, complex128 or int64. A variable of texts is a label, not a signal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.errors import Problem
from linkwork.results.arrays import Arrays, Variable, letters
from linkwork.results.layout import BEYOND, alike, is_text, kind_of, long_name, unit_problem
from linkwork.results.open_components import absence_problems, mark_problems

RESULT_FORMAT = "linkwork result 1"
NAME = re.compile(r"\w[\w-]*(\.\w[\w-]*){0,5}")
WITHIN = ("axis", "row", "column")
"""Axes inside of vectors and matrices, after all others."""
NUMBERS = "fiuc"
NESTED = ("joints", "speeds", "indeterminate")
STATE: dict[str, list[str]] = {}
"""The attribute `state` that simulations have besides: names of the signals of y, w and dw."""


def result_attributes(**given: Any) -> dict[str, Any]:
    """All attributes of a dataset, with those given."""
    return {
        "format": RESULT_FORMAT,
        "mechanism": "",
        "analysis": "",
        "linkwork": "",
        "status": "complete",
        "message": "",
        "part": "",
        "warnings": [],
        "joints": {},
        "speeds": {},
        "bodies": [],
        "frames": [],
        "points": [],
        "indeterminate": {},
        "evidence": {},
    } | given


def axes_of(dims: Sequence[Any]) -> tuple[str, ...]:
    """The axes along which something lies, without those inside of vectors and matrices."""
    return tuple(str(d) for d in dims if d not in WITHIN)


def shape_within(variable: Variable) -> tuple[int, ...]:
    """(3,) of vectors, (3, 3) of matrices, () of plain numbers."""
    dims, shape = variable.dims, variable.shape
    if len(dims) == 1:
        return shape[1:] if dims[0] not in WITHIN else shape
    return tuple(n for d, n in zip(dims, shape, strict=True) if d in WITHIN)


def is_number(variable: Variable) -> bool:
    """Whether it holds numbers; else it holds texts."""
    return variable.dtype.kind in NUMBERS


def make_result_arrays(
    axes: Mapping[str, tuple[str, Any]],
    labels: Mapping[str, tuple[str, str, Any]],
    signals: Mapping[str, tuple[str, tuple[str, ...], Any]],
    attrs: Mapping[str, Any],
) -> Arrays:
    """Arrays in this layout, which nobody can write to.

    axes : unit ('' of texts) and coordinates by name; labels : axis, unit and what stands there; signals : unit, axes
    without those inside of vectors, and numbers
    """
    coords: dict[str, Variable] = {}
    for name, (unit, values) in axes.items():
        coords[name] = Variable((name,), _locked(values), described(name, unit))
    for name, (axis, unit, values) in labels.items():
        coords[name] = Variable((axis,), _locked(values), described(name, unit))
    variables: dict[str, Variable] = {}
    for name, (unit, along, values) in signals.items():
        kept = _locked(values)
        variables[name] = Variable((*along, *BEYOND[kept.shape[len(along) :]]), kept, described(name, unit))
    within = {d for variable in variables.values() for d in variable.dims}
    coords |= {d: letters(d) for d in WITHIN if d in within}
    return Arrays(variables, coords, dict(attrs))


def described(name: str, unit: str) -> dict[str, str]:
    """Attributes of a variable; texts have no unit."""
    return ({"units": unit} if unit else {}) | {"long_name": long_name(name)}


def _locked(values: Any) -> Any:
    kept = np.array(values)
    kinds = {"f": np.float64, "i": np.int64, "u": np.int64, "b": np.int64, "c": np.complex128}
    kept = kept.astype(kinds[kept.dtype.kind]) if kept.dtype.kind in kinds else kept.astype(str)
    kept.setflags(write=False)
    return kept


# -------------------------------------------------------------------- what may be wrong


def result_problems(data: Arrays) -> list[Problem]:
    """Everything in which a dataset departs from the layout."""
    if data.attrs.get("format") != RESULT_FORMAT:
        hint = f"its attribute 'format' must be '{RESULT_FORMAT}'; build_result makes one"
        return [Problem("the dataset is not a result of Linkwork", hint=hint)]
    wrong = result_attribute_problems(data.attrs)
    problems = [*wrong]
    axes = dict.fromkeys(str(d) for v in data.variables.values() for d in v.dims if d not in WITHIN)
    for axis in axes:
        if axis not in data.coords:
            problems.append(Problem("the axis has no coordinate", axis, "say what stands along it"))
    for label, coordinate in data.coords.items():
        if label not in WITHIN:
            problems += variable_problems(label, coordinate, coordinate=True)
    for name, variable in data.data_vars.items():
        problems += variable_problems(name, variable, coordinate=False)
    if not wrong:
        shapes = {n: shape_within(v) for n, v in data.data_vars.items()}
        problems += absence_problems(data.attrs["indeterminate"], shapes)
    return problems


def variable_problems(name: str, variable: Variable, coordinate: bool) -> list[Problem]:
    """What is wrong with one variable."""
    problems = []
    if not NAME.fullmatch(name) or name in WITHIN:
        problems.append(Problem("this is not the name of a result", name, "write frequency, or P.position"))
    own = tuple(str(d) for d in variable.dims)
    within = tuple(d for d in own if d in WITHIN)
    if within not in BEYOND.values() or own[len(own) - len(within) :] != within or set(shape_within(variable)) - {3}:
        hint = "vectors end in axis, matrices in row and column, of 3 each"
        problems.append(Problem(f"the axes {own} do not fit", name, hint))
    if variable.dtype.kind in ("f", "i", "u") or (variable.dtype.kind == "c" and not coordinate):
        if problem := unit_problem(variable.attrs.get("units", "1" if coordinate else None), name):
            problems.append(problem)
        if coordinate and variable.dims == (name,) and not np.isfinite(variable.values).all():
            problems.append(Problem("there are coordinates that are not finite", name))
    elif variable.dtype.kind != "U" or within:
        problems.append(Problem("these are neither real nor complex numbers nor texts", name))
    return problems


def result_attribute_problems(attrs: Mapping[str, Any]) -> list[Problem]:
    """Attributes that are missing or of another kind than the layout says."""
    problems = []
    for key, example in result_attributes().items():
        if key not in attrs:
            problems.append(Problem("the attribute is missing", key))
        elif key == "evidence":
            problems += _evidence_problems(attrs[key])
        elif not alike(attrs[key], example, nested=key in NESTED):
            problems.append(Problem(f"the attribute is not {kind_of(example)}", key))
    if "state" in attrs and not alike(attrs["state"], STATE, nested=True):
        problems.append(Problem(f"the attribute is not {kind_of(STATE)}", "state"))
    return problems or mark_problems(attrs["indeterminate"])


def _evidence_problems(told: Any) -> list[Problem]:
    """Evidence is plain data: numbers, texts, truths and lists of these by name."""
    if not isinstance(told, dict) or not all(is_text(k) for k in told):
        return [Problem("the attribute is not a table by name", "evidence")]
    problems = []
    for key, value in told.items():
        try:
            json.dumps(value)
        except (TypeError, ValueError):
            hint = "give numbers, texts, truths, and lists and tables of these"
            problems.append(Problem("this is not plain data", f"evidence.{key}", hint))
    return problems
