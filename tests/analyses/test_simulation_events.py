"""What happens on the way: stops, friction that sticks, conditions and actions, against closed forms and other ways to
work it out. Times of events are compared to round-off, and the balance of energy is kept through all of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import simulation_fixtures as truths
from kane import Kane
from kinematic_machines import four_bar, unit
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.errors import ModelError

Array = np.ndarray
TIGHT = {"rtol": 1e-12, "atol": 1e-13}
G = 9.81


def done(run: Any) -> Any:
    """A run that came to its end with its energy accounted for."""
    assert run.status == "complete", run.message
    told = run.evidence.simulation
    assert told.energy_error <= 1e-9 * max(told.energy_scale, 1e-6), (told.energy_error, told.energy_scale)
    return run


def times_of(run: Any, name: str, what: str = "") -> Array:
    return np.array([e.time for e in run.events if e.name == name and what in e.what])


def near(found: Any, expected: Any, tolerance: float) -> None:
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance)


def slide(mass: float = 2.0, gravity: float = 0.0, value: float = 0.0) -> lw.Mechanism:
    """A block along x, S; gravity pulls along x."""
    m = lw.Mechanism("slide", gravity=(gravity, 0, 0))
    m.body("block", mass=mass, com=(0, 0, 0))
    m.prismatic("S", "ground", "block", at=(0, 0, 0), axis="x", value=value)
    m.point("P", "block", (0, 0, 0))
    return m


def linkage(gravity: float = G, **loads: float) -> lw.Mechanism:
    """A four-bar with masses, and friction in the pins that are named."""
    m = four_bar(0.1, 0.3, 0.25, 0.35, 1.0)
    m.gravity = (0.0, -gravity, 0.0)
    for name, at in (("crank", 0.05 * unit(1.0)), ("coupler", (0.2, 0.15, 0)), ("rocker", (0.3, 0.1, 0))):
        m.bodies.pop(name), m.body(name, mass=1.0, com=at, inertia=(0.01, 0.01, 0.02))
    for pin, level in loads.items():
        m.friction(f"f{pin}", pin, level=level, form="exact")
    return m


# ---------------------------------------------------------------- stops


@pytest.mark.parametrize("what, low", [("S", -1.0), ("P.x", -1.0), ("2*S", -2.0), ("P.x + S", -2.0)])
def test_a_ball_bounces_on_variables_points_and_expressions(what: str, low: float) -> None:
    """Free fall by 1 m: C1, however the floor is said."""
    run = done(
        slide(1.0, -G).assemble().simulate(3.0, samples=7, events=lw.stop(what, low=low, restitution=0.8), **TIGHT)
    )
    near(times_of(run, what)[:5], truths.BALL_IMPACTS, 1e-13)
    near(run["S"].value, [truths.ball_height(t) - 1.0 for t in run.time], 1e-12)


def test_zeno() -> None:
    """Infinitely many impacts in finite time end in rest, with a message, and the floor carries the weight."""
    s = truths.ball().assemble()
    run = done(s.simulate(6.0, samples=13, events=lw.stop("H", low=0.0, restitution=0.8, name="floor"), **TIGHT))
    last = run.events[-1]
    assert "comes to rest after" in last.what and "ever shorter" in last.what
    near(last.time, truths.BALL_REST, 1e-9)
    near(run["floor.push"][-3:], G, 1e-12)
    near(run.evidence.simulation.impact_loss, G, 1e-10)  # all the energy of 1 kg, 1 m up


def test_impacts_that_do_not_die_out_fast_enough_end_the_run_by_name() -> None:
    """Nearly elastic bounces in a narrowing gap: without end, and told."""
    m = lw.Mechanism("squeezed")
    m.body("wall", mass=1.0)
    m.body("ball", mass=1.0)
    m.prismatic("W", "ground", "wall", at=(0, 0, 0), axis="x", value=1.0)
    m.prismatic("B", "ground", "ball", at=(0, 0, 0), axis="x")
    run = m.assemble().simulate(
        2.0, rates={"B": 1.0}, drives={"W": lw.ramp(1.0, 0.0, duration=1.0)},
        events=[lw.stop("B", low=0.0, restitution=1.0), lw.stop("W - B", low=0.0, restitution=1.0)],
    )  # fmt: skip
    assert run.status == "stopped" and "without end" in run.message
    assert "B" in run.message and 0.9 < run.time[-1] <= 1.0


def test_elastic_impacts_keep_the_energy() -> None:
    s = slide(1.5, -G).assemble()
    run = done(s.simulate(5.0, samples=301, events=lw.stop("S", low=-0.7, restitution=1.0), **TIGHT))
    energy = 0.75 * run["S.slide.rate"].values ** 2 + 1.5 * G * run["S"].value.values
    near(energy, 0.0, 1e-10)
    first, every = math.sqrt(1.4 / G), 2 * math.sqrt(1.4 / G)
    near(times_of(run, "S"), np.arange(first, 5.0, every), 1e-12)


def test_the_rod_of_the_benchmarks() -> None:
    """C2, with the impulse in the record."""
    m = truths.falling_rod()
    m.point("low", "rod", (0.0, 0.5, 0.0))
    run = done(
        m.assemble().simulate(
            0.5, samples=6, rates={"F.y": -2.0}, events=lw.stop("low.y", low=0, restitution=0.5), **TIGHT
        )
    )
    near(times_of(run, "low.y")[0], 0.25, 1e-14)
    assert run.events[0].what == "struck at 2, impulse 1.2"
    near(run["F.angle.rate"][-1], -truths.ROD_SPIN, 1e-12)
    near(run["centre.vy"][-1], -0.8, 1e-12)
    near(run.evidence.simulation.impact_loss, 0.6, 1e-12)


def kane_impact(s: Any, y: Array, w: Array, gradient: Array, restitution: float) -> tuple[Array, float]:
    """Rates after an impact along a gradient with loops kept, and the energy that is lost."""
    _, M, _, J, _ = (np.array(x) for x in Kane(s, y).terms(y, w))
    K = np.block([[M, J.T, -gradient[:, None]], [J, np.zeros((len(J), len(J) + 1))], [gradient, np.zeros(len(J) + 1)]])
    right = np.concatenate([np.zeros(len(w) + len(J)), [-(1 + restitution) * gradient @ w]])
    after = w + np.linalg.solve(K, right)[: len(w)]
    return after, float(w @ M @ w - after @ M @ after) / 2


@pytest.mark.parametrize("what, limit", [("O4", "low"), ("A", "high"), ("P.y", "low")])
@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
def test_impacts_of_closed_loops(what: str, limit: str, restitution: float) -> None:
    """All joints of a linkage jump; Kane's equations say how far."""
    m = linkage()
    m.point("P", "coupler", (0.2, 0.25, 0))
    s = m.assemble()
    free = s.simulate(0.5, samples=501, rates={"O2": 2.0}, **TIGHT)
    course = free[what].value.values if what != "P.y" else free["P.y"]
    value = float(course[100])
    side = 1.0 if limit == "high" else -1.0
    if side * (course[101] - course[99]) < 0.0:
        side, limit = -side, "high" if limit == "low" else "low"
    run = done(
        s.simulate(
            0.1002, times=[0.0, 0.1 + 1e-13, 0.1002], rates={"O2": 2.0},
            events=lw.stop(what, restitution=restitution, **{limit: value}), **TIGHT
        )
    )  # fmt: skip
    near(run.events[0].time, 0.1, 1e-12)
    y, w = free.y[100], free.w[100]
    gradient = np.zeros(len(w))
    if what == "P.y":
        jacobian = s.jacobian("P", y[: s.nq])
        gradient[: s.nv] = jacobian[1]
    else:
        gradient[s.variable_rates.index(f"{what}.angle")] = 1.0
    after, lost = kane_impact(s, y, w, gradient, restitution)
    near(run.w[1], after, 1e-9)
    near(run.evidence.simulation.impact_loss, lost, 1e-10)
    near(run.evidence.worst_residual, 0.0, 1e-12)


