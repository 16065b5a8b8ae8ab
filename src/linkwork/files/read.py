"""Model files: read, checked entry by entry, every problem reported at once with its line."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.files.entries import DIMENSIONS, JOINTS, BodyEntry, ChainEntry, CurveEntry, FrameEntry, PointEntry
from linkwork.files.mesh import read_mesh
from linkwork.files.schema import VERSION, ModelFile
from linkwork.files.tree import MAX_BYTES, Tree, read_tree
from linkwork.model.layout import lay_out
from linkwork.model.mechanism import Mechanism
from linkwork.model.source import Source
from linkwork.units import ACCELERATION, LENGTH, MASS, NUMBER, UnitSystem, parse_quantity

SUFFIXES = (".yaml", ".yml", ".json")


def load(path: str | Path) -> Mechanism:
    """Read a model file (YAML or JSON).

    Raises ModelError with every problem of the file; what only the whole model can tell is left to `check`.

    Parameters
    ----------
    path : the file; meshes are looked for in its folder
    """
    file = Path(path)
    if file.suffix.lower() not in SUFFIXES:
        hint = f"name it with {', '.join(SUFFIXES)}"
        raise ModelError(Problem(f"'{file.suffix}' is not a kind of model file", hint=hint), str(file))
    try:
        with file.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            size = file.stat().st_size / 1e6
            raise ModelError(f"the file has {size:.1f} MB; at most {MAX_BYTES / 1e6:.0f} MB are read", str(file))
    except FileNotFoundError:
        others = [p.name for p in file.parent.glob("*") if p.suffix in SUFFIXES] if file.parent.is_dir() else []
        raise ModelError(Problem("there is no such file", hint=did_you_mean(file.name, others)), str(file)) from None
    except OSError as error:
        raise ModelError(f"it cannot be read: {error.strerror}", str(file)) from None
    return loads(raw, source=str(file), folder=file.parent, is_json=file.suffix.lower() == ".json")


def loads(
    text: str | bytes, *, source: str = "text", folder: str | Path | None = None, is_json: bool = False
) -> Mechanism:
    """Read a model from text.

    Parameters
    ----------
    text : YAML or JSON
    source : what to call it in messages
    folder : folder of its meshes; none may be named without
    is_json : True for strict JSON
    """
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    try:
        tree = read_tree(raw, is_json)
    except ModelError as error:
        raise ModelError(error.problems, source) from None
    reader = _Reader(tree, source, None if folder is None else Path(folder))
    m = reader.mechanism()
    if reader.problems:
        # What the good entries tell about themselves still helps, without what follows from the bad ones.
        reader.problems += [p for p in lay_out(m).problems if p.severity == "error"]
        raise ModelError(_in_order(map(reader.source.locate, reader.problems)), source)
    return m


def _in_order(problems: Iterable[Problem]) -> list[Problem]:
    unique = list(dict.fromkeys(problems))
    return sorted(unique, key=lambda p: p.line if p.line is not None else 0)


class _Reader:
    """Builds a mechanism from a tree, keeping every problem."""

    def __init__(self, tree: Tree, source: str, folder: Path | None) -> None:
        self.problems = list(tree.problems)
        self.source = Source(source, tree.lines)
        self._data = tree.data
        self._units = UnitSystem()
        self._read_mesh = functools.partial(read_mesh, folder=folder)

    def mechanism(self) -> Mechanism:
        """The mechanism, without what could not be understood."""
        data = self._header()
        m = self._empty(data)
        m.source = self.source = replace(self.source, units=self._units)
        self._section(m, data, "curves", self._curve)
        self._section(m, data, "bodies", self._body)
        self._section(m, data, "chains", self._chain)
        self._section(m, data, "joints", self._joint)
        self._section(m, data, "points", self._point)
        self._section(m, data, "frames", self._frame)
        self._expectations(m, data.get("expect"))
        return m

    def _header(self) -> dict[str, Any]:
        if not isinstance(self._data, dict):
            self.problems.append(Problem("this is not a model file", hint="start it with `linkwork: 1`"))
            return {}
        keys = tuple(ModelFile.model_fields)
        for key in self._data:
            if key not in keys:
                self.problems.append(Problem(f"unknown key '{_short(key)}'", _short(key), did_you_mean(key, keys)))
        if "linkwork" not in self._data:
            self.problems.append(Problem("the version is missing", hint=f"start the file with `linkwork: {VERSION}`"))
        elif self._data["linkwork"] != VERSION or isinstance(self._data["linkwork"], bool):
            text = f"version {_short(self._data['linkwork'])} is not known"
            self.problems.append(Problem(text, "linkwork", f"this program reads version {VERSION}"))
        header = self._data.get("units")
        if header is not None:
            self._units = self._attempt(lambda: UnitSystem.parse(header), "units") or self._units
        return self._data

    def _empty(self, data: dict[str, Any]) -> Mechanism:
        kinds = {"name": str, "description": str, "ground": str, "floating": bool}
        given: dict[str, Any] = {}
        for key, kind in kinds.items():
            value = data.get(key)
            if kind is str and key != "description" and isinstance(value, int) and not isinstance(value, bool):
                value = str(value)
            if isinstance(value, kind):
                given[key] = value
            elif value is not None:
                wanted = "true or false" if kind is bool else "text"
                self.problems.append(Problem(f"{_short(value)} is not {wanted}", key))
        if data.get("gravity") is not None:
            given["gravity"] = self._gravity(data["gravity"]) or (0.0, 0.0, 0.0)
        for key in ("name", "ground"):
            if key in given and self._attempt(lambda k=key: Mechanism(**{k: given[k]}), key) is None:  # type: ignore[misc]
                del given[key]
        return Mechanism(**given)

    def _gravity(self, value: Any) -> tuple[float, ...] | None:
        if not isinstance(value, list) or len(value) != 3:
            self.problems.append(Problem("three numbers are wanted", "gravity", "such as [0, 0, -9.81 m/s^2]"))
            return None
        numbers = [
            self._attempt(lambda v=v: parse_quantity(v, ACCELERATION, self._units), f"gravity[{i}]")  # type: ignore[misc]
            for i, v in enumerate(value)
        ]
        return None if None in numbers else tuple(numbers)

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
            where = f"{section}.{_short(name)}"
            self._attempt(functools.partial(add, m, name, {} if value is None else value, where), where)

    def _curve(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        self._validated(CurveEntry, value, where).add(m, name, self._units)

    def _body(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        try:
            entry = self._validated(BodyEntry, value, where)
            m.body(name, **entry.arguments(where, self._read_mesh))
        except ModelError:
            # A body that is wrong is still there for its joints.
            self._attempt(lambda: m.body(name), where) if name not in m.bodies else None
            raise

    def _chain(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        entry = self._validated(ChainEntry, value, where)
        rows = [
            r.row(f"{where}.rows[{i}]", self._units, self._read_mesh) for i, r in enumerate(entry.rows)
        ]
        try:
            m.dh_chain(rows, convention=entry.convention, base=entry.base)
        except ModelError as error:
            placed = [
                Problem(p.what, f"{where}.{p.where}" if p.where.startswith("rows") else p.where, p.hint)
                for p in error.problems
            ]
            raise ModelError(placed) from None

    def _joint(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise ModelError(Problem("a joint is wanted", where, "such as {revolute: [ground, crank], at: [0, 0, 0]}"))
        kinds = [key for key in value if key in JOINTS]
        if len(kinds) != 1:
            if kinds:
                raise ModelError(Problem(f"it is {' and '.join(kinds)} at once", where, "keep one kind"))
            raise ModelError(Problem("the kind of joint is missing", where, _kind_hint(value)))
        try:
            self._validated(JOINTS[kinds[0]], value, where).add(m, name, self._units)
        except ModelError as error:
            raise ModelError([*error.problems, *_end_problems(m, value[kinds[0]], where)]) from None

    def _point(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        entry = self._validated(PointEntry, value, where)
        m.point(name, entry.on, entry.at, within=entry.within, description=entry.description)

    def _frame(self, m: Mechanism, name: str, value: Any, where: str) -> None:
        entry = self._validated(FrameEntry, value, where)
        m.frame(name, entry.on, entry.placement(where), description=entry.description)

    def _expectations(self, m: Mechanism, value: Any) -> None:
        if value is None:
            return
        if not isinstance(value, dict):
            self.problems.append(Problem("names with their numbers are wanted", "expect", "such as {mobility: 1}"))
            return
        dimensions = {"mass": MASS}
        for joint in m.joints.values():
            dimensions |= {f"{joint.name}.{v.name}": DIMENSIONS[v.dimension] for v in joint.law.variables}
        for place in (*m.points, *m.frames):
            dimensions |= {f"{place}.{c}": LENGTH for c in "xyz"}
        for name, number in value.items():
            dimension = dimensions.get(name, NUMBER)
            found = self._attempt(lambda n=number, d=dimension: parse_quantity(n, d, self._units), "expect")  # type: ignore[misc]
            if found is not None:
                m.expect[name] = found

    def _validated(self, kind: type[Any], value: Any, where: str) -> Any:
        if not isinstance(value, dict):
            keys = ", ".join(_keys(kind)[:6])
            raise ModelError(Problem(f"{_short(value)} is not an entry", where, f"write {{...}} with keys such as {keys}"))
        try:
            return kind.model_validate(value, context={"units": self._units})
        except ValidationError as error:
            raise ModelError([_explained(e, kind, where) for e in error.errors(include_url=False)]) from None

    def _attempt(self, make: Callable[[], Any], where: str) -> Any:
        try:
            return make()
        except ModelError as error:
            self.problems += [p if p.where else Problem(p.what, where, p.hint, p.line) for p in error.problems]
            return None


def _keys(kind: type[BaseModel]) -> list[str]:
    return [f.alias or name for name, f in kind.model_fields.items()]


def _explained(error: Any, kind: type[BaseModel], where: str) -> Problem:
    """One of pydantic's findings in our words."""
    location = [*error["loc"]]
    place = where + "".join(f"[{k}]" if isinstance(k, int) else f".{_short(k)}" for k in location)
    what = error["type"]
    given = error.get("input")
    if what == "extra_forbidden":
        allowed = _keys(_model_at(kind, location[:-1]))
        return Problem(f"unknown key '{_short(location[-1])}'", place, did_you_mean(str(location[-1]), allowed))
    if what == "missing":
        if location and isinstance(location[-1], int):
            return Problem("too few numbers or names are given", place.rsplit("[", 1)[0])
        return Problem(f"'{location[-1]}' is missing", where)
    if what == "value_error":
        cause = error["ctx"]["error"]
        if isinstance(cause, ModelError) and cause.problems:
            return Problem(cause.problems[0].what, place, cause.problems[0].hint)
        return Problem(str(cause), place)
    if what in ("too_long", "too_short"):
        limit = error["ctx"].get("max_length", error["ctx"].get("min_length"))
        return Problem(f"{limit} entries are wanted, {error['ctx']['actual_length']} are given", place)
    if what == "literal_error":
        return Problem(f"{_short(given)} is not one of {error['ctx']['expected']}", place)
    wanted = {
        "tuple_type": "a list",
        "list_type": "a list",
        "dict_type": "an entry {...}",
        "model_type": "an entry {...}",
        "bool_type": "true or false",
        "int_type": "a whole number",
        "string_type": "text",
        "float_type": "a number",
    }.get(what)
    if wanted is not None:
        return Problem(f"{_short(given)} is not {wanted}", place)
    return Problem(str(error["msg"])[:200], place)


