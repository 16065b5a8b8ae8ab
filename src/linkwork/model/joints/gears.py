"""Gears that roll without slip at the pitch point: parallel axes, rack and pinion, bevel.

Every gear keeps small variables besides its angle (centre distance, axial offset, shaft angle): the rest of the
machine fixes them, and without them the forces in those directions could not be told. Laws after Uicker, Ravani,
Sheth, Matrix Methods, sec. 4.6.9-11, with the centre-distance term of a true involute pair and the bevel ratio
sin γ / sin γ' that rolling demands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork import geometry as geo
from linkwork.errors import ModelError, Problem
from linkwork.geometry import Array
from linkwork.geometry.elementary import arccos, cos, sin, tan
from linkwork.model.joints.law import (
    ORIGIN,
    Key,
    Law,
    Motion,
    Variable,
    about_u,
    about_w,
    angle_about_w,
    assert_parallel,
    is_plain,
    nearest_turn,
    product,
    radial,
    transform,
)
from linkwork.units import ANGLE, LENGTH, Dimension

TEETH = (
    Key("pressure_angle", "angle", "20 deg unless given"),
    Key("helix_angle", "angle", usual=0.0),
    Key("flank", "whole", usual=0),
)
"""What gears and racks have in common."""


def involute(angle: Any) -> Any:
    """inv α = tan α - α."""
    return tan(angle) - angle


@dataclass(frozen=True)
class Gear(Law):
    """Two gears on parallel axes; w along the axis, u along the line of centres in the layout.

    `radius` and `mate` are the pitch radii [m] of the first and second gear. In an internal pair the inner (smaller)
    gear carries a minus sign, so that their sum is the centre distance in both cases. `flank` says which tooth flank
    carries and makes the angle follow the centre distance C as an involute pair does; 0 leaves that out:
        R' θ = (R + R') φ + flank (R + R') (inv α' - inv α) + z tan β,   cos α' = (R + R') cos α / C,
    so that with flank +1 the mate turns by + tan α / R' per metre of stretch. The helix angle β is positive when the
    teeth of an external mate are right-handed.
    """

    radius: float
    mate: float
    pressure_angle: float = math.radians(20.0)
    helix_angle: float = 0.0
    flank: int = 0
    teeth: tuple[int, int] | None = None
    kind, letter = "gear", "G"
    variables = (Variable("angle", "angle"), Variable("stretch", "length"), Variable("axial", "length"))
    keep = 0
    about = "Two gears on parallel axes, centred at `at` and `to`. Variables: angle, stretch, axial."
    keys = (
        *TEETH,
        Key("radii", "lengths"),
        Key("teeth", "wholes"),
        Key("module", "length"),
        Key("internal", "switch", "true when one gear is a ring around the other", usual=False),
    )
    placing = "centres"
    symbol = "wheels"

    def __post_init__(self) -> None:
        if is_plain(self.radius) and is_plain(self.mate):
            if self.radius == 0.0 or self.mate == 0.0 or not math.isfinite(self.radius + self.mate):
                raise ModelError(Problem(f"radii {self.radius:g} and {self.mate:g}", hint="give two positive radii"))
            if self.radius + self.mate <= 0.0:
                hint = "in an internal pair the radii must differ"
                raise ModelError(Problem("the pitch circles leave no distance between the centres", hint=hint))
        _assert_tooth_angles(self.pressure_angle, self.helix_angle, self.flank)
        if self.flank and is_plain(self.pressure_angle) and self.pressure_angle == 0.0:
            hint = "give the angle, or leave `flank` out"
            raise ModelError(Problem("a tooth flank without a pressure angle", hint=hint))

    def motion(self, q: Sequence[Any]) -> Motion:
        angle, stretch, axial = q
        nominal = self.radius + self.mate
        centre = nominal + stretch
        rolled = nominal * angle + tan(self.helix_angle) * axial
        if self.flank:
            working = arccos(nominal * cos(self.pressure_angle) / centre)
            rolled = rolled + self.flank * nominal * (involute(working) - involute(self.pressure_angle))
        return about_w(rolled / self.mate), (centre * cos(angle), centre * sin(angle), axial)

    def checked(self, q: tuple[float, ...]) -> tuple[float, ...]:
        # Involutes touch only while the centres are further apart than the base circles, (R + R') cos α.
        nominal = self.radius + self.mate
        least = nominal * math.cos(self.pressure_angle)
        if self.flank and nominal + q[1] <= least:
            text = f"the centre distance is {nominal + q[1]:.6g} m, involute teeth jam at {least:.6g} m"
            raise ModelError(Problem(text, hint="check the centres and the radii, or leave `flank` out"))
        return q

    def recover(self, X_FM: Array) -> Array:
        x, y, axial = geo.position(X_FM)
        nominal = self.radius + self.mate
        stretch = math.hypot(x, y) - nominal
        # Angle of the mate at zero gear angle, then the turn that explains the angle seen.
        offset = angle_about_w(transform(self, (0.0, stretch, axial)))
        angle = nearest_turn(math.atan2(y, x), nominal / self.mate, angle_about_w(X_FM) - offset)
        return np.array([angle, stretch, axial])

    def seat(self, X_WF: Array, X_WM: Array | None, value: Sequence[float] | None) -> tuple[Array, Array]:
        if X_WM is None:
            return super().seat(X_WF, X_WM, value)
        w = X_WF[:3, 2]
        hint = "gears on crossing axes are `bevel`; give both the same axis"
        assert_parallel(w, X_WM[:3, 2], "the gear axes are not parallel", hint)
        where = "the gear centres lie on one axis"
        u, distance, axial = radial(X_WM[:3, 3] - X_WF[:3, 3], w, where, "`at` and `to` are the two gear centres")
        X_WF = geo.frame_from_axis(X_WF[:3, 3], w, u)
        return X_WF, X_WF @ transform(self, self.checked((0.0, distance - self.radius - self.mate, axial)))

    def concerns(self, q: Array, length: Callable[[float], str]) -> list[Problem]:
        smallest = min(abs(self.radius), abs(self.mate))
        return _mesh_concerns(q[1], self.radius + self.mate, self._module(), smallest, length)

    def _module(self) -> float | None:
        return None if self.teeth is None else 2 * abs(self.radius) / self.teeth[0]

    def reach(self) -> float:
        return abs(self.radius) + abs(self.mate)

    def measure(self, number: str) -> Dimension:
        return LENGTH if number in ("radius", "mate") else super().measure(number)

    def words(self) -> dict[str, Any]:
        internal = True if self.radius < 0.0 or self.mate < 0.0 else None
        return {"radii": (abs(self.radius), abs(self.mate)), "teeth": self.teeth, "internal": internal, **_tooth(self)}

    def wheels(self) -> tuple[float, float]:
        return abs(self.radius), abs(self.mate)


@dataclass(frozen=True)
class Rack(Law):
    """A rack (first body) and a pinion (second): w along the pinion axis, u along the rack, v from rack to pinion.

    `radius` is the pinion's pitch radius [m], negative when the pinion lies on the -v side of the rack:
        R' θ = -(x - flank y tan α - z tan β),
    so that with flank +1 the pinion turns by + tan α / R' per metre of stretch: the limit of a large gear.
    """

    radius: float
    pressure_angle: float = math.radians(20.0)
    helix_angle: float = 0.0
    flank: int = 0
    teeth: int | None = None
    kind, letter = "rack", "K"
    variables = (Variable("slide", "length"), Variable("stretch", "length"), Variable("axial", "length"))
    keep = 0
    about = (
        "A rack and pinion: [rack, pinion]; `at` is a point of the rack's pitch line. Variables: slide, stretch, axial."
    )
    keys = (*TEETH, Key("radius", "length", needed=True), Key("teeth", "whole"))
    placing = "centres"
    symbol = "rack"

    def __post_init__(self) -> None:
        if is_plain(self.radius) and not (math.isfinite(self.radius) and self.radius != 0.0):
            raise ModelError(Problem(f"the radius is {self.radius:g}", hint="give the pinion's pitch radius"))
        _assert_tooth_angles(self.pressure_angle, self.helix_angle, self.flank)

    def motion(self, q: Sequence[Any]) -> Motion:
        slide, stretch, axial = q
        rolled = slide - tan(self.helix_angle) * axial
        if self.flank:
            rolled = rolled - self.flank * tan(self.pressure_angle) * stretch
        return about_w(-rolled / self.radius), (slide, self.radius + stretch, axial)

    def recover(self, X_FM: Array) -> Array:
        x, y, z = geo.position(X_FM)
        return np.array([x, y - self.radius, z])

    def seat(self, X_WF: Array, X_WM: Array | None, value: Sequence[float] | None) -> tuple[Array, Array]:
        if X_WM is None:
            return super().seat(X_WF, X_WM, value)
        hint = "give the pinion's axis as `axis`"
        assert_parallel(X_WF[:3, 2], X_WM[:3, 2], "rack and pinion axes are not parallel", hint)
        X_FM: Array = geo.inverse(X_WF) @ X_WM
        return X_WF, X_WF @ transform(self, self.recover(X_FM))

    def concerns(self, q: Array, length: Callable[[float], str]) -> list[Problem]:
        if (self.radius + q[1]) * self.radius < 0.0:
            hint = "turn `x` (the rack's direction) round, or make the radius negative"
            return [Problem("the pinion lies on the other side of the rack", hint=hint)]
        module = None if self.teeth is None else 2 * abs(self.radius) / self.teeth
        return _mesh_concerns(q[1], self.radius, module, abs(self.radius), length)

    def reach(self) -> float:
        return abs(self.radius)

    def words(self) -> dict[str, Any]:
        return {"radius": self.radius, "teeth": self.teeth, **_tooth(self)}

    def wheels(self) -> tuple[float, float]:
        return 2 * abs(self.radius), abs(self.radius)


@dataclass(frozen=True)
class Bevel(Law):
    """Two straight bevel gears with a common apex: cones of half angle `cone` and `mate` [rad].

    w is the first axis and w' the second, both pointing from the apex to the gears; Φ = Rz(φ) Rx(γ+γ'+ψ) Rz(ρφ),
    ρ = sin γ / sin γ'. In an internal pair the inner (smaller) cone carries a minus sign.
    """

    cone: float
    mate: float
    kind, letter = "bevel", "B"
    variables = (Variable("angle", "angle"), Variable("spread", "angle"))
    keep = 0
    about = "Two straight bevel gears. Variables: angle, spread."
    keys = (
        Key("cones", "angles", "half angles of the pitch cones"),
        Key("teeth", "wholes"),
        Key("internal", "switch", usual=False),
    )
    placing = "apex"
    symbol, plane = "bevels", "space"
    feels = "turns about a point"

    def __post_init__(self) -> None:
        if is_plain(self.cone) and is_plain(self.mate):
            if not all(1e-6 < abs(a) < math.pi for a in (self.cone, self.mate)):
                raise ModelError(Problem("cone angles must lie between 0 and 180 deg"))
            if not 0.0 < self.cone + self.mate < math.pi:
                raise ModelError(Problem("the cone angles must add up to a shaft angle between 0 and 180 deg"))

    def motion(self, q: Sequence[Any]) -> Motion:
        angle, spread = q
        ratio = sin(self.cone) / sin(self.mate)
        turned = product(about_w(angle), about_u(self.cone + self.mate + spread))
        return product(turned, about_w(ratio * angle)), ORIGIN

    def recover(self, X_FM: Array) -> Array:
        shaft = math.atan2(math.hypot(X_FM[0, 2], X_FM[1, 2]), X_FM[2, 2])
        seen = math.atan2(X_FM[2, 0], X_FM[2, 1])
        ratio = math.sin(self.cone) / math.sin(self.mate)
        angle = nearest_turn(math.atan2(X_FM[0, 2], -X_FM[1, 2]), ratio, seen)
        return np.array([angle, shaft - self.cone - self.mate])

    def seat(self, X_WF: Array, X_WM: Array | None, value: Sequence[float] | None) -> tuple[Array, Array]:
        if X_WM is None:
            return super().seat(X_WF, X_WM, value)
        w = X_WF[:3, 2]
        where = "the bevel axes are parallel"
        across, sine, cosine = radial(X_WM[:3, 2], w, where, "gears on parallel axes are `gear`")
        v = -across
        F = geo.frame_from_axis(X_WF[:3, 3], w, np.cross(v, w))
        M = F @ transform(self, (0.0, math.atan2(sine, cosine) - self.cone - self.mate))
        M[:3, 3] = X_WM[:3, 3]  # a second apex elsewhere is a misfit, to be reported
        return F, M

    def concerns(self, q: Array, length: Callable[[float], str]) -> list[Problem]:
        spread = math.degrees(q[1])
        if abs(spread) > 5.0:
            wanted = math.degrees(self.cone + self.mate)
            text = f"the shafts are {wanted + spread:.4g} deg apart, the cones ask for {wanted:.4g} deg"
            return [Problem(text, hint="let both axes point from the apex to the gears, and check the cone angles")]
        return []

    def measure(self, number: str) -> Dimension:
        return ANGLE

    def words(self) -> dict[str, Any]:
        internal = True if self.cone < 0.0 or self.mate < 0.0 else None
        return {"cones": (abs(self.cone), abs(self.mate)), "internal": internal}


def _tooth(law: Gear | Rack) -> dict[str, Any]:
    return {"pressure_angle": law.pressure_angle, "helix_angle": law.helix_angle, "flank": law.flank or None}


def _mesh_concerns(
    stretch: float, nominal: float, module: float | None, smallest: float, length: Callable[[float], str]
) -> list[Problem]:
    """Teeth mesh while the centres are off by less than a module (or a fifth of the smaller radius)."""
    allowed = module if module is not None else 0.2 * smallest
    if abs(stretch) <= allowed * (1 + 1e-9):
        return []
    seen, wanted = length(abs(nominal + stretch)), length(abs(nominal))
    text = f"the centre distance is {seen}, the pitch radii ask for {wanted}"
    return [Problem(text, hint="check the centres `at` and `to`, the radii, and whether the pair is internal")]


def _assert_tooth_angles(pressure: Any, helix: Any, flank: int) -> None:
    if is_plain(pressure) and not 0.0 <= pressure < math.radians(60.0):
        hint = "usual is 20 deg"
        raise ModelError(Problem(f"the pressure angle is {math.degrees(pressure):.4g} deg", hint=hint))
    if is_plain(helix) and not abs(helix) < math.radians(80.0):
        raise ModelError(Problem(f"the helix angle is {math.degrees(helix):.4g} deg", hint="keep it below 80 deg"))
    if flank not in (-1, 0, 1):
        raise ModelError(Problem(f"flank is {flank}", hint="write 0, 1 or -1"))
