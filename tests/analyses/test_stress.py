"""Stress in segments: beams of textbooks, balance of a moving body, and that no choice of axes matters."""

import math

import numpy as np
import pytest
from force_runs import arm, swing, through, with_signals
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwork as lw
from linkwork import geometry as geo
from linkwork.analyses.strength.acting_forces import acting_on
from linkwork.model.amounts import Steady
from linkwork.model.loads import Force, InSpace, OnBody, Spring, Torque, Toward
from linkwork.units import MPa

TUBE = lw.TubeSection(0.03, 0.02)
BOX = lw.RectangleSection(0.03, 0.05)
ALMG3 = lw.Allowable(normal=294.3 * MPa, shear=245.25 * MPa, safety=5)  # Vukobratović, Potkonjak, sec. 5.4


def test_allowables() -> None:
    assert ALMG3.normal_stress == pytest.approx(58.86 * MPa) and ALMG3.shear_stress == pytest.approx(49.05 * MPa)
    assert lw.Allowable(300 * MPa, safety=1.5).shear_stress == pytest.approx(200 * MPa / math.sqrt(3))
    with pytest.raises(lw.ModelError, match=r"(?s)3 problems.*normal.*shear.*safety"):
        lw.Allowable(-1.0, 0.0, math.nan)


def test_a_cantilever_of_a_textbook() -> None:
    """Length L, at its tip a force along each axis and a torque: N, V, and moments at the wall F L."""
    L, F, M = 2.0, np.array([1000.0, 200.0, -300.0]), 50.0
    upper = np.array([[*F, M, 0.0, 0.0]])
    lower = np.array([[*-F, -M, *-np.cross([L, 0, 0], F)[1:]]])
    for section in (TUBE, BOX, lw.IBeamSection(0.1, 0.05, 0.004, 0.006)):
        s = lw.segment_stress(lower, upper, section, L)
        assert np.allclose(s.between, 0.0) and s.unbalanced == 0.0
        assert np.allclose(s.axial, 1000.0) and np.allclose(s.torsion, 50.0)
        assert np.allclose(s.shear_force, math.hypot(200, 300))
        assert np.allclose(s.bending, [[L * math.hypot(200, 300), 0.0]])
        assert np.allclose(s.loads[0, 0], [*F, M, 300 * L, 200 * L])  # inside, the tip holds the rest
        assert np.allclose(s.shear_stress, 50 / section.torsion_modulus)
        bending = math.hypot(400, 600) / section.Wy if section is TUBE else 600 / section.Wy + 400 / section.Wz
        assert np.allclose(s.normal_stress, [[1000 / section.area + bending, 1000 / section.area]])
        assert np.allclose(s.von_mises, np.sqrt(s.normal_stress**2 + 3 * s.shear_stress**2))
        assert s.worst.side == "lower" and s.worst.sample == 0 and s.worst.utilisation is None


def test_the_greater_end_and_the_worst_sample() -> None:
    """The book's rule: split both end moments, take the greater torsion and the greater bending."""
    rng = np.random.default_rng(5)
    lower, upper = rng.normal(size=(2, 50, 6)) * [0, 0, 0, 40, 60, 60]
    s = lw.segment_stress(lower, upper, TUBE, 1.0, ALMG3, time=np.linspace(0, 1, 50))
    bending = np.maximum(np.hypot(*lower.T[4:]), np.hypot(*upper.T[4:]))
    torsion = np.maximum(abs(lower[:, 3]), abs(upper[:, 3]))
    np.testing.assert_allclose(s.normal_stress.max(axis=1), bending / TUBE.Wy, rtol=1e-12)
    np.testing.assert_allclose(s.shear_stress.max(axis=1), torsion / TUBE.torsion_modulus, rtol=1e-12)
    k, side = np.unravel_index(np.argmax(s.utilisation), (50, 2))
    assert (s.worst.sample, s.worst.side, s.worst.end) == (k, ("lower", "upper")[side], ("lower", "upper")[side])
    assert s.worst.time == pytest.approx(k / 49) and s.worst.utilisation == s.utilisation.max()
    worst, sigma, tau = s.worst, ALMG3.normal_stress, ALMG3.shear_stress
    ratios = (worst.normal / sigma, worst.shear / tau, worst.von_mises / sigma)
    assert s.worst.utilisation == max(ratios) and s.worst.criterion == "von Mises stress"
    assert s.utilisation.max() < 1.0 and not s.judged and not s.safe  # the moments at its ends are not in balance
    np.testing.assert_array_equal(s.between, lower + upper)
    weak = lw.segment_stress(lower, upper, TUBE, 1.0, lw.Allowable(1e9, shear=1e5))
    assert weak.worst.criterion == "shear stress" and not weak.safe and weak.message.endswith("too much")
    assert weak.judged and weak.uncounted  # what an end cannot bear is too much, whatever is not counted
    assert lw.segment_stress(0 * lower, upper * 0, TUBE, 1.0, ALMG3).unbalanced == 0.0


