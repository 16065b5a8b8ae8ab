"""Goals in time: values, rates and accelerations of places, attitudes and directions, exact for laws of time.

Cylindrical and spherical laws become x, y, z by their chain rules (Vukobratović 3.4.2-3.4.6, with φ̇ in w_θ); turns one
after the other become ω and ω̇ by adding the turns up, each about an axis that those before it move:

    ω_i = ω_(i-1) + a_i θ̇_i,    ω̇_i = ω̇_(i-1) + a_i θ̈_i + ω_(i-1) × a_i θ̇_i
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.analyses.robots.goal_kinds import (
    Attitude,
    Goal,
    Moving,
    MovingAttitude,
    MovingPlace,
    MovingPointing,
    Place,
    Pointing,
)
from linkwork.errors import InputError, Problem
from linkwork.geometry import Array
from linkwork.geometry.rotations import from_axis_angle

FINE = 2048
"""Nodes of the spline through a path of which only places are known."""
GIMBAL = 1e-3
"""Sine of the middle Euler angle below which two turns are told to be about one axis."""


@dataclass(frozen=True, eq=False)
class Sampled:
    """A goal by sample with its derivatives.

    goal : places, attitudes or directions by sample
    first, second : of a place its velocity and acceleration, of an attitude ω and ω̇, of a direction h' and h''; (n, 3)
    warnings : what else should be known
    """

    goal: Goal
    first: Array
    second: Array
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class PathPlace(Moving):
    """A place by a function of time, t (n,) to (n, 3): places alone, or places, velocities, accelerations."""

    function: Callable[[Array], Any] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "place by a function of time"


@dataclass(frozen=True, eq=False, repr=False)
class SplineAttitude(Moving):
    """Attitudes (n, 3, 3) passed at even times: a spline of rotations with continuous accelerations."""

    R: Array = None  # type: ignore[assignment]
    duration: float = 1.0

    def __repr__(self) -> str:
        return f"spline through {len(self.R)} attitudes"


def sampled(goal: Goal, t: Array) -> Sampled:
    """A goal at times."""
    none = np.zeros((len(t), 3))
    if isinstance(goal, MovingPlace):
        c = np.stack([law.sample(t) for law in goal.laws], axis=-1)  # value, rate, acceleration, jerk by coordinate
        p, v, a = moved_place(goal.kind, c[0], c[1], c[2])
        return Sampled(Place(goal.of, goal.at, goal.weight, p), v, a)
    if isinstance(goal, PathPlace):
        return _of_function(goal, t)
    if isinstance(goal, MovingAttitude):
        c = np.stack([law.sample(t) for law in goal.laws])
        R, w, dw = moved_attitude(goal.axes, c)
        own = Attitude(goal.of, None, goal.weight, R @ goal.last)
        return Sampled(own, w, dw, tuple(_gimbal(goal, c[1, 0], t)))
    if isinstance(goal, SplineAttitude):
        return _of_spline(goal, t)
    if isinstance(goal, MovingPointing):
        c = np.stack([law.sample(t) for law in goal.laws], axis=-1)
        one, still = np.ones(len(t)), np.zeros(len(t))
        parts = [np.stack([x, c[k, :, 0], c[k, :, 1]], axis=-1) for k, x in enumerate((one, still, still))]
        h, dh, ddh = moved_place("spherical", *parts)
        return Sampled(Pointing(goal.of, None, goal.weight, goal.axis, h, goal.name), dh, ddh)
    if isinstance(goal, Place):
        values = np.broadcast_to(goal.xyz if goal.is_whole else goal.values, (len(t), 3))
        kind = "cartesian" if goal.is_whole else goal.kind
        return Sampled(replace(goal, values=values, kind=kind), none, none)
    if isinstance(goal, Attitude):
        return Sampled(replace(goal, R=np.broadcast_to(goal.R, (len(t), 3, 3))), none, none)
    assert isinstance(goal, Pointing)
    return Sampled(replace(goal, along=np.broadcast_to(goal.along, (len(t), 3))), none, none)


def moved_place(kind: str, c: Array, dc: Array, ddc: Array) -> tuple[Array, Array, Array]:
    """x, y, z with rates and accelerations, (..., 3), of coordinates of one of `goal_kinds.KINDS`."""
    if kind == "cartesian":
        return c, dc, ddc
    a, b = c[..., 0:1], c[..., 1:2]
    da, db, dd, dda, ddb, ddd = (x[..., k : k + 1] for x in (dc, ddc) for k in range(3))
    cos, sin, nil = np.cos(b), np.sin(b), np.zeros_like(b)
    out, turn, up = (np.concatenate(x, axis=-1) for x in ((cos, sin, nil), (-sin, cos, nil), (nil, nil, nil + 1.0)))
    if kind == "cylindrical":
        v = da * out + a * db * turn + dd * up
        w = (dda - a * db**2) * out + (a * ddb + 2.0 * da * db) * turn + ddd * up
        return a * out + c[..., 2:3] * up, v, w
    phi = c[..., 2:3]
    cf, sf = np.cos(phi), np.sin(phi)
    away, rise = cf * out + sf * up, cf * up - sf * out
    v = da * away + a * cf * db * turn + a * dd * rise
    w_r = dda - a * dd**2 - a * cf**2 * db**2
    w_turn = 2.0 * da * db * cf + a * ddb * cf - 2.0 * a * dd * db * sf
    w_rise = 2.0 * da * dd + a * ddd + a * sf * cf * db**2
    return a * away, v, w_r * away + w_turn * turn + w_rise * rise


def moved_attitude(axes: tuple[Array, ...], c: Array) -> tuple[Array, Array, Array]:
    """R (n, 3, 3), ω and ω̇ (n, 3) of turns c (turns, 4, n) about axes that those before them move."""
    n = c.shape[2]
    R = np.broadcast_to(np.eye(3), (n, 3, 3))
    w, dw = np.zeros((n, 3)), np.zeros((n, 3))
    for axis, (angle, rate, acceleration, _) in zip(axes, c, strict=True):
        own = R @ axis
        turning = own * rate[:, np.newaxis]
        dw = dw + own * acceleration[:, np.newaxis] + np.cross(w, turning)
        w = w + turning
        R = R @ from_axis_angle(axis, angle)
    return np.asarray(R), w, dw


def _gimbal(goal: MovingAttitude, middle: Array, t: Array) -> list[str]:
    """Where Euler angles do not tell turns apart: x-y-x at sin ψ = 0, roll-pitch-yaw at cos = 0."""
    if goal.name not in ("xyx", "rpy"):
        return []
    near = np.abs(np.sin(middle) if goal.name == "xyx" else np.cos(middle)) < GIMBAL
    if not near.any():
        return []
    told = "x-y-x" if goal.name == "xyx" else "roll-pitch-yaw"
    text = (
        f"the {told} angles are singular at {int(near.sum())} of {len(t)} samples, first at {t[np.argmax(near)]:.4g} s"
    )
    return [f"{text}: two of them turn about one axis there; `goals.pointing` with a spin, or quaternions, have none"]


def _of_function(goal: PathPlace, t: Array) -> Sampled:
    found = goal.function(t)
    if isinstance(found, tuple):
        parts = [np.asarray(x, float) for x in found]
        if len(parts) != 3 or any(x.shape != (len(t), 3) for x in parts):
            shapes = ", ".join(str(x.shape) for x in parts)
            raise InputError(Problem(f"the path gives {shapes}", "path", f"three arrays ({len(t)}, 3)"))
        return Sampled(Place(goal.of, goal.at, goal.weight, _finite(parts[0])), _finite(parts[1]), _finite(parts[2]))
    from scipy.interpolate import make_interp_spline  # slow to import, and seldom needed

    if len(t) < 2 or t[-1] <= t[0]:
        raise InputError(Problem("a path of places alone has no rates at one time", "path", "let it give rates, too"))
    nodes = np.linspace(t[0], t[-1], FINE)
    places = np.asarray(goal.function(nodes), float)
    if places.shape != (FINE, 3):
        text = f"the path gives an array {places.shape} for {FINE} times"
        raise InputError(Problem(text, "path", f"places ({FINE}, 3), or a tuple of places, velocities, accelerations"))
    curve = make_interp_spline(nodes, _finite(places), k=7)
    warning = "rates and accelerations of the path are those of a spline of degree 7 through its places"
    own = Place(goal.of, goal.at, goal.weight, curve(t))
    return Sampled(own, curve(t, 1), curve(t, 2), (warning,))


def _finite(x: Array) -> Array:
    if not np.isfinite(x).all():
        raise InputError(Problem("the path has numbers that are not finite", "path"))
    return x


def _of_spline(goal: SplineAttitude, t: Array) -> Sampled:
    from scipy.spatial.transform import Rotation, RotationSpline

    nodes = np.linspace(0.0, goal.duration, len(goal.R))
    spline = RotationSpline(nodes, Rotation.from_matrix(goal.R))
    at = np.clip(t, 0.0, goal.duration)
    turn = spline(at)  # whose rates are along its own axes
    inside = ((t >= 0.0) & (t <= goal.duration))[:, np.newaxis]
    w, dw = turn.apply(spline(at, 1)) * inside, turn.apply(spline(at, 2)) * inside
    return Sampled(Attitude(goal.of, None, goal.weight, turn.as_matrix()), w, dw)
