"""Where machines rest: closed forms, two methods, what cannot rest."""

from __future__ import annotations

import math
import sys
import time
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from dynamics_fixtures import SPRING_SCALE_WEIGHTS, spring_scale

import linkwork as lw
from linkwork.analyses.equilibrium.balance import Balance
from linkwork.analyses.equilibrium.search import REST, searched
from linkwork.analyses.kinematics.failures import NoFreedom
from linkwork.units import deg

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("model", "equations")]
from random_loads import random_loaded_machine  # noqa: E402
from state_machines import dc_motor, low_pass, pid  # noqa: E402

Array = np.ndarray
G = 9.81


# ---------------------------------------------------------------- machines


def chain(*masses: float, limits: tuple[float, float] | None = None) -> lw.Machine:
    """Point masses on rods of 1 m, laid out along x; gravity along -y."""
    m = lw.Mechanism("chain", gravity=(0, -G, 0))
    before = "ground"
    for k, mass in enumerate(masses):
        m.body(f"rod{k}", mass=mass, com=(k + 1.0, 0, 0))
        own = {"limits": limits} if limits and not k else {}
        m.revolute(f"J{k}", before, f"rod{k}", at=(float(k), 0, 0), axis="z", **own)
        before = f"rod{k}"
    return m.assemble()


@cache
def pushed_slider(psi: float = 60 * deg) -> lw.Machine:
    """Figure 12.1: crank 1, rod 3, a force of 10 on the slider toward the crank."""
    x = math.cos(psi) + math.sqrt(9 - math.sin(psi) ** 2)
    m = lw.Mechanism("pushed-slider")
    m.body("crank", mass=1.0), m.body("rod", mass=1.0), m.body("slider", mass=1.0)
    m.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z", value=psi)
    m.revolute("B", "crank", "rod", at=(math.cos(psi), math.sin(psi), 0), axis="z")
    m.revolute("C", "rod", "slider", at=(x, 0, 0), axis="z")
    m.prismatic("D", "ground", "slider", at=(0, 0, 0), axis="x")
    m.load("push", "D", amount=-10.0)
    return m.assemble()


@cache
def sprung_four_bar() -> lw.Machine:
    m = lw.Mechanism("sprung-four-bar", gravity=(0, -G, 0))
    m.body("crank", mass=1.0, com=(0.05, 0.2, 0)), m.body("coupler", mass=1.0, com=(0.6, 0.6, 0))
    m.body("rocker", mass=1.0, com=(1.05, 0.4, 0))
    m.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z")
    m.revolute("B", "crank", "coupler", at=(0.1, 0.4, 0), axis="z")
    m.revolute("C", "coupler", "rocker", at=(1.1, 0.8, 0), axis="z")
    m.revolute("D", "ground", "rocker", at=(1, 0, 0), axis="z")
    m.spring("coil", joint="A", stiffness=3.0, free=0.2)
    return m.assemble()


# ---------------------------------------------------------------- closed forms


def test_a_pushed_slider_rests_where_it_is_farthest_in_and_not_where_it_is_farthest_out() -> None:
    rest = pushed_slider().equilibrium()
    assert rest.verdict == "stable"
    assert rest["A"] == pytest.approx(math.pi, abs=1e-12)
    nearest = pushed_slider().equilibrium(kind="nearest")
    assert nearest.verdict == "unstable"
    assert nearest["A"] == pytest.approx(0.0, abs=1e-12)
    # V = 10 x(ψ), x'' = -cos ψ - (cos 2ψ)/3 at ψ = 0 and π
    assert pytest.approx(np.array([[10 * (1 - 1 / 3)]]), rel=1e-12) == rest.K
    assert pytest.approx(np.array([[-10 * (1 + 1 / 3)]]), rel=1e-12) == nearest.K


def test_an_unstable_posture_is_left_even_where_no_force_is_left() -> None:
    up = chain(1.0, 1.0)
    rest = up.equilibrium(start={"J0": 90 * deg, "J1": 0.0})
    assert rest.stable
    assert math.remainder(rest["J0"] + 90 * deg, math.tau) == pytest.approx(0.0, abs=1e-12)
    assert math.remainder(rest["J1"], math.tau) == pytest.approx(0.0, abs=1e-12)
    assert pytest.approx(G * np.array([[3.0, 1.0], [1.0, 1.0]]), rel=1e-12) == rest.K
    stays = up.equilibrium(start={"J0": 89 * deg, "J1": 1 * deg}, kind="nearest")
    assert stays.verdict == "unstable"
    assert stays["J0"] == pytest.approx(90 * deg, abs=1e-12)


