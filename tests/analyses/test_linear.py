"""Small motions: closed forms, differences of the nonlinear equations, simulations of small amplitude."""

from __future__ import annotations

import itertools
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dynamics_fixtures import SPRING_SCALE_INERTIA, spring_scale
from scipy.integrate import solve_ivp
from test_equilibrium import chain, follower, pushed_slider, sprung_four_bar

import linkwork as lw
from linkwork.analyses.linear.coefficients import coefficients
from linkwork.analyses.linear.first_order import Massless
from linkwork.analyses.linear.set_points import held_at
from linkwork.units import deg

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("model", "equations")]

from random_loads import random_loaded_machine  # noqa: E402
from state_machines import INERTIA, dc_motor, pid  # noqa: E402

Array = np.ndarray
G = 9.81


def cart(**loads: Any) -> lw.Mechanism:
    """A mass on a slide."""
    m = lw.Mechanism("cart")
    m.body("block", mass=1.0)
    m.prismatic("X", "ground", "block", axis="x")
    if loads:
        m.spring("coil", joint="X", free=0.0, **loads)
    return m


def hanging() -> lw.Machine:
    """A cart of 3 kg that can be driven, and a point mass of 2 kg, 0.5 m below it."""
    m = lw.Mechanism("crane", gravity=(0, -G, 0))
    m.body("trolley", mass=3.0), m.body("bob", mass=2.0, com=(0, -0.5, 0))
    m.prismatic("X", "ground", "trolley", axis="x")
    m.revolute("A", "trolley", "bob", at=(0, 0, 0), axis="z")
    m.point("P", "bob", (0, -0.5, 0))
    return m.assemble()


def two_masses(d: float = 0.02) -> lw.Machine:
    """The digest's modal_2dof: two blocks in a row between springs and dampers."""
    m = lw.Mechanism("row")
    m.body("a", mass=2.0), m.body("b", mass=1.0, com=(1, 0, 0))
    m.prismatic("X", "ground", "a", axis="x")
    m.prismatic("Y", "ground", "b", at=(1, 0, 0), axis="x")
    m.point("pa", "a", (0, 0, 0)), m.point("pb", "b", (1, 0, 0))
    m.spring("first", joint="X", stiffness=300.0, damping=d, free=0.0)
    m.spring("between", "pa", "pb", stiffness=100.0, damping=2 * d)
    m.force("push", "pb", amount=0.0, along="x")
    return m.assemble()


ROW = np.diag([2.0, 1.0]), np.array([[400.0, -100.0], [-100.0, 100.0]])


# ---------------------------------------------------------------- matrices


def test_the_spring_scale_swings_at_its_frequency() -> None:
    machine = spring_scale().assemble()
    linear = machine.linearize(machine.equilibrium())
    psi, k, length = -30 * deg, 15.0, 5.0
    W = 2 * k * length * (math.sin(psi) - 2 * math.tan(psi))
    K = 4 * k * length**2 * (2 * math.cos(psi) - math.cos(2 * psi)) - 2 * length * W * math.sin(psi)
    assert pytest.approx(np.array([[SPRING_SCALE_INERTIA]]), rel=1e-12) == linear.matrices.M
    assert pytest.approx(np.array([[K]]), rel=1e-12) == linear.matrices.K
    assert pytest.approx(2339.1016, abs=1e-4) == K
    (mode,) = linear.modes()
    assert mode.frequency == pytest.approx(9.7365, abs=5e-5)
    assert mode.eigenvalue == pytest.approx(61.176j, abs=5e-4)
    assert mode.kinetic["slider"] == pytest.approx(1.0) and mode.elastic == {"spring": pytest.approx(1.0)}
    kick = linear.impulse("W", "A.rate", until=0.01)  # a unit impulse of the load W, which acts downward
    assert 0.10 * kick["A.rate"].values[0] == pytest.approx(-1.38564, abs=1e-5)


