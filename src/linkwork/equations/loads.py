"""What loads do to a machine: forces and moments on links, forces along joint variables, their power and energy.

The rule of each kind stands in `load_kinds/`; here is the state that it sees and what it puts on. A spring of no length
has no direction and pulls nowhere.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from linkwork.algebra import ca
from linkwork.equations.formula_jumps import Switched, arguments_function, forced_function
from linkwork.equations.inverse_dynamics import Applied
from linkwork.equations.kinematics import WORLD, Twist, link_poses, link_twists
from linkwork.equations.load_kinds.friction import FrictionPlan
from linkwork.equations.load_kinds.gravity import FieldPlan
from linkwork.equations.load_kinds.motor import MOTOR_SPEED as MOTOR_SPEED
from linkwork.equations.load_kinds.plans import SIZE, Along, AmountPlan, DirectionPlan, Done, LoadConstants, Stretch
from linkwork.equations.plan import Pose
from linkwork.equations.scalars import replay
from linkwork.equations.tree import Tree
from linkwork.equations.vectors import ZERO, Vector, add, apply, apply_t, cross, dot, is_zero, neg, scale, sub
from linkwork.model.amount_values import evaluate
from linkwork.model.amounts import Formula, Tabulated

TINY = 1e-28
"""Added under the root of a length [m²], so that none but rounding gives no direction instead of any."""


@dataclass(frozen=True)
class Loaded:
    """All loads at a state.

    magnitudes, powers : by load, in the order of the plan; the power is what it puts into the machine [W]
    potential : energy of the springs' linear part [J]; storing : its rate [W]
    """

    applied: Applied
    magnitudes: tuple[Any, ...]
    powers: tuple[Any, ...]
    potential: Any
    storing: Any


@dataclass(frozen=True)
class Modes:
    """How loads act where that is not a matter of the state alone.

    slip : by exact friction of the plan, the way it slips: 1, -1, or 0 where it sticks; where it holds beside others
        that part of the level; without, the sign of the rate
    switch : by load of the plan, a factor; switched : names of the loads that have one
    states : values of all named states; without, those of the start
    sides : by switch of the formulas that jump, its side (`formula_jumps`); without, formulas are as they stand
    """

    slip: Sequence[Any] | None = None
    switch: Sequence[Any] | None = None
    switched: frozenset[str] = frozenset()
    states: Sequence[Any] | None = None
    sides: Sequence[Any] | None = None


PLAIN = Modes()


def applied_loads(tree: Tree, t: Any, y: Sequence[Any], w: Sequence[Any], modes: Modes = PLAIN) -> Loaded:
    """What acts at time t, variables y and rates w of all joints."""
    plans, state = tree.plan.loads, _State(tree, t, y, w, modes)
    jumping = {own.place: own for own in tree.plan.switched if own.kind == "load"}
    done = []
    for k, (plan, given) in enumerate(zip(plans, tree.loads, strict=True)):
        state.jumping = jumping.get(k)
        state.own = plan.named(given)
        state.factor = modes.switch[k] if modes.switch is not None and plan.name in modes.switched else None
        done.append(plan.act(state, given))
    applied = Applied(state.forces, state.moments, state.along, state.rotors)
    magnitudes, powers = tuple(d.magnitude for d in done), tuple(d.power for d in done)
    return Loaded(applied, magnitudes, powers, state.potential, state.storing)


def switching_arguments(
    tree: Tree, t: Any, y: Sequence[Any], w: Sequence[Any], states: Sequence[Any] | None
) -> list[Any]:
    """What decides the jumps of all formulas, by switch."""
    state = _State(tree, t, y, w, Modes(states=states))
    state.deciding = []
    for own in tree.plan.switched:
        if own.kind == "load":
            plan = tree.plan.loads[own.place]
            state.jumping, state.own = own, plan.named(tree.loads[own.place])
            plan.act(state, tree.loads[own.place])
        else:
            named = {"t": [t], "y": y, "w": w, **state.named}
            sources = tree.plan.states[own.place].law.sources
            state.deciding += replay(arguments_function(own.law), [[named[kind][k] for kind, k in sources]])[0]
    return state.deciding


def field_loads(tree: Tree, t: Any) -> Applied:
    """What the laws of gravity add at time t, alone."""
    plan = tree.plan
    state = _State(tree, t, [0.0] * plan.ny, [0.0] * plan.nw)
    for load, given in zip(plan.loads, tree.loads, strict=True):
        if isinstance(load, FieldPlan):
            state.own = load.named(given)
            load.act(state, given)
    return Applied(state.forces, state.moments, state.along, {})


def with_external(tree: Tree, applied: Applied, external: Sequence[Any]) -> Applied:
    """The same with a force and a moment on every body: about its own origin, along the world's axes."""
    forces, moments = dict(applied.forces), dict(applied.moments)
    for i, (link, X) in enumerate(zip(tree.bodies, link_poses(tree), strict=False)):
        six = external[6 * i : 6 * i + 6]
        f, n = apply_t(X.R, six[:3]), apply_t(X.R, six[3:])
        forces[i] = add(forces.get(i, ZERO), f)
        moments[i] = add(moments.get(i, ZERO), add(n, cross(link.own.p, f)))
    return replace(applied, forces=forces, moments=moments)


