"""Plots of a run: signals over time or over each other, and paths of points."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import MissingExtra, ModelError, Problem, did_you_mean
from linkwork.geometry import Array
from linkwork.results.layout import AXES
from linkwork.results.signals import Signal, Units
from linkwork.units import SI, Dimension, UnitSystem, parse_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe-Ito, which colour-blind readers can tell apart, without its yellow; dashes follow when the colours are used up.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A6A00")
DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
INK, GRID = "#222222", "#E5E5E5"
WIDTH, FIRST, EACH = 7.0, 3.2, 2.1  # inch: width, height of one panel, height of each of several
TURNS, MANY_TURNS = [1, 1.5, 3, 4.5, 9, 10], [1, 1.8, 3.6, 7.2, 10]  # steps of degrees: 15, 30, 45, 90; 180, 360
LONG = 14  # letters of a name that leave no room for its unit beside a panel
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
STILL = 1e-9
"""Travel along an axis, of the longest, that counts as none."""


class Panels(tuple["Axes", ...]):
    """The axes of a plot, from top to bottom. Notebooks show it; `save` writes it."""

    __slots__ = ()

    @property
    def figure(self) -> Figure:
        """The figure around them."""
        return self[0].figure.figure  # of axes in a part of a figure, the whole one

    def save(self, path: str | Path, dpi: float = 150.0) -> Path:
        """Write the figure to a file and give its path.

        Parameters
        ----------
        path : where to; the ending says what: .png, .svg, .pdf
        dpi : dots an inch of a .png
        """
        self.figure.savefig(path, dpi=dpi)
        return Path(path)

    def _repr_png_(self) -> bytes:
        stream = BytesIO()
        self.figure.savefig(stream, format="png", dpi=110)
        return stream.getvalue()


@dataclass(frozen=True)
class _Shown:
    """A signal in the unit in which it is shown."""

    name: str
    symbol: str
    dimension: Dimension
    values: Any

    def label(self, name: str = "", wide: bool = True) -> str:
        """Name and unit; a long one takes two lines beside a panel."""
        text = name or self.name
        if not self.symbol:
            return text
        return f"{text}{' ' if wide or len(text) < LONG else chr(10)}[{pretty(self.symbol)}]"


def pretty(unit: str) -> str:
    """'m/s²' for 'm/s^2'."""
    return re.sub(r"\^([0-9]+)", lambda power: power[1].translate(RAISED), unit)


def plot_signals(
    signals: Sequence[Signal], x: Signal, *, units: Units = None, ax: Axes | None = None, title: str = ""
) -> Panels:
    """Plot single signals over x, those of one unit in one panel.

    Parameters
    ----------
    signals, x : what to plot, and over what
    units : units to show, by dimension or by name of a signal
    ax : axes to draw into, when all signals have one unit; a new figure without
    title : above the uppermost panel of a new figure
    """
    figure_class = _matplotlib("plotting a run")
    lines, abscissa = _shown([*signals], units, x)
    _need_samples(abscissa.values)
    panels: dict[tuple[str, Dimension], list[_Shown]] = {}
    for line in lines:
        panels.setdefault((line.symbol, line.dimension), []).append(line)
    if ax is not None and len(panels) > 1:
        what = f"the signals have {len(panels)} units: {', '.join(s or 'plain number' for s, _ in panels)}"
        raise ModelError(Problem(what, "ax", "plot those of one unit, or leave ax out"))
    if ax is None:
        height = FIRST if len(panels) == 1 else EACH * len(panels) + 0.5
        figure = figure_class(figsize=(WIDTH, height), layout="constrained")
        axes = list(figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0])
        if title:
            axes[0].set_title(title, fontsize=11, color=INK, loc="left")
    else:
        axes = [ax]
    for panel, group in zip(axes, panels.values(), strict=True):
        _draw(panel, abscissa, group, own=ax is None)
    axes[-1].set_xlabel(abscissa.label())
    if ax is None and len(axes) > 1:
        axes[0].figure.align_ylabels(axes)
    return Panels(axes)


def _draw(ax: Any, x: _Shown, group: list[_Shown], own: bool) -> None:
    before = len(ax.get_lines())
    for i, line in enumerate(group, before):
        ax.plot(x.values, line.values, label=line.name, **_style(i, len(x.values)))
    if before + len(group) == 1:
        ax.set_ylabel(group[0].label(wide=False))
    else:
        ax.set_ylabel(group[0].label(str(group[0].dimension), wide=False))
        # Beside the panel it never hides a line; in axes of the user there may be no room for it.
        place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)} if own else {"loc": "best"}
        ax.legend(frameon=False, fontsize=9, borderaxespad=0.2, handlelength=1.8, **place)
    _dress(ax)
    for axis, shown in ((ax.xaxis, x), (ax.yaxis, group[0])):
        _turns(axis, shown)
    if _travel(x.values) > 0.0:
        ax.margins(x=0.01)
    _calm(ax, group)


def _style(i: int, samples: int) -> dict[str, Any]:
    dash = DASHES[(i // len(PALETTE)) % len(DASHES)]
    marker = {"marker": "o", "markersize": 4} if samples == 1 else {}
    return {"color": PALETTE[i % len(PALETTE)], "linestyle": dash, "linewidth": 1.7, **marker}


def _dress(ax: Any) -> None:
    ax.grid(color=GRID, linewidth=0.7)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=9, color="#888888")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color("#888888")


def _turns(axis: Any, shown: _Shown) -> None:
    """Degrees are read at 30, 45 and 90, not at 50 and 100."""
    from matplotlib.ticker import MaxNLocator

    if shown.symbol == "deg" and _travel(shown.values) > 20.0:
        steps = TURNS if _travel(shown.values) <= 400.0 else MANY_TURNS
        axis.set_major_locator(MaxNLocator(nbins=9 if axis.axis_name == "x" else 5, steps=steps))


def _calm(ax: Any, group: list[_Shown]) -> None:
    """Lines that are constant up to rounding are drawn flat, not as noise over the whole panel."""
    values = np.concatenate([g.values for g in group])
    values = values[np.isfinite(values)]
    size = float(np.max(np.abs(values), initial=0.0))
    if 0.0 < _travel(values) < STILL * size and len(ax.get_lines()) == len(group):
        middle = float(values.mean())
        ax.set_ylim(middle - 0.05 * size, middle + 0.05 * size)


def _travel(values: Any) -> float:
    """Highest less lowest of the finite values."""
    finite = values[np.isfinite(values)]
    return float(np.ptp(finite)) if finite.size else 0.0


def plot_path(
    position: Signal, *, units: Units = None, plane: str | None = None, ax: Axes | None = None, label: str = ""
) -> Panels:
    """Plot the path of a point with equal axes; a dot marks its start.

    Parameters
    ----------
    position : (time, axis)
    units : units to show
    plane : two or three letters of x, y, z; without, the plane in which it moves
    ax : axes to draw into, three-dimensional ones for three letters; a new figure without
    label : name of the line
    """
    figure_class = _matplotlib("plotting a path")
    system = _system(units, {})[0]
    _, dimension = parse_unit(position.unit)
    places = position.values / system.factor(dimension)
    _need_samples(places)
    letters = _plane(places) if plane is None else _checked_plane(plane)
    columns = [places[:, AXES.index(letter)] for letter in letters]
    own = ax is None
    page: Any = ax
    if page is None:
        page = _page(figure_class, columns)
    if (page.name == "3d") != (len(letters) == 3):
        text = "three-dimensional" if page.name == "3d" else "flat"
        raise ModelError(Problem(f"the axes are {text}, the path is drawn in {letters}", "ax", "give a fitting plane"))
    count = sum(bool(line.get_label()) and not line.get_label().startswith("_") for line in page.get_lines())
    style = _style(count, len(places))
    page.plot(*columns, label=label, **style)
    start = [c[:1] for c in columns]
    page.plot(*start, color=style["color"], marker="o", markersize=5.5, markerfacecolor="white", linestyle="")
    _finish_path(page, letters, pretty(system.symbol(dimension)), label if own else "")
    if count:
        page.legend(frameon=False, fontsize=9)
        if page.get_title(loc="left").startswith("path of "):
            page.set_title("", loc="left")  # the legend has the names
    return Panels([page])


def _plane(places: Array) -> str:
    """The axes along which a path travels; two at least, so that there is a page."""
    travel = [_travel(places[:, i]) for i in range(3)]
    size = max(travel)
    moving = [i for i in range(3) if travel[i] > STILL * size]
    for i in range(3):  # a straight line or a point lies in several planes: the first is taken
        if len(moving) < 2 and i not in moving:
            moving.append(i)
    return "".join(AXES[i] for i in sorted(moving))


def _checked_plane(plane: str) -> str:
    fits = isinstance(plane, str) and len(plane) in (2, 3) and len(set(plane)) == len(plane) and set(plane) <= set(AXES)
    if not fits:
        raise ModelError(Problem(f"{plane!r} is not a plane", "plane", "write 'xy', 'xz', 'yz' or 'xyz'"))
    return plane


def _page(figure_class: Any, columns: list[Array]) -> Any:
    if len(columns) == 3:
        return figure_class(figsize=(6.2, 5.4), layout="constrained").add_subplot(projection="3d")
    wide, high = map(_travel, columns)
    shape = float(np.clip((high + 0.15 * wide) / max(wide + 0.15 * high, 1e-300), 0.35, 1.3))
    width = 6.0 if shape <= 1.0 else 6.0 / shape
    return figure_class(figsize=(width + 0.6, width * shape + 0.8), layout="constrained").add_subplot()


def _finish_path(ax: Any, letters: str, symbol: str, title: str) -> None:
    if title:
        ax.set_title(f"path of {title}", fontsize=11, color=INK, loc="left")
    ax.set_xlabel(f"{letters[0]} [{symbol}]")
    ax.set_ylabel(f"{letters[1]} [{symbol}]")
    if len(letters) == 2:
        _dress(ax)
        ax.margins(0.08)
        ax.set_aspect("equal", adjustable="datalim")
        return
    from matplotlib.ticker import MaxNLocator

    ax.set_zlabel(f"{letters[2]} [{symbol}]")
    limits = [np.array(get()) for get in (ax.get_xlim3d, ax.get_ylim3d, ax.get_zlim3d)]
    # A flat box would be all ticks: every side gets at least a third of the longest.
    least = max(float(np.ptp(pair)) for pair in limits) / 3
    sides = [max(float(np.ptp(pair)), least) for pair in limits]
    for pair, side, put in zip(limits, sides, (ax.set_xlim3d, ax.set_ylim3d, ax.set_zlim3d), strict=True):
        put(pair.mean() - side / 2, pair.mean() + side / 2)
    ax.set_box_aspect(sides, zoom=0.86)  # equal axes, with room for the labels
    for axis, side in zip((ax.xaxis, ax.yaxis, ax.zaxis), sides, strict=True):
        axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
        axis.set_major_locator(MaxNLocator(3 if side < 0.5 * max(sides) else 5))
    ax.tick_params(labelsize=8, grid_color=GRID)
    ax.view_init(elev=22.0, azim=-58.0)


def _shown(signals: list[Signal], units: Units, x: Signal) -> tuple[list[_Shown], _Shown]:
    """Signals in the units that were asked for, and x."""
    everything = {s.name: s for s in [*signals, x]}
    system, own = _system(units, everything)

    def shown(signal: Signal) -> _Shown:
        _, dimension = parse_unit(signal.unit)
        if signal.name in own:
            return _Shown(signal.name, own[signal.name], dimension, signal.to(own[signal.name]))
        return _Shown(signal.name, system.symbol(dimension), dimension, signal.values / system.factor(dimension))

    return [shown(s) for s in signals], shown(x)


def _system(units: Units, signals: Mapping[str, Signal]) -> tuple[UnitSystem, dict[str, str]]:
    """Units by dimension, and units of single signals."""
    if units is None:
        return SI, {}
    if isinstance(units, UnitSystem):
        return units, {}
    if not isinstance(units, Mapping):
        raise ModelError(Problem("units are a table", "units", 'write units={"angle": "deg", "length": "mm"}'))
    known = [f.name for f in fields(UnitSystem)]
    problems = []
    for key, unit in units.items():
        if key not in known and key not in signals:
            hint = did_you_mean(str(key), [*known, *signals])
            problems.append(Problem(f"'{key}' is neither a dimension nor a signal of this plot", "units", hint))
        elif key not in known:
            try:
                signals[key].to(unit)
            except ModelError as error:
                problems += error.problems
    header = {k: v for k, v in units.items() if k in known}
    try:
        system = UnitSystem.parse(header)
    except ModelError as error:
        problems += error.problems
    if problems:
        raise ModelError(problems)
    return system, {k: v for k, v in units.items() if k not in known}


def _need_samples(values: Any) -> None:
    if not len(values):
        raise ModelError(Problem("the run has no samples to plot", hint="its message says why it stopped"))


def _matplotlib(purpose: str) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plot", purpose) from None
    return Figure