def test_a_double_pendulum_has_the_frequencies_of_the_books() -> None:
    """M = [[3, 1], [1, 1]] and K = g [[3, 0], [0, 1]] of absolute angles... in relative ones, the same roots."""
    linear = chain(1.0, 1.0).linearize({"J0": -90 * deg})
    assert linear.efforts == {}
    roots = sorted(m.eigenvalue.imag**2 for m in linear.modes())
    # point masses m = 1 on rods of 1 m, of which the second hangs from the first's mass at the pin: ω² = g (2 ∓ √2)
    assert roots == pytest.approx([G * (2 - math.sqrt(2)), G * (2 + math.sqrt(2))], rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_linearization_is_the_derivative_of_forward_dynamics(seed: int) -> None:
    """On random machines with loops, all joints and loads, in motion: differences of the accelerations themselves."""
    case = random_loaded_machine(seed)
    machine = case.mechanism.assemble()
    loops, t = machine.loops, 0.3
    rng = np.random.default_rng(seed)
    y = machine.home.y
    columns = machine.home._roles.independent
    mask = np.isin(np.arange(loops.columns), columns)
    w = loops.rates(y, mask, [np.where(mask, 0.5 * rng.normal(size=loops.columns), 0.0)])[0]
    point = held_at(machine, loops, y, w, np.zeros(loops.columns, bool), np.zeros(loops.columns), np.zeros(0), t)
    c, at = point.c, point.at
    assert np.array_equal(at.columns, columns)
    assert np.abs(c.R).max() <= 1e-9 * (np.abs(c.K).max() + 1.0)
    D = c.D - c.M @ c.G
    K = c.K - D @ c.G
    n, h = len(columns), 1e-4
    scale = loops.column_scale[columns]

    def accelerations(dpsi: Array, dw: Array) -> Array:
        from linkwork.analyses.equilibrium.balance import Balance

        balance = Balance(loops, np.zeros(loops.columns, bool), t)
        balance.charts.append(balance._made(at.order, columns))
        Y, closed = balance.moved(balance.charts[0], y[np.newaxis], (dpsi / scale)[np.newaxis])
        assert closed.all()
        own = w.copy()
        own[columns] += dw
        rates = loops.rates(Y[0], mask, [own])[0]
        found: Array = machine.forward_dynamics(Y[0], rates, at.effort, t=t)[columns]
        return found

    none = np.zeros(n)
    usual = np.abs(np.linalg.solve(c.M, np.hstack([K * scale, D * scale]))).max() + 1e-9
    for k in range(n):
        step = h * scale[k] * np.eye(n)[k]
        for law, found in (
            (lambda s: accelerations(s, none), K),
            (lambda s: accelerations(none, s), D),
        ):
            wanted = sum(
                weight * (law(j * step) - law(-j * step)) for j, weight in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
            ) / (h * scale[k])
            assert np.abs(-np.linalg.solve(c.M, found[:, k]) - wanted).max() * scale[k] <= 1e-7 * usual
    # the mass matrix is that of unit accelerations
    push = rng.normal(size=n)
    effort = at.effort.copy()
    effort[columns] += push
    assert c.M @ machine.forward_dynamics(y, w, effort, t=t)[columns] == pytest.approx(
        push, rel=1e-6, abs=1e-7 * np.abs(c.M).max()
    )


def test_a_batch_of_set_points_is_linearised_at_once() -> None:
    machine = sprung_four_bar()
    angles = np.linspace(-0.3, 0.3, 50)
    Y = machine.solve({"A": angles + machine.home["A"]}).variables
    single = machine.linearize(machine.at(A=float(angles[17] + machine.home["A"])))
    at = single._point.at
    from dataclasses import replace

    many = coefficients(
        replace(
            at, y=Y, w=np.zeros_like(Y), dw=np.zeros_like(Y), x=np.zeros((50, 0)), effort=np.tile(at.effort, (50, 1))
        )
    )
    assert many.K.shape == (50, 1, 1)
    assert many.K[17] == pytest.approx(single.matrices.K, rel=1e-12)
    assert many.M[17] == pytest.approx(single.matrices.M, rel=1e-12)


# ---------------------------------------------------------------- steady motions


@pytest.mark.parametrize("factor", [0.9, 1.1, 2.0])
def test_a_spinning_top_stands_above_its_limit(factor: float) -> None:
    """I1 ζ'' - i I3 ω ζ' - m g l ζ = 0 of its tilt; along its own axes every root is turned back by iω."""
    mass, length, I1, I3 = 0.5, 0.06, 5e-4, 8e-4
    m = lw.Mechanism("top", gravity=(0, 0, -G))
    m.body("top", mass=mass, com=(0, 0, length), inertia=(I1, I1, I3))
    m.spheric("S", "ground", "top", at=(0, 0, 0))
    about = I1 + mass * length**2
    spin = factor * 2 * math.sqrt(mass * G * length * about) / I3
    linear = m.assemble().linearize(rates={"S.wz": spin})
    assert not linear.warnings
    found = np.linalg.eigvals(linear.matrices.A)
    roots = np.roots([about, -1j * I3 * spin, -mass * G * length]) - 1j * spin
    for root in [*roots, *roots.conj()]:
        assert np.abs(found - root).min() <= 1e-9 * spin
    assert linear.modes().stable == (factor > 1.0)


def test_a_bead_on_a_turning_rod_flies_off_and_feels_coriolis() -> None:
    m = lw.Mechanism("rod")
    m.body("rod", mass=1.0, inertia=(0.01, 0.2, 0.2)), m.body("bead", mass=0.3, com=(0.4, 0, 0))
    m.revolute("A", "ground", "rod", at=(0, 0, 0), axis="z")
    m.prismatic("R", "rod", "bead", at=(0, 0, 0), axis="x", value=0.4)
    linear = m.assemble().linearize(rates={"A": 5.0})
    c = linear.matrices
    names = list(c.coordinates)
    a, r = names.index("A.angle"), names.index("R.slide")
    assert c.D[r, a] == pytest.approx(-2 * 0.3 * 0.4 * 5.0, rel=1e-12)
    assert c.D[a, r] == pytest.approx(2 * 0.3 * 0.4 * 5.0, rel=1e-12)
    assert c.K[r, r] == pytest.approx(-0.3 * 25.0, rel=1e-12)
    assert linear.static_stiffness[r, r] == pytest.approx(0.0, abs=1e-12)
    assert linear.efforts == {"R.slide": pytest.approx(-0.3 * 0.4 * 25.0, rel=1e-12)}


# ---------------------------------------------------------------- modes


def stewart_on_springs() -> lw.Machine:
    """D4 of the anchors: the platform alone on six springs along its legs."""
    base = [np.array([math.cos(a * deg), math.sin(a * deg), 0.0]) for a in (-10, 10, 110, 130, 230, 250)]
    tops = [np.array([0.6 * math.cos(a * deg), 0.6 * math.sin(a * deg), 0.9]) for a in (-50, 50, 70, 170, 190, 290)]
    m = lw.Mechanism("platform", floating=True)
    m.body("plate", mass=10.0, com=(0, 0, 0), inertia=(0.8, 0.8, 1.5), frame=lw.placement((0, 0, 0.9)))
    for k, (b, p) in enumerate(zip(base, tops, strict=True), 1):
        m.point(f"b{k}", "ground", b), m.point(f"p{k}", "plate", p)
        m.spring(f"leg{k}", f"b{k}", f"p{k}", stiffness=1e6)
    return m.assemble()


def test_a_stewart_platform_on_springs_has_the_known_modes() -> None:
    machine = stewart_on_springs()
    rest = machine.equilibrium()
    assert rest.stable and rest.posture.y == pytest.approx(machine.home.y, abs=1e-12)
    modes = machine.linearize(rest).modes()
    known = [49.8908531021, 49.8908531021, 99.2095749433, 109.7701346917, 149.4471014462, 149.4471014462]
    assert modes.frequencies == pytest.approx(np.array(known), rel=1e-9)
    assert modes.residual < 1e-9
    assert sum(modes[0].elastic.values()) == pytest.approx(1.0)


def test_modes_of_two_masses() -> None:
    M, K = ROW
    linear = two_masses(0.0).linearize()
    assert pytest.approx(M) == linear.matrices.M and pytest.approx(K, abs=1e-9) == linear.matrices.K
    exact = np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K))) / (2 * np.pi)
    assert linear.modes().frequencies == pytest.approx(np.sort(exact), rel=1e-12)
    damped = two_masses().linearize()
    D = np.array([[0.06, -0.04], [-0.04, 0.04]])
    assert pytest.approx(D, abs=1e-12) == damped.matrices.D
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    own = np.linalg.eigvals(A)
    wanted = np.sort_complex(own[own.imag > 0])
    assert np.sort_complex(damped.modes().eigenvalues) == pytest.approx(wanted, rel=1e-10)
    for mode in damped.modes():
        assert mode.damping == pytest.approx(-mode.eigenvalue.real / abs(mode.eigenvalue))
        left = mode.left.conj() @ (mode.eigenvalue**2 * M + mode.eigenvalue * D + K)
        assert np.abs(left).max() <= 1e-9 * np.abs(K).max()  # a left vector: forces along it excite this mode alone
    locked = linear.modes(lock="X")
    assert locked.frequencies == pytest.approx([math.sqrt(100.0) / (2 * np.pi)], rel=1e-12)
    result = linear.modes().result
    assert result["frequency"].values == pytest.approx(linear.modes().frequencies)
    assert result.select(mode=2)["X.slide.shape"].values == pytest.approx(linear.modes()[1].joints["X.slide"])


