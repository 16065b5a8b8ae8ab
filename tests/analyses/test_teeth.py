"""Forces between teeth: closed forms, equilibrium of every gear with its bearings, and the flank that carries."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork import geometry as geo
from linkwork.analyses.strength.acting_forces import acting_on
from linkwork.files.gallery import example_text
from linkwork.units import deg

STEEL = {"mass": 1.0, "inertia": (1e-3, 1e-3, 1e-3)}


def pair(radius=0.03, mate=0.05, *, internal=False, stretch=0.0, heading=0.0, gravity=(0.0, 0.0, 0.0), **teeth):
    """Two gears on fixed shafts; `heading` is the direction of the line of centres."""
    m = lw.Mechanism("pair", gravity=gravity)
    distance = abs(mate - radius) if internal else radius + mate
    to = ((distance + stretch) * np.cos(heading), (distance + stretch) * np.sin(heading), 0.0)
    m.body("first", com=(0.0, 0.0, 0.0), **STEEL)
    m.body("second", com=to, **STEEL)
    m.revolute("A", m.ground, "first", at=(0, 0, 0), axis="z")
    m.revolute("B", m.ground, "second", at=to, axis="z")
    m.gear("G", "first", "second", at=(0, 0, 0), to=to, radii=(radius, mate), internal=internal, **teeth)
    return m.assemble()


def loaded(s, torque, rate=2.0, **options):
    """Turning evenly under a torque at the second gear, one value a sample."""
    torque = np.asarray(torque, float)
    run = s.motion(A=lw.ramp(0, rate, duration=1.0), samples=len(torque))
    return run, s.forces(run, efforts={"B": torque}, **options)


def on_body(run, body):
    """Sum of the forces that joints put on a body, world."""
    return sum(a.force for a in acting_on(run.machine, run, body))


def test_spur_pair_is_torque_over_radius():
    torque = np.array([-8.0, 3.0, 12.0])
    run, f = loaded(pair(), torque)
    t = lw.tooth_forces(f, "G")
    np.testing.assert_allclose(t.tangential, torque / 0.05, rtol=1e-13)
    np.testing.assert_allclose(t.radial, np.abs(torque) / 0.05 * np.tan(20 * deg), rtol=1e-13)
    np.testing.assert_allclose(t.axial, 0.0, atol=1e-12)
    np.testing.assert_allclose(t.normal, np.abs(torque) / 0.05 / np.cos(20 * deg), rtol=1e-13)
    # Power goes through without loss.
    np.testing.assert_allclose(f["A"].power.values + torque * run["B"].rate.values, 0.0, atol=1e-12)
    assert t.felt == ("tangential", "axial") and "do not feel the radial force" in t.warnings[0]
    assert t.worst == 2 and not t.wrong.any()
    assert t.message.startswith("G: at most 255.4 N, at 1 s: tangential 240 N, radial 87.35 N, axial 0 N")
    np.testing.assert_allclose(t.point, [[0.03, 0.0, 0.0]] * 3, atol=1e-15)


@pytest.mark.parametrize("seed", range(12))
def test_gears_balance_with_their_bearings(seed):
    """With a flank, tooth force and bearing hold every gear at even speed, in all three directions."""
    rng = np.random.default_rng(seed)
    internal = bool(seed % 3 == 0)
    radius, mate = rng.uniform(0.02, 0.05, 2) + np.array([0.0, 0.06 if internal else 0.0])
    if rng.random() < 0.5:
        radius, mate = mate, radius
    flank = int(rng.choice([-1, 1]))
    options = {"pressure_angle": rng.uniform(14, 28) * deg, "helix_angle": rng.uniform(-30, 30) * deg}
    stretch = rng.uniform(0.0, 2e-3)
    s = pair(radius, mate, internal=internal, stretch=stretch, heading=rng.uniform(-3, 3), flank=flank, **options)
    torque = rng.normal(size=6) * 10.0
    _, f = loaded(s, torque)
    t = lw.tooth_forces(f, "G")
    assert not [w for w in t.warnings if "along its own variables" in w]
    scale = np.abs(t.force).max()
    for body, sign in (("second", 1.0), ("first", -1.0)):
        bearing = {"second": "B", "first": "A"}[body]
        held = next(a.force for a in acting_on(s, f, body) if a.name == bearing)
        np.testing.assert_allclose(held + sign * t.force, 0.0, atol=1e-11 * scale)
        np.testing.assert_allclose(on_body(f, body), 0.0, atol=1e-11 * scale)
    # The moment of the tooth force about either shaft is the torque there.
    second = s.mechanism.joints["B"].frame.at
    np.testing.assert_allclose(np.cross(t.point - second, t.force)[:, 2], -torque, rtol=1e-10)
    np.testing.assert_allclose(np.cross(t.point, -t.force)[:, 2], -f["A"].effort.values, rtol=1e-10)
    # Textbook: radial F_t tan α', axial F_t tan β' at the working pitch circle; a wrong flank pulls.
    nominal = s.mechanism.joints["G"].law.radius + s.mechanism.joints["G"].law.mate
    working = np.arccos(nominal * np.cos(options["pressure_angle"]) / (nominal + stretch))
    np.testing.assert_allclose(np.abs(t.radial), np.abs(t.tangential) * np.tan(working), rtol=1e-10)
    twist = np.tan(options["helix_angle"]) * (1 + stretch / nominal)
    np.testing.assert_allclose(t.axial, t.tangential * twist, rtol=1e-9)
    assert np.array_equal(t.wrong, t.radial < 0.0)
    assert t.felt == ("tangential", "radial", "axial")
    np.testing.assert_allclose(t.normal, geo.vectors.length(t.force), rtol=1e-12)


@pytest.mark.parametrize("internal", [False, True])
def test_the_flank_that_carries_is_taken_at_every_sample(internal):
    torque = np.array([5.0, 2.0, 0.0, -3.0, -9.0])
    sizes = (0.06, 0.02) if internal else (0.03, 0.05)
    runs = {flank: loaded(pair(*sizes, internal=internal, flank=flank), torque) for flank in (1, -1)}
    told = {flank: lw.tooth_forces(f, "G") for flank, (_, f) in runs.items()}
    assert (told[1].wrong ^ told[-1].wrong)[[0, 1, 3, 4]].all()
    bad = next(w for w in told[1].warnings if "other flank carries at 2 of 5 samples" in w)
    assert "first at 0" in bad and "lw.forces_by_flank" in bad
    for start in (1, -1, 0):
        s = pair(*sizes, internal=internal, flank=start)
        run, plain = loaded(s, torque)
        both = lw.forces_by_flank(s, run, efforts={"B": torque})
        t = lw.tooth_forces(both, "G")
        assert not t.wrong.any() and (t.radial >= 0.0).all() and set(np.unique(t.flank)) == {-1.0, 1.0}
        for k in range(5):
            right = runs[int(t.flank[k])][1]
            for signal in ("A.force", "B.force", "G.force", "A.angle.effort"):
                np.testing.assert_allclose(both.data[signal][k], right.data[signal][k], atol=1e-12)
        np.testing.assert_allclose(both["A"].effort.values, plain["A"].effort.values, rtol=1e-12, atol=1e-14)
        # The bearing carries the whole normal force, whichever way the load goes.
        np.testing.assert_allclose(geo.vectors.length(both["B"].force.values[:, :2]), t.normal, rtol=1e-10, atol=1e-12)


def test_helical_gears_of_the_gallery():
    """Shigley's formulas by the normal pressure angle: F_r = F_t tan α_n / cos β, F_a = F_t tan β."""
    s = lw.example("helical-gears").assemble()
    run = s.motion(input=lw.ramp(0, 1, duration=1), samples=3)
    f = s.forces(run, efforts={"output": -40.0})
    t = lw.tooth_forces(f, "mesh")
    beta, alpha = 15 * deg, 20 * deg
    normal = np.arctan(np.tan(alpha) * np.cos(beta))
    np.testing.assert_allclose(t.tangential, -40.0 / 0.09, rtol=1e-12)
    np.testing.assert_allclose(t.radial, 40.0 / 0.09 * np.tan(normal) / np.cos(beta), rtol=1e-12)
    np.testing.assert_allclose(t.axial, -40.0 / 0.09 * np.tan(beta), rtol=1e-12)
    np.testing.assert_allclose(t.normal, 40.0 / 0.09 / np.cos(normal) / np.cos(beta), rtol=1e-12)
    # The axial force is a matter of rolling along the helix: bearings feel it without a flank too.
    np.testing.assert_allclose(f["output.fz"].values, -t.axial, rtol=1e-12)
    np.testing.assert_allclose(f["input.fz"].values, t.axial, rtol=1e-12)
    np.testing.assert_allclose(t.on_first[2], -t.axial, rtol=1e-12)


