"""Loads in model files: units of every number, written and read again, known to editors."""

from __future__ import annotations

import json
import math

import pytest
from bad_load_documents import BAD_LOADS
from file_documents import LOADS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from load_machines import loaded
from validator import validator

import linkwork as lw
from linkwork.files.tree import read_tree
from linkwork.files.write import as_data
from linkwork.model.amounts import Formula, Steady, Tabulated
from linkwork.model.loads import Force, Friction, JointLoad, OnBody, Spring, Torque

thorough = settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


@thorough
@given(loaded(), st.booleans())
def test_any_load_is_written_and_read_again(m: lw.Mechanism, is_json: bool) -> None:
    text = lw.dumps(m, is_json=is_json)
    again = lw.loads(text, is_json=is_json)
    assert again == m
    assert repr(as_data(again)) == repr(as_data(m))
    assert lw.dumps(again, is_json=is_json) == text


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(loaded())
def test_what_is_written_is_known_to_editors(m: lw.Mechanism) -> None:
    validator().validate(json.loads(json.dumps(as_data(m))))


@pytest.mark.parametrize("name", ["springs", "dampers", "friction", "forces"])
def test_what_has_the_wrong_shape_is_refused(name: str) -> None:
    assert not validator().is_valid(read_tree(str(BAD_LOADS[name][0]).encode()).data)


def test_numbers_in_their_units() -> None:
    m = lw.loads(LOADS)
    coil, hinge, buffer = (m.loads[name] for name in ("coil", "hinge", "buffer"))
    assert isinstance(coil, Spring) and isinstance(hinge, Spring) and isinstance(buffer, Spring)
    assert (coil.first, coil.second, coil.variable) == ("P", "Q", None)
    assert (coil.stiffness, coil.free, coil.damping, coil.preload) == (12e3, 0.08, 3.0, 5.0)
    assert coil.law == Tabulated("x", (0.0, 0.01, 0.02), (0.0, 5.0, 12.0), smooth=True)
    assert hinge.variable == "A.angle"
    assert hinge.stiffness == pytest.approx(2 * 180 / math.pi, rel=1e-15)
    assert hinge.free == pytest.approx(-math.pi / 6, rel=1e-15)
    assert hinge.law == Formula("2*x**3 + v*rate('my-slide')", ("x", "v", "rate(my-slide)"))
    assert buffer.stiffness == -1000.0
    assert buffer.preload == pytest.approx(4 * 4.4482216152605, rel=1e-15)
    dash, brake = m.loads["dash"], m.loads["brake"]
    assert isinstance(dash, Spring) and dash.damping == pytest.approx(3.0, rel=1e-15)  # 0.003 N s/mm
    assert isinstance(brake, Spring) and brake.law == Formula("0.1*v**3", ("v",), 1e-3)
    guide, bush, pin = (m.loads[name] for name in ("guide", "bush", "pin"))
    assert isinstance(guide, Friction) and isinstance(bush, Friction) and isinstance(pin, Friction)
    assert (guide.variable, guide.coefficient, guide.speed) == ("my-slide.slide", 0.1, 0.002)
    assert guide.normal == Formula("20 + abs(C)", ("C",), 1000.0)
    assert (bush.coefficient, bush.radius, bush.normal) == (0.15, 0.004, Steady(20.0))
    assert (pin.forward, pin.backward, pin.static, pin.viscous, pin.form) == (0.1, 0.2, 1.2, 1.0, "exact")
    drive, push = m.motors["drive"], m.motors["push"]
    assert (drive.variable, drive.ratio, drive.rotor_inertia, drive.damping) == ("A.angle", -62.6, 2e-4, 1e-3)
    assert drive.friction_forward == 0.1
    assert drive.friction_backward == pytest.approx(12 / 16 * 4.4482216152605 * 0.0254, rel=1e-12)
    assert (drive.efficiency, drive.stall, drive.peak) == (0.9, 4.0, 6.0)
    assert drive.no_load == pytest.approx(100 * math.pi, rel=1e-15)
    assert push.ratio == pytest.approx(200 * math.pi, rel=1e-15)
    gas, pull, wind = m.loads["gas"], m.loads["pull"], m.loads["wind"]
    assert isinstance(gas, Force) and gas.along == OnBody("piston", (-1.0, 0.0, 0.0))
    assert gas.amount == Formula("3*sin(A) + 'my-slide.slide'", ("A", "my-slide.slide"), 1500.0)
    assert isinstance(pull, Force) and pull.amount == Steady(0.5 * 9.80665)
    assert isinstance(wind, Torque) and wind.amount == Formula("5 - 2*t + E.angle", ("t", "E.angle"))
    couple, cutting, braking = m.loads["couple"], m.loads["cutting"], m.loads["braking"]
    assert isinstance(couple, Torque) and couple.amount == Steady(0.002)  # N mm
    assert isinstance(cutting, JointLoad) and cutting.amount == Tabulated("A", (0.0, math.pi / 2), (0.0, 5.0))
    assert isinstance(braking, JointLoad)
    assert braking.amount == Tabulated("rate(my-slide.slide)", (-1.0, 1.0), (3.0, -3.0))
    assert m.gravity == (0.0, -9.81, 0.0)
    assert m.gravity_laws == {"z": Tabulated("t", (0.0, 2.0), (0.0, 1.0), smooth=True)}


