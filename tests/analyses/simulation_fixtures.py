"""Machines whose motion is known, with the motion: one place for every test of simulation.

Each truth has a mechanism, how it starts, times, names of signals and their values at the times. Values come from
closed forms and quadratures worked out here from geometry alone, or from Taylor series with 30 digits; what is named
PUBLISHED are numbers that others gave, in the digits they gave. Sources: the library of computational benchmark
problems of IFToMM's technical committee for multibody dynamics (pendulum A01, N four-bars A02, Andrews A03, Bricard
A04); the test set for initial value problem solvers of Bari (`andrews`); Peters and Hsu, Comparison of rigid body
dynamic simulators for robotic simulation in Gazebo (boxes).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import dynamics_fixtures as known
import numpy as np
from scipy.fft import dct
from scipy.special import ellipj, ellipk

import linkwork as lw

Array = np.ndarray
G = 9.81
NUDGE = 1e-30
"""Step along the imaginary axis: exact first derivatives of whatever can be worked out with complex numbers."""


@dataclass(frozen=True)
class Truth:
    """A motion that is known.

    rates : of independent variables at the start; times : [s], the first is 0
    signals : names; values : (times, signals)
    """

    name: str
    mechanism: Callable[[], lw.Mechanism]
    times: Array
    signals: tuple[str, ...]
    values: Array
    rates: Mapping[str, float] = field(default_factory=dict)

    def read(self, run: Any) -> Array:
        """The signals of a run, (samples, signals)."""
        return np.column_stack([np.asarray(run[name]) for name in self.signals])

    def error(self, run: Any) -> float:
        """Largest error of a run at the times, in units of each signal's largest value, or of 1 if that is more."""
        assert np.array_equal(run.time, self.times)
        return self.difference(self.read(run))

    def difference(self, values: Array) -> float:
        """The same of plain numbers."""
        scale = np.maximum(1.0, np.abs(self.values).max(axis=0))
        return float((np.abs(values - self.values) / scale).max())


@dataclass(frozen=True)
class Published:
    """Numbers that others gave, by time, for some signals of a truth, and how far their digits go."""

    signals: tuple[str, ...]
    values: Mapping[float, tuple[float, ...]]
    digits: float


# ---------------------------------------------------------------- pendulum (IFToMM A01)

PENDULUM_TIMES = np.array([0.0, 0.5, 1.0, 2.0, 5.0, 9.99, 10.0])
PENDULUM_PERIOD = 2.36784194757623745
PENDULUM_PUBLISHED = Published(
    ("P.x", "P.y", "P.vx", "P.vy"),
    {
        0.5: (-0.39104879155055, -0.92036994878519, 3.9110480039556, -1.6617346075474),
        1.0: (0.98629175113188, -0.16501085312554, 0.29690551591632, 1.7746436411127),
        2.0: (-0.79356619534332, -0.60848393044379, -2.1024378744361, 2.7419353930105),
        5.0: (-0.94230543504376, -0.334754338414, 0.85790425688595, -2.4149286543705),
        9.99: (-0.31643646991303, -0.94861370457578, 4.092451991494, -1.3651511202403),
        10.0: (-0.27508746257612, -0.96141920509913, 4.1755981009517, -1.1947490545605),
    },
    2e-13,
)
PENDULUM_TENSION = {0.5: 27.086487592748, 1.0: 4.8562694074847, 5.0: 9.851820179524, 10.0: 28.294567206067}
"""Of the rod [N]."""


def pendulum() -> lw.Mechanism:
    """1 kg on a massless rod of 1 m, at rest at (-1, 0)."""
    m = lw.Mechanism("pendulum", gravity=(0, -G, 0))
    m.body("bob", mass=1.0, com=(-1, 0, 0))
    m.revolute("A", "ground", "bob", at=(0, 0, 0), axis="z", x=(0, -1, 0), value=-math.pi / 2)
    m.point("P", "bob", (-1, 0, 0))
    return m


