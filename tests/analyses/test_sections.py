"""Cross sections: closed forms, integrals over the area, Saint-Venant's equation solved anew, tables of handbooks."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import diags, eye, kron
from scipy.sparse.linalg import spsolve

import linkwork as lw
from linkwork.analyses.strength.sections import Section

size = st.floats(0.005, 2.0)
part = st.floats(0.02, 0.95)


def moments(section: Section, y: np.ndarray, z: np.ndarray, inside: np.ndarray, cell: float) -> None:
    """The properties of a section against sums over the cells within it."""
    assert section.area == pytest.approx(inside.sum() * cell, rel=2e-3)
    assert section.Iy == pytest.approx((z[inside] ** 2).sum() * cell, rel=4e-3)
    assert section.Iz == pytest.approx((y[inside] ** 2).sum() * cell, rel=4e-3)


def test_areas_and_second_moments_are_integrals() -> None:
    step = 1e-3
    line = np.arange(-0.6, 0.6, step) + step / 2
    y, z = np.meshgrid(line, line)
    r = np.hypot(y, z)
    moments(lw.TubeSection(0.5, 0.3), y, z, (r < 0.5) & (r > 0.3), step**2)
    moments(lw.TubeSection(0.5), y, z, r < 0.5, step**2)
    box = (abs(y) < 0.2) & (abs(z) < 0.5)
    moments(lw.RectangleSection(0.4, 1.0), y, z, box, step**2)
    moments(lw.RectangleSection(0.4, 1.0, 0.05), y, z, box & ~((abs(y) < 0.15) & (abs(z) < 0.45)), step**2)
    web = (abs(y) < 0.02) | (abs(z) > 0.44)
    moments(lw.IBeamSection(height=1.0, width=0.4, web=0.04, flange=0.06), y, z, box & web, step**2)


@settings(max_examples=60, deadline=None)
@given(size, st.floats(0.0, 0.97))
def test_tubes_are_those_of_the_book(R: float, psi: float) -> None:
    """Vukobratović, Potkonjak, sec. 3.5, with D = 2R and psi = d/D."""
    tube, D, rest = lw.TubeSection(R, psi * R), 2 * R, 1 - psi**4
    assert tube.Iy == tube.Iz == pytest.approx(math.pi * D**4 / 64 * rest, rel=1e-12)
    assert tube.Wy == tube.Wz == pytest.approx(math.pi * D**3 / 32 * rest, rel=1e-12)
    assert tube.torsion_modulus == pytest.approx(math.pi * D**3 / 16 * rest, rel=1e-12)
    assert tube.torsion_constant == pytest.approx(tube.torsion_modulus * R, rel=1e-12)
    assert tube.area == pytest.approx(math.pi * D**2 / 4 * (1 - psi**2), rel=1e-12)


def test_masses_of_the_spray_painting_arm() -> None:
    """Sec. 5.4, example 2: two steel guides 1.14 m long and a piston with rod of 3.07 kg; four printed digits."""
    for section, printed in (
        (lw.TubeSection(0.024), 35.46),
        (lw.TubeSection(0.025, 0.020), 15.72),
        (lw.TubeSection(0.020), 25.56),  # printed cut off, as 25.5
    ):
        assert 3.07 + 2 * 1.14 * section.mass_per_length(7850) == pytest.approx(printed, abs=6e-3)


def series(a: float, b: float) -> tuple[float, float]:
    """J_t and W_t of a solid rectangle a >= b with 40 digits, from the series as it stands in textbooks."""
    with mpmath.workdps(40):
        a, b = mpmath.mpf(a), mpmath.mpf(b)
        x = mpmath.pi * a / (2 * b)
        fifths = mpmath.nsum(lambda k: mpmath.tanh((2 * k + 1) * x) / (2 * k + 1) ** 5, [0, mpmath.inf])
        J = a * b**3 * (mpmath.mpf(1) / 3 - 64 * b / (mpmath.pi**5 * a) * fifths)
        squares = sum(1 / ((2 * k + 1) ** 2 * mpmath.cosh((2 * k + 1) * x)) for k in range(60))
        return float(J), float(J / (b * (1 - 8 / mpmath.pi**2 * squares)))


@pytest.mark.parametrize("ratio", [1.0, 1.001, 1.2, 2.0, 3.7, 10.0, 100.0, 1e4])
def test_torsion_of_solid_rectangles_has_all_digits(ratio: float) -> None:
    b = 0.3
    J, W = series(ratio * b, b)
    for section in (lw.RectangleSection(b, ratio * b), lw.RectangleSection(ratio * b, b)):
        assert section.torsion_constant == pytest.approx(J, rel=4e-15)
        assert section.torsion_modulus == pytest.approx(W, rel=4e-15)


def test_torsion_of_rectangles_is_that_of_handbooks() -> None:
    """Timoshenko, Goodier, sec. 109, table: k1 = J/(a b³), k2 = W/(a b²)."""
    for ratio, k1, k2 in (
        (1.0, 0.1406, 0.208), (1.2, 0.166, 0.219), (1.5, 0.196, 0.231), (2.0, 0.229, 0.246),
        (2.5, 0.249, 0.258), (3.0, 0.263, 0.267), (5.0, 0.291, 0.291), (10.0, 0.312, 0.312),
    ):  # fmt: skip
        section = lw.RectangleSection(1.0, ratio)
        assert section.torsion_constant / ratio == pytest.approx(k1, abs=6e-4)
        assert section.torsion_modulus / ratio == pytest.approx(k2, abs=6e-4)


def membrane(a: float, b: float, n: int) -> tuple[float, float]:
    """2 ∫ φ dA and the slope of φ at the middle of the long side a, on a grid of n x n points within."""
    hy, hz = b / (n + 1), a / (n + 1)
    second = diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(n, n))
    laplace = kron(eye(n), second) / hy**2 + kron(second, eye(n)) / hz**2
    phi = spsolve(laplace.tocsc(), np.full(n * n, -2.0)).reshape(n, n)
    middle = phi[n // 2]
    return 2 * phi.sum() * hy * hz, middle[0] / hy + hy  # φ'' = -2 at the edge


def test_torsion_of_a_rectangle_solves_the_equation_of_saint_venant() -> None:
    """∇²φ = -2 within, φ = 0 around: J = 2 ∫ φ dA, greatest slope of φ = J / W. Two grids cancel the error in h²."""
    coarse, fine = (np.array(membrane(1.5, 1.0, n)) for n in (59, 119))
    twist, slope = (4 * fine - coarse) / 3
    found = lw.RectangleSection(1.0, 1.5)
    assert twist == pytest.approx(found.torsion_constant, rel=1e-6)
    assert slope == pytest.approx(found.torsion_constant / found.torsion_modulus, rel=1e-5)


@settings(max_examples=60, deadline=None)
@given(size, size, st.floats(0.001, 0.49))
def test_hollow_rectangles(width: float, height: float, thin: float) -> None:
    wall = thin * min(width, height)
    hollow = lw.RectangleSection(width, height, wall)
    hole = lw.RectangleSection(width - 2 * wall, height - 2 * wall)
    full = lw.RectangleSection(width, height)
    assert hollow.area == pytest.approx(full.area - hole.area, rel=1e-9)
    assert hollow.Iy == pytest.approx(full.Iy - hole.Iy, rel=1e-9)
    assert hollow.Iz == pytest.approx(full.Iz - hole.Iz, rel=1e-9)
    middle = (width - wall) * (height - wall)
    line = 2 * (width + height - 2 * wall)
    assert hollow.torsion_constant == pytest.approx(4 * middle**2 * wall / line, rel=1e-12)  # Bredt's second formula
    assert hollow.torsion_modulus == pytest.approx(2 * middle * wall, rel=1e-12)  # and his first


def test_bredt_is_exact_for_thin_walls_only() -> None:
    """A thin round tube by Bredt, 2 A_m t, is the exact one to first order in the wall."""
    R, t = 0.1, 1e-5
    exact = lw.TubeSection(R, R - t)
    middle = math.pi * (R - t / 2) ** 2
    assert exact.torsion_modulus == pytest.approx(2 * middle * t, rel=2e-4)


def test_ipe_200() -> None:
    """EN 10365, IPE 200: h 200, b 100, tw 5.6, tf 8.5, r 12; A 28.48 cm², Iy 1943, Iz 142 cm⁴, Wy 194.3 cm³."""
    beam, r = lw.IBeamSection(height=0.200, width=0.100, web=0.0056, flange=0.0085), 0.012
    fillet = (1 - math.pi / 4) * r**2  # a square less a quarter of a circle
    away = r * (5 / 6 - math.pi / 4) / (1 - math.pi / 4)  # of its centroid from its corner
    z, y = 0.100 - 0.0085 - away, 0.0028 + away
    assert (beam.area + 4 * fillet) * 1e4 == pytest.approx(28.48, abs=6e-3)
    assert (beam.Iy + 4 * fillet * z**2) * 1e8 == pytest.approx(1943, abs=0.6)
    assert (beam.Iz + 4 * fillet * y**2) * 1e8 == pytest.approx(142, abs=0.5)
    assert (beam.Iy + 4 * fillet * z**2) / 0.1 * 1e6 == pytest.approx(194.3, abs=0.06)
    assert beam.Wy == beam.Iy / 0.1 and beam.Wz == beam.Iz / 0.05
    assert 0.94 < beam.Iy * 1e8 / 1943 < 1.0 and 0.99 < beam.Iz * 1e8 / 142 < 1.0  # the plates' own share
    plates = (2 * 0.1 * 0.0085**3 + 0.183 * 0.0056**3) / 3
    assert beam.torsion_constant == pytest.approx(plates, rel=1e-13)
    assert beam.torsion_modulus == pytest.approx(plates / 0.0085, rel=1e-13)


@settings(max_examples=60, deadline=None)
@given(size, size, part, part, st.floats(0.1, 10.0))
def test_sections_scale_with_their_size(height: float, width: float, web: float, flange: float, scale: float) -> None:
    for make in (
        lambda s: lw.TubeSection(s * height, s * height * web),
        lambda s: lw.RectangleSection(s * width, s * height),
        lambda s: lw.RectangleSection(s * width, s * height, 0.5 * s * flange * min(width, height)),
        lambda s: lw.IBeamSection(s * height, s * width, s * web * width, 0.5 * s * flange * height),
    ):
        one, other = make(1.0), make(scale)
        for name, power in (("area", 2), ("Iy", 4), ("Iz", 4), ("torsion_constant", 4), ("Wy", 3), ("Wz", 3)):
            assert getattr(other, name) == pytest.approx(getattr(one, name) * scale**power, rel=1e-10)
        assert other.torsion_modulus == pytest.approx(one.torsion_modulus * scale**3, rel=1e-10)
        # The greatest fibre stress of any moment lies between those of its larger part and of both parts added.
        pair = np.array([3.0]), np.array([-4.0])
        assert max(3.0 / one.Wy, 4.0 / one.Wz) <= one.bending_stress(*pair)[0] <= 3.0 / one.Wy + 4.0 / one.Wz + 1e-9
    full = lw.IBeamSection(height, width, width, 0.25 * height)  # a web as wide as the flanges is a rectangle
    assert full.Iy == pytest.approx(lw.RectangleSection(width, height).Iy, rel=1e-12)
    assert full.Iz == pytest.approx(lw.RectangleSection(width, height).Iz, rel=1e-12)


def test_a_round_section_is_alike_in_every_direction() -> None:
    tube, turn = lw.TubeSection(0.05, 0.04), np.linspace(0, 2 * math.pi, 50)
    assert np.ptp(tube.bending_stress(100 * np.cos(turn), 100 * np.sin(turn))) < 1e-6
    assert tube.round and not lw.RectangleSection(1, 1).round


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lw.TubeSection(-1.0), "outer"),
        (lambda: lw.TubeSection(1.0, 1.0), "inner radius 1 is not between"),
        (lambda: lw.TubeSection(1.0, -0.1), "inner"),
        (lambda: lw.TubeSection(float("nan")), "outer"),
        (lambda: lw.RectangleSection(0.1, 0.2, 0.05), "nothing hollow"),
        (lambda: lw.RectangleSection("a", 0.0), "height.*not positive"),
        (lambda: lw.IBeamSection(1, 1, 2, 0.6), "2 problems"),
        (lambda: lw.TubeSection(1.0).mass_per_length(0.0), "density"),
    ],
)
def test_impossible_sections(make, words: str) -> None:
    with pytest.raises(lw.ModelError, match=f"(?s){words}"):
        make()
