"""Couplings, constraints by expression and velocity constraints: rows like any other, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.units import deg

GRAVITY = 9.81


def pair_of_links(law: str = "ratio*A + 5*deg", ratio: float = 2.0) -> lw.Mechanism:
    m = lw.Mechanism("pair", gravity=(0, -GRAVITY, 0))
    m.body("a", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.body("b", mass=1.5, com=(1.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("A", m.ground, "a", at=(0, 0, 0), axis="z")
    m.revolute("B", "a", "b", at=(1, 0, 0), axis="z")
    m.point("P", "b", at=(2, 0, 0))
    m.couple("pair", "B", law, parameters={"ratio": ratio} if "ratio" in law else None)
    return m


def one_freedom(A: float, law: tuple[float, float, float]) -> tuple[float, float, float, float]:
    """Inertia m(A), its half slope, and dV/dA of the pair with B = law; law holds B, dB/dA, d²B/dA²."""
    B, slope, curve = law
    T = A + B
    turn, bend = 1.0 + slope, curve  # of T
    # velocity of b's centre by A': (-sin A - turn/2 sin T, cos A + turn/2 cos T)
    u = np.array([-np.sin(A) - 0.5 * turn * np.sin(T), np.cos(A) + 0.5 * turn * np.cos(T)])
    du = np.array(
        [
            -np.cos(A) - 0.5 * turn**2 * np.cos(T) - 0.5 * bend * np.sin(T),
            -np.sin(A) - 0.5 * turn**2 * np.sin(T) + 0.5 * bend * np.cos(T),
        ]
    )
    inertia = 0.25 + 0.1 + 1.5 * u @ u + 0.1 * turn**2
    half = 1.5 * u @ du + 0.1 * turn * bend
    potential = GRAVITY * (0.5 * np.cos(A) + 1.5 * (np.cos(A) + 0.5 * turn * np.cos(T)))
    return inertia, half, potential, T


LAWS = {
    "ratio*A + 5*deg": lambda A: (2.0 * A + 5 * deg, 2.0, 0.0),
    "0.5*sin(A) - 0.3*A**2": lambda A: (
        0.5 * np.sin(A) - 0.3 * A * A, 0.5 * np.cos(A) - 0.6 * A, -0.5 * np.sin(A) - 0.6,
    ),
}  # fmt: skip


@pytest.mark.parametrize("law", LAWS)
def test_a_coupled_pair_moves_as_lagrange_says(law: str) -> None:
    s = pair_of_links(law).assemble()
    assert s.home.mobility == 1
    for A in (-0.7, 0.2, 1.1):
        inertia, half, potential, _ = one_freedom(A, LAWS[law](A))
        p = s.at(A=A)
        assert p["B"] == pytest.approx(LAWS[law](A)[0], abs=1e-14)
        rates = p.velocities({"A": 1.7})
        assert rates["B.angle"] == pytest.approx(1.7 * LAWS[law](A)[1], abs=1e-13)
        found = s.accelerations(p, rates={"A": 1.7}, efforts={"A": 2.5})
        assert found["A"] == pytest.approx((2.5 - half * 1.7**2 - potential) / inertia, rel=1e-12)
        held = s.statics(p, drives=["A"])
        assert held.efforts["A.angle"] == pytest.approx(potential, rel=1e-12)


def test_a_coupled_pair_is_simulated_to_its_tolerance() -> None:
    s = pair_of_links().assemble()
    run = s.simulate(1.0, start={"A": 0.0}, rtol=1e-10, atol=1e-12)

    def rates(t: float, z: np.ndarray) -> list[float]:
        inertia, half, potential, _ = one_freedom(z[0], LAWS["ratio*A + 5*deg"](z[0]))
        return [z[1], (-half * z[1] ** 2 - potential) / inertia]

    true = solve_ivp(rates, (0, 1), [0.0, 0.0], rtol=1e-12, atol=1e-13, method="DOP853").y[:, -1]
    assert run.y[-1, 0] == pytest.approx(true[0], abs=1e-9)
    assert np.abs(run.y[:, 1] - 2 * run.y[:, 0] - 5 * deg).max() < 1e-14
    assert np.abs(run.w[:, 1] - 2 * run.w[:, 0]).max() < 1e-12
    assert run.evidence.simulation.energy_error < 1e-8


def test_efforts_of_a_coupled_pair_and_what_its_joints_carry() -> None:
    """Newton and Euler by hand: the coupling's torques are part of the moments in the joints."""
    s = pair_of_links().assemble()
    f = s.forces(s.motion(A=lw.ramp(0.1, 1.1, speed=1.0), samples=11))
    A = np.linspace(0.1, 1.1, 11)
    expected = []
    for a in A:
        _, half, potential, _ = one_freedom(a, LAWS["ratio*A + 5*deg"](a))
        expected.append(half + potential)
    assert np.allclose(f["A.effort"].values, expected, rtol=1e-12)
    T = 3 * A + 5 * deg
    b_acc = np.stack([-np.cos(A) - 4.5 * np.cos(T), -np.sin(A) - 4.5 * np.sin(T)], axis=1)
    force = 1.5 * (b_acc + np.array([0.0, GRAVITY]))
    arm = 0.5 * np.stack([np.cos(T), np.sin(T)], axis=1)
    moment = arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0]
    assert np.allclose(f["B.mz"].values, moment, rtol=1e-12, atol=1e-12)


