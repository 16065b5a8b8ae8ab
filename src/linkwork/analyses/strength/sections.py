"""Cross sections of straight segments: area, second moments, section moduli, torsion.

A section lies in the plane of y and z: x runs along the segment, z up its height, y across its width, the origin is its
centroid and both axes are axes of symmetry. `Iy` resists bending about y (the strong way of a tall section).
Vukobratović, Potkonjak, Dynamics of Manipulation Robots, sec. 3.5 (tubes); Timoshenko, Goodier, Theory of Elasticity,
secs. 109, 115, 116 (torsion of rectangles and of thin walls).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linkwork.errors import InputError, ModelError, Problem
from linkwork.geometry import Array
from linkwork.model.vectors import number, positive

ODD = np.arange(1.0, 30.0, 2.0)
"""Terms of the torsion series: for a >= b they fall like exp(-n pi a/b), so that fifteen reach the last digit."""
ODD_FIFTHS = 31.0 / 32.0 * 1.0369277551433699263
"""1 + 1/3^5 + 1/5^5 + ... = 31/32 zeta(5)."""


class Section:
    """What every cross section knows. Lengths [m].

    round : whether it is the same about every axis through its centre, so that it has no height and no width
    """

    kind: ClassVar[str]
    round: ClassVar[bool] = False

    @property
    def area(self) -> float:
        """A [m^2]."""
        raise AssertionError(self.kind)  # every section below gives its own

    @property
    def Iy(self) -> float:
        """∫ z² dA [m^4]: against bending about y."""
        raise AssertionError(self.kind)

    @property
    def Iz(self) -> float:
        """∫ y² dA [m^4]: against bending about z."""
        raise AssertionError(self.kind)

    @property
    def reach(self) -> tuple[float, float]:
        """Distance [m] of the outermost fibres from the axes z (along y) and y (along z)."""
        raise AssertionError(self.kind)

    @property
    def torsion_constant(self) -> float:
        """J_t [m^4]: twist a length = M_t / (G J_t)."""
        raise AssertionError(self.kind)

    @property
    def torsion_modulus(self) -> float:
        """W_t [m^3]: greatest shear stress = M_t / W_t."""
        raise AssertionError(self.kind)

    @property
    def Wy(self) -> float:
        """Iy / z_max [m^3]."""
        return self.Iy / self.reach[1]

    @property
    def Wz(self) -> float:
        """Iz / y_max [m^3]."""
        return self.Iz / self.reach[0]

    def mass_per_length(self, density: float) -> float:
        """density · A [kg/m].

        Parameters
        ----------
        density : of the material [kg/m^3]
        """
        return positive(density, "density") * self.area

    def bending_stress(self, about_y: Array, about_z: Array) -> Array:
        """Greatest normal stress of two bending moments [Pa]: |My|/Wy + |Mz|/Wz, at a corner.

        Parameters
        ----------
        about_y, about_z : moments [N m], arrays of one shape
        """
        both: Array = np.abs(about_y) / self.Wy + np.abs(about_z) / self.Wz
        return both


@dataclass(frozen=True)
class TubeSection(Section):
    """A round tube, or a bar. With D = 2 outer and psi = inner / outer, exact:

    I = π D⁴ (1 - psi⁴) / 64,  W = π D³ (1 - psi⁴) / 32,  J_t = 2 I,  W_t = 2 W.

    outer, inner : radii [m]; an inner radius of 0 makes a solid bar
    """

    outer: float
    inner: float = 0.0
    kind = "tube section"
    round = True

    def __post_init__(self) -> None:
        _checked(self, ("outer",))
        if not 0.0 <= number(self.inner, f"{self.kind}.inner") < self.outer:
            what = f"the inner radius {self.inner:g} is not between 0 and the outer {self.outer:g}"
            raise InputError(Problem(what, self.kind, "both are radii; 0 makes a solid bar"))

    @property
    def area(self) -> float:
        return math.pi * (self.outer**2 - self.inner**2)

    @property
    def Iy(self) -> float:
        return math.pi / 4.0 * (self.outer**4 - self.inner**4)

    @property
    def Iz(self) -> float:
        return self.Iy

    @property
    def reach(self) -> tuple[float, float]:
        return self.outer, self.outer

    @property
    def torsion_constant(self) -> float:
        return 2.0 * self.Iy

    @property
    def torsion_modulus(self) -> float:
        return 2.0 * self.Wy

    def bending_stress(self, about_y: Array, about_z: Array) -> Array:
        """Greatest normal stress of two bending moments [Pa]: √(My² + Mz²) / W, since every direction is alike.

        Parameters
        ----------
        about_y, about_z : moments [N m], arrays of one shape
        """
        both: Array = np.hypot(about_y, about_z) / self.Wy
        return both


@dataclass(frozen=True)
class RectangleSection(Section):
    """A rectangle, solid, or hollow with a thin wall of one thickness.

    Torsion of the solid one is Saint-Venant's series, summed to the last digit; with sides a >= b and n = 1, 3, 5, ...

        J_t = a b³ (1/3 - 64 b / (π⁵ a) Σ tanh(n π a / 2b) / n⁵)
        W_t = J_t / (b (1 - 8/π² Σ 1 / (n² cosh(n π a / 2b))))

    Torsion of the hollow one is Bredt's, with the area A_m = (width - wall)(height - wall) within the middle line and
    the length s of that line: J_t = 4 A_m² wall / s, W_t = 2 A_m wall. It leaves out what a thick wall adds, and the
    peaks in inner corners without a fillet.

    width, height : along y and z, outside [m]
    wall : thickness [m]; None makes it solid
    """

    width: float
    height: float
    wall: float | None = None
    kind = "rectangle section"

    def __post_init__(self) -> None:
        _checked(self, ("width", "height") if self.wall is None else ("width", "height", "wall"))
        if self.wall is not None and not 2.0 * self.wall < min(self.width, self.height):
            what = f"walls of {self.wall:g} leave nothing hollow within {self.width:g} x {self.height:g}"
            raise InputError(Problem(what, self.kind, "leave `wall` out for a solid rectangle"))

    @property
    def _hollow(self) -> tuple[float, float]:
        """Sides of the hole."""
        return (0.0, 0.0) if self.wall is None else (self.width - 2.0 * self.wall, self.height - 2.0 * self.wall)

    @property
    def area(self) -> float:
        y, z = self._hollow
        return self.width * self.height - y * z

    @property
    def Iy(self) -> float:
        y, z = self._hollow
        return (self.width * self.height**3 - y * z**3) / 12.0

    @property
    def Iz(self) -> float:
        y, z = self._hollow
        return (self.height * self.width**3 - z * y**3) / 12.0

    @property
    def reach(self) -> tuple[float, float]:
        return self.width / 2.0, self.height / 2.0

    @property
    def torsion_constant(self) -> float:
        if self.wall is None:
            return _solid_torsion(self.width, self.height)[0]
        y, z = self.width - self.wall, self.height - self.wall
        return 2.0 * (y * z) ** 2 * self.wall / (y + z)

    @property
    def torsion_modulus(self) -> float:
        if self.wall is None:
            return _solid_torsion(self.width, self.height)[1]
        return 2.0 * (self.width - self.wall) * (self.height - self.wall) * self.wall


@dataclass(frozen=True)
class IBeamSection(Section):
    """An I of three plates, without fillets: two flanges across y, a web along z.

    Torsion is that of thin open plates: J_t = Σ length · thickness³ / 3, W_t = J_t / greatest thickness. What fillets
    add, and warping that is held back, is left out: both make it stiffer.

    height, width : outside [m]
    web, flange : thicknesses [m]
    """

    height: float
    width: float
    web: float
    flange: float
    kind = "I section"

    def __post_init__(self) -> None:
        _checked(self, ("height", "width", "web", "flange"))
        problems = []
        if not self.web <= self.width:
            problems.append(Problem(f"the web {self.web:g} is thicker than the width {self.width:g}", self.kind))
        if not 2.0 * self.flange < self.height:
            what = f"two flanges of {self.flange:g} leave no web within the height {self.height:g}"
            problems.append(Problem(what, self.kind))
        if problems:
            raise InputError(problems)

    @property
    def _clear(self) -> float:
        """Height between the flanges."""
        return self.height - 2.0 * self.flange

    @property
    def area(self) -> float:
        return 2.0 * self.width * self.flange + self._clear * self.web

    @property
    def Iy(self) -> float:
        return (self.width * self.height**3 - (self.width - self.web) * self._clear**3) / 12.0

    @property
    def Iz(self) -> float:
        return (2.0 * self.flange * self.width**3 + self._clear * self.web**3) / 12.0

    @property
    def reach(self) -> tuple[float, float]:
        return self.width / 2.0, self.height / 2.0

    @property
    def torsion_constant(self) -> float:
        return (2.0 * self.width * self.flange**3 + self._clear * self.web**3) / 3.0

    @property
    def torsion_modulus(self) -> float:
        return self.torsion_constant / max(self.web, self.flange)


def _checked(section: Section, names: tuple[str, ...]) -> None:
    """InputError for every length that is not a positive number."""
    problems: list[Problem] = []
    for name in names:
        try:
            positive(getattr(section, name), f"{section.kind}.{name}")
        except ModelError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)


def _solid_torsion(width: float, height: float) -> tuple[float, float]:
    """J_t and W_t of a solid rectangle: tanh x = 1 - 2 / (exp 2x + 1) leaves series that fall fast."""
    b, a = sorted((width, height))
    fall = np.exp(-math.pi * ODD * a / b)
    fifths = ODD_FIFTHS - float(np.sum(2.0 * fall / (ODD**5 * (1.0 + fall))))
    J = a * b**3 * (1.0 / 3.0 - 64.0 * b / (math.pi**5 * a) * fifths)
    steepest = 1.0 - 8.0 / math.pi**2 * float(np.sum(2.0 * np.sqrt(fall) / (ODD**2 * (1.0 + fall))))
    return J, J / (b * steepest)