number = st.floats(-1e3, 1e3)


@settings(max_examples=60, deadline=None)
@given(st.lists(number, min_size=12, max_size=12), st.floats(0.1, 10.0), st.floats(0.0, 2 * math.pi))
def test_stress_is_linear_and_a_tube_has_no_up(values: list[float], scale: float, turn: float) -> None:
    lower, upper = np.array(values).reshape(2, 1, 6)
    one = lw.segment_stress(lower, upper, TUBE, 1.0)
    more = lw.segment_stress(-scale * lower, -scale * upper, TUBE, 1.0)
    R = geo.rot_x(turn)[:3, :3]
    turned = [np.concatenate([w[:, :3] @ R.T, w[:, 3:] @ R.T], axis=1) for w in (lower, upper)]
    other = lw.segment_stress(*turned, TUBE, 1.0)
    for name in ("normal_stress", "shear_stress", "von_mises"):
        np.testing.assert_allclose(getattr(more, name), scale * getattr(one, name), rtol=1e-9, atol=1e-6)
        np.testing.assert_allclose(getattr(other, name), getattr(one, name), rtol=1e-9, atol=1e-3)


# --- from runs --------------------------------------------------------------------------------------------------------


def test_the_ends_of_a_moving_link_balance_its_inertia() -> None:
    """Newton and Euler for the body: what both ends carry is m (a - g), and the change of its angular momentum."""
    machine = arm()
    run = swing(machine)
    s = lw.stress(run, "fore", ("B", "C"), TUBE)
    mass = machine.layout.masses["fore"]
    R, w, dw = (
        run["fore"].signals[f"fore.{n}"].values for n in ("rotation", "angular_velocity", "angular_acceleration")
    )
    arm_W = R @ mass.com
    a = run["fore.acceleration"].values + np.cross(dw, arm_W) + np.cross(w, np.cross(w, arm_W))
    g = np.array(machine.mechanism.gravity)
    J = R @ mass.inertia @ R.transpose(0, 2, 1)
    force = mass.mass * (a - g)
    spin = np.einsum("nij,nj->ni", J, dw) + np.cross(w, np.einsum("nij,nj->ni", J, w))
    B, C = (
        geo.transform_points(geo.pose(R, run["fore.position"].values), machine.layout.seats[j].X_WF[:3, 3])
        for j in "BC"
    )
    com = run["fore.position"].values + arm_W
    moment = spin + np.cross(com - B, force)
    assert s.length == pytest.approx(np.linalg.norm((C - B)[0]))
    np.testing.assert_allclose(np.linalg.norm(s.between[:, :3], axis=1), np.linalg.norm(force, axis=1), rtol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(s.between[:, 3:], axis=1), np.linalg.norm(moment, axis=1), rtol=1e-9)
    x = (C - B) / s.length
    np.testing.assert_allclose(s.between[:, 0], np.einsum("ni,ni->n", force, x), atol=1e-9)
    np.testing.assert_allclose(s.between[:, 3], np.einsum("ni,ni->n", moment, x), atol=1e-9)
    assert s.attached == {"lower": ("B",), "upper": ("C",), "between": ()} and s.warnings == ()
    assert s.unbalanced > 0.0 and s.run is run and np.array_equal(s.time, run.time)


