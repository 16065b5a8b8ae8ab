"""Model files, written: SI units, one entry a line, every number to the last bit."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import yaml

try:  # libyaml writes many times faster
    from yaml import CSafeDumper as SafeDumper
except ImportError:
    from yaml import SafeDumper  # type: ignore[assignment]

from linkwork.errors import ModelError, Problem
from linkwork.files.entries.inner import inner_sections
from linkwork.files.schema import VERSION
from linkwork.files.tree import FLOAT
from linkwork.files.words import direction_words as _direction
from linkwork.files.words import pruned as _pruned
from linkwork.files.write_loads import amount_entry, gravity_entry, load_sections, unless
from linkwork.model.bodies import ELEMENTS, Body, Inertia
from linkwork.model.cases import Case
from linkwork.model.constraints import SECTIONS
from linkwork.model.curves import Curve, ExpressionCurve, FourierCurve, SplineCurve
from linkwork.model.dimensions import Following, anew, written
from linkwork.model.joints import KINDS
from linkwork.model.mechanism import Mechanism
from linkwork.model.parts import Joint
from linkwork.model.placement import ROW_KEYS, Axis, Orientation, Placement, ThreePoints
from linkwork.model.solids import MeshLook, MeshSolid, Shape, parts_of
from linkwork.model.space_curves import CURVES, InPlane, SpaceCurve
from linkwork.model.states import NamedState
from linkwork.model.surfaces import SURFACES, Surface
from linkwork.model.vectors import ZERO
from linkwork.units import SI


def save(m: Mechanism, path: str | Path) -> Path:
    """Write a model file in SI units; reading it again gives an equal mechanism, to the bit.

    Parameters
    ----------
    m : the mechanism
    path : file to write, ending in .yaml, .yml or .json; meshes stay where they are
    """
    file = Path(path)
    text = dumps(m, is_json=_is_json(file))
    missing = [mesh for mesh in _meshes(m) if not (file.parent / mesh).is_file()]
    if missing:
        hint = "save the model in the folder of its meshes"
        raise ModelError([Problem(f"there is no mesh '{mesh}' beside the file", hint=hint) for mesh in missing])
    try:
        file.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ModelError(f"it cannot be written: {error.strerror}", str(file)) from None
    return file


def _meshes(m: Mechanism) -> list[str]:
    shapes = [shape for body in m.bodies.values() if body.solid is not None for _, shape in parts_of(body.solid)]
    looks = [look for body in m.bodies.values() for look in body.looks]
    return [shape.path for shape in (*shapes, *looks) if isinstance(shape, MeshSolid | MeshLook)]


def _is_json(file: Path) -> bool:
    if file.suffix.lower() in (".yaml", ".yml"):
        return False
    if file.suffix.lower() == ".json":
        return True
    raise ModelError(Problem(f"'{file.suffix}' is not a kind of model file", hint="write .yaml or .json"), str(file))


def dumps(m: Mechanism, *, is_json: bool = False) -> str:
    """A mechanism as the text of a model file.

    Parameters
    ----------
    m : the mechanism
    is_json : True for JSON instead of YAML
    """
    data = as_data(m)
    try:
        text = _json(data) if is_json else _yaml(data)
        text.encode()
    except UnicodeEncodeError:
        raise ModelError("a text of this model has half of a surrogate pair; it cannot be written") from None
    return text


def _json(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _yaml(data: dict[str, Any]) -> str:
    for key, section in data.items():
        if isinstance(section, dict):
            data[key] = {n: _Line(entry) if isinstance(entry, dict) else entry for n, entry in section.items()}
        elif isinstance(section, list):
            data[key] = _Row(section)
    text: str = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100_000)
    return text


def as_data(m: Mechanism) -> dict[str, Any]:
    """A mechanism as the plain data of a model file, in SI units."""
    if m.lets:
        _assert_said(m)
    data: dict[str, Any] = {"linkwork": VERSION, "name": m.name}
    if m.description:
        data["description"] = m.description
    if repr(m.gravity) != repr(ZERO) or m.gravity_laws:  # minus zero is kept, too
        data["gravity"] = gravity_entry(m)
    if m.lets:
        data["let"] = _lets(m)
    if m.ground.name != "ground":
        data["ground"] = m.ground.name
    if m.floating:
        data["floating"] = True
    if m.in_plane:
        data["planar"] = True
    sections: dict[str, dict[str, Any]] = {
        "curves": {c.name: _curve(c) for c in m.curves.values()},
        "bodies": {b.name: _body(b) for b in m.bodies.values()},
        "joints": {j.name: _joint(j, m.curves) for j in m.joints.values()},
        **inner_sections(m),
        "points": {
            p.name: _pruned({"on": p.body, "at": list(p.at), "in": p.within, "description": p.description})
            for p in m.points.values()
        },
        "frames": {
            f.name: _pruned({"on": f.body, **_placement(f.placement), "description": f.description})
            for f in m.frames.values()
        },
        "states": {state.name: _state(state) for state in m.states.values()},
        **load_sections(m),
        **_constraint_sections(m),
        "cases": {case.name: _case(case) for case in m.cases.values()},
        "expect": dict(m.expect),
    }
    data |= {name: section for name, section in sections.items() if section}
    return _formulas(data) if m.lets else data


def _lets(m: Mechanism) -> dict[str, Any]:
    """Named dimensions; their numbers with a unit, so that nothing is left to be found out."""
    found: dict[str, Any] = {}
    for let in m.lets.values():
        unit = "" if let.measures is None else SI.symbol(let.measures)
        value = let.formula or (f"{float(let.value)!r} {unit}" if unit else float(let.value))
        found[let.name] = {"value": value, "description": let.description} if let.description else value
    return found


def _formulas(part: Any) -> Any:
    """Numbers that follow from dimensions, as their formulas."""
    if type(part) is Following:
        return written(part.formula)
    if isinstance(part, dict):
        return {key: _formulas(value) for key, value in part.items()}
    return [_formulas(value) for value in part] if isinstance(part, list | tuple) else part


def _assert_said(m: Mechanism) -> None:
    """Refuses a model some of whose numbers follow from dimensions in ways that its records do not tell."""
    given = {let.name: 1.01 * let.value + 1e-4 for let in m.lets.values() if not let.formula}
    other = m.resized(given)
    problems = []
    for table, wanted in zip(m._tables(), other._tables(), strict=True):
        for name, record in table.items():
            if anew(record, other.lets) != wanted[name]:
                text = f"model files cannot say how all numbers of '{name}' follow from dimensions"
                problems.append(Problem(text, name, "give them as formulas, or by numbers alone"))
    if problems:
        raise ModelError(problems, m.name)


def _case(case: Case) -> dict[str, Any]:
    """A case as it was written, with the units of its bare numbers."""
    entry = {key: _as_list(value) for key, value in case.said.items()}
    entry = {k: {n: _as_list(x) for n, x in v.items()} if isinstance(v, Mapping) else v for k, v in entry.items()}
    own = {f.name: unit for f in fields(case.units) if (unit := getattr(case.units, f.name)) != getattr(SI, f.name)}
    return _pruned({**entry, "units": own or None, "description": case.description})


def _state(state: NamedState) -> dict[str, Any]:
    return _pruned(
        {
            "rate": amount_entry(state.rate),
            "start": unless(state.start, 0.0),
            "unit": None if state.unit == "1" else state.unit,
            "scale": unless(state.scale, 1.0),
            "parameters": dict(state.parameters) or None,
            "description": state.description,
        }
    )


def _constraint_sections(m: Mechanism) -> dict[str, dict[str, Any]]:
    sections: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS.values()}
    for c in m.constraints.values():
        own = {"joint": c.variable, "law": c.text} if c.kind == "coupling" else {"expression": c.text}
        entry = {**own, "parameters": dict(c.parameters) or None, "description": c.description}
        sections[SECTIONS[c.kind]][c.name] = _pruned(entry)
    return sections


def _orientation(turn: Orientation | None) -> dict[str, Any]:
    if turn is None:
        return {}
    if isinstance(turn, ThreePoints):
        return {"points": [list(p) for p in (ZERO, turn.on_axis, turn.on_plane)]}
    if isinstance(turn, Axis):
        return _pruned({"axis": _direction(turn.axis), "x": None if turn.x is None else _direction(turn.x)})
    if turn.form == "axis_angle":
        x, y, z, angle = turn.values
        return {"axis_angle": {"axis": _direction((x, y, z)), "angle": angle}}
    if turn.form == "matrix":
        return {"matrix": [list(turn.values[i : i + 3]) for i in (0, 3, 6)]}
    return {turn.form: list(turn.values)}


def _placement(place: Placement) -> dict[str, Any]:
    reference = {} if place.within is None else {"in": place.within}
    if place.row is not None:
        return {place.row.form: dict(zip(ROW_KEYS[place.row.form], place.row.values, strict=True)), **reference}
    if isinstance(place.orientation, ThreePoints):
        points = (place.at, place.orientation.on_axis, place.orientation.on_plane)
        return {"points": [list(p) for p in points], **reference}
    return {"at": list(place.at), **_orientation(place.orientation), **reference}


def _body(body: Body) -> dict[str, Any]:
    shapes = None
    if body.solid is not None:
        shapes = [_solid(sign, shape) for sign, shape in parts_of(body.solid)]
    return _pruned(
        {
            "mass": body.mass,
            "com": None if body.com is None else list(body.com),
            "inertia": None if body.inertia is None else _inertia(body.inertia),
            "density": body.density,
            "solids": shapes,
            "frame": None if body.frame is None else _placement(body.frame),
            "accept_unphysical": body.accept_unphysical or None,
            "description": body.description,
            "looks": [_solid(+1, look) for look in body.looks] or None,
            "colour": body.colour,
        }
    )


def _inertia(value: Inertia) -> Any:
    elements = [getattr(value, k) for k in ELEMENTS]
    if value.about == "com" and value.axes is None:
        return elements
    axes = None if value.axes is None else _orientation(value.axes)
    return _pruned({"moments": elements, "about": value.about, "axes": axes})


def _solid(sign: int, shape: Shape) -> dict[str, Any]:
    common = {**_placement(shape.frame), "density": shape.density, "minus": True if sign < 0 else None}
    if isinstance(shape, MeshSolid | MeshLook):
        return _pruned({"mesh": shape.path, "units": f"{shape.scale!r} m", **common})
    own = {f.name: getattr(shape, f.name) for f in fields(shape) if f.name not in ("frame", "density")}
    sizes: Any = list(own["size"]) if "size" in own else own
    return _pruned({shape.kind: sizes, **common})


def _joint(j: Joint, curves: Mapping[str, Curve]) -> dict[str, Any]:
    reason = _unwritable(j, curves)
    if reason:
        raise ModelError(Problem(f"model files cannot say this: {reason}", f"joints.{j.name}"))
    names = [v.name for v in j.law.variables]
    entry: dict[str, Any] = {j.law.kind: [j.tail, j.head]}
    if j.law.placing == "apex":
        entry |= _axes_at_apex(j)
    else:
        entry |= _placement(j.frame)
        entry["to"] = None if j.to is None else _placement(j.to)
        entry["value"] = None if j.value is None else dict(zip(names, j.value, strict=True))
    own = {key: _word(value) for key, value in j.law.words().items()}
    return _pruned({**entry, **own, "limits": _limits(j), "description": j.description})


def _unwritable(j: Joint, curves: Mapping[str, Curve]) -> str:
    """Why a joint that was added by its law, not by its kind's own method, has no words in a model file."""
    law = j.law
    if KINDS.get(law.kind) is not type(law):
        return f"a {law.kind} joint of one's own"
    if law.placing in ("centres", "apex") and (j.to is None or j.value is not None):
        return f"a {law.kind} joint without its second frame"
    if law.placing == "apex" and not (_is_axis(j.frame) and _is_axis(j.to) and _apex(j.frame) == _apex(j.to)):
        return f"a {law.kind} joint that is not given by one apex and two axes"
    for shape in law.words().values():
        planar = shape.curve if isinstance(shape, InPlane) else shape
        if isinstance(planar, Curve):
            if curves.get(planar.name) != planar:
                return f"a joint on the curve '{planar.name}', which is not one of the mechanism's"
        elif isinstance(shape, Surface) and SURFACES.get(shape.kind) is not type(shape):
            return "a surface of one's own"
        elif isinstance(shape, SpaceCurve) and CURVES.get(shape.kind) is not type(shape):
            return "a curve of one's own"
    return ""


