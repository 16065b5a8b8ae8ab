"""Freedoms held by rates that have no variable: integrated along the drives, the same whatever is sampled."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from held_oracle import held_rates, integrated, with_held_turns
from machines import rssr
from random_loops import ByHand

import linkwork as lw
from linkwork import geometry as geo

Array = np.ndarray
SAMPLES = (3, 361, 5000)


def close(a: Any, b: Any, tolerance: float) -> None:
    np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=0.0, atol=tolerance)


def last(run: Any, names: list[str]) -> Array:
    return sample(run, len(run) - 1, names)


def sample(run: Any, k: int, names: list[str]) -> Array:
    return np.array([float(np.asarray(run[n].data)[k]) for n in names])


def way(hand: ByHand, name: str, part: float) -> float:
    """A small way of a variable: an angle, or parts of the machine's size."""
    return part * float(hand.column_scale[hand.rates.index(name)])


def swinging() -> lw.Mechanism:
    """A crank, an arm and a plate on balls: mobility 4, one of them the idle spin of the plate."""
    m = lw.Mechanism("swinging")
    for body in ("crank", "arm", "plate"):
        m.body(body)
    m.revolute("A", m.ground, "crank", at=(0, 0, 0), axis=(0.2, 0.3, 1))
    m.spheric("B", "crank", "arm", at=(0.3, 0.1, 0))
    m.spheric("C", "arm", "plate", at=(0.7, 0.5, 0.4))
    m.spheric("D", m.ground, "plate", at=(1.1, 0.1, -0.2))
    m.point("P", "plate", at=(0.9, 0.6, 0.5))
    return m


# ---------------------------------------------------------------- one drive


