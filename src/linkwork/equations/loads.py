"""What loads do to a machine: forces and moments on links, forces along joint variables, their power and energy.

    spring      tension = preload + k x + c x' + law(x, x', ...),   x = ℓ - ℓ0 or φ - φ0
    friction    -level sign(r) - viscous r,  sign smooth (tanh) or exact
    motor       rotor ratio² J on the rate, -(ratio² B r + |ratio| level sign(r))
    force       amount · unit direction at a point; torque likewise on a body

Uicker, Ravani, Sheth, Matrix Methods, sec. 9.6-9.11. A spring of no length has no direction and pulls nowhere.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import casadi as ca

from linkwork.equations.inverse_dynamics import Applied
from linkwork.equations.kinematics import WORLD, Twist, link_poses, link_twists
from linkwork.equations.load_plans import (
    Along,
    AmountPlan,
    DirectionPlan,
    FieldPlan,
    ForcePlan,
    FrictionPlan,
    LoadConstants,
    LoadPlan,
    MotorPlan,
    PushPlan,
    SpringPlan,
    TorquePlan,
)
from linkwork.equations.plan import Pose
from linkwork.equations.scalars import replay
from linkwork.equations.switching import Switched, arguments_function, forced_function
from linkwork.equations.tree import Tree
from linkwork.equations.vectors import ZERO, Vector, add, apply, apply_t, cross, dot, is_zero, neg, scale, sub
from linkwork.model.amount_values import evaluate
from linkwork.model.amounts import Formula, Tabulated

TINY = 1e-28
"""Added under the root of a length [m²], so that none but rounding gives no direction instead of any."""
MOTOR_SPEED = 1e-3
"""Rate [rad/s, m/s] over which the friction of a motor turns round."""


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
    sides : by switch of the formulas that jump, its side (`switching`); without, formulas are as they stand
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
        state.factor = modes.switch[k] if modes.switch is not None and plan.name in modes.switched else None
        done.append(_RULES[type(plan)](state, plan, given))
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
            state.jumping = own
            _RULES[type(plan)](state, plan, tree.loads[own.place])
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
            _field(state, load, given)
    return Applied(state.forces, state.moments, {}, {})


def with_external(tree: Tree, applied: Applied, external: Sequence[Any]) -> Applied:
    """The same with a force and a moment on every body: about its own origin, along the world's axes."""
    forces, moments = dict(applied.forces), dict(applied.moments)
    for i, (link, X) in enumerate(zip(tree.links, link_poses(tree), strict=True)):
        six = external[6 * i : 6 * i + 6]
        f, n = apply_t(X.R, six[:3]), apply_t(X.R, six[3:])
        forces[i] = add(forces.get(i, ZERO), f)
        moments[i] = add(moments.get(i, ZERO), add(n, cross(link.own.p, f)))
    return replace(applied, forces=forces, moments=moments)


def rotor_inertias(tree: Tree) -> dict[int, Any]:
    """Inertias of rotors by the rate that they resist: ratio² J."""
    found: dict[int, Any] = {}
    for plan, given in zip(tree.plan.loads, tree.loads, strict=True):
        if isinstance(plan, MotorPlan):
            ratio, rotor, *_ = given.numbers
            if not is_zero(total := ratio * ratio * rotor):
                found[plan.along.w] = found.get(plan.along.w, 0.0) + total
    return found


@dataclass(frozen=True)
class _Done:
    magnitude: Any
    power: Any


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

    def work(self, along: Along, force: Any) -> _Done:
        """A force along a variable."""
        self.along[along.w] = self.along.get(along.w, 0.0) + force
        return _Done(force, force * self.w[along.w])

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


# ---------------------------------------------------------------- one rule a kind


def _named(plan: LoadPlan, given: LoadConstants) -> dict[str, Any]:
    """Numbers of a load by name."""
    return dict(zip(plan.numbers, given.numbers, strict=True))


def _spring(state: _State, plan: SpringPlan, given: LoadConstants) -> _Done:
    own = _named(plan, given)
    stiffness, free, damping, preload = (own[key] for key in ("stiffness", "free", "damping", "preload"))
    if plan.along is not None:
        long, rate = state.y[plan.along.y], state.w[plan.along.w]
        direction = ZERO
    else:
        (p1, v1), (p2, v2) = state.place(plan.first), state.place(plan.second)
        direction, long = _unit(sub(p2, p1))
        rate = dot(direction, sub(v2, v1))
    x = long - free
    tension = preload + stiffness * x + damping * rate
    if plan.law is not None:
        tension = tension + state.amount(plan.law, own.get("amount"), x, rate)
    tension = state.on(tension)
    state.potential = state.potential + state.on((0.5 * stiffness * x + preload) * x)
    state.storing = state.storing + state.on((stiffness * x + preload) * rate)
    if plan.along is not None:
        state.work(plan.along, -tension)
    else:
        state.push(plan.first, scale(tension, direction))
        state.push(plan.second, neg(scale(tension, direction)))
    return _Done(tension, -(tension * rate))