@pytest.mark.parametrize("degrees", [d for d in SPRING_SCALE_WEIGHTS if d > -80.0])
def test_a_spring_scale_shows_the_weight_that_is_on_it(degrees: float) -> None:
    """The scale, laid out at -30 deg, comes to rest where W(ψ) = 2 k l (sin ψ - 2 tan ψ)."""
    scale = spring_scale(weight=0.0).assemble().with_parameters({"W.amount": SPRING_SCALE_WEIGHTS[degrees]})
    rest = scale.equilibrium()
    psi, k, length = degrees * deg, 15.0, 5.0
    exact = 2 * k * length * (math.sin(psi) - 2 * math.tan(psi))
    K = 4 * k * length**2 * (2 * math.cos(psi) - math.cos(2 * psi)) - 2 * length * exact * math.sin(psi)
    assert exact == pytest.approx(SPRING_SCALE_WEIGHTS[degrees], abs=6e-5)
    assert rest.stable
    assert rest["A"] == pytest.approx(psi, abs=1e-6)  # the weight is known to four places
    assert rest.K[0, 0] == pytest.approx(K, rel=1e-5)
    if degrees == -30.0:
        assert rest.K[0, 0] == pytest.approx(2339.1016, abs=2e-2)


def test_a_torque_holds_a_pendulum_aside() -> None:
    machine = chain(2.0)
    rest = machine.equilibrium(efforts={"J0": 2.0 * G * math.cos(-0.4)})
    assert abs(rest["J0"]) == pytest.approx(0.4, abs=1e-12) and rest["J0"] < 0.0
    assert rest.K[0, 0] == pytest.approx(2.0 * G * math.sin(0.4), rel=1e-12)
    assert rest.statics.efforts["J0.angle"] == pytest.approx(2.0 * G * math.cos(0.4), rel=1e-12)
    assert rest.given == {"J0.angle": 2.0 * G * math.cos(0.4)}
    assert rest.energies["gravity"] == pytest.approx(-2.0 * G * math.sin(0.4))


def test_what_is_held_is_held_by_an_effort() -> None:
    machine = chain(1.0, 2.0)
    rest = machine.equilibrium(hold={"J0": -30 * deg})
    assert rest.stable and rest.coordinates == ("J1.angle",)
    assert rest["J0"] + rest["J1"] == pytest.approx(-90 * deg, abs=1e-12)
    assert rest.efforts["J0.angle"] == pytest.approx(3.0 * G * math.cos(30 * deg), rel=1e-12)
    same = machine.equilibrium(hold="J0", start={"J0": -30 * deg, "J1": 0.1})
    assert same["J1"] == pytest.approx(rest["J1"], abs=1e-12)


def test_a_point_may_be_held() -> None:
    m = lw.Mechanism("hanging", gravity=(0, -G, 0))
    m.body("a", mass=1.0, com=(0.5, 0, 0)), m.body("b", mass=1.0, com=(1.5, 0, 0))
    m.revolute("A", "ground", "a", at=(0, 0, 0), axis="z")
    m.revolute("B", "a", "b", at=(1, 0, 0), axis="z")
    m.point("P", "b", (2, 0, 0))
    machine = m.assemble(start={"A": -40 * deg, "B": 50 * deg})
    rest = machine.equilibrium(hold={"P.x": 1.0})
    assert rest.stable and rest.posture.position("P")[0] == pytest.approx(1.0, abs=1e-12)
    # At rest only a force along x acts on P; about B and about A it holds the weights.
    first, second = rest["A"], rest["A"] + rest["B"]
    push = rest.efforts["P.x"]
    assert 0.5 * G * math.cos(second) == pytest.approx(-push * math.sin(second), rel=1e-9)
    assert 1.5 * G * math.cos(first) == pytest.approx(-push * math.sin(first), rel=1e-9)


