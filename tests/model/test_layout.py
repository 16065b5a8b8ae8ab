"""The layout posture: frames, joint values, points, masses, sizes, and what is wrong with them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from forward import forward
from laws import CASES, NAMES, Case, close, quaternion

import linkwork as lw
from linkwork import geometry as geo
from linkwork.model.joints import misfit
from linkwork.model.layout import lay_out
from linkwork.model.placement import Placement, placement


def random_placement(seed: int, within: str | None = None) -> Placement:
    rng = np.random.default_rng(seed)
    return placement(rng.uniform(-1, 1, 3), quaternion=quaternion(rng), within=within)


def errors(m: lw.Mechanism) -> list[str]:
    return [f"{p.where}: {p.what}" for p in lay_out(m).problems if p.severity == "error"]


# --- frames -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_joint_frames_on_bodies_and_in_the_world_agree(case: Case) -> None:
    q = case.draw(np.random.default_rng(3))
    m = lw.Mechanism()
    m.body("a", frame=random_placement(1))
    m.body("b", frame=random_placement(2, within="a"))
    m.joint("J", case.law, "a", "b", frame=random_placement(4, within="b"), value=q)
    layout = lay_out(m)
    seat = layout.seats["J"]
    close(layout.X_WB["a"] @ seat.X_TF, seat.X_WF, 1e-14)
    close(layout.X_WB["b"] @ seat.X_HM, seat.X_WM, 1e-14)
    close(seat.X_WF, layout.X_WB["b"] @ random_placement(4).pose(), 1e-14)
    close(seat.q, q, 1e-15)
    X_FM = geo.inverse(seat.X_WF) @ seat.X_WM
    assert max(misfit(case.law, X_FM, seat.q)) <= 1e-13
    assert [p for p in layout.problems if "do not fit" in p.what] == []


def test_a_body_frame_within_another_in_any_order() -> None:
    m = lw.Mechanism()
    m.body("c", frame=random_placement(3, within="b"))
    m.body("b", frame=random_placement(2, within="a"))
    m.body("a", frame=random_placement(1))
    X = lay_out(m).X_WB
    close(X["c"], random_placement(1).pose() @ random_placement(2).pose() @ random_placement(3).pose(), 1e-14)
    close(X["ground"], np.eye(4), 0.0)


@pytest.mark.parametrize("backwards", [False, True])
def test_a_chain_of_two_thousand_frames(backwards: bool) -> None:
    m = lw.Mechanism()
    step = placement((0.001, 0, 0), rpy=(0, 0, 2 * math.pi / 2000))
    names = [f"b{i}" for i in range(2000)]
    for i in reversed(range(2000)) if backwards else range(2000):
        frame = Placement(step.at, step.orientation, names[i - 1] if i else "ground")
        m.body(names[i], frame=frame)
        m.revolute(f"J{i}", names[i - 1] if i else "ground", names[i], frame=placement(within=names[i]))
    layout = lay_out(m)
    assert [p for p in layout.problems if p.severity == "error"] == []
    # Two thousand turns of 0.18 deg close a polygon.
    close(layout.X_WB["b1999"], np.eye(4), 1e-11)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_frames_in_a_circle_are_named(count: int) -> None:
    m = lw.Mechanism()
    names = ["a", "b", "c"][:count]
    for i, name in enumerate(names):
        m.body(name, frame=placement(within=names[(i + 1) % count]))
        m.revolute(f"J{name}", "ground", name)
    m.body("d", frame=placement(within="a"))
    m.revolute("Jd", "ground", "d")
    (error,) = errors(m)
    assert error == f"bodies.a.frame: body frames are given in a circle: {' -> '.join([*names, 'a'])}"


def test_unknown_references() -> None:
    m = lw.Mechanism()
    m.body("arm", frame=placement(within="amr"))
    m.revolute("J", "ground", "arm", frame=placement(within="fore"))
    m.point("P", "amr", (0, 0, 0))
    m.point("Q", "arm", (0, 0, 0), within="amr")
    m.frame("F", "arm", within="amr")
    m.frame("G", "amr")
    found = {p.where: p for p in lay_out(m).problems if p.severity == "error"}
    assert sorted(found) == ["bodies.arm.frame", "frames.F", "frames.G", "joints.J", "points.P", "points.Q"]
    assert all("there is no body" in p.what for p in found.values())
    assert found["points.P"].hint == "did you mean 'arm'?"


def test_points_and_frames_in_the_world() -> None:
    m = lw.Mechanism()
    m.body("a", frame=random_placement(1))
    m.revolute("J", "ground", "a")
    m.point("P", "a", (1, 2, 3))
    m.point("Q", "a", (1, 2, 3), within="a")
    m.frame("F", "a", random_placement(2, within="a"))
    layout = lay_out(m)
    X = random_placement(1).pose()
    close(layout.points["P"], [1, 2, 3], 0.0)
    close(layout.points["Q"], X[:3, :3] @ [1, 2, 3] + X[:3, 3], 1e-15)
    close(layout.frames["F"], X @ random_placement(2).pose(), 1e-15)


def test_a_second_place_follows_the_first_frame() -> None:
    m = lw.Mechanism()
    m.body("a")
    m.prismatic("P", "ground", "a", at=(1, 0, 0), axis="x", to=(1.5, 0, 0))
    seat = lay_out(m).seats["P"]
    close(seat.X_WM[:3, :3], seat.X_WF[:3, :3], 0.0)
    close(seat.q, [0.5], 1e-15)


def test_a_second_frame_tells_the_value() -> None:
    m = lw.Mechanism()
    m.body("a")
    m.revolute("R", "ground", "a", at=(0, 0, 1), axis="z", x="x", to=placement((0, 0, 1), axis="z", x=(1, 1, 0)))
    close(lay_out(m).seats["R"].q, [math.pi / 4], 1e-15)


# --- masses -----------------------------------------------------------------------------------------------------------


def test_the_default_centre_of_mass_is_the_mean_of_the_joints() -> None:
    m = lw.Mechanism()
    m.body("bar", mass=2.0, frame=placement((1, 0, 0), rpy=(0, 0, math.pi / 2)))
    m.body("end")
    m.revolute("A", "ground", "bar", at=(1, 0, 0))
    m.revolute("B", "bar", "end", at=(1, 3, 0))
    layout = lay_out(m)
    close(layout.masses["bar"].com, [1.5, 0, 0], 1e-15)
    (note,) = [p for p in layout.problems if p.severity == "note"]
    assert note.where == "bodies.bar"
    assert "mean of its joints (1.5, " in note.what


def test_no_note_without_need() -> None:
    m = lw.Mechanism()
    m.body("bar", mass=2.0, com=(0, 0, 0))
    m.body("ball", solid=lw.Sphere(radius=0.1), density=1000.0)
    m.revolute("A", "ground", "bar")
    m.revolute("B", "bar", "ball")
    layout = lay_out(m)
    assert layout.problems == []
    assert layout.masses["ball"].mass == pytest.approx(4000 / 3 * math.pi * 1e-3, rel=1e-14)


def test_a_solid_without_density_is_a_problem_of_its_body() -> None:
    m = lw.Mechanism()
    m.body("ball", solid=lw.Sphere(radius=0.1))
    m.revolute("A", "ground", "ball")
    assert errors(m) == ["bodies.ball: the sphere has no density"]


# --- size and fit -----------------------------------------------------------------------------------------------------


def test_the_size_of_a_model() -> None:
    m = lw.Mechanism()
    m.body("a")
    m.revolute("A", "ground", "a", at=(0, 0, 0))
    assert lay_out(m).size == 1.0
    m.point("P", "a", (3, 4, 0))
    assert lay_out(m).size == 5.0
    m.body("b")
    m.gear("G", "a", "b", at=(0, 0, 0), to=(30, 0, 0), radii=(10, 20))
    assert lay_out(m).size == pytest.approx(math.hypot(30, 4), rel=1e-15)


def test_joints_that_meet_up_to_rounding_have_no_size() -> None:
    # Three axes through one point, given in body frames whose numbers are rounded.
    rng = np.random.default_rng(0)
    m = lw.Mechanism()
    parent = "ground"
    meeting = np.array([0.1, 0.2, 0.3])
    for i in range(3):
        frame = placement(rng.uniform(-1, 1, 3), quaternion=quaternion(rng))
        m.body(f"b{i}", frame=frame)
        local = geo.inverse(frame.pose()) @ [*meeting, 1.0]
        own = placement(local[:3], axis=rng.normal(size=3), within=f"b{i}")
        m.revolute(f"J{i}", parent, f"b{i}", frame=own)
        parent = f"b{i}"
    layout = lay_out(m)
    assert layout.size == 1.0
    assert layout.problems == []


@pytest.mark.parametrize(("off", "severity"), [(1e-8, None), (1e-5, "warning"), (1e-2, "error")])
def test_how_well_frames_must_fit(off: float, severity: str | None) -> None:
    m = lw.Mechanism()
    m.body("a")
    m.point("P", "a", (1, 0, 0))
    m.revolute("R", "ground", "a", at=(0, 0, 0), axis="z", to=(0, 0, off))
    found = [(p.severity, p.where) for p in lay_out(m).problems]
    assert found == ([] if severity is None else [(severity, "joints.R")])


def test_limits_are_a_warning() -> None:
    m = lw.Mechanism()
    m.body("a")
    m.flat("F", "ground", "a", value={"x": 0.5}, limits={"x": (0, 0.4), "y": (-1, 1)})
    (warning,) = lay_out(m).problems
    assert (warning.severity, warning.where) == ("warning", "joints.F")
    assert warning.what == "x is 0.5 m in the layout posture, outside its limits 0 m ... 0.4 m"


# --- tables of links --------------------------------------------------------------------------------------------------

HALF = math.pi / 2


def puma_standard(theta: list[float]) -> lw.Mechanism:
    """PUMA 560 in the standard table."""
    alpha, a, d = (HALF, 0, -HALF, HALF, -HALF, 0), (0, 0.4318, 0.0203, 0, 0, 0), (0, 0, 0.15005, 0.4318, 0, 0)
    m = lw.Mechanism("puma")
    rows = [
        {"joint": f"J{i + 1}", "body": f"L{i + 1}", "theta": theta[i], "d": d[i], "a": a[i], "alpha": alpha[i]}
        for i in range(6)
    ]
    joints = m.dh_chain(rows)
    assert [j.name for j in joints] == [f"J{i + 1}" for i in range(6)]
    return m


def puma_modified(theta: list[float]) -> lw.Mechanism:
    """The same lengths in Armstrong's modified table, which counts the angles of shoulder and elbow downwards."""
    alpha, a, d = (0, -HALF, 0, HALF, -HALF, HALF), (0, 0, 0.4318, 0.0203, 0, 0), (0, -0.2435, 0.09345, 0.4318, 0, 0)
    m = lw.Mechanism("puma")
    rows = [
        {"joint": f"J{i + 1}", "body": f"L{i + 1}", "theta": theta[i], "d": d[i], "a": a[i], "alpha": alpha[i]}
        for i in range(6)
    ]
    m.dh_chain(rows, convention="dh_craig")
    return m