def test_rigid_modes_defective_pairs_and_growth_are_told() -> None:
    modes = hanging().linearize().modes()
    assert [m.kind for m in modes] == ["rigid", "oscillating"]
    assert modes[0].moves == ("X.slide",) and modes[0].frequency == 0.0
    assert modes[1].frequency == pytest.approx(math.sqrt(G / 0.5 * (1 + 2.0 / 3.0)) / (2 * np.pi), rel=1e-10)
    critical = cart(stiffness=1.0, damping=2.0).assemble().linearize().modes()
    assert all(m.defective for m in critical) and "defective" in str(critical)
    assert [m.eigenvalue for m in critical] == pytest.approx([-1.0, -1.0], abs=1e-6)
    falling = pushed_slider().linearize(pushed_slider().equilibrium(kind="nearest")).modes()
    assert not falling.stable and falling[0].kind == "growing" and "grows" in str(falling)
    dragged = cart(damping=0.5).assemble().linearize().modes()
    assert [m.kind for m in dragged] == ["rigid", "decaying"]
    assert dragged[1].decay == pytest.approx(2.0)


def test_modes_of_a_machine_with_states() -> None:
    """A motor with inductance: λ of J s² (L s + R) + k² s, the free turn included."""
    linear = dc_motor().linearize(states={"i": 10.0})
    found = np.sort_complex(np.linalg.eigvals(linear.matrices.A))
    own = {"R": 1.2, "k": 0.5, "L": 0.01}
    roots = np.roots([INERTIA * own["L"], INERTIA * own["R"], own["k"] ** 2, 0.0])
    assert found == pytest.approx(np.sort_complex(roots), abs=1e-9)
    assert linear.efforts == {"A.angle": pytest.approx(-5.0)}
    with pytest.raises(lw.InputError, match="i changes by 1200 a second"):
        dc_motor().linearize()


