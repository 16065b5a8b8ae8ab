"""Mechanisms whose forces are known, with the numbers: one place for every test of loads, reactions and accelerations.

Each is drawn in the posture in which its numbers hold. Reactions are what the first body of a joint exerts on the
second; forces are along the world's axes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from kinematic_machines import angle_of, cardan, pin, unit

import linkwork as lw
from linkwork.model.amounts import Steady
from linkwork.model.loads import Force, InSpace, JointLoad, Spring, Torque

Array = np.ndarray
COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")
IN_PLANE = ("fz", "mx", "my")
"""What no plane can tell of a pin along z."""


def turned(at: Any, angle: float) -> Any:
    """A body's frame at a place, turned about z."""
    return lw.placement(at, rpy=(0.0, 0.0, angle))


def bar(zz: float) -> tuple[float, float, float]:
    """A flat body's moments of inertia; only zz counts in its plane."""
    return (zz / 2, zz / 2, zz)


@dataclass(frozen=True)
class Known:
    """What a machine does in the posture it is drawn in.

    rates, accelerations : of the independent variables
    efforts : by driver; forces : by joint, along the world's x and y [N]
    indeterminate : by joint, components along M's axes that have no value
    """

    rates: Mapping[str, float] = field(default_factory=dict)
    accelerations: Mapping[str, float] = field(default_factory=dict)
    efforts: Mapping[str, float] = field(default_factory=dict)
    forces: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    indeterminate: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


# ---------------------------------------------------------------- slider-crank, after Uicker, Ravani, Sheth, chs. 7-17

SLIDER_CRANK = Known(
    rates={"A.angle": 60.0},
    accelerations={"A.angle": 156.2930481801},  # let go: without a torque at A
    efforts={"A.angle": 0.0},
    forces={"A": (-159.83866, -183.62970), "B": (-62.4881, -87.1478), "C": (85.2418, 11.5020), "D": (0.0, -6.59699)},
    indeterminate={"A": IN_PLANE, "B": IN_PLANE, "C": IN_PLANE, "D": ("fy", "mx", "mz")},
)
SLIDER_CRANK_IN_AXES = {"B": (-106.92571, -8.14885), "C": (80.65761, 29.87998)}
"""Forces along the axes of the body before the joint."""
SLIDER_CRANK_MOMENT_D = -2.67701
"""Moment at D about z through A [N m]."""
SLIDER_CRANK_VALUES = (math.radians(50), math.radians(-62.6426619919), math.radians(12.6426619919), 0.4057926832)
SLIDER_CRANK_SLOPES = (1.0, -1.1882171027, 0.1882171027, -0.0910227109)
SLIDER_CRANK_INERTIA = 0.0127817994
SLIDER_CRANK_CENTRIPETAL = 0.0043634456
SLIDER_CRANK_STATIC = 17.7061104823
"""Generalised force of loads and gravity along A [N m]: a drive that holds the crank gives its opposite."""
SLIDER_CRANK_ENERGY = 23.0072389412
SLIDER_CRANK_ROD_CENTRE = (-246.2165908523, -174.2263612726)
"""Acceleration of the rod's centre of mass [m/s²]."""


def slider_crank_dyn(psi: float = math.radians(50.0)) -> lw.Mechanism:
    """Crank 0.1, rod 0.35, in line; 200 N on the piston toward the crank; gravity along -y.

    Frames of the bodies lie at A, B and C along the bars. D's frame has u along y, v along z.
    """
    B = 0.1 * unit(psi)
    phi = -math.asin(B[1] / 0.35)
    C = B + 0.35 * unit(phi)
    m = lw.Mechanism("slider-crank-dyn", gravity=(0, -9.81, 0))
    m.body("crank", mass=1.0, com=(0.04, 0, 0), inertia=bar(0.002), frame=turned((0, 0, 0), psi))
    m.body("rod", mass=0.6, com=(0.12, 0.01, 0), inertia=bar(0.005), frame=turned(B, phi))
    m.body("piston", mass=0.5, com=(0, 0, 0), inertia=bar(0.001), frame=turned(C, 0.0))
    pin(m, "A", "ground", "crank", np.zeros(3), 0.0, psi)
    pin(m, "B", "crank", "rod", B, psi, phi)
    pin(m, "C", "rod", "piston", C, phi, 0.0)
    m.prismatic("D", "ground", "piston", at=(0, 0, 0), axis="x", x="y", value=float(C[0]))
    m.point("P", "piston", C)
    m.loads["gas"] = Force("gas", "P", InSpace((-1.0, 0.0, 0.0)), Steady(200.0))
    return m


# ---------------------------------------------------------------- pendulum

