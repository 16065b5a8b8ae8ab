"""Singular postures as curves: circles of a two-link arm, lines that meet, conditions of the literature, by hand."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.units import deg


def two_links(l1, l2, aside=0.0):
    m = lw.Mechanism("arm")
    m.body("upper", mass=1.0)
    m.body("fore", mass=1.0)
    m.revolute("A", m.ground, "upper", axis="z")
    m.revolute("B", "upper", "fore", at=(l1, 0, 0), axis="z")
    m.point("P", "fore", (l1 + l2 * np.cos(aside), l2 * np.sin(aside), 0))
    return m


@pytest.mark.parametrize(("l1", "l2", "aside"), [(1.0, 0.6, 0.4), (0.3, 0.5, -2.0)])
def test_a_two_link_arm_is_singular_on_two_circles(l1, l2, aside):
    found = two_links(l1, l2, aside).assemble().singularities("P")
    assert [c.kind for c in found.curves] == ["task", "task"] and all(c.closed for c in found.curves)
    radii = [np.linalg.norm(c.places[:, :2], axis=1) for c in found.curves]
    np.testing.assert_allclose(sorted(r[0] for r in radii), [abs(l1 - l2), l1 + l2], atol=1e-12)
    for r in radii:
        np.testing.assert_allclose(r, r[0], atol=1e-12)
    # Closed curves: the arm turns once through all of it, and no gap is wider than a stride.
    for curve in found.curves:
        turned = np.diff(np.unwrap(found.values(curve, "A")))
        assert abs(turned.sum()) == pytest.approx(2 * np.pi, abs=1e-9)
        assert np.abs(turned).max() < 0.1
    assert not found.warnings


def test_limits_end_the_curves_and_are_named():
    limited = lw.Mechanism("limited")
    limited.body("upper", mass=1.0)
    limited.body("fore", mass=1.0)
    limited.revolute("A", limited.ground, "upper", axis="z", limits=(-60 * deg, 90 * deg))
    limited.revolute("B", "upper", "fore", at=(1, 0, 0), axis="z", value=30 * deg, limits=(-10 * deg, 150 * deg))
    limited.point("P", "fore", (1 + 0.6 * np.cos(30 * deg), 0.6 * np.sin(30 * deg), 0))
    found = limited.assemble().singularities("P")
    (curve,) = found.curves
    np.testing.assert_allclose(found.values(curve, "B"), 0.0, atol=1e-11)
    ends = np.sort(found.values(curve, "A")[[0, -1]]) / deg
    np.testing.assert_allclose(ends, [-60, 90], atol=0.05)
    assert set(curve.ends) == {"the limit of A.angle"} and not curve.closed


def test_the_puma_is_singular_where_its_elbow_is_stretched_and_where_its_wrist_is_straight():
    s = lw.example("puma-560").assemble()
    found = s.singularities("link6", ("elbow", "wrist_bend"))
    elbow, wrist = (
        [c for c in found.curves if np.ptp(found.values(c, name)) > 1.0] for name in ("wrist_bend", "elbow")
    )
    # Zero: a3 sin(q3) + d4 cos(q3) of the arm, sin(q5) of the wrist.
    for curve in elbow:
        q3 = found.values(curve, "elbow")
        np.testing.assert_allclose(0.0203 * np.sin(q3) + 0.4318 * np.cos(q3), 0.0, atol=1e-11)
    for curve in wrist:
        np.testing.assert_allclose(np.sin(found.values(curve, "wrist_bend")), 0.0, atol=1e-11)
    assert len(elbow) == 1 and len(wrist) == 1  # all within the limits of the joints


def test_the_five_bar_loses_its_task_where_a_leg_is_stretched_and_its_drives_where_the_rods_are_in_line():
    s = lw.example("five-bar").assemble()
    found = s.singularities("tool")
    feet = np.array([[0.0, 0.0], [0.1, 0.0]])
    for curve in found.curves:
        a = np.stack([found.values(curve, "A1"), found.values(curve, "A2")], axis=1)
        B = feet + 0.1 * np.stack([np.cos(a), np.sin(a)], axis=-1)
        P = curve.places[:, :2]
        np.testing.assert_allclose(np.linalg.norm(P[:, np.newaxis] - B, axis=2), 0.15, atol=1e-12)
        rods = P[:, np.newaxis] - B
        crossed = lambda u, v: u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]  # noqa: E731
        stretched = np.abs(crossed(rods, B - feet)).min(axis=1)
        in_line = np.abs(crossed(rods[:, 0], rods[:, 1]))
        np.testing.assert_allclose(stretched if curve.kind == "task" else in_line, 0.0, atol=1e-13)
    (loop,) = found.of_kind("drives")
    assert loop.closed  # the cranks turn about each other with their pins in one place
    assert len(found.of_kind("task")) == 6


def test_three_cylinders_do_not_hold_a_plate_where_their_lines_meet():
    s = lw.example("planar-3rpr").assemble()
    found = s.singularities("centre", ("cylinder1", "cylinder2"), drives=("cylinder1", "cylinder2", "cylinder3"))
    assert found.of_kind("drives")
    for curve in found.of_kind("drives"):
        for y in curve.Y[:: max(1, len(curve) // 5)]:
            q = y[: s.nq]
            lines = []
            for k in (1, 2, 3):
                X = s.pose(f"rod{k}", q)
                foot = np.array([[0, 0], [0.5, 0], [0.35, 0.41]][k - 1])
                head = s.mechanism.joints[f"head{k}"]
                home = lw.lay_out(s.mechanism).seats[head.name].X_WF[:2, 3]
                pin = (X @ np.linalg.inv(s.pose(f"rod{k}", s.home.q)) @ np.array([*home, 0, 1]))[:2]
                u = (pin - foot) / np.linalg.norm(pin - foot)
                lines.append([*u, foot[0] * u[1] - foot[1] * u[0]])
            assert abs(np.linalg.det(lines)) < 1e-11
        np.testing.assert_allclose(found.values(curve, "cylinder3"), 0.2, atol=1e-12)  # held as at home


def test_random_arms_have_a_curve_wherever_the_determinant_changes_its_sign():
    rng = np.random.default_rng(11)
    for _ in range(3):
        m = lw.Mechanism("random-arm")
        places = rng.uniform(-1, 1, (4, 3))
        before = m.ground
        for k in range(3):
            m.body(f"b{k}", mass=1.0)
            m.revolute(f"J{k}", before, f"b{k}", at=places[k], axis=rng.normal(size=3))
            before = f"b{k}"
        m.point("P", before, places[3])
        s = m.assemble()
        found = s.singularities("P", ("J1", "J2"))
        points = np.concatenate([np.stack([found.values(c, n) for n in ("J1", "J2")], 1) for c in found.curves])
        grid = np.linspace(-np.pi, np.pi, 121)
        x, y = (part.ravel() for part in np.meshgrid(grid, grid))
        q = np.stack([np.zeros(x.size), x, y], axis=1)
        number = np.linalg.det(s.jacobian("P", q)[:, :3]).reshape(121, 121)
        across = np.argwhere(number[:, :-1] * number[:, 1:] < 0)
        places = np.stack([grid[across[:, 1]], grid[across[:, 0]]], axis=1)
        away = np.abs((places[:, np.newaxis] - points + np.pi) % (2 * np.pi) - np.pi).max(axis=2).min(axis=1)
        assert away.max() < 0.11  # a cell of the grid, and half a stride
        at = np.linalg.det(s.jacobian("P", np.column_stack([np.zeros(len(points)), points]))[:, :3])
        assert np.abs(at).max() < 1e-11 * np.abs(number).max()


@pytest.mark.parametrize(
    ("name", "asked", "words"),
    [
        ("four-bar", {"target": "P"}, "the machine has 1 freedom"),
        ("puma-560", {"target": "link6"}, "the machine has 6 freedoms"),
        ("puma-560", {"target": "link6", "over": ("elbow", "wrist")}, "'wrist'"),
        ("puma-560", {"target": "link6", "over": ("elbow", "elbow")}, "2 names"),
        ("five-bar", {"target": "tool", "drives": ("A1",)}, "1 drives for 2 freedoms"),
        ("five-bar", {"target": "tool", "over": ("A1", "B1")}, "both must be drives"),
        ("five-bar", {"target": "toll"}, "'toll'"),
        ("five-bar", {"target": "tool", "stride": 7.0}, "7 is no stride"),
        ("iiwa14", {"target": "tool", "over": ("A1", "A2")}, "the machine has 7 freedoms, and 'tool' six"),
    ],
)
def test_what_cannot_be_asked_is_told(name, asked, words):
    with pytest.raises(lw.InputError) as caught:
        lw.example(name).assemble().singularities(**asked)
    assert words in str(caught.value)
