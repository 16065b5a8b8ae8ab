"""The layout of a run's dataset: variables with their dimensions, units and long names, and the attributes.

Every variable has the dimension `time` first. Vectors have `axis` (x, y, z) beside it, rotation matrices R_WB `row`
(world axes) and `column` (own axes). Numbers are float64 in SI and radians, counts are int64.

    A.angle  A.angle.rate  A.angle.acceleration  A.angle.jerk       joint variables
    S.qw .. S.qz   S.wx .. S.wz   S.wx.acceleration  S.wx.jerk      joints that turn freely: variables, then speeds
    P.position  P.velocity  P.acceleration  P.jerk                  points, frames, bodies: (time, axis)
    rod.rotation                                                    frames, bodies: (time, row, column)
    rod.angular_velocity  rod.angular_acceleration  rod.angular_jerk
    closure.residual  closure.quality  closure.mobility  closure.iterations
    A.angle.effort  A.angle.power                                   what a driven or held variable takes
    B.force  B.moment                                               reaction of a joint, in its axes: (time, axis)
    B.force_open  B.moment_open                                     1 where it is open, if it is at some samples only
    i.value  i.value.rate                                           named states of the model
    coil.tension  gas.force  coil.power                             loads
    machine.kinetic_energy  machine.momentum  machine.power_balance
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from linkwork.errors import ModelError, Problem
from linkwork.geometry import Array
from linkwork.results.arrays import LETTERS, Arrays, Variable, letters
from linkwork.results.integration_evidence import integration_problems
from linkwork.results.open_components import absence_problems, known, mark_problems
from linkwork.results.simulation_evidence import evidence_problems
from linkwork.units import SI, TIME, parse_unit

FORMAT = "linkwork run 1"
AXES = LETTERS
STATES = ("complete", "stopped")
BEYOND = {(): (), (3,): ("axis",), (3, 3): ("row", "column")}
"""Dimensions beside time, by the shape of one sample."""
AXES_BEYOND = ("axis", "row", "column")

DERIVATIVES = {"rate": 1, "acceleration": 2, "jerk": 3}
PLACE_UNITS = {
    "position": "m",
    "velocity": "m/s",
    "acceleration": "m/s^2",
    "jerk": "m/s^3",
    "rotation": "1",
    "angular_velocity": "rad/s",
    "angular_acceleration": "rad/s^2",
    "angular_jerk": "rad/s^3",
}
COUNTS = ("closure.mobility", "closure.iterations")
NAME = re.compile(r"\w[\w-]*(\.\w[\w-]*){1,3}")

Values = Mapping[str, tuple[str, Any]]
"""Arrays by the name of their variable, each with its unit."""


def attributes(**given: Any) -> dict[str, Any]:
    """All attributes of a dataset, with those given."""
    return {
        "format": FORMAT,
        "mechanism": "",
        "analysis": "motion",
        "linkwork": "",
        "driven": {},
        "held": [],
        "free": [],
        "status": "complete",
        "message": "",
        "asked": 0,
        "part": "",
        "warnings": [],
        "joints": {},
        "speeds": {},
        "bodies": [],
        "frames": [],
        "points": [],
        "state": {},
        "indeterminate": {},
        "simulation": {},
        "integration": {},
    } | given


PLAIN = (str, int, float, bool, type(None))
"""Types of values that cannot change."""
EMPTY = attributes()
"""An example of each attribute."""
OPTIONAL = ("held", "free", "state", "indeterminate", "simulation", "integration")
"""Attributes that runs of earlier versions do not have; there they are empty."""
RARE = ("free",)
"""Those of them that CSV files leave out where they are empty."""
STATE = ("y", "w", "dw")
"""Variables, rates and accelerations of all joints: the attribute `state` has the names of their signals, in order."""


def complete_attributes(attrs: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes of a dataset with those that earlier versions did not write.

    These wrote 'held' where the law of a driven variable stands.
    """
    whole = {**attrs, **{k: v for k, v in attributes().items() if k in OPTIONAL and k not in attrs}}
    if "held" not in attrs and isinstance(driven := attrs.get("driven"), Mapping):
        whole["held"] = [name for name, law in driven.items() if law == "held"]
        whole["driven"] = {name: law for name, law in driven.items() if law != "held"}
    return whole


