"""Exact derivatives of quantities of machines with loops, against Richardson's differences.

Partial ones hold all other inputs. Total ones let the dependent joints follow: there the machine is closed anew for
each difference, by `solve`, at other inputs or with other numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.units import deg

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("model", "equations")]
from random_loads import Loaded, State, random_loaded_machine  # noqa: E402

from stretch_oracle import swinging  # noqa: E402

Array = np.ndarray
Values = Callable[[float], Array]


def slope(value: Values, size: float) -> Array:
    """dF/dx at 0 to the sixth order."""
    h = 3e-3 * size
    steps = [(value(k * h) - value(-k * h)) / (2 * k * h) for k in (1, 2, 3)]
    return 1.5 * steps[0] - 0.6 * steps[1] + 0.1 * steps[2]


def near(found: Any, wanted: Any, tolerance: float, least: float = 1e-12) -> None:
    """least : what counts as nothing is that part of it."""
    found, wanted = np.asarray(found, float), np.asarray(wanted, float)
    size = np.nanmax(np.abs(wanted), initial=least)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    np.testing.assert_allclose(found / size, wanted / size, rtol=0, atol=tolerance)


# ---------------------------------------------------------------- machines


@cache
def engine() -> lw.Machine:
    m = lw.example("slider-crank")
    m.damper("oil", joint="A", damping=0.2)
    return m.assemble(start={"A": 40 * deg})


@cache
def platform() -> lw.Machine:
    return lw.example("stewart-platform").assemble()


@cache
def stretching() -> lw.Machine:
    """A boom with coordinates of its own in a loop."""
    return swinging(True, True).assemble()


INPUTS = {
    "engine": {"A.angle": (0.9, 30.0, -200.0)},
    "stretching": {"A.angle": (0.1, 0.5, -1.0), "B.angle": (0.05, 0.2, 0.7), "D.slide": (0.02, 0.1, 0.3)},
    "platform": {f"P{k}.slide": (None, 0.1 * (-1) ** k, 0.4 * k - 1) for k in range(1, 7)},
}
MACHINES: dict[str, Callable[[], lw.Machine]] = {"engine": engine, "platform": platform, "stretching": stretching}
NUMBERS = {
    "engine": ("rod.mass", "rod.com.x", "crank.inertia.zz", "B.tail.at.x", "C.head.at.x", "oil.damping", "gravity.y"),
    "stretching": ("boom.mass", "reach.gradient.x", "sway.start.y", "B.tail.at.x", "k1.stiffness", "gravity.y"),
    "platform": ("platform.mass", "platform.inertia.xx", "S1.head.at.z", "U2.tail.at.x", "gravity.z"),
}


def given(name: str, machine: lw.Machine) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Values, rates and accelerations of the independent variables."""
    triples = {n: (machine.home[n] + 0.01 if x is None else x, v, a) for n, (x, v, a) in INPUTS[name].items()}
    return tuple({n: t[k] for n, t in triples.items()} for k in range(3))  # type: ignore[return-value]


def closed(machine: lw.Machine, inputs: tuple[dict[str, float], ...]) -> tuple[Array, Array, Array]:
    """Variables, rates and accelerations of all joints."""
    found = machine.solve(*({n: [x] for n, x in own.items()} for own in inputs))
    assert found.stopped is None
    return found.variables[0], found.rates[0], found.accelerations[0]


QUANTITIES: dict[str, Callable[[lw.Machine, Array, Array, Array], Array]] = {
    "drive_efforts": lambda s, y, w, dw: s.drive_efforts(y, w, dw),
    "forward_dynamics": lambda s, y, w, dw: s.forward_dynamics(y, w, pushes(s)),
    "kinetic_energy": lambda s, y, w, dw: s.kinetic_energy(y[: s.nq], w[: s.nv]),
    "potential_energy": lambda s, y, w, dw: s.potential_energy(y[: s.nq]),
    "variables": lambda s, y, w, dw: y,
    "variable_rates": lambda s, y, w, dw: w,
    "variable_accelerations": lambda s, y, w, dw: dw,
    "load_magnitudes": lambda s, y, w, dw: s._load_state(y, w, np.zeros(1))[0],
}
TAKES = {
    "drive_efforts": ("y", "w", "dw"), "forward_dynamics": ("y", "w", "effort"), "kinetic_energy": ("y", "w"),
    "potential_energy": ("y",), "variables": ("y",), "variable_rates": ("y", "w"),
    "variable_accelerations": ("y", "w", "dw"), "load_magnitudes": ("y", "w"),
}  # fmt: skip


