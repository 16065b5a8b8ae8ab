"""The gallery: every file is sound and gives the numbers it promises, and the numbers of the literature."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import linkwork as lw
from linkwork import geometry as geo
from linkwork.files.gallery import example_text
from linkwork.files.generators import chain, n_four_bar, stewart_platform
from linkwork.files.tree import read_tree
from linkwork.model.joints import KINDS, misfit, transform
from linkwork.units import deg, inch, mm

NAMES = list(lw.examples())

# Warnings that are meant: published data that no real body has.
WARNINGS = {
    "puma-560": ["bodies.link1", "bodies.link3"],
    "puma-560-craig": ["bodies.link1"],
}


# ---------------------------------------------------------------- all files


@pytest.mark.parametrize("name", NAMES)
def test_file_is_sound_and_gives_what_it_promises(name):
    m = lw.example(name)
    checked = lw.check(m)
    assert checked.sound, str(checked)
    assert [w.where for w in checked.warnings] == WARNINGS.get(name, []), str(checked)
    assert {"mobility", "grubler", "loops"} <= set(m.expect)
    found = checked.values()
    # `check` allows for hand-typed digits; the gallery has them all.
    for key, wanted in m.expect.items():
        assert found[key] == pytest.approx(wanted, rel=1e-12, abs=1e-13), key


@pytest.mark.parametrize("name", NAMES)
def test_file_name_is_its_own_name_and_it_has_one_sentence(name):
    m = lw.example(name)
    assert m.name == name
    assert re.search(rf"^name: {name}$", example_text(name), re.MULTILINE)
    assert lw.examples()[name] == m.description
    assert m.description.endswith(".") and m.description.count(". ") == 0


@pytest.mark.parametrize("ending", ["yaml", "json"])
@pytest.mark.parametrize("name", NAMES)
def test_saved_and_loaded_it_is_the_same(name, ending, tmp_path):
    m = lw.example(name)
    assert lw.load(lw.save(m, tmp_path / f"{name}.{ending}")) == m


@pytest.fixture(scope="module")
def validator():
    jsonschema = pytest.importorskip("jsonschema")
    return jsonschema.Draft202012Validator(lw.json_schema())


# To be removed with the fault: the schema does not know the short forms of `inertia` and `to` yet.
@pytest.mark.parametrize("name", NAMES)
def test_editors_accept_it(name, validator):
    validator.validate(read_tree(example_text(name).encode(), False).data)


def test_the_gallery_shows_every_joint_kind_and_the_ways_to_place_things():
    machines = [lw.example(name) for name in NAMES]
    kinds = {j.law.kind for m in machines for j in m.joints.values()}
    assert kinds == set(KINDS)
    texts = " ".join(example_text(name) for name in NAMES)
    for word in (
        "solids:",
        "minus: true",
        "points: [[",
        "rpy:",
        "limits:",
        "chains:",
        "expression:",
        "spline:",
        "fourier:",
    ):
        assert word in texts, word


@pytest.mark.parametrize("name", [n for n in NAMES if n != "n-four-bar"])
def test_mobility_does_not_depend_on_which_body_stands_still(name):
    m = lw.example(name)
    wanted = lw.check(m).mobility
    for body in list(m.bodies)[1:4]:
        other = m.with_ground(body)
        other.expect.clear()
        found = lw.check(other).mobility
        assert (found.mobility, found.rank, found.redundant) == (wanted.mobility, wanted.rank, wanted.redundant), body


# ---------------------------------------------------------------- tools


def step(m, layout, name, q):
    """Pose of a joint's head body in its tail body at the variables q."""
    seat = layout.seats[name]
    return seat.X_TF @ transform(m.joints[name].law, np.atleast_1d(q)) @ geo.inverse(seat.X_HM)


def loop_error(m, values):
    """Largest element by which any loop misses the identity (lengths in parts of the model's size)."""
    layout = lw.lay_out(m)
    worst = 0.0
    for loop in lw.graph_of(m).loops:
        X = np.eye(4)
        for name, sign in loop.steps:
            X_TH = step(m, layout, name, values.get(name, layout.seats[name].q))
            X = X @ (X_TH if sign > 0 else geo.inverse(X_TH))
        X[:3, 3] /= layout.size
        worst = max(worst, float(np.abs(X - np.eye(4)).max()))
    return worst


def joint_errors(m, moves):
    """How far each joint is from holding together when bodies are displaced in the world by `moves` (4x4 each)."""
    layout = lw.lay_out(m)
    errors = {}
    for name, joint in m.joints.items():
        X_WF, X_WM = (
            moves.get(body, np.eye(4)) @ layout.X_WB[body] @ X
            for body, X in ((joint.tail, layout.seats[name].X_TF), (joint.head, layout.seats[name].X_HM))
        )
        X_FM = geo.inverse(X_WF) @ X_WM
        angle, distance = misfit(joint.law, X_FM, joint.law.recover(X_FM))
        errors[name] = max(angle, distance / layout.size)
    return errors


def end_pose(m, values, body):
    """Pose of a body of a serial chain in the world."""
    layout = lw.lay_out(m)
    joints = {j.head: j for j in m.joints.values()}
    X = np.eye(4)
    while body != m.ground.name:
        joint = joints[body]
        X = step(m, layout, joint.name, values.get(joint.name, layout.seats[joint.name].q)) @ X
        body = joint.tail
    return X