def test_two_stops_at_once() -> None:
    """A rod falls flat on two posts at its ends, and on one post and the middle, without and with bounce."""
    for restitution, spread in ((0.0, 1.0), (0.5, 1.0), (0.5, 0.5)):
        m = lw.Mechanism("beam", gravity=(0, -G, 0))
        m.body("rod", mass=1.0, com=(0, 0.3, 0), inertia=(1 / 12, 1 / 12, 1 / 12))
        m.flat("F", "ground", "rod", at=(0, 0, 0), axis="z", value=(0.0, 0.3, 0.0))
        m.point("left", "rod", (-0.5, 0.3, 0))
        m.point("right", "rod", (spread - 0.5, 0.3, 0))
        posts = [lw.stop(f"{end}.y", low=0.0, restitution=restitution, name=end) for end in ("left", "right")]
        impact = math.sqrt(0.6 / G)
        run = done(m.assemble().simulate(impact + 0.01, times=[0.0, impact + 0.01], events=posts, **TIGHT))
        near([times_of(run, end)[0] for end in ("left", "right")], impact, 1e-14)
        speed = math.sqrt(2 * G * 0.3)
        assert run.events[0].time == run.events[1].time
        # The two ends leave with restitution times their speed, and so does the whole rod: nothing turns.
        if restitution:
            near(run["F.angle.rate"][-1], 0.0, 1e-12)
            near(run["F.y.rate"][-1], restitution * speed - G * 0.01, 1e-11)
        else:
            near([run["left.push"][-1], run["right.push"][-1]], G / 2, 1e-10)
            near(run["F.y.rate"][-1], 0.0, 1e-12)


@pytest.mark.parametrize("post, lifts", [(0.9, False), (0.7, False), (0.6, True), (0.4, True)])
def test_a_stop_struck_while_leaning_on_another(post: float, lifts: bool) -> None:
    """A rod leans with its left end on a post, and another one strikes it from below at x. It turns about its end while
    that stays down, x > 2/3; it is lifted by an impulse nearer than the centre of percussion."""
    m = lw.Mechanism("beam", gravity=(0, -G, 0))
    m.body("rod", mass=1.0, com=(0.5, 0.0, 0), inertia=(1 / 12, 1 / 12, 1 / 12))
    m.flat("F", "ground", "rod", at=(0, 0, 0), axis="z")
    m.point("left", "rod", (0, 0, 0))
    m.point("right", "rod", (post, 0, 0))
    s = m.assemble()
    left = lw.stop("left.y", low=0.0, name="left")
    right = lw.stop("right.y", low=-0.02, restitution=0.7, name="right")
    swing = done(s.simulate(0.2, samples=2, events=[left, lw.when("right.y + 0.02", name="there")], **TIGHT))
    t = times_of(swing, "there")[0]
    before = done(s.simulate(t, times=[t], events=left, **TIGHT))
    run = done(s.simulate(t + 1e-3, times=[t + 1e-13], events=[left, right], **TIGHT))
    near(times_of(run, "right")[0], t, 1e-14)
    angle, spin = float(before["F.angle"][0]), float(before["F.angle.rate"][0])
    near(before["left.y"], 0.0, 1e-14)
    near(0.5 * spin**2 / 3, G * 0.5 * math.sin(-angle), 3e-3)  # nearly: its left end slides
    speed = -float(before["right.vy"][0])
    arm, middle = post * math.cos(angle), 0.5 * math.cos(angle)
    # Unit impulses up at both posts change velocities up there by 1 + 12 r r' with levers r from the middle.
    r = np.array([-middle, arm - middle])
    S = 1.0 + 12.0 * np.outer(r, r)
    wanted = np.array([0.0, 1.7 * speed])
    P = np.linalg.solve(S, wanted)
    assert (P[0] < 0.0) == lifts
    if lifts:
        P = np.array([0.0, 1.7 * speed / S[1, 1]])
    near(run["F.angle.rate"][0], spin + 12.0 * r @ P, 1e-11)
    near(run["right.vy"][0], 0.7 * speed, 1e-11)
    near(run["left.vy"][0], S[0] @ P, 1e-11)


def test_resting_and_lifting_off() -> None:
    """A block rests on the floor until a pull that grows in time, 5 t, exceeds its weight; then it rises by t³."""
    m = slide(1.0, -2.0)
    m.load("pull", "S", amount="5*t")
    run = done(m.assemble().simulate(1.0, samples=11, events=lw.stop("S", low=0.0, name="floor"), **TIGHT))
    near(times_of(run, "floor", "leaves"), [0.4], 1e-13)
    late = np.maximum(run.time - 0.4, 0.0)
    near(run["S"].value, 5 * late**3 / 6, 1e-12)
    near(run["floor.push"], np.maximum(2.0 - 5 * run.time, 0.0), 1e-12)


