"""Signals behave like arrays and keep their units; items give signals; names complete."""

from functools import cache

import numpy as np
import pytest

import linkwork as lw
from linkwork.results import Run
from linkwork.units import deg, kg, mm, rpm, s


@cache
def run() -> Run:
    machine = lw.example("slider-crank").assemble()
    return machine.forces(machine.motion(A=lw.ramp(0, 360 * deg, duration=1.0), samples=181))


def test_numbers() -> None:
    x = run()["P.x"]
    assert x.max() == np.max(x.values) == np.max(x) and x.min() == np.min(x.values)
    assert x.argmax() == int(np.argmax(x.values)) == np.argmax(x) and x.argmin() == int(np.argmin(x.values))
    where = run()["P.position"]
    assert where.max() == where.values.max() and np.array_equal(np.max(where, axis=0), where.values.max(axis=0))
    assert where.max("time").axes == ("axis",) and where.max("time").unit == "m"
    assert np.array_equal(where.min("time").values, where.values.min(axis=0))


def test_averages_over_time() -> None:
    time = np.array([0.0, 1.0, 1.0, 4.0])  # uneven, and two samples at one time
    own = lw.results.build_run(
        time, mechanism="rig", analysis="measurement", signals={"A.load": ("N", np.array([0.0, 3.0, 6.0, 0.0]))}
    )
    load = own["A.load"]
    assert load.mean() == pytest.approx((1.5 * 1 + 3.0 * 3) / 4, rel=1e-15)
    assert load.rms() == pytest.approx(np.sqrt((3.0 * 1 + 12.0 * 3) / 4), rel=1e-15)
    assert isinstance(load.mean(), float)
    effort = run()["A.effort"]
    assert effort.rms() == pytest.approx(run().evidence.forces.efforts[0].rms, rel=1e-14)
    turns = run()["A.rate"]
    assert turns.mean() == pytest.approx(2 * np.pi, rel=1e-4) and turns.mean() == np.mean(turns)
    missing = lw.results.build_run(
        time, mechanism="rig", analysis="measurement", signals={"A.load": ("N", np.array([0.0, np.nan, 6.0, 0.0]))}
    )["A.load"]
    assert missing.max() == 6.0 and missing.argmax() == 2 and missing.mean() == 3.0


def test_arithmetic_keeps_units() -> None:
    r = run()
    power = r["A.effort"] * r["A.rate"]
    assert power.unit == "W" and np.allclose(power, r["A.power"], rtol=1e-12) and power.name == "A.effort * A.rate"
    assert (2 * r["P.x"]).unit == "m" and np.array_equal(2 * r["P.x"], 2 * r["P.x"].values)
    assert (r["P.x"] ** 2 + r["P.y"] ** 2).unit == "m^2"
    distance = np.sqrt(r["P.x"] ** 2 + r["P.y"] ** 2)
    assert distance.unit == "m" and np.allclose(distance, np.hypot(r["P.x"], r["P.y"]), rtol=1e-15)
    assert (r["P.x"] - 5 * mm).unit == "m" and (-r["P.vx"]).unit == "m/s" and abs(r["P.vx"]).min() >= 0.0
    assert (r["P.x"] / r["P.y"].values[1]).unit == "m" and (r["P.vx"] / r["P.ax"]).unit == "s"
    assert np.allclose(0.05 * np.cos(r["A.angle"]), 0.05 * np.cos(r["A.angle"].values), rtol=1e-15)
    tip = r["B.force"] * (r["A.rate"] / r["A.rate"])  # vectors and numbers by the names of their axes
    assert tip.axes == ("time", "axis") and np.allclose(tip, r["B.force"], rtol=1e-15, equal_nan=True)
    speed = 50 * mm * r["A.rate"]
    assert speed.unit == "rad/s"  # a plain number of metres has no unit
    assert np.allclose(
        (r["P.position"].x * r["A.rate"] + r["P.vx"]).values, r["P.x"].values * r["A.rate"].values + r["P.vx"].values
    )
    assert (r["P.x"] > 0.1).dtype == bool and (r["P.x"] == r["P.x"]).all()
    assert r["P.velocity"].magnitude.max() == r["P.speed"].max()
    mean = (r["P.position"] - r["P.position"].mean("time")).mean("time")
    assert np.abs(mean).max() < 1e-16


