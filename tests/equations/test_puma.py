"""The PUMA 560 of Corke and Armstrong, to the published digits and those of an independent implementation.

Numbers: robotics-toolbox-python `models/DH/Puma560.py` and its tests; P. Corke and B. Armstrong-Helouvry, ICRA 1994.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from balances import near

import linkwork as lw

PI = math.pi
TABLE = (  # d, a, alpha, mass, centre, inertia at the centre
    (0.0, 0.0, PI / 2, 0.0, (0, 0, 0), (0, 0.35, 0)),
    (0.0, 0.4318, 0.0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539)),
    (0.15005, 0.0203, -PI / 2, 4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.0125)),
    (0.4318, 0.0, PI / 2, 0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3)),
    (0.0, 0.0, -PI / 2, 0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3)),
    (0.0, 0.0, 0.0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3)),
)
ROTORS = np.array([200e-6] * 3 + [33e-6] * 3) * np.square([-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686])
QN = np.array([0, PI / 4, PI, 0, PI / 4, 0])
QZ, QR, QS = np.zeros(6), np.array([0, PI / 2, -PI / 2, 0, 0, 0]), np.array([0, 0, -PI / 2, 0, 0, 0])
NONE, ONE = np.zeros(6), np.ones(6)


def puma(pedestal: float = 0.0, *, accept: tuple[int, ...] = (0, 2)) -> lw.Mechanism:
    m = lw.Mechanism("puma", gravity=(0, 0, -9.81))
    rows = []
    for i, (d, a, alpha, mass, com, inertia) in enumerate(TABLE):
        row = {"joint": f"q{i}", "body": f"link{i}", "d": d + pedestal * (i == 0), "a": a, "alpha": alpha}
        rows.append(row | {"mass": mass, "com": com, "inertia": inertia, "accept_unphysical": i in accept})
    m.dh_chain(rows)
    return m


def links_of_the_gallery() -> lw.Mechanism:
    m = lw.example("puma-560")
    m.motors.clear()
    return m


@pytest.fixture(scope="module", params=["built", "on a pedestal", "gallery"])
def arm(request: pytest.FixtureRequest) -> lw.System:
    made = {"built": puma, "on a pedestal": lambda: puma(0.67183), "gallery": links_of_the_gallery}
    return lw.System(made[request.param]())


@pytest.mark.parametrize(
    ("q", "v", "a", "expected"),
    [
        (QN, NONE, NONE, (0, 31.6398803784, 6.0351380230, 0, 0.0282528, 0)),
        (QN, NONE, ONE, (2.5690808894, 33.677696399, 6.8490907454, -0.0007475916, 0.0327346395, 0.0000682843)),
        (QN, ONE, NONE, (-1.3910743711, 33.4227989677, 5.2831112681, 0.0012230818, 0.0306322785, 0.0001482843)),
        (QN, ONE, ONE, (1.1780065183, 35.4606149883, 6.0970639905, 0.0004754903, 0.0351141179, 0.0002165685)),
        (QZ, NONE, NONE, (0, 37.48366665, 0.24892875, 0, 0, 0)),
        (QR, NONE, NONE, (0, -0.77523525, 0.24892875, 0, 0, 0)),
        (QS, NONE, NONE, (0, 46.006938, 8.7722001, 0, 0.0282528, 0)),
        (
            (0.1, -0.2, 0.3, -0.4, 0.5, -0.6),
            (0.5, -0.4, 0.3, -0.2, 0.1, 0.6),
            (1, -1, 0.5, -0.5, 0.25, -0.25),
            (2.8019143144, 34.3286692419, -0.7062426862, -0.0003112081, -0.0150694677, 0.0000102334),
        ),
    ],
)
def test_torques(arm: lw.System, q: object, v: object, a: object, expected: object) -> None:
    np.testing.assert_allclose(arm.inverse_dynamics(q, v, a), expected, rtol=0, atol=6e-11)


def test_torques_with_rotors(arm: lw.System) -> None:
    full = (3.3531108581, 36.002511244, 7.4259640774, 0.1900430346, 0.2034409311, 0.1941327899)
    np.testing.assert_allclose(arm.inverse_dynamics(QN, NONE, ONE) + ROTORS, full, rtol=0, atol=6e-11)


def test_gravity_is_the_torque_at_rest(arm: lw.System) -> None:
    for q in (QN, QZ, QR, QS):
        near(arm.gravity_forces(q), arm.inverse_dynamics(q, NONE, NONE), 1e-15)


def test_mass_matrix(arm: lw.System) -> None:
    M = np.diag([2.8753454435, 2.0889270886, 0.3609682433, 0.00174108, 0.00064216, 0.00004])
    entries = {(0, 1): -0.404361246, (0, 2): 0.1006136478, (0, 3): -0.0025169558, (1, 2): 0.350890665}
    entries |= {(1, 4): 0.0023595131, (2, 4): 0.0014801664, (3, 5): 0.0000282843}
    for (i, j), x in entries.items():
        M[i, j] = M[j, i] = x
    found = arm.mass_matrix(QN)
    np.testing.assert_allclose(found, M, rtol=0, atol=6e-11)
    rotors = (3.6593754122, 4.4137419336, 0.9378415752, 0.1925317061, 0.1713484517, 0.1941045057)
    np.testing.assert_allclose(np.diag(found) + ROTORS, rotors, rtol=0, atol=6e-11)


@pytest.mark.parametrize("method", ["auto", "composite", "articulated"])
def test_forward_dynamics(arm: lw.System, method: str) -> None:
    q, v = (0.1, -0.2, 0.3, -0.4, 0.5, -0.6), (0.5, -0.4, 0.3, -0.2, 0.1, 0.6)
    expected = (3.10191287, -8.0061461126, 1.0449510513, 338.0725239951, -1527.3374785619, 12199.4198100241)
    found = arm.forward_dynamics(q, v, (10, 20, -5, 1, -1, 0.5), method=method)
    np.testing.assert_allclose(found, expected, rtol=2e-13, atol=6e-11)


def test_forward_dynamics_with_rotors(arm: lw.System) -> None:
    v, tau = np.array([0.1, 0.2, 0.8, 0.2, 0.5, 1]), np.array([1, 3.2, 1.8, 0.1, 0.7, 4.6])
    found = np.linalg.solve(arm.mass_matrix(QN) + np.diag(ROTORS), tau - arm.bias(QN, v))
    expected = (-0.3540475686, -6.3989262832, -2.0684942475, 0.5112435386, 4.0212231565, 23.6984540652)
    np.testing.assert_allclose(found, expected, rtol=0, atol=6e-11)


@pytest.mark.parametrize(
    ("v", "a", "expected"),
    [
        (NONE, NONE, (0, 31.6398803784, 6.0351380230, 0, 0.0282528, 0)),
        (NONE, ONE, (3.3531108581, 36.002511244, 7.4259640774, 0.1900430346, 0.2034409311, 0.1941327899)),
        (ONE, NONE, (29.1421318969, 56.5043576095, 16.3527688584, 1.2644759915, 1.1239222794, 0.5196480975)),
        (ONE, ONE, (32.4952427549, 60.8669884751, 17.7435949128, 1.4545190261, 1.2991104105, 0.7137808875)),
    ],
)
def test_torques_with_the_motors_of_the_gallery(v: object, a: object, expected: object) -> None:
    """Rotors, viscous and dry friction of the six motors, from the numbers at their shafts."""
    driven = lw.System(lw.example("puma-560"))
    np.testing.assert_allclose(driven.inverse_dynamics(QN, v, a), expected, rtol=0, atol=6e-11)


def test_accelerations_with_the_motors_of_the_gallery() -> None:
    v, tau = (0.1, 0.2, 0.8, 0.2, 0.5, 1), (1, 3.2, 1.8, 0.1, 0.7, 4.6)
    expected = (-7.4102231637, -9.8432245816, -10.9693984451, -4.4314287514, -0.9881410724, 21.0227819493)
    found = lw.System(lw.example("puma-560")).forward_dynamics(QN, v, tau)
    np.testing.assert_allclose(found, expected, rtol=0, atol=6e-10)


def test_rotors_of_the_gallery_without_friction() -> None:
    """Mass matrix and accelerations of the links with their rotors alone."""
    m = lw.example("puma-560")
    bare = {"damping": 0.0, "friction_forward": 0.0, "friction_backward": 0.0}
    m.motors.update({name: dataclasses.replace(motor, **bare) for name, motor in m.motors.items()})
    s = lw.System(m)
    rotors = (3.6593754122, 4.4137419336, 0.9378415752, 0.1925317061, 0.1713484517, 0.1941045057)
    found = s.mass_matrix(QN)
    np.testing.assert_allclose(np.diag(found), rotors, rtol=0, atol=6e-11)
    np.testing.assert_allclose(found - np.diag(np.diag(found)), links_only(QN), rtol=0, atol=1e-14)
    full = (3.3531108581, 36.002511244, 7.4259640774, 0.1900430346, 0.2034409311, 0.1941327899)
    np.testing.assert_allclose(s.inverse_dynamics(QN, NONE, ONE), full, rtol=0, atol=6e-11)
    v, tau = (0.1, 0.2, 0.8, 0.2, 0.5, 1), (1, 3.2, 1.8, 0.1, 0.7, 4.6)
    expected = (-0.3540475686, -6.3989262832, -2.0684942475, 0.5112435386, 4.0212231565, 23.6984540652)
    for method in ("auto", "composite", "articulated"):
        np.testing.assert_allclose(s.forward_dynamics(QN, v, tau, method=method), expected, rtol=0, atol=6e-10)


def links_only(q: np.ndarray) -> np.ndarray:
    """The mass matrix beside its diagonal: rotors have no part in it."""
    M = lw.System(links_of_the_gallery()).mass_matrix(q)
    return M - np.diag(np.diag(M))


def test_forces_of_the_gallery_as_a_machine() -> None:
    """The same torques as efforts of a motion, and the same accelerations by name."""
    s = lw.example("puma-560").assemble()
    names = s.variables
    laws = {n: lw.expression(f"{float(q)!r} + t + t**2/2") for n, q in zip(names, QN, strict=True)}
    run = s.forces(s.motion(laws, times=[0.0]))
    full = (32.4952427549, 60.8669884751, 17.7435949128, 1.4545190261, 1.2991104105, 0.7137808875)
    np.testing.assert_allclose([run[f"{n}.effort"].values[0] for n in names], full, rtol=0, atol=6e-10)
    v, tau = (0.1, 0.2, 0.8, 0.2, 0.5, 1), (1, 3.2, 1.8, 0.1, 0.7, 4.6)
    expected = (-7.4102231637, -9.8432245816, -10.9693984451, -4.4314287514, -0.9881410724, 21.0227819493)
    rates, efforts = (dict(zip(names, x, strict=True)) for x in (v, tau))
    found = s.accelerations(dict(zip(names, QN, strict=True)), rates, efforts)
    np.testing.assert_allclose([found[n] for n in names], expected, rtol=0, atol=6e-10)


def test_the_published_link_3_is_refused_unless_told_to() -> None:
    with pytest.raises(lw.ModelError, match="triangle inequality") as caught:
        lw.System(puma(accept=(0,)))
    assert any("link2" in p.where for p in caught.value.problems)
    accepted = lw.lay_out(puma()).problems
    assert [p.severity for p in accepted if "triangle inequality" in p.what and "link2" in p.where] == ["warning"]
    assert not [p for p in accepted if p.severity == "error"]


def test_link_1_has_inertia_without_mass() -> None:
    with pytest.raises(lw.ModelError, match="inertia without mass"):
        lw.System(puma(accept=(2,)))


# --- D2: the same robot in standard and in modified Denavit-Hartenberg ------------------------------------------------

MODIFIED = (  # alpha, a before; d; mass, centre, inertia at the centre (Armstrong, Khatib, Burdick 1986)
    (0.0, 0.0, 0.0, 0.0, (0, 0, 0), (0, 0, 0.35)),
    (-PI / 2, 0.0, 0.2435, 17.4, (0.068, 0.006, -0.016), (0.13, 0.524, 0.539)),
    (0.0, 0.4318, -0.0934, 4.8, (0, -0.070, 0.014), (0.066, 0.0125, 0.066)),
    (PI / 2, -0.0203, 0.4331, 0.82, (0, 0, -0.019), (1.8e-3, 1.8e-3, 1.3e-3)),
    (-PI / 2, 0.0, 0.0, 0.34, (0, 0, 0), (0.3e-3, 0.3e-3, 0.4e-3)),
    (PI / 2, 0.0, 0.0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3)),
)


def modified() -> lw.Mechanism:
    m = lw.Mechanism("puma-akb", gravity=(0, 0, -9.81))
    rows = []
    for i, (alpha, a, d, mass, com, inertia) in enumerate(MODIFIED):
        row = {"joint": f"q{i}", "body": f"link{i}", "alpha": alpha, "a": a, "d": d, "mass": mass, "com": com}
        rows.append(row | {"inertia": inertia, "accept_unphysical": True})
    m.dh_chain(rows, convention="dh_craig")
    return m


def standard_of_modified() -> lw.Mechanism:
    """The same links with frames at their outer ends: frame i of the standard table is Rx(alpha) Tx(a) after mine."""
    m = lw.Mechanism("puma-akb-standard", gravity=(0, 0, -9.81))
    rows = []
    for i, (_, _, d, mass, com, inertia) in enumerate(MODIFIED):
        alpha, a = MODIFIED[i + 1][:2] if i < 5 else (0.0, 0.0)
        c, s = math.cos(alpha), math.sin(alpha)
        R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        row = {"joint": f"q{i}", "body": f"link{i}", "d": d, "a": a, "alpha": alpha, "mass": mass}
        row |= {"com": R.T @ (np.array(com) - [a, 0, 0]), "inertia": R.T @ np.diag(inertia) @ R}
        rows.append(row | {"accept_unphysical": True})
    m.dh_chain(rows)
    return m


def test_standard_and_modified_tables_give_the_same_physics() -> None:
    mine, other = lw.System(modified()), lw.System(standard_of_modified())
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 20, 6))
    near(other.inverse_dynamics(q, v, a), mine.inverse_dynamics(q, v, a), 1e-13)
    near(other.mass_matrix(q), mine.mass_matrix(q), 1e-13)
    near(other.forward_dynamics(q, v, a), mine.forward_dynamics(q, v, a), 1e-11)
    near(other.kinetic_energy(q, v), mine.kinetic_energy(q, v), 1e-13)
    near(other.potential_energy(q), mine.potential_energy(q), 1e-13)
    near(other.centre_of_mass(q), mine.centre_of_mass(q), 1e-13)
    near(other.momentum(q, v), mine.momentum(q, v), 1e-13)


def test_constants_of_armstrong_khatib_burdick() -> None:
    """Gravity constants of the paper, printed to three digits."""
    s = lw.System(modified())
    g = s.gravity_forces(np.zeros(6))
    # At q = 0 (arm stretched along x): shoulder g1 + g3 (cos terms), the paper's signs with gravity along -z.
    m2, m3, m4, m5, m6 = 17.4, 4.8, 0.82, 0.34, 0.09
    g1 = -9.81 * ((m3 + m4 + m5 + m6) * 0.4318 + m2 * 0.068)
    assert abs(g1 - -37.2) < 0.05
    assert abs(abs(g[1]) - abs(g1 + 9.81 * ((m4 + m5 + m6) * 0.0203))) < 1e-9