def test_a_link_without_mass_carries_its_load_unchanged() -> None:
    """Then both ends agree, and a cut anywhere between them would too."""
    run = swing(arm(masses=(3.0, 1e-12, 1.0)))
    s = lw.stress(run, "fore", ("B", "C"), TUBE)
    assert s.unbalanced < 1e-9 and np.abs(s.between[:, 3:]).max() < 1e-8
    np.testing.assert_allclose(s.axial[:, 0], s.axial[:, 1], atol=1e-9)
    np.testing.assert_allclose(s.torsion[:, 0], s.torsion[:, 1], atol=1e-9)


def test_the_drive_bends_the_link_that_it_turns() -> None:
    """A crank in a plane: the effort of its drive is the bending moment at its pin, and passes through the joint."""
    m = lw.Mechanism("crank", gravity=(0, -9.81, 0))
    m.body("crank", mass=2.0, com=(0.2, 0, 0), inertia=(0.0, 0.02, 0.02))
    m.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z")
    m.point("P", "crank", at=(0.4, 0, 0))
    machine = m.assemble()
    run = swing_of(machine, {"A": "1.5*t**2"})
    s = lw.stress(run, "crank", ("A", "P"), BOX, up="y")
    effort = run["A.angle.effort"].values
    np.testing.assert_allclose(effort, (0.02 + 2 * 0.04) * 3.0 + 2 * 9.81 * 0.2 * np.cos(run["A.angle"]), rtol=1e-10)
    np.testing.assert_allclose(s.bending[:, 0], np.abs(effort), rtol=1e-9)
    # The effort acts about z of the layout, which is -y of the section, and inside the section the opposite does.
    np.testing.assert_allclose(s.loads[:, 0, 4], effort, rtol=1e-9)
    assert np.abs(s.loads[:, 1]).max() == 0.0  # nothing holds the tip


def swing_of(machine: lw.Machine, laws: dict[str, str]) -> lw.Run:
    run = machine.motion({j: lw.expression(law) for j, law in laws.items()}, samples=21, duration=1.0)
    return with_signals(run, through(machine, run))


@pytest.mark.parametrize("backwards", [(), ("B",), ("C",), ("A", "B", "C")])
@pytest.mark.parametrize("body", [("upper", ("A", "B")), ("fore", ("B", "C")), ("hand", ("C", "P"))])
def test_no_choice_of_axes_matters(backwards: tuple[str, ...], body: tuple[str, tuple[str, str]]) -> None:
    """The same arm placed anywhere, and with joints declared the other way round, is stressed alike."""
    up = np.array([0.3, -0.5, 0.2])
    reference = lw.stress(swing(arm()), *body, BOX, ALMG3, up=up)
    X = geo.pose(geo.from_rotvec([0.4, -1.1, 0.7]), [3.0, -1.0, 2.0])
    other = lw.stress(swing(arm(X, backwards), backwards), *body, BOX, ALMG3, up=geo.transform_vectors(X, up))
    np.testing.assert_allclose(other.loads, reference.loads, atol=1e-9)
    np.testing.assert_allclose(other.normal_stress, reference.normal_stress, rtol=1e-9, atol=1e-3)
    np.testing.assert_allclose(other.utilisation, reference.utilisation, rtol=1e-9, atol=1e-9)
    # From the other end the same sections are judged, in the other order.
    flipped = lw.stress(swing(arm()), body[0], body[1][::-1], BOX, ALMG3, up=up)
    np.testing.assert_allclose(flipped.normal_stress, reference.normal_stress[:, ::-1], rtol=1e-9, atol=1e-3)
    np.testing.assert_allclose(flipped.axial, reference.axial[:, ::-1], atol=1e-9)


def test_a_tube_needs_no_up_and_a_box_does() -> None:
    run = swing(arm(), samples=3)
    free, given_up = (lw.stress(run, "fore", ("B", "C"), TUBE, up=up) for up in (None, "x"))
    np.testing.assert_allclose(free.von_mises, given_up.von_mises, rtol=1e-10)
    with pytest.raises(lw.ModelError, match="height of the rectangle section has no direction"):
        lw.stress(run, "fore", ("B", "C"), BOX)


