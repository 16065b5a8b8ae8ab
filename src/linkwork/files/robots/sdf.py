"""SDFormat, its models: links, joints, frames, nested models, places relative to each other; http://sdformat.org/spec.

Every link moves freely unless joints hold it or the model is static: what stands still is the world.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from linkwork import geometry as geo
from linkwork.errors import did_you_mean
from linkwork.files.robots.description import WORLD, Hinge, Link, Mark, Relation, Robot
from linkwork.files.robots.notes import Notes
from linkwork.files.robots.sdf_places import MODEL, Models, Place
from linkwork.files.robots.surfaces import capsule, colour_of, is_sized, look_of_mesh
from linkwork.files.robots.values import placed
from linkwork.files.robots.xml import Element
from linkwork.geometry import Array
from linkwork.model.bodies import Inertia
from linkwork.model.placement import Axis, Placement
from linkwork.model.solids import Box, Cylinder, Shape, Sphere

JOINTS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "rigid",
    "ball": "spheric",
    "screw": "helical",
    "universal": "universal",
    "revolute2": "universal",
}


def read_sdf(root: Element, notes: Notes) -> Robot:
    """What the models of an SDF file say.

    Parameters
    ----------
    root : its <sdf>
    notes : gets what is wrong, and what becomes of each part
    """
    reader = _Reader(root, notes)
    robot = reader.robot()
    notes.unused([root])
    return robot


@dataclass
class _Reader(Models):
    old: bool = False
    robot_: Robot = field(default_factory=lambda: Robot("robot", WORLD))

    def robot(self) -> Robot:
        """The whole of it."""
        root, notes, robot = self.root, self.notes, self.robot_
        version = root.get("version") or "1.9"
        try:
            self.old = tuple(int(part) for part in version.split(".")[:2]) < (1, 7)
        except ValueError:
            notes.wrong(f"'{version[:20]}' is not a version", root, "sdf", 'such as version="1.9"')
        robot.links[WORLD] = Link(WORLD)
        self.places[WORLD] = Place(np.eye(4), "", root.line)
        tops = [root]
        for world in root.all("world"):
            world.has("name")
            robot.gravity = self.vector(world, "gravity", robot.gravity)
            tops.append(world)
        models = [(own, top) for top in tops for own in top.all("model", "include")]
        for own, _ in models:
            if own.tag == "include":
                self.include(own, "", WORLD, 0, len(models) == 1)
                continue
            name = own.get("name") or "model"
            robot.name = name if robot.name == "robot" else robot.name
            self.model(own, "" if len(models) == 1 else f"{name}::", "", WORLD, 0)
        if not self.links and not notes.problems:
            notes.wrong("there are no links", root, "sdf")
        notes.tell()
        self.poses()
        notes.tell()
        for name, element in self.links.items():
            robot.links[name] = self._link(name, element)
        for scope, name, element in self.joints:
            self._joint(scope, name, element)
        self._marks()
        self._free()
        return robot

    # ---------------------------------------------------------------- links

    def _link(self, name: str, element: Element) -> Link:
        notes = self.notes
        link = Link(name, placed(self.known[name], WORLD), line=element.line)
        inertial = element.one("inertial")
        link.mass = self.number(inertial, "mass", 1.0)
        if link.mass < 0.0:
            notes.wrong(f"the mass is negative: {link.mass:g} kg", inertial or element, f"link '{name}'")
        X, _ = (np.eye(4), "") if inertial is None else self.pose_of(inertial, name, name)
        link.com = (float(X[0, 3]), float(X[1, 3]), float(X[2, 3]))
        tensor = None if inertial is None else inertial.one("inertia")
        xx, yy, zz = (self.number(tensor, e, 1.0) for e in ("ixx", "iyy", "izz"))
        xy, xz, yz = (self.number(tensor, e) for e in ("ixy", "ixz", "iyz"))
        link.inertia = Inertia(xx, yy, zz, xy, xz, yz, axes=placed(X).orientation)
        if inertial is None:
            notes.say("kept", "links without <inertial>, which SDF gives 1 kg and 1 kg m^2", name, element)
        for visual in element.all("visual"):
            visual.has("name")
            looks = self._looks(visual)
            colour = self._colour(visual) if looks else ""
            if colour and link.colour and colour != link.colour:
                notes.say("approximated", "links of several colours have the first", name, visual)
            link.looks += looks
            link.colour = link.colour or colour
        for collision in element.all("collision"):
            collision.pass_over()
            notes.say("lost", "collision shapes: there is no contact between bodies yet", name, collision)
        return link

    def _looks(self, visual: Element) -> list[Shape]:
        notes = self.notes
        X, _ = self.pose_of(visual, "", "")
        frame = placed(X)
        geometry = visual.one("geometry")
        shape = None if geometry is None or not geometry.children else geometry.children[0]
        if shape is None:
            return []
        shape.used = True
        radius, length = self.number(shape, "radius"), self.number(shape, "length")
        if shape.tag == "box":
            size = self.vector(shape, "size", (1.0, 1.0, 1.0))
            return [Box(size=size, frame=frame)] if is_sized(notes, shape, *size) else []
        if shape.tag == "cylinder" and is_sized(notes, shape, radius, length):
            return [Cylinder(radius=radius, length=length, frame=frame)]
        if shape.tag == "sphere" and is_sized(notes, shape, radius):
            return [Sphere(radius=radius, frame=frame)]
        if shape.tag == "capsule" and is_sized(notes, shape, radius):
            return capsule(X, radius, length)
        if shape.tag == "mesh":
            scale = self.vector(shape, "scale", (1.0, 1.0, 1.0))
            look = look_of_mesh(notes, shape, (self.text(shape, "uri") or "").strip(), scale, frame)
            return [] if look is None else [look]
        if shape.tag not in ("cylinder", "sphere", "capsule"):
            shape.pass_over()
            notes.say("lost", f"shapes of the kind <{shape.tag}> are not drawn", "", shape)
        return []

    def _colour(self, visual: Element) -> str:
        material = visual.one("material")
        said = None if material is None else material.one("diffuse")
        numbers = () if said is None else self.numbers(said, said.words())
        return colour_of(numbers) if len(numbers) >= 3 else ""

    # ---------------------------------------------------------------- joints

    def _joint(self, scope: str, name: str, element: Element) -> None:
        notes, where = self.notes, f"joint '{name}'"
        said = element.get("type") or ""
        ends = []
        for tag in ("parent", "child"):
            own = (self.text(element, tag) or "").strip()
            link = self.body(WORLD if own == WORLD else f"{scope}{own}")
            if link is None:
                notes.wrong(f"there is no {tag} '{own}'", element, where, did_you_mean(own, self.links))
            else:
                ends.append(link)
        if said not in JOINTS:
            hint = did_you_mean(said, JOINTS)
            notes.wrong(f"joints of the type '{said[:40]}' cannot be said", element, where, hint)
        if len(ends) < 2 or said not in JOINTS:
            return
        tail, head = ends
        kind = JOINTS[said]
        hinge = Hinge(name, kind, tail, head, line=element.line)
        X = self.known[name]
        here = placed(X, WORLD)
        first, second = element.one("axis"), element.one("axis2")
        if kind in ("rigid", "spheric"):
            hinge.frame = here
            for axis in (first, second):
                if axis is not None:
                    axis.pass_over()
                    notes.say("lost", f"<axis> of {said} joints", name, axis)
        elif kind == "universal":
            axes = [self._axis(each, scope, X, where) for each in (first, second)]
            if abs(float(np.dot(*axes))) > 1e-6:
                notes.wrong("its two axes are not perpendicular", element, where, "make it two revolute joints")
                return
            frame = geo.pose(np.column_stack([axes[1], np.cross(axes[0], axes[1]), axes[0]]), X[:3, 3])
            hinge.frame = placed(frame, WORLD)
            for axis in (first, second):
                if axis is not None:
                    self._lost_of(axis, name, said)
        else:
            x, y, z = (float(c) for c in self._axis(first, scope, X, where))
            hinge.frame = Placement(here.at, Axis((x, y, z)), WORLD)
            if first is not None:
                self._acting(scope, hinge, first, said)
            if kind == "helical":
                self._screw(hinge, element, where)
        self.robot_.hinges[name] = hinge

    def _screw(self, hinge: Hinge, element: Element, where: str) -> None:
        """screw_thread_pitch is the advance of a turn [m]; the older thread_pitch is -2 pi / that [rad/m]."""
        lead = self.number(element, "screw_thread_pitch")
        old = self.number(element, "thread_pitch")
        if not lead and old:
            lead = -2 * math.pi / old
        hinge.lead = lead
        if not lead:
            self.notes.wrong("the pitch of the screw is missing", element, where, "write <screw_thread_pitch>")

    def _axis(self, axis: Element | None, scope: str, X: Array, where: str) -> Array:
        """Direction of an axis in the world."""
        own = None if axis is None else axis.one("xyz")
        v = np.array([0.0, 0.0, 1.0])
        if axis is None or own is None:
            return turned(X, v)
        numbers = self.numbers(own, own.words())
        said = own.get("expressed_in")
        frame = X
        if said:
            name = WORLD if said == WORLD else f"{scope}{said}"
            if name not in self.known:
                self.notes.wrong(f"there is no frame '{said}'", own, where, did_you_mean(said, self.known))
            frame = self.known.get(name, X)
        elif self.old and (self.text(axis, "use_parent_model_frame") or "").strip() in ("true", "1"):
            frame = self.known[f"{scope}{MODEL}"]
        if len(numbers) != 3 or not any(numbers):
            self.notes.wrong("the axis has no length", own, where, "such as <xyz>0 0 1</xyz>")
            return turned(X, v)
        length = math.hypot(*numbers)
        if abs(length - 1.0) > 1e-9:
            self.notes.say("converted", "axes that are not of unit length, made so", where, own)
        return turned(frame, np.array(numbers) / length)

    def _acting(self, scope: str, hinge: Hinge, axis: Element, said: str) -> None:
        limit, dynamics = axis.one("limit"), axis.one("dynamics")
        ends = [self.bound(limit, "lower"), self.bound(limit, "upper")]
        if said != "continuous" and ends != [None, None]:
            hinge.limits = (ends[0], ends[1])
        for key, attribute in (("effort", "effort"), ("velocity", "speed")):
            most = self.bound(limit, key)
            setattr(hinge, attribute, most if most is not None and most > 0.0 else None)
        hinge.damping, hinge.friction = self.number(dynamics, "damping"), self.number(dynamics, "friction")
        hinge.stiffness = self.number(dynamics, "spring_stiffness")
        hinge.rest = self.number(dynamics, "spring_reference")
        mimic = axis.one("mimic")
        if mimic is not None:
            leader = f"{scope}{mimic.get('joint') or ''}"
            if mimic.get("axis") not in (None, "axis"):
                self.notes.wrong("it follows a second axis", mimic, hinge.name, "follow a joint with one axis")
            factor = self.number(mimic, "multiplier", 1.0)
            offset, rest = self.number(mimic, "offset"), self.number(mimic, "reference")
            law = f"{factor!r}*({{0}} - ({rest!r})) + ({offset!r})"
            self.robot_.relations.append(Relation(f"{hinge.name}_mimic", law, (leader,), hinge.name, mimic.line))

    def _lost_of(self, axis: Element, name: str, said: str) -> None:
        for own in axis.children:
            if own.tag in ("limit", "dynamics", "mimic"):
                own.pass_over()
                self.notes.say("lost", f"<{own.tag}> of {said} joints", name, own)

    # ---------------------------------------------------------------- what is left

    def _marks(self) -> None:
        for name in self.frames:
            body = self.body(name)
            if body is None:
                here = type(self.root)("frame", {}, self.places[name].line)
                self.notes.wrong("what it is attached to is not there", here, name)
            else:
                X = geo.inverse(self.known[body]) @ self.known[name]
                place = placed(X, body)
                self.robot_.marks[name] = Mark(name, body, place, self.places[name].line)

    def _free(self) -> None:
        """Static links stand still; each group of links that nothing holds moves freely by its first."""
        robot = self.robot_
        group = {name: name for name in robot.links}

        def first(name: str) -> str:
            while group[name] != name:
                name = group[name]
            return name

        for name in sorted(self.static):
            hinge = f"{name}_weld"
            robot.hinges[hinge] = Hinge(
                hinge, "rigid", WORLD, name, Placement(within=name), line=robot.links[name].line
            )
        for each in robot.hinges.values():
            a, b = first(each.tail), first(each.head)
            if WORLD in (a, b):
                a, b = WORLD, b if a == WORLD else a
            group[b] = a
        for name, link in list(robot.links.items()):
            if first(name) != WORLD:
                X = self.known[name]
                x, y, z = (float(c) for c in X[:3, 3])
                turn = tuple(float(c) for c in geo.to_quaternion(X[:3, :3]))
                free = f"{name}_free"
                robot.hinges[free] = Hinge(
                    free, "free", WORLD, name, Placement(within=WORLD), value=(x, y, z, *turn), line=link.line
                )
                group[first(name)] = WORLD
                self.notes.say("kept", "links that nothing holds move freely", name)


def turned(X: Array, v: Array) -> Array:
    """A direction of a frame, in the world."""
    found: Array = X[:3, :3] @ v
    return found