def swing(times: Array, amplitude: float = math.pi / 2, frequency: float = math.sqrt(G)) -> tuple[Array, Array, Array]:
    """sin θ, cos θ, θ' of θ'' = -frequency² sin θ from θ = -amplitude at rest: sin(θ/2) = -k cd(frequency t)."""
    k = math.sin(amplitude / 2)
    sn, cn, dn, _ = ellipj(frequency * times, k * k)
    s, c = -k * cn / dn, math.sqrt(1 - k * k) / dn
    return 2 * s * c, 1 - 2 * s * s, 2 * k * frequency * math.sqrt(1 - k * k) * sn / dn


def swing_period(amplitude: float = math.pi / 2, frequency: float = math.sqrt(G)) -> float:
    """4 K(k) / frequency."""
    return float(4 * ellipk(math.sin(amplitude / 2) ** 2) / frequency)


def pendulum_tension(times: Array) -> Array:
    """m (L θ'² + g cos θ) [N]."""
    _, c, rate = swing(times)
    return np.asarray(rate**2 + G * c)


def pendulum_truth(times: Array = PENDULUM_TIMES) -> Truth:
    s, c, rate = swing(times)
    values = np.column_stack([s, -c, c * rate, s * rate])
    return Truth("pendulum", pendulum, times, PENDULUM_PUBLISHED.signals, values)


# ---------------------------------------------------------------- double pendulum

_DOUBLE = {  # θ1, θ2 from the vertical, and their rates; Taylor series with 30 digits
    0.0: (math.pi / 2, math.pi / 2, 0.0, 0.0),
    0.5: (0.570472051232992176, 1.20387511115824414, -2.78964576616737432, -3.18806274665120955),
    1.0: (-0.62508769980639063, -1.03458508568001234, -3.92227957288797662, -1.30309924869633124),
    2.0: (-0.482971534251754377, -1.32404871230236255, 3.06528819207340131, 2.94927154757161898),
    3.0: (1.78579552207741668, 1.11810746120515544, 0.327980619514456124, -0.504455103945311942),
    5.0: (-0.62718670506653073, -1.30131555020981168, 2.12540867384291065, 3.88188872726560744),
}


def double_pendulum() -> lw.Mechanism:
    """Two points of 1 kg on massless rods of 1 m, stretched to the right, at rest. A from the vertical, B from A."""
    m = lw.Mechanism("double-pendulum", gravity=(0, -G, 0))
    m.body("upper", mass=1.0, com=(1, 0, 0))
    m.body("lower", mass=1.0, com=(2, 0, 0))
    m.revolute("A", "ground", "upper", at=(0, 0, 0), axis="z", x=(0, -1, 0), value=math.pi / 2)
    m.revolute("B", "upper", "lower", at=(1, 0, 0), axis="z", x=(1, 0, 0))
    return m


def double_pendulum_rates(_: float, y: Array) -> list[float]:
    """(θ1, θ2, θ1', θ2')' by Lagrange: 2 θ1'' + c θ2'' = -2 g sin θ1 - s θ2'²,  c θ1'' + θ2'' = -g sin θ2 + s θ1'²."""
    a, b, u, v = y
    c, s = math.cos(a - b), math.sin(a - b)
    p, q = -2 * G * math.sin(a) - s * v * v, -G * math.sin(b) + s * u * u
    return [u, v, (p - c * q) / (2 - c * c), (2 * q - c * p) / (2 - c * c)]


def double_pendulum_truth() -> Truth:
    a, b, u, v = np.array(list(_DOUBLE.values())).T
    signals = ("A.angle", "B.angle", "A.angle.rate", "B.angle.rate")
    values = np.column_stack([a, b - a, u, v - u])
    return Truth("double-pendulum", double_pendulum, np.array(list(_DOUBLE)), signals, values)


# ---------------------------------------------------------------- free boxes (Peters and Hsu)

