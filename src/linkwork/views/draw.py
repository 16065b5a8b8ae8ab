"""The layout posture as a line drawing: bodies between their joints, joints by their textbook symbols.

Planar mechanisms are drawn in their plane, others in three dimensions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import MissingExtra
from linkwork.geometry import Array
from linkwork.model.joints import Gear, LineOnCurve, PointOnCurve, Rack
from linkwork.model.layout import Layout, Seat, lay_out
from linkwork.model.mechanism import Mechanism
from linkwork.units import LENGTH, SI, UnitSystem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe-Ito, which colour-blind readers can tell apart; black is kept for ground and text.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A6A00")
INK, STONE = "#222222", "#9A9A9A"
MARKERS = {"prismatic": "s", "spheric": "o", "rigid": "X", "free": "", "universal": "P", "helical": "h"}
MANY = 24  # bodies or joints beyond which names would cover the drawing


def draw_layout(m: Mechanism, ax: Axes | None = None, *, names: bool = True) -> Axes:
    """Draw the layout posture.

    Parameters
    ----------
    m : the mechanism
    ax : axes to draw into (three-dimensional ones for a spatial mechanism); a new figure without
    names : whether to write names beside joints, points and bodies
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "drawing the layout") from None
    if not isinstance(m, Mechanism):
        raise TypeError(
            f"a Mechanism is wanted, not {type(m).__name__}; a file is loaded first: draw_layout(load(path))"
        )
    layout = lay_out(m)
    normal = plane_normal(m, layout)
    if ax is None:
        figure = Figure(figsize=_page_size(layout, normal), layout="constrained")
        ax = figure.add_subplot() if normal is not None else figure.add_subplot(projection="3d")
    units = SI if m.source is None else m.source.units
    _Drawing(m, layout, ax, normal, units, names).draw()
    return ax


def _page_size(layout: Layout, normal: Array | None) -> tuple[float, float]:
    """Width and height [inch] of a page that the machine fills."""
    if normal is None:
        return (7.5, 6.0)
    places = [p for s in layout.seats.values() for p in (s.X_WF[:3, 3], s.X_WM[:3, 3])] + list(layout.points.values())
    width, height = np.ptp(_page(normal) @ np.array(places).T, axis=1) if places else (1.0, 1.0)
    shape = float(np.clip((height + 0.1 * width) / max(width + 0.1 * height, 1e-300), 0.25, 1.1))
    return (7.5, 1.2 + 6.3 * shape)


def plane_normal(m: Mechanism, layout: Layout) -> Array | None:
    """Unit normal of the plane in which everything turns and slides, None for a spatial mechanism."""
    axes = [s.X_WF[:3, 2] for n, s in layout.seats.items() if m.joints[n].law.kind not in _TRANSLATING]
    slides = [s.X_WF[:3, 2] for n, s in layout.seats.items() if m.joints[n].law.kind == "prismatic"]
    spatial = any(j.law.kind in ("spheric", "universal", "free", "bevel") for j in m.joints.values())
    if spatial or not axes:
        return None
    normal = axes[0]
    if any(float(np.linalg.norm(np.cross(normal, a))) > 1e-6 for a in axes):
        return None
    if any(abs(float(normal @ s)) > 1e-6 for s in slides):
        return None
    # Look against the axis that points most up, right or towards the reader.
    return normal if normal[int(np.argmax(np.abs(normal)))] > 0.0 else -normal


_TRANSLATING = ("prismatic", "rigid", "free", "spheric", "universal")


