"""What a goal is: records of places, attitudes, directions and joints that are wanted, fixed, by sample, or as laws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.drives import Drive
from linkwork.geometry import Array
from linkwork.units import ANGLE, LENGTH, Dimension

KINDS = ("cartesian", "cylindrical", "spherical")
MEASURES: dict[str, tuple[Dimension, Dimension, Dimension]] = {
    "cartesian": (LENGTH, LENGTH, LENGTH),
    "cylindrical": (LENGTH, ANGLE, LENGTH),
    "spherical": (LENGTH, ANGLE, ANGLE),
}
COORDINATES = {
    "cartesian": ("x", "y", "z"),
    "cylindrical": ("radius", "angle", "z"),
    "spherical": ("radius", "azimuth", "elevation"),
}


@dataclass(frozen=True, eq=False)
class Goal:
    """What is wanted.

    of : the target: a point, frame or body by name, `body.com`, or "centre of mass"; empty for that of the question
    at : a place [m] in the axes of the target, instead of its origin
    weight : how much what is missing counts, where not all goals can be met
    """

    of: str = ""
    at: tuple[float, float, float] | None = None
    weight: float = 1.0

    @property
    def samples(self) -> int | None:
        """How many goals it stands for; None for one."""
        return None


@dataclass(frozen=True, eq=False)
class Place(Goal):
    """A place in the world, or some of its coordinates.

    values : (..., 3), nan where a coordinate does not matter; kind : one of `KINDS`
    """

    values: Array = None  # type: ignore[assignment]
    kind: str = "cartesian"

    @property
    def samples(self) -> int | None:
        return None if self.values.ndim == 1 else len(self.values)

    @property
    def wanted(self) -> tuple[bool, ...]:
        """Which coordinates matter."""
        own = self.values.reshape(-1, 3)
        return tuple(bool(np.isfinite(own[:, k]).all()) for k in range(3))

    @property
    def is_whole(self) -> bool:
        """Whether all coordinates matter: any kind is then a place x, y, z."""
        return all(self.wanted)

    @property
    def xyz(self) -> Array:
        """The place in the world [m], where it is whole."""
        return to_cartesian(self.kind, self.values)

    def __repr__(self) -> str:
        if self.is_whole:
            return f"place {shown(self.xyz)} m"
        parts = zip(COORDINATES[self.kind], self.wanted, self.values.reshape(-1, 3)[0], strict=True)
        return "place " + ", ".join(f"{n} {x:.6g}" for n, is_wanted, x in parts if is_wanted)


@dataclass(frozen=True, eq=False)
class Attitude(Goal):
    """Axes along those of a rotation matrix (..., 3, 3), world."""

    R: Array = None  # type: ignore[assignment]

    @property
    def samples(self) -> int | None:
        return None if self.R.ndim == 2 else len(self.R)

    def __repr__(self) -> str:
        return f"attitude {np.array2string(self.R, precision=4, separator=', ')}"


@dataclass(frozen=True, eq=False)
class Pointing(Goal):
    """An axis of the target, given in its own frame, along a direction of the world (..., 3); the spin is free."""

    axis: Array = None  # type: ignore[assignment]
    along: Array = None  # type: ignore[assignment]
    name: str = ""

    @property
    def samples(self) -> int | None:
        return None if self.along.ndim == 1 else len(self.along)

    def __repr__(self) -> str:
        return f"{self.name} along {shown(self.along)}"


@dataclass(frozen=True, eq=False)
class Joints(Goal):
    """Variables of joints with given values, by name."""

    values: Mapping[str, Any] = None  # type: ignore[assignment]

    @property
    def samples(self) -> int | None:
        sizes = [np.shape(x)[0] for x in self.values.values() if np.ndim(x) and not isinstance(x, str | list | tuple)]
        return max(sizes, default=None)

    def __repr__(self) -> str:
        return ", ".join(f"{n} = {x}" for n, x in self.values.items())


@dataclass(frozen=True, eq=False)
class Hold(Goal):
    """Joints that stay as they are at the start."""

    names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"hold {', '.join(self.names)}"


# ---------------------------------------------------------------- laws of time


@dataclass(frozen=True, eq=False)
class Moving(Goal):
    """A goal by laws of time; `follow` takes it."""

    laws: tuple[Drive, ...] = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__.removeprefix('Moving').lower()} by laws: {', '.join(map(str, self.laws))}"


@dataclass(frozen=True, eq=False, repr=False)
class MovingPlace(Moving):
    """A place by laws of its coordinates; kind : one of `KINDS`."""

    kind: str = "cartesian"


@dataclass(frozen=True, eq=False, repr=False)
class MovingAttitude(Moving):
    """Turns one after the other, each about an axis (3) of what was turned before; then a constant rotation."""

    axes: tuple[Array, ...] = ()
    last: Array = None  # type: ignore[assignment]
    name: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class MovingPointing(Moving):
    """An axis of the target along azimuth and elevation."""

    axis: Array = None  # type: ignore[assignment]
    name: str = ""


# ---------------------------------------------------------------- numbers


def to_cartesian(kind: str, c: Array) -> Array:
    """x, y, z of coordinates (..., 3) of one of `KINDS`."""
    if kind == "cartesian":
        return c
    a, b, d = c[..., 0], c[..., 1], c[..., 2]
    if kind == "cylindrical":
        return np.stack([a * np.cos(b), a * np.sin(b), d], axis=-1)
    return np.stack([a * np.cos(d) * np.cos(b), a * np.cos(d) * np.sin(b), a * np.sin(d)], axis=-1)


def shown(v: Array) -> str:
    if v.ndim > 1:
        return f"of {len(v)} samples"
    return "(" + ", ".join(f"{x:.6g}" for x in np.where(v == 0.0, 0.0, v)) + ")"
