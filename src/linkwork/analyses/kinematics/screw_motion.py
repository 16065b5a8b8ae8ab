"""How one body moves against another at an instant: its screw, the axodes, and in a plane the centrodes.

Every instantaneous motion is a turn about one line and a slide along it (Mozzi). The line traces a ruled surface in
each of the two bodies, the fixed and the moving axode. In a plane the line is a point, the pole or instant centre, and
the surfaces are the centrodes, which roll on each other.

A twist is [v; w]: the velocity of a body's **own origin** [m/s] and its angular velocity [rad/s], world axes; its rate
[dv/dt; dw/dt] likewise; X_WB is the pose of B in the world. Shapes (..., 6) and (..., 4, 4), over any leading
dimensions, which broadcast. `length` is the size of the machine [m]: it makes turning |w| length comparable with
sliding |v|. Uicker, Ravani, Sheth, Matrix Methods, sec. 6.4; Bottema, Roth, Theoretical Kinematics.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import InputError, Problem
from linkwork.geometry.lines import Line, line_from_point_direction
from linkwork.geometry.poses import inverse, position, rotation, transform_points, transform_vectors
from linkwork.geometry.screws import Screw, screw_from_displacement
from linkwork.geometry.types import Array, ArrayLike, Bools
from linkwork.geometry.vectors import as_vectors, dot, unit
from linkwork.geometry.vectors import length as _norm

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results import Panels, Run
    from linkwork.results.signals import Units

Kinds = NDArray[np.str_]

NOTHING = 1e-9
"""Speeds below this part of the fastest count as none; the digits of solved postures end about there."""

NO_TURN = 1e-12
"""Angle [rad] between two postures below which a displacement counts as a translation."""

PLANAR = 1e-6
"""How far (part of the fastest speed) a motion may leave the plane before its centrodes are refused."""

_Z = np.array([0.0, 0.0, 1.0])


# --- relative motion --------------------------------------------------------------------------------------------------


def relative_twist(X_WA: ArrayLike, V_A: ArrayLike, X_WB: ArrayLike, V_B: ArrayLike) -> Array:
    """The twist of B seen from A, at B's origin, world axes: [vB - vA - wA x r; wB - wA], r from A's origin to B's.

    Parameters
    ----------
    X_WA, X_WB : poses of the two bodies in the world; V_A, V_B : their twists
    """
    A, B = as_vectors(V_A, "V_A", size=6), as_vectors(V_B, "V_B", size=6)
    r = position(X_WB) - position(X_WA)
    v = B[..., :3] - A[..., :3] - np.cross(A[..., 3:], r)
    return _joined(v, B[..., 3:] - A[..., 3:])


def relative_acceleration(
    X_WA: ArrayLike, V_A: ArrayLike, dV_A: ArrayLike, X_WB: ArrayLike, V_B: ArrayLike, dV_B: ArrayLike
) -> Array:
    """The rate of the relative twist as an observer on A sees it, world axes.

    [aB - aA - alphaA x r - wA x (wA x r) - 2 wA x v;  alphaB - alphaA - wA x w], with v, w of `relative_twist`.

    Parameters
    ----------
    X_WA, X_WB : poses of the two bodies in the world; V_A, V_B : their twists; dV_A, dV_B : the rates of these
    """
    V = relative_twist(X_WA, V_A, X_WB, V_B)
    w_A = as_vectors(V_A, "V_A", size=6)[..., 3:]
    A, B = as_vectors(dV_A, "dV_A", size=6), as_vectors(dV_B, "dV_B", size=6)
    r = position(X_WB) - position(X_WA)
    carried = A[..., :3] + np.cross(A[..., 3:], r) + np.cross(w_A, np.cross(w_A, r))
    a = B[..., :3] - carried - 2.0 * np.cross(w_A, V[..., :3])
    return _joined(a, B[..., 3:] - A[..., 3:] - np.cross(w_A, V[..., 3:]))


# --- the screw and its axodes -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Axode:
    """A ruled surface, one line a sample: unit `direction` and `point` [m] in the frame of the body it belongs to."""

    direction: Array
    point: Array

    @property
    def lines(self) -> Line:
        """The rulings as Plücker lines."""
        return line_from_point_direction(self.point, self.direction)

    def rulings(self, half: float) -> Array:
        """Ends of the rulings, `half` [m] to either side of the point: shape (..., 2, 3), ready to draw."""
        step = half * self.direction
        return np.stack([self.point - step, self.point + step], axis=-2)


@dataclass(frozen=True)
class ScrewMotion:
    """The instantaneous screw of a body B against a body A; made by `relative_screw`.

    kind : "screw", "rotation", "translation" or "rest", one a sample
    direction : unit vector of the axis, along the angular velocity, world; in a translation of the velocity, at rest z
    point : the axis point nearest to the reference [m], world; the reference itself where there is no axis
    pitch : sliding / turning [m/rad], infinite in a translation and 0 at rest
    angular_speed : [rad/s], 0 where nothing turns; sliding_speed : along the direction [m/s], signed
    fixed, moving : the axis in A's and in B's frame; mean something only where `turning`
    run : the run of which it was asked, None where it was made from arrays
    """

    kind: Kinds
    direction: Array
    point: Array
    pitch: Array
    angular_speed: Array
    sliding_speed: Array
    fixed: Axode
    moving: Axode
    run: Run | None = field(default=None, repr=False, compare=False)

    @property
    def turning(self) -> Bools:
        """Where there is an axis: the motion is a screw or a rotation."""
        result: Bools = (self.kind == "screw") | (self.kind == "rotation")
        return result

    def __repr__(self) -> str:
        kinds, counts = np.unique(self.kind, return_counts=True)
        found = ", ".join(f"{n} {kind}" for kind, n in zip(kinds, counts, strict=True))
        return f"ScrewMotion: {self.kind.size} samples\n  {found}"

    def plot(self, *, x: str = "time", units: Units = None, ax: Axes | Sequence[Axes] | None = None) -> Panels:
        """Plot angular speed, sliding speed and pitch.

        Parameters
        ----------
        x : the signal of the run to plot over; samples are counted where there is no run
        units : units to show, {"length": "mm"}
        ax : three axes to draw into; a new figure without
        """
        from linkwork.analyses.kinematics.screw_plots import describe_screw

        return describe_screw(self, x, units).draw(ax)


def relative_screw(
    X_WA: ArrayLike,
    V_A: ArrayLike,
    X_WB: ArrayLike,
    V_B: ArrayLike,
    length: float,
    near: ArrayLike | None = None,
    speed: float | None = None,
) -> ScrewMotion:
    """The instantaneous screw of B against A.

    With v, w at B's origin: direction w/|w|, point b + w x v / w^2, pitch v.w / w^2.

    Parameters
    ----------
    X_WA, X_WB : poses of the two bodies in the world; V_A, V_B : their twists
    length : size of the machine [m], for the judgement of what turns
    near : reference point in the world [m]; `point` is the axis point nearest to it; None: the origin of B
    speed : [m/s], what counts as fast: speeds below 1e-9 of it are none; None: the fastest of all samples given
    """
    size = _positive(length, "length")
    V = relative_twist(X_WA, V_A, X_WB, V_B)
    v, w = V[..., :3], V[..., 3:]
    least = NOTHING * _fastest(size, speed, V, V_A, V_B)
    rate = _norm(w)
    turning = rate * size > least
    moving = _norm(v) > least

    along = np.where(turning[..., None], w, np.where(moving[..., None], v, _Z))
    direction = unit(along)
    slide = np.where(turning | moving, dot(direction, v), 0.0)
    pitch = np.where(turning, slide / np.where(turning, rate, 1.0), np.where(moving, np.inf, 0.0))
    kind = np.select([turning & (np.abs(slide) > least), turning, moving], ["screw", "rotation", "translation"], "rest")

    b = position(X_WB)
    reference = b if near is None else as_vectors(near, "near")
    on_axis = b + np.cross(direction, v) / np.where(turning, rate, 1.0)[..., None]
    nearest = on_axis + dot(reference - on_axis, direction)[..., None] * direction
    point = np.where(turning[..., None], nearest, reference)

    X_AW, X_BW = inverse(X_WA), inverse(X_WB)
    fixed = Axode(transform_vectors(X_AW, direction), transform_points(X_AW, point))
    rolling = Axode(transform_vectors(X_BW, direction), transform_points(X_BW, point))
    return ScrewMotion(kind, direction, point, pitch, np.where(turning, rate, 0.0), slide, fixed, rolling)


@dataclass(frozen=True)
class FiniteScrew(Screw):
    """The screw from one posture to another, in A's frame, with its `kind`: screw, rotation, translation or rest."""

    kind: Kinds


