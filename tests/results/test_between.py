"""Curves are smooth however few samples there are, and never tell what is not known."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.results import PlaceHistory, VariableHistory, build_run
from linkwork.results.between import Between
from linkwork.results.rates import rates_of, values_of
from linkwork.units import deg

FINE = np.linspace(0.0, 1.0, 2001)


def test_polynomials_are_exact() -> None:
    t = np.array([0.0, 0.1, 0.4, 0.45, 1.0])
    fifth, cubic = np.polynomial.Polynomial([1, -2, 0.5, 3, -1, 0.7]), np.polynomial.Polynomial([1, -2, 0.5, 3])
    own = Between(t, (fifth(t), fifth.deriv()(t), fifth.deriv(2)(t)))
    assert np.abs(own.values - fifth(own.times)).max() < 1e-14 and not own.straight.any()
    own = Between(t, (fifth(t), fifth.deriv()(t), fifth.deriv(2)(t)), wanted=2)
    assert np.abs(own.values - fifth.deriv(2)(own.times)).max() < 1e-12
    own = Between(t, (cubic(t), cubic.deriv()(t)))
    assert np.abs(own.values - cubic(own.times)).max() < 1e-14
    assert len(own.times) == 4 * 60 + 1 and set(t) <= set(own.times.tolist())


def test_a_circle_of_thirteen_samples() -> None:
    t = np.linspace(0.0, 2 * np.pi, 13)
    places = [np.stack([np.cos(t + k * np.pi / 2), np.sin(t + k * np.pi / 2), 0 * t], axis=1) for k in range(3)]
    run = build_run(t, mechanism="wheel", analysis="motion", points={"P": PlaceHistory(*places)})
    (line, _) = run["P"].path().description.panels[0].lines
    radii = np.hypot(*line.drawn())
    assert len(line.x) == 13 and len(radii) == 361 and np.abs(radii - 1.0).max() < 1e-6  # straight lines: 0.034
    (line,) = run.plot("P.ax").description.panels[0].lines  # nobody knows its jerk
    assert np.abs(line.curve[1] + np.cos(line.curve[0])).max() < 4e-4
    (line,) = run.plot("P.speed").description.panels[0].lines
    assert np.abs(line.curve[1] - 1.0).max() < 2e-5
    line = run["P"].hodograph().description.panels[0].lines[0]
    assert np.abs(np.hypot(*line.drawn()) - 1.0).max() < 2e-5


def test_a_simulation_of_few_samples() -> None:
    m = lw.Mechanism("pendulum", gravity=(0, -9.81, 0))
    bob = m.body("bob", mass=1.0, com=(0.0, -1.0, 0.0), inertia=(0.01, 0.01, 0.01))
    m.revolute("A", m.ground, bob, at=(0, 0, 0), axis="z")
    m.point("P", bob, at=(0, -1.0, 0))
    s = m.assemble()
    few, many = (s.simulate(4.0, start={"A": 60 * deg}, samples=n) for n in (25, 2161))
    for name, limit in (("A", 2e-4), ("A.rate", 2e-3), ("A.acceleration", 0.1), ("P.x", 4e-4), ("P.speed", 2e-3)):
        (line,) = few.plot(name).description.panels[0].lines
        true = np.interp(line.curve[0], many.time, many.signal(name).values)
        assert np.abs(line.curve[1] - true).max() < limit, name
        straight = np.interp(line.curve[0], few.time, few.signal(name).values)
        assert np.abs(straight - true).max() > 10 * limit or name == "A.acceleration"
    (line,) = few.phase("A").description.panels[0].named
    assert len(line.curve[0]) == len(line.curve[1]) == 361


def test_what_is_not_known_is_a_straight_line() -> None:
    t = np.linspace(0.0, 1.0, 11)
    bounced = Between(t, (np.abs(t - 0.55), np.sign(t - 0.55)), struck=(0.55,))
    assert bounced.straight.tolist() == [False] * 5 + [True] + [False] * 4
    assert np.abs(bounced.values - np.interp(bounced.times, t, np.abs(t - 0.55))).max() < 1e-15
    missed = Between(t, (np.abs(t - 0.55), np.sign(t - 0.55)))  # rates that contradict the values tell it too
    assert not missed.straight[:5].any()
    coarse = np.arange(6.0)  # less than two samples an oscillation: no curve is made up
    aliased = Between(coarse, (np.sin(2 * np.pi * coarse), 2 * np.pi * np.cos(2 * np.pi * coarse)))
    assert aliased.straight.all()


def test_jumps_and_forces() -> None:
    t = np.array([0.0, 1.0, 1.0, 2.0, 3.0])
    own = Between(t, (np.array([0.0, 1.0, 5.0, 4.0, 4.5]),))  # of a force nobody knows a rate
    assert own.values.max() == 5.0 and own.values.min() == 0.0  # never beyond the samples
    assert np.diff(own.values[own.times < 1.0]).min() > 0.0
    counts = lw.example("four-bar").assemble().motion(O2=lw.ramp(0, 90 * deg), samples=10)
    assert counts.signal("closure.iterations")._between() is None
    assert counts.plot("closure.iterations").description.panels[0].lines[0].curve == ()


@pytest.mark.parametrize(
    ("name", "there", "rates"),
    [
        ("A.angle", {"A.angle.rate", "A.angle.acceleration"}, ("A.angle.rate", "A.angle.acceleration")),
        ("A.angle.rate", {"A.angle.acceleration"}, ("A.angle.acceleration",)),
        ("S.wx", {"S.wx.acceleration", "S.wx.jerk"}, ("S.wx.acceleration", "S.wx.jerk")),
        ("F.x", {"F.vx", "F.vx.acceleration"}, ("F.vx", "F.vx.acceleration")),
        ("P.velocity", {"P.acceleration"}, ("P.acceleration",)),
        ("rod.angular_velocity", {"rod.angular_acceleration"}, ("rod.angular_acceleration",)),
        ("coil.tension", {"coil.power"}, ()),
    ],
)
def test_rates(name: str, there: set[str], rates: tuple[str, ...]) -> None:
    assert rates_of(name, there) == rates


def test_values_of_rates() -> None:
    angle, place = ("A.angle", "A.angle.rate", "A.angle.acceleration"), ("P.position", "P.velocity", "P.acceleration")
    there = {*angle, *place}
    assert values_of("A.angle.acceleration", there) == (angle, 2) and values_of("P.velocity", there) == (place, 1)
    assert values_of("P.acceleration", there) == (place, 2) and values_of("B.force", there) == ((), 0)


def test_files_and_tables_have_the_samples(tmp_path) -> None:  # type: ignore[no-untyped-def]
    t = np.linspace(0.0, 1.0, 5)
    run = build_run(
        t, mechanism="m", analysis="motion", variables={"A.angle": VariableHistory("rad", t**2, 2 * t, 0 * t + 2)}
    )
    text = run.plot("A.angle").save(tmp_path / "plot.csv").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 8 and len(run.plot("A.angle")[0].lines[0].get_xdata()) == 241