BOX_MASS = 10.0
BOX_INERTIA = (10 * (0.4**2 + 0.9**2) / 12, 10 * (0.1**2 + 0.9**2) / 12, 10 * (0.1**2 + 0.4**2) / 12)
BOX_MOMENTUM = (0.08083333, 3.41666667, 0.01416667)
"""Angular momentum of the tumbling box about its centre [kg m²/s]."""
BOX_TURNING_ENERGY = 8.5464166667
_BOX = {  # angular velocity along its own axes, quaternion; Taylor series with 30 digits
    0.0: (0.1, 5.0, 0.1, 1.0, 0.0, 0.0, 0.0),
    1.0: (3.42379844155459835, 2.81918543839796545, 3.92838444946703323,
          -0.713109996528580543, 0.352359391045874782, 0.525184190888368746, -0.302487285738950694),
    2.0: (0.336649760783955605, -4.98493293518989948, 0.382181881304556466,
          0.0146282223528099426, -0.995446416875773905, -0.0273804675658054622, 0.0901263348631107963),
    5.0: (0.374990779685940824, 4.9809468810095406, -0.426603245322205234,
          0.895698731785681944, -0.0151546505110984068, -0.443235083728962313, 0.0321990527374211785),
    10.0: (2.75584040514684941, -3.7359635192162199, -3.16180900346751834,
           0.225164563413958164, -0.619927562499452488, -0.277029150687194592, 0.698745723640310141),
}  # fmt: skip
_BOX_SIGNALS = tuple(
    f"flight.{n}" for n in ("x", "y", "z", "x.rate", "y.rate", "z.rate", "wx", "wy", "wz", "qw", "qx", "qy", "qz")
)


def box(gravity: float = 0.0) -> lw.Mechanism:
    """10 kg, 0.1 m by 0.4 m by 0.9 m, held by nothing."""
    m = lw.Mechanism("box", gravity=(0, 0, -gravity))
    m.body("box", mass=BOX_MASS, com=(0, 0, 0), inertia=BOX_INERTIA)
    m.free("flight", "ground", "box", at=(0, 0, 0))
    return m


def tumbling_box() -> lw.Mechanism:
    """Thrown up and spun about its middle axis, nearly."""
    return box(9.8)


def _thrown(
    name: str, mechanism: Callable[[], lw.Mechanism], v: Array, g: Array, turning: Mapping[float, Any]
) -> Truth:
    t = np.array(list(turning))[:, np.newaxis]
    now = np.array(list(turning.values()))
    values = np.hstack([v * t + g * t**2 / 2, v + g * t, now])
    rates = {
        f"flight.{n}": float(x) for n, x in zip(("vx", "vy", "vz", "wx", "wy", "wz"), (*v, *now[0, :3]), strict=True)
    }
    return Truth(name, mechanism, t[:, 0], _BOX_SIGNALS, values, rates)


def simple_box_truth() -> Truth:
    """Without gravity, turning about a principal axis: a straight line, and a steady turn."""
    turning = {t: (0.5, 0.0, 0.0, math.cos(t / 4), math.sin(t / 4), 0.0, 0.0) for t in (0.0, 1.0, 2.0, 5.0, 10.0)}
    return _thrown("simple-box", box, np.array([-0.9, 0.4, 0.1]), np.zeros(3), turning)


def tumbling_box_truth() -> Truth:
    return _thrown("tumbling-box", tumbling_box, np.array([-2.0, 2.0, 8.0]), np.array([0.0, 0.0, -9.8]), _BOX)


# ---------------------------------------------------------------- N four-bars side by side (IFToMM A02)

FOUR_BARS_TIMES = np.array([0.0, 0.5, 1.0, 5.0, 10.0])
_TOP = ("B0.x", "B0.y", "B0.vx", "B0.vy")
FOUR_BARS_PUBLISHED = {
    2: Published(
        _TOP,
        {
            0.5: (0.69528663316, 0.71873256344, 1.9602054254, -1.8962611406),
            1.0: (-0.19502030195, -0.98079920566, -6.6766780369, 1.3275783252),
            5.0: (-0.81131046100, -0.58461554535, -3.5691173972, 4.9531051713),
            10.0: (0.32845811154, 0.94451853818, 1.4230514702, -0.4948688455),
        },
        6e-11,
    ),
    40: Published(
        _TOP,
        {
            1.0: (-0.11535688063, -0.99332411130, -6.6699875239, 0.7746000987),
            10.0: (0.18051222668, 0.98357274058, 1.1484412775, -0.2107700668),
        },
        6e-11,
    ),
}


