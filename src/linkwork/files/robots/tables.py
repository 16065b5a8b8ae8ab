"""D-H tables as CSV: a row a joint, with units in the heads of its columns, in one of four conventions.

# convention: dh_craig
# gravity: 0 0 -9.81
joint, kind, alpha [deg], a [mm], theta [deg], d [mm], mass [kg], com_x [mm], low [deg], high [deg]
J1, revolute, 0, 0, 0, 290, 12.5, 3, -165, 165
"""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.files.robots.notes import Notes
from linkwork.files.tree import FLOAT
from linkwork.model.mechanism import Mechanism
from linkwork.model.parts import is_name
from linkwork.model.placement import ROW_KEYS, Placement, Row, row_measures
from linkwork.model.source import Source
from linkwork.units import (
    ACCELERATION,
    ANGLE,
    ANGULAR_SPEED,
    INERTIA,
    LENGTH,
    MASS,
    NUMBER,
    SI,
    TORQUE,
    Dimension,
    parse_quantity,
    parse_unit,
)

MOST_ROWS = 10_000
HEAD = re.compile(r"(?P<name>[^\[(]+?)\s*(?:[\[(](?P<unit>[^\])]*)[\])])?")
REMARKS = ("convention", "name", "gravity", "description")
WORDS = ("joint", "body", "kind", "description")
OWN: dict[str, Dimension] = {
    "mass": MASS,
    **dict.fromkeys(("com_x", "com_y", "com_z"), LENGTH),
    **dict.fromkeys(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), INERTIA),
    "gear": NUMBER,
    "motor_inertia": INERTIA,
    "motor_damping": TORQUE / ANGULAR_SPEED,
    "motor_friction": TORQUE,
    "peak": TORQUE,
    "top_speed": ANGULAR_SPEED,
}
"""Columns besides those of the convention, and what they measure."""
LIMITS = ("low", "high")
KINDS = {"r": "revolute", "p": "prismatic", "fixed": "fixed", "rigid": "fixed", "tool": "fixed"}


def mechanism_of_table(raw: bytes, notes: Notes) -> Mechanism:
    """The serial chain of a table; ModelError with everything that is wrong with it.

    Parameters
    ----------
    raw : the text
    notes : gets what is wrong, and what became of each part
    """
    return _Table(raw, notes).mechanism()


