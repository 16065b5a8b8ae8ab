"""Expressions of a machine's state: conditions to watch, and gaps of stops with all that an impact or a contact needs.

    conditions  g(y, w, t)
    gaps        g(y, t),  g' = G w + ∂g/∂t,  G,  γ  with  g'' = G w' + γ

An expression f(a) has for arguments a joint variables, the time, and coordinates of points, frames and bodies in the
world; conditions also their rates. With a' and the accelerations a'' that arguments have at w' = 0,

    g' = f_a a',   G = f_a ∂a'/∂w,   γ = a'ᵀ f_aa a' + f_a a''

CasADi gives the derivatives of f, the recursions of `kinematics` those of the coordinates: nothing is approximated.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import casadi as ca

from linkwork.equations import kinematics
from linkwork.equations.kinematics import Target, Twist
from linkwork.equations.load_plans import Along, plain_places
from linkwork.equations.plan import Plan, Pose
from linkwork.equations.quantities import Quantity, Values, target_named
from linkwork.equations.scalars import Block, replay
from linkwork.equations.tree import Tree
from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.expressions import Expression, names_in
from linkwork.expressions.names import differentiated
from linkwork.model.amounts import TIME

INPUTS = ("y", "w", "t")


def conditions(expressions: Sequence[str]) -> Quantity:
    """Values of expressions of variables, coordinates, their rates, and time: (y, w, t) -> g (n)."""
    return _quantity("conditions", expressions, _conditions)


def gaps(expressions: Sequence[str]) -> Quantity:
    """Expressions of variables, coordinates and time, with derivatives: (y, w, t) -> g (n), rate (n), G (n, nw), γ (n).

    rate = G w + ∂g/∂t, and its derivative is G w' + γ.
    """
    rates = [name for text in expressions for name in names_in(text) if differentiated(name) is not None]
    if rates:
        raise ModelError(Problem(f"a gap depends on positions and time, not on {', '.join(rates)}", "events"))
    return _quantity("gaps", expressions, _gaps)


def _quantity(kind: str, expressions: Sequence[str], law: Any) -> Quantity:
    texts = tuple(" ".join(text.split()) for text in expressions)
    key = hashlib.sha256(repr(texts).encode()).hexdigest()[:24]
    return Quantity(f"{kind} {key}", INPUTS, partial(law, texts))


def _conditions(texts: tuple[str, ...], tree: Tree, x: Values) -> list[Block]:
    state = _State(tree, x)
    g = [replay(_function(text), [[state.argument(name).value for name in names_in(text)]])[0][0] for text in texts]
    return [("g", g, (len(g),))]


def _gaps(texts: tuple[str, ...], tree: Tree, x: Values) -> list[Block]:
    state, nw = _State(tree, x), tree.plan.nw
    g: list[Any] = []
    rate: list[Any] = []
    G: list[Any] = []
    gamma: list[Any] = []
    for text in texts:
        arguments = [state.argument(name) for name in names_in(text)]
        values, speeds = [a.value for a in arguments], [a.rate for a in arguments]
        (value,), slopes, (curvature,) = replay(_derivatives(text), [values, speeds])
        row: list[Any] = [0.0] * nw
        change: Any = 0.0
        bias = curvature
        for slope, a in zip(slopes, arguments, strict=True):
            change = change + slope * a.rate
            bias = bias + slope * a.bias
            for k, part in a.gradient.items():
                row[k] = row[k] + slope * part
        g.append(value)
        rate.append(change)
        G += row
        gamma.append(bias)
    n = len(texts)
    return [("g", g, (n,)), ("rate", rate, (n,)), ("G", G, (n, nw)), ("gamma", gamma, (n,))]


# ---------------------------------------------------------------- arguments


@dataclass(frozen=True)
class _Argument:
    """What an expression depends on: its value, its rate, the rate's gradient by w, and what is left of the second
    derivative when w' = 0."""

    value: Any
    rate: Any
    gradient: dict[int, Any]
    bias: Any


