"""Mass properties: forms of inertia, round trips, what no real body has."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from laws import close, quaternion

import linkwork as lw
from linkwork import geometry as geo
from linkwork.errors import ModelError
from linkwork.model.bodies import Body, Inertia, MassProperties, inertia, mass_properties, physical_problems
from linkwork.model.placement import Rotation, placement

quick = settings(max_examples=60, deadline=None, derandomize=True)

SIX = (3.0, 4.0, 5.0, 0.1, -0.2, 0.3)
TENSOR = np.array([[3.0, 0.1, -0.2], [0.1, 4.0, 0.3], [-0.2, 0.3, 5.0]])


def cloud(seed: int, count: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Point masses and their places."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.1, 2.0, count), rng.uniform(-1.0, 1.0, (count, 3))


def about(masses: np.ndarray, places: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Inertia of point masses about a point: Σ m (r·r E - r rᵀ)."""
    total = np.zeros((3, 3))
    for m, r in zip(masses, places - centre, strict=True):
        total += m * (r @ r * np.eye(3) - np.outer(r, r))
    return total


# --- forms ------------------------------------------------------------------------------------------------------------


def test_every_form_gives_the_same_tensor() -> None:
    close(inertia(SIX).tensor(), TENSOR, 0.0)
    close(inertia(TENSOR).tensor(), TENSOR, 0.0)
    close(inertia(TENSOR.tolist()).tensor(), TENSOR, 0.0)
    close(inertia(np.array(SIX)).tensor(), TENSOR, 0.0)
    close(inertia({"xx": 3, "yy": 4, "zz": 5, "xy": 0.1, "xz": -0.2, "yz": 0.3}).tensor(), TENSOR, 0.0)
    close(inertia((3, 4, 5, -0.1, 0.2, -0.3), products="positive").tensor(), TENSOR, 0.0)
    close(
        inertia({"xx": 3, "yy": 4, "zz": 5, "xy": -0.1, "xz": 0.2, "yz": -0.3}, products="positive").tensor(),
        TENSOR,
        0.0,
    )
    close(inertia(TENSOR, products="positive").tensor(), TENSOR, 0.0)  # a matrix is a tensor, whatever is said
    close(inertia((3, 4, 5)).tensor(), np.diag([3, 4, 5]), 0.0)
    close(inertia({"yy": 2}).tensor(), np.diag([0, 2, 0]), 0.0)
    ready = Inertia(*SIX)
    assert inertia(ready) is ready


