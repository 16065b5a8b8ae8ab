"""What engineers write shorter, spelled out before a model file is read: the entries below say the same in full.

    repeat      groups of entries for k = 1, 2, ..., with {k} in names and texts
    places      named places without a body; `at: B` means the place or the point B
    pin         and other names of joint kinds that are in use; one pin through several bodies
    planar      two coordinates, one moment of inertia

Lines of the file stay with what was written there.
"""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from linkwork.errors import Problem, did_you_mean
from linkwork.files.explain import short
from linkwork.files.tree import Keys
from linkwork.model.joints import KINDS
from linkwork.model.mechanism import SYNONYMS

MOST_COPIES = 10_000
"""Entries that all repetitions of a file may make together."""
PLACED = ("at", "com", "to", "start", "end")
"""Keys under which a place stands."""
REPEATED = (
    "curves", "bodies", "chains", "joints", "points", "frames", "places", "springs", "dampers", "friction", "motors",
    "forces", "torques", "loads", "states", "couplings", "constraints", "velocities", "stretches", "cylinders",
)  # fmt: skip
_INDEX = re.compile(r"\{\s*(?P<name>[A-Za-z]\w*)\s*(?:(?P<sign>[+-])\s*(?P<by>[0-9]+)\s*)?\}")
_NAME = re.compile(r"[^\W\d][\w-]*")
Lines = dict[Keys, int]


