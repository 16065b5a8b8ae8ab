"""Random closed mechanisms of every joint kind, and their loop equations worked out a second time with numpy.

A model is entered in one posture, in world coordinates, so any graph of bodies and joints closes there. A `Recipe`
keeps what was drawn, so that one machine can be made in many sizes and places. `ByHand` has poses, misfits and
Jacobians of its own, from the laws of the joints alone: its own tree, world axes, and walks along curves of closed
postures.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import qr

import linkwork as lw
from linkwork import geometry as geo
from linkwork.model.curves import Curve, ExpressionCurve, FourierCurve, SplineCurve
from linkwork.model.joints import Gear, Helical, Law, LineOnCurve, OnCurve, OnSurface, PointOnCurve, Rack, transform
from linkwork.model.layout import lay_out
from linkwork.model.placement import Placement
from linkwork.model.space_curves import InPlane, SplinePath
from linkwork.model.surfaces import Height

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("model", "equations")]
from laws import CASES, Case, Random, quaternion  # noqa: E402

Array = np.ndarray
BY_NAME: dict[str, Case] = {case.name: case for case in CASES}
KINDS = tuple(BY_NAME)
CORNERS = ("ramp", "ring3", "slot3", "rail")
"""Curves with jumps in their second or third derivatives."""
CONTACTS = tuple(n for n, c in BY_NAME.items() if c.law.kind in ("on_surface", "on_curve") and not n.endswith(CORNERS))
"""Joints of many freedoms: with several of them the freedoms of a general machine do not add up."""
SMOOTH = tuple(name for name in KINDS if not name.endswith(CORNERS) and name not in CONTACTS)
ONE = ("revolute", "prismatic", "helical", "helical_left")


def magnified(law: Law, scale: float) -> Law:
    """The same law for a machine of another size."""
    if isinstance(law, Gear):
        return dataclasses.replace(law, radius=law.radius * scale, mate=law.mate * scale)
    if isinstance(law, Rack):
        return dataclasses.replace(law, radius=law.radius * scale)
    if isinstance(law, Helical):
        return dataclasses.replace(law, lead=law.lead * scale)
    if isinstance(law, PointOnCurve | LineOnCurve):
        return dataclasses.replace(law, curve=_magnified_curve(law.curve, scale))
    if isinstance(law, OnSurface):
        return OnSurface(_magnified_shape(law.surface, scale))
    if isinstance(law, OnCurve):
        return OnCurve(_magnified_shape(law.curve, scale))
    return law


def _magnified_shape(shape: Any, scale: float) -> Any:
    """A surface or a curve in space, larger: its lengths, and the ranges that are lengths."""
    if isinstance(shape, InPlane):
        return InPlane(_magnified_curve(shape.curve, scale))
    if isinstance(shape, SplinePath):
        return dataclasses.replace(shape, points=tuple(tuple(c * scale for c in p) for p in shape.points))
    names = [f.name for f in dataclasses.fields(shape) if f.name in ("radius", "tube", "lead", "unit")]
    lengths = {n: getattr(shape, n) * scale for n in names}
    if isinstance(shape, Height):
        lengths |= {"x": tuple(x * scale for x in shape.x), "y": tuple(y * scale for y in shape.y)}
    return dataclasses.replace(shape, **lengths)


def _magnified_curve(curve: Curve, scale: float) -> Curve:
    if isinstance(curve, ExpressionCurve):
        return dataclasses.replace(curve, unit=curve.unit * scale)
    if isinstance(curve, SplineCurve):
        return dataclasses.replace(curve, points=tuple((u * scale, v * scale) for u, v in curve.points))
    assert isinstance(curve, FourierCurve)
    numbers = {f.name: getattr(curve, f.name) for f in dataclasses.fields(curve) if f.init and f.name != "name"}
    larger = {k: tuple(c * scale for c in x) if isinstance(x, tuple) else x * scale for k, x in numbers.items()}
    return dataclasses.replace(curve, **larger)


@dataclass(frozen=True)
class Planned:
    """A joint of a recipe: its frame in the world and its layout value."""

    name: str
    law: Law
    tail: str
    head: str
    X_WF: Array
    value: tuple[float, ...]


@dataclass(frozen=True)
class Recipe:
    """A machine as it was drawn: bodies with their frames, joints, points with their bodies."""

    name: str
    bodies: tuple[tuple[str, Array], ...]
    joints: tuple[Planned, ...]
    points: tuple[tuple[str, str, Array], ...] = ()
    floating: bool = False

    def mechanism(self, scale: float = 1.0, X: Array | None = None) -> lw.Mechanism:
        """The machine `scale` times as large, moved as a whole by X."""
        moved = np.eye(4) if X is None else X

        def placed(X_W: Array) -> Placement:
            at = moved @ geo.pose(X_W[:3, :3], scale * X_W[:3, 3])
            return lw.placement(at[:3, 3], matrix=at[:3, :3])

        m = lw.Mechanism(self.name, floating=self.floating)
        for name, X_WB in self.bodies:
            m.body(name, frame=placed(X_WB))
        for j in self.joints:
            lengths = [scale if v.dimension == "length" else 1.0 for v in j.law.variables]
            value = [x * s for x, s in zip(j.value, lengths, strict=True)]
            m.joint(j.name, magnified(j.law, scale), j.tail, j.head, frame=placed(j.X_WF), value=value or None)
        for name, body, p in self.points:
            m.point(name, body, geo.transform_points(moved, scale * p))
        return m

    @property
    def freedoms(self) -> int:
        """Sum over all joints."""
        return sum(j.law.freedom for j in self.joints)

    @property
    def loops(self) -> int:
        """Independent loops."""
        return len(self.hand.chords)

    @cached_property
    def hand(self) -> ByHand:
        """Its equations by numpy."""
        return ByHand(self.mechanism())


def some_pose(rng: Random, spread: float = 1.0) -> Array:
    """A frame anywhere in a cube, turned at will."""
    return geo.pose(geo.from_quaternion(quaternion(rng)), rng.uniform(-spread, spread, 3))


def _drawn(
    name: str, rng: Random, graph: Sequence[tuple[str, str]], kinds: Sequence[str], floating: bool = False
) -> Recipe:
    """Joints of given kinds along the edges of a graph, anywhere, declared in either direction."""
    joints = []
    for k, ((a, b), kind) in enumerate(zip(graph, kinds, strict=True)):
        tail, head = (a, b) if rng.random() < 0.5 else (b, a)
        case = BY_NAME[kind]
        joints.append(Planned(f"J{k}", case.law, tail, head, some_pose(rng), tuple(case.draw(rng))))
    names = [n for n in dict.fromkeys(n for edge in graph for n in edge) if n != "ground"]
    bodies = tuple((n, some_pose(rng)) for n in names)
    points = tuple((f"P{n}", n, rng.uniform(-1.0, 1.0, 3)) for n in names[-2:])
    return Recipe(name, bodies, tuple(joints), points, floating)


def single_loop(seed: int, first: str, mobility: int = 1, kinds: Sequence[str] = SMOOTH) -> Recipe:
    """One general spatial loop with a joint J0 of a given kind; the freedoms add up to 6 + mobility."""
    for attempt in range(200):
        rng = np.random.default_rng([seed, attempt])
        chosen = [first]
        while sum(BY_NAME[k].law.freedom for k in chosen) < 6 + mobility:
            chosen.append(str(rng.choice(list(kinds))))
        if sum(BY_NAME[k].law.freedom for k in chosen) != 6 + mobility or len(chosen) < 3:
            continue
        bodies = ["ground", *(f"b{k}" for k in range(len(chosen) - 1))]
        graph = list(zip(bodies, [*bodies[1:], bodies[0]], strict=True))
        recipe = _drawn(f"loop{seed}", rng, graph, chosen)
        if recipe.hand.is_sound(recipe.hand.layout):
            return recipe
    raise AssertionError(f"no sound loop with {first}")


def many_loops(
    seed: int, loops: int, kinds: Sequence[str] = SMOOTH, *, mobility: int = 1, floating: bool = False
) -> Recipe:
    """A random graph with shared bodies and branches: `loops` loops, freedoms 6 loops + mobility."""
    for attempt in range(2000):
        rng = np.random.default_rng([seed, loops, attempt])
        count = int(rng.integers(loops + 1, 3 * loops + 2))
        chosen = [str(k) for k in rng.choice(list(kinds), count + loops)]
        wanted = 6 * loops + mobility - sum(BY_NAME[k].law.freedom for k in chosen)
        if not 0 <= wanted <= 4:
            continue
        for _ in range(wanted):  # joints with one freedom for what is missing
            chosen.append(str(rng.choice(ONE)))
        count += wanted
        names = [f"b{k}" for k in range(count + (1 if floating else 0))]
        known, graph = (["ground"], []) if not floating else ([names.pop(0)], [])
        for name in names:
            near = known[-3:] if rng.random() < 0.7 else known
            graph.append((str(rng.choice(near)), name))
            known.append(name)
        while len(graph) < len(chosen):
            degree = {n: sum(n in e for e in graph) for n in known}
            ends = [n for n in known if degree[n] == 1] if rng.random() < 0.8 else known
            a, b = str(rng.choice(ends or known)), str(rng.choice(known))
            if a != b:
                graph.append((a, b))
        graph = [graph[i] for i in rng.permutation(len(graph))]
        recipe = _drawn(f"loops{seed}", rng, graph, chosen, floating)
        hand = recipe.hand
        shortest = min((sum(hand.laws[j].freedom for j in loop) for loop in hand.cycles), default=0)
        if shortest >= 7 and hand.is_sound(hand.layout):
            return recipe
    raise AssertionError("no sound machine")


def planar_loops(seed: int, loops: int = 2) -> Recipe:
    """Pins and slides of one plane, turned anywhere in space: a chain of dyads on what there is, mobility 1."""
    rng = np.random.default_rng(seed)
    X = some_pose(rng)

    def at(p: Array, slide: float | None = None) -> Array:
        w = geo.pose(
            np.eye(3), [*p, rng.uniform(-0.2, 0.2)]
        )  # pins need not lie in one plane, only along one direction
        if slide is None:
            return X @ w @ geo.pose(geo.rot_z(rng.uniform(-3, 3)))
        return X @ w @ geo.pose(geo.rot_z(slide) @ geo.rot_y(np.pi / 2) @ geo.rot_z(rng.uniform(-3, 3)))

    bodies, joints = ["crank"], [("ground", "crank", "revolute", at(rng.uniform(-1, 1, 2)))]
    for k in range(loops):
        a, b = f"a{k}", f"c{k}"
        low, high = (str(n) for n in rng.choice(["ground", *bodies], 2, replace=False))
        kinds = [("revolute", "revolute", "revolute"), ("revolute", "revolute", "prismatic"),
                 ("revolute", "prismatic", "revolute")][rng.integers(3)]  # fmt: skip
        for kind, (tail, head) in zip(kinds, ((low, a), (a, b), (b, high)), strict=True):
            slide = None if kind == "revolute" else rng.uniform(-3, 3)
            joints.append((tail, head, kind, at(rng.uniform(-1, 1, 2), slide)))
        bodies += [a, b]
    made = tuple(
        Planned(f"J{k}", BY_NAME[kind].law, *((t, h) if rng.random() < 0.5 else (h, t)), F, (rng.uniform(-2, 2),))
        for k, (t, h, kind, F) in enumerate(joints)
    )
    points = ((f"P{bodies[-1]}", bodies[-1], rng.uniform(-1, 1, 3)),)
    return Recipe(f"planar{seed}", tuple((n, some_pose(rng)) for n in bodies), made, points)


def spherical_loops(seed: int, loops: int = 2) -> Recipe:
    """Pins through one point, mobility 1."""
    rng = np.random.default_rng(seed)
    centre = rng.uniform(-1, 1, 3)

    def at() -> Array:
        F = some_pose(rng)
        F[:3, 3] = centre + F[:3, :3] @ [0.0, 0.0, rng.uniform(0.2, 1.0)]
        return F

    bodies, joints = ["crank"], [("ground", "crank")]
    for k in range(loops):
        low, high = (str(n) for n in rng.choice(["ground", *bodies], 2, replace=False))
        joints += [(low, f"a{k}"), (f"a{k}", f"c{k}"), (f"c{k}", high)]
        bodies += [f"a{k}", f"c{k}"]
    law = BY_NAME["revolute"].law
    made = tuple(Planned(f"J{k}", law, t, h, at(), (rng.uniform(-2, 2),)) for k, (t, h) in enumerate(joints))
    points = ((f"P{bodies[-1]}", bodies[-1], rng.uniform(-1, 1, 3)),)
    return Recipe(f"spherical{seed}", tuple((n, some_pose(rng)) for n in bodies), made, points)


# ---------------------------------------------------------------- the equations a second time


class ByHand:
    """Loop equations from the laws of the joints: poses along a tree of its own, world twists about the middle.

    Postures are arrays of the variables of all joints in declared order; rates likewise. Lengths count in units of the
    machine's size. A floating assembly stays where its first body is in the layout.
    """

    def __init__(self, m: lw.Mechanism) -> None:
        layout = lay_out(m)
        assert not [p for p in layout.problems if p.severity == "error"], layout.problems
        self.m, self.seats, self.X_WB = m, layout.seats, layout.X_WB
        self.laws = {n: j.law for n, j in m.joints.items()}
        self.size = layout.size
        self.middle = np.mean([s.X_WF[:3, 3] for s in self.seats.values()], axis=0)
        self.q, self.v = _slices(self.laws, lambda law: len(law.variables)), _slices(self.laws, lambda law: law.freedom)
        self.nq, self.nv = (max(s.stop for s in x.values()) for x in (self.q, self.v))
        self.layout = np.concatenate([self.seats[n].q for n in self.laws])
        self.variables = [f"{n}.{v.name}" for n, law in self.laws.items() for v in law.variables]
        self.rates = [f"{n}.{r}" for n, law in self.laws.items() for r in law.rates or [v.name for v in law.variables]]
        plain = {n: [v.name[0] != "q" for v in law.variables] for n, law in self.laws.items()}
        self.plain = np.array([r in self.variables for r in self.rates])
        self.is_length = np.array(
            [
                k < sum(plain[n]) and self.laws[n].variables[k].dimension == "length"
                for n, law in self.laws.items()
                for k in range(law.freedom)
            ]
        )
        self.is_length |= np.array([r.split(".")[1] in ("vx", "vy", "vz") for r in self.rates])
        self.column_scale = np.where(self.is_length, self.size, 1.0)
        self._span()

    def _span(self) -> None:
        """A tree by breadth from ground (or the first body of an assembly): by body, the joints that lead to it."""
        self.path: dict[str, list[tuple[str, int]]] = {}
        self.tree: list[tuple[str, str, str, int]] = []
        left = dict.fromkeys(self.laws)
        for root in [self.m.ground.name, *self.m.bodies]:
            if root in self.path:
                continue
            self.path[root] = []
            grown = True
            while grown:
                grown = False
                for name in list(left):
                    j = self.m.joints[name]
                    ends = [(j.tail, j.head, 1), (j.head, j.tail, -1)]
                    for a, b, sign in ends:
                        if a in self.path and b not in self.path:
                            self.path[b] = [*self.path[a], (name, sign)]
                            self.tree.append((a, b, name, sign))
                            del left[name]
                            grown = True
                            break
        self.chords = list(left)

    @property
    def cycles(self) -> list[list[str]]:
        """Joints of the loop that each chord closes."""
        result = []
        for name in self.chords:
            j = self.m.joints[name]
            a, b = {n for n, _ in self.path[j.tail]}, {n for n, _ in self.path[j.head]}
            result.append([name, *(a ^ b)])
        return result

    # ---------------------------------------------------------------- postures

    def from_values(self, values: Mapping[str, float]) -> Array:
        """A posture from variables by name."""
        return np.array([values[n] for n in self.variables])

    def motions(self, y: Array) -> dict[str, Array]:
        """Pose of M in F of every joint."""
        return {n: transform(law, y[self.q[n]]) for n, law in self.laws.items()}

    def poses(self, y: Array) -> dict[str, Array]:
        """Poses of all bodies."""
        X, motions = dict(self.X_WB), self.motions(y)
        for a, b, name, sign in self.tree:
            seat = self.seats[name]
            if sign > 0:
                X[b] = X[a] @ seat.X_TF @ motions[name] @ geo.inverse(seat.X_HM)
            else:
                X[b] = X[a] @ seat.X_HM @ geo.inverse(motions[name]) @ geo.inverse(seat.X_TF)
        return X

    def misfits(self, y: Array, X: Mapping[str, Array]) -> Array:
        """By joint, how far its law is from the poses of its two bodies [rad or parts of the size]."""
        found = []
        for name, motion in self.motions(y).items():
            j, seat = self.m.joints[name], self.seats[name]
            X_FM = geo.inverse(X[j.tail] @ seat.X_TF) @ X[j.head] @ seat.X_HM
            # |R - R'| of the matrices is the angle for small ones, without the arc cosine's loss of digits.
            turn = np.abs(X_FM[:3, :3] - motion[:3, :3]).max()
            found.append(max(turn, np.abs(X_FM[:3, 3] - motion[:3, 3]).max() / self.size))
        return np.array(found)

    def twists(self, y: Array, X: Mapping[str, Array]) -> dict[str, Array]:
        """World twists [v; w] of the joints' freedoms about the middle, scaled."""
        found = {}
        for name, law in self.laws.items():
            X_WF = X[self.m.joints[name].tail] @ self.seats[name].X_TF
            X_CF = geo.pose(X_WF[:3, :3], X_WF[:3, 3] - self.middle)
            world = geo.adjoint(X_CF) @ law.twists(y[self.q[name]])
            world[:3] /= self.size
            found[name] = world * self.column_scale[self.v[name]]
        return found

    def jacobian(self, y: Array, X: Mapping[str, Array] | None = None) -> Array:
        """6 rows a chord: twist of its head less that of its tail less its own; scaled columns."""
        twists = self.twists(y, self.poses(y) if X is None else X)
        J = np.zeros((6 * len(self.chords), self.nv))
        for k, name in enumerate(self.chords):
            j, rows = self.m.joints[name], slice(6 * k, 6 * k + 6)
            for body, side in ((j.head, 1), (j.tail, -1)):
                for step, sign in self.path[body]:
                    J[rows, self.v[step]] += side * sign * twists[step]
            J[rows, self.v[name]] -= twists[name]
        return J

    def errors(self, y: Array, X: Mapping[str, Array]) -> Array:
        """Displacement twists from where the chords' laws want their heads to where they are."""
        e = []
        for name in self.chords:
            j, seat = self.m.joints[name], self.seats[name]
            want = X[j.tail] @ seat.X_TF @ transform(self.laws[name], y[self.q[name]])
            E = X[j.head] @ seat.X_HM @ geo.inverse(want)
            e += [*((E[:3, :3] @ self.middle + E[:3, 3] - self.middle) / self.size), *geo.to_rotvec(E[:3, :3])]
        return np.array(e)

    def advanced(self, y: Array, w: Array) -> Array:
        """Variables after scaled rates have acted for a unit of time."""
        moved, w = y.copy(), w * self.column_scale
        for name in self.laws:
            q, v = self.q[name], self.v[name]
            own, rate = y[q], w[v]
            plain = len(own) if len(own) == len(rate) else len(own) - 4
            moved[q.start : q.start + plain] += rate[:plain]
            if plain < len(own):
                axis = rate[plain:]
                half = np.linalg.norm(axis) / 2
                turn = np.array([np.cos(half), *(0.5 * np.sinc(half / np.pi) * axis)])
                turned = geo.quaternion_product(own[plain:], turn)
                moved[q.start + plain : q.stop] = turned / np.linalg.norm(turned)
        return moved

    # ---------------------------------------------------------------- how it moves

    def rank(self, y: Array, tolerance: float = 1e-9) -> int:
        """Number of independent loop equations."""
        s = np.linalg.svd(self.jacobian(y), compute_uv=False)
        return int((s > tolerance * s[0]).sum()) if s.size else 0

    def is_sound(self, y: Array) -> bool:
        """All equations independent, by a good margin, and something left to move."""
        J = self.jacobian(y)
        s = np.linalg.svd(J, compute_uv=False)
        return J.shape[0] < J.shape[1] and bool(s[-1] > 3e-2) and bool(s[0] < 300.0)

    def independent(self, y: Array, rng: Random) -> list[str]:
        """As many plain variables as there are freedoms, that determine all others well; picked at random."""
        J = self.jacobian(y)
        _, s, Vt = np.linalg.svd(J)
        null = Vt[int((s > 1e-9 * s[0]).sum()) :].T
        places = np.flatnonzero(self.plain)
        weight = rng.uniform(0.3, 1.0, len(places))
        _, R, order = qr((null[places] * weight[:, np.newaxis]).T, pivoting=True, mode="economic")
        count = null.shape[1]
        if count > len(places) or abs(R[count - 1, count - 1]) < 1e-3:
            return []
        return [self.rates[places[k]] for k in order[:count]]

    def corrected(self, y: Array, fixed: Array, rounds: int = 12) -> Array | None:
        """Newton's method with some columns fixed; least squares where rows are redundant."""
        for _ in range(rounds):
            X = self.poses(y)
            if not all(np.isfinite(x).all() for x in (*X.values(), *self.motions(y).values())):
                return None  # a law that has no value here: involutes that do not touch
            e = self.errors(y, X)
            J = self.jacobian(y, X)
            w = np.zeros(self.nv)
            w[~fixed] = np.linalg.lstsq(J[:, ~fixed], -e, rcond=1e-10)[0]
            if np.abs(w).max() > 0.3:
                return None
            y = self.advanced(y, w)
            if np.abs(w).max() < 1e-13 or np.abs(e).max() < 1e-14:
                break
        return y if np.abs(self.errors(y, self.poses(y))).max() < 1e-10 else None

    def traced(
        self, y: Array, driven: str, held: Sequence[str], target: float, step: float = 2e-3, most: int = 20000
    ) -> tuple[Array, float, str]:
        """Walk along the curve of closed postures, by its arc length, until a variable reaches a value or turns back.

        Returns the last posture, the extreme value of the variable, and how it ended: "reached", "turned", or "ended"
        where the curve itself does, because a law has no value further on.
        """
        u, place = self.rates.index(driven), self.variables.index(driven)
        fixed = np.isin(np.arange(self.nv), [self.rates.index(n) for n in held])
        tangent = self._tangent(y, fixed, None)
        tangent *= np.sign(tangent[u]) * np.sign(target - y[place]) or 1.0
        for _ in range(most):
            h = step
            while True:
                guess = self.advanced(y, h * tangent)
                pinned = fixed.copy()
                leader = int(np.argmax(np.where(fixed, 0.0, np.abs(tangent))))
                pinned[leader] = True
                found = self.corrected(guess, pinned)
                after = None if found is None else self._tangent(found, fixed, tangent)
                if after is not None and after @ tangent > 0.99:
                    break
                h *= 0.5
                if h < 1e-9:
                    return y, float(y[place]), "ended"
            if (found[place] - target) * (y[place] - target) <= 0.0:
                return found, target, "reached"
            if after[u] * tangent[u] < 0.0:
                part = tangent[u] / (tangent[u] - after[u])  # the turning point, by the secant
                return y, float(y[place] + 0.5 * part * h * tangent[u] * self.column_scale[u]), "turned"
            y, tangent = found, after
        raise AssertionError("the walk is too long")

    def _tangent(self, y: Array, fixed: Array, before: Array | None) -> Array:
        J = self.jacobian(y)[:, ~fixed]
        tangent = np.zeros(self.nv)
        tangent[~fixed] = np.linalg.svd(J)[2][-1]
        return tangent if before is None or tangent @ before >= 0.0 else -tangent


def _slices(laws: Mapping[str, Law], size: object) -> dict[str, slice]:
    result, start = {}, 0
    for name, law in laws.items():
        result[name] = slice(start, start + size(law))  # type: ignore[operator]
        start = result[name].stop
    return result


def reach(hand: ByHand, name: str, angle: float) -> float:
    """An angle for an angular variable, the same part of the machine's size for a length."""
    return angle * float(hand.column_scale[hand.rates.index(name)])
