"""Plots on pages: a description as a plotly figure, with the names, units, colours and dashes of the one on paper.

The width is that of the page. The height is fixed, and the names of lines stand above their panel in as many rows as a
page of 400 pixels needs, so that nothing overlaps when a page becomes narrow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.colours import DARK, LIGHT, PALETTE, Theme
from linkwork.errors import InputError, MissingExtra
from linkwork.geometry import Array
from linkwork.names import no_such
from linkwork.results.plots.description import Axis, Field, Line, Panel, Plot, alone, pretty, travel
from linkwork.results.plots.look import colour_and_dash
from linkwork.results.plots.space import LEAST

THEMES = {"light": LIGHT, "dark": DARK}
PAGE_DASHES = ("solid", "6px,2px", "2px,2px", "8px,2px,2px,2px")
"""As `look.DASHES`."""
NARROW = 400
TEXT, ROW, SAMPLE, LETTER = 12, 19, 46, 6.6  # pixels: text, a row of names, the sample of a line, a letter
LEFT, RIGHT, BOTTOM = 74, 14, 46
FIRST, EACH, SQUARE = 250, 170, 420  # heights of a single panel, of each of several, of one with equal axes
LOW, SHAPED = 220, 560  # least height of one with equal axes, and its width on a page of middle size
BAR = 52  # the values of a field, at its right
DEGREES = (1, 2, 5, 10, 15, 30, 45, 90, 180, 360, 720, 1440, 3600)
FINE = ".6~g"


def figure_of(plot: Plot, theme: str = "light") -> Any:
    """A plotly.graph_objects.Figure."""
    if theme not in THEMES:
        raise InputError(no_such("theme", theme, THEMES, "theme"))
    try:
        from plotly import graph_objects as go
    except ImportError:
        raise MissingExtra("plotly", "view", "a plot for pages") from None
    return _Page(go, plot, THEMES[theme]).figure()


def data_of(plot: Plot, theme: str = "light") -> dict[str, Any]:
    """The same figure as plain data, {"data": [...], "layout": {...}}: without plotly, whose checks take longer."""
    return dict(vars(_Page(_Plain, plot, THEMES[theme]).figure()))


class _PlainFigure:
    """What plotly's figure does here, without checks."""

    def __init__(self) -> None:
        self.data: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = {}

    def add_trace(self, trace: dict[str, Any]) -> None:
        self.data.append(trace)

    def update_layout(self, layout: dict[str, Any]) -> None:
        self.layout |= layout


def _plain_trace(kind: str) -> Callable[..., dict[str, Any]]:
    return lambda **options: {"type": kind, **options}


class _Plain:
    """What stands for plotly's module."""

    Figure = _PlainFigure
    Scatter = staticmethod(_plain_trace("scatter"))
    Scatter3d = staticmethod(_plain_trace("scatter3d"))
    Contour = staticmethod(_plain_trace("contour"))


