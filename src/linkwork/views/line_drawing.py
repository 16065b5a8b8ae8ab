"""A layout as lines: bodies between their joints, joints by their textbook symbols, in a plane or in space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.colours import FORCE, LIGHT, NAMED, PALETTE, Theme
from linkwork.geometry import Array
from linkwork.model.joints import Gear, LineOnCurve, OnCurve, OnSurface, PointOnCurve, Rack
from linkwork.model.layout import Layout, Seat
from linkwork.model.mechanism import Mechanism
from linkwork.units import LENGTH, UnitSystem
from linkwork.views.contact_lines import lines_of
from linkwork.views.load_symbols import load_symbols

MARKERS = {"slide": "s", "weld": "X", "cross": "P", "screw": "h"}
MANY = 24  # bodies or joints beyond which names would cover the drawing
FAINT = 0.28  # opacity of a posture behind another one
TOGETHER = 3  # names of one place that are written; the rest is counted


@dataclass(frozen=True, eq=False)
class Name:
    """A text beside a place of the page; a body's name stands below its middle."""

    text: str
    at: Array
    colour: str
    of_body: bool


def plane_normal(m: Mechanism, layout: Layout) -> Array | None:
    """Unit normal of the plane in which everything turns and slides, None for a spatial mechanism."""
    axes = [s.X_WF[:3, 2] for n, s in layout.seats.items() if m.joints[n].law.plane == "across"]
    slides = [s.X_WF[:3, 2] for n, s in layout.seats.items() if m.joints[n].law.plane == "along"]
    spatial = any(j.law.plane == "space" for j in m.joints.values())
    if spatial or not axes:
        return None
    normal = axes[0]
    if any(float(np.linalg.norm(np.cross(normal, a))) > 1e-6 for a in axes):
        return None
    if any(abs(float(normal @ s)) > 1e-6 for s in slides):
        return None
    # Look against the axis that points most up, right or towards the reader.
    return normal if normal[int(np.argmax(np.abs(normal)))] > 0.0 else -normal