def finite_screw(X_AB: ArrayLike, X_AB_later: ArrayLike, length: float) -> FiniteScrew:
    """The one turn and slide (Chasles) that takes B from a first posture to a later one, seen from A.

    Angle in [0, pi], point nearest to A's origin, all in A's frame.

    Parameters
    ----------
    X_AB, X_AB_later : poses of B in A before and after (in the world, if A is the world)
    length : size of the machine [m]: slides below 1e-9 of it count as none
    """
    size = _positive(length, "length")
    before, after = np.asarray(X_AB, dtype=np.float64), np.asarray(X_AB_later, dtype=np.float64)
    found = screw_from_displacement(after @ inverse(before))
    # Rounding turns a translation by a last digit, about an axis that is anywhere.
    turning = found.angle > NO_TURN
    step = position(after) - position(before)
    slid = np.where(turning, np.abs(found.slide), _norm(step)) > NOTHING * size
    along = unit(np.where((~turning & slid)[..., None], step, np.where(turning[..., None], found.direction, _Z)))
    kind = np.select([turning & slid, turning, slid], ["screw", "rotation", "translation"], "rest")
    return FiniteScrew(
        along,
        np.where(turning[..., None], found.point, 0.0),
        np.where(turning, found.angle, 0.0),
        np.where(turning, found.slide, np.where(slid, _norm(step), 0.0)),
        kind,
    )