class _Page:
    """A figure on its way: places from top to bottom in pixels, then in parts of the height."""

    def __init__(self, go: Any, plot: Plot, theme: Theme) -> None:
        self.go, self.plot, self.theme = go, plot, theme
        self.many = len(plot.panels) > 1
        # As on paper, panels over the same axis are moved and zoomed together, and only the lowest has numbers.
        self.shared = all(p.x == plot.panels[0].x for p in plot.panels)

    def figure(self) -> Any:
        plot, theme = self.plot, self.theme
        notes = [row for text in plot.warnings for row in _folded(text)]
        top = (30 if plot.title else 10) + ROW * len(notes)
        heads = [self._head(p) for p in plot.panels]
        bodies = [self._body(p) for p in plot.panels]
        feet = [0 if self.shared and p is not plot.panels[-1] else BOTTOM for p in plot.panels]
        inner = sum(heads) + sum(bodies) + sum(feet[:-1]) + 8 * (len(bodies) - 1)
        layout: dict[str, Any] = {
            "template": "none",
            "paper_bgcolor": theme.paper,
            "plot_bgcolor": theme.paper,
            "font": {"color": theme.ink, "size": TEXT, "family": "system-ui, 'DejaVu Sans', sans-serif"},
            "height": top + inner + feet[-1],
            "autosize": True,
            "margin": {"l": LEFT, "r": RIGHT, "t": top, "b": feet[-1], "autoexpand": False},
            "hovermode": "closest",
            "hoverlabel": {"bgcolor": theme.paper, "bordercolor": theme.grid, "font": {"color": theme.ink}},
            "annotations": [],
            "shapes": [],
        }
        if plot.title:
            layout["title"] = {"text": plot.title, "x": 0, "xref": "container", "xanchor": "left", "pad": {"l": 10},
                               "y": 1, "yref": "container", "yanchor": "top", "font": {"size": 15}}  # fmt: skip
            layout["title"]["pad"]["t"] = 8
        if notes:
            layout["annotations"].append(_text("<br>".join(notes), theme.warning, x=0, y=1, xref="paper", yref="paper",
                                               xanchor="left", yanchor="bottom", align="left"))  # fmt: skip
        figure = self.go.Figure()
        at = float(inner)
        for number, panel in enumerate(plot.panels):
            high = (at - heads[number]) / inner
            low = (at - heads[number] - bodies[number]) / inner
            self._panel(figure, layout, number, panel, low, high, inner)
            at -= heads[number] + bodies[number] + feet[number] + 8
        figure.update_layout(layout)
        return figure

    def _head(self, panel: Panel) -> int:
        """Pixels above a panel: what is along y, and the names of its lines."""
        label = 0 if panel.z is not None else ROW
        return label + ROW * _rows(panel) + (4 if panel.z is None else 0)

    def _body(self, panel: Panel) -> int:
        if panel.z is not None or panel.field is not None:
            return SQUARE
        if panel.equal:
            wide, high = (float(np.ptp(panel.ends(i))) for i in range(2))
            return int(np.clip(SHAPED * high / wide, LOW, SQUARE))
        return EACH if self.many else FIRST

    def _panel(
        self, figure: Any, layout: dict[str, Any], number: int, panel: Panel, low: float, high: float, inner: int
    ) -> None:
        theme, n = self.theme, "" if number == 0 else str(number + 1)
        legend = f"legend{n}"
        several = len(panel.named) > 1
        legible = several and panel.legend
        layout[legend] = {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": high + (4 + ROW * _rows(panel)) / inner,
            "yanchor": "top",
            "bgcolor": "rgba(0,0,0,0)",
            "font": {"size": TEXT},
            "tracegroupgap": 0,
        }
        if panel.z is not None:
            layout["scene"] = self._space(panel) | {"domain": {"x": [0, 1], "y": [low, high]}}
        else:
            right = 1.0
            layout[f"xaxis{n}"] = self._axis(panel.x, panel.along(0), anchor=f"y{n}", domain=[0, right])
            layout[f"yaxis{n}"] = self._axis(panel.y, panel.along(1), anchor=f"x{n}", domain=[low, high])
            last = number == len(self.plot.panels) - 1
            if self.shared and self.many:
                layout[f"xaxis{n}"] |= {"matches": "x"} if number else {}
                layout[f"xaxis{n}"]["showticklabels"] = last
            if last or not self.shared:
                layout[f"xaxis{n}"]["title"] = {"text": panel.x.label(), "standoff": 6}
            if panel.equal:
                layout[f"yaxis{n}"] |= {"scaleanchor": f"x{n}", "scaleratio": 1, "range": list(panel.ends(1))}
                layout[f"xaxis{n}"]["range"] = list(panel.ends(0))
            rows = _rows(panel)
            layout["annotations"].append(
                _text(panel.y.label(several and bool(panel.y.kind) and not panel.of_one), theme.ink, x=0,
                      y=high + (4 + ROW * rows) / inner, xref="paper", yref="paper", xanchor="left", yanchor="bottom",
                      xshift=2 - LEFT + 8)
            )  # fmt: skip
            self._bands_and_marks(layout, panel, n)
            if panel.field is not None:
                layout["margin"]["r"] = RIGHT + BAR
                layout[f"yaxis{n}"]["showgrid"] = layout[f"xaxis{n}"]["showgrid"] = False
                figure.add_trace(self._field(panel, panel.field, n))
                if np.isnan(panel.field.values).any():
                    layout["plot_bgcolor"] = theme.grid
        for line in panel.lines:
            figure.add_trace(self._trace(panel, line, n, legend, legible))

    def _axis(self, axis: Axis, values: Array, **options: Any) -> dict[str, Any]:
        theme = self.theme
        found: dict[str, Any] = {
            "gridcolor": theme.grid,
            "linecolor": theme.stone,
            "tickcolor": theme.stone,
            "ticks": "outside",
            "ticklen": 4,
            "showline": True,
            "zeroline": False,
            "exponentformat": "power",
            "nticks": 8,
            **options,
        }
        if axis.log:
            found |= {"type": "log", "dtick": _decades(values), "nticks": 0}
        elif axis.places:
            found |= {"tickvals": list(range(len(axis.places))), "ticktext": list(axis.places)}
        elif axis.symbol == "deg" and (way := travel(values)) > 20.0:
            most = 9 if options["anchor"].startswith("y") else 5
            found["dtick"] = next((d for d in DEGREES if way / d <= most), DEGREES[-1])
        elif axis.whole:
            low, high = float(np.nanmin(values)), float(np.nanmax(values))
            found |= {"dtick": max(1, math.ceil((high - low) / 5)), "range": [low - 0.9, high + 0.9]}
        return found

    def _space(self, panel: Panel) -> dict[str, Any]:
        """Equal axes; every side is at least a third of the longest, as on paper."""
        theme = self.theme
        ends = [np.array(panel.ends(i)) for i in range(3)]
        longest = max(float(np.ptp(e)) for e in ends)
        sides = [max(float(np.ptp(e)), LEAST * longest) for e in ends]
        axes = {
            f"{letter}axis": {
                "title": {"text": axis.label()}, "range": [float(e.mean()) - side / 2, float(e.mean()) + side / 2],
                "gridcolor": theme.grid, "linecolor": theme.stone, "color": theme.ink, "nticks": 5,
                "showbackground": False, "zeroline": False, "tickfont": {"size": 11},
            }
            for letter, axis, e, side in zip("xyz", panel.axes, ends, sides, strict=True)
        }  # fmt: skip
        ratio = {letter: side / longest for letter, side in zip("xyz", sides, strict=True)}
        return {"aspectmode": "manual", "aspectratio": ratio, **axes}

    def _trace(self, panel: Panel, line: Line, n: str, legend: str, legible: bool) -> Any:
        tint, dash = line.tint, line.dash
        colour, _ = colour_and_dash(tint, dash)
        if not isinstance(tint, int):
            colour = self.theme.colour(tint)
        rounds = tint // len(PALETTE) if isinstance(tint, int) else 0
        columns = line.drawn()
        options: dict[str, Any] = {
            "name": line.legend,
            "showlegend": legible and bool(line.name),
            "legend": legend,
            "legendgroup": f"{n}{line.name}",
            "hovertemplate": _hover(panel, line),
            **dict(zip("xyz", columns, strict=False)),
        }
        pen = {"color": colour, "width": 1.0 if line.style == "thin" else 2.0}
        if line.style in ("line", "thin"):
            options |= {"mode": "lines", "line": {**pen, "dash": PAGE_DASHES[(rounds + dash) % len(PAGE_DASHES)]}}
            if line.style == "thin":
                options |= {"opacity": 0.75}
            if lonely := alone(columns):
                sizes = np.zeros(len(columns[0]))
                sizes[lonely] = 6
                options |= {"mode": "lines+markers", "marker": {"color": colour, "size": sizes, "line": {"width": 0}}}
        else:
            symbol = {"dots": "circle", "ring": "circle-open", "cross": "cross-thin"}[line.style]
            if panel.z is not None and line.style == "cross":
                symbol = "cross"
            marker: dict[str, Any] = {"color": colour, "symbol": symbol, "size": 5 if panel.z is not None else 8}
            if line.style != "dots":
                marker["line"] = {"color": colour, "width": 2}
            options |= {"mode": "markers", "marker": marker}
        if panel.z is not None:
            if "line" in options:
                options["line"]["width"] = 4
                options["line"]["dash"] = ("solid", "dash", "dot", "dashdot")[(rounds + dash) % 4]
            return self.go.Scatter3d(**options)
        return self.go.Scatter(**options, xaxis=f"x{n}", yaxis=f"y{n}")

    def _field(self, panel: Panel, field: Field, n: str) -> Any:
        what = f"{panel.x.name}: %{{x:{FINE}}} {pretty(panel.x.symbol)}<br>{panel.y.name}: %{{y:{FINE}}} "
        what += f"{pretty(panel.y.symbol)}<br>{field.name}: %{{z:{FINE}}} {pretty(field.symbol)}<extra></extra>"
        bar = {"title": {"text": Axis(field.name, field.symbol).label(), "side": "right"}, "thickness": 12,
               "outlinewidth": 0, "x": 1.0, "xpad": 6}  # fmt: skip
        return self.go.Contour(x=field.x, y=field.y, z=field.values, colorscale="Cividis", colorbar=bar, ncontours=12,
                               line={"width": 0.5, "color": "rgba(255,255,255,0.6)"}, hovertemplate=what,
                               connectgaps=False, xaxis=f"x{n}", yaxis=f"y{n}", name=field.name)  # fmt: skip

    def _bands_and_marks(self, layout: dict[str, Any], panel: Panel, n: str) -> None:
        theme = self.theme
        for band in panel.bands:
            layout["shapes"].append({"type": "rect", "xref": f"x{n} domain", "yref": f"y{n}", "x0": 0, "x1": 1,
                                     "y0": band.low, "y1": band.high, "layer": "below", "line": {"width": 0},
                                     "fillcolor": theme.colour(band.tint), "opacity": 0.15})  # fmt: skip
            layout["annotations"].append(_text(band.text, theme.ink, x=1, y=band.high, xref=f"x{n} domain",
                                               yref=f"y{n}", xanchor="right", yanchor="top"))  # fmt: skip
        for mark in panel.marks:
            colour = theme.colour(mark.tint)
            other = "y" if mark.along == "x" else "x"
            layout["shapes"].append({"type": "line", f"{mark.along}ref": f"{mark.along}{n}",
                                     f"{other}ref": f"{other}{n} domain", f"{mark.along}0": mark.at,
                                     f"{mark.along}1": mark.at, f"{other}0": 0, f"{other}1": 1,
                                     "line": {"color": colour, "width": 1, "dash": "3px,2px"}})  # fmt: skip
            if mark.along == "x":
                place = {"x": mark.at, "y": 1, "xref": f"x{n}", "yref": f"y{n} domain", "textangle": -90,
                         "xanchor": "right", "yanchor": "top"}  # fmt: skip
            else:
                place = {"x": 0, "y": mark.at, "xref": f"x{n} domain", "yref": f"y{n}", "xanchor": "left",
                         "yanchor": "bottom"}  # fmt: skip
            layout["annotations"].append(_text(mark.text, colour, **place))


