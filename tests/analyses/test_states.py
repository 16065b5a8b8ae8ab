"""Named states beside the joints: filters, currents and integrals against closed forms and other integrators."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from state_machines import (
    MOTOR,
    Array,
    dc_motor,
    dc_motor_values,
    low_pass,
    low_pass_values,
    parallelogram,
    parallelogram_values,
    pid,
    pid_values,
    turning,
)

import linkwork as lw

TIGHT: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-12}
TIMES = np.linspace(0.0, 0.5, 6)


def read(run: Any, *names: str) -> Array:
    return np.column_stack([run[name].values for name in names])


def motor_values(run: Any) -> Array:
    return read(run, "A.angle", "A.rate", "i.value")


def balance(run: Any) -> float:
    told = run.evidence.simulation
    return float(told.energy_error / told.energy_scale)


# ---------------------------------------------------------------- three users


@pytest.mark.parametrize(("method", "off"), [("auto", 1e-10), ("radau", 1e-9), ("exponential", 2e-5), ("ida", 1e-8)])
def test_first_order_filter(method: str, off: float) -> None:
    run = low_pass().simulate(2.0, samples=21, method=method, **(TIGHT if method != "exponential" else {}))
    assert np.abs(run["x1.value"].values - low_pass_values(run.time)).max() < off
    slope = (np.sin(3.0 * run.time) - low_pass_values(run.time)) / 0.2
    assert np.abs(run["x1.rate"].values - slope).max() < 10.0 * off
    assert not run["A.angle"].values.any()


@pytest.mark.parametrize(
    ("method", "off"),
    [("auto", 1e-10), ("radau", 1e-9), ("exponential", 1e-12), ("exponential-static", 1e-12), ("ida", 1e-7)],
)
def test_dc_motor_by_the_matrix_exponential(method: str, off: float) -> None:
    run = dc_motor().simulate(0.5, times=TIMES, method=method, **TIGHT)
    error = np.abs(motor_values(run) - dc_motor_values(TIMES))
    if method.startswith("exponential"):  # its few long steps are exact, what lies in between is a polynomial
        assert error[-1].max() < off
    else:
        assert error.max() < off and balance(run) < 1e-7


def test_dc_motor_from_a_start_of_its_own() -> None:
    start = (0.3, 4.0, 2.5)
    run = dc_motor().simulate(0.5, start={"A": 0.3}, rates={"A": 4.0}, states={"i": 2.5}, times=TIMES, **TIGHT)
    assert np.abs(motor_values(run) - dc_motor_values(TIMES, start)).max() < 1e-10


def test_pid_as_a_part_of_the_model() -> None:
    t = np.linspace(0.0, 3.0, 13)
    run = pid().simulate(3.0, times=t, **TIGHT)
    values = read(run, "X.slide", "X.rate", "integral.value")
    assert np.abs(values - pid_values(t)).max() < 1e-10
    long = pid().simulate(20.0, samples=2)
    assert abs(long["X.slide"][-1] - 0.4) < 1e-7  # in spite of the push
    assert abs(long["integral.value"][-1] - 3.0 / 60.0) < 1e-7


# ---------------------------------------------------------------- loops


@pytest.mark.parametrize("cut", "ABCD")
@pytest.mark.parametrize("on", "AB")
def test_a_motor_in_a_loop_whichever_joint_is_cut(cut: str, on: str) -> None:
    t, values = parallelogram_values()
    machine = parallelogram((cut,), on)
    run = machine.simulate(0.9, times=t, **TIGHT)
    assert np.abs(read(run, "A.angle", "A.rate", "i.value", "way.value") - values).max() < 1e-10
    assert balance(run) < 1e-11
    forces = machine.forces(run)
    assert np.abs(forces["motor.effort"].values - 0.4 * values[:, 2]).max() < 1e-10
    assert forces.evidence.forces.power_error < 1e-12
    efforts = [name for name in forces.names if name.endswith(".angle.effort")]
    assert efforts and all(np.abs(forces[name].values).max() < 1e-12 for name in efforts)


def test_a_motor_in_a_loop_by_ida() -> None:
    t, values = parallelogram_values()
    run = parallelogram().simulate(0.9, times=t, method="ida", rtol=1e-9, atol=1e-11)
    assert np.abs(read(run, "A.angle", "A.rate", "i.value", "way.value") - values).max() < 1e-7
    assert balance(run) < 1e-7
    assert run.x.shape == (10, 2) and np.array_equal(run.x[:, 0], run["i.value"].values)


def slider_crank() -> lw.Machine:
    m = lw.example("slider-crank")
    m.state("i", rate="(u - R*i - k*rate(A))/L", unit="A", parameters={"u": 24.0, "R": 0.8, "k": 0.9, "L": 0.004})
    m.state("path", rate="sqrt(rate(D)**2 + 0.01)", unit="m")
    m.load("motor", "A", amount="i.k*i")
    return m.assemble()


def test_a_slider_crank_by_three_integrators() -> None:
    s, t = slider_crank(), np.linspace(0.0, 0.4, 9)
    names = ("A.angle", "A.rate", "D.slide", "i.value", "path.value")
    own = s.simulate(0.4, times=t, **TIGHT)
    other = s.simulate(0.4, times=t, method="ida", rtol=1e-9, atol=1e-11)
    assert np.abs(read(own, *names) - read(other, *names)).max() < 2e-6
    by_motor = slider_crank_by_scipy(t)
    assert np.abs(read(own, "A.angle", "A.rate", "i.value", "path.value") - by_motor).max() < 1e-8
    assert balance(own) < 1e-9


def slider_crank_by_scipy(t: Array) -> Array:
    """The same with the current outside: forward dynamics of the machine without states, under the torque k i."""
    plain = lw.example("slider-crank").assemble()
    column = list(plain.variable_rates).index("A.angle")
    slide = list(plain.variable_rates).index("D.slide")

    def change(t: float, z: Array) -> list[float]:
        posture = plain.at(A=z[0])
        w = np.array(list(posture.velocities({"A": z[1]}).values()))
        effort = np.zeros(len(w))
        effort[column] = 0.9 * z[2]
        a = plain.forward_dynamics(posture.y, w, effort)
        return [z[1], a[column], (24.0 - 0.8 * z[2] - 0.9 * z[1]) / 0.004, np.sqrt(w[slide] ** 2 + 0.01)]

    angle = plain.home["A.angle"]
    found: Any = solve_ivp(change, (0.0, t[-1]), [angle, 0.0, 0.0, 0.0], "DOP853", t, rtol=1e-10, atol=1e-11)
    return np.array(found.y.T)


def test_where_the_energy_of_the_pump_goes() -> None:
    s = lw.example("motor-pump").assemble()
    run = s.simulate(0.5, samples=26, **TIGHT)
    drawn, heated, turned, i = read(run, "drawn.value", "heated.value", "turned.value", "i.value").T
    assert np.abs(drawn - heated - turned - 0.5 * 1.6e-3 * i**2).max() < 1e-9 * drawn[-1]
    forces = s.forces(run)
    powers = forces["motor.power"].values + forces["liquid.power"].values
    assert powers[0] == 0.0 and forces.evidence.forces.power_error < 1e-9 * forces.evidence.forces.largest_power
    kinetic = run["machine.kinetic_energy"].values
    lost = turned - (kinetic - kinetic[0])  # what the liquid took
    assert (np.diff(lost) > 0.0).all() and balance(run) < 1e-8


def test_equations_of_ida_and_their_slopes() -> None:
    """The start obeys them; slopes are central differences of the residual, rows of states among them."""
    from linkwork.analyses.simulation.index_two import IndexTwo
    from linkwork.analyses.simulation.question import asked

    s = parallelogram()
    question = asked(
        s, 1.0, {"A": 0.4}, {"A": 1.5}, None, None, (), None, None, 2, None, "ida", None, 1e-7, 1e-9, {"i": 1.3}
    )
    equations = IndexTwo(question)
    equations.choose(question.y)
    x, dx = equations.start(0.2, question.y, question.w, question.x)
    out = np.zeros(len(x))

    def residual(x: Array, dx: Array) -> Array:
        equations.residual(0.2, x, dx, out)
        return out.copy()

    at = equations.places
    assert np.abs(residual(x, dx)).max() < 1e-12 and np.array_equal(x[at.states], [1.3, 0.0])
    assert dx[at.states][0] == pytest.approx((3.0 * np.cos(1.6) - 2.0 * 1.3 - 0.4 * 1.5) / 0.02, rel=1e-12)
    c, h = 7.0, 1e-6
    slopes = np.zeros((len(x), len(x)))
    equations.slopes(0.2, x, dx, c, slopes)
    ways = h * np.eye(len(x))
    known = np.array([residual(x + way, dx + c * way) - residual(x - way, dx - c * way) for way in ways]).T / (2 * h)
    assert np.abs(slopes - known).max() < 1e-8 * np.abs(slopes).max()


# ---------------------------------------------------------------- laws


def test_states_of_states_of_time_and_of_tables() -> None:
    m = turning("laws")
    m.state("one", rate="cos(t)")
    m.state("two", rate="one*t", start=1.0)
    m.state("three", rate=lw.tabulated([0.0, 1.0, 2.0], [0.0, 1.0, 0.0], over="t"))
    m.state("four", rate=lw.tabulated([0.0, 2.0], [0.0, 4.0], over="two"))
    m.state("five", rate=2.0, start=-1.0)
    m.state("six", rate="one.start + six.start - 3", start=1.0)
    run = m.assemble().simulate(1.5, samples=16, events=lw.when("t - 1", name="corner"), **TIGHT)
    t = run.time
    two = 1.0 + np.sin(t) - t * np.cos(t)
    whole = t + 2.0 * (1.0 - np.cos(t)) - t * np.sin(t)  # integral of two
    three = np.where(t < 1.0, 0.5 * t**2, 0.5 + 2.0 * (t - 1.0) - 0.5 * (t**2 - 1.0))
    for name, values in {
        "one": np.sin(t), "two": two, "three": three, "four": 2.0 * whole, "five": 2.0 * t - 1.0, "six": 1.0 - 2.0 * t,
    }.items():  # fmt: skip
        assert np.abs(run[f"{name}.value"].values - values).max() < 1e-9, name


def test_efforts_by_formula_use_states() -> None:
    m = turning("effort")
    m.state("i", rate="(u - R*i - k*rate(A))/L", unit="A", parameters=MOTOR)
    s = m.assemble()
    run = s.simulate(0.5, times=TIMES, efforts={"A": "i.k*i"}, **TIGHT)
    assert np.abs(motor_values(run) - dc_motor_values(TIMES)).max() < 1e-10
    assert np.abs(run["A.effort"].values - 0.5 * run["i.value"].values).max() == 0.0


def test_drives_and_states() -> None:
    s = dc_motor()
    run = s.simulate(1.0, drives={"A": lw.ramp(0.0, 2.0, duration=1.0)}, samples=5, **TIGHT)
    exact = (12.0 - 0.5 * 2.0) / 1.2 * (1.0 - np.exp(-run.time * 1.2 / 0.01))
    assert np.abs(run["i.value"].values - exact).max() < 1e-9
    assert np.abs(run["A.effort"].values + 0.5 * exact).max() < 1e-9  # the drive holds against the motor


# ---------------------------------------------------------------- stiff, and fixed steps


def test_a_short_electrical_time_is_stiff_and_stays_exact() -> None:
    fast = {"L": 1.2e-6}  # L/R = 1e-6 s
    s = dc_motor(**fast)
    run = s.simulate(0.5, times=TIMES, rtol=1e-8, atol=1e-10)
    assert "radau" in run.methods
    exact = dc_motor_values(TIMES, **fast)
    assert np.abs(motor_values(run)[1:] - exact[1:]).max() < 1e-6
    assert run.nfev < 20_000  # explicit steps would be some 100,000
    assert balance(run) < 1e-5


@pytest.mark.parametrize(
    ("method", "order", "steps"), [("variational", 2, (40, 80, 160)), ("variational-4", 4, (20, 40, 80))]
)
@pytest.mark.parametrize("name", ["motor", "loop"])
def test_fixed_steps_keep_their_order(method: str, order: int, steps: tuple[int, ...], name: str) -> None:
    if name == "motor":
        machine, end, exact = dc_motor(), 0.05, dc_motor_values(np.array([0.05]))[0]
        signals: tuple[str, ...] = ("A.angle", "A.rate", "i.value")
    else:
        t, values = parallelogram_values()
        machine, end, exact = parallelogram(), t[1], values[1]
        signals = ("A.angle", "A.rate", "i.value", "way.value")
    errors = []
    for count in steps:
        run = machine.simulate(end, times=[0.0, end], method=method, step=end / count)
        errors.append(np.abs(read(run, *signals)[-1] - exact).max())
    found = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.abs(found - order).max() < 0.25, (errors, found)


def test_fixed_steps_go_back_the_way_they_came() -> None:
    m = turning("there-and-back", 0.02)
    m.gravity = (0.0, 0.0, 0.0)
    m.state("pull", rate="-9*A")
    m.state("way", rate="A")
    m.load("push", "A", amount="way*0.1 + pull*0.02")
    s = m.assemble()
    there = s.simulate(
        1.0, start={"A": 0.5}, rates={"A": 0.2}, states={"pull": 0.3}, samples=2, method="variational", step=0.01
    )
    back = lw.loads(lw.dumps(m).replace("-9*A", "9*A").replace("rate: A}", "rate: -A}")).assemble()
    again = back.simulate(
        1.0, start=there.y[-1], rates=-there.w[-1], states=there.x[-1], samples=2, method="variational", step=0.01
    )
    assert np.abs(again["A.angle"][-1] - 0.5) < 1e-12 and np.abs(again["A.rate"][-1] + 0.2) < 1e-12
    assert np.abs(again.x[-1] - [0.3, 0.0]).max() < 1e-12


# ---------------------------------------------------------------- events


def test_an_event_on_a_state() -> None:
    s = low_pass()
    run = s.simulate(2.0, events=lw.when("x1 - 0.5", direction="rising", name="half"), samples=5, **TIGHT)
    found = [h.time for h in run.events if h.name == "half"]
    t = np.linspace(0.0, 2.0, 200_001)
    above = low_pass_values(t) > 0.5
    crossings = t[1:][above[1:] & ~above[:-1]]
    assert len(found) == len(crossings) and np.abs(np.array(found) - crossings).max() < 2e-5
    assert np.abs(low_pass_values(np.array(found)) - 0.5).max() < 1e-9


def test_an_event_on_the_rate_of_a_state() -> None:
    run = dc_motor().simulate(0.5, events=lw.when("rate(i)", name="peak"), samples=3, **TIGHT)
    (peak,) = (h.time for h in run.events if h.name == "peak")
    fine = np.linspace(peak - 1e-4, peak + 1e-4, 2001)
    assert abs(fine[np.argmax(dc_motor_values(fine)[:, 2])] - peak) < 1e-6


def test_an_event_sets_a_state() -> None:
    events = lw.when("i - 5", direction="rising", once=True, name="fuse", set={"i": 0.0})
    run = dc_motor().simulate(0.5, events=events, times=TIMES, **TIGHT)
    (fuse,) = (h.time for h in run.events if h.name == "fuse")
    before = dc_motor_values(np.array([fuse]))[0]
    assert abs(before[2] - 5.0) < 1e-8
    after = dc_motor_values(TIMES[1:] - fuse, (before[0], before[1], 0.0))
    assert np.abs(motor_values(run)[1:] - after).max() < 1e-8
    assert balance(run) < 1e-9
    forces = dc_motor().forces(run)  # states may jump: the run tells them
    assert np.abs(forces["motor.effort"].values - 0.5 * run["i.value"].values).max() == 0.0


def test_an_event_sets_a_number_of_a_law() -> None:
    events = lw.at(0.2, set={"i.u": 0.0}, name="off")
    run = dc_motor().simulate(0.5, events=events, times=TIMES, **TIGHT)
    middle = dc_motor_values(np.array([0.2]))[0]
    after = dc_motor_values(TIMES[2:] - 0.2, tuple(middle), u=0.0)
    assert np.abs(motor_values(run)[2:] - after).max() < 1e-9


def test_stops_and_states() -> None:
    s = dc_motor()
    run = s.simulate(0.3, events=lw.stop("A", high=1.0, restitution=0.5, name="wall"), samples=31, **TIGHT)
    hits = [h for h in run.events if h.name == "wall"]
    assert hits and run["A.angle"].values.max() <= 1.0 + 1e-9
    assert balance(run) < 1e-8
    assert np.abs(run["i.value"][-1] - 12.0 / 1.2) < 1e-3  # stalled at the wall
    assert np.abs(run["wall.push"][-1] + 0.5 * run["i.value"][-1]) < 1e-6


def test_refusals_of_events() -> None:
    s = dc_motor()
    with pytest.raises(lw.InputError, match="a stop limits positions, not the state i"):
        s.simulate(0.1, events=lw.stop("i", high=1.0))
    with pytest.raises(lw.InputError, match=r"'i.start' has passed when an event takes place; set 'i' itself"):
        s.simulate(0.1, events=lw.at(0.05, set={"i.start": 1.0}))


# ---------------------------------------------------------------- derivatives and many


BY = ("start.i", "i.R", "i.L", "i.k", "i.u", "rates.A")


def differences(by: str) -> Array:
    """Central differences of the closed form, of order 4."""

    def at(step: float) -> Array:
        if by == "start.i":
            return dc_motor_values(TIMES, (0.0, 0.0, step))
        if by == "rates.A":
            return dc_motor_values(TIMES, (0.0, step, 0.0))
        name = by.partition(".")[2]
        return dc_motor_values(TIMES, **{name: MOTOR[name] * (1.0 + step)})

    h = 1e-3
    slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
    return slope if by in ("start.i", "rates.A") else slope / MOTOR[by.partition(".")[2]]


def test_sensitivities_of_the_motor() -> None:
    run = dc_motor().simulate(0.5, times=TIMES, sensitive_to=BY, **TIGHT)
    for by in BY:
        exact = differences(by)
        for k, name in enumerate(("A.angle", "A.rate", "i.value")):
            found = run.sensitivity(name, by).values
            assert np.abs(found - exact[:, k]).max() < 1e-7 * max(1.0, np.abs(exact[:, k]).max()), (by, name)


def test_sensitivities_in_a_loop_against_differences() -> None:
    machine, t = parallelogram(), np.linspace(0.0, 0.5, 6)
    by = ("start.i", "start.way", "i.R", "coupler.mass")
    run = machine.simulate(0.5, times=t, sensitive_to=by, **TIGHT)

    def moved(name: str, step: float) -> Array:
        if name.startswith("start."):
            own = name.partition(".")[2]
            start = {own: machine.parameters[f"{own}.start"] + step}
            found = machine.simulate(0.5, times=t, states=start, rtol=1e-12, atol=1e-13)
        else:
            other = machine.with_parameters({name: machine.parameters[name] + step})
            found = other.simulate(0.5, times=t, rtol=1e-12, atol=1e-13)
        return read(found, "A.angle", "A.rate", "i.value", "way.value")

    for name in by:
        h = 2e-3
        slope = (8.0 * (moved(name, h) - moved(name, -h)) - (moved(name, 2.0 * h) - moved(name, -2.0 * h))) / (12.0 * h)
        for k, signal in enumerate(("A.angle", "A.rate", "i.value", "way.value")):
            off = np.abs(run.sensitivity(signal, name).values - slope[:, k]).max()
            assert off < 1e-7 * max(1.0, np.abs(slope).max()), (name, signal, off)


def test_sensitivities_through_an_event_on_a_state() -> None:
    def fused(level: float, resistance: float, wrt: tuple[str, ...] = ()) -> Any:
        events = lw.when("i - 5", direction="rising", once=True, set={"i": 0.0})
        machine = dc_motor(R=resistance)
        return machine.simulate(0.2, states={"i": level}, events=events, samples=3, sensitive_to=wrt, **TIGHT)

    run = fused(0.5, 1.2, ("start.i", "i.R"))
    for k, by in enumerate(("start.i", "i.R")):
        h = 1e-4

        def at(step: float, which: int = k) -> Array:
            return motor_values(fused(0.5 + step * (which == 0), 1.2 + step * (which == 1)))

        slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
        for n, name in enumerate(("A.angle", "A.rate", "i.value")):
            off = np.abs(run.sensitivity(name, by).values[1:] - slope[1:, n]).max()
            assert off < 1e-6 * max(1.0, np.abs(slope[:, n]).max()), (by, name, off)


def test_many_runs_are_single_ones() -> None:
    s = dc_motor()
    start, resistance, first = np.array([0.0, 1.0, -2.0]), np.array([1.2, 0.6, 2.4]), np.array([0.0, 3.0, -1.0])
    many = s.simulate_many(
        0.3, rates={"A": first}, states={"i": start}, parameters={"i.R": resistance}, samples=4, **TIGHT
    )
    for k in range(3):
        own = s.with_parameters({"i.R": resistance[k]})
        one = own.simulate(0.3, rates={"A": first[k]}, states={"i": start[k]}, samples=4, **TIGHT)
        assert np.abs(motor_values(many[k]) - motor_values(one)).max() < 1e-9
        exact = dc_motor_values(one.time, (0.0, first[k], start[k]), R=resistance[k])
        assert np.abs(motor_values(many[k]) - exact).max() < 1e-9
    by_start = s.simulate_many(0.3, parameters={"i.start": start}, samples=4, **TIGHT)
    assert np.abs(by_start.signal("i.value").values[:, 0] - start).max() == 0.0
    values = by_start.signal("i.value").values
    exact = np.array([dc_motor_values(many.t, (0.0, 0.0, x))[:, 2] for x in start])
    assert np.abs(values - exact).max() < 1e-9


def test_many_runs_of_a_loop() -> None:
    s = parallelogram()
    start, length = np.array([0.5, -0.5]), np.array([0.02, 0.05])
    many = s.simulate_many(0.5, states={"i": start}, parameters={"i.L": length}, samples=6, **TIGHT)
    for k in range(2):
        one = s.with_parameters({"i.L": length[k]}).simulate(0.5, states={"i": start[k]}, samples=6, **TIGHT)
        for name in ("A.angle", "B.rate", "i.value", "way.value", "way.rate"):
            assert np.abs(many[k][name].values - one[name].values).max() < 1e-9


# ---------------------------------------------------------------- results


def test_a_run_knows_its_states(tmp_path: Path) -> None:
    run = dc_motor().simulate(0.5, samples=26)
    assert run["i"].value.attrs["units"] == "A" and run["i.value"].unit == "A"
    assert run["i.rate"].unit == "A/s" and run["i.value.rate"].unit == "A/s"
    assert np.array_equal(run["i"].value, run.x[:, 0])
    i, speed = run["i.value"].values, run["A.rate"].values
    assert np.abs(run["i.rate"].values - (12.0 - 1.2 * i - 0.5 * speed) / 0.01).max() < 1e-9
    assert run["i.value"].to("mA").max() == pytest.approx(1000.0 * i.max(), rel=1e-15)
    assert "A.angle" in run.signals and "i.value" in run.signals
    panels = run.plot("i", "i.rate")
    assert {axis.get_ylabel() for axis in panels.figure.axes} == {"i [A]", "i.rate [A/s]"} or len(
        panels.figure.axes
    ) == 2
    for suffix in (".nc", ".csv"):
        file = run.save(tmp_path / f"run{suffix}")
        again = lw.load_run(file)
        for name in ("i.value", "i.rate", "A.angle", "A.acceleration"):
            assert np.array_equal(again[name].values, run[name].values), (suffix, name)
            assert again[name].unit == run[name].unit
        assert str(again).splitlines()[1:] == str(run).splitlines()[1:]


def test_going_on_from_the_end_of_a_run() -> None:
    s = dc_motor()
    first = s.simulate(0.2, samples=3, **TIGHT)
    by_array = s.simulate(0.3, first.y[-1], first.w[-1], states=first.x[-1], samples=4, **TIGHT)
    by_name = s.simulate(
        0.3,
        {"A": first["A.angle"][-1]},
        {"A": first["A.rate"][-1]},
        states={"i": first["i.value"][-1]},
        samples=4,
        **TIGHT,
    )
    exact = dc_motor_values(0.2 + by_array.time)
    for run in (by_array, by_name):
        assert np.abs(motor_values(run) - exact).max() < 1e-9
    with pytest.raises(lw.InputError, match="states as an array are 1 finite numbers: i"):
        s.simulate(0.1, states=np.zeros(2))
    with pytest.raises(lw.InputError, match="there is no state 'j'; there is: i"):
        s.simulate(0.1, states={"j": 1.0})
    with pytest.raises(lw.InputError, match="the machine has no states"):
        turning("plain").assemble().simulate(0.1, states={"j": 1.0})


def test_controllers_see_states() -> None:
    s, seen = dc_motor(), list[tuple[float, float, float]]()

    def watch(t: float, state: lw.State) -> dict[str, float]:
        seen.append((t, state["i"], state.rate("i")))
        return {}

    for method in ("auto", "ida"):
        seen.clear()
        s.simulate(0.1, controller=watch, rate=100, samples=2, method=method, rtol=1e-9, atol=1e-11)
        found = np.array(seen)
        exact = dc_motor_values(found[:, 0])
        assert np.abs(found[:, 1] - exact[:, 2]).max() < 1e-7
        slope = (12.0 - 1.2 * exact[:, 2] - 0.5 * exact[:, 1]) / 0.01
        assert np.abs(found[:, 2] - slope).max() < 1e-4


# ---------------------------------------------------------------- copies


def test_copies_have_the_states() -> None:
    s = dc_motor()
    want = dc_motor_values(TIMES)
    copies = {
        "pickle": pickle.loads(pickle.dumps(s)),
        "with_parameters": s.with_parameters({"i.R": 1.2}),
        "starting_from": s.starting_from({"A": 0.0}),
        "file": lw.loads(lw.dumps(s.mechanism)).assemble(),
        "twice": s.mechanism.with_ground("rotor").with_ground("ground").assemble(),
    }
    for name, copy in copies.items():
        assert copy.states == ("i",), name
        assert np.abs(motor_values(copy.simulate(0.5, times=TIMES, **TIGHT)) - want).max() < 1e-9, name
    turned = s.mechanism.with_ground("rotor")
    assert turned.states == s.mechanism.states and turned.assemble().states == ("i",)


def test_names_are_taken_once() -> None:
    m = turning("names")
    m.state("i", rate="0")
    for again in (lambda: m.body("i"), lambda: m.point("i", "rotor", (0, 0, 0)), lambda: m.state("i", rate="1")):
        with pytest.raises(lw.ModelError, match="the name 'i' is taken by a state"):
            again()
    with pytest.raises(lw.ModelError, match="the name 'A' is taken by a joint"):
        m.state("A", rate="1")


# ---------------------------------------------------------------- forces and accelerations


def test_accelerations_and_statics_at_given_states() -> None:
    s = dc_motor()
    assert s.accelerations()["A"] == 0.0
    found = s.accelerations(states={"i": 3.0})
    assert found["A"] == pytest.approx(0.5 * 3.0 / 0.02, rel=1e-14)
    assert found.reactions["A"].moment[2] == pytest.approx(1.5, rel=1e-14)  # which the motor puts into the joint
    assert s.statics(states={"i": 3.0}).efforts["A.angle"] == pytest.approx(-1.5, rel=1e-14)
    assert s.statics().efforts["A.angle"] == 0.0
    begun = s.with_parameters({"i.start": 3.0})
    assert begun.accelerations()["A"] == found["A"]
    q, v = np.zeros(1), np.zeros(1)
    assert begun.forward_dynamics(q, v, np.zeros(1))[0] == pytest.approx(75.0, rel=1e-14)
    many = s.forward_dynamics(q, v, np.zeros(1), parameters={"i.start": np.array([0.0, 1.0, 3.0])})
    assert np.abs(many[:, 0] - [0.0, 25.0, 75.0]).max() < 1e-12
    slope = s.derivative("forward_dynamics", "i.start")(q, v, np.zeros(1))
    assert slope[0] == pytest.approx(25.0, rel=1e-14)
    with pytest.raises(lw.InputError, match="there is no state 'k'; there is: i"):
        s.accelerations(states={"k": 1.0})
    with pytest.raises(lw.InputError, match="one finite number is wanted"):
        s.statics(states={"i": np.nan})


def test_accelerations_of_a_loop_at_given_states() -> None:
    s = parallelogram(("C",), "B")
    inertia = 2.0 * 0.004 + 0.8 * 0.12**2
    found = s.accelerations(states={"i": 2.0})
    assert found["A"] == pytest.approx(0.4 * 2.0 / inertia, rel=1e-12)
    held = s.statics(drives=["A"], states={"i": 2.0})
    assert held.efforts["A.angle"] == pytest.approx(-0.8, rel=1e-12)


def test_forces_of_a_motion_at_given_states() -> None:
    s = dc_motor()
    motion = s.motion({"A": lw.ramp(0.0, 2.0, duration=1.0)}, duration=1.0, samples=5)
    current = np.linspace(0.0, 4.0, 5)
    assert np.abs(s.forces(motion)["A.angle.effort"].values).max() < 1e-15
    found = s.forces(motion, states={"i": current})
    assert np.abs(found["A.angle.effort"].values + 0.5 * current).max() < 1e-14
    assert np.abs(found["motor.effort"].values - 0.5 * current).max() == 0.0
    steady = s.forces(motion, states={"i": 2.0})
    assert np.abs(steady["A.angle.effort"].values + 1.0).max() < 1e-14
    with pytest.raises(lw.InputError, match="a number or 5 finite numbers are wanted"):
        s.forces(motion, states={"i": np.zeros(3)})
    with pytest.raises(lw.InputError, match="the run has states of its own"):
        s.forces(s.simulate(0.1, samples=3), states={"i": 1.0})


def test_forces_of_a_run_that_was_saved(tmp_path: Path) -> None:
    s = slider_crank()
    run = s.simulate(0.2, samples=11)
    plain = s.forces(run)
    again = s.forces(lw.load_run(run.save(tmp_path / "run.nc")))
    for name in ("motor.effort", "B.force", "A.moment", "machine.power_balance"):
        assert np.array_equal(plain[name].values, again[name].values, equal_nan=True)
    assert np.abs(plain["motor.effort"].values - 0.9 * run["i.value"].values).max() < 1e-12
    assert plain.evidence.forces.power_error < 1e-10 * plain.evidence.forces.largest_power


# ---------------------------------------------------------------- what cannot be


def test_a_rate_without_a_value_ends_the_run_by_name() -> None:
    m = turning("tank")
    m.state("level", rate="-sqrt(level)", start=1.0)  # empty at t = 2
    run = m.assemble().simulate(3.0, samples=31)
    assert run.status == "stopped" and "states.level" in run.message and 1.9 < run.time[-1] <= 2.01


def test_refusals_of_the_model() -> None:
    m = turning("bad")
    with pytest.raises(lw.ModelError) as caught:
        m.state("t", rate="2*", start="x", unit="mA", scale=-1.0, parameters={"sin": 1.0})  # type: ignore[arg-type]
    told = str(caught.value)
    for part in (
        "states.t:",
        "states.t.rate",
        "states.t.start",
        "write 'A'",
        "scale is not positive",
        "'sin' cannot name",
    ):
        assert part in told, part
    with pytest.raises(lw.ModelError, match=r"formulas cannot use 'e'; write exp\(1\)"):
        m.state("e", rate="1")
    m.state("i", rate="nobody + 1")
    with pytest.raises(lw.ModelError, match=r"states.i.rate: there is nothing called 'nobody'"):
        m.assemble()


def test_a_state_of_a_run_is_a_state(tmp_path: Path) -> None:
    m = lw.Mechanism("motor")
    rotor = m.body("rotor", mass=1.0, inertia=(0.02, 0.02, 0.02))
    m.revolute("A", m.ground, rotor, at=(0, 0, 0), axis="z")
    m.state("i", rate="(12 - 1.2*i - 0.5*rate(A))/0.01", unit="A", start=0.5)
    m.load("motor", "A", amount="0.5*i")
    run = m.assemble().simulate(0.1, samples=5)
    for found in (run, lw.load_run(run.save(tmp_path / "run.nc")), lw.load_run(run.save(tmp_path / "run.csv"))):
        i = found["i"]
        assert isinstance(i, lw.StateItem) and (i.kind, i.unit) == ("state", "A")
        assert np.array_equal(i.value.values, run.x[:, 0])
        assert np.array_equal(i.rate.values, found.signal("i.rate").values) and i.rate.attrs["units"] == "A/s"
        assert set(i.signals) == {"i.value", "i.value.rate"} and repr(i).startswith("StateItem('i', A)")
        assert found.signal("i").name == "i.value" and isinstance(found["A"], lw.JointItem)
        with pytest.raises(lw.InputError, match=r"there is no signal 'i\.fx'; "):
            found.signal("i.fx")
        with pytest.raises(lw.InputError, match=r"i: 'effort' cannot be plotted; there is: value, rate"):
            i.plot("effort")
        assert "1 joints" in repr(found) and "1 places" in repr(found)