@pytest.mark.parametrize("flank", [0, 1, -1])
@pytest.mark.parametrize("side", [1, -1])
def test_rack_and_pinion(flank, side):
    m = lw.Mechanism("rack")
    m.body("rack", com=(0, 0, 0), **STEEL)
    m.body("pinion", com=(0, side * 0.02, 0), **STEEL)
    m.prismatic("S", m.ground, "rack", at=(0, 0, 0), axis="x")
    m.revolute("P", m.ground, "pinion", at=(0, side * 0.02, 0), axis="z")
    options = {"helix_angle": 10 * deg, "flank": flank}
    m.rack("K", "rack", "pinion", at=(0, 0, 0), to=(0, side * 0.02, 0), axis="z", x="x", radius=side * 0.02, **options)
    s = m.assemble()
    load = np.array([-100.0, 40.0, 250.0])
    run = s.motion(P=lw.ramp(0, 1, duration=1), samples=3)
    f = s.forces(run, efforts={"S": load})
    t = lw.tooth_forces(f, "K")
    np.testing.assert_allclose(t.tangential, load, rtol=1e-12)  # the rack hands its load on to the pinion
    arm = t.point - [0, side * 0.02, 0]
    np.testing.assert_allclose(f["P"].effort.values, -np.cross(arm, t.force)[:, 2], rtol=1e-10)
    np.testing.assert_allclose(np.abs(t.radial), np.abs(load) * np.tan(20 * deg), rtol=1e-12)
    np.testing.assert_allclose(t.axial, -load * np.tan(10 * deg), rtol=1e-12)
    held = next(a.force for a in acting_on(s, f, "pinion") if a.name == "P")
    felt = t.force if flank else t.force - t.radial[:, None] * [0.0, side, 0.0]
    np.testing.assert_allclose(held + felt, 0.0, atol=1e-10)
    if flank:
        assert np.array_equal(t.wrong, t.radial < 0.0) and t.wrong.any() and not t.wrong.all()
        np.testing.assert_allclose(t.force[:, 1], side * t.radial, atol=1e-10)
        both = lw.tooth_forces(lw.forces_by_flank(s, run, efforts={"S": load}), "K")
        assert (both.radial > 0.0).all() and not both.wrong.any()
    else:
        assert (t.radial > 0.0).all() and t.warnings