PENDULUM = Known(
    rates={"A.angle": 1.3},
    accelerations={"A.angle": -9.8889067264},
    efforts={"A.angle": 0.0},
    forces={"A": (6.702207, 5.034540)},
)


def pendulum_reaction(theta: float = 0.6) -> lw.Mechanism:
    """2 kg at 0.8 m from a pin, central inertia 0.03; the angle is counted from x, gravity along -y."""
    m = lw.Mechanism("pendulum", gravity=(0, -9.81, 0))
    m.body("bob", mass=2.0, com=(0.8, 0, 0), inertia=bar(0.03), frame=turned((0, 0, 0), theta))
    pin(m, "A", "ground", "bob", np.zeros(3), 0.0, theta)
    return m


# ---------------------------------------------------------------- spring scale (a reconstruction; inches and pounds)

SPRING_SCALE_WEIGHTS = {-10.0: 26.8509, -30.0: 98.2051, -45.0: 193.9340, -60.0: 389.7114, -85.0: 3279.5865}
"""Load W [lb] that balances the scale at ψ [deg]: W = 2 k l (sin ψ - 2 tan ψ)."""
SPRING_SCALE = Known(
    efforts={"A.angle": 0.0},
    forces={"A": (-170.0962, 98.2051), "D": (170.0962, 9.6522)},
    indeterminate={"A": IN_PLANE, "B": IN_PLANE, "C": IN_PLANE, "D": ("fy", "mx", "mz")},
)
SPRING_SCALE_MOMENT_D = 83.5905
"""Moment at D about z through A [lb in]."""
SPRING_SCALE_INERTIA = 0.625
"""Along A at -30 deg [lb in s²]."""


def scale_weight(psi: float, k: float = 15.0, length: float = 5.0) -> float:
    """2 k l (sin ψ - 2 tan ψ)."""
    return 2 * k * length * (math.sin(psi) - 2 * math.tan(psi))


def spring_scale(psi: float = math.radians(-30.0), weight: float | None = None) -> lw.Mechanism:
    """Scott-Russell linkage AB = BC = BE = 5 in; spring 15 lb/in, free at 20 in, in the slide D; load W down at E.

    Only the slider has mass, 0.025 lb s²/in. The inch counts as a metre, the pound of force as a newton.
    """
    length = 5.0
    B = length * unit(psi)
    C, E = np.array([2 * B[0], 0.0, 0.0]), np.array([0.0, 2 * B[1], 0.0])
    m = lw.Mechanism("spring-scale", gravity=(0, -386.088, 0))
    m.body("crank"), m.body("bar")
    m.body("slider", mass=0.025, com=C)
    pin(m, "A", "ground", "crank", np.zeros(3), 0.0, psi)
    pin(m, "B", "crank", "bar", B, psi, angle_of(C - B))
    pin(m, "C", "bar", "slider", C, angle_of(C - B), 0.0)
    m.prismatic("D", "ground", "slider", at=(0, 0, 0), axis="x", x="y", value=float(C[0]))
    m.point("E", "bar", E)
    m.loads["spring"] = Spring("spring", variable="D.slide", stiffness=15.0, free=20.0)
    amount = scale_weight(psi) if weight is None else weight
    m.loads["W"] = Force("W", "E", InSpace((0.0, -1.0, 0.0)), Steady(amount))
    return m


# ---------------------------------------------------------------- Oldham's coupling (inches)

OLDHAM = Known(rates={"A.angle": 100 * 2 * math.pi / 60}, efforts={"A.angle": 7.0})
OLDHAM_INERTIA = 0.02 + 0.013 + 0.017 + 0.3 * 0.25**2
"""I1 + I2 + I3 + m2 e², the same in every posture."""


def oldham(psi: float, e: float = 0.25, torque: float = 7.0) -> lw.Mechanism:
    """Shafts e apart; the disc slides along x of the first hub and y of the second; a torque resists the second."""
    m = lw.Mechanism("oldham")
    p = e * math.cos(psi) * unit(psi)
    m.body("input", mass=2.0, com=(0, 0, 0), inertia=bar(0.02), frame=turned((0, 0, 0), psi))
    m.body("disc", mass=0.3, com=(0, 0, 0), inertia=bar(0.013), frame=turned(p, psi))
    m.body("output", mass=1.7, com=(0, 0, 0), inertia=bar(0.017), frame=turned((e, 0, 0), psi))
    pin(m, "A", "ground", "input", np.zeros(3), 0.0, psi)
    m.prismatic("B", "input", "disc", at=(0, 0, 0), axis=unit(psi), value=e * math.cos(psi))
    across = unit(psi + math.pi / 2)
    m.prismatic("C", "output", "disc", at=(e, 0, 0), axis=across, value=-e * math.sin(psi))
    pin(m, "D", "ground", "output", np.array([e, 0, 0]), 0.0, psi)
    m.loads["load"] = JointLoad("load", "D.angle", Steady(-torque))
    return m