def test_a_freedom_without_mass_is_named() -> None:
    m = cart(stiffness=1.0)
    m.body("tip"), m.prismatic("Y", "block", "tip", axis="y")
    m.spring("soft", joint="Y", stiffness=1.0)
    with pytest.raises(Massless, match=r"no mass resists Y\.slide"):
        m.assemble().linearize().modes()
    assert len(m.assemble().linearize(hold="Y").modes()) == 1


def test_a_column_flutters_where_its_eigenvalues_say_so() -> None:
    """Ziegler's column without damping loses stability at (7/2 - √2) c/l = 2.086 c/l."""
    limit = 3.5 - math.sqrt(2.0)
    for push, stable in ((0.98 * limit, True), (1.02 * limit, False)):
        modes = follower(push).with_parameters({"cA.damping": 0.0, "cB.damping": 0.0}).linearize().modes()
        assert all(abs(m.eigenvalue.real) < 1e-6 for m in modes) == stable


# ---------------------------------------------------------------- frequency response


def test_frequency_response_is_that_of_the_matrices() -> None:
    M, K = ROW
    linear = two_masses().linearize()
    D = linear.matrices.D
    f = np.geomspace(0.2, 20.0, 57)
    H = linear.frequency_response(["X.effort", "push", "pb.fx"], ["X", "Y.rate", "pb.ax", "pb.x - pa.x"], f)
    s = 2j * np.pi * f
    exact = np.linalg.inv(s[:, None, None] ** 2 * M + s[:, None, None] * D + K)
    assert H["X"].values[0] == pytest.approx(exact[:, 0, 0], rel=1e-10)
    assert H["Y.rate"].values[0] == pytest.approx(s * exact[:, 1, 0], rel=1e-10)
    assert H["Y.rate"].values[1] == pytest.approx(s * exact[:, 1, 1], rel=1e-10)  # a load whose amount is 0
    assert H["pb.ax"].values[2] == pytest.approx(s**2 * exact[:, 1, 1], rel=1e-10)
    assert H["pb.x_-_pa.x"].values[0] == pytest.approx(exact[:, 1, 0] - exact[:, 0, 0], rel=1e-9)
    # by residues of the modes, with left and right vectors of the first-order form: the seed's (13.20)
    A = linear.matrices.A
    values, V = np.linalg.eig(A)
    B = np.concatenate([np.zeros(2), np.linalg.solve(M, [1.0, 0.0])])
    sums = sum(V[0, k] * (np.linalg.inv(V) @ B)[k] / (s - values[k]) for k in range(4))
    assert H["X"].values[0] == pytest.approx(sums, rel=1e-9)