class LineDrawing:
    """One posture in the plane or in space; `names` are what is to be written beside it.

    Parameters
    ----------
    m : the mechanism
    layout : where everything is
    ax : axes to draw into
    normal : of the plane to draw in, None for space
    units : of the page
    theme : colours
    faint : pale, behind another posture
    rows : directions of the page (2, 3), where space is drawn on plain axes by parallel rays
    """

    def __init__(
        self,
        m: Mechanism,
        layout: Layout,
        ax: Any,
        normal: Array | None,
        units: UnitSystem,
        theme: Theme = LIGHT,
        faint: bool = False,
        rows: Array | None = None,
    ) -> None:
        self.m, self.layout, self.ax, self.normal, self.theme = m, layout, ax, normal, theme
        self.opacity = FAINT if faint else 1.0
        self.level = -10 if faint else 0  # below all that is not faint
        self.rows = np.eye(3) if normal is None else page_rows(normal)
        if rows is not None:
            self.rows = rows
        self.unit = units.factor(LENGTH)
        moving = [b for b in m.bodies if b != m.ground.name]
        self.colours = {b: PALETTE[i % len(PALETTE)] for i, b in enumerate(moving)} | {m.ground.name: theme.stone}
        self.colours |= {b.name: NAMED.get(b.colour, b.colour) for b in m.bodies.values() if b.colour}
        self._names: dict[tuple[Any, ...], list[Name]] = {}

    def draw(self) -> None:
        """Draw everything but the names."""
        for body, points in self._places_of_bodies().items():
            self._body(body, points)
        for name, seat in self.layout.seats.items():
            self._joint(name, seat)
        for name, place in self.layout.points.items():
            self._plot([place], color=self.theme.ink, marker="+", markersize=8, linestyle="", zorder=5)
            self._name(name, place, self.theme.ink)
        for symbol in load_symbols(self.m, self.layout, self.normal):
            colour = self.theme.colour(FORCE if symbol.arrow else "metal")
            for line in symbol.lines:
                self._plot(
                    list(line), color=colour, linewidth=2.0 if symbol.arrow else 1.4, zorder=6 if symbol.arrow else 3
                )
            self._name(symbol.name, symbol.at, self.theme.ink)

    @property
    def names(self) -> list[Name]:
        """What to write; names at one place share a line."""
        found = []
        for entries in self._names.values():
            more = f" +{len(entries) - TOGETHER}" if len(entries) > TOGETHER else ""
            text = ", ".join(e.text for e in entries[:TOGETHER]) + more
            found.append(Name(text, entries[0].at, entries[0].colour, entries[0].of_body))
        return found

    def at(self, place: Array) -> Array:
        """A place of the world [m] in coordinates of the page."""
        return np.asarray(self.rows @ place / self.unit)

    def _places_of_bodies(self) -> dict[str, list[Array]]:
        places: dict[str, list[Array]] = {b: [] for b in self.m.bodies}
        for name, seat in self.layout.seats.items():
            joint = self.m.joints[name]
            for body, X in ((joint.tail, seat.X_WF), (joint.head, seat.X_WM)):
                on_curve = joint.law.carried and body == joint.tail
                if body in places and not on_curve:
                    places[body].append(X[:3, 3])
        for point in self.m.points.values():
            if point.name in self.layout.points and point.body in places:
                places[point.body].append(self.layout.points[point.name])
        return places

    def _body(self, body: str, points: list[Array]) -> None:
        """A bar through two places, a filled polygon through more; ground is shown by its joints."""
        if body == self.m.ground.name or not points:
            return
        distinct = _distinct(points)
        corners = _outline([self.at(p) for p in distinct]) if self.normal is not None else None
        colour = self.colours[body]
        if corners is not None and len(corners) > 2:
            fill = {"facecolor": colour, "edgecolor": "none", "alpha": 0.18 * self.opacity}
            self.ax.fill(*corners.T, zorder=2 + self.level, **fill)
            self._line(np.vstack([corners, corners[:1]]), color=colour, linewidth=2.4, zorder=2)
        elif len(distinct) <= 2:
            self._plot(distinct, color=colour, linewidth=3.2, solid_capstyle="round", zorder=2)
        else:
            centre = np.mean(points, axis=0)
            for p in distinct:
                self._plot([centre, p], color=colour, linewidth=2.4, solid_capstyle="round", zorder=2)
        if len(distinct) > 1:
            self._name(body, np.mean(distinct, axis=0), colour, of_body=True)

    def _joint(self, name: str, seat: Seat) -> None:
        joint = self.m.joints[name]
        law = joint.law
        ink = self.theme.ink
        if isinstance(law, Gear):
            for X, radius, body in ((seat.X_WF, law.radius, joint.tail), (seat.X_WM, law.mate, joint.head)):
                self._circle(X, abs(radius), self.colours.get(body, ink))
            self._name(name, seat.X_WF[:3, 3] + law.radius * seat.X_WF[:3, 0], ink)
            return
        if isinstance(law, Rack):
            self._circle(seat.X_WM, abs(law.radius), self.colours.get(joint.head, ink))
            along = seat.X_WF[:3, 0] * 2.5 * abs(law.radius)
            ends = [seat.X_WF[:3, 3] - along, seat.X_WF[:3, 3] + along]
            self._plot(ends, color=self.colours.get(joint.tail, ink), linewidth=2.4)
            self._name(name, seat.X_WF[:3, 3], ink)
            return
        if isinstance(law, PointOnCurve | LineOnCurve):
            _, u, v = law.curve.samples()
            X = seat.X_WF
            outline = X[:3, 3] + np.outer(u, X[:3, 0]) + np.outer(v, X[:3, 1])
            self._plot(list(outline), color=self.colours.get(joint.tail, ink), linewidth=2.4, zorder=2)
            if isinstance(law, LineOnCurve):
                face = seat.X_WM[:3, 0] * law.curve.size() / 2
                ends = [seat.X_WM[:3, 3] - face, seat.X_WM[:3, 3] + face]
                self._plot(ends, color=self.colours.get(joint.head, ink), linewidth=3)
        if isinstance(law, OnSurface | OnCurve):
            width = 2.4 if isinstance(law, OnCurve) else 0.6
            for line in lines_of(joint, seat.q, self.layout.size):
                there = seat.X_WF[:3, 3] + line @ seat.X_WF[:3, :3].T
                self._plot(list(there), color=self.colours.get(joint.tail, ink), linewidth=width, zorder=1)
        grounded = self.m.ground.name in (joint.tail, joint.head)
        if law.symbol in ("slide", "sleeve", "screw"):
            ends = [seat.X_WF[:3, 3], seat.X_WM[:3, 3]]
            self._plot(ends, color=ink, linewidth=1.6, linestyle=(0, (3, 1.5)), zorder=3)
        if law.symbol == "slide":
            reach = seat.X_WF[:3, 2] * 0.09 * self.layout.size
            ends = [seat.X_WF[:3, 3] - reach, seat.X_WF[:3, 3] + reach]
            self._plot(ends, color=ink, linewidth=1.4, zorder=3)
        if law.symbol:
            self._plot(
                [seat.X_WM[:3, 3]],
                marker=MARKERS.get(law.symbol, "o"),
                color=ink,
                markerfacecolor=self.theme.stone if grounded else self.theme.paper,
                markersize=8,
                markeredgewidth=1.5,
                linestyle="",
                zorder=4,
            )
        if self.normal is None and law.symbol in ("pin", "sleeve", "screw"):
            reach = seat.X_WF[:3, 2] * 0.07 * self.layout.size
            ends = [seat.X_WM[:3, 3] - reach, seat.X_WM[:3, 3] + reach]
            self._plot(ends, color=ink, linewidth=1.2, linestyle=(0, (6, 2, 1.5, 2)), zorder=3)
        if grounded and self.normal is not None and law.symbol == "pin":
            self._pedestal(self.at(seat.X_WF[:3, 3]))
        self._name(name, seat.X_WM[:3, 3], ink)

    def _pedestal(self, at: Array) -> None:
        """A hatched foot under a pin on ground, of the same size on every page."""
        style = {"xy": tuple(at), "textcoords": "offset points", "zorder": 1 + self.level}
        ink = self.theme.ink
        arm = {"arrowstyle": "-", "color": ink, "linewidth": 1.4, "alpha": self.opacity}
        self.ax.annotate("", xytext=(0, -13), arrowprops=arm, **style)
        font = {"ha": "center", "va": "center", "fontsize": 7, "fontweight": "bold"}
        self.ax.annotate("/////", xytext=(0, -19), color=ink, alpha=self.opacity, **style, **font)

    def _circle(self, X: Array, radius: float, colour: str) -> None:
        t = np.linspace(0.0, 2 * np.pi, 181)
        ring = X[:3, 3] + radius * (np.outer(np.cos(t), X[:3, 0]) + np.outer(np.sin(t), X[:3, 1]))
        self._plot(list(ring), color=colour, linewidth=1.8, linestyle=(0, (6, 1.5)), zorder=2)
        self._plot([X[:3, 3]], color=colour, marker="o", markersize=4, linestyle="", zorder=3)

    def _name(self, text: str, place: Array, colour: str, of_body: bool = False) -> None:
        at = self.at(place)
        key = (*np.round(at / (self.layout.size / self.unit), 9).tolist(), of_body)
        self._names.setdefault(key, []).append(Name(text, at, colour, of_body))

    def _plot(self, places: list[Array], **style: Any) -> None:
        self._line(np.array([self.at(p) for p in places]), **style)

    def _line(self, points: Array, zorder: float = 2.0, **style: Any) -> None:
        self.ax.plot(*points.T, zorder=zorder + self.level, alpha=self.opacity, **style)