def test_parameters_of_a_coupling_are_parameters_of_the_machine() -> None:
    s = pair_of_links().assemble()
    other = s.with_parameters({"pair.ratio": -1.0})
    assert other.at(A=0.4)["B"] == pytest.approx(-0.4 + 5 * deg, abs=1e-14)
    run = s.simulate(0.5, start={"A": 0.1}, sensitive_to=["pair.ratio"], rtol=1e-10)
    h = 1e-5
    others = [s.with_parameters({"pair.ratio": 2.0 + x}) for x in (h, -h)]
    ends = [other.simulate(0.5, start={"A": 0.1}, rtol=1e-11).y[-1, 0] for other in others]
    assert run.sensitivity("A", "pair.ratio").values[-1] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-7)


def test_a_point_on_a_track() -> None:
    """A bead on y = 0.1 sin 10 x under gravity: one freedom, energy kept, the track never left."""
    m = lw.Mechanism("bead", gravity=(0, -GRAVITY, 0))
    m.body("bead", mass=0.2)
    m.body("carriage")
    m.prismatic("X", m.ground, "carriage", at=(0, 0, 0), axis="x")
    m.prismatic("Y", "carriage", "bead", at=(0, 0, 0), axis="y")
    m.point("P", "bead", at=(0, 0, 0))
    m.constrain("track", "P.y - height*sin(10*P.x)", parameters={"height": 0.1})
    s = m.assemble()
    assert (s.home.mobility, s.home.redundant) == (1, 0)
    run = s.simulate(2.0, start={"X": 0.05}, rates={"X": 0.3}, rtol=1e-10, atol=1e-12)
    x, y = run.y[:, 0], run.y[:, 1]
    assert np.abs(y - 0.1 * np.sin(10 * x)).max() < 1e-15
    energy = 0.1 * (run.w[:, 0] ** 2 + run.w[:, 1] ** 2) + 0.2 * GRAVITY * y
    assert np.ptp(energy) < 1e-9
    slope, bend = np.cos(10 * x), -10 * np.sin(10 * x)
    a = -slope * (bend * run.w[:, 0] ** 2 + GRAVITY) / (1 + slope**2)
    assert np.allclose(run.a[:, 0], a, atol=1e-9)


