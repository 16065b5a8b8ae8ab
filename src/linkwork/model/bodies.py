"""A rigid body: how heavy it is, where its mass lies, and where its own frame stands in the layout posture.

Sign rule of inertia, stated once: the numbers are the elements of the inertia *tensor*,
    xx = ∫(y² + z²) dm,   xy = -∫ x y dm,
as in URDF, MuJoCo and Pinocchio. Data that list products of inertia +∫ x y dm say `products="positive"`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from linkwork.errors import ModelError, Problem, did_you_mean
from linkwork.geometry import Array
from linkwork.model.dimensions import scope
from linkwork.model.placement import Orientation, Placement
from linkwork.model.solids import Shape, Solid, mass_moments
from linkwork.model.vectors import ZERO, Vector, number, numbers
from linkwork.units import INERTIA

ELEMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True)
class Inertia:
    """Inertia tensor [kg m^2] as six elements, about the centre of mass or the body's origin, in any axes.

    `axes` are the axes of the numbers relative to the body's own frame (None: those of the body).
    """

    xx: float
    yy: float
    zz: float
    xy: float = 0.0
    xz: float = 0.0
    yz: float = 0.0
    about: Literal["com", "origin"] = "com"
    axes: Orientation | None = None

    def tensor(self) -> Array:
        """3x3 tensor in the body's axes, about the point it was given for."""
        own = np.array([[self.xx, self.xy, self.xz], [self.xy, self.yy, self.yz], [self.xz, self.yz, self.zz]])
        if self.axes is None:
            return own
        R = self.axes.rotation(ZERO)
        turned: Array = R @ own @ R.T
        return (turned + turned.T) / 2


def inertia(
    value: Any,
    *,
    about: str = "com",
    axes: Orientation | None = None,
    products: str = "tensor",
    where: str = "inertia",
) -> Inertia:
    """An inertia from any of its usual forms.

    Parameters
    ----------
    value : (xx, yy, zz), (xx, yy, zz, xy, xz, yz), a 3x3 tensor, or a mapping with these names [kg m^2]
    about : "com" or "origin" (of the body's own frame)
    axes : orientation of the axes of the numbers in the body's frame
    products : "tensor" (xy = -∫xy dm) or "positive" (xy = +∫xy dm); the 3x3 form is always a tensor
    where : name used in error messages
    """
    if isinstance(value, Inertia):
        if (about, axes, products) != ("com", None, "tensor"):
            raise ModelError(Problem("a ready inertia with options", where, "give the options where it is made"))
        return value
    if about not in ("com", "origin"):
        raise ModelError(Problem(f"about is '{about}'", f"{where}.about", "write com or origin"))
    if products not in ("tensor", "positive"):
        raise ModelError(Problem(f"products is '{products}'", f"{where}.products", "write tensor or positive"))
    if isinstance(value, Mapping):
        for key in value:
            if key not in ELEMENTS:
                raise ModelError(Problem(f"unknown element '{key}'", where, did_you_mean(str(key), ELEMENTS)))
        elements = [number(value.get(key, 0.0), f"{where}.{key}", INERTIA) for key in ELEMENTS]
    else:
        elements, is_tensor = _elements(value, where)
        products = "tensor" if is_tensor else products
    if products == "positive":
        elements[3:] = [-p for p in elements[3:]]
    xx, yy, zz, xy, xz, yz = elements
    point: Literal["com", "origin"] = "com" if about == "com" else "origin"
    return Inertia(xx, yy, zz, xy, xz, yz, point, axes)


def _elements(value: Any, where: str) -> tuple[list[float], bool]:
    """Six tensor elements from a list of 3 or 6 or from a 3x3 tensor, and whether it was a 3x3 tensor."""
    here = scope()
    if here is not None and getattr(here.of, "in_plane", False) and isinstance(value, int | float | str):
        value = [value] * 3  # about the only axis that counts; the others are those of a ball
    try:
        items = list(value)
    except TypeError:
        raise ModelError(Problem("3 or 6 numbers or a 3x3 tensor are wanted", where)) from None
    if len(items) == 3 and all(isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) for row in items):
        T = np.array([numbers(row, 3, f"{where}[{i}]", INERTIA) for i, row in enumerate(items)])
        if np.max(np.abs(T - T.T)) > 1e-9 * np.max(np.abs(T)):
            raise ModelError(Problem("the inertia tensor is not symmetric", where))
        T = (T + T.T) / 2
        return [float(v) for v in (T[0, 0], T[1, 1], T[2, 2], T[0, 1], T[0, 2], T[1, 2])], True
    flat = numbers(items, None, where, INERTIA)
    if len(flat) not in (3, 6):
        raise ModelError(Problem(f"3 or 6 numbers or a 3x3 tensor are wanted, {len(flat)} are given", where))
    return [*flat, *([0.0] * (6 - len(flat)))], False