def test_products_of_inertia_have_the_sign_of_the_tensor() -> None:
    masses, places = cloud(1)
    com = masses @ places / masses.sum()
    T = about(masses, places, com)
    products = [float(masses @ ((places - com)[:, i] * (places - com)[:, j])) for i, j in ((0, 1), (0, 2), (1, 2))]
    given = inertia([*np.diag(T), *products], products="positive")
    close(given.tensor(), T, 1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_about_the_origin_and_about_the_centre(seed: int) -> None:
    masses, places = cloud(seed)
    com = masses @ places / masses.sum()
    origin = inertia(about(masses, places, np.zeros(3)), about="origin")
    found = mass_properties(Body("b", masses.sum(), tuple(com), origin))
    close(found.inertia, about(masses, places, com), 1e-13)
    central = mass_properties(Body("b", masses.sum(), tuple(com), inertia(about(masses, places, com))))
    close(found.inertia, central.inertia, 1e-13)
    assert physical_problems(found) == []


@pytest.mark.parametrize("seed", range(5))
def test_numbers_in_turned_axes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn = placement(quaternion=quaternion(rng)).orientation
    R = turn.rotation((0, 0, 0))
    masses, places = cloud(seed)
    in_body = about(masses, places, np.zeros(3))
    in_axes = about(masses, places @ R, np.zeros(3))  # the same points, read in the turned axes
    found = inertia(in_axes, axes=turn).tensor()
    close(found, in_body, 1e-13)
    close(found, found.T, 0.0)


def test_principal_axes_round_trip() -> None:
    moments, axes = np.linalg.eigh(TENSOR)
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    given = inertia(moments, axes=Rotation("matrix", tuple(axes.ravel())))
    close(given.tensor(), TENSOR, 1e-14)


def test_a_tensor_with_rounded_products_is_symmetric_enough() -> None:
    # A turned diagonal tensor has products that are zero but for rounding, and not the same on both sides.
    T = np.diag([1.0, 2.0, 3.0])
    T[0, 1], T[1, 0] = 1e-17, 3e-17
    close(inertia(T).tensor(), np.diag([1.0, 2.0, 3.0]), 1e-16)
    close(inertia(np.zeros((3, 3))).tensor(), 0.0, 0.0)


@pytest.mark.parametrize(
    ("value", "options", "message"),
    [
        ((1, 2), {}, "3 or 6 numbers or a 3x3 tensor are wanted, 2 are given"),
        ((1, 2, 3, 4), {}, "4 are given"),
        (7.0, {}, "3 or 6 numbers or a 3x3 tensor are wanted"),
        ("abc", {}, "is not a list of numbers"),
        ([[1, 2, 3], [2, 4, 5], [3, 6, 7]], {}, "not symmetric"),
        ([[1, 2], [2, 4], [3, 6]], {}, "3 numbers are wanted, 2 are given"),
        ([[1, [2], 3], [2, 4, 5], [3, 5, 7]], {}, "is not a list of numbers"),
        ([1, [2], 3], {}, "is not a list of numbers"),
        ((1, 2, math.nan), {}, "not finite"),
        ((1, 2, True), {}, "is not a list of numbers"),
        ({"xx": 1, "zx": 2}, {}, "unknown element 'zx'"),
        ({"xx": "1"}, {}, "is not a number"),
        ((1, 2, 3), {"about": "centre"}, "about is 'centre'"),
        ((1, 2, 3), {"products": "negative"}, "products is 'negative'"),
        (Inertia(1, 2, 3), {"about": "origin"}, "a ready inertia with options"),
    ],
)
def test_bad_inertias(value: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        inertia(value, where="bodies.b.inertia", **options)
    assert caught.value.problems[0].where.startswith("bodies.b.inertia")


# --- what is physical -------------------------------------------------------------------------------------------------


@quick
@given(st.integers(0, 10**6), st.integers(1, 8), st.sampled_from([1e-6, 1.0, 1e6]), st.floats(-10, 10))
def test_every_cloud_of_points_is_a_real_body(seed: int, count: int, scale: float, shift: float) -> None:
    masses, places = cloud(seed, count)
    places = places * scale + shift * scale
    com = masses @ places / masses.sum()
    body = Body("b", float(masses.sum()), tuple(com), inertia(about(masses, places, np.zeros(3)), about="origin"))
    found = mass_properties(body)
    assert physical_problems(found) == []
    # ∫ h hᵀ dm summed directly
    h = np.column_stack([places, np.ones(count)])
    direct = np.einsum("p,pi,pj->ij", masses, h, h)
    close(found.pseudo_inertia() / np.max(direct), direct / np.max(direct), 1e-13)


@quick
@given(st.integers(0, 10**6), st.tuples(*[st.floats(0.01, 1.0)] * 3))
def test_the_triangle_rule_is_the_pseudo_inertia_rule(seed: int, moments: tuple[float, float, float]) -> None:
    rng = np.random.default_rng(seed)
    a, b, c = sorted(moments)
    assume(abs(a + b - c) > 1e-4)
    R = geo.from_quaternion(quaternion(rng))
    found = MassProperties(1.3, rng.uniform(-1, 1, 3), R @ np.diag(moments) @ R.T)
    is_real = bool(np.linalg.eigvalsh(found.pseudo_inertia())[0] > -1e-9)
    assert (physical_problems(found) == []) == is_real == (a + b > c)


def test_thin_rods_and_plates_are_real() -> None:
    for moments in ((0.0, 1.0, 1.0), (1.0, 2.0, 3.0), (0.0, 0.0, 0.0)):
        assert physical_problems(MassProperties(1.0, np.zeros(3), np.diag(moments))) == []
    # Published with six digits, a plate may miss by the last of them.
    assert physical_problems(MassProperties(1.0, np.zeros(3), np.diag([1.0, 2.0, 3.0000005]))) == []
    assert physical_problems(MassProperties(1.0, np.zeros(3), np.diag([1.0, 2.0, 3.0001]))) != []


def test_what_is_said_about_unreal_bodies() -> None:
    def said(mass: float, *moments: float) -> str:
        return " | ".join(physical_problems(MassProperties(mass, np.zeros(3), np.diag(moments))))

    assert said(-1.0, 1, 1, 1) == "the mass is negative: -1 kg"
    assert "a principal moment of inertia is negative: -1 kg m^2" in said(1.0, 1, -1, 1)
    assert "break the triangle inequality" in said(1.0, 1, 1, 2.1)
    assert said(0.0, 1, 1, 1) == "there is inertia without mass"
    assert said(0.0, 0, 0, 0) == ""


def puma_link_3(**options: Any) -> lw.Mechanism:
    m = lw.Mechanism(gravity=(0, 0, -9.81))
    m.body("link3", mass=4.8, com=(-0.0203, -0.0141, 0.070), inertia=(0.066, 0.086, 0.0125), **options)
    m.revolute("J3", "ground", "link3", at=(0, 0, 0), axis="z")
    return m


def test_link_3_of_the_puma_560_is_not_real() -> None:
    # The published moments break 0.066 + 0.0125 >= 0.086; the robot is used all the same.
    (error,) = lw.check(puma_link_3()).errors
    assert error.where == "bodies.link3"
    assert "0.0125, 0.066, 0.086" in error.what
    assert "accept_unphysical" in error.hint
    accepted = lw.check(puma_link_3(accept_unphysical=True))
    assert accepted.sound
    (warning,) = accepted.warnings
    assert warning.where == "bodies.link3"
    assert "accepted as told" in warning.what


# --- bodies -----------------------------------------------------------------------------------------------------------


def test_defaults() -> None:
    found = mass_properties(Body("b"))
    assert found.mass == 0.0
    close(found.inertia, 0.0, 0.0)
    close(mass_properties(Body("b", 2.0), (1.0, 2.0, 3.0)).com, [1, 2, 3], 0.0)
    close(mass_properties(Body("b", 2.0, (0.0, 0.0, 0.0)), (1.0, 2.0, 3.0)).com, 0.0, 0.0)


def test_texts() -> None:
    assert repr(Body("arm", 2.5)) == "Body('arm', mass 2.5 kg)"
    assert repr(Body("arm")) == "Body('arm', mass 0 kg)"
    assert repr(Body("arm", solid=lw.Sphere(radius=0.1), density=1.0)) == "Body('arm', mass from its solids)"


def test_all_problems_of_a_body_at_once() -> None:
    m = lw.Mechanism()
    with pytest.raises(ModelError) as caught:
        m.body("b", mass=math.nan, com=(1, 2), inertia=(1, 2), density=-1.0)
    assert [p.where for p in caught.value.problems] == [
        "bodies.b.mass",
        "bodies.b.com",
        "bodies.b.inertia",
        "bodies.b.density",
    ]
    assert "b" not in m.bodies


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mass": -1}, "the mass is negative: -1 kg"),
        ({"mass": "1"}, "'1' is not a number"),
        ({"mass": "1 m"}, "'1 m' is a length; a mass is wanted"),
        ({"mass": True}, "True is not a number"),
        ({"com": ("1", "2", "3")}, "is not a list of numbers"),
        ({"density": 1000.0}, "a density without solids"),
        ({"solid": lw.Sphere(radius=0.1), "mass": 1.0}, "mass besides solids"),
        ({"solid": lw.Sphere(radius=0.1), "com": (0, 0, 0), "inertia": (1, 1, 1)}, "com, inertia besides solids"),
        ({"solid": "sphere"}, "'sphere' is not a solid"),
    ],
)
def test_bad_bodies(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        lw.Mechanism().body("b", **options)


def test_looks_are_shapes_without_mass() -> None:
    m = lw.Mechanism()
    box, ball = lw.Box(size=(1, 2, 3)), lw.Sphere(radius=1.0)
    assert m.body("a", mass=2.0, looks=box + ball, colour="#0a1B2c").looks == (box, ball)
    assert m.body("b", looks=[box, ball]).looks == (box, ball)
    assert m.body("c", looks=ball, colour="sky").looks == (ball,)
    assert [m.bodies[b].colour for b in "abc"] == ["#0a1B2c", "", "sky"]
    masses = lw.lay_out(m).masses
    assert [masses[b].mass for b in "abc"] == [2.0, 0.0, 0.0]


def test_looks_and_colours_that_are_none() -> None:
    m = lw.Mechanism()
    box = lw.Box(size=(1, 2, 3))
    with pytest.raises(lw.ModelError) as caught:
        m.body("a", looks=box - lw.Sphere(radius=0.1), colour="reddish")
    found = [(p.where, p.what) for p in caught.value.problems]
    assert found == [
        ("bodies.a.looks", "a shape is cut out of the looks"),
        ("bodies.a.colour", "'reddish' is not a colour"),
    ]
    with pytest.raises(lw.ModelError, match="a density among the looks"):
        m.body("a", looks=lw.Box(size=(1, 2, 3), density=7.0))
    with pytest.raises(lw.ModelError, match="is not a solid"):
        m.body("a", looks=[box, "ball"])  # type: ignore[list-item]
    for colour in ("#12345", "#1234567", "#12345g", "Sky", None, 5):
        with pytest.raises(lw.ModelError, match="is not a colour"):
            m.body("a", colour=colour)  # type: ignore[arg-type]
    assert "a" not in m.bodies
