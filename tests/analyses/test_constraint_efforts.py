"""What couplings and constraints exert: named efforts beside the reactions of joints, against Newton and Lagrange."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.model.measures import effort_unit
from linkwork.units import deg
from linkwork.views.force_peaks import force_peaks
from linkwork.views.force_tables import force_tables, statics_tables

G = 9.81


def _knuckles(coupled: bool = True) -> lw.Mechanism:
    m = lw.Mechanism("two-knuckles", gravity=(0, -G, 0))
    m.body("a", mass=0.10, com=(0.02, 0, 0), inertia=(1e-5, 2e-5, 3e-5))
    m.body("b", mass=0.08, com=(0.06, 0, 0), inertia=(1e-5, 2e-5, 3e-5))
    m.revolute("A", m.ground, "a", at=(0, 0, 0), axis="z")
    m.revolute("B", "a", "b", at=(0.04, 0, 0), axis="z")
    if coupled:
        m.couple("tendon", "B", "ratio*A + 5*deg", parameters={"ratio": 0.7})
    return m


def _twins(belt: bool) -> lw.Mechanism:
    """Two four-bars in two planes, each three times redundant, their cranks coupled by a law with a bend."""
    m = lw.Mechanism("twins", gravity=(0.3, -G, 1.0))
    for k, x, z in (("1", 0.0, 0.0), ("2", 0.5, 0.1)):
        m.body(f"a{k}", mass=0.5, com=(x + 0.05, 0, z), inertia=(1e-4, 2e-4, 2.9e-4))
        m.body(f"b{k}", mass=0.7, com=(x + 0.2, 0.1, z), inertia=(1e-3, 2e-3, 2.9e-3))
        m.body(f"c{k}", mass=0.6, com=(x + 0.35, 0.1, z), inertia=(1e-3, 2e-3, 2.9e-3))
        m.revolute(f"A{k}", m.ground, f"a{k}", at=(x, 0, z), axis="z")
        m.revolute(f"B{k}", f"a{k}", f"b{k}", at=(x + 0.1, 0, z), axis="z")
        m.revolute(f"C{k}", f"b{k}", f"c{k}", at=(x + 0.3, 0.2, z), axis="z")
        m.revolute(f"D{k}", f"c{k}", m.ground, at=(x + 0.4, 0, z), axis="z")
    if belt:
        m.couple("belt", "A2", "r*A1 + 0.2*sin(A1)", parameters={"r": 1.0})
    return m


def test_a_coupling_takes_what_lagrange_says() -> None:
    s = _knuckles().assemble()
    run = s.motion(A=lw.cycloidal(0, 60 * deg, duration=0.3), samples=31)
    f = s.forces(run)
    torque = lw.System(_knuckles(coupled=False)).inverse_dynamics(run.y, run.w, run.dw)
    assert f.signal("tendon.effort").unit == "N m"
    assert np.allclose(f["tendon.effort"], torque[:, 1], rtol=0, atol=1e-14)
    assert np.allclose(f["A.effort"], torque[:, 0] + 0.7 * torque[:, 1], rtol=0, atol=1e-14)
    assert f["tendon"].kind == "group" and not f.warnings
    rest = s.statics(A=20 * deg)
    q = rest.posture.y
    hold = lw.System(_knuckles(coupled=False)).gravity_forces(q)[1]
    assert rest["tendon"] == pytest.approx(hold, abs=1e-15) and "tendon holds with " in str(rest)
    found = s.accelerations(A=20 * deg)
    pushed = lw.System(_knuckles(coupled=False)).inverse_dynamics(q, np.zeros(2), found.values)
    assert found.constraints["tendon"] == pytest.approx(pushed[1], abs=1e-15)


@pytest.mark.parametrize("cut", [(), ("A2",), ("A1", "D2")])
def test_a_coupling_of_redundant_loops(cut: tuple[str, ...]) -> None:
    """Whichever joints are cut, the belt takes the torque that the second crank would need by itself."""
    s = _twins(belt=True).assemble(cut=cut)
    run = s.motion(A1=lw.ramp(0, 90 * deg, duration=0.5), samples=21)
    f = s.forces(run)
    apart = _twins(belt=False).assemble()
    t, bend = run.time, 180 * deg
    both = apart.motion(
        A1=lw.ramp(0, 90 * deg, duration=0.5), A2=lw.expression(f"{bend}*t + 0.2*sin({bend}*t)"), times=t
    )
    alone = apart.forces(both, drives=["A1", "A2"])
    assert np.allclose(f["belt.effort"], alone["A2.effort"], rtol=0, atol=1e-12)
    assert np.ptp(f["belt.effort"].values) > 0.5


def test_a_wire_presses_a_bead() -> None:
    m = lw.Mechanism("bead", gravity=(0, -G, 0))
    m.body("carriage")
    m.body("bead", mass=0.2)
    m.prismatic("X", m.ground, "carriage", at=(0, 0, 0), axis="x")
    m.prismatic("Y", "carriage", "bead", at=(0, 0, 0), axis="y")
    m.point("P", "bead", at=(0, 0, 0))
    m.constrain("wire", "P.y - height*sin(10*P.x)", parameters={"height": 0.1})
    s = m.assemble()
    f = s.forces(s.simulate(1.0, start={"X": 0.05}, samples=41))
    assert f.signal("wire.effort").unit == "N"
    # m a = (λ ∂e/∂x, λ ∂e/∂y - m g)
    assert np.allclose(f["wire.effort"], 0.2 * (f["P.ay"].values + G), rtol=0, atol=1e-12)
    slope = np.cos(10 * f["P.x"].values)
    assert np.allclose(-f["wire.effort"].values * slope, 0.2 * f["P.ax"].values, rtol=0, atol=1e-12)


def test_a_blade_holds_a_sleigh() -> None:
    m = lw.Mechanism("sleigh")
    m.body("sleigh", mass=2.0, com=(0.3, 0, 0), inertia=(0.2, 0.25, 0.4))
    m.flat("F", m.ground, "sleigh", at=(0, 0, 0), axis="z")
    m.point("P", "sleigh", at=(0, 0, 0))
    m.point("G", "sleigh", at=(0.3, 0, 0))
    m.velocity("blade", "rate(P.x)*sin(F.angle) - rate(P.y)*cos(F.angle)")
    s = m.assemble()
    f = s.forces(s.simulate(2.0, rates={"F.x": 1.0, "F.angle": 0.7}, samples=41))
    angle, across = f["F.angle"].values, f["blade.effort"].values
    assert f.signal("blade.effort").unit == "N" and np.abs(across).max() > 0.5
    assert np.allclose(2.0 * f["G.ax"].values, across * np.sin(angle), rtol=0, atol=1e-12)
    assert np.allclose(2.0 * f["G.ay"].values, -across * np.cos(angle), rtol=0, atol=1e-12)


def test_what_others_hold_too_is_told_and_not_guessed() -> None:
    """Twice the same coupling: nobody knows which of them pulls; a constraint of something else is certain."""
    m = _knuckles()
    m.couple("strap", "A", "(B - 5*deg)/0.7")
    m.body("c", mass=0.3)
    m.prismatic("C", m.ground, "c", axis="y")
    m.constrain("shelf", "(C.slide - 0.1)*2")
    s = m.assemble()
    assert s.home.redundant == 1
    f = s.forces(s.motion(A=(0, 1), samples=5))
    assert np.isnan(f["tendon.effort"].values).all() and np.isnan(f["strap.effort"].values).all()
    assert np.allclose(f["shelf.effort"], 0.3 * G / 2, rtol=0, atol=1e-14)
    told = [w for w in f.warnings if "statically indeterminate" in w]
    assert [w.split(" hold what ")[1].split(" holds")[0] for w in told] == ["tendon", "strap"]
    rest = s.statics()
    assert np.isnan(rest["strap"]) and rest["shelf"] == pytest.approx(0.3 * G / 2, abs=1e-14)
    assert "strap" not in s.forces(s.motion(A=(0, 1), samples=5)).indeterminate


def test_constraints_on_the_command_line(tmp_path) -> None:
    file = tmp_path / "knuckles.yaml"
    lw.save(_knuckles(), file)
    run, s = CliRunner(), _knuckles().assemble()
    said = run.invoke(app, ["statics", str(file), "--at", "A=20deg", "--json"])
    assert said.exit_code == 0, said.output
    found = json.loads(said.stdout)["constraints"]["tendon"]
    assert found["unit"] == "N m" and found["value"] == pytest.approx(s.statics(A=20 * deg)["tendon"], abs=1e-15)
    moved = ["forces", str(file), "--drive", "A=0:60deg", "--samples", "11"]
    said = run.invoke(app, [*moved, "--json"])
    assert said.exit_code == 0, said.output
    f = s.forces(s.motion(A=lw.ramp(0, 60 * deg, duration=1), samples=11))
    peak = json.loads(said.stdout)["constraints"]["tendon"]
    assert abs(peak["value"]) == pytest.approx(np.abs(f["tendon.effort"].values).max(), rel=1e-12)
    assert "couplings and constraints" in run.invoke(app, moved).output


def test_checks_count_constraints_as_machines_do(tmp_path) -> None:
    for m, mobility, redundant in ((_knuckles(), 1, 0), (_twins(belt=True), 1, 6), (_knuckles(coupled=False), 2, 0)):
        found, home = lw.check(m), m.assemble().home
        assert found.sound and found.mobility is not None
        assert (found.mobility.mobility, found.mobility.redundant) == (mobility, redundant)
        assert (home.mobility, home.redundant) == (mobility, redundant)
        assert found.mobility.grubler == mobility
    file = tmp_path / "knuckles.yaml"
    lw.save(_knuckles(), file)
    said = CliRunner().invoke(app, ["check", str(file)]).output
    assert "mobility 1" in said and "constraints: tendon (coupling)" in said
    assert "B.angle = ratio*A + 5*deg" in CliRunner().invoke(app, ["show", str(file)]).output


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("P.x**2 + P.y**2 - L**2", "N/m"),
        ("P.x**2 + 2*P.y**2 - 0.5", "N/m"),
        ("sqrt(P.x**2 + P.y**2) - L", "N"),
        ("hypot(P.x, P.y) - L*cos(A)", "N"),
        ("hypot(P.x, P.y) - 0.3*cos(A)", "1"),
        ("sin(A) - cos(B)", "J"),
        ("P.x*P.y*P.x - 0.001*sin(A)*P.x**3", "N/m^2"),
        ("P.x/P.y - 0.2", "J"),
        ("1/P.x - 1/max(P.y, 0.1)", "N m^2"),
        ("P.x*cos(A) - P.y*sin(A)", "N"),
        ("A - atan2(P.y, P.x)", "N m"),
        ("L*P.x**2 - 0.5", "1"),
        ("P.x**2 - sin(P.y) + P.x*P.y", "1"),
        ("P.x**2 + P.x*P.y + P.x*P.y*P.x", "1"),
    ],
)
def test_units_of_efforts(text: str, unit: str) -> None:
    """Energy by what the equation measures, where its names tell."""
    m = _knuckles(coupled=False)
    m.point("P", "b", at=(0.1, 0.02, 0))
    own = m.constrain("c", text, parameters={"L": 0.1} if "L" in text else None)
    assert effort_unit(m, own) == unit


def test_an_effort_along_an_area() -> None:
    """A pendulum by x**2 + y**2 = L**2: its pull along the rod is twice the effort times L."""
    m = lw.Mechanism("bead", gravity=(0, -G, 0))
    m.body("carriage"), m.body("bead", mass=0.2)
    m.prismatic("X", m.ground, "carriage", at=(0, 0, 0), axis="x")
    m.prismatic("Y", "carriage", "bead", at=(0, 0, 0), axis="y")
    m.point("P", "bead", at=(0.3, -0.4, 0))
    m.constrain("rod", "P.x**2 + P.y**2 - L**2", parameters={"L": 0.5})
    s = m.assemble()
    rest = s.statics(X=0.0, drives=["X"])
    assert rest.units["rod"] == "N/m" and rest["X.slide"] == pytest.approx(0.2 * G * 0.3 / 0.4, rel=1e-12)
    assert 2 * rest["rod"] * -0.4 == pytest.approx(0.2 * G, rel=1e-12)
    assert "rod holds with -2.4525 N/m" in str(rest)
    f = s.forces(s.motion(X=(0.0, 0.1), samples=5))
    assert f.signal("rod.effort").unit == "N/m" and np.allclose(f["rod.effort"].to("kN/mm")[0], rest["rod"] * 1e-6)
    (table,) = [t for t in statics_tables(rest, m) if t.title == "couplings and constraints"]
    assert table.rows[1] == ("rod", "-2.4525 N/m")
    (table,) = [t for t in force_tables(force_peaks(f, m), s.layout.units, 1.0) if t.title == table.title]
    assert table.rows[1][1].endswith("N/m")