def test_corrections_mean_the_same_at_all_sizes() -> None:
    """An arm falls onto the floor and slides along it, from a micrometre to a thousand kilometres long."""

    def slid(size: float) -> tuple[Array, float]:
        m = lw.Mechanism("arm", gravity=(0, -G * size, 0))
        for name, before, x in (("a", "ground", 0.0), ("b", "a", 1.0)):
            m.body(name, mass=1.0, com=(size * (x + 0.5), 0, 0), inertia=(0.1 * size**2,) * 3)
            m.revolute(name.upper(), before, name, at=(size * x, 0, 0), axis="z")
        m.point("tip", "b", (2.0 * size, 0, 0))
        floor = lw.stop("tip.y", low=-size, name="floor")
        run = m.assemble().simulate(0.9, samples=31, events=floor, rtol=1e-5, atol=1e-7)
        assert run.status == "complete", run.message
        assert run["floor.push"].values[-1] > 0.0
        near(run["tip.y"].values[-1] / size, -1.0, 1e-14)
        return run.y, run.evidence.simulation.largest_correction

    motion, correction = slid(1.0)
    assert 1e-9 < correction < 1e-3
    for size in (1e-6, 1e6):
        other, same = slid(size)
        near(other, motion, 1e-8)
        assert 0.01 * correction < same < 100.0 * correction


def test_a_stop_that_moves() -> None:
    """A floor that rises with 1 m/s under a resting block strikes it, carries it, and throws it when it turns round."""
    s = slide(2.0, -G).assemble()
    floor = lw.stop("S - 0.1*sin(20*t)", low=0.0, name="floor")
    run = done(s.simulate(0.2, samples=201, events=floor, rates={"S": 2.0}, **TIGHT))
    # It is thrown where the floor falls faster than the block: 40 sin(20 t) = g.
    leaves = math.asin(G / 40) / 20
    near(times_of(run, "floor", "leaves")[0], leaves, 1e-13)
    carried = run.time < leaves
    near(run["S"].value.values[carried], 0.1 * np.sin(20 * run.time[carried]), 1e-13)
    near(run["floor.push"][carried], 2.0 * (G - 40 * np.sin(20 * run.time[carried])), 1e-10)
    up, fast = 0.1 * math.sin(20 * leaves), 2 * math.cos(20 * leaves)
    later = run.time[(run.time > leaves) & (run.time < leaves + 0.1)]
    height = up + fast * (later - leaves) - G * (later - leaves) ** 2 / 2
    near(run["S"].value.values[(run.time > leaves) & (run.time < leaves + 0.1)], height, 1e-12)


def test_a_moving_stop_strikes() -> None:
    """A plate that comes with 3 m/s on a block at rest, restitution 0.5: it goes off with 4.5 m/s."""
    s = slide(2.0).assemble()
    run = done(s.simulate(1.0, samples=11, events=lw.stop("S - 3*t", low=-1.0, restitution=0.5, name="plate"), **TIGHT))
    near(run.events[0].time, 1 / 3, 1e-15)
    near(run["S.slide.rate"][run.time > 0.34], 4.5, 1e-13)


# ---------------------------------------------------------------- elastic stops


@pytest.mark.parametrize("damping", [0.0, 3.0])
@pytest.mark.parametrize("method", ["explicit", "radau"])
def test_an_elastic_stop(damping: float, method: str) -> None:
    """A block meets a spring of 800 N/m at 1.5 m/s. Its force k x + c v never pulls: it is left where that is zero."""
    mass, k, speed = 2.0, 800.0, 1.5
    s = slide(mass).assemble()
    stop = lw.stop("S", high=0.3, stiffness=k, damping=damping or None, name="buffer")
    tight = TIGHT if method == "explicit" else {"rtol": 1e-10, "atol": 1e-11}
    run = s.simulate(0.6, samples=121, rates={"S": speed}, events=stop, method=method, **tight)
    half, full = damping / (2 * mass), math.sqrt(k / mass)
    w = math.sqrt(full**2 - half**2)
    near(times_of(run, "buffer", "touches")[0], 0.2, 1e-14)
    # x = v/w exp(-half t) sin(w t); k x + c v = 0 where tan(w t) = -c w / (k - c half)
    free = (math.pi - math.atan2(damping * w, k - damping * half)) / w if damping else math.pi / w
    after = speed * math.exp(-half * free) * (math.cos(w * free) - half / w * math.sin(w * free))
    near(run["S.slide.rate"][-1], after, 1e-10 if method == "explicit" else 1e-8)
    inside = (run.time > 0.2) & (run.time < 0.2 + free)
    t = run.time[inside] - 0.2
    x = speed / w * np.exp(-half * t) * np.sin(w * t)
    v = speed * np.exp(-half * t) * (np.cos(w * t) - half / w * np.sin(w * t))
    near(run["S"].value.values[inside], 0.3 + x, 1e-11 if method == "explicit" else 1e-9)
    near(run["buffer.push"][inside], -(k * x + damping * v), 1e-8 if method == "explicit" else 1e-6)
    near(run["buffer.push"][~inside & (run.time < 0.2)], 0.0, 0.0)
    if method == "explicit":
        done(run)


def test_elastic_stops_of_a_loop_against_scipy() -> None:
    """Bounds on the rocker of a four-bar: Kane's equations with the same force, by DOP853 from event to event."""
    m = linkage()
    s = m.assemble()
    k, c = 300.0, 1.0
    limit = 2.2
    run = done(
        s.simulate(0.5, samples=6, rates={"O2": 3.0}, events=lw.stop("O4", high=limit, stiffness=k, damping=c), **TIGHT)
    )
    assert len(times_of(run, "O4", "touches")) >= 1
    y0 = run.y[0]
    kane, ny = Kane(s, y0), len(y0)
    place, column = s.variables.index("O4.angle"), s.variable_rates.index("O4.angle")

    def rates(pressed: bool, z: Array) -> Array:
        y, w = z[:ny], z[ny:]
        dy, M, h, J, gamma = (np.array(x) for x in kane.terms(y, w))
        if pressed:
            h[column] += max(0.0, k * (y[place] - limit) + c * w[column])
        K = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
        return np.concatenate([dy[:, 0], np.linalg.solve(K, -np.concatenate([h, gamma])[:, 0])[: len(w)]])

    t, z, pressed = 0.0, np.concatenate([y0, run.w[0]]), False
    crossing: Any = lambda t, z: z[place] - limit  # noqa: E731
    crossing.terminal = True
    for at in run.time[1:]:
        while t < at:
            crossing.direction = -1.0 if pressed else 1.0
            own = solve_ivp(
                lambda t, z, pressed=pressed: rates(pressed, z),
                (t, at),
                z,
                "DOP853",
                events=crossing,
                rtol=1e-12,
                atol=1e-13,
            )
            t, z = float(own.t[-1]), own.y[:, -1]
            if own.status == 1:
                pressed = not pressed
        near(run.y[list(run.time).index(at)], z[:ny], 1e-8)


