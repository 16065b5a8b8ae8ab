"""What acts on a machine besides gravity: springs, dampers, friction, motors, forces and torques. Plain records, SI.

Joints are named by their variable (`A.angle`); points, bodies and joints by their names in the mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from linkwork.model.amounts import Amount
from linkwork.model.vectors import Vector


@dataclass(frozen=True)
class Spring:
    """A spring, a damper, or both, along a joint variable or between two points.

    tension = preload + stiffness x + damping v + law(x, v, ...)

    where x is the elongation, the variable or the distance of the points less its `free` value, and v its rate. A
    tension pulls: it tends to shorten the distance, or to lower the variable.

    variable : of a joint; or else first, second : points
    free : value or length without tension; None for that of the layout
    stiffness [N/m, N m/rad], damping [N s/m, N m s/rad], preload [N, N m] : parameters
    """

    name: str
    variable: str | None = None
    first: str | None = None
    second: str | None = None
    stiffness: float = 0.0
    free: float | None = None
    damping: float = 0.0
    preload: float = 0.0
    law: Amount | None = None
    description: str = ""


@dataclass(frozen=True)
class Friction:
    """Dry and viscous friction in a joint: it opposes the rate r of a variable.

    force = -level sign(r) - viscous r,   level = forward for r > 0, backward for r < 0

    form : "smooth": sign(r) becomes tanh(r / speed); "exact": at rest it holds with up to `static` times the level
    forward, backward [N, N m] : levels; with a coefficient they are coefficient · radius · |normal| instead
    normal : normal force [N] that a coefficient needs; radius [m] : lever of the friction force, 1 for slides
    """

    name: str
    variable: str
    forward: float = 0.0
    backward: float = 0.0
    static: float = 1.0
    viscous: float = 0.0
    speed: float = 1e-3
    form: Literal["smooth", "exact"] = "smooth"
    coefficient: float = 0.0
    radius: float = 1.0
    normal: Amount | None = None
    description: str = ""


@dataclass(frozen=True)
class Motor:
    """A motor on a joint variable, through a gear: motor speed = ratio · rate.

    Its rotor resists with ratio² · rotor_inertia, its bearings with ratio² · damping · rate and |ratio| · friction.

    ratio : [1], or [rad/m] on a slide; may be negative
    rotor_inertia [kg m²], damping [N m s/rad], friction_forward, friction_backward [N m] : at the motor shaft;
        forward is where the joint variable grows
    efficiency : of the gear, 0 to 1
    stall [N m], no_load [rad/s] : ends of its straight torque-speed line; peak [N m] : torque that its current allows
    """

    name: str
    variable: str
    ratio: float = 1.0
    rotor_inertia: float = 0.0
    damping: float = 0.0
    friction_forward: float = 0.0
    friction_backward: float = 0.0
    efficiency: float = 1.0
    stall: float | None = None
    no_load: float | None = None
    peak: float | None = None
    description: str = ""


@dataclass(frozen=True)
class InSpace:
    """A direction that stands still in space."""

    vector: Vector


@dataclass(frozen=True)
class OnBody:
    """A direction that turns with a body, given along the layout's axes in the layout posture."""

    body: str
    vector: Vector


@dataclass(frozen=True)
class Toward:
    """The direction from one point to another, wherever they are."""

    start: str
    end: str


Direction = InSpace | OnBody | Toward


@dataclass(frozen=True)
class Force:
    """A force [N] on a point of a body."""

    name: str
    point: str
    along: Direction
    amount: Amount
    description: str = ""


@dataclass(frozen=True)
class Torque:
    """A torque [N m] on a body."""

    name: str
    body: str
    about: Direction
    amount: Amount
    description: str = ""


@dataclass(frozen=True)
class JointLoad:
    """A force [N] or torque [N m] that acts with a joint variable: positive, it tends to increase it."""

    name: str
    variable: str
    amount: Amount
    description: str = ""


Load = Spring | Friction | Force | Torque | JointLoad