@pytest.mark.parametrize("seed", [*range(6), 11, 29])
def test_the_end_of_a_motion_does_not_depend_on_the_samples(seed: int) -> None:
    """11 ends where a rate that is held no longer determines a turn, 29 goes on with other rates on both sides."""
    ends_alike(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", sorted({*range(6, 80)} - {11, 29}))
def test_more_ends_of_motions_do_not_depend_on_the_samples(seed: int) -> None:
    ends_alike(seed)


def ends_alike(seed: int) -> None:
    """3, 361 and 5000 samples, and the kinematic equations integrated by scipy, agree."""
    recipe, s, plain = with_held_turns(seed)
    hand, name = recipe.hand, plain[0]
    here, part = s.home[name], way(hand, name, 0.3 if seed % 2 else -0.3)
    runs = [s.motion({name: (here, here + part)}, samples=n) for n in SAMPLES]
    held = held_rates(runs[0])
    told = runs[0].evidence.integration
    assert told is not None and set(told.held) == {n for n in held if n not in hand.variables}
    assert told.tolerance <= 1e-10 and told.steps > 0 and all(r.evidence.integration == told for r in runs)
    assert len({r.status for r in runs}) == 1
    if runs[0].status == "stopped":  # at a limit of travel, which is the same for all
        limits = [s.travel(name).upper if part > 0 else s.travel(name).lower]
        with pytest.raises(lw.ClosureError) as stop:
            s.at({name: here + part})
        close(stop.value.limit[name] / way(hand, name, 1.0), limits[0] / way(hand, name, 1.0), 1e-9)
        part = 0.9 * (stop.value.limit[name] - here)
        runs = [s.motion({name: (here, here + part)}, samples=n) for n in SAMPLES]
    truth = integrated(hand, hand.from_values(s.home.values), lambda t: {name: part}, held, (0, 1))[0]
    scale = 1.0 + np.abs(truth).max()
    for run in runs:
        assert run.status == "complete" and run.evidence.worst_residual < 1e-12
        close(last(run, hand.variables) / scale, truth / scale, 1e-10)
    close(sample(runs[1], 180, hand.variables) / scale, sample(runs[0], 1, hand.variables) / scale, 1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_samples_between_steps_are_as_good_as_the_steps(seed: int) -> None:
    recipe, s, plain = with_held_turns(seed)
    hand, name = recipe.hand, plain[0]
    here, part = s.home[name], way(hand, name, 0.05)
    run = s.motion({name: (here, here + part)}, samples=101)
    assert run.status == "complete"
    times = np.linspace(0, 1, 101)
    truth = integrated(hand, hand.from_values(s.home.values), lambda t: {name: part}, held_rates(run), (0, 1), times)
    Y = np.stack([np.asarray(run[n].data) for n in hand.variables], axis=1)
    close(Y / (1 + np.abs(truth).max()), truth / (1 + np.abs(truth).max()), 1e-10)


def test_a_point_of_a_plate_on_balls_ends_where_the_rates_lead_it() -> None:
    """It ended 4 µm apart after 0.6 rad, and more after longer ways; the residual was 1e-16."""
    s, hand = swinging().assemble(), ByHand(swinging())
    runs = [s.motion(A=(0, 0.6), samples=n) for n in SAMPLES]
    assert set(held_rates(runs[0])) == {"B.wx", "B.wy", "D.wx"} and s.home.idle == ("D.wx",)
    y = integrated(hand, hand.from_values(s.home.values), lambda t: {"A.angle": 0.6}, held_rates(runs[0]), (0, 1))[0]
    truth = hand.poses(y)["plate"] @ [*(np.array((0.9, 0.6, 0.5)) - hand.X_WB["plate"][:3, 3]), 1.0]
    for run in runs:
        close(np.asarray(run["P"].position.data)[-1], truth[:3], 1e-10)


def test_rates_are_those_of_the_postures() -> None:
    """Velocities and accelerations against differences of the integrated places."""
    s = swinging().assemble()
    run = s.motion(A=lw.cycloidal(0, 0.6, duration=1.0), samples=2001)
    P, v, a = (np.asarray(run[f"P.{x}"].data) for x in ("position", "velocity", "acceleration"))
    weights = np.array([1, -8, 0, 8, -1]) / 12 * 2000
    slope = sum(w * P[k : len(P) - 4 + k] for k, w in enumerate(weights))
    close(slope, v[2:-2], 1e-8)
    close(sum(w * v[k : len(P) - 4 + k] for k, w in enumerate(weights)), a[2:-2], 1e-7)


# ---------------------------------------------------------------- closed form


@pytest.mark.parametrize("beta", [0.3, 0.9, 1.4])
def test_a_rod_that_goes_round_a_cone_turns_by_the_solid_angle(beta: float) -> None:
    """No spin about itself, and yet 2π (1 - cos β) after a round: the pendulum of Foucault."""
    m = lw.Mechanism("cone")
    m.body("crank")
    m.body("rod")
    m.spheric("B", m.ground, "rod", at=(0, 0, 0))
    m.revolute("A", m.ground, "crank", at=(0, 0, 0), axis=(np.cos(beta), np.sin(beta), 0))
    m.spheric("C", "crank", "rod", at=(0.4, 0, 0))
    s = m.assemble()
    for samples in SAMPLES:
        run = s.motion(A=(0, 2 * np.pi), samples=samples)
        assert held_rates(run) == ["B.wx"] and run.evidence.integration.idle == ("B.wx",)
        R = np.asarray(run["rod.rotation"].data)
        close(R[-1] @ [1, 0, 0], [1, 0, 0], 1e-12)
        turned = np.arctan2(R[-1, 2, 1], R[-1, 1, 1])
        around = -2 * np.pi * (1 - np.cos(beta)) * 1.0
        close(np.angle(np.exp(1j * (abs(turned) - abs(np.angle(np.exp(1j * around)))))), 0.0, 1e-10)
        w = np.asarray(run["rod.angular_velocity"].data)
        close(np.einsum("ki,ki->k", w, R[:, :, 0]), 0.0, 1e-12)


def test_many_rounds_and_back_again() -> None:
    """Ten rounds turn by ten angles, and as many back undo them."""
    s = rssr().assemble()
    run = s.motion(A=lw.ramp(s.home["A"], s.home["A"] + 1.0, duration=1.0), samples=11)
    again = s.motion(
        A=lw.sequence(
            lw.ramp(s.home["A"], s.home["A"] + 1.0, duration=1.0), lw.ramp(s.home["A"] + 1.0, s.home["A"], duration=1.0)
        ),
        samples=401,
    )
    close(sample(again, 400, list(s.variables)), s.home.y, 1e-12)
    close(sample(again, 200, list(s.variables)), last(run, list(s.variables)), 1e-10)


# ---------------------------------------------------------------- several drives


@pytest.mark.parametrize("seed", range(4))
def test_several_drives_go_along_their_laws_between_samples(seed: int) -> None:
    along_laws(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4, 40))
def test_more_drives_go_along_their_laws_between_samples(seed: int) -> None:
    along_laws(seed)


def along_laws(seed: int) -> None:
    recipe, s, plain = with_held_turns(seed, 2)
    hand, (a, b) = recipe.hand, plain[:2]
    first = lw.cycloidal(s.home[a], s.home[a] + way(hand, a, 0.1), duration=1.0)
    second = lw.polynomial345(s.home[b], s.home[b] - way(hand, b, 0.1), duration=0.6)
    runs = [s.motion({a: first, b: second}, samples=n, duration=1.0) for n in SAMPLES]
    if runs[0].status != "complete":
        assert all(r.status == "stopped" for r in runs)
        return

    def rates(t: float) -> dict[str, float]:
        return {a: float(first.sample(t)[1]), b: float(second.sample(t)[1])}

    held = held_rates(runs[0])
    y = integrated(hand, hand.from_values(s.home.values), rates, held, (0, 0.6))[0]
    y = integrated(hand, y, rates, held, (0.6, 1.0))[0]
    scale = 1 + np.abs(y).max()
    for run in runs:
        close(last(run, hand.variables) / scale, y / scale, 1e-9)
    close(sample(runs[1], 180, hand.variables) / scale, sample(runs[0], 1, hand.variables) / scale, 1e-10)


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_arrays_go_in_straight_lines_from_sample_to_sample(seed: int) -> None:
    recipe, s, plain = with_held_turns(seed, 2)
    hand, (a, b) = recipe.hand, plain[:2]
    corners = np.array([[0.5, 0], [0.5, 1], [1, 1], [0.2, 0.3]]) * [way(hand, a, 0.15), way(hand, b, 0.15)]
    U = np.array([s.home[a], s.home[b]]) + corners
    sweep = s.solve({a: U[:, 0], b: U[:, 1]})
    held = list(s.at({a: U[0, 0], b: U[0, 1]}).free)
    y, before = hand.from_values(s.home.values), np.array([s.home[a], s.home[b]])
    for k, u in enumerate(U):
        step = u - before
        y, before = integrated(hand, y, lambda t, d=step: {a: d[0], b: d[1]}, held, (0, 1))[0], u
        close([sweep.value(n)[k] for n in hand.variables], y, 1e-9)
    fine = np.concatenate([np.linspace(p, q, 400)[:-1] for p, q in itertools.pairwise(U)] + [U[-1:]])
    close(s.solve({a: fine[:, 0], b: fine[:, 1]}).variables[-1], sweep.variables[-1], 1e-10)
    # By themselves: each is where `at` finds it, in any order.
    alone = s.solve({a: U[:, 0], b: U[:, 1]}, path=False)
    for k, u in enumerate(U):
        close(alone.variables[k], s.at({a: u[0], b: u[1]}).y, 1e-10)
    turned = s.solve({a: U[::-1, 0], b: U[::-1, 1]}, path=False)
    close(turned.variables[::-1], alone.variables, 1e-12)
    assert alone.integration is not None and sweep.integration is not None and sweep.integration.steps >= 4
    if seed:  # the way matters
        assert np.abs(alone.variables[-1] - sweep.variables[-1]).max() > 1e-4


def test_samples_by_themselves_are_blank_where_the_way_from_home_ends() -> None:
    s = rssr().assemble()
    travel = s.travel("D")
    assert np.isfinite(travel.upper)
    values = np.array([travel.upper + 0.1, s.home["D"], 0.5 * (s.home["D"] + travel.upper), travel.lower - 0.1])
    sweep = s.solve({"D": values}, path=False)
    assert sweep.stopped is not None
    np.testing.assert_array_equal(np.isfinite(sweep.variables).all(axis=1), [False, True, True, False])
    close(sweep.variables[2], s.at(D=values[2]).y, 1e-10)


def test_a_ball_that_is_driven_itself_leads_what_rates_hold() -> None:
    """B is put to a turn; the way there is one turn about one axis, and the spins of the others are integrated."""
    s, hand = swinging().assemble(), ByHand(swinging())
    goal = geo.quaternion_product(s.home["B"], np.array([np.cos(0.1), *(np.sin(0.1) * np.array([0.6, 0.0, 0.8]))]))
    p = s.at(B=goal)
    held = list(p.free)
    rates = {"B.wx": 0.2 * 0.6, "B.wy": 0.0, "B.wz": 0.2 * 0.8}
    y = integrated(hand, hand.from_values(s.home.values), lambda t: rates, held, (0, 1))[0]
    close([p[n] for n in hand.variables], y, 1e-9)


# ---------------------------------------------------------------- everything else that follows drives


def test_a_map_goes_along_x_first_and_then_along_y() -> None:
    recipe, s, plain = with_held_turns(3, 2)
    hand, (a, b) = recipe.hand, plain[:2]
    x, y = ((n, s.home[n] - way(hand, n, 0.03), s.home[n] + way(hand, n, 0.05)) for n in (a, b))
    whole = s.map(x, y, samples=(5, 7))
    assert whole.closed.all()
    held = held_rates(s.motion({a: (s.home[a], whole.x[0]), b: s.home[b]}, samples=3))
    for column in (0, 4):
        foot = hand.from_values(s.at({a: whole.x[column], b: s.home[b]}).values)
        for row in (0, 6):
            speeds = {a: 0.0, b: whole.y[row] - s.home[b]}
            top = integrated(hand, foot, lambda t, own=speeds: own, held, (0, 1))[0]
            close(whole.variables[row, column], [top[hand.variables.index(n)] for n in s.variables], 1e-9)
    finer = s.map(x, y, samples=(9, 13))
    close(finer.variables[::2, ::2], whole.variables, 1e-10)


def test_the_travel_of_a_drive_and_its_strokes_do_not_depend_on_where_home_is() -> None:
    s = swinging().assemble()
    travel = s.travel("A")
    moved = s.starting_from(s.at(A=0.2)).travel("A")
    close([moved.lower, moved.upper], [travel.lower, travel.upper], 1e-8)


def test_a_posture_in_two_ways_is_that_in_one() -> None:
    s = swinging().assemble()
    once, half = s.at(A=0.5), s.at(A=0.2)
    close(s.starting_from(half).at(A=0.5).y, once.y, 1e-10)


def test_the_evidence_says_what_was_integrated(tmp_path: Any) -> None:
    s = rssr().assemble()
    run = s.motion(A=(s.home["A"], s.home["A"] + 1.0), samples=21)
    told = run.evidence.integration
    assert isinstance(told, lw.IntegrationEvidence)
    assert told.held == told.idle == ("B.wx",) and told.tolerance == 1e-11 and 3 < told.steps < 60
    assert "integrated: what B.wx determines, to 1e-11 in" in str(run)
    run.save(tmp_path / "run.nc")
    assert lw.load_run(tmp_path / "run.nc").evidence.integration == told
    four = lw.example("four-bar").assemble()
    assert four.motion(O2=(0, 1.0), samples=5).evidence.integration is None
    assert four.solve({"O2": np.linspace(0, 1, 5)}).integration is None


def test_a_motion_with_held_rates_that_is_interrupted_keeps_what_is_done() -> None:
    s = rssr().assemble()

    calls: list[int] = []

    def stop(done: int, count: int) -> None:
        calls.append(done)
        if len(calls) == 1:
            raise KeyboardInterrupt

    run = s.motion({"A": (s.home["A"], s.home["A"] + 60.0)}, samples=2001, progress=stop)
    assert run.status == "stopped" and 0 < len(run) < 2001 and "ended by the user" in run.message


def test_a_body_that_hangs_on_a_ball_is_not_called_idle() -> None:
    """It turns freely, which is a motion of its own; the spin of a rod between two balls is none that anybody sees."""
    m = lw.example("rssr")
    m.body("bob", mass=1.0, com=(0, 0, -0.1), inertia=(0.1, 0.1, 0.1))
    m.spheric("S", "crank", "bob", at=(0, 0, 0))
    home = m.assemble().home
    assert set(home.idle) == {"B.wx", "S.wx", "S.wy", "S.wz"}
    lines = [line.strip() for line in home.report()]
    assert "idle:        B.wx (a spin that moves nothing else)" in lines
    assert "turning:     S.wx, S.wy, S.wz (bodies turn freely, and nothing else moves with them)" in lines