def make_arrays(time: Any, values: Values, attrs: Mapping[str, Any]) -> Arrays:
    """Arrays in this layout, which nobody can write to; the shapes must be right."""
    variables: dict[str, Variable] = {}
    beyond: set[str] = set()
    for name, (unit, array) in values.items():
        kept = _locked(array, np.int64 if name in COUNTS else np.float64)
        dims = ("time", *BEYOND[kept.shape[1:]])
        beyond |= {*dims[1:]}
        variables[name] = Variable(dims, kept, {"units": unit, "long_name": long_name(name)})
    clock = Variable(("time",), _locked(time, np.float64), {"units": "s", "long_name": "time"})
    data = Arrays(variables, {"time": clock, **{d: letters(d) for d in AXES_BEYOND if d in beyond}}, dict(attrs))
    data.attrs["warnings"] = [*data.attrs["warnings"], *_new(not_finite(data), data.attrs["warnings"])]
    return data


def plain_copy(value: Any) -> Any:
    """A copy of tables and lists of plain data, such as attributes are: sooner made than by `copy.deepcopy`."""
    if type(value) is dict:
        return {key: plain_copy(own) for key, own in value.items()}
    if type(value) is list:
        return [plain_copy(own) for own in value]
    return value if type(value) in PLAIN else copy.deepcopy(value)


def _locked(array: Any, kind: Any) -> Any:
    copy = np.array(array, dtype=kind)
    copy.setflags(write=False)
    return copy


def _new(texts: list[str], known: list[str]) -> list[str]:
    return [t for t in texts if t not in known]


@lru_cache(maxsize=4096)
def long_name(name: str) -> str:
    """'rate of angle of A' for A.angle.rate."""
    return " of ".join(reversed(name.replace("_", " ").split(".")))


@lru_cache(maxsize=256)
def derived_unit(unit: str, order: int) -> str:
    """The SI unit of a time derivative: 'm/s^2' for 'm' and 2.

    >>> derived_unit("1", 1)
    '1/s'
    """
    return SI.symbol(parse_unit(unit)[1] / TIME**order) or "1"


def unit_problem(unit: Any, where: str) -> Problem | None:
    """What is wrong with a unit of a dataset, if anything: results are in SI."""
    if type(unit) is str and unit in _FINE:
        return None
    try:
        factor, dimension = parse_unit(unit)
    except ModelError as error:
        return Problem(error.problems[0].what, where, error.problems[0].hint)
    if factor != 1.0:
        return Problem(f"'{unit}' is not an SI unit", where, f"results are kept in '{SI.symbol(dimension) or 1}'")
    if len(_FINE) < MANY_UNITS:
        _FINE.add(unit)
    return None


MANY_UNITS = 256
_FINE: set[Any] = set()
"""SI units that were read before."""


def not_finite(data: Arrays) -> list[str]:
    """A warning for every variable with numbers that are not finite, those of the same samples together.

    Components that are marked as indeterminate do not count: files for people have no numbers of them.
    """
    found: dict[bytes, list[str]] = {}
    for name, variable in data.data_vars.items():
        if np.logical_and.reduce(np.isfinite(variable.values), axis=None):
            continue
        bad = ~np.isfinite(known(data, name)).all(axis=tuple(range(1, variable.ndim)))
        if bad.any():
            found.setdefault(bad.tobytes(), []).append(name)
    texts = []
    for samples, names in found.items():
        bad = np.frombuffer(samples, bool)
        first = float(data["time"].values[int(np.argmax(bad))])
        more = f" and {len(names) - 3} more are" if len(names) > 3 else " is" if len(names) == 1 else " are"
        which = f"{', '.join(names[:3])}{more} not finite"
        texts.append(f"{which} at {int(bad.sum())} of {len(bad)} samples, first at {first:.6g} s")
    return texts