def shifted(theta: list[float]) -> lw.Mechanism:
    """The modified table that follows from the standard one: shape of the link before, angle and offset of this one."""
    alpha, a, d = (0, HALF, 0, -HALF, HALF, -HALF), (0, 0, 0.4318, 0.0203, 0, 0), (0, 0, 0.15005, 0.4318, 0, 0)
    m = lw.Mechanism("puma")
    m.dh_chain(
        [
            {"joint": f"J{i + 1}", "body": f"L{i + 1}", "theta": theta[i], "d": d[i], "a": a[i], "alpha": alpha[i]}
            for i in range(6)
        ],
        convention="dh_craig",
    )
    return m


def wrist_centre(t1: float, t2: float, t3: float) -> np.ndarray:
    """Closed form of the wrist centre of the PUMA 560, angles as in the standard table."""
    reach = 0.4318 * math.cos(t2) + 0.0203 * math.cos(t2 + t3) - 0.4318 * math.sin(t2 + t3)
    height = 0.4318 * math.sin(t2) + 0.0203 * math.sin(t2 + t3) + 0.4318 * math.cos(t2 + t3)
    c, s = math.cos(t1), math.sin(t1)
    return np.array([c * reach + 0.15005 * s, s * reach - 0.15005 * c, height])


@pytest.mark.parametrize("seed", range(8))
def test_the_same_robot_in_two_tables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    start, q = rng.uniform(-3, 3, 6), rng.uniform(-3, 3, 6)
    down = np.array([1, -1, -1, 1, 1, 1])
    standard = forward(puma_standard(list(start)), {f"J{i + 1}": [q[i]] for i in range(6)})
    modified = forward(puma_modified(list(start)), {f"J{i + 1}": [down[i] * q[i]] for i in range(6)})
    derived = forward(shifted(list(start)), {f"J{i + 1}": [q[i]] for i in range(6)})
    expected = wrist_centre(*q[:3])
    for poses in (standard, modified, derived):
        close(poses["L6"][:3, 3], expected, 1e-14)
        close(poses["L5"][:3, 3], expected, 1e-14)
    # With no shape on the last link, the last frames of the two tables are one.
    close(standard["L6"], derived["L6"], 1e-14)


