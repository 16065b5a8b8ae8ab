"""Goals of every kind, met by one solver: checked by forward kinematics, by brute force and by closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork import goals
from linkwork.analyses.robots.improve import manipulability
from linkwork.analyses.robots.reach import Search, TaskRows
from linkwork.analyses.robots.task_rows import wanted_of
from linkwork.geometry.rotations import from_quaternion, from_rpy, rot_x, rot_y, rot_z
from linkwork.units import deg

Array = np.ndarray
LINKS = (0.4, 0.3, 0.2)


def planar(limits: dict[str, tuple[float, float]] | None = None) -> lw.Machine:
    """Three links in a plane."""
    m = lw.Mechanism("planar")
    at, before = 0.0, "ground"
    for joint, body, length in zip("ABC", ("upper", "fore", "hand"), LINKS, strict=True):
        m.body(body, mass=1.0, com=(at + 0.5 * length, 0, 0), inertia=(0.01, 0.01, 0.01))
        m.revolute(joint, before, body, at=(at, 0, 0), axis="z", limits=(limits or {}).get(joint))
        at, before = at + length, body
    m.point("P", "hand", at=(at, 0, 0))
    m.frame("tool", "hand", at=(at, 0, 0))
    return m.assemble(start={"A": 0.3, "B": 0.5, "C": 0.4})


def puma() -> lw.Machine:
    return lw.example("puma-560").assemble()


def close(a: Any, b: Any, tolerance: float) -> None:
    np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=0.0, atol=tolerance)


# ---------------------------------------------------------------- kinds


def test_a_place_in_three_kinds_of_coordinates() -> None:
    s = puma()
    r, angle, z = 0.5, 40 * deg, 0.3
    place = [r * math.cos(angle), r * math.sin(angle), z]
    close(s.reach("wrist", place).position("wrist"), place, 1e-10)
    close(s.reach("wrist", goals.cylindrical(("500 mm", "40 deg", z))).position("wrist"), place, 1e-10)
    far, up = math.hypot(r, z), math.atan2(z, r)
    close(s.reach("wrist", goals.spherical((far, angle, up))).position("wrist"), place, 1e-10)


@pytest.mark.parametrize(
    ("goal", "measure"),
    [
        (goals.place((None, "0.1 m", None)), lambda p: p[1] - 0.1),
        (goals.cylindrical((0.6, None, None)), lambda p: math.hypot(p[0], p[1]) - 0.6),
        (goals.cylindrical((None, 2.0, None)), lambda p: math.atan2(p[1], p[0]) - 2.0),
        (goals.spherical((0.7, None, None)), lambda p: float(np.linalg.norm(p)) - 0.7),
        (goals.spherical((None, None, "25 deg")), lambda p: math.atan2(p[2], math.hypot(p[0], p[1])) - 25 * deg),
    ],
    ids=["y", "radius", "angle", "distance", "elevation"],
)
def test_single_coordinates_of_a_place(goal: goals.Place, measure: Any) -> None:
    found = puma().reach("wrist", goal)
    assert abs(measure(found.position("wrist"))) < 1e-9
    assert found.converged and len(found.missing) == 1 and found.spare


def test_attitudes_told_in_four_ways() -> None:
    s, place = puma(), (0.4, 0.2, 0.1)
    q = np.array([0.9, 0.1, -0.3, 0.2]) / np.linalg.norm([0.9, 0.1, -0.3, 0.2])
    a, b, c = 0.3, 0.8, -0.4
    told = [
        (goals.attitude(quaternion=q), from_quaternion(q)),
        (goals.attitude(rpy=("20 deg", 0.1, -0.4)), from_rpy([20 * deg, 0.1, -0.4])),
        (goals.attitude(xyx=(a, b, c)), rot_x(a) @ rot_y(b) @ rot_x(c)),
        (goals.attitude(rot_x(3.0)), rot_x(3.0)),
    ]
    for goal, R in told:
        X = s.reach("link6", place, goal, limits=False).pose("link6")
        close(X[:3, :3], R, 1e-10)
        close(X[:3, 3], place, 1e-10)


@pytest.mark.parametrize("along", ["x", "-z", (0.3, -0.5, 0.0), (1.0, 2.0, -0.3), ("30 deg", "-20 deg")], ids=str)
def test_a_direction_leaves_the_spin_free(along: Any) -> None:
    """Horizontal ones too, where two fixed components of h cannot tell."""
    s = puma()
    found = s.reach("link6", (0.5, 0.1, 0.1), goals.pointing("z", along), limits=False)
    h = found.pose("link6")[:3, 2]
    close(h, goals.pointing("z", along).along, 1e-10)
    close(found.position("link6"), (0.5, 0.1, 0.1), 1e-10)
    assert len(found.missing) == 5 and found.spare
    spun = s.reach("link6", (0.5, 0.1, 0.1), goals.pointing("z", along, "50 deg"), limits=False).pose("link6")
    close(spun[:3, 2], h, 1e-10)
    if abs(h[2]) < 1.0:  # x after z is horizontal without spin, and turned about h by it
        level = np.cross([0.0, 0.0, 1.0], h)
        level /= np.linalg.norm(level)
        close(spun[:3, 0], math.cos(50 * deg) * level + math.sin(50 * deg) * np.cross(h, level), 1e-9)


def test_the_seeds_auxiliary_frame() -> None:
    """A = R_z(θ) R_y(-φ) R_x(ψ) where the direction is the body's x."""
    theta, phi, psi = 0.7, 0.4, -1.1
    found = goals.pointing("x", (theta, phi), psi)
    assert isinstance(found, goals.Attitude)
    close(found.R, rot_z(theta) @ rot_y(-phi) @ rot_x(psi), 1e-15)


