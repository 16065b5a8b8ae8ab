"""The profile of a plate cam from the law of its follower, with pressure angle and radii of curvature.

The cam turns about its centre by φ, positive about z; the follower stays beside it. Seen from the cam the follower goes
round the other way, along the axes

    e_x = (cos φ, -sin φ),   e_y = (sin φ, cos φ)    with  e_x' = -e_y,  e_y' = e_x

A translating follower moves along e_y, at x = `offset`; a swinging one turns about a pivot at x = `pivot`, its arm (or
face) ψ away from the line to the cam's centre. With the centre of its roller at p(φ) along these axes the pitch curve
is P = p_x e_x + p_y e_y, its tangent T = (p_x' + p_y, p_y' - p_x), its outward normal n = (-T_y, T_x) / |T|:

    translating   p = (e, √(r0² - e²) + s)                        r0 = base + roller
    swinging      p = (c - a cos ψ, a sin ψ),  ψ = ψ0 + s         cos ψ0 = (c² + a² - r0²) / 2ac
    pressure      angle from the follower's way to n;  tan α = (s' - e) / p_y of a translating one
    curvature     ρ = |T|³ / (T' × T) of the pitch curve; of the profile, which lies `roller` within, ρ - roller

A flat face has the distance h from the centre and touches beside its foot; the profile is the envelope of its lines:

    translating   h = base + s,            contact s' beside the line of motion,  ρ = h + s''
    swinging      h = c sin ψ + f,         contact c cos ψ / (1 + s') from the foot of the pivot on the face
                  sin ψ0 = (base - f) / c, ρ = h + h_θθ, the normal being at θ = π/2 - φ - ψ

The roller undercuts where the pitch curve bends outward less than it: 0 < ρ < roller; a face where ρ <= 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from linkwork.drives import Drive
from linkwork.errors import Gathered, InputError, ModelError, Problem, did_you_mean
from linkwork.geometry import Array
from linkwork.geometry.types import Bools
from linkwork.model.curves import SplineCurve
from linkwork.model.vectors import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results import Panels
    from linkwork.results.signals import Units

Follower = Literal["roller", "knife", "flat"]
CLOSED = 1e-9
"""Part of the lift by which a law may miss its beginning after a turn: rounding."""
TURN = 2.0 * np.pi
USUAL_PRESSURE = {"translating": np.radians(30.0), "swinging": np.radians(45.0)}
"""Pressure angles beyond which followers tend to jam."""
STRAIGHT = 1e-12
"""Curvature in parts of 1 / base below which a profile is straight."""


@dataclass(frozen=True, eq=False)
class CamProfile:
    """A plate cam for a follower; made by `cam_profile`. Arrays have one row a sample, over a turn of the cam.

    follower : 'roller', 'knife' or 'flat'; swinging : whether it turns about a pivot; base, roller : radii [m]
    angle : of the cam [rad]; lift : of the follower, with three derivatives by the angle (4, samples) [m or rad]
    pitch, profile : points of the curve on which the roller's centre runs, and of the cam (samples, 2) [m], along axes
        of the cam that are those of the world at angle 0; of a flat face pitch and profile are the same
    pressure : pressure angle [rad], positive where the follower is pushed aside against the turning
    radius : of curvature of the profile [m], negative where it is hollow, infinite where it is straight
    contact : where a flat face is touched [m]: beside the line of motion, or from the foot of the pivot
    curve : the one that joints take: the pitch curve of a roller for `point_on_curve`, the profile of a face for
        `line_on_curve`
    deviation : largest distance of `curve`, a spline through points, from where it should be [m]
    start : angle of a swinging follower at lift 0 [rad], from the line to the cam's centre
    warnings : what you should know
    """

    follower: Follower
    swinging: bool
    base: float
    roller: float
    angle: Array
    lift: Array
    pitch: Array
    profile: Array
    pressure: Array
    radius: Array
    contact: Array
    curve: SplineCurve = field(repr=False)
    deviation: float
    start: float
    warnings: tuple[str, ...]

    @cached_property
    def undercut(self) -> Bools:
        """Samples at which the profile cannot be made: the cutter takes away what the follower would rest on."""
        if self.follower == "flat":
            found: Bools = self.radius <= 0.0
            return found
        around: Bools = (self.radius + self.roller > 0.0) & (self.radius < 0.0)
        return around

    @property
    def worst_pressure(self) -> float:
        """The pressure angle that is largest in size [rad], with its sign."""
        return float(self.pressure[int(np.argmax(np.abs(self.pressure)))])

    @property
    def least_radius(self) -> float:
        """The smallest radius of curvature of the profile where it bends outward [m]; below 0 where it undercuts."""
        bends = (self.radius > 0.0) | self.undercut
        return float(self.radius[bends].min()) if bends.any() else np.inf

    @property
    def face(self) -> tuple[float, float]:
        """Between which places a flat face is touched [m]: what its width must cover."""
        return float(self.contact.min()), float(self.contact.max())

    def __str__(self) -> str:
        way = "swinging" if self.swinging else "translating"
        kind = {"flat": "flat-faced", "knife": "knife-edge", "roller": "roller"}[self.follower]
        at = np.degrees(self.angle[int(np.argmax(np.abs(self.pressure)))])
        lines = [f"cam for a {way} {kind} follower, base radius {self.base:.6g} m"]
        unit = "rad" if self.swinging else "m"
        lines.append(f"  lift {self.lift[0].min():.6g} to {self.lift[0].max():.6g} {unit}")
        lines.append(f"  largest pressure angle {np.degrees(self.worst_pressure):.4g} deg at {at:.4g} deg")
        lines.append(f"  least radius of curvature {self.least_radius:.4g} m; curve within {self.deviation:.1e} m")
        if self.follower == "flat":
            lines.append("  face touched from {:.4g} m to {:.4g} m".format(*self.face))
        return "\n".join([*lines, *(f"  warning: {text}" for text in self.warnings)])

    def plot(self, *, units: Units = None, ax: Axes | Sequence[Axes] | None = None) -> Panels:
        """Plot lift, pressure angle and radius of curvature over the angle of the cam.

        Parameters
        ----------
        units : units to show
        ax : axes to draw into; a new figure without
        """
        from linkwork.results.plots import Quantity, Series, describe_over
        from linkwork.units import UnitSystem

        limit = 20.0 * self.base  # of flat places there is no more to see
        shown = [
            Quantity("lift", "rad" if self.swinging else "m", self.lift[0]),
            Quantity("pressure angle", "rad", self.pressure),
            Quantity("radius of curvature", "m", np.where(np.abs(self.radius) < limit, self.radius, np.nan)),
        ]
        default = UnitSystem(length="mm", angle="deg")
        x = Quantity("angle of the cam", "rad", self.angle)
        return describe_over([Series(shown, x)], units=units, title=str(self).split(",")[0], default=default).draw(ax)


def cam_profile(
    law: Drive,
    base: float,
    *,
    follower: Follower = "roller",
    roller: float = 0.0,
    offset: float = 0.0,
    pivot: float | None = None,
    arm: float | None = None,
    points: int = 120,
    samples: int = 721,
    name: str = "cam_curve",
) -> CamProfile:
    """The plate cam that moves a follower by a law.

    Parameters
    ----------
    law : lift [m], or angle of a swinging follower [rad], over the angle of the cam [rad] instead of time: a drive
        that lasts a turn (its durations are angles), or one that goes on and has a period of a turn
    base : radius of the base circle [m], of the profile
    follower : 'roller', 'knife' (an edge: a roller of radius 0), or 'flat' (a face across the motion, or along the arm)
    roller : its radius [m]
    offset : of the line along which a roller moves, from the cam's centre along x [m]; of a swinging face, from its
        pivot away from the cam
    pivot : distance of the pivot of a swinging follower from the cam's centre [m]; without, it translates along y
    arm : length of the arm of a swinging roller [m]
    points : of the spline that `curve` is
    samples : of all arrays, over a turn; both ends count
    name : of the curve
    """
    given = _checked(law, base, follower, roller, offset, pivot, arm, points, samples)
    phi = np.linspace(0.0, TURN, samples)
    found = _at(given, phi)
    radius, between = found["radius"], np.arange(points) * TURN / points
    shape = _at(given, between)
    joined = "profile" if follower == "flat" else "pitch"
    curve = SplineCurve(name, tuple((float(x), float(y)) for x, y in shape[joined]), closed=True)
    deviation = _deviation(given, curve, joined)
    made = CamProfile(
        follower, given.swings, given.base, given.roller, phi, found["lift"], found["pitch"], found["profile"],
        found["pressure"], radius, found["contact"], curve, deviation, given.start, (),
    )  # fmt: skip
    object.__setattr__(made, "warnings", tuple(_told(made, law)))
    return made


@dataclass(frozen=True)
class _Given:
    """What a profile is made from; start : ψ0 of a swinging follower."""

    law: Drive
    base: float
    follower: Follower
    roller: float
    offset: float
    pivot: float
    arm: float
    start: float

    @property
    def swings(self) -> bool:
        return self.pivot > 0.0


def _checked(
    law: Any, base: Any, follower: Any, roller: Any, offset: Any, pivot: Any, arm: Any, points: Any, samples: Any
) -> _Given:
    """InputError with everything that is wrong."""
    wrong = Gathered("cam_profile")
    values = {"base": base, "roller": roller, "offset": offset, "pivot": pivot, "arm": arm}
    told: dict[str, float] = {}
    for key, value in values.items():
        try:
            told[key] = 0.0 if value is None else number(value, key)
        except ModelError as error:
            wrong.problems += error.problems
    for key, value, least in (("points", points, 12), ("samples", samples, 13)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            wrong.problems.append(Problem(f"{value!r} is too few or no whole number", key, f"give {least} or more"))
    if follower not in get_args(Follower):
        hint = did_you_mean(str(follower), get_args(Follower))
        wrong.problems.append(Problem(f"there is no follower '{follower}'", "follower", hint))
    if not isinstance(law, Drive):
        hint = "such as lw.cycloidal(0, 0.01, duration=2*pi), with angles for times"
        wrong.problems.append(Problem(f"a {type(law).__name__} is no law", "law", hint))
    else:
        wrong.problems += _law_problems(law)
    wrong.tell()
    wrong.problems += _size_problems(follower, told, pivot is not None, arm is not None)
    wrong.tell()
    b, rho, e, c, a = told.values()
    start = 0.0
    if pivot is not None:
        r = b + rho
        cosine = (b - e) / c if follower == "flat" else (c * c + a * a - r * r) / (2.0 * c * a)
        if not abs(cosine) < 1.0:
            hint = (
                "the arm must reach from the pivot to the base circle" if follower != "flat" else "move the pivot away"
            )
            raise InputError(Problem("the follower cannot touch the base circle", "pivot", hint), "cam_profile")
        start = float(np.arcsin(cosine) if follower == "flat" else np.arccos(cosine))
    return _Given(law, b, follower, rho, e, c, a, start)


def _law_problems(law: Drive) -> list[Problem]:
    if law.duration is not None and abs(law.duration - TURN) > 1e-9:
        hint = (
            f"let its angles, which stand for durations, add up to 360 deg: they are {np.degrees(law.duration):.6g} deg"
        )
        return [Problem("the law does not last a turn", "law", hint)]
    begin, end = law.sample(0.0), law.sample(TURN)
    lift = float(np.ptp(law.sample(np.linspace(0.0, TURN, 721))[0]))
    if abs(end[0] - begin[0]) > CLOSED * max(lift, 1e-12):
        return [Problem(f"the law ends at {end[0]:.6g} and begins at {begin[0]:.6g}", "law", "let it come back")]
    return []


def _size_problems(follower: str, told: dict[str, float], swings: bool, armed: bool) -> list[Problem]:
    b, rho, e, c, a = told.values()
    found = []
    if not b > 0.0:
        found.append(Problem(f"the radius is {b:g}", "base", "give a positive length [m]"))
    if rho < 0.0 or (rho == 0.0 and follower == "roller"):
        found.append(Problem(f"the radius is {rho:g}", "roller", "give a positive length [m], or follower='knife'"))
    if rho and follower != "roller":
        found.append(Problem(f"a {follower} follower has no roller", "roller", "leave it out"))
    if swings and not c > 0.0:
        found.append(Problem(f"the distance is {c:g}", "pivot", "give a positive length [m]"))
    if armed and (not swings or follower == "flat"):
        found.append(Problem("only a swinging roller or edge has an arm", "arm", "leave it out, or give `pivot`"))
    if swings and follower != "flat" and not a > 0.0:
        found.append(Problem("the arm of a swinging follower is missing", "arm", "give a positive length [m]"))
    if e and follower == "flat" and not swings:
        found.append(Problem("an offset changes nothing of a flat face that translates", "offset", "leave it out"))
    if e and follower != "flat" and swings:
        found.append(Problem("a swinging roller has an arm, and no offset", "offset", "leave it out"))
    if abs(e) >= b + rho and follower != "flat" and not swings:
        found.append(Problem(f"the line of motion misses the base circle: {e:g}", "offset", "make it smaller"))
    return found


def _at(own: _Given, phi: Array) -> dict[str, Array]:
    """Everything at angles of the cam."""
    s, ds, dds, ddds = (np.asarray(x) for x in own.law.sample(phi))
    found = _flat(own, s, ds, dds) if own.follower == "flat" else _round(own, s, ds, dds)
    x, y = np.stack([np.cos(phi), -np.sin(phi)], axis=1), np.stack([np.sin(phi), np.cos(phi)], axis=1)
    placed = {k: found[k][:, :1] * x + found[k][:, 1:] * y for k in ("pitch", "profile")}
    return {**found, **placed, "lift": np.stack([s, ds, dds, ddds])}


def _round(own: _Given, s: Array, ds: Array, dds: Array) -> dict[str, Array]:
    """A roller or an edge, along the axes of the follower."""
    if own.swings:
        psi, c, a = own.start + s, own.pivot, own.arm
        along, across = np.stack([np.sin(psi), np.cos(psi)], axis=1), np.stack([np.cos(psi), -np.sin(psi)], axis=1)
        p = np.stack([c - a * np.cos(psi), a * np.sin(psi)], axis=1)
        dp, ddp = a * ds[:, None] * along, a * (dds[:, None] * along + (ds**2)[:, None] * across)
        way = along
    else:
        level = np.sqrt((own.base + own.roller) ** 2 - own.offset**2)
        p = np.stack([own.offset + 0.0 * s, level + s], axis=1)
        dp, ddp = (np.stack([0.0 * s, x], axis=1) for x in (ds, dds))
        way = np.stack([0.0 * s, 1.0 + 0.0 * s], axis=1)
    T = np.stack([dp[:, 0] + p[:, 1], dp[:, 1] - p[:, 0]], axis=1)
    dT = np.stack([ddp[:, 0] + dp[:, 1] + T[:, 1], ddp[:, 1] - dp[:, 0] - T[:, 0]], axis=1)
    size = np.hypot(T[:, 0], T[:, 1])
    n = np.stack([-T[:, 1], T[:, 0]], axis=1) / size[:, None]
    bend = (dT[:, 0] * T[:, 1] - dT[:, 1] * T[:, 0]) / size**3
    straight = np.abs(bend) < STRAIGHT / own.base
    radius = np.where(straight, np.inf, 1.0 / np.where(straight, 1.0, bend)) - own.roller
    sine, cosine = n[:, 1] * way[:, 0] - n[:, 0] * way[:, 1], (n * way).sum(axis=1)
    return {"pitch": p, "profile": p - own.roller * n, "pressure": np.arctan2(sine, cosine), "radius": radius,
            "contact": np.zeros(len(s))}  # fmt: skip


def _flat(own: _Given, s: Array, ds: Array, dds: Array) -> dict[str, Array]:
    """A flat face, along the axes of the follower."""
    if not own.swings:
        place = np.stack([ds, own.base + s], axis=1)
        return {"pitch": place, "profile": place, "pressure": 0.0 * s, "radius": own.base + s + dds, "contact": ds}
    psi, c = own.start + s, own.pivot
    m, d = np.stack([np.sin(psi), np.cos(psi)], axis=1), np.stack([-np.cos(psi), np.sin(psi)], axis=1)
    turning = 1.0 + ds
    contact = c * np.cos(psi) / turning
    slope = (c * np.sin(psi) * ds**2 - c * np.cos(psi) * dds / turning) / turning
    h = c * np.sin(psi) + own.offset
    place = np.array([c, 0.0]) + contact[:, None] * d + own.offset * m
    pressure = np.arctan2(own.offset, contact)
    return {"pitch": place, "profile": place, "pressure": pressure, "radius": h - slope / turning, "contact": contact}


def _deviation(own: _Given, curve: SplineCurve, joined: str) -> float:
    """How far the curve is at most from the true one between its points: across it, a step of Newton's along it."""
    count = len(curve.points)
    phi = (np.arange(4 * count) + 0.5) * TURN / (4 * count)
    true = _at(own, phi)[joined]
    t, u, v = curve.samples(32 * count + 1)
    near = np.argmin(np.hypot(u[None, :] - true[:, :1], v[None, :] - true[:, 1:]), axis=1)
    t = t[near]
    for _ in range(3):
        (u, v), (du, dv) = curve.derivatives(t, 1)
        t = t + ((true[:, 0] - u) * du + (true[:, 1] - v) * dv) / (du * du + dv * dv)
    u, v = curve.point(t)
    return float(np.hypot(u - true[:, 0], v - true[:, 1]).max())


