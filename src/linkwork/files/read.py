"""Model files: read, checked entry by entry, every problem reported at once with its line."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from linkwork.analyses import soundness
from linkwork.errors import InputError, MissingExtra, ModelError, Problem, did_you_mean, nearest
from linkwork.files.entries import (
    CONSTRAINTS,
    INNER,
    JOINTS,
    LOADS,
    BodyEntry,
    ChainEntry,
    CurveEntry,
    FrameEntry,
    Gather,
    InertiaEntry,
    LookEntry,
    PlacementEntry,
    PointEntry,
    RowEntry,
    SolidEntry,
    StateEntry,
    inertia_form,
    point_as_placement,
    read_amount,
    state_dimensions,
    variable_limits,
    variable_values,
)
from linkwork.files.entries.cases import CaseEntry
from linkwork.files.entries.cylinders import CylinderEntry
from linkwork.files.entries.dimensions import read_lets
from linkwork.files.entries.header import UnitsEntry
from linkwork.files.explain import blanks, explained, in_quotes, keys_of, short, torn_formulas
from linkwork.files.includes import Includes
from linkwork.files.mesh import mesh_look, read_mesh
from linkwork.files.quantities import as_name, quantity
from linkwork.files.robots.installed import PREFIX, path_of_description
from linkwork.files.robots.recognise import SUFFIXES as ROBOTS
from linkwork.files.robots.recognise import TABLE_SUFFIXES, is_xml, load_robot
from linkwork.files.schema import VERSION, ModelFile
from linkwork.files.shorthand import Spelling
from linkwork.files.tree import MAX_BYTES, MAX_PROBLEMS, Keys, Tree, read_tree
from linkwork.model.amounts import TIME, Amount, Steady, variable_in
from linkwork.model.dimensions import Let, Scope, within
from linkwork.model.joints import KINDS
from linkwork.model.layout import lay_out
from linkwork.model.load_words import names_of, place_of
from linkwork.model.mechanism import Mechanism
from linkwork.model.parts import checked_name
from linkwork.model.placement import ROW_KEYS, Placement
from linkwork.model.source import Source, path_of
from linkwork.names import no_such
from linkwork.topology import graph_of
from linkwork.units import ACCELERATION, LENGTH, MASS, NUMBER, Dimension, UnitSystem
from linkwork.units import TIME as SECONDS

_MISSING = re.compile("there is no [a-z, ]*'([^']+)'")
SUFFIXES = (".yaml", ".yml", ".json")


def load(path: str | Path, *, folders: Sequence[str | Path] = (), floating: bool | None = None) -> Mechanism:
    """Read a model file (YAML or JSON), a robot (URDF, MJCF, SDF) or a D-H table (CSV).

    Raises ModelError with every problem of the file; what only the whole model can tell is left to `check`. What became
    of a robot's file is in `import_report` of the mechanism.

    Parameters
    ----------
    path : the file; meshes are looked for in its folder. Or "robot_descriptions:NAME", of that package's files on disk
    folders : of robots: further folders, in which packages and meshes are looked for
    floating : of URDF: whether the root link moves freely; else it stands still
    """
    if str(path).startswith(PREFIX):
        path = path_of_description(str(path).removeprefix(PREFIX))
    file = Path(path)
    if file.suffix.lower() not in (*SUFFIXES, *ROBOTS):
        stem = next((f"{file}{end}" for end in (*SUFFIXES, *ROBOTS) if Path(f"{file}{end}").is_file()), None)
        hint = f"did you mean '{stem}'?" if stem else f"name it with {', '.join((*SUFFIXES, *ROBOTS))}"
        raise ModelError(Problem(f"'{file.suffix}' is not a kind of model file", hint=hint), str(file))
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:  # bounded, because a device does not tell its size
            raw = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        others = [p.name for p in file.parent.glob("*") if p.suffix in SUFFIXES] if file.parent.is_dir() else []
        raise ModelError(Problem("there is no such file", hint=did_you_mean(file.name, others)), str(file)) from None
    except OSError as error:
        raise ModelError(f"it cannot be read: {error.strerror}", str(file)) from None
    except ValueError:  # a zero byte in its name
        raise ModelError("there is no such file", str(file)) from None
    if len(raw) > MAX_BYTES:
        size = max(size, len(raw))
        raise ModelError(f"the file has {size / 1e6:.1f} MB; at most {MAX_BYTES / 1e6:.0f} MB are read", str(file))
    if file.suffix.lower() in ROBOTS:
        is_table = file.suffix.lower() in TABLE_SUFFIXES
        return load_robot(raw, str(file), file.parent, folders=folders, floating=floating, is_table=is_table)
    if folders or floating is not None:
        given = "folders" if folders else "floating"
        raise InputError(Problem("a model file has no use for it", given, "leave it out"), str(file))
    return loads(raw, source=str(file), folder=file.parent, is_json=file.suffix.lower() == ".json")


def loads(
    text: str | bytes, *, source: str = "text", folder: str | Path | None = None, is_json: bool = False
) -> Mechanism:
    """Read a model from text.

    Parameters
    ----------
    text : YAML or JSON, or a robot as URDF, MJCF or SDF
    source : what to call it in messages
    folder : folder of its meshes; none may be named without
    is_json : True for strict JSON
    """
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if is_xml(raw) and not is_json:
        return load_robot(raw, source, None if folder is None else Path(folder))
    try:
        tree = read_tree(raw, is_json)
    except ModelError as error:
        raise ModelError(error.problems, source) from None
    reader = _Reader(tree, source, None if folder is None else Path(folder))
    m = reader.mechanism()
    if reader.problems:
        raise ModelError(_in_order(map(reader.source.locate, reader.all_problems(m))), source)
    return m


def _in_order(problems: Iterable[Problem]) -> list[Problem]:
    unique = sorted(dict.fromkeys(problems), key=lambda p: (p.file, p.line if p.line is not None else 0))
    if len(unique) <= MAX_PROBLEMS:
        return unique
    return [*unique[:MAX_PROBLEMS], Problem("and more; the rest of the file is not looked at")]


class _Reader:
    """Builds a mechanism from a tree, keeping every problem."""

    def __init__(self, tree: Tree, source: str, folder: Path | None) -> None:
        self.problems = list(tree.problems)
        self.source = Source(source, tree.lines)
        self._data = tree.data
        self._folder = folder
        self._units = UnitSystem()
        self._read_mesh = _no_mesh if folder is None else functools.partial(_mesh, folder=folder)
        self._mesh_look = functools.partial(mesh_look, folder="" if folder is None else folder)
        self._kinds: dict[str, str] = {}  # what each name is
        self._unplaced: set[str] = set()  # bodies whose frame could not be understood
        self._bad_curves: set[str] = set()
        self._bad_rows: set[str] = set()  # joints of chains that could not be understood
        self._measured: dict[str, Dimension] = {}  # what states measure, by name

    def mechanism(self) -> Mechanism:
        """The mechanism, without what could not be understood."""
        includes = Includes(self._folder, self.source.lines)
        spelling = Spelling(includes.taken(self._header()), self.source.lines)
        self.problems += includes.problems
        data = self._data = spelling.done()
        self.problems += spelling.problems
        self.source = replace(self.source, notes=tuple(spelling.notes))
        lets = read_lets(data.get("let"), self._units, self._uses, self.problems)
        with within(Scope(lets, self._units)):
            return self._described(data, lets)

    def _uses(self, lets: dict[str, Let]) -> list[tuple[str, Dimension | None]]:
        """Where dimensions are used, and as what: the file is read as far as it goes, to no other end."""
        own = Scope(lets, self._units, uses=[])
        other = _Reader(Tree(self._data, self.source.lines), self.source.name, None)
        other._read_mesh, other._mesh_look = self._read_mesh, self._mesh_look
        with within(own):
            other._described(other._header(), {})
        assert own.uses is not None
        return own.uses

    def _described(self, data: dict[str, Any], lets: dict[str, Let]) -> Mechanism:
        m = self._empty(data)
        m.begin_with(lets)
        self._kinds[m.ground.name] = "body"
        m.source = self.source = replace(self.source, units=self._units)
        self._section(m, data, "curves", self._curve)
        self._section(m, data, "bodies", self._body)
        self._in_file_order(m, data.get("bodies"))
        self._section(m, data, "chains", self._chain)
        self._section(m, data, "joints", self._joint)
        for section in INNER:
            self._section(m, data, section, self._inner)
        self._section(m, data, "points", self._point)
        self._section(m, data, "cylinders", self._cylinder)
        self._section(m, data, "frames", self._frame)
        for section in CONSTRAINTS:
            self._section(m, data, section, self._constraint)
        self._measured = state_dimensions(data.get("states"))
        self._section(m, data, "states", self._state)
        self._leave_out_lost_states(m)
        for section in LOADS:
            self._section(m, data, section, self._load)
        self._section(m, data, "cases", self._case)
        self._expectations(m, data)
        return m

    def _cylinder(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        entry = self._validated(CylinderEntry, value, where)
        if not any(self._is_lost(m, point) for point in entry.between):
            try:
                entry.add(m, name)
            except ModelError as error:
                raise ModelError([replace(p, where=where) for p in error.problems]) from None

    def _case(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        self._validated(CaseEntry, value, where).add(m, name, self._units)

    def all_problems(self, m: Mechanism) -> list[Problem]:
        """What was found, and what the good entries tell about themselves, without what follows from the bad ones."""
        if len(self.problems) > MAX_PROBLEMS:  # the rest of the file was not read
            return self.problems
        self._leave_out_unplaced(m)
        layout = lay_out(m)
        found = [*layout.problems, *soundness.problems_of_parts(m, layout, graph_of(m))]
        return [*self.problems, *(p for p in found if p.severity == "error" and not self._follows(m, p))]

    def _follows(self, m: Mechanism, problem: Problem) -> bool:
        """Whether a case misses what stands in the file, and was left out since it is wrong itself."""
        named = _MISSING.match(problem.what) if problem.where.startswith("cases.") else None
        name = "" if named is None else named[1].partition(".")[0]
        return name in self._kinds and bool(self.problems)

    def _leave_out_unplaced(self, m: Mechanism) -> None:
        """Nothing is told about joints that stand in the frame of a body that is not placed."""
        for joint in list(m.joints.values()):
            frames = [joint.frame.within] if joint.to is None else [joint.frame.within, joint.to.within]
            if any(self._hangs_on_unplaced(m, body) for body in frames):
                self.problems += _end_problems(m, [joint.tail, joint.head], f"joints.{joint.name}")
                del m.joints[joint.name]

    def _hangs_on_unplaced(self, m: Mechanism, body: str | None) -> bool:
        seen: set[str] = set()
        while self._unplaced and body in m.bodies and body not in seen:
            if body in self._unplaced:
                return True
            seen.add(body)
            frame = m.bodies[body].frame
            body = None if frame is None else frame.within
        return False

    def _header(self) -> dict[str, Any]:
        if not isinstance(self._data, dict):
            hint = f"start it with `linkwork: {VERSION}`"
            self.problems.append(Problem("this is not a model file", hint=hint, line=1))
            return {}
        keys = tuple(ModelFile.model_fields)
        unknown = [key for key in self._data if key not in keys]
        for key in unknown[:MAX_PROBLEMS]:
            self.problems.append(Problem(f"unknown key '{short(key)}'", short(key), did_you_mean(key, keys)))
        if "linkwork" not in self._data:
            hint = f"start the file with `linkwork: {VERSION}`"
            self.problems.append(Problem("the version is missing", hint=hint, line=1))
        elif self._data["linkwork"] != VERSION or isinstance(self._data["linkwork"], bool):
            text = f"version {short(self._data['linkwork'])} is not known"
            self.problems.append(Problem(text, "linkwork", f"this program reads version {VERSION}"))
        self._units = self._unit_system(self._data.get("units"))
        return self._data

    def _unit_system(self, header: Any) -> UnitSystem:
        """The units of bare numbers: what is right of the header."""
        if header is not None and not isinstance(header, dict):
            self._attempt(lambda: UnitSystem.parse(header), "units")
        right: dict[str, str] = {}
        for key, value in header.items() if isinstance(header, dict) else ():
            try:
                if key not in UnitsEntry.model_fields:
                    raise ModelError(
                        Problem(f"unknown key '{short(key)}'", hint=did_you_mean(key, UnitsEntry.model_fields))
                    )
                UnitSystem.parse({key: value})
                right[key] = value
            except ModelError as error:
                self.problems += [Problem(p.what, f"units.{short(key)}", p.hint) for p in error.problems]
                if len(self.problems) > MAX_PROBLEMS:
                    break
        return UnitSystem.parse(right)

    def _empty(self, data: dict[str, Any]) -> Mechanism:
        """A mechanism with nothing but what the head of the file says."""
        given: dict[str, Any] = {}
        for key in ("name", "ground"):
            if key in data:
                name = self._attempt(lambda k=key: checked_name(as_name(data[k]), k), key)  # type: ignore[misc]
                given |= {} if name is None else {key: name}
        for key, kind, wanted in (
            ("description", str, "text"),
            ("floating", bool, "true or false"),
            ("planar", bool, "true or false"),
        ):
            if key in data and isinstance(data[key], kind):
                given[key] = data[key]
            elif key in data:
                text = "nothing is given" if data[key] is None else f"{short(data[key])} is not {wanted}"
                self.problems.append(Problem(text, key, in_quotes(data[key], kind)))
        if data.get("gravity") is not None:
            given["gravity"] = self._gravity(data["gravity"]) or (0.0, 0.0, 0.0)
        return Mechanism(**given)

    def _gravity(self, value: Any) -> tuple[Any, ...] | None:
        if not isinstance(value, list) or len(value) != 3:
            self.problems.append(Problem("three numbers are wanted", "gravity", "such as [0, 0, -9.81 m/s^2]"))
            return None
        parts = [functools.partial(self._acceleration, v, i) for i, v in enumerate(value)]
        made = [self._attempt(part, f"gravity[{i}]") for i, part in enumerate(parts)]
        return None if None in made else tuple(g.value if isinstance(g, Steady) else g for g in made)

    def _acceleration(self, value: Any, index: int) -> Amount:
        """A component of gravity: it may depend on time, and on nothing else."""
        found = read_amount(value, ACCELERATION, _time_only, self._units, f"gravity[{index}]")
        for name in () if isinstance(found, Steady) else found.names:
            _time_only(name)
        return found

    def _section(
        self, m: Mechanism, data: dict[str, Any], section: str, add: Callable[[Mechanism, str, Any, str], None]
    ) -> None:
        entries = data.get(section)
        if entries is None:
            return
        if not isinstance(entries, dict):
            self.problems.append(Problem("names with their entries are wanted", section, "write `name: {...}`"))
            return
        for name, value in entries.items():
            if len(self.problems) > MAX_PROBLEMS:
                return
            where = f"{section}.{name}"
            try:
                self._claim(name, section)
            except ModelError as error:
                line = self.source.lines.get((section, name))
                self.problems += [Problem(p.what, f"{section}.{short(name)}", p.hint, line) for p in error.problems]
            else:
                self._attempt(functools.partial(add, m, name, {} if value is None else value, where), where)

    def _claim(self, name: str, section: str) -> None:
        """One name, one thing, also where one of the two is wrong and left out."""
        checked_name(name, section)
        if section == "cases":
            return  # nothing else asks for them by name
        kind = {"bodies": "body", "stretches": "stretch"}.get(section, section.removesuffix("s"))
        if self._kinds.setdefault(name, kind) != kind and kind != "chain":
            raise ModelError(
                Problem(f"the name '{name}' is taken by a {self._kinds[name]}", hint="give one another name")
            )

    def _also_called(self, where: str, path: Keys) -> None:
        """The line of an entry is also found by the text that messages call it."""
        if path in self.source.lines:
            self.source.lines.setdefault(path_of(where), self.source.lines[path])

    def _in_file_order(self, m: Mechanism, entries: Any) -> None:
        """Ground comes first in a new mechanism; a file may have it elsewhere."""
        if isinstance(entries, dict) and m.ground.name in entries:
            ordered = {name: m.bodies[name] for name in entries if name in m.bodies}
            m.bodies.clear()
            m.bodies.update(ordered)

    def _curve(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        try:
            self._validated(CurveEntry, value, where).add(m, name, self._units)
        except ModelError:
            self._bad_curves.add(name)
            raise

    def _body(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        try:
            entry = self._validated(BodyEntry, value, where)
            m.body(name, **entry.arguments(where, self._read_mesh, self._mesh_look))
        except ModelError:
            # A body that is wrong is still there for its joints.
            frame = self._parts_of_body(value, where)
            if name not in m.bodies:
                self._attempt(lambda: m.body(name, frame=frame), where)
            raise

    def _parts_of_body(self, value: Any, where: str) -> Placement | None:
        """Each part of a body that is wrong, looked at by itself; its frame when that is right."""
        parts = value if isinstance(value, dict) else {}
        solids = parts.get("solids")
        for i, solid in enumerate(solids[:MAX_PROBLEMS] if isinstance(solids, list) else ()):
            place = f"{where}.solids[{i}]"
            self._attempt(lambda s=solid, p=place: self._validated(SolidEntry, s, p).solid(p, self._read_mesh), place)  # type: ignore[misc]
        looks = parts.get("looks")
        for i, look in enumerate(looks[:MAX_PROBLEMS] if isinstance(looks, list) else ()):
            place = f"{where}.looks[{i}]"
            self._attempt(lambda s=look, p=place: self._validated(LookEntry, s, p).shape(p, self._mesh_look), place)  # type: ignore[misc]
        if parts.get("inertia") is not None:
            place, inertia = f"{where}.inertia", inertia_form(parts["inertia"])
            if isinstance(inertia, dict):  # else it is told already what it is
                self._attempt(lambda: self._validated(InertiaEntry, inertia, place).inertia(place), place)
        if parts.get("frame") is None:
            return None
        frame: Placement | None = self._frame_alone(parts["frame"], f"{where}.frame")
        if frame is None:
            self._unplaced.add(where.removeprefix("bodies."))
        return frame

    def _frame_alone(self, value: Any, where: str) -> Any:
        return self._attempt(lambda: self._validated(PlacementEntry, value, where).placement(where), where)

    def _chain(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        try:
            entry: ChainEntry = self._validated(ChainEntry, value, where)
            self._add_rows(m, entry, where)
        except ModelError:
            self._stand_in(m, value, where)
            raise

    def _add_rows(self, m: Mechanism, entry: ChainEntry, where: str) -> None:
        meshes = (self._read_mesh, self._mesh_look)
        with Gather() as part:
            rows = [part(r.row, f"{where}.rows[{i}]", self._units, *meshes) for i, r in enumerate(entry.rows)]
        places = {}
        for i, row in enumerate(entry.rows):
            for made in (f"bodies.{row.body}", f"joints.{row.joint}"):
                places[made] = f"{where}.rows[{i}]"
                self._also_called(made, path_of(places[made]))
        try:
            m.dh_chain([row for row in rows if row is not None], convention=entry.convention, base=entry.base)
        except ModelError as error:
            raise ModelError(
                [Problem(p.what, _in_chain(p.where, where, places), p.hint) for p in error.problems]
            ) from None

    def _stand_in(self, m: Mechanism, value: Any, where: str) -> None:
        """Each row of a chain that is wrong, looked at by itself; its body is still there for its joints."""
        rows = value.get("rows") if isinstance(value, dict) else None
        for i, row in enumerate(rows[:MAX_PROBLEMS] if isinstance(rows, list) else ()):
            place = f"{where}.rows[{i}]"
            self._attempt(functools.partial(self._row_alone, row, value.get("convention", "dh"), place), place)
            body = row.get("body") if isinstance(row, dict) else None
            if isinstance(row, dict) and type(row.get("joint")) in (str, int):
                self._bad_rows.add(str(row["joint"]))
            if type(body) in (str, int):
                self._unplaced.add(str(body))
                with contextlib.suppress(ModelError):
                    m.body(str(body))

    def _row_alone(self, row: Any, convention: Any, where: str) -> None:
        made = self._validated(RowEntry, row, where).row(where, self._units, self._read_mesh, self._mesh_look)
        if isinstance(convention, str) and convention in ROW_KEYS:
            places = {f"bodies.{made['body']}": where, f"joints.{made['joint']}": where, "rows[0]": where}
            try:
                Mechanism().dh_chain([made], convention=convention)
            except ModelError as error:
                raise ModelError(
                    [Problem(p.what, _in_chain(p.where, where, places), p.hint) for p in error.problems]
                ) from None

    def _joint(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise ModelError(Problem("a joint is wanted", where, "such as {revolute: [ground, crank], at: [0, 0, 0]}"))
        kinds = [key for key in value if key in JOINTS]
        if len(kinds) != 1:
            if kinds:
                raise ModelError(Problem(f"it is {' and '.join(kinds)} at once", where, "keep one kind"))
            raise ModelError(Problem("the kind of joint is missing", where, _kind_hint(value)))
        try:
            entry = self._validated(JOINTS[kinds[0]], value, where)
            if _curve_named(entry) not in self._bad_curves:
                entry.add(m, name, self._units)
        except ModelError as error:
            self._parts_of_joint(kinds[0], value, where)
            raise ModelError([*error.problems, *_end_problems(m, value[kinds[0]], where)]) from None

    def _parts_of_joint(self, kind: str, value: dict[str, Any], where: str) -> None:
        """Each part of a joint that is wrong, looked at by itself."""
        allowed = keys_of(JOINTS[kind])
        own = {k: v for k, v in value.items() if k in keys_of(PlacementEntry) and v is not None}
        if issubclass(JOINTS[kind], PlacementEntry):
            self._frame_alone(own, where)
        if "to" in allowed and value.get("to") is not None:
            self._frame_alone(point_as_placement(value["to"]), f"{where}.to")
        if not isinstance(KINDS[kind].variables, tuple):
            return  # what its variables are, only its curve or surface tells
        if "value" in allowed:
            self._attempt(lambda: variable_values(kind, value.get("value"), self._units, f"{where}.value"), where)
        self._attempt(lambda: variable_limits(kind, value.get("limits"), self._units, f"{where}.limits"), where)

    def _inner(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        self._validated(INNER[where.partition(".")[0]], value, where).add(m, name)

    def _point(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        entry = self._validated(PointEntry, value, where)
        m.point(name, entry.on, entry.at, within=entry.within, description=entry.description)

    def _frame(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        entry = self._validated(FrameEntry, value, where)
        m.frame(name, entry.on, entry.placement(where), description=entry.description)

    def _load(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        section = where.partition(".")[0]
        entry = self._validated(LOADS[section], value, where)
        if self._is_lost(m, str(getattr(entry, "joint", "")).partition(".")[0]):
            return  # what its numbers measure is not known
        entry.add(m, name, self._units)
        table: dict[str, Any] = getattr(m, entry.kind.table)
        made = table[name]
        self._also_called(place_of(made), (section, name))
        depends = (variable_in(n).partition(".")[0] for n in names_of(made))
        if any(self._is_lost(m, place) for place in (*entry.places(), *depends)):
            del table[name]

    def _state(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        self._validated(StateEntry, value, where).add(m, name, self._measured)

    def _leave_out_lost_states(self, m: Mechanism) -> None:
        """Nothing is told about states that depend on what could not be understood, nor on states that do."""
        while True:
            lost = [
                state.name
                for state in m.states.values()
                if any(self._is_lost(m, variable_in(n).partition(".")[0]) for n in state.rate.names)
            ]
            if not lost:
                return
            for name in lost:
                del m.states[name]

    def _constraint(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        entry = self._validated(CONSTRAINTS[where.partition(".")[0]], value, where)
        entry.add(m, name)
        depends = (variable_in(n).partition(".")[0] for n in m.constraints[name].names)
        if any(self._is_lost(m, place) for place in depends):
            del m.constraints[name]

    def _is_lost(self, m: Mechanism, name: str) -> bool:
        """Whether a name is one of the file's, but of something that could not be understood."""
        known = name in m.bodies or name in m.owners or name in m.points or name in m.states
        return not known and (name in self._kinds or name in self._bad_rows)

    def _expectations(self, m: Mechanism, data: dict[str, Any]) -> None:
        wanted = data.get("expect")
        if wanted is None:
            return
        if not isinstance(wanted, dict):
            self.problems.append(Problem("names with their numbers are wanted", "expect", "such as {mobility: 1}"))
            return
        dimensions = {"mass": MASS}
        for joint in m.owners.values():
            dimensions |= {f"{joint.name}.{v.name}": v.quantity for v in joint.law.variables}
        for place in (*m.points, *m.frames):
            dimensions |= {f"{place}.{c}": LENGTH for c in "xyz"}
        bad = {name for s in ("joints", "points", "frames") if isinstance(data.get(s), dict) for name in data[s]}
        bad -= {*m.joints, *m.points, *m.frames}
        for name, number in wanted.items():
            if len(self.problems) > MAX_PROBLEMS:
                return
            where = f"expect.{short(name)}"
            self._also_called(where, ("expect", name))
            if name.partition(".")[0] not in bad:
                dimension = dimensions.get(name, NUMBER)
                found = self._attempt(lambda n=number, d=dimension: quantity(n, d, self._units), where)  # type: ignore[misc]
                if found is not None:
                    m.expect[name] = found

    def _validated(self, kind: type[Any], value: Any, where: str) -> Any:
        if not isinstance(value, dict):
            hint = f"write {{...}} with keys such as {', '.join(keys_of(kind)[:6])}"
            raise ModelError(Problem(f"{short(value)} is not an entry", where, hint))
        problems = list(blanks(value, where))
        try:
            entry = kind.model_validate(value, context={"units": self._units})
        except ValidationError as error:
            pieces = [piece for own in torn_formulas(value).values() for piece in own]
            blank = {p.where for p in problems} | {f"{where}.{short(piece)}" for piece in pieces}
            for finding in error.errors(include_url=False)[:MAX_PROBLEMS]:
                line = self.source.lines.get((*path_of(where), *finding["loc"]))
                problem = replace(explained(finding, kind, where), line=line)
                problems += [] if problem.where in blank else [problem]
        if problems:
            raise ModelError(problems)
        return entry

    def _attempt(self, make: Callable[[], Any], where: str) -> Any:
        try:
            return make()
        except ModelError as error:
            self.problems += [p if p.where else Problem(p.what, where, p.hint, p.line) for p in error.problems]
            return None


