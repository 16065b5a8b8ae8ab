"""Derivatives of any quantity by inputs and parameters, against central differences of eighth order."""

from __future__ import annotations

import numpy as np
import pytest
from balances import near, rate
from random_trees import Grown, grow_tree

import linkwork as lw
from linkwork import geometry as geo

TOL = 1e-8
STEP = 2e-3

PLAIN = grow_tree(31, ["revolute", "prismatic", "universal", "gear"], bodies=4)
TURNING = grow_tree(32, ["spheric", "helical"], bodies=2)
FLOATING = grow_tree(36, ["revolute"], bodies=1, floating=1, grounded=False)
ALIGNED = grow_tree(33, ["revolute", "revolute", "prismatic", "cylindric"], bodies=4, aligned=True)
CAMS = grow_tree(34, ["point_on_egg", "line_on_egg"], bodies=2)
GEARS = grow_tree(35, ["bevel", "rack_flank"], bodies=2)
TREES = {"plain": PLAIN, "turning": TURNING, "aligned": ALIGNED, "cams": CAMS, "gears": GEARS}
EVERY = pytest.mark.parametrize("grown", TREES.values(), ids=TREES)


def along_rates(s: lw.System, f: object, arrays: dict[str, np.ndarray], wrt: str, step: float = STEP) -> np.ndarray:
    """Derivative of f(*arrays) by one input: for q along the rates, as coordinates move."""
    columns = []
    for k in range(s.nv):
        unit = np.eye(s.nv)[k]

        def moved(t: float, unit: np.ndarray = unit) -> np.ndarray:
            there = s.integrate(arrays["q"], unit * t) if wrt == "q" else arrays[wrt] + unit * t
            return f(*{**arrays, wrt: there}.values())  # type: ignore[operator]

        columns.append(rate(moved, step))
    return np.stack(columns, axis=-1)


INPUTS = {
    "inverse_dynamics": ("q", "v", "a"),
    "forward_dynamics": ("q", "v", "tau"),
    "bias": ("q", "v"),
    "gravity_forces": ("q",),
    "mass_matrix": ("q",),
    "kinetic_energy": ("q", "v"),
    "potential_energy": ("q",),
    "momentum": ("q", "v"),
    "centre_of_mass": ("q",),
    "poses": ("q",),
}


def values(grown: Grown, names: tuple[str, ...], seed: int = 0) -> dict[str, np.ndarray]:
    q, v, a = grown.state(np.random.default_rng(seed))
    given = {"q": q, "v": v, "a": a, "tau": a}
    return {name: given[name] for name in names}


@EVERY
@pytest.mark.parametrize("quantity", INPUTS)
def test_by_inputs(grown: Grown, quantity: str) -> None:
    s = grown.system
    names = INPUTS[quantity]
    arrays = values(grown, names)
    f = getattr(s, quantity)
    found = s.derivative(quantity, names)(*arrays.values())
    found = found if len(names) > 1 else (found,)
    for name, D in zip(names, found, strict=True):
        near(D, along_rates(s, f, arrays, name), TOL, what=f"d {quantity} / d {name}")
    shape = np.shape(f(*arrays.values()))
    assert all(D.shape == (*shape, s.nv) for D in found)


@EVERY
@pytest.mark.parametrize("quantity", ["pose", "velocity", "acceleration", "jacobian"])
def test_of_a_frame(grown: Grown, quantity: str) -> None:
    s = grown.system
    names = {"velocity": ("q", "v"), "acceleration": ("q", "v", "a")}.get(quantity, ("q",))
    arrays = values(grown, names)
    tip = s.bodies[-1]
    found = s.derivative(quantity, "q", tip)(*arrays.values())
    near(found, along_rates(s, lambda *x: getattr(s, quantity)(tip, *x), arrays, "q"), TOL)


def test_of_a_floating_machine() -> None:
    s = FLOATING.system
    arrays = values(FLOATING, ("q", "v", "a"))
    found = s.derivative("inverse_dynamics", ("q", "v"))(*arrays.values())
    for name, D in zip(("q", "v"), found, strict=True):
        near(D, along_rates(s, s.inverse_dynamics, arrays, name), TOL, what=name)


def test_forward_dynamics_by_torques_is_the_inverse_mass_matrix() -> None:
    for grown in TREES.values():
        s = grown.system
        arrays = values(grown, ("q", "v", "tau"))
        M = s.mass_matrix(arrays["q"])
        D = s.derivative("forward_dynamics", "tau")(*arrays.values())
        near(M @ D, np.eye(s.nv), 1e-15 * np.linalg.cond(M) + 1e-12)


def test_inverse_dynamics_by_accelerations_is_the_mass_matrix() -> None:
    for grown in TREES.values():
        arrays = values(grown, ("q", "v", "a"))
        near(
            grown.system.derivative("inverse_dynamics", "a")(*arrays.values()),
            grown.system.mass_matrix(arrays["q"]),
            1e-13,
        )