def _word(value: Any) -> Any:
    """What a joint has, as a model file says it: planar curves by name, shapes by their kind, tuples as lists."""
    planar = value.curve if isinstance(value, InPlane) else value
    if isinstance(planar, Curve):
        return planar.name
    return _on(value) if isinstance(value, Surface | SpaceCurve) else _as_list(value)


def _on(shape: Any) -> dict[str, Any]:
    """A surface or a curve in space, by its kind."""
    numbers = {f.name: getattr(shape, f.name) for f in fields(shape)}
    return {shape.kind: {k: _as_list(v) for k, v in numbers.items() if v != ""}}


def _as_list(value: Any) -> Any:
    return [_as_list(v) for v in value] if isinstance(value, tuple) else value


def _is_axis(place: Placement | None) -> bool:
    return place is not None and isinstance(place.orientation, Axis) and place.orientation.x is None


def _apex(place: Placement | None) -> Any:
    return None if place is None else (place.at, place.within, place.row)


def _limits(j: Joint) -> dict[str, list[float | None]] | None:
    return {name: [_bound(low), _bound(high)] for name, low, high in j.limits} or None


def _bound(limit: float) -> float | None:
    return limit if math.isfinite(limit) else None


def _axes_at_apex(j: Joint) -> dict[str, Any]:
    assert j.to is not None and isinstance(j.frame.orientation, Axis) and isinstance(j.to.orientation, Axis)
    return {
        "at": list(j.frame.at),
        "axes": [_direction(j.frame.orientation.axis), _direction(j.to.orientation.axis)],
        "in": j.frame.within,
    }