def turn(angle, axis=(0, 0, 1), about=(0, 0, 0)):
    """Displacement: a turn about a line."""
    R = geo.from_axis_angle(np.array(axis, dtype=float) / np.linalg.norm(axis), angle)
    p = np.array(about, dtype=float)
    return geo.pose(R, p - R @ p)


def carry(start, end, start_to, end_to):
    """Planar displacement that takes one segment to another of the same length."""
    a, b, c, d = (np.array(p, dtype=float) for p in (start, end, start_to, end_to))
    assert np.linalg.norm(b - a) == pytest.approx(np.linalg.norm(d - c), rel=1e-12)
    angle = math.atan2(*(d - c)[::-1]) - math.atan2(*(b - a)[::-1])
    R = geo.rot_z(angle)
    return geo.pose(R, np.array([*c, 0.0]) - R @ np.array([*a, 0.0]))


def place(layout, name):
    """Where a joint stands in the layout [m]."""
    return layout.seats[name].X_WF[:3, 3]


# ---------------------------------------------------------------- planar linkages


def test_four_bar_has_the_textbook_angles():
    m = lw.example("four-bar")
    layout = lw.lay_out(m)
    pins = [place(layout, name)[:2] / mm for name in ("O2", "A", "B", "O4")]
    links = np.diff([*pins, pins[0]], axis=0)
    assert np.hypot(*links.T) == pytest.approx([40, 120, 80, 100], abs=1e-12)
    theta3 = math.degrees(math.atan2(links[1][1], links[1][0]))
    theta4 = math.degrees(math.atan2(-links[2][1], -links[2][0]))
    # Computed to more digits than Norton prints.
    assert theta3 == pytest.approx(20.29788279, abs=6e-9)
    assert theta4 == pytest.approx(57.32488007, abs=6e-9)
    # a e(t2) + b e(t3) = d + c e(t4)
    e = lambda degrees: np.exp(1j * math.radians(degrees))  # noqa: E731
    assert abs(40 * e(40) + 120 * e(theta3) - 100 - 80 * e(theta4)) < 1e-12


def test_four_bar_closes_crossed_as_well():
    m = lw.example("four-bar")
    theta3, theta4 = crossed_branch(40, 120, 80, 100, 40 * deg)
    assert (math.degrees(theta3), math.degrees(theta4)) == pytest.approx((-60.9779668, -98.00496408), abs=6e-8)
    assert loop_error(m, {"O2": 40 * deg, "A": theta3 - 40 * deg, "B": theta4 - theta3, "O4": theta4}) < 1e-14
    assert loop_error(m, {"O2": 40 * deg, "A": theta3 - 40 * deg, "B": theta4 - theta3, "O4": theta4 + 1e-3}) > 1e-4


def crossed_branch(a, b, c, d, theta2):
    """Angles of coupler and rocker by the circles about A and O4, below their centre line."""
    A, O4 = a * np.exp(1j * theta2), complex(d)
    D = abs(O4 - A)
    x = (b * b - c * c + D * D) / (2 * D)
    B = A + (x - 1j * math.sqrt(b * b - x * x)) * (O4 - A) / D
    return np.angle(B - A), np.angle(B - O4)


@pytest.mark.parametrize(
    ("name", "r", "length", "e"), [("slider-crank", 50, 200, 0), ("slider-crank-offset", 60, 180, 20)]
)
@pytest.mark.parametrize("psi", [0.3, 1.7, 4.0])
def test_slider_cranks_follow_their_formula(name, r, length, e, psi):
    m = lw.example(name)
    layout = lw.lay_out(m)
    crank, pin, wrist, guide = m.joints
    start = float(layout.seats[crank].q[0])
    sine, tilt0 = (e - r * math.sin(psi)) / length, (e - r * math.sin(start)) / length
    tilt, x = math.asin(sine), r * math.cos(psi) + length * math.sqrt(1 - sine**2)
    turned, tilted = psi - start, tilt - math.asin(tilt0)
    zero = 250 if name == "slider-crank" else 0
    values = {crank: psi, pin: tilted - turned, wrist: -tilted, guide: (x - zero) * mm}
    assert loop_error(m, values) < 1e-14


@pytest.mark.parametrize("psi", [0.0, 0.5, 2.0, 5.0])
def test_scotch_yoke_is_a_pure_cosine(psi):
    m = lw.example("scotch-yoke")
    r = 40 * mm
    values = {"bearing": psi, "pin": 60 * deg - psi, "slot": r * math.sin(psi), "guide": r * math.cos(psi)}
    assert loop_error(m, values) < 1e-14


@pytest.mark.parametrize("psi", [0.0, 1.0, 3.0])
def test_oldham_coupling_keeps_its_invariants(psi):
    m = lw.example("oldham-coupling")
    e = 0.25 * inch
    values = {"A": psi, "B": e * math.cos(psi), "C": e * math.sin(psi), "D": psi}
    assert loop_error(m, values) < 1e-14
    # The disc's centre runs round a circle of diameter e at 2 psi.
    layout = lw.lay_out(m)
    X = step(m, layout, "A", psi) @ step(m, layout, "B", e * math.cos(psi))
    centre = (X @ geo.inverse(layout.X_WB["disc"]) @ np.array([*layout.points["M"], 1.0]))[:2]
    assert centre == pytest.approx([e / 2 * (1 + math.cos(2 * psi)), e / 2 * math.sin(2 * psi)], abs=1e-16)