def hanger() -> lw.Machine:
    """A bar on a hinge, with points along it and beyond its ends, and a place on ground."""
    m = lw.Mechanism("hanger", gravity=(0, 0, 0))
    m.body("bar", mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
    m.body("plate", mass=1.0, com=(1, 0, 0), inertia=(0.01, 0.01, 0.01))
    m.revolute("A", "ground", "bar", at=(0, 0, 0), axis="z")
    m.revolute("B", "bar", "plate", at=(1, 0, 0), axis="z")
    for name, x in (("low", -0.1), ("middle", 0.4), ("high", 1.3)):
        m.point(name, "bar", at=(x, 0, 0))
    m.point("wall", "ground", at=(1.3, 2.0, 0))
    m.frame("tip", "bar", at=(1, 0, 0))
    return m.assemble()


def loaded(machine: lw.Machine, loads: list, signals: dict, samples: int = 5, indeterminate=None) -> lw.Run:
    for load in loads:
        machine.mechanism.loads[load.name] = load
    run = machine.motion(A=(0.0, 1.0), samples=samples)
    zero = {f"{j}.{p}": (u, np.zeros((samples, 3))) for j in "AB" for p, u in (("force", "N"), ("moment", "N m"))}
    return with_signals(run, zero | signals, indeterminate)


def test_loads_count_at_the_end_they_act_on() -> None:
    """Each load moves to the end at or beyond which it acts; what acts between is named and counted at neither."""
    n, one = 5, np.ones(5)
    loads = [
        Force("low-push", "low", OnBody("bar", (0, 2, 0)), Steady(0.0)),
        Force("mid-push", "middle", OnBody("bar", (0, 1, 0)), Steady(0.0)),
        Force("pull", "high", OnBody("bar", (1, 0, 0)), Steady(0.0)),
        Torque("twist", "bar", OnBody("bar", (1, 0, 0)), Steady(0.0)),
        Spring("coil", first="wall", second="high"),
    ]
    signals = {"low-push.force": ("N", 10 * one), "mid-push.force": ("N", 20 * one), "pull.force": ("N", 30 * one),
               "twist.torque": ("N m", 40 * one), "coil.tension": ("N", 50 * one)}  # fmt: skip
    machine = hanger()
    s = lw.stress(loaded(machine, loads, signals), "bar", ("A", "tip"), BOX, up="z")
    assert s.attached == {"lower": ("A", "low-push"), "upper": ("B", "pull", "coil"), "between": ("mid-push", "twist")}
    assert np.allclose(s.lower, [0, 10, 0, 0, 0, -1.0])  # 10 N at 0.1 m before the hinge
    angle = s.run["A.angle"].values
    tip, wall = 1.3 * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1), np.array([1.3, 2.0, 0.0])
    u = (wall - tip) / np.linalg.norm(wall - tip, axis=1)[:, None]
    along = np.cos(angle) * u[:, 0] + np.sin(angle) * u[:, 1]
    across = -np.sin(angle) * u[:, 0] + np.cos(angle) * u[:, 1]
    np.testing.assert_allclose(s.upper[:, 0], 30 + 50 * along, rtol=1e-9)
    np.testing.assert_allclose(s.upper[:, 1], 50 * across, rtol=1e-9)
    np.testing.assert_allclose(s.upper[:, 5], 0.3 * 50 * across, rtol=1e-8)
    assert len(s.warnings) == 2 and "mid-push acts between" in s.warnings[0] and "torque twist" in s.warnings[1]
    # Directions: in space, and towards a point.
    machine = hanger()
    loads = [
        Force("push", "high", InSpace((0, 3, 0)), Steady(0.0)),
        Force("aim", "high", Toward("high", "wall"), Steady(0.0)),
    ]
    run = loaded(machine, loads, {"push.force": ("N", one), "aim.force": ("N", 2 * one)})
    push, aim = (a for a in acting_on(machine, run, "bar") if a.name in ("push", "aim"))
    slack = loaded(hanger(), [Spring("slack", first="high", second="high")], {"slack.tension": ("N", one)})
    assert np.abs(lw.stress(slack, "bar", ("A", "B"), TUBE).loads).max() == 0.0  # of no length, it pulls nowhere
    assert np.allclose(push.force, [0, 1, 0]) and np.allclose(aim.force, 2 * u) and push.force.shape == (n, 3)


