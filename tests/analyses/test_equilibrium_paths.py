"""Postures of rest over a coordinate, a number, an effort or the time: closed forms, two methods, bad input."""

from __future__ import annotations

import math
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from dynamics_fixtures import SPRING_SCALE_WEIGHTS, spring_scale
from test_equilibrium import G, chain, follower, sprung_four_bar

import linkwork as lw
from linkwork.units import deg

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("model", "equations")]
from state_machines import dc_motor  # noqa: E402

LONG = math.hypot(1.0, 0.5)
"""Length at which the spring of the arch has no tension."""


def arch(series: float = 0.0) -> lw.Machine:
    """A block that slides along y, with a spring to (1, 0): F(y) = 100 (l0 - l) y / l; and a head on a spring above."""
    m = lw.Mechanism("arch")
    m.body("block", mass=1.0, com=(0, 0.5, 0))
    m.prismatic("Y", "ground", "block", at=(0, 0, 0), axis="y", value=0.5)
    m.point("P", "block", (0, 0.5, 0)), m.point("Q", "ground", (1, 0, 0))
    m.spring("coil", "P", "Q", stiffness=100.0)
    m.load("push", "Y", amount=0.0)
    if series:
        m.body("head", mass=1.0, com=(0, 2.0, 0))
        m.prismatic("H", "ground", "head", at=(0, 0, 0), axis="y", value=2.0)
        m.point("R", "head", (0, 2.0, 0))
        m.spring("series", "P", "R", stiffness=series)
    return m.assemble()


@cache
def column() -> lw.Machine:
    """Two rods of 1 m upright on springs of 1 N m/rad, under a weight: buckles at (3 ± √5)/2 N."""
    m = lw.Mechanism("column")
    before = "ground"
    for i in range(2):
        m.body(f"rod{i}", mass=1.0, com=(0, i + 1.0, 0), inertia=(0.01, 0.01, 0.01))
        m.revolute(f"J{i}", before, f"rod{i}", at=(0, float(i), 0), axis="z")
        m.spring(f"c{i}", joint=f"J{i}", stiffness=1.0)
        before = f"rod{i}"
    m.point("T", before, (0, 2.0, 0))
    m.force("weight", "T", amount=0.0, along="-y")
    return m.assemble()


# ---------------------------------------------------------------- closed forms


def test_the_scale_of_a_spring_scale() -> None:
    scale = spring_scale(weight=0.0).assemble()
    path = scale.equilibrium_path("A", "-85 deg", -5 * deg, balanced_by="W.amount", samples=17)
    psi = path.values
    assert path.status == "complete" and psi[0] == pytest.approx(-85 * deg) and psi[-1] == pytest.approx(-5 * deg)
    exact = 2 * 15.0 * 5.0 * (np.sin(psi) - 2 * np.tan(psi))
    assert np.abs(path.numbers / exact - 1.0).max() < 1e-12
    for degrees, weight in SPRING_SCALE_WEIGHTS.items():
        if degrees < -5.0:
            (rest,) = path.at(degrees * deg)
            assert path.values.min() <= rest["A"] <= path.values.max()
            assert rest._machine.parameters["W.amount"] == pytest.approx(weight, abs=6e-5)
            assert rest.stable
    assert set(path.verdicts) == {"stable"}
    assert np.abs(path["D"].values - 10.0 * np.cos(psi)).max() < 1e-12
    (rest,) = path.at(-30 * deg)
    (mode,) = rest._machine.linearize(rest).modes()
    assert mode.frequency == pytest.approx(9.7365, abs=5e-5)
    assert rest.K[0, 0] == pytest.approx(2339.1016, abs=5e-5)