def test_the_derivative_of_a_pose_is_the_jacobian() -> None:
    s = TURNING.system
    q = TURNING.q(np.random.default_rng(3))
    for body in s.bodies:
        D, J, X = s.derivative("pose", "q", body)(q), s.jacobian(body, q), s.pose(body, q)
        near(D[:3, 3], J[:3], 1e-13)
        for k in range(s.nv):
            near(D[:3, :3, k], geo.skew(J[3:, k]) @ X[:3, :3], 1e-13, 1.0)


# --- second order -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("grown", [TURNING, ALIGNED, CAMS], ids=["turning", "aligned", "cams"])
@pytest.mark.parametrize(
    ("quantity", "wrt"),
    [
        ("inverse_dynamics", "q"),
        ("inverse_dynamics", "v"),
        ("kinetic_energy", "q"),
        ("kinetic_energy", "v"),
        ("potential_energy", "q"),
    ],
)
def test_second_derivatives(grown: Grown, quantity: str, wrt: str) -> None:
    names = INPUTS[quantity]
    s = grown.system
    arrays = values(grown, names)
    first = s.derivative(quantity, wrt)
    found = s.derivative(quantity, wrt, then=wrt)(*arrays.values())
    assert found.shape == (*np.shape(first(*arrays.values())), s.nv)
    near(found, along_rates(s, first, arrays, wrt), TOL)


@pytest.mark.parametrize("grown", [TURNING, ALIGNED, CAMS], ids=["turning", "aligned", "cams"])
def test_mixed_second_derivatives(grown: Grown) -> None:
    s = grown.system
    arrays = values(grown, INPUTS["inverse_dynamics"])
    mass = f"{s.bodies[-1]}.mass"
    by_v = s.derivative("inverse_dynamics", "v")
    found = s.derivative("inverse_dynamics", "v", then="q")(*arrays.values())
    near(found, along_rates(s, by_v, arrays, "q"), TOL)
    found = s.derivative("inverse_dynamics", "v", then=mass)(*arrays.values())
    assert found.shape == (s.nv, s.nv)
    near(found, by_parameter(s, lambda p: by_v(*arrays.values(), parameters=p), mass), 1e-7)
    other = s.derivative("inverse_dynamics", mass, then="v")(*arrays.values())
    near(other, found, 1e-13)
    several = s.derivative("inverse_dynamics", ("q", "v"), then=("v", "a"))(*arrays.values())
    assert len(several) == 4
    near(several[0], np.swapaxes(s.derivative("inverse_dynamics", "v", then="q")(*arrays.values()), -1, -2), 1e-12)


def test_second_derivatives_of_forward_dynamics() -> None:
    s = ALIGNED.system
    arrays = values(ALIGNED, ("q", "v", "tau"))
    found = s.derivative("forward_dynamics", "q", then="q")(*arrays.values())
    near(found, along_rates(s, s.derivative("forward_dynamics", "q"), arrays, "q"), TOL)


def test_the_second_derivative_of_kinetic_energy_by_rates_is_the_mass_matrix() -> None:
    s = TURNING.system
    arrays = values(TURNING, ("q", "v"))
    found = s.derivative("kinetic_energy", "v", then="v")(*arrays.values())
    near(found, s.mass_matrix(arrays["q"]), 1e-13)


# --- by parameters ----------------------------------------------------------------------------------------------------


def by_parameter(s: lw.System, f: object, name: str, step: float = STEP) -> np.ndarray:
    """Derivative of f(parameters) by one of them."""
    size = s.parameters[name]
    return rate(lambda t: f({name: size + t}), step)  # type: ignore[operator]


@EVERY
@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "potential_energy"])
def test_by_parameters(grown: Grown, quantity: str) -> None:
    s = grown.system
    arrays = values(grown, INPUTS[quantity])
    body, joint = s.bodies[-1], next(j for j in s.tree_joints if j in grown.mechanism.joints)
    names = [f"{body}.mass", f"{body}.com.x", f"{body}.inertia.xy", "gravity.x"]
    names += [f"{joint}.tail.at.y", f"{joint}.head.at.z"]
    names += [n for n in s.parameters if n.rsplit(".", 1)[-1] in ("lead", "radius", "cone", "helix_angle")]
    found = s.derivative(quantity, names)(*arrays.values())
    f = getattr(s, quantity)
    assert found.shape == (*np.shape(f(*arrays.values())), len(names))
    for k, name in enumerate(names):
        expected = by_parameter(s, lambda p: f(*arrays.values(), parameters=p), name, 2e-4)
        near(found[..., k], expected, 1e-7, np.abs(found).max() * 0.01, f"{quantity} by {name}")


