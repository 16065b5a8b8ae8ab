"""A model as tables of text, in the units of its file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.geometry import Array
from linkwork.model.layout import Layout, lay_out
from linkwork.model.mechanism import Mechanism
from linkwork.units import ACCELERATION, INERTIA, LENGTH, MASS, SI, UnitSystem, format_quantity

if TYPE_CHECKING:
    from linkwork.analyses.equations import Equations


@dataclass(frozen=True)
class Table:
    """A title and rows of text; the first row is the header."""

    title: str
    rows: tuple[tuple[str, ...], ...]


def tables(m: Mechanism) -> list[Table]:
    """Gravity, bodies, joints, points, frames and curves; those that are empty are left out."""
    layout, units = lay_out(m), SI if m.source is None else m.source.units
    found = [
        _gravity(m, units),
        _bodies(m, layout, units),
        _joints(m, layout, units),
        _places("points", {p: m.points[p].body for p in m.points}, layout.points, units),
        _places(
            "frames", {f: m.frames[f].body for f in m.frames}, {f: X[:3, 3] for f, X in layout.frames.items()}, units
        ),
        _curves(m, units),
    ]
    return [table for table in found if len(table.rows) > 1]


def equation_tables(found: Equations) -> list[Table]:
    """Coordinates by joint, and what can be asked with what it costs; those that are empty are left out."""
    return [table for table in (_coordinates(found), _costs(found)) if len(table.rows) > 1]


def _coordinates(found: Equations) -> Table:
    rows = [("joint", "kind", "coordinates", "rates")]
    s = found.system
    for joint in dict.fromkeys(name.rpartition(".")[0] for name in s.coordinates):
        own = s.mechanism.joints.get(joint)  # none: the six freedoms of a floating body, under its name
        kind = "floating" if own is None else own.law.kind
        rows.append((joint, kind, _of_joint(joint, s.coordinates), _of_joint(joint, s.rates)))
    return Table("coordinates", tuple(rows))


def _of_joint(joint: str, names: tuple[str, ...]) -> str:
    return ", ".join(variable for owner, _, variable in (n.rpartition(".") for n in names) if owner == joint)


def _costs(found: Equations) -> Table:
    measured = any(cost.sample_seconds is not None for cost in found.costs)
    rows: list[tuple[str, ...]] = [("name", "takes", "gives", "operations")]
    if measured:
        rows[0] += ("ready [s]", "per sample [ns]")
    for cost in found.costs:
        row: tuple[str, ...] = (cost.name, _blocks(cost.inputs), _blocks(cost.outputs), f"{cost.operations:,}")
        if cost.ready_seconds is not None and cost.sample_seconds is not None:
            row += (f"{cost.ready_seconds:.3f}", f"{1e9 * cost.sample_seconds:.3g}")
        elif measured:
            row += ("-", "-")
        rows.append(row)
    return Table("quantities", tuple(rows))


def _blocks(blocks: dict[str, tuple[int, ...]]) -> str:
    return ", ".join(f"{name}{list(shape) if shape else ''}" for name, shape in blocks.items())


def _gravity(m: Mechanism, units: UnitSystem) -> Table:
    rows = [(f"along x, y, z [{units.symbol(ACCELERATION)}]", "size")]
    if any(m.gravity):
        size = format_quantity(float(np.linalg.norm(m.gravity)), ACCELERATION, SI)
        rows.append((_numbers(np.array(m.gravity) / units.factor(ACCELERATION)), size))
    return Table("gravity", tuple(rows))


def _bodies(m: Mechanism, layout: Layout, units: UnitSystem) -> Table:
    length, inertia = units.symbol(LENGTH), units.symbol(INERTIA)
    rows = [("name", "mass", f"centre of mass [{length}]", f"inertia about it: xx, yy, zz, xy, xz, yz [{inertia}]")]
    for name in m.bodies:
        weight = layout.masses.get(name)
        label = f"{name} (ground)" if name == m.ground.name and name != "ground" else name
        if weight is None or (weight.mass == 0.0 and not weight.inertia.any()):
            rows.append((label, "-", "", ""))
            continue
        T = weight.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]] / units.factor(INERTIA)
        mass = format_quantity(weight.mass, MASS, units)
        rows.append((label, mass, _numbers(weight.com / units.factor(LENGTH)), _numbers(T) if T.any() else "-"))
    return Table("bodies", tuple(rows))


def _joints(m: Mechanism, layout: Layout, units: UnitSystem) -> Table:
    length = units.symbol(LENGTH)
    rows = [("name", "kind", "from", "to", f"at [{length}]", "axis", "variables in the layout")]
    for joint in m.joints.values():
        seat = layout.seats.get(joint.name)
        if seat is None:
            rows.append((joint.name, joint.law.kind, joint.tail, joint.head, "?", "?", "?"))
            continue
        values = [
            f"{v.name} {format_quantity(float(q), v.quantity, units)}"
            for v, q in zip(joint.law.variables, seat.q, strict=True)
        ]
        at, axis = _numbers(seat.X_WF[:3, 3] / units.factor(LENGTH)), _numbers(seat.X_WF[:3, 2])
        rows.append((joint.name, joint.law.kind, joint.tail, joint.head, at, axis, ", ".join(values)))
    return Table("joints", tuple(rows))


def _places(title: str, owners: dict[str, str], places: dict[str, Array], units: UnitSystem) -> Table:
    rows = [("name", "on", f"at [{units.symbol(LENGTH)}]")]
    rows += [(name, owners[name], _numbers(place / units.factor(LENGTH))) for name, place in places.items()]
    return Table(title, tuple(rows))


def _curves(m: Mechanism, units: UnitSystem) -> Table:
    rows = [("name", "kind", "closed", "size")]
    for curve in m.curves.values():
        kind = type(curve).__name__.removesuffix("Curve").lower()
        rows.append((curve.name, kind, "yes" if curve.closed else "no", format_quantity(curve.size(), LENGTH, units)))
    return Table("curves", tuple(rows))


def _numbers(values: Array) -> str:
    largest = float(np.max(np.abs(values), initial=0.0))
    clean = [0.0 if abs(v) < 1e-12 * largest else float(v) for v in values]
    return ", ".join(f"{v:.5g}" for v in clean)
