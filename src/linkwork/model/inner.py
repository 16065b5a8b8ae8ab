"""Freedoms inside a body: its matter and its places move against its own frame, by coordinates that the body owns.

A body whose coordinates are η is, in its own frame, where its law says:

    place   p(η), R(η)     of what sits at p in the undeformed body: joints, points, frames
    matter  r = r₀ + Σ ν_α(η) φ_α(r₀)     with numbers ν (the weights) and fields φ over the body

All that its motion takes follows from moments of the fields: ∫ φ_α dm and ∫ φ_α φ_βᵀ dm, with φ₀ = r₀. They are exact
and constant, whatever η is (Book 1984, eqs 24-29, without its truncation).

A law of one kind is that of one body: `together` joins those that a body has. A new kind gives `place`, `weights` and
`matter`; equations, files and results need nothing else of it.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwork.errors import ModelError, Problem
from linkwork.geometry import Array
from linkwork.model.joints.law import IDENTITY, Law, Motion, Variable
from linkwork.model.vectors import Vector
from linkwork.units import LENGTH, NUMBER, Dimension

Three = tuple[Any, Any, Any]
Matrix3 = tuple[Three, Three, Three]


@dataclass(frozen=True)
class FieldMoments:
    """Moments of the fields of a body: first[α] = ∫ φ_α dm, second[α][β] = ∫ φ_α φ_βᵀ dm for β ≤ α; φ₀ is r₀."""

    first: tuple[Three, ...]
    second: tuple[tuple[Matrix3, ...], ...]


class InnerLaw(Law):
    """What moves inside one body, by all the coordinates that it owns.

    kind : name in model files; variables : coordinates η, each with a rate of its own
    """

    letter: ClassVar[str] = ""

    @property
    @abstractmethod
    def parts(self) -> tuple[InnerPart, ...]:
        """The freedoms that make it, in the order of their coordinates."""

    @property
    def variables(self) -> tuple[Variable, ...]:  # type: ignore[override]
        """Coordinates of all parts."""
        return tuple(v for part in self.parts for v in part.variables)

    @abstractmethod
    def place(self, q: Sequence[Any], at: Three) -> Motion:
        """How axes at a place turn, and where it is, at coordinates q; at : where it is in the undeformed body."""

    def twists_at(self, at: Array) -> Array:
        """6 x coordinates: twist [v; w] of a place of the undeformed body for unit rates, along the body's axes."""
        step, columns = 1e-30, []
        for k in range(len(self.variables)):
            q = [1j * step if k == j else 0.0 for j in range(len(self.variables))]
            R, p = self.place(q, (float(at[0]), float(at[1]), float(at[2])))
            spin = [R[2][1], R[0][2], R[1][0]]
            columns.append([complex(x).imag / step for x in (*p, *spin)])
        return np.array(columns).T.reshape(6, len(columns))

    @abstractmethod
    def weights(self, q: Sequence[Any]) -> Sequence[Any]:
        """ν of coordinates alone, without the first, which is 1."""

    @abstractmethod
    def matter(self, m: Any, h: Three, J: Matrix3) -> FieldMoments:
        """Moments of the fields, from the undeformed body's mass, ∫ r₀ dm and ∫ r₀ r₀ᵀ dm."""


class InnerPart(Law):
    """One freedom inside a body, in the body's frame; those of one body make an `InnerLaw` together."""

    letter: ClassVar[str] = ""

    @classmethod
    @abstractmethod
    def together(cls, parts: Sequence[Any]) -> InnerLaw:
        """The law of a body that has these."""


class InnerKind(Law):
    """One freedom inside a body as its user describes it, in the layout posture.

    section : where model files have it
    """

    letter: ClassVar[str] = ""
    section: ClassVar[str]

    @abstractmethod
    def seen_from(self, X_WB: Array) -> InnerPart:
        """The same in the frame of the body, whose pose in the layout is given."""


@dataclass(frozen=True)
class Inner:
    """A freedom inside a body, under a name of its own; places of its law are those of the layout posture."""

    name: str
    body: str
    law: InnerKind
    description: str = ""

    @property
    def where(self) -> str:
        """Where it is, as problems call it: `stretches.reach`."""
        return f"{self.law.section}.{self.name}"

    def __repr__(self) -> str:
        return f"Inner({self.name!r}, {self.law.kind} of {self.body})"


# ---------------------------------------------------------------- uniform stretching and shearing


SLIDE = (Variable("slide", "length"),)


