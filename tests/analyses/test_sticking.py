"""Friction that holds: blocks on inclines, stacks and linkages, against closed forms and a second way of solving."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

import numpy as np
import pytest
from kinematic_machines import four_bar, unit

import linkwork as lw
from linkwork.errors import ModelError

G, MASS, MU = 9.81, 2.0, 0.3
LIMIT = math.atan(MU)
PINS = ("O2", "A", "B", "O4")
BARS = (0.1, 0.3, 0.25, 0.35)


def near(actual: object, expected: object, tol: float) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=tol)  # type: ignore[arg-type]


def incline(angle: float, *, mass: float = MASS, form: str = "exact", speed: float = 1e-3, **more: float) -> lw.Machine:
    """A block on a slope that rises against x; its friction is a coefficient times its weight across the slope."""
    m = lw.Mechanism("incline", gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
    m.body("block", mass=mass, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.prismatic("S", "ground", "block", at=(0, 0, 0), axis="x")
    normal = mass * G * math.cos(angle)
    m.friction("slope", "S", coefficient=MU, normal=normal, form=form, speed=speed, **more)
    return m.assemble()


@pytest.mark.parametrize("angle", [-0.29, -0.1, 0.0, 0.1, 0.25, LIMIT * (1 - 1e-9)])
def test_a_block_sticks_below_the_friction_angle(angle: float) -> None:
    found = incline(angle).accelerations()
    assert found["S"] == 0.0
    near(found.stuck["slope"], -MASS * G * math.sin(angle), 1e-13)


@pytest.mark.parametrize("mass", [1e-6, 1e-3, MASS, 1e4])
@pytest.mark.parametrize("angle", [LIMIT + 1e-8, 0.5, 1.2, -LIMIT - 1e-8, -0.7])
def test_a_block_slides_beyond_it(angle: float, mass: float) -> None:
    """Whatever its mass, and however little beyond."""
    found = incline(angle, mass=mass).accelerations()
    assert found.stuck == {}
    near(found["S"], G * (math.sin(angle) - math.copysign(MU, angle) * math.cos(angle)), 1e-13)


def test_it_holds_more_at_rest_than_it_slides_with() -> None:
    held = incline(0.35, static=1.5).accelerations()
    assert held["S"] == 0.0
    near(held.stuck["slope"], -MASS * G * math.sin(0.35), 1e-13)
    loose = incline(0.45, static=1.5).accelerations()  # tan 0.45 > 1.5 · 0.3
    near(loose["S"], G * (math.sin(0.45) - MU * math.cos(0.45)), 1e-13)


def test_pushes_decide_too() -> None:
    machine, weight = incline(0.1), MASS * G * math.sin(0.1)
    grip = MU * MASS * G * math.cos(0.1)
    for push in (-weight - 0.999 * grip, -weight, -weight + 0.999 * grip):
        found = machine.accelerations(efforts={"S": push})
        assert found["S"] == 0.0
        near(found.stuck["slope"], -weight - push, 1e-13)
    for push, way in ((-weight - 1.001 * grip, -1), (-weight + 1.001 * grip, 1)):
        found = machine.accelerations(efforts={"S": push})
        near(found["S"], way * 0.001 * grip / MASS, 1e-13)


def test_what_holds_is_printed_with_its_unit() -> None:
    lines = str(incline(0.0).accelerations(efforts={"S": 2.5})).splitlines()
    assert lines[1:] == ["  S.slide accelerates by 0 m/s^2", "  slope holds with -2.5 N"]
    lines = str(linkage({"O2": 1.0}, 0.25).accelerations()).splitlines()
    assert lines[-1] == "  fO2 holds with -0.25 N m"


def test_a_block_that_moves_does_not_stick() -> None:
    """Friction opposes the rate; what creeps within rounding is at rest."""
    for angle, way in itertools.product((0.1, 0.5), (-1, 1)):
        found = incline(angle, viscous=0.7).accelerations(rates={"S": 0.4 * way})
        near(found["S"], G * (math.sin(angle) - way * MU * math.cos(angle)) - 0.7 * 0.4 * way / MASS, 1e-13)
        assert found.stuck == {}
    for creep in (1e-12, -1e-12):
        near(incline(0.5).accelerations(rates={"S": creep})["S"], G * (math.sin(0.5) - MU * math.cos(0.5)), 1e-12)
        assert incline(0.1).accelerations(rates={"S": creep}).stuck.keys() == {"slope"}


def test_levels_of_their_own_forward_and_backward() -> None:
    m = lw.Mechanism("slide")
    m.body("block", mass=MASS, com=(0, 0, 0))
    m.prismatic("S", "ground", "block", at=(0, 0, 0), axis="x")
    m.friction("rail", "S", level=(3.0, 5.0), form="exact")
    s = m.assemble()
    for push, expected in ((2.9, 0.0), (-4.9, 0.0), (3.5, 0.25), (-6.0, -0.5)):
        near(s.accelerations(efforts={"S": push})["S"], expected, 1e-14)


def test_the_normal_force_is_that_of_the_state() -> None:
    """A normal force that depends on the rate of another joint is taken at that rate."""
    m = lw.Mechanism("pressed")
    for name in ("block", "presser"):
        m.body(name, mass=MASS, com=(0, 0, 0))
    m.prismatic("S", "ground", "block", at=(0, 0, 0), axis="x")
    m.prismatic("P", "ground", "presser", at=(0, 0, 0), axis="z")
    m.friction("rail", "S", coefficient=0.5, normal="10 + 4*rate(P)", form="exact")
    m.load("push", "S", amount=6.0)
    s = m.assemble()
    near(s.accelerations(rates={"P": 0.0})["S"], (6.0 - 5.0) / MASS, 1e-13)
    assert s.accelerations(rates={"P": 1.0}).stuck.keys() == {"rail"}  # 0.5 · 14 N holds 6 N


# ---------------------------------------------------------------- two joints


def stack(lower: float, upper: float, slope: float = 0.0) -> lw.Machine:
    """A 3 kg block on ground and a 1 kg block on top of it; levels of friction below and between them."""
    m = lw.Mechanism("stack", gravity=(G * math.sin(slope), 0, -G * math.cos(slope)))
    m.body("low", mass=3.0, com=(0, 0, 0))
    m.body("high", mass=1.0, com=(0, 0, 0))
    m.prismatic("L", "ground", "low", at=(0, 0, 0), axis="x")
    m.prismatic("H", "low", "high", at=(0, 0, 0), axis="x")
    m.friction("floor", "L", level=lower, form="exact")
    m.friction("between", "H", level=upper, form="exact")
    return m.assemble()


@pytest.mark.parametrize(
    ("push", "low", "relative"),
    [
        (4.0, 0.0, 0.0),  # the floor holds
        (9.0, (9.0 - 5.0) / 4.0, 0.0),  # both go together: 1 kg · 1 m/s² is within 2 N
        (5.0 + 4.0 * 2.0, 2.0, 0.0),  # at the most that the upper block can follow
        (5.0 + 2.0 + 3.0 * 4.0, 4.0, 2.0 - 4.0),  # it stays behind
    ],
)
def test_a_stack_pulled_below(push: float, low: float, relative: float) -> None:
    """The lower block is pulled: 5 N of friction at the floor, 2 N between the blocks."""
    found = stack(5.0, 2.0).accelerations(efforts={"L": push})
    near([found["L"], found["H"]], [low, relative], 1e-12)
    if low == 0.0:
        near(found.stuck["floor"], -push, 1e-12)
        near(found.stuck["between"], 0.0, 1e-12)
    elif relative == 0.0:
        near(found.stuck["between"], low, 1e-12)


def test_a_stack_on_a_slope() -> None:
    """Only the upper block slides down; then both; each by hand."""
    slope = 0.4
    weight = G * math.sin(slope)
    one = stack(100.0, 2.0, slope).accelerations()
    near([one["L"], one["H"]], [0.0, weight - 2.0], 1e-12)
    near(one.stuck["floor"], -(3.0 * weight + 2.0), 1e-12)
    both = stack(6.0, 0.5, slope).accelerations()
    low = (3.0 * weight + 0.5 - 6.0) / 3.0
    near([both["L"], both["H"]], [low, weight - 0.5 - low], 1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_three_blocks_in_a_row(seed: int) -> None:
    """The answer obeys Coulomb's law in every joint: within the level at rest, at the level against the way it goes."""
    rng = np.random.default_rng(seed)
    m = lw.Mechanism("row", gravity=(1.0, 0, 0))
    levels, masses, pushes = rng.uniform(0.2, 4.0, 3), rng.uniform(0.5, 3.0, 3), 5.0 * rng.normal(size=3)
    before = "ground"
    for k in range(3):
        m.body(f"b{k}", mass=float(masses[k]), com=(0, 0, 0))
        m.prismatic(f"S{k}", before, f"b{k}", at=(0, 0, 0), axis="x")
        m.friction(f"f{k}", f"S{k}", level=float(levels[k]), form="exact")
        before = f"b{k}"
    found = m.assemble().accelerations(efforts={f"S{k}": float(pushes[k]) for k in range(3)})
    a = np.array([found[f"S{k}"] for k in range(3)])
    absolute = np.cumsum(a)
    needed = np.cumsum((masses * (absolute - 1.0))[::-1])[::-1]  # force through every joint
    friction = needed - pushes
    for k in range(3):
        if f"f{k}" in found.stuck:
            near(a[k], 0.0, 1e-11)
            near(friction[k], found.stuck[f"f{k}"], 1e-11)
            assert abs(friction[k]) <= levels[k] * (1 + 1e-9)
        else:
            near(friction[k], -math.copysign(levels[k], a[k]), 1e-11)


