"""What the model says: bodies, joints, points, frames, curves, loads, motors."""

from __future__ import annotations

from linkwork.views.report.markup import table
from linkwork.views.report.section import Content
from linkwork.views.report.subject import Subject
from linkwork.views.tables import tables


def model(subject: Subject) -> Content:
    """All tables of the model, in the units of its file."""
    return Content(tuple(table(found) for found in tables(subject.mechanism)))
