"""Joints, points and frames of a mechanism: plain records that refer to bodies by name."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.model.joints import Law, a_joint
from linkwork.model.placement import HERE, Placement
from linkwork.model.vectors import Vector, number

_NAME = re.compile(r"\w[\w-]{0,63}")


def checked_name(name: Any, where: str) -> str:
    """A name: letters, digits, _ and -, at most 64 of them."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        text = repr(name) if len(repr(name)) < 80 else repr(name)[:77] + "..."
        near = near_name(name)
        hint = "use letters, digits, _ and -, at most 64" + (f": '{near}'" if near else "")
        raise ModelError(Problem(f"{text} is not a name", where, hint))
    return name


def near_name(text: Any) -> str:
    """The name that a text would be without what names cannot have; empty where there is none."""
    near = re.sub(r"[^\w-]+", "-", text).strip("-") if isinstance(text, str) else ""
    return near if near != text and _NAME.fullmatch(near) else ""


def is_name(text: str) -> bool:
    """Whether a text is a name."""
    return bool(_NAME.fullmatch(text))


@dataclass(frozen=True)
class Joint:
    """A joint between two bodies, oriented from `tail` to `head`.

    `frame` is the joint's frame on the tail in the layout posture; `to` the one on the head when it differs.
    `value` are the variables in the layout posture (None: zero); `limits` are (variable, lowest, highest).
    """

    name: str
    law: Law
    tail: str
    head: str
    frame: Placement = HERE
    to: Placement | None = None
    value: tuple[float, ...] | None = None
    limits: tuple[tuple[str, float, float], ...] = ()
    description: str = ""

    def __repr__(self) -> str:
        return f"Joint({self.name!r}, {self.law.kind}: {self.tail} -> {self.head})"


@dataclass(frozen=True)
class Point:
    """A named point of a body, `at` [m] in the layout posture or in the frame of the body `within`."""

    name: str
    body: str
    at: Vector
    within: str | None = None
    description: str = ""


@dataclass(frozen=True)
class Frame:
    """A named frame of a body: a tool, a sensor, a place to hold."""

    name: str
    body: str
    placement: Placement
    description: str = ""


def variable_values(law: Law, value: Any, where: str) -> tuple[float, ...] | None:
    """Layout values: one number for a single variable, a list of all, or a mapping by variable name."""
    if value is None:
        return None
    names, measures = [v.name for v in law.variables], {v.name: v.quantity for v in law.variables}
    if isinstance(value, Mapping):
        given = dict(zip(names, law.neutral(), strict=True))
        for key, v in value.items():
            if key not in given:
                hint = did_you_mean(str(key), names)
                raise ModelError(Problem(f"{a_joint(law.kind)} has no variable '{key}'", where, hint))
            given[key] = number(v, f"{where}.{key}", measures[key])
        return _located(law, tuple(given.values()), where)
    items = list(value) if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) else [value]
    if len(items) != len(names):
        if not names:
            raise ModelError(Problem(f"{a_joint(law.kind)} has no variable", where, "leave `value` out"))
        listed = ", ".join(names)
        raise ModelError(Problem(f"{len(items)} values for {len(names)} variables ({listed})", where))
    return _located(law, tuple(number(v, where, measures[n]) for n, v in zip(names, items, strict=True)), where)


def _located(law: Law, values: tuple[float, ...], where: str) -> tuple[float, ...]:
    try:
        return law.checked(values)
    except ModelError as error:
        raise ModelError([Problem(p.what, where, p.hint) for p in error.problems]) from None


def variable_limits(law: Law, limits: Any, where: str) -> tuple[tuple[str, float, float], ...]:
    """Limits: a pair for a single variable, or a mapping from variable names to pairs; None is no limit."""
    if limits is None:
        return ()
    names, measures = [v.name for v in law.variables], {v.name: v.quantity for v in law.variables}
    if not isinstance(limits, Mapping):
        if len(names) != 1:
            hint = f"write {{{names[0]}: [low, high]}}" if names else "a rigid joint has none"
            raise ModelError(Problem(f"{a_joint(law.kind)} has {len(names)} variables", where, hint))
        limits = {names[0]: limits}
    result = []
    for key, pair in limits.items():
        if key not in names:
            hint = did_you_mean(str(key), names)
            raise ModelError(Problem(f"{a_joint(law.kind)} has no variable '{key}'", where, hint))
        try:
            low, high = pair
            low = -math.inf if low is None else number(low, f"{where}.{key}", measures[key])
            high = math.inf if high is None else number(high, f"{where}.{key}", measures[key])
        except (TypeError, ValueError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(Problem("a pair [low, high] is wanted", f"{where}.{key}")) from None
        if not low < high:
            raise ModelError(Problem(f"the limits {low:g} and {high:g} leave no room", f"{where}.{key}"))
        result.append((key, low, high))
    return tuple(result)
