"""Frames and orientations in a model file."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from linkwork.files.entries.base import Entry
from linkwork.files.quantities import (
    Angle,
    Direction,
    Length,
    MomentOfInertia,
    Name,
    Number,
    OrElse,
    Point,
    listed,
)
from linkwork.model.placement import ROW_KEYS, Orientation, Placement, ThreePoints, placement


class AxisAngle(Entry):
    """A rotation about an axis."""

    axis: Direction
    angle: Angle


class DHRow(Entry):
    """Standard Denavit-Hartenberg: Rz(theta) Tz(d) Tx(a) Rx(alpha)."""

    theta: Angle = 0.0
    d: Length = 0.0
    a: Length = 0.0
    alpha: Angle = 0.0


class CraigRow(Entry):
    """Modified Denavit-Hartenberg (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d)."""

    alpha: Angle = 0.0
    a: Length = 0.0
    theta: Angle = 0.0
    d: Length = 0.0


class HayatiRow(Entry):
    """Hayati, for nearly parallel axes: Rz(theta) Tx(a) Rx(alpha) Ry(beta)."""

    theta: Angle = 0.0
    a: Length = 0.0
    alpha: Angle = 0.0
    beta: Angle = 0.0


class ShethUickerRow(Entry):
    """Sheth-Uicker, for any two frames: Rz(gamma) Tz(c) Rx(alpha) Tx(a) Rz(beta) Tz(b)."""

    gamma: Angle = 0.0
    c: Length = 0.0
    alpha: Angle = 0.0
    a: Length = 0.0
    beta: Angle = 0.0
    b: Length = 0.0


NumberRow = tuple[Number, Number, Number]
MomentRow = tuple[MomentOfInertia, MomentOfInertia, MomentOfInertia]


class OrientationEntry(Entry):
    """Axes of a frame, in at most one of these ways."""

    axis: Direction | None = Field(None, description="direction of w, the frame's z")
    x: Direction | None = Field(None, description="direction of u, the frame's x; made perpendicular to the axis")
    matrix: tuple[NumberRow, NumberRow, NumberRow] | None = Field(None, description="3x3 rotation by rows")
    rpy: tuple[Angle, Angle, Angle] | None = Field(None, description="roll, pitch, yaw about fixed x, y, z")
    euler_zxz: tuple[Angle, Angle, Angle] | None = None
    euler_zyz: tuple[Angle, Angle, Angle] | None = None
    euler_xyz: tuple[Angle, Angle, Angle] | None = None
    quaternion: tuple[Number, Number, Number, Number] | None = Field(None, description="w, x, y, z of unit length")
    axis_angle: AxisAngle | None = None

    def _axes(self) -> dict[str, Any]:
        keys = ("axis", "x", "matrix", "rpy", "euler_zxz", "euler_zyz", "euler_xyz", "quaternion")
        given = {k: getattr(self, k) for k in keys}
        if self.axis_angle is not None:
            given["axis_angle"] = (self.axis_angle.axis, self.axis_angle.angle)
        return given


class AxesEntry(OrientationEntry):
    """Axes of numbers: directions only, in the body's own frame."""

    points: tuple[Point, Point, Point] | None = Field(None, description="from the first: along +w, to the +u side")

    def orientation(self, where: str) -> Orientation | None:
        """The axes that the entry describes."""
        turn = placement(points=self.points, where=where, **self._axes())
        if not isinstance(turn.orientation, ThreePoints):
            return turn.orientation
        on_axis, on_plane = (
            tuple(b - a for a, b in zip(turn.at, p, strict=True))
            for p in (turn.orientation.on_axis, turn.orientation.on_plane)
        )
        return ThreePoints(on_axis, on_plane)  # type: ignore[arg-type]  # three numbers each


class PlacementEntry(OrientationEntry):
    """A frame: a point and its axes, in the layout posture or in a body's own frame."""

    at: Point | None = Field(None, description="origin")
    points: tuple[Point, Point, Point] | None = Field(None, description="origin, a point on +w, a point on the +u side")
    dh: DHRow | None = None
    dh_craig: CraigRow | None = None
    hayati: HayatiRow | None = None
    sheth_uicker: ShethUickerRow | None = None
    within: Name | None = Field(None, alias="in", description="body in whose own frame the numbers are given")

    def placement(self, where: str) -> Placement:
        """The placement that the entry describes."""
        rows: dict[str, Any] = {}
        for form, keys in ROW_KEYS.items():
            row = getattr(self, form)
            if row is not None:
                rows[form] = [getattr(row, k) for k in keys]
        return placement(self.at, points=self.points, within=self.within, where=where, **self._axes(), **rows)


def point_as_placement(value: Any) -> Any:
    """A bare point is a frame with the axes left out."""
    return {"at": value} if isinstance(value, list | tuple) else value


SecondFrame = Annotated[PlacementEntry, BeforeValidator(point_as_placement), OrElse(listed(3))]