# ---------------------------------------------------------------- stops, neutral freedoms


def test_a_pendulum_rests_on_its_stop() -> None:
    rest = chain(1.0, limits=(-60 * deg, 60 * deg)).equilibrium()
    assert rest.stable
    assert rest["J0"] == pytest.approx(-60 * deg, abs=1e-12)
    assert rest.stops == {"J0.angle": pytest.approx(G * 0.5, rel=1e-12)}
    assert "stop" in str(rest)


def test_a_stop_that_is_only_passed_by_does_not_hold() -> None:
    double = chain(1.0, 1.0, limits=(-120 * deg, 60 * deg))
    rest = double.equilibrium(start={"J0": 59 * deg, "J1": 0.0})
    assert rest.stable and not rest.stops
    assert rest["J0"] == pytest.approx(-90 * deg, abs=1e-9)


def test_freedoms_that_nothing_resists_are_named() -> None:
    m = lw.Mechanism("cart", gravity=(0, -G, 0))
    m.body("cart", mass=3.0), m.body("bob", mass=1.0, com=(0, -1, 0))
    m.prismatic("X", "ground", "cart", axis="x")
    m.revolute("A", "cart", "bob", at=(0, 0, 0), axis="z")
    rest = m.assemble(start={"A": 0.3}).equilibrium()
    assert rest.verdict == "neutral"
    assert rest.neutral == (("X.slide",),)
    assert rest["A"] == pytest.approx(0.0, abs=1e-9)
    assert not rest.stable and "nothing resists X.slide" in str(rest)


def test_a_posture_without_stiffness_may_be_stable_all_the_same() -> None:
    """V = x⁴/4 by a formula: no stiffness at 0, but forces that bring it back; -x⁴/4 drives it away."""
    for sign, verdict in ((-1.0, "stable"), (1.0, "unstable")):
        m = lw.Mechanism("quartic")
        m.body("cart", mass=1.0)
        m.prismatic("X", "ground", "cart", axis="x")
        m.load("spring", "X", amount=f"{sign}*X**3")
        rest = m.assemble().equilibrium()
        assert rest.verdict == verdict


def test_springs_with_laws_have_energies_and_share_modes() -> None:
    """c x³ beside k x: ½ k x² + ¼ c x⁴; a table; a law that has no value without elongation; one without energy."""
    m = lw.Mechanism("stiffening", gravity=(0, -G, 0))
    m.body("block", mass=2.0), m.prismatic("Y", "ground", "block", axis="y")
    m.spring("cubic", joint="Y", stiffness=10.0, free=0.0, law="5000*x**3")
    rest = m.assemble().equilibrium()
    x = rest["Y"]
    assert 10.0 * x + 5000.0 * x**3 == pytest.approx(-2.0 * G)
    assert rest.energies["springs"] == pytest.approx(5.0 * x**2 + 1250.0 * x**4, rel=1e-12)
    assert rest.energies["gravity"] == pytest.approx(2.0 * G * x, rel=1e-12)
    m.spring("table", joint="Y", law=lw.tabulated([-0.5, -0.05, 0.0, 0.5], [-32.5, -10.0, 0.0, 100.0], over="x"))
    rest = m.assemble().equilibrium()
    x = rest["Y"]
    assert x < -0.05
    beyond = -x - 0.05
    table = 0.5 * 10.0 * 0.05 + beyond * (10.0 + 0.5 * 50.0 * beyond)
    assert rest.energies["springs"] == pytest.approx(5.0 * x**2 + 1250.0 * x**4 + table, rel=1e-10)
    (mode,) = rest._machine.linearize(rest).modes()
    own = 10.0 + 15000.0 * x**2
    assert mode.elastic["cubic"] == pytest.approx(own / (own + 50.0), rel=1e-8)
    assert mode.potential["gravity"] == pytest.approx(0.0, abs=1e-9)
    gas = lw.Mechanism("gas", gravity=(0, -G, 0))
    gas.body("block", mass=2.0), gas.prismatic("Y", "ground", "block", axis="y", value=0.5)
    gas.spring("gas", joint="Y", free=0.0, law="-10/x")
    rest = gas.assemble().equilibrium()
    assert rest.energies["springs"] == pytest.approx(-10.0 * math.log(rest["Y"] / 0.5), rel=1e-10)
    gas.spring("odd", joint="Y", law="sin(Y)")
    assert any("odd know more" in w for w in gas.assemble().equilibrium().warnings)


