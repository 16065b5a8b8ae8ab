"""Paths of the model's points and frames."""

from __future__ import annotations

from linkwork.results.plots import Track, describe_paths
from linkwork.views.report.markup import paragraph
from linkwork.views.report.section import Block, Content
from linkwork.views.report.subject import Subject

MOST_PATHS = 7
"""Paths in the figure: as many as there are colours."""


def paths(subject: Subject) -> Content | None:
    """Where points and frames go, with equal axes; nothing for a model without them, or one that stays."""
    run = subject.run
    if run is None or not len(run):
        return None
    names = [*run.arrays.attrs["points"], *run.arrays.attrs["frames"]]
    if not names:
        return None
    left = len(names) - MOST_PATHS
    tracks = [Track(name, run.signal(f"{name}.position")) for name in names[:MOST_PATHS]]
    title = f"Path of {names[0]}" if len(names) == 1 else "Paths of points"
    blocks: list[Block] = [describe_paths(tracks, units=subject.units, title=title)]
    if left > 0:
        rest = ", ".join(names[MOST_PATHS:])
        blocks.append(paragraph(f"The first {MOST_PATHS} of {len(names)}; not shown: {rest}.", "caption"))
    return Content(tuple(blocks))