def test_a_number_of_a_spring_acts_on_its_tension_at_once() -> None:
    M, K = ROW
    linear = two_masses().linearize()
    f = np.array([0.7, 3.0])
    s = 2j * np.pi * f
    H = linear.frequency_response("between.free", ["between", "Y"], f)
    P = s[:, None, None] ** 2 * M + s[:, None, None] * linear.matrices.D + K
    moved = np.linalg.solve(P, np.broadcast_to(np.array([[-100.0], [100.0]]), (2, 2, 1)))[..., 0]
    assert H["Y"].values == pytest.approx(moved[:, 1], rel=1e-9)
    stretch = moved[:, 1] - moved[:, 0]
    assert H["between"].values == pytest.approx(100.0 * (stretch - 1.0) + 0.04 * s * stretch, rel=1e-9)
    assert linear.bode("push", "push", f)["push"].values == pytest.approx(np.ones(2))
    stepped = linear.step("between.free", "between", until=1.0)
    assert stepped["between"].values[0] == pytest.approx(-100.0)


def test_bode_finds_its_own_frequencies_and_draws() -> None:
    linear = two_masses().linearize()
    H = linear.bode("X.effort", "X")
    resonances = [p.frequency for p in H.peaks if p.kind == "resonance"]
    assert resonances == pytest.approx(linear.modes().frequencies, rel=1e-4)
    dips = [p.frequency for p in H.peaks if p.kind == "antiresonance"]
    assert dips == pytest.approx([math.sqrt(100.0) / (2 * np.pi)], rel=2e-2)
    panels = H.plot()
    assert len(panels) == 2 and panels[0].get_xscale() == "log" and panels[0].get_yscale() == "log"
    undamped = two_masses(0.0).linearize().bode("X.effort", "X", [math.sqrt(50.0) / math.tau])
    assert undamped["X"].values.shape == (1,)


