"""Plots: described once, drawn with matplotlib for print and with plotly for pages.

`description` `Plot`, `Panel`, `Line`, ...: what is shown
`shown_units` numbers in the units that were asked for
`over`        signals over time or over each other, several runs overlaid
`paths`       paths, hodographs, phase planes
`trust`       evidence of a run
`paper`       matplotlib, with `look` and `space`; `page` plotly
`panels`      `Panels`, what a plot gives; `numbers` its CSV file
"""

from linkwork.colours import PALETTE
from linkwork.results.plots.description import Axis, Band, Field, Line, Mark, Panel, Plot, pretty
from linkwork.results.plots.look import DASHES
from linkwork.results.plots.over import Series, describe_over
from linkwork.results.plots.panels import Panels
from linkwork.results.plots.paths import Pair, Track, describe_mesh, describe_paths, describe_phase
from linkwork.results.plots.shown_units import Quantity, Showing
from linkwork.results.plots.trust import describe_evidence

__all__ = [
    "DASHES",
    "PALETTE",
    "Axis",
    "Band",
    "Field",
    "Line",
    "Mark",
    "Pair",
    "Panel",
    "Panels",
    "Plot",
    "Quantity",
    "Series",
    "Showing",
    "Track",
    "describe_evidence",
    "describe_mesh",
    "describe_over",
    "describe_paths",
    "describe_phase",
    "pretty",
]