class Spelling:
    """Spells out the data of one file.

    problems : what is wrong; notes : what was read as something else
    """

    def __init__(self, data: dict[str, Any], lines: Lines) -> None:
        self.data, self.lines = copy.copy(data), lines
        self.problems: list[Problem] = []
        self.notes: list[Problem] = []
        self.planar = data.get("planar") is True

    def done(self) -> dict[str, Any]:
        """The data in full."""
        if "repeat" in self.data:
            self._repeat(self.data["repeat"])
        joints = self.data.get("joints")
        if isinstance(joints, dict):
            self.data["joints"] = self._joints(joints)
        if "places" in self.data or self._names_places():
            self._places()
        if self.planar:
            self._flat()
        return self.data

    def _wrong(self, what: str, where: str, hint: str = "") -> None:
        self.problems.append(Problem(what, where, hint))

    # ---------------------------------------------------------------- repetitions

    def _repeat(self, groups: Any) -> None:
        if not isinstance(groups, dict):
            self._wrong("names with their groups are wanted", "repeat", "write legs: {for: k, to: 6, bodies: {...}}")
            return
        made = 0
        for group, entry in groups.items():
            where = f"repeat.{short(group)}"
            if not isinstance(entry, dict):
                self._wrong("a group is wanted", where, "write {for: k, to: 6, bodies: {...}, joints: {...}}")
                continue
            index, first, last = entry.get("for", "k"), entry.get("from", 1), entry.get("to")
            strange = [key for key in entry if key not in (*REPEATED, "for", "from", "to")]
            for key in strange:
                self._wrong(f"unknown key '{short(key)}'", where, did_you_mean(str(key), [*REPEATED, "for", "to"]))
            if not isinstance(index, str) or not _NAME.fullmatch(index):
                self._wrong(f"'{short(index)}' is no name of an index", f"{where}.for", "such as k")
                continue
            if type(first) is not int or type(last) is not int or last < first:
                self._wrong("it is not said how often", where, "give whole numbers: {for: k, from: 1, to: 6, ...}")
                continue
            made += (last - first + 1) * sum(len(x) for key, x in entry.items() if isinstance(x, dict))
            if made > MOST_COPIES:
                self._wrong(f"more than {MOST_COPIES} entries are repeated", where, "build large models in Python")
                return
            for k in range(first, last + 1):
                self._copy(entry, ("repeat", group), index, k)

    def _copy(self, group: dict[str, Any], path: Keys, index: str, k: int) -> None:
        for section in REPEATED:
            entries = group.get(section)
            if entries is None:
                continue
            if not isinstance(entries, dict):
                self._wrong("names with their entries are wanted", ".".join(map(str, (*path, section))))
                continue
            own = dict(self.data.get(section) or {})
            for name, entry in entries.items():
                called = _numbered(str(name), index, k)
                if called in own:
                    hint = f"put the index into its name: '{name}{{{index}}}'"
                    self._wrong(f"there are two entries named '{called}'", f"{section}.{called}", hint)
                    continue
                own[called] = _renamed(entry, index, k)
                rename = functools.partial(_numbered, index=index, k=k)
                self._keep_lines((*path, section, name), (section, called), rename)
            self.data[section] = own

    def _keep_lines(self, old: Keys, new: Keys, rename: Callable[[str], str] = str) -> None:
        for path, line in list(self._below(old)):
            rest = tuple(rename(key) if isinstance(key, str) else key for key in path[len(old) :])
            self.lines.setdefault((*new, *rest), line)

    def _below(self, old: Keys) -> Iterator[tuple[Keys, int]]:
        """Lines of an entry and of all within it."""
        if not hasattr(self, "_by_head"):
            self._by_head: dict[Keys, list[tuple[Keys, int]]] = {}
            for path, line in self.lines.items():
                for size in (2, 4):
                    self._by_head.setdefault(path[:size], []).append((path, line))
        return iter(self._by_head.get(old, ()))

    # ---------------------------------------------------------------- joints

    def _joints(self, joints: dict[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, entry in joints.items():
            if not isinstance(entry, dict):
                made[name] = entry
                continue
            entry = self._by_usual_name(name, entry, joints)
            kind = next((key for key in entry if key in KINDS), "")
            bodies = entry.get(kind)
            if not isinstance(bodies, list) or len(bodies) < 3 or not _are_names(bodies):
                made[name] = entry
                continue
            names = [name, *(f"{name}_{k}" for k in range(2, len(bodies)))]
            taken = [own for own in names[1:] if own in joints]
            if taken:
                self._wrong(f"its pins would be called {', '.join(taken)}, which are there", f"joints.{name}")
            for own, body in zip(names, bodies[1:], strict=True):
                made[own] = {**entry, kind: [bodies[0], body]}
                if own != name:
                    self._keep_lines(("joints", name), ("joints", own))
            text = f"it joins {len(bodies)} bodies: read as {len(names)} joints to '{bodies[0]}', {', '.join(names)}"
            self.notes.append(Problem(text, f"joints.{name}", severity="note"))
        return made

    def _by_usual_name(self, name: str, entry: dict[str, Any], joints: dict[str, Any]) -> dict[str, Any]:
        """A joint by one of the other names of its kind."""
        said = [key for key in entry if key in SYNONYMS and key not in KINDS and isinstance(entry[key], list)]
        if len(said) != 1 or any(key in KINDS for key in entry):
            return entry
        kind = SYNONYMS[said[0]]
        told = f"'{said[0]}' is read as {kind}"
        if not any(note.what == told for note in self.notes):  # once for each word
            self.notes.append(Problem(told, f"joints.{name}", severity="note"))
        if (line := self.lines.get(("joints", name, said[0]))) is not None:
            self.lines.setdefault(("joints", name, kind), line)
        return {kind if key == said[0] else key: value for key, value in entry.items()}

    # ---------------------------------------------------------------- places

    def _names_places(self) -> bool:
        return any(isinstance(value, str) for value, _, _, _ in self._spots())

    def _spots(self) -> Iterator[tuple[Any, dict[str, Any] | list[Any], Any, str]]:
        """Everything that stands where a place is wanted: the value, what holds it, its key, where it is."""
        for section in ("bodies", "joints", "points", "frames", "stretches"):
            entries = self.data.get(section)
            for name, entry in entries.items() if isinstance(entries, dict) else ():
                if isinstance(entry, dict):
                    yield from _placed(entry, f"{section}.{name}", section)
        places = self.data.get("places")
        if isinstance(places, dict):
            yield from ((value, places, name, f"places.{name}") for name, value in places.items())

    def _places(self) -> None:
        """Names of places and of points as coordinates."""
        self.data = {key: copy.deepcopy(value) for key, value in self.data.items()}
        places, points = self.data.get("places"), self.data.get("points")
        if places is not None and not isinstance(places, dict):
            self._wrong("names with their places are wanted", "places", "write B: [50, 0, 0]")
            places = None
        known: dict[str, Any] = {}
        for name, entry in points.items() if isinstance(points, dict) else ():
            if isinstance(entry, dict) and "in" not in entry:
                known[name] = entry.get("at")
        joints = self.data.get("joints")
        own: dict[str, Any] = {}
        for name, entry in joints.items() if isinstance(joints, dict) else ():
            if isinstance(entry, dict) and "in" not in entry:
                own[name] = entry.get("at")
        known = {**own, **known, **(places or {})}
        for name in places or {}:
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                self._wrong(f"'{short(name)}' is no name of a place", "places", "use letters, digits, _ and -")
        for value, holder, key, where in list(self._spots()):
            if isinstance(value, str):
                found = self._coordinates(value, known, where)
                holder[key] = [0, 0, 0] if found is None else copy.deepcopy(found)  # nothing follows from a wrong one

    def _coordinates(self, name: str, known: dict[str, Any], where: str) -> Any:
        seen: list[str] = []
        value: Any = name
        while isinstance(value, str):
            if value in seen:
                if where.partition(".")[0] == "places":  # told where it is named, too, would be told twice
                    self._wrong(f"places stand in a circle: {' -> '.join([*seen, value])}", where)
                return None
            if value not in known:
                hint = did_you_mean(value, list(known)) or "give three numbers, or name a place under `places`"
                self._wrong(f"there is no place '{short(value)}'", where, hint)
                return None
            seen.append(value)
            value = known[value]
        return value

    # ---------------------------------------------------------------- planar machines

    def _flat(self) -> None:
        """Two coordinates become three, one moment of inertia a tensor."""
        self.data = {key: copy.deepcopy(value) for key, value in self.data.items()}
        for value, holder, key, _ in list(self._spots()):
            if isinstance(value, list) and len(value) == 2 and not any(isinstance(x, list | dict) for x in value):
                holder[key] = [*value, 0]
        gravity = self.data.get("gravity")
        if isinstance(gravity, list) and len(gravity) == 2:
            self.data["gravity"] = [*gravity, 0]
        bodies = self.data.get("bodies")
        for body in bodies.values() if isinstance(bodies, dict) else ():
            moment = body.get("inertia") if isinstance(body, dict) else None
            if isinstance(moment, int | float | str) and not isinstance(moment, bool):
                body["inertia"] = [moment] * 3


def _placed(entry: dict[str, Any], where: str, section: str) -> Iterator[tuple[Any, Any, Any, str]]:
    for key in PLACED:
        if key in entry and not isinstance(entry[key], dict):
            yield entry[key], entry, key, f"{where}.{key}"
    for key in ("points", "bar"):
        if isinstance(entry.get(key), list):
            yield from ((value, entry[key], i, f"{where}.{key}[{i}]") for i, value in enumerate(entry[key]))
    inner = [entry.get("to"), entry.get("frame")]
    if section == "bodies":
        inner += [*_list(entry.get("solids")), *_list(entry.get("looks"))]
    for own in inner:
        if isinstance(own, dict):
            yield from ((own[key], own, key, f"{where}.{key}") for key in ("at",) if key in own)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _are_names(bodies: Iterable[Any]) -> bool:
    return all(type(body) in (str, int) for body in bodies)


def _numbered(text: str, index: str, k: int) -> str:
    """A text with the number in place of {k}, {k+1}, {k-1}."""

    def number(found: re.Match[str]) -> str:
        if found["name"] != index:
            return found[0]
        by = int(found["by"] or 0)
        return str(k - by if found["sign"] == "-" else k + by)

    return _INDEX.sub(number, text)


def _renamed(value: Any, index: str, k: int) -> Any:
    """An entry with the number in all its names and texts; a text that is then a number is one."""
    if isinstance(value, str):
        text = _numbered(value, index, k)
        return int(text) if text != value and re.fullmatch(r"-?[0-9]{1,9}", text) else text
    if isinstance(value, dict):
        return {_numbered(str(key), index, k): _renamed(one, index, k) for key, one in value.items()}
    return [_renamed(one, index, k) for one in value] if isinstance(value, list) else value