def test_opposite_directions_are_found() -> None:
    s = puma()
    h = s.home.pose("link6")[:3, 2]
    found = s.reach("link6", goals.pointing("z", -h), limits=False)
    close(found.pose("link6")[:3, 2], -h, 1e-10)


def test_centres_of_mass_and_places_on_bodies() -> None:
    s = puma()
    there = s.at(waist=0.3, shoulder=0.4, elbow=-1.0)
    wanted = s.centre_of_mass(there.q)
    close(s.centre_of_mass(s.reach("centre of mass", wanted).q), wanted, 1e-10)
    own = s.mechanism.bodies["link3"].com
    X = there.pose("link3")
    wanted = X[:3, :3] @ own + X[:3, 3]
    Y = s.reach("link3.com", wanted).pose("link3")
    close(Y[:3, :3] @ own + Y[:3, 3], wanted, 1e-10)
    at = np.array([0.1, -0.05, 0.2])
    wanted = X[:3, :3] @ at + X[:3, 3]
    Y = s.reach("link3", goals.place(wanted, at=tuple(at))).pose("link3")
    close(Y[:3, :3] @ at + Y[:3, 3], wanted, 1e-10)


def test_several_targets_at_once() -> None:
    s = planar()
    there = s.at(A=0.9, B=-0.7, C=0.3)
    elbow, P = there.position("fore"), there.position("P")
    found = s.reach("fore", elbow, goals.place(P, of="P"))
    close(found.position("fore"), elbow, 1e-9)
    close(found.position("P"), P, 1e-9)


def test_joints_are_given_or_held() -> None:
    s = puma()
    goal, h = (0.4, 0.25, 0.2), (0.0, 0.6, -0.8)
    found = s.reach("link6", goal, goals.pointing("z", h), goals.joints(flange="35 deg"), limits=False)
    assert found["flange"] == pytest.approx(35 * deg, abs=1e-15) and "flange.angle" in found.specified
    close(found.pose("link6")[:3, 2], h, 1e-10)
    held = s.reach("wrist", goal, hold=["flange", "wrist_roll"], start={"flange": 0.7, "wrist_roll": -0.2})
    assert (held["flange"], held["wrist_roll"]) == (0.7, -0.2)
    same = s.reach("wrist", goal, goals.hold("flange"), start={"flange": 0.7})
    assert same["flange"] == 0.7


# ---------------------------------------------------------------- what is told


def test_limits_are_kept_and_told() -> None:
    limits = {"A": (-0.2, 0.6), "B": (0.1, 1.2), "C": (-0.1, 0.9)}
    free, bounded = planar(), planar(limits)
    goal = np.array([0.1, 0.7, 0.0])
    assert free.reach("P", goal).converged
    with pytest.raises(lw.CannotReach, match=r"limits are in the way.*it would take") as error:
        bounded.reach("P", goal)
    nearest = error.value.reached
    assert isinstance(nearest, lw.Reached) and not nearest.converged and nearest.active and not nearest.beyond_limits
    A, B, C = np.meshgrid(*(np.linspace(*limits[j], 81) for j in "ABC"), indexing="ij")
    z = LINKS[0] * np.exp(1j * A) + LINKS[1] * np.exp(1j * (A + B)) + LINKS[2] * np.exp(1j * (A + B + C))
    least = float(np.abs(z - complex(goal[0], goal[1])).min())
    own = float(np.linalg.norm(nearest.position("P") - goal))
    assert least - 1e-3 < own <= least + 1e-9
    assert bounded.reach("P", goal, limits=False).converged
    assert not bounded.reach("P", goal, nearest=True).converged