def four_bars(n: int) -> lw.Mechanism:
    """Uniform rods of 1 m and 1 kg: n + 1 uprights on pins one metre apart, n couplers between their tops B0 ... Bn."""
    m = lw.Mechanism(f"four-bars-{n}", gravity=(0, -G, 0))
    for i in range(n + 1):
        m.body(f"upright{i}", mass=1.0, com=(i, 0.5, 0), inertia=(1 / 12, 0, 1 / 12))
        m.revolute(f"A{i}", "ground", f"upright{i}", at=(i, 0, 0), axis="z")
        m.point(f"B{i}", f"upright{i}", (i, 1, 0))
    for i in range(1, n + 1):
        m.body(f"coupler{i}", mass=1.0, com=(i - 0.5, 1, 0), inertia=(0, 1 / 12, 1 / 12))
        m.revolute(f"L{i}", f"upright{i - 1}", f"coupler{i}", at=(i - 1, 1, 0), axis="z")
        m.revolute(f"R{i}", f"coupler{i}", f"upright{i}", at=(i, 1, 0), axis="z")
    return m


def four_bars_stiffness(n: int) -> float:
    """c of φ'' = c sin φ, φ from the vertical: every upright turns, every coupler only travels."""
    return G * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)


def over_the_top(times: Array, c: float) -> tuple[Array, Array, Array]:
    """sin φ, cos φ, φ' of φ'' = c sin φ with φ = 0, φ' = 1 at the start: φ = 2 am(t/2 | -4c).

    Turned to a positive parameter by the negative parameter transformation (Abramowitz and Stegun 16.10).
    """
    root = math.sqrt(1 + 4 * c)
    sn, cn, dn, _ = ellipj(times / 2 * root, 4 * c / (1 + 4 * c))
    s, k = sn / dn / root, cn / dn
    return 2 * s * k, 1 - 2 * s * s, 1 / dn


def lying_times(n: int, until: float = 10.0) -> list[float]:
    """When all rods lie flat: cos φ = 0, where the mobility jumps from 1 to n + 1."""
    from scipy.optimize import brentq

    c = four_bars_stiffness(n)
    t = np.linspace(0.0, until, 2001)
    level = over_the_top(t, c)[1]
    turns = np.flatnonzero(level[:-1] * level[1:] < 0)
    return [float(brentq(lambda x: over_the_top(np.array(x), c)[1], t[k], t[k + 1], xtol=1e-15)) for k in turns]


def four_bars_truth(n: int, times: Array = FOUR_BARS_TIMES) -> Truth:
    """Tops of the first and the last upright: a jump to another closure would part them."""
    s, k, rate = over_the_top(times, four_bars_stiffness(n))
    ends = [np.column_stack([i + s, k, k * rate, -s * rate]) for i in (0, n)]
    signals = tuple(f"B{i}.{x}" for i in (0, n) for x in ("x", "y", "vx", "vy"))
    return Truth(f"four-bars-{n}", lambda: four_bars(n), times, signals, np.hstack(ends), {"A0": -1.0})


# ---------------------------------------------------------------- Andrews' squeezing mechanism (IFToMM A03, Bari)

ANDREWS = {  # q, q' with 30 digits
    0.03: (
        15.81077119515371, -15.75637105841184, 0.04082224011964582, -0.5347301163420796, 0.5244099658799541,
        0.5347301163420796, 1.048080741041938, 1139.920302259106, -1424.37929517754, 11.03291191061859,
        19.29337410503203, 0.5735699148295028, -19.29337410503203, 0.3231791492491285,
    ),
    0.05: (
        33.82586776695452, -33.58343151746387, 0.113395073812599, -0.4078528656018845, 0.5260604449169958,
        0.4078528656018845, 1.056902429434963, 1144.535502653848, -1336.033722651193, -190.9370686042946,
        -334.3170608708647, 0.8758650829429996, 334.3170608708647, -39.61728897835294,
    ),
}  # fmt: skip
ANDREWS_FIRST = {0.01: 2.160113131531527, 0.02: 8.184905889661676, 0.04: 24.37530497201336}
"""β between the columns of the table."""
ANDREWS_ACCELERATIONS = {
    0.03: (-24631.763122875, 51850.319636464, 324102.60070758),
    0.05: (391866.3976893, -745643.5187913, 107933.16503667),
}
"""β'', Θ'', γ''."""
ANDREWS_MULTIPLIERS = {
    0.03: (199.17534810454, -29.755309974972, 23.066543611622, 31.452725275771, 22.642494786394, 11.617392352611),
    0.05: (108.90548842953, -27.216221148445, 12.60204174075, -41.547752816205, 18.15834111469, 105.37455182625),
}
"""λ1 ... λ6: forces of body 2 on bodies 3, 4 and 6 in their common pin E, along x and y [N]."""
ANDREWS_PINS = ("E3", "E4", "E6")
ANDREWS_TIMES = np.array([0.0, 0.01, 0.02, 0.03, 0.04, 0.05])