def test_a_dip_between_places_of_a_step_is_seen() -> None:
    """A block that falls past a limit by a hair and comes back: long steps must not leap over it."""
    for depth in (1e-3, 1e-6, 1e-9):
        s = slide(1.0, -2.0).assemble()
        free = s.simulate(2.0, samples=3, rates={"S": -1.0}, efforts={"S": 4.0})
        assert free.steps < 40
        # With +2 m/s² it turns at 0.5 s, 0.25 m down.
        run = done(s.simulate(2.0, samples=3, rates={"S": -1.0}, efforts={"S": 4.0},
                              events=lw.when(f"S + 0.25 - {depth}", name="deep"), **TIGHT))  # fmt: skip
        near(times_of(run, "deep"), [0.5 - math.sqrt(depth), 0.5 + math.sqrt(depth)], 1e-15 / math.sqrt(depth))


# ---------------------------------------------------------------- friction that sticks


def rubbing(level: float = 1.0, stiffness: float = 50.0, mass: float = 2.0, **more: Any) -> Any:
    m = slide(mass)
    m.spring("coil", joint="S", stiffness=stiffness, free=0.0)
    m.friction("rail", "S", level=level, form="exact", **more)
    return m.assemble()


def test_a_spring_and_dry_friction() -> None:
    """Half cycles about ±level/stiffness: the amplitude falls by 2 level/stiffness each, until it stays in the band."""
    s, w, band = rubbing(), 5.0, 0.02
    run = done(s.simulate(10.0, start={"S": 0.5}, samples=201, **TIGHT))
    halves = 12  # 0.5 - 2 · 12 · 0.02 = 0.02: at the edge of the band after twelve; it stays there or before
    turns = times_of(run, "rail")
    assert len(turns) in (12, 13)
    near(turns[:11], np.arange(1, 12) * math.pi / w, 1e-12)
    for t, x in zip(run.time, run["S"].value.values, strict=True):
        k = min(int(t * w / math.pi), halves)
        if k < halves - 1:
            amplitude, centre = 0.5 - (2 * k + 1) * band, (-1) ** k * band
            near(x, centre + (-1) ** k * amplitude * math.cos(w * t - k * math.pi), 1e-11)
    run = done(s.simulate(10.0, start={"S": 0.51}, samples=11, **TIGHT))
    assert run.events[-1].what == "sticks"
    near(run["S"].value.values[-1], 0.01, 1e-11)  # 0.51, -0.47, ..., 0.03, 0.01: within the band
    near(run["S.slide.rate"][-1], 0.0, 0.0)


def test_it_sticks_at_the_start_and_breaks_away_in_time() -> None:
    """A pull 3 t against a grip of 1.5 · 2 N: at 1 s it gives way, and 2 N brake it from then on."""
    m = slide(2.0)
    m.friction("rail", "S", level=2.0, static=1.5, form="exact")
    m.load("pull", "S", amount="3*t")
    run = done(m.assemble().simulate(2.0, samples=21, **TIGHT))
    near(times_of(run, "rail", "slips"), [1.0], 1e-13)
    late = np.maximum(run.time - 1.0, 0.0)
    near(run["S"].value, late**2 / 4 + late**3 / 4, 1e-12)
    near(run["rail.grip"][run.time < 1.0], -3 * run.time[run.time < 1.0], 1e-12)
    near(run["rail.grip"][run.time >= 1.0], 0.0, 0.0)
    assert "S.slide.effort" not in run.data


@pytest.mark.parametrize("method", ["explicit", "radau"])
def test_a_block_on_a_shaken_table(method: str) -> None:
    """The table goes 0.1 sin(ω t); the block follows up to μ g, slides, and is caught again where velocities meet."""
    w, mu, size = 6.0, 0.3, 0.1
    m = lw.Mechanism("shaker")
    m.body("table", mass=5.0)
    m.body("block", mass=1.5)
    m.prismatic("T", "ground", "table", at=(0, 0, 0), axis="x")
    m.prismatic("S", "table", "block", at=(0, 0, 0), axis="x")
    m.friction("skin", "S", coefficient=mu, normal=1.5 * G, form="exact")
    s = m.assemble()
    run = s.simulate(0.8, samples=81, drives={"T": lw.expression(f"{size}*sin({w}*t)")}, method=method, **TIGHT)
    slips = math.asin(mu * G / (size * w * w)) / w
    # v_block = v0 - μ g (t - slips) meets the table's again
    t = slips + 0.2
    for _ in range(60):
        f = size * w * (math.cos(w * slips) - math.cos(w * t)) - mu * G * (t - slips)
        t -= f / (size * w * w * math.sin(w * t) - mu * G)
    near([e.time for e in run.events[:2]], [slips, t], 1e-12 if method == "explicit" else 1e-8)
    assert [e.what for e in run.events[:2]] == ["slips", "slips"] or run.events[1].what == "sticks"
    if method == "explicit":
        done(run)


def test_two_frictions_at_once() -> None:
    """Two blocks on each other, pulled below by 4 t: the floor gives way at 5 N, the upper block at 2 m/s²."""
    m = lw.Mechanism("stack")
    m.body("low", mass=3.0)
    m.body("high", mass=1.0)
    m.prismatic("L", "ground", "low", at=(0, 0, 0), axis="x")
    m.prismatic("H", "low", "high", at=(0, 0, 0), axis="x")
    m.friction("floor", "L", level=5.0, form="exact")
    m.friction("between", "H", level=2.0, form="exact")
    m.load("pull", "L", amount="4*t")
    run = done(m.assemble().simulate(5.0, samples=51, **TIGHT))
    first, second = 5 / 4, (5 + 4 * 2) / 4
    near(times_of(run, "floor"), [first], 1e-13)
    near(times_of(run, "between"), [second], 1e-12)
    t = run.time
    together = (t > first) & (t < second)
    near(run["L.slide.rate"][together], (t[together] - first) ** 2 / 2, 1e-12)
    apart = t > second
    speed = (second - first) ** 2 / 2
    late = t[apart] - second
    near(run["L.slide.rate"][apart], speed + 2 * late + 2 / 3 * late**2, 1e-11)
    near((run["L.slide.rate"] + run["H.slide.rate"])[apart], speed + 2 * late, 1e-11)


