"""SDFormat's places: models in models, and frames relative to each other, in any order."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from linkwork import geometry as geo
from linkwork.errors import Line, ModelError, Problem, did_you_mean
from linkwork.files.robots.description import WORLD
from linkwork.files.robots.sdf_text import Text
from linkwork.files.robots.surfaces import located
from linkwork.files.robots.values import named
from linkwork.files.robots.xml import Element, read_xml
from linkwork.files.tree import MAX_BYTES
from linkwork.geometry import Array

MODEL = "__model__"
DEEPEST = 8


@dataclass
class Place:
    """A named frame: its pose in another, which may be known later."""

    X: Array
    relative_to: str
    line: int


@dataclass
class Models(Text):
    """Links, joints and frames of all models by their full names, `MODEL::NAME`, and where they are.

    attached : what each frame, joint and model moves with: the name of another of them, or of a link
    static : links that stand still; known : poses in the world
    """

    places: dict[str, Place] = field(default_factory=dict)
    links: dict[str, Element] = field(default_factory=dict)
    attached: dict[str, str] = field(default_factory=dict)
    joints: list[tuple[str, str, Element]] = field(default_factory=list)
    static: set[str] = field(default_factory=set)
    known: dict[str, Array] = field(default_factory=dict)
    frames: list[str] = field(default_factory=list)

    def model(
        self, model: Element, scope: str, outer: str, above: str, depth: int, said: tuple[Array, str] | None = None
    ) -> None:
        """The parts of a model: their places relative to its own frame, or to what they name.

        scope, outer : what its names and those around it begin with; above : the frame that it stands in
        said : its pose, where the file that includes it says another
        """
        notes = self.notes
        own = f"{scope}{MODEL}"
        X, relative = said or self.pose_of(model, above, above, outer)
        self.places[own] = Place(X, relative, model.line)
        still = (self.text(model, "static") or "false").strip() in ("true", "1")
        first = ""
        if model.has("placement_frame"):
            notes.wrong("placement_frame cannot be said", model, named(model), "give the pose of the model itself")
        for link in model.all("link"):
            name = self._named(scope, link)
            if name is None:
                continue
            first = first or name
            self.links[name] = link
            self.attached[name] = name
            X, relative = self.pose_of(link, own, own, scope)
            self.places[name] = Place(X, relative, link.line)
            if still:
                self.static.add(name)
        for joint in model.all("joint"):
            name = self._named(scope, joint)
            if name is None:
                continue
            child = (self.text(joint, "child") or "").strip()
            X, relative = self.pose_of(joint, f"{scope}{child}", own, scope)
            self.places[name] = Place(X, relative, joint.line)
            self.attached[name] = f"{scope}{child}"
            self.joints.append((scope, name, joint))
        for frame in model.all("frame"):
            name = self._named(scope, frame)
            if name is None:
                continue
            to = frame.get("attached_to") or ""
            X, relative = self.pose_of(frame, f"{scope}{to}" if to else own, own, scope)
            self.places[name] = Place(X, relative, frame.line)
            self.attached[name] = f"{scope}{to}" if to else own
            self.frames.append(name)
        for nested in model.all("model"):
            inside = f"{scope}{nested.attributes.get('name', 'model')}::"
            if depth >= DEEPEST:
                notes.wrong(f"models are nested more than {DEEPEST} deep", nested, named(nested))
                return
            nested.has("name")
            self.model(nested, inside, scope, own, depth + 1)
            self.attached[inside.removesuffix("::")] = f"{inside}{MODEL}"
            self.places[inside.removesuffix("::")] = Place(np.eye(4), f"{inside}{MODEL}", nested.line)
            first = first or next((n for n in self.links if n.startswith(inside)), "")
        for include in model.all("include"):
            self.include(include, scope, own, depth + 1)
        canonical = model.get("canonical_link")
        self.attached[own] = f"{scope}{canonical}" if canonical else first or WORLD

    def include(self, include: Element, scope: str, above: str, depth: int, alone: bool = False) -> None:
        """Another file's model, inside the given folders."""
        notes = self.notes
        uri = (self.text(include, "uri") or "").strip()
        found = next(
            (f for name in (uri, f"{uri}/model.sdf") if name.endswith(".sdf") and (f := located(notes, name))), None
        )
        if found is None or depth >= DEEPEST:
            why = "is not there" if found is None else f"is included more than {DEEPEST} deep"
            hint = "it must lie in the folder of the file, or in the `folders` that are given"
            notes.wrong(f"the model '{uri[:80]}' that is included {why}", include, hint=hint)
            return
        root, path = found
        with (root / path).open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
        try:
            other = read_xml(raw, path)
        except ModelError as error:
            notes.problems += [Problem(p.what, p.where, p.hint, Line(p.line or 1, path)) for p in error.problems]
            return
        model = other.one("model")
        if other.tag != "sdf" or model is None:
            notes.wrong(f"'{path}' has no model", include)
            return
        name = (self.text(include, "name") or model.attributes.get("name") or "model").strip()
        said = None if include.one("pose") is None else self.pose_of(include, above, above, scope)
        notes.say("kept", "files that are included", path)
        self.root.children.append(other)  # so that what is not used of it is told
        other.used = model.has("name")
        other.asked.add("version")
        self.model(model, "" if alone else f"{scope}{name}::", scope, above, depth + 1, said)

    def _named(self, scope: str, element: Element) -> str | None:
        name = element.get("name")
        if not name:
            self.notes.wrong(f"a {element.tag} without a name", element, element.tag)
            return None
        full = f"{scope}{name}"
        if full in self.places:
            self.notes.wrong(f"there are two things named '{full}'", element, named(element), "give one another name")
            return None
        return full

    def pose_of(self, element: Element, usual: str, model: str, scope: str = "") -> tuple[Array, str]:
        """A pose and the frame that it is given in; `usual` where none is said."""
        pose = element.one("pose")
        usual = usual or model
        if pose is None:
            return np.eye(4), usual
        said = pose.get("relative_to")
        frame = usual if not said else said if said == WORLD else f"{scope}{said}" if said != MODEL else model
        words = pose.words()
        by_quaternion = pose.get("rotation_format") == "quat_xyzw"
        numbers = self.numbers(pose, words or ("0 0 0 0 0 0 1" if by_quaternion else "0 0 0 0 0 0"))
        if len(numbers) != (7 if by_quaternion else 6):
            self.notes.wrong(f'"{words[:60]}" is not a pose', pose, named(element), "x y z roll pitch yaw")
            return np.eye(4), frame
        if by_quaternion:
            x, y, z, w = numbers[3:]
            size = math.hypot(x, y, z, w)
            if not size:
                self.notes.wrong("the quaternion has no length", pose, named(element))
                return np.eye(4), frame
            R = geo.from_quaternion(np.array([w, x, y, z]) / size)
        else:
            unit = math.pi / 180 if pose.get("degrees") in ("true", "1") else 1.0
            R = geo.from_rpy(np.array(numbers[3:]) * unit) if any(numbers[3:]) else np.eye(3)
        return geo.pose(R, np.array(numbers[:3])), frame

    def poses(self) -> None:
        """Poses of all frames in the world; circles and unknown names are wrong."""
        for name in self.places:
            way: list[str] = []
            at = name
            while at not in self.known:
                if at not in self.places:
                    last = self.places[way[-1]]
                    here = type(self.root)("frame", {}, last.line)
                    hint = did_you_mean(at, [n for n in self.places if MODEL not in n])
                    self.notes.wrong(f"there is no frame '{at}'", here, way[-1], hint)
                    break
                if at in way:
                    circle = " -> ".join([*way[way.index(at) :], at])
                    here = type(self.root)("frame", {}, self.places[at].line)
                    self.notes.wrong(f"places are given in a circle: {circle}", here, at)
                    break
                if at == WORLD:
                    self.known[at] = np.eye(4)
                    break
                way.append(at)
                at = self.places[at].relative_to
            if at not in self.known:
                for own in way:
                    self.known.setdefault(own, np.eye(4))
                continue
            for own in reversed(way):
                self.known[own] = self.known[self.places[own].relative_to] @ self.places[own].X

    def body(self, name: str) -> str | None:
        """The link that a frame moves with; None of what there is not."""
        seen: set[str] = set()
        while name not in self.links and name != WORLD:
            if name in seen or name not in self.attached:
                return None
            seen.add(name)
            name = self.attached[name]
        return name