def _told(made: CamProfile, law: Drive) -> list[str]:
    told = []
    where = np.degrees(made.angle)
    if made.undercut.any():
        first = where[int(np.argmax(made.undercut))]
        remedy = "a larger base" if made.follower == "flat" else "a smaller roller or a larger base"
        told.append(
            f"undercut at {int(made.undercut.sum())} of {len(where)} samples, first at {first:.4g} deg: {remedy}"
        )
    hollow = (made.radius < 0.0) & ~made.undercut
    if hollow.any() and made.follower == "roller":
        told.append(
            f"the profile is hollow, down to a radius of {-made.radius[hollow].max():.4g} m: so must the cutter be"
        )
    usual = USUAL_PRESSURE["swinging" if made.swinging else "translating"]
    if abs(made.worst_pressure) > usual:
        text = f"the pressure angle reaches {np.degrees(made.worst_pressure):.4g} deg, beyond the usual"
        told.append(f"{text} {np.degrees(usual):.4g} deg: a larger base, or an offset")
    before, after = law.sample(TURN)[1:3], law.sample(0.0)[1:3]
    if law.breaks or np.abs(after - before).max() > 1e-6 * max(float(np.abs(made.lift[1:3]).max()), 1e-12):
        told.append("rate or acceleration of the law jump: accelerations of the follower will, too")
    return told
