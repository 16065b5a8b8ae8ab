"""Named dimensions: what follows from them, laid out anew, written and read, as parameters, and their derivatives."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.model.dimensions import Following

TEXT = """
linkwork: 1
name: slider-crank
units: {length: mm, angle: deg}
gravity: [0, -9.81 m/s^2, 0]
let:
  crank: 50
  rod: 4*crank
  tilt: {value: 30, description: of the crank in the layout}
  far: crank*cos(tilt) + sqrt(rod**2 - (crank*sin(tilt))**2)
bodies:
  crank: {mass: 0.8, com: [crank/2*cos(tilt), crank/2*sin(tilt), 0], inertia: [100, 400, 400]}
  rod: {mass: 0.5, com: [(far + crank*cos(tilt))/2, crank/2*sin(tilt), 0], inertia: [100, 2000, 2000]}
  piston: {mass: 700 g, com: [far, 0, 0]}
joints:
  A: {revolute: [ground, crank], at: [0, 0, 0], axis: z}
  B: {revolute: [crank, rod], at: [crank*cos(tilt), crank*sin(tilt), 0], axis: z}
  C: {revolute: [rod, piston], at: [far, 0, 0], axis: z}
  D: {prismatic: [ground, piston], at: [far, 0, 0], axis: x}
points:
  P: {on: rod, at: [crank*cos(tilt) + 5, crank*sin(tilt), 0]}
"""


@pytest.fixture(scope="module")
def model() -> lw.Mechanism:
    return lw.loads(TEXT)


@pytest.fixture(scope="module")
def machine(model: lw.Mechanism) -> lw.Machine:
    return model.assemble()


def by_hand(crank: float, rod: float, tilt: float) -> lw.Mechanism:
    """The same without dimensions."""
    m = lw.Mechanism("slider-crank", gravity=(0, -9.81, 0))
    x, y = crank * math.cos(tilt), crank * math.sin(tilt)
    far = x + math.sqrt(rod**2 - y**2)
    m.body("crank", mass=0.8, com=(x / 2, y / 2, 0), inertia=(1e-4, 4e-4, 4e-4))
    m.body("rod", mass=0.5, com=((far + x) / 2, y / 2, 0), inertia=(1e-4, 2e-3, 2e-3))
    m.body("piston", mass=0.7, com=(far, 0, 0))
    m.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z")
    m.revolute("B", "crank", "rod", at=(x, y, 0), axis="z")
    m.revolute("C", "rod", "piston", at=(far, 0, 0), axis="z")
    m.prismatic("D", "ground", "piston", at=(far, 0, 0), axis="x")
    m.point("P", "rod", (x + 0.005, y, 0))
    return m


# ---------------------------------------------------------------- what they are


def test_bare_numbers_are_told_by_their_use(model: lw.Mechanism) -> None:
    assert model.lets["crank"].value == 0.05
    assert model.lets["tilt"].value == pytest.approx(math.pi / 6, rel=1e-15)
    assert model.lets["rod"].formula == "4*crank"
    assert model.lets["rod"].value == 0.2


def test_numbers_are_those_of_the_same_model_by_hand(model: lw.Mechanism) -> None:
    plain = by_hand(0.05, 0.2, math.pi / 6)
    ours, theirs = (lw.System(m).parameters for m in (model, plain))
    assert list(ours) == list(theirs)
    assert np.allclose(list(ours.values()), list(theirs.values()), rtol=0, atol=1e-15)


def test_it_is_written_and_read_to_the_bit(model: lw.Mechanism) -> None:
    again = lw.loads(lw.dumps(model))
    assert again == model
    assert lw.loads(lw.dumps(model, is_json=True), is_json=True) == model
    assert again.resized(crank=0.06) == model.resized(crank=0.06)
    assert "crank*cos(tilt)" in lw.dumps(model)
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert copied == model
        assert copied.resized(crank="60 mm") == model.resized(crank=0.06)


def test_in_python() -> None:
    m = lw.Mechanism("arm")
    crank = m.let("crank", "40 mm", description="its length")
    half = m.let("half", "crank/2")
    assert isinstance(half, Following)
    m.body("arm", mass="800 g", com=(half, 0, 0))
    m.revolute("A", m.ground, "arm", axis="z", limits=("-30 deg", "170 deg"))
    m.point("P", "arm", (crank + half, "crank*sin(30 deg)", -half))
    assert m.points["P"].at == pytest.approx((0.06, 0.02, -0.02), rel=1e-15)
    other = m.resized(crank=0.08)
    assert other.points["P"].at == pytest.approx((0.12, 0.04, -0.04), rel=1e-15)
    assert other.bodies["arm"].com == (0.04, 0.0, 0.0)
    assert m.points["P"].at == pytest.approx((0.06, 0.02, -0.02), rel=1e-15)
    assert lw.loads(lw.dumps(m)) == m


def test_couplings_states_and_formulas() -> None:
    m = lw.Mechanism("pair", gravity=(0, -9.81, 0))
    m.let("ratio", 2.0)
    m.let("torque", "3 N m")
    for name in "ab":
        m.body(name, mass=1.0, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01))
        m.revolute(name.upper(), m.ground, name, axis="z")
    m.couple("pair", "B", "ratio*A")
    m.load("push", "A", amount="where(A < 1 rad, torque, 0)")
    m.load("steady", "B", amount="torque/2")
    s = m.assemble()
    assert s.parameters["pair.ratio"] == 2.0
    assert s.with_parameters({"ratio": 3.0}).at(A=0.2)["B"] == pytest.approx(0.6, abs=1e-14)
    assert m.resized(torque=4.0).loads["push"].amount.text == "where(A < 1 rad, 4, 0)"  # type: ignore[attr-defined]
    assert lw.loads(lw.dumps(m)) == m
    assert m.resized(torque=5.0).loads["steady"].amount.value == 2.5  # type: ignore[attr-defined]
    assert not s.derivative("variables", "torque", through="closure")([0.0, 0.0]).any()


PRESSED = """
linkwork: 1
name: pressed
units: {length: mm, angle: deg}
gravity: [0, -9.81 m/s^2, 0]
let: {crank: 40, rod: 4*crank, bore: 80 mm, pressure: 2 bar}
bodies:
  crank: {mass: 1, com: [crank/2, 0, 0], inertia: [100, 900, 900]}
  rod: {mass: 1, com: [crank + rod/2, 0, 0], inertia: [100, 900, 900]}
  piston: {mass: 1, com: [crank + rod, 0, 0]}