def _curve(curve: Curve) -> dict[str, Any]:
    if isinstance(curve, FourierCurve):
        terms = {k: getattr(curve, k) for k in ("u0", "v0", "u_cos", "u_sin", "v_cos", "v_sin")}
        return {"fourier": {k: list(v) if isinstance(v, tuple) else v for k, v in terms.items()}}
    if isinstance(curve, ExpressionCurve):
        entry = {"expression": {"u": curve.u, "v": curve.v}, "span": [curve.start, curve.end], "unit": curve.unit}
        return {**entry, "closed": curve.closed}
    assert isinstance(curve, SplineCurve)
    return {"spline": [list(p) for p in curve.points], "closed": curve.closed, "degree": curve.degree}


class _Line(dict[str, Any]):
    """An entry that is written on one line."""


class _Row(list[Any]):
    """A list that is written on one line."""


class _Dumper(SafeDumper):
    """Entries on one line; text that would read as a number is quoted."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _one_line(dumper: _Dumper, entry: _Line) -> yaml.MappingNode:
    node = dumper.represent_dict(entry)
    node.flow_style = True
    return node


def _one_row(dumper: _Dumper, row: _Row) -> yaml.SequenceNode:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", row, flow_style=True)


_Dumper.add_representer(_Line, _one_line)
_Dumper.add_representer(_Row, _one_row)
_Dumper.add_implicit_resolver("tag:yaml.org,2002:float", FLOAT, list("-+.0123456789"))