def test_a_driven_trolley_swings_its_load() -> None:
    """A/X = -s²/(l s² + g) of small angles to the right; the trolley carries both."""
    linear = hanging().linearize(hold="X")
    assert linear.held == ("X.slide",) and linear.coordinates == ("A.angle",)
    f = np.array([0.3, 0.9, 2.0])
    s = 2j * np.pi * f
    H = linear.frequency_response("X", ["A", "P.x", "X.effort"], f)
    angle = -(s**2) / (0.5 * s**2 + G)
    assert H["A"].values == pytest.approx(angle, rel=1e-10)
    assert H["P.x"].values == pytest.approx(1.0 + 0.5 * angle, rel=1e-9)
    assert H["X.effort"].values == pytest.approx(3.0 * s**2 + 2.0 * s**2 * (1.0 + 0.5 * angle), rel=1e-9)
    A = linear.response({"X": "cycloidal(0, 1e-5m, 0.5s)"}, ["A", "X.effort"], until=2.0, samples=201)
    run = hanging().simulate(
        2.0, drives={"X": lw.cycloidal(0, 1e-5, duration=0.5)}, samples=201, rtol=1e-11, atol=1e-16
    )
    assert A["A"].values == pytest.approx(run["A.angle"].values, abs=1e-11)
    ramp = linear.response({"X": "0:1e-5m in 0.5s"}, ["A", "A.rate"], until=0.4, samples=5)  # begins with a jerk
    t, w = ramp["time"].values, math.sqrt(G / 0.5)
    assert ramp["A"].values == pytest.approx(-2e-5 / 0.5 * np.sin(w * t) / w, abs=1e-15)


# ---------------------------------------------------------------- response in time


def test_small_motions_are_those_of_a_simulation() -> None:
    machine = sprung_four_bar()
    rest = machine.equilibrium()
    small, linear = 1e-5, machine.linearize(rest)
    run = machine.simulate(3.0, start={"A": rest["A"] + small}, samples=61, rtol=1e-12, atol=1e-15)
    found = linear.response(until=3.0, samples=61, start={"A": small}, outputs=["A", "D.rate"])
    assert found["A"].values == pytest.approx(run["A.angle"].values - rest["A"], abs=2e-4 * small)
    assert found["D.rate"].values == pytest.approx(run["D.angle.rate"].values, abs=1e-3 * small)


def test_double_roots_and_rigid_bodies_answer_exactly() -> None:
    critical = cart(stiffness=1.0, damping=2.0).assemble().linearize().step("X.effort", "X", until=6.0)
    t = critical["time"].values
    assert critical["X"].values == pytest.approx(1.0 - (1.0 + t) * np.exp(-t), abs=1e-12)
    free = cart().assemble().linearize()
    moved = free.response({"X.effort": 3.0}, ["X", "X.rate"], until=2.0, rates={"X": 0.5})
    t = moved["time"].values
    assert moved["X"].values == pytest.approx(0.5 * t + 1.5 * t**2, abs=1e-12)
    assert moved["X.rate"].values == pytest.approx(0.5 + 3.0 * t, abs=1e-12)
    kicked = free.impulse("X.effort", "X.rate", until=1.0)
    assert kicked["X.rate"].values == pytest.approx(np.ones(501))