@pytest.mark.parametrize("psi", [-0.9, 0.4, 1.1])
def test_peaucellier_draws_a_straight_line(psi):
    m = lw.example("peaucellier")
    Z, Q, P0, A0, B0, T0 = (np.array(p) * mm for p in ((0, 0), (50, 0), (100, 0), (150, 120), (150, -120), (200, 0)))
    P = Q + 50 * mm * np.array([math.cos(psi), math.sin(psi)])
    T = P * (20000 * mm**2) / (P @ P)
    half = (P + T) / 2
    across = np.array([-P[1], P[0]]) / np.linalg.norm(P)
    height = math.sqrt((130 * mm) ** 2 - np.sum((T - P) ** 2) / 4)
    A, B = half + height * across, half - height * across
    moves = {
        "crank": carry(Q, P0, Q, P),
        "arm_a": carry(Z, A0, Z, A),
        "arm_b": carry(Z, B0, Z, B),
        "bar_ap": carry(A0, P0, A, P),
        "bar_bp": carry(B0, P0, B, P),
        "bar_at": carry(A0, T0, A, T),
        "bar_bt": carry(B0, T0, B, T),
    }
    assert max(joint_errors(m, moves).values()) < 1e-14
    moved = moves["bar_at"] @ np.array([*lw.lay_out(m).points["T"], 1.0])
    assert moved[0] == pytest.approx(200 * mm, abs=1e-16)


def test_jansen_leg_has_the_holy_numbers():
    layout = lw.lay_out(lw.example("theo-jansen-leg"))
    at = {name: place(layout, name)[:2] * 100 for name in layout.seats} | {"toe": layout.points["toe"][:2] * 100}
    holy = {
        ("Z1", "U"): 41.5, ("Z2", "D1"): 39.3, ("Z1", "W"): 40.1, ("U", "W"): 55.8, ("W", "K"): 39.4, ("K", "D2"): 36.7,
        ("K", "toe"): 65.7, ("D2", "toe"): 49, ("M1", "U"): 50, ("M2", "D1"): 61.9, ("O", "M1"): 15,
    }  # fmt: skip
    for (a, b), length in holy.items():
        assert np.linalg.norm(at[a] - at[b]) == pytest.approx(length, abs=1e-12), (a, b)
    assert at["Z1"] == pytest.approx([-38, -7.8])


def test_wiper_levers_form_a_parallelogram():
    layout = lw.lay_out(lw.example("wiper-linkage"))
    left = place(layout, "left_tie") - place(layout, "left")
    right = place(layout, "right_tie") - place(layout, "right")
    assert left == pytest.approx(right, abs=1e-15)
    # Grashof: the crank can turn fully.
    rod = np.linalg.norm(place(layout, "crank_pin") - place(layout, "rod_pin"))
    sides = sorted([50 * mm, float(rod), 300 * mm, float(np.linalg.norm(left))])
    assert sides[0] + sides[3] < sides[1] + sides[2]


def test_excavator_cylinders_reach_from_pin_to_pin():
    layout = lw.lay_out(lw.example("excavator-arm"))
    for name in ("boom", "arm", "bucket"):
        seat = layout.seats[f"{name}_cylinder"]
        foot, head = place(layout, f"{name}_foot"), place(layout, f"{name}_head")
        assert seat.X_WF[:3, 3] == pytest.approx(foot, abs=1e-14)
        assert seat.X_WM[:3, 3] == pytest.approx(head, abs=1e-14)
        assert seat.q[0] == pytest.approx(np.linalg.norm(head - foot), abs=1e-14)


def test_planar_3rpr_cylinders_reach_from_pin_to_pin():
    layout = lw.lay_out(lw.example("planar-3rpr"))
    for i, length in ((1, 195), (2, 195), (3, 200)):
        offset = place(layout, f"head{i}") - place(layout, f"foot{i}")
        assert np.linalg.norm(offset) / mm == pytest.approx(length, abs=1e-11)
        assert layout.seats[f"cylinder{i}"].X_WM[:3, 3] == pytest.approx(place(layout, f"head{i}"), abs=1e-15)


# ---------------------------------------------------------------- spatial linkages

HOOKE = [
    (0, 0, -90, 120),
    (30, 26.565051, -75.522488, 116.565051),
    (60, 56.309932, -64.341094, 106.102114),
    (90, 90, -60, 90),
    (120, 123.690068, -64.341094, 73.897886),
    (150, 153.434949, -75.522488, 63.434949),
    (210, -153.434949, -104.477512, 63.434949),
    (330, -26.565051, -104.477512, 116.565051),
]


@pytest.mark.parametrize(("psi", "a", "b", "c"), HOOKE)
def test_hooke_joint_closes_at_the_angles_of_example_5_1(psi, a, b, c):
    m = lw.example("hooke-joint")
    assert loop_error(m, {"A": a * deg, "B": b * deg, "C": c * deg, "D": psi * deg}) < 3e-8
    s, beta = math.sin(psi * deg), 150 * deg
    B = -math.acos(s * math.sin(beta))
    A = math.atan2(-s * math.cos(beta), math.cos(psi * deg))
    C = math.atan2(math.cos(beta) / math.sin(B), math.cos(psi * deg) * math.sin(beta) / math.sin(B))
    assert np.degrees([A, B, C]) == pytest.approx([a, b, c], abs=6e-7)
    assert loop_error(m, {"A": A, "B": B, "C": C, "D": psi * deg}) < 1e-14


