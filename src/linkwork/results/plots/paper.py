"""Plots on paper: a description drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.colours import LIGHT
from linkwork.errors import InputError, MissingExtra, Problem
from linkwork.geometry import Array
from linkwork.results.plots.description import Axis, Field, Line, Panel, Plot, alone, travel
from linkwork.results.plots.look import EACH, FIRST, WIDTH, colour_and_dash, our_look, size_is_open
from linkwork.results.plots.panels import Panels
from linkwork.results.plots.space import dress_space, fit_page, legend_in_space

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TURNS, MANY_TURNS = [1, 1.5, 3, 4.5, 9, 10], [1, 1.8, 3.6, 7.2, 10]  # steps of degrees: 15, 30, 45, 90; 180, 360
LONG = 14  # letters of a name that leave no room for its unit beside a panel
STILL = 1e-9
"""Travel of a line, of its size, that is rounding."""
MANY_PLACES = 8
"""Names along an axis that still lie side by side."""
LEVELS = 12
SMALL = 8  # points: notes and names of marks


def draw(plot: Plot, ax: Axes | Sequence[Axes] | None) -> Panels:
    """Draw a description into axes of the user, one a panel, or on a page of its own."""
    figure_class = _matplotlib()
    with our_look():
        if ax is None:
            axes = _page(figure_class, plot)
        else:
            axes = list(ax) if isinstance(ax, Sequence) else [ax]
            _assert_fits(plot, axes)
        for panel, page in zip(plot.panels, axes, strict=True):
            _draw_panel(page, panel, own=ax is None)
        if ax is None:
            _finish_page(plot, axes)
        else:
            _note_inside(axes[-1], plot.warnings)
    return Panels(axes, plot)


def _matplotlib() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "plotting") from None
    return Figure


def _assert_fits(plot: Plot, axes: list[Any]) -> None:
    panels = plot.panels
    if len(axes) != len(panels):
        shown = ", ".join(p.y.symbol or p.y.kind or p.y.name for p in panels)
        what = f"the plot has {len(panels)} {'panel' if len(panels) == 1 else 'panels'} ({shown}), not {len(axes)}"
        raise InputError(Problem(what, "ax", "give as many axes, plot what has one unit, or leave ax out"))
    for panel, page in zip(panels, axes, strict=True):
        if (page.name == "3d") != (panel.z is not None):
            text = "three-dimensional" if page.name == "3d" else "flat"
            letters = "".join(axis.name for axis in panel.axes)
            raise InputError(Problem(f"the axes are {text}, the plot is in {letters}", "ax", "give a fitting plane"))


# ---------------------------------------------------------------- the page


def _page(figure_class: Any, plot: Plot) -> list[Any]:
    first, count = plot.panels[0], len(plot.panels)
    options: dict[str, Any] = {} if first.z is not None else {"layout": "constrained"}
    if size_is_open():
        options["figsize"] = _size(plot)
    figure = figure_class(**options)
    if first.z is not None:
        return [figure.add_subplot(projection="3d")]
    shared = all(p.x == first.x for p in plot.panels)
    return list(figure.subplots(count, 1, sharex=shared, squeeze=False)[:, 0])


def _size(plot: Plot) -> tuple[float, float]:
    """Inches."""
    first, count = plot.panels[0], len(plot.panels)
    if first.z is not None:
        return 6.4, 5.0
    if first.field is not None:
        return 6.4, 4.8
    if first.equal:
        return _shape(first)
    return WIDTH, (FIRST if count == 1 else EACH * count + 0.5)


def _shape(panel: Panel) -> tuple[float, float]:
    """A page in the shape of what is drawn with equal axes."""
    wide, high = (float(np.ptp(panel.ends(i))) for i in range(2))
    shape = float(np.clip((high + 0.15 * wide) / max(wide + 0.15 * high, 1e-300), 0.35, 1.3))
    width = 6.0 if shape <= 0.8 else 4.8 / shape
    beside = 1.1 if len(panel.named) > 1 else 0.0
    return width + 0.6 + beside, width * shape + 0.8


def _finish_page(plot: Plot, axes: list[Any]) -> None:
    if plot.panels[0].z is not None:
        fit_page(axes[0], plot.title)
        if len(plot.panels[0].named) > 1:
            legend_in_space(axes[0])
    elif plot.title:
        axes[0].set_title(plot.title)
    if len(axes) > 1:
        axes[0].figure.align_ylabels(axes)
        shared = axes[-1].get_shared_x_axes().joined(axes[0], axes[-1])
        for page in axes[:-1] if shared else ():
            page.set_xlabel("")
    if plot.warnings:
        figure = axes[0].figure
        room = int(figure.get_figwidth() * 72.0 / (0.55 * SMALL))
        text = "\n".join(row for warning in plot.warnings for row in wrap(warning, room))
        figure.supxlabel(text, x=0.01, ha="left", fontsize=SMALL, color=LIGHT.warning)


def _note_inside(page: Any, texts: Sequence[str]) -> None:
    """In a figure of the user there may be no room outside the axes."""
    if texts:
        style = {"fontsize": SMALL, "color": LIGHT.warning, "va": "bottom", "ha": "left"}
        put = page.text2D if page.name == "3d" else page.text
        put(0.01, 0.01, "\n".join(texts), transform=page.transAxes, **style)


# ---------------------------------------------------------------- one panel


def _draw_panel(page: Any, panel: Panel, own: bool) -> None:
    before = [line.get_label() for line in page.get_lines() if not str(line.get_label()).startswith("_")]
    _label(page, panel, before)
    if panel.field is not None:
        _draw_field(page, panel, panel.field)
    for band in panel.bands:
        page.axhspan(band.low, band.high, color=LIGHT.colour(band.tint), alpha=0.13, linewidth=0)
        page.annotate(band.text, (0.995, band.high), xycoords=("axes fraction", "data"), ha="right", va="top",
                      fontsize=SMALL, xytext=(0, -2), textcoords="offset points")  # fmt: skip
    for line in panel.lines:
        _draw_line(page, line, len(before))
    _draw_marks(page, panel)
    if len(before) + len(panel.named) > 1 and panel.legend:
        # Beside the panel it never hides a line; in axes of the user there may be no room for it.
        own_place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
        if panel.z is None:
            page.legend(**(own_place if own else {"loc": "best"}))
        elif not own:
            legend_in_space(page)
    _scale(page, panel, own)


def _label(page: Any, panel: Panel, before: list[Any]) -> None:
    """Labels and title where the user wrote none, or where they are ours from an earlier plot in the same axes."""
    several = len(before) + len(panel.named) > 1
    named_alike = len({line.name.partition(" (")[0] for line in panel.named} | {*before}) == 1
    ours = {"", *(panel.y.label()[len(panel.y.name) :].join([str(b), ""]) for b in before)}
    ours |= {text.replace(" [", "\n[") for text in ours}
    if page.get_ylabel() in ours:
        between = "\n" if len(panel.y.name) >= LONG and not several and panel.z is None else " "
        page.set_ylabel(panel.y.label(several and not (named_alike and panel.y.kind), between))
    if not page.get_xlabel():
        page.set_xlabel(panel.x.label())
    if panel.z is not None and not page.get_zlabel():
        page.set_zlabel(panel.z.label())
    if before and page.get_title(loc="left").endswith(f" of {before[0]}"):
        page.set_title("", loc="left")  # the legend has the names


def _draw_line(page: Any, line: Line, before: int) -> None:
    tint = line.tint + before if isinstance(line.tint, int) else line.tint
    colour, dash = colour_and_dash(tint, line.dash)
    columns = line.drawn()
    style: dict[str, Any] = {"color": colour, "label": line.legend or "_"}
    if line.style in ("line", "thin"):
        style |= {"linestyle": dash, **({"linewidth": 0.6, "alpha": 0.75} if line.style == "thin" else {})}
        if len(line.x) == 1:
            style |= {"marker": "o", "markersize": 4}
    elif line.style == "dots":
        style |= {"linestyle": "", "marker": "o", "markersize": 4.5}
    elif line.style == "ring":
        style |= {"linestyle": "", "marker": "o", "markersize": 5.5, "markerfacecolor": page.get_facecolor()}
    else:
        style |= {"linestyle": "", "marker": "+", "markersize": 9, "markeredgewidth": 1.2, "color": _ink()}
    page.plot(*columns, **style)
    if line.style in ("line", "thin") and len(line.x) > 1 and (lonely := alone(columns)):
        page.plot(*(c[lonely] for c in columns), color=colour, label="_", linestyle="", marker="o", markersize=4)


def _ink() -> str:
    from matplotlib import rcParams

    return str(rcParams["text.color"])


def _draw_marks(page: Any, panel: Panel) -> None:
    for mark in panel.marks:
        colour = LIGHT.colour(mark.tint)
        style = {"color": colour, "linewidth": 1.0, "linestyle": (0, (3, 2))}
        small: dict[str, Any] = {"fontsize": SMALL, "color": colour, "textcoords": "offset points"}
        if mark.along == "x":
            page.axvline(mark.at, **style)
            page.annotate(mark.text, (mark.at, 0.98), xycoords=("data", "axes fraction"), rotation=90, ha="right",
                          va="top", xytext=(-2, 0), **small)  # fmt: skip
        else:
            page.axhline(mark.at, **style)
            page.annotate(mark.text, (0.005, mark.at), xycoords=("axes fraction", "data"), ha="left", va="bottom",
                          xytext=(0, 2), **small)  # fmt: skip


def _draw_field(page: Any, panel: Panel, field: Field) -> None:
    """Filled contours; what has no value is hatched."""
    from matplotlib.patches import Patch

    levels = _levels(field.values)
    if np.isnan(field.values).any():
        page.patch.set(facecolor="#DDDDDD", edgecolor="#AAAAAA", hatch="////", linewidth=0)
        handle = Patch(facecolor="#DDDDDD", edgecolor="#AAAAAA", hatch="////", label=field.blank)
        page.legend(handles=[handle], loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.1)
    filled = page.contourf(field.x, field.y, field.values, levels=levels, cmap="cividis")
    bar = page.figure.colorbar(filled, ax=page)
    bar.set_label(Axis(field.name, field.symbol).label())
    bar.outline.set_visible(False)
    page.grid(False)


def _levels(values: Array) -> Array:
    """Round steps from the least to the greatest value."""
    from matplotlib.ticker import MaxNLocator

    finite = values[np.isfinite(values)]
    low, high = float(finite.min()), float(finite.max())
    if high - low <= STILL * max(abs(high), abs(low), 1e-300):  # the same everywhere
        low, high = low - 0.5 * max(abs(low), 1e-3), high + 0.5 * max(abs(high), 1e-3)
    ticks: Array = np.asarray(MaxNLocator(LEVELS).tick_values(low, high))
    return ticks


# ---------------------------------------------------------------- scales


def _scale(page: Any, panel: Panel, own: bool) -> None:
    """Scales and ticks; limits, ticks and aspect that the user set stay."""
    if panel.z is not None:
        if own or page.get_autoscale_on():
            dress_space(page, own)
        return
    from matplotlib.ticker import MaxNLocator

    for axis, described, i in ((page.xaxis, panel.x, 0), (page.yaxis, panel.y, 1)):
        if described.log:
            _decades(page, axis, panel.along(i), own)
        elif described.whole:
            axis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))
            if own and travel(panel.along(i)) < 1.0:
                axis.set_view_interval(*(float(np.nanmean(panel.along(i))) + np.array([-0.9, 0.9])), ignore=True)
        elif described.places:
            _name_places(axis, described.places)
        else:
            _turns(axis, described, panel.along(i))
    if panel.equal and own and panel.window is not None:
        (left, right), (low, high) = panel.window
        page.set(xlim=(left, right), ylim=(low, high), box_aspect=(high - low) / (right - left), anchor="NW")
    elif panel.equal:
        if page.get_aspect() == "auto":
            free = page.get_autoscalex_on() and page.get_autoscaley_on()
            page.set_aspect("equal", adjustable="datalim" if free else "box")
        if own:
            page.margins(0.08)
    elif own and not panel.y.log:
        _calm(page, panel)
    if own and not panel.equal and (panel.x.places or any(line.style == "ring" for line in panel.lines)):
        page.margins(x=0.04)  # rings and dots at the ends stay whole


def _decades(page: Any, axis: Any, values: Array, own: bool) -> None:
    """A logarithmic scale; on a page of our own over whole powers of ten, across just as far as there are numbers."""
    from matplotlib.ticker import LogLocator, NullFormatter

    across = axis.axis_name == "x"
    (page.set_xscale if across else page.set_yscale)("log")
    axis.set_major_locator(LogLocator(numticks=6))
    axis.set_minor_formatter(NullFormatter())
    positive = values[np.isfinite(values) & (values > 0.0)]
    if own and positive.size:
        low, high = np.log10([positive.min(), positive.max()])
        if not across or high - low < 1.0:
            low, high = np.floor(low), np.ceil(high)
        # All panels that share the axis follow; what is drawn later may still move it.
        (page.set_xlim if across else page.set_ylim)(10.0**low, 10.0**high, auto=None)


def _name_places(axis: Any, places: tuple[str, ...]) -> None:
    crowded = len(places) > MANY_PLACES or sum(map(len, places)) > 70
    axis.set_ticks(range(len(places)), places, rotation=90 if crowded and axis.axis_name == "x" else 0)


def _turns(axis: Any, described: Axis, values: Array) -> None:
    """Degrees are read at 30, 45 and 90, not at 50 and 100."""
    from matplotlib.ticker import AutoLocator, MaxNLocator

    way = travel(values)
    if described.symbol == "deg" and way > 20.0 and isinstance(axis.get_major_locator(), AutoLocator):
        bins = 9 if axis.axis_name == "x" else 5
        axis.set_major_locator(MaxNLocator(nbins=bins, steps=TURNS if way <= 400.0 else MANY_TURNS))


def _calm(page: Any, panel: Panel) -> None:
    """Lines that are constant up to rounding are drawn flat, not as noise over the whole panel."""
    values = panel.along(1)
    values = values[np.isfinite(values)]
    size = float(np.max(np.abs(values), initial=0.0))
    if 0.0 < travel(values) < STILL * size:
        middle = float(values.mean())
        page.set_ylim(middle - 0.05 * size, middle + 0.05 * size)