def test_other_numbers_than_those_of_the_layout() -> None:
    """Places and joints are those of the machine that moved, whatever its layout said."""
    machine = arm().with_parameters({"P.at.x": 1.1, "C.tail.at.x": 0.6})
    run = swing(machine, samples=3)
    hand, fore = lw.stress(run, "hand", ("C", "P"), TUBE), lw.stress(run, "fore", ("B", "C"), TUBE)
    assert hand.length == pytest.approx(math.dist((0.5, 0.1, 0.7), (1.1, -0.2, 0.6)))
    assert fore.length == pytest.approx(math.dist((0.1, 0.05, 0.5), (0.6, 0.1, 0.7)))
    weight = sum(machine.layout.masses[b].mass for b in ("fore", "hand"))
    still = with_signals(run, through(machine, at_rest(machine, run)))
    carried = lw.stress(still, "fore", ("B", "C"), TUBE)
    size = weight * np.linalg.norm(machine.mechanism.gravity)
    np.testing.assert_allclose(np.linalg.norm(carried.loads[:, 0, :3], axis=1), size, rtol=1e-10)


def at_rest(machine: lw.Machine, run: lw.Run) -> lw.Run:
    """The postures of a run without its motion."""
    names = [f"{c}.{d}" for c in machine.coordinates for d in ("rate", "acceleration")]
    return with_signals(run, {n: (run[n].unit, 0.0 * run[n].values) for n in names})


def test_statically_indeterminate_components_are_told() -> None:
    machine, wild = hanger(), np.full((5, 3), 1e9)
    run = loaded(machine, [], {"B.force": ("N", wild)}, indeterminate={"B": ["fz", "mx"]})
    plain = lw.stress(run, "bar", ("A", "B"), TUBE, ALMG3, up="z")
    assert plain.assumed == ("B.fz", "B.mx") and "statically indeterminate" in plain.warnings[0]
    assert np.allclose(plain.upper[:, 2], 0.0) and np.allclose(np.hypot(*plain.upper[:, :2].T), 1e9 * math.sqrt(2))
    assert plain.judged and not plain.safe and plain.message.endswith("too much")
    assert plain.plot().warnings == plain.warnings
    unaffected = loaded(hanger(), [], {}, indeterminate={})
    assert lw.stress(unaffected, "bar", ("A", "B"), TUBE).assumed == ()


def test_a_slide_that_an_end_is_named_after_acts_there() -> None:
    """The place where a slider pushes moves along its guide; its force is moved to the end with its moment."""
    m = lw.Mechanism("guide", gravity=(0, 0, 0))
    m.body("guide", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1))
    m.body("block", mass=1.0, com=(0.2, 0, 0), inertia=(1, 1, 1))
    m.revolute("A", "ground", "guide", at=(0, 0, 0), axis="z")
    m.prismatic("S", "guide", "block", at=(0.2, 0, 0), axis="x")
    m.point("end", "guide", at=(1, 0, 0))
    machine = m.assemble()
    run = machine.motion(S=(0.0, 0.6), samples=4)
    w = machine.layout.seats["S"].X_WM[:3, :3].T @ [0.0, 7.0, 0.0]
    zero = np.zeros((4, 3))
    run = with_signals(run, {"A.force": ("N", zero), "A.moment": ("N m", zero), "S.force": ("N", np.tile(w, (4, 1))),
                             "S.moment": ("N m", zero)})  # fmt: skip
    named = lw.stress(run, "guide", ("S", "end"), BOX, up="z")
    assert named.attached["lower"] == ("A", "S")
    np.testing.assert_allclose(named.lower[:, 1], -7.0, rtol=1e-9)  # the block is pushed up, so the guide down
    np.testing.assert_allclose(named.lower[:, 5], -7.0 * run["S.slide"].values, atol=1e-9)
    apart = lw.stress(run, "guide", ("A", "end"), BOX, up="z")
    assert apart.attached["between"] == ("S",) and np.abs(apart.loads).max() == 0.0


