"""What makes a whole model unsound or doubtful, beyond its single parts: one rule a function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.analyses.mobility import Mobility
from linkwork.errors import Problem
from linkwork.model.amounts import Tabulated
from linkwork.model.case_texts import case_problems
from linkwork.model.constraints import place_of
from linkwork.model.curves import Curve, ExpressionCurve
from linkwork.model.formula_units import formula_unit_problems
from linkwork.model.layout import MANY_PROBLEMS, Layout
from linkwork.model.mechanism import Mechanism
from linkwork.names import no_such
from linkwork.topology import Topology, ground_problems
from linkwork.units import LENGTH, MASS, NUMBER, format_quantity

SHOWN = 8
"""So many bodies are named by a note on many."""


def problems_of(m: Mechanism, layout: Layout, graph: Topology) -> list[Problem]:
    """Everything that the connected whole tells: ground, curves, rods, gravity, masses, gear shafts."""
    return [*ground_problems(m, graph), *problems_of_parts(m, layout, graph)]


def problems_of_parts(m: Mechanism, layout: Layout, graph: Topology) -> list[Problem]:
    """What curves, rods, gravity, masses and gear shafts tell, true also of a model that lacks some of its joints."""
    return [
        *(p for curve in m.curves.values() for p in _curve_problems(curve)),
        *_rod_problems(m, layout, graph),
        *_gravity_problems(m, layout),
        *formula_unit_problems(m),
        *case_problems(m),
        *_plane_problems(m, layout),
        *_mass_problems(m, layout),
        *_shaft_problems(m, layout),
    ]


def _plane_problems(m: Mechanism, layout: Layout) -> list[Problem]:
    """Of a machine that moves in the plane of x and y: joints that leave it, gravity across it."""
    if not m.in_plane:
        return []
    problems: list[Problem] = []
    if m.gravity[2]:
        problems.append(Problem("gravity acts across the plane", "gravity[2]", "give two numbers", severity="warning"))
    for name, seat in layout.seats.items():
        law, (x, y, z) = m.joints[name].law, seat.X_WF[:3, 2]
        across, along = math.hypot(x, y) <= 1e-9, abs(z) <= 1e-9
        fits = across if law.plane == "across" else along if law.plane == "along" else law.plane == "any"
        if not fits or law.freedom > (3 if law.kind == "flat" else 2 if law.plane != "any" else 3):
            hint = {"across": "axis: z", "along": "an axis in the plane, such as x"}.get(law.plane, "another joint")
            problems.append(Problem(f"this {law.kind} joint leaves the plane of x and y", f"joints.{name}", hint))
    return problems


def _gravity_problems(m: Mechanism, layout: Layout) -> list[Problem]:
    # Formulas are SI whatever the header says; numbers of tables are not.
    tables = [law.ys for law in m.gravity_laws.values() if isinstance(law, Tabulated)]
    size = float(np.linalg.norm([*m.gravity, *(np.abs(ys).max() for ys in tables)]))
    if size == 0.0 and m.gravity_laws:
        return []
    if size == 0.0:
        text = "no gravity is given: none acts"
        heavy = any(w.mass for w in layout.masses.values())
        return [Problem(text, "gravity", severity="note")] if heavy else []
    if not 0.1 < size < 1000.0:
        hint = "bare numbers take the units of the header; write -9.81 m/s^2"
        return [Problem(f"gravity is {size:.3g} m/s^2", "gravity", hint, severity="warning")]
    return []


def _mass_problems(m: Mechanism, layout: Layout) -> list[Problem]:
    """Loads or gravity on a machine without mass, and masses that turn without an inertia."""
    if not any(w.mass for w in layout.masses.values()):
        if not (m.loads or m.motors or m.gravity_laws or any(m.gravity)):
            return []
        return [Problem("no body has a mass", "bodies", "give masses, or densities and solids", severity="note")]
    straight = _unturned(m)
    points = [b.name for b in m.bodies.values() if b.mass and b.inertia is None and b.name not in straight]
    if not points:
        return []
    more = [f"{len(points) - SHOWN} more"] if len(points) > SHOWN else []
    text = f"no inertia is given; taken as a point mass: {', '.join([*points[:SHOWN], *more])}"
    return [Problem(text, "bodies", "write inertia: [0, 0, 0] where it is meant", severity="note")]


def _unturned(m: Mechanism) -> set[str]:
    """Bodies that slides and rigid joints tie to ground: they never turn."""
    tied: dict[str, list[str]] = {}
    for j in m.joints.values():
        if j.law.kind in ("prismatic", "rigid"):
            tied.setdefault(j.tail, []).append(j.head)
            tied.setdefault(j.head, []).append(j.tail)
    found, ahead = {m.ground.name}, [m.ground.name]
    while ahead:
        new = [body for body in tied.get(ahead.pop(), ()) if body not in found]
        found.update(new)
        ahead += new
    return found


def _shaft_problems(m: Mechanism, layout: Layout) -> list[Problem]:
    """Gears whose centre is not on the axis that their body turns about: eccentric, and rarely meant."""
    shafts: dict[str, list[tuple[str, Any, Any]]] = {}
    for j in m.joints.values():
        if j.law.kind in ("revolute", "cylindric", "helical") and j.name in layout.seats:
            X = layout.seats[j.name].X_WF
            for body in (j.tail, j.head):
                shafts.setdefault(body, []).append((j.name, X[:3, 3], X[:3, 2]))
    problems = []
    for j in m.joints.values():
        if j.law.kind not in ("gear", "rack") or j.name not in layout.seats:
            continue
        seat = layout.seats[j.name]
        for body, X in ((j.tail, seat.X_WF), (j.head, seat.X_WM)):
            if body == m.ground.name or (j.law.kind == "rack" and body == j.tail):
                continue
            off = [
                (float(np.linalg.norm(np.cross(X[:3, 3] - at, axis))), name)
                for name, at, axis in shafts.get(body, [])
                if float(np.linalg.norm(np.cross(axis, X[:3, 2]))) < 1e-6
            ]
            if off and min(off)[0] > 1e-6 * layout.size:
                distance, shaft = min(off)
                text = f"the centre of the gear '{body}' is {layout.length(distance)} from its shaft {shaft}"
                problems.append(Problem(text, f"joints.{j.name}", "an eccentric gear?", severity="warning"))
    return problems


def _curve_problems(curve: Curve) -> list[Problem]:
    where = f"curves.{curve.name}"
    _, u, v = curve.samples()
    if not (np.isfinite(u).all() and np.isfinite(v).all()):
        return [Problem("it is not finite over its range", where, "look for a division by zero or a root")]
    size = curve.size()
    if size == 0.0:
        return [Problem("it is a single point", where)]
    gap = float(np.hypot(u[-1] - u[0], v[-1] - v[0]))
    if curve.closed and gap > 1e-9 * size:
        hint = "let it end where it starts, or leave `closed` out"
        return [Problem(f"it is said to be closed, but its ends are {gap:.3g} m apart", where, hint)]
    if (jump := _largest_jump(curve, 0)) > 1e-9 * size:
        hint = "make the pieces of its `where` meet"
        return [Problem(f"it jumps by {jump:.3g} m", where, hint)]
    if (bend := _largest_jump(curve, 1)) > 1e-6:
        text = f"it has a corner of {np.degrees(bend):.3g} deg"
        return [Problem(text, where, "a smooth cam has none", severity="warning")]
    if curve.closed and (bend := _seam(curve)) > 1e-6:
        text = f"it has a corner of {np.degrees(bend):.3g} deg where its end joins its start"
        return [Problem(text, where, "a smooth cam needs one tangent there", severity="warning")]
    return []


def _largest_jump(curve: Curve, order: int) -> float:
    """Largest jump of an expression inside its range: of its place [m], or of its direction [rad].

    Steps between samples shrink with the samples where a curve is smooth; where one does not, there is a jump.
    """
    if not isinstance(curve, ExpressionCurve):
        return 0.0
    worst = 0.0
    t = np.linspace(curve.start, curve.end, 2001)[:-1]
    steps = _steps(curve, t, order)
    for i in np.argsort(steps)[-12:]:
        low, high, step, before = t[i], t[i + 1], float(steps[i]), np.inf
        for _ in range(6):
            inner = np.linspace(low, high, 65)
            finer = _steps(curve, inner, order)
            k = int(np.argmax(finer))
            low, high, step, before = inner[k], inner[k + 1], float(finer[k]), step
            if high <= low:
                break
        if step > 0.5 * before:  # a steep place, such as the start of a root, still shrinks; a jump stays
            worst = max(worst, step)
    return worst


def _steps(curve: Curve, t: Any, order: int) -> Any:
    """How far place or direction go from each sample to the next."""
    u, v = (np.broadcast_to(c, t.shape) for c in curve.derivatives(t, order)[order])
    if order == 0:
        return np.hypot(np.diff(u), np.diff(v))
    cross, dot = u[:-1] * v[1:] - v[:-1] * u[1:], u[:-1] * u[1:] + v[:-1] * v[1:]
    return np.where(np.hypot(u, v)[1:] > 0.0, np.abs(np.arctan2(cross, dot)), 0.0)


def _seam(curve: Curve) -> float:
    """Angle between the tangents at the two ends of a closed curve [rad]."""
    width = (curve.end - curve.start) * 1e-12  # just inside the end, where a closed curve has not begun anew
    ends = [curve.derivatives(t, 1)[1] for t in (curve.start, curve.end - width)]
    (a, b), (c, d) = ((float(u), float(v)) for u, v in ends)
    return float(abs(np.arctan2(a * d - b * c, a * c + b * d)))


def _rod_problems(m: Mechanism, layout: Layout, graph: Topology) -> list[Problem]:
    """Binary bodies whose two turning joints leave no length between them."""
    joints_of: dict[str, list[str]] = {}
    for j in m.joints.values():
        if j.name in layout.seats and j.tail != j.head:
            for body in (j.tail, j.head):
                joints_of.setdefault(body, []).append(j.name)
    problems = []
    for body, names in joints_of.items():
        if body == m.ground.name or len(names) != 2 or graph.degree.get(body) != 2:
            continue
        laws = [m.joints[n].law.kind for n in names]
        if not all(kind in ("revolute", "spheric") for kind in laws):
            continue
        A, B = (layout.seats[n].X_WF for n in names)
        where = f"bodies.{body}"
        offset = B[:3, 3] - A[:3, 3]
        if laws == ["spheric", "spheric"]:
            if float(np.linalg.norm(offset)) <= 1e-9 * layout.size:
                problems.append(Problem(f"a rod of zero length: joints {names[0]} and {names[1]} coincide", where))
            else:
                text = f"it can spin idly about the line through {names[0]} and {names[1]}"
                problems.append(Problem(text, where, severity="note"))
        elif _on_axes(A, B, laws, offset, layout.size):
            if float(np.linalg.norm(offset)) <= 1e-9 * layout.size:
                problems.append(Problem(f"a rod of zero length: joints {names[0]} and {names[1]} coincide", where))
            else:
                text = f"joints {names[0]} and {names[1]} lie on one axis: it can spin idly"
                problems.append(Problem(text, where, severity="warning"))
    return problems


def _on_axes(A: Any, B: Any, laws: list[str], offset: Any, size: float) -> bool:
    """Whether every revolute axis among the two passes along both joints."""
    for X, kind in ((A, laws[0]), (B, laws[1])):
        if kind == "revolute" and float(np.linalg.norm(np.cross(X[:3, 2], offset))) > 1e-9 * size:
            return False
    return laws != ["revolute", "revolute"] or float(np.linalg.norm(np.cross(A[:3, 2], B[:3, 2]))) <= 1e-9


def mobility_problems(m: Mechanism, mobility: Mobility) -> list[Problem]:
    """What the freedoms of the layout posture tell."""
    if mobility.without_value:
        text = "it has no value or no slope at the layout, so that the mobility is not known there"
        hint = "look for a root, a logarithm or a division by zero, or draw the layout where it has one"
        wheres = [place_of(m.constraints[name]) for name in mobility.without_value]
        return [Problem(text, where, hint, severity="warning") for where in wheres]
    if mobility.rank is None:
        text = "the rank of so many loop equations is in doubt here; Grübler's count stands alone"
        return [Problem(text, "joints", severity="note")]
    if mobility.mobility == 0:
        hint = "a structure, or loops whose lengths and axes are given with too few digits"
        return [Problem("nothing can move in the layout posture", "joints", hint, severity="warning")]
    return []


def expectation_problems(m: Mechanism, found: dict[str, float], layout: Layout) -> list[Problem]:
    """Numbers must agree to six digits, or to a billionth of the model's size (of one radian, of one)."""
    problems: list[Problem] = []
    dimensions = {"mass": MASS}
    dimensions |= {f"{j.name}.{v.name}": v.quantity for j in m.owners.values() for v in j.law.variables}
    dimensions |= {f"{place}.{c}": LENGTH for place in (*m.points, *m.frames) for c in "xyz"}
    for name, wanted in m.expect.items():
        where = f"expect.{name}"
        if name not in found:
            problems.append(no_such("number", name, found if len(problems) < MANY_PROBLEMS else (), where))
        elif abs(found[name] - wanted) > 1e-6 * abs(wanted) + 1e-9 * min(layout.size, 1.0):
            dimension = dimensions.get(name, NUMBER)
            shown = [format_quantity(value, dimension, layout.units, 9) for value in (wanted, found[name])]
            problems.append(Problem(f"{shown[0]} is expected, {shown[1]} is found", where))
    return problems
