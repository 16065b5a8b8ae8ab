"""The spanning tree of a mechanism, ready for its equations: who hangs on whom by which law, and every number named.

A *link* is a body together with the joint by which it hangs in the tree. Its frame L is the joint's outer frame, so
that joint axes lie along coordinate axes. The numbers of a model are *parameters* as users know them (`crank.mass`,
`A.tail.at.x`, `gravity.z`); `constants` turns them into what the equations use: fixed poses from link to link, mass
moments in link frames. It is plain arithmetic: the same lines take numbers, arrays with one entry per sample, and
CasADi expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from linkwork import geometry as geo
from linkwork.equations.formula_jumps import Switched, switched_formulas
from linkwork.equations.joint_motion import law_parameters, law_shape
from linkwork.equations.load_kinds.plans import LoadConstants, LoadPlan, Places
from linkwork.equations.load_plans import (
    exact_frictions,
    is_timed,
    load_constants,
    load_parameters,
    plain_places,
    plan_loads,
)
from linkwork.equations.rounding_errors import EPSILON, Rounded, magnitude
from linkwork.equations.state_plans import StatePlan, plan_states, state_constants, with_states
from linkwork.equations.vectors import (
    IDENTITY,
    NOTHING,
    ZERO,
    Matrix,
    Vector,
    add,
    apply,
    apply_t,
    congruence,
    multiply,
    neg,
    outer,
    plus,
    scale,
    symmetric,
    transpose,
)
from linkwork.geometry import Array
from linkwork.model.inner import FieldMoments, InnerLaw
from linkwork.model.joints import Free, Law
from linkwork.model.joints.lower_pairs import QUATERNION
from linkwork.model.layout import Layout
from linkwork.model.mechanism import Mechanism
from linkwork.model.states import state_numbers
from linkwork.topology import Topology

AXES = ("u", "v", "w")
SIX = ("xx", "yy", "zz", "xy", "xz", "yz")


Owner = Literal["joint", "body", "inner", "place"]
"""Who has coordinates: joints; bodies, which float; what moves inside a body; places whose coordinates are measured."""


@dataclass(frozen=True)
class Slot:
    """An owner of coordinates, their law, and the places of its variables and rates in longer vectors.

    owner : the name that its variables and rates begin with; of : what it is
    """

    owner: str
    law: Law
    q: slice
    v: slice
    of: Owner = "joint"

    @cached_property
    def plain(self) -> int:
        """How many of the variables are not a quaternion's; those come first."""
        return sum(v not in QUATERNION for v in self.law.variables)


@dataclass(frozen=True)
class LinkPlan:
    """A body in the tree: its joint, the law, the walking direction, the parent's index (-1: the world).

    q, v : variables and rates of the joint; own : coordinates of the body itself; inner : their law
    """

    body: str
    joint: str
    law: Law
    sign: int
    parent: int
    q: slice
    v: slice
    implied: bool = False
    own: tuple[Slot, ...] = ()
    inner: InnerLaw | None = None

    @property
    def joint_slot(self) -> Slot:
        """Where the joint has its variables and rates."""
        return Slot(self.joint, self.law, self.q, self.v, "body" if self.implied else "joint")

    @property
    def slots(self) -> tuple[Slot, ...]:
        """All coordinates that come with the link: its joint's, then those of its body."""
        return (self.joint_slot, *self.own)

    @property
    def rates(self) -> tuple[int, ...]:
        """Rates of its slots."""
        return tuple(k for slot in self.slots for k in range(slot.v.start, slot.v.stop))

    @property
    def own_rates(self) -> tuple[int, ...]:
        """Rates of its body."""
        return tuple(k for slot in self.own for k in range(slot.v.start, slot.v.stop))


@dataclass(frozen=True)
class StationPlan:
    """A place on a body that owns coordinates, which moves by them: a link without mass behind all others.

    name : of the point or frame, or the prefix of the pose of a joint's end; parent : index of the body's link
    """

    name: str
    parent: int


@dataclass(frozen=True)
class CutPlan:
    """A joint outside the tree: its law, the links of its first and second body (-1: the world), its variables.

    y, w : its variables and rates, counted after those of the tree
    """

    joint: str
    law: Law
    tail: int
    head: int
    y: slice
    w: slice