def test_rack_steering_of_the_gallery():
    s = lw.example("rack-steering").assemble()
    run = s.motion(column=lw.cycloidal(0, 200 * deg, duration=0.5), samples=41)
    f = s.forces(run)
    t = lw.tooth_forces(f, "mesh")
    # The pinion's own inertia, 12 kg mm² about its axis, is all that the column feels besides.
    torque = f["column"].effort.values - 12e-6 * run["column"].acceleration.values
    np.testing.assert_allclose(np.abs(t.tangential), np.abs(torque) / 0.008, rtol=1e-9, atol=1e-9)
    both = lw.tooth_forces(lw.forces_by_flank(s, run), "mesh")
    np.testing.assert_allclose(np.abs(both.tangential), np.abs(t.tangential), rtol=1e-9, atol=1e-9)
    assert (both.radial >= -1e-9).all() and set(np.unique(both.flank)) == {-1.0, 1.0}


@pytest.mark.parametrize("seed", range(8))
def test_bevel_gears(seed):
    """F_r = F_t tan α cos γ, F_a = F_t tan α sin γ on either gear; the force at the mean radius gives both torques."""
    rng = np.random.default_rng(seed)
    internal = seed % 4 == 3
    cones = (rng.uniform(20, 60), rng.uniform(25, 70)) if not internal else (70.0, 30.0)
    if internal and seed > 4:
        cones = cones[::-1]
    signed = [c if not internal or c == max(cones) else -c for c in cones]
    shafts = sum(signed) * deg
    turn = geo.from_rotvec(rng.normal(size=3))
    axes = [turn @ [0, 0, 1], turn @ [np.sin(shafts), 0, np.cos(shafts)]]
    m = lw.Mechanism("bevels")
    m.body("first", com=(0, 0, 0), **STEEL)
    m.body("second", com=(0, 0, 0), **STEEL)
    m.revolute("A", m.ground, "first", at=(0, 0, 0), axis=tuple(axes[0]))
    m.revolute("B", m.ground, "second", at=(0, 0, 0), axis=tuple(axes[1]))
    m.bevel("G", "first", "second", at=(0, 0, 0), axes=(tuple(axes[0]), tuple(axes[1])), cones=[c * deg for c in cones],
            internal=internal)  # fmt: skip
    s = m.assemble()
    torque = rng.normal(size=4) * 20
    _, f = loaded(s, torque)
    alpha, radius = 25 * deg, 0.04
    t = lw.tooth_forces(f, "G", pressure_angle=alpha, radius=radius)
    mate = radius * np.sin(cones[1] * deg) / np.sin(cones[0] * deg)
    size = np.abs(torque) / mate
    np.testing.assert_allclose(np.abs(t.tangential), size, rtol=1e-11)
    np.testing.assert_allclose(t.radial, size * np.tan(alpha) * np.cos(cones[1] * deg), rtol=1e-11)
    np.testing.assert_allclose(np.abs(t.axial), size * np.tan(alpha) * np.sin(cones[1] * deg), rtol=1e-11)
    np.testing.assert_allclose(t.on_first[1], size * np.tan(alpha) * np.cos(cones[0] * deg), rtol=1e-11)
    np.testing.assert_allclose(np.abs(t.on_first[2]), size * np.tan(alpha) * np.sin(cones[0] * deg), rtol=1e-11)
    moment = np.cross(t.point, t.force)
    np.testing.assert_allclose(moment @ axes[1], -torque, rtol=1e-10)  # the load is held by the teeth
    np.testing.assert_allclose(moment @ axes[0], f["A"].effort.values, rtol=1e-10)
    np.testing.assert_allclose(t.force @ axes[1], t.axial, rtol=1e-10)
    np.testing.assert_allclose(-t.force @ axes[0], t.on_first[2], rtol=1e-10)
    # Teeth push an external gear away from the apex, and across its pitch cone into itself.
    if not internal:
        assert (t.axial > 0.0).all() and (t.on_first[2] > 0.0).all()
    separating = t.force - t.tangential[:, None] * geo.vectors.unit(np.cross(axes[0], t.point)) * np.sign(
        np.sum(np.cross(axes[0], t.point) * t.force, axis=1) * t.tangential)[:, None]  # fmt: skip
    np.testing.assert_allclose(np.sum(separating * t.point, axis=1), 0.0, atol=1e-9)
    np.testing.assert_allclose(geo.vectors.length(t.point @ axes[0][:, None] * axes[0] - t.point), radius, rtol=1e-10)
    np.testing.assert_allclose(geo.vectors.length(t.point @ axes[1][:, None] * axes[1] - t.point), mate, rtol=1e-10)
    assert t.felt == ("tangential",) and "radial and axial force" in t.warnings[0]