def problems_of(data: Arrays) -> list[Problem]:
    """Everything in which a dataset departs from the layout."""
    if data.attrs.get("format") != FORMAT:
        hint = f"its attribute 'format' must be '{FORMAT}'"
        return [Problem("the dataset is not a run of Linkwork", hint=hint)]
    problems = general_problems(data)
    if "time" not in data.coords or data.variables["time"].dims != ("time",):
        return problems
    for name, variable in data.data_vars.items():
        if not NAME.fullmatch(name):
            problems.append(Problem("this is not the name of a result", name, "write owner.quantity, such as A.angle"))
        if variable.dims not in [("time", *d) for d in BEYOND.values()] or BEYOND.get(variable.shape[1:]) is None:
            problems.append(Problem(f"the dimensions {variable.dims} do not fit", name, "see the layout of a run"))
        if variable.dtype.kind not in "fiu":
            problems.append(Problem("these are not real numbers", name))
        if problem := unit_problem(variable.attrs.get("units"), name):
            problems.append(problem)
    if not attribute_problems(data.attrs):
        problems += absence_problems(
            data.attrs.get("indeterminate", {}), {n: v.shape[1:] for n, v in data.data_vars.items()}
        )
    return problems


def general_problems(data: Arrays) -> list[Problem]:
    """What is wrong with attributes and time."""
    problems = attribute_problems(data.attrs)
    if "time" not in data.coords or data.variables["time"].dims != ("time",):
        return [*problems, Problem("there is no coordinate 'time'", "time")]
    problems += time_problems(data.variables["time"].values)
    if not problems and data.attrs["status"] == "complete" and not data.attrs["part"]:
        count, asked = data.sizes["time"], data.attrs["asked"]
        if count != asked:
            problems.append(
                Problem(f"there are {count} samples, not {asked}", "time", "the file may have been cut off")
            )
    return problems


def time_problems(time: Array) -> list[Problem]:
    """Time must be finite and never run backwards; two samples of one time are before and after an event."""
    if time.dtype.kind not in "fiu":
        return [Problem("these are not real numbers", "time")]
    if not np.isfinite(time).all():
        return [Problem("there are numbers that are not finite", "time", "a sweep may count its samples: 0, 1, 2, ...")]
    back = np.flatnonzero(np.diff(time) < 0.0)
    if back.size:
        return [Problem(f"time runs backwards after sample {int(back[0])}", "time", "sort the samples by time")]
    return []


def attribute_problems(attrs: Mapping[str, Any]) -> list[Problem]:
    """Attributes that are missing or of another kind than the layout says."""
    problems = []
    for key, example in EMPTY.items():
        if key not in attrs:
            if key in OPTIONAL:
                continue
            problems.append(Problem("the attribute is missing", key))
        elif key == "simulation":
            problems += evidence_problems(attrs[key])
        elif key == "integration":
            problems += integration_problems(attrs[key])
        elif not alike(attrs[key], example, nested=key in ("joints", "speeds", "state", "indeterminate")):
            problems.append(Problem(f"the attribute is not {kind_of(example)}", key))
    if not problems and attrs["status"] not in STATES:
        problems.append(Problem(f"'{attrs['status']}' is no status", "status", f"it is {' or '.join(STATES)}"))
    if not problems and attrs["asked"] < 0:
        problems.append(Problem("the number of samples is negative", "asked"))
    return problems or mark_problems(attrs.get("indeterminate", {}))


def alike(value: Any, example: Any, nested: bool) -> bool:
    """Whether an attribute is of the kind of an example; nested : a table of lists of texts, not of texts."""
    if isinstance(example, str):
        return is_text(value)
    if isinstance(example, int):
        return isinstance(value, int) and not isinstance(value, bool)
    if isinstance(example, list):
        return isinstance(value, list) and all(is_text(v) for v in value)
    if not isinstance(value, dict) or not all(is_text(k) for k in value):
        return False
    return all(alike(v, [] if nested else "", False) for v in value.values())


def is_text(value: Any) -> bool:
    """Text that every file can hold."""
    if not isinstance(value, str) or "\0" in value:
        return False
    return value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value)


def kind_of(example: Any) -> str:
    """The kind of an attribute in words."""
    return {str: "plain text", int: "a whole number", list: "a list of texts", dict: "a table of texts"}[type(example)]