# ---------------------------------------------------------------- Cardan's coupling

CARDAN_RATIO = -0.9657851986
"""Torque about D's axis per torque with A, at ψ = 40 deg, β = 150 deg."""


def loaded_cardan(torque: float = 1.0) -> lw.Mechanism:
    """Uicker, Ravani, Sheth, example 17.1: a torque acts with A, the shaft D holds it."""
    m = cardan(math.radians(40), math.radians(150))
    m.loads["P"] = JointLoad("P", "A.angle", Steady(torque))
    return m


# ---------------------------------------------------------------- Stewart platform

STEWART_LEGS = tuple(f"P{i}.slide" for i in range(1, 7))
STEWART_LENGTHS = (1.0525228254, 1.1649788032, 1.1635420131, 1.1602803713, 1.0421770912, 1.1465365413)
STEWART_RATES = (-0.0403416995, -0.2098039211, 0.2925903589, 0.0960863652, 0.1816034553, -0.0812415149)
STEWART_ACCELERATIONS = (-0.9071120282, -0.6179079364, -0.8334163425, -0.1884642643, -0.1802641343, 0.4080423577)
STEWART_STATIC = (23.4106595125, 20.8353163633, 18.1925957493, 18.2398724624, 24.5951799932, 16.2650090911)
"""Legs push [N]: at rest, without their mass."""
STEWART_MASSLESS = (18.3565520238, 18.8235465685, 18.0094821154, 15.0329932680, 24.5452802975, 19.5901794017)
"""Moving, without the mass of the legs."""
STEWART_MOVING = (30.3763557769, 30.8830410515, 28.3767647508, 25.4027934351, 39.7643793652, 31.5999339559)
"""Moving, with it."""
_P = np.array([0.05, -0.03, 0.9])
_V, _OMEGA = np.array([0.2, -0.1, 0.05]), np.array([0.1, 0.2, -0.3])
_A, _ALPHA = np.array([0.5, 0.4, -0.6]), np.array([-0.5, 0.3, 0.7])


def _stewart_pose() -> Array:
    from linkwork import geometry as geo

    return np.asarray(geo.rot_z(0.1) @ geo.rot_y(-0.05) @ geo.rot_x(0.08))


def _stewart_points() -> tuple[Array, Array]:
    """Base joints, and ways from the platform's origin to its joints, in the world."""
    base = np.array([unit(math.radians(a)) for a in (-10, 10, 110, 130, 230, 250)])
    own = 0.6 * np.array([unit(math.radians(a)) for a in (-50, 50, 70, 170, 190, 290)])
    return base, own @ _stewart_pose().T


def stewart_legs() -> tuple[Array, Array, Array]:
    """Lengths, rates and accelerations of the legs from the motion of the platform."""
    base, r = _stewart_points()
    s = _P + r - base
    v = _V + np.cross(_OMEGA, r)
    a = _A + np.cross(_ALPHA, r) + np.cross(_OMEGA, np.cross(_OMEGA, r))
    length = np.linalg.norm(s, axis=1)
    rate = (s * v).sum(1) / length
    return length, rate, ((v * v).sum(1) + (s * a).sum(1) - rate**2) / length


def stewart_dyn(heavy: bool = True) -> lw.Mechanism:
    """Radii 1 and 0.6; platform 10 kg; thin legs of 1.5 kg and 1 kg, or without mass. Legs Ui, Pi, Si."""
    base, r = _stewart_points()
    R = _stewart_pose()
    m = lw.Mechanism("stewart-dyn", gravity=(0, 0, -9.81))
    m.body("platform", mass=10.0, com=(0, 0, 0), inertia=(0.8, 0.8, 1.5), frame=lw.placement(_P, matrix=R))
    lower = {"mass": 1.5, "com": (0, 0, 0.25), "inertia": (0.04, 0.04, 0.0)} if heavy else {}
    upper = {"mass": 1.0, "com": (0, 0, -0.25), "inertia": (0.03, 0.03, 0.0)} if heavy else {}
    for i, (b, p) in enumerate(zip(base, _P + r, strict=True), 1):
        length = float(np.linalg.norm(p - b))
        along = (p - b) / length
        level = np.cross((0.0, 0.0, 1.0), along)
        level /= np.linalg.norm(level)
        m.body(f"lower{i}", frame=lw.placement(b, axis=along, x=level), **lower)
        m.body(f"upper{i}", frame=lw.placement(p, axis=along, x=level), **upper)
        m.universal(f"U{i}", "ground", f"lower{i}", at=b, axes=(level, np.cross(along, level)))
        m.prismatic(f"P{i}", f"lower{i}", f"upper{i}", at=b, axis=along, value=length)
        m.spheric(f"S{i}", f"upper{i}", "platform", at=p)
    return m


