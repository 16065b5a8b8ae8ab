"""A model as tables."""

import linkwork as lw
from linkwork.units import deg, mm
from linkwork.views.tables import tables


def test_tables_speak_the_units_of_the_file() -> None:
    m = lw.loads(
        """
linkwork: 1
units: {length: mm, angle: deg, mass: g}
bodies: {crank: {mass: 0.5 kg, com: [25, 0, 0], inertia: [1000, 2000, 2500, 0, 0, 100]}}
joints: {A: {revolute: [ground, crank], at: [1, 2, 3], axis: -y, value: 30}}
points: {P: {on: crank, at: [1 m, 0, 0]}}
frames: {T: {on: crank, at: [0, 0, 5]}}
curves: {c: {fourier: {u_cos: [30], v_sin: [40]}}}
"""
    )
    found = {t.title: t.rows for t in tables(m)}
    assert found["bodies"][2] == ("crank", "500 g", "25, 0, 0", "1000, 2000, 2500, 0, 0, 100")
    assert found["joints"][1] == ("A", "revolute", "ground", "crank", "1, 2, 3", "0, -1, 0", "angle 30 deg")
    assert found["points"][1] == ("P", "crank", "1000, 0, 0")
    assert found["frames"][1] == ("T", "crank", "0, 0, 5")
    assert found["curves"][1] == ("c", "fourier", "yes", "100 mm")


def test_tables_of_a_model_built_in_python_are_si() -> None:
    m = lw.Mechanism()
    m.body("a")
    m.prismatic("A", m.ground, "a", axis="x", value=5 * mm)
    m.revolute("B", m.ground, "a", axis="x", value=90 * deg)
    rows = {t.title: t.rows for t in tables(m)}
    assert [t.title for t in tables(m)] == ["bodies", "joints"]
    assert rows["joints"][1][-1] == "slide 0.005 m"
    assert rows["joints"][2][-1] == "angle 1.5708 rad"
    assert rows["bodies"][1] == ("ground", "-", "", "")