def pushes(s: lw.Machine) -> Array:
    """Some efforts."""
    return np.linspace(-3.0, 2.0, len(s.variable_rates))


def arguments(s: lw.Machine, quantity: str, y: Array, w: Array, dw: Array) -> list[Array]:
    every = {"y": y, "w": w, "dw": dw, "effort": pushes(s)}
    return [every[n] for n in TAKES[quantity]]


CASES = [(n, q) for n in MACHINES for q in QUANTITIES if not (n == "platform" and q == "load_magnitudes")]


@pytest.mark.parametrize(("name", "quantity"), CASES)
def test_total_derivatives_by_the_independent_variables(name: str, quantity: str) -> None:
    s = MACHINES[name]()
    inputs = given(name, s)
    names = list(inputs[0])
    at = closed(s, inputs)
    levels = [n for n in ("y", "w", "dw") if n in TAKES[quantity]]
    found = s.derivative(quantity, levels, through="closure", independent=names)
    assert found.independent == tuple(names)
    results = found(*arguments(s, quantity, *at))
    for level, result in zip(levels, results if len(levels) > 1 else [results], strict=True):
        k = ("y", "w", "dw").index(level)
        for column, n in enumerate(names[:2]):

            def value(x: float, k: int = k, n: str = n) -> Array:
                other = tuple({**own, n: own[n] + x} if i == k else own for i, own in enumerate(inputs))
                return np.atleast_1d(QUANTITIES[quantity](s, *closed(s, other)))

            near(np.atleast_1d(result[..., column]), slope(value, (0.1, 1.0, 10.0)[k]), 1e-8)


@pytest.mark.parametrize(("name", "quantity"), CASES)
def test_total_derivatives_by_numbers(name: str, quantity: str) -> None:
    s = MACHINES[name]()
    inputs = given(name, s)
    at = closed(s, inputs)
    names = list(NUMBERS[name])
    found = s.derivative(quantity, names, through="closure", independent=list(inputs[0]))
    results = found(*arguments(s, quantity, *at))
    for column, n in enumerate(names):

        def value(x: float, n: str = n) -> Array:
            other = s.with_parameters({n: s.parameters[n] + x})
            return np.atleast_1d(QUANTITIES[quantity](other, *closed(other, inputs)))

        step = 0.05 * max(abs(s.parameters[n]), 0.02)
        near(np.atleast_1d(results[..., column]), slope(value, step), 1e-8, np.abs(value(0.0)).max() / step * 1e-3)


def test_reactions_through_the_closure() -> None:
    """Of one joint, with what is indeterminate left open; in the plane, so that the loop stays planar."""
    s = engine()
    inputs = given("engine", s)
    at = closed(s, inputs)
    wanted = {"rod.mass": 0.01, "C.head.at.x": 1e-3}

    def six(machine: lw.Machine, own: tuple[dict[str, float], ...]) -> Array:
        law = {
            n: f"{x!r} + {v!r}*t + {a!r}*t*t/2" for n, x, v, a in zip(own[0], *(o.values() for o in own), strict=True)
        }
        run = machine.forces(machine.motion({n: lw.expression(t) for n, t in law.items()}, times=[0.0]))
        found = np.concatenate([run["C"].force.values[0], run["C"].moment.values[0]])
        assert np.isnan(found).tolist() == [False, False, True, True, True, False]
        return np.array(found)

    result = s.derivative("reactions", list(wanted), of="C", through="closure")(*at)
    for column, (n, size) in enumerate(wanted.items()):
        near(
            result[:, column],
            slope(lambda x, n=n: six(s.with_parameters({n: s.parameters[n] + x}), inputs), size),
            1e-7,
        )
    by_angle = s.derivative("reactions", "y", of="C", through="closure")(*at)
    near(by_angle[:, 0], slope(lambda x: six(s, ({"A.angle": 0.9 + x}, *inputs[1:])), 0.02), 1e-7)