def test_gravity_and_preload_share_the_energy_of_modes() -> None:
    """A pendulum with a spring about its pin, k and m g l; a bead on two taut wires, 2 T/l, with a spring across."""
    m = chain(2.0).mechanism
    m.spring("coil", joint="J0", stiffness=5.0, free=-90 * deg)
    machine = m.assemble()
    (mode,) = machine.linearize(machine.equilibrium()).modes()
    coil = 5.0 / (5.0 + 2.0 * G)
    assert mode.potential == {"coil": pytest.approx(coil, rel=1e-8), "gravity": pytest.approx(1.0 - coil, rel=1e-8)}
    assert mode.elastic == {"coil": pytest.approx(1.0)}
    bead = lw.Mechanism("bead")
    bead.body("bead", mass=1.0), bead.prismatic("Y", "ground", "bead", axis="y")
    bead.point("P", "bead", (0, 0, 0)), bead.point("L", "ground", (-1, 0, 0)), bead.point("R", "ground", (1, 0, 0))
    for name, end in (("left", "L"), ("right", "R")):
        bead.spring(name, "P", end, stiffness=100.0, preload=30.0)
    bead.spring("across", joint="Y", stiffness=40.0)
    machine = bead.assemble()
    (mode,) = machine.linearize(machine.equilibrium()).modes()
    assert [mode.potential[n] for n in ("left", "right", "across")] == pytest.approx([0.3, 0.3, 0.4], rel=1e-8)
    assert mode.elastic["across"] == pytest.approx(1.0)


# ---------------------------------------------------------------- two methods


@pytest.mark.parametrize("seed", range(8))
def test_stiffness_is_minus_the_derivative_of_the_static_force(seed: int) -> None:
    """On random machines with loops, joints and loads of every kind; by differences of the eighth order."""
    case = random_loaded_machine(seed)
    machine = case.mechanism.assemble()
    loops = machine.loops
    balance = Balance(loops, np.zeros(loops.columns, bool), 0.3)
    chart = balance.charts[balance.chart_at(machine.home.y)]
    effort = np.random.default_rng(seed).normal(size=loops.columns)
    y, x = machine.home.y, np.zeros((1, 0))
    found = balance.forces(chart, y[np.newaxis], x, effort)
    n = len(chart.free)
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    h = 1e-3
    K = np.zeros((n, n))
    for k in range(n):
        for j, weight in weights.items():
            for side in (1, -1):
                Y, closed = balance.moved(chart, y[np.newaxis], side * j * h * np.eye(n)[k : k + 1])
                assert closed.all()
                K[:, k] -= side * weight / h * balance.forces(chart, Y, x, effort).F[0]
    size = np.abs(found.K).max() + np.abs(found.F).max()
    assert np.abs(found.K[0] - K).max() <= 2e-8 * size
    # ... and the force itself is what `statics` says holds the machine, with the other sign
    held = machine.statics(machine.home, t=0.3, efforts=None)
    plain = balance.along_all(chart, y, x[0], np.zeros(loops.columns))
    assert -plain == pytest.approx(np.array(list(held.efforts.values())), rel=1e-9, abs=1e-9 * size)


def test_statics_at_rest_needs_no_effort_and_simulation_with_damping_comes_there() -> None:
    machine = sprung_four_bar()
    rest = machine.equilibrium()
    assert rest.stable
    assert abs(rest.statics.efforts["A.angle"]) < 1e-12
    m = sprung_four_bar().mechanism
    damped = lw.loads(lw.dumps(m))
    damped.damper("oil", joint="A", damping=4.0)
    run = damped.assemble().simulate(60.0, samples=3)
    assert run["A.angle"].values[-1] == pytest.approx(rest["A"], abs=1e-7)