def test_plots_and_texts() -> None:
    run = swing(arm())
    s = lw.stress(run, "fore", ("B", "C"), TUBE, ALMG3)
    panels = s.plot(x="A.angle")
    assert len(panels) == 2 and panels.description.title == "arm: stress in fore"
    stresses, used = panels.description.panels
    assert [line.name for line in stresses.lines] == ["normal stress", "shear stress", "von Mises stress"]
    assert stresses.y.symbol == "N/mm^2" and used.marks[0].at == 1.0
    np.testing.assert_allclose(stresses.lines[2].y, s.von_mises.max(axis=1) / 1e6)
    assert len(lw.segment_stress(s.lower, s.upper, TUBE, 1.0).plot()) == 1
    assert "Stress('fore', TubeSection(outer=0.03, inner=0.02), 41 samples)" in repr(s) and "% of what" in repr(s)
    timeless = lw.segment_stress(s.lower, s.upper, TUBE, 1.0)
    assert "sample" in timeless.message and timeless.worst.time is None
    with pytest.raises(lw.ModelError, match="no run that has 'A'"):
        timeless.plot(x="A")
    with pytest.raises(lw.ModelError, match="no allowable"):
        timeless.safe


def test_bad_questions() -> None:
    machine = arm()
    run = swing(machine, samples=3)
    bare = machine.motion(A=(0, 1), samples=3)
    for words, ask in (
        ("(?s)4 problems.*B.force.*ask it of s.forces", lambda: lw.stress(bare, "fore", ("B", "C"), TUBE)),
        ("no body 'for'.*did you mean 'fore'", lambda: lw.stress(run, "for", ("B", "C"), TUBE)),
        ("'fore' has no joint, point or frame 'P'", lambda: lw.stress(run, "fore", ("B", "P"), TUBE)),
        ("at one place", lambda: lw.stress(run, "fore", ("B", "B"), TUBE)),
        ("two ends", lambda: lw.stress(run, "fore", "BC", TUBE)),
        ("height lies along", lambda: lw.stress(run, "fore", ("B", "C"), BOX, up=(0.4, 0.05, 0.2))),
        ("not know its machine", lambda: lw.stress(lw.Run(run.data), "fore", ("B", "C"), TUBE)),
        ("machine: a float is not a machine", lambda: lw.stress(run, "fore", ("B", "C"), TUBE, machine=1.0)),
        ("not a cross section", lambda: lw.segment_stress(np.zeros((2, 6)), np.zeros((2, 6)), 3, 1.0)),
        ("upper: its shape", lambda: lw.segment_stress(np.zeros((2, 6)), np.zeros((3, 6)), TUBE, 1.0)),
        ("sample 1 is not finite", lambda: lw.segment_stress([[0.0] * 6, [math.nan] * 6], np.zeros((2, 6)), TUBE, 1.0)),
        ("time: its shape", lambda: lw.segment_stress(np.zeros((2, 6)), np.zeros((2, 6)), TUBE, 1.0, time=[0.0])),
        ("length: 0 is not positive", lambda: lw.segment_stress(np.zeros((2, 6)), np.zeros((2, 6)), TUBE, 0.0)),
    ):
        with pytest.raises(lw.ModelError, match=words):
            ask()
    again = lw.stress(lw.Run(run.data), "fore", ("B", "C"), TUBE, machine=machine)
    assert np.array_equal(again.lower, lw.stress(run, "fore", ("B", "C"), TUBE).lower)


# --- verdicts ---------------------------------------------------------------------------------------------------------

STEEL = lw.Allowable(355 * MPa, safety=2)


def beam(force: float, mass: float = 0.0, at: float = 0.5) -> lw.Run:
    """A bar of 1 m on two pins that carries a force, and its weight, at rest."""
    m = lw.Mechanism("beam", gravity=(0, -9.81, 0))
    m.body("bar", mass=mass, com=(0.5, 0, 0), inertia=(0, mass / 12, mass / 12))
    m.revolute("A", "ground", "bar", axis="z")
    m.point("B", "bar", at=(1, 0, 0))
    m.point("M", "bar", at=(at, 0, 0))
    m.force("support", "B", along="y", amount=force * at + 0.5 * mass * 9.81)
    m.force("F", "M", along="-y", amount=force)
    s = m.assemble()
    return s.forces(s.motion(A=lw.constant(0.0), samples=3, duration=1.0))


