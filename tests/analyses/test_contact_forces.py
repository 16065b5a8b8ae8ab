"""Forces of contacts: closed forms, the arm on a wall of the textbook, wanted pressure, and the way back."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork import geometry as geo
from linkwork.units import deg

G = 9.81
BALL = {"mass": 1.0, "inertia": (1e-3, 1e-3, 1e-3)}


def bead(kind="circle", gravity=(0.0, 0.0, -G), *, axis="z", **shape):
    """1 kg on a curve in space that stands still."""
    m = lw.Mechanism("bead", gravity=gravity)
    curve = lw.space_curve(kind, **shape)
    start = geo.transform_points(np.eye(4), np.array([float(c) for c in curve.point(0.0)]))
    if axis == "z":
        m.body("ball", com=tuple(start), **BALL)
        m.on_curve("K", m.ground, "ball", curve=curve, at=(0, 0, 0), axis=axis, x="x", to=tuple(start))
    else:
        m.body("ball", com=(0, 0, 0), **BALL)
        m.on_curve("K", m.ground, "ball", curve=curve, at=(0, 0, 0), axis=axis, to=(0, 0, 0))
    return m.assemble()


def test_ball_on_a_round_track():
    """N = m v² / R towards the middle, and the weight besides."""
    s = bead(radius=0.5)
    rate = 3.0
    run = s.motion({"K.parameter": lw.ramp(0, rate, duration=1)}, samples=9)
    f = s.forces(run)
    c = lw.contact_force(f, "K")
    np.testing.assert_allclose(c.normal[:, 0], rate**2 * 0.5, rtol=1e-12)
    np.testing.assert_allclose(c.normal[:, 1], G, rtol=1e-12)
    np.testing.assert_allclose(c.pressing, np.hypot(rate**2 * 0.5, G), rtol=1e-12)
    np.testing.assert_allclose(c.along, np.abs(f["K.parameter.effort"].values) / 0.5, atol=1e-10)
    place = run["ball"].position.values * 0 + c.point
    np.testing.assert_allclose(c.directions[:, 0], -place / 0.5, atol=1e-12)
    assert c.lift_off is None and not c.lifted.any() and not c.warnings
    # Without a drive it goes on by itself with the same force: no drift, whatever the posture.
    for angle in (0.0, 1.0, -2.0):
        a = s.accelerations({"K.parameter": angle}, rates={"K.parameter": rate})
        assert abs(a["K.parameter"]) < 1e-12
        np.testing.assert_allclose(np.linalg.norm(a.reactions["K"].force), np.hypot(rate**2 * 0.5, G), rtol=1e-12)


def test_unit_circle_of_the_textbook():
    """1 kg at 1 m/s on a unit circle: N = 1 N, free of the alternating errors of a search for positions."""
    s = bead(radius=1.0, gravity=(0, 0, 0))
    a = s.accelerations(rates={"K.parameter": 1.0})
    np.testing.assert_allclose(a.reactions["K"].force, [-1.0, 0.0, 0.0], atol=1e-14)
    np.testing.assert_allclose(a.reactions["K"].moment, 0.0, atol=1e-14)


@pytest.mark.parametrize("slope", [0.0, 0.4, 1.2])
def test_bead_on_a_line(slope):
    s = bead("line", axis=(np.cos(slope), 0.0, -np.sin(slope)))
    a = s.accelerations()
    assert a["K.parameter"] == pytest.approx(G * np.sin(slope), abs=1e-12)
    assert np.linalg.norm(a.reactions["K"].force) == pytest.approx(G * np.cos(slope), abs=1e-12)
    run = s.motion({"K.parameter": lw.cycloidal(0, 1, duration=1)}, samples=5)
    f = s.forces(run)
    c = lw.contact_force(f, "K")
    np.testing.assert_allclose(c.pressing, G * np.cos(slope), atol=1e-12)
    np.testing.assert_allclose(c.along, np.abs(f["K.parameter.effort"].values), atol=1e-12)


@pytest.mark.parametrize(("side", "first"), [(1, 5.5), (-1, 0.0)])
def test_lift_off_from_a_dome(side, first):
    """Over a dome at even speed v: N = m (g cos φ - v²/R); it lifts off where cos φ = v² / (g R)."""
    m = lw.Mechanism("dome", gravity=(0, 0, -G))
    m.body("ball", com=(0, 0, 0.5), **BALL)
    m.on_surface(
        "K", m.ground, "ball", surface=lw.surface("sphere", radius=0.5), at=(0, 0, 0), axis="z", to=(0, 0, 0.5)
    )
    s = m.assemble()
    rate = 3.5  # v² / (g R) = 0.624, 51.4 deg
    run = s.motion({"K.angle1": lw.ramp(0, 80 * deg, speed=rate)}, samples=801)
    f = s.forces(run)
    c = lw.contact_force(f, "K", side=side, one_sided=True)
    angle = run["K.angle1"].values
    np.testing.assert_allclose(c.normal[:, 0], G * np.cos(angle) - rate**2 * 0.5, atol=1e-11)
    np.testing.assert_allclose(c.pressing, side * c.normal[:, 0])
    np.testing.assert_allclose(c.directions[:, 0], c.point / 0.5, atol=1e-13)
    limit = np.arccos(rate**2 * 0.5 / G)
    wanted = (limit if side == 1 else 0.0) / rate
    assert c.lift_off == pytest.approx(wanted, abs=80 * deg / rate / 800)
    assert np.array_equal(c.lifted, angle > limit if side == 1 else angle < limit)
    assert "lifts off" in c.message and "would have to pull" in c.warnings[0]
    assert lw.contact_force(f, "K", side=side).lift_off is None  # a contact that holds both ways


def wall_arm(wall=None, *, contact=True):
    """An arm of two links in the plane xy; its tip is on a wall that may be inclined, or that slides with `wall`."""
    m = lw.Mechanism("wall-arm", gravity=(0, -G, 0))
    m.body("upper", mass=4.0, com=(0.2, 0.3, 0), inertia=(0.05, 0.05, 0.06))
    m.body("fore", mass=2.5, com=(0.6, 0.4, 0), inertia=(0.02, 0.02, 0.03))
    m.revolute("A", m.ground, "upper", at=(0, 0, 0), axis="z")
    m.revolute("B", "upper", "fore", at=(0.4, 0.6, 0), axis="z")
    m.point("tip", "fore", at=(0.8, 0.2, 0))
    normal = (-np.cos(0.3), np.sin(0.3), 0.0)
    if contact:
        carrier = m.ground
        if wall:
            m.body("wall", mass=3.0, com=(0.9, 0.2, 0), inertia=(0.1, 0.1, 0.1))
            m.prismatic("S", m.ground, "wall", at=(0.9, 0.2, 0), axis="x")
            carrier = "wall"
        m.on_surface("K", carrier, "fore", surface=lw.surface("plane"), at=(0.8, 0.2, 0), axis=normal, to=(0.8, 0.2, 0))
    return m.assemble(), np.array(normal)


def open_efforts(s, run, joints):
    """W q'' - U of the arm alone, and the Jacobian of its tip."""
    q, v, a = (np.stack([run[f"{j}.angle{d}"].values for j in joints], axis=1) for d in ("", ".rate", ".acceleration"))
    return s.inverse_dynamics(q, v, a), s.jacobian("tip", q)[:, :3]


def test_arm_on_a_wall_with_wanted_pressure():
    """P = W q'' - U - D R (Vukobratović, Potkonjak, eq. 2.10.2), with a pressure that changes in time."""
    s, normal = wall_arm()
    alone, _ = wall_arm(contact=False)
    run = s.motion(A=lw.cycloidal(0, -0.4, duration=0.5), samples=31)
    wanted = 60.0 + 40.0 * np.sin(12.0 * run.time)
    f = s.forces(run, drives=["A", "B"], contact={"K": wanted})
    tau, J = open_efforts(alone, run, "AB")
    expected = tau - np.einsum("sij,i,s->sj", J, normal, wanted)
    np.testing.assert_allclose(f["A"].effort.values, expected[:, 0], rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(f["B"].effort.values, expected[:, 1], rtol=1e-10, atol=1e-9)
    c = lw.contact_force(f, "K", one_sided=True)
    np.testing.assert_allclose(c.pressing, wanted, rtol=1e-12)
    np.testing.assert_allclose(c.force, wanted[:, None] * normal, atol=1e-11)
    np.testing.assert_allclose(c.point, run["tip"].position.values, atol=1e-12)
    assert c.lift_off is None and f.evidence.forces.power_error < 1e-9
    # The way back: these efforts make this motion, with this force.
    for k in (3, 17, 30):
        values = {"A": run["A.angle"].values[k]}
        rates = {"A": run["A"].rate.values[k]}
        a = s.accelerations(values, rates, {"A": expected[k, 0], "B": expected[k, 1]})
        assert a["A"] == pytest.approx(run["A"].acceleration.values[k], abs=1e-8)
        assert a["B"] == pytest.approx(run["B"].acceleration.values[k], abs=1e-8)
        np.testing.assert_allclose(np.linalg.norm(a.reactions["K"].force), wanted[k], rtol=1e-9)
        for joint, reaction in a.reactions.items():
            for part in ("force", "moment"):
                np.testing.assert_allclose(getattr(reaction, part), f.data[f"{joint}.{part}"][k], atol=1e-7)


def test_moving_wall():
    """The wall moves, and its drive feels the pressure besides its own inertia."""
    s, normal = wall_arm(wall=True)
    alone, _ = wall_arm(contact=False)
    run = s.motion(A=lw.cycloidal(0, -0.3, duration=0.5), S=lw.cycloidal(0, -0.05, duration=0.5), samples=21)
    f = s.forces(run, drives=["A", "B", "S"], contact={"K": 80.0})
    tau, J = open_efforts(alone, run, "AB")
    expected = tau - 80.0 * np.einsum("sij,i->sj", J, normal)
    np.testing.assert_allclose(f["A"].effort.values, expected[:, 0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(f["B"].effort.values, expected[:, 1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        f["S"].effort.values, 3.0 * run["S"].acceleration.values + 80.0 * normal[0], rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(lw.contact_force(f, "K").normal, 80.0, rtol=1e-12)


def test_arm_at_rest_on_a_wall():
    s, normal = wall_arm()
    alone, _ = wall_arm(contact=False)
    held = s.statics(drives=["A", "B"], contact={"K": 25.0})
    none = np.zeros(2)
    expected = alone.inverse_dynamics(none, none, none) - 25.0 * alone.jacobian("tip", none)[:3].T @ normal
    np.testing.assert_allclose([held["A.angle"], held["B.angle"]], expected, rtol=1e-11)
    a = s.accelerations(efforts={"A": expected[0], "B": expected[1]})
    np.testing.assert_allclose(a.values, 0.0, atol=1e-10)
    for joint, reaction in held.reactions.items():
        np.testing.assert_allclose(a.reactions[joint].force, reaction.force, atol=1e-10)
        np.testing.assert_allclose(a.reactions[joint].moment, reaction.moment, atol=1e-10)


def test_seam_welder_with_two_wanted_forces():
    """On a curve two components are chosen freely; the third drive is left to move."""
    s = lw.example("seam-welder").assemble()
    text = lw.dumps(s.mechanism)
    start, end = text.index("  seam:"), text.index("points:")
    m = lw.loads(text[:start] + text[end : text.index("expect:")] if "expect:" in text else text[:start] + text[end:])
    alone = m.assemble()
    run = s.motion({"seam.parameter": lw.cycloidal(0, 3, duration=2)}, samples=25)
    wanted = np.stack([5.0 * np.cos(run.time), 20.0 - 3.0 * run.time], axis=1)
    joints = ("turn", "shoulder", "elbow")
    f = s.forces(run, drives=joints, contact={"seam": wanted})
    c = lw.contact_force(f, "seam")
    np.testing.assert_allclose(c.normal, wanted, rtol=1e-10, atol=1e-10)
    q, v, a = (np.stack([run[f"{j}.angle{d}"].values for j in joints], axis=1) for d in ("", ".rate", ".acceleration"))
    expected = alone.inverse_dynamics(q, v, a) - np.einsum("sij,si->sj", alone.jacobian("tip", q)[:, :3], c.force)
    for k, joint in enumerate(joints):
        np.testing.assert_allclose(f[joint].effort.values, expected[:, k], rtol=1e-9, atol=1e-9)
    # Directions are across the curve, and across each other.
    x = run["seam.parameter"].values
    tangent = np.stack([-0.06 * np.sin(x), 0.06 * np.cos(x), -0.0036 * np.sin(x) * np.cos(x) / np.sqrt(
        0.01 - (0.06 * np.sin(x)) ** 2)], axis=1)  # fmt: skip
    frame = np.concatenate([geo.vectors.unit(tangent)[:, None], c.directions], axis=1)
    np.testing.assert_allclose(
        np.einsum("sij,skj->sik", frame, frame), np.broadcast_to(np.eye(3), (25, 3, 3)), atol=1e-12
    )
    np.testing.assert_allclose(np.linalg.det(frame), 1.0, rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_left_open_departs_least_from_the_preload(seed):
    """Three drives for one freedom and one wanted force: one direction is left, and it is used best."""
    rng = np.random.default_rng(seed)
    s, _ = wall_arm(wall=True)
    run = s.motion(A=lw.cycloidal(0, -0.3, duration=0.5), S=0.0, samples=5)
    names = ("A.angle", "B.angle", "S.slide", "K.x")
    preload, weights = (
        dict(zip(names, rng.normal(size=4) * 5, strict=True)),
        dict(zip(names, rng.uniform(0.5, 3, 4), strict=True)),
    )
    f = s.forces(run, drives=names, contact={"K": 30.0}, preload=preload, weights=weights)
    np.testing.assert_allclose(lw.contact_force(f, "K").normal, 30.0, rtol=1e-11)
    e = np.stack([f[f"{n}.effort"].values for n in names], axis=1)
    W, e0 = np.array(list(weights.values())), np.array(list(preload.values()))
    for _ in range(5):  # any other choice that presses as wanted costs more
        other = {n: x + rng.normal() for n, x in preload.items()}
        g = s.forces(run, drives=names, contact={"K": 30.0}, preload=other, weights=weights)
        d = np.stack([g[f"{n}.effort"].values for n in names], axis=1)
        assert (np.sum(W * (d - e0) ** 2, axis=1) >= np.sum(W * (e - e0) ** 2, axis=1) - 1e-9).all()
        # ... and the way there is across the departure: the condition of the least.
        np.testing.assert_allclose(np.sum(W * (d - e) * (e - e0), axis=1), 0.0, atol=1e-7)


def test_cam_presses_as_its_follower_needs():
    """Flat-faced cam: the follower's slide is along the normal, N = m (a + g)."""
    s = lw.example("flat-faced-cam").assemble()
    joint = next(n for n, j in s.mechanism.joints.items() if j.law.kind == "line_on_curve")
    slide = next(n for n, j in s.mechanism.joints.items() if j.law.kind == "prismatic")
    follower = s.mechanism.joints[slide].head
    drive = next(n for n, j in s.mechanism.joints.items() if j.law.kind == "revolute")
    run = s.motion({drive: lw.ramp(0, 360 * deg, speed=2.0)}, samples=73)
    f = s.forces(run)
    side = int(np.sign(lw.contact_force(f, joint).normal[0, 0])) or 1
    c = lw.contact_force(f, joint, side=side, one_sided=True)
    weight = -np.array(s.mechanism.gravity)
    axis = geo.transform_vectors(s.layout.seats[slide].X_WF, [0.0, 0.0, 1.0])
    needed = s.parameters[f"{follower}.mass"] * (run[slide].acceleration.values + weight @ axis)
    np.testing.assert_allclose(np.abs(c.pressing), np.abs(needed), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(c.force @ axis, needed, rtol=1e-9, atol=1e-9)


def test_plot_of_a_contact():
    from matplotlib.figure import Figure

    s = bead(radius=0.5)
    c = lw.contact_force(s.forces(s.motion({"K.parameter": (0, 1)}, samples=3)), "K")
    labels = {line.get_label() for line in c.plot(ax=Figure().subplots())[0].get_lines()}
    assert labels >= {"pressing force", "force along n", "force along b"}


def test_what_is_refused():
    s, _ = wall_arm()
    run = s.motion(A=lw.cycloidal(0, -0.3, duration=0.5), samples=4)
    f = s.forces(run)
    with pytest.raises(lw.ModelError, match="1 wanted force, but of 1 drive the motion takes 1; name more drives"):
        s.forces(run, contact={"K": 1.0})
    with pytest.raises(lw.ModelError, match="'A' is a revolute joint"):
        s.forces(run, drives=["A", "B"], contact={"A": 1.0})
    with pytest.raises(lw.ModelError, match="a number or as many for each of 4 samples"):
        s.forces(run, drives=["A", "B"], contact={"K": [1.0, 2.0]})
    with pytest.raises(lw.ModelError, match="a number or as many"):
        s.forces(run, drives=["A", "B"], contact={"K": np.nan})
    rates = {n: np.abs(run[f"K.{n}.rate"].values).max() for n in "xy"}
    sideways = f"K.{min(rates, key=lambda n: rates[n])}"  # across the arm's plane: nothing moves that way
    with pytest.raises(lw.ModelError, match="cannot press on K"):
        s.forces(run, drives=["A", sideways], contact={"K": 5.0})
    with pytest.raises(lw.ModelError, match="there is no joint 'L'"):
        lw.contact_force(f, "L")
    with pytest.raises(lw.ModelError, match="no forces of 'K'"):
        lw.contact_force(run, "K")
    with pytest.raises(lw.ModelError, match="side is 2"):
        lw.contact_force(f, "K", side=2)
    with pytest.raises(lw.ModelError, match="does not know its machine"):
        lw.contact_force(lw.Run(f.data), "K")
    track = bead(radius=0.5)
    g = track.forces(track.motion({"K.parameter": (0, 1)}, samples=3))
    with pytest.raises(lw.ModelError, match="holds on all sides"):
        lw.contact_force(g, "K", one_sided=True)


def test_reactions_under_forces_from_outside():
    """Forces on bodies are no efforts of joints: m a = F + m g + R at the only joint of a pendulum."""
    m = lw.Mechanism("pendulum", gravity=(0, -G, 0))
    m.body("rod", mass=2.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
    m.revolute("A", m.ground, "rod", at=(0, 0, 0), axis="z", x="x")
    m.point("tip", "rod", at=(1, 0, 0))
    m.point("middle", "rod", at=(0.5, 0, 0))
    s = m.assemble()
    push = np.array([3.0, 25.0, 7.0])
    a = s.accelerations(rates={"A": 2.0}, efforts={"A": 4.0}, external={"tip": push})
    assert a["A"] == pytest.approx((4.0 + push[1] - 2.0 * G * 0.5) / (0.1 + 2.0 * 0.25), rel=1e-12)
    needed = 2.0 * np.array([-(2.0**2) * 0.5, 0.5 * a["A"], 0.0]) - push - 2.0 * np.array([0, -G, 0])
    np.testing.assert_allclose(a.body("middle")[:3], [-2.0, 0.5 * a["A"], 0.0], atol=1e-12)
    np.testing.assert_allclose(a.reactions["A"].force, needed, atol=1e-12)
    assert a.reactions["A"].moment[2] == pytest.approx(4.0, abs=1e-12)


@pytest.mark.parametrize(("pull", "along"), [(3.0, -3.0), (20.0, -5.0), (-20.0, 5.0)])
def test_friction_that_holds_is_in_the_reaction(pull, along):
    m = lw.Mechanism("block", gravity=(0, 0, -G))
    m.body("block", mass=2.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.prismatic("S", m.ground, "block", at=(0, 0, 0), axis="x")
    m.friction("dry", "S", level=5.0, form="exact")
    s = m.assemble()
    a = s.accelerations(external={"block": (pull, 0, 0)})
    assert a["S"] == pytest.approx((pull + along) / 2.0, abs=1e-12) and bool(a.stuck) == (abs(pull) < 5.0)
    force = geo.transform_vectors(s.layout.seats["S"].X_WM, a.reactions["S"].force)
    np.testing.assert_allclose(force, [along, 0.0, 2.0 * G], atol=1e-12)