@pytest.mark.parametrize("psi", [0.3, 1.0, 2.2, 4.5])
def test_double_hooke_turns_at_constant_speed(psi):
    m = lw.example("double-hooke")
    middle = np.array([12.0, 0.0, 5.0]) / 13
    spin = turn(psi, (1, 0, 0))
    arm = -np.cross(spin[:3, :3] @ [0.0, 1.0, 0.0], middle)
    start = np.array([-5.0, 0.0, 12.0]) / 13
    lag = math.atan2(middle @ np.cross(start, arm), start @ arm)
    assert abs(lag - psi) > 1e-3 or psi > math.pi
    shaft = turn(lag, middle)
    moves = {"input": spin, "tube": shaft, "spline": shaft, "output": turn(psi, (1, 0, 0), (0, 0, 100 * mm))}
    assert max(joint_errors(m, moves).values()) < 1e-14
    moves["output"] = turn(psi + 1e-3, (1, 0, 0), (0, 0, 100 * mm))
    assert joint_errors(m, moves)["rear"] > 1e-4


def test_rssr_is_told_that_its_rod_spins_idly():
    checked = lw.check(lw.example("rssr"))
    assert [n.where for n in checked.notes if "spin" in n.what] == ["bodies.rod"]
    # The crank can turn fully: the rocker's sine stays within one.
    t = np.linspace(0, 2 * np.pi, 721)
    X, Y = 200 - 50 * np.cos(t), 120 - 50 * np.sin(t)
    rod = 150**2 + 120**2 + 100**2
    assert np.abs((rod - 100**2 - X**2 - Y**2) / (2 * 100 * X)).max() < 0.95


BENNETT = [
    (30, 168.797122310661),
    (60, 156.1350745839501),
    (90, 139.7921812779658),
    (120, 115.25268174592262),
    (150, 72.41204622600623),
]


@pytest.mark.parametrize(("t1", "t2"), BENNETT)
def test_bennett_moves_by_the_tangent_relation(t1, t2):
    m = lw.example("bennett")
    product = math.tan(t1 * deg / 2) * math.tan(t2 * deg / 2)
    assert product == pytest.approx(math.sin(45 * deg) / math.sin(15 * deg), rel=1e-13)
    assert loop_error(m, {"J1": t1 * deg, "J2": t2 * deg, "J3": -t1 * deg, "J4": -t2 * deg}) < 1e-14
    assert loop_error(m, {"J1": t1 * deg, "J2": t2 * deg + 1e-3, "J3": -t1 * deg, "J4": -t2 * deg}) > 1e-4


def test_bennett_sides_and_twists():
    layout = lw.lay_out(lw.example("bennett"))
    frames = [layout.seats[f"J{i}"].X_WF for i in (1, 2, 3, 4)]
    for i, (length, twist) in enumerate([(100, 30), (100 * math.sqrt(3), 60)] * 2):
        A, B = frames[i], frames[(i + 1) % 4]
        across = B[:3, 3] - A[:3, 3]
        assert np.linalg.norm(across) / mm == pytest.approx(length, abs=1e-11)
        assert [across @ A[:3, 2], across @ B[:3, 2]] == pytest.approx([0, 0], abs=1e-15)
        assert A[:3, 2] @ B[:3, 2] == pytest.approx(math.cos(twist * deg), abs=1e-14)


def test_bricard_rods_are_the_benchmark_cuboids():
    layout = lw.lay_out(lw.example("bricard"))
    for i in range(1, 6):
        rod = layout.masses[f"rod{i}"]
        assert rod.mass == pytest.approx(1.0, rel=1e-15)
        assert sorted(np.diag(rod.inertia)) == pytest.approx([0.02 / 12, 1.01 / 12, 1.01 / 12], rel=1e-12)
        ends = place(layout, f"J{i}"), place(layout, f"J{i + 1}")
        assert rod.com == pytest.approx(np.mean(ends, axis=0), abs=1e-15)


def test_free_box_has_the_benchmark_inertia():
    box = lw.lay_out(lw.example("free-box")).masses["box"]
    assert np.diag(box.inertia) == pytest.approx([0.80833333, 0.68333333, 0.14166667], abs=5e-9)


# ---------------------------------------------------------------- gears, screws and cams


@pytest.mark.parametrize("psi", [0.02, 0.7, -3.0, 12.0])
def test_ferguson_wheels_creep_as_in_example_5_5(psi):
    m = lw.example("ferguson")
    values = {
        "A": 10 * psi,
        "B": psi,
        "C": (100 * psi / 101, -0.025 * inch, 0),
        "D": psi / 101,
        "E": (100 * psi / 99, 0.025 * inch, 0),
        "F": -psi / 99,
        "G": (psi, 0, 0),
    }
    assert loop_error(m, values) < 1e-13
    assert loop_error(m, values | {"D": 0.0}) > 1e-5


def test_ferguson_radii_follow_from_the_diametral_pitch():
    m = lw.example("ferguson")
    for name, teeth in (("C", 101), ("E", 99), ("G", 100)):
        law = m.joints[name].law
        assert (law.radius, law.mate) == pytest.approx((teeth / 40 * inch, 0.25 * inch), rel=1e-15)
        assert law.teeth == (teeth, 10) and law.pressure_angle == pytest.approx(20 * deg)


