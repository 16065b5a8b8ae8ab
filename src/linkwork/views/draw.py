"""Line drawings of a machine: its layout, any posture, several over each other, all closures side by side.

Planar mechanisms are drawn in their plane, others in three dimensions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.kinematics.posture import Posture
from linkwork.analyses.machine import Machine
from linkwork.colours import LIGHT, PALETTE, Theme
from linkwork.errors import InputError, MissingExtra, Problem
from linkwork.geometry import Array
from linkwork.model.layout import Layout, lay_out
from linkwork.model.mechanism import Mechanism
from linkwork.units import LENGTH, SI, UnitSystem
from linkwork.views.label_places import dotted, halo, placed_names, size_of
from linkwork.views.line_drawing import MANY, LineDrawing, Name, page_rows, plane_normal
from linkwork.views.placed_layout import layout_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["PALETTE", "draw_closures", "draw_layout", "draw_posture", "plane_normal"]

WIDTH, HIGHEST = 7.5, 7.5  # of a page [inch]
FONT = 9.0  # points
MOST_CLOSURES = 24  # that are drawn side by side
ELEVATION, ACROSS_Y, ACROSS_X = 22.0, -58.0, -32.0  # [deg] from where space is seen


def draw_layout(m: Mechanism, ax: Axes | None = None, *, names: bool = True) -> Axes:
    """Draw the layout posture.

    Parameters
    ----------
    m : the mechanism
    ax : axes to draw into (three-dimensional ones for a spatial mechanism); a new figure without
    names : whether to write names beside joints, points and bodies
    """
    if not isinstance(m, Mechanism):
        raise TypeError(
            f"a Mechanism is wanted, not {type(m).__name__}; a file is loaded first: draw_layout(load(path))"
        )
    return _drawn(m, [lay_out(m)], ax, names, False)


def draw_posture(
    s: Machine,
    posture: Posture | Sequence[Posture] | None = None,
    ax: Axes | None = None,
    *,
    names: bool = True,
    faint: bool = False,
) -> Axes:
    """Draw a posture, or several over each other, all faint but the last.

    Parameters
    ----------
    s : the machine
    posture : one that `s.at` or `s.closures` gave, or several; home without
    ax : axes to draw into (three-dimensional ones for a spatial machine), also those of an earlier drawing; a new
        figure without
    names : whether to write names beside joints, points and bodies; faint postures have none
    faint : draw the last one faint too, to be drawn over
    """
    if not isinstance(s, Machine):
        raise TypeError(f"a Machine is wanted, not {type(s).__name__}; a mechanism is assembled first: m.assemble()")
    strange = [p for p in _listed(posture) if not isinstance(p, Posture)]
    if strange:
        hint = "a posture comes from s.at(...), s.closures(...) or s.home"
        raise InputError(Problem(f"a {type(strange[0]).__name__} is no posture", "draw_posture", hint), s.name)
    given = [s.home if posture is None else posture] if posture is None or isinstance(posture, Posture) else [*posture]
    if not given:
        raise InputError(Problem("there is no posture to draw", "draw_posture", "give one, or None for home"), s.name)
    return _drawn(s.mechanism, [layout_at(s, p) for p in given], ax, names, faint)


def _listed(posture: Posture | Sequence[Posture] | None) -> list[Any]:
    return [] if posture is None else [posture] if isinstance(posture, Posture) else [*posture]


def draw_closures(s: Machine, closures: Sequence[Posture], *, most: int = MOST_CLOSURES) -> Figure:
    """Draw all closures side by side, on equal axes, each under its name.

    Parameters
    ----------
    s : the machine
    closures : what `s.closures` gave, or any postures
    most : how many are drawn; the title counts the rest
    """
    figure_class = _figure_class("drawing closures")
    shown = list(closures)[:most]
    if not shown:
        raise InputError(Problem("there is no closure to draw", "draw_closures"), s.name)
    m = s.mechanism
    layouts = [layout_at(s, p) for p in shown]
    normal = _common_normal(m, layouts)
    columns = min(len(shown), max(2, math.ceil(math.sqrt(1.6 * len(shown)))))
    rows = math.ceil(len(shown) / columns)
    figure: Figure = figure_class(figsize=(2.5 * columns + 0.4, 2.4 * rows + 0.5), layout="constrained")
    kind = {} if normal is not None else {"projection": "3d"}
    panels = figure.subplots(rows, columns, squeeze=False, subplot_kw=kind).ravel()
    for ax, layout, posture in zip(panels, layouts, shown, strict=False):
        LineDrawing(m, layout, ax, normal, _units(m)).draw()
        ax.set_title(posture.name, fontsize=10, color=LIGHT.ink)
    spans = np.array([_span(ax) for ax in panels[: len(shown)]])
    span = np.array([spans[:, 0].min(axis=0), spans[:, 1].max(axis=0)])
    for ax in panels[: len(shown)]:
        _limit(ax, span, normal is not None)
        ax.set_axis_off()
    for ax in panels[len(shown) :]:
        ax.remove()
    total = len(closures)
    count = f"{len(shown)} of {total} closures" if len(shown) < total else f"{total} closure{'s' * (total != 1)}"
    figure.suptitle(f"{m.name}: {count}", fontsize=12, color=LIGHT.ink)
    return figure


def draw_layouts(
    m: Mechanism, layouts: Sequence[Layout], ax: Any, normal: Array | None, theme: Theme = LIGHT, faint: bool = False
) -> LineDrawing:
    """Draw layouts into axes, all faint but the last, without names, limits and titles; gives the last drawing."""
    for layout in layouts[:-1]:
        LineDrawing(m, layout, ax, normal, _units(m), theme, faint=True).draw()
    last = LineDrawing(m, layouts[-1], ax, normal, _units(m), theme, faint)
    last.draw()
    return last


def _drawn(m: Mechanism, layouts: Sequence[Layout], ax: Any, names: bool, faint: bool) -> Axes:
    figure_class = _figure_class("drawing a machine")
    normal = _common_normal(m, layouts)
    own = ax is None
    if own:
        figure = figure_class(figsize=(WIDTH, 6.0), layout="constrained" if normal is not None else None)
        ax = figure.add_subplot() if normal is not None else figure.add_subplot(projection="3d")
    elif (ax.name == "3d") != (normal is None):
        fitting = 'three-dimensional axes: figure.add_subplot(projection="3d")' if normal is None else "plain axes"
        what = f"the machine is {'spatial' if normal is None else 'planar'}, the axes are not"
        raise InputError(Problem(what, "ax", f"give {fitting}"), m.name)
    drawing = draw_layouts(m, layouts, ax, normal, faint=faint)
    ax.set_title(m.name, fontsize=12, color=LIGHT.ink)
    if normal is not None:
        _finish_plane(ax, normal, _units(m), own)
    else:
        _finish_space(ax, _units(m), own)
    if names and not faint and max(len(m.joints), len(m.bodies)) <= MANY:
        _write(ax, drawing.names)
    return ax  # type: ignore[no-any-return]


def _figure_class(purpose: str) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plot", purpose) from None
    return Figure


def _units(m: Mechanism) -> UnitSystem:
    return SI if m.source is None else m.source.units


def _common_normal(m: Mechanism, layouts: Sequence[Layout]) -> Array | None:
    """Of the plane that all postures share; a machine that is planar by chance in one of them is not."""
    normals = [plane_normal(m, layout) for layout in layouts]
    first = normals[0]
    if first is None or any(n is None or abs(float(n @ first)) < 1.0 - 1e-9 for n in normals):
        return None
    return first


# ---------------------------------------------------------------- pages


def _lines(ax: Any) -> list[Array]:
    """Points of all lines, in coordinates of the page or of space."""
    return [np.array(line.get_data_3d() if ax.name == "3d" else line.get_data(), float).T for line in ax.lines]


def _span(ax: Any) -> Array:
    """Lowest and highest coordinates of all that is drawn, as rows."""
    points = np.vstack([*_lines(ax), np.zeros((0, 3 if ax.name == "3d" else 2))])
    points = points[np.isfinite(points).all(axis=1)] if len(points) else np.zeros((1, points.shape[1]))
    return np.array([points.min(axis=0), points.max(axis=0)])


def _limit(ax: Any, span: Array, plane: bool) -> None:
    """Limits around a span, with a margin; a side that is flat gets a part of the longest."""
    middle, sides = span.mean(axis=0), span[1] - span[0]
    longest = float(sides.max()) or 1.0
    half = np.maximum(sides, (0.2 if plane else 0.3) * longest) / 2 + 0.07 * longest
    low, high = middle - half, middle + half
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    if plane:
        ax.set_aspect("equal", adjustable="box")  # adjusting the limits instead may cut the machine
        return
    ax.set_zlim(low[2], high[2])
    ax.view_init(elev=ELEVATION, azim=ACROSS_Y if half[0] >= half[1] else ACROSS_X)
    ax.set_box_aspect(high - low)


def _finish_plane(ax: Any, normal: Array, units: UnitSystem, own: bool) -> None:
    span, symbol = _span(ax), units.symbol(LENGTH)
    _limit(ax, span, True)
    wide, high = (np.ptp(pair) for pair in (ax.get_xlim(), ax.get_ylim()))
    if own:
        shape = float(np.clip(high / wide, 0.2, 1.15))
        ax.figure.set_size_inches(WIDTH, 1.1 + (WIDTH - 0.9) * shape)
    names = [_axis_name(row) for row in page_rows(normal)]
    ax.set_xlabel(f"{names[0]} [{symbol}]")
    ax.set_ylabel(f"{names[1]} [{symbol}]")
    ax.grid(color=LIGHT.grid, linewidth=0.7)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _finish_space(ax: Any, units: UnitSystem, own: bool) -> None:
    _limit(ax, _span(ax), False)
    for axis, letter in zip((ax.xaxis, ax.yaxis, ax.zaxis), "xyz", strict=True):
        axis.set_label_text(f"{letter} [{units.symbol(LENGTH)}]")
        axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
        axis.line.set_color(LIGHT.stone)
        axis._axinfo["grid"] |= {"color": LIGHT.grid, "linewidth": 0.7}
    ax.tick_params(labelsize=8, pad=0)
    if own:
        _fit_page(ax)
    _sparse_ticks(ax)


def _corners_on_page(ax: Any) -> Array:
    """The eight corners of the box (2, 2, 2, 2), by x, y and z, in pixels."""
    from mpl_toolkits.mplot3d.proj3d import proj_transform

    limits = ax.get_xlim(), ax.get_ylim(), ax.get_zlim()
    grid = np.array(np.meshgrid(*limits, indexing="ij")).reshape(3, -1)
    ax.apply_aspect()
    x, y, _ = proj_transform(*grid, ax.get_proj())
    return np.asarray(ax.transData.transform(np.column_stack([x, y]))).reshape(2, 2, 2, 2)


def _fit_page(ax: Any) -> None:
    """A page that the box fills: matplotlib draws space into a square, of which a flat machine needs a strip."""
    before, behind, below, above = 0.4, 0.75, 0.6, 0.45  # room for ticks and title [inch]
    figure = ax.figure
    figure.set_size_inches(WIDTH, WIDTH)
    ax.set_position((0.0, 0.0, 1.0, 1.0))
    corners = _corners_on_page(ax).reshape(-1, 2) / (WIDTH * figure.dpi)
    low, high = corners.min(axis=0), corners.max(axis=0)
    side = min((WIDTH - before - behind) / (high[0] - low[0]), (HIGHEST - below - above) / (high[1] - low[1]))
    wide, tall = side * (high - low) + (before + behind, below + above)
    figure.set_size_inches(wide, tall)
    left, bottom = (before - low[0] * side) / wide, (below - low[1] * side) / tall
    ax.set_position((left, bottom, side / wide, side / tall))
    ax.patch.set_visible(False)
    figure.suptitle(ax.get_title(), fontsize=12, color=LIGHT.ink, y=1.0 - 0.12 / tall, va="top")
    ax.title.set_visible(False)  # it would stand above the square, out of the page


def _sparse_ticks(ax: Any) -> None:
    """As many ticks as a side has room for: about one in two thirds of an inch of the page."""
    from matplotlib.ticker import MaxNLocator

    corners = _corners_on_page(ax) / ax.figure.dpi
    sides = [corners[1, 0, 0] - corners[0, 0, 0], corners[0, 1, 0] - corners[0, 0, 0]]
    sides.append(corners[0, 0, 1] - corners[0, 0, 0])
    for axis, side in zip((ax.xaxis, ax.yaxis, ax.zaxis), sides, strict=True):
        axis.set_major_locator(MaxNLocator(int(np.clip(np.linalg.norm(side) / 0.65, 1, 5)), min_n_ticks=1))


def _axis_name(row: Array) -> str:
    index = int(np.argmax(np.abs(row)))
    if abs(abs(row[index]) - 1.0) > 1e-9:
        return "in the plane"
    return ("" if row[index] > 0 else "-") + "xyz"[index]


# ---------------------------------------------------------------- names


def _write(ax: Any, names: Sequence[Name]) -> None:
    """Write names beside their places, off each other and off the lines."""
    if not names:
        return
    figure = ax.figure
    figure.draw_without_rendering()  # pages find their limits when they are drawn
    points = 72.0 / figure.dpi
    lines = [_pixels(ax, line) * points for line in _lines(ax)]
    anchors = np.array([_pixels(ax, name.at[None])[0] for name in names]) * points
    sizes = np.array([size_of(name.text, FONT) for name in names])
    window = figure.bbox if ax.name == "3d" else ax.get_window_extent()
    page = np.array([[window.x0, window.y0], [window.x1, window.y1]]) * points
    centres = placed_names(anchors, sizes, dotted(lines), page)
    write = _spatial_note if ax.name == "3d" else _planar_note
    for name, offset in zip(names, centres - anchors, strict=True):
        write(ax, name, (round(float(offset[0]), 2), round(float(offset[1]), 2)))


_STYLE: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center", "fontsize": FONT, "zorder": 30}


def _planar_note(ax: Any, name: Name, offset: tuple[float, float]) -> None:
    ax.annotate(name.text, tuple(name.at), offset, color=name.colour, path_effects=halo(LIGHT.paper), **_STYLE)


def _spatial_note(ax: Any, name: Name, offset: tuple[float, float]) -> None:
    """A note that stays beside its place when the view is turned."""
    from matplotlib.text import Annotation
    from mpl_toolkits.mplot3d.proj3d import proj_transform

    class Note(Annotation):
        def draw(self, renderer: Any) -> None:
            self.xy = proj_transform(*name.at, ax.get_proj())[:2]
            super().draw(renderer)

    at = proj_transform(*name.at, ax.get_proj())[:2]
    style: dict[str, Any] = {"color": name.colour, "path_effects": halo(LIGHT.paper), "annotation_clip": False}
    note = Note(name.text, at, offset, xycoords="data", **style, **_STYLE)
    note.set_transform(ax.transData)
    ax._add_text(note)
    note.set_clip_on(False)


def _pixels(ax: Any, places: Array) -> Array:
    if ax.name == "3d":
        from mpl_toolkits.mplot3d.proj3d import proj_transform

        x, y, _ = proj_transform(*places.T, ax.get_proj())
        places = np.column_stack([x, y])
    return np.asarray(ax.transData.transform(places))