def _turned(v: Array, angle: float = math.pi / 2) -> Array:
    """Vectors of the plane, turned; complex numbers stay apart from the imaginary step."""
    c, s = math.cos(angle), math.sin(angle)
    return np.stack([c * v[0] - s * v[1], s * v[0] + c * v[1]])


def _dyad(p: Array, q: Array, r: float, s: float, side: int) -> Array:
    """The point at r from p and s from q, on the left (side 1) or the right (-1) of the way from p to q."""
    way = q - p
    d2 = way[0] ** 2 + way[1] ** 2
    x = (d2 + r * r - s * s) / (2 * d2)
    return p + x * way + side * np.sqrt(r * r / d2 - x * x) * np.stack([-way[1], way[0]])


@dataclass(frozen=True)
class _Squeezed:
    """Directions of the seven bodies, their centres, and the spring's length, at some angles β (complex or not)."""

    directions: list[Array]
    centres: list[Array]
    spring: Array


def _squeezed(beta: Array) -> _Squeezed:
    """Three dyads, one after the other."""
    A, B, C = (np.array(p)[:, np.newaxis] for p in ((-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)))
    e1 = np.stack([np.cos(beta), np.sin(beta)])
    F = 0.007 * e1
    E = _dyad(F, B + 0 * F, 0.028, 0.035, 1)
    e2, e3 = (F - E) / 0.028, _turned(E - B) / 0.035
    H, Q = _dyad(A + 0 * F, E, 0.04, 0.02, 1), _dyad(A + 0 * F, E, 0.04, 0.02, -1)
    e5, e4 = (H - A) / 0.04, _turned(E - H) / 0.02
    e7, e6 = _turned(Q - A) / 0.04, (E - Q) / 0.02
    back = -math.pi / 2
    centres = [
        0.00092 * e1,
        F - 0.0115 * e2,
        B + 0.01874 * _turned(e3, back) + 0.01043 * e3,
        H + (0.02 - 0.01421) * _turned(e4, back),
        A + 0.02308 * e5 + 0.00916 * _turned(e5),
        Q + (0.02 - 0.01421) * e6,
        A + 0.01228 * _turned(e7, back) - 0.00449 * e7,
    ]
    D = B + 0.02 * e3 + 0.018 * _turned(e3, back)
    return _Squeezed([e1, e2, e3, e4, e5, e6, e7], centres, np.sqrt(((D - C) ** 2).sum(axis=0)))


_ANDREWS_MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
_ANDREWS_MOMENTS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)


def _spring_energy(beta: Array) -> Array:
    """What the spring has gained since the start [J]; near the start by its slope, since differences lose digits."""
    start, k, free = known.ANDREWS_START[0], 4530.0, 0.07785
    first = _squeezed(np.array([start])).spring
    stretch = _squeezed(beta).spring
    gained = k / 2 * (stretch - first) * (stretch + first - 2 * free)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    near = beta - start < 0.25
    half = (beta[near, np.newaxis] - start) / 2
    length = _squeezed((start + half + half * nodes).ravel() + 1j * NUDGE).spring
    slope = k * (length.real - free) * length.imag / NUDGE
    gained[near] = (half * weights * slope.reshape(-1, len(nodes))).sum(axis=1)
    return np.asarray(gained)


