"""Tasks in time: positions on the path, rates and accelerations against laws and against differentiated positions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from test_goals import planar

import linkwork as lw
from linkwork import goals
from linkwork.analyses.robots.goal_kinds import to_cartesian
from linkwork.analyses.robots.task_motion import moved_attitude, moved_place
from linkwork.geometry.rotations import rot_x, rot_y, rot_z, to_rotvec
from linkwork.units import deg

Array = np.ndarray
T = 0.8


def arm() -> lw.Machine:
    """The PUMA with its elbow bent and its wrist away from singular postures."""
    start = {"waist": 0.2, "shoulder": -0.6, "elbow": 0.4, "wrist_roll": 0.3, "wrist_bend": 0.7, "flange": -0.2}
    return lw.example("puma-560-craig").assemble(start=start)


def shifted(a: float, by: float) -> lw.Drive:
    """A smooth law that begins at a."""
    return lw.polynomial345(a, a + by, duration=T) if by else lw.constant(a)


def slopes(x: Array, h: float) -> tuple[Array, Array]:
    """First and second derivatives inside an array of samples, of order 8."""
    first = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
    second = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])
    own = np.stack([x[k : len(x) - 8 + k] for k in range(9)])
    return np.tensordot(first, own, 1) / h, np.tensordot(second, own, 1) / h**2


def assert_consistent(run: lw.Run, names: Any, tolerance: float = 1e-7) -> None:
    """Rates and accelerations are derivatives of the joints' positions."""
    h = float(run.time[1] - run.time[0])
    for name in names:
        rate, acceleration = slopes(np.unwrap(run[name].values), h)
        own, second = run[f"{name}.rate"].values[4:-4], run[f"{name}.acceleration"].values[4:-4]
        assert np.abs(rate - own).max() < tolerance * (1.0 + np.abs(own).max()), name
        assert np.abs(acceleration - second).max() < 30 * tolerance * (1.0 + np.abs(second).max()), name


def variables(s: lw.Machine) -> list[str]:
    return [n for n in s.variables if n.rpartition(".")[2] in ("angle", "slide")]


# ---------------------------------------------------------------- kinematics of laws


def test_coordinates_and_turns_have_exact_derivatives() -> None:
    t, h = np.linspace(0, T, 201), T / 200
    laws = [shifted(0.5, 0.3), shifted(0.2, 0.9), shifted(0.4, -0.7)]
    c = np.stack([x.sample(t) for x in laws], axis=-1)
    for kind in ("cartesian", "cylindrical", "spherical"):
        p, v, a = moved_place(kind, c[0], c[1], c[2])
        np.testing.assert_allclose(p, to_cartesian(kind, c[0]), atol=1e-15)
        dp, ddp = slopes(p, h)
        assert np.abs(dp - v[4:-4]).max() < 1e-11 and np.abs(ddp - a[4:-4]).max() < 1e-8
    axes = (np.eye(3)[0], np.eye(3)[1], np.eye(3)[0])
    R, w, dw = moved_attitude(axes, np.moveaxis(c, -1, 0))
    np.testing.assert_allclose(R, rot_x(c[0, :, 0]) @ rot_y(c[0, :, 1]) @ rot_x(c[0, :, 2]), atol=1e-14)
    e = 1e-5
    for k in (0, 77, 200):
        near = [moved_attitude(axes, np.stack([x.sample(np.array([t[k] + d])) for x in laws]))[0][0] for d in (-e, e)]
        np.testing.assert_allclose(to_rotvec(near[1] @ near[0].T) / (2 * e), w[k], atol=1e-8)
    # Vukobratović's Π and ¹Π, with cos ψ sin φ where the source has a misprint: ε = A (Π θ̈ + ¹Π θ̇θ̇)
    (a, b, d), (da, db, dd), (dda, ddb, ddd) = (c[k, 50] for k in range(3))
    cb, sb, cd, sd = math.cos(b), math.sin(b), math.cos(d), math.sin(d)
    P = np.array([[cb, 0, 1], [sb * sd, cd, 0], [sb * cd, -sd, 0]])
    Q = np.array([[0, 0, -sb], [-sd, sb * cd, cb * sd], [-cd, -sb * sd, cb * cd]])
    np.testing.assert_allclose(R[50] @ P @ [da, db, dd], w[50], atol=1e-12)
    np.testing.assert_allclose(R[50] @ (P @ [dda, ddb, ddd] + Q @ [db * dd, dd * da, da * db]), dw[50], atol=1e-12)


