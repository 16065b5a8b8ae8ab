"""Equations of closed loops on random machines of every joint kind, against differences and a second derivation."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "analyses"))
from balances import STENCIL
from laws import CASES
from random_loops import (
    CONTACTS,
    KINDS,
    SMOOTH,
    ByHand,
    Recipe,
    many_loops,
    planar_loops,
    single_loop,
    some_pose,
    spherical_loops,
)

import linkwork as lw
from linkwork import geometry as geo
from linkwork.analyses.kinematics.loops import Loops
from linkwork.equations.closure import SMALL, rotation_vector
from linkwork.equations.loop_solver import Order
from linkwork.model.joints import Free, Rigid

Array = np.ndarray


def close(actual: object, expected: object, tol: float) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=tol)


class Both:
    """A machine and its equations by hand, with the maps between their variables and rates."""

    def __init__(self, recipe: Recipe, cut: tuple[str, ...] = (), tree: str = "shallow") -> None:
        self.hand = ByHand(recipe.mechanism())
        self.machine = recipe.mechanism().assemble(cut=cut, tree=tree)
        self.loops: Loops = self.machine.loops
        floating = [n for n in self.machine.variables if n not in self.hand.variables]
        self.still = dict(zip(self.machine.variables, self.machine.home.y, strict=True)) if floating else {}
        self.columns = [self.machine.variable_rates.index(n) for n in self.hand.rates]

    def y(self, by_hand: Array) -> Array:
        """Variables in the machine's order."""
        values = self.still | dict(zip(self.hand.variables, by_hand, strict=True))
        return np.array([values[n] for n in self.machine.variables])


@cache
def of_kind(kind: str, cut: bool) -> Both:
    """A single loop with a joint of one kind, in the tree or cut."""
    recipe = single_loop(KINDS.index(kind), kind)
    both = Both(recipe, ("J0",) if cut else (recipe.joints[-1].name,))
    assert ("J0" in both.machine.cut_joints) == cut
    return both


@cache
def of_many(seed: int) -> Both:
    makers = (
        lambda: many_loops(seed, 2, mobility=2),
        lambda: many_loops(seed, 3, mobility=1),
        lambda: many_loops(seed, 2, mobility=1, floating=True),
        lambda: planar_loops(seed, 3),
        lambda: spherical_loops(seed, 2),
        lambda: many_loops(seed, 4, mobility=1),
    )
    return Both(makers[seed % len(makers)]())


def jolt(both: Both, seed: int, way: float) -> Array:
    """Random scaled steps; the play of gears is small beside the machine."""
    play = [0.002 if n.endswith((".stretch", ".spread")) else 1.0 for n in both.machine.variable_rates]
    return np.random.default_rng(seed).uniform(-way, way, len(play)) * play


EVERY = [pytest.param(kind, cut, id=f"{kind}-{'cut' if cut else 'tree'}") for kind in KINDS for cut in (True, False)]
MANY = range(6)
FIRST = {case.law.kind: case.name for case in reversed(CASES)}
"""By joint kind, its first law; the others are tried at leisure."""


def by_kind(names: Sequence[str]) -> list[Any]:
    marks = {n: () if n in FIRST.values() else pytest.mark.slow for n in names}
    return [pytest.param(n, marks=mark) for n, mark in marks.items()]


def closed_posture(both: Both, seed: int) -> Array:
    """A posture a little away from the layout, closed by hand; in the machine's order."""
    hand, rng = both.hand, np.random.default_rng(seed)
    _, s, Vt = np.linalg.svd(hand.jacobian(hand.layout))
    null = Vt[int((s > 1e-9 * s[0]).sum()) :]
    for way in (0.03, 0.01, 0.003):
        direction = rng.normal(size=len(null)) @ null
        found = hand.corrected(hand.advanced(hand.layout, way * direction), np.zeros(hand.nv, bool))
        if found is not None:
            return both.y(found)
    raise AssertionError("no closed posture near the layout")


# ---------------------------------------------------------------- errors and the Jacobian


def vanishing_at_the_layout(both: Both) -> None:
    # Rounding of poses along up to ten links, in parts of the machine's size.
    assert both.loops.residual(both.loops.plan.layout_y) <= 1e-13
    y = closed_posture(both, 1)
    assert both.loops.residual(y) <= 1e-12