def test_the_layout_of_a_table_is_the_product_of_its_rows() -> None:
    theta = [0.1, -0.2, 0.3, -0.4, 0.5, -0.6]
    m = puma_standard(theta)
    alpha, a, d = (HALF, 0, -HALF, HALF, -HALF, 0), (0, 0.4318, 0.0203, 0, 0, 0), (0, 0, 0.15005, 0.4318, 0, 0)
    X = np.eye(4)
    layout = lay_out(m)
    for i in range(6):
        X = X @ geo.dh_standard(theta[i], d[i], a[i], alpha[i])
        close(layout.X_WB[f"L{i + 1}"], X, 1e-14)
        close(layout.seats[f"J{i + 1}"].q, [theta[i]], 0.0)
    assert layout.problems == []


def test_the_stanford_arm() -> None:
    # Uicker, Ravani, Sheth, Matrix Methods, example 5.6, with h = 0.5 and a = 0.15.
    q = (0.4, 0.9, 0.7, -0.6, 1.1, 2.0)
    alpha = (-HALF, HALF, 0, -HALF, HALF, 0)
    d = (0.5, 0.15, q[2], 0, 0, 0)
    theta = (q[0], q[1], 0, q[3], q[4], q[5])
    kinds = ("revolute", "revolute", "prismatic", "revolute", "revolute", "revolute")
    m = lw.Mechanism()
    m.dh_chain(
        [
            {
                "joint": f"J{i}",
                "body": f"L{i}",
                "kind": kinds[i],
                "theta": theta[i],
                "d": d[i],
                "alpha": alpha[i],
                "limits": (-9, 9),
            }
            for i in range(6)
        ]
    )
    expected = [
        [0.13858833, 0.29830346, 0.94435603, 0.44663155],
        [0.98910688, 0.00607230, -0.14707383, 0.35168846],
        [-0.04960705, 0.95445176, -0.29421246, 0.93512698],
    ]
    close(lay_out(m).X_WB["L5"][:3], expected, 5e-9)
    values = lw.check(m).values()
    assert values["J2.slide"] == 0.7
    assert values["mobility"] == 6.0
    # Eight postures reach this place; one of the others:
    other = (-2.207542, -0.9, 0.7, 2.109428, 1.405728, 2.299258)
    found = forward(m, {f"J{i}": [other[i]] for i in range(6)})
    close(found["L5"][:3], expected, 2e-6)