def one_planet() -> lw.Machine:
    """The planetary set of the gallery with two of its planets left out."""
    left_out = ("planet2", "planet3", "pin2", "pin3", "sun2", "sun3", "ring2", "ring3")
    lines = [x for x in example_text("planetary-set").splitlines() if not x.strip().startswith(left_out)]
    text = "\n".join(lines)
    return lw.loads(text[: text.index("expect:")]).assemble()


def test_planetary_set_with_one_planet():
    s = one_planet()
    run = s.motion({"sun_shaft": lw.ramp(0, 3.5, duration=1), "ring_shaft": 0.0}, samples=4)
    torque = 30.0
    f = s.forces(run, drives=["carrier_shaft", "ring_shaft"], efforts={"sun_shaft": torque})
    sun, ring = lw.tooth_forces(f, "sun1"), lw.tooth_forces(f, "ring1")
    np.testing.assert_allclose(np.abs(sun.tangential), torque / 0.024, rtol=1e-10)
    np.testing.assert_allclose(np.abs(ring.tangential), torque / 0.024, rtol=1e-10)  # the planet is a free lever
    np.testing.assert_allclose(f["ring_shaft"].effort.values, torque * 60 / 24, rtol=1e-10)
    np.testing.assert_allclose(f["carrier_shaft"].effort.values, -torque * (1 + 60 / 24), rtol=1e-10)
    np.testing.assert_allclose(f["carrier_shaft"].power.values, -torque * 3.5, rtol=1e-10)
    # With flanks, tooth forces and pin hold the planet on its circle.
    both = lw.forces_by_flank(s, run, ["carrier_shaft", "ring_shaft"], efforts={"sun_shaft": torque})
    sun, ring = lw.tooth_forces(both, "sun1"), lw.tooth_forces(both, "ring1")
    assert (sun.radial > 0.0).all() and (ring.radial > 0.0).all()
    pin = next(a.force for a in acting_on(s, both, "planet1") if a.name == "pin1")
    mass, turned = s.parameters["planet1.mass"], run["carrier_shaft.angle"].values
    centre = 0.042 * np.stack([np.cos(turned), np.sin(turned)], axis=1)
    whole = pin + sun.force + ring.force
    np.testing.assert_allclose(run["carrier_shaft"].rate.values, 1.0, rtol=1e-12)
    np.testing.assert_allclose(whole[:, :2], -mass * centre, atol=1e-10)