def test_the_normal_force_may_change() -> None:
    """A clamp that loosens: 0.5 (20 - 8 t) N hold against 6 N until 1 s, and brake less and less from then on."""
    m = slide(2.0)
    m.friction("clamp", "S", coefficient=0.5, normal="20 - 8*t", form="exact")
    m.load("push", "S", amount=6.0)
    run = done(m.assemble().simulate(2.0, samples=21, **TIGHT))
    near(times_of(run, "clamp", "slips"), [1.0], 1e-13)
    late = np.maximum(run.time - 1.0, 0.0)
    near(run["S"].value, late**3 / 3, 1e-12)


def test_pins_of_a_loop_hold_together() -> None:
    """A torque t on the crank of a level linkage is held until Σ level · |ratio|, whichever pin is used up first."""
    levels = {"O2": 0.3, "A": 0.2, "B": 0.5, "O4": 0.1}
    m = linkage(0.0, **levels)
    m.load("drive", "O2", amount="t")
    s = m.assemble()
    rates = s.solve({"O2": s.home["O2"]}, {"O2": 1.0}).rates.reshape(-1)
    most = sum(level * abs(float(rates[s.variable_rates.index(f"{p}.angle")])) for p, level in levels.items())
    run = done(s.simulate(2.0, samples=21, **TIGHT))
    slips = [e.time for e in run.events if e.what == "slips"]
    near(slips[:4], [most] * 4, 1e-10)  # later on pins turn round
    assert not [e for e in run.events if e.time < most - 1e-9]
    held = run.time < most
    near(run["O2"].value.values[held], s.home["O2"], 1e-14)
    ratio = {p: float(rates[s.variable_rates.index(f"{p}.angle")]) for p in levels}
    total = sum(ratio[p] * run[f"f{p}.grip"].values[held] for p in levels)
    near(total, -run.time[held], 1e-9)
    for p, level in levels.items():
        assert np.abs(run[f"f{p}.grip"].values).max() <= level * (1 + 1e-9)


def test_a_loop_with_friction_comes_to_rest() -> None:
    """A linkage slows down by the work of four pins; all of them stop at one instant, and it stays there."""
    levels = {"O2": 0.05, "A": 0.04, "B": 0.03, "O4": 0.02}
    s = linkage(0.0, **levels).assemble()
    run = done(s.simulate(3.0, samples=301, rates={"O2": 2.0}, **TIGHT))
    stops = [e for e in run.events if e.what == "sticks"]
    assert {e.name for e in stops} == {f"f{p}" for p in levels} and len({e.time for e in stops}) == 1
    near(run.w[-1], 0.0, 1e-14)
    travelled = {p: np.abs(np.diff(run[p].value.values)).sum() for p in levels}
    start = float(run["machine.kinetic_energy"][0])
    near(sum(level * travelled[p] for p, level in levels.items()), start, 1e-4 * start)  # sums of straight pieces
    near(run.evidence.simulation.work, -start, 1e-10 * start)


def test_friction_of_a_driven_joint() -> None:
    """The drive feels friction against the way it goes: it changes sides where the law turns, and rests in dwells."""
    m = slide(2.0)
    m.friction("rail", "S", level=3.0, viscous=0.5, form="exact")
    law = lw.sequence(
        lw.cycloidal(0.0, 1.0, duration=1.0), lw.dwell(1.0, duration=0.5), lw.cycloidal(1.0, 0.2, duration=1.0)
    )
    run = done(m.assemble().simulate(2.5, samples=251, drives={"S": law}, **TIGHT))
    rate, acceleration = run["S.slide.rate"].values, run["S.slide.acceleration"].values
    moving = np.abs(rate) > 1e-9
    near(run["S.slide.effort"].values[moving], (2 * acceleration + 0.5 * rate + 3 * np.sign(rate))[moving], 1e-9)


def test_friction_yields_to_impacts() -> None:
    """A block that sticks is no wall: its friction is finite, an impact moves it."""
    m = lw.Mechanism("billiards")
    for name, at in (("cue", -1.0), ("ball", 0.0)):
        m.body(name, mass=1.0)
        m.prismatic(name[0].upper(), "ground", name, at=(0, 0, 0), axis="x", value=at)
    m.friction("cloth", "B", level=2.0, form="exact")
    run = done(
        m.assemble().simulate(
            2.0, samples=21, rates={"C": 2.0}, events=lw.stop("B - C", low=0.5, restitution=1.0), **TIGHT
        )
    )
    near(run.events[0].time, 0.25, 1e-14)
    near(run["C.slide.rate"][-1], 0.0, 1e-12)
    near(run["B"].value.values[-1], 2.0**2 / (2 * 2.0), 1e-12)  # brakes with 2 m/s² from 2 m/s
    near(times_of(run, "cloth", "sticks"), [1.25], 1e-13)


# ---------------------------------------------------------------- conditions


def swinging() -> Any:
    """S = cos(t)."""
    m = slide(1.0, value=1.0)
    m.spring("coil", joint="S", stiffness=1.0, free=0.0)
    return m.assemble()


@pytest.mark.parametrize(
    "direction, once, expected",
    [
        ("both", False, [0.5, 1.5, 2.5, 3.5]),
        ("falling", False, [0.5, 2.5]),
        ("rising", False, [1.5, 3.5]),
        ("rising", True, [1.5]),
        ("both", True, [0.5]),
    ],
)
def test_directions(direction: Any, once: bool, expected: list[float]) -> None:
    event = lw.when("S", direction=direction, once=once, name="through")
    run = done(swinging().simulate(4 * math.pi - 0.1, events=event, **TIGHT))
    near(times_of(run, "through"), np.array(expected) * math.pi, 1e-12)


def test_a_condition_that_is_zero_at_the_start_is_not_crossed_there() -> None:
    run = done(
        swinging().simulate(7.0, events=[lw.when("rate(S)", name="turns"), lw.when("S*S", name="touch")], **TIGHT)
    )
    near(times_of(run, "turns"), [math.pi, 2 * math.pi], 1e-12)
    assert not len(times_of(run, "touch"))  # it comes down to zero and goes up again


def test_several_at_one_instant() -> None:
    events = [
        lw.when("S", name="a", direction="falling"),
        lw.when("3*S", name="b", direction="falling"),
        lw.when("t - pi/2", name="c"),
        lw.when("S + 0.5", name="later", direction="falling"),
    ]
    run = done(swinging().simulate(3.0, events=events, **TIGHT))
    near([times_of(run, n)[0] for n in "abc"], math.pi / 2, 1e-13)
    near(times_of(run, "later"), [2 * math.pi / 3], 1e-12)


