"""A machine that is let go on the workbench: a wish becomes the very simulation, and a hand pulls rightly."""

import math
import time
from functools import partial

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.kinematics.posture import Posture
from linkwork.model.amounts import Formula
from linkwork.units import ANGLE, LENGTH, UnitSystem
from linkwork.views.workbench.bench import Bench
from linkwork.views.workbench.fields import CountField, QuantityField
from linkwork.views.workbench.live import DAMPED, FIRM, Grip, Live
from linkwork.views.workbench.opening import Opened
from linkwork.views.workbench.releasing import Ends, Rubbing, Wish, depends_on_time, effort_of, ready_to_go

PENDULUM = """linkwork: 1
name: pendulum
units: {length: mm, angle: deg}
gravity: [0, -9.81 m/s^2, 0]
bodies:
  arm: {mass: 2 kg, com: [250, 0, 0], inertia: [1000, 40000, 40000]}
joints:
  A: {revolute: [ground, arm], axis: z}
points:
  P: {on: arm, at: [500, 20, 0]}
"""
LOADED = PENDULUM.replace("joints:", "  load: {mass: 1.5 kg, com: [500, 20, 0]}\njoints:").replace(
    "points:", "  R: {rigid: [arm, load], at: [500, 20, 0]}\npoints:"
)
MM = UnitSystem(length="mm", angle="deg")


def bench(text: str = PENDULUM) -> Bench:
    own = Bench(Opened.of(lw.loads(text)))
    assert own.assemble() == ""
    return own


def test_a_payload_is_a_point_mass_fixed_to_the_body() -> None:
    own = bench()
    run = own.simulate(Wish(payloads={"P": 1.5}), 1.0, 61)
    assert run is not None and own.run is run
    wanted = lw.loads(LOADED).assemble().simulate(1.0, samples=61)
    assert np.abs(run["A"].value - wanted["A"].value).max() < 1e-7
    # On the body itself it is at the centre of mass, which stays.
    assert own.machine is not None
    heavy = ready_to_go(own.machine, Wish(payloads={"arm": 2.0})).parameters
    assert heavy["arm.mass"] == 4.0
    assert heavy["arm.com.x"] == pytest.approx(0.25, abs=1e-15)
    assert heavy["arm.inertia.zz"] == pytest.approx(0.04, abs=1e-15)
    with pytest.raises(lw.ModelError, match="leaves -1 kg"):
        ready_to_go(own.machine, Wish(payloads={"arm": -3.0}))


def test_friction_stops_and_rates_are_those_of_a_simulation() -> None:
    own = bench()
    wish = Wish(
        rates={"A.angle": 2.0},
        efforts={"A.angle": "-0.1*rate(A)"},
        stops={"A.angle": Ends(low=-1.0, restitution=0.5), "P.x": Ends()},
        friction={"A.angle": Rubbing(dry=0.3, viscous=0.05)},
    )
    run = own.simulate(wish, 1.0, 61)
    m = lw.loads(PENDULUM)
    m.friction("rub", "A", level=0.3, viscous=0.05, form="exact")
    events = lw.stop("A", low=-1.0, restitution=0.5)
    wanted = m.assemble().simulate(1.0, rates={"A": 2.0}, efforts={"A": "-0.1*rate(A)"}, events=events, samples=61)
    assert run is not None
    assert np.abs(run["A"].value - wanted["A"].value).max() < 1e-12
    assert len(run.events) == len(wanted.events) > 0


def test_numbers_that_were_changed_are_kept_beside_friction() -> None:
    own = bench()
    assert own.change({"arm.mass": 3.0}) == ""
    assert own.machine is not None
    rubbed = ready_to_go(own.machine, Wish(friction={"A.angle": Rubbing(viscous=0.1)}))
    assert rubbed.parameters["arm.mass"] == 3.0


def test_efforts_are_read_as_numbers_laws_and_formulas() -> None:
    read = partial(effort_of, lw.loads(PENDULUM))
    assert read(" ", ANGLE, MM) is None
    assert read("5 N m", ANGLE, MM) == 5.0
    assert read("-2.5e-1", ANGLE, MM) == -0.25
    assert read("3 kN", LENGTH, MM) == 3000.0
    assert read("-0.2*rate(A)", ANGLE, MM) == Formula("-0.2*rate(A)", ("rate(A)",))
    assert read("0:5 N m in 2s", ANGLE, MM) == lw.ramp(0.0, 5.0, duration=2.0)
    with pytest.raises(lw.InputError, match="a mass"):
        read("3 kg", ANGLE, MM)
    with pytest.raises(lw.InputError, match="comma"):
        read("2,5", ANGLE, MM)
    with pytest.raises(lw.InputError, match="never closed"):
        read("2*(A", ANGLE, MM)
    with pytest.raises(lw.InputError, match="there is nothing called 'B'"):  # at the field, as on the command line
        read("-2*B", ANGLE, MM)
    with pytest.raises(lw.InputError, match="N m/rad"):
        read("-5 N m*A", ANGLE, MM)