joints:
  A: {revolute: [ground, crank], at: [0, 0, 0], axis: z}
  B: {revolute: [crank, rod], at: [crank, 0, 0], axis: z}
  C: {revolute: [rod, piston], at: [crank + rod, 0, 0], axis: z}
  D: {prismatic: [ground, piston], at: [crank + rod, 0, 0], axis: x}
springs:
  back: {joint: A, stiffness: 3 N m/rad, law: 10*x*crank}
friction:
  pin: {joint: D, coefficient: 0.01, viscous: 1, form: exact, normal: "1 + pressure*bore*crank*where(D > 0, 1, 2)"}
loads:
  gas: {joint: D, amount: "-pi/4*bore**2*pressure*(crank/(3*crank + D))**1.3*where(D > -crank, 1, 2)"}
"""


def test_formulas_of_loads_follow() -> None:
    """Dimensions in formulas of loads are parameters, which move with all else: kernels are those of any value."""
    m = lw.loads(PRESSED[: PRESSED.index("friction:")] + PRESSED[PRESSED.index("loads:") :])
    s = m.assemble()
    assert {n: x for n, x in s.parameters.items() if ".let." in n} == {
        "gas.let.bore": 0.08, "gas.let.pressure": 2e5, "gas.let.crank": 0.04, "back.let.crank": 0.04,
    }  # fmt: skip

    def last(machine: lw.Machine) -> float:
        return float(machine.simulate(0.1, start={"A": 0.8}, rtol=1e-11, samples=2)["A"].value[-1])

    sizes = {"crank": 0.05, "bore": 0.09}
    wanted = last(m.resized(sizes).assemble())
    assert last(s.with_parameters(sizes)) == pytest.approx(wanted, abs=1e-11)
    many = s.simulate_many(0.1, start={"A": 0.8}, rtol=1e-11, samples=2, parameters={n: [x] for n, x in sizes.items()})
    assert float(np.ravel(many["A"].values)[-1]) == pytest.approx(wanted, abs=1e-9)
    run = s.simulate(0.1, start={"A": 0.8}, rtol=1e-11, samples=2, sensitive_to=["crank", "bore", "pressure"])
    for name in ("crank", "bore", "pressure"):
        value = s.dimensions[name]
        h = 1e-3 * value
        f = [last(m.resized({name: value + k * h}).assemble()) for k in (-2, -1, 1, 2)]
        slope = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h)
        assert float(np.ravel(run.sensitivity("A", name).values)[-1]) == pytest.approx(slope, rel=2e-6)


def test_a_dimension_in_the_normal_force_of_friction() -> None:
    m = lw.loads(PRESSED)
    s = m.assemble()
    run = [x.simulate(0.05, start={"A": 0.8}, rtol=1e-10, samples=2)["A"].value[-1] for x in (
        s, s.with_parameters({"bore": "90 mm"}), m.resized(bore=0.09).assemble())]  # fmt: skip
    assert run[1] == pytest.approx(run[2], abs=1e-11)
    assert abs(run[1] - run[0]) > 1e-3


def test_a_dimension_in_a_law_of_gravity_follows() -> None:
    m = lw.loads("linkwork: 1\nlet: {g: 9.81 m/s^2}\ngravity: [0, -g*cos(t), 0]\nbodies: {a: {mass: 2}}\n"
                 "joints: {A: {prismatic: [ground, a], axis: y}}")  # fmt: skip
    s = m.assemble()
    assert s.with_parameters({"g": 1.0}).bias([0.1], [0.0])[0] == pytest.approx(2.0, abs=1e-14)
    assert s.bias([0.1], [0.0], parameters={"g": 3.0})[0] == pytest.approx(6.0, abs=1e-14)
    assert s.derivative("bias", "g")([0.1], [0.0])[0] == pytest.approx(2.0, abs=1e-12)
    run = s.simulate(0.5, samples=3, rtol=1e-11, sensitive_to=["g"])
    assert run.sensitivity("A", "g").values[-1] == pytest.approx(math.cos(0.5) - 1.0, abs=1e-9)


# ---------------------------------------------------------------- parameters


def test_machines_of_other_dimensions(machine: lw.Machine, model: lw.Mechanism) -> None:
    other = machine.with_parameters({"crank": "60 mm", "rod.mass": "1 kg"})
    plain = by_hand(0.06, 0.24, math.pi / 6).assemble().with_parameters({"rod.mass": 1.0})
    assert other.dimensions == {"crank": 0.06, "tilt": pytest.approx(math.pi / 6)}
    assert other.parameters["rod.mass"] == 1.0
    for angle in (0.5, 2.0, 4.0):
        assert other.at(A=angle)["D"] == pytest.approx(plain.at(A=angle)["D"], abs=1e-15)
        assert other.statics(A=angle).efforts["A.angle"] == pytest.approx(
            plain.statics(A=angle).efforts["A.angle"], rel=1e-12
        )


def test_arrays_of_dimensions() -> None:
    text = TEXT.replace("  C: {revolute: [rod, piston], at: [far, 0, 0], axis: z}\n", "")
    m = lw.loads(text)
    s = lw.System(m)
    sizes = np.linspace(0.04, 0.06, 5)
    q, v, a = np.full(s.nq, 0.3), np.full(s.nv, 0.2), np.ones(s.nv)
    found = s.inverse_dynamics(q, v, a, parameters={"crank": sizes})
    alone = [lw.System(m.resized(crank=x)).inverse_dynamics(q, v, a) for x in sizes]
    assert np.abs(found - alone).max() <= 1e-13


def test_derivatives_by_dimensions_are_exact() -> None:
    m = lw.loads(TEXT.replace("  C: {revolute: [rod, piston], at: [far, 0, 0], axis: z}\n", ""))
    s = lw.System(m)
    q, v, a = np.full(s.nq, 0.3), np.full(s.nv, 0.2), np.ones(s.nv)

    def at(crank: float) -> np.ndarray:
        return lw.System(m.resized(crank=crank)).inverse_dynamics(q, v, a)

    h = 1e-3  # the dynamics is quadratic in lengths: central differences are exact but for rounding
    by_crank = s.derivative("inverse_dynamics", "crank")(q, v, a)
    assert by_crank == pytest.approx((at(0.05 + h) - at(0.05 - h)) / (2 * h), rel=1e-10, abs=1e-10)
    several = s.derivative("inverse_dynamics", ["rod.mass", "crank", "tilt"])(q, v, a)
    assert several.shape == (s.nv, 3)
    assert several[:, 1] == pytest.approx(by_crank, rel=1e-14, abs=1e-14)
    assert several[:, 0] == pytest.approx(s.derivative("inverse_dynamics", "rod.mass")(q, v, a), rel=1e-14, abs=1e-14)
    one, other = (
        s.derivative("inverse_dynamics", "q", then="crank"),
        s.derivative("inverse_dynamics", "crank", then="q"),
    )
    assert one(q, v, a) == pytest.approx(other(q, v, a), rel=1e-12, abs=1e-12)


def test_places_change_with_dimensions_through_closed_loops(machine: lw.Machine) -> None:
    slope = machine.derivative("variables", "crank", through="closure")
    posture = machine.at(A=1.0)
    h = 1e-4
    up, down = (machine.with_parameters({"crank": 0.05 + d}).at(A=1.0).y for d in (h, -h))
    assert slope(posture.y) == pytest.approx((up - down) / (2 * h), abs=2e-6)  # truncated by h^2


def test_sensitivities_and_many_runs(machine: lw.Machine) -> None:
    run = machine.simulate(0.2, start={"A": 0.3}, sensitive_to=["crank"], samples=5, rtol=1e-10, atol=1e-12)
    found = run.sensitivity("A", "crank")
    assert found.unit == "rad/m"
    h = 1e-5
    ends = [
        machine.with_parameters({"crank": 0.05 + d}).simulate(0.2, start={"A": 0.3}, samples=5, rtol=1e-12, atol=1e-14)
        for d in (h, -h)
    ]
    slope = (ends[0]["A.angle"].values - ends[1]["A.angle"].values) / (2 * h)
    assert found.values == pytest.approx(slope, rel=1e-6, abs=1e-6)
    sizes = np.array([0.045, 0.05, 0.055])
    many = machine.simulate_many(0.2, start={"A": 0.3}, parameters={"crank": sizes}, samples=5, rtol=1e-10, atol=1e-12)
    assert "(crank)" in str(many)
    for k, size in enumerate(sizes):
        alone = machine.with_parameters({"crank": size})
        single = alone.simulate(0.2, start={"A": 0.3}, samples=5, rtol=1e-10, atol=1e-12)
        assert many["A.angle"].values[k] == pytest.approx(single["A.angle"].values, abs=1e-8)


# ---------------------------------------------------------------- what is wrong

BAD = {
    "crank: 50 foo": ["line 7, let.crank: there is no unit 'foo'"],
    "crank: rod": ["follow from each other"],
    "rod: 4*crnk": ["line 8, let.rod: there is no dimension 'crnk'; did you mean 'crank'?"],
    "rod: crank + 3 deg": ["let.rod: 'crank' is a length", "is an angle"],
    "rod: crank/0": ["line 8, let.rod: 'crank/0' has no finite value"],
    "rod: sqrt(crank": ["line 8, let.rod", "breaks off"],
    "rod: [1]": ["line 8, let.rod"],
    "rod: {valu: 3}": ["line 8, let.rod: unknown key 'valu'"],
    "rod: __import__('os')": ["line 8, let.rod"],
    "sin: 4": ["let.sin: 'sin' cannot name a dimension"],
}


@pytest.mark.parametrize("line", BAD)
def test_bad_dimensions_are_told_by_line(line: str) -> None:
    name = line.partition(":")[0]
    was = {"crank": "crank: 50\n", "rod": "rod: 4*crank\n", "sin": "crank: 50\n"}[name]
    text = TEXT.replace(f"  {was}", f"  {line}\n" + ("  crank: 50\n" if name == "sin" else ""))
    with pytest.raises(lw.ModelError) as caught:
        lw.loads(text)
    for words in BAD[line]:
        assert words in str(caught.value)


def test_bad_uses_are_told_by_line() -> None:
    text = TEXT.replace("mass: 0.8", "mass: crank").replace("[far, 0, 0], axis: x", "[far, crnk, 0], axis: x")
    with pytest.raises(lw.ModelError) as caught:
        lw.loads(text)
    told = [str(p) for p in caught.value.problems]
    assert any("bodies.crank.mass: 'crank' is a length; a mass is wanted" in line for line in told)
    assert any("joints.D.at[1]: there is no dimension 'crnk'; did you mean 'crank'?" in line for line in told)


def test_bad_values(machine: lw.Machine, model: lw.Mechanism) -> None:
    for values, words in (
        ({"crnk": 1.0}, "did you mean 'crank'?"),
        ({"crank": "3 kg"}, "'3 kg' is a mass"),
        ({"crank": float("nan")}, "finite"),
        ({"rod": 0.3}, "'rod' follows from others: 4*crank"),
    ):
        with pytest.raises(lw.ModelError) as caught:
            machine.with_parameters(values)
        assert words in str(caught.value)
    with pytest.raises(lw.ModelError, match="taken by a joint"):
        copy.deepcopy(model).let("A", 1.0)
    with pytest.raises(lw.ModelError, match="taken by a dimension"):
        copy.deepcopy(model).revolute("tilt", "ground", "crank")


def test_parts_that_were_not_said_are_not_lost(model: lw.Mechanism) -> None:
    m = copy.deepcopy(model)
    m.bodies["crank"] = lw.Mechanism("other").body("crank", mass=5.0)
    with pytest.raises(lw.ModelError, match="would be lost"):
        m.assemble().simulate_many(0.1, parameters={"crank": np.array([0.05, 0.06])})


def test_a_dimension_beside_another_is_told_by_it() -> None:
    """`fore` stands nowhere alone: beside a length it is one, in sums and under roots."""
    m = lw.loads("""