def test_by_parameters_that_are_zero_now() -> None:
    s = ALIGNED.system
    zero = [n for n, x in s.parameters.items() if x == 0.0 and (".com." in n or ".at." in n or "inertia" in n)]
    assert len(zero) > 10
    zero = zero[:: max(1, len(zero) // 8)]
    arrays = values(ALIGNED, ("q", "v", "a"))
    found = s.derivative("inverse_dynamics", zero)(*arrays.values())
    for k, name in enumerate(zero):
        expected = by_parameter(s, lambda p: s.inverse_dynamics(*arrays.values(), parameters=p), name)
        near(found[..., k], expected, TOL, 1e-3, name)


def test_by_a_turn_of_an_axis() -> None:
    """The nine numbers of a frame's axes are not free; along a turn of the frame their derivatives add up."""
    for grown in (PLAIN, ALIGNED):
        s = grown.system
        joint = s.tree_joints[0]
        names = [f"{joint}.tail.{axis}.{c}" for axis in "uvw" for c in "xyz"]
        R = np.array([s.parameters[n] for n in names]).reshape(3, 3).T
        arrays = values(grown, ("q", "v", "a"))
        D = s.derivative("inverse_dynamics", names)(*arrays.values())

        def turned(t: float, R: np.ndarray = R, names: list[str] = names, arrays: dict = arrays, s: lw.System = s):
            there = geo.from_rotvec(np.array([0.3, -0.5, 0.8]) * t) @ R
            return s.inverse_dynamics(*arrays.values(), parameters=dict(zip(names, there.T.ravel(), strict=True)))

        slope = (geo.skew(np.array([0.3, -0.5, 0.8])) @ R).T.ravel()
        near(D @ slope, rate(turned, STEP), TOL, np.abs(D).max() * 0.1)


def test_second_derivatives_by_parameters() -> None:
    s = ALIGNED.system
    body = s.bodies[-1]
    names = [f"{body}.mass", f"{body}.com.x", f"{body}.com.y"]
    arrays = values(ALIGNED, ("q",))
    first = s.derivative("mass_matrix", names)
    found = s.derivative("mass_matrix", names, then=names)(*arrays.values())
    assert found.shape == (s.nv, s.nv, 3, 3)
    for k, name in enumerate(names):
        near(
            found[..., k],
            by_parameter(s, lambda p: first(*arrays.values(), parameters=p), name),
            TOL,
            np.abs(found).max(),
            name,
        )


def test_mass_parameters_enter_inverse_dynamics_linearly() -> None:
    """τ is the sum of its derivatives by mass, first and second moments: by masses alone, of point masses."""
    s = PLAIN.system
    arrays = values(PLAIN, ("q", "v", "a"))
    masses = [f"{b}.mass" for b in s.bodies]
    inertias = [n for n in s.parameters if ".inertia." in n]
    wanted = masses + inertias
    D = s.derivative("inverse_dynamics", wanted)(*arrays.values())
    p = np.array([s.parameters[n] for n in wanted])
    near(D @ p, s.inverse_dynamics(*arrays.values()), 1e-12)


# --- how it is asked --------------------------------------------------------------------------------------------------


def test_batches_and_parameters_of_derivatives() -> None:
    s = PLAIN.system
    q, v, a = PLAIN.state(np.random.default_rng(5), 6)
    d = s.derivative("inverse_dynamics", ("q", "v"))
    Dq, Dv = d(q, v, a)
    assert Dq.shape == Dv.shape == (6, s.nv, s.nv)
    one = d(q[4], v[4], a[4])
    near(Dq[4], one[0], 0.0)
    near(Dv[4], one[1], 0.0)
    name = f"{s.bodies[-1]}.mass"
    masses = np.linspace(0.5, 2.0, 6)
    each = d(q, v, a, parameters={name: masses})
    for k in range(6):
        other = s.with_parameters({name: masses[k]}).derivative("inverse_dynamics", ("q", "v"))(q[k], v[k], a[k])
        near(each[0][k], other[0], 1e-14)
        near(each[1][k], other[1], 1e-14)
    out = (np.empty_like(Dq), np.empty_like(Dv))
    d(q, v, a, out=out)
    near(out[0], Dq, 0.0)
    near(out[1], Dv, 0.0)


def test_what_cannot_be_asked() -> None:
    s = PLAIN.system
    with pytest.raises(lw.ModelError, match="separately"):
        s.derivative("inverse_dynamics", ("q", "gravity.x"))
    with pytest.raises(lw.ModelError, match="tau"):
        s.derivative("inverse_dynamics", "tau")
    with pytest.raises(lw.ModelError, match="inverse_dynamics"):
        s.derivative("inverse_dynamic", "q")
    with pytest.raises(lw.ModelError):
        s.derivative("inverse_dynamics", [])
    with pytest.raises(lw.ModelError, match="twice"):
        s.derivative("inverse_dynamics", ["q", "q"])
    with pytest.raises(lw.ModelError, match="of="):
        s.derivative("position", "q")