def test_a_scara() -> None:
    # Matrix Methods, example 5.3: position (x0 + d2 cA + d3 c(A+B), ..., z0 + h1 - (C + h4 + h5)).
    d2, d3 = 0.3048, 0.254
    m = lw.Mechanism()
    m.dh_chain(
        [
            {"joint": "A", "body": "b2", "a": d2, "d": 0.2032},
            {"joint": "B", "body": "b3", "a": d3, "alpha": math.pi},
            {"joint": "C", "body": "b4", "kind": "prismatic"},
            {"joint": "D", "body": "b5", "d": 0.0508},
        ]
    )
    A, B, C = 0.6, -1.1, 0.07
    X = forward(m, {"A": [A], "B": [B], "C": [C], "D": [0.4]})["b5"]
    place = [d2 * math.cos(A) + d3 * math.cos(A + B), d2 * math.sin(A) + d3 * math.sin(A + B), 0.2032 - C - 0.0508]
    close(X[:3, 3], place, 1e-15)
    close(X[:3, 2], [0, 0, -1], 1e-15)
    close(math.atan2(X[1, 0], X[0, 0]), A + B - 0.4, 1e-15)


def test_hayati_rows() -> None:
    rows = [
        {"joint": "J1", "body": "L1", "theta": 0.3, "a": 0.5, "alpha": 0.01, "beta": -0.02},
        {"joint": "J2", "body": "L2", "theta": -0.4, "a": 0.4, "alpha": -0.03, "beta": 0.01},
    ]
    m = lw.Mechanism()
    m.dh_chain(rows, convention="hayati")
    close(lay_out(m).X_WB["L2"], geo.hayati(0.3, 0.5, 0.01, -0.02) @ geo.hayati(-0.4, 0.4, -0.03, 0.01), 1e-15)
    moved = forward(m, {"J1": [1.0], "J2": [2.0]})
    close(moved["L2"], geo.hayati(1.0, 0.5, 0.01, -0.02) @ geo.hayati(2.0, 0.4, -0.03, 0.01), 1e-15)