def _andrews_speed(beta: Array) -> tuple[Array, Array, Array]:
    """β' [rad/s], angles of the seven bodies and their slopes by β: work of torque and spring = ½ M(β) β'²."""
    now = _squeezed(beta + 1j * NUDGE)
    slopes = np.stack([e[0].real * e[1].imag - e[1].real * e[0].imag for e in now.directions]) / NUDGE
    M = sum(
        m * ((c.imag / NUDGE) ** 2).sum(axis=0) + zz * w**2
        for m, zz, c, w in zip(_ANDREWS_MASSES, _ANDREWS_MOMENTS, now.centres, slopes, strict=True)
    )
    work = 0.033 * (beta - known.ANDREWS_START[0]) - _spring_energy(beta)
    angles = np.stack([np.arctan2(e[1].real, e[0].real) for e in now.directions])
    return np.sqrt(2 * work / M), angles, slopes


@cache
def _andrews_clock(panels: int = 400, order: int = 12, most: float = 6.1) -> tuple[Array, Array]:
    """Times at which β = start + x², on a grid of x: Gauss's rule on dt = 2 x dx / β'."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    x = np.linspace(0.0, most, panels + 1)
    half = (x[1:] - x[:-1])[:, np.newaxis] / 2
    at = (x[:-1, np.newaxis] + half + half * nodes).ravel()
    pace = 2 * at / _andrews_speed(known.ANDREWS_START[0] + at**2)[0]
    return x, np.concatenate([[0.0], np.cumsum((half * weights * pace.reshape(panels, order)).sum(axis=1))])


def andrews_time(beta: float, order: int = 12) -> float:
    """When the crank is at β [s]."""
    grid, clock = _andrews_clock()
    x = math.sqrt(beta - known.ANDREWS_START[0])
    k = int(np.searchsorted(grid, x)) - 1
    nodes, weights = np.polynomial.legendre.leggauss(order)
    half = (x - grid[k]) / 2
    at = grid[k] + half + half * nodes
    return float(clock[k] + (half * weights * 2 * at / _andrews_speed(known.ANDREWS_START[0] + at**2)[0]).sum())


def andrews_motion(times: Array) -> Array:
    """q and q' of the seven angles β, Θ, γ, Φ, δ, Ω, ε, (times, 14), by the balance of energy."""
    grid, clock = _andrews_clock()
    rows = []
    for t in times:
        if t == 0.0:
            rows.append([*known.ANDREWS_START, *[0.0] * 7])
            continue
        beta = known.ANDREWS_START[0] + float(np.interp(t, clock, grid)) ** 2
        for _ in range(6):  # Newton's method on t(β)
            beta += (t - andrews_time(beta)) * float(_andrews_speed(np.array([beta]))[0][0])
        speed, angle, slope = (x[..., 0] for x in _andrews_speed(np.array([beta])))
        q, v = (
            [b1, b2 - b1, b3, b4 - b5, b5, b6 - b7, b7]
            for b1, b2, b3, b4, b5, b6, b7 in ((beta, *angle[1:]), tuple(speed * slope))
        )
        rows.append([*q, *v])
    return np.array(rows)


def andrews_truth(times: Array = ANDREWS_TIMES) -> Truth:
    signals = (*known.ANDREWS_ANGLES, *(f"{n}.rate" for n in known.ANDREWS_ANGLES))
    return Truth("andrews", known.andrews, times, signals, andrews_motion(times))


# ---------------------------------------------------------------- Bricard's mechanism (IFToMM A04)

BRICARD_TIMES = np.array([0.0, 0.2, 0.5, 1.0, 3.0, 5.0, 10.0])
_ENDS = tuple(f"E{i}.{x}" for i in (2, 3) for x in "xyz")
BRICARD_PUBLISHED = Published(
    _ENDS,
    {
        0.2: (0.96134955, -0.9992814, -0.03790352, 0.99922365, -1.03864989, 0.9606032),
        0.5: (0.77471781, -0.97981505, -0.19990616, 0.96828368, -1.22462516, 0.75014661),
        1.0: (0.274481319, -0.886707939, -0.462330003, 0.510501461, -1.649167599, 0.140123115),
        3.0: (-0.77128136, -0.97926933, -0.20256253, -0.9671998, -1.22802021, 0.74598318),
        5.0: (0.999932742, -0.999999998, -0.000067256, 0.999999998, -1.000067258, 0.99993274),
        10.0: (0.999730987, -0.999999964, -0.000268977, 0.999999964, -1.000269013, 0.99973095),
    },
    1e-8,
)