@pytest.mark.parametrize(
    "law",
    [
        lw.harmonic(0.3, 5.0, frequency=1.1, phase=0.4),
        "harmonic(0.3 N, 5 N, 1.1Hz)",
        lw.table([0, 0.5, 1.0, 3.0], [0, 2, -1, 1]),
        "sin(2*t)*exp(-t)",
        "0:4N in 0.7s",
        2.5,
    ],
    ids=["harmonic", "text", "table", "formula", "ramp", "step"],
)
def test_every_law_is_answered_exactly(law: Any) -> None:
    linear = two_masses().linearize()
    found = linear.response({"X.effort": law}, ["Y", "X.rate"], until=3.0, samples=31)
    u, t = found["X.effort"].values, found["time"].values
    system = linear.state_space("X.effort", ["Y", "X.rate"])
    names = {"h": lw.harmonic(0.3, 5.0, frequency=1.1), "0": lw.ramp(0.0, 4.0, duration=0.7)}

    def values(x: float) -> float:
        if isinstance(law, float):
            return law
        if not isinstance(law, str):
            return float(law.sample(x)[0])
        return math.sin(2 * x) * math.exp(-x) if law[0] == "s" else float(names[law[0]].sample(x)[0])

    assert u == pytest.approx([values(x) for x in t], abs=1e-11)
    z, breaks = np.zeros(4), [0.0, 0.5, 0.7, 1.0, 3.0]
    for a, b in itertools.pairwise(breaks):
        own = solve_ivp(
            lambda x, z: system.A @ z + system.B[:, 0] * values(x), (a, b), z, rtol=1e-12, atol=1e-14, method="DOP853"
        )
        z = own.y[:, -1]
    near = 1e-9 if law == "sin(2*t)*exp(-t)" else 1e-10  # a formula is followed by polynomials
    assert found["Y"].values[-1] == pytest.approx((system.C @ z)[0], abs=near)
    assert found["X.rate"].values[-1] == pytest.approx((system.C @ z)[1], abs=near)


def test_a_controller_with_a_state_answers_like_the_matrix_exponential() -> None:
    machine = pid()
    linear = machine.linearize(machine.equilibrium())
    found = linear.response(until=2.0, start={"X": -0.4, "integral": -0.05}, samples=51)
    run = machine.simulate(2.0, samples=51, rtol=1e-11, atol=1e-13)
    assert found["X.slide"].values + 0.4 == pytest.approx(run["X.slide"].values, abs=1e-9)
    assert found["integral"].values + 0.05 == pytest.approx(run["integral.value"].values, abs=1e-9)


# ---------------------------------------------------------------- other people's systems, wrong names


def test_state_spaces_of_others() -> None:
    linear = two_masses().linearize()
    space = linear.state_space(["X.effort", "push"], ["Y", "pb.vx"])
    assert space.B.shape == (4, 2) and space.outputs == ("Y", "pb.vx")
    w = np.array([3.0, 11.0])
    own = linear.state_space("X.effort", "Y").scipy()
    H = [(own.C @ np.linalg.solve(1j * x * np.eye(4) - own.A, own.B))[0, 0] for x in w]
    assert pytest.approx(linear.bode("X.effort", "Y", w / (2 * np.pi))["Y"].values, rel=1e-9) == H
    control = pytest.importorskip("control")
    system = linear.control("X.effort", ["Y", "X"])
    assert system.input_labels == ["X_effort"] and system.output_labels == ["Y", "X"]
    assert control.evalfr(system, 3.0j)[0, 0] == pytest.approx(H[0], rel=1e-9)


def test_wrong_names_are_told_at_once_with_suggestions() -> None:
    linear = two_masses().linearize()
    with pytest.raises(lw.InputError) as told:
        linear.bode("Z.effort", ["pb.w", "Q.x"])
    text = str(told.value)
    assert "Z.effort" in text and "pb.w" in text and "Q.x" in text
    with pytest.raises(lw.InputError, match="'X' is not held"):
        linear.bode("X", "Y")
    with pytest.raises(lw.InputError, match="not above zero"):
        linear.bode("X.effort", "X", [0.0, 1.0])
    with pytest.raises(lw.InputError, match="did you mean"):
        linear.response(until=1.0, start={"X.slid": 1.0})
    with pytest.raises(lw.InputError, match="settled by the equilibrium"):
        two_masses().linearize(two_masses().equilibrium(), hold="X")
    with pytest.raises(lw.InputError, match="jumps"):
        hanging().linearize(hold="X").step("X", "A")