def _friction(state: _State, plan: FrictionPlan, given: LoadConstants) -> _Done:
    own = _named(plan, given)
    rate = state.w[plan.along.w]
    forward, backward = _levels(state, plan, own)
    if plan.exact:
        law, way = (_exact(), rate) if state.slips is None else (_slipping(), next(state.slips))
        (dry,) = replay(law, [[way, forward, backward]])[0]
    else:
        (dry,) = replay(_smooth(), [[rate, forward, backward, own["speed"]]])[0]
    return state.work(plan.along, state.on(-(dry + own["viscous"] * rate)))


def _levels(state: _State, plan: FrictionPlan, own: Mapping[str, Any]) -> tuple[Any, Any]:
    """Dry friction against motion forward and backward."""
    if plan.normal is None:
        return own["forward"], own["backward"]
    pressing = state.amount(plan.normal, own.get("amount"))
    (level,) = replay(_magnitude(), [[own["coefficient"] * own["radius"] * pressing]])[0]
    return level, level


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
    return _levels(_State(tree, t, y, w, Modes(states=states)), plan, _named(plan, given))


@functools.cache
def _magnitude() -> ca.Function:
    x = ca.SX.sym("x")
    return ca.Function("magnitude", [x], [ca.fabs(x)])


@functools.cache
def _smooth() -> ca.Function:
    x = ca.SX.sym("x", 4)
    turned = ca.tanh(x[0] / x[3])
    return ca.Function("smooth", [x], [turned * ca.if_else(x[0] >= 0, x[1], x[2])])


@functools.cache
def _exact() -> ca.Function:
    x = ca.SX.sym("x", 3)
    return ca.Function("exact", [x], [ca.sign(x[0]) * ca.if_else(x[0] >= 0, x[1], x[2])])


@functools.cache
def _slipping() -> ca.Function:
    """A part of the level: the whole where it slips, what is needed where it holds."""
    x = ca.SX.sym("x", 3)
    return ca.Function("slipping", [x], [x[0] * ca.if_else(x[0] >= 0, x[1], x[2])])


def _motor(state: _State, plan: MotorPlan, given: LoadConstants) -> _Done:
    ratio, _, damping, forward, backward = given.numbers
    rate = state.w[plan.along.w]
    drag = ratio * ratio * damping * rate
    if not (is_zero(forward) and is_zero(backward)):
        (dry,) = replay(_geared(), [[rate, ratio, forward, backward]])[0]
        drag = drag + dry
    return state.work(plan.along, state.on(-drag))


@functools.cache
def _geared() -> ca.Function:
    """Friction at the motor's shaft; forward is where the joint variable grows."""
    x = ca.SX.sym("x", 4)
    ahead = ca.if_else(x[0] >= 0, x[2], x[3])
    return ca.Function("geared", [x], [ca.fabs(x[1]) * ahead * ca.tanh(x[0] / MOTOR_SPEED)])


def _force(state: _State, plan: ForcePlan, given: LoadConstants) -> _Done:
    amount = state.on(state.amount(plan.amount, _named(plan, given).get("amount")))
    force = scale(amount, state.direction(plan.direction, given.direction))
    state.push(plan.mark, force)
    return _Done(amount, dot(force, state.place(plan.mark)[1]))


def _torque(state: _State, plan: TorquePlan, given: LoadConstants) -> _Done:
    amount = state.on(state.amount(plan.amount, _named(plan, given).get("amount")))
    if plan.link >= 0 and plan.direction.link == plan.link:  # it turns with the body it acts on
        state.turn(plan.link, scale(amount, given.direction))
        own = apply_t(state.poses[plan.link].R, state.spin(plan.link))
        return _Done(amount, amount * dot(given.direction, own))
    moment = scale(amount, state.direction(plan.direction, given.direction))
    state.turn(plan.link, apply_t(state.pose(plan.link).R, moment))
    return _Done(amount, dot(moment, state.spin(plan.link)))


def _push(state: _State, plan: PushPlan, given: LoadConstants) -> _Done:
    return state.work(plan.along, state.on(state.amount(plan.amount, _named(plan, given).get("amount"))))


def _field(state: _State, plan: FieldPlan, given: LoadConstants) -> _Done:
    amount = state.on(state.amount(plan.amount, 0.0))
    g: Vector = tuple(amount if k == plan.axis else 0.0 for k in range(3))  # type: ignore[assignment]
    power: Any = 0.0
    for i, link in enumerate(state.tree.links):
        own = link.moments
        here = apply_t(state.poses[i].R, g)
        state.forces[i] = add(state.forces.get(i, ZERO), scale(own.m, here))
        state.turn(i, cross(own.h, here))
        v, w = state.twists[i]
        power = power + dot(g, add(scale(own.m, v), cross(w, apply(state.poses[i].R, own.h))))
    return _Done(amount, power)


_RULES: Mapping[type[LoadPlan], Any] = {
    SpringPlan: _spring,
    FrictionPlan: _friction,
    MotorPlan: _motor,
    ForcePlan: _force,
    TorquePlan: _torque,
    PushPlan: _push,
    FieldPlan: _field,
}
