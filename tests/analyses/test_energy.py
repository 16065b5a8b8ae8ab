"""Power and energy: closed forms, and integrals that are exact between samples."""

import math

import numpy as np
import pytest
from force_runs import arm, swing, with_signals
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

import linkwork as lw
from linkwork.results import VariableHistory, build_run

number = st.one_of(st.just(0.0), st.floats(-10.0, 10.0).map(lambda x: round(x, 3)))


def one(time, effort, rate, share: float = 0.0) -> lw.DriveEnergy:
    return lw.drive_energy(time, {"A.angle": ("N m", effort, rate)}, share)["A"]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(number, number, st.floats(0.0, 2.0)), min_size=2, max_size=6), st.floats(0.0, 1.0))
def test_integrals_are_exact_for_straight_lines(rows: list[tuple[float, float, float]], share: float) -> None:
    """Against quadrature of the interpolated power, piece by piece between all zeros of effort and rate."""
    effort, rate, steps = np.array(rows).T
    time = np.cumsum(steps)
    found = one(time, effort, rate, share)
    sums = np.zeros(4)
    highest, lowest = max(effort * rate), min(effort * rate)
    for k, h in enumerate(np.diff(time)):
        e, r = (np.poly1d([np.diff(x)[k], x[k]]) for x in (effort, rate))
        P = e * r
        zeros = [z for p in (e, r) for z in np.real(p.roots) if 0 < z < 1]
        for a, b in zip(sorted([0.0, *zeros]), sorted([*zeros, 1.0]), strict=True):
            piece = P.integ()(b) - P.integ()(a)
            sums += h * np.array([piece, max(piece, 0), max(-piece, 0), 0])
        sums[3] += h * ((P * P).integ()(1.0))
        tops = [P(z) for z in P.deriv().roots if 0 < z < 1]
        highest, lowest = max([highest, *tops]), min([lowest, *tops])
    net, drawn, returned, square = sums
    assert found.net == pytest.approx(net, abs=1e-9) and found.drawn == pytest.approx(drawn, abs=1e-9)
    assert found.returned == pytest.approx(returned, abs=1e-9)
    assert found.absolute == pytest.approx(drawn + returned, abs=1e-9)
    assert found.net == pytest.approx(found.drawn - found.returned, abs=1e-9)
    assert found.cost == pytest.approx(drawn - share * returned, abs=1e-9)
    assert found.energy[-1] == pytest.approx(net, abs=1e-9) and found.energy[0] == 0.0
    assert found.peak_power == pytest.approx(max(highest, 0.0), abs=1e-9)
    assert found.braking_power == pytest.approx(max(-lowest, 0.0), abs=1e-9)
    span = time[-1] - time[0]
    if span > 1e-3:
        assert found.rms_power**2 * span == pytest.approx(square, abs=1e-8 * (1 + square))
        wide = quad(lambda t: np.interp(t, time, effort) ** 2, time[0], time[-1], points=time[1:-1], limit=200)[0]
        assert found.rms_effort**2 * span == pytest.approx(wide, rel=1e-5, abs=1e-6)


def test_a_mass_there_and_back() -> None:
    """Triangular speed: half m v² is drawn and given back; net nothing, absolute twice as much."""
    t = np.array([0.0, 1.0, 1.0, 2.0])  # the force jumps when braking starts
    m, v = 3.0, 2.0
    found = one(t, [m * v, m * v, -m * v, -m * v], [0.0, v, v, 0.0])
    half = 0.5 * m * v * v
    assert (found.net, found.drawn, found.returned, found.absolute) == pytest.approx((0.0, half, half, 2 * half))
    assert found.peak_power == found.braking_power == pytest.approx(m * v * v)
    assert found.peak_effort == found.rms_effort == pytest.approx(m * v)
    assert found.rms_power == pytest.approx(m * v * v / math.sqrt(3))
    assert one(t, [6.0, 6, -6, -6], [0.0, 2, 2, 0], 1.0).cost == pytest.approx(0.0)
    assert one(t, [6.0, 6, -6, -6], [0.0, 2, 2, 0], 0.25).cost == pytest.approx(0.75 * half)


def test_zeros_between_samples_are_found() -> None:
    """Power from -1 through 0 to +1 in one step: a quarter each way, where the samples alone give nothing."""
    found = one([0.0, 1.0], [1.0, 1.0], [-1.0, 1.0])
    assert (found.net, found.drawn, found.returned) == pytest.approx((0.0, 0.25, 0.25))
    both = one([0.0, 1.0], [-1.0, 2.0], [-2.0, 1.0])  # two zeros, at 1/3 and 2/3
    assert both.braking_power == pytest.approx(0.25) and both.peak_power == 2.0
    assert both.returned == pytest.approx(9 * (1 / 3) ** 3 / 6)


def test_the_energy_of_the_book_is_the_absolute_one() -> None:
    """Eqs. 3.5.2 to 3.5.4, the sum of |mean effort| |step|, comes to the same in short steps."""
    for n in (101, 201, 401, 801):
        t = np.linspace(0, 3, n)
        q, effort = np.sin(2 * t), np.cos(3 * t) + 0.2
        book = np.sum(np.abs(np.diff(q)) * np.abs(effort[1:] + effort[:-1]) / 2)
        assert one(t, effort, 2 * np.cos(2 * t)).absolute == pytest.approx(book, abs=2 * t[1] ** 2)