@dataclass(frozen=True)
class ConstraintPlan:
    """An equation of the model: an expression that stays zero, and the names of its own numbers.

    of_rates : it is linear in rates, and restricts them alone
    measure : places among y and w of the variable that is the value of the expression, which then need not be zero
    """

    name: str
    expression: str
    parameters: tuple[str, ...]
    of_rates: bool
    measure: tuple[int, int] | None = None


@dataclass(frozen=True)
class Mark:
    """A named point or frame and the index of the link that carries it (-1: the world)."""

    name: str
    link: int


@dataclass(frozen=True)
class Plan:
    """The tree of a mechanism: links from the root outward, marks, coordinates and rates by name, parameters.

    `variables` are the coordinates q of the tree followed by the variables of the cut joints (y), `variable_rates`
    likewise (w).
    """

    name: str
    links: tuple[LinkPlan, ...]
    cuts: tuple[CutPlan, ...]
    points: tuple[Mark, ...]
    frames: tuple[Mark, ...]
    coordinates: tuple[str, ...]
    rates: tuple[str, ...]
    variables: tuple[str, ...]
    variable_rates: tuple[str, ...]
    parameters: Mapping[str, float]
    X_WG: Array
    neutral: Array
    layout_y: Array
    ground: str
    layout_poses: tuple[Array, ...]
    """Poses of the links' bodies in the layout."""
    loads: tuple[LoadPlan, ...]
    constraints: tuple[ConstraintPlan, ...]
    """Those of places first."""
    distances: Mapping[str, float]
    """How far from the world's origin the places lie that parameters tell, by the parameters' prefix [m]."""
    states: tuple[StatePlan, ...] = ()
    measured: tuple[Slot, ...] = ()
    """Measures that are variables, after those of all joints (`measures`)."""
    lent: tuple[tuple[int, float], ...] = ()
    """Rates that follow laws, and inertias that forward dynamics lends them: nothing else may resist them."""
    stations: tuple[StationPlan, ...] = ()
    """Their indices as links follow those of the bodies."""

    @cached_property
    def usual_distance(self) -> float:
        """The middle one of the distances that are not zero; 0 where all are."""
        known = sorted(x for x in self.distances.values() if x > 0.0)
        return known[len(known) // 2] if known else 0.0

    @property
    def nq(self) -> int:
        """Number of position variables."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """Number of rates."""
        return len(self.rates)

    @property
    def ny(self) -> int:
        """Number of variables of all joints."""
        return len(self.variables)

    @property
    def nw(self) -> int:
        """Number of rates of all joints."""
        return len(self.variable_rates)

    @property
    def nx(self) -> int:
        """Number of components of wrenches on all bodies of the tree."""
        return 6 * len(self.links)

    @property
    def nl(self) -> int:
        """Number of rows: components of wrenches of all cut joints, and constraints."""
        return 6 * len(self.cuts) + len(self.constraints)

    @property
    def nl_places(self) -> int:
        """Number of rows that restrict places, and not rates alone; they come first."""
        return self.nl - sum(constraint.of_rates for constraint in self.constraints)

    @property
    def n_loads(self) -> int:
        """Number of loads."""
        return len(self.loads)

    @property
    def n_states(self) -> int:
        """Number of named states."""
        return len(self.states)

    @cached_property
    def n_slips(self) -> int:
        """Number of exact frictions, each of which sticks or slips."""
        return len(exact_frictions(self.loads))

    @cached_property
    def switched(self) -> tuple[Switched, ...]:
        """Formulas of loads and states that jump."""
        return switched_formulas(self.loads, self.states)

    @property
    def n_sides(self) -> int:
        """Number of switches of formulas that jump, each of which is on one side."""
        return self.switched[-1].switches.stop if self.switched else 0

    @property
    def one(self) -> int:
        """Size of an input that is a single number."""
        return 1

    @cached_property
    def timed(self) -> bool:
        """Whether some load depends on time."""
        return is_timed(self.loads)

    @cached_property
    def tree_slots(self) -> tuple[Slot, ...]:
        """Where the joints of the tree and its bodies have their variables among q, and their rates among v."""
        return tuple(link.joint_slot for link in self.links) + tuple(slot for link in self.links for slot in link.own)

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """Where all owners have their variables among y, and their rates among w; those of the tree come first."""
        return self.joint_slots + self.measured

    @cached_property
    def joint_slots(self) -> tuple[Slot, ...]:
        """The same without measures."""
        return self.tree_slots + tuple(Slot(cut.joint, cut.law, cut.y, cut.w) for cut in self.cuts)

    @property
    def layout_q(self) -> Array:
        """Coordinates of the tree in the layout posture."""
        return self.layout_y[: self.nq]

    @property
    def chords(self) -> tuple[str, ...]:
        """Names of the cut joints."""
        return tuple(cut.joint for cut in self.cuts)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Index of a link by the name of its body."""
        return {link.body: i for i, link in enumerate(self.links)}

    def path_to(self, name: str) -> frozenset[int]:
        """Indices of the links from the world to a body, point or frame."""
        i = next((mark.link for mark in (*self.points, *self.frames) if mark.name == name), self.index.get(name, -1))
        return frozenset(self.path(i))

    def path(self, i: int) -> list[int]:
        """Indices of the links from link i to the root."""
        indices = []
        while i >= 0:
            indices.append(i)
            i = self.parent(i)
        return indices

    def parent(self, i: int) -> int:
        """Index of the link that a link or a station hangs on."""
        return self.links[i].parent if i < len(self.links) else self.stations[i - len(self.links)].parent

    def body_of(self, i: int) -> int:
        """Index of the link of the body that a link or a station belongs to."""
        return i if i < len(self.links) else self.stations[i - len(self.links)].parent

    def moving(self, i: int) -> tuple[int, ...]:
        """Rates that move a link or a station against its parent: of the parent's body, its joint, its own body."""
        parent = self.parent(i)
        before = self.links[parent].own_rates if parent >= 0 else ()
        if i >= len(self.links):
            return before
        link = self.links[i]
        joint = tuple(range(link.v.start, link.v.stop))
        return (*before, *joint, *(() if link.implied else link.own_rates))

    @cached_property
    def signature(self) -> tuple[Any, ...]:
        """What equations depend on besides numbers: systems of equal signature share their kernels."""
        links = tuple(
            (k.body, k.joint, law_shape(k.law, tuple(law_parameters(k.law))), k.sign, k.parent, k.q.start, k.v.start)
            for k in self.links
        )
        cuts = tuple(
            (c.joint, law_shape(c.law, tuple(law_parameters(c.law))), c.tail, c.head, c.y.start, c.w.start)
            for c in self.cuts
        )
        marks = self.points, self.frames
        names = self.variables, self.variable_rates
        parts = self.constraints, self.loads, self.states
        whole = links, cuts, *marks, *names, *parts, self.lent, self.X_WG.tobytes()
        inner = tuple(
            (i, tuple(slot.owner for slot in k.own), law_shape(k.inner, tuple(law_parameters(k.inner))))
            for i, k in enumerate(self.links)
            if k.inner is not None
        )
        return (*whole, inner, self.stations) if inner else whole


def make_plan(m: Mechanism, layout: Layout, graph: Topology) -> Plan:
    """Plan of a mechanism that has been laid out without errors.

    Coordinates follow the order in which joints were declared; the assembly of a floating machine begins with the six
    freedoms of its reference body, under that body's name.
    """
    roots = [a.reference for a in graph.assemblies if a.reference != m.ground.name]
    hanging: dict[str, tuple[str, Law, int, str, bool]] = {b: (b, Free(), 1, m.ground.name, True) for b in roots}
    bodies = list(roots)
    for joint in graph.tree:
        body = next(b for b in (m.joints[joint].tail, m.joints[joint].head) if _hangs_by(graph, b, joint))
        parent = graph.parent[body]
        hanging[body] = (joint, m.joints[joint].law, parent.sign, parent.body, False)
        bodies.append(body)
    declared = {name: i for i, name in enumerate(m.joints)}
    q_at: dict[str, slice] = {}
    v_at: dict[str, slice] = {}
    coordinates: list[str] = []
    rates: list[str] = []
    for body in sorted(bodies, key=lambda b: -1 if hanging[b][4] else declared[hanging[b][0]]):
        joint, law = hanging[body][:2]
        q_at[body] = slice(len(coordinates), len(coordinates) + len(law.variables))
        v_at[body] = slice(len(rates), len(rates) + law.freedom)
        coordinates += _variable_names(joint, law)
        rates += _rate_names(joint, law)
    inner = _inner_slots(m, layout, bodies, coordinates, rates)
    index = {m.ground.name: -1} | {body: i for i, body in enumerate(bodies)}
    links = tuple(
        LinkPlan(
            b, hanging[b][0], hanging[b][1], hanging[b][2], index[hanging[b][3]], q_at[b], v_at[b], hanging[b][4],
            *inner.get(b, ()),
        )
        for b in bodies
    )  # fmt: skip
    stations: list[StationPlan] = []

    def carrier(body: str, name: str) -> int:
        """The link that carries a place of a body."""
        if body not in inner:
            return index[body]
        stations.append(StationPlan(name, index[body]))
        return len(links) + len(stations) - 1

    cuts = _cuts(m, graph, carrier, len(coordinates), len(rates))
    variables, variable_rates = list(coordinates), list(rates)
    for cut in cuts:
        variables += _variable_names(cut.joint, cut.law)
        variable_rates += _rate_names(cut.joint, cut.law)
    neutral, layout_y = np.zeros(len(coordinates)), np.zeros(len(variables))
    for link in links:
        neutral[link.q] = link.law.neutral()
        seat = layout.seats.get(link.joint)
        layout_y[link.q] = seat.q if seat is not None else Free().recover(layout.X_WB[link.body])
    for cut in cuts:
        layout_y[cut.y] = layout.seats[cut.joint].q
    points = tuple(Mark(p.name, carrier(p.body, p.name)) for p in m.points.values())
    frames = tuple(Mark(f.name, carrier(f.body, f.name)) for f in m.frames.values())
    slots = [(s.owner, s.law, s.q, s.v) for k in links for s in k.slots]
    slots += [(c.joint, c.law, c.y, c.w) for c in cuts]
    along = plain_places(slots)
    places = with_states(m, Places(m.owners, along, {p.name: i for i, p in enumerate(points)}, index))
    parameters = _parameters(m, layout, links, cuts)
    loads = plan_loads(m, places)
    parameters |= load_parameters(m, loads, layout, lambda name: float(layout_y[places.variable(name).y]))
    parameters |= state_numbers(m)
    return Plan(
        m.name, links, cuts, points, frames, tuple(coordinates), tuple(rates), tuple(variables), tuple(variable_rates),
        parameters, layout.X_WB[m.ground.name], neutral, layout_y, m.ground.name,
        tuple(layout.X_WB[b] for b in bodies), loads, _constraints(m),
        _distances(m, layout), plan_states(m, places), stations=tuple(stations),
    )  # fmt: skip


def _inner_slots(
    m: Mechanism, layout: Layout, bodies: Sequence[str], coordinates: list[str], rates: list[str]
) -> dict[str, tuple[tuple[Slot, ...], InnerLaw]]:
    """By body that owns coordinates, its slots, behind those of all joints of the tree, and its law in its frame."""
    found: dict[str, tuple[tuple[Slot, ...], InnerLaw]] = {}
    for body in bodies:
        own = [inner for inner in m.inner.values() if inner.body == body]
        if not own:
            continue
        slots: list[Slot] = []
        parts = [inner.law.seen_from(layout.X_WB[body]) for inner in own]
        for inner, law in zip(own, parts, strict=True):
            q = slice(len(coordinates), len(coordinates) + len(law.variables))
            v = slice(len(rates), len(rates) + law.freedom)
            slots.append(Slot(inner.name, law, q, v, "inner"))
            coordinates += _variable_names(inner.name, law)
            rates += _rate_names(inner.name, law)
        found[body] = tuple(slots), type(parts[0]).together(parts)
    return found


def _cuts(m: Mechanism, graph: Topology, carrier: Callable[[str, str], int], nq: int, nv: int) -> tuple[CutPlan, ...]:
    cuts = []
    for name in graph.chords:
        joint = m.joints[name]
        y, w = slice(nq, nq + len(joint.law.variables)), slice(nv, nv + joint.law.freedom)
        tail, head = carrier(joint.tail, f"{name}.tail"), carrier(joint.head, f"{name}.head")
        cuts.append(CutPlan(name, joint.law, tail, head, y, w))
        nq, nv = y.stop, w.stop
    return tuple(cuts)


def _constraints(m: Mechanism) -> tuple[ConstraintPlan, ...]:
    given = sorted(m.constraints.values(), key=lambda c: c.of_rates)
    return tuple(ConstraintPlan(c.name, c.expression, tuple(c.parameters), c.of_rates) for c in given)


def _variable_names(joint: str, law: Law) -> list[str]:
    return [f"{joint}.{v.name}" for v in law.variables]


def _rate_names(joint: str, law: Law) -> list[str]:
    return [f"{joint}.{r}" for r in (law.rates or [v.name for v in law.variables])]


def _hangs_by(graph: Topology, body: str, joint: str) -> bool:
    parent = graph.parent.get(body)
    return parent is not None and parent.joint == joint


# ---------------------------------------------------------------- parameters: what users name


def _parameters(m: Mechanism, layout: Layout, links: Sequence[LinkPlan], cuts: Sequence[CutPlan]) -> dict[str, float]:
    """Every number of the model by name, SI."""
    p: dict[str, float] = {f"gravity.{c}": float(g) for c, g in zip("xyz", m.gravity, strict=True)}
    for link in links:
        mass = layout.masses.get(link.body)
        values = (0.0, np.zeros(3), np.zeros((3, 3))) if mass is None else (mass.mass, mass.com, mass.inertia)
        p[f"{link.body}.mass"] = float(values[0])
        p |= {f"{link.body}.com.{c}": float(x) for c, x in zip("xyz", values[1], strict=True)}
        p |= {f"{link.body}.inertia.{ij}": float(values[2]["xyz".index(ij[0]), "xyz".index(ij[1])]) for ij in SIX}
    for joint, law in [(k.joint, k.law) for k in links if not k.implied] + [(c.joint, c.law) for c in cuts]:
        seat = layout.seats[joint]
        for side, X in (("tail", seat.X_TF), ("head", seat.X_HM)):
            p |= _pose_parameters(f"{joint}.{side}", X)
        p |= {f"{joint}.{name}": value for name, value in law_parameters(law).items()}
    for slot in (slot for link in links for slot in link.own):
        p |= {f"{slot.owner}.{name}": value for name, value in law_parameters(slot.law).items()}
    for name, point in m.points.items():
        at = geo.transform_points(geo.inverse(layout.X_WB[point.body]), layout.points[name])
        p |= {f"{name}.at.{c}": float(x) for c, x in zip("xyz", at, strict=True)}
    for name, frame in m.frames.items():
        p |= _pose_parameters(name, geo.inverse(layout.X_WB[frame.body]) @ layout.frames[name])
    for constraint in m.constraints.values():
        p |= {f"{constraint.name}.{key}": float(value) for key, value in constraint.parameters.items()}
    return p


def _distances(m: Mechanism, layout: Layout) -> dict[str, float]:
    """The layout is entered in world coordinates, whose rounding grows with the distance from the origin."""

    def far(p: Array) -> float:
        return float(np.abs(p).max(initial=0.0))

    found = {body: far(X[:3, 3]) for body, X in layout.X_WB.items()}
    for name, seat in layout.seats.items():
        found[f"{name}.tail"] = max(far(seat.X_WF[:3, 3]), found.get(m.joints[name].tail, 0.0))
        found[f"{name}.head"] = max(far(seat.X_WM[:3, 3]), found.get(m.joints[name].head, 0.0))
    found |= {name: max(far(p), found.get(m.points[name].body, 0.0)) for name, p in layout.points.items()}
    return found | {name: max(far(X[:3, 3]), found.get(m.frames[name].body, 0.0)) for name, X in layout.frames.items()}


def rounded_parameters(plan: Plan, values: Mapping[str, Any]) -> dict[str, Rounded]:
    """Parameters with the rounding that they may carry: of their own digits, and of the layout they come from."""
    errors: dict[str, Any] = {}
    for name, value in values.items():
        prefix, _, _ = name.rpartition(".")
        group, _, kind = prefix.rpartition(".")
        if kind in AXES:
            errors[name] = EPSILON
        elif kind == "inertia":
            trace = [magnitude(values[f"{prefix}.{ii}"]) for ii in ("xx", "yy", "zz")]
            errors[name] = EPSILON * (trace[0] + trace[1] + trace[2])
        elif kind in ("at", "com") or prefix == "gravity":
            x, y, z = (magnitude(values[f"{prefix}.{c}"]) for c in "xyz")
            errors[name] = EPSILON * (x + y + z + plan.distances.get(group, 0.0))
        else:
            errors[name] = EPSILON * magnitude(value)
    return {name: Rounded(value, errors[name]) for name, value in values.items()}


def _pose_parameters(prefix: str, X: Array) -> dict[str, float]:
    at = {f"{prefix}.at.{c}": float(x) for c, x in zip("xyz", X[:3, 3], strict=True)}
    return at | {f"{prefix}.{a}.{c}": float(X[i, j]) for j, a in enumerate(AXES) for i, c in enumerate("xyz")}


# ---------------------------------------------------------------- constants: what the equations use


@dataclass(frozen=True)
class Pose:
    """Pose of a frame: columns of R are its axes, p its origin."""

    R: Matrix
    p: Vector

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(multiply(self.R, other.R), add(self.p, apply(self.R, other.p)))

    def inverse(self) -> Pose:
        """The pose seen from the other side."""
        Rt = transpose(self.R)
        return Pose(Rt, neg(apply(Rt, self.p)))


HERE = Pose(IDENTITY, ZERO)


@dataclass(frozen=True)
class Moments:
    """Mass moments of a body about a frame: mass, first moments h = ∫ r dm, second moments J = ∫ r rᵀ dm.

    J is the pseudo-inertia; the inertia tensor is tr(J) 1 - J. Moments of several bodies add, and move like points.
    """

    m: Any
    h: Vector
    J: Matrix

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.m + other.m, add(self.h, other.h), plus(self.J, other.J))

    def moved(self, X: Pose) -> Moments:
        """The same masses about the frame in which theirs has the pose X.

        J' = R J Rᵀ + (R h) pᵀ + p (R h)ᵀ + m p pᵀ
        """
        Rh, RJ, p = apply(X.R, self.h), congruence(X.R, self.J), X.p
        mp = scale(self.m, p)
        h = add(Rh, mp)
        return Moments(self.m, h, symmetric(lambda i, j: RJ[i][j] + (Rh[i] * p[j] + p[i] * h[j])))

    def inertia(self) -> Matrix:
        """tr(J) 1 - J."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.J
        return ((yy + zz, -xy, -xz), (-xy, xx + zz, -yz), (-xz, -yz, xx + yy))


NO_MASS = Moments(0.0, ZERO, NOTHING)


@dataclass(frozen=True)
class LinkConstants:
    """Fixed pose of the joint's inner frame in the parent link, the law's numbers, mass moments, own frame in L.

    own : of a body with coordinates of its own, whose L is its own frame
    """

    inner: Pose
    law: tuple[Any, ...]
    moments: Moments
    body: Pose
    own: tuple[InnerConstants, ...] = ()


@dataclass(frozen=True)
class InnerConstants:
    """Of a body with coordinates of its own: where its joint sits, numbers of its law, moments of its fields."""

    outer: Pose
    law: tuple[Any, ...]
    fields: FieldMoments


@dataclass(frozen=True)
class CutConstants:
    """Joint frames of a cut joint in the links of its two bodies, and the law's numbers."""

    tail: Pose
    head: Pose
    law: tuple[Any, ...]