def bricard() -> lw.Mechanism:
    """With the ends of rods 2 and 3 as points."""
    m = known.bricard()
    m.point("E2", "rod2", (1, -1, 0))
    m.point("E3", "rod3", (1, -1, 1))
    return m


_RODS = np.array([(1, 0, 0), (0, -1, 0), (0, 0, 1), (-1, 0, 0), (0, 1, 0)], float)
_AXES = (1, 2, 0, 1, 2)
"""Of the pin before each rod: y, z, x, y, z."""


def _about(axis: int, angle: Array) -> Array:
    """Rotation matrices about a coordinate axis, (n, 3, 3)."""
    R = np.zeros((len(angle), 3, 3), angle.dtype)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[:, axis, axis] = 1.0
    R[:, i, i] = R[:, j, j] = np.cos(angle)
    R[:, j, i] = np.sin(angle)
    R[:, i, j] = -R[:, j, i]
    return R


def bricard_rods(a: Array) -> tuple[list[Array], list[Array]]:
    """Turns of the rods and places of their ends at pin angles a (odd pins) and b (even pins).

    By the mechanism's symmetry the loop closes with (1 + sin a)(1 + sin b) = 1.
    """
    b = np.arcsin(-np.sin(a) / (1 + np.sin(a)))
    R, p = np.broadcast_to(np.eye(3), (len(a), 3, 3)), np.zeros((len(a), 3))
    turns, ends = [], []
    for k, (axis, rod) in enumerate(zip(_AXES, _RODS, strict=True)):
        R = R @ _about(axis, a if k % 2 == 0 else b)
        p = p + R @ rod
        turns.append(R)
        ends.append(p)
    return turns, ends


def _bricard_pace(a: Array, turned: Array) -> Array:
    """dt/dψ where da = turned dψ: at rest at a = 0 it has fallen by  V(0) - V = ½ M a'²."""
    turns, ends = bricard_rods(a + 1j * NUDGE)
    fallen, M = np.zeros(len(a)), np.zeros(len(a))
    for k, (R, end, rod) in enumerate(zip(turns, ends, _RODS, strict=True)):
        centre = end - R @ rod / 2
        start = _RODS[:k].sum(axis=0) + rod / 2
        fallen += G * (start[1] - centre[:, 1].real)
        W = R.imag / NUDGE @ R.real.transpose(0, 2, 1)
        w = np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=1)
        own = (w[:, np.newaxis, :] @ R.real)[:, 0, :]  # along the rod's own axes
        inertia = np.where(np.abs(rod) > 0.5, 0.02, 1.01) / 12
        M += ((centre.imag / NUDGE) ** 2).sum(axis=1) + (inertia * own**2).sum(axis=1)
    return np.asarray(turned * np.sqrt(M / (2 * fallen)))


@cache
def _bricard_clock(n: int = 96) -> Array:
    """Coefficients c of dt/dψ = Σ c_k cos kψ, where a = π/2 (1 - cos ψ): it swings between a = 0 and a = π."""
    psi = (np.arange(n) + 0.5) * math.pi / n
    pace = _bricard_pace(math.pi / 2 * (1 - np.cos(psi)), math.pi / 2 * np.sin(psi))
    c = dct(pace, type=2) / n
    c[0] /= 2
    return np.asarray(c)


def bricard_period() -> float:
    """There and back [s]."""
    return float(2 * math.pi * _bricard_clock()[0])


def bricard_angle(times: Array) -> tuple[Array, Array]:
    """a and a' of the first pin, let go at a = 0."""
    c = _bricard_clock()
    k = np.arange(1, len(c))
    psi = times / c[0]
    for _ in range(30):  # Newton's method on t(ψ) = c0 ψ + Σ c_k sin(kψ) / k
        pace = c[0] + np.cos(np.outer(psi, k)) @ c[1:]
        psi = psi - (c[0] * psi + np.sin(np.outer(psi, k)) @ (c[1:] / k) - times) / pace
    pace = c[0] + np.cos(np.outer(psi, k)) @ c[1:]
    return math.pi / 2 * (1 - np.cos(psi)), math.pi / 2 * np.sin(psi) / pace


