"""Laws of time for what has no mass of its own: bodies without mass, and coordinates of points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.units import deg

Array = np.ndarray
MASSES, TYRE, COIL, DAMPING = (40.0, 300.0), 2e5, 2e4, 1500.0


def close(a: Any, b: Any, tolerance: float) -> None:
    np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=0.0, atol=tolerance)


# ---------------------------------------------------------------- bodies without mass


def quarter_car(road: float = 0.0) -> lw.Mechanism:
    """Road, wheel and body one above the other, with springs between."""
    m = lw.Mechanism("quarter-car", gravity=(0, 0, -9.81))
    m.body("road", mass=road), m.body("wheel", mass=MASSES[0]), m.body("car", mass=MASSES[1])
    for joint, body, z in (("R", "road", 0.0), ("W", "wheel", 0.3), ("C", "car", 0.8)):
        m.prismatic(joint, m.ground, body, at=(0, 0, z), axis="z")
        m.point(f"on_{body}", body, at=(0, 0, z))
    m.spring("tyre", "on_road", "on_wheel", stiffness=TYRE, free=0.3)
    m.spring("coil", "on_wheel", "on_car", stiffness=COIL, free=0.5, damping=DAMPING)
    return m


SHAKEN = lw.harmonic(0, 0.02, frequency=2.0)


def shaken(times: Array) -> tuple[Array, Array]:
    """Wheel and car, and the force that shakes the road: integrated by scipy."""

    def rates(t: float, z: Array) -> Array:
        w, c, dw, dc = z
        u = float(SHAKEN.sample(t)[0])
        tyre, coil = TYRE * (w - u), COIL * (c - w) + DAMPING * (dc - dw)
        return np.array([dw, dc, (coil - tyre) / MASSES[0] - 9.81, -coil / MASSES[1] - 9.81])

    found = solve_ivp(rates, (0, times[-1]), np.zeros(4), "DOP853", t_eval=times, rtol=1e-12, atol=1e-14)
    return found.y[:2], TYRE * (SHAKEN.sample(times)[0] - found.y[0])


def test_a_road_without_mass_shakes_a_wheel() -> None:
    run = quarter_car().assemble().simulate(1.0, drives={"R": SHAKEN}, samples=41, rtol=1e-11, atol=1e-13)
    (wheel, car), push = shaken(np.linspace(0, 1, 41))
    close(run["W.slide"], wheel, 1e-10)
    close(run["C.slide"], car, 1e-10)
    close(run["R.effort"], push, 1e-5)
    assert run.evidence.simulation.energy_error < 1e-9 * run.evidence.simulation.energy_scale


def test_a_mass_that_is_driven_changes_its_own_effort_alone() -> None:
    light, heavy = (
        quarter_car(mass).assemble().simulate(0.5, drives={"R": SHAKEN}, samples=11, rtol=1e-11) for mass in (0.0, 7.0)
    )
    close(light["C.slide"], heavy["C.slide"], 1e-11)
    weight = 7.0 * (9.81 + heavy["R.acceleration"].values)
    close(heavy["R.effort"].values - light["R.effort"].values, weight, 1e-5)


@pytest.mark.parametrize("method", ["radau", "exponential"])
def test_methods_agree_about_what_has_no_mass(method: str) -> None:
    run = quarter_car().assemble().simulate(0.3, drives={"R": SHAKEN}, samples=7, method=method, rtol=1e-10)
    (_, car), push = shaken(np.linspace(0, 0.3, 7))
    close(run["C.slide"], car, 1e-7)
    close(run["R.effort"], push, 1e-2)


def test_many_runs_and_sensitivities_know_what_is_lent() -> None:
    s = quarter_car().assemble()
    masses = np.array([250.0, 300.0, 350.0])
    many = s.simulate_many(0.5, drives={"R": SHAKEN}, parameters={"car.mass": masses}, samples=6, rtol=1e-11)
    for k, mass in enumerate(masses):
        single = s.with_parameters({"car.mass": mass}).simulate(0.5, drives={"R": SHAKEN}, samples=6, rtol=1e-11)
        close(many["R.effort"].values[k], single["R.effort"], 1e-6)
    run = s.simulate(0.5, drives={"R": SHAKEN}, samples=6, rtol=1e-11, sensitive_to=["car.mass"])

    def effort(mass: float) -> Array:
        other = s.with_parameters({"car.mass": mass}).simulate(0.5, drives={"R": SHAKEN}, samples=6, rtol=1e-12)
        return np.array(other["R.effort"].values)

    h = 1.0
    slope = (8 * (effort(300 + h) - effort(300 - h)) - (effort(300 + 2 * h) - effort(300 - 2 * h))) / (12 * h)
    close(run.sensitivity("R.effort", "car.mass"), slope, 1e-5)


def test_what_nothing_drives_still_needs_a_mass() -> None:
    with pytest.raises(lw.ModelError, match=r"no mass resists R\.slide"):
        quarter_car().assemble().simulate(0.1)


# ---------------------------------------------------------------- coordinates of points


def arm(sledge: bool = False) -> Any:
    """Two links; with a sledge, the tip is pinned to a carriage that slides up and down on it, both without mass."""
    m = lw.Mechanism("arm", gravity=(0, -9.81, 0))
    first, second = np.array([np.cos(0.5), np.sin(0.5), 0.0]), np.array([np.cos(1.6), np.sin(1.6), 0.0])
    elbow, tip = 0.4 * first, 0.4 * first + 0.3 * second
    m.body("upper", mass=1.0, com=tuple(0.5 * elbow), inertia=(0.01, 0.01, 0.01))
    m.body("fore", mass=0.6, com=tuple(0.5 * (elbow + tip)), inertia=(0.01, 0.01, 0.01))
    m.revolute("A", m.ground, "upper", at=(0, 0, 0), axis="z")
    m.revolute("B", "upper", "fore", at=tuple(elbow), axis="z")
    m.point("P", "fore", at=tuple(tip))
    if sledge:
        m.body("sledge"), m.body("carriage")
        m.revolute("C", "fore", "carriage", at=tuple(tip), axis="z")
        m.prismatic("Y", "sledge", "carriage", at=tuple(tip), axis="y")
        m.prismatic("X", m.ground, "sledge", at=tuple(tip), axis="x")
    return m.assemble()


def test_a_point_that_is_driven_goes_like_one_on_a_sledge() -> None:
    s, other = arm(), arm(sledge=True)
    x = float(s.home.position("P")[0])
    law, again = lw.cycloidal(x, x - 0.1, duration=0.8), lw.cycloidal(0.0, -0.1, duration=0.8)
    run = s.simulate(0.6, drives={"P.x": law}, samples=13, rtol=1e-11, atol=1e-13)
    same = other.simulate(0.6, drives={"X": again}, samples=13, rtol=1e-11, atol=1e-13)
    close(run["A.angle"], same["A.angle"], 1e-8)
    close(run["B.angle"], same["B.angle"], 1e-8)
    close(run["P.x.effort"], same["X.effort"], 1e-6)
    close(run["P.position.x"], law.sample(np.linspace(0, 0.6, 13))[0], 1e-12)
    assert run.evidence.simulation.energy_error < 1e-8 * run.evidence.simulation.energy_scale


def test_both_coordinates_driven_is_the_motion() -> None:
    s = arm()
    x, y, _ = s.home.position("P")
    laws = {"P.x": lw.cycloidal(x, x - 0.1, duration=0.8), "P.y": lw.cycloidal(y, y - 0.1, duration=0.8)}
    run, motion = s.simulate(0.8, drives=laws, samples=9, rtol=1e-11), s.motion(laws, samples=9)
    for name in ("A.angle", "B.angle", "A.rate", "B.acceleration"):
        close(run[name], motion[name], 1e-8)
    # Virtual work: what the joints would have to give is Jᵀ of what the point gets.
    forces = s.forces(motion)
    for k in range(9):
        J = s.jacobian("P", np.array([run["A.angle"].values[k], run["B.angle"].values[k]]))[:2]
        given = J.T @ [run["P.x.effort"].values[k], run["P.y.effort"].values[k]]
        close(given, [forces["A.effort"].values[k], forces["B.effort"].values[k]], 1e-8)


def test_a_coupler_point_drives_a_loop() -> None:
    s = lw.example("slider-crank").assemble(start={"A": 40 * deg})
    x = float(s.home.position("P")[0])
    law = {"P.x": lw.cycloidal(x, x - 0.03, duration=0.5)}
    run, motion = s.simulate(0.5, drives=law, samples=7, rtol=1e-11), s.motion(law, samples=7)
    close(run["D.slide"], motion["D.slide"], 1e-10)
    forces = s.forces(motion, drives=["A"])
    power = forces["A.effort"].values * motion["A.rate"].values
    close(run["P.x.power"], power, 1e-9)


def test_what_cannot_be_driven_is_told() -> None:
    s = arm()
    with pytest.raises(lw.InputError, match=r"Q\.x"):
        s.simulate(0.1, drives={"Q.x": 0.2})
    with pytest.raises(lw.InputError, match=r"starts at|law begins"):
        s.simulate(0.1, {"P.x": 0.1}, drives={"P.x": (float(s.home.position("P")[0]), 0.2)})