@dataclass(frozen=True)
class Constants:
    """All constants of a tree; points and frames are in the frames of their links."""

    gravity: Vector
    links: tuple[LinkConstants, ...]
    cuts: tuple[CutConstants, ...]
    points: tuple[Vector, ...]
    frames: tuple[Pose, ...]
    loads: tuple[LoadConstants, ...]
    constraints: tuple[tuple[Any, ...], ...]
    states: tuple[tuple[Any, ...], ...] = ()
    stations: tuple[Pose, ...] = ()
    """Poses of stations in the undeformed bodies."""


def constants(plan: Plan, parameters: Mapping[str, Any], regrouped: bool) -> Constants:
    """Constants of a tree from its parameters (numbers, arrays or expressions).

    regrouped : move mass moments that a joint cannot feel to the body before it (base parameters); joint forces, mass
        matrix and accelerations stay the same, but joint reactions and energies are then no longer those of the bodies
    """
    X_WG = number_pose(plan.X_WG)
    own: list[Pose] = []  # the body's frame in the link frame
    links: list[LinkConstants] = []
    for link in plan.links:
        before = own[link.parent] if link.parent >= 0 else X_WG
        if link.implied:
            moments = _moments(parameters, link.body, HERE)
            links.append(LinkConstants(HERE, (), moments, HERE, _inner_constants(link, parameters, moments, HERE)))
            own.append(HERE)
            continue
        tail, head = (_pose(parameters, f"{link.joint}.{side}") for side in ("tail", "head"))
        inner, outer_ = (tail, head) if link.sign > 0 else (head, tail)
        if link.inner is not None:
            law = tuple(parameters[f"{link.joint}.{name}"] for name in law_parameters(link.law))
            moments = _moments(parameters, link.body, HERE)
            own_part = _inner_constants(link, parameters, moments, outer_)
            links.append(LinkConstants(before @ inner, law, moments, HERE, own_part))
            own.append(HERE)
            continue
        own.append(outer_.inverse())
        law = tuple(parameters[f"{link.joint}.{name}"] for name in law_parameters(link.law))
        links.append(LinkConstants(before @ inner, law, _moments(parameters, link.body, own[-1]), own[-1]))
    stations = tuple(_station_pose(plan, station, parameters) for station in plan.stations)
    carrier: Callable[[int], Pose] = lambda i: own[i] if i >= 0 else X_WG  # noqa: E731
    count = len(plan.links)

    def seated(i: int, name: str) -> Pose:
        """Pose of a frame in its link; a station is that frame itself."""
        return carrier(i) @ _pose(parameters, name) if i < count else HERE

    cuts = []
    for cut in plan.cuts:
        tail, head = seated(cut.tail, f"{cut.joint}.tail"), seated(cut.head, f"{cut.joint}.head")
        law = tuple(parameters[f"{cut.joint}.{name}"] for name in law_parameters(cut.law))
        cuts.append(CutConstants(tail, head, law))
    points = []
    for mark in plan.points:
        if mark.link >= count:
            points.append(ZERO)
            continue
        X = carrier(mark.link)
        points.append(add(X.p, apply(X.R, _vector(parameters, f"{mark.name}.at"))))
    frames = [seated(mark.link, mark.name) for mark in plan.frames]
    laid = [number_pose(X) for X in plan.layout_poses]
    into_link: Callable[[int, Vector], Vector] = lambda i, d: (  # noqa: E731
        apply(own[i].R, apply_t(laid[i].R, d)) if i >= 0 else d
    )
    loads = [load_constants(load, parameters, into_link) for load in plan.loads]
    gravity = _vector(parameters, "gravity")
    numbers = tuple(tuple(parameters[f"{c.name}.{key}"] for key in c.parameters) for c in plan.constraints)
    marks = tuple(points), tuple(frames)
    own_states = state_constants(plan.states, parameters)
    found = Constants(gravity, tuple(links), tuple(cuts), *marks, tuple(loads), numbers, own_states, stations)
    return with_masses_regrouped(plan, found) if regrouped else found