def test_what_depends_on_the_time_cannot_go_live() -> None:
    machine = bench().machine
    assert machine is not None
    assert depends_on_time(machine, Wish(efforts={"A.angle": "-0.1*rate(A)"})) == []
    assert depends_on_time(machine, Wish(efforts={"A.angle": "sin(3*t)"})) == ["the effort along A.angle"]
    m = lw.loads(PENDULUM)
    m.load("shake", "A", amount="2*sin(9*t)")
    assert depends_on_time(m.assemble(), Wish()) == ["shake"]


def wait_for(live: Live, seconds: float) -> None:
    end = time.monotonic() + 60.0
    while live.time < seconds:
        assert time.monotonic() < end and live.going
        time.sleep(0.02)


def test_a_live_machine_keeps_its_energy_and_is_the_simulation() -> None:
    own = bench()
    assert own.machine is not None and own.posture is not None
    shown: list[Posture] = []
    troubles: list[str] = []
    live = Live(own.machine, own.posture, Wish(), shown.append, troubles.append)
    live.speed = 4.0
    live.go()
    wait_for(live, 0.8)
    live.pause()
    assert troubles == [""] and not live.going
    energies = np.array(live.energies)
    assert np.ptp(energies[:, 1] + energies[:, 2]) < 1e-6 * np.ptp(energies[:, 1])
    wanted = own.machine.simulate(live.time, samples=2)
    assert shown[-1]["A"] == pytest.approx(float(wanted["A"].value[-1]), abs=1e-5)
    # It goes on from where it was.
    paused = live.time
    live.go()
    wait_for(live, paused + 0.1)
    live.pause()
    assert np.ptp(np.array(live.energies)[:, 1:].sum(axis=1)) < 1e-6 * np.ptp(energies[:, 1])


def test_the_hand_feels_the_mass_and_brings_the_body_to_the_mouse() -> None:
    """Across its radius r a force on a body about a pin feels I / r², with I about the pin."""
    m = lw.loads(PENDULUM.replace("-9.81 m/s^2", "0"))
    machine = m.assemble()
    live = Live(machine, machine.home, Wish(), lambda _: None, lambda _: None)
    r, inertia = 0.4, 0.04 + 2 * 0.25**2
    live.take("arm", np.array([r, 0.0, 0.0]), np.array([r, 0.1, 0.0]))
    grip = live.grip
    assert isinstance(grip, Grip)
    push = live._push()
    assert grip.mass == pytest.approx(inertia / r**2, rel=1e-4)
    assert push[live._names["arm"][1][1] + ".amount"] == pytest.approx(grip.mass * FIRM**2 * 0.1, rel=1e-4)
    live._ahead(0.5)
    for _ in range(80):
        live._ahead(0.05)  # as an oscillator with damping it comes to rest where the hand is
    angle = float(live._arguments["start"][0])
    assert angle == pytest.approx(math.atan2(0.1, r), abs=1e-3)
    assert DAMPED == 0.5


class Gui:
    """As much of a page as a field needs."""

    class Handle:
        def __init__(self, value: str) -> None:
            self.value, self.content, self.visible = value, "", True
            self._impl = type("Impl", (), {"uuid": "field"})()

        def on_update(self, answer: object) -> None:
            self.answer = answer

    def add_text(self, label: str, text: str, **_: object) -> Handle:
        return self.Handle(text)

    def add_html(self, text: str, visible: bool = True) -> Handle:
        return self.Handle(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("33.57", 0.03357), ("-2.5e-3", -2.5e-6), ("1e-300", 1e-303), ("12.5 cm", 0.125), ("1/4 in", 0.00635),
     ("\u22123", -0.003)],
)  # fmt: skip
def test_fields_read_every_digit(text: str, wanted: float) -> None:
    field = QuantityField(Gui(), "x", 0.0, LENGTH, MM)
    field.input.value = text
    assert field.value() == pytest.approx(wanted, rel=1e-15)
    assert field.message.content == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [("33,57", "comma"), ("", "empty"), ("fast", "number"), ("2 kg", "a mass"), ("1e999", "too large"),
     ("2 m", "the most"), ("-2 m", "the least"), ("1e", "unit")],
)  # fmt: skip
def test_fields_tell_what_is_wrong_and_keep_it(text: str, told: str) -> None:
    field = QuantityField(Gui(), "x", 0.0, LENGTH, MM, least=-1.0, most=1.0)
    field.input.value = text
    with pytest.raises(lw.LinkworkError):
        field.value()
    assert told in field.message.content
    field.show_value(0.5)  # what was typed is not overwritten
    assert field.text == text
    field.show_value(0.5, force=True)
    assert field.text == "500 mm" and field.message.content == ""


def test_a_number_said_in_the_visitors_own_way_stays() -> None:
    field = QuantityField(Gui(), "x", 0.0, LENGTH, MM)
    field.input.value = "12.5 cm"
    field.show_value(0.125)
    assert field.text == "12.5 cm"
    field.show_value(0.126)
    assert field.text == "126 mm"
    count = CountField(Gui(), "samples", 361, 2, 1000)
    count.input.value = "1e3"
    assert count.value() == 1000
    for wrong in ("1", "2.5", "nan", "inf", "1001", "many"):
        count.input.value = wrong
        with pytest.raises(lw.InputError, match="whole number"):
            count.value()