def test_ten_thousand_equilibria_are_those_found_one_by_one() -> None:
    machine = sprung_four_bar()
    loops, count = machine.loops, 10_000
    balance = Balance(loops, np.zeros(loops.columns, bool))
    efforts = np.zeros((count, loops.columns))
    efforts[:, machine.variables.index("A.angle")] = np.linspace(-1.0, 1.0, count)
    starts, none = np.tile(machine.home.y, (count, 1)), np.zeros((count, 0))
    searched(balance, starts[:4], none[:4], efforts[:4])
    begun = time.process_time()
    found = searched(balance, starts, none, efforts)
    took = time.process_time() - begun
    assert (found.status == REST).all()
    for k in (0, 1234, 9999):
        single = machine.equilibrium(efforts={"A": float(efforts[k, machine.variables.index("A.angle")])})
        assert found.Y[k] == pytest.approx(single.posture.y, abs=1e-11)
    assert loops.residual(found.Y).max() < 1e-12
    assert took < 5.0  # a tenth of a second on an idle machine; no call of Python for each


def test_all_postures_of_rest_are_found() -> None:
    every = chain(1.0, 1.0).equilibria(starts=40)
    assert [r.verdict for r in every] == ["stable", "unstable", "unstable", "unstable"]
    assert [sum(r.energies.values()) for r in every] == pytest.approx([-3 * G, -G, G, 3 * G])
    assert len(every.stable) == 1 and every.starts == 80 and every.unseen < 0.2
    slider = pushed_slider().equilibria(starts=20)
    assert sorted(abs(math.remainder(r["A"], math.tau)) for r in slider) == pytest.approx([0.0, math.pi], abs=1e-9)
    assert "rests at 2 postures" in str(slider)
    stopped = chain(1.0, limits=(-60 * deg, 60 * deg)).equilibria(starts=10)
    assert [r["J0"] / deg for r in stopped] == pytest.approx([-60.0]) and stopped.stable
    both = chain(1.0, limits=(-60 * deg, 225 * deg)).equilibria(starts=30)
    assert [r["J0"] / deg for r in both] == pytest.approx([-60.0, 225.0, 90.0])
    assert [r.verdict for r in both] == ["stable", "stable", "unstable"]


# ---------------------------------------------------------------- states, loads without a potential


def test_named_states_rest_too() -> None:
    rest = pid().equilibrium()
    assert rest["X"] == pytest.approx(0.4, abs=1e-12)
    assert rest.states == {"integral": pytest.approx(3.0 / 60.0, rel=1e-12)}
    assert rest.verdict == "stable" and "die away" in rest.reason
    m = dc_motor().mechanism
    m.spring("coil", joint="A", stiffness=2.0, free=0.0)
    turned = m.assemble().equilibrium()
    assert turned["A"] == pytest.approx(0.5 * 12.0 / 1.2 / 2.0, rel=1e-12)
    assert turned.states["i"] == pytest.approx(10.0, rel=1e-12)
    assert turned.verdict == "stable"


def follower(push: float) -> lw.Machine:
    """Ziegler's column: two rods with springs, and a force that turns with the second; it flutters at 2.086 c/l."""
    m = lw.Mechanism("column")
    m.body("a", mass=2.0, com=(1, 0, 0)), m.body("b", mass=1.0, com=(2, 0, 0))
    m.revolute("A", "ground", "a", at=(0, 0, 0), axis="z")
    m.revolute("B", "a", "b", at=(1, 0, 0), axis="z")
    m.point("P", "b", (2, 0, 0))
    for joint in ("A", "B"):
        m.spring(f"c{joint}", joint=joint, stiffness=1.0, damping=1e-4)
    m.force("push", "P", amount=push, along="-x", on="b")
    return m.assemble()


def test_a_column_under_a_follower_force_flutters_though_its_stiffness_is_positive() -> None:
    assert follower(0.5).equilibrium().verdict == "stable"
    rest = follower(2.3).equilibrium()
    assert rest.verdict == "unstable"
    assert np.linalg.det(rest.K) > 0.0
    assert "grow at" in rest.reason


# ---------------------------------------------------------------- what cannot rest


def test_energy_without_end_is_told() -> None:
    m = lw.Mechanism("falling", gravity=(0, 0, -G))
    m.body("stone", mass=1.0)
    m.prismatic("Z", "ground", "stone", axis="z")
    with pytest.raises(lw.NoEquilibrium, match=r"falls without end along Z\.slide") as told:
        m.assemble().equilibrium()
    assert told.value.reached is not None and told.value.reached["Z"] < -10.0