def bricard_truth(times: Array = BRICARD_TIMES) -> Truth:
    a, rate = bricard_angle(times)
    _, ends = bricard_rods(a + 1j * NUDGE)
    places = np.hstack([ends[1].real, ends[2].real])
    speeds = np.hstack([ends[1].imag, ends[2].imag]) / NUDGE * rate[:, np.newaxis]
    signals = (*_ENDS, *(f"E{i}.v{x}" for i in (2, 3) for x in "xyz"))
    return Truth("bricard", bricard, times, signals, np.hstack([places, speeds]))


# ---------------------------------------------------------------- ball and rod that strike a floor

BALL_IMPACTS = (0.4515236409857309, 1.1739614665629003, 1.751911727024636, 2.2142719353940246, 2.5841601020895353)
BALL_REST = 4.063712768871579
"""After infinitely many impacts [s]."""


def ball(height: float = 1.0) -> lw.Mechanism:
    """1 kg that moves up and down; H is its height over the floor."""
    m = lw.Mechanism("ball", gravity=(0, 0, -G))
    m.body("ball", mass=1.0, com=(0, 0, height))
    m.prismatic("H", "ground", "ball", at=(0, 0, 0), axis="z", value=height)
    return m


def ball_impacts(count: int, height: float = 1.0, restitution: float = 0.8) -> Array:
    """Times of the first impacts of a ball that is let go: t1 (1 + 2 (e + e² + ...)) [s]."""
    first = math.sqrt(2 * height / G)
    return np.asarray(first * (1 + 2 * np.concatenate([[0.0], np.cumsum(restitution ** np.arange(1, count))])))


def ball_rest(height: float = 1.0, restitution: float = 0.8) -> float:
    """Where the times of the impacts end [s]."""
    return math.sqrt(2 * height / G) * (1 + restitution) / (1 - restitution)


def ball_height(t: float, height: float = 1.0, restitution: float = 0.8) -> float:
    """Height of the ball at a time [m]."""
    if t >= ball_rest(height, restitution):
        return 0.0
    impacts = ball_impacts(400, height, restitution)
    k = int(np.searchsorted(impacts, t, side="right"))
    if k == 0:
        return height - G * t * t / 2
    since = t - float(impacts[k - 1])
    return restitution**k * math.sqrt(2 * G * height) * since - G * since**2 / 2


ROD_IMPULSE, ROD_CENTRE, ROD_SPIN = 1.2, -0.8, 5.091168824543142
"""At 45 deg, 2 m/s down, restitution 0.5: impulse [N s], velocity of the centre [m/s] and spin after [rad/s]."""
ROD_ENERGIES = (2.0, 1.4)


@dataclass(frozen=True)
class Struck:
    """What an impact does: impulse up [N s], velocity of the centre up [m/s], spin [rad/s]."""

    impulse: float
    centre: float
    spin: float


def falling_rod(angle: float = math.pi / 4, height: float = 0.5) -> lw.Mechanism:
    """Uniform, 1 kg, 1 m, without gravity; its lower end is `height` over the floor, F.y, and it rises at an angle."""
    m = lw.Mechanism("falling-rod")
    low = np.array([0.0, height, 0.0])
    along = np.array([math.cos(angle), math.sin(angle), 0.0])
    m.body("rod", mass=1.0, com=low + along / 2, inertia=known.bar(1 / 12))
    m.flat("F", "ground", "rod", at=(0, 0, 0), axis="z", value=(0.0, height, 0.0))
    m.point("centre", "rod", low + along / 2)
    return m


def struck_rod(angle: float, speed: float, restitution: float) -> Struck:
    """1/m + r²/I, r = ½ cos(angle), is what a unit of impulse changes of the end's velocity; its spin turns it flat."""
    r = math.cos(angle) / 2
    impulse = (1 + restitution) * speed / (1 + 12 * r * r)
    return Struck(impulse, impulse - speed, -12 * r * impulse)
