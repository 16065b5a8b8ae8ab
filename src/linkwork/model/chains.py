"""Serial chains from Denavit-Hartenberg tables and their relatives.

A row is a fixed shape, the joint's own motion along or about z, and another fixed shape. The body's own frame is the
frame of its row, so that tables of masses and inertias in link frames can be used as they are published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.model.joints import Prismatic, Revolute
from linkwork.model.parts import Joint
from linkwork.model.placement import ROW_KEYS, Placement, Row
from linkwork.model.vectors import number
from linkwork.units import ANGLE, LENGTH

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism

_BODY_KEYS = ("mass", "com", "inertia", "solid", "density", "accept_unphysical", "description", "looks", "colour")
_OWN_KEYS = ("joint", "body", "kind", "limits", "value")


def add_chain(m: Mechanism, rows: Sequence[Mapping[str, Any]], convention: str, base: str) -> list[Joint]:
    """Add the bodies and joints of a table to a mechanism, in order from `base`."""
    if convention not in ROW_KEYS:
        hint = did_you_mean(convention, ROW_KEYS)
        raise ModelError(Problem(f"unknown convention '{convention}'", "convention", hint))
    problems: list[Problem] = []
    joints = []
    parent = base
    for i, row in enumerate(rows):
        where = f"rows[{i}]"
        try:
            joint, parent = _add_row(m, row, convention, parent, where)
            joints.append(joint)
        except ModelError as error:
            problems.extend(error.problems)
            parent = str(row.get("body", parent)) if isinstance(row, Mapping) else parent
    if problems:
        raise ModelError(problems)
    return joints


def _add_row(m: Mechanism, row: Mapping[str, Any], convention: str, parent: str, where: str) -> tuple[Joint, str]:
    if not isinstance(row, Mapping):
        raise ModelError(Problem(f"{row!r} is not a row", where, "each row is a mapping from names to numbers"))
    keys = ROW_KEYS[convention]  # type: ignore[index]
    allowed = (*_OWN_KEYS, *keys, *_BODY_KEYS)
    unknown = [k for k in row if k not in allowed]
    if unknown:
        raise ModelError([Problem(f"unknown key '{k}'", where, did_you_mean(str(k), allowed)) for k in unknown])
    missing = [k for k in ("joint", "body") if k not in row]
    if missing:
        raise ModelError(Problem(f"{' and '.join(missing)} not given", where, "each row names its joint and its body"))
    numbers = {k: number(row.get(k, 0.0), f"{where}.{k}", LENGTH if len(k) == 1 else ANGLE) for k in keys}
    kind = row.get("kind", "revolute")
    if kind not in ("revolute", "prismatic"):
        raise ModelError(Problem(f"a {kind} joint in a D-H table", where, "write revolute or prismatic"))
    if kind == "prismatic" and convention == "hayati":
        raise ModelError(Problem("a Hayati row has no slide", where, "use dh or dh_craig for this row"))
    turns = kind == "revolute"
    if "value" in row and convention != "sheth_uicker":
        raise ModelError(Problem("`value` besides a table", where, f"give {'theta' if turns else 'd'}"))
    value, fixed, whole = _split(
        convention, numbers, turns, number(row.get("value", 0.0), f"{where}.value", ANGLE if turns else LENGTH)
    )
    body, name = row["body"], row["joint"]
    m.body(body, frame=Placement(within=parent, row=whole), **{k: row[k] for k in _BODY_KEYS if k in row})
    law = Revolute() if turns else Prismatic()
    frame = Placement(within=parent, row=fixed)
    return m.joint(name, law, parent, body, frame=frame, value=value, limits=row.get("limits")), body


def _split(convention: str, numbers: dict[str, float], turns: bool, value: float) -> tuple[float, Row | None, Row]:
    """Layout value, the fixed shape before the joint (None: the parent's own frame), and the whole row."""
    own = "theta" if turns else "d"
    if convention in ("dh", "hayati"):
        return numbers[own], None, Row(convention, tuple(numbers.values()))  # type: ignore[arg-type]
    if convention == "dh_craig":
        fixed = Row("dh_craig", (numbers["alpha"], numbers["a"], 0.0, 0.0))
        return numbers[own], fixed, Row("dh_craig", tuple(numbers.values()))
    # Sheth-Uicker rows end with Rz Tz, which the joint's own motion continues.
    moved = {**numbers, "beta" if turns else "b": numbers["beta" if turns else "b"] + value}
    return value, Row("sheth_uicker", tuple(numbers.values())), Row("sheth_uicker", tuple(moved.values()))