def test_missing_by_row_and_singular_directions() -> None:
    s = planar()
    with pytest.raises(lw.CannotReach) as error:
        s.reach("P", (3.0, 0.0, 0.0))
    found = error.value.reached
    assert isinstance(found, lw.Reached)
    missing = {name: (x, unit) for name, x, unit in found.missing}
    assert missing["P.x"] == (pytest.approx(3.0 - sum(LINKS), abs=1e-6), "m")
    assert any("P.x" in text for text in found.lost) and any("P.z" in text for text in found.lost)
    assert "singular" in str(found) and found.starts > 1


def test_freedoms_that_are_left_are_named() -> None:
    found = planar().reach("P", (0.5, 0.3, 0.0))
    assert found.spare == ("A.angle", "B.angle", "C.angle") and "can move while 'P' stays" in str(found)
    held = planar().reach("P", goals.place((0.5, 0.3, 0.0)), hold="B")
    assert not held.spare


# ---------------------------------------------------------------- what surplus freedoms do


def family(goal: complex, heading: Array) -> Array:
    """(samples, 3) joint angles of three planar links whose last one has a heading; both bends of the elbow."""
    wrist = goal - LINKS[2] * np.exp(1j * heading)
    r2 = np.abs(wrist) ** 2
    cosine = (r2 - LINKS[0] ** 2 - LINKS[1] ** 2) / (2 * LINKS[0] * LINKS[1])
    rows = []
    for sign in (1.0, -1.0):
        bend = sign * np.arccos(np.where(np.abs(cosine) <= 1.0, cosine, np.nan))
        first = np.angle(wrist) - np.angle(LINKS[0] + LINKS[1] * np.exp(1j * bend))
        rows.append(np.stack([first, bend, np.remainder(heading - first - bend + np.pi, 2 * np.pi) - np.pi], axis=1))
    found = np.vstack(rows)
    return found[np.isfinite(found).all(axis=1)]


def manipulabilities(q: Array) -> Array:
    a1, a2, a3 = q[:, 0], q[:, :2].sum(axis=1), q.sum(axis=1)
    tips = [length * np.exp(1j * a) for length, a in zip(LINKS, (a1, a2, a3), strict=True)]
    columns = [1j * sum(tips[k:]) for k in range(3)]
    pairs = ((columns[0], columns[1]), (columns[1], columns[2]), (columns[0], columns[2]))
    return np.array(sum((u.real * v.imag - u.imag * v.real) ** 2 for u, v in pairs))


@pytest.mark.parametrize("prefer", ["rest", "formula", "manipulability", "limits"])
def test_preferences_against_a_scan_of_all_postures(prefer: str) -> None:
    limits = {"A": (-1.0, 2.0), "B": (-0.2, 2.5), "C": (-2.0, 2.0)} if prefer == "limits" else None
    s = planar(limits)
    q = family(0.45 + 0.35j, np.linspace(-np.pi, np.pi, 200_001))
    rest = np.array([0.2, 1.2, -0.3])
    middle, half = np.array([0.5, 1.15, 0.0]), np.array([1.5, 1.35, 2.0])
    value, asked = {
        "rest": (lambda q: ((q - rest) ** 2).sum(axis=-1), {"A": 0.2, "B": 1.2, "C": -0.3}),
        "formula": (lambda q: np.cos(3 * q[..., 2]) + q[..., 0] ** 2, "cos(3*C) + A**2"),
        "manipulability": (lambda q: -manipulabilities(np.atleast_2d(q)), "manipulability"),
        "limits": (lambda q: (((q - middle) / half) ** 2).sum(axis=-1), "limits"),
    }[prefer]
    goal = goals.place((0.45, 0.35, None))
    found = s.reach("P", goal, prefer=asked)
    own = np.array([found[n] for n in "ABC"])
    close(found.position("P")[:2], (0.45, 0.35), 1e-10)
    # A local minimum among all postures that reach: none nearby is better.
    near = q[np.abs(q - own).max(axis=1) < 0.3]
    least = float(np.min(value(near)))
    assert float(np.ravel(value(own))[0]) <= least + 1e-8
    plain = s.reach("P", goal)
    assert float(np.ravel(value(own))[0]) < float(np.ravel(value(np.array([plain[n] for n in "ABC"])))[0]) - 1e-4


