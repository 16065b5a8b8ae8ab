"""What loads do to a machine at one instant, from their records, with Python's own arithmetic.

A load is a set of wrenches on bodies and efforts along joint variables; see `maximal.Instant`, which asks.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.interpolate import CubicSpline

from linkwork.model.amounts import Amount, Formula, Steady, Tabulated
from linkwork.model.loads import Direction, Force, Friction, InSpace, JointLoad, Load, Motor, OnBody, Spring, Torque

if TYPE_CHECKING:
    from maximal import Instant

Array = np.ndarray
MOTOR_SPEED = 1e-3
"""Rate of a joint [rad/s, m/s] below which the dry friction of its motor fades, as that of the joint does."""


# ---------------------------------------------------------------- amounts, by Python's own arithmetic


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{n: getattr(math, n) for n in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh")},
    **{n: getattr(math, n) for n in ("exp", "log", "sqrt", "hypot")},
    "abs": abs,
    "min": min,
    "max": max,
    "sign": lambda x: float((x > 0) - (x < 0)),
    "where": lambda condition, a, b: a if condition else b,
}
_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


def _formula(node: ast.AST, names: Mapping[str, float]) -> Any:
    match node:
        case ast.Expression(body):
            return _formula(body, names)
        case ast.Constant(value):
            return value
        case ast.Name(name):
            return names[name] if name in names else {"pi": math.pi, "tau": math.tau}[name]
        case ast.Attribute() | ast.Call(func=ast.Name("rate")):
            return names[ast.unparse(node)]
        case ast.UnaryOp(ast.USub(), operand):
            return -_formula(operand, names)
        case ast.BinOp(left, op, right):
            return _OPERATORS[type(op)](_formula(left, names), _formula(right, names))
        case ast.Compare(left, [op], [right]):
            return _OPERATORS[type(op)](_formula(left, names), _formula(right, names))
        case ast.Call(ast.Name(name), arguments):
            return _FUNCTIONS[name](*(_formula(a, names) for a in arguments))
    raise AssertionError(ast.dump(node))


def evaluated(amount: Amount, names: Mapping[str, float]) -> float:
    """The value of an amount where names have values: t, `A.angle`, `A`, `rate(A.angle)`, `rate(A)`, x, v."""
    match amount:
        case Steady(value):
            return value
        case Formula(text, _, unit):
            return unit * float(_formula(ast.parse(text.strip(), mode="eval"), names))
        case Tabulated(over, xs, ys, smooth):
            x = min(max(names[over], xs[0]), xs[-1])
            return float(CubicSpline(xs, ys, bc_type="natural")(x) if smooth else np.interp(x, xs, ys))
    raise AssertionError(amount)


# ---------------------------------------------------------------- loads


@dataclass(frozen=True)
class Acting:
    """What a load does now.

    value : tension of a spring, amount of a force, torque or joint load, friction along its variable [N, N m]
    power : that it puts into the machine [W]
    wrenches : by body, [force; moment] at its origin, world axes
    efforts : by index of the rate, along the joint's variable
    """

    value: float
    power: float
    wrenches: Mapping[str, Array] = field(default_factory=dict)
    efforts: Mapping[int, float] = field(default_factory=dict)


def acting(now: Instant, load: Load | Motor) -> Acting:
    """What a load does now."""
    if isinstance(load, Spring):
        return _joint_spring(now, load) if load.variable is not None else _point_spring(now, load)
    if isinstance(load, Friction):
        return _friction(now, load)
    if isinstance(load, Motor):
        return _motor(now, load)
    amount = evaluated(load.amount, now.names)
    if isinstance(load, JointLoad):
        return _on_joint(now, load.variable, amount, amount)
    if isinstance(load, Torque):
        torque = amount * direction(now, load.about)
        return _on_bodies(now, amount, {load.body: np.array([0.0, 0.0, 0.0, *torque])})
    assert isinstance(load, Force)
    body, place = now.place(load.point)
    return _on_bodies(now, amount, {body: _at(now, body, place, amount * direction(now, load.along))})


def direction(now: Instant, along: Direction) -> Array:
    """A unit vector, world axes."""
    if isinstance(along, InSpace):
        d = np.array(along.vector, float)
    elif isinstance(along, OnBody):
        d = now.X[along.body][:3, :3] @ now.layout.X_WB[along.body][:3, :3].T @ np.array(along.vector)
    else:
        d = now.place(along.end)[1] - now.place(along.start)[1]
    return np.asarray(d / np.linalg.norm(d))


def _at(now: Instant, body: str, place: Array, force: Array) -> Array:
    """A force at a place as a wrench at the body's origin."""
    return np.array([*force, *np.cross(place - now.X[body][:3, 3], force)])