def test_constraints_join_loops() -> None:
    """A follower tied to the slider and the crank of a slider-crank."""
    m = lw.example("slider-crank")
    m.body("follower", mass=0.3)
    m.prismatic("F", m.ground, "follower", at=(0, 0, 0), axis="y")
    m.point("Q", "follower", at=(0, 0, 0))
    m.constrain("tie", "Q.y - 0.5*D - 0.02*sin(C)")
    s = m.assemble()
    assert "C" in s.cut_joints  # whose rate then is an unknown of its own
    assert (s.home.mobility, s.home.redundant) == (1, 3)
    turn = np.linspace(0.0, 2 * np.pi, 73)
    found = s.solve({"A": turn}, {"A": 10.0 + turn}, {"A": 3.0 - turn})
    tied = found.value("F.slide") - 0.5 * found.value("D.slide") - 0.02 * np.sin(found.value("C.angle"))
    assert np.abs(tied).max() < 1e-14
    y, w, dw = found.variables, found.rates, found.accelerations
    efforts = np.zeros_like(w)
    efforts[:, s.variable_rates.index("A.angle")] = s.drive_efforts(y, w, dw)[:, 0]
    assert np.allclose(s.forward_dynamics(y, w, efforts), dw, rtol=1e-9, atol=1e-7)
    free = s.simulate(0.5, start={"A": 0.5}, rates={"A": 10.0}, rtol=1e-9)
    assert free.evidence.simulation.energy_error < 1e-6
    assert free.evidence.worst_residual < 1e-14


def test_redundant_constraints_are_told_by_name() -> None:
    m = pair_of_links()
    m.constrain("again", "B - 2*A - 5*deg")
    s = m.assemble()
    assert (s.home.mobility, s.home.redundant) == (1, 1)
    assert s.home.redundancies[0].joints == ("pair", "again")


def test_a_constraint_that_cannot_be_met_is_told_by_name() -> None:
    m = pair_of_links()
    m.constrain("far", "P.x - 5")
    with pytest.raises(lw.ClosureError, match="the constraint far is missed by"):
        m.assemble()


# ---------------------------------------------------------------- velocities


def sleigh(a: float = 0.3) -> lw.Machine:
    """Chaplygin's: a blade at P, the centre of mass ahead of it by a."""
    m = lw.Mechanism("sleigh")
    m.body("body", mass=2.0, com=(a, 0, 0), inertia=(0.2, 0.25, 0.4))
    m.flat("F", m.ground, "body", at=(0, 0, 0), axis="z")
    m.point("P", "body", at=(0, 0, 0))
    m.velocity("blade", "rate(P.x)*sin(F.angle) - rate(P.y)*cos(F.angle)")
    return m.assemble()


def test_chaplygins_sleigh() -> None:
    """v' = a w², (I + m a²) w' = -m a v w (Neimark and Fufaev 1972, ch. III)."""
    s = sleigh()
    assert (s.home.mobility, s.home.place_mobility) == (2, 3)
    run = s.simulate(5.0, start={"F.angle": 0.4}, rates={"F.x": np.cos(0.4), "F.angle": 0.7}, rtol=1e-11, atol=1e-12)

    def rates(t: float, z: np.ndarray) -> list[float]:
        v, w, angle, _, _ = z
        return [0.3 * w * w, -2.0 * 0.3 * v * w / (0.4 + 2.0 * 0.09), w, v * np.cos(angle), v * np.sin(angle)]

    true = solve_ivp(rates, (0, 5), [1.0, 0.7, 0.4, 0.0, 0.0], rtol=1e-12, atol=1e-13, method="DOP853").y[:, -1]
    assert np.allclose(run.y[-1], [true[3], true[4], true[2]], atol=1e-9)
    slip = run.w[:, 0] * np.sin(run.y[:, 2]) - run.w[:, 1] * np.cos(run.y[:, 2])
    assert np.abs(slip).max() < 1e-13


def test_a_disc_that_rolls_without_slip_on_a_slope() -> None:
    """Upright on an incline, driven by gravity: a = g sin β / (1 + I/(m r²)); its spin follows."""
    slope, radius = 0.3, 0.25
    m = lw.Mechanism("disc", gravity=(GRAVITY * np.sin(slope), 0, -GRAVITY * np.cos(slope)))
    m.body("fork")
    m.body("disc", mass=3.0, com=(0, 0, radius), inertia=(0.05, 0.09, 0.05))
    m.prismatic("X", m.ground, "fork", at=(0, 0, radius), axis="x")
    m.revolute("R", "fork", "disc", at=(0, 0, radius), axis="y")
    m.velocity("roll", "rate(X) - r*rate(R)", parameters={"r": radius})
    s = m.assemble()
    run = s.simulate(2.0)
    a = GRAVITY * np.sin(slope) / (1 + 0.09 / (3.0 * radius**2))
    assert run.y[-1, 0] == pytest.approx(2 * a, rel=1e-9)
    assert run.y[-1, 1] == pytest.approx(2 * a / radius, rel=1e-9)