@dataclass(frozen=True)
class Stretch(InnerKind):
    """A body that stretches or shears evenly along a line; its coordinate is the displacement of `end` [m].

    start : what stays in place [m]; toward : direction in which places move, None along the line

    Along the line the body stretches like a rod, or a telescope of many parts; across it its layers glide like the
    floors of a building.
    """

    start: Vector
    end: Vector
    toward: Vector | None = None
    kind, section, variables = "stretch", "stretches", SLIDE
    about = "the body stretches or shears evenly along a line"

    def __post_init__(self) -> None:
        if not np.linalg.norm(np.subtract(self.end, self.start)) > 0.0:
            raise ModelError(Problem("it starts and ends at one place", hint="give two places, some way apart"))

    def seen_from(self, X_WB: Array) -> Strain:
        R, p = X_WB[:3, :3], X_WB[:3, 3]
        line = np.subtract(self.end, self.start)
        way = line if self.toward is None else np.array(self.toward)
        start, gradient = R.T @ (np.array(self.start) - p), R.T @ (line / (line @ line))
        return Strain(_floats(start), _floats(gradient), _floats(R.T @ (way / np.linalg.norm(way))))


@dataclass(frozen=True)
class Strain(InnerPart):
    """r = r₀ + η u g·(r₀ - o), axes of places stay parallel.

    start : o [m]; gradient : g, along which the displacement grows [1/m]; toward : u, its direction
    """

    start: Vector
    gradient: Vector
    toward: Vector
    kind, variables = "strain", SLIDE

    @classmethod
    def together(cls, parts: Sequence[Strain]) -> InnerLaw:
        return Strains(tuple(parts))

    def numbers(self) -> dict[str, float]:
        return {f"{f}.{c}": x for f in _FIELDS for c, x in zip("xyz", getattr(self, f), strict=True)}

    def with_numbers(self, values: Mapping[str, Any]) -> Strain:
        own: dict[str, Any] = {**self.numbers(), **values}
        return dataclasses.replace(self, **{f: tuple(own[f"{f}.{c}"] for c in "xyz") for f in _FIELDS})

    def measure(self, number: str) -> Dimension:
        return {"start": LENGTH, "gradient": NUMBER / LENGTH}.get(number.partition(".")[0], NUMBER)


_FIELDS = ("start", "gradient", "toward")


@dataclass(frozen=True)
class Strains(InnerLaw):
    """All strains of one body; their displacements add."""

    strains: tuple[Strain, ...]
    kind = "strains"

    @property
    def parts(self) -> tuple[InnerPart, ...]:
        return self.strains

    def numbers(self) -> dict[str, float]:
        return {f"{k}.{n}": x for k, part in enumerate(self.strains) for n, x in part.numbers().items()}

    def with_numbers(self, values: Mapping[str, Any]) -> Strains:
        given: list[dict[str, Any]] = [{} for _ in self.strains]
        for name, x in values.items():
            k, _, own = name.partition(".")
            given[int(k)][own] = x
        return Strains(tuple(part.with_numbers(own) for part, own in zip(self.strains, given, strict=True)))

    def place(self, q: Sequence[Any], at: Three) -> Motion:
        p = list(at)
        for eta, part in zip(q, self.strains, strict=True):
            grown = eta * _dot(part.gradient, [a - o for a, o in zip(at, part.start, strict=True)])
            p = [x + grown * u for x, u in zip(p, part.toward, strict=True)]
        return IDENTITY, (p[0], p[1], p[2])

    def weights(self, q: Sequence[Any]) -> Sequence[Any]:
        return list(q)

    def matter(self, m: Any, h: Three, J: Matrix3) -> FieldMoments:
        """With d = g·(r₀ - o) of a part: ∫ d dm, ∫ d r₀ dm and ∫ d d' dm are all that is needed."""
        first: list[Three] = [h]
        second: list[tuple[Matrix3, ...]] = [(J,)]
        offsets = [_dot(part.gradient, part.start) for part in self.strains]
        for k, part in enumerate(self.strains):
            g, o = part.gradient, offsets[k]
            d_r = [_dot(row, g) - o * x for row, x in zip(J, h, strict=True)]
            rows = [_dyad(part.toward, d_r)]
            for other, o2 in zip(self.strains[: k + 1], offsets, strict=False):
                d_d = _dot(d_r, other.gradient) - o2 * (_dot(g, h) - o * m)
                rows.append(_dyad([d_d * u for u in part.toward], other.toward))
            d = _dot(g, h) - o * m
            first.append((d * part.toward[0], d * part.toward[1], d * part.toward[2]))
            second.append(tuple(rows))
        return FieldMoments(tuple(first), tuple(second))


def _floats(x: Any) -> Vector:
    a, b, c = (float(e) for e in x)
    return (a, b, c)


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _dyad(a: Sequence[Any], b: Sequence[Any]) -> Matrix3:
    (a0, a1, a2), (b0, b1, b2) = a, b
    return ((a0 * b0, a0 * b1, a0 * b2), (a1 * b0, a1 * b1, a1 * b2), (a2 * b0, a2 * b1, a2 * b2))