@pytest.mark.parametrize(("kind", "cut"), EVERY)
def test_errors_vanish_where_every_kind_closes(kind: str, cut: bool) -> None:
    vanishing_at_the_layout(of_kind(kind, cut))


@pytest.mark.parametrize("seed", MANY)
def test_errors_vanish_where_many_loops_close(seed: int) -> None:
    vanishing_at_the_layout(of_many(seed))


def log_rate(e: Array) -> Array:
    """d log R = A ω with R' = ω× R: the inverse of the left Jacobian of a rotation vector e."""
    angle = float(np.linalg.norm(e))
    S = geo.skew(e)
    c = 1 / 12 if angle < 1e-4 else (1 - 0.5 * angle * math.sin(angle) / (1 - math.cos(angle))) / angle**2
    return np.eye(3) - 0.5 * S + c * S @ S


def differences(both: Both, y: Array, step: float) -> Array:
    """Errors differentiated along every rate by central differences of eighth order."""
    loops = both.loops
    unit = np.eye(loops.columns)
    total = np.zeros((loops.columns, loops.rows))
    for k, weight in STENCIL:
        ahead, behind = (loops.errors(loops.advanced(np.tile(y, (len(unit), 1)), s * k * step * unit)) for s in (1, -1))
        total += weight * (ahead - behind) / step
    return total.T


def jacobian_is_the_derivative(both: Both, y: Array, tol: float = 1e-9) -> None:
    """Rounding 1e-16 of errors near 1 over a step of 5e-5, and the ninth derivative times step^8: both below 1e-11.

    The law of the rotation vector itself, exact at closed postures, is put in by hand elsewhere: the tree moves the
    missing turn from its left, and the cut joint from its left or right, depending on which axes are used.
    """
    loops = both.loops
    e, J = loops.equations(y)
    D = differences(both, y, 5e-5)
    for k, cut in enumerate(loops.plan.cuts):
        rows, turning = slice(6 * k, 6 * k + 3), slice(6 * k + 3, 6 * k + 6)
        size = 1.0 + np.abs(D[rows]).max()
        close(J[rows] / size, D[rows] / size, tol)
        size = 1.0 + np.abs(D[turning]).max()
        A = log_rate(e[turning])
        own = np.isin(np.arange(loops.columns), np.arange(cut.w.start, cut.w.stop))
        close(A @ J[turning][:, ~own] / size, D[turning][:, ~own] / size, tol)
        ways = [np.abs(B @ J[turning][:, own] - D[turning][:, own]).max(initial=0.0) / size for B in (A, A.T)]
        assert min(ways) <= tol


@pytest.mark.parametrize(("kind", "cut"), EVERY)
def test_the_jacobian_of_every_kind(kind: str, cut: bool) -> None:
    both = of_kind(kind, cut)
    jacobian_is_the_derivative(both, closed_posture(both, 2))
    away = both.loops.advanced(both.loops.plan.layout_y, jolt(both, 3, 0.05))
    jacobian_is_the_derivative(both, away)


@pytest.mark.parametrize("seed", MANY)
def test_the_jacobian_of_many_loops(seed: int) -> None:
    both = of_many(seed)
    jacobian_is_the_derivative(both, closed_posture(both, 2))
    away = both.loops.advanced(both.loops.plan.layout_y, jolt(both, seed, 0.1))
    assert both.loops.residual(away) > 1e-3
    jacobian_is_the_derivative(both, away)


def same_equations(both: Both) -> None:
    """Both Jacobians forbid the same rates: neither lets the other's null space through."""
    y = closed_posture(both, 4)
    hand = both.hand
    own = both.machine.variables
    J_hand = hand.jacobian(np.array([y[own.index(n)] for n in hand.variables]))
    J = both.loops.equations(y)[1][:, both.columns]  # both scaled by the machine's size
    assert both.loops.length == pytest.approx(hand.size, rel=1e-14)
    for one, other in ((J, J_hand), (J_hand, J)):
        _, s, Vt = np.linalg.svd(one)
        null = Vt[int((s > 1e-9 * s[0]).sum()) :].T
        close(other @ null, 0.0, 1e-12 * s[0] ** 2 / s[s > 1e-9 * s[0]][-1])


@pytest.mark.parametrize(("kind", "cut"), EVERY)
def test_world_twists_give_the_same_equations_of_every_kind(kind: str, cut: bool) -> None:
    same_equations(of_kind(kind, cut))