def test_an_arch_snaps_where_its_force_is_largest() -> None:
    """dF/dy = 0 at l³ = l0, where l is the length of the spring."""
    y = math.sqrt(LONG ** (2 / 3) - 1.0)
    most = 100.0 * (LONG - math.hypot(1, y)) * y / math.hypot(1, y)
    path = arch().equilibrium_path("push.amount", 0.0, -20.0)
    (fold,) = path.folds
    assert fold.value == pytest.approx(-most, rel=1e-13)
    assert path["Y"].values[fold.sample] == pytest.approx(y, abs=1e-8)  # the force is flat there
    assert path.status == "stopped" and "goes back" in path.message
    assert path.verdicts[0] == "stable" and path.verdicts[-1] == "unstable"
    assert [r.verdict for r in path.at(-1.0)] == ["stable", "unstable"]
    held = arch().equilibrium_path("Y", 0.5, -0.6)
    assert held.status == "complete" and set(held.verdicts) == {"held"}
    assert [p.number for p in held.peaks] == pytest.approx([-most, most], rel=1e-13)
    assert [p.value for p in held.peaks] == pytest.approx([y, -y], abs=1e-8)
    loaded = arch().equilibrium_path("Y", 0.5, -0.6, balanced_by="push.amount")
    assert np.abs(loaded["push.amount"].values - held["Y.effort"].values[[0]]).max() > 1.0
    inner = np.abs(loaded.values) < y - 1e-6
    assert {v for v, i in zip(loaded.verdicts, inner, strict=True) if i} == {"unstable"}


def test_a_soft_spring_makes_a_held_head_snap_back() -> None:
    """Head at y + 1.5 - F(y)/10: it turns back where F' = 10, l³ = l0/1.1."""
    path = arch(series=10.0).equilibrium_path("H", 2.0, 0.2)
    y = math.sqrt((LONG / 1.1) ** (2 / 3) - 1.0)
    force = 100.0 * (LONG - math.hypot(1, y)) * y / math.hypot(1, y)
    wanted = [y + 1.5 - force / 10.0, -y + 1.5 + force / 10.0]
    assert [f.value for f in path.folds] == pytest.approx(wanted, rel=1e-13)
    assert path.status == "complete"
    between = [v for v, h in zip(path.verdicts, path["Y"].values, strict=True) if abs(h) < y - 1e-3]
    assert set(between) == {"unstable"}


def test_a_column_buckles_at_its_critical_weights_and_its_branches_are_followed() -> None:
    path = column().equilibrium_path("weight.amount", 0.0, 3.0, samples=13, branches=True)
    exact = [(3 - math.sqrt(5)) / 2, (3 + math.sqrt(5)) / 2]
    assert [b.value for b in path.branch_points] == pytest.approx(exact, abs=1e-12)
    assert len(path.branches) == 4 and all(b.status == "complete" for b in path.branches)
    for branch, verdict in zip(path.branches, ("stable", "stable", "unstable", "unstable"), strict=True):
        a, b = branch["J0"].values[-1], branch["J1"].values[-1]
        assert b == pytest.approx(3.0 * math.sin(a + b), abs=1e-12)
        assert a - b == pytest.approx(3.0 * math.sin(a), abs=1e-12)
        assert branch.verdicts[-1] == verdict
    other = column().with_parameters({"weight.amount": 3.0}).equilibrium(start={"J0": 1.5, "J1": 0.3})
    assert abs(path.branches[0]["J0"].values[-1]) == pytest.approx(abs(other["J0"]), abs=1e-10)
    text = str(path)
    assert "another curve branches off" in text and "branch that leaves" in text


def test_a_machine_comes_onto_its_stop_and_off_it() -> None:
    """A rod pushed by a torque rests on its stop until m g cos 40° is more than the torque."""
    m = chain(1.0, limits=(-40 * deg, 40 * deg)).mechanism
    m.load("lift", "J0", amount=30.0)
    lifted = m.assemble()
    path = lifted.equilibrium_path("lift.amount", 30.0, -30.0, start={"J0": 40 * deg})
    weight = G * math.cos(40 * deg)  # it leaves the stop, falls through a fold at m g, and comes onto the other one
    assert [(m.kind, m.value) for m in path.marks] == [
        ("release", pytest.approx(weight, rel=1e-12)),
        ("fold", pytest.approx(G, rel=1e-12)),
        ("stop", pytest.approx(weight, rel=1e-12)),
    ]
    assert path.status == "complete" and [s.variable for s in path.stops] == ["J0.angle", "J0.angle"]
    assert path["J0"].values[-1] == pytest.approx(-40 * deg, abs=1e-12)
    inner = {v for v, a in zip(path.verdicts, path["J0"].values, strict=True) if 1e-3 < a < 39.9 * deg}
    assert inner == {"unstable"} and path.verdicts[0] == path.verdicts[-1] == "stable"
    assert path["J0.angle.push"].values[0] == pytest.approx(G * math.cos(40 * deg) - 30.0, rel=1e-12)