def test_a_beam_on_two_pins_is_not_judged_by_its_ends() -> None:
    """F L / 4 = 125 N m in the middle, 375 MPa on 20 mm by 10 mm, 211 % of what is allowed; nothing at its ends."""
    section = lw.RectangleSection(0.02, 0.01)
    assert 500 / 4 / section.Wy == pytest.approx(375 * MPa)
    s = lw.stress(beam(500.0), "bar", ("A", "B"), section, STEEL, up="y")
    assert s.utilisation.max() < 1e-9 and not s.judged and not s.safe
    assert s.uncounted == ("what acts between the ends (F)",)
    assert s.message.endswith("what acts between the ends (F) is not counted: not judged")
    np.testing.assert_allclose(s.inner["F"], np.tile([0, 0, -500, 0, 250, 0], (3, 1)), atol=1e-9)
    assert s.unbalanced == pytest.approx(1.0) and s.attached["between"] == ("F",)
    lines = repr(s).splitlines()
    assert lines[2:] == ["  warning: F acts between the ends, where more may be carried than at both ends"]
    # At the end itself it bends nothing, and all is known; a force of nothing between the ends is none.
    for run in (beam(500.0, at=1.0), beam(0.0)):
        whole = lw.stress(run, "bar", ("A", "B"), section, STEEL, up="y")
        assert whole.judged and whole.safe and whole.uncounted == whole.warnings == ()
        assert whole.message.endswith(": safe")
    bare = lw.stress(beam(500.0), "bar", ("A", "B"), section, up="y")
    assert bare.message.endswith("what acts between the ends (F) is not counted")
    with pytest.raises(lw.ModelError, match="no allowable"):
        _ = bare.judged


def test_weight_between_the_ends_is_told() -> None:
    """Of 20 kg each pin carries half; beside a load they are told apart."""
    section = lw.RectangleSection(0.02, 0.01)
    s = lw.stress(beam(0.0, 20.0), "bar", ("A", "B"), section, STEEL, up="y")
    assert s.uncounted == ("what acts between the ends (weight and inertia, 200 % of the loads at the ends)",)
    assert not s.judged and s.unbalanced == pytest.approx(2.0)
    s = lw.stress(beam(1000.0, 20.0), "bar", ("A", "B"), section, STEEL, up="y")
    share = 100 * 20 * 9.81 / 1000
    assert s.uncounted == (
        f"what acts between the ends (F; weight and inertia, {share:.3g} % of the loads at the ends)",
    )