def with_masses_regrouped(plan: Plan, found: Constants) -> Constants:
    """The same constants with mass moments moved to where joints feel them."""
    return replace(found, links=tuple(_regroup(plan, found.links)))


def _inner_constants(
    link: LinkPlan, parameters: Mapping[str, Any], moments: Moments, outer: Pose
) -> tuple[InnerConstants, ...]:
    """Of a body with coordinates of its own; nothing of another."""
    if link.inner is None:
        return ()
    numbers = tuple(parameters[f"{slot.owner}.{name}"] for slot in link.own for name in law_parameters(slot.law))
    law = link.inner.with_numbers(dict(zip(law_parameters(link.inner), numbers, strict=True)))
    assert isinstance(law, InnerLaw)
    return (InnerConstants(outer, numbers, law.matter(moments.m, moments.h, moments.J)),)


def _station_pose(plan: Plan, station: StationPlan, parameters: Mapping[str, Any]) -> Pose:
    """Pose in the undeformed body; a point has the axes of its body."""
    if any(mark.name == station.name for mark in plan.points):
        return Pose(IDENTITY, _vector(parameters, f"{station.name}.at"))
    return _pose(parameters, station.name)


def _vector(parameters: Mapping[str, Any], prefix: str) -> Vector:
    return (parameters[f"{prefix}.x"], parameters[f"{prefix}.y"], parameters[f"{prefix}.z"])