def test_loads_over_time_and_efforts() -> None:
    m = chain(1.0).mechanism
    m.load("swell", "J0", amount="9.81*sin(t)")
    path = m.assemble().equilibrium_path("t", 0.0, 1.2, samples=5)
    assert path.status == "complete"
    assert np.abs(np.cos(path["J0"].values) - np.sin(path.values)).max() < 1e-12
    given = chain(1.0).equilibrium_path("J0.effort", 0.0, 12.0)
    assert given.folds[0].value == pytest.approx(G, rel=1e-13) and "goes back" in given.message


def test_a_dimension_may_move() -> None:
    m = lw.Mechanism("lever", gravity=(0, -G, 0))
    m.let("arm", 0.5)
    m.body("rod", mass=1.0, com=("arm", 0, 0))
    m.revolute("A", "ground", "rod", at=(0, 0, 0), axis="z")
    m.spring("coil", joint="A", stiffness=20.0, free=0.0)
    path = m.assemble().equilibrium_path("arm", 0.5, 2.0, samples=4)
    assert path.status == "complete"
    assert np.abs(20.0 * path["A"].values + G * path.values * np.cos(path["A"].values)).max() < 1e-10


# ---------------------------------------------------------------- two methods


def test_folds_of_a_four_bar_bound_where_there_are_three_equilibria() -> None:
    machine = sprung_four_bar()
    path = machine.equilibrium_path("coil.stiffness", 3.0, 0.5)
    low, high = sorted(fold.value for fold in path.folds)
    assert path.status == "complete"
    for fold in path.folds:
        assert abs(path._judged[fold.sample].curvatures[0]) < 1e-9
    assert [len(path.at(k)) for k in (low - 0.05, 0.5 * (low + high), high + 0.05)] == [1, 3, 1]
    for rest in path.at(0.5 * (low + high)):
        assert abs(rest.statics.efforts["A.angle"]) < 1e-10
        own = rest._machine.equilibrium(start=rest.posture, kind="nearest")
        assert own["A"] == pytest.approx(rest["A"], abs=1e-9) and own.verdict == rest.verdict
    assert [r.verdict for r in path.at(0.5 * (low + high))] == ["stable", "unstable", "stable"]


def test_held_places_and_joints_give_what_equilibrium_gives() -> None:
    m = chain(1.0, 2.0).mechanism
    m.point("T", "rod1", (2.0, 0, 0))
    machine = m.assemble()
    start = {"J0": -60 * deg, "J1": 20 * deg}
    path = machine.equilibrium_path("T.x", 1.0, 1.4, start=start, samples=3)
    assert path.status == "complete" and path["T.x"].values[-1] == pytest.approx(1.4)
    for value in (1.0, 1.2, 1.4):
        (rest,) = path.at(value)
        own = machine.equilibrium(hold={"T.x": value}, start=start)
        assert rest["J0"] == pytest.approx(own["J0"], abs=1e-9)
        assert rest.efforts["T.x"] == pytest.approx(own.efforts["T.x"], rel=1e-9)
    both = machine.equilibrium_path("J1", 0.1, 0.5, hold={"T.x": 1.4}, start=start, samples=3)
    (rest,) = both.at(0.5)
    own = machine.equilibrium(hold={"T.x": 1.4, "J1": 0.5}, start=start)
    assert rest.efforts["J1.angle"] == pytest.approx(own.efforts["J1.angle"], rel=1e-9)
    assert both["T.x.effort"].values[-1] == pytest.approx(own.efforts["T.x"], rel=1e-9)


def test_named_states_and_loads_without_a_potential() -> None:
    m = dc_motor().mechanism
    m.spring("coil", joint="A", stiffness=2.0, free=0.0)
    path = m.assemble().equilibrium_path("coil.stiffness", 2.0, 4.0, samples=3)
    assert np.abs(path["A"].values - 5.0 / path.values).max() < 1e-11
    assert np.abs(path["i"].values - 10.0).max() < 1e-11
    flutter = follower(0.5).equilibrium_path("push.amount", 0.5, 3.0, samples=11)
    (last,) = (m for m in flutter.marks if m.text.endswith("unstable from here on"))
    assert last.value == pytest.approx(41 / 28, abs=0.06)  # Ziegler's, with vanishing equal damping
    assert flutter.verdicts[0] == "stable" and flutter.verdicts[-1] == "unstable"