@pytest.mark.parametrize("seed", MANY)
def test_world_twists_give_the_same_equations_of_many_loops(seed: int) -> None:
    same_equations(of_many(seed))


# ---------------------------------------------------------------- the rotation vector


def log_of(R: Array) -> Array:
    return np.array([float(x) for x in rotation_vector(tuple(tuple(float(e) for e in row) for row in R))])


ANGLES = [
    *(10.0**-k for k in range(1, 17)), 0.5, 1.0, 2.0, 3.0, SMALL, 0.999 * SMALL, 1.001 * SMALL,
    *(math.pi - 10.0**-k for k in range(1, 13)), math.pi - 0.999 * SMALL, math.pi - 1.001 * SMALL,
]  # fmt: skip


@pytest.mark.parametrize("angle", ANGLES, ids=lambda x: f"{x:.17g}")
def test_rotation_vectors(angle: float) -> None:
    rng = np.random.default_rng(int(angle * 1e6))
    for axis in (*rng.normal(size=(20, 3)), [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, -1], [-1, 1e-9, 1e-9]):
        n = np.array(axis, float) / np.linalg.norm(axis)
        for sign in (1.0, -1.0):
            R = geo.from_rotvec(sign * angle * n)
            found = log_of(R)
            # Entries of R are known to 1e-16, and so are sines, from which the axis comes up to SMALL before pi; then
            # it comes from the symmetric part, well known; only its sign hangs on sines of 1e-12 and more.
            tol = 4e-15 + (2e-16 * math.pi / math.sin(angle) if math.sin(angle) > SMALL and angle > 2.0 else 0.0)
            close(found, sign * angle * n, tol)
            close(found, geo.to_rotvec(R), tol)


def test_half_turns() -> None:
    rng = np.random.default_rng(1)
    for axis in (*rng.normal(size=(100, 3)), [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]):
        n = np.array(axis, float) / np.linalg.norm(axis)
        R = 2 * np.outer(n, n) - np.eye(3)  # exactly half a turn, in floating point too: symmetric
        found = log_of(R)
        close(abs(found @ n), math.pi, 2e-15)
        close(np.cross(found, n), 0.0, 2e-15)


def test_the_rotation_vector_changes_smoothly_between_its_formulas() -> None:
    n = np.array([0.48, -0.6, 0.64])
    for near in (math.asin(SMALL), math.pi - math.asin(SMALL)):
        angles = near + np.linspace(-1e-6, 1e-6, 201)
        found = np.array([log_of(geo.from_rotvec(a * n)) @ n for a in angles])
        close(found, angles, 4e-15)  # along the axis; across it rounding counts 1/SMALL times


# ---------------------------------------------------------------- closed, and nothing else


def test_errors_of_a_rigid_joint_tell_the_whole_displacement() -> None:
    """A body on a free joint, held by a rigid one: the error is that displacement, half turns too."""
    rng = np.random.default_rng(4)
    for chord in ("T", "H"):
        m = lw.Mechanism("held")
        m.body("b", frame=lw.placement(rng.uniform(-1, 1, 3)))
        X = some_pose(rng)
        m.joint("O", Free(), "ground", "b", frame=lw.placement(X[:3, 3], matrix=X[:3, :3]))
        ends = ("ground", "b") if chord == "T" else ("b", "ground")
        m.joint("R", Rigid(), *ends, frame=lw.placement(X[:3, 3], matrix=X[:3, :3]))
        m.point("P", "b", (3.0, 1.0, 2.0))
        s = m.assemble(cut=("R",))
        loops = s.loops
        assert s.home.mobility == 0
        assert s.home.redundant == 0
        for angle in (0.0, 1e-9, 1e-3, 0.3, 3.0, math.pi - 1e-9, math.pi):
            axis, p = rng.normal(size=3), rng.normal(size=3)
            v = angle * axis / np.linalg.norm(axis)
            e = loops.errors(np.array([*p, *geo.to_quaternion(geo.from_rotvec(v))]))
            close(np.linalg.norm(e[:3]) * loops.length, np.linalg.norm(p), 1e-14)
            close(np.linalg.norm(e[3:]), angle, 1e-14)
            if angle < 3.1 and chord == "T":
                close(e[3:], v, 1e-14)
                close(e[:3] * loops.length, X[:3, :3] @ p, 1e-14)