def test_planets_that_share_a_load_are_not_told():
    s = lw.example("planetary-set").assemble()
    run = s.motion({"sun_shaft": lw.ramp(0, 1, duration=1), "ring_shaft": 0.0}, samples=3)
    f = s.forces(run)
    with pytest.raises(lw.ModelError, match="statically indeterminate: redundant gears share it"):
        lw.tooth_forces(f, "sun1")
    with pytest.raises(lw.ModelError, match="statically indeterminate"):
        lw.forces_by_flank(s, run)


def test_numbers_of_another_machine():
    s = pair().with_parameters({"G.pressure_angle": 25 * deg})
    _, f = loaded(s, [10.0, 10.0])
    np.testing.assert_allclose(lw.tooth_forces(f, "G").radial, 10 / 0.05 * np.tan(25 * deg), rtol=1e-12)


def test_a_drive_along_the_gear_itself_is_told():
    s = pair()
    run = s.motion(A=lw.ramp(0, 1, duration=1), samples=3)
    t = lw.tooth_forces(s.forces(run, drives=["A"], efforts={"B": 5.0, "G.angle": 3.0}), "G")
    assert any("along its own variables" in w for w in t.warnings)


def test_plot_shows_all_forces():
    from matplotlib.figure import Figure

    _, f = loaded(pair(), [5.0, 10.0])
    panels = lw.tooth_forces(f, "G").plot(ax=Figure().subplots())
    assert {line.get_label() for line in panels[0].get_lines()} >= {"tangential force", "radial force", "axial force"}


def test_what_cannot_be_told():
    s = pair()
    run, f = loaded(s, [1.0, 1.0])
    with pytest.raises(lw.ModelError, match="'A' is a revolute joint"):
        lw.tooth_forces(f, "A")
    with pytest.raises(lw.ModelError, match=r"there is no joint 'g'.*G"):
        lw.tooth_forces(f, "g")
    with pytest.raises(lw.ModelError, match="no forces of 'G'"):
        lw.tooth_forces(run, "G")
    with pytest.raises(lw.ModelError) as both:
        lw.tooth_forces(f, "G", radius=1.0, pressure_angle=0.3)
    assert len(both.value.problems) == 2
    with pytest.raises(lw.ModelError, match="does not know its machine"):
        lw.tooth_forces(lw.Run(f.data), "G")
    with pytest.raises(lw.ModelError, match="'A' has no flanks"):
        lw.forces_by_flank(s, run, joints=["A"])
    bevels = lw.example("bevel-differential").assemble()
    run = bevels.motion(drive_shaft=lw.ramp(0, 1, duration=1), samples=2)
    f = bevels.forces(run)
    with pytest.raises(lw.ModelError, match="cones and no size"):
        lw.tooth_forces(f, "final_drive")
    with pytest.raises(lw.ModelError, match="pressure angle is 80 deg"):
        lw.tooth_forces(f, "final_drive", radius=0.05, pressure_angle=80 * deg)
    with pytest.raises(lw.ModelError, match="no gears with a pressure angle"):
        lw.forces_by_flank(bevels, run)


def test_a_centre_distance_that_changes_is_refused():
    m = lw.Mechanism("swing")
    m.body("first", com=(0, 0, 0), **STEEL)
    m.body("second", com=(0.08, 0, 0), **STEEL)
    m.body("slide", com=(0.08, 0, 0), **STEEL)
    m.revolute("A", m.ground, "first", at=(0, 0, 0), axis="z")
    m.prismatic("S", m.ground, "slide", at=(0.08, 0, 0), axis="x")
    m.revolute("B", "slide", "second", at=(0.08, 0, 0), axis="z")
    m.gear("G", "first", "second", at=(0, 0, 0), to=(0.08, 0, 0), radii=(0.03, 0.05), flank=1)
    s = m.assemble()
    run = s.motion(A=lw.ramp(0, 1, duration=1), S=lw.ramp(0, 1e-3, duration=1), samples=5)
    with pytest.raises(lw.ModelError, match="centre distance changes"):
        lw.forces_by_flank(s, run)
    # The radial force works against the slide: its drive holds what the teeth push with.
    f = s.forces(run, efforts={"B": 10.0})
    t = lw.tooth_forces(f, "G")
    np.testing.assert_allclose(f["S"].effort.values + t.force[:, 0], 0.0, atol=1e-9)