# ---------------------------------------------------------------- the classes of the seed


def test_class_a_places_with_given_joints() -> None:
    """A1, A2, A3: x, y, z; ρ, θ, z; r, θ, φ; and laws of the joints that are left."""
    s = arm()
    p = s.home.position("wrist")
    rho, theta = math.hypot(p[0], p[1]), math.atan2(p[1], p[0])
    r, phi = float(np.linalg.norm(p)), math.atan2(p[2], rho)
    cases = {
        "cartesian": (goals.place, (shifted(p[0], -0.1), shifted(p[1], 0.15), shifted(p[2], 0.1))),
        "cylindrical": (goals.cylindrical, (shifted(rho, -0.1), shifted(theta, 0.5), shifted(p[2], 0.1))),
        "spherical": (goals.spherical, (shifted(r, -0.1), shifted(theta, 0.5), shifted(phi, 0.1))),
    }
    q4 = goals.joints(wrist_roll=shifted(0.3, 0.8), wrist_bend=(0.7, 0.9), flange="-0.2 rad")
    for kind, (make, laws) in cases.items():
        run = s.follow("wrist", make(laws), q4, samples=161, duration=T)
        c = np.stack([x.sample(run.time) for x in laws], axis=-1)
        wanted = moved_place(kind, c[0], c[1], c[2])
        for name, x in zip(("position", "velocity", "acceleration"), wanted, strict=True):
            assert np.abs(run[f"wrist.{name}"].values - x).max() < 1e-9, (kind, name)
        assert np.abs(run["wrist_roll.angle"].values - q4.values["wrist_roll"].sample(run.time)[0]).max() < 1e-14
        assert run.status == "complete"
        assert_consistent(run, variables(s))


@pytest.mark.parametrize("tilt", [0.0, -0.8])
def test_class_b1_and_c3_directions(tilt: float) -> None:
    """Place and direction; the sixth joint held, or given by a law. Horizontal directions are not special."""
    s = arm()
    p = s.home.position("link6")
    s = s.starting_from(s.reach("link6", p, goals.pointing("z", (0.3, tilt))))
    place = goals.place((shifted(p[0], -0.05), shifted(p[1], 0.1), shifted(p[2], 0.05)))
    azimuth, elevation = shifted(0.3, 0.4), shifted(tilt, 0.0 if tilt == 0.0 else 0.3)
    flange = float(s.home["flange"])
    for more in ({"hold": "flange"}, {}):
        extra = [] if more else [goals.joints(flange=shifted(flange, 0.7))]
        run = s.follow("link6", place, goals.pointing("z", (azimuth, elevation)), *extra, samples=161, **more)
        c = np.stack([x.sample(run.time) for x in (azimuth, elevation)], axis=-1)
        h = to_cartesian("spherical", np.stack([np.ones(161), c[0, :, 0], c[0, :, 1]], axis=-1))
        assert np.abs(run["link6.rotation"].values[:, :, 2] - h).max() < 1e-9
        one, nil = np.ones(161), np.zeros(161)
        _, dh, ddh = moved_place("spherical", *(np.stack([x, *c[k].T], axis=-1) for k, x in enumerate((one, nil, nil))))
        w, dw = run["link6.angular_velocity"].values, run["link6.angular_acceleration"].values
        assert np.abs(np.cross(w, h) - dh).max() < 1e-9
        assert np.abs(np.cross(dw, h) + np.cross(w, np.cross(w, h)) - ddh).max() < 1e-8
        assert_consistent(run, variables(s))