@pytest.mark.parametrize("seed", MANY)
def test_equations_vanish_exactly_where_the_poses_agree(seed: int) -> None:
    """The misfit of the cut joints by poses and laws is the error, to a factor that a change of axes can make."""
    both = of_many(seed)
    loops, hand = both.loops, both.hand
    start = closed_posture(both, 3)
    poses_of = both.machine.poses
    for way in (1e-12, 1e-9, 1e-6, 1e-3, 0.1, 1.0):
        y = loops.advanced(start, jolt(both, seed, way))
        X = dict(hand.X_WB) | dict(zip(both.machine.bodies, poses_of(y[: loops.plan.nq]), strict=True))
        names = both.machine.variables
        misfits = hand.misfits(np.array([y[names.index(n)] for n in hand.variables]), X)
        by_joint = dict(zip(hand.laws, misfits, strict=True))
        e = np.abs(loops.errors(y)).reshape(-1, 6).max(axis=1)
        for cut, error in zip(loops.plan.cuts, e, strict=True):
            # |R - R'| is 2 sin(angle/2) at most, the angle at most pi/2 times that; axes add a root of three.
            assert by_joint[cut.joint] <= 2.0 * error + 1e-13
            assert error <= 2.8 * by_joint[cut.joint] + 1e-13
        tree = [x for n, x in by_joint.items() if n not in both.machine.cut_joints]
        assert max(tree) <= 1e-13


# ---------------------------------------------------------------- Newton's step and the rates


def well_chosen(both: Both, y: Array, seed: int = 0) -> Array:
    """Independent columns that determine the rest well."""
    J = both.loops.equations(y)[1]
    _, s, Vt = np.linalg.svd(J)
    null = Vt[int((s > 1e-9 * s[0]).sum()) :].T
    mask = np.zeros(both.loops.columns, bool)
    rng = np.random.default_rng(seed)
    plain = np.array([n in both.machine.variables for n in both.machine.variable_rates])  # others cannot be held
    left = null * (plain * rng.uniform(0.5, 1.0, len(null)) + 1e-3)[:, np.newaxis]
    for _ in range(null.shape[1]):  # the longest row, then what is left across it
        k = int(np.linalg.norm(left, axis=1).argmax())
        mask[k] = True
        n = left[k] / np.linalg.norm(left[k])
        left = left - np.outer(left @ n, n)
    return mask


@pytest.mark.parametrize("kind", by_kind(KINDS))
def test_newtons_steps_converge_quadratically_with_every_kind(kind: str) -> None:
    newton_is_quadratic(of_kind(kind, KINDS.index(kind) % 2 == 0))


@pytest.mark.parametrize("seed", MANY)
def test_newtons_steps_converge_quadratically_in_many_loops(seed: int) -> None:
    newton_is_quadratic(of_many(seed))


def newton_is_quadratic(both: Both) -> None:
    """|e| after a step is at most C |e|²."""
    loops, start = both.loops, closed_posture(both, 5)
    mask = well_chosen(both, start)
    step = loops.step_kernel(loops.order(start, mask))
    y = loops.advanced(start, jolt(both, 6, 1e-3))
    held = y.copy()
    found = []
    for _ in range(6):
        y, measures = step(y, np.array([loops.length]))
        found.append(math.sqrt(measures[0]))
    s = np.linalg.svd(loops.equations(start)[1][:, ~mask], compute_uv=False)
    strongest, weakest = s[0], s[s > 1e-9 * s[0]][-1]
    for before, after in pairwise(found):
        # e after a step is x·H x / 2 with x = -e / J, and H is some times larger than J and 1.
        assert after <= 20 * (1 + strongest) * (before / weakest) ** 2 + 1e-13
    assert found[-1] <= 1e-13
    assert loops.residual(y) <= 1e-13
    plain = mask & np.isin(loops.plan.variable_rates, loops.plan.variables)
    assert plain.any() or loops.quaternions  # what is held may be the spin of a ball
    close(loops.apart(held, y)[plain], 0.0, 1e-15 * (1 + np.abs(held).max()) / loops.column_scale.min())