linkwork: 1
units: {length: mm, angle: deg}
let:
  {upper: 300, fore: 200, rod: 500, high: sqrt(rod**2 - upper**2),
   tilt: acos((upper**2 + rod**2 - fore**2)/(2*upper*rod))}
bodies: {arm: {mass: 1 kg, com: [upper/2, high, 0]}}
joints: {A: {revolute: [ground, arm], at: [0, 0, 0], axis: z}}
points: {P: {on: arm, at: [upper + fore, 10 mm*cos(tilt), 0]}}
""")
    lets = {name: let.value for name, let in m.lets.items()}
    assert lets["fore"] == 0.2 and lets["rod"] == 0.5 and abs(lets["high"] - 0.4) < 1e-15
    assert abs(m.points["P"].at[0] - 0.5) < 1e-15 and abs(np.cos(lets["tilt"]) - 1.0) < 1e-15


def test_cylinders_of_planar_machines_follow_dimensions_smoothly() -> None:
    """At 45 degrees in the drawing the side of the slide would turn over."""
    m = lw.loads("""
linkwork: 1
planar: true
units: {length: mm}
let: {arm: 1200}
places: {O: [0, 0], T: [arm, 0]}
bodies: {boom: {mass: 20, bar: [O, T]}}
joints: {A: {revolute: [ground, boom], at: O}}
points:
  F: {on: ground, at: [200, -400]}
  E: {on: boom, at: [arm/2, 0]}
cylinders: {lift: {between: [F, E], length: [450, 900]}}
""")
    s = m.assemble()
    runs = s.simulate_many(0.01, parameters={"arm": [1.1, 1.2, 1.3]}, samples=2)  # takes how it follows, at 1.2 too
    assert list(runs.complete) == [True, True, True]