def test_division_by_units() -> None:
    angle = run()["A.angle"]
    assert type(angle / deg) is np.ndarray and np.array_equal(angle / deg, angle.to("deg"))
    assert np.allclose(run()["P.vx"] / (mm / s), run()["P.vx"].to("mm/s"), rtol=1e-15)
    assert np.array_equal(run()["A.rate"] / rpm, run()["A.rate"].to("rpm"))
    with pytest.raises(lw.ModelError, match="it is in rad, and the unit that it is divided by measures length"):
        angle / mm
    assert np.array_equal(run()["A.rate"] / deg, run()["A.rate"].to("deg/s"))


def test_what_makes_no_sense_is_told() -> None:
    r = run()
    with pytest.raises(lw.ModelError, match=r"'P.x' is in m and 'A.angle' in rad"):
        r["P.x"] + r["A.angle"]
    with pytest.raises(lw.ModelError, match=r"'P.x' is in m, and the number is a mass"):
        r["P.x"] + kg
    with pytest.raises(lw.ModelError, match="there is no sin of a length"):
        np.sin(r["P.x"])
    with pytest.raises(lw.ModelError, match="is no unit"):
        np.sqrt(r["P.x"])
    with pytest.raises(lw.ModelError, match="lie on different samples of time"):
        r["P.x"] + r.sel(0.0, 0.5)["P.x"]
    with pytest.raises(lw.ModelError, match="did you mean 'time'"):
        r["P.x"].max("tme")
    with pytest.raises(AttributeError, match="is no vector"):
        r["P.x"].x


def test_items_give_signals() -> None:
    r = run()
    P, A, B = r["P"], r["A"], r["B"]
    for own, name in ((P.x, "P.x"), (P.vx, "P.vx"), (P.speed, "P.speed"), (A.rate, "A.angle.rate"), (B.fx, "B.fx")):
        assert isinstance(own, lw.Signal) and np.array_equal(own, r[name])
    assert P["velocity.x"].unit == "m/s" and P.position.y.max() == r["P.y"].max()
    assert A.max() == r["A.angle"].max() and np.allclose(A.to("deg"), r["A.angle"] / deg) and A.unit == "rad"
    assert np.array_equal(2 * A, 2 * r["A.angle"]) and A[-1] == r["A.angle"][-1] and (A > 1.0).any()
    with pytest.raises(lw.ModelError, match=r"'P' has several signals; ask for one of them: P.position"):
        P * 2
    with pytest.raises(AttributeError, match=r"no velocty of P; .* did you mean .P.velocity"):
        P.velocty
    assert isinstance(r["machine"].kinetic_energy, lw.Signal)


def test_names_complete() -> None:
    r = run()
    keys = r._ipython_key_completions_()
    assert {"time", "A", "P", "machine", "P.x", "A.rate", "P.velocity"} <= set(keys)
    assert all(key in r for key in keys)
    assert {"x", "velocity", "speed"} <= set(r["P"]._ipython_key_completions_()) and "vx" in dir(r["P"])
    assert "rate" in dir(r["A"]) and "<table>" in r["A"]._repr_html_()


def test_computed_signals_are_drawn() -> None:
    r = run()
    panels = (r["A.effort"] * r["A.rate"]).plot(units={"time": "ms"})
    (line,) = panels.description.panels[0].lines
    assert np.allclose(line.y, r["A.power"].values, rtol=1e-12) and np.allclose(line.x, 1000 * r.time)
    assert panels.description.panels[0].y.symbol == "W"
    both = r["A.effort"].plot(), (r["A.effort"] * 1.0).plot(against={"twice": 2 * r["A.effort"]})
    assert len(both[1].description.panels[0].lines) == 2


def test_told() -> None:
    assert str(run()) == run().summary() and all(line in repr(run()) for line in str(run()).splitlines()[1:])