# ---------------------------------------------------------------- Andrews' squeezing mechanism (IVP test set)

ANDREWS_ANGLES = ("O.angle", "F.angle", "B.angle", "H.angle", "A5.angle", "G.angle", "A7.angle")
"""β, Θ, γ, Φ, δ, Ω, ε."""
ANDREWS_START = (
    -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449, 0.222668390165885884674473185609,
    0.487364979543842550225598953530, -0.222668390165885884674473185609, 1.23054744454982119249735015568,
)  # fmt: skip
ANDREWS_ACCELERATIONS = (14222.4439199541138705911625887, -10666.8329399655854029433719415, 0.0, 0.0, 0.0, 0.0, 0.0)
ANDREWS_FORCES = {"E3": (98.5668703962410896, -6.12268834425566266), "E4": (0.0, 0.0), "E6": (0.0, 0.0)}
"""Multipliers λ1, λ2; λ3, λ4; λ5, λ6: forces of body 2 on bodies 3, 4 and 6 in their common pin E [N]."""


def andrews() -> lw.Mechanism:
    """Seven bodies, ten pins; a spring from ground to body 3, a torque on body 1; without gravity, at rest."""
    beta, theta, gamma, phi, delta, omega, epsilon = ANDREWS_START
    right = math.pi / 2
    A, B, C = np.array([-0.06934, -0.00227, 0]), np.array([-0.03635, 0.03273, 0]), np.array([0.014, 0.072, 0])
    F = 0.007 * unit(beta)
    E = F - 0.028 * unit(beta + theta)
    H = A + 0.04 * unit(delta)
    G = A + 0.04 * unit(epsilon - right)
    D = B + 0.02 * unit(gamma) + 0.018 * unit(gamma - right)
    angles = (beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon)
    masses = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
    moments = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
    centres = (
        0.00092 * unit(beta),
        F - 0.0115 * unit(beta + theta),
        B + 0.01874 * unit(gamma - right) + 0.01043 * unit(gamma),
        H + (0.02 - 0.01421) * unit(phi + delta - right),
        A + 0.02308 * unit(delta) + 0.00916 * unit(delta + right),
        G + (0.02 - 0.01421) * unit(omega + epsilon),
        A + 0.01228 * unit(epsilon - right) - 0.00449 * unit(epsilon),
    )
    m = lw.Mechanism("andrews")
    for i, (mass, zz, com) in enumerate(zip(masses, moments, centres, strict=True), 1):
        m.body(f"b{i}", mass=mass, com=com, inertia=bar(zz))
    pins = (
        ("O", 0, 1, np.zeros(3)), ("F", 1, 2, F), ("B", 0, 3, B), ("A5", 0, 5, A), ("A7", 0, 7, A), ("H", 5, 4, H),
        ("G", 7, 6, G), ("E3", 2, 3, E), ("E4", 2, 4, E), ("E6", 2, 6, E),
    )  # fmt: skip
    for name, tail, head, at in pins:
        before, body = (0.0, "ground") if tail == 0 else (angles[tail - 1], f"b{tail}")
        pin(m, name, body, f"b{head}", at, before, angles[head - 1])
    m.point("C", "ground", C)
    m.point("D", "b3", D)
    m.loads["spring"] = Spring("spring", first="C", second="D", stiffness=4530.0, free=0.07785)
    m.loads["drive"] = Torque("drive", "b1", InSpace((0.0, 0.0, 1.0)), Steady(0.033))
    return m


# ---------------------------------------------------------------- Bricard's mechanism (IFToMM benchmark)

BRICARD_ACCELERATION = (0.0, 1.958083832, 0.0)
"""Angular acceleration of rod 1, let go from rest [rad/s²]."""


def bricard() -> lw.Mechanism:
    """Five rods of 1 kg, 1 m by 0.1 m by 0.1 m, and six pins; gravity along -y."""
    corners = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = ("y", "z", "x", "y", "z", "x")
    m = lw.Mechanism("bricard", gravity=(0, -9.81, 0))
    bodies = ["ground", *(f"rod{i}" for i in range(1, 6)), "ground"]
    for name, (start, end) in zip(bodies[1:6], pairwise(corners), strict=True):
        way = np.abs(np.subtract(end, start))
        inertia = np.where(way > 0.5, 0.02, 1.01) / 12  # along the rod, across it
        m.body(name, mass=1.0, com=np.add(start, end) / 2, inertia=inertia)
    for i, (at, axis) in enumerate(zip(corners, axes, strict=True)):
        m.revolute(f"J{i + 1}", bodies[i], bodies[i + 1], at=at, axis=axis)
    return m