@pytest.mark.parametrize(
    ("name", "target", "wanted"),
    [
        ("puma-560", "link6", (goals.place((0, 0, 0), at=(0.1, 0.2, 0.3)), goals.pointing("z", "x"))),
        ("excavator-arm", "teeth", (goals.place((0, None, 0)),)),
        ("excavator-arm", "teeth", (goals.cylindrical((1.0, None, 0)),)),
        ("puma-560", "link6", (goals.spherical((None, 0.1, 0.2)), goals.pointing("x", "z"))),
        ("planar-3rpr", "centre", (goals.place((0, 0, None)),)),
    ],
)
def test_gradients_of_manipulability(name: str, target: str, wanted: Any) -> None:
    """Exact ones, through closed loops too, against differences."""
    s = lw.example(name).assemble()
    loops = s.loops.of_places
    none = np.zeros(0, np.int64)
    task = wanted_of(loops, target, wanted, None, ())
    search = Search(loops, TaskRows(loops, task), np.zeros(loops.columns, bool), none, none, np.zeros(0), np.zeros(0))
    value, gradient = manipulability(search)
    free = [n for n in s.home.independent if n in s.variables]
    y = s.at({n: s.home[n] + 0.05 * (k + 1) * (0.1 if n.endswith("slide") else 1.0) for k, n in enumerate(free)}).y
    stand, g = search.at(y), gradient(y)
    own = stand.K.T @ g
    for k in range(len(own)):
        d = np.zeros(len(own))
        h = 1e-4
        numbers = []
        for x in (2 * h, h, -h, -2 * h):
            d[k] = x
            moved = search.moved(stand, d)
            assert moved is not None
            # along the free rates alone: the closure adds what is of second order
            numbers.append(value(moved))
        slope = (-numbers[0] + 8 * numbers[1] - 8 * numbers[2] + numbers[3]) / (12 * h)
        assert own[k] == pytest.approx(slope, abs=1e-7 * max(1.0, abs(slope)) + 1e-7)


def test_a_closed_machine_keeps_to_its_rest() -> None:
    s = lw.example("excavator-arm").assemble()
    goal = s.home.position("teeth") + np.array([0.05, 0.0, 0.05])
    first = [n for n in s.home.independent if n in s.variables][-1]
    plain = s.reach("teeth", goals.place(goal))
    found = s.reach("teeth", goals.place(goal), prefer={first: plain[first] + 0.02})
    close(found.position("teeth"), goal, 1e-8)
    assert found.residual < 1e-10
    assert abs(found[first] - plain[first] - 0.02) < 0.01 and first in plain.spare


# ---------------------------------------------------------------- wrong questions


def test_wrong_questions_are_all_told_at_once() -> None:
    s = puma()
    with pytest.raises(lw.InputError) as error:
        s.reach("wrist", (1, 2), goals.place((0, 0, 0), of="wist"), rotation=np.zeros((3, 3)))
    texts = str(error.value)
    assert "3 numbers are wanted" in texts and "did you mean 'wrist'" in texts and "rotation matrix" in texts
    for asked, text in (
        (lambda: s.reach("wrist", (0.1, 0.2, 0.3), hold="wast"), "did you mean"),
        (lambda: s.reach("wrist", goals.joints(waist=0.1)), "joints alone"),
        (lambda: s.reach("centre of mass", goals.pointing("z", "x")), "has no axes"),
        (lambda: s.reach("wrist", goals.place(np.zeros((5, 3)))), "reach_many"),
        (lambda: s.reach("wrist", (0.4, 0.2, 0.1), prefer="manipulabilty"), "manipulability"),
        (lambda: s.reach("wrist", (0.4, 0.2, 0.1), prefer=3), "no preference"),
        (lambda: goals.attitude(rpy=(0, 0, 0), quaternion=(1, 0, 0, 0)), "in one way"),
        (lambda: goals.attitude(quaternion=(2, 0, 0, 0)), "not 1"),
        (lambda: goals.place((None, None, None)), "no coordinate"),
        (lambda: goals.place(("1 kg", 0, 0)), "kg"),
        (lambda: goals.pointing("q", "x"), "axis"),
        (lambda: goals.place((0, 0, 0), weight=-1.0), "positive"),
    ):
        with pytest.raises(lw.LinkworkError, match=text):
            asked()


def test_rates_for_a_velocity_and_what_is_lost() -> None:
    for name, target in (("puma-560", "link6"), ("stewart-platform", "platform")):
        s = lw.example(name).assemble()
        X = s.home.pose(target) if name == "stewart-platform" else s.at(elbow=0.3, wrist_bend=0.6).pose(target)
        found = s.reach(target, X, limits=False)
        twist = np.array([0.1, -0.2, 0.05, 0.3, 0.1, -0.2])
        rates, missing = found.rates_for(twist)
        close(missing, np.zeros(6), 1e-9)
        close(found.velocity(target, {n: rates[n] for n in found.independent}), twist, 1e-9)
    s = planar()
    straight = s.reach("P", s.at(A=0.0, B=0.0, C=0.0).position("P"), start={"A": 0.0, "B": 0.0, "C": 0.0})
    rates, missing = straight.rates_for((0.5, 0.3, 0.0))
    close(missing, (0.5, 0.0, 0.0), 1e-9)
    damped, more = straight.rates_for((0.5, 0.3, 0.0), damping=1.0)
    assert abs(damped["A.angle"]) < abs(rates["A.angle"]) and more[1] > 0.01
