"""Results of kinematics plot themselves: closures, travels, transmission angles, screws, centrodes, poles, sweeps."""

from functools import cache

import numpy as np
import pytest
from matplotlib.figure import Figure

import linkwork as lw
from linkwork.analyses.kinematics.screw_motion import centrodes
from linkwork.analyses.kinematics.transmission import transmission_angle
from linkwork.geometry import pose, rot_z
from linkwork.units import deg, mm


@cache
def four_bar() -> lw.Machine:
    return lw.example("four-bar").assemble()


@cache
def turn() -> lw.Run:
    return four_bar().motion(O2=(40 * deg, 400 * deg))


def test_closures_side_by_side() -> None:
    found = four_bar().closures(O2=40 * deg)
    panels = found.named("open", "crossed").plot()
    (ax,) = panels
    assert [t.get_text() for t in ax.get_xticklabels()] == ["O4.angle", "A.angle", "B.angle"]  # O2 is given
    dots = {line.get_label(): line.get_ydata() for line in ax.lines if not line.get_label().startswith("_")}
    for name, posture in zip(("open", "crossed"), found, strict=True):
        assert np.array_equal(dots[f"closure {name}"], [posture[n] / deg for n in ("O4", "A", "B")])
    assert ax.get_ylabel() == "angle [deg]" and ax.get_title(loc="left") == "four-bar: 2 closures"
    assert ax.get_xlabel() == "1 more variable is the same in all"
    (radians,) = found.plot("O2", "O4", units={"angle": "rad"})
    assert radians.get_ylabel() == "angle [rad]" and radians.lines[1].get_ydata()[0] == found[0]["O2"]
    with pytest.raises(lw.ModelError, match=r"there is no joint 'O3'; there is: O2\.angle"):
        found.plot("O3")
    lengths, angles = lw.example("slider-crank-offset").assemble().closures(crank_bearing=0.5).plot()
    assert lengths.get_ylabel() == "length [mm]" and angles.get_ylabel() == "angle [deg]"


def test_travel_between_its_limits() -> None:
    found = four_bar().travel("O4")
    (ax,) = found.plot("O2")
    line, ring = ax.lines[:2]
    assert ax.get_xlabel() == "O4.angle [deg]"
    x, y = line.get_data()
    assert np.allclose([x[0], x[-1]], [found.lower / deg, found.upper / deg], rtol=1e-12) and (np.diff(x) > 0).all()
    stroke = found.strokes["O2.angle"]
    assert np.allclose(ring.get_ydata(), [stroke.least / deg, stroke.greatest / deg], rtol=1e-12)
    assert [t.get_text() for t in ax.texts] == ["limit of travel"] * 2
    # Every posture that is drawn closes (sides 40, 120, 80, 100): the tips of crank and rocker are a coupler apart.
    tips = 40 * np.exp(1j * y * deg) - 100 - 80 * np.exp(1j * x * deg)
    assert np.allclose(np.abs(tips), 120, atol=1e-6)
    turning = four_bar().travel("O2").plot()
    assert not turning[0].texts and len(turning.description.panels[0].named) == 3
    digger = lw.example("excavator-arm").assemble().travel("boom_cylinder").plot()
    texts = [t.get_text() for t in digger[0].texts]
    assert sorted(set(texts)) == ["limit of boom_cylinder.slide", "limit of travel"] and len(texts) == 4
    assert {line.name for line in digger.description.panels[0].named}.isdisjoint({"swing.angle"})  # it stands still
    assert len(digger[0].lines[0].get_xdata()) > 200  # fine, though the way searched is ten times as long


def test_transmission_angle_with_its_good_range() -> None:
    mu = four_bar().transmission(turn())
    (ax,) = mu.plot(x="O2")
    assert np.array_equal(ax.lines[0].get_xdata(), turn()["O2.angle"] / deg)
    assert np.array_equal(ax.lines[0].get_ydata(), mu.raw / deg) and ax.get_ylabel() == "transmission angle\n[deg]"
    box = ax.patches[0].get_bbox()
    assert np.allclose([box.y0, box.y1], [40, 140], rtol=1e-14) and ax.texts[0].get_text() == "drives well: 40° to 140°"
    (radians,) = mu.plot(units={"angle": "rad"})
    assert np.isclose(radians.patches[0].get_bbox().y0, 40 * deg, rtol=1e-14) and radians.get_xlabel() == "time [s]"
    assert repr(mu) == "TransmissionAngle: 361 samples\n  26.38 to 86.42 deg, folded at worst 26.38 deg"
    assert mu.run is turn()
    plain = transmission_angle([[0, 1, 0], [0, 2, 0]], [2, 1, 0], [2, 0, 5], [0, 0, 1])
    assert plain.plot()[0].get_xlabel() == "sample" and plain.run is None
    with pytest.raises(lw.ModelError, match="x: there is no run that has 'A'"):
        plain.plot(x="A")


