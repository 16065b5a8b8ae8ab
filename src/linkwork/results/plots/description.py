"""What a plot shows, apart from how it is drawn: matplotlib and plotly render the same description.

An analysis that brings a plot builds a `Plot` and is done: axes of the user, styles, pages, gaps, warnings and files
follow from it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from linkwork.colours import Tint
from linkwork.geometry import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.results.plots.panels import Panels

RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
ThemeName = Literal["light", "dark"]


def pretty(unit: str) -> str:
    """'m/s²' for 'm/s^2'."""
    return re.sub(r"\^([0-9]+)", lambda power: power[1].translate(RAISED), unit)


@dataclass(frozen=True)
class Axis:
    """One direction of a panel.

    name, symbol : what is along it, and its unit ('' of a plain number)
    kind : its name where lines of several names share it: 'angle'
    log : logarithmic; whole : whole numbers
    places : names that stand at 0, 1, 2, ... instead of numbers
    """

    name: str
    symbol: str = ""
    kind: str = ""
    log: bool = False
    whole: bool = False
    places: tuple[str, ...] = ()

    def label(self, several: bool = False, between: str = " ") -> str:
        """'A.angle [rad]'; 'angle [rad]' for several lines."""
        text = (self.kind if several else "") or self.name
        return f"{text}{between}[{pretty(self.symbol)}]" if self.symbol else text


@dataclass(frozen=True, eq=False)
class Line:
    """Numbers that belong together, in the units of their axes.

    name : in the legend; '' of what only adorns another line
    x, y, z : one number a sample; z in space only
    tint : a number of the palette, or a role; beyond the palette numbers are dashed
    dash : number of the dashes
    style : 'line', 'thin', 'dots', 'ring' (around a place), 'cross'
    heads : names of x, y, z in tables and under the mouse; by default those of the axis and of the line
    breaks : samples before which the pen is lifted
    missing : why there is nothing to draw, which the legend tells: 'indeterminate'
    curve : columns that are drawn instead, where more is known than the samples tell
    """

    name: str
    x: Array
    y: Array
    z: Array | None = None
    _: KW_ONLY
    tint: Tint = 0
    dash: int = 0
    style: Literal["line", "thin", "dots", "ring", "cross"] = "line"
    heads: tuple[str, ...] = ()
    breaks: tuple[int, ...] = ()
    missing: str = ""
    curve: tuple[Array, ...] = ()

    @property
    def legend(self) -> str:
        """What stands in the legend."""
        return f"{self.name}: {self.missing}" if self.missing else self.name

    @property
    def columns(self) -> list[Array]:
        """x, y and perhaps z."""
        return [self.x, self.y] if self.z is None else [self.x, self.y, self.z]

    def drawn(self) -> list[Array]:
        """What the pen follows, with a gap at every break, and where a number is not finite."""
        columns = self.curve or self.columns
        stacked = np.stack([np.asarray(c, np.float64) for c in columns])
        stacked[:, ~_finite(columns)] = np.nan
        return list(stacked if self.curve or not self.breaks else np.insert(stacked, list(self.breaks), np.nan, axis=1))


@dataclass(frozen=True)
class Band:
    """A range of y that is good, or bad: low, high, and what it means."""

    low: float
    high: float
    text: str
    tint: Tint = "stone"


@dataclass(frozen=True)
class Mark:
    """A value of x (or of y) at which something happens, and what."""

    at: float
    text: str
    along: Literal["x", "y"] = "x"
    tint: Tint = "warning"


@dataclass(frozen=True, eq=False)
class Field:
    """A number over a grid.

    x (nx,), y (ny,), values (ny, nx); nan where there is none, which `blank` explains
    name, symbol : of the values
    """

    x: Array
    y: Array
    values: Array
    name: str
    symbol: str = ""
    blank: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    """Lines over one pair (in space three) of axes.

    equal : a length is the same along all axes
    window : ends of x and of y to show, where lines run far away
    legend : whether lines are named beside the panel
    """

    x: Axis
    y: Axis
    lines: tuple[Line, ...] = ()
    z: Axis | None = None
    bands: tuple[Band, ...] = ()
    marks: tuple[Mark, ...] = ()
    field: Field | None = None
    equal: bool = False
    window: tuple[tuple[float, float], tuple[float, float]] | None = None
    legend: bool = True

    @property
    def axes(self) -> list[Axis]:
        """x, y and perhaps z."""
        return [self.x, self.y] if self.z is None else [self.x, self.y, self.z]

    @property
    def named(self) -> list[Line]:
        """Lines that the legend names."""
        return [line for line in self.lines if line.name]

    def along(self, i: int) -> Array:
        """All numbers along an axis."""
        columns = [column for line in self.lines for column in (line.columns[i], *line.curve[i : i + 1])]
        if self.field is not None:
            columns.append((self.field.x, self.field.y)[i])
        return np.concatenate(columns) if columns else np.empty(0)

    def ends(self, i: int) -> tuple[float, float]:
        """Ends of an axis, a little beyond the numbers."""
        if self.window is not None:
            return self.window[i]
        values = self.along(i)
        finite = values[np.isfinite(values)]
        if not finite.size:
            return -1.0, 1.0
        low, high = float(finite.min()), float(finite.max())
        room = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
        return low - room, high + room

    @property
    def of_one(self) -> bool:
        """Whether all lines are of one signal, of several runs."""
        return len({line.name.partition(" (")[0] for line in self.named}) == 1

    def heads(self, line: Line) -> tuple[str, ...]:
        """Names of the columns of a line."""
        return line.heads or (self.x.name, line.name)


@dataclass(frozen=True, eq=False)
class Plot:
    """Panels from top to bottom, a title, and notes beside what is found out from the numbers."""

    panels: tuple[Panel, ...]
    title: str = ""
    notes: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notes, and a text for samples that cannot be drawn."""
        return (*self.notes, *_not_drawn(self.panels))

    def draw(self, ax: Axes | Sequence[Axes] | None = None) -> Panels:
        """Draw it with matplotlib, into axes of the user, one a panel, or on a new page."""
        from linkwork.results.plots.paper import draw

        return draw(self, ax)

    def plotly(self, theme: ThemeName = "light") -> Any:
        """A plotly.graph_objects.Figure for pages and notebooks."""
        from linkwork.results.plots.page import figure_of

        return figure_of(self, theme)