def test_a_rate_that_jumps_through_zero_is_crossed() -> None:
    """An impact turns the rate round: that is a crossing, at the instant of the impact."""
    s = slide(1.0).assemble()
    events = [lw.stop("S", high=1.0, restitution=1.0), lw.when("rate(S)", name="back", direction="falling")]
    run = done(s.simulate(2.0, rates={"S": 2.0}, events=events, **TIGHT))
    near(times_of(run, "back"), [0.5], 1e-14)


def test_it_ends_where_a_condition_says() -> None:
    run = swinging().simulate(9.0, samples=91, events=lw.when("S + 0.5", stop=True, name="far"), **TIGHT)
    assert run.status == "stopped" and run.message == "far at 2.0944 s"
    near(run.events[-1].time, 2 * math.pi / 3, 1e-12)
    near(run.time, np.arange(21) / 10, 1e-15)
    near(run["S"].value, np.cos(run.time), 1e-11)


# ---------------------------------------------------------------- actions


def test_a_payload_is_picked_up_and_dropped() -> None:
    """From rest the momentum stays; moving along already, the rate does; dropped, the rate does. Energy is counted."""
    s = slide(2.0).assemble()
    run = s.simulate(4.0, times=[0.0, 1.0, 1.5, 2.5, 3.5], rates={"S": 3.0}, events=[
        lw.at(1.0, set={"block.mass": 3.0}, from_rest=True, name="pick"),
        lw.at(2.0, set={"block.mass": 1.0}, name="drop"),
        lw.at(3.0, set={"block.mass": 4.0}, name="meet"),
    ], **TIGHT)  # fmt: skip
    done(run)
    near(run["S.slide.rate"], [3.0, 2.0, 2.0, 2.0, 2.0], 1e-14)
    near(run["machine.kinetic_energy"], [9.0, 6.0, 6.0, 2.0, 8.0], 1e-13)
    told = run.evidence.simulation
    near([told.impact_loss, told.change], [9.0 - 6.0, (2.0 - 6.0) + (8.0 - 2.0)], 1e-13)
    near([e.time for e in run.events], [1.0, 2.0, 3.0], 0.0)


def test_a_payload_of_an_arm() -> None:
    """A point mass appears at rest at the tip of a moving arm: its angular momentum stays, and it swings as another."""
    m = lw.Mechanism("arm", gravity=(0, -G, 0))
    m.body("arm", mass=2.0, com=(0, -0.4, 0), inertia=(0.1, 0.1, 0.1))
    m.body("load", mass=0.0, com=(0, -1.0, 0))
    m.revolute("A", "ground", "arm", at=(0, 0, 0), axis="z")
    m.rigid("grip", "arm", "load", at=(0, -1.0, 0))
    s = m.assemble()
    pick = lw.when("A", set={"load.mass": 0.5}, from_rest=True, name="pick", once=True, direction="falling")
    run = done(s.simulate(2.0, samples=201, start={"A": 0.8}, events=pick, **TIGHT))
    inertia, weight = 0.1 + 2 * 0.16, 2 * G * 0.4
    t = times_of(run, "pick")[0]
    speed = math.sqrt(2 * weight * (1 - math.cos(0.8)) / inertia)
    after = speed * inertia / (inertia + 0.5)
    later = run.time > t
    rate, angle = run["A.angle.rate"].values[later], run["A"].value.values[later]
    energy = 0.5 * (inertia + 0.5) * rate**2 - (weight + 0.5 * G) * np.cos(angle)
    near(energy, 0.5 * (inertia + 0.5) * after**2 - weight - 0.5 * G, 1e-10)
    told = run.evidence.simulation
    near(told.impact_loss, 0.5 * inertia * speed**2 - 0.5 * (inertia + 0.5) * after**2, 1e-9)
    near(told.change, -0.5 * G, 1e-9)  # the load hangs 1 m below where its height is none


