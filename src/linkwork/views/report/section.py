"""What a section of a report is, and what it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from linkwork.errors import Problem
from linkwork.results.plots import Plot
from linkwork.views.report.subject import Subject


@dataclass(frozen=True)
class Movie:
    """The machine in three dimensions: a whole page that plays in a frame of the report.

    page : its HTML
    start, rate, factor : the time [s] of the first frame, seconds of playing per second of motion, and the unit of time
        that the figures show [s]
    """

    page: str
    start: float = 0.0
    rate: float = 1.0
    factor: float = 1.0


Block = str | Plot | Movie
"""HTML as it is, a plot, or the movie."""


@dataclass(frozen=True)
class Content:
    """What a section shows, from top to bottom, and what it adds to the table of warnings."""

    blocks: tuple[Block, ...]
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Section:
    """A part of the report. `build` gives None where there is nothing to say.

    key : the anchor in the page; title : its heading
    """

    key: str
    title: str
    build: Callable[[Subject], Content | None]
