"""MJCF: bodies in a tree with joints of their own, closed by equalities; https://mujoco.readthedocs.io/en/stable/XMLreference.html.

It is read here, not by MuJoCo: lines and names are kept, nothing else need be installed, and tests hold it to MuJoCo.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from linkwork import geometry as geo
from linkwork.errors import did_you_mean
from linkwork.files.robots.description import WORLD, Hinge, Link, Mark, Robot
from linkwork.files.robots.mjcf_geoms import Geom, colour, looks, read_geom, weighed
from linkwork.files.robots.mjcf_relations import read_relations
from linkwork.files.robots.mjcf_text import Merged, Text
from linkwork.files.robots.notes import Notes
from linkwork.files.robots.values import named, number, number_list, numbers, placed, unit_axis, vector
from linkwork.files.robots.xml import Element
from linkwork.geometry import Array
from linkwork.model.bodies import ELEMENTS, Inertia
from linkwork.model.placement import Axis, Placement

JOINTS = {"hinge": "revolute", "slide": "prismatic", "ball": "spheric", "free": "free"}
MADE = ("composite", "flexcomp", "replicate", "attach", "plugin")
"""Elements of bodies that MuJoCo makes other elements of."""


def read_mjcf(root: Element, notes: Notes) -> Robot:
    """What an MJCF file says.

    Parameters
    ----------
    root : its <mujoco>
    notes : gets what is wrong, and what becomes of each part
    """
    if root.tag != "mujoco":
        notes.wrong("this is a part of an MJCF file", root, root.tag, "load the file that includes it")
        notes.tell()
    text = Text(root, notes)
    text.prepare()
    reader = _Reader(text)
    robot = reader.robot()
    notes.unused([root])
    return robot


@dataclass
class _Reader:
    text: Text
    meshes: dict[str, Element] = field(default_factory=dict)
    materials: dict[str, Element] = field(default_factory=dict)
    geoms: dict[str, list[Geom]] = field(default_factory=dict)
    """Shapes of each link."""
    poses: dict[str, Array] = field(default_factory=dict)
    """Of links in the world, in the layout."""
    count: int = 0
    """Bodies of the file, in the order in which MuJoCo counts them."""
    robot_: Robot = field(default_factory=lambda: Robot("robot", WORLD))

    def robot(self) -> Robot:
        """The whole of it."""
        text, notes, robot = self.text, self.text.notes, self.robot_
        root = text.root
        robot.name = root.get("model") or "robot"
        if text.setting("coordinate", "local") != "local":
            notes.wrong('coordinate="global" cannot be said', root, "compiler", "save the model again by MuJoCo")
        weightless = False
        for option in root.all("option"):
            robot.gravity = vector(notes, option, "gravity", robot.gravity)
            for flag in option.all("flag"):
                weightless = weightless or flag.get("gravity") == "disable"
        robot.gravity = (0.0, 0.0, 0.0) if weightless else robot.gravity
        for asset in root.all("asset"):
            for mesh in asset.all("mesh"):
                own = text.merged(mesh)
                name = own.get("name") or (own.get("file") or "").rpartition("/")[2].rpartition(".")[0]
                self.meshes[name] = own
            for material in asset.all("material"):
                self.materials[material.get("name") or ""] = text.merged(material)
        robot.links[WORLD] = Link(WORLD)
        self.poses[WORLD], self.geoms[WORLD] = np.eye(4), []
        for world in root.all("worldbody"):
            self._inside(WORLD, world, np.eye(4), world.get("childclass") or "")
        self._weigh()
        read_relations(text, robot, self.poses)
        self._actuators()
        if len(robot.links) == 1 and not notes.problems:
            notes.wrong("there are no bodies", root, "mujoco")
        return robot

    # ---------------------------------------------------------------- bodies

    def _inside(self, link: str, body: Element, X: Array, childclass: str) -> None:
        """What stands in a body, or in a <frame> of it that is turned by X."""
        text, notes = self.text, self.text.notes
        for own in body.children:
            if own.tag == "geom":
                self.geoms[link].append(read_geom(text, text.merged(own, childclass), X, self.meshes))
            elif own.tag == "site":
                self._site(link, text.merged(own, childclass), X)
            elif own.tag == "body":
                self._body(link, own, X, childclass)
            elif own.tag == "frame":
                own.used = True
                self._inside(link, own, X @ text.pose(own), own.get("childclass") or childclass)
            elif own.tag in MADE:
                own.pass_over()
                hint = "load what MuJoCo makes of the file: mujoco.mj_saveLastXML writes it"
                notes.wrong(f"<{own.tag}> cannot be said", own, named(own), hint)

    def _site(self, link: str, at: Merged, X: Array) -> None:
        name = at.get("name") or f"site{len(self.robot_.marks) + 1}"
        at.has("fromto")
        if name in self.robot_.marks:
            self.text.notes.wrong(f"there are two sites named '{name}'", at, named(at))
            return
        self.robot_.marks[name] = Mark(name, link, placed(X @ self.text.pose(at), link), at.line)

    def _body(self, parent: str, body: Element, X: Array, childclass: str) -> None:
        text, notes, robot = self.text, self.text.notes, self.robot_
        body.used = True
        self.count += 1
        name = body.get("name") or f"body{self.count}"
        childclass = body.get("childclass") or childclass
        if name in robot.links:
            notes.wrong(f"there are two bodies named '{name}'", body, named(body), "give one another name")
            return
        X_PB = X @ text.pose(body)
        self.poses[name], self.geoms[name] = self.poses[parent] @ X_PB, []
        link = Link(name, placed(X_PB, parent), line=body.line)
        joints = self._joints_of(body, np.eye(4), childclass)
        self._above(parent, link, joints, body)
        robot.links[name] = link
        inertial = body.one("inertial")
        if inertial is not None:
            self._inertial(link, inertial)
        self._inside(name, body, np.eye(4), childclass)

    def _joints_of(self, body: Element, X: Array, childclass: str) -> list[tuple[Merged, Array]]:
        """The joints of a body in their order, with the frames that they stand in."""
        found: list[tuple[Merged, Array]] = []
        for own in body.children:
            if own.tag == "joint":
                found.append((self.text.merged(own, childclass), X))
            elif own.tag == "freejoint":
                own.used = True
                attributes = {**own.attributes, "type": "free"}
                found.append((Merged(own.tag, attributes, own.line, file=own.file, origins=(own,)), X))
            elif own.tag == "frame":
                own.used = True
                turned = X @ self.text.pose(own)
                found += self._joints_of(own, turned, own.get("childclass") or childclass)
        return found

    def _above(self, parent: str, link: Link, joints: list[tuple[Merged, Array]], body: Element) -> None:
        """The joints from the parent to a body; between several of them are links without mass."""
        notes, robot = self.text.notes, self.robot_
        if not joints:
            if body.get("mocap") == "true":
                notes.say("converted", "mocap bodies stand still", link.name, body)
            weld = f"{link.name}_weld"
            robot.hinges[weld] = Hinge(weld, "rigid", parent, link.name, Placement(within=link.name), line=body.line)
            return
        tail = parent
        for k, (at, X) in enumerate(joints):
            kind = at.get("type") or "hinge"
            name = at.get("name") or f"{link.name}_{kind}{k + 1 if len(joints) > 1 else ''}"
            if name in robot.hinges:
                notes.wrong(f"there are two joints named '{name}'", at, named(at), "give one another name")
                continue
            head = link.name
            if k + 1 < len(joints):
                head = f"{link.name}_{name}_stage"
                robot.links[head] = Link(head, link.place, line=at.line)
                self.poses[head], self.geoms[head] = self.poses[link.name], []
            robot.hinges[name] = self._hinge(at, name, kind, tail, head, link.name, X)
            tail = head
        if len(joints) > 1:
            notes.say("converted", "several joints of a body have links without mass between them", link.name, body)

    def _hinge(self, at: Merged, name: str, kind: str, tail: str, head: str, link: str, X: Array) -> Hinge:
        notes, text, where = self.text.notes, self.text, f"joint '{name}'"
        if kind not in JOINTS:
            notes.wrong(f"'{kind}' is not a type of joint", at, where, did_you_mean(kind, JOINTS))
            kind = "hinge"
        hinge = Hinge(name, JOINTS[kind], tail, head, line=at.line)
        at.has("group")
        anchor = X[:3, :3] @ np.array(vector(notes, at, "pos")) + X[:3, 3]
        place = (float(anchor[0]), float(anchor[1]), float(anchor[2]))
        if kind == "free":
            if tail != WORLD or head != link:
                notes.wrong("a free joint stands alone, in a body of the world", at, where)
            X_WB = self.poses[link]
            x, y, z = (float(c) for c in X_WB[:3, 3])
            turn = (float(c) for c in geo.to_quaternion(X_WB[:3, :3]))
            hinge.frame, hinge.value = Placement(within=WORLD), (x, y, z, *turn)
        elif kind == "ball":
            hinge.frame = Placement(place, within=link)
        if kind in ("free", "ball"):
            for lost in ("damping", "stiffness", "frictionloss", "armature", "range"):
                found = None if at.tag == "freejoint" else number_list(notes, at, lost, at.get(lost) or "0", (1, 2, 3))
                if found and any(found):
                    notes.say("lost", f"{lost} of joints that turn freely in space", name, at)
            return hinge
        said = X[:3, :3] @ np.array(unit_axis(notes, at, vector(notes, at, "axis", (0.0, 0.0, 1.0)), where))
        hinge.frame = Placement(place, Axis((float(said[0]), float(said[1]), float(said[2]))), link)
        unit = text.angle if kind == "hinge" else 1.0
        if rest := number(notes, at, "ref") * unit:
            hinge.value = (rest,)
        low, high = numbers(notes, at, "range", (0.0, 0.0))
        if self._is_limited(at):
            hinge.limits = (low * unit, high * unit)
        hinge.damping, hinge.stiffness = self._first(at, "damping", name), self._first(at, "stiffness", name)
        hinge.rest = number(notes, at, "springref") * unit
        time, ratio = numbers(notes, at, "springdamper", (0.0, 0.0))
        hinge.tuned = (time, ratio) if time > 0.0 and ratio > 0.0 else None
        hinge.friction, hinge.rotor = number(notes, at, "frictionloss"), number(notes, at, "armature")
        return hinge

    def _first(self, at: Merged, what: str, name: str) -> float:
        """The linear part of what may be a polynomial."""
        found = number_list(self.text.notes, at, what, at.get(what) or "0", tuple(range(1, 8))) or (0.0,)
        if any(found[1:]):
            self.text.notes.say("approximated", f"{what} by a polynomial is its linear part", name, at)
        return found[0]

    def _is_limited(self, at: Merged) -> bool:
        limited = at.get("limited") or "auto"
        if limited not in ("auto", "true", "false"):
            self.text.notes.wrong(f"limited is '{limited[:40]}'", at, named(at), "one of auto, true, false")
        if limited == "auto":
            return self.text.is_set("autolimits", True) and at.has("range")
        return limited == "true"

    # ---------------------------------------------------------------- masses and looks

    def _inertial(self, link: Link, at: Element) -> None:
        text, notes, where = self.text, self.text.notes, f"body '{link.name}'"
        if text.setting("inertiafromgeom", "auto") == "true":
            at.pass_over()
            notes.say("converted", "<inertial> of bodies that take their mass from geoms", link.name, at)
            return
        link.mass = number(notes, at, "mass")
        if link.mass < 0.0:
            notes.wrong(f"the mass is negative: {link.mass:g} kg", at, where)
        link.com = vector(notes, at, "pos")
        R = text.rotation(at)
        if at.has("fullinertia"):
            found = number_list(notes, at, "fullinertia", at.get("fullinertia") or "", (6,)) or (0.0,) * 6
            xx, yy, zz, xy, xz, yz = found
            link.inertia = Inertia(xx, yy, zz, xy, xz, yz)
        else:
            xx, yy, zz = vector(notes, at, "diaginertia")
            turn = placed(geo.pose(R)).orientation
            link.inertia = Inertia(xx, yy, zz, axes=turn) if xx or yy or zz else None
        if link.inertia is not None and min(link.inertia.xx, link.inertia.yy, link.inertia.zz) < 0.0:
            notes.wrong("a moment of inertia is negative", at, where)

    def _weigh(self) -> None:
        """Masses from shapes, and what the compiler makes of all of them; looks and colours."""
        text, notes, robot = self.text, self.text.notes, self.robot_
        by_shape = text.choice("inertiafromgeom", ("auto", "true", "false"))
        for name, link in robot.links.items():
            shapes = self.geoms.get(name, [])
            for geom in shapes:
                link.looks += looks(text, geom, self.meshes)
                link.colour = link.colour or colour(text, geom.at, self.materials)
            if name == WORLD or link.mass is not None:
                for geom in shapes:
                    geom.at.asked |= {"mass", "density"}
                    for origin in geom.at.origins if isinstance(geom.at, Merged) else ():
                        origin.asked |= {"mass", "density"}
                continue
            if by_shape == "false":
                continue
            mass, com, tensor = weighed(text, shapes)
            if mass:
                link.mass, link.com = mass, (float(com[0]), float(com[1]), float(com[2]))
                link.inertia = _tensor(tensor)
        if shapes_without := [n for n, g in self.geoms.items() if g and n != WORLD]:
            notes.say("lost", "contact between geoms", f"of {len(shapes_without)} bodies")
        self._adjust()

    def _adjust(self) -> None:
        """boundmass, boundinertia, balanceinertia and settotalmass of the compiler, in MuJoCo's order."""
        text, notes = self.text, self.text.notes
        moving = [link for name, link in self.robot_.links.items() if name != WORLD and name in self._said()]
        (least,), (least_inertia,) = (text.setting_numbers(key, (0.0,)) for key in ("boundmass", "boundinertia"))
        balance, (total,) = text.is_set("balanceinertia", False), text.setting_numbers("settotalmass", (-1.0,))
        for link in moving:
            if least > 0.0:
                link.mass = max(link.mass or 0.0, least)
            if least_inertia > 0.0 or balance:
                link.inertia = _bounded(link, least_inertia, balance)
        if total > 0.0:
            factor = total / (sum(link.mass or 0.0 for link in moving) or 1.0)
            for link in moving:
                link.mass = (link.mass or 0.0) * factor
                if (own := link.inertia) is not None:
                    parts: dict[str, Any] = {e: factor * getattr(own, e) for e in ELEMENTS}
                    link.inertia = replace(own, **parts)
            notes.say("converted", "masses and inertias, to the total mass of the compiler", f"{total:g} kg")

    def _said(self) -> set[str]:
        """Links that are bodies of the file, not made between joints."""
        return {name for name in self.robot_.links if not name.endswith("_stage") or self.geoms.get(name)}

    def _actuators(self) -> None:
        for section in self.text.root.all("actuator"):
            for own in section.children:
                on = next((own.attributes[k] for k in ("joint", "tendon", "site", "body") if k in own.attributes), "")
                gear = f", gear {own.attributes['gear']}" if "gear" in own.attributes else ""
                what = "actuators: drives are said where forces are asked"
                self.text.notes.say(
                    "lost", what, f"{own.attributes.get('name', own.tag)} ({own.tag} on {on}{gear})", own
                )
                own.pass_over()


def _tensor(T: Array) -> Inertia:
    xx, yy, zz, xy, xz, yz = (float(T[i]) for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    return Inertia(xx, yy, zz, xy, xz, yz)


def _bounded(link: Link, least: float, balance: bool) -> Inertia:
    """Principal moments that are at least so large, and that no longer break the triangle inequality."""
    T = np.zeros((3, 3)) if link.inertia is None else link.inertia.tensor()
    moments, axes = np.linalg.eigh(T)
    moments = np.maximum(moments, least) if least > 0.0 else moments
    if balance and moments.max() > moments.sum() - moments.max():
        moments = np.full(3, moments.mean())
    return _tensor(axes @ np.diag(moments) @ axes.T)