def test_locked_and_released() -> None:
    """A double pendulum whose elbow locks: angular momentum about the pivot stays, the rest of the energy is lost."""
    m = lw.Mechanism("double")
    m.body("upper", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.body("lower", mass=2.0, com=(1.4, 0, 0), inertia=(0.2, 0.2, 0.2))
    m.revolute("A", "ground", "upper", at=(0, 0, 0), axis="z")
    m.revolute("B", "upper", "lower", at=(1, 0, 0), axis="z")
    s = m.assemble()
    events = [lw.at(0.3, lock="B", name="lock"), lw.at(0.8, release="B", name="go")]
    run = done(s.simulate(1.5, samples=151, rates={"A": 1.0, "B": -2.5}, events=events, **TIGHT))
    kane = Kane(s, s.home.y)
    momentum = [float(kane.momentum(y, w)[5]) for y, w in zip(run.y, run.w, strict=True)]
    near(momentum, momentum[0], 1e-11)
    locked = (run.time >= 0.3) & (run.time < 0.8)
    near(run["B.angle.rate"].values[locked], 0.0, 1e-14)
    near(np.ptp(run["B"].value.values[locked]), 0.0, 1e-14)
    near(np.ptp(run["A.angle.rate"].values[locked]), 0.0, 1e-12)
    before, after = (float(run["machine.kinetic_energy"].values[k]) for k in (29, 31))
    near(run.evidence.simulation.impact_loss, before - after, 1e-11)
    near(run["machine.kinetic_energy"].values[31:], after, 1e-11)  # after the release nothing is lost, and B stays put
    near(run["B.angle.rate"].values[81], 0.0, 0.05)


def test_locking_a_joint_of_a_loop() -> None:
    """It stops the whole linkage; all of its energy is lost, and it carries the weight by the lock's effort."""
    s = linkage().assemble()
    run = done(s.simulate(1.0, samples=101, rates={"O2": 2.0}, events=lw.at(0.25, lock="O4", name="lock"), **TIGHT))
    near(run.w[30:], 0.0, 1e-13)
    near(run.evidence.simulation.impact_loss, run["machine.kinetic_energy"].values[24], 0.2)
    effort = run["O4.angle.effort"].values[-1]
    still = s.at({"O2": float(run["O2"].value.values[-1])})
    near(effort, s.statics(still, drives=["O4"]).efforts["O4.angle"], 1e-9)


def test_loads_are_switched() -> None:
    """A constant pull from 1 s to 2 s alone; a spring that is cut loses what it stored."""
    m = slide(2.0)
    m.load("pull", "S", amount=4.0)
    events = [lw.at(0.0, off="pull"), lw.at(1.0, on="pull"), lw.at(2.0, off="pull")]
    run = done(m.assemble().simulate(3.0, samples=7, events=events, **TIGHT))
    near(run["S"].value, [0, 0, 0, 0.25, 1.0, 2.0, 3.0], 1e-13)
    run = done(swinging().simulate(3.0, samples=31, events=lw.at(0.5, off="coil"), **TIGHT))
    late = run.time >= 0.5
    near(run["S"].value.values[late], math.cos(0.5) - math.sin(0.5) * (run.time[late] - 0.5), 1e-12)
    near([run.evidence.simulation.impact_loss, run.evidence.simulation.change], [0, -(math.cos(0.5) ** 2) / 2], 1e-12)
    near(run["machine.potential_energy"].values[late], 0.0, 0.0)
    near(run["machine.potential_energy"].values[~late], np.cos(run.time[~late]) ** 2 / 2, 1e-11)


def test_friction_that_is_switched_off_lets_go() -> None:
    m = slide(2.0)
    m.friction("brake", "S", level=10.0, form="exact")
    m.load("push", "S", amount=4.0)
    run = done(m.assemble().simulate(2.0, samples=5, events=[lw.at(1.0, off="brake"), lw.at(1.5, on="brake")], **TIGHT))
    near(run["S.slide.rate"], [0.0, 0.0, 0.0, 1.0, 0.0], 1e-12)
    near(run["S"].value.values[-1], 0.25 + 1.0 / 6.0, 1e-12)  # brakes from 1 m/s with (10 - 4)/2 m/s²


def test_samples_at_events_tell_what_comes_after() -> None:
    s = slide(2.0).assemble()
    run = s.simulate(1.0, times=[0.5], rates={"S": 1.0}, events=lw.at(0.5, set={"block.mass": 4.0}, from_rest=True))
    near(run["S.slide.rate"], [0.5], 1e-15)
    near(run["machine.kinetic_energy"], [0.5], 1e-14)
    run = s.simulate(1.0, times=[1.0], rates={"S": 1.0}, events=lw.at(1.0, lock="S"))
    near(run["S.slide.rate"], [0.0], 1e-15)


def test_a_start_beyond_a_stop_is_refused_with_all_of_them() -> None:
    s = slide(1.0).assemble()
    with pytest.raises(ModelError) as caught:
        s.simulate(
            1.0, start={"S": 0.5}, events=[lw.stop("S", high=0.4, name="one"), lw.stop("2*S", high=0.3, name="two")]
        )
    assert ["'one' by 0.1" in p.what or "'two' by 0.7" in p.what for p in caught.value.problems] == [True, True]


def test_gravity_that_is_switched_off_is_no_impact() -> None:
    """What was stored is gone; the stop that is struck later takes its own part."""
    events = [lw.at(0.5, set={"gravity.x": 0.0}), lw.stop("S", high=3.0, name="wall")]
    run = done(slide(2.0, gravity=4.0).assemble().simulate(2.0, samples=3, events=events, **TIGHT))
    told = run.evidence.simulation
    near(told.change, 2.0 * 4.0 * 0.5, 1e-12)  # 0.5 m fallen
    near(told.impact_loss, 0.5 * 2.0 * 2.0**2, 1e-12)


# ---------------------------------------------------------------- many events


@pytest.mark.parametrize(("acts", "apart", "ends"), [(True, 2, False), (True, 1000, True), (False, 1000, False)])
def test_a_quick_motion_is_not_without_end(acts: bool, apart: int, ends: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A spring that is let go late swings 2200 half periods within a thousandth of the time, each of several steps.

    Events crowd if there are fewer steps for each than `apart`, and never if they are recorded alone.
    """
    monkeypatch.setattr("linkwork.analyses.simulation.session.APART", apart)
    m, half = slide(2.0), 8e-7
    m.spring("coil", joint="S", stiffness=2.0 * (math.pi / half) ** 2)
    m.load("none", "S", amount=0.0)
    zero = lw.when("S", off="none", name="zero") if acts else lw.when("S", name="zero")
    events = [lw.at(0.0, off="coil"), lw.at(2.0, on="coil"), zero]
    run = m.assemble().simulate(2.0 + 2200 * half, start={"S": 1e-3}, samples=2, events=events)
    if ends:
        assert run.status == "stopped" and "2000 events within 0.0016 s" in run.message and "(zero)" in run.message
    else:
        assert run.status == "complete", run.message
        found, expected = times_of(run, "zero"), 2.0 + half * (0.5 + np.arange(2200))
        near([np.abs(found - t).min() for t in expected], 0.0, 1e-3 * half)


# ---------------------------------------------------------------- singular postures


def parallelogram(size: float = 1.0, gravity: float = 0.0) -> Any:
    """Cranks that turn together, A and D; flat, and singular, at A = -90 deg."""
    m = lw.Mechanism("parallelogram", gravity=(0, -gravity, 0))
    for name, x, y in (("a", 0.0, 0.5), ("b", 1.0, 1.0), ("c", 2.0, 0.5)):
        m.body(name, mass=1.0, com=(size * x, size * y, 0), inertia=(0.1 * size**2,) * 3)
    for name, one, other, x, y in (
        ("A", "ground", "a", 0, 0),
        ("B", "a", "b", 0, 1),
        ("C", "b", "c", 2, 1),
        ("D", "ground", "c", 2, 0),
    ):
        m.revolute(name, one, other, at=(size * x, size * y, 0), axis="z")
    return m.assemble()


@pytest.mark.parametrize("method", ["variational", "variational-4"])
def test_steps_of_one_length_keep_it_beyond_a_singular_posture(method: str) -> None:
    """The tenth step would end flat; it alone is shorter, and what that leaves is one short step at the end."""
    run = parallelogram().simulate(
        3.0, start={"A": 1.0 - math.pi / 2}, rates={"A": -1.0}, method=method, step=0.1, samples=2
    )
    assert (run.status, run.steps) == ("complete", 31)
    near(run["A"].value.values[-1], -2.0 - math.pi / 2, 1e-13)


@pytest.mark.parametrize("until", [1.0, 1.0 + 1e-9, 1.0 - 1e-9, 1.0 + 1e-5])
def test_a_run_that_ends_in_a_singular_posture(until: float) -> None:
    """Its last sample is that of the motion, which is smooth there."""
    times = np.array([0.0, 0.5, until])
    run = parallelogram().simulate(until, start={"A": 1.0 - math.pi / 2}, rates={"A": -1.0}, times=times, **TIGHT)
    assert run.status == "complete", run.message
    near(run["A"].value, 1.0 - math.pi / 2 - times, 1e-9)
    near(run["A.angle.rate"], -1.0, 1e-8)
    assert run.evidence.simulation.energy_error < 1e-8


# ---------------------------------------------------------------- derivatives


def ball(kind: str) -> Any:
    """A pendulum that turns about y, or freely, with its tip 1 m off."""
    m = lw.Mechanism("ball", gravity=(0, 0, -G))
    m.body("a", mass=1.0, com=(1, 0, 0), inertia=(0.01, 0.1, 0.1))
    if kind == "spheric":
        m.spheric("S", "ground", "a", at=(0, 0, 0))
    else:
        m.revolute("S", "ground", "a", at=(0, 0, 0), axis="y")
    m.body("b", mass=0.5, com=(1, 0, -0.3), inertia=(0.01, 0.02, 0.03))
    m.revolute("B", "a", "b", at=(1, 0, 0), axis="y")
    m.point("tip", "a", at=(1, 0, 0))
    return m.assemble()


@pytest.mark.parametrize("stop", [
    lw.stop("tip.z", low=-0.3, stiffness=1e4, damping=100.0),
    lw.stop("tip.z + 0.1*sin(3*t)", low=-0.3, stiffness=1e4, damping=100.0),
    lw.stop("tip.z + tip.x*(1 - cos(t))", low=-math.sin(0.4)),
])  # fmt: skip
@pytest.mark.parametrize("kind", ["spheric", "revolute"])
def test_derivatives_of_the_rates_by_state_and_time(kind: str, stop: Any) -> None:
    """Elastic stops that yield, gaps that are leant on, drives and efforts that follow laws: against differences."""
    from linkwork.analyses.simulation.question import asked
    from linkwork.analyses.simulation.session import Session
    from linkwork.numerics.stepping.problem import jacobian, rates, slope

    s = ball(kind)
    y: Array = np.array([math.cos(0.2), 0.0, math.sin(0.2), 0.0, 0.0] if kind == "spheric" else [0.4, 0.0])
    drives = {"B": lw.expression("0.2*sin(3*t)")} if kind == "revolute" else None
    efforts = {"B" if kind == "spheric" else "S": "2*sin(5*t)"}
    question = asked(s, 1.0, y, None, drives, efforts, [stop], None, None, None, None, "radau", None, 1e-7, 1e-9)
    session = Session(question)
    session._first()
    p, n = session.p, session.p.n
    assert stop.stiffness or session.active.touching.any()
    t, z = 0.3, session.z.copy()
    z[p.ny :] += 0.1 * np.random.default_rng(4).normal(size=p.nw)

    def at(t: float, z: Array) -> Array:
        found = np.empty(n)
        rates(p, t, z, found)
        return found

    def difference(one: Any) -> Array:  # of order 4
        h = 1e-3
        near, far = (one(h) - one(-h)) / (2 * h), (one(2 * h) - one(-2 * h)) / (4 * h)
        return (4 * near - far) / 3

    J, df = np.empty((n, n)), np.empty(n)
    jacobian(p, t, z, J)
    slope(p, t, z, df)
    columns = [difference(lambda h, k=k: at(t, z + h * np.eye(n)[k])) for k in range(n)]
    size = np.abs(J).max()
    near(J, np.transpose(columns), 1e-9 * size)
    near(df, difference(lambda h: at(t + h, z)), 1e-9 * size)
    assert np.abs(df).max() > 0.1


# ---------------------------------------------------------------- random machines


def chain(rng: np.random.Generator) -> tuple[lw.Mechanism, list[str]]:
    """Up to four links that hang in a row."""
    m, before = lw.Mechanism("chain", gravity=(0, -G, 0)), "ground"
    count = int(rng.integers(1, 5))
    for k in range(count):
        turning = float(rng.uniform(0.005, 0.05))
        m.body(f"b{k}", mass=float(rng.uniform(0.3, 2.0)), com=(0.4 * k + 0.2, 0, 0), inertia=(0.05, 0.05, turning))
        m.revolute(f"J{k}", before, f"b{k}", at=(0.4 * k, 0, 0), axis="z")
        before = f"b{k}"
    m.point("tip", before, (0.4 * count, 0, 0))
    return m, [f"J{k}" for k in range(count)]


@pytest.mark.parametrize("seed", [*range(18), *(pytest.param(k, marks=pytest.mark.slow) for k in range(18, 90))])
def test_random_machines_with_stops_and_friction(seed: int) -> None:
    """Whatever strikes, leans, sticks and is locked: stops are not passed and do not pull, friction stays within its
    grip, and the energy is accounted for."""
    rng = np.random.default_rng(seed)
    m, joints = chain(rng) if seed % 3 else (linkage(), ["O2", "A", "B", "O4"])
    for j in joints:
        if rng.random() < 0.6:
            level, static = float(10 ** rng.uniform(-1.5, 0.7)), float(rng.choice([1.0, 1.4]))
            m.friction(f"f{j}", j, level=level, static=static, form="exact")
    s = m.assemble()
    stops = [
        lw.stop(
            j, low=s.home[j] - rng.uniform(0.1, 1.5), high=s.home[j] + rng.uniform(0.1, 1.5),
            restitution=float(rng.choice([0.0, 0.3, 0.7])), name=f"s{j}",
        )
        for j in joints if rng.random() < 0.5
    ]  # fmt: skip
    if seed % 3 == 1:
        stops.append(lw.stop("tip.y", low=-0.1 * len(joints), restitution=0.5, name="floor"))
    others: list[Any] = [lw.at(0.7, lock=joints[0]), lw.at(1.2, release=joints[0])] if rng.random() < 0.4 else []
    rates = {joints[0]: float(rng.normal())} if seed % 3 == 0 else {j: float(2 * rng.normal()) for j in joints}
    run = s.simulate(2.0, samples=41, rates=rates, events=[*stops, *others], rtol=1e-10, atol=1e-11)
    assert run.status == "complete", run.message
    told = run.evidence.simulation
    assert told.energy_error < 1e-7 * max(told.energy_scale, 1e-3)
    for own in stops:
        value = np.asarray(run[own.what].value if own.what in joints else run[own.what])
        push, high = run[f"{own.name}.push"].values, np.inf if own.high is None else own.high
        assert own.low - 1e-9 < value.min() and value.max() < high + 1e-9
        assert (push[value > own.low + 1e-9] <= 1e-9).all() and (push[value < high - 1e-9] >= -1e-9).all()
    for load in m.loads.values():
        assert np.abs(run[f"{load.name}.grip"].values).max() <= load.forward * load.static * (1 + 1e-8)