def _in_chain(place: str, where: str, places: dict[str, str]) -> str:
    """Where in the file a problem of a chain is: its rows make bodies and joints."""
    for made, row in places.items():
        if place == made or place.startswith(f"{made}."):
            return row + place.removeprefix(made)
    return f"{where}.{place}" if place.startswith(("rows", "convention", "base")) else place


def _mesh(path: str, units: str | None, **options: Any) -> Any:
    try:
        return read_mesh(path, units, **options)
    except MissingExtra as error:
        raise ModelError(str(error)) from None


def _no_mesh(path: str, units: str | None, **options: Any) -> Any:
    raise ModelError(Problem(f"the mesh '{short(path)}' cannot be looked for", hint="load the model from a file"))


def _end_problems(m: Mechanism, ends: Any, where: str) -> list[Problem]:
    """What is wrong with the bodies of a joint that is left out for another reason."""
    if not isinstance(ends, list) or len(ends) != 2 or not all(type(end) in (str, int) for end in ends):
        return []
    tail, head = (str(end) for end in ends)
    missing = [b for b in dict.fromkeys((tail, head)) if b not in m.bodies]
    problems = [no_such("body", b, m.bodies, where) for b in missing]
    if tail == head:
        problems.append(Problem(f"it joins '{short(tail)}' to itself", where, "a joint joins two different bodies"))
    return problems


def _time_only(name: str) -> Dimension:
    if name != TIME:
        raise ModelError(Problem(f"gravity depends on {short(name)}", hint="it may depend on the time t only"))
    return SECONDS


def _curve_named(entry: Any) -> Any:
    """Name of the planar curve that a joint refers to, if any."""
    curve = getattr(entry, "curve", None)
    return getattr(curve, "named", curve)


LIKE_A_KIND = 0.75
"""How much a key is like a kind of joint to be taken for it, as by `nearest`."""


def _kind_hint(value: dict[str, Any]) -> str:
    """What a joint without a kind may have meant: a kind misspelled as the key, or said as a value."""
    keys = {key for entry in JOINTS.values() for key in keys_of(entry)}
    for key in [k for k in list(value)[:12] if k not in keys]:
        if isinstance(said := value[key], str) and said in KINDS:
            return f"the kind is the key: write `{said}: [first body, second body]` instead of `{key}: {said}`"
        if near := nearest(str(key), JOINTS, LIKE_A_KIND):
            return f"did you mean '{near}'?"
    return f"write one of {', '.join(JOINTS)}, with both bodies: `revolute: [ground, crank]`"