# ---------------------------------------------------------------- ends, results, bad input


def test_a_path_ends_at_the_limit_of_travel_with_what_was_reached() -> None:
    machine = sprung_four_bar()
    path = machine.equilibrium_path("D", 0.0, 3.0)
    assert path.status == "stopped" and "limit of travel" in path.message
    assert path.values[-1] == pytest.approx(machine.travel("D").upper, abs=1e-5) and len(path) < 100
    lid = chain(1.0, limits=(-40 * deg, 40 * deg)).equilibrium_path("J0", 0.0, 60 * deg)
    assert lid.status == "stopped" and "reaches its limit" in lid.message
    assert lid.values[-1] == pytest.approx(40 * deg, abs=1e-12)
    light = sprung_four_bar().equilibrium_path("crank.mass", 1.0, -1.0)
    assert light.status == "stopped" and "negative" in light.message


def test_freedoms_that_nothing_resists_stay_where_they_are() -> None:
    m = lw.Mechanism("cart", gravity=(0, -G, 0))
    m.body("cart", mass=3.0), m.body("bob", mass=1.0, com=(0, -1, 0))
    m.prismatic("X", "ground", "cart", axis="x")
    m.revolute("A", "cart", "bob", at=(0, 0, 0), axis="z")
    m.load("turn", "A", amount=0.0), m.load("pull", "X", amount=0.0)
    machine = m.assemble()
    path = machine.equilibrium_path("turn.amount", 0.0, 5.0)
    assert path.status == "complete" and set(path.verdicts) == {"neutral"}
    assert np.abs(G * np.sin(path["A"].values) - path.values).max() < 1e-10
    pulled = machine.equilibrium_path("pull.amount", 0.0, 5.0)
    assert pulled.status == "stopped" and "X.slide is pushed, and nothing resists it" in pulled.message


def test_a_path_is_a_result(tmp_path: Path) -> None:
    path = arch().equilibrium_path("Y", 0.5, -0.6, samples=11)
    kept = lw.load_result(path.save(tmp_path / "path.nc"))
    assert np.array_equal(kept["Y.effort"].values, path["Y.effort"].values)
    assert path["Y.effort"].unit == "N" and path["coil.tension"].unit == "N"
    assert np.abs(path["P.y"].values - path.values).max() < 1e-15
    energy = path["machine.spring_energy"].values
    assert np.abs(energy - 50.0 * (np.hypot(1.0, path.values) - LONG) ** 2).max() < 1e-12
    assert path.result.evidence["forces left"] < 1e-12
    run = path.run(2.0)
    assert run["Y.slide"].values[0] == pytest.approx(0.5) and run.data.time.values[-1] == pytest.approx(2.0)
    assert path.as_dict()["verdicts"][0] == "held"
    path.plot("Y.effort", "coil.tension").save(tmp_path / "path.svg")
    column().equilibrium_path("weight.amount", 0.3, 0.5, samples=3, branches=True).plot().save(tmp_path / "b.svg")


def test_everything_that_is_wrong_with_a_path_is_told_at_once() -> None:
    machine = sprung_four_bar()
    with pytest.raises(lw.InputError) as told:
        machine.equilibrium_path(
            "A", 0, 1, hold={"A": 0}, balanced_by="cool.free", samples=1, kind="x", efforts={"Q": 1}
        )
    texts = " ".join(str(p) for p in told.value.problems)
    for part in ("1 samples", "did you mean 'coil.free'?", "held already", "'x'", "'Q'"):
        assert part in texts
    for arguments, text in (
        (("A.angel", 0, 1), "did you mean 'A.angle'"),
        (("coil.stifness", 1, 2), "did you mean 'coil.stiffness'"),
        (("A", 1, 1), "begins where it ends"),
        (("A", "x", 1), "'x' is no value"),
        (("A", "1 kg", 1), "kg"),
    ):
        with pytest.raises(lw.InputError, match=text):
            machine.equilibrium_path(*arguments)
    with pytest.raises(lw.InputError, match="given at every value"):
        machine.equilibrium_path("coil.stiffness", 3, 1, balanced_by="coil.free")
    with pytest.raises(lw.NoEquilibrium, match=r"no value of coil\.damping"):
        machine.equilibrium_path("A", 0, 1, balanced_by="coil.damping")