@pytest.mark.parametrize(("carrier", "ring"), [(0.4, 0.0), (-1.3, 0.9), (2.0, 2.0)])
def test_planetary_set_obeys_willis(carrier, ring):
    m = lw.example("planetary-set")
    # Willis: 24 (sun - carrier) = -60 (ring - carrier), and the planets 18.
    sun = carrier - 60 / 24 * (ring - carrier)
    pin = 60 / 18 * (ring - carrier)
    values = {"sun_shaft": sun, "ring_shaft": ring, "carrier_shaft": carrier}
    for i in (1, 2, 3):
        values |= {f"pin{i}": pin, f"sun{i}": (carrier - sun, 0, 0), f"ring{i}": (carrier - ring, 0, 0)}
    assert loop_error(m, values) < 1e-13
    if ring == 0.0:
        assert sun == pytest.approx(3.5 * carrier)


@pytest.mark.parametrize(("mean", "half"), [(0.8, 0.0), (0.0, 0.5), (1.1, -0.3)])
def test_differential_case_turns_at_the_mean_of_the_axle_shafts(mean, half):
    m = lw.example("bevel-differential")
    values = {
        "drive_shaft": -41 / 11 * mean,
        "case_shaft": mean,
        "left_shaft": mean + half,
        "right_shaft": mean - half,
        "upper_pin": -1.6 * half,
        "lower_pin": 1.6 * half,
        "final_drive": (41 / 11 * mean, 0),
        "upper_left": (-half, 0),
        "upper_right": (-half, 0),
        "lower_left": (-half, 0),
        "lower_right": (-half, 0),
    }
    assert loop_error(m, values) < 1e-13
    assert loop_error(m, values | {"case_shaft": mean + 0.1}) > 1e-3


def test_rack_moves_by_the_pinion_circumference():
    m = lw.example("rack-steering")
    loop = next(loop for loop in lw.graph_of(m).loops if {j for j, _ in loop.steps} == {"column", "housing", "mesh"})
    layout = lw.lay_out(m)

    def gap(pinion, rack):
        X = np.eye(4)
        values = {"column": pinion, "housing": rack, "mesh": (-rack, 0, 0)}
        for name, sign in loop.steps:
            X_TH = step(m, layout, name, values[name])
            X = X @ (X_TH if sign > 0 else geo.inverse(X_TH))
        return float(np.abs(X - np.eye(4)).max())

    # The pinion lies behind the rack: turned to the left (about z), it pushes the rack to the left.
    assert gap(1.5, 1.5 * 8 * mm) < 1e-15
    assert gap(-1.5, 1.5 * 8 * mm) > 1e-2


def test_steering_is_left_right_symmetric():
    layout = lw.lay_out(lw.example("rack-steering"))
    mirror = np.array([1.0, -1.0, 1.0])
    for part in ("inner", "outer", "kingpin"):
        assert place(layout, f"left_{part}") == pytest.approx(mirror * place(layout, f"right_{part}"), abs=1e-15)
    left, right = (layout.seats[f"{side}_kingpin"].X_WF[:3, 2] for side in ("left", "right"))
    assert left == pytest.approx(mirror * right, abs=1e-15)
    assert math.degrees(math.atan2(-left[1], left[2])) == pytest.approx(math.degrees(math.atan2(45, 300)), abs=1e-12)


@pytest.mark.parametrize("turns", [0, 1, 25])
def test_screw_jack_lifts_by_its_lead(turns):
    m = lw.example("screw-jack")
    angle = turns * 2 * math.pi
    assert loop_error(m, {"bearing": -angle, "thread": angle, "key": turns * 6 * mm}) < 1e-13


@pytest.mark.parametrize("psi", [0.3, 5.0])
def test_helical_gears_turn_by_their_teeth(psi):
    m = lw.example("helical-gears")
    assert loop_error(m, {"input": psi, "output": -20 / 45 * psi, "mesh": (-psi, 0, 0)}) < 1e-14


FLAT_FACED = [
    (1.0, 0.173591, 0.450774),
    (2.5, 0.948392, 0.228017),
    (4.0, 0.884222, -0.364624),
    (5.5, 0.090142, -0.316901),
]


@pytest.mark.parametrize(("psi", "g", "dg"), FLAT_FACED)
def test_flat_faced_cam_lifts_as_in_example_5_2(psi, g, dg):
    m = lw.example("flat-faced-cam")
    rises = psi < math.pi
    lift = (2 * psi - math.sin(2 * psi) if rises else 4 * math.pi - 2 * psi + math.sin(2 * psi)) / (2 * math.pi)
    slope = (1 - math.cos(2 * psi)) / math.pi * (1 if rises else -1)
    assert (lift, slope) == pytest.approx((g, dg), abs=6e-7)
    assert loop_error(m, {"A": psi, "B": (psi, slope * inch, 0), "C": lift * inch}) < 1e-14


def test_plate_cam_roller_stands_at_the_seventh_point_of_the_table():
    m = lw.example("plate-cam-point-follower")
    curve = m.curves["pitch_curve"]
    points = np.array([*curve.points, curve.points[0]])
    chords = np.hypot(*np.diff(points, axis=0).T)
    q = lw.lay_out(m).seats["roller"].q
    assert q[0] == pytest.approx(chords[:6].sum() / chords.sum(), abs=1e-12)
    # The table: 12 mm of cycloidal rise over 120 deg, rounded to 0.1 um.
    angle = np.arctan2(points[:-1, 1], points[:-1, 0]) % (2 * np.pi)
    assert np.degrees(angle) == pytest.approx(15 * np.arange(24), abs=1e-3)
    x = np.arange(9) / 8
    rise = 40 + 12 * (x - np.sin(2 * np.pi * x) / (2 * np.pi))
    assert np.hypot(*points[:9].T) / mm == pytest.approx(rise, abs=1e-4)