# --- in a plane -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Centrodes:
    """The pole of a planar motion of B against A, and the two curves it traces; made by `centrodes`.

    normal : unit normal of the plane, in A's frame; rate : angular velocity about it [rad/s]
    turning : where there is a pole; elsewhere (translation, rest) all components of the poles are inf
    pole : in the world; fixed, moving : in A's and in B's frame [m], in the plane through B's origin
    X_AB : poses of B in A
    run : the run of which it was asked, None where it was made from arrays
    """

    normal: Array
    rate: Array
    turning: Bools
    pole: Array
    fixed: Array
    moving: Array
    X_AB: Array
    run: Run | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"Centrodes: {self.turning.size} samples\n  {int(np.sum(self.turning))} with a pole"

    def plot(self, *, at: int | None = None, units: Units = None, ax: Axes | None = None) -> Panels:
        """Plot both centrodes with equal axes, seen from A; a ring marks where one rolls on the other.

        Parameters
        ----------
        at : number of the sample at which the moving centrode is drawn; without, where the body turns fastest
        units : units to show, {"length": "mm"}
        ax : axes to draw into; a new figure without
        """
        from linkwork.analyses.kinematics.screw_plots import describe_centrodes

        return describe_centrodes(self, at, units).draw(ax)


def centrodes(
    X_WA: ArrayLike,
    V_A: ArrayLike,
    X_WB: ArrayLike,
    V_B: ArrayLike,
    length: float,
    normal: ArrayLike | None = None,
    speed: float | None = None,
) -> Centrodes:
    """Instant centre of B against A and the fixed and moving centrode: pole = b + n x v / rate.

    Parameters
    ----------
    X_WA, X_WB : poses of the two bodies in the world; V_A, V_B : their twists
    length : size of the machine [m], for the judgement of what turns
    normal : of the plane, in A's frame; None: found from the angular velocities, with a positive largest component
    speed : [m/s], what counts as fast: speeds below 1e-9 of it are none; None: the fastest of all samples given
    """
    view = _planar(X_WA, V_A, X_WB, V_B, length, normal, speed)
    b = position(X_WB)
    pole = b + view.arm
    X_AW, X_BW = inverse(X_WA), inverse(X_WB)
    there = view.turning[..., None]
    fixed, moving = (np.where(there, transform_points(X, pole), np.inf) for X in (X_AW, X_BW))
    X_AB = X_AW @ np.asarray(X_WB, dtype=np.float64)
    return Centrodes(view.normal_A, view.rate, view.turning, np.where(there, pole, np.inf), fixed, moving, X_AB)