def _pose(parameters: Mapping[str, Any], prefix: str) -> Pose:
    u, v, w = (_vector(parameters, f"{prefix}.{axis}") for axis in AXES)
    return Pose(transpose((u, v, w)), _vector(parameters, f"{prefix}.at"))


def number_pose(X: Array) -> Pose:
    """A pose of numbers from a 4 x 4 matrix."""
    R = tuple(tuple(float(x) for x in row) for row in X[:3, :3])
    return Pose(R, tuple(float(x) for x in X[:3, 3]))  # type: ignore[arg-type]


def _moments(parameters: Mapping[str, Any], body: str, X: Pose) -> Moments:
    """Moments about the frame in which the body's own has the pose X; J = ½ tr(I) 1 - I at the centre of mass.

    The centre of mass is moved first: a body far from its own origin would lose the digits of its inertia there.
    """
    m, com = parameters[f"{body}.mass"], add(X.p, apply(X.R, _vector(parameters, f"{body}.com")))
    xx, yy, zz, xy, xz, yz = (parameters[f"{body}.inertia.{ij}"] for ij in SIX)
    half = 0.5 * (xx + yy + zz)
    J = ((half - xx, -xy, -xz), (-xy, half - yy, -yz), (-xz, -yz, half - zz))
    h = scale(m, com)
    return Moments(m, h, plus(congruence(X.R, J), outer(h, com)))