def test_a_knife_edge_on_a_slope_does_not_slide_down() -> None:
    """x = g sin β sin²(w t) / (2 w²): it goes to and fro (Bloch 2003, sec. 1.6)."""
    slope, spin = 0.2, 1.3
    pull = GRAVITY * np.sin(slope)
    m = lw.Mechanism("edge", gravity=(pull, 0, -GRAVITY * np.cos(slope)))
    m.body("edge", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.flat("F", m.ground, "edge", at=(0, 0, 0), axis="z")
    m.point("P", "edge", at=(0, 0, 0))
    m.velocity("blade", "rate(P.x)*sin(F.angle) - rate(P.y)*cos(F.angle)")
    run = m.assemble().simulate(6.0, rates={"F.angle": spin}, rtol=1e-11, atol=1e-13, samples=121)
    t = run.t
    assert np.allclose(run.y[:, 2], spin * t, atol=1e-11)
    assert np.allclose(run.y[:, 0], pull * np.sin(spin * t) ** 2 / (2 * spin**2), atol=1e-9)
    assert np.allclose(run.y[:, 1], pull * (spin * t - 0.5 * np.sin(2 * spin * t)) / (2 * spin**2), atol=1e-9)


def test_motions_of_rates_are_refused_with_a_way_out() -> None:
    """The model is sound: what was asked is wrong."""
    s = sleigh()
    for ask in (lambda: s.motion({"F.x": (0.0, 1.0)}), lambda: s.solve({"F.x": [0.0, 1.0]})):
        with pytest.raises(lw.InputError, match=r"blade restricts rates alone.*simulate") as caught:
            ask()
        assert [p.where for p in caught.value.problems] == ["drives"]
    assert sleigh().at({"F.x": 0.2, "F.y": -0.4, "F.angle": 1.0})["F.y"] == -0.4


# ---------------------------------------------------------------- wrong ones


def test_wrong_constraints_are_told_all_at_once() -> None:
    m = lw.Mechanism("wrong")
    m.body("a", mass=1.0)
    m.revolute("A", m.ground, "a", at=(0, 0, 0), axis="z")
    m.point("P", "a", at=(1, 0, 0))
    m.constrain("track", "P.q")
    m.velocity("curved", "rate(A)**2")
    m.velocity("pushed", "rate(A) - 2")
    m.couple("lost", "B", "2*A")
    with pytest.raises(lw.ModelError) as error:
        m.assemble()
    text = str(error.value)
    for part in ("'P' has no 'q'", "not linear in rate(A)", "does not depend on rates", "there is no joint 'B'"):
        assert part in text


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda m: m.constrain("c", "A - t"), "does not depend on time"),
        (lambda m: m.constrain("c", "rate(A)"), "speaks of places"),
        (lambda m: m.velocity("c", "A"), "no rates in it"),
        (lambda m: m.couple("c", "A", "2*A"), "follows itself"),
        (lambda m: m.constrain("c", "A", parameters={"k": 2}), "does not use 'k'"),
        (lambda m: m.constrain("A", "A"), "taken by a joint"),
    ],
)
def test_each_call_is_checked(call, text: str) -> None:
    m = lw.Mechanism("wrong")
    m.body("a", mass=1.0)
    m.revolute("A", m.ground, "a", at=(0, 0, 0), axis="z")
    with pytest.raises(lw.ModelError, match=text.replace("(", r"\(")):
        call(m)


def test_files_keep_constraints_to_the_bit(tmp_path) -> None:
    m = pair_of_links()
    m.constrain("track", "P.y - 0.1*sin(P.x)", description="a track")
    m.velocity("blade", "rate(P.x)*sin(A) - k*rate(P.y)*cos(A)", parameters={"k": 0.1 + 0.2})
    lw.save(m, tmp_path / "m.yaml")
    assert lw.load(tmp_path / "m.yaml") == m