@pytest.mark.parametrize("told", ["xyx", "rpy", "spin"])
def test_class_c1_and_c2_full_attitudes(told: str) -> None:
    s = arm()
    X = s.home.pose("link6")
    place = goals.place(tuple(shifted(x, 0.05) for x in X[:3, 3]))
    laws = {"xyx": (0.4, 0.9, -0.3), "rpy": (0.2, -0.5, 0.4), "spin": (0.4, -0.6, 0.3)}[told]
    made = tuple(shifted(x, 0.3) for x in laws)
    orientation = goals.pointing("x", made[:2], made[2]) if told == "spin" else goals.attitude(**{told: made})
    run = s.follow("link6", place, orientation=orientation, samples=161, limits=False)
    a, b, c = np.stack([x.sample(run.time)[0] for x in made])
    wanted = {
        "xyx": lambda: rot_x(a) @ rot_y(b) @ rot_x(c),
        "rpy": lambda: rot_z(c) @ rot_y(b) @ rot_x(a),
        "spin": lambda: rot_z(a) @ rot_y(-b) @ rot_x(c),
    }[told]()
    assert np.abs(run["link6.rotation"].values - wanted).max() < 1e-9
    assert_consistent(run, variables(s))


def test_euler_angles_at_their_singular_posture_are_told() -> None:
    s = arm()
    p = s.home.position("link6")
    run = s.follow("link6", tuple(p), orientation=goals.attitude(xyx=((0.1, 0.2), 0.0, 0.3)), samples=11, limits=False)
    assert any("x-y-x angles are singular" in text and "quaternions" in text for text in run.warnings)


def test_two_stages_are_one_solver() -> None:
    """Positioning by three joints, then orientation by the wrist: what one set of rows gives for a spherical wrist."""
    s = arm()
    p = s.home.position("wrist")
    place = goals.place((shifted(p[0], -0.05), shifted(p[1], 0.1), shifted(p[2], 0.05)))
    wrist = ("wrist_roll", "wrist_bend", "flange")
    first = s.follow("wrist", place, hold=wrist, samples=81)
    R = goals.attitude(rpy=tuple(shifted(x, 0.3) for x in (0.2, -0.5, 0.4)))
    begun = s.reach("link6", p, goals.attitude(rpy=(0.2, -0.5, 0.4)))
    run = s.follow("wrist", place, orientation=R, samples=81, start=begun)
    again = s.follow("wrist", place, hold=wrist, samples=81, start=begun)
    for name in ("waist", "shoulder", "elbow"):
        for what in ("angle", "rate", "acceleration"):
            assert np.abs(run[f"{name}.{what}"].values - again[f"{name}.{what}"].values).max() < 1e-8
    assert first.status == "complete"


# ---------------------------------------------------------------- closed loops, surplus freedoms, integration


@pytest.mark.parametrize(
    ("name", "target", "rows"),
    [("excavator-arm", "teeth", 3), ("stewart-platform", "platform", 6), ("planar-3rpr", "plate", 6)],
)
def test_closed_machines(name: str, target: str, rows: int) -> None:
    s = lw.example(name).assemble()
    X = s.home.pose(target)
    size = s.layout.size
    flat = name == "planar-3rpr"
    normal = X[:3, :3] @ next(
        np.eye(3)[k]
        for k in range(3)
        if not flat or abs(s.home.velocity(target, {s.home.independent[0]: 1.0})[3 + k]) > 0
    )
    moves = [shifted(x, 0.02 * size if not flat or k < 2 else 0.0) for k, x in enumerate(X[:3, 3])]
    if flat:
        lateral = int(np.argmax(np.abs(normal)))
        moves = [shifted(x, 0.0 if k == lateral else 0.01 * size) for k, x in enumerate(X[:3, 3])]
    orientation = X[:3, :3] if rows == 6 else None
    hold = [n for n in s.home.independent if n in s.variables][-1:] if name == "excavator-arm" else ()
    run = s.follow(target, tuple(moves), orientation=orientation, hold=hold, samples=81, duration=T, limits=False)
    assert run.status == "complete", run.message
    c = np.stack([x.sample(run.time) for x in moves], axis=-1)
    assert np.abs(run[f"{target}.position"].values - c[0]).max() < 1e-9 * size
    assert np.abs(run[f"{target}.acceleration"].values - c[2]).max() < 1e-8 * size
    assert run.evidence.closure.residual.max() < 1e-10 if hasattr(run.evidence, "closure") else True
    forces = s.forces(run)
    assert forces.status == "complete"