@pytest.mark.parametrize(
    ("text", "mass"),
    [
        ("9.65 lbf", 9.65 * 0.45359237),
        ("20 N", 20 / 9.80665),
        ("3 kgf", 3.0),
        ("1/2 lbm", 0.5 * 0.45359237),
        ("2e1 kN", 2e4 / 9.80665),
        ("2", 2.0),
    ],
)
def test_a_mass_by_its_weight(text: str, mass: float) -> None:
    m = lw.loads(f"linkwork: 1\nbodies: {{a: {{mass: {text}}}}}\n")
    assert m.bodies["a"].mass == pytest.approx(mass, rel=1e-15)


def test_inertia_and_density_by_weight() -> None:
    text = "linkwork: 1\nbodies: {a: {mass: 1, inertia: [1 lbf in^2, 1 lbf in^2, 1 lb in^2]}, b: {density: 1 lbf/in^3}}"
    with pytest.raises(lw.ModelError, match="a density without solids"):
        lw.loads(text)
    m = lw.loads(text.replace("density: 1", "solids: [{box: [1, 1, 1]}], density: 1"))
    inertia = m.bodies["a"].inertia
    assert inertia is not None
    assert inertia.xx == pytest.approx(inertia.zz, rel=1e-14)
    assert m.bodies["b"].density == pytest.approx(0.45359237 / 0.0254**3, rel=1e-14)


def test_a_weight_is_no_other_quantity() -> None:
    with pytest.raises(lw.ModelError, match="'3 N m' is a torque or energy; a mass is wanted"):
        lw.loads("linkwork: 1\nbodies: {a: {mass: 3 N m}}\n")
    with pytest.raises(lw.ModelError, match="the mass is negative"):
        lw.loads("linkwork: 1\nbodies: {a: {mass: -3 N}}\n")


def test_sections_in_any_order_make_the_same_mechanism() -> None:
    head, _, rest = LOADS.partition("bodies:\n")
    bodies, _, loads = rest.partition("springs:\n")
    assert lw.loads(f"{head}springs:\n{loads}bodies:\n{bodies}") == lw.loads(LOADS)


def test_a_formula_without_names_is_a_number() -> None:
    head = "linkwork: 1\nbodies: {a: {mass: 1, com: [1, 0, 0]}}\njoints: {A: {revolute: [ground, a], axis: z}}\n"
    for written, value in (("2*3", 6.0), ("{formula: 2*3, unit: kN m}", 6e3), ("{formula: 2, unit: kN m}", 2e3)):
        load = lw.loads(f"{head}loads: {{L: {{joint: A, amount: {written}}}}}\n").loads["L"]
        assert load == JointLoad("L", "A.angle", Steady(value))
    with pytest.raises(lw.ModelError, match=r"line 4, loads.L.amount: 1e.32 is beyond 1e.30"):
        lw.loads(f"{head}loads: {{L: {{joint: A, amount: {{formula: 1e30, unit: 100 N m}}}}}}\n")


def test_bare_numbers_take_the_header() -> None:
    def stiffness(units: str) -> float:
        text = LOADS.replace("units: {length: mm, angle: deg, force: N}", f"units: {units}")
        text = text.replace("12 N/mm", "12").replace("[20 mm, 12 N]", "[20, 12]")
        coil = lw.loads(text).loads["coil"]
        assert isinstance(coil, Spring)
        return coil.stiffness

    assert stiffness("{length: mm, force: N}") == 12e3
    assert stiffness("{length: inch, force: lbf}") == pytest.approx(12 * 4.4482216152605 / 0.0254, rel=1e-14)
    assert stiffness("{length: mm}") == 12e3  # newtons unless the header says otherwise
    assert stiffness("{length: inch, mass: lb}") == stiffness("{length: inch, force: lbf}")