def test_files_tell_wrong_constraints() -> None:
    text = """
linkwork: 1
bodies: {a: {mass: 1}}
joints:
  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}
constraints:
  track: {expression: X + A}
  odd: {expression: A, parameters: {k: 5 blorks}}
velocities:
  blade: {expression: rate(A)*rate(A)}
"""
    with pytest.raises(lw.ModelError) as error:
        lw.loads(text)
    assert "line 8" in str(error.value) and "blorks" in str(error.value)
    with pytest.raises(lw.ModelError, match="nothing called 'X'"):
        lw.loads(text.replace("5 blorks", "5 deg").replace("expression: A,", "expression: k*A,")).assemble()


# ---------------------------------------------------------------- specified coordinates


def arm() -> lw.Machine:
    m = lw.Mechanism("arm", gravity=(0, -GRAVITY, 0))
    m.body("a", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.body("b", mass=1.5, com=(1.4, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("A", m.ground, "a", at=(0, 0, 0), axis="z")
    m.revolute("B", "a", "b", at=(1, 0, 0), axis="z")
    m.point("P", "b", at=(1.8, 0, 0))
    return m.assemble(start={"A": 0.3, "B": 0.9})


def test_a_point_is_driven_along_a_line() -> None:
    """The law of cosines gives B, its place A; second differences of both give accelerations."""
    s = arm()
    x0, y0, _ = s.home.position("P")
    way = {name: lw.cycloidal(a, b, duration=1.0) for name, a, b in (("P.x", x0, 0.7), ("P.y", y0, 1.2))}
    run = s.motion(way, samples=401)
    x, y = run["P.x"].values, run["P.y"].values
    B = np.arccos((x * x + y * y - 1 - 0.64) / 1.6)
    A = np.arctan2(y, x) - np.arctan2(0.8 * np.sin(B), 1 + 0.8 * np.cos(B))
    assert np.allclose(run["B.angle"].values, B, atol=1e-12)
    assert np.allclose(run["A.angle"].values, A, atol=1e-12)
    h = 1.0 / 400
    for name, own in (("A", A), ("B", B)):
        fourth = (-own[4:] + 16 * own[3:-1] - 30 * own[2:-2] + 16 * own[1:-3] - own[:-4]) / (12 * h * h)
        assert np.allclose(run[f"{name}.angle.acceleration"].values[2:-2], fourth, atol=2e-6)
    f = s.forces(run)
    levels = [np.stack([run[f"{j}.angle{e}"].values for j in "AB"], axis=1) for e in ("", ".rate", ".acceleration")]
    tau = lw.System(s.mechanism).inverse_dynamics(*levels)
    assert np.allclose(f["A.effort"].values, tau[:, 0], rtol=1e-10, atol=1e-10)
    assert np.allclose(f["B.effort"].values, tau[:, 1], rtol=1e-10, atol=1e-10)


def test_a_posture_by_coordinates_and_joints_together() -> None:
    s = arm()
    p = s.at({"P.x": 0.9, "B": 1.2})
    assert p["B"] == pytest.approx(1.2, abs=1e-14)
    assert p.position("P")[0] == pytest.approx(0.9, abs=1e-14)
    assert p.mobility == 2 and len(p.y) == 2
    found = s.solve({"P.x": np.linspace(0.9, 1.1, 5), "P.y": 1.0})
    assert np.allclose(s.position("P", found.variables)[:, 0], np.linspace(0.9, 1.1, 5), atol=1e-13)


def test_a_point_of_a_closed_loop_is_driven() -> None:
    s = lw.example("slider-crank").assemble(start={"A": 0.5})
    x = s.home.position("P")[0]
    run = s.motion({"P.x": (x, x - 0.02)}, samples=11)
    assert np.allclose(run["P.x"].values, np.linspace(x, x - 0.02, 11), atol=1e-14)
    assert run.evidence.worst_residual < 1e-14
    again = s.solve({"A": run["A.angle"].values})
    assert np.allclose(s.position("P", again.variables[:, : s.nq])[:, 0], run["P.x"].values, atol=1e-13)


def test_a_coordinate_that_cannot_be_reached_says_so() -> None:
    with pytest.raises(lw.ClosureError, match=r"P\.x and P\.y cannot go beyond 1\.659"):
        arm().at({"P.x": 2.5, "P.y": 0.0})
    with pytest.raises(lw.ModelError, match=r"'P\.q' is no coordinate of a place"):
        arm().at({"P.q": 2.5})


def test_a_machine_is_put_together_at_coordinates_of_places() -> None:
    """As `simulate` begins at them; a start is kept to rounding, a guess chooses the closure."""
    m = lw.Mechanism("bent", gravity=(0, -GRAVITY, 0))
    m.body("a", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.body("b", mass=1.5, com=(1, 0.4, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("A", m.ground, "a", at=(0, 0, 0), axis="z")
    m.revolute("B", "a", "b", at=(1, 0, 0), axis="z")
    m.point("P", "b", at=(1, 0.8, 0))
    place = {"P.x": 0.9, "P.y": 0.7}
    s = m.assemble(start=place)
    assert np.allclose(s.home.position("P")[:2], [0.9, 0.7], atol=1e-14) and len(s.home.y) == s.plan.ny
    assert np.allclose(m.assemble().simulate(0.01, start=place, samples=2).y[0], s.home.y, atol=1e-12)
    assert np.allclose(s.with_parameters({}).home.y, s.home.y, atol=1e-14)
    bend = np.arccos((0.9**2 + 0.7**2 - 1 - 0.64) / 1.6)
    for side in (1.0, -1.0):
        home = m.assemble(start=place, guess={"B": side * bend - np.pi / 2 + 0.3}).home
        assert home["B"] == pytest.approx(side * bend - np.pi / 2, abs=1e-12)
        assert np.allclose(home.position("P")[:2], [0.9, 0.7], atol=1e-14)
    assert np.allclose(m.assemble(guess=place).home.position("P")[:2], [0.9, 0.7], atol=1e-14)
    tied = lw.example("four-bar")
    tied.point("Q", "coupler", at=tuple(tied.assemble().home.position("coupler")))
    x = tied.assemble().home.position("Q")[0]
    assert tied.assemble(start={"Q.x": x + 0.002}).home.position("Q")[0] == pytest.approx(x + 0.002, abs=1e-14)


def test_wrong_starts_of_a_machine_are_told_like_others() -> None:
    m = arm().mechanism
    with pytest.raises(lw.InputError) as caught:
        m.assemble(start={"P.q": 1.0, "Z": 1.0})
    assert [p.what for p in caught.value.problems] == [
        "'P.q' is no coordinate of a place, which are x, y and z in the world", "there is no joint 'Z'",
    ]  # fmt: skip
    with pytest.raises(lw.InputError) as caught:
        m.assemble(start={"P.q": 1.0}, guess={"Z": 1.0, "A": "x"})
    assert [p.where for p in caught.value.problems] == ["guess", "guess.A", "start"]


# ---------------------------------------------------------------- kinks and jumps


@pytest.mark.parametrize(
    ("law", "what"),
    [
        ("0.3*sign(A)", "`sign` jumps at A = 0"),
        ("where(A > ratio, A, 0)", "`where` jumps at A = ratio"),
        ("where(sin(A) > 0.5, 1, 2)*A", "`where` jumps at sin(A) = 0.5"),
        ("where(sign(A)*P.x > 0, A, P.y)", "`sign` jumps at A = 0"),
    ],
)
def test_equations_that_jump_are_refused_by_name(law: str, what: str) -> None:
    with pytest.raises(lw.ModelError) as caught:
        pair_of_links(law).assemble()
    (problem,) = caught.value.problems
    assert (problem.where, problem.what) == ("couplings.pair", f"{what}, where no motion obeys the equation")
    assert "tanh" in problem.hint


def test_coefficients_of_rates_that_jump_are_refused() -> None:
    for text in ("rate(A)*sign(B) - rate(B)", "where(B > 0, rate(A), 2*rate(A)) - rate(B)"):
        m = pair_of_links()
        m.velocity("v", text)
        with pytest.raises(lw.ModelError, match=r"velocities\.v: `(sign|where)` jumps at B = 0"):
            m.assemble()


def test_kinks_are_for_kinematics_and_not_for_simulations() -> None:
    """B = |A|: postures and rates follow on both sides; let go, the rates would jump as nobody says."""
    s = pair_of_links("abs(A)").assemble(start={"A": -0.4})
    run = s.motion(A=lw.ramp(-0.4, 0.5, duration=1.0), samples=10)
    assert run.status == "complete"
    A = run["A.angle"].values
    assert np.allclose(run["B.angle"].values, np.abs(A), atol=1e-14)
    assert np.allclose(run["B.rate"].values, 0.9 * np.sign(A), atol=1e-12)
    assert np.isfinite(s.forces(run)["A.effort"].values).all()
    with pytest.raises(lw.InputError) as caught:
        s.simulate(1.0, rates={"Z": 1.0})
    assert [(p.where, p.what) for p in caught.value.problems] == [
        ("couplings.pair", "`abs` has a kink at A = 0, where the rates would jump"),
        ("rates", "there is no joint 'Z'"),
    ]
    with pytest.raises(lw.InputError, match="`max` has a kink at A = 0"):
        pair_of_links("max(A, 0)").assemble().simulate(1.0)


@pytest.mark.parametrize(
    "track", ["where(P.x > 0, P.x**2, 0.5*P.x**2)", "abs(P.x)*P.x + P.x**2", "where(P.x < k, k**2, P.x*(2*k - P.x))"]
)
def test_what_has_neither_is_simulated_to_its_tolerance(track: str) -> None:
    """Curvatures may jump, or nothing at all: only accelerations do then."""
    m = lw.Mechanism("bead", gravity=(0, -GRAVITY, 0))
    m.body("bead", mass=0.2)
    m.body("carriage")
    m.prismatic("X", m.ground, "carriage", at=(0, 0, 0), axis="x")
    m.prismatic("Y", "carriage", "bead", at=(0, 0, 0), axis="y")
    m.point("P", "bead", at=(0, 0, 0))
    m.constrain("track", f"P.y - ({track})", parameters={"k": 0.3} if "k" in track else None)
    run = m.assemble().simulate(2.0, start={"X": 0.5}, rates={"X": -1.0}, rtol=1e-9, atol=1e-11)
    assert run.status == "complete" and run.y[:, 0].min() < 0.0
    assert run.evidence.simulation.energy_error < 1e-8


def test_numbers_that_tear_a_law_apart_are_refused_wherever_they_are_given() -> None:
    m = lw.Mechanism("torn")
    m.body("a", mass=1.0, inertia=(0.1, 0.1, 0.1)), m.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.revolute("A", m.ground, "a", axis="z"), m.revolute("B", m.ground, "b", axis="z")
    m.couple("law", "B", "where(A > k, (A - c)**2, 0)", parameters={"k": 0.3, "c": 0.3})
    s = m.assemble()
    assert s.simulate(0.5, rates={"A": 2.0}).status == "complete"
    with pytest.raises(lw.InputError) as caught:
        s.with_parameters({"law.c": 0.2})
    (problem,) = caught.value.problems
    what = "`where` jumps at A = k, where no motion obeys the equation (c = 0.2)"
    assert (problem.where, problem.what) == ("parameters.law", what)
    moved = s.with_parameters({"law.c": 0.2, "law.k": 0.2})  # both at once meet again
    assert moved.at({"A": 0.5})["B"] == pytest.approx(0.09, abs=1e-14)
    with pytest.raises(lw.InputError, match=r"`where` jumps at A = k.*\(k = 0\.3\)"):
        moved.with_parameters({"law.k": 0.3})
    with pytest.raises(lw.InputError, match=r"`where` jumps at A = k.*\(k = 0\.3, c = 0\.2\)"):
        s.simulate_many(0.5, rates={"A": 2.0}, parameters={"law.k": 0.3, "law.c": np.array([0.3, 0.2])})
    both = np.array([0.3, 0.2])
    runs = s.simulate_many(0.5, rates={"A": 2.0}, parameters={"law.k": both, "law.c": both})
    assert list(runs.status) == ["complete"] * 2
    with pytest.raises(lw.InputError, match="of different lengths"):
        s.simulate_many(0.5, rates={"A": 2.0}, parameters={"law.k": both, "law.c": np.zeros(3)})