def _on_bodies(now: Instant, value: float, wrenches: Mapping[str, Array]) -> Acting:
    return Acting(value, sum(float(now.V[b] @ wrench) for b, wrench in wrenches.items()), wrenches)


def _on_joint(now: Instant, variable: str, value: float, effort: float) -> Acting:
    k = now.rates.index(variable)
    return Acting(value, effort * float(now.w[k]), efforts={k: effort})


def _tension(now: Instant, spring: Spring, length: float, layout: float, v: float) -> float:
    """preload + stiffness x + damping v + law(x, v)."""
    x = length - (layout if spring.free is None else spring.free)
    tension = spring.preload + spring.stiffness * x + spring.damping * v
    return tension if spring.law is None else tension + evaluated(spring.law, now.names | {"x": x, "v": v})


def _joint_spring(now: Instant, spring: Spring) -> Acting:
    variable = str(spring.variable)
    joint = next(j for j in now.joints if j.name == variable.split(".")[0])
    i = now.variables.index(variable)
    layout = float(now.layout.seats[joint.name].q[joint.q.index(i)])
    tension = _tension(now, spring, float(now.y[i]), layout, now.names[f"rate({variable})"])
    return _on_joint(now, variable, tension, -tension)


def _point_spring(now: Instant, spring: Spring) -> Acting:
    names = str(spring.first), str(spring.second)
    (a, p), (b, q) = (now.place(n) for n in names)
    length = float(np.linalg.norm(q - p))
    e = (q - p) / length
    layout = float(np.linalg.norm(now.layout.points[names[1]] - now.layout.points[names[0]]))
    tension = _tension(now, spring, length, layout, float(e @ (now.velocity(b, q) - now.velocity(a, p))))
    wrenches = {body: np.zeros(6) for body in (a, b)}  # which may be one
    wrenches[a] += _at(now, a, p, tension * e)
    wrenches[b] -= _at(now, b, q, tension * e)
    return _on_bodies(now, tension, wrenches)


def _friction(now: Instant, friction: Friction) -> Acting:
    """-level sign(r) - viscous r; "exact" friction must slide, since what holds at rest is not known beforehand."""
    rate = now.names[f"rate({friction.variable})"]
    if friction.coefficient:
        assert friction.normal is not None
        level = friction.coefficient * friction.radius * abs(evaluated(friction.normal, now.names))
    else:
        level = friction.forward if rate > 0.0 else friction.backward
    if friction.form == "exact":
        assert rate != 0.0
        sign = math.copysign(1.0, rate)
    else:
        sign = math.tanh(rate / friction.speed)
    effort = -level * sign - friction.viscous * rate
    return _on_joint(now, friction.variable, effort, effort)


def _motor(now: Instant, motor: Motor) -> Acting:
    """Bearings of a motor; its levels are those of the motor's own direction of turning. Rotors are in `Instant`."""
    rate = now.names[f"rate({motor.variable})"]
    level = motor.friction_forward if rate > 0.0 else motor.friction_backward
    effort = -abs(motor.ratio) * level * math.tanh(rate / MOTOR_SPEED) - motor.ratio**2 * motor.damping * rate
    return _on_joint(now, motor.variable, effort, effort)
