"""How the machine can move from where it stands."""

from __future__ import annotations

from linkwork.errors import Problem
from linkwork.views.report.markup import paragraph, rows_table, table, tag, text
from linkwork.views.report.section import Content
from linkwork.views.report.subject import Subject
from linkwork.views.tables import four_bar_table, posture_table, travel_table


def mobility(subject: Subject) -> Content:
    """Freedoms, redundant constraints and what they are among, four-bars, the travel of what moves, the posture."""
    home, units, dimensions = subject.machine.home, subject.units, subject.dimensions
    first, *rest = home.report()
    lines = [line.strip() for line in rest if not line.startswith("  warning:")]
    report = tag("ul", "".join(tag("li", text(line)) for line in [first, *lines]), class_="plain")
    blocks = [paragraph(f"{subject.check.summary()}."), report]
    if not subject.changed and (bars := subject.machine.four_bars()):
        blocks.append(table(four_bar_table(bars, units)))
    if subject.travel is not None:
        blocks.append(table(travel_table(subject.travel, dimensions, units)))
        ends = zip(("Lower", "Upper"), subject.travel.stops, strict=True)
        blocks += [paragraph(f"{end} end: {stop.problem.what}.") for end, stop in ends if stop is not None]
    blocks.append(rows_table(posture_table(home, dimensions, units).rows, "posture at the start"))
    warnings = [Problem(line, "posture", severity="warning") for line in home.beyond_limits]
    if home.singular:
        what = "the posture at the start is singular: it can go on in several ways"
        warnings.append(Problem(what, "posture", "start from a posture beside it", severity="warning"))
    return Content(tuple(blocks), tuple(warnings))