class _Drawing:
    """One drawing in the plane or in space; `_at` turns world places into coordinates of the page."""

    def __init__(
        self, m: Mechanism, layout: Layout, ax: Any, normal: Array | None, units: UnitSystem, names: bool
    ) -> None:
        self.m, self.layout, self.ax, self.normal, self.units = m, layout, ax, normal, units
        self.names = names and len(m.joints) <= MANY
        self.labels: dict[tuple[Any, ...], list[tuple[str, Array, str]]] = {}
        self.rows = _page(normal) if normal is not None else np.eye(3)
        moving = [b for b in m.bodies if b != m.ground.name]
        self.colours = {b: PALETTE[i % len(PALETTE)] for i, b in enumerate(moving)} | {m.ground.name: STONE}

    def draw(self) -> None:
        places = self._places_of_bodies()
        for body, points in places.items():
            self._body(body, points)
        for name, seat in self.layout.seats.items():
            self._joint(name, seat)
        for name, place in self.layout.points.items():
            self._plot([place], color=INK, marker="+", markersize=8, linestyle="", zorder=5)
            self._name(name, place, INK)
        self._finish()

    def _places_of_bodies(self) -> dict[str, list[Array]]:
        places: dict[str, list[Array]] = {b: [] for b in self.m.bodies}
        for name, seat in self.layout.seats.items():
            joint = self.m.joints[name]
            for body, X in ((joint.tail, seat.X_WF), (joint.head, seat.X_WM)):
                on_curve = isinstance(joint.law, PointOnCurve | LineOnCurve) and body == joint.tail
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
        corners = _outline([self._at(p) for p in _distinct(points)]) if self.normal is not None else None
        colour = self.colours[body]
        if corners is not None and len(corners) > 2:
            self.ax.fill(*corners.T, facecolor=colour, alpha=0.18, edgecolor=colour, linewidth=2.4, zorder=2)
        else:
            centre = np.mean(points, axis=0)
            distinct = _distinct(points)
            if len(distinct) <= 2:
                self._plot(distinct, color=colour, linewidth=3.2, solid_capstyle="round", zorder=2)
            else:
                for p in distinct:
                    self._plot([centre, p], color=colour, linewidth=2.4, solid_capstyle="round", zorder=2)
        if len(self.m.bodies) <= MANY and self.names and len(_distinct(points)) > 1:
            self._name(body, np.mean(_distinct(points), axis=0), colour, below=True)

    def _joint(self, name: str, seat: Seat) -> None:
        joint = self.m.joints[name]
        law = joint.law
        if isinstance(law, Gear):
            for X, radius, body in ((seat.X_WF, law.radius, joint.tail), (seat.X_WM, law.mate, joint.head)):
                self._circle(X, abs(radius), self.colours.get(body, INK))
            self._name(name, seat.X_WF[:3, 3] + law.radius * seat.X_WF[:3, 0], INK)
            return
        if isinstance(law, Rack):
            self._circle(seat.X_WM, abs(law.radius), self.colours.get(joint.head, INK))
            along = seat.X_WF[:3, 0] * 2.5 * abs(law.radius)
            self._plot(
                [seat.X_WF[:3, 3] - along, seat.X_WF[:3, 3] + along], color=self.colours.get(joint.tail, INK), lw=2.4
            )
            self._name(name, seat.X_WF[:3, 3], INK)
            return
        if isinstance(law, PointOnCurve | LineOnCurve):
            _, u, v = law.curve.samples()
            X = seat.X_WF
            outline = X[:3, 3] + np.outer(u, X[:3, 0]) + np.outer(v, X[:3, 1])
            self._plot(list(outline), color=self.colours.get(joint.tail, INK), linewidth=2.4, zorder=2)
            if isinstance(law, LineOnCurve):
                face = seat.X_WM[:3, 0] * law.curve.size() / 2
                self._plot(
                    [seat.X_WM[:3, 3] - face, seat.X_WM[:3, 3] + face], color=self.colours.get(joint.head, INK), lw=3
                )
        grounded = self.m.ground.name in (joint.tail, joint.head)
        if law.kind in ("prismatic", "cylindric", "helical"):
            self._plot(
                [seat.X_WF[:3, 3], seat.X_WM[:3, 3]], color=INK, linewidth=1.6, linestyle=(0, (3, 1.5)), zorder=3
            )
        if law.kind == "prismatic":
            reach = seat.X_WF[:3, 2] * 0.09 * self.layout.size
            self._plot([seat.X_WF[:3, 3] - reach, seat.X_WF[:3, 3] + reach], color=INK, linewidth=1.4, zorder=3)
        if law.kind != "free":
            self._plot(
                [seat.X_WM[:3, 3]],
                marker=MARKERS.get(law.kind, "o"),
                color=INK,
                markerfacecolor=STONE if grounded else "white",
                markersize=8,
                markeredgewidth=1.5,
                linestyle="",
                zorder=4,
            )
        if self.normal is None and law.kind in ("revolute", "cylindric", "helical"):
            reach = seat.X_WF[:3, 2] * 0.07 * self.layout.size
            ends = [seat.X_WM[:3, 3] - reach, seat.X_WM[:3, 3] + reach]
            self._plot(ends, color=INK, linewidth=1.2, linestyle=(0, (6, 2, 1.5, 2)), zorder=3)
        if grounded and self.normal is not None and law.kind == "revolute":
            self._pedestal(self._at(seat.X_WF[:3, 3]))
        self._name(name, seat.X_WM[:3, 3], INK)

    def _pedestal(self, at: Array) -> None:
        """A hatched foot under a pin on ground, of the same size on every page."""
        self.ax.annotate(
            "",
            xy=tuple(at),
            xytext=(0, -13),
            textcoords="offset points",
            arrowprops={"arrowstyle": "-", "color": INK, "linewidth": 1.4},
            zorder=1,
        )
        self.ax.annotate(
            "/////",
            xy=tuple(at),
            xytext=(0, -19),
            textcoords="offset points",
            ha="center",
            va="center",
            color=INK,
            fontsize=7,
            fontweight="bold",
            zorder=1,
        )

    def _circle(self, X: Array, radius: float, colour: str) -> None:
        t = np.linspace(0.0, 2 * np.pi, 181)
        ring = X[:3, 3] + radius * (np.outer(np.cos(t), X[:3, 0]) + np.outer(np.sin(t), X[:3, 1]))
        self._plot(list(ring), color=colour, linewidth=1.8, linestyle=(0, (6, 1.5)), zorder=2)
        self._plot([X[:3, 3]], color=colour, marker="o", markersize=4, linestyle="", zorder=3)

    def _name(self, text: str, place: Array, colour: str, below: bool = False) -> None:
        """Keep a name to be written; names at one place share a line."""
        if self.names:
            x, *rest = (round(float(c), 9) for c in self._at(place) / (self.layout.size / self.units.factor(LENGTH)))
            self.labels.setdefault((x, *rest, below), []).append((text, self._at(place), colour))

    def _write_names(self) -> None:
        halo = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.7}
        for key, entries in self.labels.items():
            text = ", ".join(text for text, _, _ in entries[:3]) + (" ..." if len(entries) > 3 else "")
            _, at, colour = entries[0]
            if self.normal is not None:
                offset = (0, -14) if key[-1] else (7, 7)
                style = {"fontsize": 9, "color": colour, "zorder": 6, "ha": "center" if key[-1] else "left"}
                self.ax.annotate(text, tuple(at), xytext=offset, textcoords="offset points", bbox=halo, **style)
            else:
                x, y, z = at
                self.ax.text(x, y, z, f"  {text}", fontsize=9, color=colour, zorder=6, va="bottom")

    def _plot(self, places: list[Array], **style: Any) -> None:
        self.ax.plot(*np.array([self._at(p) for p in places]).T, **style)

    def _at(self, place: Array) -> Array:
        return np.asarray(self.rows @ place / self.units.factor(LENGTH))

    def _widen(self) -> None:
        """A flat box would be all ticks: every side gets at least a third of the longest."""
        limits = [np.array(get()) for get in (self.ax.get_xlim3d, self.ax.get_ylim3d, self.ax.get_zlim3d)]
        least = max(float(np.ptp(pair)) for pair in limits) / 3
        for pair, put in zip(limits, (self.ax.set_xlim3d, self.ax.set_ylim3d, self.ax.set_zlim3d), strict=True):
            half = max(float(np.ptp(pair)), least) / 2
            put(pair.mean() - half, pair.mean() + half)

    def _finish(self) -> None:
        from matplotlib.ticker import MaxNLocator

        symbol = self.units.symbol(LENGTH)
        self.ax.set_title(self.m.name, fontsize=12, color=INK)
        self._write_names()
        self.ax.margins(0.12)
        if self.normal is not None:
            self.ax.set_aspect("equal", adjustable="datalim")
            names = [_axis_name(row) for row in self.rows]
            self.ax.set_xlabel(f"{names[0]} [{symbol}]")
            self.ax.set_ylabel(f"{names[1]} [{symbol}]")
            self.ax.grid(color="#E5E5E5", linewidth=0.7)
            self.ax.set_axisbelow(True)
            for side in ("top", "right"):
                self.ax.spines[side].set_visible(False)
        else:
            self._widen()
            self.ax.set_aspect("equal")
            for axis, letter in zip((self.ax.xaxis, self.ax.yaxis, self.ax.zaxis), "xyz", strict=True):
                axis.set_label_text(f"{letter} [{symbol}]")
                axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
                axis.set_major_locator(MaxNLocator(4))
            self.ax.view_init(elev=22.0, azim=-58.0)


def _page(normal: Array) -> Array:
    """Two rows that project onto the page: x to the right and y up as far as the normal allows."""
    right = np.array([1.0, 0.0, 0.0]) if abs(normal[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    right = right - (right @ normal) * normal
    right /= np.linalg.norm(right)
    up = np.cross(normal, right)
    if up[int(np.argmax(np.abs(up)))] < 0.0:
        up = -up
    return np.vstack([right, up])


def _axis_name(row: Array) -> str:
    index = int(np.argmax(np.abs(row)))
    if abs(abs(row[index]) - 1.0) > 1e-9:
        return "in the plane"
    return ("" if row[index] > 0 else "-") + "xyz"[index]


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