# ---------------------------------------------------------------- a loop


def linkage(
    levels: Mapping[str, float],
    torque: float,
    *,
    form: str = "exact",
    static: float = 1.0,
    speed: float = 1e-3,
    cut: tuple[str, ...] = (),
) -> lw.Machine:
    """A four-bar in a level plane with friction in its pins and a torque along its crank."""
    m = four_bar(*BARS, 1.0)
    for name, at in (("crank", 0.05 * unit(1.0)), ("coupler", (0.2, 0.15, 0)), ("rocker", (0.3, 0.1, 0))):
        m.bodies.pop(name), m.body(name, mass=1.0, com=at, inertia=(0.01, 0.01, 0.02))
    for pin, level in levels.items():
        m.friction(f"f{pin}", pin, level=level, form=form, static=static, speed=speed)
    m.load("drive", "O2", amount=torque)
    return m.assemble(cut=cut)


@pytest.fixture(scope="module")
def ratios() -> dict[str, float]:
    """Rates of the pins for a unit rate of the crank."""
    s = linkage({}, 0.0)
    rates = s.solve({"O2": s.home["O2"]}, {"O2": 1.0}).rates.reshape(-1)
    return {pin: float(rates[s.variable_rates.index(f"{pin}.angle")]) for pin in PINS}