def page_rows(normal: Array) -> Array:
    """Two rows that project onto the page: x to the right and y up as far as the normal allows."""
    right = np.array([1.0, 0.0, 0.0]) if abs(normal[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    right = right - (right @ normal) * normal
    right /= np.linalg.norm(right)
    up = np.cross(normal, right)
    if up[int(np.argmax(np.abs(up)))] < 0.0:
        up = -up
    return np.vstack([right, up])


def _distinct(points: list[Array]) -> list[Array]:
    kept: list[Array] = []
    for p in points:
        if all(float(np.linalg.norm(p - k)) > 1e-9 * (1e-3 + float(np.linalg.norm(p))) for k in kept):
            kept.append(p)
    return kept


def _outline(points: list[Array]) -> Array | None:
    """Convex outline of points of the page, None when they lie on a line."""
    flat = np.array(points)
    if len(flat) < 3:
        return None
    spread = np.linalg.svd(flat - flat.mean(axis=0), compute_uv=False)
    if spread[1] < 1e-6 * spread[0]:
        return None
    order = sorted(map(tuple, flat))
    hull: list[Any] = []
    for sweep in (order, order[::-1]):
        start = len(hull)
        for p in sweep:
            while len(hull) - start >= 2 and _turn(hull[-2], hull[-1], p) <= 0:
                hull.pop()
            hull.append(p)
        hull.pop()
    return np.array(hull)


def _turn(a: Any, b: Any, c: Any) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