@pytest.mark.parametrize("psi", [0.2, 1.0, 2.5])
def test_grooved_cam_swings_its_arm_by_the_series(psi):
    m = lw.example("grooved-cam-swing-follower")
    # The roller's circle about the pivot meets r = 50 + 6 cos 2t, turned by psi.
    pivot = np.array([80, 44]) * mm

    def roller(swing):
        return pivot + 80 * mm * np.array([-math.cos(swing), -math.sin(swing)])

    def gap(swing):
        x, y = roller(swing)
        return math.hypot(x, y) - (50 + 6 * math.cos(2 * (math.atan2(y, x) - psi))) * mm

    low, high = -0.4, 0.4
    assert gap(low) * gap(high) < 0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(low) * gap(middle) > 0 else (low, middle)
    x, y = roller(low)
    t = math.atan2(y, x) - psi
    assert loop_error(m, {"shaft": psi, "pivot": low, "roller": (t, low - psi, 0)}) < 1e-13


# ---------------------------------------------------------------- serial robots

SCARA = [
    (0.0, 35.296145, -79.193077, 6, 136.103068),
    (0.25, 49.598913, -88.722004, 3.878680, 140.876910),
    (0.5, 66.214572, -110.487315, 3, 135.727257),
    (0.75, 73.217631, -133.220147, 3.878680, 119.997484),
    (1.0, 56.387625, -144.340912, 6, 92.046713),
    (1.25, 36.263215, -133.220147, 8.121320, 83.043068),
    (1.5, 29.344675, -110.487315, 9, 98.857360),
    (1.75, 28.962199, -88.722004, 8.121320, 120.240196),
]


@pytest.mark.parametrize(("t", "a", "b", "c", "d"), SCARA)
def test_scara_follows_the_path_of_example_5_4(t, a, b, c, d):
    m = lw.example("scara")
    layout = lw.lay_out(m)
    X = end_pose(m, {"A": a * deg, "B": b * deg, "C": c * inch, "D": d * deg}, "tool_shaft")
    X_WT = X @ geo.inverse(layout.X_WB["tool_shaft"]) @ layout.frames["tool"]
    wanted = np.eye(4) * [1, -1, -1, 1]
    wanted[:3, 3] = [5 * math.cos(math.pi * t), 4 * math.sin(math.pi * t), 3 * math.sin(math.pi * t)]
    X_WT[:3, 3] /= inch
    np.testing.assert_allclose(X_WT, wanted, atol=1e-6)


def test_scara_forward_kinematics_in_closed_form():
    m = lw.example("scara")
    layout = lw.lay_out(m)
    A, B, C, D = 0.3, 0.8, 5.0, -1.1
    X = end_pose(m, {"A": A, "B": B, "C": C * inch, "D": D}, "tool_shaft")
    X_WT = X @ geo.inverse(layout.X_WB["tool_shaft"]) @ layout.frames["tool"]
    X_WT[:3, 3] /= inch
    c, s = math.cos(A + B - D), math.sin(A + B - D)
    wanted = [
        [-c, -s, 0, -12 + 12 * math.cos(A) + 10 * math.cos(A + B)],
        [-s, c, 0, 12 * math.sin(A) + 10 * math.sin(A + B)],
        [0, 0, -1, 8 - (C + 2)],
        [0, 0, 0, 1],
    ]
    np.testing.assert_allclose(X_WT, wanted, atol=1e-13)


STANFORD = [
    [0.13858833, 0.29830346, 0.94435603, 0.44663155],
    [0.98910688, 0.00607230, -0.14707383, 0.35168846],
    [-0.04960705, 0.95445176, -0.29421246, 0.93512698],
]


@pytest.mark.parametrize(
    ("q", "digits"),
    [
        ((0.4, 0.9, 0.7, -0.6, 1.1, 2.0), 8),
        ((0.4, 0.9, 0.7, 2.541593, -1.1, -1.141593), 6),
        ((0.4, -2.241593, -0.7, 0.6, -2.041593, 2.0), 6),
        ((-2.207542, -0.9, 0.7, 2.109428, 1.405728, 2.299258), 6),
        ((-2.207542, 2.241593, -0.7, -2.109428, -1.735865, 2.299258), 6),
    ],
)
def test_stanford_arm_reaches_one_pose_in_several_ways(q, digits):
    m = lw.example("stanford-arm")
    X = end_pose(m, {f"J{i}": v for i, v in enumerate(q, 1)}, "hand")
    np.testing.assert_allclose(X[:3], STANFORD, rtol=0, atol=2 * 10.0**-digits)


def elementary(rows):
    """Product of Rz Tz Tx Rx, written out, of a standard table (theta, d, a, alpha)."""
    X = np.eye(4)
    for theta, d, a, alpha in rows:
        ct, st, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
        X = X @ [[ct, -st * ca, st * sa, a * ct], [st, ct * ca, -ct * sa, a * st], [0, sa, ca, d], [0, 0, 0, 1]]
    return X


