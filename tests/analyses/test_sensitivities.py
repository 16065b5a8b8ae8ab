"""Sensitivities of simulations: closed forms, symmetries, differences of tight simulations, and what they are for."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from random_loads import random_loaded_machine
from random_loops import planar_loops, single_loop

import linkwork as lw
from linkwork.analyses.simulation.parameter_kernels import Variation
from linkwork.equations import simulation
from linkwork.formulas import Question

Array = np.ndarray
TIGHT = {"rtol": 1e-12, "atol": 1e-13}
TIGHTER = {"rtol": 1e-13, "atol": 1e-14}
G = 9.81


def states(run: Any) -> Array:
    """Variables, rates and accelerations."""
    return np.hstack([run.y, run.w, run.a])


def slopes(machine: Any, run: Any, by: str) -> Array:
    """Derivatives of the same, by name."""
    plan = machine.plan
    names = [*plan.variables]
    rates = [f"{n}.rate" if n in names else n for n in plan.variable_rates]
    accelerations = [f"{n}.acceleration" for n in plan.variable_rates]
    return np.column_stack([run.sensitivity(n, by).values for n in (*names, *rates, *accelerations)])


def differences(read: Callable[[float], Array], h: float) -> Array:
    """Central differences with one extrapolation: the error falls with h⁴."""
    wide, narrow = ((read(x) - read(-x)) / (2.0 * x) for x in (h, 0.5 * h))
    return (4.0 * narrow - wide) / 3.0


def moved(machine: Any, name: str, until: float, start: dict, rates: dict, **options: Any) -> Callable[[float], Array]:
    """The motion when something is a little different."""

    def read(x: float) -> Array:
        other, own_start, own_rates = machine, dict(start), dict(rates)
        kind, _, variable = name.partition(".")
        if kind == "start":
            own_start[variable] += x
        elif kind == "rates":
            own_rates[variable] = own_rates.get(variable, 0.0) + x
        else:
            other = machine.with_parameters({name: machine.parameters[name] + x})
        return states(other.simulate(until, own_start, own_rates, **options, **TIGHTER))

    return read


def compare(
    machine: Any, names: list[str], until: float, start: dict, rates: dict, h: float, allowed: float, **options: Any
) -> Any:
    """Sensitivities against differences, as parts of the largest derivative of each number."""
    run = machine.simulate(until, start, rates, sensitive_to=names, **options, **TIGHT)
    assert run.success, run.message
    for name in names:
        wide = h * (10.0 if name.startswith(("rates.", "gravity.")) else 1.0)
        expected = differences(moved(machine, name, until, start, rates, **options), wide)
        found = slopes(machine, run, name)
        error = np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-3)
        assert error < allowed, f"{name}: {error:.2e}"
    return run


# ---------------------------------------------------------------- closed forms


def pendulum(length: float = 0.7) -> lw.Mechanism:
    m = lw.Mechanism("pendulum", gravity=(0, -G, 0))
    m.body("bob", mass=2.0, com=(0, -length, 0))
    m.revolute("A", "ground", "bob", axis="z")
    m.point("P", "bob", (0, -length, 0))
    return m


def swing(length: Any, g: Any, amplitude: Any, t: Any) -> Any:
    """Angle of a pendulum let go at rest: sin(θ/2) = k cd(ω t, k)."""
    k = mp.sin(amplitude / 2)
    return 2 * mp.asin(k * mp.ellipfun("cd", mp.sqrt(g / length) * t, m=k * k))


def test_pendulum_by_length_gravity_and_start() -> None:
    length, amplitude, t = 0.7, 1.9, 3.0
    s = pendulum(length).assemble()
    names = ["bob.com.y", "gravity.y", "start.A", "bob.mass"]
    run = s.simulate(t, {"A": amplitude}, samples=4, sensitive_to=names, **TIGHT)
    with mp.workdps(40):
        expected = {
            "bob.com.y": -mp.diff(lambda x: swing(x, mp.mpf(G), mp.mpf(amplitude), t), mp.mpf(length)),
            "gravity.y": -mp.diff(lambda x: swing(mp.mpf(length), x, mp.mpf(amplitude), t), mp.mpf(G)),
            "start.A": mp.diff(lambda x: swing(mp.mpf(length), mp.mpf(G), x, t), mp.mpf(amplitude)),
            "bob.mass": mp.mpf(0),
        }
    for name, value in expected.items():
        assert run.sensitivity("A", name)[-1] == pytest.approx(float(value), rel=2e-10, abs=2e-10)
    assert run.sensitivity("A", "gravity.y").unit == "s^2 rad/m"
    assert run.sensitivity("P.x", "start.A").unit == "m/rad"


def oscillator() -> lw.Mechanism:
    m = lw.Mechanism("oscillator")
    m.body("cart", mass=1.5)
    m.prismatic("X", "ground", "cart", axis="x")
    m.spring("coil", joint="X", stiffness=30.0, damping=0.8)
    return m


def test_oscillator_by_its_numbers() -> None:
    run = oscillator().assemble().simulate(
        4.0, {"X": 0.2}, {"X": -0.5}, samples=9,
        sensitive_to=["cart.mass", "coil.stiffness", "coil.damping", "coil.free", "start.X", "rates.X"], **TIGHT,
    )  # fmt: skip

    def x(m: Any, k: Any, c: Any, free: Any, x0: Any, v0: Any, t: float) -> Any:
        a, w = c / (2 * m), mp.sqrt(k / m - (c / (2 * m)) ** 2)
        return free + mp.exp(-a * t) * ((x0 - free) * mp.cos(w * t) + (v0 + a * (x0 - free)) / w * mp.sin(w * t))

    numbers = [1.5, 30.0, 0.8, 0.0, 0.2, -0.5]
    with mp.workdps(30):
        for j, name in enumerate(run.sensitivities):
            order = tuple(int(i == j) for i in range(6))
            expected = [float(mp.diff(lambda *p, t=t: x(*p, t), tuple(map(mp.mpf, numbers)), order)) for t in run.time]
            np.testing.assert_allclose(run.sensitivity("X", name), expected, rtol=0, atol=1e-10)
    assert run.sensitivity("X", "coil.stiffness").unit == "m s^2/kg"
    assert run.sensitivity("X", "coil.free").unit == "1"


def test_projectile_by_its_start() -> None:
    m = lw.Mechanism("projectile", gravity=(0, 0, -G))
    m.body("ball", mass=0.3, inertia=(1e-3, 2e-3, 3e-3))
    m.free("F", "ground", "ball")
    rates = {"F.vx": 3.0, "F.vz": 4.0, "F.wx": 0.5, "F.wy": 6.0, "F.wz": 0.2}
    run = m.assemble().simulate(
        0.8, {}, rates, samples=5, sensitive_to=["rates.F.vx", "rates.F.vz", "gravity.z", "ball.mass"], **TIGHT
    )
    t = run.time
    np.testing.assert_allclose(run.sensitivity("ball.x", "rates.F.vx"), t, atol=1e-12)
    np.testing.assert_allclose(run.sensitivity("ball.z", "rates.F.vz"), t, atol=1e-12)
    np.testing.assert_allclose(run.sensitivity("ball.z", "gravity.z"), t**2 / 2, atol=1e-12)
    np.testing.assert_allclose(run.sensitivity("ball.rotation", "ball.mass"), np.zeros((5, 3, 3)), atol=1e-13)


# ---------------------------------------------------------------- symmetries


def test_scaled_masses_change_nothing() -> None:
    m = lw.example("four-bar")
    s = m.assemble()
    names = [n for n in s.parameters if n.endswith(".mass") or ".inertia." in n]
    run = s.simulate(1.0, {}, {s.home.independent[0].split(".")[0]: 2.0}, samples=5, sensitive_to=names, **TIGHT)
    single = [np.abs(slopes(s, run, n)).max() for n in names]
    total = sum(s.parameters[n] * slopes(s, run, n) for n in names)
    largest = max(abs(s.parameters[n]) * size for n, size in zip(names, single, strict=True))
    assert largest > 1e-3
    assert np.abs(total).max() < 1e-9 * largest


def test_a_later_start_moves_along_the_motion() -> None:
    """δz0 = f(z0) stays f(z(t)): rates and accelerations."""
    s = lw.example("slider-crank").assemble()
    start, rates = {"A": 0.5}, {"A": 3.0}
    run = s.simulate(0.05, start, rates, samples=6, sensitive_to=["start.A", "rates.A"], **TIGHT)
    w, a = run.w[0, 0], run.a[0, 0]
    combined = w * slopes(s, run, "start.A") + a * slopes(s, run, "rates.A")
    n = len(s.variables)
    expected = np.hstack([run.w, run.a])
    np.testing.assert_allclose(combined[:, : 2 * n], expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_directions_stay_on_the_loops() -> None:
    s = lw.example("slider-crank").assemble()
    names = ["A.head.at.x", "D.tail.at.y", "rod.mass", "start.A"]
    run = s.simulate(0.1, {"A": 0.5}, {"A": 3.0}, samples=7, sensitive_to=names)
    varied = Variation(s, ("A.head.at.x", "D.tail.at.y", "rod.mass", ""))(Question(simulation.mismatch()))
    tangent = varied.tangent(("y", "w"), ("e", "de"))
    ny = s.plan.ny
    for j, name in enumerate(names):
        found = slopes(s, run, name)
        dy, dw = np.ascontiguousarray(found[:, :ny]), np.ascontiguousarray(found[:, ny : 2 * ny])
        e, de = tangent(run.y, run.w, varied.settled, dy, dw, varied.slopes[j])
        assert np.abs(e).max() < 1e-13 * max(1.0, np.abs(dy).max())
        assert np.abs(de).max() < 1e-12 * max(1.0, np.abs(dw).max())


# ---------------------------------------------------------------- differences


def test_offset_of_a_slider() -> None:
    """A number that is zero in the model, and whose coupling the elimination may ignore there."""
    names = ["D.tail.at.y", "C.tail.at.y", "rod.com.y", "B.head.at.x", "crank.mass", "start.A", "rates.A"]
    compare(lw.example("slider-crank").assemble(), names, 0.05, {"A": 0.5}, {"A": 3.0}, 1e-5, 1e-7, samples=4)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_planar_loops(seed: int) -> None:
    recipe = planar_loops(seed)
    _random(recipe.mechanism(), recipe, seed)


@pytest.mark.parametrize("first", ["spheric", "universal", "free", "cylindric"])
def test_random_spatial_loops(first: str) -> None:
    recipe = single_loop(4, first)
    _random(recipe.mechanism(), recipe, 4)


def _random(m: lw.Mechanism, recipe: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    m.gravity = (1.0, -5.0, 8.0)
    bodies = [n for n in m.bodies if n != m.ground.name]
    masses = {f"{n}.mass": float(rng.uniform(0.5, 2.0)) for n in bodies}
    masses |= {f"{n}.inertia.{i}": float(rng.uniform(0.4, 0.6)) for n in bodies for i in ("xx", "yy", "zz")}
    masses |= {f"{n}.com.{c}": float(rng.uniform(-0.3, 0.3)) for n in bodies for c in "xyz"}
    hand = recipe.hand
    chosen = hand.independent(hand.layout, rng)
    assert chosen
    m.spring("coil", joint=chosen[0], stiffness=3.0, damping=0.4)
    s = m.assemble().with_parameters(masses)
    start = {n: float(s.home[n]) for n in chosen}
    rates = dict.fromkeys(chosen, 0.3)
    body, joint = bodies[-1], list(m.joints)[1]
    names = [f"{body}.mass", f"{body}.com.x", "coil.stiffness", "coil.free", "coil.damping", "gravity.z"]
    names += [f"start.{chosen[0]}", f"rates.{chosen[0]}"]
    if m.name.startswith("loop"):  # a planar one closes for a plane of numbers only
        names += [f"{joint}.tail.at.x", f"{joint}.head.at.y"]
    compare(s, names, 0.3, start, rates, 2e-4, 1e-7, samples=3)


@pytest.mark.parametrize("seed", [2, 5])
def test_random_machines_with_loads(seed: int) -> None:
    case = random_loaded_machine(seed)
    s = case.machine
    start = {n: float(s.home[n]) for n in case.drives}
    names = [n for n in s.parameters if n.endswith((".mass", ".stiffness", ".amount"))][:5]
    names += [f"start.{case.drives[0]}", "gravity.z"]
    compare(s, names, 0.02, start, {}, 1e-2, 1e-7, samples=3)


# ---------------------------------------------------------------- drives and events


def arm() -> Any:
    m = lw.Mechanism("arm", gravity=(0, 0, -G))
    m.body("a", mass=0.5, com=(0.3, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
    m.body("b", mass=0.3, com=(0.8, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
    m.revolute("A", "ground", "a", axis="y")
    m.revolute("B", "a", "b", at=(0.5, 0, 0), axis="y")
    m.point("tip", "b", (1.0, 0, 0))
    m.spring("coil", joint="B", stiffness=2.0)
    return m.assemble()


BY = ["b.mass", "coil.stiffness", "start.B", "rates.B", "B.tail.at.x"]
EVENTS = {
    "given times": [lw.at(0.3, off="coil"), lw.at(0.5, set={"b.mass": 0.5}), lw.at(0.6, lock="B")],
    "load switched": [lw.when("tip.z + 0.6", off="coil", once=True)],
    "number set": [lw.when("tip.z + 0.6", set={"b.mass": 0.6}, once=True)],
    "locked and released": [lw.when("tip.z + 0.6", lock="B", once=True), lw.at(0.6, release="B")],
    "only recorded": [lw.when("rate(B)", name="turns")],
    "bounces": [lw.stop("tip.z", low=-0.6, restitution=0.6)],
    "comes to rest": [lw.stop("tip.z", low=-0.6)],
    "elastic": [lw.stop("tip.z", low=-0.6, stiffness=2000.0)],
}


@pytest.mark.parametrize("what", EVENTS)
def test_events(what: str) -> None:
    until = 0.52 if what == "bounces" else 0.7  # later, differences of ever shorter bounces are noise
    run = compare(arm(), BY, until, {"A": 0.2, "B": 0.0}, {}, 2e-4, 1e-7, samples=6, events=EVENTS[what])
    assert run.events


def test_a_driven_joint_does_not_answer() -> None:
    s = arm()
    drives = {"A": lw.expression("0.3*sin(2*t)")}
    run = compare(s, ["b.mass", "coil.stiffness", "rates.B"], 1.0, {}, {}, 1e-4, 1e-8, samples=5, drives=drives)
    for by in run.sensitivities:
        assert np.abs(run.sensitivity("A", by)).max() < 1e-14

    def effort(x: float) -> Array:
        other = s.with_parameters({"b.mass": 0.3 + x})
        found: Array = other.simulate(1.0, drives=drives, samples=5, **TIGHTER)["A.effort"].values
        return found

    expected = differences(effort, 1e-4)
    np.testing.assert_allclose(run.sensitivity("A.effort", "b.mass"), expected, atol=1e-8)


def test_stick_and_slip() -> None:
    m = lw.Mechanism("slide")
    m.body("block", mass=2.0)
    m.prismatic("X", "ground", "block", axis="x")
    m.friction("dry", joint="X", level=3.0, form="exact")
    m.spring("coil", joint="X", stiffness=20.0, free=0.0)
    s = m.assemble()
    names = ["block.mass", "coil.stiffness", "dry.forward", "start.X", "coil.free"]
    run = compare(s, names, 3.0, {"X": 1.0}, {}, 1e-5, 1e-7, samples=7)
    assert any("sticks" in e.what for e in run.events)


def test_what_has_no_derivative_is_refused_by_name() -> None:
    s = arm()
    with pytest.raises(lw.ModelError, match=r"b\.mas") as found:
        s.simulate(0.1, sensitive_to=["b.mas", "start.C", "A.tail.u.x", "coil.free", "coil.free"])
    assert len(found.value.problems) == 4
    with pytest.raises(lw.ModelError, match="explicit"):
        s.simulate(0.1, sensitive_to="b.mass", method="radau")
    with pytest.raises(lw.ModelError, match="controller"):
        s.simulate(0.1, sensitive_to="b.mass", controller=lambda t, state: None, rate=100)
    with pytest.raises(lw.ModelError, match="taken"):
        taken = lw.when("tip.z + 0.6", set={"b.mass": 0.6}, from_rest=True, name="taken")
        s.simulate(0.1, sensitive_to="b.mass", events=taken)
    with pytest.raises(lw.ModelError, match="'one' and 'other'"):
        other = lw.when("2*tip.z + 1.2", set={"b.mass": 1}, name="other")
        both = [lw.when("tip.z + 0.6", off="coil", name="one"), other]
        s.simulate(0.5, {"A": 0.2}, sensitive_to="b.mass", events=both)
    run = s.simulate(0.1, samples=3, sensitive_to="b.mass")
    with pytest.raises(lw.ModelError, match=r"b\.mass"):
        run.sensitivity("tip.x", "b.mas")
    with pytest.raises(lw.ModelError, match=r"tip\.q"):
        run.sensitivity("tip.q", "b.mass")
    with pytest.raises(lw.ModelError, match="sensitive_to"):
        s.simulate(0.1, samples=3).sensitivity("tip.x", "b.mass")


def test_loops_that_cannot_follow() -> None:
    s = lw.example("slider-crank").assemble()
    with pytest.raises(lw.ModelError, match=r"B\.tail\.at\.z"):
        s.simulate(0.1, sensitive_to=["B.tail.at.z", "rod.mass"])
    with pytest.raises(lw.ModelError, match=r"start\.B"):
        s.simulate(0.1, {"A": 0.5}, sensitive_to=["start.B"])


# ---------------------------------------------------------------- every signal, and what for


def test_every_signal_of_a_run() -> None:
    s = lw.example("slider-crank").assemble()
    options = {"start": {"A": 0.5}, "rates": {"A": 3.0}, "samples": 4}
    run = s.simulate(0.05, **options, sensitive_to="A.head.at.x", **TIGHT)

    def other(x: float) -> Any:
        changed = s.with_parameters({"A.head.at.x": s.parameters["A.head.at.x"] + x})
        return changed.simulate(0.05, **options, **TIGHTER)

    runs = {x: other(x) for x in (1e-5, -1e-5, 5e-6, -5e-6)}
    names = [n for n in (*run.signals, "P.speed") if not n.startswith("closure")]
    assert len(names) > 40
    for name in names:
        expected = differences(lambda x, n=name: runs[x].signal(n).values, 1e-5)
        found = run.sensitivity(name, "A.head.at.x").values
        assert np.abs(found - expected).max() <= 1e-8 * max(np.abs(expected).max(), 1.0), name


def test_identification_converges_quadratically() -> None:
    """Mass and damping from a measured motion, by Gauss and Newton."""
    truth = oscillator().assemble()
    asked = {"until": 3.0, "start": {"X": 0.3}, "samples": 61, "rtol": 1e-12, "atol": 1e-13}
    measured = truth.simulate(**asked)["X.slide"].values
    names = ["cart.mass", "coil.damping"]
    numbers, errors = np.array([1.2, 0.5]), []
    for _ in range(6):
        run = truth.with_parameters(dict(zip(names, numbers, strict=True))).simulate(**asked, sensitive_to=names)
        J = np.column_stack([run.sensitivity("X", n) for n in names])
        numbers = numbers + np.linalg.lstsq(J, measured - run["X.slide"].values, rcond=None)[0]
        errors.append(np.abs(numbers - [1.5, 0.8]).max())
    assert errors[-1] < 1e-11
    falling = [e for e in errors if e > 1e-6]
    assert len(falling) >= 2
    for before, after in pairwise(errors):
        assert after < 3.0 * before**2 + 1e-11


def test_derivatives_are_saved_with_a_run(tmp_path: Path) -> None:
    """To the last bit, with their units; they can be pickled and saved again, and other programs can read them."""
    s = lw.example("slider-crank").assemble()
    ways = ("rod.mass", "start.A", "gravity.y")
    run = s.simulate(0.2, start={"A": 0.5}, samples=5, sensitive_to=ways)
    path = run.save(tmp_path / "run.nc")
    loaded = lw.load_run(path)
    for again in (loaded, pickle.loads(pickle.dumps(loaded)), lw.load_run(loaded.save(tmp_path / "again.nc"))):
        assert again.sensitivities == ways and again.data.identical(run.data)
        for by in ways:
            for name in ("A", "P.x", "D.rate", "P.speed", "machine.kinetic_energy"):
                own, kept = run.sensitivity(name, by), again.sensitivity(name, by)
                assert np.array_equal(own.values, kept.values, equal_nan=True)
                assert (own.unit, own.name) == (kept.unit, kept.name)
    with pytest.raises(lw.InputError, match=r"was not differentiated by 'rod\.mas'; did you mean 'rod\.mass'"):
        loaded.sensitivity("A", "rod.mas")
    plain = lw.load_run(s.simulate(0.2, samples=3).save(tmp_path / "plain.nc"))
    assert plain.sensitivities == () and lw.load_run(run.save(tmp_path / "run.csv")).sensitivities == ()

    import xarray as xr

    with xr.open_dataset(path, engine="h5netcdf", group="sensitivities/0") as data:
        assert data.attrs["by"] == "rod.mass" and data["P.position"].shape == (5, 3)


def test_files_with_strange_derivatives_are_refused(tmp_path: Path) -> None:
    import h5py

    run = lw.example("pendulum").assemble().simulate(0.1, start={"A": 0.5}, samples=3, sensitive_to="start.A")
    for k, (spoil, text) in enumerate((
        (lambda f: f["sensitivities/0"].attrs.__setitem__("by_unit", b"furlong/mm/"), "sensitivities.start.A"),
        (lambda f: f["sensitivities"].__setitem__("1", np.zeros(3)), "these are no derivatives"),
        (lambda f: f["sensitivities"].__setitem__("1", h5py.ExternalLink("other.nc", "/")), "these are no derivatives"),
        (lambda f: f["sensitivities/0"].__setitem__("far", h5py.SoftLink("/time")), "points to other files"),
    )):  # fmt: skip
        path = run.save(tmp_path / f"run{k}.nc")
        with h5py.File(path, "r+") as file:
            spoil(file)
        with pytest.raises(lw.InputError, match=text):
            lw.load_run(path)