def rotor_inertias(tree: Tree) -> dict[int, Any]:
    """Inertias of rotors by the rate that they resist."""
    found: dict[int, Any] = {}
    for plan, given in zip(tree.plan.loads, tree.loads, strict=True):
        if plan.carries and plan.acts_along is not None and not is_zero(total := plan.rotor(given)):
            found[plan.acts_along.w] = found.get(plan.acts_along.w, 0.0) + total
    return found


class _State:
    """A state of the machine, and what has been put on it so far."""

    def __init__(self, tree: Tree, t: Any, y: Sequence[Any], w: Sequence[Any], modes: Modes = PLAIN) -> None:
        self.tree, self.t, self.y, self.w = tree, t, y, w
        self.factor: Any = None
        """Of the load that is at work, where it is switched."""
        self.slips = iter(modes.slip) if modes.slip is not None else None
        self.sides = modes.sides
        self.jumping: Switched | None = None
        """The formula of the load that is at work, if it jumps."""
        self.deciding: list[Any] | None = None
        """What decides jumps, where that is asked for."""
        self.own: Mapping[str, Any] = {}
        """Numbers of the load that is at work, by name."""
        self.named = state_arguments(tree, modes.states)
        self.forces: dict[int, Vector] = {}
        self.moments: dict[int, Vector] = {}
        self.along: dict[int, Any] = {}
        self.rotors = rotor_inertias(tree)
        self.potential: Any = 0.0
        self.storing: Any = 0.0

    @functools.cached_property
    def poses(self) -> list[Pose]:
        return link_poses(self.tree)

    @functools.cached_property
    def twists(self) -> list[Twist]:
        return link_twists(self.tree, self.poses, self.w[: self.tree.nv])

    def on(self, x: Any) -> Any:
        """What a load would do, as far as it is switched on."""
        return x if self.factor is None else self.factor * x

    def pose(self, link: int) -> Pose:
        return self.poses[link] if link >= 0 else WORLD

    def place(self, mark: int) -> tuple[Vector, Vector]:
        """Position and velocity of a mark in the world."""
        link, at = self.tree.plan.points[mark].link, self.tree.points[mark]
        if link < 0:
            return at, ZERO
        lever = apply(self.poses[link].R, at)
        v, w = self.twists[link]
        return add(self.poses[link].p, lever), add(v, cross(w, lever))

    def spin(self, link: int) -> Vector:
        """Angular velocity of a link in the world."""
        return self.twists[link][1] if link >= 0 else ZERO

    def push(self, mark: int, force: Vector) -> None:
        """A force on a mark, along the world's axes."""
        link, at = self.tree.plan.points[mark].link, self.tree.points[mark]
        if link >= 0:
            f = apply_t(self.poses[link].R, force)
            self.forces[link] = add(self.forces.get(link, ZERO), f)
            self.turn(link, cross(at, f))

    def turn(self, link: int, moment: Vector) -> None:
        """A moment on a link, along its own axes."""
        if link >= 0:
            self.moments[link] = add(self.moments.get(link, ZERO), moment)

    def slip(self) -> Any:
        """The way in which the next exact friction slips; None where the sign of the rate tells."""
        return None if self.slips is None else next(self.slips)

    def stretched(self, what: Stretch) -> tuple[Any, Any, Vector]:
        """A variable or a distance, its rate, and the direction from the first point to the second."""
        if what.along is not None:
            return self.y[what.along.y], self.w[what.along.w], ZERO
        (p1, v1), (p2, v2) = self.place(what.first), self.place(what.second)
        direction, long = _unit(sub(p2, p1))
        return long, dot(direction, sub(v2, v1)), direction

    def pull(self, what: Stretch, tension: Any, direction: Vector) -> None:
        """A tension that shortens a distance, or lowers a variable."""
        if what.along is not None:
            self.work(what.along, -tension)
        else:
            self.push(what.first, scale(tension, direction))
            self.push(what.second, neg(scale(tension, direction)))

    def store(self, energy: Any, rate: Any) -> None:
        """Energy that a load keeps [J], and how it grows [W]."""
        self.potential = self.potential + energy
        self.storing = self.storing + rate

    def work(self, along: Along, force: Any) -> Done:
        """A force along a variable."""
        self.along[along.w] = self.along.get(along.w, 0.0) + force
        return Done(force, force * self.w[along.w])

    def direction(self, plan: DirectionPlan, given: Vector) -> Vector:
        """A unit direction in the world."""
        if plan.between:
            return _unit(sub(self.place(plan.end)[0], self.place(plan.start)[0]))[0]
        return apply(self.pose(plan.link).R, given)

    def amount(self, plan: AmountPlan, steady: Any, x: Any = 0.0, v: Any = 0.0) -> Any:
        """The value of an amount."""
        if plan.law is None:
            return steady
        named = {"t": [self.t], "y": self.y, "w": self.w, "x": [x], "v": [v], **self.named}
        named["size"] = [self.own[f"{SIZE}{name}"] for name in plan.sizes]
        if self.jumping is not None and self.deciding is not None:
            given = [named[kind][k] for kind, k in plan.sources]
            self.deciding += replay(arguments_function(self.jumping.law), [given])[0]
        return amount_value(plan, named, self.jumping, self.sides)