def whipped(speed: float) -> lw.Stress:
    """A connecting rod whose own inertia bends it: slender, of 1 kg, and the piston of 1 g is all it pushes."""
    m = lw.Mechanism("engine", gravity=(0, 0, 0))
    m.body("crank", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    m.body("rod", mass=1.0, com=(0.15, 0, 0), inertia=(0, 3e-3, 3e-3))
    m.body("piston", mass=1e-3, com=(0.25, 0, 0), inertia=(1e-6, 1e-6, 1e-6))
    m.revolute("A", "ground", "crank", axis="z")
    m.spheric("B", "crank", "rod", at=(0.05, 0, 0))
    m.universal("C", "rod", "piston", at=(0.25, 0, 0), axes=("y", "z"))
    m.prismatic("D", "ground", "piston", at=(0.25, 0, 0), axis="x")
    s = m.assemble()
    run = s.forces(s.motion(A=lw.ramp(0, 2 * math.pi, speed=speed), samples=61))
    return lw.stress(run, "rod", ("B", "C"), lw.TubeSection(0.008), STEEL)


def test_a_rod_that_its_inertia_bends_is_not_judged() -> None:
    s = whipped(628.0)
    assert s.assumed == () and s.attached["between"] == () and s.unbalanced > 0.9
    assert s.utilisation.max() < 1.0 and not s.judged and not s.safe
    assert f"weight and inertia, {100 * s.unbalanced:.3g} % of the loads at the ends" in s.message


def test_little_inertia_on_a_slender_bar() -> None:
    """4 % of the load at its ends, across: judged by what it could bend, 3/4 F L."""
    for L, safe in ((0.1, True), (5.0, False)):
        lower, upper = np.array([[[-1000.0, 0, 20, 0, 0, 0]], [[1000.0, 0, 20, 0, 0, 0]]])
        s = lw.segment_stress(lower, upper, lw.TubeSection(0.01), L, STEEL)
        assert s.unbalanced == pytest.approx(0.04, rel=1e-3) and s.judged == s.safe == safe
        bent = 0.75 * 40 * L / lw.TubeSection(0.01).Wy / STEEL.normal_stress
        assert safe or f"may bend it by up to {100 * bent:.3g} % of what is allowed" in s.message


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 100_000), st.integers(1, 12), st.booleans())
def test_the_bound_on_bending_between_the_ends(seed: int, count: int, turned: bool) -> None:
    """Loads along a beam on two pins that change direction no more than once: at most 3/4 |F| L + |M|."""
    rng = np.random.default_rng(seed)
    x, p = np.sort(rng.uniform(0, 1, count)), rng.uniform(0, 1, count) ** 3
    p[rng.integers(0, count) :] *= -1.0 if turned else 1.0
    inside = [np.sum(p * np.where(x < at, x * (1 - at), at * (1 - x))) for at in x]
    assert np.abs(inside).max() <= 0.75 * abs(p.sum()) + abs(np.sum(p * (x - 0.5))) + 1e-12


def test_a_torque_on_the_body_is_not_judged() -> None:
    twist = Torque("twist", "bar", OnBody("bar", (1, 0, 0)), Steady(0.0))
    run = loaded(hanger(), [twist], {"twist.torque": ("N m", np.ones(5))})
    s = lw.stress(run, "bar", ("A", "B"), TUBE, ALMG3)
    assert not s.judged and s.uncounted[0].startswith("what acts between the ends (twist")
    assert np.allclose(s.inner["twist"], [0, 0, 0, 1, 0, 0]) and "torque twist has no place" in s.warnings[0]


def test_indeterminate_components_are_zero_only_by_wish() -> None:
    pull = {"A.force": ("N", np.zeros((5, 3))), "B.force": ("N", np.zeros((5, 3)))}
    run = loaded(hanger(), [], pull, indeterminate={"B": ["fz"]})
    plain, wished = (lw.stress(run, "bar", ("A", "B"), TUBE, ALMG3, assume_zero=zero) for zero in (False, True))
    assert not plain.judged and not plain.safe and plain.uncounted == ("what is statically indeterminate (B.fz)",)
    assert plain.message.endswith("what is statically indeterminate (B.fz) is not counted: not judged")
    assert wished.judged and wished.safe and wished.assumed == ("B.fz",) and wished.uncounted == ()
    assert wished.assume_zero and wished.message.endswith("safe, with what is indeterminate taken as zero")
    assert "taken as zero: the stress may be greater" in repr(wished)


def test_numbers_of_another_unit_are_doubted() -> None:
    run = swing(arm(), samples=3)
    s = lw.stress(run, "fore", ("B", "C"), lw.TubeSection(10), lw.Allowable(355, shear=200))
    assert len(s.warnings) == 3 and "20 m across, is wider than the segment is long, 0.45 m" in s.warnings[0]
    assert "normal strength, 355 Pa, is very little: is it 355*MPa?" in s.warnings[1] and "200*MPa" in s.warnings[2]
    assert lw.stress(run, "fore", ("B", "C"), TUBE, lw.Allowable(355 * MPa)).warnings == ()


def test_a_machine_at_rest_is_no_run() -> None:
    held = arm().statics(A=0.1)
    for ask in (lambda: lw.stress(held, "fore", ("B", "C"), TUBE), lambda: lw.energy(held),
                lambda: lw.torque_speed(held, "drive")):  # fmt: skip
        with pytest.raises(lw.ModelError, match=r"a Statics is not a run of forces.*s\.forces\(run\)"):
            ask()