def test_everything_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(lw.InputError) as told:
        low_pass().equilibrium({"B": 1.0}, efforts={"C": 1.0}, kind="best", states={"x2": 1.0})
    texts = " ".join(str(p) for p in told.value.problems)
    for part in ("'best'", "'B'", "'C'", "'x2'", "x1: it depends on time"):
        assert part in texts
    assert low_pass().equilibrium(t=0.5).states["x1"] == pytest.approx(math.sin(1.5), rel=1e-12)


def test_a_machine_that_cannot_move_has_no_equilibrium() -> None:
    m = lw.Mechanism("truss")
    m.body("a", mass=1.0), m.body("b", mass=1.0)
    m.revolute("A", "ground", "a", at=(0, 0, 0), axis="z")
    m.revolute("B", "a", "b", at=(1, 1, 0), axis="z")
    m.revolute("C", "ground", "b", at=(2, 0, 0), axis="z")
    with pytest.raises(NoFreedom, match="mobility zero"):
        m.assemble().equilibrium()


def test_a_state_that_never_rests_is_named() -> None:
    m = lw.Mechanism("clock")
    m.body("rotor", mass=1.0, inertia=(1, 1, 1))
    m.revolute("A", "ground", "rotor", axis="z")
    m.spring("coil", joint="A", stiffness=1.0)
    m.state("age", rate="1.0")
    with pytest.raises(lw.NoEquilibrium, match="age changes by 1 a second"):
        m.assemble().equilibrium()


def governor(damping: float = 0.0, gravity: tuple[float, float, float] = (0, 0, -G)) -> lw.Machine:
    m = lw.Mechanism("governor", gravity=gravity)
    m.body("shaft", mass=1.0, inertia=(0.1, 0.1, 0.1)), m.body("ball", mass=2.0, com=(0, 0, -0.5))
    m.revolute("spin", "ground", "shaft", axis="z")
    m.revolute("A", "shaft", "ball", at=(0, 0, 0), axis="y")
    m.damper("oil", joint="A", damping=damping)
    return m.assemble()


def test_balls_of_a_governor_rise_as_it_spins() -> None:
    """cos A = g/(ω² l) once ω² l > g; they hang before, and hanging is unstable then."""
    for speed in (3.0, 6.0, 12.0):
        machine = governor(0.1)
        rest = machine.equilibrium(rates={"spin": speed}, start={"A": 0.3})
        wanted = math.acos(G / (speed**2 * 0.5)) if speed**2 * 0.5 > G else 0.0
        assert abs(rest["A"]) == pytest.approx(wanted, abs=1e-10)
        assert rest.verdict == "stable" and rest.rates == {"spin.angle": speed}
        assert rest.efforts["spin.angle"] == pytest.approx(0.0, abs=1e-10)
        stiffness = 2.0 * 0.25 * speed**2 * math.sin(wanted) ** 2 if wanted else 2.0 * 0.5 * (G - 0.5 * speed**2)
        assert rest.K[0, 0] == pytest.approx(stiffness, rel=1e-9)
        (mode,) = machine.linearize(rest).modes()
        assert mode.natural_frequency == pytest.approx(math.sqrt(stiffness / 0.5) / math.tau, rel=1e-6)
        run = machine.simulate(1.0, start={"A": rest["A"]}, rates={"spin": speed}, samples=3)
        assert run["A.angle"].values[-1] == pytest.approx(rest["A"], abs=1e-7)
    hanging = governor().equilibrium(rates={"spin": 12.0}, kind="nearest")
    assert hanging["A"] == 0.0 and hanging.verdict == "unstable" and "goes on with 12 rad/s" in str(hanging)
    with pytest.raises(lw.InputError, match="no matter of statics"):
        _ = hanging.statics
    with pytest.raises(lw.NoEquilibrium, match="forces change along it"):
        governor(gravity=(0, -G, 0)).equilibrium(rates={"spin": 12.0}, start={"A": 0.3})
    with pytest.raises(lw.InputError, match="did you mean 'spin'"):
        governor().equilibrium(rates={"spinn": 1.0})
