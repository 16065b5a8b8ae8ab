"""Which way a force or torque points: still in space, with a body, or from one point to another."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.model.vectors import Vector


@dataclass(frozen=True)
class InSpace:
    """A direction that stands still in space."""

    vector: Vector


@dataclass(frozen=True)
class OnBody:
    """A direction that turns with a body, given along the layout's axes in the layout posture."""

    body: str
    vector: Vector


@dataclass(frozen=True)
class Toward:
    """The direction from one point to another, wherever they are."""

    start: str
    end: str


Direction = InSpace | OnBody | Toward