@dataclass(frozen=True)
class Body:
    """A rigid body as its user describes it. Coordinates of `com`, `solid` and `looks` are those of the body's own
    frame, which is the global frame of the layout posture unless `frame` says otherwise.

    `looks` are shapes only to be seen, instead of the solids; `colour` is #RRGGBB or a name of the palette.
    """

    name: str
    mass: float | None = None
    com: Vector | None = None
    inertia: Inertia | None = None
    solid: Solid | None = None
    density: float | None = None
    frame: Placement | None = None
    accept_unphysical: bool = False
    description: str = ""
    looks: tuple[Shape, ...] = ()
    colour: str = ""

    def __repr__(self) -> str:
        mass = "from its solids" if self.solid is not None else f"{self.mass or 0.0:g} kg"
        return f"Body({self.name!r}, mass {mass})"


@dataclass(frozen=True)
class MassProperties:
    """What dynamics needs: mass [kg], centre of mass [m] and inertia about it [kg m^2], in the body's own frame."""

    mass: float
    com: Array
    inertia: Array

    def pseudo_inertia(self) -> Array:
        """∫ h hᵀ dm, h = (x, y, z, 1), about the body's origin: positive semidefinite for every real body."""
        second = np.trace(self.inertia) / 2 * np.eye(3) - self.inertia + self.mass * np.outer(self.com, self.com)
        first = self.mass * self.com[:, None]
        return np.block([[second, first], [first.T, np.array([[self.mass]])]])


def mass_properties(body: Body, default_com: Vector = ZERO) -> MassProperties:
    """Mass, centre of mass and central inertia of a body in its own frame.

    `default_com` is used when the body has a mass and no centre of mass.
    """
    if body.solid is not None:
        return _from_moments(mass_moments(body.solid, body.density))
    mass = body.mass or 0.0
    com = np.array(default_com if body.com is None else body.com)
    if body.inertia is None:
        return MassProperties(mass, com, np.zeros((3, 3)))
    tensor = body.inertia.tensor()
    if body.inertia.about == "origin":
        # Parallel axes: I_com = I_origin - m (c·c E - c cᵀ).
        tensor = tensor - mass * (com @ com * np.eye(3) - np.outer(com, com))
    return MassProperties(mass, com, tensor)


def _from_moments(moments: Array) -> MassProperties:
    mass = float(moments[3, 3])
    if not mass > 0.0:
        raise ModelError(Problem(f"the solids add up to {mass:g} kg", hint="less is there than is cut out"))
    com = moments[:3, 3] / mass
    central = moments[:3, :3] - mass * np.outer(com, com)
    return MassProperties(mass, com, np.trace(central) * np.eye(3) - central)


def physical_problems(properties: MassProperties) -> list[str]:
    """Why no real body has these mass properties; empty when one can.

    A body is real when its pseudo-inertia matrix is positive semidefinite: mass >= 0, and about the centre of mass
    no principal moment exceeds the sum of the other two. A body without mass has no inertia either.
    """
    found = []
    if properties.mass < 0.0:
        found.append(f"the mass is negative: {properties.mass:g} kg")
    moments = np.linalg.eigvalsh(properties.inertia)
    largest = float(np.max(np.abs(moments), initial=0.0))
    # Published data are rounded: a thin rod or plate may miss equality in the last digits given. A point mass given
    # about the origin leaves only the rounding of m c².
    slack = 1e-6 * largest + 1e-12 * abs(properties.mass) * float(properties.com @ properties.com)
    if moments[0] < -slack:
        found.append(f"a principal moment of inertia is negative: {moments[0]:.6g} kg m^2")
    elif moments[0] + moments[1] < moments[2] - slack:
        text = ", ".join(f"{m:.6g}" for m in moments)
        found.append(f"the principal moments {text} kg m^2 break the triangle inequality: the largest exceeds the rest")
    if properties.mass == 0.0 and largest > 0.0:
        found.append("there is inertia without mass")
    return found