def alone(columns: Sequence[Array]) -> list[int]:
    """Samples between two gaps, which no line would show."""
    there = _finite(columns)
    before, after = np.append(False, there[:-1]), np.append(there[1:], False)
    found: list[int] = np.flatnonzero(there & ~before & ~after).tolist()
    return found


def travel(values: Any) -> float:
    """Highest less lowest of the finite values."""
    finite = values[np.isfinite(values)]
    return float(np.ptp(finite)) if finite.size else 0.0


def _not_drawn(panels: Sequence[Panel]) -> list[str]:
    """'P.x, P.y: 3 of 181 samples are not finite', those of the same samples together."""
    found: dict[tuple[bytes, str], list[str]] = {}
    for panel in panels:
        for line in (line for line in panel.named if not line.missing):
            finite = _finite(line.columns)
            logs = [c > 0.0 for axis, c in zip(panel.axes, line.columns, strict=True) if axis.log]
            below = finite & ~np.logical_and.reduce(logs) if logs else ~finite & finite
            for which, why in ((~finite, "not finite"), (below, "zero or less, which a logarithmic scale cannot show")):
                if which.any():
                    found.setdefault((which.tobytes(), why), []).append(line.name)
    texts = []
    for (samples, why), names in found.items():
        which = np.frombuffer(samples, bool)
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        count, noun = int(which.sum()), "sample" if len(which) == 1 else "samples"
        texts.append(f"{', '.join(names[:3])}{more}: {count} of {len(which)} {noun} {_are(count)} {why}")
    return texts


def _finite(columns: Sequence[Array]) -> NDArray[np.bool_]:
    """Samples of which every number is finite."""
    there: NDArray[np.bool_] = np.logical_and.reduce([np.isfinite(c) for c in columns])
    return there


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