@pytest.mark.parametrize("machine", ["planar", "excavator-arm", "puma"])
def test_surplus_freedoms_move_at_the_least_rates(machine: str) -> None:
    if machine == "planar":
        s, target, places = planar(), "P", (shifted(0.5, -0.2), shifted(0.35, 0.3), 0.0)
        s = s.starting_from(s.reach("P", (0.5, 0.35, 0.0)))
    elif machine == "puma":
        s, target = arm(), "link6"
        p = s.home.position("link6")
        places = tuple(shifted(x, 0.05) for x in p)
    else:
        s, target = lw.example("excavator-arm").assemble(), "teeth"
        places = tuple(shifted(x, 0.05) for x in s.home.position("teeth"))
    extra = [goals.pointing("z", s.home.pose("link6")[:3, 2])] if machine == "puma" else []
    run = s.follow(target, goals.place(places), *extra, samples=161, duration=T, limits=False)
    assert run.status == "complete" and any("freedoms are left" in text for text in run.warnings)
    assert_consistent(run, [n for n in variables(s) if n in s.coordinates], 1e-6)
    # w = A⁺ b: no rates in the null space of the task
    if machine == "planar":
        for k in (0, 80, 160):
            q = np.array([run[f"{n}.angle"].values[k] for n in "ABC"])
            J = s.jacobian("P", q)[:2]
            null = np.linalg.svd(J)[2][2]
            assert abs(null @ [run[f"{n}.rate"].values[k] for n in "ABC"]) < 1e-9


def test_the_seeds_integration_drifts_and_newton_does_not() -> None:
    s = arm()
    p = s.home.position("wrist")
    place = goals.place((shifted(p[0], -0.05), shifted(p[1], 0.1), shifted(p[2], 0.05)))
    R = s.home.pose("wrist")[:3, :3]
    gaps = []
    for samples in (41, 81):
        run = s.follow("wrist", place, orientation=R, samples=samples, correction="none")
        exact = s.follow("wrist", place, orientation=R, samples=samples)
        assert np.abs(run["waist.acceleration"].values[0] - exact["waist.acceleration"].values[0]) < 1e-10
        gaps.append(float(np.abs(run["wrist.position"].values[-1] - exact["wrist.position"].values[-1]).max()))
        assert any("drifted by" in text for text in run.warnings)
    assert 1e-6 < gaps[1] < gaps[0] and gaps[0] / gaps[1] == pytest.approx(2.0, rel=0.15)  # of first order, as it is


def test_ums_1_end_points() -> None:
    """The seed's two points of the tip, to 3.2 mm: the geometry is recovered from them."""
    m = lw.Mechanism("ums-1")
    l1, l2, l3 = 0.136, 0.33, 0.35
    for joint, before, body, x, axis in (
        ("q1", "ground", "s1", 0.0, "z"),
        ("q2", "s1", "s2", l1, "-y"),
        ("q3", "s2", "s3", l1 + l2, "z"),
    ):
        m.body(body)
        m.revolute(joint, before, body, at=(x, 0, 0), axis=axis)
    m.point("tip", "s3", at=(l1 + l2 + l3, 0, 0))
    s = m.assemble(start={"q1": 0.0, "q2": 1.1, "q3": 0.5})
    A, B = np.array([0.425, 0.167, 0.571]), np.array([0.368, 0.365, 0.355])
    assert np.abs(s.home.position("tip") - A).max() < 3.2e-3
    assert np.abs(s.at(q1=0.08, q2=0.94, q3=1.25).position("tip") - B).max() < 3.3e-3
    run = s.follow(
        "tip",
        tuple(
            lw.trapezoidal(a, b, duration=0.9, acceleration=0.45) if False else (a, b)
            for a, b in zip(A, B, strict=True)
        ),
        samples=91,
    )
    assert run.status == "complete"
    q = np.array([run[f"q{k}.angle"].values[-1] for k in (1, 2, 3)])
    assert np.abs(q - [0.08, 0.94, 1.25]).max() < 0.02


# ---------------------------------------------------------------- ways to say a path, and what goes wrong


