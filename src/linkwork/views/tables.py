"""A model and what was asked of it as tables of text, in the units of its file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.geometry import Array
from linkwork.model.layout import Layout, lay_out
from linkwork.model.mechanism import Mechanism
from linkwork.units import (
    ACCELERATION,
    ANGLE,
    INERTIA,
    LENGTH,
    MASS,
    SI,
    Dimension,
    UnitSystem,
    format_quantity,
    parse_unit,
)
from linkwork.views.load_tables import gravity_text, load_rows, motor_rows
from linkwork.views.state_tables import constraint_rows, state_rows

if TYPE_CHECKING:
    from linkwork.analyses.equations import Equations
    from linkwork.analyses.kinematics.closures import Closures
    from linkwork.analyses.kinematics.four_bars import FourBar
    from linkwork.analyses.kinematics.posture import Posture
    from linkwork.analyses.kinematics.travel import Travel
    from linkwork.views.ranges import Range

ROUNDING = 1e-12
"""Numbers below this part of the largest of their kind are shown as 0."""
WIDE = 8
"""Variables up to which a closure is a row; closures that are columns otherwise."""

Dimensions = Mapping[str, Dimension]
"""What the variables of a machine measure, by full name."""


@dataclass(frozen=True)
class Table:
    """A title and rows of text; the first row is the header."""

    title: str
    rows: tuple[tuple[str, ...], ...]


def tables(m: Mechanism) -> list[Table]:
    """Gravity, bodies, joints, places, curves, constraints, states, loads, motors; without those that are empty."""
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
        Table("couplings and constraints", constraint_rows(m)),
        Table("states", state_rows(m, units)),
        Table("loads", load_rows(m, units)),
        Table("motors", motor_rows(m, units)),
    ]
    return [table for table in found if len(table.rows) > 1]


def equation_tables(found: Equations) -> list[Table]:
    """Coordinates by joint, states, and what can be asked with what it costs; those that are empty are left out."""
    m = found.system.mechanism
    states = Table("states", state_rows(m, SI if m.source is None else m.source.units))
    return [table for table in (_coordinates(found), states, _costs(found)) if len(table.rows) > 1]


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
    if m.gravity_laws:
        rows.append((gravity_text(m, units, ACCELERATION), "over time"))
    elif any(m.gravity):
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


# -------------------------------------------------------------------- what was asked of it


def posture_table(p: Posture, dimensions: Dimensions, units: UnitSystem) -> Table:
    """Where every joint stands, and which role it has."""
    roles = {**dict.fromkeys(p.dependent, "dependent"), **dict.fromkeys(p.independent, "independent")}
    roles |= dict.fromkeys(p.specified, "given")
    rows = [("variable", "value", "role")]
    for name, value in p.values.items():
        joint, _, variable = name.rpartition(".")
        role = roles.get(name) or roles.get(f"{joint}.v{variable}", "")  # F.x of a free joint has the rate F.vx
        rows.append((name, _shown(value, dimensions[name], units), role))
    return Table("posture", tuple(rows))


def four_bar_table(bars: Iterable[FourBar], units: UnitSystem) -> Table:
    """Loops of four bodies, and what they can do."""
    rows = [("bodies", "joints", "kind", "verdict")]
    for bar in bars:
        rows.append((" - ".join(bar.bodies), ", ".join(bar.joints), bar.kind, _verdict(bar, units)))
    return Table("four-bars", tuple(rows))


def _verdict(bar: FourBar, units: UnitSystem) -> str:
    found = bar.verdict
    if found is None:
        return bar.trouble
    texts = [getattr(found, "special", "") or "", found.kind]
    if (stroke := getattr(found, "stroke", None)) is not None:
        texts.append(f"stroke {_shown(stroke, LENGTH, units)}")
    if (swing := getattr(found, "swing", None)) and not isinstance(swing, str):
        texts.append(f"swing {_shown(swing, ANGLE, units)}")
    if found.time_ratio is not None:
        texts.append(f"time ratio {found.time_ratio:.4g}")
    return ", ".join(t for t in texts if t)


def travel_table(found: Travel, dimensions: Dimensions, units: UnitSystem) -> Table:
    """The limits of a variable in the title, those that the model sets too, and how far the others go meanwhile."""
    own = dimensions[found.variable]
    if found.full_turn:
        limits = "makes full turns"
    else:
        ends = [_shown(x, own, units) if np.isfinite(x) else "no limit" for x in (found.lower, found.upper)]
        limits = f"goes from {ends[0]} to {ends[1]}"
    if any(found.limited_by):
        low, high = (_shown(x, own, units) if np.isfinite(x) else "no limit" for x in found.within)
        who = " and ".join(dict.fromkeys(name for name in found.limited_by if name))
        limits += f"; from {low} to {high} within the limits of {who}"
    at = found.variable
    rows: list[tuple[str, ...]] = [("variable", "least", f"at {at}", "greatest", f"at {at}", "stroke", "")]
    for name, stroke in found.strokes.items():
        if name != found.variable:
            kind = dimensions[name]
            cells = [(stroke.least, kind), (stroke.at_least, own), (stroke.greatest, kind), (stroke.at_greatest, own)]
            turns = "full turns" if name in found.full_turns else ""
            texts = [_shown(x, d, units) for x, d in [*cells, (stroke.length, kind)]]
            if stroke.length < ROUNDING:
                texts[1] = texts[3] = ""  # it stays everywhere
            rows.append((name, *texts, turns))
    return Table(f"travel: {found.variable} {limits}", tuple(rows))


def range_table(ranges: Mapping[str, Mapping[str, Range]], units: UnitSystem) -> Table:
    """Least and greatest value, rate, acceleration and jerk of every joint variable."""
    levels = list(dict.fromkeys(level for own in ranges.values() for level in own))
    largest: dict[str, float] = {}
    for own in ranges.values():
        for r in own.values():
            largest[r.unit] = max(largest.get(r.unit, 0.0), *np.nan_to_num(np.abs([r.least, r.greatest])))
    rows: list[tuple[str, ...]] = [("variable", *levels)]
    for name, own in ranges.items():
        cells = (_extent(own[level], largest[own[level].unit], units) if level in own else "" for level in levels)
        rows.append((name, *cells))
    return Table("joints, least .. greatest of the samples", tuple(rows))


def _extent(found: Range, largest: float, units: UnitSystem) -> str:
    """'0 .. 360 deg', or one number of what stays."""
    _, dimension = parse_unit(found.unit)
    if not np.isfinite(found.least):
        return "-"
    low = _shown(found.least, dimension, units, largest)
    high = _shown(found.greatest, dimension, units, largest)
    if low == high or found.greatest - found.least < ROUNDING * largest:
        return high
    symbol = units.symbol(dimension)
    return f"{low.removesuffix(symbol).rstrip()} .. {high}"


def closure_table(found: Closures, dimensions: Dimensions, units: UnitSystem) -> Table:
    """Closures with their variables: a row each, or a column each where there are many variables."""
    names = list(found[0].values)
    columns = [[_number(p.values[n], dimensions[n], units) for p in found] for n in names]
    heads = [f"{n} [{unit}]" if (unit := units.symbol(dimensions[n])) else n for n in names]
    hits = [str(n) for n in found.hits]
    title = f"{len(found)} closure{'s' * (len(found) != 1)}"
    if len(names) <= WIDE:
        lines = zip((p.name for p in found), hits, *columns, strict=True)
        return Table(title, (("closure", "found", *heads), *lines))
    more = f", the first {WIDE}" if len(found) > WIDE else ""
    rows = [("closure", *(p.name for p in found[:WIDE])), ("found", *hits[:WIDE])]
    rows += [(head, *column[:WIDE]) for head, column in zip(heads, columns, strict=True)]
    return Table(f"{title}{more}", tuple(rows))


def pose_table(found: Closures, bodies: Sequence[str], units: UnitSystem) -> Table:
    """Closures with the places of some bodies and how they are turned."""
    from linkwork.geometry import to_rotvec

    heads: list[str] = []
    columns: list[list[str]] = []
    for body in bodies:
        heads += [f"{body} at x, y, z [{units.symbol(LENGTH)}]", f"turned about x, y, z [{units.symbol(ANGLE)}]"]
        poses = [p.pose(body) for p in found]
        columns.append([_numbers(X[:3, 3] / units.factor(LENGTH)) for X in poses])
        turns = [to_rotvec(X[:3, :3]) for X in poses]
        columns.append([_numbers(np.where(abs(w) < ROUNDING, 0.0, w) / units.factor(ANGLE)) for w in turns])
    rows = zip((p.name for p in found), (str(n) for n in found.hits), *columns, strict=True)
    title = f"{len(found)} closure{'s' * (len(found) != 1)}, told apart by {', '.join(bodies)}"
    return Table(title, (("closure", "found", *heads), *rows))


def _number(value: float, dimension: Dimension, units: UnitSystem) -> str:
    clean = 0.0 if abs(value) < ROUNDING else value
    return f"{clean / units.factor(dimension) + 0.0:.6g}"


def _shown(value: float, dimension: Dimension, units: UnitSystem, largest: float = 1.0) -> str:
    """A number in SI with the unit of the file; rounding beside the largest of its kind is 0."""
    clean = 0.0 if abs(value) < ROUNDING * max(largest, 1.0) else value
    return format_quantity(clean, dimension, units)