def rates_close(both: Both, y: Array, mask: Array, tol: float) -> None:
    """J w = 0, and the first and second derivatives of J w along the motion vanish too, by differences of J."""
    loops, rng = both.loops, np.random.default_rng(8)
    given = rng.normal(size=(3, loops.columns)) * loops.column_scale
    W = loops.rates_kernel(loops.order(y, mask), 3)(y, *given)
    for level, prescribed in zip(W, given, strict=True):
        close(level[mask], prescribed[mask], 0.0)
    w, dw, ddw = (level / loops.column_scale for level in W)
    size = max(1.0, *(np.abs(x).max() ** p for x, p in ((w, 3), (dw, 1.5), (ddw, 1))))
    step = 1e-3 / max(1.0, np.abs(w).max(), np.abs(dw).max() ** 0.5)

    def constraint(t: float) -> Array:
        """J(t) w(t): a path with the first two derivatives of the motion serves for the first two of J."""
        J = loops.equations(loops.advanced(y, w * t + dw * t * t / 2))[1]
        return J @ (w + dw * t + ddw * t * t / 2)

    ahead, behind = ([constraint(s * k * step) for k in range(1, 5)] for s in (1, -1))
    first = sum(c * (a - b) for (_, c), a, b in zip(STENCIL, ahead, behind, strict=True)) / step
    second_weights = (8 / 5, -1 / 5, 8 / 315, -1 / 560)
    here = constraint(0.0)
    second = (
        sum(c * (a + b) for c, a, b in zip(second_weights, ahead, behind, strict=True)) - 205 / 72 * here
    ) / step**2
    assert np.abs(here).max() <= tol * 1e-4 * size
    # Differences of eighth order: rounding 1e-16 over the step, and over its square.
    assert np.abs(first).max() * step <= tol * 1e-3 * step * size + 1e-14 * size
    assert np.abs(second).max() * step**2 <= tol * step**2 * size + 1e-14 * size


@pytest.mark.parametrize("kind", by_kind((*SMOOTH, *CONTACTS)))
def test_rates_of_every_kind_keep_the_loop_closed(kind: str) -> None:
    both = of_kind(kind, KINDS.index(kind) % 2 == 1)
    y = closed_posture(both, 7)
    rates_close(both, y, well_chosen(both, y), 1e-6)


@pytest.mark.parametrize("seed", MANY)
def test_rates_keep_many_loops_closed(seed: int) -> None:
    both = of_many(seed)
    y = closed_posture(both, 7)
    rates_close(both, y, well_chosen(both, y), 1e-6)


def any_order(J: Array, mask: Array, rng: np.random.Generator) -> Order:
    """Pivots in a random order: any entry that is not too small beside the largest one left."""
    rest, pivots = J.copy(), []
    rest[:, mask] = 0.0
    while np.abs(rest).max() > 1e-9:
        r, c = (int(k) for k in rng.choice(np.argwhere(np.abs(rest) > 0.2 * np.abs(rest).max())))
        pivots.append((r, c))
        rest -= np.outer(rest[:, c], rest[r]) / rest[r, c]
        rest[r], rest[:, c] = 0.0, 0.0
    return Order(tuple(pivots))


@pytest.mark.parametrize("seed", MANY[:5])
def test_every_order_of_pivots_gives_the_same_answer(seed: int) -> None:
    both = of_many(seed)
    loops, y, rng = both.loops, closed_posture(both, 9), np.random.default_rng(seed)
    mask = well_chosen(both, y)
    J = loops.equations(y)[1]
    given = rng.normal(size=(2, loops.columns)) * loops.column_scale
    orders = [loops.order(y, mask), *(any_order(J, mask, rng) for _ in range(2))]
    assert len({o.key for o in orders}) == 3
    rates = [loops.rates_kernel(order, 2)(y, *given) / loops.column_scale for order in orders]
    s = np.linalg.svd(J[:, ~mask], compute_uv=False)
    condition = s[0] / s[s > 1e-9 * s[0]][-1]
    away = loops.advanced(y, np.where(mask, 0.0, 1e-4 * rng.uniform(-1, 1, loops.columns)))
    ends = []
    for order in orders:
        moved = away
        for _ in range(5):
            moved, _ = loops.step_kernel(order)(moved, np.array([loops.length]))
        ends.append(moved)
    for rate, end in zip(rates[1:], ends[1:], strict=True):
        # Both are solutions of one system by elimination: rounding times its condition.
        close(rate / np.abs(rates[0]).max(), rates[0] / np.abs(rates[0]).max(), 1e-14 * condition**2)
        close(loops.apart(ends[0], end), 0.0, 1e-13 * condition)