def test_holding_still_costs_nothing() -> None:
    found = one([0.0, 5.0], [100.0, 100.0], [0.0, 0.0])
    assert found.absolute == 0.0 and found.rms_effort == 100.0 and found.rms_power == 0.0
    instant = one([1.0], [3.0], [-2.0])
    assert (instant.net, instant.rms_effort, instant.rms_power, instant.braking_power) == (0.0, 3.0, 6.0, 6.0)


def test_drives_that_feed_each_other() -> None:
    t = [0.0, 2.0]
    found = lw.drive_energy(t, {"A.angle": ("N m", [5.0, 5.0], [1.0, 1.0]), "D.slide": ("N", [3.0, 3.0], [-1.0, -1.0])})
    assert (found.net, found.drawn, found.returned, found.absolute, found.cost) == (4.0, 10.0, 6.0, 16.0, 10.0)
    assert (found.shared.drawn, found.shared.returned, found.shared.peak_power) == (4.0, 0.0, 2.0)
    assert [row[0] for row in found.table] == ["drive", "A.angle", "D.slide", "sum", "one supply"]
    assert found.table[1][1:3] == ("5 N m", "5 N m") and found.table[2][1] == "3 N" and found.table[4][1] == ""
    assert str(found).splitlines()[3].split() == ["sum", "4", "10", "6", "16", "10"]
    assert "2 drives" in repr(found) and len(found.plot()) == 2


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.0, 1.0))
def test_one_supply_never_needs_more(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    t = np.cumsum(rng.uniform(0, 1, 12))
    found = lw.drive_energy(t, {n: ("N m", *rng.normal(size=(2, 12))) for n in "abc"}, share)
    assert found.shared.drawn <= found.drawn + 1e-12 and found.shared.net == pytest.approx(found.net, abs=1e-12)
    assert found.net - 1e-12 <= found.shared.cost <= found.cost + 1e-12 <= found.absolute + 2e-12


def test_the_drives_of_an_arm_pay_for_its_energy() -> None:
    """What all drives put in is what kinetic and potential energy gain."""
    machine = arm()
    run = swing(machine, samples=2001)
    found = lw.energy(run, recuperation=0.5)
    assert [d.name for d in found.drives] == ["A.angle", "B.angle", "C.angle"] and found.recuperation == 0.5
    q, v = (np.stack([run.data[f"{c}{d}"].values for c in machine.coordinates], axis=1) for d in ("", ".rate"))
    stored = machine.kinetic_energy(q, v) + machine.potential_energy(q)
    gained = sum(d.energy for d in found.drives)
    np.testing.assert_allclose(gained, stored - stored[0], atol=2e-5 * np.ptp(stored))
    np.testing.assert_array_equal(found["B"].power, run["B.angle.effort"].values * run["B.angle.rate"].values)
    assert found.cost == pytest.approx(found.drawn - 0.5 * found.returned) and found.run is run
    panels = found.plot(x="A.angle")
    assert panels.description.title == "arm: power and energy of the drives"
    power, energy = panels.description.panels
    assert len(power.lines) == len(energy.lines) == 4 and power.y.symbol == "W"
    np.testing.assert_allclose(power.lines[0].x, np.degrees(run["A.angle"].values))


def test_loads_are_no_drives_and_speeds_are_rates() -> None:
    ball = {f"S.q{c}": VariableHistory("1", np.full(3, 1.0 if c == "w" else 0.0)) for c in "wxyz"}
    run = build_run(
        [0.0, 1.0, 2.0], mechanism="m",
        variables={"A.angle": VariableHistory("rad", np.zeros(3), np.ones(3)), **ball},
        speeds={"S.wx": VariableHistory("rad/s", [1.0, 2.0, 3.0])},
        signals={"L.effort": ("N m", np.ones(3)), "A.angle.effort": ("N m", np.ones(3)),
                 "S.wx.effort": ("N m", np.ones(3))},
    )  # fmt: skip
    found = lw.energy(run)
    assert {d.name: d.net for d in found.drives} == {"A.angle": 2.0, "S.wx": 4.0}


def test_bad_energies() -> None:
    t, x = [0.0, 1.0], [1.0, 1.0]
    bare = build_run(t, mechanism="m", variables={"A.angle": VariableHistory("rad", x, x)})
    for words, ask in (
        ("no efforts of drives", lambda: lw.energy(bare)),
        ("1.5 is no share", lambda: lw.drive_energy(t, {"A": ("N", x, x)}, 1.5)),
        ("recuperation", lambda: lw.energy(with_signals(bare, {"A.angle.effort": ("N m", x)}), recuperation="half")),
        ("(?s)2 problems.*efforts are not finite at sample 1.*shape of the rates",
         lambda: lw.drive_energy(t, {"A": ("N", [1.0, math.nan], [1.0])})),
        ("never decrease", lambda: lw.drive_energy([1.0, 0.0], {"A": ("N", x, x)})),
        ("no drive is given", lambda: lw.drive_energy(t, {})),
        ("'Q' is not one drive", lambda: lw.drive_energy(t, {"A": ("N", x, x)})["Q"]),
        ("'motor' is no place; did you mean 'motors'",
         lambda: lw.energy(with_signals(bare, {"A.angle.effort": ("N m", x)}), at="motor")),
        ("'gross' is no energy", lambda: lw.drive_energy(t, {"A": ("N", x, x)}).total("gross")),
    ):  # fmt: skip
        with pytest.raises(lw.ModelError, match=words):
            ask()


# --- at the motors ----------------------------------------------------------------------------------------------------


def hoist(efficiency: float = 0.8, motor: bool = True, **more: float) -> lw.Run:
    """A load of 10 kg goes up 2 m and down again, moved by a geared motor."""
    m = lw.Mechanism("hoist", gravity=(0, 0, -9.81))
    m.body("load", mass=10.0)
    m.prismatic("S", "ground", "load", axis="z")
    if motor:
        m.motor("winch", "S", ratio=50, efficiency=efficiency, **more)
    s = m.assemble()
    return s.forces(s.motion(S=lw.expression("1 - cos(pi*t)"), samples=401, duration=2.0))


def test_gears_lose_both_ways_at_the_motors() -> None:
    """m g h / eta up, eta m g h down; at the joints both are m g h. Inertia is repaid within each half."""
    run = hoist()
    at_joint, at_motor = lw.energy(run), lw.energy(run, at="motors")
    work = 10 * 9.81 * 2
    assert at_joint.at == "joints" and at_motor.at == "motors" and at_joint["S"].name == "S.slide"
    assert at_joint.drawn == pytest.approx(work, rel=1e-4) and at_joint.returned == pytest.approx(work, rel=1e-4)
    one = at_motor["winch"]
    assert (one.drawn, one.returned) == pytest.approx((work / 0.8, 0.8 * work), rel=1e-3)
    assert at_motor.net == pytest.approx(work * (1 / 0.8 - 0.8), rel=1e-3) and at_joint.net == pytest.approx(
        0, abs=1e-9
    )
    shaft = lw.torque_speed(run, "winch")
    np.testing.assert_allclose(one.power, shaft.torque * shaft.speed, rtol=1e-12)
    assert one.unit == "N m" and one.peak_effort == np.abs(shaft.torque).max()
    assert at_motor.plot().description.title == "hoist: power and energy of the motors"
    # Where a gear loses nothing, rotor and bearings are the same seen from both sides.
    run = hoist(1.0, rotor_inertia=1e-3, damping=1e-4)
    np.testing.assert_allclose(lw.energy(run, at="motors")["winch"].power, lw.energy(run)["S"].power, atol=1e-9)


def test_where_the_energy_is_taken_is_told() -> None:
    run = hoist()
    told = 'at the joints: losses of gears and motors are not counted (efficiency: winch 0.8; at="motors" counts them)'
    assert str(lw.energy(run)).splitlines()[-1] == told and "401 samples, at the joints" in repr(lw.energy(run))
    assert str(lw.energy(hoist(1.0))).splitlines()[-1] == told.partition(" (")[0]
    assert "losses of gears are counted" in str(lw.energy(run, at="motors")).splitlines()[-1]
    assert "at the motors" in repr(lw.energy(run, at="motors"))
    with pytest.raises(lw.ModelError, match=r"S\.slide: it moves and has no motor"):
        lw.energy(hoist(motor=False), at="motors")


def test_a_joint_that_is_held_needs_no_motor() -> None:
    run = build_run(
        [0.0, 1.0], mechanism="m", variables={"A.angle": VariableHistory("rad", np.zeros(2), np.zeros(2))},
        signals={"A.angle.effort": ("N m", [3.0, 3.0])},
    )  # fmt: skip
    found = lw.energy(run, at="motors")
    assert found["A"].peak_effort == 3.0 and found.absolute == 0.0


def test_rounding_is_shown_as_nothing() -> None:
    """Of one drive that works and one that all but rests; and no zero has a sign."""
    found = lw.drive_energy([0.0, 1.0], {"a": ("N", [5.0, 5.0], [1.0, 1.0]), "b": ("N", [3e-18] * 2, [1e-18] * 2)})
    assert found.table[2][3:] == ("0",) * 8 and found["b"].drawn == pytest.approx(3e-36)
    assert found.table[1][4] == "0" and math.copysign(1.0, found["a"].braking_power) == 1.0
    still = lw.drive_energy([0.0, 1.0], {"a": ("N", [-5.0, 5.0], [0.0, -0.0])})
    assert set(still.table[1][3:]) == {"0"} and "0 J: 0 J drawn, 0 % of 0 J" in repr(still)
    assert math.copysign(1.0, still["a"].peak_power) == 1.0
    alone = lw.drive_energy([0.0, 1.0], {"b": ("N", [3e-18] * 2, [1e-18] * 2)})
    assert alone.table[1][7] == "3e-36"  # where nothing is larger, it is no rounding