def test_screws() -> None:
    spatial = lw.example("rssr").assemble()
    swing = spatial.motion(A=(10 * deg, 60 * deg), samples=61)
    screw = spatial.screw(swing, "rod")
    turning, sliding, pitch = screw.plot(x="A", units={"length": "mm"})
    assert np.array_equal(turning.lines[0].get_ydata(), screw.angular_speed)
    assert np.array_equal(sliding.lines[0].get_ydata(), screw.sliding_speed / mm)
    assert np.array_equal(pitch.lines[0].get_ydata(), screw.pitch / mm) and pitch.get_ylabel() == "pitch [mm/rad]"
    crank = lw.example("slider-crank").assemble()
    straight = crank.screw(crank.motion(A=(10 * deg, 60 * deg), samples=5), "piston").plot()
    assert straight.warnings[0] == "the pitch is infinite at 5 samples, where nothing turns"


def test_centrodes_touch_in_the_pole() -> None:
    found = four_bar().centrodes(turn(), "coupler")
    (ax,) = found.plot(at=170, units={"length": "mm"})
    fixed, moving, contact = ax.lines[:3]
    crossings = np.flatnonzero(np.diff(np.sign(found.rate)))
    assert len(crossings) == 2 and len(fixed.get_xdata()) == 361 + 2  # the pen is lifted where the pole is at infinity
    assert np.allclose(contact.get_xydata()[0], found.fixed[170, :2] / mm, rtol=1e-12)
    at = 170 + int((crossings < 170).sum())
    assert np.allclose(fixed.get_xydata()[at], contact.get_xydata()[0], rtol=1e-9)
    assert np.allclose(moving.get_xydata()[at], contact.get_xydata()[0], rtol=1e-9)  # B's curve, where B stands
    assert "poles lie outside the picture" in ax.figure.get_supxlabel()
    assert np.isclose(np.ptp(ax.get_ylim()) / np.ptp(ax.get_xlim()), ax.get_box_aspect(), rtol=1e-12)  # equal axes
    with pytest.raises(lw.ModelError, match="at: 361 is not the number of a sample; there are 361"):
        found.plot(at=361)
    # A wheel that rolls along x: a straight line and a circle.
    t = np.linspace(0.0, 3.0, 31)
    X = pose(rot_z(-2.0 * t), np.stack([0.6 * t, 0.3 + 0 * t, 0 * t], axis=-1))
    wheel = centrodes(np.eye(4), np.zeros(6), X, np.array([0.6, 0, 0, 0, 0, -2.0]), length=0.3)
    (page,) = wheel.plot(at=10)
    line, circle = page.lines[:2]
    assert np.allclose(line.get_ydata(), 0, atol=1e-12)
    assert np.allclose(np.hypot(circle.get_xdata() - 0.6 * t[10], circle.get_ydata() - 0.3), 0.3, rtol=1e-12)


def test_pole_motion() -> None:
    pole = four_bar().pole(turn(), "coupler")
    speed, circle = pole.plot(x="O2", units={"length": "mm"})
    assert np.array_equal(circle.lines[0].get_ydata(), pole.inflection_diameter / mm)
    assert np.array_equal(speed.lines[0].get_ydata(), np.linalg.norm(pole.velocity, axis=-1) / mm)
    assert circle.get_yscale() == "log"
    assert repr(pole).startswith("PoleMotion: 361 samples\n  361 with a pole, inflection circles of 0.1328 to ")


def test_sweeps() -> None:
    sweep = four_bar().solve({"O2": np.linspace(0.7, 6.0, 50)})
    (ax,) = sweep.plot("O4", x="O2")
    assert np.array_equal(ax.lines[0].get_xdata(), sweep.value("O2") / deg)
    assert np.array_equal(ax.lines[0].get_ydata(), sweep.value("O4") / deg) and ax.get_ylabel() == "O4.angle [deg]"
    assert sweep.plot()[0].get_xlabel() == "sample" and len(sweep.plot()[0].lines) == 4
    page = Figure().add_subplot()
    assert sweep.plot("O4", ax=page)[0] is page and sweep.units == ("rad",) * 4