def _regroup(plan: Plan, links: Sequence[LinkConstants]) -> list[LinkConstants]:
    """Move to each parent what the joint cannot feel, from the leaves inward (Khalil and Kleinfinger 1987).

    Masses on the axis of a revolute joint stand still in the parent; so do all masses of a rigid one, a mass at the
    centre of a ball, and second moments of a body that only slides.
    """
    grouped = [link.moments for link in links]
    for i in reversed(range(len(links))):
        parent = plan.links[i].parent
        if links[i].own or (parent >= 0 and links[parent].own):  # what moves by more than its joint feels all
            continue
        kept, moved = _felt(plan.links[i].law.feels, grouped[i])
        grouped[i] = kept
        if parent >= 0 and moved is not NO_MASS:
            grouped[parent] = grouped[parent] + moved.moved(links[i].inner)
    return [
        LinkConstants(link.inner, link.law, moments, link.body, link.own)
        for link, moments in zip(links, grouped, strict=True)
    ]


def _felt(feels: str, own: Moments) -> tuple[Moments, Moments]:
    """Moments that a joint feels, and those that it does not."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = own.J
    flat = ((xx, xy, xz), (xy, yy, yz), (xz, yz, 0.0))
    along: Matrix = (ZERO, ZERO, (0.0, 0.0, zz))
    if feels == "nothing":
        return NO_MASS, own
    if feels == "turn":
        on_axis = Moments(own.m, (0.0, 0.0, own.h[2]), along)
        return Moments(0.0, (own.h[0], own.h[1], 0.0), flat), on_axis
    if feels == "turn and slide":
        return Moments(own.m, own.h, flat), Moments(0.0, ZERO, along)
    if feels == "slide":
        return Moments(own.m, own.h, NOTHING), Moments(0.0, ZERO, own.J)
    if feels == "turns about a point":
        return Moments(0.0, own.h, own.J), Moments(own.m, ZERO, NOTHING)
    return own, NO_MASS