PUMA = [(0, 0, 90), (0, 0.4318, 0), (0.15005, 0.0203, -90), (0.4318, 0, 90), (0, 0, -90), (0, 0, 0)]


@pytest.mark.parametrize(
    "q", [(0,) * 6, (0, math.pi / 4, math.pi, 0, math.pi / 4, 0), (0.1, -0.2, 0.3, -0.4, 0.5, -0.6)]
)
def test_puma_560_forward_kinematics(q):
    m = lw.example("puma-560")
    X = end_pose(m, dict(zip(m.joints, q, strict=True)), "link6")
    wanted = elementary([(t, d, a, alpha * deg) for t, (d, a, alpha) in zip(q, PUMA, strict=True)])
    np.testing.assert_allclose(X, wanted, rtol=0, atol=1e-15)
    if not any(q):
        assert lw.lay_out(m).X_WB["link6"] == pytest.approx(wanted, abs=1e-15)
        assert wanted[:3, 3] == pytest.approx([0.4521, -0.15005, 0.4318])


CRAIG = [(0, 0, 0), (-90, 0, 0.2435), (0, 0.4318, -0.0934), (90, -0.0203, 0.4331), (-90, 0, 0), (90, 0, 0)]


@pytest.mark.parametrize("q", [(0,) * 6, (0.1, -0.2, 0.3, -0.4, 0.5, -0.6)])
def test_puma_560_craig_forward_kinematics(q):
    m = lw.example("puma-560-craig")
    X = end_pose(m, dict(zip(m.joints, q, strict=True)), "link6")
    wanted = np.eye(4)
    for t, (alpha, a, d) in zip(q, CRAIG, strict=True):
        # Rx(alpha) Tx(a) Rz(theta) Tz(d) = elementary rows taken apart.
        wanted = wanted @ elementary([(0, 0, a, alpha * deg), (t, d, 0, 0)])
    np.testing.assert_allclose(X, wanted, rtol=0, atol=1e-15)


def test_puma_560_masses_stand_in_link_frames():
    layout = lw.lay_out(lw.example("puma-560"))
    link2 = layout.masses["link2"]
    assert (link2.mass, *link2.com) == (17.4, -0.3638, 0.006, 0.2275)
    assert np.diag(layout.masses["link4"].inertia) == pytest.approx([1.8e-3, 1.3e-3, 1.8e-3])
    # Torque of gravity about the shoulder at qz, published as 37.48366665 N m.
    moment = 0.0
    for name, properties in layout.masses.items():
        com = layout.X_WB[name] @ np.array([*properties.com, 1.0])
        moment += 9.81 * properties.mass * com[0] * (name != "link1")
    assert moment == pytest.approx(37.48366665, abs=5e-9)


# ---------------------------------------------------------------- parallel robots and benchmarks


def without_words(m):
    """A mechanism's data without what only describes it."""
    bare = lw.loads(lw.dumps(m))
    bare.description = ""
    bare.expect.clear()
    for table in (bare.points, bare.joints, bare.bodies):
        for name, part in table.items():
            table[name] = part.__class__(**{**vars(part), "description": ""})
    return bare


def test_stewart_file_is_what_the_generator_makes():
    assert without_words(lw.example("stewart-platform")) == without_words(stewart_platform())


def test_stewart_home_legs_are_equal():
    layout = lw.lay_out(lw.example("stewart-platform"))
    for i in range(1, 7):
        foot, head = place(layout, f"U{i}"), place(layout, f"S{i}")
        assert float(np.linalg.norm(head - foot)) == pytest.approx(1.1183678590952202, abs=1e-15)
        assert layout.seats[f"P{i}"].X_WM[:3, 3] == pytest.approx(head, abs=1e-15)
        assert layout.masses[f"lower{i}"].mass + layout.masses[f"upper{i}"].mass == 2.5
        # Centres of mass: 0.25 m from either end along the leg.
        for body, end, sign in ((f"lower{i}", foot, 1), (f"upper{i}", head, -1)):
            com = (layout.X_WB[body] @ np.array([*layout.masses[body].com, 1.0]))[:3]
            assert com == pytest.approx(end + sign * 0.25 * (head - foot) / np.linalg.norm(head - foot), abs=1e-15)


def test_stewart_generator_puts_the_platform_in_any_pose():
    R = geo.rot_z(0.1) @ geo.rot_y(-0.05) @ geo.rot_x(0.08)
    m = stewart_platform(position=(0.05, -0.03, 0.9), rotation=R)
    checked = lw.check(m)
    assert checked.sound and not checked.warnings and checked.mobility.mobility == 6
    lengths = [1.0525228254, 1.1649788032, 1.1635420131, 1.1602803713, 1.0421770912, 1.1465365413]
    assert [checked.values()[f"P{i}.slide"] for i in range(1, 7)] == pytest.approx(lengths, abs=6e-11)
    assert lw.loads(lw.dumps(m)) == m


def test_stewart_generator_takes_upright_legs_and_refuses_nonsense():
    angles = np.radians([0, 60, 120, 180, 240, 300])
    upright = stewart_platform(1.0, angles, 1.0, angles)
    assert lw.check(upright).values()["P4.slide"] == pytest.approx(0.9)
    with pytest.raises(lw.ModelError, match="leg 1 has no length"):
        stewart_platform(1.0, angles, 1.0, angles, position=(0, 0, 0))
    with pytest.raises(lw.ModelError, match="rotation"):
        stewart_platform(rotation=np.diag([1, 1, -1]))
    with pytest.raises(lw.ModelError, match="base_angles"):
        stewart_platform(base_angles=[0, 1, 2])
    with pytest.raises(lw.ModelError, match="base_radius"):
        stewart_platform(base_radius=-1)