def _text(text: str, colour: str, **place: Any) -> dict[str, Any]:
    return {"text": text, "showarrow": False, "font": {"size": TEXT, "color": colour}, **place}


def _rows(panel: Panel) -> int:
    """Rows of names above a panel on a narrow page."""
    if len(panel.named) < 2 or not panel.legend:
        return 0
    room, rows, used = NARROW - LEFT - RIGHT, 1, 0.0
    for line in panel.named:
        width = SAMPLE + LETTER * len(line.legend)
        if used and used + width > room:
            rows, used = rows + 1, 0.0
        used += width
    return rows


def _folded(text: str) -> list[str]:
    """Rows that fit a narrow page."""
    rows, room = [""], int((NARROW - LEFT - RIGHT) / LETTER)
    for word in text.split():
        if rows[-1] and len(rows[-1]) + 1 + len(word) > room:
            rows.append("")
        rows[-1] += f" {word}" if rows[-1] else word
    return rows


def _hover(panel: Panel, line: Line) -> str:
    """Every number of a sample with its name and unit."""
    rows = []
    for letter, axis, head in zip("xyz", panel.axes, panel.heads(line), strict=False):
        shown = f"%{{{letter}:{FINE}}}" if not axis.places else f"%{{{letter}}}"
        rows.append(f"{head}: {shown} {pretty(axis.symbol)}".rstrip())
    return "<br>".join([rows[1], rows[0], *rows[2:]] if panel.z is None else rows) + "<extra></extra>"


def _decades(values: Array) -> int:
    positive = values[np.isfinite(values) & (values > 0.0)]
    if not positive.size:
        return 1
    return max(1, math.ceil(math.log10(float(positive.max()) / float(positive.min())) / 4))
