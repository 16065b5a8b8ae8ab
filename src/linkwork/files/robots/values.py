"""Numbers of attributes, with a problem by line where they are none."""

from __future__ import annotations

import math

import numpy as np

from linkwork import geometry as geo
from linkwork.files.robots.notes import Notes
from linkwork.files.robots.xml import Element
from linkwork.geometry import Array
from linkwork.model.placement import Placement, Rotation
from linkwork.model.vectors import Vector

LARGEST = 1e100


def number_list(notes: Notes, at: Element, name: str, text: str, counts: tuple[int, ...]) -> tuple[float, ...] | None:
    """The numbers of a text, of which there are one of `counts`; None, and a problem, where there are not."""
    try:
        found = tuple(float(word) for word in text.split())
    except ValueError:
        found = ()
    wanted = " or ".join(map(str, counts))
    if len(found) not in counts:
        noun = "a number is" if counts == (1,) else f"{wanted} numbers are"
        notes.wrong(f'{name}="{text[:60]}": {noun} wanted', at, named(at))
        return None
    if not all(abs(x) < LARGEST for x in found):
        notes.wrong(f'{name}="{text[:60]}": a number is not finite', at, named(at))
        return None
    return found


def numbers(notes: Notes, at: Element | None, name: str, default: tuple[float, ...]) -> tuple[float, ...]:
    """As many numbers as the default has; the default where the attribute is not there or wrong."""
    text = None if at is None else at.get(name)
    if at is None or text is None:
        return default
    return number_list(notes, at, name, text, (len(default),)) or default


def vector(notes: Notes, at: Element | None, name: str, default: Vector = (0.0, 0.0, 0.0)) -> Vector:
    """Three numbers."""
    x, y, z = numbers(notes, at, name, default)
    return x, y, z


def number(notes: Notes, at: Element | None, name: str, default: float = 0.0) -> float:
    """One number."""
    return numbers(notes, at, name, (default,))[0]


def bound(notes: Notes, at: Element | None, name: str) -> float | None:
    """A limit; None where none is given, or one that is no limit."""
    text = None if at is None else at.get(name)
    if at is None or text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        notes.wrong(f'{name}="{text[:60]}": a number is wanted', at, named(at))
        return None
    return value if abs(value) < 1e15 else None


def named(at: Element) -> str:
    """An element as messages call it."""
    name = at.attributes.get("name", "")
    return f"{at.tag} '{name[:64]}'" if name else at.tag


def unit_axis(notes: Notes, at: Element, axis: Vector, where: str) -> Vector:
    """A direction; a problem where it has no length, a finding where that is not 1."""
    length = math.hypot(*axis)
    if length == 0.0:
        notes.wrong("the axis has no length", at, where, 'give a direction such as "0 0 1"')
        return 0.0, 0.0, 1.0
    if abs(length - 1.0) > 1e-9:
        notes.say("converted", "axes that are not of unit length, made so", where, at)
    return axis


def turned(R: Array) -> Rotation | None:
    """A rotation matrix as an orientation; None for no turn."""
    if np.array_equal(R, np.eye(3)):
        return None
    w, x, y, z = (float(c) for c in geo.to_quaternion(R))
    return Rotation("quaternion", (w, x, y, z))


def placed(X: Array, within: str | None = None) -> Placement:
    """A pose as a placement."""
    x, y, z = (float(c) for c in X[:3, 3])
    return Placement((x, y, z), turned(X[:3, :3]), within)


def rpy(at: Vector, angles: Vector, within: str | None = None) -> Placement:
    """A place with roll, pitch and yaw about its fixed axes."""
    return Placement(at, Rotation("rpy", angles) if any(angles) else None, within)