def test_andrews_chains_meet_in_E():
    m = lw.example("andrews-squeezer")
    layout = lw.lay_out(m)
    E = layout.points["E"]
    for body, own in (("K3", (0, -0.035, 0)), ("K4", (0, -0.02, 0)), ("K6", (0.02, 0, 0))):
        assert (layout.X_WB[body] @ np.array([*own, 1.0]))[:3] == pytest.approx(E, abs=1e-15)
    # The same by the formulas of the benchmark.
    beta, gamma, delta, epsilon = (m.expect[f"{j}.angle"] for j in ("O", "B", "A5", "A7"))
    theta, phi, omega = (m.expect[f"{j}.angle"] for j in ("F", "G", "H"))
    polar = lambda r, a: np.array([r * math.cos(a), r * math.sin(a)])  # noqa: E731
    A, B = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273])
    by_crank = polar(0.007, beta) - polar(0.028, beta + theta)
    by_b = B + polar(0.035, gamma - math.pi / 2)
    by_a5 = A + polar(0.04, delta) + polar(0.02, phi + delta - math.pi / 2)
    by_a7 = A + polar(0.04, epsilon - math.pi / 2) + polar(0.02, omega + epsilon)
    for point in (by_crank, by_b, by_a5, by_a7):
        assert point == pytest.approx(E[:2], abs=1e-15)


def test_andrews_closes_at_the_reference_of_the_ivp_test_set():
    m = lw.example("andrews-squeezer")
    # t = 0.03 s: published by the IVP test set to 1e-8, here computed with 30 digits.
    q = (15.81077119515371, -15.75637105841184, 0.04082224011964582, -0.5347301163420796,
         0.5244099658799541, 0.5347301163420796, 1.048080741041938)  # fmt: skip
    second = q[0] + q[1]
    values = dict(zip(("O", "F", "B", "G", "A5", "H", "A7"), q, strict=True))
    values |= {"E3": q[2] - second, "E4": q[3] + q[4] - second, "E6": q[5] + q[6] - second}
    assert loop_error(m, values) < 1e-13


def test_andrews_centres_of_mass_and_spring_end():
    m = lw.example("andrews-squeezer")
    layout = lw.lay_out(m)
    gamma = m.expect["B.angle"]
    B = np.array([-0.03635, 0.03273])
    u, v = np.array([math.cos(gamma), math.sin(gamma)]), np.array([math.sin(gamma), -math.cos(gamma)])
    assert layout.points["D"][:2] == pytest.approx(B + 0.02 * u + 0.018 * v, abs=1e-16)
    com = layout.X_WB["K3"] @ np.array([*layout.masses["K3"].com, 1.0])
    assert com[:2] == pytest.approx(B + 0.01874 * v + 0.01043 * u, abs=1e-16)


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_n_four_bar_counts(n):
    checked = lw.check(n_four_bar(n))
    assert checked.sound and not checked.warnings
    assert checked.topology.n_loops == n
    found = checked.mobility
    assert (found.mobility, found.grubler, found.redundant, found.freedoms) == (1, 1, 3 * n, 3 * n + 1)
    assert checked.values()["mass"] == 2 * n + 1


@pytest.mark.parametrize("phi", [-0.4, 1.0, 2.5])
def test_n_four_bar_moves_as_parallelograms(phi):
    m = n_four_bar(5)
    values = {name: (-phi if name.startswith("L") else phi) for name in m.joints}
    assert loop_error(m, values) < 1e-14


def test_n_four_bar_lying_flat_gains_n_freedoms():
    standing = n_four_bar(3)
    flat = lw.Mechanism("flat")
    for body in standing.bodies:
        if body != "ground":
            flat.body(body)
    for joint in standing.joints.values():
        x, y, _ = joint.frame.at
        flat.revolute(joint.name, joint.tail, joint.head, at=(x + y, 0, 0), axis="z")
    found = lw.check(flat).mobility
    assert (found.mobility, found.grubler) == (4, 1)


def test_n_four_bar_file_is_what_the_generator_makes():
    assert without_words(lw.example("n-four-bar")) == without_words(n_four_bar(40))


@pytest.mark.parametrize("n", [1, 2, 30])
def test_chain_has_as_many_freedoms_as_links(n):
    checked = lw.check(chain(n))
    assert checked.sound and not checked.warnings
    assert checked.mobility.mobility == n and checked.topology.n_loops == 0
    values = checked.values()
    assert (values["mass"], values["tip.x"]) == (n, pytest.approx(0.2 * n))
    axes = [checked.layout.seats[f"J{i}"].X_WF[:3, 2].tolist() for i in range(1, n + 1)]
    assert axes == [[0, 0, 1] if i % 2 == 0 else [0, 1, 0] for i in range(n)]


@pytest.mark.parametrize("make", [n_four_bar, chain])
@pytest.mark.parametrize("bad", [0, -1, 2.5, "3", True])
def test_generators_refuse_what_is_no_count(make, bad):
    with pytest.raises(lw.ModelError, match="not a number of parts"):
        make(bad)
