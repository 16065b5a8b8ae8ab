"""The page of a movie: a picture of fixed size, the machine in it, and a line of text below."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.colours import Theme
from linkwork.errors import MissingExtra
from linkwork.views.label_places import size_of
from linkwork.views.movies.files import Picture

WIDTH = 640  # pixels
FLATTEST, TALLEST = 0.35, 1.0  # height over width of the machine's part of the page
BAND = 30  # pixels below the machine, for time and legend
EDGE = 12  # pixels beside the texts
DPI = 100.0
FONT = 8.5  # points


class Page:
    """Plain axes over a band of text.

    Parameters
    ----------
    theme : colours
    """

    def __init__(self, theme: Theme) -> None:
        try:
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure
        except ImportError:
            raise MissingExtra("matplotlib", "movie", "making a movie") from None
        self.figure = Figure(dpi=DPI, facecolor=theme.paper)
        self.canvas: Any = FigureCanvasAgg(self.figure)
        self.ax: Any = self.figure.add_axes((0.0, 0.1, 1.0, 0.9))
        self.ax.set_axis_off()
        style: dict[str, Any] = {"fontsize": FONT, "color": theme.ink, "va": "center"}
        self.left = self.figure.text(0.0, 0.0, "", ha="left", **style)
        self.right = self.figure.text(1.0, 0.0, "", ha="right", **style)

    def resize(self, size: tuple[int, int] | None) -> None:
        """To a size [pixels]; without, to the shape of the axes' limits. Odd numbers grow by one: movies want even."""
        if size is None:
            wide, high = np.ptp(self.ax.get_xlim()), np.ptp(self.ax.get_ylim())
            size = WIDTH, BAND + round(WIDTH * float(np.clip(high / wide, FLATTEST, TALLEST)))
        width, height = (n + n % 2 for n in size)
        self.figure.set_size_inches(width / DPI, height / DPI)
        self.ax.set_position((0.0, BAND / height, 1.0, 1.0 - BAND / height))
        self.left.set_position((EDGE / width, 0.5 * BAND / height))
        self.right.set_position((1.0 - EDGE / width, 0.5 * BAND / height))

    def note(self, text: str) -> None:
        """Write on the right of the band, smaller where it is long."""
        room = 0.62 * self.size[0] * 72.0 / DPI
        self.right.set_text(text)
        self.right.set_fontsize(FONT * min(1.0, room / size_of(text, FONT)[0]) if text else FONT)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height [pixels]."""
        width, height = self.canvas.get_width_height()
        return int(width), int(height)

    def picture(self) -> Picture:
        """What is on the page now."""
        self.canvas.draw()
        return np.array(np.asarray(self.canvas.buffer_rgba())[:, :, :3])
