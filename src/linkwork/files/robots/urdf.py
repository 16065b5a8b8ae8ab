"""URDF: links in a tree, joints between them; https://wiki.ros.org/urdf/XML."""

from __future__ import annotations

from dataclasses import dataclass, field

from linkwork import geometry as geo
from linkwork.errors import did_you_mean
from linkwork.files.robots.description import Hinge, Link, Relation, Robot
from linkwork.files.robots.notes import Notes
from linkwork.files.robots.surfaces import colour_of, is_sized, look_of_mesh
from linkwork.files.robots.values import (
    bound,
    named,
    number,
    numbers,
    placed,
    rpy,
    unit_axis,
    vector,
)
from linkwork.files.robots.xml import Element
from linkwork.geometry import Array
from linkwork.model.bodies import Inertia
from linkwork.model.joints import KINDS, transform
from linkwork.model.placement import Axis, Placement, Rotation
from linkwork.model.solids import Box, Cylinder, Shape, Sphere
from linkwork.model.vectors import Vector

JOINTS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "rigid",
    "floating": "free",
    "planar": "flat",
}
GROUND = "world"
NOISE = 1e-9
"""Part of the largest moment of inertia, or of the mass at 3 cm, by which one may be below zero: digits cut off."""


def read_urdf(root: Element, notes: Notes, floating: bool | None = None) -> Robot:
    """What a URDF file says.

    Parameters
    ----------
    root : its <robot>
    notes : gets what is wrong, and what becomes of each part
    floating : whether the root link moves freely, else it stands still; None: only where nothing else moves
    """
    reader = _Reader(root, notes)
    robot = reader.robot(floating)
    notes.unused([root])
    return robot


