"""Friction that holds: joints at rest whose exact friction may keep them so.

Accelerations are affine in forces h along the joints that may stick: a = a0 + G h. Each either stays at rest, a = 0
with |h| within its grip, or it slides, and then friction opposes the way it goes:

    a = 0, -grip⁻ <= h <= grip⁺     or     a >= 0, h = -level forward     or     a <= 0, h = +level backward

G is symmetric and positive semidefinite, so that the answer is unique in a. It is found by trying all ways of sticking
and sliding of the few joints that are at rest. Joints of one loop share what they hold: of all ways within their grips
the one of least squares is told.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.forces.forward import ForwardDynamics
from linkwork.analyses.kinematics.loops import Loops
from linkwork.equations.closed_forces import load_state
from linkwork.equations.load_kinds.friction import FrictionPlan
from linkwork.errors import ModelError, Problem
from linkwork.formulas import Question
from linkwork.geometry import Array

AT_REST = 1e-9
"""Rate [rad/s, or parts of the machine's size a second] below which a joint is at rest."""
MOST = 10
"""Joints with exact friction that may be at rest at the same time."""
SLACK = 1e-10
CREEP = 1e-12
"""Rate that is as good as none, but has a sign."""


@dataclass(frozen=True, eq=False)
class Stuck:
    """Accelerations of all joints, and the frictions that hold with their forces, by name.

    rates, efforts : with which these accelerations come: what rests is at rest, and its friction is among the efforts
    """

    accelerations: Array
    holding: dict[str, float]
    rates: Array
    efforts: Array


@dataclass(frozen=True)
class _Grip:
    name: str
    column: int
    forward: float
    backward: float
    static: float


def with_friction(loops: Loops, forward: ForwardDynamics, y: Array, w: Array, effort: Array, t: float) -> Stuck:
    """Accelerations with exact friction: joints at rest stick as long as their friction can hold them."""
    resting = _resting(loops, y, w, t)
    w = w.copy()
    w[[g.column for g in resting]] = 0.0  # what creeps within rounding is at rest: no friction but h acts there
    free = forward(y, w, effort, t, None, 1)
    if not resting:
        return Stuck(free, {}, w, effort)
    columns = [g.column for g in resting]
    units = np.array([max(g.forward, g.backward) or 1.0 for g in resting])  # pushes that a machine of this size feels
    pushes = np.tile(effort, (len(resting), 1))
    pushes[np.arange(len(resting)), columns] += units
    each = forward(y, w, pushes, t, None, 1)
    G = (each - free)[:, columns].T / units
    h = _solve(free[columns], 0.5 * (G + G.T), resting, loops.plan.name)
    pushed = effort.copy()
    np.add.at(pushed, columns, h.forces)
    found = forward(y, w, pushed, t, None, 1)
    found[[g.column for g, sticks in zip(resting, h.sticks, strict=True) if sticks]] = 0.0  # not by rounding either
    holding = {g.name: float(f) for g, f, sticks in zip(resting, h.forces, h.sticks, strict=True) if sticks}
    return Stuck(found, holding, w, pushed)


def _resting(loops: Loops, y: Array, w: Array, t: float) -> list[_Grip]:
    """Exact frictions whose joints are at rest, with their levels at this state."""
    plan, parameters = loops.plan, loops.system.parameters
    found: list[_Grip] = []
    for load in plan.loads:
        if not (isinstance(load, FrictionPlan) and load.exact):
            continue
        column = load.along.w
        if abs(w[column]) > AT_REST * loops.column_scale[column]:
            continue
        own = {key: parameters.get(f"{load.name}.{key}", 0.0) for key in ("forward", "backward", "static")}
        if load.normal is not None:  # creeping in this joint shows what friction there is
            creeping = np.where(np.arange(plan.nw) == column, CREEP, w)
            viscous = parameters[f"{load.name}.viscous"]
            magnitudes, _ = loops.system.bound_kernel(Question(load_state()))(y, creeping, np.array([t]))
            level = -float(magnitudes[plan.loads.index(load)]) - viscous * CREEP
            own |= {"forward": level, "backward": level}
        found.append(_Grip(load.name, column, own["forward"], own["backward"], own["static"]))
    if len(found) > MOST:
        text = f"{len(found)} joints with exact friction are at rest at once, {MOST} at most can be told apart"
        raise ModelError(Problem(text, hint='give some of them form="smooth"'), plan.name)
    return found


@dataclass(frozen=True, eq=False)
class _Held:
    forces: Array
    sticks: list[bool]


def _solve(a0: Array, G: Array, grips: list[_Grip], source: str) -> _Held:
    """The way of sticking and sliding that fits; those with most joints sticking are tried first."""
    count = len(grips)
    levels = np.array([g.static * max(g.forward, g.backward) for g in grips])
    scale = np.abs(a0).max(initial=0.0) + (np.abs(G) @ levels).max(initial=0.0) + 1e-300
    for modes in sorted(itertools.product((0, 1, -1), repeat=count), key=lambda m: sum(map(abs, m))):
        sticks = [m == 0 for m in modes]
        h = np.array(
            [0.0 if m == 0 else -g.forward if m > 0 else g.backward for m, g in zip(modes, grips, strict=True)]
        )
        held = np.flatnonzero(sticks)
        if held.size:
            right = -(a0[held] + G[held] @ h)
            # Later turns have some at the level they slide with, the others holding the rest; not so if they hold more.
            share = held.size > 1 and (held.size == count or any(g.static > 1.0 for g in grips))
            h[held] = _held(G[np.ix_(held, held)], right, [grips[i] for i in held], share)
        a = a0 + G @ h
        if all(_fits(m, x, f, g, scale) for m, x, f, g in zip(modes, a, h, grips, strict=True)):
            return _Held(h, [bool(abs(x) <= SLACK * scale) for x in a])
    text = "no way of sticking and sliding fits at this state"
    raise ModelError(Problem(text, hint='give the friction form="smooth"'), source)


def _held(G: Array, right: Array, grips: list[_Grip], share: bool) -> Array:
    """Forces h with G h = right, of least squares; with `share`, within all grips if some are exceeded."""
    size = np.sqrt(np.maximum(np.diag(G), 0.0))
    size = np.where(size > 0.0, size, 1.0)  # a joint that no force moves
    even, wanted = G / size / size[:, np.newaxis], right / size
    lower = np.array([-g.static * g.forward for g in grips]) * size
    upper = np.array([g.static * g.backward for g in grips]) * size
    found = np.linalg.lstsq(even, wanted, rcond=1e-12)[0]
    if share and ((found < lower) | (found > upper)).any() and (lower < upper).all():
        from scipy.optimize import lsq_linear

        found = lsq_linear(even, wanted, (lower, upper), method="bvls").x
    forces: Array = found / size
    return forces


def _fits(mode: int, a: float, force: float, grip: _Grip, scale: float) -> bool:
    slack = SLACK * scale
    if mode == 0:
        most = grip.static * max(grip.forward, grip.backward)
        within = -grip.static * grip.forward - SLACK * most <= force <= grip.static * grip.backward + SLACK * most
        return abs(a) <= slack and within
    return mode * a >= -slack