class _State:
    """A state of a tree, with what expressions may name."""

    def __init__(self, tree: Tree, x: Values) -> None:
        self.tree = tree
        self.y, self.w, self.t = x["y"], x["w"], x["t"][0]

    @cached_property
    def poses(self) -> list[Pose]:
        return kinematics.link_poses(self.tree)

    @cached_property
    def twists(self) -> list[Twist]:
        return kinematics.link_twists(self.tree, self.poses, self.w[: self.tree.nv])

    @cached_property
    def accelerations(self) -> list[Twist]:
        """Of the links, at joint accelerations of zero."""
        v = self.w[: self.tree.nv]
        return kinematics.link_accelerations(self.tree, self.poses, self.twists, v, [0.0] * self.tree.nv)

    @cached_property
    def variables(self) -> dict[str, Along]:
        return _variables(self.tree.plan)

    def argument(self, name: str) -> _Argument:
        """An argument by the name that an expression has for it."""
        of = differentiated(name)
        if of is not None:  # of conditions, which take the value alone
            return _Argument(self.argument(of).rate, None, {}, None)
        along = self.variables.get(name)
        if along is not None:
            return _Argument(self.y[along.y], self.w[along.w], {along.w: 1.0}, 0.0)
        if name == TIME:
            return _Argument(self.t, 1.0, {}, 0.0)
        owner, _, coordinate = name.rpartition(".")
        if coordinate not in ("x", "y", "z") or not _is_place(self.tree.plan, owner):
            raise _unknown(self.tree.plan, name)
        return self.coordinate(target_named(self.tree, owner), "xyz".index(coordinate))

    def coordinate(self, target: Target, i: int) -> _Argument:
        """A coordinate of a point, frame or body in the world."""
        position = kinematics.pose(self.poses, target).p
        velocity, _ = kinematics.twist(self.poses, self.twists, target)
        acceleration, _ = kinematics.acceleration(self.poses, self.twists, self.accelerations, target)
        columns = kinematics.jacobian(self.tree, self.poses, target)
        return _Argument(position[i], velocity[i], {k: v[i] for k, (v, _) in columns.items()}, acceleration[i])


def _variables(plan: Plan) -> dict[str, Along]:
    """Places of plain variables by full name, and by that of the joint where it has a single one."""
    found = plain_places([(slot.joint, slot.law, slot.q, slot.v) for slot in plan.slots])
    single = {slot.joint: slot for slot in plan.slots if len(slot.law.variables) == 1}
    return {**found, **{joint: Along(slot.q.start, slot.v.start) for joint, slot in single.items()}}


def _places(plan: Plan) -> list[str]:
    return [plan.ground, *plan.index, *(m.name for m in plan.points), *(m.name for m in plan.frames)]


def _is_place(plan: Plan, name: str) -> bool:
    return name in _places(plan)


def _unknown(plan: Plan, name: str) -> ModelError:
    known = [TIME, *_variables(plan), *(f"{place}.{c}" for place in _places(plan) for c in "xyz")]
    return ModelError(Problem(f"there is nothing called '{name}'", "events", did_you_mean(name, known)), plan.name)


# ---------------------------------------------------------------- expressions


@functools.lru_cache(maxsize=256)
def _function(text: str) -> ca.Function:
    """An expression of its names, in their order."""
    a = ca.SX.sym("a", len(names_in(text)))
    return ca.Function("expression", [a], [_value(text, a)])


@functools.lru_cache(maxsize=256)
def _derivatives(text: str) -> ca.Function:
    """f, f_a and a'ᵀ f_aa a' of an expression."""
    n = len(names_in(text))
    a, rates = ca.SX.sym("a", n), ca.SX.sym("rates", n)
    f = _value(text, a)
    curvature = ca.jtimes(ca.jtimes(f, a, rates), a, rates)
    return ca.Function("derivatives", [a, rates], [f, ca.densify(ca.gradient(f, a)), ca.densify(curvature)])


def _value(text: str, a: Any) -> Any:
    names = names_in(text)
    return ca.densify(ca.SX(Expression(text, names)(**dict(zip(names, ca.vertsplit(a), strict=True)))))
