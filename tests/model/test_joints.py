"""Every joint kind: way there and back, fit, seat, exact rates, batches, tracing."""

from __future__ import annotations

import inspect
import math
from typing import Any

import casadi as ca
import numpy as np
import pytest
from laws import ALPHA, CASES, NAMES, RING5, SLOT5, Case, close, quaternion, same_variables

from linkwork import geometry as geo
from linkwork.errors import ModelError
from linkwork.model.curves import ExpressionCurve, SplineCurve
from linkwork.model.joints import (
    KINDS,
    Bevel,
    Cylindric,
    Flat,
    Free,
    Gear,
    Helical,
    Law,
    LineOnCurve,
    OnCurve,
    OnSurface,
    PointOnCurve,
    Prismatic,
    Rack,
    Revolute,
    Rigid,
    Spheric,
    Universal,
    misfit,
    transform,
)

every_case = pytest.mark.parametrize("case", CASES, ids=NAMES)


def draws(case: Case, count: int = 12) -> list[list[float]]:
    rng = np.random.default_rng(sum(map(ord, case.name)))
    return [case.draw(rng) for _ in range(count)]


def random_pose(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return geo.pose(geo.from_quaternion(quaternion(rng)), rng.uniform(-2, 2, 3))


def test_the_cases_cover_every_kind() -> None:
    assert {type(case.law) for case in CASES} == set(KINDS.values())
    assert len(KINDS) == 16
    for kind, law in KINDS.items():
        assert law.kind == kind
        assert len(law.letter) == 1
    assert len({law.letter for law in KINDS.values()}) == len(KINDS)


FREEDOMS = {
    "revolute": 1,
    "prismatic": 1,
    "helical": 1,
    "cylindric": 2,
    "spheric": 3,
    "flat": 3,
    "universal": 2,
    "rigid": 0,
    "free": 6,
}
FREEDOMS |= {"gear": 3, "rack": 3, "bevel": 2, "point_on_curve": 3, "line_on_curve": 3}
FREEDOMS |= {"on_surface": 5, "on_curve": 4}


@every_case
def test_freedom_and_names(case: Case) -> None:
    law = case.law
    assert law.freedom == FREEDOMS[law.kind] == law.twists(draws(case, 1)[0]).shape[1]
    assert len({v.name for v in law.variables}) == len(law.variables) == len(law.neutral())
    assert {v.unit for v in law.variables} <= {"rad", "m", "1"}


# --- there and back ---------------------------------------------------------------------------------------------------


@every_case
def test_the_motion_is_rigid_and_its_variables_come_back(case: Case) -> None:
    for q in draws(case):
        X = transform(case.law, q)
        assert geo.is_pose(X, 1e-14)
        found = case.law.recover(X)
        # Where a curve is walked fast, its parameter is known less well than its points.
        same_variables(case.law, found, q, 1e-12)
        angle, distance = misfit(case.law, X, found)
        assert angle <= 1e-14
        assert distance <= 2e-14


@pytest.mark.parametrize("law", [Revolute(), Cylindric(), Flat(), Universal()], ids=lambda law: law.kind)
def test_a_half_turn_comes_back_with_its_sign(law: Law) -> None:
    q = [math.pi if v.dimension == "angle" else 0.3 for v in law.variables]
    same_variables(law, law.recover(transform(law, q)), q)


@pytest.mark.parametrize("turns", range(-6, 7))
@pytest.mark.parametrize("mates", [(0.3, 0.17), (0.101, 0.01), (-0.21, 0.8), (0.8, -0.21), (0.2, 0.3)])
def test_a_gear_angle_comes_back_over_several_turns(mates: tuple[float, float], turns: int) -> None:
    law = Gear(*mates)
    q = [0.4 + 2 * math.pi * turns, 0.001, 0.02]
    found = law.recover(transform(law, q))
    # The mate tells the turn apart as long as it does not come back to the same angle earlier.
    ratio = (mates[0] + mates[1]) / mates[1]
    repeats = next(k for k in range(1, 200) if abs((k * ratio + 0.5) % 1.0 - 0.5) < 1e-9)
    apart = (found[0] - q[0]) / (2 * math.pi)
    assert apart == pytest.approx(repeats * round(apart / repeats), abs=1e-12)
    assert abs(found[0]) <= abs(q[0]) + 1e-12
    if abs(turns) < repeats / 2 - 1:
        close(found, q)


@pytest.mark.parametrize("turns", range(-3, 4))
def test_a_bevel_angle_comes_back_over_several_turns(turns: int) -> None:
    law = Bevel(0.5, 0.9)
    q = [-1.1 + 2 * math.pi * turns, 0.01]
    close(law.recover(transform(law, q)), q)


def test_a_geared_misfit_is_not_explained_away_by_many_turns() -> None:
    # 101 teeth on 10: some whole turn of the carrier comes within 0.03 rad of any angle of the mate.
    law = Gear(1.01, 0.10, teeth=(101, 10))
    X = transform(law, [0.3, 0.0, 0.0]) @ geo.pose(geo.rot_z(0.2))
    found = law.recover(X)
    close(found, [0.3, 0.0, 0.0])
    close(misfit(law, X, found), [0.2, 0.0])


@pytest.mark.parametrize("lead", [0.01, -0.01])
def test_a_screw_counts_its_turns(lead: float) -> None:
    X = transform(Helical(lead), [2 * math.pi * 7.25])
    close(X[2, 3], 7.25 * lead)
    close(Helical(lead).recover(X), [2 * math.pi * 7.25], 1e-12)


# --- fit --------------------------------------------------------------------------------------------------------------

SMALL = 1e-3
TURNS = {c: geo.pose(turn(SMALL)) for c, turn in (("u", geo.rot_x), ("v", geo.rot_y), ("w", geo.rot_z))}
SLIDES = {c: geo.pose(p=SMALL * np.eye(3)[i]) for i, c in enumerate("uvw")}

# What each kind forbids: turns of M about its own origin, slides of M along F's axes.
FORBIDDEN = [
    (Revolute(), "uv", "uvw"),
    (Prismatic(), "uvw", "uv"),
    (Cylindric(), "uv", "uv"),
    (Spheric(), "", "uvw"),
    (Flat(), "uv", "w"),
    (Rigid(), "uvw", "uvw"),
    (Universal(), "", "uvw"),
    (Helical(0.1), "uvw", "uv"),
    (Gear(0.3, 0.17), "uvw", ""),
    (Gear(-0.21, 0.8, ALPHA, 0.2, 1), "uvw", ""),
    (Rack(0.4), "uvw", ""),
    (Bevel(0.5, 0.9), "", "uvw"),
    (PointOnCurve(RING5), "uv", ""),
]


@pytest.mark.parametrize(("law", "turns", "slides"), FORBIDDEN, ids=[law.kind for law, *_ in FORBIDDEN])
def test_a_forbidden_displacement_is_measured(law: Law, turns: str, slides: str) -> None:
    q = list(law.neutral())
    X = transform(law, q)
    for axis in turns:
        moved = X @ TURNS[axis]
        angle, distance = misfit(law, moved, law.recover(moved))
        assert angle == pytest.approx(SMALL, abs=1e-8)
        assert distance <= 1e-8
    for axis in slides:
        moved = SLIDES[axis] @ X
        angle, distance = misfit(law, moved, law.recover(moved))
        assert distance == pytest.approx(SMALL, rel=1e-12)
        assert angle <= 1e-12


def test_a_universal_joint_cannot_turn_about_its_third_axis() -> None:
    X = transform(Universal(), [0.4, 0.7]) @ TURNS["v"]
    angle, _ = misfit(Universal(), X, Universal().recover(X))
    # The nearest cross turns the rest away: between nothing explained and everything explained.
    assert 0.1 * SMALL < angle <= SMALL * (1 + 1e-6)


@pytest.mark.parametrize("law", [PointOnCurve(RING5), PointOnCurve(SLOT5)], ids=["ring", "slot"])
@pytest.mark.parametrize("offset", [1e-3, -1e-3])
def test_a_point_off_its_curve_is_measured_along_the_normal(law: PointOnCurve, offset: float) -> None:
    t = 0.37
    X = transform(law, [t, 0.2, 0.1])
    (_, _), (du, dv) = law.curve.derivatives(t, 1)
    X[:2, 3] += offset * np.array([-dv, du]) / math.hypot(du, dv)
    found = law.recover(X)
    close(found, [t, 0.2, 0.1], 1e-11)
    angle, distance = misfit(law, X, found)
    assert distance == pytest.approx(1e-3, rel=1e-9)
    assert angle <= 1e-14


@pytest.mark.parametrize("law", [LineOnCurve(RING5), LineOnCurve(SLOT5)], ids=["ring", "slot"])
def test_a_line_off_its_curve_is_measured_across_the_line(law: LineOnCurve) -> None:
    q = [0.31, 0.2, -0.1]
    X = transform(law, q)
    moved = X @ geo.pose(p=[0.0, 1e-3, 0.0])
    found = law.recover(moved)
    close(found, q, 1e-11)
    angle, distance = misfit(law, moved, found)
    assert angle <= 1e-14
    assert distance == pytest.approx(1e-3, rel=1e-9)


def test_the_point_at_the_end_of_an_open_curve() -> None:
    law = PointOnCurve(SLOT5)
    for t in (0.0, 1.0):
        X = transform(law, [t, 0.0, 0.0])
        close(law.recover(X), [t, 0.0, 0.0])
        (_, _), (du, dv) = law.curve.derivatives(t, 1)
        X[:2, 3] += (2 * t - 1) * 0.1 * np.array([du, dv]) / math.hypot(du, dv)
        assert law.recover(X)[0] == t
        assert misfit(law, X, law.recover(X))[1] == pytest.approx(0.1, rel=1e-12)


# --- seat -------------------------------------------------------------------------------------------------------------


STARTING = ("on_plane", "on_line")  # the origin is on them


@every_case
def test_a_seat_from_the_value_fits(case: Case) -> None:
    for i, q in enumerate(draws(case, 4)):
        X_WF, X_WM = case.law.seat(random_pose(i), None, q)
        close(X_WF, random_pose(i), 0.0)
        close(X_WM, X_WF @ transform(case.law, q), 1e-14)
    neutral = case.law.neutral()
    if isinstance(case.law, PointOnCurve | LineOnCurve | OnSurface | OnCurve) and case.name not in STARTING:
        # a curve or a surface has no zero to start from
        with pytest.raises(ModelError, match="`to` is missing"):
            case.law.seat(random_pose(7), None, None)
        return
    X_WF, X_WM = case.law.seat(random_pose(7), None, None)
    close(X_WM, X_WF @ transform(case.law, neutral), 1e-14)


@every_case
def test_a_seat_from_two_frames_fits(case: Case) -> None:
    for i, q in enumerate(draws(case, 4)):
        given = random_pose(i)
        X_WF, X_WM = case.law.seat(given, given @ transform(case.law, q), None)
        assert geo.is_pose(X_WF, 1e-12)
        assert geo.is_pose(X_WM, 1e-12)
        X_FM = geo.inverse(X_WF) @ X_WM
        angle, distance = misfit(case.law, X_FM, case.law.recover(X_FM))
        assert angle <= 1e-13
        assert distance <= 1e-13


def test_a_gear_turns_its_frame_to_the_line_of_centres() -> None:
    law = Gear(0.3, 0.2)
    X_WF, X_WM = law.seat(geo.pose(p=[1.0, 2.0, 3.0]), geo.pose(p=[1.0, 2.5, 3.1]), None)
    close(X_WF[:3, :3], [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    close(X_WM[:3, :3], X_WF[:3, :3])
    close(law.recover(geo.inverse(X_WF) @ X_WM), [0.0, 0.0, 0.1])


def test_a_rack_keeps_what_the_pinion_says_about_its_place() -> None:
    law = Rack(0.2)
    X_WF, X_WM = law.seat(geo.pose(), geo.pose(p=[0.5, 0.21, 0.0]), None)
    close(law.recover(geo.inverse(X_WF) @ X_WM), [0.5, 0.01, 0.0])


def test_a_bevel_seats_its_second_axis() -> None:
    axis = np.array([0.0, math.sin(1.2), math.cos(1.2)])
    law = Bevel(0.4, 0.8)
    X_WF, X_WM = law.seat(geo.frame_from_axis([0, 0, 0], [0, 0, 1]), geo.frame_from_axis([0, 0, 0], axis), None)
    close(X_WM[:3, 2], axis)
    close(X_WF[:3, 2], [0, 0, 1])
    close(law.recover(geo.inverse(X_WF) @ X_WM), [0.0, 0.0])


def test_a_line_may_be_given_in_either_direction() -> None:
    law = LineOnCurve(RING5)
    X = transform(law, [0.4, 0.3, 0.0])
    turned = X @ np.diag([-1.0, -1.0, 1.0, 1.0])
    for given in (X, turned):
        _, X_WM = law.seat(np.eye(4), given, None)
        close(X_WM, X)


@pytest.mark.parametrize(
    ("law", "second", "message"),
    [
        (Gear(0.3, 0.2), geo.frame_from_axis([0.5, 0, 0], [0, 1, 0]), "the gear axes are not parallel: 90 deg apart"),
        (Gear(0.3, 0.2), geo.frame_from_axis([0.5, 0, 0], [0, 0, -1]), "the gear axes are not parallel: 180 deg apart"),
        (Gear(0.3, 0.2), geo.pose(p=[0, 0, 0.5]), "the gear centres lie on one axis"),
        (Gear(0.3, 0.2, ALPHA, 0.0, 1), geo.pose(p=[0.46, 0, 0]), "involute teeth jam at 0.469846 m"),
        (Rack(0.3), geo.frame_from_axis([0, 0.3, 0], [1, 0, 0]), "rack and pinion axes are not parallel"),
        (Bevel(0.5, 0.5), geo.pose(), "the bevel axes are parallel"),
    ],
)
def test_frames_that_cannot_be_seated(law: Law, second: np.ndarray, message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        law.seat(np.eye(4), second, None)
    assert caught.value.problems[0].hint


# --- rates: closed forms (Matrix Methods, sec. 6.3, corrected) --------------------------------------------------------


def column(w: Any, v: Any) -> list[float]:
    """Twist [v; w] from the angular and the linear part of a derivative operator."""
    return [*v, *w]


E1, E2, E3 = np.eye(3)
NONE = np.zeros(3)


def closed_form(law: Law, q: list[float]) -> np.ndarray:
    """The derivative operators Q of the joint catalogue as columns [v; w]."""
    match law:
        case Revolute():
            columns = [column(E3, NONE)]
        case Prismatic():
            columns = [column(NONE, E3)]
        case Helical(lead):
            columns = [column(E3, lead / (2 * math.pi) * E3)]
        case Cylindric():
            columns = [column(E3, NONE), column(NONE, E3)]
        case Flat():
            columns = [column(NONE, E1), column(NONE, E2), column(E3, [q[1], -q[0], 0.0])]
        case Universal():
            columns = [column(E3, NONE), column([math.cos(q[0]), math.sin(q[0]), 0.0], NONE)]
        case Gear(R, mate, alpha, beta, flank):
            C, c, s = R + mate + q[1], math.cos(q[0]), math.sin(q[0])
            working = math.acos((R + mate) * math.cos(alpha) / C) if flank else 0.0
            k = flank * math.sin(working) / (mate * math.cos(alpha))
            h = math.tan(beta) / mate
            columns = [
                column((R + mate) / mate * E3, np.array([s, -c, 0.0]) * ((R + mate) / mate * C - C)),
                column(k * E3, [c + k * C * s, s - k * C * c, 0.0]),
                column(h * E3, [h * C * s, -h * C * c, 1.0]),
            ]
            if q[1] == 0.0:
                close(columns[0][:3], R / mate * C * np.array([s, -c, 0.0]))
        case Rack(R, alpha, beta, flank):
            k, h = -flank * math.tan(alpha) / R, math.tan(beta) / R
            columns = [
                column(-E3 / R, [-q[1] / R, q[0] / R, 0.0]),
                column(-k * E3, [-k * (R + q[1]), 1 + k * q[0], 0.0]),
                column(h * E3, [h * (R + q[1]), -h * q[0], 1.0]),
            ]
        case Bevel(g, mate):
            theta, ratio = g + mate + q[1], math.sin(g) / math.sin(mate)
            c, s = math.cos(q[0]), math.sin(q[0])
            w2 = np.array([s * math.sin(theta), -c * math.sin(theta), math.cos(theta)])
            columns = [column(E3 + ratio * w2, NONE), column([c, s, 0.0], NONE)]
        case PointOnCurve(curve):
            (u, v), (du, dv) = curve.derivatives(q[0], 1)
            columns = [column(NONE, [du, dv, 0.0]), column(E3, [v, -u, 0.0]), column(NONE, E3)]
        case LineOnCurve(curve):
            (u, v), (du, dv), (ddu, ddv) = curve.derivatives(q[0], 2)
            turn = (du * ddv - dv * ddu) / (du**2 + dv**2)
            speed = math.hypot(du, dv)
            columns = [
                column(turn * E3, [du + turn * v, dv - turn * u, 0.0]),
                column(NONE, [-du / speed, -dv / speed, 0.0]),
                column(NONE, E3),
            ]
        case _:
            columns = []
    return np.array(columns).T.reshape(6, len(columns))


@pytest.mark.parametrize("case", [c for c in CASES if c.law.rates is None], ids=lambda c: c.name)
def test_rates_against_the_closed_forms(case: Case) -> None:
    for q in draws(case):
        expected = closed_form(case.law, q)
        scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
        close(case.law.twists(q), expected, 1e-12 * scale)


def erp_turns(q: list[float]) -> np.ndarray:
    """Angular parts of the four operators of a ball joint: columns for (x, y, z, w)."""
    w, x, y, z = q
    return 2 * np.array([[w, z, -y], [-z, w, x], [y, -x, w], [-x, -y, -z]]).T


def quaternion_rate(q: list[float], turn: np.ndarray) -> np.ndarray:
    """dq/dt of a quaternion (w first) for an angular velocity in the moving axes: q ∘ ω / 2."""
    return geo.quaternion_product(np.array(q), np.array([0.0, *turn])) / 2


@pytest.mark.parametrize("seed", range(6))
def test_rates_of_the_ball_against_the_closed_form(seed: int) -> None:
    q = quaternion(np.random.default_rng(seed))
    for i in range(3):
        rate = quaternion_rate(q, np.eye(3)[i])
        expected = erp_turns(q) @ [*rate[1:], rate[0]]
        close(Spheric().twists(q)[:, i], [0, 0, 0, *expected])


@pytest.mark.parametrize("seed", range(6))
def test_rates_of_the_free_joint_against_the_closed_form(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = rng.uniform(-2, 2, 3), quaternion(rng)
    found = Free().twists([*p, *q])
    close(found[:, :3], np.vstack([np.eye(3), np.zeros((3, 3))]))
    for i in range(3):
        rate = quaternion_rate(q, np.eye(3)[i])
        turn = erp_turns(q) @ [*rate[1:], rate[0]]
        close(found[:, 3 + i], [*-np.cross(turn, p), *turn])


# --- tracing ----------------------------------------------------------------------------------------------------------


def traced(law: Law, q: Any) -> ca.SX:
    """The pose of a law as a CasADi expression."""
    R, p = law.motion(q)
    rows = [ca.horzcat(*(ca.SX(e) for e in (*R[i], p[i]))) for i in range(3)]
    return ca.vertcat(*rows, ca.SX([[0.0, 0.0, 0.0, 1.0]]))


@every_case
def test_the_traced_motion_is_the_motion(case: Case) -> None:
    q = ca.SX.sym("q", len(case.law.variables))
    pose = ca.Function("pose", [q], [traced(case.law, [q[i] for i in range(q.numel())])])
    for values in draws(case):
        close(np.array(pose(values)), transform(case.law, values), 1e-13)


@every_case
def test_rates_against_the_differentiated_trace(case: Case) -> None:
    law = case.law
    n = len(law.variables)
    if n == 0:
        assert law.twists([]).shape == (6, 0)
        return
    q = ca.SX.sym("q", n)
    X = traced(law, [q[i] for i in range(n)])
    jacobian = ca.Function("jacobian", [q], [ca.jacobian(ca.reshape(X, 16, 1), q)])
    for values in draws(case, 6):
        D = np.array(jacobian(values)).reshape(4, 4, n, order="F")
        operators = np.einsum("ijk,jl->ilk", D, geo.inverse(transform(law, values)))
        if law.rates is not None:
            # From rates to changes of the variables: translations as they are, turns through the quaternion.
            ball = np.stack([quaternion_rate(values[-4:], e) for e in np.eye(3)], axis=1)
            change = np.zeros((n, law.freedom))
            change[-4:, -3:] = ball
            change[: n - 4, : n - 4] = np.eye(n - 4)
            operators = np.einsum("ilk,km->ilm", operators, change)
        expected = np.array([geo.twist_from_matrix(operators[:, :, k]) for k in range(law.freedom)]).T
        scale = max(1.0, float(np.max(np.abs(expected))))
        close(law.twists(values), expected, 1e-12 * scale)


def parameters_of(law: Law) -> list[str]:
    return list(law.numbers())


PARAMETRIC = [c for c in CASES if parameters_of(c.law)]


@pytest.mark.parametrize("case", PARAMETRIC, ids=lambda c: c.name)
def test_parameters_can_be_traced_and_differentiated(case: Case) -> None:
    law, names = case.law, parameters_of(case.law)
    values = [law.numbers()[name] for name in names]
    symbols = ca.SX.sym("p", len(names))
    with_symbols = law.with_numbers({name: symbols[i] for i, name in enumerate(names)})
    q = draws(case, 1)[0]
    X = traced(with_symbols, q)
    pose = ca.Function("pose", [symbols], [X, ca.jacobian(ca.reshape(X, 16, 1), symbols)])
    X_value, jacobian = pose(values)
    close(np.array(X_value), transform(law, q), 1e-13)
    for i, name in enumerate(names):
        step = 1e-30
        R, p = law.with_numbers({name: complex(values[i], step)}).motion(q)
        exact = np.array([[complex(e).imag / step for e in (*R[k], p[k])] for k in range(3)])
        found = np.array(jacobian)[:, i].reshape(4, 4, order="F")[:3]
        close(found, exact, 1e-12 * max(1.0, float(np.max(np.abs(exact)))))


# --- batches ----------------------------------------------------------------------------------------------------------


@every_case
def test_a_batch_is_the_loop(case: Case) -> None:
    rows = np.array(draws(case, 6)).reshape(6, len(case.law.variables))
    if rows.shape[1] == 0:
        return
    together = transform(case.law, list(rows.T))
    assert together.shape == (6, 4, 4)
    close(together, np.stack([transform(case.law, row) for row in rows]), 1e-15)
    block = transform(case.law, [c.reshape(2, 3) for c in rows.T])
    close(block.reshape(6, 4, 4), together, 0.0)


def test_a_batch_may_hold_some_variables_still() -> None:
    X = transform(Flat(), [np.array([0.1, 0.2]), 0.0, 0.5])
    close(X[1], transform(Flat(), [0.2, 0.0, 0.5]), 0.0)


# --- bad parameters ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Helical(0.0), "the lead is 0"),
        (lambda: Helical(0), "the lead is 0"),
        (lambda: Helical(math.nan), "the lead is nan"),
        (lambda: Helical(math.inf), "the lead is inf"),
        (lambda: Gear(0.0, 1.0), "radii 0 and 1"),
        (lambda: Gear(1, 0), "radii 1 and 0"),
        (lambda: Gear(math.nan, 1.0), "radii nan and 1"),
        (lambda: Gear(0.5, -0.5), "no distance between the centres"),
        (lambda: Gear(0.5, -0.7), "no distance between the centres"),
        (lambda: Gear(0.5, 0.7, math.radians(70)), "the pressure angle is 70 deg"),
        (lambda: Gear(0.5, 0.7, math.nan), "the pressure angle is nan deg"),
        (lambda: Gear(0.5, 0.7, ALPHA, math.radians(85)), "the helix angle is 85 deg"),
        (lambda: Gear(0.5, 0.7, flank=2), "flank is 2"),
        (lambda: Gear(0.5, 0.7, 0.0, 0.0, 1), "a tooth flank without a pressure angle"),
        (lambda: Rack(0.0), "the radius is 0"),
        (lambda: Rack(math.inf), "the radius is inf"),
        (lambda: Rack(0.2, -0.1), "the pressure angle is"),
        (lambda: Bevel(0.0, 1.0), "cone angles must lie between 0 and 180 deg"),
        (lambda: Bevel(2.0, 1.5), "add up to a shaft angle between 0 and 180 deg"),
        (lambda: Bevel(0.5, -0.7), "add up to a shaft angle between 0 and 180 deg"),
    ],
)
def test_bad_parameters(make: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


# --- concerns and reach -----------------------------------------------------------------------------------------------


def concerns(law: Law, *q: float) -> list[str]:
    return [p.what for p in law.concerns(np.array(q), "{:.6g} m".format)]


def test_gears_mesh_within_a_module() -> None:
    law = Gear(0.10, 0.20, teeth=(20, 40))  # module 10 mm
    assert concerns(law, 0.0, 0.0099, 0.0) == []
    assert concerns(law, 0.0, 0.0101, 0.0) == ["the centre distance is 0.3101 m, the pitch radii ask for 0.3 m"]
    bare = Gear(0.10, 0.20)
    assert concerns(bare, 0.0, -0.019, 0.0) == []
    assert len(concerns(bare, 0.0, -0.021, 0.0)) == 1


def test_a_pinion_on_the_wrong_side() -> None:
    assert concerns(Rack(0.2), 0.0, -0.4, 0.0) == ["the pinion lies on the other side of the rack"]
    assert concerns(Rack(-0.2), 0.0, 0.4, 0.0) == ["the pinion lies on the other side of the rack"]
    assert concerns(Rack(0.2, teeth=20), 0.0, 0.03, 0.0) != []
    assert concerns(Rack(0.2, teeth=20), 0.0, 0.015, 0.0) == []


def test_bevel_shafts_that_do_not_match_the_cones() -> None:
    assert concerns(Bevel(0.5, 0.6), 0.0, math.radians(4.9)) == []
    assert concerns(Bevel(math.radians(30), math.radians(60)), 0.0, math.radians(10)) == [
        "the shafts are 100 deg apart, the cones ask for 90 deg"
    ]


def test_smoothness_of_curves() -> None:
    cubic = SplineCurve("c", SLOT5.points, False, 3)
    assert PointOnCurve(cubic).concerns(np.zeros(3), str) == []
    (warning,) = LineOnCurve(cubic).concerns(np.zeros(3), str)
    assert warning.severity == "warning"
    assert LineOnCurve(SLOT5).concerns(np.zeros(3), str) == []


def test_reach() -> None:
    assert Revolute().reach() == 0.0
    assert Gear(-0.2, 0.5).reach() == pytest.approx(0.7, rel=1e-15)
    assert Rack(-0.3).reach() == 0.3
    line = ExpressionCurve("line", "3*t", "4*t", 0.0, 1.0)
    assert PointOnCurve(line).reach() == LineOnCurve(line).reach() == 5.0


def test_laws_are_values() -> None:
    assert Gear(0.1, 0.2) == Gear(0.1, 0.2)
    assert hash(Helical(0.1)) == hash(Helical(0.1))
    assert Helical(0.1) != Helical(0.2)
    for law in KINDS.values():
        assert inspect.getdoc(law)