@dataclass(frozen=True)
class PoleMotion:
    """What accelerations tell about a planar motion of B against A; made by `pole_motion`. World axes, seen from A.

    velocity : of the pole along the fixed centrode [m/s], its pole change velocity; inf where there is no pole
    inflection_diameter : |velocity| / |rate| [m]; inflection_pole : the point of that circle opposite to the pole; inf
        where there is no pole. Points of the circle pass through a straight part of their paths
    acceleration_pole : the point of B without acceleration [m]; inf where `accelerating` is false
    accelerating : where there is an acceleration pole: B turns, or begins to
    run : the run of which it was asked, None where it was made from arrays
    """

    velocity: Array
    inflection_diameter: Array
    inflection_pole: Array
    acceleration_pole: Array
    accelerating: Bools
    run: Run | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        there = self.inflection_diameter[np.isfinite(self.inflection_diameter)]
        text = f"PoleMotion: {self.inflection_diameter.size} samples\n  {there.size} with a pole"
        if there.size:
            text += f", inflection circles of {there.min():.4g} to {there.max():.4g} m"
        return f"{text}; {int(np.sum(self.accelerating))} with an acceleration pole"

    def plot(self, *, x: str = "time", units: Units = None, ax: Axes | Sequence[Axes] | None = None) -> Panels:
        """Plot the speed of the pole and the diameter of the inflection circle.

        Parameters
        ----------
        x : the signal of the run to plot over; samples are counted where there is no run
        units : units to show, {"length": "mm"}
        ax : two axes to draw into; a new figure without
        """
        from linkwork.analyses.kinematics.screw_plots import describe_pole

        return describe_pole(self, x, units).draw(ax)


def pole_motion(
    X_WA: ArrayLike,
    V_A: ArrayLike,
    dV_A: ArrayLike,
    X_WB: ArrayLike,
    V_B: ArrayLike,
    dV_B: ArrayLike,
    length: float,
    normal: ArrayLike | None = None,
    speed: float | None = None,
) -> PoleMotion:
    """Velocity of the pole, inflection circle and acceleration pole of B against A.

    With v, a of B's origin seen from A, rate w and its rate e about n:  velocity u = v + n x (a w - v e) / w^2,
    inflection pole P - n x u / w, acceleration pole b + (w^2 a + e n x a) / (w^4 + e^2).

    Parameters
    ----------
    X_WA, X_WB : poses of the two bodies in the world; V_A, V_B : their twists; dV_A, dV_B : the rates of these
    length : size of the machine [m], for the judgement of what turns
    normal : of the plane, in A's frame; None: found from the angular velocities
    speed : [m/s], what counts as fast: speeds below 1e-9 of it are none; None: the fastest of all samples given
    """
    view = _planar(X_WA, V_A, X_WB, V_B, length, normal, speed)
    dV = relative_acceleration(X_WA, V_A, dV_A, X_WB, V_B, dV_B)
    n, w = view.normal, np.where(view.turning, view.rate, 1.0)[..., None]
    a = dV[..., :3] - dot(dV[..., :3], n)[..., None] * n
    e = dot(dV[..., 3:], n)[..., None]
    there = view.turning[..., None]

    u = view.v + np.cross(n, a * w - view.v * e) / w**2
    across = -np.cross(n, u) / w
    b = position(X_WB)

    # Turning and its rate, as one acceleration at the machine's size, against that of B's origin.
    w = view.rate[..., None]
    square = w**4 + e**2
    fastest = np.max(_norm(a), initial=0.0)
    accelerating = (np.sqrt(square) * length > NOTHING * max(float(fastest), 1e-300))[..., 0]
    held = accelerating[..., None]
    to_still = (w**2 * a + e * np.cross(n, a)) / np.where(held, square, 1.0)
    return PoleMotion(
        np.where(there, u, np.inf),
        np.where(view.turning, _norm(across), np.inf),
        np.where(there, b + view.arm + across, np.inf),
        np.where(held, b + to_still, np.inf),
        accelerating,
    )


