"""The machine on a movie's page, as solid shapes or as lines; the page holds its whole motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from linkwork.analyses.machine import Machine
from linkwork.colours import Theme
from linkwork.geometry import Array
from linkwork.model.layout import Layout, Seat
from linkwork.model.parts import Joint
from linkwork.units import LENGTH, SI
from linkwork.views.draw import ACROSS_Y, ELEVATION
from linkwork.views.layers.parts import Layer
from linkwork.views.line_drawing import LineDrawing, page_rows, plane_normal
from linkwork.views.movies.page import Page
from linkwork.views.painting.drawn_layers import DrawnLayers, placed
from linkwork.views.painting.lens import lens_of
from linkwork.views.painting.painter import Painter
from linkwork.views.placed_layout import layout_at
from linkwork.views.scene import scene_of
from linkwork.views.scene.camera import camera_for
from linkwork.views.scene.parts import Scene

MARGIN = 0.06  # around the lines of a drawing, of its longer side

Poses = Mapping[str, Array]


class Actor(Protocol):
    """Something on a page that can be moved."""

    notes: tuple[str, ...]
    """What could not be shown, and why."""

    def place(self, poses: Poses, sample: int) -> None:
        """Move to poses X_WB, arrows to a sample."""


class Solid:
    """A machine as solid shapes.

    Parameters
    ----------
    s : the machine
    page : where
    postures : that the page must hold
    layers : curves and arrows over it
    more : places (n, 3) [m] that the page must hold too
    theme : colours
    """

    def __init__(
        self, s: Machine, page: Page, postures: Sequence[Poses], layers: Sequence[Layer], more: Array, theme: Theme
    ) -> None:
        scene = scene_of(s.mechanism, layout_at(s))
        self.notes = scene.notes
        lens = lens_of(camera_for(scene, _swept(scene, postures, more)))
        self.painter = Painter(scene, page.ax, lens, theme, layers)
        self.painter.fit(postures, more)

    def place(self, poses: Poses, sample: int) -> None:
        """Move to poses."""
        self.painter.place(poses, sample)


class Lines:
    """A machine as a line drawing; parameters as of `Solid`."""

    def __init__(
        self, s: Machine, page: Page, postures: Sequence[Poses], layers: Sequence[Layer], more: Array, theme: Theme
    ) -> None:
        self.m, self.ax, self.theme, self.layers = s.mechanism, page.ax, theme, layers
        self.known = layout_at(s)
        self.notes: tuple[str, ...] = ()
        self.normal = plane_normal(self.m, self.known)
        self.rows = _oblique() if self.normal is None else page_rows(self.normal)
        self.units = SI if self.m.source is None else self.m.source.units
        spans = [self._page(more)]
        for poses in postures:
            self._draw(poses)
            spans += [np.array(line.get_data(), float).T for line in self.ax.lines]
        points = np.vstack(spans)
        points = points[np.isfinite(points).all(axis=1)]
        low, high = points.min(axis=0), points.max(axis=0)
        air = MARGIN * float((high - low).max()) or 1.0
        self.span = np.array([low - air, high + air])
        self._limit()

    def place(self, poses: Poses, sample: int) -> None:
        """Move to poses."""
        self._draw(poses)
        self._limit()
        DrawnLayers(self.ax, self.layers, self.theme).place(poses, sample, self._page)

    def _draw(self, poses: Poses) -> None:
        self.ax.cla()
        layout = layout_with(self.known, self.m.joints, self._carriers, poses)
        LineDrawing(self.m, layout, self.ax, self.normal, self.units, self.theme, rows=self.rows).draw()

    @property
    def _carriers(self) -> dict[str, str]:
        """The body that carries each point and frame."""
        points = {n: p.body for n, p in self.m.points.items()}
        return points | {n: f.body for n, f in self.m.frames.items()}

    def _page(self, places: Array) -> Array:
        page: Array = places @ self.rows.T / self.units.factor(LENGTH)
        return page

    def _limit(self) -> None:
        self.ax.set_axis_off()
        self.ax.set_aspect("equal", adjustable="box")  # the limits stay: the page stands still
        self.ax.set_xlim(*self.span[:, 0])
        self.ax.set_ylim(*self.span[:, 1])


def layout_with(known: Layout, joints: Mapping[str, Joint], carriers: Mapping[str, str], poses: Poses) -> Layout:
    """A layout with its bodies at other poses, and all that they carry."""
    X_WB = {body: np.asarray(poses.get(body, X)) for body, X in known.X_WB.items()}
    moves = {body: X @ np.linalg.inv(known.X_WB[body]) for body, X in X_WB.items()}
    seats = {}
    for name, seat in known.seats.items():
        tail, head = joints[name].tail, joints[name].head
        seats[name] = Seat(X_WB[tail] @ seat.X_TF, X_WB[head] @ seat.X_HM, seat.X_TF, seat.X_HM, seat.q)
    points = {name: placed(p, moves[carriers[name]]) for name, p in known.points.items()}
    frames = {name: moves[carriers[name]] @ X for name, X in known.frames.items()}
    return replace(known, X_WB=X_WB, seats=seats, points=points, frames=frames)


def _oblique() -> Array:
    """Right and up of a page that looks at space as the line drawings do."""
    up, across = np.radians(ELEVATION), np.radians(ACROSS_Y)
    right = np.array([-np.sin(across), np.cos(across), 0.0])
    towards = np.array([np.cos(up) * np.cos(across), np.cos(up) * np.sin(across), np.sin(up)])
    return np.vstack([right, np.cross(towards, right)])


def _swept(scene: Scene, postures: Sequence[Poses], more: Array) -> Array:
    """Lowest and highest place of all parts over the postures, as rows."""
    places = [more]
    for poses in postures:
        known = scene.followed(poses)
        places += [placed(part.mesh.vertices, known[part.body]) for part in scene.parts]
    found = np.vstack(places)
    found = found[np.isfinite(found).all(axis=1)]
    return np.array([found.min(axis=0), found.max(axis=0)]) if len(found) else scene.corners