class _Table:
    def __init__(self, raw: bytes, notes: Notes) -> None:
        self._notes = notes
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ModelError(Problem("it is not UTF-8 text", hint="save it as UTF-8"), notes.file) from None
        self._remarks: dict[str, str] = {}
        self._lines: list[tuple[int, str]] = []
        for number, line in enumerate(text.splitlines(), 1):
            bare = line.strip()
            if bare.startswith("#"):
                key, colon, value = bare.lstrip("# ").partition(":")
                if colon and key.strip().lower() in REMARKS:
                    self._remarks[key.strip().lower()] = value.strip().strip(",;")
            elif bare.strip(",; \t"):
                self._lines.append((number, line))
        self._columns: dict[str, tuple[int, str]] = {}
        self._convention = "dh"

    def mechanism(self) -> Mechanism:
        """The chain."""
        notes = self._notes
        if not self._lines:
            raise ModelError("the table is empty", notes.file)
        separator = max(",;\t", key=self._lines[0][1].count)
        rows = [(n, [c.strip() for c in next(csv.reader([line], delimiter=separator))]) for n, line in self._lines]
        self._head(*rows[0])
        if len(rows) == 1:
            self._wrong("there are no rows below the heads", rows[0][0])
        if len(rows) > MOST_ROWS:
            self._wrong(f"more than {MOST_ROWS} rows", rows[MOST_ROWS][0])
        notes.tell()
        name = self._remarks.get("name") or re.sub(r"[^\w-]+", "_", Path(notes.file).stem).strip("_-") or "arm"
        m = Mechanism(name, gravity=self._gravity(), description=self._remarks.get("description", ""))
        parent = m.ground.name
        for k, (number, cells) in enumerate(rows[1:], 1):
            if len(cells) != len(rows[0][1]):
                self._wrong(f"{len(cells)} cells under {len(rows[0][1])} heads", number)
                continue
            before = len(notes.problems)
            row = self._row(k, cells, number)
            if len(notes.problems) == before:
                try:
                    parent = self._add(m, parent, row)
                except ModelError as error:
                    notes.problems += [Problem(p.what, p.where, p.hint, number) for p in error.problems]
        notes.tell()
        notes.say("kept", f"{len(m.joints)} joints by the convention {self._convention}")
        m.source = Source(notes.file, imported=notes.report("D-H table"))
        return m

    def _wrong(self, what: str, line: int, where: str = "", hint: str = "") -> None:
        self._notes.problems.append(Problem(what, where, hint, line))

    # ---------------------------------------------------------------- heads and remarks

    def _head(self, line: int, heads: list[str]) -> None:
        said = self._remarks.get("convention")
        if said is not None and said not in ROW_KEYS:
            self._wrong(f"'{said[:40]}' is not a convention", line, "convention", did_you_mean(said, ROW_KEYS))
        names = [match["name"].strip().lower() if (match := HEAD.fullmatch(head)) else head for head in heads]
        told = [form for form in ("hayati", "sheth_uicker") if set(ROW_KEYS[form]) <= set(names)]
        self._convention = said if said in ROW_KEYS else (told or ["dh"])[0]
        if said is None and not told:
            what = "the convention, which is not told, is taken as dh: Rz(theta) Tz(d) Tx(a) Rx(alpha)"
            self._notes.say("approximated", f"{what}; write `# convention: dh_craig` for the other")
        wanted = ROW_KEYS[self._convention]  # type: ignore[index]
        measures = {**OWN, **dict(zip(wanted, row_measures(self._convention), strict=True))}  # type: ignore[arg-type]
        if self._convention == "sheth_uicker":
            measures["value"] = NUMBER
        for index, (head, name) in enumerate(zip(heads, names, strict=True)):
            match = HEAD.fullmatch(head)
            unit = "" if match is None else (match["unit"] or "").strip()
            if name in self._columns:
                self._wrong(f"two columns are called '{name}'", line)
            elif name in WORDS or name in LIMITS or name == "value":
                pass
            elif name not in measures:
                hint = did_you_mean(name, (*WORDS, *measures, *LIMITS))
                self._wrong(f"the column '{name[:40]}' is not known", line, hint=hint)
            if unit and name not in WORDS:
                self._check_unit(unit, measures.get(name), line, name)
            self._columns[name] = (index, unit)
        if not set(wanted) & set(names):
            self._wrong(f"there are no columns {', '.join(wanted)}", line, hint="a D-H table has one row a joint")

    def _check_unit(self, unit: str, measure: Dimension | None, line: int, name: str) -> None:
        try:
            _, found = parse_unit(unit)
        except ModelError as error:
            self._notes.problems += [Problem(p.what, name, p.hint, line) for p in error.problems]
            return
        if measure is not None and found != measure and not (name == "gear" and found == ANGLE / LENGTH):
            self._wrong(f"[{unit}] does not measure a '{name}'", line, name)

    def _gravity(self) -> tuple[float, float, float]:
        said = self._remarks.get("gravity")
        if said is None:
            self._notes.say("kept", "no gravity, as none is told; `# gravity: 0 0 -9.81` would")
            return 0.0, 0.0, 0.0
        *words, unit = [*said.replace(",", " ").split(maxsplit=3), ""][:4]
        try:
            x, y, z = (parse_quantity(f"{word} {unit}".strip(), ACCELERATION, SI) for word in words)
        except (ModelError, ValueError):
            self._wrong(f"'{said[:40]}' is not three numbers", 1, "gravity", "such as `# gravity: 0 0 -9.81`")
            return 0.0, 0.0, 0.0
        return x, y, z

    # ---------------------------------------------------------------- rows

    def _row(self, k: int, cells: list[str], line: int) -> dict[str, Any]:
        """Words and numbers of a row [SI]; what is empty is left out."""
        found: dict[str, Any] = {}
        given = {name: cells[index] for name, (index, _) in self._columns.items() if cells[index]}
        kind = given.pop("kind", "revolute").lower()
        found["kind"] = kind = KINDS.get(kind, kind)
        found["joint"], found["body"] = given.pop("joint", f"joint{k}"), given.pop("body", f"link{k}")
        for key in ("joint", "body"):
            if not is_name(found[key]):
                self._wrong(f"'{found[key][:40]}' is not a name", line, key, "use letters, digits, _ and -")
        found["description"] = given.pop("description", "")
        measures = {**OWN, **dict.fromkeys((*LIMITS, "value"), LENGTH if kind == "prismatic" else ANGLE)}
        keys = ROW_KEYS[self._convention]  # type: ignore[index]
        measures |= dict(zip(keys, row_measures(self._convention), strict=True))  # type: ignore[arg-type]
        if kind == "prismatic":
            measures["gear"] = ANGLE / LENGTH
        for name, text in given.items():
            unit = self._columns[name][1] if FLOAT.fullmatch(text) else ""  # a cell may have a unit of its own
            try:
                found[name] = parse_quantity(f"{text} {unit}".strip(), measures[name], SI)
            except ModelError as error:
                self._notes.problems += [Problem(p.what, f"row {k}, {name}", p.hint, line) for p in error.problems]
        return found

    def _add(self, m: Mechanism, parent: str, row: dict[str, Any]) -> str:
        """The body and the joint of a row, with its motor; the body's name."""
        body, joint, kind = row["body"], row["joint"], row["kind"]
        weighs: dict[str, Any] = {"mass": row.get("mass"), "description": row["description"]}
        if any(c in row for c in ("com_x", "com_y", "com_z")):
            weighs["com"] = tuple(row.get(c, 0.0) for c in ("com_x", "com_y", "com_z"))
        moments = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        if any(e in row for e in moments):
            weighs["inertia"] = tuple(row.get(e, 0.0) for e in moments)
        weighs = {key: value for key, value in weighs.items() if value is not None}
        keys = ROW_KEYS[self._convention]  # type: ignore[index]
        if kind == "fixed":
            values = tuple(row.get(key, 0.0) for key in keys)
            place = Placement(within=parent, row=Row(self._convention, values))  # type: ignore[arg-type]
            m.body(body, frame=place, **weighs)
            m.rigid(joint, parent, body, frame=Placement(within=body))
            return str(body)
        limits = None if not any(end in row for end in LIMITS) else tuple(row.get(end) for end in LIMITS)
        numbers = {key: row[key] for key in (*keys, "value") if key in row}
        whole = {"joint": joint, "body": body, "kind": kind, "limits": limits, **numbers, **weighs}
        m.dh_chain([whole], convention=self._convention, base=parent)
        motor = {
            "ratio": row.get("gear", 1.0),
            "rotor_inertia": row.get("motor_inertia", 0.0),
            "damping": row.get("motor_damping", 0.0),
            "friction": row.get("motor_friction", 0.0),
            "peak": row.get("peak"),
            "top_speed": row.get("top_speed"),
        }
        if any(key in row for key in ("motor_inertia", "motor_damping", "motor_friction", "peak", "top_speed", "gear")):
            m.motor(f"{joint}_motor", joint, **motor)
        return str(body)