def amount_value(
    plan: AmountPlan,
    own: Mapping[str, Sequence[Any]],
    jumping: Switched | None = None,
    sides: Sequence[Any] | None = None,
) -> Any:
    """The value of a formula or table from everything that it may name, by kind of source.

    jumping, sides : if it is a formula that jumps, and where sides are given: on which side its switches are
    """
    assert plan.law is not None
    given = [own[kind][k] for kind, k in plan.sources]
    if jumping is not None and sides is not None:
        return replay(forced_function(jumping.law), [given, sides[jumping.switches]])[0][0]
    return replay(_amount(plan.law), [given])[0][0]


def state_arguments(tree: Tree, states: Sequence[Any] | None) -> dict[str, Sequence[Any]]:
    """Values of named states and their numbers, as sources of amounts; without values, those of the start."""
    return {
        "state": [own[0] for own in tree.states] if states is None else states,
        "number": [x for own in tree.states for x in own],
    }


def _unit(d: Vector) -> tuple[Vector, Any]:
    """Direction and length."""
    (length,) = replay(_root(), [[dot(d, d)]])[0]
    return scale(1.0 / length, d), length


@functools.cache
def _root() -> ca.Function:
    x = ca.SX.sym("x")
    return ca.Function("root", [x], [ca.sqrt(x + TINY)])


@functools.lru_cache(maxsize=256)
def _amount(law: Formula | Tabulated) -> ca.Function:
    x = ca.SX.sym("x", len(law.names))
    parts = ca.vertsplit(x) if law.names else []
    value = evaluate(law, dict(zip(law.names, parts, strict=True)))
    return ca.Function("amount", [x], [ca.densify(ca.SX(value))])


def friction_levels(
    tree: Tree,
    t: Any,
    y: Sequence[Any],
    w: Sequence[Any],
    plan: FrictionPlan,
    given: LoadConstants,
    states: Sequence[Any] | None = None,
) -> tuple[Any, Any]:
    """Dry friction against motion forward and backward at a state."""
    state = _State(tree, t, y, w, Modes(states=states))
    state.own = plan.named(given)
    return plan.levels(state, state.own)
