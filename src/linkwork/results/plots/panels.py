"""What a plot gives: its axes, with the way to files and to pages."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkwork.errors import InputError, Problem
from linkwork.results.plots.description import Plot, ThemeName

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = (".png", ".svg", ".pdf", ".csv")


class Panels(tuple["Axes", ...]):
    """The matplotlib axes of a plot, from top to bottom. Notebooks show it; `save` writes it, `plotly` is for pages.

    description : what is shown, apart from how it is drawn
    """

    description: Plot

    def __new__(cls, axes: Iterable[Axes], description: Plot) -> Panels:
        panels = super().__new__(cls, axes)
        panels.description = description
        return panels

    @property
    def figure(self) -> Figure:
        """The figure around them."""
        return self[0].figure.figure  # of axes in a part of a figure, the whole one

    @property
    def warnings(self) -> tuple[str, ...]:
        """What you should know of the plot: samples that are not finite leave gaps, and are counted here."""
        return self.description.warnings

    def plotly(self, theme: ThemeName = "light") -> Any:
        """The same plot as a plotly.graph_objects.Figure, for pages and notebooks.

        Parameters
        ----------
        theme : 'light' or 'dark'
        """
        return self.description.plotly(theme)

    def save(self, path: str | Path, dpi: float = 150.0) -> Path:
        """Write a file and give its path. The same plot gives the same file, to the last byte.

        Parameters
        ----------
        path : where to; the ending says what: .png, .svg, .pdf; .csv for the numbers of this plot, in its units
        dpi : dots an inch of a .png
        """
        target = Path(path)
        ending = target.suffix.lower()
        if ending not in ENDINGS:
            what = f"'{ending}' is not an ending of plots" if ending else "the name has no ending"
            raise InputError(Problem(what, hint="use .png, .svg, .pdf, or .csv for the numbers"), str(path))
        if ending == ".csv":
            from linkwork.results.plots.numbers import write_numbers

            write_numbers(self.description, target)
            return target
        from matplotlib import rc_context

        dateless: dict[str, Any] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(ending, {})
        with rc_context({"svg.hashsalt": "linkwork"}):
            self.figure.draw_without_rendering()  # the layout of a page settles with its second drawing
            self.figure.savefig(target, dpi=dpi, metadata=dateless)
        return target

    def _repr_png_(self) -> bytes:
        stream = BytesIO()
        self.figure.savefig(stream, format="png", dpi=110)
        return stream.getvalue()