def _model_at(kind: type[BaseModel], location: list[Any]) -> type[BaseModel]:
    """The entry class that a location inside `kind` leads to."""
    from typing import get_args

    def models(annotation: Any) -> Iterable[type[BaseModel]]:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield annotation
        for part in get_args(annotation):
            yield from models(part)

    for key in location:
        for name, field in kind.model_fields.items():
            if key in (name, field.alias):
                kind = next(iter(models(field.annotation)), kind)
                break
    return kind


def _end_problems(m: Mechanism, ends: Any, where: str) -> list[Problem]:
    """What is wrong with the bodies of a joint that is left out for another reason."""
    if not isinstance(ends, list) or len(ends) != 2:
        return []
    if ends[0] == ends[1]:
        hint = "a joint joins two different bodies"
        return [Problem(f"it joins '{_short(ends[0])}' to itself", where, hint)]
    missing = [str(end) for end in ends if str(end) not in m.bodies]
    return [Problem(f"there is no body '{_short(b)}'", where, did_you_mean(b, m.bodies)) for b in missing]


def _kind_hint(value: dict[str, Any]) -> str:
    for key in value:
        hint = did_you_mean(str(key), JOINTS)
        if hint.startswith("did you mean"):
            return hint
    return f"one of {', '.join(JOINTS)}: [first body, second body]"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