@dataclass
class _Reader:
    root: Element
    notes: Notes
    links: dict[str, Element] = field(default_factory=dict)
    joints: dict[str, Element] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    """The joint above each link."""
    ends: dict[str, tuple[str, str]] = field(default_factory=dict)
    colours: dict[str, str] = field(default_factory=dict)

    def robot(self, floating: bool | None) -> Robot:
        """The whole of it."""
        root, notes = self.root, self.notes
        root.asked |= {"version", "xmlns:xacro", "xmlns"}
        self._refuse_xacro()
        self.links = self._by_name("link")
        self.joints = self._by_name("joint")
        for material in root.all("material"):
            self._colour(material)
        if not self.links:
            notes.wrong("there are no links", root, "robot")
        base = self._base()
        if not base:
            notes.tell()
        robot = Robot(root.get("name") or "robot", base)
        values = self._mimicked(robot)
        if floating is None:
            floating = not any(KINDS[self._kind(joint)].variables for joint in self.joints)
        if floating:
            world = GROUND if GROUND not in self.links else f"{GROUND}_ground"
            robot.ground, robot.links[world] = world, Link(world)
            robot.hinges["floating_base"] = Hinge("floating_base", "free", world, base)
            notes.say("converted", "the root link moves freely, by the joint 'floating_base'", base)
        else:
            notes.say("converted", "the root link is the ground, which stands still; `floating` lets it move", base)
        for name, element in self.links.items():
            robot.links[name] = self._link(name, element)
        for name, element in self.joints.items():
            self._joint(robot, name, element, values.get(name, 0.0))
        for transmission in root.all("transmission"):
            transmission.pass_over()
            notes.say(
                "lost", "transmissions: drives are said where forces are asked", _name(transmission), transmission
            )
        return robot

    def _refuse_xacro(self) -> None:
        for own in self.root.walk():
            if own.tag.startswith("xacro:") or any("${" in v or "$(" in v for v in own.attributes.values()):
                hint = "expand it first: xacro FILE > robot.urdf"
                self.notes.wrong("xacro, a language that makes URDF, is not expanded", own, named(own), hint)
                self.notes.tell()

    def _by_name(self, tag: str) -> dict[str, Element]:
        found: dict[str, Element] = {}
        for own in self.root.all(tag):
            name = own.get("name")
            if not name:
                self.notes.wrong(f"a {tag} without a name", own, tag)
            elif name in found:
                first = found[name].line
                self.notes.wrong(f"there are two {tag}s named '{name}' (the first in line {first})", own, named(own))
            else:
                found[name] = own
        return found

    def _base(self) -> str:
        """The one link that is nobody's child; cycles, several roots and unknown links are wrong."""
        notes = self.notes
        for name, joint in self.joints.items():
            ends = []
            for tag in ("parent", "child"):
                end = joint.one(tag)
                link = None if end is None else end.get("link")
                if link is None:
                    notes.wrong(f"the {tag} is missing", joint, named(joint), f'write <{tag} link="..."/>')
                elif link not in self.links:
                    notes.wrong(f"there is no link '{link}'", end, named(joint), did_you_mean(link, self.links))
                else:
                    ends.append(link)
            if len(ends) < 2:
                continue
            parent, child = ends
            if child in self.parents:
                other = self.parents[child]
                hint = "URDF is a tree; describe a loop in a model file, or in MJCF with <equality>"
                notes.wrong(f"the link '{child}' is the child of '{other}' already", joint, named(joint), hint)
                continue
            self.parents[child], self.ends[name] = name, (parent, child)
        roots = [name for name in self.links if name not in self.parents]
        for cycle in self._cycles():
            text = " -> ".join([*cycle, cycle[0]])
            notes.wrong(f"the links go round in a cycle: {text}", self.links[cycle[0]], hint="URDF is a tree")
        if len(roots) > 1 and not notes.problems:
            listed = ", ".join(f"'{r}' (line {self.links[r].line})" for r in roots[:8])
            hint = "a URDF has one root link; join the others to it"
            notes.wrong(f"{len(roots)} links are nobody's child: {listed}", self.root, "robot", hint)
        return roots[0] if roots else ""

    def _cycles(self) -> list[list[str]]:
        done: set[str] = set()
        found = []
        for start in self.links:
            way: list[str] = []
            seen: set[str] = set()
            link: str | None = start
            while link is not None and link not in done and link not in seen:
                seen.add(link)
                way.append(link)
                joint = self.parents.get(link)
                link = None if joint is None else self.ends[joint][0]
            if link is not None and link in seen:
                found.append(way[way.index(link) :][::-1])
            done |= seen
        return found

    # ---------------------------------------------------------------- links

    def _link(self, name: str, element: Element) -> Link:
        notes = self.notes
        joint = self.parents.get(name)
        link = Link(name, line=element.line)
        if joint is not None:
            link.place = self._origin(self.joints[joint], self.ends[joint][0])
        element.asked.add("type")
        if (inertial := element.one("inertial")) is not None:
            self._inertial(link, inertial)
        elif joint is not None and KINDS[self._kind(joint)].variables:
            notes.say("kept", "links without mass that move", name, element)
        self._looks(link, name, element.all("visual"))
        collisions = element.all("collision")
        if not link.looks and collisions:
            self._looks(link, name, collisions)
            if link.looks:
                notes.say(
                    "converted", "links whose <visual> cannot be drawn look like their collision shapes", name, element
                )
        for own in collisions:
            own.pass_over()
            notes.say("lost", "collision shapes: there is no contact between bodies yet", name, own)
        return link

    def _looks(self, link: Link, name: str, shapes: list[Element]) -> None:
        """Shapes to be seen, and the first colour of them."""
        notes = self.notes
        for visual in shapes:
            visual.asked.add("name")
            look = self._look(visual)
            link.looks += [] if look is None else [look]
            colour = self._colour(visual.one("material"))
            if look is not None and colour and link.colour and colour != link.colour:
                notes.say("approximated", "links of several colours have the first", name, visual)
            if look is not None:
                link.colour = link.colour or colour

    def _inertial(self, link: Link, inertial: Element) -> None:
        notes, where = self.notes, f"link '{link.name}'"
        mass = inertial.one("mass")
        link.mass = number(notes, mass, "value")
        if mass is None:
            notes.wrong("the mass is missing", inertial, where, 'write <mass value="..."/>')
        elif link.mass < 0.0:
            notes.wrong(f"the mass is negative: {link.mass:g} kg", mass, where)
        origin = inertial.one("origin")
        link.com, angles = vector(notes, origin, "xyz"), vector(notes, origin, "rpy")
        tensor = inertial.one("inertia")
        if tensor is None:
            notes.say("kept", "links whose mass is a point, without <inertia>", link.name, inertial)
            return
        xx, yy, zz, xy, xz, yz = (number(notes, tensor, f"i{e}") for e in ("xx", "yy", "zz", "xy", "xz", "yz"))
        if min(xx, yy, zz) < -NOISE * (max(abs(xx), abs(yy), abs(zz)) + 1e-3 * link.mass):
            worst = min(xx, yy, zz)
            notes.wrong(f"a moment of inertia is negative: {worst:g} kg m^2", tensor, where, "look at its signs")
        if link.mass or any((xx, yy, zz, xy, xz, yz)):
            axes = Rotation("rpy", angles) if any(angles) else None
            link.inertia = Inertia(xx, yy, zz, xy, xz, yz, "com", axes)

    def _look(self, visual: Element) -> Shape | None:
        notes = self.notes
        geometry = visual.one("geometry")
        frame = self._origin(visual, None)
        shape = None if geometry is None else next(iter(geometry.children), None)
        if geometry is None or shape is None:
            notes.say("lost", "visuals without a shape are not drawn", "", visual)
            return None
        shape.used = True
        if shape.tag == "box":
            size = vector(notes, shape, "size")
            return Box(size=size, frame=frame) if is_sized(notes, shape, *size) else None
        if shape.tag == "cylinder":
            r, length = number(notes, shape, "radius"), number(notes, shape, "length")
            return Cylinder(radius=r, length=length, frame=frame) if is_sized(notes, shape, r, length) else None
        if shape.tag == "sphere":
            r = number(notes, shape, "radius")
            return Sphere(radius=r, frame=frame) if is_sized(notes, shape, r) else None
        if shape.tag == "mesh":
            scale = numbers(notes, shape, "scale", (1.0, 1.0, 1.0))
            return look_of_mesh(notes, shape, shape.get("filename") or "", scale, frame)
        shape.pass_over()
        notes.say("lost", f"shapes of the kind <{shape.tag}> are not drawn", "", shape)
        return None

    def _colour(self, material: Element | None) -> str:
        """#RRGGBB of a material, which may be named elsewhere; "" where it has none."""
        if material is None:
            return ""
        name = material.get("name") or ""
        if (own := material.one("color")) is not None:
            rgba = numbers(self.notes, own, "rgba", (0.8, 0.8, 0.8, 1.0))
            self.colours.setdefault(name, colour_of(rgba))
            if rgba[3] != 1.0:
                self.notes.say("lost", "transparency of materials", name, own)
            return colour_of(rgba)
        return self.colours.get(name, "")

    # ---------------------------------------------------------------- joints

    def _kind(self, joint: str) -> str:
        return JOINTS.get(self.joints[joint].get("type") or "", "rigid")

    def _origin(self, element: Element, within: str | None) -> Placement:
        origin = element.one("origin")
        return rpy(vector(self.notes, origin, "xyz"), vector(self.notes, origin, "rpy"), within)

    def _axis(self, element: Element) -> Vector:
        own = element.one("axis")
        if own is None:
            return 1.0, 0.0, 0.0
        return unit_axis(self.notes, own, vector(self.notes, own, "xyz", (1.0, 0.0, 0.0)), named(element))

    def _joint(self, robot: Robot, name: str, element: Element, value: float) -> None:
        notes, where = self.notes, named(element)
        said = element.get("type") or ""
        if said not in JOINTS:
            text = f"'{said}' is not a type of joint" if said else "the type is missing"
            notes.wrong(text, element, where, did_you_mean(said, JOINTS))
            return
        if name not in self.ends:
            return  # what is wrong with its links is told already
        parent, child = self.ends[name]
        kind = JOINTS[said]
        hinge = Hinge(name, kind, parent, child, Placement(within=child), line=element.line)
        robot.hinges[name] = hinge
        limit, dynamics = element.one("limit"), element.one("dynamics")
        if kind in ("rigid", "free"):
            for part in (element.one("axis"), limit, dynamics):
                if part is not None and kind == "rigid":
                    part.pass_over()  # a fixed joint has no use for them, in URDF either
                elif part is not None:
                    part.used = False
            return
        axis = self._axis(element)
        if kind == "flat":
            hinge.frame = Placement(within=child, orientation=None if axis == (0.0, 0.0, 1.0) else Axis(axis))
            for part in (limit, dynamics):
                if part is not None:
                    part.pass_over()
                    notes.say("lost", f"<{part.tag}> of planar joints", name, part)
            return
        hinge.frame = Placement(within=child, orientation=Axis(axis))
        hinge.damping, hinge.friction = number(notes, dynamics, "damping"), number(notes, dynamics, "friction")
        low, high = bound(notes, limit, "lower"), bound(notes, limit, "upper")
        if said == "continuous":
            if limit is not None and (low or high):
                notes.say("lost", "limits of continuous joints, which turn without end", name, limit)
        elif limit is None:
            notes.say("kept", f"{said} joints without <limit>, which have no limits", name, element)
        else:  # URDF: what is left out is zero
            ends = [0.0 if not limit.has(end) else value for end, value in (("lower", low), ("upper", high))]
            hinge.limits = (ends[0], ends[1])
        for attribute in ("effort", "velocity"):
            most = bound(notes, limit, attribute)
            if most is not None and most < 0.0:
                notes.say("lost", f"a greatest {attribute} below zero", name, limit)
                most = None
            setattr(hinge, "effort" if attribute == "effort" else "speed", most)
        if value:
            hinge.value = (value,)
            X = robot.links[child].place.pose() @ geo.pose(_turn(axis)) @ transform(KINDS[kind](), [value])
            robot.links[child].place = placed(X @ geo.inverse(geo.pose(_turn(axis))), parent)

    # ---------------------------------------------------------------- mimic

    def _mimicked(self, robot: Robot) -> dict[str, float]:
        """Joints that follow others become couplings; their values in the layout, where the others are at zero."""
        notes = self.notes
        laws: dict[str, tuple[str, float, float]] = {}
        for name, element in self.joints.items():
            mimic = element.one("mimic")
            if mimic is None:
                continue
            leader = mimic.get("joint") or ""
            factor, offset = number(notes, mimic, "multiplier", 1.0), number(notes, mimic, "offset")
            if leader not in self.joints:
                notes.say("lost", f"<mimic> of '{leader}', which is no joint; it moves by itself", name, mimic)
            elif any(self._kind(j) == "rigid" for j in (name, leader)):
                notes.say("lost", "<mimic> of joints one of which is fixed; the other moves by itself", name, mimic)
            elif any(self._kind(j) not in ("revolute", "prismatic") for j in (name, leader)):
                notes.wrong(f"it follows '{leader}', and one of both has no single variable", mimic, named(element))
            else:
                laws[name] = (leader, factor, offset)
                law = f"{factor!r}*{{0}}" + (f" + ({offset!r})" if offset else "")
                robot.relations.append(Relation(f"{name}_mimic", law, (leader,), name, mimic.line))
        values: dict[str, float] = {}
        for name in laws:
            way = []
            at = name
            while at in laws and at not in values and at not in way:
                way.append(at)
                at = laws[at][0]
            if at in way:
                circle = " -> ".join([*way[way.index(at) :], at])
                notes.wrong(f"joints follow each other in a circle: {circle}", self.joints[at], f"joint '{at}'")
                break
            for own in reversed(way):
                leader, factor, offset = laws[own]
                values[own] = factor * values.get(leader, 0.0) + offset
        return values


def _turn(axis: Vector) -> Array:
    return Axis(axis).rotation((0.0, 0.0, 0.0))


def _name(element: Element) -> str:
    return element.attributes.get("name", "")
