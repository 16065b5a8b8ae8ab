"""A scene on plain axes, moved from posture to posture: solid parts, and curves, arrows and names over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.colours import DARK, LIGHT, Theme
from linkwork.errors import InputError, MissingExtra
from linkwork.geometry import Array
from linkwork.names import no_such
from linkwork.views.label_places import dotted, halo, placed_names, size_of
from linkwork.views.layers.parts import Curve, Layer
from linkwork.views.painting.drawn_layers import DrawnLayers, placed
from linkwork.views.painting.lens import Lens, lens_of
from linkwork.views.painting.surface import surface_of
from linkwork.views.scene.camera import Camera, camera_for
from linkwork.views.scene.parts import Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARGIN = 0.05  # of the page, around the machine
FONT = 9.0  # points
SURFACE, NAMES = 2, 8  # what lies over what; layers are between


def paint(
    scene: Scene,
    poses: Mapping[str, Array] | None = None,
    ax: Axes | None = None,
    *,
    camera: Camera | None = None,
    theme: str | Theme = "light",
    names: bool = True,
    traces: Mapping[str, Array] | None = None,
    layers: Sequence[Layer] = (),
    perspective: bool = True,
) -> Axes:
    """Paint a scene as solid shapes, for print.

    Parameters
    ----------
    scene : what is seen
    poses : X_WB by body; bodies that are not named are as in the scene
    ax : plain axes to paint into; a new figure without
    camera : from where; one that shows the whole scene without
    theme : 'light', 'dark', or colours of your own
    names : whether to write names
    traces : paths (n, 3) [m] to draw as lines, by name
    layers : curves and arrows to draw over it, arrows those of their first sample
    perspective : whether far things are smaller; else rays are parallel
    """
    colours = theme_of(theme)
    if ax is None:
        ax = _new_axes(colours)
    curves = [Curve(n, scene.ground, np.asarray(p), i) for i, (n, p) in enumerate((traces or {}).items())]
    drawn = [*layers, Layer("traces", "traces", tuple(curves))] if curves else layers
    lens = lens_of(camera or camera_for(scene), perspective)
    painter = Painter(scene, ax, lens, colours, layers=drawn)
    painter.fit([dict(poses or {})])
    painter.place(poses or {})
    if names:
        painter.write_names()
    return ax


def theme_of(theme: str | Theme) -> Theme:
    """A theme by its name."""
    if isinstance(theme, Theme):
        return theme
    known = {"light": LIGHT, "dark": DARK}
    if theme not in known:
        raise InputError(no_such("theme", theme, known, "theme"))
    return known[theme]


def _new_axes(theme: Theme) -> Axes:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "painting a machine") from None
    figure = Figure(figsize=(7.5, 5.6), facecolor=theme.paper)
    return figure.add_axes((0.0, 0.0, 1.0, 1.0))


class Painter:
    """A scene on axes; `place` moves it.

    Parameters
    ----------
    scene : what is seen
    ax : plain axes, without anything on them
    lens : from where
    theme : colours
    layers : curves and arrows over the scene
    """

    def __init__(self, scene: Scene, ax: Any, lens: Lens, theme: Theme = LIGHT, layers: Sequence[Layer] = ()) -> None:
        from linkwork.views.painting.picture import SurfacePicture

        self.scene, self.ax, self.lens, self.theme = scene, ax, lens, theme
        self.surface = surface_of(scene, theme)
        self.poses: dict[str, Array] = dict(scene.poses)
        ax.set_facecolor(theme.paper)
        ax.set_axis_off()
        ax.set_aspect("equal", adjustable="box")
        self.picture = SurfacePicture(ax, SURFACE)
        ax.add_artist(self.picture)
        self.drawn = DrawnLayers(ax, layers, theme)
        self.names: list[Any] = []

    def fit(self, postures: Sequence[Mapping[str, Array]], more: Array | None = None) -> None:
        """Limits of the page that hold the machine in several postures, and more places (n, 3) [m] of the world."""
        places = [self.surface.moved(self.scene.followed(self.poses | dict(poses))) for poses in postures]
        places += self.drawn.standing(self.poses)
        places += [] if more is None else [more]
        page = np.vstack([self.lens.seen(p)[0] for p in places] + [np.zeros((0, 2))])
        page = page[np.isfinite(page).all(axis=1)]
        if not len(page):
            return
        low, high = page.min(axis=0), page.max(axis=0)
        air = MARGIN * max(float((high - low).max()), 1e-12)
        self.ax.set_xlim(low[0] - air, high[0] + air)
        self.ax.set_ylim(low[1] - air, high[1] + air)

    def place(self, poses: Mapping[str, Array], sample: int = 0) -> None:
        """Move bodies to poses X_WB, and arrows to a sample; what is not named stays."""
        self.poses = self.scene.followed(self.poses | dict(poses))
        self.picture.show(self.surface.seen(self.poses, self.lens))
        self.drawn.place(self.poses, sample, self._page)
        for label, note in zip(self.scene.labels, self.names, strict=False):
            note.xy = tuple(self._label_at(label.body, label.at))

    def write_names(self) -> None:
        """Write names off each other, where the machine stands now; they then ride along."""
        labels = self.scene.labels
        if not labels:
            return
        figure = self.ax.figure
        figure.draw_without_rendering()
        points = 72.0 / figure.dpi
        at = np.array([self._label_at(label.body, label.at) for label in labels])
        anchors = self.ax.transData.transform(at) * points
        sizes = np.array([size_of(label.text, FONT) for label in labels])
        window = figure.bbox
        page = np.array([[window.x0, window.y0], [window.x1, window.y1]]) * points
        offsets = placed_names(anchors, sizes, dotted([a[None] for a in anchors]), page) - anchors
        style: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center", "fontsize": FONT}
        style |= {"color": self.theme.ink, "path_effects": halo(self.theme.paper), "zorder": NAMES}
        for label, place, offset in zip(labels, at, offsets, strict=True):
            self.names.append(self.ax.annotate(label.text, tuple(place), tuple(np.round(offset, 2)), **style))

    def _label_at(self, body: str, at: Array) -> Array:
        return self._page(placed(np.asarray(at), self.poses[body]))

    def _page(self, places: Array) -> Array:
        return self.lens.seen(places)[0]