def test_ways_to_say_a_path() -> None:
    s = arm()
    p, R = s.home.position("wrist"), s.home.pose("wrist")[:3, :3]

    def circle(t: Array) -> Array:
        return p + 0.05 * np.stack([np.sin(6 * t), 1 - np.cos(6 * t), 0 * t], axis=-1)

    def exact(t: Array) -> tuple[Array, Array, Array]:
        s6, c6, nil = np.sin(6 * t), np.cos(6 * t), 0 * t
        return circle(t), 0.3 * np.stack([c6, s6, nil], axis=-1), 1.8 * np.stack([-s6, c6, nil], axis=-1)

    one = s.follow("wrist", exact, orientation=R, duration=1.0, samples=101)
    two = s.follow("wrist", circle, orientation=R, duration="1 s", samples=101)
    assert np.abs(one["elbow.acceleration"].values - two["elbow.acceleration"].values).max() < 1e-5
    assert any("spline of degree 7" in text for text in two.warnings) and not one.warnings
    via = p + np.array([[0, 0, 0], [0.05, 0.02, 0], [0.05, 0.06, 0.03]])
    turns = np.stack([R, rot_z(0.2) @ R, rot_z(0.3) @ rot_x(0.2) @ R])
    run = s.follow("wrist", via, orientation=turns, duration=1.0, samples=101)
    for k, sample in enumerate((0, 50, 100)):
        assert np.abs(run["wrist.position"].values[sample] - via[k]).max() < 1e-9
        X = s.pose("wrist", np.array([run[n].values[sample] for n in s.coordinates]))
        assert np.abs(X[:3, :3] - turns[k]).max() < 1e-9
    assert_consistent(run, ["waist.angle"], 1e-3)  # the spline's third derivative jumps at its points


def test_few_samples_are_walked_finely() -> None:
    s = arm()
    p, R = s.home.position("wrist"), s.home.pose("wrist")[:3, :3]
    place = goals.place((shifted(p[0], -0.2), shifted(p[1], 0.3), p[2]))
    few, many = (s.follow("wrist", place, orientation=R, samples=n) for n in (3, 201))
    for name in ("elbow.angle", "elbow.acceleration"):
        assert np.abs(few[name].values - many[name].values[[0, 100, 200]]).max() < 1e-8


def test_what_cannot_be_followed_stops_and_says_why() -> None:
    s = arm()
    p, R = s.home.position("wrist"), s.home.pose("wrist")[:3, :3]
    run = s.follow("wrist", ((p[0], p[0] + 2.0), p[1], p[2]), orientation=R, samples=101)
    assert run.status == "stopped" and "cannot" in run.message and 5 < len(run.time) < 100
    limited = planar({"A": (-3.0, 3.0), "B": (0.0, 0.8), "C": (0.0, 0.6)})
    q = limited.home.position("P")
    run = limited.follow("P", ((q[0], q[0] - 0.5), q[1], 0.0), hold="C", samples=51)
    assert run.status == "stopped" and "limit" in run.message and "B.angle" in run.message


def test_wrong_tasks_are_told() -> None:
    s = arm()
    for asked, text in (
        (lambda: s.follow("wrist"), "no path"),
        (lambda: s.follow("wrist", np.zeros((4, 3))), "duration"),
        (lambda: s.follow("wrst", ((0, 1), 0, 0)), "did you mean"),
        (lambda: s.follow("wrist", ((0.4, 0.5), 0.1, 0.2), goals.joints(wast=(0, 1))), "did you mean"),
        (lambda: s.follow("wrist", ((0.4, 0.5), 0.1, 0.2), correction="some"), "no correction"),
        (lambda: s.follow("wrist", lambda t: np.zeros((3, 2)), duration=1.0), "gives an array"),
        (lambda: s.reach("wrist", goals.place(((0, 1), 0, 0))), "follow"),
    ):
        with pytest.raises(lw.LinkworkError, match=text):
            asked()


def test_points_along_degrees() -> None:
    """Texts with units are laws, too."""
    s = arm()
    run = s.follow(
        "wrist", goals.place(tuple(s.home.position("wrist"))), goals.joints(flange="0:20deg in 0.5s"), samples=11
    )
    assert run.time[-1] == 0.5 and run["flange.angle"].values[-1] == pytest.approx(20 * deg)