def test_sheth_uicker_rows_with_a_value() -> None:
    shape = {"gamma": 0.2, "c": 0.1, "alpha": 0.7, "a": 0.5, "beta": -0.4, "b": 0.3}
    m = lw.Mechanism()
    m.dh_chain(
        [
            dict(joint="J1", body="L1", value=0.25, **shape),
            dict(joint="J2", body="L2", kind="prismatic", value=0.05, **shape),
        ],
        convention="sheth_uicker",
    )
    fixed = geo.sheth_uicker(*shape.values())
    layout = lay_out(m)
    turned, slid = geo.pose(geo.rot_z(0.25)), geo.pose(p=[0, 0, 0.05])
    close(layout.X_WB["L1"], fixed @ turned, 1e-15)
    close(layout.X_WB["L2"], fixed @ turned @ fixed @ slid, 1e-15)
    close(layout.seats["J1"].q, [0.25], 0.0)
    close(layout.seats["J2"].q, [0.05], 0.0)
    moved = forward(m, {"J1": [-1.0], "J2": [0.2]})
    close(moved["L2"], fixed @ geo.pose(geo.rot_z(-1.0)) @ fixed @ geo.pose(p=[0, 0, 0.2]), 1e-15)


def test_link_tables_carry_masses_and_limits() -> None:
    m = lw.Mechanism()
    m.body("tower")
    m.rigid("fix", "ground", "tower", at=(0, 0, 0))
    m.dh_chain(
        [{"joint": "J", "body": "L", "a": 1.0, "mass": 2.0, "com": (-0.5, 0, 0), "limits": (-1, 1)}], base="tower"
    )
    assert m.bodies["L"].mass == 2.0
    assert m.bodies["L"].com == (-0.5, 0.0, 0.0)
    assert m.joints["J"].tail == "tower"
    assert m.joints["J"].limits == (("angle", -1.0, 1.0),)


def test_bad_tables_are_told_row_by_row() -> None:
    m = lw.Mechanism()
    with pytest.raises(lw.ModelError) as caught:
        m.dh_chain(
            [
                {"joint": "J1", "body": "L1", "aplha": 1.0},
                {"body": "L2"},
                {"joint": "J3", "body": "L3", "kind": "spheric"},
                {"joint": "J4", "body": "L4", "value": 1.0},
                {"joint": "J5", "body": "L5", "d": "1"},
                {"joint": "J6", "body": "L6", "kind": "prismatic", "value": 1.0},
            ]
        )
    assert [(p.where, p.what) for p in caught.value.problems] == [
        ("rows[0]", "unknown key 'aplha'"),
        ("rows[1]", "joint not given"),
        ("rows[2]", "a spheric joint in a D-H table"),
        ("rows[3]", "`value` besides a table"),
        ("rows[4].d", "'1' is not a number"),
        ("rows[5]", "`value` besides a table"),
    ]
    assert caught.value.problems[0].hint == "did you mean 'alpha'?"
    with pytest.raises(lw.ModelError, match="unknown convention 'dhc'"):
        m.dh_chain([], convention="dhc")
    with pytest.raises(lw.ModelError, match="a Hayati row has no slide"):
        m.dh_chain([{"joint": "J", "body": "L", "kind": "prismatic"}], convention="hayati")
    with pytest.raises(lw.ModelError, match="the name 'J' is taken by a joint"):
        m.dh_chain([{"joint": "J", "body": "K"}, {"joint": "J", "body": "M"}])


def test_a_row_that_is_not_a_row() -> None:
    with pytest.raises(lw.ModelError) as caught:
        lw.Mechanism().dh_chain([7, {"joint": "J", "body": "L"}])  # type: ignore[list-item]
    assert [p.where for p in caught.value.problems] == ["rows[0]"]
