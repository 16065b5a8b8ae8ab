"""A description becomes a mechanism: names made fit, layout kept, every problem told."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from linkwork.errors import ModelError
from linkwork.expressions.names import written
from linkwork.files.robots.description import Hinge, Link, Robot
from linkwork.files.robots.notes import Notes
from linkwork.files.robots.tuned_springs import add_tuned_springs
from linkwork.model.bodies import mass_properties, physical_problems
from linkwork.model.joints import KINDS, Helical
from linkwork.model.mechanism import Mechanism
from linkwork.model.parts import is_name
from linkwork.model.placement import Placement
from linkwork.model.source import Source

SINGLE = ("revolute", "prismatic", "helical")
"""Kinds of joints with one variable, in which something can act."""


def mechanism_of(robot: Robot, notes: Notes, kind: str) -> Mechanism:
    """The mechanism that a description tells; ModelError with everything that is wrong with the file.

    Parameters
    ----------
    robot : what the file says
    notes : what was found so far; it gets what is found here
    kind : of the file, for the report
    """
    notes.tell()
    builder = _Builder(robot, notes)
    made = builder.mechanism()
    notes.tell()
    add_tuned_springs(made, robot, builder.hinges, notes)
    notes.tell()
    report = replace(notes.report(kind), bodies=builder.links, joints=builder.hinges)
    made.source = Source(notes.file, imported=report)
    return made


class _Names:
    """One name, one thing: names of the file, as a mechanism can have them."""

    def __init__(self, notes: Notes) -> None:
        self._notes, self._taken = notes, set[str]()

    def new(self, said: str, suffix: str) -> str:
        """A name like the one that is said, with a suffix where that is taken."""
        plain = re.sub(r"[^\w-]+", "_", said).strip("_-")[:56] or suffix
        plain = plain if is_name(plain) else f"n{plain}"
        found, count = plain, 1
        if found in self._taken:
            found = f"{plain}_{suffix}"
        while found in self._taken:
            count += 1
            found = f"{plain}_{suffix}{count}"
        self._taken.add(found)
        if found != said:
            self._notes.say("converted", "names that are taken or cannot be written", f"{said} -> {found}")
        return found


class _Builder:
    def __init__(self, robot: Robot, notes: Notes) -> None:
        self._robot, self._notes, self._names = robot, notes, _Names(notes)
        self.links: dict[str, str] = {}
        self.hinges: dict[str, str] = {}

    def mechanism(self) -> Mechanism:
        """The whole, as far as it can be built."""
        robot, notes = self._robot, self._notes
        self.links = {said: self._names.new(said, "link") for said in robot.links}
        self.hinges = {said: self._names.new(said, "joint") for said in robot.hinges}
        name = re.sub(r"[^\w-]+", "_", robot.name).strip("_-")[:64] or "robot"
        m = Mechanism(name, gravity=robot.gravity, ground=self.links[robot.ground], description=robot.description)
        for link in robot.links.values():
            self._attempt(lambda link=link: self._link(m, link), link.line)  # type: ignore[misc]
        for hinge in robot.hinges.values():
            self._attempt(lambda hinge=hinge: self._hinge(m, hinge), hinge.line)  # type: ignore[misc]
        for mark in robot.marks.values():
            own = self._names.new(mark.name, "frame")
            self._attempt(lambda n=own, x=mark: m.frame(n, self.links[x.link], self._within(x.place)), mark.line)  # type: ignore[misc]
        self._relations(m)
        kinds: dict[str, list[str]] = {}
        for joint in m.joints.values():
            kinds.setdefault(joint.law.kind, []).append(joint.name)
        notes.say("kept", f"{_many(len(m.bodies), 'body', 'bodies')} with the ground '{m.ground.name}'")
        for kind, found in kinds.items():
            notes.say("kept", _many(len(found), f"{kind} joint", f"{kind} joints"))
        for table, one, more in ((m.frames, "frame", "frames"), (m.constraints, "relation", "relations")):
            if table:
                notes.say("kept", _many(len(table), one, more))
        return m

    def _attempt(self, make: Callable[[], Any], line: int) -> None:
        try:
            make()
        except ModelError as error:
            for p in error.problems:
                self._notes.problems.append(type(p)(p.what, p.where, p.hint, p.line or line or None))

    def _within(self, place: Placement) -> Placement:
        """A placement whose reference is called as the mechanism calls it."""
        within = None if place.within is None else self.links[place.within]
        return Placement(place.at, place.orientation, within, place.row)

    def _link(self, m: Mechanism, link: Link) -> None:
        name = self.links[link.name]
        place = self._within(link.place)
        given: dict[str, Any] = {}
        if link.mass or link.inertia is not None:
            given |= {"mass": link.mass or 0.0, "com": link.com, "inertia": link.inertia}
        frame = None if place == Placement() or name == m.ground.name else place
        body = m.body(
            name,
            frame=frame,
            looks=link.looks or None,
            colour=link.colour,
            **given,
        )
        if wrong := physical_problems(mass_properties(body)):
            m.bodies[name] = replace(body, accept_unphysical=True)
            self._notes.say("kept", f"mass properties that no real body has: {'; '.join(wrong)}", name)

    def _hinge(self, m: Mechanism, hinge: Hinge) -> None:
        name = self.hinges[hinge.name]
        law = Helical(hinge.lead) if hinge.kind == "helical" else KINDS[hinge.kind]()
        m.joint(
            name,
            law,
            self.links[hinge.tail],
            self.links[hinge.head],
            frame=self._within(hinge.frame),
            to=None if hinge.to is None else self._within(hinge.to),
            value=hinge.value,
            limits=self._limits(hinge),
        )
        if hinge.kind in SINGLE:
            self._acting(m, hinge, name)

    def _limits(self, hinge: Hinge) -> tuple[float | None, float | None] | None:
        if hinge.limits is None or hinge.kind not in SINGLE or hinge.limits == (None, None):
            return None
        low, high = hinge.limits
        if low is not None and high is not None and not low < high:
            self._notes.say("lost", f"limits {low:g} to {high:g}, which leave no room; there are none now", hinge.name)
            return None
        return low, high

    def _acting(self, m: Mechanism, hinge: Hinge, name: str) -> None:
        """What acts in a joint: a spring or a damper, friction, a rotor and the greatest effort."""
        if hinge.stiffness:
            spring = self._names.new(f"{name}_spring", "spring")
            m.spring(spring, joint=name, stiffness=hinge.stiffness, free=hinge.rest, damping=hinge.damping)
        elif hinge.damping:
            m.damper(self._names.new(f"{name}_damper", "damper"), joint=name, damping=hinge.damping)
        if hinge.friction:
            m.friction(self._names.new(f"{name}_friction", "friction"), name, level=hinge.friction)
        if hinge.rotor or hinge.effort or hinge.speed:
            motor = self._names.new(f"{name}_motor", "motor")
            m.motor(motor, name, rotor_inertia=hinge.rotor, peak=hinge.effort or None, top_speed=hinge.speed or None)

    def _relations(self, m: Mechanism) -> None:
        for relation in self._robot.relations:
            lost = [j for j in relation.joints if j not in self.hinges]
            if lost or (relation.follower and relation.follower not in self.hinges):
                missing = ", ".join(f"'{j}'" for j in (lost or [relation.follower]))
                self._notes.wrong(f"there is no joint {missing}", where=relation.name)
                continue
            name = self._names.new(relation.name, "relation")
            law = relation.law.format(*(written(self.hinges[j]) for j in relation.joints))
            if relation.follower:
                follower = self.hinges[relation.follower]
                self._attempt(lambda n=name, f=follower, x=law: m.couple(n, f, x), relation.line)  # type: ignore[misc]
            else:
                self._attempt(lambda n=name, x=law: m.constrain(n, x), relation.line)  # type: ignore[misc]
        for same in self._robot.same:
            for c in "xyz":
                name = self._names.new(f"{same.name}_{c}", "relation")
                law = f"{written(f'{same.first}.{c}')} - {written(f'{same.second}.{c}')}"
                self._attempt(lambda n=name, x=law: m.constrain(n, x), same.line)  # type: ignore[misc]


def _many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"
