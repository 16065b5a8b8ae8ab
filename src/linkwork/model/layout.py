"""The layout posture worked out: every frame, joint value, point and mass of a mechanism as numbers.

All later analyses start from a `Layout`. Nothing stops at the first problem: each is collected with its name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from linkwork import geometry as geo
from linkwork.errors import ModelError, Problem
from linkwork.geometry import Array
from linkwork.model.bodies import Body, MassProperties, mass_properties, physical_problems
from linkwork.model.constraint_checks import constraint_problems
from linkwork.model.joints import a_joint, misfit, transform
from linkwork.model.load_checks import load_problems
from linkwork.model.mechanism import Mechanism
from linkwork.model.parts import Joint
from linkwork.model.placement import Placement
from linkwork.names import no_such
from linkwork.units import LENGTH, SI, Dimension, UnitSystem, format_quantity

MANY_PROBLEMS = 100  # after so many, suggestions are left out: looking for them takes long

FIT_ERROR = 1e-3
FIT_WARNING = 1e-6
"""How far (rad, or parts of the model's size) a joint's two frames may miss each other."""
SAME_PIN = 1e-6
"""Places nearer than this, in parts of the model's size, are one."""

Made = TypeVar("Made")


@dataclass(frozen=True)
class Seat:
    """A joint in the layout posture: its frames in world and on its bodies, and its variables."""

    X_WF: Array
    X_WM: Array
    X_TF: Array
    X_HM: Array
    q: Array


@dataclass
class Layout:
    """Numbers of the layout posture, by name; `problems` lists all that was found on the way.

    X_WB : pose of every body's own frame in the world; seats : joints; points : places in the world [m]
    frames : poses of named frames in the world; masses : mass properties in body frames; size : of the model [m]
    """

    X_WB: dict[str, Array] = field(default_factory=dict)
    seats: dict[str, Seat] = field(default_factory=dict)
    points: dict[str, Array] = field(default_factory=dict)
    frames: dict[str, Array] = field(default_factory=dict)
    masses: dict[str, MassProperties] = field(default_factory=dict)
    size: float = 1.0
    problems: list[Problem] = field(default_factory=list)
    units: UnitSystem = SI

    def length(self, value: float) -> str:
        """A length as text, in the units of the model's file."""
        return format_quantity(value, LENGTH, self.units, 4)

    def quantity(self, value: float, dimension: Dimension) -> str:
        """Any quantity as text, in the units of the model's file."""
        return format_quantity(value, dimension, self.units)


def lay_out(m: Mechanism) -> Layout:
    """Work out the layout posture of a mechanism.

    Parameters
    ----------
    m : the mechanism
    """
    layout = Layout(units=SI if m.source is None else m.source.units)
    _place_bodies(m, layout)
    for joint in m.joints.values():
        _seat(m, joint, layout)
    for inner in m.inner.values():
        if _known_body(m, inner.body, inner.where, layout) and inner.body == m.ground.name:
            layout.problems.append(Problem("ground stands still and cannot move within", inner.where, "give another"))
    for point in m.points.values():
        where = f"points.{point.name}"
        _known_body(m, point.body, where, layout)
        X_WR = _reference(m, point.within, where, layout)
        if X_WR is not None:
            layout.points[point.name] = X_WR[:3, :3] @ np.array(point.at) + X_WR[:3, 3]
    for frame in m.frames.values():
        where = f"frames.{frame.name}"
        _known_body(m, frame.body, where, layout)
        X_WR = _reference(m, frame.placement.within, where, layout)
        X_RF = _attempt(lambda f=frame: f.placement.pose(), where, layout)  # type: ignore[misc]
        if X_WR is not None and X_RF is not None:
            layout.frames[frame.name] = X_WR @ X_RF
    layout.size = _size(m, layout)
    for joint in m.joints.values():
        _judge_fit(joint, layout)
    places = _joint_places(m, layout)
    for body in m.bodies.values():
        _weigh(body, places.get(body.name, []), layout)
    values = {name: seat.q for name, seat in layout.seats.items()}
    layout.problems += load_problems(m, values, layout.points, layout.size)
    layout.problems += constraint_problems(m)
    return layout


def _place_bodies(m: Mechanism, layout: Layout) -> None:
    """Poses of all body frames; one may be given in another's, in any order, but not in a circle."""
    for name in m.bodies:
        chain: list[str] = []
        seen: set[str] = set()
        current: str | None = name
        while current is not None and current not in layout.X_WB:
            if current in seen:
                circle = " -> ".join([*chain[chain.index(current) :], current])
                layout.problems.append(Problem(f"body frames are given in a circle: {circle}", f"bodies.{name}.frame"))
                layout.X_WB.update({n: np.eye(4) for n in chain})
                break
            chain.append(current)
            seen.add(current)
            frame = m.bodies[current].frame
            current = None if frame is None else frame.within
            if current is not None and current not in m.bodies:
                _known_body(m, current, f"bodies.{chain[-1]}.frame", layout)
                current = None
        for link in reversed(chain):
            if link not in layout.X_WB:
                layout.X_WB[link] = _body_pose(m.bodies[link], layout)


def _body_pose(body: Body, layout: Layout) -> Array:
    if body.frame is None:
        return np.eye(4)
    X_RB = _attempt(body.frame.pose, f"bodies.{body.name}.frame", layout)
    X_WR = np.eye(4) if body.frame.within is None else layout.X_WB.get(body.frame.within, np.eye(4))
    return X_WR if X_RB is None else X_WR @ X_RB


def _seat(m: Mechanism, joint: Joint, layout: Layout) -> None:
    where = f"joints.{joint.name}"
    for body in dict.fromkeys((joint.tail, joint.head)):
        _known_body(m, body, where, layout)
    if joint.tail == joint.head:
        hint = "a joint joins two different bodies"
        layout.problems.append(Problem(f"it joins '{joint.tail}' to itself", where, hint))
    first = _pose(m, joint.frame, where, layout)
    if first is None:
        return
    second = None
    if joint.to is not None:
        second = _pose(m, joint.to, f"{where}.to", layout, default=first[:3, :3])
        if second is None:
            return
    frames = _attempt(lambda: joint.law.seat(first, second, joint.value), where, layout)
    if frames is None:
        return
    X_WF, X_WM = frames
    X_WT, X_WH = (layout.X_WB.get(body, np.eye(4)) for body in (joint.tail, joint.head))
    if joint.to is None and joint.value is not None:
        q = np.array(joint.value)
    else:
        found = _attempt(lambda: joint.law.recover(geo.inverse(X_WF) @ X_WM), where, layout)
        if found is None:
            return
        q = found
    layout.seats[joint.name] = Seat(X_WF, X_WM, geo.inverse(X_WT) @ X_WF, geo.inverse(X_WH) @ X_WM, q)


def _judge_fit(joint: Joint, layout: Layout) -> None:
    """The law must reproduce the layout pose; its value should lie within its limits."""
    seat = layout.seats.get(joint.name)
    if seat is None:
        return
    where = f"joints.{joint.name}"
    if not all(np.isfinite(part).all() for part in (seat.X_WM, seat.q, transform(joint.law, seat.q))):
        hint = "look at its curve and its numbers: it is not finite there"
        layout.problems.append(Problem("it cannot be worked out in the layout posture", where, hint))
        del layout.seats[joint.name]
        return
    # Without a second frame the law itself put M where it is.
    angle, distance = (0.0, 0.0) if joint.to is None else misfit(joint.law, geo.inverse(seat.X_WF) @ seat.X_WM, seat.q)
    worst = max(angle, distance / layout.size)
    if not worst <= FIT_WARNING:
        errors = ((f"{math.degrees(angle):.3g} deg", angle), (layout.length(distance), distance / layout.size))
        off = " and ".join(text for text, error in errors if not error <= FIT_WARNING)
        text = f"its two frames do not fit {a_joint(joint.law.kind)}: {off} off"
        if not worst <= FIT_ERROR:
            hint = "give the place and the axis once, or correct `to`"
            layout.problems.append(Problem(text, where, hint))
        else:
            hint = "the loop will be closed from this layout as a first guess"
            layout.problems.append(Problem(text, where, hint, severity="warning"))
    concerns = joint.law.concerns(seat.q, layout.length)
    layout.problems.extend(Problem(p.what, where, p.hint, severity=p.severity) for p in concerns)
    values = {v.name: (float(q), v.quantity) for v, q in zip(joint.law.variables, seat.q, strict=True)}
    for variable, low, high in joint.limits:
        value, dimension = values[variable]
        if not low <= value <= high:
            limits = " ... ".join(layout.quantity(limit, dimension) for limit in (low, high))
            text = (
                f"{variable} is {layout.quantity(value, dimension)} in the layout posture, outside its limits {limits}"
            )
            layout.problems.append(Problem(text, where, severity="warning"))


def _apart(places: list[Array], size: float) -> list[Array]:
    """Places that are not the same: two joints may share a pin."""
    found: list[Array] = []
    for place in places:
        if all(np.linalg.norm(place - other) > SAME_PIN * size for other in found):
            found.append(place)
    return found


def _weigh(body: Body, places: list[Array], layout: Layout) -> None:
    where = f"bodies.{body.name}"
    places = _apart(places, layout.size) if body.mass and body.com is None else places
    # The mean of the joints is the centre of a uniform bar between two pins: the best guess when none is given.
    x, y, z = (float(c) for c in np.mean(places, axis=0)) if places else (0.0, 0.0, 0.0)
    properties = _attempt(lambda: mass_properties(body, (x, y, z)), where, layout)
    if properties is None:
        return
    layout.masses[body.name] = properties
    if body.mass and body.com is None and body.solid is None:
        factor, symbol = layout.units.factor(LENGTH), layout.units.symbol(LENGTH)
        place = ", ".join(f"{c / factor:.4g}" for c in properties.com)
        mean = "the mean of its joints" if places else "the origin of its frame, since it has no joints"
        text = f"no centre of mass is given; taken at {mean} ({place}) {symbol}"
        layout.problems.append(Problem(text, where, severity="note"))
    text = "; ".join(physical_problems(properties))
    if text and body.accept_unphysical:
        layout.problems.append(Problem(f"{text}; accepted as told", where, severity="warning"))
    elif text:
        hint = "check signs and axes of the inertia; published data can be taken with accept_unphysical: true"
        layout.problems.append(Problem(text, where, hint))


def _joint_places(m: Mechanism, layout: Layout) -> dict[str, list[Array]]:
    """Places of every body's joints, in its own frame [m]."""
    places: dict[str, list[Array]] = {}
    for joint in m.joints.values():
        seat = layout.seats.get(joint.name)
        if seat is not None:
            places.setdefault(joint.tail, []).append(seat.X_TF[:3, 3])
            places.setdefault(joint.head, []).append(seat.X_HM[:3, 3])
    return places


def _size(m: Mechanism, layout: Layout) -> float:
    """Diagonal of the box around all joints and points [m]; gears and curves count with their radii."""
    places = [p for s in layout.seats.values() for p in (s.X_WF[:3, 3], s.X_WM[:3, 3])]
    places += list(layout.points.values())
    reach = max((j.law.reach() for j in m.joints.values()), default=0.0)
    spread = float(np.linalg.norm(np.ptp(np.array(places), axis=0))) if places else 0.0
    # Joints that meet in one point are apart by rounding only, measured by the lengths they were worked out from.
    lengths = places + [X[:3, 3] for s in layout.seats.values() for X in (s.X_TF, s.X_HM)]
    if spread <= 1e-12 * max((float(np.linalg.norm(p)) for p in lengths), default=0.0):
        spread = 0.0
    return max(spread, reach) or 1.0


def _pose(m: Mechanism, place: Placement, where: str, layout: Layout, default: Array | None = None) -> Array | None:
    X_WR = _reference(m, place.within, where, layout)
    if X_WR is None:
        return None
    # An orientation left out is that of the first frame, seen from the reference.
    turn = None if default is None else X_WR[:3, :3].T @ default
    X_RF = _attempt(lambda: place.pose(turn), where, layout)
    return None if X_RF is None else X_WR @ X_RF


def _reference(m: Mechanism, within: str | None, where: str, layout: Layout) -> Array | None:
    if within is None:
        return np.eye(4)
    return layout.X_WB[within] if _known_body(m, within, where, layout) else None


def _known_body(m: Mechanism, name: str, where: str, layout: Layout) -> bool:
    if name in m.bodies:
        return True
    layout.problems.append(no_such("body", name, m.bodies if len(layout.problems) < MANY_PROBLEMS else (), where))
    return False


def _attempt(make: Callable[[], Made], where: str, layout: Layout) -> Made | None:
    try:
        return make()
    except ModelError as error:
        layout.problems.extend(p if p.where else Problem(p.what, where, p.hint) for p in error.problems)
        return None