@pytest.fixture(scope="module")
def inertia() -> float:
    """Along the crank."""
    return 1.0 / linkage({}, 1.0).accelerations()["O2"]


@pytest.mark.parametrize("seed", range(8))
def test_a_linkage_holds_as_much_as_its_pins_together(seed: int, ratios: dict[str, float], inertia: float) -> None:
    """Together they hold Σ level |ratio| along the crank, however unlike they are; beyond, they all slide."""
    rng = np.random.default_rng(seed)
    pins = [str(p) for p in rng.permutation(PINS)[: 1 + seed % 4]]
    levels = {p: float(10 ** rng.uniform(-1, 1)) for p in pins}
    most = sum(levels[p] * abs(ratios[p]) for p in pins)
    way = math.copysign(1.0, rng.normal())
    for part in (0.2, 0.9, 0.9999999):
        found = linkage(levels, way * part * most, cut=(pins[0],)).accelerations()
        near(found.values, np.zeros(4), 1e-9 * most / inertia)
        assert found.stuck.keys() == {f"f{p}" for p in pins}
        near(sum(found.stuck[f"f{p}"] * ratios[p] for p in pins), -way * part * most, 1e-9 * most)
        assert all(abs(found.stuck[f"f{p}"]) <= levels[p] * (1 + 1e-9) for p in pins)
    for part in (1.0000001, 1.1, 3.0):
        found = linkage(levels, way * part * most).accelerations()
        assert found.stuck == {}
        near(found["O2"], way * (part - 1.0) * most / inertia, 1e-11 * part * most / inertia)


def test_static_friction_of_a_linkage(ratios: dict[str, float], inertia: float) -> None:
    """Pins that hold more at rest, all needed at once."""
    levels = dict.fromkeys(PINS, 0.5)
    kinetic = sum(0.5 * abs(ratios[p]) for p in PINS)
    assert linkage(levels, 1.9 * kinetic, static=2.0).accelerations().stuck.keys() == {f"f{p}" for p in PINS}
    near(linkage(levels, 2.1 * kinetic, static=2.0).accelerations()["O2"], 1.1 * kinetic / inertia, 1e-10 / inertia)


def test_the_smooth_form_tends_to_the_exact_one(ratios: dict[str, float]) -> None:
    """tanh(r / speed) at a rate r: off by 2 exp(-2 r / speed); at rest it holds nothing."""
    levels = {"O2": 0.4, "B": 0.7}
    rates = {"O2": 0.05}
    exact = linkage(levels, 3.0).accelerations(rates=rates)["O2"]
    slowest = 0.05 * min(abs(ratios[p]) for p in levels)
    before = math.inf
    for speed in (0.1, 0.02, 0.005, 0.001):
        smooth = linkage(levels, 3.0, form="smooth", speed=speed).accelerations(rates=rates)["O2"]
        off = abs(smooth - exact) / abs(exact)
        assert off < before and off < 10.0 * math.exp(-2.0 * slowest / speed) + 1e-13
        before = max(off, 1e-13)
    assert linkage(levels, 0.1).accelerations()["O2"] == pytest.approx(0.0, abs=1e-12)
    let_go = linkage({}, 0.1).accelerations()["O2"]
    assert linkage(levels, 0.1, form="smooth").accelerations()["O2"] == pytest.approx(let_go, rel=1e-12)


def test_too_many_joints_at_rest_are_refused_by_name() -> None:
    m = lw.Mechanism("many")
    before = "ground"
    for k in range(11):
        m.body(f"b{k}", mass=1.0, com=(0, 0, 0))
        m.prismatic(f"S{k}", before, f"b{k}", at=(0, 0, 0), axis="x")
        m.friction(f"f{k}", f"S{k}", level=1.0, form="exact")
        before = f"b{k}"
    with pytest.raises(ModelError, match="11 joints with exact friction are at rest at once") as caught:
        m.assemble().accelerations()
    assert "smooth" in caught.value.problems[0].hint