@dataclass(frozen=True)
class _PlanarView:
    """Planar relative motion, world axes: `arm` from B's origin to the pole, 0 where there is none."""

    normal_A: Array
    normal: Array
    v: Array
    rate: Array
    turning: Bools
    arm: Array


def _planar(
    X_WA: ArrayLike,
    V_A: ArrayLike,
    X_WB: ArrayLike,
    V_B: ArrayLike,
    length: float,
    normal: ArrayLike | None,
    speed: float | None,
) -> _PlanarView:
    size = _positive(length, "length")
    V = relative_twist(X_WA, V_A, X_WB, V_B)
    fastest = _fastest(size, speed, V, V_A, V_B)
    v, w = V[..., :3], V[..., 3:]
    w_A = np.einsum("...ji,...j->...i", rotation(X_WA), w)  # a plane keeps its place in A, not in the world
    normal_A = _common_normal(w_A, size, NOTHING * fastest) if normal is None else unit(normal, "normal")
    n = transform_vectors(X_WA, normal_A)

    tilt = float(np.max(_norm(np.cross(n, w)) * size, initial=0.0))
    rise = float(np.max(np.abs(dot(n, v)), initial=0.0))
    if max(tilt, rise) > PLANAR * fastest:
        parts = f"{tilt / fastest:.2g} of its speed turns out of it, {rise / fastest:.2g} rises"
        what = f"the motion leaves the plane: {parts}"
        raise InputError(Problem(what, "normal", "give the normal of the plane in A's frame, or use relative_screw"))

    rate = dot(n, w)
    turning = np.abs(rate) * size > NOTHING * fastest
    in_plane = v - dot(v, n)[..., None] * n
    arm = np.where(turning[..., None], np.cross(n, in_plane) / np.where(turning, rate, 1.0)[..., None], 0.0)
    return _PlanarView(normal_A, n, in_plane, rate, turning, arm)


def _common_normal(w: Array, size: float, least: float) -> Array:
    """The direction that the angular velocities share: the largest principal axis of sum w w'."""
    rows = w.reshape(-1, 3)
    if not np.any(_norm(rows) * size > least):
        raise InputError(Problem("nothing turns, so the plane of motion is not known", "normal", "give its normal"))
    _, _, axes = np.linalg.svd(rows / np.max(np.abs(rows)), full_matrices=False)
    first: Array = axes[0]
    return unit(first if first[np.argmax(np.abs(first))] > 0.0 else -first)


# --- small helpers ----------------------------------------------------------------------------------------------------


def _joined(v: Array, w: Array) -> Array:
    return np.concatenate(np.broadcast_arrays(v, w), axis=-1)


def _positive(value: float, where: str) -> float:
    if not (math.isfinite(value) and value > 0.0):
        raise InputError(Problem(f"{where} is {value:g}", where, "give the size of the machine, a positive number"))
    return float(value)


def _fastest(size: float, speed: float | None, *twists: ArrayLike) -> float:
    """The largest of all |v| and |w| size; with a given `speed`, that. Never 0, so that rest is rest."""
    if speed is not None:
        return _positive(speed, "speed")
    arrays = [np.asarray(V, dtype=np.float64) for V in twists]
    bad = [name for name, V in zip(("relative twist", "V_A", "V_B"), arrays, strict=True) if not np.isfinite(V).all()]
    if bad:
        raise InputError(
            [Problem("there are numbers that are not finite", name, "leave those samples out") for name in bad]
        )
    speeds = [_norm(V[..., :3]) for V in arrays] + [size * _norm(V[..., 3:]) for V in arrays]
    return max(1e-300, *(float(np.max(s, initial=0.0)) for s in speeds))