def test_second_derivatives_through_the_closure() -> None:
    s = engine()
    inputs = given("engine", s)
    at = closed(s, inputs)
    twice = s.derivative("potential_energy", "y", then="y", through="closure")(at[0])
    first = s.derivative("potential_energy", "y", through="closure")

    def value(x: float) -> Array:
        return np.asarray(first(closed(s, ({"A.angle": 0.9 + x}, *inputs[1:]))[0]))

    near(np.ravel(twice), slope(value, 0.1), 1e-9)
    mixed = s.derivative("drive_efforts", "dw", then="rod.mass", through="closure")(*at)
    inertia = s.derivative("drive_efforts", "dw", through="closure")

    def effective(x: float) -> Array:
        other = s.with_parameters({"rod.mass": s.parameters["rod.mass"] + x})
        return np.asarray(other.derivative("drive_efforts", "dw", through="closure")(*closed(other, inputs)))

    near(np.ravel(mixed), np.ravel(slope(effective, 0.05)), 1e-9)
    assert np.ravel(inertia(*at))[0] > 0


# ---------------------------------------------------------------- random machines, everything else held


@cache
def drawn(seed: int) -> tuple[Loaded, State]:
    case = random_loaded_machine(seed)
    return case, case.state(np.random.default_rng(seed))


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(k, marks=pytest.mark.slow) for k in range(6, 24))])
def test_partial_derivatives_of_random_machines(seed: int) -> None:
    """By inputs, any direction; by a mass."""
    case, state = drawn(seed)
    s, rng = case.machine, np.random.default_rng(seed)
    inputs = {"y": state.y, "w": state.w, "dw": state.dw}
    quantity = {"drive_efforts": lambda a: s.drive_efforts(a["y"], a["w"], a["dw"], t=state.t)}
    for name, law in quantity.items():
        for level in ("w", "dw"):
            by = s.derivative(name, level)(*inputs.values(), t=state.t)
            along = rng.normal(size=len(inputs[level]))
            value = lambda x, level=level, along=along, law=law: law({**inputs, level: inputs[level] + x * along})  # noqa: E731
            near(by @ along, slope(value, 0.02), 1e-7)  # friction turns round within 0.01


@pytest.mark.parametrize(("name", "number"), [(n, x) for n in MACHINES for x in NUMBERS[n][:3] + NUMBERS[n][-3:-1]])
def test_accelerations_by_numbers_at_a_posture_that_stays(name: str, number: str) -> None:
    """The posture and all rates are held, though loops would close elsewhere: what `forward_dynamics` gives there."""
    s = MACHINES[name]()
    y, w, _ = closed(s, given(name, s))
    value = s.parameters[number]

    def moved(x: float) -> Array:
        return s.with_parameters({number: value + x}).forward_dynamics(y, w, pushes(s))

    near(s.derivative("forward_dynamics", number)(y, w, pushes(s)), slope(moved, 0.5 * max(abs(value), 0.02)), 1e-8)


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(k, marks=pytest.mark.slow) for k in range(6, 24))])
def test_total_derivatives_of_random_machines(seed: int) -> None:
    """Accelerations from efforts by the drives: the inverse of what efforts say, and by a mass."""
    case, state = drawn(seed)
    s = case.machine
    if len(case.drives) + len(case.roots) != s.home.mobility:
        pytest.skip("more freedoms than drives")
    free = [*case.drivers]
    inertia = s.derivative("drive_efforts", "dw", through="closure", independent=free)
    M = inertia(state.y, state.w, state.dw, t=state.t)
    near(M, M.T, 1e-10)
    assert np.linalg.eigvalsh(0.5 * (M + M.T)).min() > 0
    columns = [s.variable_rates.index(n) for n in free]
    answer = s.derivative("forward_dynamics", "effort", through="closure", independent=free)
    A = answer(state.y, state.w, np.zeros(len(s.variable_rates)), t=state.t)[np.ix_(columns, columns)]
    near(A @ M, np.eye(len(free)), 1e-8)


# ---------------------------------------------------------------- what is refused


def test_what_has_no_derivative_is_told() -> None:
    s = engine()
    y, w, dw = closed(s, given("engine", s))
    with pytest.raises(lw.ModelError, match="moves joints apart"):
        s.derivative("drive_efforts", "B.tail.w.x", through="closure")(y, w, dw)
    with pytest.raises(lw.ModelError, match="did you mean 'drive_efforts'"):
        s.derivative("drive_effort", "y")
    with pytest.raises(lw.InputError, match="through"):
        s.derivative("drive_efforts", "y", through="loops")  # type: ignore[arg-type]
    with pytest.raises(lw.InputError, match="no joint 'Q'"):
        s.derivative("reactions", "y", of="Q")
    with pytest.raises(lw.InputError, match="2 inputs for"):
        s.derivative("drive_efforts", "y")(y, w)
